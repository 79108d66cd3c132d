"""What the tests of refusals share: the messages in the sources, and programs that provoke them."""

import collections
import ctypes
import re

from tests.emulator.hip import GLOBAL, TRIPLE
from tests.support import amdgpu
from tests.support.paths import ROOT

SOURCES = ROOT / "ffi" / "emulator"
STRING = r'"(?:[^"\\]|\\.)*"'
size = ctypes.c_size_t


def sources(folder: str) -> str:
  return "\n".join(path.read_text() for path in sorted((SOURCES / folder).glob("*.cc")))


def messages(folder: str) -> collections.Counter:
  """The messages of a folder's errors, and how often each occurs; values are %s and the like."""
  # The text of an error follows its constructor, perhaps after its number and a condition.
  begin = r"(?:HipFailure\{|Refuse\(|Failed\(|EmulationError\(|EndProcess\()[^;{}]*?"
  found = re.findall(rf"{begin}({STRING}(?:\s*{STRING})*)", sources(folder))
  return collections.Counter(
      "".join(part[1:-1] for part in re.findall(STRING, literals)).replace('\\"', '"')
      for literals in found)


PROGRAMS = []


def refused(message: str, number: int):
  """The decorated program(hip) calls HIP in a way that fails with this error."""
  def decorate(program):
    PROGRAMS.append((message, number, program))
    return program
  return decorate


def out() -> ctypes.c_void_p:
  return ctypes.byref(ctypes.c_void_p())


def module(hip, arch="gfx942"):
  return hip.make("hipModuleLoadData", amdgpu.assemble(TRIPLE, arch))


def function(hip):
  return hip.make("hipModuleGetFunction", module(hip), b"k")


def launch(hip, kernel, parameters=None, extra=None):
  hip.call("hipModuleLaunchKernel", kernel, 1, 1, 1, 64, 1, 1, 0, hip.stream(), parameters, extra)


def captured(hip):
  stream = hip.stream()
  hip.call("hipStreamBeginCapture", stream, GLOBAL)
  return stream


def event(hip, stream=None):
  """An event; with a stream, its work until now comes before it."""
  made = hip.make("hipEventCreateWithFlags", 0)
  if stream is not None:
    hip.call("hipEventRecord", made, stream)
  return made
