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

The modes are closed under differentiation, by layout: the gradients of mode "m" are
mode "m" over rhs's other dimension, and mode "k"; those of mode "k" are mode "m".
"""

import dataclasses
import functools
from typing import NamedTuple

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching
import jax.numpy as jnp

from jaxgemm import _ffi, epilogue
from jaxgemm.contract import unify_varying
from jaxgemm.gemm import (
    Geometry, Spec, lower_call, out_avals, plan, register_lowerings, require_built
)


class Form(NamedTuple):
  """What a grouped product's operands are; see above."""

  mode: str
  lhs_contracting: int = 1
  rhs_contracting: int = 0
  local_groups: int = 0
  offset: bool = False
  bias: bool = False
  scale: bool = False

  def split(self, operands):
    """(lhs, rhs, sizes, offset, bias, scale), None for what there is not."""
    lhs, rhs, sizes, *rest = operands
    rest = iter(rest)
    return lhs, rhs, sizes, *(next(rest) if there else None
                              for there in (self.offset, self.bias, self.scale))

  def ranks(self) -> tuple[int, int, int]:
    """Dimensions of lhs, rhs and the sizes without a batch."""
    return 2, 3 if self.mode == "m" else 2, 1

  def geometry(self, lhs, rhs, sizes) -> Geometry:
    """Of operands with these shapes."""
    ranks = zip((lhs, rhs, sizes), self.ranks(), strict=True)
    batched = [len(shape) > rank for shape, rank in ranks]
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    batch = next((x[0] for x, there in zip((lhs, rhs, sizes), batched) if there), 1)
    return dataclasses.replace(
        dense, batch=batch, lhs_batched=batched[0], rhs_batched=batched[1],
        sizes_batched=batched[2], ragged=self.mode, groups=sizes[-1],
        local_groups=self.local_groups, group_offset=self.offset)


ragged_p = Primitive("jaxgemm_ragged")
ragged_p.multiple_results = True


def ragged(lhs, rhs, sizes, offset=None, bias=None, scale=None, *, form: Form,
           spec: Spec) -> list[jax.Array]:
  """Binds ragged_p: [out], or [out, preact] where spec.save_preact.

  Args:
    form: mode and layouts; which operands there are is filled in here.
  """
  form = form._replace(offset=offset is not None, bias=bias is not None,
                       scale=scale is not None)
  if form.mode == "m":
    form = form._replace(local_groups=rhs.shape[-3])
  operands = [x for x in (lhs, rhs, sizes, offset, bias, scale) if x is not None]
  return ragged_p.bind(*unify_varying(operands), form=form, spec=spec)


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


def local_sizes(sizes, offset, local_groups: int) -> jax.Array:
  """int32[..., 1 + L]: all the rows before the local groups, and these groups'."""
  groups = sizes.shape[-1]
  first = jnp.clip(offset[0], 0, groups)
  before = jnp.where(jnp.arange(groups) < first, jnp.maximum(sizes, 0), 0)
  padded = jnp.concatenate(
      [sizes, jnp.zeros((*sizes.shape[:-1], local_groups), sizes.dtype)], axis=-1)
  local = lax.dynamic_slice_in_dim(padded, first, local_groups, axis=-1)
  return jnp.concatenate([before.sum(-1, keepdims=True, dtype=jnp.int32), local], -1)


def groups_of_rows(sizes, offset, local_groups: int, count: int) -> jax.Array:
  """int32[..., count]: each row's local group, and L for rows of none."""
  if offset is None:
    sizes = jnp.pad(sizes, [(0, 0)] * (sizes.ndim - 1) + [(1, 0)])
  else:
    sizes = local_sizes(sizes, offset, local_groups)
  ends = jnp.cumsum(jnp.maximum(sizes, 0), -1)
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
  if spec.emulated or platform in _ffi.platforms():
    # The lowering makes the plan again: made here, its error is raised by the call.
    target = spec.target(platform)
    require_built(plan_ragged(operands, form, spec, target), target)
  return out_avals(lhs, geometry.out_shape(), spec)


