"""Collectives along several mesh axes, in any order of their names, against float64."""

import functools
import itertools

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm.collective import copies
from tests.collective.test_collective_matmul import FUNCTIONS, array, assert_close, both, exact

NAMES = "a", "b", "c"
ORDERS = [order for count in (2, 3) for order in itertools.permutations(NAMES, count)]
# The gradients of allgather_matmul have all products of a ring, so the other one has few cases.
CASES = [("allgather_matmul", order) for order in ORDERS] + [
    ("matmul_reduce_scatter", order) for order in (("b", "a"), ("c", "a", "b"), ("b", "c", "a"))]


def make_mesh(*shape, names=NAMES, order=slice(None)):
  devices = np.array(jax.devices()[:np.prod(shape)])[order].reshape(shape)
  return jax.sharding.Mesh(devices, names, axis_types=(AxisType.Auto,) * len(names))


def along(spec, axes):
  return P(*(axes if axis == "y" else axis for axis in spec))


def results(name, mesh, axes, **options):
  """A function of (lhs, rhs, ct): the result of a collective and both its gradients."""
  function, specs, out = FUNCTIONS[name]
  mapped = jax.shard_map(
      functools.partial(function, axis_name=axes, **options), mesh=mesh,
      in_specs=tuple(along(spec, axes) for spec in specs), out_specs=along(out, axes))
  return jax.jit(lambda *x: pulled_back(mapped, *x))


def pulled_back(f, lhs, rhs, ct):
  result, back = jax.vjp(f, lhs, rhs)
  return result, *back(ct)


def check(f, rng, m=32, k=24, n=40):
  arrays = array(rng, m, k), array(rng, k, n), array(rng, m, n)
  assert_close(f(*arrays), exact(functools.partial(pulled_back, jnp.matmul), *arrays))


@pytest.mark.whole(unless=lambda name, order: CASES.index((name, order)) % 3 == 0)
@pytest.mark.parametrize(("name", "order"), CASES, ids="".join)
def test_every_order_of_axes(rng, name, order):
  check(results(name, make_mesh(2, 2, 2), order), rng)


@both
@pytest.mark.parametrize("shape", [(2, 4, 1), (1, 1, 2)], ids=str)
def test_axes_of_different_sizes(rng, name, shape):
  check(results(name, make_mesh(*shape), ("c", "b", "a")), rng)


@both
def test_devices_that_are_not_in_their_order(rng, name):
  mesh = make_mesh(2, 4, names=("a", "b"), order=np.random.default_rng(1).permutation(8))
  check(results(name, mesh, ("b", "a")), rng)


@both
def test_a_shard_map_in_another(rng, name):
  function, specs, out = FUNCTIONS[name]
  mesh, axes = make_mesh(4, 2, names=("a", "c")), ("c", "a")

  def body(lhs, rhs):
    part = functools.partial(function, axis_name=axes)
    return jax.shard_map(part, in_specs=tuple(along(x, "a") for x in specs),
                         out_specs=along(out, "a"), axis_names={"a"})(lhs, rhs)

  mapped = jax.shard_map(body, mesh=mesh, in_specs=tuple(along(x, "c") for x in specs),
                         out_specs=along(out, "c"), axis_names={"c"})
  check(jax.jit(functools.partial(pulled_back, mapped)), rng)


@both
def test_repeated_and_nested_names_are_refused(rng, name):
  for axes, words in ((("a", "a"), "each axis is allowed once"),
                      ((("a", "b"), "c"), "a tuple of names"), (["a"], "a tuple of names"),
                      ((), "a tuple of names")):
    with pytest.raises((ValueError, TypeError), match=words):
      jax.shard_map(
          functools.partial(FUNCTIONS[name][0], axis_name=axes), mesh=make_mesh(2, 2, 2),
          in_specs=P(), out_specs=P(), check_vma=False)(jnp.ones((8, 8)), jnp.ones((8, 8)))


def test_copies_number_devices_as_axis_index_does(monkeypatch):
  class Device:
    def __init__(self, number):
      self.local_hardware_id = number

  devices = [*map(Device, range(8))]
  monkeypatch.setattr(jax, "local_devices", lambda: devices)
  mesh = make_mesh(2, 2, 2)
  for order in ORDERS:
    numbered = jax.shard_map(
        lambda: lax.axis_index(order).reshape(1, 1, 1), mesh=mesh, in_specs=(),
        out_specs=P(*NAMES))()
    same = jax.sharding.Mesh(np.array(devices).reshape(2, 2, 2), NAMES)
    groups, reason = copies.groups(order, same, NAMES)
    assert reason is None
    for group in groups.split(";"):
      given = np.asarray(numbered).reshape(-1)[[*map(int, group.split())]]
      np.testing.assert_array_equal(given, np.arange(len(given)))
