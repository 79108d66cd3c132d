"""Products, gradients, vmap and layers under jax.numpy_rank_promotion("raise")."""

import functools

from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox
from jaxgemm.flax.nnx import MoE
from jaxgemm.fp8.recipes import RECIPES

M, K, N, G = 8, 16, 6, 3
SIZES, OFFSET = np.array([2, 1, 3], np.int32), np.array([0], np.int32)
NUMBERS = (((1,), (0,)), ((), ()))
FLOAT8 = jnp.float8_e4m3fn


class QArray:
  """Has the attributes of Qwix's QArray."""

  def __init__(self, qvalue, scale):
    self.qvalue, self.scale, self.zero_point = qvalue, scale, None


def array(*shape):
  rng = np.random.default_rng(hash(shape) % 1000)
  return jnp.asarray(rng.standard_normal(shape, np.float32))


def ragged(lhs, rhs, sizes, bias, scale, row_scale, **options):
  return jaxgemm.ragged_dot(lhs, rhs, sizes, bias=bias, scale=scale, scale_lhs=row_scale,
                            activation="silu", **options)


def batched(*axes, **options):
  """ragged with a batch of two, in the operands with a 0 in `axes`."""
  shapes = (M, K), (G, K, N), (G,), (G, N), (N,), (M, 1)
  operands = []
  for i, (shape, axis) in enumerate(zip(shapes, axes)):
    shape = shape if axis is None else (2, *shape)
    operands.append(jnp.broadcast_to(jnp.asarray(SIZES), shape) if i == 2 else array(*shape))
  return jax.vmap(lambda *x: ragged(*x, **options), axes), operands


def quantised_tgmm(x):
  return megablox.tgmm(QArray(array(K, M).astype(FLOAT8), array(K, 1)),
                       QArray(array(M, N).astype(FLOAT8), array(1, N)), SIZES, existing_out=x)


def layer(**options):
  moe = MoE(features=K, hidden_features=8, num_experts=4, rngs=nnx.Rngs(0), **options)
  graph, state = nnx.split(moe)
  return lambda x, state: nnx.merge(graph, state)(x)[0], [array(2, 5, K), state]


def exchanged(lhs, rhs):
  """A layer whose tokens travel to the devices of their experts."""
  moe = MoE(features=K, hidden_features=8, num_experts=4, rngs=nnx.Rngs(0), expert_axis_name="x")
  graph, state = nnx.split(moe)
  del rhs
  mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:4])
  def spec(x):
    return P("x") if x.ndim == 4 or x.ndim == 3 else P()
  return jax.shard_map(lambda x, state: nnx.merge(graph, state)(x)[0], mesh=mesh,
                       in_specs=(P("x"), jax.tree.map(spec, state)), out_specs=P("x"))(lhs, state)


def collective(function, lhs, rhs, bias, specs):
  mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:4])
  return jax.shard_map(
      jax.vmap(lambda x, w, b: function(x, w, "x", bias=b, activation="gelu"), (0, None, 0)),
      mesh=mesh, in_specs=specs[:3], out_specs=specs[3])(lhs, rhs, bias)


