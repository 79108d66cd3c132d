"""The resource report: its arithmetic, its bounds, and the command on one kernel."""

import json
import subprocess
import sys

import pytest

from benchmarks.amd import resources
import jaxgemm
from tests.support.environment import one_device
from tests.support.paths import ROOT

KINDS = {"instructions": 192.0, "matrix": 128.0, "scalar": 64.0}


def row(conflicts=0, **changed):
  held = {
      "vgprs": 256, "agprs": 0, "sgprs": 96, "lds_bytes": 65536, "vgpr_spills": 0,
      "sgpr_spills": 0, "scratch_bytes": 0, "code_bytes": 9000, "waves_per_simd": 2,
  }
  return {
      "arch": "gfx942", "kernel": "mine", "dtypes": ["bfloat16"] * 2, "tile": [256, 256, 64],
      "layout": "rcr", "resources": held | changed, "matrix_cycles": 4096.0,
      "instructions": KINDS, "conflict_cycles": conflicts}


@pytest.mark.parametrize("arch, vgprs, lds, waves, expected", [
    ("gfx942", 256, 65536, 8, (2, 2, 2)), ("gfx942", 256, 32768, 4, (2, 2, 2)),
    ("gfx942", 257, 0, 4, (1, 8, 1)), ("gfx942", 128, 65536, 8, (4, 2, 2)),
    ("gfx942", 100, 0, 8, (4, 8, 4)), ("gfx950", 64, 65536, 4, (8, 2, 2)),
    ("gfx950", 512, 81920, 8, (1, 4, 0)), ("gfx950", 1, 1, 4, (8, 8, 8)),
])
def test_occupancy(arch, vgprs, lds, waves, expected):
  by = resources.occupancy(arch, vgprs, lds, waves)
  assert (by["by_registers"], by["by_lds"], by["waves_per_simd"]) == expected


def test_difference_is_per_tile():
  shorter = {"matrix": 10, "simd_matrix_cycles": [1, 2, 3, 4]}
  longer = {"matrix": 30, "simd_matrix_cycles": [5, 10, 3, 8]}
  assert resources.difference(longer, shorter, 4) == {
      "matrix": 5, "simd_matrix_cycles": [1, 2, 0, 1]
  }


@pytest.mark.parametrize("changed, missed", [
    ({}, set()),
    ({"vgpr_spills": 1}, {"spilled registers"}),
    ({"sgpr_spills": 2}, {"spilled registers"}),
    ({"scratch_bytes": 4}, {"scratch bytes"}),
    ({"vgprs": 264}, {"VGPRs"}),
    ({"waves_per_simd": 1}, {"waves on a SIMD"}),
    ({"conflicts": 8}, {"LDS conflict cycles"}),
])
def test_bounds(changed, missed):
  gates = resources.gates([row(**changed)])
  assert len(gates) == 5
  assert {gate["what"] for gate in gates if not gate["ok"]} == missed


def test_markdown():
  text = resources.markdown([row(vgpr_spills=3)], {"date": "today"})
  assert "| mine | 256 | 0 | 96 | 65536 | 3 + 0 | 0 | 2 | 9000 |" in text
  assert "| mine | 4096 | 0 | 192 | 128 | 64 | 0.50 |" in text
  assert "4 of 5 hold" in text
  assert "gfx950" not in text


def test_bounds_are_for_the_large_bf16_tile():
  small, half = row(), row()
  small["tile"], half["dtypes"] = [128, 128, 64], ["float16"] * 2
  assert not resources.gates([small, half])


def test_a_wrong_kernel_fails_the_report(monkeypatch):
  right = jaxgemm.dot_general
  monkeypatch.setattr(jaxgemm, "dot_general",
                      lambda *arrays, **options: 1 + right(*arrays, **options))
  name = "gemm_bfloat16_bfloat16_128x128x64_rcr"
  with pytest.raises(RuntimeError, match=f"{name} for gfx942 is wrong here"):
    resources.of_kernel("gfx942", name)


def test_command(tmp_path):
  """Runs real kernels of both architectures, whose cycles of the matrix pipe are known."""
  json_path, markdown_path = tmp_path / "out.json", tmp_path / "out.md"
  name = "gemm_bfloat16_bfloat16_256x256x64_rrr"
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks", "resources", f"--kernels={name}",
       f"--json={json_path}", f"--markdown={markdown_path}"],
      cwd=ROOT, env=one_device(), text=True, capture_output=True,
  )
  assert done.returncode == 0, done.stderr
  assert "No AMD GPU was used" in markdown_path.read_text()
  rows = {row["arch"]: row for row in json.loads(json_path.read_text())["rows"]}
  # 256 * 256 * 64 products; 2048 FLOP a cycle and CU on gfx942, 4096 on gfx950.
  for arch, matrix_cycles in (("gfx942", 4096), ("gfx950", 2048)):
    assert rows[arch]["matrix_cycles"] == matrix_cycles
    assert rows[arch]["resources"]["code_bytes"] > 1000
