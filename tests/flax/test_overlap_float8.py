"""moe(dispatch="overlap") with a recipe: tokens and cotangents travel in float8."""

import functools

import jax
from jax.interpreters import partial_eval
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8
from jaxgemm.collective import blocks as in_blocks
from jaxgemm.explain import program
from jaxgemm.flax import ClampedSwiGLU
from jaxgemm.flax import experts as experts_lib
from jaxgemm.fp8 import kernel_gradients
from jaxgemm.fp8.rows import quantized_rows
from tests.emulator.test_virtual_rocm import check_programs
from tests.flax.test_overlap import LOADS, overlapped
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

RECIPES = list(fp8.recipes.RECIPES)


def drawn(rng, count, load="balanced", use_bias=True):
  """(tokens, parameters, cotangents) for some devices."""
  x = tokens(rng, count * int(rng.integers(3, 12)))
  params = to_expert(make_params(rng, use_bias=use_bias), LOADS[load])
  return x, params, jnp.asarray(rng.standard_normal(x.shape), jnp.float32)


def assert_close(given, wanted, tolerance):
  """Asserts that no leaf differs by more than a part of its norm."""
  for (path, x), y in zip(jax.tree.leaves_with_path(given), jax.tree.leaves(wanted), strict=True):
    error = np.linalg.norm(np.asarray(x, np.float64) - y)
    assert error <= tolerance * np.linalg.norm(y), (jax.tree_util.keystr(path), error)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("count", [2, 4])
def test_against_float64(rng, blocks, count, load, recipe):
  x, params, cotangent = drawn(rng, count, load)
  given = value_and_grads(overlapped(count, params, top_k=2, recipe=recipe), x, params, cotangent)
  # Operands have 3 bits after the first one, and cotangents 2 or 3.
  assert_close(given, in_float64(x, params, cotangent, top_k=2), 0.12)


def results(function, x, params, cotangent):
  """(result, gradients of x and params), without the losses, whose sums have another order."""
  return value_and_grads(lambda *given: (function(*given)[0], 0.0), x, params, cotangent)


@pytest.mark.parametrize("recipe", RECIPES[1:])
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_bits_of_rows_that_are_quantised_where_they_arrive(rng, monkeypatch, load, dtype, recipe):
  # Products that quantise their rows themselves add a bias to a rounded result.
  x, params, _ = drawn(rng, 4, load, use_bias=False)
  run = lambda: jit(overlapped(4, params, top_k=2, recipe=recipe, dtype=dtype))(x, params)[0]
  monkeypatch.setattr(in_blocks, "SPLITS", True)
  given = run()
  # Without one derivative for all of the experts, tokens travel as they are, and each product
  # quantises its rows.
  monkeypatch.setattr(experts_lib, "static_of_whole", lambda *_: None)
  np.testing.assert_array_equal(given, run())


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("count", [2, 4])
def test_bits_of_one_device_with_one_expert_a_token(rng, blocks, count, recipe):
  x, params, cotangent = drawn(rng, count, use_bias=False)
  options = dict(top_k=1, normalize_weights=False, recipe=recipe)
  given, (of_x, of_params) = results(overlapped(count, params, **options), x, params, cotangent)
  wanted = results(functools.partial(layer, **options), x, params, cotangent)
  np.testing.assert_array_equal(given, wanted[0])
  # The router's part of the gradient of x is a product of all tokens.
  assert_near((of_x, of_params.router), (wanted[1][0], wanted[1][1].router), 1e-6)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("count", [2, 4])
def test_gradients_of_kernels_read_what_travelled(rng, blocks, count, recipe):
  x, params, cotangent = drawn(rng, count)
  chosen = jnp.asarray(rng.integers(0, E, (len(x), 1)))
  function = overlapped(count, params, given_experts=True, top_k=1, recipe=recipe)
  given = results(lambda x, params: function(x, params, chosen), x, params, cotangent)
  kind = fp8.recipes.RECIPES[recipe]
  dtypes = fp8.recipes.dtypes_of(kind, None)

  def travelled(x, dtype):
    rows = quantized_rows(x, "row" if kind == "tensor" else kind, dtype)
    return rows.dequantize()[:, :x.shape[1]]

  wanted = results(
      lambda x, params: layer(x, params, chosen, top_k=1, recipe=recipe),
      travelled(x, dtypes[0]), params, travelled(cotangent, dtypes[1]))
  assert_near(given[1][1].experts, wanted[1][1].experts, 1e-5)


def exchanges(function, *args):
  return jaxgemm.explain(function, *args).data["exchanges"]


@pytest.mark.parametrize("recipe, columns, scales", [
    ("tensorwise", 16, "float32"), ("rowwise", 16, "float32"), ("blockwise", 16, "float32"),
    ("mxfp8", 32, "float8_e8m0fnu")])
def test_explain_says_what_travels(rng, blocks, recipe, columns, scales):
  x, params = tokens(rng, 40), make_params(rng)
  function = overlapped(4, params, top_k=2, recipe=recipe)
  values, of_values, *_, back = exchanges(function, x, params)
  assert values["block"] == f"float8_e4m3fn[10,{columns}]" and values["bytes"] == 10 * columns
  assert of_values["block"] == f"{scales}[10,1]"
  assert back["block"] == "float32[10,16]" and back["bytes"] == 640
  found = exchanges(jax.grad(lambda x, params: function(x, params)[0].sum(), (0, 1)), x, params)
  cotangents = {"blockwise": "e4m3fn", "mxfp8": "e4m3fn"}.get(recipe, "e5m2")
  travels = [each["block"] for each in found if f"[10,{columns}]" in each["block"]]
  wide = ["float32[10,16]"] * 2  # the sums, and those of the gradient of tokens
  small = [f"float8_{dtype}[10,{columns}]" for dtype in ("e4m3fn", cotangents, "e4m3fn")]
  assert sorted(travels) == sorted(small + wide * (columns == 16))
  # The tokens travel again beside the cotangents of hidden rows, and so do their scales.
  of_values, of_scales = ([each["products"] for each in found if each["block"] == block][-1]
                          for block in (f"float8_e4m3fn[10,{columns}]", f"{scales}[10,1]"))
  assert of_values and of_values == of_scales


