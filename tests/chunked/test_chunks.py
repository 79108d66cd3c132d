"""Producers that run beside the product that consumes their chunks, on the CPU."""

import functools

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from jaxgemm import _jaxgemm as native
from tests.support import arriving
from tests.support.arriving import TILE, TILES
from tests.support.environment import VIRTUAL_ROCM

CONFIG = GemmConfig(tile_m=TILE, tile_n=None if VIRTUAL_ROCM else 32)
overlapped = functools.partial(arriving.overlapped, config=CONFIG, tiles=TILES)


def normal(rng, *shape, dtype=np.float32):
  return np.asarray(rng.standard_normal(shape), np.float32).astype(dtype)


def assert_close(out, want, tolerance=1e-5):
  out, want = np.asarray(out, np.float64), np.asarray(want, np.float64)
  assert out.shape == want.shape and np.isfinite(out).all()
  assert np.abs(out - want).max() <= tolerance * np.abs(want).max()


def copied(x, chunk_rows, **kwargs):
  """x @ identity, a chunked product of a copy of x."""
  tiles = chunk_rows // CONFIG.tile_m
  return jaxgemm.overlap(
      x, lambda data, signals: jaxgemm.chunked_matmul(
          data, jnp.eye(x.shape[-1], dtype=x.dtype), signals, tiles_per_chunk_m=tiles,
          config=CONFIG), chunk_rows=chunk_rows, **kwargs)


@pytest.mark.parametrize("m", [1, 31, 32, 33, 200])
@pytest.mark.parametrize("first_chunk", [0, 1, -1])
def test_sizes_and_orders(rng, m, first_chunk):
  chunks = -(-m // 32)
  first_chunk = first_chunk % chunks
  x, w = normal(rng, m, 40), normal(rng, 40, 24)
  f = jax.jit(functools.partial(
      overlapped, first_chunk=first_chunk, pivot=TILES * first_chunk))
  assert_close(f(x, w), x.astype(np.float64) @ w)


@pytest.mark.parametrize("dtype", [
    np.float32, jnp.bfloat16, jnp.float8_e4m3fn, np.int8])
def test_every_row_arrives(rng, dtype):
  x = rng.integers(-8, 8, (70, 33)).astype(dtype)
  out = copied(x, CONFIG.tile_m)
  assert_close(out, x, tolerance=0)


@pytest.mark.parametrize("leaves_room", [False, True])
@pytest.mark.parametrize("on_host", [False, True])
def test_whether_the_product_leaves_room_changes_no_result(rng, leaves_room, on_host):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)
  given = x
  if on_host:
    given = jax.device_put(x, jax.sharding.SingleDeviceSharding(
        jax.devices()[0], memory_kind="pinned_host"))
  f = functools.partial(
      jaxgemm.overlap, chunk_rows=32, product_leaves_room=leaves_room)

  def product(x, w):
    return f(x, lambda data, signals: jaxgemm.chunked_matmul(
        data, w, signals, tiles_per_chunk_m=TILES, config=CONFIG))

  want = x.astype(np.float64) @ w
  for _ in range(10):
    assert_close(jax.jit(product)(given, w), want)
  d_x, d_w = jax.jit(jax.grad(lambda x, w: product(x, w).sum(), (0, 1)))(given, w)
  assert_close(d_x, np.tile(w.astype(np.float64).sum(1), (100, 1)))
  assert_close(d_w, np.repeat(x.astype(np.float64).sum(0)[:, None], 24, 1))
  if not on_host:
    assert_close(jax.jit(jax.vmap(product, (0, None)))(np.stack([x, 2 * x]), w),
                 np.stack([want, 2 * want]))
  text = jax.jit(product).lower(given, w).as_text()
  assert f"product_leaves_room = {int(leaves_room)} : i64" in text
  assert f"from_host = {int(on_host)} : i64" in text


def test_batches_share_the_signals(rng):
  x, w = normal(rng, 3, 100, 40), normal(rng, 40, 24)
  assert_close(jax.jit(overlapped)(x, w), x.astype(np.float64) @ w)


def test_chunks_of_columns(rng):
  # lhs is [K, M]: its rows are the last dimension, and a chunk of it is strided.
  x, w = normal(rng, 40, 100), normal(rng, 40, 24)
  f = jax.jit(functools.partial(overlapped, axis=-1, by_column=True))
  assert_close(f(x, w), x.T.astype(np.float64) @ w)


