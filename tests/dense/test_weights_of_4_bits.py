"""Products of arrays and weights of 4 bits, compared with float64 of the dequantised weights."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import Quantized, quantize

KINDS = ["mxfp4", "int4"]
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(x):
  """An array, or a `Quantized`, as float64."""
  if not isinstance(x, Quantized):
    return np.asarray(x).astype(np.float64)
  scales = f64(x.scales)
  for axis, (size, count) in enumerate(zip(x.values.shape, scales.shape)):
    scales = np.repeat(scales, size // count, axis)
  return f64(x.values) * scales


def assert_close(given, a, b, wanted, eps=2.0**-8):
  """Compares with bounds from the sums of magnitudes: of rounded weights, and of the result."""
  bound = eps * (np.abs(wanted) + np.abs(a) @ np.abs(b)) + 1e-30
  assert (np.abs(f64(given) - wanted) <= bound).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_mxfp4(rng, axis):
  x = array(rng, 64, 96) * 3
  values, scales = quantize(x, "mxfp4", axis=axis)
  assert values.dtype == jnp.float4_e2m1fn and scales.dtype == jnp.float8_e8m0fnu
  assert scales.shape == ((2, 96) if axis == 0 else (64, 3))
  blocks = np.moveaxis(f64(x), axis, -1).reshape(-1, 32)
  wanted = 2.0 ** (np.floor(np.log2(np.abs(blocks).max(-1, keepdims=True))) - 2)
  np.testing.assert_array_equal(np.moveaxis(f64(scales), axis, -1).reshape(-1, 1), wanted)
  quotients = np.clip(blocks / wanted, -6, 6)
  error = np.abs(np.moveaxis(f64(values), axis, -1).reshape(-1, 32) - quotients)
  grid = np.concatenate([-E2M1, E2M1])
  np.testing.assert_array_equal(error, np.abs(quotients[..., None] - grid).min(-1))


@pytest.mark.parametrize("block", [None, 32, 128])
@pytest.mark.parametrize("axis", [0, -1])
def test_int4(rng, axis, block):
  x = array(rng, 128, 256)
  q = quantize(x, "int4", axis=axis, block=block)
  assert q.values.dtype == jnp.int4 and q.scales.dtype == jnp.float32
  block = block or 32
  blocks = np.moveaxis(f64(x), axis, -1).reshape(-1, block)
  scales = np.moveaxis(f64(q.scales), axis, -1).reshape(-1, 1)
  np.testing.assert_allclose(scales, np.abs(blocks).max(-1, keepdims=True) / 7, rtol=1e-6)
  values = np.moveaxis(f64(q.values), axis, -1).reshape(-1, block)
  assert np.abs(values).max() == 7
  assert (np.abs(values * scales - blocks) <= scales * (0.5 + 1e-5)).all()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns, blocks", [(96, (2, 96)), (96, (64, 3)), (96, (1, 1)),
                                             (96, (4, 32)), (33, (64, 33)), (33, (2, 11))])
def test_dequantize(rng, dtype, kind, columns, blocks):
  """Each bit is that of the float32 product, where this is a normal number."""
  values = rng.integers(0, 16, (64, columns))
  signed = (values ^ 8) - 8
  numbers = signed if kind == "int4" else np.where(values & 8, -1, 1) * E2M1[values & 7]
  exponents = rng.integers(2, 252, blocks)
  scales = 2.0 ** (exponents - 127) if kind == "mxfp4" else rng.standard_normal(blocks)
  scales = scales.astype(np.float32)
  wide = scales
  for axis in 0, 1:
    wide = np.repeat(wide, numbers.shape[axis] // blocks[axis], axis)
  wanted = jnp.asarray(numbers.astype(np.float32) * wide)
  given = Quantized(
      jnp.asarray(signed, jnp.int4) if kind == "int4" else
      jnp.asarray(numbers, jnp.float32).astype(jnp.float4_e2m1fn),
      jnp.asarray(scales).astype(jnp.float32 if kind == "int4" else jnp.float8_e8m0fnu))
  for function in given.dequantize, jax.jit(given.dequantize, static_argnums=0):
    np.testing.assert_array_equal(f64(function(dtype)), f64(wanted.astype(dtype)))


def test_zeros_and_stochastic_rounding(rng):
  for kind in KINDS:
    q = quantize(jnp.zeros((2, 64)), kind)
    assert (f64(q.scales) == 1).all() and (f64(q.values) == 0).all()
    x = jnp.full((1, 32 * 4096), 0.3).at[:, ::32].set(6.9)
    q = quantize(x, kind, key=jax.random.key(int(rng.integers(1 << 30))))
    rest = f64(q).reshape(-1, 32)[:, 1:]
    assert len(np.unique(rest)) == 2
    np.testing.assert_allclose(rest.mean(), 0.3, rtol=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_quantize(kind):
  x = jnp.ones((4, 48))
  with pytest.raises(ValueError, match="blocks of 32 do not divide the 48"):
    quantize(x, kind)
  with pytest.raises(ValueError, match="one axis is allowed"):
    quantize(x, kind, axis=(0, 1), block=4)
  with pytest.raises(ValueError, match=f"dtype=int8 was given with kind='{kind}'"):
    quantize(x, kind, dtype=jnp.int8, block=4)
  with pytest.raises(ValueError, match="is unknown"):
    quantize(x, kind + "s")


def test_the_layout_of_gpt_oss(rng):
  """The conversion of openai/gpt-oss (gpt_oss/torch/weights.py), in numpy."""
  blocks = rng.integers(0, 256, (3, 10, 4, 16), np.uint8)
  scales = rng.integers(100, 140, (3, 10, 4), np.uint8)
  table = np.concatenate([E2M1, -E2M1])
  wanted = np.stack([table[blocks & 15], table[blocks >> 4]], -1).reshape(3, 10, 4, 32)
  wanted = wanted * 2.0 ** (scales.astype(np.float64)[..., None] - 127)
  q = Quantized.from_mxfp4(blocks, scales)
  assert q.shape == (3, 10, 128) and q.ndim == 3
  np.testing.assert_array_equal(f64(q), wanted.reshape(3, 10, 128))
  np.testing.assert_array_equal(q.dequantize(), wanted.reshape(3, 10, 128))
  with pytest.raises(TypeError, match="blocks has dtype int32"):
    Quantized.from_mxfp4(blocks.astype(np.int32), scales)
  with pytest.raises(ValueError, match="blocks has shape"):
    Quantized.from_mxfp4(blocks, scales[:2])


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float32])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m, k, n", [(1, 64, 33), (7, 96, 130), (65, 160, 17)])
def test_matmul(rng, kind, dtype, m, k, n):
  x, bias = array(rng, m, k, dtype=dtype), array(rng, n)
  w = quantize(array(rng, k, n), kind, axis=0)
  given = jaxgemm.matmul(x, w, bias=bias, activation="relu")
  assert given.dtype == dtype and given.shape == (m, n)
  wanted = np.maximum(f64(x) @ f64(w) + f64(bias), 0)
  assert_close(given, f64(x), f64(w), wanted)
  # The same weights with k last.
  last = quantize(f64(w).T.astype(np.float32), kind, axis=1)
  given = jaxgemm.dot_general(x, last, (((1,), (1,)), ((), ())))
  assert_close(given, f64(x), f64(last).T, f64(x) @ f64(last).T)


@pytest.mark.parametrize("kind", KINDS)
def test_grouped(rng, kind):
  sizes = np.array([3, 0, 20, 1, 0], np.int32)  # three rows are in no group
  x, w = array(rng, 27, 64, dtype=jnp.bfloat16), quantize(array(rng, 5, 64, 40), kind, axis=1)
  given = jax.jit(jaxgemm.ragged_dot)(x, w, sizes)
  wanted, weights = np.zeros((27, 40)), np.zeros((27, 64, 40))
  for g, (begin, end) in enumerate(zip(np.cumsum(sizes) - sizes, np.cumsum(sizes))):
    weights[begin:end] = f64(w)[g]
  wanted = np.einsum("mk,mkn->mn", f64(x), weights)
  bound = 2.0**-8 * (np.abs(wanted) + np.einsum("mk,mkn->mn", np.abs(f64(x)), np.abs(weights)))
  assert (np.abs(f64(given) - wanted) <= bound).all()
  assert (f64(given)[24:] == 0).all()
  # gate and up, whose rows alternate in the checkpoints of gpt-oss
  last = quantize(array(rng, 5, 2 * 24, 64), kind)
  both = jax.tree.map(lambda a: a.reshape(5, 24, 2, -1).transpose(0, 3, 2, 1), last)
  given = jaxgemm.ragged_gated_linear_unit(x, both, sizes)
  wanted = jaxgemm.ragged_gated_linear_unit(
      x, jnp.asarray(f64(last).reshape(5, 24, 2, 64).transpose(0, 3, 2, 1), jnp.bfloat16), sizes)
  np.testing.assert_array_equal(f64(given), f64(wanted))


@pytest.mark.parametrize("kind, block", [("mxfp4", 32), ("int4", 32), ("int4", 128)])
def test_scaled_products(rng, kind, block):
  x = array(rng, 1, 9, 256, dtype=jnp.bfloat16)
  q = quantize(array(rng, 3, 50, 256), kind, block=block)
  given = jaxgemm.scaled_matmul(x, q.values[:1], None, q.scales[:1], jnp.float32)
  wanted = f64(x)[0] @ f64(q)[0].T
  assert given.dtype == jnp.float32
  assert_close(given[0], f64(x)[0], f64(q)[0].T, wanted)
  sizes = np.array([4, 0, 5], np.int32)
  given = jaxgemm.scaled_ragged_dot(x[0], q.values, sizes, None, q.scales)
  for rows, g in ((slice(0, 4), 0), (slice(4, 9), 2)):
    assert_close(given[rows], f64(x)[0, rows], f64(q)[g].T, f64(x)[0, rows] @ f64(q)[g].T)


@pytest.mark.parametrize("kind", KINDS)
def test_transforms(rng, kind):
  """The weights are constants to jax.grad; they are carried and sliced as any pytree is."""
  x, w = array(rng, 8, 64), quantize(array(rng, 4, 64, 64), kind, axis=1)

  def loss(x, w):
    return jax.lax.scan(lambda x, w: (jnp.tanh(jaxgemm.matmul(x, w)), None), x, w)[0].sum()

  def reference(x, w):
    return jax.lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, w)[0].sum()

  given = jax.jit(jax.grad(loss))(x, w)
  wanted = jax.grad(reference)(x, w.dequantize())
  np.testing.assert_allclose(given, wanted, rtol=2e-3, atol=2e-4)
  of_scales = jax.grad(lambda s: loss(x, w._replace(scales=s.astype(w.scales.dtype))))(
      w.scales.astype(jnp.float32))
  assert (np.asarray(of_scales) == 0).all()
  donated = jax.jit(lambda w: jax.tree.map(lambda a: a[::-1], w), donate_argnums=0)
  first = f64(w)[0]
  np.testing.assert_array_equal(f64(donated(w))[3], first)


def test_errors_and_reasons(rng):
  x, w = array(rng, 4, 64, dtype=jnp.bfloat16), quantize(array(rng, 64, 32), "int4", axis=0)
  assert "rhs is dequantised from int4 to bfloat16" in str(jaxgemm.explain(x, w))
  experts = jax.tree.map(lambda y: y[None], w)
  both = lambda x, w: (jax.jit(lambda x: jaxgemm.matmul(x, w))(x), jaxgemm.matmul(x, x.T),
                       jaxgemm.ragged_dot(x, experts, jnp.array([4])))
  calls = jaxgemm.explain(both, x, w).data["calls"]
  assert ["dequantised from int4" in " ".join(call["reasons"]) for call in calls] == [
      True, False, True]
  assert "does not quantise its result" in str(jaxgemm.explain(
      lambda x: jaxgemm.matmul(x, w, quantize_out="mx"), x))
  assert jaxgemm.supports(x, w) == (True, "")
  assert jaxgemm.workspace_size(x, w) >= 0
  with pytest.raises(ValueError, match="b has values of shape"):
    jaxgemm.matmul(x, w._replace(scales=jnp.ones((3, 32))))
  with pytest.raises(TypeError, match="lhs is a Quantized"):
    jaxgemm.dot_general(w, x, (((0,), (1,)), ((), ())))
  with pytest.raises(TypeError, match="contracting"):
    jaxgemm.matmul(x[:, :32], w)


class QArray(NamedTuple):
  qvalue: jax.Array
  scale: jax.Array


@pytest.mark.parametrize("block", [32, 128])
def test_qarrays(rng, block):
  """Qwix's arrays of int4: dense, and grouped as MaxText calls megablox."""
  x = array(rng, 10, 256, dtype=jnp.bfloat16)
  w = quantize(array(rng, 2, 256, 24), "int4", axis=1, block=block)
  given = jaxgemm.qarray.dot_general(
      x, QArray(*jax.tree.map(lambda a: a[0], w)), (((1,), (0,)), ((), ())))
  assert_close(given, f64(x), f64(w)[0], f64(x) @ f64(w)[0])
  sizes = np.array([4, 6], np.int32)
  given = jaxgemm.megablox.gmm(x, QArray(*w), sizes)
  for rows, g in ((slice(0, 4), 0), (slice(4, 10), 1)):
    assert_close(given[rows], f64(x)[rows], f64(w)[g], f64(x)[rows] @ f64(w)[g])
