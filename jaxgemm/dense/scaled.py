"""scaled_matmul: jax.nn.scaled_matmul by the kernels."""

import jax
import jax.numpy as jnp

from jaxgemm.config import GemmConfig
from jaxgemm.dense.api import dot_general
from jaxgemm.quantization import Quantized

_NUMBERS = (((2,), (2,)), ((0,), (0,)))


def _check(lhs, rhs, lhs_scales, rhs_scales) -> None:
  """Raises ValueError for shapes that jax.nn.scaled_matmul does not take either."""
  for name, x, scales in (("lhs", lhs, lhs_scales), ("rhs", rhs, rhs_scales)):
    if x.ndim != 3 or scales.ndim != 3:
      raise ValueError(
          f"{name} has shape {x.shape} and {name}_scales {scales.shape}; (B, rows, K) and "
          "(B, rows, K / block) are allowed. Add a batch by x[None], or use jaxgemm.matmul with "
          "scale_lhs and scale_rhs.")
    blocks = scales.shape[2]
    if scales.shape[:2] != x.shape[:2] or blocks == 0 or x.shape[2] % blocks:
      raise ValueError(
          f"{name}_scales has shape {scales.shape} for {name} of shape {x.shape}; "
          f"{(*x.shape[:2], 'K / block')} is allowed, where blocks divide K.")
  if lhs.shape[0] != rhs.shape[0] or lhs.shape[2] != rhs.shape[2]:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs {rhs.shape}; (B, M, K) and (B, N, K) are allowed.")


def _dequantized_dtype(dtype):
  """bfloat16 for float8, float4 and bfloat16, all of whose values it has; else float32."""
  small = jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1 or dtype == jnp.bfloat16
  return jnp.dtype(jnp.bfloat16 if small else jnp.float32)


def reasons(lhs, rhs, lhs_scales, rhs_scales) -> list[str]:
  """What `scaled_matmul` does to its operands before the kernel, in words."""
  return [
      f"{name} is dequantised to {_dequantized_dtype(x.dtype).name} first: it has a scale for "
      f"each block of {x.shape[2] // scales.shape[2]} along k, and the kernels apply scales to "
      "whole sums"
      for name, x, scales in (("lhs", lhs, lhs_scales), ("rhs", rhs, rhs_scales))
      if scales.shape[2] != 1]


def scaled_matmul(
    lhs: jax.Array,
    rhs: jax.Array,
    lhs_scales: jax.Array,
    rhs_scales: jax.Array,
    preferred_element_type=jnp.float32,
    *,
    bias: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.nn.scaled_matmul`: the product of operands with scales for blocks of k.

  The kernels apply scales to the sum over k. An operand with one scale for each row (K_a or K_b
  is 1) is read as it is. One with several blocks along k is dequantised first, by XLA: float8,
  float4 and bfloat16 to bfloat16, others to float32. In the range of bfloat16 this is exact for
  float8 and float4 values with scales that are powers of two (MXFP8, MXFP4); values with other
  scales are rounded to bfloat16.
  `jaxgemm.explain(lhs, rhs, lhs_scales=..., rhs_scales=...)` says which operands these are.

  Args:
    lhs: array of shape (B, M, K).
    rhs: array of shape (B, N, K).
    lhs_scales: array of shape (B, M, K_a), where K_a divides K.
    rhs_scales: array of shape (B, N, K_b), where K_b divides K.
    preferred_element_type: dtype of the result.
    bias: see `jaxgemm.matmul`.
    activation: see `jaxgemm.matmul`.
    schedule: see `jaxgemm.matmul`.
    reduction: see `jaxgemm.matmul`.
    deterministic: see `jaxgemm.matmul`.
    config: see `jaxgemm.matmul`.
    implementation: see `jaxgemm.matmul`.

  Returns:
    An array of shape (B, M, N).

  Raises:
    ValueError, TypeError: see `jaxgemm.matmul`.
  """
  lhs, rhs, lhs_scales, rhs_scales = map(jnp.asarray, (lhs, rhs, lhs_scales, rhs_scales))
  _check(lhs, rhs, lhs_scales, rhs_scales)

  def prepared(x, scales):
    if scales.shape[2] == 1:
      return x, scales.astype(jnp.float32)
    return Quantized(x, scales).dequantize(_dequantized_dtype(x.dtype)), None

  (lhs, scale_lhs), (rhs, scale_rhs) = prepared(lhs, lhs_scales), prepared(rhs, rhs_scales)
  return dot_general(
      lhs, rhs, _NUMBERS, preferred_element_type=preferred_element_type, scale_lhs=scale_lhs,
      scale_rhs=scale_rhs, bias=bias, activation=activation, schedule=schedule,
      reduction=reduction, deterministic=deterministic, config=config,
      implementation=implementation)
