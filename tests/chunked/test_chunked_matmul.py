"""Products that start on the chunks of lhs that have arrived, on the CPU."""

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from jaxgemm import _jaxgemm as native
from tests.support.arriving import TILE, TILES, Arriving
from tests.support.environment import VIRTUAL_ROCM

S = jax.ShapeDtypeStruct
# gfx942 rounds float32 operands to XF32.
TOLERANCE = 2e-3 if VIRTUAL_ROCM == "gfx942" else 1e-5
LAYOUTS = {
    "rr": None,
    "rc": (((1,), (1,)), ((), ())),
    "cr": (((0,), (0,)), ((), ())),
    "cc": (((0,), (1,)), ((), ())),
}


def normal(rng, *shape, dtype=np.float32):
  return np.asarray(rng.standard_normal(shape), np.float32).astype(dtype)


def assert_product(out, lhs, rhs):
  want = np.asarray(lhs, np.float64) @ np.asarray(rhs, np.float64)
  out = np.asarray(out, np.float64)
  assert out.shape == want.shape and np.isfinite(out).all()
  assert np.abs(out - want).max() <= TOLERANCE * np.abs(want).max()


def orders(rng, places):
  """The places in order, in reverse and in random order, by name."""
  return {"in order": places, "reverse": places[::-1],
          "random": [places[i] for i in rng.permutation(len(places))]}


@pytest.mark.parametrize("dtype", [np.float32, jnp.bfloat16])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_composable_kernels_case(rng, layout, dtype):
  # M 1536, N 1024, K 512 with two tiles a chunk, pivot 2 (rocm-libraries 5776).
  m, n, k, rows = 1536, 1024, 512, 256
  a, b = normal(rng, m, k, dtype=dtype), normal(rng, k, n, dtype=dtype)
  by_column = layout[0] == "c"
  arriving = Arriving(a.T.copy() if by_column else a, rows, axis=-1 if by_column else -2)
  config = GemmConfig(tile_m=128, tile_n=128)
  thread = arriving.start(orders(rng, arriving.places())["random"], pause=0.01)
  out = jaxgemm.chunked_matmul(
      arriving.lhs, b.T.copy() if layout[1] == "c" else b, arriving.signals,
      tiles_per_chunk_m=2, tile_idx_pivot_m=2, config=config,
      dimension_numbers=LAYOUTS[layout], preferred_element_type=jnp.float32)
  assert_product(out, a, b)
  thread.join()


@pytest.mark.parametrize("schedule, reduction", [
    ("persistent", None), ("work_stealing", None), ("stream_k", "linear"),
    ("stream_k", "tree"), ("stream_k", "atomic")])
