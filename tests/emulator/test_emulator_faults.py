"""The emulator finds planted faults: the right code passes, the wrong code fails."""

import numpy as np
import pytest

from jaxgemm import emulator
from tests.support import amdgpu

both = pytest.mark.parametrize("arch", amdgpu.ARCHS)
with_scopes = pytest.mark.parametrize("arch", amdgpu.WITH_SCOPES)


def run(body, arch, *args, lds=0, grid=1, block=64, buffers=None, **options):
  """Runs the instructions with the arguments; the arrays among them are the buffers."""
  if buffers is None:
    buffers = [a for a in args if isinstance(a, np.ndarray)]
  return emulator.launch(
      amdgpu.assemble(body, arch, lds), "k", emulator.pack_arguments(*args), grid=grid,
      block=block, arch=arch, buffers=buffers, options=emulator.Options(**options),
  )


def check_fault(good, bad, message, arch, *args, **keywords):
  """`good` runs; `bad` fails with the message."""
  if good is not None:
    run(good, arch, *args, **keywords)
  with pytest.raises(emulator.EmulationError, match=message):
    run(bad, arch, *args, **keywords)


def words(count=64):
  return np.arange(count, dtype=np.uint32)


# ---------------------------------------------------------------------------- s_waitcnt

POINTERS = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
"""


@both
def test_vector_load_needs_its_wait(arch):
  code = POINTERS + """
  global_load_dword v2, v1, s[4:5]
  global_load_dword v3, v1, s[4:5] offset:256
  s_waitcnt vmcnt({first})
  v_add_u32 v2, v2, v2
  s_waitcnt vmcnt({second})
  v_add_u32 v3, v3, v3
  s_nop 0
  global_store_dword v1, v3, s[6:7]
  """
  args = words(128), words()
  check_fault(code.format(first=1, second=0), code.format(first=2, second=0),
              r"v2 is read .*s_waitcnt vmcnt\(1\) is missing", arch, *args)
  check_fault(None, code.format(first=1, second=1),
              r"v3 is read .*s_waitcnt vmcnt\(0\) is missing", arch, *args)


@both
def test_a_register_being_loaded_is_not_overwritten(arch):
  code = POINTERS + """
  global_load_dword v2, v1, s[4:5]
  {wait}
  v_mov_b32 v2, 1
  """
  check_fault(code.format(wait="s_waitcnt vmcnt(0)"), code.format(wait=""),
              "v2 is overwritten while the vector memory load", arch, words(), words())


@both
def test_stores_count_in_vmcnt(arch):
  """vmcnt(1) covers a load before a store, but not a load after a store."""
  code = POINTERS + """
  {first}
  {second}
  s_waitcnt vmcnt(1)
  v_add_u32 v3, v2, v2
  """
  load = "global_load_dword v2, v1, s[4:5]"
  store = "global_store_dword v1, v1, s[6:7]"
  check_fault(code.format(first=load, second=store), code.format(first=store, second=load),
              "v2 is read", arch, words(), words())


@both
def test_scalar_loads_come_back_in_any_order(arch):
  code = """
  s_load_dword s4, s[0:1], 0x0
  s_load_dword s5, s[0:1], 0x4
  s_waitcnt lgkmcnt({count})
  s_mov_b32 s6, s4
  """
  check_fault(code.format(count=0), code.format(count=1),
              r"s4 is read .*s_waitcnt lgkmcnt\(0\)", arch, words())


@both
def test_lds_reads_come_back_in_order_unless_scalar_loads_mix(arch):
  code = """
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0
  {between}
  ds_read_b32 v2, v1
  ds_read_b32 v3, v1
  s_waitcnt lgkmcnt(1)
  v_mov_b32 v4, {read}
  """
  check_fault(code.format(between="", read="v2"), code.format(between="", read="v3"),
              "v3 is read while the LDS read", arch, words(), lds=256)
  # lgkmcnt(2) may leave both reads outstanding: scalar loads return out of order.
  late = code.replace("lgkmcnt(1)", "lgkmcnt(2)")
  check_fault(None, late.format(between="s_load_dword s4, s[0:1], 0x0", read="v2"),
              "v2 is read while the LDS read", arch, words(), lds=256)


@both
def test_flat_counts_in_both(arch):
  code = POINTERS + """
  v_mov_b32 v3, s5
  v_add_co_u32 v2, vcc, s4, v1
  s_nop 1
  v_addc_co_u32 v3, vcc, 0, v3, vcc
  flat_load_dword v4, v[2:3]
  s_waitcnt {wait}
  v_mov_b32 v5, v4
  """
  for wrong in ("vmcnt(0)", "lgkmcnt(0)"):
    check_fault(code.format(wait="vmcnt(0) lgkmcnt(0)"), code.format(wait=wrong),
                "v4 is read while the flat load", arch, words(), words())


@both
def test_flat_accesses_of_the_lds(arch):
  """One instruction, by src_shared_base: even lanes access the LDS, odd lanes a buffer."""
  code = POINTERS + """
  s_mov_b64 s[8:9], src_shared_base
  v_add_u32 v2, {first}, v1          ; the address in the LDS
  v_add_co_u32 v4, vcc, s4, v1
  v_mov_b32 v3, s9
  v_mov_b32 v5, s5
  v_addc_co_u32 v5, vcc, 0, v5, vcc
  v_and_b32 v6, 1, v0
  v_cmp_eq_u32 vcc, 1, v6
  v_add_u32 v7, 1000, v0
  ds_write_b32 v2, v7
  s_waitcnt lgkmcnt(0)
  s_nop 1
  v_cndmask_b32 v8, v2, v4, vcc
  v_cndmask_b32 v9, v3, v5, vcc
  flat_load_dword v10, v[8:9]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32 v10, v10, v10
  flat_store_dword v[8:9], v10
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_read_b32 v11, v2
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v11, s[6:7]
  """
  data, out = words(), words()
  run(code.format(first=16), arch, data, out, lds=512)
  lanes = np.arange(64)
  np.testing.assert_array_equal(data, np.where(lanes % 2, 2 * lanes, lanes))
  np.testing.assert_array_equal(out, np.where(lanes % 2, 1000 + lanes, 2 * (1000 + lanes)))
  with pytest.raises(emulator.EmulationError, match="outside the workgroup's 256 bytes"):
    run(code.format(first=16), arch, words(), words(), lds=256)


APERTURES = """
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void apertures(int* out, int which) {
  __shared__ int shared[64];
  volatile int own[4];
  int item = __builtin_amdgcn_workitem_id_x();
  own[which & 3] = item;
  shared[item] = 100 + item;
  volatile int* p = item & 1 ? &own[which & 3] : &shared[item];
  *p += 1000;
  out[item] = 2 * own[which & 3] + shared[item];
}
"""


@with_scopes
def test_flat_accesses_of_scratch(arch):
  assert {"flat_load_dword", "src_private_base"} <= {
      *amdgpu.compile_to_assembly(APERTURES, arch).replace(",", " ").split()}
  out = np.zeros(64, np.int32)
  emulator.launch(
      amdgpu.compile_hip(APERTURES, arch), "apertures",
      emulator.pack_arguments(out, np.int32(2)), grid=1, block=64, arch=arch, buffers=[out])
  lanes = np.arange(64)
  np.testing.assert_array_equal(out, 3 * lanes + 100 + np.where(lanes % 2, 2000, 1000))


# ---------------------------------------------------------------------------------- LDS

LDS_EXCHANGE = """
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1       ; the other wave's half
  ds_write_b32 v1, v0
  {wait}
  {barrier}
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  {barrier2}
  ds_write_b32 v1, v3
