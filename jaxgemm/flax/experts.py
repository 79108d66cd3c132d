"""The experts: an MLP whose products are grouped, or dense for shared experts.

The products are those of `jaxgemm.ragged_dot` and `jaxgemm.dot_general`, or of any
functions with the signatures of `jax.lax.ragged_dot` and `jax.lax.dot_general`.
Ours take bias, activation and group_offset; for others these are computed here.
"""

from collections.abc import Callable
import inspect
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

import jaxgemm
from jaxgemm import epilogue

# product(x[T, K], kernel, bias or None, activation or None) -> [T, N], in x's dtype.
Product = Callable[[jax.Array, jax.Array, jax.Array | None, str | None], jax.Array]


class Mlp(NamedTuple):
  """Parameters of the experts (with the leading dimension E) or of shared ones.

  Attributes:
    up: [E, C, H] or [C, H].
    down: [E, H, C] or [H, C].
    gate: as up, or None: the MLP then has no gate.
    up_bias: [E, H] or [H], or None.
    down_bias: [E, C] or [C], or None.
    gate_bias: as up_bias.
  """

  up: Any
  down: Any
  gate: Any = None
  up_bias: Any = None
  down_bias: Any = None
  gate_bias: Any = None


def mlp_shapes(
    features: int, hidden_features: int, *, gated: bool, use_bias: bool
) -> dict[str, tuple[int, ...]]:
  """Shapes of the fields that `Mlp` has for one expert, by name."""
  up = (features, hidden_features)
  shapes = {"up": up, "down": (hidden_features, features)}
  if gated:
    shapes["gate"] = up
  if use_bias:
    shapes |= {f"{name}_bias": (shape[1],) for name, shape in shapes.items()}
  return shapes


def mlp(x: jax.Array, params: Mlp, activation: str, product: Product) -> jax.Array:
  """down(activation(gate(x)) * up(x)), or down(activation(up(x))) without a gate.

  Args:
    x: [T, C].
    params: kernels in any float dtype; they are cast to x's, biases are not.
    activation: "silu" with a gate is SwiGLU (arXiv:2002.05202).
    product: multiplies by a kernel and applies bias and activation.

  Returns:
    [T, C] in x's dtype.
  """
  up, down, gate, up_bias, down_bias, gate_bias = params
  cast = lambda kernel: kernel.astype(x.dtype)
  if gate is None:
    hidden = product(x, cast(up), up_bias, activation)
  else:
    hidden = product(x, cast(gate), gate_bias, activation)
    hidden *= product(x, cast(up), up_bias, None)
  return product(hidden, cast(down), down_bias, None)


def _is_fused(function: Callable, *keywords: str) -> bool:
  # By name: a wrapper's **options say nothing of what the wrapped function takes.
  parameters = inspect.signature(function).parameters
  return all(name in parameters for name in keywords)


def _finish(out, bias, activation):
  """Bias and activation as our kernels apply them: in float32, rounded once."""
  if bias is None and activation is None:
    return out
  z = out.astype(jnp.promote_types(out.dtype, jnp.float32))
  if bias is not None:
    z = z + bias
  return epilogue.activate(z, activation).astype(out.dtype)


def dense_product(dot_general: Callable | None, precision) -> Product:
  """Products with kernel[K, N] and bias[N]; None means jaxgemm.dot_general."""
  dot_general = dot_general or jaxgemm.dot_general
  dimension_numbers = (((1,), (0,)), ((), ()))

  def product(x, kernel, bias, activation):
    if _is_fused(dot_general, "bias", "activation"):
      return dot_general(
          x, kernel, dimension_numbers, precision=precision, bias=bias,
          activation=activation,
      )
    out = dot_general(x, kernel, dimension_numbers, precision=precision)
    return _finish(out, bias, activation)

  return product


def grouped_product(
    ragged_dot: Callable | None, precision, group_sizes: jax.Array,
    experts: jax.Array, group_offset: jax.Array | None,
) -> Product:
  """Products of sorted rows with kernel[G, K, N] and bias[G, N] of their experts.

  Args:
    ragged_dot: None means jaxgemm.ragged_dot.
    precision: passed on to it.
    group_sizes: int32[E], rows of each expert.
    experts: int32[R], ascending: each row's expert.
    group_offset: int32[1], where kernels and biases are those of the experts
      group_offset to group_offset + G only: rows of the others become zero. None
      where they are those of all.
  """
  ragged_dot = ragged_dot or jaxgemm.ragged_dot

  def fused(x, kernel, bias, activation):
    return ragged_dot(
        x, kernel, group_sizes, precision=precision, group_offset=group_offset,
        bias=bias, activation=activation,
    )

  def whole(x, kernel, bias, activation):
    out = ragged_dot(x, kernel, group_sizes, precision=precision)
    return _finish(out, None if bias is None else bias[experts], activation)

  def shard(x, kernel, bias, activation):
    num_local = kernel.shape[0]
    # jax.lax.ragged_dot has no group_offset: bring the shard's rows to the front.
    sizes = lax.dynamic_slice(group_sizes, (group_offset[0],), (num_local,))
    start = (experts < group_offset).sum(dtype=jnp.int32)
    out = ragged_dot(jnp.roll(x, -start, axis=0), kernel, sizes, precision=precision)
    out = jnp.roll(out, start, axis=0)
    local = experts - group_offset
    if bias is not None:
      bias = bias[jnp.clip(local, 0, num_local - 1)]
    out = _finish(out, bias, activation)
    mine = (local >= 0) & (local < num_local)
    return jnp.where(mine[:, None], out, 0)

  if _is_fused(ragged_dot, "bias", "activation", "group_offset"):
    return fused
  return whole if group_offset is None else shard
