"""Results, arguments and errors that a user of jax expects."""

import os
import re
import subprocess
import sys

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from jaxgemm.call.precision import precision_error

Preset = lax.DotAlgorithmPreset
PLAIN = (((1,), (0,)), ((), ()))
ACTIVATIONS = {"gelu": jax.nn.gelu, "silu": jax.nn.silu}


def shape(*dims, dtype="float32"):
  return jax.ShapeDtypeStruct(dims, dtype)


def array(rng, *dims, dtype="float32"):
  return jnp.asarray(rng.standard_normal(dims), dtype)


def same(given, wanted):
  assert (given.shape, given.dtype) == (wanted.shape, wanted.dtype)
  np.testing.assert_array_equal(
      np.asarray(given).astype(np.float64), np.asarray(wanted).astype(np.float64))


@pytest.mark.parametrize("dtype, wide", [
    ("bfloat16", "float32"), ("int8", "int32"), ("uint8", "int32"),
    ("uint8", "float32"), ("int8", "float32"), ("float8_e4m3fn", "float32")])
@pytest.mark.parametrize("implementation", ["xla", None])
def test_a_wide_result_has_wide_accumulators(rng, dtype, wide, implementation):
  a = jnp.asarray(rng.integers(50, 100, (4, 64)), dtype)
  options = dict(preferred_element_type=wide, implementation=implementation)
  exact = np.asarray(a, np.float64) @ np.asarray(a, np.float64).T
  for given in (jaxgemm.matmul(a, a.T, **options),
                jaxgemm.dot_general(a, a.T, PLAIN, **options),
                jaxgemm.ragged_dot(a, a.T[None], jnp.array([4]), **options)):
    assert given.dtype == wide
    np.testing.assert_allclose(np.asarray(given, np.float64), exact, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "bfloat16", "float16"])
def test_the_epilogue_of_a_narrow_result_is_the_same_by_xla(rng, dtype):
  a, b = array(rng, 5, 8, dtype=dtype), array(rng, 8, 6, dtype=dtype)
  options = dict(scale=0.5, bias=jnp.ones(6), activation="relu")
  by_xla = jaxgemm.matmul(a, b, implementation="xla", **options)
  same(jaxgemm.matmul(a, b, implementation="jaxgemm", **options), by_xla)
  grouped = jaxgemm.ragged_dot(
      a, b[None], jnp.array([5]), implementation="xla", **options)
  same(grouped, by_xla)


def test_int8_products_that_may_exceed_int32_go_to_xla():
  a = jnp.full((1, 2**17), -128, jnp.int8)
  wanted = jnp.matmul(a, a.T, preferred_element_type=jnp.float32)
  assert wanted == 2.0**31
  sizes = jnp.array([1])
  for grouped in (False, True):
    def product(**options):
      options |= dict(preferred_element_type=jnp.float32)
      if grouped:
        return jaxgemm.ragged_dot(a, a.T[None], sizes, **options)
      return jaxgemm.matmul(a, a.T, **options)

    same(product(), wanted)
    with pytest.raises(ValueError, match="may not fit int32.*at most 131071"):
      product(implementation="jaxgemm")
  same(jaxgemm.matmul(a[:, 1:], a.T[1:], preferred_element_type=jnp.float32,
                      implementation="jaxgemm"), wanted - 2**14)
  # In an int32 result the sum wraps, as in jax.
  options = dict(preferred_element_type=jnp.int32)
  same(jaxgemm.matmul(a, a.T, implementation="jaxgemm", **options),
       jnp.matmul(a, a.T, **options))


@pytest.mark.parametrize("a_shape, b_shape", [
    pytest.param((5, 7), (7, 5), marks=pytest.mark.whole), ((3, 5, 7), (7, 5)), ((5, 7), (7,)),
    pytest.param((2, 3, 5, 7), (3, 7, 5), marks=pytest.mark.whole)])
