"""Memory between workgroups in the emulator: release, acquire, atomics, and AGPRs.

The sequences are those of LLVM's AMDGPUUsage, "Memory Model GFX942".
"""

import numpy as np
import pytest

from jaxgemm import emulator
from tests.support import amdgpu

both = pytest.mark.parametrize("arch", amdgpu.ARCHS)
with_scopes = pytest.mark.parametrize("arch", amdgpu.WITH_SCOPES)

# Workgroup 0 fills `data` with 128 values and sets a flag; workgroup 1 waits for the
# flag and copies them, reversed, so that each wave reads values of the writer's other
# wave.
MESSAGE = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0      ; data, flag
  s_load_dwordx2 s[8:9], s[0:1], 0x10     ; out
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 0
  v_mov_b32 v3, 1
  v_cmp_eq_u32 vcc, 0, v0
  s_mov_b64 s[20:21], vcc
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 .Lreader
  v_add_u32 v4, 7, v0
  global_store_dword v1, v4, s[4:5] {store}
  {writer_wait}
  {writer_barrier}
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz .Ldone
  {write_back}
  {released}
  {set_flag}
  s_branch .Ldone
.Lreader:
  s_and_saveexec_b64 s[10:11], s[20:21]
  s_cbranch_execz .Lseen
.Lagain:
  s_sleep 1
  {read_flag}
  {flag_wait}
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v5
  s_cmp_eq_u32 s12, 0
  s_cbranch_scc1 .Lagain
  {invalidate}
.Lseen:
  s_mov_b64 exec, s[10:11]
  {reader_barrier}
  v_xor_b32 v6, 0x1fc, v1
  global_load_dword v7, v6, s[4:5] {load}
  s_waitcnt vmcnt(0)
  global_store_dword v1, v7, s[8:9]
