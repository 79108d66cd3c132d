"""deterministic="rows" of grouped products on the CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.support.same_rows import (
  FEW,
  MANY,
  MORE,
  Case,
  array,
  assert_same,
  free,
  grouped_bits,
  sharded,
)

CASES = [
    Case("bfloat16", "bfloat16", "float32", k=1111, n=70),
    Case("float32", "float32", "float32", k=1111, n=70),
    Case("float16", "float16", "float32", k=700, n=40, activation="gelu"),
    Case("float8_e4m3fn", "float8_e4m3fn", "bfloat16", k=700, n=40),
    Case("int8", "int8", "int32", k=700, n=40),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_row_has_the_same_bits(rng, case):
  assert_same(grouped_bits(rng, case, (*FEW, *MORE)))


def test_up_to_many_rows(rng):
  assert_same(grouped_bits(rng, CASES[0], (1, *MANY)))


def test_without_the_promise_bits_differ(rng):
  """Else the tests above could not fail."""
  with pytest.raises(AssertionError, match="differ"):
    assert_same(grouped_bits(rng, free(CASES[0]), FEW + MORE))


def test_a_grouped_row_is_a_dense_row(rng):
  """And a gated product's row has the same bits, too."""
  x, w = array(rng, 50, 700, dtype="bfloat16"), array(rng, 3, 700, 40, dtype="bfloat16")
  sizes = jnp.asarray([20, 0, 30], jnp.int32)
  grouped = np.asarray(jaxgemm.ragged_dot(x, w, sizes, deterministic="rows"))
  for i in (0, 19, 20, 49):
    dense = jaxgemm.matmul(x[i:i + 1], w[0 if i < 20 else 2], deterministic="rows")
    assert np.asarray(dense)[0].tobytes() == grouped[i].tobytes()
  pairs = array(rng, 3, 700, 2, 40, dtype="bfloat16")
  gated = lambda x, sizes: np.asarray(jaxgemm.ragged_gated_linear_unit(
      x, pairs, sizes, activation="silu", deterministic="rows"))
  whole = gated(x, sizes)
  for i in (0, 19):
    assert gated(x[i:i + 1], jnp.asarray([1, 0, 0], jnp.int32))[0].tobytes() == whole[i].tobytes()


def test_gradient_of_lhs(rng):
  w, row = array(rng, 2, 50, 700), array(rng, 700)
  found = set()
  for m in FEW + MORE:
    sizes = jnp.asarray([m - 1, 1], jnp.int32)
    ct = array(rng, m, 700).at[m - 1].set(row)
    _, vjp = jax.vjp(lambda x: jaxgemm.ragged_dot(x, w, sizes, deterministic="rows"),
                     array(rng, m, 50))
    found.add(np.asarray(vjp(ct)[0])[m - 1].tobytes())
  assert len(found) == 1


def test_sharded_rows(rng):
  x, w = array(rng, 64, 700, dtype="bfloat16"), array(rng, 3, 700, 40, dtype="bfloat16")
  sizes = jnp.asarray([10, 40, 14], jnp.int32)
  product = jax.jit(lambda x: jaxgemm.ragged_dot(x, w, sizes, deterministic="rows"))
  got = product(jax.device_put(x, sharded(8)))
  assert np.asarray(got).tobytes() == np.asarray(product(x)).tobytes()
