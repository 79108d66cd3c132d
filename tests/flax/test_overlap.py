"""moe(dispatch="overlap"): loads of all kinds on many devices, against float64 and one device."""

import functools

import jax
from jax.interpreters import partial_eval
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm.collective import blocks as in_blocks
from jaxgemm.explain import program
from jaxgemm.flax import ClampedSwiGLU, moe
from tests.emulator.test_virtual_rocm import check_programs
from tests.flax.test_flax_sharding import moe_specs
from tests.support.moe_reference import (
  E,
  assert_near,
  in_float64,
  jit,
  layer,
  make_params,
  to_expert,
  tokens,
  value_and_grads,
)
from tests.support.virtual_rocm import needs_plugin

# Additions to the logits of the experts. Of four devices each has two experts.
LOADS = {
    "balanced": [0] * E,
    "all to one device": [-99] * 6 + [0, 0],
    "none to one device": [0, 0, -99, -99, 0, 0, 0, 0],
    "one expert and any": [99] + [0] * 7,
}


def make_mesh(count):
  return jax.make_mesh((count,), ("expert",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:count])


def overlapped(count, params, given_experts=False, **options):
  """A function of (x, params), and of experts if they are given, on `count` devices."""
  def local(x, params, *experts):
    out, stats = moe(x, params, *experts, expert_axis_name="expert", sharded_tokens=True,
                     dispatch="overlap", **options)
    return out, stats.load_balancing_loss + stats.router_z_loss

  rows = P("expert")
  return jax.shard_map(
      local, mesh=make_mesh(count), in_specs=(rows, moe_specs(params), *[rows] * given_experts),
      out_specs=(rows, P()))


@pytest.mark.parametrize("count", [2, 4, 8])
@pytest.mark.parametrize("load", LOADS)
def test_against_float64(rng, blocks, load, count):
  x = tokens(rng, count * int(rng.integers(3, 12)))
  params = to_expert(make_params(rng, use_bias=True, shared=1), LOADS[load])
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  given = value_and_grads(overlapped(count, params, top_k=2), x, params, cotangent)
  assert_near(given, in_float64(x, params, cotangent, top_k=2), 1e-5)


@pytest.mark.parametrize("top_k, count", [(1, 4), (5, 4), (8, 2), (3, 8), (2, 1)])
def test_choices_of_a_token(rng, blocks, top_k, count):
  # With four devices a token has more choices than a device has experts.
  x, params = tokens(rng, count * 5), make_params(rng)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  options = dict(top_k=top_k, normalize_weights=False)
  given = value_and_grads(overlapped(count, params, **options), x, params, cotangent)
  assert_near(given, in_float64(x, params, cotangent, **options), 1e-5)


@pytest.mark.parametrize("options", [
    dict(activation=ClampedSwiGLU()), dict(activation="gelu"), dict(recipe="rowwise"),
    dict(ragged_dot=jax.lax.ragged_dot), dict(gated=False, activation="relu"),
    dict(ragged_dot=functools.partial(jaxgemm.ragged_dot, schedule="stream_k"))],
    ids=["clamped", "gelu", "float8", "lax", "no gate", "stream-k"])
def test_as_on_one_device_with_other_products(rng, options):
  x, gated = tokens(rng, 24), options.pop("gated", True)
  params = make_params(rng, use_bias=True, gated=gated)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  given = value_and_grads(overlapped(4, params, top_k=2, **options), x, params, cotangent)
  wanted = value_and_grads(layer, x, params, cotangent, top_k=2, **options)
  assert_near(given, wanted, 0.1 if "recipe" in options else 1e-5)


def test_an_expert_that_a_token_has_twice(rng, blocks):
  x, params = tokens(rng, 16), make_params(rng, use_bias=True)
  chosen = jnp.asarray(rng.integers(0, E, (16, 3)).repeat(2, 1)[:, :4])
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  function = overlapped(4, params, given_experts=True, top_k=4)
  given = value_and_grads(lambda x, params: function(x, params, chosen), x, params, cotangent)
  wanted = value_and_grads(
      lambda x, params: layer(x, params, chosen, top_k=4), x, params, cotangent)
  assert_near(given, wanted, 1e-5)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_bits_of_one_device_with_one_expert_a_token(rng, blocks, dtype):
  x, params = tokens(rng, 24), make_params(rng)
  options = dict(top_k=1, normalize_weights=False, dtype=dtype)
  for name in "ragged_dot", "ragged_gated_linear_unit":
    options[name] = functools.partial(getattr(jaxgemm, name), deterministic="rows")
  given = jit(overlapped(4, params, **options))(x, params)[0]
  wanted = jit(functools.partial(moe, **options))(x, params)[0]
  # A sum of one term is rounded as on one device, and the other devices' sums are zero.
  np.testing.assert_array_equal(given, wanted)


