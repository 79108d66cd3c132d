r"""Times every candidate of the plan for random dense products, and XLA's product.

    python -m benchmarks.model.measure --seed=1 --problems=150 --most_seconds=240 \
        --json=model.json

The rows of the JSON file are what `python -m benchmarks.model.fit` reads. The first candidate
is the plan's own choice, because no tuning file is used. Times are microseconds: on a GPU those in
which the device ran a call's kernels (jaxgemm/tune/gpu_trace.py), on the CPU those of the wall
clock. Candidates of several products take turns, each on inputs of its own, so that none finds its
inputs in the cache that another has left there.
"""

from collections.abc import Callable, Sequence
import concurrent.futures
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import shlex
import sys
import time
from typing import Any

from absl import app, flags

from benchmarks import progress
from benchmarks.model import problems

FLAGS = flags.FLAGS


def define_flags():
  """Defines this program's flags, only when it is run: names may be those of another's."""
  flags.DEFINE_integer("seed", None, "Seed of the problems and of the operands.")
  flags.DEFINE_integer("problems", 150, "Number of problems.", lower_bound=1)
  flags.DEFINE_float(
      "most_seconds", 240, "No problem is begun that would probably end later.")
  flags.DEFINE_string("json", None, "File to write the results to, batch by batch.")
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
  flags.DEFINE_integer("rounds", 5, "Samples of each candidate.", lower_bound=3)
  flags.DEFINE_integer("batch", 10, "Problems of which the candidates take turns.",
                       lower_bound=1)
  flags.DEFINE_integer(
      "most_candidates", 16, "Candidates of a problem. Where there are more, three "
      "quarters are those with the least predicted cost, the others a random choice of "
      "the rest. 0: all.", lower_bound=0)
  flags.DEFINE_enum(
      "xla", "cublas", ["cublas", "all", "no"], "XLA's product: by cuBLAS alone; by the "
      "best of all that XLA has, which takes it seconds to find; or not measured.")
  flags.DEFINE_string("commit", None, "Commit of the sources, if they are no checkout.")
  flags.mark_flags_as_required(["seed", "json"])


def products(problem: problems.Problem):
  """(function of a GemmConfig that gives our product, XLA's product)."""
  import jax

  import jaxgemm

  numbers = (tuple((each,) for each in problem.contracting), ((), ()))
  options = {"preferred_element_type": problem.out_dtype}

  def ours(config):
    return functools.partial(
        jaxgemm.dot_general, dimension_numbers=numbers, implementation="jaxgemm",
        config=config, **options)

  return ours, functools.partial(
      jax.lax.dot_general, dimension_numbers=numbers, **options)


def candidates(problem: problems.Problem, most: int, rng) -> list[dict[str, Any]]:
  """What the plan could choose, the chosen one first, then those with cut tiles.

  Each has the keys of `jaxgemm.explain`'s candidates, and "asked", the schedule for
  which the plan listed it. Costs are in units of the cost of that schedule's first.
  """
  import jax

  import jaxgemm

  operands = [jax.ShapeDtypeStruct(shape, problem.dtype)
              for shape in (problem.lhs, problem.rhs)]
  ours, _ = products(problem)
  options = {k: v for k, v in ours(None).keywords.items() if k != "config"}
  listed: dict[str, dict[str, Any]] = {}
  for schedule in ("auto", "stream_k"):
    data = jaxgemm.explain(*operands, schedule=schedule, **options).data
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

  problem: problems.Problem
  listed: list[dict[str, Any]]
  make_inputs: concurrent.futures.Future
  compiled: dict[str, concurrent.futures.Future]
  missing: dict[str, str] = dataclasses.field(default_factory=dict)


def _make_inputs(problem: problems.Problem):
  """Compiles a function of a key that makes the operands."""
  import jax
  import jax.numpy as jnp

  scale = 16.0 if problem.dtype == "int8" else 1.0

  def make(key):
    return tuple(
        (scale * jax.random.normal(each, shape, jnp.float32)).astype(problem.dtype)
        for each, shape in zip(jax.random.split(key), (problem.lhs, problem.rhs)))

  return jax.jit(make).lower(jax.random.key(0, impl="rbg")).compile()


