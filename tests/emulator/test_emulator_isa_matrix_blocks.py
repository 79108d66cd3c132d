"""Matrix instructions of several blocks, of float64, with a sparse A, and with cbsz, abid and blgp.

The layouts are those of AMD's matrix instruction calculator, written out here once more.
"""

import functools
import math

import ml_dtypes
import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.emulator_isa import ARCHS

BF16, F16, F32, F64, I8 = ml_dtypes.bfloat16, np.float16, np.float32, np.float64, np.int8
FNUZ = {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz}
OCP = {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2}
FP6 = {2: ml_dtypes.float6_e2m3fn, 3: ml_dtypes.float6_e3m2fn}
RNG = np.random.default_rng()

# The name on gfx90a, that on gfx942 and gfx950 (empty: they have none), M = N, K, blocks, type.
BLOCKS = [
  ("v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, F32),
  ("v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, F32),
  ("v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, F32),
  ("v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, F16),
  ("v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, F16),
  ("v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, F16),
  ("v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", 32, 4, 2, BF16),
  ("v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, BF16),
  ("v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 16, BF16),
  ("v_mfma_f32_32x32x2bf16", "", 32, 2, 2, BF16),
  ("v_mfma_f32_16x16x2bf16", "", 16, 2, 4, BF16),
  ("v_mfma_f32_4x4x2bf16", "", 4, 2, 16, BF16),
  ("v_mfma_f32_32x32x4bf16", "", 32, 4, 1, BF16),
  ("v_mfma_f32_16x16x8bf16", "", 16, 8, 1, BF16),
  ("v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", 32, 4, 2, I8),
  ("v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, I8),
  ("v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", 4, 4, 16, I8),
  ("v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 16, 4, 1, F64),
  ("v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, F64),
]
CASES = [
  (arch, name, *row[2:])
  for row in BLOCKS
  for arch, name in zip(ARCHS, (row[1], row[1], row[0]))
  if name
]
# Name, M = N, K, types of A and B; on gfx942 and gfx950, and on gfx950 alone.
SPARSE = [
  (f"v_smfmac_{out}_{shape}_{kind}", m, k * (2 if t == I8 else 1), t, t)
  for out, kind, t in (("f32", "f16", F16), ("f32", "bf16", BF16), ("i32", "i8", I8))
  for m, k in ((16, 32), (32, 16))
  for shape in (f"{m}x{m}x{k * (2 if t == I8 else 1)}",)
]
SPARSE_GFX950 = [(name.replace(f"x{k}_", f"x{2 * k}_"), m, 2 * k, a, b)
                 for name, m, k, a, b in SPARSE]


def float8(types: dict, twice: int) -> list:
  return [(f"v_smfmac_f32_{m}x{m}x{k * twice}_{a}_{b}", m, k * twice, types[a], types[b])
          for m, k in ((16, 64), (32, 32)) for a in types for b in types]


SPARSE_CASES = [("gfx942", *row) for row in SPARSE + float8(FNUZ, 1)] + [
  ("gfx950", *row) for row in SPARSE + SPARSE_GFX950 + float8(OCP, 1) + float8(OCP, 2)]


def ints(shape, kind):
  return RNG.integers(-3, 4, shape).astype(kind)


def lane_of_b(lane: int, blgp: int) -> int:
  if blgp < 4:
    return (lane, lane % 32, lane % 32 + 32, (lane + 16) % 64)[blgp]
  return lane % 16 + 16 * (blgp - 4)


@functools.cache
def lanes_of_inputs(blocks: int, m: int, k: int) -> tuple[np.ndarray, np.ndarray]:
  """The lane of each A[block, i, k], and its place among the lane's elements."""
  b, i, at = np.indices((blocks, m, k))
  per_lane = m * k * blocks // 64
  return i + m * (b + blocks * (at // per_lane)), at % per_lane


def inputs(matrix: np.ndarray) -> np.ndarray:
  """A [block, i, k] (or B transposed) as uint32 [register, lane]."""
  elements = np.zeros((64, matrix.size // 64), matrix.dtype)
  elements[lanes_of_inputs(*matrix.shape)] = matrix
  return np.ascontiguousarray(elements.view(np.uint32).T)


@functools.cache
def places(blocks: int, m: int, wide: bool) -> tuple[np.ndarray, np.ndarray]:
  """Register (pair) and lane of each element of D."""
  b, i, j = np.indices((blocks, m, m))
  height, rows = 1 if wide else 4, 64 // m
  shared = math.ceil(64 / (m * m // height))
  register = b * (m * m // 64) + i // (height * rows) * height + i % height
  return register, b % shared * m + i // height % rows * shared * m + j


def sums_to_registers(c: np.ndarray) -> np.ndarray:
  blocks, m, _ = c.shape
  words = c.itemsize // 4
  out = np.zeros((max(m * m * blocks // 64, 1), 64), c.dtype)
  out[places(blocks, m, words == 2)] = c
  return out.view(np.uint32).reshape(len(out), 64, words).swapaxes(1, 2).reshape(-1, 64)


def registers_to_sums(registers: np.ndarray, like: np.ndarray) -> np.ndarray:
  blocks, m, _ = like.shape
  words = like.itemsize // 4
  flat = np.ascontiguousarray(registers.reshape(-1, words, 64).swapaxes(1, 2))
  values = flat.view(like.dtype).reshape(-1, 64)
  return values[places(blocks, m, words == 2)]


def operand(first: int, count: int, bank="v") -> str:
  return f"{bank}{first}" if count == 1 else f"{bank}[{first}:{first + count - 1}]"


def multiply(arch, name, a, b, c, suffix="", bank="v", constant=None):
  """D of the instruction with C and D from register 64 on; A from 0, B from 16."""
  left, right, sums = inputs(a), inputs(b.swapaxes(1, 2)), sums_to_registers(c)
  base = 64 + 256 * (bank == "a")
  d = operand(64, len(sums), bank)
  source = (f"{name} {d}, {operand(0, len(left))}, {operand(16, len(right))}, "
            f"{d if constant is None else constant} {suffix}")
  values = dict(enumerate(left)) | {16 + i: x for i, x in enumerate(right)}
  values |= {base + i: x for i, x in enumerate(sums)}
  got = isa.run(arch, source, v=values, exec_mask=5)
  return registers_to_sums(got.v[base : base + len(sums)], c)


def sum_type(kind):
  return {I8: np.int32, F64: F64}.get(kind, F32)


@pytest.mark.parametrize("arch, name, m, k, blocks, kind", CASES)
def test_blocks(arch, name, m, k, blocks, kind):
  """D = A B + C for each block; a constant C; accumulation registers."""
  a, b = ints((blocks, m, k), kind), ints((blocks, k, m), kind)
  c = ints((blocks, m, m), sum_type(kind))
  product = a.astype(F64) @ b.astype(F64)
  for bank in "va":
    assert (multiply(arch, name, a, b, c, bank=bank) == product + c).all()
  constant = 3 if kind == I8 else 2.0
  assert (multiply(arch, name, a, b, c, constant=constant) == product + constant).all()


@pytest.mark.parametrize("arch, name, m, k, blocks, kind",
                         [case for case in CASES if case[5] in (F32, F64)])
def test_fused_sums_in_order(arch, name, m, k, blocks, kind):
  a, b = (RNG.standard_normal(s).astype(kind) for s in ((blocks, m, k), (blocks, k, m)))
  c = RNG.standard_normal((blocks, m, m)).astype(kind)
  expected = c
  for at in range(k):
    wide = np.longdouble if kind == F64 else F64
    term = a[:, :, at, None].astype(wide) * b[:, None, at].astype(wide)
    expected = (expected.astype(wide) + term).astype(kind)
  # A product of two float64 has more bits than a long double.
  tolerance = 4e-16 if kind == F64 else 0
  np.testing.assert_allclose(multiply(arch, name, a, b, c), expected, tolerance, tolerance)


@pytest.mark.whole(unless=lambda arch: arch != "gfx950")
@pytest.mark.parametrize("arch, name, m, k, blocks, kind",
                         [case for case in CASES if case[4] > 1 and case[5] != F64])
def test_broadcast_and_permutation(arch, name, m, k, blocks, kind):
  """cbsz and abid broadcast a block of A, blgp permutes the lanes of B."""
  a, b = ints((blocks, m, k), kind), ints((blocks, k, m), kind)
  c = ints((blocks, m, m), sum_type(kind))
  for cbsz in range(1, blocks.bit_length()):
    abid = int(RNG.integers(0, 1 << cbsz))
    of_a = [(block >> cbsz << cbsz) + abid for block in range(blocks)]
    expected = a[of_a].astype(F64) @ b.astype(F64) + c
    assert (multiply(arch, name, a, b, c, f"cbsz:{cbsz} abid:{abid}") == expected).all()
  lanes = inputs(b.swapaxes(1, 2))
  for blgp in range(1, 8):
    moved = lanes[:, [lane_of_b(lane, blgp) for lane in range(64)]]
    elements = np.ascontiguousarray(moved.T).view(kind)
    other = elements[lanes_of_inputs(blocks, m, k)].swapaxes(1, 2)
    expected = a.astype(F64) @ other.astype(F64) + c
    assert (multiply(arch, name, a, b, c, f"blgp:{blgp}") == expected).all()
  for suffix in (f"cbsz:{blocks.bit_length()}", "cbsz:1 abid:2"):
    with pytest.raises(isa.StepError, match=f"cbsz or abid.*{name}"):
      multiply(arch, name, a, b, c, suffix)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("name, m, blocks", [("v_mfma_f64_16x16x4_f64", 16, 1),
                                             ("v_mfma_f64_4x4x4_4b_f64", 4, 4)])
def test_negated_float64(arch, name, m, blocks):
  a, b, c = ints((blocks, m, 4), F64), ints((blocks, 4, m), F64), ints((blocks, m, m), F64)
  for bits in range(8):
    of_a, of_b, of_c = (-1 if bits >> i & 1 else 1 for i in range(3))
    got = multiply(arch, name, a, b, c, f"neg:[{bits & 1},{bits >> 1 & 1},{bits >> 2}]")
    assert (got == of_a * of_b * (a @ b) + of_c * c).all()


@pytest.mark.parametrize("arch, name", [
  ("gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] blgp:1"),
  ("gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1"),
  ("gfx90a", "v_mfma_f64_4x4x4f64 v[0:1], v[4:5], v[6:7], v[0:1] blgp:1"),
  ("gfx942", "v_smfmac_f32_16x16x64_fp8_fp8 v[0:3], v[4:5], v[6:9], v10 abid:2"),
])
def test_modifiers_that_are_not_there_are_refused_by_name(arch, name):
  with pytest.raises(isa.StepError, match=name.split()[0]):
    isa.run(arch, name)


@pytest.mark.parametrize("arch, name, m, k, left, right", SPARSE_CASES)
def test_sparse(arch, name, m, k, left, right):
  """Of each four k of A two are stored; cbsz and abid select their indices."""
  groups, per_lane = 64 // m, k * m // 64
  stored = ints((1, m, k // 2), left)
  b = ints((1, k, m), right)
  b[0, 0, 0] = 3  # a value that must not meet a zero: infinity times 0
  kind = sum_type(left)
  c = ints((1, m, m), kind)
  pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
  chosen = pairs[RNG.integers(0, 6, (m, k // 4))]
  dense = np.zeros((m, k))
  for i in range(m):
    for q in range(k // 4):
      dense[i, 4 * q + chosen[i, q]] = stored[0, i, 2 * q : 2 * q + 2].astype(F64)
  expected = dense @ b[0].astype(F64) + c[0]
  bits = per_lane  # of the indices of a lane: two for each of per_lane / 2 elements
  parts = 32 // bits
  for suffix, part in [("", 0), *((f"abid:{p}", p) for p in range(1, parts)), ("cbsz:1", 0)]:
    indices = RNG.integers(0, 2**32, 64, np.uint32)  # the other parts are not read
    for group in range(groups):
      for i in range(m):
        word = int(indices[i + m * group])
        for e in range(per_lane // 2):
          at = group * (per_lane // 2) + e
          shift = part * bits + 2 * e
          word = word & ~(3 << shift) | int(chosen[i, at // 2, at % 2]) << shift
        indices[i + m * group] = word
    left_words, right_words = inputs(stored), inputs(b.swapaxes(1, 2))
    sums = sums_to_registers(c)
    values = dict(enumerate(left_words)) | {16 + i: x for i, x in enumerate(right_words)}
    values |= {64 + i: x for i, x in enumerate(sums)} | {60: indices}
    source = (f"{name} {operand(64, len(sums))}, {operand(0, len(left_words))}, "
              f"{operand(16, len(right_words))}, v60 {suffix}")
    got = isa.run(arch, source, v=values).v[64 : 64 + len(sums)]
    assert (registers_to_sums(got, c)[0] == expected).all(), suffix


def six_bits(matrix: np.ndarray) -> dict[int, np.ndarray]:
  """[m, k] as registers: a lane holds 32 consecutive k, of 6 bits each."""
  m, k = matrix.shape
  codes = matrix.view(np.uint8).reshape(m, k // 32, 32).swapaxes(0, 1).reshape(64, 32)
  words = np.zeros((64, 6), np.uint32)
  for lane in range(64):
    value = sum(int(code) << 6 * i for i, code in enumerate(codes[lane]))
    words[lane] = [value >> 32 * i & 0xFFFFFFFF for i in range(6)]
  return {i: words[:, i].copy() for i in range(6)}


@pytest.mark.parametrize("shape, m, k", [("16x16x128", 16, 128), ("32x32x64", 32, 64)])
@pytest.mark.parametrize("left", FP6)
@pytest.mark.parametrize("right", FP6)
def test_floats_of_six_bits(shape, m, k, left, right):
  a, b = ints((m, k), FP6[left]), ints((k, m), FP6[right])
  c = ints((1, m, m), F32)
  sums = sums_to_registers(c)
  values = six_bits(a) | {16 + i: x for i, x in six_bits(np.ascontiguousarray(b.T)).items()}
  values |= {64 + i: x for i, x in enumerate(sums)}
  d = operand(64, len(sums))
  got = isa.run("gfx950", f"v_mfma_f32_{shape}_f8f6f4 {d}, v[0:5], v[16:21], {d} "
                f"cbsz:{left} blgp:{right}", v=values).v[64 : 64 + len(sums)]
  assert (registers_to_sums(got, c)[0] == a.astype(F64) @ b.astype(F64) + c[0]).all()
