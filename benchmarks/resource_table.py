"""The report of `python -m benchmarks.resources` as text, and its comparison with the bounds."""

from benchmarks import pipes

HEAD = """\
# Resources of the AMD kernels

No AMD GPU was used. Registers, LDS, spills and scratch are what the code objects say;
cycles are counted from emulation and the ISA manuals. Nothing here is a measured time.

Cycles are of one compute unit with one workgroup, for one k tile in the middle of the
main loop: the difference of two launches of one output tile whose k differs by four k
tiles. benchmarks/pipes.py says where each pipe's rate comes from. The busiest SIMD
counts for `matrix` and `vector`; `vector` includes the issue of matrix instructions;
`lds` includes the writes of loads from global memory to the LDS, and the conflicts, which also
have a column of their own. `share` is matrix cycles / cycles of the busiest pipe: the share
of time that the matrix pipe works if all pipes work at once. `in turn` is matrix cycles
/ the sum of all pipes' cycles: that share if no two pipes work at once. A GPU lies between the
two."""

LIMITS = {"vgprs": 256, "ratio": 0.75}


def _table(header: list[str], lines: list[list[str]]) -> str:
  rule = ["---"] + ["---:"] * (len(header) - 1)
  return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *lines])


def _number(value: float) -> str:
  return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def _resources(row) -> list[str]:
  r = row["resources"]
  return [
      row["kernel"], str(r["vgprs"]), str(r["agprs"]), str(r["sgprs"]),
      str(r["lds_bytes"]), f"{r['vgpr_spills']} + {r['sgpr_spills']}",
      str(r["scratch_bytes"]), str(r["waves_per_simd"]), str(r["code_bytes"]),
  ]


def _cycles(row) -> list[str]:
  summary = row["summary"]
  return [
      row["kernel"], *(_number(row["cycles"][name]) for name in pipes.PIPES),
      _number(row["conflict_cycles"]), summary["limit"],
      f"{max(summary['ratio'].values()):.2f}", f"{summary['share']:.2f}",
      f"{summary['share_in_turn']:.2f}",
  ]


def _instructions(row) -> list[str]:
  counts = row["instructions"]
  others = counts["instructions"] / counts["matrix"] - 1
  return [row["kernel"], *map(_number, counts.values()), f"{others:.2f}"]


def _peers(rows) -> str:
  lines = [f"{row['kernel']}: {row['options']}" for row in rows if row["peer"]]
  if not lines:
    return ""
  return (
      "Triton's kernel (benchmarks/triton_peer.py) in each layout, the best of its "
      "compilations with other options: " + "; ".join(lines) + "."
  )


def markdown(rows: list[dict], about: dict) -> str:
  """The report: a head, then for each arch three tables, then the bounds."""
  parts = [HEAD, "\n".join(f"- {key}: `{value}`" for key, value in about.items())]
  for arch, device in pipes.DEVICES.items():
    mine = [row for row in rows if row["arch"] == arch]
    if not mine:
      continue
    parts += [
        f"## {arch} ({device.name})",
        "Resources of a wave (VGPRs: arch and accumulation registers together), "
        "spilled VGPRs + SGPRs, bytes of scratch, waves on a SIMD, bytes of code.",
        _table(["kernel", "VGPRs", "of these AGPRs", "SGPRs", "LDS", "spills",
                "scratch", "waves", "code"], list(map(_resources, mine))),
        "Cycles for one k tile.",
        _table(["kernel", *pipes.PIPES, "conflicts", "limit", "largest other / matrix",
                "share", "in turn"], list(map(_cycles, mine))),
        "Instructions of a wave for one k tile.",
        _table(["kernel", "all", *(
            kind.replace("_", " ") for kind in list(mine[0]["instructions"])[1:]
        ), "others / matrix"], list(map(_instructions, mine))),
        _peers(mine),
    ]
  if held := gates(rows):
    lines = [
        [f"{gate['arch']} {gate['kernel']}", gate["what"], str(gate["value"]),
         gate["bound"], "ok" if gate["ok"] else "MISSED"] for gate in held
    ]
    parts += [
        "## Bounds of the large bf16 tile",
        f"{sum(gate['ok'] for gate in held)} of {len(held)} hold.",
        _table(["kernel", "what", "is", "bound", ""], lines),
    ]
  return "\n\n".join(filter(None, parts)) + "\n"


def _is_large_bf16(row) -> bool:
  return row["dtypes"] == ["bfloat16", "bfloat16"] and row["tile"][:2] == [256, 256]


def gates(rows: list[dict]) -> list[dict]:
  """Compares each large bf16 kernel with the bounds and Triton's of its layout."""
  peers = {(row["arch"], row["layout"]): row for row in rows if row["peer"]}
  out = []

  def hold(row, what, value, ok, bound):
    out.append({"arch": row["arch"], "kernel": row["kernel"], "what": what,
                "value": value, "bound": bound, "ok": bool(ok)})

  for row in rows:
    if row["peer"] or not _is_large_bf16(row):
      continue
    r, summary = row["resources"], row["summary"]
    spills = r["vgpr_spills"] + r["sgpr_spills"]
    hold(row, "spilled registers", spills, spills == 0, "none")
    hold(row, "scratch bytes", r["scratch_bytes"], r["scratch_bytes"] == 0, "none")
    hold(row, "VGPRs", r["vgprs"], r["vgprs"] <= LIMITS["vgprs"],
         f"at most {LIMITS['vgprs']}")
    hold(row, "waves on a SIMD", r["waves_per_simd"], r["waves_per_simd"] >= 2,
         "at least 2")
    hold(row, "LDS conflict cycles", row["conflict_cycles"],
         row["conflict_cycles"] == 0, "none")
    worst = max(summary["ratio"], key=summary["ratio"].get)
    ratio = round(summary["ratio"][worst], 3)
    hold(row, f"{worst} cycles / matrix cycles", ratio, ratio <= LIMITS["ratio"],
         f"at most {LIMITS['ratio']}")
    if peer := peers.get((row["arch"], row["layout"])):
      for share in ("share", "share_in_turn"):
        hold(row, share.replace("_", " "), round(summary[share], 3),
             summary[share] >= peer["summary"][share] - 1e-9,
             f"Triton's {peer['summary'][share]:.3f} or more")
  return out
