"""Scenarios of chunked_matmul, emulated: lhs arrives in chunks while the kernel runs.

A producer kernel runs beside the product (emulator.Beside): it copies a chunk into lhs,
which holds NaN before, releases it and sets its signal, chunk by chunk in any order.
If a workgroup reads too early, there is a NaN in the result, a race with the producer's
store, or both.
"""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import emulator
from tests.support import amdgpu

# A step copies a box (planes x lines x units) and sets one signal. The stores of all
# waves complete before one lane writes the caches back and then sets the signal. The
# wait between these two is written out, because clang leaves it out.
_PRODUCER = """
struct Step { long offset, planes, plane_pitch, lines, line_pitch, units, signal; };

extern "C" __global__ void produce(UNIT* lhs, unsigned* signals, const UNIT* source,
                                   const Step* steps, int num_steps, int grid,
                                   unsigned epoch, int pause) {
  int item = __builtin_amdgcn_workitem_id_x();
  for (int i = __builtin_amdgcn_workgroup_id_x(); i < num_steps; i += grid) {
    Step step = steps[i];
    for (int j = 0; j < pause; ++j) __builtin_amdgcn_s_sleep(127);
    if (SIGNAL_FIRST) signals[step.signal] = epoch;
    for (int plane = 0; plane < step.planes; ++plane) {
      for (int line = 0; line < step.lines; ++line) {
        long at = step.offset + plane * step.plane_pitch + line * step.line_pitch;
        for (int j = item; j < step.units; j += 128) lhs[at + j] = source[at + j];
      }
    }
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
    __builtin_amdgcn_s_barrier();
    if (item != 0) continue;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
    __scoped_atomic_store_n(signals + step.signal, epoch, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_SYSTEM);
  }
}"""
_UNITS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned"}

# The epoch of the product. Signals that are not set hold the epoch of an earlier use.
EPOCH = 7