def _compile(function: Callable[..., Any], problem: problems.Problem, options=None):
  import jax

  shapes = [jax.ShapeDtypeStruct(s, problem.dtype) for s in (problem.lhs, problem.rhs)]
  return jax.jit(function).lower(*shapes).compile(options)


def prepare(problem: problems.Problem, pool: concurrent.futures.Executor, most: int,
            rng) -> Job:
  """Begins to compile a problem's candidates."""
  import jaxgemm

  try:
    listed = candidates(problem, most, rng)
  except ValueError as error:
    return Job(problem, [], pool.submit(_make_inputs, problem), {}, {"all": str(error)})
  ours, _ = products(problem)
  compiled = {
      f"c{i}": pool.submit(_compile, ours(jaxgemm.GemmConfig(**each["config"])), problem)
      for i, each in enumerate(listed)}
  return Job(problem, listed, pool.submit(_make_inputs, problem), compiled)


def add_xla(job: Job, pool: concurrent.futures.Executor, which: str) -> None:
  """Begins to compile XLA's product. XLA may run kernels to choose among them."""
  import jax

  gpu = jax.default_backend() == "gpu"
  options = {"xla_gpu_enable_triton_gemm": False} if gpu and which == "cublas" else None
  job.compiled["xla"] = pool.submit(
      _compile, products(job.problem)[1], job.problem, options)


@dataclasses.dataclass(frozen=True)
class Timed:
  """Seconds of each round, and median seconds of each kernel by its name."""

  seconds: Sequence[float]
  kernels: dict[str, float]


def time_on_gpu(calls, num_inputs: int, rounds: int) -> dict[str, Timed]:
  """Device time of functions of the index of an input set."""
  from jaxgemm.tune import gpu_trace

  measured = gpu_trace.measure(
      {name: gpu_trace.Candidate(call) for name, call in calls.items()}, num_inputs,
      rounds=rounds, calls=1, within=progress.within)
  return {name: Timed(seconds.tolist(), measured.launches[name].times)
          for name, seconds in measured.timing.seconds.items()}


def time_on_cpu(calls, num_inputs: int, rounds: int) -> dict[str, Timed]:
  """Wall time of functions of the index of an input set."""
  from jaxgemm.tune import timing

  measured = timing.interleave(
      calls, [(i,) for i in range(num_inputs)], min_seconds=0, min_rounds=rounds,
      max_rounds=rounds, sample_seconds=0, within=progress.within)
  return {name: Timed(seconds.tolist(), {})
          for name, seconds in measured.seconds.items()}


def measure(jobs: Sequence[Job], timer, rounds: int, seed: int) -> list[dict[str, Any]]:
  """The rows of some problems, of which the candidates take turns."""
  import jax

  from jaxgemm.tune import gpu_trace

  ready, sets = {}, 3
  for number, job in enumerate(jobs):
    count = min(9, gpu_trace.input_sets(job.problem.input_bytes))
    sets = max(sets, count)
    inputs = None
    for name, future in job.compiled.items():
      progress.within(f"{job.problem.label}, first calls")
      try:
        run = future.result()
        if inputs is None:
          make = job.make_inputs.result()
          keys = [jax.random.key(seed * 16 + i, impl="rbg") for i in range(count)]
          inputs = [make(key) for key in keys]
        call = functools.partial(_call, run, inputs)
        jax.block_until_ready(call(0))
        ready[number, name] = call
      except Exception as error:  # pylint: disable=broad-exception-caught
        # A candidate that fails must not end the measurement of the others.
        job.missing[name] = f"{type(error).__name__}: {error}"[:500]
  # Neighbours in the order of turns belong to different problems.
  order = sorted(ready, key=lambda each: (list(jobs[each[0]].compiled).index(each[1]),
                                          each[0]))
  calls = {f"{number} {name}": ready[number, name] for number, name in order}
  timed = timer(calls, sets, rounds) if calls else {}
  return [_row(number, job, timed) for number, job in enumerate(jobs)]


def _call(run, inputs, index: int):
  return run(*inputs[index % len(inputs)])


