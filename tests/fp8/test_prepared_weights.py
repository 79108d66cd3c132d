"""jaxgemm.fp8.prepare: the products of prepared weights are those of the arrays."""

import dataclasses
import functools
import math

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import optax
import pytest

from jaxgemm import fp8
from jaxgemm.fp8.recipes import RECIPES
from tests.support import compiled

MATRIX = (((1,), (0,)), ((), ()))
SIZES = jnp.array([20, 0, 13, 25], jnp.int32)
# The largest error of a value over the largest magnitude that shares its scale. e4m3 has 3 bits;
# with scales that are powers of two the largest values saturate.
ROUNDING = {"tensorwise": 2.0**-4, "rowwise": 2.0**-4, "blockwise": 2.0**-4, "mxfp8": 2.0**-3}


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(x):
  return np.asarray(x, np.float64)


def prepared(w, recipe, axis=-2):
  return fp8.prepare({"w": w}, recipe, contracted=lambda name, x: axis)["w"]


def with_gradients(function, lhs, rhs, ct):
  """(out, lhs's gradient, rhs's gradient) of a jitted function of both."""
  out, vjp = jax.vjp(jax.jit(function), lhs, rhs)
  return out, *fp8.originals(vjp(ct))


def same(given, wanted):
  """The same numbers but for the order of sums, which depends on the layout of an operand."""
  for x, y in zip(given, wanted, strict=True):
    assert x.shape == y.shape and x.dtype == y.dtype
    atol = (2.0**-7 if x.dtype == jnp.bfloat16 else 1e-6) * np.abs(f64(y)).max()
    np.testing.assert_allclose(f64(x), f64(y), rtol=0, atol=atol)


PRODUCTS = {
    "matrices": ((37, 300), (300, 150), -2, MATRIX),
    "heads": ((5, 7, 96), (96, 3, 50), 0, (((2,), (0,)), ((), ()))),
    "two contracted": ((9, 3, 40), (3, 40, 65), (0, 1), (((1, 2), (0, 1)), ((), ()))),
    "batches": ((2, 9, 70), (2, 70, 33), 1, (((2,), (1,)), ((0,), (0,)))),
}


@pytest.mark.whole(unless=lambda recipe, product: (
    (list(RECIPES).index(recipe) + list(PRODUCTS).index(product)) % 2))
@pytest.mark.parametrize("recipe, product", [
    (recipe, product) for recipe in RECIPES for product in PRODUCTS
    # Of a prepared weight each matrix of a batch has a scale, of an array all of it.
    if (recipe, product) != ("tensorwise", "batches")])
def test_dense(rng, recipe, product):
  lhs, rhs, axis, numbers = PRODUCTS[product]
  x, w = array(rng, *lhs, dtype=jnp.bfloat16), array(rng, *rhs)
  run = lambda x, w: fp8.dot_general(x, w, numbers, None, jnp.float32, recipe=recipe)
  ct = array(rng, *jax.eval_shape(run, x, w).shape) * 1e-3
  wanted = with_gradients(run, x, w, ct)
  same(with_gradients(run, x, prepared(w, recipe, axis), ct), wanted)
  exact = np.einsum(
      {2: "mk,kn->mn", 3: {0: "abk,kcd->abcd", (0, 1): "mhk,hkn->mn", 1: "bmk,bkn->bmn"}.get(axis)
       }[len(rhs)], f64(x), f64(w))
  assert np.abs(f64(wanted[0]) - exact).max() < 0.2 * np.abs(exact).max()


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("first, last", [(0, 4), (1, 3)])
def test_grouped(rng, recipe, first, last):
  x, w = array(rng, 72, 300, dtype=jnp.bfloat16), array(rng, last - first, 300, 150)
  ct = array(rng, 72, 150) * 1e-3
  offset = None if last - first == 4 else jnp.array([first])
  run = lambda x, w: fp8.ragged_dot(x, w, SIZES, None, jnp.float32, offset, recipe=recipe)
  same(with_gradients(run, x, prepared(w, recipe), ct), with_gradients(run, x, w, ct))


