"""Tests of quantize and scaled_matmul."""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import Quantized, quantize
from tests.support.environment import VIRTUAL_ROCM

DTYPES = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "int8"]


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(x):
  return np.asarray(x, np.float64)


def largest(dtype):
  return float(jnp.iinfo(dtype).max if dtype == "int8" else jnp.finfo(dtype).max)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind, axis, shape, within", [
    ("tensor", -1, (1, 1), (0, 1)), ("row", -1, (24, 1), 1), ("row", 0, (1, 64), 0),
    ("row", (0, 1), (1, 1), (0, 1))])
def test_tensors_and_rows(rng, dtype, kind, axis, shape, within):
  x = array(rng, 24, 64) * jnp.exp(array(rng, 24, 1) * 3)
  values, scales = quantize(x, kind, axis=axis, dtype=dtype)
  assert values.dtype == dtype and values.shape == x.shape and scales.shape == shape
  np.testing.assert_allclose(
      scales, np.abs(x).max(within, keepdims=True) / largest(dtype), rtol=1e-6)
  # The largest value is the dtype's, and each value is the nearest one.
  assert (np.abs(f64(values)).max(within) == largest(dtype)).all()
  exact = f64(x) / f64(scales)
  wanted = np.round(exact) if dtype == "int8" else exact.astype(np.float32).astype(jnp.dtype(dtype))
  # A quotient in the middle between two values may be rounded to the other one in float32.
  assert (f64(values) == f64(wanted)).mean() > 0.999


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_blocks(rng, axis):
  x = array(rng, 64, 96)
  given = quantize(x, "block", axis=axis, block=16)
  rows = jnp.moveaxis(x, axis, -1).reshape(-1, 16)
  wanted = quantize(rows, "row")
  counts = (4, 96) if axis == 0 else (64, 6)
  assert given.scales.shape == counts
  lead = jnp.moveaxis(x, axis, -1).shape
  np.testing.assert_array_equal(
      given.dequantize(), jnp.moveaxis(wanted.dequantize().reshape(lead), -1, axis))


def test_tiles(rng):
  x = array(rng, 64, 96)
  given = quantize(x, "block", axis=(0, 1), block=(16, 32))
  assert given.scales.shape == (4, 3)
  for i in range(4):
    for j in range(3):
      tile = (slice(16 * i, 16 * i + 16), slice(32 * j, 32 * j + 32))
      wanted = quantize(x[tile])
      np.testing.assert_array_equal(f64(given.values[tile]), f64(wanted.values))
      np.testing.assert_allclose(given.dequantize()[tile], wanted.dequantize(), rtol=1e-6)


@pytest.mark.parametrize("dtype", [*DTYPES, "float4_e2m1fn"])
def test_stochastic_rounding(rng, dtype):
  most = largest(dtype)
  # The elements are fractions of the largest value, small values, and both ends.
  x = jnp.concatenate([jnp.asarray(rng.uniform(-1, 1, 60), jnp.float32) * most,
                       jnp.asarray(rng.uniform(-4, 4, 60), jnp.float32),
                       jnp.asarray(rng.uniform(-1, 1, 60) * 2.0**-6, jnp.float32),
                       jnp.array([most, -most, 0.0, -0.0])])
  count = 4000
  rounded = jax.vmap(lambda key: quantize(x, dtype=dtype, key=key).values)(
      jax.random.split(jax.random.key(3), count))
  given = f64(rounded.astype(jnp.float32))
  # The dtype's two neighbours of each element, from a list of all its values.
  bits = jnp.arange(256, dtype=jnp.uint8)
  if dtype == "float4_e2m1fn":
    all_values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    all_values = np.concatenate([-all_values, all_values])
  else:
    all_values = f64(jax.lax.bitcast_convert_type(bits, jnp.dtype(dtype)).astype(jnp.float32))
  all_values = np.unique(all_values[np.isfinite(all_values)])
  below = all_values[np.searchsorted(all_values, f64(x), "right") - 1]
  above = all_values[np.searchsorted(all_values, f64(x), "left")]
  assert ((given == below) | (given == above)).all()
  # The mean of `count` Bernoulli draws: six standard deviations are allowed.
  error = np.abs(given.mean(axis=0) - f64(x))
  assert (error <= 6 * (above - below) / 2 / np.sqrt(count)).all()
  assert (given.std(axis=0)[(f64(x) - below > 0.1 * (above - below))
                            & (above - f64(x) > 0.1 * (above - below))] > 0).all()


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz"])
@pytest.mark.parametrize("kind", ["tensor", "row"])
def test_stochastic_rounding_of_the_smallest_normal_numbers(dtype, kind):
  x = np.array([[1.2e-38, 1.64e-38, 2e-38, 5e-38]], np.float32)
  back = quantize(x, kind, dtype=dtype, key=jax.random.key(1)).dequantize()
  np.testing.assert_allclose(np.asarray(back, np.float64), x, rtol=0.25)