"""
RIGHT = dict(wait="s_waitcnt lgkmcnt(0)", barrier="s_barrier", barrier2="s_barrier")


@both
@pytest.mark.parametrize("missing, message", [
    ("wait", r"reads what wave \d wrote, but wave \d has not waited"),
    ("barrier", r"reads what wave \d wrote, but no barrier|nothing in this workgroup wrote it"),
    # The order of turns decides which of the two races comes first.
    ("barrier2", r"overwrites what wave \d reads, but no barrier|reads what wave \d wrote, but"),
])
def test_lds_race(arch, missing, message):
  check_fault(LDS_EXCHANGE.format(**RIGHT), LDS_EXCHANGE.format(**RIGHT | {missing: ""}),
              message, arch, lds=512, block=128)


LATER = """
  v_lshlrev_b32 v1, 2, v0
  v_and_b32 v1, 0xff, v1
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc1 .Lreader
  {pause}
  {before}
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  {after}
  s_endpgm
.Lreader:
  {reader}
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  {own}
  {own_barrier}
"""
WRITTEN_LATER = dict(pause="s_sleep 100", before="", after="", reader="", own="", own_barrier="")


@both
@pytest.mark.parametrize("parts, message", [
    ({}, r"wrote it before\. Wave 1 writes it later, at k\+0x\w+: ds_write_b32 v1, v0: a barrier "
         "is missing in between"),
    (dict(before="s_barrier", own_barrier="s_barrier"),
     "Wave 1 writes it later, .*: the read is on the wrong side of a barrier"),
    (dict(own="ds_write_b32 v1, v0", pause="s_endpgm"),
     "This wave writes it later, .*: the read comes too early"),
    (dict(pause="s_endpgm"), "wrote it, and nothing writes it later"),
])
def test_a_read_of_lds_that_is_written_later(arch, parts, message):
  good = WRITTEN_LATER | dict(after="s_barrier", reader="s_barrier")
  for seed in range(3):
    check_fault(LATER.format(**good), LATER.format(**WRITTEN_LATER | parts), message, arch, lds=256,
                block=128, seed=seed)


@both
def test_barriers_at_different_places_count_by_release(arch):
  """The waves wait at different s_barrier instructions, as in a ping-pong loop."""
  code = """
  v_lshlrev_b32 v1, 2, v0
  v_and_b32 v1, 0xff, v1
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc0 .Lsecond
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_barrier
  s_branch .Ldone
