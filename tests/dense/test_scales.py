"""scale_lhs and scale_rhs: a scale for each row and one for each column, in one kernel."""

import functools
import re

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm.tune.products import products as tuned_products

M, K, N = 70, 96, 50
E4M3, E5M2 = jnp.float8_e4m3fn, jnp.float8_e5m2
DTYPES = [E4M3, E5M2, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz, jnp.bfloat16, jnp.float32,
          jnp.int8]
PAIRS = [(x, x) for x in DTYPES] + [(E4M3, E5M2), (E5M2, E4M3), (E4M3, jnp.bfloat16)]
LAYOUTS = ["rr", "rc", "cr", "cc"]
# All layouts of one pair of types, and one layout of each of the others.
CASES = [(E4M3, E4M3, x) for x in LAYOUTS] + [
    (*pair, LAYOUTS[i % 4]) for i, pair in enumerate(PAIRS[1:])]


def array(rng, *shape, dtype=jnp.float32):
  scale = 20 if dtype == jnp.int8 else 1
  return jnp.asarray(scale * rng.standard_normal(shape, np.float32)).astype(dtype)


def scales(rng, *shape):
  return jnp.asarray(rng.uniform(0.1, 2, shape), jnp.float32)


def f64(x):
  return np.asarray(x, np.float64)


def assert_close(given, wanted, tolerance=2e-6):
  wanted = f64(wanted)
  assert given.shape == wanted.shape
  assert np.abs(f64(given) - wanted).max() <= tolerance * max(np.abs(wanted).max(), 1e-30)


def calls(f, *args):
  return jax.jit(f).lower(*args).as_text().count("custom_call @jaxgemm_gemm")


@pytest.mark.parametrize("lhs, rhs, layout", CASES)
def test_rows_and_columns(rng, lhs, rhs, layout):
  a, b = array(rng, M, K, dtype=lhs), array(rng, K, N, dtype=rhs)
  of_a, of_b = scales(rng, M, 1), scales(rng, 1, N)
  wanted = f64(a) * f64(of_a) @ (f64(b) * f64(of_b))
  contracting = (int(layout[0] == "r"),), (int(layout[1] == "c"),)
  a, of_a = (a, of_a) if layout[0] == "r" else (a.T, of_a.T)
  b, of_b = (b, of_b) if layout[1] == "r" else (b.T, of_b.T)

  def f(a, b, of_a, of_b):
    return jaxgemm.dot_general(
        a, b, (contracting, ((), ())), preferred_element_type=jnp.float32, scale_lhs=of_a,
        scale_rhs=of_b, implementation="jaxgemm")

  assert_close(f(a, b, of_a, of_b), wanted)
  # The kernel applies both scales, so no multiplication follows it.
  assert not re.search(r"stablehlo.multiply", jax.jit(f).lower(a, b, of_a, of_b).as_text())


@pytest.mark.parametrize("of_a, of_b", [
    ((), ()), ((1,), (1, 1)), ((M,), ()), ((1, 1), (N,)), ((M, 1), (1, N)), ((M,), (1, N)),
    ((M, 1), (N,))])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
def test_shapes(rng, of_a, of_b, implementation):
  a, b, of_a, of_b = array(rng, M, K), array(rng, K, N), scales(rng, *of_a), scales(rng, *of_b)
  bias = array(rng, N)
  wanted = f64(a) @ f64(b) * f64(of_a.reshape(-1, 1)) * f64(of_b.reshape(1, -1)) + f64(bias)
  with jax.default_matmul_precision("highest"):
    given = jaxgemm.matmul(a, b, bias=bias, scale_lhs=of_a, scale_rhs=of_b, activation="relu",
                           implementation=implementation)
  assert_close(given, np.maximum(wanted, 0))


@pytest.mark.parametrize("a_shape, b_shape, of_a, of_b", [
    ((3, M, K), (3, K, N), (3, M, 1), (3, 1, N)),
    ((3, M, K), (3, K, N), (3, 1, 1), (1, 1, N)),
    ((3, M, K), (3, K, N), (3, M), (3, N)),
    ((3, M, K), (3, K, N), (M,), (N,)),
    ((3, M, K), (K, N), (3, M, 1), (1, N)),
    ((3, M, K), (K, N), (1, M, 1), ()),
    ((M, K), (3, K, N), (M, 1), (3, 1, N)),
    ((1, M, K), (3, K, N), (1, M, 1), (3, 1, N)),
    ((2, 3, M, K), (K, N), (2, 3, M, 1), (N,)),
    ((K,), (K, N), (), (1, N)),
    ((M, K), (K,), (M, 1), ()),
])
def test_batches_and_vectors(rng, a_shape, b_shape, of_a, of_b):
  a, b = array(rng, *a_shape), array(rng, *b_shape)
  of_a, of_b = scales(rng, *of_a), scales(rng, *of_b)
  wide = lambda x, like, axis: f64(
      jnp.expand_dims(x, axis) if x.ndim and x.ndim < like.ndim else x)
  if len(a_shape) == 3 and of_a.ndim == 1:
    wanted_a, wanted_b = f64(of_a)[:, None], f64(of_b)[None]
  else:
    wanted_a, wanted_b = wide(of_a, a, -1), wide(of_b, b, -2)
  wanted = np.matmul(f64(a) * wanted_a, f64(b) * wanted_b)
  given = jaxgemm.matmul(a, b, scale_lhs=of_a, scale_rhs=of_b, implementation="jaxgemm")
  assert_close(given, wanted)


