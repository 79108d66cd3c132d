"""Delayed scaling, compared with Flax's operation of the same name."""

import warnings

from flax import linen as nn
from flax import nnx
from flax.linen import fp8_ops
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import fp8
from jaxgemm.call.quantization import float8_dtypes
from jaxgemm.flax import nnx as layers
from jaxgemm.flax.linen import Fp8DotGeneralOp

OVERWRITE = fp8_ops.OVERWRITE_WITH_GRADIENT


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def steps(operation, x, y, count=4):
  """(name, loss, gradients, state) of the last of some steps, which overwrite the state."""
  layer = nn.Dense(16, dot_general_cls=operation)
  variables = layer.init(jax.random.key(0), x)

  @jax.jit
  def step(variables):
    loss = lambda variables: ((layer.apply(variables, x) - y)**2).mean()
    value, gradients = jax.value_and_grad(loss)(variables)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, variables["params"], gradients["params"])
    return value, gradients, {"params": params, OVERWRITE: gradients[OVERWRITE]}

  for _ in range(count):
    value, gradients, variables = step(variables)
  (name, state), = variables[OVERWRITE].items()
  return name, value, gradients["params"], state


def test_as_in_flax(rng):
  x, y = array(rng, 32, 24), array(rng, 32, 16)
  # Flax's operation of the same name computes in bfloat16; the direct one has float8 products.
  (name, *ours), (_, *theirs) = (
      steps(f, x, y) for f in (Fp8DotGeneralOp, fp8_ops.Fp8DirectDotGeneralOp))
  # The same tree of variables, so that checkpoints fit.
  assert name == f"{fp8_ops.Fp8DotGeneralOp.__name__}_0"
  assert jax.tree.structure(ours) == jax.tree.structure(theirs)
  for given, wanted in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
    assert (given.shape, given.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())
  # The state has moved.
  assert all(np.abs(leaf).max() > 0 for leaf in jax.tree.leaves(ours[2]))


def test_scales_come_from_earlier_steps(rng):
  x, w = array(rng, 16, 24), array(rng, 24, 8)
  numbers = (((1,), (0,)), ((), ()))

  def loss(x, w, state):
    out = fp8.dot_general(x, w, numbers, state=state)
    return (out**2).sum(), out

  most = float(jnp.finfo(float8_dtypes()[0]).max)  # 448, or 240 on gfx942
  state = fp8.DelayedScaling.create(history=2)
  largest = []
  for factor in (1, 8, 1, 1, 1):
    (_, out), state = jax.value_and_grad(loss, 2, has_aux=True)(x * factor, w, state)
    amax = float(jnp.abs(x).max() * factor)
    # The scale of this step is that of the largest magnitude of the two steps before it.
    wanted = max(largest[-2:]) / most if largest else 1.0
    np.testing.assert_allclose(state.lhs.scale, [wanted], rtol=1e-6)
    largest.append(amax)
    assert np.isfinite(out).all()  # what is too large saturates
  np.testing.assert_allclose(sorted(state.lhs.history), [amax, amax], rtol=1e-6)
  assert state.cotangent.scale[0] != 1


def test_no_recipe_beside_a_state():
  with pytest.raises(ValueError, match="delayed scaling has one scale for each array"):
    fp8.dot_general(jnp.ones((8, 8)), jnp.ones((8, 8)), (((1,), (0,)), ((), ())),
                    recipe="rowwise", state=fp8.DelayedScaling.create())


def losses_of_nnx(rng_seed, operation, wrt, count=12):
  """The losses of steps of a layer whose cotangents are too small for float8 with a scale of 1."""
  rng = np.random.default_rng(rng_seed)
  x, w = array(rng, 8192, 16), array(rng, 16, 32)
  y = x @ w
  layer = nnx.Linear(16, 32, rngs=nnx.Rngs(0), **operation)

  @nnx.jit
  def step(layer):
    mean_square = lambda layer: ((layer(x) - y)**2).mean()
    value, gradients = nnx.value_and_grad(mean_square, argnums=wrt)(layer)
    if isinstance(wrt, nnx.DiffState):
      gradients = layers.overwrite(layer, gradients)
    layer.kernel[...] -= 8.0 * gradients["kernel"][...]
    return value

  return [float(step(layer)) for _ in range(count)], layer


def test_nnx_with_and_without_a_state_that_is_differentiated():
  operation = lambda: dict(dot_general=layers.Fp8DotGeneralOp(amax_history_length=4))
  exact, _ = losses_of_nnx(3, {}, 0)
  assert exact[-1] < 0.05 * exact[0]
  with pytest.warns(UserWarning, match="nnx.DiffState"):
    plain, layer = losses_of_nnx(3, operation(), 0)
  # The scales are the arrays' own, and the state is as it was.
  assert layer.dot_general.input_scale[...] == 1
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    delayed, layer = losses_of_nnx(
        3, operation(), nnx.DiffState(0, (nnx.Param, layers.OverwriteWithGradient)))
  assert layer.dot_general.output_grad_scale[...] < 1e-8
  for given in (plain, delayed):
    assert abs(given[-1] - exact[-1]) < 0.02 * exact[0]


def test_overwrite_of_nothing():
  layer = nnx.Linear(8, 4, rngs=nnx.Rngs(0), dot_general=layers.Fp8DotGeneralOp())
  loss = lambda layer: (layer(jnp.ones((2, 8)))**2).sum()
  with pytest.raises(ValueError, match="gradients lack dot_general.input_amax_history.*DiffState"):
    layers.overwrite(layer, nnx.grad(loss)(layer))
  every = nnx.grad(loss, argnums=nnx.DiffState(0, nnx.Variable))(layer)
  with pytest.raises(ValueError, match="gradients lack dot_general.kernel_scale;"):
    layers.overwrite(layer, nnx.filter_state(every, lambda path, _: path[-1] != "kernel_scale"))
  plain = nnx.Linear(8, 4, rngs=nnx.Rngs(0))
  with pytest.raises(ValueError, match="model has no variable of type OverwriteWithGradient"):
    layers.overwrite(plain, nnx.grad(loss)(plain))
  others = layers.overwrite(layer, every)
  assert set(others) == {"kernel", "bias"} and layer.dot_general.input_amax_history[0] == 1


def test_parameters_alone_are_differentiated_in_linen(rng):
  """Then the gradients are those with the arrays' own scales."""
  x = 1e-4 * array(rng, 32, 24)
  layer = nn.Dense(16, use_bias=False, dot_general_cls=Fp8DotGeneralOp)
  variables = layer.init(jax.random.key(0), x)
  own = nn.Dense(16, use_bias=False, dot_general=fp8.dot_general)

  def gradient(layer, others):
    loss = lambda params: 1e-6 * (layer.apply({"params": params, **others}, x)**2).sum()
    return jax.jit(jax.grad(loss))(variables["params"])["kernel"]
  given = gradient(layer, {OVERWRITE: variables[OVERWRITE]})
  assert np.abs(given).max() > 0
  np.testing.assert_allclose(given, gradient(own, {}), rtol=1e-5)
