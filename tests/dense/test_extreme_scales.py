"""Scales of all kinds, of arrays whose largest magnitude is 0, tiny, huge or not finite."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8
from jaxgemm.call.quantization import largest
from jaxgemm.fp8 import Amax, DelayedScaling

MATMUL = (((1,), (0,)), ((), ()))
LIMITS = jnp.finfo(jnp.float32)
TINY, HUGE = float(LIMITS.tiny), float(LIMITS.max)
DTYPES = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e3m4",
          "float4_e2m1fn", "int8")
MAGNITUDES = 0.0, TINY / 64, TINY, 3 * TINY, 1e-36, 1.7e-34, 1.0, 1e36, HUGE


def normal(seed, *shape):
  return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, np.float32))


def f64(x):
  return np.asarray(x, np.float64)


def is_normal(scales):
  """Whether scales and their reciprocals are neither 0, subnormal nor infinite."""
  scales = f64(scales)
  return ((scales >= TINY) & (scales <= 1 / TINY)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_quantize(dtype):
  shape = np.linspace(-1, 1, 64, dtype=np.float32).reshape(2, 32)
  x = np.concatenate([shape * np.float32(m) for m in MAGNITUDES])
  x = np.concatenate([x, x[:2]])
  x[-2, ::4], x[-1, ::4] = np.inf, np.nan  # these have no effect on the scale
  for kind in ("tensor", "row", "block", "mx"):
    options = {} if kind == "tensor" else dict(axis=-1)
    options |= dict(block=32) if kind in ("block", "mx") else {}
    for part in x.reshape(-1, 2, 32) if kind == "tensor" else [x]:
      values, scales = jaxgemm.quantize(jnp.asarray(part), kind, dtype=dtype, **options)
      assert is_normal(scales)
      finite = np.isfinite(part)
      back = f64(values) * f64(np.broadcast_to(f64(scales), part.shape) if kind != "tensor" else
                               f64(scales))
      # The nearest value is at most a quarter off, or half of the smallest step, which is no finer
      # than the smallest normal scale. Subnormal floats may be flushed to 0. MX formats saturate.
      step = f64(scales) * (1.0 if dtype in ("int8", "float4_e2m1fn") else 0.02) + TINY
      wanted = f64(part)
      saturates = 0.5 if kind == "mx" else 0.26
      assert (np.abs(back - wanted)[finite]
              <= (saturates * np.abs(wanted) + step)[finite] * (1 + 1e-6)).all()
      again = jaxgemm.quantize(jnp.where(finite, part, 0), kind, dtype=dtype, **options)
      dequantised = again.dequantize()
      assert np.isfinite(dequantised).all()  # the largest float32, too
      np.testing.assert_array_equal(again.scales, scales)


def delayed(x, w, state, factor=1.0):
  """(out, d_x, d_w, next state) of a step, where `factor` is that of the cotangent."""
  def loss(x, w, state):
    out = fp8.dot_general(x, w, MATMUL, state=state)
    return (out * normal(9, *out.shape)).sum() * factor, out
  gradients, out = jax.grad(loss, (0, 1, 2), has_aux=True)(x, w, state)
  return out, *gradients


def check_step(x, w, state, factor=1.0):
  """A step's next state; asserts that its results are right if the state knows x, w and factor."""
  out, d_x, d_w, state = delayed(x, w, state, factor)
  ct = f64(normal(9, *out.shape)) * factor
  for given, wanted in ((out, f64(x) @ f64(w)), (d_x, ct @ f64(w).T), (d_w, f64(x).T @ ct)):
    assert np.linalg.norm(f64(given) - wanted) <= 0.1 * np.linalg.norm(wanted)
  return state


@jax.jit
def next_state(x, w, state, factor):
  return delayed(x, w, state, factor)[-1]


@pytest.mark.parametrize("of_x, of_w, of_ct", [
    (1e-37, 1.0, 1.0), (1.0, 1e-37, 1.0), (1.0, 1.0, 1e-35), (TINY / 8, 1.0, 1.0),
    (1.0, 1.0, TINY / 8), (1e30, 1.0, 1e-30), (1.0, HUGE / 8, 1e-8)])
def test_delayed_scaling_after_tiny_and_huge_magnitudes(of_x, of_w, of_ct):
  x, w, state = normal(0, 16, 32), normal(1, 32, 24), DelayedScaling.create(2)
  for _ in range(3):
    state = next_state(x * of_x, w * of_w, state, of_ct)
    assert all(is_normal(each.scale) for each in state)
  # After the history has passed, nothing is left of it.
  for _ in range(3):
    state = next_state(x, w, state, 1.0)
    assert all(is_normal(each.scale) and np.isfinite(each.history).all() for each in state)
  check_step(x, w, state)


def test_delayed_scaling_saturates_from_the_smallest_scale():
  """A history of tiny magnitudes, and then 1e30: the quotient by the scale is infinite."""
  x = normal(2, 8, 16).at[0, 0].set(np.inf).at[0, 1].set(np.nan) * 1e30
  for dtype in (jnp.float8_e4m3fn, jnp.float8_e4m3fnuz, jnp.float8_e5m2):
    amax = Amax(jnp.ones(1), jnp.full(4, TINY))
    quantised, after = amax.quantize(x, dtype)
    assert is_normal(quantised.scales)
    values = f64(quantised.values)
    finite = np.isfinite(x)
    np.testing.assert_array_equal(values[finite], np.sign(f64(x)[finite]) * largest(dtype))
    assert not np.isfinite(values[0, 0]) and np.isnan(values[0, 1])
    assert not np.isfinite(after.history).all()


