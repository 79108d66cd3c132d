"""Reads an operand that a program transposes as it is before: its labels change, and nothing moves.

XLA does so with the operands of its own products. Those of a custom call it would copy.
"""

from typing import Any

from jax.extend.mlir import ir

from jaxgemm.dense.layout import Dims, Labels

_OPERANDS = ("lhs", "rhs")


def _before(values, permutation) -> tuple:
  """What belongs to the dimensions of x, given the same for transpose(x, permutation)."""
  before = list(values)
  for value, axis in zip(values, permutation, strict=True):
    before[axis] = value
  return tuple(before)


def _replaced(labels: Dims, name: str, permutation) -> Dims:
  old: Labels = getattr(labels, name)
  return labels._replace(**{name: _before(old, permutation)})


def _transpose_of(value):
  """The operation of which an MLIR value is the result, if that is a transpose."""
  owner = value.owner
  if isinstance(owner, ir.Block) or owner.operation.name != "stablehlo.transpose":
    return None
  return owner.operation


def in_lowering(operands, avals, labels: Dims) -> tuple[list, list, Dims]:
  """(operands, avals, labels) of a contraction that is lowered, without transposes of lhs and rhs.

  Args:
    operands: MLIR values.
    avals: their types in jax.
    labels: those of the contraction.
  """
  operands, avals = list(operands), list(avals)
  for i, name in enumerate(_OPERANDS):
    while (transpose := _transpose_of(operands[i])) is not None:
      permutation = list(transpose.attributes["permutation"])
      operands[i] = transpose.operands[0]
      avals[i] = avals[i].update(shape=_before(avals[i].shape, permutation))
      labels = _replaced(labels, name, permutation)
  return operands, avals, labels


def in_jaxpr(eqn, made: dict[Any, Any]):
  """A contraction's equation as `in_lowering` has it.

  Args:
    made: the equation that makes a variable, for some variables.
  """
  invars, labels = list(eqn.invars), eqn.params["labels"]
  for i, name in enumerate(_OPERANDS):
    while (by := made.get(invars[i])) is not None and by.primitive.name == "transpose":
      invars[i] = by.invars[0]
      labels = _replaced(labels, name, by.params["permutation"])
  return eqn.replace(invars=invars, params=eqn.params | {"labels": labels})
