"""Every suite, on tiny shapes on the CPU: files, resume, comparison, profile, and wrong results."""

import json
import pathlib
import subprocess
import sys

import pytest

from benchmarks import __main__ as front
from tests.support.environment import one_device
from tests.support.paths import ROOT

# Runs a suite several times in a process, because importing jax takes longer than the runs. It
# prints each run's name before it, and its exit status after it.
DRIVER = """
import json, pathlib, sys
from benchmarks import __main__ as front
from benchmarks import run as harness

suite, folder, spoil, *given = sys.argv[1:]
folder = pathlib.Path(folder)
harness.define_flags()
# Those that one run has and the next one has not.
reset = [*(f"--{name}=" for name in ("csv", "markdown", "png", "compare", "profile")), "--noresume"]

def run(name, *more):
  print("RUN", name, flush=True)
  print("RUN", name, file=sys.stderr, flush=True)
  print("STATUS", front.start(suite, ["--repeat=3", *given, *reset, *more]), flush=True)

out, old = folder / "out.json", folder / "old.json"
run("first", f"--json={out}", f"--csv={folder / 'out.csv'}", f"--markdown={folder / 'out.md'}",
    f"--png={folder / 'out.png'}", f"--profile={folder / 'traces'}", "--peak_tflops=1e3",
    "--peak_gbs=1e4")
content = json.loads(out.read_text())
for row in content["rows"]:
  for entry in row["candidates"].values():
    entry["seconds"]["median"] /= 1e3
old.write_text(json.dumps(content))
run("again", f"--json={out}", "--resume", f"--compare={old}")
exec(spoil)
run("wrong", f"--json={folder / 'wrong.json'}")
run("unverified", f"--json={folder / 'wrong.json'}", "--resume", "--noverify")
"""


def spoiled(name: str) -> str:
  """Python that makes a function of jaxgemm wrong."""
  return (f"import jaxgemm; right = jaxgemm.{name}\n"
          f"jaxgemm.{name} = lambda *arrays, **options: 1.05 * right(*arrays, **options)")


SPOILED_EXPERTS = """
from benchmarks import moe
import jax
moe.PRODUCTS[moe.OURS] = lambda *arrays, **options: (
    1.1 * jax.lax.ragged_dot(*arrays, **options)).astype(arrays[0].dtype)
"""
SPOILED_SUMS = """
from jaxgemm.collective import blocks
right = blocks.plus
blocks.plus = lambda own, others: 1.1 * right(own, others)
"""
DENSE = ["--threads=0", "--min_seconds=0", "--dtypes=float32"]
PRODUCT = {"m": 48, "n": 32, "k": 64}
LAYER = {"tokens": 32, "features": 16, "hidden_features": 32, "num_experts": 4, "top_k": 2}
# For each suite: its flags, a problem, and code that makes its results wrong.
SUITES = {
    "dense": (DENSE, PRODUCT, spoiled("matmul")),
    "stream_k": (DENSE, {"m": 32, "n": 32, "k": 1024}, spoiled("matmul")),
    "random": (["--threads=0", "--min_seconds=0", "--num_products=3", "--most=64"], None,
               spoiled("dot_general")),
    "grouped": (["--threads=0", "--min_seconds=0", "--dtypes=float32", "--routings=balanced",
                 "--work=forward"], PRODUCT | {"groups": 3}, spoiled("ragged_dot")),
    "chunked": (["--chunks=2", "--paced_us=1"], {"m": 256, "n": 16, "k": 32},
                spoiled("chunked_matmul")),
    "collective": (["--devices=2", "--dtype=float32"], PRODUCT, spoiled("allgather_matmul")),
    "moe_layer": (["--work=forward"], LAYER, SPOILED_EXPERTS),
    "moe_devices": (["--devices=2", "--work=forward"], LAYER, SPOILED_SUMS),
    "train_step": ([], LAYER, SPOILED_EXPERTS),
    "tuned": ([], PRODUCT, spoiled("dot_general")),
    "cu_sweep": (["--threads=0", "--min_seconds=0", "--occupied=0"], PRODUCT,
                 spoiled("matmul")),
}
# Other files have tests of these by default.
HAVE_TESTS = {"random", "grouped", "chunked", "collective", "moe_layer", "train_step", "tuned"}
# These run on GPUs only, or do not check results; test_gpu_benchmark.py, test_model_benchmark.py
# and test_ragged_benchmark.py have them.
OTHERS = {"gpu", "scaled", "measure", "grouped_calls"}


def test_the_table_has_every_suite():
  assert set(SUITES) | OTHERS == {
      name for name, suite in front.SUITES.items() if suite.is_watched or name == "gpu"}


@pytest.mark.whole(unless=lambda suite: suite not in HAVE_TESTS)
@pytest.mark.parametrize("suite", SUITES)
def test_a_suite(suite, tmp_path):
  given, problem, spoil = SUITES[suite]
  if problem:
    problems = tmp_path / "problems.json"
    problems.write_text(json.dumps([problem]))
    given = [f"--problems={problems}", *given]
  done = subprocess.run(
      [sys.executable, "-c", DRIVER, suite, str(tmp_path), spoil, *given],
      cwd=ROOT, env=one_device() | {"JAX_PLATFORMS": "cpu"}, text=True, capture_output=True)
  runs = dict(zip(("first", "again", "wrong", "unverified"), done.stdout.split("RUN ")[1:]))
  assert len(runs) == 4, done.stderr[-3000:]
  status = {name: text.rsplit("STATUS ", 1)[-1].strip() for name, text in runs.items()}
  assert status == {"first": "0", "again": "1", "wrong": "1", "unverified": "0"}, done.stdout
  rows = json.loads((tmp_path / "out.json").read_text())["rows"]
  measured = sum("seconds" in entry for row in rows for entry in row["candidates"].values())
  assert measured
  assert all(row[name] == value for row in rows for name, value in (problem or {}).items())
  assert len((tmp_path / "out.csv").read_text().splitlines()) == measured + 1
  assert (tmp_path / "out.md").read_text().count("|") > measured
  assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"
  assert list(pathlib.Path(tmp_path / "traces").rglob("*.xplane.pb"))
  # The second run measured nothing, and reports each candidate as slower.
  assert runs["again"].count("SLOWER: ") == measured
  assert "WRONG: " in runs["wrong"] and "WRONG: " in runs["unverified"]