def test_stochastic_rounding_keeps_what_is_not_finite():
  x = jnp.array([1.0, jnp.inf, -jnp.inf, jnp.nan])
  given = quantize(x, dtype="float8_e5m2", key=jax.random.key(0)).values.astype(jnp.float32)
  np.testing.assert_array_equal(given[1:], x[1:])


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"])
def test_mx_scales_are_powers_of_two(rng, dtype):
  x = array(rng, 4, 64) * 2.0**jnp.array([[0], [40], [-126], [120]])
  values, scales = quantize(x, "mx", dtype=dtype)
  assert scales.dtype == jnp.float8_e8m0fnu and scales.shape == (4, 2)
  exponents = np.floor(np.log2(np.abs(f64(x)).reshape(4, 2, 32).max(-1)))
  wanted = exponents - np.floor(np.log2(float(jnp.finfo(dtype).max)))
  np.testing.assert_array_equal(np.log2(f64(scales.astype(jnp.float32)))[[0, 1, 3]],
                                wanted[[0, 1, 3]])
  assert (f64(scales.astype(jnp.float32))[2] == 2.0**-126).all()  # not subnormal
  error = np.abs(f64(Quantized(values, scales).dequantize()) - f64(x))[[0, 1, 3]]
  # Values between the dtype's largest, 1.75 (1.5) * 2**n, and 2 * 2**n are cut off.
  step = {"float8_e4m3fn": 2.0**-2, "float8_e5m2": 2.0**-2, "float4_e2m1fn": 2.0**-1}[dtype]
  assert (error.reshape(3, 2, 32) <= step * 2.0**exponents[[0, 1, 3], :, None]).all()


@pytest.mark.parametrize("kind", ["tensor", "row", "block", "mx"])
def test_no_numbers_and_zeros(kind):
  x = jnp.ones((4, 128), jnp.bfloat16).at[0].set(0.0).at[1, 3].set(jnp.inf).at[2, 5].set(jnp.nan)
  for dtype in ("float8_e4m3fn", "float8_e5m2"):
    given = quantize(x, kind, dtype=dtype)
    assert np.isfinite(f64(given.scales.astype(jnp.float32))).all()
    wide = f64(given.dequantize())
    assert np.isnan(wide[2, 5])
    assert wide[1, 3] == np.inf if dtype == "float8_e5m2" else np.isnan(wide[1, 3])
    others = np.isfinite(f64(x.astype(jnp.float32)))
    np.testing.assert_allclose(wide[others], f64(x.astype(jnp.float32))[others], rtol=1e-6)


@pytest.mark.parametrize("value", [1e-45, 1e-39, 3e38])
def test_very_small_and_large_values(value):
  given = quantize(jnp.full((8, 8), value, jnp.float32))
  assert np.isfinite(f64(given.scales)).all() and (f64(given.scales) > 0).all()
  assert np.isfinite(f64(given.values)).all()
  if value > 1:
    np.testing.assert_allclose(given.dequantize(), value, rtol=1e-6)


def test_it_is_a_pytree(rng):
  x = array(rng, 3, 16, 64)
  run = jax.jit(lambda x: quantize(x, "row"))
  given = run(x)
  assert isinstance(given, Quantized) and len(jax.tree.leaves(given)) == 2
  each = jax.vmap(lambda x: quantize(x, "tensor"))(x)
  assert each.scales.shape == (3, 1, 1)
  np.testing.assert_array_equal(f64(each.values[1]), f64(quantize(x[1]).values))
  mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  y = x.reshape(48, 64)
  local = jax.shard_map(lambda x: quantize(x, "row"), mesh=mesh, in_specs=P("x"),
                        out_specs=Quantized(P("x"), P("x")))(y)
  np.testing.assert_array_equal(local.scales, quantize(y, "row").scales)
  # It may be a residual of jax.checkpoint, and it works under vmap.
  tiles = lambda x: quantize(x, "block", axis=(0, 1), block=(8, 32))
  kept = jax.checkpoint(lambda q: (q.dequantize()**2).sum())
  np.testing.assert_allclose(jax.grad(kept, allow_int=True)(run(x)).scales,
                             jax.grad(lambda q: (q.dequantize()**2).sum())(run(x)).scales)
  np.testing.assert_array_equal(jax.vmap(tiles)(x).scales[2], tiles(x[2]).scales)


