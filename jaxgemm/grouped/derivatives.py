"""The rules of `ragged_p` (primitive.py) for derivatives.

The backward pass is `_transpose` of the products that `_jvp` makes. Its products need no other
mode, only other layouts of their operands: those of mode "m" are mode "m" over rhs's other
dimension, and mode "k"; those of mode "k" are mode "m" (`gradient_products` in form.py).
"""

import functools
import math

import jax
from jax.interpreters import ad
import jax.numpy as jnp

from jaxgemm.call import activations, epilogue
from jaxgemm.call.dtypes import tangents_dtype
from jaxgemm.call.residuals import kept
from jaxgemm.dense.primitive import zero_tangents
from jaxgemm.grouped.form import Operands
from jaxgemm.grouped.primitive import along_rows, ragged, rows_of
from jaxgemm.grouped.product import ragged_p
from jaxgemm.grouped.rows import sums_of_lines
from jaxgemm.sharding.gradients import with_primal_sharding


def _jvp(primals, tangents, *, form, spec, partitioned):
  del partitioned  # `bind` makes another one
  given = form.split(primals)
  lhs, rhs, sizes, offset, scale, row_scale = (
      given.lhs, given.rhs, given.sizes, given.offset, given.scale, given.row_scale)
  d = Operands(*(None if type(t) is ad.Zero else t for t in form.split(tangents)))
  d_rhs, d_scale, d_row_scale = d.rhs, d.scale, d.row_scale
  if not jnp.issubdtype(spec.out_dtype, jnp.inexact):
    outs = ragged(given, form=form, spec=spec)
    return outs, zero_tangents(outs)

  outs = activations.activated(
      ragged(given, form=form, spec=spec.for_derivative(form.gated)), spec, form.gated)
  count = form.geometry(primals).m
  rows = functools.partial(rows_of, sizes=sizes, offset=offset, count=count, spec=spec)
  of_rows = functools.partial(along_rows, sizes=sizes, offset=offset, count=count, form=form)

  def product(left, right, dtype, **others):
    operands = given._replace(lhs=left, rhs=right, bias=None, **others)
    return ragged(operands, form=form._replace(gated=False, tangent=True),
                  spec=spec.for_gradient(dtype))

  if form.mode == "m" and d_rhs is not None and spec.config.partition:
    d_rhs = with_primal_sharding(d_rhs, kept(rhs))
  has_scale = scale is not None or row_scale is not None
  dtype = tangents_dtype(
      spec.out_dtype, has_scale or form.gated or spec.activation is not None)
  of_rhs = d_rhs, None
  if form.accumulate and form.mode == "m":
    of_rhs = d_rhs if form.tangent else d.buffer, given.buffer
  # The terms of the tangent of z = row_scale * scale * acc + bias, or in mode "k" of buffer + acc.
  terms = []
  for left, right, added in ((d.lhs, kept(rhs), None), (kept(lhs), *of_rhs)):
    if left is not None and right is not None:
      terms += product(left, right, dtype, buffer=added)
  if d.buffer is not None and form.mode == "k":
    terms.append(d.buffer)
  if d_scale is not None or d_row_scale is not None:
    # acc is computed again: to give acc, the saved value would be divided by a scale, which may be
    # zero.
    acc, = product(lhs, rhs, jnp.float32, buffer=None, scale=None, row_scale=None)
    for tangent, of_columns, of_row in ((d_scale, d_scale, row_scale),
                                        (d_row_scale, scale, d_row_scale)):
      if tangent is not None:
        factors = [of_rows(of_row)] if of_row is not None else []
        factors += [rows(of_columns, dtype=jnp.float32)] if of_columns is not None else []
        terms.append(math.prod((epilogue.lifted(x, acc.ndim) for x in factors), start=acc))
  if d.bias is not None:
    terms.append(rows(d.bias.astype(jnp.float32), dtype=dtype))
  results = outs[:1 + spec.save_preact]
  if not terms:
    return results, zero_tangents(results)
  # The terms of bias, and of a buffer that the batch shares, may lack the batch dimension.
  d_z = epilogue.added([jnp.broadcast_to(x, outs[-1].shape) for x in terms])
  return results, activations.tangents(d_z, outs, spec, form.gated)


ad.primitive_jvps[ragged_p] = _jvp


def _transpose(cotangents, *operands, form, spec, partitioned):
  # Only calls that _jvp binds are transposed: no bias, no activation, one result.
  del partitioned
  ct, = cotangents
  given = form.split(operands)
  sizes, offset, scale, row_scale = given.sizes, given.offset, given.scale, given.row_scale
  gradients: list[jax.Array | None] = [None] * len(operands)
  index = 0 if ad.is_undefined_primal(given.lhs) else 1
  wanted = operands[index].aval
  buffer = given.buffer if form.tangent and index == 1 else None
  if buffer is not None:
    buffer = _batched_as(buffer, wanted)
  if type(ct) is ad.Zero:
    gradients[index] = buffer
    return gradients
  if form.accumulate and form.mode == "k":
    gradients[form.buffer_index()] = ct
  if scale is not None or row_scale is not None:
    count = ct.shape[-2 - form.paired]  # a call with a scale contracts no pairs
    scaled = ct.astype(jnp.float32)
    if row_scale is not None:
      factor = along_rows(row_scale, sizes, offset, count, form)
      scaled = scaled * epilogue.lifted(factor, ct.ndim)
    if scale is not None:
      factor = rows_of(scale, sizes, offset, count, jnp.float32, spec)
      scaled = scaled * epilogue.lifted(factor, ct.ndim)
    ct = scaled.astype(ct.dtype)
  left, right, product, transposed = form.gradient_products()[index]
  arrays = {"lhs": given.lhs, "rhs": given.rhs, "ct": ct}
  indices = {"lhs": given.lhs_indices, "rhs": given.rhs_indices, "ct": None}
  gathered = given.lhs_indices if index == 0 else given.rhs_indices
  # The gradient of an operand that the batch shares is the sum over the batch.
  shared = (wanted.ndim == form.ranks()[index]
            and ct.ndim > form.out_rank())
  dtype = jnp.float32 if shared else wanted.dtype
  gathers = indices[left] is not None or indices[right] is not None
  out, = ragged(
      Operands(arrays[left], arrays[right], sizes, offset, indices[left], indices[right],
               given.inverse if gathers else None, None if shared else buffer),
      form=product, spec=spec.for_gradient(dtype))
  if gathered is not None:
    rank = form.ranks()[index]
    axes = [0 if x is not None and x.ndim > r else None
            for x, r in ((out, rank), (gathered, 1), (given.inverse, 2))]
    sums = functools.partial(sums_of_lines, lines=wanted.shape[wanted.ndim - rank])
    sums = jax.vmap(sums, axes) if axes[0] is not None else sums
    out = sums(out, gathered, given.inverse)
  if shared:
    out = out.sum(0).astype(wanted.dtype)
    out = out if buffer is None else buffer + out
  gradients[index] = jnp.swapaxes(out, -1, -2) if transposed else out
  return gradients


ad.primitive_transposes[ragged_p] = _transpose


def _batched_as(buffer, wanted):
  if buffer.ndim > wanted.ndim:
    raise NotImplementedError(
        "rhs_grad is batched by jax.vmap and its tangent is not; both or none are allowed to "
        "be. Batch both.")
  return jnp.broadcast_to(buffer, wanted.shape)
