"""Qwix quantises the products of a layer for training, where it is installed (pip install qwix)."""

import importlib.util

from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(importlib.util.find_spec("qwix") is None, reason="Qwix is not installed.")]

SIZES = np.array([13, 0, 41, 20], np.int32)


class Layer(nnx.Module):
  """A dense product and a grouped one, as a model calls them."""

  def __init__(self, rngs):
    self.dense = nnx.Linear(32, 64, use_bias=False, rngs=rngs)
    self.experts = nnx.Param(jax.random.normal(rngs(), (4, 64, 32)) / 8)

  def __call__(self, x):
    return jax.lax.ragged_dot(jax.nn.relu(self.dense(x)), self.experts[...], SIZES)


def losses_and_gradients(model, x):
  graphdef, params = nnx.split(model, nnx.Param)
  return lambda params, x: jax.value_and_grad(
      lambda params, x: (nnx.merge(graphdef, params)(x) ** 2).mean(), (0, 1))(params, x), params


@pytest.mark.parametrize("weights, activations, cotangents", [
    (jnp.float8_e4m3fn, jnp.float8_e4m3fn, jnp.float8_e5m2), (jnp.int8, jnp.int8, jnp.int8),
    (jnp.float8_e4m3fn, jnp.float8_e4m3fn, None)])
def test_quantise_aware_training(rng, monkeypatch, weights, activations, cotangents):
  import qwix

  x = jnp.asarray(rng.standard_normal((74, 32)), jnp.float32)
  rules = [qwix.QtRule(module_path=".*", weight_qtype=weights, act_qtype=activations,
                       bwd_qtype=cotangents)]
  results = []
  for ours in (False, True):
    if ours:
      for name in ("ragged_dot", "ragged_dot_general"):
        monkeypatch.setattr(lax, name, getattr(jaxgemm, name))
    model = qwix.quantize_model(Layer(nnx.Rngs(0)), qwix.QtProvider(rules), x)
    step, params = losses_and_gradients(model, x)
    results.append(jax.jit(step)(params, x))
    assert ("jaxgemm_gemm" in jax.jit(step).lower(params, x).as_text()) == ours
  calls = jaxgemm.explain(step, params, x).data["calls"]
  grouped = [call for call in calls if any("[4," in text for text in (
      *call["operands"], *call["results"]))]
  assert len(grouped) >= 3 and {call["implementation"] for call in grouped} == {"jaxgemm"}
  for theirs, given in zip(*map(jax.tree.leaves, results)):
    theirs, given = (np.asarray(each, np.float64) for each in (theirs, given))
    assert np.abs(given - theirs).max() <= 2e-5 * np.abs(theirs).max()
