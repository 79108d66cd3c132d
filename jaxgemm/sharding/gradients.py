"""`with_primal_sharding` gives a gradient the sharding of its primal array, on automatic meshes.

XLA derives a gradient's sharding from the operands. The operands of the gradient of the
experts' weights are rows and cotangents, which have no dimension of experts. So without
`with_primal_sharding` every device would compute the gradient of all experts.
"""

import functools

from jax.experimental.custom_partitioning import (
  ArrayMapping,
  SdyShardingRule,
  custom_partitioning,
)
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from jaxgemm.sharding import mesh as meshes

_with_primal_sharding_p = Primitive("jaxgemm_with_primal_sharding")


@functools.lru_cache
def _partitioned(rank: int, within):
  def place(asked: meshes.Named):
    axes = (x or None for x in meshes.axes_of(asked.operands[1]))
    return NamedSharding(asked.of_shardings, PartitionSpec(*axes))

  def partition(mesh, operands, result):
    del result
    asked = meshes.named(mesh, operands, (), within)
    chosen = place(asked)
    return asked.mesh, lambda x, like: x, chosen, (chosen, chosen)

  def infer_sharding_from_operands(mesh, operands, result):
    del result
    return place(meshes.named(mesh, operands, (), within))

  fun = custom_partitioning(lambda x, like: x)
  dimensions = ArrayMapping(*(f"d{i}" for i in range(rank)))
  fun.def_partition(
      partition=partition,
      infer_sharding_from_operands=infer_sharding_from_operands,
      sharding_rule=SdyShardingRule((dimensions, dimensions), (dimensions,)))
  return fun


def with_primal_sharding(x, like):
  """x with the sharding of `like`, an array of x's shape; x's cotangent gets it too."""
  partitioned = meshes.partitioned_jaxpr(
      _partitioned(x.ndim, meshes.partly_manual()), (x, like), meshes.partly_manual())
  return _with_primal_sharding_p.bind(x, like, partitioned=partitioned)


_with_primal_sharding_p.def_impl(lambda x, like, partitioned: x)
_with_primal_sharding_p.def_abstract_eval(lambda x, like, partitioned: x)


def _lowering(ctx, x, like, *, partitioned):
  return mlir.lower_fun(jaxpr_as_fun(partitioned), multiple_results=True)(ctx, x, like)


mlir.register_lowering(_with_primal_sharding_p, _lowering)


def _jvp(primals, tangents, *, partitioned):
  del partitioned
  tangent, like = tangents[0], primals[1]
  if type(tangent) is not ad.Zero:
    tangent = with_primal_sharding(tangent, like)
  return with_primal_sharding(*primals), tangent


def _transpose(ct, x, like, *, partitioned):
  del x, partitioned
  return [ct if type(ct) is ad.Zero else with_primal_sharding(ct, like), None]


def _batch(operands, axes, *, partitioned):
  del partitioned
  (x, like), (axis, of_like) = operands, axes
  if axis is None or of_like is None:
    return x, axis
  return with_primal_sharding(x, jnp.moveaxis(like, of_like, axis)), axis


ad.primitive_jvps[_with_primal_sharding_p] = _jvp
ad.primitive_transposes[_with_primal_sharding_p] = _transpose
batching.primitive_batchers[_with_primal_sharding_p] = _batch
