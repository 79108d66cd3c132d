"""The backward pass of a gated activation whose rows have weights, in one pass over the rows.

In a mixture of experts the hidden row of an expert is activation(gate) * up, and the product of
down may read it times the routing weight of the row. From the cotangent of the weighted row the
backward pass needs the gradients of gate and up, the weighted row for the gradient of down's
kernel, and the gradient of the routing weight. The kernel is in ffi/routing/gated_gradient.h.
"""

import functools

import jax
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.grouped.kernel_calls import make
from jaxgemm.sharding.manual_axes import unify_varying

DTYPES = frozenset(map(jnp.dtype, (jnp.float32, jnp.float16, jnp.bfloat16)))
_VECTOR_BYTES = 16  # what a lane loads at once


def gated_gradient(z: jax.Array, g: jax.Array, w: jax.Array, activation: str | None
                   ) -> tuple[jax.Array, jax.Array, jax.Array]:
  """(dz, hw, dw) of the rows w * activation(gate) * up, where z is (gate, up).

  It computes in float32 and rounds once. The sums of dw have the same bits on every run.

  Args:
    z: [..., R, 2, H], the values before the activation: gate, then up.
    g: [..., R, H], the cotangent of the weighted rows, in z's dtype.
    w: [..., R], the weight of each row.
    activation: one of those of `jaxgemm.matmul`. Only "silu" has a kernel.

  Returns:
    dz: [..., R, 2, H] in z's dtype, the cotangent of z.
    hw: [..., R, H] in z's dtype, the weighted rows.
    dw: float32[..., R], the cotangent of w.
  """
  return _gradient(*unify_varying([z, g, w.astype(jnp.float32)]), activation)


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _gradient(z, g, w, activation):
  return tuple(_gated_gradient_p.bind(z, g, w, activation=activation))


@_gradient.defjvp
def _jvp(activation, primals, tangents):
  function = functools.partial(by_xla, activation=activation)
  return _gradient(*primals, activation), jax.jvp(function, primals, tangents)[1]


def by_xla(z, g, w, *, activation):
  """The results of the primitive by XLA's operations."""
  wide = jnp.promote_types(z.dtype, jnp.float32)
  gate, up = (z[..., i, :].astype(wide) for i in range(2))
  weight, of_row = w[..., None].astype(wide), g.astype(wide)
  activated, pull_back = jax.vjp(lambda x: epilogue.activate(x, activation), gate)
  weighted, value = weight * of_row, activated * up
  d_gate, = pull_back(weighted * up)
  dz = jnp.stack([d_gate, weighted * activated], axis=-2)
  dw = (of_row * value).sum(axis=-1)
  return dz.astype(z.dtype), (weight * value).astype(z.dtype), dw.astype(jnp.float32)


def results(z, g, w, *, activation):
  """The shapes and dtypes of the primitive's results."""
  del activation
  return [(z.shape, z.dtype), (g.shape, z.dtype), (w.shape, jnp.float32)]


def limits(target, z, g, w, *, activation) -> str:
  """Why GPUs have no kernel for these operands, or ""."""
  del target, w
  if activation != "silu":
    return f"the kernel has the activation silu, and {activation} was given"
  if z.dtype not in DTYPES or g.dtype != z.dtype:
    return ("the kernel takes z and g in one dtype of float32, float16 and bfloat16, and these "
            f"are {z.dtype.name} and {g.dtype.name}")
  if z.shape[-1] * z.dtype.itemsize % _VECTOR_BYTES:
    return (f"rows of {z.shape[-1]} elements of {z.dtype.name} are no multiple of "
            f"{_VECTOR_BYTES} bytes")
  return ""


# Nothing else reads z and g in a backward pass, and there they are its largest arrays.
IN_PLACE = {0: 0, 1: 1}
_gated_gradient_p = make("jaxgemm_gated_gradient", results, by_xla, limits,
                         attributes=("activation",), in_place=IN_PLACE)
