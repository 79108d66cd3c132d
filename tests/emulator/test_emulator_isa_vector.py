"""Vector instructions on integers, against the ISA manuals."""

import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.isa_values import (
  A64,
  B64,
  HOLES,
  U32,
  U64,
  A,
  B,
  C,
  expect,
  from_top,
  s16,
  s32,
  s64,
  sign_changes,
)


def s24(x: int) -> int:
  return (x & 0xFFFFFF) - ((x & 0x800000) << 1)


def u24(x: int) -> int:
  return x & 0xFFFFFF


def med3(*x):
  return sorted(x)[1]


def perm(a: int, b: int, select: int) -> int:
  data = [(a << 32 | b) >> 8 * i & 255 for i in range(8)]

  def byte(s):
    if s >= 13:
      return 0xFF
    if s == 12:
      return 0
    return data[s] if s < 8 else 0xFF * (data[2 * s - 15] >> 7)

  return sum(byte(select >> 8 * i & 255) << 8 * i for i in range(4))


def sad(a: int, b: int, c: int, bits: int, masked: bool = False) -> int:
  mask = (1 << bits) - 1
  for i in range(0, 32, bits):
    x, y = a >> i & mask, b >> i & mask
    c += abs(x - y) if y or not masked else 0
  return c


def dot(a: int, b: int, c: int, bits: int, signed: bool) -> int:
  def value(x, i):
    x = x >> i & (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x

  return c + sum(value(a, i) * value(b, i) for i in range(0, 32, bits))


ONE = {
  "v_mov_b32_e32": lambda a: a,
  "v_not_b32_e32": lambda a: ~a,
  "v_bfrev_b32_e32": lambda a: int(f"{a:032b}"[::-1], 2),
  "v_ffbh_u32_e32": lambda a: from_top(a, 32),
  "v_ffbl_b32_e32": lambda a: (a & -a).bit_length() - 1,
  "v_ffbh_i32_e32": lambda a: sign_changes(a, 32),
  "v_sat_pk_u8_i16_e32": lambda a: (
    min(max(s16(a), 0), 255) | min(max(s16(a >> 16), 0), 255) << 8
  ),
}
TWO = {
  "v_add_u32_e32": lambda a, b: a + b,
  "v_sub_u32_e32": lambda a, b: a - b,
  "v_subrev_u32_e32": lambda a, b: b - a,
  "v_add_i32": lambda a, b: a + b,
  "v_sub_i32": lambda a, b: a - b,
  "v_mul_lo_u32": lambda a, b: a * b,
  "v_mul_hi_u32": lambda a, b: a * b >> 32,
  "v_mul_hi_i32": lambda a, b: s32(a) * s32(b) >> 32,
  "v_mul_i32_i24_e32": lambda a, b: s24(a) * s24(b),
  "v_mul_hi_i32_i24_e32": lambda a, b: s24(a) * s24(b) >> 32,
  "v_mul_u32_u24_e32": lambda a, b: u24(a) * u24(b),
  "v_mul_hi_u32_u24_e32": lambda a, b: u24(a) * u24(b) >> 32,
  "v_min_i32_e32": lambda a, b: min(s32(a), s32(b)),
  "v_max_i32_e32": lambda a, b: max(s32(a), s32(b)),
  "v_min_u32_e32": min,
  "v_max_u32_e32": max,
  "v_lshlrev_b32_e32": lambda a, b: b << a % 32,
  "v_lshrrev_b32_e32": lambda a, b: b >> a % 32,
  "v_ashrrev_i32_e32": lambda a, b: s32(b) >> a % 32,
  "v_and_b32_e32": lambda a, b: a & b,
  "v_or_b32_e32": lambda a, b: a | b,
  "v_xor_b32_e32": lambda a, b: a ^ b,
  "v_xnor_b32_e32": lambda a, b: ~(a ^ b),
  "v_bfm_b32": lambda a, b: ((1 << a % 32) - 1) << b % 32,
  "v_bcnt_u32_b32": lambda a, b: bin(a).count("1") + b,
  "v_cvt_pk_u16_u32": lambda a, b: min(a, 0xFFFF) | min(b, 0xFFFF) << 16,
  "v_cvt_pk_i16_i32": lambda a, b: (
    min(max(s32(a), -32768), 32767) & 0xFFFF
    | (min(max(s32(b), -32768), 32767) & 0xFFFF) << 16
  ),
  # 16-bit results with zeros above; VOP3-only instructions keep the upper half.
  "v_add_u16_e32": lambda a, b: a + b & 0xFFFF,
  "v_sub_u16_e32": lambda a, b: a - b & 0xFFFF,
  "v_subrev_u16_e32": lambda a, b: b - a & 0xFFFF,
  "v_mul_lo_u16_e32": lambda a, b: a * b & 0xFFFF,
  "v_lshlrev_b16_e32": lambda a, b: b << a % 16 & 0xFFFF,
  "v_lshrrev_b16_e32": lambda a, b: (b & 0xFFFF) >> a % 16,
  "v_ashrrev_i16_e32": lambda a, b: s16(b) >> a % 16 & 0xFFFF,
  "v_max_u16_e32": lambda a, b: max(a & 0xFFFF, b & 0xFFFF),
  "v_min_u16_e32": lambda a, b: min(a & 0xFFFF, b & 0xFFFF),
  "v_max_i16_e32": lambda a, b: max(s16(a), s16(b)) & 0xFFFF,
  "v_min_i16_e32": lambda a, b: min(s16(a), s16(b)) & 0xFFFF,
}
THREE = {
  "v_mad_u32_u24": lambda a, b, c: u24(a) * u24(b) + c,
  "v_mad_i32_i24": lambda a, b, c: s24(a) * s24(b) + c,
  "v_bfe_u32": lambda a, b, c: a >> b % 32 & (1 << c % 32) - 1,
  "v_bfe_i32": lambda a, b, c: (
    x := s32(a) >> b % 32 & (1 << c % 32) - 1,
    x - (1 << c % 32) if c % 32 and x >> (c % 32 - 1) else x,
  )[1],
  "v_bfi_b32": lambda a, b, c: a & b | ~a & c,
  "v_alignbit_b32": lambda a, b, c: (a << 32 | b) >> c % 32,
  "v_alignbyte_b32": lambda a, b, c: (a << 32 | b) >> 8 * (c % 4),
  "v_min3_i32": lambda *x: min(map(s32, x)),
  "v_max3_i32": lambda *x: max(map(s32, x)),
  "v_med3_i32": lambda *x: med3(*map(s32, x)),
  "v_min3_u32": lambda *x: min(x),
  "v_max3_u32": lambda *x: max(x),
  "v_med3_u32": med3,
  "v_sad_u8": lambda a, b, c: sad(a, b, c, 8),
  "v_msad_u8": lambda a, b, c: sad(a, b, c, 8, masked=True),
  "v_sad_hi_u8": lambda a, b, c: (sad(a, b, 0, 8) << 16) + c,
  "v_sad_u16": lambda a, b, c: sad(a, b, c, 16),
  "v_sad_u32": lambda a, b, c: sad(a, b, c, 32),
  "v_perm_b32": perm,
  "v_xad_u32": lambda a, b, c: (a ^ b) + c,
  "v_lshl_add_u32": lambda a, b, c: (a << b % 32) + c,
  "v_add_lshl_u32": lambda a, b, c: a + b << c % 32,
  "v_add3_u32": lambda a, b, c: a + b + c,
  "v_lshl_or_b32": lambda a, b, c: a << b % 32 | c,
  "v_and_or_b32": lambda a, b, c: a & b | c,
  "v_or3_b32": lambda a, b, c: a | b | c,
  "v_mad_u32_u16": lambda a, b, c: (a & 0xFFFF) * (b & 0xFFFF) + c,
  "v_mad_i32_i16": lambda a, b, c: s16(a) * s16(b) + c,
  "v_mad_legacy_u16": lambda a, b, c: a * b + c & 0xFFFF,
  "v_mad_legacy_i16": lambda a, b, c: a * b + c & 0xFFFF,
  "v_dot2_i32_i16": lambda a, b, c: dot(a, b, c, 16, True),
  "v_dot2_u32_u16": lambda a, b, c: dot(a, b, c, 16, False),
  "v_dot4_i32_i8": lambda a, b, c: dot(a, b, c, 8, True),
  "v_dot4_u32_u8": lambda a, b, c: dot(a, b, c, 8, False),
  "v_dot8_i32_i4": lambda a, b, c: dot(a, b, c, 4, True),
  "v_dot8_u32_u4": lambda a, b, c: dot(a, b, c, 4, False),
}


@pytest.mark.parametrize("name", [*ONE, *TWO, *THREE])
def test_lanes(name):
  function = {**ONE, **TWO, **THREE}[name]
  count = 1 if name in ONE else 2 if name in TWO else 3
  for mask in (U64, HOLES, 0):
    got = isa.run(
      "gfx942",
      f"{name} v9, {', '.join(['v2', 'v3', 'v4'][:count])}",
      v={2: A, 3: B, 4: C, 9: 77},
      exec_mask=mask,
    )
    lanes = zip(*(x.tolist() for x in (A, B, C)[:count]))
    expect(got.v[9], 77, [function(*x) for x in lanes], mask)


def test_accumulating_dots():
  source = (
    "v_dot2c_i32_i16_e32 v5, v2, v3\nv_dot4c_i32_i8_e32 v6, v2, v3\n"
    "v_dot8c_i32_i4_e32 v7, v2, v3"
  )
  got = isa.run("gfx942", source, v={2: A, 3: B, 5: C, 6: C, 7: C})
  for register, bits in ((5, 16), (6, 8), (7, 4)):
    lanes = zip(A.tolist(), B.tolist(), C.tolist())
    expect(got.v[register], 0, [dot(*x, bits, True) for x in lanes])


def test_operands():
  """A scalar register, an inline constant and a literal go to all lanes."""
  got = isa.run(
    "gfx942",
    "v_add_u32_e32 v2, s3, v1\nv_add_u32_e32 v3, -16, v1\n"
    "v_add_u32_e32 v4, 0x12345678, v1\nv_add_u32_e64 v5, v1, m0\n"
    "v_mov_b32_e32 v6, exec_lo\nv_add_u16_e32 v7, -1, v1\nv_mov_b32_e32 v8, 2.0",
    v={1: A},
    s={3: 1000, isa.M0: 7},
  )
  for register, value in ((2, 1000), (3, -16), (4, 0x12345678), (5, 7)):
    expect(got.v[register], 0, [int(a) + value for a in A])
  assert (got.v[6] == U32).all() and (got.v[8] == 0x40000000).all()
  expect(got.v[7], 0, [int(a) - 1 & 0xFFFF for a in A])
  # v_add_u16_e32 v9, -32767, v1, as LLVM's compiler writes it: with the sign extended.
  got = isa.run("gfx942", bytes.fromhex("ff02124c 0180ffff"), v={1: A})
  expect(got.v[9], 0, [int(a) - 32767 & 0xFFFF for a in A])


SATURATING = {
  "v_add_u32_e64": (lambda a, b: a + b, 0, U32),
  "v_sub_u32_e64": (lambda a, b: a - b, 0, U32),
  "v_add_i32": (lambda a, b: s32(a) + s32(b), -(2**31), 2**31 - 1),
  "v_sub_i32": (lambda a, b: s32(a) - s32(b), -(2**31), 2**31 - 1),
}


@pytest.mark.parametrize("name", SATURATING)
def test_saturating(name):
  function, low, high = SATURATING[name]
  got = isa.run("gfx942", f"{name} v9, v2, v3 clamp", v={2: A, 3: B})
  expect(
    got.v[9], 0, [min(max(function(int(a), int(b)), low), high) for a, b in zip(A, B)]
  )


def test_saturating_16():
  got = isa.run(
    "gfx942",
    "v_add_u16_e64 v5, v2, v3 clamp\nv_sub_u16_e64 v6, v2, v3 clamp\n"
    "v_add_i16 v7, v2, v3 clamp\nv_sub_i16 v8, v2, v3 clamp",
    v={2: A, 3: B, 7: 0, 8: 0},
  )
  pairs = [(int(a), int(b)) for a, b in zip(A, B)]
  expect(got.v[5], 0, [min((a & 0xFFFF) + (b & 0xFFFF), 0xFFFF) for a, b in pairs])
  expect(got.v[6], 0, [max((a & 0xFFFF) - (b & 0xFFFF), 0) for a, b in pairs])
  for register, sign in ((7, 1), (8, -1)):
    expect(
      got.v[register],
      0,
      [min(max(s16(a) + sign * s16(b), -32768), 32767) & 0xFFFF for a, b in pairs],
    )


def test_16_bit_halves():
  """op_sel selects halves; VOP3-only instructions keep the destination's other half."""
  got = isa.run(
    "gfx942",
    "v_mad_u16 v5, v2, v3, v4 op_sel:[1,0,1,0]\n"
    "v_mad_u16 v6, v2, v3, v4 op_sel:[0,1,0,1]\nv_max3_i16 v7, v2, v3, v4\n"
    "v_med3_u16 v8, v2, v3, v4\nv_min3_i16 v9, v2, v3, v4 op_sel:[1,1,1,0]\n"
    "v_min3_u16 v10, v2, v3, v4\nv_max3_u16 v11, v2, v3, v4\n"
    "v_med3_i16 v12, v2, v3, v4",
    v={2: A, 3: B, 4: C} | {r: 0xABCD1234 for r in range(5, 13)},
  )
  lanes = [tuple(int(x) for x in lane) for lane in zip(A, B, C)]
  low = lambda x: x & 0xFFFF
  expect(
    got.v[5], 0, [0xABCD0000 | low((a >> 16) * low(b) + (c >> 16)) for a, b, c in lanes]
  )
  expect(
    got.v[6], 0, [low(low(a) * (b >> 16) + low(c)) << 16 | 0x1234 for a, b, c in lanes]
  )
  expect(got.v[7], 0, [0xABCD0000 | low(max(map(s16, x))) for x in lanes])
  expect(got.v[8], 0, [0xABCD0000 | med3(*map(low, x)) for x in lanes])
  expect(got.v[9], 0, [0xABCD0000 | low(min(s16(y >> 16) for y in x)) for x in lanes])
  expect(got.v[10], 0, [0xABCD0000 | min(map(low, x)) for x in lanes])
  expect(got.v[11], 0, [0xABCD0000 | max(map(low, x)) for x in lanes])
  expect(got.v[12], 0, [0xABCD0000 | low(med3(*map(s16, x))) for x in lanes])


def test_gfx950_integers():
  got = isa.run(
    "gfx950",
    "v_bitop3_b32 v5, v2, v3, v4 bitop3:0x6c\nv_prng_b32_e32 v6, v2\n"
    "v_bitop3_b16 v7, v2, v3, v4 bitop3:0xe8",
    v={2: A, 3: B, 4: C, 7: 0x55550000},
  )

  def table(t, a, b, c):
    return sum(
      (t >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i
      for i in range(32)
    )

  lanes = [tuple(int(x) for x in lane) for lane in zip(A, B, C)]
  expect(got.v[5], 0, [table(0x6C, *x) for x in lanes])
  expect(got.v[6], 0, [a << 1 ^ (197 if a >> 31 else 0) for a, _, _ in lanes])
  expect(got.v[7], 0, [table(0xE8, *x) & 0xFFFF | 0x55550000 for x in lanes])


WIDE = {
  "v_lshlrev_b64 v[8:9], v6, v[2:3]": lambda a, b, n: a << n % 64,
  "v_lshrrev_b64 v[8:9], v6, v[2:3]": lambda a, b, n: a >> n % 64,
  "v_ashrrev_i64 v[8:9], v6, v[2:3]": lambda a, b, n: s64(a) >> n % 64,
  "v_lshl_add_u64 v[8:9], v[2:3], v6, v[4:5]": lambda a, b, n: (a << n % 8) + b,
  "v_mov_b64_e32 v[8:9], v[2:3]": lambda a, b, n: a,
  "v_mov_b64_e32 v[8:9], -2": lambda a, b, n: -2,
  "v_lshl_add_u64 v[8:9], s[2:3], 3, v[4:5]": lambda a, b, n: (0x123456789 << 3) + b,
}


@pytest.mark.parametrize("source", WIDE)
def test_wide(source):
  got = isa.run(
    "gfx942",
    source,
    v={2: A64, 4: B64, 6: C, 8: np.full(64, 5, np.uint64)},
    s={2: (0x123456789,)},
    exec_mask=HOLES,
  )
  for lane, value in enumerate(got.v64(8)):
    x = WIDE[source](int(A64[lane]), int(B64[lane]), int(C[lane])) & U64
    assert int(value) == (x if HOLES >> lane & 1 else 5)


@pytest.mark.parametrize("signed", [False, True])
def test_mad_wide(signed):
  name = "v_mad_i64_i32" if signed else "v_mad_u64_u32"
  got = isa.run(
    "gfx942",
    f"{name} v[8:9], s[2:3], v2, v3, v[4:5]",
    v={2: A, 3: B, 4: B64},
    exec_mask=HOLES,
  )
  mask = 0
  for lane in range(64):
    if not HOLES >> lane & 1:
      continue
    a, b, c = int(A[lane]), int(B[lane]), int(B64[lane])
    exact = s32(a) * s32(b) + s64(c) if signed else a * b + c
    assert int(got.v64(8)[lane]) == exact & U64
    mask |= (exact >> 64 & 1) << lane
  assert got.s64(2) == mask
