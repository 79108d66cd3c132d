"""The kernels on an NVIDIA GPU; skipped where there is none, as are test_cuda_*.py.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90
"""

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from tests.sm90.cuda_gpu import (
  TOLERANCE,
  array,
  assert_close,
  double,
  gemm,
  skip_reason,
)

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())


@pytest.mark.parametrize("dtype, out", [
    ("bfloat16", "bfloat16"), ("bfloat16", "float32"), ("float16", "float16"),
    ("float32", "float32"), ("float8_e4m3fn", "bfloat16"), ("float8_e5m2", "float32"),
    ("int8", "int32")])
@pytest.mark.parametrize("m, n, k", [
    (256, 256, 256), (1000, 520, 1000), (257, 129, 65), (1, 1, 1), (16, 4096, 512)])
@pytest.mark.parametrize("layout", ["rr", "rc", "cr", "cc"])
def test_dense(rng, dtype, out, m, n, k, layout):
  a = array(rng, *((m, k) if layout[0] == "r" else (k, m)), dtype=dtype)
  b = array(rng, *((k, n) if layout[1] == "r" else (n, k)), dtype=dtype)

  def product(a, b):
    dims = (((1 if layout[0] == "r" else 0,), (0 if layout[1] == "r" else 1,)), ((), ()))
    return jaxgemm.dot_general(a, b, dims, preferred_element_type=out,
                               implementation="jaxgemm")

  a64 = double(a) if layout[0] == "r" else double(a).T
  b64 = double(b) if layout[1] == "r" else double(b).T
  assert_close(jax.jit(product)(a, b), a64 @ b64)


@pytest.mark.parametrize("dtype, out, tile_k", [
    ("bfloat16", "float32", 64), ("float32", "float32", 32),
    ("float8_e4m3fn", "float32", 128), ("int8", "int32", 128)])
@pytest.mark.parametrize("m, n, k", [(256, 256, 256), (257, 129, 65)])
@pytest.mark.parametrize("layout", ["rr", "rc", "cr", "cc"])
def test_loads_by_element(rng, dtype, out, tile_k, m, n, k, layout):
  """A kernel chosen by name reads operands as they are, without a copy before it."""
  a = array(rng, *((m, k) if layout[0] == "r" else (k, m)), dtype=dtype)
  b = array(rng, *((k, n) if layout[1] == "r" else (n, k)), dtype=dtype)
  dims = (((1 if layout[0] == "r" else 0,), (0 if layout[1] == "r" else 1,)), ((), ()))
  config = GemmConfig(kernel=f"gemm_{dtype}_{dtype}_128x128x{tile_k}_{layout}r")
  given = jax.jit(lambda a, b: jaxgemm.dot_general(
      a, b, dims, preferred_element_type=out, config=config,
      implementation="jaxgemm"))(a, b)
  a64 = double(a) if layout[0] == "r" else double(a).T
  b64 = double(b) if layout[1] == "r" else double(b).T
  assert_close(given, a64 @ b64)


def test_float32_in_three_passes(rng):
  a, b = array(rng, 300, 1000, dtype="float32"), array(rng, 1000, 200, dtype="float32")
  want = double(a) @ double(b)
  # At most 375 additions of eight products, each cut off at 2**-23 of the accumulator.
  assert_close(gemm(a, b, precision="high"), want, 375 * 2.0**-23)
  tf32 = double(gemm(a, b))
  assert np.linalg.norm(tf32 - want) > 1e-4 * np.linalg.norm(want)


@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
@pytest.mark.parametrize("reduction", ["linear", "tree", "atomic"])
def test_schedules(rng, schedule, reduction):
  if schedule != "stream_k" and reduction != "linear":
    pytest.skip("stream-K only")
  a, b = array(rng, 520, 4096), array(rng, 4096, 768)
  wanted = double(a) @ double(b)
  for grid in (None, 7, 132):
    config = GemmConfig(num_workgroups=grid)
    run = jax.jit(lambda a, b: gemm(a, b, schedule=schedule, reduction=reduction,
                                    config=config))
    first = run(a, b)
    assert_close(first, wanted)
    if reduction != "atomic":
      for _ in range(20):
        assert (run(a, b) == first).all()


