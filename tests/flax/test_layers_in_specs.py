"""Errors of the layers name the parameter whose in_spec in jax.shard_map is wrong."""

from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import pytest

from jaxgemm.flax import Mlp, MoEParams, moe
from jaxgemm.flax import linen as jaxgemm_linen
from jaxgemm.flax.nnx import MoE

X = jax.ShapeDtypeStruct((32, 16), jnp.float32)
OPTIONS = dict(hidden_features=12, num_experts=8, num_shared_experts=1, use_bias=True,
               use_router_bias=True, expert_axis_name="expert")


def function_of_params():
  of = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
  shared = Mlp(of(12, 16), None, of(16, 2, 12), of(16), None, of(2, 12))
  experts = jax.tree.map(lambda x: of(8, *x.shape), shared)
  params = MoEParams(of(16, 8), experts, shared, of(8))
  return lambda params, x: moe(x, params, top_k=2, expert_axis_name="expert")[0], params


def nnx_layer():
  graph, state = nnx.split(nnx.eval_shape(lambda: MoE(features=16, **OPTIONS, rngs=nnx.Rngs(0))))
  return lambda state, x: nnx.merge(graph, state)(x)[0], nnx.to_pure_dict(state)


def linen_layer():
  layer = jaxgemm_linen.MoE(**OPTIONS)
  variables = jax.eval_shape(layer.init, jax.random.key(0), X)
  return lambda variables, x: layer.apply(variables, x)[0], variables


LAYERS = {"moe": function_of_params, "nnx": nnx_layer, "linen": linen_layer}
# The wrong spec of each parameter.
WRONG = {
    "router": P("data"), "router_bias": P("data"), "experts.down": P("expert", "data"),
    "experts.gate_up": P("expert", "data"), "experts.gate_up_bias": P("expert", None, "data"),
    "experts.down_bias": P("expert", "data"), "shared.down": P("data"), "shared.gate_up": P("data"),
}


def mapped(layer, x_axis=0, **specs):
  x_spec = P(*(None,) * x_axis, "data")
  function, params = LAYERS[layer]()

  def spec(path, _):
    name = ".".join(str(getattr(key, "key", getattr(key, "name", ""))) for key in path)
    given = [spec for end, spec in specs.items() if f".{name}".endswith(f".{end}")]
    return given[0] if given else P("expert") if "experts" in name else P()

  mesh = jax.make_mesh((2, 4), ("data", "expert"), (AxisType.Auto,) * 2)
  specs_of_params = jax.tree_util.tree_map_with_path(spec, params)
  return jax.eval_shape(jax.shard_map(
      function, mesh=mesh, in_specs=(specs_of_params, x_spec), out_specs=P("data")), params, X)


@pytest.mark.parametrize("layer", LAYERS)
def test_right_specs(layer):
  assert mapped(layer).shape == X.shape


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", WRONG)
def test_the_parameter_is_named(layer, name):
  with pytest.raises(ValueError) as raised:
    mapped(layer, **{name: WRONG[name]})
  message = str(raised.value)
  assert message.startswith(f"params.{name} has shape (")
  assert f"The likely cause is the in_spec of params.{name}: correct it." in message
  assert "reshape" not in message.lower()


@pytest.mark.parametrize("layer", LAYERS)
def test_the_dimension_of_experts(layer):
  with pytest.raises(ValueError, match="likely cause is the in_spec of params.router"):
    mapped(layer, router=P(None, "expert"))
  with pytest.raises(ValueError, match="in_spec of params.experts.gate_up: correct it"):
    mapped(layer, **{"experts.gate_up": P()})
  everywhere = {f"experts.{name}": P() for name in ("down", "gate_up", "down_bias", "gate_up_bias")}
  with pytest.raises(ValueError, match="in_spec of .*params.experts.down"):
    mapped(layer, **everywhere)


@pytest.mark.parametrize("layer", LAYERS)
def test_tokens_with_sharded_features(layer):
  with pytest.raises(ValueError, match="x has 8 features.*in_spec of x: correct it"):
    mapped(layer, x_axis=1)
