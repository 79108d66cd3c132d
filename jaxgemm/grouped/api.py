"""ragged_dot, ragged_dot_general and ragged_gated_linear_unit: grouped products."""

import jax
from jax import lax

from jaxgemm.config import GemmConfig
from jaxgemm.grouped import batching  # noqa: F401  registers the rules of vmap
from jaxgemm.grouped.call import call


def ragged_dot(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    rhs_grad: jax.Array | None = None,
) -> jax.Array:
  """`jax.lax.ragged_dot` with an epilogue, for mixtures of experts.

  The rows of lhs are cut into consecutive groups, each with an rhs of its own:
  activation(scale[g] * (lhs[rows of g] @ rhs[g]) + bias[g]). The sizes stay on the
  device. Groups are cut off at the last row, negative sizes count as zero, and rows
  of no group are zero and never read. Differentiable to any order in lhs, rhs, bias
  and scale, by products over the same groups and without transposed copies; vmap may
  share or batch any operand.

  Args:
    lhs: array of shape (M, K), of the dtypes that `jaxgemm.matmul` takes.
    rhs: array of shape (G, K, N); with a group_offset, of shape (L, K, N), L <= G.
      As in jax, (G, K, 2, N) gives (M, 2, N), two products and no gate.
    group_sizes: array of shape (G,), of integers.
    precision: as in `jax.lax.ragged_dot`. float32 is always computed in full, but on
      NVIDIA GPUs as tf32; more precision is XLA's there.
    preferred_element_type: dtype of the result.
    group_offset: array of shape (1,), an integer from 0 to G (others are cut off to
      that): rhs has the groups from this one on, of one shard of the experts, say, and
      group_sizes those of all; rows of others are zero.
    out_sharding: as in `jax.lax.ragged_dot`.
    bias: array of shape (L, N), or (N,) for all groups; L is G without an offset.
    scale: array of shape (L, N), (L, 1), (N,), (1,) or ().
    activation: see `jaxgemm.matmul`; the rest likewise.
    schedule: see there.
    reduction: see there.
    deterministic: see there.
    config: see there.
    implementation: see there; "xla" is `jax.lax.ragged_dot`: no second reverse-mode
      gradient of rhs, no vmap of vmap, and what vmap shares is copied for each element.
    rhs_grad: float32 array of rhs's shape, on which the result does not depend: the
      gradient of rhs so far. With it rhs is a constant to jax.grad, and the gradient
      of rhs_grad is rhs_grad with rhs's gradient added to it, in place where jax may
      overwrite it (a donated argument, a scan's carry); see the example. It is for
      one call, on which the loss depends: of two calls with one buffer the gradient
      has it twice, and of none (a branch that lax.cond does not take) not at all.
      First-order reverse mode only: derivatives of rhs_grad's gradient with respect
      to rhs_grad itself mean nothing.

  Example, gradients summed over batches of tokens::

    def add_gradient(rhs_grad, batch):
      def loss(rhs_grad):
        return f(jaxgemm.ragged_dot(batch.x, rhs, batch.sizes, rhs_grad=rhs_grad))
      return jax.grad(loss)(rhs_grad), None
    rhs_grad, _ = jax.lax.scan(add_gradient, jnp.zeros(rhs.shape), batches)

  Returns:
    An array of shape (M, N), of the dtype that `jax.lax.ragged_dot` gives.

  Raises:
    ValueError, TypeError: while tracing; jax's own for operands that do not fit
      each other, and others that name what was given and what is allowed.
    NotImplementedError: vmap or shard_map share rhs_grad, or batch it, in a way in
      which the gradient would not have it once. Of shard_map this is known only with
      check_vma=True, its default; without it nothing sums up the devices' gradients.
  """
  return call(
      lhs, rhs, group_sizes, group_offset, bias, scale, rhs_grad=rhs_grad,
      precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding, activation=activation, schedule=schedule,
      reduction=reduction, deterministic=deterministic, config=config,
      implementation=implementation)


