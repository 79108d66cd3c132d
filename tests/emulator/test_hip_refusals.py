"""Each refusal of the stand-ins for ROCm, with a program that provokes it.

The tests read the messages from the source files, so that a new refusal needs a program here.
"""

import collections
import contextlib
import ctypes
import pathlib
import re
import subprocess
import sys
import textwrap
import threading

import pytest

from tests.support import amdgpu
from tests.support.hip import GLOBAL, TRIPLE, HipError, be_late, expect, kernel_node
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


# ----------------------------------------------------------------------------- captures


@refused("The capture has failed before: ", 901)
def work_after_a_refusal(hip):
  stream, data = hip.stream(), hip.words([1])
  hip.call("hipStreamBeginCapture", stream, GLOBAL)
  with contextlib.suppress(HipError):
    hip.call("hipDeviceSynchronize")
  hip.call("hipMemsetAsync", data, 0, size(4), stream)


@refused("The null stream cannot be captured.", 900)
def capture_of_the_null_stream(hip):
  hip.call("hipStreamBeginCapture", None, GLOBAL)


@refused("The stream is captured already.", 401)
def capture_of_a_captured_stream(hip):
  hip.call("hipStreamBeginCapture", captured(hip), GLOBAL)


@refused("The stream is not captured.", 401)
def end_of_no_capture(hip):
  hip.call("hipStreamEndCapture", hip.stream(), out())


@refused("The capture began on another stream.", 903)
def end_on_another_stream(hip):
  side = hip.stream()
  made = event(hip, captured(hip))
  hip.call("hipStreamWaitEvent", side, made, 0)
  hip.call("hipStreamEndCapture", side, out())


@refused("Another thread began the capture.", 908)
def end_in_another_thread(hip):
  stream, errors = captured(hip), []

  def end():
    try:
      hip.call("hipStreamEndCapture", stream, out())
    except HipError as error:
      errors.append(error)

  thread = threading.Thread(target=end)
  thread.start()
  thread.join()
  raise errors[0]


@refused("The stream does not wait for all work that was captured on other streams.", 904)
def end_before_the_other_stream(hip):
  side, data = hip.stream(), hip.words([1])
  stream = captured(hip)
  hip.call("hipStreamWaitEvent", side, event(hip, stream), 0)
  hip.call("hipMemsetAsync", data, 0, size(4), side)
  hip.call("hipStreamEndCapture", stream, out())


@refused("A captured stream waits for an event that was recorded outside of the capture.", 905)
def wait_for_work_outside_of_the_capture(hip):
  before = event(hip, hip.stream())
  hip.call("hipStreamWaitEvent", captured(hip), before, 0)


@refused("The event's last record was in a capture.", 907)
def wait_for_the_event_of_an_earlier_capture(hip):
  stream = captured(hip)
  made = event(hip, stream)
  hip.call("hipStreamEndCapture", stream, out())
  hip.call("hipStreamWaitEvent", hip.stream(), made, 0)


@refused("%s was called for an event that was recorded in a capture.", 907)
def query_of_a_captured_event(hip):
  hip.call("hipEventQuery", event(hip, captured(hip)))


@refused("The null stream waits for a captured event.", 906)
def null_stream_waits_for_a_captured_event(hip):
  hip.call("hipStreamWaitEvent", None, event(hip, captured(hip)), 0)


@refused("A wait would join two captures.", 902)
def wait_for_another_capture(hip):
  first, second = captured(hip), captured(hip)
  hip.call("hipStreamWaitEvent", first, event(hip, second), 0)


@refused("%s was called while a stream is captured.", 900)
def allocation_while_capturing(hip):
  captured(hip)
  hip.words([1])


@refused("The null stream was used while a stream is captured.", 906)
def null_stream_while_capturing(hip):
  data = hip.words([1])
  captured(hip)
  hip.call("hipMemset", data, 0, size(4))


@refused("%s was called for a stream that is captured.", 900)
def synchronization_of_a_captured_stream(hip):
  hip.call("hipStreamSynchronize", captured(hip))


# -------------------------------------------------------------------- copies and memory


class MemsetParams(ctypes.Structure):
  _fields_ = [("to", ctypes.c_void_p), ("element_bytes", ctypes.c_uint), ("rows", size),
              ("pitch", size), ("value", ctypes.c_uint), ("elements", size)]


