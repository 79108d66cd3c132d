"""A kernel that holds multiprocessors of an NVIDIA GPU for some seconds.

gpu_steal.py times schedules beside it. Only the CUDA driver is needed, no toolkit.
"""

import ctypes

import numpy as np

NAME = "hold_multiprocessors"
# One CTA fills a multiprocessor: no kernel with tiles in shared memory fits beside it.
_SHARED_BYTES = 200 << 10
# void hold_multiprocessors(uint32* seen, uint32 epoch, uint64 nanoseconds): each CTA
# writes epoch to seen[blockIdx.x], and ends when that time has passed.
_PTX = b"""
.version 7.8
.target sm_80
.address_size 64
.visible .entry hold_multiprocessors(
  .param .u64 seen, .param .u32 epoch, .param .u64 nanoseconds)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<8>;
  mov.u64 %d0, %globaltimer;
  ld.param.u64 %d1, [seen];
  ld.param.u32 %r0, [epoch];
  ld.param.u64 %d2, [nanoseconds];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra SLEEP;
  cvta.to.global.u64 %d3, %d1;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %d4, %r2, 4;
  add.s64 %d5, %d3, %d4;
  st.volatile.global.u32 [%d5], %r0;
  membar.sys;
SLEEP:
  nanosleep.u32 500;
  mov.u64 %d6, %globaltimer;
  sub.s64 %d7, %d6, %d0;
  setp.lt.u64 %p, %d7, %d2;
  @%p bra SLEEP;
  ret;
}
"""
_MAX_SHARED, _NON_BLOCKING = 8, 1  # CU_FUNC_ATTRIBUTE_..., CU_STREAM_NON_BLOCKING


class Holder:
  """Holds multiprocessors for some time, by a kernel on a separate stream.

  Raises:
    RuntimeError: there is no CUDA driver, or a call of it fails.
  """

  def __init__(self, multiprocessors: int):
    try:
      self._cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
      raise RuntimeError(f"multiprocessors are held through CUDA's driver: {error}") from error
    self.multiprocessors, self._epoch = multiprocessors, 0
    context, module = ctypes.c_void_p(), ctypes.c_void_p()
    self._kernel, self._stream = ctypes.c_void_p(), ctypes.c_void_p()
    self._memory = ctypes.c_void_p()
    self._call("cuInit", 0)
    self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)  # jax's own context
    self._call("cuCtxSetCurrent", context)
    self._call("cuModuleLoadData", ctypes.byref(module), _PTX)
    self._call("cuModuleGetFunction", ctypes.byref(self._kernel), module, NAME.encode())
    self._call("cuFuncSetAttribute", self._kernel, _MAX_SHARED, _SHARED_BYTES)
    self._call("cuStreamCreate", ctypes.byref(self._stream), _NON_BLOCKING)
    self._call("cuMemHostAlloc", ctypes.byref(self._memory),
               ctypes.c_size_t(4 * multiprocessors), 0)
    words = ctypes.c_uint32 * multiprocessors
    self._seen = np.ctypeslib.as_array(words.from_address(self._memory.value or 0))
    self._seen[:] = 0

  def _call(self, name: str, *args) -> None:
    if status := getattr(self._cuda, name)(*args):
      raise RuntimeError(f"{name} of the CUDA driver failed with status {status}.")

  def start(self, seconds: float) -> None:
    """Starts the kernel; returns as soon as all the multiprocessors are held."""
    self._epoch += 1
    given = (ctypes.c_void_p(self._memory.value), ctypes.c_uint32(self._epoch),
             ctypes.c_uint64(round(seconds * 1e9)))
    pointers = (ctypes.c_void_p * len(given))(*(ctypes.addressof(each) for each in given))
    self._call("cuLaunchKernel", self._kernel, self.multiprocessors, 1, 1, 32, 1, 1,
               _SHARED_BYTES, self._stream, pointers, None)
    while (self._seen != self._epoch).any():
      pass

  def wait(self) -> None:
    self._call("cuStreamSynchronize", self._stream)
