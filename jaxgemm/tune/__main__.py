"""Tunes the products that a file names; lists, merges, exports and prunes tuning files.

    python -m jaxgemm.tune model.py
    python -m jaxgemm.tune shapes.yaml --seconds=300
    python -m jaxgemm.tune list
    python -m jaxgemm.tune merge other.json
    python -m jaxgemm.tune import other.json     # the same
    python -m jaxgemm.tune export copy.json
    python -m jaxgemm.tune shipped
    python -m jaxgemm.tune prune

model.py defines `calls()`, which returns or yields (function, arguments), where the arguments are
a tuple of arrays or `jax.ShapeDtypeStruct`s. A file of shapes is JSON, or YAML if PyYAML is
installed: a list of products, each an object with "m", "n" and "k". Optional are "dtype" (default
bfloat16), "layout", "groups", "activation" and "gradients" (default false). "layout" has a letter
for lhs and one for rhs: "rr" (the default) is lhs [M, K] and rhs [K, N], and "c" is an operand that
is stored transposed. "groups" is the number of groups of a grouped product: lhs [M, K] has the rows
of all groups, rhs is [groups, K, N], and "layout" has no effect. `prune` removes entries of other
versions of jaxgemm. `shipped` lists the entries that the package has for chips.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
import contextlib
import json
import os
import pathlib
import runpy
import sys
import traceback

import jax
import jax.numpy as jnp

from jaxgemm.call import tuned
from jaxgemm.dense.api import dot_general
from jaxgemm.grouped.api import ragged_dot
from jaxgemm.tune import database
from jaxgemm.tune.tune import tune_all

_FIELDS = {"m", "n", "k", "dtype", "layout", "groups", "activation", "gradients"}
_LAYOUTS = ("rr", "rc", "cr", "cc")


def calls(path: pathlib.Path) -> list[tuple[Callable, Sequence]]:
  """The pairs of (function, arguments) that a file names.

  Raises:
    SystemExit: the file is not as it should be.
  """
  if path.suffix == ".py":
    return _calls_of_program(path)
  try:
    shapes = read_list(path)
  except (OSError, ValueError, RecursionError) as error:
    raise SystemExit(f"{path}: {error}") from error
  return [_call(path, each) for each in shapes]


def _calls_of_program(path: pathlib.Path) -> list[tuple[Callable, Sequence]]:
  sys.path.insert(0, str(path.resolve().parent))  # as if Python ran the file: it may import others
  with _errors_in_words(path):
    names = runpy.run_path(str(path))
  wanted = "it returns or yields (function, arguments), where the arguments are a tuple"
  function = names.get("calls")
  if not callable(function):
    there = "no function" if function is None else f"a {type(function).__name__} and no function"
    raise SystemExit(f"{path} has {there} calls(). Define it: {wanted}.")
  with _errors_in_words(path):
    given = function()
    found = list(given) if isinstance(given, Iterable) else given
  if not isinstance(found, list):
    raise SystemExit(f"{path}: calls() returned {found!r:.100}. Change it: {wanted}.")
  for number, each in enumerate(found, 1):
    if not (isinstance(each, (tuple, list)) and len(each) == 2 and callable(each[0])
            and isinstance(each[1], (tuple, list))):
      raise SystemExit(f"{path}: number {number} of calls() is {each!r:.200}. Change it: {wanted}, "
                       "also if there is only one: (x,).")
  return found


@contextlib.contextmanager
def _errors_in_words(path: pathlib.Path) -> Iterator[None]:
  """Ends the program with the error of a user's code and its line, without our own frames."""
  try:
    yield
  except (Exception, SystemExit) as error:  # pylint: disable=broad-except
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    where = f", line {lines[-1]}" if lines else ""
    said = "".join(traceback.format_exception_only(error)).strip()
    raise SystemExit(f"{path}{where}: {said}") from error


