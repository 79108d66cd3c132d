"""The stand-in HIP runtime, called as a program would call HIP."""

import ctypes
import subprocess
import sys
import textwrap

import pytest

from tests.emulator.hip import (
  GLOBAL,
  NON_BLOCKING,
  RELAXED,
  TRIPLE,
  HipError,
  be_late,
  expect,
  extra,
  kernel_node,
)
from tests.support import amdgpu

NOT_READY, UNSUPPORTED, INVALIDATED = 600, 900, 901
UNJOINED, ISOLATION, IMPLICIT, CAPTURED_EVENT = 904, 905, 906, 907


def test_fresh_memory_holds_nans_and_ends_at_a_guard_page(hip):
  pointer = hip.make("hipMalloc", ctypes.c_size_t(1024))
  assert hip.read(pointer, 256) == [0xffffffff] * 256
  assert (pointer.value + 1024) % 4096 == 0
  hip.call("hipFree", pointer)
  expect(1, "not the start of an allocation", hip, "hipFree", pointer)


def test_copy_outside_an_allocation_is_refused(hip):
  pointer = hip.words(range(64))
  host = (ctypes.c_uint32 * 64)()
  expect(1, "256 bytes are copied from byte 4 of an allocation of 256 bytes", hip,
         "hipMemcpyDtoH", host, ctypes.c_void_p(pointer.value + 4), ctypes.c_size_t(256))
  expect(1, "are set from byte 252", hip, "hipMemset",
         ctypes.c_void_p(pointer.value + 252), 0, ctypes.c_size_t(8))


def test_pointer_attributes(hip):
  hip.call("hipSetDevice", 1)
  pointer = hip.make("hipMalloc", ctypes.c_size_t(512))
  inside = ctypes.c_void_p(pointer.value + 40)
  value = ctypes.c_int()
  hip.call("hipPointerGetAttribute", ctypes.byref(value), 9, inside)
  assert value.value == 1  # the device
  hip.call("hipPointerGetAttribute", ctypes.byref(value), 2, inside)
  assert value.value == 2  # device memory
  host = (ctypes.c_char * 64)()
  expect(1, "in no allocation", hip, "hipPointerGetAttribute", ctypes.byref(value), 2,
         host)


class Attributes(ctypes.Structure):
  _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int),
              ("device_pointer", ctypes.c_void_p), ("host_pointer", ctypes.c_void_p),
              ("is_managed", ctypes.c_int), ("flags", ctypes.c_uint)]


def test_all_attributes_of_a_pointer(hip):
  found = Attributes()
  pointer = hip.make("hipExtMallocWithFlags", ctypes.c_size_t(64), 3)
  hip.call("hipPointerGetAttributes", ctypes.byref(found), pointer)
  assert (found.type, found.device, found.device_pointer) == (2, 0, pointer.value)
  assert found.host_pointer is None and not found.is_managed
  expect(1, "no memory of the host", hip, "hipHostGetDevicePointer",
         ctypes.byref(ctypes.c_void_p()), pointer, 0)
  pinned = hip.make("hipHostMalloc", ctypes.c_size_t(64), 0)
  hip.call("hipPointerGetAttributes", ctypes.byref(found), pinned)
  assert (found.type, found.device_pointer, found.host_pointer) == (1, *2 * [pinned.value])
  assert hip.make("hipHostGetDevicePointer", pinned, 0).value == pinned.value
  hip.call("hipPointerGetAttributes", ctypes.byref(found), (ctypes.c_char * 64)())
  assert (found.type, found.device) == (0, -1)
  device, kind = ctypes.c_int(7), ctypes.c_int(7)
  hip.call("hipDrvPointerGetAttributes", 2, (ctypes.c_int * 2)(9, 2), (ctypes.c_void_p * 2)(
      ctypes.addressof(device), ctypes.addressof(kind)), pointer)
  assert (device.value, kind.value) == (0, 2)


