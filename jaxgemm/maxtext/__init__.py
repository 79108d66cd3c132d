"""MaxText with this package's grouped products, so that its models with experts drop no token.

  python -m jaxgemm.maxtext -m maxtext.trainers.pre_train.train base.yml ...
  JAXGEMM_MAXTEXT=1 python -m maxtext.trainers.pre_train.train base.yml ...

Both do what `install` does; a program of your own calls it before its first step is traced. MaxText
computes the products of its experts by two functions of megablox (kernels for TPUs) if its option
megablox is true, and else by `jax.lax.ragged_dot`, which Qwix replaces by `ragged_dot_general`
where it quantises. `install` puts this package's functions in the places of all four. All else
stays MaxText's: its router, its derivative of the product, its quantisation, its collectives.
"""

from collections.abc import Callable
import functools
import importlib
import importlib.metadata
import inspect
import logging
import sys

import jax

import jaxgemm
from jaxgemm import megablox

__all__ = ["install"]

TRIED = "0.2.5"
"""The version of MaxText with which this was tried."""

_BACKEND = "maxtext.kernels.megablox.backend"
_OURS: dict[tuple[str, str], Callable] = {
    ("jax.lax", "ragged_dot"): jaxgemm.ragged_dot,
    ("jax.lax", "ragged_dot_general"): jaxgemm.ragged_dot_general,
    # MaxText casts the results of both to the axes along which they differ. So the default is that
    # of its functions.
    (_BACKEND, "gmm"): functools.partial(megablox.gmm, varying_axes=()),
    (_BACKEND, "tgmm"): functools.partial(megablox.tgmm, varying_axes=()),
}
_log = logging.getLogger("jaxgemm.maxtext")


def _says_who_computes(name: str, function: Callable) -> Callable:
  """The function; its first call logs who computes it."""
  has_said = False

  @functools.wraps(function)
  def call(*args, **kwargs):
    nonlocal has_said
    if not has_said:
      has_said = True
      for each in jaxgemm.explain(function, *args, **kwargs).data["calls"]:
        who = ("jaxgemm's kernels compute" if each["implementation"] == "jaxgemm" else
               f"XLA computes ({'; '.join(each['reasons'])})")
        _log.info("%s %s of %s and %s on %s", who, name, *each["operands"][:2],
                  jax.default_backend())
    return function(*args, **kwargs)

  call.is_of_jaxgemm = True  # type: ignore[attr-defined]
  return call


def _unknown_arguments(theirs: Callable, ours: Callable) -> list[str]:
  """The arguments of MaxText's function that ours does not have."""
  known = inspect.signature(ours).parameters
  return [name for name in inspect.signature(theirs).parameters if name not in known]


def install() -> None:
  """Puts this package's functions in the places where MaxText and Qwix look for grouped products.

  It changes attributes of the modules `jax.lax` and `maxtext.kernels.megablox.backend` in this
  process, and logs what it has done; the first call of each function logs who computes it, this
  package's kernels or XLA. Call it before the first step is traced. A second call does nothing.

  Raises:
    ImportError: MaxText is not installed.
    RuntimeError: a function of MaxText has an argument that this package does not know. Nothing has
      been replaced then.
  """
  places = {}
  for (module, name), ours in _OURS.items():
    theirs = getattr(importlib.import_module(module), name)
    places[module, name] = theirs
    if hasattr(theirs, "is_of_jaxgemm"):
      return
    if unknown := _unknown_arguments(theirs, ours):
      raise RuntimeError(
          f"{module}.{name} of MaxText {_version()} has the arguments {', '.join(unknown)}, which "
          f"jaxgemm {jaxgemm.__version__} does not know; MaxText {TRIED} was tried. Install that, "
          "or run without jaxgemm.maxtext.")
  for (module, name), ours in _OURS.items():
    setattr(sys.modules[module], name, _says_who_computes(f"{module}.{name}", ours))
  if not _log.handlers:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("jaxgemm.maxtext: %(message)s"))
    _log.addHandler(handler)
    _log.propagate = False
    _log.setLevel(logging.INFO)
  _log.info(
      "MaxText %s has the grouped products of jaxgemm %s, with megablox=true and megablox=false. "
      "Its tile options choose no kernel here. With use_tokamax_gmm=true or sparse_matmul=false it "
      "does not use them.", _version(), jaxgemm.__version__)
  if _version() != TRIED:
    _log.warning("MaxText %s was tried with this, and not %s. Compare a few losses with those of a "
                 "run without it.", TRIED, _version())


def _version() -> str:
  return importlib.metadata.version("maxtext")