@pytest.mark.parametrize("peers", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("out", ["bfloat16", "float32"])
def test_split_k_across_a_cluster(rng, peers, out):
  a, b, bias = array(rng, 250, 1032), array(rng, 1032, 264), array(rng, 264, dtype="float32")
  shares = 6 * peers
  config = GemmConfig(tile_m=128, tile_n=128, num_shares=shares, num_workgroups=shares)
  run = jax.jit(lambda *args, **more: gemm(
      *args, schedule="stream_k", config=config, preferred_element_type=out, **more))
  first = run(a, b)
  assert_close(first, double(a) @ double(b), TOLERANCE[out])
  for _ in range(20):
    assert (run(a, b) == first).all()
  assert_close(run(a, b, bias=bias), double(a) @ double(b) + double(bias), TOLERANCE[out])


@pytest.mark.parametrize("m, n, peers", [
    (500, 500, 2), (250, 190, 2), (250, 250, 3), (130, 256, 4), (200, 100, 5)])
def test_clusters_of_several_tiles(rng, m, n, peers):
  a, b = array(rng, m, 1032), array(rng, 1032, n)
  shares = -(-m // 128) * -(-n // 64) * peers
  config = GemmConfig(tile_m=128, tile_n=64, num_shares=shares, num_workgroups=shares)
  run = jax.jit(lambda *args: gemm(*args, schedule="stream_k", config=config))
  first = run(a, b)
  assert_close(first, double(a) @ double(b))
  for _ in range(20):
    assert (run(a, b) == first).all()


def test_epilogue_and_gradient(rng):
  a, b, bias = array(rng, 300, 256), array(rng, 256, 520), array(rng, 520, dtype="float32")
  z = double(a) @ double(b) + double(bias)
  wanted = z / (1 + np.exp(-z))
  out = gemm(a, b, bias=bias, activation="silu")
  assert_close(out, wanted)

  def loss(f):
    return lambda *args: (f(*args).astype(jnp.float32) ** 2).sum()

  given = jax.grad(loss(lambda a, b, c: gemm(a, b, bias=c, activation="silu")), (0, 1, 2))
  xla = jax.grad(loss(lambda a, b, c: jax.nn.silu(
      jnp.matmul(a, b, preferred_element_type=jnp.float32) + c)), (0, 1, 2))
  for x, y in zip(given(a, b, bias), xla(a, b, bias)):
    assert_close(x, double(y), 2e-2)


def test_batches_and_vmap(rng):
  a, b = array(rng, 5, 100, 136), array(rng, 5, 136, 72)
  assert_close(gemm(a, b), double(a) @ double(b))
  assert_close(jax.vmap(gemm, (0, None))(a, b[0]), double(a) @ double(b[0]))


SIZES = ([300, 0, 128, 1, 500, 0], [0] * 6, [0, 0, 1024, 0, 0, 0], [171] * 6)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
@pytest.mark.parametrize("dtype, k, n", [
    ("bfloat16", 320, 264), ("bfloat16", 321, 263), ("float32", 320, 264),
    ("float32", 321, 263), ("float8_e4m3fn", 320, 264)])
def test_ragged(rng, sizes, schedule, dtype, k, n):
  lhs, rhs = array(rng, 1024, k, dtype=dtype), array(rng, 6, k, n, dtype=dtype)
  group_sizes = jnp.asarray(sizes, jnp.int32)
  out_dtype = "float32" if dtype == "float32" else "bfloat16"

  def product(lhs, rhs):
    return jaxgemm.ragged_dot(lhs, rhs, group_sizes, schedule=schedule,
                              preferred_element_type=out_dtype,
                              implementation="jaxgemm")

  ends = np.cumsum(sizes)
  groups = [slice(end - size, end) for end, size in zip(ends, sizes)]
  cotangent = array(rng, 1024, n, dtype=out_dtype)
  wanted = np.zeros((1024, n))
  d_lhs, d_rhs = np.zeros((1024, k)), np.zeros((6, k, n))
  for g, rows in enumerate(groups):
    wanted[rows] = double(lhs[rows]) @ double(rhs[g])
    d_lhs[rows] = double(cotangent[rows]) @ double(rhs[g]).T
    d_rhs[g] = double(lhs[rows]).T @ double(cotangent[rows])
  out, pullback = jax.vjp(jax.jit(product), lhs, rhs)
  assert_close(out, wanted)
  for given, reference in zip(pullback(cotangent), (d_lhs, d_rhs)):
    assert_close(given, reference, TOLERANCE.get(dtype, 4e-2))


def test_rows_of_no_group_are_not_read(rng):
  lhs = array(rng, 512, 128).at[300:].set(jnp.nan)
  rhs, sizes = array(rng, 3, 128, 64), jnp.asarray([100, 150, 50], jnp.int32)
  out = jaxgemm.ragged_dot(lhs, rhs, sizes, implementation="jaxgemm")
  assert np.isfinite(double(out)).all() and not double(out)[300:].any()
  grad = jax.grad(lambda rhs: jaxgemm.ragged_dot(
      lhs, rhs, sizes, implementation="jaxgemm").astype(jnp.float32).sum())(rhs)
  assert np.isfinite(double(grad)).all()


@pytest.mark.parametrize("columns", [192, 70])
@pytest.mark.parametrize("layout", ["r", "c"])
def test_gated(rng, columns, layout):
  sizes = [100, 0, 190, 30]
  lhs, rhs = array(rng, 400, 256), array(rng, 4, 256, 2, columns) * 0.1
  bias = array(rng, 4, 2, columns, dtype="float32")
  if layout == "c":
    lhs = jnp.asarray(np.asfortranarray(lhs))

  def product(lhs, rhs, bias):
    return jaxgemm.ragged_gated_linear_unit(
        lhs, rhs, jnp.asarray(sizes, jnp.int32), bias=bias, implementation="jaxgemm")

  def reference(lhs, rhs, bias):
    group = np.repeat(np.arange(4), sizes)
    z = jnp.einsum("mk,mkin->min", lhs[:320].astype(jnp.float32),
                   rhs[group].astype(jnp.float32), precision="highest") + bias[group]
    out = jax.nn.silu(z[:, 0]) * z[:, 1]
    return jnp.concatenate([out, jnp.zeros((80, columns))]).astype(lhs.dtype)

  cotangent = array(rng, 400, columns)
  given, pullback = jax.vjp(jax.jit(product), lhs, rhs, bias)
  wanted, reference_pullback = jax.vjp(jax.jit(reference), lhs, rhs, bias)
  assert_close(given, double(wanted), 1e-2)
  for x, y in zip(pullback(cotangent), reference_pullback(cotangent)):
    assert_close(x, double(y), 2e-2)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
@pytest.mark.parametrize("last", [False, True], ids=["k first", "k last"])
@pytest.mark.parametrize("types", ["bfloat16 bfloat16", "float8_e4m3fn float8_e5m2", "int8 int8"])
def test_groups_along_k(rng, sizes, schedule, last, types):
  """TMA reads from a multiple of 16 bytes on; elements of another group must not count."""
  lhs, rhs = (array(rng, 1024, n, dtype=dtype) for n, dtype in zip((200, 328), types.split()))
  end = sum(sizes)
  if lhs.dtype != jnp.int8:
    lhs, rhs = lhs.at[end:].set(jnp.nan), rhs.at[end:].set(jnp.nan)
  axis = 1 if last else 0
  dims = lax.RaggedDotDimensionNumbers((((axis,), (axis,)), ((), ())), [axis], [])
  operands = (lhs.T, rhs.T) if last else (lhs, rhs)
  given = jax.jit(lambda x, y: jaxgemm.ragged_dot_general(
      x, y, jnp.asarray(sizes, jnp.int32), dims, schedule=schedule, implementation="jaxgemm",
      preferred_element_type="int32" if lhs.dtype == jnp.int8 else "float32"))(*operands)
  for g, (end, size) in enumerate(zip(np.cumsum(sizes), sizes)):
    rows = slice(end - size, end)
    assert_close(given[g], double(lhs[rows]).T @ double(rhs[rows]), 1e-3)


def test_accumulate(rng):
  lhs, rhs = array(rng, 400, 136), array(rng, 400, 264)
  sizes = [100, 0, 190, 30]
  buffer = array(rng, 4, 136, 264, dtype="float32")
  dims = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
  given = jax.jit(lambda *args: jaxgemm.ragged_dot_general(
      *args[:2], jnp.asarray(sizes, jnp.int32), dims, accumulate=args[2],
      implementation="jaxgemm"))(lhs, rhs, buffer)
  wanted = double(buffer).copy()
  for g, (end, size) in enumerate(zip(np.cumsum(sizes), sizes)):
    rows = slice(end - size, end)
    wanted[g] += double(lhs[rows]).T @ double(rhs[rows])
  assert_close(given, wanted, 1e-5)
  assert (given[1] == buffer[1]).all()
