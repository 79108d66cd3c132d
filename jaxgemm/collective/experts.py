"""Gated experts on many devices, with one derivative; see blocks.py.

The backward pass is like the forward pass. The cotangents of the others' tokens arrive beside the
first product of the own ones, and the gradients of the others' tokens go back beside the products
that give the weights' gradients. These read all rows sorted by expert, so that each is one product.
With one block nothing runs beside the arriving cotangents.
"""

from collections.abc import Callable
import functools

import jax
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.activations import activated
from jaxgemm.call.no_derivative import without_derivative
from jaxgemm.collective import exchange
from jaxgemm.collective.blocks import (
  Block,
  Shards,
  block_of,
  flat,
  in_one_block,
  in_two_blocks,
  plus,
  wide,
  with_own,
)
from jaxgemm.collective.ring import room_p
from jaxgemm.grouped.call import compute
from jaxgemm.grouped.checks import BASIC, K_LAST, OF_RHS
from jaxgemm.grouped.experts import Experts, Static, bias_gradients
from jaxgemm.grouped.gated_gradient import gated_gradient
from jaxgemm.grouped.rows import of_rows
from jaxgemm.sharding.manual_axes import unify_varying


def gated_experts(x, tokens: exchange.Started, experts: Experts, weights, chosen, first_expert,
                  shards: Shards, static: Static) -> jax.Array:
  """The MLP of gated experts in one block or two, with one derivative; see `in_two_blocks`.

  There are first derivatives only. That with respect to x is the whole one, so `tokens` must come
  from `send_tokens` with constant=True. The dtype of `static` is not used.
  """
  leaves, tree = jax.tree.flatten((x, tokens, experts, weights, chosen, first_expert))
  # Because of unify_varying, the gradient of an array that devices of a shard_map share is summed
  # over these devices.
  return _experts(*jax.tree.unflatten(tree, unify_varying(leaves)), shards, static)


def _compute(x, tokens, experts, weights, chosen, first_expert, shards, static, first):
  def rows(hidden, block: Block):
    return _product(hidden, experts.down, block.sizes, static, bias=experts.down_bias)

  def add(rows, block: Block, dtype):
    return block.sums(rows, slice(None), dtype)

  arguments = tokens, weights, chosen, first_expert, shards, first, rows
  x = x.astype(shards.dtype)
  return in_two_blocks(x, *arguments, add) if shards.splits else in_one_block(*arguments)


def _product(lhs, rhs, sizes, static: Static, numbers=BASIC, activation=None, dtype=None, *,
             gated: bool = False, saves: bool = False, **arrays):
  """A grouped product. Its rows of no group may hold anything, and nothing reads them."""
  return compute(
      dict(lhs=lhs, rhs=rhs, group_sizes=sizes, group_offset=None,
           precision=static.options.precision, preferred_element_type=dtype,
           **static.keywords(activation), **arrays),
      numbers, gated=gated, saves=saves, skips_rest=numbers is not OF_RHS)


@functools.partial(jax.custom_vjp, nondiff_argnums=(6, 7))
def _experts(x, tokens, experts, weights, chosen, first_expert, shards: Shards, static: Static):
  def first(x, block: Block):
    hidden = _product(x, experts.gate_up, block.sizes, static, activation=static.activation,
                      gated=True, bias=experts.gate_up_bias, lhs_indices=block.table)
    return hidden, None

  return _compute(x, tokens, experts, weights, chosen, first_expert, shards, static, first)[0]


