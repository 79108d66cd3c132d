"""The products in float64, with bounds of the kernels' errors."""

import jax.numpy as jnp
import numpy as np

from tests.support import soak
from tests.support.fuzz.outcome import Fault

_ROUNDOFF = {"float8_e4m3fn": 2.0**-4, "float8_e4m3fnuz": 2.0**-4, "float8_e4m3b11fnuz": 2.0**-4,
             "float8_e5m2": 2.0**-3, "float8_e5m2fnuz": 2.0**-3}


def activate(name, z, error):
  if name == "gelu":
    # 0.5 * z * (1 + tanh(x)) as z / (1 + exp(-2x)), which is accurate below 0, too.
    value = z / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    value = np.where(z == np.inf, np.inf, value)
    return value, 1.2 * error + 2.0**-18 * (1 + np.abs(z))
  if name == "silu":
    return np.where(z == -np.inf, np.nan, z / (1 + np.exp(-z))), 1.1 * error + 2.0**-18 * np.abs(z)
  if name == "relu":
    return np.where(np.isnan(z), z, np.maximum(z, 0)), error
  if name is None:
    return z, error
  raise Fault(f"there is no activation {name!r}, and it was accepted")


def rounded(dtype, wanted, error):
  """The result and its bounds after the cast to its dtype. Integers wrap."""
  dtype = jnp.dtype(dtype)
  if jnp.issubdtype(dtype, jnp.integer):
    if np.any(error):  # of floats: their cast is not jaxgemm's
      return wanted, np.full(error.shape, np.inf)
    bits = jnp.iinfo(dtype).bits
    low = int(jnp.iinfo(dtype).min)
    return (wanted.astype(np.int64) - low) % (1 << bits) + low, error
  if not jnp.issubdtype(dtype, jnp.floating):
    return wanted, np.full(error.shape, np.inf)
  info = jnp.finfo(dtype)
  roundoff = _ROUNDOFF.get(dtype.name, float(info.eps))
  error = error + 1.01 * roundoff * (np.abs(wanted) + error) + float(info.smallest_normal) + (
      float(info.smallest_subnormal))
  # Beyond the largest value the cast gives infinity, NaN or the largest value.
  too_large = np.abs(wanted) + error > float(info.max)
  return wanted, np.where(too_large, np.inf, error)


def flushed(x):
  """|x| where x is subnormal in float32, else 0: XLA's threads take subnormal numbers for zero."""
  size = np.abs(x)
  return np.where(size < 2.0**-126, size, 0)


def sums(spec: str, lhs, rhs):
  """einsum in float64 and a bound of the error of sums in float32; k has no label in the result."""
  left, right = soak.double(lhs), soak.double(rhs)
  with np.errstate(all="ignore"):
    wanted = np.einsum(spec, left, right)
    absolute = np.einsum(spec, np.abs(left), np.abs(right))
    lost = np.einsum(spec, flushed(left), np.abs(right)) + (
        np.einsum(spec, np.abs(left), flushed(right)))
  of_lhs, of_out = spec.split(",")[0].replace("...", ""), spec.split("->")[1]
  sizes = zip(of_lhs, left.shape[left.ndim - len(of_lhs):])
  k = np.prod([size for label, size in sizes if label not in of_out], initial=1)
  integer = all(jnp.issubdtype(x.dtype, jnp.integer) for x in (lhs, rhs))
  if integer:
    return wanted, np.zeros_like(absolute)
  return wanted, absolute * (2.0**-21 * np.sqrt(k + 16)) + np.where(lost > 0, lost, 0)


def finish(wanted, error, *, scale=None, bias=None, activation=None):
  """The epilogue; scale and bias in shapes that numpy broadcasts."""
  with np.errstate(all="ignore"):
    if scale is not None:
      scale = soak.double(scale)
      lost = np.abs(wanted) * flushed(scale)
      wanted, error = wanted * scale, error * np.abs(scale) + np.where(lost > 0, lost, 0)
    if bias is not None:
      wanted = wanted + soak.double(bias)
    if scale is not None or bias is not None:
      error = error + 2.0**-21 * np.abs(wanted)
    return activate(activation, wanted, error)


def broadcast(vector, out_ndim: int):
  """A bias or scale of the dense products in a shape that numpy broadcasts."""
  vector = np.asarray(vector)
  if vector.ndim == out_ndim - 1 and vector.ndim > 1:
    return vector[..., None, :]
  return vector


def group_of_rows(sizes, rows: int, offset, local: int):
  """The group of each row among the local ones, or -1."""
  ends = np.cumsum(np.clip(np.asarray(sizes).astype(object), 0, rows)) if len(sizes) else []
  first = 0 if offset is None else min(max(int(np.ravel(offset)[0]), 0), len(sizes))
  found = np.full(rows, -1)
  for row in range(rows):
    group = next((g for g, end in enumerate(ends) if row < end), None)
    if group is not None and 0 <= group - first < local:
      found[row] = group - first
  return found
