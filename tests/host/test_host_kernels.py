"""Every CPU kernel that this processor has gives the right numbers; each is forced in turn."""

import os
import subprocess
import sys

import pytest

from jaxgemm import _jaxgemm as native
from tests.support.paths import ROOT

FAMILIES = list(dict.fromkeys(
    kernel["name"] for kernel in native.host_kernels() if kernel["available"]))


@pytest.mark.parametrize("name", FAMILIES[1:])
@pytest.mark.parametrize("options", [
    ["-k", "15-17-512 or 257-257-257"],
    pytest.param(["-k", "1-4096-4096"], marks=pytest.mark.whole),
    pytest.param(["--whole", "-k", "not 2048 and not 4096-4096 and not 8192-8192 and "
                  "not 1024-1024 and not threads"], marks=pytest.mark.whole),
], ids=["few", "one row", "up to 257 cubed and 32x32x8192"])
def test_numerics_on_a_forced_kernel(name, options):
  """Runs test_numerics.py on the kernel; FAMILIES[0] is the default kernel there."""
  done = subprocess.run(
      [sys.executable, "-m", "pytest", "-n0", "-q", "-x", "tests/dense/test_numerics.py",
       *options],
      cwd=ROOT, env={**os.environ, "JAXGEMM_HOST_KERNEL": name}, capture_output=True,
      text=True)
  assert done.returncode == 0, done.stdout[-4000:]


def explained_kernel(environment):
  code = ("import jax, jaxgemm; a = jax.ShapeDtypeStruct((64, 64), 'float32'); "
          "print(jaxgemm.explain(a, a).data['kernel'])")
  return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment},
                        capture_output=True, text=True)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_environment_forces_the_kernel(name):
  # A family may use another family's kernel: amx has none of its own for float32.
  runs, = (kernel["runs"] for kernel in native.host_kernels()
           if kernel["name"] == name and kernel["math"] == "kF32")
  assert explained_kernel({"JAXGEMM_HOST_KERNEL": name}).stdout.strip() == runs


def test_an_unknown_kernel_is_an_error_that_lists_the_kernels():
  done = explained_kernel({"JAXGEMM_HOST_KERNEL": "sse9"})
  assert done.returncode != 0 and "sse9" in done.stderr and "portable" in done.stderr
