"""Freezes what a change that only moves or renames code must keep, and compares with it:

    python -m tests.support.freeze write FOLDER
    python -m tests.support.freeze compare FOLDER

These are the bytes of the GPU kernels of this build, the plan of random problems on each chip
(its choice with its reasons and workspace), the StableHLO of all public calls, what `explain`
says of random ones, the public names, and the tests. Compare on the same kind of CPU: the plan
names its best kernel. --problems=N plans fewer problems.
"""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8")
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAXGEMM_TUNING"] = "off"

# pylint: disable=wrong-import-position
import numpy as np

import jaxgemm
from jaxgemm import _jaxgemm as native
from tests.support import public_names
from tests.support.freeze import problems, programs
from tests.support.paths import ROOT

PROBLEMS = 30_000
SHOWN = 5  # differences of a kind


def code_objects() -> dict[str, str]:
  """The SHA-256 of each GPU kernel of this build."""
  folders = [pathlib.Path(path) / "kernels" for path in jaxgemm.__path__]
  folder = next(folder for folder in folders if folder.is_dir())
  return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
          for path in sorted(folder.rglob("*")) if path.is_file()}


def decision(problem: dict, config: dict, chip: str) -> dict:
  try:
    plan = native.plan(problem, config, chip, 0)
  except ValueError as error:
    return {"error": str(error)}
  others = json.dumps(plan.pop("candidates"))
  return plan | {"candidates": hashlib.sha256(others.encode()).hexdigest()[:16]}


def decisions(chip: str, count: int) -> dict[str, dict]:
  """The plans of `count` random problems, by problem and configuration."""
  rng = np.random.default_rng(53)
  drawn = (problems.draw(rng) for _ in range(count))
  return {json.dumps(pair): decision(*pair, chip) for pair in drawn}


def names() -> dict[str, str]:
  return {name: public_names.signature(public_names.find(name)) for name in public_names.names()}


def tests() -> list[str]:
  listed = subprocess.run(
      [sys.executable, "-m", "pytest", "--collect-only", "-q", "--whole", "-n", "0"], cwd=ROOT,
      text=True, capture_output=True, check=True).stdout
  return [line for line in listed.splitlines() if "::" in line]


def frozen(count: int):
  """Pairs of a subject and its value, one after the other."""
  yield "code objects", code_objects()
  yield "public names", names()
  yield "StableHLO", programs.lowered()
  yield "explain", dict(enumerate(programs.explained()))
  for chip in problems.CHIPS:
    yield f"decisions, {chip}", decisions(chip, count)
  yield "tests", dict.fromkeys(tests(), "")


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
  parser.add_argument("what", choices=("write", "compare"))
  parser.add_argument("folder", type=pathlib.Path)
  parser.add_argument("--problems", type=int, default=PROBLEMS)
  given = parser.parse_args()
  given.folder.mkdir(parents=True, exist_ok=True)
  same = True
  for subject, value in frozen(given.problems):
    value = json.loads(json.dumps(value))
    path = given.folder / f"{subject.replace(', ', '-').replace(' ', '-')}.json.gz"
    if given.what == "write":
      path.write_bytes(gzip.compress(json.dumps(value).encode(), 3, mtime=0))
      print(f"{subject}: {len(value)}", flush=True)
    else:
      same &= compare(subject, json.loads(gzip.decompress(path.read_bytes())), value)
  sys.exit(not same)


def compare(subject: str, old: dict, new: dict) -> bool:
  """Whether both are equal. Tests may be more, and may have other places."""
  if subject == "tests":
    print(f"tests: {len(old)} before, {len(new)} now")
    return len(new) >= len(old)
  differing = [name for name in old.keys() | new.keys() if old.get(name) != new.get(name)]
  print(f"{subject}: {len(new)}, of which {len(differing)} differ", flush=True)
  for name in differing[:SHOWN]:
    print(f"  {name}")
    print("\n".join(_differences(old.get(name), new.get(name))))
  return not differing


def _differences(old, new) -> list[str]:
  if isinstance(old, dict) and isinstance(new, dict):
    return [f"    {key}: {old.get(key)} -> {new.get(key)}" for key in old.keys() | new.keys()
            if old.get(key) != new.get(key)]
  if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
    lines = zip(old.splitlines(), new.splitlines())
    return [f"    {a}\n    -> {b}" for a, b in lines if a != b][:SHOWN]
  return [f"    {old} -> {new}"]


if __name__ == "__main__":
  main()
