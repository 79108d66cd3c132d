"""Operands in blocks of the contracted dimension, for the recipes "blockwise" and "mxfp8".

A scale that varies along the contracted dimension of one product varies along the rows of
another. So an operand is quantised once for each product that reads it, along the dimension
which that product contracts: lhs and rhs for the forward pass and for the other's gradient, the
cotangent for both gradients. Each is stored with the contracted dimension last, the order in
which all matrix instructions read 8-bit operands.
"""

import jax
import jax.numpy as jnp

from jaxgemm.quantization import BLOCKS, Quantized, quantize
from jaxgemm.scaled.api import scaled_matmul


def quantized(x: jax.Array, kind: str, dtype, tiles: bool = False) -> Quantized:
  """x with scales for blocks of its last dimension, which zeros make a multiple of the blocks.

  Args:
    x: array of shape (..., R, K).
    kind: "block" or "mx". A K below a block of kind "block" is one block.
    dtype: of the values.
    tiles: whether blocks of kind "block" are square. Then the scales have a value for 128 rows.
  """
  rows, k = x.shape[-2:]
  size = BLOCKS[kind] if kind == "mx" else max(1, min(BLOCKS[kind], k))
  x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -k % size)])
  if not tiles or kind == "mx":
    return quantize(x, kind, axis=-1, dtype=dtype, block=size)
  x = jnp.pad(x, [(0, 0)] * (x.ndim - 2) + [(0, -rows % BLOCKS[kind]), (0, 0)])
  values, scales = quantize(x, kind, axis=(-2, -1), dtype=dtype, block=(BLOCKS[kind], size))
  return Quantized(values[..., :rows, :], scales)


def product(lhs: Quantized, rhs: Quantized, dtype, options) -> jax.Array:
  """[B, M, N] of [B, M, K] and [B, N, K] in blocks along K."""
  return scaled_matmul(lhs.values, rhs.values, lhs.scales, rhs.scales, dtype, **options)
