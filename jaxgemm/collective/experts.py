"""Experts on many devices, whose products run while tokens and sums travel.

A device computes two blocks of rows: those of its own tokens, and those of the other devices'
tokens. While it multiplies the rows of its own tokens by the first kernel, the tokens of the
others arrive. While it multiplies these rows by the last kernel, the sums of the others' tokens
travel back. A token travels once to each device, and not once for each of its experts, and so
does its sum over the experts of a device.

    first product, own tokens        tokens of the others arrive
    first product, others' tokens
    last product, others' tokens
    last product, own tokens         sums of the others' tokens go back
    sums of the own tokens, plus those that came back

The backward pass is alike. The cotangents of the others' tokens arrive beside the first product of
the own ones, and the gradients of the others' tokens go back beside the products that give the
weights' gradients. These read all rows sorted by expert, so that each is one product.

All devices know all choices of experts, so each makes its routing tables by itself, on the device.
"""

from collections.abc import Callable
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.activations import activated
from jaxgemm.call.transposes import INLINE
from jaxgemm.collective import exchange
from jaxgemm.collective.ring import room_p
from jaxgemm.grouped.api import ragged_dot, ragged_dot_general, ragged_gated_linear_unit
from jaxgemm.grouped.call import compute
from jaxgemm.grouped.checks import K_LAST, OF_RHS
from jaxgemm.grouped.combined import bias_sums
from jaxgemm.grouped.experts import Experts, Static
from jaxgemm.grouped.gated_gradient import gated_gradient
from jaxgemm.grouped.routing_calls import routing_table
from jaxgemm.grouped.rows import RoutingTable, combine, of_rows
from jaxgemm.sharding.manual_axes import unify_varying


class Shards(NamedTuple):
  """How the experts are divided among devices.

  Attributes:
    axis_name: the mesh axis, or axes.
    num_local: the number of experts of a device.
    most_per_token: the largest number of a token's rows for one device.
    dtype: that in which tokens and sums travel.
  """

  axis_name: Any
  num_local: int
  most_per_token: int
  dtype: Any


class Block(NamedTuple):
  """Tokens, and the rows of those of their experts that are on this device.

  Attributes:
    table: has T * most_per_token rows. Those after the sum of the sizes are of no expert, and
      choices of experts on other devices have no row.
    sizes: int32[num_local].
    weights: f32[T, top_k].
  """

  table: RoutingTable
  sizes: jax.Array
  weights: jax.Array


# Outside of jax.jit the table is made by one program.
@functools.partial(jax.jit, inline=INLINE, static_argnames=("shards",))
def _block(chosen, weights, first_expert, shards: Shards) -> Block:
  """The block of the tokens that chose these experts, int32[T, top_k], of all devices."""
  local = chosen - first_expert
  is_local = (local >= 0) & (local < shards.num_local)
  table, sizes = routing_table(
      jnp.where(is_local, local, shards.num_local), shards.num_local + 1)
  room = chosen.shape[0] * shards.most_per_token
  experts, choice, token = (x[:room] for x in (table.experts, table.choice, table.token))
  row = jnp.where(is_local, table.row, room)
  return Block(RoutingTable(experts, choice, token, row), sizes[:shards.num_local], weights)


def _flat(blocks):
  return blocks.reshape(-1, *blocks.shape[2:])


