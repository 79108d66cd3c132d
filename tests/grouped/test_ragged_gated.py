"""ragged_gated_linear_unit: values, gradients, transforms, programs and errors."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from tests.grouped.jax_versions import needs_ragged_out_sharding
from tests.grouped.ragged_fused import (
  BOTH,
  GROUPS,
  SIZES,
  TOLERANCE,
  K,
  M,
  N,
  calls,
  compiled,
  gated,
  instructions,
  operands,
  reference,
)
from tests.grouped.ragged_reference import ACTIVATIONS, array, assert_close, wide
from tests.support.environment import cpu_tile


@pytest.mark.parametrize("dtype, activation", [
    *(("float32", name) for name in ACTIVATIONS), ("bfloat16", "silu"),
    ("float16", "silu")])
def test_gated(rng, dtype, activation):
  lhs, rhs, bias, scale = operands(rng, dtype)
  given = gated(lhs, rhs, SIZES, bias=bias, scale=scale, activation=activation)
  assert given.dtype == dtype
  theirs = functools.partial(reference, activation=activation)
  assert_close(given, wide(theirs, lhs, rhs, bias, scale), TOLERANCE[dtype])
  np.testing.assert_array_equal(given[42:], 0)
  given = gated(lhs, rhs, SIZES, preferred_element_type=jnp.float32,
                activation=activation)
  assert given.dtype == jnp.float32
  assert_close(given, wide(theirs, lhs, rhs), 2e-5)


@pytest.mark.parametrize("implementation, dtype", BOTH)
def test_gated_gradients(rng, implementation, dtype):
  args = operands(rng, dtype)
  cotangent = array(rng, M, N)

  def gradients(f, *args):
    return jax.jit(jax.grad(lambda *x: (f(*x) * cotangent).sum(), (0, 1, 2, 3)))(*args)

  def ours(lhs, rhs, bias, scale):
    return gated(lhs, rhs, SIZES, bias=bias, scale=scale, activation="gelu",
                 implementation=implementation)

  given = gradients(ours, *args)
  assert [x.dtype for x in given] == [x.dtype for x in args]
  wanted = wide(functools.partial(
      gradients, functools.partial(reference, activation="gelu")), *args)
  assert_close(given, wanted, 2 * TOLERANCE[dtype])
  np.testing.assert_array_equal(given[1][1], 0)


@pytest.mark.parametrize("offset", [0, 1, 3])
@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
def test_gated_shards(rng, offset, implementation):
  lhs, rhs, bias, scale = (x[offset:offset + 2] if i else x
                           for i, x in enumerate(operands(rng)))
  given = gated(lhs, rhs, SIZES, group_offset=jnp.array([offset]), bias=bias,
                scale=scale, implementation=implementation)
  assert_close(given, wide(functools.partial(reference, offset=offset),
                           lhs, rhs, bias, scale))


@pytest.mark.parametrize("shape", [(), (1,), (2, N), (GROUPS, 1, 1)])
def test_gated_scale_and_bias_shapes(rng, shape):
  lhs, rhs, bias, _ = operands(rng)
  scale = array(rng, *shape)
  given = gated(lhs, rhs, SIZES, bias=bias[0], scale=scale)
  full = [jnp.broadcast_to(x, (GROUPS, 2, N)) for x in (bias[0], scale)]
  assert_close(given, wide(reference, lhs, rhs, *full))


def test_gated_without_groups_or_rows(rng):
  lhs, rhs = array(rng, 5, K), array(rng, 2, K, 2, N)
  np.testing.assert_array_equal(gated(lhs, rhs, jnp.zeros(2, jnp.int32)), 0)
  assert gated(lhs[:0], rhs, jnp.array([1, 2])).shape == (0, N)
  np.testing.assert_array_equal(gated(lhs[:, :0], rhs[:, :0], jnp.array([1, 2])), 0)


@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
def test_gated_schedules(rng, schedule):
  lhs, rhs = array(rng, M, 300), array(rng, GROUPS, 300, 2, 70)
  config = jaxgemm.GemmConfig(**cpu_tile(tile_m=16, tile_n=32, tile_k=32), num_workgroups=5)
  given = gated(lhs, rhs, SIZES, schedule=schedule, config=config)
  assert_close(given, wide(reference, lhs, rhs))


def test_gated_second_order(rng):
  args = operands(rng)
  directions = [array(rng, *x.shape) for x in args]

  def second(f, *args):
    """Second derivatives of a loss along directions: by grad twice, and by jvp of grad."""
    args, directions = args[:4], args[4:]
    gradient = jax.grad(lambda *x: jnp.square(f(*x)).sum(), (0, 1, 2, 3))
    along = lambda *x: sum(map(jnp.vdot, gradient(*x), directions))
    return (jax.grad(along, (0, 1, 2, 3))(*args),
            jax.jvp(gradient, args, directions)[1])

  def ours(lhs, rhs, bias, scale):
    return gated(lhs, rhs, SIZES, bias=bias, scale=scale)

  given = jax.jit(functools.partial(second, ours))(*args, *directions)
  assert_close(given, wide(functools.partial(second, reference), *args, *directions),
               1e-4)


@pytest.mark.parametrize("axes", [
    (0, 0, 0, None), (0, None, 0, None), (1, None, None, None), (0, None, None, 0),
    (None, None, None, 0)])
def test_gated_vmap(rng, axes):
  shapes = (20, 6), (3, 6, 2, 5), (3,), (3, 2, 5)
  batched = [shape if axis is None else (*shape[:axis], 2, *shape[axis:])
             for shape, axis in zip(shapes, axes)]
  lhs, rhs, bias = (array(rng, *batched[i]) for i in (0, 1, 3))
  sizes = jnp.asarray(rng.integers(0, 8, batched[2]), jnp.int32)

  def f(lhs, rhs, bias, sizes):
    return gated(lhs, rhs, sizes, bias=bias)

  def mapped(*args):
    order = axes[0], axes[1], axes[3], axes[2]
    return jax.vmap(f, order)(*args, sizes)

  def loop(*args):
    order = axes[0], axes[1], axes[3], axes[2]
    pick = lambda x, axis, i: x if axis is None else jnp.take(x, i, axis)
    return jnp.stack([f(*(pick(x, axis, i) for x, axis in
                          zip((*args, sizes), order))) for i in range(2)])

  args = lhs, rhs, bias
  assert_close(mapped(*args), loop(*args))
  assert_close(*(jax.jit(jax.grad(lambda *x, g=g: (g(*x) ** 2).sum(), (0, 1, 2)))(*args)
                 for g in (mapped, loop)))
  if axes[3] is None:
    assert calls(compiled(mapped, *args)) == 1


def test_gated_programs(rng):
  lhs, rhs = array(rng, 64, 32), array(rng, GROUPS, 32, 2, 48)
  bias, scale = array(rng, GROUPS, 2, 48), array(rng, GROUPS, 2, 48)

  def f(lhs, rhs, bias, scale, sizes):
    return gated(lhs, rhs, sizes, bias=bias, scale=scale)

  program = compiled(f, lhs, rhs, bias, scale, SIZES)
  assert {op for op, _ in instructions(program)} <= {
      "parameter", "custom-call", "get-tuple-element", "bitcast"}
  assert calls(program) == 1

  def gradients(lhs, rhs, ct, sizes):
    return jax.vjp(lambda *x: gated(*x, sizes), lhs, rhs)[1](ct)

  program = compiled(gradients, lhs, rhs, array(rng, 64, 48), SIZES)
  assert calls(program) == 3
  # Only the calls make arrays of the weights' size, so no product is outside of the calls.
  assert {op for op, size in instructions(program) if size == rhs.size} <= {
      "parameter", "custom-call", "get-tuple-element", "bitcast"}
  assert "dot" not in {op for op, _ in instructions(program)}


def test_lowering_for_rocm(rng):
  lhs, rhs = array(rng, 512, 128), array(rng, GROUPS, 128, 2, 256)
  sizes, buffer = jnp.full(GROUPS, 100, jnp.int32), jnp.zeros(rhs.shape)

  def loss(buffer):
    return gated(lhs, rhs, sizes, rhs_grad=buffer).sum()

  text = jax.jit(jax.grad(loss)).trace(buffer).lower(
      lowering_platforms=("rocm",)).as_text()
  assert text.count("@jaxgemm_gemm") == 2
  assert text.count("output_operand_alias<") == 1


def test_gated_explain(rng):
  lhs, rhs, bias, _ = operands(rng, jnp.bfloat16)
  kwargs = dict(group_sizes=SIZES, gated=True, bias=bias)
  explained = jaxgemm.explain(lhs, rhs, **kwargs)
  assert explained.data["ragged"] == "m" and explained.data["relayouts"] == ()
  assert explained.data["gradients"] == {"lhs": (), "rhs": ()}
  with_gradients = jaxgemm.explain(lhs, rhs, **kwargs, gradients=True)
  assert "the value before the activation is saved" in str(with_gradients)
  assert jaxgemm.supports(lhs, rhs, **kwargs) == (True, "")
  assert jaxgemm.workspace_size(lhs, rhs, **kwargs) == (
      explained.data["workspace_bytes"])
  supported, reason = jaxgemm.supports(
      lhs.astype(jnp.int8), rhs.astype(jnp.int8), group_sizes=SIZES, gated=True)
  assert not supported and "dtype int8; a float is allowed" in reason


@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
@needs_ragged_out_sharding
def test_gated_on_an_explicit_mesh(rng, implementation):
  lhs, rhs = array(rng, 48, K), array(rng, GROUPS, K, 2, 8)
  wanted = gated(lhs, rhs, SIZES)
  mesh = jax.make_mesh((2, 4), ("rows", "columns"), axis_types=(AxisType.Explicit,) * 2)
  with jax.set_mesh(mesh):
    lhs = jax.device_put(lhs, P("rows"))
    for spec in (P("rows", None), P(None, "columns")):
      given = gated(lhs, rhs, SIZES, out_sharding=spec, implementation=implementation)
      assert jax.typeof(given).sharding.spec == spec
      assert_close(jax.device_get(given), wanted)


def test_gated_errors(rng):
  lhs, rhs, bias, _ = operands(rng)
  with pytest.raises(TypeError, match=r"\(G, K, 2, N\) is allowed"):
    gated(lhs, rhs[:, :, 0], SIZES)
  with pytest.raises(ValueError, match="bias has shape"):
    gated(lhs, rhs, SIZES, bias=bias[:, 0])
  with pytest.raises(ValueError, match="int8; a float is allowed"):
    gated(lhs.astype(jnp.int8), rhs.astype(jnp.int8), SIZES)
  with pytest.raises(ValueError, match="activation='tanh' is unknown"):
    gated(lhs, rhs, SIZES, activation="tanh")
  with pytest.raises(ValueError, match="or None for no activation. Pass 'silu'"):
    gated(lhs, rhs, SIZES, activation="swish")
  with pytest.raises(TypeError):
    gated(lhs[:, :-1], rhs, SIZES)
  with pytest.raises(TypeError, match="group_sizes is a list"):
    gated(lhs, rhs, [7, 0, 30, 5])
