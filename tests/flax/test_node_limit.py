"""A token's experts are on few nodes: compared with the choice of DeepSeek-V3's own gate."""

import functools

from flax import nnx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.flax import linen, moe
from jaxgemm.flax import nnx as layers
from tests.support.moe_reference import (
  C,
  E,
  H,
  assert_near,
  dense_moe,
  layer,
  make_params,
  tokens,
  value_and_grads,
)


def deepseek(affinities, top_k, groups, most, counted):
  """The experts that DeepSeek-V3's gate chooses (its inference/model.py, without a bias)."""
  scores = affinities.reshape(len(affinities), groups, -1)
  of_groups = np.sort(scores, axis=-1)[..., -counted:].sum(-1)
  kept = np.argsort(-of_groups, axis=-1)[:, :most]
  mask = np.ones_like(of_groups, bool)
  np.put_along_axis(mask, kept, False, axis=1)
  masked = np.where(mask[..., None], -np.inf, scores).reshape(affinities.shape)
  return np.argsort(-masked, axis=-1)[:, :top_k]


@pytest.mark.whole(unless=lambda limit: limit == (4, 2))
@pytest.mark.parametrize("top_k, limit, counted", [
    (4, (4, 2), 2), (2, (4, 2), 1), (2, (2, 1), 2), (3, (8, 4), 1), (4, (2, 2), 2)])
def test_the_experts_are_those_of_deepseek(rng, top_k, limit, counted):
  x, params = tokens(rng, 200), make_params(rng)
  affinities = np.asarray(jax.nn.softmax(x @ params.router), np.float64)
  wanted = deepseek(affinities, top_k, *limit, counted)
  options = dict(top_k=top_k, node_limit=limit)
  _, stats = jax.jit(lambda x, params: moe(x, params, **options))(x, params)
  np.testing.assert_array_equal(np.sort(stats.experts), np.sort(wanted))
  nodes = np.asarray(stats.experts) // (E // limit[0])
  assert max(len(set(row)) for row in nodes) <= limit[1]
  if limit[1] < min(limit[0], top_k):  # the limit decides something
    free = np.argsort(-affinities, axis=-1)[:, :top_k]
    assert (np.sort(free) != np.sort(wanted)).any()

  # Values and gradients are those of these experts.
  cotangent = jnp.asarray(rng.standard_normal((200, C)), jnp.float32)
  given = value_and_grads(layer, x, params, cotangent, **options)
  reference = functools.partial(dense_moe, experts=jnp.asarray(wanted))
  wanted = value_and_grads(reference, x, params, cotangent, top_k=top_k)
  assert_near(given, wanted, 2e-5)


def test_layers_take_it(rng):
  x = tokens(rng, 64)
  options = dict(hidden_features=H, num_experts=E, top_k=4)
  module = layers.MoE(features=C, node_limit=(4, 2), rngs=nnx.Rngs(0), **options)
  params = {"params": {"router": module.router[...], "experts": {
      name: value for name, value in module.experts.params()._asdict().items()
      if value is not None}}}
  found = [module(x), linen.MoE(node_limit=(4, 2), **options).apply(params, x)]
  for out, stats in found:
    assert max(len(set(row)) for row in np.asarray(stats.experts) // (E // 4)) == 2
    np.testing.assert_array_equal(out, found[0][0])
  _, free = linen.MoE(**options).apply(params, x)
  assert max(len(set(row)) for row in np.asarray(free.experts) // (E // 4)) > 2


@pytest.mark.parametrize("limit, error, message", [
    ((3, 1), ValueError, r"node_limit=\(3, 1\) was given for num_experts=8 and top_k=4"),
    ((4, 1), ValueError, "with at least top_k experts together"),
    ((4, 5), ValueError, "at most as many of them"),
    ((4, 2.0), TypeError, "two ints are allowed"),
    (4, TypeError, r"a tuple \(nodes, most\) is allowed"),
])
def test_what_is_refused(rng, limit, error, message):
  with pytest.raises(error, match=message):
    moe(tokens(rng, 4), make_params(rng), top_k=4, node_limit=limit)
  with pytest.raises(error, match=message):
    layers.MoE(features=C, hidden_features=H, num_experts=E, top_k=4, node_limit=limit,
               rngs=nnx.Rngs(0))
