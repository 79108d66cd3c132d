"""jaxgemm.fp8.ragged_dot against the same quantised model in float64."""

import re

from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import fp8, quantize
from jaxgemm.flax.nnx import MoE
from jaxgemm.fp8.recipes import RECIPES
from jaxgemm.scaled.quantization import BLOCKS, float8_dtypes
from tests.support.in_blocks import bound, in_blocks

M, K, N, G = 72, 40, 32, 4
SIZES = jnp.array([20, 0, 13, 25], jnp.int32)
E4M3, E5M2 = float8_dtypes()  # gfx942 has others than the other targets


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(x):
  return np.asarray(x, np.float64)


def wide(x):
  return f64(x.values) * f64(x.scales)


def reference(recipe, lhs, rhs, ct, first, last):
  """(out, lhs's gradient, rhs's gradient) of the groups `first` to `last` of rhs."""
  ends = np.cumsum(SIZES)
  begins = ends - np.asarray(SIZES)
  row = recipe == "rowwise"
  kind = RECIPES[recipe]
  # Rows of no group do not count for the scales.
  of_groups = np.zeros((len(ct), 1), bool)
  of_groups[begins[first]:ends[last - 1]] = True
  lhs, ct = jnp.where(of_groups, lhs, 0), jnp.where(of_groups, ct, 0)
  lhs = quantize(lhs, kind, axis=1, dtype=E4M3)
  of_lhs = f64(lhs.values) if row else wide(lhs)
  forward, back = (wide(quantize(rhs, "row", axis=axis if row else (1, 2), dtype=E4M3))
                   for axis in (1, 2))
  out, d_lhs, d_rhs = np.zeros(ct.shape), np.zeros(lhs.values.shape), np.zeros(rhs.shape)
  groups = [(g - first, slice(begins[g], ends[g])) for g in range(first, last)]
  of_rows = quantize(ct, "row", axis=1, dtype=E5M2) if row else quantize(ct, dtype=E5M2)
  of_columns = quantize(ct.astype(jnp.float32) * lhs.scales, "row", axis=0,
                        dtype=E5M2) if row else of_rows
  for g, rows in groups:
    out[rows] = wide(lhs)[rows] @ forward[g]
    d_lhs[rows] = wide(of_rows)[rows] @ back[g].T
    d_rhs[g] = of_lhs[rows].T @ wide(of_columns)[rows]
  return out, d_lhs, d_rhs


def reference_in_blocks(kind, lhs, rhs, ct, sizes, implementation):
  """(the results of `reference` for operands in blocks, bounds of their errors)."""
  ends = np.cumsum(sizes)
  group = np.searchsorted(ends, np.arange(len(ct)), "right")
  lhs, ct = (np.where(group[:, None] < len(rhs), x, 0) for x in (lhs, ct))
  operands = [
      (in_blocks(lhs, kind), in_blocks(rhs.mT, kind, True).swapaxes(1, 2)),
      (in_blocks(ct, kind), in_blocks(rhs, kind, True).swapaxes(1, 2)),
      (in_blocks(lhs.T, kind).T, in_blocks(ct.T, kind).T)]

  def products(x):
    (lhs, rhs), (of_rows, of_rhs), (wide, of_columns) = x
    out, d_lhs = np.zeros((len(lhs), rhs.shape[2])), np.zeros(lhs.shape)
    d_rhs = np.zeros(rhs.shape)
    for g in range(len(rhs)):
      rows = group == g
      out[rows], d_lhs[rows] = lhs[rows] @ rhs[g], of_rows[rows] @ of_rhs[g]
      d_rhs[g] = wide[rows].T @ of_columns[rows]
    return out, d_lhs, d_rhs

  bounds = products([[np.abs(x) for x in pair] for pair in operands])
  return products(operands), [bound(kind, implementation) * x for x in bounds]


