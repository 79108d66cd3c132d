"""ragged_gated_linear_unit, and sums into a buffer: accumulate and rhs_grad."""

import functools
import itertools
import re

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P
from jax.test_util import check_grads
import numpy as np
import pytest

import jaxgemm

ACTIVATIONS = {None: lambda z: z, "relu": jax.nn.relu, "gelu": jax.nn.gelu,
               "silu": jax.nn.silu}
TOLERANCE = {"float32": 2e-5, "bfloat16": 2e-2, "float16": 3e-3}
SIZES = jnp.array([7, 0, 30, 5], jnp.int32)  # of 50 rows
GROUPS, M, K, N = 4, 50, 19, 23
# A ragged contraction of [M, K] and [M, N].
RAGGED_K = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
gated = jaxgemm.ragged_gated_linear_unit


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape), dtype)


def assert_close(given, wanted, tolerance=2e-5):
  def check(x, y):
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    assert x.shape == y.shape
    np.testing.assert_allclose(
        x, y, rtol=tolerance, atol=tolerance * np.abs(y).max(initial=1e-30))

  jax.tree.map(check, given, wanted)


def wide(function, *args):
  """function(*args) in float64."""
  with jax.enable_x64(True):
    args = [None if x is None else jnp.asarray(np.asarray(x, np.float64))
            for x in args]
    return jax.tree.map(np.asarray, jax.jit(function)(*args))


def rows_and_groups(sizes, offset, local):
  """(rows, their groups of the shard) of the rows that have one."""
  group = np.repeat(np.arange(len(sizes)), sizes) - offset
  rows, = np.nonzero((group >= 0) & (group < local))
  return rows, group[rows]


def reference(lhs, rhs, bias=None, scale=None, *, activation="silu", offset=0):
  """The gated product of jnp in the operands' dtype."""
  rows, group = rows_and_groups(SIZES, offset, rhs.shape[0])
  z = jnp.einsum("mk,mkin->min", lhs[rows], rhs[group])
  z = z * (1 if scale is None else scale[group])
  z = z + (0 if bias is None else bias[group])
  out = ACTIVATIONS[activation](z[:, 0]) * z[:, 1]
  return jnp.zeros((lhs.shape[0], rhs.shape[3]), out.dtype).at[rows].set(out)


def sums(lhs, rhs, *, offset=0, local=GROUPS):
  """The ragged contraction of [M, K] and [M, N], [local, K, N]."""
  rows, group = rows_and_groups(SIZES, offset, local)
  mask = jnp.asarray(group[:, None] == np.arange(local), lhs.dtype)
  return jnp.einsum("mg,mk,mn->gkn", mask, lhs[rows], rhs[rows])


def operands(rng, dtype=jnp.float32):
  """lhs, rhs, bias and scale of a gated product."""
  return (array(rng, M, K, dtype=dtype), array(rng, GROUPS, K, 2, N, dtype=dtype),
          array(rng, GROUPS, 2, N), 1 + 0.3 * array(rng, GROUPS, 2, N))


def compiled(function, *args, donate=()):
  return jax.jit(function, donate_argnums=donate).lower(*args).compile()


def instructions(program):
  """(opcode, elements of the result) of each instruction of a compiled program."""
  found = re.findall(r"= \(?\w+\[([\d,]*)\][^ ]*.*? ([a-z][\w-]*)\(",
                     program.as_text())
  return [(op, int(np.prod([int(d) for d in dims.split(",") if d])))
          for dims, op in found]


def calls(program):
  return program.as_text().count('custom_call_target="jaxgemm_gemm"')


# ------------------------------------------------------------------------------ gated


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


BOTH = [("jaxgemm", "float32"), ("jaxgemm", "bfloat16"), ("xla", "bfloat16")]


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
  config = jaxgemm.GemmConfig(tile_m=16, tile_n=32, tile_k=32, num_workgroups=5)
  given = gated(lhs, rhs, SIZES, schedule=schedule, config=config)
  assert_close(given, wide(reference, lhs, rhs))


def test_gated_second_order(rng):
  args = operands(rng)
  directions = [array(rng, *x.shape) for x in args]

  def second(f, *args):
    """Of a loss: reverse mode twice, and forward over reverse, along directions."""
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
  # Nothing of the weights' size but calls, and no product outside of them.
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
  assert "the value before the activation is saved" in str(explained)
  assert jaxgemm.supports(lhs, rhs, **kwargs) == (True, "")
  assert jaxgemm.workspace_size(lhs, rhs, **kwargs) == (
      explained.data["workspace_bytes"])
  supported, reason = jaxgemm.supports(
      lhs.astype(jnp.int8), rhs.astype(jnp.int8), group_sizes=SIZES, gated=True)
  assert not supported and "dtype int8; a float is allowed" in reason


@pytest.mark.parametrize("implementation", ["jaxgemm", "xla"])
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
  config = jaxgemm.GemmConfig(tile_m=16, tile_n=32, tile_k=4, num_workgroups=5)
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
  """No copy of the buffer, nothing added to it, and no temporary that holds it."""
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
  with pytest.raises(ValueError, match="allowed where it is, .* add it to the result"):
    jaxgemm.ragged_dot_general(lhs, buffer, SIZES, basic, accumulate=lhs)
  explained = jaxgemm.explain(
      lhs, rhs, group_sizes=SIZES, ragged_dot_dimension_numbers=RAGGED_K,
      accumulate=jax.ShapeDtypeStruct(buffer.shape, buffer.dtype))
  assert "the kernel adds to accumulate, in place" in str(explained)


# --------------------------------------------------------------------------- rhs_grad


def products(rng, dtype=jnp.float32):
  """(function, lhs, rhs) without a gate and with one."""
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
  # In float32 all the way, not rounded to bfloat16 before the sum.
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
    (0, None, 0, None), (0, None, None, None), (1, None, None, None), (0, 0, 0, 0),
    (0, None, None, 0), (None, 0, None, None), (None, None, 0, 0)])
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


def test_rhs_grad_vmap_that_cannot_be(rng):
  lhs, rhs = array(rng, 2, 3, 20, 6), array(rng, GROUPS, 6, 5)
  sizes = jnp.array([5, 0, 9, 3])
  f = lambda lhs, buffer: jaxgemm.ragged_dot(lhs, rhs, sizes, rhs_grad=buffer)
  with pytest.raises(NotImplementedError, match="dimension of its own"):
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

  def shard(spec, f):
    return jax.shard_map(f, mesh=mesh, in_specs=(P("data"), P(), P("data"), spec),
                         out_specs=spec)

  with pytest.raises(NotImplementedError, match="a buffer of its own"):
    shard(P(), gradient)(lhs, rhs, sizes, buffers[0])
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
  assert "the kernel adds its gradient to rhs_grad" in str(explained)
