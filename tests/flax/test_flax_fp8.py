"""Delayed scaling, compared with Flax's operation of the same name."""

from flax import linen as nn
from flax.linen import fp8_ops
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import fp8
from jaxgemm.flax.linen import Fp8DotGeneralOp
from jaxgemm.quantization import float8_dtypes

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
