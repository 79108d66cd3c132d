"""Predictions of AMD GPUs, by emulation and by the data sheets. No AMD GPU is used."""

from collections.abc import Sequence
import datetime
import json
import pathlib
import shlex
from typing import Any

from absl import app, flags
import numpy as np

from benchmarks import report, watch


def about() -> dict[str, str | None]:
  """The date, versions and command of a report."""
  return {"date": datetime.datetime.now(datetime.UTC).date().isoformat(),
          **{name: report.version(name) for name in ("jaxgemm", "ziglang", "triton")},
          "command": shlex.join(["python", "-m", "benchmarks", *watch.command()])}


def need_triton(what: str) -> None:
  """Raises UsageError without PyPI's triton."""
  if report.version("triton") is None:
    raise app.UsageError(f"{what} needs PyPI's triton. Run pip install triton.")


def table(header: list[str], lines: list[list[Any]], names: int = 1) -> str:
  """Markdown; the first `names` columns are text, the others numbers."""
  rule = ["---"] * names + ["---:"] * (len(header) - names)
  return "\n".join(f"| {' | '.join(map(str, line))} |" for line in [header, rule, *lines])


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
  """Spearman's: 1 if the two order alike, without regard to ties."""
  ranks = [np.argsort(np.argsort(values)) for values in (first, second)]
  return float(np.corrcoef(*ranks)[0, 1])


def write(text: str, content: dict[str, Any]) -> None:
  """Prints a report, and writes it to --markdown and its content to --json."""
  print(text)
  if path := flags.FLAGS.markdown:
    pathlib.Path(path).write_text(text)
  if path := flags.FLAGS.json:
    pathlib.Path(path).write_text(json.dumps({"about": about(), **content}, indent=1))
