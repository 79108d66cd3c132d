"""Operands with scales of blocks, and their products in float64."""

import jax.numpy as jnp
import numpy as np

import jaxgemm
from tests.support.environment import VIRTUAL_ROCM

E4M3 = jnp.float8_e4m3fn


def array(rng, *shape, dtype=E4M3):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def scales(rng, *shape):
  return jnp.asarray(rng.uniform(0.1, 2, shape), jnp.float32)


def dequantized(x, of_blocks, block):
  """float64 x times its scales, whose last blocks may be shorter."""
  of_blocks = np.repeat(np.asarray(of_blocks, np.float64), block, -1)[..., :x.shape[-1]]
  if of_blocks.shape[-2] != x.shape[-2]:
    of_blocks = np.repeat(of_blocks, 128, -2)[..., :x.shape[-2], :]
  return np.asarray(x, np.float64) * of_blocks


def of_groups(x, y, sizes):
  """float64 products of groups of x's rows, one after another, with the matrices of y [G, N, K]."""
  out, row = np.zeros((len(x), y.shape[-2])), 0
  for group, size in enumerate(sizes):
    out[row:row + size] = x[row:row + size] @ y[group].T
    row += size
  return out


def assert_close(given, wanted, tolerance=2e-6, rows=128):
  """Compares with float64, relative to the largest element.

  AMD's kernels have one scale for 128 rows of rhs. With another number of `rows`, operands on AMD
  GPUs are dequantised first, and rounded to bfloat16.
  """
  assert given.shape == wanted.shape
  if VIRTUAL_ROCM and rows != 128:
    tolerance = max(tolerance, 2.0**-8)
  difference = np.abs(np.asarray(given, np.float64) - wanted).max()
  assert difference <= tolerance * np.abs(wanted).max()


def is_in_kernel(*args, **kwargs):
  said = str(jaxgemm.explain(*args, **kwargs))
  assert ("dequantised" in said) != ("multiplied by the scales of its blocks" in said)
  return "dequantised" not in said
