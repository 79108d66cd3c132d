"""quantize_out of grouped products and of products with scales of blocks, against float64."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm.call.quantization import float8_dtypes
from jaxgemm.grouped.call import compute
from jaxgemm.grouped.checks import K_LAST
from tests.support.environment import FLOAT32_ERROR
from tests.support.quantized import assert_quantized

E4M3, E5M2 = float8_dtypes()
ERROR = max(1e-4, FLOAT32_ERROR)
SIZES = np.array([0, 33, 1, 30], np.int32)  # of 80 rows
ROWS = 80


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def f64(x):
  return np.asarray(x, np.float64)


def silu(x):
  return x / (1 + np.exp(-x))


def of_groups(x, w, first=0):
  """x[M, K] @ w[g] for the rows of each group from `first` on, zero for other rows."""
  groups = np.repeat(np.arange(SIZES.size), SIZES) - first
  out = np.zeros((ROWS, *w.shape[2:]))
  for i, g in enumerate(groups):
    if 0 <= g < len(w):
      out[i] = np.tensordot(f64(x)[i], f64(w)[g], 1)
  return out


def rows(rng, k):
  """Rows of no group have NaN and infinities, which must have no effect."""
  x = array(rng, ROWS, k)
  return x.at[64:].set(jnp.nan).at[70].set(jnp.inf)


@pytest.mark.parametrize("kind, dtype", [("block", E4M3), ("mx", E4M3), ("mx", E5M2)])
def test_ragged_dot(rng, kind, dtype):
  x, w = rows(rng, 70), array(rng, 4, 70, 256)
  bias = array(rng, 4, 256)
  given = jaxgemm.ragged_dot(x, w, SIZES, bias=bias, activation="relu", quantize_out=kind,
                             preferred_element_type=dtype)
  exact = of_groups(x, w)
  exact[:64] = np.maximum(exact[:64] + np.repeat(f64(bias), SIZES, 0), 0)
  assert_quantized(given, exact, kind, dtype, ERROR)
  assert (np.asarray(given.scales, np.float32)[64:] == 1).all()


@pytest.mark.parametrize("kind", ["block", "mx"])
def test_gate(rng, kind):
  x, w, scale = rows(rng, 40), array(rng, 4, 40, 2, 128), array(rng, ROWS, 1)
  given = jax.jit(lambda *x: jaxgemm.ragged_gated_linear_unit(
      x[0], x[1], SIZES, scale_lhs=x[2], quantize_out=kind))(x, w, scale)
  z = of_groups(x, w) * np.where(np.arange(ROWS) < 64, f64(scale)[:, 0], 0)[:, None, None]
  assert_quantized(given, silu(z[:, 0]) * z[:, 1], kind, E4M3, 3 * ERROR)


@pytest.mark.parametrize("kind", ["block", "mx"])
def test_gate_with_the_value_before_it(rng, kind):
  """Layers ask for the value before the activation, which is bfloat16."""
  x, w = rows(rng, 40), array(rng, 4, 40, 2, 256)
  given, z = jax.jit(lambda x, w: compute(
      dict(lhs=x, rhs=w, group_sizes=SIZES, group_offset=None, activation="silu",
           quantize_out=kind), gated=True, saves=True))(x, w)
  exact = of_groups(x, w)
  assert_quantized(given, silu(exact[:, 0]) * exact[:, 1], kind, E4M3, 3 * ERROR)
  assert z.dtype == jnp.bfloat16 and z.shape == exact.shape
  np.testing.assert_allclose(f64(z), exact, rtol=2 ** -8, atol=1e-3)


def test_rhs_with_k_last_and_an_offset(rng):
  x, w = rows(rng, 40), array(rng, 2, 128, 40)
  given = jaxgemm.ragged_dot_general(
      x, w, SIZES, K_LAST, group_offset=jnp.array([1]), quantize_out="block")
  exact = of_groups(x, jnp.swapaxes(w, 1, 2), first=1)
  assert_quantized(given, exact, "block", E4M3, ERROR)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (1, 1)])
def test_vmap(rng, axes):
  x, w = array(rng, ROWS, 40), array(rng, 4, 40, 128)
  factors = (1, 3, -1)
  stacked = [x if axis is None else jnp.stack([f * x for f in factors], axis)
             for x, axis in zip((x, w), axes)]
  given = jax.vmap(lambda x, w: jaxgemm.ragged_dot(x, w, SIZES, quantize_out="mx"), axes)(*stacked)
  for i, f in enumerate(factors):
    power = sum(axis is not None for axis in axes)
    one = jaxgemm.Quantized(given.values[i], given.scales[i])
    assert_quantized(one, of_groups(x, w) * f ** power, "mx", E4M3, ERROR)


def test_derivatives_are_refused(rng):
  x, w = rows(rng, 40), array(rng, 4, 40, 128)
  with pytest.raises(NotImplementedError, match="quantize_out was differentiated"):
    jax.jvp(lambda w: jaxgemm.ragged_dot(x, w, SIZES, quantize_out="mx"), (w,), (w,))


@pytest.mark.parametrize("of_x, of_w", [
    (P("x"), P()), (P(), P(None, None, "y")), (P(), P("x", None, "y")),
    (P(None, "x"), P(None, "x"))])
def test_automatic_mesh(rng, of_x, of_w):
  """With experts on several devices their results are added up before they are quantised."""
  mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
  x, w = rows(rng, 40), array(rng, 4, 40, 512)
  x_, w_ = (jax.device_put(a, NamedSharding(mesh, spec)) for a, spec in ((x, of_x), (w, of_w)))
  given = jax.jit(lambda x, w: jaxgemm.ragged_dot(x, w, SIZES, quantize_out="block"))(x_, w_)
  assert_quantized(given, of_groups(x, w), "block", E4M3, ERROR)


@pytest.mark.parametrize("kind", ["block", "mx"])
def test_operands_with_scales_of_blocks(rng, kind):
  """A second product reads what the first one gives, without a pass between them."""
  x, w, v = array(rng, 1, 40, 256), array(rng, 1, 256, 256), array(rng, 1, 96, 256)
  left, right, last = (jaxgemm.quantize(a, kind) if kind == "mx" or i == 0 else
                       jaxgemm.quantize(a, kind, axis=(1, 2), block=(32, 128) if i == 2 else 128)
                       for i, a in enumerate((x, w, v)))
  if kind == "block":  # scales of 128 x 128 blocks of rhs, of which the last one has fewer rows
    last = jaxgemm.Quantized(last.values, last.scales[:, :1])
  hidden = jaxgemm.scaled_matmul(left.values, right.values, left.scales, right.scales,
                                 activation="relu", quantize_out=kind)
  exact = np.maximum(np.einsum("bmk,bnk->bmn", f64(left.dequantize()), f64(right.dequantize())), 0)
  assert_quantized(hidden, exact, kind, E4M3, ERROR)
  out = jaxgemm.scaled_matmul(hidden.values, last.values, hidden.scales, last.scales)
  wide = last._replace(scales=jnp.repeat(last.scales, 96, 1)) if kind == "block" else last
  wanted = np.einsum("bmk,bnk->bmn", f64(hidden.dequantize()), f64(wide.dequantize()))
  np.testing.assert_allclose(f64(out), wanted, atol=1e-2 * np.abs(wanted).max())


def test_grouped_operands_with_scales(rng):
  x, w = array(rng, ROWS, 256), array(rng, 4, 128, 256)
  left = jaxgemm.quantize(x, "block")
  right = jaxgemm.quantize(w, "block", axis=(1, 2))
  values = jnp.where(jnp.arange(ROWS)[:, None] < 64, left.values, jnp.nan)
  given = jaxgemm.scaled_ragged_dot(
      values, right.values, SIZES, left.scales, right.scales, quantize_out="block")
  exact = of_groups(left.dequantize(), jnp.swapaxes(right.dequantize(), 1, 2))
  assert_quantized(given, exact, "block", E4M3, ERROR)
