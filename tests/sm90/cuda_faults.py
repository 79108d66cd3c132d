"""Runs a kernel with the fault that a tool of compute-sanitizer must find.

    compute-sanitizer --tool racecheck python tests/sm90/cuda_faults.py racecheck
"""

import ctypes
import sys

_HEAD = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry gemm_planted(.param .u64 memory) {
  .reg .u64 %p;
  .reg .u32 %x, %t, %mine, %next;
  .shared .align 8 .b8 shared[256];
  ld.param.u64 %p, [memory];
  mov.u32 %t, %tid.x;
"""
# Faulty PTX by tool, for 64 threads and 256 bytes of uninitialised memory.
FAULTS = {
    "memcheck": "st.global.u32 [%p + 256], %t;",
    "initcheck": "ld.global.u32 %x, [%p + 128]; st.global.u32 [%p], %x;",
    # The other warp may write before or after this one reads.
    "racecheck": """
      shl.b32 %mine, %t, 2;
      xor.b32 %next, %mine, 128;
      mov.u32 %x, shared;
      add.u32 %mine, %mine, %x;
      add.u32 %next, %next, %x;
      st.shared.u32 [%mine], %t;
      ld.shared.u32 %x, [%next];
      st.global.u32 [%p], %x;""",
    # The barrier has not been initialised.
    "synccheck": "mov.u32 %x, shared; mbarrier.arrive.shared::cta.b64 _, [%x];",
}


def main(tool: str) -> None:
  cuda = ctypes.CDLL("libcuda.so.1")

  def call(name, *args):
    if result := getattr(cuda, name)(*args):
      raise RuntimeError(f"{name} returned {result}.")

  context, module, function, memory = (ctypes.c_void_p() for _ in range(4))
  call("cuInit", 0)
  call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
  call("cuCtxSetCurrent", context)
  code = f"{_HEAD}{FAULTS[tool]}\nret;\n}}\n".encode()
  call("cuModuleLoadData", ctypes.byref(module), code)
  call("cuModuleGetFunction", ctypes.byref(function), module, b"gemm_planted")
  call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(256))
  arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
  call("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, arguments, None)
  call("cuCtxSynchronize")
  print("launched", flush=True)


if __name__ == "__main__":
  main(sys.argv[1])
