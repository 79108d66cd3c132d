"""All tests run on the CPU platform, which shows eight devices.

Those of test_cuda*.py need an NVIDIA GPU: JAXGEMM_TEST_PLATFORMS=cuda,cpu.
"""

import os

os.environ["JAX_PLATFORMS"] = os.environ.get("JAXGEMM_TEST_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)

# pylint: disable=wrong-import-position
import numpy as np
import pytest


@pytest.fixture
def rng():
  """A seeded numpy generator."""
  return np.random.default_rng(0)


def pytest_addoption(parser):
  parser.addoption(
      "--whole", action="store_true",
      help="test_emulation.py: every kernel in every scenario, not a selection.",
  )
