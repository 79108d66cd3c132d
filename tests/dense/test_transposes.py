"""Operands that a program transposes are read as they are before, without a copy."""

import itertools
import re

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from tests.support.environment import FLOAT32_ERROR


def matmul(a, b, **options):
  return jaxgemm.matmul(a, b, implementation="jaxgemm", **options)


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def near(given, wanted):
  error = np.abs(np.asarray(given, np.float64) - wanted).max() / np.abs(wanted).max()
  assert given.shape == wanted.shape and error < max(1e-5, FLOAT32_ERROR)


def moved(function, *args) -> list[str]:
  """The transpositions and copies in a jitted function's program."""
  text = jax.jit(function).lower(*args).compile().as_text()
  assert "custom-call" in text
  return re.findall(r" (?:transpose|copy)\(.*", text)


def swapped(x):
  return jnp.swapaxes(x, -1, -2)


@pytest.mark.parametrize("function", [
    lambda x, w: matmul(x, w.T),
    lambda x, w: matmul(x, jnp.transpose(w).T.T),
    lambda x, w: matmul(x.T.T, w.T),
    lambda x, w: jax.jit(lambda x, w: jaxgemm.dot_general(
        x, w.T, (((1,), (0,)), ((), ())), implementation="jaxgemm"))(x, w),
    jax.remat(lambda x, w: matmul(x, w.T)),
], ids=["T", "three", "both", "nested", "remat"])
def test_no_copies(rng, function):
  x, w = array(rng, 33, 70), array(rng, 50, 70)
  assert not moved(function, x, w)
  near(jax.jit(function)(x, w), np.asarray(x, np.float64) @ np.asarray(w, np.float64).T)


def test_gradients(rng):
  x, w = array(rng, 33, 70), array(rng, 50, 70)
  function = jax.grad(lambda x, w: (matmul(x, w.T)**2).sum(), (0, 1))
  assert len(moved(function, x, w)) <= 1  # a result that is transposed: the gradient of w.T
  given = jax.jit(function)(x, w)
  x, w = np.asarray(x, np.float64), np.asarray(w, np.float64)
  near(given[0], 2 * x @ w.T @ w)
  near(given[1], 2 * (x @ w.T).T @ x)


def test_a_batch(rng):
  q, k = array(rng, 3, 20, 40), array(rng, 3, 30, 40)
  function = lambda q, k: matmul(q, swapped(k))
  assert not moved(function, q, k)
  near(jax.jit(function)(q, k), np.asarray(q, np.float64) @ swapped(np.asarray(k, np.float64)))
  mapped = jax.vmap(lambda q, k: matmul(q, k.T))
  assert not moved(mapped, q, k)
  near(jax.jit(mapped)(q, k), np.asarray(q, np.float64) @ swapped(np.asarray(k, np.float64)))


@pytest.mark.parametrize("seed", range(6))
def test_any_permutations(seed):
  """Where the kernel needs another order, jaxgemm transposes as it would without the program's."""
  rng = np.random.default_rng(seed)
  lhs, rhs = array(rng, 3, 5, 7, 4), array(rng, 4, 6, 3, 7)  # b m k j, j n b k
  orders = list(itertools.permutations(range(4)))
  of_lhs, of_rhs = (orders[i] for i in rng.integers(len(orders), size=2))
  letters = "".join("bmkj"[i] for i in of_lhs), "".join("jnbk"[i] for i in of_rhs)
  contracting = [tuple(x.index(i) for i in "kj") for x in letters]
  batch = [(x.index("b"),) for x in letters]

  @jax.jit
  def function(lhs, rhs):
    return jaxgemm.dot_general(
        jnp.transpose(lhs, of_lhs), jnp.transpose(rhs, of_rhs),
        (tuple(contracting), tuple(batch)), implementation="jaxgemm")

  near(function(lhs, rhs), np.einsum("bmkj,jnbk->bmn", *(np.asarray(x, np.float64)
                                                         for x in (lhs, rhs))))


@pytest.mark.parametrize("lhs, rhs", [(P("x"), P("y")), (P("x", "y"), P(None, "y")), (P(), P("x"))])
def test_sharded(rng, lhs, rhs):
  mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
  args = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
      (array(rng, 16, 32), lhs), (array(rng, 24, 32), rhs))]
  function = jax.grad(lambda x, w: (matmul(x, w.T)**2).sum(), (0, 1))
  text = jax.jit(function).lower(*args).compile().as_text()
  assert "custom-call" in text and " transpose(" not in text
  given = jax.jit(function)(*args)
  x, w = (np.asarray(x, np.float64) for x in args)
  near(given[0], 2 * x @ w.T @ w)
  near(given[1], 2 * (x @ w.T).T @ x)


def test_explain_shows_what_is_read(rng):
  x, w = array(rng, 33, 70), array(rng, 50, 70)
  call, = jaxgemm.explain(lambda x, w: matmul(x, w.T), x, w).data["calls"]
  assert call["operands"] == ["float32[33,70]", "float32[50,70]"]
  assert call["relayouts"] == ()
  nested = jax.jit(lambda x, w: matmul(x, w))
  call, = jaxgemm.explain(lambda x, w: nested(x, w.T), x, w).data["calls"]
  assert call["operands"] == ["float32[33,70]", "float32[70,50]"]  # a function of its own
