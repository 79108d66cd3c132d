"""A reference for the tests of grouped products."""

import jax
import jax.numpy as jnp
import numpy as np

from tests.support.environment import FLOAT32_ERROR

ACTIVATIONS = {None: lambda z: z, "relu": jax.nn.relu, "gelu": jax.nn.gelu,
               "silu": jax.nn.silu}


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32), dtype)


def reference(lhs, rhs, bias=None, scale=None, *, sizes, offset=0, activation=None):
  """The grouped product by jnp, in the dtype of lhs and with gradients."""
  ends = np.cumsum(np.maximum(np.asarray(sizes, np.int64), 0))
  group = np.searchsorted(ends, np.arange(lhs.shape[0]), side="right")
  local = group - min(max(offset, 0), len(ends))
  inside = (group < len(ends)) & (local >= 0) & (local < rhs.shape[0])
  local, inside = np.where(inside, local, 0), inside[:, None]
  z = jnp.einsum("mk,mkn->mn", jnp.where(inside, lhs, 0), rhs[local])
  z = z * (1 if scale is None else scale[local])
  z = z + (0 if bias is None else bias[local])
  return jnp.where(inside, ACTIVATIONS[activation](z), 0)


def wide(function, *args):
  """function(*args) in float64, on the CPU."""
  with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
    args = [None if x is None else jnp.asarray(np.asarray(x, np.float64))
            for x in args]
    return jax.tree.map(np.asarray, jax.jit(function)(*args))


def assert_close(given, wanted, tolerance=1e-5):
  tolerance = max(tolerance, FLOAT32_ERROR)

  def check(x, y):
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    assert x.shape == y.shape
    np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance * np.abs(y).max(initial=0))

  jax.tree.map(check, given, wanted)