def test_what_a_stream_says_of_itself(hip):
  flags, priority, status, number = (ctypes.c_uint(7), ctypes.c_int(7), ctypes.c_int(7),
                                     ctypes.c_ulonglong(7))
  stream = hip.stream()
  hip.call("hipStreamGetFlags", stream, ctypes.byref(flags))
  hip.call("hipStreamGetPriority", stream, ctypes.byref(priority))
  assert (flags.value, priority.value) == (NON_BLOCKING, 0)
  info = lambda: hip.call("hipStreamGetCaptureInfo", stream, ctypes.byref(status),
                          ctypes.byref(number))
  info()
  assert (status.value, number.value) == (0, 0)
  hip.call("hipStreamBeginCapture", stream, GLOBAL)
  info()
  assert status.value == 1 and number.value != 0
  expect(UNSUPPORTED, "hipMalloc was called", hip, "hipMalloc", ctypes.byref(ctypes.c_void_p()),
         ctypes.c_size_t(64))
  info()
  assert status.value == 2
  expect(INVALIDATED, "has failed before", hip, "hipStreamEndCapture", stream,
         ctypes.byref(ctypes.c_void_p()))


def test_a_stream_writes_a_value_in_its_order(hip, triple):
  be_late(hip)
  source, out, stream = hip.words(range(64)), hip.words([7] * 64), hip.stream()
  hip.triple(triple, source, out, stream)
  hip.call("hipStreamWriteValue64", stream, out, ctypes.c_uint64(5 << 32 | 3), 0)
  hip.call("hipStreamSynchronize", stream)
  assert hip.read(out, 3) == [3, 5, 7]


def test_launch_on_a_late_stream_finishes_at_synchronize(hip, triple):
  be_late(hip)
  source, out, stream = hip.words(range(64)), hip.words([7] * 64), hip.stream()
  for _ in range(3):
    hip.triple(triple, source, out, stream)
    hip.triple(triple, out, source, stream)
  hip.call("hipStreamSynchronize", stream)
  expected = list(range(64))
  for _ in range(6):
    expected = [3 * x + 1 for x in expected]
  assert hip.read(source, 64) == [x & 0xffffffff for x in expected]
  hip.call("hipStreamDestroy", stream)


def test_late_streams_show_a_missing_wait_and_events_order_them(hip, triple):
  be_late(hip, microseconds=50_000)
  first, second = hip.stream(), hip.stream()
  event = hip.make("hipEventCreateWithFlags", 0)
  wrong = 0
  for with_event in (False, True):
    for _ in range(8):
      a, b, c = (hip.words([n] * 64) for n in (1, 0, 0))
      hip.triple(triple, a, b, first)
      hip.call("hipEventRecord", event, first)
      if with_event:
        hip.call("hipStreamWaitEvent", second, event, 0)
      hip.triple(triple, b, c, second)
      hip.call("hipDeviceSynchronize")
      is_right = hip.read(c, 64) == [13] * 64
      assert is_right or not with_event
      wrong += not is_right
  assert wrong > 0
  hip.call("hipEventQuery", event)


def test_event_is_not_ready_before_its_stream(hip):
  be_late(hip, microseconds=400_000)
  stream, event = hip.stream(), hip.make("hipEventCreateWithFlags", 0)
  pointer = hip.words([0] * 64)
  for _ in range(4):
    hip.call("hipMemsetAsync", pointer, 1, ctypes.c_size_t(256), stream)
  hip.call("hipEventRecord", event, stream)
  expect(NOT_READY, "has not finished", hip, "hipEventQuery", event)
  expect(NOT_READY, "work left", hip, "hipStreamQuery", stream)
  hip.call("hipEventSynchronize", event)
  hip.call("hipEventQuery", event)


def test_null_stream_waits_for_blocking_streams_only(hip):
  be_late(hip, microseconds=400_000)
  blocking, other = hip.stream(0), hip.stream()
  a, b = hip.words([0] * 64), hip.words([0] * 64)
  for stream, pointer in ((blocking, a), (other, b)):
    for _ in range(4):
      hip.call("hipMemsetAsync", pointer, 1, ctypes.c_size_t(256), stream)
  assert hip.read(a, 1) == [0x01010101]
  hip.call("hipStreamSynchronize", other)


def end_capture(hip, stream):
  graph = ctypes.c_void_p()
  hip.call("hipStreamEndCapture", stream, ctypes.byref(graph))
  return graph


def run_graph(hip, graph, stream):
  exec_ = hip.make("hipGraphInstantiate", graph, None, None, ctypes.c_size_t(0))
  hip.call("hipGraphLaunch", exec_, stream)
  hip.call("hipStreamSynchronize", stream)
  return exec_


