"""For tests that replace something that a function reads while JAX traces it."""

import itertools

import jax

_number = jax.make_user_context(default_value=0)
_numbers = itertools.count(1)


def traced_anew():
  """A context in which functions are traced and compiled anew, and jax's caches do not change.

  jax.clear_caches() would take seconds after many tests.
  """
  return _number(next(_numbers))
