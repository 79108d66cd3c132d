"""Operands in MX formats in the kernels of gfx950, executed in emulation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi
from tests.support.scaled import array, assert_close, dequantized, is_in_kernel, of_groups

OURS = dict(block=32, implementation="emulated:gfx950")
E4M3, E5M2 = "float8_e4m3fn", "float8_e5m2"


def mx_scales(rng, *shape):
  return jnp.asarray(np.exp2(rng.integers(-9, 10, shape)), jnp.float8_e8m0fnu)


def operands(rng, batch, m, n, k, dtypes=(E4M3, E4M3)):
  """lhs, rhs and their scales."""
  blocks = -(-k // 32)
  return (array(rng, batch, m, k, dtype=dtypes[0]), array(rng, batch, n, k, dtype=dtypes[1]),
          mx_scales(rng, batch, m, blocks), mx_scales(rng, batch, n, blocks))


def product(a, b, of_a, of_b):
  """In float64."""
  return np.einsum("bmk,bnk->bmn", dequantized(a, of_a, 32), dequantized(b, of_b, 32))


def tile(size):
  return jaxgemm.GemmConfig(tile_m=size, tile_n=size)


@pytest.mark.parametrize("size", [128, 256])
@pytest.mark.parametrize("batch, m, n, k, schedule", [
    (1, 256, 256, 1024, None), (2, 20, 130, 96, None), (1, 300, 270, 2880, "work_stealing"),
    (1, 100, 128, 2064, "stream_k"), (1, 1, 1, 48, None), (1, 140, 50, 144, "persistent")])
def test_dense(rng, size, batch, m, n, k, schedule):
  """k may end inside a block, a row's scales inside a word, and a tile inside a k tile."""
  given = operands(rng, batch, m, n, k)
  options = OURS | dict(schedule=schedule, config=tile(size))
  out = jaxgemm.scaled_matmul(*given, **options)
  assert is_in_kernel(*given[:2], lhs_scales=given[2], rhs_scales=given[3], **options)
  assert_close(out, product(*given))


@pytest.mark.parametrize("dtypes", [(E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2)])
def test_types(rng, dtypes):
  name = f"gemm_{dtypes[0]}_{dtypes[1]}_128x128x128_rcr"
  if name not in _ffi.built_kernels("gfx950"):
    pytest.skip(f"this build has no {name}: build with JAXGEMM_GPU_KERNELS=all")
  given = operands(rng, 1, 150, 140, 400, dtypes)
  assert_close(jaxgemm.scaled_matmul(*given, **OURS), product(*given))


def test_values_of_four_bits(rng):
  """Their values are those of float8."""
  a, b = (jaxgemm.quantize(array(rng, 1, size, 256, dtype="float32"), "mx",
                           dtype=jnp.float4_e2m1fn) for size in (100, 60))
  out = jaxgemm.scaled_matmul(a.values, b.values, a.scales, b.scales, **OURS)
  assert_close(out, product(a.values, b.values, a.scales, b.scales))


@pytest.mark.parametrize("size", [128, 256])
def test_grouped(rng, size):
  a, b = array(rng, 500, 288), array(rng, 4, 150, 288)
  of_a, of_b = mx_scales(rng, 500, 9), mx_scales(rng, 4, 150, 9)
  sizes = np.array([300, 0, 30, 100], np.int32)
  out = jaxgemm.scaled_ragged_dot(a, b, jnp.asarray(sizes), of_a, of_b, config=tile(size), **OURS)
  assert_close(out, of_groups(dequantized(a, of_a, 32), dequantized(b, of_b, 32), sizes))


def test_rows_of_no_group_while_tiles_are_stolen(rng):
  """Their tiles have no k."""
  a, b = array(rng, 3000, 64), array(rng, 2, 300, 64)
  of_a, of_b = mx_scales(rng, 3000, 2), mx_scales(rng, 2, 300, 2)
  sizes = np.array([200, 100], np.int32)
  out = np.asarray(jaxgemm.scaled_ragged_dot(
      a, b, jnp.asarray(sizes), of_a, of_b, schedule="work_stealing",
      config=jaxgemm.GemmConfig(tile_m=128, num_workgroups=3), **OURS))
  assert_close(out, of_groups(dequantized(a, of_a, 32), dequantized(b, of_b, 32), sizes))
  assert (out[300:] == 0).all()


