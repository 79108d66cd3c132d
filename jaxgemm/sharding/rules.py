"""How products are sharded on a mesh: what the rules of dense, grouped and scaled products share.

A rule gives axes of the mesh to the labels of the operands' dimensions. No axis is given twice. An
axis whose size does not divide the dimension is not given, because XLA would pad the dimension.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
import functools
import math
from typing import Any, NamedTuple

import jax
from jax.experimental.custom_partitioning import (
  ArrayMapping,
  SdyShardingRule,
  custom_partitioning,
)
from jax.sharding import NamedSharding, PartitionSpec

from jaxgemm.sharding import mesh as meshes

Axes = tuple[str, ...]
Label = Any  # the label of a dimension: a number or a name, hashable


# The label of the last dimension of a quantised result's scales. It has the axes of the columns.
BLOCKS = "q"


class Assignment(NamedTuple):
  """The mesh axes of each label.

  Attributes:
    axes: the axes of the operands and of the computation.
    scattered: further axes of the results, along which their sum is scattered.
  """

  axes: dict[Label, Axes]
  scattered: dict[Label, Axes]

  def sharding(self, mesh, labels: Iterable[Label], is_result: bool = False) -> NamedSharding:
    further = self.scattered if is_result else {}
    return NamedSharding(mesh, PartitionSpec(*(
        self.axes.get(x, ()) + further.get(x, ()) or None for x in labels)))


def wishes(arrays, labels: Iterable[Iterable[Label]]) -> dict[Label, list[Axes]]:
  """The mesh axes of each label, one entry for each array that has the label."""
  found: dict[Label, list[Axes]] = {}
  for x, own in zip(arrays, labels):
    for label, axes in zip(own, meshes.axes_of(x)):
      found.setdefault(label, []).append(axes)
  return found


def first(wished: Iterable[Axes]) -> Axes:
  """The first of the wishes that names an axis."""
  return next(filter(None, wished), ())


class Assigner:
  """Gives the axes of a mesh to labels.

  Attributes:
    size: the size of each label's dimension.
    axes: the axes that each label has so far.
  """

  def __init__(self, mesh, arrays, labels: Iterable[Iterable[Label]], **sizes: int):
    self._mesh = mesh
    self.size: dict[Label, int] = dict(sizes)
    for x, own in zip(arrays, labels):
      self.size |= zip(own, x.shape)
    self.axes: dict[Label, Axes] = {}

  def divides(self, label: Label, axes: Axes) -> bool:
    return self.size[label] % math.prod(self._mesh.shape[a] for a in axes) == 0

  def take(self, wish: Axes, *labels: Label) -> None:
    """Gives those axes of the wish that are free and divide the dimensions to all `labels`."""
    own = [x for x in labels if x in self.size]
    for axis in wish if own else ():
      chosen = *self.axes.get(own[0], ()), axis
      if (not any(axis in taken for taken in self.axes.values()) and
          all(self.divides(x, chosen) for x in own)):
        self.axes |= dict.fromkeys(own, chosen)

  def quantizes(self, columns: Label, block: int) -> None:
    """Says that the result has a scale for each `block` columns."""
    self.size[BLOCKS] = self.size[columns] // block

  def count(self, labels: Iterable[Label]) -> int:
    """The number of elements that each device has of an array with these labels."""
    labels = [*labels]
    parts = [self._mesh.shape[a] for x in labels for a in self.axes.get(x, ())]
    return math.prod(self.size[x] for x in labels) // math.prod(parts)

  def contracted(self, wished: Sequence[Axes], lhs, rhs, out) -> Axes:
    """The axes that a contracted label should have.

    If only one operand is sharded along it, the results are summed over its axes, or that operand
    is gathered, whichever moves less.

    Args:
      wished: the label's axes in lhs and in rhs.
      lhs, rhs, out: all labels of the operands and of the result.
    """
    gathered = lhs if wished[0] else rhs
    if not all(wished) and 2 * self.count(out) >= self.count(gathered):
      return ()
    return first(wished)


def partitioned_by(
    assign: Callable, block: Callable, within, of_operands: Sequence[Iterable[Label]],
    of_results: Sequence[Iterable[Label]], *, reduced: Iterable[Label],
    replicated: Iterable[Label] = ()):
  """A function of operands that XLA can partition.

  Args:
    assign: a function of (operands, results, mesh) that returns the Assignment, the shardings of
      the operands, and those of the results. While the latter are unknown, its `results` is empty.
    block: a function of (*operands, assigned=) that computes one device's parts of the results.
    within: the result of `mesh.partly_manual`.
    of_operands: the labels of the operands.
    of_results: the labels of the results.
    reduced: the labels that the results are summed over.
    replicated: labels that are never sharded.
  """
  def name(label: Hashable) -> str:
    return f"f{label}"

  def mapping(own: Iterable[Label]) -> ArrayMapping:
    return ArrayMapping(*map(name, own))

  # Shardy requires its factors in the order of their first use.
  used = dict.fromkeys(x for own in (*of_operands, *of_results) for x in own)

  def partition(mesh, operands, results):
    asked = meshes.named(mesh, operands, results, within)
    assigned, in_shardings, out_shardings = assign(
        asked.operands, asked.results, asked.of_shardings)
    local = functools.partial(block, assigned=assigned)
    return asked.mesh, meshes.without_explicit_axes(local), out_shardings, tuple(in_shardings)

  def infer_sharding_from_operands(mesh, operands, results):
    del results
    asked = meshes.named(mesh, operands, (), within)
    return assign(asked.operands, (), asked.of_shardings)[2]

  fun = custom_partitioning(lambda *operands: block(*operands, assigned=Assignment({}, {})))
  fun.def_partition(
      partition=partition, infer_sharding_from_operands=infer_sharding_from_operands,
      sharding_rule=SdyShardingRule(
          tuple(map(mapping, of_operands)), tuple(map(mapping, of_results)),
          reduction_factors=tuple(name(x) for x in used if x in {*reduced}),
          need_replication_factors=tuple(name(x) for x in used if x in {*replicated})))
  return fun


def _resharded(x, to: NamedSharding):
  """x with a sharding in its type that shard_map accepts as `to`.

  An array without a mesh stays as it is if it is not sharded. Its gradient then has the type
  that jax gives, with the mesh. The gradient of a reshard would lose the mesh again.
  """
  return x if jax.typeof(x).sharding.spec == to.spec else jax.reshard(x, to)


def on_explicit_mesh(mesh, body, operands, in_shardings, out_sharding, wanted):
  """body(*operands) on each device's blocks, with the shardings `wanted` in the types.

  Args:
    mesh: see `mesh.explicit_mesh`.
    body: a function that returns a device's blocks of the results.
    operands: a tuple of pytrees; they are resharded to in_shardings.
    in_shardings: shardings of body's operands, a pytree like operands.
    out_sharding: shardings of body's results, a pytree.
    wanted: the shardings to which these are resharded, a pytree.
  """
  def specs(shardings):
    return jax.tree.map(lambda x: x.spec, shardings)

  operands = jax.tree.map(_resharded, operands, in_shardings)
  # The empty set means all axes, except those that jax.vmap has taken out of the types.
  manual_axes = set() if mesh.are_all_axes_explicit else {*mesh.explicit_axes}
  mapped = jax.shard_map(
      body, mesh=mesh, in_specs=specs(in_shardings), out_specs=specs(out_sharding),
      axis_names=manual_axes)
  return jax.tree.map(jax.reshard, mapped(*operands), wanted)


def explicit(mesh, assign: Callable, block: Callable, operands, result) -> jax.Array:
  """A function of operands with shardings in their types: `partitioned_by` for explicit meshes.

  Args:
    mesh: see `mesh.explicit_mesh`.
    assign: see `partitioned_by`.
    block: see `partitioned_by`; its first result is returned.
    operands: arrays.
    result: shape and sharding of jax's result.
  """
  assigned, in_shardings, (out_sharding, *_) = assign(
      [jax.typeof(x) for x in operands], [result], mesh)

  def body(*operands):
    return block(*operands, assigned=assigned)[0]

  return on_explicit_mesh(mesh, body, tuple(operands), tuple(in_shardings), out_sharding,
                          result.sharding)
