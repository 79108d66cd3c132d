"""How the layers draw their parameters: each as one compiled program, also outside of `jax.jit`.

An initializer of JAX or Flax depends on its arguments alone. So what is compiled for one layer
fits the next. The user's own initializers may read other values, and are called each time.
"""

from collections.abc import Callable
import functools
import os
from typing import Any, NamedTuple

import flax
import jax

from jaxgemm.call.transposes import INLINE

_LIBRARIES = tuple(os.path.join(*module.__path__, "") for module in (jax, flax))


def is_of_library(init: Callable | None) -> bool:
  """Whether init is a function of JAX or Flax, and so are the functions that it wraps."""
  while init is not None:
    code = getattr(init, "__code__", None)
    if code is None or not code.co_filename.startswith(_LIBRARIES):
      return False
    init = getattr(init, "__wrapped__", None)
  return True


@functools.partial(jax.jit, static_argnames=("init", "shape", "dtype"), inline=INLINE)
def _compiled(key, *, init, shape, dtype):
  return init(key, shape, dtype)


def compiled(init: Callable) -> Callable:
  """init(key, shape, dtype) as one program, if it is a function of JAX or Flax."""
  if not is_of_library(init):
    return init
  return lambda key, shape, dtype: _compiled(key, init=init, shape=tuple(shape), dtype=dtype)


class Drawn(NamedTuple):
  """How a parameter of one expert is drawn.

  Attributes:
    init: the initializer, a function of (key, shape, dtype).
    shape: the parameter's shape.
    dtype: the initializer's argument.
    paired: whether the shape is (..., 2, H); then init is called for each of the two arrays.
  """

  init: Callable[..., Any]
  shape: tuple[int, ...]
  dtype: Any
  paired: bool = False

  @property
  def shape_of_call(self) -> tuple[int, ...]:
    return self.shape[:-2] + self.shape[-1:] if self.paired else self.shape

  def call(self, key):
    """What the initializer gives, for one of the two arrays of a pair."""
    return self.init(key, self.shape_of_call, self.dtype)

  def values(self, key, strip: Callable) -> jax.Array:
    """The parameter. strip(self.call(key)) is an array."""
    one = lambda key: strip(self.call(key))
    if not self.paired:
      return one(key)
    return jax.vmap(one, out_axes=len(self.shape) - 2)(jax.random.split(key))
