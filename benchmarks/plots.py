"""Pictures of a suite's rows, for its flag --png: TFLOP/s, and how often ours is as fast.

`OURS` is the colour of jaxgemm's kernels in every picture of this project.
"""

from collections.abc import Sequence
import pathlib
from typing import Any

OURS, COPY, WAIT = "tab:orange", "tab:blue", "lightgrey"
_OTHERS = "#4c566a", "#8fa3bf", "#bcc7d6", "#dde3ea"  # from dark to light
_OTHER_NAMES = ("xla", "jnp.", "jax.", "lax.", "torch", "tokamax", "cublas", "triton", "hipblaslt",
                "vllm", "sonicmoe")
_HATCHES = None, "//", "..", "xx", "\\\\", "++"


def is_ours(candidate: str) -> bool:
  """Whether a candidate of a suite is a kernel of jaxgemm. Suites name the libraries of others."""
  return not candidate.lower().startswith(_OTHER_NAMES)


def pyplot():
  """matplotlib.pyplot, for pictures in files."""
  import matplotlib

  matplotlib.use("Agg")
  from matplotlib import pyplot as plt

  return plt


def ratio(row: dict[str, Any]) -> float | None:
  """The best throughput of ours over the best of the others, or None without both."""
  found = {name: entry["tflops"] for name, entry in row["candidates"].items() if "tflops" in entry}
  ours, others = ([x for name, x in found.items() if is_ours(name) == wanted]
                  for wanted in (True, False))
  return max(ours) / max(others) if ours and others else None


def draw(rows: Sequence[dict[str, Any]], path: str | pathlib.Path, device: str = "") -> None:
  """Writes a PNG: bars of all candidates, and beside each row ours over the best of the others."""
  rows, plt = [row for row in rows if row["candidates"]], pyplot()
  names = list(dict.fromkeys(name for row in rows for name in row["candidates"]))
  figure, axis = plt.subplots(figsize=(9, 1.2 + max(1, len(rows)) * (0.12 * len(names) + 0.1)))
  height = 0.8 / max(1, len(names))
  for number, name in enumerate(names):
    found = [(index + number * height, row["candidates"][name]["tflops"])
             for index, row in enumerate(rows) if "tflops" in row["candidates"].get(name, ())]
    i = sum(is_ours(each) == is_ours(name) for each in names[:number])
    style = {"color": OURS, "hatch": _HATCHES[i % len(_HATCHES)], "edgecolor": "white",
             "linewidth": 0} if is_ours(name) else {"color": _OTHERS[i % len(_OTHERS)]}
    axis.barh([y for y, _ in found], [tflops for _, tflops in found], height, label=name, **style)
  middle = 0.4 - height / 2
  axis.set_yticks([index + middle for index in range(len(rows))],
                  [" ".join(filter(None, (row["case"], *(row.get(key) for key in (
                      "dtype", "layout", "work", "routing"))))) for row in rows],
                  fontsize="x-small")
  for index, row in enumerate(rows):
    if (found_ratio := ratio(row)) is not None:
      longest = max(entry.get("tflops", 0) for entry in row["candidates"].values())
      axis.text(longest, index + middle, f" {found_ratio:.2f}", va="center", fontsize="x-small",
                color=OURS, fontweight="bold")
  axis.invert_yaxis()
  axis.set_xlabel("TFLOP/s; the number beside a row: jaxgemm's over the best of the others")
  if names:
    axis.legend(fontsize="small")
  axis.set_title(device, fontsize="small")
  figure.savefig(path, dpi=110, bbox_inches="tight")
  plt.close(figure)


def spans(rows: Sequence[dict[str, Any]], path: str | pathlib.Path) -> None:
  """Writes a PNG of the "spans" of each row, a line for each thread or stream."""
  colours = {"copy": COPY, "memc": COPY, "wait": WAIT, "mems": "black"}
  figure, axes = pyplot().subplots(len(rows), 1, figsize=(10, 2.2 * len(rows)), squeeze=False)
  for row, axis in zip(rows, axes[:, 0]):
    lines = sorted({span[0] for span in row["spans"]})
    for line, kind, begin, end in row["spans"]:
      axis.barh(lines.index(line), (end - begin) / 1e3, left=begin / 1e3, height=0.7,
                color=colours.get(kind[:4].lower(), OURS), edgecolor="white", linewidth=0.4)
    axis.set_yticks(range(len(lines)), lines)
    axis.set_title(f"{row['case']}: copies (blue), product (orange), waiting (grey)", fontsize=9)
  axes[-1, 0].set_xlabel("milliseconds")
  figure.tight_layout()
  figure.savefig(path, dpi=120)
