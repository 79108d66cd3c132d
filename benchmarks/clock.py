"""Times functions that take turns, in seconds: on the device of a GPU, else by the wall clock."""

from collections.abc import Callable, Mapping
import functools
import os
import re
from typing import Any

import jax

from benchmarks import progress
from jaxgemm.emulator import rocm
from jaxgemm.tune import gpu_trace, timing


def on_gpu() -> bool:
  """Whether the time on the device is read. A virtual GPU has none."""
  return jax.default_backend() == "gpu" and not rocm.is_started()


def keep_trace(directory: str | None, label: str,
               functions: Mapping[str, Callable[[], Any]]) -> None:
  """Writes a profiler trace of three calls of each function to a directory, unless it is None."""
  if not directory:
    return
  with jax.profiler.trace(os.path.join(directory, re.sub(r"[^\w.-]+", "-", label))):
    for name, function in functions.items():
      for _ in range(3):
        with jax.profiler.TraceAnnotation(f"{name} {label}"):
          jax.block_until_ready(function())


def interleave(functions: Mapping[str, Callable[[int], Any]], num_inputs: int, *, rounds: int,
               warmup: int = 0, profile: str | None = None, calls: int | None = None
               ) -> timing.Timing:
  """Seconds of functions whose argument is the number of an input set.

  Args:
    rounds: samples of each function.
    warmup: calls of each function before its first sample.
    profile: directory in which to keep a trace.
    calls: calls in a sample on a GPU; None: a number that depends on the time of a call.
  """
  if not on_gpu():
    measured = timing.interleave(functions, [(i,) for i in range(num_inputs)], min_rounds=rounds,
                                 min_seconds=0, warmup=warmup, within=progress.within)
    keep_trace(profile and os.path.dirname(profile), profile and os.path.basename(profile) or "",
               {name: functools.partial(function, 0) for name, function in functions.items()})
    return measured
  candidates = {name: gpu_trace.Candidate(call) for name, call in functions.items()}
  return gpu_trace.measure(candidates, num_inputs, rounds=rounds, calls=calls, directory=profile,
                           warmup=warmup, within=progress.within).timing
