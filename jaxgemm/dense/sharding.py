"""How a contraction is sharded, on automatic and on explicit meshes.

Each device computes its block. If a contracted label is sharded, the devices' float32
(int32) results are summed over the mesh axes first, and the epilogue follows the sum.
On automatic meshes XLA calls a partitioning rule for this: every label is a factor of
the Shardy rule, contracted ones are reduction factors. On explicit meshes the shardings
are part of the types, and the contraction is a `jax.shard_map`. If only some axes are
explicit, all are automatic inside the contraction: a shard_map over some axes would
gather arrays that are sharded over the others.
Inside a `jax.shard_map` over all axes none of this is needed, nor inserted. Inside one over
some axes, all others are automatic, and the partitioning rule is for these.
"""

import functools
import math

import jax
from jax import lax
from jax.experimental.custom_partitioning import (
  ArrayMapping,
  SdyShardingRule,
  custom_partitioning,
)
from jax.sharding import NamedSharding, PartitionSpec

from jaxgemm import epilogue
from jaxgemm import mesh as meshes
from jaxgemm.dense.layout import Dims


def _assign(dims: Dims, operands, results, mesh) -> dict[int, tuple[str, ...]]:
  """The mesh axes of each label: as the operands have them, else as the results do.

  If two labels have the same mesh axis, a label of the batch gets it first, then a
  label that is sharded in the result, then a label of lhs: weights are gathered, not
  activations. Contracted labels come last. Axes that do not divide a dimension are
  dropped: XLA would pad it.
  """
  labels = dims.operands() + [dims.out] * len(results)
  wanted: dict[int, list] = {}
  size: dict[int, int] = {}
  in_result = set()
  arrays = zip((*operands, *results), labels, strict=True)
  for i, (x, x_labels) in enumerate(arrays):
    for label, axes, extent in zip(x_labels, meshes.axes_of(x), x.shape, strict=True):
      size[label] = extent
      wanted.setdefault(label, []).append(axes)
      if i >= len(operands) and axes:
        in_result.add(label)

  lhs, rhs, out = set(dims.lhs), set(dims.rhs), set(dims.out)
  order = sorted(
      wanted,
      key=lambda x: (x not in out, x not in lhs & rhs, x not in in_result,
                     x not in lhs, x),
  )
  assigned: dict[int, tuple[str, ...]] = {}
  used: set[str] = set()

  def count(labels):  # elements per device
    parts = [mesh.shape[axis] for x in labels for axis in assigned.get(x, ())]
    return math.prod(size[x] for x in labels) // math.prod(parts)

  for label in order:
    axes = next(filter(None, wanted[label]), ())
    if label not in out and not all(wanted[label]):
      # A contracted label that is sharded in one operand only: sum the results over its
      # axes, or gather that operand, whichever moves less.
      operand = dims.lhs if wanted[label][0] else dims.rhs
      if 2 * count(dims.out) >= count(operand):
        axes = ()
    chosen: list[str] = []
    for axis in axes:
      parts = math.prod(mesh.shape[a] for a in (*chosen, axis))
      if axis not in used and size[label] % parts == 0:
        chosen.append(axis)
    used.update(chosen)
    assigned[label] = tuple(chosen)
  return assigned


def _sharding(mesh, labels, assigned) -> NamedSharding:
  return NamedSharding(mesh, PartitionSpec(*(assigned[x] or None for x in labels)))


def _rule(dims: Dims, num_results: int) -> SdyShardingRule:
  def factors(labels):
    return ArrayMapping(*(f"f{x}" for x in labels))

  contracted = _contracted(dims)
  # Shardy requires its factors in the order of their first use.
  used = dict.fromkeys((*dims.lhs, *dims.rhs))
  return SdyShardingRule(
      tuple(factors(x) for x in dims.operands()),
      (factors(dims.out),) * num_results,
      reduction_factors=tuple(f"f{x}" for x in used if x in contracted),
  )


def _contracted(dims: Dims):
  return sorted({*dims.lhs, *dims.rhs} - {*dims.out})


def _block(*operands, dims: Dims, spec, compute, assigned):
  """What each device computes: [out], or [out, preact]."""
  sum_over = tuple(axis for x in _contracted(dims) for axis in assigned.get(x, ()))
  if not sum_over:
    return compute(*operands, dims=dims, spec=spec)
  lhs, rhs, *vectors = dims.split(operands)
  acc, = compute(lhs, rhs, dims=Dims(dims.lhs, dims.rhs, dims.out),
                 spec=spec.accumulator(lhs, rhs))
  acc = lax.psum(acc, sum_over)
  return epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)


def explicit(mesh, operands, dims: Dims, spec, compute, result) -> jax.Array:
  """The contraction of operands with shardings in their types.

  Args:
    mesh: see `mesh.explicit_mesh`.
    operands: lhs, rhs, and the vectors that dims has.
    dims: its labels.
    spec: its `Spec`.
    compute: computes it on one device; see primitive.py.
    result: shape and sharding of jax's result.
  """
  assigned = _assign(dims, [jax.typeof(x) for x in operands], [result], mesh)

  def body(*operands):
    return _block(*operands, dims=dims, spec=spec, compute=compute,
                  assigned=assigned)[0]

  return meshes.on_explicit_mesh(
      mesh, body, tuple(operands),
      tuple(_sharding(mesh, x, assigned) for x in dims.operands()),
      _sharding(mesh, dims.out, assigned), result.sharding)


@functools.lru_cache(maxsize=1024)
def partitioned(dims: Dims, spec, compute, within):
  """The contraction as a function of its operands that XLA can partition.

  Args:
    dims: its labels.
    spec: its `Spec`.
    compute: computes it on one device; see primitive.py.
    within: see `mesh.partly_manual`.
  """
  block = functools.partial(_block, dims=dims, spec=spec, compute=compute)

  def partition(mesh, operands, results):
    asked = meshes.named(mesh, operands, results, within)
    mesh = asked.of_shardings
    assigned = _assign(dims, asked.operands, asked.results, mesh)
    return (
        asked.mesh,
        meshes.without_explicit_axes(functools.partial(block, assigned=assigned)),
        [_sharding(mesh, dims.out, assigned) for _ in results],
        tuple(_sharding(mesh, x, assigned) for x in dims.operands()),
    )

  def infer_sharding_from_operands(mesh, operands, results):
    asked = meshes.named(mesh, operands, (), within)
    mesh = asked.of_shardings
    assigned = _assign(dims, asked.operands, (), mesh)
    return [_sharding(mesh, dims.out, assigned) for _ in results]

  fun = custom_partitioning(lambda *operands: block(*operands, assigned={}))
  fun.def_partition(
      partition=partition,
      infer_sharding_from_operands=infer_sharding_from_operands,
      sharding_rule=_rule(dims, 1 + spec.save_preact),
  )
  return fun
