"""Grouped products that leave rows of no group unwritten, as the layer on many devices asks for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.grouped.call import compute
from jaxgemm.grouped.checks import BASIC, K_LAST, OF_RHS

ROWS, K, N = 300, 72, 136
SIZES = np.array([50, 0, 33, 100, -4, 10], np.int32)
USED = 193


def product(lhs, rhs, *, skips: bool, numbers=BASIC, **options):
  arguments = dict(lhs=lhs, rhs=rhs, group_sizes=SIZES, group_offset=None, precision=None)
  return compute(arguments | options.pop("arguments", {}), numbers, skips_rest=skips, **options)


def drawn(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape), jnp.bfloat16)


def wide(x):
  return np.asarray(x, np.float64)


@pytest.mark.parametrize("implementation", [None, "emulated:gfx942"])
@pytest.mark.parametrize("k_last", [False, True])
def test_rows_of_groups(rng, implementation, k_last):
  lhs = drawn(rng, ROWS, K).at[USED:].set(jnp.nan)
  rhs = drawn(rng, len(SIZES), *((N, K) if k_last else (K, N)))
  f = jax.jit(lambda lhs, rhs: product(
      lhs, rhs, skips=True, numbers=K_LAST if k_last else BASIC,
      arguments={"implementation": implementation}))
  of_rows = wide(rhs)[np.repeat(np.arange(len(SIZES)), np.maximum(SIZES, 0))]
  wanted = np.einsum("mk,mnk->mn" if k_last else "mk,mkn->mn", wide(lhs)[:USED], of_rows)
  out = f(lhs, rhs)
  assert out.shape == (ROWS, N)
  np.testing.assert_allclose(wide(out)[:USED], wanted, rtol=2e-2, atol=0.2)


@pytest.mark.parametrize("skips", [False, True])
def test_the_call_says_it(rng, skips):
  lhs, rhs = drawn(rng, ROWS, K), drawn(rng, len(SIZES), K, N)
  text = jax.jit(lambda lhs, rhs: product(lhs, rhs, skips=skips)).lower(lhs, rhs).as_text()
  assert f"skips_rest = {int(skips)} : i64" in text
  assert text.count("skips_rest") == 1


def test_a_gate_with_what_is_before_it(rng):
  lhs, rhs = drawn(rng, ROWS, K).at[USED:].set(jnp.nan), drawn(rng, len(SIZES), K, 2, N)
  both = [jax.jit(lambda lhs, rhs: product(
      lhs, rhs, skips=skips, gated=True, saves=True, arguments={"activation": "silu"}))(lhs, rhs)
          for skips in (False, True)]
  for plain, skipping in zip(*both):
    np.testing.assert_array_equal(plain[:USED], skipping[:USED])
    assert not np.asarray(plain[USED:]).any()
  z = wide(both[1][1][:USED])
  wanted = z[:, 0] / (1 + np.exp(-z[:, 0])) * z[:, 1]
  np.testing.assert_allclose(wide(both[1][0])[:USED], wanted, rtol=2e-2, atol=2e-2)


def test_only_rows_may_be_skipped(rng):
  lhs, rhs = drawn(rng, ROWS, K), drawn(rng, ROWS, N)
  with pytest.raises(ValueError, match="skips_rest=1 need ragged='m'"):
    jax.jit(lambda lhs, rhs: product(lhs, rhs, skips=True, numbers=OF_RHS))(lhs, rhs)
