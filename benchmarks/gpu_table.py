"""The report of the suite gpu: its tables, and the list of acceptance. It measures nothing.

    python -m benchmarks gpu --results=dense.json,grouped.json --markdown=gpu.md
"""

from collections.abc import Iterable
from typing import Any

from benchmarks import gpu_check, gpu_grouped, gpu_rows, report, shapes

Row = dict[str, Any]
# The most that a call of jaxgemm may launch on the device.
_LAUNCHES = {"kernels": 1, "memsets": 1, "copies": 0}
# Dispatch time / device time: a call that waits for the device has about 1 or more.
_WAITS = 0.9


def _of(rows: Iterable[Row], section: str) -> list[Row]:
  return [row for row in rows if row["section"] == section and row["candidates"]]


def describe(row: Row) -> str:
  words = [row["section"], row["case"], row.get("work"), row.get("routing")]
  return " ".join(filter(None, words))


def is_ours(name: str) -> bool:
  """Whether a candidate's name is one of jaxgemm's."""
  return name.startswith("jaxgemm") or name.startswith(("persistent", "work_stealing", "stream_k"))


def _ratios(row: Row) -> dict[str, float]:
  return {name: entry["ratio"]["median"] for name, entry in row["candidates"].items()
          if "ratio" in entry}


def _over_best(row: Row) -> float | None:
  """Time of the faster of XLA and torch / time of jaxgemm."""
  ratios = [r for name, r in _ratios(row).items() if name in (
      gpu_rows.XLA, gpu_rows.TORCH)]
  return min(ratios, default=None)


class _Gates:
  """Collects the results of gates. A result without a value was not measured."""

  def __init__(self):
    self.results = []
    self._bounds = shapes.load()["gpu"]["at_least"]

  def at_least(self, bound: str, of: str, value: float | None) -> None:
    least = self._bounds[bound]
    self.results.append({
        "gate": bound, "of": of, "value": value, "at_least": least,
        "ok": None if value is None else value >= least})

  def holds(self, gate: str, wrong: list[str], count: int) -> None:
    """Adds a condition on `count` things; `wrong` lists those that do not meet it."""
    self.results.append({
        "gate": gate, "of": f"{count} measured", "wrong": wrong,
        "ok": not wrong if count else None})


def _mean(values: list[float]) -> float | None:
  return report.geometric_mean(values) if values else None


def _lowest(pairs: list[tuple[float, str]]) -> tuple[float | None, str]:
  value, of = min(pairs, default=(None, ""))
  return value, f"lowest of {len(pairs)}: {of}" if pairs else "none"


