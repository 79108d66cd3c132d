"""The nnx and linen layers: they compute the same function, and Flax's transforms work."""

import functools
import inspect

from flax import linen as nn
from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm.flax import Mlp, MoEParams, moe
from jaxgemm.flax import linen as jaxgemm_linen
from jaxgemm.flax import nnx as jaxgemm_nnx
from tests.support.moe_reference import (
  C,
  E,
  H,
  assert_near,
  drawn,
  jit,
  make_linen,
  make_nnx,
  run_nnx,
  tokens,
)


@pytest.mark.parametrize("options", [
    {}, dict(num_shared_experts=2, use_bias=True, normalize_weights=False),
    dict(gated=False, activation="gelu", dtype=jnp.bfloat16, routed_scaling=2.0),
], ids=["plain", "shared-bias", "no-gate-bfloat16"])
def test_nnx_and_linen_are_the_same_function(rng, options):
  x = tokens(rng, 2, 9)
  ours, theirs = make_nnx(**options), make_linen(**options)
  params = nnx.to_pure_dict(nnx.state(ours, nnx.Param))
  declared = jax.eval_shape(theirs.init, jax.random.key(0), x)["params"]
  assert jax.tree.map(jnp.shape, params) == jax.tree.map(jnp.shape, declared)
  given = run_nnx(ours, x)
  wanted = jit(theirs.apply)({"params": params}, x)
  for a, b in zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True):
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)
  assert given[0].shape == x.shape


@pytest.mark.parametrize("kind", ["nnx", "linen"])
def test_initializers_see_one_expert(kind):
  options = dict(use_bias=True, bias_init=nn.initializers.ones, num_shared_experts=3,
                 kernel_init=nn.initializers.variance_scaling(1, "fan_in", "normal"),
                 router_init=nn.initializers.normal(1e-3))
  if kind == "nnx":
    def two_layers():
      rngs = nnx.Rngs(0)
      layers = [
          jaxgemm_nnx.MoE(features=64, hidden_features=128, num_experts=16, rngs=rngs,
                          **options) for _ in range(2)]
      return [nnx.to_pure_dict(nnx.state(layer)) for layer in layers]

    params, others = jit(two_layers)()
    assert not np.allclose(
        params["experts"]["gate_up"], others["experts"]["gate_up"])
  else:
    layer = jaxgemm_linen.MoE(
        hidden_features=128, num_experts=16, **options, ragged_dot=lax.ragged_dot)
    params = jit(layer.init)(jax.random.key(0), jnp.ones((1, 64)))["params"]
  experts, shared = params["experts"], params["shared"]
  gate, up = np.moveaxis(np.asarray(experts["gate_up"]), 2, 0)
  assert not np.allclose(gate, up)
  for kernels, scale in ((gate, 64), (up, 64), (np.asarray(experts["down"]), 128)):
    np.testing.assert_allclose(kernels.std((1, 2)), scale**-0.5, rtol=0.05)
    assert not np.allclose(kernels[0], kernels[1])
  np.testing.assert_allclose(shared["down"].std(), 384**-0.5, rtol=0.05)
  np.testing.assert_allclose(params["router"].std(), 1e-3, rtol=0.1)
  assert (experts["gate_up_bias"] == 1).all() and shared["down_bias"].shape == (64,)


def test_partitioning_metadata():
  init = nn.with_partitioning(nn.initializers.lecun_normal(), (None, "model"))
  layer = make_linen(kernel_init=init, partition_name="expert", num_shared_experts=1)
  variables = jax.eval_shape(layer.init, jax.random.key(0), jnp.ones((1, C)))
  specs = nn.get_partition_spec(variables)
  assert specs["params"]["experts"]["gate_up"] == P("expert", None, None, "model")
  assert specs["params"]["experts"]["down"] == P("expert", None, "model")
  assert specs["params"]["shared"]["gate_up"] == P(None, None, "model")
  init = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "model"))
  mesh = jax.make_mesh((4, 2), ("expert", "model"),
                       axis_types=(jax.sharding.AxisType.Auto,) * 2)
  with jax.set_mesh(mesh):
    layer = make_nnx(kernel_init=init, partition_name="expert", num_shared_experts=1)
    specs = nnx.get_partition_spec(nnx.state(layer))
  assert specs["experts"]["gate_up"].get_value() == P("expert", None, None, "model")
  assert specs["experts"]["down"].get_value() == P("expert", None, "model")
  assert specs["shared"]["gate_up"].get_value() == P(None, None, "model")


