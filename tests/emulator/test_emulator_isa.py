"""Single scalar instructions and branches, against the ISA manuals."""

import numpy as np
import pytest

from tests.emulator import emulator_isa as isa
from tests.emulator.emulator_isa import EXEC, VCC
from tests.emulator.isa_values import U32, U64, from_top, s32, s64, sign_changes

EDGES = (
  0,
  1,
  2,
  31,
  32,
  33,
  0x7FFFFFFF,
  0x80000000,
  0x80000001,
  0xFFFFFFFF,
  0x12345678,
  0x00080004,
  0x00200010,
)
EDGES64 = (
  0,
  1,
  0xFFFFFFFF,
  0x100000000,
  0x7FFFFFFFFFFFFFFF,
  0x8000000000000000,
  U64,
  0x123456789ABCDEF0,
)


def field(x: int, offset: int, width: int, bits: int, signed: bool) -> int:
  """`width` bits of x from bit `offset` on, sign-extended if `signed`."""
  x = ((s64(x) if bits == 64 else s32(x)) if signed else x) >> (offset % bits)
  width = min(width, bits)
  x &= (1 << width) - 1
  return x - (1 << width) if signed and width and x >> (width - 1) else x


# Result and SCC for 32-bit operands a, b and SCC c. An SCC of None means unchanged.
SCALAR = {
  "s_add_u32": lambda a, b, c: (a + b, a + b > U32),
  "s_sub_u32": lambda a, b, c: (a - b, b > a),
  "s_add_i32": lambda a, b, c: (a + b, s32(a) + s32(b) != s32(a + b)),
  "s_sub_i32": lambda a, b, c: (a - b, s32(a) - s32(b) != s32(a - b)),
  "s_addc_u32": lambda a, b, c: (a + b + c, a + b + c > U32),
  "s_subb_u32": lambda a, b, c: (a - b - c, b + c > a),
  "s_min_i32": lambda a, b, c: (min(s32(a), s32(b)), s32(a) < s32(b)),
  "s_max_i32": lambda a, b, c: (max(s32(a), s32(b)), s32(a) >= s32(b)),
  "s_min_u32": lambda a, b, c: (min(a, b), a < b),
  "s_max_u32": lambda a, b, c: (max(a, b), a >= b),
  "s_cselect_b32": lambda a, b, c: (a if c else b, None),
  "s_and_b32": lambda a, b, c: (a & b, a & b != 0),
  "s_or_b32": lambda a, b, c: (a | b, a | b != 0),
  "s_xor_b32": lambda a, b, c: (a ^ b, a ^ b != 0),
  "s_andn2_b32": lambda a, b, c: (a & ~b, a & ~b != 0),
  "s_orn2_b32": lambda a, b, c: (a | ~b, (a | ~b) & U32 != 0),
  "s_nand_b32": lambda a, b, c: (~(a & b), ~(a & b) & U32 != 0),
  "s_nor_b32": lambda a, b, c: (~(a | b), ~(a | b) & U32 != 0),
  "s_xnor_b32": lambda a, b, c: (~(a ^ b), ~(a ^ b) & U32 != 0),
  "s_lshl_b32": lambda a, b, c: (a << b % 32, (a << b % 32) & U32 != 0),
  "s_lshr_b32": lambda a, b, c: (a >> b % 32, a >> b % 32 != 0),
  "s_ashr_i32": lambda a, b, c: (s32(a) >> b % 32, s32(a) >> b % 32 != 0),
  "s_bfm_b32": lambda a, b, c: (((1 << a % 32) - 1) << b % 32, None),
  "s_mul_i32": lambda a, b, c: (a * b, None),
  "s_mul_hi_u32": lambda a, b, c: (a * b >> 32, None),
  "s_mul_hi_i32": lambda a, b, c: (s32(a) * s32(b) >> 32, None),
  "s_bfe_u32": lambda a, b, c: (x := field(a, b, b >> 16 & 127, 32, False), x != 0),
  "s_bfe_i32": lambda a, b, c: (x := field(a, b, b >> 16 & 127, 32, True), x != 0),
  "s_absdiff_i32": lambda a, b, c: (x := abs(s32(a - b)), x != 0),
  "s_lshl1_add_u32": lambda a, b, c: (2 * a + b, 2 * a + b > U32),
  "s_lshl2_add_u32": lambda a, b, c: (4 * a + b, 4 * a + b > U32),
  "s_lshl3_add_u32": lambda a, b, c: (8 * a + b, 8 * a + b > U32),
  "s_lshl4_add_u32": lambda a, b, c: (16 * a + b, 16 * a + b > U32),
  "s_pack_ll_b32_b16": lambda a, b, c: (b << 16 | a & 0xFFFF, None),
  "s_pack_lh_b32_b16": lambda a, b, c: (b & 0xFFFF0000 | a & 0xFFFF, None),
  "s_pack_hh_b32_b16": lambda a, b, c: (b & 0xFFFF0000 | a >> 16, None),
}


