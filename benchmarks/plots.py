"""Pictures of a suite's rows, for its flag --png, in TFLOP/s.

They have a bar for each candidate, or lines over the number of free processors.
"""

from collections.abc import Sequence
import pathlib
from typing import Any


def _pyplot():
  import matplotlib

  matplotlib.use("Agg")
  from matplotlib import pyplot

  return pyplot


def _tflops(entry: dict[str, Any]) -> float | None:
  return entry["tflops"] if "tflops" in entry else (
      entry["gflops"] / 1e3 if "gflops" in entry else None)


def _label(row: dict[str, Any]) -> str:
  size = f"{row['m']}x{row['n']}x{row['k']}" if "m" in row else ""
  words = [size or row.get("case", ""), f"G {row['groups']}" if row.get("groups") else "",
           row.get("work") or "", row.get("routing") or "", row.get("dtype") or ""]
  if "tokens" in row:
    words = [f"{row['num_experts']} experts, {row['tokens']} tokens", row.get("work") or ""]
  return " ".join(word for word in words if word)


def draw(rows: Sequence[dict[str, Any]], path: str | pathlib.Path, device: str = "") -> None:
  """Writes a PNG: lines if the rows differ in active_cus (free processors), else bars."""
  pyplot = _pyplot()
  swept = [row for row in rows if row.get("active_cus")]
  if swept:
    figure = _lines(pyplot, swept)
  else:
    figure = _bars(pyplot, [row for row in rows if row["candidates"]])
  figure.axes[0].set_title(device, fontsize="small")
  figure.savefig(path, dpi=110, bbox_inches="tight")
  pyplot.close(figure)


def _lines(pyplot, rows):
  figure, axis = pyplot.subplots(figsize=(8, 5))
  lines: dict[str, list] = {}
  for row in rows:
    for name, entry in row["candidates"].items():
      if (tflops := _tflops(entry)) is not None:
        label = f"{row['m']}x{row['n']}x{row['k']} {name}"
        lines.setdefault(label, []).append((row["active_cus"], tflops))
  for label, points in lines.items():
    axis.plot(*zip(*sorted(points)), marker="o", label=label)
  axis.set_xlabel("processors that are free (CPUs, multiprocessors or compute units)")
  axis.set_ylabel("TFLOP/s")
  axis.set_ylim(bottom=0)
  axis.legend(fontsize="small")
  return figure


def _bars(pyplot, rows):
  names = list(dict.fromkeys(name for row in rows for name in row["candidates"]))
  figure, axis = pyplot.subplots(figsize=(9, 1.2 + max(1, len(rows)) * (0.12 * len(names) + 0.1)))
  height = 0.8 / max(1, len(names))
  for number, name in enumerate(names):
    found = [(index, tflops) for index, row in enumerate(rows)
             if (tflops := _tflops(row["candidates"].get(name, {}))) is not None]
    axis.barh([index + number * height for index, _ in found],
              [tflops for _, tflops in found], height, label=name)
  axis.set_yticks([index + 0.4 - height / 2 for index in range(len(rows))],
                  [_label(row) for row in rows], fontsize="x-small")
  axis.invert_yaxis()
  axis.set_xlabel("TFLOP/s")
  if names:
    axis.legend(fontsize="small")
  return figure