@pytest.mark.parametrize("seed", range(6))
def test_random_orders_pivots_and_chunks(schedule, reduction, seed):
  rng = np.random.default_rng(seed)
  m, n, k = rng.integers([1, 1, 1], [300, 100, 200])
  tile_m = int(rng.choice([32, 128]) if VIRTUAL_ROCM else rng.integers(1, 40))
  tiles = -(-int(m) // tile_m)
  tiles_per_chunk = int(rng.integers(1, tiles + 3))
  pivot = int(rng.integers(0, tiles))
  batch = () if seed % 2 else (3,)
  a, b = normal(rng, *batch, m, k), normal(rng, k, n)
  tile_nk = {} if VIRTUAL_ROCM else dict(tile_n=32, tile_k=32)
  config = GemmConfig(tile_m=tile_m, num_workgroups=4, **tile_nk)
  for name in ("in order", "reverse", "random"):
    arriving = Arriving(a, tile_m * tiles_per_chunk, batched=seed % 3 == 0)
    order = orders(rng, arriving.places())[name]
    thread = arriving.start(order, pause=0.002)
    out = jaxgemm.chunked_matmul(
        arriving.lhs, b, arriving.signals, tiles_per_chunk_m=tiles_per_chunk,
        tile_idx_pivot_m=pivot, schedule=schedule, reduction=reduction, config=config)
    assert_product(out, a, b)
    thread.join()


def test_all_signals_set_is_the_plain_product_bit_by_bit(rng):
  a, b = normal(rng, 256, 128), normal(rng, 128, 96)
  config = GemmConfig(tile_m=128) if VIRTUAL_ROCM else GemmConfig(tile_m=64, tile_n=96)
  tiles = 128 // config.tile_m
  out = jaxgemm.chunked_matmul(
      a, b, jnp.ones(2, jnp.uint32), tiles_per_chunk_m=tiles, config=config)
  assert (out == jaxgemm.matmul(a, b, config=config)).all()
  out = jaxgemm.chunked_matmul(a, b, None, tiles_per_chunk_m=tiles, config=config)
  assert (out == jaxgemm.matmul(a, b, config=config)).all()


@pytest.mark.parametrize("threads", [1, 4])
def test_a_signal_that_never_comes_is_an_error_and_the_next_call_works(rng, threads):
  a, b = normal(rng, 300, 64), normal(rng, 64, 64)
  config = GemmConfig(tile_m=32, tile_n=128 if VIRTUAL_ROCM else 32, num_workgroups=threads)
  signals = np.ones(5, np.uint32)
  signals[3] = 0
  call = jax.jit(lambda s, timeout: jaxgemm.chunked_matmul(
      a, b, s, tiles_per_chunk_m=2, config=config, timeout=timeout),
      static_argnames="timeout")
  for _ in range(3):
    with pytest.raises(jax.errors.JaxRuntimeError, match="signal 3 of chunk_signals "
                       "did not become the epoch within 50 ms"):
      call(jnp.asarray(signals), timeout=0.05).block_until_ready()
  assert_product(call(jnp.ones(5, jnp.uint32), timeout=0.05), a, b)


def test_epochs_over_a_thousand_calls_on_the_same_buffers(rng):
  b, rows, calls = normal(rng, 16, 8), 32 if VIRTUAL_ROCM else 8, 20 if VIRTUAL_ROCM else 1000
  config = GemmConfig(tile_m=rows, num_workgroups=2)
  call = jax.jit(lambda lhs, signals, epoch: jaxgemm.chunked_matmul(
      lhs, b, signals, tiles_per_chunk_m=1, epoch=epoch, config=config))
  arriving = Arriving(normal(rng, 3 * rows, 16), rows)
  lhs, signals = arriving.lhs, arriving.signals
  for epoch in range(1, calls + 1):
    arriving.values = normal(rng, 3 * rows, 16)
    thread = arriving.start([(2,), (0,), (1,)], epoch=epoch)
    assert_product(call(lhs, signals, jnp.uint32(epoch)), arriving.values, b)
    thread.join()
  # A signal of an earlier epoch does not count as arrived.
  with pytest.raises(jax.errors.JaxRuntimeError, match="did not become the epoch"):
    jaxgemm.chunked_matmul(lhs, b, signals, tiles_per_chunk_m=1, epoch=calls + 1,
                           config=config, timeout=0.05).block_until_ready()


@pytest.mark.parametrize("activation", [None, "gelu"])
def test_gradients_are_those_of_matmul(rng, activation):
  a, b = normal(rng, 96, 40), normal(rng, 40, 24)
  bias, scale = normal(rng, 24), normal(rng, 24)
  signals = jnp.ones(3, jnp.uint32)
  config = GemmConfig(tile_m=TILE)

  def loss(product):
    return lambda a, b, bias, scale: (product(
        a, b, bias=bias, scale=scale, activation=activation) ** 2).sum()

  ours = loss(lambda a, b, **kwargs: jaxgemm.chunked_matmul(
      a, b, signals, tiles_per_chunk_m=TILES, config=config, **kwargs))
  wanted = loss(jaxgemm.matmul)
  args = a, b, bias, scale
  for x, y in zip(jax.grad(ours, (0, 1, 2, 3))(*args),
                  jax.grad(wanted, (0, 1, 2, 3))(*args)):
    np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-3)
  directions = tuple(normal(rng, *x.shape) for x in args)
  second = lambda f: jax.jvp(lambda *x: jax.grad(f, 1)(*x), args, directions)[1]
  np.testing.assert_allclose(second(ours), second(wanted), rtol=1e-3, atol=2e-2)


