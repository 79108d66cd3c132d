"""Virtual AMD GPUs: JAX's own ROCm client on a machine without one.

`start` makes JAX's unmodified ROCm plugin load libraries of this package in place of
ROCm's. Its devices are emulated: the emulator executes each kernel, of XLA and of jaxgemm,
on the host. Results are those of the machine code. Times mean nothing.

    python -m jaxgemm.emulator.rocm --install
    python -m jaxgemm.emulator.rocm --arch=gfx942 --devices=2 script.py arguments...
"""

import ctypes
import importlib
import os
import pathlib
import sys

import jaxlib.version

from jaxgemm import _ffi, emulator
from jaxgemm._environment import real_rocm
from jaxgemm.emulator import _arguments, _interrupts, _library
from jaxgemm.emulator.rocm import _elf, _plugin

_HIP = "libamdhip64.so.7"

# XLA would measure variants of its kernels, and times mean nothing here. Its kernels for an
# all-reduce and a ragged all-to-all wait for the same kernel on other devices, and the emulator
# runs one kernel at a time, so RCCL does both. Its grouped products, and products for which Triton
# has no kernels, would be calls of hipBLASLt, which has no stand-in. Sorts of 16384 elements and
# more would be hipCUB's, whose code objects are compressed; the emulator does not read those.
_XLA_FLAGS = {
    "--xla_disable_hlo_passes": "cublas-gemm-rewriter",
    "--xla_gpu_autotune_level": "0",
    "--xla_gpu_enable_cub_radix_sort": "false",
    "--xla_gpu_experimental_use_ragged_dot_grouped_gemm": "false",
    "--xla_gpu_unsupported_use_all_reduce_one_shot_kernel": "false",
    "--xla_gpu_unsupported_use_ragged_all_to_all_one_shot_kernel": "false",
}

# XLA has to be told that RCCL may do a ragged all-to-all; before this version it has no such flag.
if jaxlib.version.__version_info__ >= (0, 11, 1):
  _XLA_FLAGS["--xla_gpu_allow_ragged_all_to_all_nccl_send_recv_fallback"] = "true"

_MOST_DEVICES = 2**31 - 1  # of a C int; the library has a limit of its own

_started: dict[str, str | int] = {}  # the arguments of `start`; empty before

# Prefixes of functions of the Python interpreter, and of functions and types of the C++ library.
_ELSEWHERE = ("Py", "_Py", "_ZNSt", "_ZNKSt", "_ZTISt", "_ZTIN10__cxxabiv1")


class VirtualRocmError(RuntimeError):
  """Virtual devices cannot be started in this process."""


def start(
    arch: str = "gfx942",
    devices: int = 1,
    *,
    over_real_rocm: bool = False,
    stream_seed: int = 0,
    most_delay_us: int = 0,
) -> None:
  """Makes virtual AMD GPUs the devices of JAX's ROCm platform in this process.

  Call it before JAX looks for devices: before the first array, and before
  `jax.devices()`. It prints a line that says that the devices are emulated. It sets
  XLA_FLAGS (no autotuning) and XLA_PYTHON_CLIENT_PREALLOCATE unless they are set.

  Args:
    arch: "gfx942" for MI300X, "gfx950" for MI355X, "gfx90a" for MI250X, or the name of a
      chip: "MI300A".
    devices: how many devices there are, all of this chip.
    over_real_rocm: whether to start even if ROCm or an AMD GPU is on this machine. This
      process then uses the virtual devices only.
    stream_seed: a seed other than 0 delays each operation of a stream at random, and
      runs the nodes of a command buffer in a random order that their dependencies allow.
    most_delay_us: the longest of these delays in microseconds.

  Raises:
    TypeError, ValueError: a number is not a whole one, or out of range.
    VirtualRocmError: the plugin is missing, or of another version than JAX; JAX has
      looked for devices already; ROCm is on this machine; the plugin needs a library or a
      function for which this package has no stand-in; `start` was called before with
      other values.
  """
  if not isinstance(arch, str):
    raise TypeError(f"arch={arch!r} was given; the name of an architecture or a chip is allowed. "
                    "Pass arch=\"gfx942\", for example.")
  given: dict[str, str | int] = {
      "arch": arch,
      "devices": _arguments.whole("devices", devices, 1, _MOST_DEVICES),
      "stream_seed": _arguments.whole("stream_seed", stream_seed, 0, _arguments.UINT64),
      "most_delay_us": _arguments.whole("most_delay_us", most_delay_us, 0, _arguments.UINT32),
  }
  if _started:
    other = [name for name in given if given[name] != _started[name]]
    if not other:
      return
    raise VirtualRocmError(
        "This process has virtual devices already, with "
        + " and ".join(f"{name}={_started[name]!r} and not {given[name]!r}" for name in other)
        + ". Start another process for others.")
  plugin = _check_versions()
  _check_not_initialized()
  if not over_real_rocm:
    _check_no_real_rocm()
  folder = library_folder()
  _check_libraries(plugin.libraries, folder)
  if plugin.folder is not None:  # JAX looks for plugins later
    sys.path.append(str(plugin.folder))
    importlib.invalidate_caches()

  # The plugin finds these libraries by their names when it is loaded. Only this process has them.
  os.environ["JAXGEMM_EMULATOR_LIBRARY"] = str(folder / _HIP)
  for library in sorted(folder.iterdir(), key=lambda path: path.name != _HIP):
    ctypes.CDLL(str(library))
  hip = _library.load()
  try:
    _library.check(hip.jaxgemm_emulator_set_devices(arch.encode(), given["devices"]) == 0)
  except _library.EmulationError as error:
    raise VirtualRocmError(str(error)) from None
  hip.jaxgemm_emulator_on_interruption(_interrupts.delete_unfinished_arrays)
  _interrupts.act_on_signals_in_errors()
  hip.jaxgemm_emulator_set_stream_delays(given["stream_seed"], given["most_delay_us"])
  # XLA's own kernels fail some checks. Sorts have barriers that do not wait for LDS instructions.
  # Loads of several elements begin at any element, and ROCm's driver allows such unaligned
  # accesses. Transpositions read parts of the LDS that are not written, and do not use them. At
  # the end of a block XLA's compiler leaves out a wait state after a store that LLVM 22 inserts.
  # Scatters begin a loop of compare-and-swap with a plain load.
  emulator._set_default_options(emulator.Options(
      check_atomic_races=False, check_lds_races=False, check_alignment=False,
      check_uninitialized=False, check_store_hazards=False))

  flags = os.environ.get("XLA_FLAGS", "")
  for flag, value in _XLA_FLAGS.items():
    if flag not in flags:
      flags += f" {flag}={value}"
  os.environ["XLA_FLAGS"] = flags.strip()
  os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
  from jax._src import hardware_utils

  # The plugin asks how many GPUs the kernel driver knows.
  hardware_utils.num_available_amd_gpus = lambda stop_at=None: devices
  _ffi.virtual_gpus = (arch, devices)
  _started.update(given)
  print(
      f"jaxgemm: {devices} virtual ROCm device(s) ({arch}), emulated on this machine's "
      "CPU. Results are those of the GPU's machine code; times mean nothing.",
      file=sys.stderr, flush=True,
  )


