"""Says which environment variables JAXGEMM_* nothing reads, for a name may be mistyped."""

import os
import warnings

# JAXGEMM_GPU_KERNELS is for the build only.
NAMES = ("JAXGEMM_COMMAND_BUFFERS", "JAXGEMM_EMULATOR_LIBRARY", "JAXGEMM_GPU_KERNELS",
         "JAXGEMM_HOST_KERNEL", "JAXGEMM_ROCM_ARCH", "JAXGEMM_TUNING")
# Those of this project's tests and benchmarks.
_OTHERS = ("JAXGEMM_TEST_", "JAXGEMM_BENCHMARK_")


def unknown() -> list[str]:
  """The variables JAXGEMM_* of this process that nothing reads."""
  return [name for name in sorted(os.environ) if name.upper().startswith("JAXGEMM_")
          and name not in NAMES and not name.startswith(_OTHERS)]


def warn_of_unknown() -> None:
  if names := unknown():
    warnings.warn(
        f"jaxgemm does not read {', '.join(names)}; the environment variables that it reads are "
        f"{', '.join(NAMES)}. Correct or unset what you have set.", stacklevel=3)
