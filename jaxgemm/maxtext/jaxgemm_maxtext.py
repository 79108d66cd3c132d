"""The environment variable JAXGEMM_MAXTEXT=1 calls `jaxgemm.maxtext.install`.

The package has an entry point for it in the group jax_plugins. JAX imports such modules, and calls
their `initialize`, when it looks for its devices. A program without MaxText, or without the
variable, does nothing here. (In the namespace package jax_plugins it would hide other plugins: an
editable installation takes the whole package for its own.)
"""

from collections.abc import Callable
import functools
import importlib.abc
import importlib.machinery
import os
import sys

_BACKEND = "maxtext.kernels.megablox.backend"


def initialize() -> None:
  """What JAX calls. MaxText may be imported by then, or later."""
  if os.environ.get("JAXGEMM_MAXTEXT", "0") in ("", "0"):
    return
  if _BACKEND not in sys.modules:
    # It cannot be imported here: modules of MaxText may ask for devices, which JAX is looking for.
    sys.meta_path.insert(0, _InstallsAfterImport())
    return
  try:
    _install()
  except Exception as error:
    _refuse(error)
    raise


def _install() -> None:
  from jaxgemm import maxtext
  maxtext.install()


def _refuse(error: Exception) -> None:
  """Lets the functions that were to be replaced raise the error.

  JAX only logs what `initialize` raises, and the program would go on without jaxgemm.
  """
  def refusing(function: Callable) -> Callable:
    @functools.wraps(function)
    def refuse(*_, **__):
      raise RuntimeError(f"JAXGEMM_MAXTEXT is set, and jaxgemm could not be put into MaxText. "
                         f"{error}") from error
    return refuse

  for module, names in {"jax.lax": ("ragged_dot", "ragged_dot_general"),
                        _BACKEND: ("gmm", "tgmm")}.items():
    for name in names:
      setattr(sys.modules[module], name, refusing(getattr(sys.modules[module], name)))


class _InstallsAfterImport(importlib.abc.MetaPathFinder):
  """Calls `jaxgemm.maxtext.install` when MaxText's experts are imported; they raise its errors."""

  def find_spec(self, fullname, path, target=None):
    if fullname != _BACKEND:
      return None
    spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
    if spec is not None and spec.loader is not None:
      execute = spec.loader.exec_module

      def execute_and_install(module) -> None:
        execute(module)
        _install()

      spec.loader.exec_module = execute_and_install  # type: ignore[method-assign]
    return spec