@pytest.mark.parametrize("recipe", RECIPES)
def test_forms(rng, recipe):
  """Both forms are the weight, to the precision of float8, also of gate and up as one matrix."""
  w = array(rng, 3, 70, 2, 45) * jnp.asarray(rng.uniform(1, 100, (3, 1, 1, 1)), jnp.float32)
  given = prepared(w, recipe, -3)
  assert given.weight is not None and given.shape == w.shape and given.contracted == (-3,)
  flat = f64(w).reshape(3, 70, 90)
  assert given.flat().shape == flat.shape and given.flat().contracted == (-2,)
  for form, wanted in zip(given.forms, (flat.swapaxes(1, 2), flat)):
    size = wanted.shape[2]
    scales = form.scales
    if recipe == "blockwise":  # one tile of 128 x 128
      assert scales.shape == (3, 1, 1)
    found = f64(form._replace(scales=scales).dequantize())[..., :size]
    assert not f64(form.values)[..., size:].any()
    most = np.abs(wanted).max((1, 2), keepdims=True)
    assert (np.abs(found - wanted) <= ROUNDING[recipe] * most).all()
    assert np.abs(found - wanted).max() > 0


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_scale_is_of_one_layer(rng, recipe):
  """A layer's part of stacked weights is what the layer alone would be."""
  w = array(rng, 3, 64, 96) * jnp.array([1.0, 1e-3, 1e3])[:, None, None]
  stacked = prepared(w, recipe)
  for i in range(3):
    alone = prepared(w[i], recipe)
    for x, y in zip(jax.tree.leaves(jax.tree.map(lambda x: x[i], stacked)),
                    jax.tree.leaves(alone), strict=True):
      np.testing.assert_array_equal(f64(x), f64(y))


L, G, M, K, N = 3, 4, 72, 256, 384


def parameters(rng, dtype=jnp.float32):
  return {"dense": {"kernel": array(rng, L, K, N, dtype=dtype), "bias": array(rng, L, N)},
          "experts": {"down": array(rng, L, G, N, K, dtype=dtype) * 0.05}}


def loss(params, x, recipe, remat=True):
  """A loss of layers with a dense and a grouped product, in a scan."""
  def layer(x, p):
    kernel = p["dense"]["kernel"].astype(x.dtype)
    h = fp8.dot_general(x, kernel, MATRIX, recipe=recipe) * 0.05 + p["dense"]["bias"]
    y = fp8.ragged_dot(jnp.tanh(h).astype(x.dtype), p["experts"]["down"], SIZES, None, x.dtype,
                       recipe=recipe)
    return x + y, None

  x, _ = jax.lax.scan(jax.checkpoint(layer) if remat else layer, x, params)
  return (x.astype(jnp.float32)**2).mean()


def summed(params, batches, recipe, prepares):
  """The sums of the gradients of several batches, float32."""
  weights = fp8.prepare(params, recipe) if prepares else params

  def add(total, x):
    gradient = fp8.originals(jax.grad(loss)(weights, x, recipe))
    return jax.tree.map(lambda t, g: t + g.astype(t.dtype), total, gradient), None

  zeros = jax.tree.map(lambda x: jnp.zeros(x.shape, jnp.float32), params)
  return jax.lax.scan(add, zeros, batches)[0]


def compile_text(function, *args, **options):
  return jax.jit(function, **options).lower(*args).compile().as_text()