def is_started() -> bool:
  """Whether the GPUs of this process are virtual, so that times mean nothing."""
  return _ffi.virtual_gpus is not None


def command() -> list[str]:
  """Arguments for Python that give another program the same virtual devices as this process.

  They come before the program's own arguments: python ARGUMENTS -m module. Without virtual
  devices there are none.
  """
  if _ffi.virtual_gpus is None:
    return []
  arch, devices = _ffi.virtual_gpus
  return ["-m", __name__, f"--arch={arch}", f"--devices={devices}", "--over-real-rocm"]


def count_graphs() -> int:
  """The number of HIP graphs that have run, child graphs included: XLA's command buffers."""
  return _library.load().jaxgemm_emulator_count_graphs()


def library_folder() -> pathlib.Path:
  """The folder of the libraries that stand in for ROCm's.

  Raises:
    VirtualRocmError: this installation has no such folder.
  """
  for folder in emulator.__path__:  # an editable installation has them elsewhere
    libraries = pathlib.Path(folder, "rocm", "lib")
    if (libraries / _HIP).exists():
      return libraries
  raise VirtualRocmError(
      "The libraries that stand in for ROCm's are not installed; install jaxgemm with "
      "pip."
  )


def _check_versions() -> _plugin.Plugin:
  import jaxlib

  plugin = _plugin.find()
  if plugin is None or None in plugin.versions.values():
    names = plugin.versions if plugin else _plugin.requirements()
    missing = " and ".join(name for name in names if not plugin or plugin.versions[name] is None)
    raise VirtualRocmError(
        f"JAX's ROCm plugin is not installed: {missing or 'it'} is missing. Install it: "
        f"{_plugin.COMMAND}")
  if not all(map(_plugin.is_for_jaxlib, filter(None, plugin.versions.values()))):
    raise VirtualRocmError(
        f"jaxlib is {jaxlib.__version__}, and JAX's ROCm plugin is "
        + " and ".join(f"{name} {version}" for name, version in plugin.versions.items())
        + ". Remove these packages by pip uninstall, and install the same version as jaxlib's: "
        + _plugin.COMMAND)
  return plugin


def _check_not_initialized() -> None:
  from jax._src import xla_bridge

  if xla_bridge.backends_are_initialized():
    raise VirtualRocmError(
        "JAX has looked for devices already. Start virtual devices before the first "
        "array and before jax.devices(), or run the program with "
        "python -m jaxgemm.emulator.rocm."
    )


def _check_no_real_rocm() -> None:
  if places := real_rocm():
    raise VirtualRocmError(
        f"ROCm, or an AMD GPU, is on this machine ({places[0]}). This process would use "
        "virtual devices in its place. If that is wanted, pass --over-real-rocm, or "
        "over_real_rocm=True to start."
    )


def _check_libraries(plugin: list[pathlib.Path], folder: pathlib.Path) -> None:
  """Raises VirtualRocmError if a library or a function of ROCm has no stand-in."""
  ours = {path.name for path in folder.iterdir()}
  defined: set[str] = set()
  for path in folder.iterdir():
    defined |= _elf.read(path).defined
  libraries, functions = set(), set()
  for path in plugin:
    dynamic = _elf.read(path)
    libraries |= {name for name in dynamic.needed if not _is_of_system(name)} - ours
    functions |= {
        name for name in dynamic.undefined - defined if not name.startswith(_ELSEWHERE)
    }
  if not libraries and not functions:
    return
  what = []
  if libraries:
    what.append("libraries " + ", ".join(sorted(libraries)))
  if functions:
    names = sorted(functions)
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    what.append("functions " + ", ".join(names[:8]) + more)
  raise VirtualRocmError(
      f"JAX's ROCm plugin needs {' and '.join(what)}, which jaxgemm has no stand-in "
      "for. Use a plugin and a jax of a version that docs/guides/virtual-rocm.md "
      "lists, or add them to ffi/emulator/stubs/."
  )


def _is_of_system(library: str) -> bool:
  names = ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libstdc++.", "libgcc_s.",
           "ld-linux", "libz.", "libzstd.", "libelf.", "libtinfo.")
  return library.startswith(names)