def test_a_scale_for_each_row(rng, a_shape, b_shape):
  a, b = array(rng, *a_shape), array(rng, *b_shape)
  out = a @ b
  rows = out.shape[:-1] + (1,) if b.ndim > 1 else out.shape
  scale = array(rng, *rows)

  def ours(a, b, scale):
    return jaxgemm.matmul(a, b, scale=scale, activation="silu")

  def theirs(a, b, scale):
    return jax.nn.silu(scale * (a @ b))

  np.testing.assert_allclose(
      ours(a, b, scale), theirs(a, b, scale), rtol=1e-5, atol=1e-5)
  grads = (jax.grad(lambda *x: (f(*x) ** 2).sum(), (0, 1, 2)) for f in (ours, theirs))
  for x, y in zip(*(grad(a, b, scale) for grad in grads)):
    np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)


def test_a_vector_is_a_scale_for_each_column_as_in_a_broadcast(rng):
  a, b, scale = array(rng, 5, 7), array(rng, 7, 5), array(rng, 5)
  np.testing.assert_allclose(
      jaxgemm.matmul(a, b, scale=scale), a @ b * scale, rtol=1e-5, atol=1e-5)
  with pytest.raises(ValueError, match=r"\(5, 1\) for one value per row"):
    jaxgemm.matmul(a, b[:, :4], scale=scale)
  said = str(jaxgemm.explain(a, b, scale=scale[:, None]))
  assert "outside the kernel" not in said


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float32"])
def test_the_sign_of_a_zero_is_kept(dtype):
  # With k = 1 the result is one product, not a sum that begins with +0.
  zero, one = jnp.full((3, 1), -0.0, dtype), jnp.ones((1, 4), dtype)
  for preferred in (dtype, "float32"):
    given = jaxgemm.matmul(zero, one, preferred_element_type=preferred)
    wanted = jnp.matmul(zero, one, preferred_element_type=preferred)
    assert np.signbit(np.asarray(wanted).astype(np.float32)).all()
    assert np.signbit(np.asarray(given).astype(np.float32)).all()
  data = jaxgemm.explain(zero, one).data
  assert data["implementation"] == "xla" and "k is 1" in data["reasons"][0]
  assert jaxgemm.supports(zero, one) == (True, "")
  # A sum that is rounded to zero keeps its sign, and sums of zeros are as in jax.
  for a in (jnp.full((3, 8), -1e-12), jnp.full((3, 8), -0.0)):
    sums = jnp.matmul(a, jnp.full((8, 4), 1e-12))
    given = jaxgemm.matmul(a, jnp.full((8, 4), 1e-12), preferred_element_type=dtype)
    np.testing.assert_array_equal(
        *(np.signbit(np.asarray(x).astype(np.float32)) for x in (given, sums)))


@pytest.mark.parametrize("implementation", [None, "xla"])
def test_functions_work_without_jit(rng, implementation):
  a, b = (rng.standard_normal(dims).astype(np.float32) for dims in ((5, 7), (7, 6)))
  sizes = np.array([2, 3])
  experts = np.stack([b, -b])
  options = dict(implementation=implementation)
  functions = (
      lambda a, b: jaxgemm.matmul(a, b, scale=2.0, activation="silu", **options),
      lambda a, b: jaxgemm.dot_general(a, b, PLAIN, **options),
      lambda a, b: jaxgemm.ragged_dot(a, jnp.stack([b, -b]), sizes, **options))
  for function in functions:
    def loss(a, b):
      return (function(a, b) ** 2).sum()
    results = [jax.jit(jax.value_and_grad(loss, (0, 1)))(a, b)]
    with jax.disable_jit():
      results.append(jax.value_and_grad(loss, (0, 1))(a, b))
    for x, y in zip(*map(jax.tree.leaves, results)):
      np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-4)
  with jax.disable_jit():
    # numpy's float64 is allowed, too.
    assert jaxgemm.matmul(a.astype(np.float64), b, **options).dtype == jnp.float32
    assert jaxgemm.ragged_dot(a, experts, sizes, **options).shape == (5, 6)
    assert jaxgemm.dot_general(2.0, 3.0, (((), ()), ((), ())), **options) == 6