@pytest.mark.whole(unless=lambda recipe: recipe in ("rowwise", "blockwise"))
@pytest.mark.parametrize("recipe", RECIPES)
def test_weights_are_quantised_once_in_a_step_of_8_batches(rng, recipe):
  params, batches = parameters(rng), array(rng, 8, M, K)
  of_weights = lambda shapes: [x for x in shapes if math.prod(x) % (K * N) == 0]
  text = compile_text(summed, params, batches, recipe, True, static_argnums=(2, 3))
  inside, outside = compiled.casts_to_float8(text)
  assert not of_weights(inside) and inside  # activations are quantised in the loop
  # Each form of the two weights is cast once; XLA may fuse the cast with the transpose.
  sizes = sorted(map(math.prod, of_weights(outside)))
  assert set(sizes) == {L * K * N, L * G * K * N} and len(sizes) <= 2 * 2
  # The loops carry sums of gradients, and no wide weight.
  wide = [x for x in compiled.loops(text) for dtype, shape in x
          if dtype == "f32" and shape in ((L, K, N), (L, G, N, K))]
  plain = compile_text(summed, params, batches, recipe, False, static_argnums=(2, 3))
  inside, _ = compiled.casts_to_float8(plain)
  assert len(of_weights(inside)) >= 2
  before = [x for x in compiled.loops(plain) for dtype, shape in x
            if dtype == "f32" and shape in ((L, K, N), (L, G, N, K))]
  # The loops over batches and over layers backward carry two sums each.
  assert len(wide) == 4 and len(before) >= 8


@pytest.mark.whole(unless=lambda recipe, dtype: (
    (recipe in ("tensorwise", "blockwise")) == (dtype == jnp.bfloat16)))
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_sums_of_gradients(rng, recipe, dtype):
  params, batches = parameters(rng, dtype), array(rng, 3, M, K, dtype=dtype)
  given, wanted = (jax.jit(summed, static_argnums=(2, 3))(params, batches, recipe, prepares)
                   for prepares in (True, False))
  assert jax.tree.structure(given) == jax.tree.structure(params)
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(wanted)):
    # Where a sum is rounded otherwise, an activation may be quantised to its other neighbour.
    assert np.linalg.norm(f64(x) - f64(y)) < 0.02 * np.linalg.norm(f64(y))
  exact = jax.grad(lambda p: sum(plain_loss(p, x) for x in batches))(
      jax.tree.map(lambda x: x.astype(jnp.float32), params))
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(exact)):
    assert np.linalg.norm(f64(x) - f64(y)) < 0.15 * np.linalg.norm(f64(y))


def plain_loss(params, x):
  x = x.astype(jnp.float32)
  for i in range(L):
    p = jax.tree.map(lambda x: x[i], params)
    h = x @ p["dense"]["kernel"] * 0.05 + p["dense"]["bias"]
    x = x + jax.lax.ragged_dot(jnp.tanh(h), p["experts"]["down"], SIZES)
  return (x**2).mean()


@pytest.mark.whole(unless=lambda recipe, policy: (
    (recipe == "mxfp8") == (policy == "everything_saveable")))
@pytest.mark.parametrize("policy", [None, "dots_saveable", "everything_saveable"])
@pytest.mark.parametrize("recipe", ["rowwise", "mxfp8"])
def test_remat(rng, recipe, policy):
  params, x = parameters(rng), array(rng, M, K)
  def run(params, remat):
    options = dict(policy=getattr(jax.checkpoint_policies, policy)) if policy else {}
    of = functools.partial(loss, recipe=recipe, remat=False)
    of = jax.checkpoint(of, **options) if remat else of
    return fp8.originals(jax.jit(jax.grad(of))(fp8.prepare(params, recipe), x))
  same(*(jax.tree.leaves(run(params, remat)) for remat in (True, False)))


def test_the_gradient_of_a_kernel_in_another_dtype_is_not_rounded(rng):
  """A float32 kernel for products in bfloat16 has a float32 gradient, and no copy in bfloat16."""
  x, w = array(rng, 64, 96, dtype=jnp.bfloat16), array(rng, 96, 80)
  run = lambda w: fp8.dot_general(x, w.astype(jnp.bfloat16), MATRIX, recipe="rowwise")
  kernel = prepared(w, "rowwise")
  out, vjp = jax.vjp(jax.jit(run), kernel)
  assert out.dtype == jnp.bfloat16
  gradient = vjp(out)[0].weight
  assert gradient.dtype == jnp.float32
  assert (gradient != gradient.astype(jnp.bfloat16)).mean() > 0.9


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_steps_of_an_optimizer_with_donated_parameters(rng, dtype):
  params, batches = parameters(rng, dtype), array(rng, 2, M, K)
  tx = optax.adamw(1e-3)

  @functools.partial(jax.jit, donate_argnums=(0, 1), static_argnums=3)
  def step(params, state, batches, prepares):
    gradients = summed(params, batches, "rowwise", prepares)
    gradients = jax.tree.map(lambda g, p: g.astype(p.dtype), gradients, params)
    updates, state = tx.update(gradients, state, params)
    return optax.apply_updates(params, updates), state

  def train(prepares):
    p = jax.tree.map(jnp.copy, params)
    state = tx.init(p)
    for _ in range(3):
      old = p
      p, state = step(p, state, batches, prepares)
      assert all(x.is_deleted() for x in jax.tree.leaves(old))
    return p

  given, wanted = train(True), train(False)
  for x, y, z in zip(*map(jax.tree.leaves, (given, wanted, params))):
    assert x.dtype == z.dtype and np.abs(f64(x) - f64(z)).max() > 1e-4
    # Adam's first steps have the sign of the gradient, whose smallest elements may differ in it.
    assert np.linalg.norm(f64(x) - f64(y)) < 0.03 * np.linalg.norm(f64(y) - f64(z))


