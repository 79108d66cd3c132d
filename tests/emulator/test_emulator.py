"""The emulator runs compiled code, counts its work, and stands in for the HIP runtime."""

import ctypes
import threading

import numpy as np
import pytest

from jaxgemm import emulator
from tests.support import amdgpu
from tests.support.paths import ROOT

both = pytest.mark.parametrize("arch", amdgpu.ARCHS)
with_scopes = pytest.mark.parametrize("arch", amdgpu.WITH_SCOPES)

# A 16x16 output tile for two waves, through the LDS. Each wave multiplies half of every
# k tile, and the two add their accumulators at the end.
TILED = """
typedef float f4 __attribute__((ext_vector_type(4)));
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128)))
void tiled(const float* a, const float* b, float* out, int n, int k) {
  __shared__ float tile_a[16 * 17], tile_b[16 * 17], sum[16 * 16];
  int item = __builtin_amdgcn_workitem_id_x(), lane = item % 64, wave = item / 64;
  int m0 = 16 * __builtin_amdgcn_workgroup_id_x(), n0 = 16 * __builtin_amdgcn_workgroup_id_y();
  f4 c = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = item; i < 256; i += 128) {
      tile_a[i / 16 * 17 + i % 16] = a[(m0 + i / 16) * k + k0 + i % 16];
      tile_b[i / 16 * 17 + i % 16] = b[(n0 + i / 16) * k + k0 + i % 16];
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    for (int j = 8 * wave; j < 8 * wave + 8; j += 4) {
      c = __builtin_amdgcn_mfma_f32_16x16x4f32(tile_a[lane % 16 * 17 + j + lane / 16],
                                               tile_b[lane % 16 * 17 + j + lane / 16], c, 0, 0, 0);
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
  }
  for (int r = 0; r < 4; ++r) if (wave == 1) sum[(lane / 16 * 4 + r) * 16 + lane % 16] = c[r];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  for (int r = 0; r < 4; ++r) {
    int row = lane / 16 * 4 + r, col = lane % 16;
    if (wave == 0) out[(m0 + row) * n + n0 + col] = c[r] + sum[row * 16 + col];
  }
}
"""


def run_tiled(arch, **options):
  rng = np.random.default_rng(1)
  a, b = (rng.integers(-4, 5, (size, 64)).astype(np.float32) for size in (48, 32))
  a.flags.writeable = b.flags.writeable = False
  out = np.zeros((48, 32), np.float32)
  record = emulator.launch(
      amdgpu.compile_hip(TILED, arch), "tiled",
      emulator.pack_arguments(a, b, out, np.int32(32), np.int32(64)), grid=(3, 2), block=128,
      arch=arch, buffers=dict(a=a, b=b, out=out), options=emulator.Options(**options))
  np.testing.assert_array_equal(out, a @ b.T)
  return record


@both
def test_compiled_kernel_under_any_interleaving(arch):
  for seed in range(6):
    run_tiled(arch, seed=seed, quantum=(1, 3, 7, 64, 1000, 5)[seed], resident=1 + seed % 4)
  run_tiled(arch, shuffle=False)
  fields = dict.fromkeys((f for f in emulator.Options.__annotations__ if f.startswith("check_")),
                         False)
  checked, unchecked = run_tiled(arch).cost, run_tiled(arch, **fields).cost
  # global_lines is the only counter that depends on the addresses of the arrays.
  assert checked.pop("global_lines") > 0 and unchecked.pop("global_lines") > 0
  assert checked == unchecked