.Ldone:
"""
RIGHT = dict(
    store="", writer_wait="s_waitcnt vmcnt(0)", writer_barrier="s_barrier",
    write_back="buffer_wbl2 sc1", released="s_waitcnt vmcnt(0)",
    set_flag="global_atomic_add v2, v3, s[6:7]",
    read_flag="global_load_dword v5, v2, s[6:7] sc1", flag_wait="",
    invalidate="buffer_inv sc1", reader_barrier="s_barrier", load="",
)
# Stores that are written through need no write-back, and loads that bypass the caches
# need no invalidation.
THROUGH = RIGHT | dict(store="sc1", write_back="", load="sc1", invalidate="")


def message(arch, parts, **options):
  data, flag, out = (np.zeros(n, np.uint32) for n in (128, 16, 128))
  record = emulator.launch(
      amdgpu.assemble(MESSAGE.format(**parts), arch), "k",
      emulator.pack_arguments(data, flag, out), grid=2, block=128, arch=arch,
      buffers=dict(data=data, flag=flag, out=out),
      options=emulator.Options(idle_limit=50_000, **options))
  np.testing.assert_array_equal(out, np.arange(128)[::-1] + 7)
  return record


@with_scopes
@pytest.mark.parametrize("parts", [
    RIGHT,
    THROUGH,
    RIGHT | dict(set_flag="global_store_dword v2, v3, s[6:7] sc1"),
    RIGHT | dict(read_flag="v_mov_b32 v4, 0\n  global_atomic_add v5, v2, v4, s[6:7] sc0"),
    RIGHT | dict(write_back="buffer_wbl2 sc0 sc1", invalidate="buffer_inv sc0 sc1",
                 set_flag="global_atomic_add v2, v3, s[6:7] sc1",
                 read_flag="global_load_dword v5, v2, s[6:7] sc0 sc1"),
])
def test_release_and_acquire(arch, parts):
  for seed in range(4):
    message(arch, parts, seed=seed, quantum=(1, 4, 16, 64)[seed])


@with_scopes
@pytest.mark.parametrize("parts, fault", [
    (RIGHT | dict(write_back=""), "the writer did not release it before the flag"),
    (RIGHT | dict(write_back="buffer_wbl2 sc0"), "the writer did not release it"),
    (RIGHT | dict(released=""), "the writer did not release it"),
    (RIGHT | dict(writer_wait=""), "the writer did not release it"),
    (RIGHT | dict(writer_barrier=""), "the writer did not release it|this overwrites what"),
    (RIGHT | dict(invalidate=""), "seen without a buffer_inv sc1"),
    (RIGHT | dict(invalidate="buffer_inv sc0"), "seen without a buffer_inv sc1"),
    (RIGHT | dict(invalidate="", flag_wait="buffer_inv sc1"), "seen without a buffer_inv sc1"),
    (RIGHT | dict(reader_barrier=""), "has not acquired anything"),
    (RIGHT | dict(set_flag="global_store_dword v2, v3, s[6:7]"), "Race .*flag|reads what wave 0"),
    (RIGHT | dict(read_flag="global_load_dword v5, v2, s[6:7]"), "Race in global memory"),
    (THROUGH | dict(store=""), "the writer did not release it"),
    (THROUGH | dict(load=""), "seen without a buffer_inv sc1"),
])
def test_lost_release_or_acquire(arch, parts, fault):
  """Each loss is a race in every order of turns in which the reader runs second."""
  with pytest.raises(emulator.EmulationError, match=fault):
    for seed in range(4):
      message(arch, parts, seed=seed)


@with_scopes
def test_who_polls_gives_way_at_s_sleep(arch):
  """Turns are long here; a reader that runs first would poll for its whole turn."""
  for seed in range(4):
    assert message(arch, RIGHT, seed=seed, quantum=100_000).cost["instructions"] < 1000


@both
def test_overwriting_what_another_workgroup_uses(arch):
  """Two unordered workgroups write the same word, or one writes and one reads it."""
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  {access}
  """
  def launch(access, **options):
    data = np.zeros(64, np.uint32)
    emulator.launch(amdgpu.assemble(code.format(access=access), arch), "k",
                    emulator.pack_arguments(data), grid=2, block=64, arch=arch, buffers=[data],
                    options=emulator.Options(**options))
    return data
  with pytest.raises(emulator.EmulationError, match="overwrites what wave 0 of workgroup . wrote"):
    launch("global_store_dword v1, v0, s[4:5]")
  launch("global_store_dword v1, v0, s[4:5]", check_global_races=False)
  load_and_store = """
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 .Lskip
  global_store_dword v1, v0, s[4:5]
.Lskip:"""
  with pytest.raises(emulator.EmulationError, match="overwrites what .* reads|reads what .* wrote"):
    launch(load_and_store)
  # Atomics do not race with one another.
  np.testing.assert_array_equal(launch("global_atomic_add v1, v0, s[4:5]"), 2 * np.arange(64))
  # Accesses to different bytes of one word do not race.
  data = np.zeros(128, np.uint8)
  emulator.launch(amdgpu.assemble("""
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 1, v0
  v_add_u32 v1, s2, v1
  s_waitcnt lgkmcnt(0)
  global_store_byte v1, v1, s[4:5]""", arch), "k", emulator.pack_arguments(data), grid=2,
                  block=64, arch=arch, buffers=[data])
  np.testing.assert_array_equal(data, np.arange(128))


@both
def test_waves_of_a_workgroup_share_global_memory_across_a_barrier(arch):
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_xor_b32 v2, 0x100, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[4:5]
  {barrier}
  global_load_dword v3, v2, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[4:5] offset:512
  """
  def launch(barrier):
    data = np.zeros(256, np.uint32)
    emulator.launch(amdgpu.assemble(code.format(barrier=barrier), arch), "k",
                    emulator.pack_arguments(data), grid=1, block=128, arch=arch, buffers=[data])
    return data
  np.testing.assert_array_equal(launch("s_barrier")[128:], np.arange(128) ^ 64)
  with pytest.raises(emulator.EmulationError, match="no barrier lies in between"):
    launch("")


@both
def test_scalar_loads_do_not_see_the_kernels_stores(arch):
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v1, s[4:5] offset:{offset}
  s_waitcnt vmcnt(0)
  s_load_dword s6, s[4:5], 0x0
  """
  data = np.zeros(4, np.uint32)
  run = lambda offset: emulator.launch(  # noqa: E731
      amdgpu.assemble(code.format(offset=offset), arch), "k", emulator.pack_arguments(data),
      grid=1, block=64, arch=arch, buffers=[data])
  run(8)
  with pytest.raises(emulator.EmulationError, match="scalar load reads .* has written"):
    run(0)


# ------------------------------------------------------------------------------ atomics


