"""Operands that the backward pass reads, in a form that `jax.checkpoint` does not change.

With a policy that saves values, `jax.checkpoint` passes each saved float that the forward pass
reads, too, through `lax.reduce_precision` with the bits of its own dtype. That is meant to change
nothing. But `reduce_precision` knows only formats as in IEEE 754, without subnormal values. So
448 in float8_e4m3fn becomes NaN, 4 in float4_e2m1fn becomes 6, and the subnormal values of most
formats become 0.
"""

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

# The identity. Its result is a value that only the backward pass reads.
kept_p = Primitive("jaxgemm_kept")
kept_p.def_abstract_eval(lambda x: x)
kept_p.def_impl(lambda x: x)
ad.deflinear2(kept_p, lambda ct, _: (ct,))
batching.defvectorized(kept_p)
mlir.register_lowering(kept_p, lambda _, x: [x])


def is_narrow(x) -> bool:
  """Whether the elements of an array are floats of 8 bits or fewer."""
  dtype = jnp.result_type(x)
  return jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1


def kept(tree):
  """The same arrays, for derivatives only; the forward pass reads those that are given."""
  return jax.tree.map(lambda x: kept_p.bind(x) if is_narrow(x) else x, tree)