def test_capture_of_two_streams_runs_in_any_order_of_its_graph(hip, triple):
  be_late(hip, microseconds=1)
  main, side = hip.stream(), hip.stream()
  a, b, c, d = (hip.words([n] * 64) for n in (1, 0, 0, 0))
  fork, join = (hip.make("hipEventCreateWithFlags", 0) for _ in range(2))
  hip.call("hipStreamBeginCapture", main, GLOBAL)
  hip.triple(triple, a, b, main)  # b = 4
  hip.call("hipEventRecord", fork, main)
  hip.call("hipStreamWaitEvent", side, fork, 0)
  hip.triple(triple, b, c, side)  # c = 13
  hip.call("hipEventRecord", join, side)
  hip.call("hipMemsetAsync", a, 0, ctypes.c_size_t(256), main)
  hip.call("hipStreamWaitEvent", main, join, 0)
  hip.triple(triple, c, d, main)  # d = 40
  graph = end_capture(hip, main)
  assert hip.read(d, 64) == [0] * 64  # nothing has run
  for _ in range(8):
    hip.write(a, [1] * 64)
    run_graph(hip, graph, main)
    assert hip.read(d, 64) == [40] * 64 and hip.read(a, 1) == [0]


def test_capture_of_a_stream_that_does_not_rejoin(hip):
  main, side = hip.stream(), hip.stream()
  pointer, event = hip.words([1] * 64), hip.make("hipEventCreateWithFlags", 0)
  hip.call("hipStreamBeginCapture", main, GLOBAL)
  hip.call("hipEventRecord", event, main)
  hip.call("hipStreamWaitEvent", side, event, 0)
  hip.call("hipMemsetAsync", pointer, 0, ctypes.c_size_t(4), side)
  with pytest.raises(HipError, match="wait for all work") as error:
    end_capture(hip, main)
  assert error.value.number == UNJOINED


@pytest.mark.parametrize("number, message, refused", [
    (UNSUPPORTED, "hipMalloc was called while", lambda hip, stream, event: hip.make(
        "hipMalloc", ctypes.c_size_t(4))),
    (UNSUPPORTED, "hipModuleLoadData was called", lambda hip, stream, event: hip.make(
        "hipModuleLoadData", amdgpu.assemble(TRIPLE, "gfx942"))),
    (UNSUPPORTED, "hipStreamSynchronize was called", lambda hip, stream, event: hip.call(
        "hipStreamSynchronize", stream)),
    (UNSUPPORTED, "hipStreamQuery was called", lambda hip, stream, event: hip.call(
        "hipStreamQuery", stream)),
    (UNSUPPORTED, "hipDeviceSynchronize", lambda hip, stream, event: hip.call(
        "hipDeviceSynchronize")),
    (IMPLICIT, "The null stream was used", lambda hip, stream, event: hip.call(
        "hipMemset", event[1], 0, ctypes.c_size_t(4))),
    (ISOLATION, "recorded outside", lambda hip, stream, event: hip.call(
        "hipStreamWaitEvent", stream, event[0], 0)),
])
def test_what_a_capture_refuses(hip, number, message, refused):
  stream, event = hip.stream(), hip.make("hipEventCreateWithFlags", 0)
  pointer = hip.words([1])
  hip.call("hipEventRecord", event, stream)
  hip.call("hipStreamBeginCapture", stream, GLOBAL)
  with pytest.raises(HipError, match=message) as error:
    refused(hip, stream, (event, pointer))
  assert error.value.number == number
  expect(INVALIDATED, "has failed before", hip, "hipMemsetAsync", pointer, 0,
         ctypes.c_size_t(4), stream)
  with pytest.raises(HipError) as error:
    end_capture(hip, stream)
  assert error.value.number == INVALIDATED
  assert hip.read(pointer, 1) == [1]


def test_relaxed_capture_allows_an_allocation(hip):
  stream = hip.stream()
  hip.call("hipStreamBeginCapture", stream, RELAXED)
  hip.words([1])
  end_capture(hip, stream)


def test_event_of_a_capture_cannot_be_asked(hip):
  stream, event = hip.stream(), hip.make("hipEventCreateWithFlags", 0)
  hip.call("hipStreamBeginCapture", stream, GLOBAL)
  hip.call("hipEventRecord", event, stream)
  end_capture(hip, stream)
  expect(CAPTURED_EVENT, "recorded in a capture", hip, "hipEventQuery", event)


