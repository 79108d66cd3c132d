"""Scales of blocks along k in the AMD kernels, executed in emulation."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.support.scaled import (
  array,
  assert_close,
  dequantized,
  is_in_kernel,
  of_groups,
  scales,
)

TARGETS = [("gfx942", "float8_e4m3fnuz"), ("gfx942", "float8_e4m3fn"),
           ("gfx950", "float8_e4m3fn")]


@pytest.mark.parametrize("target, dtype", TARGETS)
@pytest.mark.parametrize("tile_m", [32, 128])
@pytest.mark.parametrize("batch, m, n, k, schedule", [
    (1, 140, 270, 384, None), (2, 20, 130, 200, None), (1, 130, 20, 513, "work_stealing"),
    (1, 100, 128, 640, "stream_k")])
def test_dense(rng, target, dtype, tile_m, batch, m, n, k, schedule):
  """With k = 513 operands are loaded by element; k ends inside a block."""
  a, b = array(rng, batch, m, k, dtype=dtype), array(rng, batch, n, k, dtype=dtype)
  of_a, of_b = scales(rng, batch, m, -(-k // 128)), scales(rng, batch, -(-n // 128), -(-k // 128))
  options = dict(block=128, schedule=schedule, implementation=f"emulated:{target}",
                 config=jaxgemm.GemmConfig(tile_m=tile_m))
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b, **options)
  assert is_in_kernel(a, b, lhs_scales=of_a, rhs_scales=of_b, **options)
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128)))


@pytest.mark.parametrize("target, dtype", TARGETS)
@pytest.mark.parametrize("tile_m", [32, 128])
def test_grouped(rng, target, dtype, tile_m):
  a, b = array(rng, 200, 256, dtype=dtype), array(rng, 3, 150, 256, dtype=dtype)
  of_a, of_b, sizes = scales(rng, 200, 2), scales(rng, 3, 2, 2), np.array([150, 0, 30], np.int32)
  given = jaxgemm.scaled_ragged_dot(
      a, b, jnp.asarray(sizes), of_a, of_b, implementation=f"emulated:{target}",
      config=jaxgemm.GemmConfig(tile_m=tile_m))
  assert_close(given, of_groups(dequantized(a, of_a, 128), dequantized(b, of_b, 128), sizes))


def test_a_scale_for_each_column_is_dequantised(rng):
  a, b = array(rng, 1, 40, 256), array(rng, 1, 40, 256)
  options = dict(lhs_scales=scales(rng, 1, 40, 2), rhs_scales=scales(rng, 1, 40, 2))
  said = str(jaxgemm.explain(a, b, **options, implementation="emulated:gfx950"))
  assert "dequantised" in said and "128 x 128 of rhs" in said
