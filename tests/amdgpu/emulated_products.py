"""Operands of products on the emulator, and a comparison of the results with float64."""

import jax.numpy as jnp
import numpy as np


def array(rng, *shape, dtype="bfloat16"):
  if dtype == "int8":
    return jnp.asarray(rng.integers(-128, 128, shape), jnp.int8)
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(*arrays):
  return [np.asarray(x.astype(jnp.float32), np.float64) for x in arrays]


def assert_close(got, wanted, k):
  """Allows the rounding of a float32 sum of k terms."""
  got = np.asarray(got, np.float64)
  allowed = 2e-6 * (k + 1) ** 0.5 * max(np.abs(wanted).max(initial=0), 1)
  assert got.shape == wanted.shape
  assert np.abs(got - wanted).max() <= allowed
