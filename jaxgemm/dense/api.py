"""matmul and dot_general: jax's semantics, computed by this package's kernels."""

import functools
from typing import Any

import jax

from jaxgemm.call.config import GemmConfig
from jaxgemm.call.options import Options, given_vectors, operand_argument
from jaxgemm.call.quantized import Quantized, stand_in, weights_argument
from jaxgemm.call.transposes import INLINE
from jaxgemm.dense.call import dense_product
from jaxgemm.dense.dimensions import dot_general_product, indices, matmul_product
from jaxgemm.dense.vectors import Vectors
from jaxgemm.sharding.parts import names_parts


@functools.partial(jax.jit, static_argnums=2, inline=INLINE)
def _matmul(a, b, options: Options, **given):
  vectors = Vectors(**given)
  return dense_product(a, b, vectors, lambda options: matmul_product(
      a, stand_in(b, a), options, vectors.scale_operands()), options)


@names_parts
def matmul(
    a: jax.Array,
    b: jax.Array | Quantized,
    *,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    scale_lhs: jax.Array | None = None,
    scale_rhs: jax.Array | None = None,
    activation: str | None = None,
    quantize_out: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> Any:
  """`jax.numpy.matmul` with an epilogue: activation(scale * (a @ b) + bias).

  Accumulators are float32 (int32 for int8 operands). Scales, bias, activation and one cast
  to the result's dtype follow. There are derivatives of any order in a, b, bias and the
  scales. Gradients read their operands in other layouts, without transposed copies.

  Args:
    a: array of shape (K,) or (..., M, K). float32, bfloat16, float16, the float8
      types and int8 run in this package's kernels, also mixed.
    b: array of shape (K,) or (..., K, N), or weights of such a shape that `jaxgemm.quantize`
      gave. Where no kernel reads 4 bits, they are dequantised to a's dtype first (to bfloat16 if
      that has 8 bits). They are constants to jax.grad.
    precision: as in `jax.numpy.matmul`. float32 is always computed in full, except on
      NVIDIA GPUs: there it is computed as tf32, with "high" in three passes of tf32
      parts (an infinity may then give NaN), and with "highest" by XLA. Algorithms
      (jax.lax.DotAlgorithm and its presets) that the kernels do not compute are left
      to XLA, too.
    preferred_element_type: dtype of the result, as in `jax.numpy.matmul`; default for
      operands of 8 bits with scale_lhs or scale_rhs: float32.
    out_sharding: as in `jax.numpy.matmul`.
    bias: array of shape (N,), or (..., N) where ... are the result's batch dimensions,
      of real numbers; integers if the result has integers.
    scale: array of real numbers of shape (), (1,) or (N,): one value, or one for each
      column. With a batch also of shape (..., 1) or (..., N). An array of the result's
      rank, of shape (..., M, 1), has one value for each row.
    scale_lhs: the scale of a quantised a, as `jaxgemm.quantize` gives it: an array of a's
      rank with 1 for K, (..., M, 1), where any size may be 1; or of shape (), (1,), (M,) or
      (..., M).
    scale_rhs: the scale of b, likewise: (..., 1, N), (), (1,), (N,) or (..., N). The
      result is activation(scale_lhs * scale_rhs * (a @ b) + bias).
    activation: "relu", "gelu" (the tanh approximation), "silu" or None.
    quantize_out: "block" or "mx": the result is quantised in the kernel, from its float32
      sums, as `jaxgemm.quantize` quantises along the last dimension: a scale for 128
      columns of a row, or the MX format's scale for 32. The dtype is a float8; the default is
      the e4m3 that the kernels read. Such a product has no derivatives. XLA quantises a
      float32 result where the kernels do not; `jaxgemm.explain` says why.
    schedule: "auto", "persistent", "work_stealing" or "stream_k"; see GemmConfig.
    reduction: "linear", "tree" or "atomic"; see GemmConfig.
    deterministic: True refuses options with which the result is not bitwise the same on every
      run. "rows" promises more: the bits of a row of the result depend on this row of a, on b and
      on the epilogue's operands, not on the number of rows, on the other rows, on the groups, or
      on how rows are sharded. Sums are then not divided among workgroups or waves, which takes
      longer for few rows, and XLA computes nothing: a product that the kernels cannot compute is
      an error.
    config: a `GemmConfig` with further choices.
    implementation: "jaxgemm" for the kernels, "xla" for jax.numpy with the same epilogue, or
      None. None means the kernels. But XLA computes the product, with a warning, if they do
      not support the operands or are known to be slower on this platform; and without a
      warning if K is 1. `jaxgemm.explain` says which computes it. "emulated:gfx942",
      "emulated:gfx950" and "emulated:gfx90a" run the machine code of that GPU on the CPU, in
      the emulator (see `jaxgemm.emulator`), for debugging; this is slow. With the name of a chip,
      such as "emulated:MI308X", the plan is for that chip.

  Returns:
    An array of the shape and dtype that `jax.numpy.matmul` gives; with quantize_out a
    `Quantized`.

  Raises:
    ValueError, TypeError: while tracing: jax's own errors for operands that do not fit
      each other, and errors that say what was given and what is allowed.
  """
  a = operand_argument("a", a)
  b = weights_argument("b", b)
  return _matmul(a, b, Options.of(locals()), **given_vectors(locals()))


@functools.partial(jax.jit, static_argnums=(2, 3), inline=INLINE)
def _dot_general(lhs, rhs, dimension_numbers, options: Options, **given):
  vectors = Vectors(**given)
  return dense_product(lhs, rhs, vectors, lambda options: dot_general_product(
      lhs, stand_in(rhs, lhs), dimension_numbers, options, vectors.scale_operands()), options)


@names_parts
def dot_general(
    lhs: jax.Array,
    rhs: jax.Array | Quantized,
    dimension_numbers,
    precision=None,
    preferred_element_type=None,
    *,
    out_sharding=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    scale_lhs: jax.Array | None = None,
    scale_rhs: jax.Array | None = None,
    activation: str | None = None,
    quantize_out: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> Any:
  """`jax.lax.dot_general`, with the epilogue and the options of `jaxgemm.matmul`.

  An operand is transposed by a copy if its contracted dimensions are neither the first nor
  the last of those that are no batch; `jaxgemm.explain` shows such copies.

  Args:
    lhs: array of any rank.
    rhs: array of any rank, or weights that `jaxgemm.quantize` gave; see `jaxgemm.matmul`.
    dimension_numbers: ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch)).
    precision: as in `jax.lax.dot_general`; see `jaxgemm.matmul`.
    preferred_element_type: dtype of the result; see `jaxgemm.matmul`.
    out_sharding: as in `jax.lax.dot_general`.
    bias: array with the shape of rhs's free dimensions (neither contracted nor a batch), or
      of the batch dimensions and these.
    scale: array of the same shapes as bias; of shape () or (1,); or of the batch dimensions
      and a 1. For one value for each row it has the result's rank, with 1 for rhs's free
      dimensions.
    scale_lhs: array of lhs's rank with 1 for the contracted dimensions, where any size may be
      1; or of shape () or (1,), of lhs's free dimensions, or of the batch dimensions and
      these.
    scale_rhs: the same for rhs.
    activation, quantize_out, schedule, reduction, deterministic, config, implementation: see
      `jaxgemm.matmul`.

  Returns:
    An array of the shape and dtype that `jax.lax.dot_general` gives; with quantize_out a
    `Quantized`.

  Raises:
    ValueError, TypeError: see `jaxgemm.matmul`.
  """
  lhs = operand_argument("lhs", lhs)
  rhs = weights_argument("rhs", rhs)
  # jax accepts lists as dimension numbers. jax.jit cannot hash these, so they become tuples.
  return _dot_general(lhs, rhs, indices(dimension_numbers), Options.of(locals()),
                      **given_vectors(locals()))
