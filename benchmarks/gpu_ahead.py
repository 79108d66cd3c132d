"""Looks in a profile of one NVIDIA GPU for calls that wait for it or allocate memory.

    python -m benchmarks gpu --sections=ahead

It reports the time to dispatch a call over the call's time on the device, and the names of the
driver's functions that held a call back.
"""

import dataclasses
from typing import Any

from benchmarks import gpu_rows, progress
from benchmarks.shapes import Case
from jaxgemm.tune import gpu_trace


def measure(case: Case, options: gpu_rows.Options) -> dict[str, Any]:
  """A row of jaxgemm. A sample has eight calls: a call that waits would delay the next one.

  "control" is what the profile shows of the same calls with an allocation and a wait
  after each.
  """
  few = dataclasses.replace(options, rounds=3)
  row = gpu_rows.dense("ahead", case, {gpu_rows.OURS: {}}, few, peers=False, calls=8)
  if reason := gpu_rows.missing_module("cupy"):
    return row | {"missing": row["missing"] | {"control": f"cupy: {reason}"}}
  import cupy
  inputs = [gpu_rows.normal(options.seed, (case.m, case.k), (case.k, case.n))]
  way = gpu_rows.JaxWay(gpu_rows.Donating(gpu_rows.product()), inputs)

  def call(index):
    out = way.call(index)
    cupy.cuda.runtime.free(cupy.cuda.runtime.malloc(1 << 20))
    cupy.cuda.runtime.deviceSynchronize()
    return out

  measured = gpu_trace.measure(
      {"control": gpu_trace.Candidate(call)}, 1, rounds=3, calls=2,
      within=progress.within)
  shown = measured.launches["control"]
  return row | {"control": {
      "held_back": shown.held_back, "dispatch_share": shown.dispatch_share}}