@pytest.mark.parametrize("given, words", [
    (dict(kind="column"), "kind='column' is unknown; 'tensor', 'row', 'block', 'mx', 'mxfp4', "
     "'int4' are allowed"),
    (dict(kind="row", axis=2), "axis=2 was given for an array of rank 2"),
    (dict(kind="row", axis="x"), "axis='x' was given; an int is allowed"),
    (dict(kind="mx", axis=(0, 1)), "one axis is allowed"),
    (dict(kind="block", axis=(0, 1), block=(32,)), r"block=\(32,\) was given for 2 axes"),
    (dict(kind="block", block="x"), "block='x' was given; an int is allowed"),
    (dict(kind="block"), "blocks of 128 do not divide the 96 elements of axis 1"),
    (dict(dtype=0), "dtype=0 was given; a dtype is allowed"),
    (dict(kind="block", block=1.5), "block=1.5 was given; an int is allowed"),
    (dict(block=32), "block=32 was given with kind='tensor'"),
])
def test_messages(given, words):
  with pytest.raises((ValueError, TypeError), match=words):
    quantize(jnp.ones((64, 96)), **given)
  with pytest.raises(TypeError, match="x has dtype int32"):
    quantize(jnp.ones(4, jnp.int32))


def test_products_of_what_it_gives(rng):
  a, b = array(rng, 40, 96), array(rng, 96, 24)
  for kind in ("tensor", "row"):
    qa, qb = quantize(a, kind, axis=1), quantize(b, kind, axis=0)
    out = jaxgemm.matmul(qa.values, qb.values, preferred_element_type=jnp.float32,
                         scale_lhs=qa.scales, scale_rhs=qb.scales)
    wanted = (f64(qa.values) * f64(qa.scales)) @ (f64(qb.values) * f64(qb.scales))
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-5)
    assert np.abs(wanted - f64(a) @ f64(b)).max() < 0.1 * np.abs(wanted).max()


@pytest.mark.parametrize("kind, blocks", [("row", 1), ("block", 3), ("mx", 3)])
@pytest.mark.parametrize("of_rhs", ["row", "mx"])
def test_scaled_matmul(rng, kind, blocks, of_rhs):
  a, b = array(rng, 2, 20, 96), array(rng, 2, 12, 96)
  block = {"block": 32} if kind == "block" else {}  # the kernels take no smaller blocks
  qa, qb = quantize(a, kind, **block), quantize(b, of_rhs)
  assert qa.scales.shape == (2, 20, blocks)
  options = dict(preferred_element_type=jnp.float32)
  args = qa.values, qb.values, qa.scales, qb.scales
  given = jaxgemm.scaled_matmul(*args, **options)
  if qa.scales.shape[2] == qb.scales.shape[2]:  # jax lowers its function for some GPUs only
    theirs = jax.eval_shape(jax.nn.scaled_matmul, *args)
    assert (given.shape, given.dtype) == (theirs.shape, theirs.dtype)
  exact = np.einsum("bmk,bnk->bmn", f64(qa.dequantize()), f64(qb.dequantize()))
  # AMD's kernels take few blocks: other operands are dequantised to bfloat16.
  error = 2.0**-8 if VIRTUAL_ROCM else 1e-6
  np.testing.assert_allclose(given, exact, rtol=0, atol=error * np.abs(exact).max())
  if VIRTUAL_ROCM:
    return
  said = str(jaxgemm.explain(qa.values, qb.values, lhs_scales=qa.scales, rhs_scales=qb.scales))
  assert ("the sum over each 32 of k" in said) == (blocks > 1 or of_rhs == "mx")
  assert "dequantised" not in said


def test_scaled_matmul_of_float4(rng):
  a, b = (quantize(array(rng, 1, n, 64), "mx", dtype="float4_e2m1fn") for n in (8, 16))
  given = jaxgemm.scaled_matmul(a.values, b.values, a.scales, b.scales, jnp.bfloat16,
                                activation="relu")
  exact = np.einsum("bmk,bnk->bmn", f64(a.dequantize()), f64(b.dequantize()))
  np.testing.assert_allclose(f64(given), np.maximum(exact, 0), rtol=2.0**-8)
  said = str(jaxgemm.explain(a.values, b.values, lhs_scales=a.scales, rhs_scales=b.scales))
  assert ("lhs is converted from float4_e2m1fn to float8_e4m3fn" in said) == (not VIRTUAL_ROCM)


