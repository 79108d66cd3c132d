"""Programs that HIP refuses: devices and contexts."""

import ctypes

from tests.emulator.hip import HipError
from tests.emulator.refusals import out, refused


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
