"""The suite amd_plan: plans of random products on AMD chips."""

import json
import subprocess
import sys

import pytest

from benchmarks import roofline
from jaxgemm import _ffi
from tests.support.paths import ROOT


def test_random_products_are_planned_on_every_chip(tmp_path):
  files = tmp_path / "random.json", tmp_path / "random.md"
  subprocess.run(
      [sys.executable, "-m", "benchmarks", "amd_plan", "--random=30", "--random_grouped=8",
       f"--json={files[0]}", f"--markdown={files[1]}"], cwd=ROOT, check=True)
  rows = json.loads(files[0].read_text())["rows"]
  chips = [name for name, (target, _) in _ffi.NAMES["chips"].items() if target in _ffi.ROCM_ARCHS]
  planned = {row["chip"] for row in rows}
  assert planned <= set(chips) and {"MI300X", "MI325X", "MI308X", "MI350X"} <= planned
  assert len(rows) == 38 * len(planned)
  for row in rows:
    # A prediction is never below the roofline, and only the margin of cuts is above the best.
    assert 0 < row["share"] <= row["ideal_share"] < 1
    assert row["predicted_us"] <= 1.0501 * row["best_us"]
  assert f"| MI300X | 30 dense | {1:.0%} |" in files[1].read_text()


def test_the_roofline_of_a_known_product():
  compute, memory = roofline.of_chip("MI300X", {"m": 8192, "n": 8192, "k": 8192})
  assert compute == pytest.approx(2 * 8192**3 / 1307.4e6, rel=1e-3)  # AMD: 1307.4 TFLOP/s
  assert memory == pytest.approx(3 * 2 * 8192**2 / 5.3e6)
  # 4 rows choose at most 4 of 64 experts.
  memory = roofline.of_chip("MI325X", {"m": 4, "n": 64, "k": 64, "groups": 64})[1]
  assert memory == pytest.approx(2 * (2 * 4 * 64 + 4 * 64 * 64) / 6e6)