@pytest.mark.parametrize("kind, k", [("row", 64), ("tensor", 64), ("mx", 32)])
def test_float4_with_other_scales(rng, kind, k):
  """With one scale for a row, values of float4 are converted to float8."""
  def quantized(n):
    x = array(rng, 1, n, k)
    return quantize(x, kind, dtype="float4_e2m1fn", **{} if kind == "tensor" else {"axis": 2})

  a, b = quantized(8), quantized(16)
  scales = [jnp.broadcast_to(x.scales, (*x.values.shape[:2], x.scales.shape[-1])) for x in (a, b)]
  given = jaxgemm.scaled_matmul(a.values, b.values, *scales, block=32)
  exact = np.einsum("bmk,bnk->bmn", f64(a.dequantize()), f64(b.dequantize()))
  np.testing.assert_allclose(f64(given), exact, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("shapes, words", [
    (((4, 8), (1, 4, 8), (4, 1), (1, 4, 1)), r"Add a batch by x\[None\]"),
    (((1, 4, 8), (1, 4, 8), (1, 4, 3), (1, 4, 1)), r"lhs_scales has shape \(1, 4, 3\)"),
    (((1, 4, 8), (1, 4, 6), (1, 4, 1), (1, 4, 1)), r"\(B, M, K\) and \(B, N, K\) are allowed"),
])
def test_messages_of_scaled_matmul(shapes, words):
  with pytest.raises(ValueError, match=words):
    jaxgemm.scaled_matmul(*(jnp.ones(shape) for shape in shapes))


@pytest.mark.parametrize("block, error, words", [
    (0, ValueError, "block=0 was given; 1 or more"), (-32, ValueError, "block=-32 was given"),
    (32.0, TypeError, "block=32.0 was given; an int"), (True, TypeError, "block=True"),
    ("32", TypeError, "block='32'"), (np.ones(3), TypeError, "block=array")])
def test_wrong_blocks_are_named(block, error, words):
  operand, scales = jnp.ones((1, 4, 64)), jnp.ones((1, 4, 2))
  with pytest.raises(error, match=words):
    jaxgemm.scaled_matmul(operand, operand, scales, scales, block=block)


@pytest.mark.parametrize("kind, axis, block, error, words", [
    ("block", (1, 1), (2, 4), ValueError, r"axis=\(1, 1\) was given .*; different axes"),
    ("block", (1, -1), (4, 4), ValueError, r"axis=\(1, -1\) was given .*; different axes"),
    ("block", [0, 1, 0], 2, ValueError, r"axis=\[0, 1, 0\] was given .*; different axes"),
    ("row", (0, -2), None, ValueError, r"axis=\(0, -2\) was given .*; different axes"),
    ("block", (), 4, ValueError, r"axis=\(\) was given with kind='block'; one axis or more"),
    ("block", (), (), ValueError, r"axis=\(\) was given with kind='block'; one axis or more"),
    ("mx", (), None, ValueError, r"axis=\(\) was given with kind='mx'; one axis"),
    ("mx", (0, 1), None, ValueError, r"axis=\(0, 1\) was given with kind='mx'; one axis"),
    ("block", (0, 1), (2,), ValueError, r"block=\(2,\) was given for 2 axes"),
    ("block", 1, (2, 4), ValueError, r"block=\(2, 4\) was given for 1 axes"),
    ("block", 1, (), ValueError, r"block=\(\) was given for 1 axes"),
    ("block", (0, 1), (2, 3), ValueError, "blocks of 3 do not divide the 8 elements of axis 1"),
    ("block", 1, 0, ValueError, "blocks of 0 do not divide"),
    ("block", 1, -4, ValueError, "blocks of -4 do not divide"),
    ("block", 1, 2**40, ValueError, "blocks of 1099511627776 do not divide"),
    ("block", True, 4, TypeError, "axis=True was given; an int is allowed, or a seq"),
    ("block", 1, True, TypeError, "block=True was given; an int is allowed, or a seq"),
    ("block", 1, (True,), TypeError, r"block=\(True,\) was given; an int is allowed, or a seq"),
    ("row", "01", None, TypeError, "axis='01' was given; an int is allowed"),
    ("block", 1, "4", TypeError, "block='4' was given; an int is allowed"),
    ("block", 1, 4.0, TypeError, "block=4.0 was given; an int is allowed"),
    ("row", 2, None, ValueError, "axis=2 was given for an array of rank 2; -2 to 1"),
    ("row", None, 4, ValueError, "block=4 was given with kind='row'"),
    ("tensor", -1, (2, 4), ValueError, r"block=\(2, 4\) was given with kind='tensor'"),
])
def test_axes_and_blocks_that_do_not_fit(kind, axis, block, error, words):
  with pytest.raises(error, match=words):
    quantize(jnp.ones((4, 8)), kind, axis=axis, block=block)
