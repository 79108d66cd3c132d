"""The MLP of experts in float8 with one derivative, against float64, and what its programs have."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.call.options import Options
from jaxgemm.flax import Mlp, MoEParams, moe
from jaxgemm.fp8 import experts as float8
from jaxgemm.fp8 import kernel_gradients, recipes
from jaxgemm.fp8.recipes import RECIPES
from jaxgemm.grouped.experts import Experts, Static
from jaxgemm.grouped.routing_calls import routing_table

T, TOP_K, C, H, E = 40, 3, 96, 144, 6


def array(rng, *shape, scale=1.0, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape) * scale, jnp.float32).astype(dtype)


def experts_of(rng, count, bias=True, dtype=jnp.float32):
  return Experts(array(rng, count, C, 2, H, scale=C**-0.5, dtype=dtype),
                 array(rng, count, H, C, scale=H**-0.5, dtype=dtype),
                 array(rng, count, 2, H) if bias else None, array(rng, count, C) if bias else None)


def options(dtype=jnp.float32, activation="silu"):
  return Static(jnp.dtype(dtype), activation, Options.of({"precision": None}))


ACTIVATIONS = {"silu": jax.nn.silu, "gelu": jax.nn.gelu, None: lambda x: x}


def exact(x, experts, weights, chosen, activation, first=0):
  """[T, C] by all experts for all tokens, in the dtype of the arrays."""
  z = jnp.einsum("tc,ecgh->etgh", x, experts.gate_up)
  z += 0 if experts.gate_up_bias is None else experts.gate_up_bias[:, None]
  hidden = ACTIVATIONS[activation](z[:, :, 0]) * z[:, :, 1]
  rows = jnp.einsum("eth,ehc->etc", hidden, experts.down)
  rows += 0 if experts.down_bias is None else experts.down_bias[:, None]
  of_experts = jnp.where(
      chosen[..., None] == first + jnp.arange(len(experts.down)), weights[..., None], 0).sum(1)
  return jnp.einsum("te,etc->tc", of_experts, rows)


def near(given, wanted, most):
  given, wanted = jax.tree.leaves(given), jax.tree.leaves(wanted)
  for a, b in zip(given, wanted, strict=True):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    assert a.shape == b.shape and np.linalg.norm(a - b) <= most * np.linalg.norm(b)


@pytest.fixture(params=[False, True], ids=["wide", "float8"])
def of_weights(monkeypatch, request):
  """The gradients of weights are computed in float8, or not."""
  monkeypatch.setattr(kernel_gradients, "pays", lambda kind, *_: request.param and kind != "mx")
  return "float8" if request.param else "wide"


@pytest.mark.usefixtures("of_weights")
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("activation, bias, offset", [
    ("silu", True, None), ("silu", False, 2), ("gelu", True, 1), (None, False, None)])
def test_values_and_gradients(rng, recipe, activation, bias, offset):
  chosen = jnp.asarray(rng.random((T, E)).argsort(1)[:, :TOP_K], jnp.int32)
  table, sizes = routing_table(chosen, E)
  count = E if offset is None else 3
  x, weights = array(rng, T, C), jnp.asarray(rng.random((T, TOP_K)), jnp.float32)
  experts, ct = experts_of(rng, count, bias), array(rng, T, C, scale=1e-3)

  def layer(x, experts, weights):
    return float8.gated_experts(
        x, experts, weights, sizes, table, None if offset is None else jnp.array([offset]),
        options(activation=activation), recipe)

  out, back = jax.vjp(jax.jit(layer), x, experts, weights)
  with jax.enable_x64(True):
    wide = jax.tree.map(lambda a: jnp.asarray(np.asarray(a), jnp.float64), (x, experts, weights))
    wanted, of_wanted = jax.vjp(functools.partial(
        exact, chosen=chosen, activation=activation, first=offset or 0), *wide)
    gradients = of_wanted(jnp.asarray(np.asarray(ct), jnp.float64))
  near(out, wanted, 0.1)
  near(back(ct), gradients, 0.15)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_row_has_no_effect_on_other_rows(rng, recipe):
  """A token of any size, as rows have scales of their own."""
  chosen = jnp.asarray(rng.random((T, E)).argsort(1)[:, :TOP_K], jnp.int32)
  table, sizes = routing_table(chosen, E)
  x, weights = array(rng, T, C), jnp.asarray(rng.random((T, TOP_K)), jnp.float32)
  experts = experts_of(rng, E)
  f = jax.jit(lambda x: float8.gated_experts(
      x, experts, weights, sizes, table, None, options(), recipe))
  out = f(x)
  for size in (1e20, np.inf, np.nan):
    other = f(x.at[7].set(size))
    np.testing.assert_array_equal(jnp.delete(other, 7, axis=0), jnp.delete(out, 7, axis=0))


@pytest.mark.usefixtures("of_weights")
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_stale_rows_of_no_group(rng, recipe, dtype):
  """Buffers of a fixed size have rows of no group; whatever these are, gradients are those without.

  This was https://github.com/AI-Hypercomputer/maxtext/issues/4971.
  """
  sizes = jnp.array([13, 0, 20, 7, 1, 9], jnp.int32)
  rows, stale = int(sizes.sum()), 30
  x, ct = (array(rng, rows + stale, C, dtype=dtype) for _ in range(2))
  experts = experts_of(rng, E)

  def gradients(x, ct):
    out, back = jax.vjp(lambda x, experts: float8.gated_experts(
        x, experts, None, sizes, None, None, options(dtype), recipe), x, experts)
    return out, *back(ct)

  wanted = jax.jit(gradients)(x[:rows], ct[:rows])
  garbage = jnp.array([np.nan, np.inf, -np.inf, 3e38], dtype)[jnp.arange(C) % 4]
  given = jax.jit(gradients)(x.at[rows:].set(garbage), ct.at[rows:].set(garbage))
  out, d_x, d_experts = given
  near((out[:rows], d_x[:rows], d_experts), wanted, 1e-6)
  assert not np.asarray(out[rows:]).any() and not np.asarray(d_x[rows:]).any()


def gradients_of_layer(recipe):
  def loss(params, x, ct):
    out, _ = moe(x, params, top_k=TOP_K, recipe=recipe, dtype=jnp.bfloat16)
    return (out.astype(jnp.float32) * ct).sum()
  return jax.jit(jax.value_and_grad(loss, (0, 1)))


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "blockwise"])
def test_no_pass_over_the_rows_of_experts(monkeypatch, platform, recipe, of_weights):
  """XLA gathers rows, and combines those of a token. All else is done by kernels."""
  dtypes = {"cuda": (jnp.float8_e4m3fn, jnp.float8_e5m2),  # rocm: those of gfx942
            "rocm": (jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz)}[platform]
  monkeypatch.setattr(recipes, "float8_dtypes", lambda _: tuple(map(jnp.dtype, dtypes)))
  tokens, features, hidden = 208, 384, 256
  rows = tokens * TOP_K
  shape = jax.ShapeDtypeStruct
  params = MoEParams(shape((features, E), jnp.float32), Mlp(
      gate_up=shape((E, features, 2, hidden), jnp.bfloat16),
      down=shape((E, hidden, features), jnp.bfloat16)))
  given = params, shape((tokens, features), jnp.bfloat16), shape((tokens, features), jnp.float32)
  text = gradients_of_layer(recipe).trace(*given).lower(lowering_platforms=(platform,)).as_text()
  found = set()
  for line in text.splitlines():
    operation = re.search(r'= "?(?:stablehlo\.)?(\w+)', line)
    if operation and re.search(rf"tensor<{rows}x(\d+x)*\d\d\d+x", line):
      found.add(operation[1])
  assert found <= {"custom_call", "gather", "reshape", "bitcast_convert", "call"}, found
  names = re.findall(r"@(jaxgemm_\w+)\(", text)
  # Tokens, hidden rows and cotangents, each once.
  assert names.count("jaxgemm_quantize_rows") == 3
  assert names.count("jaxgemm_quantized_gradient") == 1
  assert names.count("jaxgemm_quantize_columns") == (4 if of_weights == "float8" else 0)


@pytest.mark.parametrize("kind, rows, groups, k, n, pays", [
    ("row", 32768, 8, 7168, 4096, True), ("block", 32768, 8, 2048, 7168, True),
    ("mx", 32768, 8, 7168, 4096, False), ("row", 32761, 8, 7168, 4096, True),
    ("row", 131072, 128, 2048, 1536, True), ("block", 131072, 128, 2048, 1536, True),
    ("row", 131072, 128, 768, 2048, False), ("row", 131071, 128, 2048, 1536, False),
    ("row", 4096, 8, 7168, 4096, False)])
def test_large_gradients_of_weights_are_float8(kind, rows, groups, k, n, pays):
  assert kernel_gradients.pays(kind, rows, groups, k, n) == pays


def test_only_first_derivatives(rng):
  chosen = jnp.zeros((4, 1), jnp.int32)
  table, sizes = routing_table(chosen, 1)
  experts = experts_of(rng, 1)

  def loss(x):
    return (float8.gated_experts(x, experts, jnp.ones((4, 1)), sizes, table, None, options(),
                                 "rowwise")**2).sum()

  with pytest.raises(NotImplementedError, match="differentiated twice"):
    jax.grad(lambda x: jax.grad(loss)(x).sum())(array(rng, 4, C))


@pytest.mark.parametrize("recipe", ["rowwise", "mxfp8"])
def test_no_tokens(recipe):
  params = MoEParams(jnp.ones((32, 4)), Mlp(gate_up=jnp.ones((4, 32, 2, 64)),
                                            down=jnp.ones((4, 64, 32))))
  loss = lambda params, x: moe(x, params, top_k=2, recipe=recipe)[0].sum()
  of_params, of_x = jax.grad(loss, (0, 1))(params, jnp.ones((0, 32)))
  assert of_x.shape == (0, 32) and not any(jnp.any(x) for x in jax.tree.leaves(of_params))