def test_several_dimensions_of_rows_and_columns(rng):
  a, b = array(rng, 3, K, 5), array(rng, 4, K, 2)
  of_a, of_b = scales(rng, 3, 1, 5), scales(rng, 4, 1, 1)
  given = jaxgemm.dot_general(a, b, (((1,), (1,)), ((), ())), scale_lhs=of_a, scale_rhs=of_b)
  assert_close(given, np.einsum("akb,ckd->abcd", f64(a * of_a), f64(b * of_b)))


def test_scale_has_a_place_of_its_own(rng):
  a, b, rows, columns = array(rng, M, K), array(rng, K, N), scales(rng, M, 1), scales(rng, N)
  wanted = f64(a) @ f64(b) * f64(rows) * f64(columns)
  assert_close(jaxgemm.matmul(a, b, scale=rows, scale_rhs=columns), wanted)
  assert_close(jaxgemm.matmul(a, b, scale=columns, scale_lhs=rows), wanted)
  with pytest.raises(ValueError, match="for each row, and scale_lhs was given.* Multiply them"):
    jaxgemm.matmul(a, b, scale=rows, scale_lhs=rows)
  with pytest.raises(ValueError, match="one for each column, and scale_rhs was given"):
    jaxgemm.matmul(a, b, scale=2.0, scale_rhs=columns)


@pytest.mark.parametrize("given, words", [
    (dict(scale_lhs=np.ones((M, 4), np.float32)), r"an lhs of shape \(70, 96\); .*\(70, 1\) is"),
    (dict(scale_rhs=np.ones((N, 1), np.float32)), r"scale_rhs has shape \(50, 1\) for an rhs"),
    (dict(scale_rhs=np.ones((2, N), np.float32)), "Blocks .* are for jaxgemm.scaled_matmul"),
    (dict(scale_lhs=np.ones(M, np.complex64)), "scale_lhs has dtype complex64"),
    (dict(scale_lhs="x"), "scale_lhs='x' was given"),
])
def test_messages(given, words):
  with pytest.raises((ValueError, TypeError), match=words):
    jaxgemm.matmul(np.ones((M, K), np.float32), np.ones((K, N), np.float32), **given)


def test_no_scale_of_integers():
  with pytest.raises(ValueError, match="scale and activation work in float"):
    jaxgemm.matmul(jnp.ones((8, 8), jnp.int8), jnp.ones((8, 8), jnp.int8), scale_lhs=2.0,
                   preferred_element_type=jnp.int32)