@pytest.mark.parametrize("remat", [False, True])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_gradients_wait_for_lhs(rng, mode, remat):
  """Gradients wait even where they do not depend on the result of the product."""
  a, b, w = normal(rng, 256, 64), normal(rng, 64, 32), normal(rng, 256, 32)
  config = GemmConfig(tile_m=32)

  def product(lhs, b, signals):
    return jaxgemm.chunked_matmul(lhs, b, signals, tiles_per_chunk_m=2, config=config)

  product = jax.checkpoint(product) if remat else product
  if mode == "reverse":
    run = jax.jit(jax.grad(lambda b, lhs, s: (product(lhs, b, s) * w).sum()))
    wanted = a.T.astype(np.float64) @ w
  else:
    run = jax.jit(lambda b, lhs, s: jax.jvp(
        lambda b: product(lhs, b, s), (b,), (b,))[1])
    wanted = a.astype(np.float64) @ b
  for _ in range(3):
    arriving = Arriving(a, 64)
    thread = arriving.start(arriving.places(), pause=0.02)
    np.testing.assert_allclose(run(b, arriving.lhs, arriving.signals), wanted,
                               rtol=1e-4, atol=1e-3)
    thread.join()


def test_vmap(rng):
  a, b = normal(rng, 3, 64, 24), normal(rng, 3, 24, 16)
  config = GemmConfig(tile_m=TILE)
  ones = jnp.ones((3, 2), jnp.uint32)
  product = lambda a, b, s: jaxgemm.chunked_matmul(
      a, b, s, tiles_per_chunk_m=TILES, config=config)
  for axes in [(0, 0, 0), (0, None, 0), (0, 0, None), (0, None, None), (None, 0, None),
               (None, None, 0)]:
    args = [x if axis == 0 else x[0] for x, axis in zip((a, b, ones), axes)]
    want = np.matmul(args[0], args[1])
    out = jax.vmap(product, axes)(*args)
    np.testing.assert_allclose(out, np.broadcast_to(want, out.shape), rtol=1e-4, atol=1e-4)
  nested = jax.vmap(jax.vmap(product, (0, None, 0)), (0, 0, 0))
  a4 = normal(rng, 2, 3, 64, 24)
  out = nested(a4, b[:2], jnp.ones((2, 3, 2), jnp.uint32))
  np.testing.assert_allclose(out, a4 @ b[:2, None], rtol=1e-4, atol=1e-4)
  with pytest.raises(NotImplementedError, match="copy lhs before it is complete"):
    jax.vmap(product, (1, None, None))(jnp.moveaxis(a, 0, 1), b[0], ones[0])
  # The chunks arrive late and in reverse, under vmap.
  arriving = Arriving(a, 32, batched=True)
  thread = arriving.start(arriving.places()[::-1], pause=0.01)
  out = jax.vmap(product, (0, 0, 0))(arriving.lhs, b, arriving.signals)
  assert_product(out, a, b)
  thread.join()


