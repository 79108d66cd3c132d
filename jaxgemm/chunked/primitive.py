"""The primitive of products whose lhs arrives in chunks while they run.

`chunked_p` multiplies lhs [M, K] (or [K, M]) with rhs [K, N] (or [N, K]). Its
workgroups visit the tile rows of lhs cyclically from a pivot on. They wait for a tile's
chunk until its element of signals uint32[C] (or [B, C]) equals the epoch. Every operand
but the epoch may have a batch dimension in front or be shared by the batch.

The last result is a status: bytes that are zero if all chunks have arrived. lhs is
complete only after the product, so any other operation that reads lhs has to depend on the
status. The gradients do; they are products of complete arrays (dense/primitive.py). lhs and
the signals must reach the kernel without a copy, which would be made before they are
complete.
"""

import functools

import jax
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm.call import activations, checkpoint_policies
from jaxgemm.call.lower import (
  CALL_TARGET,
  CHUNKED_TARGET,
  lower_kernel,
  out_avals,
  require_platforms,
)
from jaxgemm.call.primitives import run_by_jit
from jaxgemm.call.spec import Spec
from jaxgemm.chunked import calls
from jaxgemm.chunked.product import PRODUCT, ChunkedParams, chunked_p
from jaxgemm.dense.primitive import contract, tangent_of_sums, zero_tangents
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying

STATUS_BYTES = 4


def chunked(lhs, rhs, signals, epoch, bias=None, scale=None, *, form: ChunkedParams,
            spec: Spec) -> list[jax.Array]:
  """Binds chunked_p: [out, status], or [out, preact, status] with spec.save_preact."""
  form = form._replace(bias=bias is not None, scale=scale is not None)
  operands = [x for x in (lhs, rhs, signals, epoch, bias, scale) if x is not None]
  return chunked_p.bind(*unify_varying(operands), form=form, spec=spec)


@chunked_p.def_abstract_eval
def _abstract_eval(*operands, form, spec):
  lhs, rhs, signals = operands[:3]
  PRODUCT.require_plan(operands, {"form": form, "spec": spec})
  shape = form.geometry(lhs.shape, rhs.shape, signals.shape).out_shape()
  status, = out_avals(lhs, (STATUS_BYTES,), Spec(jnp.dtype(jnp.uint8)))
  return [*out_avals(lhs, shape, spec), status]


run_by_jit(chunked_p)
checkpoint_policies.register(
    chunked_p, lambda avals, _: all(x.ndim > 2 and x.shape[0] > 1 for x in avals[:2]))


def require_local(ctx, what: str) -> None:
  """Raises ValueError if XLA may partition the program that is lowered."""
  if meshes.may_be_partitioned(ctx):
    raise ValueError(
        f"{what} is in a program for several devices, where XLA would gather arrays "
        "that have not arrived yet. Use it inside jax.shard_map, where it is local.")


def _lowering(ctx, *operands, form, spec):
  require_platforms(ctx)
  require_local(ctx, "a product of chunks")
  # XLA may put the call into a command buffer if no copy of start_copy sets signals.
  of_others = calls.are_of_others(operands[2], ctx.module_context.module)
  geometry = form.geometry(*(x.shape for x in ctx.avals_in[:3]))
  outs = lower_kernel(ctx, *operands, geometry=geometry, spec=spec, bias=form.bias,
                      scale=form.scale, call_target=CALL_TARGET if of_others else CHUNKED_TARGET)
  return calls.keep_source(ctx, operands, outs)


mlir.register_lowering(chunked_p, _lowering, cacheable=False)


@jax.jit
def jaxgemm_arrived(lhs, status):
  """A copy of lhs that depends on the product's status, so its readers run after the product.

  It has to be a copy, because XLA may copy or convert lhs itself at any time: into a
  branch's results for the backward pass, for example. calls.py finds this function by its
  name.
  """
  return jnp.where((status == 0).all(), lhs, jnp.zeros_like(lhs))


