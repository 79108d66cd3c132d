"""Sharded grouped products: no hidden all-gather, on eight virtual devices."""

import contextlib
import functools
import re

from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from jaxgemm.call import group_sizes
from tests.grouped.jax_versions import needs_ragged_out_sharding
from tests.grouped.ragged_reference import array, assert_close
from tests.support.moe_reference import assert_near, jit, make_nnx, tokens

COLLECTIVE = (
    r" (all-gather|all-reduce|reduce-scatter|collective-permute|all-to-all)"
    r"(?:-start)?\("
)
# Group sizes for an lhs of 64 rows; the last 8 rows belong to no group.
SIZES = jnp.array([0, 20, 3, 0, 11, 9, 0, 13], jnp.int32)
CONTRACTED_ROWS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())


def make_mesh(kind=AxisType.Auto):
  return jax.make_mesh((2, 4), ("x", "y"), axis_types=(kind, kind))


def collectives(compiled):
  return sorted(re.findall(COLLECTIVE, compiled.as_text()))


def compare(function, arrays, specs, out_specs=None):
  """Asserts that the sharded function returns the values of one device.

  Args:
    out_specs: Specs of the results, or None to leave them to XLA.

  Returns:
    The collectives of the compiled function and the specs of its results.
  """
  mesh = make_mesh()
  place = lambda spec: NamedSharding(mesh, spec)
  args = [jax.device_put(x, place(spec)) for x, spec in zip(arrays, specs, strict=True)]
  is_spec = lambda x: isinstance(x, P)
  out = {} if out_specs is None else {
      "out_shardings": jax.tree.map(place, out_specs, is_leaf=is_spec)}
  compiled = jit(function, **out).lower(*args).compile()
  given = compiled(*args)
  wanted = jit(function)(*arrays)
  jax.tree.map(functools.partial(assert_close, tolerance=2e-5), given, wanted)
  return collectives(compiled), [x.sharding.spec for x in jax.tree.leaves(given)]


@pytest.mark.parametrize("lhs, rhs, out, wanted", [
    # With sharded rows and columns nothing is communicated.
    (P("x"), P(), P("x"), []),
    (P(("y", "x")), P(), P(("y", "x")), []),
    (P(), P(None, None, "y"), P(None, "y"), []),
    (P("x"), P(None, None, "y"), P("x", "y"), []),
    # With sharded k there is one all-reduce, before the epilogue.
    (P(None, "y"), P(None, "y"), P(), ["all-reduce"]),
    (P("x", "y"), P(None, "y"), P("x"), ["all-reduce"]),
    # With sharded experts the weights stay, and an all-reduce adds the results.
    (P(), P("x"), P(), ["all-reduce"]),
    (P(), P(("x", "y")), P(), ["all-reduce"]),
    (P("x"), P("y"), P("x"), ["all-reduce"]),
    (P(), P("x", None, "y"), P(None, "y"), ["all-reduce"]),
    (P(None, "y"), P("x", "y"), P(), ["all-reduce", "all-reduce"]),
    # Here rows and experts are sharded along one mesh axis.
    (P("x"), P("x"), P("x"), ["all-gather", "reduce-scatter"]),
])
def test_collectives(rng, lhs, rhs, out, wanted):
  arrays = [array(rng, *x) for x in ((64, 32), (8, 32, 24), (8, 24), (8, 1))]

  def layer(lhs, rhs, bias, scale, sizes):
    return jaxgemm.ragged_dot(
        lhs, rhs, sizes, bias=bias, scale=scale, activation="gelu")

  groups, columns = (*rhs, None, None, None)[:3:2]
  specs = lhs, rhs, P(groups, columns), P(groups), P()
  assert compare(layer, (*arrays, SIZES), specs) == (wanted, [out])


def test_rows_and_experts_along_one_axis_move_the_smaller_array(rng):
  # With few experts and many rows the weights are gathered.
  arrays = array(rng, 256, 32), array(rng, 2, 32, 24), jnp.array([77, 150], jnp.int32)
  assert compare(jaxgemm.ragged_dot, arrays, (P("x"), P("x"), P())) == (
      ["all-gather"], [P("x")])


