"""The mixture of experts in jax.shard_map and on meshes of eight virtual devices."""

import functools
import re

from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm.flax import Mlp, MoEParams, MoEStats, load_balancing_loss, moe
from jaxgemm.flax import dispatch as dispatch_lib
from jaxgemm.flax.nnx import MoE
from tests.support.moe_reference import (
  RAGGED_DOTS,
  assert_near,
  jit,
  layer,
  make_linen,
  make_nnx,
  make_params,
  run_nnx,
  to_expert,
  tokens,
  value_and_grads,
)
from tests.support.paths import ROOT


def moe_specs(params):
  """Specs of params, a dictionary or MoEParams, with the experts sharded."""
  of = lambda path, _: P("expert") if "experts" in jax.tree_util.keystr(path) else P()
  return jax.tree_util.tree_map_with_path(of, params)


def make_mesh(*shape):
  names = ("expert",) if len(shape) == 1 else ("data", "expert")
  return jax.make_mesh(
      shape, names, axis_types=(jax.sharding.AxisType.Auto,) * len(shape))


def sharded_layer(params, mesh, **options):
  """`layer` with x sharded along "data" and the experts along "expert"."""
  data = tuple(name for name in mesh.axis_names if name == "data")

  def local(x, params):
    out, stats = moe(x, params, **options, expert_axis_name="expert")
    balance = load_balancing_loss(
        lax.psum(stats.tokens_per_expert, data), lax.pmean(stats.router_probs, data))
    return out, balance + lax.pmean(stats.router_z_loss, data)

  return jax.shard_map(
      local, mesh=mesh, in_specs=(P(data), moe_specs(params)), out_specs=(P(data), P()))


@pytest.mark.whole(
    unless=lambda ragged_dot, shape: (shape == (8,)) == (ragged_dot is jaxgemm.ragged_dot))
@RAGGED_DOTS
@pytest.mark.parametrize("shape", [(8,), (2, 4)], ids=["8", "2x4"])
def test_expert_parallel_shards(rng, ragged_dot, shape):
  x = tokens(rng, 4, 12)
  # No token goes to the third expert, so one shard of eight has nothing to do.
  params = to_expert(make_params(rng, use_bias=True, shared=1), [0, 0, -99] + [0] * 5)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  options = dict(top_k=2, ragged_dot=ragged_dot)
  sharded = sharded_layer(params, make_mesh(*shape), **options)
  given = value_and_grads(sharded, x, params, cotangent)
  wanted = value_and_grads(layer, x, params, cotangent, **options)
  assert_near(given, wanted, 1e-5)


def test_shards_of_experts_need_one_all_reduce(rng):
  x, params = tokens(rng, 16), make_params(rng, shared=1)
  sharded = sharded_layer(params, make_mesh(8), top_k=2, ragged_dot=jaxgemm.ragged_dot)
  hlo = jax.jit(sharded).lower(x, params).compile().as_text()
  assert re.findall(
      r" (all-gather|all-reduce|reduce-scatter|collective-permute|all-to-all)"
      r"(?:-start)?\(", hlo) == ["all-reduce"]


@pytest.mark.whole(unless=lambda kind, dispatch: (kind == "nnx") == (dispatch == "gather"))
@pytest.mark.parametrize("kind, dispatch", [
    ("nnx", "gather"), ("linen", "gather"), ("nnx", "all_to_all"), ("linen", "all_to_all")])
