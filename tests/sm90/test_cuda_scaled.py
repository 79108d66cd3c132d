"""Products with scales of blocks on an NVIDIA GPU: against float64, over poisoned memory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.sm90.cuda_gpu import skip_reason
from tests.support.scaled import array, assert_close, dequantized, is_in_kernel, of_groups, scales

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())


@pytest.mark.parametrize("tile_m", [128, 256])
@pytest.mark.parametrize("rows", [1, 128])
@pytest.mark.parametrize("batch, m, n, k", [
    (1, 300, 520, 1024), (2, 129, 200, 384), (1, 1000, 264, 656), (3, 5, 1000, 256)])
@pytest.mark.parametrize("schedule", [None, "work_stealing", "stream_k"])
def test_dense(rng, tile_m, rows, batch, m, n, k, schedule):
  a, b = array(rng, batch, m, k), array(rng, batch, n, k)
  of_a, of_b = scales(rng, batch, m, -(-k // 128)), scales(rng, batch, -(-n // rows), -(-k // 128))
  options = dict(block=128, schedule=schedule, config=jaxgemm.GemmConfig(tile_m=tile_m))
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b, **options)
  assert is_in_kernel(a, b, lhs_scales=of_a, rhs_scales=of_b, **options)
  # The tensor cores keep 14 bits of a sum over 128.
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128)), 1e-3)


TILES = [(128, 128), (256, 128), (128, 192)]


@pytest.mark.parametrize("tile_m, tile_n", TILES)
@pytest.mark.parametrize("batch, m, n, k", [
    (1, 300, 520, 1024), (2, 129, 200, 384), (1, 1000, 264, 656), (3, 5, 1000, 256),
    (1, 300, 520, 128), (1, 2000, 2640, 1152), (1, 4100, 1992, 208)])
def test_results_that_are_only_cast(rng, tile_m, tile_n, batch, m, n, k):
  a, b = array(rng, batch, m, k), array(rng, batch, n, k)
  of_a, of_b = scales(rng, batch, m, -(-k // 128)), scales(rng, batch, -(-n // 128), -(-k // 128))
  given = jaxgemm.scaled_matmul(
      a, b, of_a, of_b, jnp.bfloat16, block=128,
      config=jaxgemm.GemmConfig(tile_m=tile_m, tile_n=tile_n))
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128)), 2.0**-8)


@pytest.mark.parametrize("tile_m, tile_n", TILES)
@pytest.mark.parametrize("sizes, k, n", [
    ([100, 0, 333, 250], 512, 264), ([1, 700, 0, 129, 2000, 3], 1152, 1320),
    ([5, 64, 513], 128, 520), ([0, 0, 900], 256, 2048)])
def test_groups_that_are_only_cast(rng, tile_m, tile_n, sizes, k, n):
  used = sum(sizes)
  a, b = np.array(array(rng, used + 77, k)), array(rng, len(sizes), n, k)
  of_a = np.array(scales(rng, used + 77, k // 128))
  of_b = scales(rng, len(sizes), -(-n // 128), k // 128)
  a[used:], of_a[used:] = np.nan, np.nan  # rows of no group
  given = jaxgemm.scaled_ragged_dot(
      jnp.asarray(a), b, jnp.asarray(sizes, jnp.int32), jnp.asarray(of_a), of_b, jnp.bfloat16,
      config=jaxgemm.GemmConfig(tile_m=tile_m, tile_n=tile_n))
  x, y = dequantized(a[:used], of_a[:used], 128), dequantized(b, of_b, 128)
  assert_close(given[:used], of_groups(x, y, sizes), 2.0**-8)
  assert not np.asarray(jax.device_get(given[used:]), np.float32).any()


@pytest.mark.parametrize("rows", [1, 128])
def test_grouped(rng, rows):
  a, b = array(rng, 700, 512), array(rng, 4, 264, 512)
  of_a, of_b = scales(rng, 700, 4), scales(rng, 4, -(-264 // rows), 4)
  sizes = np.array([100, 0, 333, 250], np.int32)
  given = jaxgemm.scaled_ragged_dot(a, b, jnp.asarray(sizes), of_a, of_b, jnp.bfloat16)
  x, y, wanted, row = dequantized(a, of_a, 128), dequantized(b, of_b, 128), np.zeros((700, 264)), 0
  for group, size in enumerate(sizes):
    wanted[row:row + size] = x[row:row + size] @ y[group].T
    row += size
  assert_close(given, wanted, 2.0**-8)
  assert not np.asarray(jax.device_get(given[row:]), np.float32).any()
