"""The primitive of products whose operands have scales of blocks, dense and grouped.

`scaled_p` sums over each block along k by itself, multiplies that sum by the scales of its two
blocks, and adds it to float32 accumulators: the promoted accumulation of DeepGEMM
(https://github.com/deepseek-ai/DeepGEMM).

  dense        lhs [M, K], rhs [N, K] -> out [M, N]
  grouped "m"  lhs [M, K], rhs [L, N, K], group_sizes cut M -> out [M, N]
  grouped "k"  lhs [M, K], rhs [N, K], group_sizes cut K -> out [L, M, N]

lhs may be [K, M] (lhs_contracting 0) and rhs [K, N] (rhs_contracting 0). For each matrix of an
operand, in either layout, lhs_scales is [M / block_m, K / block_k] and rhs_scales is
[N / block_n, K / block_k], rounded up, or [K / block_k, N] if block_n is 1. With `mx` they are
the bytes of float8_e8m0fnu, [M, K / 32] and [N, K / 32], and the operands may be float4. Every
operand but group_offset may have a batch dimension in front; an operand and its scales both have
it or both lack it. Derivatives are those of the dequantised product (api.py).
"""

import math

import jax
from jax.extend.core import jaxpr_as_fun
from jax.interpreters import batching, mlir
import jax.numpy as jnp

from jaxgemm.call import checkpoint_policies
from jaxgemm.call.lower import applied, lower_call, out_avals, register_lowerings
from jaxgemm.call.primitives import run_by_jit
from jaxgemm.call.spec import Spec
from jaxgemm.scaled import sharding
from jaxgemm.scaled.product import PRODUCT, ScaledParams, scaled_p
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying


def product(lhs, rhs, sizes, offset, lhs_scales, rhs_scales, bias, *, form: ScaledParams,
            spec: Spec, partition: bool) -> list[jax.Array]:
  """Binds scaled_p: [out], or [out, its scales] with spec.quantize_out. Absent operands are None.

  Args:
    partition: whether the lowering gets the partitioning rule for automatic meshes.
  """
  form = form._replace(offset=offset is not None, bias=bias is not None)
  operands = unify_varying([
      x for x in (lhs, rhs, sizes, offset, lhs_scales, rhs_scales, bias) if x is not None])
  partitioned = None
  if partition:
    rule = sharding.partitioned(
        *sharding.labels(form, operands), _local, form, spec, meshes.partly_manual())
    partitioned = meshes.partitioned_jaxpr(
        rule, operands, form, spec, meshes.partly_manual())
  return scaled_p.bind(*operands, form=form, spec=spec, partitioned=partitioned)


def _local(*operands, form: ScaledParams, spec: Spec) -> list[jax.Array]:
  """The product of one device's operands. Each device has all groups."""
  return scaled_p.bind(*operands, form=form, spec=spec, partitioned=None)


@scaled_p.def_abstract_eval
def _abstract_eval(*operands, form, spec, partitioned):
  PRODUCT.require_plan(operands, {"form": form, "spec": spec})
  return out_avals(operands[0], form.geometry(operands).out_shape(), spec)


run_by_jit(scaled_p)
checkpoint_policies.register(scaled_p)


def _lowering(ctx, *operands, form, spec, partitioned, platform):
  if partitioned is not None:
    meshes.refuse_export(ctx)
    fun = mlir.lower_fun(jaxpr_as_fun(partitioned), multiple_results=True)
    return fun(ctx, *operands)
  target, avals = spec.target(platform), ctx.avals_in
  if form.mx:
    operands, avals = _with_scales_for(target, ctx, operands, form)
  return lower_call(ctx.replace(avals_in=avals), *operands, spec=spec, platform=platform,
                    geometry=form.geometry(ctx.avals_in), **form.on(target).blocks())


def _with_scales_for(target: str, ctx, operands, form: ScaledParams):
  """(operands, avals), where scales of an MX format are as the target's kernels read them."""
  operands, avals = list(operands), list(ctx.avals_in)

  def apply(i, fun):
    operands[i], avals[i] = applied(ctx, fun, operands[i], avals[i])

  of_lhs = 2 + (form.mode != "none") + form.offset
  of_rhs = of_lhs + 1
  if form.on(target).mx:
    apply(of_lhs, _in_chunks)
    apply(of_rhs, _in_chunks)
  else:
    apply(of_lhs, _in_float32)
    apply(of_rhs, lambda scales: jnp.swapaxes(_in_float32(scales), -1, -2))
  return operands, avals


def _in_chunks(scales: jax.Array) -> jax.Array:
  """Scales of an MX format in the order of ffi/spec/call_schema.def."""
  *lead, rows, count = scales.shape
  chunks = -(-count // 16)
  widths = [(0, 0)] * (len(lead) + 1) + [(0, 16 * chunks - count)]
  whole = jnp.pad(scales, widths).reshape(*lead, rows, chunks, 4, 4)
  in_order = jnp.moveaxis(jnp.swapaxes(whole, -1, -2), -3, -4)
  return in_order.reshape(*lead, chunks, 16 * rows)


def _in_float32(scales: jax.Array) -> jax.Array:
  return jax.lax.bitcast_convert_type(scales, jnp.float8_e8m0fnu).astype(jnp.float32)


register_lowerings(scaled_p, _lowering)


def _batch(operands, axes, *, form, spec, partitioned):
  if any(axis is not None for axis in (form.split(axes)[3:4] if form.offset else ())):
    raise NotImplementedError(
        "group_offset is batched by jax.vmap; one offset is allowed. Give it None in in_axes.")
  arrays, given, ranks = form.split(operands), form.split(axes), form.ranks()
  size = next(x.shape[axis] for x, axis in zip(operands, axes) if axis is not None)
  old = next((x.shape[axis == 0] for x, axis, rank in zip(arrays, given, ranks)
              if x is not None and x.ndim - (axis is not None) > rank), None)

  def has_batch(*places):
    return any(arrays[i] is not None and (given[i] is not None or arrays[i].ndim > ranks[i])
               for i in places)

  def folded(i, *together):
    x, axis = arrays[i], given[i]
    if x is None or i == 3 or not has_batch(i, *together):
      return x
    there = x.ndim - (axis is not None) > ranks[i]
    x = x[None] if axis is None else jnp.moveaxis(x, axis, 0)
    lead = (size,) if old is None else (size, old)
    if old is not None and not there:
      x = x[:, None]
    x = jnp.broadcast_to(x, lead + x.shape[len(lead):])
    return x.reshape(math.prod(lead), *x.shape[len(lead):])

  if form.bias and form.mode == "m" and given[6] is not None:
    raise NotImplementedError(
        "jax.vmap batches the bias of a grouped product; one bias for the whole batch is allowed. "
        "Leave bias out, and add it to the result.")
  if not has_batch(0, 1, 2, 4, 5):
    raise NotImplementedError(
        "jax.vmap batches only bias; a batch of another operand is needed, too. Leave bias out, "
        "and add it to the result.")
  bias = arrays[6] if form.mode == "m" else folded(6)
  outs = product(folded(0, 4), folded(1, 5), folded(2), arrays[3], folded(4, 0), folded(5, 1),
                 bias, form=form, spec=spec, partition=partitioned is not None)
  lead = (size,) if old is None else (size, old)
  return [x.reshape(*lead, *x.shape[1:]) for x in outs], [0] * len(outs)


batching.primitive_batchers[scaled_p] = _batch