@pytest.mark.parametrize("implementation", [None, "jaxgemm", "xla"])
def test_derivatives_of_products_of_numbers(implementation):
  def product(x, y):
    return jaxgemm.dot_general(
        x, y, (((), ()), ((), ())), implementation=implementation)
  for function, second in ((lambda x: product(x, 3.0), 0),
                           (lambda x: product(product(x, x), x), 12)):
    for twice in (jax.hessian, lambda f: jax.jacrev(jax.jacrev(f))):
      assert twice(function)(2.0) == second
    np.testing.assert_array_equal(
        jax.vmap(jax.hessian(function))(jnp.full(3, 2.0)), [second] * 3)


@pytest.mark.parametrize("numbers", [
    ((range(1, 2), range(1)), ((), ())), ((1, 0), ((), ())),
    ((np.array([1]), np.array([0])), (np.array([], int), ())),
    (((np.int64(1),), (np.int8(0),)), ((), ())), [[[1], [0]], [[], []]]])
def test_dimension_numbers_of_any_kind(rng, numbers):
  a, b = array(rng, 5, 7), array(rng, 7, 6)
  wanted = lax.dot_general(a, b, numbers)
  np.testing.assert_allclose(jaxgemm.dot_general(a, b, numbers), wanted, rtol=1e-5,
                             atol=1e-5)
  assert jaxgemm.supports(a, b, dimension_numbers=numbers) == (True, "")


@pytest.mark.parametrize("numbers", [
    (((0.9,), (0,)), ((), ())), (((1.0,), (0.0,)), ((), ())),
    ((("a",), ("b",)), ((), ())),
    ((1.0, 0), ((), ())), (1, 0), np.zeros((1, 2, 1), int), (((-1,), (0,)), ((), ())),
    (((2,), (0,)), ((), ()))])
def test_errors_of_dimension_numbers_are_jaxs_own(rng, numbers):
  a = array(rng, 5, 5)
  with pytest.raises((TypeError, ValueError)) as wanted:
    lax.dot_general(a, a, numbers)
  with pytest.raises(wanted.type):
    jaxgemm.dot_general(a, a, numbers)


def test_precision_as_a_list(rng):
  a, b = array(rng, 5, 7), array(rng, 7, 6)
  wanted = lax.dot_general(a, b, PLAIN, precision=["high", "highest"])
  for given in (
      jaxgemm.dot_general(a, b, PLAIN, precision=["high", "highest"]),
      jaxgemm.ragged_dot(a, b[None], jnp.array([5]), precision=["high", "highest"])):
    np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-5)


F32, BF16, F16, F8 = "float32", "bfloat16", "float16", "float8_e4m3fn"


@pytest.mark.parametrize("precision, dtype, computing", [
    (Preset.DEFAULT, F32, "cpu gfx950 sm90"), (Preset.DEFAULT, BF16, "cpu gfx950 sm90"),
    ("F32_F32_F32", F32, "cpu gfx950"), ("F32_F32_F32", BF16, "cpu gfx950 sm90"),
    (lax.DotAlgorithm(np.float32, np.float32, np.float32), F32, "cpu gfx950"),
    ("BF16_BF16_F32", BF16, "cpu gfx950 sm90"), ("BF16_BF16_F32", F8, "cpu gfx950 sm90"),
    ("BF16_BF16_F32", F32, ""), ("BF16_BF16_F32", F16, ""),
    (lax.DotAlgorithm(jnp.bfloat16, jnp.bfloat16, np.float32), BF16,
     "cpu gfx950 sm90"),
    ("F16_F16_F32", F16, "cpu gfx950 sm90"), ("F16_F16_F16", F16, ""),
    ("BF16_BF16_BF16", BF16, ""), ("BF16_BF16_F32_X3", F32, ""),
    ("TF32_TF32_F32", F32, "sm90"), ("TF32_TF32_F32_X3", F32, "sm90"),
    ("TF32_TF32_F32", BF16, ""), ("F64_F64_F64", F32, ""),
    ("ANY_F8_ANY_F8_F32", F8, "cpu gfx950"), ("ANY_F8_ANY_F8_F32", BF16, ""),
    ("ANY_F8_ANY_F8_F32_FAST_ACCUM", F8, "cpu gfx950 sm90")])
