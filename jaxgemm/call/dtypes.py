"""The dtypes of a product: of its operands, its sums, its epilogue, its result, and its tangents.

jax decides the dtype of the result (`result_type`), but for operands of 8 bits with scales.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi


def promoted_dtypes(lhs, rhs) -> tuple[np.dtype, np.dtype]:
  """The dtypes to which lhs and rhs are converted for their product.

  The kernels take two different floats, but no int8 with a float. The int8 operand is
  converted to the float's dtype, or to float32 if the float has 8 bits.
  """
  def promoted(x, other):
    integers = [jnp.issubdtype(y.dtype, jnp.integer) for y in (x, other)]
    if integers != [True, False]:
      return x.dtype
    return other.dtype if other.dtype.itemsize > 1 else jnp.dtype(jnp.float32)

  return promoted(lhs, rhs), promoted(rhs, lhs)


def promoted(lhs, rhs):
  """(lhs, rhs) in their `promoted_dtypes`."""
  return tuple(x if x.dtype == dtype else x.astype(dtype)
               for x, dtype in zip((lhs, rhs), promoted_dtypes(lhs, rhs)))


def for_jax(lhs, rhs, preferred) -> tuple[jax.Array, jax.Array]:
  """(lhs, rhs) in dtypes of which jax computes a product.

  jax refuses two float8 dtypes with equal exponents and mantissas, such as e5m2 and e5m2fnuz.
  bfloat16 has all their values.

  Args:
    preferred: the preferred_element_type.

  Raises:
    TypeError: the operands have two such dtypes, and there is no preferred_element_type.
  """
  def parts(x):
    info = jnp.finfo(x.dtype)
    return info.bits, info.maxexp, info.nmant

  floats = all(jnp.issubdtype(x.dtype, jnp.floating) and x.dtype.itemsize == 1 for x in (lhs, rhs))
  if not floats or lhs.dtype == rhs.dtype or parts(lhs) != parts(rhs):
    return lhs, rhs
  if preferred is None:
    raise TypeError(
        f"the operands have the dtypes {lhs.dtype.name} and {rhs.dtype.name}, which jax does not "
        "promote; with a preferred_element_type they are allowed. Pass "
        "preferred_element_type=jnp.float32, for example.")
  return lhs.astype(jnp.bfloat16), rhs.astype(jnp.bfloat16)


def result_type(function, *operands) -> jax.core.ShapedArray:
  """The type of function(*operands), with its sharding.

  `jax.eval_shape` leaves the sharding out on meshes with some automatic axes.
  """
  out, = jax.make_jaxpr(function)(*operands).out_avals
  return out


def preferred_of_scaled(preferred, lhs, rhs, scaled: bool):
  """The preferred_element_type of a product whose operands may have scales.

  It is float32 if none was given, and both operands have 8 bits and one has scales: sums of
  products of quantised values mostly do not fit their own dtype.
  """
  if preferred is not None or not scaled:
    return preferred
  narrow = all(jnp.result_type(x).itemsize == 1 for x in (lhs, rhs))
  return jnp.dtype(jnp.float32) if narrow else None


def _four_bytes(integer) -> np.dtype:
  return jnp.dtype(jnp.int32 if integer else jnp.float32)


def accumulator_dtype(*operands) -> np.dtype:
  """That of the kernels' sums: int32 for integer operands, else float32."""
  return _four_bytes(all(jnp.issubdtype(x.dtype, jnp.integer) for x in operands))


def xla_accumulator_dtype(out_dtype) -> np.dtype:
  """That of XLA's product if an epilogue follows it, from the dtype of the result."""
  return out_dtype if out_dtype.itemsize >= 4 else bias_dtype(out_dtype)


def bias_dtype(out_dtype) -> np.dtype:
  """That of a bias: int32 for a result of integers, else float32."""
  return _four_bytes(jnp.issubdtype(out_dtype, jnp.integer))


def tangents_dtype(out_dtype, multiplies: bool) -> np.dtype:
  """That in which a product's derivative computes tangents before the epilogue.

  It is that of the result, unless that has 8 bits and the epilogue multiplies: cotangents of 8 bits
  would be rounded again, or become zero.

  Args:
    multiplies: whether the product has a scale, a gate or an activation.
  """
  return jnp.dtype(jnp.bfloat16) if multiplies and out_dtype.itemsize == 1 else out_dtype


def is_held_by(wide, dtype) -> bool:
  """Whether `wide` (bfloat16, float16 or float32) holds every value of `dtype` exactly."""
  return dtype == wide or jnp.issubdtype(dtype, jnp.floating) and (
      dtype.itemsize == 1 or dtype.itemsize == 2 and wide == jnp.float32)


def is_float4(dtype) -> bool:
  return jnp.dtype(dtype).name == "float4_e2m1fn"


def has_4_bits(dtype) -> bool:
  return is_float4(dtype) or jnp.dtype(dtype).name in ("int4", "uint4")


def kernel_dtypes(lhs_dtype, rhs_dtype, target: str,
                  mx: bool = False) -> tuple[np.dtype, np.dtype]:
  """The dtypes in which a target's kernel reads operands of these two dtypes.

  GPU kernels multiply operands of one dtype, or of two float8 types. Other pairs of floats
  are converted to the narrowest dtype that holds both exactly. Gradients need this: the
  dtypes of a cotangent and an operand may differ.

  Args:
    mx: whether the kernel reads the scales of an MX format. Such a kernel also reads a pair of
      float4 operands. Other kernels read float4 as float8, which has all its values.
  """
  given = jnp.dtype(lhs_dtype), jnp.dtype(rhs_dtype)
  if mx and all(map(is_float4, given)):
    return given
  given = tuple(jnp.dtype(jnp.float8_e4m3fn) if is_float4(x) else x for x in given)

  def takes(lhs, rhs):
    return not _ffi.native.operands_error(lhs.name, rhs.name, target)

  if not takes(*given) and all(takes(dtype, dtype) for dtype in given):
    for wide in map(jnp.dtype, (jnp.bfloat16, jnp.float16, jnp.float32)):
      if all(is_held_by(wide, dtype) for dtype in given):
        return wide, wide
  return given


def across_groups(dtypes) -> tuple[tuple[np.dtype, np.dtype], int]:
  """(dtypes, passes) of a product on Hopper if groups cut k.

  Where k is not the last dimension, wgmma reads only operands of 16 bits. So float32 is split
  into parts of bfloat16; the three products of the parts keep 16 bits of an operand, more than
  tf32 does. Operands of 8 bits are transposed by a copy (ffi/plan/hopper/copies.h).
  """
  if jnp.float32 in dtypes:
    return (jnp.dtype(jnp.bfloat16),) * 2, 3
  return dtypes, 1
