"""Which product the arguments of explain, supports and workspace_size ask for."""

from collections.abc import Callable
import functools
import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.config import did_you_mean
from jaxgemm.call.options import (
  Options,
  array_argument,
  dtype_argument,
  hashable,
  operand_argument,
)
from jaxgemm.call.quantized import Quantized
from jaxgemm.chunked.api import chunked_matmul
from jaxgemm.dense.api import dot_general, matmul
from jaxgemm.dense.dimensions import dot_general_product, matmul_product
from jaxgemm.grouped.api import ragged_dot, ragged_dot_general, ragged_gated_linear_unit
from jaxgemm.grouped.call import Call, Given, ragged_result
from jaxgemm.grouped.checks import BASIC
from jaxgemm.scaled import api as scaled

_NAMES = ("precision", "preferred_element_type", "out_sharding")
_RAGGED = ("gated", "ragged_dot_dimension_numbers", "num_local_groups", "group_offset",
           "accumulate", "rhs_grad")
_CHUNKED = ("tiles_per_chunk_m", "tile_idx_pivot_m", "epoch", "chunk_rows", "timeout")
ARRAYS = ("group_sizes", "group_offset", "chunk_signals", "epoch", "bias", "scale",
          "scale_lhs", "scale_rhs", "lhs_scales", "rhs_scales", "accumulate", "rhs_grad")


def function_of(kwargs):
  """(function to explain, function of a and b that gives the result's type, kwargs of both)."""
  kwargs = dict(kwargs)
  known = {name for f in (dot_general, ragged_dot, ragged_dot_general, chunked_matmul)
           for name in inspect.signature(f).parameters} | {
               "gated", "gradients"} | inspect.signature(scaled.scaled_ragged_dot).parameters.keys()
  for name in kwargs.keys() - known:
    raise TypeError(
        f"got an unexpected keyword argument {name!r}; the arguments of the products and of "
        f"explain are allowed. Correct or remove it.{did_you_mean(name, sorted(known))}")
  if kwargs.get("preferred_element_type") is not None:
    dtype_argument("preferred_element_type", kwargs["preferred_element_type"])
  options = Options(**{name: kwargs[name] for name in _NAMES if name in kwargs})
  if "lhs_scales" in kwargs or "rhs_scales" in kwargs:
    return (scaled.scaled_ragged_dot if "group_sizes" in kwargs else scaled.scaled_matmul,
            lambda a, b: None, kwargs)
  if "group_sizes" not in kwargs:
    for name in _RAGGED:
      given = kwargs.pop(name, None)
      if given is not None and given is not False:
        raise TypeError(
            f"{name} was given without group_sizes; it is allowed for a grouped product. "
            "Pass group_sizes=..., an array or a jax.ShapeDtypeStruct.")
  else:
    function: Callable = ragged_dot
    numbers = BASIC
    gated = kwargs.pop("gated", False)
    if not isinstance(gated, (bool, np.bool_)):
      raise TypeError(f"gated={gated!r} was given; True or False is allowed. Pass one of these.")
    if gated:
      function = ragged_gated_linear_unit
    elif "ragged_dot_dimension_numbers" in kwargs:
      function, numbers = ragged_dot_general, kwargs["ragged_dot_dimension_numbers"]
    if kwargs.get("accumulate") is not None:
      options = options._replace(preferred_element_type=jnp.float32)
    call = Call(options, numbers, kwargs.get("num_local_groups"), bool(gated))
    arrays = kwargs["group_sizes"], kwargs.get("group_offset")
    return function, lambda a, b: ragged_result(Given(a, b, *arrays), call)[0], kwargs
  waits = kwargs.get("chunk_signals") is not None
  without = "chunk_signals" in kwargs and not waits  # chunk_signals=None, as in chunked_matmul
  if without:
    del kwargs["chunk_signals"]
  for name in _CHUNKED if not waits else ():
    if kwargs.pop(name, None) is not None and not without:
      raise TypeError(
          f"{name} was given without chunk_signals; it is allowed for "
          "jaxgemm.chunked_matmul. Pass chunk_signals=..., an array or a "
          "jax.ShapeDtypeStruct.")
  function = chunked_matmul if waits else dot_general if "dimension_numbers" in kwargs else matmul
  if function is not dot_general and kwargs.get("dimension_numbers") is None:
    return function, lambda a, b: matmul_product(a, b, options).result, kwargs
  numbers = kwargs["dimension_numbers"]
  return function, lambda a, b: dot_general_product(a, b, numbers, options).result, kwargs


