"""Helpers for the MoE tests: a reference with dense experts, and layers to test."""

import functools

from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.flax import Mlp, MoEParams, moe
from jaxgemm.flax import linen as jaxgemm_linen
from jaxgemm.flax import nnx as jaxgemm_nnx
from tests.support.environment import FLOAT32_ERROR

C, H, E = 16, 24, 8


# Nearly all the time of these tests is compilation; LLVM's level 0 halves it.
jit = functools.partial(
    jax.jit, compiler_options={"xla_backend_optimization_level": 0})

RAGGED_DOTS = pytest.mark.parametrize(
    "ragged_dot", [lax.ragged_dot, jaxgemm.ragged_dot], ids=["lax", "jaxgemm"])


def make_params(rng, *, gated=True, use_bias=False, shared=0, num_experts=E):
  """MoEParams in float32, with kernels scaled as lecun_normal does."""
  def mlp(hidden, *lead):
    array = lambda *shape, fan_in=1: jnp.asarray(
        rng.standard_normal(lead + shape) / np.sqrt(fan_in), jnp.float32)
    shapes = {"down": (hidden, C)}
    shapes["gate_up" if gated else "up"] = (C, 2, hidden) if gated else (C, hidden)
    biases = {f"{name}_bias": shape[1:] for name, shape in shapes.items()}
    return Mlp(
        **{name: array(*shape, fan_in=shape[0]) for name, shape in shapes.items()},
        **{name: array(*shape) for name, shape in biases.items() if use_bias})

  router = jnp.asarray(rng.standard_normal((C, num_experts)) / 4, jnp.float32)
  return MoEParams(router, mlp(H, num_experts), mlp(shared * H) if shared else None)


def tokens(rng, *shape):
  """f32[*shape, C]; the last feature is 1, so that a router row can be a bias."""
  x = rng.standard_normal((*shape, C))
  x[..., -1] = 1
  # Exact in bfloat16: the router then sees the same tokens in any dtype.
  return jnp.asarray(x, jnp.bfloat16).astype(jnp.float32)


def to_expert(params, logits):
  """params with a router that adds logits[E] to the logits of every token."""
  return params._replace(router=params.router.at[-1].set(jnp.asarray(logits)))


def dense_mlp(x, p, activation):
  act = getattr(jax.nn, activation)
  bias = lambda b: 0 if b is None else b
  if p.gate_up is None:
    hidden = act(x @ p.up + bias(p.up_bias))
  else:
    z = jnp.einsum("tc,cih->tih", x, p.gate_up) + bias(p.gate_up_bias)
    hidden = act(z[:, 0]) * z[:, 1]
  return hidden @ p.down + bias(p.down_bias)


def dense_moe(x, params, experts=None, *, top_k, activation="silu",
              normalize_weights=True, routed_scaling=1.0):
  """(result, losses) of a reference in which every expert computes every token."""
  num_experts = params.router.shape[-1]
  logits = x @ params.router
  probs = jax.nn.softmax(logits)
  if experts is None:
    experts = jnp.argsort(-logits, axis=-1)[:, :top_k]
  mask = (experts[..., None] == jnp.arange(num_experts)).any(1)
  weights = jnp.where(mask, probs, 0)
  if normalize_weights:
    weights /= weights.sum(-1, keepdims=True)
  every = jax.vmap(dense_mlp, (None, 0, None))(x, params.experts, activation)
  out = routed_scaling * (weights.T[..., None] * every).sum(0)
  if params.shared is not None:
    out += dense_mlp(x, params.shared, activation)
  balance = num_experts * (mask.mean(0) / top_k * probs.mean(0)).sum()
  return out, balance + (jax.nn.logsumexp(logits, -1) ** 2).mean()


run_moe = jit(moe, static_argnames=(
    "top_k", "normalize_weights", "dtype", "dot_general", "ragged_dot"))


def layer(x, params, experts=None, **options):
  """(result, losses) of `moe`, with the losses added up as in `dense_moe`."""
  out, stats = moe(x, params, experts, **options)
  return out, stats.load_balancing_loss + stats.router_z_loss


@functools.partial(jit, static_argnums=(0, 4))
def _value_and_grads(function, x, params, cotangent, options):
  def objective(x, params):
    out, losses = function(x, params, **dict(options))
    return (out.astype(cotangent.dtype) * cotangent).sum() + losses, out

  grads, out = jax.grad(objective, (0, 1), has_aux=True)(x, params)
  return out, grads


def value_and_grads(function, x, params, cotangent, **options):
  """(result, gradients of x and params); the gradients include the losses."""
  # Compiled once for all tests of the same shapes and options.
  return _value_and_grads(
      function, x, params, cotangent, tuple(sorted(options.items())))


def in_float64(x, params, cotangent, function=dense_moe, **options):
  with jax.enable_x64(True):
    wide = jax.tree.map(
        lambda a: jnp.asarray(np.asarray(a), jnp.float64), (x, params, cotangent))
    return jax.tree.map(
        np.asarray, value_and_grads(function, *wide, **options))


def assert_near(given, wanted, tolerance):
  """Asserts that each leaf differs by at most tolerance times its largest value."""
  tolerance = max(tolerance, FLOAT32_ERROR)
  pairs = zip(jax.tree.leaves_with_path(given), jax.tree.leaves(wanted), strict=True)
  for (path, x), y in pairs:
    y = np.asarray(y, np.float64)
    np.testing.assert_allclose(
        np.asarray(x, np.float64), y, rtol=0, atol=tolerance * np.abs(y).max(),
        err_msg=jax.tree_util.keystr(path))


def drawn(shapes, seed=0):
  rng = np.random.default_rng(seed)
  return jax.tree.map(
      lambda a: jnp.asarray(rng.standard_normal(a.shape) / 5, a.dtype), shapes)


def _options(given):
  sizes = dict(hidden_features=H, num_experts=E, top_k=2)
  return sizes | {"ragged_dot": lax.ragged_dot} | given


def make_nnx(seed=0, **options):
  """A layer with random parameters that are drawn here, because its initializers take seconds."""
  options = _options(options)
  layer = nnx.eval_shape(
      lambda: jaxgemm_nnx.MoE(features=C, rngs=nnx.Rngs(0), **options))
  nnx.update(layer, drawn(nnx.state(layer), seed))
  return layer


run_nnx = jit(lambda layer, x: layer(x))


def make_linen(**options):
  return jaxgemm_linen.MoE(**_options(options))
