"""Times stream-K with every tile, reduction, layout and type that CK's stream-K has, all checked.

    python -m benchmarks stream_k_parity --json=parity.json --markdown=parity.md
    python -m benchmarks stream_k_parity --tiles=128x128,256x128 --reductions=linear,atomic

There is a row for each type and layout, in which XLA's product, our persistent one, and stream-K
with each tile and reduction take turns. Times are seconds: on the device of a GPU, of the wall
clock on the CPU; the table has TFLOP/s. What the kernels do not have is listed with the reason.
"""

import concurrent.futures
import dataclasses
import functools
import os
import re
from typing import Any

from absl import app, flags

from benchmarks import cpus, journal, progress, run

FLAGS = flags.FLAGS
_LAYOUTS = ("rr", "rc", "cr", "cc")
_REDUCTIONS = ("linear", "tree", "atomic")
flags.DEFINE_string("shape", "512x512x8192", "M, N and K of the products.")
flags.DEFINE_list("tiles", None, "Tiles, as MxN. Default: those that the plan would cut, at "
                  "most --most_tiles.")
flags.DEFINE_integer("most_tiles", 4, "See --tiles.", lower_bound=1)
flags.DEFINE_list("reductions", list(_REDUCTIONS), "How the parts of a tile are summed.")
flags.DEFINE_list("layouts", list(_LAYOUTS), "A letter for each operand; r: row-major, c: "
                  "transposed.")
flags.DEFINE_list("dtypes", None, "Operand types. Default: all that benchmarks.dense has.")

XLA, PERSISTENT = "xla", "jaxgemm persistent"


def name_of(tile: str, reduction: str) -> str:
  return f"jaxgemm {tile} {reduction}"


def _numbers(layout: str):
  return (((int(layout[0] == "r"),), (int(layout[1] == "c"),)), ((), ()))


def _shapes(problem) -> list[tuple[int, int]]:
  m, n, k = problem["m"], problem["n"], problem["k"]
  return [(m, k) if problem["layout"][0] == "r" else (k, m),
          (k, n) if problem["layout"][1] == "r" else (n, k)]


def tiles(types, product) -> list[str]:
  """The tiles of --tiles, or the first of those that the plan considers to cut."""
  import jaxgemm

  if FLAGS.tiles:
    return FLAGS.tiles
  numbers, out = product
  plan = jaxgemm.explain(*types, dimension_numbers=numbers, preferred_element_type=out,
                         schedule="stream_k", implementation="jaxgemm").data
  found = ["x".join(map(str, each["tile"][:2])) for each in plan["candidates"]]
  return list(dict.fromkeys(found))[:FLAGS.most_tiles]


def measure(problem: dict[str, Any]) -> dict[str, Any]:
  """A row: the time and error of each way of computing a product of a type and layout."""
  import jax
  import numpy as np

  from benchmarks import clock, dense
  import jaxgemm
  from jaxgemm.tune import gpu_trace, timing

  dtype, layout = problem["dtype"], problem["layout"]
  out = dense.OUT_DTYPES.get(dtype, dtype)
  types = [jax.ShapeDtypeStruct(shape, dense.numpy_dtype(dtype)) for shape in _shapes(problem)]
  numbers = _numbers(layout)
  ours = functools.partial(jaxgemm.dot_general, dimension_numbers=numbers,
                           preferred_element_type=out, implementation="jaxgemm")
  functions: dict[str, Any] = {
      XLA: functools.partial(jax.lax.dot_general, dimension_numbers=numbers,
                             preferred_element_type=out),
      PERSISTENT: functools.partial(ours, schedule="persistent")}
  for tile in tiles(types, (numbers, out)):
    tile_m, tile_n = map(int, tile.split("x"))
    for reduction in FLAGS.reductions:
      functions[name_of(tile, reduction)] = functools.partial(
          ours, config=jaxgemm.GemmConfig(schedule="stream_k", reduction=reduction,
                                          tile_m=tile_m, tile_n=tile_n))
  refused, futures = {}, {}
  with concurrent.futures.ThreadPoolExecutor(min(16, os.cpu_count() or 1)) as pool:
    for name, function in functions.items():
      if why := journal.why_left_out(name):
        refused[name] = why
        continue
      try:
        futures[name] = pool.submit(jax.jit(function).lower(*types).compile)
      except ValueError as error:
        refused[name] = " ".join(str(error).split())[:300]
  rng = np.random.default_rng(FLAGS.seed)
  size = sum(each.size * each.dtype.itemsize for each in types)
  count = (gpu_trace.input_sets(size) if clock.on_gpu()
           else timing.input_sets(size, len(futures)))
  inputs = [jax.device_put(tuple(
      dense.random_operand(rng, each.shape, dtype) for each in types)) for _ in range(count)]
  lhs, rhs = (np.asarray(x) if letter == "r" else np.asarray(x).T
              for x, letter in zip(inputs[0], layout))
  wanted, rows = dense.reference(lhs, rhs, rng)
  programs, errors = {}, {}
  for name, future in futures.items():
    progress.within(name)
    journal.begin(name)
    programs[name] = future.result()
    errors[name] = dense.errors(np.asarray(programs[name](*inputs[0]))[rows], wanted)
  journal.begin("")
  measured = clock.interleave(
      {name: functools.partial(_call, program, inputs) for name, program in programs.items()},
      count, rounds=run.repeat(), warmup=run.warmup(), calls=4, profile=FLAGS.profile and
      os.path.join(FLAGS.profile, f"parity-{dtype}-{layout}"))
  row = problem | {"section": "stream_k_parity", "rounds": measured.rounds, "refused": refused,
                   "flops": 2 * problem["m"] * problem["n"] * problem["k"], "candidates": {}}
  for name in programs:
    seconds = measured.time(name)
    row["candidates"][name] = {
        "seconds": dataclasses.asdict(seconds), "tflops": row["flops"] / seconds.median / 1e12,
        "errors": errors[name]}
    if name != PERSISTENT and PERSISTENT in programs:  # its time over the persistent one's
      row["candidates"][name]["ratio"] = dataclasses.asdict(measured.speedup(PERSISTENT, name))
  return row


