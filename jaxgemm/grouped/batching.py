"""The rules of `ragged_p` (primitive.py) for vmap.

Batched lhs, rhs and sizes become the kernel's batch; operands without a batch stay
shared. If one of lhs, rhs and sizes is batched, row_scale may have the same batch. In the kernel,
bias, scale and the offset have no batch. If one of these is batched, it is applied outside.
"""

import functools

import jax
from jax.interpreters import batching
import jax.numpy as jnp

from jaxgemm.call.spec import Spec
from jaxgemm.grouped.form import GroupedParams
from jaxgemm.grouped.group_sizes import local_sizes
from jaxgemm.grouped.primitive import bind, finish, ragged
from jaxgemm.grouped.product import ragged_p


def _outside(*operands, form: GroupedParams, spec: Spec):
  """The product with its epilogue outside the kernel."""
  lhs, rhs, sizes, offset, buffer, *vectors = form.split(operands)
  z, = ragged(lhs, rhs, sizes, offset, buffer=buffer,
              form=form._replace(gated=False), spec=spec.accumulator(lhs, rhs))
  return finish(z, sizes, offset, *vectors, form=form, spec=spec)


def _without_offset(*operands, form: GroupedParams, spec: Spec):
  """The product with the offset applied to the sizes."""
  lhs, rhs, sizes, offset, buffer, *vectors = form.split(operands)
  sizes = local_sizes(sizes, offset, form.local_groups)
  return ragged(lhs, rhs, sizes, jnp.ones(1, jnp.int32), *vectors, buffer=buffer, form=form,
                spec=spec)


def _added(*operands, form: GroupedParams, spec: Spec):
  """Mode "k": the buffer added to the product outside the kernel."""
  lhs, rhs, sizes, offset, buffer, *_ = form.split(operands)
  out, = ragged(lhs, rhs, sizes, offset, form=form, spec=spec)
  return [buffer + out]


def _batch(operands, axes, *, form, spec, partitioned):
  del partitioned  # `bind` makes another one
  *_, offset_axis, buffer_axis, bias_axis, scale_axis, row_scale_axis = form.split(axes)
  # If only other operands than lhs, rhs and sizes have the new dimension, the product does not.
  others_only = tuple(axes[:3]) == (None,) * 3
  alone = buffer_axis is not None and others_only
  outside = (bias_axis, scale_axis) != (None, None) or (
      row_scale_axis is not None and others_only)
  for fun, needed in ((_outside, outside),
                      (_without_offset, offset_axis is not None),
                      (_added, alone and form.mode == "k")):
    if needed:
      fun = functools.partial(fun, form=form, spec=spec)
      outs = jax.vmap(fun, tuple(axes))(*operands)
      return outs, [0] * len(outs)

  lhs, rhs, sizes, offset, buffer, bias, scale, row_scale = form.split(operands)
  arrays, axes, ranks = [lhs, rhs, sizes], [*axes[:3]], [*form.ranks()[:3]]
  if buffer is not None:
    arrays, axes, ranks = arrays + [buffer], axes + [buffer_axis], ranks + [form.ranks()[3]]
  if row_scale is not None:
    arrays, axes, ranks = arrays + [row_scale], axes + [row_scale_axis], ranks + [1]

  def product(lhs, rhs, sizes, *rest):
    others = rest[:len(rest) - (row_scale is not None)]  # the buffer, if there is one
    given = lhs, rhs, sizes, offset, *others, bias, scale, *rest[len(others):]
    return bind(*(x for x in given if x is not None), form=form, spec=spec)

  new, *_ = {x.shape[axis] for x, axis in zip(arrays, axes) if axis is not None}
  olds = {x.shape[axis == 0] for x, axis, rank in zip(arrays, axes, ranks)
          if x.ndim - (axis is not None) > rank}
  if buffer is not None and form.mode == "m":
    # If the buffer lacked one of the batch dimensions, its gradient would be summed over it.
    dimensions = buffer.ndim - form.ranks()[3]
    if alone or (olds and dimensions == 1):
      raise NotImplementedError(
          "rhs_grad is batched by jax.vmap differently from lhs, rhs and group_sizes; their "
          "batch dimensions are allowed, all of them or none. Batch lhs, too.")
  elif buffer is not None and buffer_axis is None:
    # The result has the new dimension, so the buffer needs it, too.
    arrays[3], axes[3] = jnp.broadcast_to(buffer, (new, *buffer.shape)), 0

  if not olds:
    if _is_among_rows(arrays, axes, form):
      lhs_axis = axes[0]
      count = lhs.shape[lhs_axis - 1]
      shape = (*lhs.shape[:lhs_axis - 1], count * new, *lhs.shape[lhs_axis + 1:])
      sizes = jnp.clip(sizes, 0, count) * new
      rest = [] if buffer is None else [buffer]
      if row_scale is not None:
        rest.append(row_scale if row_scale.shape[-1] == 1 else jnp.repeat(row_scale, new, -1))
      outs = product(lhs.reshape(shape), rhs, sizes, *rest)
      return [x.reshape(count, new, *x.shape[1:]) for x in outs], [1] * len(outs)
    arrays = [x if axis is None else jnp.moveaxis(x, axis, 0)
              for x, axis in zip(arrays, axes)]
    outs = product(*arrays)
    return outs, [0] * len(outs)

  # Two batch dimensions become one, in the order that the most elements already have.
  old, = olds
  behind = sum(x.size * (2 * (axis == 1) - 1) for x, axis, rank in zip(
      arrays, axes, ranks) if axis is not None and x.ndim > rank + 1) > 0
  folded = []
  for x, axis, rank in zip(arrays, axes, ranks):
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
  outs = product(*folded)
  shape = (old, new) if behind else (new, old)
  return [x.reshape(shape + x.shape[1:]) for x in outs], [int(behind)] * len(outs)


batching.primitive_batchers[ragged_p] = _batch


def _is_among_rows(arrays, axes, form: GroupedParams) -> bool:
  """Whether the new dimension follows lhs's rows in memory. It then multiplies all group sizes."""
  lhs_axis, *other_axes = axes
  return (form.mode == "m" and not any(axis is not None for axis in other_axes)
          and lhs_axis == (1 if form.lhs_contracting else 2))