def test_scan_and_remat_over_layers(rng):
  x = tokens(rng, 4, 8)
  layers = [make_nnx(seed, num_shared_experts=1) for seed in range(2)]
  graphdef = nnx.graphdef(layers[0])
  stacked = jax.tree.map(lambda *a: jnp.stack(a), *map(nnx.state, layers))

  @jax.checkpoint
  def block(x, params):
    out, stats = nnx.merge(graphdef, params)(x)
    return x + out, stats

  def scanned(stacked, x):
    x, stats = lax.scan(block, x, stacked)
    return (x**2).sum() + stats.load_balancing_loss.sum(), stats

  def unrolled(stacked, x):
    losses = 0.0
    for i in range(2):
      out, stats = nnx.merge(graphdef, jax.tree.map(lambda a: a[i], stacked))(x)
      x, losses = x + out, losses + stats.load_balancing_loss
    return (x**2).sum() + losses

  (value, stats), grads = jit(
      jax.value_and_grad(scanned, has_aux=True))(stacked, x)
  wanted, wanted_grads = jit(jax.value_and_grad(unrolled))(stacked, x)
  assert_near((value, grads), (wanted, wanted_grads), 1e-5)
  assert stats.tokens_per_expert.shape == (2, E)
  np.testing.assert_array_equal(stats.tokens_per_expert.sum(1), 64)


def test_linen_scan_and_remat(rng):
  x = tokens(rng, 4, 8)

  class Block(nn.Module):

    @nn.compact
    def __call__(self, x, _):
      out, stats = nn.remat(jaxgemm_linen.MoE)(
          hidden_features=H, num_experts=E, top_k=2, ragged_dot=lax.ragged_dot,
          name="moe")(x)
      return x + out, stats

  blocks = nn.scan(
      Block, variable_axes={"params": 0}, split_rngs={"params": True}, length=2)()
  params = drawn(jax.eval_shape(blocks.init, jax.random.key(0), x, None))
  loss = lambda params: (blocks.apply(params, x, None)[0] ** 2).sum()
  value, grads = jit(jax.value_and_grad(loss))(params)
  one = make_linen()

  def unrolled(params):
    y = x
    for i in range(2):
      layer = jax.tree.map(lambda a: a[i], params["params"]["moe"])
      y += one.apply({"params": layer}, y)[0]
    return (y**2).sum()

  wanted = jit(jax.value_and_grad(unrolled))(params)
  assert_near((value, grads), wanted, 1e-5)


def test_vmap_over_layers(rng):
  x = tokens(rng, 3, 8)
  layers = [make_nnx(seed) for seed in range(3)]
  graphdef = nnx.graphdef(layers[0])
  stacked = jax.tree.map(lambda *a: jnp.stack(a), *map(nnx.state, layers))
  run = lambda params, x: nnx.merge(graphdef, params)(x)
  given = jit(jax.vmap(run))(stacked, x)
  for i, layer in enumerate(layers):
    assert_near(jax.tree.map(lambda a: a[i], given), run_nnx(layer, x[i]), 1e-5)


def test_vmap_with_shared_parameters(rng):  # jax.lax.ragged_dot cannot
  x = tokens(rng, 3, 8)
  graphdef, params = nnx.split(make_nnx(ragged_dot=jaxgemm.ragged_dot, use_bias=True))

  def grads(params, x):
    def loss(params, x):
      out, stats = nnx.merge(graphdef, params)(x)
      return (out**2).sum() + stats.load_balancing_loss
    return jax.grad(loss, (0, 1))(params, x)

  given = jit(jax.vmap(grads, in_axes=(None, 0)))(params, x)
  one = jit(grads)
  for i in range(3):
    assert_near(jax.tree.map(lambda a: a[i], given), one(params, x[i]), 1e-5)


