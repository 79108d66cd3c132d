"""Producers in processes of their own: the example, the benchmark, and the end of a process."""

import json
import subprocess
import sys

import pytest

from tests.support import arriving
from tests.support.paths import ROOT


def run(code, *args):
  return subprocess.run([sys.executable, *args, *(["-c", code] if code else [])],
                        capture_output=True, text=True, cwd=ROOT)


ERRORS = """
import jax, jax.numpy as jnp, numpy as np
import jaxgemm

config = jaxgemm.GemmConfig(tile_m=16, tile_n=32)
x = np.ones((4096, 1024), np.float32)
places = []

def fails(x):
  raise ValueError("as the test wanted")

@jax.jit
def f(x, w):
  chunked = jaxgemm.start_copy(jnp.sin(x), chunk_rows=16)
  # The product waits for this w.
  w = w + jax.pure_callback(fails, jax.ShapeDtypeStruct((), np.float32), w[0, 0])
  out = jaxgemm.chunked_matmul(chunked.data, w, chunked.signals, tiles_per_chunk_m=1,
                               config=config)
  return jaxgemm.join(chunked, out)

from jaxgemm import _jaxgemm as native
native.start_trace()
for _ in range(20):
  try:
    jax.block_until_ready(f(x, np.ones((1024, 8), np.float32)))
  except Exception as error:
    assert "as the test wanted" in str(error), error
  else:
    raise SystemExit("no error")
  # Where the copies would be written to.
  places += [np.full((4096, 1024), 7.0, np.float32) for _ in range(3)]
  if len(places) > 30:
    assert all((place == 7).all() for place in places)
    places.clear()
copies = [span for span in native.stop_trace() if span[0] == "copy"]
assert not copies, len(copies)
print("nothing was written")
"""


def test_nothing_is_written_after_an_error_between_start_and_join():
  done = run(ERRORS)
  assert done.returncode == 0 and "nothing was written" in done.stdout, done.stderr


def test_a_process_may_end_while_a_producer_runs():
  done = run("""
import jax, numpy as np, jaxgemm
x = jax.numpy.ones((60000, 1000))
call = jax.jit(lambda x: jax.ffi.ffi_call("jaxgemm_chunks_start", [
    jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((6,), np.uint32)])(
    x, axis=np.int64(0), chunk_rows=np.int64(10000), first_chunk=np.int64(0),
    from_host=np.int64(0), product_leaves_room=np.int64(0)))
kept = jax.block_until_ready(call(x))
print("started")
""")
  assert done.returncode == 0 and "started" in done.stdout, done.stderr


@pytest.mark.from_source
def test_the_example_of_an_own_producer_runs():
  done = run(None, "examples/own_producer/own_producer.py", "--size=256",
             "--pause_us=500")
  assert done.returncode == 0, done.stderr[-3000:]
  first, *times = done.stdout.splitlines()
  assert first.startswith("4 chunks of 64 rows, largest error")
  assert float(first.split()[-1]) < 1e-5 and len(times) == 3


@pytest.mark.whole
@pytest.mark.skipif(not arriving.has_nvcc(), reason="needs nvcc, CUDA's compiler")
def test_the_producer_in_cuda_can_be_built():
  done = run("""
import ctypes, sys
sys.path.insert(0, "examples/own_producer")
import own_producer
ctypes.CDLL(str(own_producer.build(on_gpu=True, arch="sm_90"))).OwnProducer
print("built")
""")
  assert done.returncode == 0 and "built" in done.stdout, done.stderr[-3000:]


@pytest.mark.from_source
def test_the_benchmark_of_a_product_beside_its_producer(tmp_path):
  done = run(None, "-m", "benchmarks", "chunked", "--cases=512x32x64",
             "--chunks=4", "--repeat=3", "--paced_us=100",
             f"--json={tmp_path}/out.json", f"--picture={tmp_path}/out.png")
  assert done.returncode == 0, done.stderr[-3000:]
  rows = json.loads((tmp_path / "out.json").read_text())["rows"]
  assert [row["case"] for row in rows] == [
      f"512x32x64 {producer}, 4 chunks" for producer in ("copy", "paced")]
  assert sum(span[1] == "copy" for span in rows[0]["spans"]) == 4
  assert (tmp_path / "out.png").stat().st_size > 1000
