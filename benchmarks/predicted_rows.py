"""The rows and tables of `python -m benchmarks.predicted`: predicted and published TFLOP/s."""

import collections
import datetime
import functools
import importlib.metadata
import importlib.util
import math
import re
import statistics

from benchmarks import published

ARCH = "gfx950"
TILE = (256, 256)
# If the median error is above this, no predicted time is to be published.
LIMIT = 0.25

HEAD = """\
# Predicted times on MI355X

No AMD GPU was used: everything in the columns "predicted" comes from the emulator's clock
(docs/api/emulator.md) and the constants of its table, most of all the frequency that the chip
keeps under load. That of MI355X is fitted to one published figure (HipKittens, 8192 cubed). The
rule that raises it for launches that use the matrix pipes less (grid.frequency) is the third
that was tried, knowing the comparison below; so its error is that of a model which has seen its
data. At the peak frequency nothing is fitted. The other figures are other people's. TFLOP/s,
bfloat16."""


def tflops(operations: float, seconds: float) -> float:
  return operations / seconds / 1e12


def dense_row(size: int, times_of, cache: dict) -> dict:
  """The row of m = n = k. `times_of(constants)` gives the tile's times; `cache` keeps them."""
  from jaxgemm.emulator import grid

  traffic = grid.matmul_traffic(ARCH, size, size, size, tile=TILE)
  tiles = math.ceil(size / TILE[0]) * math.ceil(size / TILE[1])
  constants = grid.constants_for(ARCH, traffic)
  key = tuple(round(value, 2) for value in constants.values())
  times = cache.setdefault(key, None) or times_of(constants)
  cache[key] = times
  launch = grid.predict(ARCH, workgroups=tiles, cycles=times.cycles(size / 64),
                        matrix_cycles=times.matrix_cycles * size / 64, traffic=traffic)
  return {"size": size, "predicted": tflops(2 * size**3, launch.seconds), "limit": launch.limit,
          "megahertz": launch.megahertz, "parts": launch.parts, "matrix_share": times.matrix_share,
          "fixed_cycles": times.fixed, "cycles_per_k_tile": times.per_k_tile}


def grouped_row(row: dict, kernel, times_of, cache: dict) -> dict:
  """The row of one of published.grouped(). Unbalanced groups are assumed to end in half a tile."""
  from jaxgemm.emulator import grid

  groups, rows, n, k = (row[key] for key in ("groups", "rows_per_group", "n", "k"))
  m, columns, depth = {"fwd": (rows, n, k), "dgrad": (rows, k, n), "wgrad": (n, k, rows)}[
      row["op"]]
  traffic = grid.matmul_traffic(ARCH, m, columns, depth, tile=TILE, groups=groups)
  tiles_m = groups * math.ceil(m / TILE[0])
  if row["routing"] == "unbalanced" and row["op"] != "wgrad":
    tiles_m += groups // 2
  tiles = tiles_m * math.ceil(columns / TILE[1])
  constants = grid.constants_for(ARCH, traffic)
  key = (row["op"], *(round(value, 1) for value in constants.values()))
  times = cache.setdefault(key, None) or times_of(kernel, constants)
  cache[key] = times
  k_tiles = math.ceil(depth / kernel.tile_k)
  launch = grid.predict(ARCH, workgroups=tiles, cycles=times.cycles(k_tiles),
                        matrix_cycles=times.matrix_cycles * k_tiles, traffic=traffic)
  value = tflops(2 * groups * rows * n * k, launch.seconds)
  return {**row, "predicted": value, "limit": launch.limit, "rounds": launch.rounds,
          "megahertz": launch.megahertz, "parts": launch.parts, "matrix_share": times.matrix_share}


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
  from jaxgemm.emulator import clock

  constants = clock.constants(ARCH)
  pairs = [(row, published.DENSE[row["size"]]["Triton"]) for row in dense]
  pairs += [(row, row["triton"]) for row in grouped]
  middle = statistics.median(figure for _, figure in pairs)
  guesses = {
      "the clock, with the rule of grid.frequency": lambda row: row["predicted"],
      "the clock, always at the sustained frequency":
          lambda row: at_frequency(row, constants["sustained_mhz"].value),
      "the clock, always at the peak frequency":
          lambda row: at_frequency(row, constants["peak_mhz"].value),
      "no clock: the median of all published figures": lambda row: middle,
  }
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
      _table(["prediction", "median error", "mean", "largest"], lines),
  ])


