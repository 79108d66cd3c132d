"""Values that must not be differentiated, because their derivative would be missing or wrong."""

import functools

import jax


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def without_derivative(x, message: str):
  """x. To differentiate it raises `NotImplementedError` with this message."""
  return x


@without_derivative.defjvp
def _(message, primals, tangents):
  raise NotImplementedError(message)
