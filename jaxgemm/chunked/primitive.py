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

import dataclasses
import functools
from typing import NamedTuple

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.lower import (
  CALL_TARGET,
  CHUNKED_TARGET,
  lower_call,
  on_each_platform,
  out_avals,
  register_in_place,
  run_by_jit,
)
from jaxgemm.call.plan import plan_call, require_plan
from jaxgemm.call.spec import Geometry, Spec, with_absent
from jaxgemm.chunked import calls
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.primitive import contract, tangent_of_sums, zero_tangents
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying


class ChunkedParams(NamedTuple):
  """Layouts, chunks and optional operands of a chunked product.

  Attributes:
    lhs_contracting: which of lhs's two matrix dimensions is k.
    rhs_contracting: the same for rhs.
    tiles_per_chunk: the number of tile rows in a chunk.
    pivot: the tile row that is visited first.
    timeout_ns: how long a workgroup waits for a signal, in nanoseconds.
    bias: whether there is a bias, [N] or [B, N].
    scale: whether there is a scale, [N], [1], [B, N] or [B, 1].
  """

  lhs_contracting: int
  rhs_contracting: int
  tiles_per_chunk: int
  pivot: int
  timeout_ns: int
  bias: bool = False
  scale: bool = False

  def split(self, operands):
    """(lhs, rhs, signals, epoch, bias, scale), None for an absent one."""
    return with_absent(operands, 4, self.bias, self.scale)

  def geometry(self, lhs, rhs, signals) -> Geometry:
    """The `Geometry` of operands of these shapes. signals may be None while unknown."""
    batched = len(lhs) > 2, len(rhs) > 2, signals is not None and len(signals) > 1
    batch = next((x[0] for x, there in zip((lhs, rhs, signals), batched) if there), 1)
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    return dataclasses.replace(
        dense, batch=batch, lhs_batched=batched[0], rhs_batched=batched[1],
        tiles_per_chunk=self.tiles_per_chunk, pivot=self.pivot,
        num_chunks=-1 if signals is None else signals[-1],
        signals_batched=batched[2], timeout_ns=self.timeout_ns)

  def dims(self, lhs, rhs, bias, scale, out) -> Dims:
    """The labels of operands of these shapes, for dense/primitive.py; None for an absent one."""
    batch, m, n, k = range(4)
    lhs_labels = (m, k) if self.lhs_contracting else (k, m)
    rhs_labels = (n, k) if self.rhs_contracting else (k, n)

    def lead(shape, labels):
      return (batch, *labels) if len(shape) > len(labels) else labels

    def vector(shape, size):
      if shape is None:
        return None
      labels = (n,) if shape[-1] == size else ()
      return (batch, *labels) if len(shape) > 1 else labels

    return Dims(lead(lhs, lhs_labels), lead(rhs, rhs_labels), lead(out, (m, n)),
                vector(bias, out[-1]), vector(scale, out[-1]))


STATUS_BYTES = 4

chunked_p = Primitive("jaxgemm_chunked")
chunked_p.multiple_results = True


def chunked(lhs, rhs, signals, epoch, bias=None, scale=None, *, form: ChunkedParams,
            spec: Spec) -> list[jax.Array]:
  """Binds chunked_p: [out, status], or [out, preact, status] with spec.save_preact."""
  form = form._replace(bias=bias is not None, scale=scale is not None)
  operands = [x for x in (lhs, rhs, signals, epoch, bias, scale) if x is not None]
  return chunked_p.bind(*unify_varying(operands), form=form, spec=spec)


def plan_chunked(operands, form: ChunkedParams, spec: Spec, target: str) -> dict:
  """The plan of a call with operands of these shapes and dtypes.

  Raises:
    ValueError: see `plan_call`; or lhs would have to be converted for the kernel.
  """
  lhs, rhs, signals = operands[:3]
  geometry = form.geometry(lhs.shape, rhs.shape, signals and signals.shape)
  planned = plan_call(geometry, lhs.dtype, rhs.dtype, spec, target, bias=form.bias,
                      scale=form.scale)
  if planned["operand_dtypes"][0] != lhs.dtype or planned["passes"] != 1:
    raise ValueError(
        f"lhs is {lhs.dtype.name} and rhs {rhs.dtype.name}, which the kernels multiply "
        f"as {planned['operand_dtypes'][0].name}; lhs cannot be converted before it has "
        "arrived. Let the producer write that type, or convert rhs.")
  return planned


@chunked_p.def_abstract_eval
def _abstract_eval(*operands, form, spec):
  lhs, rhs, signals = operands[:3]
  require_plan(spec, lambda target: plan_chunked(operands, form, spec, target))
  shape = form.geometry(lhs.shape, rhs.shape, signals.shape).out_shape()
  status, = out_avals(lhs, (STATUS_BYTES,), Spec(jnp.dtype(jnp.uint8)))
  return [*out_avals(lhs, shape, spec), status]


run_by_jit(chunked_p)


def require_local(ctx, what: str) -> None:
  """Raises ValueError if XLA may partition the program that is lowered."""
  if meshes.may_be_partitioned(ctx):
    raise ValueError(
        f"{what} is in a program for several devices, where XLA would gather arrays "
        "that have not arrived yet. Use it inside jax.shard_map, where it is local.")


def _lowering(ctx, *operands, form, spec):
  require_local(ctx, "a product of chunks")
  # XLA may put the call into a command buffer if no copy of start_copy sets signals.
  of_others = calls.are_of_others(operands[2], ctx.module_context.module)
  target = CALL_TARGET if of_others else CHUNKED_TARGET
  outs = on_each_platform(ctx, _lower_call, *operands, form=form, spec=spec, call_target=target)
  return calls.keep_source(ctx, operands, outs)


def _lower_call(ctx, *operands, form, spec, call_target, platform):
  lhs, rhs, signals = ctx.avals_in[:3]
  plan_chunked(ctx.avals_in, form, spec, spec.target(platform))
  geometry = form.geometry(lhs.shape, rhs.shape, signals.shape)
  return lower_call(ctx, *operands, geometry=geometry, spec=spec, bias=form.bias,
                    scale=form.scale, platform=platform, call_target=call_target)


register_in_place(chunked_p, _lowering)


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
  dims = form.dims(*(x if x is None else x.shape for x in (lhs, rhs, bias, scale)),
                   outs[0].shape)
  if scale is not None:
    scale, d_scale = (_as_labelled(x, dims.scale) for x in (scale, d_scale))
  d_z = tangent_of_sums(
      jaxgemm_arrived(lhs, status), rhs, scale, None, d_lhs, d_rhs, d_bias, d_scale, None,
      dims=dims, spec=spec, shape=outs[0].shape, bind=functools.partial(contract, partition=False))
  d_outs = epilogue.tangents(d_z, outs, spec)
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
