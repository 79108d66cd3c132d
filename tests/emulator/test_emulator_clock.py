"""Tests each rule of the clock on programs whose times can be counted by hand."""

import itertools
import json

import numpy as np
import pytest

from jaxgemm import emulator
from jaxgemm.emulator import clock
from tests.support import amdgpu

both = pytest.mark.parametrize("arch", amdgpu.ARCHS)
with_scopes = pytest.mark.parametrize("arch", amdgpu.WITH_SCOPES)

# Matrix instructions of 4 and 8 passes.
MFMA = {"gfx942": "v_mfma_f32_16x16x16_bf16 {c}, v[2:3], v[4:5], {c}",
        "gfx950": "v_mfma_f32_16x16x32_bf16 {c}, v[4:7], v[8:11], {c}"}
LONG_MFMA = {"gfx942": "v_mfma_f32_32x32x8_bf16 {c}, v[2:3], v[4:5], {c}",
             "gfx950": "v_mfma_f32_32x32x16_bf16 {c}, v[4:7], v[8:11], {c}"}
LDS_ADDRESSES = "v_lshlrev_b32 v1, {shift}, v0\n"


def run(body, arch, *, groups=1, block=64, lds=0, buffers=(), constants=None,
        registers=1 << 16, **options):
  """The clock of a kernel's `groups` workgroups on one compute unit.

  `registers`: those of a SIMD. These kernels declare 512, and use few.
  """
  constants = {"simd_registers": registers} | (constants or {})
  record = emulator.launch(
      amdgpu.assemble(body, arch, lds), "k", emulator.pack_arguments(*buffers), grid=groups,
      block=block, arch=arch, buffers=list(buffers),
      options=emulator.Options(clock=groups, timeline=True, check_hazards=False,
                               check_uninitialized=False, constants=constants, **options))
  return record.clock


def value(arch, name):
  return clock.constants(arch)[name].value


def issued(times, text, wave=0):
  """The cycles in which a wave issued the instructions that begin with `text`."""
  return [event.issued for event in times.waves[wave].timeline
          if times.code[event.offset].startswith(text)]


def matrix(arch, count, first=0):
  return "\n".join(MFMA[arch].format(c=f"a[{4 * i}:{4 * i + 3}]")
                   for i in range(first, first + count)) + "\n"


# ------------------------------------------------------------------ arithmetic of a wave


@with_scopes
def test_independent_matrix_instructions_take_four_cycles_a_pass(arch):
  times = run(matrix(arch, 16), arch)
  assert times.cycles == 16 * 4 * 4
  assert times.matrix_cycles == (256, 0, 0, 0)
  assert issued(times, "v_mfma") == [16 * i for i in range(16)]
  long = "\n".join(LONG_MFMA[arch].format(c=f"a[{16 * i}:{16 * i + 15}]") for i in range(4))
  assert run(long, arch).cycles == 4 * 8 * 4
  assert run(matrix(arch, 16) + long.replace("a[0:15]", "a[240:255]"), arch).cycles == 256 + 128


@pytest.mark.parametrize("formats, cycles", [
    ("v[4:11], v[12:19], {c}", 32), ("v[4:7], v[12:19], {c} cbsz:4", 32),
    ("v[4:11], v[12:15], {c} cbsz:1 blgp:4", 32), ("v[4:7], v[12:15], {c} cbsz:4 blgp:4", 16)])
@pytest.mark.parametrize("scales", [False, True])
def test_only_two_operands_of_four_bits_take_half_the_passes(formats, cycles, scales):
  mnemonic, scale = ("v_mfma_scale_f32", ", v20, v21 op_sel_hi:[0,0,0]") if scales else (
      "v_mfma_f32", "")
  operands = formats.replace("{c}", "{c}" + scale)
  each = f"{mnemonic}_16x16x128_f8f6f4 {{c}}, {operands}"
  code = "\n".join(each.format(c=f"v[{32 + 4 * i}:{35 + 4 * i}]") for i in range(8))
  times = run(code, "gfx950")
  assert times.matrix_cycles == (8 * cycles, 0, 0, 0)
  assert issued(times, "v_mfma") == [cycles * i for i in range(8)]


