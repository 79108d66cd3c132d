"""The stand-in HIP runtime, called as a program would call HIP."""

import contextlib
import ctypes

import pytest

from jaxgemm.emulator import _library

NON_BLOCKING = 1
GLOBAL, THREAD_LOCAL, RELAXED = range(3)  # hipStreamCaptureMode

# out[i] = 3 * in[i] + 1, for 64 words.
TRIPLE = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_mul_u32_u24 v2, v2, 3
  v_add_u32 v2, v2, 1
  global_store_dword v1, v2, s[6:7]
"""


class Hip:
  """HIP's functions; a call that fails raises HipError with number and message."""

  def __init__(self, path=None):
    self.lib = ctypes.CDLL(path or _library.library_path())
    self.lib.hipGetErrorString.restype = ctypes.c_char_p
    self.streams = []

  def call(self, name, *arguments):
    result = getattr(self.lib, name)(*arguments)
    if result != 0:
      raise HipError(result, self.lib.hipGetErrorString(result).decode())

  def make(self, name, *arguments):
    out = ctypes.c_void_p()
    self.call(name, ctypes.byref(out), *arguments)
    return out

  def words(self, values):
    """Device memory of 32-bit words."""
    pointer = self.make("hipMalloc", ctypes.c_size_t(4 * len(values)))
    self.write(pointer, values)
    return pointer

  def write(self, pointer, values):
    array = (ctypes.c_uint32 * len(values))(*values)
    self.call("hipMemcpyHtoD", pointer, array, ctypes.c_size_t(4 * len(values)))

  def read(self, pointer, count):
    array = (ctypes.c_uint32 * count)()
    self.call("hipMemcpyDtoH", array, pointer, ctypes.c_size_t(4 * count))
    return list(array)

  def stream(self, flags=NON_BLOCKING):
    self.streams.append(self.make("hipStreamCreateWithFlags", flags))
    return self.streams[-1]

  def end_captures(self):
    """Ends the captures of streams that this object made, also of those that failed."""
    for stream in self.streams:
      with contextlib.suppress(HipError):
        self.call("hipStreamEndCapture", stream, ctypes.byref(ctypes.c_void_p()))

  def triple(self, function, source, out, stream):
    self.call("hipModuleLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, stream, None,
              extra(source, out))


class HipError(Exception):

  @property
  def number(self):
    return self.args[0]


def extra(source, out):
  packed = (ctypes.c_uint64 * 2)(source.value, out.value)
  size = ctypes.c_size_t(16)
  array = (ctypes.c_void_p * 5)(
      1, ctypes.addressof(packed), 2, ctypes.addressof(size), 3)
  array.keep = packed, size
  return array


def expect(number, message, hip: Hip, name, *arguments):
  with pytest.raises(HipError, match=message) as error:
    hip.call(name, *arguments)
  assert error.value.number == number


def be_late(hip, microseconds=20_000):
  hip.lib.jaxgemm_emulator_set_stream_delays(ctypes.c_uint64(3), microseconds)


class KernelNodeParams(ctypes.Structure):
  _fields_ = [("block", ctypes.c_uint32 * 3), ("extra", ctypes.c_void_p),
              ("function", ctypes.c_void_p), ("grid", ctypes.c_uint32 * 3),
              ("parameters", ctypes.c_void_p), ("dynamic_lds", ctypes.c_uint)]


def kernel_node(function, source, out):
  packed = extra(source, out)
  params = KernelNodeParams(
      (64, 1, 1), ctypes.addressof(packed), function.value, (1, 1, 1), None, 0)
  params.keep = packed
  return params