@pytest.mark.parametrize("batch, m, n", [(0, 8, 8), (1, 0, 8), (1, 8, 0)])
def test_nothing_to_compute(rng, batch, m, n):
  out = jaxgemm.scaled_matmul(*operands(rng, batch, m, n, 96), **OURS)
  assert out.shape == (batch, m, n)


def test_an_epilogue_and_other_types_of_the_result(rng):
  given, bias = operands(rng, 1, 140, 130, 256), jnp.arange(130.0)
  out = jaxgemm.scaled_matmul(*given, jnp.bfloat16, bias=bias, activation="relu", **OURS)
  assert out.dtype == jnp.bfloat16
  assert_close(out, np.maximum(product(*given) + np.arange(130.0), 0), 2.0**-8)


def test_scales_at_the_ends_of_their_range(rng):
  """Products of a largest and a smallest scale are in range; those of two smallest ones are 0."""
  a, b, of_a, of_b = operands(rng, 1, 130, 140, 256)
  of_a = jnp.asarray(np.exp2(rng.integers(100, 110, of_a.shape)), of_a.dtype)
  of_b = jnp.asarray(np.exp2(rng.integers(-127, -110, of_b.shape)), of_b.dtype)
  of_a = of_a.at[0, 0].set(2.0**127).at[0, 1].set(2.0**-127).at[0, 4, 1].set(jnp.nan)
  of_b = of_b.at[0, 3, 7].set(jnp.nan)
  out = np.asarray(jaxgemm.scaled_matmul(a, b, of_a, of_b, **OURS), np.float64)[0]
  wanted = product(a, b, of_a, of_b)[0]
  is_nan = np.isnan(wanted)
  assert is_nan[4].all() and is_nan[:, 3].all() and is_nan.sum() == 130 + 140 - 1
  assert (np.isnan(out) == is_nan).all()
  assert (out[1][~is_nan[1]] == 0).all()
  largest = np.abs(wanted).max(axis=1, keepdims=True, where=~is_nan, initial=0)
  assert (np.abs(out - wanted) <= 4e-6 * largest + 1e-40)[~is_nan].all()


def test_vmap(rng):
  given = operands(rng, 3, 40, 50, 96)
  function = lambda *x: jaxgemm.scaled_matmul(*(y[None] for y in x), **OURS)[0]
  assert_close(jax.vmap(function)(*given), product(*given))


def test_one_call_reads_the_bytes_of_the_scales(rng):
  given = operands(rng, 3, 40, 50, 96)
  text = jax.jit(lambda *x: jaxgemm.scaled_matmul(*x, **OURS)).lower(*given).as_text()
  assert text.count("@jaxgemm_gemm(") == 1 and "mx = 1" in text
  # 16 scales of each of 40 rows, for 512 k.
  assert "tensor<3x1x640xui8>" in text and "xbf16>" not in text


def test_gradients(rng):
  """A gradient is that of the dequantised product. That of a float8 operand is float8."""
  a, b = array(rng, 1, 40, 96), array(rng, 1, 50, 96)
  of_a, of_b = (jnp.asarray(np.exp2(rng.integers(-5, 0, (1, rows, 3))), jnp.float8_e8m0fnu)
                for rows in (40, 50))

  def loss(a, b):
    return jaxgemm.scaled_matmul(a, b, of_a, of_b, **OURS).sum()

  of_lhs, of_rhs = jax.grad(loss, argnums=(0, 1))(a, b)
  for given, x, of_x, of_own in ((of_lhs, b, of_b, of_a), (of_rhs, a, of_a, of_b)):
    wanted = (dequantized(x, of_x, 32).sum(axis=1, keepdims=True)
              * np.repeat(np.asarray(of_own, np.float64), 32, -1))
    assert given.dtype == jnp.float8_e4m3fn
    assert_close(given, wanted, 0.07)


@pytest.mark.parametrize("change, reason", [
    (dict(k=200), "a multiple of 16"), (dict(dtype=jnp.float32), "1 x 128 of lhs"),
    (dict(implementation="emulated:gfx942"), "1 x 128 of lhs")])
def test_what_is_dequantised(change, reason):
  shape, k = jax.ShapeDtypeStruct, change.get("k", 256)
  operand = shape((1, 64, k), jnp.float8_e4m3fn)
  of_blocks = shape((1, 64, -(-k // 32)), change.get("dtype", jnp.float8_e8m0fnu))
  options = OURS | {name: x for name, x in change.items() if name == "implementation"}
  said = str(jaxgemm.explain(operand, operand, lhs_scales=of_blocks, rhs_scales=of_blocks,
                             **options))
  assert "dequantised" in said and reason in said
