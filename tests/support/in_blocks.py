"""Operands that are quantised with scales of blocks, as float64."""

import numpy as np

from jaxgemm import quantize
from tests.support.environment import ON_GPU


def bound(kind, implementation):
  """The largest error of a product, relative to the product of |lhs| and |rhs|.

  XLA multiplies dequantised operands: scales that are not powers of two are applied to each operand
  in bfloat16. The same holds for most products on GPUs, whose kernels have few forms with scales of
  blocks. A little more is allowed, because a division may be rounded another way.
  """
  return 1.25 * 2.0**-8 if kind == "block" and (implementation == "xla" or ON_GPU) else 0


def in_blocks(x, kind, tiles=False):
  """x[..., R, K] in float64, quantised in blocks along K.

  Args:
    kind: "block" or "mx".
    tiles: whether blocks of kind "block" are square.
  """
  *batch, r, k = x.shape
  y = np.asarray(x, np.float32).reshape(-1, r, k)
  size = 32 if kind == "mx" else min(128, k)
  height = min(128, r) if tiles and kind == "block" else 1
  y = np.pad(y, ((0, 0), (0, -r % height), (0, -k % size)))
  y = y.reshape(len(y), y.shape[1] // height, height, y.shape[2] // size, size)
  if kind == "mx":
    q = quantize(y, "mx", axis=4, block=size)
  else:
    q = quantize(y, "block", axis=(2, 4), block=(height, size))
  wide = np.asarray(q.values, np.float64) * np.asarray(q.scales, np.float64)
  return wide.reshape(len(y), -1, y.shape[3] * size)[:, :r, :k].reshape(x.shape)