def gates(rows: list[Row]) -> list[dict[str, Any]]:
  """The acceptance list; "ok" is None where nothing was measured."""
  out = _Gates()
  dense = [(value, describe(row)) for row in _of(rows, "dense")
           if (value := _over_best(row)) is not None]
  out.at_least("dense, geometric mean", f"{len(dense)} sizes, over the better of two",
               _mean([value for value, _ in dense]))
  value, of = _lowest(dense)
  out.at_least("dense, each", of, value)

  cut = _of(rows, "stream_k")
  for m, n, k in shapes.load()["gpu"]["stream_k"]:
    case = f"{m}x{n}x{k}"
    row = next((row for row in cut if row["case"] == case), None)
    out.at_least("stream-K, each", case, row and _over_best(row))
    out.at_least("stream-K over persistent", case,
                 row and _ratios(row).get("jaxgemm persistent"))
  runs = [row for row in cut if "bitwise" in row]
  out.holds("stream-K, linear: the same bits on every run",
            [f"{row['case']}: {row['bitwise']['different']} of {row['bitwise']['runs']}"
             for row in runs if row["bitwise"]["different"]], len(runs))

  grouped = _of(rows, "grouped")
  for peer in (gpu_grouped.TORCH, gpu_grouped.TOKAMAX, gpu_grouped.XLA):
    ratios = [r[peer] for r in map(_ratios, grouped) if peer in r]
    out.at_least(f"grouped over {peer}", f"geometric mean of {len(ratios)}",
                 _mean(ratios))
  value, of = _lowest([(row["to_balanced"]["median"], describe(row)) for row in grouped
                       if row.get("routing") == "extreme" and "to_balanced" in row])
  out.at_least("extreme over balanced routing", of, value)

  steal = next(iter(_of(rows, "steal")), {})
  for what, key in (("processors held", "held"), ("alone", "alone")):
    out.at_least(f"stealing over persistent, {what}", steal.get("case", "none"),
                 steal.get(key, {}).get("median"))
  fp8 = next(iter(_of(rows, "fp8")), None)
  out.at_least("fp8 over bf16", fp8["case"] if fp8 else "none",
               min(_ratios(fp8).values(), default=None) if fp8 else None)

  for bound, key in (("streamed, over the larger of copy and product", "of_larger"),
                     ("signals set, over plain", "set")):
    value, of = _lowest([(row[key]["median"], row["case"])
                         for row in _of(rows, "chunked")])
    out.at_least(bound, of, value)

  ours = [(f"{describe(row)} {name}", entry, row) for row in rows
          for name, entry in row["candidates"].items() if is_ours(name)]
  out.holds("one kernel, at most one memset, no copy a call", [
      f"{of}: " + ", ".join(f"{entry[key]:g} {key}" for key in _LAUNCHES)
      for of, entry, _ in ours
      if entry["kernels"] != 1 or any(entry[k] > most for k, most in _LAUNCHES.items())
  ], len(ours))
  # These gates are valid only if the control shows that a profile has allocations and waits.
  controls = [row["control"] for row in rows if "control" in row]
  shown = any("alloc" in name.lower() for control in controls
              for name in control["held_back"])
  out.holds("no allocation while a call is dispatched", [
      f"{of}: {', '.join(entry['held_back'])}" for of, entry, _ in ours
      if entry["held_back"]], len(ours) if shown else 0)
  ahead = [(of, entry["dispatch_share"]) for of, entry, row in ours
           if row["section"] in ("ahead", "grouped")]
  shown = any(control["dispatch_share"] > _WAITS for control in controls)
  out.holds("no synchronization: calls are dispatched ahead of the device", [
      f"{of}: {share:.2f} of the device's time" for of, share in ahead
      if share > _WAITS], len(ahead) if shown else 0)
  out.holds("right results", wrong(rows), len(ours))
  out.holds("nothing of ours was refused", failed(rows), len(rows))
  return out.results


def failed(rows: list[Row]) -> list[str]:
  """Rows and candidates of jaxgemm without a result, and why."""
  return [
      f"{describe(row)} {name}: {why}" for row in rows
      for name, why in row["missing"].items() if is_ours(name) or name == "row"]


def wrong(rows: list[Row]) -> list[str]:
  """Results of jaxgemm that are further from float64 than rounding explains."""
  return [
      f"{describe(row)} {name}: errors {entry['errors']}" for row in rows
      for name, entry in row["candidates"].items()
      if is_ours(name) and not gpu_check.right(entry["errors"])]


def _spread(ratio: dict[str, float]) -> str:
  return f"{ratio['median']:.3f} [{ratio['q1']:.3f}, {ratio['q3']:.3f}]"


HEADER = (
    "| case | candidate | TFLOP/s | of roofline | microseconds [quartiles] | its time / ours | "
    f"kernels + memsets + copies | error, norm / max |\n{'|---' * 8}|\n"
)