@with_scopes
def test_accumulation_in_place_is_forwarded(arch):
  assert run(MFMA[arch].format(c="a[0:3]") + "\n" + MFMA[arch].format(c="a[0:3]"),
             arch).cycles == 2 * 16


@with_scopes
def test_other_readers_wait_for_a_matrix_result(arch):
  """Other readers wait for the manuals' wait states: passes + 3, and one more on gfx950."""
  times = run(matrix(arch, 1) + "v_accvgpr_read_b32 v20, a0\n", arch)
  states = 4 + 3 + (arch == "gfx950")
  assert issued(times, "v_accvgpr_read") == [4 * (states + 1)]
  assert times.waves[0].cycles["dependency"] == 4 * states
  # Another register is free at once: vector and matrix instructions run side by side.
  assert issued(run(matrix(arch, 1) + "v_accvgpr_read_b32 v20, a8\n", arch),
                "v_accvgpr_read") == [4]


@both
def test_vector_and_scalar_instructions(arch):
  times = run("v_add_u32 v1, v1, v1\n" * 5 + "v_exp_f32 v2, v3\n" * 2 + "s_add_u32 s4, s4, s4\n",
              arch)
  assert issued(times, "v_add") == [0, 4, 8, 12, 16]
  assert issued(times, "v_exp") == [20, 36]  # a quarter of the rate
  assert issued(times, "s_add") == [40]      # its unit is another
  assert times.vector_cycles[0] == 5 * 4 + 2 * 16 and times.scalar_cycles == 1


@both
def test_a_taken_branch_refetches_and_nops_idle(arch):
  times = run("s_nop 3\ns_cmp_eq_u32 s4, s4\ns_cbranch_scc0 1\ns_nop 0\ns_cbranch_scc1 0\n"
              "s_branch 1\ns_nop 7\ns_nop 0\n", arch)
  taken = int(value(arch, "branch_taken_cycles"))
  assert issued(times, "s_cmp") == [16]
  assert issued(times, "s_branch") == [32]
  assert times.waves[0].end == 32 + taken + 4 + 4
  assert times.waves[0].cycles["branch"] == taken - 4
  assert times.waves[0].cycles["idle"] == 12


# ------------------------------------------------------------------ waves of a SIMD


@with_scopes
def test_waves_share_their_simd_and_not_the_others(arch):
  """Of five waves, the first and the last are on the same SIMD."""
  times = run(matrix(arch, 8), arch, block=5 * 64)
  assert [wave.simd for wave in times.waves] == [0, 1, 2, 3, 0]
  assert times.matrix_cycles == (256, 128, 128, 128)
  assert times.cycles == 256  # the two waves keep the pipe busy together
  assert issued(times, "v_mfma", wave=0) == [16 * i for i in range(8)]  # the older one first
  assert times.waves[4].cycles["matrix_pipe"] >= 128 - 16


@with_scopes
def test_vector_work_of_one_wave_hides_under_matrix_work_of_another(arch):
  """Wave 4 skips the matrix instructions and runs vector ones."""
  body = """
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc0 .Lvector
  {matrix}
  s_endpgm
.Lvector:
  {vector}
  """
  count = 12
  both_kinds = body.format(matrix=matrix(arch, 16), vector="v_add_u32 v1, v1, v1\n" * count)
  times = run(both_kinds, arch, block=5 * 64)
  first, last = (issued(times, "v_mfma")[i] for i in (0, -1))
  assert last - first <= 15 * 16 + 4 * 4  # vector issue hardly delays the matrix pipe
  adds = issued(times, "v_add", wave=4)
  assert len(adds) == count and first < adds[0] and adds[-1] < last


@both
def test_priority_decides_who_issues(arch):
  """Both waves of a SIMD need the vector unit; the younger one raises its priority."""
  body = """
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 256
  s_cbranch_scc0 .Lgo
  s_setprio {priority}
.Lgo:
  s_barrier
  {vector}
  """
  ends = {}
  for priority in (0, 2):
    times = run(body.format(priority=priority, vector="v_add_u32 v1, v1, v1\n" * 20), arch,
                block=5 * 64)
    ends[priority] = [max(issued(times, "v_add", wave=w)) for w in (0, 4)]
    assert abs(ends[priority][0] - ends[priority][1]) == 80
  assert ends[0][0] < ends[0][1] and ends[2][1] < ends[2][0]


