"""Grouped products that are added to a buffer: accumulate and rhs_grad."""

import functools
import itertools

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
from jax.test_util import check_grads
import numpy as np
import pytest

import jaxgemm
from tests.grouped.ragged_fused import (
  BOTH,
  GROUPS,
  RAGGED_K,
  SIZES,
  TOLERANCE,
  K,
  M,
  N,
  calls,
  compiled,
  gated,
  instructions,
  reference,
  sums,
)
from tests.grouped.ragged_reference import array, assert_close, wide
from tests.support.environment import cpu_tile

# ------------------------------------------------------------------------- accumulate


def accumulate(lhs, rhs, buffer, sizes=SIZES, **keywords):
  return jaxgemm.ragged_dot_general(lhs, rhs, sizes, RAGGED_K, accumulate=buffer,
                                    **keywords)


@pytest.mark.parametrize("implementation, dtype", BOTH)
def test_accumulate(rng, implementation, dtype):
  lhs, rhs = array(rng, M, K, dtype=dtype), array(rng, M, N, dtype=dtype)
  buffer = array(rng, GROUPS, K, N)
  given = accumulate(lhs, rhs, buffer, implementation=implementation)
  assert given.dtype == jnp.float32
  assert_close(given, wide(lambda *x: x[2] + sums(*x[:2]), lhs, rhs, buffer))
  np.testing.assert_array_equal(given[1], buffer[1])
  given = accumulate(lhs, rhs, buffer[:2], group_offset=jnp.array([2]),
                     num_local_groups=2, implementation=implementation,
                     preferred_element_type=jnp.float32)
  assert_close(given, wide(
      lambda *x: x[2] + sums(*x[:2], offset=2, local=2), lhs, rhs, buffer[:2]))


def test_accumulate_without_rows_or_groups(rng):
  lhs, rhs, buffer = array(rng, M, K), array(rng, M, N), array(rng, GROUPS, K, N)
  zero = jnp.zeros(GROUPS, jnp.int32)
  np.testing.assert_array_equal(accumulate(lhs, rhs, buffer, zero), buffer)
  np.testing.assert_array_equal(accumulate(lhs[:0], rhs[:0], buffer), buffer)
  assert accumulate(lhs, rhs, buffer[:0], zero[:0]).shape == (0, K, N)


@pytest.mark.parametrize("schedule, reduction", [
    ("work_stealing", None), ("stream_k", "linear"), ("stream_k", "tree"),
    ("stream_k", "atomic")])
def test_accumulate_schedules(rng, schedule, reduction):
  lhs, rhs = array(rng, M, 40), array(rng, M, 70)
  buffer = array(rng, GROUPS, 40, 70)
  config = jaxgemm.GemmConfig(**cpu_tile(tile_m=16, tile_n=32, tile_k=4), num_workgroups=5)
  given = accumulate(lhs, rhs, buffer, schedule=schedule, reduction=reduction,
                     config=config)
  assert_close(given, wide(lambda *x: x[2] + sums(*x[:2]), lhs, rhs, buffer))


# Dimension numbers, ragged dimension, shapes of lhs, rhs, sizes.
@pytest.mark.parametrize("dims, ragged, lhs, rhs, sizes", [
    ((((2,), (1,)), ((0,), (0,))), 2, (4, 11, 15), (4, 15, 7), (4, 3)),
    ((((0, 1), (0, 1)), ((), ())), 1, (2, 15, 11), (2, 15, 7), (2, 3)),
    ((((0, 1), (0, 1)), ((), ())), 0, (15, 2, 11), (15, 2, 7), (3,))])
def test_accumulate_general(rng, dims, ragged, lhs, rhs, sizes):
  lhs, rhs = array(rng, *lhs), array(rng, *rhs)
  sizes = jnp.asarray(rng.integers(0, 6, sizes), jnp.int32)
  numbers = lax.RaggedDotDimensionNumbers(dims, (ragged,), ())
  plain = jaxgemm.ragged_dot_general(lhs, rhs, sizes, numbers)
  buffer = array(rng, *plain.shape)
  given = jaxgemm.ragged_dot_general(lhs, rhs, sizes, numbers, accumulate=buffer)
  assert_close(given, buffer + plain)


