"""The primitive that programs contain: a contraction of labelled dimensions.

`contract_p` takes operands of any rank (see layout.py for the labels), is pure, and
its rules for differentiation and vmap are relabellings. Only its lowering, where the
shapes on each device are known, groups the dimensions into one kernel call
(call/lower.py).

The JVP rule is linear in the tangents, and the transpose rule gives contractions again.
So jvp, vjp, grad of grad and vmap compose in any order. A contraction with an activation
saves the value before the activation only if it is differentiated.
"""

import functools

import jax
from jax.extend.core import jaxpr_as_fun
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm.call import activations, checkpoint_policies, epilogue, remat, transposes
from jaxgemm.call.dtypes import tangents_dtype
from jaxgemm.call.lower import kernel, out_avals
from jaxgemm.call.options import QUANTIZE_OUT
from jaxgemm.call.plan import is_bf16
from jaxgemm.call.primitives import run_by_jit
from jaxgemm.call.residuals import kept
from jaxgemm.call.spec import Spec
from jaxgemm.dense import layout, sharding
from jaxgemm.dense.layout import Dims, same_order
from jaxgemm.dense.product import (
  PRODUCT,
  contract_p,
  kernel_geometry,
  kernel_part,
  kernel_scales,
)
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying


def _reshape(x, shape):
  return x if x.shape == tuple(shape) else jnp.reshape(x, shape)


def _matrices(x, labels, batch, rows, columns, size):
  """x as [rows, columns], with the batch in front if x has labels of it."""
  batch = tuple(i for i in batch if i in labels)
  order = batch + rows + columns
  if not same_order(labels, order, size):
    x = jnp.transpose(x, [labels.index(i) for i in order])
  groups = ([batch] if batch else []) + [rows, columns]
  return _reshape(x, [layout.count(group, size) for group in groups])


def _vector(x, labels, batch, n, size):
  """A bias or scale as [N] or [B, N]; N is 1 if it has none of n's labels.

  For a row_scale, M and the labels of m take the place of N and n.
  """
  columns = n if any(i in labels for i in n) else ()
  rows = batch if any(i in labels for i in batch) else ()
  x = epilogue.expand(x, labels, rows + columns)
  x = jnp.broadcast_to(x, [size[i] for i in rows + columns])
  groups = ([rows] if rows else []) + [columns]
  return _reshape(x, [layout.count(group, size) for group in groups])


def _result(x, chosen: layout.Layout, out, dtype, size):
  """The kernel's result, [M, N] or [B, M, N], with one dimension for each of `out`."""
  batch = chosen.batch[len(chosen.summed):]
  if chosen.summed:
    parts = layout.count(chosen.summed, size), layout.count(batch, size)
    x = jnp.sum(jnp.reshape(x, parts + x.shape[1:]), axis=0).astype(dtype)
  order = batch + chosen.m + chosen.n
  if not same_order(order, out, size):
    x = _reshape(x, [size[i] for i in order])
    return jnp.transpose(x, [order.index(i) for i in out])
  return _reshape(x, [size[i] for i in out])


def compute(*operands, dims: Dims, spec: Spec) -> list[jax.Array]:
  """The contraction of one device's operands, as one kernel call."""
  sizes = layout.label_sizes(dims, *(x.shape for x in operands))
  size = dict(sizes)
  lhs, rhs, bias, scale, row_scale = dims.split(operands)
  chosen, kernel_spec, fused = kernel_part(lhs, rhs, dims, sizes, spec)
  if not fused:
    product = Dims(dims.lhs, dims.rhs, dims.out)
    acc, = compute(lhs, rhs, dims=product, spec=kernel_spec)
    return epilogue.apply(acc, dims.out, bias, scale, row_scale, dims=dims, spec=spec)

  lhs_labels, rhs_labels = dims.lhs, dims.rhs
  if chosen.swap:
    lhs, rhs, lhs_labels, rhs_labels = rhs, lhs, rhs_labels, lhs_labels
  _, batch, m, n, k, *_ = chosen
  lhs_groups = (m, k) if chosen.lhs_contracting else (k, m)
  rhs_groups = (n, k) if chosen.rhs_contracting else (k, n)
  args = [_matrices(lhs, lhs_labels, batch, *lhs_groups, size),
          _matrices(rhs, rhs_labels, batch, *rhs_groups, size)]
  scale, row_scale = kernel_scales((scale, dims.scale), (row_scale, dims.row_scale), chosen)
  vectors = ((bias, dims.bias), n), (scale, n), (row_scale, m)
  args += [_vector(x, labels, batch, own, size)
           for (x, labels), own in vectors if x is not None]
  geometry = kernel_geometry(chosen, dims, size)
  outs = kernel(
      "jaxgemm_gemm", *args,
      results=out_avals(jax.typeof(args[0]), geometry.out_shape(), kernel_spec),
      geometry=geometry, spec=kernel_spec, bias=bias is not None, scale=scale[0] is not None,
      row_scale=row_scale[0] is not None, bias_bf16=is_bf16(bias))
  scales = []
  if kernel_spec.quantize_out is not None:  # they have fewer elements along the last dimension
    *outs, of_blocks = outs
    columns = size[dims.out[-1]] // QUANTIZE_OUT[kernel_spec.quantize_out]
    scales = [_reshape(of_blocks, (*(size[i] for i in dims.out[:-1]), columns))]
  return [*(_result(x, chosen, dims.out, spec.out_dtype, size) for x in outs), *scales]