def _forward(x, tokens, experts, weights, chosen, first_expert, shards: Shards, static: Static):
  def first(x, block: Block):
    computed = _product(x, experts.gate_up, block.sizes, static, activation=static.activation,
                        gated=True, saves=True, bias=experts.gate_up_bias, lhs_indices=block.table)
    if isinstance(computed, tuple):
      return tuple(activated(computed, static, gated=True))
    # XLA computes it.
    count, features, _, hidden_features = experts.gate_up.shape
    gate_up = experts.gate_up.reshape(count, features, 2 * hidden_features)
    bias = experts.gate_up_bias
    z = _product(x, gate_up, block.sizes, static, lhs_indices=block.table,
                 bias=None if bias is None else bias.reshape(count, 2 * hidden_features))
    z = epilogue.named(z.reshape(-1, 2, hidden_features))
    hidden = epilogue.activate(z.astype(jnp.float32), static.activation, gated=True)
    return hidden.astype(z.dtype), z

  result, kept = _compute(x, tokens, experts, weights, chosen, first_expert, shards, static, first)
  return result, (x, experts, weights, chosen, first_expert, kept)


def _backward(shards: Shards, static: Static, saved, ct):
  x, experts, weights, chosen, first_expert, (choices, all_weights, z) = saved
  gate_up, down, gate_up_bias, down_bias = experts
  count, features, _, hidden_features = gate_up.shape
  ct = ct.astype(shards.dtype)

  def product(left, right, sizes, numbers, dtype, **indices):
    return _product(left, right, sizes, static, numbers, dtype=dtype, **indices)

  def of_tokens(tokens, kernels, sizes, dtype, indices):
    return product(tokens, kernels, sizes, K_LAST, dtype, lhs_indices=indices)

  def gated(cts, whole: Block, blocks):
    if shards.splits:
      cts, (d_z, hidden, d_w) = two_blocks_gradient(
          ct, cts, down, z, whole, blocks, of_tokens, static)
    else:
      sizes = blocks[0].sizes
      g = of_tokens(flat(cts), down, sizes, z[0].dtype, whole.table)
      w = of_rows(whole.weights, whole.table.choice)
      d_z, hidden, d_w = gated_gradient(z[0], g, w, static.activation, count=_count(sizes))
    return cts, (d_z.reshape(len(d_z), 2 * hidden_features), hidden), d_w

  def rows(kept, whole: Block):
    d_z, _ = kept
    return product(d_z, gate_up.reshape(count, features, -1), whole.sizes, K_LAST, d_z.dtype)

  def kernels(xs, cts, kept, whole: Block, sizes):
    (d_z, hidden), token = kept, whole.table.token
    d_gate_up = product(xs, d_z, sizes, OF_RHS, gate_up.dtype, lhs_indices=token)
    d_down = product(hidden, cts, sizes, OF_RHS, down.dtype, rhs_indices=token)
    *of_biases, d_weights = bias_gradients(
        (gate_up_bias, down_bias), d_z, cts, whole.weights, whole.table, None,
        lambda rows, cts, dtype: product(rows, cts, whole.sizes, OF_RHS, dtype))
    return Experts(d_gate_up.reshape(gate_up.shape), d_down, *of_biases), d_weights

  d_x, d_experts, d_weights = gradients(
      x.astype(shards.dtype), ct, weights, chosen, first_expert, choices, all_weights, shards,
      gated, rows, kernels)
  d_x, d_experts, d_weights = jax.tree.map(
      of_first_order, (d_x.astype(x.dtype), d_experts, d_weights.astype(weights.dtype)))
  return d_x, None, d_experts, d_weights, None, None