def test_graph_of_nodes_and_its_update(hip, triple):
  a, b, c = (hip.words([n] * 64) for n in (1, 0, 0))
  stream = hip.stream()
  graph, child = (hip.make("hipGraphCreate", 0) for _ in range(2))
  first = hip.make("hipGraphAddKernelNode", graph, None, ctypes.c_size_t(0),
                   ctypes.byref(kernel_node(triple, a, b)))
  inner = hip.make("hipGraphAddMemcpyNode1D", child, None, ctypes.c_size_t(0), c, b,
                   ctypes.c_size_t(256), 3)
  after = (ctypes.c_void_p * 1)(first)
  second = hip.make("hipGraphAddChildGraphNode", graph, after, ctypes.c_size_t(1), child)
  exec_ = run_graph(hip, graph, stream)
  assert hip.read(c, 64) == [4] * 64

  hip.call("hipGraphExecKernelNodeSetParams", exec_, first,
           ctypes.byref(kernel_node(triple, b, b)))
  other = hip.make("hipGraphCreate", 0)
  hip.make("hipGraphAddMemcpyNode1D", other, None, ctypes.c_size_t(0), a, b,
           ctypes.c_size_t(256), 3)
  hip.call("hipGraphExecChildGraphNodeSetParams", exec_, second, other)
  hip.call("hipGraphLaunch", exec_, stream)
  hip.call("hipStreamSynchronize", stream)
  assert hip.read(a, 64) == [13] * 64 and hip.read(c, 64) == [4] * 64

  two = hip.make("hipGraphCreate", 0)
  for _ in range(2):
    hip.make("hipGraphAddMemcpyNode1D", two, None, ctypes.c_size_t(0), a, b,
             ctypes.c_size_t(256), 3)
  expect(910, "only by one of the same nodes", hip,
         "hipGraphExecChildGraphNodeSetParams", exec_, second, two)
  expect(1, "no such memcpy node", hip, "hipGraphExecMemcpyNodeSetParams1D", exec_, inner,
         a, b, ctypes.c_size_t(256), 3)


def test_streams_and_modules_that_do_not_exist(hip, triple):
  stream = hip.stream()
  hip.call("hipStreamDestroy", stream)
  expect(400, "does not exist", hip, "hipStreamSynchronize", stream)
  pointer = hip.words([0] * 64)
  hip.call("hipSetDevice", 1)
  with pytest.raises(HipError, match="was loaded for gfx942 and launched on a gfx950"):
    hip.triple(triple, pointer, pointer, None)


