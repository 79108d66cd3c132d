"""Products whose operands have scales of blocks along k, which the kernel applies."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from tests.support.environment import VIRTUAL_ROCM
from tests.support.scaled import (
  E4M3,
  array,
  assert_close,
  dequantized,
  is_in_kernel,
  scales,
)

E5M2 = jnp.float8_e5m2
# The families of host kernels: the processor's best one, and one that every processor has.
FAMILIES = [None] if VIRTUAL_ROCM else [None, "portable"]


# (batch, m, n, k, block, rows of rhs with one scale). In some cases k or the rows end inside a
# block, and some have few rows.
SHAPES = [(1, 70, 50, 512, 128, 1), (2, 5, 150, 384, 128, 128), (1, 260, 3, 1000, 128, 1),
          (1, 40, 300, 520, 128, 128), (3, 33, 20, 130, 32, 1), (1, 1, 64, 2048, 128, 128)]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("batch, m, n, k, block, rows", SHAPES)
def test_dense(rng, family, batch, m, n, k, block, rows):
  a, b = array(rng, batch, m, k), array(rng, batch, n, k, dtype=E5M2)
  of_a = scales(rng, batch, m, -(-k // block))
  of_b = scales(rng, batch, -(-n // rows), -(-k // block))
  options = dict(block=block, config=family and GemmConfig(kernel=family))
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b, **options)
  wanted = np.einsum("bmk,bnk->bmn", dequantized(a, of_a, block), dequantized(b, of_b, block))
  assert_close(given, wanted, rows=rows)
  in_kernel = is_in_kernel(a, b, lhs_scales=of_a, rhs_scales=of_b, **options)
  assert in_kernel == (rows == 128 or not VIRTUAL_ROCM)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float16, E5M2,
                                   jnp.float8_e4m3fnuz])
def test_types_and_epilogue(rng, dtype):
  a, b = array(rng, 1, 60, 256, dtype=dtype), array(rng, 1, 140, 256, dtype=dtype)
  of_a, of_b, bias = scales(rng, 1, 60, 2), scales(rng, 1, 2, 2), scales(rng, 140)
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b, jnp.bfloat16, bias=bias, activation="relu")
  wanted = np.einsum("bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128))
  assert given.dtype == jnp.bfloat16
  assert_close(given, np.maximum(wanted + np.asarray(bias), 0), 2.0**-8)


@pytest.mark.parametrize("options", [
    dict(schedule="stream_k", num_workgroups=3), dict(schedule="work_stealing"),
    dict(schedule="stream_k", num_shares=7, reduction="tree"),
    dict(schedule="stream_k", num_workgroups=5, reduction="atomic"),
    dict(tile_m=32, tile_n=64, tile_k=96)])
def test_shares_are_cut_anywhere_in_a_block(rng, options):
  """tile_k is not a multiple of the block, so shares begin and end inside of blocks."""
  k = 128 * 9 + 40
  a, b = array(rng, 1, 90, k), array(rng, 1, 130, k)
  of_a, of_b = scales(rng, 1, 90, 10), scales(rng, 1, 2, 10)
  config = GemmConfig(**dict(dict(tile_m=64, tile_n=96, tile_k=80), **options))
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b, block=128, config=config)
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128)))


@pytest.mark.parametrize("rows", [1, 128])
@pytest.mark.parametrize("offset", [None, 1])
@pytest.mark.parametrize("schedule", [None, "stream_k"])
def test_grouped(rng, rows, offset, schedule):
  a, b = array(rng, 300, 384), array(rng, 4 - bool(offset), 150, 384)
  of_a, of_b = scales(rng, 300, 3), scales(rng, b.shape[0], -(-150 // rows), 3)
  bias = scales(rng, b.shape[0], 150)
  sizes, offset = np.array([100, 0, 130, 50], np.int32), offset and jnp.array([offset])
  given = jaxgemm.scaled_ragged_dot(
      a, b, jnp.asarray(sizes), of_a, of_b, group_offset=offset, bias=bias, schedule=schedule)
  x, y, wanted, row = dequantized(a, of_a, 128), dequantized(b, of_b, 128), np.zeros((300, 150)), 0
  for group, size in enumerate(sizes):
    local = group - (0 if offset is None else 1)
    if local >= 0:
      wanted[row:row + size] = x[row:row + size] @ y[local].T + np.asarray(bias)[local]
    row += size
  assert_close(given, wanted, rows=rows)


@pytest.mark.parametrize("schedule", [None, "stream_k"])
def test_groups_along_k(rng, schedule):
  """Groups begin inside of blocks, because blocks are counted from the first k of all groups. What
  belongs to no group is NaN."""
  sizes, k = np.array([100, 0, 300, 57], np.int32), 512
  a, b = (array(rng, rows, k, dtype=dtype).at[:, 457:].set(jnp.nan)
          for rows, dtype in ((70, E5M2), (90, E4M3)))
  of_a, of_b = scales(rng, 70, 4), scales(rng, 90, 4)
  given = jaxgemm.scaled_ragged_dot(
      a, b, jnp.asarray(sizes), of_a, of_b, ragged="k", schedule=schedule)
  x, y, begin = dequantized(a, of_a, 128), dequantized(b, of_b, 128), 0
  wanted = np.zeros((4, 70, 90))
  for group, size in enumerate(sizes):
    wanted[group] = x[:, begin:begin + size] @ y[:, begin:begin + size].T
    begin += size
  assert_close(given, wanted, rows=1)


@pytest.mark.parametrize("of_rhs", [1, 2, 4])
def test_blocks_of_different_sizes(rng, of_rhs):
  a, b = array(rng, 1, 20, 512), array(rng, 1, 30, 512)
  of_a, of_b = scales(rng, 1, 20, 4), scales(rng, 1, 30, of_rhs)
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b)
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 512 // of_rhs)), rows=1)


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan, 1e-40, 3e38])
def test_special_scales(rng, value):
  """One block's scale is 0, infinite, NaN or subnormal, or its product with another scale is not
  finite although the result is."""
  a, b = jnp.abs(array(rng, 1, 20, 256)) + jnp.asarray(0.5, E4M3), array(rng, 1, 30, 256)
  b = jnp.abs(b) + jnp.asarray(0.5, E4M3)  # so that no sum is zero
  a = (a.astype(jnp.float32) * (1e-3 if value == 3e38 else 1)).astype(E4M3)
  of_a, of_b = scales(rng, 1, 20, 2), scales(rng, 1, 30, 2)
  of_a = of_a.at[0, 3, 1].set(value)
  of_b = of_b.at[0, 5, 1].set(1e3 if value == 3e38 else 1)
  given = jaxgemm.scaled_matmul(a, b, of_a, of_b)
  wanted = np.einsum("bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128))
  with np.errstate(over="ignore"):
    wanted = wanted.astype(np.float32).astype(np.float64)
  np.testing.assert_allclose(given, wanted, rtol=1e-5)
  others = np.delete(wanted, 3, 1)
  assert np.isfinite(others).all() and (np.isfinite(value) or not np.isfinite(wanted[0, 3]).any())


def test_one_call_and_derivatives(rng):
  a, b = array(rng, 1, 40, 256, dtype=jnp.float32), array(rng, 1, 30, 256, dtype=jnp.float32)
  of_a, of_b = scales(rng, 1, 40, 2), scales(rng, 1, 30, 2)
  product = jaxgemm.scaled_matmul
  text = jax.jit(product).lower(a.astype(E4M3), b.astype(E4M3), of_a, of_b).as_text()
  assert text.count("custom_call @jaxgemm_gemm") == 1 and "xbf16>" not in text

  def on_jax(a, b, of_a, of_b):
    return jnp.einsum("bmk,bnk->bmn", a * jnp.repeat(of_a, 128, 2), b * jnp.repeat(of_b, 128, 2),
                      precision="highest")

  ct = array(rng, 1, 40, 30, dtype=jnp.float32)
  given = jax.vjp(product, a, b, of_a, of_b)[1](ct)
  for x, y in zip(given, jax.vjp(on_jax, a, b, of_a, of_b)[1](ct)):
    assert_close(x, np.asarray(y, np.float64), 1e-5)


@pytest.mark.parametrize("axes", [(0, None, 0, None), (None, 0, None, 0), (0, 0, 0, 0),
                                  (0, None, 0, 0)])
@pytest.mark.parametrize("grouped", [False, True])
def test_vmap(rng, axes, grouped):
  a, b = (array(rng, 3, 2, 40, 256)[:, :1], array(rng, 3, 2, 30, 256)[:, :1])
  of_a, of_b = scales(rng, 3, 1, 40, 2), scales(rng, 3, 1, 30, 2)
  if grouped:
    a, of_a = a[:, 0], of_a[:, 0]
  operands = [x if axis == 0 else x[0] for x, axis in zip((a, b, of_a, of_b), axes)]
  if grouped:
    sizes = jnp.array([25])
    f = lambda a, b, of_a, of_b: jaxgemm.scaled_ragged_dot(a, b, sizes, of_a, of_b)
  else:
    f = jaxgemm.scaled_matmul
  given = jax.vmap(f, axes)(*operands)
  for i in range(3):
    one = f(*(x[i] if axis == 0 else x for x, axis in zip(operands, axes)))
    assert_close(given[i], np.asarray(one, np.float64))


@pytest.mark.parametrize("given, why", [
    (dict(), "takes? blocks of 32 or more"), (dict(implementation="xla"), "'xla' was given"),
    (dict(implementation="emulated:gfx942"), "gfx942")])
def test_explains_why_not(rng, given, why):
  a, b = array(rng, 1, 40, 256), array(rng, 1, 64, 256)
  count = 2 if given else 16
  options = dict(lhs_scales=scales(rng, 1, 40, count), rhs_scales=scales(rng, 1, 64, count))
  said = "\n".join(jaxgemm.scaled.call.reasons(a, b, **options, **given))
  assert "lhs is dequantised to bfloat16 first" in said and why.replace("takes? ", "") in said


@pytest.mark.parametrize("change, words", [
    (dict(lhs_scales=(40, 3)), "lhs_scales has shape"), (dict(rhs_scales=(4, 2)), "rhs_scales"),
    (dict(rhs=(20, 256)), r"\(G, N, K\)"), (dict(ragged="n"), "'m' and 'k'")])
def test_messages(change, words):
  shapes = dict(lhs=(40, 256), rhs=(3, 20, 256), lhs_scales=(40, 2), rhs_scales=(3, 20, 2))
  arrays = {name: jnp.ones(change.get(name, shape)) for name, shape in shapes.items()}
  with pytest.raises(ValueError, match=words):
    jaxgemm.scaled_ragged_dot(group_sizes=jnp.ones(3, jnp.int32), ragged=change.get("ragged", "m"),
                              **arrays)


@pytest.mark.parametrize("of_a, of_b, of_out", [
    (P("x", None, None), P(), P("x", None, None)), (P(None, "x", None), P(), P(None, "x", None)),
    (P(), P(None, "x", None), P(None, None, "x")), (P(None, "x"), P(None, "y"), P(None, "x", "y"))])
@pytest.mark.parametrize("rows", [1, 128])
def test_automatic_mesh(rng, of_a, of_b, of_out, rows):
  mesh = jax.make_mesh((2, 2), ("x", "y"), devices=jax.devices()[:4],
                       axis_types=(AxisType.Auto,) * 2)
  a, b = array(rng, 2, 40, 256), array(rng, 2, 512, 256)
  scales_a, scales_b = scales(rng, 2, 40, 2), scales(rng, 2, 512 // rows, 2)
  put = lambda x, spec: jax.device_put(x, NamedSharding(mesh, spec))
  f = jax.jit(jaxgemm.scaled_matmul)
  args = put(a, of_a), put(b, of_b), put(scales_a, of_a), put(scales_b, of_b)
  given = f(*args)
  assert given.sharding.is_equivalent_to(NamedSharding(mesh, of_out), 3)
  assert "all-gather" not in f.lower(*args).compile().as_text()
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, scales_a, 128), dequantized(b, scales_b, 128)), rows=rows)


def test_a_mesh_does_not_cut_blocks(rng):
  """A mesh that halves k would cut the first of two blocks."""
  mesh = jax.make_mesh((2,), ("x",), devices=jax.devices()[:2], axis_types=(AxisType.Auto,))
  a, b = array(rng, 1, 40, 192), array(rng, 1, 60, 192)
  of_a, of_b = scales(rng, 1, 40, 2), scales(rng, 1, 60, 2)
  put = lambda x: jax.device_put(x, NamedSharding(mesh, P(None, None, "x")))
  given = jax.jit(lambda *x: jaxgemm.scaled_matmul(*x, block=128))(*map(put, (a, b, of_a, of_b)))
  assert_close(given, np.einsum(
      "bmk,bnk->bmn", dequantized(a, of_a, 128), dequantized(b, of_b, 128)), rows=1)


@pytest.mark.parametrize("ragged", ["m", "k"])
def test_groups_on_automatic_mesh(rng, ragged):
  mesh = jax.make_mesh((2,), ("x",), devices=jax.devices()[:2], axis_types=(AxisType.Auto,))
  lead = (3,) if ragged == "m" else ()
  a, b = array(rng, 40, 256), array(rng, *lead, 64, 256)
  of_a, of_b, sizes = scales(rng, 40, 2), scales(rng, *lead, 64, 2), jnp.array([10, 20, 5])
  f = jax.jit(functools.partial(jaxgemm.scaled_ragged_dot, ragged=ragged))
  wanted = f(a, b, sizes, of_a, of_b)
  cut = NamedSharding(mesh, P(*(None,) * len(lead), "x"))
  given = f(a, jax.device_put(b, cut), sizes, of_a, jax.device_put(of_b, cut))
  assert given.sharding.spec[-1] == "x"
  assert_close(given, np.asarray(wanted, np.float64))


# The pairs of shardings in JAX's own tests of scaled_matmul, which need a Blackwell GPU
# (tests/scaled_matmul_stablehlo_test.py), and the collectives that ours have.
SHARDINGS = [
    (("dp", None, "tp"), ("dp", None, "tp"), ["all-reduce"]),
    (("dp", None, "tp"), ("dp", None, None), ["all-gather"]),
    (("dp", None, "tp"), ("dp", "tp", None), ["all-gather"]),
    (("dp", None, None), ("dp", "tp", None), []),
    (("dp", "tp", None), ("dp", "tp", None), ["all-gather"]),
    ((None, "dp", "tp"), (None, "dp", "tp"), ["all-reduce", "all-gather"]),
    ((None, "tp", None), (None, "tp", None), ["all-gather"]),
    ((None, None, "tp"), (None, "tp", None), ["all-gather"]),
    ((None, ("dp", "tp"), None), (None, "dp", None), ["all-gather"])]


@pytest.mark.parametrize("of_a, of_b, collectives", SHARDINGS)
@pytest.mark.parametrize("kind", ["mx", "block"])
def test_shardings_of_jaxs_tests(rng, of_a, of_b, collectives, kind):
  mesh = jax.make_mesh((2, 2), ("dp", "tp"), devices=jax.devices()[:4],
                       axis_types=(AxisType.Auto,) * 2)
  a, b = (jaxgemm.quantize(array(rng, 2, n, 512, dtype=jnp.float32), kind) for n in (64, 96))
  bias = scales(rng, 96)
  f = jax.jit(lambda *x: jaxgemm.scaled_matmul(*x[:4], jnp.float32, bias=x[4], activation="relu"))
  put = lambda x, spec: jax.device_put(x, NamedSharding(mesh, P(*spec)))
  args = put(a.values, of_a), put(b.values, of_b), put(a.scales, of_a), put(b.scales, of_b), bias
  text = f.lower(*args).compile().as_text()
  for each in "all-reduce", "all-gather":
    # On AMD GPUs operands with other blocks are dequantised first, and sharded as plain operands.
    assert VIRTUAL_ROCM or (each in text) == (each in collectives), each
  wanted = np.einsum("bmk,bnk->bmn", np.asarray(a.dequantize(), np.float64),
                     np.asarray(b.dequantize(), np.float64)) + np.asarray(bias)
  assert_close(f(*args), np.maximum(wanted, 0), rows=1)
