"""The stand-in HIP runtime for tests."""

import ctypes

import pytest

from tests.emulator.hip import TRIPLE, Hip
from tests.support import amdgpu


@pytest.fixture
def hip():
  runtime = Hip()
  runtime.call("hipSetDevice", 0)
  yield runtime
  runtime.end_captures()
  runtime.lib.jaxgemm_emulator_set_stream_delays(ctypes.c_uint64(0), 0)


@pytest.fixture
def triple(hip):
  module = hip.make("hipModuleLoadData", amdgpu.assemble(TRIPLE, "gfx942"))
  yield hip.make("hipModuleGetFunction", module, b"k")
  hip.call("hipModuleUnload", module)
