"""All shardings of a product over two mesh axes, also nested, compared with jnp.matmul."""

import collections
import functools
import itertools
import re

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from tests.support.environment import FLOAT32_ERROR, VIRTUAL_ROCM

COLLECTIVE = (
    r" (all-gather|all-reduce|reduce-scatter|collective-permute|all-to-all)(?:-start)?\(")
# For each of two mesh axes, the dimension of a batched product that is sharded along it, or None.
# "y" first: the dimension is sharded along both axes, y first.
PLACES = [*itertools.product((None, *"bmkn"), repeat=2), ("y", "m"), ("y", "k")]
EXPLICIT, AUTO = AxisType.Explicit, AxisType.Auto
FUNCTIONS = jaxgemm.matmul, jnp.matmul


def make_mesh(*kinds):
  return jax.make_mesh((2, len(jax.devices()) // 2), ("x", "y"), axis_types=kinds)


def spec_of(letters, place) -> P:
  axes = {"x": place[0], "y": place[1]}
  if place[0] == "y":  # both along one dimension, y first
    axes = {"y": place[1], "x": place[1]}
  return P(*(tuple(a for a in axes if axes[a] == x) or None for x in letters))


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def with_gradients(f):
  """The function's result and its gradients."""
  def both(a, b):
    out, pullback = jax.vjp(f, a, b)
    return out, *pullback(2 * out)
  return both


def compiled(f, args):
  """(types, collectives, shardings, values) of a jitted function."""
  traced = jax.jit(f).trace(*args)
  program = traced.lower().compile()
  outs = jax.tree.leaves(program(*args))
  return (traced.jaxpr.out_avals, sorted(re.findall(COLLECTIVE, program.as_text())),
          [x.sharding for x in outs], outs)


def assert_close(given, wanted):
  tolerance = max(1e-3, FLOAT32_ERROR)
  for x, y in zip(given, wanted, strict=True):
    np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance * np.abs(y).max())


def assert_collectives(ours, theirs):
  """Asserts equal kinds and numbers; XLA for GPUs may have more of some around its own product."""
  if VIRTUAL_ROCM:
    assert not collections.Counter(ours) - collections.Counter(theirs)
  else:
    assert ours == theirs


@pytest.mark.whole(unless=lambda place: place[0] == "y" or PLACES.index(place) % 3 == 1)
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_collectives_of_every_sharding(rng, place):
  mesh = make_mesh(AUTO, AUTO)
  args = [jax.device_put(array(rng, *shape), NamedSharding(mesh, spec_of(letters, place)))
          for shape, letters in (((8, 16, 32), "bmk"), ((8, 32, 24), "bkn"))]
  ours, theirs = (compiled(with_gradients(f), args) for f in FUNCTIONS)
  assert ours[:3] == theirs[:3]
  assert_close(ours[3], theirs[3])


def specs():
  """A spec for each way to shard three dimensions over the two axes."""
  return [spec_of((0, 1, 2), place) for place in itertools.product((None, 0, 1, 2), repeat=2)]


def types_or_refusal(f, *shapes):
  try:
    return jax.make_jaxpr(f)(*shapes).out_avals
  except Exception as error:  # jax has no public name of its ShardingTypeError
    assert isinstance(error, ValueError) or type(error).__name__ == "ShardingTypeError"
    return type(error)


@pytest.mark.whole(unless=lambda lhs, out: specs().index(lhs) % 4 == (0 if out is None else 2))
@pytest.mark.parametrize("lhs", specs(), ids=str)
@pytest.mark.parametrize("out", [None, P("x")], ids=str)
def test_types_of_every_sharding(lhs, out):
  mesh = make_mesh(EXPLICIT, EXPLICIT)
  shape = lambda dims, spec: jax.ShapeDtypeStruct(
      dims, jnp.float32, sharding=NamedSharding(mesh, spec))
  found = []
  with jax.set_mesh(mesh):
    for rhs in specs():
      args = shape((8, 16, 32), lhs), shape((8, 32, 24), rhs)
      ours, theirs = (types_or_refusal(
          with_gradients(jax.jit(functools.partial(f, out_sharding=out))), *args)
                      for f in FUNCTIONS)
      assert ours == theirs, rhs
      found.append(ours)
  assert any(isinstance(x, list) for x in found)


def mapped(axis, lhs, rhs, out, sum_over=False):
  """Wraps a product into a shard_map over one axis of the mesh."""
  def wrap(f):
    body = (lambda a, b: lax.psum(f(a, b), axis)) if sum_over else f
    return jax.shard_map(body, in_specs=(lhs, rhs), out_specs=out, axis_names={axis})
  return wrap


ROWS_X, ROWS_Y = mapped("x", P("x"), P(), P("x")), mapped("y", P("y"), P(), P("y"))
SUM_X = mapped("x", P(None, "x"), P("x"), P(), sum_over=True)


@pytest.mark.parametrize("wrap, lhs, rhs", [
    (ROWS_X, P("x"), P(None, "y")), (ROWS_X, P(("x", "y")), P()), (ROWS_X, P("x", "y"), P("y")),
    (ROWS_Y, P("y"), P(None, "x")), (ROWS_Y, P("y", "x"), P("x")),
    (SUM_X, P("y", "x"), P("x")), (SUM_X, P(None, "x"), P("x", "y")),
])
def test_shard_map_over_one_of_two_automatic_axes(rng, wrap, lhs, rhs):
  mesh = make_mesh(AUTO, AUTO)
  with jax.set_mesh(mesh):
    args = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
        (array(rng, 16, 32), lhs), (array(rng, 32, 24), rhs))]
    ours, theirs = (compiled(with_gradients(wrap(f)), args) for f in FUNCTIONS)
  assert (ours[0], ours[2]) == (theirs[0], theirs[2])
  assert_collectives(ours[1], theirs[1])
  assert "all-gather" not in ours[1]
  assert_close(ours[3], theirs[3])