@pytest.mark.parametrize("name", SCALAR)
def test_scalar(name):
  for a in EDGES:
    for b in EDGES:
      for c in (0, 1):
        got = isa.run("gfx942", f"{name} s2, s3, s4", s={3: a, 4: b}, scc=c)
        value, scc = SCALAR[name](a, b, c)
        expected = (value & U32, c if scc is None else int(scc))
        assert (int(got.s[2]), got.scc) == expected, (hex(a), hex(b), c)


# The same for the operands s[4:5] and s[6:7] (s6 for shifts and bit fields).
SCALAR64 = {
  "s_cselect_b64": lambda a, b, c: (a if c else b, None),
  "s_and_b64": lambda a, b, c: (x := a & b, x != 0),
  "s_or_b64": lambda a, b, c: (x := a | b, x != 0),
  "s_xor_b64": lambda a, b, c: (x := a ^ b, x != 0),
  "s_andn2_b64": lambda a, b, c: (x := a & ~b, x != 0),
  "s_orn2_b64": lambda a, b, c: (x := (a | ~b) & U64, x != 0),
  "s_nand_b64": lambda a, b, c: (x := ~(a & b) & U64, x != 0),
  "s_nor_b64": lambda a, b, c: (x := ~(a | b) & U64, x != 0),
  "s_xnor_b64": lambda a, b, c: (x := ~(a ^ b) & U64, x != 0),
  "s_lshl_b64": lambda a, b, c: (x := a << b % 64 & U64, x != 0),
  "s_lshr_b64": lambda a, b, c: (x := a >> b % 64, x != 0),
  "s_ashr_i64": lambda a, b, c: (x := s64(a) >> b % 64, x != 0),
  "s_bfe_u64": lambda a, b, c: (x := field(a, b, b >> 16 & 127, 64, False), x != 0),
  "s_bfe_i64": lambda a, b, c: (x := field(a, b, b >> 16 & 127, 64, True), x != 0),
}


@pytest.mark.parametrize("name", SCALAR64)
def test_scalar_64(name):
  one_word = name.startswith(("s_lsh", "s_ashr", "s_bfe"))
  for a in EDGES64:
    for b in EDGES if one_word else EDGES64:
      got = isa.run(
        "gfx942",
        f"{name} s[2:3], s[4:5], {'s6' if one_word else 's[6:7]'}",
        s={4: (a,), 6: (b,)},
        scc=1,
      )
      value, scc = SCALAR64[name](a, b, 1)
      assert (got.s64(2), got.scc) == (value & U64, 1 if scc is None else int(scc)), (
        a,
        b,
      )


def first(x: int, bits: int, bit: int) -> int:
  return next((i for i in range(bits) if x >> i & 1 == bit), -1)


def quads(x: int, bits: int, expand: bool) -> int:
  groups = [x >> i & 15 != 0 for i in range(0, bits, 4)]
  return sum((15 << 4 * i if expand else 1 << i) for i, on in enumerate(groups) if on)


def by_width(f, scc=True):
  """A row of UNARY: f for 32 bits, f for 64 bits, whether SCC becomes result != 0."""
  return (lambda x: f(x, 32)), (lambda x: f(x, 64)), scc


