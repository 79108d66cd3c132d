"""The public names that docs/api lists, and their parameters.

`python -m tests.support.public_names` writes them for a release, to
tests/data/public-<version>.json.
"""

from collections.abc import Mapping
import importlib
import inspect
import json
import re
from typing import Any
import warnings

import jaxgemm
from tests.support.paths import ROOT

FOLDER = ROOT / "tests" / "data"
_DIRECTIVE = re.compile(r"^\.\. (automodule|currentmodule|auto\w+):: ([\w.]+)", re.M)

def names() -> list[str]:
  """The full names of the functions, classes and exceptions in docs/api."""
  found = []
  for page in sorted((ROOT / "docs" / "api").glob("*.md")):
    module = ""
    for directive, name in _DIRECTIVE.findall(page.read_text()):
      if directive in ("automodule", "currentmodule"):
        module = name
      else:
        found.append(name if name.startswith("jaxgemm.") else f"{module}.{name}")
  return found


def find(name: str) -> Any:
  parts = name.split(".")
  value: Any = importlib.import_module(parts[0])
  for i, part in enumerate(parts[1:], 2):
    try:  # jaxgemm.explain is a function, and a module that import_module would find
      value = getattr(value, part)
    except AttributeError:
      value = importlib.import_module(".".join(parts[:i]))
  return value


def parameters_of(value: Any) -> Mapping[str, inspect.Parameter]:
  """The parameters of a function or class by name."""
  given = inspect.signature(value).parameters
  if isinstance(value, type) and list(given) == ["args", "kwargs"]:
    if not value.__init__.__module__.startswith("jaxgemm"):
      return {}  # inherited from Flax
    return inspect.signature(value.__init__.__get__(0)).parameters  # flax.nnx's metaclass hides it
  return given


def signature(value: Any) -> str:
  """The parameters of a function or class, with `...` for each default: "(a, *, b=...)"."""
  if isinstance(value, type) and issubclass(value, BaseException):
    return "()"
  without = [p.replace(annotation=p.empty, default=p.default if p.default is p.empty else ...)
             for p in parameters_of(value).values()]
  return str(inspect.Signature(without)).replace("=Ellipsis", "=...")


def parameters(text: str) -> list[tuple[str, str, bool]]:
  """(name, kind, whether there is a default) of each parameter in a signature."""
  function = eval(f"lambda {text[1:-1]}: 0")  # pylint: disable=eval-used
  return [(p.name, p.kind.name, p.default is not p.empty)
          for p in inspect.signature(function).parameters.values()]


def lost(kept: dict[str, str]) -> list[str]:
  """The kept names and parameters that a program would no longer find, as texts.

  Names that give a DeprecationWarning may differ.
  """
  missing = []
  for name, text in kept.items():
    with warnings.catch_warnings(record=True) as caught:
      warnings.simplefilter("always")
      try:
        value = find(name)
      except ImportError:
        missing.append(f"{name} is gone")
        continue
    if any(issubclass(w.category, DeprecationWarning) for w in caught):
      continue
    old, new = parameters(text), parameters(signature(value))
    kinds = {n: kind for n, kind, _ in new}
    takes_all = "VAR_KEYWORD" in kinds.values()
    for at, (n, kind, has_default) in enumerate(old):
      if kind.startswith("VAR_"):
        continue
      if n not in kinds and not takes_all:
        missing.append(f"{name} has no {n}")
      elif kind.startswith("POSITIONAL") and [x[:2] for x in new[at:at + 1]] != [(n, kind)]:
        missing.append(f"{name} has {n} in another place")
      elif has_default and (n, kinds.get(n), False) in new:
        missing.append(f"{name} requires {n}")
    missing += [f"{name} requires {n}" for n, kind, has_default in new
                if not has_default and not kind.startswith("VAR_") and n not in [x[0] for x in old]]
  return missing


def write() -> None:
  path = FOLDER / f"public-{jaxgemm.__version__}.json"
  kept = {name: signature(find(name)) for name in sorted(names())}
  path.write_text(json.dumps(kept, indent=1) + "\n")
  print(path)


if __name__ == "__main__":
  write()
