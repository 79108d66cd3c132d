"""The mixture of experts against dense experts: numbers, gradients, programs."""

import functools
import inspect
import re

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.flax import MoEParams, MoEStats, load_balancing_loss, moe
from tests.flax import moe_on_jax
from tests.support.moe_reference import (
  RAGGED_DOTS,
  C,
  E,
  H,
  assert_near,
  dense_moe,
  in_float64,
  jit,
  layer,
  make_params,
  run_moe,
  to_expert,
  tokens,
  value_and_grads,
)


@RAGGED_DOTS
@pytest.mark.parametrize("form, options", [
    pytest.param({}, dict(top_k=1, normalize_weights=False),  # Switch's router
                 marks=pytest.mark.whole),
    pytest.param(dict(shared=2), dict(top_k=2), marks=pytest.mark.whole),  # Mixtral's
    (dict(use_bias=True, shared=1),
     dict(top_k=2, normalize_weights=False, routed_scaling=2.5, activation="gelu")),
    (dict(gated=False, use_bias=True), dict(top_k=8, activation="relu")),
], ids=["top1", "top2", "top2-bias", "top8-no-gate"])
def test_moe_agrees_with_dense_experts_in_float64(rng, ragged_dot, form, options):
  x, params = tokens(rng, 40), make_params(rng, **form)
  cotangent = jnp.asarray(rng.standard_normal((40, C)), jnp.float32)
  given = value_and_grads(
      layer, x, params, cotangent, ragged_dot=ragged_dot, **options)
  assert_near(given, in_float64(x, params, cotangent, **options), 2e-5)


@RAGGED_DOTS
@pytest.mark.parametrize("logits, counts", [
    ([0, 0, 0, 99, 0, 0, 0, 0], {3: 40}),
    pytest.param([0, 0, 0, 0, 0, 0, 0, 99], {7: 40}, marks=pytest.mark.whole),
    ([-99, 0, -99, 0, 0, -99, 0, -99], {0: 0, 2: 0, 5: 0, 7: 0}),
], ids=["all-to-one", "all-to-the-last", "empty-experts"])
def test_uneven_routing(rng, ragged_dot, logits, counts):
  x, params = tokens(rng, 40), to_expert(make_params(rng, use_bias=True), logits)
  cotangent = jnp.asarray(rng.standard_normal((40, C)), jnp.float32)
  out, grads = value_and_grads(
      layer, x, params, cotangent, ragged_dot=ragged_dot, top_k=1)
  wanted = in_float64(x, params, cotangent, top_k=1)
  assert_near((out, grads), wanted, 2e-5)
  stats = run_moe(x, params, top_k=1, ragged_dot=ragged_dot)[1]
  for expert, count in counts.items():
    assert stats.tokens_per_expert[expert] == count
  for expert in np.flatnonzero(stats.tokens_per_expert == 0):
    for grad in jax.tree.leaves(grads[1].experts):
      assert not grad[expert].any()
  assert stats.empty_experts == (stats.tokens_per_expert == 0).sum() / E
  assert stats.max_load == stats.tokens_per_expert.max() / 5


@pytest.mark.parametrize("top_k, ragged_dot", [
    (2, lax.ragged_dot), (8, jaxgemm.ragged_dot)], ids=["top2-lax", "top8-jaxgemm"])
def test_bfloat16_compute_with_float32_parameters(rng, ragged_dot, top_k):
  x, params = tokens(rng, 64), make_params(rng, use_bias=True, shared=1)
  cotangent = jnp.asarray(rng.standard_normal((64, C)), jnp.float32)
  out, grads = value_and_grads(
      layer, x, params, cotangent, top_k=top_k, dtype=jnp.bfloat16,
      ragged_dot=ragged_dot)
  assert out.dtype == jnp.bfloat16
  assert {g.dtype for g in jax.tree.leaves(grads)} == {jnp.dtype(jnp.float32)}
  wanted = in_float64(x, params, cotangent, top_k=top_k)
  pairs = zip(jax.tree.leaves((out, grads)), jax.tree.leaves(wanted), strict=True)
  for given, exact in pairs:
    error = np.linalg.norm(np.asarray(given, np.float64) - exact)
    assert 0 < error < 8e-3 * np.linalg.norm(exact)


