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

The backward pass is alike. The cotangents of the others' tokens arrive beside the first product of
the own ones, and the gradients of the others' tokens go back beside the products that give the
weights' gradients. These read all rows sorted by expert, so that each is one product.
"""

from collections.abc import Callable
import functools
import math
from typing import Any, NamedTuple

import jax
from jax import lax
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
    room: for how many rows of a token a device has room, on average; None: most_per_token.
    dtype: that in which tokens and sums travel.
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
    dtype: that in which tokens travel.
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
def _block(chosen, weights, first_expert, own: int, shards: Shards) -> Block:
  """The block of tokens.

  Args:
    chosen: int32[T, top_k], the experts of the tokens, among those of all devices.
    weights: f32[T, top_k].
    first_expert: int32[], the first expert of this device.
    own: the number of this device's own tokens, which come first. For their rows and those of the
      others there is room apart, so that it does not matter whether they are one block.
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
    is_lost = jnp.where(jnp.arange(len(chosen)) < own, is_local[:own].sum() > rooms[0],
                        is_local[own:].sum() > rooms[1])
  block = Block(RoutingTable(experts, choice, token, row), sizes[:shards.num_local], weights,
                is_lost)
  return block.with_weights(weights)


def _flat(blocks):
  return blocks.reshape(-1, *blocks.shape[2:])


def _with_own(own, others):
  """The lines of own[T, ...], then those of others[D - 1, T, ...]."""
  return jnp.concatenate([own, _flat(others)])


def in_two_blocks(x, tokens: exchange.Started, weights, chosen, first_expert, shards: Shards,
                  first: Callable, rows: Callable, add: Callable):
  """f32[T, C]: the weighted sums of the experts' results for this device's tokens.

  Args:
    x: [T, C], the tokens of this device.
    tokens: those of the other devices, from `send_tokens`.
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
  x = x.astype(shards.dtype)
  send = functools.partial(exchange.start, axis_name=shards.axis_name)
  own = _block(chosen, weights, first_expert, len(chosen), shards)
  # All starts come before the first product, and all dones after it.
  choices, sizes = send(chosen, own.sizes)
  all_weights, sizes = send(weights, sizes)
  own = own._replace(sizes=sizes)
  own_hidden, of_own = first(x, own)

  choices, own_hidden = exchange.done(choices, own_hidden)
  all_weights, own_hidden = exchange.done(all_weights, own_hidden)
  received, own_hidden = exchange.done(tokens, own_hidden)
  others = _block(_flat(choices), _flat(all_weights), first_expert, 0, shards)
  hidden, of_others = first(_flat(received), others)
  sums = add(rows(hidden, others), others, shards.dtype)
  sums, sizes = send(sums.reshape(received.shape), own.sizes, scatters=True)
  own = own._replace(sizes=sizes)
  own_rows = rows(own_hidden, own)
  # XLA adds up the own rows and what came back in one pass.
  sums, own_rows = exchange.done(sums, own_rows)
  return _plus(add(own_rows, own, _wide(shards)), sums), (choices, all_weights, (of_own, of_others))


def _in_one_block(tokens: exchange.Started, weights, chosen, first_expert, shards: Shards,
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
  count, chosen = len(chosen), _with_own(chosen, choices)
  ones = jnp.ones_like(chosen, weights.dtype)  # the weights have not arrived
  block = _block(chosen, ones, first_expert, count, shards)
  received, sizes = exchange.done(tokens, block.sizes)
  hidden, kept = first(_flat(received), block._replace(sizes=sizes))
  all_weights, hidden = exchange.done(all_weights, hidden)
  block = block._replace(sizes=sizes).with_weights(_with_own(weights, all_weights))
  result = rows(hidden, block)
  sums = block.sums(result, slice(count, None), shards.dtype)
  sums, row = send(sums.reshape(len(received) - 1, count, sums.shape[-1]), block.table.row,
                   scatters=True)
  block = block._replace(table=block.table._replace(row=row))
  own = block.sums(result, slice(count), _wide(shards))
  sums, own = exchange.done(sums, own)
  return _plus(own, sums), (choices, all_weights, (kept,))


def _wide(shards: Shards):
  return jnp.promote_types(shards.dtype, jnp.float32)


def _plus(own, others):
  """The sum of own[T, C] and the blocks of others[D - 1, T, C], in own's dtype."""
  return functools.reduce(jnp.add, others.astype(own.dtype), own)


