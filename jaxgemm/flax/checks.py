"""Errors and warnings about the options and arrays of the layers."""

from collections.abc import Mapping
import inspect
import operator
from typing import Any
import warnings

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import fp8
from jaxgemm.call import fallback
from jaxgemm.call.config import ACTIVATIONS, did_you_mean
from jaxgemm.call.options import dtype_argument
from jaxgemm.flax import experts as experts_lib
from jaxgemm.flax import routing as routing_lib
from jaxgemm.flax import shapes
from jaxgemm.flax.experts import MoEParams
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import is_tracked, varying
from jaxgemm.sharding.parts import likely_cause

DISPATCHES = ("gather", "all_to_all", "overlap")


def as_node_limit(given, num_experts: int, top_k: int) -> routing_lib.NodeLimit | None:
  """The checked `routing.NodeLimit` from the argument node_limit of a layer, or None."""
  if given is None:
    return None
  if not isinstance(given, tuple) or len(given) != 2:
    raise TypeError(
        f"node_limit={given!r} was given; a tuple (nodes, most) is allowed, or None. Pass "
        "node_limit=(8, 4), for example.")
  limit = routing_lib.NodeLimit(*given)
  limit.check(num_experts, top_k)
  return limit


def check_layer(given: Mapping[str, Any]) -> None:
  """`check_options` of a layer's arguments, or of its attributes, by name."""
  check_options(**{name: given[name] for name in _CHECKED}, **{
      name: given[name] for name in ("features", "hidden_features") if name in given})


def check_options(
    num_experts: int, top_k: int, activation: experts_lib.Activation, *,
    num_shared_experts: int = 0, dtype=None, node_limit=None, gated: bool = True,
    router_scores: str = "softmax", recipe: str | None = None, ragged_dot=None,
    ragged_gated_linear_unit=None, sharded_tokens: bool | None = None, expert_axis_name=None,
    dispatch: str = "gather", dispatch_room: float | None = None, **widths: int,
) -> None:
  """Raises TypeError or ValueError for options that the layers do not allow."""
  sizes = widths | {"num_experts": num_experts, "top_k": top_k,
                    "num_shared_experts": num_shared_experts}
  for name, value in sizes.items():
    try:
      operator.index(value)
    except TypeError as error:
      raise TypeError(
          f"{name}={value!r} was given; an int is allowed. Pass a Python int.") from error
  for name, least in {"num_shared_experts": 0, **dict.fromkeys(widths, 1)}.items():
    if sizes[name] < least:
      raise ValueError(
          f"{name}={sizes[name]} was given; at least {least} is allowed. Pass a larger number.")
  if not 1 <= top_k <= num_experts:
    raise ValueError(
        f"top_k={top_k} of num_experts={num_experts} experts was asked for; a token "
        "goes to at least one expert and at most to all. Change one of the two."
    )
  as_node_limit(node_limit, num_experts, top_k)
  if isinstance(activation, experts_lib.ClampedSwiGLU):
    if not gated:
      raise ValueError(
          f"activation={activation} was given for experts without a gate; it is allowed with one, "
          "because it multiplies gate and up. Pass gated=True, or parameters with gate_up.")
  elif not isinstance(activation, str) or activation not in ACTIVATIONS:
    raise ValueError(
        f"activation={activation!r} is unknown; allowed are "
        f"{', '.join(map(repr, ACTIVATIONS))} and a ClampedSwiGLU. Pass one of these."
        f"{did_you_mean(activation, ACTIVATIONS)}"
    )
  if not isinstance(router_scores, str) or router_scores not in routing_lib.SCORES:
    raise ValueError(
        f"router_scores={router_scores!r} is unknown; "
        f"{' and '.join(map(repr, routing_lib.SCORES))} are allowed. Pass one of these.")
  if recipe is not None:
    fp8.recipes.check(recipe, None)
    if ragged_dot is not None or ragged_gated_linear_unit is not None:
      raise ValueError(
          f"recipe={recipe!r} was given with a ragged_dot or ragged_gated_linear_unit; the recipe "
          "chooses the experts' products. Leave one of the two out.")
  if sharded_tokens is not None and not isinstance(sharded_tokens, bool):
    raise TypeError(
        f"sharded_tokens={sharded_tokens!r} was given; True, False or None is allowed. Pass "
        "whether the tokens of x are sharded along expert_axis_name.")
  if sharded_tokens and expert_axis_name is None:
    raise ValueError(
        "sharded_tokens=True was given without expert_axis_name, the mesh axis of tokens and "
        "experts. Pass expert_axis_name inside jax.shard_map, or leave sharded_tokens out.")
  if not isinstance(dispatch, str) or dispatch not in DISPATCHES:
    raise ValueError(
        f"dispatch={dispatch!r} was given; one of {', '.join(map(repr, DISPATCHES))} is allowed. "
        "Pass one of these.")
  if dispatch_room is not None:
    if isinstance(dispatch_room, bool) or not isinstance(dispatch_room, (int, float)):
      raise TypeError(
          f"dispatch_room={dispatch_room!r} was given; a float is allowed, or None. Pass for how "
          "many times the balanced number of rows a device has room, 1.5 for example; of an array "
          "float(array), outside of jax.jit.")
    if dispatch != "overlap":
      raise ValueError(
          f"dispatch_room was given with dispatch={dispatch!r}; it is allowed with "
          "dispatch='overlap'. Pass that, or leave dispatch_room out.")
    if not dispatch_room >= 1:
      raise ValueError(
          f"dispatch_room={dispatch_room!r} was given; at least 1 is allowed. Pass a larger "
          "number, or leave it out.")
  if dtype is not None:
    dtype = dtype_argument("dtype", dtype)
    if not jnp.issubdtype(dtype, jnp.floating) or dtype.itemsize < 2:
      raise TypeError(
          f"dtype={dtype.name} was given; a float of 16 bits or more is allowed, for the values "
          "between the products. 8-bit operands need scales: pass recipe=, or a ragged_dot "
          "that casts and scales them."
      )


