"""Dense products under grad, jvp, vmap and jax's other transforms, and their compiled programs."""

import re

import jax
import jax.numpy as jnp
from jax.test_util import check_grads
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi
from jaxgemm.call.config import ACTIVATIONS
from tests.support.compiled import count_calls

CHECKS = [jax.export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")]
RELAYOUTS = {"copy", "transpose", "concatenate", "pad"}


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape), dtype)


def instructions(function, *args):
  """(opcode, shape of the result) of each instruction of the compiled program."""
  text = jax.jit(function).lower(*args).compile().as_text()
  found = re.findall(r"= \(?\w+\[([\d,]*)\][^ ]*.*? ([a-z][\w-]*)\(", text)
  return [(op, tuple(int(d) for d in dims.split(",") if d)) for dims, op in found]


def assert_no_relayout(function, *args):
  assert not RELAYOUTS & {op for op, _ in instructions(function, *args)}


def reference(a, b, bias, scale, activation):
  z = scale * (a @ b) + bias
  return z if activation is None else getattr(jax.nn, activation)(z)


@pytest.mark.parametrize("activation", [None, *ACTIVATIONS])
def test_gradients_against_float64(rng, activation):
  args = [array(rng, 9, 17), array(rng, 17, 8), array(rng, 8), array(rng, 8)]
  args[3] = args[3].at[0].set(0.0)  # with scale 0 the saved value does not show acc
  cotangent = array(rng, 9, 8)

  def ours(a, b, bias, scale):
    out = jaxgemm.matmul(a, b, bias=bias, scale=scale, activation=activation)
    return (out * cotangent).sum()

  def theirs(a, b, bias, scale):
    return (reference(a, b, bias, scale, activation) * cotangent).sum()

  given = jax.grad(ours, (0, 1, 2, 3))(*args)
  with jax.enable_x64(True):
    wide = [jnp.asarray(np.asarray(x), jnp.float64) for x in args]
    cotangent = jnp.asarray(np.asarray(cotangent), jnp.float64)
    wanted = jax.grad(theirs, (0, 1, 2, 3))(*wide)
  for x, y in zip(given, wanted):
    np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5 * np.abs(y).max())


@pytest.mark.whole(unless=lambda activation: activation != "silu")
@pytest.mark.parametrize("activation, a_shape, b_shape", [
    (None, (5, 7), (7, 6)),
    ("gelu", (2, 5, 7), (2, 7, 6)),
    ("silu", (5, 7), (7, 6)),
    pytest.param(None, (2, 5, 7), (2, 7, 6), marks=pytest.mark.whole),
    pytest.param("gelu", (5, 7), (7, 6), marks=pytest.mark.whole),
    pytest.param("silu", (2, 5, 7), (2, 7, 6), marks=pytest.mark.whole),
])
def test_second_order(rng, activation, a_shape, b_shape):
  args = array(rng, *a_shape), array(rng, *b_shape), array(rng, 6), array(rng, 6)

  def f(a, b, bias, scale):
    return jaxgemm.matmul(a, b, bias=bias, scale=scale, activation=activation)

  check_grads(f, args, order=2, modes=("fwd", "rev"), rtol=2e-2, atol=2e-2)


def test_gradient_dtypes_are_the_primals(rng):
  a, b = array(rng, 8, 16, dtype=jnp.bfloat16), array(rng, 16, 8)
  bias, scale = array(rng, 8, dtype=jnp.bfloat16), 2.0

  def f(a, b, bias, scale):
    return jaxgemm.matmul(a, b, bias=bias, scale=scale, activation="silu").sum()

  grads = jax.grad(f, (0, 1, 2, 3))(a, b, bias, scale)
  assert [g.dtype for g in grads] == [a.dtype, b.dtype, bias.dtype, jnp.float32]


