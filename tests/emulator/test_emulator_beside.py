"""A kernel that runs beside a launch in the emulator: the order of the system, and time."""

import numpy as np
import pytest

from jaxgemm import emulator
from tests.support import amdgpu

both = pytest.mark.parametrize("arch", amdgpu.ARCHS)
with_scopes = pytest.mark.parametrize("arch", amdgpu.WITH_SCOPES)

# Fills `data` with 128 values and sets a flag.
WRITER = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0      ; data, flag
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 0
  v_mov_b32 v3, 1
  v_cmp_eq_u32 vcc, 0, v0
  {pause}
  v_add_u32 v4, 7, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[4:5] {store}
  s_waitcnt vmcnt(0)
  s_barrier
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz .Ldone
  {write_back}
  s_waitcnt vmcnt(0)
  {set_flag}
.Ldone:
"""
# Waits for the flag and copies the data, reversed, so that each wave reads the values
# of the other wave of the writer.
READER = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0      ; data, flag
  s_load_dwordx2 s[8:9], s[0:1], 0x10     ; out
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 0
  v_cmp_eq_u32 vcc, 0, v0
  s_waitcnt lgkmcnt(0)
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz .Lseen
.Lagain:
  s_sleep 32
  {read_flag}
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v5
  s_cmp_eq_u32 s12, 0
  s_cbranch_scc1 .Lagain
  {invalidate}
.Lseen:
  s_mov_b64 exec, s[10:11]
  {barrier}
  v_xor_b32 v6, 0x1fc, v1
  global_load_dword v7, v6, s[4:5] {load}
  s_waitcnt vmcnt(0)
  global_store_dword v1, v7, s[8:9]
"""
RIGHT = dict(
    pause="", store="", write_back="buffer_wbl2 sc0 sc1",
    set_flag="global_store_dword v2, v3, s[6:7] sc0 sc1",
    read_flag="global_load_dword v5, v2, s[6:7] sc0 sc1",
    invalidate="buffer_inv sc0 sc1", barrier="s_barrier", load="",
)
# Stores that are written through need no write-back, and loads that bypass the caches
# need no invalidation.
THROUGH = RIGHT | dict(store="sc0 sc1", write_back="", load="sc0 sc1", invalidate="")


def message(arch, parts, **options):
  data, flag, out = (np.zeros(n, np.uint32) for n in (128, 16, 128))
  beside = emulator.Beside(
      amdgpu.assemble(WRITER.format(**parts), arch), "k", ["data", "flag"], block=128)
  record = emulator.launch(
      amdgpu.assemble(READER.format(**parts), arch), "k",
      emulator.pack_arguments(data, flag, out), grid=1, block=128, arch=arch,
      buffers=dict(data=data, flag=flag, out=out),
      options=emulator.Options(idle_limit=50_000, beside=beside, **options))
  np.testing.assert_array_equal(out, np.arange(128)[::-1] + 7)
  return record


@with_scopes
@pytest.mark.parametrize("parts", [
    RIGHT,
    THROUGH,
    RIGHT | dict(set_flag="global_atomic_add v2, v3, s[6:7] sc1"),
    RIGHT | dict(read_flag="v_mov_b32 v4, 0\n"
                 "global_atomic_add v5, v2, v4, s[6:7] sc0 sc1"),
    RIGHT | dict(pause="s_sleep 127\n" * 20),
])
def test_release_and_acquire_of_the_system(arch, parts):
  for seed in range(4):
    record = message(arch, parts, seed=seed, quantum=(1, 4, 16, 64)[seed])
    # The record counts only the launch: two waves with one store each.
    assert record.cost["waves"] == 2 and record.cost["global_store"] == 2


@with_scopes
@pytest.mark.parametrize("parts, fault", [
    (RIGHT | dict(write_back=""), "the writer did not release it .*buffer_wbl2 sc0 sc1"),
    (RIGHT | dict(write_back="buffer_wbl2 sc1"), "the writer did not release it"),
    (RIGHT | dict(invalidate=""), "seen without a buffer_inv sc0 sc1"),
    (RIGHT | dict(invalidate="buffer_inv sc1"), "seen without a buffer_inv sc0 sc1"),
    (RIGHT | dict(barrier=""), "has not acquired anything"),
    (RIGHT | dict(set_flag="global_store_dword v2, v3, s[6:7] sc1"), "Race in global"),
    (RIGHT | dict(set_flag="global_atomic_add v2, v3, s[6:7]"), "Race in global"),
    (RIGHT | dict(read_flag="global_load_dword v5, v2, s[6:7] sc1"), "Race in global"),
    (RIGHT | dict(read_flag="global_load_dword v5, v2, s[6:7]"), "Race in global"),
    (THROUGH | dict(store="sc1"), "the writer did not release it"),
    (THROUGH | dict(load="sc1"), "seen without a buffer_inv sc0 sc1"),
])
def test_what_is_enough_on_the_device_is_not(arch, parts, fault):
  with pytest.raises(emulator.EmulationError, match=fault):
    for seed in range(4):
      message(arch, parts, seed=seed)


def test_all_is_enough_on_the_device():
  """With sc1 only, the same instructions order two workgroups of one launch."""
  device = {name: text.replace("sc0 sc1", "sc1") for name, text in RIGHT.items()}
  code = """
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 .Lreader
  {writer}
  s_endpgm
.Lreader:
  {reader}"""
  code = code.format(writer=WRITER.format(**device), reader=READER.format(**device))
  data, flag, out = (np.zeros(n, np.uint32) for n in (128, 16, 128))
  emulator.launch(
      amdgpu.assemble(code, "gfx942"), "k", emulator.pack_arguments(data, flag, out),
      grid=2, block=128, arch="gfx942", buffers=dict(data=data, flag=flag, out=out))
  np.testing.assert_array_equal(out, np.arange(128)[::-1] + 7)


