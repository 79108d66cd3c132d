"""Times schedules on the CPU while other processes occupy some of its processors.

    python -m benchmarks cu_sweep --cases=2048x2048x2048 --json=sweep.json --png=sweep.png

Each occupied processor has a process pinned to it that runs an endless loop. The schedules and
XLA's product take turns beside the same processes. Times are wall-clock seconds. On a GPU the
command runs gpu_steal.py instead.
"""

import contextlib
import os
import subprocess
import sys

from absl import app, flags

from benchmarks import cpus, progress, run, shapes

FLAGS = flags.FLAGS
flags.DEFINE_list("cases", ["1024x1024x1024"], "Sets of cases, or shapes as MxNxK.")
flags.DEFINE_string("dtype", "float32", "Operand type.")
flags.DEFINE_list("schedule", ["persistent", "work_stealing", "stream_k"], "Schedules.")
flags.DEFINE_list(
    "occupied", None, "Numbers of occupied processors. Default: 0 to all but one.")
flags.DEFINE_float("min_seconds", 1.0, "Least time for each row, in seconds.")


@contextlib.contextmanager
def occupy(processors):
  """A context in which each of the processors runs a process with an endless loop."""
  busy = []
  try:
    for processor in processors:
      busy.append(subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]))
      os.sched_setaffinity(busy[-1].pid, {processor})
    yield
  finally:
    for each in busy:
      each.kill()
      each.wait()


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  run.refuse("processes")
  cases = [case for name in FLAGS.cases for case in shapes.cases(name)]
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  progress.doing("Starting jax")
  # jax must be imported after the CPUs are chosen.
  import numpy as np

  from benchmarks import dense, report

  processors = sorted(os.sched_getaffinity(0))
  counts = range(len(processors)) if FLAGS.occupied is None else map(int, FLAGS.occupied)
  counts = list(counts)
  if any(not 0 <= count <= len(processors) for count in counts):
    raise app.UsageError(f"--occupied={FLAGS.occupied} was given; 0 to {len(processors)} are "
                         "allowed, the number of processors.")
  if (given := run.problems(dense.DTYPES)) is not None:
    cases = [shapes.Case("problems", each["m"], each["n"], each["k"], each.get("dtype"))
             for each in given]
  info = report.machine() | {"clock": "wall"}
  report.print_header(info)
  rng = np.random.default_rng(FLAGS.seed)
  rows = run.Rows(lambda _: {"machine": info})
  variants = [dense.Variant(schedule) for schedule in FLAGS.schedule]
  for case in cases:
    for count in counts:
      free = len(processors) - count
      job = f"{case.label} {free} free processors"
      if rows.has(job):
        continue
      progress.doing(job)
      with occupy(processors[:count]):
        row = dense.measure(case, case.dtype or FLAGS.dtype, variants, rng=rng,
                            min_seconds=FLAGS.min_seconds, min_rounds=run.repeat(),
                            warmup=run.warmup(), profile=FLAGS.profile)
      rows.add(job, [row | {"active_cus": free}])
      print(f"{free} of {len(processors)} processors are free:")
      report.print_row(rows.rows[-1])
  return rows.finish(dense.wrong(rows.rows))
