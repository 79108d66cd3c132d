"""Environment variables: those that are read are known, and others are said."""

import re
import subprocess
import sys

import pytest

from jaxgemm import _environment
from tests.support.environment import one_device
from tests.support.paths import ROOT


def test_all_variables_that_are_read_are_known():
  read, name = set(), r"(?:environ(?:\.get\(|\[)|getenv\()\"(JAXGEMM_\w+)"
  for folder, ending in (("jaxgemm", "*.py"), ("ffi", "*.cc"), ("ffi", "*.h")):
    for path in (ROOT / folder).rglob(ending):
      read |= set(re.findall(name, path.read_text()))
  assert read | {"JAXGEMM_GPU_KERNELS"} == set(_environment.NAMES)


def test_others_are_said_when_the_package_is_imported():
  env = one_device() | {
      "JAX_PLATFORMS": "cpu", "JAXGEMM_TUNNING": "off", "jaxgemm_tuning": "off",
      "JAXGEMM_TEST_DEVICES": "all", "JAXGEMM_BENCHMARK_SHARE": "0/1", "JAXGEMM_TUNING": "off"}
  done = subprocess.run([sys.executable, "-W", "always", "-c", "import jaxgemm"], env=env,
                        capture_output=True, text=True, check=True)
  said, = re.findall("UserWarning: (.*)", done.stderr)
  assert said.startswith("jaxgemm does not read JAXGEMM_TUNNING, jaxgemm_tuning; ")
  assert "JAXGEMM_TUNING" in said and "JAXGEMM_TEST" not in said


@pytest.mark.filterwarnings("error")
def test_known_variables_are_no_fault(monkeypatch):
  for name in (*_environment.NAMES, "JAXGEMM_TEST_PLATFORMS"):
    monkeypatch.setenv(name, "1")
  _environment.warn_of_unknown()
