"""Checks of arguments that become C integers, which ctypes would cut to their size."""

from collections.abc import Iterable

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
