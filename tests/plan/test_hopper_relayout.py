"""Copies that let Hopper's kernels read an operand by TMA: the plan's decisions, and
the programs with these copies, which run on the CPU's kernels here."""

import warnings

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi
from jaxgemm.call import copies
from jaxgemm.call import plan as plan_of_call
from jaxgemm.call.lower import split_in_three
from tests.plan.test_hopper_plan import plan_for_hopper, said
from tests.support.tracing import traced_anew

pytestmark = pytest.mark.faster_by_xla

F8 = jnp.float8_e4m3fn
CONTRACTED = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])


@pytest.fixture(name="hopper")
def fixture_hopper(monkeypatch):
  yield from plan_for_hopper(monkeypatch)


def shape(*sizes, dtype=jnp.bfloat16):
  return jax.ShapeDtypeStruct(sizes, dtype)


def explain(a, b, layout="rr", **kwargs):
  dims = (((1 if layout[0] == "r" else 0,), (0 if layout[1] == "r" else 1,)), ((), ()))
  return jaxgemm.explain(a, b, dimension_numbers=dims, **kwargs).data


@pytest.mark.parametrize("dtype", [jnp.float32, F8, jnp.float8_e5m2, jnp.int8])
@pytest.mark.parametrize("layout, copied", [
    ("rr", ("rhs",)), ("rc", ()), ("cr", ("lhs", "rhs")), ("cc", ("lhs",))])
@pytest.mark.parametrize("size", [1024, 4096])
def test_operands_of_other_than_16_bits_get_k_last(hopper, dtype, layout, copied, size):
  x = shape(size, size, dtype=dtype)
  data = explain(x, x, layout, implementation="jaxgemm")
  assert data["kernel"][:-1].endswith("_rc")
  assert data["relayouts"] == copied
  assert not said(data, "loads by element, slower")
  for name in copied:
    assert said(data, f"{name} is transposed, so that k is the last dimension")


@pytest.mark.parametrize("m, n, k, layout, copied", [
    (4096, 4096, 4096, "rr", ()), (4096, 4096, 4096, "cc", ()),
    (8240, 2696, 3528, "rr", ()), (4097, 4096, 4096, "rr", ()),
    (4096, 4096, 4097, "cr", ())])
def test_operands_that_tma_reads_are_not_copied(hopper, m, n, k, layout, copied):
  a = shape(*((m, k) if layout[0] == "r" else (k, m)))
  b = shape(*((k, n) if layout[1] == "r" else (n, k)))
  data = explain(a, b, layout)
  assert data["relayouts"] == copied
  assert not said(data, "loads by element, slower")


def test_a_result_with_odd_rows_is_padded(hopper):
  """Measured on an H200: it takes longer if out is stored by element."""
  data = explain(shape(4096, 4096), shape(4097, 4096), "rc")
  assert data["relayouts"] == ("rhs", "out")
  assert said(data, "out is cut out of the padded result")


@pytest.mark.parametrize("m, n, k", [
    (4096, 4097, 4096), (4096, 4096, 4097), (1000, 1001, 1003), (4097, 4097, 4097),
    (333, 4099, 277)])
@pytest.mark.parametrize("layout", ["rr", "rc", "cr", "cc"])
@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float32, jnp.int8])
def test_odd_sizes_are_padded_or_transposed(hopper, m, n, k, layout, dtype):
  a = shape(*((m, k) if layout[0] == "r" else (k, m)), dtype=dtype)
  b = shape(*((k, n) if layout[1] == "r" else (n, k)), dtype=dtype)
  data = explain(a, b, layout, implementation="jaxgemm")
  assert not said(data, "loads by element, slower")


def test_one_copy_where_one_is_enough(hopper):
  """k is odd. lhs is transposed; rhs, which is contiguous along n, stays as it is."""
  data = explain(shape(4096, 4097), shape(4097, 4096))
  assert data["relayouts"] == ("lhs",)
  assert data["kernel"].endswith("_crr")


