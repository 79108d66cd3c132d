"""ragged_dot and ragged_dot_general: grouped products by this package's kernels."""

import functools

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi, epilogue, ragged_layout, sharding
from jaxgemm import ragged_batching  # pylint: disable=unused-import
from jaxgemm.config import ACTIVATIONS, GemmConfig, check_choice, resolve
from jaxgemm.gemm import Spec
from jaxgemm.matmul import (
    beside, dot_general, emulated_arch, epilogue_values, unsupported, warn_once
)
from jaxgemm.ragged import groups_of_rows, local_sizes, ragged
from jaxgemm.ragged_layout import RaggedLayout

# lax.ragged_dot as ragged_dot_general.
BASIC = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))


def ragged_result(lhs, rhs, group_sizes, numbers, precision=None,
                  preferred_element_type=None, group_offset=None, out_sharding=None,
                  num_local_groups=None) -> tuple[jax.ShapeDtypeStruct, int]:
  """Shape and dtype of the result, and how many groups a call computes.

  Raises:
    TypeError, ValueError: jax's own, and where the offset does not fit.
  """
  groups = group_sizes.shape[-1] if group_sizes.ndim else 0
  local = groups
  if num_local_groups is not None and (
      group_offset is None or not 0 <= num_local_groups <= groups):
    raise ValueError(
        f"num_local_groups={num_local_groups} was given; 0 to {groups} are allowed, "
        "and a group_offset with it. Leave it out to compute all groups.")
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
  result = jax.eval_shape(
      lambda lhs, rhs, group_sizes: lax.ragged_dot_general(
          lhs, rhs, group_sizes, numbers, precision, preferred_element_type,
          out_sharding=out_sharding),
      lhs, rhs, group_sizes)
  return result, local


def _int32(sizes, extent: int):
  """Group sizes or an offset as int32: what is larger than the extent, as that."""
  if sizes.dtype == jnp.int32:
    return sizes
  if sizes.dtype.itemsize >= 4:
    sizes = jnp.minimum(sizes, extent)
  return sizes.astype(jnp.int32)


def _per_group(name: str, x, layout: RaggedLayout, dtype, scalar: bool):
  """A bias or scale as [L, N] (scale: or [L, 1]); None if x is."""
  if x is None:
    return None
  x = jnp.asarray(x)
  groups, columns = layout.form.local_groups, layout.shape(layout.n)
  allowed = [(groups, *columns), columns]
  if scalar:
    allowed += [(), (1,), (groups, *(1 for _ in columns))]
  if layout.form.mode == "k" or x.shape not in allowed:
    shapes = " or ".join(map(str, dict.fromkeys(allowed)))
    raise ValueError(
        f"{name} has shape {x.shape}; allowed are {shapes} (groups and rhs's columns), "
        "and only where the ragged dimension is not contracted. Reshape it, or apply "
        "it to the result.")
  x = epilogue_values(name, x, dtype)
  if x.shape == (groups, *columns):
    return jnp.reshape(x, (groups, layout.count(layout.n)))
  width = -1 if x.shape == columns else 1
  x = jnp.reshape(x, (-1, layout.count(layout.n) if width < 0 else 1))
  return jnp.broadcast_to(x, (groups, x.shape[1]))


