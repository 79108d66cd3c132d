"""Whether the shapes of a layer's tokens and parameters fit each other, and which one does not.

Each dimension of each array has a size of the layer: its features, experts, or hidden features. An
array is wrong if the others agree on another size.
"""

from collections import Counter
from typing import Any

import jax.numpy as jnp

from jaxgemm.call.quantized import values_of
from jaxgemm.sharding.parts import likely_cause

_OF_EXPERT: dict[str, tuple[str, ...]] = {
    "down": ("hidden", "features"), "up": ("features", "hidden"),
    "gate_up": ("features", "2", "hidden"), "down_bias": ("features",), "up_bias": ("hidden",),
    "gate_up_bias": ("2", "hidden"),
}
_WORDS = {"features": "features", "experts": "experts", "local": "experts of one device",
          "hidden": "hidden features", "shared": "hidden features of the shared expert",
          "2": "gate and up"}


def _dimensions(x, params) -> dict[str, tuple[Any, tuple[str, ...]]]:
  """(array, the sizes of its dimensions) by the name of the array; without absent arrays."""
  found = {"params.router": (params.router, ("features", "experts")),
           "params.router_bias": (params.router_bias, ("experts",))}
  for name, sizes in _OF_EXPERT.items():
    of_shared = tuple("shared" if size == "hidden" else size for size in sizes)
    found[f"params.experts.{name}"] = getattr(params.experts, name), ("local", *sizes)
    found[f"params.shared.{name}"] = getattr(params.shared, name, None), of_shared
  found = {name: (jnp.asarray(values_of(array)), sizes) for name, (array, sizes) in found.items()
           if array is not None}
  return found | {"x": (x, (None,) * (x.ndim - 1) + ("features",))}


def _sizes(arrays, shards: int) -> dict[str, int]:
  """The sizes on which most arrays agree; of two with equally many the larger one."""
  votes: dict[str, Counter] = {"2": Counter([2])}
  for array, sizes in arrays.values():
    for size, count in zip(sizes, array.shape):
      votes.setdefault(size, Counter())[count] += 1

  found = {size: max(counts, key=lambda count: (counts[count], count))
           for size, counts in votes.items() if size is not None}
  of_kernels = found["local"] * shards
  if of_kernels in votes["experts"]:
    found["experts"] = of_kernels
  elif found["experts"] % shards == 0 and found["experts"] // shards in votes["local"]:
    found["local"] = found["experts"] // shards
  return found


def check(x, params, shards: int, **known: int) -> None:
  """Raises ValueError if shapes do not fit each other. The error names the arrays that are wrong.

  Args:
    x: the tokens, an array of shape [..., features].
    params: a `MoEParams`, whose arrays are one device's parts.
    shards: the number of devices that share the experts.
    known: sizes of the layer. If arrays do not fit each other, these tell which one is wrong.
  """
  arrays = _dimensions(x, params)
  for name, (array, sizes) in arrays.items():
    if array.ndim != len(sizes):
      raise ValueError(
          f"{name} has shape {array.shape}; {len(sizes)} dimensions are allowed: "
          f"({', '.join(_WORDS[size] for size in sizes)}). Pass the parameters of a layer.")
  sizes_of_layer = _sizes(arrays, shards)

  def wrong() -> dict[str, Any]:
    return {name: array for name, (array, sizes) in arrays.items()
            if any(size is not None and count != sizes_of_layer[size]
                   for size, count in zip(sizes, array.shape))}

  bad = wrong()
  if not bad and sizes_of_layer["local"] * shards == sizes_of_layer["experts"]:
    return
  sizes_of_layer |= known
  bad = wrong() or bad
  if not bad:
    return  # see `_first_expert`
  if [*bad] == ["x"]:
    remedy = likely_cause(bad) or " Reshape or transpose it."
    raise ValueError(
        f"x has {x.shape[-1]} features in its last dimension and the layer has "
        f"{sizes_of_layer['features']}; equal numbers are allowed. x's shape is {x.shape}."
        f"{remedy}")
  bad.pop("x", None)
  said = []
  for name, array in bad.items():
    sizes = arrays[name][1]
    wanted = tuple(sizes_of_layer[size] for size in sizes)
    said.append(f"{name} has shape {array.shape}; {wanted} is allowed: "
                f"({', '.join(_WORDS[size] for size in sizes)})")
  remedy = likely_cause(bad) or " Pass the parameters of one layer."
  raise ValueError(f"{'. '.join(said)}. The other arrays of the layer have these sizes.{remedy}")
