"""Every function and its gradient, exported for several platforms at once, and run on the CPU."""

import functools

from flax import nnx
import jax
from jax import export
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox, qarray
from jaxgemm.flax import Mlp, MoEParams, moe
from jaxgemm.flax.nnx import MoE
from tests.collective.test_collective_matmul import FUNCTIONS

# These run on the CPU's eight devices, and what they lower does not depend on the test's platform.
CHECKS = [export.DisabledSafetyCheck.custom_call(f"jaxgemm_{name}")
          for name in ("gemm", "chunked_gemm", "chunk_status", "chunks_start", "chunks_join",
                       "routing_table", "top_k", "gated_gradient", "quantize_rows",
                       "quantized_gradient", "quantize_columns")]
SIZES = np.array([5, 11, 0, 16], np.int32)
DENSE = (((1,), (0,)), ((), ()))
OF_K = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())


def float8(x):
  return x.astype(jnp.float8_e4m3fn)


def overlapped(x, w):
  rows = jaxgemm.chunk_rows(x, w, tiles_per_chunk_m=1)
  return jaxgemm.overlap(x, lambda data, signals: jaxgemm.chunked_matmul(
      data, w, signals, tiles_per_chunk_m=1), chunk_rows=rows)


class QArray:
  def __init__(self, qvalue, scale):
    self.qvalue, self.scale = float8(qvalue), scale


X, W, EXPERTS = (32, 64), (64, 48), (4, 64, 48)
CASES = {
    "matmul": (functools.partial(jaxgemm.matmul, activation="gelu"), X, W),
    "dot_general": (lambda x, w: jaxgemm.dot_general(x, w, DENSE), X, W),
    "ragged_dot": (lambda x, w: jaxgemm.ragged_dot(x, w, SIZES), X, EXPERTS),
    "ragged_dot with an epilogue": (
        lambda x, w, bias: jaxgemm.ragged_dot(
            x, w.mT, SIZES, group_offset=jnp.array([1]), bias=bias, activation="silu"),
        X, (2, 48, 64), (2, 48)),
    "ragged_dot in a scan under checkpoint": (
        lambda x, w: jax.lax.scan(jax.checkpoint(
            lambda x, w: (jaxgemm.ragged_dot(x, w, SIZES), None)), x, w)[0], X, (2, 4, 64, 64)),
    "ragged_gated_linear_unit": (
        lambda x, w: jaxgemm.ragged_gated_linear_unit(x, w, SIZES), X, (4, 64, 2, 48)),
    "ragged_dot_general, accumulated": (
        lambda x, y, sums: jaxgemm.ragged_dot_general(x, y, SIZES, OF_K, accumulate=sums),
        (32, 64), (32, 48), EXPERTS),
    "scaled_matmul": (
        lambda x, w: jaxgemm.scaled_matmul(
            float8(x), float8(w), jnp.ones((1, 32, 2), jnp.float8_e8m0fnu),
            jnp.ones((1, 48, 2), jnp.float8_e8m0fnu)), (1, *X), (1, 48, 64)),
    "scaled_ragged_dot": (
        lambda x, w: jaxgemm.scaled_ragged_dot(
            float8(x), float8(w), SIZES, jnp.ones((32, 2)), jnp.ones((4, 48, 2))), X, (4, 48, 64)),
    "fp8.dot_general": (lambda x, w: fp8.dot_general(x, w, DENSE, recipe="tensorwise"), X, W),
    "fp8.ragged_dot": (
        lambda x, w: fp8.ragged_dot(x, w, SIZES, recipe="blockwise"), X, EXPERTS),
    "chunked_matmul": (overlapped, (512, 64), W),
    "gmm": (lambda x, w, old: megablox.gmm(x, w, SIZES[:2], existing_out=old), X, (2, 64, 48),
            (32, 48)),
    "tgmm": (lambda x, y: megablox.tgmm(x, y, SIZES), (64, 32), (32, 48)),
    "qarray": (
        lambda x, w: qarray.dot_general(
            QArray(x, jnp.ones((32, 1))), QArray(w, jnp.ones((1, 48))), DENSE), X, W),
}


