"""A routing, by custom calls: each token's experts and their weights, and the routing table.

The kernels are in ffi/routing/. Where there is none, XLA computes the same.
"""

import math

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.kernel_calls import make
from jaxgemm.call.options import operand_argument
from jaxgemm.grouped.group_sizes import as_int32
from jaxgemm.grouped.rows import RoutingTable


def routing_table(chosen: jax.Array, num_experts: int) -> tuple[RoutingTable, jax.Array]:
  """The rows of tokens, sorted by expert, as grouped products read them by `lhs_indices`.

  Args:
    chosen: int32[T, top_k], the experts of each token. Numbers out of range stand for the nearest
      expert.
    num_experts: the number E of experts.

  Returns:
    The table, and the group sizes int32[E].

  Raises:
    TypeError, ValueError: chosen or num_experts has a wrong type or shape.
  """
  chosen = operand_argument("chosen", chosen)
  if chosen.ndim != 2 or not jnp.issubdtype(chosen.dtype, jnp.integer):
    raise TypeError(
        f"chosen has shape {chosen.shape} and dtype {chosen.dtype.name}; integers of shape "
        "(T, top_k) are allowed, the experts of each token. For more dimensions call jax.vmap.")
  if isinstance(num_experts, bool) or not isinstance(num_experts, int) or num_experts < 1:
    raise ValueError(
        f"num_experts={num_experts!r} was given; an int of at least 1 is allowed. Pass the number "
        "of experts as a Python int.")
  group_sizes, *table = _table_p.bind(as_int32(chosen), num_experts=num_experts)
  return RoutingTable(*table), group_sizes


def top_k(scores: jax.Array, count: int) -> jax.Array:
  """int32[T, count]: the experts with the largest scores[T, E], in the order of `jax.lax.top_k`."""
  return _top_k_p.bind(lax.stop_gradient(scores), count=count)[0]


def top_k_softmax(logits: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
  """The experts of `top_k`, and [T, count] of logits' dtype, the softmax of their logits[T, E]."""
  chosen, weights = _top_k_p.bind(lax.stop_gradient(logits), count=count)
  return chosen, _weights_of(logits, chosen, weights)


@jax.custom_jvp
def _weights_of(logits, chosen, weights):
  """`weights`, with the derivatives of the softmax of the chosen logits."""
  return weights


@_weights_of.defjvp
def _weights_of_jvp(primals, tangents):
  weights = _weights_of(*primals)
  of_chosen = weights * jnp.take_along_axis(tangents[0], primals[1], axis=-1)
  return weights, of_chosen - weights * of_chosen.sum(axis=-1, keepdims=True)


def _table_by_xla(chosen, *, num_experts: int):
  if chosen.ndim > 2:  # leading dimensions of vmap
    return jax.vmap(lambda x: _table_by_xla(x, num_experts=num_experts))(chosen)
  flat = jnp.clip(chosen, 0, num_experts - 1).reshape(-1)
  group_sizes = jnp.zeros(num_experts, jnp.int32).at[flat].add(1, mode="promise_in_bounds")
  # The stable sort keeps the order of the choices of one expert.
  order = jnp.arange(flat.size, dtype=jnp.int32)
  experts, choice = lax.sort_key_val(flat, order)
  row = jnp.zeros_like(choice).at[choice].set(
      order, unique_indices=True, mode="promise_in_bounds")
  return group_sizes, *RoutingTable.of(choice, row.reshape(chosen.shape), experts)


def _table_results(chosen, *, num_experts: int):
  *lead, tokens, top_k = chosen.shape
  rows = (*lead, tokens * top_k)
  shapes = (*lead, num_experts), rows, rows, rows, chosen.shape
  return [(shape, jnp.int32) for shape in shapes]


def _table_limits(target, chosen, *, num_experts: int) -> str:
  del target
  most = _ffi.native.most_table_experts
  return f"the kernel takes at most {most} experts" if num_experts > most else ""


def _table_workspace(chosen, *, num_experts: int) -> int:
  *lead, tokens, top_k = chosen.shape
  return _ffi.native.table_workspace(math.prod(lead), tokens * top_k, num_experts)


def _top_k_results(scores, *, count: int):
  shape = (*scores.shape[:-1], count)
  return [(shape, jnp.int32), (shape, scores.dtype)]


def _top_k_by_xla(scores, *, count: int):
  largest, chosen = lax.top_k(scores, count)
  return chosen, jax.nn.softmax(largest, axis=-1)


def _top_k_limits(target, scores, *, count: int) -> str:
  del target
  experts, most = _ffi.native.most_top_k
  if scores.dtype != jnp.float32 or scores.shape[-1] > experts or count > most:
    return f"the kernel chooses at most {most} of at most {experts} experts, by scores in float32"
  return ""


_table_p = make("jaxgemm_routing_table", _table_results, _table_by_xla, _table_limits,
                _table_workspace, platforms=("cpu", "cuda", "rocm"))
_top_k_p = make("jaxgemm_top_k", _top_k_results, _top_k_by_xla, _top_k_limits)
