"""Products with a short k on AMD GPUs, by kernels whose waves divide k (ffi/amdgpu/short_k.h).

Their values are compared with float64 in the emulator. Such a product needs no LDS, by which the
tests see that it did not go another way.
"""

import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.amd import resources, tile_times
import jaxgemm
from jaxgemm import GemmConfig, _ffi, emulator
from tests.amdgpu.test_emulated_tiles import ARCHS, array, f64

SIZES = [(1, 8, 8), (16, 32, 64), (32, 64, 128), (22, 16, 40), (33, 136, 72), (70, 200, 192),
         (64, 128, 256), (40, 72, 232)]


def multiply(arch, a, b, lhs_k, rhs_k, tile=(32, 64), **options):
  out = jaxgemm.dot_general(
      a, b, (((lhs_k,), (rhs_k,)), ((), ())), implementation=f"emulated:{arch}",
      config=GemmConfig(tile_m=tile[0], tile_n=tile[1], schedule="persistent"), **options)
  out.block_until_ready()
  record = emulator.last_record()
  assert f"_{tile[0]}x{tile[1]}x" in record.kernel
  return out, record.cost["lds_read"] == 0


def assert_rounded(got, wanted):
  """Allows the rounding to the result's type, and a little for the sum in float32."""
  rounding = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 1e-6}[got.dtype.name]
  np.testing.assert_allclose(np.asarray(got, np.float64), wanted, rtol=rounding, atol=1e-4)


def operands(rng, m, n, k, lhs_k, rhs_k, dtype):
  return (array(rng, *((m, k) if lhs_k else (k, m)), dtype=dtype),
          array(rng, *((k, n) if rhs_k == 0 else (n, k)), dtype=dtype))


def type_and_layout(dtype, lhs_k, rhs_k):
  """A case's parameters, for --whole if JAXGEMM_GPU_KERNELS=tests does not build its kernel."""
  built = dtype == "bfloat16" or rhs_k == 0
  return pytest.param(dtype, lhs_k, rhs_k, marks=[] if built else [pytest.mark.whole])


@pytest.mark.whole(
    unless=lambda arch, lhs_k, rhs_k, m, n, k: (
        (lhs_k + 2 * rhs_k + SIZES.index((m, n, k)) + 2 * ARCHS.index(arch)) % 4 == 0))
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype, lhs_k, rhs_k", [
    type_and_layout(dtype, lhs_k, rhs_k) for dtype in ("bfloat16", "float16")
    for lhs_k in (1, 0) for rhs_k in (0, 1)])
@pytest.mark.parametrize("m, n, k", SIZES)
def test_sizes(rng, arch, dtype, lhs_k, rhs_k, m, n, k):
  if not lhs_k:
    m = (m + 7) // 8 * 8  # lines of whole vectors
  a, b = operands(rng, m, n, k, lhs_k, rhs_k, dtype)
  out, is_short = multiply(arch, a, b, lhs_k, rhs_k)
  assert out.dtype == dtype
  assert is_short == (k <= (128 if not lhs_k and rhs_k else 256))
  assert_rounded(out, np.tensordot(*f64(a, b), (lhs_k, rhs_k)))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("rhs_k", [0, 1])
@pytest.mark.parametrize("m, n, k", [(1, 32, 64), (16, 96, 256), (7, 40, 104), (3, 64, 8)])
def test_tile_of_16_rows(rng, arch, rhs_k, m, n, k):
  a, b = operands(rng, m, n, k, 1, rhs_k, "bfloat16")
  out, is_short = multiply(arch, a, b, 1, rhs_k, tile=(16, 32))
  assert is_short
  assert_rounded(out, np.tensordot(*f64(a, b), (1, rhs_k)))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("tile, m", [((32, 64), 50), ((16, 32), 9)])
def test_batches(rng, arch, tile, m):
  a, b = array(rng, 3, m, 104), array(rng, 3, 104, 136)
  out = jaxgemm.matmul(
      a, b, implementation=f"emulated:{arch}",
      config=GemmConfig(tile_m=tile[0], tile_n=tile[1], schedule="persistent"))
  assert_rounded(out, np.matmul(*f64(a, b)))
  record = emulator.last_record()
  assert f"_{tile[0]}x{tile[1]}x" in record.kernel and record.cost["lds_read"] == 0


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("options", [
    {"preferred_element_type": jnp.float32}, {"activation": "relu"},
    {"bias": jnp.ones(64, jnp.float32)}])
def test_other_results_go_another_way(rng, arch, options):
  a, b = operands(rng, 32, 64, 72, 1, 0, "bfloat16")
  out, is_short = multiply(arch, a, b, 1, 0, **options)
  assert not is_short
  wanted = np.matmul(*f64(a, b)) + (1 if "bias" in options else 0)
  assert_rounded(out, np.maximum(wanted, 0) if "activation" in options else wanted)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("k", [40, 200])
def test_nan_and_infinity_stay_in_their_row(rng, arch, k):
  a, b = operands(rng, 40, 72, k, 1, 0, "bfloat16")
  a = a.at[3, 0].set(jnp.nan).at[20, k - 1].set(jnp.inf)
  b = b.at[k - 1].set(1)
  out, is_short = multiply(arch, a, b, 1, 0)
  assert is_short
  assert jnp.isnan(out[3]).all() and (out[20] == jnp.inf).all()
  others = np.delete(np.arange(40), [3, 20])
  assert_rounded(out[others], np.matmul(*f64(a, b))[others])


@pytest.mark.parametrize("arch, most", [("gfx942", 2000), ("gfx950", 1900)])
def test_few_cycles_of_a_small_product(arch, most):
  """Predictions of the emulator's clock; the waves that divide k take 3,400 and 3,000 cycles."""
  kernel = "gemm_bfloat16_bfloat16_32x64x256_rrr"
  if kernel not in resources.kernel_names(arch):
    pytest.skip(f"this build has no {kernel} for {arch}")
  times = tile_times.of_kernel(arch, kernel, sizes=(32, 64, 64))
  assert times.cycles(1) < most
  if "gemm_bfloat16_bfloat16_32x128x64_rrr" in _ffi.built_kernels(arch):
    larger = tile_times.of_kernel(arch, "gemm_bfloat16_bfloat16_32x128x64_rrr", sizes=(32, 64, 64))
    assert times.cycles(1) < larger.cycles(1)
