"""Sharded products have the collectives of jnp.matmul, on eight virtual devices."""

import contextlib
import functools
import re

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from tests.support.environment import FLOAT32_ERROR
from tests.support.tracing import traced_anew

COLLECTIVE = (
    r" (all-gather|all-reduce|reduce-scatter|collective-permute|all-to-all)"
    r"(?:-start)?\("
)


def make_mesh(kind=AxisType.Auto):
  return jax.make_mesh((2, 4), ("x", "y"), axis_types=(kind, kind))


def mixed_mesh(explicit):
  kinds = {x: AxisType.Explicit if x == explicit else AxisType.Auto for x in ("x", "y")}
  return jax.make_mesh((2, 4), tuple(kinds), axis_types=tuple(kinds.values()))


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape), jnp.float32)


def collectives(compiled):
  return sorted(re.findall(COLLECTIVE, compiled.as_text()))


def assert_same(given, wanted):
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True):
    tolerance = max(1e-3, FLOAT32_ERROR * np.abs(y).max(initial=0))
    np.testing.assert_allclose(x, y, rtol=1e-3, atol=tolerance)


def compare(ours, theirs, arrays, specs, mesh=None, **options):
  """Asserts equal values, shardings and collectives; returns the collectives."""
  mesh = mesh or make_mesh()
  args = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in zip(arrays, specs)]
  ours, theirs = (
      jax.jit(f, **options).lower(*args).compile() for f in (ours, theirs))
  given, wanted = ours(*args), theirs(*args)
  assert_same(given, wanted)
  assert [x.sharding for x in jax.tree.leaves(given)] == [
      x.sharding for x in jax.tree.leaves(wanted)]
  assert collectives(ours) == collectives(theirs)
  return collectives(ours)


@pytest.mark.parametrize("a_shape, b_shape, a_spec, b_spec, wanted", [
    ((16, 32), (32, 24), P("x"), P(), []),
    ((16, 32), (32, 24), P(), P(None, "y"), []),
    ((16, 32), (32, 24), P("x"), P(None, "y"), []),
    ((16, 32), (32, 24), P(("x", "y")), P(), []),
    ((16, 32), (32, 24), P(None, "x"), P("x"), ["all-reduce"]),
    ((16, 32), (32, 24), P("x", "y"), P("y"), ["all-reduce"]),
    ((8, 16, 32), (8, 32, 24), P("x"), P("x"), []),
    ((8, 16, 32), (8, 32, 24), P("x", "y"), P("x"), []),
    ((8, 16, 32), (8, 32, 24), P("x"), P("x", None, "y"), []),
    ((8, 16, 32), (8, 32, 24), P("x", None, "y"), P("x", "y"), ["all-reduce"]),
    ((8, 16, 32), (32, 24), P("x"), P(None, "y"), []),
    # Here the sequence is sharded, so the batch must not be folded before partitioning.
    ((8, 16, 32), (32, 24), P(None, "y"), P(), []),
    ((8, 16, 32), (32, 24), P("x", None, "y"), P("y"), ["all-reduce"]),
])
def test_collectives(rng, a_shape, b_shape, a_spec, b_spec, wanted):
  arrays = array(rng, *a_shape), array(rng, *b_shape)
  found = compare(jaxgemm.matmul, jnp.matmul, arrays, (a_spec, b_spec))
  assert found == wanted


def test_one_mesh_axis_on_rows_and_k_gathers_the_weights(rng):
  mesh = make_mesh()
  a, b = array(rng, 64, 32), array(rng, 32, 24)
  args = [jax.device_put(x, NamedSharding(mesh, P("x"))) for x in (a, b)]
  compiled = jax.jit(jaxgemm.matmul).lower(*args).compile()
  assert_same(compiled(*args), a @ b)
  assert collectives(compiled) == ["all-gather"]
  assert compiled(*args).sharding.spec == P("x")


@pytest.mark.parametrize("a_spec, b_spec", [
    (P("x", "y"), P("y")), (P("x"), P(None, "y"))])
def test_epilogue_follows_the_sum_over_shards(rng, a_spec, b_spec):
  arrays = array(rng, 16, 32), array(rng, 32, 24), array(rng, 24)

  def ours(a, b, bias):
    return jaxgemm.matmul(a, b, bias=bias, scale=2.0, activation="gelu")

  def theirs(a, b, bias):
    return jax.nn.gelu(2 * (a @ b) + bias)

  specs = a_spec, b_spec, P()
  compare(ours, theirs, arrays, specs)
  grads = (jax.grad(lambda *x, f=f: f(*x).sum(), (0, 1, 2)) for f in (ours, theirs))
  compare(*grads, arrays, specs)


