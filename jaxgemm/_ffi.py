"""The native module: its custom call targets, plans and dtypes."""

import functools
import os

import jax
import jax.numpy as jnp

from jaxgemm import _jaxgemm as native

NAMES = native.names()
ROCM_ARCHS = tuple(name for name, platform in NAMES["targets"].items()
                   if platform == "rocm")
OPERAND_DTYPES = frozenset(map(jnp.dtype, NAMES["operand_dtypes"]))
OUT_DTYPES = frozenset(map(jnp.dtype, NAMES["out_dtypes"]))

_registrations = native.registrations()
for _platform, _targets in _registrations.items():
  for _name, _capsule in _targets.items():
    jax.ffi.register_ffi_target(_name, _capsule, platform=_platform, api_version=1)

# Platforms whose kernels this build can run; "rocm" can be lowered for anyway.
PLATFORMS = frozenset(_registrations)


def default_platform() -> str:
  """The platform on which a computation runs that says nothing about devices."""
  device = jax.config.jax_default_device
  if device is None:
    platform = jax.default_backend()
  else:
    platform = getattr(device, "platform", device)
  if platform != "gpu":
    return platform
  return "rocm" if "rocm" in jax.devices()[0].client.platform_version else "cuda"


def target(platform: str) -> str:
  """The plan's target for a lowering platform ("cpu" or "rocm").

  ROCm's is gfx942, or what the environment variable JAXGEMM_ROCM_ARCH says: a
  lowering has no device to ask.
  """
  if platform != "rocm":
    return platform
  arch = os.environ.get("JAXGEMM_ROCM_ARCH", ROCM_ARCHS[0])
  if arch not in ROCM_ARCHS:
    raise ValueError(
        f"JAXGEMM_ROCM_ARCH is {arch!r}; allowed are {', '.join(ROCM_ARCHS)}. Set "
        "it to the architecture of the GPUs that will run the program."
    )
  return arch


@functools.lru_cache(maxsize=4096)
def plan(problem: tuple, config: tuple, target_name: str) -> dict:
  """The native plan of a problem; both arguments are tuples of (name, value)."""
  return native.plan(dict(problem), dict(config), target_name)