def test_defaults_are_looked_up_when_called(rng, monkeypatch):
  calls = []

  def record(name):
    function = getattr(jaxgemm, name)

    @functools.wraps(function)
    def recorded(lhs, rhs, *args, **options):
      given = {k: v for k, v in options.items() if v is not None}
      calls.append((name, rhs.shape, given))
      return function(lhs, rhs, *args, **options)

    monkeypatch.setattr(jaxgemm, name, recorded)
    return recorded

  layer = make_nnx(ragged_dot=None, use_bias=True)
  unit, dot = record("ragged_gated_linear_unit"), record("ragged_dot")
  x = tokens(rng, 12)
  given = run_nnx(layer, x)
  (name, shape, options), down = calls
  assert (name, shape) == ("ragged_gated_linear_unit", (E, C, 2, H))
  assert sorted(options) == ["activation", "bias", "lhs_indices"]
  assert options["activation"] == "silu"
  assert options["bias"].shape == (E, 2, H)
  assert down[:2] == ("ragged_dot", (E, H, C)) and list(down[2]) == ["bias"]

  calls.clear()  # a wrapped ragged_dot has no gated unit, unless one is given
  layer.ragged_dot = functools.wraps(dot)(lambda *a, **options: dot(*a, **options))
  assert_near(run_nnx(layer, x), given, 1e-5)
  assert [call[:2] for call in calls] == [
      ("ragged_dot", (E, C, 2 * H)), ("ragged_dot", (E, H, C))]
  calls.clear()
  layer.ragged_gated_linear_unit = unit
  assert_near(run_nnx(layer, x), given, 1e-5)
  assert [call[0] for call in calls] == ["ragged_gated_linear_unit", "ragged_dot"]

  layer.ragged_dot, layer.ragged_gated_linear_unit = lax.ragged_dot, None
  assert_near(run_nnx(layer, x), given, 1e-5)


def test_wrapped_products_are_called_as_jax_calls_them(rng):
  calls = []

  def dot_general(*args, **options):
    calls.append(("dot_general", sorted(options)))
    return lax.dot_general(*args, **options)

  def ragged_dot(*args, **options):
    calls.append(("ragged_dot", sorted(options)))
    return lax.ragged_dot(*args, **options)

  products = dict(dot_general=dot_general, ragged_dot=ragged_dot)
  options = dict(num_shared_experts=1, use_bias=True)
  x = tokens(rng, 12)
  given = run_nnx(make_nnx(**options | products), x)
  assert calls == [("dot_general", ["precision"])] + 2 * [
      ("ragged_dot", ["precision"])] + 2 * [("dot_general", ["precision"])]
  assert_near(given, run_nnx(make_nnx(**options), x), 1e-5)


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_layers_work_without_tokens(rng, shape):
  x = tokens(rng, *shape)
  graphdef, params = nnx.split(make_nnx(
      num_shared_experts=1, use_bias=True, ragged_dot=jaxgemm.ragged_dot))

  def loss(params, x):
    out, stats = nnx.merge(graphdef, params)(x)
    return (out**2).sum() + stats.load_balancing_loss + stats.router_z_loss, (
        out, stats)

  grads, (out, stats) = jit(jax.grad(loss, (0, 1), has_aux=True))(params, x)
  assert out.shape == x.shape and stats.experts.shape == (*shape, 2)
  assert all((leaf == 0).all() for leaf in jax.tree.leaves((grads, out)))
  ones = {name: getattr(stats, name) - 1 for name in ("empty_experts", "dispatch_room")}
  for value in stats._replace(**ones):
    np.testing.assert_array_equal(value, jnp.zeros(value.shape))


def test_experts_out_of_range_are_as_in_jnp_indexing(rng):
  x = tokens(rng, 5)
  given = jnp.array([[0, 1], [-1, 9], [-E, E - 1], [-99, 3], [2**31 - 1, -2]])
  wanted = jnp.array([[0, 1], [E - 1, E - 1], [0, E - 1], [0, 3], [E - 1, E - 2]])
  layer = make_nnx()
  run = jit(lambda x, experts: layer(x, experts))
  assert_near(run(x, given), run(x, wanted), 0)
  np.testing.assert_array_equal(run(x, given)[1].experts, wanted)
  # int8 is too narrow for num_experts.
  narrow = nnx.eval_shape(lambda: jaxgemm_nnx.MoE(
      features=C, hidden_features=H, num_experts=200, rngs=nnx.Rngs(0)))
  assert nnx.eval_shape(
      lambda layer: layer(x, jnp.zeros((5, 2), jnp.int8))[1], narrow
  ).experts.dtype == jnp.int32


@pytest.mark.parametrize("top_k", [0, 9])
def test_an_impossible_top_k_is_refused(rng, top_k):
  with pytest.raises(ValueError, match=f"top_k={top_k} of num_experts=8"):
    make_nnx(top_k=top_k)
  with pytest.raises(ValueError, match=f"top_k={top_k} of num_experts=8"):
    jax.eval_shape(
        make_linen(top_k=top_k).init, jax.random.key(0), tokens(rng, 2))