def test_training_gradients(rng):
  x, w = array(rng, 8, 16, 32), array(rng, 32, 24)
  grads = [jax.grad(lambda w, x, f=f: (f(x, w) ** 2).sum())
           for f in (jaxgemm.matmul, jnp.matmul)]
  assert compare(*grads, (w, x), (P(), P("x"))) == ["all-reduce"]
  assert compare(*grads, (w, x), (P(None, "y"), P("x"))) == ["all-reduce"]


def test_vmap_and_dot_general(rng):
  a, b = array(rng, 8, 16, 32), array(rng, 8, 32, 24)
  compare(jax.vmap(jaxgemm.matmul), jax.vmap(jnp.matmul), (a, b),
          (P("x"), P("x", None, "y")))
  dimensions = (((1,), (1,)), ((0,), (0,)))
  compare(*(lambda a, b, f=f: f(a, b, dimensions)
            for f in (jaxgemm.dot_general, jax.lax.dot_general)),
          (b, b), (P("x", None, "y"), P("x")))


def test_dimension_that_the_mesh_does_not_divide(rng):
  sharding = NamedSharding(make_mesh(), P(None, "y"))
  a, b = array(rng, 15, 31), array(rng, 31, 24)

  @jax.jit
  def f(a, b):
    return jaxgemm.matmul(jax.lax.with_sharding_constraint(a, sharding), b)

  assert_same(f(a, b), a @ b)


def test_eager_call_stays_sharded(rng):
  mesh = make_mesh()
  a = jax.device_put(array(rng, 16, 32), NamedSharding(mesh, P("x")))
  b = jax.device_put(array(rng, 32, 24), NamedSharding(mesh, P(None, "y")))
  assert jaxgemm.matmul(a, b).sharding.spec == P("x", "y")


@pytest.mark.parametrize("a_spec, b_spec, out_spec, sum_over", [
    (P("x"), P(None, "y"), P("x", "y"), None),
    (P("x"), P(), P("x"), None),
    (P("x", "y"), P("y"), P("x"), "y"),
])
def test_shard_map(rng, a_spec, b_spec, out_spec, sum_over):
  a, b, bias = array(rng, 16, 32), array(rng, 32, 24), array(rng, 1)
  mesh = make_mesh()

  def loss(implementation):
    def body(a, b, scale):
      if sum_over:
        out = jaxgemm.matmul(a, b, scale=scale, implementation=implementation)
        return jax.lax.psum(out, sum_over)
      return jaxgemm.matmul(
          a, b, scale=scale, activation="gelu", implementation=implementation)

    mapped = jax.shard_map(body, mesh=mesh, in_specs=(a_spec, b_spec, P()),
                           out_specs=out_spec, check_vma=True)
    return jax.jit(jax.value_and_grad(
        lambda *args: (mapped(*args) ** 2).sum(), (0, 1, 2)))

  ours, theirs = loss("jaxgemm"), loss("xla")
  assert_same(ours(a, b, bias), theirs(a, b, bias))
  lowered = ours.lower(a, b, bias)
  assert "CustomSPMDPartitioning" not in lowered.as_text()
  wanted = theirs.lower(a, b, bias).compile()
  assert collectives(lowered.compile()) == collectives(wanted)


def test_shard_map_refuses_a_wrong_spec(rng):
  f = jax.shard_map(jaxgemm.matmul, mesh=make_mesh(), in_specs=(P("x"), P()),
                    out_specs=P(), check_vma=True)
  with pytest.raises(ValueError, match="out_specs"):
    f(array(rng, 16, 32), array(rng, 32, 24))