def test_dead_rows_have_no_effect(rng, blocks):
  """Tokens with NaN and inf change only their own results."""
  x, params = tokens(rng, 32), make_params(rng)
  function = jit(overlapped(4, params, top_k=2))
  wanted = np.asarray(function(x, params)[0])
  broken = x.at[jnp.asarray([3, 17])].set(jnp.asarray([[jnp.nan], [jnp.inf]]))
  chosen = jit(functools.partial(moe, top_k=2))(x, params)[1].experts
  given = jit(overlapped(4, params, given_experts=True, top_k=2))(broken, params, chosen)[0]
  others = np.delete(np.arange(32), [3, 17])
  np.testing.assert_allclose(np.asarray(given)[others], wanted[others], rtol=1e-5, atol=1e-6)
  assert not np.isfinite(np.asarray(given)[[3, 17]]).all(1).any()


def test_second_derivatives_are_refused_or_right(rng, blocks):
  x, params = tokens(rng, 16), make_params(rng)
  loss = lambda function, x: (function(x, params)[0] ** 2).sum()
  hvp = lambda function: jit(jax.grad(lambda x: (jax.grad(loss, 1)(function, x) * x).sum()))(x)
  with pytest.raises(NotImplementedError, match="dispatch='overlap' was differentiated twice"):
    hvp(overlapped(4, params, top_k=2))
  options = dict(top_k=2, ragged_dot=jax.lax.ragged_dot)
  assert_near(hvp(overlapped(4, params, **options)),
              hvp(functools.partial(layer, **options)), 1e-4)


@pytest.mark.parametrize("policy", [None, jax.checkpoint_policies.save_only_these_names(
    "jaxgemm_preact", "jaxgemm_moe_out")], ids=["all again", "names"])
def test_each_start_has_a_done(rng, blocks, policy):
  x, params = tokens(rng, 16), make_params(rng)
  function = overlapped(4, params, top_k=2)
  saved = jax.checkpoint(lambda x, params: function(x, params)[0], policy=policy)
  of_loss = jax.grad(lambda x, params: (saved(x, params) ** 2).sum(), (0, 1))
  for f in of_loss, lambda x, params: function(x, params)[1]:
    jaxpr = jax.make_jaxpr(f)(x, params).jaxpr
    jaxpr = partial_eval.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))[0]
    found = [each.is_done for each in program.calls_and_exchanges(jaxpr)
             if isinstance(each, program.Exchange) and each.eqn.params["form"]]
    assert found.count(True) == found.count(False)
    assert bool(found) == (f is of_loss)


def test_no_tokens(rng, blocks):
  params = make_params(rng)
  x = jnp.zeros((0, params.router.shape[0]))
  given = value_and_grads(overlapped(4, params, top_k=2), x, params, x)
  assert given[0].shape == x.shape and not np.any(given[1][1].experts.down)


def test_an_axis_of_vmap_is_refused(rng):
  params = make_params(rng)
  parts = params._replace(experts=jax.tree.map(
      lambda a: a.reshape(4, 2, *a.shape[1:]), params.experts))
  with pytest.raises(ValueError, match="an axis of a jax.shard_map around the layer is allowed"):
    jax.vmap(lambda x, params: moe(
        x, params, top_k=2, expert_axis_name="e", sharded_tokens=True, dispatch="overlap")[0],
             in_axes=(0, params._replace(router=None, experts=jax.tree.map(
                 lambda _: 0, params.experts))), axis_name="e")(tokens(rng, 4, 6), parts)


def test_float64(rng, blocks):
  with jax.enable_x64(True):
    x, params = jax.tree.map(lambda a: a.astype(jnp.float64), (
        tokens(rng, 16), make_params(rng, use_bias=True)))
    given = value_and_grads(overlapped(4, params, top_k=2), x, params, x)
    assert_near(given, value_and_grads(layer, x, params, x, top_k=2), 1e-7)


def test_within_scan_and_checkpoint(rng, blocks):
  x, params = tokens(rng, 16), make_params(rng)
  function = overlapped(4, params, top_k=2)

  @jax.checkpoint
  def layers(x, params, function):
    return jax.lax.scan(lambda x, _: (x + function(x, params)[0], None), x, None, length=2)[0]

  def gradients(function):
    loss = lambda x, params: (layers.__wrapped__(x, params, function) ** 2).sum()
    return jit(jax.grad(loss, (0, 1)))(x, params)

  assert_near(gradients(function), gradients(functools.partial(layer, top_k=2)), 1e-5)


