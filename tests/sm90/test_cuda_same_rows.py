"""deterministic="rows" on an NVIDIA GPU: the bits of a row do not depend on the other rows."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi
from tests.sm90.cuda_gpu import skip_reason
from tests.sm90.cuda_kernels import Kernel
from tests.support import scaled
from tests.support.same_rows import (
  Case,
  array,
  assert_same,
  dense_bits,
  free,
  grouped_bits,
)

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())

BF16, F16, F32, F8, S8 = "bfloat16", "float16", "float32", "float8_e4m3fn", "int8"
SIZES = (1, 2, 16, 17, 40, 63, 129, 300, 1000, 4099, 8192)


def needs(*dtypes):
  """Skips the test if this build has few kernels of these operands."""
  built = [name for name in _ffi.built_kernels("sm90")
           if name.startswith(f"gemm_{dtypes[0]}_{dtypes[-1]}_")]
  if len(built) < 2:
    pytest.skip(f"this build has no kernels of {dtypes}")
  return sorted(built)


def case(dtype, n, k=1040, out=F32, rhs=0, lhs=1, activation="", **options):
  return Case(dtype, dtype, out, k, n, lhs, rhs, activation, options)


@pytest.mark.parametrize("dtype", (BF16, F16, F32, F8, S8))
@pytest.mark.parametrize("k", (1040, 1031))
def test_all_kernels_have_one_order(dtype, k):
  """Those of out^T, and those that get an operand through registers, too."""
  found: dict[str, set[bytes]] = {}
  for name in needs(dtype):
    kernel = Kernel(name)
    lhs, rhs = kernel.contracting
    given = Case(dtype, dtype, "int32" if dtype == S8 else F32, k, 96, lhs, rhs,
                 options={"config": GemmConfig(kernel=name)})
    rng = np.random.default_rng(1)  # the same row and the same rhs for all kernels
    if dtype == F32 and (lhs, rhs) != (1, 1):
      continue  # the plan does not take them: see plan/hopper/copies.cc
    if kernel.grouped_only or kernel.m == 64:
      continue  # they have grouped forms only: see test_a_grouped_row_is_a_dense_row
    try:
      bits = dense_bits(rng, given, [kernel.m + 8])
    except ValueError as error:
      # Some need k at multiples of 16 bytes, and some have no dense form for these sizes.
      assert "multiple of 16 bytes" in str(error) or "no kernel of sm90" in str(error)
      continue
    found[name] = set.union(*bits.values())
  assert len(found) > 1
  kinds = {next(iter(bits)): name for name, bits in found.items()}
  assert all(len(bits) == 1 for bits in found.values()) and len(kinds) == 1, kinds


@pytest.mark.parametrize("activation", ("", "gelu"))
@pytest.mark.parametrize("dtype,out,rhs,n", (
    (BF16, BF16, 0, 512), (BF16, F32, 1, 200), (F16, F16, 0, 136), (F32, F32, 1, 256),
    (F32, F32, 0, 256),
    (F8, BF16, 1, 512), (F8, F32, 1, 176), (S8, F32, 1, 256)))
def test_dense(rng, dtype, out, rhs, n, activation):
  needs(dtype)
  assert_same(dense_bits(rng, case(dtype, n, out=out, rhs=rhs, activation=activation), SIZES))


def test_lhs_with_its_rows_last(rng):
  needs(BF16)
  assert_same(dense_bits(rng, case(BF16, 256, lhs=0), SIZES))


def test_without_the_promise_bits_differ(rng):
  """Else the tests above could not fail."""
  needs(BF16)
  with pytest.raises(AssertionError, match="differ"):
    assert_same(dense_bits(rng, free(case(BF16, 512, k=8192)), SIZES))


@pytest.mark.parametrize("activation", ("", "gelu"))
@pytest.mark.parametrize("dtype,out,n", (
    (BF16, BF16, 512), (BF16, F32, 264), (F8, BF16, 512), (F32, F32, 256)))
def test_grouped(rng, dtype, out, n, activation):
  needs(dtype)
  assert_same(grouped_bits(rng, case(dtype, n, out=out, activation=activation), SIZES))


@pytest.mark.parametrize("dtype", (BF16, F8, F32))
@pytest.mark.parametrize("is_k_last", (False, True))
def test_a_grouped_row_is_a_dense_row(rng, dtype, is_k_last):
  """Tiles of 64 rows, and those that get rhs through registers, have grouped forms only."""
  needs(dtype)
  w = array(rng, 4, *((256, 1040) if is_k_last else (1040, 256)), dtype=dtype)
  numbers = ((1,), (1 if is_k_last else 0,)), ((), ())
  options = dict(deterministic="rows", preferred_element_type=jnp.float32)
  for m in (9, 70, 1500):
    sizes = np.asarray([m // 3, 0, m - m // 3 - 2, 2])
    x = array(rng, m, 1040, dtype=dtype)
    product = functools.partial(jaxgemm.ragged_dot, x, w.swapaxes(1, 2) if is_k_last else w)
    grouped = np.asarray(product(jnp.asarray(sizes, jnp.int32), **options))
    group = np.repeat(np.arange(4), sizes)
    for i in (0, m // 2, m - 1):
      dense = jaxgemm.dot_general(x[i:i + 1], w[group[i]], numbers, **options)
      assert np.asarray(dense)[0].tobytes() == grouped[i].tobytes()


def test_gated(rng):
  needs(BF16)
  w, row, found = array(rng, 3, 512, 2, 256, dtype=BF16), array(rng, 512, dtype=BF16), set()
  for m in (1, 5, 40, 200, 3000):
    x = array(rng, m, 512, dtype=BF16).at[m - 1].set(row)
    out = jaxgemm.ragged_gated_linear_unit(
        x, w, jnp.asarray([m - 1, 0, 1], jnp.int32), activation="silu", deterministic="rows")
    found.add(np.asarray(out)[m - 1].tobytes())
  assert len(found) == 1


@pytest.mark.parametrize("block_n", (1, 128))
def test_scales_of_blocks(rng, block_n):
  needs(F8)
  n, k = 256, 1024
  row, b = array(rng, k, dtype=F8), array(rng, n, k, dtype=F8)
  of_row, of_b = scaled.scales(rng, k // 128), scaled.scales(rng, n // block_n, k // 128)
  found = {}
  for m in SIZES:
    at = np.asarray(sorted({0, m // 2, m - 1}))
    a = array(rng, m, k, dtype=F8).at[at].set(row)
    of_a = scaled.scales(rng, m, k // 128).at[at].set(of_row)
    out = jaxgemm.scaled_matmul(
        a[None], b[None], of_a[None], of_b[None], block=128, deterministic="rows")
    found[m] = {x.tobytes() for x in np.asarray(out)[0, at]}
  assert_same(found)
