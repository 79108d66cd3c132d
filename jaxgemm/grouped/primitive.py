"""The primitive of grouped products (form.py), for one device and on automatic meshes.

The rules for derivatives are in derivatives.py, those for vmap in batching.py.
"""

import jax
from jax.extend.core import jaxpr_as_fun
from jax.interpreters import mlir
import jax.numpy as jnp

from jaxgemm.call import checkpoint_policies, epilogue, remat, transposes
from jaxgemm.call.group_sizes import groups_of_rows
from jaxgemm.call.lower import lower_kernel, out_avals, require_platforms
from jaxgemm.call.plan import is_bf16
from jaxgemm.call.primitives import reshaped, run_by_jit
from jaxgemm.call.spec import Spec
from jaxgemm.grouped import sharding
from jaxgemm.grouped.form import GroupedParams, Operands
from jaxgemm.grouped.product import PRODUCT, ragged_p
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying, untracked_axes


def ragged(operands: Operands, *, form: GroupedParams, spec: Spec) -> list[jax.Array]:
  """Binds ragged_p: [out], or [out, preact] with spec.save_preact.

  Args:
    operands: see form.py.
    form: mode, layouts and whether it is gated; its fields for optional operands are
      filled in here.
    spec: what the call computes.

  Raises:
    NotImplementedError: devices of a shard_map share the buffer, in mode "m", or may do so.
  """
  form, buffer = form.for_operands(operands), operands.buffer
  there = unify_varying(operands.there())
  if form.accumulate and form.mode == "m" and (axes := untracked_axes()):
    raise NotImplementedError(
        f"rhs_grad was given in a jax.shard_map with check_vma=False over the mesh axes {axes}, "
        "where jax does not know whether devices share it: the gradient of a shared one would have "
        "it once for each device. Leave check_vma out; True, its default, is allowed.")
  if (form.accumulate and form.mode == "m"
      and there[form.buffer_index()] is not buffer):
    raise NotImplementedError(
        "rhs_grad is one array for all devices along an axis of jax.shard_map along "
        "which other operands differ, and the gradient would have it once for each device. "
        "Give each device a buffer of its own (in_specs, or jax.lax.pcast(rhs_grad, "
        "axis, to='varying') outside of jax.grad) and sum them in the end.")
  return bind(*there, form=form, spec=spec)


def bind(*operands, form: GroupedParams, spec: Spec) -> list[jax.Array]:
  """Binds ragged_p, with a partitioning rule if spec.config.partition is set."""
  partitioned = None
  if spec.config.partition:
    needed, form_of_needed = _needed(operands, form)
    partitioned = _partitioned(needed, form_of_needed, spec)
  return ragged_p.bind(*operands, form=form, spec=spec, partitioned=partitioned)


def _partitioned(operands, form: GroupedParams, spec: Spec):
  """The product with the partitioning rule for automatic meshes, as a jaxpr."""
  labels = sharding.operand_labels(form, [x.shape for x in operands])
  mesh = meshes.partly_manual()
  return meshes.partitioned_jaxpr(
      sharding.partitioned(form, spec, tuple(labels), _compute, finish, mesh), operands, form,
      spec, labels, mesh)


def _compute(*operands, form: GroupedParams, spec: Spec):
  return ragged_p.bind(*operands, form=form, spec=spec, partitioned=None)


def ragged_local(*operands, form: GroupedParams, spec: Spec) -> list[jax.Array]:
  """`ragged` of one device's operands, without the absent ones."""
  return ragged(form.split(operands), form=form, spec=spec)


def _needed(operands, form: GroupedParams):
  """(operands, form) without those that only gradients need: inverse, and a buffer in mode "m"."""
  given = form.split(operands)._replace(inverse=None)
  accumulate = form.accumulate and form.mode == "k"
  if not accumulate:
    given = given._replace(buffer=None)
  return given.there(), form._replace(inverse=False, accumulate=accumulate)


