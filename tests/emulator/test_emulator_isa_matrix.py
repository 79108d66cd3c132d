"""The matrix instructions, against numpy: layouts, formats, special values, cycles."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from tests.emulator import emulator_isa as isa

BF16, F16, F32, I8 = ml_dtypes.bfloat16, np.float16, np.float32, np.int8
FNUZ = {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz}
OCP = {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2}
FP4 = ml_dtypes.float4_e2m1fn
# The formats of f8f6f4, by their number.
FORMATS = {0: OCP["fp8"], 1: OCP["bf8"], 4: FP4}
_RNG = np.random.default_rng(17)

# Name, M = N, K, types of A and B, cycles.
_BOTH = [
  ("v_mfma_f32_16x16x4_f32", 16, 4, F32, F32, 32),
  ("v_mfma_f32_32x32x2_f32", 32, 2, F32, F32, 64),
  ("v_mfma_f32_16x16x16_f16", 16, 16, F16, F16, 16),
  ("v_mfma_f32_32x32x8_f16", 32, 8, F16, F16, 32),
  ("v_mfma_f32_16x16x16_bf16", 16, 16, BF16, BF16, 16),
  ("v_mfma_f32_32x32x8_bf16", 32, 8, BF16, BF16, 32),
  ("v_mfma_i32_16x16x32_i8", 16, 32, I8, I8, 16),
  ("v_mfma_i32_32x32x16_i8", 32, 16, I8, I8, 32),
]
_XF32 = [
  ("v_mfma_f32_16x16x8_xf32", 16, 8, F32, F32, 16),
  ("v_mfma_f32_32x32x4_xf32", 32, 4, F32, F32, 32),
]
_GFX950 = [
  ("v_mfma_f32_16x16x32_f16", 16, 32, F16, F16, 16),
  ("v_mfma_f32_32x32x16_f16", 32, 16, F16, F16, 32),
  ("v_mfma_f32_16x16x32_bf16", 16, 32, BF16, BF16, 16),
  ("v_mfma_f32_32x32x16_bf16", 32, 16, BF16, BF16, 32),
  ("v_mfma_i32_16x16x64_i8", 16, 64, I8, I8, 16),
  ("v_mfma_i32_32x32x32_i8", 32, 32, I8, I8, 32),
]


def _float8(types: dict) -> list:
  return [
    (f"v_mfma_f32_{shape}_{a}_{b}", m, k, types[a], types[b], cycles)
    for (shape, m, k, cycles), a, b in itertools.product(
      (("16x16x32", 16, 32, 16), ("32x32x16", 32, 16, 32)), types, types
    )
  ]


def _scaled_formats() -> list:
  rows = []
  for (shape, m, k, cycles), a, b in itertools.product(
    (("16x16x128", 16, 128, 32), ("32x32x64", 32, 64, 64)), FORMATS, FORMATS
  ):
    suffix = f" cbsz:{a}" * (a > 0) + f" blgp:{b}" * (b > 0)
    cycles //= 2 if a == b == 4 else 1
    rows.append(
      (f"v_mfma_f32_{shape}_f8f6f4{suffix}", m, k, FORMATS[a], FORMATS[b], cycles)
    )
  return rows


_GFX90A = [
  ("v_mfma_f32_16x16x4f32", 16, 4, F32, F32, 32),
  ("v_mfma_f32_32x32x2f32", 32, 2, F32, F32, 64),
  ("v_mfma_f32_16x16x16f16", 16, 16, F16, F16, 32),
  ("v_mfma_f32_32x32x8f16", 32, 8, F16, F16, 64),
  ("v_mfma_f32_16x16x16bf16_1k", 16, 16, BF16, BF16, 32),
  ("v_mfma_f32_32x32x8bf16_1k", 32, 8, BF16, BF16, 64),
  ("v_mfma_i32_16x16x16i8", 16, 16, I8, I8, 32),
  ("v_mfma_i32_32x32x8i8", 32, 8, I8, I8, 64),
]
_BF16_MFMA = {
  "gfx942": "v_mfma_f32_16x16x16_bf16",
  "gfx950": "v_mfma_f32_16x16x16_bf16",
  "gfx90a": "v_mfma_f32_16x16x16bf16_1k",
}
CASES = [("gfx90a", *row) for row in _GFX90A]
CASES += [("gfx942", *row) for row in _BOTH + _XF32 + _float8(FNUZ)] + [
  ("gfx950", *row) for row in _BOTH + _GFX950 + _float8(OCP) + _scaled_formats()
]


def as_xf32(matrix: np.ndarray) -> np.ndarray:
  """The matrix rounded to 10 bits after the leading one, to nearest even."""
  mantissa, exponent = np.frexp(matrix.astype(np.float64))
  return np.ldexp(np.round(mantissa * 2**11), exponent - 11)


def lanes(matrix: np.ndarray, m: int) -> dict[int, np.ndarray]:
  """A [m, k] (or B transposed) as registers: a lane holds consecutive k of a row."""
  if matrix.dtype == FP4:  # two in a byte, the first one in the low bits
    codes = np.ascontiguousarray(matrix).view(np.uint8)
    matrix = codes[:, ::2] | codes[:, 1::2] << 4
  groups = 64 // m
  per_lane = matrix.shape[1] // groups
  block = np.ascontiguousarray(
    matrix.reshape(m, groups, per_lane).swapaxes(0, 1).reshape(64, per_lane)
  )
  words = block.view(np.uint32)
  return {i: words[:, i].copy() for i in range(words.shape[1])}


def hardware_lanes(matrix: np.ndarray, m: int) -> dict[int, np.ndarray]:
  """`lanes` in the hardware's layout: with 8 bits, a lane has 16 k of each half of k."""
  if matrix.dtype != FP4:
    halves = matrix.reshape(m, 2, 64 // m, 16)
    matrix = halves.swapaxes(1, 2).reshape(m, -1)
  return lanes(np.ascontiguousarray(matrix), m)


def row_of(register: int, lane: int, m: int) -> int:
  if m == 16:
    return 4 * (lane // 16) + register
  return 8 * (register // 4) + 4 * (lane // 32) + register % 4


def sums(matrix: np.ndarray, m: int) -> dict[int, np.ndarray]:
  """C [m, m] as registers."""
  return {
    r: np.array([matrix[row_of(r, lane, m), lane % m] for lane in range(64)])
    for r in range(m * m // 64)
  }


def product(
  arch: str, name: str, m: int, k: int, a, b, c, *, bank="v", exec_mask=2**64 - 1
):
  """Runs D = A B + C with C and D from v32 (a32) on; returns D as uint32 [m, m]."""
  mnemonic, _, suffix = name.partition(" ")
  count = m * m // 64
  left, right = lanes(a, m), lanes(np.ascontiguousarray(b.T), m)
  if (a.dtype == FP4) != (b.dtype == FP4):
    left, right = hardware_lanes(a, m), hardware_lanes(b.T, m)
  register = lambda first, n: f"[{first}:{first + n - 1}]" if n > 1 else f"{first}"
  source = (
    f"{mnemonic} {bank}{register(32, count)}, v{register(0, len(left))}, "
    f"v{register(16, len(right))}, {bank}{register(32, count)} {suffix}"
  )
  base = 32 + 256 * (bank == "a")
  inputs = left | {16 + i: x for i, x in right.items()}
  inputs |= {base + i: x for i, x in sums(c, m).items()}
  got = isa.run(arch, source, v=inputs, exec_mask=exec_mask)
  out = np.zeros((m, m), np.uint32)
  for r in range(count):
    for lane in range(64):
      out[row_of(r, lane, m), lane % m] = got.v[base + r][lane]
  return out


@pytest.mark.parametrize("arch, name, m, k, left, right, cycles", CASES)
def test_exact_on_integers(arch, name, m, k, left, right, cycles):
  """Small integers are exact in any order of summation. EXEC is ignored."""
  kind = np.int32 if "i32" in name else F32
  a = _RNG.integers(-4, 5, (m, k)).astype(left)
  b = _RNG.integers(-4, 5, (k, m)).astype(right)
  c = _RNG.integers(-100, 100, (m, m)).astype(kind)
  expected = a.astype(np.int64) @ b.astype(np.int64) + c.astype(np.int64)
  for bank, mask in (("v", 2**64 - 1), ("a", 0x5)):
    got = product(arch, name, m, k, a, b, c, bank=bank, exec_mask=mask)
    assert (got.view(kind) == expected).all()


@pytest.mark.parametrize("arch, name, m, k, left, right, cycles", CASES)
def test_sums_in_order(arch, name, m, k, left, right, cycles):
  """Float products are added in the order of k, and each sum is rounded to float32."""
  if "i32" in name:
    a, b = (_RNG.integers(-128, 128, s).astype(I8) for s in ((m, k), (k, m)))
    c = _RNG.integers(-(2**31), 2**31, (m, m)).astype(np.int32)  # wraps
    expected = a.astype(np.int64) @ b.astype(np.int64) + c
    assert (product(arch, name, m, k, a, b, c) == (expected & 0xFFFFFFFF)).all()
    return
  a = _RNG.standard_normal((m, k)).astype(left)
  b = _RNG.standard_normal((k, m)).astype(right)
  c = _RNG.standard_normal((m, m)).astype(F32)
  a[0, 0], a[1, 0] = (1 + 2**-11, 1 + 3 * 2**-11) if left == F32 else a[:2, 0]  # ties
  seen = as_xf32 if "xf32" in name else lambda x: x.astype(np.float64)
  expected = c
  for i in range(k):
    # In double the products are exact; those of float32 are fused.
    term = seen(a)[:, i, None] * seen(b)[None, i]
    expected = (expected.astype(np.float64) + term).astype(F32)
  got = product(arch, name, m, k, a, b, c).view(F32)
  assert (got == expected).all()


@pytest.mark.parametrize("shape, m, k", [("16x16x128", 16, 128), ("32x32x64", 32, 64)])
@pytest.mark.parametrize("a_format, b_format", [*itertools.product(FORMATS, FORMATS)])
@pytest.mark.parametrize("a_byte, b_byte", [(0, 0), (1, 2), (3, 1)])
def test_scales_of_blocks(shape, m, k, a_format, b_format, a_byte, b_byte):
  """Each 32 k of a row have a scale: in the block's lane, in the byte that op_sel selects."""
  a = _RNG.standard_normal((m, k)).astype(FORMATS[a_format])
  b = _RNG.standard_normal((k, m)).astype(FORMATS[b_format])
  c = _RNG.standard_normal((m, m)).astype(F32)
  # Scales that op_sel does not select would give NaN, or other results.
  words = _RNG.integers(0, 2**32, (2, k // 32, m), np.uint32)
  codes = _RNG.integers(117, 138, (2, k // 32, m)).astype(np.uint32)
  for i, byte in enumerate((a_byte, b_byte)):
    words[i] = words[i] & ~np.uint32(255 << 8 * byte) | codes[i] << 8 * byte
  of_a, of_b = (np.repeat(np.exp2(x.astype(np.float64) - 127), 32, axis=0) for x in codes)
  want = (a.astype(np.float64) * of_a.T) @ (b.astype(np.float64) * of_b) + c

  count = m * m // 64
  op_sel = lambda bit: f"[{a_byte >> bit & 1},{b_byte >> bit & 1},0]"
  left, right = hardware_lanes(a, m), hardware_lanes(b.T, m)
  source = (
    f"v_mfma_scale_f32_{shape}_f8f6f4 v[32:{31 + count}], v[0:{len(left) - 1}], "
    f"v[16:{15 + len(right)}], v[32:{31 + count}], v8, v9 "
    f"op_sel:{op_sel(0)} op_sel_hi:{op_sel(1)} cbsz:{a_format} blgp:{b_format}"
  )
  inputs = left | {16 + i: x for i, x in right.items()}
  inputs |= {32 + i: x for i, x in sums(c, m).items()}
  inputs |= {8 + i: x.reshape(64) for i, x in enumerate(words)}
  got = isa.run("gfx950", source, v=inputs)
  out = np.array([[got.v[32 + r][lane] for lane in range(64)] for r in range(count)], np.uint32)
  placed = np.zeros((m, m), F32)
  for r, lane in itertools.product(range(count), range(64)):
    placed[row_of(r, lane, m), lane % m] = out.view(F32)[r, lane]
  bound = (np.abs(a.astype(np.float64)) * of_a.T) @ (np.abs(b.astype(np.float64)) * of_b)
  assert (np.abs(placed - want) <= 2e-6 * bound + 1e-6).all()

  inputs[8] = np.full(64, 255 << 8 * a_byte, np.uint32)
  nan = isa.run("gfx950", source, v=inputs)
  assert np.isnan(np.array([nan.v[32 + r] for r in range(count)], np.uint32).view(F32)).all()


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_special_values(arch):
  """A, B and C have inf, NaN and denormals."""
  a, b, c = np.zeros((16, 16), BF16), np.zeros((16, 16), BF16), np.zeros((16, 16), F32)
  a[0, 0], b[0, :] = np.inf, 1
  a[1, 1], b[1, :] = np.nan, 1
  a[2, 2], b[2, :] = 2.0**-130, 1
  a[3, 3], b[3, :] = 2.0**-100, 2.0**-40
  c[4, :], c[5, :] = np.inf, np.uint32(3).view(F32)
  a[4, 0] = -np.inf
  got = product(arch, _BF16_MFMA[arch], 16, 16, a, b, c).view(F32)
  assert np.isposinf(got[0]).all() and np.isnan(got[1]).all() and np.isnan(got[4]).all()
  assert (got[2] == F32(2.0**-130)).all() and (got[3] == F32(2.0**-140)).all()
  assert (got[5].view(np.uint32) == 3).all()


@pytest.mark.parametrize("arch", ("gfx942", "gfx950"))
def test_all_float8_codes(arch):
  """Every code of both formats through the matrix cores."""
  for name, dtype in (FNUZ if arch == "gfx942" else OCP).items():
    codes = np.arange(256, dtype=np.uint8)
    one = np.zeros((32, 16), dtype)
    one[:16] = np.eye(16).astype(dtype)
    for half in (0, 1):
      a = np.zeros((16, 32), dtype)
      a[:, :16] = codes.reshape(16, 16).view(dtype)
      a = a if half == 0 else np.roll(a, 16, axis=1)
      b = one if half == 0 else np.roll(one, 16, axis=0)
      # inf and NaN spread along their row, so only the other rows are compared.
      got = product(
        arch,
        f"v_mfma_f32_16x16x32_{name}_{name}",
        16,
        32,
        a,
        b,
        np.zeros((16, 16), F32),
      ).view(F32)
      exact = codes.reshape(16, 16).view(dtype).astype(F32)
      finite = np.isfinite(exact).all(axis=1)
      assert (got == exact)[finite].all() and finite.sum() >= 13
      assert np.isnan(got[~finite]).any(axis=1).all()


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_constant_sums(arch):
  """C is an inline constant, and A is in accumulation registers."""
  a = _RNG.integers(-4, 5, (16, 16)).astype(BF16)
  inputs = {256 + i: x for i, x in lanes(a, 16).items()}
  inputs |= {4 + i: x for i, x in lanes(np.eye(16).astype(BF16), 16).items()}
  got = isa.run(arch, f"{_BF16_MFMA[arch]} v[8:11], a[0:1], v[4:5], 1.0", v=inputs)
  for r in range(4):
    for lane in range(64):
      assert (
        got.v[8 + r][lane : lane + 1].view(F32)
        == float(a[4 * (lane // 16) + r, lane % 16]) + 1
      )


def test_result_over_operands():
  """D may overlap A and B, because they are read first."""
  a = _RNG.integers(-4, 5, (16, 16)).astype(BF16)
  inputs = dict(lanes(a, 16)) | {
    2 + i: x for i, x in lanes(np.eye(16).astype(BF16), 16).items()
  }
  got = isa.run(
    "gfx942", "v_mfma_f32_16x16x16_bf16 v[0:3], v[0:1], v[2:3], 0", v=inputs
  )
  expected = sums(a.astype(F32), 16)
  for r in range(4):
    assert (got.v[r].view(F32) == expected[r]).all()


@pytest.mark.parametrize("arch, name, m, k, left, right, cycles", CASES)
def test_cycles(arch, name, m, k, left, right, cycles):
  """Cycles give the published peaks per cycle and compute unit (4 matrix cores)."""
  (row,) = [row for row in isa.table() if row["name"] == name.split()[0]]
  if left == right == FP4:  # half of those of 8 bits, which isa.def has; see test_emulator_clock.py
    assert row["cycles"] == 2 * cycles and 4 * 2 * m * m * k / cycles == 16384
    return
  assert row["cycles"] == cycles
  rate = 4 * 2 * m * m * k / cycles
  if left == F32:
    assert rate == (1024 if "xf32" in name else 256)
  elif arch == "gfx90a":
    assert rate == 1024
  elif (
    arch == "gfx942"
    or k * m in (16 * 16, 32 * 8, 16 * 32, 32 * 16)
    and row["opcodes"][0] >= 0
  ):
    assert rate == (2048 if np.dtype(left).itemsize == 2 else 4096)
  else:
    assert rate == (4096 if np.dtype(left).itemsize == 2 else 8192)
