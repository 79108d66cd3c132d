"""Arguments as C functions and kernels read them.

Numbers are checked, because ctypes would cut them to the size of the C integer.
"""

from collections.abc import Iterable, Mapping, Sequence
import ctypes
import struct
from typing import Any

import numpy as np

UINT32, UINT64 = 2**32 - 1, 2**64 - 1


def is_whole(given) -> bool:
  return isinstance(given, (int, np.integer)) and not isinstance(given, bool)


def whole(name: str, given, least: int, most: int) -> int:
  """The argument as an int.

  Raises:
    TypeError: it is no whole number.
    ValueError: it is less than `least`, or more than `most`.
  """
  allowed = f"whole numbers from {least} to {most} are allowed. Pass one of these."
  if not is_whole(given):
    raise TypeError(f"{name}={given!r} was given; {allowed}")
  if not least <= given <= most:
    raise ValueError(f"{name}={given} was given; {allowed}")
  return int(given)


def dimensions(name: str, given) -> tuple[int, int, int]:
  """One to three sizes as three, where those that were not given are 1.

  Raises:
    TypeError, ValueError: see `whole`; or there are none, or more than three.
  """
  if not is_whole(given) and (isinstance(given, (str, bytes)) or not isinstance(given, Iterable)):
    raise TypeError(f"{name}={given!r} was given; a whole number or up to three of them are "
                    f"allowed. Pass {name}=(4, 2), for example.")
  values = (given,) if is_whole(given) else tuple(given)
  if not 1 <= len(values) <= 3:
    raise ValueError(f"{name}={given!r} has {len(values)} dimensions; one to three are allowed: x, "
                     "y and z. Put more of them into one.")
  x, y, z = (whole(f"{name}[{i}]", size, 0, UINT32)
             for i, size in enumerate((*values, 1, 1)[:3]))
  return x, y, z


def pack_arguments(*arguments: Any) -> bytes:
  """Packs kernel arguments as the kernel reads them, each aligned to its size.

  Args:
    *arguments: numpy arrays (their address is passed), numpy scalars, or bytes, which
      are taken as a structure aligned to 8 bytes.

  Raises:
    TypeError: an argument has another type, such as a Python number.
  """
  packed = b""
  for argument in arguments:
    packed = appended(packed, argument)
  return packed


def appended(packed: bytes, argument: Any) -> bytes:
  """packed with one more argument of a kernel; see `pack_arguments`."""
  if isinstance(argument, np.ndarray):
    value, alignment = struct.pack("<Q", argument.ctypes.data), 8
  elif isinstance(argument, np.generic):
    value, alignment = argument.tobytes(), argument.itemsize
  elif isinstance(argument, bytes):
    value, alignment = argument, 8
  else:
    raise TypeError(
        f"{argument!r} was given as a kernel argument; a numpy array, a numpy scalar or bytes is "
        "allowed. Pass np.int32(...) for a number, for example.")
  return packed + bytes(-len(packed) % alignment) + value


def triple(name: str, value: int | Sequence[int]) -> ctypes.Array:
  return (ctypes.c_uint32 * 3)(*dimensions(name, value))


def of_buffers(buffers: Mapping[str, np.ndarray] | Sequence[np.ndarray] | None):
  """The number of buffers, and their addresses, sizes, whether they are writeable, and names."""
  if buffers is None:
    return -1, None, None, None, None
  if not isinstance(buffers, Mapping):
    buffers = {f"buffer {i}": array for i, array in enumerate(buffers)}
  for name, array in buffers.items():
    if not isinstance(name, str) or not isinstance(array, np.ndarray):
      raise TypeError(f"buffers has {name!r}: a {type(array).__name__}; numpy arrays are allowed, "
                      "with strings as names. Pass numpy arrays.")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
      raise ValueError(
          f"The buffer {name} is not contiguous; contiguous arrays are allowed. Pass "
          "numpy.ascontiguousarray of it.")
  count = len(buffers)
  return (
      count,
      (ctypes.c_uint64 * count)(*(a.ctypes.data for a in buffers.values())),
      (ctypes.c_uint64 * count)(*(a.nbytes for a in buffers.values())),
      (ctypes.c_uint8 * count)(*(a.flags.writeable for a in buffers.values())),
      (ctypes.c_char_p * count)(*(name.encode() for name in buffers)),
  )