def test_layers_work_in_shards(rng, kind, dispatch):
  x = tokens(rng, 24)
  options = dict(num_shared_experts=1, use_bias=True, dispatch=dispatch)
  whole = make_nnx(**options | {"dispatch": "gather"})
  params = nnx.to_pure_dict(nnx.state(whole))
  if kind == "nnx":
    graphdef, state = nnx.split(make_nnx(expert_axis_name="expert", **options))

    def run(params, x):
      nnx.replace_by_pure_dict(state, params)
      return nnx.merge(graphdef, state)(x)
  else:
    layer = make_linen(expert_axis_name="expert", **options)
    declared = jax.eval_shape(layer.init, jax.random.key(0), x)["params"]
    assert jax.tree.map(jnp.shape, params) == jax.tree.map(jnp.shape, declared)
    run = lambda params, x: layer.apply({"params": params}, x)
  # For "gather" all devices have all tokens. Else tokens are sharded, and sent to their experts.
  spec = P() if dispatch == "gather" else P("expert")
  of_stats = MoEStats(*[P()] * (len(MoEStats._fields) - 1), experts=spec)
  sharded = jax.shard_map(
      run, mesh=make_mesh(8), in_specs=(moe_specs(params), spec), out_specs=(spec, of_stats))
  out, stats = jit(sharded)(params, x)
  if dispatch != "gather":  # of eight devices some need more room than others
    assert stats.dispatch_room >= 1
    stats = stats._replace(dispatch_room=jnp.ones(()))
  assert_near((out, stats), run_nnx(whole, x), 1e-5)


def test_each_product_is_given_the_first_group_of_the_shard(rng):
  x, params = tokens(rng, 12), make_params(rng, num_experts=16)
  calls = []

  def recorded(function):
    @functools.wraps(function)
    def record(lhs, rhs, group_sizes, **options):
      calls.append((rhs.shape[0], group_sizes.shape, options["group_offset"]))
      return function(lhs, rhs, group_sizes, **options)
    return record

  sharded = sharded_layer(
      params, make_mesh(8), top_k=2, ragged_dot=recorded(jaxgemm.ragged_dot),
      ragged_gated_linear_unit=recorded(jaxgemm.ragged_gated_linear_unit))
  jax.eval_shape(sharded, x, params)
  assert len(calls) == 2
  for num_local, sizes_shape, offset in calls:
    assert (num_local, sizes_shape) == (2, (16,))
    assert (offset.shape, offset.dtype) == ((1,), jnp.int32)


@pytest.mark.whole  # the guide itself compares the results
def test_the_guides_sharded_layers(rng):
  guide = ROOT / "docs" / "guides" / "experts.md"
  section = guide.read_text().split("## Experts on several devices")[1]
  blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
  x = jnp.asarray(rng.standard_normal((4, 16, 64)), jnp.float32)
  names = {"jax": jax, "jnp": jnp, "nnx": nnx, "MoE": MoE, "x": x}
  # The snippets have an explicit mesh, jax.shard_map and an automatic mesh.
  for snippet in (block for block in blocks if "y, stats = " in block):
    exec(snippet, names)
    y, stats = jax.device_get((names.pop("y"), names.pop("stats")))
    # Where tokens are sharded, too, some devices need more room than others.
    stats = stats._replace(dispatch_room=np.ones(()), experts=stats.experts.reshape(4, 16, -1))
    assert_near((y.reshape(x.shape), stats), run_nnx(names["layer"], x), 1e-5)
  gate_up = names["placed"]["experts"]["gate_up"][...]
  assert {s.data.shape for s in gate_up.addressable_shards} == {(1, 64, 2, 128)}


