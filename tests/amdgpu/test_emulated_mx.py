"""Operands in MX formats in the kernels of gfx950, executed in emulation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi
from tests.support.scaled import array, assert_close, dequantized, of_groups

OURS = dict(block=32, implementation="emulated:gfx950")
E4M3, E5M2, E2M1 = "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"
both = pytest.mark.parametrize("dtype", [E4M3, E2M1])


def mx_scales(rng, *shape):
  return jnp.asarray(np.exp2(rng.integers(-9, 10, shape)), jnp.float8_e8m0fnu)


def operands(rng, batch, m, n, k, dtypes=(E4M3, E4M3)):
  """lhs, rhs and their scales."""
  blocks = -(-k // 32)
  return (array(rng, batch, m, k, dtype=dtypes[0]), array(rng, batch, n, k, dtype=dtypes[1]),
          mx_scales(rng, batch, m, blocks), mx_scales(rng, batch, n, blocks))


def product(a, b, of_a, of_b):
  """The product in float64."""
  return np.einsum("bmk,bnk->bmn", dequantized(a, of_a, 32), dequantized(b, of_b, 32))


def whole(k, dtype):
  """k, rounded up to whole vectors of 16 bytes."""
  return -(-k // 32) * 32 if dtype == E2M1 else k


def kernel_of(*args, **kwargs):
  plan = jaxgemm.explain(*args, **kwargs)
  return None if "dequantised" in str(plan) else plan.data["kernel"]


def tile(size):
  return jaxgemm.GemmConfig(tile_m=size, tile_n=size)


@pytest.mark.whole(unless=lambda dtype, size, m: size == 128 or m == 300)
@both
@pytest.mark.parametrize("size", [128, 256])
@pytest.mark.parametrize("batch, m, n, k, schedule", [
    (1, 256, 256, 1024, None), (2, 20, 130, 96, None), (1, 300, 270, 2880, "work_stealing"),
    (1, 100, 128, 2064, "stream_k"), (1, 1, 1, 48, None), (1, 140, 50, 144, "persistent"),
    (3, 30, 40, 32, None)])
def test_dense(rng, dtype, size, batch, m, n, k, schedule):
  """k may end inside a block, a row's scales inside a word, and a tile inside a k tile."""
  given = operands(rng, batch, m, n, whole(k, dtype), (dtype, dtype))
  options = OURS | dict(schedule=schedule, config=tile(size))
  out = jaxgemm.scaled_matmul(*given, **options)
  tile_k = 256 if dtype == E2M1 else 128
  if k > 32 or dtype == E2M1:  # else the only scale of a row is that of its sum
    kernel = kernel_of(*given[:2], lhs_scales=given[2], rhs_scales=given[3], **options)
    assert kernel == f"gemm_{dtype}_{dtype}_{size}x{size}x{tile_k}_rcr"
  assert_close(out, product(*given))


@both
@pytest.mark.parametrize("size", [128, 256])
@pytest.mark.parametrize("shares", [3, 7])
def test_shares_that_begin_inside_a_chunk_of_scales(rng, dtype, size, shares):
  given = operands(rng, 1, 90, 70, 2304 if dtype == E2M1 else 1152, (dtype, dtype))
  config = jaxgemm.GemmConfig(tile_m=size, tile_n=size, num_shares=shares)
  out = jaxgemm.scaled_matmul(*given, schedule="stream_k", config=config, **OURS)
  assert_close(out, product(*given))


@pytest.mark.parametrize("dtypes", [(E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2)])
def test_types(rng, dtypes):
  name = f"gemm_{dtypes[0]}_{dtypes[1]}_128x128x128_rcr"
  if name not in _ffi.built_kernels("gfx950"):
    pytest.skip(f"this build has no {name}: build with JAXGEMM_GPU_KERNELS=all")
  given = operands(rng, 1, 150, 140, 400, dtypes)
  assert_close(jaxgemm.scaled_matmul(*given, **OURS), product(*given))


def test_what_is_quantised(rng):
  a, b = (jaxgemm.quantize(array(rng, 1, size, 256, dtype="float32"), "mx",
                           dtype=jnp.float4_e2m1fn) for size in (100, 60))
  out = jaxgemm.scaled_matmul(a.values, b.values, a.scales, b.scales, **OURS)
  assert_close(out, product(a.values, b.values, a.scales, b.scales))