@pytest.mark.whole(
    unless=lambda recipe, implementation, k: (
        k == 300 if implementation == "jaxgemm" else k == 40 and recipe == "mxfp8"))
@pytest.mark.parametrize("recipe", ["blockwise", "mxfp8"])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
@pytest.mark.parametrize("k, n", [(40, 32), (300, 150)])
def test_values_and_gradients_in_blocks(rng, recipe, implementation, k, n):
  sizes = jnp.array([130, 0, 13, 100], jnp.int32)  # and 7 rows of no group
  lhs, rhs = array(rng, 250, k, dtype=jnp.bfloat16), array(rng, G, k, n)
  ct = array(rng, 250, n) * 1e-4
  out, vjp = jax.vjp(jax.jit(lambda lhs, rhs: fp8.ragged_dot(
      lhs, rhs, sizes, None, jnp.float32, recipe=recipe, implementation=implementation)), lhs, rhs)
  wanted, bounds = reference_in_blocks(RECIPES[recipe], lhs, rhs, ct, sizes, implementation)
  for x, y, more, dtype in zip((out, *vjp(ct)), wanted, bounds,
                               (jnp.float32, jnp.bfloat16, jnp.float32)):
    assert x.dtype == dtype and x.shape == y.shape
    rounding = 2.0**-8 * np.abs(y) if dtype == jnp.bfloat16 else 0
    assert (np.abs(f64(x) - y) <= more + 1e-5 * np.abs(y).max() + rounding).all()


@pytest.mark.whole(unless=lambda recipe: recipe == "mxfp8")
@pytest.mark.parametrize("recipe", ["blockwise", "mxfp8"])
def test_blocks_of_some_groups(rng, recipe):
  """The result with an offset is that of all groups, where the other groups have zeros."""
  sizes, first, last = jnp.array([130, 0, 13, 100], jnp.int32), 2, 4
  lhs, rhs, ct = array(rng, 250, 160), array(rng, last - first, 160, 150), array(rng, 250, 150)
  of_groups = ((jnp.arange(250) >= 130) & (jnp.arange(250) < 243))[:, None]
  run = lambda lhs, rhs, offset: fp8.ragged_dot(
      lhs, rhs, sizes, group_offset=offset, recipe=recipe)
  out, vjp = jax.vjp(lambda lhs, rhs: run(lhs, rhs, jnp.array([first])), lhs, rhs)
  whole = jnp.zeros((G, 160, 150)).at[first:last].set(rhs)
  wanted, vjp_whole = jax.vjp(lambda lhs, rhs: run(lhs, rhs, None), lhs * of_groups, whole)
  d_lhs, d_rhs = vjp_whole(ct * of_groups)
  for x, y in zip((out, *vjp(ct)), (wanted, d_lhs, d_rhs[first:last])):
    np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5 * np.abs(y).max())


@pytest.mark.whole(unless=lambda recipe, first: (recipe == "rowwise") == (first == 1))
@pytest.mark.parametrize("recipe", [r for r in RECIPES if RECIPES[r] not in BLOCKS])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
@pytest.mark.parametrize("first, last", [(0, G), (1, 3)])
def test_values_and_gradients(rng, recipe, implementation, first, last):
  lhs, rhs = array(rng, M, K, dtype=jnp.bfloat16), array(rng, last - first, K, N)
  ct = array(rng, M, N) * 1e-4
  offset = None if last - first == G else jnp.array([first])
  out, vjp = jax.vjp(lambda lhs, rhs: fp8.ragged_dot(
      lhs, rhs, SIZES, None, jnp.float32, offset, recipe=recipe,
      implementation=implementation), lhs, rhs)
  wanted = reference(recipe, lhs, rhs, ct, first, last)
  for x, y, dtype in zip((out, *vjp(ct)), wanted, (jnp.float32, jnp.bfloat16, jnp.float32)):
    assert x.dtype == dtype and x.shape == y.shape
    rounding = 2.0**-8 * np.abs(y) if dtype == jnp.bfloat16 else 0
    assert (np.abs(f64(x) - y) <= 1e-5 * np.abs(y).max() + rounding).all()


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_the_program_has(rng, recipe):
  lhs, rhs = array(rng, 256, 384, dtype=jnp.bfloat16), array(rng, G, 384, 160)
  loss = lambda lhs, rhs: (fp8.ragged_dot(lhs, rhs, SIZES, recipe=recipe)**2).sum()
  text = jax.jit(jax.grad(loss, (0, 1))).lower(lhs, rhs).as_text()
  calls = re.findall(r"custom_call @jaxgemm_gemm\(.*: \(tensor<[0-9x]+x(\w+)>, "
                     r"tensor<[0-9x]+x(\w+)>", text)
  assert len(calls) == 3 and all(y.startswith("f8") for x in calls for y in x)
  assert not re.search(r"stablehlo.convert.*\(tensor<[0-9x]+x(f8E4M3|f8E5M2)\w+>\)", text)


