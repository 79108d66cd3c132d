"""Products of few rows and weights of 4 bits, on an NVIDIA GPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import Quantized, quantize
from tests.sm90.cuda_gpu import array, assert_close, double, skip_reason

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())


def _wide(w: Quantized):
  """The weights in float64."""
  return double(w.dequantize(jnp.float32))


def _by_kernel(function, *args):
  assert "jaxgemm_few_rows" in jax.jit(function).lower(*args).as_text()
  return jax.jit(function)(*args)


# Rows of each form of the kernel, and one more than it has; more than the last one has; k that CTAs
# share unevenly; columns after the last tile.
@pytest.mark.parametrize("rows", [1, 8, 9, 17, 33, 64, 100])
@pytest.mark.parametrize("kind, block", [("mxfp4", None), ("int4", 32), ("int4", 96)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_dense(rng, rows, kind, block, dtype):
  for k, n in (96, 32), (2880, 288):
    w = quantize(array(rng, k, n) / 8, kind, axis=0, **({"block": block} if block else {}))
    x = array(rng, rows, k, dtype=dtype)
    first = _by_kernel(jaxgemm.matmul, x, w)
    assert_close(first, double(x) @ _wide(w))
    np.testing.assert_array_equal(double(jax.jit(jaxgemm.matmul)(x, w)), double(first))
    wide = _by_kernel(lambda x, w: jaxgemm.matmul(x, w, preferred_element_type=jnp.float32), x, w)
    assert_close(wide, double(x) @ _wide(w), 1e-5)


@pytest.mark.parametrize("sizes", [[0, 1, 0, 4], [8, 9, 0, 70], [0, 0, 0, 0], [33, 0, 30, 31]])
@pytest.mark.parametrize("kind", ["mxfp4", "int4"])
@pytest.mark.parametrize("offset", [None, 0, 1, 2])
def test_grouped(rng, sizes, kind, offset):
  groups = len(sizes) if offset is None else 2
  rows, lines, first = sum(sizes) + 5, 20, offset or 0
  w, x = quantize(array(rng, groups, 224, 288) / 8, kind, axis=1), array(rng, lines, 224)
  indices = rng.integers(-1, lines + 1, rows)
  inside = (indices >= 0) & (indices < lines)
  of_rows = np.where(inside[:, None], double(x)[np.where(inside, indices, 0)], 0)
  want, ends = np.zeros((rows, 288)), np.cumsum(sizes)
  for group in range(first, first + groups):
    mine = slice(ends[group] - sizes[group], ends[group])
    want[mine] = of_rows[mine] @ _wide(w)[group - first]
  options = {} if offset is None else {"group_offset": jnp.array([offset], jnp.int32)}
  given = _by_kernel(lambda x, w: jaxgemm.ragged_dot(
      x, w, jnp.array(sizes, jnp.int32), lhs_indices=jnp.asarray(indices, jnp.int32), **options),
      x, w)
  assert_close(given, want)
  outside = np.all(want == 0, axis=1)
  assert not np.any(double(given)[outside])


# For more tiles of 128 columns than run at the same time, by themselves or as pairs that share k,
# other forms are chosen than for the few columns above.
@pytest.mark.parametrize("rows", [7, 13, 29, 64])
@pytest.mark.parametrize("kind, block", [("mxfp4", None), ("int4", 96)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("k, n", [(288, 17056), (672, 8480)])
def test_many_columns(rng, rows, kind, block, dtype, k, n):
  w = quantize(array(rng, k, n) / 8, kind, axis=0, **({"block": block} if block else {}))
  x = array(rng, rows, k, dtype=dtype)
  wide = _by_kernel(lambda x, w: jaxgemm.matmul(x, w, preferred_element_type=jnp.float32), x, w)
  assert_close(wide, double(x) @ _wide(w), 1e-5)


# There are forms for more tiles than the device has multiprocessors.
@pytest.mark.parametrize("rows", [3, 12, 30, 200])
@pytest.mark.parametrize("kind, block", [("mxfp4", 32), ("int4", 96)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_many_tiles(rng, rows, kind, block, dtype):
  groups, k, n = 40, 288, 2080
  sizes = rng.multinomial(rows * groups // 2, np.ones(groups) / groups)
  w = quantize(array(rng, groups, k, n) / 8, kind, axis=1, block=block)
  x = array(rng, sizes.sum(), k, dtype=dtype)
  given = _by_kernel(lambda x, w: jaxgemm.ragged_dot(x, w, jnp.array(sizes, jnp.int32)), x, w)
  wide, ends = _wide(w), np.cumsum(sizes)
  assert_close(given, np.concatenate(
      [double(x)[end - size:end] @ wide[i] for i, (size, end) in enumerate(zip(sizes, ends))]))


def test_scales_far_from_one(rng):
  """Scales are exact, however large or small."""
  values = quantize(array(rng, 64, 64), "mxfp4", axis=0).values
  powers = rng.integers(-60, 60, (2, 64))
  w = Quantized(values, jnp.asarray(2.0 ** powers, jnp.float32).astype(jnp.float8_e8m0fnu))
  x = array(rng, 3, 64)
  given = _by_kernel(lambda x, w: jaxgemm.matmul(x, w, preferred_element_type=jnp.float32), x, w)
  parts = double(x)[:, :, None] * _wide(w)
  want, most = parts.sum(1), np.abs(parts).sum(1)
  assert np.all(np.abs(double(given) - want) <= 1e-5 * most)
