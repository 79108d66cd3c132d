"""Which CPUs a benchmark runs on; imports no jax."""

import os
import sys

from absl import app


def pin(threads: int) -> None:
  """Limits this process, and thereby XLA's thread pool, to some CPUs.

  The pool is sized by the affinity mask when jax starts, hence the order.
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
  # The last ones: interrupts tend to be served by the first.
  os.sched_setaffinity(0, allowed[-threads:])
