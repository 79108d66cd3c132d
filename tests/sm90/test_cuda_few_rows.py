"""Grouped products in tiles for groups of few rows, on an NVIDIA GPU."""

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from tests.sm90.cuda_gpu import array, assert_close, double, skip_reason

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())

# Empty groups, single rows, groups that end where a box or a tile ends and one row later, and more
# rows than a tile has.
SIZES = ([0, 1, 0, 0, 2, 1, 0, 4], [8, 9, 0, 16, 17, 1, 64, 65], [0, 0, 300, 0, 0, 7, 0, 0],
         [0] * 8)


def _config(dtype: str = "bfloat16", layout: str = "rr") -> GemmConfig:
  k = 128 // jnp.dtype(dtype).itemsize
  return GemmConfig(kernel=f"gemm_{dtype}_{dtype}_64x128x{k}_{layout}r")


def _groups(sizes):
  ends = np.cumsum(sizes)
  return [slice(end - size, end) for end, size in zip(ends, sizes)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype, layout, out", [
    ("bfloat16", "rr", "bfloat16"), ("bfloat16", "rc", "float32"), ("float16", "rr", "float16"),
    ("float8_e4m3fn", "rc", "bfloat16"), ("float32", "rc", "float32"),
    ("bfloat16", "rr", "float8_e4m3fn")])
@pytest.mark.parametrize("gathers", [False, True])
def test_products(rng, sizes, dtype, layout, out, gathers):
  if gathers and dtype == "float32":
    pytest.skip("no kernel gathers float32")
  rows, k, n = sum(sizes) + 5, 1040, 400
  lhs = array(rng, rows, k, dtype=dtype)
  rhs = array(rng, len(sizes), *((k, n) if layout == "rr" else (n, k)), dtype=dtype)
  numbers = lax.RaggedDotDimensionNumbers(
      (((1,), (1 if layout == "rr" else 2,)), ((), ())), (0,), (0,))
  indices = rng.integers(-1, rows + 1, rows) if gathers else np.arange(rows)
  config = _config(dtype, layout)
  product = jax.jit(lambda lhs, rhs: jaxgemm.ragged_dot_general(
      lhs, rhs, jnp.array(sizes), numbers, preferred_element_type=out,
      config=config, lhs_indices=jnp.asarray(indices, jnp.int32) if gathers else None))
  inside = (indices >= 0) & (indices < rows)
  x, w = np.where(inside[:, None], double(lhs)[np.where(inside, indices, 0)], 0), double(rhs)
  want = np.zeros((rows, n))
  for group, of_group in enumerate(_groups(sizes)):
    want[of_group] = x[of_group] @ (w[group] if layout == "rr" else w[group].T)
  first = product(lhs, rhs)
  assert_close(first, want, 0.05 if out.startswith("float8") else None)
  for _ in range(20):
    np.testing.assert_array_equal(np.asarray(product(lhs, rhs)).view(np.uint8),
                                  np.asarray(first).view(np.uint8))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("activation", ["silu", "gelu"])
def test_gated_with_gradients(rng, sizes, activation):
  rows, k, n = sum(sizes) + 3, 512, 200
  lhs, rhs = array(rng, rows, k), array(rng, len(sizes), k, 2, n)
  bias = array(rng, len(sizes), 2, n, dtype="float32")
  config = _config()

  def product(lhs, rhs, bias, config=config):
    return jaxgemm.ragged_gated_linear_unit(lhs, rhs, jnp.array(sizes), bias=bias,
                                            activation=activation, config=config)

  others = lambda *args: product(*args, config=None)
  assert_close(jax.jit(product)(lhs, rhs, bias), double(jax.jit(others)(lhs, rhs, bias)))
  given, want = (jax.jit(jax.value_and_grad(lambda *args: f(*args).astype(jnp.float32).sum(),
                                            (0, 1, 2)))(lhs, rhs, bias) for f in (product, others))
  for one, other in zip(jax.tree.leaves(given), jax.tree.leaves(want)):
    assert_close(one, double(other))


def test_shards_in_a_batch(rng):
  rows, k, n, groups, local = 90, 256, 264, 12, 5
  lhs, rhs = array(rng, 3, rows, k), array(rng, local, k, n)
  scale = array(rng, local, n, dtype="float32")
  sizes = rng.multinomial(rows - 9, np.ones(groups) / groups, 3)
  product = jax.jit(jax.vmap(lambda lhs, sizes: jaxgemm.ragged_dot(
      lhs, rhs, sizes, None, None, jnp.array([4]), scale=scale, activation="relu",
      config=_config())))
  given = product(lhs, jnp.asarray(sizes, jnp.int32))
  for i in range(3):
    want = np.zeros((rows, n))
    for group, of_group in list(enumerate(_groups(sizes[i])))[4:9]:
      want[of_group] = np.maximum(
          double(lhs)[i, of_group] @ double(rhs)[group - 4] * double(scale)[group - 4], 0)
    assert_close(given[i], want)