@pytest.mark.parametrize("lhs, rhs, wanted", [
    (P("x"), P(), ["all-reduce"]),  # for the gradient of rhs
    (P("x"), P(None, None, "y"), ["all-reduce"] * 2),
    (P(None, "y"), P(None, "y"), ["all-reduce"] * 1),
    (P(), P("x"), ["all-reduce"] * 2),  # for out and the saved value; for d_lhs
    (P("y"), P("x"), ["all-reduce"] * 3),
])
def test_gradients(rng, lhs, rhs, wanted):
  arrays = (array(rng, 64, 32), array(rng, 8, 32, 24), array(rng, 8, 24), SIZES,
            array(rng, 64, 24))

  def gradients(lhs, rhs, bias, sizes, cotangent):
    out, vjp = jax.vjp(lambda *x: jaxgemm.ragged_dot(
        *x[:2], sizes, bias=x[2], activation="silu"), lhs, rhs, bias)
    return out, *vjp(cotangent)

  groups, columns = (*rhs, None, None, None)[:3:2]
  rows = (*lhs, None)[0]
  specs = lhs, rhs, P(groups, columns), P(), P(rows, columns)
  found, _ = compare(gradients, arrays, specs, (P(rows, columns), *specs[:3]))
  assert found == wanted


@pytest.mark.parametrize("rhs, offset", [
    (P(), 3), (P("y"), 3), (P("y"), 7), (P(None, None, "y"), 0)])
def test_group_offset(rng, rhs, offset):
  arrays = array(rng, 64, 32), array(rng, 4, 32, 24), SIZES, jnp.array([offset])

  def gradients(lhs, rhs, sizes, offset):
    return jax.value_and_grad(lambda lhs, rhs: (jaxgemm.ragged_dot(
        lhs, rhs, sizes, group_offset=offset) ** 2).sum(), (0, 1))(lhs, rhs)

  found, _ = compare(gradients, arrays, (P("x"), rhs, P(), P()), (P(), (P("x"), rhs)))
  assert set(found) == {"all-reduce"}


@pytest.mark.parametrize("lhs, rhs, wanted", [
    (P("x"), P(None, None, None, "y"), ["all-reduce"] * 2),
    (P(), P("x"), ["all-reduce"] * 2),
    (P(None, "y"), P(None, "y"), ["all-reduce"]),
])
@pytest.mark.parametrize("buffer", [False, True])
def test_gated(rng, lhs, rhs, wanted, buffer):
  arrays = [array(rng, 64, 32), array(rng, 8, 32, 2, 24), array(rng, 8, 2, 24),
            array(rng, 64, 24), SIZES, array(rng, 8, 32, 2, 24)]

  def gradients(lhs, rhs, bias, cotangent, sizes, rhs_grad):
    def layer(lhs, bias, x):
      if buffer:
        return jaxgemm.ragged_gated_linear_unit(lhs, rhs, sizes, bias=bias, rhs_grad=x)
      return jaxgemm.ragged_gated_linear_unit(lhs, x, sizes, bias=bias)
    out, vjp = jax.vjp(layer, lhs, bias, rhs_grad if buffer else rhs)
    return out, *vjp(cotangent)

  groups, columns = (*rhs, None, None, None, None)[:4:3]
  rows = (*lhs, None)[0]
  of_out, bias = P(rows, columns), P(groups, None, columns)
  specs = lhs, rhs, bias, of_out, P(), rhs
  found, _ = compare(gradients, arrays, specs, (of_out, lhs, bias, rhs))
  assert found == wanted


@pytest.mark.parametrize("lhs, rhs, out, wanted", [
    (P("x"), P("x"), P(), ["all-reduce"]),
    (P("x", "y"), P("x"), P(None, "y"), ["all-reduce"]),
    (P(), P(), P("x"), []),
    (P("y"), P("y"), P("x"), ["all-reduce"]),
    (P(), P(None, "y"), P("x", None, "y"), []),
    (P("x"), P("x"), P("x"), ["all-gather", "all-gather"]),
])
@pytest.mark.parametrize("accumulate", [False, True])
def test_contracted_rows(rng, lhs, rhs, out, wanted, accumulate):
  arrays = array(rng, 64, 16), array(rng, 64, 24), SIZES, array(rng, 8, 16, 24)

  def product(lhs, rhs, sizes, buffer):
    return jaxgemm.ragged_dot_general(lhs, rhs, sizes, CONTRACTED_ROWS,
                                      accumulate=buffer if accumulate else None)

  found = compare(product, arrays, (lhs, rhs, P(), out), out)
  assert found == (wanted, [out])