def test_integers_have_no_gradient(rng):
  a = jnp.asarray(rng.integers(-9, 9, (4, 8)), jnp.int8)
  grad = jax.grad(lambda a, s: jaxgemm.matmul(
      a, a.T, scale=s, preferred_element_type=jnp.float32).sum(), (0, 1),
                  allow_int=True)
  d_a, d_scale = grad(a, jnp.float32(2))
  assert d_a.dtype == jax.dtypes.float0
  assert d_scale == (a.astype(jnp.float32) @ a.T.astype(jnp.float32)).sum()


def test_a_product_is_one_call_and_three_with_gradients(rng):
  a, b, bias = array(rng, 32, 32), array(rng, 32, 32), array(rng, 32)
  found = {op for op, _ in instructions(jaxgemm.matmul, a, b)}
  assert found <= {"parameter", "custom-call", "get-tuple-element"}

  def loss(a, b, bias):
    return jaxgemm.matmul(a, b, bias=bias, activation="gelu").sum()

  assert count_calls(loss, a, b, bias) == 1
  grad = jax.grad(loss, (0, 1, 2))
  assert count_calls(grad, a, b, bias) == 3
  assert_no_relayout(grad, a, b, bias)


@pytest.mark.parametrize("a_axis, b_axis, a_shape, b_shape", [
    (0, None, (4, 5, 7), (7, 6)),
    (None, 0, (5, 7), (4, 7, 6)),
    (0, 0, (4, 5, 7), (4, 7, 6)),
])
def test_vmap_copies_nothing(rng, a_axis, b_axis, a_shape, b_shape):
  a, b = array(rng, *a_shape), array(rng, *b_shape)
  ours = jax.vmap(jaxgemm.matmul, (a_axis, b_axis))
  np.testing.assert_allclose(ours(a, b), jnp.matmul(a, b), rtol=1e-5, atol=1e-5)
  found = [op for op, _ in instructions(ours, a, b)]
  assert found.count("custom-call") == 1
  assert not set(found) & {"fusion", "broadcast", *RELAYOUTS}

  def loss(a, b):
    return (ours(a, b) ** 2).sum()

  assert_no_relayout(jax.grad(loss, (0, 1)), a, b)
  for x, y in zip(jax.grad(loss, (0, 1))(a, b), jax.grad(
      lambda a, b: (jnp.matmul(a, b) ** 2).sum(), (0, 1))(a, b)):
    np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-4)


def test_vmap_of_a_middle_axis_folds(rng):
  a, b = array(rng, 5, 4, 7), array(rng, 7, 6)
  ours = jax.vmap(jaxgemm.matmul, (1, None), 1)
  np.testing.assert_allclose(ours(a, b), a @ b, rtol=1e-5, atol=1e-5)
  assert_no_relayout(ours, a, b)


@pytest.mark.parametrize("axes", [
    (0, None, 0, None), (None, None, 0, None), (0, 0, 0, 0), (None, 0, None, 0),
    (None, 0, 0, None),
])
def test_vmap_of_the_epilogue(rng, axes):
  shapes = (5, 7), (7, 6), (6,), (6,)
  args = [array(rng, *(() if axis is None else (3,)), *shape)
          for axis, shape in zip(axes, shapes)]

  def run(implementation):
    return jax.vmap(lambda a, b, bias, scale: jaxgemm.matmul(
        a, b, bias=bias, scale=scale, activation="silu",
        implementation=implementation), axes)

  def grads(implementation):
    return jax.grad(lambda *x: (run(implementation)(*x) ** 2).sum(), (0, 1, 2, 3))

  np.testing.assert_allclose(
      run(None)(*args), run("xla")(*args), rtol=1e-4, atol=1e-5)
  for x, y in zip(grads(None)(*args), grads("xla")(*args)):
    np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-3)


