"""The differences of gfx90a (CDNA2): wait states, passes, and memory between workgroups.

The sequences are those of LLVM's AMDGPUUsage, "Memory Model GFX90A": a device has one L2, a plain
store bypasses the L1, and instructions have no scopes.
"""

import pytest

from jaxgemm import emulator
from jaxgemm.emulator import clock
from tests.emulator import test_emulator_beside as beside
from tests.emulator import test_emulator_clock as clock_tests
from tests.emulator import test_emulator_faults as faults
from tests.emulator import test_emulator_ordering as ordering

ARCH = "gfx90a"

# ------------------------------------------------------------------ workgroups of a launch

DEVICE = ordering.RIGHT | dict(
    write_back="", read_flag="global_load_dword v5, v2, s[6:7] glc",
    invalidate="buffer_wbinvl1_vol")
THROUGH = DEVICE | dict(load="glc", invalidate="")


@pytest.mark.parametrize("parts", [
    DEVICE,
    THROUGH,
    DEVICE | dict(set_flag="global_store_dword v2, v3, s[6:7]"),
    DEVICE | dict(read_flag="v_mov_b32 v4, 0\n  global_atomic_add v5, v2, v4, s[6:7] glc"),
    DEVICE | dict(write_back="buffer_wbl2", invalidate="buffer_invl2\n  buffer_wbinvl1_vol"),
])
def test_release_and_acquire(parts):
  for seed in range(4):
    ordering.message(ARCH, parts, seed=seed, quantum=(1, 4, 16, 64)[seed])


@pytest.mark.parametrize("parts, fault", [
    (DEVICE | dict(writer_wait="", released=""), "did not wait for it"),
    (DEVICE | dict(writer_barrier=""), "did not wait for it|this overwrites what"),
    (DEVICE | dict(invalidate=""), "seen without a buffer_wbinvl1_vol"),
    (DEVICE | dict(invalidate="buffer_invl2"), "seen without a buffer_wbinvl1_vol"),
    (DEVICE | dict(invalidate="", flag_wait="buffer_wbinvl1_vol"),
     "seen without a buffer_wbinvl1_vol"),
    (DEVICE | dict(reader_barrier=""), "has not acquired anything"),
    (DEVICE | dict(read_flag="global_load_dword v5, v2, s[6:7]"), "Race in global memory"),
    (THROUGH | dict(load=""), "seen without a buffer_wbinvl1_vol"),
])
def test_lost_release_or_acquire(parts, fault):
  with pytest.raises(emulator.EmulationError, match=fault):
    for seed in range(4):
      ordering.message(ARCH, parts, seed=seed)


# ------------------------------------------------------------------- a kernel beside a launch

SYSTEM = beside.RIGHT | dict(
    write_back="buffer_wbl2", set_flag="global_store_dword v2, v3, s[6:7]",
    read_flag="global_load_dword v5, v2, s[6:7] glc",
    invalidate="buffer_invl2\n  buffer_wbinvl1_vol")


@pytest.mark.parametrize("parts", [
    SYSTEM,
    SYSTEM | dict(load="glc", invalidate=""),
    SYSTEM | dict(set_flag="global_atomic_add v2, v3, s[6:7]"),
    SYSTEM | dict(read_flag="v_mov_b32 v4, 0\nglobal_atomic_add v5, v2, v4, s[6:7] glc"),
    SYSTEM | dict(pause="s_sleep 127\n" * 20),
])
def test_release_and_acquire_of_the_system(parts):
  for seed in range(4):
    record = beside.message(ARCH, parts, seed=seed, quantum=(1, 4, 16, 64)[seed])
    assert record.cost["waves"] == 2 and record.cost["global_store"] == 2


@pytest.mark.parametrize("parts, fault", [
    (SYSTEM | dict(write_back=""), "the writer did not release it .*buffer_wbl2, "),
    (SYSTEM | dict(invalidate="buffer_wbinvl1_vol"), "seen without a buffer_invl2"),
    (SYSTEM | dict(invalidate="buffer_invl2"), "seen without a buffer_invl2, buffer_wbinvl1_vol"),
    (SYSTEM | dict(invalidate="buffer_wbinvl1_vol\n  buffer_invl2"), "seen without a buffer_invl2"),
    (SYSTEM | dict(barrier=""), "has not acquired anything"),
    (SYSTEM | dict(read_flag="global_load_dword v5, v2, s[6:7]"), "Race in global"),
])
def test_what_is_enough_on_the_device_is_not(parts, fault):
  with pytest.raises(emulator.EmulationError, match=fault):
    for seed in range(4):
      beside.message(ARCH, parts, seed=seed)


# ------------------------------------------------------------------------------ wait states

F32_MATRIX = "v_mfma_f32_16x16x4f32 v[4:7], v0, v0, v[4:7]"


