"""The dtypes in which a product's operands are multiplied.

jax decides the dtype of the result: see dense/dimensions.py. The accumulators' is in spec.py.
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


def is_held_by(wide, dtype) -> bool:
  """Whether `wide` (bfloat16, float16 or float32) holds every value of `dtype` exactly."""
  return dtype == wide or jnp.issubdtype(dtype, jnp.floating) and (
      dtype.itemsize == 1 or dtype.itemsize == 2 and wide == jnp.float32)


def is_float4(dtype) -> bool:
  return jnp.dtype(dtype).name == "float4_e2m1fn"


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
