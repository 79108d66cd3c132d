"""ragged_dot, ragged_dot_general and ragged_gated_linear_unit: grouped products."""

from typing import Any

import jax
from jax import lax

from jaxgemm.call.config import GemmConfig
from jaxgemm.call.quantized import Quantized
from jaxgemm.grouped import batching, derivatives  # noqa: F401  they register rules of ragged_p
from jaxgemm.grouped.call import compute
from jaxgemm.grouped.rows import RoutingTable
from jaxgemm.sharding.parts import names_parts


@names_parts
def ragged_dot(
    lhs: jax.Array,
    rhs: jax.Array | Quantized,
    group_sizes: jax.Array,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
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
    rhs_grad: jax.Array | None = None,
    lhs_indices: jax.Array | RoutingTable | None = None,
) -> Any:
  """`jax.lax.ragged_dot` with an epilogue, for mixtures of experts.

  The rows of lhs are cut into consecutive groups, each with an rhs of its own:
  activation(scale[g] * (lhs[rows of g] @ rhs[g]) + bias[g]). The host does not read the
  sizes. Groups are cut off at the last row, negative sizes count as zero, and rows that
  belong to no group are never read and are zero in the result. There are derivatives of
  any order in lhs, rhs, bias and the scales. Gradients are products over the same groups,
  without transposed copies. vmap may share or batch any operand.

  Args:
    lhs: array of shape (M, K), of the dtypes that `jaxgemm.matmul` takes.
    rhs: array of shape (G, K, N); with a group_offset, of shape (L, K, N), L <= G.
      As in jax, (G, K, 2, N) gives (M, 2, N), two products and no gate. Or weights that
      `jaxgemm.quantize` gave; see `jaxgemm.matmul`.
    group_sizes: array of shape (G,), of integers.
    precision: as in `jax.lax.ragged_dot`. float32 is always computed in full, except on
      NVIDIA GPUs: there it is computed as tf32, and XLA computes more precise products.
    preferred_element_type: dtype of the result; see `jaxgemm.matmul` for its default with
      scales.
    group_offset: integer array of shape (1,), clamped to the range 0 to G. rhs then has
      only the L groups from this one on (for example those of one shard of the experts),
      and group_sizes has all G groups. Rows of other groups are zero.
    out_sharding: as in `jax.lax.ragged_dot`.
    bias: array of shape (L, N), or (N,) for all groups; without an offset L is G.
    scale: array of shape (L, N), (L, 1), (N,), (1,) or (), of real numbers.
    scale_lhs: the scale of a quantised lhs, as `jaxgemm.quantize` gives it: array of shape
      (M, 1), (M,), (1,) or (). The result is
      activation(scale_lhs * scale_rhs[g] * (lhs[rows of g] @ rhs[g]) + bias[g]).
    scale_rhs: the scale of rhs: array of shape (L, 1, N), where any size may be 1, or of a
      shape that scale may have.
    activation, schedule, reduction, deterministic, config: see `jaxgemm.matmul`.
    quantize_out: see `jaxgemm.matmul`. Rows of no group are zeros with scales of 1; whatever lhs
      has in such rows has no effect.
    implementation: see `jaxgemm.matmul`. "xla" is `jax.lax.ragged_dot`. It has no second
      reverse-mode gradient of rhs and no vmap of vmap. If vmap shares an operand, it copies
      that for each element of the batch.
    rhs_grad: float32 array of rhs's shape: the gradient of rhs so far. The result does
      not depend on it. With rhs_grad, rhs is a constant to jax.grad, and the gradient
      of rhs_grad is rhs_grad plus rhs's gradient; see the example. The sum is in place
      if jax may overwrite rhs_grad (a donated argument, a scan's carry). A buffer is
      for one call, on which the loss depends. With two calls the gradient has the buffer
      twice, and with none (a branch that lax.cond does not take) not at all. This is for
      the first derivative in reverse mode only: derivatives of rhs_grad's gradient with
      respect to rhs_grad have no meaning.
    lhs_indices: integer array of shape (M,), or a `RoutingTable`: row i of the product is row
      lhs_indices[i] of lhs, which then has shape (T, K). An index outside of 0 to T - 1 stands
      for zeros. No gathered copy of lhs is made where the kernel reads by index;
      `jaxgemm.explain` says where it does not. A scale_lhs with a value for each row has T of
      them. With the table the gradient of lhs adds up the rows of a token in a fixed order;
      with an array the order is XLA's.

  Example, gradients summed over batches of tokens::

    def add_gradient(rhs_grad, batch):
      def loss(rhs_grad):
        return f(jaxgemm.ragged_dot(batch.x, rhs, batch.sizes, rhs_grad=rhs_grad))
      return jax.grad(loss)(rhs_grad), None
    rhs_grad, _ = jax.lax.scan(add_gradient, jnp.zeros(rhs.shape), batches)

  Returns:
    An array of shape (M, N), of the dtype that `jax.lax.ragged_dot` gives; with quantize_out a
    `Quantized`.

  Raises:
    ValueError, TypeError: while tracing: jax's own errors for operands that do not fit
      each other, and errors that say what was given and what is allowed.
    NotImplementedError: vmap or shard_map shares or batches rhs_grad so that the
      gradient would not have it exactly once, or shard_map has check_vma=False, where this
      is not known.
  """
  return compute(locals())