.Lsecond:
  {first}
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  {last}
.Ldone:
  """
  check_fault(code.format(first="s_barrier", last="s_barrier"),
              code.format(first="", last="s_barrier\n  s_barrier"),
              "no barrier|nothing in this workgroup wrote it", arch, lds=256, block=128)


TO_LDS = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 s6, 0x100
  s_mov_b32 s7, 0x20000
  s_mov_b32 m0, 0
  s_waitcnt lgkmcnt(0)
  buffer_load_dword v1, s[4:7], 0 offen lds
  {wait}
  {barrier}
  v_xor_b32 v2, 4, v1
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
"""


@both
def test_loads_to_the_lds_need_their_wait(arch):
  wait = "s_waitcnt vmcnt(0)"
  check_fault(TO_LDS.format(wait=wait, barrier=""), TO_LDS.format(wait="", barrier=""),
              "has not waited for it .s_waitcnt vmcnt", arch, words(), lds=256)
  # Two waves load the same words to the same place in the LDS.
  twice = TO_LDS.format(wait=wait, barrier="").replace("v0\n", "v0\n  v_and_b32 v1, 252, v1\n")
  check_fault(None, twice, "LDS race", arch, words(), lds=256, block=128)


@both
def test_m0_needs_a_wait_state_before_a_load_to_the_lds(arch):
  wrong = TO_LDS.format(wait="s_waitcnt vmcnt(0)", barrier="").replace(
      "  s_mov_b32 m0, 0\n  s_waitcnt lgkmcnt(0)", "  s_waitcnt lgkmcnt(0)\n  s_mov_b32 m0, 0")
  check_fault(None, wrong, "load to the LDS after a write of m0", arch, words(), lds=256)


