"""The environment of this process, and of the programs that tests start."""

import os

from tests.support.paths import ROOT

# "gfx942" or "gfx950": tests that choose no device run on virtual ones (jaxgemm.emulator.rocm).
VIRTUAL_ROCM = os.environ.get("JAXGEMM_TEST_VIRTUAL_ROCM")
ON_GPU = VIRTUAL_ROCM or "cuda" in os.environ.get("JAXGEMM_TEST_PLATFORMS", "cpu")
# gfx942 rounds float32 operands to XF32. This is how large the errors may be, relative to the
# largest element.
FLOAT32_ERROR = 4e-3 if VIRTUAL_ROCM == "gfx942" else 0.0
# XLA compiles the code around the kernels, which takes much of the time; LLVM's level 0 halves it.
FAST_COMPILATION = "" if ON_GPU else "--xla_backend_optimization_level=0"
# XLA's programs are cached for other processes and later runs.
if not ON_GPU:
  os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / "build" / "xla"))
  os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
  os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"


def one_device() -> dict[str, str]:
  """The environment of a program that sees one CPU device; the tests see eight."""
  return {**os.environ, "XLA_FLAGS": FAST_COMPILATION}


def cpu_tile(**sides) -> dict[str, int]:
  """Options for a small tile of the CPU's kernels; a GPU takes the tile that the plan chooses."""
  return {} if ON_GPU else sides
