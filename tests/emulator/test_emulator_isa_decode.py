"""The emulator's decoder and disassembler against clang's assembler."""

import random
import subprocess
import sys

import pytest

from tests.emulator import emulator_isa as isa

(
  SOP1,
  SOP2,
  SOPK,
  SOPC,
  SOPP,
  SMEM,
  VOP1,
  VOP2,
  VOP3,
  VOP3P,
  VOPC,
  DS,
  MUBUF,
  FLAT,
  GLOBAL,
  SCRATCH,
) = range(16)
_NUMBER = {"g": 16, "G": 32, "o": 8, "O": 8, **{c: int(c) for c in "12345678"},
           **{c: 2 for c in "BLFtTm"}}


def _register(bank: str, index: int, letter: str) -> str:
  count = _NUMBER.get(letter, 1)
  return f"{bank}{index}" if count == 1 else f"{bank}[{index}:{index + count - 1}]"


def _scalar(row: dict) -> str:
  destinations, sources = row["operands"].split(":")
  special = {
    "i": "0x123",
    "u": "0x123",
    "j": "4",
    "r": "hwreg(HW_REG_MODE, 4, 2)",
    "k": "0x12345",
    "n": "1",
    "z": "vmcnt(1)",
    "M": "sendmsg(MSG_INTERRUPT)",
    "X": "gpr_idx(SRC0,DST)",
  }
  operands, index = [], 8
  for letter in destinations + sources:
    if letter in "=e":
      continue
    operands.append(special.get(letter) or _register("s", index, letter))
    index += 2
  return ", ".join(operands)


def _vector(row: dict) -> str:
  destinations, sources = row["operands"].split(":")
  special = {"m": "vcc", "s": "s5", "S": "s3", "k": "0x12345", "K": "0x1234", "a": "a5"}
  operands, index = [], 8
  for letter in destinations + sources:
    if letter in "=~ce":
      continue
    operands.append(special.get(letter) or _register("v", index, letter))
    index += max(16, _NUMBER.get(letter, 1))
  return ", ".join(operands)


def _memory(row: dict) -> str:
  name, form = row["name"], row["format"]
  loaded, data = row["operands"].split(":")
  operands = [_register("v", 8, loaded)] if loaded else []
  if form == SMEM:
    if not loaded:
      return ""
    base = [_register("s", 4, data), "0x10"] if data else []
    return ", ".join([_register("s", 16, loaded)] + base)
  if name == "ds_nop":
    return ""
  if form == DS:
    operands += ["v1"] + [_register("v", 20 + 4 * i, c) for i, c in enumerate(data)]
    two = "read2" in name or "write2" in name
    offset = {True: " offset0:1 offset1:2", False: " offset:8"}[two]
    # Clang prints the swizzle's offset as a pattern; test_swizzle_text covers it.
    return ", ".join(operands) + ("" if name == "ds_swizzle_b32" else offset)
  returns = " sc0" if loaded and data else ""
  if form == MUBUF:
    if row["operands"] == ":":
      return "" if row["opcodes"][0] < 0 else "sc1"
    return (
      f"{_register('v', 8, data or loaded)}, v1, s[4:7], s3 offen offset:16{returns}"
    )
  address = {FLAT: "v[2:3]", GLOBAL: "v[2:3]", SCRATCH: "v2"}[form]
  operands += [address] + ([_register("v", 20, data)] if data else [])
  return ", ".join(operands + ["off"] * (form != FLAT)) + f" offset:16{returns}"


def _for(arch: str, text: str) -> str:
  """Text of gfx942 as gfx90a has it: the cache bits have other names."""
  if arch != "gfx90a" or text.startswith("buffer_wbl2"):
    return text.split(" ")[0] if arch == "gfx90a" else text
  for bit, name in ((" sc0", " glc"), (" nt", " slc"), (" sc1", " scc")):
    text = text.replace(bit, name)
  return text


