"""Experts on many devices, whose products run while tokens and sums travel.

A token travels once to each device, and not once for each of its experts, and so does its sum over
the experts of a device. The tokens of the other devices begin to arrive before the router. All
devices know all choices of experts, so each makes its routing tables by itself, on the device.

With many tokens a device computes two blocks of rows: those of its own tokens, and those of the
other devices' tokens. While it multiplies the rows of its own tokens by the first kernel, the
tokens of the others arrive. While it multiplies these rows by the last kernel, the sums of the
others' tokens travel back.

    first product, own tokens        tokens of the others arrive
    first product, others' tokens
    last product, others' tokens
    last product, own tokens         sums of the others' tokens go back
    sums of the own tokens, plus those that came back

With fewer tokens the groups of two blocks would fill their tiles badly. Then the rows of all tokens
are one block, which waits for the tokens. The sums of the own tokens are added up while those of
the others go back. `splits` decides.
"""

from collections.abc import Callable
import functools
import math
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call.transposes import INLINE
from jaxgemm.collective import exchange
from jaxgemm.grouped.routing_calls import routing_table
from jaxgemm.grouped.rows import RoutingTable, combine


class Shards(NamedTuple):
  """How the experts are divided among devices.

  Attributes:
    axis_name: the mesh axis, or axes.
    num_local: the number of experts of a device.
    most_per_token: the largest number of a token's rows for one device.
    room: for how many rows of a token a device has room, on average; None: most_per_token.
    dtype: that in which sums travel, and tokens if no recipe quantises them.
    splits: whether own and others' tokens are two blocks; see `splits`.
  """

  axis_name: Any
  num_local: int
  most_per_token: int
  room: float | None
  dtype: Any
  splits: bool

  def rows(self, tokens: int) -> int:
    """For how many rows of so many tokens there is room."""
    most = tokens * self.most_per_token
    return most if self.room is None else min(most, math.ceil(tokens * self.room))


class Block(NamedTuple):
  """Tokens, and the rows of those of their experts that are on this device.

  Attributes:
    table: has the rows that there is room for. Those after the sum of the sizes are of no expert,
      and choices of experts on other devices have no row.
    sizes: int32[num_local].
    weights: f32[T, top_k]. They are NaN where `is_lost`, and so is all that is computed with them.
    is_lost: bool[T], whether a token may have rows for which there is no room; None if there is
      room for all rows that could come.
  """

  table: RoutingTable
  sizes: jax.Array
  weights: jax.Array
  is_lost: jax.Array | None

  def sums(self, rows, tokens: slice, dtype, *, weighted: bool = True) -> jax.Array:
    """The sums of some of the tokens over their rows."""
    table = RoutingTable.of(self.table.choice, self.table.row[tokens])
    sums = combine(rows, table, self.weights[tokens] if weighted else None, dtype=dtype)
    return self.or_nan(sums, tokens)

  def or_nan(self, values, tokens: slice = slice(None)) -> jax.Array:
    """The values [T, n] of some of the tokens; NaN for those that are lost."""
    lost = self.is_lost
    return values if lost is None else jnp.where(lost[tokens, None], jnp.nan, values)

  def with_weights(self, weights) -> "Block":
    return self._replace(weights=self.or_nan(weights))


# Benchmarks set it to True or False, in place of what `splits` finds.
SPLITS: bool | None = None
# The arithmetic of a device in the time in which it sends a byte, about that of an H200. For each
# group half a tile is lost.
_FLOPS_PER_BYTE = 2000
_LOST_ROWS = 64


def splits(tokens: int, features: int, hidden_features: int, top_k: int, num_experts: int,
           devices: int, dtype) -> bool:
  """Whether two blocks cost less than the transfers that they hide.

  Args:
    tokens: those of a device.
    num_experts: those of all devices.
    dtype: that of the layer.
  """
  if SPLITS is not None:
    return SPLITS
  sent = (devices - 1) * tokens * features * jnp.dtype(dtype).itemsize
  rows_of_group = max(tokens * top_k / num_experts, 1)
  flops = 6 * tokens * top_k * features * hidden_features
  return sent * _FLOPS_PER_BYTE > flops * _LOST_ROWS / rows_of_group


def send_tokens(x, shards: Shards, constant: bool) -> tuple[exchange.Started, jax.Array]:
  """(the tokens that begin to travel, x): what reads this x runs after the start.

  With one block all tokens arrive in one array, the own ones first.

  Args:
    constant: whether the tokens that arrive have no derivative, as `gated_experts` takes them.
  """
  sent = x.astype(shards.dtype)
  return exchange.start(lax.stop_gradient(sent) if constant else sent, x,
                        axis_name=shards.axis_name, with_own=not shards.splits)


