"""Layers of Flax with weights that jaxgemm.fp8.prepare has quantised."""

import functools
import math

from flax import linen as nn
from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import fp8
from jaxgemm.flax import ClampedSwiGLU, Mlp, MoEParams, linen, moe
from jaxgemm.flax import nnx as layers
from jaxgemm.fp8.recipes import RECIPES
from tests.support import compiled

C, H, E, T = 64, 96, 4, 50


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def close(given, wanted, rtol=1e-5):
  """Trees of equal arrays, but for the order of sums."""
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True):
    assert x.shape == y.shape and x.dtype == y.dtype
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    assert np.linalg.norm(x - y) <= rtol * np.linalg.norm(y)


@pytest.mark.whole(unless=lambda recipe: recipe in ("rowwise", "mxfp8"))
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("options", [
    dict(use_bias=True), dict(gated=False, activation="gelu"), dict(num_shared_experts=1),
    dict(activation=ClampedSwiGLU())], ids=lambda x: next(iter(x)))
def test_experts_of_nnx(rng, recipe, options):
  layer = layers.MoE(features=C, hidden_features=H, num_experts=E, recipe=recipe,
                     rngs=nnx.Rngs(0), **options)
  x = array(rng, T, C)
  graphdef, params = nnx.split(layer)

  @jax.jit
  def run(params):
    def loss(params):
      out, stats = nnx.merge(graphdef, params)(x)
      return (out**2).mean() + stats.load_balancing_loss
    return jax.value_and_grad(loss)(params)

  given, wanted = run(fp8.prepare(params, recipe)), run(params)
  count = lambda tree: sum(isinstance(x, fp8.PreparedWeight) for x in jax.tree.leaves(
      tree, is_leaf=lambda x: isinstance(x, fp8.PreparedWeight)))
  assert count(given[1]) == 2 * (1 + bool(options.get("num_shared_experts")))
  close(fp8.originals(given), wanted)


@pytest.mark.parametrize("recipe", ["tensorwise", "blockwise"])
def test_experts_of_linen(rng, recipe):
  layer = linen.MoE(hidden_features=H, num_experts=E, recipe=recipe, partition_name="expert")
  x = array(rng, T, C)
  params = layer.init(jax.random.key(0), x)  # with boxes that name the dimension of experts

  @jax.jit
  def run(params):
    return jax.value_and_grad(lambda params: (layer.apply(params, x)[0]**2).mean())(params)

  close(fp8.originals(run(fp8.prepare(params, recipe))), run(params))


@pytest.mark.whole(unless=lambda dtype: dtype is None)
@pytest.mark.parametrize("dtype", [None, jnp.bfloat16])
def test_dense_layers(rng, dtype):
  """The result has the layer's dtype. The gradient of a prepared kernel has the kernel's."""
  x = array(rng, T, C)
  product = functools.partial(fp8.dot_general, recipe="rowwise")
  options = dict(dtype=dtype, dot_general=product)
  of_nnx = nnx.Linear(C, H, promote_dtype=layers.promote_dtype, rngs=nnx.Rngs(0), **options)
  of_linen = nn.Dense(H, promote_dtype=linen.promote_dtype, **options)
  graphdef, state = nnx.split(of_nnx)
  variables = {"params": nnx.to_pure_dict(state)}

  def run(apply, params, prepares):
    params = fp8.prepare(params, "rowwise") if prepares else params
    out = apply(params)
    assert out.dtype == (dtype or jnp.float32)
    return out, fp8.originals(jax.jit(jax.grad(
        lambda params: (apply(params).astype(jnp.float32)**2).sum()))(params))

  for apply, params in ((lambda params: nnx.merge(graphdef, params)(x), state),
                        (lambda params: of_linen.apply(params, x), variables)):
    given, gradient = run(apply, params, True)
    wanted, other = run(apply, params, False)
    # A kernel that is not prepared is first rounded to the layer's dtype.
    rtol = 1e-6 if dtype is None else 0.03
    close(given, wanted, rtol)
    close(gradient, other, rtol)


