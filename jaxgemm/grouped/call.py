"""The common part of ragged_dot, ragged_dot_general and ragged_gated_linear_unit.

A call is checked as jax checks its own calls, arranged for the kernels (layout.py)
and bound as `ragged_p` (primitive.py), or left to `jax.lax.ragged_dot_general`.
"""

import dataclasses
import functools
import math
import operator

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi, epilogue, fallback
from jaxgemm import mesh as meshes
from jaxgemm.config import check_activation, resolve
from jaxgemm.dense.api import dot_general
from jaxgemm.dense.dimensions import result_type
from jaxgemm.dense.vectors import epilogue_values
from jaxgemm.dtypes import preferred_of_scaled, promote_with, xla_accumulator_dtype
from jaxgemm.fallback import leaves_to_xla, unsupported_reason, xla_operands
from jaxgemm.grouped import layout as grouped_layout
from jaxgemm.grouped import sharding
from jaxgemm.grouped.checks import (
  BASIC,
  check_accumulate,
  check_arrays,
  check_contracted,
  check_extent,
  check_num_groups,
  check_num_local_groups,
  check_numbers,
  check_ragged_batch,
  check_rhs_grad,
)
from jaxgemm.grouped.group_sizes import clamp_sizes, groups_of_rows, local_sizes
from jaxgemm.grouped.layout import RaggedLayout
from jaxgemm.grouped.primitive import finish, merge_columns, ragged, ragged_local
from jaxgemm.options import array_argument, check_hashable, check_options, emulated_arch
from jaxgemm.precision import hashable
from jaxgemm.spec import Spec


def ragged_result(lhs, rhs, group_sizes, numbers, precision=None,
                  preferred_element_type=None, group_offset=None, out_sharding=None,
                  num_local_groups=None, gated=False,
                  **buffers) -> tuple[jax.core.ShapedArray, int]:
  """Checks the arrays of a call: (type of the result, number of groups computed).

  Args:
    buffers: accumulate and rhs_grad, or None, by name.

  Raises:
    TypeError, ValueError: jax's own errors, and for an offset that does not fit.
  """
  check_arrays(numbers, lhs, rhs, group_sizes, group_offset=group_offset, **buffers)
  if gated:
    rhs = _half(rhs)
  groups = group_sizes.shape[-1] if group_sizes.ndim else 0
  local = groups
  check_num_local_groups(num_local_groups, groups, group_offset is not None)
  if group_offset is not None:
    if group_offset.shape != (1,) or not jnp.issubdtype(
        group_offset.dtype, jnp.integer):
      raise TypeError(
          f"group_offset has shape {group_offset.shape} and dtype "
          f"{group_offset.dtype.name}; one integer, of shape (1,), is allowed. Pass "
          "jnp.array([offset]).")
    local = groups if num_local_groups is None else num_local_groups
    if len(numbers.rhs_group_dimensions) == 1 and (
        0 <= numbers.rhs_group_dimensions[0] < rhs.ndim):
      local = rhs.shape[numbers.rhs_group_dimensions[0]]
    if local > groups:
      raise TypeError(
          f"rhs has {local} groups and group_sizes {groups}; with a group_offset rhs "
          "may have fewer, those from the offset on. Pass the sizes of all groups.")
    group_sizes = jax.ShapeDtypeStruct(
        (*group_sizes.shape[:-1], local), group_sizes.dtype)
  elif len(numbers.rhs_group_dimensions) == 1 and (
      numbers.rhs_group_dimensions[0] in _free_of_rhs(numbers, rhs.ndim)):
    check_num_groups(rhs.shape[numbers.rhs_group_dimensions[0]], groups)
  # jax 0.10.0 has no out_sharding.
  sharded = {} if out_sharding is None else {"out_sharding": out_sharding}
  result = result_type(
      lambda lhs, rhs, group_sizes: lax.ragged_dot_general(
          lhs, rhs, group_sizes, numbers, precision, preferred_element_type, **sharded),
      lhs, rhs, group_sizes)
  return result, local