@both
def test_lds_bounds_alignment_and_initialisation(arch):
  code = """
  v_lshlrev_b32 v1, {shift}, v0
  {write} v1, v[4:7]
  s_waitcnt lgkmcnt(0)
  {read} v[8:11], v1{offset}
  """
  wide = dict(shift=4, write="ds_write_b128", read="ds_read_b128", offset="")
  run(code.format(**wide), arch, lds=1024)
  with pytest.raises(emulator.EmulationError, match="lane 63.*\n.*outside the workgroup's 1008"):
    run(code.format(**wide), arch, lds=1008)
  with pytest.raises(emulator.EmulationError, match="lane 1.*\n.*not a multiple of 16"):
    run(code.format(**wide | dict(shift=3)), arch, lds=1024)
  run(code.format(**wide | dict(shift=3)), arch, lds=1024, check_alignment=False,
      check_lds_races=False)
  with pytest.raises(emulator.EmulationError, match="address 1024 is read, but nothing"):
    run(code.format(**wide | dict(offset=" offset:16")), arch, lds=2048)
  run(code.format(**wide | dict(offset=" offset:16")), arch, lds=2048, check_uninitialized=False)


# ---------------------------------------------------------------------- global accesses


@both
def test_accesses_outside_the_buffers(arch):
  code = POINTERS + "global_{what} s[4:5]"
  data = words(65)
  for what in ("load_dword v2, v1,", "store_dword v1, v1,"):
    run(code.format(what=what), arch, data, words())
    with pytest.raises(emulator.EmulationError, match=(
        r"lane 63:\n  A \w+ of 4 bytes .*nearest is tail, 256 bytes .*byte 256")):
      run(code.format(what=what), arch, data[1:], words(), buffers={"tail": data[:64]})
  run(code.format(what="store_dword v1, v1,"), arch, data[1:], words(), buffers=[data])
  frozen = words()
  frozen.flags.writeable = False
  run(code.format(what="load_dword v2, v1,"), arch, frozen, words())
  with pytest.raises(emulator.EmulationError, match="only to be read"):
    run(code.format(what="store_dword v1, v1,"), arch, frozen, words())


@both
def test_misaligned_global_access(arch):
  code = POINTERS + """
  v_lshlrev_b32 v2, {shift}, v0
  global_load_dwordx2 v[4:5], v2, s[4:5]
  """
  check_fault(code.format(shift=2), code.format(shift=1), "lane 1.*\n.*not a multiple of 4", arch,
              words(128), words())


@both
def test_unaligned_access_that_is_allowed(arch):
  code = POINTERS + """
  v_lshlrev_b32 v2, 1, v0
  global_load_dword v4, v2, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v4, s[6:7]
  """
  shorts, out = np.arange(66, dtype=np.uint16), words()
  run(code, arch, shorts, out, check_alignment=False)
  np.testing.assert_array_equal(out, shorts[:64] + (shorts[1:65].astype(np.uint32) << 16))
  # An atomic must be aligned.
  with pytest.raises(emulator.EmulationError, match="not a multiple of 4"):
    run(POINTERS + """
  v_lshlrev_b32 v2, 1, v0
  global_atomic_add v2, v0, s[6:7]
  """, arch, shorts, out, check_alignment=False)


