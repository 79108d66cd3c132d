"""Copies that bring operands into the layout and sizes that a plan's kernel reads.

The native plan chooses the copies (ffi/plan/hopper/copies.h). They are ordinary XLA
operations in front of the custom call: XLA fuses them with what produces the operand,
and moves them out of loops in which the operand does not change. Only rows of groups
that are gathered, and nothing else, are copied by a kernel of ours.
"""

import math

import jax
from jax import lax
from jax.experimental.layout import Layout, with_layout_constraint
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm.call.kernel_calls import VECTOR_BYTES, make
from jaxgemm.sharding.manual_axes import unify_varying
from jaxgemm.sharding.mesh import is_exported, may_be_partitioned

# The identity, whose result is in memory with the last dimension contiguous.
row_major_p = Primitive("jaxgemm_row_major")
row_major_p.def_abstract_eval(lambda x: x)
row_major_p.def_impl(lambda x: x)
ad.deflinear2(row_major_p, lambda ct, _: (ct,))
batching.defvectorized(row_major_p)


def _in_row_major(ctx, x):
  # XLA's partitioner would gather the operand of a layout constraint.
  if may_be_partitioned(ctx):
    return [x]
  # jax exports no layout constraint unless the caller allows this custom call. A barrier also keeps
  # XLA from transposing what produces x.
  if is_exported(ctx):
    return mlir.lower_fun(lax.optimization_barrier, multiple_results=False)(ctx, x)
  constrained = lambda x: with_layout_constraint(x, Layout(tuple(range(x.ndim))))
  return mlir.lower_fun(constrained, multiple_results=False)(ctx, x)


mlir.register_lowering(row_major_p, _in_row_major)


def transposed(x: jax.Array) -> jax.Array:
  """x with its last two dimensions swapped by a copy, which XLA makes after it has computed x.

  Without this XLA may also transpose the operations that produce x, such as a gather of rows and a
  quantisation. That takes longer than a transposed copy of 8-bit elements.
  """
  return jnp.swapaxes(row_major_p.bind(x), -1, -2)


def operand(x, contracting: int, wanted: int, rows: int, k: int) -> jax.Array:
  """An operand with k in the wanted dimension, padded with zeros.

  Args:
    x: array of shape (..., ROWS, K), or (..., K, ROWS) if `contracting` is 0.
    contracting: which of x's last two dimensions is k.
    wanted: which of the result's last two dimensions is k.
    rows: size of the other dimension in the result, at least ROWS.
    k: size of k in the result, at least K.

  Returns:
    An array of shape (..., rows, k), or (..., k, rows) if `wanted` is 0.
  """
  if contracting != wanted:
    x = transposed(x) if x.dtype.itemsize == 1 else jnp.swapaxes(x, -1, -2)
  return pad(x, (rows, k) if wanted else (k, rows))


def gathered(x, indices) -> jax.Array:
  """[..., R, C]: for each index its line of x[..., lines, C]; zeros for one out of range.

  Args:
    x: array of shape (lines, C) or (B, lines, C).
    indices: int32[R] or int32[B, R].
  """
  if x.ndim > 2 or indices.ndim > 1:
    return jax.vmap(gathered, (0 if x.ndim > 2 else None, 0 if indices.ndim > 1 else None))(
        x, indices)
  if x.shape[0] == 0:
    return jnp.zeros((indices.shape[0], x.shape[1]), x.dtype)
  indices = jnp.where(indices < 0, x.shape[0], indices)  # jax.numpy counts these from the end
  return lines_of(x, indices, mode="fill", fill_value=0)


def gathered_within(bounds, x, indices) -> jax.Array:
  """`gathered` rows [R, C] of x[lines, C], of which those out of bounds may hold anything.

  Args:
    bounds: int32[2], the first row, and the end; see `group_sizes.bounds_of_rows`.
    x: array of shape (lines, C).
    indices: int32[R].
  """
  if x.size == 0 or x.shape[1] * x.dtype.itemsize % VECTOR_BYTES:
    return gathered(x, indices)
  return _gather_p.bind(*unify_varying([x, indices, bounds]))[0]