def finish(z, sizes, offset, bias, scale, row_scale, *, form: GroupedParams, spec: Spec):
  """The epilogue in jnp: a product's results from its accumulators z (float32 or int32)."""
  axis = z.ndim - 2 - (form.paired and not form.contracts_pairs)

  def rows(x, dtype):
    return epilogue.lifted(rows_of(x, sizes, offset, z.shape[axis], dtype, spec), z.ndim)

  if row_scale is not None:
    z = z * epilogue.lifted(along_rows(row_scale, sizes, offset, z.shape[axis], form), z.ndim)
  if scale is not None:
    z = z * rows(scale, dtype=jnp.float32)
  if bias is not None:
    bias = bias.astype(jnp.float32) if is_bf16(bias) else bias
    z = z + rows(bias, dtype=jnp.float32)
  # Rows of no group stay zero, because every activation of zero is zero. With form.skips_rest
  # nothing reads them.
  return epilogue.results(z, spec, form.gated)


def along_rows(row_scale, sizes, offset, count: int, form: GroupedParams) -> jax.Array:
  """row_scale as a factor of the value before the activation; zero for rows of no group."""
  if form.mode == "k":
    return jnp.expand_dims(row_scale, (-1, -2) if form.paired else -1)
  inside = groups_of_rows(sizes, offset, form.local_groups, count) < form.local_groups
  rank = max(inside.ndim, row_scale.ndim)
  factor = jnp.where(epilogue.lifted(inside, rank), epilogue.lifted(row_scale, rank), 0)
  return jnp.expand_dims(factor, (-1, -2) if form.paired else -1)


def rows_of(values, sizes, offset, count: int, dtype, spec: Spec) -> jax.Array:
  """[count, ...]: for each row the entry of its group in values [L, ...]; zero for no group.

  values may have two dimensions for their columns.

  Floats are computed as a grouped product with ones, because the transpose (sums over the rows
  of each group) has to be a grouped product as well.
  """
  if jnp.issubdtype(values.dtype, jnp.integer):
    # Indexing is exact, and integers have no gradient.
    padded = jnp.pad(values, [(0, int(not i)) for i in range(values.ndim)])
    return padded[groups_of_rows(sizes, offset, values.shape[0], count)]
  ones = jnp.ones((count, 1), dtype)
  return ragged(Operands(ones, values[:, None], sizes, offset),
                form=GroupedParams("m", paired=values.ndim == 3),
                spec=spec.for_gradient(dtype))[0]


@ragged_p.def_abstract_eval
def _abstract_eval(*operands, form, spec, partitioned):
  # A call that is linear in the tangent of a buffer is usually transposed, and does not run.
  if not form.tangent:
    PRODUCT.require_plan(operands, {"form": form, "spec": spec})
  shapes = form.out_shapes(operands)
  out, *rest = out_avals(operands[0], shapes[0], spec)
  if spec.save_preact:
    rest[0] = reshaped(rest[0], shapes[1])
  return [out, *rest]


run_by_jit(ragged_p)


def _before_activation(*operands, again: bool, form, spec, partitioned):
  del partitioned  # `bind` makes another one
  if again:
    return bind(*operands, form=form._replace(gated=False), spec=spec.before_activation())
  return bind(*operands, form=form, spec=spec.for_derivative(form.gated))


checkpoint_policies.register(ragged_p)
remat.register(ragged_p, _before_activation)


def _lowering(ctx, *operands, form, spec, partitioned):
  require_platforms(ctx)
  avals_in, _ = _needed(ctx.avals_in, form)
  needed, form = _needed(operands, form)
  values, avals_in, read = transposes.in_lowering(
      ctx, needed, avals_in, PRODUCT, form=form, spec=spec)
  ctx = ctx.replace(avals_in=avals_in)
  if partitioned is not None:
    meshes.refuse_export(ctx)
    if read["form"] != form:
      partitioned = _partitioned(avals_in, read["form"], spec)
    fun = mlir.lower_fun(jaxpr_as_fun(partitioned), multiple_results=True)
    return fun(ctx, *values)
  form = read["form"]
  return lower_kernel(
      ctx, *values, geometry=form.geometry(avals_in), spec=spec,
      pairs=form.pairs(), **form.vectors(avals_in))


# The rule looks at the operations that compute its operands, so equal calls may lower differently.
mlir.register_lowering(ragged_p, _lowering, cacheable=False)
