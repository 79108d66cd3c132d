"""Grouped products that read operands by index, on an NVIDIA GPU."""

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.sm90.cuda_gpu import array, assert_close, double, skip_reason

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())

OF_RHS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())


def _indices(rng, rows: int, lines: int):
  """Indices at both ends, repeated, and out of range."""
  indices = rng.integers(0, lines, rows)
  if rows > 8:
    indices[:8] = [0, lines - 1, -1, lines, 0, lines - 1, np.iinfo(np.int32).max, 5 % lines]
  return jnp.asarray(indices, jnp.int32)


def _sizes(rng, rows: int, groups: int):
  shares = rng.dirichlet(np.ones(groups) * 0.5)
  shares[rng.integers(groups)] = 0
  return jnp.asarray(rng.multinomial(rows, shares / shares.sum()), jnp.int32)


def _gathered(x, indices):
  x, indices = double(x), np.asarray(indices)
  inside = (indices >= 0) & (indices < len(x))
  return np.where(inside[:, None], x[np.where(inside, indices, 0)], 0)


def _groups(sizes):
  ends = np.cumsum(sizes)
  return [slice(end - size, end) for end, size in zip(ends, np.asarray(sizes))]


def _reads_by_index(function, *operands) -> bool:
  return " gather(" not in jax.jit(function).lower(*operands).compile().as_text()


@pytest.mark.parametrize("dtype, out", [
    ("bfloat16", "bfloat16"), ("bfloat16", "float32"), ("float16", "float16"),
    ("float8_e4m3fn", "bfloat16"), ("float8_e5m2", "float32"), ("float32", "float32")])
@pytest.mark.parametrize("schedule", [None, "work_stealing", "stream_k"])
@pytest.mark.parametrize("rows, lines, n, k, groups", [
    (1500, 700, 512, 1024, 9), (300, 1000, 264, 136 + 8, 33), (4096, 512, 768, 64, 3),
    (5, 3, 128, 2048, 4)])
def test_rows(rng, dtype, out, schedule, rows, lines, n, k, groups):
  if dtype.startswith("float8"):
    n, k = n // 16 * 16, k // 16 * 16
  lhs, rhs = array(rng, lines, k, dtype=dtype), array(rng, groups, k, n, dtype=dtype)
  sizes, indices = _sizes(rng, rows, groups), _indices(rng, rows, lines)

  def product(lhs, rhs, sizes, indices):
    return jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=indices, schedule=schedule,
                              preferred_element_type=out, implementation="jaxgemm")

  x, w = _gathered(lhs, indices), double(rhs)
  want = np.concatenate([x[rows] @ w[i] for i, rows in enumerate(_groups(sizes))])
  assert_close(jax.jit(product)(lhs, rhs, sizes, indices), want)
  assert _reads_by_index(product, lhs, rhs, sizes, indices) == (dtype != "float32")


@pytest.mark.parametrize("sides", ["lhs", "rhs", "both"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("schedule", [None, "stream_k"])
@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("m, n, rows, lines, groups", [
    (512, 768, 3000, 900, 7), (136, 264, 500, 2000, 40), (2048, 128, 100, 10, 2)])
def test_ragged_k(rng, sides, dtype, schedule, accumulate, m, n, rows, lines, groups):
  left = array(rng, lines if sides != "rhs" else rows, m, dtype=dtype)
  right = array(rng, lines if sides != "lhs" else rows, n, dtype=dtype)
  sizes = _sizes(rng, rows, groups)
  of_lhs = None if sides == "rhs" else _indices(rng, rows, lines)
  of_rhs = None if sides == "lhs" else _indices(rng, rows, lines)
  buffer = array(rng, groups, m, n, dtype="float32") if accumulate else None

  def product(left, right, sizes, of_lhs, of_rhs, buffer):
    return jaxgemm.ragged_dot_general(
        left, right, sizes, OF_RHS, lhs_indices=of_lhs, rhs_indices=of_rhs, schedule=schedule,
        preferred_element_type=jnp.float32, accumulate=buffer, implementation="jaxgemm")

  x = double(left) if of_lhs is None else _gathered(left, of_lhs)
  y = double(right) if of_rhs is None else _gathered(right, of_rhs)
  want = np.stack([x[rows].T @ y[rows] for rows in _groups(sizes)])
  want = want + double(buffer) if accumulate else want
  arguments = left, right, sizes, of_lhs, of_rhs, buffer
  assert_close(jax.jit(product)(*arguments), want)
  assert _reads_by_index(product, *arguments)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn"])
def test_a_gated_product_of_shards_in_a_batch(rng, dtype):
  rows, lines, k, n, groups, local = 700, 256, 512, 256, 12, 5
  lhs = array(rng, 3, lines, k, dtype=dtype)
  rhs = array(rng, local, k, 2, n, dtype=dtype)
  bias = array(rng, local, 2, n, dtype="float32")
  sizes = jnp.stack([_sizes(rng, rows, groups) for _ in range(3)])
  indices = jnp.stack([_indices(rng, rows, lines) for _ in range(3)])
  offset = jnp.array([4])

  def product(lhs, sizes, indices):
    return jaxgemm.ragged_gated_linear_unit(
        lhs, rhs, sizes, None, jnp.float32, offset, bias=bias, lhs_indices=indices)

  given = jax.jit(jax.vmap(product))(lhs, sizes, indices)
  for i in range(3):
    x, want = _gathered(lhs[i], indices[i]), np.zeros((rows, n))
    for group, rows_of in list(enumerate(_groups(sizes[i])))[4:9]:
      w, b = double(rhs)[group - 4], double(bias)[group - 4]
      gate, up = (x[rows_of] @ w[:, j] + b[j] for j in range(2))
      want[rows_of] = gate / (1 + np.exp(-gate)) * up
    assert_close(given[i], want)


def test_the_same_bits_on_every_run(rng):
  lhs, rhs = array(rng, 600, 1024), array(rng, 8, 1024, 512)
  sizes, indices = _sizes(rng, 2000, 8), _indices(rng, 2000, 600)
  product = jax.jit(lambda: jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=indices))
  sorted_rows = jnp.asarray(_gathered(lhs, indices), lhs.dtype)
  expected = np.asarray(jaxgemm.ragged_dot(sorted_rows, rhs, sizes)).view(np.uint16)
  for _ in range(100):
    np.testing.assert_array_equal(np.asarray(product()).view(np.uint16), expected)
