"""The kernels that quantise rows (ffi/routing/float8.h) in the emulator, against float64."""

import ml_dtypes
import numpy as np
import pytest

from jaxgemm import _ffi, emulator
from tests.support import float8_rows, gated
from tests.support.float8_rows import BLOCKS
from tests.support.gated import DTYPES

THREADS = 256  # kQuantizeThreads
FORMATS = {"gfx942": ("float8_e4m3fnuz", "float8_e5m2fnuz"),
           "gfx950": ("float8_e4m3fn", "float8_e5m2"), "gfx90a": ("float8_e4m3fn", "float8_e5m2")}
# (rows, elements, 2**lane_bits lanes for a row): less vectors than lanes, no multiple of them, and
# more than 8 for a lane.
SHAPES = [(37, 8, 3), (35, 384, 5), (9, 1152, 5), (5, 4096, 6), (3, 2176, 8), (4, 9216, 7),
          (3, 4224, 5)]


def outs_of(rows, length, kind, e5m2, arch):
  values = np.full((rows, length), 0x55, np.uint8).view(getattr(ml_dtypes, FORMATS[arch][e5m2]))
  blocks = length // BLOCKS[kind] if BLOCKS[kind] else 1
  dtype = ml_dtypes.float8_e8m0fnu if kind == "mx" else np.float32
  return values, np.full((rows, blocks), 3, np.uint8 if kind == "mx" else np.float32).view(dtype)


def float8_arguments(values, scales, kind, e5m2, itemsize):
  """(pointers of values and scales, e5m2, mx, block_bits): a Float8Rows."""
  lanes = BLOCKS[kind] * itemsize // 16
  return values, scales, np.bool_(e5m2), np.bool_(kind == "mx"), np.int32(lanes.bit_length() - 1)