def gradients(x, ct, weights, chosen, first_expert, choices, all_weights, shards: Shards,
              gated: Callable, rows: Callable, kernels: Callable):
  """The backward pass. All devices have its exchanges in this order.

  Args:
    x, ct: the tokens and cotangents of this device as they travel, arrays or trees of arrays.
    weights, chosen, first_expert: see `in_two_blocks`.
    choices, all_weights: those of the other devices' tokens, from there.
    gated: a function of (the cotangents of all tokens, whole, blocks) that gives the cotangents,
      what is kept of the gradients of the hidden rows, and float32[R], those of the rows' weights.
      `whole` has the rows of all tokens. With two blocks the cotangents are arriving, and `blocks`
      are own and others' rows; else it is `whole` once more.
    rows: a function of (what is kept, whole) that gives the gradients of the rows of x.
    kernels: a function of (the tokens of all devices, their cotangents, what is kept, whole, sizes)
      that gives the gradients of the experts, and of whole.weights or None.

  Returns:
    The gradients of the tokens in float32 at least, of the experts, and of weights.
  """
  send = functools.partial(exchange.start, axis_name=shards.axis_name)
  count = len(chosen)
  own, others = slice(count), slice(count, None)
  whole = block_of(with_own(chosen, choices), with_own(weights, all_weights), first_expert, count,
                   shards)
  first = block_of(chosen, weights, first_expert, count, shards) if shards.splits else whole
  # Both starts come before the first product.
  cts, sizes = send(ct, first.sizes, with_own=True)
  xs, sizes = send(x, sizes, with_own=True)
  blocks: tuple[Block, ...]
  if shards.splits:
    blocks = (first._replace(sizes=sizes),
              block_of(flat(choices), flat(all_weights), first_expert, 0, shards))
  else:
    cts, sizes = exchange.done(cts, sizes)
    blocks = (first._replace(sizes=sizes),)
  cts, kept, d_w = gated(cts, whole, blocks)

  d_rows = rows(kept, whole)
  d_others = whole.sums(d_rows, others, shards.dtype, weighted=False)
  d_others, sizes = send(d_others.reshape(*choices.shape[:2], d_others.shape[-1]), whole.sizes,
                         scatters=True)
  of_choices = lambda tokens: whole.or_nan(
      d_w.at[whole.table.row[tokens]].get(mode="fill", fill_value=0), tokens)
  d_weights, sizes = send(of_choices(others).reshape(all_weights.shape), sizes, scatters=True)

  xs, d_rows = exchange.done(xs, d_rows)
  d_experts, d_all_weights = kernels(flat(xs), flat(cts), kept, whole, sizes)
  d_others, d_experts = exchange.done(d_others, d_experts)
  d_weights, d_experts = exchange.done(d_weights, d_experts)
  d_weights = d_weights.sum(0) + of_choices(own)
  d_x = plus(whole.sums(d_rows, own, wide(shards), weighted=False), d_others)
  if d_all_weights is not None:
    of_others, = send(d_all_weights[others].reshape(all_weights.shape), scatters=True)
    d_weights += exchange.done(of_others)[0].sum(0) + d_all_weights[own]
  return d_x, d_experts, d_weights


def _count(sizes) -> jax.Array:
  """The number of rows of all groups."""
  return sizes.sum(dtype=jnp.int32)


def of_first_order(x):
  """x, of a derivative. To differentiate it again raises an error."""
  return without_derivative(
      x, "a layer with dispatch='overlap' was differentiated twice; for gated experts first "
      "derivatives only are allowed, because the tokens that travel count as constants in them. "
      "Pass dispatch='gather'.")


def two_blocks_gradient(ct, cts, down, zs, whole: Block, blocks, product, static: Static):
  """The cotangents of all tokens, and the gated gradient, whose rows are in the order of `whole`.

  Args:
    ct: [T, C], the cotangents of the own tokens.
    cts: those of all tokens, which are arriving.
    zs, blocks: the values before the activation and the blocks of own and others' tokens.
    product: a function of (tokens, kernels, sizes, dtype, the token of each row) that multiplies
      rows by the transposed kernels.
  """
  own, others = blocks
  own_g = product(ct, down, own.sizes, zs[0].dtype, own.table.token)
  cts, own_g = exchange.done(cts, own_g)
  others_g = product(flat(cts), down, others.sizes, zs[1].dtype,
                     others.table.token + len(own.table.row))
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
        count=_count(block.sizes), into=into)
  return cts, into


_experts.defvjp(_forward, _backward)
