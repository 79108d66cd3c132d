"""Results of AMD's small tiles that are only rounded, where a workgroup claims several tiles.

Their epilogue is HalfTile (ffi/amdgpu/half_epilogue.h), also for groups and batches. Values are
compared with float64 in the emulator.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, emulator
from tests.amdgpu.test_emulated_tiles import ARCHS, array, f64

TILES = ((32, 128), (64, 128))


def options(arch, tile):
  return {"implementation": f"emulated:{arch}",
          "config": GemmConfig(tile_m=tile[0], tile_n=tile[1], num_workgroups=3),
          "preferred_element_type": jnp.bfloat16}


def assert_rounded(out, wanted, tile):
  assert out.dtype == jnp.bfloat16 and f"_{tile[0]}x{tile[1]}x" in emulator.last_record().kernel
  np.testing.assert_allclose(np.asarray(out, np.float64), wanted, rtol=2.0**-8, atol=1e-3)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("sizes", [(5, 0, 70, 33, 1), (0, 0, 0, 0, 40)])
def test_groups_along_m(rng, arch, tile, sizes):
  a, b = array(rng, sum(sizes) + 7, 72), array(rng, len(sizes), 72, 200)
  out = jaxgemm.ragged_dot(a, b, jnp.asarray(sizes, jnp.int32), **options(arch, tile))
  a64, b64 = f64(a, b)
  groups = [x @ y for x, y in zip(np.split(a64, np.cumsum(sizes)), b64, strict=False)]
  assert_rounded(out, np.concatenate([*groups, np.zeros((7, 200))]), tile)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile", TILES)
def test_groups_along_k(rng, arch, tile):
  sizes = (8, 0, 64, 24)
  a, b = array(rng, 96, 72), array(rng, 96, 136)
  dimensions = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
  out = jaxgemm.ragged_dot_general(a, b, jnp.asarray(sizes, jnp.int32), dimensions,
                                   **options(arch, tile))
  at = np.cumsum(sizes)[:-1]
  a64, b64 = f64(a, b)
  assert_rounded(out, np.stack([x.T @ y for x, y in zip(np.split(a64, at), np.split(b64, at),
                                                        strict=True)]), tile)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile", TILES)
def test_batches_and_nan(rng, arch, tile):
  a, b = array(rng, 3, 70, 136), array(rng, 3, 136, 264)
  a = a.at[1, 50, 3].set(jnp.nan)
  out = jaxgemm.matmul(a, b, **options(arch, tile))
  assert_rounded(out, np.matmul(*f64(a, b)), tile)