def test_explicit_mesh_has_jaxs_types(rng):
  with jax.set_mesh(make_mesh(AxisType.Explicit)):
    a = jax.device_put(array(rng, 16, 32), P("x"))
    b = jax.device_put(array(rng, 32, 24), P(None, "y"))
    assert jax.typeof(jaxgemm.matmul(a, b)) == jax.typeof(a @ b)
    assert not collectives(jax.jit(jaxgemm.matmul).lower(a, b).compile())
    for transform in (lambda f: jax.grad(f, (0, 1)),
                      lambda f: jax.grad(jax.jit(f), (0, 1)),
                      lambda f: jax.jit(jax.grad(f, (0, 1)))):
      ours, theirs = (transform(lambda a, b, f=f: (f(a, b) ** 2).sum())(a, b)
                      for f in (jaxgemm.matmul, jnp.matmul))
      assert [jax.typeof(x) for x in ours] == [jax.typeof(x) for x in theirs]
      assert_same(ours, theirs)
    summed = jaxgemm.matmul(a.T.T, b.T.T, out_sharding=P())
    assert jax.typeof(summed).sharding.spec == P(None, None)


@pytest.mark.parametrize("sets_mesh", [True, False])
def test_explicit_gradients_have_no_hidden_gather(rng, sets_mesh):
  mesh = make_mesh(AxisType.Explicit)
  place = lambda *axes: NamedSharding(mesh, P(*axes))
  a = jax.device_put(array(rng, 16, 32), place("x", "y"))
  b = jax.device_put(array(rng, 32, 24), place("y"))
  bias = array(rng, 24)

  def loss(implementation):
    def f(a, b, bias):
      out = jaxgemm.matmul(a, b, out_sharding=place("x"), scale=2.0, bias=bias,
                           activation="gelu", implementation=implementation)
      return out, (out ** 2).sum()
    return jax.jit(lambda *x: (f(*x)[0], jax.grad(lambda *y: f(*y)[1], (0, 1))(*x)))

  with jax.set_mesh(mesh) if sets_mesh else contextlib.nullcontext():
    ours, theirs = (loss(name)(a, b, bias) for name in ("jaxgemm", "xla"))
    text = loss("jaxgemm").lower(a, b, bias).compile()
  assert [jax.typeof(x) for x in jax.tree.leaves(ours)] == [
      jax.typeof(x) for x in jax.tree.leaves(theirs)]
  assert_same(ours, theirs)
  assert set(collectives(text)) == {"all-reduce"}


def test_explicit_arrays_need_no_mesh_in_context(rng):
  mesh = make_mesh(AxisType.Explicit)
  a = jax.device_put(array(rng, 16, 32), NamedSharding(mesh, P("x")))
  b = jax.device_put(array(rng, 32, 24), NamedSharding(mesh, P(None, "y")))
  given, wanted = jaxgemm.matmul(a, b), a @ b
  assert jax.typeof(given) == jax.typeof(wanted)
  assert given.sharding == wanted.sharding
  assert_same(given, wanted)


@pytest.mark.parametrize("spec", [P("x"), P(None, "x"), P()])
def test_the_gradient_of_an_array_of_no_mesh_is_on_the_explicit_mesh(rng, spec):
  mesh = make_mesh(AxisType.Explicit)
  a = jax.device_put(array(rng, 16, 32), NamedSharding(mesh, spec))
  b = array(rng, 32, 24)
  wanted = jax.grad(lambda b: ((np.asarray(a) @ b) ** 2).sum())(b)
  grad = jax.jit(jax.grad(lambda b: (jaxgemm.matmul(a, b) ** 2).sum()))
  with jax.set_mesh(mesh):
    typed, = grad.trace(b).jaxpr.out_avals
    assert typed.sharding == NamedSharding(mesh.abstract_mesh, P(None, None))
    assert grad(b).sharding == NamedSharding(mesh, P(None, None))
    assert_same(grad(b), wanted)


@pytest.mark.parametrize("a_spec, b_spec", [
    (P("x", "y"), P("y")), (P("x"), P(None, "y")), (P("y"), P(None, "x")),
    (P("y"), P())])
@pytest.mark.parametrize("explicit", ["x", "y"])
def test_meshes_with_explicit_and_automatic_axes(rng, explicit, a_spec, b_spec):
  mesh = mixed_mesh(explicit)
  with jax.set_mesh(mesh):
    a = jax.device_put(array(rng, 16, 32), a_spec)
    b = jax.device_put(array(rng, 32, 24), b_spec)

    def run(function):
      product = lambda a, b: function(a, b, out_sharding=P())
      grads = jax.grad(lambda a, b: (product(a, b) ** 2).sum(), (0, 1))
      both = jax.jit(lambda a, b: (product(a, b), *grads(a, b)))
      text = jax.jit(product).lower(a, b).compile()
      return both.trace(a, b).jaxpr.out_avals, both(a, b), collectives(text)

    (types, given, moved), (wanted_types, wanted, allowed) = (
        run(f) for f in (jaxgemm.matmul, jnp.matmul))
    assert types == wanted_types
    assert [x.sharding for x in given] == [x.sharding for x in wanted]
    assert moved == allowed
    assert_same(given, wanted)


