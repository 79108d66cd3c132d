"""Plans of random products on AMD chips, beside the roofline."""

import itertools

import numpy as np
import pytest

from benchmarks import cases
from jaxgemm import _ffi

CHIPS = [name for name, (target, _) in _ffi.NAMES["chips"].items()
         if target in ("gfx942", "gfx950")]
# The part of the bandwidth that a kernel can use, by the plan's model (memory_share).
MODELLED_SHARE = 0.78
LAUNCH_US = 5
# Multiply-adds of 16-bit elements in a cycle of a CU (AMD's data sheets).
MACS = {"gfx942": 1024, "gfx950": 2048}


def roofline_us(chip, problem):
  """The least microseconds of the multiplications, and of the bytes."""
  target, cus = _ffi.NAMES["chips"][chip]
  mhz, gb_per_s = _ffi.NAMES["rates"][chip]
  m, n, k = (problem[size] for size in "mnk")
  # Each row may choose another expert, so at most m of them are read.
  weights = min(problem.get("groups", 1), m)
  return (m * n * k / (cus * MACS[target] * mhz),
          2 * (m * k + weights * k * n + m * n) / gb_per_s / 1e3)


def problems():
  draw = cases.Draw(5, multiple=8, odd=0, other_dtypes=0, layers=0.5)
  for each in itertools.islice(cases.random(draw), 30):
    yield {"m": each.m, "n": each.n, "k": each.k}
  rng = np.random.default_rng(5)
  for each in (cases.random_grouped(rng) for _ in range(8)):
    yield {"m": each.m, "n": each.n, "k": each.k, "ragged": "m", "groups": each.groups,
           "local_groups": each.groups}


@pytest.mark.parametrize("chip", CHIPS)
def test_random_products_are_planned_on_every_chip(chip):
  for problem in problems():
    planned = _ffi.native.plan(
        {"lhs_contracting": 1, "rhs_contracting": 0,
         **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), "bfloat16")} | problem,
        {}, chip, 0)
    times = [each["predicted_us"] for each in planned["candidates"]]
    compute, memory = roofline_us(chip, problem)
    # A prediction is never below the roofline, and only the margin of cuts is above the best.
    assert times[0] >= LAUNCH_US + max(compute, memory / MODELLED_SHARE)
    assert times[0] <= 1.0501 * min(times)


def test_the_roofline_of_a_known_product():
  compute, memory = roofline_us("MI300X", {"m": 8192, "n": 8192, "k": 8192})
  assert compute == pytest.approx(2 * 8192**3 / 1307.4e6, rel=1e-3)  # AMD: 1307.4 TFLOP/s
  assert memory == pytest.approx(3 * 2 * 8192**2 / 5.3e6)
  # 4 rows choose at most 4 of 64 experts.
  memory = roofline_us("MI325X", {"m": 4, "n": 64, "k": 64, "groups": 64})[1]
  assert memory == pytest.approx(2 * (2 * 4 * 64 + 4 * 64 * 64) / 6e6)
