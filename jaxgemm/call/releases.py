"""Says once if the releases of JAX's ROCm plugin and of ROCm are others than those that were tried.

They mostly work. Without an AMD GPU, "tried" means on virtual devices: docs/guides/virtual-rocm.md.
"""

import functools
import re
from typing import Any
import warnings

import jax

from jaxgemm import _ffi

# The interface of JAX's plugins (PJRT), as (major, minor): the oldest and the newest.
_PJRT = (0, 112), (0, 116)
# HIP's major version, which is also that of ROCm.
_HIP = (7, 7)
# The version of the code objects, by the number in byte 8 of the file, which the build chooses.
_CODE_OBJECT, _CODE_OBJECTS = 5, {2: 4, 3: 5, 4: 6}


def untried(client: Any, code: bytes) -> list[str]:
  """What is outside of what was tried, as parts of a sentence.

  Args:
    client: JAX's client of the GPUs.
    code: the beginning of a code object of the build.
  """
  found = []
  pjrt = tuple(getattr(client, f"pjrt_c_api_{part}_version", None) for part in ("major", "minor"))
  if None not in pjrt and not _PJRT[0] <= pjrt <= _PJRT[1]:
    oldest, newest = (".".join(map(str, each)) for each in _PJRT)
    found.append(f"the plugin's PJRT is {pjrt[0]}.{pjrt[1]} ({oldest} to {newest} were tried)")
  version = re.search(r"rocm (\d+)", client.platform_version)
  if version and not _HIP[0] <= (major := int(version[1]) // 10000) <= _HIP[1]:
    found.append(f"HIP is {major} ({_HIP[0]} was tried)")
  number = _CODE_OBJECTS.get(code[8]) if len(code) > 8 else None
  if code and number != _CODE_OBJECT:
    found.append(f"the code objects of this build have version {number or code[8:9].hex()} "
                 f"({_CODE_OBJECT} was tried)")
  return found


@functools.cache
def say_once(target: str) -> None:
  """Warns if something is outside of what was tried with this process's AMD GPUs."""
  path = next((_ffi.KERNEL_FOLDER / target).glob("*.hsaco"), None)
  code = b"" if path is None else path.read_bytes()[:16]
  if found := untried(jax.devices()[0].client, code):
    warnings.warn(
        f"jaxgemm was not tried with these releases: {'; '.join(found)}. It mostly works. Run "
        "python -m jaxgemm.first_light, which finds out what does.", stacklevel=2)