def run_program(code):
  return subprocess.run(
      [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)


FUNCTION_CALL = """
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, f@rel32@lo+4
  s_addc_u32 s5, s5, f@rel32@hi+12
  s_swappc_b64 s[30:31], s[4:5]
  s_endpgm
.hidden f
.type f,@function
f:
  {code}
  s_setpc_b64 s[30:31]
.Lf:
  .size f, .Lf-f
"""


@pytest.mark.parametrize("code, message", [
    ("s_sethalt 1", r"gfx942 kernel k\+0x0: the emulator cannot execute this: s_sethalt \(0xbf8d"),
    (".long 0xbf9f0000", r"an instruction that the emulator does not know \(0xbf9f0000"),
    ("s_cbranch_scc0 .Lfar\n s_endpgm\n.Lfar:\n v_cvt_sr_fp8_f32 v1, v2, v3",
     r"k\+0x8: .*v_cvt_sr_fp8_f32 \(.*the manuals do not say how its seed rounds"),
    ("v_pk_mul_lo_u16 v1, v2, v3 clamp", "clamp, .* v_pk_mul_lo_u16 v1, v2, v3 clamp"),
    (FUNCTION_CALL.format(code="s_sethalt 1"), r"k\+0x\w+: .*s_sethalt"),
])
def test_an_unknown_instruction_is_an_error_of_the_launch(hip, triple, code, message):
  """The launch fails, also while a stream is captured, and the process goes on."""
  module = hip.make("hipModuleLoadData", amdgpu.assemble(code, "gfx942"))
  kernel = hip.make("hipModuleGetFunction", module, b"k")
  stream, source, out = hip.stream(), hip.words(range(64)), hip.words([0] * 64)
  for _ in range(2):
    expect(801, message, hip, "hipModuleLaunchKernel", kernel, 1, 1, 1, 64, 1, 1, 0, stream, None,
           extra(source, out))
  hip.call("hipStreamBeginCapture", stream, RELAXED)
  expect(801, message, hip, "hipModuleLaunchKernel", kernel, 1, 1, 1, 64, 1, 1, 0, stream, None,
         extra(source, out))
  hip.end_captures()
  hip.triple(triple, source, out, stream)
  hip.call("hipStreamSynchronize", stream)
  assert hip.read(out, 64) == [3 * i + 1 for i in range(64)]


@pytest.mark.parametrize("code", [
    TRIPLE + "s_endpgm\n .long 0xbf9f0000", FUNCTION_CALL.format(code="v_mov_b32 v1, v2"),
    "s_cbranch_scc1 .Lend2\n.Lend2:\n s_nop 0",
])
def test_what_control_does_not_reach_does_not_matter(hip, code):
  module = hip.make("hipModuleLoadData", amdgpu.assemble(code, "gfx942"))
  kernel = hip.make("hipModuleGetFunction", module, b"k")
  stream, source, out = hip.stream(), hip.words(range(64)), hip.words([0] * 64)
  hip.call("hipModuleLaunchKernel", kernel, 1, 1, 1, 64, 1, 1, 0, stream, None,
           extra(source, out))
  hip.call("hipStreamSynchronize", stream)


def test_kernel_outside_its_allocation_ends_the_process():
  done = run_program("""
      import ctypes
      from tests.support import amdgpu
      from tests.emulator.hip import TRIPLE, Hip
      hip = Hip()
      module = hip.make("hipModuleLoadData", amdgpu.assemble(TRIPLE, "gfx942"))
      function = hip.make("hipModuleGetFunction", module, b"k")
      source, out, stream = hip.words([1] * 64), hip.words([1] * 63), hip.stream()
      hip.triple(function, source, out, stream)
      hip.call("hipStreamSynchronize", stream)
  """)
  assert done.returncode < 0
  assert "device 0 failed, and the process ends" in done.stderr
  assert "A store of 4 bytes" in done.stderr and "device memory" in done.stderr


def test_collectives_of_two_streams_belong_together_as_they_were_called():
  done = run_program("""
      import ctypes, time
      from jaxgemm.emulator import rocm
      from tests.emulator.hip import NON_BLOCKING, Hip
      for name in ("libamdhip64.so.7", "librccl.so.1"):
        lib = ctypes.CDLL(str(rocm.library_folder() / name))
      hip = Hip("libamdhip64.so.7")
      class Id(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_char * 128)]
      unique = Id()
      lib.ncclGetUniqueId(ctypes.byref(unique))
      late = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: time.sleep(0.3))
      FLOAT, SUM, outs = 7, 0, []
      for rank in range(2):
        hip.call("hipSetDevice", rank)
        ranks = ctypes.c_void_p()
        assert lib.ncclCommInitRankConfig(ctypes.byref(ranks), 2, unique, rank, None) == 0
        first, second = hip.stream(), hip.stream()
        # Rank 1 runs its first collective after its second one.
        if rank == 1:
          hip.call("hipLaunchHostFunc", first, late, None)
        for stream, value in ((first, 1.0), (second, 100.0)):
          data = hip.words([0])
          number = ctypes.c_float(value + rank)
          hip.call("hipMemcpyHtoD", data, ctypes.byref(number), ctypes.c_size_t(4))
          assert lib.ncclAllReduce(data, data, ctypes.c_size_t(1), FLOAT, SUM, ranks,
                                   stream) == 0
          outs.append((stream, data))
      for stream, data in outs:
        hip.call("hipStreamSynchronize", stream)
        number = ctypes.c_float()
        hip.call("hipMemcpyDtoH", ctypes.byref(number), data, ctypes.c_size_t(4))
        print(number.value)
  """)
  assert done.stdout.split() == ["3.0", "201.0", "3.0", "201.0"], done.stdout + done.stderr


def test_devices_are_chosen_before_they_are_used():
  done = run_program("""
      import ctypes
      from tests.emulator.hip import Hip
      hip = Hip()
      choose = hip.lib.jaxgemm_emulator_set_devices
      assert choose(b"MI999", 1) == -1 and choose(b"MI300A", 0) == -1
      assert choose(b"MI300A", 3) == 0
      count, cus = ctypes.c_int(), ctypes.c_int()
      hip.call("hipGetDeviceCount", ctypes.byref(count))
      hip.call("hipDeviceGetAttribute", ctypes.byref(cus), 63, 2)
      properties = (ctypes.c_char * 1472)()
      hip.call("hipGetDevicePropertiesR0600", properties, 2)
      print(count.value, cus.value, properties[1160:1166].decode())
      assert choose(b"MI300A", 1) == -1
      print("refused")
  """)
  assert done.stdout == "3 228 gfx942\nrefused\n", done.stderr
