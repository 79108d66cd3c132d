"""Rows of tokens for their experts: `spread` copies tokens to rows, and `combine` adds rows up.

A routing table says which row belongs to which choice of a token. Its two arrays are inverse to
each other, so both directions only gather, and none adds up at an index that several rows share:
results are the same bits on every run, and a token's rows are added up in a fixed order.

`spread`, `combine` and `dots` are each others' transposes, so derivatives of any order are made of
them, too (SonicMoE, arXiv:2512.14080, combines by a gather in the same way). All are XLA's
operations, which XLA fuses with the conversions and sums around the gather.
"""

import functools
import math
from typing import Any, NamedTuple

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm.call.copies import lines_of
from jaxgemm.call.primitives import batched_in_front
from jaxgemm.sharding.manual_axes import unify_varying
from jaxgemm.sharding.mesh import explicit_mesh


class RoutingTable(NamedTuple):
  """Where the rows of tokens are, sorted by expert. R is T * top_k.

  Attributes:
    experts: int32[R], ascending: the expert of each row.
    choice: int32[R], of each row the index in the flattened choices [T, top_k]. The rows of an
      expert are in the order of these.
    token: int32[R], the token of each row.
    row: int32[T, top_k], the row of each choice. A choice that has no row, for example because its
      expert is on another device, has the number R or a larger one.
  """

  experts: jax.Array
  choice: jax.Array
  token: jax.Array
  row: jax.Array

  @classmethod
  def of(cls, choice, row, experts=None) -> "RoutingTable":
    """The table with these arrays. Without experts it is for functions that do not read them."""
    token = choice // max(row.shape[-1], 1)
    return cls(choice if experts is None else experts, choice, token, row)

  @classmethod
  def of_tokens(cls, token, row) -> "RoutingTable":
    """The table for functions that read only token and row: a choice says only its token."""
    return cls(token, token * row.shape[-1], token, row)


def spread(x: jax.Array, table: RoutingTable, weights: jax.Array | None = None, *,
           dtype=None) -> jax.Array:
  """[R, C]: for each row its token of x[T, C], times its weight of weights[T, top_k].

  Products are in float32 at least. The result has `dtype`; None means x's.
  """
  return _bind(_spread_p, x, weights, table, dtype or x.dtype)


def combine(rows: jax.Array, table: RoutingTable, weights: jax.Array | None = None, *,
            dtype=None) -> jax.Array:
  """For each token the sum of its rows, each times its weight.

  Sums are in float32 at least, in the order of the choices, with the same bits on every run. There
  are derivatives of any order in rows and weights.

  Args:
    rows: [R, C], with R = T * top_k.
    table: the `RoutingTable` of the rows, from `routing_table`.
    weights: [T, top_k], or None for ones.
    dtype: that of the result; None means that of the sums.

  Returns:
    [T, C].

  Raises:
    TypeError, ValueError: an argument has a wrong type or shape; or arrays have shardings in their
      types, outside of `jax.shard_map`.
  """
  rows, weights = jnp.asarray(rows), None if weights is None else jnp.asarray(weights)
  _check(rows, table, weights)
  return _bind(_combine_p, rows, weights, table, dtype or _wide(rows.dtype))


def sums_of_lines(rows, indices, inverse, lines: int) -> jax.Array:
  """[lines, ...]: for each line the sum of the rows[R, ...] with its index.

  Args:
    inverse: int32[lines, c], the rows of each line, or None. With it a line's rows are added up in
      this order; without it the order is XLA's.
  """
  flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
  if inverse is not None:
    sums = combine(flat, RoutingTable.of_tokens(indices, inverse), dtype=rows.dtype)
  else:
    at = jnp.where(indices < 0, lines, indices)
    wide = flat.astype(_wide(rows.dtype))
    sums = jnp.zeros((lines, flat.shape[1]), wide.dtype).at[at].add(wide, mode="drop")
  return sums.astype(rows.dtype).reshape(lines, *rows.shape[1:])


def dots(rows: jax.Array, x: jax.Array, table: RoutingTable, *, dtype=None) -> jax.Array:
  """[T, top_k]: for each choice of a token the dot product of its row and the token's x[T, C].

  Sums are in float32 at least. The result has `dtype`; None means that of the sums.
  """
  return _bind(_dots_p, rows, x, table, dtype or _wide(rows.dtype))


def _check(rows, table, weights) -> None:
  """Raises TypeError or ValueError for arguments of `combine` that do not fit."""
  if not isinstance(table, RoutingTable):
    raise TypeError(
        f"table has type {type(table).__name__}; a RoutingTable is allowed. Pass the first result "
        "of jaxgemm.routing_table.")
  if rows.ndim != 2 or rows.shape[0] != table.choice.shape[0]:
    raise ValueError(
        f"rows has shape {rows.shape} for a table of {table.choice.shape[0]} rows; "
        f"({table.choice.shape[0]}, C) is allowed: the result of a grouped product whose group "
        "sizes came with the table.")
  if weights is not None and weights.shape != table.row.shape:
    raise ValueError(
        f"weights has shape {weights.shape} for a table of {table.row.shape}; that shape is "
        "allowed: one weight for each choice of a token. Reshape it.")
  if explicit_mesh(rows, *([] if weights is None else [weights])) is not None:
    raise ValueError(
        "rows or weights have shardings in their types, along explicit axes of a mesh; combine is "
        "allowed inside jax.shard_map, and on automatic axes.")


