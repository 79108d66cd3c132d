"""All instructions that clang assembles for the chips: executed, or refused by their names."""

import re

import numpy as np
import pytest

from jaxgemm import emulator
from tests.emulator import clang_mnemonics
from tests.emulator import emulator_isa as isa
from tests.emulator import test_emulator_isa_decode as decode_tests
from tests.support import amdgpu
from tests.support.paths import ROOT

EXAMPLES = dict(
    (line.split()[0], line)
    for line in (ROOT / "tests/emulator/refused_instructions.s").read_text().splitlines()[1:])
# What clang writes otherwise: "v_mfma_f32_4x4x1f32" on gfx942 is "v_mfma_f32_4x4x1_16b_f32".
SAME = {"v_mul_lo_i32": "v_mul_lo_u32", "v_mfma_ld_scale_b32": "v_mfma_scale_f32_16x16x128_f8f6f4"}


def plain(name: str) -> str:
  return re.sub(r"_\d+b_|_1k$|_", "", name) if name.startswith("v_mfma") else name


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_all_mnemonics_are_known(arch):
  names = clang_mnemonics.of(arch)
  executed = {row["name"] for row in isa.table()
              if row["opcodes"][isa.ARCHS.index(arch)] >= 0}
  aliases = {plain(name) for name in executed}
  unknown = {name for name in names - executed - set(EXAMPLES)
             if SAME.get(name) not in executed and plain(name) not in aliases}
  assert not unknown
  assert not executed & set(EXAMPLES)


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_refused_by_name(arch):
  lines = [line for name, line in EXAMPLES.items() if name in clang_mnemonics.of(arch)]
  encoded = isa.assemble(arch, "\n".join(lines) + "\n")
  assert len(encoded) == len(lines) > 100
  for line, (_, code) in zip(lines, encoded):
    size, text = isa.decode(arch, code)
    assert size == -1 and text.startswith(f"{line.split()[0]} (0x"), (line, text)
    assert "which the emulator does not have: " in text


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_lds_instructions_are_there(arch):
  """Every row of the LDS unit is executed, one after the other."""
  lines = [decode_tests._for(arch, decode_tests._sample(row)) for row in isa.table()
           if row["format"] == decode_tests.DS and row["opcodes"][isa.ARCHS.index(arch)] >= 0]
  assert len(lines) > 100
  body = "v_mov_b32 v1, 0\n  v_mov_b32 v2, 0\n  s_mov_b32 m0, -1\n  s_nop 4\n" + "".join(
      f"  {line}\n  s_waitcnt lgkmcnt(0)\n" for line in lines)
  record = emulator.launch(
      amdgpu.assemble(body, arch, 4096), "k", b"", arch=arch, grid=1, block=64, buffers=[],
      options=emulator.Options(check_uninitialized=False, check_lds_races=False,
                               check_alignment=False))
  assert record.cost["lds_atomic"] > 60


DS_64 = [("min_i64", np.int64, np.minimum), ("max_i64", np.int64, np.maximum),
         ("min_u64", np.uint64, np.minimum), ("max_u64", np.uint64, np.maximum),
         ("and_b64", np.uint64, np.bitwise_and), ("or_b64", np.uint64, np.bitwise_or),
         ("xor_b64", np.uint64, np.bitwise_xor), ("sub_u64", np.uint64, np.subtract),
         ("rsub_u64", np.uint64, lambda a, b: b - a), ("min_f64", np.float64, np.minimum),
         ("max_f64", np.float64, np.maximum)]