@pytest.mark.parametrize("row", [0.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("column", [1.0, 0.0, np.inf, np.nan])
def test_scales_that_are_no_numbers(rng, row, column):
  a, b = array(rng, 40, 33, dtype=E4M3), array(rng, 33, 20, dtype=E4M3)
  of_a, of_b = scales(rng, 40, 1).at[7].set(row), scales(rng, 20).at[3].set(column)
  given = jaxgemm.matmul(a, b, preferred_element_type=jnp.float32, scale_lhs=of_a, scale_rhs=of_b)
  with np.errstate(invalid="ignore"):
    wanted = f64(a) @ f64(b) * f64(of_a) * f64(of_b)
  np.testing.assert_allclose(given, wanted, rtol=2e-5, atol=1e-5)


@pytest.mark.whole(unless=lambda activation: activation == "gelu")
@pytest.mark.parametrize("activation", [None, "gelu"])
def test_gradients(rng, activation):
  args = array(rng, 9, 12), array(rng, 12, 7), scales(rng, 9, 1), scales(rng, 1, 7)
  args = (*args[:2], args[2].at[2].set(0.0), args[3].at[0, 1].set(0.0))

  def ours(a, b, of_a, of_b):
    return (jaxgemm.matmul(a, b, scale_lhs=of_a, scale_rhs=of_b, activation=activation)**2).sum()

  def theirs(a, b, of_a, of_b):
    z = (a * of_a) @ (b * of_b)
    return ((z if activation is None else jax.nn.gelu(z))**2).sum()

  with jax.default_matmul_precision("highest"):
    twice = lambda f, i: jax.grad(lambda *x: sum((y**2).sum() for y in jax.grad(f, i)(*x)), i)
    # XLA's tanh is less exact at the tests' optimisation level: 1e-4 for second derivatives.
    for order, tolerance in ((jax.grad, 1e-5), (twice, 1e-5 if activation is None else 5e-4)):
      for x, y in zip(order(ours, (0, 1, 2, 3))(*args), order(theirs, (0, 1, 2, 3))(*args)):
        assert_close(x, y, tolerance)
    tangents = jax.tree.map(jnp.ones_like, args)
    for x, y in zip(jax.jvp(ours, args, tangents), jax.jvp(theirs, args, tangents)):
      np.testing.assert_allclose(x, y, rtol=2e-5)


@pytest.mark.parametrize("axes", [
    (0, None, None, None), (None, 0, None, None), (0, None, 0, None), (None, 0, 0, 0),
    (None, None, 0, 0), (1, 2, None, 1), (2, 0, 1, 0)])
def test_vmap(rng, axes):
  args = array(rng, M, K), array(rng, K, N), scales(rng, M, 1), scales(rng, 1, N)
  args = [x if axis is None else jnp.stack([x, 2 * x, -x], axis) for x, axis in zip(args, axes)]
  ours = jax.vmap(lambda a, b, of_a, of_b: jaxgemm.matmul(a, b, scale_lhs=of_a, scale_rhs=of_b),
                  axes)
  theirs = jax.vmap(lambda a, b, of_a, of_b: (a * of_a) @ (b * of_b), axes)
  with jax.default_matmul_precision("highest"):
    assert_close(ours(*args), theirs(*args), 1e-5)
  assert calls(ours, *args) == 1


@pytest.mark.parametrize("specs, found", [
    ((P("x"), P(), P("x"), P()), []),
    ((P("x"), P(None, "y"), P("x"), P(None, "y")), []),
    ((P("x"), P(), P(), P()), []),
    ((P("x", "y"), P("y"), P("x"), P()), ["all-reduce"]),  # the epilogue follows the sum
])
@pytest.mark.parametrize("kind", [jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit])
def test_a_scale_is_sharded_with_its_rows(rng, specs, found, kind):
  mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(kind, kind))
  args = array(rng, 64, 96), array(rng, 96, 48), scales(rng, 64, 1), scales(rng, 1, 48)
  wanted = f64(args[0] * args[2]) @ f64(args[1] * args[3])
  placed = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in zip(args, specs)]
  with jax.set_mesh(mesh):
    out_sharding = P(specs[0][0], specs[1][1] if len(specs[1]) > 1 else None)
    f = jax.jit(lambda a, b, of_a, of_b: jaxgemm.matmul(
        a, b, scale_lhs=of_a, scale_rhs=of_b,
        out_sharding=out_sharding if kind == jax.sharding.AxisType.Explicit else None))
    compiled = f.lower(*placed).compile()
    given = compiled(*placed)
  assert_close(given, wanted, 1e-5)
  assert given.sharding.spec[0] == "x"
  text = compiled.as_text()
  collectives = r" (all-gather|all-reduce|collective-permute|all-to-all)(?:-start)?\("
  assert re.findall(collectives, text) == found
  # The kernel has the block of its device's rows.
  if not found:
    assert re.search(r"f32\[32\]", text)


def test_explain_and_tune_know_the_scales(rng):
  a, b = array(rng, M, K, dtype=E4M3), array(rng, K, N, dtype=E4M3)
  options = dict(scale_lhs=scales(rng, M, 1), scale_rhs=scales(rng, 1, N),
                 preferred_element_type=jnp.float32)
  assert jaxgemm.supports(a, b, **options) == (True, "")
  assert "outside the kernel" not in str(jaxgemm.explain(a, b, **options))
  run = functools.partial(jaxgemm.matmul, **options)
  (scaled,), _ = tuned_products([(run, (a, b), {})])
  plain = functools.partial(jaxgemm.matmul, preferred_element_type=jnp.float32)
  (plain,), _ = tuned_products([(plain, (a, b), {})])
  assert "scale row_scale" in scaled.label and scaled.key != plain.key
  operands = scaled.operands(rng, "even", scaled.random)
  ours, theirs = scaled.ours(scaled.configs(1)[0])(*operands), scaled.xla()(*operands)
  assert_close(ours[0], theirs[0], 1e-5)
