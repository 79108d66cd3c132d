"""Layers of experts whose kernels have 4 bits compute as with the dequantised kernels."""

from flax import nnx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import Quantized, quantize
from jaxgemm.flax import ClampedSwiGLU, linen
from jaxgemm.flax import nnx as jaxgemm_nnx

SIZES = dict(hidden_features=96, num_experts=4, top_k=2)
KERNELS = ("gate_up", "up", "down")


@pytest.mark.parametrize("kind", ["mxfp4", "int4"])
@pytest.mark.parametrize("options", [
    dict(), dict(gated=False), dict(activation=ClampedSwiGLU(), use_bias=True),
    dict(num_shared_experts=1)])
def test_nnx(rng, kind, options):
  layer = jaxgemm_nnx.MoE(
      features=64, dtype=jnp.bfloat16, rngs=nnx.Rngs(int(rng.integers(1000))), **SIZES, **options)
  x = jnp.asarray(rng.standard_normal((10, 64)), jnp.bfloat16)
  parts = [layer.experts, layer.shared] if "num_shared_experts" in options else [layer.experts]
  small, wide = {}, {}
  for i, part in enumerate(parts):
    for name in KERNELS:
      if hasattr(part, name):
        kernel = getattr(part, name)[...]
        axis = kernel.ndim - (3 if name == "gate_up" else 2)
        small[i, name] = quantize(kernel, kind, axis=axis)
        wide[i, name] = small[i, name].dequantize(jnp.bfloat16)

  def run(kernels):
    for (i, name), kernel in kernels.items():
      getattr(parts[i], name).set_raw_value(kernel)
    # jax.jit, whose arguments the kernels are
    graph, state = nnx.split(layer)
    return jax.jit(lambda state, x: nnx.merge(graph, state)(x)[0])(state, x)

  given, wanted = run(small), run(wide)
  assert (np.asarray(given, np.float32) != 0).any()
  np.testing.assert_array_equal(np.asarray(given, np.float32), np.asarray(wanted, np.float32))


@pytest.mark.parametrize("kind", ["mxfp4", "int4"])
def test_linen(rng, kind):
  layer = linen.MoE(dtype=jnp.bfloat16, **SIZES)
  x = jnp.asarray(rng.standard_normal((10, 64)), jnp.bfloat16)
  params = layer.init(jax.random.key(int(rng.integers(1000))), x)["params"]
  small = {**params, "experts": {
      name: quantize(kernel, kind, axis=1) for name, kernel in params["experts"].items()}}
  wide = jax.tree.map(lambda x: x.dequantize(jnp.bfloat16) if isinstance(x, Quantized) else x,
                      small, is_leaf=lambda x: isinstance(x, Quantized))
  run = jax.jit(lambda params, x: layer.apply({"params": params}, x)[0])
  np.testing.assert_array_equal(np.asarray(run(small, x), np.float32),
                                np.asarray(run(wide, x), np.float32))
  gradient = jax.grad(lambda x: run(small, x).astype(jnp.float32).sum())(x)
  wanted = jax.grad(lambda x: run(wide, x).astype(jnp.float32).sum())(x)
  # The backward pass rounds to bfloat16 at other places.
  error = np.asarray(gradient, np.float64) - np.asarray(wanted, np.float64)
  assert np.linalg.norm(error) <= 0.02 * np.linalg.norm(np.asarray(wanted, np.float64))
