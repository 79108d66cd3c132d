"""Measures when the CPU's plan should wake another workgroup, and when it should cut k.

    python -m benchmarks.model.host --json=cpu.json --most_seconds=60
    python -m benchmarks.model.host --results=benchmarks/model/data/cpu-4.json.gz

The first command times products on the CPU, in wall-clock microseconds, with 1, 2, 4, ...
workgroups, and those with a long k also cut by stream-K, each with the tile that the plan chooses
for it. The second reads such times. For several thresholds (the operations for which one workgroup
is woken) it prints how much time is lost.
"""

from collections.abc import Iterator, Sequence
import json
import math
import os
import pathlib
import time
from typing import Any

from absl import app, flags
import numpy as np

from benchmarks import progress
from benchmarks.model import load

FLAGS = flags.FLAGS


def define_flags():
  """Defines this program's flags, only when it is run: names may be those of another's."""
  flags.DEFINE_integer("seed", 1, "Seed of the problems.")
  flags.DEFINE_integer("problems", 120, "Number of problems.", lower_bound=1)
  flags.DEFINE_float("most_seconds", 60, "No problem is begun after so many seconds.")
  flags.DEFINE_integer("rounds", 15, "Samples of each variant.", lower_bound=3)
  flags.DEFINE_string("json", None, "File to write the times to.")
  flags.DEFINE_list("results", None, "JSON files to report on, without measuring.")

SKINNY_ROWS = 16  # kHostSkinnyM of ffi/host/kernel.h
KINDS = ("wide", "skinny", "deep")


def problems(seed: int) -> Iterator[dict[str, Any]]:
  """Draws products that are small, or have few rows, or a long k."""
  rng = np.random.default_rng(seed)
  log_uniform = lambda low, high: int(
      np.exp(rng.uniform(math.log(low), math.log(high + 1))))
  for index in range(1 << 30):
    kind = KINDS[index % len(KINDS)]
    dtype = str(rng.choice(["float32", "bfloat16"]))
    if kind == "deep":
      m, n = (log_uniform(SKINNY_ROWS + 1, 512) for _ in range(2))
      k = log_uniform(1024, 32768)
    else:
      operations = np.exp(rng.uniform(math.log(2e5), math.log(2e8)))
      m = log_uniform(1, SKINNY_ROWS) if kind == "skinny" else log_uniform(17, 512)
      n = log_uniform(17, 8192 if kind == "skinny" else 512)
      k = max(8, round(operations / (2 * m * n)))
    yield {"kind": kind, "m": m, "n": n, "k": k, "dtype": dtype}


def variants(problem: dict[str, Any], processors: int) -> dict[str, dict[str, Any]]:
  """Fields of GemmConfig by the variant's name."""
  counts = [1 << i for i in range(processors.bit_length()) if 1 << i <= processors]
  found = {f"{count} workgroups": {"schedule": "persistent", "num_workgroups": count}
           for count in counts}
  if problem["kind"] == "deep":
    found["stream_k"] = {"schedule": "stream_k"}
  return found


def measure(problem: dict[str, Any], processors: int, rounds: int) -> dict[str, Any]:
  """A row: the problem, and of each variant its plan and microseconds."""
  import jax
  import jax.numpy as jnp

  import jaxgemm
  from jaxgemm.tune import timing

  shapes = (problem["m"], problem["k"]), (problem["k"], problem["n"])
  operands = [jax.ShapeDtypeStruct(shape, problem["dtype"]) for shape in shapes]
  runs, plans = {}, {}
  for name, fields in variants(problem, processors).items():
    options = {"config": jaxgemm.GemmConfig(**fields), "implementation": "jaxgemm"}
    plans[name] = jaxgemm.explain(*operands, **options).data
    runs[name] = jax.jit(
        lambda a, b, options=options: jaxgemm.matmul(a, b, **options))
  rng = np.random.default_rng(0)
  inputs = [tuple(jnp.asarray(rng.standard_normal(shape), problem["dtype"])
                  for shape in shapes) for _ in range(3)]
  timed = timing.interleave(runs, inputs, min_seconds=0, min_rounds=rounds,
                            max_rounds=rounds, sample_seconds=5e-4,
                            within=progress.within)
  row = dict(problem, variants={})
  for name, plan in plans.items():
    found = timed.time(name)
    row["variants"][name] = {
        "schedule": plan["schedule"], "tile": plan["tile"],
        "num_workgroups": plan["num_workgroups"],
        "us": round(found.median * 1e6, 2), "min_us": round(found.min * 1e6, 2)}
  return row


def operations(row: dict[str, Any]) -> float:
  return 2.0 * row["m"] * row["n"] * row["k"]


def lost(rows: Sequence[dict[str, Any]], per_workgroup: float, processors: int) -> float:
  """Mean of log(time / best time) if a workgroup is woken for this number of operations."""
  losses = []
  for row in rows:
    times = {each["num_workgroups"]: each["us"]
             for name, each in row["variants"].items() if name != "stream_k"}
    wanted = min(float(processors), max(1.0, operations(row) / per_workgroup))
    # Between the numbers that were timed, the time is assumed to follow a power law.
    known = np.log(sorted(times))
    values = np.log([times[count] for count in sorted(times)])
    losses.append(np.interp(math.log(int(wanted)), known, values) - values.min())
  return float(np.mean(losses))


THRESHOLDS = [float(f"{x:.1e}") for x in np.geomspace(5e4, 6.4e7, 41)]


def best_threshold(files: Sequence[dict[str, Any]], kind: str):
  """({operations for a workgroup: mean loss}, the best of them) over all files."""
  curve = {}
  for threshold in THRESHOLDS:
    curve[threshold] = float(np.mean([
        lost([row for row in each["rows"] if (row["kind"] == "skinny") == (
            kind == "skinny")], threshold, each["about"]["threads"]) for each in files]))
  return curve, min(curve, key=curve.__getitem__)


def report(files: Sequence[dict[str, Any]]) -> str:
  lines = []
  for kind in ("wide", "skinny"):
    curve, best = best_threshold(files, kind)
    lines.append(f"{kind}: best at {best:.2g} operations for a workgroup")
    lines += [f"  {threshold:8.2g} {loss:6.1%}" for threshold, loss in curve.items()]
  for each in files:
    for row in each["rows"]:
      if "stream_k" not in row["variants"]:
        continue
      whole = min(v["us"] for n, v in row["variants"].items() if n != "stream_k")
      lines.append(
          f"{row['m']}x{row['n']}x{row['k']} {row['dtype']}, {each['about']['threads']} "
          f"processors: stream-K's time over whole tiles' "
          f"{row['variants']['stream_k']['us'] / whole:.2f}")
  return "\n".join(lines)


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if FLAGS.results:
    print(report([load(path) for path in FLAGS.results]))
    return 0
  os.environ["JAX_PLATFORMS"] = "cpu"  # before jax is imported
  from benchmarks import report as reports

  begin, rows, about = time.monotonic(), [], reports.machine()
  source = problems(FLAGS.seed)
  for number in range(FLAGS.problems):
    if time.monotonic() - begin > FLAGS.most_seconds:
      break
    problem = next(source)
    progress.within(f"{number}: {problem}")
    rows.append(measure(problem, about["threads"], FLAGS.rounds))
  data = {"about": about, "rows": rows}
  if FLAGS.json:
    lines = ",\n".join(json.dumps(row) for row in rows)
    pathlib.Path(FLAGS.json).write_text(
        f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}\n')
  print(report([data]))
  return 0


if __name__ == "__main__":
  define_flags()
  app.run(main)