def lines(row: Row) -> list[str]:
  """A row's lines of the table under HEADER."""
  found = []
  for name, entry in row["candidates"].items():
    us = {key: value * 1e6 for key, value in entry["seconds"].items()}
    ratio = _spread(entry["ratio"]) if "ratio" in entry else "-"
    errors = entry.get("errors")
    errors = f"{errors['norm']:.1e} / {errors['max']:.1e}" if errors else "-"
    least = row.get("least_seconds")
    roof = f"{least / entry['seconds']['median']:.0%}" if least else "-"
    launches = " + ".join(f"{entry[key]:g}" for key in _LAUNCHES)
    found.append(
        f"| {describe(row)} | {name} | {entry['tflops']:.1f} | {roof} | {us['median']:.2f} "
        f"[{us['q1']:.2f}, {us['q3']:.2f}] | {ratio} | {launches} | "
        f"{errors}{'' if entry.get('poisoned') else ' (not poisoned)'} |")
  found += [f"| {describe(row)} | {name} | {' '.join(why.split())[:160]} | | | | | |"
            for name, why in row["missing"].items()]
  return found


def gate_line(result: dict[str, Any]) -> str:
  state = {True: "ok", False: "MISSED", None: "not measured"}[result["ok"]]
  if "at_least" in result:
    value = "-" if result["value"] is None else f"{result['value']:.3f}"
    return (f"- {state}: {result['gate']}: {value}, at least {result['at_least']:g} "
            f"({result['of']})")
  more = f"; not in {'; '.join(result['wrong'])}" if result["wrong"] else ""
  return f"- {state}: {result['gate']} ({result['of']}){more}"


def comparisons(rows: list[Row]) -> list[str]:
  """Lines on ratios between candidates of jaxgemm."""
  found = []
  for row in _of(rows, "steal"):
    found += [
        f"- stealing over persistent, {row['multiprocessors_held']} multiprocessors "
        f"held for {row['seconds_held'] * 1e6:.0f} microseconds: "
        f"{_spread(row['held'])}",
        f"- stealing over persistent, alone: {_spread(row['alone'])}"]
  return found + [
      f"- {describe(row)}: balanced routing's time to this one's "
      f"{_spread(row['to_balanced'])}" for row in rows if "to_balanced" in row]


def averages(rows: list[Row]) -> list[str]:
  """Lines of the geometric means of grouped products, by model and product."""
  found: dict[tuple[str, str, str], list[float]] = {}
  for row in _of(rows, "grouped"):
    model = row["case"].split(".")[0]
    for peer, ratio in _ratios(row).items():
      for whose in (model, "all"):
        found.setdefault((whose, row["work"], peer), []).append(ratio)
  return [f"- {model} {work}: {peer}'s time / ours {report.geometric_mean(ratios):.3f}, "
          f"{len(ratios)} cases" for (model, work, peer), ratios in sorted(found.items())]


def markdown(rows: list[Row], runs: list[dict[str, Any]]) -> str:
  """The whole report; `runs` describe the runs that measured the rows."""
  out = ["# Products on an NVIDIA GPU", ""]
  for about in runs:
    out += [
        f"{about['device']}, driver {about['driver']}, {about['date']}; jax "
        f"{about['jax']}, jaxlib {about['jaxlib']}, CUDA {about['cuda']}, torch "
        f"{about['torch']}, tokamax {about['tokamax']}, jaxgemm {about['jaxgemm']} "
        f"({about['commit']}); {about['seconds']:.0f} s.", "",
        f"`{about['command']}`", ""]
  out += [
      "Device time: that in which kernels, memsets and copies of a call ran, by the "
      "trace of jax.profiler. Candidates took turns in one process, on rotating "
      "operands of random values; medians, and ratios within a round as median "
      "[quartiles]. Errors are of a random sketch of the whole result against float64, "
      "in the same run: of its norm, and of its worst row. Results were written over "
      "NaNs. \"of roofline\" is the least time by the peak rate and bandwidth of the chip's "
      "data sheet over the time.", "",
      HEADER + "\n".join(line for row in rows for line in lines(row)), ""]
  if compared := comparisons(rows):
    out += ["Between schedules and routings:", "", *compared, ""]
  if means := averages(rows):
    out += ["Geometric means of grouped products:", "", *means, ""]
  return "\n".join([*out, "Acceptance:", "", *map(gate_line, gates(rows)), ""])