def operands_by_name(function):
  """Lets `function(a, b, ...)` take lhs= and rhs=, too, as most products call their operands."""
  @functools.wraps(function)
  def wrapped(*args, **kwargs):
    names = {"lhs": "a", "rhs": "b"}
    given = {names.get(name, name): x for name, x in kwargs.items()}
    for name in names.keys() & kwargs.keys():
      if names[name] in kwargs:
        raise TypeError(f"{name} and {names[name]} were given, which are the same operand; one of "
                        "them is allowed. Remove the other.")
    if missing := [name for name in ("a", "b")[len(args):] if name not in given]:
      raise TypeError(f"{' and '.join(missing)} was not given; two operands are needed, a and b or "
                      "lhs and rhs, each an array or a jax.ShapeDtypeStruct. Pass both.")
    return function(*args, **given)
  return wrapped


def with_names(more, kwargs) -> dict[str, Any]:
  """The arguments after the operands, all by name: `more` are those without one.

  The first one of these, and the names, tell which product takes them.
  """
  if not more:
    return kwargs
  first, second = (*more, None)[:2]
  function: Callable = dot_general
  if "tiles_per_chunk_m" in kwargs:
    function = chunked_matmul
  elif hasattr(first, "dtype") and jnp.issubdtype(first.dtype, jnp.integer):
    function = ragged_dot
    if isinstance(second, jax.lax.RaggedDotDimensionNumbers) or (
        "ragged_dot_dimension_numbers" in kwargs):
      function = ragged_dot_general
    elif hasattr(second, "dtype") or "lhs_scales" in kwargs:
      function = scaled.scaled_ragged_dot
  elif hasattr(first, "dtype"):
    function = scaled.scaled_matmul
  _, _, *names = (
      name for name, x in inspect.signature(function).parameters.items()
      if x.kind == x.POSITIONAL_OR_KEYWORD)
  if len(more) > len(names):
    raise TypeError(
        f"{len(more) + 2} arguments without names were given; {function.__name__} takes "
        f"{len(names) + 2}. Pass the others by name.")
  given = dict(zip(names, more))
  for name in given.keys() & kwargs.keys():
    raise TypeError(
        f"{name} was given twice, without its name as argument {names.index(name) + 3} of "
        f"{function.__name__}; once is allowed. Remove one.")
  return given | kwargs


def abstract(name: str, x):
  """An argument for tracing; an array in host memory becomes a `jax.ShapeDtypeStruct`."""
  if isinstance(x, Quantized):
    return Quantized(*(abstract(f"{name}.{part}", y) for part, y in zip(x._fields, x)))
  if not isinstance(x, jax.ShapeDtypeStruct):
    may_be_number = name in ("bias", "scale", "scale_lhs", "scale_rhs")
    x = (array_argument if may_be_number else operand_argument)(name, x)
  if not isinstance(x, jax.Array):
    return x
  aval = jax.typeof(x)
  if aval.memory_space == jax.memory.Space.Device:
    return x
  sharding = None if aval.sharding.mesh.empty else aval.sharding
  return jax.ShapeDtypeStruct(
      aval.shape, aval.dtype, weak_type=aval.weak_type, sharding=sharding)


def described(a, b, kwargs):
  """(a, b, kwargs) that can be traced: arrays in any memory, and a precision that can be hashed."""
  arrays = {name: abstract(name, kwargs[name]) for name in ARRAYS
            if kwargs.get(name) is not None and name != "epoch"}
  if "precision" in kwargs:
    arrays["precision"] = hashable(kwargs["precision"])
  return abstract("a", a), abstract("b", b), kwargs | arrays
