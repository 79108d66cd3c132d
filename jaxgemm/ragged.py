"""The primitive of grouped products: consecutive groups of rows, or of k.

`ragged_p` has two modes. group_sizes int32[G] (or [B, G]) cuts a dimension of lhs into
consecutive groups, of which the call computes L, those from group_offset on:

  "m"  lhs [M, K], rhs [L, K, N] -> out [M, N]: each group's rows have an rhs of their
       own. Rows of no such group are zero, whatever bias and activation are.
  "k"  lhs [M, K], rhs [K, N] -> out [L, M, N]: each group sums over its own range of k.

lhs may be [K, M] (lhs_contracting 0) and rhs [N, K] (rhs_contracting 1); every operand
may have a batch dimension in front or be shared by the batch. Groups are cut off at the
end of the dimension, negative sizes count as zero, and a group that is not there is
empty. bias [L, N] and scale [L, N] or [L, 1] belong to mode "m".

There may be a float32 buffer. In mode "k" it is like out, and the product is added to
it, in place. In mode "m" it is like rhs, which is then a constant; the buffer stands
for it where the call is differentiated: its tangent is rhs's, and its gradient is the
buffer with rhs's gradient added to it, in mode "k" with the same buffer.

Mode "m" may be `gated`: of the value before the activation, z [M, 2N], out [M, N] is
activation(z[:, :N]) * z[:, N:]. With a buffer it is `paired`, as what its gradients
need: mode "m"'s rhs, or mode "k"'s out, and the buffer have (2, N) for 2N as their last
dimensions. XLA would copy a buffer if it were reshaped before it is added to.

The modes are closed under differentiation, by layout: the gradients of mode "m" are
mode "m" over rhs's other dimension, and mode "k"; those of mode "k" are mode "m". The
rules for vmap are in ragged_batching.py.
"""

import dataclasses
import functools
from typing import NamedTuple

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, mlir
import jax.numpy as jnp

from jaxgemm import _ffi, epilogue
from jaxgemm.contract import unify_varying
from jaxgemm.gemm import (
    Geometry, Spec, lower_call, out_avals, plan, register_lowerings, require_built
)


def merge_columns(shape) -> tuple[int, ...]:
  """A shape with its last two dimensions as one."""
  return (*shape[:-2], shape[-2] * shape[-1])


