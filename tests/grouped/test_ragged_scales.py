"""Tests of scale_lhs and scale_rhs of grouped products."""

import re

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm

M, K, N, G = 72, 40, 30, 4
SIZES = jnp.array([20, 0, 13, 25], jnp.int32)
USED = 58  # rows that belong to a group
GROUP = np.repeat(np.arange(G), SIZES)
E4M3, E5M2 = jnp.float8_e4m3fn, jnp.float8_e5m2


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def scales(rng, *shape):
  return jnp.asarray(rng.uniform(0.1, 2, shape), jnp.float32)


def assert_close(given, wanted, tolerance=3e-6):
  given, wanted = np.asarray(given, np.float64), np.asarray(wanted, np.float64)
  assert given.shape == wanted.shape
  assert np.abs(given - wanted).max() <= tolerance * max(np.abs(wanted).max(), 1e-30)


def reference(lhs, rhs, of_lhs, of_rhs, gated=False):
  """The products with dequantised operands, in their dtype."""
  rhs = (rhs * of_rhs)[GROUP]
  z = jnp.einsum("mk,mk...->m...", (lhs * of_lhs)[:USED], rhs)
  z = jax.nn.silu(z[:, 0]) * z[:, 1] if gated else z
  return jnp.concatenate([z, jnp.zeros((lhs.shape[0] - USED, *z.shape[1:]), z.dtype)])


@pytest.mark.parametrize("lhs, rhs", [
    (E4M3, E4M3), (E4M3, E5M2), (jnp.float8_e4m3fnuz, jnp.float8_e4m3fnuz),
    (jnp.bfloat16, jnp.bfloat16), (jnp.float32, jnp.float32)])
@pytest.mark.parametrize("gated", [False, True])
def test_rows_groups_and_columns(rng, lhs, rhs, gated):
  columns = (2, N) if gated else (N,)
  a, b = array(rng, M, K, dtype=lhs), array(rng, G, K, *columns, dtype=rhs)
  # A scale of a row of no group is not read, or its product would be NaN.
  of_a, of_b = scales(rng, M, 1).at[USED:].set(jnp.nan), scales(rng, G, 1, *columns)
  function = jaxgemm.ragged_gated_linear_unit if gated else jaxgemm.ragged_dot

  def f(a, b, of_a, of_b):
    return function(a, b, SIZES, preferred_element_type=jnp.float32, scale_lhs=of_a,
                    scale_rhs=of_b, implementation="jaxgemm")

  with jax.enable_x64(True):
    wide = [jnp.asarray(np.asarray(x, np.float64)) for x in (a, b, of_a, of_b)]
    wanted = np.asarray(reference(*wide, gated))
  assert_close(f(a, b, of_a, of_b), wanted)
  # The kernel applies both scales, so no multiplication follows it.
  assert "stablehlo.multiply" not in jax.jit(f).lower(a, b, of_a, of_b).as_text()


@pytest.mark.parametrize("of_a, of_b", [
    ((), ()), ((1,), (1, 1, 1)), ((M,), (G, 1, 1)), ((M, 1), (1, 1, N)), ((1, 1), (G, N)),
    ((M, 1), (G, 1, N)), ((M,), (N,))])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
def test_shapes(rng, of_a, of_b, implementation):
  a, b, of_a, of_b = array(rng, M, K), array(rng, G, K, N), scales(rng, *of_a), scales(rng, *of_b)
  full_b = of_b[:, None] if of_b.ndim == 2 else of_b
  with jax.default_matmul_precision("highest"):
    given = jaxgemm.ragged_dot(a, b, SIZES, scale_lhs=of_a, scale_rhs=of_b,
                               implementation=implementation)
    assert_close(given, reference(a, b, of_a.reshape(-1, 1), full_b))


@pytest.mark.parametrize("of_a", [(M, 3, 1), (M, 3), (M, 1, 1)])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
def test_rows_inside_the_ragged_dimension(rng, of_a, implementation):
  numbers = lax.RaggedDotDimensionNumbers((((2,), (1,)), ((), ())), (0,), (0,))
  a, b = array(rng, M, 3, K), array(rng, G, K, N)
  of_a, of_b = scales(rng, *of_a), scales(rng, G, 1, N)
  given = jaxgemm.ragged_dot_general(a, b, SIZES, numbers, scale_lhs=of_a, scale_rhs=of_b,
                                     implementation=implementation)
  full_a = of_a[..., None] if of_a.ndim == 2 else of_a
  wanted = np.einsum("mik,mkn->min", (a * full_a)[:USED], (b * of_b)[GROUP])
  assert_close(given[:USED], wanted)
  assert not given[USED:].any()


