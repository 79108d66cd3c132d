"""An operand that a program transposes is read as it is before the transpose, without a copy."""

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


def moved_operands(function, *args) -> list[str]:
  """Operands of the kernels that come from a transposition or a copy, in a jitted function.

  The gradient of an operand that is transposed is a result that is transposed.
  """
  text = jax.jit(function).lower(*args).compile().as_text()
  operands = re.findall(r" custom-call\((.*?)\)", text)
  assert operands
  return [x for x in operands if re.search("transpose|copy", x)]


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
  assert not moved_operands(function, x, w)
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
  """If the kernel needs another order, jaxgemm transposes as if the program did not transpose."""
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
  assert not moved_operands(function, *args)
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


@pytest.mark.parametrize("experts", [
    lambda w: jnp.swapaxes(w, 1, 2), lambda w: jnp.transpose(w, (1, 0, 2)).transpose((1, 2, 0)),
], ids=["once", "twice"])
def test_experts(rng, experts):
  """Experts that are stored as [E, N, K]."""
  x, w = array(rng, 40, 70), array(rng, 4, 50, 70)
  sizes = jnp.array([13, 0, 20, 3], jnp.int32)
  function = lambda x, w: jaxgemm.ragged_dot(x, experts(w), sizes, implementation="jaxgemm")
  assert not moved(function, x, w)
  loss = jax.grad(lambda x, w: (function(x, w)**2).sum(), (0, 1))
  assert not moved_operands(loss, x, w)
  out, given = jax.jit(function)(x, w), jax.jit(loss)(x, w)
  x, w = np.asarray(x, np.float64), np.asarray(w, np.float64)
  wanted, d_x, d_w = np.zeros((40, 50)), np.zeros_like(x), np.zeros_like(w)
  start = 0
  for i, size in enumerate(np.asarray(sizes)):
    rows = slice(start, start + size)
    wanted[rows] = x[rows] @ w[i].T
    d_x[rows], d_w[i] = 2 * wanted[rows] @ w[i], 2 * wanted[rows].T @ x[rows]
    start += size
  near(out, wanted)
  near(given[0], d_x)
  near(given[1], d_w)
  call, = jaxgemm.explain(function, *(jax.ShapeDtypeStruct(a.shape, jnp.float32) for a in (x, w))
                          ).data["calls"]
  assert call["operands"][1] == "float32[4,50,70]"


def test_other_orders_of_experts_are_copied(rng):
  x, w = array(rng, 40, 70), array(rng, 50, 4, 70)
  sizes = jnp.array([13, 0, 20, 3], jnp.int32)
  function = lambda x, w: jaxgemm.ragged_dot(
      x, jnp.transpose(w, (1, 2, 0)), sizes, implementation="jaxgemm")
  assert moved(function, x, w)
  near(jax.jit(function)(x, w)[:13], np.asarray(x, np.float64)[:13] @ np.asarray(w)[:, 0].T)


def test_sharded_experts(rng):
  mesh = jax.make_mesh((2, 4), ("x", "e"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
  x, w = array(rng, 40, 70), array(rng, 4, 50, 70)
  sizes = jnp.array([13, 0, 20, 7], jnp.int32)
  args = [jax.device_put(a, NamedSharding(mesh, spec)) for a, spec in ((x, P()), (w, P("e")))]
  function = lambda x, w: jaxgemm.ragged_dot(
      x, jnp.swapaxes(w, 1, 2), sizes, implementation="jaxgemm")
  assert not moved(function, *args)
  assert "all-gather" not in jax.jit(function).lower(*args).compile().as_text()
  wanted = np.concatenate([
      np.asarray(x, np.float64)[end - size:end] @ np.asarray(w, np.float64)[i].T
      for i, (size, end) in enumerate(zip(np.asarray(sizes), np.cumsum(sizes)))])
  near(jax.jit(function)(*args), wanted)


def rows_of_groups(sizes):
  ends = np.cumsum(sizes)
  return [slice(end - size, end) for size, end in zip(sizes, ends)]


def in_scan(function):
  def scanned(x, y):
    zeros = jnp.zeros(jax.eval_shape(function, x, y).shape)
    return jax.lax.scan(lambda sum, _: (sum + function(x, y), None), zeros, None, 2)[0] / 2
  return scanned


def in_shard_map(function):
  mesh = jax.make_mesh((1,), ("x",))
  return jax.shard_map(function, mesh=mesh, in_specs=(P(), P()), out_specs=P())


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float8_e4m3fn])
@pytest.mark.parametrize("wrapped", [lambda f: f, jax.remat, in_scan, in_shard_map])
def test_the_gradient_of_experts_as_maxtext_computes_it(rng, dtype, wrapped):
  """tgmm(x.swapaxes(0, 1), y, sizes) reads x as it lies."""
  x, y = (array(rng, 77, n).astype(dtype) for n in (40, 24))
  sizes = np.array([13, 0, 41, 20], np.int32)
  function = wrapped(lambda x, y: jaxgemm.megablox.tgmm(x.swapaxes(0, 1), y, sizes))
  assert not moved_operands(function, x, y)
  given = jax.jit(function)(x, y)
  x, y = (np.asarray(a.astype(jnp.float32), np.float64) for a in (x, y))
  near(given, np.stack([x[rows].T @ y[rows] for rows in rows_of_groups(sizes)]))


@pytest.mark.parametrize("swapped_ones", ["x", "y", "xy"])
def test_operands_of_both_modes(rng, swapped_ones):
  sizes = np.array([9, 30, 0, 2], np.int32)
  rows = rows_of_groups(sizes)
  x, y, experts = array(rng, 41, 20), array(rng, 41, 24), array(rng, 4, 20, 24)
  arrays = [jnp.asarray(np.asarray(swapped(a)).copy()) if name in swapped_ones else a
            for name, a in (("x", x), ("y", y), ("y", experts))]
  of_k = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
  lines = [swapped if name in swapped_ones else lambda a: a for name in "xyy"]

  def gradient(x, y):
    return jaxgemm.ragged_dot_general(
        lines[0](x), lines[1](y), sizes, of_k, implementation="jaxgemm")

  def product(x, experts):
    return jaxgemm.ragged_dot(lines[0](x), lines[2](experts), sizes, implementation="jaxgemm")

  assert not moved(gradient, *arrays[:2]) and not moved(product, arrays[0], arrays[2])
  x, y, experts = (np.asarray(a, np.float64) for a in (x, y, experts))
  near(jax.jit(gradient)(*arrays[:2]), np.stack([x[part].T @ y[part] for part in rows]))
  near(jax.jit(product)(arrays[0], arrays[2]),
       np.concatenate([x[part] @ w for part, w in zip(rows, experts)]))
