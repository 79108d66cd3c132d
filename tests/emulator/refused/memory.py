"""Programs that HIP refuses: copies and memory."""

import ctypes

from tests.emulator.refusals import out, refused, size


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