def mesh(*shape, names=("x", "y")):
  return jax.make_mesh(shape, names[:len(shape)], axis_types=(AxisType.Auto,) * len(shape),
                       devices=jax.devices()[:math.prod(shape)])


@pytest.mark.whole(unless=lambda recipe, spec: recipe == "blockwise" or spec == P(None, "x"))
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("spec", [P("x"), P(None, "x"), P(None, None, "x")])
def test_forms_are_sharded_as_the_weight(rng, recipe, spec):
  """On automatic axes no device gathers a weight that it has a part of."""
  w = jax.device_put(array(rng, 4, 256, 512), NamedSharding(mesh(2), spec))
  prepare = functools.partial(fp8.prepare, recipe=recipe, contracted=lambda name, x: -2)
  text = compile_text(prepare, w)
  assert "all-gather" not in text and "all-to-all" not in text
  given = jax.jit(prepare)(w)
  size = 4 * 256 * 512 // 2
  for form, order in zip(given.forms, ((0, 2, 1), (0, 1, 2))):
    assert form.values.addressable_shards[0].data.size == size
    wanted = P(*[(*spec, None, None)[i] for i in order])
    assert form.values.sharding.is_equivalent_to(NamedSharding(mesh(2), wanted), 3)
  for x, y in zip(jax.tree.leaves(given.forms), jax.tree.leaves(
      jax.jit(prepare)(jax.device_put(w, jax.devices()[0])).forms)):
    np.testing.assert_array_equal(f64(x), f64(y))


@pytest.mark.parametrize("recipe", RECIPES)
def test_in_shard_map(rng, recipe):
  """Experts that are prepared outside of a shard_map, sharded along the experts."""
  x, w = array(rng, 72, 96), array(rng, 4, 96, 80)

  def run(w):
    def local(x, w):
      first = jax.lax.axis_index("x").astype(jnp.int32)[None] * 2
      out = fp8.ragged_dot(x, w, SIZES, group_offset=first, recipe=recipe)
      return jax.lax.psum(out, "x")
    out = jax.shard_map(local, mesh=mesh(2), in_specs=(P(), P("x")), out_specs=P())(x, w)
    return (out**2).mean()

  given = fp8.originals(jax.jit(jax.value_and_grad(run))(prepared(w, recipe)))
  same(given, jax.jit(jax.value_and_grad(run))(w))


@pytest.mark.parametrize("recipe", ["tensorwise", "blockwise"])
def test_prepared_in_shard_map_and_shared(rng, recipe):
  """The gradient of a weight that devices share is the sum over them."""
  x, w = array(rng, 2, 72, 96), array(rng, 96, 80)

  def run(w, prepares):
    def local(x, w):
      w = prepared(w, recipe) if prepares else w
      out = fp8.dot_general(x[0], w, MATRIX, recipe=recipe)
      return jax.lax.pmean((out**2).mean(), "x")
    return jax.shard_map(local, mesh=mesh(2), in_specs=(P("x"), P()), out_specs=P())(x, w)

  run = jax.jit(jax.value_and_grad(run), static_argnums=1)
  same(run(w, True), run(w, False))


