"""The roofline of bfloat16 products on AMD chips in microseconds, from the data sheets.

`python -m benchmarks.model.amdgpu_random` reports it; nothing is measured here.
"""

from jaxgemm import _ffi

# Multiply-adds of 16-bit elements in a cycle of a CU (AMD's data sheets).
MACS = {"gfx942": 1024, "gfx950": 2048, "gfx90a": 512}


def roofline_us(chip: str, problem: dict) -> tuple[float, float]:
  """The least time of the multiplications, and of the bytes."""
  target, cus = _ffi.NAMES["chips"][chip]
  mhz, gb_per_s = _ffi.NAMES["rates"][chip]
  m, n, k = problem["m"], problem["n"], problem["k"]
  # Each row may choose another expert, so at most m of them are read.
  weights = min(problem.get("groups", 1), m)
  return (m * n * k / (cus * MACS[target] * mhz),
          2 * (m * k + weights * k * n + m * n) / gb_per_s / 1e3)
