"""jax's persistent compilation cache, with products that XLA partitions."""

import os
import re
import subprocess
import sys

from tests.support.environment import one_device
from tests.support.paths import ROOT


def run(folder, activation: str):
  """(hits, largest error) of tests/dense/cached_programs.py in a process of its own."""
  done = subprocess.run(
      [sys.executable, "-m", "tests.dense.cached_programs", activation], cwd=ROOT, text=True,
      capture_output=True, check=False, env=one_device() | {
          "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu",
          "JAX_COMPILATION_CACHE_DIR": os.fspath(folder),
          "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
          "JAX_REMOVE_CUSTOM_PARTITIONING_PTR_FROM_CACHE_KEY": "1"})
  found = re.search(r"(\d+) hits, error (\S+)", done.stdout)
  assert found, done.stderr[-3000:]
  return int(found[1]), float(found[2])


def test_programs_of_another_process_are_found_and_are_the_right_ones(tmp_path):
  assert run(tmp_path, "relu")[1] < 1e-5
  hits, error = run(tmp_path, "relu")
  assert hits >= 5 and error < 1e-5
  # With another activation, only programs that do not depend on it are found.
  fewer, error = run(tmp_path, "silu")
  assert fewer <= hits - 4 and error < 1e-5
