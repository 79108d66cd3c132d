"""The model that ranks the plan's candidates on AMD GPUs, compared with the emulator's clock."""

import pytest

from benchmarks import cases
from benchmarks.amd import plan


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("problem, chosen", [
    ((32, 2048, 16384), "stream_k"), ((4096, 4096, 512), "persistent")])
def test_the_plan_takes_what_the_clock_takes(arch, problem, chosen):
  row = plan.row(arch, problem, most=4)
  assert chosen in row["chosen"] and row["regret"] < 0.1
  assert 0.7 < row["clock"] / row["planned"] < 1.4


def test_markdown():
  row = {"arch": "gfx942", "problem": (1, 2, 3), "chosen": "mine", "planned": 1.0, "clock": 2.0,
         "best": "other", "least": 1.6, "regret": 0.25, "correlation": 0.5}
  text = plan.markdown([row, row | {"regret": 0.75}])
  assert "| gfx942 | 1 x 2 x 3 | mine | 1.0 | 2.0 | other | 1.6 | 25% | 0.50 |" in text
  assert "median 50%, mean 50%, largest 75%" in text and "no time is measured" in text


def test_markdown_of_the_comparison_with_triton():
  row = {"arch": "gfx942", "kind": "dense", "problem": [1, 2, 3], "groups": 1, "chosen": "mine",
         "ours": 2.0, "triton_tile": "16x64", "triton": 1.0, "ratio": 2.0, "ratio_256": 0.5}
  grouped = row | {"kind": "grouped", "groups": 4}
  text = plan.triton_markdown([row, row | {"ratio": 0.5}, grouped])
  assert "| gfx942 | 2 dense | 50% | 50% | 1.00 | 2.00 | 100% | 0.50 |" in text
  assert "| 1 x 2 x 3 | mine | 2.0 | 16x64 | 1.0 | 2.00 |" in text
  assert "| 4 of 1 x 2 x 3 | mine |" in text
  assert "so Triton's choice is perfect" in " ".join(text.split())


def test_the_products_are_those_of_shapes_json():
  found = cases.mnk("amd")
  assert len(found) == 22 and (8192, 8192, 8192) in found and (8, 4096, 4096) in found
  assert (4096, 1536, 7168) in cases.mnk("layers")
