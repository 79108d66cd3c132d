"""Which CPUs a benchmark runs on; imports no jax."""

import os
import sys

from absl import app


def pin(threads: int) -> None:
  """Limits this process, and so XLA's thread pool, to `threads` CPUs.

  The pool takes its size from the affinity mask when jax starts, so jax comes later.
  """
  if "jax" in sys.modules:
    raise RuntimeError("pin() must come before jax is imported.")
  if not hasattr(os, "sched_setaffinity"):
    raise app.UsageError("--threads needs Linux here; give --threads=0.")
  allowed = sorted(os.sched_getaffinity(0))
  if threads > len(allowed):
    raise app.UsageError(
        f"--threads={threads}, but this process may run on {len(allowed)} CPUs."
    )
  # The last CPUs, because the first ones tend to serve interrupts.
  os.sched_setaffinity(0, allowed[-threads:])
