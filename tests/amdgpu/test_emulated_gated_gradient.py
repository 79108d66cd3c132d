"""The kernels of the gated gradient (ffi/routing/) in the emulator, against float64."""

import numpy as np
import pytest

from jaxgemm import _ffi, emulator
from tests.support.gated import DTYPES, check, operands

ARCHS = ("gfx942", "gfx950", "gfx90a")
THREADS = 256  # kGatedThreads


def launch(arch, z, g, w, dtype, lane_bits, options=None):
  """(dz, hw, dw), where 2**lane_bits lanes share a row.

  If z and g are writable, dz and hw are written over them.
  """
  outs = [x if x.flags.writeable else np.full_like(x, np.nan) for x in (z, g)]
  outs.append(np.full_like(w, np.nan))
  rows = len(w)
  arguments = emulator.pack_arguments(
      z, g, w, *outs, np.int64(rows), np.int32(g[0].nbytes // 16), np.int32(lane_bits))
  buffers = {"w": w, "dz": outs[0], "hw": outs[1], "dw": outs[2]}
  if outs[0] is not z:
    buffers |= {"z": z, "g": g}
  emulator.launch(
      (_ffi.KERNEL_FOLDER / arch / "routing.hsaco").read_bytes(), f"jaxgemm_gated_gradient_{dtype}",
      arguments, grid=-(-rows * 2**lane_bits // THREADS), block=THREADS, arch=arch,
      buffers=buffers, options=options)
  return outs


# A row has less vectors than lanes, no multiple of them, or many for each.
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, vectors, lane_bits", [
    (37, 1, 3), (35, 13, 3), (21, 33, 4), (9, 64, 5), (11, 97, 6), (5, 130, 7), (3, 517, 8)])
def test_values(rng, arch, dtype, rows, vectors, lane_bits):
  length = vectors * 16 // np.dtype(np.float32 if dtype == "float32" else np.float16).itemsize
  given = operands(rng, rows, length, dtype)
  in_place = launch(arch, *(x.copy() for x in given), dtype, lane_bits)
  check(*given, in_place, dtype)
  for x in given:
    x.flags.writeable = False
  for out, same in zip(launch(arch, *given, dtype, lane_bits), in_place, strict=True):
    np.testing.assert_array_equal(out, same)


@pytest.mark.parametrize("arch", ARCHS)
def test_any_order_of_waves_gives_the_same_bits(rng, arch):
  given = operands(rng, 7, 1000, "bfloat16")
  for x in given:
    x.flags.writeable = False
  first = launch(arch, *given, "bfloat16", 7)
  check(*given, first, "bfloat16")
  for seed in range(4):
    options = emulator.Options(seed=seed, quantum=7, resident=1 + seed)
    for out, same in zip(launch(arch, *given, "bfloat16", 7, options), first, strict=True):
      np.testing.assert_array_equal(out.view(np.uint8), same.view(np.uint8))


@pytest.mark.parametrize("arch", ARCHS)
def test_eight_waves_fit_a_simd(arch):
  code = (_ffi.KERNEL_FOLDER / arch / "routing.hsaco").read_bytes()
  kernels = [each for each in emulator.kernels(code) if "_gated_" in each["name"]]
  assert {each["name"].rpartition("_")[2] for each in kernels} == set(DTYPES)
  for each in kernels:
    assert each["max_workgroup"] == THREADS and each["vgprs"] <= 64
    assert each["scratch_bytes"] == each["vgpr_spills"] == 0
