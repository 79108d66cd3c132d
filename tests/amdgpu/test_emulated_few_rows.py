"""Kernels of AMD GPUs for up to 16 rows, whose waves divide k. Their values are compared
with float64 in the emulator, on the short way of dense products and on the general one. Other tests
check when the plan takes these kernels."""

import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.amd import resources
import jaxgemm
from jaxgemm import GemmConfig, _ffi, emulator
from tests.amdgpu.test_emulated_tiles import ARCHS, array, assert_close, f64

LAYOUTS = (0, 1)  # the dimension of rhs that is k
DTYPES = ("bfloat16", "float16")


def config(**options):
  return GemmConfig(tile_m=16, tile_n=32, **options)


def assert_ran():
  assert "_16x32x512_" in emulator.last_record().kernel


def weights(rng, k, n, layout, dtype):
  return array(rng, *((n, k) if layout else (k, n)), dtype=dtype)


def multiply(arch, a, b, layout, **options):
  out = jaxgemm.dot_general(a, b, (((1,), (layout,)), ((), ())), implementation=f"emulated:{arch}",
                            **{"preferred_element_type": jnp.float32, "config": config()} | options)
  out.block_until_ready()
  assert_ran()
  return out


@pytest.mark.whole(
    unless=lambda arch, layout, dtype, m: (
        (m + LAYOUTS.index(layout) + DTYPES.index(dtype) + ARCHS.index(arch)) % 2 == 0))
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("m, n, k", [
    (1, 32, 512), (16, 96, 4096),  # whole k tiles, fewer and more than are loaded ahead
    (7, 40, 1032), (3, 64, 8), (16, 1000, 536),  # partial tiles of n and k, in whole vectors
    (5, 35, 523), (2, 31, 77)])  # element by element
def test_sizes(rng, arch, dtype, layout, m, n, k):
  a, b = array(rng, m, k, dtype=dtype), weights(rng, k, n, layout, dtype)
  assert_close(multiply(arch, a, b, layout), np.tensordot(*f64(a, b), (1, layout)), k)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_elements_beyond_a_row_or_column_are_not_used(rng, arch, layout):
  """The rows and columns beside one of NaN are right: k ends within a vector and a k tile."""
  m, n, k = 35, 67, 523
  a, b = f64(array(rng, m, k), array(rng, k, n))
  a[[3, 34]], b[:, [5, 66]] = np.nan, np.nan
  rhs = jnp.asarray(b.T if layout else b, "bfloat16")
  out = f64(multiply(arch, jnp.asarray(a, "bfloat16"), rhs, layout))[0]
  wanted = a @ b
  np.testing.assert_array_equal(np.isnan(out), np.isnan(wanted))
  assert_close(jnp.asarray(np.nan_to_num(out)), np.nan_to_num(wanted), k)


@pytest.mark.whole(
    unless=lambda arch, n, out_dtype: (n == 64) == (arch == "gfx942") or out_dtype == "float8_e5m2")
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("n", [64, 100, 37])  # the last one is stored element by element
@pytest.mark.parametrize("out_dtype", ["float32", "bfloat16", "float16", "float8_e5m2"])
def test_epilogue(rng, arch, n, out_dtype):
  m, k = 9, 1024
  a, b, bias = array(rng, m, k), array(rng, k, n), array(rng, n, dtype="float32")
  rows = jnp.asarray(rng.uniform(0.5, 2, m), jnp.float32)
  columns = jnp.asarray(rng.uniform(0.5, 2, n), jnp.float32)
  out = multiply(arch, a, b, 0, bias=bias, activation="relu", scale_lhs=rows, scale_rhs=columns,
                 preferred_element_type=jnp.dtype(out_dtype))
  a64, b64, bias64, rows64, columns64 = f64(a, b, bias, rows, columns)
  wanted = np.maximum(a64 @ b64 * rows64[:, None] * columns64 + bias64, 0)
  rounding = {"float32": 1e-5, "bfloat16": 2.0**-8, "float16": 2.0**-11, "float8_e5m2": 0.126}
  np.testing.assert_allclose(np.asarray(out.astype(jnp.float32), np.float64), wanted,
                             rtol=rounding[out_dtype], atol=2e-3)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("options", [
    {"num_workgroups": 2}, {"schedule": "work_stealing", "num_workgroups": 3},
    {"schedule": "stream_k", "num_workgroups": 5}])
def test_the_general_way(rng, arch, options):
  """The general way: fewer workgroups than tiles, and more than 16 rows."""
  a, b = array(rng, 40, 2600), array(rng, 2600, 104)
  first = multiply(arch, a, b, 0, config=config(**options))
  assert_close(first, np.matmul(*f64(a, b)), 2600)
  with emulator.options(seed=3, quantum=17):
    again = multiply(arch, a, b, 0, config=config(**options))
  assert np.asarray(first).tobytes() == np.asarray(again).tobytes()


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("options", [{}, {"num_workgroups": 2}])
def test_batches(rng, arch, options):
  a, b = array(rng, 3, 5, 520), array(rng, 3, 520, 72)
  out = jaxgemm.dot_general(a, b, (((2,), (1,)), ((0,), (0,))), config=config(**options),
                            preferred_element_type=jnp.float32, implementation=f"emulated:{arch}")
  assert_close(out, np.matmul(*f64(a, b)), 520)
  assert_ran()


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_resources(arch, layout):
  row = resources.of_kernel(arch, f"gemm_bfloat16_bfloat16_16x32x512_r{'rc'[layout]}r")
  held = row["resources"]
  assert held["vgpr_spills"] == held["sgpr_spills"] == held["scratch_bytes"] == 0
  assert held["waves_per_simd"] == 4
  assert row["instructions"]["lds_read"] == row["instructions"]["barrier"] == 0  # in the loop


@pytest.mark.parametrize("target", ARCHS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("m, n, k", [(1, 4096, 4096), (8, 14336, 4096), (16, 4096, 14336)])
def test_the_plan_takes_a_workgroup_for_each_tile(target, layout, m, n, k):
  planned = _ffi.native.plan(
      {"m": m, "n": n, "k": k, "lhs_contracting": 1, "rhs_contracting": layout,
       **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), "bfloat16")}, {}, target, 0)
  assert tuple(planned["tile"]) == (16, 32, 512)
  assert (planned["num_workgroups"], planned["workspace_bytes"]) == (n // 32, 0)