def test_no_array_has_a_row_for_each_device_and_expert(rng, blocks):
  """Tokens travel once: what is sent has the tokens of a device, and not their rows."""
  count, top_k = 4, 4
  x, params = tokens(rng, count * 8), make_params(rng)
  text = jax.jit(overlapped(count, params, top_k=top_k)).lower(x, params).as_text()
  sent = [line for line in text.splitlines() if "collective_permute" in line]
  assert sent and not any(f"tensor<{8 * top_k}x" in line for line in sent)


def test_explain_shows_what_travels_beside_which_products(rng, blocks):
  count, x, params = 4, tokens(rng, 40), make_params(rng)
  function = overlapped(count, params, top_k=2)
  data = jaxgemm.explain(function, x, params).data
  sent, choices, weights, back = data["exchanges"]
  assert [each["devices"] for each in data["exchanges"]] == [count] * 4
  assert choices["bytes"] == weights["bytes"] == 10 * 2 * 4
  assert sent["bytes"] == back["bytes"] == x.nbytes // count
  rows = lambda number: data["calls"][number - 1]["operands"][0]
  # The router, and the first product of the own tokens, run beside the tokens' arrival. The last
  # one of the own tokens runs beside the sums.
  of_own = blocks == "two blocks"
  assert [rows(number) for number in sent["products"]] == ["float32[10,16]"] * (1 + of_own)
  assert [rows(number) for number in back["products"]] == ["float32[20,24]"] * of_own
  assert "cpu has no copy engines" in sent["reason"] and sent["by"] == "ppermute"
  text = str(jaxgemm.explain(jax.grad(lambda x: function(x, params)[0].sum()), x))
  assert text.count(
      "exchange of 4 devices: float32[10,16] (640 bytes) to each other one by ppermute (cpu") == 5


def test_room_for_fewer_rows(rng, blocks):
  x, params = tokens(rng, 64), make_params(rng, use_bias=True)
  chosen = jnp.asarray(rng.permuted(np.tile(np.arange(E), (64, 1)), axis=1)[:, :2])
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)

  def results(chosen, room):
    function = overlapped(4, params, given_experts=True, top_k=2, dispatch_room=room)
    return value_and_grads(
        lambda x, params: function(x, params, chosen), x, params, cotangent)

  assert_near(results(chosen, 3.0), results(chosen, None), 1e-5)
  # All tokens choose the experts of the last device, which has room for a quarter of them.
  out, (of_x, of_params) = results(jnp.full_like(chosen, E - 1).at[:, 0].set(E - 2), 1.0)
  assert np.isnan(out).all() and np.isnan(of_x).all()
  assert np.isnan(of_params.router[:, E - 2:]).all()
  # The rows of the last but one expert come first.
  for name in "gate_up", "down", "gate_up_bias", "down_bias":
    assert np.isnan(getattr(of_params.experts, name)[E - 2]).all(), name


def test_room_is_for_own_and_others_tokens_apart(rng, blocks):
  """Each device's tokens choose its own experts: rows are balanced, but those of own tokens not."""
  x, params = tokens(rng, 64), make_params(rng)
  chosen = jnp.arange(64)[:, None] // 16 * 2 + jnp.asarray([[0, 1]])
  run = lambda room: jit(overlapped(
      4, params, given_experts=True, top_k=2, dispatch_room=room))(x, params, chosen)[0]
  assert np.isnan(run(1.5)).all()
  np.testing.assert_array_equal(run(4.0), run(None))


