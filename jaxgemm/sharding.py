"""The partitioning rule of a contraction on automatic meshes.

Every label is a factor of the Shardy rule; contracted ones are reduction factors. Each
device computes its block. Where a contracted label is sharded, the float32 (int32)
partial results are summed over the mesh axes first, and the epilogue follows the sum.
Inside `jax.shard_map` none of this is needed, nor inserted.
"""

import functools

import jax
from jax import lax
from jax.experimental.custom_partitioning import (
    ArrayMapping, SdyShardingRule, custom_partitioning
)
from jax.sharding import NamedSharding, PartitionSpec
import numpy as np

from jaxgemm import epilogue
from jaxgemm.layout import Dims


def is_manual() -> bool:
  """Whether the mesh in context has manual axes, as inside `jax.shard_map`."""
  return bool(jax.sharding.get_abstract_mesh().manual_axes)


def is_needed(partition: bool | None) -> bool:
  """Whether a contraction that is traced now gets the rule; see GemmConfig."""
  if partition is None:
    partition = jax.device_count() > 1
  return partition and not is_manual()


def _axes_of(entry) -> tuple[str, ...]:
  if entry is None:
    return ()
  return entry if isinstance(entry, tuple) else (entry,)


def _assign(dims: Dims, operands, results, mesh) -> dict[int, tuple[str, ...]]:
  """The mesh axes of each label: as the operands have them, else the results.

  A mesh axis that two labels want goes to the batch first, then to lhs's other
  dimensions, rhs's, and the contracted ones: weights are gathered, not activations.
  Axes that do not divide a dimension are dropped, for XLA would pad it.
  """
  labels = [x for x in (dims.lhs, dims.rhs, dims.bias, dims.scale) if x is not None]
  labels += [dims.out] * len(results)
  wanted: dict[int, list] = {}
  size: dict[int, int] = {}
  for x, x_labels in zip((*operands, *results), labels):
    # A GSPMDSharding has no axis names: such operands are taken as replicated.
    named = isinstance(x.sharding, NamedSharding)
    spec = tuple(x.sharding.spec) if named else ()
    spec += (None,) * (len(x_labels) - len(spec))
    for label, entry, extent in zip(x_labels, spec, x.shape):
      size[label] = extent
      wanted.setdefault(label, []).append(_axes_of(entry))

  both = set(dims.lhs) & set(dims.rhs)
  out = set(dims.out)
  order = sorted(
      wanted,
      key=lambda x: (x not in out, x not in both, x not in dims.lhs, x),
  )
  assigned, used = {}, set()
  for label in order:
    chosen = []
    for axis in next(filter(None, wanted[label]), ()):
      parts = int(np.prod([mesh.shape[a] for a in (*chosen, axis)]))
      if axis not in used and size[label] % parts == 0:
        chosen.append(axis)
    used.update(chosen)
    assigned[label] = tuple(chosen)
  return assigned


def _sharding(mesh, labels, assigned) -> NamedSharding:
  return NamedSharding(mesh, PartitionSpec(*(assigned[x] or None for x in labels)))


def _mesh_of(mesh, operands):
  """The mesh, or one made of the devices where the program has none."""
  if not mesh.empty:
    return mesh
  devices = next(iter(operands)).sharding._device_assignment  # a GSPMDSharding
  return jax.sharding.Mesh(np.array(devices), ("devices",))


def _rule(dims: Dims) -> SdyShardingRule:
  def factors(labels):
    return ArrayMapping(*(f"f{x}" for x in labels))

  operands = [x for x in (dims.lhs, dims.rhs, dims.bias, dims.scale) if x is not None]
  contracted = sorted({*dims.lhs, *dims.rhs} - {*dims.out})
  return functools.partial(
      SdyShardingRule, tuple(map(factors, operands)),
      reduction_factors=tuple(f"f{x}" for x in contracted),
  ), factors(dims.out)


@functools.lru_cache(maxsize=1024)
def partitioned(dims: Dims, spec, compute):
  """The contraction as a function of its operands that XLA can partition.

  Args:
    dims: its labels.
    spec: its `Spec`.
    compute: computes it on one device; see contract.py.
  """
  def block(*operands, sum_over):
    if not sum_over:
      return compute(*operands, dims=dims, spec=spec)
    lhs, rhs, *vectors = operands
    vectors = iter(vectors)
    bias = next(vectors) if dims.bias is not None else None
    scale = next(vectors) if dims.scale is not None else None
    acc, = compute(lhs, rhs, dims=Dims(dims.lhs, dims.rhs, dims.out),
                   spec=spec.accumulator(lhs, rhs))
    acc = lax.psum(acc, sum_over)
    return epilogue.apply(acc, dims.out, bias, scale, dims=dims, spec=spec)

  def partition(mesh, operands, results):
    mesh = _mesh_of(mesh, operands)
    assigned = _assign(dims, operands, results, mesh)
    contracted = sorted({*dims.lhs, *dims.rhs} - {*dims.out})
    sum_over = tuple(axis for x in contracted for axis in assigned[x])
    labels = [x for x in (dims.lhs, dims.rhs, dims.bias, dims.scale) if x is not None]
    return (
        mesh,
        functools.partial(block, sum_over=sum_over),
        [_sharding(mesh, dims.out, assigned) for _ in results],
        tuple(_sharding(mesh, x, assigned) for x in labels),
    )

  def infer_sharding_from_operands(mesh, operands, results):
    mesh = _mesh_of(mesh, operands)
    assigned = _assign(dims, operands, (), mesh)
    return [_sharding(mesh, dims.out, assigned) for _ in results]

  rule, out_factors = _rule(dims)
  fun = custom_partitioning(lambda *operands: block(*operands, sum_over=()))
  fun.def_partition(
      partition=partition,
      infer_sharding_from_operands=infer_sharding_from_operands,
      sharding_rule=rule((out_factors,) * (1 + spec.save_preact)),
  )
  return fun
