r"""Times dense products by jaxgemm and by XLA on the CPU, in turns within one process.

    python -m benchmarks dense --cases=acceptance,overhead --threads=1
    python -m benchmarks dense --cases=stream_k,1000x1000x1000 --dtypes=bfloat16,float32 \
        --schedule=persistent,stream_k --json=results.json

Times are seconds of the wall clock, or of this process with --clock=cpu; the table has GFLOP/s.
Sets of cases are in benchmarks/shapes.json; --list prints them.
"""

import itertools

from absl import app, flags

from benchmarks import cpus, progress, run, shapes

FLAGS = flags.FLAGS
flags.DEFINE_list(
    "cases", ["acceptance", "overhead"],
    f"Sets of cases ({', '.join(shapes.DENSE_SETS)}), layers of all models (layers) or of one "
    f"({', '.join(shapes.models())}), random ones (random20-seed1), or shapes as MxNxK.",
)
flags.DEFINE_list(
    "dtypes", ["bfloat16", "float32"],
    "Operand types. Cases that name their own type run if it is listed.",
)
flags.DEFINE_list(
    "schedule", None,
    "Schedules for jaxgemm, each a separate candidate. Default: the plan's choice. "
    "Cases that name their own schedule keep it.",
)
flags.DEFINE_list(
    "reduction", None,
    "Reductions for jaxgemm, each a separate candidate. They apply to the schedules "
    "stream_k and auto.",
)
FLAGS.set_default("threads", 1)
flags.DEFINE_string("implementation", None, "The implementation= of jaxgemm's calls.")
flags.DEFINE_float("min_seconds", 1.0, "Least time for each case, in seconds.")
flags.DEFINE_enum(
    "clock", "wall", ["wall", "cpu"],
    "Clock of the measurement. cpu counts the time of this process only: use it on a "
    "shared machine, with --threads=1.",
)
flags.DEFINE_bool("list", False, "Print the sets of cases and exit.")


def list_cases() -> None:
  for name in shapes.DENSE_SETS:
    print(name)
    for case in shapes.cases(name):
      fixed = " ".join(filter(None, [case.dtype, case.schedule]))
      print(f"  {case.label:>16} {case.flops / 1e9:10.3f} GFLOP  {fixed}".rstrip())


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if FLAGS.list:
    list_cases()
    return 0
  try:
    cases = list(itertools.chain.from_iterable(map(shapes.cases, FLAGS.cases)))
  except ValueError as e:
    raise app.UsageError(str(e)) from e
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  progress.doing("Starting jax")
  # jax must be imported after the CPUs are chosen.
  import numpy as np

  from benchmarks import dense, overhead, report

  if (given := run.problems(dense.DTYPES)) is not None:
    cases = [shapes.Case("problems", each["m"], each["n"], each["k"], each.get("dtype"))
             for each in given]
  if unknown := set(FLAGS.dtypes) - set(dense.DTYPES):
    raise app.UsageError(
        f"Unknown --dtypes {', '.join(sorted(unknown))}; "
        f"there are {', '.join(dense.DTYPES)}."
    )
  rng = np.random.default_rng(FLAGS.seed)
  info = report.machine() | {"clock": FLAGS.clock}
  report.print_header(info)
  overhead_rows = []
  rows = run.Rows(lambda rows: {
      "machine": info, "overhead": overhead_rows,
      "geometric_means": report.geometric_means(rows),
      "acceptance": report.gate_results(rows)})
  for case in cases:
    for dtype in [case.dtype] if case.dtype else FLAGS.dtypes:
      if dtype not in FLAGS.dtypes and case.name != "problems":
        continue
      variants = [
          dense.Variant(schedule, reduction, FLAGS.implementation)
          for schedule in (
              [case.schedule] if case.schedule else FLAGS.schedule or [None]
          )
          for reduction in (
              FLAGS.reduction or [None]
              if schedule in (None, "auto", "stream_k") else [None]
          )
      ]
      if case.name == "overhead":
        measured = overhead.measure(
            case, dtype, variants[0], rng=rng, min_seconds=FLAGS.min_seconds,
            clock=FLAGS.clock,
        )
        report.print_overhead(measured)
        overhead_rows += measured
        continue
      job = f"{case.name} {case.label} {dtype}"
      if rows.has(job):
        continue
      progress.doing(job)
      rows.add(job, [dense.measure(
          case, dtype, variants, rng=rng, min_seconds=FLAGS.min_seconds,
          min_rounds=run.repeat(), warmup=run.warmup(), clock=FLAGS.clock,
          profile=FLAGS.profile,
      )])
      report.print_row(rows.rows[-1])
  report.print_summary(rows.rows)
  return rows.finish(dense.wrong(rows.rows) + overhead.wrong(overhead_rows))
