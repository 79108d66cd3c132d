"""Faults of all kinds, which the runner must find."""

import ctypes
import os
import time

from tests.support.fuzz.outcome import Fault

KINDS = ("right", "abort", "segmentation fault", "hang", "wrong", "unknown error", "exit")


def kind_of(rng) -> str:
  return KINDS[int(rng.integers(len(KINDS)))]


def run(rng) -> str:
  kind = kind_of(rng)
  if kind == "abort":
    os.abort()
  elif kind == "segmentation fault":
    ctypes.string_at(0)
  elif kind == "hang":
    time.sleep(1000)
  elif kind == "wrong":
    raise Fault("a planted fault")
  elif kind == "unknown error":
    raise KeyError("planted")
  elif kind == "exit":
    os._exit(0)
  return kind


def forget() -> None:
  pass
