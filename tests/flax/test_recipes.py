"""Recipes, routers and activations of layers of experts, and nnx's operations in float8."""

from flax import linen as nn
from flax import nnx
from flax.linen import fp8_ops
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import quantize
from jaxgemm.flax import ClampedSwiGLU, Mlp, MoEParams, linen, moe, updated_router_bias
from jaxgemm.flax import nnx as layers
from jaxgemm.fp8.recipes import RECIPES
from tests.support.environment import FLOAT32_ERROR

C, H, E = 32, 48, 8


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape, np.float32))


def f64(x):
  return np.asarray(x, np.float64)


def params_of(rng, **more):
  return MoEParams(
      array(rng, C, E), Mlp(down=array(rng, E, H, C) / 7, gate_up=array(rng, E, C, 2, H) / 6,
                            down_bias=array(rng, E, C), gate_up_bias=array(rng, E, 2, H)), **more)


def reference(x, params, experts, weights, activation):
  """f64[T, C]: the sum of the experts' results, token by token."""
  out = np.zeros(x.shape)
  p = jax.tree.map(f64, params.experts)
  for t, (chosen, factors) in enumerate(zip(np.asarray(experts), f64(weights))):
    for e, factor in zip(chosen, factors):
      gate, up = (f64(x[t]) @ p.gate_up[e][:, i] + p.gate_up_bias[e][i] for i in (0, 1))
      out[t] += factor * (activation(gate, up) @ p.down[e] + p.down_bias[e])
  return out


def sigmoid(x):
  return 1 / (1 + np.exp(-x))


def swiglu(gate, up):
  return gate * sigmoid(gate) * up


def of_gpt_oss(gate, up):
  gate, up = np.minimum(gate, 7.0), np.clip(up, -7.0, 7.0)
  return gate * sigmoid(1.702 * gate) * (up + 1)


@pytest.mark.parametrize("ragged_dot", [None, jax.lax.ragged_dot])
def test_clamped_swiglu(rng, ragged_dot):
  params = params_of(rng)
  x = 12 * array(rng, 20, C)  # many gates and ups are beyond the limit
  out, stats = moe(x, params, top_k=2, activation=ClampedSwiGLU(), ragged_dot=ragged_dot)
  logits = f64(x) @ f64(params.router)
  of_chosen = np.take_along_axis(logits, np.asarray(stats.experts), 1)
  weights = np.exp(of_chosen - of_chosen.max(1, keepdims=True))
  weights /= weights.sum(1, keepdims=True)
  wanted = reference(x, params, stats.experts, weights, of_gpt_oss)
  tolerance = max(1e-5, FLOAT32_ERROR)
  np.testing.assert_allclose(out, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())
  gates = f64(x) @ f64(params.experts.gate_up[0, :, 0])
  assert (gates > 7).mean() > 0.1 and (gates < -7).mean() > 0.1


