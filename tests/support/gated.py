"""What the gradient of a gated activation with weights must be, by NumPy in float64."""

import ml_dtypes
import numpy as np

DTYPES = ("float32", "float16", "bfloat16")
# The largest relative errors of one rounding to the dtype, beside the errors of float32.
_ROUNDING = {"float32": 0.0, "float16": 2.0**-11, "bfloat16": 2.0**-8}
# The step of float16 where it is subnormal. In float32 a sigmoid may become 0 where it would be
# subnormal, and gate, up and g multiply that.
_SMALLEST = {"float32": 1e-34, "float16": 2.0**-24, "bfloat16": 1e-34}


def operands(rng, rows: int, length: int, dtype: str):
  """z [rows, 2, length], g [rows, length] in the dtype, and w float32[rows].

  Of the gates some are as large as 100, and some are 0.
  """
  z = rng.standard_normal((rows, 2, length)) * 2
  special = rng.choice([100.0, -100.0, 88.0, -88.0, 30.0, -30.0, 0.0], (rows, length))
  z[:, 0] = np.where(rng.random((rows, length)) < 0.2, special, z[:, 0])
  g, w = rng.standard_normal((rows, length)), rng.random(rows)
  w[::5] = 0
  as_given = np.dtype(getattr(ml_dtypes, dtype, dtype))
  return z.astype(as_given), g.astype(as_given), w.astype(np.float32)


def placed(rng, rows: int, out_rows: int, length: int, dtype: str):
  """z, g, w, int32[rows] places in arrays of out_rows rows, and these arrays with random rows.

  Some of the places are not there: they are negative, or too large.
  """
  places = rng.permutation(np.arange(-rows // 8, max(rows, out_rows) + rows // 8))[:rows]
  outs = operands(rng, out_rows, length, dtype)
  return *operands(rng, rows, length, dtype), places.astype(np.int32), outs


def check_placed(z, g, w, places, count: int, into, outs, dtype: str) -> None:
  """Compares the rows that were written with float64, and the others with those of `into`."""
  written = (np.arange(len(w)) < count) & (places >= 0) & (places < len(into[2]))
  outs, to = [np.asarray(x) for x in outs], places[written]
  check(z[written], g[written], w[written], [x[to] for x in outs], dtype)
  for x, before in zip(outs, into, strict=True):
    np.testing.assert_array_equal(np.delete(x, to, 0), np.delete(before, to, 0))


def check(z, g, w, outs, dtype: str) -> None:
  """Compares (dz, hw, dw) of operands with leading dimensions with float64, element by element."""
  z, g, w = (np.asarray(x).astype(np.float64) for x in (z, g, w))
  gate, up, w = z[..., 0, :], z[..., 1, :], w[..., None]
  sigmoid = np.exp(-np.logaddexp(0, -gate))
  activated = gate * sigmoid
  slope = sigmoid + activated * np.exp(-np.logaddexp(0, gate))
  wanted = np.stack([w * g * up * slope, w * g * activated], axis=-2), w * activated * up
  # The slope is a difference near its zero.
  size = np.abs(sigmoid) + np.abs(activated)
  scales = np.stack([np.abs(w * g * up) * size, np.abs(w * g) * np.abs(activated)], axis=-2), (
      np.abs(w * activated * up))
  for out, right, scale in zip(outs, wanted, scales, strict=False):
    assert out.dtype == dtype and out.shape == right.shape
    bound = scale * 1e-5 + np.abs(right) * _ROUNDING[dtype] * 1.01 + _SMALLEST[dtype]
    error = np.abs(np.asarray(out).astype(np.float64) - right)
    assert (error <= bound).all(), np.max(error / bound)
  dw = np.asarray(outs[2])
  assert dw.dtype == np.float32 and dw.shape == w.shape[:-1]
  terms = g * activated * up
  np.testing.assert_array_less(
      np.abs(dw - terms.sum(-1)), np.abs(terms).sum(-1) * 1e-5 + _SMALLEST["float32"])