def test_a_tiny_product_is_not_worth_a_copy(hopper):
  data = explain(shape(128, 16, dtype=jnp.int8), shape(16, 128, dtype=jnp.int8),
                 implementation="jaxgemm")
  assert data["relayouts"] == ()
  assert said(data, "k is not the last dimension of rhs, which is int8")


def test_a_kernel_by_its_name_reads_operands_as_they_are(hopper):
  config = GemmConfig(kernel="gemm_float32_float32_128x128x32_rrr")
  data = explain(*[shape(4096, 4096, dtype=jnp.float32)] * 2, config=config)
  assert data["relayouts"] == ()
  assert said(data, "loads by element, slower")


@pytest.mark.parametrize("dtype", [F8, jnp.float32])
@pytest.mark.parametrize("out", [jnp.bfloat16, jnp.float32])
@pytest.mark.parametrize("with_bias", [False, True])
def test_experts_stored_as_groups_k_n_are_read_in_place(hopper, dtype, out, with_bias):
  data = jaxgemm.explain(
      shape(16384, 7168, dtype=dtype), shape(8, 7168, 4096, dtype=dtype),
      bias=shape(8, 4096, dtype=jnp.float32) if with_bias else None,
      group_sizes=shape(8, dtype=jnp.int32), preferred_element_type=out).data
  assert data["kernel"].endswith("_rrr")
  assert data["relayouts"] == ()
  assert said(data, "the tensor cores get it through registers")
  assert not said(data, "loads by element, slower")


# Only a form with tiles at a fixed stride, and without an activation, reads them in place.
@pytest.mark.parametrize("dtype", [F8, jnp.float32])
@pytest.mark.parametrize("options", [
    dict(gated=True), dict(activation="silu"), dict(config=GemmConfig(schedule="work_stealing")),
    dict(config=GemmConfig(schedule="stream_k"))])
def test_experts_stored_as_groups_k_n_are_transposed(hopper, dtype, options):
  rhs = shape(8, 7168, *((2, 2048) if options.get("gated") else (4096,)), dtype=dtype)
  data = jaxgemm.explain(
      shape(16384, 7168, dtype=dtype), rhs, group_sizes=shape(8, dtype=jnp.int32),
      preferred_element_type=jnp.bfloat16, **options).data
  assert data["kernel"].endswith("_rcr")
  assert data["relayouts"] == ("rhs",)


def test_a_kernel_that_reads_rhs_into_registers_is_for_groups(hopper):
  config = GemmConfig(kernel="gemm_float32_float32_128x256x32_rrr")
  with pytest.raises(ValueError, match="no kernel of sm90 for this product has"):
    explain(*[shape(4096, 4096, dtype=jnp.float32)] * 2, config=config,
            implementation="jaxgemm")


def test_groups_along_k_of_float32_are_computed_in_16_bits(hopper):
  data = jaxgemm.explain(
      shape(16384, 7168, dtype=jnp.float32), shape(16384, 4096, dtype=jnp.float32),
      group_sizes=shape(8, dtype=jnp.int32), ragged_dot_dimension_numbers=CONTRACTED).data
  assert data["kernel"].startswith("gemm_bfloat16_bfloat16")
  assert said(data, "three passes of bfloat16 parts")
  assert not said(data, "loads by element, slower")


@pytest.mark.parametrize("dtype", [F8, jnp.int8])
def test_groups_along_k_of_8_bits_are_transposed(hopper, dtype):
  data = jaxgemm.explain(
      shape(16384, 7168, dtype=dtype), shape(16384, 4096, dtype=dtype),
      group_sizes=shape(8, dtype=jnp.int32), ragged_dot_dimension_numbers=CONTRACTED).data
  name = jnp.dtype(dtype).name
  assert data["kernel"].startswith(f"gemm_{name}_{name}") and data["kernel"].endswith("_rcr")
  assert data["relayouts"] == ("lhs", "rhs")
  assert not said(data, "loads by element, slower")