def test_what_is_a_weight(rng):
  tree = {"layers": {"kernel": jnp.ones((8, 8)), "bias": jnp.ones(8), "scale": jnp.ones((2, 8))},
          "experts": {"gate_up": jnp.ones((2, 8, 2, 8)), "down": jnp.ones((2, 8, 8)),
                      "down_bias": jnp.ones((2, 8))},
          "embedding": jnp.ones((8, 8))}
  names = []
  def chosen(name, x):
    names.append((name, x.ndim))
    return -2 if name == "embedding" else None
  is_prepared = lambda x: isinstance(x, fp8.PreparedWeight)
  of = lambda tree: {jax.tree_util.keystr(path, simple=True, separator="/"): x.contracted
                     for path, x in jax.tree_util.tree_leaves_with_path(tree, is_leaf=is_prepared)
                     if is_prepared(x)}
  given = fp8.prepare(tree)
  assert of(given) == {"layers/kernel": (-2,), "experts/gate_up": (-3,), "experts/down": (-2,)}
  assert of(fp8.prepare(given, contracted=chosen)) == {"embedding": (-2,)}
  assert ("experts/gate_up", 4) in names and len(names) == 7
  assert jax.tree.structure(fp8.originals(given)) == jax.tree.structure(tree)


def test_messages(rng):
  w, x = array(rng, 2, 32, 48), array(rng, 16, 32)
  given = prepared(w, "rowwise")
  one = jax.tree.map(lambda x: x[0], given)
  with pytest.raises(TypeError, match=r"shape \(32, 48\) .*is used as an array.*promote_dtype"):
    x @ one
  with pytest.raises(TypeError, match=r"indexed by 0; \[\.\.\.\] is allowed"):
    one[0]
  with pytest.raises(ValueError, match="recipe='mxfp8' was given, and rhs was prepared for "
                                       "recipe='rowwise'"):
    fp8.dot_general(x, one, MATRIX, recipe="mxfp8")
  with pytest.raises(ValueError, match=r"contract its dimensions \(-2,\).*contract \(-1,\)"):
    fp8.dot_general(array(rng, 16, 48), one, (((1,), (1,)), ((), ())), recipe="rowwise")
  with pytest.raises(ValueError, match=r"with those in front of them as batches.*contract \(-2,\)"):
    fp8.dot_general(x, given, (((1,), (1,)), ((), ())), recipe="rowwise")
  with pytest.raises(ValueError, match="a state was given; the scales are those of the prepared"):
    fp8.dot_general(x, prepared(w[0], "tensorwise"), MATRIX, state=fp8.DelayedScaling.create())
  with pytest.raises(ValueError, match="prepared in float8_e5m2, and the product reads"):
    fp8.dot_general(x, fp8.prepare(
        {"kernel": w[0]}, dtypes=(jnp.float8_e5m2, jnp.float8_e5m2))["kernel"], MATRIX)
  with pytest.raises(ValueError, match="rhs has shape .*G, K, N.* is allowed"):
    fp8.ragged_dot(x, jax.tree.map(lambda x: x[None], given), SIZES, recipe="rowwise")
  with pytest.raises(ValueError, match="contracted gave -1 for 'w' of rank 3"):
    prepared(w, "rowwise", -1)
  with pytest.raises(ValueError, match="contracted gave .* for 'w' of rank 3; neighbouring"):
    prepared(w, "rowwise", (0, 2))
  with pytest.raises(ValueError, match="w has dtype int32"):
    prepared(w.astype(jnp.int32), "rowwise")
  with pytest.raises(ValueError, match="recipe='x' is unknown"):
    fp8.prepare({"kernel": w}, "x")
  assert dataclasses.replace(one, recipe="mxfp8").recipe == "mxfp8"


def test_a_tree_without_weights_is_refused():
  with pytest.raises(ValueError, match="no array of params has a name.*contracted="):
    fp8.prepare({"w": jnp.ones((8, 8))})
  found = fp8.prepare({"w": jnp.ones((8, 8))}, contracted=lambda name, x: None)
  assert isinstance(found["w"], jax.Array)