@pytest.mark.parametrize("name, kind, function", DS_64)
def test_lds_atomics_of_64_bits(name, kind, function):
  rng = np.random.default_rng()
  a, b = ((rng.standard_normal(64) if kind == np.float64 else
           rng.integers(-(2**62), 2**62, 64)).astype(kind) for _ in range(2))
  out = np.zeros((2, 64), kind)
  body = f"""
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  v_lshlrev_b32 v1, 3, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx2 v[2:3], v1, s[4:5]
  global_load_dwordx2 v[4:5], v1, s[6:7]
  s_waitcnt vmcnt(0)
  ds_write_b64 v1, v[2:3]
  ds_{name.replace("_", "_rtn_")} v[6:7], v1, v[4:5]
  ds_{name} v1, v[4:5] offset:512
  ds_read_b64 v[8:9], v1
  s_waitcnt lgkmcnt(0)
  global_store_dwordx2 v1, v[6:7], s[8:9]
  global_store_dwordx2 v1, v[8:9], s[8:9] offset:512
  """
  emulator.launch(amdgpu.assemble(body, "gfx942", 1024), "k",
                  emulator.pack_arguments(a, b, out), arch="gfx942", grid=1, block=64,
                  buffers=[a, b, out], options=emulator.Options(check_uninitialized=False))
  assert (out[0] == a).all() and (out[1] == function(a, b)).all()


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_an_inline_constant_of_packed_float32_is_in_both_halves(arch):
  rng = np.random.default_rng()
  x, y = rng.standard_normal((2, 64)).astype(np.float32)
  for modifiers in ("", "op_sel_hi:[1,0]", "op_sel:[0,1]", "op_sel:[0,1] op_sel_hi:[1,0]"):
    got = isa.run(arch, f"v_pk_add_f32 v[4:5], v[2:3], 1.0 {modifiers}", v={2: x, 3: y})
    assert (got.v[4].view(np.float32) == x + 1).all()
    assert (got.v[5].view(np.float32) == y + 1).all()
  got = isa.run(arch, "v_pk_fma_f32 v[4:5], v[2:3], -2.0, 0.5 neg_lo:[1,0,0] neg_hi:[1,0,0]",
                v={2: x, 3: y})
  assert (got.v[4].view(np.float32) == 2 * x + np.float32(0.5)).all()
  assert (got.v[5].view(np.float32) == 2 * y + np.float32(0.5)).all()
  got = isa.run(arch, "v_pk_mov_b32 v[4:5], 7, v[2:3] op_sel:[1,0]", v={2: x, 3: y})
  assert (got.v[4] == 7).all() and (got.v[5].view(np.float32) == x).all()