def test_sums_over_experts_are_float32(rng):
  # The sum is 64y + y - 64y, of which bfloat16 would keep only two bits of y.
  x, params = tokens(rng, 32), make_params(rng, gated=False)
  first = lambda a: a[:1]
  one = MoEParams(params.router[:, :1], jax.tree.map(first, params.experts))
  factors = jnp.asarray([64.0, 1, -64, 0, 0, 0, 0, 0])[:, None, None]
  experts = jax.tree.map(lambda a: jnp.tile(a, (E, 1, 1)), one.experts)
  all_alike = MoEParams(
      0 * params.router, experts._replace(down=factors * experts.down))

  def result_and_gradient(params, top_k):
    out, pullback = jax.vjp(
        lambda x: moe(x, params, top_k=top_k, dtype=jnp.bfloat16,
                      ragged_dot=lax.ragged_dot)[0], x)
    return out.astype(jnp.float32), pullback(jnp.ones_like(out))[0]

  given = jit(result_and_gradient, static_argnums=1)(all_alike, E)
  wanted = jit(result_and_gradient, static_argnums=1)(one, 1)
  for a, b in zip(given, wanted):
    np.testing.assert_allclose(a, b / E, rtol=1e-2, atol=1e-6)


def test_result_dtype_follows_input_and_parameters(rng):
  x, params = tokens(rng, 8), make_params(rng)
  small = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)
  run = functools.partial(moe, top_k=2, ragged_dot=lax.ragged_dot)
  run = functools.partial(jax.eval_shape, run)
  assert run(x.astype(jnp.bfloat16), params)[0].dtype == jnp.float32
  out, stats = run(x.astype(jnp.bfloat16), small)
  assert out.dtype == jnp.bfloat16
  assert stats.router_z_loss.dtype == jnp.float32


def test_statistics_and_losses(rng):
  x, params = tokens(rng, 3, 20), make_params(rng)
  _, stats = run_moe(x, params, top_k=2, ragged_dot=lax.ragged_dot)
  logits = np.asarray(x.reshape(-1, C), np.float64) @ np.asarray(params.router)
  chosen = np.argsort(-logits, -1)[:, :2]
  counts = np.bincount(chosen.ravel(), minlength=E)
  probs = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
  assert isinstance(stats, MoEStats)
  assert stats.tokens_per_expert.dtype == jnp.int32
  np.testing.assert_array_equal(stats.tokens_per_expert, counts)
  np.testing.assert_array_equal(stats.experts, chosen.reshape(3, 20, 2))
  np.testing.assert_allclose(stats.router_probs, probs.mean(0), rtol=1e-5)
  np.testing.assert_allclose(stats.max_load, counts.max() / counts.mean(), rtol=1e-6)
  np.testing.assert_allclose(
      stats.load_balancing_loss, E * (counts / 120 * probs.mean(0)).sum(), rtol=1e-5)
  np.testing.assert_allclose(
      stats.router_z_loss, (np.log(np.exp(logits).sum(-1)) ** 2).mean(), rtol=1e-5)


def test_load_balancing_loss_by_hand():
  even = jnp.full(4, 3), jnp.full(4, 0.25)
  assert load_balancing_loss(*even) == 1
  assert load_balancing_loss(jnp.array([12, 0, 0, 0]), jnp.eye(4)[0]) == 4
  # Switch's equation 4 for N=2, f=(3/4, 1/4), P=(0.6, 0.4).
  given = load_balancing_loss(jnp.array([3, 1]), jnp.array([0.6, 0.4]))
  np.testing.assert_allclose(given, 2 * (0.75 * 0.6 + 0.25 * 0.4), rtol=1e-6)


def test_given_experts_repeat_a_routing(rng):
  x, params = tokens(rng, 40), make_params(rng)
  cotangent = jnp.asarray(rng.standard_normal((40, C)), jnp.float32)
  experts = jnp.asarray(rng.permuted(np.tile(np.arange(E), (40, 1)), axis=1)[:, :2])
  options = dict(top_k=2, normalize_weights=False)
  given = value_and_grads(
      lambda x, params, **options: layer(x, params, experts, **options),
      x, params, cotangent, ragged_dot=lax.ragged_dot, **options)
  wanted = in_float64(
      x, params, cotangent, functools.partial(dense_moe, experts=experts), **options)
  assert_near(given, wanted, 2e-5)
  run = functools.partial(run_moe, x, params, ragged_dot=lax.ragged_dot, **options)
  out, stats = run()
  for a, b in zip(jax.tree.leaves((out, stats)), jax.tree.leaves(run(stats.experts))):
    np.testing.assert_array_equal(a, b)