def _table(header: list[str], lines: list[list[str]]) -> str:
  rule = ["---"] + ["---:"] * (len(header) - 1)
  return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *lines])


def dense_tables(triton: list[dict], ours: list[dict]) -> str:
  lines = []
  for row in triton:
    figure = published.DENSE[row["size"]]["Triton"]
    lines.append([str(row["size"]), f"{row['predicted']:.0f}", str(figure),
                  f"{row['predicted'] / figure:.2f}", f"{row['matrix_share']:.2f}"])
  parts = [
      "## Triton's persistent matmul",
      f"Our compilation (benchmarks/triton_peer.py, the best variant by the clock); published: "
      f"{published.DENSE_SOURCE}. Their code and options need not be the same.",
      _table(["m = n = k", "predicted", "published", "ratio", "matrix share"], lines),
  ] if triton else []
  lines = []
  for row in ours:
    figures = published.DENSE[row["size"]]
    lines.append([str(row["size"]), f"{row['predicted']:.0f}",
                  *(f"{figure} ({row['predicted'] / figure:.2f})" for figure in figures.values()),
                  f"{row['matrix_share']:.2f}", f"{row['fixed_cycles']:.0f}"])
  return "\n\n".join([
      *parts,
      "## jaxgemm",
      "In brackets: our prediction over the published figure of another library. This says what is "
      "plausible; it does not calibrate our kernels, which nobody has measured. `cycles outside` "
      "are those of a tile outside of its main loop.",
      _table(["m = n = k", "predicted", *next(iter(published.DENSE.values())), "matrix share",
              "cycles outside"], lines),
  ])


def loop_rows(tile: str) -> list[dict]:
  """The main loops of this build's kernels with the tile, and of Triton's, in each layout."""
  from benchmarks import pipes, resource_rows, tile_times, triton_peer

  rows = []
  for arch, device in ((arch, pipes.DEVICES[arch]) for arch in pipes.COMPARED):
    for name in resource_rows.kernel_names(arch):
      if re.fullmatch(f"gemm_bfloat16_bfloat16_{tile}_...", name):
        times = tile_times.of_kernel(arch, name)
        rows.append(_loop_row(arch, name[-3:], "jaxgemm", times))
    for layout in ("rcr", "rrr", "ccr", "crr"):
      contracting = resource_rows._contracting(layout)
      times, _ = tile_times.best(
          triton_peer.variants(arch, *contracting, device.num_cus),
          lambda peer, arch=arch, layout=layout: tile_times.of_triton(arch, peer, layout))
      rows.append(_loop_row(arch, layout, "Triton", times))
  return rows


def _loop_row(arch: str, layout: str, library: str, times) -> dict:
  return {"arch": arch, "layout": layout, "library": library,
          "matrix_share": times.matrix_share, "cycles_per_k_tile": times.per_k_tile,
          "fixed_cycles": times.fixed}


def loop_table(rows: list[dict], tile: str) -> str:
  lines = [[f"{row['arch']} {row['layout']}, {row['library']}", f"{row['matrix_share']:.3f}",
            f"{row['cycles_per_k_tile']:.0f}", f"{row['fixed_cycles']:.0f}"]
           for row in sorted(rows, key=lambda row: (row["arch"], row["layout"]))]
  return "\n\n".join([
      "## Main loops",
      f"jaxgemm: {tile}, the layouts that the build had. Triton: its variant with the fewest "
      "cycles for 16 k tiles. Cycles on one compute unit.",
      _table(["", "matrix share", "cycles a k tile", "cycles outside"], lines),
  ])