def test_nested_vmap(rng):
  a, b = array(rng, 3, 4, 5, 7), array(rng, 3, 4, 7, 6)
  both = jax.vmap(jax.vmap(jaxgemm.matmul))
  np.testing.assert_allclose(both(a, b), a @ b, rtol=1e-5, atol=1e-5)
  assert_no_relayout(both, a, b)
  shared = jax.vmap(jax.vmap(jaxgemm.matmul, (0, None)), (0, None))
  np.testing.assert_allclose(shared(a, b[0, 0]), a @ b[0, 0], rtol=1e-5, atol=1e-5)
  assert_no_relayout(shared, a, b[0, 0])
  partly = jax.vmap(jax.vmap(jaxgemm.matmul), (0, None))
  np.testing.assert_allclose(partly(a, b[0]), a @ b[0], rtol=1e-5, atol=1e-5)


def test_scan_remat_cond_donation(rng):
  x, layers = array(rng, 8, 8), array(rng, 3, 8, 8)

  def net(matmul, x, layers):
    @jax.checkpoint
    def layer(x, w):
      return jax.nn.silu(matmul(x, w)), None
    return jax.lax.scan(layer, x, layers)[0].sum()

  given = jax.grad(lambda *args: net(jaxgemm.matmul, *args), (0, 1))(x, layers)
  wanted = jax.grad(lambda *args: net(jnp.matmul, *args), (0, 1))(x, layers)
  for g, w in zip(given, wanted):
    np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5)

  @jax.jit
  def either(flag, x):
    return jax.lax.cond(flag, lambda x: jaxgemm.matmul(x, x), lambda x: x, x)

  np.testing.assert_allclose(either(True, x), x @ x, rtol=1e-5, atol=1e-5)
  np.testing.assert_array_equal(either(False, x), x)
  wanted = x + x @ layers[0]
  add = jax.jit(lambda x, w: x + jaxgemm.matmul(x, w), donate_argnums=0)
  donated = x + 0
  np.testing.assert_allclose(add(donated, layers[0]), wanted, rtol=1e-5, atol=1e-5)
  assert donated.is_deleted()


def test_export(rng):
  a, b = array(rng, 5, 7), array(rng, 7, 6)
  exported = jax.export.export(
      jax.jit(lambda a, b: jaxgemm.matmul(a, b, activation="relu")),
      platforms=("cpu", "rocm"), disabled_checks=CHECKS)(a, b)
  np.testing.assert_allclose(
      exported.call(a, b), jax.nn.relu(a @ b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("arch, dtype, error", [
    (None, "bfloat16", None),
    ("gfx950", "float8_e4m3fnuz", "gfx950 decodes OCP"),
    (None, "float8_e4m3fn", None),
    ("gfx950", "float8_e4m3fn", None),
    ("gfx1100", "bfloat16", "gfx942, gfx950"),
])
def test_lowering_for_rocm_without_a_gpu(rng, monkeypatch, arch, dtype, error):
  a = array(rng, 64, 64, dtype=dtype)
  monkeypatch.delenv("JAXGEMM_ROCM_ARCH", raising=False)
  if arch is not None:
    monkeypatch.setenv("JAXGEMM_ROCM_ARCH", arch)
  monkeypatch.setattr(_ffi, "_wanted_rocm_arch", lambda: arch)
  traced = jax.jit(lambda a, bias: jaxgemm.matmul(
      a, a, bias=bias, activation="gelu", preferred_element_type=jnp.bfloat16,
      config=GemmConfig(schedule="work_stealing", num_queues=8))).trace(a, a[0])
  if error is not None:
    with pytest.raises(ValueError, match=error):
      traced.lower(lowering_platforms=("rocm",))
    return
  text = traced.lower(lowering_platforms=("rocm",)).as_text()
  line, = (x for x in text.splitlines() if "@jaxgemm_gemm" in x)
  for attribute in ('activation = "gelu"', "bias = 1 : i64", "scale = 0 : i64",
                    'schedule = "work_stealing"', "lhs_contracting = 1 : i64",
                    "num_queues = 8 : i64", "tile_m = "):
    assert attribute in line
