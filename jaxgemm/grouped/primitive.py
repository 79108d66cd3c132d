"""The primitive of grouped products: consecutive groups of rows, or of k.

`ragged_p` has two modes. group_sizes int32[G] (or [B, G]) cuts a dimension of lhs into
consecutive groups. The call computes L of them, from group_offset on:

  "m"  lhs [M, K], rhs [L, K, N] -> out [M, N]: each group's rows have an rhs of their
       own. Rows that are in none of the L groups are zero, whatever bias and activation are.
  "k"  lhs [M, K], rhs [K, N] -> out [L, M, N]: each group sums over its own range of k.

lhs may be [K, M] (lhs_contracting 0) and rhs [N, K] (rhs_contracting 1); every operand
may have a batch dimension in front or be shared by the batch. Groups are cut off at the
end of the dimension, negative sizes count as zero, and a group beyond the last size is
empty. Only mode "m" has bias [L, N], scale [L, N] or [L, 1], and row_scale [M] or [1], which
may have a batch in front.

There may be a float32 buffer. In mode "k" it has out's shape, and the product is added
to it, in place. In mode "m" it has rhs's shape, and rhs is a constant. Derivatives are taken
with respect to the buffer instead of rhs: the buffer's tangent is used as rhs's tangent, and
its gradient is the buffer plus rhs's gradient, by mode "k" with the same buffer.

Mode "m" may be `gated`: the value before the activation is z [M, 2, N], and out [M, N]
is activation(z[:, 0]) * z[:, 1]. Such a call and the products of its gradients are
`paired`: rhs and all arrays with rhs's columns (or lhs, if the columns are contracted)
have two dimensions for the columns, which are the last ones. So the second one may be
sharded, and a buffer need not be reshaped, which XLA would do by a copy.

The rules for derivatives are in derivatives.py, those for vmap in batching.py.
"""

import dataclasses
import functools
from typing import NamedTuple

import jax
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import mlir
import jax.numpy as jnp

from jaxgemm.call import epilogue, transposes
from jaxgemm.call.lower import (
  lower_call,
  on_each_platform,
  out_avals,
  register_in_place,
  run_by_jit,
)
from jaxgemm.call.plan import can_lower, plan_call, require_plan
from jaxgemm.call.spec import Geometry, Spec, with_absent
from jaxgemm.dense.plan import is_bf16
from jaxgemm.grouped import sharding
from jaxgemm.grouped.group_sizes import groups_of_rows
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying, untracked_axes


def merge_columns(shape) -> tuple[int, ...]:
  """A shape with its last two dimensions as one."""
  return (*shape[:-2], shape[-2] * shape[-1])