@pytest.mark.parametrize("dtypes, k", [((E2M1, E4M3), 256), ((E4M3, E2M1), 256),
                                       ((E2M1, E2M1), 272)])
def test_values_of_four_bits_that_are_converted(rng, dtypes, k):
  """float8 has all values of float4."""
  given = operands(rng, 1, 100, 60, k, dtypes)
  out = jaxgemm.scaled_matmul(*given, **OURS)
  said = jaxgemm.explain(*given[:2], lhs_scales=given[2], rhs_scales=given[3], **OURS)
  assert said.data["kernel"].startswith("gemm_float8_e4m3fn_float8_e4m3fn_")
  for name, dtype in zip(("lhs", "rhs"), dtypes):
    assert (f"{name} is converted from {E2M1} to {E4M3} first" in str(said)) == (dtype == E2M1)
  assert_close(out, product(*given))


@both
@pytest.mark.parametrize("size", [128, 256])
def test_grouped(rng, dtype, size):
  a, b = array(rng, 500, 288, dtype=dtype), array(rng, 4, 150, 288, dtype=dtype)
  of_a, of_b = mx_scales(rng, 500, 9), mx_scales(rng, 4, 150, 9)
  sizes = np.array([300, 0, 30, 100], np.int32)
  out = jaxgemm.scaled_ragged_dot(a, b, jnp.asarray(sizes), of_a, of_b, config=tile(size), **OURS)
  assert_close(out, of_groups(dequantized(a, of_a, 32), dequantized(b, of_b, 32), sizes))


@both
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
def test_groups_of_few_rows(rng, dtype, schedule):
  a, b = array(rng, 190, 1056, dtype=dtype), array(rng, 6, 40, 1056, dtype=dtype)
  of_a, of_b = mx_scales(rng, 190, 33), mx_scales(rng, 6, 40, 33)
  sizes = np.array([1, 0, 3, 150, 0, 20], np.int32)
  out = jaxgemm.scaled_ragged_dot(a, b, jnp.asarray(sizes), of_a, of_b, schedule=schedule, **OURS)
  assert_close(out, of_groups(dequantized(a, of_a, 32), dequantized(b, of_b, 32), sizes))


@both
def test_rows_of_no_group_while_tiles_are_stolen(rng, dtype):
  """Tiles of rows that belong to no group have no k tiles."""
  a, b = array(rng, 3000, 64, dtype=dtype), array(rng, 2, 300, 64, dtype=dtype)
  of_a, of_b = mx_scales(rng, 3000, 2), mx_scales(rng, 2, 300, 2)
  sizes = np.array([200, 100], np.int32)
  out = np.asarray(jaxgemm.scaled_ragged_dot(
      a, b, jnp.asarray(sizes), of_a, of_b, schedule="work_stealing",
      config=jaxgemm.GemmConfig(tile_m=128, num_workgroups=3), **OURS))
  assert_close(out, of_groups(dequantized(a, of_a, 32), dequantized(b, of_b, 32), sizes))
  assert (out[300:] == 0).all()


@both
@pytest.mark.parametrize("batch, m, n", [(0, 8, 8), (1, 0, 8), (1, 8, 0)])
def test_nothing_to_compute(rng, dtype, batch, m, n):
  out = jaxgemm.scaled_matmul(*operands(rng, batch, m, n, 96, (dtype, dtype)), **OURS)
  assert out.shape == (batch, m, n)


@both
def test_an_epilogue_and_other_types_of_the_result(rng, dtype):
  given, bias = operands(rng, 1, 140, 130, 256, (dtype, dtype)), jnp.arange(130.0)
  out = jaxgemm.scaled_matmul(*given, jnp.bfloat16, bias=bias, activation="relu", **OURS)
  assert out.dtype == jnp.bfloat16
  assert_close(out, np.maximum(product(*given) + np.arange(130.0), 0), 2.0**-8)