_CHECKED = tuple(name for name, x in inspect.signature(check_options).parameters.items()
                 if x.kind != x.VAR_KEYWORD)


def warn_of_router(
    num_experts: int, top_k: int, normalize_weights: bool, router_scores: str) -> None:
  """Warns, where a layer is made, if its result does not depend on the values of the router."""
  if top_k == 1 and normalize_weights:
    given, remedy = "top_k=1 and normalize_weights=True were", "Pass normalize_weights=False"
  elif num_experts == 1 and router_scores == "softmax":
    given, remedy = "num_experts=1 was", "Pass router_scores='sigmoid', or use a plain MLP"
  else:
    return
  warnings.warn(
      f"{given} given: the weight of a token's only expert is 1, whatever the router gives, so "
      f"that the router has no gradient from the layer's result. {remedy}.",
      stacklevel=fallback.callers_level())


def num_features(x: jax.Array) -> int:
  """x's last dimension; raises TypeError or ValueError if x is complex or a scalar."""
  if jnp.issubdtype(x.dtype, jnp.complexfloating):
    raise TypeError(
        f"x is of {x.dtype}; a dtype of real numbers is allowed. Pass its real and imaginary "
        "parts as features, for example.")
  if x.ndim == 0:
    raise ValueError(
        "x has the shape (); [..., features] is allowed. Give it a last dimension.")
  return x.shape[-1]


def check_shapes(x: jax.Array, params: MoEParams, expert_axis_name, tensor_axis_name=None, *,
                 num_experts: int | None = None, hidden_features: int = 0,
                 num_shared_experts: int = 0, **known: int) -> None:
  """Raises TypeError or ValueError if x and one device's parameters do not fit each other.

  Args:
    x, params, expert_axis_name, tensor_axis_name: see `moe`.
    num_experts, hidden_features, num_shared_experts, known: sizes of the layer, if they are known;
      see `shapes.check`.
  """
  num_features(x)
  params = fp8.originals(params)
  shards = num_shards(expert_axis_name)
  if num_experts is not None:
    hidden = hidden_features // num_shards(tensor_axis_name, "tensor_axis_name")
    known |= {"experts": num_experts, "local": num_experts // shards, "hidden": hidden,
              "shared": num_shared_experts * hidden}
  shapes.check(x, params, shards, **known)


def num_shards(axis_name, option: str = "expert_axis_name") -> int:
  if axis_name is None:
    return 1
  if not isinstance(axis_name, (str, tuple)):
    raise TypeError(
        f"{option}={axis_name!r} was given; the name of a mesh axis is allowed, a tuple of "
        "names, or None. Pass the axis of jax.shard_map.")
  try:
    return lax.axis_size(axis_name)
  except NameError as error:
    raise ValueError(
        f"{option}={axis_name!r} was given, and the layer is called where there "
        "is no mesh axis of this name. Call it inside jax.shard_map over a mesh that "
        f"has the axis, or leave {option} out, which the layer needs only inside of "
        "jax.shard_map."
    ) from error


