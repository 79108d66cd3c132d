"""The benchmark command, on small shapes."""

import json
import subprocess
import sys
import time

import pytest

from benchmarks import chunked_cpu, progress, report, shapes
import jaxgemm
from jaxgemm.tune import timing
from tests.support.environment import one_device
from tests.support.paths import ROOT


def bench(*flags):
  return subprocess.run(
      [sys.executable, "-m", "benchmarks", *flags],
      cwd=ROOT, env=one_device(), text=True, capture_output=True,
  )


def test_the_command_writes_speed_error_and_plan_of_both_products(tmp_path):
  path = tmp_path / "out.json"
  done = bench(
      "--cases=tiny,48x32x256", "--dtypes=float32,bfloat16,int8", "--threads=1",
      "--min_seconds=0.01", f"--json={path}",
  )
  assert done.returncode == 0, done.stderr
  result = json.loads(path.read_text())
  assert result["machine"]["threads"] == 1
  assert result["machine"]["jaxgemm"]
  assert "--cases=tiny" in result["machine"]["command"]
  assert len(result["rows"]) == 9
  tolerance = {"float32": 1e-5, "bfloat16": 4e-3, "int8": 0.0}
  for row in result["rows"]:
    assert set(row["candidates"]) == {"xla", "jaxgemm"}
    for entry in row["candidates"].values():
      assert entry["gflops"] > 0
      assert entry["errors"]["max"] <= tolerance[row["dtype"]]
    mine = row["candidates"]["jaxgemm"]
    assert mine["ratio"]["q1"] <= mine["ratio"]["median"] <= mine["ratio"]["q3"]
    assert mine["plan"]["kernel"] in done.stdout
  assert {m["dtype"] for m in result["geometric_means"]} == set(tolerance)
  for case in ("tiny 17x33x65 int8", "explicit 48x32x256 bfloat16"):
    assert f"s] {case}" in done.stderr


def test_schedules_are_candidates_and_overhead_is_measured(tmp_path):
  path, traces = tmp_path / "out.json", tmp_path / "traces"
  done = bench(
      "--cases=64x64x2048,overhead", "--dtypes=float32", "--min_seconds=0.01",
      "--schedule=persistent,stream_k", f"--json={path}", f"--profile={traces}",
  )
  assert done.returncode == 0, done.stderr
  result = json.loads(path.read_text())
  (row,) = result["rows"]
  for schedule in ("persistent", "stream_k"):
    entry = row["candidates"][f"jaxgemm {schedule}"]
    assert entry["plan"]["schedule"] == schedule
  ways = {entry["way"]: entry["microseconds"] for entry in result["overhead"]}
  assert set(ways) == {"dispatch", "loop", "chain"}
  assert all(us > 0 for way in ways.values() for us in way.values())
  assert list(traces.rglob("*.xplane.pb"))


WRONG = """
import importlib
from absl import app
import jaxgemm
right = jaxgemm.%(name)s
jaxgemm.%(name)s = lambda *arrays, **options: 1.05 * right(*arrays, **options)
app.run(importlib.import_module("benchmarks.%(command)s").main)
"""


@pytest.mark.parametrize("command, name, flags, found", [
    ("__main__", "matmul", ["--cases=tiny", "--dtypes=bfloat16", "--threads=0"],
     ["WRONG: 32x32x32 bfloat16 jaxgemm: error", "WRONG: 17x33x65 bfloat16"]),
    ("__main__", "matmul", ["--cases=overhead", "--dtypes=float32", "--threads=0"],
     [f"WRONG: overhead 32x32x32 float32 {way}: error"
      for way in ("dispatch", "loop", "chain")]),
    ("grouped", "ragged_dot", ["--shape=60x24x16", "--groups=5", "--routings=mild",
                               "--dtypes=float32", "--min_rounds=3"],
     ["WRONG: float32 G 5 mild forward: out has error", "d_rhs has error"]),
])
def test_a_wrong_result_is_named_and_fails_the_command(command, name, flags, found):
  program = WRONG % {"command": command, "name": name}
  done = subprocess.run(
      [sys.executable, "-c", program, "--min_seconds=0", *flags],
      cwd=ROOT, text=True, capture_output=True)
  assert done.returncode == 1, done.stderr
  for line in found:
    assert line in done.stdout


