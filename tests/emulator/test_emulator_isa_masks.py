"""Carries, compares, selects and packed integers, against the ISA manuals."""

import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.emulator_isa import EXEC, VCC
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
  s16,
  s32,
  s64,
)

CARRY = {
  "v_add_co_u32": lambda a, b, c: a + b,
  "v_sub_co_u32": lambda a, b, c: a - b,
  "v_subrev_co_u32": lambda a, b, c: b - a,
  "v_addc_co_u32": lambda a, b, c: a + b + c,
  "v_subb_co_u32": lambda a, b, c: a - b - c,
  "v_subbrev_co_u32": lambda a, b, c: b - a - c,
}


@pytest.mark.parametrize("name", CARRY)
@pytest.mark.parametrize("mask", [U64, HOLES])
def test_carry(name, mask):
  carry_in = 0x0123456789ABCDEF
  takes = name in ("v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32")
  for source, out in (
    (f"{name}_e32 v9, vcc, v2, v3{', vcc' * takes}", VCC),
    (f"{name}_e64 v9, s[4:5], v2, v3{', s[6:7]' * takes}", 4),
  ):
    got = isa.run(
      "gfx942",
      source,
      v={2: A, 3: B, 9: 1},
      exec_mask=mask,
      s={VCC: (carry_in,), 6: (carry_in,)},
    )
    exact = [
      CARRY[name](int(a), int(b), carry_in >> i & 1)
      for i, (a, b) in enumerate(zip(A, B))
    ]
    expect(got.v[9], 1, exact, mask)
    assert got.s64(out) == sum(
      1 << i for i, x in enumerate(exact) if not 0 <= x <= U32 and mask >> i & 1
    )


INTEGER_CONDITIONS = {
  "f": lambda a, b: False,
  "lt": lambda a, b: a < b,
  "eq": lambda a, b: a == b,
  "le": lambda a, b: a <= b,
  "gt": lambda a, b: a > b,
  "ne": lambda a, b: a != b,
  "ge": lambda a, b: a >= b,
  "t": lambda a, b: True,
}
VALUES = {
  "i16": s16,
  "u16": lambda x: x & 0xFFFF,
  "i32": s32,
  "u32": lambda x: x,
  "i64": s64,
  "u64": lambda x: x,
}


@pytest.mark.parametrize("kind", VALUES)
def test_compare(kind):
  a, b = (A64, B64) if "64" in kind else (A, B)
  b = b.copy()
  b[::3] = a[::3]
  for name, holds in INTEGER_CONDITIONS.items():
    expected = (
      sum(
        holds(VALUES[kind](int(x)), VALUES[kind](int(y))) << i
        for i, (x, y) in enumerate(zip(a, b))
      )
      & HOLES
    )
    operands = "v[2:3], v[4:5]" if "64" in kind else "v2, v4"
    got = isa.run(
      "gfx942",
      f"v_cmp_{name}_{kind}_e32 vcc, {operands}\n"
      f"v_cmp_{name}_{kind}_e64 s[2:3], {operands}",
      v={2: a, 4: b},
      exec_mask=HOLES,
    )
    assert (got.s64(VCC), got.s64(2), got.s64(EXEC)) == (expected, expected, HOLES), (
      name
    )
    got = isa.run(
      "gfx942",
      f"v_cmpx_{name}_{kind}_e32 vcc, {operands}",
      v={2: a, 4: b},
      exec_mask=HOLES,
    )
    assert (got.s64(VCC), got.s64(EXEC)) == (expected, expected), name


