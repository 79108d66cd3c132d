r"""Every candidate of the plan for random dense products, and XLA's product.

    python -m benchmarks measure --seed=1 --num_problems=150 --most_seconds=240 --json=model.json

The rows of the JSON file are what `python -m benchmarks fit` reads. The first candidate is the
plan's own choice, because no tuning file is used. Times are microseconds: on a GPU those in
which the device ran a call's kernels (jaxgemm/tune/gpu_trace.py), on the CPU those of the wall
clock. Candidates of several products take turns, each on inputs of its own, so that none finds its
inputs in the cache that another has left there.
"""

from collections.abc import Callable, Sequence
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import sys
import time
from typing import Any

from absl import app, flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import cases, measure, progress, report
import jaxgemm
from jaxgemm.tune import gpu_trace

FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_integer("num_problems", 150, "Number of problems.", lower_bound=1)
  flags.DEFINE_float("odd", 0.4, "Share of random problems with a dimension that is no "
                     "multiple of 16.", lower_bound=0, upper_bound=1)
  flags.DEFINE_float("layers", 0.0, "Share of problems with the sizes of a layer of a "
                     "model.", lower_bound=0, upper_bound=1)
  flags.DEFINE_float("other_dtypes", 0.1, "Share of problems of other dtypes than "
                     "bfloat16.", lower_bound=0, upper_bound=1)
  flags.DEFINE_float("float32_out", 0.0, "Share of the problems of 16-bit dtypes whose product "
                     "is float32.", lower_bound=0, upper_bound=1)
  flags.DEFINE_bool("named", False, "Times square products of 2048, 4096 and 8192 first, with all "
                    "candidates: a fit without them has mispredicted large products.")
  flags.DEFINE_integer("least", 16, "Least M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most", 16384, "Largest M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most_mib", 1024, "Most MiB of operands and result.")
  flags.DEFINE_integer("batch", 10, "Problems of which the candidates take turns.",
                       lower_bound=1)
  flags.DEFINE_integer(
      "most_candidates", 16, "Candidates of a problem. Where there are more, three "
      "quarters are those with the least predicted cost, the others a random choice of "
      "the rest. 0: all.", lower_bound=0)
  flags.DEFINE_enum(
      "xla", "cublas", ["cublas", "all", "no"], "XLA's product: by cuBLAS alone; by the "
      "best of all that XLA has, which takes it seconds to find; or not measured.")


def ours(problem: cases.Product, config) -> Callable[..., jax.Array]:
  return lambda lhs, rhs: jaxgemm.dot_general(
      lhs, rhs, problem.dimension_numbers(), preferred_element_type=problem.out_dtype,
      implementation="jaxgemm", config=config)


