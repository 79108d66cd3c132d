"""Tests in which a function is traced again, because what it reads while traced is replaced."""

import itertools

import jax

_number = jax.make_user_context(default_value=0)
_numbers = itertools.count(1)


def traced_anew():
  """A context in which no trace or program is taken from jax's caches, or stays for others.

  It leaves the caches as they are; jax.clear_caches() takes seconds after many tests.
  """
  return _number(next(_numbers))
