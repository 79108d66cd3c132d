"""gmm and tgmm: the grouped products of megablox, computed by this package's kernels.

Megablox is `jax.experimental.pallas.ops.tpu.megablox`, kernels for TPUs; MaxText has a version of
it that takes quantised operands. The functions here have the arguments of both, so that a program
that imports them instead runs on GPUs and CPUs. There are these differences:

* rows of no group are zero; megablox leaves them undefined;
* they have derivatives, for which results have to vary along the mesh axes of their operands.
  megablox's results vary along varying_axes only, which is () if it is not given. A program that
  relies on that, and casts the result of gmm by `jax.lax.pcast`, passes varying_axes=();
* the result of tgmm is summed over the devices along axes that varying_axes leaves out, but with
  check_vma=False nothing is summed;
* group_offset may have the shape () or (1,), and group_sizes any integer dtype;
* operands are arrays, or objects with the attributes qvalue and scale, such as Qwix's `QArray`.
"""

from typing import Any

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.group_sizes import groups_of_rows
from jaxgemm.call.options import dtype_argument, operand_argument
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.grouped.checks import BASIC, K_LAST
from jaxgemm.grouped.group_sizes import given_groups
from jaxgemm.qarray import operand
from jaxgemm.scaled.api import scaled_ragged_dot
from jaxgemm.sharding.manual_axes import unify_varying, varying
from jaxgemm.sharding.parts import names_parts

# lhs [k, m] and rhs [m, n], where the groups cut m.
_CONTRACTED = lax.RaggedDotDimensionNumbers((((1,), (0,)), ((), ())), (1,), ())


def _groups(group_sizes, group_offset):
  """`given_groups`, with an offset of shape () or (1,)."""
  if group_offset is None:
    return given_groups(group_sizes)
  group_offset = operand_argument("group_offset", group_offset)
  if not isinstance(group_offset, jax.Array):
    group_offset = np.asarray(group_offset)
  if group_offset.shape not in ((), (1,)):
    raise ValueError(
        f"group_offset has shape {group_offset.shape}; () or (1,) is allowed. Pass one integer.")
  return given_groups(group_sizes, group_offset.reshape(1))


_retyped_p = Primitive("jaxgemm_retyped")
_retyped_p.def_impl(lambda x, axes: x)
mlir.register_lowering(_retyped_p, lambda ctx, x, axes: [x])
batching.defvectorized(_retyped_p)


@_retyped_p.def_abstract_eval
def _retyped_aval(x, *, axes):
  manual = getattr(x, "manual_axis_type", None)
  if manual is None:  # see `varying`
    return x.update(vma=frozenset(axes))
  return x.update(manual_axis_type=manual.update(varying=frozenset(axes)))


def _not_differentiable(*_, axes):
  raise NotImplementedError(
      f"varying_axes={axes} was given, and the operands vary along more axes. Such a result cannot "
      "be differentiated, only inside a jax.custom_vjp: jax would sum its gradient over these "
      "axes. Leave varying_axes out.")


ad.primitive_jvps[_retyped_p] = _not_differentiable


def _given_axes(axes) -> tuple[str, ...] | None:
  """An argument varying_axes; see `gmm`.

  Raises:
    ValueError: an axis is none of a `jax.shard_map` around the call.
  """
  if axes is None:
    return None
  axes = (axes,) if isinstance(axes, str) else tuple(axes)
  manual = jax.sharding.get_abstract_mesh().manual_axes
  if not {*axes} <= {*manual}:
    raise ValueError(
        f"varying_axes={axes} was given, and the axes of the jax.shard_map around this call are "
        f"{tuple(manual)}; these are allowed. Leave varying_axes out: jax knows along which axes "
        "the operands vary.")
  return axes


def _varying_along(out, axes: tuple[str, ...] | None) -> jax.Array:
  """out, typed so that it varies along `axes` of a `jax.shard_map` only; see `gmm`."""
  if axes is None:
    return out
  out, = unify_varying([out], *axes)
  return _retyped_p.bind(out, axes=axes) if varying(out) - {*axes} else out


