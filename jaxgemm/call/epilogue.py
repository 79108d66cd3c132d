"""The epilogue in jnp, for gradients and for products whose kernel cannot compute it."""

import functools

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp

from jaxgemm.call.spec import Labels

# The name of the value before an activation.
PREACT = "jaxgemm_preact"

# These are the kernels' formulas: gelu is the tanh approximation.
_ACTIVATIONS = {"relu": jax.nn.relu, "gelu": jax.nn.gelu, "silu": jax.nn.silu}


def named(preact: jax.Array) -> jax.Array:
  """The value before an activation, with its name for the policies of `jax.checkpoint`."""
  return checkpoint_name(preact, PREACT)


def activate(x: jax.Array, activation: str | None, gated: bool = False) -> jax.Array:
  """activation(x), or if gated activation(x[..., 0, :]) * x[..., 1, :].

  Raises:
    ValueError: x has integers, and there is an activation.
  """
  if gated:
    return activate(x[..., 0, :], activation) * x[..., 1, :]
  if activation is None:
    return x
  if jnp.issubdtype(x.dtype, jnp.integer):
    # CheckProblem in ffi/plan/check.cc raises a similar error for the kernels.
    raise ValueError(
        f"activation={activation!r} works in float, and the sums are {x.dtype.name}. Pass "
        "preferred_element_type=float32 (or another float type).")
  return _ACTIVATIONS[activation](x)


def expand(x: jax.Array, labels: Labels, to: Labels) -> jax.Array:
  """x, whose dimensions are `labels`, in a shape that broadcasts along `to`."""
  order = sorted(range(len(labels)), key=lambda i: to.index(labels[i]))
  if order != list(range(len(labels))):
    x = jnp.transpose(x, order)
  missing = tuple(i for i, label in enumerate(to) if label not in labels)
  return jnp.expand_dims(x, missing) if missing else x


def lifted(x: jax.Array, rank: int) -> jax.Array:
  """x with dimensions of size 1 in front, so that it has this rank.

  jax.numpy would add them by itself, but not under jax.numpy_rank_promotion("raise").
  """
  return lax.expand_dims(x, range(rank - x.ndim))


def scaled(z, scale, row_scale, dims) -> jax.Array:
  """z, with the labels dims.out, times the scales, of which each may be None."""
  for x, labels in ((row_scale, dims.row_scale), (scale, dims.scale)):
    if x is not None:
      z = z * expand(x, labels, dims.out)
  return z


def apply(acc, acc_labels, bias, scale, row_scale, *, dims, spec) -> list[jax.Array]:
  """Results of a contraction, given its accumulator (float32 or int32).

  Args:
    acc: the accumulator; its labels are `acc_labels`, those of dims.out or fewer.
    bias: values with the labels dims.bias, or None.
    scale: values with the labels dims.scale, or None.
    row_scale: values with the labels dims.row_scale, or None.
    dims: the contraction's labels.
    spec: its `Spec`.
  """
  z = scaled(expand(acc, acc_labels, dims.out), scale, row_scale, dims)
  if bias is not None:
    # The cast comes before the broadcast, as in jax.numpy's `z + bias`. So XLA gets the same
    # operations.
    bias = bias.astype(jnp.promote_types(z.dtype, bias.dtype))
    z = z + expand(bias, dims.bias, dims.out)
  return results(z, spec)


def results(z, spec, gated: bool = False) -> list[jax.Array]:
  """[out], or [out, preact], from the value before the activation."""
  if spec.activation is not None or gated:
    z = named(z)
  out = activate(z, spec.activation, gated).astype(spec.out_dtype)
  return [out, z.astype(spec.out_dtype)] if spec.save_preact else [out]


def added(terms) -> jax.Array:
  """The sum of tangents. Those of 8 bits, which jax adds to no other dtype, are cast to float32."""
  if len(terms) > 1:
    terms = [x.astype(jnp.float32) if x.dtype.itemsize == 1 else x for x in terms]
  return functools.reduce(jnp.add, terms)