def test_a_wrong_chunked_product_fails_its_command(monkeypatch, capfd):
  small = ["--rows=256", "--k=32", "--n=16", "--chunks=2", "--rounds=3",
           "--pause_us=1"]
  assert chunked_cpu.main(small) == 0
  right = jaxgemm.chunked_matmul
  monkeypatch.setattr(jaxgemm, "chunked_matmul",
                      lambda *arrays, **options: 1.05 * right(*arrays, **options))
  assert chunked_cpu.main(small) == 1
  printed = capfd.readouterr()
  assert "WRONG: copy: error" in printed.out and "WRONG: paced: error" in printed.out
  assert "s] paced: 3 rounds of together, producer alone" in printed.err


def test_progress_repeats_a_step_that_lasts(capsys):
  said = ""
  with progress.shown(interval=0.01):
    progress.doing("case 1")
    progress.within("round 2")
    for _ in range(6000):
      said += capsys.readouterr().err
      if "still" in said:
        break
      time.sleep(0.01)
  assert "s] case 1\n" in said and "s] still: case 1: round 2\n" in said


def test_the_command_lists_cases_and_refuses_unknown_ones():
  assert "512x512x8192" in bench("--list").stdout
  done = bench("--cases=dens")
  assert done.returncode != 0
  assert "No set of cases is named 'dens'" in done.stdout + done.stderr


@pytest.mark.parametrize("name", shapes.DENSE_SETS)
def test_sets_are_well_formed(name):
  for case in shapes.cases(name):
    assert min(case.m, case.n, case.k) >= 1
    assert case.gate is None or case.gate in shapes.gates()


def test_candidates_take_turns_on_inputs_of_their_own():
  seen = {"a": [], "b": []}
  functions = {name: seen[name].append for name in seen}
  inputs = [(i,) for i in range(timing.input_sets(1 << 30, 2))]
  assert len(inputs) == 3
  measured = timing.interleave(
      functions, inputs, min_seconds=0, min_rounds=12, sample_seconds=0
  )
  assert measured.rounds == 12
  a, b = (seen[name][3:] for name in "ab")  # after the warm-up calls
  assert all(x != y for x, y in zip(a, b))
  assert sorted(a) == sorted(b) == [0] * 4 + [1] * 4 + [2] * 4


def test_gates_hold_each_ratio_or_their_mean():
  def row(gate, m, ratio):
    candidates = {"xla": {}, "jaxgemm": {"ratio": {"median": ratio}}}
    return {"gate": gate, "m": m, "n": 1, "k": 1, "candidates": candidates}

  results = report.gate_results([
      row("bf16", 1, 2.5), row("bf16", 2, 1.5), row("f32", 1, 0.9),
      row("f32", 2, 1.1), row(None, 3, 0.1),
  ])
  assert [(r["gate"], r["ok"]) for r in results] == [
      ("bf16", True), ("bf16", False), ("f32", True)
  ]
  assert results[2]["ratio"] == pytest.approx((0.9 * 1.1) ** 0.5)


def test_random_products_are_timed_checked_and_counted(tmp_path):
  path = tmp_path / "random.json"
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks.random_cpu", "--count=6", "--most=200",
       "--seed=1", "--min_seconds=0.01", f"--json={path}"],
      cwd=ROOT, text=True, capture_output=True, check=False)
  assert done.returncode == 0, done.stderr
  result = json.loads(path.read_text())
  assert len(result["rows"]) == 6 == result["summary"]["all"]["products"]
  for row in result["rows"]:
    assert row["label"] in done.stdout
    assert row["microseconds"]["xla"] > 0 and row["microseconds"]["jaxgemm"] > 0
    assert row["errors"]["jaxgemm"] <= row["error_at_most"]