def _check_existing(existing_out, shape, dtype) -> None:
  if existing_out is None:
    return
  existing_out = jax.typeof(operand_argument("existing_out", existing_out))
  if existing_out.shape != shape or existing_out.dtype != dtype:
    raise ValueError(
        f"existing_out has shape {existing_out.shape} and dtype {existing_out.dtype.name}; shape "
        f"{shape} and the preferred_element_type {dtype.name} are allowed. Cast it, or "
        "pass its dtype as preferred_element_type.")


@names_parts
def gmm(
    lhs,
    rhs,
    group_sizes: jax.Array,
    preferred_element_type=jnp.float32,
    tiling: Any = None,
    group_offset: jax.Array | None = None,
    existing_out: jax.Array | None = None,
    transpose_rhs: bool = False,
    interpret: bool = False,
    varying_axes: tuple[str, ...] | None = None,
    **options,
) -> jax.Array:
  """lhs[rows of group g] @ rhs[g] for each group g, as megablox's `gmm`.

  Args:
    lhs: array of shape (m, k), or a quantised one; for dtypes see `jaxgemm.matmul`.
    rhs: array of shape (g, k, n), or a quantised one. g may be less than the number of
      group_sizes; see group_offset.
    group_sizes: integer array; see `jaxgemm.ragged_dot`.
    preferred_element_type: dtype of the result.
    tiling: ignored; the plan chooses. Use `config=` to choose tiles.
    group_offset: an integer of shape () or (1,): rhs has the groups from this one on. The default
      is 0. Rows of other groups are zero, or those of existing_out.
    existing_out: array of shape (m, n) and of the preferred_element_type. It has the rows of the
      result that are in no group of rhs.
    transpose_rhs: whether rhs is (g, n, k).
    interpret: ignored.
    varying_axes: the axes of a `jax.shard_map` along which the result's type varies. The default
      is those of the operands. With fewer axes the result cannot be differentiated.
    **options: schedule, reduction, deterministic, config and implementation of
      `jaxgemm.ragged_dot`.

  Returns:
    An array of shape (m, n).

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
  """
  del tiling, interpret
  axes = _given_axes(varying_axes)
  lhs, rhs = operand("lhs", lhs), operand("rhs", rhs)
  group_sizes, offset = _groups(group_sizes, group_offset)
  groups = rhs.values.shape[0]
  if offset is None and groups < group_sizes.shape[0]:
    offset = jnp.zeros(1, jnp.int32)
  of_k = 2 if transpose_rhs else 1
  if lhs.has_blocks([1]) or rhs.has_blocks([of_k]):
    if not transpose_rhs:
      rhs = jax.tree.map(lambda x: x.mT, rhs._replace(dtype=None))
    out = scaled_ragged_dot(
        lhs.values, rhs.values, group_sizes, lhs.spread(0, ones=True),
        rhs.spread(0, 1, ones=True), preferred_element_type, offset, **options)
  else:
    out = ragged_dot_general(
        lhs.values, rhs.values, group_sizes, K_LAST if transpose_rhs else BASIC, None,
        preferred_element_type, offset, scale_lhs=lhs.spread(0),
        scale_rhs=rhs.spread(3 - of_k), **options)
  if existing_out is not None:
    _check_existing(existing_out, out.shape, out.dtype)
    rows = groups_of_rows(group_sizes, offset, groups, out.shape[0])
    out = jnp.where((rows < groups)[:, None], out, existing_out)
  return _varying_along(out, axes)


