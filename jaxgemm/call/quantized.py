"""Quantized: an array as small values and their scales; such weights as operands of products."""

from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.dtypes import is_float4
from jaxgemm.call.fallback import DEQUANTIZES, on_xla
from jaxgemm.call.options import operand_argument
from jaxgemm.sharding import mesh as meshes


class Quantized(NamedTuple):
  """An array in a small dtype with scales: values * scales approximates it.

  It is a pytree, which jit, vmap, scan, shard_map and checkpoints take. Products take one as
  weights: `jaxgemm.matmul(x, weights)`, for example, and the grouped ones. Weights of 4 bits have
  two values in a byte, also in the memory of a device.

  Attributes:
    values: array of the shape of the original array.
    scales: array of the same rank. A dimension along which all values share a scale has size 1.
      A dimension that is cut into blocks has the number of blocks.
  """

  values: jax.Array
  scales: jax.Array

  @property
  def shape(self) -> tuple[int, ...]:
    """The shape of the array."""
    return self.values.shape

  @property
  def ndim(self) -> int:
    """The number of its dimensions."""
    return self.values.ndim

  def dequantize(self, dtype=jnp.float32) -> jax.Array:
    """values * scales, computed in float32 and then cast to `dtype`."""
    if _has_pairs(self, dtype):
      return _dequantized_pairs(self, dtype)
    scales = _spread(self.scales.astype(jnp.float32), self.values.shape)
    return (self.values.astype(jnp.float32) * scales).astype(dtype)

  @classmethod
  def from_mxfp4(cls, blocks: jax.Array, scales: jax.Array) -> "Quantized":
    """Weights in MXFP4 as the checkpoints of gpt-oss have them.

    Args:
      blocks: uint8 array of shape (..., N, K / 32, 16): two values in a byte, the first one in
        the low bits.
      scales: uint8 array of shape (..., N, K / 32): exponents of 2 with a bias of 127.

    Returns:
      Values of shape (..., N, K) in float4_e2m1fn, and scales of shape (..., N, K / 32) in
      float8_e8m0fnu.

    Raises:
      ValueError, TypeError: an array has another dtype or shape.
    """
    blocks = jnp.asarray(operand_argument("blocks", blocks))
    scales = jnp.asarray(operand_argument("scales", scales))
    for name, x in (("blocks", blocks), ("scales", scales)):
      if x.dtype != jnp.uint8:
        raise TypeError(f"{name} has dtype {x.dtype.name}; uint8 is allowed. Pass the bytes as "
                        "they are in the checkpoint.")
    if blocks.ndim < 3 or blocks.shape != (*scales.shape, 16):
      raise ValueError(
          f"blocks has shape {blocks.shape} and scales {scales.shape}; (..., N, K / 32, 16) and "
          "(..., N, K / 32) are allowed. Pass both arrays of one weight.")
    values = lax.bitcast_convert_type(blocks, jnp.float4_e2m1fn)
    return cls(values.reshape(*scales.shape[:-1], 32 * scales.shape[-1]),
               lax.bitcast_convert_type(scales, jnp.float8_e8m0fnu))


