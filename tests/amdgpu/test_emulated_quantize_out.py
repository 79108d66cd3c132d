"""AMD kernels that quantise their results, executed in emulation, against float64."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.call.quantization import float8_dtypes
from jaxgemm.grouped.call import compute
from tests.support.quantized import assert_quantized

TARGETS = ["gfx942", "gfx950"]
LAST = (((1,), (1,)), ((), ()))


def array(rng, *shape, dtype=jnp.bfloat16):
  return jnp.asarray(rng.standard_normal(shape), dtype)


def f64(x):
  return np.asarray(x, np.float64)


def silu(x):
  return x / (1 + np.exp(-x))


def is_quantized_by_kernel(*operands, **options):
  return (jaxgemm.supports(*operands, **options)[0]
          and "XLA quantises" not in str(jaxgemm.explain(*operands, **options)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind, of", [("block", 0), ("mx", 0), ("mx", 1)])
@pytest.mark.parametrize("tile_m, tile_n", [(256, 256), (128, 128), (32, 128)])
def test_dense(rng, target, kind, of, tile_m, tile_n):
  """Blocks of 128 columns lie in two waves; on gfx942 32 rows have waves of 32 columns."""
  implementation = f"emulated:{target}"
  dtype = float8_dtypes(implementation)[of]
  a, b, bias = array(rng, 150, 128), array(rng, 128, 384), array(rng, 384)
  options = dict(quantize_out=kind, preferred_element_type=dtype, implementation=implementation,
                 bias=bias, activation="silu",
                 config=jaxgemm.GemmConfig(tile_m=tile_m, tile_n=tile_n))
  given = jaxgemm.matmul(a, b, **options)
  assert is_quantized_by_kernel(a, b, **options)
  assert_quantized(given, silu(f64(a) @ f64(b) + f64(bias)), kind, dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind, of", [("block", 0), ("block", 1), ("mx", 0), ("mx", 1)])
@pytest.mark.parametrize("tile_m, tile_n", [(256, 256), (64, 128), (32, 128)])
@pytest.mark.parametrize("path, shares", [("one_tile", 0), ("one_tile", 3), ("tiles", 0)])
def test_without_an_epilogue(rng, target, kind, of, tile_m, tile_n, path, shares):
  """Kernels have code for such products: with workgroups for each tile, and in a loop."""
  implementation = f"emulated:{target}"
  dtype = float8_dtypes(implementation)[of]
  a, b = array(rng, 261, 192), array(rng, 192, 384)
  # Some rows have infinities and NaN. Blocks of MX formats have elements beyond the largest value.
  a = a.at[7, 3].set(jnp.inf).at[130, 0].set(jnp.nan).at[40].multiply(1e-6)
  options = {"num_workgroups": 1} if path == "tiles" else {}
  if shares:
    options["num_shares"] = shares * math.ceil(261 / tile_m) * math.ceil(384 / tile_n)
  config = jaxgemm.GemmConfig(tile_m=tile_m, tile_n=tile_n, **options)
  call = jax.jit(lambda a, b: jaxgemm.matmul(
      a, b, quantize_out=kind, preferred_element_type=dtype, config=config,
      implementation=implementation))
  assert f'path = "{path}"' in call.lower(a, b).as_text()
  assert_quantized(call(a, b), f64(a) @ f64(b), kind, dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["block", "mx"])
@pytest.mark.parametrize("tile_m, tile_n, path", [
    (256, 256, "one_tile"), (128, 128, "one_tile"), (64, 128, "tiles")])
@pytest.mark.parametrize("given", ["bias", "scale_lhs", "all"])
def test_bias_and_scales(rng, target, kind, tile_m, tile_n, path, given):
  """Small tiles are left to the general code."""
  implementation = f"emulated:{target}"
  dtype = float8_dtypes(implementation)[0]
  a, b = array(rng, 261, 128), array(rng, 128, 384)
  vectors = {"bias": array(rng, 384, dtype=jnp.float32),
             "scale_lhs": 1 + jnp.abs(array(rng, 261, 1, dtype=jnp.float32)),
             "scale_rhs": 1 + jnp.abs(array(rng, 384, dtype=jnp.float32))}
  if given != "all":
    vectors = {given: vectors[given]}
  config = jaxgemm.GemmConfig(tile_m=tile_m, tile_n=tile_n)
  call = jax.jit(lambda a, b: jaxgemm.matmul(
      a, b, quantize_out=kind, config=config, implementation=implementation, **vectors))
  assert f'path = "{path}"' in call.lower(a, b).as_text()
  exact = (f64(a) @ f64(b) * f64(vectors.get("scale_lhs", 1)) * f64(vectors.get("scale_rhs", 1))
           + f64(vectors.get("bias", 0)))
  assert_quantized(call(a, b), exact, kind, dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["block", "mx"])
def test_zeros_infinities_and_nan(rng, target, kind):
  """What the kernel stores has the bits that jaxgemm.quantize gives."""
  implementation = f"emulated:{target}"
  dtype = float8_dtypes(implementation)[0]
  a = array(rng, 40, 64).at[3].set(0).at[5, 2].set(jnp.nan)
  b = array(rng, 64, 256).at[7, 40].set(jnp.inf)
  given = jaxgemm.matmul(a, b, quantize_out=kind, implementation=implementation)
  out = jaxgemm.matmul(a, b, preferred_element_type=jnp.float32, implementation=implementation)
  for x, y in zip(given, jaxgemm.quantize(out, kind, dtype=dtype)):
    assert x.dtype == y.dtype
    np.testing.assert_array_equal(np.asarray(x).astype(np.float32),
                                  np.asarray(y).astype(np.float32))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["block", "mx"])
@pytest.mark.parametrize("saves", [False, True])
def test_gate(rng, target, kind, saves):
  """Rows of no group are NaN; the value before the gate is bfloat16."""
  implementation = f"emulated:{target}"
  sizes = np.array([0, 65, 1, 30], np.int32)
  x, w = array(rng, 120, 64).at[96:].set(jnp.nan), array(rng, 4, 64, 2, 256)
  arguments = dict(lhs=x, rhs=w, group_sizes=sizes, group_offset=None, activation="silu",
                   quantize_out=kind, implementation=implementation)
  given = compute(arguments, gated=True, saves=saves)
  z = np.zeros((120, 2, 256))
  for i, g in enumerate(np.repeat(np.arange(4), sizes)):
    z[i] = np.tensordot(f64(x)[i], f64(w)[g], 1)
  if saves:
    given, preact = given
    np.testing.assert_allclose(f64(preact), z, rtol=2 ** -8, atol=1e-3)
  dtype = float8_dtypes(implementation)[0]
  assert_quantized(given, silu(z[:, 0]) * z[:, 1], kind, dtype, 3e-4)
  assert (np.asarray(given.scales, np.float32)[96:] == 1).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("schedule", ["stream_k", "work_stealing"])
def test_float8_operands_and_schedules(rng, target, schedule):
  implementation = f"emulated:{target}"
  dtype = float8_dtypes(implementation)[0]
  a, b = array(rng, 200, 1024, dtype=dtype), array(rng, 256, 1024, dtype=dtype)
  scale_lhs = jnp.abs(array(rng, 200, 1, dtype=jnp.float32))
  options = dict(quantize_out="block", scale_lhs=scale_lhs, schedule=schedule,
                 implementation=implementation)
  given = jaxgemm.dot_general(a, b, LAST, **options)
  assert_quantized(given, f64(a) @ f64(b).T * f64(scale_lhs), "block", dtype)


@pytest.mark.parametrize("target, kind", [("gfx942", "block"), ("gfx950", "block"),
                                          ("gfx950", "mx")])
def test_operands_with_scales_of_blocks(rng, target, kind):
  implementation = f"emulated:{target}"
  dtype = float8_dtypes(implementation)[0]
  x, w = array(rng, 1, 150, 256, dtype=jnp.float32), array(rng, 1, 256, 256, dtype=jnp.float32)
  left = jaxgemm.quantize(x, kind, dtype=dtype)
  right = (jaxgemm.quantize(w, kind, dtype=dtype) if kind == "mx" else
           jaxgemm.quantize(w, kind, axis=(1, 2), dtype=dtype))
  given = jax.jit(lambda *x: jaxgemm.scaled_matmul(
      *x, activation="relu", quantize_out=kind, implementation=implementation))(
          left.values, right.values, left.scales, right.scales)
  exact = np.maximum(np.einsum("bmk,bnk->bmn", f64(left.dequantize()), f64(right.dequantize())), 0)
  assert_quantized(given, exact, kind, dtype)


def test_gfx90a_has_no_float8():
  a, b = (jax.ShapeDtypeStruct((256, 256), jnp.bfloat16),) * 2
  said = str(jaxgemm.explain(a, b, quantize_out="mx", implementation="emulated:gfx90a"))
  assert "XLA quantises the float32 result" in said and "no type" in said