class GroupedParams(NamedTuple):
  """Mode, layouts and optional operands of a grouped product; see above.

  Attributes:
    mode: "m" or "k": the dimension that the groups cut.
    lhs_contracting, rhs_contracting: which of the last two dimensions of lhs and rhs is k.
    local_groups: the number L of groups that the call computes.
    paired: whether rhs, and every array with its columns, has two dimensions for them, which
      are the last ones of the array.
    gated: whether out is activation(gate) * up.
    tangent: whether the call belongs to a derivative, where rhs is the tangent of the
      buffer.
    offset, accumulate, bias, scale, row_scale: whether there is a group_offset, a buffer and
      each of these vectors.
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
  row_scale: bool = False

  def split(self, operands):
    """(lhs, rhs, sizes, offset, buffer, bias, scale, row_scale), None for an absent one."""
    return with_absent(
        operands, 3, self.offset, self.accumulate, self.bias, self.scale, self.row_scale)

  def vectors(self, operands) -> dict[str, bool]:
    """Which vectors there are, and whether the bias is bfloat16; see `plan_call`."""
    *_, bias, _, _ = self.split(operands)
    return {"bias": self.bias, "scale": self.scale, "row_scale": self.row_scale,
            "bias_bf16": is_bf16(bias)}

  def for_operands(self, *operands) -> "GroupedParams":
    """The same mode and layouts for operands as `split` gives them."""
    offset, accumulate, bias, scale, row_scale = (x is not None for x in operands[3:])
    groups = operands[1].shape[-3 - self.paired] if self.mode == "m" else self.local_groups
    return self._replace(
        offset=offset, accumulate=accumulate, bias=bias, scale=scale, row_scale=row_scale,
        tangent=self.tangent and accumulate, local_groups=groups)

  def buffer_index(self) -> int:
    """The place of the buffer among the operands."""
    return 3 + self.offset

  def ranks(self) -> tuple[int, int, int, int]:
    """The numbers of dimensions of lhs, rhs, the sizes and the buffer, without a batch."""
    rhs = 3 if self.mode == "m" else 2
    return 2 + self.contracts_pairs, rhs + self.paired, 1, 3 + self.paired

  def out_rank(self) -> int:
    """The number of dimensions of out, or of the value before a gate, without a batch."""
    pairs = self.paired and not self.contracts_pairs
    return (2 if self.mode == "m" else 3) + pairs

  @property
  def contracts_pairs(self) -> bool:
    """Whether lhs has the two dimensions of a pair and the result does not."""
    return self.paired and self.mode == "m" and self.rhs_contracting == 1

  def geometry(self, lhs, rhs, sizes) -> Geometry:
    """The `Geometry` of a call with operands of these shapes."""
    batched = [len(x) > rank for x, rank in zip((lhs, rhs, sizes), self.ranks())]
    batch = next((x[0] for x, there in zip((lhs, rhs, sizes), batched) if there), 1)
    if self.paired:
      rhs = merge_columns(rhs)
    if self.contracts_pairs:
      lhs = merge_columns(lhs)
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    return dataclasses.replace(
        dense, batch=batch, n=dense.n // 2 if self.gated else dense.n,
        lhs_batched=batched[0], rhs_batched=batched[1], sizes_batched=batched[2],
        ragged=self.mode, groups=sizes[-1], local_groups=self.local_groups,
        group_offset=self.offset, gated=self.gated,
        accumulate=self.accumulate and self.mode == "k")

  def out_shapes(self, lhs, rhs, sizes) -> list[tuple[int, ...]]:
    """The shapes of out and of the value before the activation."""
    shape = self.geometry(lhs, rhs, sizes).out_shape()
    if not self.paired or self.contracts_pairs:
      return [shape, shape]
    z = (*shape[:-1], *rhs[-2:])
    return [shape if self.gated else z, z]


ragged_p = Primitive("jaxgemm_ragged")
ragged_p.multiple_results = True


def ragged(lhs, rhs, sizes, offset=None, bias=None, scale=None, row_scale=None, *, buffer=None,
           form: GroupedParams, spec: Spec) -> list[jax.Array]:
  """Binds ragged_p: [out], or [out, preact] with spec.save_preact.

  Args:
    lhs, rhs, sizes, offset, bias, scale, row_scale, buffer: see above; None for an absent one.
    form: mode, layouts and whether it is gated; its fields for optional operands are
      filled in here.
    spec: what the call computes.

  Raises:
    NotImplementedError: devices of a shard_map share the buffer, in mode "m", or may do so.
  """
  given = lhs, rhs, sizes, offset, buffer, bias, scale, row_scale
  form = form.for_operands(*given)
  operands = unify_varying([x for x in given if x is not None])
  if form.accumulate and form.mode == "m" and (axes := untracked_axes()):
    raise NotImplementedError(
        f"rhs_grad was given in a jax.shard_map with check_vma=False over the mesh axes {axes}, "
        "where jax does not know whether devices share it: the gradient of a shared one would have "
        "it once for each device. Leave check_vma out; True, its default, is allowed.")
  if (form.accumulate and form.mode == "m"
      and operands[form.buffer_index()] is not buffer):
    raise NotImplementedError(
        "rhs_grad is one array for all devices along an axis of jax.shard_map along "
        "which other operands differ, and the gradient would have it once for each device. "
        "Give each device a buffer of its own (in_specs, or jax.lax.pcast(rhs_grad, "
        "axis, to='varying') outside of jax.grad) and sum them in the end.")
  return bind(*operands, form=form, spec=spec)


def bind(*operands, form: GroupedParams, spec: Spec) -> list[jax.Array]:
  """Binds ragged_p, with a partitioning rule if spec.config.partition is set."""
  partitioned = None
  if spec.config.partition:
    needed, form_of_needed = _without_buffer(operands, form)
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
  lhs, rhs, sizes, offset, buffer, *vectors = form.split(operands)
  return ragged(lhs, rhs, sizes, offset, *vectors, buffer=buffer, form=form, spec=spec)


def _without_buffer(operands, form: GroupedParams):
  """(operands, form) without the buffer of mode "m", which only the gradient needs."""
  if form.mode == "k" or not form.accumulate:
    return operands, form
  operands = [x for i, x in enumerate(operands) if i != form.buffer_index()]
  return operands, form._replace(accumulate=False)


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
  # Rows of no group stay zero, because every activation of zero is zero.
  return epilogue.results(z, spec, form.gated)


def along_rows(row_scale, sizes, offset, count: int, form: GroupedParams) -> jax.Array:
  """row_scale as a factor of the value before the activation; zero for rows of no group."""
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
  return ragged(ones, values[:, None], sizes, offset,
                form=GroupedParams("m", paired=values.ndim == 3),
                spec=spec.for_gradient(dtype))[0]


def plan_ragged(operands, form: GroupedParams, spec: Spec, target: str) -> dict:
  """The plan of a call with operands of these shapes and dtypes.

  Raises:
    ValueError: see `plan_call`.
  """
  lhs, rhs, sizes = operands[:3]
  geometry = form.geometry(lhs.shape, rhs.shape, sizes.shape)
  return plan_call(geometry, lhs.dtype, rhs.dtype, spec, target,
                   **form.vectors(operands))


@ragged_p.def_abstract_eval
def _abstract_eval(*operands, form, spec, partitioned):
  lhs, rhs, sizes = operands[:3]
  # A call that is linear in the tangent of a buffer is usually transposed, and does not run.
  if not form.tangent:
    require_plan(spec, lambda target: plan_ragged(operands, form, spec, target))
  shapes = form.out_shapes(lhs.shape, rhs.shape, sizes.shape)
  return [out_avals(lhs, shape, spec)[0] for shape in shapes[:1 + spec.save_preact]]


run_by_jit(ragged_p)


def read_before_transpose(params, i: int, permutation):
  """See call/transposes.py. The kernels read each group's matrix of rhs in both orders."""
  form, rank = params["form"], len(permutation)
  swapped = (*range(rank - 2), rank - 1, rank - 2)
  if i != 1 or form.mode != "m" or form.paired or permutation not in (swapped, tuple(range(rank))):
    return None
  is_swapped = permutation == swapped
  return params | {"form": form._replace(rhs_contracting=form.rhs_contracting ^ is_swapped)}