def read_list(path: pathlib.Path) -> list:
  """The list in a JSON or YAML file; raises ValueError if the file has no list."""
  if path.suffix == ".json":
    found = json.loads(path.read_text())
  else:
    try:
      import yaml  # type: ignore[import-untyped]
    except ImportError as error:
      raise ValueError("YAML needs PyYAML, which is not installed. Run pip install "
                       "pyyaml, or write the same as JSON.") from error
    try:
      found = yaml.safe_load(path.read_text())
    except yaml.YAMLError as error:
      raise ValueError(f"it is no YAML: {error}") from error
  if not isinstance(found, list):
    raise ValueError("it is no list. Write a list of objects with m, n and k.")
  return found


def _call(path, given):
  if not isinstance(given, dict) or not all(
      type(given.get(name, 1)) is int and given.get(name, 1) > 0 for name in "mnk"):
    raise SystemExit(f"{path}: {given!r} was given; a product has numbers m, n and k. Write "
                     "them as positive integers.")
  missing, unknown = {"m", "n", "k"} - given.keys(), given.keys() - _FIELDS
  wrong = [f"lacks {sorted(missing)}"] if missing else []
  wrong += [f"has unknown fields {sorted(unknown)}"] if unknown else []
  if wrong:
    raise SystemExit(f"{path}: {given} {' and '.join(wrong)}; m, n and k are needed, and allowed "
                     f"are {sorted(_FIELDS)}. Add or remove these fields.")
  m, n, k = given["m"], given["n"], given["k"]
  dtype, layout = given.get("dtype", "bfloat16"), given.get("layout", "rr")
  groups, activation = given.get("groups", 0), given.get("activation")
  if layout not in _LAYOUTS:
    raise SystemExit(f"{path}: layout {layout!r} was given; {', '.join(_LAYOUTS)} are allowed. "
                     "Write r or c for lhs, then for rhs.")
  if type(groups) is not int or groups < 0:
    raise SystemExit(f"{path}: groups {groups!r} was given; a number of groups is allowed, or 0. "
                     "Write it as an integer.")
  if type(given.get("gradients", False)) is not bool:
    raise SystemExit(f"{path}: gradients {given['gradients']!r} was given; true and false are "
                     "allowed. Write one of these.")
  try:
    jnp.dtype(dtype)
  except TypeError as error:
    raise SystemExit(f"{path}: dtype {dtype!r} was given, which is none of jax's. Write a name "
                     "such as bfloat16.") from error

  def array(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))

  def product(x, w, *sizes):
    if sizes:
      return ragged_dot(x, w, *sizes, activation=activation)
    numbers = (((int(layout[0] == "r"),), (int(layout[1] == "c"),)), ((), ()))
    return dot_general(x, w, numbers, activation=activation)

  if groups:
    arguments = [array(m, k), array(groups, k, n),
                 jax.ShapeDtypeStruct((groups,), jnp.int32)]
  else:
    arguments = [array(*((m, k) if layout[0] == "r" else (k, m))),
                 array(*((k, n) if layout[1] == "r" else (n, k)))]
  if given.get("gradients"):
    return jax.grad(
        lambda *xs: product(*xs).astype(jnp.float32).sum(), (0, 1)), arguments
  return product, arguments


def _entries(path: pathlib.Path) -> dict[str, database.Entry]:
  """The entries of a file that the user named.

  Raises:
    SystemExit: it is no tuning file.
  """
  try:
    entries, fault = database.read(path)
  except OSError as error:
    raise SystemExit(f"{path} cannot be read: {error}. Name a tuning file.") from error
  if fault and not entries:
    raise SystemExit(f"{path} {fault.removesuffix(' and is ignored')}. Name a tuning file.")
  if fault:
    print(f"{path} {fault}", file=sys.stderr)
  return entries


def _described(found: dict[str, database.Entry]) -> str:
  """The entries as text, for a reader."""
  lines = []
  for name, entry in sorted(found.items()):
    xla = "-" if entry.xla_seconds is None else f"{entry.xla_seconds * 1e6:.1f}"
    lines += [name, f"    {entry.implementation} {json.dumps(entry.config)} "
              f"{entry.seconds * 1e6:.1f} us, plan {entry.plan_seconds * 1e6:.1f}, "
              f"xla {xla}, size {entry.size}, {entry.date[:10]}, {entry.source}"]
  return "\n".join(lines)


