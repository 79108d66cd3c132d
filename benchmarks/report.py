"""Prints the rows of the suites as they come, summarises them, and describes the machine."""

from collections.abc import Sequence
import datetime
import importlib.metadata
import math
import os
import pathlib
import platform
import re
import shlex
import subprocess
from typing import Any

import jax
import jaxlib

from benchmarks import journal, shapes


def machine() -> dict[str, Any]:
  """The date, processor, versions and command, for the readers of results."""
  cpuinfo = pathlib.Path("/proc/cpuinfo")
  text = cpuinfo.read_text() if cpuinfo.exists() else ""
  model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
  flags = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
  features = flags.group(1).split() if flags else []
  processor = platform.processor() or platform.machine()
  kept = ("fma", "avx2", "avx512f", "avx512_bf16", "amx_bf16")
  affinity = getattr(os, "sched_getaffinity", None)
  return {
      "date": datetime.datetime.now(datetime.UTC).isoformat(),
      "cpu": model.group(1) if model else processor,
      "cpu_features": [f for f in kept if f in features],
      "threads": len(affinity(0)) if affinity else os.cpu_count(),
      "load_average": os.getloadavg()[0],
      "platform": jax.default_backend(),
      "python": platform.python_version(),
      "jax": jax.__version__,
      "jaxlib": jaxlib.__version__,
      "jaxgemm": importlib.metadata.version("jaxgemm"),
      "host_kernel": os.environ.get("JAXGEMM_HOST_KERNEL"),
      "command": shlex.join(["python", "-m", "benchmarks", *journal.command()]),
  }


def said(*command: str) -> str | None:
  """What a command prints, or None if it fails."""
  try:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=20, check=True,
        cwd=pathlib.Path(__file__).parent).stdout.strip()
  except (OSError, subprocess.SubprocessError):
    return None


def device() -> dict[str, Any]:
  """The device that jax runs on; for an NVIDIA GPU also its driver and limits."""
  first = jax.devices()[0]
  query = "driver_version,power.limit,clocks.max.sm,clocks.max.mem"
  asked = jax.default_backend() == "gpu" and said(
      "nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader")
  answers = asked.splitlines()[0].split(", ") if asked else []
  limits = dict(zip(query.split(","), answers))
  return {
      "device": first.device_kind, "driver": limits.pop("driver_version", None),
      "limits": limits, "cuda": first.client.platform_version.replace("\n", " "),
      "multiprocessors": getattr(first, "core_count", None),
  }


def _spread(ratio: dict[str, float]) -> str:
  return f"{ratio['median']:5.2f}x [{ratio['q1']:.2f}, {ratio['q3']:.2f}]"


def print_header(info: dict[str, Any]) -> None:
  print(
      f"{info['cpu']} ({' '.join(info['cpu_features'])}), {info['threads']} "
      f"thread(s), load {info['load_average']:.1f} before the run; jax "
      f"{info['jax']}, jaxlib {info['jaxlib']}, jaxgemm {info['jaxgemm']}; "
      f"{info['date']}\n"
      f"Medians by the {info['clock']} clock; ratio = XLA's time / jaxgemm's, "
      "median [quartiles] of rounds; error = max|out - ref| / max|ref| against "
      "float64.\n"
  )


def print_row(row: dict[str, Any]) -> None:
  """Prints a row of `dense.measure`, one line for each candidate."""
  label = f"{row['m']}x{row['n']}x{row['k']}"
  for name, entry in row["candidates"].items():
    line = f"{row['case']:10} {label:>16} {row['dtype']:13} {name:24}"
    if "error" in entry:
      print(f"{line} refused: {entry['error']}", flush=True)
      continue
    line += f" {entry['gflops']:8.1f} GFLOP/s"
    line += f" {_spread(entry['ratio']) if 'ratio' in entry else '':22}"
    line += f" error {entry['errors']['max']:.1e}"
    if plan := entry.get("plan"):
      line += f"  {describe(plan)}"
    print(line, flush=True)


def describe(plan: dict[str, Any]) -> str:
  """The plan of `jaxgemm.explain(...).data` on one line."""
  if plan["implementation"] == "xla":
    return f"left to XLA: {'; '.join(plan['reasons'])}"
  words = [str(plan["kernel"]), str(plan["schedule"])]
  if plan["schedule"] == "stream_k":
    words.append(str(plan["reduction"]))
  words.append("x".join(map(str, plan["tile"])))
  words.append(f"{plan['num_workgroups']} workgroups")
  return " ".join(words)


def print_overhead(rows: list[dict[str, Any]]) -> None:
  for row in rows:
    us = row["microseconds"]
    print(
        f"{row['case']:10} {row['m']}x{row['n']}x{row['k']} {row['dtype']:13} "
        f"{row['way']:9} xla {us['xla']:8.2f} us  jaxgemm {us['jaxgemm']:8.2f} us  "
        f"jaxgemm/xla {_spread(row['ratio'])}  "
        f"{'ok' if row['ok'] else 'MISSED'}: at most {row['at_most']:g}",
        flush=True,
    )


def status(wrong: Sequence[str], failed: Sequence[str] = (),
           slower: Sequence[str] = ()) -> int:
  """Prints what is wrong, has no result, or has become slower; returns the exit status."""
  for word, lines in (("WRONG", wrong), ("FAILED", failed), ("SLOWER", slower)):
    for line in lines:
      print(f"{word}: {line}", flush=True)
  return 1 if wrong or failed or slower else 0


def geometric_mean(values: list[float]) -> float:
  return math.exp(sum(map(math.log, values)) / len(values))


def geometric_means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
  """Geometric means of the ratios, for each dtype and candidate."""
  groups: dict[tuple[str, str], list[float]] = {}
  for row in rows:
    for name, entry in row["candidates"].items():
      if "ratio" in entry:
        groups.setdefault((row["dtype"], name), []).append(entry["ratio"]["median"])
  return [
      {"dtype": dtype, "candidate": name, "cases": len(ratios),
       "ratio": geometric_mean(ratios)}
      for (dtype, name), ratios in groups.items()
  ]


def gate_results(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
  """Compares the rows that name a gate with its bound."""
  out = []
  for gate, bound in shapes.gates().items():
    ratios = {
        f"{row['m']}x{row['n']}x{row['k']}": entry["ratio"]["median"]
        for row in rows if row["gate"] == gate
        for name, entry in row["candidates"].items() if "ratio" in entry
    }
    if not ratios:
      continue
    if bound["of"] == "geometric mean":
      mean = geometric_mean(list(ratios.values()))
      ratios = {f"geometric mean of {', '.join(ratios)}": mean}
    for what, ratio in ratios.items():
      out.append({
          "gate": gate, "of": what, "ratio": ratio, "at_least": bound["at_least"],
          "ok": ratio >= bound["at_least"],
      })
  return out


def print_summary(rows: list[dict[str, Any]]) -> None:
  """Prints geometric means and acceptance bounds."""
  if rows:
    print("\nGeometric means of the ratios")
  for mean in geometric_means(rows):
    print(
        f"  {mean['dtype']:13} {mean['candidate']:24} {mean['ratio']:.3f}x "
        f"over {mean['cases']} case(s)"
    )
  if results := gate_results(rows):
    print("\nAcceptance")
  for result in results:
    print(
        f"  {'ok' if result['ok'] else 'MISSED':6} {result['gate']:13} "
        f"{result['ratio']:.3f}x, at least {result['at_least']:g}x: {result['of']}"
    )
