"""Builds with some kernels: a call is lowered for a kernel that this build has.

The plan of a call with transposed operands is made while jax traces. Its lowering reads the
operands before their transposes, which is another kernel.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi

ARCH = "gfx942"
EMULATED = f"emulated:{ARCH}"
_ALL = [name for arch, name in _ffi.NAMES["gpu_kernels"] if arch == ARCH]


@pytest.fixture
def build(monkeypatch):
  """build(ends): the process has only the kernels whose names end so."""
  def build(*ends):
    names = frozenset(name for name in _ALL if name.endswith(ends))
    monkeypatch.setattr(_ffi, "built_kernels", lambda target: names)
    _ffi.native_plan.cache_clear()
    jax.clear_caches()

  yield build
  monkeypatch.undo()
  _ffi.native_plan.cache_clear()
  jax.clear_caches()


def array(rng, *shape):
  """In bfloat16, whose kernels of all layouts are in every build."""
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(jnp.bfloat16)


def f64(x):
  return np.asarray(x.astype(jnp.float32), np.float64)


def of_weights(x, w, **options):
  return jaxgemm.matmul(x, w.T, implementation=EMULATED, **options)


def of_both(x, w):
  return jaxgemm.matmul(x.T, w.T, implementation=EMULATED)


def check(function, expected, *operands):
  for call in (function, jax.jit(function)):
    np.testing.assert_allclose(f64(call(*operands)), expected, rtol=2e-2, atol=0.2)


def kernels(function, *operands):
  return [call["kernel"] for call in jaxgemm.explain(function, *operands).data["calls"]]


@pytest.mark.parametrize("layout", ["rrr", "rcr"])
def test_a_transpose_is_folded_only_into_a_kernel_that_was_built(rng, build, layout):
  build("32x128x64_rrr", f"32x64x256_{layout}", "32x64x256_rrr")
  x, w = (array(rng, *shape) for shape in ((40, 96), (80, 96)))
  assert jaxgemm.supports(x, w.T, implementation=EMULATED) == (True, "")
  check(of_weights, f64(x) @ f64(w).T, x, w)
  kernel, = kernels(of_weights, x, w)  # what the lowering chooses, too
  assert kernel.endswith(layout)


def test_one_of_two_transposes_is_folded(rng, build):
  build("32x64x256_rrr", "32x64x256_crr")
  x, w = (array(rng, *shape) for shape in ((96, 40), (80, 96)))
  check(of_both, f64(x).T @ f64(w).T, x, w)
  kernel, = kernels(of_both, x, w)
  assert kernel.endswith("crr")


def test_a_transpose_stays_where_the_users_kernel_has_another_layout(rng):
  name = "gemm_bfloat16_bfloat16_32x64x256_rrr"
  x, w = (array(rng, *shape) for shape in ((40, 96), (80, 96)))
  config = jaxgemm.GemmConfig(kernel=name)

  def function(x, w):
    return of_weights(x, w, config=config)

  check(function, f64(x) @ f64(w).T, x, w)
  assert kernels(function, x, w) == [name]


def test_gradients_batches_and_groups(rng, build):
  build("16x32x512_rrr", "32x64x256_rrr", "32x64x256_crr", "32x128x64_rrr", "32x128x64_crr")
  x, w = (array(rng, *shape) for shape in ((40, 96), (80, 96)))
  batch = array(rng, 2, 80, 96)
  check(jax.vmap(of_weights, (None, 0)), np.einsum("mk,bnk->bmn", f64(x), f64(batch)), x, batch)

  def loss(x, w):
    return of_weights(x, w).astype(jnp.float32).sum()

  check(jax.grad(loss, 1), np.broadcast_to(f64(x).sum(0), w.shape), x, w)

  def grouped(x, batch):
    return jaxgemm.ragged_dot(x, batch.swapaxes(1, 2), jnp.array([15, 25], jnp.int32),
                              implementation=EMULATED)

  check(grouped, np.concatenate([f64(x)[:15] @ f64(batch)[0].T, f64(x)[15:] @ f64(batch)[1].T]),
        x, batch)


def test_a_shard_whose_kernel_was_not_built_is_an_error_while_lowering(build):
  """A device's part has another tile than the whole product, for which jax traces the call."""
  def function(x, w):
    return jaxgemm.matmul(x, w, implementation=EMULATED)

  mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
  w = jax.ShapeDtypeStruct((2048, 2048), jnp.bfloat16)
  (whole,), (part,) = (
      kernels(function, jax.ShapeDtypeStruct((m, 2048), jnp.bfloat16), w) for m in (2048, 256))
  assert whole != part
  build(whole)
  x = jax.ShapeDtypeStruct((2048, 2048), jnp.bfloat16, sharding=rows)
  with pytest.raises(Exception, match=f"this build has no code object of {part}"):
    jax.jit(function).lower(x, w).compile()