CALLS = {
    "matmul": (lambda x, w, b, s: jaxgemm.matmul(x, w, bias=b, scale_lhs=s, scale_rhs=b,
                                                 activation="gelu"),
               [array(2, M, K), array(2, K, N), array(N), array(2, M, 1)]),
    **{f"ragged_dot, vmap {axes} {by}": batched(*axes, **options)
       for by, options in (("kernels", {}), ("xla", dict(implementation="xla")))
       for axes in ((0, None, None, None, None, None), (None, 0, None, 0, None, None),
                    (None, None, 0, None, None, None), (0, None, None, None, 0, 0))
       if by == "kernels" or axes[0] == 0},
    "ragged_dot of one scale by xla": (lambda x, w: jaxgemm.ragged_dot(
        x, w, SIZES, scale_lhs=jnp.ones(1), implementation="xla"), [array(M, K), array(G, K, N)]),
    "ragged_dot with an offset": (lambda x, w, s: jaxgemm.ragged_dot(
        x, w, SIZES, group_offset=OFFSET, scale=s, bias=s), [
            array(M, K), array(2, K, N), array(N)]),
    "ragged_gated_linear_unit": (lambda x, w, b: jaxgemm.ragged_gated_linear_unit(
        x, w, SIZES, bias=b, scale=b), [array(M, K), array(G, K, 2, N), array(2, N)]),
    **{f"fp8.ragged_dot {recipe}": (
        lambda x, w, recipe=recipe: fp8.ragged_dot(x, w, SIZES, recipe=recipe),
        [array(M, K), array(G, K, N)]) for recipe in RECIPES},
    **{f"fp8.dot_general {recipe}": (
        lambda x, w, recipe=recipe: fp8.dot_general(x, w, NUMBERS, recipe=recipe),
        [array(M, K), array(K, N)]) for recipe in RECIPES},
    "delayed scaling": (lambda x, w: fp8.dot_general(
        x, w, NUMBERS, state=fp8.DelayedScaling.create(2)), [array(M, K), array(K, N)]),
    "scaled_matmul": (jaxgemm.scaled_matmul, [
        array(2, M, K), array(2, N, K), array(2, M, 2), array(2, N, 2)]),
    "scaled_ragged_dot": (lambda x, w, s, t: jaxgemm.scaled_ragged_dot(x, w, SIZES, s, t), [
        array(M, K), array(G, N, K), array(M, 2), array(G, N, 2)]),
    "scaled_ragged_dot along k": (lambda x, w, s, t: jaxgemm.scaled_ragged_dot(
        x, w, SIZES, s, t, ragged="k"), [array(M, K), array(N, K), array(M, 1), array(N, 1)]),
    "gmm": (lambda x, w, e: megablox.gmm(x, w, SIZES, existing_out=e), [
        array(M, K), array(G, K, N), array(M, N)]),
    "quantised tgmm": (quantised_tgmm, [array(G, K, N)]),
    "layer": functools.partial(layer, use_bias=True, num_shared_experts=1),
    "layer with jax's dot_general": functools.partial(
        layer, use_bias=True, num_shared_experts=1, dot_general=jax.lax.dot_general),
    "layer with jax's ragged_dot": functools.partial(
        layer, use_bias=True, ragged_dot=jax.lax.ragged_dot),
    "layer with a router bias": functools.partial(
        layer, router_scores="sigmoid", use_router_bias=True),
    "layer, rowwise": functools.partial(layer, recipe="rowwise"),
    "layer on four devices": (exchanged, [array(8, K), array(1)]),
    "allgather_matmul": (lambda *x: collective(jaxgemm.allgather_matmul, *x, specs=(
        P(None, "x"), P(None, "x"), P(None, "x"), P(None, None, "x"))), [
            array(2, M, K), array(K, 8), array(2, 8)]),
    "matmul_reduce_scatter": (lambda *x: collective(jaxgemm.matmul_reduce_scatter, *x, specs=(
        P(None, None, "x"), P("x"), P(), P(None, "x"))), [
            array(2, M, K), array(K, 8), array(2, 8)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_rank_is_promoted(name):
  call = CALLS[name]
  function, operands = call() if callable(call) else call  # a layer is made by its own test only
  floats = [i for i, x in enumerate(operands) if jnp.issubdtype(
      getattr(jax.tree.leaves(x)[0], "dtype", jnp.float32), jnp.floating)]
  gradient = jax.grad(lambda *x: function(*x).astype(jnp.float32).sum(), floats, allow_int=True)
  with jax.numpy_rank_promotion("raise"):
    jax.jit(gradient).lower(*operands)  # nothing is promoted when the program runs
