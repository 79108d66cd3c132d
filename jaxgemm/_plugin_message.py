"""Without an AMD GPU, JAX's ROCm plugin logs an error with a traceback in each process.

It is installed there for the virtual devices of `jaxgemm.emulator.rocm`, so nothing is wrong.
"""

import logging
import os


class _Filter(logging.Filter):
  """Drops the plugin's error "No AMD GPUs were found" where nobody can have expected one."""

  def filter(self, record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if "No AMD GPUs were found" not in str(error):
      return True
    from jaxgemm.emulator import rocm

    return "rocm" in os.environ.get("JAX_PLATFORMS", "") or bool(rocm.real_rocm())


def drop() -> None:
  """Drops the message in this process, unless ROCm is installed or JAX_PLATFORMS names it."""
  logging.getLogger("jax._src.xla_bridge").addFilter(_Filter())
