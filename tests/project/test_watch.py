"""A suite goes on if a candidate ends its process or hangs."""

import json
import pathlib
import subprocess
import sys

from tests.support.environment import one_device
from tests.support.paths import ROOT

# Python runs this when it starts: the second case's work stealing ends the process, or hangs.
BROKEN = """
import os, sys, time
if "--nowatch" in sys.argv:
  import jaxgemm
  right = jaxgemm.matmul
  def matmul(a, b, **options):
    if options.get("schedule") == "work_stealing" and a.shape[0] == 64:
      WHAT
    return right(a, b, **options)
  jaxgemm.matmul = matmul
"""


def bench(folder: pathlib.Path, *flags, what: str | None = None):
  if what:
    (folder / "sitecustomize.py").write_text(BROKEN.replace("WHAT", what))
  return subprocess.run(
      [sys.executable, "-m", "benchmarks", "dense", "--dtypes=float32", "--threads=0",
       "--min_seconds=0", "--repeat=3", f"--json={folder / 'out.json'}", *flags],
      cwd=ROOT, env=one_device() | {"PYTHONPATH": str(folder)}, text=True, capture_output=True)


def candidates(folder):
  return {(row["m"], name): name in row["candidates"]
          for row in json.loads((folder / "out.json").read_text())["rows"]
          for name in (*row["candidates"], *row["missing"])}


THREE = "--cases=32x32x32,64x48x32,48x32x64"


def test_a_crash_ends_one_candidate(tmp_path):
  done = bench(tmp_path, THREE, "--schedule=persistent,work_stealing", what="os.abort()")
  assert done.returncode == 1, done.stderr
  assert ("FAILED: dense explicit 64x48x32 float32 jaxgemm work_stealing: it ended the process, "
          "with status -6") in done.stdout
  assert candidates(tmp_path) == {
      (m, name): (m, name) != (64, "jaxgemm work_stealing") for m in (32, 64, 48)
      for name in ("xla", "jaxgemm persistent", "jaxgemm work_stealing")}
  written = json.loads((tmp_path / "out.json").read_text())
  assert [each[1] for each in written["ended"]] == ["jaxgemm work_stealing"]
  assert all("--nowatch" not in about["command"] for about in written["runs"])


def test_a_hang_ends_one_candidate(tmp_path):
  done = bench(tmp_path, "--cases=64x48x32", "--schedule=persistent,work_stealing",
               "--hang_seconds=8", what="time.sleep(1000)")
  assert done.returncode == 1 and "work_stealing: it took longer than 8 s" in done.stdout
  assert candidates(tmp_path) == {
      (64, "xla"): True, (64, "jaxgemm persistent"): True, (64, "jaxgemm work_stealing"): False}
