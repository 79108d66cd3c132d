"""Results that a product quantises, against float64."""

import jax.numpy as jnp
import numpy as np

from jaxgemm import Quantized

COLUMNS = {"block": 128, "mx": 32}


def assert_quantized(given: Quantized, exact: np.ndarray, kind: str, dtype, error=1e-4):
  """Asserts that values and scales are those of a product in float64.

  Args:
    given: the result.
    exact: the product in float64; where it is not finite the values must not be finite either.
    kind: "block" or "mx".
    dtype: dtype of the values.
    error: how large the errors of the sums may be, relative to the largest element.
  """
  dtype, info = jnp.dtype(dtype), jnp.finfo(dtype)
  assert given.values.dtype == dtype and given.values.shape == exact.shape
  assert given.scales.dtype == (jnp.float8_e8m0fnu if kind == "mx" else jnp.float32)
  assert given.scales.shape == (*exact.shape[:-1], exact.shape[-1] // COLUMNS[kind])
  values, scales = (np.asarray(x).astype(np.float64) for x in given)
  largest, error = float(info.max), error * np.abs(exact, where=np.isfinite(exact), out=np.zeros(
      exact.shape)).max()
  in_blocks = exact.reshape(*scales.shape, COLUMNS[kind])
  amax = np.where(np.isfinite(in_blocks), np.abs(in_blocks), 0).max(-1)
  if kind == "mx":
    # The exponent of the largest element, which the errors of the sums may round up or down.
    low, high = (np.exp2(np.floor(np.log2(np.maximum(amax + by, 1e-300))
                                  - np.floor(np.log2(largest)))) for by in (-error, error))
    assert ((amax == 0) & (scales == 1) | (scales >= low) & (scales <= high)).all()
  else:
    np.testing.assert_allclose(
        scales, np.where(amax == 0, 1, amax / largest), rtol=1e-6, atol=error / largest)
  scales = np.repeat(scales, COLUMNS[kind], -1)
  finite = np.isfinite(exact)
  np.testing.assert_array_equal(np.isfinite(values), finite)
  wanted = np.clip(np.where(finite, exact / scales, 0), -largest, largest)
  # Half of a unit in the last place, of a subnormal number, too.
  power = np.exp2(np.floor(np.log2(np.maximum(np.abs(wanted), 1e-300))))
  half = np.maximum(power * float(info.eps), float(info.smallest_subnormal)) / 2
  off = np.abs(np.where(finite, values, 0) - wanted)
  assert (off <= half * 1.001 + error / scales).all(), (off / half).max()