@both
def test_record(arch):
  record = run_tiled(arch, profile=True)
  assert (record.kernel, record.arch, record.grid, record.block) == (
      "tiled", arch, (3, 2, 1), (128, 1, 1))
  cost = record.cost
  # Six workgroups of two waves, four k tiles, two matrix instructions for each of them.
  assert cost["workgroups"] == 6 and cost["waves"] == 12
  assert cost["matrix"] == 6 * 2 * 4 * 2
  assert cost["matrix_cycles"] == 32 * cost["matrix"] == sum(cost["simd_matrix_cycles"])
  assert cost["barrier"] == 6 * 2 * 9
  assert cost["global_read_bytes"] == 6 * 4 * 2 * 1024
  assert cost["global_write_bytes"] == 48 * 32 * 4
  assert sum(n for _, n, _ in record.profile) == cost["instructions"]
  assert sum(n for _, n, text in record.profile if text.startswith("v_mfma")) == cost["matrix"]
  kinds = ("matrix vector scalar branch wait barrier other scalar_memory lds_read lds_write "
           "lds_atomic lane_permute global_load global_to_lds global_store global_atomic scratch")
  assert sum(cost[kind] for kind in kinds.split()) == cost["instructions"]


def test_kernels_and_what_they_need():
  (kernel,) = emulator.kernels(amdgpu.compile_hip(TILED, "gfx950"))
  assert kernel["name"] == "tiled" and kernel["arch"] == "gfx950"
  assert kernel["lds_bytes"] == 4 * (2 * 16 * 17 + 256)
  assert kernel["vgpr_spills"] == kernel["scratch_bytes"] == 0
  assert [tuple(a) for a in kernel["arguments"] if not a[0].startswith("hidden")] == [
      ("global_buffer", 0, 8), ("global_buffer", 8, 8), ("global_buffer", 16, 8),
      ("by_value", 24, 4), ("by_value", 28, 4)]
  with pytest.raises(emulator.EmulationError, match="not an ELF file"):
    emulator.kernels(b"MZ" + bytes(100))
  with pytest.raises(emulator.EmulationError, match="cut short"):
    emulator.kernels(amdgpu.compile_hip(TILED, "gfx950")[:3000])


@with_scopes
def test_hidden_arguments_scratch_and_work_items_in_three_dimensions(arch):
  source = """
  extern "C" __global__ void k(unsigned* out, int shift) {
    auto* hidden =
        (const __attribute__((address_space(4))) unsigned*)__builtin_amdgcn_implicitarg_ptr();
    unsigned x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
             z = __builtin_amdgcn_workitem_id_z(), group = __builtin_amdgcn_workgroup_id_z();
    unsigned local[300];  // too many for registers
    for (int i = 0; i < 300; ++i) local[i * shift % 300] = x * (i * shift % 300) + hidden[2];
    out[((group * 2 + z) * 3 + y) * 20 + x] = local[y + shift] + 1000 * z;
  }"""
  out = np.zeros((4, 2, 3, 20), np.uint32)
  record = emulator.launch(amdgpu.compile_hip(source, arch), "k",
                           emulator.pack_arguments(out, np.int32(7)), grid=(1, 1, 4),
                           block=(20, 3, 2), arch=arch, buffers=[out])
  z, y, x = np.meshgrid(range(2), range(3), range(20), indexing="ij")
  np.testing.assert_array_equal(out, np.broadcast_to(x * (y + 7) + 4 + 1000 * z, out.shape))
  assert record.cost["scratch"] > 0 and record.cost["waves"] == 8


@both
def test_launches_that_cannot_be(arch):
  code = amdgpu.compile_hip(TILED, arch)
  args = bytes(32)
  good = dict(grid=1, block=128, arch=arch, buffers=[])
  for changes, message in [
      (dict(block=256), "at most 128 work-items, not 256"),
      (dict(grid=0), "at least one workgroup"),
      (dict(arch="gfx908"), 'no arch "gfx908"'),
      (dict(arch="gfx950" if arch == "gfx942" else "gfx942"), "The code object is for " + arch),
      (dict(dynamic_lds=170_000), "bytes of LDS and the launch 170000 more"),
  ]:
    with pytest.raises(emulator.EmulationError, match=message):
      emulator.launch(code, "tiled", args, **good | changes)
  with pytest.raises(emulator.EmulationError, match="no kernel \"k\"; it has: tiled"):
    emulator.launch(code, "k", args, **good)
  with pytest.raises(emulator.EmulationError, match="takes 32 bytes of arguments, not 24"):
    emulator.launch(code, "tiled", args[:24], **good)
  with pytest.raises(emulator.EmulationError, match="from 1 to"):
    emulator.launch(code, "tiled", args, **good, options=emulator.Options(quantum=0))
  for xcc in ((0, 8), ()):
    with pytest.raises(emulator.EmulationError, match="from 0 to 7|list of die numbers"):
      emulator.launch(code, "tiled", args, **good, options=emulator.Options(xcc=xcc))
  # Null pointers.
  with pytest.raises(emulator.EmulationError, match="outside the launch's buffers"):
    emulator.launch(code, "tiled", bytes(24) + b"\x10\0\0\0\x10\0\0\0", **good)


