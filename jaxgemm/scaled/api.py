"""scaled_matmul and scaled_ragged_dot: products of operands with scales of blocks along k."""

from typing import Any

import jax
import jax.numpy as jnp

from jaxgemm.call.config import GemmConfig
from jaxgemm.call.options import Options, array_argument, operand_argument
from jaxgemm.grouped.checks import check_num_groups, check_vector
from jaxgemm.grouped.group_sizes import given_groups
from jaxgemm.scaled.call import RAGGED, Call, Given, computed
from jaxgemm.sharding.parts import names_parts


def _arrays(**given):
  return (jnp.asarray(operand_argument(name, x)) for name, x in given.items())


def _scales_of_lhs(lhs, scales):
  """The argument lhs_scales; ones for the rows of an lhs that is not quantised."""
  if scales is None:
    return jnp.ones((*lhs.shape[:-1], 1), jnp.float32)
  return jnp.asarray(operand_argument("lhs_scales", scales))


@names_parts
def scaled_matmul(
    lhs: jax.Array,
    rhs: jax.Array,
    lhs_scales: jax.Array | None,
    rhs_scales: jax.Array,
    preferred_element_type=None,
    *,
    block: int | None = None,
    bias: jax.Array | None = None,
    activation: str | None = None,
    quantize_out: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> Any:
  """`jax.nn.scaled_matmul`: the product of operands with scales for blocks along k.

  A kernel with scales of blocks sums over each block by itself, multiplies that sum by the scales
  of its two blocks, and adds it to float32 accumulators, as DeepGEMM does
  (https://github.com/deepseek-ai/DeepGEMM). On gfx950 the matrix instruction itself multiplies by
  the scales of the MX formats (OCP Microscaling Formats v1.0). There two operands of float4_e2m1fn
  are read without a conversion if K is a multiple of 32. Other float4 values are cast to float8.

  An operand with one scale for each row (K_a or K_b is 1) is never dequantised: its scales
  multiply whole sums. If the kernels do not have the blocks of a call, XLA first dequantises each
  operand that has several blocks: float8 and bfloat16 to bfloat16, others to float32. Values of 4
  bits take the dtype of the other operand, or bfloat16 if that has 8 bits or fewer. For float8 and
  float4 values with scales that are powers of two (MXFP8, MXFP4) this is exact, within the range
  of bfloat16. Values with other scales are rounded to bfloat16.
  `jaxgemm.explain(lhs, rhs, lhs_scales=..., rhs_scales=...)` says which operands are dequantised,
  and why. Derivatives are those of the dequantised product.

  Args:
    lhs: array of shape (B, M, K), of a dtype that `jaxgemm.matmul` takes, float4_e2m1fn or int4.
    rhs: array of shape (B, N, K), likewise.
    lhs_scales: float array of shape (B, M, K_a), where K_a divides K; or of shape
      (B, M / 128, K_a), rounded up, with a scale for each 128 rows. None: lhs is not quantised.
    rhs_scales: array of shape (B, N, K_b) or (B, N / 128, K_b), likewise.
    preferred_element_type: dtype of the result. The default is float32, and with quantize_out
      the e4m3 that the kernels read.
    block: elements along k that share a scale; the last block may be shorter. The default is
      K / K_a for lhs and K / K_b for rhs.
    bias: array of shape (N,) or (B, N); see `jaxgemm.matmul`.
    activation, quantize_out, schedule, reduction, deterministic, config, implementation: see
      `jaxgemm.matmul`.

  Returns:
    An array of shape (B, M, N), of dtype preferred_element_type; with quantize_out a `Quantized`.

  Raises:
    ValueError, TypeError: a shape, a dtype or an option is not allowed; see `jaxgemm.matmul`.
  """
  lhs, rhs, rhs_scales = _arrays(lhs=lhs, rhs=rhs, rhs_scales=rhs_scales)
  lhs_scales = _scales_of_lhs(lhs, lhs_scales)
  for name, x in (("lhs", lhs), ("rhs", rhs)):
    if x.ndim != 3:
      raise ValueError(
          f"{name} has shape {x.shape}; (B, rows, K) is allowed. Add a batch by x[None], or use "
          "jaxgemm.matmul with scale_lhs and scale_rhs.")
  if lhs.shape[0] != rhs.shape[0] or lhs.shape[2] != rhs.shape[2]:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs {rhs.shape}; (B, M, K) and (B, N, K) are allowed. "
        "Transpose an operand whose last dimension is not K.")
  return computed(
      Call(block, "none", Options.of(locals())),
      Given(lhs, rhs, lhs_scales, rhs_scales, bias=array_argument("bias", bias)))


