"""What jaxgemm looks at when it is imported: environment variables, and ROCm on this machine.

It says which environment variables JAXGEMM_* nothing reads, for a name may be mistyped. It hides an
error that JAX's ROCm plugin logs in each process on a machine without an AMD GPU: there the plugin
is installed for the virtual devices of `jaxgemm.emulator.rocm`, so nothing is wrong.
"""

import importlib.util
import logging
import os
import pathlib
import warnings

# JAXGEMM_GPU_KERNELS is for the build only.
NAMES = ("JAXGEMM_COMMAND_BUFFERS", "JAXGEMM_DENIED", "JAXGEMM_EMULATOR_LIBRARY",
         "JAXGEMM_GPU_KERNELS", "JAXGEMM_HOST_KERNEL", "JAXGEMM_MAXTEXT", "JAXGEMM_PEER_COPIES",
         "JAXGEMM_ROCM_ARCH", "JAXGEMM_TUNING")
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


def real_rocm() -> list[str]:
  """The places where ROCm or an AMD GPU was found on this machine."""
  places = []
  nodes = pathlib.Path("/sys/class/kfd/kfd/topology/nodes")
  if nodes.is_dir():
    places.append(str(nodes))
  for folder in ("/opt/rocm/lib", *os.environ.get("LD_LIBRARY_PATH", "").split(":")):
    if folder:
      places.extend(str(path) for path in pathlib.Path(folder).glob("libamdhip64.so*"))
  if importlib.util.find_spec("_rocm_sdk_core") is not None:
    places.append("the package _rocm_sdk_core")
  try:
    mapped = pathlib.Path("/proc/self/maps").read_text().splitlines()
  except OSError:  # a sandbox without /proc
    mapped = []
  places.extend({line.split()[-1] for line in mapped if "libamdhip64" in line})
  return places


class _RocmFilter(logging.Filter):
  """Drops the plugin's error "No AMD GPUs were found" if nothing on the machine asks for one."""

  def filter(self, record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if "No AMD GPUs were found" not in str(error):
      return True
    return "rocm" in os.environ.get("JAX_PLATFORMS", "") or bool(real_rocm())


def drop_message_of_rocm() -> None:
  """Drops the message in this process, unless ROCm is installed or JAX_PLATFORMS names it."""
  logging.getLogger("jax._src.xla_bridge").addFilter(_RocmFilter())
