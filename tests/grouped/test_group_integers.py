"""Group sizes and offsets of all integer dtypes give what those of int32 give."""

import re

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox
from jaxgemm.fp8.recipes import RECIPES

# With three groups of 100 rows, sums and numbers of rows do not fit 8 bits.
M, K, N, G = 300, 8, 4, 3
SIZES, OFFSET = [100, 100, 100], [1]
MANY = 300  # groups
DTYPES = ["int8", "uint8", "int16", "uint16", "uint32"]
NUMBERS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def fp8_dot(recipe):
  def product(rng):
    lhs, rhs = array(rng, M, K), array(rng, 2, K, N)
    return lambda sizes, offset: jax.value_and_grad(
        lambda lhs, rhs: (fp8.ragged_dot(
            lhs, rhs, sizes, group_offset=offset, recipe=recipe)**2).sum(), (0, 1))(lhs, rhs)
  return product


def scaled(ragged):
  def product(rng):
    rhs = (2, N, K) if ragged == "m" else (N, M)
    lhs = (M, K) if ragged == "m" else (K, M)
    values = [array(rng, *shape, dtype=jnp.float8_e4m3fn) for shape in (lhs, rhs)]
    scales = [jnp.ones((*shape[:-1], 2)) for shape in (lhs, rhs)]
    return lambda sizes, offset: jaxgemm.scaled_ragged_dot(
        *values, sizes, *scales, jnp.float32, offset, ragged=ragged)
  return product


PRODUCTS = {
    "ragged_dot": lambda rng: (lambda x, w: lambda sizes, offset: jaxgemm.ragged_dot(
        x, w, sizes, group_offset=offset))(array(rng, M, K), array(rng, 2, K, N)),
    "ragged_dot by xla": lambda rng: (lambda x, w: lambda sizes, offset: jaxgemm.ragged_dot(
        x, w, sizes, group_offset=offset, implementation="xla"))(
            array(rng, M, K), array(rng, 2, K, N)),
    "ragged_dot_general": lambda rng: (lambda x, y: lambda sizes, offset:
        jaxgemm.ragged_dot_general(x, y, sizes, NUMBERS, group_offset=offset, num_local_groups=2))(
            array(rng, M, K), array(rng, M, N)),
    "ragged_gated_linear_unit": lambda rng: (lambda x, w: lambda sizes, offset:
        jaxgemm.ragged_gated_linear_unit(x, w, sizes, group_offset=offset))(
            array(rng, M, K), array(rng, 2, K, 2, N)),
    "gmm": lambda rng: (lambda x, w, out: lambda sizes, offset: megablox.gmm(
        x, w, sizes, group_offset=offset, existing_out=out))(
            array(rng, M, K), array(rng, 2, K, N), array(rng, M, N)),
    "tgmm": lambda rng: (lambda x, y, out: lambda sizes, offset: megablox.tgmm(
        x, y, sizes, group_offset=offset, num_actual_groups=2, existing_out=out))(
            array(rng, K, M), array(rng, M, N), array(rng, 2, K, N)),
    "scaled_ragged_dot": scaled("m"),
    "scaled_ragged_dot along k": scaled("k"),
    **{f"fp8.ragged_dot {recipe}": fp8_dot(recipe) for recipe in RECIPES},
}


def same(given, wanted):
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True):
    np.testing.assert_array_equal(x, y)


@pytest.mark.whole(unless=lambda name: list(PRODUCTS).index(name) % 2 == 0)
@pytest.mark.parametrize("name", PRODUCTS)
def test_all_integer_dtypes(rng, name):
  product = PRODUCTS[name](rng)
  wanted = product(jnp.array(SIZES), jnp.array(OFFSET))
  assert np.isfinite(jax.tree.leaves(wanted)[0]).all() and np.any(jax.tree.leaves(wanted)[0])
  for dtype in DTYPES:
    same(product(jnp.array(SIZES, dtype), jnp.array(OFFSET, dtype)), wanted)
    same(product(np.array(SIZES, dtype), np.array(OFFSET, dtype)), wanted)


@pytest.mark.parametrize("name", ["ragged_dot", "gmm", "fp8.ragged_dot tensorwise"])
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_64_bits(rng, name, dtype):
  product = PRODUCTS[name](rng)
  largest = SIZES[:1] + [2**33 + 5] + SIZES[2:]
  wanted = product(jnp.array([100, 2**31 - 1, 100]), jnp.array(OFFSET))
  with jax.enable_x64(True):
    given = jnp.array(largest, dtype), jnp.array(OFFSET, dtype)
    assert given[0].dtype == dtype
    same(jax.jit(product)(*given), wanted)


