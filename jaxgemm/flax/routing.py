"""The top-k router: it chooses each token's experts and measures their load."""

import functools
from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call.transposes import INLINE
from jaxgemm.grouped import routing_calls
from jaxgemm.grouped.group_sizes import as_int32
from jaxgemm.grouped.routing_calls import RoutingTable

SCORES = ("softmax", "sigmoid")
# This is added to the sum of a token's affinities, which may all be zero, as in DeepSeek-V3's code.
_TINY = 1e-20


class MoEStats(NamedTuple):
  """A layer's second result: auxiliary losses, and the load of the experts.

  All fields are arrays of fixed shape, so jit, vmap and scan can return them. Inside
  `jax.shard_map` they are for the tokens of one shard, or with sharded_tokens for all
  tokens. Without tokens, losses, probabilities and loads are zero.

  Attributes:
    load_balancing_loss: f32[], 1 if the load is even, num_experts / top_k if all
      tokens choose the same experts with certainty. See `load_balancing_loss`.
    router_z_loss: f32[], the mean of logsumexp(logits)**2 over the tokens, which
      keeps the logits small: equation 5 of ST-MoE (arXiv:2202.08906).
    tokens_per_expert: int32[E], the number of rows that each expert computes. No row is
      dropped, so the sum is tokens * top_k.
    router_probs: f32[E], the mean over the tokens of the softmax of the logits, or of their
      sigmoids divided by the sum of these.
    max_load: f32[], the number of rows of the busiest expert, divided by the mean of all.
    empty_experts: f32[], the fraction of experts that no token chose, 0 to 1.
    dispatch_room: f32[], the least `dispatch_room` of `jaxgemm.flax.moe` with which each device has
      room for its rows, whatever room and dispatch were given. It is 1 if the rows are balanced, or
      if tokens are not sharded along expert_axis_name.
    experts: int32[..., top_k], the experts of each token, best first. The layers
      take it as an argument to repeat a routing, in a check or as in arXiv:2510.11370.
  """

  load_balancing_loss: jax.Array
  router_z_loss: jax.Array
  tokens_per_expert: jax.Array
  router_probs: jax.Array
  max_load: jax.Array
  empty_experts: jax.Array
  dispatch_room: jax.Array
  experts: jax.Array


def load_balancing_loss(
    tokens_per_expert: jax.Array, router_probs: jax.Array
) -> jax.Array:
  """E * sum_i f_i * P_i: equations 4 to 6 of Switch (arXiv:2101.03961).

  f_i is the fraction of all routed rows that expert i receives (with top_k > 1
  each token counts top_k times, so the f_i sum to 1 as they do in Switch), and P_i
  is its mean probability. GShard (arXiv:2006.16668, algorithm 1) has the same product
  with the first choices only. Only P_i has a gradient.

  For the tokens of several shards, pass the psum of `MoEStats.tokens_per_expert`
  and the pmean of `MoEStats.router_probs`.

  Args:
    tokens_per_expert: int32[E].
    router_probs: f32[E], summing to 1.

  Returns:
    f32[], about 1 or more if experts with more probability get more tokens.
  """
  rows = tokens_per_expert.astype(router_probs.dtype)
  return rows.size * (rows / jnp.maximum(rows.sum(), 1) * router_probs).sum()


