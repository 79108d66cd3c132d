"""Operands in blocks of the contracted dimension, for the recipes "blockwise" and "mxfp8".

A scale that varies along the contracted dimension of one product varies along the rows of
another. So an operand is quantised once for each product that reads it, along the dimension
that this product contracts: lhs and rhs for the forward pass and for the gradient of the other
operand, the cotangent for both gradients. Each is stored with the contracted dimension last, the
order in which all matrix instructions read 8-bit operands.
"""

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call import copies
from jaxgemm.call.options import Options
from jaxgemm.call.quantization import BLOCKS, Quantized, quantize, quantize_rows
from jaxgemm.scaled.api import scaled_matmul


def quantized(x: jax.Array, kind: str, dtype, tiles: bool = False,
              k_first: bool = False) -> Quantized:
  """x with scales for blocks along k, which is padded with zeros to a multiple of the blocks.

  Args:
    x: array of shape (..., R, K), or (..., K, R) if k_first.
    kind: "block" or "mx". With "block", a K shorter than a block is one block.
    dtype: dtype of the values.
    tiles: whether blocks of kind "block" are square: a scale is for 128 rows, too.
    k_first: whether k is the dimension before the last.

  Returns:
    Values of shape (..., R, K), with the padded K, and scales of their rank. With k_first the
    values are transposed after they are quantised, because that moves fewer bytes.
  """
  along, other = (-2, -1) if k_first else (-1, -2)
  rows, k = x.shape[other], x.shape[along]
  size = BLOCKS[kind] if kind == "mx" else max(1, min(BLOCKS[kind], k))
  if not tiles or kind == "mx":
    values, scales = quantize_rows(
        _padded(x, along, size), (x.ndim + along,), dtype, kind, size)
  else:
    x = _padded(_padded(x, along, size), other, BLOCKS[kind])
    values, scales = quantize(x, kind, axis=(along, other), dtype=dtype, block=(size, BLOCKS[kind]))
    values = lax.slice_in_dim(values, 0, rows, axis=values.ndim + other)
  if k_first:
    values, scales = copies.transposed(values), scales.mT
  return Quantized(values, scales)


def for_both_products(x: jax.Array, kind: str, dtype) -> tuple[Quantized, Quantized]:
  """Weights [..., K, N] for the product that contracts K, and for the one that contracts N.

  Returns:
    [..., N, K] and [..., K, N], each in blocks along its last dimension.
  """
  if kind == "block" and all(n % BLOCKS[kind] == 0 for n in x.shape[-2:]):
    # The blocks are square, so both products have the same blocks and scales.
    values, scales = quantized(x, kind, dtype, tiles=True)
    return Quantized(copies.transposed(values), scales.mT), Quantized(values, scales)
  return (quantized(x, kind, dtype, tiles=True, k_first=True),
          quantized(x, kind, dtype, tiles=True))


def _padded(x: jax.Array, axis: int, size: int) -> jax.Array:
  """x with zeros at the end of an axis, which is then a multiple of `size` long."""
  widths = [(0, 0)] * x.ndim
  widths[axis] = (0, -x.shape[axis] % size)
  return jnp.pad(x, widths)


def product(lhs: Quantized, rhs: Quantized, dtype, options: Options) -> jax.Array:
  """The product [B, M, N] of [B, M, K] and [B, N, K], which have blocks along K."""
  return scaled_matmul(lhs.values, rhs.values, lhs.scales, rhs.scales, dtype,
                       **options.keywords())