K_LAST = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [1], [])


@pytest.mark.parametrize("dtype", [F8, jnp.int8, jnp.bfloat16])
def test_tma_reads_groups_along_k_as_they_lie(hopper, dtype):
  data = jaxgemm.explain(
      shape(7168, 16384, dtype=dtype), shape(4096, 16384, dtype=dtype),
      group_sizes=shape(8, dtype=jnp.int32), ragged_dot_dimension_numbers=K_LAST).data
  assert data["kernel"].endswith("_rcr") and data["relayouts"] == ()
  assert not said(data, "loads by element, slower")


ROWS_LAST = lax.RaggedDotDimensionNumbers((((0,), (1,)), ((), ())), [1], [0])


def test_boxes_begin_at_multiples_of_16_bytes(hopper):
  """At another address TMA ends the kernel with an illegal instruction. Groups begin at any row."""
  rows_last = shape(640, 2048), shape(4, 640, 512)
  given = dict(group_sizes=shape(4, dtype=jnp.int32), implementation="jaxgemm")
  data = jaxgemm.explain(*rows_last, ragged_dot_dimension_numbers=ROWS_LAST, **given).data
  assert data["relayouts"] == ("lhs",) and not said(data, "loads by element")
  config = GemmConfig(kernel="gemm_bfloat16_bfloat16_128x128x64_crr")
  data = jaxgemm.explain(
      *rows_last, ragged_dot_dimension_numbers=ROWS_LAST, config=config, **given).data
  assert said(data, "groups begin at any of its rows; TMA begins at multiples of 16 bytes")

  config = GemmConfig(kernel="gemm_bfloat16_bfloat16_128x128x64_rrr")
  for n, by_element in ((108, True), (104, False)):  # the up projection begins at column n
    data = jaxgemm.explain(shape(2048, 640), shape(4, 640, 2, n), gated=True, config=config,
                           **given).data
    assert said(data, f"the up projection begins at column {n} of rhs") == by_element


def test_an_lhs_in_chunks_is_not_copied(hopper):
  options = dict(chunk_signals=shape(4, dtype=jnp.uint32), tiles_per_chunk_m=8,
                 config=GemmConfig(tile_m=128))
  data = explain(*[shape(4096, 4096, dtype=jnp.float32)] * 2, **options)
  assert data["relayouts"] == ("rhs",)
  data = explain(shape(4096, 4097), shape(4097, 4096), **options)
  assert data["relayouts"] == ()
  assert said(data, "k=4097: the rows of lhs are not a multiple of 16 bytes long")


@pytest.mark.parametrize("m, n, k", [(256, 4096, 4096), (1, 4096, 4096), (64, 51200, 5120)])
def test_float32_of_few_rows_is_read_through_registers(hopper, m, n, k):
  data = explain(shape(m, k, dtype=jnp.float32), shape(k, n, dtype=jnp.float32))
  assert data["implementation"] == "jaxgemm"
  assert data["relayouts"] == () and data["kernel"].endswith("_ccc")
  assert not said(data, "loads by element, slower")


@pytest.mark.parametrize("m, n, k, layout, by_xla", [
    (264, 10240, 5120, "rr", True), (3024, 48, 1344, "cc", True),
    (256, 10240, 5120, "rc", False), (14336, 2480, 8096, "rr", False)])
def test_float32_that_would_be_transposed_is_left_to_xla(hopper, m, n, k, layout, by_xla):
  warnings.simplefilter("ignore")
  data = explain(shape(*((m, k) if layout[0] == "r" else (k, m)), dtype=jnp.float32),
                 shape(*((k, n) if layout[1] == "r" else (n, k)), dtype=jnp.float32), layout)
  assert data["implementation"] == ("xla" if by_xla else "jaxgemm")
  assert said(data, "XLA's product takes") == by_xla


@pytest.mark.parametrize("options", [
    {"implementation": "jaxgemm"}, {"schedule": "stream_k"}])