@pytest.mark.parametrize("kinds, wrap, lhs, rhs", [
    ((EXPLICIT, EXPLICIT), ROWS_X, P("x"), P(None, "y")),
    ((EXPLICIT, EXPLICIT), ROWS_Y, P(("y", "x")), P()),
    ((EXPLICIT, EXPLICIT), SUM_X, P(None, "x"), P("x", "y")),
    ((EXPLICIT, AUTO), ROWS_Y, P("y"), P(None, "x")),
    ((AUTO, EXPLICIT), SUM_X, P("y", "x"), P("x")),
])
def test_shard_map_over_one_axis_beside_an_explicit_one(rng, kinds, wrap, lhs, rhs):
  mesh = make_mesh(*kinds)
  with jax.set_mesh(mesh):
    args = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
        (array(rng, 16, 32), lhs), (array(rng, 32, 24), rhs))]
    ours, theirs = (compiled(with_gradients(wrap(f)), args) for f in FUNCTIONS)
  assert (ours[0], ours[2]) == (theirs[0], theirs[2])
  # XLA combines some small all-reduces of its own product.
  assert_collectives(set(ours[1]), set(theirs[1]))
  assert_close(ours[3], theirs[3])


def test_a_grouped_product_in_shard_map_over_one_axis(rng):
  mesh = make_mesh(AUTO, AUTO)
  sizes = jnp.array([5, 0, 2, 1, 6, 1, 0, 1], jnp.int32)
  rows, experts = array(rng, 32, 32), array(rng, 8, 32, 24)
  args = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
      (rows, P("x")), (experts, P("y")), (sizes, P()))]

  product = jax.jit(jax.shard_map(
      jaxgemm.ragged_dot, mesh=mesh, in_specs=(P("x"), P(), P()), out_specs=P("x"),
      axis_names={"x"}))
  _, found, _, (given,) = compiled(product, args)
  assert found == ["all-reduce"]
  assert_close([given], [jnp.concatenate(
      [jaxgemm.ragged_dot(part, experts, sizes) for part in jnp.split(rows, 2)])])


def vmapped(f):
  return jax.vmap(f, (0, None))


def scanned(f):
  return lambda a, b: lax.scan(lambda carry, x: (carry, f(x, b)), 0, a)[1]


@pytest.mark.whole(unless=lambda kinds: kinds == (EXPLICIT, AUTO))
@pytest.mark.parametrize("kinds", [(AUTO, AUTO), (EXPLICIT, AUTO), (EXPLICIT, EXPLICIT)])
@pytest.mark.parametrize("wrap, lhs, rhs", [
    (vmapped, P(None, "x"), P(None, "y")), (scanned, P(None, "x"), P(None, "y")),
    (lambda f: vmapped(jax.checkpoint(f)), P(None, "x"), P()),
    (lambda f: scanned(jax.jit(f)), P(), P(None, "y")),
])
def test_nestings(rng, kinds, wrap, lhs, rhs):
  mesh = make_mesh(*kinds)
  with jax.set_mesh(mesh):
    args = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
        (array(rng, 4, 16, 32), lhs), (array(rng, 32, 24), rhs))]
    ours, theirs = (compiled(with_gradients(wrap(f)), args) for f in FUNCTIONS)
  assert ours[0] == theirs[0] and ours[2] == theirs[2]
  assert_collectives(set(ours[1]), set(theirs[1]))
  assert_close(ours[3], theirs[3])
