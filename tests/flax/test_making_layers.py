"""How layers are made: metadata and shardings of the parameters, few compilations, warnings."""

import functools
import warnings

from flax import linen as nn
from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import optax
import pytest

import jaxgemm
from jaxgemm.call import fallback
from jaxgemm.flax import linen as jaxgemm_linen
from jaxgemm.flax import nnx as jaxgemm_nnx
from tests.support import moe_reference
from tests.support.moe_reference import C, E, H, assert_near, make_linen, make_nnx, tokens


def of_key(key, shape, dtype):
  """An initializer that is compiled sooner than those of JAX."""
  value = (jax.random.key_data(key) % 1021).astype(dtype).sum() / 2042 - 0.5
  return value * jnp.cos(jnp.arange(np.prod(shape), dtype=dtype)).reshape(shape)


SIZES = dict(hidden_features=H, num_experts=E, use_bias=True, num_shared_experts=1,
             use_router_bias=True, kernel_init=of_key, router_init=of_key, bias_init=of_key)
# An experts' parameter has the name of the experts in front, all others have none.
OF_EXPERTS = {"down": P("expert", None, None), "down_bias": P("expert", None),
              "gate_up": P("expert", None, None, None), "gate_up_bias": P("expert", None, None)}


def make_mesh(axis_type=AxisType.Auto):
  return jax.make_mesh((8,), ("expert",), axis_types=(axis_type,))


def nnx_layer(**options):
  return jaxgemm_nnx.MoE(features=C, rngs=nnx.Rngs(0), **SIZES | options)


def specs_of(layer):
  return nnx.to_pure_dict(nnx.get_partition_spec(nnx.state(layer)))


def wanted_specs(specs):
  return {**jax.tree.map(lambda _: P(), specs), "experts": OF_EXPERTS}


