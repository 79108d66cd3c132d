"""The bounds that rows have to meet: those of shapes.json, and conditions on launches on a GPU.

A bound has a name, fields that its rows have, what is compared (candidates, of whose ratios the
least counts, or a field of the row with quartiles), and "of": "each" row, the "lowest" of them, or
their "geometric mean".
"""

from collections.abc import Sequence
import statistics
from typing import Any

from benchmarks import cases, plots, run

# The most that a call of jaxgemm may launch on the device.
_LAUNCHES = {"kernels": 1, "memsets": 1, "copies": 0}
_SECTIONS = ("dense", "stream_k", "grouped", "scaled", "steal", "cu_sweep")


def _value(row: run.Row, value: str | list[str]) -> float | None:
  if isinstance(value, str):
    return row[value]["median"] if value in row else None
  return min((row["candidates"][name]["ratio"]["median"] for name in value
              if "ratio" in row["candidates"].get(name, ())), default=None)


def bounds(rows: Sequence[run.Row]) -> list[dict[str, Any]]:
  """The results of the bounds of shapes.json; "ok" is None where nothing was measured."""
  found = []
  for gate in cases.load()["gates"]:
    mine = [row for row in rows if row["candidates"]
            and all(row.get(key) == value for key, value in gate["rows"].items())]
    pairs = [(value, run.describe(row)) for row in mine
             if (value := _value(row, gate["value"])) is not None]
    if gate["of"] == "geometric mean" and pairs:
      mean = statistics.geometric_mean([value for value, _ in pairs])
      pairs = [(mean, f"geometric mean of {len(pairs)}")]
    elif gate["of"] == "lowest" and pairs:
      value, of = min(pairs)
      pairs = [(value, f"lowest of {len(pairs)}: {of}")]
    found += [{"gate": gate["gate"], "of": of, "value": value, "at_least": gate["at_least"],
               "ok": None if value is None else value >= gate["at_least"]}
              for value, of in pairs or [(None, "none")]]
  return found


def conditions(rows: Sequence[run.Row]) -> list[dict[str, Any]]:
  """What holds of the calls of jaxgemm on a GPU; "ok" is None where nothing was measured."""
  rows = [row for row in rows if row.get("platform") == "gpu"]
  bits = [row for row in rows if "bitwise" in row]
  ours = [(f"{run.describe(row)} {name}", entry) for row in rows if row["section"] in _SECTIONS
          for name, entry in row["candidates"].items()
          if plots.is_ours(name) and "kernels" in entry]
  held = {
      "stream-K, linear: the same bits on every run": (
          [f"{row['case']}: {row['bitwise']['different']} of {row['bitwise']['runs']}"
           for row in bits if row["bitwise"]["different"]], bits),
      "one kernel, at most one memset, no copy a call": (
          [f"{of}: " + ", ".join(f"{entry[key]:g} {key}" for key in _LAUNCHES)
           for of, entry in ours if entry["kernels"] != 1
           or any(entry[key] > most for key, most in _LAUNCHES.items())], ours),
      "right results": (run.wrong(rows), ours),
      "nothing of ours was refused": (run.failed(rows), rows)}
  return [{"gate": gate, "of": f"{len(of)} measured", "wrong": wrong,
           "ok": not wrong if of else None} for gate, (wrong, of) in held.items()]


def results(rows: Sequence[run.Row]) -> list[dict[str, Any]]:
  return [*bounds(rows), *conditions(rows)]


def lines(rows: Sequence[run.Row], all_gates: bool = False) -> list[str]:
  """A line for each result, if `all_gates` also for those that were not measured."""
  found = []
  for result in results(rows):
    if result["ok"] is None and not all_gates:
      continue
    state = {True: "ok", False: "MISSED", None: "not measured"}[result["ok"]]
    if "at_least" in result:
      value = "-" if result["value"] is None else f"{result['value']:.3f}"
      found.append(f"- {state}: {result['gate']}: {value}, at least {result['at_least']:g} "
                   f"({result['of']})")
    else:
      more = f"; not in {'; '.join(result['wrong'])}" if result["wrong"] else ""
      found.append(f"- {state}: {result['gate']} ({result['of']}){more}")
  return ["", "Acceptance:", "", *found] if found else []