def first_expert_of(params: MoEParams, axis_name) -> jax.Array | None:
  """int32[1], the number of this shard's first expert, or None without an axis_name."""
  shards = num_shards(axis_name)
  num_experts, num_local = params.router.shape[-1], params.experts.down.shape[0]
  if num_local * shards != num_experts:
    where = "no expert_axis_name" if axis_name is None else (
        f"{shards} shards along {axis_name!r}")
    raise ValueError(
        f"The router has num_experts={num_experts} and the kernels have {num_local}, "
        f"with {where}; each shard must hold num_experts / shards of them. Pass the kernels of all "
        "experts, or call the layer inside jax.shard_map with expert_axis_name, and shard the "
        "kernels' leading dimension along that axis."
        + likely_cause({"params.router": params.router, "params.experts.down": params.experts.down})
    )
  if axis_name is None:
    return None
  return (lax.axis_index(axis_name) * num_local).astype(jnp.int32)[None]


def check_params(params) -> None:
  for name, given, allowed in (
      ("params", params, MoEParams),
      ("params.experts", getattr(params, "experts", None), experts_lib.Mlp)):
    if not isinstance(given, allowed):
      raise TypeError(
          f"{name} is of type {type(given).__name__}; {allowed.__name__} is allowed. "
          f"Pass a jaxgemm.flax.{allowed.__name__}; for a dictionary write "
          f"{allowed.__name__}(**dictionary)."
      )
  if params.router is None or jnp.ndim(params.router) != 2:
    given = "None" if params.router is None else (
        f"of shape {jnp.shape(params.router)}")
    raise TypeError(
        f"params.router is {given}; an array of shape (features, num_experts) is "
        "allowed. It gives the experts' weights, also if experts are passed. For a "
        "router of your own use jaxgemm.ragged_dot.")


def check_prepared(params: MoEParams, recipe: str | None) -> None:
  """Raises ValueError for weights that were prepared for another recipe than that of the layer."""
  is_prepared = lambda x: isinstance(x, fp8.PreparedWeight)
  found = {x.recipe for x in jax.tree.leaves(params, is_leaf=is_prepared) if is_prepared(x)}
  if found - {recipe}:
    raise ValueError(
        f"recipe={recipe!r} was given with weights that jaxgemm.fp8.prepare has quantised for "
        f"recipe={found.pop()!r}; equal recipes are allowed. Pass the same recipe to both.")


def check_experts(experts, choices: tuple[int, ...]) -> None:
  dtype = getattr(experts, "dtype", None)
  if dtype is None or not jnp.issubdtype(dtype, jnp.integer):
    given = type(experts).__name__ if dtype is None else dtype.name
    raise TypeError(
        f"experts is of {given}; an array of integers is allowed: the numbers of the "
        "experts. Pass `MoEStats.experts`, or cast it to int32."
    )
  if experts.shape != choices:
    raise ValueError(
        f"experts has the shape {experts.shape} and must have {choices}: top_k "
        "experts for each token of x. Pass `MoEStats.experts` of the same tokens."
        + likely_cause({"experts": experts})
    )


def _varies_along(axis_name, tree) -> bool:
  """Whether an array in the tree differs along a mesh axis, if jax keeps track of that."""
  axes = {*meshes.names(axis_name)}
  return any(axes & varying(leaf) for leaf in jax.tree.leaves(tree))


def has_sharded_tokens(given: bool | None, axis_name, x) -> bool:
  """Whether the tokens of x are sharded along the axis of the experts.

  Args:
    given: the argument sharded_tokens of `moe`.
    axis_name: expert_axis_name, which is not None.
    x: the tokens.
  """
  if given is None and not all(is_tracked(name) for name in meshes.names(axis_name)):
    raise ValueError(
        f"expert_axis_name={axis_name!r} was given where jax does not keep track of the arrays "
        "that differ along a mesh axis: in jax.shard_map with check_vma=False, or in jax.vmap. So "
        "it is not known whether the tokens of x are sharded along this axis. Pass "
        "sharded_tokens=True if they are, sharded_tokens=False if all devices along the axis have "
        "the same tokens, or leave check_vma out.")
  varies = _varies_along(axis_name, x)
  if given is False and varies:
    raise ValueError(
        f"sharded_tokens=False was given, and x varies along the mesh axis {axis_name!r}, which is "
        "expert_axis_name; False is allowed for an x that is the same on all devices along it. "
        "Pass sharded_tokens=True or leave it out, or pass x with in_specs P().")
  return varies if given is None else given


def check_same_along(option: str, axis_name, **arrays) -> None:
  """Raises ValueError for arrays that must not differ along a mesh axis.

  Args:
    option: the name of the argument whose value is axis_name.
    axis_name: an axis of a shard_map, or several.
    arrays: pytrees by name.
  """
  for name, given in arrays.items():
    if _varies_along(axis_name, given):
      raise ValueError(
          f"{name.replace('_', ' ')} varies along the mesh axis {axis_name!r}, and {option} is "
          "that axis; the values must be the same on all devices along the axis. Pass them with "
          "in_specs P(), or sharded along other axes only. (Experts given for tokens that are "
          "sharded along the axis are sharded with the tokens.)"
      )
