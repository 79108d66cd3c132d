"""The recipes of float8 training, and checks that its products share."""

import jax
import jax.numpy as jnp

# Recipes and their kinds of `jaxgemm.quantize`.
RECIPES = {"tensorwise": "tensor", "rowwise": "row"}


def check(recipe, precision, **operands) -> None:
  """Raises ValueError for an unknown recipe, a precision, or an operand that is no wide float."""
  if recipe not in RECIPES:
    names = " and ".join(map(repr, RECIPES))
    raise ValueError(f"recipe={recipe!r} is unknown; {names} are allowed.")
  if precision is not None and precision != jax.lax.Precision.DEFAULT:
    raise ValueError(
        f"precision={precision!r} was given; operands are float8 here, so None is allowed. Use "
        "the product of the same name in jaxgemm for more.")
  for name, x in operands.items():
    if not jnp.issubdtype(x.dtype, jnp.floating) or x.dtype.itemsize < 2:
      raise ValueError(
          f"{name} has dtype {x.dtype.name}; bfloat16, float16 or float32 is allowed, which is "
          "quantised here. For operands that are quantised already use the product of the same "
          "name in jaxgemm, with scale_lhs and scale_rhs.")