def test_the_copies_are_traced_and_the_product_computes_between_them(rng):
  x, w = normal(rng, 8192, 512), normal(rng, 512, 32)
  f = jax.jit(functools.partial(overlapped, tiles=32))
  f(x, w).block_until_ready()
  # On a busy machine all copies may end before the product runs. Then the call is repeated.
  for _ in range(200):
    native.start_trace()
    f(x, w).block_until_ready()
    spans = native.stop_trace()
    copies = [span for span in spans if span[0] == "copy"]
    computed = [span for span in spans if span[0] == "compute"]
    assert [span[1] for span in copies] == list(range(16))
    assert {span[1] for span in computed} == set(range(512))
    assert {span[2] for span in copies}.isdisjoint(span[2] for span in computed)
    assert all(begin <= end for *_, begin, end in spans)
    arrived = {number: end for _, number, _, _, end in copies}
    assert all(begin >= arrived[row // 32] for _, row, _, begin, _ in computed)
    if min(span[3] for span in computed) < max(arrived.values()):
      break
  else:
    pytest.fail("the product began after all copies in 200 calls")
  f(x, w).block_until_ready()
  assert native.stop_trace() == []


def test_many_calls_on_reused_buffers(rng):
  w = normal(rng, 40, 24)
  f = jax.jit(overlapped)
  xs = [normal(rng, 100, 40) for _ in range(4)]
  wants = [x.astype(np.float64) @ w for x in xs]
  for i in range(50 if VIRTUAL_ROCM else 1000):
    out = f(xs[i % 4], w)
    if i % 50 < 4:
      assert_close(out, wants[i % 4])


def test_many_producers_run_at_once(rng):
  xs, w = [normal(rng, 100 + i, 40) for i in range(12)], normal(rng, 40, 24)
  outs = jax.jit(lambda xs, w: [overlapped(x, w) for x in xs])(xs, w)
  for x, out in zip(xs, outs):
    assert_close(out, x.astype(np.float64) @ w)


def test_two_equal_starts_feed_two_products(rng):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)
  f = jax.jit(lambda x, w: (overlapped(x, w), overlapped(x, 2 * w)))
  for _ in range(20):
    first, second = f(x, w)
    assert_close(first, x.astype(np.float64) @ w)
    assert_close(second, 2 * (x.astype(np.float64) @ w))


def test_several_results_and_several_products(rng):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)

  def consumer(data, signals):
    product = functools.partial(jaxgemm.chunked_matmul, data, chunk_signals=signals,
                                tiles_per_chunk_m=TILES, config=CONFIG)
    return {"a": product(w), "b": (product(w, activation="relu"), jnp.ones(3))}

  outs = jax.jit(lambda x: jaxgemm.overlap(x, consumer, chunk_rows=32))(x)
  assert_close(outs["a"], x.astype(np.float64) @ w)
  assert_close(outs["b"][0], np.maximum(x.astype(np.float64) @ w, 0))
  # A program that needs one result keeps the join of all results.
  text = jax.jit(
      lambda x: jaxgemm.overlap(x, consumer, chunk_rows=32)["b"][1]).lower(x).as_text()
  assert "jaxgemm_chunks_join" in text


def test_scan(rng):
  xs, w = normal(rng, 5, 100, 40), normal(rng, 40, 24)

  @jax.jit
  def f(xs, w):
    return lax.scan(lambda total, x: (total + 1, overlapped(x, w)), 0, xs)

  count, outs = f(xs, w)
  assert count == 5
  assert_close(outs, xs.astype(np.float64) @ w)


def test_a_start_stays_beside_its_join(rng):
  """A loop may run zero times, so XLA must not hoist a start, although x is constant."""
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)

  @jax.jit
  def f(x, w, turns):
    return lax.fori_loop(
        0, turns, lambda i, total: total + overlapped(x, w * i), jnp.zeros((100, 24)))

  assert_close(f(x, w, 4), 6 * (x.astype(np.float64) @ w))
  entry = f.lower(x, w, 4).compile().as_text().split("\nENTRY")[1]
  assert "chunks_start" not in entry and "chunks_join" not in entry
  native.start_trace()
  assert not np.asarray(f(x, w, 0)).any()
  assert native.stop_trace() == []
  # A copy that no result needs is not started.
  unused = jax.jit(lambda x, w: (overlapped(x, w), x + 1)[1])
  assert "chunks_start" not in unused.lower(x, w).as_text()


