"""The rooms of jaxgemm/ lie one above the other: what a room imports lies below it."""

import ast
from collections.abc import Iterator
import pathlib

from tests.support.paths import ROOT

# All modules and folders at the top of jaxgemm/, the lowest first. "jaxgemm" is its __init__.py;
# flax/ and first_light/ use the package as a user's program does.
ROOMS = ("_jaxgemm", "_environment", "_ffi", "emulator", "sharding", "call", "dense", "grouped",
         "chunked", "scaled", "collective", "fp8", "qarray", "megablox", "explain", "tune",
         "jaxgemm", "flax", "first_light")
# Two at most, as (module, what it imports).
UPWARDS = {
    ("jaxgemm.call.tuned", "jaxgemm.tune.database"),  # a plan looks up its entry in the tuning file
}


def imported(source: str) -> Iterator[str]:
  """The modules that Python code imports, also within functions.

  Of `from a import b` it is a.b, although b may be no module.
  """
  for node in ast.walk(ast.parse(source)):
    if isinstance(node, ast.Import):
      yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
      assert not node.level, "an import relative to the package"
      yield from (f"{node.module}.{each.name}" for each in node.names)


def room(module: str) -> str:
  """The room of a module of jaxgemm."""
  return module.split(".")[1] if "." in module else module


def imports() -> Iterator[tuple[str, str]]:
  """Pairs of a module of jaxgemm, and a module of jaxgemm that it imports."""
  names = {name_of(path) for path in (ROOT / "jaxgemm").rglob("*.py")} | {"jaxgemm._jaxgemm"}
  for path in (ROOT / "jaxgemm").rglob("*.py"):
    for name in imported(path.read_text()):
      if name.split(".")[0] == "jaxgemm":
        yield name_of(path), name if name in names else name.rpartition(".")[0] or name


def name_of(path: pathlib.Path) -> str:
  parts = path.relative_to(ROOT).with_suffix("").parts
  return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_rooms_are_all_that_is_at_the_top():
  top = {path.stem for path in (ROOT / "jaxgemm").iterdir()
         if path.suffix in (".py", ".pyi") or any(path.rglob("*.py"))}
  assert top - {"__init__"} == set(ROOMS) - {"jaxgemm"}
  assert len(ROOMS) == len(set(ROOMS)) <= 19


def test_imports_go_down():
  pairs = {*imports()}
  assert len(pairs) > 300
  upwards = {(module, other) for module, other in pairs
             if ROOMS.index(room(module)) < ROOMS.index(room(other))}
  assert upwards == UPWARDS and len(UPWARDS) <= 2


def test_imports_of_all_kinds_are_found():
  source = """
import os, jaxgemm.a
from jaxgemm.b import (c, d as e)
def f():
  if True:
    from jaxgemm import g
"""
  assert [*imported(source)] == ["os", "jaxgemm.a", "jaxgemm.b.c", "jaxgemm.b.d", "jaxgemm.g"]
