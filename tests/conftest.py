"""All tests run on the CPU platform, which shows eight devices.

The tests of test_cuda*.py need an NVIDIA GPU: JAXGEMM_TEST_PLATFORMS=cuda,cpu. With
JAXGEMM_TEST_VIRTUAL_ROCM=gfx942 (or gfx950) tests run on eight virtual AMD GPUs.

Tests marked `whole` run only with --whole: larger parts of a matrix that is tested at
fewer points without it, and tests that have to compile something for themselves. With
`whole(unless=...)` those cases of a test run by default for whose parameters the function is true.
"""

import inspect
import os

from tests.support.environment import FAST_COMPILATION, ON_GPU, VIRTUAL_ROCM

os.environ["JAX_PLATFORMS"] = (
    "rocm,cpu" if VIRTUAL_ROCM else os.environ.get("JAXGEMM_TEST_PLATFORMS", "cpu"))
# The processes of pytest-xdist share a GPU, so none may take all of its memory.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ["JAXGEMM_TUNING"] = "off"  # so that this machine's tuning file changes no test
os.environ["JAXGEMM_DENIED"] = "off"
os.environ["XLA_FLAGS"] = " ".join([
    os.environ.get("XLA_FLAGS", ""), "--xla_force_host_platform_device_count=8",
    FAST_COMPILATION])
if VIRTUAL_ROCM:
  from jaxgemm.emulator import rocm

  rocm.start(VIRTUAL_ROCM, devices=8)

# pylint: disable=wrong-import-position
import jax
import numpy as np
import pytest

from jaxgemm.call import fallback
from jaxgemm.dense import call
from tests.support import progress, versions, virtual_rocm


@pytest.fixture
def rng():
  """A seeded numpy generator."""
  return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def small_products_take_the_kernels(request, monkeypatch):
  """Most tests have products so small that the plan would leave them to XLA on a CPU."""
  if not request.node.get_closest_marker("faster_by_xla"):
    monkeypatch.setattr(call, "faster_by_xla", lambda *_: "")


@pytest.fixture(autouse=True)
def no_warning_was_given(monkeypatch):
  """A warning is given once in a process, and earlier tests may have seen it."""
  monkeypatch.setattr(fallback, "_warned", set())


@pytest.fixture(autouse=True)
def few_memory_maps():
  """Linux gives a process 65,530 memory maps, and XLA crashes without more of them.

  A program of many devices has hundreds, as long as jax keeps it for another call.
  """
  yield
  with open("/proc/self/maps", "rb") as maps:
    if sum(1 for _ in maps) > 20000:
      jax.clear_caches()


@pytest.fixture(scope="session")
def say(pytestconfig):
  """A function that prints a line at once, although pytest captures the output."""
  return pytestconfig.pluginmanager.get_plugin("progress").say


def pytest_addoption(parser):
  parser.addoption(
      "--whole", action="store_true",
      help="Run all tests; without it, those marked `whole` are left out.",
  )


def pytest_configure(config):
  config.addinivalue_line(
      "markers", "whole(unless=None): runs with --whole only; one of its kind runs without. "
      "`unless` is a function of some of the test's parameters.")
  config.addinivalue_line(
      "markers", "from_source: compiles something, or reads the sources of the package.")
  config.addinivalue_line(
      "markers", "faster_by_xla: the plan leaves to XLA what XLA computes faster.")
  config.pluginmanager.register(progress.Progress(config), "progress")


def pytest_report_header():
  return versions.described()


@pytest.hookimpl(optionalhook=True)  # a hook of pytest-xdist
def pytest_xdist_auto_num_workers(config):
  """-n auto is one process for each CPU. It is a single process if they would share a GPU, or
  if tests are named one by one."""
  if ON_GPU or any("::" in argument for argument in config.args):
    return 0
  return min(len(os.sched_getaffinity(0)), 8)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
  """On virtual GPUs, skips a test that asks for a tile that only the CPU's kernels have."""
  try:
    return (yield)
  except (ValueError, AssertionError) as error:  # AssertionError: pytest expected another message
    if VIRTUAL_ROCM and "for this product has tile_" in str(error):
      pytest.skip("It names a tile that only the CPU's kernels have.")
    raise


def _is_for_whole(item) -> bool:
  def holds(unless):
    return unless(**{name: item.callspec.params[name] for name in
                     inspect.signature(unless).parameters})

  return any(not marker.kwargs or not holds(**marker.kwargs)
             for marker in item.iter_markers("whole"))


@pytest.hookimpl(trylast=True)  # after -k and -m
def pytest_collection_modifyitems(config, items):
  # tests/project has the longest tests. They come first, so that all processes end together.
  items.sort(key=lambda item: "project" not in item.path.parts)
  if VIRTUAL_ROCM:
    virtual_rocm.skip(items, VIRTUAL_ROCM)
  if config.getoption("--whole"):
    return
  left = [item for item in items if _is_for_whole(item)]
  items[:] = [item for item in items if not _is_for_whole(item)]
  config.hook.pytest_deselected(items=left)
  config.pluginmanager.get_plugin("progress").left_for_whole(len(left))