def test_explicit_mesh(rng):
  mesh = jax.make_mesh(
      (2, 4), ("data", "expert"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
  x, params = tokens(rng, 4, 12), make_params(rng, use_bias=True, shared=1)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  wanted = value_and_grads(layer, x, params, cotangent, top_k=2)
  with jax.set_mesh(mesh):
    x, cotangent = (jax.device_put(a, P("data")) for a in (x, cotangent))
    params = jax.device_put(params, jax.tree.map(
        lambda spec: jax.NamedSharding(mesh, spec), moe_specs(params)))
    given = value_and_grads(layer, x, params, cotangent, top_k=2)
    assert jax.typeof(given[0]).sharding.spec == P("data", None, None)
    assert jax.eval_shape(
        lambda: moe(x, params, top_k=2)[1].experts).sharding.spec[0] == "data"
  assert_near(*jax.device_get((given, wanted)), 1e-5)


def test_explicit_mesh_shards_experts_and_statistics(rng):
  mesh = jax.make_mesh(
      (2, 4), ("data", "expert"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
  x, params = tokens(rng, 4, 12), make_params(rng, use_bias=True, shared=1)

  def loss(x, params):
    out, stats = moe(x, params, top_k=2)
    sums = (out ** 2).sum() + stats.load_balancing_loss + stats.router_z_loss
    return sums, stats

  gradients = jax.value_and_grad(jax.jit(loss), (0, 1), has_aux=True)
  wanted = gradients(x, params)
  with jax.set_mesh(mesh):
    args = jax.device_put(x, P("data")), jax.device_put(params, jax.tree.map(
        lambda spec: jax.NamedSharding(mesh, spec), moe_specs(params)))
    given = gradients(*args)
    assert jax.tree.map(jax.typeof, given[1]) == jax.tree.map(jax.typeof, args)
    text = jax.jit(gradients).lower(*args).compile().as_text()
  assert_near(*jax.device_get((given, wanted)), 1e-5)
  assert "all-gather" not in text


def test_expert_axis_name_outside_of_shard_map(rng):
  x, params = tokens(rng, 16), make_params(rng)
  with pytest.raises(ValueError, match="'expert' was given.*inside jax.shard_map over"):
    moe(x, params, top_k=2, expert_axis_name="expert")
  sharded = make_nnx(expert_axis_name="expert")  # The parameters are made outside.
  with pytest.raises(ValueError, match="leave expert_axis_name out"):
    sharded(x)
  linen = make_linen(expert_axis_name="expert")
  with pytest.raises(ValueError, match="leave expert_axis_name out"):
    linen.apply({}, x)


def sharded_tokens_layer(params, mesh, check_vma=True, **options):
  """`layer` with x sharded along all axes of the mesh, and the experts along "expert"."""
  data = tuple(name for name in mesh.axis_names if name == "data")

  def local(x, params):
    out, stats = moe(x, params, **options, expert_axis_name="expert",
                     sharded_tokens=None if check_vma else True)
    balance = load_balancing_loss(
        lax.psum(stats.tokens_per_expert, data), lax.pmean(stats.router_probs, data))
    return out, balance + lax.pmean(stats.router_z_loss, data)

  everywhere = P(mesh.axis_names)
  return jax.shard_map(local, mesh=mesh, in_specs=(everywhere, moe_specs(params)),
                       out_specs=(everywhere, P()), check_vma=check_vma)


@pytest.mark.whole(
    unless=lambda ragged_dot, shape, check_vma, dispatch: (
        ragged_dot is jaxgemm.ragged_dot and (shape == (8,)) == (dispatch == "all_to_all")
        and (check_vma or dispatch == "all_to_all")))
@RAGGED_DOTS
@pytest.mark.parametrize("dispatch", ["gather", "all_to_all", "overlap"])
@pytest.mark.parametrize("shape, check_vma", [((8,), True), ((2, 4), True), ((8,), False)])
def test_tokens_that_are_sharded_along_the_experts_axis(
    rng, ragged_dot, shape, check_vma, dispatch):
  x = tokens(rng, 8, 6)
  params = to_expert(make_params(rng, use_bias=True, shared=1), [0, 0, -99] + [0] * 5)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  options = dict(top_k=2, ragged_dot=ragged_dot)
  sharded = sharded_tokens_layer(params, make_mesh(*shape), check_vma, dispatch=dispatch,
                                 **options)
  given = value_and_grads(sharded, x, params, cotangent)
  wanted = value_and_grads(layer, x, params, cotangent, **options)
  assert_near(given, wanted, 1e-5)


def test_sharded_tokens_are_gathered_once_and_their_results_scattered(rng):
  x, params = tokens(rng, 16), make_params(rng, shared=1)
  sharded = sharded_tokens_layer(
      params, make_mesh(8), top_k=2, ragged_dot=jaxgemm.ragged_dot)
  hlo = jax.jit(sharded).lower(x, params).compile().as_text()
  # XLA for GPUs gathers several arrays in one operation, which has a start and a done.
  operations = re.findall(
      r"= (.*?) (all-gather|reduce-scatter|all-to-all)(?:-done)?\(", hlo)
  found = [(shape, operation) for result, operation in operations
           for shape in re.findall(r"\w+\[[\d,]*\]", result)]
  features = x.shape[-1]
  assert sorted(found) == sorted([
      (f"f32[16,{features}]", "all-gather"), ("s32[16,2]", "all-gather"),
      ("f32[16,2]", "all-gather"), (f"f32[2,{features}]", "reduce-scatter")])


@pytest.mark.whole(unless=lambda routing: routing != "one_expert")
@pytest.mark.parametrize("routing", ["one_shard", "one_expert", "random"])
def test_no_row_is_dropped_by_an_all_to_all(rng, routing):
  x, params = tokens(rng, 16), make_params(rng, use_bias=True)
  experts = {"one_shard": jnp.broadcast_to(jnp.asarray([6, 7]), (16, 2)),
             "one_expert": jnp.full((16, 2), 5),
             "random": jnp.asarray(rng.integers(0, 8, (16, 2)))}[routing]
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  mesh = jax.make_mesh((4,), ("expert",), axis_types=(jax.sharding.AxisType.Auto,))

  def sharded(x, params):
    run = lambda x, params, experts: moe(
        x, params, experts, top_k=2, expert_axis_name="expert", dispatch="all_to_all")[0]
    return jax.shard_map(
        run, mesh=mesh, in_specs=(P("expert"), moe_specs(params), P("expert")),
        out_specs=P("expert"))(x, params, experts), 0.0

  whole = lambda x, params: (moe(x, params, experts, top_k=2)[0], 0.0)
  given, wanted = (value_and_grads(f, x, params, cotangent) for f in (sharded, whole))
  assert_near(given, wanted, 1e-5)


@pytest.mark.parametrize("count", [2, 3, 4, 8])
def test_rows_are_exchanged_by_the_ragged_collective_on_gpus(rng, count):
  mesh = jax.make_mesh((count,), ("x",), (jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:count])
  most = 5
  counts = rng.integers(0, most, (count, count)).astype(np.int32)
  counts[0, 1:] = 0  # one device sends rows to itself only
  rows = rng.standard_normal((count, 4 * count, 3)).astype(np.float32)  # rows of each device
  mapped = jax.jit(jax.shard_map(
      lambda rows, counts: dispatch_lib.exchange(
          rows, counts, room=count * most, most=most, axis_name="x"),
      mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x")))
  given = mapped(rows.reshape(-1, 3), counts).reshape(count, count * most, 3)
  starts = np.cumsum(counts, 1) - counts
  for to in range(count):
    parts = [rows[i, starts[i, to]:starts[i, to] + counts[i, to]] for i in range(count)]
    wanted = np.concatenate([*parts, np.zeros((count * most - counts[:, to].sum(), 3))])
    np.testing.assert_array_equal(given[to], wanted)
  gradient = jax.grad(lambda rows: (mapped(rows, counts) ** 3).sum())
  second = lambda rows: jax.jvp(gradient, (rows,), (rows,))
  for platform in "cpu", "cuda", "rocm":
    text = jax.jit(second).trace(jnp.ones((4 * count**2, 3))).lower(
        lowering_platforms=(platform,)).as_text()
    assert ("@ragged_all_to_all(" in text) == (platform != "cpu")


@pytest.mark.parametrize("name, match", [
    ("all_to_al", "one of 'gather', 'all_to_all', 'overlap' is allowed"),
    ("all_to_all", "tokens that are not sharded along expert_axis_name=None")])
def test_a_dispatch_that_is_not_allowed(rng, name, match):
  with pytest.raises(ValueError, match=match):
    moe(tokens(rng, 8), make_params(rng), top_k=2, dispatch=name)


def test_a_layer_repeats_the_routing_of_sharded_tokens(rng):
  x = tokens(rng, 24)
  whole = make_nnx(use_bias=True)
  graphdef, state = nnx.split(make_nnx(expert_axis_name="expert", use_bias=True))
  params = nnx.to_pure_dict(nnx.state(whole))

  def run(params, x, experts):
    nnx.replace_by_pure_dict(state, params)
    return nnx.merge(graphdef, state)(x, experts)

  experts = jnp.stack([jnp.arange(24) % 8, (jnp.arange(24) + 3) % 8], -1)
  of_stats = jax.tree.map(lambda _: P(), whole(x)[1])._replace(experts=P("expert"))
  sharded = jax.shard_map(
      run, mesh=make_mesh(8), in_specs=(moe_specs(params), P("expert"), P("expert")),
      out_specs=(P("expert"), of_stats))
  assert_near(jit(sharded)(params, x, experts), whole(x, experts), 1e-5)


@pytest.mark.parametrize("kind", ["function", "nnx", "linen"])
@pytest.mark.parametrize("dispatch", ["gather", "all_to_all", "overlap"])
def test_nothing_is_guessed_without_check_vma(rng, kind, dispatch):
  x = tokens(rng, 24)
  whole, mesh = make_nnx(use_bias=True), make_mesh(8)
  params = nnx.to_pure_dict(nnx.state(whole))
  wanted = run_nnx(whole, x)[0]

  def run(spec, check_vma=False, **options):
    options |= dict(expert_axis_name="expert", dispatch=dispatch)

    def local(params, x):
      if kind == "function":
        of_experts = Mlp(**params["experts"])
        return moe(x, MoEParams(params["router"], of_experts), top_k=2,
                   ragged_dot=lax.ragged_dot, **options)[0]
      if kind == "linen":
        return make_linen(use_bias=True, **options).apply({"params": params}, x)[0]
      graphdef, state = nnx.split(make_nnx(use_bias=True, **options))
      nnx.replace_by_pure_dict(state, params)
      return nnx.merge(graphdef, state)(x)[0]

    return jit(jax.shard_map(
        local, mesh=mesh, in_specs=(moe_specs(params), spec), out_specs=spec,
        check_vma=check_vma))(params, x)

  for spec in (P(), P("expert")):
    with pytest.raises(ValueError, match="not known whether the tokens of x are sharded.*Pass "
                       "sharded_tokens=True if"):
      run(spec)
  assert_near(run(P("expert"), sharded_tokens=True), wanted, 1e-5)
  if dispatch == "gather":
    assert_near(run(P(), sharded_tokens=False), wanted, 1e-5)
  with pytest.raises(ValueError, match="sharded_tokens=False was given, and x varies"):
    run(P("expert"), check_vma=True, sharded_tokens=False)


def test_nothing_is_guessed_in_vmap(rng):
  x, params = tokens(rng, 8), make_params(rng)
  parts = params._replace(experts=jax.tree.map(lambda a: a[:, None], params.experts))
  axes = MoEParams(None, jax.tree.map(lambda _: 0, params.experts))

  def run(**options):
    return jax.vmap(
        lambda x, params: moe(x, params, top_k=2, expert_axis_name="expert",
                              ragged_dot=lax.ragged_dot, **options)[0],
        in_axes=(None, axes), out_axes=None, axis_name="expert")(x, parts)

  with pytest.raises(ValueError, match="not known whether the tokens of x are sharded"):
    run()


@pytest.mark.parametrize("dispatch", ["gather", "all_to_all", "overlap"])
def test_equal_tokens_may_count_as_those_of_each_device(rng, dispatch):
  x, params = tokens(rng, 6), make_params(rng)
  run = lambda x, params: moe(
      x, params, top_k=2, expert_axis_name="expert", sharded_tokens=True, dispatch=dispatch)[0]
  given = jit(jax.shard_map(run, mesh=make_mesh(8), in_specs=(P(), moe_specs(params)),
                            out_specs=P("expert")))(x, params)
  assert_near(given, jnp.tile(moe(x, params, top_k=2)[0], (8, 1)), 1e-5)


@pytest.mark.parametrize("spec", [P(), P("expert")])
def test_shard_map_over_one_of_two_automatic_axes(rng, spec):
  x, params = tokens(rng, 8), make_params(rng)
  mesh = make_mesh(2, 4)
  run = lambda x, params: moe(x, params, top_k=2, expert_axis_name="expert")[0]
  given = jit(jax.shard_map(run, mesh=mesh, in_specs=(spec, moe_specs(params)), out_specs=spec,
                            axis_names={"expert"}))(x, params)
  assert_near(given, moe(x, params, top_k=2, ragged_dot=lax.ragged_dot)[0], 1e-5)


@pytest.mark.parametrize("name", ["expert_axis_name", "tensor_axis_name"])
def test_a_mesh_that_is_partly_explicit_is_refused(rng, name):
  mesh = jax.make_mesh((2, 4), ("data", "model"))
  with jax.set_mesh(mesh), pytest.raises(ValueError, match="the explicit axes .*'data'"):
    jax.shard_map(
        lambda x, params: moe(x, params, top_k=2, **{name: "model"})[0], mesh=mesh,
        in_specs=(P(), MoEParams(P(), P("model") if "expert" in name else P())),
        out_specs=P(), axis_names={"model"})(tokens(rng, 8), make_params(rng))


@pytest.mark.parametrize("options, error, message", [
    (dict(sharded_tokens="no"), TypeError, "sharded_tokens='no' was given; True, False or None"),
    (dict(sharded_tokens=True), ValueError, "without expert_axis_name"),
    (dict(dispatch="all_to_al"), ValueError, "'gather', 'all_to_all', 'overlap' is allowed")])
def test_a_layer_refuses_these_where_it_is_made(options, error, message):
  with pytest.raises(error, match=message):
    make_nnx(**options)


def test_sharded_tokens_need_an_axis(rng):
  with pytest.raises(ValueError, match="sharded_tokens=True.*without expert_axis_name"):
    moe(tokens(rng, 8), make_params(rng), top_k=2, sharded_tokens=True)


@pytest.mark.parametrize("name", ["router", "experts"])
def test_operands_that_vary_along_the_expert_axis_are_refused(rng, name):
  x, params = tokens(rng, 16), make_params(rng)
  experts = jnp.zeros((16, 2), jnp.int32)

  def run(x, params, experts):
    given = {"router": params.router, "experts": experts}
    given[name] = lax.pcast(given[name], "expert", to="varying")
    params = params._replace(router=given["router"])
    return moe(x, params, given["experts"], top_k=2,
               expert_axis_name="expert")[0]

  with pytest.raises(ValueError, match=f"{name} varies along the mesh axis 'expert'.*"
                                       r"in_specs P\(\)"):
    jax.shard_map(run, mesh=make_mesh(8), in_specs=(P(), moe_specs(params), P()),
                  out_specs=P())(x, params, experts)


def test_gathered_tokens_are_the_same_along_the_axis(rng):
  x, params = tokens(rng, 16), make_params(rng)

  def run(x, params):
    x = lax.all_gather(x, "expert", tiled=True, to="invarying")
    return moe(x, params, top_k=2, expert_axis_name="expert")[0]

  given = jax.jit(jax.shard_map(
      run, mesh=make_mesh(8), in_specs=(P("expert"), moe_specs(params)),
      out_specs=P()))(x, params)
  assert_near(given, jit(moe, static_argnames="top_k")(x, params, top_k=2)[0], 1e-5)


def test_experts_that_are_not_sharded_are_refused(rng):
  x, params = tokens(rng, 8), make_params(rng)
  half = params._replace(experts=jax.tree.map(lambda a: a[:4], params.experts))
  with pytest.raises(ValueError, match="num_experts=8 and the kernels have 4"):
    moe(x, half, top_k=2)
  with pytest.raises(ValueError, match="8 shards along 'expert'"):
    jax.shard_map(
        lambda x, params: moe(x, params, top_k=2, expert_axis_name="expert")[0],
        mesh=make_mesh(8), in_specs=P(), out_specs=P())(x, params)
