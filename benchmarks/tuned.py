"""Tunes random products, and times the tuned programs beside those of the plan and of XLA.

    python -m benchmarks tuned --num_problems=30 --tune_seconds=100 --json=tuned.json
    python -m benchmarks tuned --problems=mine.yaml --tuning_file=mine.json

Half of the products are layers of models, the other ones random; give a --seed that no constant of
the plan was fitted to (benchmarks/model/data has those). The program of each product is compiled
three times: with the tuning file, without one, and as XLA's product. Equal programs are
timed once, and their ratio is 1. Times are seconds: on the device of a GPU, of the wall clock on
the CPU; the report has microseconds.
"""

from collections.abc import Callable, Sequence
import concurrent.futures
import dataclasses
import functools
import itertools
import os
import pathlib
import tempfile
import time
from typing import Any

from absl import flags

from benchmarks import progress, run

FLAGS = flags.FLAGS
flags.DEFINE_integer("num_problems", 30, "Number of random products.", lower_bound=1)
flags.DEFINE_integer("largest", 16384, "Largest M, N and K.", lower_bound=16)
flags.DEFINE_float("tune_seconds", 120, "Seconds in which to tune all products.")
flags.DEFINE_integer("tune_workers", 1, "Processes that tune, each with a device; 0: this one.",
                     lower_bound=0)
flags.DEFINE_string("tuning_file", None, "Tuning file to add to. Default: a temporary one.")

TUNED, PLAN, XLA = "tuned", "plan", "xla"
# The programs of so many products are compiled at once.
_BATCH = 16
# The fields of a plan that a row keeps.
_OF_PLAN = ("implementation", "kernel", "schedule", "reduction", "tile", "num_workgroups",
            "group_m", "tuned")


def drawn() -> list[Any]:
  """The products: those of --problems, or random ones in bfloat16."""
  from benchmarks.model import problems

  given = run.problems(["bfloat16"])
  if given is not None:
    return [problems.Problem(each["m"], each["n"], each["k"]) for each in given]
  draw = problems.Draw(FLAGS.seed, most=FLAGS.largest, layers=0.5, other_dtypes=0.0)
  fits = (each for each in problems.random(draw)
          if max(each.m, each.n, each.k) <= FLAGS.largest)
  return list(itertools.islice(fits, FLAGS.num_problems))


def functions(problem) -> tuple[Callable, Callable]:
  """The product by jaxgemm, and by XLA."""
  import jax

  import jaxgemm

  numbers = (tuple((each,) for each in problem.contracting), ((), ()))

  # Equal names, because the names are parts of the programs that are compared.
  def ours():
    def product(lhs, rhs):
      return jaxgemm.dot_general(lhs, rhs, numbers)
    return product

  def theirs():
    def product(lhs, rhs):
      return jax.lax.dot_general(lhs, rhs, numbers)
    return product

  return ours(), theirs()


def operand_types(problem) -> list[Any]:
  import jax
  import jax.numpy as jnp

  return [jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in (problem.lhs, problem.rhs)]


def tune(problems: Sequence[Any], path: pathlib.Path) -> dict[str, Any]:
  """Tunes the products as `python -m jaxgemm.tune` does; returns what it took."""
  from jaxgemm.tune.tune import tune_all

  begin = time.monotonic()
  report = tune_all([(functions(each)[0], operand_types(each), {}) for each in problems],
                    seconds=FLAGS.tune_seconds, routing="balanced", again=False,
                    most_candidates=16, workers=FLAGS.tune_workers, candidate_seconds=60.0,
                    path=path)
  return {"seconds": time.monotonic() - begin, "products": len(report.results),
          "known": sum(result.known for result in report.results),
          "unfinished": report.unfinished, "report": str(report).splitlines()}