@functools.lru_cache(maxsize=1024)
def _jitted(**params):
  return jax.jit(functools.partial(ragged_p.bind, **params))


@ragged_p.def_impl
def _impl(*operands, **params):
  return _jitted(**params)(*operands)


def _lowering(ctx, *operands, form, spec, platform):
  geometry = form.geometry(*(x.shape for x in ctx.avals_in[:3]))
  return lower_call(ctx, *operands, geometry=geometry, spec=spec, bias=form.bias,
                    scale=form.scale, platform=platform)


register_lowerings(ragged_p, _lowering)


def _jvp(primals, tangents, *, form, spec):
  lhs, rhs, sizes, offset, bias, scale = form.split(primals)
  d_lhs, d_rhs, _, _, d_bias, d_scale = (
      None if type(t) is ad.Zero else t for t in form.split(tangents))
  product = functools.partial(ragged, form=form)
  if not jnp.issubdtype(spec.out_dtype, jnp.inexact):
    outs = product(*form.split(primals), spec=spec)
    return outs, [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in outs]

  saves = spec.save_preact or spec.activation is not None
  outs = product(*form.split(primals),
                 spec=dataclasses.replace(spec, save_preact=saves))
  rows = functools.partial(rows_of, sizes=sizes, offset=offset,
                           count=outs[0].shape[-2], spec=spec)
  # The tangent of z = scale * acc + bias.
  terms = []
  for left, right in ((d_lhs, rhs), (lhs, d_rhs)):
    if left is not None and right is not None:
      terms += product(left, right, sizes, offset, None, scale,
                       spec=spec.for_gradient(spec.out_dtype))
  if d_scale is not None:
    # Not from the saved value: that would divide by the scale, which may be zero.
    acc, = product(lhs, rhs, sizes, offset, spec=spec.for_gradient(jnp.float32))
    terms.append(acc * rows(d_scale, dtype=jnp.float32))
  if d_bias is not None:
    d_rows = rows(d_bias, dtype=spec.out_dtype)
    terms.append(jnp.broadcast_to(d_rows, outs[0].shape))
  d_z = functools.reduce(jnp.add, terms)
  return outs[:1 + spec.save_preact], epilogue.tangents(d_z, outs, spec)


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
  return lhs, rhs


def transposed_gradients(form: Form) -> tuple[bool, bool]:
  """Whether lhs's gradient, and rhs's, has to be transposed by a copy."""
  return tuple(transposed for *_, transposed in _gradient_products(form))


def _transpose(cotangents, *operands, form, spec):
  # Only what _jvp binds gets here: no bias, no activation, one result.
  ct, = cotangents
  lhs, rhs, sizes, offset, _, scale = form.split(operands)
  gradients = [None] * len(operands)
  if type(ct) is ad.Zero:
    return gradients
  if scale is not None:
    factor = rows_of(scale, sizes, offset, ct.shape[-2], jnp.float32, spec)
    ct = (ct.astype(jnp.float32) * factor).astype(ct.dtype)
  index = 0 if ad.is_undefined_primal(lhs) else 1
  wanted = operands[index].aval
  left, right, product, transposed = _gradient_products(form)[index]
  arrays = {"lhs": lhs, "rhs": rhs, "ct": ct}
  # An operand that the batch shares gets the sum over it.
  shared = (wanted.ndim == form.ranks()[index]
            and ct.ndim > (2 if form.mode == "m" else 3))
  dtype = jnp.float32 if shared else wanted.dtype
  out, = ragged(arrays[left], arrays[right], sizes, offset, form=product,
                spec=spec.for_gradient(dtype))
  if shared:
    out = out.sum(0).astype(wanted.dtype)
  gradients[index] = jnp.swapaxes(out, -1, -2) if transposed else out
  return gradients


ad.primitive_transposes[ragged_p] = _transpose