UNARY = {
  "s_mov_b": by_width(lambda x, n: x, False),
  "s_not_b": by_width(lambda x, n: ~x & (1 << n) - 1),
  "s_brev_b": by_width(lambda x, n: int(f"{x:0{n}b}"[::-1], 2), False),
  "s_wqm_b": by_width(lambda x, n: quads(x, n, True)),
  "s_quadmask_b": by_width(lambda x, n: quads(x, n, False)),
  "s_bcnt0_i32_b": by_width(lambda x, n: n - bin(x).count("1")),
  "s_bcnt1_i32_b": by_width(lambda x, n: bin(x).count("1")),
  "s_ff0_i32_b": by_width(lambda x, n: first(x, n, 0), False),
  "s_ff1_i32_b": by_width(lambda x, n: first(x, n, 1), False),
  "s_flbit_i32_b": by_width(from_top, False),
}


@pytest.mark.parametrize("name", UNARY)
def test_scalar_unary(name):
  for bits, values in ((32, EDGES), (64, EDGES64)):
    function, sets_scc = UNARY[name][bits == 64], UNARY[name][2]
    wide = bits == 64 and "_i32_" not in name
    for x in values:
      source = (
        f"{name}{bits} {'s[2:3]' if wide else 's2'}, {'s[4:5]' if bits == 64 else 's4'}"
      )
      got = isa.run("gfx942", source, s={4: (x,)}, scc=1)
      value = function(x)
      assert (got.s64(2) if wide else int(got.s[2])) == value & (
        U64 if wide else U32
      ), hex(x)
      assert got.scc == (int(value != 0) if sets_scc else 1)


def test_scalar_other():
  for x in EDGES:
    got = isa.run(
      "gfx942",
      "s_sext_i32_i8 s2, s4\ns_sext_i32_i16 s3, s4\ns_flbit_i32 s5, s4\n"
      "s_bitreplicate_b64_b32 s[6:7], s4\ns_abs_i32 s8, s4\n"
      "s_bitset1_b32 s9, s4\ns_bitset0_b64 s[10:11], s4",
      s={4: x, 9: 0, 10: (U64,)},
    )
    assert s32(int(got.s[2])) == (x & 0x7F) - (x & 0x80)
    assert s32(int(got.s[3])) == (x & 0x7FFF) - (x & 0x8000)
    assert s32(int(got.s[5])) == sign_changes(x, 32)
    assert got.s64(6) == sum(3 << 2 * i for i in range(32) if x >> i & 1)
    assert (int(got.s[8]), got.scc) == (abs(s32(x)), x != 0)
    assert int(got.s[9]) == 1 << x % 32
    assert got.s64(10) == U64 & ~(1 << x % 64)
  for x in EDGES64:
    assert s32(
      int(isa.run("gfx942", "s_flbit_i32_i64 s2, s[4:5]", s={4: (x,)}).s[2])
    ) == (sign_changes(x, 64))
  for scc in (0, 1):
    got = isa.run(
      "gfx942",
      "s_cmov_b32 s2, s4\ns_cmovk_i32 s3, 0x8000",
      s={2: 7, 3: 7, 4: 9},
      scc=scc,
    )
    assert (got.s[2], got.s[3]) == ((9, 0xFFFF8000) if scc else (7, 7))


@pytest.mark.parametrize("kind", ["i32", "u32"])
def test_scalar_compare(kind):
  conditions = dict(
    eq="__eq__", lg="__ne__", gt="__gt__", ge="__ge__", lt="__lt__", le="__le__"
  )
  for name, method in conditions.items():
    for a in EDGES:
      for b in (*EDGES, 0xFFFF8000, 0x8000):
        x, y = (s32(a), s32(b)) if kind == "i32" else (a, b)
        expected = getattr(x, method)(y)
        assert (
          isa.run("gfx942", f"s_cmp_{name}_{kind} s2, s3", s={2: a, 3: b}).scc
          == expected
        )
        if b in (2, 0xFFFFFFFF if kind == "i32" else 0x8000):
          source = f"s_cmpk_{name}_{kind} s2, {b & 0xFFFF:#x}"
          assert isa.run("gfx942", source, s={2: a}).scc == expected, source


def test_scalar_compare_64_and_bits():
  for a in EDGES64:
    for b in EDGES64:
      got = isa.run("gfx942", "s_cmp_eq_u64 s[2:3], s[4:5]", s={2: (a,), 4: (b,)})
      assert got.scc == (a == b)
    for b in EDGES:
      assert (
        isa.run("gfx942", "s_bitcmp1_b64 s[2:3], s4", s={2: (a,), 4: b}).scc
        == a >> b % 64 & 1
      )
      assert isa.run("gfx942", "s_bitcmp0_b32 s2, s4", s={2: (a,), 4: b}).scc == (
        1 - (a >> b % 32 & 1)
      )