@with_scopes
def test_who_waits_for_what_never_comes_hangs(arch):
  with pytest.raises(emulator.EmulationError, match="hangs: .*flags are polled"):
    message(arch, RIGHT | dict(set_flag=""))


# ------------------------------------------------------------------------- buffers

STORE = "global_store_dword v1, v0, s[4:5]"
ACCESS = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  {access}
  s_waitcnt vmcnt(0)
"""


def beside_and_launch(arch, arguments, buffers, launched):
  own = np.zeros(64, np.uint32)
  other = np.zeros(64, np.uint32)
  known = dict(own=own, other=other)
  beside = emulator.Beside(
      amdgpu.assemble(ACCESS.format(access=STORE), arch), "k",
      [known.get(x, x) for x in arguments], buffers={x: known[x] for x in buffers})
  emulator.launch(
      amdgpu.assemble(ACCESS.format(access="global_load_dword v2, v1, s[4:5]"), arch), "k",
      emulator.pack_arguments(known[launched]), grid=1, block=64, arch=arch,
      buffers={"own": own}, options=emulator.Options(beside=beside))
  return known


@both
def test_who_may_access_what(arch):
  known = beside_and_launch(arch, ["other"], ["other"], "own")
  np.testing.assert_array_equal(known["other"], np.arange(64))
  # An array is passed by its address; a string is the name of a buffer of the launch.
  for given, fault in [
      ((["own"], [], "own"), "in buffer own, which only the other kernel has"),
      ((["other"], [], "own"), "outside the launch's buffers"),
      ((["other"], ["other"], "other"), "buffer other, which only the other kernel has"),
      ((["own"], ["own"], "own"), "own and own of the launch overlap"),
      ((["lhs"], [], "own"), "k is to be given buffer lhs of the launch .* which has own"),
  ]:
    with pytest.raises(emulator.EmulationError, match=fault):
      beside_and_launch(arch, *given)


def test_both_writing_one_place_is_a_race():
  data = np.zeros(64, np.uint32)
  code = amdgpu.assemble(ACCESS.format(access=STORE), "gfx942")
  beside = emulator.Beside(code, "k", ["data"])
  with pytest.raises(emulator.EmulationError, match="overwrites what wave 0 of workgroup "
                     "0 of the other kernel wrote"):
    emulator.launch(code, "k", emulator.pack_arguments(data), grid=1, block=64,
                    arch="gfx942", buffers=dict(data=data),
                    options=emulator.Options(beside=beside))


def test_what_is_refused():
  code = amdgpu.assemble("s_nop 0", "gfx942")
  with pytest.raises(emulator.EmulationError, match="no kernel .*other"):
    emulator.Beside(code, "other", [])
  with pytest.raises(TypeError, match="numpy array, a numpy scalar or bytes is allowed"):
    emulator.Beside(code, "k", [3])
  beside = emulator.Beside(code, "k", [])
  with pytest.raises(emulator.EmulationError, match="beside the launch is for gfx942"):
    emulator.launch(
        amdgpu.assemble("s_nop 0", "gfx950"), "k", b"", grid=1, block=64,
        arch="gfx950", buffers=(), options=emulator.Options(beside=beside))
  options = emulator.Options(beside=beside)
  text = options._text()
  del options, beside
  with pytest.raises(emulator.EmulationError, match="kernel that has been removed"):
    _set_options(text)


def _set_options(text):
  library = emulator._library
  library.check(library.load().jaxgemm_emulator_set_options(text) == 0)


# ---------------------------------------------------------------------------- time


@both
def test_time_passes_with_instructions_and_sleep(arch):
  """s_memrealtime has 100 MHz, a tick every 21 cycles; s_memtime counts cycles."""
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  {clock} s[6:7]
  s_waitcnt lgkmcnt(0)
  {between}
  {clock} s[8:9]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s8, s8, s6
  v_mov_b32 v2, s8
  global_store_dword v1, v2, s[4:5]
  """
  def measure(clock, between, **options):
    out = np.zeros(1, np.uint32)
    emulator.launch(
        amdgpu.assemble(code.format(clock=clock, between=between), arch), "k",
        emulator.pack_arguments(out), grid=1, block=1, arch=arch, buffers=[out],
        options=emulator.Options(**options))
    return int(out[0])

  assert measure("s_memtime", "") == 8
  assert measure("s_memtime", "s_nop 0\n" * 100) == 408
  for quantum in (1, 64):
    assert measure("s_memtime", "s_sleep 32", quantum=quantum) == 12 + 32 * 64
  ticks = measure("s_memrealtime", "s_sleep 127\n" * 10)
  assert abs(ticks - 10 * 127 * 64 / 21) <= 3


@both
def test_who_sleeps_lets_the_others_run(arch):
  """One workgroup sleeps 2048 cycles, another executes 1000 instructions meanwhile:
  the time is that of the longer one."""
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 .Lother
  s_memtime s[6:7]
  s_sleep 32
  s_memtime s[8:9]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s8, s8, s6
  v_mov_b32 v2, s8
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.Lother:
  """ + "s_nop 0\n" * 1000
  for seed in range(3):
    out = np.zeros(1, np.uint32)
    emulator.launch(
        amdgpu.assemble(code, arch), "k", emulator.pack_arguments(out), grid=2, block=1,
        arch=arch, buffers=[out], options=emulator.Options(seed=seed))
    # At most 4000 cycles of instructions pass before the sleeping wave's next turn.
    assert 2048 <= out[0] <= 4096