def test_accumulate_gradients(rng):
  args = array(rng, M, 3), array(rng, M, 2), array(rng, GROUPS, 3, 2)
  check_grads(accumulate, args, order=2, modes=("rev",), rtol=3e-2, atol=3e-2)
  cotangent = array(rng, GROUPS, 3, 2)
  grads = jax.vjp(accumulate, *args)[1](cotangent)
  wanted = wide(lambda *x: jax.vjp(lambda l, r, b: b + sums(l, r), *x[:3])[1](x[3]),
                *args, cotangent)
  assert_close(grads, wanted)
  transposed = jax.linear_transpose(lambda x, b: accumulate(x, args[1], b),
                                    args[0], args[2])(cotangent)
  assert_close(transposed, (wanted[0], wanted[2]))


@pytest.mark.parametrize("axes", [
    axes for axes in itertools.product((0, None), repeat=4) if axes != (None,) * 4])
def test_accumulate_vmap(rng, axes):
  shapes = (20, 6), (20, 5), (GROUPS, 6, 5)
  args = [array(rng, *(3,) * (axis == 0), *shape) for shape, axis in zip(shapes, axes)]
  sizes = jnp.asarray(rng.integers(0, 8, (3, GROUPS)[1 - (axes[3] == 0):]), jnp.int32)
  given = jax.vmap(accumulate, axes)(*args, sizes)
  loop = jnp.stack([accumulate(*(x if axis is None else x[i] for x, axis in
                                 zip((*args, sizes), axes))) for i in range(3)])
  assert_close(given, loop)
  nested = jax.vmap(jax.vmap(accumulate, axes), (None, 0, 0, None))
  args[1], args[2] = (jnp.stack([x, 2 * x]) for x in args[1:])
  assert_close(nested(*args, sizes), jnp.stack([
      jax.vmap(accumulate, axes)(args[0], args[1][i], args[2][i], sizes)
      for i in range(2)]))


def assert_in_place(program, buffer, workspaces):
  """Asserts that only the calls write the buffer, and that it is not copied to a temporary."""
  memory = program.memory_analysis()
  assert memory.alias_size_in_bytes >= buffer.nbytes
  assert memory.temp_size_in_bytes < workspaces + buffer.nbytes
  assert {op for op, size in instructions(program) if size == buffer.size} <= {
      "parameter", "custom-call", "get-tuple-element", "bitcast"}


def test_accumulate_is_in_place(rng):
  lhs, rhs = array(rng, 3, 64, 128), array(rng, 3, 64, 512)
  buffer, sizes = array(rng, GROUPS, 128, 512), jnp.full((3, GROUPS), 15, jnp.int32)
  workspace = jaxgemm.workspace_size(
      lhs[0], rhs[0], group_sizes=sizes[0], ragged_dot_dimension_numbers=RAGGED_K,
      accumulate=buffer)
  program = compiled(accumulate, lhs[0], rhs[0], buffer, sizes[0], donate=2)
  assert_in_place(program, buffer, workspace)
  assert program.memory_analysis().temp_size_in_bytes <= workspace + 512

  def scan(buffer, *batches):
    step = lambda buffer, x: (accumulate(x[0], x[1], buffer, x[2]), None)
    return lax.scan(step, buffer, batches)[0]

  program = compiled(scan, buffer, lhs, rhs, sizes, donate=0)
  assert_in_place(program, buffer, workspace)
  wanted = buffer + sum(accumulate(*x[:2], jnp.zeros_like(buffer), x[2])
                        for x in zip(lhs, rhs, sizes))
  assert_close(program(buffer, lhs, rhs, sizes), wanted)


def test_accumulate_errors_and_explain(rng):
  lhs, rhs, buffer = array(rng, M, K), array(rng, M, N), array(rng, GROUPS, K, N)
  with pytest.raises(ValueError, match="float32 or None is allowed"):
    accumulate(lhs, rhs, buffer, preferred_element_type=jnp.bfloat16)
  with pytest.raises(ValueError, match="accumulate has shape"):
    accumulate(lhs, rhs, buffer[:2])
  with pytest.raises(ValueError, match=r"Start with jnp.zeros\(\(4, 19, 23\), jnp.fl"):
    accumulate(lhs, rhs, buffer.astype(jnp.bfloat16))
  basic = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
  with pytest.raises(ValueError, match="allowed only if it is, .* add it to the result"):
    jaxgemm.ragged_dot_general(lhs, buffer, SIZES, basic, accumulate=lhs)
  explained = jaxgemm.explain(
      lhs, rhs, group_sizes=SIZES, ragged_dot_dimension_numbers=RAGGED_K,
      accumulate=jax.ShapeDtypeStruct(buffer.shape, buffer.dtype))
  assert "the kernel adds to accumulate, in place" in str(explained)