@pytest.mark.whole(unless=lambda recipe: recipe in ("tensorwise", "mxfp8"))
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_layer_of_experts_trains(rng, recipe):
  x = array(rng, 4, 16, 32)

  def gradients(**options):
    layer = MoE(features=32, hidden_features=64, num_experts=4, rngs=nnx.Rngs(0), **options)
    loss = lambda layer, x: ((layer(x)[0] - 1)**2).mean()
    return nnx.jit(nnx.value_and_grad(loss))(layer, x)

  quantised, given = gradients(
      ragged_dot=lambda x, kernels, sizes, precision: fp8.ragged_dot(
          x, kernels, sizes, recipe=recipe))
  plain, wanted = gradients()
  np.testing.assert_allclose(quantised, plain, rtol=0.02)
  for x, y in zip(jax.tree.leaves(given), jax.tree.leaves(wanted)):
    if x.ndim == 3 or x.ndim == 4:
      assert np.linalg.norm(x - y) < 0.12 * np.linalg.norm(y)


@pytest.mark.whole(unless=lambda recipe: recipe in ("rowwise", "blockwise"))
@pytest.mark.parametrize("recipe", RECIPES)
def test_in_shard_map_each_device_quantises_its_part(rng, recipe):
  mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])
  lhs, rhs = array(rng, 2 * M, K), array(rng, G, K, N)
  sizes = jnp.concatenate([SIZES, SIZES[::-1]])
  loss = lambda lhs, rhs, sizes: (fp8.ragged_dot(lhs, rhs, sizes, recipe=recipe)**2).sum()
  local = jax.shard_map(
      lambda lhs, rhs, sizes: jax.lax.psum(loss(lhs, rhs, sizes), "x"), mesh=mesh,
      in_specs=(P("x"), P(), P("x")), out_specs=P())
  given = jax.jit(jax.grad(local, (0, 1)))(lhs, rhs, sizes)
  parts = [jax.grad(loss, (0, 1))(*x, y) for *x, y in (
      (lhs[:M], rhs, SIZES), (lhs[M:], rhs, SIZES[::-1]))]
  np.testing.assert_allclose(given[0], jnp.concatenate([p[0] for p in parts]), rtol=1e-4, atol=1e-3)
  np.testing.assert_allclose(given[1], parts[0][1] + parts[1][1], rtol=1e-4, atol=1e-3)


def test_messages():
  with pytest.raises(ValueError, match=r"rhs has shape \(2, 8, 2, 8\); \(G, K, N\) is allowed"):
    fp8.ragged_dot(jnp.ones((8, 8)), jnp.ones((2, 8, 2, 8)), jnp.array([4, 4]))
  with pytest.raises(ValueError, match="recipe='x' is unknown"):
    fp8.ragged_dot(jnp.ones((8, 8)), jnp.ones((2, 8, 8)), jnp.array([4, 4]), recipe="x")