def test_arguments_that_do_not_fit_are_refused(rng):
  x = tokens(rng, 8)
  with pytest.raises(ValueError, match="activation='tanh' is unknown"):
    make_nnx(activation="tanh")
  with pytest.raises(ValueError, match="x has 15 features"):
    make_nnx()(x[:, 1:])
  with pytest.raises(ValueError, match=r"shape \(8, 1\) and must have \(8, 2\)"):
    make_nnx()(x, jnp.zeros((8, 1), jnp.int32))
  with pytest.raises(TypeError, match="experts is of float32; an array of integers"):
    make_nnx()(x, jnp.zeros((8, 2)))
  with pytest.raises(TypeError, match="experts is of list; an array of integers"):
    make_nnx()(x, [[0, 1]] * 8)
  for options in ({"top_k": 2.0}, {"num_experts": 8.0}):
    (name, value), = options.items()
    with pytest.raises(TypeError, match=f"{name}={value} was given; an int"):
      jaxgemm_nnx.MoE(**{"features": C, "hidden_features": H, "num_experts": E,
                         "rngs": nnx.Rngs(0)} | options)
  with pytest.raises(TypeError, match="params is of type dict; MoEParams is allowed"):
    moe(x, {"router": x}, top_k=2)
  with pytest.raises(TypeError, match="params.experts is of type dict; Mlp is allowed"):
    moe(x, MoEParams(x, {"down": x}), top_k=2)
  experts = Mlp(down=jnp.ones((E, H, C)), up=jnp.ones((E, C, H)))
  with pytest.raises(TypeError, match="params.router is None; an array of shape"):
    moe(x, MoEParams(None, experts), jnp.zeros((8, 2), jnp.int32), top_k=2)
  with pytest.raises(TypeError, match=r"params.router is of shape \(4,\); an array"):
    moe(x, MoEParams(jnp.ones(4), experts), top_k=2)


@pytest.mark.parametrize("kind", ["nnx", "linen"])
@pytest.mark.parametrize("options, error, message", [
    (dict(hidden_features=-1), ValueError, "hidden_features=-1 .*at least 1 is"),
    (dict(hidden_features=24.0), TypeError, "hidden_features=24.0 .*an int is"),
    (dict(num_shared_experts=-1), ValueError, "num_shared_experts=-1 .*at least 0 is"),
    (dict(num_shared_experts=1.5), TypeError, "num_shared_experts=1.5 .*an int is"),
    (dict(dtype=jnp.int32), TypeError, "dtype=int32 .*a float of 16 bits or more is"),
    (dict(dtype="float8_e4m3fn"), TypeError, "8-bit operands need scales"),
])
def test_impossible_options_are_refused(kind, options, error, message):
  with pytest.raises(error, match=message):
    if kind == "nnx":
      make_nnx(**options)
    else:
      jax.eval_shape(make_linen(**options).init, jax.random.key(0), jnp.ones((1, C)))


@pytest.mark.parametrize("kind", ["nnx", "linen"])
def test_x_may_be_what_flax_layers_take(rng, kind):
  if kind == "nnx":
    run = make_nnx()
  else:
    layer = make_linen()
    params = drawn(jax.eval_shape(layer.init, jax.random.key(0), jnp.ones((1, C))))
    run = functools.partial(layer.apply, params)
  x = np.asarray(tokens(rng, 3))
  shape = lambda x: jax.eval_shape(lambda: run(x)[0])
  assert shape(x) == shape(x.tolist()) == jax.ShapeDtypeStruct((3, C), jnp.float32)
  assert shape(x[0]).shape == (C,)
  with pytest.raises(ValueError, match=r"x has the shape \(\); \[..., features\] is"):
    shape(jnp.float32(1))
  with pytest.raises(TypeError, match="x is of complex64"):
    shape(x.astype(np.complex64))


def test_sizes_are_passed_by_name():
  # Positional sizes would mean different sizes in the layers of nnx and linen.
  with pytest.raises(TypeError, match="takes 1 positional argument but 4"):
    jaxgemm_linen.MoE(C, H, E)
  with pytest.raises(TypeError, match="takes 1 positional argument but 4"):
    jaxgemm_nnx.MoE(C, H, E, rngs=nnx.Rngs(0))
  names = lambda layer: list(inspect.signature(layer.__init__).parameters.values())[1:]
  ours = [(p.name, p.default) for p in names(jaxgemm_nnx.MoE)
          if p.name not in ("features", "rngs")]
  theirs = [(p.name, p.default) for p in names(jaxgemm_linen.MoE)
            if p.name not in ("parent", "name")]
  assert [name for name, _ in ours] == [name for name, _ in theirs]
  same = lambda a, b: a == b or callable(a) and callable(b)
  assert all(same(a, b) for (_, a), (_, b) in zip(ours, theirs))
