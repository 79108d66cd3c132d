r"""TFLOP/s of products on an MI355X, predicted beside what others have published.

    python -m benchmarks predicted --primus=Primus-Turbo --json=amd-predicted.json \
        --markdown=amd-predicted.md

The emulator's clock predicts the time of one tile of each kernel (tile_times.py), and
jaxgemm.emulator.grid that of a launch. Our kernels are predicted, and two peers whose code is
public, which are compared with their published figures: Triton's persistent matmul, and with
--primus, a checkout of AMD-AGI/Primus-Turbo, its Triton grouped products. No time is measured, and
no GPU is used.
"""

import collections
import functools
import json
import math
import pathlib
import statistics

from absl import app, flags

from benchmarks import amd, progress
from benchmarks.amd import resources, tile_times
from jaxgemm.emulator import clock, grid

# TFLOP/s of bfloat16 products that others have published for MI355X; none was measured here.
# m = n = k; HipKittens, arXiv 2511.08083, GEMM figure.
DENSE_SOURCE = "HipKittens (arXiv 2511.08083), MI355X, m = n = k"
DENSE = {
    2048: {"HipKittens": 665, "AITER": 329, "hipBLASLt": 640, "CK": 263, "Triton": 271},
    4096: {"HipKittens": 1413, "AITER": 1114, "hipBLASLt": 1433, "CK": 931, "Triton": 934},
    8192: {"HipKittens": 1610, "AITER": 1591, "hipBLASLt": 1575, "CK": 504, "Triton": 1091},
    16384: {"HipKittens": 1571, "AITER": 1564, "hipBLASLt": 1579, "CK": 478, "Triton": 1086}}
_GROUPED = pathlib.Path(__file__).parents[1] / "results" / "mi355x-grouped-published.json"
ARCH = "gfx950"
TILE, KERNEL = (256, 256), "gemm_bfloat16_bfloat16_256x256x64"
# If the median error is above this, no predicted time is to be published.
LIMIT = 0.25
FLAGS = flags.FLAGS

HEAD = """\
# Predicted times on MI355X

No AMD GPU was used: everything in the columns "predicted" comes from the emulator's clock
(docs/api/emulator.md) and the constants of its table, most of all the frequency that the chip
keeps under load. That of MI355X is fitted to one published figure (HipKittens, 8192 cubed). The
rule that raises it for launches that use the matrix pipes less (grid.frequency) is the third
that was tried, knowing the comparison below; so its error is that of a model which has seen its
data. At the peak frequency nothing is fitted. The other figures are other people's. TFLOP/s,
bfloat16."""


def define_flags() -> None:
  flags.DEFINE_string("primus", None, "A checkout of AMD-AGI/Primus-Turbo.")


def published_groups() -> tuple[str, list[dict]]:
  """The source, and rows with groups, rows_per_group, n, k, op and TFLOP/s by library."""
  data = json.loads(_GROUPED.read_text())
  return data["source"], data["rows"]


def _predicted(traffic: grid.Traffic, tiles: int, k_tiles: float, operations: float,
               times_of, cache: dict, digits: int, key=()) -> dict:
  """A launch of `tiles`. `times_of(constants)` gives a tile's times; `cache` keeps them."""
  constants = grid.constants_for(ARCH, traffic)
  key = (*key, *(round(value, digits) for value in constants.values()))
  times = cache[key] = cache.get(key) or times_of(constants)
  launch = grid.predict(ARCH, workgroups=tiles, cycles=times.cycles(k_tiles),
                        matrix_cycles=times.matrix_cycles * k_tiles, traffic=traffic)
  return {"predicted": operations / launch.seconds / 1e12, "megahertz": launch.megahertz,
          "parts": launch.parts, "matrix_share": times.matrix_share, "fixed_cycles": times.fixed}


def dense_row(size: int, times_of, cache: dict) -> dict:
  """The row of m = n = k."""
  traffic = grid.matmul_traffic(ARCH, size, size, size, tile=TILE)
  tiles = math.ceil(size / TILE[0]) * math.ceil(size / TILE[1])
  return {"size": size, **_predicted(traffic, tiles, size / 64, 2 * size**3, times_of, cache, 2)}


def grouped_row(row: dict, kernel, times_of, cache: dict) -> dict:
  """The row of a published one. Unbalanced groups are assumed to end in half a tile."""
  groups, rows, n, k = (row[key] for key in ("groups", "rows_per_group", "n", "k"))
  m, columns, depth = {"fwd": (rows, n, k), "dgrad": (rows, k, n), "wgrad": (n, k, rows)}[row["op"]]
  traffic = grid.matmul_traffic(ARCH, m, columns, depth, tile=TILE, groups=groups)
  tiles_m = groups * math.ceil(m / TILE[0])
  if row["routing"] == "unbalanced" and row["op"] != "wgrad":
    tiles_m += groups // 2
  return {**row, **_predicted(
      traffic, tiles_m * math.ceil(columns / TILE[1]), math.ceil(depth / kernel.tile[2]),
      2 * groups * rows * n * k, functools.partial(times_of, row["op"], kernel), cache, 1,
      (row["op"],))}


def error(predicted: float, figure: float) -> float:
  return abs(predicted / figure - 1)