@pytest.mark.parametrize("taken", [True, False])
def test_copies_end_if_the_consumer_is_not_reached(rng, taken):
  x, w = normal(rng, 20000, 256), normal(rng, 256, 8)

  @jax.jit
  def f(x, w, taken):
    return jaxgemm.overlap(x, lambda data, signals: lax.cond(
        taken, lambda: jaxgemm.chunked_matmul(
            data, w, signals, tiles_per_chunk_m=125, config=CONFIG),
        lambda: jnp.zeros((20000, 8))), chunk_rows=2000)

  f(x, w, taken).block_until_ready()
  native.start_trace()
  out = np.asarray(f(x, w, taken))
  # All chunks were copied before the arrays were freed.
  assert sum(span[0] == "copy" for span in native.stop_trace()) == 10
  assert_close(out, x.astype(np.float64) @ w if taken else np.zeros((20000, 8)))


def test_copies_end_if_the_consumer_fails(rng):
  x, w = normal(rng, 20000, 1024), normal(rng, 1024, 8)

  @jax.jit
  def f(x, w, epoch):
    return jaxgemm.overlap(x, lambda data, signals: jaxgemm.chunked_matmul(
        data, w, signals, tiles_per_chunk_m=125, epoch=epoch, config=CONFIG,
        timeout=1e-3), chunk_rows=2000)

  native.start_trace()
  with pytest.raises(Exception, match="did not become the epoch within 1 ms"):
    f(x, w, np.uint32(7)).block_until_ready()
  assert sum(span[0] == "copy" for span in native.stop_trace()) == 10
  for _ in range(3):
    assert_close(overlapped(x[:100], w), x[:100].astype(np.float64) @ w)


def test_gradients(rng):
  x, w, target = normal(rng, 100, 40), normal(rng, 40, 24), normal(rng, 100, 24)

  def loss(product, x, w):
    return jnp.vdot(jnp.sin(product(x, w)), target) + product(x, w).sum()

  chunked = jax.grad(functools.partial(loss, overlapped), (0, 1))
  plain = jax.grad(functools.partial(loss, jnp.matmul), (0, 1))
  for got, want in zip(jax.jit(chunked)(x, w), plain(x, w)):
    assert_close(got, want, 1e-4)
  _, got = jax.jvp(jax.jit(overlapped), (x, w), (x, 2 * w))
  assert_close(got, 3 * (x.astype(np.float64) @ w))
  again = jax.grad(lambda x: jnp.vdot(chunked(x, w)[1], w))
  want = jax.grad(lambda x: jnp.vdot(plain(x, w)[1], w))
  assert_close(jax.jit(again)(x), want(x), 1e-4)
  remat = jax.jit(jax.grad(lambda w: loss(jax.checkpoint(overlapped), x, w)))
  assert_close(remat(w), plain(x, w)[1], 1e-4)


def test_joins_by_an_epoch(rng):
  arriving.check_joins(normal(rng, 60, 40), jnp.asarray(normal(rng, 40, 24)), CONFIG)


def test_a_join_gives_up_after_its_timeout(rng):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)

  @functools.partial(jax.jit, static_argnames="timeout")
  def f(signals, w, *, timeout):
    return jaxgemm.join(jaxgemm.ChunkedArray(x, signals, ()), 2 * w, epoch=3,
                        timeout=timeout)

  signals = np.array([3, 3, 2, 3], np.uint32)
  with pytest.raises(Exception, match="signal 2 did not become the epoch 3 within 50 ms "
                     "of the join. Start the producer before the join"):
    f(signals, w, timeout=0.05).block_until_ready()
  assert_close(f(np.full(4, 3, np.uint32), w, timeout=0.05), 2 * w)
  for wrong in (0, -1.0, 86401, float("nan"), "1", True, None):
    with pytest.raises(ValueError, match="timeout=.*; a number of seconds above 0"):
      f(signals, w, timeout=wrong)


def product(data, signals, w):
  return jaxgemm.chunked_matmul(data, w, signals, tiles_per_chunk_m=TILES, config=CONFIG)


def half(x):
  return jnp.asarray(x, jnp.bfloat16)


READERS = {  # functions that read an array that is still arriving
    "convert_element_type": lambda data, signals, w: product(half(data), signals, half(w)),
    "transpose": lambda data, signals, w: (product(data, signals, w), data.T),
    "reduce_sum": lambda data, signals, w: (product(data, signals, w), data.sum()),
    "reduce_max": lambda data, signals, w: jax.jit(lambda x: x.max())(data),
    "mul": lambda data, signals, w: lax.cond(
        w[0, 0] > 0, lambda: product(data, signals, w), lambda: 2 * data),
    "exp": lambda data, signals, w: lax.scan(
        lambda i, _: (i + 1, jnp.exp(data)), 0, None, length=3),
    "add": lambda data, signals, w: product(data, signals, w) + data,
    "jaxgemm_gemm": lambda data, signals, w: jaxgemm.matmul(data, w),
    "slice": lambda data, signals, w: product(w, np.ones(2, np.uint32), data[:40]),
    "pure_callback": lambda data, signals, w: jax.pure_callback(
        lambda x: x, jax.ShapeDtypeStruct(data.shape, data.dtype), data),
    "reduce_min": lambda data, signals, w: (product(data, signals, w), signals.min()),
}


