"""Programs for virtual ROCm devices, which test_virtual_rocm.py runs in processes:

    python -m jaxgemm.emulator.rocm -m tests.support.virtual_programs NAME...

Each compares with float64, and prints its name when it is right.
"""

import os
import re
import sys

import jax
from jax.experimental import serialize_executable, topologies
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
from jaxgemm.emulator import rocm

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


def again():
  """A program that runs several times: XLA replays its command buffers."""
  b = integers(64, 64)
  f = jax.jit(lambda a, b: jnp.sum(product(jnp.maximum(a, 0), b), axis=1) + 1)
  before = rocm.count_graphs()
  for _ in range(4):
    a = integers(128, 64)
    check(f(a, b), (np.maximum(a, 0).astype(np.float64) @ b).sum(1) + 1)
  print(rocm.count_graphs() - before, "graphs")


def serialized():
  a, b = integers(128, 64), integers(64, 128)
  data = serialize_executable.serialize(jax.jit(product).lower(a, b).compile())
  again = serialize_executable.deserialize_and_load(*data)
  check(again(jnp.asarray(a), jnp.asarray(b)), a.astype(np.float64) @ b)


def compiled():
  """XLA adds no copy and no transposition around a product, and makes one call of it."""
  def text(f, *shapes):
    types = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]
    return jax.jit(f).lower(*types).compile().as_text()

  def check_calls(text, calls):
    lines = text.splitlines()
    assert sum('custom_call_target="jaxgemm_gemm"' in line for line in lines) == calls, text
    # XLA names copies and transpositions by these words, in fusions, too.
    assert not any(f" {word}(" in line for line in lines
                   for word in ("copy", "transpose", "copy-start")), text

  a, b, bias = ((256, 128), BF16), ((128, 64), BF16), ((64,), BF16)
  matmul = lambda a, b: jaxgemm.matmul(a, b, implementation="jaxgemm")
  check_calls(text(matmul, a, b), 1)
  check_calls(text(lambda a, b: jaxgemm.dot_general(
      a, b, (((0,), (1,)), ((), ())), implementation="jaxgemm"),
      ((128, 256), BF16), ((64, 128), BF16)), 1)
  check_calls(text(lambda a, b, bias: jaxgemm.matmul(
      a, b, bias=bias, activation="gelu", implementation="jaxgemm"), a, b, bias), 1)
  check_calls(text(lambda a, b, out: jax.vjp(matmul, a, b)[1](out), a, b,
                   ((256, 64), BF16)), 2)
  check_calls(text(lambda a, b, s: jaxgemm.ragged_dot(a, b, s, implementation="jaxgemm"),
                   a, ((4, 128, 64), BF16), ((4,), jnp.int32)), 1)


# What XLA's compiler has to know of a GPU (GpuTargetConfigProto).
TARGET = """
platform_name: "ROCM"
dnn_version_info {{ major: 1 minor: 3 }}
runtime_version {{ major: 7 }}
gpu_device_info {{
  rocm_compute_capability {{ gcn_arch_name: "{arch}:sramecc+:xnack-" }}
  threads_per_block_limit: 1024 threads_per_warp: 64 threads_per_core_limit: 2048
  shared_memory_per_block: {lds} shared_memory_per_core: {lds}
  shared_memory_per_block_optin: {lds} core_count: {cus} fpus_per_core: 128
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65536 block_dim_limit_z: 65536
  thread_dim_limit_x: 1024 thread_dim_limit_y: 1024 thread_dim_limit_z: 1024
  memory_bandwidth: 2662400000000 l2_cache_size: 4194304 clock_rate_ghz: 2.1
  device_memory_size: 206158430208 registers_per_core_limit: 65536
  registers_per_block_limit: 65536 device_address_bits: 64
}}
"""


def without_devices():
  """Compiles for JAXGEMM_ROCM_ARCH from a description of the chip, whatever the device."""
  arch = os.environ["JAXGEMM_ROCM_ARCH"]
  lds, cus = {"gfx942": (65536, 304), "gfx950": (163840, 256)}[arch]
  topology = topologies.get_topology_desc(
      "", platform="rocm", topology="1x1x1",
      target_config=TARGET.format(arch=arch, lds=lds, cus=cus))
  device = jax.sharding.SingleDeviceSharding(topology.devices[0])
  a, b = (jax.ShapeDtypeStruct(shape, BF16, sharding=device)
          for shape in ((256, 128), (128, 64)))
  done = jax.jit(lambda a, b: jaxgemm.matmul(
      a, b, implementation="jaxgemm", schedule="work_stealing")).lower(a, b).compile()
  text = done.as_text()
  assert text.count('custom_call_target="jaxgemm_gemm"') == 1 and " copy(" not in text
  # The workspace, with the counters of the tiles, is a result: XLA allocates it.
  assert re.search(r"u8\[[1-9]\d*\]\{0\}\) custom-call", text), text


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


if __name__ == "__main__":
  for name in sys.argv[1:]:
    globals()[name]()
    print(name, "is right", flush=True)