@pytest.mark.parametrize("accumulate", [False, True])
def test_products_over_many_rows_use_reduce_scatter(rng, accumulate):
  arrays = (array(rng, 64, 16), array(rng, 64, 24), jnp.array([37, 5], jnp.int32),
            array(rng, 2, 16, 24))

  def product(lhs, rhs, sizes, buffer):
    return jaxgemm.ragged_dot_general(lhs, rhs, sizes, CONTRACTED_ROWS,
                                      accumulate=buffer if accumulate else None)

  for out in (P("x"), P(None, "x"), P(None, None, "x")):
    assert compare(product, arrays, (P("x"), P("x"), P(), out), out) == (
        ["reduce-scatter"], [out])


def test_vmap(rng):
  arrays = array(rng, 4, 16, 32), array(rng, 8, 32, 24), jnp.stack([SIZES // 4] * 4)
  product = jax.vmap(jaxgemm.ragged_dot, (0, None, 0))
  specs = P("y"), P(None, None, "x"), P("y")
  assert compare(product, arrays, specs) == ([], [P("y", None, "x")])
  specs = P("x", None, "y"), P(None, "y"), P("x")
  assert compare(product, arrays, specs) == (["all-reduce"], [P("x")])
  # With shared sizes vmap's dimension is part of the rows or the kernel's batch.
  product = jax.vmap(jaxgemm.ragged_dot, (0, None, None))
  arrays = arrays[0], arrays[1], SIZES // 4
  assert compare(product, arrays, (P("y"), P("x"), P())) == (["all-reduce"], [P("y")])


@needs_ragged_out_sharding
@pytest.mark.parametrize("experts, out, found", [
    (P(), P(), []), (P(None, None, "x"), P(None, "x"), []), (P("x"), P(), ["all-reduce"])],
    ids=["whole", "columns", "experts"])
def test_vmap_along_an_explicit_axis_gathers_nothing(rng, experts, out, found):
  rows, weights = array(rng, 4, 16, 32), array(rng, 8, 32, 24)
  sizes = jnp.stack([SIZES // 4] * 4)
  of_rows = lambda **options: lambda *args: jaxgemm.ragged_dot(*args, **options)

  def gradients(product):
    each = jax.grad(lambda *args: jnp.tanh(product(*args)).sum(), (0, 1))
    whole = jax.grad(lambda *args: jnp.tanh(jax.vmap(
        product, (0, None, 0))(*args)).sum(), (0, 1))
    return whole, jax.vmap(each, (0, None, 0))

  wanted = [f(rows, weights, sizes) for f in (
      jax.vmap(of_rows(), (0, None, 0)), *gradients(of_rows()))]
  with jax.set_mesh(make_mesh(AxisType.Explicit)):
    args = [jax.device_put(x, spec) for x, spec in (
        (rows, P("y")), (weights, experts), (sizes, P("y")))]
    product = of_rows(out_sharding=out)
    batched = jax.vmap(product, (0, None, 0))
    # Outside of jit, jax 0.12 refuses gradients here: a program would have two types of meshes.
    given = [f(*args) for f in (batched, *map(jax.jit, gradients(product)))]
    assert jax.typeof(given[0]).sharding.spec == P("y", *out, *[None] * (2 - len(out)))
    for x, y in zip(args, given[1]):
      assert jax.typeof(x) == jax.typeof(y)
    assert collectives(jax.jit(batched).lower(*args).compile()) == found
  assert_near(jax.device_get(given), wanted, 1e-5)


def test_integers(rng):
  arrays = [jnp.asarray(rng.integers(-9, 9, shape), jnp.int8)
            for shape in ((64, 32), (8, 32, 24))]
  product = functools.partial(jaxgemm.ragged_dot, preferred_element_type=jnp.int32)
  for lhs, rhs in ((P("x", "y"), P(None, "y")), (P("x"), P("y"))):
    assert compare(product, (*arrays, SIZES), (lhs, rhs, P())) == (
        ["all-reduce"], [P("x")])


def test_dimensions_that_the_mesh_does_not_divide_are_gathered(rng):
  # The mesh axes do not divide 7 experts, 30 rows or 18 columns.
  arrays = array(rng, 30, 32), array(rng, 7, 32, 18), SIZES[:7]
  mesh = make_mesh()

  @jax.jit
  def product(lhs, rhs, sizes):
    lhs, rhs = (lax.with_sharding_constraint(x, NamedSharding(mesh, spec))
                for x, spec in ((lhs, P("y")), (rhs, P("x", None, "y"))))
    return jaxgemm.ragged_dot(lhs, rhs, sizes)

  assert_close(product(*arrays), jaxgemm.ragged_dot(*arrays))


@pytest.mark.parametrize("sizes", [
    [0] * 8, [2**31 - 1] * 8, [5, -20, 15, 0, 0, 70, 1, 1], [0, 0, 0, 64, 0, 0, 0, 0]])
def test_sizes_out_of_range_give_the_values_of_one_device(rng, sizes):
  arrays = array(rng, 64, 32), array(rng, 8, 32, 24), jnp.asarray(sizes, jnp.int32)
  for lhs, rhs in ((P("x"), P("y")), (P(("x", "y")), P())):
    compare(jaxgemm.ragged_dot, arrays, (lhs, rhs, P()))


def test_part_of_sizes():
  part = jax.jit(lambda first: group_sizes.sizes_in_range(SIZES, first, 16))
  parts = [part(first) for first in range(0, 64, 16)]
  np.testing.assert_array_equal(parts, [
      [0, 16, 0, 0, 0, 0, 0, 0], [0, 4, 3, 0, 9, 0, 0, 0], [0, 0, 0, 0, 2, 9, 0, 5],
      [0, 0, 0, 0, 0, 0, 0, 8]])


def test_eager_and_partition_false(rng):
  mesh = make_mesh()
  lhs, rhs = (jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
      (array(rng, 64, 32), P("x")), (array(rng, 8, 32, 24), P("y"))))
  assert jaxgemm.ragged_dot(lhs, rhs, SIZES).sharding.spec == P("x")
  config = GemmConfig(partition=False)
  product = functools.partial(jaxgemm.ragged_dot, config=config)
  lowered = jax.jit(product).lower(lhs, rhs, SIZES)
  assert "CustomSPMDPartitioning" not in lowered.as_text()
  assert "all-gather" in collectives(lowered.compile())
  lowered = jax.jit(jax.grad(lambda *x: product(*x).sum())).lower(lhs, rhs, SIZES)
  assert "CustomSPMDPartitioning" not in lowered.as_text()


def test_shard_map_needs_no_rule(rng):
  product = jax.shard_map(
      lambda *x: jax.grad(lambda lhs, *x: jaxgemm.ragged_dot(lhs, *x).sum())(*x),
      mesh=make_mesh(), in_specs=P(), out_specs=P())
  arrays = array(rng, 64, 32), array(rng, 8, 32, 24), SIZES
  assert "CustomSPMDPartitioning" not in jax.jit(product).lower(*arrays).as_text()


@needs_ragged_out_sharding
def test_explicit_mesh(rng):
  with jax.set_mesh(make_mesh(AxisType.Explicit)):
    lhs = jax.device_put(array(rng, 64, 32), P("x"))
    rhs = jax.device_put(array(rng, 8, 32, 24), P("y"))
    product = functools.partial(jaxgemm.ragged_dot, out_sharding=P("x"))
    compiled = jax.jit(product).lower(lhs, rhs, SIZES).compile()
    assert collectives(compiled) == ["all-reduce"]
    assert jax.typeof(product(lhs, rhs, SIZES)).sharding.spec == P("x", None)


@pytest.mark.parametrize("lhs, rhs", [
    (P("x"), P("y")), (P("x", "y"), P(None, "y")), (P(), P(None, None, "y"))])
@pytest.mark.parametrize("sets_mesh", [True, False])
@needs_ragged_out_sharding
def test_explicit_gradients(rng, lhs, rhs, sets_mesh):
  arrays = array(rng, 64, 32), array(rng, 8, 32, 24), array(rng, 8, 24)
  mesh = make_mesh(AxisType.Explicit)
  place = lambda spec: NamedSharding(mesh, spec)
  groups, columns = (*rhs, None, None, None)[:3:2]

  def loss(lhs, rhs, bias, out_sharding=None):
    out = jaxgemm.ragged_dot(lhs, rhs, SIZES, bias=bias, activation="gelu",
                             out_sharding=out_sharding)
    return (out ** 2).sum()

  def gradient(*arrays):
    return jax.grad(loss, (0, 1, 2))(
        *arrays, place(P((*lhs, None)[0], columns)))

  wanted = jax.grad(loss, (0, 1, 2))(*arrays)
  args = [jax.device_put(x, place(spec)) for x, spec in zip(
      arrays, (lhs, rhs, P(groups, columns)))]
  with jax.set_mesh(mesh) if sets_mesh else contextlib.nullcontext():
    compiled = jax.jit(gradient).lower(*args).compile()
  given = compiled(*args)
  assert [jax.typeof(x) for x in given] == [jax.typeof(x) for x in args]
  jax.tree.map(functools.partial(assert_close, tolerance=2e-5),
               *jax.device_get((given, wanted)))
  assert set(collectives(compiled)) == {"all-reduce"}


@needs_ragged_out_sharding
def test_explicit_mesh_refuses_what_it_cannot_compute(rng):
  with jax.set_mesh(make_mesh(AxisType.Explicit)):
    lhs, rhs = array(rng, 64, 32), array(rng, 8, 32, 24)
    with pytest.raises(ValueError, match="rhs_grad was given.*Use jax.shard_map"):
      jaxgemm.ragged_dot(lhs, rhs, SIZES, rhs_grad=rhs, out_sharding=P("x"))
    message = "several free or contracted dimensions.*Use jax.shard_map"
    with pytest.raises(ValueError, match=message):
      jaxgemm.ragged_dot(lhs, rhs.reshape(8, 32, 2, 12), SIZES, out_sharding=P("x"))


@pytest.mark.parametrize("lhs", [P(), P("x")])
def test_gradient_of_experts_stays_with_them(rng, lhs):
  arrays = array(rng, 64, 32), array(rng, 8, 32, 24), SIZES
  gradient = jax.grad(lambda *x: (jaxgemm.ragged_dot(*x) ** 2).sum(), 1)
  mesh = make_mesh()
  specs = lhs, P("y"), P()
  _, found = compare(gradient, arrays, specs)
  assert found == [P("y")]
  args = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in zip(arrays, specs)]
  text = jax.jit(gradient).lower(*args).compile().as_text()
  experts = re.findall(r"= \(f32\[(\d+),32,24\].*jaxgemm_gemm", text)
  assert experts == ["2"]
  again = jax.grad(lambda *x: (gradient(*x) ** 2).sum(), 1)
  assert compare(again, arrays, specs)[1] == [P("y")]


def test_gspmd_propagation(rng):
  arrays = array(rng, 64, 32), array(rng, 8, 32, 24), SIZES
  jax.config.update("jax_use_shardy_partitioner", False)
  try:
    for lhs, rhs, out, wanted in (
        (P("x"), P(None, None, "y"), P("x", "y"), []),
        (P("x"), P("y"), P("x"), ["all-reduce"]),
        (P("x"), P("x"), P("x"), ["all-gather", "reduce-scatter"])):
      assert compare(jaxgemm.ragged_dot, arrays, (lhs, rhs, P())) == (wanted, [out])
  finally:
    jax.config.update("jax_use_shardy_partitioner", True)


@pytest.mark.parametrize("shape", [(1, 8), (2, 4)])
def test_flax_experts_stay_where_they_are(rng, shape):
  mesh = jax.make_mesh(shape, ("data", "expert"), axis_types=(AxisType.Auto,) * 2)
  x = tokens(rng, 4, 12)
  layer = make_nnx(use_bias=True, ragged_dot=jaxgemm.ragged_dot)
  graphdef, params = nnx.split(layer)
  is_expert = lambda path: "experts" in jax.tree_util.keystr(path)
  place = lambda path, _: NamedSharding(mesh, P("expert") if is_expert(path) else P())
  shardings = NamedSharding(mesh, P("data")), jax.tree_util.tree_map_with_path(
      place, params)

  def gradients(x, params):
    return jax.value_and_grad(
        lambda x, params: (nnx.merge(graphdef, params)(x)[0] ** 2).sum(), (0, 1))(
            x, params)

  args = jax.device_put((x, params), shardings)
  compiled = jit(gradients, out_shardings=(None, shardings)).lower(*args).compile()
  given, wanted = compiled(*args), jit(gradients)(x, params)
  assert_near(*jax.device_get((given, wanted)), 1e-5)
  found = set(collectives(compiled))
  if shape == (1, 8):
    assert found == {"all-reduce"}
  else:  # the routing table is of all tokens, and the products read all tokens by it
    gathered = re.findall(
        r"\[([\d,]*)\]\S* all-gather(?:-start)?\(", compiled.as_text())
    assert found == {"all-gather", "all-reduce"} and set(gathered) == {"48,8", "48,2", "48,16"}