def lowered(problem, path: pathlib.Path) -> tuple[dict[str, Any], dict[str, Any]]:
  """(the lowered programs by name, the plans with and without the tuning file)."""
  import jax

  import jaxgemm
  from jaxgemm.call import tuned

  found, plans = {}, {}
  types = operand_types(problem)
  for name, place in ((TUNED, str(path)), (PLAN, "off")):
    os.environ["JAXGEMM_TUNING"] = place
    tuned.forget()
    jax.clear_caches()  # with the other file a traced product may have been left to XLA
    ours, theirs = functions(problem)
    found[name] = jax.jit(ours).lower(*types)
    plan = jaxgemm.explain(ours, *types).data["calls"][0]
    plans[name] = {key: plan.get(key) for key in _OF_PLAN}
  found[XLA] = jax.jit(theirs).lower(*types)
  return found, plans


def names_of_equal(programs: dict[str, Any]) -> dict[str, str]:
  """For each lowered program: the name of the equal one that is compiled for all of them."""
  names = {programs[name].as_text(): name for name in (XLA, PLAN, TUNED)}
  return {name: names[program.as_text()] for name, program in programs.items()}


def measure(problem, programs: dict[str, Callable], alike: dict[str, str],
            plans: dict[str, Any]) -> dict[str, Any]:
  """A row: the time and errors of each program, and the times of the others over the tuned one's.

  Args:
    programs: the compiled programs, of which no two are equal.
    alike: for each name, the name of the equal program in `programs`.
  """
  import jax
  import jax.numpy as jnp

  from benchmarks import clock, gpu_check
  from jaxgemm.tune import gpu_trace

  count = min(gpu_trace.input_sets(problem.input_bytes), 99)
  make = jax.jit(lambda key: [
      jax.random.normal(k, shape, jnp.float32).astype(jnp.bfloat16)
      for k, shape in zip(jax.random.split(key), (problem.lhs, problem.rhs))])
  inputs = [make(jax.random.key(FLAGS.seed + i, impl="rbg")) for i in range(count)]
  profile = FLAGS.profile and os.path.join(FLAGS.profile, problem.label.replace(" ", "-"))
  measured = clock.interleave(
      {name: functools.partial(_call, program, inputs) for name, program in programs.items()},
      count, rounds=run.repeat(), warmup=run.warmup(), profile=profile, calls=4)
  lhs, rhs = inputs[0]
  lhs = lhs if problem.layout[0] == "r" else lhs.T
  rhs = rhs if problem.layout[1] == "r" else rhs.T
  row = {"section": "tuned", "case": problem.label, "m": problem.m, "n": problem.n,
         "k": problem.k, "dtype": "bfloat16", "alike": alike, "plans": plans,
         "rounds": measured.rounds, "candidates": {}}
  for name, timed in alike.items():
    seconds = measured.time(timed)
    row["candidates"][name] = {
        "seconds": dataclasses.asdict(seconds), "tflops": problem.flops / seconds.median / 1e12,
        "errors": gpu_check.dense(lhs, rhs, programs[timed](*inputs[0]), FLAGS.seed)}
    if name != TUNED:
      row["candidates"][name]["ratio"] = dataclasses.asdict(
          measured.speedup(alike[TUNED], timed))
  return row


def _call(program: Callable, inputs, index: int):
  return program(*inputs[index])


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
  """How the tuned programs compare: the times of the others over theirs."""
  from benchmarks import report

  rows = [row for row in rows if row["candidates"]]
  if not rows:
    return {}
  ratios = {name: [row["candidates"][name]["ratio"]["median"] for row in rows]
            for name in (PLAN, XLA)}
  better = [min(pair) for pair in zip(*ratios.values())]
  return {
      "products": len(rows),
      "plan over tuned, geometric mean": report.geometric_mean(ratios[PLAN]),
      "xla over tuned, geometric mean": report.geometric_mean(ratios[XLA]),
      "better of plan and xla over tuned, geometric mean": report.geometric_mean(better),
      "better of plan and xla over tuned, least": min(better),
      "products slower than 1.01 of the better": sum(each < 1 / 1.01 for each in better),
      "another program than the plan's": sum(row["alike"][TUNED] != row["alike"][PLAN]
                                             for row in rows),
      "left to XLA": sum(chosen(row) == "XLA's" for row in rows)}