def can_be_lowered(avals, params, platforms) -> bool:
  """See `can_lower`."""
  return can_lower(params["spec"], platforms, lambda target: plan_ragged(
      avals, params["form"], params["spec"], target))


def _lowering(ctx, *operands, form, spec, partitioned):
  avals_in, _ = _without_buffer(ctx.avals_in, form)
  needed, form = _without_buffer(operands, form)
  values, avals_in, read = transposes.in_lowering(
      needed, avals_in, {"form": form, "spec": spec}, read_before_transpose,
      functools.partial(can_be_lowered, platforms=ctx.platforms or ctx.module_context.platforms))
  ctx = ctx.replace(avals_in=avals_in)
  if partitioned is not None:
    meshes.refuse_export(ctx)
    if read["form"] != form:
      partitioned = _partitioned(avals_in, read["form"], spec)
    fun = mlir.lower_fun(jaxpr_as_fun(partitioned), multiple_results=True)
    return fun(ctx, *values)
  return on_each_platform(ctx, _lower_call, *values, form=read["form"], spec=spec)


def _lower_call(ctx, *operands, form, spec, platform):
  geometry = form.geometry(*(x.shape for x in ctx.avals_in[:3]))
  vectors = form.vectors(ctx.avals_in)

  def call(ctx, *operands):
    return lower_call(ctx, *operands, geometry=geometry, spec=spec, platform=platform, **vectors)

  return _on_merged(call, ctx, operands, form) if form.paired else call(ctx, *operands)


def _on_merged(call, ctx, operands, form):
  """call(ctx, *operands) of arrays with one dimension for columns, as the kernel has them."""
  def reshape(x, old, new):
    if old.shape == new.shape:
      return x
    fun = mlir.lower_fun(lambda x: jnp.reshape(x, new.shape), multiple_results=False)
    return fun(ctx.replace(avals_in=[old], avals_out=[new]), x)[0]

  def merged(aval):
    return aval.update(shape=merge_columns(aval.shape))

  avals_in, avals_out = list(ctx.avals_in), list(ctx.avals_out)
  end = len(avals_in) - form.row_scale
  of_columns = range(end - form.bias - form.scale, end)
  for i in (1, *([0] if form.contracts_pairs else ()), *of_columns):
    avals_in[i] = merged(avals_in[i])
  if form.mode == "m" and not form.contracts_pairs:
    avals_out[form.gated:] = map(merged, avals_out[form.gated:])
  operands = map(reshape, operands, ctx.avals_in, avals_in)
  outs = call(ctx.replace(avals_in=avals_in, avals_out=avals_out), *operands)
  return list(map(reshape, outs, avals_out, ctx.avals_out))


# The rule looks at the operations that compute its operands, so equal calls may lower differently.
register_in_place(ragged_p, _lowering)