def on_jaxgemm():
  """`moe_on_jax.layer` with one changed line: the import of ragged_dot."""
  source = inspect.getsource(moe_on_jax)
  assert source.count("from jax.lax import ragged_dot\n") == 1
  module = {}
  exec(source.replace("from jax.lax import ragged_dot", "from jaxgemm import ragged_dot"),
       module)
  return module["layer"]


@pytest.mark.parametrize("replacement", ["ragged_dot", "moe"])
def test_jaxgemm_replaces_a_handwritten_layer(rng, replacement):
  x, params = tokens(rng, 50), make_params(rng)
  cotangent = jnp.asarray(rng.standard_normal((50, C)), jnp.float32)
  if replacement == "ragged_dot":
    ours = on_jaxgemm()
    hlo = jax.jit(ours, static_argnames="top_k").lower(
        x, params, top_k=2).compile().as_text()
    assert hlo.count('custom_call_target="jaxgemm_gemm"') == 3
  else:
    ours = lambda x, params, **options: moe(x, params, **options)[0]
  given, wanted = (
      value_and_grads(lambda *args, **options: (f(*args, **options), 0.0),
                      x, params, cotangent, top_k=2)
      for f in (ours, moe_on_jax.layer))
  assert_near(given, wanted, 2e-6)


def test_forward_mode_and_second_order(rng):
  x, params = tokens(rng, 6), make_params(rng)
  u, v = jnp.asarray(rng.standard_normal((2, *x.shape)), jnp.float32)
  run = lambda x: moe(x, params, top_k=2, ragged_dot=jaxgemm.ragged_dot)[0]
  loss = lambda x: (run(x) ** 2).sum()

  @jit
  def both_ways(x):
    first = ((jax.jvp(run, (x,), (u,))[1] * v).sum(),
             (jax.vjp(run, x)[1](v)[0] * u).sum())
    second = (jax.jvp(jax.grad(loss), (x,), (u,))[1],
              jax.grad(lambda x: (jax.grad(loss)(x) * u).sum())(x))
    return first, second

  for forward, reverse in both_ways(x):
    assert_near(forward, reverse, 1e-4)


@pytest.mark.parametrize("use_bias", [False, True])
@pytest.mark.parametrize("implementation", [None, "xla", "emulated:gfx942"])
def test_gradients_by_any_implementation(rng, implementation, use_bias):
  x, params = tokens(rng, 24), make_params(rng, use_bias=use_bias)
  products = {name: functools.partial(getattr(jaxgemm, name), implementation=implementation)
              for name in ("ragged_dot", "ragged_gated_linear_unit")}
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)

  ours = lambda x, params: (moe(x, params, top_k=2, **products)[0], jnp.zeros((), x.dtype))
  dense = lambda x, params: (dense_moe(x, params, top_k=2)[0], jnp.zeros((), x.dtype))
  wanted = in_float64(x, params, cotangent, dense)
  assert_near(value_and_grads(ours, x, params, cotangent), wanted, 2e-5)


def test_gradients_in_float64(rng):
  x, params = tokens(rng, 24), make_params(rng)
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  run = lambda x, params: (moe(x, params, top_k=2)[0], jnp.zeros((), x.dtype))
  dense = lambda x, params: (dense_moe(x, params, top_k=2)[0], jnp.zeros((), x.dtype))
  given, wanted = (in_float64(x, params, cotangent, f) for f in (run, dense))
  for a, b in zip(*map(jax.tree.leaves, (given, wanted)), strict=True):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * max(np.abs(b).max(), 1))


def test_the_gradient_of_a_bias_is_not_rounded(rng):
  x, params = tokens(rng, 64), make_params(rng, use_bias=True)
  loss = lambda params: moe(x, params, top_k=2, dtype=jnp.bfloat16)[0].astype(jnp.float32).sum()
  bias = jax.grad(loss)(params).experts.gate_up_bias
  assert bias.dtype == jnp.float32
  assert (bias != bias.astype(jnp.bfloat16).astype(jnp.float32)).any()


# Programs that moe compiles to.


