"""Workgroups of AMD GPUs that find their tiles by the sizes of groups with few rows.

Their results are compared with float64 in the emulator, which ends a run with an error for a
hazard, a race or an access outside of the operands. The scenarios `found_tiles...` of
emulation_grouped.py run with the other kernels. tests/plan tests when the plan has such a
workgroup for each tile.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi, emulator
from tests.amdgpu.emulated_products import array, assert_close, f64
from tests.amdgpu.emulation_grouped import lines_at
from tests.amdgpu.test_emulated_gather import types

ARCHS = ("gfx942", "gfx950")
BF16 = "bfloat16_bfloat16"
KERNELS = [
    *((arch, f"gemm_{BF16}_{tile}_rrr")
      for arch in (*ARCHS, "gfx90a") for tile in ("16x32x512", "32x64x256", "32x128x64")),
    *((arch, f"gemm_{BF16}_{tile}_rcr") for arch in ARCHS for tile in ("16x32x512", "32x64x256")),
    *((arch, f"gemm_float16_float16_{tile}_rrr")
      for arch in ARCHS for tile in ("16x32x512", "32x64x256")),
    ("gfx942", "gemm_float8_e4m3fnuz_float8_e4m3fnuz_32x64x512_rrr"),
    ("gfx942", "gemm_float8_e4m3fn_float8_e4m3fn_32x64x512_rcr"),
    ("gfx950", "gemm_float8_e4m3fn_float8_e4m3fn_32x64x512_rrr"),
    ("gfx950", "gemm_float8_e4m3fn_float8_e4m3fn_32x64x512_rcr")]
SIZES = {
    "few": (3, 0, 1, 5, 0, 0, 2), "one_has_all": (0, 0, 71, 0), "more_than_a_tile": (33, 0, 16, 65),
    "rows_of_no_group": (4, 7, 0, 1), "beyond_the_end": (5, -3, 2**31 - 1, 9), "none": (0, 0, 0)}
ROWS_OF_NO_GROUP = {"rows_of_no_group": 40, "none": 19}


def rows_of(kind: str) -> int:
  return 50 if kind == "beyond_the_end" else sum(SIZES[kind]) + ROWS_OF_NO_GROUP.get(kind, 0)


def products(lhs, rhs, sizes):
  """out, and the group of each row, or -1."""
  out, groups, start = np.zeros((len(lhs), rhs.shape[-1])), np.full(len(lhs), -1), 0
  for group, (size, weights) in enumerate(zip(sizes.tolist(), rhs)):
    end = min(len(lhs), start + max(0, size))
    out[start:end], groups[start:end], start = lhs[start:end] @ weights, group, end
  return out, groups


def options(arch, name, **config):
  return {"implementation": f"emulated:{arch}", "preferred_element_type": jnp.float32,
          "config": jaxgemm.GemmConfig(kernel=name, partition=False, **config)}


def multiply(name, lhs, rhs, sizes, **more):
  """ragged_dot, with rhs [groups, k, n] in the layout of the kernel."""
  if name.endswith("rrr"):
    return jaxgemm.ragged_dot(lhs, rhs, sizes, **more)
  numbers = jax.lax.RaggedDotDimensionNumbers((((1,), (2,)), ((), ())), (0,), (0,))
  return jaxgemm.ragged_dot_general(lhs, jnp.swapaxes(rhs, 1, 2), sizes, numbers, **more)


def assert_found(name: str, rows: int, groups: int, columns: int):
  """There is a workgroup for each tile, and each XCD has blocks of four."""
  tile_m, tile_n = (int(x) for x in name.split("_")[-2].split("x")[:2])
  regions, record = min(rows, groups + 2), emulator.last_record()
  tiles = (regions + (rows - regions) // tile_m) * -(-columns // tile_n)
  in_turn = 4 if record.arch == "gfx90a" else 32
  assert (record.kernel, record.grid[0]) == (name, -(-tiles // in_turn) * in_turn)


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("arch, name", KERNELS)
def test_sizes(arch, name, kind):
  rng = np.random.default_rng()
  sizes, rows = np.array(SIZES[kind], np.int32), rows_of(kind)
  k, n = [(512, 96), (1040, 64), (173, 67)][rng.integers(3)]
  dtype = types(name)[0]
  lhs, rhs = array(rng, rows, k, dtype=dtype), array(rng, len(sizes), k, n, dtype=dtype)
  bias = array(rng, len(sizes), n, dtype="float32")
  out = multiply(name, lhs, rhs, sizes, bias=bias, activation="relu", **options(arch, name))
  wanted, groups = products(*f64(lhs, rhs), sizes)
  added = np.where(groups[:, None] >= 0, f64(bias)[0][groups], 0)
  assert_close(out, np.maximum(wanted + added, 0), k)
  assert_found(name, rows, len(sizes), n)


@pytest.mark.parametrize("kind", ["few", "more_than_a_tile", "rows_of_no_group"])
@pytest.mark.parametrize("arch, name", [each for each in KERNELS if each[1].endswith("rrr")])
def test_a_gated_product_reads_rows_by_index(arch, name, kind):
  rng = np.random.default_rng()
  sizes, rows, lines = np.array(SIZES[kind], np.int32), rows_of(kind), 9
  k, n = [(520, 48), (1024, 40)][rng.integers(2)]
  dtype = types(name)[0]
  indices = rng.integers(-1, lines + 1, rows).astype(np.int32)
  indices[rng.integers(rows)] = -2**31
  lhs, rhs = array(rng, lines, k, dtype=dtype), array(rng, len(sizes), k, 2, n, dtype=dtype)
  call = jax.jit(lambda: jaxgemm.ragged_gated_linear_unit(
      lhs, rhs, sizes, lhs_indices=indices, activation="relu", **options(arch, name)))
  out = np.asarray(call())
  assert_found(name, rows, len(sizes), 2 * n)
  used, weights = f64(lhs, rhs.reshape(len(sizes), k, 2 * n))
  gate, up = np.split(products(lines_at(used, indices), weights, sizes)[0], 2, axis=1)
  assert_close(out, np.maximum(gate, 0) * up, k)
  for seed in (1, 2):
    with emulator.options(seed=seed, quantum=13, resident=3):
      assert np.asarray(call()).tobytes() == out.tobytes()


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("groups", [255, 256, 300, 513])
def test_more_groups_than_the_lanes_have_in_one_pass(arch, groups):
  rng = np.random.default_rng()
  rows, k, n = 90, 256, 64
  sizes = np.bincount(rng.integers(0, groups, rows - 3), minlength=groups).astype(np.int32)
  lhs, rhs = array(rng, rows, k), array(rng, groups, k, n)
  name = f"gemm_{BF16}_32x64x256_rrr"
  out = multiply(name, lhs, rhs, sizes, **options(arch, name))
  assert_close(out, products(*f64(lhs, rhs), sizes)[0], k)
  assert_found(name, rows, groups, n)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("config", [
    {"num_workgroups": 3}, {"schedule": "work_stealing", "num_workgroups": 5},
    {"schedule": "stream_k", "num_workgroups": 6}])
@pytest.mark.parametrize("tile", ["16x32x512", "32x64x256"])
def test_a_grid_that_the_user_fixes_is_kept(arch, tile, config):
  rng = np.random.default_rng()
  lhs, rhs, sizes = array(rng, 40, 1100), array(rng, 3, 1100, 72), np.array([7, 0, 30], np.int32)
  name = f"gemm_{BF16}_{tile}_rrr"
  out = multiply(name, lhs, rhs, sizes, **options(arch, name, **config))
  assert_close(out, products(*f64(lhs, rhs), sizes)[0], 1100)
  assert emulator.last_record().grid[0] == config["num_workgroups"]


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
@pytest.mark.parametrize("tokens", [1, 5])
def test_the_products_of_a_layer(chip, tokens):
  """Those of few experts of 512 x 64, with the kernels and grids that the plan takes."""
  rng = np.random.default_rng()
  experts, top, c, h = 16, 4, 512, 64
  chosen = np.stack([rng.permutation(experts)[:top] for _ in range(tokens)]).ravel()
  order = np.argsort(chosen, kind="stable")
  sizes = np.bincount(chosen, minlength=experts).astype(np.int32)
  x, first, second = (array(rng, tokens, c), array(rng, experts, c, 2, h),
                      array(rng, experts, h, c))
  more = {"implementation": f"emulated:{chip}", "preferred_element_type": jnp.float32}
  hidden = jaxgemm.ragged_gated_linear_unit(
      x, first, sizes, lhs_indices=(order // top).astype(np.int32), activation="relu", **more)
  jax.block_until_ready(hidden)
  kernels = [emulator.last_record()]
  out = jaxgemm.ragged_dot(hidden.astype(jnp.bfloat16), second, sizes, **more)
  jax.block_until_ready(out)
  kernels.append(emulator.last_record())
  assert all(each.grid[0] % 32 == 0 for each in kernels)
  rows, w = f64(x, first.reshape(experts, c, 2 * h))
  gate, up = np.split(products(rows[order // top], w, sizes)[0], 2, axis=1)
  assert_close(hidden, np.maximum(gate, 0) * up, c)
  assert_close(out, products(*f64(hidden.astype(jnp.bfloat16), second), sizes)[0], h)
  assert _ffi.NAMES["chips"][chip][0] == kernels[0].arch