@both
def test_buffer_resources_are_ranges(arch):
  """Beyond NUM_RECORDS a load gives zeros and a store does nothing, for each dword separately."""
  code = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  v_lshlrev_b32 v6, 2, v0
  s_mov_b32 s10, 0x3f8
  s_mov_b32 s11, 0x20000
  s_mov_b32 s14, 0xfc
  s_mov_b32 s15, 0x20000
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b64 s[12:13], s[6:7]
  buffer_load_dwordx4 v[2:5], v1, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  v_add_u32 v5, v5, v3
  s_movk_i32 s16, 4
  buffer_store_dword v5, v6, s[12:15], 0 offen
  buffer_store_dword v5, v6, s[12:15], s16 offen offset:252
  """
  source, out = words(256) + 1, np.full(65, 7, np.uint32)
  run(code, arch, source, out)
  expected = source.reshape(64, 4)[:, 1] + source.reshape(64, 4)[:, 3]
  assert source[253] + 0 == 254  # the last lane has its first two dwords only
  expected[63] = 254
  np.testing.assert_array_equal(out[:63], expected[:63])
  np.testing.assert_array_equal(out[63:], 7)


# ------------------------------------------------------------------ wait states, others


@with_scopes
@pytest.mark.parametrize("first, states, second, message", [
    ("v_readfirstlane_b32 s4, v0", 5, "buffer_load_dword v2, off, s[8:11], s4",
     "memory instruction reads after a vector write of s4: 5"),
    ("v_cmp_eq_u32 vcc, 0, v0", 2, "v_cndmask_b32 v2, v0, v1, vcc",
     "reads after a vector write of vcc: 2"),
    ("v_readfirstlane_b32 s4, v0", 4, "v_readlane_b32 s5, v0, s4", "lane select .* s4: 4"),
    ("v_mov_b32 v2, v0", 1, "v_readfirstlane_b32 s4, v2", "lane read after .* v2: 1"),
    ("v_mov_b32 v2, v0", 2, "v_mov_b32_dpp v3, v2 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf",
     "DPP after a write of v2: 2"),
    ("v_mov_b32 v2, v0", 2, "v_mfma_f32_16x16x4_f32 v[4:7], v2, v0, v[4:7]",
     "matrix instruction after a vector write of v2: 2"),
    ("v_rcp_f32 v2, v0", 1, "v_add_f32 v3, v2, v2", "transcendental one's write of v2: 1"),
    ("v_mfma_f32_16x16x4_f32 v[4:7], v0, v0, v[4:7]", 10, "v_mov_b32 v3, v4",
     "vector instruction reads a matrix result of v4: 10"),
    ("v_mfma_f32_16x16x4_f32 v[4:7], v0, v0, v[4:7]", 10, "v_mov_b32 v4, 0",
     "A write after a matrix result's write of v4: 10"),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", 2, "s_getreg_b32 s4, hwreg(HW_REG_MODE)",
     "too early after s_setreg"),
])
def test_wait_states(arch, first, states, second, message):
  code = """
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_mov_b32 s10, 0
  s_mov_b32 s11, 0x20000
  s_mov_b32 s4, 0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 0
  v_mov_b32 v4, 0
  s_waitcnt lgkmcnt(0)
  s_nop 7
  {first}
  {nop}
  {second}
  """
  def with_states(n):
    return code.format(first=first, second=second, nop=f"s_nop {n - 1}" if n else "")
  check_fault(with_states(states), with_states(states - 1), message, arch, words())


@with_scopes
def test_wait_states_after_a_wide_store(arch):
  code = POINTERS + """
  v_mov_b32 v2, 0
  v_mov_b32 v3, 0
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0
  v_lshlrev_b32 v1, 4, v0
  global_store_dwordx4 v1, v[2:5], s[4:5]
  s_nop {more}
  v_mov_b32 v5, 0
  """
  out = words(256)
  check_fault(code.format(more=1), code.format(more=0),
              "vector write after a store of more than 64 bits of v5: 2", arch, out, words())
  run(code.format(more=0), arch, out, words(), check_store_hazards=False)


@with_scopes
def test_matrix_results_need_passes(arch):
  """A bf16 16x16 instruction has 4 passes; gfx942 needs 3 states more, gfx950 4."""
  matrix = {"gfx942": "v_mfma_f32_16x16x16_bf16 v[4:7], v[8:9], v[8:9], v[4:7]",
            "gfx950": "v_mfma_f32_16x16x32_bf16 v[4:7], v[8:11], v[8:11], v[4:7]"}[arch]
  needed = {"gfx942": 7, "gfx950": 8}[arch]
  def code(states, use):
    return f"s_nop 7\n  {matrix}\n  s_nop {states - 1}\n  {use}"
  for use in ("v_mov_b32 v3, v7", "v_mov_b32 v7, 0"):
    check_fault(code(needed, use), code(needed - 1, use), f"v7: {needed} wait states", arch)
  # A C in the same registers needs no wait states; a C that overlaps in part needs them.
  run(f"s_nop 7\n  {matrix}\n  {matrix}", arch)
  part = matrix.replace("v[4:7]", "v[6:9]")
  with pytest.raises(emulator.EmulationError, match="overlaps in part"):
    run(f"s_nop 7\n  {matrix}\n  {part}", arch)


@pytest.mark.parametrize("operands, needed", [
    ("v[8:15], v[8:15], v[4:7]", 12), ("v[8:11], v[8:11], v[4:7] cbsz:4 blgp:4", 8),
    ("v[8:11], v[8:15], v[4:7] cbsz:4", 12)])
def test_matrix_results_of_four_bits_need_fewer_passes(operands, needed):
  """Two operands of four bits have 4 passes, others 8; gfx950 needs 4 states more."""
  def code(states):
    return (f"s_nop 7\n  v_mfma_f32_16x16x128_f8f6f4 v[4:7], {operands}\n  s_nop 7\n"
            + f"  s_nop {states - 9}\n" * (states > 8) + "  v_mov_b32 v3, v7")
  run(code(needed), "gfx950")
  late = code(needed - 1) if needed > 8 else code(8).replace(
      "  s_nop 7\n  v_mov", "  s_nop 6\n  v_mov")
  with pytest.raises(emulator.EmulationError, match=f"v7: {needed} wait states"):
    run(late, "gfx950")


@both
def test_compiled_code_keeps_the_wait_states(arch):
  """The s_nop that clang inserts before using a matrix result is needed and enough."""
  source = """
  typedef float f4 __attribute__((ext_vector_type(4)));
  extern "C" __global__ void k(float* a, f4* out) {
    int lane = __builtin_amdgcn_workitem_id_x();
    f4 c = 0;
    c = __builtin_amdgcn_mfma_f32_16x16x4f32(a[lane], a[lane + 64], c, 0, 0, 0);
    out[lane] = c * c;
  }"""
  text = amdgpu.compile_to_assembly(source, arch)
  a, out = np.ones(128, np.float32), np.zeros((64, 4), np.float32)
  arguments = dict(grid=1, block=64, arch=arch, buffers=[a, out])
  emulator.launch(amdgpu.link(text, arch), "k", emulator.pack_arguments(a, out), **arguments)
  np.testing.assert_array_equal(out, 16)
  lines = text.splitlines()
  nop = max(i for i, line in enumerate(lines) if line.strip().startswith("s_nop"))
  lines[nop] = f"\ts_nop {int(lines[nop].split()[1]) - 1}"
  with pytest.raises(emulator.EmulationError, match="1?[0-9] wait states are needed"):
    emulator.launch(amdgpu.link("\n".join(lines), arch), "k", emulator.pack_arguments(a, out),
                    **arguments)


@both
def test_unknown_instruction(arch):
  with pytest.raises(emulator.EmulationError, match=r"k\+0x4: .*\n.*workgroup 0 .* wave 0"):
    run("s_nop 0\n  .long 0xffffffff", arch)


@both
def test_hang(arch):
  """Tests a flag that is never set, and a jump out of the code."""
  poll = POINTERS + """
  v_mov_b32 v2, 0
.Lagain:
  s_sleep 1
  global_load_dword v3, v2, s[4:5] {through}
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v3
  s_cmp_eq_u32 s8, {value}
  s_cbranch_scc0 .Lagain
  """.replace("{through}", "glc" if arch == "gfx90a" else "sc1")
  check_fault(poll.format(value=0), poll.format(value=5),
              r"hangs: 20000 instructions.*\n.*runs at k", arch, words(), words(),
              idle_limit=20000)
  with pytest.raises(emulator.EmulationError, match="outside the code object|cannot be decoded"):
    run("s_getpc_b64 s[4:5]\n  s_mov_b32 s5, 0\n  s_setpc_b64 s[4:5]", arch)