@names_parts
def tgmm(
    lhs,
    rhs,
    group_sizes: jax.Array,
    preferred_element_type=jnp.float32,
    tiling: Any = None,
    group_offset: jax.Array | None = None,
    num_actual_groups: int | None = None,
    existing_out: jax.Array | None = None,
    interpret: bool = False,
    varying_axes: tuple[str, ...] | None = None,
    **options,
) -> jax.Array:
  """lhs[:, columns of group g] @ rhs[rows of group g] for each group g, as megablox's `tgmm`.

  An operand whose scales vary along m is dequantised to bfloat16 first. Other scales are applied
  to the result.

  Args:
    lhs: array of shape (k, m), or a quantised one; for dtypes see `jaxgemm.matmul`.
    rhs: array of shape (m, n), or a quantised one.
    group_sizes: integer array; see `jaxgemm.ragged_dot`.
    preferred_element_type: dtype of the result.
    tiling: see `gmm`.
    group_offset: an integer of shape () or (1,), the first group of the result.
    num_actual_groups: the number of groups of the result; the default is that of group_sizes.
    existing_out: array of shape (num_actual_groups, k, n) and of the preferred_element_type. The
      product is added to it, in place if it is float32, no operand is quantised, and jax may
      overwrite it.
    interpret: ignored.
    varying_axes: the axes of a `jax.shard_map` along which the result's type varies. The default
      is those of the operands. Along their other axes the product is summed over the devices: it
      is the gradient of weights that are the same there. group_offset may not vary along these.
      With check_vma=False of the `jax.shard_map` nothing is summed: jax does not know then along
      which axes the operands vary. Its own derivative of the `jax.shard_map` sums gradients there.
    **options: see `gmm`.

  Returns:
    An array of shape (num_actual_groups, k, n).

  Raises:
    ValueError: group_offset or existing_out varies along an axis over which the result is summed.
    ValueError, TypeError: see `jaxgemm.ragged_dot_general`.
  """
  del tiling, interpret
  axes = _given_axes(varying_axes)
  dtype = dtype_argument("preferred_element_type", preferred_element_type)
  group_sizes, offset = _groups(group_sizes, group_offset)
  groups = group_sizes.shape[0] if num_actual_groups is None else num_actual_groups
  if offset is None and num_actual_groups is not None:
    offset = jnp.zeros(1, jnp.int32)
  factors = []

  def prepared(name: str, x, contracted: int) -> jax.Array:
    x = operand(name, x)
    if x.has_blocks([contracted]):
      return x.dequantized()
    if x.scales is not None:
      factors.append(x.spread(1 - contracted))
    return x.values

  lhs, rhs = prepared("lhs", lhs, 1), prepared("rhs", rhs, 0)
  shape = (groups, lhs.shape[0], rhs.shape[1])
  _check_existing(existing_out, shape, dtype)
  given = [x for x in (lhs, rhs, group_sizes, offset, *factors) if x is not None]
  summed = () if axes is None else tuple(sorted(frozenset().union(*map(varying, given)) - {*axes}))
  if offset is not None and (wrong := tuple(sorted(varying(offset) & {*summed}))):
    raise ValueError(
        f"varying_axes={axes} was given, and group_offset differs from device to device along "
        f"{wrong}; along the axes of varying_axes it is allowed to. The result would be a sum of "
        f"gradients of different experts. Pass varying_axes={(*(axes or ()), *wrong)}, "
        "or leave it out.")
  if existing_out is not None and varying(existing_out) & {*summed}:
    raise ValueError(
        f"varying_axes={axes} was given, and existing_out differs from device to device along "
        f"{tuple(sorted(varying(existing_out) & {*summed}))}, too; along the axes of varying_axes "
        "it is allowed to. Leave varying_axes out, and sum the result by jax.lax.psum.")
  in_place = existing_out is not None and dtype == jnp.float32 and not factors and not summed
  # The sums are float32, so that they are rounded once.
  rounds_once = factors or summed or existing_out is not None
  out = ragged_dot_general(
      lhs, rhs, group_sizes, _CONTRACTED, None, jnp.float32 if rounds_once else dtype, offset,
      num_local_groups=None if offset is None else groups,
      accumulate=existing_out if in_place else None, **options)
  for factor in factors:
    out = out * factor[None]
  if summed:
    out = lax.psum(out, summed)
  if existing_out is not None and not in_place:
    out = out + existing_out.astype(jnp.float32)
  return _varying_along(out.astype(dtype), axes)
