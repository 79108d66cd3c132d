"""Products of all pairs of float8 dtypes with a preferred_element_type, against float64."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox, qarray

FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]
# jax.lax.dot_general refuses these pairs: their exponents and mantissas have equally many bits.
ALIKE = [("float8_e5m2", "float8_e5m2fnuz"), ("float8_e4m3fnuz", "float8_e4m3")]
ALIKE += [pair[::-1] for pair in ALIKE]
M, K, N = 6, 32, 5
NUMBERS = (((1,), (0,)), ((), ()))
RAGGED = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
SIZES = np.array([2, 4])


def array(rng, *shape, dtype):
  return jnp.asarray(rng.standard_normal(shape, np.float32) / 2).astype(dtype)


def f64(x):
  return np.asarray(x).astype(np.float64)


def close(given, wanted, dtype):
  assert given.dtype == dtype
  np.testing.assert_allclose(f64(given), wanted, rtol=2 * float(jnp.finfo(dtype).eps), atol=1e-4)


@pytest.mark.parametrize("pair", [
    *itertools.permutations(FLOAT8, 2), ("float8_e4m3b11fnuz", "float8_e5m2fnuz"),
    ("float8_e4m3", "float8_e3m4"), *ALIKE[2:]])
def test_all_pairs(rng, pair):
  a, b = array(rng, M, K, dtype=pair[0]), array(rng, K, N, dtype=pair[1])
  close(jaxgemm.matmul(a, b, preferred_element_type=jnp.float32), f64(a) @ f64(b), jnp.float32)


PRODUCTS = {
    "matmul": lambda a, b, **o: jaxgemm.matmul(a, b, **o),
    "dot_general": lambda a, b, **o: jaxgemm.dot_general(a, b, NUMBERS, **o),
    "ragged_dot": lambda a, b, **o: jaxgemm.ragged_dot(a, jnp.stack([b, b]), SIZES, **o),
    "ragged_dot_general": lambda a, b, **o: jaxgemm.ragged_dot_general(
        a.T, b, np.array([K]), RAGGED, **o)[0],
    "gmm": lambda a, b, **o: megablox.gmm(a, jnp.stack([b, b]), SIZES, **o),
    "tgmm": lambda a, b, **o: megablox.tgmm(a, b, np.array([K]), **o)[0],
    "qarray.dot_general": lambda a, b, **o: qarray.dot_general(a, b, NUMBERS, **o),
    "scaled_matmul": lambda a, b, **o: jaxgemm.scaled_matmul(
        a[None], b.T[None], jnp.ones((1, M, 2)), jnp.ones((1, N, 2)), **o)[0],
    "scaled_ragged_dot": lambda a, b, **o: jaxgemm.scaled_ragged_dot(
        a, jnp.stack([b.T, b.T]), SIZES, jnp.ones((M, 1)), jnp.ones((2, N, 1)), **o),
}


@pytest.mark.whole(unless=lambda pair, name: pair == ALIKE[list(PRODUCTS).index(name) % 2 * 3])
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("pair", ALIKE[::3])
@pytest.mark.parametrize("implementation", [None, "xla"])
def test_pairs_that_jax_refuses(rng, name, pair, implementation):
  a, b = array(rng, M, K, dtype=pair[0]), array(rng, K, N, dtype=pair[1])
  with pytest.raises(TypeError, match="argument type error"):
    jax.lax.dot_general(a, b, NUMBERS, None, jnp.float32)
  for dtype in (jnp.float32, jnp.bfloat16):
    out = PRODUCTS[name](a, b, preferred_element_type=dtype, implementation=implementation)
    close(out, f64(a) @ f64(b), dtype)


@pytest.mark.parametrize("name, implementation", [
    *((x, None) for x in PRODUCTS if "scaled" not in x), ("dot_general", "xla"),
    ("ragged_dot", "xla")])
def test_gradients(rng, name, implementation):
  """Gradients of float8 operands are the products of the same values, rounded once."""
  pair = ALIKE[0]
  a, b = array(rng, M, K, dtype=pair[0]), array(rng, K, N, dtype=pair[1])
  ct = array(rng, M, N, dtype=jnp.float32)
  out, vjp = jax.vjp(lambda a, b: PRODUCTS[name](
      a, b, preferred_element_type=jnp.float32, implementation=implementation), a, b)
  d_a, d_b = vjp(ct)
  assert (out.dtype, d_a.dtype, d_b.dtype) == (jnp.float32, *pair)
  np.testing.assert_allclose(f64(d_a), f64(ct) @ f64(b).T, rtol=0.13, atol=2e-2)
  if name not in ("ragged_dot", "gmm"):  # there b is two experts, whose gradients are rounded
    np.testing.assert_allclose(f64(d_b), f64(a).T @ f64(ct), rtol=0.13, atol=2e-2)


@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise"])
def test_fp8_with_two_such_dtypes(rng, recipe):
  a, b = array(rng, M, K, dtype=jnp.float32), array(rng, K, N, dtype=jnp.float32)
  grads = jax.grad(lambda a, b: fp8.dot_general(
      a, b, NUMBERS, recipe=recipe, dtypes=ALIKE[0]).sum(), (0, 1))(a, b)
  grouped = jax.grad(lambda a, b: fp8.ragged_dot(
      a, b[None], np.array([M]), recipe=recipe, dtypes=ALIKE[0]).sum(), (0, 1))(a, b)
  for d_a, d_b in (grads, grouped):
    np.testing.assert_allclose(d_a, np.ones((M, N)) @ f64(b).T, atol=1)
    np.testing.assert_allclose(d_b, f64(a).T @ np.ones((M, N)), atol=1.5)


@pytest.mark.parametrize("pair", ALIKE)
def test_without_a_preferred_type_the_dtypes_are_named(rng, pair):
  a, b = array(rng, M, K, dtype=pair[0]), array(rng, K, N, dtype=pair[1])
  names = ("dot_general", "ragged_dot", "ragged_dot_general")
  for name in names:
    with pytest.raises(TypeError, match=f"dtypes {pair[0]} and {pair[1]}.*Pass preferred_element"):
      PRODUCTS[name](a, b)
  with pytest.raises(Exception, match=f"{pair[0]}.*no available implicit dtype promotion"
                     f"|{pair[1]}.*no available implicit dtype promotion"):
    jaxgemm.matmul(a, b)
