r"""Predicts random products on each AMD chip: the plan's choice, its candidates, and the roofline.

    python -m benchmarks.model.amdgpu_random --seed=5 --clock=8 --json=amd-random.json \
        --markdown=amd-random.md

All times are microseconds predicted by the plan's model (ffi/plan/amdgpu_model.cc), at the chip's
peak frequency, with 5 us for a launch. --clock=N asks the emulator's clock, too, for N of the
products of MI300X and of MI355X. No time is measured, and no GPU is used. The roofline is the
larger of two times: that of the multiplications at peak, and that of the bytes, each moved once, at
the memory's data-sheet bandwidth. An ideal kernel would take the launch's 5 us and after it the
larger of the time at peak and that of the bytes at the bandwidth that kernels get by the model. So
its share is the most that a kernel could have of these products.
"""

import json
import math
import pathlib
import statistics
import sys

from absl import app, flags
import numpy as np

from benchmarks import progress, shapes
from benchmarks.model.roofline import roofline_us
from jaxgemm import _ffi

FLAGS = flags.FLAGS

CHIPS = ("MI300X", "MI300X CPX", "MI300A", "MI308X", "MI325X", "MI350X", "MI355X", "MI355X CPX")
# The part of the bandwidth that a kernel can use, by the plan's model (memory_share).
MODELLED_SHARE = 0.78
LAUNCH_US = 5
FEW_ROWS, LARGE_WEIGHTS = 16, 32 << 20
LARGE_US = 100


def draw_dense(rng) -> dict:
  """A layer of a model with 1 to 8192 tokens, or log-uniform sizes of up to 16384."""
  if rng.random() < 0.5:
    models = {name: sizes for name, sizes in shapes.load()["layers"].items() if name != "tokens"}
    sizes = models[str(rng.choice(sorted(models)))]
    n, k = sizes[rng.integers(len(sizes))]
    return {"m": int(2 ** rng.integers(0, 14)), "n": n, "k": k}
  m, n, k = (int(x) for x in np.exp(rng.uniform(math.log(16), math.log(16384), 3)))
  return {"m": m, "n": n // 8 * 8 or 8, "k": k // 8 * 8 or 8}


def draw_grouped(rng) -> dict:
  groups = int(2 ** rng.integers(2, 9))
  n, k = (int(2 ** rng.uniform(9, 14)) // 64 * 64 for _ in range(2))
  return {"m": int(2 ** rng.uniform(4, 16)), "n": n, "k": k, "ragged": "m", "groups": groups,
          "local_groups": groups}


def row(chip: str, problem: dict) -> dict:
  planned = _ffi.native.plan(
      {"lhs_contracting": 1, "rhs_contracting": 0,
       **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), "bfloat16")} | problem,
      {}, chip, 0)
  times = [each["predicted_us"] for each in planned["candidates"]]
  compute, memory = roofline_us(chip, problem)
  chosen = planned["candidates"][0]
  ideal = LAUNCH_US + max(compute, memory / MODELLED_SHARE)
  return {"chip": chip, "problem": problem, "tile": chosen["tile"], "schedule": chosen["schedule"],
          "predicted_us": times[0], "best_us": min(times), "candidates": len(times),
          "compute_us": compute, "memory_us": memory,
          "share": max(compute, memory) / times[0], "ideal_share": max(compute, memory) / ideal,
          "share_without_launch": max(compute, memory) / (times[0] - LAUNCH_US)}


def geometric_mean(values: list[float]) -> float:
  return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def summary(rows: list[dict]) -> dict:
  over = [each["predicted_us"] / each["best_us"] for each in rows]
  few = [each["memory_us"] / each["predicted_us"] / MODELLED_SHARE for each in rows
         if each["problem"]["m"] <= FEW_ROWS and each["memory_us"] > each["compute_us"]
         and 2 * each["problem"]["n"] * each["problem"]["k"] >= LARGE_WEIGHTS
         and "ragged" not in each["problem"]]
  return {"products": len(rows), "over_best": max(over),
          "within": statistics.fmean(x <= 1.05 for x in over),
          "share": geometric_mean([each["share"] for each in rows]),
          "ideal_share": geometric_mean([each["ideal_share"] for each in rows]),
          "share_without_launch": geometric_mean([each["share_without_launch"] for each in rows]),
          "large_share": geometric_mean([each["share"] for each in rows
                                         if max(each["compute_us"], each["memory_us"]) > LARGE_US]),
          "few_rows": len(few), "few_rows_least": min(few, default=math.nan),
          "few_rows_share": geometric_mean(few)}