@pytest.mark.parametrize("dtype", ["int2", "uint2", "int4", "uint4"])
def test_integers_of_few_bits(rng, dtype):
  lhs, rhs = array(rng, 5, K), array(rng, 5, K, N)
  sizes = [1] * 5
  wanted = jaxgemm.ragged_dot(lhs, rhs, jnp.array(sizes))
  same(jaxgemm.ragged_dot(lhs, rhs, jnp.array(sizes, dtype)), wanted)
  same(megablox.gmm(lhs, rhs, jnp.array(sizes, dtype), existing_out=jnp.ones((5, N))), wanted)
  same(fp8.ragged_dot(lhs, rhs, jnp.array(sizes, dtype)),
       fp8.ragged_dot(lhs, rhs, jnp.array(sizes)))


@pytest.mark.whole(unless=lambda dtype: dtype == "uint8")
@pytest.mark.parametrize("dtype, offset", [("uint8", 200), ("int8", 100), ("uint16", 299)])
def test_an_offset_into_more_groups_than_its_dtype_counts(rng, dtype, offset):
  sizes = jnp.ones(MANY, dtype)
  lhs, rhs = array(rng, MANY, K), array(rng, 1, K, N)
  wanted = np.zeros((MANY, N))
  wanted[offset] = np.asarray(lhs, np.float64)[offset] @ np.asarray(rhs, np.float64)[0]
  for product in (jaxgemm.ragged_dot, fp8.ragged_dot):
    out = product(lhs, rhs, sizes, group_offset=jnp.array([offset], dtype))
    np.testing.assert_allclose(out, wanted, atol=1e-5 if product is jaxgemm.ragged_dot else 0.5)
    assert np.flatnonzero(np.any(out, 1)).tolist() == [offset]
  existing = array(rng, MANY, N)
  out = megablox.gmm(lhs, rhs, sizes, group_offset=np.array(offset, dtype), existing_out=existing)
  np.testing.assert_allclose(
      out, np.where(np.arange(MANY)[:, None] == offset, wanted, existing), atol=1e-5)


@pytest.mark.parametrize("name", PRODUCTS)
def test_values_out_of_range(rng, name):
  """A size is cut off at the number of rows, and an offset at the number of groups."""
  product = PRODUCTS[name](rng)
  largest = jnp.array([100, 2**31 - 1, 7]), jnp.array([1])
  beyond = jnp.array([100, 100, 100]), jnp.array([3])
  before = jnp.array([100, 100, 100]), jnp.array([0])
  for sizes, offset, wanted in (
      ([100, 2**32 - 1, 7], [1], largest), ([100] * 3, [2**32 - 1], beyond)):
    same(product(jnp.array(sizes, jnp.uint32), jnp.array(offset, jnp.uint32)), product(*wanted))
  for sizes, offset, wanted in (
      ([100, 2**33 + 5, 7], [1], largest), ([100] * 3, [2**32], beyond),
      ([100] * 3, [-2**32 + 1], before)):
    same(product(np.array(sizes), np.array(offset)), product(*wanted))


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["bool", "float32"])
def test_other_dtypes_are_refused(rng, name, dtype):
  product = PRODUCTS[name](rng)
  with pytest.raises(TypeError, match=f"group_sizes.dtype is subtype of np.integer, and {dtype}"):
    product(jnp.array(SIZES, dtype), jnp.array(OFFSET))
  with pytest.raises(TypeError, match=f"group_offset has shape .* and dtype {dtype}; one integer"):
    product(jnp.array(SIZES), jnp.array(OFFSET, dtype))


@pytest.mark.parametrize("name", PRODUCTS)
def test_other_shapes_are_refused(rng, name):
  product = PRODUCTS[name](rng)
  for sizes in (jnp.int32(3), jnp.ones((2, 3), int)):
    with pytest.raises(TypeError, match="group_sizes"):
      product(sizes, jnp.array(OFFSET))
  with pytest.raises((TypeError, ValueError), match=r"group_offset has shape \(2,\)"):
    product(jnp.array(SIZES), jnp.array([1, 2]))


def test_sizes_for_three_passes_are_cut_off_before_they_are_tripled():
  """For precision="high" k is three times as long; 3 * 1e9 has no place in int32."""
  lhs, rhs = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((512, 96), (512, 64)))

  def product(lhs, rhs, sizes):
    return jaxgemm.ragged_dot_general(lhs, rhs, sizes, NUMBERS, "high", implementation="jaxgemm")

  text = jax.jit(product).trace(lhs, rhs, jax.ShapeDtypeStruct((4,), jnp.int32)).lower(
      lowering_platforms=("cuda",)).as_text()
  tripled, = re.findall(r"stablehlo\.multiply .*(?=: tensor<4xi32>)", text)
  (name,) = re.findall(r"(%\d+) = stablehlo\.minimum .*: tensor<4xi32>", text)
  assert name in tripled