def _free_of_rhs(numbers, rank: int) -> list[int]:
  """rhs's dimensions that are neither contracted nor batch; its groups are one of them."""
  (_, contracted), (_, batch) = numbers.dot_dimension_numbers
  return [i for i in range(rank) if i not in (*contracted, *batch)]


def _int32(sizes, extent: int):
  """Group sizes or an offset as int32; uint32 and wider are clamped to [0, extent]."""
  if sizes.dtype == jnp.int32:
    return sizes
  if sizes.dtype.itemsize >= 4:
    sizes = jnp.clip(sizes, 0, extent)
  return sizes.astype(jnp.int32)


def _columns(layout: RaggedLayout) -> tuple[int, ...]:
  """rhs's free dimensions, as the caller sees them."""
  n = layout.shape(layout.n)
  return (2, n[0] // 2) if layout.form.gated else n


def _per_group(name: str, x, layout: RaggedLayout, dtype, scalar: bool):
  """A bias or scale as [groups, N] (scale: or [groups, 1]); None if x is None.

  With a gate: as [groups, 2, N] (or [groups, 1, 1]).
  """
  if x is None:
    return None
  x = jnp.asarray(x)
  groups, columns = layout.form.local_groups, _columns(layout)
  allowed = [(groups, *columns), columns]
  if scalar:
    allowed += [(), (1,), (groups, *(1 for _ in columns))]
  if x.shape not in allowed:
    shapes = " or ".join(map(str, dict.fromkeys(allowed)))
    raise ValueError(
        f"{name} has shape {x.shape}; allowed are {shapes} (groups and rhs's columns). "
        "Reshape it, or apply it to the result.")
  x = epilogue_values(name, x, dtype)
  leads = x.ndim > len(columns) and x.shape[0] == groups
  has_columns = x.shape in ((groups, *columns), columns)
  if not layout.form.gated:
    columns = (layout.count(layout.n),)
  if not has_columns:
    columns = (1,) * len(columns)
  x = jnp.reshape(x, (groups if leads else 1, *columns))
  return jnp.broadcast_to(x, (groups, *columns))


def _rows_scale(x, lhs, numbers, layout: RaggedLayout):
  """scale_lhs as [M] or [B, M], or [1] for one value; None if x is None."""
  if x is None:
    return None
  x = jnp.asarray(x)
  (contracting, _), _ = numbers.dot_dimension_numbers
  free = tuple(n for i, n in enumerate(lhs.shape) if i not in contracting)
  keepdims = tuple(1 if i in contracting else n for i, n in enumerate(lhs.shape))
  broadcasts = len(x.shape) == len(keepdims) and all(
      n in (1, full) for n, full in zip(x.shape, keepdims))
  if x.shape not in ((), (1,), free) and not broadcasts:
    raise ValueError(
        f"scale_lhs has shape {x.shape} for an lhs of shape {lhs.shape}; (), (1,), {free} or "
        f"{keepdims} is allowed: one value, or one for each row. Reshape it.")
  x = epilogue_values("scale_lhs", x, jnp.float32)
  if x.size == 1:
    return jnp.reshape(x, (1,))
  x = jnp.reshape(jnp.broadcast_to(x, keepdims) if broadcasts else x, free)
  labels = tuple(i for i in range(lhs.ndim) if i not in contracting)
  return grouped_layout.rows(x, labels, layout)


def _columns_scale(x, rhs, numbers, layout: RaggedLayout):
  """scale_rhs in one of the shapes of scale: without rhs's dimensions of k and batch, of size 1."""
  if x is None:
    return None
  x = jnp.asarray(x)
  (_, contracting), (_, batch) = numbers.dot_dimension_numbers
  if x.ndim != rhs.ndim:
    return x
  keepdims = tuple(1 if i in (*contracting, *batch) else n for i, n in enumerate(rhs.shape))
  if not all(n in (1, full) for n, full in zip(x.shape, keepdims)):
    raise ValueError(
        f"scale_rhs has shape {x.shape} for an rhs of shape {rhs.shape}; {keepdims} is allowed, "
        "where any size may be 1, or a shape that scale may have: one value for each group and "
        "column. The kernels have no scale that varies along k or along a batch dimension. Reshape "
        "it, or dequantise rhs.")
  groups = layout.form.local_groups
  if x.size == 1:
    return jnp.reshape(x, ())
  of_group = numbers.rhs_group_dimensions[0]
  columns = [i for i in range(rhs.ndim) if i not in (*contracting, *batch, of_group)]
  shape = [rhs.shape[i] if any(x.shape[j] != 1 for j in columns) else 1 for i in columns]
  x = jnp.transpose(x, [of_group, *columns, *contracting, *batch])
  return jnp.broadcast_to(jnp.reshape(x, x.shape[:1 + len(columns)]), (groups, *shape))


def _xla(lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, *, numbers, layout, spec,
         precision):
  """Calls lax.ragged_dot_general and applies the epilogue to its result."""
  form = layout.form
  no_epilogue = (bias is None and scale is None and row_scale is None
                 and spec.activation is None and not form.gated)
  acc_dtype = spec.out_dtype
  if not no_epilogue:
    acc_dtype = xla_accumulator_dtype(acc_dtype)
  # jax's own sums of sizes would wrap and would include negative sizes.
  sizes = clamp_sizes(group_sizes, lhs.shape[layout.ragged])
  if group_offset is not None:
    # One more group, in front of the local groups, takes the rows before theirs.
    sizes = local_sizes(sizes, group_offset, form.local_groups)
    if form.mode == "m":
      axis, = numbers.rhs_group_dimensions
      rhs = jnp.pad(rhs, [(int(i == axis), 0) for i in range(rhs.ndim)])
  lhs, rhs, sizes = _batched_alike(lhs, rhs, sizes)
  lhs, rhs = xla_operands(lhs, rhs, acc_dtype)
  out = lax.ragged_dot_general(lhs, rhs, sizes, numbers, precision, acc_dtype)
  if form.mode == "k":
    return out if group_offset is None else out[1:]
  if no_epilogue and group_offset is None:
    return out
  rows = groups_of_rows(group_sizes, group_offset, form.local_groups,
                        lhs.shape[layout.ragged])

  def expand(x, columns):  # along out's dimensions
    inner = (1,) * len(layout.inner)
    return jnp.reshape(x, (*rows.shape, *inner, *columns))

  n = layout.shape(layout.n)
  one = (1,) * len(n)
  if row_scale is not None and row_scale.shape != (1,):
    row_scale = jnp.reshape(row_scale, (*out.shape[:out.ndim - len(n)], *one))
  out = out if row_scale is None else out * row_scale
  for name, x in (("scale", scale), ("bias", bias)):
    if x is not None:
      x = jnp.reshape(x, merge_columns(x.shape)) if form.gated else x
      columns = n if x.shape[1] == layout.count(layout.n) else one
      x = expand(jnp.pad(x, ((0, 1), (0, 0)))[rows], columns)
      out = out * x if name == "scale" else out + x
  # Rows of no group are zero before the activation: so is its result, and, with a gate,
  # the factor of its gradient.
  out = jnp.where(expand(rows < form.local_groups, one), out, 0)
  if form.gated:
    out = jnp.reshape(out, (*out.shape[:-1], *_columns(layout)))
  return epilogue.activate(out, spec.activation, form.gated).astype(spec.out_dtype)


def _batched_alike(*arrays):
  """The same arrays; under vmap all or none are batched, as lax's rule requires."""
  # Always false, but it depends on each array. XLA drops it.
  never = functools.reduce(operator.or_, ((x != x).any() for x in arrays)) & False
  return [jnp.where(never, jnp.zeros_like(x), x) for x in arrays]


@jax.custom_vjp
def _constant(rhs, rhs_grad):
  """rhs as a constant: the gradient of rhs_grad is rhs_grad plus rhs's gradient."""
  del rhs_grad
  return rhs


_constant.defvjp(lambda rhs, rhs_grad: (rhs, rhs_grad),
                 lambda rhs_grad, ct: (None, rhs_grad + ct.astype(jnp.float32)))


_STATIC = ("gated", "numbers", "precision", "preferred_element_type", "out_sharding",
           "num_local_groups", "activation", "schedule", "reduction", "deterministic",
           "config", "implementation")


def call(lhs, rhs, group_sizes, group_offset, bias, scale, scale_lhs=None, scale_rhs=None, *,
         precision=None, **options):
  """A grouped product; see `jaxgemm.ragged_dot` for its arguments, and `_call`."""
  check_options(**options)
  check_numbers(options.get("numbers", BASIC))
  check_hashable("num_local_groups", options.get("num_local_groups"), "an int is allowed, or None")
  return _call(
      lhs, rhs, group_sizes, group_offset, array_argument("bias", bias),
      array_argument("scale", scale), array_argument("scale_lhs", scale_lhs),
      array_argument("scale_rhs", scale_rhs), precision=hashable(precision), **options)


@functools.partial(jax.jit, static_argnames=_STATIC, inline=True)
def _call(lhs, rhs, group_sizes, group_offset=None, bias=None, scale=None, scale_lhs=None,
          scale_rhs=None, accumulate=None, rhs_grad=None, *, gated=False, numbers=BASIC,
          precision=None, preferred_element_type=None, out_sharding=None,
          num_local_groups=None, activation=None, schedule=None, reduction=None,
          deterministic=False, config=None, implementation=None):
  """See `call`.

  Args:
    gated: rhs has shape (G, K, 2, N), and numbers are BASIC.
  """
  check_activation(activation)
  emulated = emulated_arch(implementation)
  resolved = resolve(config, schedule, reduction, deterministic)
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs, group_sizes, group_offset, accumulate, rhs_grad = jax.tree.map(
      jnp.asarray, (lhs, rhs, group_sizes, group_offset, accumulate, rhs_grad))
  preferred = preferred_of_scaled(preferred_element_type, lhs, rhs, scale_lhs, scale_rhs)
  if accumulate is not None and preferred is None:
    preferred = jnp.float32
  wanted, local_groups = ragged_result(
      lhs, rhs, group_sizes, numbers, precision, preferred, group_offset, out_sharding,
      num_local_groups, gated, accumulate=accumulate, rhs_grad=rhs_grad)
  if grouped_layout.is_ragged_batch(numbers):
    check_ragged_batch(group_offset=group_offset, bias=bias, scale=scale, scale_lhs=scale_lhs,
                       scale_rhs=scale_rhs, accumulate=accumulate)
    return dot_general(
        lhs, rhs, numbers.dot_dimension_numbers, precision, preferred_element_type,
        out_sharding=out_sharding, activation=activation, config=resolved,
        deterministic=deterministic, implementation=implementation)

  out_dtype = wanted.dtype
  layout = grouped_layout.arrange(lhs.shape, rhs.shape, numbers, local_groups, gated)
  check_extent(lhs.shape[layout.ragged])
  contracted = layout.form.mode == "k"
  if contracted:
    check_contracted(bias=bias, scale=scale, scale_lhs=scale_lhs, scale_rhs=scale_rhs,
                     activation=activation)
  if scale is not None and scale_rhs is not None:
    raise ValueError(
        "scale and scale_rhs were given; both have values for groups and columns, and the kernels "
        "take one of the two. Multiply them.")
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  if gated and integer:
    raise ValueError(
        f"the result of a gate has dtype {out_dtype.name}; a float is allowed. Pass "
        "preferred_element_type=jnp.float32, say.")
  if accumulate is not None:
    check_accumulate(accumulate, contracted, wanted, preferred_element_type)
  if rhs_grad is not None:
    check_rhs_grad(rhs_grad, lhs, rhs)
  bias = _per_group("bias", bias, layout, jnp.int32 if integer else jnp.float32, False)
  name = "scale" if scale_rhs is None else "scale_rhs"
  scale = scale if scale_rhs is None else _columns_scale(scale_rhs, rhs, numbers, layout)
  scale = _per_group(name, scale, layout, jnp.float32, True)
  row_scale = _rows_scale(scale_lhs, lhs, numbers, layout)
  group_sizes = _int32(group_sizes, lhs.shape[layout.ragged])
  if group_offset is not None:
    group_offset = _int32(group_offset, group_sizes.shape[-1])
  partition = meshes.needs_partitioning_rule(resolved.partition)
  resolved = dataclasses.replace(resolved, partition=partition)
  spec = Spec(out_dtype, activation, config=resolved, deterministic=deterministic,
              weak_type=wanted.weak_type, emulated=emulated)

  (contracting, _), _ = numbers.dot_dimension_numbers
  k = math.prod(lhs.shape[i] for i in contracting)
  reason = unsupported_reason(lhs, rhs, out_dtype, k, precision, emulated, splits=False)
  by_xla = leaves_to_xla(implementation, reason)
  if emulated is not None:
    _ffi.use_emulator()

  def on_xla(lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate, rhs_grad):
    if rhs_grad is not None:
      rhs = _constant(rhs, rhs_grad)
    if gated:
      rhs = jnp.reshape(rhs, merge_columns(rhs.shape))
    with fallback.on_xla(implementation, reason):
      out = _xla(lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, numbers=numbers,
                 layout=layout, spec=spec, precision=precision)
    return out if accumulate is None else accumulate + out

  def on_kernels(lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate,
                 rhs_grad):
    lhs, rhs = promote_with(lhs, rhs), promote_with(rhs, lhs)
    operands = grouped_layout.operands(lhs, rhs, group_sizes, layout)
    kernel_spec = spec.accumulator(lhs, rhs) if layout.is_summed else spec
    buffer = rhs_grad
    if accumulate is not None and not layout.is_summed:
      buffer = grouped_layout.addend(accumulate, layout)
    if mesh is not None:
      return sharding.explicit(
          mesh, *operands, group_offset, buffer, bias, scale, row_scale, form=layout.form,
          spec=kernel_spec, compute=ragged_local, finish=finish, result=wanted)
    out, = ragged(*operands, group_offset, bias, scale, row_scale, buffer=buffer,
                  form=layout.form, spec=kernel_spec)
    out = grouped_layout.result(out, layout, out_dtype)
    return accumulate + out if accumulate is not None and layout.is_summed else out

  compute = on_xla if by_xla else on_kernels
  mesh = meshes.explicit_mesh(
      lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate, rhs_grad)
  if mesh is not None and (by_xla or mesh.auto_axes or mesh.manual_axes
                           or meshes.is_vmapped(spec.config.partition)):
    compute = meshes.with_automatic_axes(mesh, compute, wanted)
    mesh = None  # inside `compute` all axes are automatic
  elif mesh is not None:
    _check_explicit(layout, rhs_grad)
  return compute(
      lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate, rhs_grad)


def _check_explicit(layout: RaggedLayout, rhs_grad) -> None:
  """Raises ValueError for calls that are not supported on explicit mesh axes."""
  reason = None
  if rhs_grad is not None:
    reason = "rhs_grad was given"
  elif not layout.is_unfolded:
    reason = "lhs or rhs has a batch, or several dimensions of one kind"
  if reason is not None:
    raise ValueError(
        f"{reason}, and the mesh has explicit axes; that is allowed on automatic axes "
        "and inside jax.shard_map. Use jax.shard_map.")


def _half(rhs) -> jax.ShapeDtypeStruct:
  """Shape and dtype of one of the two matrices of each group."""
  if rhs.ndim != 4 or rhs.shape[2] != 2:
    raise TypeError(
        f"rhs has shape {rhs.shape}; (G, K, 2, N) is allowed, rhs[:, :, 0] the gate's "
        "matrices and rhs[:, :, 1] the others. Stack them along axis 2.")
  return jax.eval_shape(lambda rhs: rhs[:, :, 0], rhs)
