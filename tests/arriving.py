"""Products of arrays that arrive, by a copy or from a thread of the test's own."""

import ctypes
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm


def overlapped(x, w, *, config, tiles=2, first_chunk=0, axis=-2, pivot=0,
               by_column=False, **kwargs):
  """x @ w while x is copied; by_column: x is [..., K, M]."""
  numbers = (((0,), (0,)), ((), ())) if by_column else None
  return jaxgemm.overlap(
      x, lambda data, signals: jaxgemm.chunked_matmul(
          data, w, signals, tiles_per_chunk_m=tiles, tile_idx_pivot_m=pivot,
          config=config, dimension_numbers=numbers, **kwargs),
      chunk_rows=config.tile_m * tiles, axis=axis, first_chunk=first_chunk)


def memory(x: jax.Array) -> np.ndarray:
  """What a CPU array holds, to be written."""
  buffer = (ctypes.c_uint8 * x.nbytes).from_address(x.unsafe_buffer_pointer())
  return np.frombuffer(buffer, np.uint8).view(x.dtype).reshape(x.shape)


class Arriving:
  """An lhs [..., M, K] (axis -2) whose chunks a thread writes one by one.

  Attributes:
    lhs: NaN, or -128, where nothing has been written.
    signals: uint32[C], or [*batch, C]; zeros at first.
  """

  def __init__(self, values: np.ndarray, chunk_rows: int, axis: int = -2,
               batched: bool = False):
    self._values, self._rows, self._axis = values, chunk_rows, axis % values.ndim
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

  def write(self, place, epoch: int = 1) -> None:
    """Writes one chunk, then its signal."""
    *batch, chunk = place
    index = [slice(None)] * self._lhs.ndim
    index[:len(batch)] = batch
    index[self._axis] = slice(chunk * self._rows, (chunk + 1) * self._rows)
    self._lhs[tuple(index)] = self._values[tuple(index)]
    self._signals[place] = epoch

  def start(self, order, pause: float = 0.0, epoch: int = 1) -> threading.Thread:
    """Writes chunks in this order, on a thread."""
    def run():
      for place in order:
        time.sleep(pause)
        self.write(place, epoch)

    thread = threading.Thread(target=run)
    thread.start()
    return thread
