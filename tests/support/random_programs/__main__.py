"""Random programs for virtual ROCm devices, which test_virtual_rocm.py runs in processes:

    python -m jaxgemm.emulator.rocm --devices=4 --stream-seed=1 \\
        -m tests.support.random_programs FIRST_SEED COUNT

A program is a chain of products of jaxgemm and of XLA's elementwise functions, reductions,
gathers, sorts and loops, jitted as a whole, on 1, 2 or 4 devices. All values are small
integers that every dtype represents, so the results must equal those of numpy in float64
exactly. Each program runs three times with other values, because XLA replays command buffers.
"""

import collections
import sys

import jax
import numpy as np

from tests.support.random_programs.collectives import COLLECTIVES
from tests.support.random_programs.functions import FUNCTIONS
from tests.support.random_programs.products import PRODUCTS
from tests.support.random_programs.program import F64, Program


def run_seed(seed: int) -> Program:
  """Raises AssertionError if a result of the program of this seed is wrong."""
  p = Program(seed, len(jax.devices()), PRODUCTS, FUNCTIONS, COLLECTIVES)
  try:
    f = p.jitted()
    for run in range(3):
      inputs = p.inputs(run)
      for i, actual, expected in zip(p.outputs, f(*inputs), p.expected(inputs)):
        np.testing.assert_array_equal(
            np.asarray(actual, F64), expected, f"value {i}, {p.values[i].name}, run {run}")
  except Exception:
    print(f"seed {seed} failed; {p.describe()}", flush=True)
    raise
  return p


def main(first: int, count: int) -> None:
  used = collections.Counter()
  devices = collections.Counter()
  for seed in range(first, first + count):
    print(f"seed {seed}", file=sys.stderr, flush=True)  # the last one, if the process ends
    p = run_seed(seed)
    used.update(value.name for value in p.values if value.jax)
    devices[p.devices] += 1
  print(dict(devices), dict(used))
  print(f"{count} programs are right", flush=True)


if __name__ == "__main__":
  main(int(sys.argv[1]), int(sys.argv[2]))
