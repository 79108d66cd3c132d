"""The integers of a routing, by custom calls: each token's experts, and the routing table.

The kernels are in ffi/routing/. Where there is none, XLA computes the same integers.
"""

from collections.abc import Callable
import math

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.fallback import warn_once
from jaxgemm.call.lower import reshaped, run_by_jit
from jaxgemm.grouped.rows import RoutingTable


def routing_table(chosen: jax.Array, num_experts: int) -> tuple[RoutingTable, jax.Array]:
  """(the table, the group sizes int32[num_experts]) of int32[T, top_k], the experts of the tokens.

  Numbers out of range stand for the nearest expert.
  """
  group_sizes, *table = _table_p.bind(chosen, num_experts=num_experts)
  return RoutingTable(*table), group_sizes


def top_k(scores: jax.Array, count: int) -> jax.Array:
  """int32[T, count]: the experts with the largest scores[T, E], in the order of `jax.lax.top_k`."""
  chosen, = _top_k_p.bind(lax.stop_gradient(scores), count=count)
  return chosen


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


def _table_shapes(chosen, *, num_experts: int):
  *lead, tokens, top_k = chosen.shape
  rows = (*lead, tokens * top_k)
  return (*lead, num_experts), rows, rows, rows, chosen.shape


def _table_limits(chosen, *, num_experts: int) -> str:
  most = _ffi.native.most_table_experts
  return f"the kernel takes at most {most} experts" if num_experts > most else ""


def _table_workspace(chosen, *, num_experts: int) -> int:
  *lead, tokens, top_k = chosen.shape
  return _ffi.native.table_workspace(math.prod(lead), tokens * top_k, num_experts)


def _top_k_limits(scores, *, count: int) -> str:
  experts, most = _ffi.native.most_top_k
  if scores.dtype != jnp.float32 or scores.shape[-1] > experts or count > most:
    return f"the kernel chooses at most {most} of at most {experts} experts, by scores in float32"
  return ""


def _lack(x, platform: str) -> str:
  """Why a call with this operand has no kernel on a platform, whatever its sizes are, or ""."""
  if not all(type(size) is int for size in x.shape):
    return f"the shape {x.shape} is symbolic"
  if platform == "cpu":
    return ""
  try:
    target = _ffi.target(platform)
  except ValueError as refusal:
    return str(refusal).removesuffix(".")
  # A program for another platform than this process's may run with another build.
  if platform == _ffi.default_platform() and not _ffi.is_built(target, "routing"):
    return f"this build has no kernel for {target} (build with JAXGEMM_GPU_KERNELS=all)"
  return ""


def _make(name: str, shapes: Callable, by_xla: Callable, limits: Callable,
          workspace: Callable | None = None, platforms=("cuda", "rocm")) -> Primitive:
  """A primitive of one array whose results are integers, the custom call of the same name.

  Args:
    shapes: a function of the operand and the parameters that gives the shapes of the results.
    by_xla: the same results by XLA's operations.
    limits: why a GPU has no kernel for an operand and parameters, or "".
    workspace: the number of integers in a GPU's workspace, which is the call's last result.
    platforms: those that have the custom call.
  """
  primitive = Primitive(name)
  primitive.multiple_results = True
  lower_to_xla = mlir.lower_fun(by_xla, multiple_results=True)

  def lower_on(platform: str):
    def lower(ctx, operand, **params):
      aval, = ctx.avals_in
      reason = _lack(aval, platform) or (platform != "cpu" and limits(aval, **params))
      if reason:
        warn_once(f"jaxgemm leaves {name.removeprefix('jaxgemm_')} to XLA: {reason}.")
        return lower_to_xla(ctx, operand, **params)
      avals_out = [*ctx.avals_out]
      if workspace:
        words = 0 if platform == "cpu" else workspace(aval, **params)
        avals_out.append(reshaped(aval, (words,)))
      outs = jax.ffi.ffi_lowering(name)(ctx.replace(avals_out=avals_out), operand)
      return outs[:len(ctx.avals_out)]
    return lower

  def batch(operands, axes, **params):
    out = primitive.bind(jnp.moveaxis(operands[0], axes[0], 0), **params)
    return out, [0] * len(out)

  primitive.def_abstract_eval(lambda operand, **params: [
      reshaped(operand, shape).update(dtype=jnp.dtype(jnp.int32), weak_type=False)
      for shape in shapes(operand, **params)])
  run_by_jit(primitive)
  batching.primitive_batchers[primitive] = batch
  mlir.register_lowering(primitive, lower_to_xla)
  for platform in platforms:
    mlir.register_lowering(primitive, lower_on(platform), platform=platform)
  return primitive


_table_p = _make("jaxgemm_routing_table", _table_shapes, _table_by_xla, _table_limits,
                 _table_workspace, platforms=("cpu", "cuda", "rocm"))
_top_k_p = _make("jaxgemm_top_k", lambda scores, *, count: [(*scores.shape[:-1], count)],
                 lambda scores, *, count: [lax.top_k(scores, count)[1]], _top_k_limits)
