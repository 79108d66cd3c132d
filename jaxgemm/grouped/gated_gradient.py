"""The gradient of a gate, of the weights of its rows, and the weighted rows."""

import jax
import jax.numpy as jnp

from jaxgemm.call import epilogue


def gated_gradient(z, g, w, activation):
  """(dz, hw, dw) for z[R, 2, H], g[R, H] and w[R]."""
  wide = z.astype(jnp.float32)
  h, back = jax.vjp(lambda z: epilogue.activate(z, activation, True), wide)
  g = g.astype(jnp.float32)
  dz, = back(w[:, None] * g)
  return dz.astype(z.dtype), (w[:, None] * h).astype(z.dtype), (g * h).sum(-1)
