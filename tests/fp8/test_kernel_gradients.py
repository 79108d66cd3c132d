"""Gradients of the weights of experts in float8."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.call.group_sizes import bounds_of_rows
from jaxgemm.fp8 import kernel_gradients
from jaxgemm.fp8.kernel_gradients import Rows, in_float8
from jaxgemm.fp8.rows import quantized_rows

FLOAT8 = jnp.float8_e4m3fn, jnp.float8_e5m2
OPTIONS = {"implementation": None}


@pytest.mark.parametrize("offset", [None, 1])
@pytest.mark.parametrize("gathers", [False, True])
def test_sums_over_the_rows_of_groups(rng, gathers, offset):
  rows, k, n = 517, 24, 40
  sizes = np.array([0, 130, 1, 257, 64, 3], np.int32)
  groups = np.repeat(np.arange(len(sizes)), sizes)
  count = len(sizes) if offset is None else 3
  local = range(count) if offset is None else range(offset, offset + count)
  used = np.isin(groups, local)
  used = np.append(used, np.zeros(rows - len(used), bool))
  lines = rng.permutation(700)[:rows].astype(np.int32) if gathers else np.arange(rows)
  x = rng.standard_normal((700 if gathers else rows, k)).astype(np.float32)
  ct = rng.standard_normal((rows, n)).astype(np.float32) * 2.0**rng.integers(-4, 4, (rows, 1))
  x[lines[~used]], ct[~used] = np.nan, np.inf
  top = lambda x: np.abs(x).max(1)
  given = (Rows(x, top(x)[lines] / 448, lines if gathers else None), Rows(ct, top(ct)))
  of = None if offset is None else jnp.array([offset])
  bounds = bounds_of_rows(sizes, of, count, rows)
  found = jax.jit(lambda lhs, rhs, sizes: in_float8(
      lhs, rhs, (sizes, of), count, bounds, FLOAT8, jnp.float32, OPTIONS))(*given, sizes)
  wide = x.astype(np.float64)[lines], ct.astype(np.float64)
  for group, matrix in zip(local, np.asarray(found), strict=True):
    of_group = [each[:len(groups)][groups == group] for each in wide]
    x_size, ct_size = (np.abs(each) for each in of_group)
    wanted, size = of_group[0].T @ of_group[1], x_size.T @ ct_size
    # Roundings to 3 bits and to 2, and x's to a subnormal number.
    slack = (2.0**-4 + 2.0**-3 + 2.0**-7) * size
    slack += 2.0**-9 / 448 * x_size.max(1, initial=0) @ ct_size
    assert (np.abs(matrix - wanted) <= slack + 1e-6).all(), group


@pytest.mark.parametrize("kind", ["row", "block"])
def test_a_row_whose_scale_is_1_counts_and_one_of_zeros_does_not(rng, kind):
  largest = float(jnp.finfo(FLOAT8[1]).max)
  rows, k, n = 130, 16, 128
  x, ct = (rng.standard_normal((rows, each)).astype(np.float32) for each in (k, n))
  x /= np.abs(x).max(1, keepdims=True)
  ct *= 1e-3
  ct[8] *= largest / np.abs(ct[8]).max()
  x[::3], ct[1::3] = 0, 0
  sizes = np.array([rows], np.int32)

  @jax.jit
  def run(x, ct):
    of_x, of_ct = (quantized_rows(each, kind, dtype) for each, dtype in zip((x, ct), FLOAT8))
    found = in_float8(Rows(x, kernel_gradients.row_scales(of_x)),
                      Rows(ct, kernel_gradients.tops(of_ct)), (sizes, None), 1,
                      bounds_of_rows(sizes, None, 1, rows), FLOAT8, jnp.float32, OPTIONS)
    return found, kernel_gradients.tops(of_ct)

  for of_large in largest, 0:  # without the large row the small ones are all that there is
    ct[8] *= of_large / largest
    (found,), tops = run(x, ct)
    np.testing.assert_allclose(tops, np.abs(ct).max(1), rtol=1e-6, atol=1e-30)
    wanted, size = x.T.astype(np.float64) @ ct, np.abs(x).T.astype(np.float64) @ np.abs(ct)
    # Roundings to 3 bits and to 2; beside the large row the others become subnormal numbers.
    slack = (2.0**-4 + 2.0**-3 + 2.0**-7) * size + 2.0**-15 * rows * (of_large > 0)
    assert (np.abs(found - wanted) <= slack + 1e-7).all()


def test_groups_begin_at_tiles(rng):
  sizes = np.array([5, 0, 128, 300, -2, 129, 900], np.int32)
  row, places = jax.jit(lambda x: kernel_gradients._in_tiles((x, None), len(sizes), 1000))(sizes)
  row, first = np.asarray(row), 0
  cut = [5, 0, 128, 300, 0, 129, 438]
  for i, (size, end) in enumerate(zip(cut, np.cumsum(places), strict=True)):
    assert first % 128 == 0 and end - first == -(-size // 128) * 128
    begin = sum(cut[:i])
    assert (row[first:first + size] == begin + np.arange(size)).all()
    assert (row[first + size:end] == 1000).all()
    first = end
  assert (row[first:] == 1000).all() and len(row) % 128 == 0
