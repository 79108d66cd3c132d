"""A dropless mixture-of-experts layer as a function of arrays.

A token is copied to one row for each of its experts, and the rows are sorted by expert.
Each product of the experts is then one grouped product over all rows, and the results
of a token's rows are added up. The host reads neither the routing nor the group sizes, which
are int32. Shapes do not depend on the routing, and no array of size tokens x experts x
features is made.

Values that a policy of `jax.checkpoint` may want to keep have names: "jaxgemm_preact" is the value
before the activation (call/epilogue.py), and "jaxgemm_moe_out" the result of the layer.
"jaxgemm_moe_rows" are the results of the rows, where the gradient of the router reads them.
"""

from collections.abc import Callable
import functools
import inspect
from typing import Any

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxgemm import fp8
from jaxgemm.call.quantized import stand_in, values_of
from jaxgemm.call.transposes import INLINE
from jaxgemm.collective import blocks
from jaxgemm.flax import dispatch as dispatch_lib
from jaxgemm.flax import experts as experts_lib
from jaxgemm.flax import routing as routing_lib
from jaxgemm.flax.checks import (
  as_node_limit,
  check_experts,
  check_options,
  check_params,
  check_prepared,
  check_same_along,
  check_shapes,
  first_expert_of,
  has_sharded_tokens,
  num_shards,
)
from jaxgemm.flax.experts import MoEParams
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import is_tracked, unify_varying
from jaxgemm.sharding.rules import on_explicit_mesh


def _with_bias_of_one_shard(mlp: experts_lib.Mlp | None, axes: tuple[str, ...]):
  """The parameters of experts, where one shard along the axes has the last bias, others zeros."""
  if not axes or mlp is None or mlp.down_bias is None:
    return mlp
  return mlp._replace(down_bias=jnp.where(lax.axis_index(axes) == 0, mlp.down_bias, 0))


def _on_explicit_mesh(mesh, compute, x, params: MoEParams, experts):
  """Computes `_moe` by `jax.shard_map`, for arrays with shardings in their types.

  Tokens stay sharded, and so do experts along mesh axes that the tokens do not have.
  Features are gathered, and so are experts along the tokens' axes.
  """
  features = meshes.axes_of(jax.typeof(x))[-1] or None
  rows = [axes or None for axes in meshes.axes_of(jax.typeof(x))[:-1]]
  token_axes = tuple(a for axes in rows if axes for a in axes)
  down = jax.typeof(values_of(fp8.originals(params.experts.down)))
  expert_axes = tuple(a for a in meshes.axes_of(down)[0]
                      if a not in token_axes) or None

  def body(x, params, experts):
    first_expert = first_expert_of(params, expert_axes)
    return compute(x, params, experts, first_expert, expert_axis_name=expert_axes,
                   token_axes=token_axes)

  place = lambda *axes: NamedSharding(mesh, P(*axes))
  everywhere = lambda tree: jax.tree.map(lambda _: place(), tree)
  of_params = MoEParams(
      place(), jax.tree.map(lambda _: place(expert_axes), params.experts),
      everywhere(params.shared), everywhere(params.router_bias))
  in_shardings = (place(*rows, None), of_params,
                  None if experts is None else place(*rows, None))
  of_stats = routing_lib.MoEStats._make(
      place(*rows, None) if name == "experts" else place()
      for name in routing_lib.MoEStats._fields)
  return on_explicit_mesh(
      mesh, body, (x, params, experts), in_shardings, (in_shardings[0], of_stats),
      (place(*rows, features), of_stats))