# Outside of jax.jit the table is made by one program.
@functools.partial(jax.jit, inline=INLINE, static_argnames=("own", "shards"))
def block_of(chosen, weights, first_expert, own: int, shards: Shards) -> Block:
  """The block of tokens.

  Args:
    chosen: int32[T, top_k], the experts of the tokens, among those of all devices.
    weights: f32[T, top_k].
    first_expert: int32[], the first expert of this device.
    own: the number of this device's own tokens, which come first. Their rows and those of the
      others are counted apart, so that with room for both it does not matter whether they are one
      block.
  """
  local = chosen - first_expert
  is_local = (local >= 0) & (local < shards.num_local)
  table, sizes = routing_table(
      jnp.where(is_local, local, shards.num_local), shards.num_local + 1)
  rooms = shards.rows(own), shards.rows(len(chosen) - own)
  experts, choice, token = (x[:sum(rooms)] for x in (table.experts, table.choice, table.token))
  row = jnp.where(is_local, table.row, sum(rooms))
  is_lost = None
  if sum(rooms) < len(chosen) * shards.most_per_token:
    # With more own rows than their room, others' rows may be beyond the end of one block.
    is_beyond = (is_local & (table.row >= sum(rooms))).any(-1)
    is_lost = is_beyond | jnp.where(jnp.arange(len(chosen)) < own, is_local[:own].sum() > rooms[0],
                                    is_local[own:].sum() > rooms[1])
  block = Block(RoutingTable(experts, choice, token, row), sizes[:shards.num_local], weights,
                is_lost)
  return block.with_weights(weights)


def flat(blocks):
  """The lines of blocks[D, T, ...] in one dimension; of a tree, those of each array."""
  return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), blocks)


def with_own(own, others):
  """The lines of own[T, ...], then those of others[D - 1, T, ...]."""
  return jnp.concatenate([own, flat(others)])


def in_two_blocks(x, tokens: exchange.Started, weights, chosen, first_expert, shards: Shards,
                  first: Callable, rows: Callable, add: Callable):
  """f32[T, C]: the weighted sums of the experts' results for this device's tokens.

  Args:
    x: [T, C], the tokens of this device, as they travel: an array, or a tree of arrays.
    tokens: those of the other devices, in a `Started`.
    weights: f32[T, top_k].
    chosen: int32[T, top_k], the experts of the tokens, among those of all devices.
    first_expert: int32[], the first expert of this device.
    shards: see there.
    first: a function of (x, block) that gives the hidden rows of the block's tokens, and what is
      kept of them.
    rows: a function of (hidden rows, block) that computes the last product. It gives what `add`
      takes.
    add: a function of (rows, block, dtype) that gives the sums of the block's tokens.

  Returns:
    The sums, and (the choices and the weights of the other devices' tokens, [D - 1, T, top_k]; what
    is kept of the own block and of the others').
  """
  send = functools.partial(exchange.start, axis_name=shards.axis_name)
  own = block_of(chosen, weights, first_expert, len(chosen), shards)
  # All starts come before the first product, and all dones after it.
  choices, sizes = send(chosen, own.sizes)
  all_weights, sizes = send(weights, sizes)
  own = own._replace(sizes=sizes)
  own_hidden, of_own = first(x, own)

  choices, own_hidden = exchange.done(choices, own_hidden)
  all_weights, own_hidden = exchange.done(all_weights, own_hidden)
  received, own_hidden = exchange.done(tokens, own_hidden)
  others = block_of(flat(choices), flat(all_weights), first_expert, 0, shards)
  hidden, of_others = first(flat(received), others)
  sums = add(rows(hidden, others), others, shards.dtype)
  sums, sizes = send(sums.reshape(*choices.shape[:2], sums.shape[-1]), own.sizes, scatters=True)
  own = own._replace(sizes=sizes)
  own_rows = rows(own_hidden, own)
  # XLA adds up the own rows and what came back in one pass.
  sums, own_rows = exchange.done(sums, own_rows)
  return plus(add(own_rows, own, wide(shards)), sums), (choices, all_weights, (of_own, of_others))


def in_one_block(tokens: exchange.Started, weights, chosen, first_expert, shards: Shards,
                  first: Callable, rows: Callable):
  """`in_two_blocks` with one block, for all tokens.

  Args:
    tokens: those of all devices.
    rows: a function of (hidden rows, block) that gives the rows of the result.
  """
  send = functools.partial(exchange.start, axis_name=shards.axis_name)
  choices, weights = send(chosen, weights)
  all_weights, chosen = send(weights, chosen)
  choices, chosen = exchange.done(choices, chosen)
  count, chosen = len(chosen), with_own(chosen, choices)
  ones = jnp.ones_like(chosen, weights.dtype)  # the weights have not arrived
  block = block_of(chosen, ones, first_expert, count, shards)
  received, sizes = exchange.done(tokens, block.sizes)
  hidden, kept = first(flat(received), block._replace(sizes=sizes))
  all_weights, hidden = exchange.done(all_weights, hidden)
  block = block._replace(sizes=sizes).with_weights(with_own(weights, all_weights))
  result = rows(hidden, block)
  sums = block.sums(result, slice(count, None), shards.dtype)
  sums, row = send(sums.reshape(*choices.shape[:2], sums.shape[-1]), block.table.row,
                   scatters=True)
  block = block._replace(table=block.table._replace(row=row))
  own = block.sums(result, slice(count), wide(shards))
  sums, own = exchange.done(sums, own)
  return plus(own, sums), (choices, all_weights, (kept,))


def wide(shards: Shards):
  return jnp.promote_types(shards.dtype, jnp.float32)


def plus(own, others):
  """The sum of own[T, C] and the blocks of others[D - 1, T, C], in own's dtype."""
  return functools.reduce(jnp.add, others.astype(own.dtype), own)
