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
from jaxgemm.call.kernel_calls import VECTOR_BYTES, make
from jaxgemm.sharding.manual_axes import unify_varying

DTYPES = frozenset(map(jnp.dtype, (jnp.float32, jnp.float16, jnp.bfloat16)))


def gated_gradient(z: jax.Array, g: jax.Array, w: jax.Array, activation: str | None, *,
                   places: jax.Array | None = None, count: jax.Array | None = None,
                   into: tuple[jax.Array, jax.Array, jax.Array] | None = None,
                   ) -> tuple[jax.Array, jax.Array, jax.Array]:
  """(dz, hw, dw) of the rows w * activation(gate) * up, where z is (gate, up).

  It computes in float32 and rounds once. The sums of dw have the same bits on every run.

  Args:
    z: [..., R, 2, H], the values before the activation: gate, then up.
    g: [..., R, H], the cotangent of the weighted rows, in z's dtype.
    w: [..., R], the weight of each row.
    activation: one of those of `jaxgemm.matmul`. Only "silu" has a kernel.
    places: int32[R], for z without leading dimensions: row i of dz, hw and dw is written to row
      places[i] of `into`. The places differ. A row whose place is not there is not written.
    count: int32 or int32[1], for z without leading dimensions: the rows from this one on are
      neither read nor written. Without places the results may hold anything there. None: all rows
      are computed.
    into: (dz [P, 2, H], hw [P, H], dw float32[P]), if and only if there are places. XLA copies what
      is read later; else the rows are written in place. Other rows stay as they are.

  Returns:
    dz: [..., R, 2, H] in z's dtype, the cotangent of z.
    hw: [..., R, H] in z's dtype, the weighted rows.
    dw: float32[..., R], the cotangent of w.
  """
  w = w.astype(jnp.float32)
  if places is None:
    if into is not None or (count is not None and w.ndim != 1):
      raise ValueError("gated_gradient takes into only with places, and count only if z is "
                       f"[R, 2, H]; z is {z.shape}.")
    counts = [] if count is None else [jnp.reshape(count, 1).astype(jnp.int32)]
    return _gradient(activation, *unify_varying([z, g, w, *counts]))
  outs = into or ()
  given = [(x.shape, x.dtype) for x in outs]
  wanted = [((*outs[-1].shape, *shape[1:]), dtype)
            for shape, dtype in results(z, g, w, activation=activation) if outs]
  if w.ndim != 1 or places.shape != w.shape or not outs or given != wanted:
    raise ValueError(
        "gated_gradient with places takes z [R, 2, H], R places, and into=(dz [P, 2, H], hw [P, H],"
        f" dw float32[P]), dz and hw in z's dtype. z is {z.shape} of {z.dtype.name}, places is "
        f"{places.shape}, and into is {', '.join(f'{s} of {d}' for s, d in given) or None}.")
  count = jnp.reshape(w.size if count is None else count, 1).astype(jnp.int32)
  operands = unify_varying([z, g, w, places.astype(jnp.int32), count, *outs])
  return _placed_gradient(activation, *operands)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _gradient(activation, *operands):
  return tuple(_gated_gradient_p.bind(*operands, activation=activation))


@_gradient.defjvp
def _jvp(activation, primals, tangents):
  function = functools.partial(by_xla, activation=activation)
  return _gradient(activation, *primals), jax.jvp(function, primals, tangents)[1]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _placed_gradient(activation, *operands):
  return tuple(_placed_gradient_p.bind(*operands, activation=activation))


@_placed_gradient.defjvp
def _placed_jvp(activation, primals, tangents):
  function = functools.partial(placed_by_xla, activation=activation)
  return _placed_gradient(activation, *primals), jax.jvp(function, primals, tangents)[1]


def by_xla(z, g, w, *count, activation):
  """The results of the primitive by XLA's operations, which compute all rows."""
  del count
  wide = jnp.promote_types(z.dtype, jnp.float32)
  gate, up = (z[..., i, :].astype(wide) for i in range(2))
  weight, of_row = w[..., None].astype(wide), g.astype(wide)
  activated, pull_back = jax.vjp(lambda x: epilogue.activate(x, activation), gate)
  weighted, value = weight * of_row, activated * up
  d_gate, = pull_back(weighted * up)
  dz = jnp.stack([d_gate, weighted * activated], axis=-2)
  dw = (of_row * value).sum(axis=-1)
  return dz.astype(z.dtype), (weight * value).astype(z.dtype), dw.astype(jnp.float32)


def results(z, g, w, *count, activation):
  """The shapes and dtypes of the primitive's results."""
  del count, activation
  return [(z.shape, z.dtype), (g.shape, z.dtype), (w.shape, jnp.float32)]


def limits(target, z, g, w, *count, activation) -> str:
  """Why GPUs have no kernel for these operands, or ""."""
  del target, w
  if count and z.ndim > 3:
    return "the kernel has no count for rows with leading dimensions, which vmap adds"
  if activation != "silu":
    return f"the kernel has the activation silu, and {activation} was given"
  if z.dtype not in DTYPES or g.dtype != z.dtype:
    return ("the kernel takes z and g in one dtype of float32, float16 and bfloat16, and these "
            f"are {z.dtype.name} and {g.dtype.name}")
  if z.shape[-1] * z.dtype.itemsize % VECTOR_BYTES:
    return (f"rows of {z.shape[-1]} elements of {z.dtype.name} are no multiple of "
            f"{VECTOR_BYTES} bytes")
  return ""


def placed_by_xla(z, g, w, places, count, *into, activation):
  """The results of the primitive with places by XLA's operations."""
  if z.ndim > 3:
    one = functools.partial(placed_by_xla, activation=activation)
    return jax.vmap(one)(z, g, w, places, count, *into)
  is_written = (jnp.arange(w.size) < count) & (places >= 0)
  rows = jnp.where(is_written, places, len(into[2]))
  outs = by_xla(z, g, w, activation=activation)
  return tuple(x.at[rows].set(out, mode="drop") for x, out in zip(into, outs, strict=True))


def _placed_results(*operands, activation):
  del activation
  return [(x.shape, x.dtype) for x in operands[-3:]]


def _placed_limits(target, z, g, w, *placed, activation) -> str:
  del placed
  if z.ndim > 3:
    return "the kernel has no places for rows with leading dimensions, which vmap adds"
  return limits(target, z, g, w, activation=activation)


# Nothing else reads z and g in a backward pass, and there they are its largest arrays.
IN_PLACE = {0: 0, 1: 1}
_gated_gradient_p = make("jaxgemm_gated_gradient", results, by_xla, limits,
                         attributes=("activation",), in_place=IN_PLACE)
_placed_gradient_p = make("jaxgemm_gated_gradient", _placed_results, placed_by_xla, _placed_limits,
                          attributes=("activation",), in_place={5: 0, 6: 1, 7: 2})
