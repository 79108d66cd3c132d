"""Tests combinations of Python, jax, plugin and driver; prints a row of the guide's table for each.

    python -m tests.support.versions                                  # what is installed here
    python -m tests.support.versions --wheels=dist python3.12 python3.13:0.12.0.1

The second command installs a wheel of the folder into a new environment of each Python program,
with the version of jax after the colon, or else the newest one, and runs `.ci/test_wheel`. Both
commands run two files of tests. With --whole the first runs all tests that the plugins allow, and
the second all of `.ci/test_wheel`.
"""

import argparse
import importlib.metadata
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from tests.support.paths import ROOT

_QUICK = ["tests/dense/test_matmul_api.py", "tests/grouped/test_ragged_dot.py"]
_COLUMNS = ("Python", "jax", "plugin", "driver", "tests", "passed", "skipped", "failed")
_NONE = "none"


def _plugins() -> str:
  found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
  return ", ".join(f"{name} {found[name]}" for name in sorted(found)
                   if re.fullmatch(r"jax[-_](cuda|rocm)\d+[-_]plugin", name)) or _NONE


def _driver() -> str:
  virtual = os.environ.get("JAXGEMM_TEST_VIRTUAL_ROCM")
  if virtual:
    return f"virtual {virtual}"
  amd = pathlib.Path("/sys/module/amdgpu/version")
  if amd.exists():
    return amd.read_text().strip()
  if not shutil.which("nvidia-smi"):
    return _NONE
  asked = subprocess.run(["nvidia-smi", "--query-gpu=driver_version,name", "--format=csv,noheader"],
                         capture_output=True, text=True)
  return asked.stdout.split("\n")[0].strip() or _NONE


def described() -> str:
  """The versions that the tests of this process run with, as a line."""
  return "versions: " + " | ".join(
      [platform.python_version(), importlib.metadata.version("jax"), _plugins(), _driver()])


def row(tests: str, output: str) -> str:
  """The row of a run of pytest, from what it printed."""
  versions = re.search(r"^versions: (.*)$", output, re.M)
  last = re.findall(r"^=*.*\bin [\d.]+s\b.*$", output, re.M)[-1:]
  if not versions or not last:
    return f"| the tests of {tests} did not run: {output[-500:]}"
  counts = dict((word, n) for n, word in re.findall(r"(\d+) (\w+)", last[0]))
  failed = int(counts.get("failed", 0)) + int(counts.get("errors", counts.get("error", 0)))
  return (f"| {versions[1]} | {tests} | {counts.get('passed', 0)} | {counts.get('skipped', 0)} "
          f"| {failed} |")


def _run(tests: str, command: list[str], **env: str) -> bool:
  done = subprocess.run(command, text=True, cwd=ROOT, env={**os.environ, **env},
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
  if done.returncode:
    print(done.stdout[-4000:], file=sys.stderr)
  print(row(tests, done.stdout), flush=True)
  return done.returncode == 0


def _wheel(folder: str, python: str) -> str:
  minor = int(subprocess.run([python, "-c", "import sys; print(sys.version_info.minor)"],
                             check=True, capture_output=True, text=True).stdout)
  tag = "cp311-cp311" if minor == 11 else "cp312-abi3"
  (wheel,) = pathlib.Path(folder).glob(f"*-{tag}-*.whl")
  return str(wheel.resolve())


def _here(whole: bool) -> bool:
  pytest = [sys.executable, "-m", "pytest"]
  right = _run("CPU", [*pytest, *(() if whole else _QUICK)])
  if "rocm" in _plugins():
    others = ["tests/chunked", "tests/collective"] if whole else []
    right &= _run("virtual GPU", [*pytest, *_QUICK, *others], JAXGEMM_TEST_VIRTUAL_ROCM="gfx942")
  if "cuda" in _plugins() and _driver() != _NONE:
    right &= _run("GPU", [*pytest, "tests/sm90" if whole else "tests/sm90/test_cuda.py"],
                  JAXGEMM_TEST_PLATFORMS="cuda,cpu")
  return right


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("pythons", nargs="*", metavar="PYTHON[:JAX]")
  parser.add_argument("--wheels", help="the folder that .ci/release made")
  parser.add_argument("--whole", action="store_true", help="all tests")
  given = parser.parse_args()
  if bool(given.wheels) != bool(given.pythons):
    parser.error("--wheels and Python programs belong together")
  print("|", " | ".join(_COLUMNS), "|")
  print("|---" * len(_COLUMNS) + "|", flush=True)
  right = True
  if not given.wheels:
    right = _here(given.whole)
  for python in given.pythons:
    python, _, jax = python.partition(":")
    right &= _run("wheel", [".ci/test_wheel", _wheel(given.wheels, python), python],
                  JAX=jax, TESTS="" if given.whole else " ".join(_QUICK))
  sys.exit(not right)


if __name__ == "__main__":
  main()
