"""Describes a run: the machine, the device, the versions and the command."""

import datetime
import importlib.metadata
import os
import pathlib
import platform
import re
import shlex
import subprocess
from typing import Any

from absl import flags
import jax
import jaxlib

from benchmarks import watch


def version(package: str) -> str | None:
  """The version of a package, or None if it is not installed."""
  try:
    return importlib.metadata.version(package)
  except importlib.metadata.PackageNotFoundError:
    return None


def said(*command: str) -> str | None:
  """What a command prints, or None if it fails."""
  try:
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True,
                          cwd=pathlib.Path(__file__).parent).stdout.strip()
  except (OSError, subprocess.SubprocessError):
    return None


def machine() -> dict[str, Any]:
  """The date, processor, versions, commit and command of a run."""
  cpuinfo = pathlib.Path("/proc/cpuinfo")
  text = cpuinfo.read_text() if cpuinfo.exists() else ""
  model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
  found = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
  features = found.group(1).split() if found else []
  kept = ("fma", "avx2", "avx512f", "avx512_bf16", "amx_bf16")
  affinity = getattr(os, "sched_getaffinity", None)
  return {
      "date": datetime.datetime.now(datetime.UTC).isoformat(),
      "cpu": model.group(1) if model else platform.processor() or platform.machine(),
      "cpu_features": [f for f in kept if f in features],
      "threads": len(affinity(0)) if affinity else os.cpu_count(),
      "load_average": os.getloadavg()[0],
      "platform": jax.default_backend(),
      "python": platform.python_version(), "jax": jax.__version__, "jaxlib": jaxlib.__version__,
      "jaxgemm": version("jaxgemm"), "torch": version("torch"), "tokamax": version("tokamax"),
      "commit": flags.FLAGS.commit or said("git", "rev-parse", "--short", "HEAD"),
      "host_kernel": os.environ.get("JAXGEMM_HOST_KERNEL"),
      "xla_flags": os.environ.get("XLA_FLAGS"),
      "command": shlex.join(["python", "-m", "benchmarks", *watch.command()])}


def device() -> dict[str, Any]:
  """The device that jax runs on; for an NVIDIA GPU also its driver and limits."""
  first = jax.devices()[0]
  query = "driver_version,power.limit,clocks.max.sm,clocks.max.mem"
  asked = jax.default_backend() == "gpu" and said(
      "nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader")
  answers = asked.splitlines()[0].split(", ") if asked else []
  limits = dict(zip(query.split(","), answers))
  return {
      "device": first.device_kind, "driver": limits.pop("driver_version", None),
      "limits": limits, "cuda": first.client.platform_version.replace("\n", " "),
      "multiprocessors": getattr(first, "core_count", None)}
