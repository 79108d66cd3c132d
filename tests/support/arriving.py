"""Products of arrays that arrive by a copy, or from a thread of the test."""

import ctypes
import functools
import subprocess
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from tests.support.environment import VIRTUAL_ROCM

# The smallest tile of AMD's kernels has 32 rows.
TILE = 32 if VIRTUAL_ROCM else 16
TILES = 32 // TILE  # in a chunk of 32 rows


def has_nvcc() -> bool:
  """Whether nvcc, CUDA's compiler, is installed and starts."""
  try:
    return subprocess.run(["nvcc", "--version"], capture_output=True).returncode == 0
  except OSError:
    return False


def overlapped(x, w, *, config, tiles=2, first_chunk=0, axis=-2, pivot=0,
               by_column=False, **kwargs):
  """x @ w while x is copied; x is [..., K, M] if by_column."""
  numbers = (((0,), (0,)), ((), ())) if by_column else None
  return jaxgemm.overlap(
      x, lambda data, signals: jaxgemm.chunked_matmul(
          data, w, signals, tiles_per_chunk_m=tiles, tile_idx_pivot_m=pivot,
          config=config, dimension_numbers=numbers, **kwargs),
      chunk_rows=config.tile_m * tiles, axis=axis, first_chunk=first_chunk)


def memory(x: jax.Array):
  """An array's memory, which can be written. np.array of it is a copy of its current values."""
  # The memory of a virtual AMD GPU is the host's.
  if x.device.platform != "cpu" and _ffi.virtual_gpus is None:
    return CudaMemory(x)
  buffer = (ctypes.c_uint8 * x.nbytes).from_address(x.unsafe_buffer_pointer())
  return np.frombuffer(buffer, np.uint8).view(x.dtype).reshape(x.shape)


class Arriving:
  """An lhs [..., M, K] (axis -2) with chunks that a thread writes one by one.

  Attributes:
    values: The values to write; a test may assign others of the same shape.
    lhs: The array, with NaN (int8: -128) where nothing has been written.
    signals: uint32[C], or [*batch, C]; zeros at first.
  """

  def __init__(self, values: np.ndarray, chunk_rows: int, axis: int = -2,
               batched: bool = False):
    self.values, self._rows, self._axis = values, chunk_rows, axis % values.ndim
    poison = -128 if values.dtype == np.int8 else np.nan
    self.lhs = jnp.full(values.shape, poison, values.dtype)
    chunks = -(-values.shape[axis] // chunk_rows)
    batch = values.shape[:-2] if batched else ()
    self.signals = jnp.zeros((*batch, chunks), jnp.uint32)
    jax.block_until_ready((self.lhs, self.signals))
    self._lhs, self._signals = memory(self.lhs), memory(self.signals)

  def places(self) -> list[tuple[int, ...]]:
    """All chunks, as indices of their signals."""
    return list(np.ndindex(self.signals.shape))

  def signals_now(self) -> np.ndarray:
    """The current values of the signals."""
    return np.array(self._signals)

  def write(self, place, epoch: int = 1) -> None:
    """Writes one chunk, then its signal."""
    *batch, chunk = place
    index = [slice(None)] * self.values.ndim
    index[:len(batch)] = batch
    index[self._axis] = slice(chunk * self._rows, (chunk + 1) * self._rows)
    self._lhs[tuple(index)] = self.values[tuple(index)]
    self._signals[place] = epoch

  def start(self, order, pause: float = 0.0, epoch: int = 1) -> threading.Thread:
    """Starts a thread that writes the chunks in this order."""
    def run():
      for place in order:
        time.sleep(pause)
        self.write(place, epoch)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def check_joins(values: np.ndarray, w: jax.Array, config: jaxgemm.GemmConfig) -> None:
  """Checks joins by an epoch, after a product and after a result without chunks."""
  arriving = Arriving(values, config.tile_m)

  @functools.partial(jax.jit, static_argnames=("epoch", "multiplies"))
  def f(lhs, signals, w, *, epoch, multiplies):
    out = 2 * w
    if multiplies:
      out = jaxgemm.chunked_matmul(lhs, w, signals, tiles_per_chunk_m=1, epoch=epoch,
                                   config=config)
    return jaxgemm.join(jaxgemm.ChunkedArray(lhs, signals, ()), out, epoch=epoch)

  for epoch, multiplies in ((1, False), (2, True), (2**32 - 1, False), (7, True)):
    args = arriving.lhs, arriving.signals, w
    run = f.lower(*args, epoch=epoch, multiplies=multiplies).compile()
    thread = arriving.start(arriving.places()[::-1], pause=0.01, epoch=epoch)
    out = run(*args).block_until_ready()
    assert (arriving.signals_now() == epoch).all()
    thread.join()
    left = np.asarray(values, np.float64) if multiplies else 2 * np.eye(len(w))
    want = left @ np.asarray(w, np.float64)
    error = np.asarray(out, np.float64) - want
    assert np.linalg.norm(error) <= 4e-3 * np.linalg.norm(want)


class CudaMemory:
  """The memory of an array on an NVIDIA GPU, written on a separate stream."""

  def __init__(self, x: jax.Array):
    self._address, self._held = x.unsafe_buffer_pointer(), np.array(x)
    self._gpu = x.device.local_hardware_id
    # At the first use of a stream or a kind of copy, CUDA may wait for all kernels. So each is used
    # once here, before a kernel waits for them.
    np.array(self)
    self[(slice(None),)] = self._held.copy()

  def __setitem__(self, index: tuple, values) -> None:
    self._held[index] = values
    part = self._held[(*index, None)]  # a view, even of one element
    if not part.flags.c_contiguous:
      raise ValueError(f"{index} is not one piece of memory; rows are allowed.")
    address = self._address + part.ctypes.data - self._held.ctypes.data
    _on_stream(self._gpu, "cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address),
               ctypes.c_void_p(part.ctypes.data), ctypes.c_size_t(part.nbytes))

  def __array__(self, dtype=None, copy=None):
    del dtype, copy
    held = np.empty_like(self._held)
    _on_stream(self._gpu, "cuMemcpyDtoHAsync_v2", ctypes.c_void_p(held.ctypes.data),
               ctypes.c_uint64(self._address), ctypes.c_size_t(held.nbytes))
    return held


@functools.cache
def _cuda(gpu: int):
  """The driver, the context that jax uses on a GPU, and a new stream in it."""
  driver = ctypes.CDLL("libcuda.so.1")
  context, stream = ctypes.c_void_p(), ctypes.c_void_p()
  non_blocking = 1  # like XLA's streams
  for name, *args in (("cuDevicePrimaryCtxRetain", ctypes.byref(context), gpu),
                      ("cuCtxSetCurrent", context),
                      ("cuStreamCreate", ctypes.byref(stream), non_blocking)):
    _check(name, getattr(driver, name)(*args))
  return driver, context, stream


def _on_stream(gpu: int, name: str, *args) -> None:
  """Calls a copy function of the driver, and waits for the copy."""
  driver, context, stream = _cuda(gpu)
  _check(name, driver.cuCtxSetCurrent(context))  # for this thread
  _check(name, getattr(driver, name)(*args, stream))
  _check(name, driver.cuStreamSynchronize(stream))


def _check(name: str, result: int) -> None:
  if result:
    raise RuntimeError(f"{name} gave CUDA's error {result}.")
