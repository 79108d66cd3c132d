"""Rows in float8 (jaxgemm/fp8/rows.py) by XLA, against float64, and when kernels make them."""

import functools
import re

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import quantize
from jaxgemm.call import fallback
from jaxgemm.call.group_sizes import bounds_of_rows
from jaxgemm.call.quantization import SMALLEST_NORMAL
from jaxgemm.fp8.rows import (
  gated_gradient_quantized,
  hidden_quantized,
  quantized_columns,
  quantized_rows,
)
from tests.support import float8_rows, gated
from tests.support.float8_rows import BLOCKS
from tests.support.gated import DTYPES

E4M3, E5M2 = jnp.float8_e4m3fn, jnp.float8_e5m2
FNUZ = jnp.float8_e4m3fnuz


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("format", [E4M3, E5M2, FNUZ])
def test_rows(rng, dtype, kind, format):
  x = float8_rows.rows_of(rng, 23, 384, dtype)
  x[rng.random(x.shape) < 0.01] = np.nan
  x[rng.random(x.shape) < 0.01] = np.inf
  given = jax.jit(lambda x: quantized_rows(x, kind, format))(x)
  float8_rows.check(x, *given, kind)
  finite = np.where(np.isfinite(x.astype(np.float32)), x, 0).astype(x.dtype)
  wanted = quantize(jnp.asarray(finite), kind, dtype=format)
  if kind != "mx":  # scales of zeros
    wanted = wanted._replace(scales=jnp.where(wanted.scales == 1, SMALLEST_NORMAL, wanted.scales))
  for a, b in zip(jax.jit(lambda x: quantized_rows(x, kind, format))(finite), wanted, strict=True):
    np.testing.assert_array_equal(np.asarray(a).view(np.uint8), np.asarray(b).view(np.uint8))


@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("first, end", [(0, 23), (3, 9), (7, 7)])
def test_rows_out_of_bounds_are_zeros(rng, kind, first, end):
  x = float8_rows.rows_of(rng, 23, 256, "float32")
  within = (np.arange(23) >= first) & (np.arange(23) < end)
  x[~within] = np.array([np.nan, np.inf, -np.inf, 3e38] * 64)
  given = quantized_rows(jnp.asarray(x), kind, E4M3, jnp.array([first, end]))
  float8_rows.check(np.where(within[:, None], x, 0), *given, kind)


def test_bounds_of_the_groups_of_a_device():
  sizes = jnp.array([3, 0, 5, -2, 4, 100])
  for offset, local, wanted in ((None, 6, (0, 40)), (2, 2, (3, 8)), (4, 2, (8, 40)), (1, 1, (3, 3)),
                                (5, 3, (12, 40))):
    offset = None if offset is None else jnp.array([offset])
    np.testing.assert_array_equal(bounds_of_rows(sizes, offset, local, 40), wanted)


@pytest.mark.parametrize("activation", ["silu", "gelu", None])
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("length", [128, 80])
def test_hidden_rows_and_their_gradient(rng, activation, kind, length):
  z, g, w = map(jnp.asarray, gated.operands(rng, 21, length, "float32"))
  act = {"silu": jax.nn.silu, "gelu": jax.nn.gelu, None: lambda x: x}[activation]
  rows = lambda z, w: w[:, None] * act(z[:, 0]) * z[:, 1]
  values, scales = jax.jit(lambda z: hidden_quantized(z, activation, kind, E4M3))(z)
  if length % (BLOCKS[kind] or 1) == 0:
    float8_rows.check(rows(z, jnp.ones(21)), values, scales, kind, 2.0**-18)
  dz, hw, dw, quantized = jax.jit(lambda *x: gated_gradient_quantized(
      *x, activation, kind, E5M2))(z, g, w)
  wanted = jax.vjp(rows, z, w)[1](g)
  for a, b in zip((dz, hw, dw), (wanted[0], rows(z, w), wanted[1]), strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
  flat = np.asarray(dz).reshape(21, -1)
  error = np.abs(quantized.dequantize()[:, :2 * length] - flat)
  assert (error <= 0.126 * np.abs(flat) + 1e-4 * np.abs(flat).max(1, keepdims=True)).all()


@pytest.mark.parametrize("check_vma", [True, False])
def test_vmap_and_shards(rng, check_vma):
  x = float8_rows.rows_of(rng, 60, 128, "float32").reshape(4, 15, 128)
  f = functools.partial(quantized_rows, kind="row", dtype=E4M3)
  bounds = jnp.array([[0, 15], [2, 7], [5, 5], [0, 1]], jnp.int32)
  values, scales = jax.jit(jax.vmap(lambda x, b: f(x, bounds=b)))(x, bounds)
  for each, (first, end), *found in zip(x, np.asarray(bounds), values, scales, strict=True):
    within = (np.arange(15) >= first) & (np.arange(15) < end)
    float8_rows.check(np.where(within[:, None], each, 0), *found, "row")
  mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  sharded = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"),
                                  check_vma=check_vma))
  float8_rows.check(x.reshape(60, 128), *sharded(x.reshape(60, 128)), "row")