def moe(
    x: jax.Array,
    params: MoEParams,
    experts: jax.Array | None = None,
    *,
    top_k: int,
    activation: experts_lib.Activation = "silu",
    router_scores: str = "softmax",
    normalize_weights: bool = True,
    routed_scaling: float = 1.0,
    node_limit: tuple[int, int] | None = None,
    recipe: str | None = None,
    dtype=None,
    precision=None,
    dot_general: Callable | None = None,
    ragged_dot: Callable | None = None,
    ragged_gated_linear_unit: Callable | None = None,
    expert_axis_name: str | tuple[str, ...] | None = None,
    sharded_tokens: bool | None = None,
    dispatch: str = "gather",
    dispatch_room: float | None = None,
    tensor_axis_name: str | tuple[str, ...] | None = None,
) -> tuple[jax.Array, routing_lib.MoEStats]:
  """A mixture of experts; no token is dropped, whatever the load.

  Args:
    x: array of shape [..., C], of floats.
    params: see `MoEParams`.
    experts: integer array of shape [..., top_k]: the routing of an earlier call
      (`MoEStats.experts`), to repeat it. None lets the router choose. As in jnp
      indexing, negative numbers count from the end, and numbers out of range are
      clamped.
    top_k: number of experts of each token.
    activation: "silu" (with a gate: SwiGLU), another one of `jaxgemm.matmul`, or a
      `ClampedSwiGLU`, the one of gpt-oss.
    router_scores: the affinities of a token and the experts: "softmax" of the logits, or
      "sigmoid" (as in DeepSeek-V3, arXiv:2412.19437). `MoEParams.router_bias` is added to them
      for the choice.
    normalize_weights: whether the experts' weights are the affinities of the chosen experts
      divided by their sum (True, as in Mixtral, arXiv:2401.04088, and DeepSeek-V3) or the
      affinities (False, as in DeepSeek-V2, arXiv:2405.04434). With top_k=1 and True the weight is
      1, and the router has no gradient from the result: pass False, as in Switch.
    routed_scaling: factor of these weights, 2.5 in DeepSeek-V3.
    node_limit: (nodes, most): `nodes` nodes have equal parts of the experts, in their order, and
      the experts of a token are on at most `most` of them. This bounds the data sent between
      nodes. See `jaxgemm.flax.NodeLimit`. None: no limit.
    recipe: with a recipe of `jaxgemm.fp8.ragged_dot`, "rowwise" for example, the products of
      the experts and of the shared expert are in float8, also those of the gradients. The
      router's product is not. Kernels are quantised from their own dtype.
    dtype: dtype of the experts' products and of the result; None infers it from x and
      the kernels. The router and all sums over experts are at least float32.
    precision: passed to the products.
    dot_general: function with the signature of `jax.lax.dot_general`, for router and shared
      experts. None means `jaxgemm.dot_general`.
    ragged_dot: function with the signature of `jax.lax.ragged_dot`, for the experts. None means
      `jaxgemm.ragged_dot`. A function that also has the parameters bias, activation and
      group_offset gets these.
    ragged_gated_linear_unit: function with the signature of jaxgemm's, for gate and up of the
      experts. None means `jaxgemm.ragged_gated_linear_unit`, or `ragged_dot` if that is not
      jaxgemm's.
    expert_axis_name: inside `jax.shard_map`, the mesh axis (or axes) along which the experts'
      leading dimension is sharded. All parameters but the experts' must be the same along
      this axis (in_specs P()). Each shard computes the rows of its experts. If x is the
      same along the axis, too, one psum adds up the results.
    sharded_tokens: whether the tokens of x are sharded along expert_axis_name. Then each
      shard routes its own tokens, which get to their experts by `dispatch`; the statistics
      are those of all tokens. None: they are sharded if x varies along the axis. With
      check_vma=False jax does not know this, and True or False must be passed.
    dispatch: how tokens that are sharded along expert_axis_name get to their experts.
      "gather": all shards gather tokens and routing, and a reduce-scatter brings the results.
      "overlap": each token is sent once to the other shards, and the sum over the experts of a
      shard is sent back, while the products of other rows run. It is for GPUs of one process,
      whose copy engines send; elsewhere `jax.lax.ppermute` does. The sums of a shard are rounded
      to `dtype`. Gated experts have first derivatives, in reverse mode.
      "all_to_all": each row is sent to the shard of its expert, and its result is sent back, by
      `jax.lax.ragged_all_to_all`. With d shards this sends about top_k / d of the bytes that
      "gather" sends. (XLA has no such collective on CPUs; there an all-to-all of the largest
      possible blocks takes its place, which sends more.)
    dispatch_room: with dispatch="overlap", for how many rows a device has room, for those of its
      own tokens and for those of the other devices' tokens: a multiple of their balanced number,
      1.5 for example. It saves memory. No row is dropped without a sign: if more rows of own
      tokens, or of the others', come to a device than it has room for, the results of all of these
      tokens are NaN, and so are all gradients of the device. `float(MoEStats.dispatch_room)` would
      have been enough. None: room for all rows that could come.
    tensor_axis_name: inside `jax.shard_map`, the mesh axis (or axes) along which the hidden
      features of all experts, also of the shared one, are sharded: H in `Mlp`, in all arrays
      that have it. One psum along the axis adds up the results. x, the router and the last
      biases must be the same along it.

  Returns:
    The result [..., C] in `dtype`, and the `MoEStats`.

  Raises:
    ValueError, TypeError: an option, a shape or a dtype is not allowed; the message
      says why.
  """
  x = jnp.asarray(x)
  check_params(params)
  num_experts = params.router.shape[-1]
  check_options(
      num_experts, top_k, activation, dtype=dtype, node_limit=node_limit,
      gated=params.experts.gate_up is not None, router_scores=router_scores, recipe=recipe,
      ragged_dot=ragged_dot, ragged_gated_linear_unit=ragged_gated_linear_unit,
      sharded_tokens=sharded_tokens, expert_axis_name=expert_axis_name, dispatch=dispatch,
      dispatch_room=dispatch_room)
  check_prepared(params, recipe)
  check_shapes(x, params, expert_axis_name)
  if dtype is None:
    dtype = jnp.result_type(x, stand_in(params.experts.down, x).dtype)
  if expert_axis_name is not None:
    sharded_tokens = has_sharded_tokens(sharded_tokens, expert_axis_name, x)
    if sharded_tokens:  # devices may also have tokens of their own that are equal
      x, = unify_varying([x], *filter(is_tracked, meshes.names(expert_axis_name)))
    check_same_along(
        "expert_axis_name", expert_axis_name, the_router=params.router,
        the_router_bias=params.router_bias, a_shared_expert=params.shared,
        experts=None if sharded_tokens else experts)
  if tensor_axis_name is not None:
    num_shards(tensor_axis_name, "tensor_axis_name")
    check_same_along("tensor_axis_name", tensor_axis_name, x=x, the_router=params.router,
                      the_router_bias=params.router_bias, experts=experts)
  if dispatch != "gather" and not sharded_tokens:
    raise ValueError(
        f"dispatch={dispatch!r} was given for tokens that are not sharded along "
        f"expert_axis_name={expert_axis_name!r}; it is allowed for sharded tokens. Pass "
        "expert_axis_name inside jax.shard_map, with this axis in the in_specs of the tokens, or "
        "leave dispatch out.")
  if dispatch == "overlap" and not set(meshes.names(expert_axis_name)) <= set(
      jax.sharding.get_abstract_mesh().manual_axes):
    raise ValueError(
        f"dispatch='overlap' was given with expert_axis_name={expert_axis_name!r}; an axis of a "
        "jax.shard_map around the layer is allowed. Pass its name, or dispatch='gather'.")
  if experts is not None:
    check_experts(experts, (*x.shape[:-1], top_k))

  first_expert = first_expert_of(params, expert_axis_name)
  compute = functools.partial(
      _moe, top_k=top_k, activation=activation, router_scores=router_scores,
      normalize_weights=normalize_weights, routed_scaling=routed_scaling,
      node_limit=node_limit, recipe=recipe, dtype=dtype, precision=precision,
      dot_general=dot_general, ragged_dot=ragged_dot,
      ragged_gated_linear_unit=ragged_gated_linear_unit,
  )
  mesh = meshes.explicit_mesh(x, *jax.tree.leaves(params))
  if mesh is not None and meshes.names(expert_axis_name) + meshes.names(tensor_axis_name):
    raise ValueError(
        f"expert_axis_name={expert_axis_name!r} and tensor_axis_name={tensor_axis_name!r} were "
        f"given in a jax.shard_map that leaves the explicit axes {mesh.explicit_axes} of the mesh "
        "to jax; all axes, or automatic ones for the rest, are allowed. Leave axis_names out of "
        "jax.shard_map.")
  if mesh is not None:
    return _on_explicit_mesh(mesh, compute, x, params, experts)
  return compute(x, params, experts, first_expert, expert_axis_name=expert_axis_name,
                 sharded_tokens=bool(sharded_tokens), dispatch=dispatch, room=dispatch_room,
                 tensor_axes=meshes.names(tensor_axis_name))


