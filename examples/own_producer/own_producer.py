"""A product of an array that a user's own producer is still computing.

  python examples/own_producer/own_producer.py

The program compiles producer.cc (with g++, or the compiler that CXX names; on an NVIDIA GPU
producer.cu, with nvcc) into a temporary folder, and registers it with JAX. It computes
(x * x) @ w in one jitted program, in which the product multiplies the chunks of x * x that have
come. It prints the largest error, relative to the largest result, and the times of both together
and of each alone.
"""

import ctypes
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from absl import app, flags, logging
import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm

SIZE = flags.DEFINE_integer(
    "size", 1024, "Rows and columns of the matrices.", lower_bound=1)
TILES = flags.DEFINE_integer(
    "tiles_per_chunk", 1, "Rows of tiles in a chunk.", lower_bound=1)
PAUSE_US = flags.DEFINE_integer(
    "pause_us", 2000, "Microseconds that the producer waits before each chunk.", lower_bound=0)

FOLDER = pathlib.Path(__file__).parent
_libraries = []  # they stay open, because JAX calls their functions


def build(on_gpu: bool, arch: str = "native") -> pathlib.Path:
  """Compiles the producer into a library; `arch` is nvcc's, for a GPU."""
  library = pathlib.Path(tempfile.mkdtemp()) / "libproducer.so"
  compiler = ["nvcc"] if on_gpu else shlex.split(os.environ.get("CXX", "g++"))
  if shutil.which(compiler[0]) is None:
    raise FileNotFoundError(
        f"{compiler[0]} was not found, and the producer must be compiled. Install it "
        + ("(it is part of the CUDA toolkit) and add its folder to PATH." if on_gpu
           else "(on Debian: apt install g++), or name another compiler in CXX."))
  command = compiler + (
      ["-Xcompiler", "-fPIC", f"-arch={arch}", FOLDER / "producer.cu"]
      if on_gpu else ["-fPIC", FOLDER / "producer.cc"])
  subprocess.run([*command, "-O2", "-std=c++17", "-shared", "-lpthread",
                  "-isystem", jax.ffi.include_dir(), "-o", library], check=True)
  return library


def register() -> None:
  """Builds the producer and tells JAX where it is."""
  on_gpu = jax.default_backend() == "gpu"
  _libraries.append(ctypes.CDLL(str(build(on_gpu))))
  jax.ffi.register_ffi_target(
      "own_producer", jax.ffi.pycapsule(_libraries[-1].OwnProducer),
      platform="CUDA" if on_gpu else "cpu")


def squares(x, *, chunk_rows: int, pause_us: int) -> jaxgemm.ChunkedArray:
  """x * x, whose chunks are still arriving when this function returns."""
  chunks = -(-x.shape[0] // chunk_rows)
  call = jax.ffi.ffi_call("own_producer", [
      jax.ShapeDtypeStruct(x.shape, x.dtype),
      jax.ShapeDtypeStruct((chunks,), jnp.uint32)])
  data, signals = call(x, chunk_rows=np.int64(chunk_rows), pause_us=np.int64(pause_us))
  return jaxgemm.ChunkedArray(data, signals, source=x)


def product_of_squares(x, w, *, tiles_per_chunk: int, pause_us: int, config=None):
  """(x * x) @ w, which begins with the first chunk. It works only under jax.jit."""
  options = dict(tiles_per_chunk_m=tiles_per_chunk, config=config)
  rows = jaxgemm.chunk_rows(x, w, **options)
  arriving = squares(x, chunk_rows=rows, pause_us=pause_us)
  out = jaxgemm.chunked_matmul(arriving.data, w, arriving.signals, **options)
  # Without the join, XLA would reuse the memory of x and x * x too early.
  return jaxgemm.join(arriving, out, epoch=1)


def config_beside_the_producer(x, w) -> jaxgemm.GemmConfig:
  """On a GPU, a grid that leaves room for the producer's kernel; on the CPU, small chunks."""
  if jax.default_backend() != "gpu":
    return jaxgemm.GemmConfig(tile_m=64)
  full = jaxgemm.explain(x, w, implementation="jaxgemm").data["num_workgroups"]
  return jaxgemm.GemmConfig(num_workgroups=max(1, full - max(2, full // 10)))


def _milliseconds(function, *args) -> float:
  jax.block_until_ready(function(*args))  # compiles
  times = []
  for _ in range(5):
    begin = time.perf_counter()
    jax.block_until_ready(function(*args))
    times.append(time.perf_counter() - begin)
  return 1e3 * sorted(times)[2]


def main(argv) -> None:
  if len(argv) > 1:
    raise app.UsageError(f"Unexpected arguments: {argv[1:]}")
  if not flags.FLAGS["verbosity"].present:
    logging.set_verbosity(logging.WARNING)  # no warning that there is no TPU
  print("Compiling the producer, then three programs: some seconds.", file=sys.stderr)
  register()
  rng = np.random.default_rng(0)
  shape = SIZE.value, SIZE.value
  x, w = (jnp.asarray(rng.standard_normal(shape, np.float32)) for _ in range(2))
  config = config_beside_the_producer(x, w)
  rows = jaxgemm.chunk_rows(x, w, tiles_per_chunk_m=TILES.value, config=config)

  @jax.jit
  def together(x, w):
    return product_of_squares(x, w, tiles_per_chunk=TILES.value, config=config,
                              pause_us=PAUSE_US.value)

  @jax.jit
  def producer(x):
    arriving = squares(x, chunk_rows=rows, pause_us=PAUSE_US.value)
    return jaxgemm.join(arriving, x[0] + 0, epoch=1)

  plain = jax.jit(lambda x, w: jaxgemm.matmul(x, w, config=config))
  expected = np.square(np.asarray(x, np.float64)) @ np.asarray(w, np.float64)
  error = np.abs(together(x, w) - expected).max() / np.abs(expected).max()
  print(f"{-(-SIZE.value // rows)} chunks of {rows} rows, largest error {error:.1e}",
        flush=True)
  for name, time_ms in (("together", _milliseconds(together, x, w)),
                        ("producer alone", _milliseconds(producer, x)),
                        ("product alone", _milliseconds(plain, x, w))):
    print(f"{name:16}{time_ms:8.2f} ms")


if __name__ == "__main__":
  app.run(main)