# --------------------------------------------------------------------------- rhs_grad


def products(rng, dtype=jnp.float32):
  """Returns (function, lhs, rhs), first without a gate, then with one."""
  lhs = array(rng, M, K, dtype=dtype)
  return ((jaxgemm.ragged_dot, lhs, array(rng, GROUPS, K, N, dtype=dtype)),
          (gated, lhs, array(rng, GROUPS, K, 2, N, dtype=dtype)))


@pytest.mark.parametrize("implementation, dtype", BOTH)
def test_rhs_grad(rng, implementation, dtype):
  for f, lhs, rhs in products(rng, dtype)[implementation == "xla":]:
    f = functools.partial(f, group_sizes=SIZES, activation="silu",
                          implementation=implementation)
    buffer, bias = array(rng, *rhs.shape), array(rng, *rhs.shape[2:])
    cotangent = array(rng, M, N)

    def loss(lhs, rhs, bias, buffer, f=f, cotangent=cotangent):
      return (f(lhs, rhs, bias=bias, rhs_grad=buffer) * cotangent).sum()

    args = lhs, rhs, bias
    assert_close(loss(*args, buffer), (f(lhs, rhs, bias=bias) * cotangent).sum())
    d_lhs, d_rhs, d_bias, given = jax.jit(jax.grad(loss, (0, 1, 2, 3)))(*args, buffer)
    wanted = jax.jit(jax.grad(loss, (0, 1, 2)))(*args, None)
    np.testing.assert_array_equal(d_rhs, 0)
    assert_close((d_lhs, d_bias), (wanted[0], wanted[2]))
    assert given.dtype == jnp.float32
    assert_close(given, buffer + wanted[1].astype(jnp.float32), TOLERANCE[dtype])
    np.testing.assert_array_equal(given[1], buffer[1])


def test_rhs_grad_against_float64(rng):
  _, (_, lhs, rhs) = products(rng, jnp.bfloat16)
  buffer = array(rng, *rhs.shape)
  cotangent = array(rng, M, N, dtype=jnp.bfloat16)
  given = jax.grad(lambda b: (gated(
      lhs, rhs, SIZES, preferred_element_type=jnp.float32, rhs_grad=b)
                              * cotangent).sum())(buffer)
  wanted = wide(lambda lhs, rhs, b, ct: b + jax.grad(
      lambda w: (reference(lhs, w) * ct).sum())(rhs), lhs, rhs, buffer, cotangent)
  # The gradient stays float32: it is not rounded before it is added to the buffer.
  assert_close(given, wanted)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_rhs_grad_emulated(rng, arch):
  lhs, rhs = (array(rng, *shape, dtype=jnp.bfloat16)
              for shape in ((12, 9), (3, 9, 2, 5)))
  buffer, sizes = array(rng, *rhs.shape), jnp.array([4, 0, 6])

  def gradient(implementation):
    return jax.grad(lambda b: (gated(
        lhs, rhs, sizes, preferred_element_type=jnp.float32, rhs_grad=b,
        implementation=implementation) ** 2).sum())(buffer)

  assert_close(gradient(f"emulated:{arch}"), gradient("jaxgemm"))


def test_rhs_grad_of_a_shard_and_scale(rng):
  lhs, rhs, buffer = array(rng, M, K), array(rng, 2, K, N), array(rng, 2, K, N)
  scale, cotangent = array(rng, 2, N), array(rng, M, N)

  def loss(rhs, buffer):
    out = jaxgemm.ragged_dot(lhs, rhs, SIZES, group_offset=jnp.array([2]), scale=scale,
                             rhs_grad=buffer)
    return (out * cotangent).sum()

  given = jax.grad(loss, 1)(rhs, buffer)
  assert_close(given, buffer + jax.grad(loss)(rhs, None))


