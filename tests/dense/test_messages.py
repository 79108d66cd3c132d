"""Errors of easy mistakes say what was given, what is allowed and what to do."""

import functools

from flax import nnx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi, fp8, megablox, qarray
from jaxgemm.flax import Mlp, MoEParams, linen, moe
from jaxgemm.flax.nnx import MoE

X, W = np.ones((64, 32), np.float32), np.ones((32, 16), np.float32)
EXPERTS = np.ones((4, 32, 16), np.float32)
SIZES = np.array([10, 0, 30, 20])


@pytest.mark.parametrize("given, words", [
    (dict(activation="ReLU"), "activation='ReLU' is unknown.* Did you mean 'relu'"),
    (dict(activation="none"), "activation='none' is unknown.* Pass None"),
    (dict(schedule="streamk"), "Did you mean 'stream_k'"),
    (dict(implementation="jaxgem"), "Did you mean 'jaxgemm'"),
    (dict(bias=np.ones((1, 16), np.float32)), r"Pass bias.reshape\(\(16,\)\)"),
    (dict(bias=np.ones((64, 16), np.float32)), "Reshape it: one value per column"),
    (dict(scale=np.ones((64, 16), np.float32)), "pass scale_lhs and scale_rhs"),
    (dict(scale=(np.ones((64, 1)), np.ones((1, 16)))),
     r"scale is a tuple of float64\[64, 1\], float64\[1, 16\]; one array is .* pass scale_lhs and"),
    (dict(bias=[np.ones(16, np.float32), None]),
     r"bias is a list of float32\[16\], NoneType; one array is allowed, or None. Pass one array"),
    (dict(precision=np.zeros(2)), r"precision=array\(\[0., 0.\]\) was given; a name, a jax.lax"),
    (dict(out_sharding={}), "out_sharding={} was given; a jax.sharding.NamedSharding or Part"),
    (dict(scale=2**62), "scale=4611686018427387904 was given; an array or a number is allowed"),
    (dict(preferred_element_type=0), "preferred_element_type=0 was given; a dtype is allowed"),
    (dict(bias=(1, [2])), r"bias=\(1, \[2\]\) was given; an array or a number is allowed"),
])
def test_options_of_a_product(given, words):
  with pytest.raises((TypeError, ValueError), match=words):
    jaxgemm.matmul(X, W, **given)


def test_the_error_of_an_operand_names_all_types_of_operands():
  error = _ffi.native.operands_error("int32", "float32", "cpu")
  allowed = error.split("; allowed are ")[1].removesuffix(".")
  assert set(allowed.split()) == {dtype.name for dtype in _ffi.OPERAND_DTYPES}


def test_sizes_have_64_bits():
  with pytest.raises(ValueError, match=f"chunk_rows={2**70}; an int of 64 bits is allowed"):
    jax.jit(lambda x: jaxgemm.overlap(x, lambda data, signals: data, chunk_rows=2**70))(X)


@pytest.mark.parametrize("function", [
    jaxgemm.supports, functools.partial(jaxgemm.explain, group_sizes=SIZES)])
def test_dtypes_of_what_is_explained(function):
  rhs = EXPERTS if isinstance(function, functools.partial) else W
  with pytest.raises(TypeError, match="preferred_element_type=0 was given; a dtype is allowed"):
    function(X, rhs, preferred_element_type=0)


NUMBERS = (((1,), (0,)), ((), ()))
PARAMS = MoEParams(np.ones((32, 4), np.float32), Mlp(
    np.ones((4, 16, 32), np.float32), np.ones((4, 32, 2, 16), np.float32)))

NNX = functools.partial(MoE, features=32, hidden_features=16, num_experts=4, rngs=nnx.Rngs(0))
LINEN = functools.partial(linen.MoE, hidden_features=16, num_experts=4)


@pytest.mark.parametrize("name, function", [
    ("preferred_element_type", lambda **options: fp8.dot_general(X, W, NUMBERS, **options)),
    ("preferred_element_type", lambda **options: fp8.ragged_dot(X, EXPERTS, SIZES, **options)),
    ("preferred_element_type", lambda **options: qarray.dot_general(X, W, NUMBERS, **options)),
    ("preferred_element_type", lambda **options: megablox.gmm(X, EXPERTS, SIZES, **options)),
    ("preferred_element_type", lambda **options: megablox.tgmm(X.T, X, SIZES, **options)),
    ("dtype", lambda **options: moe(X, PARAMS, top_k=2, **options)),
    ("dtype", NNX),
    ("param_dtype", NNX),
    ("dtype", lambda **options: LINEN(**options).init(jax.random.key(0), X)),
    ("param_dtype", lambda **options: LINEN(**options).init(jax.random.key(0), X)),
])
def test_what_is_no_dtype_is_named(name, function):
  with pytest.raises(TypeError, match=f"^{name}='x' was given; a dtype is allowed"):
    function(**{name: "x"})


@pytest.mark.parametrize("value", [["x"], {"x": 1}, np.zeros(3), 3, "x"])
@pytest.mark.parametrize("name, function", [
    ("recipe", lambda **options: fp8.dot_general(X, W, NUMBERS, **options)),
    ("recipe", lambda **options: fp8.ragged_dot(X, EXPERTS, SIZES, **options)),
    ("ragged", functools.partial(jaxgemm.scaled_ragged_dot, X, EXPERTS, SIZES, X, EXPERTS)),
    ("kind", lambda **options: jaxgemm.quantize(X, **options)),
    *((name, lambda **options: moe(X, PARAMS, top_k=2, **options))
      for name in ("recipe", "dispatch", "activation", "router_scores")),
])
def test_what_is_no_name_of_a_choice_is_named(name, value, function):
  with pytest.raises((TypeError, ValueError), match=f"^{name}="):
    function(**{name: value})