def by_clock(chip: str, problem: dict) -> dict:
  from benchmarks.model import amdgpu_rows  # it starts jax

  return amdgpu_rows.row(_ffi.NAMES["chips"][chip][0],
                         (problem["m"], problem["n"], problem["k"]), FLAGS.most)


def markdown(command: str, tables: dict, clock: list[dict]) -> str:
  lines = [
      "# Random products on AMD chips: predictions by the plan's model", "",
      (__doc__ or "").split("\n\n", 2)[2].strip(), "", f"Command: `{command}`", "",
      "| chip | products | chosen within 1.05 of the best candidate | largest | share of roofline "
      f"| an ideal kernel's | without launch | of products above {LARGE_US} us | M <= 16: products "
      "| share of modelled bandwidth | least |",
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
  ]
  for (chip, kind), each in tables.items():
    lines.append(
        f"| {chip} | {each['products']} {kind} | {each['within']:.0%} | {each['over_best']:.3f} | "
        f"{each['share']:.2f} | {each['ideal_share']:.2f} | {each['share_without_launch']:.2f} | "
        f"{each['large_share']:.2f} | "
        f"{each['few_rows']} | "
        f"{each['few_rows_share']:.2f} | {each['few_rows_least']:.2f} |".replace("nan", "-"))
  parts = [each["share"] / each["ideal_share"] for each in tables.values()]
  lines += ["", "Shares are geometric means. The candidates are those that the plan has; the first "
            "two columns of numbers say that the plan takes the best of them by its own model (a "
            "plan that cuts tiles must save 3 %), no more.", "",
            "An ideal kernel's share is far below 1 because many of the products take less time "
            "than a launch. The plan's choices have "
            f"{min(parts):.2f} to {max(parts):.2f} of that share.", ""]
  if clock:
    regrets = [each["regret"] for each in clock]
    lines += [
        f"The emulator's clock on {len(clock)} of the dense products: the chosen candidate's time "
        f"over that of the best of the first {FLAGS.most}: median "
        f"{1 + statistics.median(regrets):.2f}, largest {1 + max(regrets):.2f}, within 1.05 in "
        f"{sum(x <= 0.05 for x in regrets)}.", "",
        "| arch | m x n x k | chosen | clock, us | best by the clock | clock, us |",
        "| --- | --- | --- | ---: | --- | ---: |"]
    lines += [f"| {each['arch']} | {' x '.join(map(str, each['problem']))} | {each['chosen']} | "
              f"{each['clock']:.1f} | {each['best']} | {each['least']:.1f} |" for each in clock]
    lines.append("")
  return "\n".join(lines)


def define_flags() -> None:
  """The flags of the random products. Not at import: other suites import this module."""
  flags.DEFINE_integer("seed", 5, "Seed of the random products.")
  flags.DEFINE_integer("dense", 200, "Dense products of each chip.", lower_bound=2)
  flags.DEFINE_integer("grouped", 100, "Grouped products of each chip.", lower_bound=2)
  flags.DEFINE_string("json", None, "File to write the rows to.")
  flags.DEFINE_string("markdown", None, "File to write the table to.")


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  rng = np.random.default_rng(FLAGS.seed)
  drawn = {"dense": [draw_dense(rng) for _ in range(FLAGS.dense)],
           "grouped": [draw_grouped(rng) for _ in range(FLAGS.grouped)]}
  rows: list[dict] = []
  tables = {}
  for chip in CHIPS:
    progress.doing(f"{chip}: plans")
    for kind, problems in drawn.items():
      new = [row(chip, problem) for problem in problems]
      tables[chip, kind] = summary(new)
      rows += new
  clock = []
  for chip in ("MI300X", "MI355X"):
    for problem in drawn["dense"][:FLAGS.clock]:
      progress.doing(f"{chip}: the clock, {problem}")
      clock.append(by_clock(chip, problem))
  command = "python -m benchmarks.model.amdgpu_random " + " ".join(sys.argv[1:])
  text = markdown(command, tables, clock)
  print(text)
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(text)
  if FLAGS.json:
    lines = ",\n".join(json.dumps(each) for each in rows)
    pathlib.Path(FLAGS.json).write_text(
        f'{{"command": {json.dumps(command)}, "clock": {json.dumps(clock)},\n'
        f'"rows": [\n{lines}\n]}}\n')
  return 0


if __name__ == "__main__":
  define_flags()
  flags.DEFINE_integer("clock", 0, "Dense products that the emulator's clock ranks, too.")
  flags.DEFINE_integer("most", 6, "Candidates that the clock ranks, the best by the plan.")
  app.run(main)