@pytest.mark.parametrize("reader", READERS)
def test_only_products_of_chunks_read_what_has_not_arrived(rng, reader):
  x, w = normal(rng, 100, 40), normal(rng, 40, 40)
  consumer = functools.partial(READERS[reader], w=w)
  name = "signals" if reader == "reduce_min" else "data"
  with pytest.raises(ValueError, match=rf"{reader}.* reads {name} of the copy, which may "
                     "not have arrived.*Use the source x"):
    jaxgemm.overlap(x, consumer, chunk_rows=32)

  @jax.jit
  def by_hand(x):
    chunked = jaxgemm.start_copy(x, chunk_rows=32)
    return jaxgemm.join(chunked, consumer(chunked.data, chunked.signals))

  with pytest.raises(ValueError, match=f"{reader}.* reads {name} of the copy"):
    by_hand(x)


def test_branches_do_not_return_what_has_not_arrived(rng):
  x, w = normal(rng, 100, 40), normal(rng, 40, 40)
  with pytest.raises(ValueError, match="a branch of lax.cond returns data of the copy"):
    jaxgemm.overlap(x, lambda data, signals: lax.cond(
        w[0, 0] > 0, lambda: product(data, signals, w), lambda: data), chunk_rows=32)


def test_an_arriving_array_is_refused_as_rhs(rng):
  x, w = normal(rng, 100, 40), normal(rng, 64, 100)
  with pytest.raises(ValueError, match="jaxgemm_chunked.* reads data of the copy"):
    jaxgemm.overlap(x, lambda data, signals: product(w, np.ones(2, np.uint32), data),
                    chunk_rows=32)


@pytest.mark.parametrize("wrap", [
    jax.jit, jax.checkpoint, lambda f: jax.jit(jax.checkpoint(jax.jit(f))),
    lambda f: lambda data, signals, w: lax.scan(
        lambda i, _: (i, f(data, signals, w)), 0, None, length=2)[1][1],
    lambda f: lambda data, signals, w: lax.cond(
        w[0, 0] < 1e9, f, lambda data, signals, w: jnp.zeros((100, 24)), data, signals,
        w),
    lambda f: lambda data, signals, w: jnp.sin(
        jax.jvp(lambda w: f(data, signals, w), (w,), (w,))[1]),
    lambda f: lambda data, signals, w: f(
        data.reshape(10, 10, 40).reshape(100, 40), signals, w),
])
def test_products_of_chunks_may_be_inside_other_transforms(rng, wrap):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)

  def plain(x, w):
    return wrap(lambda data, signals, w: jnp.matmul(data, w))(x, None, w).sum()

  def chunked(x, w):
    return jaxgemm.overlap(
        x, lambda data, signals: wrap(product)(data, signals, w), chunk_rows=32).sum()

  assert_close(jax.jit(chunked)(x, w), plain(x, w), 1e-4)
  for got, want in zip(jax.grad(chunked, (0, 1))(x, w), jax.grad(plain, (0, 1))(x, w)):
    assert_close(got, want, 1e-4)


def test_a_start_needs_its_join(rng):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)

  @jax.jit
  def no_join(x):
    chunked = jaxgemm.start_copy(x, chunk_rows=32)
    return product(chunked.data, chunked.signals, w)

  with pytest.raises(ValueError, match="start_copy has no join.*jaxgemm.overlap"):
    no_join(x)
  start = jax.jit(functools.partial(jaxgemm.start_copy, chunk_rows=32))

  @jax.jit
  def elsewhere(x):
    chunked = start(x)
    return jaxgemm.join(chunked, product(chunked.data, chunked.signals, w))

  with pytest.raises(ValueError, match="not what start_copy returned in this function"):
    elsewhere(x)


def test_the_source_is_kept_under_checkpoint(rng):
  """A recomputation does not need the results of the join, and jax drops that join."""
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)

  def f(w):
    return overlapped(jnp.sin(x), w).sum()

  text = jax.jit(jax.grad(jax.checkpoint(f))).lower(w).as_text()
  lines = text.splitlines()
  for line in (x for x in lines if "@jaxgemm_chunks_start(" in x):
    name = line.split("=")[0].strip().split(":")[0]
    assert any("@jaxgemm_chunks_join(" in x and f"{name}#0" in x for x in lines)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
