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
from tests.support.cuda_gpu import environment, gpu_bytes, skip_reason
from tests.support.paths import ROOT

TESTS = ROOT / "tests/support"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SANITIZER = shutil.which("compute-sanitizer") or shutil.which(
    "compute-sanitizer", path="/usr/local/cuda/bin")
# Bytes of GPU memory that a process under a tool needs. With 9 GB each, an H100 ran out of memory.
PROCESS_BYTES = 12 << 30


def _skip_reason():
  return skip_reason() or (
      "" if SANITIZER else "compute-sanitizer is not there: install CUDA's, or add its "
      "folder to PATH")


pytestmark = pytest.mark.skipif(bool(_skip_reason()), reason=_skip_reason())


def shares() -> int:
  """Processes per tool, not one per kernel: starting jax takes as long as several kernels."""
  at_once = min(os.cpu_count() or 1, gpu_bytes() // PROCESS_BYTES)
  return max(1, min(8, at_once // len(TOOLS)))


def sanitized(tool: str, *command) -> tuple[int, str]:
  """(exit status, output of the tool and the command)."""
  # Only kernels named gemm_*, the planted ones too, are checked; XLA's are not.
  options = ["--tool", tool, "--launch-timeout", "0", "--kernel-name", "kns=gemm_"]
  # Each array has its own allocation, so that no other array lies behind its end.
  changes = {"XLA_PYTHON_CLIENT_ALLOCATOR": "platform", "OPENBLAS_NUM_THREADS": "1"}
  if tool == "racecheck":
    # Kernels run one at a time, although a kernel may start before the previous one has
    # ended: racecheck looks at the memory of the CTAs of one kernel.
    options += ["--print-limit", "0", "--force-blocking-launches"]
  else:
    # API calls that XLA tries and does without are no faults; others end the command.
    options += ["--print-limit", "5", "--report-api-errors", "no"]
  if tool == "initcheck":
    # initcheck does not see what TMA stores: it takes most results for uninitialised
    # when the host reads them. cuda_kernels.py compares them.
    options += ["--check-api-memory-access", "no"]
  done = subprocess.run(
      [SANITIZER, *options, sys.executable, *map(str, command)], text=True,
      env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
      timeout=1800)
  return done.returncode, done.stdout


def kernels(tool: str, *arguments) -> tuple[int, str]:
  return sanitized(tool, TESTS / "cuda_kernels.py", *arguments)


@pytest.fixture(scope="module")
def runs():
  """A function: the futures of (exit status, output) of a tool. All tools run at once.

  A worker of pytest-xdist starts the tools of its own tests: if each started all, the GPU would
  not have the memory.
  """
  count = shares()
  pool = concurrent.futures.ThreadPoolExecutor(count * len(TOOLS))
  started: dict[str, list[concurrent.futures.Future]] = {}
  one_at_a_time = threading.Lock()  # JAXGEMM_TEST_DEVICES=all calls it in threads

  def start(tool):
    with one_at_a_time:
      if tool not in started:
        started[tool] = [pool.submit(kernels, tool, f"{share}/{count}") for share in range(count)]
      return started[tool]

  if "PYTEST_XDIST_WORKER" not in os.environ:
    for tool in TOOLS:
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
      # racecheck's reports on a kernel come and go: only a repeated report counts.
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