def lines_of(x, indices, **mode) -> jax.Array:
  """x.at[indices].get(**mode) of x[lines, C] and int32[R].

  XLA's gather on GPUs moves an element at a time, so words take less time than 8 or 16 bits.
  """
  per_word = 4 // x.dtype.itemsize
  if per_word < 2 or x.shape[1] % per_word:
    return x.at[indices].get(**mode)
  words = lax.bitcast_convert_type(
      x.reshape(x.shape[0], x.shape[1] // per_word, per_word), jnp.uint32)
  words = words.at[indices].get(**mode)
  return lax.bitcast_convert_type(words, x.dtype).reshape(indices.shape[0], x.shape[1])


def _gathered_limits(target, x, indices, bounds) -> str:
  del target, indices, bounds
  return "it has leading dimensions, which vmap adds" if x.ndim > 2 else ""


# The kernel is in ffi/routing/rows.h.
_gather_p = make(
    "jaxgemm_gather_rows",
    lambda x, indices, bounds: [((*indices.shape, x.shape[-1]), x.dtype)],
    lambda x, indices, bounds: [gathered(x, indices)], _gathered_limits, exported=False)


def pad(x, sizes) -> jax.Array:
  """x with zeros at its end, so that its last dimensions have these sizes."""
  lead = x.ndim - len(sizes)
  more = [size - old for size, old in zip(sizes, x.shape[lead:], strict=True)]
  return jnp.pad(x, [(0, 0)] * lead + [(0, n) for n in more]) if any(more) else x


def vector(x, old: int, new: int) -> jax.Array:
  """A vector operand of shape (..., old), padded to (..., new). One of (..., 1) stays as it is."""
  return pad(x, (new,)) if x.shape[-1] == old else x


def cut(x, rows: int, shape) -> jax.Array:
  """Cuts the result out of a padded one of shape (..., M, N), which has more rows or columns.

  Args:
    x: the padded result.
    rows: number of rows of the result.
    shape: shape of the result; N may be several of its dimensions.
  """
  columns = math.prod(shape) // (math.prod(x.shape[:-2]) * rows)
  return x[..., :rows, :columns].reshape(shape)


def described(relayout: dict, geometry, passes: int) -> dict[str, str]:
  """Descriptions of the copies of "lhs", "rhs" and "out", by name, as far as there are copies.

  Args:
    relayout: the entry "relayout" of the native plan.
    geometry: the `Geometry` of the operands before the copies.
    passes: see `jaxgemm.call.plan.plan_call`.
  """
  sizes = {"m": geometry.m, "n": geometry.n, "k": passes * geometry.k}
  found = {}
  for side, dimensions in ("lhs", "mk"), ("rhs", "nk"):
    if not relayout[side]:
      continue
    done, k_is_last = [], relayout[f"{side}_contracting"]
    if getattr(geometry, f"{side}_contracting") != k_is_last:
      done.append("transposed, so that k is "
                  f"{'the last' if k_is_last else 'not the last'} dimension,")
    done += [f"padded with zeros from {x}={sizes[x]} to {relayout[x]}"
             for x in dimensions if relayout[x] != sizes[x]]
    gathers = relayout[f"gathers_{side}"]
    if done:
      also = "gathered, and " * gathers
      found[side] = (f"{also}{' and '.join(done)} by a copy: as it is, TMA could not read it, or "
                     "could not write the result. A copy costs less than moving single elements")
    elif gathers:
      found[side] = ("gathered by a copy: the kernel does not read this operand by index, or would "
                     "take longer for it than the copy does")
  if (relayout["m"], relayout["n"]) != (geometry.m, geometry.n):
    found["out"] = "cut out of the padded result, by a copy unless XLA fuses it"
  return found
