"""The rules of `ragged_p` (primitive.py) for vmap.

Batched lhs, rhs, sizes and indices become the kernel's batch; operands without a batch stay
shared. If one of lhs, rhs and sizes is batched, row_scale may have the same batch. In the kernel,
bias, scale and the offset have no batch. If one of these is batched, it is applied outside.
"""

import functools

import jax
from jax.interpreters import batching
import jax.numpy as jnp

from jaxgemm.call.group_sizes import local_sizes
from jaxgemm.call.spec import Spec
from jaxgemm.grouped.form import GroupedParams
from jaxgemm.grouped.primitive import bind, finish, ragged
from jaxgemm.grouped.product import ragged_p


def _outside(*operands, form: GroupedParams, spec: Spec):
  """The product with its epilogue outside the kernel."""
  given = form.split(operands)
  z, = ragged(given._replace(bias=None, scale=None, row_scale=None),
              form=form._replace(gated=False), spec=spec.accumulator(given.lhs, given.rhs))
  return finish(z, given.sizes, given.offset, given.bias, given.scale, given.row_scale, form=form,
                spec=spec)


def _without_offset(*operands, form: GroupedParams, spec: Spec):
  """The product with the offset applied to the sizes."""
  given = form.split(operands)
  sizes = local_sizes(given.sizes, given.offset, form.local_groups)
  return ragged(given._replace(sizes=sizes, offset=jnp.ones(1, jnp.int32)), form=form, spec=spec)


def _added(*operands, form: GroupedParams, spec: Spec):
  """Mode "k": the buffer added to the product outside the kernel."""
  given = form.split(operands)
  out, = ragged(given._replace(buffer=None), form=form, spec=spec)
  return [given.buffer + out]


def _batch(operands, axes, *, form, spec, partitioned):
  del partitioned  # `bind` makes another one
  given, of = form.split(operands), form.split(axes)
  # If only other operands than these have the new dimension, the product does not.
  others_only = all(axis is None for axis in (
      of.lhs, of.rhs, of.sizes, of.lhs_indices, of.rhs_indices))
  alone = of.buffer is not None and others_only
  outside = (of.bias, of.scale) != (None, None) or (
      of.row_scale is not None and others_only)
  for fun, needed in ((_outside, outside),
                      (_without_offset, of.offset is not None),
                      (_added, alone and form.mode == "k")):
    if needed:
      fun = functools.partial(fun, form=form, spec=spec)
      outs = jax.vmap(fun, tuple(axes))(*operands)
      return outs, [0] * len(outs)

  # The operands that may have a batch, by their places.
  lhs, sizes, buffer = given.lhs, given.sizes, given.buffer
  names = [name for name, x in given._asdict().items()
           if x is not None and name not in ("offset", "bias", "scale")]
  arrays, axes, ranks = ([getattr(x, name) for name in names] for x in (given, of, form.ranks()))

  def product(*arrays):
    return bind(*given._replace(**dict(zip(names, arrays, strict=True))).there(), form=form,
                spec=spec)

  new, *_ = {x.shape[axis] for x, axis in zip(arrays, axes) if axis is not None}
  olds = {x.shape[axis == 0] for x, axis, rank in zip(arrays, axes, ranks)
          if x.ndim - (axis is not None) > rank}
  if buffer is not None and form.mode == "m":
    # If the buffer lacked one of the batch dimensions, its gradient would be summed over it.
    dimensions = buffer.ndim - form.ranks().buffer
    if alone or (olds and dimensions == 1):
      raise NotImplementedError(
          "rhs_grad is batched by jax.vmap differently from lhs, rhs and group_sizes; their "
          "batch dimensions are allowed, all of them or none. Batch lhs, too.")
  elif buffer is not None and of.buffer is None:
    # The result has the new dimension, so the buffer needs it, too.
    at = names.index("buffer")
    arrays[at], axes[at] = jnp.broadcast_to(buffer, (new, *buffer.shape)), 0

  if not olds:
    if _is_among_rows(axes, form):
      lhs_axis = axes[0]
      count = lhs.shape[lhs_axis - 1]
      shape = (*lhs.shape[:lhs_axis - 1], count * new, *lhs.shape[lhs_axis + 1:])
      sizes = jnp.clip(sizes, 0, count) * new
      changed = dict(zip(names, arrays)) | {"lhs": lhs.reshape(shape), "sizes": sizes}
      row_scale = given.row_scale
      if row_scale is not None and row_scale.shape[-1] > 1:
        changed["row_scale"] = jnp.repeat(row_scale, new, -1)
      outs = product(*changed.values())
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


def _is_among_rows(axes, form: GroupedParams) -> bool:
  """Whether the new dimension follows lhs's rows in memory. It then multiplies all group sizes."""
  lhs_axis, *other_axes = axes
  return (form.mode == "m" and not form.lhs_gathered
          and not any(axis is not None for axis in other_axes)
          and lhs_axis == (1 if form.lhs_contracting else 2))