def _row(number: int, job: Job, timed: dict[str, Timed]) -> dict[str, Any]:
  from jaxgemm.tune.timing import Quartiles

  def entry(name):
    found = timed.get(f"{number} {name}")
    if found is None:
      return {"us": None}
    quartiles = Quartiles.of(found.seconds)
    microseconds = {"us": quartiles.median, "q1_us": quartiles.q1,
                    "q3_us": quartiles.q3, "min_us": quartiles.min}
    return {key: round(value * 1e6, 3) for key, value in microseconds.items()} | {
        "kernels": {key: round(value * 1e6, 3) for key, value in found.kernels.items()}}

  return {
      "problem": dataclasses.asdict(job.problem),
      "candidates": [each | entry(f"c{i}") for i, each in enumerate(job.listed)],
      "xla": entry("xla") if "xla" in job.compiled else None,
      "missing": job.missing}


def summary(rows: Sequence[dict[str, Any]]) -> str:
  """How far the chosen candidate was from the best one and from XLA's product."""
  import numpy as np

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


def run(write) -> list[dict[str, Any]]:
  """Measures batch after batch until all problems or all the time is used."""
  import numpy as np

  begin = time.monotonic()
  draw = problems.Draw(
      FLAGS.seed, FLAGS.least, FLAGS.most, FLAGS.odd, FLAGS.layers, FLAGS.other_dtypes,
      FLAGS.float32_out, FLAGS.most_mib << 20)
  timer = device_timer()
  wanted = problems.named() if FLAGS.named else []
  wanted += itertools.islice(problems.random(draw), FLAGS.problems)
  batches = [wanted[i:i + FLAGS.batch] for i in range(0, len(wanted), FLAGS.batch)]
  rng, rows, longest = np.random.default_rng(FLAGS.seed), [], 0.0
  with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for number, batch in enumerate(batches, 1):
      at = time.monotonic()
      if rows and at - begin + longest > FLAGS.most_seconds:
        print(f"{len(wanted) - len(rows)} problems are left out: --most_seconds.")
        break
      progress.doing(f"batch {number} of {len(batches)}, from {batch[0].label}")
      jobs = [prepare(each, pool, 0 if each.source == "named" else FLAGS.most_candidates, rng)
              for each in batch]
      if FLAGS.xla != "no":
        for job in jobs:
          add_xla(job, pool, FLAGS.xla)
      # A compiler that tries kernels on the device would disturb the measurement.
      progress.within("compilation")
      concurrent.futures.wait(
          [each for job in jobs for each in (job.make_inputs, *job.compiled.values())])
      compiled = time.monotonic() - at
      rows += _measured(jobs, timer)
      longest = max(longest, time.monotonic() - at)
      write(rows)
      print(f"{time.monotonic() - begin:4.0f} s, of this batch {compiled:.1f} s of "
            f"compilation and {time.monotonic() - at - compiled:.1f} s of measurement. "
            f"{summary(rows)}.", flush=True)
  return rows


def _measured(jobs: Sequence[Job], timer) -> list[dict[str, Any]]:
  """The rows of a batch; if the profiler fails, problem by problem."""
  try:
    return measure(jobs, timer, FLAGS.rounds, FLAGS.seed)
  except RuntimeError as error:
    if len(jobs) == 1:
      jobs[0].missing["all"] = f"{type(error).__name__}: {error}"[:500]
      return [_row(0, jobs[0], {})]
    print(f"The batch is measured problem by problem: {error}", file=sys.stderr)
    return [row for job in jobs for row in _measured([job], timer)]


def described(program: str) -> dict[str, Any]:
  """The machine, the command and the commit of a run of a program of this folder."""
  from benchmarks import report

  return report.machine() | report.device() | {
      "command": shlex.join(["python", "-m", f"benchmarks.model.{program}", *sys.argv[1:]]),
      "commit": FLAGS.commit or report.said("git", "rev-parse", "--short", "HEAD")}


def write_rows(about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
  """Writes --json, with one line for each row, so that a reader and git see rows."""
  lines = ",\n".join(json.dumps(row) for row in rows)
  pathlib.Path(FLAGS.json).write_text(
      f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}\n')


def device_timer() -> Callable[..., dict[str, Timed]]:
  """time_on_gpu, or time_on_cpu if there is no GPU."""
  import jax

  return time_on_gpu if jax.default_backend() == "gpu" else time_on_cpu


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  progress.doing("Starting jax")
  os.environ["JAXGEMM_TUNING"] = "off"
  print(summary(run(functools.partial(write_rows, described("measure")))))
  return 0


if __name__ == "__main__":
  define_flags()
  app.run(main)