def two_over_pi(bits: int) -> int:
  """floor(2/pi * 2^bits), by Machin's formula."""
  one = 1 << bits + 64

  def arctan_of_inverse(x: int) -> int:
    total, term, n = 0, one // x, 1
    while term:
      total += term // n * (1 if n % 4 == 1 else -1)
      term //= x * x
      n += 2
    return total

  pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
  return (2 * one << bits) // pi


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_trig_preop(arch):
  """Pieces of 53 bits of 2/pi, by the manual's pseudo-code."""
  digits = two_over_pi(1201)
  rng = np.random.default_rng()
  exponents = rng.integers(1, 2046, 64)
  x = np.ldexp(1 + rng.random(64), exponents - 1023)
  segments = rng.integers(0, 20, 64)
  got = isa.run(arch, "v_trig_preop_f64 v[4:5], v[0:1], v2",
                v={0: x, 2: segments.astype(np.uint32)}).v64(4).view(np.float64)
  for lane in range(64):
    e = int(exponents[lane])
    shift = 53 * int(segments[lane]) + max(e - 1077, 0)
    piece = digits << shift >> 1201 - 53 & 2**53 - 1
    expected = np.ldexp(np.float64(piece), -53 - shift + 128 * (e >= 1968))
    assert got[lane] == expected


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_vector_registers_by_index(arch):
  v = {i: np.full(64, 100 + i, np.uint32) for i in range(8)}
  got = isa.run(arch, """s_set_gpr_idx_on s4, gpr_idx(SRC0)
  v_mov_b32 v20, v1
  s_set_gpr_idx_idx s5
  v_mov_b32 v21, v1
  s_set_gpr_idx_mode gpr_idx(DST)
  v_mov_b32 v22, v7
  s_set_gpr_idx_off
  v_mov_b32 v23, v1""", v=v, s={4: 3, 5: 5})
  assert [int(got.v[i][9]) for i in (20, 21, 27, 23)] == [104, 106, 107, 101]
  with pytest.raises(isa.StepError, match="other than v_mov_b32.*v_add_u32"):
    isa.run(arch, "s_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_add_u32 v1, v2, v3", s={4: 1})
  with pytest.raises(isa.StepError, match="past the last register"):
    isa.run(arch, "s_set_gpr_idx_on s4, gpr_idx(DST)\nv_mov_b32 v250, v3", s={4: 6})
  got = isa.run(arch, "s_mov_b32 m0, 3\ns_movrels_b32 s20, s4\ns_movreld_b32 s21, 77\n"
                "s_mov_b32 m0, 2\ns_movrels_b64 s[26:27], s[4:5]", s={6: 5, 7: 99})
  assert (got.s[20], got.s[24], got.s[26], got.s[27]) == (99, 77, 5, 99)
  with pytest.raises(isa.StepError, match="s_movrels_b32"):
    isa.run(arch, "s_mov_b32 m0, 99\ns_movrels_b32 s20, s4")


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_float16_products_that_round_twice(arch):
  rng = np.random.default_rng()
  x, y, z = rng.standard_normal((3, 64)).astype(np.float16)
  twice = x * y + z
  old = np.full(64, 0xABCD0000, np.uint32)
  for name in ("v_mad_f16", "v_mad_legacy_f16"):
    got = isa.run(arch, f"{name} v4, v1, v2, v3", v={1: x, 2: y, 3: z, 4: old}).v[4]
    assert ((got & 0xFFFF).astype(np.uint16).view(np.float16) == twice).all()
    assert ((got >> 16) == (0xABCD if name == "v_mad_f16" else 0)).all()
  got = isa.run(arch, "v_mac_f16 v3, v1, v2\nv_madmk_f16 v5, v1, 0x4200, v2", v={1: x, 2: y, 3: z})
  assert (got.v[3].astype(np.uint16).view(np.float16) == twice).all()
  assert (got.v[5].astype(np.uint16).view(np.float16) == x * np.float16(3) + y).all()


def test_float4_with_scales():
  """Two values in a byte, which op_sel selects; ties to even, and the largest past the end."""
  import ml_dtypes

  rng = np.random.default_rng()
  x, y = (rng.standard_normal((2, 64)) * 4).astype(np.float32)
  x[:6], y[:3] = (0.25, 0.75, 1.75, 5, 5.01, -100), (np.inf, -0.0, 2.5)
  scale = np.float32(2) ** rng.integers(-3, 4, 64).astype(np.float32)
  codes = lambda v: (v / scale).clip(-6, 6).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
  old = rng.integers(0, 2**32, 64, np.uint32)
  for byte in range(4):
    selected = f"op_sel:[0,0,{byte & 1},{byte >> 1}]"
    got = isa.run("gfx950", f"v_cvt_scalef32_pk_fp4_f32 v4, v1, v2, v3 {selected}",
                  v={1: x, 2: y, 3: scale, 4: old}).v[4]
    pair = (codes(x) | codes(y) << 4).astype(np.uint32)
    assert (got == (old & ~np.uint32(0xFF << 8 * byte) | pair << np.uint32(8 * byte))).all()
    back = isa.run("gfx950", f"v_cvt_scalef32_pk_f32_fp4 v[6:7], v4, v3 "
                   f"op_sel:[{byte & 1},{byte >> 1},0]", v={4: got, 3: scale})
    for half, value in enumerate((x, y)):
      wide = codes(value).view(ml_dtypes.float4_e2m1fn).astype(np.float32) * scale
      assert (back.v[6 + half].view(np.float32) == wide).all()