def _spread(scales, shape):
  """A scale for each value, or 1 along a dimension where all have the same."""
  for axis, (size, count) in enumerate(zip(shape, scales.shape)):
    if count not in (1, size):
      scales = jnp.repeat(scales, size // count, axis)
  return scales


def _has_pairs(x: Quantized, dtype) -> bool:
  """Whether two values of 4 bits in a byte become two neighbours of 16 bits in a word."""
  if jnp.dtype(dtype) not in (jnp.bfloat16, jnp.float16) or not (
      is_float4(x.values.dtype) or x.values.dtype == jnp.int4):
    return False
  size, count = x.values.shape[-1], x.scales.shape[-1]
  return (type(size) is int and size > 0 and size % 2 == 0
          and (count in (1, size) or size // count % 2 == 0)
          and meshes.explicit_mesh(x.values, x.scales) is None)


def _dequantized_pairs(x: Quantized, dtype) -> jax.Array:
  """The same as `Quantized.dequantize`. XLA's kernel for single values would store them slowly."""
  *outer, size = x.values.shape
  pairs = (*outer, size // 2, 2)
  # The first value has the low bits.
  packed = lax.bitcast_convert_type(
      jnp.asarray(x.values).reshape(pairs), jnp.uint8).astype(jnp.uint32)

  def half(i):
    """The bits of values i, i + 2, ..., in uint32."""
    scales = x.scales.astype(jnp.float32)
    if scales.shape[-1] == size:
      scales = scales.reshape(*scales.shape[:-1], size // 2, 2)[..., i]
    value = _float4_of(packed >> 4 * i) if is_float4(x.values.dtype) else _int4_of(packed >> 4 * i)
    wide = (value * _spread(scales, packed.shape)).astype(dtype)
    return lax.bitcast_convert_type(wide, jnp.uint16).astype(jnp.uint32)

  return lax.bitcast_convert_type(half(0) | half(1) << 16, dtype).reshape(x.values.shape)


def _float4_of(bits):
  """The float32 of the lowest 4 bits, as float4_e2m1fn."""
  size = bits & 7
  exponent_and_mantissa = jnp.where(
      size > 1, (size << 22) + jnp.uint32(0x3f000000), size * jnp.uint32(0x3f000000))  # 0 or 0.5
  return lax.bitcast_convert_type(exponent_and_mantissa | (bits & 8) << 28, jnp.float32)


def _int4_of(bits):
  """The float32 of the lowest 4 bits, as int4."""
  return (lax.bitcast_convert_type(bits << 28, jnp.int32) >> 28).astype(jnp.float32)


def check(name: str, x: Quantized) -> None:
  """Raises TypeError or ValueError if values and scales do not fit each other."""
  for part, given in zip(x._fields, x):
    operand_argument(f"{name}.{part}", given)
  if x.scales.ndim != x.values.ndim or not all(
      count in (1, size) or count and size % count == 0
      for size, count in zip(x.values.shape, x.scales.shape)):
    raise ValueError(
        f"{name} has values of shape {x.values.shape} and scales of shape {x.scales.shape}; the "
        "same rank is allowed, and for each dimension 1 or a divisor. Pass what jaxgemm.quantize "
        "gives.")


def dequantized_dtype(lhs_dtype) -> np.dtype:
  """The dtype to which weights are dequantised for a product: lhs's, or bfloat16 for 8 bits."""
  wide = jnp.issubdtype(lhs_dtype, jnp.floating) and lhs_dtype.itemsize > 1
  return jnp.dtype(lhs_dtype if wide else jnp.bfloat16)


def weights_argument(name: str, x):
  """An operand that may be a `Quantized`, checked."""
  if not isinstance(x, Quantized):
    return operand_argument(name, x)
  check(name, x)
  return x


def dequantized(x, lhs, why: str):
  """x; a `Quantized` is dequantised, for a product with lhs. It is a constant to jax.grad.

  Args:
    why: why no kernel reads it as it is. `explain` says it.
  """
  if not isinstance(x, Quantized):
    return x
  dtype = dequantized_dtype(jnp.result_type(lhs))
  reason = f"rhs is dequantised from {x.values.dtype.name} to {dtype.name} first, by XLA: {why}"
  with on_xla(reason, DEQUANTIZES):
    return lax.stop_gradient(x).dequantize(dtype)


def values_of(x):
  """x; the values of a `Quantized`, which have its shape and its sharding."""
  return x.values if isinstance(x, Quantized) else x


def stand_in(x, lhs):
  """x; for a `Quantized` the type of the array that `dequantized` makes of it."""
  if not isinstance(x, Quantized):
    return x
  return jax.ShapeDtypeStruct(x.shape, dequantized_dtype(lhs.dtype))