@names_parts
def scaled_ragged_dot(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    lhs_scales: jax.Array | None,
    rhs_scales: jax.Array,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    *,
    ragged: str = "m",
    block: int | None = None,
    bias: jax.Array | None = None,
    activation: str | None = None,
    quantize_out: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> Any:
  """`jaxgemm.ragged_dot` of operands with scales for blocks along k, for mixtures of experts.

  k is the last dimension of both operands, as in `jaxgemm.scaled_matmul`; the kernels read float8
  fastest so. See there for the scales, and `jaxgemm.ragged_dot` for the groups.

  Args:
    lhs: array of shape (M, K), the rows of all groups one after another; for dtypes see
      `jaxgemm.scaled_matmul`.
    rhs: array of shape (G, N, K); with ragged="k" of shape (N, K).
    group_sizes: integer array of shape (G,); see `jaxgemm.ragged_dot`.
    lhs_scales: array of shape (M, K_a), or (M / 128, K_a), rounded up, with a scale for each 128
      rows. None: lhs is not quantised.
    rhs_scales: array of shape (G, N, K_b) or (G, N / 128, K_b); with ragged="k" without G.
    preferred_element_type: dtype of the result. The default is float32, and with quantize_out
      the e4m3 that the kernels read.
    group_offset: see `jaxgemm.ragged_dot`.
    ragged: "m": the sizes cut lhs's rows. "k": the sizes cut k, as in the gradient of rhs. Blocks
      are counted from the first element along k of all groups, so a group may begin inside a block.
    block: see `jaxgemm.scaled_matmul`.
    bias: array of shape (G, N) or (N,); not allowed with ragged="k".
    activation: see `jaxgemm.matmul`; not allowed with ragged="k".
    quantize_out: see `jaxgemm.ragged_dot`.
    schedule, reduction, deterministic, config, implementation: see `jaxgemm.matmul`.

  Returns:
    An array of shape (M, N), or (G, M, N) with ragged="k", of dtype preferred_element_type; with
    quantize_out a `Quantized`.

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
  """
  if not isinstance(ragged, str) or ragged not in RAGGED:
    raise ValueError(
        f"ragged={ragged!r} was given; 'm' and 'k' are allowed. Pass 'm' if the group sizes cut "
        "the rows of lhs, and 'k' if they cut k.")
  lhs, rhs, rhs_scales = _arrays(lhs=lhs, rhs=rhs, rhs_scales=rhs_scales)
  lhs_scales = _scales_of_lhs(lhs, lhs_scales)
  group_sizes, group_offset = given_groups(group_sizes, group_offset)
  if lhs.ndim != 2 or rhs.ndim != (3 if ragged == "m" else 2) or lhs.shape[-1] != rhs.shape[-1]:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs {rhs.shape}; (M, K) and "
        f"{'(G, N, K)' if ragged == 'm' else '(N, K)'} are allowed with ragged={ragged!r}. "
        "Transpose an operand whose last dimension is not K.")
  check_vector(group_sizes)
  if ragged == "m":
    check_num_groups(rhs.shape[0], group_sizes.size, group_offset is not None)
  if ragged == "k" and (bias is not None or activation is not None):
    raise ValueError(
        "bias or activation was given with ragged='k'; neither is allowed there. Leave them out, "
        "and apply them to the result.")
  return computed(
      Call(block, ragged, Options.of(locals())),
      Given(lhs, rhs, lhs_scales, rhs_scales, group_sizes, group_offset,
             array_argument("bias", bias)))