@both
def test_global_atomics_return_the_old_value(arch):
  code = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 0
  v_mov_b32 v3, 1
  s_lshl_b32 s8, s2, 8
  v_add_u32 v5, s8, v1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v4, v2, v3, s[4:5] sc0
  s_waitcnt vmcnt(0)
  global_store_dword v5, v4, s[6:7]
  """.replace("sc0", amdgpu.RETURNS[arch])
  counter, out = np.zeros(1, np.uint32), np.zeros(64 * 6, np.uint32)
  for seed in range(3):
    counter[:], out[:] = 0, 0
    emulator.launch(amdgpu.assemble(code, arch), "k", emulator.pack_arguments(counter, out),
                    grid=6, block=64, arch=arch, buffers=[counter, out],
                    options=emulator.Options(seed=seed, quantum=2))
    assert counter[0] == 384
    np.testing.assert_array_equal(np.sort(out), np.arange(384))


I32, U32 = np.int32, np.uint32
ATOMICS = [
    ("swap", U32, 5, 9, 9), ("add", U32, 2**32 - 1, 3, 2), ("sub", U32, 1, 3, 2**32 - 2),
    ("smin", I32, -5, 3, -5), ("umin", U32, 2**32 - 5, 3, 3), ("smax", I32, -5, 3, 3),
    ("umax", U32, 2**32 - 5, 3, 2**32 - 5), ("and", U32, 12, 10, 8), ("or", U32, 12, 10, 14),
    ("xor", U32, 12, 10, 6), ("inc", U32, 4, 4, 0), ("inc", U32, 3, 4, 4), ("dec", U32, 0, 4, 4),
    ("dec", U32, 9, 4, 4), ("dec", U32, 3, 4, 2), ("add_f32", np.float32, 1.5, 2.25, 3.75),
]


@both
@pytest.mark.parametrize("name, dtype, old, value, new", ATOMICS)
def test_atomic_operations(arch, name, dtype, old, value, new):
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v2, 0
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  s_load_dword s6, s[4:5], 0x4
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, s6
  global_atomic_{name} v4, v2, v3, s[4:5] sc0
  s_waitcnt vmcnt(0)
  global_store_dword v2, v4, s[4:5] offset:8
  """.replace("sc0", amdgpu.RETURNS[arch])
  data = np.array([old, value, 0], dtype)
  emulator.launch(amdgpu.assemble(code.format(name=name), arch), "k",
                  emulator.pack_arguments(data), grid=1, block=64, arch=arch, buffers=[data])
  assert list(data) == [new, value, old]


@both
def test_compare_and_swap_global_and_lds(arch):
  """Global atomics have the new value before the compared one, LDS atomics after it."""
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 100
  v_mov_b32 v3, 5
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_cmpswap v4, v1, v[2:3], s[4:5] sc0
  global_atomic_cmpswap v5, v1, v[2:3], s[4:5] sc0
  ds_write_b32 v1, v3
  ds_cmpst_rtn_b32 v6, v1, v3, v2
  ds_cmpst_rtn_b32 v7, v1, v3, v2
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dwordx4 v1, v[4:7], s[4:5] offset:16
  """.replace("sc0", amdgpu.RETURNS[arch])
  data = np.array([5] + 7 * [0], np.uint32)
  emulator.launch(amdgpu.assemble(code, arch, 64), "k", emulator.pack_arguments(data), grid=1,
                  block=64, arch=arch, buffers=[data])
  assert list(data) == [100, 0, 0, 0, 5, 100, 5, 100]


@both
def test_lds_atomics(arch):
  """Two waves count in one LDS word without a barrier; all old values differ."""
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v2, 1
  v_lshlrev_b32 v3, 2, v0
  v_cmp_eq_u32 vcc, 0, v0
  s_and_saveexec_b64 s[6:7], vcc
  ds_write_b32 v1, v1
  s_mov_b64 exec, s[6:7]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_add_rtn_u32 v4, v1, v2
  s_waitcnt lgkmcnt(0)
  {barrier}
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v3, v4, s[4:5]
  global_store_dword v3, v5, s[4:5] offset:512
  """
  def launch(barrier):
    out = np.zeros(256, np.uint32)
    emulator.launch(amdgpu.assemble(code.format(barrier=barrier), arch, 64), "k",
                    emulator.pack_arguments(out), grid=1, block=128, arch=arch, buffers=[out])
    return out
  out = launch("s_barrier")
  np.testing.assert_array_equal(np.sort(out[:128]), np.arange(128))
  assert set(out[128:]) == {128}
  with pytest.raises(emulator.EmulationError, match="LDS race"):
    launch("")


