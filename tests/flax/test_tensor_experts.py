"""Experts whose hidden features are sharded, with tokens and weights sharded, too."""

import functools
import re

from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import pytest

from jaxgemm.flax import Mlp, MoEParams, moe
from tests.support.moe_reference import (
  RAGGED_DOTS,
  C,
  assert_near,
  layer,
  make_nnx,
  make_params,
  tokens,
  value_and_grads,
)

# The dimensions of a shared expert's arrays that are the hidden features, and those that are C.
HIDDEN = {"down": 0, "up": 1, "gate_up": 2, "up_bias": 0, "gate_up_bias": 1}
FEATURES = {"down": 1, "up": 0, "gate_up": 0}


def make_mesh(**axes):
  return jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def mlp_specs(params: Mlp, lead, tensor, features=None) -> Mlp:
  """Specs of an Mlp whose hidden features are along `tensor` and features along `features`."""
  def spec(name, x):
    axes = [None] * (x.ndim - len(lead))
    for places, axis in ((HIDDEN, tensor), (FEATURES, features)):
      if name in places:
        axes[places[name]] = axis
    return P(*lead, *axes)
  return Mlp(**{name: None if x is None else spec(name, x)
                for name, x in params._asdict().items()})


def specs(params: MoEParams, expert, tensor, features=None) -> MoEParams:
  return MoEParams(P(), mlp_specs(params.experts, (expert,), tensor, features),
                   params.shared and mlp_specs(params.shared, (), tensor, features))


def gathered(params: MoEParams, axis) -> MoEParams:
  """The parameters with all of their features, which were sharded along the axis."""
  def whole(mlp, lead):
    return Mlp(**{name: lax.all_gather(x, axis, axis=lead + FEATURES[name], tiled=True)
                  if name in FEATURES and x is not None else x
                  for name, x in mlp._asdict().items()})
  return params._replace(experts=whole(params.experts, 1),
                         shared=params.shared and whole(params.shared, 0))


@RAGGED_DOTS
@pytest.mark.parametrize("form, activation", [
    (dict(use_bias=True, shared=1), "silu"), (dict(gated=False, use_bias=True), "gelu")])
def test_hidden_features_of_all_experts(rng, ragged_dot, form, activation):
  x, params = tokens(rng, 24), make_params(rng, **form)
  cotangent = jnp.asarray(rng.standard_normal((24, C)), jnp.float32)
  options = dict(top_k=2, ragged_dot=ragged_dot, activation=activation)
  sharded = jax.shard_map(
      lambda x, params: layer(x, params, tensor_axis_name="tensor", **options),
      mesh=make_mesh(tensor=4), in_specs=(P(), specs(params, None, "tensor")), out_specs=P())
  given = value_and_grads(sharded, x, params, cotangent)
  wanted = value_and_grads(layer, x, params, cotangent, **options)
  assert_near(given, wanted, 1e-5)
  text = jax.jit(sharded).lower(x, params).compile().as_text()
  assert re.findall(r" (all-\w+|reduce-scatter|collective-permute)(?:-start)?\(",
                    text) == ["all-reduce"]


@pytest.mark.parametrize("dispatch", ["gather", "all_to_all", "overlap"])
def test_beside_sharded_tokens_and_experts_and_weights(rng, dispatch):
  """Tokens are sharded along data and expert, experts along expert, H along tensor, C along
  data."""
  x, params = tokens(rng, 32), make_params(rng, use_bias=True, shared=1)
  cotangent = jnp.asarray(rng.standard_normal((32, C)), jnp.float32)

  def local(x, params):
    out, stats = moe(x, gathered(params, "data"), top_k=2, expert_axis_name="expert",
                     tensor_axis_name="tensor", dispatch=dispatch)
    # Each part of "data" has statistics of its own tokens.
    return out, lax.pmean(stats.router_z_loss, "data")

  mesh = make_mesh(data=2, expert=2, tensor=2)
  in_specs = P(("data", "expert")), specs(params, "expert", "tensor", "data")
  sharded = jax.shard_map(local, mesh=mesh, in_specs=in_specs,
                          out_specs=(P(("data", "expert")), P()))

  def whole(x, params):
    out, stats = moe(x, params, top_k=2)
    return out, stats.router_z_loss

  given = value_and_grads(sharded, x, params, cotangent)
  assert_near(given, value_and_grads(whole, x, params, cotangent), 1e-5)

  # The gradients of the weights are sharded as the weights are: by reduce-scatters.
  gradients = jax.grad(lambda params: (sharded(x, params)[0] * cotangent).sum())
  place = jax.tree.map(lambda spec: jax.NamedSharding(mesh, spec), in_specs[1])
  compiled = jax.jit(gradients, in_shardings=(place,)).lower(params).compile()
  for spec, found in zip(jax.tree.leaves(place), jax.tree.leaves(compiled.output_shardings)):
    assert found.spec == spec.spec or found.is_equivalent_to(spec, len(spec.spec))


def test_the_flax_layer(rng):
  x = tokens(rng, 16)
  options = dict(use_bias=True, num_shared_experts=2)
  alone, sharded = (make_nnx(**options, **more) for more in ({}, dict(tensor_axis_name="tensor")))
  graphdef, state = nnx.split(sharded)

  def spec(path, x):
    names = jax.tree_util.keystr(path)
    name = next(n for n in sorted((*HIDDEN, "down_bias", "router"), key=len, reverse=True)
                if n in names)
    axes = [None] * x.ndim
    if name in HIDDEN:
      axes[HIDDEN[name] + ("experts" in names)] = "tensor"
    return P(*axes)

  in_specs = jax.tree_util.tree_map_with_path(spec, state)
  out = jax.jit(jax.shard_map(
      lambda state, x: nnx.merge(graphdef, state)(x)[0], mesh=make_mesh(tensor=2),
      in_specs=(in_specs, P()), out_specs=P()))(state, x)
  assert_near(out, alone(x)[0], 1e-5)


def test_what_is_refused(rng):
  x, params = tokens(rng, 16), make_params(rng)
  f = functools.partial(moe, top_k=2, tensor_axis_name="tensor")
  with pytest.raises(ValueError, match="tensor_axis_name='tensor' was given, and the layer is"):
    f(x, params)
  with pytest.raises(ValueError, match="x varies along the mesh axis 'tensor', and tensor_axis"):
    jax.shard_map(lambda x, params: f(x, params)[0], mesh=make_mesh(tensor=2),
                  in_specs=(P("tensor"), specs(params, None, "tensor")), out_specs=P())(x, params)
