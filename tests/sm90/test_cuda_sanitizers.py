"""compute-sanitizer on every kernel of the build, called through the package.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_sanitizers.py
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings

import pytest

from jaxgemm import _ffi
from tests.sm90.cuda_gpu import environment, gpu_bytes, skip_reason
from tests.support.paths import ROOT

TESTS = ROOT / "tests/sm90"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SANITIZER = shutil.which("compute-sanitizer") or shutil.which(
    "compute-sanitizer", path="/usr/local/cuda/bin")
# Kernels that one process runs. Starting jax takes as long as several kernels. But initcheck's time
# per kernel grows with the kernels that a process has run: from 0.2 s to 1.5 s after 40 of them.
KERNELS_PER_PROCESS = 24
# Bytes of GPU memory that a process under a tool needs. With 9 GB each, an H100 ran out of memory.
PROCESS_BYTES = 12 << 30


def _skip_reason():
  return skip_reason() or (
      "" if SANITIZER else "compute-sanitizer is not there: install CUDA's, or add its "
      "folder to PATH")


pytestmark = pytest.mark.skipif(bool(_skip_reason()), reason=_skip_reason())


def processes(tools: int) -> int:
  """How many processes of each tool run at once."""
  at_once = min(os.cpu_count() or 1, gpu_bytes() // PROCESS_BYTES)
  return max(1, at_once // tools)


def sanitized(tool: str, *command) -> tuple[int, str]:
  """(exit status, output of the tool and the command)."""
  # Only kernels named gemm_*, the planted ones too, are checked; XLA's are not.
  options = ["--tool", tool, "--launch-timeout", "0", "--kernel-name", "kns=gemm_"]
  # Each array has its own allocation, so that no other array lies behind its end.
  changes = {"XLA_PYTHON_CLIENT_ALLOCATOR": "platform", "OPENBLAS_NUM_THREADS": "1"}
  if tool == "racecheck":
    # Kernels run one at a time, although a kernel may start before the previous one has ended. That
    # is enough, because racecheck looks at the memory of the CTAs of one kernel.
    options += ["--print-limit", "0", "--force-blocking-launches"]
  else:
    # An API call whose failure XLA handles is no fault; other failures end the command.
    options += ["--print-limit", "5", "--report-api-errors", "no"]
  if tool == "initcheck":
    # initcheck does not see TMA's stores, so it takes most results for uninitialised when the host
    # reads them. cuda_kernels.py compares the results.
    options += ["--check-api-memory-access", "no"]
  done = subprocess.run(
      [SANITIZER, *options, sys.executable, *map(str, command)], text=True,
      env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
      timeout=1800)
  return done.returncode, done.stdout


def kernels(tool: str, *arguments) -> tuple[int, str]:
  return sanitized(tool, TESTS / "cuda_kernels.py", *arguments)


@pytest.fixture(scope="module")
def runs(request):
  """A function of a tool that returns the futures of (exit status, output) of its processes.

  All selected tools run at once. A worker of pytest-xdist starts only the tool of its own test,
  when the test runs: if each worker started all tools, the GPU's memory would not be enough.
  """
  selected = [item.callspec.params["tool"] for item in request.session.items
              if item.originalname == test_every_kernel_is_clean.__name__]
  built = len(_ffi.built_kernels(_ffi.target("cuda")))
  count = -(-built // KERNELS_PER_PROCESS)
  distributed = "PYTEST_XDIST_WORKER" in os.environ
  pool = concurrent.futures.ThreadPoolExecutor(
      processes(len(selected)) * (1 if distributed else len(selected)))
  started: dict[str, list[concurrent.futures.Future]] = {}
  one_at_a_time = threading.Lock()  # JAXGEMM_TEST_DEVICES=all calls it in threads

  def start(tool):
    with one_at_a_time:
      if tool not in started:
        started[tool] = [pool.submit(kernels, tool, f"{share}/{count}") for share in range(count)]
      return started[tool]

  if not distributed:
    for tool in selected:
      start(tool)
  yield start
  pool.shutdown(cancel_futures=True)


def errors(said: str) -> int:
  """The number of errors in a tool's summary, which must be there."""
  found = re.findall(
      r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", said)
  assert found, said[-3000:]
  return max(int(count) for pair in found for count in pair if count)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tool_finds_a_planted_fault(tool):
  _, said = sanitized(tool, TESTS / "cuda_faults.py", tool)
  assert errors(said) and "gemm_planted" in said, said[-3000:]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_kernel_is_clean(runs, tool):
  seen, again = [], set()
  for run in runs(tool):
    status, said = run.result()
    assert status == 0, said[-6000:]
    seen += re.findall(r"^kernel (\w+): \d+ calls$", said, re.MULTILINE)
    if errors(said):
      # racecheck does not report a kernel each time, so only a repeated report counts.
      # The names are those of instances, without the form.
      named = set(re.findall(r"access at (gemm_\w+_[rc][rc]r)", said))
      assert tool == "racecheck" and named, said[-6000:]
      again |= named
      warnings.warn(f"racecheck: {said[:3000]}", stacklevel=1)
  assert len(seen) == len(set(seen))
  assert set(seen) == _ffi.built_kernels(_ffi.target("cuda"))
  for name in sorted(again):
    status, said = kernels(tool, "0/1", name)
    assert status == 0 and errors(said) == 0 and f"kernel {name}:" in said, said[:6000]
