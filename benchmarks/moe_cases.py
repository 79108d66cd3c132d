"""What the suites of experts share: their flags, and the layers that they name."""

import dataclasses
import os
from typing import Any

from absl import app, flags

from benchmarks import cpus, progress, run, shapes

_CASES = shapes.load()["moe_step"]

FLAGS = flags.FLAGS
flags.DEFINE_enum(
    "size", None, list(_CASES),
    "Sizes of shapes.json. Default: gpu on a GPU, cpu elsewhere.")
flags.DEFINE_list("cases", ["8", "64"], "Numbers of experts, from shapes.json.")
flags.DEFINE_integer("tokens", None, "Tokens of a call or step. Default: from shapes.json.")


def start(argv) -> list[Any]:
  """Begins a suite: chooses processors, imports jax, and returns the `moe_rows.Problem`s."""
  progress.begin(argv)
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  # jax.lax.ragged_dot needs much of the GPU's memory for its masks.
  os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.92")
  progress.doing("Starting jax")
  # jax must be imported after CPUs and memory are chosen.
  from benchmarks import clock, moe_rows

  given = run.read_problems([field.name for field in dataclasses.fields(moe_rows.Problem)])
  if given is None:
    cases = {str(case["num_experts"]): case
             for case in _CASES[FLAGS.size or ("gpu" if clock.on_gpu() else "cpu")]}
    if unknown := set(FLAGS.cases) - set(cases):
      raise app.UsageError(
          f"Unknown --cases {', '.join(sorted(unknown))}; there are {', '.join(cases)}.")
    given = [cases[name] for name in FLAGS.cases]
  return [moe_rows.Problem(**each | ({"tokens": FLAGS.tokens} if FLAGS.tokens else {}))
          for each in given]


def about() -> dict[str, Any]:
  """The machine, the device and the clock of a run."""
  from benchmarks import clock, report

  return report.machine() | report.device() | {"clock": "device" if clock.on_gpu() else "wall"}
