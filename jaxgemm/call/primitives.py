"""What our primitives have in common."""

import functools

import jax
from jax.extend.core import Primitive
import jax.numpy as jnp


def reshaped(aval, shape):
  """The aval with another shape: it keeps the mesh and the varying axes of shard_map."""
  replicated = jax.sharding.PartitionSpec(*(None,) * len(shape))
  return aval.update(
      shape=tuple(shape), sharding=aval.sharding.update(spec=replicated))


def run_by_jit(primitive: Primitive) -> None:
  """Lets a primitive be called outside of jax.jit, where it is compiled as one jitted function."""
  @functools.lru_cache(maxsize=1024)
  def jitted(**params):
    return jax.jit(functools.partial(primitive.bind, **params))

  @primitive.def_impl
  def _impl(*operands, **params):
    with jax.disable_jit(False):  # under disable_jit(True) the jitted function would call _impl
      return jitted(**params)(*operands)


def batched_in_front(operands, axes) -> list[jax.Array]:
  """The operands of a rule for vmap, all with the new dimension in front."""
  size = next(x.shape[axis] for x, axis in zip(operands, axes, strict=True) if axis is not None)
  return [jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0)
          for x, axis in zip(operands, axes, strict=True)]