def test_float32_stays_where_the_kernels_are_asked_for(hopper, options):
  data = explain(*[shape(1024, 1024, dtype=jnp.float32)] * 2, **options)
  assert data["implementation"] == "jaxgemm"


def test_one_warning_says_that_xla_computes_a_product(hopper):
  x = shape(1024, 1000, dtype=jnp.float32), shape(1000, 1048, dtype=jnp.float32)
  with pytest.warns(UserWarning, match="k is not the last dimension") as caught:
    for _ in range(2):
      jax.eval_shape(jaxgemm.matmul, *x)
  assert len(caught) == 1
  assert jaxgemm.supports(*x)[0]


@pytest.mark.parametrize("m, n, k", [(1, 4096, 4096), (64, 28672, 4096), (104, 1144, 96)])
def test_few_rows_and_short_sums_are_not_left_to_xla(hopper, m, n, k):
  assert explain(shape(m, k), shape(k, n))["implementation"] == "jaxgemm"


@pytest.mark.parametrize("m, n, k", [
    (8240, 2696, 3528), (4104, 4104, 4104), (2056, 6152, 2056), (8200, 8200, 1032)])
def test_large_tiles_are_chosen_where_boxes_straddle_l2_lines(hopper, m, n, k):
  """Measured on an H200: they are faster than ping-pong with 128 x 128 tiles."""
  rows, columns, _ = explain(shape(m, k), shape(k, n))["tile"]
  assert rows * columns > 128 * 128


@pytest.mark.parametrize("contracting", [0, 1])
@pytest.mark.parametrize("wanted", [0, 1])
def test_an_operand_is_transposed_and_padded(rng, contracting, wanted):
  x = rng.standard_normal((3, 5, 7)).astype(np.float32)
  given = np.swapaxes(x, 1, 2) if contracting == 0 else x
  out = copies.operand(jnp.asarray(given), contracting, wanted, 8, 12)
  out = np.asarray(out) if wanted else np.swapaxes(out, 1, 2)
  assert out.shape == (3, 8, 12)
  np.testing.assert_array_equal(out[:, :5, :7], x)
  assert not out[:, 5:].any() and not out[:, :, 7:].any()


def test_split_in_three_keeps_the_parts_of_each_row_together(rng):
  a, b = rng.standard_normal((2, 40, 30)).astype(np.float32) * 1e30
  left = np.asarray(split_in_three(a, 0, True, jnp.bfloat16, True), np.float64)
  right = np.asarray(split_in_three(b, -2, False, jnp.bfloat16, True), np.float64)
  a, b = a.astype(np.float64), b.astype(np.float64)
  for begin, end in (0, 7), (7, 40):
    wanted = a[begin:end].T @ b[begin:end]
    error = left[3 * begin:3 * end].T @ right[3 * begin:3 * end] - wanted
    assert np.linalg.norm(error) < 2**-15 * np.linalg.norm(wanted)
  # A value that bfloat16 would round to infinity is split into finite parts.
  most = np.full((1, 1), np.finfo(np.float32).max)
  assert np.isfinite(np.asarray(split_in_three(most, 0, True, jnp.bfloat16))).all()


@pytest.fixture(name="on_cpu")
def fixture_on_cpu(monkeypatch):
  """Plans copies as for Hopper; the CPU's kernels compute the product of the copies."""
  native = _ffi.native.plan
  seen = []

  def plan(problem, config, *of_device):
    problem, config = dict(problem), dict(config)
    wanted = native(problem, config, "sm90")["relayout"]
    seen.append(wanted)
    names = "m", "n", "k", "lhs_contracting", "rhs_contracting"
    chosen = native(problem | {name: wanted[name] for name in names}, config, "cpu")
    return chosen | {"relayout": wanted, "built": True}

  kernel_dtypes = plan_of_call.kernel_dtypes
  monkeypatch.setattr(
      plan_of_call, "kernel_dtypes",
      lambda lhs, rhs, target, **mx: kernel_dtypes(lhs, rhs, "sm90", **mx))
  monkeypatch.setattr(_ffi, "native_plan", plan)
  monkeypatch.setattr(_ffi, "CUDA_ARCHS", ("cpu",))
  with traced_anew():
    yield seen


