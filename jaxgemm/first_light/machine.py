"""What is there: the chip, the driver, JAX's plugin, and the kernels of this build."""

import hashlib
import importlib.metadata
import pathlib
import re
import shutil
import subprocess
from typing import Any

import jax
import jaxlib

from jaxgemm import _ffi
from jaxgemm.call import denied
from jaxgemm.emulator import rocm


def _plugins() -> dict[str, str]:
  """The versions of JAX's plugins for other devices, found by their entry points."""
  return {each.dist.name: each.dist.version
          for each in importlib.metadata.entry_points(group="jax_plugins")
          if each.dist and each.name != "jaxgemm_maxtext"}


def _version_in(file: str) -> str:
  """The version in the first line of a file of the driver, or ""."""
  try:
    found = re.search(r"\d+\.\d+[\w.-]*", pathlib.Path(file).read_text(encoding="utf-8"))
  except (OSError, UnicodeDecodeError):
    return ""
  return found[0] if found else ""


def _clocks(platform: str) -> str:
  """What the driver says about clocks and power; "" if there is no program to ask."""
  commands = {
      "cuda": ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm,clocks.max.mem,power.limit",
               "--format=csv,noheader"],
      "rocm": ["rocm-smi", "--showclocks", "--csv"]}
  if shutil.which(commands[platform][0]) is None:
    return ""
  try:
    done = subprocess.run(commands[platform], capture_output=True, text=True, timeout=20)
  except (OSError, subprocess.TimeoutExpired):
    return ""
  return done.stdout.strip()[:1000]


def describe() -> dict[str, Any]:
  """The chip and the software, and the names of the kernels that this build has for it.

  If there is no GPU, or no kernel for it, there is only "none", a sentence that says so.
  """
  backend = jax.default_backend()
  if backend != "gpu":
    return {"none": f"JAX finds no GPU: its devices are {backend.upper()}s"}
  platform, device = _ffi.default_platform(), jax.devices()[0]
  try:
    target = _ffi.target(platform)
  except ValueError as refusal:
    return {"none": f"there are no kernels for this GPU: {refusal}"}
  virtual = rocm.is_started()
  every = [name for of, name in _ffi.NAMES["gpu_kernels"] if of == target]
  built = _ffi.built_kernels(target)
  if not built:
    return {"none": f"this build has no kernels for {target}: install jaxgemm with "
                    f"JAXGEMM_GPU_KERNELS='^{target}/'"}
  memory = device.memory_stats() or {}
  driver = {
      "cuda": _version_in("/proc/driver/nvidia/version"),
      "rocm": _version_in("/sys/module/amdgpu/version")}[platform]
  return {
      "platform": platform, "target": target, "chip": _ffi.chip(target), "virtual": virtual,
      "denied_as": denied.key(_ffi.chip(target)),
      "device_kind": device.device_kind, "devices": jax.local_device_count(),
      "compute_units": _ffi.num_cus(target), "capability": device.compute_capability,
      "memory_gib": round(memory.get("bytes_limit", 0) / 2**30, 1),
      "platform_version": device.client.platform_version,
      "pjrt": [getattr(device.client, f"pjrt_c_api_{part}_version", None)
               for part in ("major", "minor")],
      "plugins": {} if virtual else _plugins(),
      "driver": "" if virtual else driver,
      "rocm": "" if virtual or platform == "cuda" else _version_in("/opt/rocm/.info/version"),
      "clocks": "" if virtual else _clocks(platform),
      "versions": {"jaxgemm": importlib.metadata.version("jaxgemm"), "jax": jax.__version__,
                   "jaxlib": jaxlib.__version__},
      # In the order of the list of instances, in which the tiles of one type are neighbours.
      "kernels": sorted((name for name in every if name in built), key=_rank),
      "lacks": sum(name not in built for name in every),
      "routing": _ffi.is_built(target, "routing"), "build": _fingerprint(target),
  }


def _fingerprint(target: str) -> str:
  """A hash of all code objects of a target: another build is another one."""
  found = hashlib.sha256()
  for path in sorted((_ffi.KERNEL_FOLDER / target).glob("*")):
    found.update(path.name.encode() + path.read_bytes())
  return found.hexdigest()[:16]


_TYPES = ("bfloat16", "float8", "float16", "float4", "int8", "float32")


def _rank(kernel: str) -> int:
  """Types that most models use come first."""
  found = re.match("gemm_([a-z]+[0-9]+)", kernel)
  return _TYPES.index(found[1]) if found and found[1] in _TYPES else len(_TYPES)
