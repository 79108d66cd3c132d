r"""Every candidate of the plan for random dense products, and XLA's product.

    python -m benchmarks measure --seed=1 --num_problems=150 --most_seconds=240 --json=model.json

`keep` in fit.py makes a file of benchmarks/model/data from such a file. The candidate c0 is the
plan's own choice, because no tuning file is used. Candidates of several products take turns, each
on inputs of its own, so that none finds its inputs in the cache that another has left there.
"""

from collections.abc import Callable, Iterator, Sequence
import concurrent.futures
import dataclasses
import functools
import itertools
import json
import os
from typing import Any

from absl import flags
import jax
import numpy as np

from benchmarks import cases, measure, run
from benchmarks.measure import XLA
import jaxgemm

FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_integer("num_problems", 150, "Number of problems.", lower_bound=1)
  for name, share, what in (
      ("odd", 0.4, "random problems with a dimension that is no multiple of 16"),
      ("layers", 0.0, "problems with the sizes of a layer of a model"),
      ("other_dtypes", 0.1, "problems of other dtypes than bfloat16"),
      ("float32_out", 0.0, "problems of 16-bit dtypes whose product is float32")):
    flags.DEFINE_float(name, share, f"Share of {what}.", lower_bound=0, upper_bound=1)
  flags.DEFINE_bool("named", False, "Times square products of 2048, 4096 and 8192 first, with all "
                    "candidates: a fit without them has mispredicted large products.")
  flags.DEFINE_integer("least", 16, "Least M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most", 16384, "Largest M, N and K.", lower_bound=1)
  flags.DEFINE_integer("most_mib", 1024, "Most MiB of operands and result.")
  flags.DEFINE_integer("batch", 10, "Problems of which the candidates take turns.", lower_bound=1)
  flags.DEFINE_integer(
      "most_candidates", 16, "Candidates of a problem. Where there are more, three quarters are "
      "those with the least predicted cost, the others a random choice of the rest. 0: all.",
      lower_bound=0)
  flags.DEFINE_enum(
      "xla", "cublas", ["cublas", "all", "no"], "XLA's product: by cuBLAS alone; by the best of "
      "all that XLA has, which takes it seconds to find; or not measured.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  os.environ["JAXGEMM_TUNING"] = "off"
  options = dataclasses.replace(measure.Options.of_flags(), sample_seconds=0)
  draw = cases.Draw(FLAGS.seed, FLAGS.least, FLAGS.most, odd=FLAGS.odd, layers=FLAGS.layers,
                    other_dtypes=FLAGS.other_dtypes, float32_out=FLAGS.float32_out,
                    most_bytes=FLAGS.most_mib << 20)
  wanted = [cases.Product(*sizes, layout, source="named") for sizes in cases.mnk("large_cubes")
            for layout in ("rr", "rc")] if FLAGS.named else []
  wanted += itertools.islice(cases.random(draw), FLAGS.num_problems)
  for first in range(0, len(wanted), FLAGS.batch):
    batch = wanted[first:first + FLAGS.batch]
    yield f"{name} from {first}, {batch[0].label}", functools.partial(rows, batch, options)


def candidates(problem: cases.Product, most: int, rng) -> list[dict[str, Any]]:
  """What the plan could choose, the chosen one first, then those with cut tiles.

  Each has the keys of `jaxgemm.explain`'s candidates, and "asked", the schedule for
  which the plan listed it. Costs are in units of the cost of that schedule's first.
  """
  listed: dict[str, dict[str, Any]] = {}
  for schedule in ("auto", "stream_k"):
    for each in jaxgemm.explain(
        *_types(problem), schedule=schedule, dimension_numbers=problem.dimension_numbers(),
        preferred_element_type=problem.out_dtype, implementation="jaxgemm").data["candidates"]:
      listed.setdefault(json.dumps(each["config"], sort_keys=True), each | {"asked": schedule})
  found = list(listed.values())
  if not most or len(found) <= most:
    return found
  by_cost = sorted(range(len(found)), key=lambda i: (i > 0, found[i]["cost"]))
  near = by_cost[:most * 3 // 4]
  rest = rng.choice(by_cost[len(near):], most - len(near), replace=False)
  return [found[i] for i in sorted([*near, *map(int, rest)])]


def _types(problem: cases.Product) -> list[jax.ShapeDtypeStruct]:
  return [jax.ShapeDtypeStruct(shape, problem.dtype) for shape in problem.shapes()]


def _turn(problem: cases.Product, pool: concurrent.futures.Executor, rng) -> measure.Turn:
  """Begins to compile a problem's candidates, and XLA's product, for which XLA may run kernels."""
  row = {"section": "measure", "case": problem.label, "kind": problem.dtype, "m": problem.m,
         "n": problem.n, "k": problem.k, "flops": problem.flops,
         "problem": dataclasses.asdict(problem), "candidates": {}}
  turn = measure.Turn(row, _types(problem), {})
  options = {"dimension_numbers": problem.dimension_numbers(),
             "preferred_element_type": problem.out_dtype}

  def add(name: str, entry: dict[str, Any], function: Callable, compiler_options=None) -> None:
    row["candidates"][name] = entry
    turn.programs[name] = pool.submit(lambda: jax.jit(function).lower(*turn.shapes).compile(
        compiler_options))

  try:
    listed = candidates(problem, 0 if problem.source == "named" else FLAGS.most_candidates, rng)
  except ValueError as error:
    listed, row["left_out"] = [], {"all candidates": str(error)}
  for number, each in enumerate(listed):
    add(f"c{number}", each, functools.partial(
        jaxgemm.dot_general, implementation="jaxgemm",
        config=jaxgemm.GemmConfig(**each["config"]), **options))
  if FLAGS.xla != "no":
    cublas = measure.on_gpu() and FLAGS.xla == "cublas"
    add(XLA, {}, functools.partial(jax.lax.dot_general, **options),
        {"xla_gpu_enable_triton_gemm": False} if cublas else None)
  return turn


def rows(batch: Sequence[cases.Product], options: measure.Options) -> list[run.Row]:
  """The rows of a batch; if the profiler fails, problem by problem."""
  rng = np.random.default_rng((options.seed, batch[0].flops % (1 << 32)))
  with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    turns = [_turn(problem, pool, rng) for problem in batch]
  # The pool is done: a compiler that tries kernels on the device would disturb the measurement.
  try:
    return measure.by_turns(turns, options, "c0", lambda *_: None)
  except RuntimeError:
    if len(batch) == 1:
      raise
    return [row for problem in batch for row in rows([problem], options)]


def after(found: Sequence[run.Row]) -> list[str]:
  """How far the chosen candidate was from the best one."""
  regrets = []
  for row in found:
    times = {name: entry["seconds"]["median"] for name, entry in row["candidates"].items()
             if name != XLA}
    if "c0" in times:
      regrets.append(times["c0"] / min(times.values()) - 1)
  return [f"- the chosen candidate takes {np.mean(regrets):.1%} longer than the best in the mean, "
          f"{max(regrets):.0%} at worst"] if regrets else []
