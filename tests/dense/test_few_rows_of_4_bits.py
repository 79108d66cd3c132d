"""The calls that the kernel for few rows and weights of 4 bits takes.

The kernels are for Hopper and AMD GPUs. Here XLA computes their call, so that the tests are of all
that is around it; tests/sm90 and tests/amdgpu have those of their numbers.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import quantize
from jaxgemm.call import few_rows
from jaxgemm.call.options import Options
from jaxgemm.flax import ClampedSwiGLU, Mlp, MoEParams, moe

KINDS = ["mxfp4", "int4"]
WHY_NOT = few_rows.why_not


@pytest.fixture(autouse=True)
def _everywhere(monkeypatch):
  monkeypatch.setattr(few_rows, "why_not", lambda operands, _: few_rows.limits(operands, "rocm"))


def array(rng, *shape, dtype=jnp.bfloat16):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def f64(x):
  return np.asarray(x).astype(np.float64)


def assert_near(given, wanted):
  """Compares arrays that were rounded to bfloat16 at several places."""
  error = np.linalg.norm(f64(given) - f64(wanted))
  assert error <= 0.02 * np.linalg.norm(f64(wanted)) and np.any(given)


def calls_of(function, *args) -> int:
  return str(jax.make_jaxpr(function)(*args)).count("jaxgemm_few_rows")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(64,), (5, 64), (2, 3, 64)])
def test_dense(rng, kind, shape):
  x, w, bias = array(rng, *shape), quantize(array(rng, 64, 96), kind, axis=0), array(rng, 96)
  wide = w.dequantize(jnp.bfloat16)
  assert calls_of(jaxgemm.matmul, x, w) == 1
  given = jaxgemm.matmul(x, w)
  assert given.dtype == jnp.bfloat16
  np.testing.assert_allclose(f64(given), f64(x) @ f64(wide), rtol=2**-7, atol=0.02)
  function = lambda x, w: jaxgemm.matmul(x, w, bias=bias, scale=2.0, activation="silu")
  assert calls_of(function, x, w) == 1
  np.testing.assert_allclose(
      f64(function(x, w)), f64(jax.nn.silu(2 * (f64(x) @ f64(wide)) + f64(bias))), rtol=2**-6,
      atol=0.05)


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_of_each_platform(rng, platform, grouped):
  weights = quantize(array(rng, 3 if grouped else 1, 64, 32), "int4", axis=1)
  most = few_rows.MOST_ROWS[platform][grouped] * (3 if grouped else 1)
  for rows in most, most + 1:
    operands = few_rows.Operands(
        jax.ShapeDtypeStruct((rows, 64), jnp.bfloat16), weights,
        jnp.array([rows, 0, 0]) if grouped else None)
    reason = few_rows.limits(operands, platform)
    assert reason == ("" if rows == most else
                      f"there are {rows} rows, and the kernel for few rows takes {most} here")


@pytest.mark.parametrize("x, w, kind", [
    ((65, 64), (64, 96), "int4"), ((4, 64), (64, 48), "int4"), ((4, 48), (48, 64), "mxfp4")])
def test_others_are_dequantised(rng, x, w, kind):
  block = 16 if w[0] == 48 else 32
  x, w = array(rng, *x), quantize(array(rng, *w), kind, axis=0, block=block)
  assert calls_of(jaxgemm.matmul, x, w) == 0
  np.testing.assert_allclose(
      f64(jaxgemm.matmul(x, w)), f64(x) @ f64(w.dequantize(jnp.bfloat16)), rtol=2**-7, atol=0.02)
  assert calls_of(jaxgemm.matmul, x.astype(jnp.float32), w) == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offset, gated", [(None, False), (None, True), (1, False), (2, True)])
def test_grouped(rng, kind, offset, gated):
  groups = 3 if offset is None else 2
  sizes = jnp.array([4, 0, 7] if offset is None else [2, 4, 3, 1], jnp.int32)
  shape = (groups, 64, 2, 32) if gated else (groups, 64, 32)
  w, x = quantize(array(rng, *shape), kind, axis=1), array(rng, 6, 64)
  indices = jnp.asarray(rng.integers(-1, 7, 13), jnp.int32)
  bias = array(rng, groups, *shape[2:])
  function = jaxgemm.ragged_gated_linear_unit if gated else jaxgemm.ragged_dot
  options = {} if offset is None else {"group_offset": jnp.array([offset], jnp.int32)}

  def call(x, w):
    return function(x, w, sizes, bias=bias, activation="silu", lhs_indices=indices, **options)

  assert calls_of(call, x, w) == 1 and calls_of(call, x, w.dequantize(jnp.bfloat16)) == 0
  given, wanted = call(x, w), call(x, w.dequantize(jnp.bfloat16))
  np.testing.assert_allclose(f64(given), f64(wanted), rtol=2**-6, atol=0.02)
  of = lambda w: lambda x: call(x, w).astype(jnp.float32).sum()
  assert_near(jax.grad(of(w))(x), jax.grad(of(w.dequantize(jnp.bfloat16)))(x))


def test_vmap_and_scan(rng):
  x, w = array(rng, 3, 5, 64), quantize(array(rng, 3, 64, 64), "int4", axis=1)
  given = jax.vmap(jaxgemm.matmul)(x, w)
  wanted = jnp.matmul(f64(x), f64(w.dequantize(jnp.bfloat16)))
  np.testing.assert_allclose(f64(given), f64(wanted), rtol=2**-7, atol=0.05)
  step = lambda x, w: (jaxgemm.matmul(x, w), None)
  assert calls_of(lambda x, w: jax.lax.scan(step, x, w), x[0], w) == 1
  out, _ = jax.lax.scan(step, x[0], w)
  assert np.isfinite(f64(out)).all()


@pytest.mark.parametrize("options", [
    dict(), dict(gated=False), dict(activation=ClampedSwiGLU(), bias=True)])
def test_layers(rng, options):
  shapes = {"down": (4, 96, 64)} | (
      {"gate_up": (4, 64, 2, 96)} if options.get("gated", True) else {"up": (4, 64, 96)})
  kernels = {name: quantize(array(rng, *shape) / 8, "mxfp4", axis=1)
             for name, shape in shapes.items()}
  biases = {f"{name}_bias": array(rng, 4, *shape[2:]) for name, shape in shapes.items()
            if "bias" in options}
  x, router = array(rng, 10, 64), array(rng, 64, 4)

  def run(kernels, x):
    params = MoEParams(router, Mlp(**kernels, **biases))
    return moe(x, params, top_k=2, activation=options.get("activation", "silu"))[0]

  assert calls_of(run, kernels, x) == 2
  wide = {name: kernel.dequantize(jnp.bfloat16) for name, kernel in kernels.items()}
  assert run(kernels, x).dtype == jnp.bfloat16
  assert_near(run(kernels, x), run(wide, x))
  of = lambda kernels: jax.grad(lambda x: run(kernels, x).astype(jnp.float32).sum())(x)
  assert_near(of(kernels), of(wide))


def test_the_call_for_hopper(rng):
  x, w = array(rng, 4, 64), quantize(array(rng, 64, 96), "mxfp4", axis=0)
  text = jax.jit(jaxgemm.matmul).trace(x, w).lower(lowering_platforms=("cuda",)).as_text()
  assert "@jaxgemm_few_rows" in text and "dot_general" not in text


@pytest.mark.parametrize("rows, n, dtype, why", [
    (65, 96, "bfloat16", "there are 65 rows, and the kernel for few rows takes 64"),
    (4, 48, "bfloat16", "n 48"), (4, 96, "float32", "the other operand has float32")])
def test_explain_says_why_not(rng, rows, n, dtype, why):
  x, w = array(rng, rows, 64, dtype=dtype), quantize(array(rng, 64, n), "int4", axis=0)
  assert why in str(jaxgemm.explain(x, w))
  experts = jax.tree.map(lambda y: jnp.stack([y, y]), w)
  sizes, why = jnp.array([rows, 0], jnp.int32), why.replace("64", "128")
  text = str(jaxgemm.explain(x, experts, group_sizes=sizes))
  assert (why in text) == (rows == 4)


def test_without_jit(rng):
  x, w = array(rng, 4, 64), quantize(array(rng, 64, 96), "int4", axis=0)
  with jax.disable_jit():
    assert_near(jaxgemm.matmul(x, w), f64(x) @ f64(w.dequantize(jnp.bfloat16)))


def test_vmap_of_groups(rng):
  x, w = array(rng, 3, 10, 64), quantize(array(rng, 4, 64, 96), "mxfp4", axis=1)
  sizes = jnp.asarray([[1, 0, 4, 3], [0, 0, 0, 10], [2, 2, 2, 2]], jnp.int32)
  function = lambda x, sizes: jaxgemm.ragged_dot(x, w, sizes)
  assert calls_of(jax.vmap(function), x, sizes) == 1
  given = jax.vmap(function)(x, sizes)
  for one, *operands in zip(given, x, sizes):
    np.testing.assert_array_equal(f64(one), f64(function(*operands)))


def test_negative_sizes_are_none(rng):
  x, w = array(rng, 7, 64), quantize(array(rng, 3, 64, 96), "int4", axis=1)
  of = lambda *sizes: f64(jaxgemm.ragged_dot(x, w, jnp.asarray(sizes, jnp.int32)))
  np.testing.assert_array_equal(of(2, -3, 2), of(2, 0, 2))


@pytest.mark.parametrize("given, why", [
    (dict(deterministic="rows"), "divides k by their number"),
    (dict(schedule="stream_k"), "has not"),
    (dict(config=jaxgemm.GemmConfig(tile_m=64)), "has not")])
def test_options_that_the_kernel_has_not(monkeypatch, rng, given, why):
  monkeypatch.setattr(few_rows, "why_not", WHY_NOT)
  monkeypatch.setattr(few_rows._ffi, "default_platform", lambda: "cuda")
  monkeypatch.setattr(few_rows._ffi, "is_built", lambda *_: True)
  arguments = dict.fromkeys(("schedule", "config", "deterministic", "precision")) | dict(
      deterministic=False) | given
  operands = few_rows.Operands(array(rng, 4, 64), quantize(array(rng, 1, 64, 96), "int4", axis=1))
  assert why in few_rows.why_not(operands, Options.of(arguments))