def _sample(row: dict) -> str:
  form = row["format"]
  vector = VOP1 <= form <= VOPC
  text = (_scalar if form <= SOPP else _vector if vector else _memory)(row)
  suffix = "_e32" if form in (VOP1, VOP2, VOPC) else ""
  return f"{row['name']}{suffix} {text}".rstrip()


def _check(arch: str, source: str) -> int:
  """Compares every instruction of assembly `source`; returns their number."""
  count = 0
  for text, code in isa.assemble(arch, source):
    size, mine = isa.decode(arch, code)
    if text.startswith(("s_branch ", "s_cbranch_")):  # to a label
      mine, text = mine.split()[0], text.split()[0]
    assert (size, mine) == (len(code), text)
    count += 1
  return count


def _errors(arch: str, lines: list[str]) -> set[int]:
  """Indices of the lines that clang refuses."""
  result = isa.run_assembler(arch, "\n".join(lines) + "\n")
  marks = [
    line.split(":") for line in result.stderr.splitlines() if ": error: " in line
  ]
  return {int(mark[1]) - 1 for mark in marks}


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_table(arch):
  """Each row of isa.def decodes to its text; clang refuses what the arch lacks."""
  rows = isa.table()
  has = [row["opcodes"][isa.ARCHS.index(arch)] >= 0 for row in rows]
  lines = [_for(arch, _sample(row)) for row in rows]
  assert _check(
    arch, "\n".join(line for line, ok in zip(lines, has) if ok) + "\n"
  ) == sum(has)
  missing = [line for line, ok in zip(lines, has) if not ok]
  refused = _errors(arch, missing)
  taken = [line for i, line in enumerate(missing) if i not in refused]
  # For gfx942 clang takes gfx90a's names of matrix instructions, which it writes in another way.
  for line, (text, _) in zip(taken, isa.assemble(arch, "\n".join(taken) + "\n")):
    assert line.split()[0] != text.split()[0] and line.startswith("v_mfma")


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_arithmetic_is_there(arch):
  """Every row of the arithmetic units can be executed."""
  lines = [
    _for(arch, _sample(row))
    for row in isa.table()
    if row["unit"] < 5 and row["opcodes"][isa.ARCHS.index(arch)] >= 0
  ]
  encoded = isa.assemble(arch, "\n".join(lines) + "\n")
  assert len(encoded) == len(lines)
  for text, code in encoded:
    # The value of s10 makes a jump to a register leave the code. M0 is an index of registers.
    if not text.startswith("s_trap"):
      isa.run(arch, code, s={10: (2**32,), isa.M0: 0})


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_vop3_forms(arch):
  """VOP1, VOP2 and VOPC in their VOP3 encoding."""
  only_short = (
    "v_nop",
    "v_readfirstlane_b32",
    "v_swap_b32",
    "v_accvgpr_mov_b32",
    "v_fmamk_f32",
    "v_fmaak_f32",
    "v_madmk_f32",
    "v_madak_f32",
    "v_madmk_f16",
    "v_madak_f16",
    "v_clrexcp",
  )
  lines = []
  for row in isa.table():
    if (
      row["format"] in (VOP1, VOP2, VOPC) and row["opcodes"][isa.ARCHS.index(arch)] >= 0
    ):
      if row["name"] not in only_short:
        lines.append(_sample(row).replace("_e32", "_e64").replace("vcc", "s[6:7]"))
  assert _check(arch, "\n".join(lines) + "\n") == len(lines)


