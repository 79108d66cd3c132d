"""What rows in float8 must be, by NumPy in float64."""

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

BLOCKS = {"row": 0, "block": 128, "mx": 32}
# dtype: the largest value, the smallest normal one and the bits of the mantissa.
_FORMATS = {"float8_e4m3fn": (448.0, 2.0**-6, 3), "float8_e5m2": (57344.0, 2.0**-14, 2),
            "float8_e4m3fnuz": (240.0, 2.0**-7, 3), "float8_e5m2fnuz": (57344.0, 2.0**-15, 2)}


def rows_of(rng, rows: int, length: int, dtype: str) -> np.ndarray:
  """[rows, length]: of many magnitudes, with rows and blocks of zeros."""
  x = rng.standard_normal((rows, length)) * 2.0 ** rng.integers(-14, 12, (rows, 1))
  x *= 2.0 ** rng.integers(-3, 3, (rows, length))
  x[::4] = 0
  x[1::5, :length // 2] = 0
  return x.astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))


class Columns(NamedTuple):
  """Operands of `quantized_columns`, and their rows times the factors in float64."""

  x: np.ndarray
  lines: Any
  factors: np.ndarray
  bounds: np.ndarray
  products: np.ndarray


def columns_of(rng, lines: int, length: int, dtype: str, rows: int | None, bounds) -> Columns:
  """Random rows with NaN and inf, also out of bounds, and factors of which some are too large.

  Args:
    rows: how many rows are gathered, some of lines that are not there; None: x has the rows.
  """
  x = rows_of(rng, lines, length, dtype)
  x[rng.random(x.shape) < 0.01] = np.nan
  x[rng.random(x.shape) < 0.01] = np.inf
  at = None if rows is None else rng.integers(-1, lines + 1, rows).astype(np.int32)
  given = x if at is None else np.concatenate([x, np.zeros_like(x[:1])])[at]
  wide = np.asarray(given, np.float64)
  top = np.abs(np.where(np.isfinite(wide), wide, 0)).max(1)
  factors = np.float32(2.0 ** rng.uniform(-3, 12, len(given)) / np.where(top == 0, 1, top))
  number = np.arange(len(given))
  within = (bounds[0] <= number) & (number < bounds[1])
  return Columns(x, at, factors, np.array(bounds, np.int32),
                 np.where(within[:, None], wide * factors[:, None].astype(np.float64), 0))


def check_columns(given: Columns, values) -> None:
  """Compares the result of `quantized_columns`."""
  values = np.asarray(values)
  most, smallest, mantissa = _FORMATS[values.dtype.name]
  wanted, decoded = given.products.T, values.astype(np.float64)
  finite = np.isfinite(wanted)
  assert decoded.shape == wanted.shape and (np.isfinite(decoded) == finite).all()
  wanted = np.clip(np.where(finite, wanted, 0), -most, most)
  step = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(wanted), smallest))) - mantissa)
  assert (np.abs(np.where(finite, decoded, 0) - wanted) <= step * 0.5 * 1.0001).all()


def check(given, values, scales, kind: str, slack: float = 0.0) -> None:
  """Compares rows in float8 with the rows that they are made of, [rows, length] in float64.

  Args:
    slack: the relative error of the given rows.
  """
  given = np.asarray(given, np.float64)
  values, scales = np.asarray(values), np.asarray(scales)
  most, smallest, mantissa = _FORMATS[values.dtype.name]
  rows, length = given.shape
  size = BLOCKS[kind] or max(length, 1)
  of_blocks = given.reshape(rows, -1, size)
  finite = np.isfinite(of_blocks)
  amax = np.abs(np.where(finite, of_blocks, 0)).max(-1, initial=0)
  found = scales.astype(np.float64)
  assert values.shape == given.shape and found.shape == amax.shape
  if kind == "mx":
    assert scales.dtype == ml_dtypes.float8_e8m0fnu
    top = np.floor(np.log2(np.where(amax == 0, 1, amax))) - np.floor(np.log2(most))
    wanted = np.where(amax == 0, 1.0, 2.0**top)
    # Rows with an error may be on the other side of a power of two.
    low, high = (np.where(amax == 0, 1.0, 2.0**(np.floor(np.log2(
        np.where(amax == 0, 1, amax * (1 + sign * slack)))) - np.floor(np.log2(most))))
                 for sign in (-1, 1))
    assert ((found == wanted) | (found == low) | (found == high)).all()
  else:
    assert scales.dtype == np.float32
    wanted = np.where(amax == 0, 2.0**-126, amax / most)
    assert (np.abs(found - wanted) <= wanted * (2.0**-22 + slack)).all()
  quotients = of_blocks / found[..., None]
  decoded = values.astype(np.float64).reshape(of_blocks.shape)
  assert np.isnan(decoded[~finite]).all() and np.isfinite(decoded[finite]).all()
  inside = np.clip(np.where(finite, quotients, 0), -most, most)
  # Half a unit in the last place, or of the smallest subnormal.
  step = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(inside), smallest))) - mantissa)
  error = np.abs(np.where(finite, decoded, 0) - inside)
  assert (error <= step * 0.5 * 1.0001 + np.abs(inside) * slack).all()
