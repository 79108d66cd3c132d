r"""The emulator's clock beside what others measured of the same kernels on an MI355X.

    python -m benchmarks predicted --aiter=aiter --table=aiter-gemm.csv.xz \
        --primus=Primus-Turbo --json=amd-predicted.json --markdown=amd-predicted.md

The clock predicts the cycles of workgroups on one compute unit, jaxgemm.emulator.grid those of a
launch. Two peers are Triton's kernels, whose code is public and which PyPI's triton compiles: those
that are the fastest of all libraries in aiter's tuning tables, for products of bfloat16 and of
float8 with scales of blocks (yardstick.py; --table needs a checkout of ROCm/aiter), and with
--primus, a checkout of AMD-AGI/Primus-Turbo, its grouped products. Their code and options need not
be those of the day on which they were measured. No time is measured here, and no GPU is used.
"""

import collections
import csv
import functools
import itertools
import json
import lzma
import math
import pathlib
import statistics

from absl import app, flags
import numpy as np

from benchmarks import amd, progress
from benchmarks.amd import yardstick
from jaxgemm.emulator import clock, grid

_GROUPED = pathlib.Path(__file__).parents[1] / "results" / "mi355x-grouped-published.json"
ARCH = "gfx950"
TILE = (256, 256)
# If the median error is above this, no predicted time is to be published.
LIMIT = 0.25
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_string("aiter", None, "A checkout of ROCm/aiter.")
  flags.DEFINE_string("table", None, "The table of yardstick.py.")
  flags.DEFINE_string("primus", None, "A checkout of AMD-AGI/Primus-Turbo.")


def published_groups() -> tuple[str, list[dict]]:
  """The source, and rows with groups, rows_per_group, n, k, op and TFLOP/s by library."""
  data = json.loads(_GROUPED.read_text())
  return data["source"], data["rows"]


def grouped_row(row: dict, kernel, times_of, cache: dict) -> dict:
  """The row of a published one. Unbalanced groups are assumed to end in half a tile."""
  groups, rows, n, k = (row[key] for key in ("groups", "rows_per_group", "n", "k"))
  m, columns, depth = {"fwd": (rows, n, k), "dgrad": (rows, k, n), "wgrad": (n, k, rows)}[row["op"]]
  traffic = grid.matmul_traffic(ARCH, m, columns, depth, tile=TILE, groups=groups)
  tiles_m = groups * math.ceil(m / TILE[0])
  if row["routing"] == "unbalanced" and row["op"] != "wgrad":
    tiles_m += groups // 2
  constants = grid.constants_for(ARCH, traffic)
  key = (row["op"], *(round(value, 1) for value in constants.values()))
  times = cache[key] = cache.get(key) or times_of(row["op"], kernel, constants)
  k_tiles = math.ceil(depth / kernel.tile[2])
  launch = grid.predict(
      ARCH, workgroups=tiles_m * math.ceil(columns / TILE[1]), cycles=times.cycles(k_tiles),
      matrix_cycles=times.matrix_cycles * k_tiles, traffic=traffic)
  return {**row, "predicted": 2 * groups * rows * n * k / launch.seconds / 1e12,
          "megahertz": launch.megahertz}


def error(predicted: float, figure: float) -> float:
  return abs(predicted / figure - 1)


def grouped_table(rows: list[dict], source: str) -> str:
  by_op: dict[str, list[dict]] = collections.defaultdict(list)
  for row in rows:
    by_op[row["op"]].append(row)
  lines = []
  for op, mine in [*by_op.items(), ("all", rows)]:
    ratios = [row["predicted"] / row["triton"] for row in mine]
    errors = [error(row["predicted"], row["triton"]) for row in mine]
    ordered = [row["predicted"] for row in mine], [row["triton"] for row in mine]
    medians = [f"{statistics.median(values):.0f}" for values in ordered]
    span = (statistics.median(ratios), min(ratios), max(ratios))
    lines.append([op, str(len(mine)), *medians, *(f"{ratio:.2f}" for ratio in span),
                  f"{statistics.median(errors):.0%}", f"{amd.rank_correlation(*ordered):.2f}"])
  return "\n\n".join([
      "## Primus-Turbo's Triton grouped products",
      f"Published: {source}. TFLOP/s.",
      amd.table(["", "rows", "median predicted", "median published", "median ratio", "least",
                 "most", "median error", "rank correlation"], lines)])


def fastest_by_triton(path: str, kind: str) -> dict[tuple[int, int, int], float]:
  """The microseconds of the products of a kind for which a tuning table names a Triton kernel."""
  best: dict[tuple[int, int, int], float] = {}
  with lzma.open(path, "rt") as file:
    for row in csv.DictReader(file):
      if (row["gfx"], row["kind"], row["library"]) == (ARCH, kind, "triton") and row["out"] in (
          "", "bfloat16"):
        key = int(row["m"]), int(row["n"]), int(row["k"])
        best[key] = min(float(row["us"]), best.get(key, math.inf))
  return dict(sorted(best.items()))


