"""deterministic="rows" on the CPU: the bits of a row do not depend on the other rows."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from tests.support.same_rows import (
  FEW,
  MANY,
  MORE,
  Case,
  array,
  assert_same,
  dense_bits,
  free,
  sharded,
)

BF16, F16, F32 = "bfloat16", "float16", "float32"
F8, F8B, S8 = "float8_e4m3fn", "float8_e5m2", "int8"
CASES = [
    Case(BF16, BF16, F32, k=1111, n=70),
    Case(BF16, BF16, F32, k=900, n=33, rhs_contracting=1),
    Case(BF16, BF16, BF16, k=640, n=128, lhs_contracting=0, activation="gelu"),
    Case(F16, F16, F32, k=1111, n=48),
    Case(F32, F32, F32, k=1111, n=70),
    Case(F32, F32, F32, k=517, n=9, rhs_contracting=1),
    Case(F32, F32, BF16, k=700, n=3, lhs_contracting=0, activation="gelu"),
    Case(F32, F32, F32, k=1111, n=1),
    Case(F8, F8, BF16, k=1111, n=70, activation="silu"),
    Case(F8, F8B, F32, k=700, n=40, rhs_contracting=1),
    Case(BF16, F8, F32, k=700, n=40),
    Case(S8, S8, "int32", k=700, n=40),
    Case(S8, S8, F32, k=700, n=40, activation="silu"),
    Case(F32, F32, F32, k=1, n=40),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_row_has_the_same_bits(rng, case):
  assert_same(dense_bits(rng, case, (*FEW, *MORE)))


@pytest.mark.parametrize("case", CASES[:1] + CASES[4:5], ids=str)
def test_up_to_many_rows(rng, case):
  assert_same(dense_bits(rng, case, (1, *MANY)))


@pytest.mark.parametrize("case", (CASES[0], CASES[4]), ids=str)
def test_without_the_promise_bits_differ(rng, case):
  """Else the tests above could not fail."""
  with pytest.raises(AssertionError, match="differ"):
    assert_same(dense_bits(rng, free(case), FEW + MORE))


@pytest.mark.parametrize("kernel", [
    each["name"] for each in {x["name"]: x for x in jaxgemm._ffi.native.host_kernels()
                              if x["available"]}.values()])
@pytest.mark.parametrize("dtype", (BF16, F32))
def test_every_family_of_kernels(rng, kernel, dtype):
  options = {"config": GemmConfig(kernel=kernel)}
  assert_same(dense_bits(rng, Case(dtype, dtype, F32, k=900, n=70, options=options), FEW + MORE))


def test_the_result_is_right(rng):
  a, b = array(rng, 5, 700), array(rng, 700, 30)
  got = jaxgemm.matmul(a, b, deterministic="rows")
  np.testing.assert_allclose(got, np.float64(a) @ np.float64(b), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("m", (8, 40, 1032))
def test_sharded_rows(rng, m):
  a, b = array(rng, m, 700, dtype=BF16), array(rng, 700, 40, dtype=BF16)
  product = jax.jit(functools.partial(jaxgemm.matmul, deterministic="rows"))
  one = np.asarray(product(a, b))
  got = product(jax.device_put(a, sharded(8)), b)
  assert len(got.sharding.device_set) == 8
  assert np.asarray(got).tobytes() == one.tobytes()
  for i in (0, m // 2, m - 1):
    assert np.asarray(product(a[i:i + 1], b)).tobytes() == one[i].tobytes()


def test_vmap(rng):
  """Of rows, of matrices with one rhs, and of matrices that have an rhs each."""
  a, b = array(rng, 6, 9, 700, dtype=BF16), array(rng, 6, 700, 40, dtype=BF16)
  product = functools.partial(jaxgemm.matmul, deterministic="rows")
  wanted = np.stack([[np.asarray(product(row[None], y))[0] for row in x] for x, y in zip(a, b)])
  assert np.asarray(jax.vmap(product)(a, b)).tobytes() == wanted.tobytes()
  assert np.asarray(product(a, b)).tobytes() == wanted.tobytes()
  for size in (1, 3, 6):
    got = jax.vmap(product, (0, None))(a[:size], b[0])
    assert np.asarray(got)[0].tobytes() == wanted[0].tobytes()
    got = jax.vmap(jax.vmap(product, (0, None)), (0, None))(a[:size], b[0])
    assert np.asarray(got)[0].tobytes() == wanted[0].tobytes()


def test_vmap_of_an_epilogue(rng):
  """The kernel applies it for one row as for several, though each row is a product of its own."""
  w, biases, scales = array(rng, 300, 40), array(rng, 6, 40), abs(array(rng, 6, 1))
  row, found = array(rng, 300), set()
  product = jax.vmap(lambda x, bias, scale: jaxgemm.matmul(
      x, w, bias=bias, scale_lhs=scale, activation="gelu", deterministic="rows"))
  for m in (1, 2, 7, 40):
    x = array(rng, 6, m, 300).at[4, m - 1].set(row)
    found.add(np.asarray(product(x, biases, scales))[4, m - 1].tobytes())
  assert len(found) == 1


def test_gradient_of_lhs(rng):
  """Its rows are those of the cotangent."""
  b, row = array(rng, 50, 700), array(rng, 700)
  found = set()
  for m in FEW + MORE:
    ct = array(rng, m, 700).at[m // 2].set(row)
    _, vjp = jax.vjp(lambda a: jaxgemm.matmul(a, b, deterministic="rows"), array(rng, m, 50))
    found.add(np.asarray(vjp(ct)[0])[m // 2].tobytes())
  assert len(found) == 1


def test_contracted_dimensions_in_two_orders(rng):
  """One of the operands is copied, whichever is smaller: the order of k must not follow from it."""
  b, row = array(rng, 37, 23, 40), array(rng, 23, 37)
  for deterministic, kinds in ((True, 2), ("rows", 1)):
    found = set()
    for m in (1, 2, 40, 300):
      a = array(rng, m, 23, 37).at[m - 1].set(row)
      out = jaxgemm.dot_general(a, b, (((1, 2), (1, 0)), ((), ())), deterministic=deterministic)
      found.add(np.asarray(out)[m - 1].tobytes())
    assert len(found) == kinds if kinds == 1 else len(found) >= kinds


def test_explain_says_it(rng):
  a, b = array(rng, 1, 700), array(rng, 700, 40)
  for m in (1, 16, 5000):
    x = jax.ShapeDtypeStruct((m, 700), a.dtype)
    data = jaxgemm.explain(x, b, deterministic="rows").data
    assert data["schedule"] != "stream_k" and data["implementation"] == "jaxgemm"
    reason, = (each for each in data["reasons"] if "deterministic='rows'" in each)
    assert "every tile packs rhs" in reason
  assert "does not pack" in str(jaxgemm.explain(a, b))


@pytest.mark.parametrize("options,words", [
    (dict(schedule="stream_k"), "schedule='stream_k'"),
    (dict(config=GemmConfig(num_shares=3)), "num_shares"),
    (dict(reduction="atomic"), "deterministic='rows'.*'tree'"),
    (dict(implementation="xla"), "implementation='xla'.*order"),
    (dict(implementation="emulated:gfx942", config=GemmConfig(tile_m=16)), "waves divide k"),
])
def test_what_divides_k_is_refused(rng, options, words):
  a, b = array(rng, 4, 512, dtype=BF16), array(rng, 512, 64, dtype=BF16)
  with pytest.raises(ValueError, match=words):
    jaxgemm.matmul(a, b, deterministic="rows", **options)


def test_nothing_is_left_to_xla(rng):
  a, b = (jnp.asarray(array(rng, 4, 4), jnp.int32) for _ in range(2))
  with pytest.raises(ValueError, match=re.escape("deterministic='rows' was given, but")):
    jaxgemm.matmul(a, b, deterministic="rows")
  assert jaxgemm.supports(a, b, deterministic="rows")[0] is False


@pytest.mark.faster_by_xla
def test_a_rule_of_the_plan_leaves_nothing_to_xla(rng):
  a, b = array(rng, 2, 3), array(rng, 3, 4)
  assert jaxgemm.explain(a, b).data["implementation"] == "xla"
  assert jaxgemm.explain(a, b, deterministic="rows").data["implementation"] == "jaxgemm"


def test_rows_that_travel_between_devices(rng):
  a, b = array(rng, 48, 700, dtype=BF16), array(rng, 700, 40, dtype=BF16)
  mesh = sharded(8).mesh
  gathered = jax.shard_map(
      lambda a, b: jaxgemm.allgather_matmul(a, b, "rows", deterministic="rows"), mesh=mesh,
      in_specs=(jax.P("rows"), jax.P()), out_specs=jax.P(), check_vma=False)(a, b)
  assert np.asarray(gathered).tobytes() == np.asarray(
      jaxgemm.matmul(a, b, deterministic="rows")).tobytes()
  scattered = jax.shard_map(
      lambda a, b: jaxgemm.matmul_reduce_scatter(a, b, "rows", deterministic="rows"), mesh=mesh,
      in_specs=(jax.P(None, "rows"), jax.P("rows")), out_specs=jax.P("rows"))
  with pytest.raises(ValueError, match="deterministic='rows' was given.*allgather_matmul"):
    scattered(a[:, :640], b[:640])


def test_unknown_values_are_refused():
  for given in (1, "row", None, "true"):
    with pytest.raises(TypeError, match="deterministic.*True and False are allowed, and 'rows'"):
      jaxgemm.matmul(jnp.ones((2, 2)), jnp.ones((2, 2)), deterministic=given)


def test_a_scale_of_all_rows_is_refused():
  x, w = jnp.ones((4, 32)), jnp.ones((32, 8))
  numbers = ((1,), (0,)), ((), ())
  with pytest.raises(ValueError, match="scale depends on all rows.*rowwise"):
    jaxgemm.fp8.dot_general(x, w, numbers, recipe="tensorwise", deterministic="rows")
  with pytest.raises(ValueError, match="scale depends on all rows.*rowwise"):
    jaxgemm.fp8.ragged_dot(x, w[None], jnp.array([4]), recipe="tensorwise", deterministic="rows")
  jaxgemm.fp8.dot_general(x, w, numbers, recipe="rowwise", deterministic="rows")