def launch(name, arch, arguments, rows, lane_bits, buffers, options=None):
  emulator.launch(
      (_ffi.KERNEL_FOLDER / arch / "routing.hsaco").read_bytes(), f"jaxgemm_{name}",
      emulator.pack_arguments(*arguments), grid=-(-rows * 2**lane_bits // THREADS), block=THREADS,
      arch=arch, buffers=buffers, options=options)


def quantized(x, bounds, dtype, kind, e5m2, arch, lane_bits, hidden=False, options=None):
  rows, length = x.shape[0], x.shape[-1]
  values, scales = outs_of(rows, length, kind, e5m2, arch)
  bounds = np.asarray(bounds, np.int32).reshape(-1, 2)
  vectors = length * x.itemsize // 16
  out = float8_arguments(values, scales, kind, e5m2, x.itemsize)
  launch(f"quantize_{'hidden' if hidden else 'rows'}_{dtype}", arch,
         (x, bounds, *out, np.int64(rows), np.int64(rows // len(bounds)), np.int32(vectors),
          np.int32(lane_bits)), rows, lane_bits,
         {"x": x, "bounds": bounds, "values": values, "scales": scales}, options)
  return values, scales


def fits(length, kind, itemsize, lane_bits):
  block = BLOCKS[kind]
  return not block or (length % block == 0 and block * itemsize // 16 <= 2**lane_bits)


@pytest.mark.parametrize("arch", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("e5m2", [False, True])
def test_rows(rng, arch, dtype, kind, e5m2):
  for rows, length, lane_bits in SHAPES:
    x = float8_rows.rows_of(rng, rows, length, dtype)
    if fits(length, kind, x.itemsize, lane_bits):
      float8_rows.check(x, *quantized(x, (0, rows), dtype, kind, e5m2, arch, lane_bits), kind)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("kind", BLOCKS)
def test_rows_out_of_bounds_are_not_read(rng, arch, kind):
  """Two batches, each with rows of no group that have NaN and infinities."""
  x = float8_rows.rows_of(rng, 46, 384, "bfloat16")
  bounds = np.array([[3, 20], [0, 9]])
  within = np.zeros(46, bool)
  within[3:20] = within[23:32] = True
  x[~within] = np.array([np.nan, np.inf, -np.inf, 3e38] * 96, x.dtype)
  values, scales = quantized(x, bounds, "bfloat16", kind, False, arch, 5)
  float8_rows.check(np.where(within[:, None], x.astype(np.float64), 0), values, scales, kind)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("e5m2", [False, True])
def test_elements_that_are_not_finite(rng, arch, kind, e5m2):
  x = float8_rows.rows_of(rng, 20, 640, "float32")
  x[rng.random(x.shape) < 0.01] = np.nan
  x[rng.random(x.shape) < 0.01] = np.inf
  x[7] = -np.inf
  float8_rows.check(x, *quantized(x, (0, 20), "float32", kind, e5m2, arch, 5), kind)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", BLOCKS)
def test_hidden_rows(rng, arch, dtype, kind):
  for rows, length, lane_bits in SHAPES:
    z, *_ = gated.operands(rng, rows, length, dtype)
    if fits(length, kind, z.itemsize, lane_bits):
      found = quantized(z, (0, rows), dtype, kind, False, arch, lane_bits, hidden=True)
      gate, up = z[:, 0].astype(np.float64), z[:, 1].astype(np.float64)
      hidden = gate * np.exp(-np.logaddexp(0, -gate)) * up
      # float16 has no smaller steps than this.
      hidden = hidden.astype(z.dtype).astype(np.float64)
      slack = {"float32": 2.0**-18, "float16": 2.0**-10, "bfloat16": 2.0**-7}[dtype]
      if dtype != "float16":  # its subnormal values have larger relative errors
        float8_rows.check(hidden, *found, kind, slack)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("e5m2", [False, True])
def test_the_gated_gradient(rng, arch, dtype, kind, e5m2):
  for rows, length, lane_bits in SHAPES:
    z, g, w = gated.operands(rng, rows, length, dtype)
    if not fits(length, kind, z.itemsize, lane_bits):
      continue
    outs = [np.full_like(z, np.nan), np.full_like(g, np.nan), np.full_like(w, np.nan)]
    values, scales = outs_of(rows, 2 * length, kind, e5m2, arch)
    given = z, g, w
    launch(f"quantized_gradient_{dtype}", arch,
           (*given, *outs, np.int64(rows), np.int32(g[0].nbytes // 16), np.int32(lane_bits),
            *float8_arguments(values, scales, kind, e5m2, z.itemsize)), rows, lane_bits,
           dict(zip(("z", "g", "w", "dz", "hw", "dw", "values", "scales"),
                    (*given, *outs, values, scales))))
    gated.check(z, g, w, outs, dtype)
    float8_rows.check(outs[0].reshape(rows, -1), values, scales, kind)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_any_order_of_waves_gives_the_same_bits(rng, arch):
  x = float8_rows.rows_of(rng, 7, 4096, "bfloat16")
  run = lambda options: quantized(x, (0, 7), "bfloat16", "row", False, arch, 7, options=options)
  first = run(None)
  for seed in range(4):
    options = emulator.Options(seed=seed, quantum=7, resident=1 + seed)
    for out, same in zip(run(options), first, strict=True):
      np.testing.assert_array_equal(out.view(np.uint8), same.view(np.uint8))


@pytest.mark.parametrize("arch", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("e5m2", [False, True])
@pytest.mark.parametrize("gathers", [False, True])
def test_columns(rng, arch, dtype, e5m2, gathers):
  """Two batches, with parts of tiles."""
  tile, columns, lines = 128, 136, 264
  rows = 152 if gathers else lines
  of = [float8_rows.columns_of(rng, lines, columns, dtype, rows if gathers else None, bounds)
        for bounds in ((0, rows), (5, rows - 3))]
  x, factors, bounds = (np.stack([getattr(each, name) for each in of])
                        for name in ("x", "factors", "bounds"))
  at = np.stack([each.lines for each in of]) if gathers else None
  out = np.full((2, columns, rows), 0x55, np.uint8).view(getattr(ml_dtypes, FORMATS[arch][e5m2]))
  tiles = -(-rows // tile), -(-columns // tile)
  buffers = {"x": x, "factors": factors, "bounds": bounds, "out": out}
  emulator.launch(
      (_ffi.KERNEL_FOLDER / arch / "routing.hsaco").read_bytes(),
      f"jaxgemm_quantize_columns_{dtype}", emulator.pack_arguments(
          x, np.int64(0) if at is None else at, factors, bounds, out, np.int64(rows),
          np.int64(lines), np.int64(columns), *map(np.int32, tiles), np.int64(e5m2)),
      grid=2 * tiles[0] * tiles[1], block=256, arch=arch,
      buffers=buffers if at is None else buffers | {"lines": at})
  for given, found in zip(of, out, strict=True):
    float8_rows.check_columns(given, found)