@pytest.mark.parametrize("first, states, second, message", [
    ("v_mov_b32 v2, v0", 2, "v_mfma_f32_16x16x4f32 v[4:7], v2, v0, v[4:7]",
     "matrix instruction after a vector write of v2: 2"),
    (F32_MATRIX, 11, "v_mov_b32 v3, v4", "vector instruction reads a matrix result of v4: 11"),
    (F32_MATRIX, 11, "v_mov_b32 v4, 0", "A write after a matrix result's write of v4: 11"),
    (F32_MATRIX, 11, "v_mfma_f32_16x16x4f32 v[12:15], v4, v0, 0",
     "reads, as A or B, the matrix result of v4: 11"),
    (F32_MATRIX, 8, "v_mfma_f32_16x16x4f32 v[6:9], v0, v0, v[6:9]",
     "a C that overlaps in part, the matrix result of v6: 8"),
    ("v_mfma_f32_32x32x8bf16_1k v[16:31], v[0:1], v[0:1], v[16:31]", 19, "v_mov_b32 v3, v16",
     "vector instruction reads a matrix result of v16: 19"),
    # Registers that are read as C, and not written.
    ("v_mfma_f32_16x16x4f32 v[12:15], v0, v0, v[4:7]", 7, "v_mov_b32 v4, 0",
     "A write after a matrix instruction's read, as C, of v4: 7"),
    ("v_readfirstlane_b32 s4, v0", 5, "buffer_load_dword v2, off, s[8:11], s4",
     "memory instruction reads after a vector write of s4: 5"),
    ("v_readfirstlane_b32 s4, v0", 4, "v_readlane_b32 s5, v0, s4", "lane select .* s4: 4"),
])
def test_wait_states(first, states, second, message):
  code = "v_mov_b32 v1, 0\n" + "".join(f"v_mov_b32 v{i}, 0\n" for i in range(4, 32))
  faults.test_wait_states(ARCH, code + "s_nop 7\n" + first, states, second, message)


@pytest.mark.parametrize("first, second", [
    ("v_cmp_eq_u32 vcc, 0, v0", "v_cndmask_b32 v2, v0, v1, vcc"),
    ("v_mov_b32 v2, v0", "v_readfirstlane_b32 s4, v2"),
    ("v_rcp_f32 v2, v0", "v_add_f32 v3, v2, v2"),
    (F32_MATRIX, F32_MATRIX),
])
def test_where_the_hardware_waits_itself(first, second):
  faults.run(f"v_mov_b32 v1, 0\n v_mov_b32 v4, 0\n v_mov_b32 v5, 0\n v_mov_b32 v6, 0\n"
             f"v_mov_b32 v7, 0\n s_nop 7\n {first}\n {second}", ARCH)


def test_wait_states_after_a_wide_store():
  code = faults.POINTERS + """
  v_mov_b32 v2, 0
  v_mov_b32 v3, 0
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0
  v_lshlrev_b32 v1, 4, v0
  global_store_dwordx4 v1, v[2:5], s[4:5]
  {nop}
  v_mov_b32 v5, 0
  """
  faults.check_fault(code.format(nop="s_nop 0"), code.format(nop=""),
                     "vector write after a store of more than 64 bits of v5: 1", ARCH,
                     faults.words(256), faults.words())


# ----------------------------------------------------------------------------------- the clock


def test_matrix_instructions_take_four_cycles_a_pass():
  """16 x 16 takes eight passes and 32 x 32 sixteen, for every type."""
  short = "\n".join(f"v_mfma_f32_16x16x16bf16_1k a[{4 * i}:{4 * i + 3}], v[4:5], v[6:7], 0"
                    for i in range(8)) + "\n"
  times = clock_tests.run(short, ARCH)
  assert times.cycles == 8 * 32
  assert clock_tests.issued(times, "v_mfma") == [32 * i for i in range(8)]
  long = "\n".join(f"v_mfma_i32_32x32x8i8 a[{16 * i}:{16 * i + 15}], v4, v5, 0" for i in range(4))
  assert clock_tests.run(long, ARCH).cycles == 4 * 64


def test_a_reader_waits_for_a_matrix_result():
  times = clock_tests.run("v_mfma_f32_16x16x4f32 a[0:3], v4, v5, 0\nv_accvgpr_read_b32 v20, a0\n",
                          ARCH)
  (cycle,) = clock_tests.issued(times, "v_accvgpr_read")
  assert cycle == 4 * (8 + 3 + 1)


def test_the_constants_are_those_of_one_die_of_an_mi250x():
  table = clock.constants(ARCH)
  matrix_flops = table["cus"].value * table["peak_mhz"].value * 1e6 * 1024
  assert matrix_flops == pytest.approx(383e12 / 2, rel=0.001)  # AMD's data sheet, bfloat16
  assert table["xcds"].value == 1 and table["hbm_gb_per_s"].value == 3276.8 / 2
