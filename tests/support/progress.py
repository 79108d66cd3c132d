"""A pytest plugin that names tests that run long and counts why tests were skipped."""

import collections
import os
import sys
import threading
import time

import pytest

SILENCE = 15  # seconds without a result, after which the running tests are named


def _what_whole_needs() -> str:
  from jaxgemm import _ffi  # conftest.py sets the environment first

  amd = [kernel for kernel in _ffi.NAMES["gpu_kernels"] if kernel[0] in _ffi.ROCM_ARCHS]
  missing = sum(name not in _ffi.built_kernels(arch) for arch, name in amd)
  if not missing:
    return ""
  return (f". It needs all {len(amd)} AMD kernels, and this build lacks {missing}: install it "
          "with JAXGEMM_GPU_KERNELS='^gfx'")


class Progress:
  """A plugin of the process that reports, and of each worker of pytest-xdist."""

  def __init__(self, config):
    self._config = config
    # Capturing is suspended while pytest configures; later, descriptor 2 is a file.
    self._stream = os.fdopen(os.dup(sys.__stderr__.fileno()), "w")
    self._running = {}  # nodeid: when it started
    self._heard = time.monotonic()
    self._over = threading.Event()
    self._left = 0
    self._skipped = collections.Counter()

  def say(self, line: str) -> None:
    print(f"\n[{line}]", file=self._stream, flush=True)

  def left_for_whole(self, count: int) -> None:
    self._left = count
    if self._is_worker():
      self._config.workeroutput["left_for_whole"] = count

  def _is_worker(self) -> bool:
    return hasattr(self._config, "workerinput")

  def pytest_sessionstart(self):
    if not self._is_worker():
      threading.Thread(target=self._watch, daemon=True).start()

  @pytest.hookimpl(optionalhook=True)
  def pytest_testnodedown(self, node):
    self._left = getattr(node, "workeroutput", {}).get("left_for_whole", self._left)

  def pytest_runtest_logstart(self, nodeid):
    self._running[nodeid] = time.monotonic()

  def pytest_runtest_logreport(self, report):
    self._heard = time.monotonic()
    if report.skipped and not hasattr(report, "wasxfail"):
      self._count_skip(report)

  def pytest_collectreport(self, report):
    if report.skipped:
      self._count_skip(report)

  def pytest_runtest_logfinish(self, nodeid):
    self._running.pop(nodeid, None)

  def pytest_sessionfinish(self):
    self._over.set()

  def pytest_terminal_summary(self, terminalreporter):
    for reason, count in self._skipped.most_common():
      terminalreporter.write_line(f"{count} skipped: {reason}")
    if self._left:
      terminalreporter.write_line(
          f"{self._left} left out: --whole runs them too{_what_whole_needs()}")

  def _count_skip(self, report):
    _, _, reason = report.longrepr
    self._skipped[reason.removeprefix("Skipped: ")] += 1

  def _watch(self):
    while not self._over.wait(1):
      if time.monotonic() - self._heard < SILENCE or not self._running:
        continue
      now = self._heard = time.monotonic()
      self.say("; ".join(f"{nodeid} has run for {now - start:.0f} s"
                         for nodeid, start in list(self._running.items())))
