"""Products that are sharded over the devices of several processes, by Gloo on CPUs."""

import socket
import subprocess
import sys

import numpy as np
import pytest

from tests.support.environment import one_device
from tests.support.paths import ROOT


def results(path, num_processes: int):
  """The results of so many processes of tests/collective/process_programs.py."""
  with socket.socket() as free:
    free.bind(("localhost", 0))
    port = free.getsockname()[1]
  started = [subprocess.Popen(
      [sys.executable, "-m", "tests.collective.process_programs", str(path), str(num_processes),
       str(process), str(port)], cwd=ROOT, text=True, stdout=subprocess.PIPE,
      stderr=subprocess.STDOUT, env={**one_device(), "JAX_PLATFORMS": "cpu"})
             for process in range(num_processes)]
  try:
    said = [process.communicate(timeout=180)[0] for process in started]
  finally:
    for process in started:
      process.kill()
  assert all(process.returncode == 0 for process in started), "\n".join(said)
  return dict(np.load(path))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
  """The results of one process."""
  return results(tmp_path_factory.mktemp("one") / "results.npz", 1)


@pytest.mark.whole(unless=lambda count: count == 2)
@pytest.mark.parametrize("count", [2, 4])
def test_processes_compute_what_one_does(tmp_path, wanted, count):
  given = results(tmp_path / "results.npz", count)
  assert given.keys() == wanted.keys() and len(given) == 15
  for name, x in given.items():
    np.testing.assert_allclose(x, wanted[name], rtol=1e-5, atol=1e-5 * np.abs(x).max(),
                               err_msg=name)
  rng = np.random.default_rng(0)
  a, b = (rng.standard_normal(shape, np.float32).astype(np.float64)
          for shape in ((64, 48), (48, 32)))
  for name in ("allgather_matmul.0", "matmul_reduce_scatter.0"):
    np.testing.assert_allclose(given[name], a @ b, atol=1e-4)
