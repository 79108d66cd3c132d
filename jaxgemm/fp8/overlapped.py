"""Gated experts in float8 on many devices: tokens and their cotangents travel in float8.

Blocks of rows, and what runs beside the exchanges, are as in jaxgemm/collective/experts.py;
products and quantised arrays are as in experts.py. A token has scales of its own. So it is
quantised once, before it travels, and the products of all devices read what arrives. The same holds
for its cotangent. The sums of the experts' results, and those of the gradients, travel in
`Shards.dtype`.

The gradients of the kernels read tokens and cotangents as they travelled, times their scales.
"""

import functools
from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call.group_sizes import bounds_of_rows
from jaxgemm.call.quantization import Quantized
from jaxgemm.call.residuals import kept
from jaxgemm.collective import exchange
from jaxgemm.collective.blocks import (
  Block,
  Shards,
  flat,
  in_one_block,
  in_two_blocks,
)
from jaxgemm.collective.experts import gradients, of_first_order, two_blocks_gradient
from jaxgemm.fp8 import experts as float8
from jaxgemm.fp8.experts import Params
from jaxgemm.fp8.kernel_gradients import Rows, row_scales, tops
from jaxgemm.fp8.recipes import RECIPES, dtypes_of
from jaxgemm.fp8.rows import gated_gradient_quantized, quantized_rows
from jaxgemm.grouped.experts import Experts, Static
from jaxgemm.grouped.rows import of_rows
from jaxgemm.sharding.manual_axes import unify_varying


class Tokens(NamedTuple):
  """The tokens of all devices.

  Attributes:
    own: those of this device.
    started: those that begin to travel, a `Started` of a `Quantized`.
  """

  own: Quantized
  started: exchange.Started


def send_tokens(x, shards: Shards, static: Static, recipe: str) -> tuple[Tokens, jax.Array]:
  """(the tokens, x): what reads this x runs after the start; see `blocks.send_tokens`."""
  kind = RECIPES[recipe]
  dtype = dtypes_of(kind, static.options.implementation)[0]
  own = quantized_rows(
      lax.stop_gradient(x).astype(shards.dtype), float8.kind_of_rows(kind), dtype)
  started, x = exchange.start(own, x, axis_name=shards.axis_name, with_own=not shards.splits)
  return Tokens(own, started), x


def gated_experts(x, tokens: Tokens, experts: Experts, weights, chosen, first_expert,
                  shards: Shards, static: Static, recipe: str) -> jax.Array:
  """`jaxgemm.collective.experts.gated_experts` by a recipe of `jaxgemm.fp8.ragged_dot`."""
  experts, params = float8.arguments(x, experts, static, recipe)
  leaves, tree = jax.tree.flatten((x, tokens, experts, weights, chosen, first_expert))
  # Because of unify_varying, the gradient of an array that devices of a shard_map share is summed
  # over these devices.
  return _experts(*jax.tree.unflatten(tree, unify_varying(leaves)), shards, params)


@functools.partial(jax.custom_vjp, nondiff_argnums=(6, 7))
def _experts(x, tokens, experts, weights, chosen, first_expert, shards: Shards, params: Params):
  return _forward(x, tokens, experts, weights, chosen, first_expert, shards, params)[0]


def _forward(x, tokens: Tokens, experts, weights, chosen, first_expert, shards, params):
  gate_up, down = float8.forms_of(experts, params)

  def first(tokens: Quantized, block: Block):
    z, hidden = float8.hidden_rows(
        tokens, gate_up.forward, experts.gate_up_bias, (block.sizes, None), _bounds(block), params,
        shards.dtype, block.table.token)
    return hidden, (z, row_scales(hidden))

  def rows(hidden: Quantized, block: Block):
    return float8.product(hidden, down.forward, (block.sizes, None), params, shards.dtype,
                          bias=experts.down_bias)

  def add(rows, block: Block, dtype):
    return block.sums(rows, slice(None), dtype)

  arguments = tokens.started, weights, chosen, first_expert, shards, first, rows
  result, of_blocks = (in_two_blocks(tokens.own, *arguments, add) if shards.splits else
                       in_one_block(*arguments))
  # The backward pass needs only the dtype of x.
  return result, kept((tokens.own, jnp.zeros(0, x.dtype), gate_up.gradient, down.gradient,
                       float8.of_backward(experts), weights, chosen, first_expert, of_blocks))


def _bounds(block: Block):
  return bounds_of_rows(block.sizes, None, len(block.sizes), len(block.table.token))


def _backward(shards: Shards, params: Params, saved, ct):
  (x, of_x, gate_up, down, experts, weights, chosen, first_expert,
   (choices, all_weights, of_blocks)) = saved
  zs, scales = zip(*of_blocks)
  count, features, hidden_features = len(down.values), ct.shape[-1], zs[0].shape[-1]
  ct = quantized_rows(ct.astype(shards.dtype), params.of_rows, params.float8[1])

  def of_tokens(tokens, kernels, sizes, dtype, indices):
    return float8.product(
        tokens, kernels, (sizes, None), params, dtype, lines=indices,
        bounds=bounds_of_rows(sizes, None, count, len(indices)))

  def gated(cts, whole: Block, blocks):
    w = of_rows(whole.weights, whole.table.choice)
    if shards.splits:
      cts, (d_z, hidden, d_w) = two_blocks_gradient(
          ct, cts, down, zs, whole, blocks, of_tokens, params.static)
      of_z = quantized_rows(d_z.reshape(len(d_z), 2 * hidden_features), params.of_rows,
                            params.float8[1], _bounds(whole))
      # The blocks' rows, in the order of all choices.
      row = jnp.concatenate([blocks[0].table.row, blocks[1].table.row + len(scales[0])])
      of_hidden = jnp.concatenate(scales).at[row.reshape(-1)[whole.table.choice]].get(
          mode="fill", fill_value=1)
    else:
      g = of_tokens(flat(cts), down, blocks[0].sizes, zs[0].dtype, whole.table.token)
      d_z, hidden, d_w, of_z = gated_gradient_quantized(
          zs[0], g, w, params.static.activation, params.of_rows, params.float8[1])
      of_hidden, = scales
    d_z = d_z.reshape(len(d_z), 2 * hidden_features)
    return cts, (d_z, of_z, Rows(hidden, of_hidden * jnp.abs(w))), d_w

  def rows(kept, whole: Block):
    d_z, of_z, _ = kept
    return float8.product(of_z, gate_up, (whole.sizes, None), params, d_z.dtype)

  def kernels(xs, cts, kept, whole: Block, sizes):
    (d_z, of_z, hidden), token = kept, whole.table.token

    def lines(rows: Quantized, scales):
      values = rows.dequantize(shards.dtype)[:, :features]  # without what fills the last block
      return Rows(values, scales(rows)[token], token)

    return float8.experts_gradients(
        lines(xs, row_scales), Rows(d_z, tops(of_z)), hidden, lines(cts, tops), experts,
        whole.weights, whole.table, (sizes, None), count, _bounds(whole), params)

  d_x, d_experts, d_weights = gradients(
      x, ct, weights, chosen, first_expert, choices, all_weights, shards, gated, rows, kernels)
  d_x, d_experts, d_weights = jax.tree.map(
      of_first_order, (d_x.astype(of_x.dtype), d_experts, d_weights.astype(weights.dtype)))
  return d_x, None, float8.as_given(d_experts, params), d_weights, None, None


_experts.defvjp(_forward, _backward)
