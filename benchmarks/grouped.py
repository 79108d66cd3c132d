r"""Times jaxgemm.ragged_dot beside jax.lax.ragged_dot and torch._grouped_mm on the CPU.

    python -m benchmarks grouped --json=grouped.json --markdown=grouped.md
    python -m benchmarks grouped --shape=512x256x128 --groups=4 --dtypes=float32 \
        --routings=balanced,extreme --work=forward

All take turns in one process. Times are seconds of the wall clock, or of this process with
--clock=cpu; the table has GFLOP/s. torch is measured if it is installed (pip install torch).
"""

import os
import re

from absl import app, flags

from benchmarks import cpus, progress, run, shapes

_ACCEPTANCE = shapes.load()["grouped_acceptance"]

FLAGS = flags.FLAGS
flags.DEFINE_string(
    "shape", "x".join(str(_ACCEPTANCE[key]) for key in "mnk"),
    "Rows of all groups, columns and contracted dimension, as MxNxK.",
)
flags.DEFINE_list("groups", list(map(str, _ACCEPTANCE["groups"])), "Numbers of groups.")
flags.DEFINE_list("dtypes", ["float32", "bfloat16"], "Operand types.")
flags.DEFINE_list("routings", list(shapes.load()["routing"]), "Routings, from shapes.json.")
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
flags.DEFINE_float("min_seconds", 2.0, "Least time for each row, in seconds.")
flags.DEFINE_enum("clock", "wall", ["wall", "cpu"], "Clock; cpu: the time of this process only.")


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
      "clock": FLAGS.clock, "torch": None,
  }
  if grouped_rows.has_torch():
    import torch
    torch.set_num_threads(about["threads"])
    about["torch"] = torch.__version__
    with_torch = _choose("torch", FLAGS.torch, grouped_rows.DTYPES)
  rng = np.random.default_rng(FLAGS.seed)
  m, n, k = map(int, shape.groups())
  problems = [
      grouped_rows.Problem(m, n, k, groups, dtype)
      for groups in map(int, FLAGS.groups) for dtype in dtypes]
  if (given := run.problems(grouped_rows.DTYPES, grouped=True)) is not None:
    problems = [
        grouped_rows.Problem(each["m"], each["n"], each["k"], each["groups"], dtype)
        for each in given for dtype in ([each["dtype"]] if "dtype" in each else dtypes)]
  rows = run.Rows(lambda rows: {
      "machine": about, "unbalanced": unbalanced,
      "acceptance": grouped_table.gates(rows, unbalanced)})
  unbalanced = rows.before.get("unbalanced", [])
  print(grouped_table.HEADER, end="", flush=True)
  for problem in problems:
    job = str(problem)
    if rows.has(job):
      continue
    peers = {
        routing: [grouped_rows.XLA] * (routing in with_xla)
        + [grouped_rows.TORCH] * (problem.dtype in with_torch) for routing in routings
    }
    measured, compared = grouped_rows.measure(
        problem, peers, works, rng=rng,
        min_seconds=FLAGS.min_seconds, min_rounds=run.repeat(),
        warmup=run.warmup(), clock=FLAGS.clock, profile=FLAGS.profile,
        show=lambda row: print(grouped_table.line(row), flush=True),
    )
    unbalanced += compared
    rows.add(job, measured)
  text = grouped_table.markdown(rows.rows, unbalanced, about)
  print("\n" + text[text.index(grouped_table.line(rows.rows[-1])):].partition("\n")[2])
  return rows.finish(grouped_table.wrong(rows.rows), markdown=text)