def explain(tiles_m=6, tiles_per_chunk_m=1, tile=16, config=None, **kwargs):
  """Explains a chunked product of tiles_m x 3 tiles."""
  chunks = -(-tiles_m // tiles_per_chunk_m)
  config = GemmConfig(tile_m=tile, tile_n=tile, **(config or {}))
  return jaxgemm.explain(
      S((tile * tiles_m, 4096), jnp.bfloat16), S((4096, tile * 3), jnp.bfloat16),
      chunk_signals=S((chunks,), jnp.uint32), tiles_per_chunk_m=tiles_per_chunk_m,
      config=config, **kwargs)


@pytest.mark.parametrize("given, both_orders", [
    ({}, (4, 1)),
    (dict(tiles_per_chunk_m=3), (4, 3)),
    (dict(tiles_per_chunk_m=4), None),  # the two orders are the same
    (dict(tiles_m=3, tiles_per_chunk_m=2), (3, 2)),
    (dict(tiles_m=2, tiles_per_chunk_m=2), None),
    (dict(config=dict(group_m=4)), None),
    (dict(tile=128, tiles_m=9, implementation="emulated:gfx942"), (8, 1)),
    (dict(tile=128, tiles_m=9, implementation="emulated:gfx950",
          config=dict(group_m=8)), None),
    # The order would decide which tiles are cut, and so change bits of the result.
    (dict(schedule="stream_k", config=dict(num_workgroups=4)), None),
    (dict(schedule="stream_k", config=dict(num_workgroups=3)), (4, 1)),  # none is cut
])
def test_the_raster_order_is_left_open_where_two_orders_differ(given, both_orders):
  explained = explain(**given)
  if both_orders is None:
    assert "visited together" not in str(explained)
  else:
    wide, by_chunk = both_orders
    assert (f"{wide} tile rows are visited together, for the cache; else {by_chunk},"
            in str(explained))
  # The order needs one more word in the zeroed workspace, where each part is padded to 64 bytes.
  given = given | {"config": given.get("config", {}) | {"group_m": 1}}
  fixed = explain(**given).data
  for key in ("zeroed_bytes", "workspace_bytes"):
    assert explained.data[key] - fixed[key] == (64 if both_orders else 0)


@pytest.mark.parametrize("schedule", ["persistent", "work_stealing"])
@pytest.mark.parametrize("group_m", [None, 3])
@pytest.mark.parametrize("all_there", [False, True])
def test_tiles_are_visited_by_chunk_unless_all_have_arrived(
    rng, schedule, group_m, all_there):
  a, b = normal(rng, 96, 32), normal(rng, 32, 48)
  config = GemmConfig(tile_m=16, tile_n=16, num_workgroups=1, group_m=group_m)
  signals = np.ones(6, np.uint32)
  signals[5] = all_there
  native.start_trace()
  try:
    out = jaxgemm.chunked_matmul(a, b, jnp.asarray(signals), tiles_per_chunk_m=1,
                                 schedule=schedule, config=config, timeout=0.05)
    assert_product(out, a, b)
    came = True
  except jax.errors.JaxRuntimeError as error:
    assert "signal 5 of chunk_signals" in str(error)
    came = False
  spans = [span for span in native.stop_trace() if span[0] == "compute"]
  rows = [span[1] for span in sorted(spans, key=lambda span: span[3])]
  group_m = group_m or (4 if all_there else 1)
  wanted = [m for first in range(0, 6, group_m) for _ in range(3)
            for m in range(first, min(first + group_m, 6))]
  assert came == all_there
  assert rows == wanted[:None if all_there else wanted.index(5)]


def test_compiled_program_reads_lhs_and_signals_where_they_lie():
  lhs, rhs, signals = S((4, 256, 64), np.float32), S((64, 32), np.float32), S(
      (4, 2), np.uint32)
  text = jax.jit(lambda lhs, rhs, signals: jaxgemm.chunked_matmul(
      lhs, rhs, signals, tiles_per_chunk_m=2, config=GemmConfig(tile_m=64))).lower(
          lhs, rhs, signals).compile().as_text()
  call, = (line for line in text.splitlines() if "custom-call" in line)
  assert "jaxgemm_gemm" in call
  assert not any(f" {op}(" in text for op in ("copy", "transpose", "convert", "fusion"))


def test_in_scan_and_shard_map(rng):
  a, b = normal(rng, 5, 64, 32), normal(rng, 32, 16)
  config = GemmConfig(tile_m=TILE)
  product = lambda a, b, s: jaxgemm.chunked_matmul(
      a, b, s, tiles_per_chunk_m=TILES, config=config)
  _, out = lax.scan(lambda c, a: (c, product(a, b, jnp.ones(2, jnp.uint32))), 0, a)
  assert_product(out, a, b)

  mesh = Mesh(np.array(jax.devices()), ("rows",))
  rows, ones = normal(rng, 8 * 64, 32), jnp.ones(16, jnp.uint32)
  local = jax.shard_map(product, mesh=mesh, in_specs=(P("rows"), P(), P("rows")),
                        out_specs=P("rows"))
  out = jax.jit(local)(rows, b, ones)
  assert_product(out, rows, b)
  with pytest.raises(ValueError, match="Use it inside jax.shard_map"):
    sharded = jax.device_put(rows, jax.NamedSharding(mesh, P("rows")))
    jaxgemm.chunked_matmul(sharded, b, jnp.ones(16, jnp.uint32), tiles_per_chunk_m=TILES,
                           config=config)


def test_a_list_of_signals_is_refused():
  with pytest.raises(TypeError, match="chunk_signals is a list"):
    jaxgemm.chunked_matmul(np.ones((8, 8)), np.ones((8, 8)), [1], tiles_per_chunk_m=1)


def test_explain_supports_and_chunk_rows():
  lhs, rhs = S((1024, 512), jnp.bfloat16), S((512, 256), jnp.bfloat16)
  options = dict(tiles_per_chunk_m=2, tile_idx_pivot_m=4, config=GemmConfig(tile_m=64))
  kwargs = dict(chunk_signals=S((8,), jnp.uint32), **options)
  explained = jaxgemm.explain(lhs, rhs, **kwargs)
  assert explained.data["chunk_rows"] == 128
  assert "128 rows, are waited for from tile row 4 round" in str(explained)
  assert jaxgemm.chunk_rows(lhs, rhs, **options) == 128
  assert jaxgemm.workspace_size(lhs, rhs, **kwargs) > 0
  assert jaxgemm.supports(lhs, rhs, **kwargs) == (True, "")
  assert jaxgemm.explain(lhs, rhs, **kwargs, chunk_rows=128).data == explained.data
  assert jaxgemm.explain(lhs, rhs, chunk_signals=None, **options).data["kernel"]
  assert "does not wait" in jaxgemm.supports(lhs, rhs, **kwargs, implementation="xla")[1]
  wrong = kwargs | {"chunk_signals": S((9,), jnp.uint32)}
  assert not jaxgemm.supports(lhs, rhs, **wrong)[0]
  with pytest.raises(TypeError, match="without chunk_signals"):
    jaxgemm.explain(lhs, rhs, tiles_per_chunk_m=2)
  host = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
  x, w = jax.device_put(jnp.ones((64, 32)), host), jnp.ones((32, 16))
  jax.jit(lambda x, w: jaxgemm.chunk_rows(x, w, tiles_per_chunk_m=1) * w)(x, w)
  one = dict(chunk_signals=jax.device_put(jnp.ones(4, jnp.uint32), host),
             tiles_per_chunk_m=1, config=GemmConfig(tile_m=16))
  assert jaxgemm.explain(x, w, **one).data["chunk_rows"] == 16
  assert jaxgemm.supports(x, w, **one) == (True, "")
  assert jaxgemm.workspace_size(x, w, **one) > 0
  assert jaxgemm.explain(x, w).data == jaxgemm.explain(jnp.ones((64, 32)), w).data
  rows = jaxgemm.chunk_rows(lhs, rhs, tiles_per_chunk_m=1)
  chunks = -(-1024 // rows)
  assert jaxgemm.supports(lhs, rhs, chunk_signals=S((chunks,), jnp.uint32),
                          tiles_per_chunk_m=1)[0]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.uint32])