def in_two_blocks(x, weights, chosen, first_expert, shards: Shards, first: Callable,
                  last: Callable):
  """f32[T, C]: the weighted sums of the experts' results for this device's tokens.

  Args:
    x: [T, C], the tokens of this device.
    weights: f32[T, top_k].
    chosen: int32[T, top_k], the experts of the tokens, among those of all devices.
    first_expert: int32[], the first expert of this device.
    shards: see there.
    first: a function of (x, block) that gives the hidden rows of the block's tokens, and what is
      kept of them.
    last: a function of (hidden rows, block, dtype) that gives the sums of the block's tokens.

  Returns:
    The sums, and (the choices and the weights of all tokens, [D, T, top_k], own ones first; what is
    kept of the own block; and of the others').
  """
  x = x.astype(shards.dtype)
  send = functools.partial(exchange.start, axis_name=shards.axis_name)
  own = _block(chosen, weights, first_expert, shards)
  # All starts come before the first product, and all dones after it.
  choices, sizes = send(chosen, own.sizes, with_own=True)
  all_weights, sizes = send(weights, sizes, with_own=True)
  tokens, sizes = send(x, sizes)
  own = own._replace(sizes=sizes)
  own_hidden, of_own = first(x, own)

  choices, own_hidden = exchange.done(choices, own_hidden)
  all_weights, own_hidden = exchange.done(all_weights, own_hidden)
  tokens, own_hidden = exchange.done(tokens, own_hidden)
  others = _block(_flat(choices[1:]), _flat(all_weights[1:]), first_expert, shards)
  hidden, of_others = first(_flat(tokens), others)
  sums = last(hidden, others, shards.dtype)
  sums, sizes = send(sums.reshape(tokens.shape), own.sizes, scatters=True)
  result = last(own_hidden, own._replace(sizes=sizes), jnp.promote_types(shards.dtype, jnp.float32))
  sums, result = exchange.done(sums, result)
  result = functools.reduce(jnp.add, sums.astype(result.dtype), result)
  return result, (choices, all_weights, of_own, of_others)


def gated_experts(x, experts: Experts, weights, chosen, first_expert, shards: Shards,
                  static: Static) -> jax.Array:
  """`in_two_blocks` with the MLP of gated experts, with one derivative.

  The dtype of `static` is not used.
  """
  leaves, tree = jax.tree.flatten((x, experts, weights, chosen, first_expert))
  # Because of unify_varying, the gradient of an array that devices of a shard_map share is summed
  # over these devices.
  return _experts(*jax.tree.unflatten(tree, unify_varying(leaves)), shards, static)


def _last(hidden, experts: Experts, block: Block, dtype, static: Static):
  rows = ragged_dot(hidden, experts.down, block.sizes, static.options.precision,
                    bias=experts.down_bias, **static.keywords())
  return combine(rows, block.table, block.weights, dtype=dtype)


@functools.partial(jax.custom_vjp, nondiff_argnums=(5, 6))
def _experts(x, experts, weights, chosen, first_expert, shards: Shards, static: Static):
  def first(x, block: Block):
    hidden = ragged_gated_linear_unit(
        x, experts.gate_up, block.sizes, static.options.precision, bias=experts.gate_up_bias,
        lhs_indices=block.table, **static.keywords(static.activation))
    return hidden, None

  def last(hidden, block, dtype):
    return _last(hidden, experts, block, dtype, static)

  return in_two_blocks(x, weights, chosen, first_expert, shards, first, last)[0]


def _forward(x, experts, weights, chosen, first_expert, shards: Shards, static: Static):
  def first(x, block: Block):
    computed = compute(
        dict(lhs=x, rhs=experts.gate_up, group_sizes=block.sizes, group_offset=None,
             bias=experts.gate_up_bias,
             precision=static.options.precision, lhs_indices=block.table,
             **static.keywords(static.activation)), gated=True, saves=True)
    if isinstance(computed, tuple):
      return tuple(activated(computed, static, gated=True))
    # XLA computes it.
    count, features, _, hidden_features = experts.gate_up.shape
    flat = experts.gate_up.reshape(count, features, 2 * hidden_features)
    bias = experts.gate_up_bias
    z = ragged_dot(x, flat, block.sizes, static.options.precision,
                   bias=None if bias is None else bias.reshape(count, 2 * hidden_features),
                   lhs_indices=block.table, **static.keywords())
    z = epilogue.named(z.reshape(-1, 2, hidden_features))
    wide = epilogue.activate(z.astype(jnp.float32), static.activation, gated=True)
    return wide.astype(z.dtype), z

  def last(hidden, block, dtype):
    return _last(hidden, experts, block, dtype, static)

  result, kept = in_two_blocks(x, weights, chosen, first_expert, shards, first, last)
  return result, (x, experts, weights, chosen, first_expert, kept)


