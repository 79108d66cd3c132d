"""A large result of the CPU's kernels is asked to be in large pages."""

import pathlib
import re

import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm

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


@pytest.mark.parametrize("rows, asked", [(2048, False), (6144, True)])
def test_a_large_result_has_large_pages(rng, rows, asked):
  """Results of 16 and of 48 MiB."""
  a, b = (jnp.asarray(rng.standard_normal(shape), "float32") for shape in ((rows, 4), (4, 2048)))
  out = jaxgemm.matmul(a, b, implementation="jaxgemm").block_until_ready()
  middle = out.unsafe_buffer_pointer() + out.nbytes // 2
  assert ("hg" in flags_of(middle)) == asked
  np.testing.assert_allclose(out, np.float64(a) @ np.float64(b), rtol=1e-4, atol=1e-4)
