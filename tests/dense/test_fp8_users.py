"""Uses of quantize and jaxgemm.fp8 that once gave silent NaN, zeros or wrong gradients."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8

MATMUL = (((1,), (0,)), ((), ()))


def normal(seed, *shape):
  return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, np.float32))


def difference(x, y):
  x, y = (np.asarray(each, np.float64) for each in (x, y))
  return np.linalg.norm(x - y) / np.linalg.norm(y)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "int8"])
def test_products_of_quantised_operands_are_float32(dtype):
  x, w = 100 * jnp.ones((8, 512)), normal(0, 512, 24)
  x8, w8 = (jaxgemm.quantize(each, "row", axis=axis, dtype=dtype)
            for each, axis in ((x, 1), (w, 0)))
  y = jaxgemm.matmul(x8.values, w8.values, scale_lhs=x8.scales, scale_rhs=w8.scales)
  z = jaxgemm.dot_general(x8.values, w8.values, MATMUL, scale_rhs=w8.scales)
  assert y.dtype == z.dtype == jnp.float32
  assert difference(y, x8.dequantize() @ w8.dequantize()) < 1e-5
  grouped = jaxgemm.ragged_dot(x8.values, w8.values[None], jnp.array([8]), scale_lhs=x8.scales)
  assert grouped.dtype == jnp.float32


@pytest.mark.parametrize("dtype", ["uint8", "int4", "float32", "bfloat16", "float8_e8m0fnu"])
def test_quantize_names_the_dtypes(dtype):
  with pytest.raises(ValueError, match="float4_e2m1fn and int8 are allowed"):
    jaxgemm.quantize(jnp.ones((2, 2)), dtype=dtype)


@pytest.mark.whole(unless=lambda recipe: recipe == "rowwise")
@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise"])
def test_second_derivatives_are_refused(recipe):
  x, w = normal(1, 16, 32), normal(2, 32, 16)

  def loss(x):
    return (fp8.dot_general(x, w, MATMUL, recipe=recipe) ** 2).sum()

  def grouped(x):
    return (fp8.ragged_dot(x, w[None], jnp.array([16]), recipe=recipe) ** 2).sum()
  for each in (loss, grouped):
    jax.grad(each)(x)
    with pytest.raises(NotImplementedError, match="first derivatives only"):
      jax.grad(lambda x, each=each: (jax.grad(each)(x) ** 2).sum())(x)


def test_rows_of_no_group_do_not_count_for_scales():
  x, w, sizes = normal(3, 8, 40), normal(4, 2, 40, 24), jnp.array([3, 3])
  large = x.at[6:].set(1e30)
  for recipe in ("tensorwise", "rowwise"):
    def out(x, w, recipe=recipe):
      return fp8.ragged_dot(x, w, sizes, recipe=recipe)
    np.testing.assert_array_equal(out(large, w), out(x, w))
    factor = jnp.ones((8, 1)).at[6:].set(1e30)
    d_w = jax.grad(lambda w: (out(large, w) * factor).sum())(w)
    np.testing.assert_array_equal(d_w, jax.grad(lambda w: out(x, w).sum())(w))


def test_ragged_dot_refuses_sizes_that_are_no_integers():
  with pytest.raises(TypeError, match=r"float32 was given. Pass group_sizes.astype\(jnp.int32\)"):
    fp8.ragged_dot(jnp.ones((8, 16)), jnp.ones((2, 16, 8)), jnp.array([3.5, 2.0]))


def test_a_state_shared_by_devices():
  mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])
  x, w = normal(5, 8, 32), normal(6, 32, 16)
  state = fp8.DelayedScaling.create(4)

  def loss(state, product):
    return (product(x, w, state) ** 2).sum()

  def product(x, w, state):
    return fp8.dot_general(x, w, MATMUL, state=state)
  sharded = jax.shard_map(
      product, mesh=mesh, in_specs=(P("i"), P(), P()), out_specs=P("i"))
  whole, halves = (jax.grad(loss)(state, each) for each in (product, sharded))
  jax.tree.map(np.testing.assert_allclose, halves, whole)


def test_states():
  x, w = normal(7, 8, 32), normal(8, 32, 16)
  unused = jax.grad(lambda state: 0.0)(fp8.DelayedScaling.create(4))
  assert jnp.isfinite(fp8.dot_general(x, w, MATMUL, state=unused)).all()
  for history in (1.5, "x", None):
    with pytest.raises(TypeError, match="history="):
      fp8.DelayedScaling.create(history)
  for dtypes in (("float4_e2m1fn",) * 2, ("float8_e4m3fn",), ("float32",) * 2, ("x", "y"), 3):
    with pytest.raises((TypeError, ValueError), match="dtypes=.*two float8 dtypes are allowed"):
      fp8.ragged_dot(jnp.ones((8, 16)), jnp.ones((2, 16, 4)), jnp.array([3, 5]), dtypes=dtypes)
  with pytest.raises(ValueError, match="history=0"):
    fp8.DelayedScaling.create(0)
  with pytest.raises(TypeError, match="state is of type dict"):
    fp8.dot_general(x, w, MATMUL, state={})


@pytest.mark.filterwarnings("ignore:A product of jaxgemm.fp8 with a state")
def test_gradients_with_and_without_that_of_the_state_may_be_traced_in_any_order():
  x, w = normal(7, 8, 32), normal(8, 32, 16)
  state = fp8.DelayedScaling.create(4)
  product = lambda w, state: fp8.dot_general(x, w, MATMUL, state=state)
  ct = jnp.ones((8, 16))
  wanted = jax.grad(lambda w, state: product(w, state).sum(), (0, 1))(w, state)
  _, of_both = jax.vjp(product, w, state)
  _, of_weights = jax.vjp(lambda w: product(w, state), w)  # traced before of_both is transposed
  jax.tree.map(np.testing.assert_array_equal, of_both(ct), wanted)
  d_w, = of_weights(ct)
  d_w_tensorwise = jax.grad(lambda w: fp8.dot_general(x, w, MATMUL).sum())(w)
  np.testing.assert_array_equal(d_w, d_w_tensorwise)
