"""Policies for `jax.checkpoint` that know the products of this package.

Those of `jax.checkpoint_policies` with the same names know only products of jax, so they compute
ours again in the backward pass.
"""

from collections.abc import Callable
from typing import Any

import jax
from jax.extend.core import Primitive

__all__ = ["dense_saveable", "dots_saveable", "dots_with_no_batch_dims_saveable",
           "grouped_saveable", "save_from_any_policy"]

# A function of the types of a call's operands, and its parameters.
HasBatch = Callable[[Any, dict[str, Any]], bool]
_PRODUCTS: dict[Primitive, HasBatch] = {}
_POLICIES = jax.checkpoint_policies
# The primitive of `jax.lax.ragged_dot`, which jax's policies leave out.
_RAGGED = "ragged_dot_general"


def dots_saveable(prim, *avals, **params) -> bool:
  """Saves the results of all products: `jax.checkpoint(f, policy=dots_saveable)`.

  It saves what `jax.checkpoint_policies.dots_saveable` saves, and the results of this package's
  products and of `jax.lax.ragged_dot`. Of a product with an activation or a gate it saves the
  value before that.

  Args:
    prim, avals, params: what `jax.checkpoint` passes to a policy: a primitive, the types of its
      operands, and its parameters.

  Returns:
    Whether the results of this operation are saved for the backward pass.
  """
  if _is_whole_product(prim, params, dots_saveable):
    return True
  return (prim in _PRODUCTS or prim.name == _RAGGED
          or _POLICIES.dots_saveable(prim, *avals, **params))


def dots_with_no_batch_dims_saveable(prim, *avals, **params) -> bool:
  """As `dots_saveable`, but it does not save products whose lhs and rhs both have a batch.

  The groups of a grouped product are no batch. Neither is one of size 1 in this package's products.

  Args:
    prim, avals, params: see `dots_saveable`.

  Returns:
    Whether the results of this operation are saved for the backward pass.
  """
  if _is_whole_product(prim, params, dots_with_no_batch_dims_saveable):
    return True
  if prim in _PRODUCTS:
    return not _PRODUCTS[prim](avals, params)
  if prim.name == _RAGGED:
    batch, _ = params["ragged_dot_dimension_numbers"].dot_dimension_numbers[1]
    return not batch
  return _POLICIES.dots_with_no_batch_dims_saveable(prim, *avals, **params)


def dense_saveable(prim, *avals, **params) -> bool:
  """Saves the results of this package's dense products, and nothing else.

  Of a product with an activation it saves the value before that.

  Args:
    prim, avals, params: see `dots_saveable`.

  Returns:
    Whether the results of this operation are saved for the backward pass.
  """
  return _is_whole_product(prim, params, dense_saveable) or (
      prim in _PRODUCTS and not _has_groups(params))


def grouped_saveable(prim, *avals, **params) -> bool:
  """Saves the results of this package's grouped products, and nothing else.

  Of a product with an activation or a gate it saves the value before that.

  Args:
    prim, avals, params: see `dots_saveable`.

  Returns:
    Whether the results of this operation are saved for the backward pass.
  """
  return _is_whole_product(prim, params, grouped_saveable) or (
      prim in _PRODUCTS and _has_groups(params))


def save_from_any_policy(*policies: Callable) -> Callable:
  """A policy that does what the first of these policies does that saves or offloads.

  `jax.checkpoint_policies.save_from_both_policies` combines policies that save only. This one also
  takes those that offload to the host's memory, as
  `jax.checkpoint_policies.save_and_offload_only_these_names` gives them.
  """
  def policy(prim, *avals, **params):
    for each in policies:
      decision = each(prim, *avals, **params)
      # jax has no public name for its other decision, to compute the results again.
      if decision is not False and type(decision).__name__ != "RecomputeType":
        return decision
    return False

  return policy


def _has_groups(params) -> bool:
  return getattr(params.get("form"), "mode", "none") in ("m", "k")


def _is_whole_product(prim, params, policy) -> bool:
  """Whether a function with a derivative of its own gives a product, or sums of its rows."""
  if prim.name != "custom_jvp_call":
    return False
  jaxpr = params["call_jaxpr"].jaxpr
  made = {eqn.outvars[0]: eqn for eqn in jaxpr.eqns if len(eqn.outvars) == 1}
  eqn = made.get(jaxpr.outvars[0])
  while eqn is not None and eqn.primitive.name == "jaxgemm_combine":
    eqn = made.get(eqn.invars[0])
  return (eqn is not None and len(jaxpr.outvars) == 1
          and policy(eqn.primitive, *(x.aval for x in eqn.invars), **eqn.params))


def _have_more_than_ranks(avals, params) -> bool:
  ranks = params["form"].ranks()
  return all(x.ndim > rank and x.shape[0] > 1 for x, rank in zip(avals[:2], ranks))


def register(primitive: Primitive, has_batch: HasBatch = _have_more_than_ranks) -> None:
  """Makes the policies treat a primitive as a product.

  Args:
    primitive: that of the product.
    has_batch: whether lhs and rhs of a call have batch dimensions. The default asks the parameter
      `form` for the numbers of dimensions that they have without one.
  """
  _PRODUCTS[primitive] = has_batch