@with_scopes
def test_xcc_id(arch):
  body = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_getreg_b32 s6, hwreg(HW_REG_XCC_ID, 0, 4)
  v_mov_b32 v1, s6
  v_mov_b32 v2, 0
  s_lshl_b32 s7, s2, 2
  s_waitcnt lgkmcnt(0)
  s_add_u32 s4, s4, s7
  s_addc_u32 s5, s5, 0
  v_cmp_eq_u32 vcc, 0, v0
  s_and_saveexec_b64 s[8:9], vcc
  global_store_dword v2, v1, s[4:5]
  """
  def ids(**options):
    out = np.full(20, 99, np.uint32)
    emulator.launch(amdgpu.assemble(body, arch), "k", emulator.pack_arguments(out), grid=20,
                    block=64, arch=arch, buffers=[out], options=emulator.Options(**options))
    return list(out)
  assert ids() == [i % 8 for i in range(20)]
  assert ids(xcc=(5, 5, 0)) == [5, 5, 0] * 6 + [5, 5]
  random = ids(xcc="random", seed=1)
  assert max(random) <= 7 and random != ids(xcc="random", seed=2)


# --------------------------------------------------------------------- LDS, counted


@both
@pytest.mark.parametrize("access, address, cycles", [
    # Lanes with consecutive addresses have no conflicts.
    ("ds_read_b32 v4, v1", lambda i: 4 * i, {"gfx942": (2, 0), "gfx950": (2, 0)}),
    ("ds_read_b64 v[4:5], v1", lambda i: 8 * i, {"gfx942": (4, 0), "gfx950": (2, 0)}),
    ("ds_read_b128 v[4:7], v1", lambda i: 16 * i, {"gfx942": (8, 0), "gfx950": (4, 0)}),
    ("ds_write_b128 v1, v[4:7]", lambda i: 16 * i, {"gfx942": (8, 0), "gfx950": (8, 0)}),
    # One dword for all lanes is a broadcast; lanes 32 words apart are all in one bank.
    ("ds_read_b32 v4, v1", lambda i: 64, {"gfx942": (2, 0), "gfx950": (2, 0)}),
    ("ds_read_b32 v4, v1", lambda i: 128 * i, {"gfx942": (2, 62), "gfx950": (2, 62)}),
    # With rows of 64 bf16, the lanes of a phase are 128 bytes apart, in four banks of 32 or 64.
    ("ds_read_b128 v[4:7], v1", lambda i: 128 * i, {"gfx942": (8, 56), "gfx950": (4, 28)}),
    # The same with 16-byte columns swizzled by the row, and by pairs of rows. Each
    # swizzle has no conflicts on one of the chips.
    ("ds_read_b128 v[4:7], v1", lambda i: 128 * i + 16 * (i % 8),
     {"gfx942": (8, 0), "gfx950": (4, 4)}),
    ("ds_read_b128 v[4:7], v1", lambda i: 128 * i + 16 * (i // 2 % 8),
     {"gfx942": (8, 8), "gfx950": (4, 0)}),
])
def test_lds_cycles_from_addresses(arch, access, address, cycles):
  body = f"""
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v2, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v2, s[4:5]
  s_waitcnt vmcnt(0)
  {access}
  """
  addresses = np.array([address(i) for i in range(64)], np.uint32)
  record = emulator.launch(
      amdgpu.assemble(body, arch, 16384), "k", emulator.pack_arguments(addresses), grid=1,
      block=64, arch=arch, buffers=[addresses],
      options=emulator.Options(check_uninitialized=False))
  base = record.cost["lds_read_cycles"] + record.cost["lds_write_cycles"]
  assert (base, record.cost["lds_conflict_cycles"]) == cycles.get(arch, cycles["gfx942"])


@pytest.mark.parametrize("bits", [16, 8])
def test_transposing_reads(bits):
  """Rows of 16 elements return as columns: 4 rows of b16, 8 of b8 for each 16 lanes."""
  body = f"""
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 3, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx2 v[2:3], v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b64 v1, v[2:3]
  s_waitcnt lgkmcnt(0)
  ds_read_b64_tr_b{bits} v[4:5], v1
  s_waitcnt lgkmcnt(0)
  global_store_dwordx2 v1, v[4:5], s[6:7]
  """
  dtype = {16: np.uint16, 8: np.uint8}[bits]
  source = np.random.default_rng(0).integers(0, 1 << bits, (4, 64 // bits, 16)).astype(dtype)
  out = np.zeros((4, 16, 64 // bits), dtype)
  emulator.launch(amdgpu.assemble(body, "gfx950", 512), "k", emulator.pack_arguments(source, out),
                  grid=1, block=64, arch="gfx950", buffers=[source, out])
  np.testing.assert_array_equal(out, source.transpose(0, 2, 1))


@both
def test_a_two_part_read_may_replace_its_address(arch):
  body = """
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v1, 3, v0
  v_mov_b32 v2, v0
  ds_write2st64_b32 v1, v0, v0 offset0:0 offset1:2
  v_add_u32 v2, 100, v0
  ds_write2_b32 v1, v2, v2 offset0:1 offset1:129
  v_mov_b32 v4, v1
  s_waitcnt lgkmcnt(0)
  ds_read2st64_b64 v[4:7], v4 offset0:0 offset1:1
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 4, v0
  global_store_dwordx4 v1, v[4:7], s[4:5]
  """
  out = np.zeros((64, 4), np.uint32)
  emulator.launch(amdgpu.assemble(body, arch, 1024), "k", emulator.pack_arguments(out), grid=1,
                  block=64, arch=arch, buffers=[out])
  np.testing.assert_array_equal(out, np.arange(64)[:, None] + [0, 100, 0, 100])


# ------------------------------------------------------------------ the HIP runtime


@pytest.fixture
def hip():
  return ctypes.CDLL(emulator.library_path())


def _driver_launch(hip, arch, by_parameters, buffers=True):
  n = 32
  # Both are in one block of memory, so that `a` is the buffer nearest to `out`.
  block = np.zeros((1 << 20,), np.float32)
  a, out = block[:16 * 16].reshape(16, 16), block[16 * 16:16 * (16 + n)].reshape(16, n)
  a[:] = np.arange(16 * 16).reshape(16, 16) % 7
  module, function = ctypes.c_void_p(), ctypes.c_void_p()
  assert hip.hipModuleLoadData(ctypes.byref(module), amdgpu.compile_hip(TILED, arch)) == 0
  assert hip.hipModuleGetFunction(ctypes.byref(function), module, b"tiled") == 0
  values = [ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(a.ctypes.data),
            ctypes.c_void_p(out.ctypes.data), ctypes.c_int(n), ctypes.c_int(16)]
  packed = ctypes.create_string_buffer(
      emulator.pack_arguments(a, a, out, np.int32(n), np.int32(16)), 32)
  size = ctypes.c_size_t(32)
  parameters = extra = None
  if by_parameters:
    parameters = (ctypes.c_void_p * 5)(*(ctypes.addressof(v) for v in values))
  else:
    extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(packed), 2, ctypes.addressof(size), 3)
  arrays = [a, out] if buffers else [a]
  uint64s = ctypes.c_uint64 * len(arrays)
  assert hip.jaxgemm_emulator_set_buffers(
      len(arrays), uint64s(*(x.ctypes.data for x in arrays)),
      uint64s(*(x.nbytes for x in arrays)), (ctypes.c_uint8 * 2)(1, 1), None) == 0
  result = hip.hipModuleLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, None, parameters, extra)
  hip.hipGetErrorString.restype = hip.hipGetErrorName.restype = ctypes.c_char_p
  message = hip.hipGetErrorString(result).decode()
  assert hip.hipModuleUnload(module) == 0
  return result, message, out, a


@both
@pytest.mark.parametrize("by_parameters", [True, False])
def test_driver_launches(hip, arch, by_parameters):
  assert hip.hipSetDevice(amdgpu.ARCHS.index(arch)) == 0
  with emulator.options(seed=3, quantum=5):
    result, message, out, a = _driver_launch(hip, arch, by_parameters)
    assert (result, message) == (0, "no error")
    assert emulator.last_record().cost["workgroups"] == len(emulator.records()) == 1
  np.testing.assert_array_equal(out[:, :16], a @ a.T)


def test_driver_errors(hip):
  assert hip.hipSetDevice(3) == 101
  # Each thread has its own device and error message.
  results = {}
  def work(arch):
    assert hip.jaxgemm_emulator_set_arch(arch.encode()) == 0
    results[arch] = _driver_launch(hip, arch, by_parameters=True, buffers=False)[:2]
  threads = [threading.Thread(target=work, args=(arch,)) for arch in amdgpu.ARCHS]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  for arch in amdgpu.ARCHS:
    code, message = results[arch]
    assert code == 719 and message.startswith(f"{arch} kernel tiled+0x")
    assert "A store of 4 bytes" in message and "nearest is buffer 0" in message
  module = ctypes.c_void_p()
  assert hip.hipSetDevice(0) == 0
  assert hip.hipModuleLoadData(ctypes.byref(module), amdgpu.compile_hip(TILED, "gfx950")) == 209
  assert hip.hipModuleLoadData(ctypes.byref(module), bytes(200)) == 200
  hip.hipGetErrorName.restype = ctypes.c_char_p
  assert hip.hipGetErrorName(209) == b"hipErrorNoBinaryForGpu"


@both
def test_driver_attributes(hip, arch):
  device = amdgpu.ARCHS.index(arch)
  assert hip.hipSetDevice(device) == 0
  value = ctypes.c_int()
  for attribute, expected in {23: 9, 61: (4, 5, 0)[device], 63: (304, 256, 110)[device],
                              74: (65536, 163840, 65536)[device], 87: 64}.items():
    assert hip.hipDeviceGetAttribute(ctypes.byref(value), attribute, device) == 0
    assert value.value == expected
  module, function = ctypes.c_void_p(), ctypes.c_void_p()
  assert hip.hipModuleLoadData(ctypes.byref(module), amdgpu.compile_hip(TILED, arch)) == 0
  assert hip.hipModuleGetFunction(ctypes.byref(function), module, b"missing") == 500
  assert hip.hipModuleGetFunction(ctypes.byref(function), module, b"tiled") == 0
  assert hip.hipFuncGetAttribute(ctypes.byref(value), 0, function) == 0 and value.value == 128
  assert hip.hipFuncGetAttribute(ctypes.byref(value), 1, function) == 0 and value.value == 3200
  # With 16 KiB of dynamic LDS, 3 workgroups of 19.2 KiB fit in 64 KiB, 8 in 160 KiB.
  assert hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      ctypes.byref(value), function, 128, ctypes.c_size_t(16384)) == 0
  assert value.value == (3, 8, 3)[device]
  words = np.ones(10, np.uint32)
  assert hip.hipMemsetD32Async(ctypes.c_void_p(words.ctypes.data), 7, ctypes.c_size_t(9),
                               None) == 0
  assert list(words) == [7] * 9 + [1]
  assert hip.hipModuleUnload(module) == 0


def test_emulator_shares_no_code_with_the_kernels():
  """The emulator has its own conversions, so that an error in the kernels' changes results."""
  folder = ROOT / "ffi" / "emulator"
  files = [path for path in folder.rglob("*") if path.suffix in (".cc", ".h", ".def")]
  included = {line for path in files for line in path.read_text().splitlines()
              if line.startswith('#include "')}
  assert len(files) > 100 and len(included) > 40
  assert {line for line in included if not line.startswith('#include "emulator/')} == {
      '#include "spec/instances.def"'}  # the chips