def test_arrays_in_the_place_of_names():
  with pytest.raises(ValueError, match="partition=array.* is not allowed; True, False and None"):
    jaxgemm.GemmConfig(partition=np.zeros(3))
  with pytest.raises(ValueError, match="kind=array.* is unknown"):
    jaxgemm.quantize(X, np.zeros(3))


def test_what_cannot_be_hashed_is_named():
  numbers = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
  with pytest.raises(TypeError, match=r"num_local_groups=\[0\] was given; an int is allowed"):
    jaxgemm.ragged_dot_general(X, X, SIZES, numbers, num_local_groups=[0])
  with pytest.raises(TypeError, match="preferred_element_type=3 was given; a dtype is allowed"):
    jaxgemm.scaled_matmul(EXPERTS, EXPERTS, *[np.ones((4, 32, 1), np.float32)] * 2,
                          preferred_element_type=3)


def test_dimension_numbers_of_groups():
  with pytest.raises(TypeError, match="ragged_dot_dimension_numbers='x' was given; a jax.lax.Rag"):
    jaxgemm.ragged_dot_general(X, EXPERTS, SIZES, "x")


def test_a_vector_has_no_columns():
  with pytest.raises(ValueError, match="no columns, so there is one bias: pass a number"):
    jaxgemm.matmul(X, W[:, 0], bias=np.ones(1, np.float32))


def test_dimension_numbers_are_those_of_jax():
  for rhs in (W, W[:, 0]):
    np.testing.assert_allclose(jaxgemm.dot_general(X, rhs, None), X @ rhs)
    assert jaxgemm.supports(X, rhs, dimension_numbers=None) == (True, "")
  with pytest.raises(ValueError, match="dimension_numbers must be specified"):
    jaxgemm.dot_general(X, EXPERTS, None)
  for wrong in (((1,), (0,)), 3, (((1,), (0,)),)):
    with pytest.raises((TypeError, ValueError), match=r"Pass \(\(\(1,\), \(0,\)\), \("):
      jaxgemm.dot_general(X, W, wrong)


@pytest.mark.parametrize("function", [
    jaxgemm.explain, jaxgemm.supports, jaxgemm.workspace_size])
@pytest.mark.parametrize("given, meant", [
    (dict(activaton="relu"), "activation"), (dict(batch_sizes=SIZES), None)])
def test_explain_knows_its_arguments(function, given, meant):
  with pytest.raises(TypeError, match=f"unexpected keyword argument '{list(given)[0]}'") as error:
    function(X, W, **given)
  assert meant is None or f"Did you mean '{meant}'" in str(error.value)


def test_explain_says_what_grad_may_mean():
  with pytest.raises(TypeError, match="Did you mean 'gradients'"):
    jaxgemm.explain(X, W, grad=True)


def test_explain_has_the_batch():
  batches = jaxgemm.explain(np.ones((5, 64, 32), np.float32), np.ones((5, 32, 16), np.float32))
  assert batches.data["batch"] == 5 and "\nbatches: 5\n" in str(batches)
  assert "batches" not in str(jaxgemm.explain(X, W, implementation="jaxgemm"))


@pytest.mark.parametrize("function", [jaxgemm.ragged_dot, jax.jit(jaxgemm.ragged_dot)])
def test_numbers_of_groups(function):
  with pytest.raises(TypeError, match="size to be 4, got 2: .* group_offset=jnp"):
    function(X, EXPERTS[:2], SIZES)
  with pytest.raises(TypeError, match=r"lhs has shape \(1, 64, 32\); \(M, K\) is allowed"):
    function(X[None], EXPERTS, SIZES)


def test_a_layer_of_experts():
  options = dict(features=32, hidden_features=8, num_experts=4)
  with pytest.raises(TypeError, match="rngs=None was given; .* Pass rngs=nnx.Rngs"):
    MoE(**options, rngs=None)
  with pytest.raises(ValueError, match="Did you mean 'gelu'"):
    MoE(**options, activation="GELU", rngs=nnx.Rngs(0))
  layer = MoE(**options, expert_axis_name=3, rngs=nnx.Rngs(0))
  with pytest.raises(TypeError, match="expert_axis_name=3 was given; the name of a mesh axis"):
    layer(X)


def test_chunks_of_another_size():
  consumer = lambda data, signals: jaxgemm.chunked_matmul(  # pylint: disable=g-long-lambda-assignment
      data, W, signals, tiles_per_chunk_m=2, config=jaxgemm.GemmConfig(tile_m=16))
  with pytest.raises(ValueError, match="chunk_signals has 4 signals; .* Pass chunk_rows=32"):
    jaxgemm.overlap(X, consumer, chunk_rows=16)


def test_chunks_without_jit():
  with jax.disable_jit(), pytest.raises(ValueError, match="JAX_DISABLE_JIT .* is set"):
    jaxgemm.overlap(jnp.asarray(X), lambda data, signals: jaxgemm.chunked_matmul(
        data, W, signals, tiles_per_chunk_m=2), chunk_rows=32)