FORMS = """
buffer_load_dword v1, s[4:7], s3 offen offset:16 sc0 nt sc1 lds
buffer_load_dword v9, v1, s[4:7], s3 offen offset:16 sc0 nt sc1
buffer_load_dword off, s[4:7], s3 lds
buffer_load_dword v5, off, s[4:7], 0
buffer_load_dword v5, v[2:3], s[4:7], s3 idxen offen
buffer_load_dword a5, v[2:3], s[4:7], 64 idxen offen
buffer_store_dwordx4 v[4:7], v1, s[4:7], m0 offen offset:4095
buffer_atomic_cmpswap v[2:3], v1, s[4:7], 0 offen sc0
buffer_wbl2 sc0 sc1
buffer_inv sc0 sc1
global_load_dwordx4 v[4:7], v1, s[2:3] offset:-4096
global_store_dwordx4 v1, a[4:7], s[2:3] nt
global_atomic_add v1, v2, v4, s[2:3] sc0
global_atomic_cmpswap_x2 v[0:1], v2, v[4:7], s[2:3] sc0 sc1
flat_load_dword v1, v[2:3] offset:4095
flat_atomic_add v[2:3], v4 sc1
scratch_load_dword v1, off, s2 offset:4
scratch_load_dword v1, v2, s2 offset:4
scratch_load_dword v1, off, off offset:4
scratch_store_dword off, v1, s33 offset:4
ds_read_b128 v[4:7], v1 offset:65535
ds_read2_b64 a[4:7], v1 offset0:255 offset1:3
ds_write2_b64 v1, a[4:5], a[6:7] offset1:3
ds_bpermute_b32 v1, v2, v3 offset:4
s_load_dwordx2 s[2:3], s[0:1], s4
s_load_dwordx2 s[2:3], s[0:1], s4 offset:0x10
s_load_dwordx2 vcc, s[0:1], -0x10 glc
s_buffer_load_dwordx4 s[8:11], s[0:3], 0xffff
s_waitcnt vmcnt(3) lgkmcnt(0)
s_waitcnt vmcnt(62)
s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)
s_getreg_b32 s1, hwreg(HW_REG_XCC_ID)
s_getreg_b32 s1, hwreg(HW_REG_XCC_ID, 0, 4)
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
s_mov_b64 s[2:3], 0x12345
s_mov_b32 s2, 0.15915494
s_mov_b64 exec, -1
s_mov_b32 m0, exec_hi
s_and_saveexec_b64 s[2:3], vcc
v_cvt_f32_f64_e32 v1, 0x40590000
v_cvt_f32_f64_e32 v1, 0.15915494309189532
v_add_f16_e32 v1, 0x1234, v2
v_fmac_f32_e32 v1, 0x40490fdb, v2
v_add_f32_e64 v1, |v2|, -s3 clamp mul:2
v_add_f32_e64 v1, -|v2|, 4.0 div:2
v_cndmask_b32_e64 v1, -v2, |v3|, s[2:3]
v_fma_f16 v1, v2, v3, v4 op_sel:[1,0,0,1]
v_cvt_pk_fp8_f32 v1, v2, v3 op_sel:[0,0,1]
v_pk_fma_f32 v[2:3], v[4:5], s[6:7], v[8:9] op_sel:[1,0,0] \
op_sel_hi:[0,1,1] neg_lo:[1,0,0]
v_pk_add_f16 v1, v2, v3 op_sel_hi:[1,0] neg_hi:[0,1] clamp
v_pk_mov_b32 v[2:3], v[4:5], v[6:7] op_sel:[0,1]
v_fma_mix_f32 v1, v2, -v3, |v4| op_sel:[1,0,0] op_sel_hi:[1,0,1]
v_mad_u64_u32 v[2:3], s[4:5], v1, v2, 0
v_readlane_b32 s2, v1, 3
v_writelane_b32 v1, s2, m0
v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1 abid:2 blgp:3
v_mfma_f32_16x16x16_bf16 a[0:3], a[4:5], v[6:7], 1.0
v_mfma_f32_4x4x1_16b_f32 a[0:3], v4, v5, 4 cbsz:4 abid:3 blgp:7
v_mfma_f64_16x16x4_f64 a[0:7], a[8:9], v[6:7], 0.15915494309189532 neg:[1,0,1]
v_smfmac_f32_32x32x16_f16 a[0:15], v[4:5], a[16:19], v7 cbsz:1 abid:3
s_set_gpr_idx_on s2, gpr_idx(SRC0,SRC1,SRC2,DST)
s_set_gpr_idx_mode gpr_idx()
v_accvgpr_write_b32 a1, 1.0
v_accvgpr_write_b32 a1, s3
v_mov_b32_dpp v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
v_mov_b64_dpp v[2:3], v[4:5] row_newbcast:3 row_mask:0xf bank_mask:0xf
v_add_f32_dpp v1, -v2, |v3| row_bcast:15 row_mask:0xa bank_mask:0xf
v_add_u32_dpp v1, v2, v3 row_half_mirror row_mask:0x5 bank_mask:0x3
v_add_u32_dpp v1, v2, v3 wave_ror:1 row_mask:0xf bank_mask:0xf
v_cvt_f32_fp8_sdwa v1, v2 src0_sel:BYTE_1
v_cvt_pk_f32_fp8_sdwa v[2:3], v2 src0_sel:WORD_1
v_add_f16_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 \
src1_sel:WORD_1
v_add_u32_sdwa v1, sext(v2), s3 dst_sel:DWORD dst_unused:UNUSED_SEXT src0_sel:BYTE_0 \
src1_sel:DWORD
v_cmp_eq_u16_sdwa s[2:3], v2, v3 src0_sel:BYTE_0 src1_sel:DWORD
"""
GFX90A_FORMS = """
buffer_wbl2
buffer_invl2
buffer_wbinvl1
buffer_wbinvl1_vol
scratch_load_dword v1, v2, off offset:4
v_mfma_f32_16x16x16bf16_1k v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1 abid:2 blgp:3
v_mfma_f32_16x16x16bf16_1k a[0:3], a[4:5], v[6:7], 1.0
v_madmk_f32 v1, v2, 0x40490fdb, v3
v_mad_f32 v1, |v2|, -s3, v4 clamp mul:2
v_mac_f32_e64 v1, -v2, v3
"""
# The FORMS that gfx90a lacks, although it has the instructions.
NOT_GFX90A = ("buffer_wbl2", "scratch_load_dword v1, v2, s2", "scratch_load_dword v1, off, off",
              "hwreg(HW_REG_XCC_ID")
