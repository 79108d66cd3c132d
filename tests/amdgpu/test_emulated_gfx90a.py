"""Kernels of gfx90a (gfx942's source compiled for CDNA2), in the emulator against float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.amd import resources
import jaxgemm
from jaxgemm import GemmConfig, emulator
from jaxgemm.call.fallback import Unsupported
from tests.amdgpu import emulation_matrix as matrix
from tests.amdgpu.emulated_products import array, assert_close, f64
from tests.amdgpu.emulation_chunks import Chunks

ARCH = "gfx90a"
EMULATED = f"emulated:{ARCH}"
TYPES = ("bfloat16", "float16", "float32", "int8")
LAYOUTS = {"rr": (1, 0), "rc": (1, 1), "cr": (0, 0), "cc": (0, 1)}
TILES = ((256, 256), (128, 256), (128, 128), (64, 128), (32, 128), (32, 64))
SIZES = ((200, 328, 208), (131, 67, 101))  # whole vectors in partial tiles; odd sizes
SMALL = {instance.name for instance in matrix.small_part() if instance.arch == ARCH}


def name(dtype, tile, layout):
  k = {(16, 32): 1024, (32, 64): 512}.get(tile, 128) // jnp.dtype(dtype).itemsize
  return f"gemm_{dtype}_{dtype}_{tile[0]}x{tile[1]}x{k}_{layout}r"


def kernels():
  """All kernels of gfx90a; those that JAXGEMM_GPU_KERNELS=tests does not build are for --whole."""
  every = {instance.name for instance in matrix.instances() if instance.arch == ARCH}
  for dtype in TYPES:
    for tile in TILES:
      for layout in LAYOUTS:
        if name(dtype, tile, layout) in every:
          small = name(dtype, tile, layout) in SMALL
          yield pytest.param(dtype, tile, layout, marks=[] if small else [pytest.mark.whole])


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype, tile, layout", kernels())
def test_every_kernel(dtype, tile, layout, sizes):
  rng = np.random.default_rng()  # other operands each time
  (m, n, k), (of_lhs, of_rhs) = sizes, LAYOUTS[layout]
  a = array(rng, *((m, k) if of_lhs else (k, m)), dtype=dtype)
  b = array(rng, *((n, k) if of_rhs else (k, n)), dtype=dtype)
  out = jaxgemm.dot_general(
      a, b, (((of_lhs,), (of_rhs,)), ((), ())), implementation=EMULATED,
      preferred_element_type=jnp.int32 if dtype == "int8" else jnp.float32,
      config=GemmConfig(tile_m=tile[0], tile_n=tile[1]))
  wanted = np.tensordot(*f64(a, b), LAYOUTS[layout])
  if dtype == "int8":
    np.testing.assert_array_equal(out, wanted.astype(np.int64))
  else:
    assert_close(out, wanted, k)
  record = emulator.last_record()
  assert (record.kernel, record.arch) == (name(dtype, tile, layout), ARCH)


@pytest.mark.parametrize("scenario", matrix.SCENARIOS)
def test_every_schedule_and_kind_of_product(scenario):
  """Stream-K, work stealing, groups, batches and chunks, in several orders of waves."""
  instance = matrix.Instance.parse(ARCH, name("bfloat16", (128, 128), "rr"))
  if matrix.fits(instance, scenario):
    matrix.check(ARCH, instance.name, scenario)
  else:
    pytest.skip("a scenario of other tiles")


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_results_and_epilogues(rng, dtype):
  a, b, bias = array(rng, 37, 72), array(rng, 72, 136), array(rng, 136, dtype="float32")
  config = GemmConfig(tile_m=32, tile_n=128)
  out = jaxgemm.matmul(a, b, bias=bias, activation="relu", preferred_element_type=dtype,
                       implementation=EMULATED, config=config)
  a64, b64, bias64 = f64(a, b, bias)
  wanted = np.maximum(a64 @ b64 + bias64, 0)
  bits = {"bfloat16": 8, "float16": 11, "float32": 18}[dtype]
  np.testing.assert_allclose(np.asarray(out.astype(jnp.float32)), wanted, rtol=2.0**-bits,
                             atol=2e-5)


@pytest.mark.parametrize("rows", [1, 7, 16])
def test_few_rows(rng, rows):
  a, b = array(rng, rows, 1032), array(rng, 1032, 96)
  out = jaxgemm.matmul(a, b, preferred_element_type=jnp.float32, implementation=EMULATED,
                       config=GemmConfig(tile_m=16, tile_n=32))
  assert_close(out, np.matmul(*f64(a, b)), 1032)
  assert emulator.last_record().kernel == name("bfloat16", (16, 32), "rr")


def experts(rng):
  sizes = np.array([40, 0, 131, 56], np.int32)
  return array(rng, 230, 72), array(rng, 4, 72, 264), sizes


def test_experts(rng):
  a, b, sizes = experts(rng)
  out = jaxgemm.ragged_dot(a, b, jnp.asarray(sizes), preferred_element_type=jnp.float32,
                           implementation=EMULATED, config=GemmConfig(tile_m=32, tile_n=128))
  a64, b64 = f64(a, b)
  wanted = np.zeros((230, 264))
  for end, size, weights in zip(np.cumsum(sizes), sizes, b64):
    wanted[end - size:end] = a64[end - size:end] @ weights
  assert_close(out, wanted, 72)
  assert emulator.last_record().kernel == name("bfloat16", (32, 128), "rr")


@pytest.mark.whole
def test_gradients_of_experts(rng):
  """The gradients are products of other layouts, and one with groups along the contracted k."""
  a, b, sizes = experts(rng)

  def gradients(implementation):
    return jax.grad(lambda a, b: (jaxgemm.ragged_dot(
        a, b, jnp.asarray(sizes), preferred_element_type=jnp.float32,
        implementation=implementation) ** 2).sum(), argnums=(0, 1))(a, b)

  for got, wanted in zip(gradients(EMULATED), f64(*gradients("xla"))):
    np.testing.assert_allclose(*f64(got), wanted, rtol=2.0**-7,
                               atol=2.0**-7 * np.abs(wanted).max())


def test_a_chunk_after_its_signal_is_noticed():
  instance = matrix.Instance.parse(ARCH, name("bfloat16", (128, 128), "rr"))
  with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="Race in global memory"):
    matrix.run(instance, Chunks(signal_first=True, orders=matrix.ORDERS[:1]))


@pytest.mark.parametrize("dtype", [
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_float8_is_left_to_xla(dtype):
  a = jnp.ones((32, 32)).astype(dtype)
  does, why = jaxgemm.supports(a, a, implementation=EMULATED)
  assert not does and why.startswith("gfx90a has no instructions for 8-bit floats")
  with pytest.raises(Unsupported, match="no instructions for 8-bit floats"):
    jaxgemm.matmul(a, a, implementation=EMULATED)


@pytest.mark.parametrize("dtype, tile, layout", kernels())
def test_resources(dtype, tile, layout):
  row = resources.of_kernel(ARCH, name(dtype, tile, layout))
  held = row["resources"]
  assert held["vgpr_spills"] == held["scratch_bytes"] == 0
  assert held["vgprs"] <= 256 and held["waves_per_simd"] >= 2
  assert row["conflict_cycles"] == 0