@refused("A memset has elements of 1, 2 or 4 bytes, not %u.", 1)
def memset_of_three_bytes(hip):
  params = MemsetParams(hip.words([1, 2, 3]).value, 3, 1, 0, 0, 4)
  hip.make("hipGraphAddMemsetNode", hip.make("hipGraphCreate", 0), None, size(0),
           ctypes.byref(params))


@refused("A row of a copy is longer than its pitch.", 1)
def copy_with_a_short_pitch(hip):
  data = hip.words([0] * 8)
  hip.call("hipMemcpy2DAsync", data, size(4), data, size(16), size(8), size(2), 3, hip.stream())


@refused("%zu bytes of %s cannot be allocated on device %d, which has %zu in use.", 2)
def more_memory_than_the_device_has(hip):
  hip.make("hipMalloc", size(193 << 30))


@refused("No memory was given to register.", 1)
def registration_of_nothing(hip):
  hip.call("hipHostRegister", None, size(8), 0)


@refused("The memory is registered already.", 712)
def second_registration(hip):
  memory = (ctypes.c_char * 64)()
  hip.call("hipHostRegister", memory, size(64), 0)
  try:
    hip.call("hipHostRegister", ctypes.byref(memory, 8), size(64), 0)
  finally:
    hip.call("hipHostUnregister", memory)


@refused("%p is not the start of an allocation that can be released here.", 1)
def free_inside_an_allocation(hip):
  hip.call("hipFree", ctypes.c_void_p(hip.words([1, 2]).value + 4))


@refused("%p is not the start of an allocation that can be released here.", 713)
def unregistration_of_an_allocation(hip):
  hip.call("hipHostUnregister", hip.words([1]))


@refused("%zu bytes %s byte %llu of an allocation of %llu bytes (%s of device %d).", 1)
def copy_behind_an_allocation(hip):
  hip.read(hip.words([1, 2]), 3)


@refused("%p is in no allocation.", 500)
def address_range_of_no_allocation(hip):
  hip.call("hipMemGetAddressRange", out(), ctypes.byref(size()), (ctypes.c_char * 8)())


@refused("%p is in no allocation.", 1)
def attribute_of_no_allocation(hip):
  hip.call("hipPointerGetAttribute", ctypes.byref(ctypes.c_int()), 2, (ctypes.c_char * 8)())


@refused("The emulator does not know pointer attribute %d.", 1)
def pointer_attribute_that_is_not_known(hip):
  hip.call("hipPointerGetAttribute", ctypes.byref(ctypes.c_int()), 999, hip.words([1]))


@refused("%p is no memory of the host.", 1)
def host_address_of_device_memory(hip):
  hip.make("hipHostGetDevicePointer", hip.words([1]), 0)


# ------------------------------------------------------------------------------ devices


def choose_devices(hip, chip: bytes, count: int):
  if hip.lib.jaxgemm_emulator_set_devices(chip, count) != 0:
    raise HipError(hip.lib.hipGetLastError(), hip.lib.hipGetErrorString(719).decode())


@refused('There is no chip "', 719)
def chip_that_is_not_known(hip):
  choose_devices(hip, b"MI999", 1)


@refused("%d devices cannot be emulated; choose 1 to %d.", 719)
def too_many_devices(hip):
  choose_devices(hip, b"MI300X", 65)


@refused("The emulated devices are in use and cannot be replaced; choose them when the process "
         "starts.", 719)
def devices_that_are_in_use(hip):
  choose_devices(hip, b"MI300X", 1)


@refused("The emulator has no device %d; it has %s.", 101)
def device_that_is_not_there(hip):
  hip.call("hipSetDevice", 63)


@refused("The emulator does not know device attribute %d.", 1)
def device_attribute_that_is_not_known(hip):
  hip.call("hipDeviceGetAttribute", ctypes.byref(ctypes.c_int()), 9999, 0)


@refused("No context was pushed.", 201)
def context_that_was_not_pushed(hip):
  hip.call("hipCtxPopCurrent", out())


# ------------------------------------------------------------------ kernels and modules


class Wrapper(ctypes.Structure):
  _fields_ = [("magic", ctypes.c_uint32), ("version", ctypes.c_uint32),
              ("bundle", ctypes.c_char_p), ("unused", ctypes.c_void_p)]