def chosen(row: dict[str, Any]) -> str:
  """Whether the tuned program is the plan's, XLA's or another one."""
  alike = row["alike"]
  return ("XLA's" if alike[TUNED] == alike[XLA] else
          "the plan's" if alike[TUNED] == alike[PLAN] else "another")


def markdown(rows: Sequence[dict[str, Any]], about: dict[str, Any],
             tuning: dict[str, Any]) -> str:
  """The whole report."""
  lines = [
      "# Tuned products", "", f"`{about['command']}`", "",
      f"{about['device']}, driver {about['driver']}, jax {about['jax']}, {about['date']}. Tuning "
      f"{tuning['products']} products took {tuning['seconds']:.1f} s.", "",
      "| product | tuned, us | whose program it is | plan, us | XLA, us | plan's time / tuned's "
      f"| XLA's / tuned's |\n{'|---' * 7}|"]
  for row in rows:
    entries = row["candidates"]
    us = {name: f"{1e6 * entry['seconds']['median']:.1f}" for name, entry in entries.items()}
    ratios = [f"{entries[name]['ratio']['median']:.3f}" for name in (PLAN, XLA)]
    lines.append(f"| {row['case']} | {us[TUNED]} | {chosen(row)} | {us[PLAN]} | {us[XLA]} | "
                 f"{' | '.join(ratios)} |")
  lines += ["", *(f"- {what}: {value:.3f}" if isinstance(value, float) else f"- {what}: {value}"
                  for what, value in summary(rows).items()), ""]
  return "\n".join(lines)


def wrong(rows: Sequence[dict[str, Any]]) -> list[str]:
  """Results that are further from float64 than rounding explains."""
  from benchmarks import gpu_check

  return [f"{row['case']} {name}: errors {entry['errors']}" for row in rows
          for name, entry in row["candidates"].items()
          if name != XLA and not gpu_check.right(entry["errors"])]


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  run.refuse("threads", "processes")
  # This is set before jax is imported: the workers need the GPU's memory, too.
  os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
  progress.doing("Starting jax")
  from benchmarks import clock, report

  problems = drawn()
  about = report.machine() | report.device() | {
      "clock": "device" if clock.on_gpu() else "wall", "rounds": run.repeat()}
  with tempfile.TemporaryDirectory() as scratch:
    path = pathlib.Path(FLAGS.tuning_file or os.path.join(scratch, "tuning.json")).absolute()
    progress.doing(f"tuning {len(problems)} products")
    tuning = tune(problems, path)
    print(f"tuned {tuning['products']} of {len(problems)} products in {tuning['seconds']:.1f} s",
          flush=True)
    rows = run.Rows(lambda rows: {"machine": about, "tuning": tuning, "summary": summary(rows)})
    wanted = [each for each in problems if not rows.has(each.label)]
    with concurrent.futures.ThreadPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
      for start in range(0, len(wanted), _BATCH):
        batch = wanted[start:start + _BATCH]
        progress.doing(f"compiling {start + 1} to {start + len(batch)} of {len(wanted)}")
        given = [lowered(each, path) for each in batch]
        compiled = [{name: pool.submit(programs[name].compile)
                     for name in set(names_of_equal(programs).values())} for programs, _ in given]
        concurrent.futures.wait([each for some in compiled for each in some.values()])
        for problem, (programs, plans), done in zip(batch, given, compiled):
          progress.doing(problem.label)
          row = measure(problem, {name: each.result() for name, each in done.items()},
                        names_of_equal(programs), plans)
          rows.add(problem.label, [row])
          us = {name: f"{1e6 * entry['seconds']['median']:.1f}"
                for name, entry in row["candidates"].items()}
          print(f"{problem.label}: tuned {us[TUNED]} us ({chosen(row)}), plan {us[PLAN]}, "
                f"XLA {us[XLA]}", flush=True)
  for what, value in summary(rows.rows).items():
    print(f"{what}: {value:.3f}" if isinstance(value, float) else f"{what}: {value}")
  return rows.finish(wrong(rows.rows), markdown=markdown(rows.rows, about, tuning))