def _partitioned(operands, dims: Dims, spec: Spec):
  """The contraction with the partitioning rule for automatic meshes, as a jaxpr."""
  mesh = meshes.partly_manual()
  return meshes.partitioned_jaxpr(
      sharding.partitioned(dims, spec, compute, mesh), operands, dims, spec, mesh)


def contract(lhs, rhs, bias=None, scale=None, row_scale=None, *, dims: Dims, spec: Spec,
             partition: bool | None = None) -> list[jax.Array]:
  """Binds contract_p: [out], or [out, preact] with spec.save_preact.

  Args:
    lhs, rhs: arrays with the labels dims.lhs and dims.rhs.
    bias, scale, row_scale: arrays in the dtypes that the kernels read, or None.
    dims: the labels of the operands and of out.
    spec: what the call computes.
    partition: whether the lowering gets the partitioning rule for automatic meshes. None: if the
      mesh in context needs it.
  """
  if partition is None:
    partition = meshes.needs_partitioning_rule(spec.config.partition)
  # An operand of a product of scalars may still be a Python number.
  given = lhs, rhs, bias, scale, row_scale
  operands = [jnp.asarray(x) for x in given if x is not None]
  operands = unify_varying(operands)
  partitioned = _partitioned(operands, dims, spec) if partition else None
  return contract_p.bind(*operands, labels=dims, spec=spec, partitioned=partitioned)


def contract_local(*operands, dims: Dims, spec: Spec) -> list[jax.Array]:
  """`contract` of one device's operands, without absent ones."""
  return contract(*dims.split(operands), dims=dims, spec=spec, partition=False)


@contract_p.def_abstract_eval
def _contract_abstract_eval(*operands, labels, spec, partitioned):
  size = dict(layout.label_sizes(labels, *(x.shape for x in operands)))
  PRODUCT.require_plan(operands, {"labels": labels, "spec": spec})
  return out_avals(operands[0], [size[i] for i in labels.out], spec)


run_by_jit(contract_p)


def _has_batch(avals, params) -> bool:
  dims = params["labels"]
  sizes = zip(dims.lhs, avals[0].shape)
  return any(i in dims.rhs and i in dims.out and size > 1 for i, size in sizes)


def _before_activation(*operands, again: bool, labels, spec, partitioned):
  spec = spec.before_activation() if again else spec.for_derivative()
  return contract(*labels.split(operands), dims=labels, spec=spec,
                  partition=partitioned is not None)


checkpoint_policies.register(contract_p, _has_batch)
remat.register(contract_p, _before_activation)


def _contract_lowering(ctx, *operands, labels, spec, partitioned):
  values, avals_in, read = transposes.in_lowering(
      ctx, operands, ctx.avals_in, PRODUCT, labels=labels, spec=spec)
  dims = read["labels"]
  fun = functools.partial(compute, dims=dims, spec=spec)
  if partitioned is not None:
    meshes.refuse_export(ctx)
    if dims != labels:
      partitioned = _partitioned(avals_in, dims, spec)
    fun = jaxpr_as_fun(partitioned)
  return mlir.lower_fun(fun, multiple_results=True)(ctx.replace(avals_in=avals_in), *values)


# The rule looks at the operations that compute its operands, so equal calls may lower differently.
mlir.register_lowering(contract_p, _contract_lowering, cacheable=False)


def tangent_of_sums(lhs, rhs, scale, row_scale, d_lhs, d_rhs, d_bias, d_scale, d_row_scale, *,
                    dims: Dims, spec: Spec, shape, bind) -> jax.Array:
  """The tangent of z = row_scale * scale * (lhs @ rhs) + bias.

  Args:
    lhs, rhs: primal values.
    scale, row_scale: primal values, or None.
    d_lhs, d_rhs, d_bias, d_scale, d_row_scale: tangents; None for a zero one. One at least is not
      None.
    dims: the labels of all operands.
    spec: the product's `Spec`.
    shape: z's shape.
    bind: `contract`, with its argument `partition` set.
  """
  scaled = dims._replace(bias=None)
  has_scale = scale is not None or row_scale is not None
  dtype = tangents_dtype(spec.out_dtype, has_scale or spec.activation is not None)
  of_product = spec.for_gradient(dtype)
  terms = []
  if d_lhs is not None:
    terms += bind(d_lhs, kept(rhs), None, scale, row_scale, dims=scaled, spec=of_product)
  if d_rhs is not None:
    terms += bind(kept(lhs), d_rhs, None, scale, row_scale, dims=scaled, spec=of_product)
  if d_scale is not None or d_row_scale is not None:
    # lhs @ rhs is computed again: to give it, the saved value would be divided by a scale, which
    # may be zero.
    acc, = bind(lhs, rhs, dims=Dims(dims.lhs, dims.rhs, dims.out),
                spec=spec.for_gradient(jnp.float32))
    if d_scale is not None:
      terms.append(epilogue.scaled(acc, d_scale, row_scale, dims))
    if d_row_scale is not None:
      terms.append(epilogue.scaled(acc, scale, d_row_scale, dims))
  if d_bias is not None:
    assert dims.bias is not None
    terms.append(jnp.broadcast_to(
        epilogue.expand(d_bias.astype(jnp.float32), dims.bias, dims.out), shape))
  return epilogue.added(terms)


