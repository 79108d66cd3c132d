"""Scales of rows and columns in AMD kernels, run by the emulator."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm

F8 = {"gfx942": "float8_e4m3fnuz", "gfx950": "float8_e4m3fn"}


def array(rng, *shape, dtype):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def scales(rng, *shape):
  return jnp.asarray(rng.uniform(0.1, 2, shape), jnp.float32)


def f64(x):
  return np.asarray(x, np.float64)


def assert_close(given, wanted):
  assert np.abs(f64(given) - wanted).max() <= 1e-6 * np.abs(wanted).max()


@pytest.mark.parametrize("arch", F8)
@pytest.mark.parametrize("tile, layout", [("128x128x128", "rrr"), ("256x256x128", "rcr")])
def test_rows_and_columns(rng, arch, tile, layout):
  m, k, n = 150, 140, 70  # rows end inside a pass of 32
  a, b = array(rng, m, k, dtype=F8[arch]), array(rng, k, n, dtype=F8[arch])
  of_a, of_b, bias = scales(rng, m, 1), scales(rng, 1, n), scales(rng, n)
  wanted = f64(a) @ f64(b) * f64(of_a) * f64(of_b) + f64(bias)
  config = jaxgemm.GemmConfig(kernel=f"gemm_{F8[arch]}_{F8[arch]}_{tile}_{layout}")
  of_k = 0
  if layout[1] == "c":
    b, of_b, of_k = b.T, of_b.T, 1
  out = jaxgemm.dot_general(
      a, b, (((1,), (of_k,)), ((), ())), preferred_element_type=jnp.float32, scale_lhs=of_a,
      scale_rhs=of_b, bias=bias, config=config, implementation=f"emulated:{arch}")
  assert_close(out, wanted)


@pytest.mark.parametrize("arch", F8)
def test_one_scale_and_batches(rng, arch):
  a, b = array(rng, 2, 40, 96, dtype="bfloat16"), array(rng, 96, 30, dtype="bfloat16")
  of_a = scales(rng, 2, 40, 1)
  run = jax.jit(lambda of_a: jaxgemm.matmul(
      a, b, preferred_element_type=jnp.float32, scale_lhs=of_a, scale_rhs=0.5,
      implementation=f"emulated:{arch}"))
  product = f64(a) @ f64(b) * 0.5
  assert_close(run(of_a), product * f64(of_a))
  assert_close(run(of_a[:1]), product * f64(of_a[:1]))  # the batch shares it
  assert_close(run(of_a[:1, :1]), product * f64(of_a[:1, :1]))


@pytest.mark.parametrize("arch", F8)
@pytest.mark.parametrize("gated", [False, True])
def test_groups(rng, arch, gated):
  m, k, n = 90, 64, 40
  a = array(rng, m, k, dtype="bfloat16")
  b = array(rng, 3, k, *([2, n] if gated else [n]), dtype="bfloat16")
  # A scale of a row of no group is not read, or its product would be NaN.
  of_a = scales(rng, m, 1).at[80:].set(jnp.nan)
  of_b = scales(rng, 3, 1, *b.shape[2:])
  sizes = jnp.array([35, 0, 45], jnp.int32)
  function = jaxgemm.ragged_gated_linear_unit if gated else jaxgemm.ragged_dot
  out = function(a, b, sizes, preferred_element_type=jnp.float32, scale_lhs=of_a, scale_rhs=of_b,
                 activation=None, implementation=f"emulated:{arch}")
  group = np.repeat(np.arange(3), sizes)
  z = np.einsum("mk,mk...->m...", f64(a)[:80], f64(b * of_b.astype(jnp.float32))[group])
  z *= f64(of_a)[:80].reshape(80, *(1,) * (z.ndim - 1))
  assert_close(out[:80], z[:, 0] * z[:, 1] if gated else z)
  assert not np.any(out[80:])
