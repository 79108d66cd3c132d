"""The report of `python -m benchmarks grouped` on a CPU: its table, and its list of acceptance."""

import re
from typing import Any

from benchmarks import dense, grouped_rows, shapes


def _applies(gate: dict[str, Any], row: dict[str, Any]) -> bool:
  keys = ("work", "dtype", "groups")
  return gate["over"] in row["candidates"] and all(
      gate.get(key, row[key]) == row[key] for key in keys)


def gates(rows: list[dict[str, Any]], unbalanced: list[dict[str, Any]]) -> list[dict]:
  """Compares medians with the bounds of shapes.json, for rows of the bounds' shape."""
  bounds = shapes.load()["grouped_acceptance"]
  ours = lambda row: all(row[key] == bounds[key] for key in "mkn")
  found = []
  for row in filter(ours, rows):
    for gate in bounds["gates"]:
      if _applies(gate, row):
        ratio = row["candidates"][gate["over"]]["ratio"]["median"]
        found.append({
            "of": describe(row), "over": gate["over"], "ratio": ratio,
            "at_least": gate["at_least"], "ok": ratio >= gate["at_least"]})
  for row in filter(ours, unbalanced):
    ratio, most = row["ratio"]["median"], bounds["unbalanced_at_most"]
    found.append({"of": describe(row), "over": "balanced", "ratio": ratio,
                  "at_most": most, "ok": ratio <= most})
  return found


def wrong(rows: list[dict[str, Any]]) -> list[str]:
  """Results of jaxgemm that are further from float64 than rounding explains."""
  return [
      f"{describe(row)}: {name} has error {error:.1e}" for row in rows
      for name, error in row["candidates"][grouped_rows.OURS]["errors"].items()
      if not error <= dense.tolerance(row["dtype"])
  ]


def describe(row: dict[str, Any]) -> str:
  return f"{row['dtype']} G {row['groups']} {row['routing']} {row['work']}"


def _spread(ratio: dict[str, float]) -> str:
  return f"{ratio['median']:.2f} [{ratio['q1']:.2f}, {ratio['q3']:.2f}]"


HEADER = (
    "| dtype | G | routing | work | jaxgemm GFLOP/s | lax | torch | lax's time / "
    "jaxgemm's | torch's / jaxgemm's | largest error of each |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n"
)


def line(row: dict[str, Any]) -> str:
  """A row of the table under HEADER."""
  entries = [row["candidates"].get(name) for name in (
      grouped_rows.OURS, *grouped_rows.PEERS)]
  cells = [row["dtype"], row["groups"], row["routing"], row["work"]]
  cells += [f"{e['gflops']:.1f}" if e else "-" for e in entries]
  cells += [_spread(e["ratio"]) if e else "-" for e in entries[1:]]
  cells.append(", ".join(
      f"{max(e['errors'].values()):.0e}" if e else "-" for e in entries))
  return f"| {' | '.join(map(str, cells))} |"


def _gate_lines(results: list[dict[str, Any]]) -> list[str]:
  lines = []
  for result in results:
    kind = "at_least" if "at_least" in result else "at_most"
    lines.append(
        f"- {'ok' if result['ok'] else 'MISSED'}: {result['of']}, over "
        f"{result['over']}: {result['ratio']:.2f}, {re.sub('_', ' ', kind)} "
        f"{result[kind]:g}")
  return lines


def markdown(rows, unbalanced, about: dict[str, Any]) -> str:
  """The whole report."""
  first = rows[0]
  lines = [
      "# Grouped products on the CPU", "",
      f"{first['m']} rows, K {first['k']}, N {first['n']}; {about['cpu']} "
      f"({' '.join(about['cpu_features'])}), {about['threads']} thread(s), load "
      f"{about['load_average']:.1f} before the run; jax {about['jax']}, jaxlib "
      f"{about['jaxlib']}, torch {about['torch']}, jaxgemm {about['jaxgemm']} (kernel "
      f"{first['plan'].get('kernel')}); {about['date']}.", "", f"`{about['command']}`",
      "",
      "Candidates took turns in one process; medians of rounds, ratios within a round "
      "as median [quartiles]. GFLOP/s count the products of the groups only. An error "
      "is max|out - ref| / max|ref| against float64, of the result and both "
      "gradients, in the same run.", "", HEADER + "\n".join(map(line, rows)), "",
  ]
  if unbalanced:
    lines += [
        "jaxgemm under other routings, its time to that under the balanced one:", "",
        "| dtype | G | work | routing | ratio |\n|---|---|---|---|---|",
        *(f"| {r['dtype']} | {r['groups']} | {r['work']} | {r['routing']} | "
          f"{_spread(r['ratio'])} |" for r in unbalanced), ""]
  if results := _gate_lines(gates(rows, unbalanced)):
    lines += ["Acceptance:", "", *results, ""]
  return "\n".join(lines)