@pytest.mark.parametrize("options", [
    dict(gated=False, activation="relu"), dict(activation=ClampedSwiGLU())],
    ids=["no gate", "clamped"])
def test_without_one_derivative_tokens_travel_as_they_are(rng, options):
  options = dict(options)
  x, params = tokens(rng, 24), make_params(rng, gated=options.pop("gated", True))
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)
  function = overlapped(4, params, top_k=2, recipe="rowwise", **options)
  assert not any("float8" in each["block"] for each in exchanges(function, x, params))
  wanted = value_and_grads(layer, x, params, cotangent, top_k=2, **options)
  assert_close(value_and_grads(function, x, params, cotangent), wanted, 0.2)


@pytest.mark.parametrize("recipe", RECIPES)
def test_prepared_weights(rng, blocks, recipe):
  x, params, cotangent = drawn(rng, 4)
  function = overlapped(4, params, top_k=2, recipe=recipe)
  prepared = params._replace(experts=fp8.prepare(params.experts, recipe))
  given = value_and_grads(
      overlapped(4, prepared, top_k=2, recipe=recipe), x, prepared, cotangent)
  wanted = value_and_grads(function, x, params, cotangent)
  jax.tree.map(np.testing.assert_array_equal, fp8.originals(given), wanted)


@pytest.mark.parametrize("policy", [None, jax.checkpoint_policies.save_only_these_names(
    "jaxgemm_preact", "jaxgemm_moe_out")], ids=["all again", "names"])
def test_each_start_has_a_done(rng, blocks, policy):
  x, params, cotangent = drawn(rng, 4)
  function = overlapped(4, params, top_k=2, recipe="rowwise")
  saved = jax.checkpoint(function, policy=policy)
  of_loss = jax.grad(lambda x, params: (saved(x, params)[0] ** 2).sum(), (0, 1))
  jaxpr = jax.make_jaxpr(of_loss)(x, params).jaxpr
  jaxpr = partial_eval.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))[0]
  found = [each.is_done for each in program.calls_and_exchanges(jaxpr)
           if isinstance(each, program.Exchange) and each.eqn.params["form"]]
  assert found.count(True) == found.count(False) > 8
  wanted = value_and_grads(function, x, params, cotangent)
  jax.tree.map(np.testing.assert_array_equal,
               value_and_grads(saved, x, params, cotangent), wanted)


def test_second_derivatives_are_refused(rng, blocks):
  x, params, _ = drawn(rng, 2)
  function = overlapped(2, params, top_k=2, recipe="rowwise")
  loss = lambda x: (function(x, params)[0] ** 2).sum()
  with pytest.raises(NotImplementedError, match="was differentiated twice"):
    jax.grad(lambda x: (jax.grad(loss)(x) * x).sum())(x)


def test_no_tokens(rng, blocks):
  params = make_params(rng)
  x = jnp.zeros((0, params.router.shape[0]))
  given = value_and_grads(overlapped(4, params, top_k=2, recipe="rowwise"), x, params, x)
  assert given[0].shape == x.shape and not np.any(given[1][1].experts.down)


@pytest.mark.parametrize("recipe", ["rowwise", "blockwise"])
def test_room_for_fewer_rows(rng, blocks, recipe):
  x, params = tokens(rng, 64), make_params(rng, use_bias=True)
  chosen = jnp.asarray(rng.permuted(np.tile(np.arange(E), (64, 1)), axis=1)[:, :2])
  cotangent = jnp.asarray(rng.standard_normal(x.shape), jnp.float32)

  def of_room(chosen, room):
    function = overlapped(
        4, params, given_experts=True, top_k=2, dispatch_room=room, recipe=recipe)
    return value_and_grads(lambda x, params: function(x, params, chosen), x, params, cotangent)

  assert_near(of_room(chosen, 3.0), of_room(chosen, None), 1e-5)
  # All tokens choose the experts of the last device, which has room for a quarter of them.
  out, (of_x, of_params) = of_room(jnp.full_like(chosen, E - 1).at[:, 0].set(E - 2), 1.0)
  assert np.isnan(out).all() and np.isnan(of_x).all()
  assert np.isnan(of_params.router[:, E - 2:]).all()
  for name in "gate_up", "down", "gate_up_bias", "down_bias":
    assert np.isnan(getattr(of_params.experts, name)[E - 2]).all(), name


def test_large_gradients_of_kernels_are_float8(rng, blocks, monkeypatch):
  """As on one device, with scales of rows that are kept by block."""
  monkeypatch.setattr(kernel_gradients, "pays", lambda *_: True)
  x, params, cotangent = drawn(rng, 4, use_bias=False)
  options = dict(top_k=2, recipe="rowwise")
  given = value_and_grads(overlapped(4, params, **options), x, params, cotangent)
  assert_close(given, in_float64(x, params, cotangent, top_k=2), 0.15)


@needs_plugin
def test_on_four_virtual_devices_whose_streams_are_late():
  check_programs("in_float8", of="tests.flax.overlap_programs",
                 options=["--devices=4", "--stream-seed=5", "--most-delay-us=200"])