def _wide(*dtypes):
  return functools.reduce(jnp.promote_types, dtypes, jnp.float32)


def _bind(primitive, first, second, table: RoutingTable, dtype):
  given = [first, table.choice, table.row] + ([] if second is None else [second])
  first, choice, row, *second = unify_varying(given)
  return primitive.bind(first, *second, choice, row, dtype=jnp.dtype(dtype))


_IN_BOUNDS: dict[str, Any] = dict(mode="promise_in_bounds")


def of_rows(weights, choice) -> jax.Array:
  """[R]: of each row its weight of weights[T, top_k]."""
  return weights.reshape(-1).at[choice].get(unique_indices=True, **_IN_BOUNDS)


def _spread(x, *weights_and_table, dtype):
  *weights, choice, row = weights_and_table
  token = RoutingTable.of(choice, row).token
  # With weights XLA fuses the product with the gather.
  rows = x.at[token].get(**_IN_BOUNDS) if weights else lines_of(x, token, **_IN_BOUNDS)
  if weights:
    of_row = of_rows(weights[0], choice)
    wide = _wide(x.dtype, of_row.dtype)
    rows = rows.astype(wide) * of_row[:, None].astype(wide)
  return rows.astype(dtype)


def _of_choices(rows, row):
  return rows.at[row].get(mode="fill", fill_value=0).astype(_wide(rows.dtype))


def _combine(rows, *weights_and_table, dtype):
  *weights, _, row = weights_and_table
  rows = _of_choices(rows, row)
  if weights:
    rows *= weights[0][..., None].astype(rows.dtype)
  return rows.sum(axis=1).astype(dtype)


def _dots(rows, x, _, row, *, dtype):
  rows = _of_choices(rows, row)
  return (rows * x[:, None].astype(rows.dtype)).sum(axis=-1).astype(dtype)


def _shape(name, operands) -> tuple[int, ...]:
  first, row = operands[0].shape, operands[-1].shape
  rows = operands[-2].shape[-1]
  return {"spread": (*first[:-2], rows, first[-1]), "combine": (*row[:-1], first[-1]),
          "dots": row}[name]


def _transposed(name, table: RoutingTable, first, second, ct, of_first: bool, dtype):
  """The cotangent of the first or the second operand; the other one is an array, or None."""
  if of_first:  # second is the weights, or x of dots
    if name == "spread":
      return combine(ct, table, second, dtype=dtype)
    if name == "combine":
      return spread(ct, table, second, dtype=dtype)
    return spread(second, table, ct, dtype=dtype)
  if name == "spread":
    return dots(ct, first, table, dtype=dtype)
  if name == "combine":
    return dots(first, ct, table, dtype=dtype)
  return combine(first, table, ct, dtype=dtype)


def _make(name: str, function) -> Primitive:
  """A primitive of operands (first, second if it is given, choice, row), linear in the two."""
  primitive = Primitive(f"jaxgemm_{name}")

  def compute(*operands, dtype):
    one = functools.partial(function, dtype=dtype)
    for _ in range(operands[0].ndim - 2):  # leading dimensions of vmap
      one = jax.vmap(one)
    return one(*operands)

  def jvp(primals, tangents, *, dtype):
    out = primitive.bind(*primals, dtype=dtype)
    parts = [primitive.bind(*primals[:i], tangent, *primals[i + 1:], dtype=dtype)
             for i, tangent in enumerate(tangents[:-2]) if type(tangent) is not ad.Zero]
    return out, functools.reduce(ad.add_tangents, parts)

  def transpose(ct, *operands, dtype):
    del dtype
    *linear, choice, row = operands
    result = [None] * len(operands)
    if type(ct) is ad.Zero:
      return result
    i = next(i for i, x in enumerate(linear) if ad.is_undefined_primal(x))
    others = [None if j == i else x for j, x in enumerate(linear)] + [None]
    table = RoutingTable.of(choice, row)
    result[i] = _transposed(name, table, others[0], others[1], ct, i == 0,
                            linear[i].aval.dtype)
    return result

  def batch(operands, axes, *, dtype):
    return primitive.bind(*batched_in_front(operands, axes), dtype=dtype), 0

  primitive.def_impl(jax.jit(compute, static_argnames="dtype"))
  primitive.def_abstract_eval(lambda *operands, dtype: operands[0].update(
      shape=_shape(name, operands), dtype=dtype, weak_type=False))
  mlir.register_lowering(primitive, mlir.lower_fun(compute, multiple_results=False))
  ad.primitive_jvps[primitive] = jvp
  ad.primitive_transposes[primitive] = transpose
  batching.primitive_batchers[primitive] = batch
  return primitive


_spread_p = _make("spread", _spread)
_combine_p = _make("combine", _combine)
_dots_p = _make("dots", _dots)
