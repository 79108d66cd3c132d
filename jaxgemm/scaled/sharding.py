"""How a product with scales of blocks is shared out on automatic meshes.

Each device computes its part of the batch, of m and of n, in groups only of n. If both operands are
sharded along k alike, and between blocks, it sums over its part of k, and the float32 results are
summed over the devices; else k is gathered. The scales go with their operands. Where a scale is for
128 columns, n is cut between these.
"""

import functools
import math

from jax import lax
from jax.experimental.custom_partitioning import (
  ArrayMapping,
  SdyShardingRule,
  custom_partitioning,
)
from jax.sharding import NamedSharding, PartitionSpec

from jaxgemm import epilogue
from jaxgemm import mesh as meshes

# The columns of rhs that share a scale, if several do.
BLOCK = 128
Labels = tuple[tuple[str, ...], ...]


def labels(form, operands) -> tuple[Labels, tuple[str, ...]]:
  """(the labels of each operand, those of out); "gathered_m", "gathered_k" and others are whole."""
  m = "m" if form.mode == "none" else "gathered_m"
  # The epilogue follows the sum over devices, and that of groups is in the kernel only.
  k = "gathered_k" if form.mode == "k" or form.mode == "m" and form.bias else "k"
  of_lhs = (m, k) if form.lhs_contracting else (k, m)
  of_rhs = ("n", k) if form.rhs_contracting else (k, "n")
  rows = m if form.block_m == 1 else "blocks_m"
  of_columns = ("blocks_k", "n") if form.block_n == 1 else ("blocks_n", "blocks_k")
  groups = ("groups",) if form.mode == "m" else ()
  without_batch = (of_lhs, (*groups, *of_rhs), ("sizes",), ("offset",), (rows, "blocks_k"),
                   (*groups, *of_columns), (*groups, "n"))
  found, batched = [], False
  for x, own in zip(form.split(operands), without_batch):
    if x is not None:
      has_batch = x.ndim > len(own)
      batched |= has_batch
      found.append(("b", *own) if has_batch else own)
  out = ("groups", m, "n") if form.mode == "k" else (m, "n")
  return tuple(found), ("b", *out) if batched else out


def _assign(of_operands: Labels, of_out, operands, results, mesh) -> dict[str, tuple[str, ...]]:
  """The mesh axes of each label: as the operands have them, else as the result does."""
  assigned: dict[str, tuple[str, ...]] = {}
  used: set[str] = set()
  arrays = [*zip(operands, of_operands), *((x, of_out) for x in results)]
  for together in ("b",), ("m",), ("n", "blocks_n"):
    places = [(axes, size) for x, own in arrays
              for label, axes, size in zip(own, meshes.axes_of(x), x.shape) if label in together]
    chosen: list[str] = []
    for axis in next((axes for axes, _ in places if axes), ()):
      parts = math.prod(mesh.shape[a] for a in (*chosen, axis))
      if axis not in used and all(size % parts == 0 for _, size in places):
        chosen.append(axis)
    sizes = [size for _, size in places]
    if sizes and max(sizes) % BLOCK and max(sizes) != min(sizes):
      chosen = []  # the last block of columns is shorter
    used.update(chosen)
    assigned |= dict.fromkeys(together, tuple(chosen))
  return assigned | dict.fromkeys(("k", "blocks_k"), _axes_of_k(of_operands, operands, used, mesh))


def _axes_of_k(of_operands: Labels, operands, used: set[str], mesh) -> tuple[str, ...]:
  """The mesh axes of "k", which both operands have, so that each device has whole blocks."""
  found = {meshes.axes_of(x)[own.index("k")] for x, own in zip(operands, of_operands) if "k" in own}
  size = {label: n for x, own in zip(operands, of_operands) for label, n in zip(own, x.shape)}
  if len(found) != 1 or size["k"] % size["blocks_k"]:
    return ()
  axes, = found
  parts = math.prod(mesh.shape[a] for a in axes)
  return axes if not used & set(axes) and size["blocks_k"] % parts == 0 else ()


def _sharding(mesh, own, assigned) -> NamedSharding:
  return NamedSharding(mesh, PartitionSpec(*(assigned.get(x) or None for x in own)))


@functools.lru_cache(maxsize=1024)
def partitioned(of_operands: Labels, of_out, compute, form, spec, within):
  """The product as a function of its operands that XLA can partition.

  Args:
    of_operands: see `labels`.
    of_out: see `labels`.
    compute: compute(*operands, form=form, spec=spec) computes it on one device, [out].
    form: its `ScaledParams`.
    spec: its `Spec`.
    within: see `mesh.partly_manual`.
  """
  def block(*operands, sum_over=()):
    if not sum_over:
      return compute(*operands, form=form, spec=spec)
    *needed, bias = form.split(operands)
    acc, = compute(*(x for x in needed if x is not None), form=form._replace(bias=False),
                   spec=spec.accumulator(*operands[:2]))
    z = lax.psum(acc, sum_over)
    return epilogue.results(z if bias is None else z + bias[..., None, :], spec)

  def partition(mesh, operands, results):
    asked = meshes.named(mesh, operands, results, within)
    assigned = _assign(of_operands, of_out, asked.operands, asked.results, asked.of_shardings)
    local = functools.partial(block, sum_over=assigned["k"])
    return (asked.mesh, meshes.without_explicit_axes(local),
            [_sharding(asked.of_shardings, of_out, assigned)],
            tuple(_sharding(asked.of_shardings, x, assigned) for x in of_operands))

  def infer_sharding_from_operands(mesh, operands, results):
    asked = meshes.named(mesh, operands, (), within)
    assigned = _assign(of_operands, of_out, asked.operands, (), asked.of_shardings)
    return [_sharding(asked.of_shardings, of_out, assigned)]

  fun = custom_partitioning(lambda *operands: block(*operands))
  used = dict.fromkeys(x for own in (*of_operands, of_out) for x in own)
  fun.def_partition(
      partition=partition, infer_sharding_from_operands=infer_sharding_from_operands,
      sharding_rule=SdyShardingRule(
          tuple(ArrayMapping(*own) for own in of_operands), (ArrayMapping(*of_out),),
          reduction_factors=tuple(x for x in used if x in ("k", "blocks_k")),
          need_replication_factors=tuple(
              x for x in used if x not in ("b", "m", "n", "k", "blocks_k"))))
  return fun
