"""Tiles of AMD GPUs whose lhs and rhs sides differ: the kernels in the emulator against float64,
their resources, and when the plan takes them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.amd import resources
import jaxgemm
from jaxgemm import GemmConfig, _ffi, emulator
from tests.amdgpu.emulated_products import array, assert_close, f64

ARCHS = ("gfx942", "gfx950")
TILES = ((128, 256), (64, 128), (32, 128), (32, 64))
LAYOUTS = ((1, 0), (1, 1), (0, 0), (0, 1))


def config(tile, **options):
  return GemmConfig(tile_m=tile[0], tile_n=tile[1], **options)


def tile_k(tile):
  """The waves of the smallest tile divide k."""
  return 256 if tile == (32, 64) else 64


def assert_ran(tile):
  assert f"_{tile[0]}x{tile[1]}x{tile_k(tile)}_" in emulator.last_record().kernel


def case(sizes, dtype, tile, layout):
  """A case's parameters, for --whole if JAXGEMM_GPU_KERNELS=tests does not build its kernel."""
  built = ((dtype == "bfloat16") == (tile == (128, 256))) == (layout[1] == 0)
  return pytest.param(sizes, dtype, tile, layout, marks=[] if built else [pytest.mark.whole])


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("sizes, dtype, tile, layout", [
    case(sizes, dtype, tile, layout) for tile in TILES for layout in LAYOUTS
    for sizes, dtype in (
        ((200, 328, 200), "bfloat16"),  # whole vectors, partial tiles
        ((64, 256, 128), "float16"), ((131, 67, 101), "float16"),
        ((40, 72, 1544), "bfloat16"))])  # several k tiles of the smallest tile
def test_layouts_and_sizes(rng, arch, tile, layout, sizes, dtype):
  m, n, k = sizes
  a = array(rng, *((m, k) if layout[0] else (k, m)), dtype=dtype)
  b = array(rng, *((n, k) if layout[1] else (k, n)), dtype=dtype)
  dims = (((layout[0],), (layout[1],)), ((), ()))
  out = jaxgemm.dot_general(a, b, dims, preferred_element_type=jnp.float32,
                            implementation=f"emulated:{arch}", config=config(tile))
  assert_close(out, np.tensordot(*f64(a, b), layout), k)
  assert_ran(tile)


@pytest.mark.whole(unless=lambda arch, dtype: (arch == "gfx942") == (dtype == "float32"))
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_more_workgroups_than_run_at_once(rng, arch, dtype):
  m, n, k = 1016, 2040, 72  # 1024 tiles; a chip runs at most 608 workgroups at once
  a, b = array(rng, m, k), array(rng, n, k)
  options = dict(dimension_numbers=(((1,), (1,)), ((), ())), preferred_element_type=dtype,
                 implementation=f"emulated:{arch}", config=config((32, 64)))
  data = jaxgemm.explain(a, b, **options).data
  assert data["num_workgroups"] == 1024 and data["schedule"] == "persistent"
  assert not data["workspace_bytes"]
  out = jaxgemm.dot_general(a, b, **options)
  assert emulator.last_record().grid[0] == 1024
  wanted = f64(a, b)[0] @ f64(a, b)[1].T
  np.testing.assert_allclose(np.asarray(out, np.float64), wanted, atol=1e-3,
                             rtol=2.0**-8 if dtype == "bfloat16" else 1e-5)
  assert_ran((32, 64))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile", TILES)
def test_stream_k_with_an_epilogue(rng, arch, tile):
  m, n, k = 150, 296, 520
  a, b, bias = array(rng, m, k), array(rng, k, n), array(rng, n, dtype="float32")
  out = jaxgemm.matmul(a, b, bias=bias, activation="relu", preferred_element_type=jnp.float32,
                       implementation=f"emulated:{arch}",
                       config=config(tile, schedule="stream_k", num_workgroups=5))
  a64, b64, bias64 = f64(a, b, bias)
  assert_close(out, np.maximum(a64 @ b64 + bias64, 0), k)
  assert_ran(tile)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile", TILES)