def _backward(shards: Shards, static: Static, saved, ct):
  x, experts, weights, chosen, first_expert, (choices, all_weights, own_z, others_z) = saved
  gate_up, down, gate_up_bias, down_bias = experts
  count, features, _, hidden_features = gate_up.shape
  send = functools.partial(exchange.start, axis_name=shards.axis_name)

  def product(left, right, sizes, numbers, dtype, **indices):
    return ragged_dot_general(left, right, sizes, numbers, static.options.precision, dtype,
                              **indices, **static.keywords())

  own = _block(chosen, weights, first_expert, shards)
  others = _block(_flat(choices[1:]), _flat(all_weights[1:]), first_expert, shards)
  whole = _block(_flat(choices), _flat(all_weights), first_expert, shards)
  tokens = len(x)
  ct = ct.astype(shards.dtype)
  cts, sizes = send(ct, own.sizes, with_own=True)
  xs, sizes = send(x.astype(shards.dtype), sizes, with_own=True)
  own_g = product(ct, down, sizes, K_LAST, own_z.dtype, lhs_indices=own.table)
  cts, own_g = exchange.done(cts, own_g)
  others_g = product(_flat(cts), down, others.sizes, K_LAST, own_z.dtype,
                     lhs_indices=others.table.token + tokens)

  # The rows of both blocks, sorted by expert.
  rows, dtype = len(whole.table.token), own_z.dtype
  sorted_rows = tuple(
      room_p.bind(shape=(rows, *shape), dtype=jnp.dtype(dtype))
      for shape, dtype in (((2, hidden_features), dtype), ((hidden_features,), dtype),
                           ((), jnp.float32)))
  for z, g, block, first in ((own_z, own_g, own, 0),
                             (others_z, others_g, others, own.table.row.size)):
    places = whole.table.row.reshape(-1).at[block.table.choice + first].get(
        mode="promise_in_bounds")
    sorted_rows = gated_gradient(
        z, g, of_rows(block.weights, block.table.choice), static.activation, places=places,
        count=block.sizes.sum(dtype=jnp.int32), into=sorted_rows)
  d_z, hidden, d_w = sorted_rows
  d_z = d_z.reshape(rows, 2 * hidden_features)

  d_rows = product(d_z, gate_up.reshape(count, features, -1), whole.sizes, K_LAST, d_z.dtype)
  row, of_others = whole.table.row, whole.table.row[tokens:]
  d_others = combine(d_rows, RoutingTable.of(whole.table.choice, of_others), dtype=shards.dtype)
  d_others, sizes = send(d_others.reshape(-1, *x.shape), whole.sizes, scatters=True)
  of_choices = lambda row: d_w.at[row].get(mode="fill", fill_value=0)
  d_weights, sizes = send(
      of_choices(of_others).reshape(-1, *weights.shape), sizes, scatters=True)

  xs, d_rows = exchange.done(xs, d_rows)
  d_gate_up = product(_flat(xs), d_z, sizes, OF_RHS, gate_up.dtype, lhs_indices=whole.table.token)
  d_down = product(hidden, _flat(cts), sizes, OF_RHS, down.dtype, rhs_indices=whole.table.token)
  d_others, d_gate_up, d_down = exchange.done(d_others, d_gate_up, d_down)
  d_weights, = exchange.done(d_weights)
  d_weights = d_weights.sum(0) + of_choices(row[:tokens])
  d_x = combine(d_rows, RoutingTable.of(whole.table.choice, row[:tokens]))
  d_x = functools.reduce(jnp.add, d_others.astype(d_x.dtype), d_x)
  if gate_up_bias is not None:
    ones = jnp.ones((len(d_z), 1), d_z.dtype)
    d_bias = product(ones, d_z, whole.sizes, OF_RHS, jnp.float32)
    gate_up_bias = d_bias.reshape(gate_up_bias.shape).astype(gate_up_bias.dtype)
  if down_bias is not None:
    sums = lambda bias, weights: bias_sums(bias, weights, whole.table, None)
    d_bias, d_all_weights = jax.vjp(
        sums, down_bias.astype(jnp.float32), whole.weights)[1](_flat(cts).astype(jnp.float32))
    down_bias = d_bias.astype(down_bias.dtype)
    d_weights += _sent_back(d_all_weights.reshape(all_weights.shape), shards.axis_name)
  d_experts = Experts(d_gate_up.reshape(gate_up.shape), d_down, gate_up_bias, down_bias)
  return d_x.astype(x.dtype), d_experts, d_weights.astype(weights.dtype), None, None


def _sent_back(blocks, axis_name):
  """The sum of a device's own block and of those that the other devices have for it."""
  others, = exchange.start(blocks[1:], axis_name=axis_name, scatters=True)
  others, = exchange.done(others)
  return others.sum(0) + blocks[0]


_experts.defvjp(_forward, _backward)
