"""moe(dispatch="overlap") by copy engines, as programs that test_overlap.py runs on four virtual
ROCm devices:

    python -m jaxgemm.emulator.rocm --devices=4 -m tests.flax.overlap_programs NAME...
"""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm.collective import blocks
from jaxgemm.flax import Mlp, MoEParams, moe
from tests.flax.test_overlap import LOADS, overlapped
from tests.support.moe_reference import dense_moe, in_float64, to_expert, value_and_grads

D, C, H, E = 4, 64, 128, 8


def drawn(seed: int, load: str, tokens: int = 24):
  """(tokens, parameters, cotangents) whose values are those of bfloat16."""
  rng = np.random.default_rng(seed)
  array = lambda *shape, fan_in=1: jnp.asarray(
      rng.standard_normal(shape) / np.sqrt(fan_in), jnp.bfloat16).astype(jnp.float32)
  x = array(D * tokens, C).at[:, -1].set(1)
  params = MoEParams(array(C, E, fan_in=C), Mlp(
      gate_up=array(E, C, 2, H, fan_in=C), down=array(E, H, C, fan_in=H)))
  return x, to_expert(params, LOADS[load]), array(D * tokens, C)


def check(given, wanted, tolerance=3e-2):
  for (path, x), y in zip(jax.tree.leaves_with_path(given), jax.tree.leaves(wanted), strict=True):
    error = np.linalg.norm(np.asarray(x, np.float64) - y) / max(np.linalg.norm(y), 1e-9)
    assert error < tolerance, (jax.tree_util.keystr(path), error)


def loads():
  for i, load in enumerate(LOADS):
    blocks.SPLITS = i % 2 == 1
    x, params, cotangent = drawn(i, load)
    function = overlapped(D, params, top_k=2, dtype=jnp.bfloat16)
    given = value_and_grads(function, x, params, cotangent)
    check(given, in_float64(x, params, cotangent, function=dense_moe, top_k=2))
    text = jax.jit(function).lower(x, params).as_text()
    assert text.count("@jaxgemm_exchange_start(") == text.count("@jaxgemm_exchange_done(") == 4
    assert "collective_permute" not in text and "all_gather" not in text


def same_bits():
  """Copies of a step have the same bits, whatever the delays of streams are."""
  for splits in False, True:
    blocks.SPLITS = splits
    x, params, cotangent = drawn(7, "balanced")
    function = overlapped(D, params, top_k=2, dtype=jnp.bfloat16)
    first = jax.tree.map(np.asarray, value_and_grads(function, x, params, cotangent))
    for _ in range(3):
      jax.tree.map(np.testing.assert_array_equal,
                   value_and_grads(function, x, params, cotangent), first)


def in_float8():
  """Tokens and cotangents travel in float8; the step has the same bits, whatever the delays are."""
  for splits, load in (False, "none to one device"), (True, "balanced"):
    blocks.SPLITS = splits
    x, params, cotangent = drawn(11, load)
    options = dict(top_k=2, dtype=jnp.bfloat16)
    wanted = in_float64(x, params, cotangent, function=dense_moe, top_k=2)
    rows = jax.jit(overlapped(D, params, recipe="rowwise", **options))(x, params)[0]
    check(rows, wanted[0], 0.12)
    function = overlapped(D, params, recipe="blockwise", **options)
    given = value_and_grads(function, x, params, cotangent)
    check(given, wanted, 0.12)
    jax.tree.map(np.testing.assert_array_equal,
                 value_and_grads(function, x, params, cotangent), given)
    text = jax.jit(function).lower(x, params).as_text()
    # The values and the scales of tokens, choices, weights, and what comes back.
    assert text.count("@jaxgemm_exchange_start(") == text.count("@jaxgemm_exchange_done(") == 5
    assert "collective_permute" not in text and "all_gather" not in text


def with_room():
  x, params, _ = drawn(3, "balanced")
  chosen = jnp.stack([jnp.arange(len(x)) % E, (jnp.arange(len(x)) + 3) % E], -1)
  layer = lambda room: jax.jit(overlapped(
      D, params, given_experts=True, top_k=2, dtype=jnp.bfloat16, dispatch_room=room))
  given, wanted = (layer(room)(x, params, chosen)[0] for room in (1.5, None))
  np.testing.assert_array_equal(given, wanted)
  assert np.isnan(layer(1.0)(x, params, jnp.zeros_like(chosen))[0]).any()
  one = jax.jit(functools.partial(moe, top_k=2, dtype=jnp.bfloat16))
  check(given, np.asarray(one(x, params, chosen)[0], np.float64))


if __name__ == "__main__":
  for name in sys.argv[1:]:
    globals()[name]()
    print(name, "is right", flush=True)
