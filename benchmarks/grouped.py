"""Times jaxgemm.ragged_dot beside jax.lax.ragged_dot and torch._grouped_mm.

    python -m benchmarks.grouped --json=grouped.json --markdown=grouped.md
    python -m benchmarks.grouped --shape=512x256x128 --groups=4 --dtypes=float32 \
        --routings=balanced,extreme --work=forward

All run in one process and turn by turn. torch is measured if it is installed
(pip install torch; on the CPU any recent version).
"""

import json
import os
import pathlib
import re
import shlex
import sys

from absl import app, flags

from benchmarks import cpus, progress, shapes

_ACCEPTANCE = shapes.load()["grouped_acceptance"]

FLAGS = flags.FLAGS
flags.DEFINE_string(
    "shape", "x".join(str(_ACCEPTANCE[key]) for key in "mnk"),
    "Rows of all groups, columns and contracted dimension, as MxNxK.",
)
flags.DEFINE_list("groups", list(map(str, _ACCEPTANCE["groups"])), "Numbers of groups.")
flags.DEFINE_list("dtypes", ["float32", "bfloat16"], "Operand types.")
flags.DEFINE_list("routings", list(shapes.load()["routing"]), "From shapes.json.")
flags.DEFINE_list("work", None, "forward, forward+backward. Default: both.")
flags.DEFINE_list(
    "torch", ["float32", "bfloat16"],
    "Operand types with which torch is measured. On a CPU without bf16 instructions "
    "it is hundreds of times slower in bfloat16: leave bfloat16 out there.",
)
flags.DEFINE_list(
    "xla", ["balanced"],
    "Routings with which jax.lax.ragged_dot is measured. On the CPU it is slow, and "
    "does the same work with each of them.",
)
flags.DEFINE_integer(
    "threads", 0, "Number of CPUs to run on; 0 uses all.", lower_bound=0
)
flags.DEFINE_float("min_seconds", 2.0, "Least time for each row, in seconds.")
flags.DEFINE_integer("min_rounds", 7, "Least number of rounds.", lower_bound=1)
flags.DEFINE_enum("clock", "wall", ["wall", "cpu"], "As in python -m benchmarks.")
flags.DEFINE_integer("seed", 0, "Seed of the operands and of the routings.")
flags.DEFINE_string("json", None, "File to write the rows to.")
flags.DEFINE_string("markdown", None, "File to write the tables to.")


def _choose(flag: str, given: list[str], allowed) -> list[str]:
  if unknown := set(given) - set(allowed):
    raise app.UsageError(
        f"Unknown --{flag} {', '.join(sorted(unknown))}; there are "
        f"{', '.join(allowed)}."
    )
  return given


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if not (shape := re.fullmatch(r"(\d+)x(\d+)x(\d+)", FLAGS.shape)):
    raise app.UsageError(f"--shape={FLAGS.shape} was given; MxNxK is allowed.")
  routings = _choose("routings", FLAGS.routings, shapes.load()["routing"])
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  # Otherwise torch's idle threads would spin on the CPUs of the next candidate.
  os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
  progress.doing("Starting jax")
  # jax must be imported after the CPUs are chosen.
  import numpy as np

  from benchmarks import grouped_rows, grouped_table, report

  works = _choose("work", FLAGS.work or list(grouped_rows.WORK), grouped_rows.WORK)
  dtypes = _choose("dtypes", FLAGS.dtypes, grouped_rows.DTYPES)
  with_torch, with_xla = [], _choose("xla", FLAGS.xla, shapes.load()["routing"])
  about = report.machine() | {
      "command": shlex.join(["python", "-m", "benchmarks.grouped", *sys.argv[1:]]),
      "clock": FLAGS.clock, "torch": None,
  }
  if grouped_rows.has_torch():
    import torch
    torch.set_num_threads(about["threads"])
    about["torch"] = torch.__version__
    with_torch = _choose("torch", FLAGS.torch, grouped_rows.DTYPES)
  rng = np.random.default_rng(FLAGS.seed)
  m, n, k = map(int, shape.groups())
  rows, unbalanced = [], []
  print(grouped_table.HEADER, end="", flush=True)
  for groups in map(int, FLAGS.groups):
    for dtype in dtypes:
      problem = grouped_rows.Problem(m, n, k, groups, dtype)
      peers = {
          routing: [grouped_rows.XLA] * (routing in with_xla)
          + [grouped_rows.TORCH] * (dtype in with_torch) for routing in routings
      }
      measured, compared = grouped_rows.measure(
          problem, peers, works, rng=rng,
          min_seconds=FLAGS.min_seconds, min_rounds=FLAGS.min_rounds,
          clock=FLAGS.clock,
          show=lambda row: print(grouped_table.line(row), flush=True),
      )
      rows += measured
      unbalanced += compared
  text = grouped_table.markdown(rows, unbalanced, about)
  print("\n" + text[text.index(grouped_table.line(rows[-1])):].partition("\n")[2])
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(text)
  if FLAGS.json:
    pathlib.Path(FLAGS.json).write_text(json.dumps(
        {"machine": about, "rows": rows, "unbalanced": unbalanced,
         "acceptance": grouped_table.gates(rows, unbalanced)}, indent=1))
  return report.status(grouped_table.wrong(rows))


if __name__ == "__main__":
  app.run(main)
