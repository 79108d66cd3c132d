"""Each refusal of the stand-in for HIP, with a program that provokes it (refused/).

The tests read the messages from the source files, so that a new refusal needs a program there.
"""

import collections
import ctypes
import re

import pytest

from tests.emulator.hip import GLOBAL, TRIPLE, HipError, expect
from tests.emulator.refusals import PROGRAMS, function, messages, out, size, sources
from tests.emulator.refused import captures, devices, kernels, memory, streams  # noqa: F401
from tests.support import amdgpu


def pattern(message: str) -> str:
  return re.sub(r"%(?:s|d|u|p|zu|llu)", ".*", re.escape(message))


@pytest.mark.parametrize("message, number, program", [
    pytest.param(*given, id=given[-1].__name__) for given in PROGRAMS])
def test_refused(hip, message, number, program):
  with pytest.raises(HipError, match=pattern(message)) as error:
    program(hip)
  assert error.value.number == number


def test_every_refusal_has_a_program():
  """There is a program for each refusal. Functions that are not supported have another test."""
  found = messages("hip") - collections.Counter(["A virtual device does not support %s."])
  programs = collections.Counter(message for message, *_ in PROGRAMS)
  assert len(found) > 50
  assert not sorted(found - programs), "These refusals have no program."


# The functions that a capture refuses, each with the arguments of a call.
WHILE_CAPTURING = {
    "hipMalloc": lambda given: [out(), size(4)],
    "hipMallocManaged": lambda given: [out(), size(4), 0],
    "hipHostMalloc": lambda given: [out(), size(4), 0],
    "hipExtMallocWithFlags": lambda given: [out(), size(4), 0],
    "hipFree": lambda given: [given.data],
    "hipHostFree": lambda given: [given.data],
    "hipDeviceSynchronize": lambda given: [],
    "hipModuleLoadData": lambda given: [out(), amdgpu.assemble(TRIPLE, "gfx942")],
    "hipStreamDestroy": lambda given: [given.stream],
    "hipStreamQuery": lambda given: [given.stream],
    "hipStreamSynchronize": lambda given: [given.stream],
    "hipStreamWriteValue32": lambda given: [given.stream, given.data, 1, 0],
    "hipStreamWriteValue64": lambda given: [given.stream, given.data, ctypes.c_uint64(1), 0],
}
Given = collections.namedtuple("Given", "stream data")


@pytest.mark.parametrize("name", WHILE_CAPTURING)
def test_refused_while_capturing(hip, name):
  given = Given(hip.stream(), hip.words([1, 2]))
  hip.call("hipStreamBeginCapture", given.stream, GLOBAL)
  expect(900, f"{name} was called (while a|for a) stream", hip, name,
         *WHILE_CAPTURING[name](given))
  expect(901, "has failed before", hip, "hipStreamEndCapture", given.stream, out())
  assert hip.read(given.data, 2) == [1, 2]


def test_every_call_that_a_capture_refuses_is_tested():
  calls = r"(?:RefuseInCapture|RefuseCaptured|AllocateInto|Free|WriteValue)\([^;{}]*\"(hip\w+)\""
  assert {*re.findall(calls, sources("hip"))} == {*WHILE_CAPTURING}


def test_unsupported_functions(hip):
  names = re.findall(r"^JAXGEMM_UNSUPPORTED\((\w+),", sources("hip"), re.MULTILINE)
  assert len(names) > 10
  for name in names:
    expect(801, f"A virtual device does not support {name}\\.", hip, name, *[None] * 5)


def test_kernel_that_fails_on_the_null_stream(hip):
  """On the null stream the call itself fails, because it is synchronous."""
  kernel, source, short = function(hip), hip.words([1] * 64), hip.words([1] * 63)
  with pytest.raises(HipError, match="A store of 4 bytes") as error:
    hip.triple(kernel, source, short, None)
  assert error.value.number == 719