def _call(program, inputs, index: int):
  return program(*inputs[index])


def markdown(rows: list[dict[str, Any]], device: str) -> str:
  """The table: a line for each way of computing, a column for each type and layout."""
  columns = [f"{row['dtype']} {row['layout']}" for row in rows]
  names = list(dict.fromkeys(
      name for row in rows for name in (*row["candidates"], *row["refused"])))
  sizes = ", ".join(dict.fromkeys(f"{row['m']}x{row['n']}x{row['k']}" for row in rows))
  lines = [f"# Stream-K: tiles, reductions, layouts and types, {sizes}, {device}", "",
           "TFLOP/s, and the largest error against float64 relative to the largest value; "
           "-: the kernels do not have it.", "",
           f"| | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
  for name in names:
    cells = []
    for row in rows:
      entry = row["candidates"].get(name)
      cells.append(f"{entry['tflops']:.3g}, {entry['errors']['max']:.0e}" if entry else "-")
    lines.append(f"| {name} | {' | '.join(cells)} |")
  reasons = dict.fromkeys(f"- {row['dtype']} {row['layout']} {name}: {why}" for row in rows
                          for name, why in row["refused"].items())
  return "\n".join([*lines, "", *(["What the kernels do not have:", ""] if reasons else []),
                    *reasons]) + "\n"


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if not (shape := re.fullmatch(r"(\d+)x(\d+)x(\d+)", FLAGS.shape)):
    raise app.UsageError(f"--shape={FLAGS.shape} was given; MxNxK is allowed.")
  for flag, given, allowed in (("layouts", FLAGS.layouts, _LAYOUTS),
                               ("reductions", FLAGS.reductions, _REDUCTIONS)):
    if unknown := set(given) - set(allowed):
      raise app.UsageError(f"Unknown --{flag} {', '.join(sorted(unknown))}; there are "
                           f"{', '.join(allowed)}.")
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  progress.doing("Starting jax")
  # jax must be imported after the CPUs are chosen.
  from benchmarks import dense, report

  about = report.machine() | report.device()
  dtypes = FLAGS.dtypes or list(dense.DTYPES)
  if unknown := set(dtypes) - set(dense.DTYPES):
    raise app.UsageError(f"Unknown --dtypes {', '.join(sorted(unknown))}; there are "
                         f"{', '.join(dense.DTYPES)}.")
  given = run.problems(dense.DTYPES)
  if given is None:
    given = [dict(zip("mnk", map(int, shape.groups())))]
  rows = run.Rows(lambda _: {"machine": about})
  for each in given:
    for dtype in [each["dtype"]] if "dtype" in each else dtypes:
      for layout in FLAGS.layouts:
        problem = each | {"dtype": dtype, "layout": layout}
        job = "{m}x{n}x{k} {dtype} {layout}".format(**problem)
        if rows.has(job):
          continue
        progress.doing(job)
        rows.add(job, [measure(problem)])
        for name, entry in rows.rows[-1]["candidates"].items():
          print(f"{job} {name}: {1e6 * entry['seconds']['median']:.1f} us, "
                f"{entry['tflops']:.3g} TFLOP/s, error {entry['errors']['max']:.1e}", flush=True)
  return rows.finish(dense.wrong(rows.rows), markdown=markdown(rows.rows, about["device"]))