def _xla(lhs, rhs, group_sizes, group_offset, bias, scale, *, numbers, layout, spec,
         precision, out_sharding):
  """By lax.ragged_dot_general; the epilogue is applied to its result."""
  form = layout.form
  plain = bias is None and scale is None and spec.activation is None
  acc_dtype = spec.out_dtype
  if not plain:
    narrow = jnp.int32 if jnp.issubdtype(acc_dtype, jnp.integer) else jnp.float32
    acc_dtype = jnp.promote_types(acc_dtype, narrow)
  sizes = group_sizes
  if group_offset is not None:
    # A group in front of the others takes the rows before theirs.
    sizes = local_sizes(sizes, group_offset, form.local_groups)
    if form.mode == "m":
      axis, = numbers.rhs_group_dimensions
      rhs = jnp.pad(rhs, [(int(i == axis), 0) for i in range(rhs.ndim)])
  out = lax.ragged_dot_general(lhs, rhs, sizes, numbers, precision, acc_dtype,
                               out_sharding=out_sharding)
  if form.mode == "k":
    return out if group_offset is None else out[1:]
  if plain and group_offset is None:
    return out
  rows = groups_of_rows(group_sizes, group_offset, form.local_groups,
                        lhs.shape[layout.ragged])

  def expand(x, columns):  # along out's dimensions
    inner = (1,) * len(layout.inner)
    return jnp.reshape(x, (*rows.shape, *inner, *columns))

  n = layout.shape(layout.n)
  one = (1,) * len(n)
  for name, x in (("scale", scale), ("bias", bias)):
    if x is not None:
      columns = n if x.shape[1] == layout.count(layout.n) else one
      x = expand(jnp.pad(x, ((0, 1), (0, 0)))[rows], columns)
      out = out * x if name == "scale" else out + x
  # Before the activation, which is zero there, as its gradient's factor has to be.
  out = jnp.where(expand(rows < form.local_groups, one), out, 0)
  return epilogue.activate(out, spec.activation).astype(spec.out_dtype)


_STATIC = ("numbers", "precision", "preferred_element_type", "out_sharding",
           "num_local_groups", "activation", "schedule", "reduction", "deterministic",
           "config", "implementation")


@functools.partial(jax.jit, static_argnames=_STATIC, inline=True)
def _ragged_dot(lhs, rhs, group_sizes, group_offset, bias, scale, *, numbers, precision,
                preferred_element_type, out_sharding, num_local_groups, activation,
                schedule, reduction, deterministic, config, implementation):
  check_choice("activation", activation, ACTIVATIONS)
  emulated = emulated_arch(implementation)
  resolved = resolve(config, schedule, reduction, deterministic)
  wanted, local_groups = ragged_result(
      lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset,
      out_sharding, num_local_groups)
  if ragged_layout.is_ragged_batch(numbers):
    if not all(x is None for x in (group_offset, bias, scale)):
      raise ValueError(
          "group_offset, bias or scale was given, and the ragged dimension is a batch "
          "dimension, of which the groups change nothing. Leave them out.")
    return dot_general(
        lhs, rhs, numbers.dot_dimension_numbers, precision, preferred_element_type,
        out_sharding=out_sharding, activation=activation, config=resolved,
        deterministic=deterministic, implementation=implementation)

  out_dtype = wanted.dtype
  layout = ragged_layout.arrange(lhs.shape, rhs.shape, numbers, local_groups)
  if layout.form.mode == "k" and activation is not None:
    raise ValueError(
        f"activation={activation!r} was given, and the ragged dimension is contracted; "
        "None is allowed. Apply it to the result.")
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  bias = _per_group("bias", bias, layout, jnp.int32 if integer else jnp.float32, False)
  scale = _per_group("scale", scale, layout, jnp.float32, True)
  group_sizes = _int32(group_sizes, lhs.shape[layout.ragged])
  if group_offset is not None:
    group_offset = _int32(group_offset, group_sizes.shape[-1])
  spec = Spec(out_dtype, activation, config=resolved, deterministic=deterministic,
              weak_type=wanted.weak_type, emulated=emulated)

  reason = unsupported(lhs, rhs, out_dtype, precision, emulated)
  if implementation == "xla" or (implementation is None and reason):
    if implementation is None:
      warn_once(reason)
    return _xla(lhs, rhs, group_sizes, group_offset, bias, scale, numbers=numbers,
                layout=layout, spec=spec, precision=precision,
                out_sharding=out_sharding)
  if reason:
    raise ValueError(
        f"implementation={implementation!r} was given, but {reason}. Pass other "
        "operands, or implementation=None to let XLA compute this.")
  if emulated is not None:
    _ffi.use_emulator()

  def bind(lhs, rhs, group_sizes, group_offset, bias, scale):
    lhs, rhs = beside(lhs, rhs), beside(rhs, lhs)
    left, right, sizes = ragged_layout.operands(lhs, rhs, group_sizes, layout)
    summed = layout.form.mode == "k" and layout.outer
    kernel_spec = spec.accumulator(lhs, rhs) if summed else spec
    out, = ragged(left, right, sizes, group_offset, bias, scale, form=layout.form,
                  spec=kernel_spec)
    return ragged_layout.result(out, layout, out_dtype)

  if sharding.is_explicit():
    bind = jax.sharding.auto_axes(bind, out_sharding=wanted.sharding)
  return bind(lhs, rhs, group_sizes, group_offset, bias, scale)


