"""The benchmark of grouped products, on small shapes."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import acceptance, cases, check, grouped, run
from tests.support.environment import one_device
from tests.support.paths import ROOT


def bench(*flags):
  return subprocess.run(
      [sys.executable, "-m", "benchmarks", "grouped", *flags],
      cwd=ROOT, env=one_device(), text=True, capture_output=True,
  )


def test_the_command_writes_speed_and_errors_of_all_products(tmp_path):
  path, table = tmp_path / "out.json", tmp_path / "out.md"
  done = bench(
      "--cases=60x24x16.g1,60x24x16.g5", "--min_seconds=0", "--repeat=3",
      "--threads=1", f"--json={path}", f"--markdown={table}",
  )
  assert done.returncode == 0, done.stdout + done.stderr
  result = json.loads(path.read_text())
  assert "benchmarks grouped --cases=60x24x16.g1" in result["runs"][0]["command"]
  # There is a row for each number of groups, dtype, routing and kind of work.
  assert len(result["rows"]) == 2 * 2 * 3 * 2
  assert sum("to_balanced" in row for row in result["rows"]) == 2 * 2 * 2 * 2
  for row in result["rows"]:
    assert sum(row["sizes"]) == 60 and len(row["sizes"]) == row["groups"]
    names = ["out", "d_lhs", "d_rhs"] if "backward" in row["work"] else ["out"]
    for entry in row["candidates"].values():
      assert entry["tflops"] > 0
      assert list(entry["errors"]) == [f"{name} {of}" for name in names for of in ("norm", "max")]
      assert all(entry["errors"][f"{name} norm"] <= check.TOLERANCE[row["dtype"]] for name in names)
    if row["routing"] == "balanced":
      ratio = row["candidates"]["lax.ragged_dot"]["ratio"]
      assert ratio["q1"] <= ratio["median"] <= ratio["q3"]
    assert all(line in table.read_text() for line in run.lines(row))
  assert "Acceptance" not in done.stdout  # the bounds are for one shape


def test_products_as_layers_call_them_are_timed_beside_what_they_replace(tmp_path):
  path = tmp_path / "out.json"
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks", "grouped_calls", "--cases=64x32x48.g4", "--rounds=3",
       f"--json={path}"], cwd=ROOT, env=one_device(), text=True, capture_output=True)
  assert done.returncode == 0, done.stdout + done.stderr
  rows = json.loads(path.read_text())["rows"]
  assert [row["kind"] for row in rows] == list(grouped.KINDS)
  for row in rows:
    assert len(row["candidates"]) == (8 if row["kind"] == "layouts" else 2)
    ratios = ["ratio" in entry for entry in row["candidates"].values()]
    assert not ratios[0] and all(ratios[1:])


@pytest.mark.whole
def test_the_command_refuses_unknown_values():
  for flag in ("--routings=wild", "--cases=60x24", "--work=backward"):
    done = bench(flag)
    assert done.returncode != 0
    assert flag.partition("=")[2] in done.stdout + done.stderr


def row(work="forward", groups=8, dtype="float32", error=0.0, ratio=1.0, **peers):
  quartiles = dict.fromkeys(("median", "q1", "q3"), ratio)
  of = {name: {"ratio": dict.fromkeys(("median", "q1", "q3"), value)}
        for name, value in zip((grouped.XLA, grouped.TORCH), peers.values())}
  ours = {"errors": {"out": error}, "at_most": {"out": check.TOLERANCE[dtype]}}
  return {"section": "grouped", "case": f"g{groups}", "platform": "cpu", "gate": "grouped",
          "work": work, "groups": groups, "dtype": dtype, "routing": "mild",
          "candidates": {grouped.OURS: ours} | of} | (
              {} if peers else {"to_balanced": quartiles})


def test_gates():
  results = acceptance.bounds(
      [row(xla=6.1, torch=1.2), row(groups=32, xla=19.0),
       row(dtype="bfloat16", xla=12.5, torch=1.4), row("forward+backward", xla=5.0),
       row(ratio=1 / 1.2), row(ratio=1 / 0.8)])
  assert [(r["gate"], r["ok"]) for r in results if r["ok"] is not None] == [
      ("CPU, 8 groups, float32", True), ("CPU, 32 groups, float32", False),
      ("CPU, 8 groups, bf16", True), ("CPU, 8 groups, with gradients", True),
      ("CPU, groups over torch._grouped_mm", False), ("CPU, groups over torch._grouped_mm", True),
      ("CPU, other over balanced routing", False), ("CPU, other over balanced routing", True)]


def test_a_large_error_is_found():
  assert run.wrong([row(error=9e-6)]) == []
  for error in (2e-5, float("nan")):
    assert len(run.wrong([row(error=error)])) == 1


@pytest.mark.parametrize("routing", cases.load()["routing"])
@pytest.mark.parametrize("rows, groups", [(4096, 32), (61, 8), (3, 8), (7, 1), (0, 2)])
def test_routings_have_all_rows(rng, routing, rows, groups):
  sizes = cases.group_sizes(routing, rows, groups, rng)
  assert sizes.dtype == np.int32 and len(sizes) == groups
  assert sizes.sum() == rows and sizes.min() >= 0
  if routing == "extreme":
    assert np.count_nonzero(sizes) <= 2
