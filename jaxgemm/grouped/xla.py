"""A grouped product as XLA computes it."""

import functools

import jax
import jax.numpy as jnp

from jaxgemm.call import epilogue, jax_products, xla
from jaxgemm.call.dtypes import for_jax, xla_accumulator_dtype
from jaxgemm.call.group_sizes import clamp_sizes, groups_of_rows, local_sizes
from jaxgemm.call.lower import merge_columns
from jaxgemm.call.spec import Spec
from jaxgemm.grouped.layout import RaggedLayout


def result(lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate, rhs_grad, *,
           numbers, layout: RaggedLayout, spec: Spec, precision) -> jax.Array:
  """The product by lax.ragged_dot_general, and the epilogue by jax.numpy."""
  if rhs_grad is not None:
    rhs = _constant(rhs, rhs_grad)
  form = layout.form
  if form.gated:
    rhs = jnp.reshape(rhs, merge_columns(rhs.shape))
  no_epilogue = (bias is None and scale is None and row_scale is None
                 and spec.activation is None and not form.gated)
  acc_dtype = spec.out_dtype
  if not no_epilogue:
    acc_dtype = xla_accumulator_dtype(acc_dtype)
  # lax.ragged_dot_general adds up the sizes as they are: the sum may overflow, and negative sizes
  # would count.
  count = lhs.shape[layout.ragged]
  sizes = clamp_sizes(group_sizes, count)
  if group_offset is not None:
    # One more group, in front of the local groups, has the rows before these.
    sizes = local_sizes(sizes, group_offset, form.local_groups)
    if form.mode == "m":
      axis, = numbers.rhs_group_dimensions
      rhs = jnp.pad(rhs, [(int(i == axis), 0) for i in range(rhs.ndim)])
  lhs, rhs, sizes = xla.batched_alike(lhs, rhs, sizes)
  lhs, rhs = for_jax(*xla.operands(lhs, rhs, acc_dtype), acc_dtype)
  product = functools.partial(
      jax_products.ragged_dot_general, ragged_dot_dimension_numbers=numbers, precision=precision,
      preferred_element_type=acc_dtype)
  out = xla.bilinear(product, lhs, rhs, sizes)
  if form.mode == "k":
    out = out if group_offset is None else out[1:]
    if row_scale is not None:
      return (out * row_scale[0]).astype(spec.out_dtype)
    return out if accumulate is None else accumulate + out
  if no_epilogue and group_offset is None:
    return out
  return finished(out, group_sizes, group_offset, bias, scale, row_scale, layout=layout, spec=spec)


def finished(out, group_sizes, group_offset, bias, scale, row_scale, *, layout: RaggedLayout,
             spec: Spec) -> jax.Array:
  """The result of a product whose groups cut m, from its sums: gate and up side by side.

  Args:
    bias, scale, row_scale: None for an absent one.
  """
  form = layout.form
  rows = groups_of_rows(group_sizes, group_offset, form.local_groups, out.shape[layout.ragged])

  def expand(x, columns):  # along out's dimensions
    inner = (1,) * len(layout.inner)
    return epilogue.lifted(jnp.reshape(x, (*rows.shape, *inner, *columns)), out.ndim)

  n = layout.shape(layout.n)
  one = (1,) * len(n)
  if row_scale is not None and row_scale.shape != (1,):
    row_scale = jnp.reshape(row_scale, (*out.shape[:out.ndim - len(n)], *one))
  out = out if row_scale is None else out * epilogue.lifted(row_scale, out.ndim)
  for name, x in (("scale", scale), ("bias", bias)):
    if x is not None:
      x = x.astype(out.dtype)  # a bias may be bfloat16, and the sums of its gradient are not
      x = jnp.reshape(x, merge_columns(x.shape)) if form.gated else x
      columns = n if x.shape[1] == layout.count(layout.n) else one
      x = expand(jnp.pad(x, ((0, 1), (0, 0)))[rows], columns)
      out = out * x if name == "scale" else out + x
  # Rows of no group are zero before the activation. So the result is zero, and with a gate the
  # factor in its gradient is zero, too.
  out = jnp.where(expand(rows < form.local_groups, one), out, 0)
  if form.gated:
    out = jnp.reshape(out, (*out.shape[:-1], *layout.columns))
  return epilogue.results(out, spec, form.gated)[0]


@jax.custom_vjp
def _constant(rhs, rhs_grad):
  """rhs as a constant: the gradient of rhs_grad is rhs_grad plus rhs's gradient."""
  del rhs_grad
  return rhs


_constant.defvjp(lambda rhs, rhs_grad: (rhs, rhs_grad),
                 lambda rhs_grad, ct: (None, rhs_grad + ct.astype(jnp.float32)))