def _merge(path: pathlib.Path, entries: dict[str, database.Entry]) -> None:
  """Adds entries to a tuning file, which may be missing."""
  if os.path.lexists(path):
    _entries(path)
  with _writing(path):
    database.merge(path, entries)
  print(f"{len(entries)} entries written to {path}")


@contextlib.contextmanager
def _writing(path: pathlib.Path) -> Iterator[None]:
  try:
    yield
  except OSError as error:
    raise SystemExit(f"{path} cannot be written: {error}. Name another file.") from error


def main(argv=None) -> int:
  parser = argparse.ArgumentParser(
      prog="python -m jaxgemm.tune", description=__doc__,
      formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("what", help="a .py, .json or .yaml file, or list, shipped, "
                      "merge, import, export or prune")
  parser.add_argument("other", nargs="?", help="the file to merge, or to export to")
  parser.add_argument("--file", help="the tuning file")
  parser.add_argument("--seconds", type=float, default=120.0,
                      help="no product is begun after this time")
  parser.add_argument("--routing", default="balanced", help="sizes of the groups of grouped "
                      "products: balanced, mild, skewed or extreme")
  parser.add_argument("--most_candidates", type=int, default=16,
                      help="number of candidates of each product")
  parser.add_argument("--workers", type=int, help="number of processes that time products, each "
                      "on a device of its own; 0: this process times them, and a candidate may "
                      "end or hang it. Default: one for each GPU, one on the CPU")
  parser.add_argument("--candidate_seconds", type=float, default=60.0,
                      help="with workers, a candidate that takes longer is left out")
  parser.add_argument("--again", action="store_true",
                      help="also time products that the file has")
  given = parser.parse_args(argv)
  is_source = pathlib.Path(given.what).suffix in (".py", ".json", ".yaml", ".yml")
  with_other = given.what in ("merge", "import", "export")
  if with_other and not given.other:
    parser.error(f"{given.what} needs a file")
  if given.other and not with_other:
    parser.error(f"{given.what} takes no second file; {given.other!r} was given. Pass "
                 "--file for the tuning file.")
  if given.what == "shipped":
    print(_described(database.shipped()) or "the package has no entries")
    return 0
  try:
    place = database.place(given.file, "--file=")
  except ValueError as error:
    raise SystemExit(str(error)) from error
  if given.what == "list":
    # Without a name it is no mistake that there is no file yet.
    is_named = given.file or os.environ.get("JAXGEMM_TUNING")
    there = _entries(place) if is_named or place.exists() else {}
    print(_described(there) or f"{place} has no entries")
  elif given.what in ("merge", "import"):
    _merge(place, _entries(pathlib.Path(given.other)))
  elif given.what == "export":
    _merge(pathlib.Path(given.other), _entries(place))
  elif given.what == "prune":
    _entries(place)
    with _writing(place):
      count = database.prune(place, lambda key, _: tuned.is_current(key))
    print(f"{count} entries of other versions removed")
  elif is_source:
    # The workers need the GPU's memory; this process runs nothing there.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    workers = given.workers
    if workers is None:
      workers = jax.local_device_count() if jax.default_backend() == "gpu" else 1
    source = pathlib.Path(given.what)
    wanted: list = [(function, arguments, {}) for function, arguments in calls(source)]
    with _errors_in_words(source):
      report = tune_all(
          wanted, seconds=given.seconds, path=place, routing=given.routing, again=given.again,
          most_candidates=given.most_candidates, workers=workers,
          candidate_seconds=given.candidate_seconds)
    print(report)
    return 1 if report.lost else 0
  else:
    parser.error(f"{given.what!r} is no .py, .json or .yaml file, nor list, shipped, "
                 "merge, import, export or prune")
  return 0


if __name__ == "__main__":
  sys.exit(main())