def array(rng, *sizes, dtype=jnp.bfloat16):
  if dtype == jnp.int8:
    return jnp.asarray(rng.integers(-128, 128, sizes), dtype)
  return jnp.asarray(rng.standard_normal(sizes, np.float32)).astype(dtype)


def double(x):
  return np.asarray(x).astype(np.float64)


def assert_close(given, wanted, tolerance):
  assert given.shape == wanted.shape
  error = np.linalg.norm(double(given) - wanted)
  assert error <= tolerance * np.linalg.norm(wanted)


# Without --whole, each dtype is tested with each layout once, and with all sizes.
@pytest.mark.parametrize("dtype, m, n, k, layout", [
    pytest.param(dtype, *sizes, layout, marks=[] if (i + j + s) % 3 == 0 else [pytest.mark.whole])
    for i, dtype in enumerate([jnp.bfloat16, jnp.float32, jnp.int8, F8])
    for s, sizes in enumerate([(200, 136, 512), (129, 131, 517), (136, 259, 1024)])
    for j, layout in enumerate(["rr", "rc", "cr", "cc"])])
def test_dense_products(rng, on_cpu, dtype, m, n, k, layout):
  a = array(rng, *((m, k) if layout[0] == "r" else (k, m)), dtype=dtype)
  b = array(rng, *((k, n) if layout[1] == "r" else (n, k)), dtype=dtype)
  bias = array(rng, n, dtype=jnp.float32)
  dims = (((1 if layout[0] == "r" else 0,), (0 if layout[1] == "r" else 1,)), ((), ()))
  wanted = ((double(a) if layout[0] == "r" else double(a).T)
            @ (double(b) if layout[1] == "r" else double(b).T))
  out = jaxgemm.dot_general(a, b, dims, preferred_element_type=jnp.float32)
  assert_close(out, wanted, 1e-5)
  out = jaxgemm.dot_general(a, b, dims, preferred_element_type=jnp.float32, bias=bias,
                            scale=jnp.float32(0.5))
  assert_close(out, 0.5 * wanted + double(bias), 1e-5)
  assert on_cpu
  if dtype in (jnp.float32, F8) and layout == "rr":
    assert all(x["rhs"] and x["rhs_contracting"] == 1 for x in on_cpu)


def test_gradients_and_batches(rng, on_cpu):
  a, b = array(rng, 3, 300, 515, dtype=jnp.float32), array(rng, 3, 515, 257, dtype=jnp.float32)
  bias = array(rng, 257, dtype=jnp.float32)

  def loss(product):
    return lambda a, b, c: (product(a, b, c) ** 2).sum()

  given = jax.grad(loss(lambda a, b, c: jaxgemm.matmul(
      a, b, bias=c, activation="silu")), (0, 1, 2))(a, b, bias)
  wanted = jax.grad(loss(lambda a, b, c: jax.nn.silu(
      jnp.matmul(a, b, precision="highest") + c)), (0, 1, 2))(a, b, bias)
  for x, y in zip(given, wanted):
    assert_close(x, double(y), 1e-4)
  assert any(x["lhs"] for x in on_cpu) and any(x["rhs"] for x in on_cpu)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float32, F8])
@pytest.mark.parametrize("k, n", [
    pytest.param(264, 136, marks=pytest.mark.whole), (259, 131)])
