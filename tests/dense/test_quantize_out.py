"""quantize_out: products whose kernel quantises the result, against float64."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm.call.quantization import float8_dtypes
from tests.support.environment import FLOAT32_ERROR
from tests.support.quantized import assert_quantized

E4M3, E5M2 = float8_dtypes()
ERROR = max(1e-4, FLOAT32_ERROR)


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape), dtype)


def f64(x):
  return np.asarray(x, np.float64)


def silu(x):
  return x / (1 + np.exp(-x))


@pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=["e4m3", "e5m2"])
@pytest.mark.parametrize("kind", ["block", "mx"])
@pytest.mark.parametrize("m, n, k", [(37, 384, 70), (1, 128, 300), (300, 1024, 65)])
def test_with_epilogue(rng, kind, dtype, m, n, k):
  a, b, bias = array(rng, m, k), array(rng, k, n), array(rng, n)
  given = jax.jit(lambda *x: jaxgemm.matmul(
      *x[:2], bias=x[2], activation="silu", quantize_out=kind, preferred_element_type=dtype))(
          a, b, bias)
  assert_quantized(given, silu(f64(a) @ f64(b) + f64(bias)), kind, dtype, ERROR)


@pytest.mark.parametrize("kind", ["block", "mx"])
def test_is_what_quantize_gives(rng, kind):
  """Rows of very different magnitudes, zeros, infinities and NaN."""
  a = array(rng, 24, 48) * jnp.exp2(jnp.arange(24) * 8 - 100.)[:, None]
  a = a.at[3].set(0).at[5, 2].set(jnp.nan)
  b = array(rng, 48, 256).at[7, 40].set(jnp.inf)
  given = jaxgemm.matmul(a, b, quantize_out=kind, implementation="jaxgemm")
  wanted = jaxgemm.quantize(jaxgemm.matmul(a, b, implementation="jaxgemm"), kind)
  for x, y in zip(given, wanted):
    assert x.dtype == y.dtype
    np.testing.assert_array_equal(np.asarray(x).astype(np.float32),
                                  np.asarray(y).astype(np.float32))


@pytest.mark.parametrize("numbers, lhs, rhs, letters", [
    ((((2,), (1,)), ((0,), (0,))), (3, 20, 40), (3, 40, 128), "bmk,bkn->bmn"),
    ((((1,), (1,)), ((), ())), (20, 40), (256, 40), "mk,nk->mn"),
    ((((2,), (0,)), ((), ())), (3, 20, 40), (40, 5, 128), "bsk,khd->bshd"),
    ((((0,), (0,)), ((), ())), (40, 128), (40, 2, 128), "km,khd->mhd"),
])
def test_dot_general(rng, numbers, lhs, rhs, letters):
  a, b = array(rng, *lhs), array(rng, *rhs)
  given = jaxgemm.dot_general(a, b, numbers, quantize_out="block")
  assert_quantized(given, np.einsum(letters, f64(a), f64(b)), "block", E4M3, ERROR)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (1, 0), (2, 2)])
def test_vmap(rng, axes):
  a, b = array(rng, 20, 40), array(rng, 40, 128)
  a, b = (x if axis is None else jnp.stack([x, 3 * x, -x], axis) for x, axis in zip((a, b), axes))
  given = jax.vmap(lambda a, b: jaxgemm.matmul(a, b, quantize_out="mx"), axes)(a, b)
  assert_quantized(given, f64(jax.vmap(jnp.matmul, axes)(a, b)), "mx", E4M3, 2 * ERROR)


def test_derivatives_are_refused(rng):
  a, b = array(rng, 20, 40), array(rng, 40, 128)
  for implementation in (None, "xla"):
    product = lambda a, b: jaxgemm.matmul(a, b, quantize_out="mx", implementation=implementation)
    for i, x in enumerate((a, b)):
      with pytest.raises(NotImplementedError, match="quantize_out was differentiated"):
        jax.jvp(lambda x: product(*(x if i == j else y for j, y in enumerate((a, b)))), (x,), (x,))


def test_wrong_arguments(rng):
  a, b = array(rng, 20, 40), array(rng, 40, 96)
  with pytest.raises(ValueError, match="whole blocks of 128 is allowed. Pad the columns"):
    jaxgemm.matmul(a, b, quantize_out="block")
  with pytest.raises(ValueError, match="'block', 'mx'"):
    jaxgemm.matmul(a, b, quantize_out="row")
  with pytest.raises(ValueError, match="preferred_element_type=float32.*quantize_out='mx'"):
    jaxgemm.matmul(a, b, quantize_out="mx", preferred_element_type=jnp.float32)


def test_a_tile_without_whole_blocks(rng):
  a, b = array(rng, 20, 40), array(rng, 40, 96)
  options = dict(quantize_out="mx", config=jaxgemm.GemmConfig(tile_n=48))
  for function in jaxgemm.matmul, jaxgemm.explain:
    with pytest.raises(ValueError, match="config=, but tile_n=48; .*whole blocks"):
      function(a, b, **options)
  config = jaxgemm.GemmConfig(tile_n=32)
  given = jaxgemm.matmul(a, b, quantize_out="mx", config=config)
  assert_quantized(given, f64(a) @ f64(b), "mx", E4M3, ERROR)


@pytest.mark.parametrize("of_a, of_b, of_out", [
    (P("x"), P(), P("x")), (P(), P(None, "y"), P(None, "y")), (P("x"), P(None, "y"), P("x", "y")),
    (P(None, "x"), P("x"), P())])
def test_automatic_mesh(rng, of_a, of_b, of_out):
  """Each device quantises its columns, and sums over k come before that."""
  mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
  place = lambda x, spec: jax.device_put(x, NamedSharding(mesh, spec))
  a, b = place(array(rng, 64, 96), of_a), place(array(rng, 96, 512), of_b)
  given = jax.jit(lambda a, b: jaxgemm.matmul(a, b, quantize_out="block"))(a, b)
  assert_quantized(given, f64(a) @ f64(b), "block", E4M3, ERROR)
  assert given.values.sharding.is_equivalent_to(NamedSharding(mesh, of_out), 2)


def test_columns_of_a_device_that_are_no_whole_blocks(rng):
  mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
  a = array(rng, 64, 96)
  b = jax.device_put(array(rng, 96, 512), NamedSharding(mesh, P(None, "x")))
  given = jax.jit(lambda a, b: jaxgemm.matmul(a, b, quantize_out="block"))(a, b)
  assert_quantized(given, f64(a) @ f64(b), "block", E4M3, ERROR)


def test_explicit_mesh_and_the_reason(rng):
  mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))
  a, b = (jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in (
      (array(rng, 64, 96), P("x")), (array(rng, 96, 512), P())))
  given = jax.jit(lambda a, b: jaxgemm.matmul(a, b, quantize_out="block"))(a, b)
  assert_quantized(given, f64(a) @ f64(b), "block", E4M3, ERROR)
  said = str(jaxgemm.explain(a, b, quantize_out="block"))
  assert "XLA quantises the float32 result" in said and "explicit axes" in said
  inside = jax.jit(jax.shard_map(
      lambda a, b: jaxgemm.matmul(a, b, quantize_out="block"), mesh=mesh,
      in_specs=(P("x"), P()), out_specs=P("x")))
  assert_quantized(inside(a, b), f64(a) @ f64(b), "block", E4M3, ERROR)
  assert 'quantize_out = "block"' in inside.lower(a, b).as_text()


def test_explain_of_other_reasons():
  a, b = (jax.ShapeDtypeStruct(x, jnp.bfloat16) for x in ((256, 256), (256, 256)))
  target = dict(implementation="emulated:gfx942", quantize_out="mx")
  said = str(jaxgemm.explain(a, b, preferred_element_type=jnp.float8_e4m3fn, **target))
  assert "out is float8_e4m3fn" in said and "float8_e4m3fnuz" in said
  assert "XLA quantises" not in str(jaxgemm.explain(a, b, **target))


def test_no_rows_and_no_columns(rng):
  given = jaxgemm.matmul(array(rng, 0, 64), array(rng, 64, 128), quantize_out="mx")
  assert given.values.shape == (0, 128) and given.scales.shape == (0, 4)
  with pytest.raises(ValueError, match=r"the result has shape \(\)"):
    jaxgemm.matmul(array(rng, 64), array(rng, 64), quantize_out="mx")


def test_what_the_caller_fixed_is_no_hint(rng):
  a, b = array(rng, 20, 64), array(rng, 64, 256)
  config = jaxgemm.GemmConfig(tile_n=32)
  for product, operands in ((jaxgemm.matmul, (a, b)),
                            (jaxgemm.ragged_dot, (a, b[None], jnp.asarray([20], jnp.int32)))):
    with pytest.raises(ValueError, match="quantize_out='block' was given with implementation="):
      product(*operands, quantize_out="block", config=config, implementation="jaxgemm")


def test_explain_of_operands_with_scales(rng):
  a, b = (jaxgemm.quantize(array(rng, 128, 256), "mx", axis=1) for _ in range(2))
  said = jaxgemm.explain(a.values[None], b.values[None], lhs_scales=a.scales[None],
                         rhs_scales=b.scales[None], quantize_out="mx")
  assert "kernel" in str(said)