def test_an_epoch_does_not_wrap(rng, dtype):
  lhs, rhs = normal(rng, 4 * TILE, 32), normal(rng, 32, 16)
  signals = np.full(4, 5, np.uint32)
  config = GemmConfig(tile_m=TILE)

  def f(epoch):
    return jaxgemm.chunked_matmul(lhs, rhs, signals, tiles_per_chunk_m=1, epoch=epoch,
                                  config=config)

  assert_product(f(np.array([5], dtype)), lhs, rhs)  # the value is known while tracing
  if np.issubdtype(dtype, np.unsignedinteger):
    assert_product(jax.jit(f)(dtype(5)), lhs, rhs)
  else:
    with pytest.raises(ValueError, match=f"epoch has dtype {np.dtype(dtype).name}, whose"
                       " values may wrap.*astype"):
      jax.jit(f)(dtype(5))


@pytest.mark.parametrize("given, message", [
    (dict(tiles_per_chunk_m=0), "tiles_per_chunk_m=0; an int from 1"),
    (dict(tiles_per_chunk_m=True), "tiles_per_chunk_m=True"),
    (dict(tile_idx_pivot_m=-1), "tile_idx_pivot_m=-1"),
    (dict(tile_idx_pivot_m=16), "16 tile rows of 64 rows, and the pivot"),
    (dict(signals=(9,)), "chunk_signals has 9 signals.*make 8 chunks of tiles_per_chunk_m=2"),
    (dict(signals=(2, 8)), "chunk_signals has shape"),
    (dict(signals_dtype=jnp.int32), "chunk_signals has dtype int32; uint32 is allowed"),
    (dict(timeout=0), "timeout=0"),
    (dict(epoch=-1), "epoch=-1; an int from 0"),
    (dict(epoch=1.5), "epoch=1.5"),
    (dict(epoch=np.array([-1])), "epoch=-1; an int from 0 to .* or a uint32 array"),
    (dict(epoch=np.array([2**32 + 1])), "epoch=4294967297; an int from 0"),
    (dict(epoch=np.int64(2**32)), "epoch=.*4294967296.*; an int from 0"),
    (dict(epoch=jnp.array(-3)), "epoch=-3; an int from 0"),
    (dict(epoch=np.ones(2, np.uint32)), "epoch="),
    (dict(chunk_rows=64), "chunk_rows=64; chunks of 2 tile rows have 128 rows"),
    (dict(implementation="xla"), "XLA does not wait for chunks"),
    (dict(rhs=jnp.int8, lhs=jnp.complex64), "XLA does not wait"),
    (dict(lhs=jnp.int8, rhs=jnp.float32), "lhs cannot be converted before"),
    (dict(dimension_numbers=(((1, 0), (0, 1)), ((), ())), shape=(1024, 512)),
     "must not be copied before it has arrived"),
])
def test_errors_while_tracing(given, message):
  given = dict(given)
  shape = given.pop("shape", (512, 256))
  lhs = S((1024, 512), given.pop("lhs", np.float32))
  if "dimension_numbers" in given:
    shape = (512, 1024)
  rhs = S(shape, given.pop("rhs", np.float32))
  signals = S(given.pop("signals", (8,)), given.pop("signals_dtype", np.uint32))
  kwargs = dict(tiles_per_chunk_m=2, config=GemmConfig(tile_m=64)) | given
  with pytest.raises(ValueError, match=message):
    jax.eval_shape(lambda a, b, s: jaxgemm.chunked_matmul(a, b, s, **kwargs),
                   lhs, rhs, signals)


@pytest.mark.parametrize("copies", [False, True])
def test_only_products_of_copies_stay_out_of_command_buffers(copies):
  """XLA may capture jaxgemm_gemm, but not jaxgemm_chunked_gemm, which starts copies."""
  options = dict(tiles_per_chunk_m=1, config=GemmConfig(tile_m=128, tile_n=128))

  @jax.jit
  def inner(lhs, rhs, signals):
    return jaxgemm.chunked_matmul(lhs, rhs, signals, **options)

  def own(lhs, rhs, signals):
    return inner(lhs, rhs, signals)

  def copied(lhs, rhs, signals):
    del signals
    return jaxgemm.overlap(lhs, lambda data, signals: inner(data, rhs, signals),
                           chunk_rows=128)

  arguments = (jax.ShapeDtypeStruct((256, 64), jnp.bfloat16),
               jax.ShapeDtypeStruct((64, 128), jnp.bfloat16),
               jax.ShapeDtypeStruct((2,), jnp.uint32))
  text = jax.jit(copied if copies else own).trace(*arguments).lower(
      lowering_platforms=("cuda",)).as_text()
  target = "jaxgemm_chunked_gemm" if copies else "jaxgemm_gemm"
  assert f"@{target}(" in text
