"""Products that quantise their result, on a Hopper GPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.grouped.call import compute
from tests.sm90.cuda_gpu import skip_reason
from tests.support.quantized import assert_quantized

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())
E4M3, E5M2 = jnp.float8_e4m3fn, jnp.float8_e5m2
SIZES = np.array([0, 130, 1, 250, 64], np.int32)
GROUPS = np.repeat(np.arange(5), SIZES)
OF_BLOCKS_ERROR = 1e-3  # the tensor cores keep 14 bits of a sum over 128


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape, np.float32), jnp.bfloat16)


def f64(x):
  return np.asarray(x, np.float64)


def silu(x):
  return x / (1 + np.exp(-x))


def call(form, function, *operands):
  """function(*operands), whose product has a form."""
  lowered = jax.jit(function).lower(*operands)
  assert f'form = "{form}"' in lowered.as_text()
  return lowered.compile()(*operands)


@pytest.mark.parametrize("kind, dtype, m, n, k", [
    ("block", E4M3, 300, 512, 192), ("mx", E5M2, 300, 512, 192), ("mx", E4M3, 1030, 1024, 512),
    ("block", E5M2, 131, 384, 64), ("block", E4M3, 1, 128, 128)])
def test_dense(rng, kind, dtype, m, n, k):
  a, b, bias = array(rng, m, k), array(rng, k, n), array(rng, n)
  given = call("quantized", lambda a, b, bias: jaxgemm.matmul(
      a, b, bias=bias, activation="silu", quantize_out=kind, preferred_element_type=dtype,
      implementation="jaxgemm"), a, b, bias)
  assert_quantized(given, silu(f64(a) @ f64(b) + f64(bias)), kind, dtype)


@pytest.mark.parametrize("kind", ["block", "mx"])
@pytest.mark.parametrize("dtype", [E4M3, E5M2])
def test_what_is_not_finite_and_zeros(rng, kind, dtype):
  a = array(rng, 200, 128).at[3].set(0).at[5, 2].set(jnp.nan)
  b = array(rng, 128, 256).at[7, 40].set(jnp.inf)
  given = call("quantized", lambda a, b: jaxgemm.matmul(
      a, b, quantize_out=kind, preferred_element_type=dtype, implementation="jaxgemm"), a, b)
  wanted = jaxgemm.quantize(
      jaxgemm.matmul(a, b, preferred_element_type=jnp.float32, implementation="jaxgemm"), kind,
      dtype=dtype)
  x, y = (np.asarray(each.values).astype(np.float32) for each in (given, wanted))
  assert (np.isfinite(x) == np.isfinite(y)).all() and not np.isfinite(y).all()
  np.testing.assert_array_equal(x[np.isfinite(x)], y[np.isfinite(x)])
  np.testing.assert_array_equal(*(np.asarray(each.scales, np.float32) for each in (given, wanted)))


@pytest.mark.parametrize("kind, saves", [("block", False), ("block", True), ("mx", True)])
def test_gated_groups_and_rows_of_no_group(rng, kind, saves):
  x, w = array(rng, 500, 256).at[len(GROUPS):].set(jnp.nan), array(rng, 5, 256, 2, 384)
  z = np.zeros((500, 2, 384))
  for row, group in enumerate(GROUPS):
    z[row] = np.tensordot(f64(x)[row], f64(w)[group], 1)
  given = call("grouped_quantized", lambda x, w: compute(
      {"lhs": x, "rhs": w, "group_sizes": SIZES, "group_offset": None, "activation": "silu",
       "quantize_out": kind}, gated=True, saves=saves), x, w)
  if saves:
    given, before = given
    assert np.abs(f64(before) - z).max() < 2**-8 * np.abs(z).max()
  assert_quantized(given, silu(z[:, 0]) * z[:, 1], kind, E4M3, 3e-4)
  assert (np.asarray(given.scales, np.float32)[len(GROUPS):] == 1).all()


def test_operands_with_scales_of_blocks(rng):
  x, w = (jnp.asarray(array(rng, *shape), jnp.float32) for shape in ((300, 512), (5, 256, 512)))
  lhs, rhs = jaxgemm.quantize(x, "block"), jaxgemm.quantize(w, "block", axis=(1, 2))
  sizes = np.array([100, 0, 30, 1, 150], np.int32)
  given = call("scaled_quantized", lambda *x: jaxgemm.scaled_ragged_dot(
      x[0], x[1], sizes, *x[2:], quantize_out="block"), lhs.values, rhs.values, lhs.scales,
               rhs.scales)
  rows, matrices, wanted = f64(lhs.dequantize()), f64(rhs.dequantize()), np.zeros((300, 256))
  for row, group in enumerate(np.repeat(np.arange(5), sizes)):
    wanted[row] = matrices[group] @ rows[row]
  assert_quantized(given, wanted, "block", E4M3, OF_BLOCKS_ERROR)
  given = call("scaled_quantized", lambda *x: jaxgemm.scaled_matmul(
      *x, activation="relu", quantize_out="block"), lhs.values[None], rhs.values[:1],
               lhs.scales[None], rhs.scales[:1])
  assert_quantized(given, np.maximum(rows @ matrices[0].T, 0)[None], "block", E4M3,
                   OF_BLOCKS_ERROR)
