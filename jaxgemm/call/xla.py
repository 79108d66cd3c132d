"""Operands of a product that the kernels leave to XLA."""

from collections.abc import Callable
import functools
import operator

import jax
from jax.custom_derivatives import SymbolicZero
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import epilogue
from jaxgemm.call.residuals import is_narrow, kept


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


def bilinear(product: Callable, lhs, rhs, *others) -> jax.Array:
  """product(lhs, rhs, *others), a product of jax, which is linear in lhs and in rhs.

  jax keeps for the derivatives the operands that the product reads. If they have 8 bits, the
  derivatives read others; see residuals.py.
  """
  if not (is_narrow(lhs) or is_narrow(rhs)):
    return product(lhs, rhs, *others)
  whole = jax.custom_jvp(lambda *operands: product(*operands))  # the options are no operands

  def jvp(primals, tangents):
    lhs, rhs, *others = primals
    pairs = (tangents[0], kept(rhs)), (kept(lhs), tangents[1])
    out = whole(lhs, rhs, *others)
    terms = [whole(*pair, *others) for pair in pairs
             if not any(isinstance(x, SymbolicZero) for x in pair)]
    return out, epilogue.added(terms).astype(out.dtype)

  whole.defjvp(jvp, symbolic_zeros=True)
  return whole(lhs, rhs, *others)


def batched_alike(*arrays):
  """The same arrays; under vmap all or none are batched, as lax.ragged_dot_general requires."""
  # `never` is always false, but it depends on each array. XLA removes it.
  never = functools.reduce(operator.or_, ((x != x).any() for x in arrays)) & False
  return [jnp.where(never, jnp.zeros_like(x), x) for x in arrays]
