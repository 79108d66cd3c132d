"""The common part of ragged_dot, ragged_dot_general and ragged_gated_linear_unit.

A call is checked as jax checks its own calls, arranged for the kernels (layout.py)
and bound as `ragged_p` (primitive.py), or left to `jax.lax.ragged_dot_general`.
"""

import dataclasses
import functools
import math

import jax
import jax.numpy as jnp

from jaxgemm.call import fallback, jax_products
from jaxgemm.call.config import check_activation, resolve
from jaxgemm.call.dtypes import for_jax
from jaxgemm.call.fallback import leaves_to_xla, support
from jaxgemm.call.options import (
  array_argument,
  check_hashable,
  check_options,
  emulated_arch,
  operand_argument,
  use_emulator,
)
from jaxgemm.call.precision import hashable
from jaxgemm.call.spec import Spec
from jaxgemm.call.transposes import INLINE
from jaxgemm.dense.api import dot_general
from jaxgemm.dense.dimensions import preferred_of_scaled, result_type
from jaxgemm.dense.vectors import Scales
from jaxgemm.grouped import layout as grouped_layout
from jaxgemm.grouped import sharding, xla
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
  is_ragged_batch,
)
from jaxgemm.grouped.group_sizes import given_groups
from jaxgemm.grouped.primitive import finish, ragged, ragged_local
from jaxgemm.grouped.vectors import place_vectors
from jaxgemm.sharding import mesh as meshes


def ragged_result(lhs, rhs, group_sizes, numbers, precision=None,
                  preferred_element_type=None, group_offset=None, out_sharding=None,
                  num_local_groups=None, gated=False, scaled=False,
                  **buffers) -> tuple[jax.core.ShapedArray, int]:
  """Checks the arrays of a call. Returns (type of the result, number of groups computed).

  Args:
    gated: see `_call`.
    scaled: whether an operand has scales.
    buffers: accumulate and rhs_grad, or None, by name.

  Raises:
    TypeError, ValueError: jax's own errors, or an array does not fit the call.
  """
  check_arrays(numbers, lhs, rhs, group_sizes, group_offset=group_offset, **buffers)
  if gated:
    rhs = _half(rhs)
  groups = group_sizes.shape[-1]
  local = groups
  check_num_local_groups(num_local_groups, groups, group_offset is not None)
  if group_offset is not None:
    local = groups if num_local_groups is None else num_local_groups
    if len(numbers.rhs_group_dimensions) == 1 and (
        0 <= numbers.rhs_group_dimensions[0] < rhs.ndim):
      local = rhs.shape[numbers.rhs_group_dimensions[0]]
    check_num_groups(local, groups, has_offset=True)
    group_sizes = jax.ShapeDtypeStruct(
        (*group_sizes.shape[:-1], local), group_sizes.dtype)
  elif len(numbers.rhs_group_dimensions) == 1 and (
      numbers.rhs_group_dimensions[0] in _free_of_rhs(numbers, rhs.ndim)):
    check_num_groups(rhs.shape[numbers.rhs_group_dimensions[0]], groups)
  preferred = preferred_of_scaled(preferred_element_type, lhs, rhs, scaled)
  if buffers.get("accumulate") is not None and preferred is None:
    preferred = jnp.float32
  # jax 0.10.0 has no out_sharding.
  sharded = {} if out_sharding is None else {"out_sharding": out_sharding}
  result = result_type(
      lambda lhs, rhs, group_sizes: jax_products.ragged_dot_general(
          *for_jax(lhs, rhs, preferred), group_sizes, numbers, precision, preferred, **sharded),
      lhs, rhs, group_sizes)
  return result, local


def _free_of_rhs(numbers, rank: int) -> list[int]:
  """The dimensions of rhs that are neither contracted nor a batch. The groups are one of them."""
  (_, contracted), (_, batch) = numbers.dot_dimension_numbers
  return [i for i in range(rank) if i not in (*contracted, *batch)]


_STATIC = ("gated", "numbers", "precision", "preferred_element_type", "out_sharding",
           "num_local_groups", "activation", "schedule", "reduction", "deterministic",
           "config", "implementation")


def call(lhs, rhs, group_sizes, group_offset, bias, scale, scale_lhs=None, scale_rhs=None, *,
         precision=None, **options):
  """A grouped product; see `jaxgemm.ragged_dot_general` and `_call` for its arguments."""
  check_options(**options)
  check_numbers(options.get("numbers", BASIC))
  check_hashable("num_local_groups", options.get("num_local_groups"), "an int is allowed, or None")
  lhs, rhs = operand_argument("lhs", lhs), operand_argument("rhs", rhs)
  for name in ("accumulate", "rhs_grad"):
    if options.get(name) is not None:
      options[name] = operand_argument(name, options[name])
  return _call(
      lhs, rhs, *given_groups(group_sizes, group_offset), array_argument("bias", bias),
      array_argument("scale", scale), array_argument("scale_lhs", scale_lhs),
      array_argument("scale_rhs", scale_rhs), precision=hashable(precision), **options)


