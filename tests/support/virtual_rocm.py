"""What tests of virtual ROCm devices share."""

import os
import subprocess
import sys

import pytest

from jaxgemm.emulator import rocm
from tests.support.paths import ROOT


def _why_not() -> str:
  try:
    rocm._check_versions()
    rocm._check_no_real_rocm()
  except rocm.VirtualRocmError as error:
    return str(error)
  return ""


_REASON = _why_not()
needs_plugin = pytest.mark.skipif(bool(_REASON), reason=_REASON)


def run(*arguments, timeout=300, **environment):
  """Runs python -m jaxgemm.emulator.rocm, and returns the finished process."""
  variables = {k: v for k, v in os.environ.items()
               if k not in ("JAX_PLATFORMS", "XLA_FLAGS", "JAXGEMM_EMULATOR_LIBRARY")}
  return subprocess.run(
      [sys.executable, "-m", "jaxgemm.emulator.rocm", *arguments], text=True, cwd=ROOT,
      env=variables | environment, timeout=timeout, capture_output=True)
