"""The work-stealing row of the GPU benchmark: a kernel holds multiprocessors."""

import functools
from typing import Any

import jax
import numpy as np

from benchmarks import gpu_check, gpu_rows, progress
from benchmarks.shapes import Case
from jaxgemm.tune import gpu_trace

_HOLD = "hold_multiprocessors"
# One CTA fills a multiprocessor: no kernel with tiles in shared memory fits beside it.
_SHARED_BYTES = 200 << 10
_SOURCE = r"""
extern "C" __global__ void hold_multiprocessors(
    volatile unsigned int* seen, unsigned int epoch, unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  if (threadIdx.x == 0) {
    seen[blockIdx.x] = epoch;
    __threadfence_system();
  }
  do {
    __nanosleep(500);
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}
"""


class Holder:
  """Holds multiprocessors for some time, by a kernel on a separate stream."""

  def __init__(self, multiprocessors: int):
    import cupy
    self._cupy, self.multiprocessors, self._epoch = cupy, multiprocessors, 0
    self._kernel = cupy.RawKernel(_SOURCE, _HOLD)
    self._kernel.max_dynamic_shared_size_bytes = _SHARED_BYTES
    self._stream = cupy.cuda.Stream(non_blocking=True)
    self._memory = cupy.cuda.alloc_pinned_memory(4 * multiprocessors)
    self._seen = np.frombuffer(self._memory, np.uint32, multiprocessors)
    self._seen[:] = 0

  def start(self, seconds: float) -> None:
    """Starts the kernel; returns as soon as all the multiprocessors are held."""
    self._epoch += 1
    with self._stream:
      self._kernel(
          (self.multiprocessors,), (32,),
          (np.uint64(self._memory.ptr), np.uint32(self._epoch),
           np.uint64(round(seconds * 1e9))), shared_mem=_SHARED_BYTES)
    while (self._seen != self._epoch).any():
      pass

  def wait(self) -> None:
    self._stream.synchronize()


def measure(
    case: Case, options: gpu_rows.Options, share: float = 0.5) -> dict[str, Any]:
  """A row: both schedules alone, and with a quarter of the multiprocessors held.

  They are held from before the product starts until it has run for `share` of the time
  that the persistent schedule takes alone.
  """
  about = {"section": "steal", "case": case.label, "m": case.m, "n": case.n,
           "k": case.k, "dtype": "bfloat16", "flops": case.flops, "candidates": {},
           "missing": {}}
  if reason := gpu_rows.missing_module("cupy"):
    return about | {"missing": {"held": f"cupy: {reason}"}}
  operands = lambda seed: gpu_rows.normal(seed, (case.m, case.k), (case.k, case.n))
  count = gpu_trace.input_sets(2 * (case.m * case.k + case.k * case.n))
  inputs = [operands(options.seed + i) for i in range(count)]
  schedules = ("persistent", "work_stealing")
  ways, missing = gpu_rows.prepare({
      name: functools.partial(
          gpu_rows.JaxWay, gpu_rows.Donating(gpu_rows.product(schedule=name)), inputs)
      for name in schedules})
  if missing:
    return about | {"missing": missing}
  own = lambda name: _HOLD not in name
  directory = lambda what: gpu_rows.trace_directory(options, f"steal-{what}")
  alone = gpu_trace.measure(
      {name: way.candidate() for name, way in ways.items()}, count,
      rounds=options.rounds, warmup=options.warmup, calls=1, directory=directory("alone"),
      within=progress.within)
  seconds = share * alone.timing.time("persistent").median
  wanted = seconds
  quarter = jax.devices()[0].core_count // 4
  holder = Holder(quarter)

  def beside(way):
    def call(index):
      holder.start(seconds)
      return way.call(index)

    def wait(out):
      jax.block_until_ready(out)
      holder.wait()

    return gpu_trace.Candidate(call, wait)

  measure_beside = lambda rounds, directory: gpu_trace.measure(
      {name: beside(way) for name, way in ways.items()}, count, rounds=rounds,
      calls=1, own=own, directory=directory, within=progress.within)
  # The launch of the product takes a part of the time, which is added again.
  overlap = measure_beside(5, None).launches["persistent"].others[_HOLD]["overlap"]
  seconds += wanted - overlap
  held = measure_beside(options.rounds, directory("held"))
  fresh = operands(options.seed + count)
  for name, way in ways.items():
    holder.start(seconds)
    out, poisoned = way.fresh(*fresh)
    checked = {"errors": gpu_check.dense(*fresh, out, options.seed),
               "poisoned": poisoned}
    holder.wait()
    about["candidates"][f"{name} alone"] = (
        gpu_rows.entry(alone, name, case.flops) | checked)
    about["candidates"][f"{name} held"] = (
        gpu_rows.entry(held, name, case.flops) | checked)
  return about | {
      "plans": gpu_rows.plans(fresh, {n: {"schedule": n} for n in schedules}),
      "rounds": held.timing.rounds, "input_sets": count, "calls_per_sample": 1,
      "unclaimed": alone.unclaimed + held.unclaimed,
      "multiprocessors_held": quarter,
      "seconds_held": held.launches["persistent"].others[_HOLD]["overlap"],
      # Time of the persistent schedule / time of work stealing.
      "alone": gpu_rows.ratio(alone, "work_stealing", "persistent"),
      "held": gpu_rows.ratio(held, "work_stealing", "persistent"),
  }
