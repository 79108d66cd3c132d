"""Runs ruff, mypy and clang-format, as .pre-commit-config.yaml does.

Their settings are in pyproject.toml and .clang-format.
"""

import importlib.util
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

_CPP_FOLDERS = ("ffi", "tests", "examples")
_CPP_SUFFIXES = (".cc", ".cu", ".h", ".hip")


def _require(tool: str) -> None:
  if importlib.util.find_spec(tool.replace("-", "_")) is None:
    pytest.fail(f"{tool} is not installed. Run: pip install -e '.[test]'")


def _check(command: list[str], remedy: str) -> None:
  done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
  if done.returncode:
    pytest.fail(f"{done.stdout}{done.stderr}\n{remedy}", pytrace=False)


def test_ruff_finds_nothing():
  _require("ruff")
  _check([sys.executable, "-m", "ruff", "check"],
         "`ruff check --fix` mends some of these.")


def test_mypy_finds_nothing():
  _require("mypy")
  _check([sys.executable, "-m", "mypy"], "Run `mypy` to see these again.")


def test_clang_format_changes_nothing():
  _require("clang-format")
  import clang_format  # its own program, not another version on PATH

  files = [str(path) for folder in _CPP_FOLDERS for path in (ROOT / folder).rglob("*")
           if path.suffix in _CPP_SUFFIXES and "third_party" not in path.parts]
  assert files
  program = clang_format.get_executable("clang-format")
  _check([program, "--dry-run", "-Werror", *sorted(files)],
         "`clang-format -i FILE` formats a file.")


def test_no_script_folder_hides_a_module_of_python():
  """pytest and scripts put their folder first, so Python looks for its own modules there, too."""
  hidden = [str(path) for path in (ROOT / "tests").glob("*/*.py")
            if path.stem in sys.stdlib_module_names]
  assert not hidden