def calls(f, platform, *given):
  return re.findall(r"@(jaxgemm_\w+)\(", jax.jit(f).trace(*given).lower(
      lowering_platforms=(platform,)).as_text())


@pytest.mark.parametrize("platform, dtype", [("cuda", E4M3), ("rocm", FNUZ)])
def test_what_has_a_kernel(rng, platform, dtype):
  z, g, w = gated.operands(rng, 6, 128, "bfloat16")
  for kind in BLOCKS:
    rows = functools.partial(quantized_rows, kind=kind, dtype=dtype)
    assert calls(rows, platform, g) == ["jaxgemm_quantize_rows"]
    hidden = lambda z, kind=kind: hidden_quantized(z, "silu", kind, dtype)
    assert calls(hidden, platform, z) == ["jaxgemm_quantize_rows"]
    gradient = lambda *x, kind=kind: gated_gradient_quantized(*x, "silu", kind, dtype)
    assert calls(gradient, platform, z, g, w) == ["jaxgemm_quantized_gradient"]
  columns = lambda x, f, b: quantized_columns(x, f, dtype, b)
  bounds = np.array([0, 6], np.int32)
  assert calls(columns, platform, np.tile(g, (4, 1)), np.tile(w, 4), bounds) == [
      "jaxgemm_quantize_columns"]
  fallback._warned.clear()
  with pytest.warns(UserWarning, match="quantize_columns to XLA: .*and there are 6 rows"):
    assert not calls(columns, platform, g, w, bounds)
  other = E4M3 if dtype == FNUZ else FNUZ
  for function, given, reason in (
      (lambda x: quantized_rows(x, "row", other), g,
       f"read {np.dtype(dtype).name} without a conversion, and {np.dtype(other).name} is wanted"),
      (lambda x: quantized_rows(x, "row", dtype), g[:, :12], "these have 12 elements of bfloat16"),
      (lambda x: hidden_quantized(x, "gelu", "row", dtype), z, "silu, and gelu was given")):
    fallback._warned.clear()
    with pytest.warns(UserWarning, match=f"quantize_rows to XLA: .*{reason}"):
      assert not calls(function, platform, given)
  assert not calls(rows, "cpu", g)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("format", [E4M3, E5M2, FNUZ])
@pytest.mark.parametrize("rows", [None, 48])
def test_columns(rng, dtype, format, rows):
  given = float8_rows.columns_of(rng, 23, 40, dtype, rows, (5, 19))
  found = jax.jit(lambda *x: quantized_columns(x[0], x[1], format, *x[2:]))(
      given.x, given.factors, given.bounds, given.lines)
  float8_rows.check_columns(given, found)


def test_columns_have_a_batch(rng):
  of = [float8_rows.columns_of(rng, 24, 16, "float32", 8, (i, 7)) for i in range(3)]
  x, lines, factors, bounds = (
      jnp.stack([getattr(each, name) for each in of]) for name in
      ("x", "lines", "factors", "bounds"))
  found = jax.vmap(lambda x, l, f, b: quantized_columns(x, f, E4M3, b, l))(
      x, lines, factors, bounds)
  for given, each in zip(of, found, strict=True):
    float8_rows.check_columns(given, each)
