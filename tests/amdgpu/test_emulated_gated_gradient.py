"""The kernels of the gated gradient (ffi/routing/) in the emulator, against float64."""

import numpy as np
import pytest

from jaxgemm import _ffi, emulator
from tests.support.gated import DTYPES, check, check_placed, operands, placed

ARCHS = ("gfx942", "gfx950", "gfx90a")
THREADS = 256  # kGatedThreads


def launch(arch, z, g, w, dtype, lane_bits, options=None, to=None):
  """(dz, hw, dw), where 2**lane_bits lanes share a row.

  Args:
    to: places, their count, and the arrays that the rows are written to. Without them dz and hw are
      written over z and g, if these are writable.
  """
  rows = len(w)
  if to:
    places, count, outs = to
    count = np.array([count], np.int32)
    of_places = places, count, np.int64(len(outs[2]))
  else:
    outs = [x if x.flags.writeable else np.full_like(x, np.nan) for x in (z, g)]
    outs.append(np.full_like(w, np.nan))
    of_places = (np.int64(0),) * 3
  arguments = emulator.pack_arguments(
      z, g, w, *outs, np.int64(rows), np.int32(g[0].nbytes // 16), np.int32(lane_bits),
      *of_places)
  buffers = {"w": w, "dz": outs[0], "hw": outs[1], "dw": outs[2]}
  if outs[0] is not z:
    buffers |= {"z": z, "g": g}
  if to:
    buffers |= {"places": places, "count": count}
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
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, out_rows, vectors, lane_bits, count", [
    (37, 50, 1, 3, 20), (35, 20, 13, 3, 35), (9, 30, 64, 5, 100), (9, 9, 3, 3, 0), (9, 9, 3, 3, -1),
    (5, 8, 130, 7, 3), (3, 4, 517, 8, 2)])
def test_rows_are_written_to_their_places(rng, arch, dtype, rows, out_rows, vectors, lane_bits,
                                          count):
  length = vectors * 16 // np.dtype(np.float32 if dtype == "float32" else np.float16).itemsize
  z, g, w, places, into = placed(rng, rows, out_rows, length, dtype)
  dead = slice(max(count, 0), None)
  z[dead] = g[dead] = w[dead] = np.nan
  outs = [x.copy() for x in into]
  launch(arch, z, g, w, dtype, lane_bits, to=(places, count, outs))
  check_placed(z, g, w, places, count, into, outs, dtype)


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
