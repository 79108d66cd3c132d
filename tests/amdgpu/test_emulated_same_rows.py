"""deterministic="rows" in the AMD kernels, executed in emulation."""

import re

import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi
from tests.support import scaled
from tests.support.same_rows import (
  MANY,
  MORE,
  Case,
  array,
  assert_same,
  dense_bits,
  free,
  grouped_bits,
)

ARCHS = ("gfx942", "gfx950")
FNUZ, OCP = "float8_e4m3fnuz", "float8_e4m3fn"
TYPES = ("bfloat16", "float16", "float32", "int8", OCP)
PAIRS = [(arch, dtype) for arch in ARCHS for dtype in TYPES] + [("gfx942", FNUZ)]
SIZES = (1, 5, 16, 17, 33, 130, 300)


def case(arch, dtype, k=200, n=40, lhs=1, rhs=0, out=None, activation="", **options):
  out = out or ("int32" if dtype == "int8" else "bfloat16")
  return Case(dtype, dtype, out, k, n, lhs, rhs, activation,
              {"implementation": f"emulated:{arch}", **options})


@pytest.mark.parametrize("k", (200, 203), ids=("vectors", "elements"))
@pytest.mark.parametrize("arch,dtype", PAIRS)
def test_all_kernels_have_one_order(arch, dtype, k):
  """All tiles and layouts that this build has. Those whose waves divide k are refused."""
  found, kernels = set(), 0
  for name in sorted(_ffi.built_kernels(arch)):
    parts = re.fullmatch(rf"gemm_{dtype}_{dtype}_(\d+)x(\d+)x(\d+)_([rc])([rc])r", name)
    if parts is None:
      continue
    tile_m, tile_n, tile_k = map(int, parts.groups()[:3])
    options = {"config": GemmConfig(kernel=name)}
    each = case(arch, dtype, k, 40, int(parts[4] == "r"), int(parts[5] == "c"), "float32",
                **options)
    rng = np.random.default_rng(1)  # the same row and the same rhs for all kernels
    if tile_k * jnp.dtype(dtype).itemsize > 128:
      with pytest.raises(ValueError, match="waves divide k"):
        dense_bits(rng, each, [3])
      continue
    for bits in dense_bits(rng, each, [tile_m + 3]).values():
      found |= bits
    kernels += 1
  assert kernels > 1 and len(found) == 1


@pytest.mark.parametrize("schedule", ("persistent", "work_stealing", "auto"))
@pytest.mark.parametrize("arch", ARCHS)
def test_dense(rng, arch, schedule):
  given = case(arch, "bfloat16", 520, out="float32", schedule=schedule)
  assert_same(dense_bits(rng, given, SIZES))


@pytest.mark.parametrize("arch", ARCHS)
def test_rows_that_are_loaded_by_element(rng, arch):
  """lhs is [K, M], so the number of rows says whether its lines are whole vectors."""
  given = case(arch, "bfloat16", 136, lhs=0, out="float32")
  assert_same(dense_bits(rng, given, (1, 8, 9, 64, 65, 127, 136)))


@pytest.mark.parametrize("n,out,activation", (
    (40, "bfloat16", "silu"), (36, "float32", "gelu"), (33, "float16", "gelu")))
@pytest.mark.parametrize("arch", ARCHS)
def test_with_an_epilogue(rng, arch, n, out, activation):
  given = case(arch, "bfloat16", 136, n, out=out, activation=activation)
  assert_same(dense_bits(rng, given, SIZES))


@pytest.mark.parametrize("arch", ARCHS)
def test_without_the_promise_bits_differ(rng, arch):
  """Else the tests above could not fail."""
  with pytest.raises(AssertionError, match="differ"):
    assert_same(dense_bits(rng, free(case(arch, "bfloat16", 1032, out="float32")), SIZES))


@pytest.mark.parametrize("activation", ("", "gelu"))
@pytest.mark.parametrize("arch,dtype", [(arch, "bfloat16") for arch in ARCHS] + [
    ("gfx942", FNUZ), ("gfx950", OCP)])
def test_grouped(rng, arch, dtype, activation):
  given = case(arch, dtype, 264, out="float32", activation=activation)
  assert_same(grouped_bits(rng, given, SIZES))


@pytest.mark.whole
@pytest.mark.parametrize("bits", (dense_bits, grouped_bits))
@pytest.mark.parametrize("arch", ARCHS)
def test_up_to_many_rows(rng, arch, bits):
  assert_same(bits(rng, case(arch, "bfloat16", 136, 32, out="float32"), (1, *MORE, *MANY)))


@pytest.mark.parametrize("arch,dtype,mx", (
    ("gfx942", FNUZ, False), ("gfx942", OCP, False), ("gfx950", OCP, False), ("gfx950", OCP, True)))
def test_scales_of_blocks(rng, arch, dtype, mx):
  block, n, k = (32 if mx else 128), 40, 384
  row, b = array(rng, k, dtype=dtype), array(rng, n, k, dtype=dtype)
  make = lambda rows: scaled.scales(rng, rows, k // block)
  if mx:
    make = lambda rows: jnp.asarray(
        np.exp2(rng.integers(-3, 4, (rows, k // block))), jnp.float8_e8m0fnu)
  of_row, of_b = make(1)[0], make(n if mx else 1)
  found = {}
  for m in SIZES:
    at = np.asarray(sorted({0, m // 2, m - 1}))
    a, of_a = array(rng, m, k, dtype=dtype).at[at].set(row), make(m).at[at].set(of_row)
    options = dict(block=block, implementation=f"emulated:{arch}", deterministic="rows")
    assert "dequantised" not in str(jaxgemm.explain(
        a[None], b[None], lhs_scales=of_a[None], rhs_scales=of_b[None], **options))
    out = jaxgemm.scaled_matmul(a[None], b[None], of_a[None], of_b[None], **options)
    found[m] = {x.tobytes() for x in np.asarray(out)[0, at]}
  assert_same(found)