@names_parts
def ragged_dot_general(
    lhs: jax.Array,
    rhs: jax.Array | Quantized,
    group_sizes: jax.Array,
    ragged_dot_dimension_numbers: lax.RaggedDotDimensionNumbers,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
    num_local_groups: int | None = None,
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
    accumulate: jax.Array | None = None,
    lhs_indices: jax.Array | RoutingTable | None = None,
    rhs_indices: jax.Array | RoutingTable | None = None,
) -> Any:
  """`jax.lax.ragged_dot_general`, with the options of `jaxgemm.ragged_dot`.

  An operand whose dimensions are not in an order that the kernels read is transposed by a
  copy; `jaxgemm.explain` shows such copies. If the ragged dimension is a batch dimension,
  this is `jaxgemm.dot_general`, as in jax.

  Args:
    lhs: array of any rank.
    rhs: array of any rank, or weights that `jaxgemm.quantize` gave; see `jaxgemm.matmul`.
    group_sizes: integer array of shape (G,), or as in `jax.lax.ragged_dot_general`.
    ragged_dot_dimension_numbers: a `jax.lax.RaggedDotDimensionNumbers`.
    precision: see `jaxgemm.ragged_dot`.
    preferred_element_type: see `jaxgemm.ragged_dot`.
    group_offset: see `jaxgemm.ragged_dot`; if the ragged dimension is contracted, see
      num_local_groups.
    out_sharding: as in `jax.lax.ragged_dot_general`.
    num_local_groups: if the ragged dimension is contracted: the number L of groups in the
      result, from group_offset on. The default is G.
    bias: array of shape `(L, *columns)` or `columns`, which are rhs's free dimensions.
      bias and scale are allowed only if the ragged dimension is not contracted.
    scale: array of the same shapes as bias, or of shape (), (1,) or (L, 1, ...).
    scale_lhs: array of lhs's rank with 1 for the contracted dimensions, or without these, or
      of shape () or (1,). If the ragged dimension is contracted, only one value is allowed, and no
      other scale.
    scale_rhs: array of rhs's rank with 1 for the contracted and the batch dimensions, where
      any size may be 1, or of a shape that scale may have.
    activation, schedule, reduction, deterministic, config: see `jaxgemm.matmul`.
    quantize_out, implementation: see `jaxgemm.ragged_dot`.
    accumulate: allowed if the ragged dimension is contracted: float32 array of the result's
      shape. The product is added to it, in place if jax may overwrite it (a donated
      argument, a scan's carry). The part of an empty group does not change. The result is
      then float32, and preferred_element_type must be float32 or None.
    lhs_indices: see `jaxgemm.ragged_dot`; the groups cut the first dimension of an lhs of rank 2,
      which may be contracted.
    rhs_indices: the same for rhs of rank 2, if the ragged dimension is contracted.

  Returns:
    An array of the shape and dtype that `jax.lax.ragged_dot_general` gives; with quantize_out a
    `Quantized`.

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
  """
  return compute(locals(), ragged_dot_dimension_numbers)


@names_parts
def ragged_gated_linear_unit(
    lhs: jax.Array,
    rhs: jax.Array | Quantized,
    group_sizes: jax.Array,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    scale_lhs: jax.Array | None = None,
    scale_rhs: jax.Array | None = None,
    activation: str | None = "silu",
    quantize_out: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    rhs_grad: jax.Array | None = None,
    lhs_indices: jax.Array | RoutingTable | None = None,
) -> Any:
  """A gated linear unit for each group: two grouped products as one kernel.

  activation(gate) * up, where gate is the `jaxgemm.ragged_dot` of lhs and
  rhs[:, :, 0], and up is that of lhs and rhs[:, :, 1]. With "silu" this is SwiGLU
  (arXiv:2002.05202). Rows of no group are zero. Under differentiation gate and up are
  saved, in the result's dtype; the gradients are two products, as for one matrix with
  2 N columns.

  Args:
    lhs: array of shape (M, K), of the dtypes that `jaxgemm.matmul` takes.
    rhs: array of shape (G, K, 2, N); with a group_offset, of shape (L, K, 2, N). Or weights that
      `jaxgemm.quantize` gave; see `jaxgemm.matmul`.
    group_sizes, precision: see `jaxgemm.ragged_dot`.
    preferred_element_type: dtype of the result, a float.
    group_offset: see `jaxgemm.ragged_dot`.
    out_sharding: sharding of the result, (M, N); see `jaxgemm.ragged_dot`.
    bias: array of shape (L, 2, N), or (2, N) for all groups.
    scale: array of shape (L, 2, N), (L, 1, 1), (2, N), (1,) or ().
    scale_lhs: see `jaxgemm.ragged_dot`.
    scale_rhs: array of shape (L, 1, 2, N), where any size may be 1, or of a shape that scale
      may have.
    activation: activation of the gate: "silu", another one of `jaxgemm.matmul`, or None.
    quantize_out: see `jaxgemm.ragged_dot`.
    schedule, reduction, deterministic, config: see `jaxgemm.matmul`.
    implementation: see `jaxgemm.ragged_dot`; "xla" is `jax.lax.ragged_dot` and
      jax.numpy.
    rhs_grad: float32 array of rhs's shape; see `jaxgemm.ragged_dot`.
    lhs_indices: see `jaxgemm.ragged_dot`.

  Returns:
    An array of shape (M, N), of the dtype that `jax.lax.ragged_dot` gives; with quantize_out a
    `Quantized`.

  Raises:
    ValueError, TypeError, NotImplementedError: see `jaxgemm.ragged_dot`.
  """
  return compute(locals(), gated=True)