def test_delayed_scaling_forgets_what_is_not_finite():
  x, w, state = normal(3, 8, 16), normal(4, 16, 8), DelayedScaling.create(2)
  state = next_state(x, w, state, 1.0)
  state = next_state(x, w, state, 1.0)
  for bad in (np.nan, np.inf):
    state = next_state(x.at[0, 0].set(bad), w, state, 1.0)
    for _ in range(3):
      state = next_state(x, w, state, 1.0)
      assert all(is_normal(each.scale) for each in state)
    check_step(x, w, state)


@pytest.mark.parametrize("scale", [0.0, np.inf, np.nan, -1.0, TINY / 8, HUGE])
@pytest.mark.parametrize("history", [0.0, np.inf, np.nan, TINY / 8, -1.0])
def test_a_state_with_any_numbers(scale, history):
  """A scale is a normal number, whatever a checkpoint holds."""
  state = Amax(jnp.full(1, scale), jnp.full(2, history))
  quantised, after = state.quantize(normal(5, 4, 8), jnp.float8_e4m3fn)
  assert np.isfinite(f64(quantised.values)).all()
  assert f64(after.scale) >= TINY and np.isfinite(f64(after.scale))


@pytest.mark.parametrize("shapes", [((0, 8), (8, 4)), ((4, 0), (0, 8)), ((4, 8), (8, 0))])
def test_empty_arrays(shapes):
  x, w = (jnp.zeros(shape) for shape in shapes)
  out, d_x, d_w, state = delayed(x, w, DelayedScaling.create(2))
  assert (out.shape, d_x.shape, d_w.shape) == ((len(x), w.shape[1]), x.shape, w.shape)
  assert not any(np.any(f64(y)) for y in (out, d_x, d_w))
  assert all(is_normal(each.scale) for each in state)
  assert not any(each.history.any() for each in (state.lhs, state.rhs))


@pytest.mark.whole(unless=lambda recipe: recipe in ("tensorwise", "mxfp8"))
@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "blockwise", "mxfp8"])
def test_recipes(recipe):
  """Products and gradients of tiny and huge operands and cotangents."""
  x, w, ct = normal(6, 32, 64), normal(7, 64, 32), normal(8, 32, 32)
  sizes = jnp.array([20, 12])

  def dense(x, w):
    return fp8.dot_general(x, w, MATMUL, recipe=recipe)

  def grouped(x, w):
    return fp8.ragged_dot(x, jnp.stack([w, w]), sizes, recipe=recipe)

  @jax.jit
  def both(x, w, ct):
    results = []
    for product in (dense, grouped):
      out, vjp = jax.vjp(product, x, w)
      results.append((out, *vjp(ct)))
    return results

  for of_x, of_w, of_ct in ((1e-30, 1, 1), (1, 1e-30, 1), (1, 1, 1e-30), (1e28, 1e-28, 1),
                            (1e28, 1, 1e-28), (1, 1e28, 1e-28), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
    args = x * of_x, w * of_w, ct * of_ct
    left, right, cotangent = map(f64, args)
    wanted = left @ right, cotangent @ right.T, left.T @ cotangent
    for results in both(*args):
      for given, expected in zip(results, wanted):
        assert np.linalg.norm(f64(given) - expected) <= 0.12 * np.linalg.norm(expected)


@pytest.mark.whole(
    unless=lambda function, magnitude: (function == "dot_general") == (magnitude == 1e-30))
@pytest.mark.parametrize("dtypes, magnitude", [
    (("float8_e4m3fn", "float8_e5m2"), 1e-30), (("float8_e4m3fn", "float8_e4m3fn"), 1e-3)])
@pytest.mark.parametrize("function", ["dot_general", "ragged_dot"])
def test_rows_of_zeros_do_not_measure_the_cotangents_of_others(function, dtypes, magnitude):
  x, w = magnitude * normal(1, 40, 24), magnitude * normal(2, 2, 24, 16)
  x, w, ct = x.at[3].set(0), w.at[:, :, 5].set(0), normal(3, 40, 16)
  sizes = jnp.array([13, 27])
  options = dict(recipe="rowwise", dtypes=dtypes)
  if function == "dot_general":
    w = w[0]
    product = lambda x, w: fp8.dot_general(x, w, MATMUL, **options)
    wanted = f64(ct) @ f64(w).T, f64(x).T @ f64(ct)
  else:
    product = lambda x, w: fp8.ragged_dot(x, w, sizes, **options)
    ct_of, x_of, w_of = f64(ct), f64(x), f64(w)
    wanted = (np.concatenate([ct_of[:13] @ w_of[0].T, ct_of[13:] @ w_of[1].T]),
              np.stack([x_of[:13].T @ ct_of[:13], x_of[13:].T @ ct_of[13:]]))
  for got, exact in zip(jax.vjp(product, x, w)[1](ct), wanted):
    assert np.abs(f64(got) - exact).max() < 0.15 * np.abs(exact).max()
