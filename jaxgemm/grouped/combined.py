"""The second product of experts: rows that are multiplied, weighted and added up by token.

The derivative does not follow the steps of the product. The weight of a row is applied to the row
of lhs, which is narrower than that of the result, and the cotangent of the sums is read by token
in the gradients' products, so that no array has a row of the result for each choice (SonicMoE,
arXiv:2512.14080, section 4).
"""

from collections.abc import Callable
import functools

import jax
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm.call import epilogue, jax_products
from jaxgemm.call.options import Options
from jaxgemm.grouped.api import ragged_dot, ragged_dot_general
from jaxgemm.grouped.checks import K_LAST, OF_RHS
from jaxgemm.grouped.rows import RoutingTable, combine, of_rows
from jaxgemm.sharding.manual_axes import unify_varying


def ragged_dot_combine(lhs, rhs, sizes, table: RoutingTable, weights, *, offset=None, bias=None,
                       dtype=jnp.float32, **options) -> jax.Array:
  """[T, N]: combine(ragged_dot(lhs, rhs, sizes, bias=bias), table, weights).

  Args:
    lhs: [R, K].
    rhs: [G, K, N].
    sizes: int32[E], the rows of each group; E is G without an offset.
    table: the rows of each token.
    weights: [T, top_k].
    offset: see group_offset of `ragged_dot`.
    bias: [G, N], or None.
    dtype: that of the result.
    options: those of `ragged_dot`.
  """
  return _combined(lhs, rhs, bias, weights, sizes, table, offset, jnp.dtype(dtype),
                   Options.of(options))


@functools.partial(jax.custom_jvp, nondiff_argnums=(7, 8))
def _combined(lhs, rhs, bias, weights, sizes, table, offset, dtype, options):
  rows = ragged_dot(lhs, rhs, sizes, options.precision, group_offset=offset, bias=bias,
                    **options.keywords())
  return combine(rows, table, weights, dtype=dtype)


@functools.partial(_combined.defjvp, symbolic_zeros=True)
def _jvp(dtype, options, primals, tangents):
  lhs, rhs, bias, weights, sizes, table, offset = primals
  d_lhs, d_rhs, d_bias, d_weights = (
      None if x is None or isinstance(x, SymbolicZero) else x for x in tangents[:4])
  sums = functools.partial(ragged_sums, sizes=sizes, table=table, offset=offset, dtype=dtype,
                           options=options)
  terms = []
  if d_lhs is not None:
    terms.append(sums(_weighted(d_lhs, weights, table), rhs))
  if d_weights is not None:
    terms.append(sums(_weighted(lhs, d_weights, table), rhs))
  if d_rhs is not None:
    terms.append(sums(_weighted(lhs, weights, table), d_rhs))
  for of_bias, of_weights in ((d_bias, weights), (bias, d_weights)):
    if of_bias is not None and of_weights is not None:
      terms.append(bias_sums(of_bias, of_weights, table, offset).astype(dtype))
  out = _combined(lhs, rhs, bias, weights, sizes, table, offset, dtype, options)
  return out, epilogue.added(terms) if terms else jnp.zeros_like(out)


def _weighted(rows, weights, table):
  """rows [R, K], each times its weight, in rows' dtype."""
  of_row = of_rows(weights, table.choice)
  wide = jnp.promote_types(rows.dtype, weights.dtype)
  return (rows.astype(wide) * of_row[:, None].astype(wide)).astype(rows.dtype)


@jax.checkpoint  # the backward pass makes the comparison again
def bias_sums(bias, weights, table, offset):
  """[T, N]: for each token the sum of its experts' biases, times their weights."""
  first = 0 if offset is None else jnp.maximum(offset[0], 0)
  chosen = table.experts.at[table.row].get(mode="fill", fill_value=-1) - first
  is_expert = chosen[..., None] == jnp.arange(len(bias), dtype=chosen.dtype)[None, None]
  of_experts = jnp.where(is_expert, weights[..., None], 0).sum(1)
  return jax_products.matmul(of_experts, bias.astype(of_experts.dtype))


def ragged_sums(lhs, rhs, *, sizes, table, offset, dtype, options) -> jax.Array:
  """[T, N]: the products' rows added up by token, without weights; linear in lhs and rhs."""
  given = [lhs, rhs, sizes, table.token, table.row] + ([] if offset is None else [offset])
  return _sums_p.bind(*unify_varying(given), dtype=dtype, options=options)


def _arguments(sizes, token, row, offset=None):
  return sizes, RoutingTable.of_tokens(token, row), offset


def _compute(lhs, rhs, *others, dtype, options):
  sizes, table, offset = _arguments(*others)
  rows = ragged_dot(lhs, rhs, sizes, options.precision, lhs.dtype, offset, **options.keywords())
  return combine(rows, table, dtype=dtype)


def _sums_jvp(primals, tangents, *, dtype, options):
  bind = functools.partial(_sums_p.bind, dtype=dtype, options=options)
  parts = [bind(*primals[:i], tangent, *primals[i + 1:])
           for i, tangent in enumerate(tangents[:2]) if type(tangent) is not ad.Zero]
  return bind(*primals), functools.reduce(ad.add_tangents, parts)


def _transpose(ct, lhs, rhs, *others, dtype, options):
  del dtype
  gradients: list = [None] * (2 + len(others))
  if type(ct) is ad.Zero:
    return gradients
  sizes, table, offset = _arguments(*others)

  def product(left, right, numbers, dtype, **given):
    return ragged_dot_general(left, right, sizes, numbers, options.precision, dtype, offset,
                              **given, **options.keywords())

  if ad.is_undefined_primal(lhs):
    gradients[0] = product(ct.astype(rhs.dtype), rhs, K_LAST, lhs.aval.dtype, lhs_indices=table)
  else:
    gradients[1] = product(lhs, ct.astype(lhs.dtype), OF_RHS, rhs.aval.dtype, rhs_indices=table,
                           num_local_groups=None if offset is None else rhs.aval.shape[0])
  return gradients


def _batch(operands, axes, *, dtype, options):
  compute: Callable = functools.partial(_compute, dtype=dtype, options=options)
  return jax.vmap(compute, axes)(*operands), 0


_sums_p = Primitive("jaxgemm_ragged_dot_combine")
_sums_p.def_impl(jax.jit(_compute, static_argnames=("dtype", "options")))
_sums_p.def_abstract_eval(lambda lhs, rhs, sizes, token, row, *_, dtype, options: lhs.update(
    shape=(row.shape[0], rhs.shape[-1]), dtype=dtype, weak_type=False))
mlir.register_lowering(_sums_p, mlir.lower_fun(_compute, multiple_results=False))
ad.primitive_jvps[_sums_p] = _sums_jvp
ad.primitive_transposes[_sums_p] = _transpose
batching.primitive_batchers[_sums_p] = _batch
