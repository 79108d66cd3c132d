"""Operands whose sums are exact, guards around them in memory, and results that are poisoned."""

from collections.abc import Callable, Sequence
import warnings

import jax
import jax.numpy as jnp
import numpy as np

# Beside each array lie this many bytes that nothing may write.
_GUARD_BYTES = 4096


def exact(rng: np.random.Generator, shape: Sequence[int], dtype) -> np.ndarray:
  """Small integers: each sum of their products is exact in float32, in any order."""
  return rng.integers(-3, 4, shape).astype(jnp.dtype(dtype))


def float64(x) -> np.ndarray:
  return np.asarray(x).astype(np.float64)


def _poison(shape: Sequence[int], dtype, value: float) -> np.ndarray:
  if np.dtype(dtype).kind in "iu":
    return np.full(shape, 77, dtype)
  return np.full(shape, value, np.float32).astype(dtype)


def difference(got: np.ndarray, want: np.ndarray) -> str:
  """A part of a sentence if a result is not the exact one, rounded once; else ""."""
  rounded = want.astype(got.dtype)
  same = (got == rounded) | (float64(got) != float64(got)) & (float64(rounded) != float64(rounded))
  if same.all():
    return ""
  at = tuple(int(i) for i in np.argwhere(~same)[0])
  return (f"{int((~same).sum())} of {same.size} elements are wrong, the first at {list(at)}: "
          f"{float64(got)[at]:g} in place of {float64(rounded)[at]:g}")


class Guarded:
  """Runs a function with guards before and after each array, over a result that is poisoned.

  XLA puts arrays that are made one after another side by side. The result is written to the memory
  of an array that is given away, so that an element that nothing writes keeps its poison.
  """

  def __init__(self, function: Callable, operands: Sequence[np.ndarray]):
    def over(poison, *given):
      del poison
      return function(*given)

    self._out = jax.eval_shape(function, *operands)
    self._guards: list[jax.Array] = []
    self._operands: list[jax.Array] = []
    for operand in operands:
      self._guard()
      self._operands.append(jax.device_put(operand))
    self._guard()
    place = jax.ShapeDtypeStruct(self._out.shape, self._out.dtype)
    # Refused calls raise here, before anything runs.
    lowered = jax.jit(over, donate_argnums=0, keep_unused=True).lower(place, *self._operands)
    self._run = lowered.compile()

  def _guard(self) -> None:
    self._guards.append(jax.device_put(np.full(_GUARD_BYTES // 4, np.nan, np.float32)))

  def run(self, poison: float = np.nan) -> np.ndarray:
    """The result over poison."""
    place = jax.device_put(_poison(self._out.shape, self._out.dtype, poison))
    if len(self._guards) == len(self._operands) + 1:
      self._guard()
    with warnings.catch_warnings():
      warnings.simplefilter("ignore")  # jax warns if it cannot reuse the memory
      return np.asarray(self._run(place, *self._operands))

  def broken(self) -> str:
    """A part of a sentence if something wrote to a guard, else ""."""
    wrong = [i for i, each in enumerate(self._guards) if not np.isnan(np.asarray(each)).all()]
    return f"it wrote outside of its result: guards {wrong} have changed" if wrong else ""