@both
def test_a_barrier_waits_for_the_last_wave(arch):
  body = """
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 64
  s_cbranch_scc0 .Lgo
  s_nop 15
  s_nop 15
.Lgo:
  s_barrier
  s_nop 0
  """
  times = run(body, arch, block=128)
  arrived = [issued(times, "s_barrier", wave=w)[0] for w in (0, 1)]
  assert arrived[1] - arrived[0] > 60
  released = [times.waves[w].end - 8 for w in (0, 1)]
  for cycle in released:  # each in the turn of its SIMD
    assert 0 <= cycle - arrived[1] - value(arch, "barrier_cycles") < 4
  assert times.waves[0].cycles["barrier"] >= 60


# ------------------------------------------------------------------ LDS


@both
def test_bank_conflicts_cost_their_cycles(arch):
  """Lane i reads dword 32 i, so that all lanes of a phase use one bank."""
  ends = {}
  for shift in (2, 7):
    times = run(LDS_ADDRESSES.format(shift=shift) + "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n",
                arch, lds=8192)
    ends[shift] = times.waves[0].end
    assert times.lds_cycles == {2: 2, 7: 64}[shift]  # two phases of 32 lanes
  assert ends[2] == 4 + -(-(2 + int(value(arch, "lds_latency"))) // 4) * 4 + 4 + 4
  assert ends[7] - ends[2] in (60, 64)  # 62, in turns of four cycles


@both
def test_lgkmcnt_waits_for_the_older_reads_only(arch):
  reads = LDS_ADDRESSES.format(shift=4) + "".join(
      f"ds_read_b128 v[{8 + 4 * i}:{11 + 4 * i}], v1 offset:{1024 * i}\n" for i in range(4))
  done = {}
  for count in (3, 0):
    times = run(reads + f"s_waitcnt lgkmcnt({count})\n", arch, lds=4096)
    done[count] = issued(times, "s_waitcnt")[0]
  lds = times.lds_cycles // 4  # of a read of 1024 bytes
  assert lds == {"gfx942": 8, "gfx950": 4, "gfx90a": 8}[arch]
  assert abs(done[0] - done[3] - 3 * max(lds, 4)) <= 4
  assert times.waves[0].cycles["lgkmcnt"] > value(arch, "lds_latency") - 16


# ------------------------------------------------------------------ memory

LOADS = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  {first}
  s_waitcnt vmcnt(0)
  {second}
  s_waitcnt vmcnt(0)
"""


def wait_of(times, number):
  """Cycles from the issue of the load to that of its wait."""
  return (issued(times, "s_waitcnt")[number] - issued(times, "global_load")[number - 1])


@both
def test_loads_take_the_latency_of_the_cache_that_has_them(arch):
  data = np.zeros(4096, np.uint8)
  load = "global_load_dwordx4 v[8:11], v1, s[4:5]"
  line = 128
  for percent, name in ((100, "l2_latency"), (0, "miss_latency")):
    times = run(LOADS.format(first=load, second=load), arch, buffers=[data],
                constants={"l2_hit_percent": percent})
    lines = 1024 // line
    assert times.l1_misses == times.l1_hits == lines
    assert times.l2_misses == (0 if percent else lines)
    # The second load hits the L1: 1024 bytes, then the latency.
    taken = 1024 / value(arch, "l1_bytes_per_cycle")
    assert 0 <= wait_of(times, 2) - taken - value(arch, "l1_latency") <= 8
    rate = value(arch, "l2_bytes_per_cycle" if percent else "miss_bytes_per_cycle")
    least = value(arch, name) + lines * line / rate
    assert 0 <= wait_of(times, 1) - least <= 8


@both
def test_addresses_in_this_process_do_not_matter(arch):
  """The clock assumes that each buffer begins at a page: the load has four lines, not five."""
  memory = np.zeros(8192, np.uint8)
  first = -memory.ctypes.data % 4096
  load = "global_load_dwordx2 v[8:9], v1, s[4:5]"
  times = [run(LOADS.format(first=load, second=load).replace("v1, 4,", "v1, 3,"), arch,
               buffers=[memory[first + offset:first + offset + 512]])
           for offset in (0, 8, 80)]
  assert times[0] == times[1] == times[2]
  assert times[0].l1_misses == times[0].l1_hits == 4


@both
def test_vmcnt_counts_in_order(arch):
  """The second load hits the L1, but does not count before the first."""
  data = np.zeros(8192, np.uint8)
  body = LOADS.format(
      first="global_load_dword v2, v1, s[4:5] offset:2048",
      second="global_load_dwordx4 v[8:11], v1, s[4:5]\n"
             "global_load_dword v3, v1, s[4:5] offset:2048\ns_waitcnt vmcnt({0})")
  slow = run(body.format(1), arch, buffers=[data])
  fast = run(body.format(2), arch, buffers=[data])
  assert issued(slow, "s_waitcnt")[-1] - issued(slow, "s_waitcnt")[-2] <= 4
  assert issued(fast, "s_waitcnt")[-1] - issued(fast, "s_waitcnt")[-2] > 100
  assert abs(fast.waves[0].end - slow.waves[0].end) <= 4


@both
def test_bandwidth_of_the_compute_unit_limits_many_loads(arch):
  data = np.zeros(1 << 17, np.uint8)
  body = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s6, 0
.Lloop:
  global_load_dwordx4 v[8:11], v1, s[4:5]
  v_add_u32 v1, 0x4000, v1
  s_add_u32 s6, s6, 1
  s_cmp_lt_u32 s6, 8
  s_cbranch_scc1 .Lloop
  s_waitcnt vmcnt(0)
  """
  for rate in (16, 32):
    times = run(body, arch, block=1024, buffers=[data],
                constants={"l2_hit_percent": 100, "l2_bytes_per_cycle": rate})
    assert abs(times.cycles - (1 << 17) / rate) < 600


@both
def test_waves_of_all_simds_take_turns_at_the_memory_pipe(arch):
  """Each load has 64 lines, so the pipe's queue is full."""
  loads = "global_load_dwordx4 v[8:11], v1, s[4:5]\n" * 40
  body = ("s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_and_b32 v1, 63, v0\nv_lshlrev_b32 v1, 7, v1\n"
          "s_waitcnt lgkmcnt(0)\n" + loads)
  times = run(body, arch, block=256, buffers=[np.zeros(64 * 128 + 16, np.uint8)])
  assert {wave.simd for wave in times.waves} == {0, 1, 2, 3}
  # Once the queue is full, each wave waits for one load of each of the three others.
  turn = 4 * 64 * 64 / value(arch, "l1_bytes_per_cycle")
  for wave in range(4):
    for earlier, later in itertools.pairwise(issued(times, "global_load", wave)[10:30]):
      assert abs(later - earlier - turn) <= 8
  assert all(wave.cycles["memory_queue"] > 500 for wave in times.waves)


@pytest.mark.parametrize("kind", ["buffer_load_dword", "buffer_load_dwordx4"])
def test_loads_to_the_lds_count_when_they_are_written(kind):
  arch = "gfx950"
  body = f"""
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s6, 2048
  s_mov_b32 s7, 0x00020000
  s_mov_b32 m0, 0
  {kind} v1, s[4:7], 0 offen lds
  s_waitcnt vmcnt(0)
  """
  times = run(body, arch, lds=4096, buffers=[np.zeros(2048, np.uint8)])
  assert times.lds_cycles == {"buffer_load_dword": 2, "buffer_load_dwordx4": 8}[kind]
  (load,) = (e for e in times.waves[0].timeline if times.code[e.offset].startswith("buffer_load"))
  assert 0 <= issued(times, "s_waitcnt")[-1] - load.done <= 4


# ------------------------------------------------------------------ workgroups and report


def test_workgroups_share_the_compute_unit_as_lds_and_registers_allow():
  """These kernels take all 512 registers, so each SIMD has one wave."""
  for arch, lds, resident in (("gfx942", 0, 4), ("gfx942", 32768, 2), ("gfx950", 65536, 2),
                              ("gfx950", 65536 // 2, 4)):
    times = run("s_nop 15\n", arch, groups=6, lds=lds, registers=512)
    assert times.resident == resident
    assert [wave.workgroup for wave in times.waves] == list(range(6))
    next_start = times.waves[resident].start - (min(wave.end for wave in times.waves) - 4)
    assert next_start == value(arch, "next_workgroup_cycles") > 0
  with pytest.raises(emulator.EmulationError, match="does not fit into a compute unit"):
    run("s_nop 0\n", "gfx942", registers=256)


@with_scopes
def test_main_loop(arch):
  """An iteration has four matrix instructions and one taken branch; each wave has its own SIMD."""
  body = f"""
  s_mov_b32 s6, 0
.Lloop:
  {matrix(arch, 4)}
  s_add_u32 s6, s6, 1
  s_cmp_lt_u32 s6, {{count}}
  s_cbranch_scc1 .Lloop
  """
  times = run(body.format(count=20), arch, block=256)
  cycles = 3 * 16 + 4 + 4 + 4 + value(arch, "branch_taken_cycles")
  assert times.loop.cycles == cycles and times.loop.iterations >= 8
  assert times.loop.matrix_share == pytest.approx(64 / cycles)
  assert times.code[times.loop.last_offset].startswith("s_cbranch")
  assert times.utilisation()["matrix"] == pytest.approx(20 * 64 / times.cycles)
  assert run(body.format(count=3), arch).loop is None


@with_scopes
def test_times_do_not_depend_on_the_order_of_emulation(arch):
  body = LDS_ADDRESSES.format(shift=4) + """
  ds_write_b128 v1, v[4:7]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b128 v[8:11], v1
  s_waitcnt lgkmcnt(0)
  """ + matrix(arch, 6)
  results = [run(body, arch, block=512, lds=8192, seed=seed, quantum=1 + 5 * seed)
             for seed in range(3)]
  assert results[0] == results[1] == results[2]
  for wave in results[0].waves:  # all of a wave's time is accounted for
    assert sum(wave.cycles.values()) == wave.end - wave.timeline[0].issued


def test_trace_of_the_timeline(tmp_path):
  arch = "gfx950"
  times = run(LDS_ADDRESSES.format(shift=2) + "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n"
              + matrix(arch, 2), arch, lds=256)
  clock.write_trace(times, tmp_path / "trace.json")
  events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
  slices = [e for e in events if e["ph"] == "X" and e["tid"] == 1]
  (wait,) = (e for e in slices if e["name"] == "wait: lgkmcnt")
  assert wait["ts"] == 8 and 0 <= wait["dur"] - value(arch, "lds_latency") <= 4
  assert [e["dur"] for e in slices if e["name"] == "wait: matrix_pipe"] == [12]
  issue = [e for e in slices if not e["name"].startswith("wait")]
  assert [e["ts"] for e in issue] == [event.issued for event in times.waves[0].timeline]
  assert [e["dur"] for e in events if e["ph"] == "X" and e["tid"] == 0] == [16, 16]
  begin, end = (e for e in events if e["ph"] in "be")
  assert end["ts"] - begin["ts"] == 2 + value(arch, "lds_latency")
  record = emulator.launch(amdgpu.assemble("s_nop 0\n", arch), "k", b"", grid=1, block=64,
                           arch=arch, buffers=[], options=emulator.Options(clock=1))
  with pytest.raises(ValueError, match="timeline=True"):
    clock.write_trace(record.clock, tmp_path / "none.json")


def test_constants_have_units_and_sources():
  for arch in amdgpu.ARCHS:
    table = clock.constants(arch)
    assert table["cus"].value == {"gfx942": 304, "gfx950": 256, "gfx90a": 110}[arch]
    assert all(row.unit and len(row.source) >= 10 for row in table.values())
  with pytest.raises(emulator.EmulationError, match="gfx908"):
    clock.constants("gfx908")
  with pytest.raises(emulator.EmulationError, match='no constant "speed"'):
    run("s_nop 0\n", "gfx942", constants={"speed": 1})


def test_without_the_option_there_is_no_clock():
  record = emulator.launch(amdgpu.assemble("s_nop 0\n", "gfx942"), "k", b"", grid=1, block=64,
                           arch="gfx942", buffers=[])
  assert record.clock is None