def kernel_us(rows: list[dict], ramp: float, sustained: float, share: float) -> np.ndarray:
  """The times of kernels without their launch, with constants of the clock."""
  value = {name: constant.value for name, constant in clock.constants(ARCH).items()}
  activity, hbm, cache, cycles, launches = (np.array([row[name] for row in rows]) for name in (
      "activity", "hbm_bytes", "infinity_cache_bytes", "cycles", "launches"))
  faster = (value["sustained_share"] / activity) ** (1 / value["power_exponent"])
  on_cus = cycles / np.minimum(value["peak_mhz"], sustained * faster)
  memory = np.maximum(hbm / value["hbm_gb_per_s"] / share, cache / value["infinity_cache_gb_per_s"])
  return ramp * launches + np.maximum(on_cus, memory / 1e3)


def dense_table(kind: str, rows: list[dict]) -> tuple[str, dict]:
  """Fits the three constants to two thirds of the rows, and gives the errors of the others."""
  held = np.random.default_rng(yardstick.SEED).random(len(rows)) < yardstick.HELD_OUT
  us = np.array([row["us"] for row in rows])
  times = lambda given: kernel_us(rows, *given)
  grids = itertools.product(np.arange(0, 4.1, 0.25), range(1200, 2101, 50),
                            np.arange(0.6, 0.91, 0.05))
  fitted = min(grids, key=lambda given: abs(np.log(times(given) / us))[~held].mean())
  constants = clock.constants(ARCH)
  assumed = (fitted[0], constants["sustained_mhz"].value, constants["hbm_share"].value)
  lines, figures = [], {}
  for name, given, mine in (("fitted, the rows left out", fitted, held),
                            ("fitted, all rows", fitted, held | True),
                            ("the clock's own frequency and share, all rows", assumed,
                             held | True)):
    found, ratios = times(given)[mine], (times(given) / us)[mine]
    figures[name] = {"constants": [float(x) for x in given],
                     "error": float(np.median(abs(ratios - 1))),
                     "rank": amd.rank_correlation(found, us[mine])}
    ramp, sustained, share = given
    lines.append([name, len(ratios), f"{ramp:.2f}", f"{sustained:.0f}", f"{share:.2f}",
                  f"{np.exp(np.log(ratios).mean()):.2f}",
                  *(f"{np.quantile(ratios, x):.2f}" for x in (0.1, 0.9)),
                  f"{figures[name]['error']:.0%}", f"{figures[name]['rank']:.2f}"])
  return "\n\n".join([
      f"## aiter's Triton products, {kind}",
      "Kernels alone, without a launch. Three constants are fitted to two thirds of the rows, "
      "chosen by a seed: what a kernel takes beside its workgroups (if aiter divides k, "
      "there are two kernels), the frequency while the matrix "
      "pipes work for 94 % of the time, and the part of the memory's bandwidth. A ratio is the "
      "predicted time over the measured one.",
      amd.table(["", "rows", "us beside", "MHz", "share", "geometric mean", "10 %", "90 %",
                 "median error", "rank correlation"], lines)]), figures


def verdict(errors: list[float]) -> str:
  """A sentence with the median error, and whether predicted times may be shown."""
  if not errors:
    return "No kernel was compared with its published figures."
  middle = statistics.median(errors)
  allowed = ("Predicted times may be shown, as predictions with this error" if middle <= LIMIT else
             "That is too much: no predicted time is to be published, only cycles of pipes")
  return (f"**Median error over all {len(errors)} comparisons with published figures: "
          f"{middle:.0%}. {allowed}.**")


def main(_) -> int:
  amd.need_triton("The comparison")
  if bool(FLAGS.aiter) != bool(FLAGS.table):
    raise app.UsageError("--aiter and --table go together.")
  parts, content, errors = [], {}, []
  if FLAGS.aiter:
    from benchmarks.amd import aiter_peer

    for kind in aiter_peer.MATMULS:
      rows = []
      for sizes, us in fastest_by_triton(FLAGS.table, kind).items():
        progress.doing(f"aiter, {kind}, {' x '.join(map(str, sizes))}")
        rows.append({"sizes": sizes, "us": us} | aiter_peer.launch(FLAGS.aiter, kind, *sizes))
      text, content[kind] = dense_table(kind, rows)
      parts.append(text)
      assumed = content[kind]["the clock's own frequency and share, all rows"]["constants"]
      errors += [*map(error, kernel_us(rows, *assumed), (row["us"] for row in rows))]
  if FLAGS.primus:
    progress.doing("Primus-Turbo's grouped products")
    from benchmarks.amd import primus_peer

    kernels = primus_peer.compile_kernels(FLAGS.primus, int(clock.constants(ARCH)["cus"].value))
    source, published = published_groups()
    row_of = functools.partial(grouped_row, times_of=primus_peer.times, cache={})
    content["grouped"] = [row_of(row, kernels[row["op"]]) for row in published]
    parts.append(grouped_table(content["grouped"], source))
    errors += [error(row["predicted"], row["triton"]) for row in content["grouped"]]
  about = ", ".join(f"{key}: {value}" for key, value in amd.about().items())
  explained = (__doc__ or "").strip().split("\n\n")[-1]
  amd.write("\n\n".join(["# The clock beside measured times on MI355X", explained, about,
                         verdict(errors), *parts]) + "\n", content)
  return 0
