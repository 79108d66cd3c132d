"""Along which axes of a `jax.shard_map` around a call arrays differ from device to device."""

import jax
from jax import lax


def varying(x) -> frozenset:
  """The axes of a shard_map along which x differs, if jax keeps track of them."""
  # jax 0.10 and 0.11 keep the varying manual axes of shard_map in the aval's
  # manual_axis_type, older and some newer versions in its vma.
  aval = jax.typeof(x)
  manual = getattr(aval, "manual_axis_type", None)
  return frozenset(manual.varying if manual is not None else aval.vma)


def is_tracked(axis_name: str) -> bool:
  """Whether jax keeps track of the arrays that differ along an axis: with check_vma=True."""
  return bool(varying(lax.axis_index(axis_name)))


def untracked_axes() -> tuple[str, ...]:
  """The axes of a `jax.shard_map` around a call along which jax tracks nothing: check_vma=False.

  What must know there whether devices share an array has to refuse the call.
  """
  mesh = jax.sharding.get_abstract_mesh()
  return tuple(a for a in mesh.manual_axes if mesh.shape[a] > 1 and not is_tracked(a))


def unify_varying(operands, *names: str):
  """The operands, cast so that all vary along the same axes of a shard_map.

  These are the axes along which one of them varies, and `names`.
  """
  axes = frozenset(names).union(*map(varying, operands))
  return [
      lax.pcast(x, tuple(sorted(axes - varying(x))), to="varying")
      if axes - varying(x) else x
      for x in operands
  ]
