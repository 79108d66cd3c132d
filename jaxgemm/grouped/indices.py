"""The indices by which a grouped product reads lhs, and with ragged k also rhs."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxgemm.call.copies import gathered
from jaxgemm.call.options import operand_argument
from jaxgemm.dense.vectors import Vectors
from jaxgemm.grouped.group_sizes import as_int32
from jaxgemm.grouped.rows import RoutingTable


class Indices(NamedTuple):
  """The indices of a call.

  Attributes:
    lhs, rhs: int32[R], of each row of the product the line of the operand; None: all in order.
    inverse: int32[lines, c], of each line its rows; None if that is not known.
  """

  lhs: Any = None
  rhs: Any = None
  inverse: Any = None

  def types(self, lhs, rhs) -> tuple:
    """The types of lhs and rhs as the product has them, which is gathered."""
    return tuple(
        x if indices is None else jax.ShapeDtypeStruct((*indices.shape, *x.shape[1:]), x.dtype)
        for x, indices in ((lhs, self.lhs), (rhs, self.rhs)))

  def gather(self, lhs, rhs) -> tuple:
    """lhs and rhs gathered by XLA."""
    return tuple(x if indices is None else gathered(x, indices)
                 for x, indices in ((lhs, self.lhs), (rhs, self.rhs)))


def given_indices(lhs, rhs, lhs_indices, rhs_indices, numbers) -> Indices:
  """The indices that a caller gave.

  Args:
    lhs_indices, rhs_indices: see `jaxgemm.ragged_dot_general`.
    numbers: the dimension numbers.

  Raises:
    TypeError: they are no integers of shape (R,).
    ValueError: the operand's first dimension of two is not the ragged one, or a table is for
      another number of lines.
  """
  (contracting, rhs_contracting), (batch, _) = numbers.dot_dimension_numbers
  ragged, = numbers.lhs_ragged_dimensions
  found: list[Any] = []
  inverses: list[Any] = []
  for name, x, indices, first in (
      ("lhs", lhs, lhs_indices, ragged == 0),
      ("rhs", rhs, rhs_indices, tuple(rhs_contracting) == (0,) and ragged in contracting)):
    if indices is None:
      found.append(None)
      continue
    if batch or x.ndim != 2 or not first:
      raise ValueError(
          f"{name}_indices was given for {name} of shape {x.shape} and dimension numbers "
          f"{numbers}; an array of two dimensions is allowed, of which the groups cut the first. "
          f"Pass {name}[indices].")
    if isinstance(indices, RoutingTable):
      if indices.row.shape[0] != x.shape[0]:
        raise ValueError(
            f"{name}_indices is the routing table of {indices.row.shape[0]} tokens, and {name} has "
            f"shape {x.shape}; one row for each token is allowed.")
      inverses.append(indices.row)
      found.append(indices.token)
      continue
    inverses.append(None)
    indices = operand_argument(f"{name}_indices", indices)
    if indices.ndim != 1 or not jnp.issubdtype(indices.dtype, jnp.integer):
      raise TypeError(
          f"{name}_indices has shape {indices.shape} and dtype {indices.dtype.name}; integers of "
          "shape (R,) are allowed, or a RoutingTable.")
    found.append(as_int32(indices))
  same = all(x is inverses[0] for x in inverses)
  of_lhs, of_rhs = found
  return Indices(of_lhs, of_rhs, inverses[0] if inverses and same else None)


def with_gathered_scale(vectors: Vectors, lhs, indices: Indices) -> Vectors:
  """The vectors, where a scale of each row of lhs is gathered as lhs is."""
  scale = vectors.scale_lhs
  if indices.lhs is None or scale is None or scale.size == 1:
    return vectors
  lines = lhs.shape[0]
  if scale.shape not in ((lines,), (lines, 1)):
    raise ValueError(
        f"scale_lhs has shape {scale.shape} for an lhs of shape {lhs.shape} with lhs_indices; (), "
        f"(1,), ({lines},) or ({lines}, 1) is allowed: one value, or one for each row of lhs, "
        "which is gathered as lhs is. Reshape it.")
  return vectors._replace(scale_lhs=gathered(jnp.reshape(scale, (lines, 1)), indices.lhs))