def test_scanned_layers_of_linen(rng):
  """nn.scan over layers, with nn.remat: the parameters have a dimension of layers in front."""
  class Block(nn.Module):
    @nn.compact
    def __call__(self, x, _):
      y = nn.Dense(C, dot_general=functools.partial(fp8.dot_general, recipe="mxfp8"),
                   promote_dtype=linen.promote_dtype)(x)
      out, _ = linen.MoE(hidden_features=H, num_experts=E, recipe="mxfp8")(y)
      return x + out, None

  model = nn.scan(nn.remat(Block), variable_axes={"params": 0}, split_rngs={"params": True},
                  length=3)()
  x = array(rng, T, C)
  params = model.init(jax.random.key(0), x, None)
  loss = lambda params, x: (model.apply(params, x, None)[0]**2).mean()
  run = jax.jit(jax.value_and_grad(loss))
  close(fp8.originals(run(fp8.prepare(params, "mxfp8"), x)), run(params, x))

  def summed(params, prepares):
    weights = fp8.prepare(params, "mxfp8") if prepares else params
    def add(total, x):
      gradient = fp8.originals(jax.grad(loss)(weights, x))
      return jax.tree.map(jnp.add, total, gradient), None
    return jax.lax.scan(add, jax.tree.map(jnp.zeros_like, params), array(rng, 8, T, C))[0]

  # No weight is cast in the loop over batches, but gate_up and down of all layers are before it.
  of_experts = lambda shapes: [x for x in shapes if math.prod(x) % (E * C * H) == 0]
  for prepares in (True, False):
    text = jax.jit(summed, static_argnums=1).lower(params, prepares).compile().as_text()
    inside, outside = map(of_experts, compiled.casts_to_float8(text))
    assert bool(inside) != prepares and len(outside) == (4 if prepares else 0)


@pytest.mark.parametrize("recipe", ["rowwise", "blockwise"])
@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_sharded_experts(rng, recipe, kind):
  """moe in shard_map over automatic axes, and on a mesh of explicit axes."""
  mesh = jax.make_mesh((2,), ("x",), axis_types=(kind,), devices=jax.devices()[:2])
  params = MoEParams(array(rng, C, E), Mlp(
      down=array(rng, E, H, C) / 10, gate_up=array(rng, E, C, 2, H) / 8))
  x = array(rng, T, C)
  compute = functools.partial(moe, top_k=2, recipe=recipe)
  specs = MoEParams(P(), P("x"))
  if kind == AxisType.Auto:
    apply = lambda params: jax.shard_map(
        lambda x, params: compute(x, params, expert_axis_name="x")[0], mesh=mesh,
        in_specs=(P(), specs), out_specs=P())(x, params)
  else:
    apply = lambda params: compute(x, params)[0]

  def run(prepares):
    with jax.set_mesh(mesh) if kind == AxisType.Explicit else jax.default_device(None):
      given = params
      if kind == AxisType.Explicit:
        given = jax.device_put(params, MoEParams(
            jax.NamedSharding(mesh, P()), jax.NamedSharding(mesh, P("x"))))
      given = fp8.prepare(given, recipe) if prepares else given
      return fp8.originals(jax.jit(jax.value_and_grad(
          lambda params: (apply(params)**2).mean()))(given))

  close(run(True), run(False))


def test_messages(rng):
  params = MoEParams(array(rng, C, E), Mlp(down=array(rng, E, H, C), up=array(rng, E, C, H)))
  x = array(rng, T, C)
  prepared = fp8.prepare(params, "rowwise")
  for recipe in None, "mxfp8":
    with pytest.raises(ValueError, match=f"recipe={recipe!r} was given with weights that "
                                         "jaxgemm.fp8.prepare has quantised for recipe='rowwise'"):
      moe(x, prepared, top_k=2, recipe=recipe)
  with pytest.raises(ValueError, match=r"params.experts.up has shape \(4, 60, 96\)"):
    moe(x, fp8.prepare(params._replace(experts=params.experts._replace(
        up=params.experts.up[:, :60])), "rowwise"), top_k=2, recipe="rowwise")
  gated = MoEParams(array(rng, C, E), Mlp(
      down=array(rng, E, H, C), gate_up=array(rng, E, C, 2, H)))
  with pytest.raises(ValueError, match=r"gate_up was prepared .* \(-2,\); \(-3,\) is allowed"):
    moe(x, fp8.prepare(gated, "rowwise", contracted=lambda name, x: -2 if x.ndim > 2 else None),
        top_k=2, recipe="rowwise")
  layer = nnx.Linear(C, H, dot_general=fp8.dot_general, rngs=nnx.Rngs(0))
  graphdef, state = nnx.split(layer)
  with pytest.raises(TypeError, match="promote_dtype=jaxgemm.flax.nnx.promote_dtype"):
    nnx.merge(graphdef, fp8.prepare(state))(x)