@pytest.mark.parametrize("as_default", [False, True])
def test_algorithms_are_left_to_xla_or_computed(precision, dtype, computing, as_default):
  x = shape(64, 64, dtype=dtype)
  if as_default and not isinstance(precision, str):
    return
  with jax.default_matmul_precision(precision if as_default else None):
    given = None if as_default else precision
    for target in ("cpu", "gfx950", "sm90"):
      error = precision_error(given, x, x, jnp.dtype(F32), target, splits=True)
      assert (error is None) == (target in computing.split()), error
    supported, reason = jaxgemm.supports(x, x, precision=given)
    assert supported == ("cpu" in computing)
    assert supported or "names an algorithm of XLA" in reason
    assert as_default == ("jax_default_matmul_precision" in reason) or supported


def test_three_passes_of_tf32_by_the_name_of_the_algorithm():
  def text(**options):
    x = shape(64, 64)
    product = lambda x, y: jaxgemm.matmul(x, y, **options)  # new each time
    return jax.jit(product).trace(x, x).lower(lowering_platforms=("cuda",)).as_text()
  assert "concatenate" not in text(implementation="jaxgemm")
  assert "concatenate" in text(precision="high")
  with jax.default_matmul_precision("high"):
    assert "concatenate" in text(implementation="jaxgemm")


@pytest.mark.parametrize("rows", [2**31, 2**62, 2**63, 2**64, 2**70])
@pytest.mark.parametrize("implementation", [None, "jaxgemm", "xla"])
def test_dimensions_that_do_not_fit_integers_are_refused(rows, implementation):
  options = dict(implementation=implementation)
  a, b, experts = shape(rows, 4), shape(4, 8), shape(2, 4, 8)
  supported, reason = jaxgemm.supports(a, b, **options)
  assert supported == (rows == 2**31) and (supported or "Split the product" in reason)
  if supported or implementation == "xla":
    jaxgemm.explain(a, b, **options)
  else:
    with pytest.raises(ValueError, match="Split the product"):
      jaxgemm.explain(a, b, **options)
  for dtype in (jnp.int32, jnp.uint32, jnp.int8):
    sizes = shape(2, dtype=dtype)
    supported, reason = jaxgemm.supports(a, experts, group_sizes=sizes, **options)
    assert not supported and "Split the product" in reason
    with pytest.raises(ValueError, match="Split the product"):
      jax.eval_shape(lambda *x: jaxgemm.ragged_dot(*x, **options), a, experts, sizes)


@pytest.mark.parametrize("options, words", [
    (dict(config="stream_k"), "GemmConfig is allowed"),
    (dict(deterministic=1), "True and False"), (dict(activation="tanh"), "'tanh'"),
    (dict(bias=np.ones(5)), "bias has shape"), (dict(schedule="magic"), "'magic'"),
    (dict(config=GemmConfig(tile_m=10**6)), "tile_m")])
def test_supports_says_what_is_wrong(options, words):
  a, b, sizes = shape(4, 8), shape(8, 6), shape(1, dtype="int32")
  for call in ((a, b), (a, shape(1, 8, 6))):
    grouped = {} if call[1] is b else dict(group_sizes=sizes)
    supported, reason = jaxgemm.supports(*call, **options, **grouped)
    assert not supported and words in reason


def test_supports_converts_arguments_as_the_call_does():
  # jax converts float64 to float32, and so do jaxgemm's functions.
  wide = np.ones((4, 4))
  assert jaxgemm.supports(wide, wide) == (True, "")
  with pytest.raises(TypeError, match="contracting dimensions"):
    jaxgemm.supports(shape(4, 8), shape(4, 8))
  with pytest.raises(TypeError, match="unexpected keyword argument"):
    jaxgemm.supports(wide, wide, biass=wide)