def at_frequency(row: dict, megahertz: float) -> float:
  """The row's predicted TFLOP/s if the chip kept this frequency."""
  def seconds(frequency):
    parts = row["parts"]
    compute = parts["compute"] * row["megahertz"] / frequency
    return parts["launch"] + max(compute, parts["infinity_cache"], parts["hbm"])

  return row["predicted"] * seconds(row["megahertz"]) / seconds(megahertz)


def frequency_table(dense: list[dict], grouped: list[dict]) -> str:
  """The errors under other assumptions on the frequency, and those of a constant guess."""
  constants = clock.constants(ARCH)
  pairs = [(row, DENSE[row["size"]]["Triton"]) for row in dense]
  pairs += [(row, row["triton"]) for row in grouped]
  middle = statistics.median(figure for _, figure in pairs)
  guesses = {
      "the clock, with the rule of grid.frequency": lambda row: row["predicted"],
      "the clock, always at the sustained frequency":
          lambda row: at_frequency(row, constants["sustained_mhz"].value),
      "the clock, always at the peak frequency":
          lambda row: at_frequency(row, constants["peak_mhz"].value),
      "no clock: the median of all published figures": lambda row: middle}
  lines = []
  for name, guess in guesses.items():
    errors = [error(guess(row), figure) for row, figure in pairs]
    lines.append([name, f"{statistics.median(errors):.0%}", f"{statistics.mean(errors):.0%}",
                  f"{max(errors):.0%}"])
  return "\n\n".join([
      "The published figures lie close together, so a small median error proves little: their "
      "own median, given for every row, has one as well. What the clock adds must be read from "
      "the rank correlations of each kernel in the last table; and from the medians there, "
      "whether it orders different kernels as the published figures do.",
      amd.table(["prediction", "median error", "mean", "largest"], lines)])


def dense_tables(triton: list[dict], ours: list[dict]) -> str:
  lines = []
  for row in triton:
    figure = DENSE[row["size"]]["Triton"]
    lines.append([str(row["size"]), f"{row['predicted']:.0f}", str(figure),
                  f"{row['predicted'] / figure:.2f}", f"{row['matrix_share']:.2f}"])
  parts = [
      "## Triton's persistent matmul",
      f"Our compilation (benchmarks/amd/triton_peer.py, the best variant by the clock); published: "
      f"{DENSE_SOURCE}. Their code and options need not be the same.",
      amd.table(["m = n = k", "predicted", "published", "ratio", "matrix share"], lines),
  ] if triton else []
  lines = []
  for row in ours:
    figures = DENSE[row["size"]]
    lines.append([str(row["size"]), f"{row['predicted']:.0f}",
                  *(f"{figure} ({row['predicted'] / figure:.2f})" for figure in figures.values()),
                  f"{row['matrix_share']:.2f}", f"{row['fixed_cycles']:.0f}"])
  return "\n\n".join([
      *parts, "## jaxgemm",
      "In brackets: our prediction over the published figure of another library. This says what is "
      "plausible; it does not calibrate our kernels, which nobody has measured. `cycles outside` "
      "are those of a tile outside of its main loop.",
      amd.table(["m = n = k", "predicted", *next(iter(DENSE.values())), "matrix share",
              "cycles outside"], lines)])


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
      f"Published: {source}. The kernels are of a later commit, compiled by another version of "
      "Triton than the published ones.",
      amd.table(["", "rows", "median predicted", "median published", "median ratio", "least",
                 "most", "median error", "rank correlation"], lines)])


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
  name = next((name for name in resources.kernel_names(ARCH) if name.startswith(KERNEL)), None)
  if name is None:
    raise app.UsageError(f"This build has no {KERNEL}; see JAXGEMM_GPU_KERNELS.")

  def of_ours(constants):
    return tile_times.of_kernel(ARCH, name, constants, several=True)

  cache: dict = {}
  ours = [dense_row(size, of_ours, cache) for size in DENSE]
  progress.doing("Triton's persistent matmul")
  from benchmarks.amd import triton_peer

  num_cus = int(clock.constants(ARCH)["cus"].value)
  peers = triton_peer.variants(ARCH, *resources.contracting("rcr"), num_cus)

  def of_triton(constants):
    return min((tile_times.of_triton(peer, "rcr", constants) for peer in peers),
               key=lambda times: times.cycles(tile_times.K_TILES))

  cache = {}
  triton, grouped, source = [dense_row(size, of_triton, cache) for size in DENSE], [], ""
  if FLAGS.primus:
    progress.doing("Primus-Turbo's grouped products")
    from benchmarks.amd import primus_peer

    kernels = primus_peer.compile_kernels(FLAGS.primus, num_cus)
    source, rows = published_groups()
    cache = {}
    grouped = [grouped_row(row, kernels[row["op"]], primus_peer.times, cache) for row in rows]
  errors = [error(row["predicted"], DENSE[row["size"]]["Triton"]) for row in triton]
  errors += [error(row["predicted"], row["triton"]) for row in grouped]
  about = ", ".join(f"{key}: {value}" for key, value in amd.about().items())
  parts = [HEAD, about, verdict(errors), frequency_table(triton, grouped),
           dense_tables(triton, ours)]
  if grouped:
    parts.append(grouped_table(grouped, source))
  amd.write("\n\n".join(parts) + "\n", {"jaxgemm": ours, "triton": triton, "grouped": grouped})
  return 0
