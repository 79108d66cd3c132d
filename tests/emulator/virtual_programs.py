"""Programs for virtual ROCm devices, which test_virtual_rocm.py runs in processes:

    python -m jaxgemm.emulator.rocm -m tests.emulator.virtual_programs NAME...

Each NAME is a function here, which compares its results with float64, and prints its name if they
are right.
"""

import os
import pathlib
import sys
import tempfile

import jax
from jax.experimental import serialize_executable
import jax.export
import jax.monitoring
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.call.copies import gathered_within
from jaxgemm.call.group_sizes import bounds_of_rows
from jaxgemm.collective import copies as collective_copies
from jaxgemm.emulator import rocm
from jaxgemm.grouped.gated_gradient import gated_gradient
from jaxgemm.grouped.routing_calls import routing_table, top_k
from tests.dense import test_sharding_table
from tests.support import gated
from tests.support.routing import check_table, check_top_k, score_rows

RNG = np.random.default_rng(0)
BF16, F32 = jnp.bfloat16, jnp.float32


def integers(*shape):
  """Small integers: sums of their products are exact in float32."""
  return RNG.integers(-3, 4, shape).astype(np.float32)


def product(a, b, **options):
  return jaxgemm.matmul(
      a.astype(BF16), b.astype(BF16), preferred_element_type=F32, implementation="jaxgemm",
      **options)


def check(actual, expected, tolerance=0.0):
  np.testing.assert_allclose(np.asarray(actual, np.float64), expected, tolerance, tolerance)


def devices():
  assert jax.default_backend() == "gpu"
  assert {device.platform for device in jax.devices()} == {"gpu"}
  print(len(jax.devices()), jax.devices()[0].device_kind)


def schedules():
  a, b = integers(200, 264), integers(264, 136)
  for schedule in ("persistent", "work_stealing", "stream_k"):
    check(jax.jit(lambda a, b: product(a, b, schedule=schedule))(a, b),
          a.astype(np.float64) @ b)


def epilogue():
  a, b, bias = integers(128, 64), integers(64, 128), integers(128)
  check(jax.jit(lambda a, b, bias: product(a, b, bias=bias, activation="relu"))(a, b, bias),
        np.maximum(a.astype(np.float64) @ b + bias, 0))


def gradient():
  a, b = integers(128, 128), integers(128, 64)
  loss = lambda a, b: jnp.sum(jnp.square(product(a, b)))
  lhs, rhs = jax.jit(jax.grad(loss, argnums=(0, 1)))(a, b)
  a, b = a.astype(np.float64), b.astype(np.float64)
  out = 2 * (a @ b)
  check(lhs, out @ b.T, 5e-3)
  assert np.abs(np.asarray(rhs) - a.T @ out).max() <= 5e-3 * np.abs(a.T @ out).max()


def ragged():
  a, b, sizes = integers(256, 64), integers(4, 64, 128), np.array([50, 0, 130, 60], np.int32)
  actual = jax.jit(lambda a, b, s: jaxgemm.ragged_dot(
      a.astype(BF16), b.astype(BF16), s, preferred_element_type=F32,
      implementation="jaxgemm"))(a, b, sizes)
  group = np.repeat(np.arange(4), sizes)
  check(actual[:240], np.einsum("mk,mkn->mn", a[:240].astype(np.float64), b[group]))


def chunked():
  """The copy of chunks runs on streams of its own, beside the product that waits."""
  host = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
  a, b = integers(512, 128), integers(128, 128)
  tokens, w = jax.device_put(jnp.asarray(a, BF16), host), jnp.asarray(b, BF16)
  options = dict(tiles_per_chunk_m=1, config=jaxgemm.GemmConfig(tile_m=128))
  rows = jaxgemm.chunk_rows(tokens, w, **options)
  for leaves_room in (False, True):
    y = jaxgemm.overlap(tokens, lambda data, signals: jaxgemm.chunked_matmul(
        data, w, signals, chunk_rows=rows, preferred_element_type=F32, **options),
        chunk_rows=rows, product_leaves_room=leaves_room)
    check(y, a.astype(np.float64) @ b)


def scan():
  x, w = integers(64, 64), integers(6, 64, 64)
  step = lambda x, w: (jnp.clip(product(x, w), -3, 3), None)
  expected = x.astype(np.float64)
  for one in w:
    expected = np.clip(expected @ one, -3, 3)
  check(jax.jit(lambda x, w: jax.lax.scan(step, x, w)[0])(x, w), expected)