def test_explain_shows_gradients_on_request():
  a = shape(257, 257)
  assert "gradient" not in str(jaxgemm.explain(a, a))
  assert jaxgemm.explain(a, a).data["gradients"] == {"lhs": (), "rhs": ()}
  said = str(jaxgemm.explain(a, a, activation="silu", gradients=True))
  assert "the gradient of rhs reads arrays in other layouts" in said
  assert "the value before the activation is saved" in said
  said = str(jaxgemm.explain(a, a, schedule="stream_k"))
  assert "k=257 is too short for the" in said and "whole rounds" not in said
  config = GemmConfig(num_workgroups=3, tile_m=96, tile_n=128)
  said = str(jaxgemm.explain(a, a, schedule="stream_k", config=config))
  assert "the tiles fill whole rounds of 3 workgroups" in said


def test_the_rocm_architecture_is_read_once(monkeypatch):
  code = """if True:
    import os
    import jax, jax.numpy as jnp, jaxgemm
    x = jax.ShapeDtypeStruct((64, 64), jnp.bfloat16)
    jaxgemm.explain(x, x)  # a plan for the CPU does not read it
    os.environ["JAXGEMM_ROCM_ARCH"] = "gfx950"  # after the import, before the first use
    def lower(f):
      return jax.jit(f).trace(x, x).lower(lowering_platforms=("rocm",)).as_text()
    assert 'target = "gfx950"' in lower(lambda a, b: jaxgemm.matmul(a, b))
    os.environ["JAXGEMM_ROCM_ARCH"] = "gfx942"
    try:
      lower(lambda a, b: jaxgemm.matmul(a, b))
    except ValueError as error:
      assert "is 'gfx942', and was 'gfx950'" in str(error), error
    else:
      raise AssertionError("no error")
  """
  env = {k: v for k, v in os.environ.items() if k != "JAXGEMM_ROCM_ARCH"}
  subprocess.run([sys.executable, "-c", code], check=True, env=env)


def test_checkpoint_policies_save_products(rng):
  # jax's policies match only jax's own primitives. A checkpoint name works, and so does
  # a policy that matches jaxgemm's primitives.
  a, b = array(rng, 8, 8), array(rng, 8, 8)
  policies = jax.checkpoint_policies

  def products(policy, named=False):
    def layer(a, b):
      out = jaxgemm.matmul(a, b)
      return jnp.sin(checkpoint_name(out, "product") if named else out).sum()
    grad = jax.grad(jax.checkpoint(layer, policy=policy))
    text = str(jax.make_jaxpr(grad)(a, b))
    return text.count("= jaxgemm_contract[")

  assert products(policies.dots_saveable) == 3
  assert products(policies.save_only_these_names("product"), named=True) == 2
  ours = lambda prim, *_, **__: prim.name.startswith("jaxgemm")
  both = policies.save_from_both_policies(policies.dots_saveable, ours)
  assert products(both) == 2


@pytest.mark.parametrize("activation", [None, "gelu", "silu"])
@pytest.mark.parametrize("with_scale", [False, True])
def test_xla_gets_the_program_that_a_user_would_write(activation, with_scale):
  """What is left to XLA costs what XLA makes of the product without jaxgemm."""
  shapes = [jax.ShapeDtypeStruct(*x) for x in (
      ((48, 64), jnp.bfloat16), ((64, 80), jnp.bfloat16), ((80,), jnp.bfloat16),
      ((80,), jnp.float32), ((48, 80), jnp.bfloat16))]

  def ours(a, b, bias, scale, cotangent):
    y, back = jax.vjp(lambda a, b, bias: jaxgemm.matmul(
        a, b, bias=bias, scale=scale if with_scale else None, activation=activation,
        implementation="xla"), a, b, bias)
    return y, *back(cotangent)

  def written(a, b, bias, scale, cotangent):
    def product(a, b, bias):
      y = jnp.matmul(a, b, preferred_element_type=jnp.float32)
      y = y * scale if with_scale else y
      y = y + bias.astype(jnp.float32)
      return ACTIVATIONS.get(activation, lambda x: x)(y).astype(jnp.bfloat16)
    y, back = jax.vjp(product, a, b, bias)
    return y, *back(cotangent)

  ours_text, written_text = (
      re.sub(r"@\w+", "", jax.jit(fun).lower(*shapes).as_text()) for fun in (ours, written))
  assert ours_text == written_text