def _outside(*operands, form: Form, spec: Spec):
  """The product with the epilogue outside the kernel."""
  lhs, rhs, sizes, offset, bias, scale = form.split(operands)
  z, = ragged(lhs, rhs, sizes, offset, form=form, spec=spec.accumulator(lhs, rhs))
  rows = functools.partial(rows_of, sizes=sizes, offset=offset, count=z.shape[-2],
                           spec=spec)
  if scale is not None:
    z = z * rows(scale, dtype=jnp.float32)
  if bias is not None:
    z = z + rows(bias, dtype=jnp.float32)
  # Zero where there is no group, as every activation of zero is.
  out = epilogue.activate(z, spec.activation).astype(spec.out_dtype)
  return [out, z.astype(spec.out_dtype)] if spec.save_preact else [out]


def _without_offset(*operands, form: Form, spec: Spec):
  """The product with the offset put into the sizes."""
  lhs, rhs, sizes, offset, bias, scale = form.split(operands)
  sizes = local_sizes(sizes, offset, form.local_groups)
  return ragged(lhs, rhs, sizes, jnp.ones(1, jnp.int32), bias, scale, form=form,
                spec=spec)


def _batch(operands, axes, *, form, spec):
  *_, offset_axis, bias_axis, scale_axis = form.split(axes)
  for fun, needed in ((_outside, (bias_axis, scale_axis) != (None, None)),
                      (_without_offset, offset_axis is not None)):
    if needed:
      fun = functools.partial(fun, form=form, spec=spec)
      outs = jax.vmap(fun, tuple(axes))(*operands)
      return outs, [0] * len(outs)

  arrays, others = operands[:3], operands[3:]
  axes = axes[:3]
  bind = functools.partial(ragged_p.bind, form=form, spec=spec)
  new, = {x.shape[axis] for x, axis in zip(arrays, axes) if axis is not None}
  olds = {x.shape[axis == 0] for x, axis, rank in zip(arrays, axes, form.ranks())
          if x.ndim - (axis is not None) > rank}
  if not olds:
    if _is_among_rows(arrays, axes, form):
      lhs, rhs, sizes = arrays
      count = lhs.shape[axes[0] - 1]
      shape = (*lhs.shape[:axes[0] - 1], count * new, *lhs.shape[axes[0] + 1:])
      sizes = jnp.clip(sizes, 0, count) * new
      outs = bind(lhs.reshape(shape), rhs, sizes, *others)
      return [x.reshape(count, new, x.shape[-1]) for x in outs], [1] * len(outs)
    arrays = [x if axis is None else jnp.moveaxis(x, axis, 0)
              for x, axis in zip(arrays, axes)]
    outs = bind(*arrays, *others)
    return outs, [0] * len(outs)

  # Two batch dimensions become one, in the order that most elements have already.
  old, = olds
  behind = sum(x.size * (2 * (axis == 1) - 1) for x, axis, rank in zip(
      arrays, axes, form.ranks()) if axis is not None and x.ndim > rank + 1) > 0
  folded = []
  for x, axis, rank in zip(arrays, axes, form.ranks()):
    if axis is not None or x.ndim > rank:
      lacks_old = axis is not None and x.ndim == rank + 1
      if axis is None:
        x = jnp.expand_dims(x, int(behind))
      elif lacks_old:
        x = jnp.expand_dims(jnp.moveaxis(x, axis, 0), 1 - behind)
      else:
        x = jnp.moveaxis(x, axis, int(behind))
      shape = (old, new) if behind else (new, old)
      x = jnp.broadcast_to(x, shape + x.shape[2:])
      x = x.reshape(old * new, *x.shape[2:])
    folded.append(x)
  outs = bind(*folded, *others)
  shape = (old, new) if behind else (new, old)
  return [x.reshape(shape + x.shape[1:]) for x in outs], [int(behind)] * len(outs)


batching.primitive_batchers[ragged_p] = _batch


def _is_among_rows(arrays, axes, form: Form) -> bool:
  # Then it is part of the rows, of which each group has so many times more.
  lhs_axis, *other_axes = axes
  return (form.mode == "m" and other_axes == [None, None]
          and lhs_axis == (1 if form.lhs_contracting else 2))
