"""Draws the chart of README.md from files of benchmarks/results.

    python -m benchmarks front_chart --picture=docs/images/front.png

A bar is the time of the other library over jaxgemm's, on a logarithmic axis that begins at 1. Of
several products it is the geometric mean, and a thin line goes from the lowest to the highest.
"""

import json
import pathlib
import statistics
from typing import NamedTuple

from absl import flags

from benchmarks import plots, run

RESULTS = pathlib.Path(__file__).parent / "results"
OURS, TEXT, FAINT = "#d9730d", "#1f2328", "#59636e"  # on white, which the picture brings along
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_string("picture", None, "File to draw to.", required=True)


class Bar(NamedTuple):
  """A bar: what was computed, the other library, where, and what is known of the ratios."""

  what: str
  other: str
  where: str  # device and date
  mean: float
  low: float
  high: float
  count: int

  @property
  def text(self) -> str:
    return f"{self.mean:.2f}" if self.mean < 2 else f"{self.mean:.1f}"


def over(*names: str, **wanted):
  """A function of a row that gives the least ratio of some candidates, or None.

  It is None unless the row has the wanted values.
  """
  return lambda row: min((row["candidates"][name]["ratio"]["median"] for name in names
                          if row.items() >= wanted.items()
                          and "ratio" in row["candidates"].get(name, ())), default=None)


def xla_over_plan(row: run.Row) -> float:
  """The ratio of a row of the suite `tuned` with nothing tuned: XLA's program over the default."""
  xla, plan = (row["candidates"][name]["seconds"]["median"] for name in ("xla", "plan"))
  return xla / plan


BARS = (
    ("A training step, 64 experts", "jax.lax.ragged_dot", "training-step-h200.json",
     over("lax.ragged_dot", num_experts=64)),
    ("A training step, 8 experts", "jax.lax.ragged_dot", "training-step-h200.json",
     over("lax.ragged_dot", num_experts=8)),
    ("Products of 4 experts", "jax.lax.ragged_dot", "experts-h200.json", over("lax.ragged_dot")),
    ("Products of 16 and 32 experts", "torch._grouped_mm", "experts-h100.json",
     over("torch._grouped_mm")),
    ("Dense products, random and of models", "XLA, jaxgemm's default", "random-dense-h200.json",
     xla_over_plan),
    ("Dense products, 1024 to 8192", "the better of cuBLAS and XLA", "dense-h200.json",
     over("jnp.matmul", "torch.matmul")))


def values() -> list[Bar]:
  """What the chart shows, from the result files."""
  found = []
  for what, other, file, ratio in BARS:
    data = json.loads((RESULTS / file).read_text())
    parts = data.get("parts", [data])
    about = parts[0].get("machine") or parts[0]["runs"][0]
    where = f"{about['device'].split()[1]}, {about['date'][:10]}"  # "NVIDIA H100 80GB HBM3"
    ratios = [x for part in parts for row in part["rows"] if (x := ratio(row)) is not None]
    found.append(Bar(what, other, where, statistics.geometric_mean(ratios), min(ratios),
                     max(ratios), len(ratios)))
  return found


def description() -> str:
  """The chart in words. It is in the PNG, too, so that a test sees whether that is up to date."""
  return "; ".join(f"{bar.what} over {bar.other}: {bar.text} ({bar.where})" for bar in values())


def main(_) -> int:
  """Writes the chart as a PNG."""
  plt = plots.pyplot()
  figure, axis = plt.subplots(figsize=(8.4, 4.0), layout="constrained")
  for y, bar in enumerate(values()):
    axis.barh(y, bar.mean - 1, 0.56, left=1, color=OURS)
    end = max(bar.mean, bar.high) * 1.04
    axis.text(end, y, bar.text, va="center", fontsize=11, fontweight="bold", color=TEXT)
    if bar.count > 1:
      axis.plot((bar.low, bar.high), (y, y), color=TEXT, linewidth=1.2, solid_capstyle="butt")
      axis.annotate(f"({bar.low:.2f} to {bar.high:.2f}, {bar.count} products)", (end, y), (34, 0),
                    textcoords="offset points", va="center", fontsize=8.5, color=FAINT)
    for text, above, size, color in ((bar.what, 7, 10, TEXT),
                                     (f"over {bar.other}; {bar.where}", -7, 8, FAINT)):
      axis.annotate(text, (0, y), (-8, above), xycoords=("axes fraction", "data"),
                    textcoords="offset points", ha="right", va="center", fontsize=size, color=color)
  axis.axvline(1, color=TEXT, linewidth=1)
  axis.set(xscale="log", xlim=(0.6, 40), yticks=[])
  axis.set_xticks([1, 2, 4, 8, 16], ["1.0", "2", "4", "8", "16"])
  axis.set_xlabel("the other library's time over jaxgemm's;  1.0 = the other library", color=TEXT,
                  fontsize=9)
  axis.minorticks_off()
  axis.invert_yaxis()
  axis.tick_params(colors=FAINT, labelsize=9, length=0)
  axis.grid(axis="x", color="#d1d9e0", linewidth=0.8)
  axis.set_axisbelow(True)
  axis.spines[:].set_visible(False)
  figure.savefig(FLAGS.picture, dpi=150, facecolor="white",
                 metadata={"Description": description()})
  plt.close(figure)
  return 0