@pytest.mark.parametrize("given, words", [
    (dict(scale_lhs=jnp.ones((M, 2))), r"scale_lhs has shape \(72, 2\).*\(72, 1\) is allowed"),
    (dict(scale_rhs=jnp.ones((G, 2, N))), "no scale that varies along k"),
    (dict(scale_rhs=jnp.ones((3, N))), "scale_rhs has shape"),
    (dict(scale=2.0, scale_rhs=jnp.ones((G, N))), "Multiply them"),
])
def test_messages(rng, given, words):
  with pytest.raises(ValueError, match=words):
    jaxgemm.ragged_dot(array(rng, M, K), array(rng, G, K, N), SIZES, **given)


def test_contracted_groups_take_no_scales_of_rows(rng):
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
  for name, scale in (("scale_lhs", jnp.ones((1, K))), ("scale_rhs", jnp.ones(()))):
    with pytest.raises(ValueError, match=f"{name} .* contracted"):
      jaxgemm.ragged_dot_general(array(rng, M, K), array(rng, M, N), SIZES, numbers,
                                 **{name: scale})


@pytest.mark.whole(unless=lambda gated: gated)
@pytest.mark.parametrize("gated", [False, True])
def test_gradients(rng, gated):
  columns = (2, N) if gated else (N,)
  args = (array(rng, M, K), array(rng, G, K, *columns), scales(rng, M, 1).at[3].set(0.0),
          scales(rng, G, 1, *columns))
  function = jaxgemm.ragged_gated_linear_unit if gated else jaxgemm.ragged_dot
  ours = lambda a, b, of_a, of_b: (
      function(a, b, SIZES, scale_lhs=of_a, scale_rhs=of_b)**2).sum()
  theirs = lambda *args: (reference(*args, gated)**2).sum()
  with jax.default_matmul_precision("highest"):
    for x, y in zip(jax.grad(ours, (0, 1, 2, 3))(*args), jax.grad(theirs, (0, 1, 2, 3))(*args)):
      assert_close(x, y)
    tangents = jax.tree.map(jnp.ones_like, args)
    for x, y in zip(jax.jvp(ours, args, tangents), jax.jvp(theirs, args, tangents)):
      np.testing.assert_allclose(x, y, rtol=2e-5)


@pytest.mark.parametrize("axes", [
    (0, None, None, None), (1, None, None, None), (0, None, 0, None), (1, None, 1, None),
    (None, 0, 0, 0), (None, None, 0, None), (1, 1, None, 0)])
def test_vmap(rng, axes):
  args = array(rng, M, K), array(rng, G, K, N), scales(rng, M, 1), scales(rng, G, 1, N)
  args = [x if axis is None else jnp.stack([x, 2 * x], axis) for x, axis in zip(args, axes)]
  ours = jax.vmap(lambda a, b, of_a, of_b: jaxgemm.ragged_dot(
      a, b, SIZES, scale_lhs=of_a, scale_rhs=of_b), axes)
  with jax.default_matmul_precision("highest"):
    assert_close(ours(*args), jax.vmap(reference, axes)(*args))


def test_vmap_of_vmap(rng):
  a, b, of_b = array(rng, 3, 2, M, K), array(rng, G, K, N), scales(rng, G, 1, N)
  of_a = scales(rng, 3, M, 1)
  ours = lambda a, of_a: jaxgemm.ragged_dot(a, b, SIZES, scale_lhs=of_a, scale_rhs=of_b)
  theirs = lambda a, of_a: reference(a, b, of_a, of_b)
  twice = lambda f: jax.vmap(jax.vmap(f, (0, None)))
  with jax.default_matmul_precision("highest"):
    assert_close(twice(ours)(a, of_a), twice(theirs)(a, of_a))


@pytest.mark.parametrize("specs, found", [
    ((P("x"), P(), P("x"), P()), []),
    ((P("x"), P(None, None, "y"), P("x"), P(None, None, "y")), []),
    ((P(None, "y"), P(None, "y"), P(), P()), ["all-reduce"]),  # the epilogue follows the sum
    ((P(), P("y"), P(), P("y")), ["all-reduce"]),  # devices have rows of no group of theirs
])
def test_a_scale_is_sharded_with_its_rows(rng, specs, found):
  mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
  args = array(rng, M, K), array(rng, G, K, 32), scales(rng, M, 1), scales(rng, G, 1, 32)
  args = (*args[:2], args[2].at[USED:].set(jnp.nan), args[3])
  placed = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in zip(args, specs)]
  compiled = jax.jit(lambda a, b, of_a, of_b: jaxgemm.ragged_dot(
      a, b, SIZES, scale_lhs=of_a, scale_rhs=of_b)).lower(*placed).compile()
  with jax.default_matmul_precision("highest"):
    assert_close(compiled(*placed), reference(*args), 1e-5)
  collectives = re.findall(
      r" (all-gather|all-reduce|all-to-all)(?:-start)?\(", compiled.as_text())
  assert collectives == found