def test_a_grouped_product_on_a_mesh_with_explicit_and_automatic_axes(rng):
  rows, experts = array(rng, 16, 32), array(rng, 4, 32, 24)

  def product(rows, experts, **options):
    return jaxgemm.ragged_dot(rows, experts, jnp.array([5, 0, 8, 3]), **options)

  def grad(**options):
    return jax.jit(jax.grad(lambda *x: (product(*x, **options) ** 2).sum(), (0, 1)))

  wanted, grads = product(rows, experts), grad()(rows, experts)
  with jax.set_mesh(mixed_mesh("x")):
    sharded = jax.device_put(rows, P("x", "y"))
    options = dict(out_sharding=P(None, "x"))
    given = product(sharded, experts, **options)
    assert jax.typeof(given).sharding.spec == P(None, "x")
    assert_same(given, wanted)
    given = grad(**options)(sharded, experts)
    assert jax.typeof(given[0]) == jax.typeof(sharded)
    assert_same(given, grads)


@pytest.mark.whole(unless=lambda spec_a: spec_a != P("y"))
@pytest.mark.parametrize("spec_a, spec_b, shared", [
    (P("y", "x"), P("y"), False), (P("y"), P("y", None, "x"), False),
    (P(("x", "y")), P(("x", "y")), False),
    (P("y", "x"), P(), True), (P("y"), P(None, "x"), True)], ids=str)
def test_vmap_along_an_explicit_axis_gathers_no_more_than_jnp(rng, spec_a, spec_b, shared):
  with jax.set_mesh(make_mesh(AxisType.Explicit)):
    a = jax.device_put(array(rng, 8, 16, 32), spec_a)
    b = jax.device_put(array(rng, *(() if shared else (8,)), 32, 24), spec_b)
    axes = 0, None if shared else 0

    def results(product):
      batched = jax.vmap(product, axes)
      objective = lambda a, b: jnp.tanh(batched(a, b)).sum()
      gradient = jax.grad(objective, (0, 1))
      second = jax.jit(lambda a, b: jax.jvp(gradient, (a, b), (a, b))[1])(a, b)
      each = jax.vmap(jax.grad(lambda a, b: jnp.tanh(product(a, b)).sum(), (0, 1)), axes)
      text = jax.jit(batched).lower(a, b).compile().as_text()
      found = re.findall(r" (all-[a-z-]+|reduce-scatter|collective-permute)\(", text)
      # Outside of jit, jax 0.12 refuses gradients here: a program would have two types of meshes.
      return (batched(a, b), jax.jit(gradient)(a, b), second, jax.jit(each)(a, b)), sorted(found)

    (wanted, found), (given, ours) = results(jnp.matmul), results(jaxgemm.matmul)
    assert jax.tree.map(jax.typeof, given) == jax.tree.map(jax.typeof, wanted)
    jax.tree.map(assert_same, given, wanted)
    assert ours == found


def test_vmap_along_an_explicit_axis_needs_the_partitioning_rule(rng):
  with jax.set_mesh(make_mesh(AxisType.Explicit)):
    a = jax.device_put(array(rng, 8, 16, 32), P("y"))
    product = functools.partial(
        jaxgemm.matmul, b=array(rng, 32, 24), config=jaxgemm.GemmConfig(partition=False))
    with pytest.raises(ValueError, match="partition=False.*axes .'y'.*Leave partition out"):
      jax.vmap(product)(a)


def test_unreduced_result(rng):
  mesh = make_mesh(AxisType.Explicit)
  unreduced = NamedSharding(mesh, P("x", unreduced={"y"}))
  with jax.set_mesh(mesh):
    a = jax.device_put(array(rng, 16, 32), P("x", "y"))
    b = jax.device_put(array(rng, 32, 24), P("y"))

    def product(function, **options):
      out = jax.jit(lambda a, b: function(a, b, out_sharding=unreduced, **options))
      assert jax.typeof(out(a, b)).sharding.spec.unreduced == {"y"}
      return jax.reshard(out(a, b), P("x"))

    with pytest.warns(UserWarning, match="sums over the mesh axes"):
      assert_same(product(jaxgemm.matmul), product(jnp.matmul))
    with pytest.raises(ValueError, match="implementation='jaxgemm'.*such partial sums"):
      product(jaxgemm.matmul, implementation="jaxgemm")
    with pytest.raises(ValueError, match="Sum the result with jax.reshard"):
      product(jaxgemm.matmul, activation="gelu")


