"""The mesh of a call: which one it is, what lies on its axes, and blocks of each device."""

import functools

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec
import numpy as np


def is_needed(partition: bool | None) -> bool:
  """Whether a contraction that is traced now gets the rule; see GemmConfig."""
  if partition is None:
    partition = jax.device_count() > 1
  return partition and not jax.sharding.get_abstract_mesh().manual_axes


def explicit_mesh(*arrays):
  """The mesh with axes that are part of the arrays' types, or None.

  It is that of the arrays, which need no `jax.set_mesh`, or else the one in context.
  """
  meshes = [jax.typeof(x).sharding.mesh for x in arrays if x is not None]
  meshes.append(jax.sharding.get_abstract_mesh())
  return next((mesh for mesh in meshes if not mesh.empty and mesh.explicit_axes), None)


def automatic(mesh, function, result):
  """The function, in which the mesh's explicit axes are automatic as the others are.

  Args:
    mesh: see `explicit_mesh`.
    function: takes pytrees of arrays, and gives an array.
    result: shape and sharding of that outside.
  """
  return jax.sharding.auto_axes(
      function, axes=mesh.explicit_axes, out_sharding=result.sharding)


def _resharded(x, to: NamedSharding):
  """x with a sharding in its type that shard_map takes for `to`.

  An array of no mesh stays one where it is not cut. So its gradient has the type that
  jax gives, on the mesh; that of a reshard would be taken off the mesh again.
  """
  return x if jax.typeof(x).sharding.spec == to.spec else jax.reshard(x, to)


def on_explicit_mesh(mesh, body, operands, in_shardings, out_sharding, wanted):
  """body(*operands) on each device's blocks, with the types that results should have.

  Args:
    mesh: see `explicit_mesh`.
    body: gives the blocks of the results.
    operands: a tuple of pytrees; they are resharded to in_shardings.
    in_shardings: what body takes; a pytree like operands.
    out_sharding: what body gives, a pytree.
    wanted: the results' shardings, a pytree.
  """
  def specs(shardings):
    return jax.tree.map(lambda x: x.spec, shardings)

  operands = jax.tree.map(_resharded, operands, in_shardings)
  # None means all axes, but for those that jax.vmap has taken out of the types.
  some = set() if mesh.are_all_axes_explicit else {*mesh.explicit_axes}
  mapped = jax.shard_map(
      body, mesh=mesh, in_specs=specs(in_shardings), out_specs=specs(out_sharding),
      axis_names=some)
  return jax.tree.map(jax.reshard, mapped(*operands), wanted)


def unreduced(*shardings) -> str | None:
  """Why the kernels leave a product with these shardings to XLA, or None."""
  for x in shardings:
    spec = getattr(x, "spec", None)
    axes = getattr(spec, "unreduced", None) or getattr(spec, "reduced", None)
    if axes:
      return (f"{spec} says that sums over the mesh axes {sorted(axes)} are not done "
              "yet, and the kernels' results are whole sums")
  return None


def axes_of(x) -> list[tuple[str, ...]]:
  """The mesh axes of each of an array's dimensions, without those of size 1."""
  # A GSPMDSharding has no axis names: such operands are taken as replicated.
  spec = tuple(x.sharding.spec) if isinstance(x.sharding, NamedSharding) else ()
  spec += (None,) * (len(x.shape) - len(spec))
  given = (axes if isinstance(axes, tuple) else (axes,) for axes in spec)
  return [tuple(a for a in axes if a is not None and x.sharding.mesh.shape[a] > 1)
          for axes in given]


def mesh_of(mesh, operands):
  """The mesh, or one of the operands' devices where the program has none."""
  if not mesh.empty:
    return mesh
  devices = sorted(operands[0].sharding.device_set, key=lambda device: device.id)
  return jax.sharding.Mesh(np.array(devices), ("devices",))


def without_explicit_axes(block):
  """The block of a partitioning rule where `jax.set_mesh` has set an explicit mesh.

  jax traces it there, and gives its types that mesh. From 0.12 on its sums would get
  shardings that XLA cannot compile.
  """
  @functools.wraps(block)
  def run(*operands):
    mesh = jax.sharding.get_abstract_mesh()
    if not mesh.explicit_axes:
      return block(*operands)
    mesh = mesh.update_axis_types(dict.fromkeys(mesh.axis_names, AxisType.Auto))
    with jax.sharding.use_abstract_mesh(mesh):
      return block(*(jax.reshard(x, PartitionSpec()) for x in operands))
  return run
