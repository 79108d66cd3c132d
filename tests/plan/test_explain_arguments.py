"""explain, supports and workspace_size take the arguments of the call, as the call does."""

import functools

import jax
import jax.numpy as jnp
import pytest

import jaxgemm

S = jax.ShapeDtypeStruct
F32, F8 = jnp.float32, jnp.float8_e4m3fn
DENSE = (((1,), (0,)), ((), ()))
GROUPS = jax.lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0])
X, W, EXPERTS = S((24, 16), F32), S((16, 32), F32), S((4, 16, 32), F32)
SIZES = S((4,), jnp.int32)
CASES = {
    "dot_general": (jaxgemm.dot_general, (X, W, DENSE), {}),
    "with precision": (jaxgemm.dot_general, (X, W, DENSE, "highest", F32), {}),
    "ragged_dot": (jaxgemm.ragged_dot, (X, EXPERTS, SIZES), {}),
    "with an offset": (jaxgemm.ragged_dot, (X, EXPERTS, S((8,), jnp.int32), None, F32,
                                            S((1,), jnp.int32)), {}),
    "ragged_dot_general": (jaxgemm.ragged_dot_general, (X, EXPERTS, SIZES, GROUPS), {}),
    "by name": (jaxgemm.ragged_dot_general, (X, EXPERTS, SIZES),
                {"ragged_dot_dimension_numbers": GROUPS}),
    "scaled_matmul": (jaxgemm.scaled_matmul, (S((1, 128, 256), F8), S((1, 64, 256), F8),
                                              S((1, 128, 2), F32), S((1, 64, 2), F32)), {}),
    "scaled_ragged_dot": (
        jaxgemm.scaled_ragged_dot, (S((64, 256), F8), S((4, 128, 256), F8), SIZES,
                                    S((64, 2), F32), S((4, 128, 2), F32)), {}),
    "chunked_matmul": (jaxgemm.chunked_matmul, (X, W, S((1,), jnp.uint32)),
                       {"tiles_per_chunk_m": 1}),
}


@pytest.mark.parametrize("case", CASES)
def test_arguments_without_names(case):
  function, args, options = CASES[case]
  wanted, = jaxgemm.explain(functools.partial(function, **options), *args).data["calls"]
  data = jaxgemm.explain(*args, **options).data
  assert data["implementation"] == wanted["implementation"]
  for name in data.keys() & {"kernel", "tile", "tiles", "ragged", "groups", "workspace_bytes"}:
    assert data[name] == wanted[name], name
  supported, why = jaxgemm.supports(*args, **options)
  assert supported or "highest" in str(args), why
  assert jaxgemm.workspace_size(*args, **options) == wanted.get("workspace_bytes", 0)


def test_operands_have_the_names_of_the_call():
  by_place = jaxgemm.explain(X, EXPERTS, SIZES).data
  assert jaxgemm.explain(lhs=X, rhs=EXPERTS, group_sizes=SIZES).data == by_place
  assert jaxgemm.explain(X, rhs=EXPERTS, group_sizes=SIZES).data == by_place
  assert jaxgemm.supports(lhs=X, rhs=W, dimension_numbers=DENSE)[0]
  assert jaxgemm.workspace_size(lhs=X, rhs=EXPERTS, group_sizes=SIZES) == (
      by_place["workspace_bytes"])


@pytest.mark.parametrize("function", [jaxgemm.explain, jaxgemm.supports, jaxgemm.workspace_size])
@pytest.mark.parametrize("args, options, words", [
    ((X, W, DENSE, None, None, None), {}, "6 arguments without names .* dot_general takes 5"),
    ((X, W, DENSE), {"dimension_numbers": DENSE}, "dimension_numbers was given twice"),
    ((X, EXPERTS, SIZES), {"group_sizes": SIZES}, "group_sizes was given twice"),
    ((X,), {}, "b was not given; two operands"),
    ((), {"rhs": W}, "a was not given; two operands"),
    ((), {"a": X, "lhs": X, "b": W}, "lhs and a were given, which are the same operand"),
])
def test_arguments_that_do_not_fit(function, args, options, words):
  with pytest.raises(TypeError, match=words):
    function(*args, **options)