def with_gradients(f):
  """The result of f and the gradients of its square, which are small enough for float8."""
  def run(*arrays):
    out, back = jax.vjp(f, *arrays)
    return out, *back((out / 64).astype(out.dtype))
  return run


def check(rng, f, *shapes, platforms=("cpu", "rocm", "cuda"), place=None):
  arrays = [jnp.asarray(rng.standard_normal(shape), jnp.float32) for shape in shapes]
  if place is not None:
    arrays = [jax.device_put(x, place) for x in arrays]
  run = jax.jit(with_gradients(f))
  exported = export.export(run, platforms=platforms, disabled_checks=CHECKS)(*arrays)
  assert exported.platforms == platforms
  loaded = export.deserialize(exported.serialize())
  given, wanted = jax.jit(loaded.call)(*arrays), run(*arrays)
  for x, y in zip(given, wanted, strict=True):
    x, y = (np.asarray(x, np.float64) for x in (x, y))
    assert np.isfinite(y).all() and np.abs(y).max() > 0
    np.testing.assert_allclose(x, y, rtol=0, atol=1e-6 * np.abs(y).max())
  return given, arrays


@pytest.mark.parametrize("name", CASES)
def test_every_function(rng, name):
  check(rng, *CASES[name])


def test_numbers_of_two_platforms(rng):
  (out, d_lhs, d_rhs), (x, w) = check(
      rng, *CASES["ragged_dot"], platforms=("cpu", "rocm"))
  x, w, ct = (np.asarray(y, np.float64) for y in (x, w, out / 64))
  ends = np.cumsum(SIZES)
  rows = [slice(end - size, end) for end, size in zip(ends, SIZES)]
  wanted = [np.concatenate([x[r] @ w[g] for g, r in enumerate(rows)]),
            np.concatenate([ct[r] @ w[g].T for g, r in enumerate(rows)]),
            np.stack([x[r].T @ ct[r] for r in rows])]
  for given, y in zip((out, d_lhs, d_rhs), wanted):
    np.testing.assert_allclose(given, y, rtol=0, atol=2e-5 * np.abs(y).max())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_collectives(rng, name):
  function, specs, out = FUNCTIONS[name]
  mesh = jax.make_mesh((4,), ("y",), (AxisType.Auto,), devices=jax.devices()[:4])
  mapped = jax.shard_map(functools.partial(function, axis_name="y"), mesh=mesh, in_specs=specs,
                         out_specs=out)
  check(rng, mapped, X, W, place=NamedSharding(mesh, P()))


@pytest.mark.parametrize("recipe", [None, "rowwise", "blockwise"])
def test_a_layer_of_experts(rng, recipe):
  # With 512 features the scales of blocks have rows of 16 bytes, which a kernel could gather.
  features = 512 if recipe == "blockwise" else 64
  layer = MoE(features=features, hidden_features=32, num_experts=4, num_shared_experts=1,
              recipe=recipe, rngs=nnx.Rngs(0))
  graph, state = nnx.split(layer)
  leaves, tree = jax.tree.flatten(state)

  def apply(x, *leaves):
    return nnx.merge(graph, jax.tree.unflatten(tree, leaves))(x)[0]

  check(rng, apply, (32, features), *(x.shape for x in leaves))


def test_experts_in_shard_map(rng):
  mesh = jax.make_mesh((4,), ("e",), (AxisType.Auto,), devices=jax.devices()[:4])

  def layer(x, router, down, gate_up):
    params = MoEParams(router, Mlp(down, gate_up=gate_up))
    return moe(x, params, top_k=2, expert_axis_name="e")[0]

  mapped = jax.shard_map(layer, mesh=mesh, in_specs=(P("e"), P(), P("e"), P("e")), out_specs=P("e"))
  check(rng, mapped, X, (64, 4), (4, 32, 64), (4, 64, 2, 32), place=NamedSharding(mesh, P()))


def test_another_platform_is_refused(rng):
  for name in ("ragged_dot", "chunked_matmul", "matmul"):
    with pytest.raises(ValueError, match="jaxgemm lowers for cpu, cuda and rocm"):
      check(rng, *CASES[name], platforms=("cpu", "tpu"))