@pytest.mark.whole(unless=lambda axis_type: axis_type != AxisType.Auto)
@pytest.mark.parametrize("axis_type", [None, AxisType.Auto, AxisType.Explicit])
def test_partition_name_alone_shards_the_experts_of_nnx(axis_type):
  if axis_type is None:  # Flax itself refuses names that an initializer has, without a mesh
    layer = nnx_layer(partition_name="expert")
    assert specs_of(layer) == wanted_specs(specs_of(layer))
    optimizer = nnx.Optimizer(layer, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    assert len(jax.tree.leaves(nnx.state(optimizer))) > 1
    return
  mesh = make_mesh(axis_type)
  make = functools.partial(nnx_layer, partition_name="expert")
  replicated = nnx.state(make(partition_name=None))
  with jax.set_mesh(mesh):
    for layer in (make(), nnx.jit(make)()) if axis_type == AxisType.Auto else (make(),):
      state = nnx.state(layer)
      assert specs_of(layer) == wanted_specs(specs_of(layer))
      shardings = nnx.to_pure_dict(nnx.get_named_sharding(state, mesh))
      assert shardings["experts"]["down"] == NamedSharding(mesh, OF_EXPERTS["down"])
      for name, x in nnx.to_pure_dict(state)["experts"].items():
        assert x.sharding.is_equivalent_to(shardings["experts"][name], x.ndim)
        assert x.sharding.shard_shape(x.shape)[0] == 1
    abstract = nnx.eval_shape(make)
  assert specs_of(abstract) == wanted_specs(specs_of(abstract))
  jax.tree.map(np.testing.assert_array_equal, nnx.to_pure_dict(state),
               nnx.to_pure_dict(replicated))


def test_names_of_an_initializer_are_those_of_linear():
  mesh = jax.make_mesh((4, 2), ("expert", "model"), axis_types=(AxisType.Auto,) * 2)
  init = nnx.with_partitioning(of_key, (None, "model"))
  with jax.set_mesh(mesh):
    linear = nnx.Linear(C, H, kernel_init=init, rngs=nnx.Rngs(0))
    layer = nnx_layer(kernel_init=init, partition_name="expert",
                      router_init=nnx.with_partitioning(of_key, (None, "expert")))
    state = nnx.to_pure_dict(nnx.state(layer))
  assert linear.kernel[...].sharding == NamedSharding(mesh, P(None, "model"))
  for found, spec in ((state["experts"]["gate_up"], P("expert", None, None, "model")),
                      (state["experts"]["down_bias"], P("expert", None)),
                      (state["shared"]["down"], P(None, "model")),
                      (state["router"], P(None, "expert"))):
    assert found.sharding == NamedSharding(mesh, spec)


def test_logical_names_of_nnx():
  rules = ("experts", "expert"), ("features", None)
  init = nnx.with_partitioning(of_key, ("features", None), sharding_rules=rules)
  with jax.set_mesh(make_mesh()):
    with nnx.logical_axis_rules(rules[:1]):
      by_context = nnx_layer(partition_name="experts")
      assert specs_of(by_context)["experts"] == OF_EXPERTS
    by_variable = nnx_layer(partition_name="experts", kernel_init=init)
  assert specs_of(by_variable)["experts"] == OF_EXPERTS
  for layer in (by_context, by_variable):
    for x in jax.tree.leaves(nnx.state(layer.experts)):
      assert x.sharding.shard_shape(x.shape)[0] == 1


def test_partition_name_alone_shards_the_experts_of_linen(rng):
  layer, x = make_linen(**SIZES, partition_name="expert"), tokens(rng, 8)
  key, mesh = jax.random.key(0), make_mesh()
  wanted = make_linen(**SIZES).init_with_output(key, x)
  specs = nn.get_partition_spec(jax.eval_shape(layer.init, key, x))
  assert specs["params"] == wanted_specs(specs["params"])
  with jax.set_mesh(mesh):
    shardings = nn.get_sharding(jax.eval_shape(layer.init, key, x), mesh)
    variables = jax.jit(layer.init, out_shardings=shardings)(key, x)
    out = jax.jit(layer.apply)(variables, x)
  plain = nn.unbox(variables)
  assert plain["params"]["experts"]["down_bias"].sharding.shard_shape((E, C)) == (1, C)
  assert_near((out, plain), wanted, 1e-5)
  # The boxes are no hindrance where the layer is called in a shard.
  sharded = make_linen(**SIZES, partition_name="expert", expert_axis_name="expert")
  out = jax.jit(jax.shard_map(
      lambda variables, x: sharded.apply(variables, x), mesh=mesh, in_specs=(specs, P()),
      out_specs=P()))(variables, x)
  assert_near(out, wanted[0], 1e-5)


def test_logical_names_of_linen(rng):
  init = nn.with_logical_partitioning(of_key, ("features", None))
  layer = make_linen(**SIZES | dict(kernel_init=init, partition_name="experts"))
  x, rules = tokens(rng, 8), (("experts", "expert"), ("features", None))
  with jax.set_mesh(make_mesh()), nn.logical_axis_rules(rules):
    out, variables = layer.init_with_output(jax.random.key(0), x)
    specs = nn.logical_to_mesh(nn.get_partition_spec(variables))
  assert specs["params"]["experts"] == OF_EXPERTS
  assert_near(out, make_linen(**SIZES).init_with_output(jax.random.key(0), x)[0], 1e-5)


def test_the_states_of_a_recipe_are_made_on_a_mesh():
  mesh = make_mesh(AxisType.Explicit)
  with jax.set_mesh(mesh):
    layer = nnx.Linear(C, H, dot_general=jaxgemm_nnx.Fp8DotGeneralOp(), rngs=nnx.Rngs(0))
    out = nnx.jit(lambda layer, x: layer(x))(layer, jnp.ones((8, C)))
  assert set(jax.tree.leaves(specs_of(layer), is_leaf=lambda x: isinstance(x, P))) == {P()}
  assert out.shape == (8, H)


class _Compilations:
  """Counts the programs that jax compiles."""

  def __init__(self):
    self.names = []
    jax.monitoring.register_event_duration_secs_listener(self._listen)

  def _listen(self, event, _, **more):
    if event == "/jax/core/compile/backend_compile_duration":
      self.names.append(more.get("fun_name"))

  def of(self, function, *args):
    self.names.clear()
    jax.block_until_ready(function(*args))
    return list(self.names)


def test_few_programs_are_compiled_outside_of_jit():
  count = _Compilations()
  x = jnp.ones((3, 5, 13), jnp.bfloat16)  # no other test has these sizes
  sizes = dict(hidden_features=11, num_experts=5, use_bias=True, num_shared_experts=1)
  key, rngs = jax.random.key(0), nnx.Rngs(0)
  rngs.params()
  layers = []

  def make():
    layers.append(jaxgemm_nnx.MoE(features=13, rngs=rngs, **sizes))
    return nnx.state(layers[-1])

  linear = count.of(lambda: nnx.state(nnx.Linear(13, 11, rngs=rngs)))
  made = count.of(make)
  assert 1 <= len(made) <= min(4, len(linear) + 2), made
  assert count.of(make) == []
  called = count.of(lambda: layers[0](x))
  assert 1 <= len(called) <= 24, called
  assert count.of(lambda: layers[0](x)) == []
  layer = jaxgemm_linen.MoE(**sizes)
  initialized = count.of(layer.init, key, x)
  assert 1 <= len(initialized) <= 24, initialized


def test_an_initializer_of_the_user_is_called_for_each_layer():
  scale = 1.0

  def init(key, shape, dtype):
    return jnp.full(shape, scale, dtype)

  def largest():
    return [float(x.max()) for x in (
        nnx_layer(kernel_init=init).experts.down[...],
        make_linen(**SIZES | dict(kernel_init=init)).init(
            jax.random.key(0), jnp.ones((1, C)))["params"]["experts"]["down"])]

  assert largest() == [1.0, 1.0]
  scale = 2.0
  assert largest() == [2.0, 2.0]


def caught(function):
  with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    function()
  return [w for w in found if issubclass(w.category, UserWarning)]


@pytest.mark.whole(unless=lambda kind, scores: (kind == "nnx") == (scores == "softmax"))
@pytest.mark.parametrize("kind", ["nnx", "linen"])
@pytest.mark.parametrize("scores", ["softmax", "sigmoid"])
def test_a_router_without_gradient_is_told_where_the_layer_is_made(rng, kind, scores):
  x = tokens(rng, 12)
  options = dict(router_scores=scores, kernel_init=of_key, router_init=of_key)

  def gradient(**more):
    if kind == "nnx":
      layer = make_nnx(**options, **more)
      return nnx.jit(nnx.grad(lambda layer: (layer(x)[0] ** 2).sum()))(layer)["router"][...]
    layer = make_linen(**options, **more)
    params = layer.init(jax.random.key(0), x)
    loss = lambda params: (layer.apply(params, x)[0] ** 2).sum()
    return jax.jit(jax.grad(loss))(params)["params"]["router"]

  found = []
  told = caught(lambda: found.append(gradient(top_k=1)))
  assert len(told) == 1 and "no gradient" in str(told[0].message)
  assert told[0].filename == moe_reference.__file__
  assert np.abs(found[0]).max() < 1e-6
  for more in (dict(top_k=1, normalize_weights=False), dict(top_k=E)):
    assert not caught(lambda more=more: found.append(gradient(**more)))
    assert np.abs(found[-1]).max() > 1e-6


def test_one_expert_has_a_gradient_with_sigmoids_only():
  make = functools.partial(make_nnx, num_experts=1, top_k=1, normalize_weights=False)
  told, = caught(make)
  assert "num_experts=1 was given" in str(told.message) and "'sigmoid'" in str(told.message)
  assert not caught(functools.partial(make, router_scores="sigmoid"))


@pytest.mark.faster_by_xla
def test_no_warning_about_products_that_no_user_can_change(rng, monkeypatch):
  x = jnp.asarray(rng.standard_normal((3, 7)), jnp.float32)
  # The router's product and those of the shared expert are smaller than any that the kernels take.
  layer = jaxgemm_nnx.MoE(
      features=7, hidden_features=5, num_experts=3, num_shared_experts=1, kernel_init=of_key,
      router_init=of_key, rngs=nnx.Rngs(0))
  monkeypatch.setattr(fallback, "_warned", set())
  loss = lambda layer: (layer(x)[0] ** 2).sum()
  assert not caught(lambda: nnx.jit(nnx.grad(loss))(layer))
  explained = str(jaxgemm.explain(lambda x: layer(x)[0], x))
  assert "fewer than 10000 operations" in explained
  # An equal product that the user calls is told.
  router = layer.router[...]
  told = caught(lambda: jax.jit(lambda x: jaxgemm.dot_general(
      x, router, (((1,), (0,)), ((), ())), precision=None))(x))
  assert len(told) == 1 and "leaves this product to XLA" in str(told[0].message)


def test_a_kernel_in_float64_is_told():
  with jax.enable_x64(True):
    layer = make_nnx(num_shared_experts=1, ragged_dot=None)
    told = caught(lambda: layer(jnp.ones((4, C), jnp.float64)))
  assert any("float64" in str(w.message) for w in told)