def test_immediates():
  got = isa.run(
    "gfx942",
    "s_movk_i32 s2, 0x8001\ns_addk_i32 s3, 0xffff\ns_mulk_i32 s4, 0xfffe",
    s={3: 0x80000000, 4: 5},
  )
  assert [int(x) for x in got.s[2:5]] == [0xFFFF8001, 0x7FFFFFFF, 0xFFFFFFF6]
  assert got.scc == 1  # s_addk_i32 overflows
  got = isa.run(
    "gfx942",
    "s_mov_b64 s[2:3], -1\ns_mov_b64 s[4:5], 0x80000001\n"
    "s_mov_b32 s6, -4.0\ns_mov_b64 s[8:9], 0.5\ns_mov_b32 s7, 64\n"
    "s_ashr_i64 s[10:11], 0x80000000, 4",
  )
  assert (got.s64(2), got.s64(4), got.s64(8)) == (U64, 0x80000001, 0x3FE0000000000000)
  assert (int(got.s[6]), int(got.s[7])) == (0xC0800000, 64)
  assert got.s64(10) == 0xFFFFFFFFF8000000


EXEC_OPS = {
  "and": lambda s, e: s & e,
  "or": lambda s, e: s | e,
  "xor": lambda s, e: s ^ e,
  "andn2": lambda s, e: s & ~e,
  "orn2": lambda s, e: s | ~e,
  "nand": lambda s, e: ~(s & e),
  "nor": lambda s, e: ~(s | e),
  "xnor": lambda s, e: ~(s ^ e),
  "andn1": lambda s, e: ~s & e,
  "orn1": lambda s, e: ~s | e,
}


@pytest.mark.parametrize("name", EXEC_OPS)
def test_saveexec(name):
  for mask in (0, U64, 0x00FF00FF12345678):
    for x in (0, U64, 0xF0F0F0F0F0F0F0F0):
      got = isa.run(
        "gfx942", f"s_{name}_saveexec_b64 s[2:3], s[4:5]", s={4: (x,)}, exec_mask=mask
      )
      value = EXEC_OPS[name](x, mask) & U64
      assert (got.s64(2), got.s64(EXEC), got.scc) == (mask, value, value != 0)
  got = isa.run(
    "gfx942", "s_andn1_wrexec_b64 s[2:3], s[4:5]", s={4: (0xFF,)}, exec_mask=0xFF0
  )
  assert (got.s64(2), got.s64(EXEC)) == (0xF00, 0xF00)