# Guessed constants that the clock of one compute unit does not use.
_OF_LAUNCHES = ("power_exponent", "launch_us")


def sensitivity_rows(tile: str, layout: str = "rrr") -> list[dict]:
  """The main loops' matrix share with each guessed constant of the clock halved and doubled."""
  from benchmarks import pipes, resource_rows, tile_times, triton_peer
  from jaxgemm.emulator import clock

  kernels = {}
  for arch, device in ((arch, pipes.DEVICES[arch]) for arch in pipes.COMPARED):
    name = f"gemm_bfloat16_bfloat16_{tile}_{layout}"
    if name in resource_rows.kernel_names(arch):
      kernels[f"{arch}, jaxgemm"] = functools.partial(tile_times.of_kernel, arch, name)
    peers = triton_peer.variants(
        arch, *resource_rows._contracting(layout), device.num_cus)
    _, peer = tile_times.best(
        peers, functools.partial(_of_triton, arch, layout))
    kernels[f"{arch}, Triton"] = functools.partial(tile_times.of_triton, arch, peer, layout)
  guessed = [(name, row.value) for name, row in clock.constants(ARCH).items()
             if row.source.startswith("assumption") and name not in _OF_LAUNCHES]
  rows = []
  for name, value in guessed:
    for factor in (0.5, 2):
      shares = {kernel: times_of({name: value * factor}).matrix_share  # 150 percent is 100
                for kernel, times_of in kernels.items()}
      rows.append({"constant": name, "value": value * factor, "matrix_share": shares})
  return rows


def _of_triton(arch: str, layout: str, peer):
  from benchmarks import tile_times

  return tile_times.of_triton(arch, peer, layout)


def sensitivity_table(rows: list[dict]) -> str:
  kernels = list(rows[0]["matrix_share"])
  lines = [[f"{row['constant']} = {row['value']:g}",
            *(f"{row['matrix_share'][kernel]:.3f}" for kernel in kernels)] for row in rows]
  return "\n\n".join([
      "## What the guesses matter",
      "The main loops' matrix share with each constant whose source is \"assumption\" halved and "
      "doubled.",
      _table(["", *kernels], lines),
  ])


def rank_correlation(first: list[float], second: list[float]) -> float:
  """Spearman's: 1 if the two order alike, without regard to ties."""
  def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(i) for i in range(len(values))]

  return statistics.correlation(ranks(first), ranks(second))


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
                  f"{statistics.median(errors):.0%}", f"{rank_correlation(*ordered):.2f}"])
  return "\n\n".join([
      "## Primus-Turbo's Triton grouped products",
      f"Published: {source}. The kernels are of a later commit, compiled by another version of "
      "Triton than the published ones.",
      _table(["", "rows", "median predicted", "median published", "median ratio", "least", "most",
              "median error", "rank correlation"], lines),
  ])


def about() -> str:
  def version(package):
    found = importlib.util.find_spec(package) is not None
    return importlib.metadata.version(package) if found else "none"

  today = datetime.datetime.now(datetime.UTC).date().isoformat()
  return f"{today}; triton {version('triton')}, ziglang {version('ziglang')}."


def verdict(errors: list[float]) -> str:
  """A sentence with the median error, and whether predicted times may be shown."""
  if not errors:
    return "No kernel was compared with its published figures."
  middle = statistics.median(errors)
  allowed = ("Predicted times may be shown, as predictions with this error"
             if middle <= LIMIT else
             "That is too much: no predicted time is to be published, only cycles of pipes")
  return (f"**Median error over all {len(errors)} comparisons with published figures: "
          f"{middle:.0%}. {allowed}.**")