def ragged_dot_general(
    lhs: jax.Array,
    rhs: jax.Array,
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
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    accumulate: jax.Array | None = None,
) -> jax.Array:
  """`jax.lax.ragged_dot_general`, with the options of `jaxgemm.ragged_dot`.

  Dimensions that are not in an order that the kernels read are transposed;
  `jaxgemm.explain` says so. Where the ragged dimension is a batch dimension, this is
  `jaxgemm.dot_general`, as in jax.

  Args:
    lhs: array of any rank.
    rhs: array of any rank.
    group_sizes: integers, of shape (G,) or as in `jax.lax.ragged_dot_general`.
    ragged_dot_dimension_numbers: a `jax.lax.RaggedDotDimensionNumbers`.
    precision: see `jaxgemm.ragged_dot`.
    preferred_element_type: dtype of the result.
    group_offset: see `jaxgemm.ragged_dot`; for contracted groups see the next.
    out_sharding: as in `jax.lax.ragged_dot_general`.
    num_local_groups: where the ragged dimension is contracted, how many groups the
      result has, from group_offset on; default: as many as there are sizes.
    bias: array of shape `(L, *columns)` or columns, rhs's free dimensions; only where
      the ragged dimension is not contracted, as is scale.
    scale: as bias, or of shape (), (1,) or (L, 1, ...).
    activation: see `jaxgemm.ragged_dot`; the rest likewise.
    schedule: see there.
    reduction: see there.
    deterministic: see there.
    config: see there.
    implementation: see there.
    accumulate: where the ragged dimension is contracted, float32 array of the
      result's shape that the product is added to, in place where jax may overwrite it
      (a donated argument, a scan's carry); an empty group's part stays as it is. The
      result is float32 then, and preferred_element_type float32 or None.

  Returns:
    An array of the shape and dtype that `jax.lax.ragged_dot_general` gives.

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
  """
  return call(
      lhs, rhs, group_sizes, group_offset, bias, scale, accumulate=accumulate,
      numbers=ragged_dot_dimension_numbers, precision=precision,
      preferred_element_type=preferred_element_type, out_sharding=out_sharding,
      num_local_groups=num_local_groups, activation=activation, schedule=schedule,
      reduction=reduction, deterministic=deterministic, config=config,
      implementation=implementation)


def ragged_gated_linear_unit(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    precision=None,
    preferred_element_type=None,
    group_offset: jax.Array | None = None,
    out_sharding=None,
    *,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = "silu",
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    rhs_grad: jax.Array | None = None,
) -> jax.Array:
  """A grouped product by two matrices, one the gate of the other, as one kernel.

  activation(gate) * up, where gate is the `jaxgemm.ragged_dot` of lhs and
  rhs[:, :, 0], and up that of lhs and rhs[:, :, 1]: with "silu" SwiGLU
  (arXiv:2002.05202). Rows of no group are zero. Under differentiation gate and up are
  saved, in the result's dtype; the gradients are two products, as of one matrix with
  2 N columns.

  Args:
    lhs: array of shape (M, K), of the dtypes that `jaxgemm.matmul` takes.
    rhs: array of shape (G, K, 2, N); with a group_offset, of shape (L, K, 2, N).
    group_sizes: see `jaxgemm.ragged_dot`, as for what is not mentioned here.
    precision: see there.
    preferred_element_type: dtype of the result, a float.
    group_offset: see there.
    out_sharding: see there; that of the result, (M, N).
    bias: array of shape (L, 2, N), or (2, N) for all groups.
    scale: array of shape (L, 2, N), (L, 1, 1), (2, N), (1,) or ().
    activation: of the gate: "silu", "gelu", "relu" or None.
    schedule: see there.
    reduction: see there.
    deterministic: see there.
    config: see there.
    implementation: see there; "xla" is `jax.lax.ragged_dot` and jax.numpy.
    rhs_grad: float32 array of rhs's shape; see there.

  Returns:
    An array of shape (M, N), of the dtype that `jax.lax.ragged_dot` gives.

  Raises:
    ValueError, TypeError, NotImplementedError: see `jaxgemm.ragged_dot`.
  """
  return call(
      lhs, rhs, group_sizes, group_offset, bias, scale, rhs_grad=rhs_grad, gated=True,
      precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding, activation=activation, schedule=schedule,
      reduction=reduction, deterministic=deterministic, config=config,
      implementation=implementation)
