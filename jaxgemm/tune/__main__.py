"""Tunes the products that a file names; lists, merges, exports and prunes tuning files.

    python -m jaxgemm.tune model.py
    python -m jaxgemm.tune shapes.yaml --seconds=300
    python -m jaxgemm.tune list
    python -m jaxgemm.tune merge other.json
    python -m jaxgemm.tune import other.json     # the same
    python -m jaxgemm.tune export copy.json
    python -m jaxgemm.tune shipped
    python -m jaxgemm.tune prune

model.py defines `calls()`, which returns or yields (function, arguments). A file of shapes
is JSON, or YAML if PyYAML is installed: a list of products, each an object with "m", "n"
and "k". Optional are "dtype" (default bfloat16), "layout", "groups", "activation" and
"gradients" (default false). "layout" has a letter for lhs and one for rhs: "rr" (the default)
is lhs [M, K] and rhs [K, N], and "c" is an operand that is stored transposed. "groups" is the
number of groups of a grouped product: lhs [M, K] has the rows of all groups, rhs is
[groups, K, N], and "layout" has no effect. `prune` removes entries of other versions of
jaxgemm. `shipped` lists the entries that the package has for chips.
"""

import argparse
import json
import os
import pathlib
import runpy
import sys

import jax
import jax.numpy as jnp

import jaxgemm
from jaxgemm.tune import choice, database
from jaxgemm.tune.tune import tune_all

_FIELDS = {"m", "n", "k", "dtype", "layout", "groups", "activation", "gradients"}
_LAYOUTS = ("rr", "rc", "cr", "cc")


def calls(path: pathlib.Path):
  """The pairs of (function, arguments) that a file names."""
  if path.suffix == ".py":
    names = runpy.run_path(str(path))
    if "calls" not in names:
      raise SystemExit(f"{path} has no function calls(). Define it: it returns or yields "
                       "(function, arguments).")
    return list(names["calls"]())
  try:
    shapes = read_list(path)
  except ValueError as error:
    raise SystemExit(f"{path}: {error}") from error
  return [_call(path, each) for each in shapes]


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
  try:
    jnp.dtype(dtype)
  except TypeError as error:
    raise SystemExit(f"{path}: dtype {dtype!r} was given, which is none of jax's. Write a name "
                     "such as bfloat16.") from error

  def array(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))

  def product(x, w, *sizes):
    if sizes:
      return jaxgemm.ragged_dot(x, w, *sizes, activation=activation)
    numbers = (((int(layout[0] == "r"),), (int(layout[1] == "c"),)), ((), ()))
    return jaxgemm.dot_general(x, w, numbers, activation=activation)

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


def _place(given: str | None) -> pathlib.Path:
  place = pathlib.Path(given) if given else database.default_path()
  if place is None:
    raise SystemExit("JAXGEMM_TUNING is 'off', so there is no tuning file. Unset it, or pass "
                     "--file.")
  return place


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
  place = _place(given.file)
  if given.what in ("merge", "import", "export") and not given.other:
    parser.error(f"{given.what} needs a file")
  if given.what == "list":
    print(choice.described(database.load(place)) or f"{place} has no entries")
  elif given.what == "shipped":
    print(choice.described(database.shipped()) or "the package has no entries")
  elif given.what in ("merge", "import"):
    database.merge(place, database.load(pathlib.Path(given.other)))
  elif given.what == "export":
    database.merge(pathlib.Path(given.other), database.load(place))
  elif given.what == "prune":
    count = database.prune(place, lambda key, _: choice.is_current(key))
    print(f"{count} entries of other versions removed")
  elif pathlib.Path(given.what).suffix in (".py", ".json", ".yaml", ".yml"):
    # The workers need the GPU's memory; this process runs nothing there.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    workers = given.workers
    if workers is None:
      workers = jax.local_device_count() if jax.default_backend() == "gpu" else 1
    wanted: list = [(function, arguments, {})
                    for function, arguments in calls(pathlib.Path(given.what))]
    print(tune_all(
        wanted, seconds=given.seconds, path=place, routing=given.routing, again=given.again,
        most_candidates=given.most_candidates, workers=workers,
        candidate_seconds=given.candidate_seconds))
  else:
    parser.error(f"{given.what!r} is no .py, .json or .yaml file, nor list, shipped, "
                 "merge, import, export or prune")
  return 0


if __name__ == "__main__":
  sys.exit(main())