@both
def test_accumulation_registers(arch):
  """Memory and LDS instructions load and store accumulation registers directly."""
  code = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword a3, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_accvgpr_read_b32 v4, a3
  v_add_u32 v4, 1, v4
  v_accvgpr_write_b32 a255, v4
  v_accvgpr_mov_b32 a0, a255
  ds_write_b32 v1, a0
  s_waitcnt lgkmcnt(0)
  ds_read_b32 a7, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, a7, s[4:5]
  """
  data = np.arange(64, dtype=np.uint32)
  arguments = dict(grid=1, block=64, arch=arch, buffers=[data])
  emulator.launch(amdgpu.assemble(code, arch, 256), "k", emulator.pack_arguments(data),
                  **arguments)
  np.testing.assert_array_equal(data, np.arange(64) + 1)
  missing = code.replace("s_waitcnt lgkmcnt(0)\n  global_store", "global_store")
  with pytest.raises(emulator.EmulationError, match="Register a7 is read while the LDS read"):
    emulator.launch(amdgpu.assemble(missing, arch, 256), "k", emulator.pack_arguments(data),
                    **arguments)


@both
def test_reductions_with_an_arrival_counter(arch):
  """Compiled code, in which the last workgroup at a counter adds the values of all workgroups."""
  source = """
  extern "C" __global__ void sum(unsigned* parts, unsigned* count, unsigned* out, int groups) {
    int item = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
    __shared__ unsigned arrived;
    parts[group * 128 + item] = group * item;
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
    __builtin_amdgcn_s_barrier();
    if (item == 0) {
      arrived = __scoped_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (arrived != groups - 1) return;
    unsigned all = 0;
    for (int g = 0; g < groups; ++g) all += parts[g * 128 + (item ^ 64)];
    out[item] = all;
  }"""
  groups = 7
  for seed in range(4):
    parts, count, out = (np.zeros(n, np.uint32) for n in (128 * groups, 1, 128))
    def launch(text, seed=seed, parts=parts, count=count, out=out):
      emulator.launch(amdgpu.link(text, arch), "sum",
                      emulator.pack_arguments(parts, count, out, np.int32(groups)), grid=groups,
                      block=128, arch=arch, buffers=dict(parts=parts, count=count, out=out),
                      options=emulator.Options(seed=seed, quantum=1 + 9 * seed, resident=3,
                                               xcc="random"))
    text = amdgpu.compile_to_assembly(source, arch)
    launch(text)
    np.testing.assert_array_equal(out, (np.arange(128) ^ 64) * sum(range(groups)))
    # gfx90a has one L2, so its release is only a wait.
    for lost in ("buffer_wbinvl1_vol",) if arch == "gfx90a" else ("buffer_wbl2", "buffer_inv"):
      count[:] = 0
      assert lost in text
      with pytest.raises(emulator.EmulationError, match="Race in global memory"):
        launch("\n".join(line for line in text.splitlines() if lost not in line))


@pytest.mark.parametrize("arch", amdgpu.ARCHS)
def test_plain_loads_beside_atomics_are_allowed_on_request(arch):
  """A loop of compare-and-swap, as XLA's scatters have it, begins with a plain load."""
  code = f"""
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v1, s[4:5]
.Lagain:
  s_waitcnt vmcnt(0)
  v_mov_b32 v5, v3
  v_add_u32 v4, v3, 1
  global_atomic_cmpswap v3, v1, v[4:5], s[4:5] {amdgpu.RETURNS[arch]}
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32 vcc, v3, v5
  s_and_b64 exec, exec, vcc
  s_cbranch_execnz .Lagain
  """
  plain_store = code.replace(".Lagain:", "  v_mov_b32 v6, 0\n  global_store_dword v1, v6, s[4:5]\n"
                             ".Lagain:")

  def run(body, **options):
    words = np.zeros(1, np.uint32)
    emulator.launch(amdgpu.assemble(body, arch), "k", emulator.pack_arguments(words), arch=arch,
                    grid=3, block=64, buffers=[words],
                    options=emulator.Options(check_waits=False, check_hazards=False, **options))
    return words[0]

  for seed in range(3):
    assert run(code, check_atomic_races=False, seed=seed) == 3 * 64
    with pytest.raises(emulator.EmulationError, match="Race in global memory"):
      run(code, seed=seed)
    if arch in amdgpu.WITH_SCOPES:  # on gfx90a a store of a word may be a flag
      with pytest.raises(emulator.EmulationError, match="Race in global memory"):
        run(plain_store, check_atomic_races=False, seed=seed)
