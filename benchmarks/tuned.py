"""Random products after tuning, beside those of the plan and of XLA.

    python -m benchmarks tuned --num_problems=30 --tune_seconds=100 --json=tuned.json
    python -m benchmarks tuned --problems=mine.yaml --tuning_file=mine.json

Half of the products are layers of models, the other ones random; give a --seed that no constant of
the plan was fitted to (benchmarks/model/data has those). The program of each product is compiled
three times: with the tuning file, without one, and as XLA's product. Equal programs are timed once,
and their ratio is 1. Ratios are times over the tuned program's.
"""

import atexit
from collections.abc import Callable, Iterator, Sequence
import concurrent.futures
import functools
import itertools
import os
import pathlib
import shutil
import tempfile
import time
from typing import Any

from absl import flags
import jax
import jax.numpy as jnp

from benchmarks import cases, check, measure, progress, run
import jaxgemm
from jaxgemm.tune import choice, gpu_trace
from jaxgemm.tune.tune import tune_all

TUNED, PLAN, XLA = "tuned", "plan", "xla"
# The programs of so many products are compiled at once.
_BATCH = 16
# The fields of a plan that a row keeps.
_OF_PLAN = ("implementation", "kernel", "schedule", "reduction", "tile", "num_workgroups",
            "group_m", "tuned")
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_integer("num_problems", 30, "Number of random products.", lower_bound=1)
  flags.DEFINE_integer("largest", 16384, "Largest M, N and K.", lower_bound=16)
  flags.DEFINE_float("tune_seconds", 120, "Seconds in which to tune all products.")
  flags.DEFINE_integer("tune_workers", 1, "Processes that tune, each with a device; 0: this one.",
                       lower_bound=0)
  flags.DEFINE_string("tuning_file", None, "Tuning file to add to. Default: a temporary one.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  run.refuse("threads", "processes")
  options, products = measure.Options.of_flags(), drawn()
  scratch = tempfile.mkdtemp()
  atexit.register(shutil.rmtree, scratch)
  path = pathlib.Path(FLAGS.tuning_file or os.path.join(scratch, "tuning.json")).absolute()
  progress.doing(f"tuning {len(products)} products")
  begin = time.monotonic()
  report = tune_all([(functions(each)[0], _types(each), {}) for each in products],
                    seconds=FLAGS.tune_seconds, routing="balanced", again=False,
                    most_candidates=16, workers=FLAGS.tune_workers, candidate_seconds=60.0,
                    path=path)
  print(f"tuned {len(report.results)} of {len(products)} products in "
        f"{time.monotonic() - begin:.1f} s", flush=True)
  for start in range(0, len(products), _BATCH):
    batch = products[start:start + _BATCH]
    compiled = functools.cache(functools.partial(_compiled, batch, path))
    for index, product in enumerate(batch):
      yield f"{name} {product.label}", lambda product=product, index=index, compiled=compiled: [
          row(product, *compiled()[index], options)]


def drawn() -> list[cases.Product]:
  """The products: those of --problems, or random ones in bfloat16."""
  given = run.problems(["bfloat16"])
  if given is not None:
    return [cases.Product(each["m"], each["n"], each["k"], source="problems") for each in given]
  draw = cases.Draw(FLAGS.seed, most=FLAGS.largest, layers=0.5, other_dtypes=0.0)
  fits = (each for each in cases.random(draw) if max(each.m, each.n, each.k) <= FLAGS.largest)
  return list(itertools.islice(fits, FLAGS.num_problems))


def functions(product: cases.Product) -> tuple[Callable, Callable]:
  """The product by jaxgemm, and by XLA."""
  numbers = product.dimension_numbers()

  # Equal names, because the names are parts of the programs that are compared.
  def named(function):
    def product(lhs, rhs):
      return function(lhs, rhs, numbers)
    return product

  return named(jaxgemm.dot_general), named(jax.lax.dot_general)


def _types(product: cases.Product) -> list[jax.ShapeDtypeStruct]:
  return [jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in product.shapes()]


def lowered(product: cases.Product, path: pathlib.Path) -> tuple[dict[str, Any], dict[str, Any]]:
  """(the lowered programs by name, the plans with and without the tuning file)."""
  found, plans, types = {}, {}, _types(product)
  for name, place in ((TUNED, str(path)), (PLAN, "off")):
    os.environ["JAXGEMM_TUNING"] = place
    choice.forget()
    jax.clear_caches()  # with the other file a traced product may have been left to XLA
    ours, theirs = functions(product)
    found[name] = jax.jit(ours).lower(*types)
    plan = jaxgemm.explain(ours, *types).data["calls"][0]
    plans[name] = {key: plan.get(key) for key in _OF_PLAN}
  found[XLA] = jax.jit(theirs).lower(*types)
  return found, plans


def names_of_equal(programs: dict[str, Any]) -> dict[str, str]:
  """For each lowered program: the name of the equal one that is compiled for all of them."""
  names = {programs[name].as_text(): name for name in (XLA, PLAN, TUNED)}
  return {name: names[program.as_text()] for name, program in programs.items()}


def _compiled(batch: Sequence[cases.Product], path: pathlib.Path) -> list[tuple]:
  """For each product: its programs, of which no two are equal, which are equal, and the plans."""
  progress.within(f"compilation of {len(batch)} products")
  given = [lowered(each, path) for each in batch]
  with concurrent.futures.ThreadPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
    futures = [{name: pool.submit(programs[name].compile)
                for name in set(names_of_equal(programs).values())} for programs, _ in given]
    return [({name: each.result() for name, each in done.items()}, names_of_equal(programs), plans)
            for (programs, plans), done in zip(given, futures)]


def row(product: cases.Product, programs: dict[str, Callable], alike: dict[str, str],
        plans: dict[str, Any], options: measure.Options) -> run.Row:
  """A row: the time and errors of each program, and the times of the others over the tuned one's.

  Args:
    programs: the compiled programs, of which no two are equal.
    alike: for each name, the name of the equal program in `programs`.
  """
  count = min(gpu_trace.input_sets(product.input_bytes), 99)
  inputs = [measure.random(options.seed + i, *product.shapes()) for i in range(count)]
  measured = measure.interleave(
      {name: measure.Plain(program, inputs) for name, program in programs.items()}, count, options,
      f"tuned {product.label}", calls=4)
  lhs, rhs = (x if letter == "r" else x.T for x, letter in zip(inputs[0], product.layout))
  found = {"section": "tuned", "case": product.label, "kind": product.source, "m": product.m,
           "n": product.n, "k": product.k, "dtype": "bfloat16", "alike": alike, "plans": plans,
           "candidates": {}, **measure.about(measured)}
  for name, timed in alike.items():
    found["candidates"][name] = measure.entry(measured, timed, product.flops) | check.of_sketches(
        check.dense(lhs, rhs, programs[timed](*inputs[0]), options.seed))
    if name != TUNED:
      found["candidates"][name]["ratio"] = measure.ratio(measured, alike[TUNED], timed)
  found["candidates"][TUNED]["note"] = f"{chosen(found)} program"
  return found


def chosen(row: run.Row) -> str:
  """Whether the tuned program is the plan's, XLA's or another one."""
  alike = row["alike"]
  return ("XLA's" if alike[TUNED] == alike[XLA] else
          "the plan's" if alike[TUNED] == alike[PLAN] else "another")


def after(rows: Sequence[run.Row]) -> list[str]:
  """How the tuned programs compare with the better of the plan's and XLA's."""
  rows = [row for row in rows if row["candidates"]]
  if not rows:
    return []
  better = [min(row["candidates"][name]["ratio"]["median"] for name in (PLAN, XLA)) for row in rows]
  counts = {kind: sum(chosen(row) == kind for row in rows)
            for kind in ("another", "the plan's", "XLA's")}
  return [f"- better of plan and xla over tuned: geometric mean {run.geometric_mean(better):.3f}, "
          f"least {min(better):.3f}, {sum(each < 1 / 1.01 for each in better)} of {len(rows)} "
          "below 1 / 1.01",
          "- tuned programs: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]