BRANCHES = {
  "s_cbranch_scc0": dict(scc=0),
  "s_cbranch_scc1": dict(scc=1),
  "s_cbranch_vccz": dict(s={VCC: (0,)}),
  "s_cbranch_vccnz": dict(s={VCC: (1 << 40,)}),
  "s_cbranch_execz": dict(exec_mask=0),
  "s_cbranch_execnz": dict(exec_mask=1 << 63),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branch(name):
  not_taken = {
    "scc": 1 - BRANCHES[name].get("scc", 0),
    "exec_mask": 1 << 3,
    "s": {VCC: (2,)},
  }
  if name in ("s_cbranch_vccnz", "s_cbranch_execnz"):
    not_taken |= {"exec_mask": 0, "s": {VCC: (0,)}}
  source = f"s_mov_b32 s2, 1\n{name} 1\ns_mov_b32 s2, 2\ns_mov_b32 s3, 3"
  for taken, state in ((True, BRANCHES[name]), (False, not_taken)):
    got = isa.run("gfx942", source, **state)
    assert (int(got.s[2]), int(got.s[3])) == (1 if taken else 2, 3)


def test_loop_and_calls():
  got = isa.run(
    "gfx942",
    "s_mov_b32 s2, 0\ns_add_u32 s2, s2, 3\ns_cmp_lt_u32 s2, 61\ns_cbranch_scc1 65533",
  )
  assert got.s[2] == 63
  # s_getpc gives the address of the next instruction.
  source = (
    "s_getpc_b64 s[2:3]\ns_add_u32 s4, s2, 20\ns_mov_b32 s5, 0\n"
    "s_swappc_b64 s[6:7], s[4:5]\n"
  )
  got = isa.run("gfx942", source + "s_mov_b32 s8, 1\ns_mov_b32 s9, 2\ns_mov_b32 s10, 3")
  assert (got.s64(2), got.s64(6)) == (4, 16)
  assert int(got.s[8]) != 1 and int(got.s[9]) != 2 and got.s[10] == 3


def test_wide_scalars():
  """64-bit and bit instructions that the tables above leave out."""
  for x in EDGES64:
    for n in EDGES:
      got = isa.run(
        "gfx942",
        "s_bitset1_b64 s[2:3], s6\ns_bfm_b64 s[8:9], s6, s7\n"
        "s_cmov_b64 s[10:11], s[4:5]\ns_bitset0_b32 s12, s6\ns_bitcmp0_b64 s[4:5], s6",
        s={2: (0,), 4: (x,), 6: n, 7: 5, 12: U32},
        scc=1,
      )
      assert got.s64(2) == 1 << n % 64
      assert got.s64(8) == ((1 << n % 64) - 1) << 5 & U64
      assert got.s64(10) == x and int(got.s[12]) == U32 & ~(1 << n % 32)
      assert got.scc == 1 - (x >> n % 64 & 1)
      got = isa.run("gfx942", "s_bitcmp1_b32 s4, s6", s={4: (x,), 6: n})
      assert got.scc == x >> n % 32 & 1
    for y in EDGES64:
      got = isa.run("gfx942", "s_cmp_lg_u64 s[2:3], s[4:5]", s={2: (x,), 4: (y,)})
      assert got.scc == (x != y)
  got = isa.run(
    "gfx942", "s_andn2_wrexec_b64 s[2:3], s[4:5]", s={4: (0xFF,)}, exec_mask=0xF
  )
  assert (got.s64(2), got.s64(EXEC)) == (0xF0, 0xF0)


def test_jumps():
  skip = "\ns_mov_b32 s2, 2\ns_mov_b32 s3, 3"
  for source in ("s_branch 1", "s_call_b64 s[6:7], 1"):
    got = isa.run("gfx942", "s_mov_b32 s2, 1\n" + source + skip)
    assert (int(got.s[2]), int(got.s[3])) == (1, 3)
  assert got.s64(6) == 8
  got = isa.run("gfx942", "s_mov_b32 s2, 1\ns_setpc_b64 s[4:5]" + skip, s={4: (12,)})
  assert (int(got.s[2]), int(got.s[3])) == (1, 3)
  got = isa.run("gfx942", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s2", s={2: 0x5A})
  assert got.mode == isa.MODE & ~0xF0 | 0xA0


def test_fp16_ovfl_is_refused_where_it_would_change_the_result():
  mode = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n"
  one, two = 0x3C00, 0x4000  # in float16
  values = {2: two << 16 | one, 3: one << 16 | one, 4: 0}
  got = isa.run("gfx950", mode + "v_dot2c_f32_f16 v4, v2, v3", v=values)
  assert (got.v[4].view(np.float32) == 3).all()
  with pytest.raises(isa.StepError, match="FP16_OVFL"):
    isa.run("gfx950", mode + "v_add_f16 v4, v2, v3", v=values)


def test_hardware_registers():
  got = isa.run(
    "gfx942",
    "s_getreg_b32 s2, hwreg(HW_REG_XCC_ID)\n"
    "s_getreg_b32 s3, hwreg(HW_REG_XCC_ID, 1, 2)\n"
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1\n"
    "s_getreg_b32 s4, hwreg(HW_REG_MODE)\n",
    hardware={20: 0b1101},
  )
  assert [int(x) for x in got.s[2:5]] == [0b1101, 0b10, isa.MODE & ~0x30 | 0x10]
  assert got.mode == isa.MODE & ~0x30 | 0x10
  with pytest.raises(isa.StepError, match="hardware register"):
    isa.run("gfx942", "s_getreg_b32 s2, hwreg(HW_REG_HW_ID)")
  with pytest.raises(isa.StepError, match="trap"):
    isa.run("gfx942", "s_trap 2")