def gated_experts(x, tokens: exchange.Started, experts: Experts, weights, chosen, first_expert,
                  shards: Shards, static: Static) -> jax.Array:
  """The MLP of gated experts in one block or two, with one derivative; see `in_two_blocks`.

  The derivative with respect to x is the whole one: `tokens` is a constant, and must not depend on
  x. There are first derivatives only. The dtype of `static` is not used.
  """
  leaves, tree = jax.tree.flatten((x, tokens, experts, weights, chosen, first_expert))
  # Because of unify_varying, the gradient of an array that devices of a shard_map share is summed
  # over these devices.
  return _experts(*jax.tree.unflatten(tree, unify_varying(leaves)), shards, static)


def _compute(x, tokens, experts, weights, chosen, first_expert, shards, static, first):
  def rows(hidden, block: Block):
    return ragged_dot(hidden, experts.down, block.sizes, static.options.precision,
                      bias=experts.down_bias, **static.keywords())

  def add(rows, block: Block, dtype):
    return combine(rows, block.table, block.weights, dtype=dtype)

  arguments = tokens, weights, chosen, first_expert, shards, first, rows
  return in_two_blocks(x, *arguments, add) if shards.splits else _in_one_block(*arguments)


@functools.partial(jax.custom_vjp, nondiff_argnums=(6, 7))
def _experts(x, tokens, experts, weights, chosen, first_expert, shards: Shards, static: Static):
  def first(x, block: Block):
    hidden = ragged_gated_linear_unit(
        x, experts.gate_up, block.sizes, static.options.precision, bias=experts.gate_up_bias,
        lhs_indices=block.table, **static.keywords(static.activation))
    return hidden, None

  return _compute(x, tokens, experts, weights, chosen, first_expert, shards, static, first)[0]


def _forward(x, tokens, experts, weights, chosen, first_expert, shards: Shards, static: Static):
  def first(x, block: Block):
    computed = compute(
        dict(lhs=x, rhs=experts.gate_up, group_sizes=block.sizes, group_offset=None,
             bias=experts.gate_up_bias, precision=static.options.precision,
             lhs_indices=block.table, **static.keywords(static.activation)),
        gated=True, saves=True)
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

  result, kept = _compute(x, tokens, experts, weights, chosen, first_expert, shards, static, first)
  return result, (x, experts, weights, chosen, first_expert, kept)


