"""Reports the kernels of a program, from jaxgemm's plans and from the compiled HLO.

train_lm.py prints the report: run that.
"""

import collections
import re

from absl import logging
from rich import box
from rich.console import Console
from rich.table import Table

import jaxgemm


def compiled_calls(hlo: str) -> dict:
  """Counts the operations with which compiled HLO text computes products.

  Returns the number of "jaxgemm_gemm" custom calls, of "dot" operations that are left
  to XLA and of other "custom_call"s. Of the jaxgemm_gemm calls it also returns how many are
  "grouped", their "schedules", and "calls": operands and result of each distinct call, and
  how often it occurs.
  """
  targets = re.findall(r'custom_call_target="([^"]+)"', hlo)
  calls, schedules = collections.Counter(), collections.Counter()
  grouped = 0
  for line in hlo.splitlines():
    if 'custom_call_target="jaxgemm_gemm"' in line:
      types = r"[a-z]+[0-9]+\w*\[[0-9,]*\]"
      out = re.search(types, line).group()
      operands = re.search(r"operand_layout_constraints={(.*?})}", line).group(1)
      lhs, rhs = re.findall(types, operands)[:2]
      schedule = re.search(r'schedule = "(\w+)"', line).group(1)
      calls[f"{lhs} {rhs} -> {out}, {schedule}"] += 1
      schedules[schedule] += 1
      grouped += re.search(r'ragged = "[mk]"', line) is not None
  gemms = targets.count("jaxgemm_gemm")
  return {
      "jaxgemm_gemm": gemms, "grouped": grouped, "schedules": dict(schedules),
      "dot": len(re.findall(r"= [^=\n]*? dot\(", hlo)),
      "custom_call": len(targets) - gemms, "calls": dict(calls),
  }


def summary(compiled: dict) -> str:
  """The counts of `compiled_calls` in one sentence."""
  schedules = ", ".join(f"{n} {name}" for name, n in compiled["schedules"].items())
  schedules = f"; {schedules}" if schedules else ""
  return (
      f"{compiled['jaxgemm_gemm']} jaxgemm_gemm custom calls ({compiled['grouped']} "
      f"grouped{schedules}), {compiled['dot']} dot operations left to XLA, "
      f"{compiled['custom_call']} other custom calls"
  )


def print_plans(console: Console, calls: dict, options: dict) -> list[dict]:
  """Prints jaxgemm's plan for each of the products that `byte_lm.recorded` saw."""
  dtypes = ", ".join(sorted({str(lhs.dtype) for lhs, _, _ in calls}))
  table = Table(
      title=f"Products of the forward pass ({dtypes}), by jaxgemm.explain",
      box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0),
  )
  for name in ("lhs", "rhs", "groups", "fused", "calls", "kernel", "schedule"):
    table.add_column(name, overflow="fold")
  shape = lambda x: "x".join(map(str, x.shape))
  plans = []
  for (lhs, rhs, given), count in calls.items():
    given = dict(given)
    explanation = jaxgemm.explain(lhs, rhs, **given, **options)
    logging.vlog(1, "%s", explanation)
    plan = explanation.data
    row = {
        "lhs": shape(lhs), "rhs": shape(rhs), "groups": plan.get("groups", ""),
        "fused": ", ".join(
            v if k == "activation" else k
            for k, v in given.items()
            if k in ("activation", "bias", "gated")
        ),
        "calls": count, "kernel": plan.get("kernel", plan["implementation"]),
        "schedule": plan.get("schedule", ""),
    }
    table.add_row(*map(str, row.values()))
    plans.append(row | {"tile": plan.get("tile")})
  console.print(table)
  return plans


def print_expert_load(console: Console, load: list[list[float]]) -> None:
  """Prints the share of each layer's routed rows that each expert computes.

  `load` has a row for each layer with experts, which sums to 1.
  """
  table = Table(
      title="Expert load on held-out text, per cent of a layer's rows",
      box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0),
  )
  table.add_column("block")
  for expert in range(len(load[0])):
    table.add_column(str(expert), justify="right")
  table.add_column("busiest / mean", justify="right")
  for block, shares in enumerate(load, start=1):
    cells = [f"{100 * share:.1f}" for share in shares]
    table.add_row(str(block), *cells, f"{max(shares) * len(shares):.2f}")
  console.print(table)