def use_fat_binary(hip, bundle: bytes):
  """Registers a kernel of a program's own library, and asks for it."""
  hip.lib.__hipRegisterFatBinary.restype = ctypes.c_void_p
  wrapper = Wrapper(0, 1, bundle + bytes(64), None)
  binary = hip.lib.__hipRegisterFatBinary(ctypes.byref(wrapper))
  host_function = ctypes.create_string_buffer(8)
  hip.lib.__hipRegisterFunction(
      ctypes.c_void_p(binary), host_function, b"k", b"k", 0, None, None, None, None, None)
  KEPT.extend([wrapper, host_function])
  hip.make("hipGetFuncBySymbol", host_function)


KEPT = []  # what the runtime keeps pointers to


@refused("The emulator does not read compressed fat binaries.", 200)
def compressed_fat_binary(hip):
  use_fat_binary(hip, b"CCOB" + bytes(64))


@refused("A registered binary is not an offload bundle.", 200)
def fat_binary_of_another_kind(hip):
  use_fat_binary(hip, b"ELF" + bytes(64))


@refused("A registered binary has no code for %s.", 209)
def fat_binary_without_the_arch(hip):
  use_fat_binary(hip, b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8))


@refused("No kernel is registered for the function.", 13)
def function_that_is_not_registered(hip):
  hip.make("hipGetFuncBySymbol", ctypes.create_string_buffer(8))


@refused("No kernel is registered for the function.", 98)
def launch_of_a_function_that_is_not_registered(hip):
  dim = (ctypes.c_uint32 * 3)
  class Dim3(ctypes.Structure):
    _fields_ = [("x", dim)]
  one = Dim3(dim(1, 1, 1))
  hip.call("hipLaunchKernel", ctypes.create_string_buffer(8), one, one, None, size(0), None)


@refused("No configuration of a call was pushed.", 401)
def configuration_that_was_not_pushed(hip):
  dim = ctypes.byref((ctypes.c_uint32 * 3)())
  hip.call("__hipPopCallConfiguration", dim, dim, ctypes.byref(size()), out())


@refused("The launch's `extra` holds what is no HIP_LAUNCH_PARAM_*.", 719)
def launch_with_another_parameter(hip):
  launch(hip, function(hip), extra=(ctypes.c_void_p * 3)(7, 0, 3))


@refused("The launch has no kernel arguments.", 719)
def launch_without_arguments(hip):
  code = amdgpu.compile_hip('extern "C" __global__ void k(int* p) { *p = 1; }', "gfx942")
  loaded = hip.make("hipModuleLoadData", code)
  launch(hip, hip.make("hipModuleGetFunction", loaded, b"k"))


@refused("Kernel %s was loaded for %s and launched on a %s.", 400)
def launch_on_another_device(hip):
  kernel, data = function(hip), hip.words([0] * 64)
  hip.call("hipSetDevice", 1)
  hip.triple(kernel, data, data, None)


@refused("The module does not exist.", 400)
def module_that_was_unloaded(hip):
  loaded = module(hip)
  hip.call("hipModuleUnload", loaded)
  hip.call("hipModuleUnload", loaded)


@refused("The code object is for %s, the current device is a %s.", 209)
def module_of_another_arch(hip):
  module(hip, "gfx950")


@refused("The image is not an ELF code object.", 200)
def module_that_is_text(hip):
  hip.make("hipModuleLoadData", b"kernel k")


@refused("The ELF file is not a linked AMDGPU code object", 200)
def module_for_the_host(hip):
  hip.make("hipModuleLoadData", pathlib.Path(sys.executable).read_bytes())


@refused("k2", 500)
def kernel_that_is_not_there(hip):
  hip.make("hipModuleGetFunction", module(hip), b"k2")


@refused("The module has no variable %s.", 500)
def variable_that_is_not_there(hip):
  hip.call("hipModuleGetGlobal", out(), None, module(hip), b"v")


@refused("The function is null.", 400)
def launch_of_null(hip):
  launch(hip, None)


@refused("The function is null.", 400)
def attribute_of_null(hip):
  hip.call("hipFuncGetAttribute", ctypes.byref(ctypes.c_int()), 0, None)


@refused("The emulator does not know function attribute %d.", 1)
def function_attribute_that_is_not_known(hip):
  hip.call("hipFuncGetAttribute", ctypes.byref(ctypes.c_int()), 99, function(hip))