def test_rows_that_own_rows_leave_no_room_for(rng, blocks):
  """Others' rows fit into their own room, but not beside own rows beyond theirs in one block."""
  x, params = tokens(rng, 128), make_params(rng)
  # 40 tokens of device 0 choose its first expert, and 32 tokens of device 1.
  of_tokens = np.concatenate([np.arange(64) >= 40, np.arange(64) >= 32]) * (E // 2)
  chosen = jnp.asarray(of_tokens)[:, None]

  def results(room):
    function = overlapped(2, params, given_experts=True, top_k=1, dispatch_room=room)
    return value_and_grads(
        lambda x, params: function(x, params, chosen), x, params, jnp.ones_like(x))

  (out, (of_x, _)), (wanted, (of_x_wanted, _)) = results(1.0), results(None)
  assert np.isnan(out[:64]).all()
  for given, right in ((out, wanted), (of_x, of_x_wanted)):
    lost = np.isnan(given).any(-1)
    assert np.isnan(given[lost]).all()
    assert_near(given[~lost], right[~lost], 1e-5)


def test_experts_along_an_automatic_axis(rng, blocks):
  """Each device computes a part of the experts of its shard, and the results are added up."""
  mesh = jax.make_mesh((2, 2), ("expert", "data"), axis_types=(AxisType.Auto,) * 2)
  x, params = tokens(rng, 24), make_params(rng)
  local = functools.partial(moe, top_k=2, expert_axis_name="expert", sharded_tokens=True,
                            dispatch="overlap")
  specs = moe_specs(params)
  function = jax.shard_map(
      lambda *given: (local(*given)[0], 0.0), mesh=mesh, axis_names={"expert"},
      in_specs=(P("expert"), specs), out_specs=(P("expert"), P()))
  place = lambda x, spec: jax.device_put(x, NamedSharding(
      mesh, P(("expert", "data")) if spec == P("expert") else spec))
  placed = jax.tree.map(place, params, specs)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  wanted = value_and_grads(
      lambda x, params: (overlapped(2, params, top_k=2)(x, params)[0], 0.0), x, params, cotangent)
  assert_near(value_and_grads(function, x, placed, cotangent), wanted, 1e-5)


@pytest.mark.parametrize("dispatch", ["gather", "overlap", "all_to_all"])
@pytest.mark.parametrize("count", [2, 4])
def test_the_room_that_would_have_been_enough(rng, count, dispatch):
  x, params = tokens(rng, count * int(rng.integers(3, 20))), make_params(rng)
  chosen = jnp.asarray(rng.choice(E, (len(x), 2), p=rng.dirichlet(np.ones(E))))
  local = functools.partial(moe, top_k=2, expert_axis_name="expert", sharded_tokens=True,
                            dispatch=dispatch)
  stats = jit(jax.shard_map(
      lambda *given: local(*given)[1].dispatch_room, mesh=make_mesh(count),
      in_specs=(P("expert"), moe_specs(params), P("expert")), out_specs=P()))(x, params, chosen)
  device = np.asarray(chosen).reshape(count, -1) // (E // count)
  rows = np.stack([np.bincount(each, minlength=count) for each in device])
  own, others = np.diagonal(rows), rows.sum(0) - np.diagonal(rows)
  of_tokens = device.shape[1] / count
  needed = max(1, (own / of_tokens).max(), (others / of_tokens / (count - 1)).max())
  np.testing.assert_allclose(stats, needed, rtol=1e-6)
  run = lambda room: np.asarray(jit(overlapped(
      count, params, given_experts=True, top_k=2, dispatch_room=room))(x, params, chosen)[0])
  np.testing.assert_array_equal(run(float(stats)), run(None))
  less = needed - 1.01 * count / device.shape[1]  # a row less of own tokens, and of the others'
  assert less < 1 or np.isnan(run(less)).any()


def test_room_of_one_device_is_balanced(rng):
  stats = jit(functools.partial(moe, top_k=2))(tokens(rng, 5), make_params(rng))[1]
  assert stats.dispatch_room == 1


def test_room_is_for_overlap(rng):
  for options, error, message in (
      (dict(dispatch="gather", dispatch_room=2.0), ValueError, "allowed with dispatch='overlap'"),
      (dict(dispatch="overlap", dispatch_room=0.5), ValueError, "at least 1 is allowed"),
      (dict(dispatch="overlap", dispatch_room="2"), TypeError, "a float is allowed")):
    with pytest.raises(error, match=message):
      moe(tokens(rng, 8), make_params(rng), top_k=2, **options)


def test_two_blocks_where_they_cost_less_than_they_hide():
  of_qwen3 = dict(features=2048, hidden_features=768, top_k=8, num_experts=128, devices=2,
                  dtype=jnp.bfloat16)
  assert [in_blocks.splits(tokens, **of_qwen3) for tokens in (512, 4096, 16384)] == [
      False, False, True]
  assert in_blocks.splits(4096, **of_qwen3 | {"devices": 8})


@needs_plugin
@pytest.mark.parametrize("name", ["loads", "same_bits", "with_room"])
def test_on_four_virtual_devices_whose_streams_are_late(name):
  check_programs(name, of="tests.flax.overlap_programs",
                 options=["--devices=4", "--stream-seed=3", "--most-delay-us=200"])