class Form(NamedTuple):
  """What a grouped product's operands are; see above.

  Attributes:
    paired: what has groups has two dimensions for its columns.
    accumulate: whether there is a buffer.
    tangent: rhs is the tangent of the buffer, in which the call is linear.
  """

  mode: str
  lhs_contracting: int = 1
  rhs_contracting: int = 0
  local_groups: int = 0
  paired: bool = False
  gated: bool = False
  tangent: bool = False
  offset: bool = False
  accumulate: bool = False
  bias: bool = False
  scale: bool = False

  def split(self, operands):
    """(lhs, rhs, sizes, offset, buffer, bias, scale), None for what there is not."""
    lhs, rhs, sizes, *rest = operands
    rest = iter(rest)
    there = self.offset, self.accumulate, self.bias, self.scale
    return lhs, rhs, sizes, *(next(rest) if x else None for x in there)

  def buffer_index(self) -> int:
    """Where the buffer is among the operands."""
    return 3 + self.offset

  def ranks(self) -> tuple[int, int, int, int]:
    """Dimensions of lhs, rhs, the sizes and the buffer without a batch."""
    return 2, 3 + self.paired if self.mode == "m" else 2, 1, 3 + self.paired

  def geometry(self, lhs, rhs, sizes) -> Geometry:
    """Of operands with these shapes."""
    batched = [len(x) > rank for x, rank in zip((lhs, rhs, sizes), self.ranks())]
    rhs = self.merged(rhs) if self.mode == "m" else rhs
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    batch = next((x[0] for x, there in zip((lhs, rhs, sizes), batched) if there), 1)
    return dataclasses.replace(
        dense, batch=batch, n=dense.n // 2 if self.gated else dense.n,
        lhs_batched=batched[0], rhs_batched=batched[1], sizes_batched=batched[2],
        ragged=self.mode, groups=sizes[-1], local_groups=self.local_groups,
        group_offset=self.offset, gated=self.gated,
        accumulate=self.accumulate and self.mode == "k")


  def merged(self, shape) -> tuple[int, ...]:
    """The shape of what has groups, as the kernel sees it."""
    return merge_columns(shape) if self.paired else shape

  def split_columns(self, shape) -> tuple[int, ...]:
    """The opposite of `merged`."""
    return (*shape[:-1], 2, shape[-1] // 2) if self.paired else shape


ragged_p = Primitive("jaxgemm_ragged")
ragged_p.multiple_results = True


def ragged(lhs, rhs, sizes, offset=None, bias=None, scale=None, *, buffer=None,
           form: Form, spec: Spec) -> list[jax.Array]:
  """Binds ragged_p: [out], or [out, preact] where spec.save_preact.

  Args:
    form: mode, layouts and whether it is gated; which operands there are is filled in
      here.

  Raises:
    NotImplementedError: in mode "m", devices of a shard_map share the buffer.
  """
  form = form._replace(offset=offset is not None, accumulate=buffer is not None,
                       bias=bias is not None, scale=scale is not None,
                       tangent=form.tangent and buffer is not None)
  if form.mode == "m":
    form = form._replace(local_groups=rhs.shape[-3 - form.paired])
  operands = [x for x in (lhs, rhs, sizes, offset, buffer, bias, scale)
              if x is not None]
  operands = unify_varying(operands)
  if (form.accumulate and form.mode == "m"
      and operands[form.buffer_index()] is not buffer):
    raise NotImplementedError(
        "rhs_grad is one array for all devices along an axis of jax.shard_map along "
        "which other operands differ; the gradient would have it once for each device. "
        "Give each device a buffer of its own (in_specs, or jax.lax.pcast(rhs_grad, "
        "axis, to='varying') outside of jax.grad) and sum them in the end.")
  return ragged_p.bind(*operands, form=form, spec=spec)


def rows_of(values, sizes, offset, count: int, dtype, spec: Spec) -> jax.Array:
  """[count, N]: the row of values [L, N] of each row's group; zero without one.

  A product with ones, for its transpose, the sums over the rows of each group, has to
  be one as well.
  """
  if jnp.issubdtype(values.dtype, jnp.integer):
    # Exactly; integers have no gradient.
    padded = jnp.pad(values, ((0, 1), (0, 0)))
    return padded[groups_of_rows(sizes, offset, values.shape[0], count)]
  ones = jnp.ones((count, 1), dtype)
  return ragged(ones, values[..., None, :], sizes, offset, form=Form("m"),
                spec=spec.for_gradient(dtype))[0]


def ends_of_groups(sizes, extent: int = 2**31 - 1) -> jax.Array:
  """int32[..., G]: where each group ends; sums that are larger are the extent."""
  # So written, the sum of two is in range before it is cut off.
  add = lambda x, y: x + jnp.minimum(y, extent - x)
  return lax.associative_scan(add, jnp.clip(sizes, 0, extent), axis=sizes.ndim - 1)


def cut_sizes(sizes, extent: int) -> jax.Array:
  """int32[..., G]: sizes of which none is negative, and their sum at most extent."""
  ends = ends_of_groups(sizes, extent)
  return jnp.diff(ends, prepend=jnp.zeros_like(ends[..., :1]))


def local_sizes(sizes, offset, local_groups: int) -> jax.Array:
  """int32[..., 1 + L]: all the rows before the local groups, and these groups'."""
  groups = sizes.shape[-1]
  first = jnp.clip(offset[0], 0, groups)
  ends = jnp.pad(ends_of_groups(sizes), [(0, 0)] * (sizes.ndim - 1) + [(1, 0)])
  before = lax.dynamic_slice_in_dim(ends, first, 1, axis=-1)
  padded = jnp.concatenate(
      [sizes, jnp.zeros((*sizes.shape[:-1], local_groups), sizes.dtype)], axis=-1)
  local = lax.dynamic_slice_in_dim(padded, first, local_groups, axis=-1)
  return jnp.concatenate([before, local], -1)


def groups_of_rows(sizes, offset, local_groups: int, count: int) -> jax.Array:
  """int32[..., count]: each row's local group, and L for rows of none."""
  if offset is None:
    sizes = jnp.pad(sizes, [(0, 0)] * (sizes.ndim - 1) + [(1, 0)])
  else:
    sizes = local_sizes(sizes, offset, local_groups)
  ends = ends_of_groups(sizes)
  rows = jnp.arange(count)[:, None]
  group = (rows >= ends[..., None, :]).sum(-1, dtype=jnp.int32) - 1
  return jnp.where(group < 0, local_groups, group)


def plan_ragged(operands, form: Form, spec: Spec, target: str) -> dict:
  """The plan of a call with operands of these shapes and dtypes.

  Raises:
    ValueError: see `plan`.
  """
  lhs, rhs, sizes = operands[:3]
  geometry = form.geometry(lhs.shape, rhs.shape, sizes.shape)
  return plan(geometry, lhs.dtype, rhs.dtype, spec, form.bias, form.scale, target)


@ragged_p.def_abstract_eval
def _abstract_eval(*operands, form, spec):
  lhs, rhs, sizes = operands[:3]
  geometry = form.geometry(lhs.shape, rhs.shape, sizes.shape)
  platform = _ffi.default_platform()
  # What is linear in a buffer's tangent is transposed, as a rule, and never run.
  if not form.tangent and (spec.emulated or platform in _ffi.platforms()):
    # The lowering makes the plan again: made here, its error is raised by the call.
    target = spec.target(platform)
    require_built(plan_ragged(operands, form, spec, target), target)
  shape = geometry.out_shape()
  if form.mode == "k":
    return out_avals(lhs, form.split_columns(shape), spec)
  outs = out_avals(lhs, shape, spec)
  if form.gated:
    outs[1:] = [x.update(shape=(*shape[:-1], 2 * shape[-1])) for x in outs[1:]]
  return outs


@functools.lru_cache(maxsize=1024)
def _jitted(**params):
  return jax.jit(functools.partial(ragged_p.bind, **params))


@ragged_p.def_impl
def _impl(*operands, **params):
  return _jitted(**params)(*operands)


def _lowering(ctx, *operands, form, spec, platform):
  geometry = form.geometry(*(x.shape for x in ctx.avals_in[:3]))
  if form.accumulate and not geometry.accumulate:  # it is for the gradient
    def drop(values):
      return [x for i, x in enumerate(values) if i != form.buffer_index()]

    operands, ctx = drop(operands), ctx.replace(avals_in=drop(ctx.avals_in))
  if form.paired and form.mode == "m":
    operands, ctx = _with_merged_rhs(operands, ctx, form)
  return lower_call(ctx, *operands, geometry=geometry, spec=spec, bias=form.bias,
                    scale=form.scale, platform=platform)


def _with_merged_rhs(operands, ctx, form):
  lhs_aval, rhs_aval, *avals = ctx.avals_in
  lhs, rhs, *rest = operands
  merged = rhs_aval.update(shape=form.merged(rhs_aval.shape))
  reshape = mlir.lower_fun(lambda x: jnp.reshape(x, merged.shape),
                           multiple_results=False)
  rhs, = reshape(ctx.replace(avals_in=[rhs_aval], avals_out=[merged]), rhs)
  return [lhs, rhs, *rest], ctx.replace(avals_in=[lhs_aval, merged, *avals])


register_lowerings(ragged_p, _lowering)


def _jvp(primals, tangents, *, form, spec):
  lhs, rhs, sizes, offset, buffer, bias, scale = form.split(primals)
  d_lhs, d_rhs, _, _, d_buffer, d_bias, d_scale = (
      None if type(t) is ad.Zero else t for t in form.split(tangents))
  call = functools.partial(ragged, lhs, rhs, sizes, offset, bias, scale,
                           buffer=buffer, form=form)
  if not jnp.issubdtype(spec.out_dtype, jnp.inexact):
    outs = call(spec=spec)
    return outs, _zeros(outs)

  saves = spec.save_preact or spec.activation is not None or form.gated
  outs = call(spec=dataclasses.replace(spec, save_preact=saves))
  rows = functools.partial(rows_of, sizes=sizes, offset=offset,
                           count=outs[0].shape[-2], spec=spec)
  product = functools.partial(ragged, sizes=sizes, offset=offset,
                              form=form._replace(gated=False, tangent=True))
  of_rhs = d_rhs, None
  if form.accumulate and form.mode == "m":
    of_rhs = d_rhs if form.tangent else d_buffer, buffer
  # The tangent of z = scale * acc + bias, or of buffer + acc.
  terms = []
  for left, right, added in ((d_lhs, rhs, None), (lhs, *of_rhs)):
    if left is not None and right is not None:
      terms += product(left, right, scale=scale, buffer=added,
                       spec=spec.for_gradient(spec.out_dtype))
  if d_buffer is not None and form.mode == "k":
    terms.append(d_buffer)
  if d_scale is not None:
    # Not from the saved value: that would divide by the scale, which may be zero.
    acc, = product(lhs, rhs, spec=spec.for_gradient(jnp.float32))
    terms.append(acc * rows(d_scale, dtype=jnp.float32))
  if d_bias is not None:
    terms.append(rows(d_bias, dtype=spec.out_dtype))
  results = outs[:1 + spec.save_preact]
  if not terms:
    return results, _zeros(results)
  # One of them may lack the batch: bias's, and a buffer's that the batch shares.
  d_z = functools.reduce(jnp.add, [jnp.broadcast_to(x, outs[-1].shape) for x in terms])
  return results, epilogue.tangents(d_z, outs, spec, form.gated)


def _zeros(outs):
  return [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in outs]


ad.primitive_jvps[ragged_p] = _jvp


def _gradient_products(form: Form):
  """How the gradients of lhs and of rhs are products.

  Returns:
    For each: the two operands' names, their form, and whether the result has to be
    transposed.
  """
  of_lhs, of_rhs = form.lhs_contracting, form.rhs_contracting
  if form.mode == "m":
    lhs = ("ct", "rhs", Form("m", 1, 1 - of_rhs), of_lhs == 0)
    if of_rhs == 0:
      rhs = ("lhs", "ct", Form("k", 1 - of_lhs, 0, form.local_groups), False)
    else:
      rhs = ("ct", "lhs", Form("k", 0, 1 - of_lhs, form.local_groups), False)
  else:
    lhs = ("rhs", "ct", Form("m", 1 - of_rhs, 1), of_lhs == 1)
    rhs = ("lhs", "ct", Form("m", 1 - of_lhs, 0), of_rhs == 1)
  return [(left, right, to._replace(paired=form.paired), transposed)
          for left, right, to, transposed in (lhs, rhs)]


def transposed_gradients(form: Form) -> tuple[bool, bool]:
  """Whether lhs's gradient, and rhs's, has to be transposed by a copy."""
  return tuple(transposed for *_, transposed in _gradient_products(form))


def _transpose(cotangents, *operands, form, spec):
  # Only what _jvp binds gets here: no bias, no activation, one result.
  ct, = cotangents
  lhs, rhs, sizes, offset, buffer, _, scale = form.split(operands)
  gradients = [None] * len(operands)
  index = 0 if ad.is_undefined_primal(lhs) else 1
  wanted = operands[index].aval
  buffer = buffer if form.tangent and index == 1 else None
  if buffer is not None:
    buffer = _batched_as(buffer, wanted)
  if type(ct) is ad.Zero:
    gradients[index] = buffer
    return gradients
  if form.accumulate and form.mode == "k":
    gradients[form.buffer_index()] = ct
  if scale is not None:
    factor = rows_of(scale, sizes, offset, ct.shape[-2], jnp.float32, spec)
    ct = (ct.astype(jnp.float32) * factor).astype(ct.dtype)
  left, right, product, transposed = _gradient_products(form)[index]
  arrays = {"lhs": lhs, "rhs": rhs, "ct": ct}
  # An operand that the batch shares gets the sum over it.
  shared = (wanted.ndim == form.ranks()[index]
            and ct.ndim > (2 if form.mode == "m" else 3 + form.paired))
  dtype = jnp.float32 if shared else wanted.dtype
  out, = ragged(arrays[left], arrays[right], sizes, offset, form=product,
                buffer=None if shared else buffer, spec=spec.for_gradient(dtype))
  if shared:
    out = out.sum(0).astype(wanted.dtype)
    out = out if buffer is None else buffer + out
  gradients[index] = jnp.swapaxes(out, -1, -2) if transposed else out
  return gradients


ad.primitive_transposes[ragged_p] = _transpose


def _batched_as(buffer, wanted):
  if buffer.ndim > wanted.ndim:
    raise NotImplementedError(
        "rhs_grad is batched by jax.vmap and its tangent is not. Batch both.")
  return jnp.broadcast_to(buffer, wanted.shape)