GFX950_FORMS = """
buffer_load_dwordx4 v1, s[4:7], s3 offen lds
buffer_load_dwordx3 v1, s[4:7], 0 offen offset:4095 lds
global_load_lds_dwordx4 v1, s[2:3] offset:16 sc1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3] cbsz:1 blgp:1
v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3], v16, v17 op_sel_hi:[0,0,0]
v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], a[0:7], v[0:15], v32, v3 \
op_sel:[1,0,0] op_sel_hi:[0,1,0] cbsz:1 blgp:1
v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:15], a[0:3] cbsz:4 blgp:1
v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[8:11], v[0:3], v16, v17 op_sel:[1,1,0] \
op_sel_hi:[0,0,0] cbsz:4 blgp:4
v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:21], a[0:3], v[0:15], v32, v3 \
op_sel_hi:[0,0,0] cbsz:2 blgp:4
v_permlane32_swap_b32_e64 v1, v2 bound_ctrl:1 fi:1
v_bitop3_b32 v1, v2, v3, v4 bitop3:0x6c
v_cvt_scalef32_pk_fp8_f32 v1, -v2, v3, |v4| op_sel:[0,0,0,1]
v_cvt_scalef32_pk_bf8_f16 v1, v2, s3 op_sel:[0,0,1]
v_cvt_scalef32_pk_f32_fp8 v[2:3], v4, 1.0 op_sel:[1,0,0]
v_cvt_scalef32_pk_bf16_bf8 v1, s4, v5 op_sel:[1,0,0]
v_cvt_scalef32_f32_bf8 v1, v4, v5 op_sel:[1,1,0]
v_cvt_scalef32_f16_fp8 v1, v4, v5 op_sel:[0,1,1]
"""


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_forms(arch):
  source = FORMS.lstrip() + (GFX950_FORMS.lstrip() if arch == "gfx950" else "")
  if arch == "gfx90a":
    lacks = {row["name"] for row in isa.table() if row["opcodes"][2] < 0}
    kept = [_for(arch, line) for line in FORMS.replace("\\\n", "").strip().splitlines()
            if line.split()[0].removesuffix("_sdwa").removesuffix("_dpp") not in lacks
            and not any(form in line for form in NOT_GFX90A)]
    source = "\n".join(kept) + GFX90A_FORMS
  assert _check(arch, source) == len(source.splitlines())


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_swizzle_text(arch):
  """Clang prints a pattern, the disassembler a number; both give the same code."""
  source = "ds_swizzle_b32 v8, v2 offset:swizzle(QUAD_PERM,0,1,2,3)\n"
  ((_, code),) = isa.assemble(arch, source)
  size, text = isa.decode(arch, code)
  assert size == 8
  assert isa.assemble(arch, text + "\n")[0][1] == code


