"""Errors about shapes inside `jax.shard_map`, where in_specs decide which part a device has."""

from collections.abc import Callable
import functools
import inspect
import re
from typing import Any, TypeVar, cast

import jax
import numpy as np

from jaxgemm.sharding.manual_axes import varying

_F = TypeVar("_F", bound=Callable[..., Any])

_ABOUT_SHAPES = re.compile(r"\b(shapes?|dimensions?|contracting|rows|columns|groups?)\b")


def likely_cause(arrays: dict[str, Any]) -> str:
  """A sentence for an error about the shapes of arrays, by name; "" outside of `jax.shard_map`."""
  if not arrays or not jax.sharding.get_abstract_mesh().manual_axes:
    return ""

  def described(x) -> str:
    along = ", ".join(map(repr, sorted(varying(x))))
    return f"{x.shape}, which differs along {along}" if along else f"{x.shape}"

  parts = "; ".join(f"{name} {described(x)}" for name, x in arrays.items())
  return (f" Inside jax.shard_map each array is one device's part ({parts}). The likely cause is "
          f"the in_spec of {' or of '.join(arrays)}: correct it.")


def _named(message: str, arrays: dict[str, Any]) -> dict[str, Any]:
  """Those arrays whose names are in the message, or else all but vectors."""
  # "a" is the name of an argument, and an article.
  words = {name: name if len(name) > 1 else f"{name} has" for name in arrays}
  found = {name: x for name, x in arrays.items() if re.search(rf"\b{words[name]}\b", message)}
  return found or {name: x for name, x in arrays.items() if x.ndim > 1}


def names_parts(function: _F) -> _F:
  """The function, whose errors about shapes also name in_specs inside `jax.shard_map`."""
  signature = inspect.signature(function)

  @functools.wraps(function)
  def call(*args, **kwargs):
    try:
      return function(*args, **kwargs)
    except (TypeError, ValueError) as error:
      # A product that another one called had other arguments.
      message = vars(error).setdefault("jaxgemm_message", str(error))
      if _ABOUT_SHAPES.search(message) and "in_spec" not in message:
        given = {name: getattr(x, "qvalue", x)
                 for name, x in signature.bind(*args, **kwargs).arguments.items()}
        arrays = {name: x for name, x in given.items() if isinstance(x, (jax.Array, np.ndarray))}
        error.args = (message + likely_cause(_named(message, arrays)),)
      raise

  return cast(_F, call)
