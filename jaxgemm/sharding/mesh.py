"""The mesh of a call: how it is found, and along which of its axes arrays are sharded."""

from collections.abc import Callable, Sequence
import functools
import hashlib
import itertools
import math
from typing import NamedTuple

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec
import numpy as np

from jaxgemm import _ffi


def names(axis_name) -> tuple[str, ...]:
  """The mesh axes of an argument that is None, a name or a tuple of names."""
  if axis_name is None:
    return ()
  return axis_name if isinstance(axis_name, tuple) else (axis_name,)


def needs_partitioning_rule(partition: bool | None) -> bool:
  """Whether a call that is traced now gets the partitioning rule; see GemmConfig."""
  if partition is None:
    partition = jax.device_count() > 1
  mesh = jax.sharding.get_abstract_mesh()
  rest = any(mesh.shape[axis] > 1 for axis in mesh.auto_axes)
  return partition and (not mesh.manual_axes or rest)


def partitioned_jaxpr(function, operands, *described):
  """The jaxpr of a function that XLA can partition, as a parameter of a primitive.

  The parameter shows jax that the primitive's lowering needs the devices.

  Args:
    function: the function of the operands.
    operands: arrays or avals.
    described: all that the function's rule and its results depend on; repr must show all of it. A
      hash of it becomes a part of the function's name. So jax's persistent compilation cache
      distinguishes programs even if the user leaves the rule's pointer out of its keys
      (jax_remove_custom_partitioning_ptr_from_cache_key).
  """
  def rule(*operands):
    return function(*operands)

  digest = hashlib.sha256(repr((_ffi.NAMES, *described)).encode()).hexdigest()[:32]
  rule.__name__ = f"jaxgemm_rule_{digest}"
  return jax.make_jaxpr(jax.jit(rule))(*(
      jax.ShapeDtypeStruct(x.shape, x.dtype) for x in operands))


def may_be_partitioned(ctx) -> bool:
  """Whether XLA may partition the program that a primitive is lowered into."""
  context = ctx.module_context.axis_context
  if (manual := getattr(context, "manual_axes", None)) is None:
    return (getattr(context, "num_devices", None) or 1) > 1
  return any(size > 1 for name, size in context.mesh.shape.items() if name not in manual)


def is_exported(ctx) -> bool:
  """Whether a program is lowered for `jax.export`."""
  parameters = getattr(ctx.module_context, "lowering_parameters", None)
  return getattr(parameters, "for_export", False)


def refuse_export(ctx) -> None:
  """Raises ValueError if a program with the partitioning rule is lowered for `jax.export`."""
  module = ctx.module_context
  if is_exported(ctx) and (getattr(module.axis_context, "num_devices", None) or 1) > 1:
    raise ValueError(
        "A program for several devices that jax.export exports has a product of jaxgemm with a "
        "partitioning rule. XLA calls this rule in this process, so jax cannot export it. Call the "
        "product inside jax.shard_map over all axes of the mesh, use explicit mesh axes, or pass "
        "config=jaxgemm.GemmConfig(partition=False) if XLA may gather the operands.")


def explicit_mesh(*arrays):
  """The mesh with explicit axes, which are part of the arrays' types, or None.

  It is the mesh of the arrays, which need no `jax.set_mesh`, else the mesh in context.
  """
  meshes = [jax.typeof(x).sharding.mesh for x in arrays if x is not None]
  meshes.append(jax.sharding.get_abstract_mesh())
  return next((mesh for mesh in meshes if not mesh.empty and mesh.explicit_axes), None)


def _is_vmapped(partition: bool | None) -> bool:
  """Whether `jax.vmap` maps along explicit axes, which the types inside of it do not have.

  A `jax.shard_map` would gather operands along these axes. The partitioning rule does not.

  Args:
    partition: see GemmConfig; a ValueError is raised if the rule is left out.
  """
  from jax._src import core  # jax has no public function for these names
  axes = getattr(core.get_axis_env(), "explicit_mesh_axis_names", ())
  if axes and partition is False:
    raise ValueError(
        f"partition=False was given inside jax.vmap along the explicit mesh axes "
        f"{sorted(axes)}; operands would be gathered along them. Leave partition out, pass "
        "the dimension as a batch of jaxgemm.matmul, or use jax.shard_map.")
  return bool(axes)


def _with_automatic_axes(mesh, function, result):
  """`function`, inside which the mesh's explicit axes are automatic, too.

  Args:
    mesh: see `explicit_mesh`.
    function: a function of pytrees of arrays that returns an array.
    result: see `on_mesh`.
  """
  automatic = jax.sharding.auto_axes(
      function, axes=mesh.explicit_axes, out_sharding=result.sharding)
  # The gradient of a shard_map over other axes cannot save arrays with the types inside of
  # `function`. With the checkpoint it saves the operands, which have the types outside.
  return jax.checkpoint(automatic, prevent_cse=False) if mesh.manual_axes else automatic