def test_vmap(rng, axes):
  x, w = normal(rng, 3, 100, 40), normal(rng, 3, 40, 24)
  x, w = (a if axis == 0 else a[0] for a, axis in zip((x, w), axes))
  out = jax.jit(jax.vmap(overlapped, axes))(x, w)
  assert_close(out, np.matmul(x.astype(np.float64), w))


def test_a_source_in_host_memory(rng):
  x, w = normal(rng, 100, 40), normal(rng, 40, 24)
  device = jax.devices()[0]
  host = jax.device_put(
      x, jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host"))
  f = jax.jit(overlapped)
  out = f(host, w)
  assert out.sharding.memory_kind == "device"
  assert_close(out, x.astype(np.float64) @ w)
  # Only the producer reads the source; the joins of the product and the consumer keep it alive.
  text = f.lower(host, w).compile().as_text()
  lines = [line for line in text.splitlines()
           if "%x.1" in line and "custom-call" in line]
  assert len(lines) == 3 and "copy(" not in text
  d_x, d_w = jax.jit(jax.grad(lambda x, w: overlapped(x, w).sum(), (0, 1)))(host, w)
  assert_close(d_w, np.repeat(x.astype(np.float64).sum(0)[:, None], 24, 1))
  assert_close(d_x, np.tile(w.astype(np.float64).sum(1), (100, 1)))


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_lowers_for_gpus(rng, platform):
  x, w = (jax.ShapeDtypeStruct(shape, jnp.bfloat16)
          for shape in ((512, 256), (256, 128)))
  f = jax.jit(lambda x, w: jaxgemm.overlap(x, lambda data, signals: (
      jaxgemm.chunked_matmul(data, w, signals, tiles_per_chunk_m=1,
                             config=GemmConfig(tile_m=128, tile_n=128))),
      chunk_rows=128, product_leaves_room=True))
  text = f.trace(x, w).lower(lowering_platforms=(platform,)).as_text()
  for target in ("chunks_start", "chunked_gemm", "chunk_status", "chunks_join"):
    assert f"@jaxgemm_{target}(" in text
  assert "product_leaves_room = 1 : i64" in text and "from_host = 0 : i64" in text


def test_shard_map(rng):
  x, w = normal(rng, 8 * 64, 40), normal(rng, 40, 24)
  mesh = Mesh(np.array(jax.devices()), "x")
  f = jax.jit(jax.shard_map(overlapped, mesh=mesh, in_specs=(P("x"), P()),
                            out_specs=P("x")))
  assert_close(f(x, w), x.astype(np.float64) @ w)
  sharded = jax.device_put(x, NamedSharding(mesh, P("x")))
  with pytest.raises(ValueError, match="a copy in chunks is in a program for several"):
    jax.jit(overlapped)(sharded, w)


def test_arguments(rng):
  x = normal(rng, 100, 40)
  consumer = lambda data, signals: data  # pylint: disable=g-long-lambda-assignment
  with pytest.raises(ValueError, match="chunk_rows=0; a chunk has at least one row"):
    jaxgemm.overlap(x, consumer, chunk_rows=0)
  with pytest.raises(ValueError, match=r"axis=2 of an array of shape \(100, 40\)"):
    jaxgemm.overlap(x, consumer, chunk_rows=8, axis=2)
  with pytest.raises(ValueError, match="first_chunk=4; with chunk_rows=32 the 100 rows are 4"):
    jaxgemm.overlap(x, consumer, chunk_rows=32, first_chunk=4)
  with pytest.raises(ValueError, match="x is complex64; products take bfloat16"):
    jaxgemm.overlap(x.astype(np.complex64), consumer, chunk_rows=32)
  with pytest.raises(ValueError, match="results have the arriving array"):
    jaxgemm.overlap(x, consumer, chunk_rows=32)
  with pytest.raises(ValueError, match="outside of jax.jit"):
    jaxgemm.start_copy(x, chunk_rows=32)
  for wrong in (None, 1, "yes", np.True_, jnp.array(True)):
    for call in (functools.partial(jaxgemm.overlap, x, consumer), functools.partial(
        jaxgemm.start_copy, x)):
      with pytest.raises(TypeError, match="product_leaves_room=.* was given; True and"):
        call(chunk_rows=32, product_leaves_room=wrong)