def test_rhs_grad_is_in_place(rng):
  lhs, sizes = array(rng, 3, 64, 128), jnp.full((3, GROUPS), 15, jnp.int32)
  for f, shape in ((jaxgemm.ragged_dot, (512,)), (gated, (2, 256))):
    rhs, buffer = (array(rng, GROUPS, 128, *shape) for _ in range(2))

    def loss(buffer, rhs, lhs, sizes, f=f):
      return (f(lhs, rhs, sizes, rhs_grad=buffer) ** 2).sum()

    def scan(buffer, rhs, *batches, loss=loss):
      step = lambda buffer, x: (jax.grad(loss)(buffer, rhs, *x), None)
      return lax.scan(step, buffer, batches)[0]

    workspace = jaxgemm.workspace_size(
        lhs[0], array(rng, 64, 512), group_sizes=sizes[0],
        ragged_dot_dimension_numbers=RAGGED_K, accumulate=buffer.reshape(
            GROUPS, 128, 512))
    program = compiled(scan, buffer, rhs, lhs, sizes, donate=0)
    assert calls(program) == 2
    assert_in_place(program, buffer, workspace)
    wanted = buffer + sum(jax.grad(lambda w, *x, f=f: (f(x[0], w, x[1]) ** 2).sum())(
        rhs, *x) for x in zip(lhs, sizes))
    assert_close(program(buffer, rhs, lhs, sizes), wanted)
    program = compiled(jax.grad(loss), jnp.copy(rhs), rhs, lhs[0], sizes[0], donate=0)
    assert_in_place(program, buffer, workspace)


def test_rhs_grad_in_a_scan_over_layers(rng):
  lhs, rhs = array(rng, M, K), array(rng, 3, GROUPS, K, K)
  buffer = array(rng, *rhs.shape)

  def loss(rhs, buffer):
    @jax.checkpoint
    def layer(x, parameters):
      w, b = parameters
      return jax.nn.silu(jaxgemm.ragged_dot(x, w, SIZES, rhs_grad=b)), None
    return (lax.scan(layer, lhs, (rhs, buffer))[0] ** 2).sum()

  wanted = buffer + jax.grad(lambda w: (functools.reduce(
      lambda x, w: jax.nn.silu(jaxgemm.ragged_dot(x, w, SIZES)), w, lhs) ** 2).sum())(
          rhs)
  assert_close(jax.jit(jax.grad(loss, 1))(rhs, buffer), wanted)


# Axes of lhs, rhs, group_sizes and rhs_grad.
@pytest.mark.parametrize("axes", [
    (0, None, 0, None), (1, None, None, None), (0, 0, 0, 0), (None, 0, None, None),
    *(pytest.param(axes, marks=pytest.mark.whole)
      for axes in [(0, None, None, None), (0, None, None, 0), (None, None, 0, 0)])])
def test_rhs_grad_vmap(rng, axes):
  def make(shape, axis):
    return array(rng, *(shape if axis is None else (*shape[:axis], 3, *shape[axis:])))

  for f, rhs in ((jaxgemm.ragged_dot, (GROUPS, 6, 5)), (gated, (GROUPS, 6, 2, 5))):
    lhs, rhs, buffer = (make(shape, axis) for shape, axis in zip(
        ((20, 6), rhs, rhs), (axes[0], axes[1], axes[3])))
    sizes = jnp.asarray(rng.integers(0, 8, (3, GROUPS)[1 - (axes[2] == 0):]), jnp.int32)
    cotangent = array(rng, 3, 20, 5)

    def loss(rhs, buffer, f=f, lhs=lhs, sizes=sizes, cotangent=cotangent):
      def one(lhs, rhs, sizes, buffer):
        return f(lhs, rhs, sizes, rhs_grad=buffer)
      where = axes if buffer is not None else (*axes[:3], None)
      return (jax.vmap(one, where)(lhs, rhs, sizes, buffer) * cotangent).sum()

    def each(rhs, buffer, f=f, lhs=lhs, sizes=sizes, cotangent=cotangent):
      def one(lhs, rhs, sizes, buffer, cotangent):
        def loss(rhs, buffer):
          return (f(lhs, rhs, sizes, rhs_grad=buffer) * cotangent).sum()
        if buffer is None:
          return jax.grad(loss)(rhs, None)
        return jax.grad(loss, 1)(rhs, buffer)
      where = axes if buffer is not None else (*axes[:3], None)
      return jax.vmap(one, (*where, 0))(lhs, rhs, sizes, buffer, cotangent)

    gradients = each(rhs, None)  # one for each element of the batch
    wanted = buffer + (gradients if axes[3] == 0 else gradients.sum(0))
    assert_close(jax.jit(jax.grad(loss, 1))(rhs, buffer), wanted)
    assert_close(each(rhs, buffer), buffer + gradients)


