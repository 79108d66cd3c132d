"""A mixture of experts on jax.lax.ragged_dot, as users write it."""

import jax
from jax.lax import ragged_dot
import jax.numpy as jnp


def layer(x, params, *, top_k):
  """x[T, C] -> [T, C]; params: `jaxgemm.flax.MoEParams` with gates, without biases."""
  probs = jax.nn.softmax(x @ params.router)
  weights, experts = jax.lax.top_k(probs, top_k)
  weights /= weights.sum(-1, keepdims=True)
  order = jnp.argsort(experts.ravel())
  sizes = jnp.bincount(experts.ravel(), length=params.router.shape[1])
  rows = x[order // top_k]
  gate, up = jnp.moveaxis(params.experts.gate_up, 2, 0)
  hidden = jax.nn.silu(ragged_dot(rows, gate, sizes)) * ragged_dot(rows, up, sizes)
  rows = ragged_dot(hidden, params.experts.down, sizes)
  rows *= weights.ravel()[order][:, None]
  return jnp.zeros_like(x).at[order // top_k].add(rows)
