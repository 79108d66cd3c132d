"""If an operand is transpose(x), the kernel reads x itself in another layout, without a copy.

XLA does so for its own products. For a custom call it would make the transposed copy.

`Product.read_before_transpose` gives the parameters with which a primitive reads x, and
`Product.can_be_lowered` says whether that call has a plan. Else x is transposed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import Var
from jax.interpreters import mlir

from jaxgemm.call.product import Product
from jaxgemm.call.residuals import kept_p

ir = mlir.ir

# For jax.jit(inline=...): the functions of products are inlined while jax traces. From jax 0.12 on
# True inlines later, and inside such a function the operation that makes an operand is not seen.
INLINE = jax.Inline.JAX_EARLY if hasattr(jax, "Inline") else True


def before(values: Sequence, permutation: Sequence[int]) -> tuple:
  """Values for the dimensions of x, given those for the dimensions of transpose(x, permutation)."""
  found = list(values)
  for value, axis in zip(values, permutation, strict=True):
    found[axis] = value
  return tuple(found)


def _untransposed(x, made_by: Callable) -> tuple[Any, tuple[int, ...] | None]:
  """(y, permutation): x is transpose(y, permutation), or y itself where that is None.

  Args:
    made_by: a function of x: (y, permutation) if a transpose makes x, else None.
  """
  permutation = None
  while (made := made_by(x)) is not None:
    x, axes = made
    permutation = tuple(axes if permutation is None else (axes[i] for i in permutation))
  return x, permutation


def _value(x):
  owner = x.owner
  if isinstance(owner, ir.Block) or owner.operation.name != "stablehlo.transpose":
    return None
  return owner.operation.operands[0], list(owner.operation.attributes["permutation"])


def _without(operands, avals, params: dict[str, Any], made_by: Callable, product: Product,
             platforms) -> tuple[list, list, dict]:
  """(operands, avals, params), where lhs, rhs or both are read before their transposes."""
  found = [_untransposed(x, made_by) for x in operands[:2]]
  for chosen in ((0, 1), (0,), (1,)):
    read, types = list(operands), list(avals)
    changed: dict[str, Any] | None = params
    for i in chosen:
      x, permutation = found[i]
      if permutation is None or changed is None:
        changed = None
        continue
      changed = product.read_before_transpose(changed, i, permutation)
      read[i], types[i] = x, types[i].update(shape=before(types[i].shape, permutation))
    if changed is not None and product.can_be_lowered(types, changed, platforms):
      return read, types, changed
  return list(operands), list(avals), params


def in_lowering(ctx, operands, avals, product: Product, **params) -> tuple[list, list, dict]:
  """(operands, avals, params) of a product that is lowered, without transposes of lhs and rhs.

  Args:
    operands: MLIR values; lhs and rhs come first.
    avals: their types in jax.
    product: the kind of product.
    params: the primitive's parameters that the product needs.
  """
  return _without(operands, avals, params, _value, product,
                  ctx.platforms or ctx.module_context.platforms)


def made_by(eqn, inlined: bool) -> dict[Any, Any]:
  """A dictionary from each result of `eqn` to the equation that makes it.

  If `eqn` calls an inlined function, and one equation inside makes a result of the call from one of
  its arguments, the dictionary has that equation, with the argument as its input.
  """
  found = dict.fromkeys(eqn.outvars, eqn)
  if not inlined:
    return found
  inner = eqn.params["jaxpr"].jaxpr
  outside = dict(zip(inner.invars, eqn.invars))
  made = {x: each for each in inner.eqns for x in each.outvars}
  for outer, x in zip(eqn.outvars, inner.outvars):
    each = made.get(x) if isinstance(x, Var) else None
    if each is not None and each.invars and isinstance(each.invars[0], Var) and (
        each.invars[0] in outside):
      found[outer] = each.replace(invars=[outside[each.invars[0]], *each.invars[1:]])
  return found


def in_jaxpr(eqn, made: dict[Any, Any], product: Product, platform: str):
  """The equation of a product without transposes of lhs and rhs, as it is lowered.

  Args:
    eqn: the equation.
    made: a dictionary from variables to the equations that make them.
    product: the kind of product.
    platform: the platform for which it is lowered.
  """
  def variable(x):
    by = made.get(x)
    if by is not None and by.primitive is kept_p:
      return by.invars[0], range(x.aval.ndim)
    if by is None or by.primitive.name != "transpose":
      return None
    return by.invars[0], by.params["permutation"]

  invars, _, params = _without(
      eqn.invars, [x.aval for x in eqn.invars], eqn.params, variable, product, [platform])
  return eqn.replace(invars=invars, params=params)
