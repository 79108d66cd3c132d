"""The kernels for few rows and weights of 4 bits (ffi/weights/few_rows_amd.h), against float64."""

import ml_dtypes
import numpy as np
import pytest

from jaxgemm import _ffi, emulator

ARCHS = ["gfx942", "gfx950"]
DTYPES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
VALUES = {"float4_e2m1fn": np.concatenate([E2M1, -E2M1]),
          "int4": np.concatenate([np.arange(8), np.arange(-8, 0)])}
THREADS, STEP = 512, 32


def scales_of(rng, kind, shape):
  """(what the kernel reads, its values)."""
  if kind == "int4":
    scales = rng.uniform(0.5, 2, shape).astype(np.float32)
    return scales, scales.astype(np.float64)
  scales = rng.integers(120, 132, shape).astype(np.uint8)
  return scales, 2.0 ** (scales.astype(int) - 127)


def launch(arch, dtype, kind, form, x, packed, scales, out, sizes, offset, indices, options=None):
  rows, n = out.shape[-2:]
  groups, k, _ = packed.shape
  parts = out.shape[0] if out.ndim == 3 else 1
  tiles = 2 * -(-n // 256)
  arrays = {"x": x, "weights": packed, "scales": scales, "sizes": sizes, "offset": offset,
            "indices": indices, "out": out}
  integers = (rows, len(x), k, n, 0 if sizes is None else len(sizes), groups,
              k // STEP // scales.shape[1], tiles, parts, out.dtype == np.float32)
  emulator.launch(
      (_ffi.KERNEL_FOLDER / arch / "few_rows.hsaco").read_bytes(),
      f"jaxgemm_few_rows_{dtype}_{kind}_{form}",
      emulator.pack_arguments(*(np.uint64(0) if a is None else a for a in arrays.values()),
                              *map(np.int32, integers)),
      grid=tiles * parts * min(groups, rows), block=THREADS, arch=arch,
      buffers={name: a for name, a in arrays.items() if a is not None}, options=options)


def check(rng, arch, dtype, kind, form, rows, k, n, *, block=STEP, parts=1, wide=False,
          sizes=None, groups=1, offset=None, lines=None):
  """Compares a product; with `lines`, of rows that are gathered from so many."""
  x = rng.standard_normal((lines or rows, k)).astype(DTYPES[dtype])
  nibbles = rng.integers(0, 16, (groups, k, n)).astype(np.uint8)
  scales, factors = scales_of(rng, kind, (groups, k // block, n))
  weights = VALUES[kind][nibbles] * np.repeat(factors, block, axis=1)
  out = np.full((parts, rows, n) if parts > 1 else (rows, n), np.nan,
                np.float32 if wide or parts > 1 else x.dtype)
  indices = None if lines is None else rng.integers(-1, lines + 1, rows).astype(np.int32)
  launch(arch, dtype, kind, form, x, nibbles[..., ::2] | nibbles[..., 1::2] << 4, scales, out,
         None if sizes is None else np.array(sizes, np.int32),
         None if offset is None else np.array([offset], np.int32), indices)
  taken = x.astype(np.float64)
  if indices is not None:
    inside = (indices >= 0) & (indices < lines)
    taken = np.where(inside[:, None], taken[np.clip(indices, 0, lines - 1)], 0)
  wanted, magnitude = np.zeros((2, rows, n))
  ends = np.minimum(np.cumsum([rows] if sizes is None else np.maximum(sizes, 0)), rows)
  for group in range(len(ends)):
    if 0 <= (local := group - (offset or 0)) < groups:
      of_group = slice(ends[group - 1] if group else 0, ends[group])
      wanted[of_group] = taken[of_group] @ weights[local]
      magnitude[of_group] = abs(taken[of_group]) @ abs(weights[local])
  rounding = {"bfloat16": 2.0**-8, "float16": 2.0**-11}[dtype] if out.dtype == x.dtype else 0
  given = out.astype(np.float64).sum(0) if parts > 1 else out.astype(np.float64)
  assert np.all(abs(given - wanted) <= rounding * abs(wanted) + 1e-6 * magnitude)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", VALUES)
def test_dense(rng, arch, dtype, kind):
  check(rng, arch, dtype, kind, 0, 5, 256, 160)
  check(rng, arch, dtype, kind, 0, 1, 32, 32)
  check(rng, arch, dtype, kind, 0, 13, 2400, 96, parts=3)
  check(rng, arch, dtype, kind, 1, 40, 640, 288, wide=True, block=STEP if kind != "int4" else 128)
  check(rng, arch, dtype, kind, 2, 61, 288, 128)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", VALUES)
def test_grouped(rng, arch, dtype, kind):
  """Empty groups, groups of several blocks of rows, rows of no group, sizes beyond all rows."""
  check(rng, arch, dtype, kind, 0, 37, 320, 96, sizes=[0, 20, 0, 3, 9, 40], groups=3, offset=1,
        lines=11, parts=2)
  check(rng, arch, dtype, kind, 1, 37, 96, 288, sizes=[0, 0, 12, 3], groups=4, lines=50)
  check(rng, arch, dtype, kind, 0, 9, 64, 32, sizes=[2, -5, 0, 3], groups=2, offset=9)
  sizes = rng.integers(0, 2, 150)
  check(rng, arch, dtype, kind, 2, 60, 64, 32, sizes=sizes, groups=140, offset=7)


@pytest.mark.parametrize("arch", ARCHS)
def test_rows_of_no_group_are_not_multiplied(rng, arch):
  """NaN in x, and in scales of groups without rows, does not reach the result."""
  x = rng.standard_normal((6, 64)).astype(ml_dtypes.bfloat16)
  x[4:] = np.nan
  packed = rng.integers(0, 256, (2, 64, 16)).astype(np.uint8)
  scales = np.full((2, 2, 32), np.nan, np.float32)
  scales[1] = 1
  out = np.full((6, 32), np.nan, np.float32)
  launch(arch, "bfloat16", "int4", 0, x, packed, scales, out, np.array([0, 4], np.int32), None,
         None)
  values = VALUES["int4"][np.stack([packed[1] & 15, packed[1] >> 4], -1)].reshape(64, 32)
  np.testing.assert_allclose(out[:4], x[:4].astype(np.float64) @ values, rtol=1e-4, atol=1e-3)
  assert not out[4:].any()


@pytest.mark.parametrize("arch", ARCHS)
def test_every_value_and_scale(arch):
  """A row of ones picks each value; the scales reach from the smallest to the largest."""
  for kind, values in VALUES.items():
    nibbles = np.zeros((1, 32, 512), np.uint8)
    nibbles[0, 7] = np.arange(512) % 16
    x = np.zeros((1, 32), ml_dtypes.bfloat16)
    x[0, 7] = 1
    exponents = np.arange(512) // 16 * 8 - 124
    scales = np.exp2(exponents.astype(np.float32))
    if kind != "int4":
      scales = (exponents + 127).astype(np.uint8)
    out = np.full((1, 512), np.nan, np.float32)
    launch(arch, "bfloat16", kind, 0, x, nibbles[..., ::2] | nibbles[..., 1::2] << 4,
           scales.reshape(1, 1, 512), out, None, None, None)
    np.testing.assert_allclose(out[0], values[nibbles[0, 7]] * 2.0**exponents, rtol=1e-6)