class NodeLimit(NamedTuple):
  """A bound on the nodes that the experts of one token are on, as in DeepSeek-V3.

  The nodes have equal parts of the experts, in their order. A token's experts are on the
  `most` nodes where the sum of its largest top_k / most affinities is largest (arXiv:2412.19437,
  section 2.1.2). The weights are computed from the affinities as without a limit.

  Attributes:
    nodes: the number of nodes, which divides the number of experts.
    most: the largest number of nodes that a token's experts are on.
  """

  nodes: int
  most: int

  def check(self, num_experts: int, top_k: int) -> None:
    """Raises TypeError or ValueError if no token's experts can keep this limit."""
    for value in self:
      if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"node_limit={tuple(self)} was given; two ints are allowed. Pass the number of nodes, "
            "and on how many of them a token's experts may be.")
    nodes, most = self
    if not 1 <= most <= nodes or num_experts % nodes or top_k > most * (num_experts // nodes):
      raise ValueError(
          f"node_limit={tuple(self)} was given for num_experts={num_experts} and top_k={top_k}; "
          "allowed are a number of nodes that divides num_experts, and at most as many of them "
          "for a token, with at least top_k experts together. Pass (nodes, most) with these.")

  def allows(self, affinities: jax.Array, top_k: int) -> jax.Array:
    """bool[T, E]: whether a token may choose an expert.

    Args:
      affinities: f32[T, E]; with a router bias, the affinities plus the bias, which may be
        negative.
      top_k: number of experts that a token chooses.
    """
    tokens, num_experts = affinities.shape
    of_nodes = affinities.reshape(tokens, self.nodes, num_experts // self.nodes)
    counted = min(max(top_k // self.most, 1), of_nodes.shape[-1])
    sums = lax.top_k(of_nodes, counted)[0].sum(axis=-1)
    _, chosen = lax.top_k(sums, self.most)
    allowed = jnp.zeros(sums.shape, bool).at[jnp.arange(tokens)[:, None], chosen].set(True)
    return jnp.repeat(allowed, num_experts // self.nodes, axis=1)


def updated_router_bias(
    bias: jax.Array, tokens_per_expert: jax.Array, rate: float = 1e-3
) -> jax.Array:
  """The router bias after a step, which balances the experts without a loss, as in DeepSeek-V3.

  It grows by `rate` for experts with fewer rows than the mean, and shrinks by `rate` for those
  with more (arXiv:2408.15664, algorithm 1).

  Args:
    bias: f32[E], the bias in the step.
    tokens_per_expert: int32[E], `MoEStats.tokens_per_expert` of the step; for several shards
      their sum.
    rate: the change of the bias in a step, 1e-3 in DeepSeek-V3.

  Returns:
    f32[E], the bias of the next step.
  """
  load = tokens_per_expert.astype(bias.dtype)
  return bias + rate * jnp.sign(load.mean() - load)


def _top_k(logits, affinities, bias, top_k: int, node_limit: NodeLimit | None) -> jax.Array:
  """int32[T, top_k]: the experts with the largest affinities, or sums of affinity and bias."""
  # Without a bias the logits are ranked: different logits may have affinities that are equal.
  ranks = logits if bias is None else affinities + bias[None]
  if node_limit is not None:
    allowed = node_limit.allows(affinities if bias is None else ranks, top_k)
    ranks = jnp.where(allowed, ranks, -jnp.inf)
  return routing_calls.top_k(ranks, top_k)


def _room(group_sizes, tokens: int, top_k: int, expert_axes: tuple[str, ...]) -> jax.Array:
  """`MoEStats.dispatch_room` from a device's rows of each expert, int32[E]."""
  if not expert_axes:
    return jnp.ones((), jnp.float32)
  devices, device = lax.axis_size(expert_axes), lax.axis_index(expert_axes)
  # A sum, because its result counts as the same on all devices.
  rows = jnp.zeros((devices, len(group_sizes)), jnp.int32).at[device].set(group_sizes)
  rows = lax.psum(rows, expert_axes).reshape(devices, devices, -1).sum(-1)
  own = jnp.diagonal(rows)
  balanced = max(tokens * top_k / devices, 1)
  most = jnp.maximum(own, (rows.sum(0) - own) / max(devices - 1, 1)).max()
  return jnp.maximum(most / balanced, 1).astype(jnp.float32)


@functools.partial(jax.jit, inline=INLINE, static_argnames=(
    "top_k", "normalize_weights", "token_axes", "expert_axes", "node_limit", "scores"))
def route(
    logits: jax.Array, experts: jax.Array | None, bias: jax.Array | None, *, top_k: int,
    normalize_weights: bool, routed_scaling: float, token_axes: tuple[str, ...] = (),
    expert_axes: tuple[str, ...] = (),
    node_limit: NodeLimit | None = None, scores: str = "softmax",
) -> tuple[jax.Array, RoutingTable, jax.Array, MoEStats]:
  """Chooses each token's experts.

  Args:
    logits: f32[T, E].
    experts: int[T, top_k], an earlier choice, or None. As in jnp indexing, negative
      numbers count from the end, and numbers out of range are clamped.
    bias: f32[E] that is added to the affinities for the choice, not for the weights; or None.
    top_k: number of experts of each token.
    normalize_weights: whether the weights are the affinities of the chosen experts over their
      sum (they sum to 1, as in Mixtral, arXiv:2401.04088) or these affinities (as in
      DeepSeek-V2, arXiv:2405.04434, and in Switch).
    routed_scaling: factor of the weights; it is 16 in DeepSeek-V2 and 2.5 in DeepSeek-V3.
    token_axes: mesh axes of a shard_map; the `MoEStats` are taken over the tokens of
      all shards along them.
    expert_axes: those of token_axes along which the experts are sharded, too.
    node_limit: bounds the nodes of a token's experts, but not those of given `experts`.
    scores: the affinities: "softmax" of the logits over all experts, or their "sigmoid" (as in
      DeepSeek-V3, arXiv:2412.19437).

  Returns:
    The weights f32[T, top_k] of the experts' results; the routing table of these tokens; the
    group sizes int32[E], rows of each expert; and the `MoEStats` with the experts.
  """
  num_experts = logits.shape[-1]
  normalizer = jax.nn.logsumexp(logits, axis=-1)
  if scores == "sigmoid":
    affinities = jax.nn.sigmoid(logits)
    probs = affinities / (affinities.sum(axis=-1, keepdims=True) + _TINY)
  else:
    affinities = probs = jnp.exp(logits - normalizer[:, None])
  weights = None
  if experts is None and bias is None and node_limit is None:
    experts, weights = routing_calls.top_k_softmax(logits, top_k)
  elif experts is None:
    experts = _top_k(logits, affinities, bias, top_k, node_limit)
  else:
    experts = as_int32(experts)
    experts = jnp.where(experts < 0, experts + num_experts, experts)
    experts = jnp.clip(experts, 0, num_experts - 1)
  if normalize_weights and scores == "softmax":
    if weights is None:
      weights = jax.nn.softmax(jnp.take_along_axis(logits, experts, axis=-1), axis=-1)
  else:
    weights = jnp.take_along_axis(affinities, experts, axis=-1)
    if normalize_weights:
      weights /= weights.sum(axis=-1, keepdims=True) + _TINY

  def over_shards(x):
    return lax.psum(x, token_axes) if token_axes else x

  table, group_sizes = routing_calls.routing_table(experts, num_experts)
  tokens_per_expert = over_shards(group_sizes)
  shards = lax.axis_size(token_axes) if token_axes else 1
  num_tokens = max(len(logits) * shards, 1)
  router_probs = over_shards(probs.sum(axis=0)) / num_tokens
  mean_load = num_tokens * top_k / num_experts
  stats = MoEStats(
      load_balancing_loss=load_balancing_loss(tokens_per_expert, router_probs),
      router_z_loss=over_shards((normalizer**2).sum()) / num_tokens,
      tokens_per_expert=tokens_per_expert,
      router_probs=router_probs,
      max_load=tokens_per_expert.max().astype(logits.dtype) / mean_load,
      empty_experts=(tokens_per_expert == 0).mean(dtype=logits.dtype),
      dispatch_room=_room(group_sizes, len(logits), top_k, expert_axes),
      experts=experts,
  )
  return routed_scaling * weights, table, group_sizes, stats
