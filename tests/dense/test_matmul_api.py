"""matmul and dot_general have the semantics and errors of jax's own."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi
from jaxgemm.call.config import ACTIVATIONS
from jaxgemm.call.lower import split_in_three

FLOATS = ("float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2",
          "float8_e4m3fnuz", "float8_e5m2fnuz")


def array(rng, *shape, dtype="float32"):
  if dtype == "int8":
    return jnp.asarray(rng.integers(-9, 9, shape), jnp.int8)
  return jnp.asarray(rng.standard_normal(shape), dtype)


def assert_same(given, wanted, tolerance=1e-5):
  assert (given.shape, given.dtype) == (wanted.shape, wanted.dtype)
  assert given.weak_type == wanted.weak_type
  given, wanted = (np.asarray(x).astype(np.complex128) for x in (given, wanted))
  np.testing.assert_allclose(given, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("a_shape, b_shape", [
    ((5, 7), (7, 6)), ((7,), (7,)), ((7,), (7, 6)), ((5, 7), (7,)),
    ((2, 5, 7), (7, 6)), ((5, 7), (2, 7, 6)), ((2, 5, 7), (2, 7, 6)),
    ((7,), (2, 7, 6)), ((2, 5, 7), (7,)), ((1, 5, 7), (3, 7, 6)),
    ((1, 5, 7), (1, 7, 6)), ((5, 1, 3, 7), (4, 7, 6)), ((2, 1, 5, 7), (1, 3, 7, 6)),
    ((2, 3, 5, 7), (3, 7, 6)), ((0, 7), (7, 6)), ((5, 0), (0, 6)), ((5, 7), (7, 0)),
    ((0, 5, 7), (7, 6)), ((1, 1), (1, 1)),
])
def test_shapes(rng, a_shape, b_shape):
  a, b = array(rng, *a_shape), array(rng, *b_shape)
  assert_same(jaxgemm.matmul(a, b), jnp.matmul(a, b))


@pytest.mark.parametrize("a_dtype, b_dtype, preferred", [
    *((name, name, "float32") for name in FLOATS),
    ("bfloat16", "bfloat16", None), ("float16", "float16", None),
    ("bfloat16", "float32", None), ("float16", "bfloat16", None),
    ("int8", "int8", None), ("int8", "int8", "int32"), ("int8", "int8", "float32"),
    ("int8", "bfloat16", None),
])
def test_dtypes(rng, a_dtype, b_dtype, preferred):
  a, b = array(rng, 9, 33, dtype=a_dtype), array(rng, 33, 10, dtype=b_dtype)
  wanted = jnp.matmul(a, b, preferred_element_type=preferred)
  given = jaxgemm.matmul(a, b, preferred_element_type=preferred)
  # The largest tolerance is one bfloat16 rounding of sums of about 30.
  tolerance = 0.02 if wanted.dtype.itemsize == 2 else 1e-4
  assert_same(given, wanted, tolerance)


def test_weak_types_and_numpy_inputs(rng):
  weak = jnp.full((3, 3), 2.0)
  assert weak.weak_type
  assert_same(jaxgemm.matmul(weak, weak), jnp.matmul(weak, weak))
  half = weak.astype(jnp.bfloat16)
  assert_same(jaxgemm.matmul(weak, half), jnp.matmul(weak, half))
  a, b = rng.standard_normal((2, 4, 4)).astype(np.float32)
  assert_same(jaxgemm.matmul(a, b), jnp.matmul(a, b))


@pytest.mark.parametrize("l_shape, r_shape, dimension_numbers", [
    ((5, 7), (7, 6), (((1,), (0,)), ((), ()))),
    ((7, 5), (6, 7), (((0,), (1,)), ((), ()))),
    ((2, 3, 7), (7, 4, 6), (((2,), (0,)), ((), ()))),
    ((2, 5, 7), (2, 6, 7), (((2,), (2,)), ((0,), (0,)))),
    ((5, 2, 7), (7, 2, 6), (((2,), (0,)), ((1,), (1,)))),
    ((5, 3, 4), (3, 4, 6), (((1, 2), (0, 1)), ((), ()))),
    ((5, 3, 4), (4, 6, 3), (((1, 2), (2, 0)), ((), ()))),
    ((2, 3, 4), (3, 5), (((1,), (0,)), ((), ()))),
    ((3,), (4,), (((), ()), ((), ()))),
    ((2, 3, 4, 5), (3, 5, 2, 6), (((3,), (1,)), ((0, 1), (2, 0)))),
])
def test_dot_general(rng, l_shape, r_shape, dimension_numbers):
  lhs, rhs = array(rng, *l_shape), array(rng, *r_shape)
  wanted = jax.lax.dot_general(lhs, rhs, dimension_numbers)
  assert_same(jaxgemm.dot_general(lhs, rhs, dimension_numbers), wanted)
  as_lists = jax.tree.map(int, dimension_numbers)
  as_lists = [[list(x) for x in pair] for pair in as_lists]
  assert_same(jaxgemm.dot_general(lhs, rhs, as_lists), wanted)


@pytest.mark.parametrize("activation", [None, *ACTIVATIONS])
@pytest.mark.parametrize("a_shape, b_shape, bias, scale", [
    ((5, 7), (7, 6), (6,), (6,)), ((5, 7), (7, 6), (6,), ()),
    ((2, 5, 7), (7, 6), (2, 6), (1,)), ((2, 5, 7), (2, 7, 6), (2, 6), (2, 1)),
    ((2, 3, 5, 7), (2, 3, 7, 6), (2, 3, 6), (6,)), ((7,), (7,), (), ()),
    ((2, 1, 5, 7), (3, 7, 6), (2, 3, 6), (2, 3, 6)),
])
def test_epilogue(rng, activation, a_shape, b_shape, bias, scale):
  a, b = array(rng, *a_shape), array(rng, *b_shape)
  options = dict(bias=array(rng, *bias), scale=array(rng, *scale),
                 activation=activation)
  wanted = jaxgemm.matmul(a, b, implementation="xla", **options)
  assert_same(jaxgemm.matmul(a, b, **options), wanted)
  if bias == (6,) and scale == (6,):
    z = options["scale"] * (a @ b) + options["bias"]
    by_hand = z if activation is None else getattr(jax.nn, activation)(z)
    assert_same(wanted, by_hand)


def test_operands_errors_are_jaxs_own(rng):
  a, b = array(rng, 5, 7), array(rng, 7, 6)
  for operands in ((a, a), (2.0, b), (a, array(rng, 2, 3, 6, 4)),
                   (array(rng, 2, 5, 7), array(rng, 3, 7, 6))):
    with pytest.raises((TypeError, ValueError)) as wanted:
      jnp.matmul(*operands)
    with pytest.raises(wanted.type) as given:
      jaxgemm.matmul(*operands)
    assert str(given.value) == str(wanted.value)
  with pytest.raises(TypeError, match="b is a list; an array is allowed"):
    jaxgemm.matmul(a, [1.0])


@pytest.mark.parametrize("options, words", [
    (dict(bias=np.ones(5)), ["bias has shape (5,)", "(6,)"]),
    (dict(scale=np.ones((2, 6))), ["scale has shape (2, 6)", "(6,)"]),
    (dict(bias=np.ones(6, np.complex64)), ["complex64", "real"]),
    (dict(activation="tanh"), ["'tanh'", "'gelu'"]),
    (dict(schedule="magic"), ["'magic'", "'stream_k'"]),
    (dict(reduction="magic"), ["'magic'", "'tree'"]),
    (dict(implementation="magic"), ["'magic'", "'xla'"]),
    (dict(reduction="atomic", deterministic=True), ["deterministic", "'tree'"]),
    (dict(schedule="stream_k", config=GemmConfig(schedule="persistent")),
     ["'stream_k'", "'persistent'", "Remove one"]),
    (dict(config=GemmConfig(tile_m=10**6)), ["tile_m=1000000", "allowed"]),
    (dict(config=GemmConfig(kernel="magic")), ["'magic'", "portable"]),
])
def test_bad_options_are_errors_while_tracing(rng, options, words):
  a, b = array(rng, 5, 7), array(rng, 7, 6)
  with pytest.raises(ValueError) as error:
    jax.eval_shape(lambda a, b: jaxgemm.matmul(a, b, **options), a, b)
  for word in words:
    assert word in str(error.value)


CALLS = {
    "matmul": jaxgemm.matmul,
    "explain": jaxgemm.explain,
    "dot_general": lambda a, b, **options: jaxgemm.dot_general(
        a, b, (((1,), (0,)), ((), ())), **options),
    "ragged_dot": lambda a, b, **options: jaxgemm.ragged_dot(
        a, b[None], jnp.array([5]), **options),
    "chunked_matmul": lambda a, b, **options: jaxgemm.chunked_matmul(
        a, b, jnp.ones(1, jnp.uint32), tiles_per_chunk_m=1, **options),
    "chunk_rows": lambda a, b, **options: jaxgemm.chunk_rows(
        a, b, tiles_per_chunk_m=1, **options),
}


@pytest.mark.parametrize("options, words", [
    (dict(activaton="relu"), "unexpected keyword argument 'activaton'"),
    (dict(config=dict(tile_m=64)), "config is a dict; a jaxgemm.GemmConfig is allowed"),
    (dict(scale="x"), "scale='x' was given; an array or a number is allowed"),
])
@pytest.mark.parametrize("function", CALLS)
def test_options_of_another_kind_are_named(rng, function, options, words):
  if function == "chunk_rows" and "scale" in options:
    return  # which does not depend on the values
  with pytest.raises(TypeError, match=words):
    CALLS[function](array(rng, 5, 7), array(rng, 7, 6), **options)


def test_names_may_be_of_any_type_to_be_refused(rng):
  a, b = array(rng, 5, 7), array(rng, 7, 6)
  for name in ("activation", "schedule", "reduction", "implementation"):
    for value in (["relu"], np.ones(2), jax.nn.relu):
      with pytest.raises(ValueError, match=f"{name}=.* is unknown; allowed are"):
        jaxgemm.matmul(a, b, **{name: value})
  with pytest.raises(ValueError, match=r"allowed is \(6,\)\. Reshape"):
    jaxgemm.matmul(a, b, bias=1.0)


def test_dir_has_the_public_names():
  assert {*jaxgemm.__all__} <= {*dir(jaxgemm)} <= {
      *jaxgemm.__all__, "__version__", "flax", "emulator", "maxtext"}


@pytest.mark.parametrize("fields", [
    dict(schedule="magic"), dict(reduction="magic"), dict(tile_m=0),
    dict(num_workgroups=-1), dict(tile_k=1.5), dict(group_m=True), dict(kernel=3),
    dict(partition="yes"),
])
def test_config_checks_its_fields(fields):
  with pytest.raises(ValueError, match=next(iter(fields))):
    GemmConfig(**fields)


def test_unsupported_operands(rng):
  a, b = (array(rng, 4, 4).astype(jnp.int32) for _ in range(2))
  supported, reason = jaxgemm.supports(a, b)
  assert not supported and "int32" in reason
  with pytest.raises(ValueError, match="int32"):
    jaxgemm.matmul(a, b, implementation="jaxgemm")
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    assert_same(jaxgemm.matmul(a, b, implementation="xla"), a @ b)
  c, d = a.astype(jnp.complex64), b.astype(jnp.complex64)
  with pytest.warns(UserWarning, match="complex64"):
    assert_same(jaxgemm.matmul(c, d), c @ d)
  with warnings.catch_warnings():
    warnings.simplefilter("error")  # one warning for one reason
    jaxgemm.matmul(c[:3], d)


def test_explain_supports_and_workspace():
  a = jax.ShapeDtypeStruct((512, 2048), jnp.bfloat16)
  b = jax.ShapeDtypeStruct((2048, 512), jnp.bfloat16)
  assert jaxgemm.supports(a, b) == (True, "")
  assert not jaxgemm.supports(a, b, config=GemmConfig(tile_m=10**6))[0]
  explanation = jaxgemm.explain(a, b, activation="relu", schedule="stream_k")
  data = explanation.data
  assert data["implementation"] == "jaxgemm" and data["schedule"] == "stream_k"
  assert data["relayouts"] == () == data["gradients"]["lhs"]
  size = jaxgemm.workspace_size(a, b, activation="relu", schedule="stream_k")
  assert size == data["workspace_bytes"] > 0
  assert data["kernel"] in str(explanation) and str(size) in str(explanation)
  # k lies between two dimensions of rhs, which are adjacent in the (smaller) result.
  middle = jax.ShapeDtypeStruct((3, 2048, 4), jnp.bfloat16)
  moved = jaxgemm.explain(
      a, middle, dimension_numbers=(((1,), (1,)), ((), ())))
  assert moved.data["relayouts"] == ("out",) and "out is transposed" in str(moved)
  # Each matrix of lhs is read in place, as one of a batch.
  free = jaxgemm.explain(
      middle, b, dimension_numbers=(((1,), (0,)), ((), ())))
  assert free.data["relayouts"] == ()
  assert jaxgemm.explain(a, b, implementation="xla").data["implementation"] == "xla"


def test_flax_linear(rng):
  from flax import nnx  # pylint: disable=import-outside-toplevel
  x = array(rng, 2, 3, 8)
  ours = nnx.Linear(8, 4, dot_general=jaxgemm.dot_general, rngs=nnx.Rngs(0))
  theirs = nnx.Linear(8, 4, rngs=nnx.Rngs(0))
  assert_same(ours(x), theirs(x))


def lowered_for(platform, **config):
  def product(a, b):
    return jaxgemm.matmul(a, b, config=jaxgemm.GemmConfig(**config))
  x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
  return jax.jit(product).trace(x, x).lower(lowering_platforms=(platform,))


@pytest.mark.parametrize("platform,config,what_to_do", [
    ("tpu", {}, "implementation='xla'"),
    ("rocm", {"kernel": "avx2"}, "leave kernel and tile out"),
    ("rocm", {"tile_m": 7}, "float32_256x256x32_rrr"),
])
def test_errors_of_the_lowering_say_what_to_do(platform, config, what_to_do):
  with pytest.raises(ValueError, match=what_to_do):
    lowered_for(platform, **config)


def test_sizes_may_be_numpy_integers_and_must_fit():
  assert jaxgemm.GemmConfig(tile_m=np.int64(8)) == jaxgemm.GemmConfig(tile_m=8)
  for wrong in (2**63, 0, -1, 1.5, True):
    with pytest.raises(ValueError, match="positive int"):
      jaxgemm.GemmConfig(num_shares=wrong)


def test_more_shares_than_k_tiles_are_refused():
  a, b = jnp.ones((37, 65)), jnp.ones((65, 50))
  with pytest.raises(ValueError, match="smaller tile_k"):
    jaxgemm.matmul(a, b, schedule="stream_k", config=jaxgemm.GemmConfig(num_shares=64))


def test_the_warning_names_the_callers_line():
  with pytest.warns(UserWarning, match="leaves this product to XLA") as caught:
    jaxgemm.matmul(jnp.ones((3, 4), jnp.uint16), jnp.ones((4, 5), jnp.uint16))
  assert caught[0].filename == __file__


@pytest.mark.parametrize("size", [1.0, 1e30, 1e-30])
def test_parts_of_tf32_hold_float32(rng, size):
  def tf32(x):  # rounds to the nearest, ties to even
    bits = np.asarray(x).view(np.uint32).astype(np.uint64)
    bits = (bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)

  a = (rng.standard_normal((70, 300)) * size).astype(np.float32)
  b = rng.standard_normal((300, 50)).astype(np.float32)
  want = a.astype(np.float64) @ b
  error = lambda out: np.abs(out - want).max() / np.abs(want).max()
  assert error(tf32(a) @ tf32(b)) > 1e-5
  parts = split_in_three(a, 1, True), split_in_three(b, 0, False)
  assert error(tf32(parts[0]) @ tf32(parts[1])) < 1e-6


@pytest.mark.parametrize("layout", [(1, 0), (1, 1), (0, 0), (0, 1)])
def test_a_high_precision_is_one_product_of_three_times_k_on_nvidia(layout):
  shapes = [(512, 96), (96, 128)]
  lhs, rhs = (jax.ShapeDtypeStruct(shape if at == wanted else shape[::-1], jnp.float32)
              for shape, at, wanted in zip(shapes, layout, (1, 0)))

  def text(precision):
    return jax.jit(lambda lhs, rhs: jaxgemm.dot_general(
        lhs, rhs, (((layout[0],), (layout[1],)), ((), ())), precision,
        implementation="jaxgemm")).trace(lhs, rhs).lower(
            lowering_platforms=("cuda",)).as_text()

  def operand(shape):
    return "x".join(map(str, shape))

  call, = (x for x in text("high").splitlines() if "@jaxgemm_gemm" in x)
  # Kernels for float32 read operands whose last dimension is k; the split transposes the others.
  tripled = [[n for n in x.shape if n != 96] + [3 * 96] for x in (lhs, rhs)]
  assert (f"(tensor<{operand(tripled[0])}xf32>, tensor<{operand(tripled[1])}xf32>)"
          in call)
  assert "concatenate" not in text(None)


def test_an_algorithm_of_xla_is_not_supported():
  x = jax.ShapeDtypeStruct((8, 8), jnp.float32)
  for name in ("BF16_BF16_F32", jax.lax.DotAlgorithmPreset.BF16_BF16_F32):
    supported, reason = jaxgemm.supports(x, x, precision=name)
    assert not supported and "names an algorithm of XLA" in reason


def test_the_highest_precision_goes_to_xla_on_nvidia(monkeypatch):
  monkeypatch.setattr(_ffi, "default_platform", lambda: "cuda")
  monkeypatch.setattr(_ffi, "platforms", lambda: ("cpu", "cuda"))
  monkeypatch.setattr(_ffi, "_local_arch", {"cuda": "sm90"}.get)
  monkeypatch.setattr(_ffi, "built_kernels", lambda target: frozenset(
      name for arch, name in _ffi.NAMES["gpu_kernels"] if arch == target))
  _ffi.native_plan.cache_clear()
  x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
  for precision, supported in ((None, True), ("tensorfloat32", True), ("high", True),
                               ("highest", False), (jax.lax.Precision.HIGHEST, False),
                               ("float32", False)):
    assert jaxgemm.supports(x, x, precision=precision)[0] == supported
  sizes = jax.ShapeDtypeStruct((1,), jnp.int32)
  experts = jax.ShapeDtypeStruct((1, 64, 64), jnp.float32)
  for precision, supported in (("tensorfloat32", True), ("high", False)):
    assert jaxgemm.supports(
        x, experts, group_sizes=sizes, precision=precision)[0] == supported
  _ffi.native_plan.cache_clear()
