"""The recipes of float8 training, and checks that its products share."""

import operator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.dtypes import is_float4
from jaxgemm.call.no_derivative import without_derivative
from jaxgemm.call.options import Options
from jaxgemm.call.quantization import (
  SMALLEST_NORMAL,
  Quantized,
  bounded_quotient,
  cast,
  float8_dtypes,
  scales_of,
)

# The recipes, and the kind of `jaxgemm.quantize` that each of them uses.
RECIPES = {"tensorwise": "tensor", "rowwise": "row", "blockwise": "block", "mxfp8": "mx"}


def dtypes_of(kind: str, implementation: str | None, given=None) -> tuple[np.dtype, np.dtype]:
  """The dtypes of quantised operands and of quantised cotangents, if they are not `given`.

  If a scale is for a tensor or a row, cotangents are e5m2, which has the range of float16. The
  small blocks of the other recipes need no such range; there cotangents are e4m3, as in
  DeepSeek-V3 (arXiv:2412.19437) and in NVIDIA's recipe of MXFP8 (arXiv:2506.08027).

  Raises:
    TypeError, ValueError: the given dtypes are not two float8 dtypes.
  """
  if given is not None:
    allowed = ("two float8 dtypes are allowed, for operands and for cotangents. Leave dtypes out "
               "for those of the recipe.")
    try:
      found = [jnp.dtype(x) for x in given]
    except TypeError as error:
      raise TypeError(f"dtypes={given!r} was given; {allowed}") from error
    small = [jnp.issubdtype(x, jnp.floating) and x.itemsize == 1 and not is_float4(x)
             and x != jnp.float8_e8m0fnu for x in found]
    if small != [True, True]:
      raise ValueError(f"dtypes={given} was given; {allowed}")
    return found[0], found[1]
  e4m3, e5m2 = float8_dtypes(implementation)
  return e4m3, e4m3 if kind in ("block", "mx") else e5m2


def check(recipe, precision, **operands) -> None:
  """Raises ValueError for an unknown recipe, a precision, or an operand that is no wide float."""
  if not isinstance(recipe, str) or recipe not in RECIPES:
    names = ", ".join(map(repr, RECIPES))
    raise ValueError(f"recipe={recipe!r} is unknown; {names} are allowed. Pass one of these.")
  if precision is not None and precision != jax.lax.Precision.DEFAULT:
    raise ValueError(
        f"precision={precision!r} was given; operands are float8 here, so None or "
        "Precision.DEFAULT is allowed. For more use the product of the same name in jaxgemm.")
  for name, x in operands.items():
    if not jnp.issubdtype(x.dtype, jnp.floating) or x.dtype.itemsize < 2:
      raise ValueError(
          f"{name} has dtype {x.dtype.name}; bfloat16, float16 or float32 is allowed, which is "
          "quantised here. For operands that are quantised already use the product of the same "
          "name in jaxgemm, with scale_lhs and scale_rhs.")


def check_rows(recipe: str, options: Options) -> None:
  """Raises ValueError for deterministic="rows" with a scale that depends on all rows."""
  if options.same_rows and RECIPES[recipe] == "tensor":
    raise ValueError(
        f"deterministic='rows' was given with recipe={recipe!r}, whose scale depends on all rows, "
        "so that the bits of a row do, too; the other recipes are allowed. Pass "
        "recipe='rowwise', for example.")


def first_derivative(x):
  """x, of a derivative of a float8 product. To differentiate it again raises an error."""
  return without_derivative(
      x, "a product of jaxgemm.fp8 was differentiated twice; first derivatives only are allowed, "
      "because second ones would differentiate the rounding to float8, and be wrong. Use the "
      "product of the same name in jaxgemm.")


class Amax(NamedTuple):
  """The scale of an array in delayed scaling, and the magnitudes from which the next ones come.

  Attributes:
    scale: float32 of shape (1,): the scale of the last step.
    history: float32 of shape (H,): the largest magnitudes of the last H steps.
  """

  scale: jax.Array
  history: jax.Array

  def quantize(self, x, dtype) -> tuple[Quantized, "Amax"]:
    """x with a scale from the history, and the state after this step.

    As in Flax and TransformerEngine, the scale does not yet depend on x: x's largest magnitude
    enters the history of the next step. Values that are too large for the scale saturate. While
    the history has an inf or a NaN, the last scale is kept.
    """
    wide = x.astype(jnp.float32)
    now = jnp.max(jnp.abs(wide), initial=0)
    amax = jnp.max(self.history)
    amax = jnp.where(amax < 0, now, amax)  # see `of_own_values`
    # The gradient with respect to a state that was not used is 0, and so is its scale.
    usable = lambda x: (x > 0) & jnp.isfinite(x)
    last = jnp.where(usable(self.scale), jnp.maximum(self.scale, SMALLEST_NORMAL), 1)
    scale = jnp.where(usable(amax), scales_of(amax, dtype), last)
    of_x = scale.reshape((1,) * x.ndim)
    values = cast(bounded_quotient(wide, of_x, dtype), dtype)
    history = jnp.roll(self.history, -1).at[0].set(now)
    return Quantized(values, of_x), Amax(scale, history)

  def of_own_values(self) -> "Amax":
    """A state with which `quantize` takes its scale from x itself: no magnitude is negative."""
    # The values depend on self, so that they vary along the same mesh axes.
    return Amax(jnp.where(self.scale == 0, 1.0, 1.0), jnp.where(self.history == 0, -1.0, -1.0))


class DelayedScaling(NamedTuple):
  """The state of a product with delayed scaling, a pytree; see `jaxgemm.fp8.dot_general`.

  Attributes:
    lhs: the `Amax` of lhs.
    rhs: the `Amax` of rhs.
    cotangent: the `Amax` of the cotangent of the result.
  """

  lhs: Amax
  rhs: Amax
  cotangent: Amax

  @classmethod
  def create(cls, history: int = 1024) -> "DelayedScaling":
    """The state before the first step, with scales of 1.

    Args:
      history: the number of steps whose largest magnitudes count, 1 or more.

    Raises:
      TypeError: history is no int.
      ValueError: history is less than 1.
    """
    try:
      history = operator.index(history)
    except TypeError as error:
      raise TypeError(f"history={history!r} was given; an int, 1 or more, is allowed. Leave it out "
                      "for 1024.") from error
    if history < 1:
      raise ValueError(
          f"history={history} was given; 1 or more steps are allowed. Leave it out for 1024.")
    new = lambda: Amax(jnp.ones(1, jnp.float32), jnp.zeros(history, jnp.float32))
    return cls(new(), new(), new())