def test_rhs_grad_refuses_unsupported_vmap(rng):
  lhs, rhs = array(rng, 2, 3, 20, 6), array(rng, GROUPS, 6, 5)
  sizes = jnp.array([5, 0, 9, 3])
  f = lambda lhs, buffer: jaxgemm.ragged_dot(lhs, rhs, sizes, rhs_grad=buffer)
  with pytest.raises(NotImplementedError, match="differently from lhs"):
    jax.vmap(f, (None, 0))(lhs[0, 0], array(rng, 3, *rhs.shape))
  with pytest.raises(NotImplementedError, match="all of them or none"):
    jax.vmap(jax.vmap(f, (0, None)))(lhs, array(rng, 2, *rhs.shape))


def test_rhs_grad_forward_mode_and_second_order(rng):
  lhs, rhs, buffer, direction = (array(rng, M, K), *(
      array(rng, GROUPS, K, N) for _ in range(3)))
  f = lambda lhs, rhs, buffer: jaxgemm.ragged_dot(lhs, rhs, SIZES, activation="silu",
                                                  rhs_grad=buffer)
  given = jax.jvp(functools.partial(f, lhs, rhs), (buffer,), (direction,))
  assert_close(given, jax.jvp(lambda w: f(lhs, w, None), (rhs,), (direction,)))

  def penalty(lhs, buffer):  # a function of a gradient
    if buffer is None:
      g = jax.grad(lambda w: (f(lhs, w, None) ** 2).sum())(rhs)
    else:
      g = jax.grad(lambda b: (f(lhs, rhs, b) ** 2).sum())(buffer) - buffer
    return (g * direction).sum()

  assert_close(jax.grad(penalty)(lhs, buffer), jax.grad(penalty)(lhs, None), 1e-4)


def test_rhs_grad_in_shard_map(rng):
  mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
  lhs, rhs = array(rng, 4 * M, K), array(rng, GROUPS, K, N)
  sizes = jnp.asarray(rng.integers(0, 12, (4, GROUPS)), jnp.int32)
  buffers = array(rng, 4, *rhs.shape)

  def gradient(lhs, rhs, sizes, buffer):
    def loss(buffer):
      return (jaxgemm.ragged_dot(lhs, rhs, sizes[0], rhs_grad=buffer) ** 2).sum()
    return jax.grad(loss)(buffer)

  def shard(spec, f, **options):
    return jax.shard_map(f, mesh=mesh, in_specs=(P("data"), P(), P("data"), spec),
                         out_specs=spec, **options)

  with pytest.raises(NotImplementedError, match="a buffer of its own"):
    shard(P(), gradient)(lhs, rhs, sizes, buffers[0])
  with pytest.raises(NotImplementedError, match="rhs_grad was given .* with check_vma=False"):
    shard(P(), gradient, check_vma=False)(lhs, rhs, sizes, buffers[0])
  given = jax.jit(shard(P("data"), lambda *x: gradient(*x[:3], x[3][0])[None]))(
      lhs, rhs, sizes, buffers)
  wanted = jax.vmap(lambda x, s, b: gradient(x, rhs, s[None], b))(
      lhs.reshape(4, M, K), sizes, buffers)
  assert_close(given, wanted)


def test_rhs_grad_errors(rng):
  lhs, rhs = array(rng, M, K), array(rng, GROUPS, K, N)
  with pytest.raises(ValueError, match="of rhs's shape"):
    jaxgemm.ragged_dot(lhs, rhs, SIZES, rhs_grad=rhs[:2])
  with pytest.raises(ValueError, match=r"Start with jnp.zeros\(\(4, 19, 23\), jnp.fl"):
    jaxgemm.ragged_dot(lhs, rhs, SIZES, rhs_grad=rhs.astype(jnp.bfloat16))
  with pytest.raises(ValueError, match="floats are allowed"):
    jaxgemm.ragged_dot(lhs.astype(jnp.int8), rhs.astype(jnp.int8), SIZES, rhs_grad=rhs)
  explained = jaxgemm.explain(lhs, rhs, group_sizes=SIZES, rhs_grad=rhs)
  assert "the kernel adds the gradient of rhs to rhs_grad" in str(explained)
