"""Operands of a product that the kernels leave to XLA."""

import functools
import operator

import jax
import jax.numpy as jnp

from jaxgemm import _ffi


def accumulator_dtype(out_dtype):
  """The dtype of XLA's product if an epilogue follows it, from the dtype of out.

  `accumulator_dtype` in spec.py is the kernels' dtype, from those of the operands.
  """
  if out_dtype.itemsize >= 4:
    return out_dtype
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  return jnp.dtype(jnp.int32 if integer else jnp.float32)


def operands(lhs, rhs, out_dtype) -> tuple[jax.Array, jax.Array]:
  """lhs and rhs in dtypes that XLA can multiply into a result of this dtype.

  XLA's compiler for ROCm ends the process if a product of integers has a result of floats.
  On ROCm the operands of such a product are converted to floats first.
  """
  integers = all(jnp.issubdtype(x.dtype, jnp.integer) for x in (lhs, rhs))
  if (not integers or jnp.issubdtype(out_dtype, jnp.integer)
      or _ffi.default_platform() != "rocm"):
    return lhs, rhs
  dtype = jnp.promote_types(out_dtype, jnp.float32)
  return lhs.astype(dtype), rhs.astype(dtype)


def batched_alike(*arrays):
  """The same arrays; under vmap all or none are batched, as lax.ragged_dot_general requires."""
  # `never` is always false, but it depends on each array. XLA removes it.
  never = functools.reduce(operator.or_, ((x != x).any() for x in arrays)) & False
  return [jnp.where(never, jnp.zeros_like(x), x) for x in arrays]