def _jvp(primals, tangents, *, form, spec):
  lhs, rhs, signals, epoch, bias, scale = form.split(primals)
  d_lhs, d_rhs, _, _, d_bias, d_scale = (
      None if type(t) is ad.Zero else t for t in form.split(tangents))
  product = functools.partial(chunked, lhs, rhs, signals, epoch, bias, scale, form=form)
  if not jnp.issubdtype(spec.out_dtype, jnp.inexact):
    outs = product(spec=spec)
    return outs, zero_tangents(outs)
  *outs, status = product(spec=spec.for_derivative())
  outs = activations.activated(outs, spec)
  dims = form.dims(*(x if x is None else x.shape for x in (lhs, rhs, bias, scale)),
                   outs[0].shape)
  if scale is not None:
    scale, d_scale = (_as_labelled(x, dims.scale) for x in (scale, d_scale))
  d_z = tangent_of_sums(
      jaxgemm_arrived(lhs, status), rhs, scale, None, d_lhs, d_rhs, d_bias, d_scale, None,
      dims=dims, spec=spec, shape=outs[0].shape, bind=functools.partial(contract, partition=False))
  d_outs = activations.tangents(d_z, outs, spec)
  return [*outs[:1 + spec.save_preact], status], [*d_outs, *zero_tangents([status])]


def _as_labelled(x, labels):
  # A scale of one value for all columns has no label for its last dimension.
  return x if x is None else x.reshape(x.shape[:len(labels)])


ad.primitive_jvps[chunked_p] = _jvp


def _batch(operands, axes, *, form, spec):
  lhs, rhs, signals, epoch, bias, scale = form.split(operands)
  new = form.split(axes)
  size = next(x.shape[axis] for x, axis in zip(operands, axes) if axis is not None)
  if new[3] is not None:
    raise NotImplementedError(
        "epoch is batched by jax.vmap; one epoch is allowed. Give it None in in_axes.")
  ranks = 2, 2, 1, 1, 1, 1
  arrays = lhs, rhs, signals, epoch, bias, scale
  # For each array, whether it has a batch already.
  old = [x is not None and x.ndim - (axis is not None) > rank
         for x, axis, rank in zip(arrays, new, ranks)]
  count = next((x.shape[:axis] + x.shape[axis + 1:] if axis is not None else x.shape
                for x, axis, there in zip(arrays, new, old) if there), (1,))[0]

  def fold(x, axis, there, name):
    if x is None or (axis is None and not there):
      return x
    if name and (axis not in (None, 0) or (any(old) and (axis is None or not there))):
      raise NotImplementedError(
          f"jax.vmap would copy {name} before it is complete; a batch along its first axis is "
          "allowed. In nested vmaps batch it in each of them, or in none.")
    x = x if axis is None else jnp.moveaxis(x, axis, 0)
    if not any(old):
      return x
    x = x if there else x[:, None]
    x = x[None] if axis is None else x
    shape = (size, count, *x.shape[2:])
    return jnp.broadcast_to(x, shape).reshape(size * count, *x.shape[2:])

  names = "lhs", "", "chunk_signals", "", "", ""
  folded = [fold(*x) for x in zip(arrays, new, old, names)]
  *outs, status = chunked(*folded, form=form, spec=spec)
  if any(old):
    outs = [x.reshape(size, count, *x.shape[1:]) for x in outs]
  outs_batched = any(x is not None and x.ndim > rank
                     for x, rank in zip(folded[:3], ranks))
  if not outs_batched:  # only bias or scale
    raise NotImplementedError(
        "jax.vmap batches only bias or scale; a batch of lhs, rhs or chunk_signals is needed, "
        "too. Leave bias and scale out, and apply them to the result.")
  return [*outs, status], [0] * len(outs) + [None]


batching.primitive_batchers[chunked_p] = _batch
