"""The routing table: the choices of tokens, sorted by expert.

A custom call computes it, a counting sort (ffi/routing/table.cu); where it has no kernel, XLA does.
"""

import math
from typing import NamedTuple

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.fallback import warn_once
from jaxgemm.call.lower import reshaped, run_by_jit
from jaxgemm.call.plan import PLATFORMS


class RoutingTable(NamedTuple):
  """Where the rows of tokens are, sorted by expert. R is T * top_k.

  Attributes:
    experts: int32[R], ascending: the expert of each row.
    choice: int32[R], of each row the index in the flattened choices [T, top_k]. The rows of an
      expert are in the order of these.
    row: int32[T, top_k], the row of each choice.
  """

  experts: jax.Array
  choice: jax.Array
  row: jax.Array


def routing_table(chosen: jax.Array, num_experts: int) -> tuple[RoutingTable, jax.Array]:
  """(the table, the group sizes int32[num_experts]) of int32[T, top_k], the experts of the tokens.

  Numbers out of range stand for the nearest expert.
  """
  group_sizes, *table = _table_p.bind(chosen, num_experts=num_experts)
  return RoutingTable(*table), group_sizes


def _by_xla(chosen, *, num_experts: int):
  if chosen.ndim > 2:  # leading dimensions of vmap
    return jax.vmap(lambda x: _by_xla(x, num_experts=num_experts))(chosen)
  flat = jnp.clip(chosen, 0, num_experts - 1).reshape(-1)
  group_sizes = jnp.zeros(num_experts, jnp.int32).at[flat].add(1, mode="promise_in_bounds")
  # The stable sort keeps the order of the choices of one expert.
  order = jnp.arange(flat.size, dtype=jnp.int32)
  experts, choice = lax.sort_key_val(flat, order)
  row = jnp.zeros_like(choice).at[choice].set(
      order, unique_indices=True, mode="promise_in_bounds")
  return group_sizes, experts, choice, row.reshape(chosen.shape)


def _sizes(chosen, num_experts: int) -> tuple[int, int, int]:
  """(number of batches, choices of each, experts)."""
  *lead, tokens, top_k = chosen.shape
  return math.prod(lead), tokens * top_k, num_experts


def _lack(chosen, num_experts: int, platform: str | None) -> str:
  """Why there is no kernel for a table, or ""."""
  if platform is None:
    return f"there are kernels for {', '.join(PLATFORMS)}"
  if not all(type(size) is int for size in chosen.shape):
    return f"the shape {chosen.shape} is symbolic"
  if platform == "cpu":
    return ""
  if num_experts > _ffi.native.most_routed_experts:
    return (f"it has {num_experts} experts, and the kernel takes at most "
            f"{_ffi.native.most_routed_experts}")
  try:
    target = _ffi.target(platform)
  except ValueError as refusal:
    return str(refusal).removesuffix(".")
  # A program for another platform than this process's may run with another build.
  if platform == _ffi.default_platform() and not _ffi.is_built(target, "routing_table"):
    return f"this build has no kernel for {target} (build with JAXGEMM_GPU_KERNELS=all)"
  return ""


def _lower(ctx, chosen, *, num_experts: int, platform: str | None = None):
  aval, = ctx.avals_in
  reason = _lack(aval, num_experts, platform)
  if reason:
    warn_once(f"jaxgemm leaves a routing table to XLA: {reason}.")
    return mlir.lower_fun(_by_xla, multiple_results=True)(ctx, chosen, num_experts=num_experts)
  words = 0 if platform == "cpu" else _ffi.native.routing_workspace(*_sizes(aval, num_experts))
  workspace = reshaped(aval, (words,))
  rule = jax.ffi.ffi_lowering("jaxgemm_routing_table")
  return rule(ctx.replace(avals_out=[*ctx.avals_out, workspace]), chosen)[:-1]


def _abstract(chosen, *, num_experts: int):
  *lead, tokens, top_k = chosen.shape
  rows = (*lead, tokens * top_k)
  return [reshaped(chosen, shape) for shape in ((*lead, num_experts), rows, rows, chosen.shape)]


def _jvp(primals, _, **params):
  out = _table_p.bind(*primals, **params)
  return out, [ad.Zero.from_primal_value(x) for x in out]  # integers


def _batch(operands, axes, **params):
  return _table_p.bind(jnp.moveaxis(operands[0], axes[0], 0), **params), [0] * 4


_table_p = Primitive("jaxgemm_routing_table")
_table_p.multiple_results = True
_table_p.def_abstract_eval(_abstract)
run_by_jit(_table_p)
ad.primitive_jvps[_table_p] = _jvp
batching.primitive_batchers[_table_p] = _batch
mlir.register_lowering(_table_p, _lower)
for _platform in PLATFORMS:
  mlir.register_lowering(
      _table_p, lambda ctx, chosen, platform=_platform, **params: _lower(
          ctx, chosen, platform=platform, **params), platform=_platform)