def test_select():
  mask = 0xAAAA5555FFFF0000
  got = isa.run(
    "gfx942",
    "v_cndmask_b32_e32 v5, v2, v3, vcc\nv_cndmask_b32_e64 v6, v2, v3, s[2:3]\n"
    "v_cndmask_b32_e64 v7, -v2, |v3|, vcc",
    v={2: A, 3: B},
    s={VCC: (mask,), 2: (~mask & U64,)},
  )
  expect(
    got.v[5],
    0,
    [int(b if mask >> i & 1 else a) for i, (a, b) in enumerate(zip(A, B))],
  )
  expect(
    got.v[6],
    0,
    [int(a if mask >> i & 1 else b) for i, (a, b) in enumerate(zip(A, B))],
  )
  expect(
    got.v[7],
    0,
    [
      int(b) & 0x7FFFFFFF if mask >> i & 1 else int(a) ^ 0x80000000
      for i, (a, b) in enumerate(zip(A, B))
    ],
  )


PACKED = {
  "v_pk_add_u16": lambda a, b: a + b,
  "v_pk_sub_u16": lambda a, b: a - b,
  "v_pk_mul_lo_u16": lambda a, b: a * b,
  "v_pk_max_u16": max,
  "v_pk_min_u16": min,
  "v_pk_max_i16": lambda a, b: max(s16(a), s16(b)),
  "v_pk_min_i16": lambda a, b: min(s16(a), s16(b)),
  "v_pk_lshlrev_b16": lambda a, b: b << a % 16,
  "v_pk_lshrrev_b16": lambda a, b: b >> a % 16,
  "v_pk_ashrrev_i16": lambda a, b: s16(b) >> a % 16,
  "v_pk_add_i16": lambda a, b: a + b,
  "v_pk_sub_i16": lambda a, b: a - b,
}


@pytest.mark.parametrize("name", PACKED)
def test_packed(name):
  f = PACKED[name]
  half = lambda x, high: int(x) >> 16 * high & 0xFFFF
  for op_sel, op_sel_hi in (((0, 0), (1, 1)), ((1, 0), (0, 1)), ((1, 1), (0, 0))):
    modifiers = (
      f"op_sel:[{op_sel[0]},{op_sel[1]}] op_sel_hi:[{op_sel_hi[0]},{op_sel_hi[1]}]"
    )
    got = isa.run(
      "gfx942", f"{name} v9, v2, v3 {modifiers}", v={2: A, 3: B, 9: 3}, exec_mask=HOLES
    )
    expect(
      got.v[9],
      3,
      [
        f(half(a, op_sel[0]), half(b, op_sel[1])) & 0xFFFF
        | (f(half(a, op_sel_hi[0]), half(b, op_sel_hi[1])) & 0xFFFF) << 16
        for a, b in zip(A, B)
      ],
      HOLES,
    )
  if name in ("v_pk_add_i16", "v_pk_sub_i16"):
    got = isa.run("gfx942", f"{name} v9, v2, v3 clamp", v={2: A, 3: B})
    saturated = lambda a, b: min(max(f(s16(a), s16(b)), -32768), 32767) & 0xFFFF
    expect(
      got.v[9],
      0,
      [
        saturated(half(a, 0), half(b, 0)) | saturated(half(a, 1), half(b, 1)) << 16
        for a, b in zip(A, B)
      ],
    )


def test_packed_moves():
  got = isa.run(
    "gfx942",
    "v_pk_mov_b32 v[8:9], v[2:3], v[4:5] op_sel:[1,0]\n"
    "v_pk_mad_u16 v10, v2, v3, v4\nv_pk_mad_i16 v11, v2, v3, v4\n"
    "v_mad_i16 v12, v2, v3, v4",
    v={2: A64, 4: B64, 12: 0x12340000},
  )
  assert (got.v[11] == got.v[10]).all()  # the same modulo 2^16
  assert (got.v[12] == (got.v[10] & 0xFFFF | 0x12340000)).all()
  assert (got.v[8] == A64 >> np.uint64(32)).all() and (got.v[9] == C).all()
  lanes = zip(B.tolist(), A.tolist(), C.tolist())  # v2, v3 hold A64's words
  expect(
    got.v[10],
    0,
    [
      (a * b + c & 0xFFFF) | ((a >> 16) * (b >> 16) + (c >> 16) & 0xFFFF) << 16
      for a, b, c in lanes
    ],
  )
