"""Producers beside products on an NVIDIA GPU; skipped where there is none.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_chunks.py
"""

import functools
import subprocess
import sys

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from tests.sm90.cuda_gpu import ROOT, array, skip_reason
from tests.support import arriving

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())

CONFIG = GemmConfig(tile_m=128, tile_n=128)
overlapped = functools.partial(arriving.overlapped, config=CONFIG)


def assert_close(out, x, w):
  want = np.asarray(x, np.float64) @ np.asarray(w, np.float64)
  out = np.asarray(out, np.float64)
  assert out.shape == want.shape and np.isfinite(out).all()
  assert np.linalg.norm(out - want) <= 4e-3 * np.linalg.norm(want)


def on_host(x):
  return jax.device_put(x, jax.sharding.SingleDeviceSharding(
      x.device, memory_kind="pinned_host"))


@pytest.mark.parametrize("place", ["device", "pinned_host"])
@pytest.mark.parametrize("m, first_chunk", [(100, 0), (1024, 0), (1024, 2), (1100, 3)])
def test_sizes_and_orders(rng, place, m, first_chunk):
  x, w = array(rng, m, 256), array(rng, 256, 192)
  given = on_host(x) if place == "pinned_host" else x
  f = jax.jit(lambda x, w: overlapped(x, w, first_chunk=first_chunk,
                                      pivot=2 * first_chunk))
  for _ in range(10):
    out = f(given, w)
    assert_close(out, x, w)
  assert out.sharding.memory_kind == "device"


@pytest.mark.parametrize("place", ["device", "pinned_host"])
def test_batches(rng, place):
  x, w = array(rng, 3, 520, 256), array(rng, 256, 192)
  given = on_host(x) if place == "pinned_host" else x
  assert_close(jax.jit(overlapped)(given, w), x, w)


def test_a_source_in_host_memory_is_not_copied_before_the_producer(rng):
  x, w = on_host(array(rng, 1024, 256)), array(rng, 256, 192)
  text = jax.jit(overlapped).lower(x, w).compile().as_text()
  assert "bf16[1024,256]{1,0:S(5)}" in text
  assert "copy-start" not in text and " copy(" not in text


def test_many_calls_in_a_row(rng):
  w = array(rng, 256, 192)
  xs = [array(rng, 1024, 256) for _ in range(4)]
  f = jax.jit(overlapped)
  outs = [f(xs[i % 4], w) for i in range(300)]
  for i in (0, 1, 2, 3, 150, 151, 298, 299):
    assert_close(outs[i], xs[i % 4], w)
  loop = jax.jit(lambda xs, w: lax.scan(
      lambda total, x: (total + 1, overlapped(x, w)), 0, xs))
  count, outs = loop(jnp.stack(xs), w)
  assert count == 4
  for out, x in zip(outs, xs):
    assert_close(out, x, w)


def check_within_the_device(rng, tiles, config=None, **kwargs):
  """Checks thirty products of an array that is copied within the device."""
  x, w = array(rng, 8192, 8192), array(rng, 8192, 8192)
  rows = jaxgemm.chunk_rows(x, w, tiles_per_chunk_m=tiles, config=config)
  f = jax.jit(lambda x, w: jaxgemm.overlap(
      x, lambda data, signals: jaxgemm.chunked_matmul(
          data, w, signals, tiles_per_chunk_m=tiles, config=config, timeout=2.0),
      chunk_rows=rows, **kwargs))
  want = jax.jit(functools.partial(jaxgemm.matmul, config=config))(x, w)
  same = jax.jit(lambda out, want: (out == want).all())
  checks = [same(f(x, w), want) for _ in range(30)]
  assert [i for i, right in enumerate(checks) if not right] == []


@pytest.mark.parametrize("tiles", [1, 2, 4, 8])
def test_copies_within_the_device_need_no_multiprocessor(rng, tiles):
  """The product fills the GPU: a copy by a kernel and the product would deadlock."""
  check_within_the_device(rng, tiles)


@pytest.mark.parametrize("tiles", [4, 8])
def test_copies_within_the_device_beside_a_product_that_leaves_room(rng, tiles):
  check_within_the_device(
      rng, tiles, GemmConfig(tile_m=256, tile_n=256, num_workgroups=62),
      product_leaves_room=True)


def test_a_result_that_is_sliced_or_stacked(rng):
  # XLA may give a call the address of a slice, and forget that its result is aliased.
  x, w = array(rng, 1024, 256), array(rng, 256, 192)
  out = jax.jit(lambda x, w: jaxgemm.overlap(
      x, lambda data, signals: jaxgemm.chunked_matmul(
          data, w, signals, tiles_per_chunk_m=2, config=CONFIG)[512:],
      chunk_rows=256))(on_host(x), w)
  assert_close(out, x[512:], w)


def test_gradients(rng):
  x, w = array(rng, 1024, 256), array(rng, 256, 192)
  d_x, d_w = jax.jit(jax.grad(
      lambda x, w: overlapped(x, w).astype(jnp.float32).sum(), (0, 1)))(on_host(x), w)
  ones = np.ones((1024, 192))
  assert_close(d_x, ones, np.asarray(w, np.float64).T)
  assert_close(d_w, np.asarray(x, np.float64).T, ones)


def test_consumers_may_fail_or_not_be_reached(rng):
  x, w = array(rng, 8192, 2048), array(rng, 2048, 256)
  f = jax.jit(lambda x, w, epoch: overlapped(x, w, epoch=epoch, timeout=2e-3))
  for _ in range(3):
    with pytest.raises(Exception, match="did not become the epoch within 2 ms"):
      jax.block_until_ready(f(on_host(x), w, np.uint32(7)))
    assert_close(f(x, w, np.uint32(1)), x, w)
  skip = jax.jit(lambda x, w, taken: jaxgemm.overlap(
      x, lambda data, signals: lax.cond(
          taken, lambda: jaxgemm.chunked_matmul(
              data, w, signals, tiles_per_chunk_m=2, config=CONFIG),
          lambda: jnp.zeros((8192, 256), jnp.bfloat16)), chunk_rows=256))
  assert not np.asarray(skip(on_host(x), w, False)).any()
  assert_close(skip(on_host(x), w, True), x, w)


def test_joins_by_an_epoch(rng):
  arriving.check_joins(np.asarray(array(rng, 500, 256)), array(rng, 256, 192), CONFIG)


@pytest.mark.skipif(not arriving.has_nvcc(), reason="needs nvcc, CUDA's compiler")
def test_the_example_of_an_own_producer_runs():
  done = subprocess.run(
      [sys.executable, "examples/own_producer/own_producer.py", "--pause_us=20"],
      capture_output=True, text=True, timeout=1800, cwd=ROOT)
  assert done.returncode == 0, done.stderr[-3000:]
  print(done.stdout)
  assert float(done.stdout.splitlines()[0].split()[-1]) < 1e-2
