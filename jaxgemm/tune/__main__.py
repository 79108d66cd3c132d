"""Tunes what a file names, and looks after the tuning file.

    python -m jaxgemm.tune model.py
    python -m jaxgemm.tune shapes.json --seconds=300
    python -m jaxgemm.tune list
    python -m jaxgemm.tune merge other.json
    python -m jaxgemm.tune export copy.json
    python -m jaxgemm.tune prune

model.py defines `calls()`, which returns or yields (function, arguments). shapes.json is
a list of products, each an object with "m", "n" and "k"; and perhaps "dtype" (bfloat16),
"layout" ("rr": lhs [M, K], rhs [K, N]; "c": transposed), "groups" (lhs's rows are theirs),
"activation", and "gradients" (false). `prune` removes entries of other versions.
"""

import argparse
import json
import pathlib
import runpy
import sys

import jax
import jax.numpy as jnp

import jaxgemm
from jaxgemm.tune import choice, database

_FIELDS = {"m", "n", "k", "dtype", "layout", "groups", "activation", "gradients"}


def calls(path: pathlib.Path):
  """The (function, arguments) that a file names."""
  if path.suffix == ".py":
    names = runpy.run_path(str(path))
    if "calls" not in names:
      raise SystemExit(f"{path} has no function calls(), which gives (function, arguments).")
    return list(names["calls"]())
  shapes = json.loads(path.read_text())
  if not isinstance(shapes, list):
    raise SystemExit(f"{path} is no list of products.")
  return [_call(path, each) for each in shapes]


def _call(path, given):
  missing, unknown = {"m", "n", "k"} - given.keys(), given.keys() - _FIELDS
  if missing or unknown:
    raise SystemExit(f"{path}: {given} has no {sorted(missing)} or has unknown fields "
                     f"{sorted(unknown)}; known are {sorted(_FIELDS)}.")
  m, n, k = given["m"], given["n"], given["k"]
  dtype, layout = given.get("dtype", "bfloat16"), given.get("layout", "rr")
  groups, activation = given.get("groups", 0), given.get("activation")

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
    raise SystemExit("JAXGEMM_TUNING is 'off', so there is no tuning file. Pass --file.")
  return place


def main(argv=None) -> int:
  parser = argparse.ArgumentParser(
      prog="python -m jaxgemm.tune", description=__doc__,
      formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("what", help="a .py or .json file, or list, merge, export or prune")
  parser.add_argument("other", nargs="?", help="the file to merge, or to export to")
  parser.add_argument("--file", help="the tuning file")
  parser.add_argument("--seconds", type=float, default=120.0, help="time for all products")
  parser.add_argument("--routing", default="balanced", help="sizes of groups")
  parser.add_argument("--again", action="store_true", help="also time what the file has")
  given = parser.parse_args(argv)
  place = _place(given.file)
  if given.what in ("merge", "export") and not given.other:
    parser.error(f"{given.what} needs a file")
  if given.what == "list":
    print(choice.described(database.load(place)) or f"{place} has no entries")
  elif given.what == "merge":
    database.merge(place, database.load(pathlib.Path(given.other)))
  elif given.what == "export":
    database.merge(pathlib.Path(given.other), database.load(place))
  elif given.what == "prune":
    count = database.prune(place, lambda key, _: choice.is_current(key))
    print(f"{count} entries of other versions removed")
  elif pathlib.Path(given.what).suffix in (".py", ".json"):
    for function, arguments in calls(pathlib.Path(given.what)):
      print(jaxgemm.tune(function, *arguments, seconds=given.seconds, path=place,
                         routing=given.routing, again=given.again))
  else:
    parser.error(f"{given.what!r} is no .py or .json file, nor list, merge, export or prune")
  return 0


if __name__ == "__main__":
  sys.exit(main())