def test_sigmoid_router_with_a_bias(rng):
  """DeepSeek-V3: sigmoid affinities, a bias for the choice only, weights over their sum."""
  bias = jnp.asarray(rng.uniform(-0.5, 0.5, E), jnp.float32)
  params = params_of(rng, router_bias=bias)
  x = array(rng, 40, C) / 4
  run = jax.jit(lambda x, params: moe(
      x, params, top_k=3, router_scores="sigmoid", routed_scaling=2.5))
  out, stats = run(x, params)
  affinities = sigmoid(f64(x) @ f64(params.router))
  wanted = np.argsort(-(affinities + f64(bias)), axis=1)[:, :3]
  np.testing.assert_array_equal(stats.experts, wanted)
  # The bias changes the choice of some tokens.
  assert (np.sort(wanted) != np.sort(np.argsort(-affinities, axis=1)[:, :3])).any()
  weights = np.take_along_axis(affinities, wanted, 1)
  weights = 2.5 * weights / weights.sum(1, keepdims=True)
  expected = reference(x, params, wanted, weights, swiglu)
  np.testing.assert_allclose(out, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
  np.testing.assert_allclose(
      stats.router_probs, (affinities / affinities.sum(1, keepdims=True)).mean(0), rtol=1e-5)
  gradient = jax.grad(lambda params: (run(x, params)[0]**2).sum())(params)
  assert not gradient.router_bias.any() and np.abs(gradient.router).max() > 0
  # Without normalisation the weights are the affinities.
  plain, _ = moe(x, params, stats.experts, top_k=3, router_scores="sigmoid",
                 normalize_weights=False)
  expected = reference(x, params, wanted, np.take_along_axis(affinities, wanted, 1), swiglu)
  np.testing.assert_allclose(plain, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_the_bias_balances_the_experts(rng):
  layer = layers.MoE(features=C, hidden_features=H, num_experts=E, top_k=2, use_router_bias=True,
                     router_scores="sigmoid", rngs=nnx.Rngs(0))
  x = array(rng, 256, C) + 1  # a common direction, which some experts prefer
  first = layer(x)[1].max_load
  for _ in range(200):
    _, stats = layer(x)
    layer.router_bias[...] = updated_router_bias(
        layer.router_bias[...], stats.tokens_per_expert, rate=0.01)
  assert first > 1.5 and stats.max_load < 1.2
  # No optimizer of parameters has it.
  assert "router_bias" not in nnx.state(layer, nnx.Param)


@pytest.mark.whole(unless=lambda recipe: recipe in ("rowwise", "blockwise"))
@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes(rng, recipe):
  options = dict(hidden_features=256, num_experts=4, num_shared_experts=1, dtype=jnp.bfloat16)
  x = array(rng, 2, 50, 128)

  def gradients(**more):
    layer = layers.MoE(features=128, rngs=nnx.Rngs(0), **options, **more)
    loss = lambda layer, x: ((layer(x)[0].astype(jnp.float32) - 1)**2).mean()
    return jax.tree.leaves(nnx.state(nnx.grad(loss)(layer, x))), layer

  given, layer = gradients(recipe=recipe)
  wanted, _ = gradients()
  for x1, y in zip(given, wanted, strict=True):
    assert x1.dtype == jnp.float32  # that of the parameters
    assert 1e-3 < np.linalg.norm(x1 - y) / np.linalg.norm(y) < 0.15
  graph, state = nnx.split(layer)
  text = jax.jit(lambda state, x: nnx.merge(graph, state)(x)[0]).lower(state, x).compile().as_text()
  # Kernels are quantised from float32: there is no copy of them in bfloat16.
  for shape in ("4,128,2,256", "4,128,512", "4,256,128", "128,2,256", "128,512", "256,128"):
    assert f"bf16[{shape}]" not in text


@pytest.mark.whole(unless=lambda dispatch: dispatch == "all_to_all")
@pytest.mark.parametrize("dispatch", ["gather", "all_to_all", "overlap"])
def test_a_recipe_with_experts_on_two_devices(rng, dispatch):
  mesh = jax.make_mesh((2,), ("e",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])
  x, params = array(rng, 40, C), params_of(rng)
  options = dict(top_k=2, recipe="rowwise", router_scores="sigmoid")
  spec = MoEParams(P(), jax.tree.map(lambda _: P("e"), params.experts))
  sharded = jax.jit(jax.shard_map(
      lambda x, params: moe(x, params, expert_axis_name="e", dispatch=dispatch, **options)[0],
      mesh=mesh, in_specs=(P("e"), spec), out_specs=P("e")))
  loss = lambda function: jax.grad(lambda x, p: (function(x, p)**2).sum(), (0, 1))(x, params)
  plain = lambda x, params: moe(x, params, **options)[0]
  np.testing.assert_allclose(sharded(x, params), plain(x, params), rtol=1e-4, atol=1e-4)
  given, wanted = map(jax.tree.leaves, (loss(sharded), loss(plain)))
  for a, b in zip(given, wanted, strict=True):
    # The scales of the columns of cotangents are those of one device's rows.
    assert np.linalg.norm(a - b) < 0.06 * np.linalg.norm(b)


def test_linen_has_the_same_options(rng):
  x = array(rng, 40, C)
  options = dict(hidden_features=H, num_experts=E, top_k=3, router_scores="sigmoid",
                 use_router_bias=True, routed_scaling=2.5, use_bias=True, recipe="rowwise",
                 activation=ClampedSwiGLU(limit=1.0))
  layer = linen.MoE(**options)
  variables = layer.init(jax.random.key(0), x)
  bias = array(rng, E) / 4
  variables = {"params": variables["params"], "router_bias": {"router_bias": bias}}
  out, stats = layer.apply(variables, x)
  params = variables["params"]
  wanted, of_wanted = moe(
      x, MoEParams(params["router"], Mlp(**params["experts"]), router_bias=bias), top_k=3,
      router_scores="sigmoid", routed_scaling=2.5, recipe="rowwise",
      activation=ClampedSwiGLU(limit=1.0))
  np.testing.assert_array_equal(out, wanted)
  np.testing.assert_array_equal(stats.experts, of_wanted.experts)


@pytest.mark.parametrize("options, words", [
    (dict(recipe="fp8"), "recipe='fp8' is unknown; 'tensorwise', 'rowwise'"),
    (dict(recipe="rowwise", ragged_dot=jax.lax.ragged_dot), "was given with a ragged_dot"),
    (dict(router_scores="tanh"), "router_scores='tanh' is unknown; 'softmax' and 'sigmoid' are"),
    (dict(activation=ClampedSwiGLU(), gated=False), "for experts without a gate"),
])
def test_messages(options, words):
  with pytest.raises(ValueError, match=words):
    layers.MoE(features=C, hidden_features=H, num_experts=E, rngs=nnx.Rngs(0), **options)


def test_message_of_the_bias(rng):
  with pytest.raises(ValueError, match=r"params.router_bias has shape \(3,\); \(8,\) is allowed"):
    moe(array(rng, 4, C), params_of(rng, router_bias=jnp.zeros(3)), top_k=2)


def steps_of_linen(operation, x, y, params, count):
  layer = nn.Dense(16, use_bias=False, dot_general_cls=operation)
  variables = layer.init(jax.random.key(0), x)
  variables = {**variables, "params": {"kernel": params}}
  name = fp8_ops.OVERWRITE_WITH_GRADIENT
  loss = lambda variables: ((layer.apply(variables, x) - y)**2).mean()
  for _ in range(count):
    gradients = jax.grad(loss)(variables)
    variables = {"params": jax.tree.map(lambda p, g: p - 0.1 * g, variables["params"],
                                        gradients["params"]), name: gradients[name]}
  return variables["params"]["kernel"], next(iter(variables[name].values()))


@pytest.mark.parametrize("name", ["Fp8DotGeneralOp", "NANOOFp8DotGeneralOp"])
def test_operations_of_nnx_as_those_of_linen(rng, name):
  x, y = array(rng, 32, 24), array(rng, 32, 16)
  layer = nnx.Linear(24, 16, use_bias=False, rngs=nnx.Rngs(0),
                     dot_general=getattr(layers, name)())
  kernel, state = steps_of_linen(getattr(linen, name), x, y, layer.kernel[...], 3)
  wrt = nnx.DiffState(0, (nnx.Param, layers.OverwriteWithGradient))
  for _ in range(3):
    gradients = nnx.grad(lambda layer: ((layer(x) - y)**2).mean(), argnums=wrt)(layer)
    layers.overwrite(layer, gradients)
    layer.kernel[...] -= 0.1 * gradients["kernel"][...]
  np.testing.assert_allclose(layer.kernel[...], kernel, rtol=1e-6)
  for variable, wanted in state.items():
    np.testing.assert_allclose(getattr(layer.dot_general, variable)[...], wanted, rtol=1e-6)
  assert state["input_scale"][0] != 1


def test_nanoo_types(rng):
  """The products are those of operands in the FNUZ dtypes, which have other largest values."""
  x, w = array(rng, 32, 24), array(rng, 24, 16)
  layer = nn.Dense(16, use_bias=False, dot_general_cls=linen.NANOOFp8DotGeneralOp)
  variables = layer.init(jax.random.key(0), x)
  variables = {**variables, "params": {"kernel": w}}
  name = fp8_ops.OVERWRITE_WITH_GRADIENT
  state = jax.grad(lambda v: layer.apply(v, x).sum())(variables)[name]
  out, gradients = jax.value_and_grad(
      lambda v: layer.apply(v, x)[0, 0])({**variables, name: state})
  q = [quantize(a, "tensor", dtype=jnp.float8_e4m3fnuz) for a in (x, w)]
  wanted = f64(q[0].dequantize())[0] @ f64(q[1].dequantize())[:, 0]
  np.testing.assert_allclose(out, wanted, rtol=1e-5)
  scale = gradients[name]["NANOOFp8DotGeneralOp_0"]["input_scale"]
  np.testing.assert_allclose(scale, [np.abs(x).max() / 240], rtol=1e-6)
