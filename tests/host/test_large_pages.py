"""A large result of the CPU's kernels is asked to be in large pages."""

import pathlib
import re
import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.support.paths import ROOT

SETTING = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
pytestmark = pytest.mark.skipif(not SETTING.exists(), reason="this system has no large pages")


def flags_of(address: int) -> list[str]:
  """The flags of the process's mapping that has the address (VmFlags in proc(5))."""
  inside = False
  for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
    if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
      begin, end = (int(x, 16) for x in found.groups())
      inside = begin <= address < end
    elif inside and line.startswith("VmFlags:"):
      return line.split()[1:]
  raise AssertionError(f"{address:x} is in no mapping")


def asks(rows: int) -> bool:
  """Whether a product's result of 8 KiB a row is in memory that is asked to be in large pages."""
  rng = np.random.default_rng(rows)
  a, b = (jnp.asarray(rng.standard_normal(shape), "float32") for shape in ((rows, 4), (4, 2048)))
  out = jaxgemm.matmul(a, b, implementation="jaxgemm").block_until_ready()
  middle = out.unsafe_buffer_pointer() + out.nbytes // 2
  np.testing.assert_allclose(out, np.float64(a) @ np.float64(b), rtol=1e-4, atol=1e-4)
  return "hg" in flags_of(middle)


@pytest.mark.parametrize("rows, asked", [(2048, "False"), (6144, "True")])
def test_a_large_result_has_large_pages(rows, asked):
  """Results of 16 and of 48 MiB, in a process of their own: memory of an earlier result would
  still have its flag."""
  done = subprocess.run([sys.executable, "-m", "tests.host.test_large_pages", str(rows)], cwd=ROOT,
                        capture_output=True, text=True)
  assert done.returncode == 0, done.stderr[-2000:]
  assert done.stdout.split()[-1] == asked


if __name__ == "__main__":
  print(asks(int(sys.argv[1])))