def candidates(problem: cases.Product, most: int, rng) -> list[dict[str, Any]]:
  """What the plan could choose, the chosen one first, then those with cut tiles.

  Each has the keys of `jaxgemm.explain`'s candidates, and "asked", the schedule for
  which the plan listed it. Costs are in units of the cost of that schedule's first.
  """
  operands = [jax.ShapeDtypeStruct(shape, problem.dtype) for shape in problem.shapes()]
  listed: dict[str, dict[str, Any]] = {}
  for schedule in ("auto", "stream_k"):
    data = jaxgemm.explain(
        *operands, schedule=schedule, dimension_numbers=problem.dimension_numbers(),
        preferred_element_type=problem.out_dtype, implementation="jaxgemm").data
    for each in data["candidates"]:
      listed.setdefault(
          json.dumps(each["config"], sort_keys=True), each | {"asked": schedule})
  found = list(listed.values())
  if not most or len(found) <= most:
    return found
  by_cost = sorted(range(len(found)), key=lambda i: (i > 0, found[i]["cost"]))
  near = by_cost[:most * 3 // 4]
  rest = rng.choice(by_cost[len(near):], most - len(near), replace=False)
  return [found[i] for i in sorted([*near, *map(int, rest)])]


@dataclasses.dataclass
class Job:
  """A problem, and what is compiled for it in other threads."""

  problem: cases.Product
  listed: list[dict[str, Any]]
  make_inputs: concurrent.futures.Future
  compiled: dict[str, concurrent.futures.Future]
  missing: dict[str, str] = dataclasses.field(default_factory=dict)


def _make_inputs(problem: cases.Product):
  """Compiles a function of a key that makes the operands."""
  scale = 16.0 if problem.dtype == "int8" else 1.0

  def make(key):
    return tuple((scale * jax.random.normal(each, shape, jnp.float32)).astype(problem.dtype)
                 for each, shape in zip(jax.random.split(key), problem.shapes()))

  return jax.jit(make).lower(jax.random.key(0, impl="rbg")).compile()


def _compile(function: Callable[..., Any], problem: cases.Product, options=None):
  shapes = [jax.ShapeDtypeStruct(shape, problem.dtype) for shape in problem.shapes()]
  return jax.jit(function).lower(*shapes).compile(options)


def prepare(problem: cases.Product, pool: concurrent.futures.Executor, most: int, rng) -> Job:
  """Begins to compile a problem's candidates, and XLA's product, for which XLA may run kernels."""
  job = Job(problem, [], pool.submit(_make_inputs, problem), {})
  try:
    job.listed = candidates(problem, most, rng)
  except ValueError as error:
    job.missing["all"] = str(error)
  for i, each in enumerate(job.listed):
    job.compiled[f"c{i}"] = pool.submit(
        _compile, ours(problem, jaxgemm.GemmConfig(**each["config"])), problem)
  if FLAGS.xla != "no":
    cublas = measure.on_gpu() and FLAGS.xla == "cublas"
    job.compiled["xla"] = pool.submit(
        _compile, lambda lhs, rhs: jax.lax.dot_general(
            lhs, rhs, problem.dimension_numbers(), preferred_element_type=problem.out_dtype),
        problem, {"xla_gpu_enable_triton_gemm": False} if cublas else None)
  return job


def timed(jobs: Sequence[Job], options: measure.Options) -> list[dict[str, Any]]:
  """The rows of some problems, of which the candidates take turns."""
  ready: dict[tuple[int, str], measure.Way] = {}
  sets = 3
  for number, job in enumerate(jobs):
    count = min(9, gpu_trace.input_sets(job.problem.input_bytes))
    sets, inputs = max(sets, count), None
    for name, future in job.compiled.items():
      progress.within(f"{job.problem.label}, first calls")
      try:
        run = future.result()
        if inputs is None:
          make = job.make_inputs.result()
          inputs = [make(jax.random.key(options.seed * 16 + i, impl="rbg")) for i in range(count)]
        way = measure.rotating(run, inputs)
        jax.block_until_ready(way.call(0))
        ready[number, name] = way
      except Exception as error:  # pylint: disable=broad-exception-caught
        # A candidate that fails must not end the measurement of the others.
        job.missing[name] = f"{type(error).__name__}: {error}"[:500]
  # Neighbours in the order of turns belong to different problems.
  order = sorted(ready, key=lambda each: (list(jobs[each[0]].compiled).index(each[1]), each[0]))
  measured = measure.interleave({f"{number} {name}": ready[number, name] for number, name in order},
                                sets, options, "", calls=1) if ready else None
  return [_row(number, job, measured) for number, job in enumerate(jobs)]


def _row(number: int, job: Job, measured: gpu_trace.Measured | None) -> dict[str, Any]:
  def entry(name):
    key = f"{number} {name}"
    if measured is None or key not in measured.timing.seconds:
      return {"us": None}
    quartiles = measured.timing.time(key)
    microseconds = {"us": quartiles.median, "q1_us": quartiles.q1,
                    "q3_us": quartiles.q3, "min_us": quartiles.min}
    kernels = measured.launches[key].times if measured.launches else {}
    return {key: round(value * 1e6, 3) for key, value in microseconds.items()} | {
        "kernels": {key: round(value * 1e6, 3) for key, value in kernels.items()}}

  return {
      "problem": dataclasses.asdict(job.problem),
      "candidates": [each | entry(f"c{i}") for i, each in enumerate(job.listed)],
      "xla": entry("xla") if "xla" in job.compiled else None,
      "missing": job.missing}


def summary(rows: Sequence[dict[str, Any]]) -> str:
  """How far the chosen candidate was from the best one and from XLA's product."""
  regrets, over_xla = [], []
  for row in rows:
    times = [c["us"] for c in row["candidates"] if c["us"] is not None]
    if not times or row["candidates"][0]["us"] is None:
      continue
    chosen = row["candidates"][0]["us"]
    regrets.append(chosen / min(times) - 1)
    if row["xla"] and row["xla"]["us"]:
      over_xla.append(row["xla"]["us"] / chosen)
  text = f"{len(rows)} problems, {sum(len(r['candidates']) for r in rows)} candidates"
  failed = sum(len(row["missing"]) for row in rows)
  text += f", {failed} of them failed" if failed else ""
  if regrets:
    text += (f"; the chosen candidate takes {np.mean(regrets):.1%} longer than the best "
             f"in the mean, {max(regrets):.0%} at worst")
  if over_xla:
    text += (f"; XLA's time over the chosen one's: {np.exp(np.mean(np.log(over_xla))):.2f}"
             f" in the geometric mean, {min(over_xla):.2f} at worst")
  return text


def _measured(jobs: Sequence[Job], options: measure.Options) -> list[dict[str, Any]]:
  """The rows of a batch; if the profiler fails, problem by problem."""
  try:
    return timed(jobs, options)
  except RuntimeError as error:
    if len(jobs) == 1:
      jobs[0].missing["all"] = f"{type(error).__name__}: {error}"[:500]
      return [_row(0, jobs[0], None)]
    print(f"The batch is measured problem by problem: {error}", file=sys.stderr)
    return [row for job in jobs for row in _measured([job], options)]


def _wanted() -> list[cases.Product]:
  draw = cases.Draw(FLAGS.seed, FLAGS.least, FLAGS.most, odd=FLAGS.odd, layers=FLAGS.layers,
                    other_dtypes=FLAGS.other_dtypes, float32_out=FLAGS.float32_out,
                    most_bytes=FLAGS.most_mib << 20)
  named = [cases.Product(*sizes, layout, source="named") for sizes in cases.mnk("large_cubes")
           for layout in ("rr", "rc")] if FLAGS.named else []
  return named + list(itertools.islice(cases.random(draw), FLAGS.num_problems))


def main(_) -> int:
  """Measures batch after batch until all problems or all the time is used."""
  if not FLAGS.json:
    raise app.UsageError("Give --json, the file to write the results to, batch by batch.")
  os.environ["JAXGEMM_TUNING"] = "off"
  begin, about = time.monotonic(), report.machine() | report.device()
  options = measure.Options(FLAGS.repeat, FLAGS.seed, sample_seconds=0)
  wanted, rng, rows, longest = _wanted(), np.random.default_rng(FLAGS.seed), [], 0.0
  batches = [wanted[i:i + FLAGS.batch] for i in range(0, len(wanted), FLAGS.batch)]
  with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for number, batch in enumerate(batches, 1):
      at = time.monotonic()
      if rows and at - begin + longest > FLAGS.most_seconds:
        print(f"{len(wanted) - len(rows)} problems are left out: --most_seconds.")
        break
      progress.doing(f"batch {number} of {len(batches)}, from {batch[0].label}")
      jobs = [prepare(each, pool, 0 if each.source == "named" else FLAGS.most_candidates, rng)
              for each in batch]
      # A compiler that tries kernels on the device would disturb the measurement.
      progress.within("compilation")
      concurrent.futures.wait(
          [each for job in jobs for each in (job.make_inputs, *job.compiled.values())])
      compiled = time.monotonic() - at
      rows += _measured(jobs, options)
      longest = max(longest, time.monotonic() - at)
      # One line for each row, so that a reader and git see rows.
      lines = ",\n".join(json.dumps(row) for row in rows)
      pathlib.Path(FLAGS.json).write_text(
          f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}\n')
      print(f"{time.monotonic() - begin:4.0f} s, of this batch {compiled:.1f} s of "
            f"compilation and {time.monotonic() - at - compiled:.1f} s of measurement. "
            f"{summary(rows)}.", flush=True)
  print(summary(rows))
  return 0