REFUSED = {
  "a reserved opcode": "0xbf9f0000",
  "a buffer format load": "0xe0000000 0x80000000",
  "wide direct-to-LDS loads on gfx942": "0xe05d1000 0x03010001",
  "registers from an odd number on": "0xdc508000 0x007f0003",
  "scalar pairs from an odd number on": "0xbe830102",
  "a literal in VOP3": "0xd1010001 0x000002ff",
  "17 bits of a 16-bit literal": "0x4c1202ff 0xffff7fff",
  "two scalar registers": "0xd1cb0001 0x04000403",
  "an aperture": "0x7e0202eb",
  "GDS": "0xd8010000 0x00000201",
  "scaled matrix product": "0xd3ac0000 0x00020501",
  "op_sel on a 32-bit instruction": "0xd1cb0801 0x04120702",
  "DPP that no chip has": "0x7e0202fa 0xff01a002",
}
# The manual does not say how stochastic rounding uses its seed.
GFX950_REFUSED = {
  "a clamped conversion with a scale": "0xd23b8001 0x00020b04",
  "stochastic rounding": "0xd2370001 0x04120702",
  "scales without a matrix product": "0xd3ac0000 0x00022310 0xbf800000 0xbf800000",
  "scales for a matrix product without any": "0xd3ac0000 0x00022310 0xd3b58000 0x04020d04",
}


@pytest.mark.parametrize("what", [*REFUSED, *GFX950_REFUSED])
def test_refused(what):
  arch = "gfx950" if what in GFX950_REFUSED else "gfx942"
  words = (REFUSED | GFX950_REFUSED)[what].split()
  code = b"".join(int(word, 16).to_bytes(4, "little") for word in words)
  size, text = isa.decode(arch, code)
  assert size == -1, text
  for short in (code[:3], b""):
    assert isa.decode(arch, short)[0] == -1


def _random_code(rng: random.Random) -> bytes:
  prefixes = (
    (0x80000000, 2),
    (0xB0000000, 4),
    (0xBE800000, 9),
    (0xBF000000, 9),
    (0xBF800000, 9),
    (0, 1),
    (0x7E000000, 7),
    (0x7C000000, 7),
    (0xD0000000, 6),
    (0xD3800000, 9),
    (0xD8000000, 6),
    (0xDC000000, 6),
    (0xE0000000, 6),
    (0xC0000000, 6),
  )
  prefix, bits = rng.choice(prefixes)
  low, high = rng.getrandbits(32) >> bits | prefix, rng.getrandbits(32)
  if rng.random() < 0.5:
    high &= rng.getrandbits(32)
  if low >> 31 == 0 and rng.random() < 0.3:  # SDWA, DPP, a literal
    low = low & ~0x1FF | rng.choice((0xF9, 0xFA, 0xFF))
  return low.to_bytes(4, "little") + high.to_bytes(4, "little")


