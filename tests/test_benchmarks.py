"""The benchmark command, on shapes small enough to take no time."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from benchmarks import report
from benchmarks import shapes
from benchmarks import timing

ROOT = pathlib.Path(__file__).resolve().parent.parent


def bench(*flags):
  env = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
  return subprocess.run(
      [sys.executable, "-m", "benchmarks", *flags],
      cwd=ROOT, env=env, text=True, capture_output=True, timeout=300,
  )


def test_writes_speed_error_and_plan_of_both(tmp_path):
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


def test_lists_cases_and_refuses_unknown_ones():
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