def test_grouped(rng, arch, tile):
  a, b = array(rng, 300, 72), array(rng, 4, 72, 264)
  sizes = np.array([2, 0, 131, 160], np.int32)
  out = jaxgemm.ragged_dot(a, b, jnp.asarray(sizes), preferred_element_type=jnp.float32,
                           implementation=f"emulated:{arch}", config=config(tile))
  assert_ran(tile)
  a64, b64 = f64(a, b)
  wanted, row = np.zeros((300, 264)), 0
  for size, matrix in zip(sizes, b64):
    wanted[row:row + size] = a64[row:row + size] @ matrix
    row += size
  assert_close(out, wanted, 72)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile", TILES)
def test_gated(rng, arch, tile):
  a, gate, up = array(rng, 40, 64), array(rng, 2, 64, 136), array(rng, 2, 64, 136)
  sizes = np.array([23, 17], np.int32)
  out = jaxgemm.ragged_gated_linear_unit(
      a, jnp.stack([gate, up], 2).reshape(2, 64, 2, 136), jnp.asarray(sizes),
      activation="silu", preferred_element_type=jnp.float32,
      implementation=f"emulated:{arch}", config=config(tile))
  assert_ran(tile)
  a64, gate64, up64 = f64(a, gate, up)
  parts = np.split(a64, [23])
  gates = np.concatenate([part @ w for part, w in zip(parts, gate64)])
  ups = np.concatenate([part @ w for part, w in zip(parts, up64)])
  assert_close(out, np.asarray(jax.nn.silu(gates), np.float64) * ups, 64)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile, layout", [
    ((128, 256), "rr"), pytest.param((128, 256), "cc", marks=pytest.mark.whole),
    ((64, 128), "rr"), ((64, 128), "cc"), ((32, 128), "rr"), ((32, 128), "cr"),
    ((32, 64), "rr"), ((32, 64), "rc"), ((32, 64), "cr"), ((32, 64), "cc")])
def test_resources(arch, tile, layout):
  name = f"gemm_bfloat16_bfloat16_{tile[0]}x{tile[1]}x{tile_k(tile)}_{layout}r"
  row = resources.of_kernel(arch, name)
  held = row["resources"]
  # A few scalars of the loop over work tiles and of quantised results are in lanes of a vector
  # register.
  assert held["vgpr_spills"] == 0
  assert held["sgpr_spills"] <= 40
  assert held["scratch_bytes"] == 0 and held["vgprs"] <= 256
  assert held["waves_per_simd"] >= 2
  # On gfx950 a line of 16 rows of lhs is a single unit, so no swizzle can avoid conflicts.
  short_lines = arch == "gfx950" and tile == (32, 128) and layout[0] == "c"
  assert row["conflict_cycles"] == (32 if short_lines else 0)


def kernel(m, n, k, target, **problem):
  planned = _ffi.native.plan(
      {"m": m, "n": n, "k": k, "lhs_dtype": "bfloat16", "rhs_dtype": "bfloat16",
       "out_dtype": "bfloat16", "lhs_contracting": 1, "rhs_contracting": 0} | problem,
      {}, target, 0)
  return tuple(planned["tile"][:2])


@pytest.mark.parametrize("target", ARCHS)
def test_the_plan_takes_the_tile_that_wastes_least(target):
  assert kernel(16384, 16384, 16384, target) == (256, 256)
  assert kernel(128, 256 * 250, 1024, target)[0] == 128
  assert kernel(30, 128 * 500, 1024, target)[0] == 32
  assert kernel(2, 128 * 250, 1024, target, lhs_contracting=0)[0] == 32
  assert kernel(22, 16, 1024, target) == kernel(116, 216, 880, target) == (32, 64)
  # This is a layer with 256 tokens and 128 experts.
  assert kernel(256, 4096, 1024, target, ragged="m", groups=128, local_groups=128)[0] == 32