def ragged_dot(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.lax.ragged_dot` with an epilogue, for mixtures of experts.

  The rows of lhs are cut into consecutive groups, each with an rhs of its own:
  activation(scale[g] * (lhs[rows of g] @ rhs[g]) + bias[g]). The sizes stay on the
  device. Groups are cut off at the last row, negative sizes count as zero, and rows
  of no group are zero and never read. Differentiable to any order in lhs, rhs, bias
  and scale, by products over the same groups and without transposed copies; vmap may
  share or batch any operand.

  Args:
    lhs: array of shape (M, K), of the dtypes that `jaxgemm.matmul` takes.
    rhs: array of shape (G, K, N); with a group_offset, of shape (L, K, N), L <= G.
    group_sizes: array of shape (G,), of integers.
    precision: as in `jax.lax.ragged_dot`. float32 is always computed in full.
    preferred_element_type: dtype of the result.
    group_offset: array of shape (1,), an integer from 0 to G: rhs has the groups from
      this one on, of one shard of the experts, say; rows of others are zero.
    out_sharding: as in `jax.lax.ragged_dot`.
    bias: array of shape (L, N), or (N,) for all groups; L is G without an offset.
    scale: array of shape (L, N), (L, 1), (N,), (1,) or ().
    activation: see `jaxgemm.matmul`; the rest likewise.
    schedule: see there.
    reduction: see there.
    deterministic: see there.
    config: see there.
    implementation: see there; "xla" is `jax.lax.ragged_dot`.

  Returns:
    An array of shape (M, N), of the dtype that `jax.lax.ragged_dot` gives.

  Raises:
    ValueError, TypeError: while tracing; jax's own for operands that do not fit
      each other, and others that name what was given and what is allowed.
  """
  return ragged_dot_general(
      lhs, rhs, group_sizes, BASIC, precision, preferred_element_type, group_offset,
      out_sharding, bias=bias, scale=scale, activation=activation, schedule=schedule,
      reduction=reduction, deterministic=deterministic, config=config,
      implementation=implementation)


def ragged_dot_general(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    ragged_dot_dimension_numbers: lax.RaggedDotDimensionNumbers,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
    num_local_groups: int | None = None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.lax.ragged_dot_general`, with the options of `jaxgemm.ragged_dot`.

  Dimensions that are not in an order that the kernels read are transposed;
  `jaxgemm.explain` says so. Where the ragged dimension is a batch dimension, this is
  `jaxgemm.dot_general`, as in jax.

  Args:
    lhs: array of any rank.
    rhs: array of any rank.
    group_sizes: integers, of shape (G,) or as in `jax.lax.ragged_dot_general`.
    ragged_dot_dimension_numbers: a `jax.lax.RaggedDotDimensionNumbers`.
    precision: see `jaxgemm.ragged_dot`.
    preferred_element_type: dtype of the result.
    group_offset: see `jaxgemm.ragged_dot`; for contracted groups see the next.
    out_sharding: as in `jax.lax.ragged_dot_general`.
    num_local_groups: where the ragged dimension is contracted, how many groups the
      result has, from group_offset on; default: as many as there are sizes.
    bias: array of shape (L, *columns) or columns, rhs's free dimensions; only where
      the ragged dimension is not contracted, as is scale.
    scale: as bias, or of shape (), (1,) or (L, 1, ...).
    activation: see `jaxgemm.ragged_dot`; the rest likewise.
    schedule: see there.
    reduction: see there.
    deterministic: see there.
    config: see there.
    implementation: see there.

  Returns:
    An array of the shape and dtype that `jax.lax.ragged_dot_general` gives.

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
  """
  return _ragged_dot(
      lhs, rhs, group_sizes, group_offset, bias, scale,
      numbers=ragged_dot_dimension_numbers, precision=precision,
      preferred_element_type=preferred_element_type, out_sharding=out_sharding,
      num_local_groups=num_local_groups, activation=activation, schedule=schedule,
      reduction=reduction, deterministic=deterministic, config=config,
      implementation=implementation)
