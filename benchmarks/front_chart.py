"""Draws the chart of README.md from files of benchmarks/results.

    python -m benchmarks.front_chart docs/images/front.png

A bar is the time of the other library over jaxgemm's, on a logarithmic axis that begins at 1. Of
several products it is the geometric mean, and a thin line goes from the lowest to the highest.
"""

from collections.abc import Callable, Sequence
import json
import pathlib
import sys
from typing import Any, NamedTuple

import numpy as np

RESULTS = pathlib.Path(__file__).parent / "results"
OURS, TEXT, FAINT = "#d9730d", "#1f2328", "#59636e"  # on white, which the picture brings along


class Bar(NamedTuple):
  """One bar.

  Attributes:
    what: what was computed.
    other: the library whose time is divided by ours.
    file: the name of the result file, without its folder.
    ratios: function of the file's rows that gives the ratios.
  """

  what: str
  other: str
  file: str
  ratios: Callable[[Sequence[dict[str, Any]]], list[float]]


def over(name: str, **wanted):
  """The ratios of a candidate in the rows that have the wanted values."""
  def ratios(rows):
    return [row["candidates"][name]["ratio"]["median"] for row in rows
            if all(row.get(key) == value for key, value in wanted.items())
            and "ratio" in row["candidates"].get(name, {})]
  return ratios


def over_the_better(*names: str):
  """The ratios of the better of some candidates in each row."""
  def ratios(rows):
    return [min(row["candidates"][name]["ratio"]["median"] for name in names) for row in rows]
  return ratios


def xla_over_plan(rows) -> list[float]:
  """The ratios of the suite `tuned` with nothing tuned: XLA's program over the default."""
  return [row["candidates"]["xla"]["seconds"]["median"]
          / row["candidates"]["plan"]["seconds"]["median"] for row in rows]


BARS = (
    Bar("A training step, 64 experts", "jax.lax.ragged_dot", "training-step-h200.json",
        over("lax.ragged_dot", num_experts=64)),
    Bar("A training step, 8 experts", "jax.lax.ragged_dot", "training-step-h200.json",
        over("lax.ragged_dot", num_experts=8)),
    Bar("Products of 4 experts", "jax.lax.ragged_dot", "experts-h200.json",
        over("lax.ragged_dot")),
    Bar("Products of 16 and 32 experts", "torch._grouped_mm", "experts-h100.json",
        over("torch._grouped_mm")),
    Bar("Dense products, random and of models", "XLA, jaxgemm's default", "random-dense-h200.json",
        xla_over_plan),
    Bar("Dense products, 1024 to 8192", "the better of cuBLAS and XLA", "dense-h200.json",
        over_the_better("jnp.matmul", "torch.matmul")),
)


def load(file: str) -> tuple[list[dict[str, Any]], str]:
  """(the rows of a result file, "H200, 2026-11-26")."""
  data = json.loads((RESULTS / file).read_text())
  parts = data.get("parts", [data])
  about = parts[0].get("machine") or parts[0]["runs"][0]
  device = about["device"].split()[1]  # "NVIDIA H100 80GB HBM3"
  return [row for part in parts for row in part["rows"]], f"{device}, {about['date'][:10]}"


class Value(NamedTuple):
  """The numbers of a bar: the geometric mean of the ratios, their range and their count."""

  bar: Bar
  mean: float
  low: float
  high: float
  count: int
  where: str  # device and date

  @property
  def text(self) -> str:
    return f"{self.mean:.2f}" if self.mean < 2 else f"{self.mean:.1f}"


def values() -> list[Value]:
  """What the chart shows, from the result files."""
  found = []
  for bar in BARS:
    rows, where = load(bar.file)
    ratios = bar.ratios(rows)
    mean = float(np.exp(np.mean(np.log(ratios))))
    found.append(Value(bar, mean, min(ratios), max(ratios), len(ratios), where))
  return found


def description() -> str:
  """The chart in words. It is in the PNG, too, so that a test sees whether that is up to date."""
  return "; ".join(f"{each.bar.what} over {each.bar.other}: {each.text} ({each.where})"
                   for each in values())


def draw(path: str | pathlib.Path) -> None:
  """Writes the chart as a PNG."""
  import matplotlib

  matplotlib.use("Agg")
  from matplotlib import pyplot as plt

  figure, axis = plt.subplots(figsize=(8.4, 4.0), layout="constrained")
  for y, each in enumerate(values()):
    axis.barh(y, each.mean - 1, 0.56, left=1, color=OURS)
    end = max(each.mean, each.high) * 1.04
    axis.text(end, y, each.text, va="center", fontsize=11, fontweight="bold", color=TEXT)
    if each.count > 1:
      axis.plot((each.low, each.high), (y, y), color=TEXT, linewidth=1.2, solid_capstyle="butt")
      spread = f"({each.low:.2f} to {each.high:.2f}, {each.count} products)"
      axis.annotate(spread, (end, y), (34, 0), textcoords="offset points", va="center",
                    fontsize=8.5, color=FAINT)
    for text, above, size, color in (
        (each.bar.what, 7, 10, TEXT), (f"over {each.bar.other}; {each.where}", -7, 8, FAINT)):
      axis.annotate(text, (0, y), (-8, above), xycoords=("axes fraction", "data"),
                    textcoords="offset points", ha="right", va="center", fontsize=size, color=color)
  axis.axvline(1, color=TEXT, linewidth=1)
  axis.set_xscale("log")
  axis.set_xlim(0.6, 40)
  axis.set_xticks([1, 2, 4, 8, 16], ["1.0", "2", "4", "8", "16"])
  axis.set_xlabel("the other library's time over jaxgemm's;  1.0 = the other library", color=TEXT,
                  fontsize=9)
  axis.minorticks_off()
  axis.set_yticks([])
  axis.invert_yaxis()
  axis.tick_params(colors=FAINT, labelsize=9, length=0)
  axis.grid(axis="x", color="#d1d9e0", linewidth=0.8)
  axis.set_axisbelow(True)
  for spine in axis.spines.values():
    spine.set_visible(False)
  figure.savefig(path, dpi=150, facecolor="white", metadata={"Description": description()})
  plt.close(figure)


if __name__ == "__main__":
  draw(sys.argv[1])