def _backward(shards: Shards, static: Static, saved, ct):
  x, experts, weights, chosen, first_expert, (choices, all_weights, z) = saved
  gate_up, down, gate_up_bias, down_bias = experts
  count, features, _, hidden_features = gate_up.shape
  send = functools.partial(exchange.start, axis_name=shards.axis_name)

  def product(left, right, sizes, numbers, dtype, **indices):
    return ragged_dot_general(left, right, sizes, numbers, static.options.precision, dtype,
                              **indices, **static.keywords())

  whole = _block(_with_own(chosen, choices), _with_own(weights, all_weights), first_expert, len(x),
                 shards)
  own, others = slice(len(x)), slice(len(x), None)
  ordering = whole
  if shards.splits:
    ordering = _block(chosen, weights, first_expert, len(x), shards)
  # Both starts come before the first product.
  cts, sizes = send(ct.astype(shards.dtype), ordering.sizes, with_own=True)
  xs, sizes = send(x.astype(shards.dtype), sizes, with_own=True)
  if shards.splits:
    blocks = (ordering._replace(sizes=sizes),
              _block(_flat(choices), _flat(all_weights), first_expert, 0, shards))
    cts, (d_z, hidden, d_w) = _two_blocks_gradient(
        ct.astype(shards.dtype), cts, down, z, whole, blocks, product, static)
  else:
    cts, sizes = exchange.done(cts, sizes)
    g = product(_flat(cts), down, sizes, K_LAST, z[0].dtype, lhs_indices=whole.table)
    w = of_rows(whole.weights, whole.table.choice)
    d_z, hidden, d_w = gated_gradient(z[0], g, w, static.activation)
  d_z = d_z.reshape(len(d_z), 2 * hidden_features)

  d_rows = product(d_z, gate_up.reshape(count, features, -1), whole.sizes, K_LAST, d_z.dtype)
  d_others = whole.sums(d_rows, others, shards.dtype, weighted=False)
  d_others, sizes = send(d_others.reshape(len(cts) - 1, *x.shape), whole.sizes, scatters=True)
  of_choices = lambda tokens: whole.or_nan(
      d_w.at[whole.table.row[tokens]].get(mode="fill", fill_value=0), tokens)
  d_weights, sizes = send(of_choices(others).reshape(all_weights.shape), sizes, scatters=True)

  xs, d_rows = exchange.done(xs, d_rows)
  d_gate_up = product(_flat(xs), d_z, sizes, OF_RHS, gate_up.dtype, lhs_indices=whole.table.token)
  d_down = product(hidden, _flat(cts), sizes, OF_RHS, down.dtype, rhs_indices=whole.table.token)
  d_others, d_gate_up, d_down = exchange.done(d_others, d_gate_up, d_down)
  d_weights, d_down = exchange.done(d_weights, d_down)
  d_weights = d_weights.sum(0) + of_choices(own)
  d_x = _plus(whole.sums(d_rows, own, _wide(shards), weighted=False), d_others)
  if gate_up_bias is not None:
    ones = jnp.ones((len(d_z), 1), d_z.dtype)
    d_bias = product(ones, d_z, whole.sizes, OF_RHS, _wide(shards))
    gate_up_bias = d_bias.reshape(gate_up_bias.shape).astype(gate_up_bias.dtype)
  if down_bias is not None:
    sums = lambda bias, weights: bias_sums(bias, weights, whole.table, None)
    d_bias, d_all_weights = jax.vjp(
        sums, down_bias.astype(whole.weights.dtype), whole.weights)[1](
            _flat(cts).astype(whole.weights.dtype))
    down_bias = d_bias.astype(down_bias.dtype)
    of_others, = send(d_all_weights[others].reshape(all_weights.shape), scatters=True)
    d_weights += exchange.done(of_others)[0].sum(0) + d_all_weights[own]
  d_experts = Experts(d_gate_up.reshape(gate_up.shape), d_down, gate_up_bias, down_bias)
  d_x, d_experts, d_weights = jax.tree.map(
      _first_derivative, (d_x.astype(x.dtype), d_experts, d_weights.astype(weights.dtype)))
  return d_x, None, d_experts, d_weights, None, None


@jax.custom_jvp
def _first_derivative(x):
  """x, of a derivative. To differentiate it again raises an error."""
  return x


@_first_derivative.defjvp
def _(primals, tangents):
  raise NotImplementedError(
      "a layer with dispatch='overlap' was differentiated twice; for gated experts first "
      "derivatives only are allowed, because the tokens that travel count as constants in them. "
      "Pass dispatch='gather'.")


def _two_blocks_gradient(ct, cts, down, zs, whole: Block, blocks, product, static: Static):
  """The cotangents of all tokens, and the gated gradient, whose rows are in the order of `whole`.

  Args:
    ct: [T, C], the cotangents of the own tokens.
    cts: those of all tokens, which are arriving.
    zs, blocks: the values before the activation and the blocks of own and others' tokens.
  """
  own, others = blocks
  own_g = product(ct, down, own.sizes, K_LAST, zs[0].dtype, lhs_indices=own.table)
  cts, own_g = exchange.done(cts, own_g)
  others_g = product(_flat(cts), down, others.sizes, K_LAST, zs[1].dtype,
                     lhs_indices=others.table.token + len(ct))
  rows, dtype, hidden_features = len(whole.table.token), zs[0].dtype, zs[0].shape[-1]
  into = tuple(
      room_p.bind(shape=(rows, *shape), dtype=jnp.dtype(dtype))
      for shape, dtype in (((2, hidden_features), dtype), ((hidden_features,), dtype),
                           ((), jnp.float32)))
  offsets = 0, own.table.row.size  # of the blocks' choices among those of all tokens
  for z, g, block, offset in zip(zs, (own_g, others_g), blocks, offsets):
    places = whole.table.row.reshape(-1).at[block.table.choice + offset].get(
        mode="promise_in_bounds")
    into = gated_gradient(
        z, g, of_rows(block.weights, block.table.choice), static.activation, places=places,
        count=block.sizes.sum(dtype=jnp.int32), into=into)
  return cts, into


_experts.defvjp(_forward, _backward)