def mixed():
  """Products between fusions, reductions, a gather, a sort and random numbers of XLA."""
  x, w, rows = integers(128, 64), integers(64, 64), RNG.integers(0, 128, 96)

  @jax.jit
  def f(x, w, rows):
    y = product(x, w)
    y = y[rows] - jnp.max(y, axis=1, keepdims=True)[rows]
    z = product(jnp.tanh(y) * 4 // 1, w)
    return jnp.sort(z, axis=1), jnp.cumsum(z[:, 0]), jax.random.bits(jax.random.key(1), (64,))

  z, total, bits = f(x, w, rows)
  y = x.astype(np.float64) @ w
  y = y[rows] - y.max(1, keepdims=True)[rows]
  expected = np.tanh(y) * 4 // 1 @ w.astype(np.float64)
  check(z, np.sort(expected, axis=1))
  check(total, np.cumsum(expected[:, 0]))
  with jax.default_device(jax.devices("cpu")[0]):
    check(bits, np.asarray(jax.random.bits(jax.random.key(1), (64,)), np.float64))


def large_sort():
  """A sort so large that XLA would call hipCUB, if `rocm.start` let it."""
  x = integers(129 * 128) * 8 + integers(129 * 128)
  check(jax.jit(jnp.sort)(x), np.sort(x))


def other_products():
  """XLA's own products of types for which Triton has no kernels."""
  for dtype in (np.int32, np.complex64, np.float64):
    a, b = integers(70, 50).astype(dtype), integers(50, 60).astype(dtype)
    with jax.enable_x64(True):
      np.testing.assert_array_equal(jax.jit(jnp.matmul)(a, b), a @ b)


def integers_with_a_float_result():
  """Products of integers with a float result; XLA's own would end the process when compiled."""
  for dtype in (np.int8, np.uint8, np.int32):
    a = RNG.integers(0, 9, (2, 40, 40)).astype(dtype)
    out = jax.jit(lambda a: jaxgemm.matmul(
        a[0], a[1], preferred_element_type=jnp.float32, implementation="xla"))(a)
    assert out.dtype == jnp.float32
    check(out, a[0].astype(np.float64) @ a[1])
    sizes = jnp.array([15, 25])
    out = jax.jit(lambda a: jaxgemm.ragged_dot(
        a[0], a, sizes, preferred_element_type=jnp.float32, implementation="xla"))(a)
    wide = a.astype(np.float64)
    check(out, np.concatenate([wide[0, :15] @ wide[0], wide[0, 15:] @ wide[1]]))


def division_of_float64():
  with jax.enable_x64(True):
    a, b = RNG.standard_normal((2, 256))
    np.testing.assert_array_equal(jax.jit(jnp.divide)(a, b), a / b)


def quantized():
  """Quantised operands; XLA for GPUs would drop their casts to float8 and back."""
  x = np.random.default_rng(0).standard_normal((64, 256)).astype(np.float32)
  for kind in ("tensor", "row", "block", "mx"):
    values, scales = map(np.asarray, jaxgemm.quantize(x, kind))
    per_block = 256 // scales.shape[1]
    expected = values.astype(np.float64) * np.repeat(scales.astype(np.float64), per_block, axis=1)
    check(jax.jit(lambda x, kind=kind: jaxgemm.quantize(x, kind).dequantize())(x), expected, 1e-6)


def mx():
  """Operands in MX formats that XLA quantises on the device, where two of float4 share a byte."""
  sizes = np.array([70, 0, 50], np.int32)
  for dtype in ("float8_e4m3fn", "float4_e2m1fn"):
    x, y = RNG.standard_normal((140, 288), F32), RNG.standard_normal((3, 150, 288), F32)
    both = [jaxgemm.quantize(v, "mx", dtype=dtype) for v in (x, y)]
    a, b = (np.asarray(q.values, np.float64) * np.repeat(np.asarray(q.scales, np.float64), 32, -1)
            for q in both)

    @jax.jit
    def products(x, y, dtype=dtype):
      a, b = (jaxgemm.quantize(v, "mx", dtype=dtype) for v in (x, y))
      return (jaxgemm.scaled_matmul(a.values[None], b.values[:1], a.scales[None], b.scales[:1]),
              jaxgemm.scaled_ragged_dot(a.values, b.values, jnp.asarray(sizes), a.scales, b.scales))

    dense, ragged = products(x, y)
    text = products.lower(x, y).as_text()
    assert text.count("@jaxgemm_gemm(") == 2
    assert ("mx = 1" in text) == (_ffi.target("rocm") == "gfx950")
    check(dense[0], a @ b[0].T, 1e-4)
    check(ragged, np.concatenate([a[:70] @ b[0].T, a[70:120] @ b[2].T, np.zeros((20, 150))]), 1e-4)


def scatter():
  """A scatter: XLA's kernel reads one index past the end of the array of constants."""
  x, rows = integers(31, 8), RNG.integers(0, 8, 31)
  expected = np.zeros((8, 8))
  np.add.at(expected, rows, x)
  check(jax.jit(lambda x: jnp.zeros((8, 8)).at[jnp.asarray(rows)].add(x))(x), expected)


def routing():
  """Top-k, and routing tables by one kernel or two for many choices, in programs that run again."""
  before = rocm.count_graphs()
  for tokens, count, num_experts in ((1, 8, 128), (64, 2, 8), (700, 8, 64)):
    f = jax.jit(lambda x, n=num_experts: routing_table(x, n))
    for _ in range(3):
      chosen = RNG.integers(-1, num_experts + 1, (tokens, count)).astype(np.int32)
      check_table(chosen, num_experts, *f(chosen))
  text = f.lower(chosen).as_text()
  assert text.count("@jaxgemm_routing_table(") == 1 and "sort" not in text
  scores = score_rows(RNG, 130)
  f = jax.jit(lambda x: (top_k(x, 9), *routing_table(top_k(x, 9), 130)))
  for _ in range(4):
    chosen, *made = f(scores)
    check_top_k(scores, 9, chosen)
    check_table(chosen, 130, *made)
    scores = -scores
  assert "@jaxgemm_top_k(" in f.lower(scores).as_text()
  batch = RNG.integers(0, 16, (3, 700, 8)).astype(np.int32)
  tables = jax.jit(jax.vmap(lambda x: routing_table(x, 16)))(batch)
  for i, chosen in enumerate(batch):
    check_table(chosen, 16, *jax.tree.map(lambda x, i=i: x[i], tables))
  print(rocm.count_graphs() - before, "graphs")
  check_table(chosen[:0], 64, *jax.jit(lambda x: routing_table(x, 64))(chosen[:0]))


def gated_gradients():
  """The gradient of a gated activation, in programs that run again, and between XLA's kernels."""
  before = rocm.count_graphs()
  for dtype, rows, length in (("float32", 7, 1028), ("float16", 33, 96), ("bfloat16", 18, 264)):
    # Operands that are given away are overwritten; others are copied.
    f = jax.jit(lambda *x: gated_gradient(*x, "silu"), donate_argnums=(0, 1))
    for _ in range(3):
      z, g, w = gated.operands(RNG, rows, length, dtype)
      gated.check(z, g, w, f(*jax.device_put((z, g, w))), dtype)
    assert f.lower(z, g, w).as_text().count("@jaxgemm_gated_gradient(") == 1
    assert " copy(" not in f.lower(z, g, w).compile().as_text()
  print(rocm.count_graphs() - before, "graphs")
  z, g, w = (x.reshape(2, 9, *x.shape[1:]) for x in (z, g, w))
  batch = jax.jit(jax.vmap(lambda *x: gated_gradient(*x, "silu")))
  kept = jax.device_put(z)
  for _ in range(2):
    gated.check(z, g, w, batch(kept, g, w), dtype)
  gated.check(z[:0], g[:0], w[:0], batch(z[:0], g[:0], w[:0]), dtype)
  # Rows that are written to places of other arrays.
  f = jax.jit(lambda z, g, w, places, count, into: gated_gradient(
      z, g, w, "silu", places=places, count=count, into=into), donate_argnums=5)
  z, g, w, places, into = gated.placed(RNG, 33, 40, 264, dtype)
  lowered = f.lower(z, g, w, places, np.int32(0), into)
  assert lowered.as_text().count("@jaxgemm_gated_gradient(") == 1
  assert " copy(" not in lowered.compile().as_text()
  for count in (20, 33, 50, 0):
    outs = f(z, g, w, places, np.int32(count), jax.device_put(into))
    gated.check_placed(z, g, w, places, count, into, outs, dtype)


def gathered_rows():
  """Rows that are copied by index, of which only those of groups are."""
  f = jax.jit(lambda x, indices, sizes, offset: gathered_within(
      bounds_of_rows(sizes, offset, 2, indices.size), x, indices))
  for dtype, length in ((jnp.bfloat16, 8), (jnp.float32, 1028), (jnp.uint8, 4112)):
    x = RNG.integers(0, 200, (9, length)).astype(dtype)
    indices = RNG.integers(-3, 12, 70).astype(np.int32)
    sizes = np.array([7, 20, -5, 30, 40], np.int32)
    assert f.lower(x, indices, sizes, None).as_text().count("@jaxgemm_gather_rows(") == 1
    places = np.where((indices < 0) | (indices > 8), 9, indices)
    wanted = np.concatenate([x, np.zeros_like(x)])[places]
    for offset, rows in ((None, slice(70)), (np.array([1], np.int32), slice(7, 27)),
                         (np.array([3], np.int32), slice(27, 70))):
      np.testing.assert_array_equal(f(x, indices, sizes, offset)[rows], wanted[rows])


def weights_of_4_bits():
  """Products of few rows, which read the weights as they are: dense, grouped and gated."""
  before = rocm.count_graphs()
  for kind in ("mxfp4", "int4"):
    x, bias = RNG.standard_normal((5, 1024)), RNG.standard_normal(160)
    w = jaxgemm.quantize(jnp.asarray(RNG.standard_normal((1024, 160)), BF16), kind, axis=0)
    f = jax.jit(lambda x, w, bias: jaxgemm.matmul(x, w, bias=bias, preferred_element_type=F32))
    x, bias = x.astype(BF16), bias.astype(BF16)
    assert f.lower(x, w, bias).as_text().count("@jaxgemm_few_rows(") == 1
    for _ in range(3):
      wide = np.asarray(w.dequantize(F32), np.float64)
      check(f(x, w, bias), x.astype(np.float64) @ wide + bias.astype(np.float64), 1e-3)
    w = jaxgemm.quantize(jnp.asarray(RNG.standard_normal((3, 64, 2, 32)), BF16), kind, axis=1)
    x, sizes = RNG.standard_normal((6, 64)).astype(BF16), np.array([4, 0, 7], np.int32)
    indices = RNG.integers(0, 6, 13).astype(np.int32)
    f = jax.jit(lambda x, w, sizes, indices: jaxgemm.ragged_gated_linear_unit(
        x, w, sizes, lhs_indices=indices))
    assert f.lower(x, w, sizes, indices).as_text().count("@jaxgemm_few_rows(") == 1
    rows, wide = x[indices].astype(np.float64), np.asarray(w.dequantize(F32), np.float64)
    of_rows = wide[np.repeat(np.arange(3), sizes)[:11]]
    gate, up = np.moveaxis(np.einsum("mk,mkgn->mgn", rows[:11], of_rows), 1, 0)
    hidden = np.concatenate([gate / (1 + np.exp(-gate)) * up, np.zeros((2, 32))])
    check(f(x, w, sizes, indices), hidden, 0.02)
  print(rocm.count_graphs() - before, "graphs")


def again():
  """A program that runs several times: XLA replays its command buffers."""
  b = integers(64, 64)
  f = jax.jit(lambda a, b: jnp.sum(product(jnp.maximum(a, 0), b), axis=1) + 1)
  before = rocm.count_graphs()
  for _ in range(4):
    a = integers(128, 64)
    check(f(a, b), (np.maximum(a, 0).astype(np.float64) @ b).sum(1) + 1)
  print(rocm.count_graphs() - before, "graphs")


def profiled():
  """A trace has only the host's part, because a virtual device has no profiler."""
  a = integers(64, 64)
  with tempfile.TemporaryDirectory() as folder:
    with jax.profiler.trace(folder), jax.profiler.TraceAnnotation("a product"):
      check(jax.jit(product)(a, a), a.astype(np.float64) @ a)
    path, = pathlib.Path(folder).rglob("*.xplane.pb")
    planes = jax.profiler.ProfileData.from_file(str(path)).planes
    assert "a product" in {event.name for plane in planes for line in plane.lines
                           for event in line.events}


def serialized():
  a, b = integers(128, 64), integers(64, 128)
  data = serialize_executable.serialize(jax.jit(product).lower(a, b).compile())
  again = serialize_executable.deserialize_and_load(*data)
  check(again(jnp.asarray(a), jnp.asarray(b)), a.astype(np.float64) @ b)


def export():
  """Exports a product and its gradient for ROCm, on any platform, to a file."""
  a, b = (jax.ShapeDtypeStruct(shape, F32) for shape in ((128, 64), (64, 128)))
  f = jax.jit(jax.value_and_grad(lambda a, b: jnp.sum(jnp.square(product(a, b))), (0, 1)))
  exported = jax.export.export(f, platforms=["rocm"], disabled_checks=[
      jax.export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")])(a, b)
  pathlib.Path(os.environ["EXPORTED"]).write_bytes(exported.serialize())


def exported():
  f = jax.export.deserialize(bytearray(pathlib.Path(os.environ["EXPORTED"]).read_bytes()))
  a, b = integers(128, 64), integers(64, 128)
  loss, (lhs, rhs) = f.call(a, b)
  out = a.astype(np.float64) @ b
  check(loss, np.square(out).sum(), 1e-6)
  # The gradients are products of bfloat16.
  for actual, expected in ((lhs, 2 * out @ b.T), (rhs, 2 * a.T @ out)):
    assert np.abs(np.asarray(actual) - expected).max() <= 5e-3 * np.abs(expected).max()


def cached():
  """Prints how many programs came from JAX's compilation cache."""
  hits = []
  jax.monitoring.register_event_listener(
      lambda event, **_: hits.append(event) if event.endswith("/cache_hits") else None)
  again()
  ragged()
  print(len(hits), "hits")


def _mesh():
  return jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))


def collectives():
  mesh, x = _mesh(), integers(8, 64)
  of = lambda f, i, o: jax.jit(jax.shard_map(f, mesh=mesh, in_specs=i, out_specs=o))(x)
  check(of(lambda x: jax.lax.psum(x, "x"), P("x"), P()), x[:4] + x[4:])
  check(of(lambda x: jax.lax.all_gather(x, "x", tiled=True) * 1, P("x"), P("x")),
        np.concatenate([x, x]))
  check(of(lambda x: jax.lax.psum_scatter(x, "x", tiled=True), P(None, "x"), P("x")),
        x[:, :32] + x[:, 32:])
  check(of(lambda x: jax.lax.all_to_all(x, "x", 1, 0, tiled=True), P("x"), P(None, "x")), x)
  check(of(lambda x: jax.lax.ppermute(x, "x", [(0, 1), (1, 0)]), P("x"), P("x")),
        np.concatenate([x[4:], x[:4]]))

  def exchanged(x):  # one row to device 0, and three to device 1
    sizes, index = jnp.array([1, 3]), jax.lax.axis_index("x")
    received = jnp.full(2, sizes[index])
    return jax.lax.ragged_all_to_all(
        x, jnp.zeros((6, 64), x.dtype), jnp.array([0, 1]), sizes, index * sizes, received,
        axis_name="x")

  check(of(exchanged, P("x"), P("x")),
        np.concatenate([x[:1], x[4:5], np.zeros_like(x[:4]), x[1:4], x[5:]]))


def sharded_k():
  mesh = _mesh()
  a, b = integers(64, 256), integers(256, 64)
  shardings = NamedSharding(mesh, P(None, "x")), NamedSharding(mesh, P("x", None))
  f = jax.jit(product, in_shardings=shardings, out_shardings=NamedSharding(mesh, P()))
  text = f.lower(a, b).compile().as_text()
  assert text.count("all-reduce(") + text.count("all-reduce-start(") == 1, text
  check(f(a, b), a.astype(np.float64) @ b)


def sharded_rows():
  mesh = _mesh()
  a, b = integers(256, 64), integers(64, 64)
  f = jax.jit(product, in_shardings=(NamedSharding(mesh, P("x")), NamedSharding(mesh, P())))
  out = f(a, b)
  assert len(out.sharding.device_set) == 2
  check(out, a.astype(np.float64) @ b)


def sharded_experts():
  """Each device has half of the experts, and one all-reduce adds up their results."""
  mesh = _mesh()
  a, b, sizes = integers(128, 64), integers(4, 64, 128), np.array([50, 0, 48, 30], np.int32)
  expected = np.einsum("mk,mkn->mn", a.astype(np.float64), b[np.repeat(np.arange(4), sizes)])

  def grouped(a, b, sizes, **options):
    return jaxgemm.ragged_dot(a.astype(BF16), b.astype(BF16), sizes, implementation="jaxgemm",
                              preferred_element_type=F32, **options)

  def one_shard(a, b, sizes):
    first = jax.lax.axis_index("x") * b.shape[0]
    return jax.lax.psum(grouped(a, b, sizes, group_offset=first[None]), "x")

  everywhere, by_expert = NamedSharding(mesh, P()), NamedSharding(mesh, P("x"))
  for f in (jax.jit(jax.shard_map(one_shard, mesh=mesh, in_specs=(P(), P("x"), P()),
                                  out_specs=P())),
            jax.jit(grouped, in_shardings=(everywhere, by_expert, everywhere),
                    out_shardings=everywhere)):
    text = f.lower(a, b, sizes).compile().as_text()
    assert text.count("all-reduce(") + text.count("all-reduce-start(") == 1, text
    assert "all-gather" not in text, text
    check(f(a, b, sizes), expected)


def ring():
  """Products while blocks or sums travel, and their gradients."""
  mesh, rows, columns = _mesh(), P("x"), P(None, "x")
  a, b = integers(256, 128), integers(128, 256)
  wanted = a.astype(np.float64) @ b
  for f, specs, out, transfers in (
      (jaxgemm.allgather_matmul, (rows, columns), columns, "ring"),
      (jaxgemm.allgather_matmul, (rows, columns), columns, "copies"),
      (jaxgemm.matmul_reduce_scatter, (columns, rows), rows, "ring"),
      (jaxgemm.matmul_reduce_scatter, (columns, rows), rows, "copies")):
    mapped = jax.shard_map(
        lambda a, b, f=f, transfers=transfers: f(
            a.astype(BF16), b.astype(BF16), "x", preferred_element_type=F32,
            implementation="jaxgemm", transfers=transfers),
        mesh=mesh, in_specs=specs, out_specs=out)
    value, gradients = jax.jit(jax.value_and_grad(lambda *x: mapped(*x).sum(), (0, 1)))(a, b)
    check(jax.jit(mapped)(a, b), wanted)
    check(value, wanted.sum())
    check(gradients[0], np.broadcast_to(b.sum(1), a.shape))
    check(gradients[1], np.broadcast_to(a.sum(0)[:, None], b.shape), 2**-8)


def every_sharding():
  """A product and its gradients have the collectives of jnp.matmul, with any sharding."""
  for place in test_sharding_table.PLACES:
    test_sharding_table.test_collectives_of_every_sharding(RNG, place)


def unequal_parts():
  """Rings and copies between all devices, with sizes that no tile and no vector divides."""
  count = len(jax.devices())
  mesh = jax.make_mesh((count,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  a, b = integers(37 * count, 19 * count), integers(19 * count, 13 * count)
  expected = a.astype(np.float64) @ b
  for transfers in ("ring", "copies"):
    for function, specs, out in (
        (jaxgemm.allgather_matmul, (P("x"), P(None, "x")), P(None, "x")),
        (jaxgemm.matmul_reduce_scatter, (P(None, "x"), P("x")), P("x"))):
      f = jax.jit(jax.shard_map(
          lambda a, b, function=function, transfers=transfers: function(
              a.astype(BF16), b.astype(BF16), "x", transfers=transfers,
              preferred_element_type=F32, implementation="jaxgemm"),
          mesh=mesh, in_specs=specs, out_specs=out))
      for _ in range(2):
        check(f(a, b), expected)


def orders_of_axes():
  """Copies, and their gradients, along axes that are in another order than the mesh's."""
  a, b, ct = integers(128, 64), integers(64, 128), integers(128, 128)
  mesh = jax.sharding.Mesh(np.array(jax.devices())[[2, 0, 3, 1]].reshape(2, 2), ("x", "y"))
  axes = "y", "x"
  for function, specs, out in (
      (jaxgemm.allgather_matmul, (P(axes), P(None, axes)), P(None, axes)),
      (jaxgemm.matmul_reduce_scatter, (P(None, axes), P(axes)), P(axes))):
    mapped = jax.shard_map(
        lambda a, b, f=function: f(a.astype(BF16), b.astype(BF16), axes, preferred_element_type=F32,
                                   implementation="jaxgemm"),
        mesh=mesh, in_specs=specs, out_specs=out)

    def results(a, b, ct, f=mapped):
      result, back = jax.vjp(f, a, b)
      return result, *back(ct)

    results = jax.jit(results)
    text = results.lower(a, b, ct).as_text()
    assert "jaxgemm_gathered_gemm" in text and "jaxgemm_scattered_gemm" in text
    x, y, z = (np.asarray(each, np.float64) for each in (a, b, ct))
    for given, expected in zip(results(a, b, ct), (x @ y, z @ y.T, x.T @ z)):
      check(given, expected)


def copies():
  """Copy engines bring the rows: on four devices, along each axis of a mesh and along both."""
  a, b, bias = integers(256, 72), integers(72, 96), integers(96)
  devices = np.array(jax.devices())[[2, 0, 3, 1]].reshape(2, 2)
  mesh = jax.sharding.Mesh(devices, ("x", "y"))
  for axes, pieces in (("x", 1), ("y", 2), (("x", "y"), 1), (("y", "x"), 4)):
    collective_copies.PIECES = pieces
    f = jax.jit(jax.shard_map(
        lambda a, b, bias, axes=axes: jaxgemm.allgather_matmul(
            a.astype(BF16), b.astype(BF16), axes, bias=bias, activation="relu",
            preferred_element_type=F32, implementation="jaxgemm", transfers="copies"),
        mesh=mesh, in_specs=(P(axes), P(None, axes), P(axes)), out_specs=P(None, axes)))
    text = f.lower(a, b, bias).as_text()
    assert text.count("jaxgemm_gathered_gemm") == 1 and "collective_permute" not in text
    for _ in range(3):
      a, b = np.roll(a, 1, 0), np.roll(b, 1, 1)
      check(f(a, b, bias), np.maximum(a.astype(np.float64) @ b + bias, 0))
    f = jax.jit(jax.shard_map(
        lambda a, b, bias, axes=axes: jaxgemm.matmul_reduce_scatter(
            a.astype(BF16), b.astype(BF16), axes, bias=bias, activation="relu",
            preferred_element_type=F32, implementation="jaxgemm", transfers="copies"),
        mesh=mesh, in_specs=(P(None, axes), P(axes), P()), out_specs=P(axes)))
    text = f.lower(a, b, bias).as_text()
    assert text.count("jaxgemm_scattered_gemm") == 1 and "collective_permute" not in text
    for _ in range(3):
      a, b = np.roll(a, 1, 0), np.roll(b, 1, 1)
      check(f(a, b, bias), np.maximum(a.astype(np.float64) @ b + bias, 0))
  collective_copies.PIECES = None

  def step(x, w):
    """Gathers what the step before has computed.

    Its memory may be written again while other devices still read it.
    """
    y = jaxgemm.allgather_matmul(x.astype(BF16), w.astype(BF16), "x", transfers="copies",
                                 preferred_element_type=F32, implementation="jaxgemm")
    y = jnp.clip(y, -3, 3)
    z = jaxgemm.matmul_reduce_scatter(y.astype(BF16), w.astype(BF16), "x", transfers="copies",
                                      preferred_element_type=F32, implementation="jaxgemm")
    return jnp.clip(z + 1, -3, 3), None

  x, w = integers(128, 64), integers(8, 64, 64)
  f = jax.jit(jax.shard_map(lambda x, w: jax.lax.scan(step, x, w)[0], mesh=mesh,
                            in_specs=(P("x"), P()), out_specs=P("x"), check_vma=False))
  expected = x.astype(np.float64)
  for one in w:
    expected = np.clip(2 * (np.clip(expected @ one, -3, 3) @ one) + 1, -3, 3)
  check(f(x, w), expected)

  mapped = jax.shard_map(
      jax.vmap(lambda a, b: jaxgemm.allgather_matmul(a, b, "x", transfers="copies"), (0, None)),
      mesh=mesh, in_specs=(P(None, "x"), P()), out_specs=P(), check_vma=False)
  try:
    jax.jit(mapped).lower(jnp.ones((2, 64, 64), BF16), jnp.ones((64, 64), BF16))
  except ValueError as error:
    assert "transfers='copies' was given, but lhs has shape (2, 32, 64)" in str(error), error
  else:
    raise AssertionError("vmap was not refused")


if __name__ == "__main__":
  for name in sys.argv[1:]:
    globals()[name]()
    print(name, "is right", flush=True)