@dataclasses.dataclass(frozen=True)
class Chunks:
  """A problem in units of the instance's tile, as in `Scenario`, and how lhs arrives.

  tiles_per_chunk, pivot: as in chunked_matmul. arrival: the order in which the chunks
  arrive, "in_order", "reverse", "random" or "pivot" (the order in which the kernel
  waits for them); with "set" all of lhs is there before. producers: workgroups of the
  producer. pause: sleeps of 8128 cycles before each chunk. lhs_shared, signals_shared:
  whether a batch has only one lhs, only one set of signals. missing: a signal that is never
  set. unset: a signal that is set at first and that the producer resets after a pause.
  signal_first: whether the producer wrongly sets a signal before it copies the chunk.
  """

  m: tuple[int, int] = (3, 0)
  n: tuple[int, int] = (1, 0)
  k: tuple[int, int] = (1, 0)
  batch: int = 1
  lhs_shared: bool = False
  signals_shared: bool = False
  tiles_per_chunk: int = 1
  pivot: int = 0
  arrival: str = "in_order"
  producers: int = 1
  pause: int = 0
  missing: int | None = None
  unset: int | None = None
  signal_first: bool = False
  timeout: float = 10.0
  schedule: str = "persistent"
  reduction: str | None = None
  workgroups: int = 2
  queues: int | None = None
  own_type: bool = False
  orders: tuple = ()
  reproducible: bool = False

  def problem(self, instance) -> tuple[int, int, int]:
    """m, n, k in elements."""
    return tuple(tiles * tile + more for (tiles, more), tile in
                 zip((self.m, self.n, self.k), instance.tile))

  def operands(self, rng, instance):
    """({lhs before it arrives, rhs, signals, source: the complete lhs}, product)."""
    m, n, k = self.problem(instance)
    lead = (self.batch,) if self.batch > 1 else ()
    lhs_lead = () if self.lhs_shared else lead

    def draw(shape, dtype):
      if self.reproducible and dtype != "int8":
        return rng.standard_normal(shape).astype(jnp.dtype(dtype))
      return rng.integers(-3, 4, shape).astype(jnp.dtype(dtype))

    source = draw((*lhs_lead, m, k), instance.lhs_dtype)
    rhs = draw((*lead, k, n), instance.rhs_dtype)
    wanted = np.matmul(source.astype(np.float64), rhs.astype(np.float64))
    if not instance.lhs_contracting:
      source = np.swapaxes(source, -1, -2)
    if instance.rhs_contracting:
      rhs = np.swapaxes(rhs, -1, -2)
    source = np.ascontiguousarray(source)
    signals = np.full((() if self.signals_shared else lead)
                      + (len(self._rows(instance)),), EPOCH - 1, np.uint32)
    lhs = np.full_like(source, 99 if source.dtype == np.int8 else np.nan)
    if self.arrival == "set":
      lhs, signals = source.copy(), np.full_like(signals, EPOCH)
      if self.missing is not None:
        signals.flat[self.missing] = EPOCH - 1
    return {"lhs": lhs, "rhs": np.ascontiguousarray(rhs), "signals": signals,
            "source": source}, wanted

  def _rows(self, instance) -> list[tuple[int, int]]:
    """(first row, end row) of each chunk."""
    m, rows = self.problem(instance)[0], self.tiles_per_chunk * instance.tile[0]
    return [(row, min(row + rows, m)) for row in range(0, m, rows)]

  def _places(self, rng, instance) -> list[tuple[int, int]]:
    """(batch, chunk) of the signals, in the order of their arrival."""
    chunks = list(range(len(self._rows(instance))))
    if self.arrival == "pivot":
      first = self.pivot // self.tiles_per_chunk
      chunks = chunks[first:] + chunks[:first]
    batches = 1 if self.signals_shared else self.batch
    places = list(itertools.product(range(batches), chunks))
    if self.arrival == "reverse":
      places.reverse()
    elif self.arrival == "random":
      places = [places[i] for i in rng.permutation(len(places))]
    return places

  def beside(self, rng, instance, arrays) -> emulator.Beside | None:
    """The producer that writes these operands; None if it has nothing to do."""
    if self.arrival == "set" and self.unset is None:
      return None
    m, _, k = self.problem(instance)
    source, steps, written = arrays["source"], [], set()
    epoch = EPOCH
    if self.unset is not None:
      steps.append((0, 0, 0, 0, 0, 0, self.unset))
      epoch = EPOCH - 1
    places = [] if self.arrival == "set" else self._places(rng, instance)
    for batch, chunk in places:
      begin, end = self._rows(instance)[chunk]
      signal = batch * len(self._rows(instance)) + chunk
      planes = self.batch if self.signals_shared and not self.lhs_shared else 1
      if self.lhs_shared and chunk in written:
        planes = 0  # the chunk came with another batch's signal
      written.add(chunk)
      plane = 0 if self.lhs_shared else batch * m * k
      box = ((begin * k, 1, 0, (end - begin) * k) if instance.lhs_contracting
             else (begin, k, m, end - begin))
      if signal != self.missing:
        steps.append((plane + box[0], planes, m * k, *box[1:], signal))
    unit = source.itemsize
    # Offsets, pitches and units count elements; they are halved while all are even.
    while unit < 4 and all(x % 2 == 0 for step in steps
                           for x in (step[0], step[2], step[4], step[5])):
      unit *= 2
      steps = [(s[0] // 2, s[1], s[2] // 2, s[3], s[4] // 2, s[5] // 2, s[6])
               for s in steps]
    table = np.array(steps, np.int64).reshape(-1, 7)
    return emulator.Beside(
        amdgpu.compile_hip(_PRODUCER, instance.arch, f"-DUNIT={_UNITS[unit]}",
                           f"-DSIGNAL_FIRST={int(self.signal_first)}"),
        "produce",
        ["lhs", "chunk_signals", source, table, np.int32(len(steps)),
         np.int32(self.producers), np.uint32(epoch), np.int32(self.pause)],
        grid=self.producers, block=128, buffers={"source": source, "steps": table})

  def function(self, instance, out_dtype):
    """The call as a function of the arrays that `operands` returns."""
    config = jaxgemm.GemmConfig(
        kernel=instance.name, schedule=self.schedule, reduction=self.reduction,
        num_workgroups=self.workgroups, num_queues=self.queues)

    def product(lhs, rhs, signals, epoch):
      return jaxgemm.chunked_matmul(
          lhs, rhs, signals, epoch=epoch, tiles_per_chunk_m=self.tiles_per_chunk,
          tile_idx_pivot_m=self.pivot, preferred_element_type=out_dtype,
          dimension_numbers=(((instance.lhs_contracting,), (instance.rhs_contracting,)),
                             ((), ())),
          config=config, timeout=self.timeout,
          implementation=f"emulated:{instance.arch}")

    if self.batch > 1:
      product = jax.vmap(product, (None if self.lhs_shared else 0, 0,
                                   None if self.signals_shared else 0, None))
    jitted = jax.jit(product)
    # lhs and signals are copied, because the producer may write to the memory of numpy's arrays.
    return lambda arrays: jitted(
        arrays["lhs"].copy(), arrays["rhs"], arrays["signals"].copy(), np.uint32(EPOCH))

  def bytes_written(self, instance, got) -> int:
    return got.nbytes


def scenarios(orders) -> dict[str, Chunks]:
  """The chunked scenarios that every kernel runs, by name."""
  return {
      "chunks": Chunks(
          m=(3, 5), n=(2, 0), k=(2, 0), tiles_per_chunk=2, pivot=1, arrival="random",
          workgroups=3, orders=orders[1:3]),
      "chunks_stealing": Chunks(
          m=(4, 0), n=(1, 1), k=(1, 1), batch=2, signals_shared=True, pivot=3,
          arrival="reverse", producers=2, pause=3, schedule="work_stealing",
          workgroups=3, queues=2, own_type=True, orders=orders[:2]),
      "chunks_stream_k": Chunks(
          m=(2, 7), k=(5, 0), pivot=2, arrival="pivot", schedule="stream_k",
          reduction="tree", workgroups=4, orders=orders[1:3], reproducible=True),
  }
