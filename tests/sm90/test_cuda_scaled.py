"""Products with scales of blocks on an NVIDIA GPU: against float64, over poisoned memory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.sm90.cuda_gpu import skip_reason
from tests.support.scaled import array, assert_close, dequantized, is_in_kernel, scales

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