@refused("The function is null, or the block is empty.", 1)
def occupancy_of_an_empty_block(hip):
  hip.call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(ctypes.c_int()),
           function(hip), 0, size(0))


# ------------------------------------------------------------ graphs, streams and events


def graph(hip):
  return hip.make("hipGraphCreate", 0)


def empty_node(hip, of, after=None):
  before = (ctypes.c_void_p * 1)(after)
  return hip.make("hipGraphAddEmptyNode", of, before, size(0 if after is None else 1))


def copy_node(hip, of, data):
  return hip.make("hipGraphAddMemcpyNode1D", of, None, size(0), data, data, size(4), 3)


def instance(hip, of):
  return hip.make("hipGraphInstantiate", of, None, None, size(0))


@refused("A node depends on one that is not in its graph.", 1)
def node_after_that_of_another_graph(hip):
  empty_node(hip, graph(hip), after=empty_node(hip, graph(hip)))


@refused("The graph has no such %s node.", 1)
def update_of_another_node(hip):
  made, kernel, data = graph(hip), function(hip), hip.words([0] * 64)
  node = empty_node(hip, made)
  hip.call("hipGraphExecKernelNodeSetParams", instance(hip, made), node,
           ctypes.byref(kernel_node(kernel, data, data)))


@refused("A child graph can be replaced only by one of the same nodes.", 910)
def child_graph_of_another_form(hip):
  made, child, other, data = graph(hip), graph(hip), graph(hip), hip.words([1])
  copy_node(hip, child, data)
  empty_node(hip, other)
  node = hip.make("hipGraphAddChildGraphNode", made, None, size(0), child)
  hip.call("hipGraphExecChildGraphNodeSetParams", instance(hip, made), node, other)


@refused("The file cannot be written.", 304)
def picture_in_a_folder_that_is_not_there(hip):
  hip.call("hipGraphDebugDotPrint", graph(hip), b"/nowhere/graph.dot", 0)


@refused("The stream does not exist.", 400)
def stream_that_was_destroyed(hip):
  stream = hip.stream()
  hip.call("hipStreamDestroy", stream)
  hip.call("hipStreamSynchronize", stream)


@refused("The stream does not exist.", 400)
def second_destruction_of_a_stream(hip):
  stream = hip.stream()
  hip.call("hipStreamDestroy", stream)
  hip.call("hipStreamDestroy", stream)


@refused("The stream has work left.", 600)
def query_of_a_late_stream(hip):
  stream, data = hip.stream(), hip.words([1])
  late_work(hip, stream, data)
  hip.call("hipStreamQuery", stream)


def late_work(hip, stream, data):
  be_late(hip, microseconds=400_000)
  for _ in range(4):
    hip.call("hipMemsetAsync", data, 1, size(4), stream)


@refused("The work before the event has not finished.", 600)
def query_of_a_late_event(hip):
  stream, data = hip.stream(), hip.words([1])
  late_work(hip, stream, data)
  hip.call("hipEventQuery", event(hip, stream))


@refused("An event was never recorded.", 400)
def time_between_events_without_work(hip):
  hip.call("hipEventElapsedTime", ctypes.byref(ctypes.c_float()), event(hip), event(hip))


@refused("The work before an event has not finished.", 600)
def time_until_a_late_event(hip):
  stream, data = hip.stream(), hip.words([1])
  first = event(hip, stream)
  late_work(hip, stream, data)
  hip.call("hipEventElapsedTime", ctypes.byref(ctypes.c_float()), first, event(hip, stream))


# -------------------------------------------------------------------------------- tests


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
  assert not sorted(found - programs), "These refusals have no program in this file."


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


def run_program(code: str) -> str:
  done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True,
                        text=True)
  assert done.returncode == 0, done.stderr
  return done.stdout + done.stderr


def test_kernel_that_fails_on_the_null_stream(hip):
  """On the null stream the call itself fails, because it is synchronous."""
  kernel, source, short = function(hip), hip.words([1] * 64), hip.words([1] * 63)
  with pytest.raises(HipError, match="A store of 4 bytes") as error:
    hip.triple(kernel, source, short, None)
  assert error.value.number == 719


