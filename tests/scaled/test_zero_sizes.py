"""Products of operands with blocks, and their gradients, where M, N, K, G or the batch is 0."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox, qarray, quantize
from jaxgemm.fp8.recipes import RECIPES

NUMBERS = (((2,), (1,)), ((0,), (0,)))
# B or G, M, N, K
SIZES = [(2, 0, 5, 128), (2, 4, 0, 128), (2, 4, 5, 0), (0, 4, 5, 128), (0, 0, 0, 0)]
KINDS = {"block": {}, "mx": {}, "mx float4": dict(dtype=jnp.float4_e2m1fn)}


class QArray:
  """Has the attributes of Qwix's QArray."""

  def __init__(self, qvalue, scale):
    self.qvalue, self.scale, self.zero_point = qvalue, scale, None


def normal(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape, np.float32))


def check(product, operands, shape):
  """The result of zeros, and gradients of zeros: no element is a sum of anything."""
  out, vjp = jax.vjp(product, *operands)
  np.testing.assert_array_equal(out, np.zeros(shape))
  for gradient, x in zip(vjp(jnp.ones(shape, out.dtype)), operands):
    assert gradient.dtype == x.dtype
    np.testing.assert_array_equal(gradient, np.zeros(x.shape))


@pytest.mark.parametrize("shape, kind, scales", [
    ((0, 4), "tensor", (1, 1)), ((4, 0), "row", (4, 1)), ((0, 4), "row", (0, 1)),
    ((4, 0), "block", (4, 0)), ((0, 256), "block", (0, 2)), ((4, 0), "mx", (4, 0)),
    ((0, 64), "mx", (0, 2)), ((2, 0, 32), "mx", (2, 0, 1))])
@pytest.mark.parametrize("stochastic", [False, True])
def test_quantize_of_no_elements(shape, kind, scales, stochastic):
  key = jax.random.key(0) if stochastic else None
  x = quantize(jnp.ones(shape), kind, key=key)
  assert (x.values.shape, x.scales.shape) == (shape, scales)
  assert x.dequantize().shape == shape
  gradient = jax.grad(lambda x: quantize(x, kind, key=key).dequantize().sum())(jnp.ones(shape))
  assert gradient.shape == shape


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_products_of_blocks(rng, sizes, kind):
  b, m, n, k = sizes
  options = KINDS[kind]

  def product(lhs, rhs):
    lhs, rhs = (quantize(x, kind.split()[0], **options) for x in (lhs, rhs))
    return jaxgemm.scaled_matmul(lhs.values, rhs.values, lhs.scales, rhs.scales)

  assert product(normal(rng, b, m, k), normal(rng, b, n, k)).shape == (b, m, n)
  if kind == "block":
    for blocks in {1, k // 128}:
      operands = [normal(rng, b, rows, size) for rows, size in (
          (m, k), (n, k), (m, blocks), (n, blocks))]
      check(jaxgemm.scaled_matmul, operands, (b, m, n))
  bias = normal(rng, n)
  scales = [jnp.ones((b, rows, k // 64)) for rows in (m, n)]
  out = jaxgemm.scaled_matmul(normal(rng, b, m, k), normal(rng, b, n, k), *scales, bias=bias,
                              activation="relu")
  np.testing.assert_array_equal(out, np.broadcast_to(np.maximum(bias, 0), (b, m, n)))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("ragged", ["m", "k"])
def test_grouped_products_of_blocks(rng, sizes, ragged):
  g, m, n, k = sizes
  blocks = k // 64
  of_rhs = (g,) if ragged == "m" else ()
  group_sizes = jnp.ones(g, int) if ragged == "m" else jnp.full(g, k // max(g, 1))
  operands = [normal(rng, *lead, rows, size) for lead, rows, size in (
      ((), m, k), (of_rhs, n, k), ((), m, blocks), (of_rhs, n, blocks))]
  check(lambda lhs, rhs, lhs_scales, rhs_scales: jaxgemm.scaled_ragged_dot(
      lhs, rhs, group_sizes, lhs_scales, rhs_scales, ragged=ragged), operands,
      (m, n) if ragged == "m" else (g, m, n))


@pytest.mark.whole(
    unless=lambda sizes, recipe: SIZES.index(sizes) % 2 == list(RECIPES).index(recipe) % 2)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes(rng, sizes, recipe):
  b, m, n, k = sizes
  check(lambda lhs, rhs: fp8.dot_general(lhs, rhs, NUMBERS, recipe=recipe),
        [normal(rng, b, m, k), normal(rng, b, k, n)], (b, m, n))
  group_sizes = jnp.ones(b, int)
  check(lambda lhs, rhs: fp8.ragged_dot(lhs, rhs, group_sizes, recipe=recipe),
        [normal(rng, m, k), normal(rng, b, k, n)], (m, n))


@pytest.mark.parametrize("sizes", SIZES)
def test_quantised_operands(rng, sizes):
  b, m, n, k = sizes
  blocks = k // 64
  check(lambda of_lhs, of_rhs: qarray.dot_general(
      QArray(normal(rng, b, m, k), of_lhs), QArray(normal(rng, b, k, n), of_rhs), NUMBERS),
      [normal(rng, b, m, blocks or 1), normal(rng, b, blocks or 1, n)], (b, m, n))
  check(lambda lhs, rhs, out: megablox.gmm(lhs, rhs, jnp.full(b, m // b), existing_out=out),
        [normal(rng, m, k), normal(rng, b, k, n), jnp.zeros((m, n))], (m, n)) if b else None