@pytest.mark.parametrize("arch", isa.ARCHS)
def test_random_encodings(arch):
  """Clang assembles the decoder's text, and the result decodes to the same text."""
  rng = random.Random(7)
  texts = []
  while len(texts) < 3000:
    size, text = isa.decode(arch, _random_code(rng))
    # Clang forgets the scc of an atomic that returns nothing.
    forgotten = "_atomic_" in text and " scc" in text
    if size > 0 and not forgotten:
      texts.append(text)
  refused = _errors(arch, texts)
  # Clang has stricter rules for VCC beside one of its halves, and for returning atomics
  # on accumulation registers with a scalar base.
  assert len(refused) <= 6, [texts[i] for i in refused]
  kept = [text for i, text in enumerate(texts) if i not in refused]
  encoded = isa.assemble(arch, "\n".join(kept) + "\n")
  assert len(encoded) == len(kept)
  for mine, (text, code) in zip(kept, encoded):
    again = isa.decode(arch, code)[1]
    # A literal that also has an inline constant is printed as a number the first time.
    assert mine == again or text == again, (mine, text, again)


HIP = r"""
#define DEVICE __attribute__((device))
typedef float f4 __attribute__((ext_vector_type(4)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef unsigned u4 __attribute__((ext_vector_type(4)));
typedef _Float16 h2 __attribute__((ext_vector_type(2)));
static __attribute__((shared)) float lds[2048];
extern "C" __attribute__((global)) void k(float* f, u4* u, h2* h, double* d, long* l,
                                          char* c, short* s, __bf16* b, int n,
                                          float x) {
  int t = __builtin_amdgcn_workitem_id_x() + 256 * __builtin_amdgcn_workgroup_id_x();
  if (t >= n) return;
  f[t] = f[t] / x + __builtin_sqrtf(f[t + n]) * __builtin_exp2f(x) -
         __builtin_floorf(f[t + 1]);
  u[t] = (u[t] << 3) + (u[t + n] ^ u[t + 1]) * u[n];
  h[t] = h[t] * h[t + n] + h[1];
  d[t] = d[t] * d[t + n] + (double)f[t];
  l[t] = l[t] * l[t + n] + (l[t] >> (t & 63)) + (l[n] < 0 ? t : -t);
  c[t] = c[t] * 3 + (c[t + n] > 7 ? c[t + 1] : -c[t + 2]);
  s[t] = __builtin_elementwise_max(s[t], s[t + n]) - s[1];
  b[t] = (__bf16)((float)b[t] * x);
  lds[t & 2047] = f[t];
  __syncthreads_();
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += lds[(t + i) & 2047];
  sum += __builtin_amdgcn_ds_bpermutef(4 * (t ^ 1), sum);
  float bits = __builtin_popcount(n) + __builtin_clz(t | 1);
  f[t] = __builtin_amdgcn_fmed3f(sum, x, bits);
  __hip_atomic_fetch_add(f, sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(l, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
  f4 m = *(f4*)(f + 4 * t);
  for (int i = 0; i < n; ++i)
    m = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(*(s4*)(s + 4 * i), *(s4*)(s + 8 * i),
                                                  m, 0, 0, 0);
  *(f4*)(f + 4 * t) = m;
  c[n] = __builtin_amdgcn_cvt_pk_fp8_f32(m[0], m[1], n, true);
}
""".replace("__syncthreads_();", "__builtin_amdgcn_s_barrier();").replace(
  "__builtin_amdgcn_ds_bpermutef(4 * (t ^ 1), sum)",
  "(float)__builtin_amdgcn_ds_bpermute(4 * (t ^ 1), (int)sum)",
)


@pytest.mark.parametrize("arch", isa.ARCHS)
@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_compiled(arch, level, tmp_path):
  """Clang's code for ordinary source with many types."""
  source, assembly = tmp_path / "k.hip", tmp_path / "k.s"
  float8 = [line for line in HIP.splitlines() if "fp8" in line]
  source.write_text(HIP.replace(float8[0], "") if arch == "gfx90a" else HIP)
  subprocess.run(
    [
      sys.executable,
      "-m",
      "ziglang",
      "clang",
      "-x",
      "hip",
      f"--offload-arch={arch}",
      "--cuda-device-only",
      "-nogpuinc",
      "-nogpulib",
      "-mcode-object-version=5",
      level,
      "-S",
      "-o",
      str(assembly),
      str(source),
    ],
    check=True,
  )
  assert _check(arch, assembly.read_text()) > 250