RCCL_REFUSES = {
    "The stand-in RCCL does not know data type ":
        "lib.ncclAllGather(data, data, size(1), 99, one, None)",
    "The stand-in RCCL has no reduction ":
        "lib.ncclAllReduce(data, data, size(1), 7, 99, one, None)",
    "There is no rank ": "lib.ncclBroadcast(data, data, size(1), 7, 5, one, None)",
    "The ranks of a virtual ROCm are devices of one process.":
        "init(1, 0, Id(b'another process'))",
    "The rank does not exist.": "init(2, 2, unique)",
    "The ranks disagree on their number.": "init(3, 0, unique)",
    "There is no unique id.": "lib.ncclCommInitRankScalable(made(), 1, 0, 0, None, None)",
    "No group was started.": "lib.ncclGroupEnd()",
}
RECEIVES_LESS = "A rank receives "  # in a stream's thread, where it ends the process
RCCL = """
    import ctypes
    from jaxgemm.emulator import rocm
    from tests.support.hip import Hip
    for name in ("libamdhip64.so.7", "librccl.so.1"):
      lib = ctypes.CDLL(str(rocm.library_folder() / name))
    hip = Hip("libamdhip64.so.7")
    lib.ncclGetErrorString.restype = ctypes.c_char_p
    size = ctypes.c_size_t
    class Id(ctypes.Structure):
      _fields_ = [("bytes", ctypes.c_char * 128)]
    unique, one, data = Id(), ctypes.c_void_p(), hip.words([0, 0])
    lib.ncclGetUniqueId(ctypes.byref(unique))
    made = lambda: ctypes.byref(ctypes.c_void_p())
    init = lambda ranks, rank, id: lib.ncclCommInitRankConfig(made(), ranks, id, rank, None)
    assert lib.ncclCommInitRankConfig(ctypes.byref(one), 1, unique, 0, None) == 0
"""


def test_refusals_of_rccl():
  assert {*messages("rccl")} == {*RCCL_REFUSES, RECEIVES_LESS}
  calls = "".join(f"    errors.append({call})\n    print(lib.ncclGetErrorString(1).decode())\n"
                  for call in RCCL_REFUSES.values())
  printed = run_program(RCCL + "    errors = []\n" + calls + "    print(errors)\n").splitlines()
  *texts, errors = printed
  assert len(texts) == len(RCCL_REFUSES)
  for text, message in zip(texts, RCCL_REFUSES):
    assert text.startswith(message)
  assert errors == "[4, 4, 4, 5, 4, 5, 4, 5]"


def test_rank_that_receives_more_than_was_sent_ends_the_process():
  printed = run_program(f"""
    import os
    if (child := os.fork()) == 0:
{textwrap.indent(RCCL, "  ")}
      stream = hip.stream()
      lib.ncclSend(data, size(1), 7, 0, one, stream)
      lib.ncclRecv(data, size(2), 7, 0, one, stream)
      hip.call("hipStreamSynchronize", stream)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
  """)
  assert RECEIVES_LESS + "8 bytes, and 4 were sent" in printed and "\n-6" in "\n" + printed


def test_functions_of_other_libraries_say_that_they_are_not_there():
  """Calls each function of each stub; those that cannot return an error end their process."""
  printed = run_program("""
    import ctypes, os, pathlib, re, signal
    from jaxgemm.emulator import rocm
    results = {"kSucceeds": 0, "kAbsent": -1, "kFails": 1, "kFailsQuietly": 1}
    quiet = os.open(os.devnull, os.O_WRONLY)
    for path in sorted(pathlib.Path("ffi/emulator/stubs").glob("*.def")):
      lib = ctypes.CDLL(str(rocm.library_folder() / path.stem))
      for result, name in re.findall(r"^JAXGEMM_STUB[(]\\w+, (\\w+), (\\w+)[)]", path.read_text(),
                                     re.MULTILINE):
        function = lib[name]
        function.restype = ctypes.c_long
        if result == "kAborts":
          if (child := os.fork()) == 0:
            function()
            os._exit(0)
          status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
          assert status == -signal.SIGABRT, (name, status)
        elif result == "kText":
          function.restype = ctypes.c_char_p
          assert function() == b"a virtual ROCm device has no such library", name
        else:
          assert function() == function() == results[result], name
        print("called", result, name)
  """).splitlines()
  called = [line.split() for line in printed if line.startswith("called")]
  said = collections.Counter(re.findall(r"the program called (\w+)\.", "\n".join(printed)))
  assert len(called) > 200
  # Each message comes once, however often the function is called.
  assert said == {name: 1 for _, result, name in called if result in ("kFails", "kAborts")}