@both
def test_scales_at_the_ends_of_their_range(rng, dtype):
  """Products of a largest and a smallest scale are in range; those of two smallest ones are 0."""
  a, b, of_a, of_b = operands(rng, 1, 130, 140, 256, (dtype, dtype))
  of_a = jnp.asarray(np.exp2(rng.integers(100, 110, of_a.shape)), of_a.dtype)
  of_b = jnp.asarray(np.exp2(rng.integers(-127, -110, of_b.shape)), of_b.dtype)
  of_a = of_a.at[0, 0].set(2.0**127).at[0, 1].set(2.0**-127).at[0, 4, 1].set(jnp.nan)
  of_b = of_b.at[0, 3, 7].set(jnp.nan)
  out = np.asarray(jaxgemm.scaled_matmul(a, b, of_a, of_b, **OURS), np.float64)[0]
  wanted = product(a, b, of_a, of_b)[0]
  is_nan = np.isnan(wanted)
  assert is_nan[4].all() and is_nan[:, 3].all() and is_nan.sum() == 130 + 140 - 1
  assert (np.isnan(out) == is_nan).all()
  assert (out[1][~is_nan[1]] == 0).all()
  largest = np.abs(wanted).max(axis=1, keepdims=True, where=~is_nan, initial=0)
  assert (np.abs(out - wanted) <= 4e-6 * largest + 1e-40)[~is_nan].all()


@both
def test_vmap(rng, dtype):
  given = operands(rng, 3, 40, 50, 96, (dtype, dtype))
  function = lambda *x: jaxgemm.scaled_matmul(*(y[None] for y in x), **OURS)[0]
  assert_close(jax.vmap(function)(*given), product(*given))


@both
def test_one_call_reads_the_bytes_of_the_scales(rng, dtype):
  given = operands(rng, 3, 40, 50, 96, (dtype, dtype))
  text = jax.jit(lambda *x: jaxgemm.scaled_matmul(*x, **OURS)).lower(*given).as_text()
  assert text.count("@jaxgemm_gemm(") == 1 and "mx = 1" in text
  # Each of 40 rows has 16 scales, for 512 k.
  assert "tensor<3x1x640xui8>" in text and "xbf16>" not in text
  assert ("xf4E2M1FN>" in text) != ("xf8E4M3FN>" in text)


def test_gradients(rng):
  """Gradients are those of the dequantised product. The gradient of a float8 operand is float8."""
  a, b = array(rng, 1, 40, 96), array(rng, 1, 50, 96)
  of_a, of_b = (jnp.asarray(np.exp2(rng.integers(-5, 0, (1, rows, 3))), jnp.float8_e8m0fnu)
                for rows in (40, 50))

  def loss(a, b):
    return jaxgemm.scaled_matmul(a, b, of_a, of_b, **OURS).sum()

  of_lhs, of_rhs = jax.grad(loss, argnums=(0, 1))(a, b)
  for given, x, of_x, of_own in ((of_lhs, b, of_b, of_a), (of_rhs, a, of_a, of_b)):
    wanted = (dequantized(x, of_x, 32).sum(axis=1, keepdims=True)
              * np.repeat(np.asarray(of_own, np.float64), 32, -1))
    assert given.dtype == jnp.float8_e4m3fn
    assert_close(given, wanted, 0.07)


@pytest.mark.parametrize("change, reason", [
    (dict(k=200), "a multiple of 16"), (dict(dtype=jnp.float32), "1 x 128 of lhs"),
    (dict(implementation="emulated:gfx942"), "1 x 128 of lhs")])
def test_what_is_dequantised(change, reason):
  shape, k = jax.ShapeDtypeStruct, change.get("k", 256)
  operand = shape((1, 64, k), jnp.float8_e4m3fn)
  of_blocks = shape((1, 64, -(-k // 32)), change.get("dtype", jnp.float8_e8m0fnu))
  options = OURS | {name: x for name, x in change.items() if name == "implementation"}
  said = str(jaxgemm.explain(operand, operand, lhs_scales=of_blocks, rhs_scales=of_blocks,
                             **options))
  assert "dequantised" in said and reason in said


def test_the_plan_knows_the_rate_of_four_bits():
  def planned(dtype):
    operand = jax.ShapeDtypeStruct((1, 8192, 8192), dtype)
    of_blocks = jax.ShapeDtypeStruct((1, 8192, 256), jnp.float8_e8m0fnu)
    return jaxgemm.explain(operand, operand, lhs_scales=of_blocks, rhs_scales=of_blocks, **OURS)

  eight, four = planned(E4M3).data, planned(E2M1).data
  assert eight["kernel"] == f"gemm_{E4M3}_{E4M3}_256x256x128_rcr"
  assert four["kernel"] == f"gemm_{E2M1}_{E2M1}_256x256x256_rcr"
  assert four["predicted_us"] < 0.7 * eight["predicted_us"]