def equations(jaxpr):
  for eqn in jaxpr.eqns:
    yield eqn
    for inner in jax.tree.leaves(
        list(eqn.params.values()), is_leaf=lambda p: hasattr(p, "eqns")):
      inner = getattr(inner, "jaxpr", inner)
      if hasattr(inner, "eqns"):
        yield from equations(inner)


@pytest.mark.parametrize("top_k, ragged_dot", [
    (1, lax.ragged_dot), (2, lax.ragged_dot), (2, jaxgemm.ragged_dot)],
    ids=["top1-lax", "top2-lax", "top2-jaxgemm"])
def test_no_masks_and_no_64_bit_integers(rng, top_k, ragged_dot):
  num_tokens, num_experts = 96, 64
  x, params = tokens(rng, num_tokens), make_params(rng, num_experts=num_experts)

  def objective(x, params):
    out, losses = layer(x, params, top_k=top_k, ragged_dot=ragged_dot)
    return out.sum() + losses

  with jax.enable_x64(True):
    jaxpr = jax.make_jaxpr(jax.value_and_grad(objective, (0, 1)))(x, params).jaxpr
  avals = [v.aval for eqn in equations(jaxpr) for v in eqn.outvars]
  largest = max(a.size for a in avals)
  # The largest arrays are kernels and rows, not tokens x experts x features.
  assert largest <= max(num_experts * C * 2 * H, num_tokens * top_k * 2 * H)
  for aval in avals:
    assert aval.size < 32 or aval.dtype not in (jnp.int64, jnp.uint64, jnp.float64)
    if {num_experts, num_tokens * top_k} <= set(aval.shape):
      assert top_k == 1 and aval.shape == (num_tokens, num_experts)  # the logits


def test_rows_are_moved_by_gathers(rng):  # no sum has an open order
  x, params = tokens(rng, 32), make_params(rng)

  def objective(x, params):
    return layer(x, params, top_k=2, ragged_dot=jaxgemm.ragged_dot)[0].sum()

  jaxpr = jax.make_jaxpr(jax.grad(objective, (0, 1)))(x, params).jaxpr
  names = [eqn.primitive.name for eqn in equations(jaxpr) if C in eqn.outvars[0].aval.shape]
  assert not any(name.startswith("scatter") for name in names)
  # Forward and backward each add rows up, and the products read tokens by index.
  assert names.count("jaxgemm_spread") == 0 and names.count("jaxgemm_combine") == 2


def compiled(x, params, ragged_dot):
  def objective(x, params):
    out, losses = layer(x, params, top_k=2, ragged_dot=ragged_dot)
    return out.sum() + losses

  return jax.jit(jax.value_and_grad(objective, (0, 1))).lower(
      x, params).compile().as_text()


@RAGGED_DOTS
def test_nothing_leaves_the_device(rng, ragged_dot):
  x, params = tokens(rng, 32), make_params(rng, use_bias=True, shared=1)
  hlo = compiled(x, params, ragged_dot)
  assert not re.search(r" (infeed|outfeed|send|recv)[\w-]*\(", hlo)
  targets = set(re.findall(r'custom_call_target="([^"]+)"', hlo))
  ours = {"jaxgemm_gemm", "jaxgemm_routing_table"}
  assert ours <= targets <= ours | {"TopK", "jaxgemm_top_k"}  # on a CPU, and on a GPU


def test_six_grouped_calls_forward_and_backward(rng):
  x, params = tokens(rng, 32), make_params(rng)
  hlo = compiled(x, params, jaxgemm.ragged_dot)
  calls = [
      (re.search(r'ragged = "(\w+)"', line).group(1), "gated = 1" in line)
      for line in hlo.splitlines() if 'custom_call_target="jaxgemm_gemm"' in line]
  # Three calls are of the router. Two are forward, each with a dgrad and a wgrad.
  assert sorted(calls) == 2 * [("k", False)] + 3 * [("m", False)] + [
      ("m", True)] + 3 * [("none", False)]
  assert " dot(" not in hlo
  kernels = f"f32\\[({E},{C},2,{H}|{E},{C},{2 * H}|{E},{H},{C})\\]"
  copies = [line for line in hlo.splitlines()
            if re.search(f"= {kernels}\\S* (copy|transpose|concatenate)\\(", line)]
  assert not copies
