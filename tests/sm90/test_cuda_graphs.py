"""Command buffers, streams, threads and processes on an NVIDIA GPU.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_graphs.py
"""

import concurrent.futures
import functools
import json
import subprocess
import sys

import jax
import numpy as np
import pytest

from tests.sm90.cuda_gpu import (
  array,
  assert_close,
  double,
  environment,
  gemm,
  skip_reason,
)
from tests.sm90.cuda_programs import DENSE, REPLAYS
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())

PROGRAMS = ROOT / "tests/sm90/cuda_programs.py"


def start(program: str, **env) -> subprocess.Popen:
  return subprocess.Popen(
      [sys.executable, str(PROGRAMS), program], env=environment(**env), text=True,
      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result(process: subprocess.Popen, given: str = "") -> dict:
  """The last line that the program printed."""
  said, errors = process.communicate(given, timeout=1800)
  assert process.returncode == 0, errors[-3000:]
  return json.loads(said.splitlines()[-1])


@functools.cache
def seen(program: str, command_buffers: int, flags: str = "") -> dict:
  return result(start(program, JAXGEMM_COMMAND_BUFFERS=str(command_buffers),
                      XLA_FLAGS=f"{environment()['XLA_FLAGS']} {flags}".strip()))


def kernels(trace: dict) -> int:
  return sum(trace["kernels"].values())


def test_command_buffers_on_and_off_give_the_same_bits():
  captured, plain = seen("calls", 1), seen("calls", 0)
  assert captured["bits"] == plain["bits"]
  for each in captured, plain:
    # Every replay has the bits of the first run on the same input.
    assert each["different"] == 0
    assert kernels(each) == each["calls"] * REPLAYS
  assert captured["graphs"] >= REPLAYS
  assert plain["graphs"] == 0


def test_loops_in_command_buffers():
  captured, plain = seen("loop", 1), seen("loop", 0)
  assert captured["bits"] == plain["bits"]
  for each in captured, plain:
    assert each["different"] == 0
    for name in ("scan", "fori"):
      assert kernels(each[name]) == each["calls"] * REPLAYS
  for name in ("scan", "fori"):
    assert captured[name]["graphs"] >= REPLAYS
    assert plain[name]["graphs"] == 0


def test_products_of_chunks():
  # Calls that wait on the host cannot be captured, so graphs of one call are allowed.
  captured = seen("chunks", 1, "--xla_gpu_graph_min_graph_size=1")
  plain = seen("chunks", 0)
  assert captured["bits"] == plain["bits"]
  for each in captured, plain:
    assert each["different"] == 0
    assert kernels(each["arriving"]) == REPLAYS
    for name in ("scan", "copies"):
      assert kernels(each[name]) == each["per_scan"] * REPLAYS
  # In the programs of "arriving" the call is all that can be captured.
  assert captured["arriving"]["graphs"] >= REPLAYS
  assert plain["arriving"]["graphs"] == 0


def test_branches_of_a_graph_run_at_once():
  branches = seen("calls", 1, "--xla_gpu_command_buffer_scheduling_mode=CONCURRENT")
  assert branches["graphs"] >= REPLAYS and branches["together"] > 0
  assert branches["different"] == 0 and branches["bits"] == seen("calls", 0)["bits"]


def test_streams_of_one_program():
  streams = seen("streams", 0)
  assert len(streams["kernels"]) >= streams["calls"]
  assert kernels(streams) == streams["calls"] * REPLAYS
  assert streams["together"] > 0 and streams["different"] == 0


def test_threads(rng):
  """Several threads run different programs at once, and the same program."""
  def make(index):
    m, n = 256 + 40 * index, 520 - 24 * index
    a, b = array(rng, m, 2048), array(rng, 2048, n)
    options = DENSE[index % len(DENSE)]
    run = jax.jit(lambda a, b: gemm(a, b, **options))
    assert_close(run(a, b), double(a) @ double(b))
    return run, a, b, np.asarray(run(a, b))

  made = [make(index) for index in range(8)]

  def again(index):
    run, a, b, first = made[index]
    return sum((np.asarray(run(a, b)) != first).any() for _ in range(40))

  with concurrent.futures.ThreadPoolExecutor(16) as pool:
    # Each program runs on two threads, so that threads share programs, too.
    assert list(pool.map(again, 2 * list(range(len(made))))) == [0] * 16


def test_two_processes():
  both = [start("busy") for _ in range(2)]
  for process in both:
    assert process.stdout.readline() == "ready\n", process.stderr.read()[-3000:]
  with concurrent.futures.ThreadPoolExecutor(2) as pool:
    one, other = pool.map(lambda process: result(process, "go\n"), both)
  assert min(one["end"], other["end"]) - max(one["begin"], other["begin"]) > 1
  assert one["bits"] == other["bits"]
  for each in one, other:
    assert each["runs"] >= REPLAYS and each["different"] == 0