_OPTIONS = tuple(name for name, x in inspect.signature(moe).parameters.items()
                 if x.kind == x.KEYWORD_ONLY)


def options_of(layer) -> dict[str, Any]:
  """The options of `moe` from a layer's attributes, which have the same names."""
  return {name: getattr(layer, name) for name in _OPTIONS}


def _moe(x, params: MoEParams, experts, first_expert, *, top_k, activation, router_scores,
         normalize_weights, routed_scaling, node_limit, recipe, dtype, precision, dot_general,
         ragged_dot, ragged_gated_linear_unit, expert_axis_name, sharded_tokens=False,
         dispatch=None, room=None, token_axes=(), tensor_axes=()):
  """`moe` for arguments that have been checked.

  Args:
    first_expert: the result of `first_expert_of`.
    sharded_tokens: whether tokens are sharded along expert_axis_name.
    dispatch: "overlap", "all_to_all", or anything else for a gather; see `moe`.
    room: dispatch_room; see `moe`.
    token_axes: other mesh axes of a shard_map along which tokens are sharded. The statistics are
      those of the tokens of all shards along them.
    tensor_axes: mesh axes along which hidden features are sharded.
  """
  axes = meshes.names(expert_axis_name)
  params = params._replace(experts=_with_bias_of_one_shard(params.experts, tensor_axes),
                           shared=_with_bias_of_one_shard(params.shared, tensor_axes))
  shape = x.shape
  repeats_routing = experts is not None
  dense = experts_lib.dense_products(dot_general, precision)

  num_local, num_experts = params.experts.down.shape[0], params.router.shape[-1]
  # A router chooses different experts for a token. A given routing may repeat an expert.
  most = top_k if repeats_routing else min(top_k, num_local)
  x = x.reshape(-1, x.shape[-1])
  if num_local == num_experts:
    dispatch = "gather"  # one device has nothing to send
  if dispatch == "overlap":
    static = experts_lib.static_of_whole(
        params.experts, activation, ragged_dot, ragged_gated_linear_unit, precision, recipe, dtype)
    room = None if room is None else room * top_k * num_local / num_experts
    splits = static is None or blocks.splits(
        x.shape[0], x.shape[1], params.experts.down.shape[1], top_k, num_experts,
        num_experts // num_local, dtype)
    shards = blocks.Shards(axes, num_local, most, room, dtype, splits)
    # Tokens begin to travel before the router.
    tokens, x = experts_lib.send_tokens(x, shards, static, recipe)
  wide = jnp.promote_types(params.router.dtype, jnp.float32)
  wide_x, router, experts = _flat(x, params.router, experts, wide=wide, top_k=top_k)
  logits = dense.linear(wide_x, router, None, None)
  weights, table, group_sizes, stats = routing_lib.route(
      logits, experts, params.router_bias, top_k=top_k, normalize_weights=normalize_weights,
      routed_scaling=routed_scaling,
      token_axes=(*token_axes, *axes) if sharded_tokens else token_axes,
      expert_axes=axes if sharded_tokens else (),
      node_limit=as_node_limit(node_limit, logits.shape[-1], top_k), scores=router_scores)

  def compute(x, group_sizes, row_experts, first_expert=None, tokens=None):
    grouped = experts_lib.grouped_products(
        ragged_dot, ragged_gated_linear_unit, precision, group_sizes, row_experts,
        first_expert, recipe, tokens)
    return experts_lib.mlp(x, params.experts, activation, grouped)

  def compute_tokens(x, group_sizes, tokens):
    return compute(x, group_sizes, tokens.table.experts, first_expert, tokens)

  if dispatch == "overlap":
    out = experts_lib.overlapped_mlp(
        x, tokens, params.experts, activation, weights, stats.experts, first_expert[0], shards,
        static, recipe,
        lambda sizes, row_experts, tokens: experts_lib.grouped_products(
            ragged_dot, ragged_gated_linear_unit, precision, sizes, row_experts, None, recipe,
            tokens))
  elif dispatch == "all_to_all":
    out = dispatch_lib.through_experts(
        wide_x, weights, table, group_sizes, dtype=dtype,
        most_per_token=most, axis_name=axes, compute=compute)
  else:
    # Where devices gather tokens, their gradients are added up in float32.
    out = dispatch_lib.gathered_through_experts(
        wide_x if sharded_tokens else x, weights, stats.experts, table, group_sizes, dtype=dtype,
        sharded_tokens=sharded_tokens, axis_name=axes,
        rounds=params.shared is None and not tensor_axes,
        compute=compute_tokens)
  shared = None
  if params.shared is not None:
    if recipe is not None:
      dense = experts_lib.dense_products(None, precision, recipe)
    shared = experts_lib.mlp(x.astype(dtype), params.shared, activation, dense)
  out, experts = _result(out, shared, stats.experts, shape=shape, dtype=dtype, axes=tensor_axes)
  out = checkpoint_name(checkpoint_name(out, "jaxgemm_moe_out"), "mlpwo")  # MaxText's name
  return out, stats._replace(experts=experts)


# Outside of jax.jit each of these functions is compiled as one program, and the products of the
# user's functions are left as they are.
_compiled = functools.partial(jax.jit, inline=INLINE)


@functools.partial(_compiled, static_argnames=("wide", "top_k"))
def _flat(x, router, experts, *, wide, top_k: int):
  """The tokens x[T, C] in `wide`, the router in `wide`, and experts [T, top_k]."""
  if experts is not None:
    experts = experts.reshape(-1, top_k)
  return x.astype(wide), router.astype(wide), experts


@functools.partial(_compiled, static_argnames=("shape", "dtype", "axes"))
def _result(out, shared, experts, *, shape, dtype, axes):
  """(the layer's result, the experts of its tokens) from those of flat tokens.

  Args:
    out: float[T, C], the sums of the experts' results.
    shared: [T, C], the result of the shared expert, or None.
    experts: int32[T, top_k].
    shape, dtype: those of the result.
    axes: mesh axes over which the results are summed.
  """
  if shared is not None:
    out += shared
  if axes:
    out = lax.psum(out, axes)
  return out.astype(dtype).reshape(shape), experts.reshape(*shape[:-1], experts.shape[-1])