def test_grouped_products_and_their_gradients(rng, on_cpu, dtype, k, n):
  sizes = np.array([300, 0, 128, 1, 71])
  lhs, rhs = array(rng, 520, k, dtype=dtype), array(rng, 5, k, n, dtype=dtype)
  out, pullback = jax.vjp(lambda lhs, rhs: jaxgemm.ragged_dot(
      lhs, rhs, jnp.asarray(sizes, jnp.int32), preferred_element_type=jnp.float32),
      lhs, rhs)
  cotangent = array(rng, 520, n, dtype=jnp.float32)
  wanted, d_lhs, d_rhs = np.zeros((520, n)), np.zeros((520, k)), np.zeros((5, k, n))
  for g, end in enumerate(np.cumsum(sizes)):
    rows = slice(end - sizes[g], end)
    wanted[rows] = double(lhs[rows]) @ double(rhs[g])
    d_lhs[rows] = double(cotangent[rows]) @ double(rhs[g]).T
    d_rhs[g] = double(lhs[rows]).T @ double(cotangent[rows])
  tolerance = {4: 2e-5, 2: 4e-3, 1: 4e-2}[jnp.dtype(dtype).itemsize]
  assert_close(out, wanted, 1e-5)
  for given, reference in zip(pullback(cotangent), (d_lhs, d_rhs)):
    assert given.dtype == dtype
    assert_close(given, reference, tolerance)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float32, F8, jnp.int8])
def test_products_with_groups_along_k_and_accumulation(rng, on_cpu, dtype):
  sizes = np.array([100, 0, 190, 30])
  lhs, rhs = array(rng, 400, 131, dtype=dtype), array(rng, 400, 261, dtype=dtype)
  wanted = np.zeros((4, 131, 261))
  for g, end in enumerate(np.cumsum(sizes)):
    rows = slice(end - sizes[g], end)
    wanted[g] = double(lhs[rows]).T @ double(rhs[rows])

  def product(**more):
    return jaxgemm.ragged_dot_general(
        lhs, rhs, jnp.asarray(sizes, jnp.int32), CONTRACTED, **more)

  assert_close(product(preferred_element_type=jnp.float32), wanted, 2e-5)
  if dtype != jnp.int8:
    buffer = array(rng, 4, 131, 261, dtype=jnp.float32)
    assert_close(product(accumulate=buffer), double(buffer) + wanted, 2e-5)


@pytest.mark.parametrize("dtype, columns", [
    (jnp.bfloat16, 70),
    pytest.param(jnp.float32, 192, marks=pytest.mark.whole),
    pytest.param(jnp.bfloat16, 192, marks=pytest.mark.whole),
    pytest.param(jnp.float32, 70, marks=pytest.mark.whole),
])
def test_a_gated_product_and_its_gradients(rng, on_cpu, dtype, columns):
  sizes = [100, 0, 190, 30]
  lhs, rhs = array(rng, 400, 256, dtype=dtype), array(rng, 4, 256, 2, columns, dtype=dtype)
  bias = array(rng, 4, 2, columns, dtype=jnp.float32)
  group = np.repeat(np.arange(4), sizes)

  def product(lhs, rhs, bias):
    return jaxgemm.ragged_gated_linear_unit(
        lhs, rhs, jnp.asarray(sizes, jnp.int32), bias=bias,
        preferred_element_type=jnp.float32)

  def reference(lhs, rhs, bias):
    z = jnp.einsum("mk,mkin->min", lhs[:320].astype(jnp.float32),
                   rhs[group].astype(jnp.float32), precision="highest") + bias[group]
    return jnp.concatenate([jax.nn.silu(z[:, 0]) * z[:, 1], jnp.zeros((80, columns))])

  cotangent = array(rng, 400, columns, dtype=jnp.float32)
  out, pullback = jax.vjp(product, lhs, rhs * 0.1, bias)
  wanted, reference_pullback = jax.vjp(reference, lhs, rhs * 0.1, bias)
  tolerance = 1e-4 if dtype == jnp.float32 else 2e-2
  assert_close(out, double(wanted), 1e-5)
  for x, y in zip(pullback(cotangent), reference_pullback(cotangent)):
    assert_close(x, double(y), tolerance)
  assert any(x["lhs"] or x["rhs"] for x in on_cpu)