def test_export_works_for_several_devices(rng):
  a, b = array(rng, 16, 32), array(rng, 32, 24)
  specs = P("x"), P(None, "y")
  mesh = make_mesh()
  checks = [jax.export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")]
  mapped = jax.shard_map(jaxgemm.matmul, mesh=mesh, in_specs=specs,
                         out_specs=P("x", "y"))
  args = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in zip((a, b), specs)]
  exported = jax.export.export(
      jax.jit(mapped), platforms=("cpu", "rocm"), disabled_checks=checks)(*args)
  assert exported.nr_devices == 8
  assert_same(jax.jit(exported.call)(*args), a @ b)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit], ids=str)
def test_export_of_sharded_operands_works_or_says_what_to_do(rng, kind):
  mesh = make_mesh(kind)
  a = jax.device_put(array(rng, 16, 32), NamedSharding(mesh, P("x")))
  experts = jax.device_put(array(rng, 8, 32, 24), NamedSharding(mesh, P("y")))
  sizes = jax.device_put(jnp.full(8, 2), NamedSharding(mesh, P()))
  weights = jax.device_put(array(rng, 32, 24), NamedSharding(mesh, P(None, "y")))
  checks = [jax.export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")]
  out = {} if kind == AxisType.Auto else {"out_sharding": NamedSharding(mesh, P())}
  ragged = functools.partial(jaxgemm.ragged_dot, **out)
  for function, arguments in (jaxgemm.matmul, (a, weights)), (ragged, (a, experts, sizes)):
    export = jax.export.export(jax.jit(function), disabled_checks=checks)
    if kind == AxisType.Auto:
      with pytest.raises(ValueError, match="jax.export exports.*inside jax.shard_map over all"):
        export(*arguments)
    else:
      loaded = jax.export.deserialize(export(*arguments).serialize())
      assert_same(jax.jit(loaded.call)(*arguments), function(*arguments))


def test_partition_false_leaves_the_rule_out(rng):
  a, b = array(rng, 16, 32), array(rng, 32, 24)
  config = GemmConfig(partition=False)
  sharding = NamedSharding(make_mesh(), P("x"))
  args = [jax.device_put(x, sharding) for x in (a, b)]
  functions = [jax.jit(lambda a, b, c=c: jaxgemm.matmul(a, b, config=c))
               for c in (None, config)]
  texts = [f.lower(*args).as_text() for f in functions]
  assert ["CustomSPMDPartitioning" in text for text in texts] == [True, False]
  single = jax.jit(jaxgemm.matmul).lower(a, b).as_text()
  assert "CustomSPMDPartitioning" not in single


def test_one_device_needs_no_rule(rng, monkeypatch):
  a, b = array(rng, 3, 5), array(rng, 5, 2)
  assert "custom_partitioning" in str(jax.make_jaxpr(jaxgemm.matmul)(a, b))
  monkeypatch.setattr(jax, "device_count", lambda: 1)
  with traced_anew():
    assert "custom_partitioning" not in str(jax.make_jaxpr(jaxgemm.matmul)(a, b))


def test_gspmd_propagation(rng):
  arrays = array(rng, 16, 32), array(rng, 32, 24)
  jax.config.update("jax_use_shardy_partitioner", False)
  try:
    for specs in ((P("x"), P(None, "y")), (P("x", "y"), P("y"))):
      compare(jaxgemm.matmul, jnp.matmul, arrays, specs)
  finally:
    jax.config.update("jax_use_shardy_partitioner", True)


@pytest.mark.parametrize("kind, part", [
    (AxisType.Auto, "whole product"), (AxisType.Explicit, "one device's part")])
def test_explain_says_which_part_of_a_product_is_planned(rng, kind, part):
  mesh = make_mesh(kind)
  a, b = array(rng, 64, 32), array(rng, 32, 24)
  plain = jaxgemm.explain(a, b)
  given = jaxgemm.explain(*(
      jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in ((a, P("x")), (b, P()))))
  assert part in str(given) and "sharded" not in str(plain)
  whole = kind == AxisType.Auto
  assert (given.data["tile"] == plain.data["tile"]) == whole