def on_mesh(compute, by_types, operands, partition: bool | None, result) -> Callable:
  """The function of the operands: compute, or by_types of the mesh if shardings are in the types.

  Inside of `compute` all axes of the mesh are automatic, except those of a `jax.shard_map`.

  Args:
    compute: a function of pytrees of arrays that returns an array.
    by_types: a function of the mesh and such pytrees, for meshes whose axes are all explicit. None:
      `compute` is used for these, too.
    operands: pytrees of arrays.
    partition: see GemmConfig.
    result: shape and sharding of the array outside the functions.
  """
  mesh = explicit_mesh(*jax.tree.leaves(operands))
  if mesh is None:
    return compute
  if by_types is None or mesh.auto_axes or mesh.manual_axes or _is_vmapped(partition):
    return _with_automatic_axes(mesh, compute, result)
  return functools.partial(by_types, mesh)


def unreduced_reason(*shardings) -> str | None:
  """Why the kernels leave a product with these shardings to XLA, or None."""
  for x in shardings:
    spec = getattr(x, "spec", None)
    axes = getattr(spec, "unreduced", None) or getattr(spec, "reduced", None)
    if axes:
      return (f"{spec} has sums over the mesh axes {sorted(axes)} that are still to be "
              "done, and the kernels do not work on such partial sums")
  return None


def axes_of(x) -> list[tuple[str, ...]]:
  """For each dimension of an array its mesh axes, without those of size 1."""
  # A GSPMDSharding has no axis names. Such operands count as replicated.
  spec = tuple(x.sharding.spec) if isinstance(x.sharding, NamedSharding) else ()
  spec += (None,) * (len(x.shape) - len(spec))
  given = (axes if isinstance(axes, tuple) else (axes,) for axes in spec)
  return [tuple(a for a in axes if a is not None and x.sharding.mesh.shape[a] > 1)
          for axes in given]


def partly_manual() -> jax.sharding.AbstractMesh | None:
  """The mesh in context, if some of its axes are manual and others automatic."""
  mesh = jax.sharding.get_abstract_mesh()
  return mesh if mesh.manual_axes and mesh.auto_axes else None


class Named(NamedTuple):
  """The arguments of a partitioning rule, with names for the axes.

  Attributes:
    mesh: a mesh of the operands' devices; the function of each device may use its axes.
    of_shardings: the mesh of all shardings.
    operands: shapes with a NamedSharding, if the program has a mesh.
    results: the same, if the results' shardings are known.
  """

  mesh: jax.sharding.Mesh
  of_shardings: jax.sharding.Mesh | jax.sharding.AbstractMesh
  operands: Sequence
  results: Sequence


def named(mesh, operands, results, within: jax.sharding.AbstractMesh | None) -> Named:
  """The arguments that jax gives a partitioning rule, as `Named`.

  Inside a `jax.shard_map` over some axes jax gives no mesh, and its shardings over the other
  axes have no names.

  Args:
    within: the result of `partly_manual` while the call was traced.
  """
  devices = sorted(operands[0].sharding.device_set, key=lambda device: device.id)
  if within is None:
    if mesh.empty:  # a mesh of the operands' devices, if the program has none
      mesh = jax.sharding.Mesh(np.array(devices), ("devices",))
    return Named(mesh, mesh, operands, results)
  whole = jax.sharding.Mesh(np.array(devices).reshape(within.axis_sizes), within.axis_names)
  names = tuple(a for a in within.axis_names if a in within.auto_axes)
  rest = jax.sharding.AbstractMesh(tuple(within.shape[a] for a in names), names)

  def with_names(x):
    # The sharding has no names of axes here. It says into how many parts each dimension is cut. The
    # first unused axes, in the mesh's order, that make as many parts are taken. If several axes
    # have one size, the array may be cut along others, and XLA then reshards it.
    free, spec = [a for a in names if rest.shape[a] > 1], []
    cut = (x.sharding.shard_shape(x.shape) if getattr(x, "sharding", None) is not None
           else x.shape)
    for size, part in zip(x.shape, cut):
      parts = -(-size // part) if part else 1
      found = next((axes for count in range(len(free) + 1)
                    for axes in itertools.combinations(free, count)
                    if math.prod(rest.shape[a] for a in axes) == parts), ())
      free = [a for a in free if a not in found]
      spec.append(found or None)
    return jax.ShapeDtypeStruct(
        x.shape, x.dtype, sharding=NamedSharding(rest, PartitionSpec(*spec)))

  return Named(whole, rest, [with_names(x) for x in operands],
               [with_names(x) for x in results])


def without_explicit_axes(block):
  """The function that each device computes, so that it works under an explicit `jax.set_mesh`.

  jax traces `block` under that mesh and puts the mesh into its types. From jax 0.12 on, sums
  in it would then get shardings that XLA cannot compile.
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