@functools.partial(jax.jit, static_argnames=_STATIC, inline=INLINE)
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
  wanted, local_groups = ragged_result(
      lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset,
      out_sharding, num_local_groups, gated, scale_lhs is not None or scale_rhs is not None,
      accumulate=accumulate, rhs_grad=rhs_grad)
  out_dtype = wanted.dtype
  (contracting, _), _ = numbers.dot_dimension_numbers
  ragged_dimension, = numbers.lhs_ragged_dimensions
  check_extent(lhs.shape[ragged_dimension])
  contracted = ragged_dimension in contracting
  if contracted:
    check_contracted(bias=bias, scale=scale, scale_lhs=scale_lhs, scale_rhs=scale_rhs,
                     activation=activation)
  if gated and jnp.issubdtype(out_dtype, jnp.integer):
    raise ValueError(
        f"the result of a gate has dtype {out_dtype.name}; a float is allowed. Pass "
        "preferred_element_type=jnp.float32, for example.")
  if accumulate is not None:
    check_accumulate(accumulate, contracted, wanted, preferred_element_type)
  if rhs_grad is not None:
    check_rhs_grad(rhs_grad, lhs, rhs)
  bias, scale, row_scale = place_vectors(
      bias, Scales(scale, scale_lhs, scale_rhs), lhs, rhs, numbers, local_groups, gated, out_dtype)
  partition = meshes.needs_partitioning_rule(resolved.partition)
  resolved = dataclasses.replace(resolved, partition=partition)
  spec = Spec(out_dtype, activation, config=resolved, deterministic=deterministic,
              weak_type=wanted.weak_type, emulated=emulated)

  k = math.prod(lhs.shape[i] for i in contracting)
  dtypes, reason = support(lhs, rhs, out_dtype, k, precision, emulated, splits=False)
  by_xla = leaves_to_xla(implementation, reason)
  if emulated is not None:
    use_emulator()
  layout = grouped_layout.arrange(lhs.shape, rhs.shape, numbers, local_groups, gated)
  row_scale = grouped_layout.rows(row_scale, layout)

  def on_kernels(mesh, lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate,
                 rhs_grad):
    if mesh is not None:
      layout.check_explicit(rhs_grad is not None)
    lhs, rhs = (x if x.dtype == dtype else x.astype(dtype) for x, dtype in zip((lhs, rhs), dtypes))
    operands = grouped_layout.operands(lhs, rhs, group_sizes, layout)
    buffer = rhs_grad
    if accumulate is not None and not layout.is_summed:
      buffer = grouped_layout.addend(accumulate, layout)
    kernel_spec = spec.accumulator(lhs, rhs) if layout.is_summed else spec
    if mesh is not None:
      return sharding.explicit(
          mesh, *operands, group_offset, buffer, bias, scale, row_scale, form=layout.form,
          spec=kernel_spec, compute=ragged_local, finish=finish, result=wanted)
    out, = ragged(*operands, group_offset, bias, scale, row_scale, buffer=buffer,
                  form=layout.form, spec=kernel_spec)
    out = grouped_layout.result(out, layout, out_dtype)
    return accumulate + out if accumulate is not None and layout.is_summed else out

  def on_xla(*operands):
    with fallback.on_xla(implementation, reason):
      return xla.result(*operands, numbers=numbers, layout=layout, spec=spec,
                        precision=precision)

  arrays = lhs, rhs, group_sizes, group_offset, bias, scale, row_scale, accumulate, rhs_grad
  compute, by_types = (
      (on_xla, None) if by_xla else (functools.partial(on_kernels, None), on_kernels))
  return meshes.on_mesh(compute, by_types, arrays, resolved.partition, wanted)


def call_general(lhs, rhs, group_sizes, group_offset, bias, scale, scale_lhs, scale_rhs, *,
                 numbers, **options):
  """`call` for any dimension numbers."""
  check_numbers(numbers)
  fun = _call_of_batches if is_ragged_batch(numbers) else call
  return fun(lhs, rhs, group_sizes, group_offset, bias, scale, scale_lhs, scale_rhs,
             numbers=numbers, **options)


def _call_of_batches(lhs, rhs, group_sizes, group_offset, bias, scale, scale_lhs, scale_rhs, *,
                     numbers, precision, preferred_element_type, out_sharding, num_local_groups,
                     accumulate, **options):
  """A product whose ragged dimension is a batch dimension. The group sizes have no effect."""
  lhs, rhs = operand_argument("lhs", lhs), operand_argument("rhs", rhs)
  group_sizes, group_offset = given_groups(group_sizes, group_offset)
  ragged_result(lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset,
                out_sharding, num_local_groups, accumulate=accumulate)
  check_ragged_batch(group_offset=group_offset, bias=bias, scale=scale, scale_lhs=scale_lhs,
                     scale_rhs=scale_rhs, accumulate=accumulate)
  return dot_general(lhs, rhs, numbers.dot_dimension_numbers, precision, preferred_element_type,
                     out_sharding=out_sharding, **options)


def _half(rhs) -> jax.core.ShapedArray:
  """The type of rhs with one matrix for each group, in place of gate and up."""
  if rhs.ndim != 4 or rhs.shape[2] != 2:
    raise TypeError(
        f"rhs has shape {rhs.shape}; (G, K, 2, N) is allowed, with the matrices of the gate in "
        "rhs[:, :, 0] and those of up in rhs[:, :, 1]. Pass jnp.stack([gate, up], axis=2).")
  return result_type(lambda rhs: rhs[:, :, 0], rhs)
