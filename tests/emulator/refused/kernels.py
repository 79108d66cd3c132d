"""Programs that HIP refuses: kernels and modules."""

import ctypes
import pathlib
import struct
import sys

from tests.emulator.hip import TRIPLE
from tests.emulator.refusals import function, launch, module, out, refused, size
from tests.support import amdgpu


class Dim3(ctypes.Structure):
  _fields_ = [(name, ctypes.c_uint32) for name in "xyz"]


class Wrapper(ctypes.Structure):
  _fields_ = [("magic", ctypes.c_uint32), ("version", ctypes.c_uint32),
              ("bundle", ctypes.c_char_p), ("unused", ctypes.c_void_p)]


def use_fat_binary(hip, bundle: bytes) -> ctypes.Array:
  """Registers the kernel k of a program's own library and asks for it; gives its host function."""
  hip.lib.__hipRegisterFatBinary.restype = ctypes.c_void_p
  wrapper = Wrapper(0, 1, bundle + bytes(64), None)
  binary = hip.lib.__hipRegisterFatBinary(ctypes.byref(wrapper))
  host_function = ctypes.create_string_buffer(8)
  hip.lib.__hipRegisterFunction(
      ctypes.c_void_p(binary), host_function, b"k", b"k", 0, None, None, None, None, None)
  KEPT.extend([wrapper, host_function])
  hip.make("hipGetFuncBySymbol", host_function)
  return host_function


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
  one = Dim3(1, 1, 1)
  hip.call("hipLaunchKernel", ctypes.create_string_buffer(8), one, one, None, size(0), None)


@refused("No device has %zu bytes of LDS.", 1)
def launch_with_more_lds_than_32_bits_count(hip):
  code, name = amdgpu.assemble(TRIPLE, "gfx942"), b"hipv4-amdgcn-amd-amdhsa--gfx942"
  begin = 24 + 4 * 8 + len(name)
  bundle = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<4Q", 1, begin, len(code), len(name))
  function_of_host = use_fat_binary(hip, bundle + name + code)
  one = Dim3(1, 1, 1)
  hip.call("hipLaunchKernel", function_of_host, one, one, None, size(2**32), None)


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
