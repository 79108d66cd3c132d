"""Helpers for the tests that need an NVIDIA GPU."""

import os
import subprocess

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from tests.support.paths import ROOT

# Largest ||out - reference|| / ||reference|| that one rounding to the type may give.
TOLERANCE = {"bfloat16": 4e-3, "float16": 6e-4, "float32": 1e-3, "int32": 0}


def skip_reason() -> str:
  """Why the tests that need a GPU cannot run, or ""."""
  if "cuda" not in os.environ["JAX_PLATFORMS"]:
    return "needs an NVIDIA GPU: set JAXGEMM_TEST_PLATFORMS=cuda,cpu"
  if not _ffi.built_kernels(_ffi.target("cuda")):
    return "this build has no kernels for the GPU"
  return ""


def gpu_bytes() -> int:
  """Bytes of memory of the smallest GPU, by the driver's own tool, so that jax need not start."""
  query = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
  said = subprocess.run(query, text=True, stdout=subprocess.PIPE, check=True).stdout
  return min(map(int, said.split())) << 20


def array(rng, *shape, dtype="bfloat16"):
  if dtype == "int8":
    return jnp.asarray(rng.integers(-128, 128, shape), jnp.int8)
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def double(x):
  return np.asarray(x).astype(np.float64)


def assert_close(given, wanted, tolerance=None):
  given, dtype = double(given), given.dtype.name
  assert given.shape == wanted.shape
  assert np.isfinite(given).all()
  error = np.linalg.norm(given - wanted) / max(np.linalg.norm(wanted), 1e-30)
  assert error <= (TOLERANCE[dtype] if tolerance is None else tolerance)


def gemm(a, b, **kwargs):
  """jaxgemm.matmul by a kernel of jaxgemm, never by XLA."""
  return jaxgemm.matmul(a, b, implementation="jaxgemm", **kwargs)


def _visible_gpus() -> dict[str, str]:
  """The variable that shows another process only this thread's GPU, if the thread has its own."""
  device = jax.config.jax_default_device  # type: ignore[attr-defined]
  if device is None:
    return {}
  visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
  names = visible.split(",") if visible else [str(i) for i in range(len(jax.local_devices()))]
  return {"CUDA_VISIBLE_DEVICES": names[device.local_hardware_id]}


def environment(**changes) -> dict[str, str]:
  """Environment of another process on the GPU, without preallocated memory."""
  flags = " ".join(flag for flag in os.environ.get("XLA_FLAGS", "").split()
                   if "host_platform_device_count" not in flag)
  path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
  return {**os.environ, "JAX_PLATFORMS": "cuda", "PYTHONPATH": path, "XLA_FLAGS": flags,
          "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYTHONUNBUFFERED": "1", **_visible_gpus(),
          **changes}