def zero_tangents(outs):
  """Symbolic zeros, one for each result."""
  return [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in outs]


def _jvp(primals, tangents, *, labels, spec, partitioned):
  lhs, rhs, bias, scale, row_scale = labels.split(primals)
  d_lhs, d_rhs, d_bias, d_scale, d_row_scale = (
      None if type(t) is ad.Zero else t for t in labels.split(tangents))
  bind = functools.partial(contract, partition=partitioned is not None)
  if not jnp.issubdtype(spec.out_dtype, jnp.inexact):
    outs = bind(lhs, rhs, bias, scale, row_scale, dims=labels, spec=spec)
    return outs, zero_tangents(outs)

  outs = bind(lhs, rhs, bias, scale, row_scale, dims=labels, spec=spec.for_derivative())
  outs = activations.activated(outs, spec)
  d_z = tangent_of_sums(lhs, rhs, scale, row_scale, d_lhs, d_rhs, d_bias, d_scale,
                        d_row_scale, dims=labels, spec=spec, shape=outs[0].shape, bind=bind)
  return outs[:1 + spec.save_preact], activations.tangents(d_z, outs, spec)


ad.primitive_jvps[contract_p] = _jvp


def _transpose(cotangents, *operands, labels, spec, partitioned):
  # Only calls that _jvp binds are transposed: no bias, no activation, one result.
  ct, = cotangents
  lhs, rhs, _, scale, row_scale = labels.split(operands)
  rest = [None] * (len(operands) - 2)
  if type(ct) is ad.Zero:
    return [None, None, *rest]
  if rest:
    ct = epilogue.scaled(ct.astype(jnp.float32), scale, row_scale, labels).astype(ct.dtype)
  bind = functools.partial(contract, partition=partitioned is not None)
  if ad.is_undefined_primal(lhs):
    spec = spec.for_gradient(lhs.aval.dtype)
    out, = bind(ct, rhs, dims=Dims(labels.out, labels.rhs, labels.lhs), spec=spec)
    return [out, None, *rest]
  spec = spec.for_gradient(rhs.aval.dtype)
  out, = bind(lhs, ct, dims=Dims(labels.lhs, labels.out, labels.rhs), spec=spec)
  return [None, out, *rest]


ad.primitive_transposes[contract_p] = _transpose


def _batch(operands, axes, *, labels, spec, partitioned):
  new = 1 + max((*labels.lhs, *labels.rhs), default=-1)
  inserted = [
      old if axis is None else old[:axis] + (new,) + old[axis:]
      for old, axis in zip(labels.operands(), axes, strict=True)
  ]
  l_labels, r_labels, *v_labels = labels.split(inserted)
  operands = list(map(jnp.asarray, operands))  # see `contract`
  lhs, rhs, *vectors = labels.split(operands)
  partition = partitioned is not None
  batched = Dims(l_labels, r_labels, (new, *labels.out), *v_labels)
  if new not in l_labels and new not in r_labels:
    product = Dims(labels.lhs, labels.rhs, labels.out)
    acc, = contract(lhs, rhs, dims=product, partition=partition,
                    spec=spec.accumulator(lhs, rhs))
    outs = epilogue.apply(acc, labels.out, *vectors, dims=batched, spec=spec)
    return outs, [0] * len(outs)
  # vmap lets this rule choose the place of the new dimension in out. It takes the cheapest one.
  sizes = layout.label_sizes(batched, *(x.shape for x in operands))
  best, axis = None, 0
  # The blocks of a quantised result are along its last dimension.
  for i in range(len(labels.out) + (spec.quantize_out is None)):
    trial = batched._replace(out=labels.out[:i] + (new,) + labels.out[i:])
    chosen = layout.choose(trial, sizes, spec.activation is None, spec.same_rows)
    if chosen is not None and (best is None or chosen.cost < best):
      best, axis = chosen.cost, i
  batched = batched._replace(out=labels.out[:axis] + (new,) + labels.out[axis:])
  outs = contract(lhs, rhs, *vectors, dims=batched, spec=spec, partition=partition)
  return outs, [axis] * len(outs)


batching.primitive_batchers[contract_p] = _batch
