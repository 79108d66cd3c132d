"""OCP float8 on gfx942, whose matrix instructions read only the FNUZ formats of float8."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import emulator

TYPES = ("float8_e4m3fn", "float8_e5m2")
on_every_pair = pytest.mark.parametrize("lhs, rhs", list(itertools.product(TYPES, TYPES)))


def product(a, b, layout="rr", **options):
  """a [M, K] x b [K, N] by gfx942's kernel; `layout` says how they are in memory."""
  lhs, rhs = (x if each == "r" else np.ascontiguousarray(x.T)
              for x, each in zip((a, b), layout))
  dims = (((1 if layout[0] == "r" else 0,), (0 if layout[1] == "r" else 1,)), ((), ()))
  out = jaxgemm.dot_general(
      lhs, rhs, dims, preferred_element_type=jnp.float32, implementation="emulated:gfx942",
      config=jaxgemm.GemmConfig(**options))
  record = emulator.last_record()
  assert record is not None and f"gemm_{a.dtype}_{b.dtype}_" in record.kernel
  return np.asarray(out)


def every_byte(dtype):
  return np.arange(256, dtype=np.uint8).view(jnp.dtype(dtype))


@pytest.mark.whole(
    unless=lambda lhs, rhs, tile: tile == (32, 128) or "float8_e5m2" not in (lhs, rhs))
@on_every_pair
@pytest.mark.parametrize("layout, tile, k", [
    *itertools.product(["rr"], [(32, 128), (128, 128)], [1, 16, 160]),
    # There is no k=1 here: it takes another kernel of layout rr, which the default build lacks.
    *itertools.product(["cc"], [(256, 256)], [16, 160])])
def test_every_pair_of_bytes(lhs, rhs, layout, tile, k):
  """All 65536 products are exact: those of numbers, zeros with a sign, infinities and NaNs.

  With k=1 operands are loaded by element; with k=160 the last k tile is partial.
  """
  a, b = np.zeros((256, k), jnp.dtype(lhs)), np.zeros((k, 256), jnp.dtype(rhs))
  a[:, -1], b[-1] = every_byte(lhs), every_byte(rhs)
  with np.errstate(invalid="ignore"):
    wanted = np.outer(a[:, -1].astype(np.float64), b[-1].astype(np.float64))
  np.testing.assert_array_equal(
      product(a, b, layout, tile_m=tile[0], tile_n=tile[1]), wanted)


@on_every_pair
@pytest.mark.parametrize("schedule", ["persistent", "stream_k"])
def test_random_bytes(rng, lhs, rhs, schedule):
  """Sums of random finite bytes; the emulated float32 sums are compared with float64."""
  def draw(shape, dtype):
    values = every_byte(dtype)[rng.integers(0, 256, shape)]
    return np.where(np.isfinite(values.astype(np.float32)), values, values.dtype.type(0))

  a, b = draw((50, 400), lhs), draw((400, 144), rhs)
  a64, b64 = a.astype(np.float64), b.astype(np.float64)
  out = product(a, b, schedule=schedule, tile_m=32, tile_n=128)
  scale = np.abs(a64) @ np.abs(b64)
  assert (np.abs(out - a64 @ b64) <= 1e-6 * scale).all()
  assert np.isfinite(out).all()


@on_every_pair
def test_nans_and_infinities_stay_in_their_rows_and_columns(rng, lhs, rhs):
  a = rng.standard_normal((40, 256)).astype(jnp.dtype(lhs))
  b = rng.standard_normal((256, 136)).astype(jnp.dtype(rhs))
  a[3, 200], b[17, 100] = np.nan, np.nan
  if lhs == "float8_e5m2":
    a[5, 9] = -np.inf
  if rhs == "float8_e5m2":
    b[70, 7] = np.inf
  with np.errstate(invalid="ignore"):
    wanted = a.astype(np.float64) @ b.astype(np.float64)
  np.testing.assert_allclose(product(a, b, tile_m=32, tile_n=128), wanted, rtol=1e-4, atol=1e-4)


def test_under_jit_with_scales(rng):
  x = jnp.asarray(rng.standard_normal((24, 64)), jnp.float8_e4m3fn)
  w = jnp.asarray(rng.standard_normal((64, 48)), jnp.float8_e4m3fn)
  rows = jnp.asarray(rng.uniform(1, 2, (24, 1)), jnp.float32)
  out = jax.jit(lambda x, w, rows: jaxgemm.matmul(
      x, w, scale_lhs=rows, implementation="emulated:gfx942"))(x, w, rows)
  wanted = np.asarray(rows, np.float64) * (
      np.asarray(x, np.float64) @ np.asarray(w, np.float64))
  np.testing.assert_allclose(np.asarray(out, np.float64), wanted, rtol=1e-2, atol=1e-2)
