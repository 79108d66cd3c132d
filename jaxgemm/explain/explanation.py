"""What `jaxgemm.explain` returns: the plan of a call or of a program, in words and as data."""

import dataclasses
import pathlib
from typing import Any

from jaxgemm.explain import exchanges, timeline
from jaxgemm.explain.planned import HOPPER_MHZ, predicted_us


@dataclasses.dataclass(frozen=True)
class Explanation:
  """The plan of a call: `str()` gives it in words, `data` as a dictionary.

  data has these keys:

  * implementation: "jaxgemm", "xla", or "emulated:" and a GPU target or chip;
  * target: "cpu" or a GPU target; chip; num_cus: the chip's number of compute units,
    multiprocessors or processors;
  * kernel: its name; schedule; reduction;
  * tile: sizes of an output tile along m, n and k; tiles: the number of tiles along each of
    these, in each batch; batch: the number of batches; sizes: m, n and k of a batch;
  * num_workgroups; num_queues; group_m: tile rows that are visited together; num_xcds;
  * cut_tiles: the number of tiles that stream-K cuts; num_shares: that of the shares into
    which it cuts them;
  * workspace_bytes; zeroed_bytes: how many of these, from the start, are set to zero;
  * relayouts: the arrays that are transposed or padded by a copy; gradients: the arrays that
    the gradient of each operand transposes by a copy;
  * fused_epilogue: whether the kernel applies bias, scales and activation;
  * reasons: sentences on why the plan is as it is;
  * predicted_cycles: on Hopper, else None: an estimate that ranks the candidates;
  * predicted_us: on AMD GPUs, else None: microseconds by a model, not measured;
  * predicted_parts: on AMD GPUs, else None: of these, launch and kernel, the time that a profiler
    shows; of the kernel, cus and memory, as if each were alone; and the frequency, mhz, that the
    chip is assumed to keep, as its arithmetic works for this part of the time, activity;
  * tuned: the entry of the tuning file that decided, with its key, or None;
  * candidates: all that could have been chosen, the chosen one first. Each has kernel, tile,
    schedule, form (the version of a Hopper kernel), cost (predicted, divided by that of the
    chosen one), predicted_us, predicted_parts, and config: fields of GemmConfig with which the
    plan chooses it.

  Grouped products also have ragged ("m" or "k"), groups and local_groups; their tiles are
  the most that any group sizes give. Products that wait for chunks also have chunk_rows.
  If implementation is "xla", there are only implementation and reasons. The kernel for few rows
  and weights of 4 bits has target and kernel, too, and no plan.

  The data of a function has the key calls: a list of such dictionaries in the order of
  the program. Each also has operands and results (their dtypes and shapes, as str), within
  (the functions and loops around the call, the outermost first), count (how many equal
  calls there are), steps (how often the scans around it run it) and operations (the
  multiplications and additions of one of them). In a function the copies of a grouped product
  into another layout are operations of their own, so its relayouts and gradients do not have
  them. If the function exchanges arrays between devices, as `moe(dispatch="overlap")` does,
  there is the key exchanges, a list of dictionaries: see `jaxgemm/explain/exchanges.py`.
  If the function has products, there is the key summary, too, with sums over all of them.
  Each counts as often as scans run it; a while loop counts once, and each branch of a cond
  does. The summary has

  * jaxgemm, left_to_xla and others: the numbers of products by the kernels, by XLA in their
    place, and of jax's own products, which are not in calls;
  * operations, and operations_jaxgemm: those by the kernels;
  * predicted_us: the sum of the predicted times of the kernels, or None if one is not predicted;
  * slowest: the number of the call, counted from 1, whose predicted time is the longest in all,
    or without predictions the one with the most operations; None without calls.
  """

  data: dict[str, Any]

  def __str__(self) -> str:
    if "calls" not in self.data:
      return "\n".join(_lines(self.data))
    lines = []
    for number, call in enumerate(self.data["calls"], 1):
      times = f", {call['count']} times" if call["count"] > 1 else ""
      within = f", in {' / '.join(call['within'])}" if call["within"] else ""
      lines.append(f"{number}. {', '.join(call['operands'])} -> "
                   f"{', '.join(call['results'])}{times}{within}")
      lines += [f"   {line}" for line in _lines(call)]
    if not lines:
      lines.append("no product of jaxgemm")
    lines += exchanges.lines(self.data.get("exchanges", ()))
    return "\n".join(lines + _summed_up(self.data))

  def draw(self, path: str | pathlib.Path) -> None:
    """Draws which workgroup (a CU, multiprocessor or thread) computes which tile, and when.

    The unit of time is a k tile, as if all took the same time: nothing is measured. Each call
    of the kernels has a picture of its own, one below the other. This needs matplotlib.

    Args:
      path: file to write, for example a .png or .svg.

    Raises:
      ValueError: no call runs a kernel.
      ImportError: matplotlib is not installed.
    """
    timeline.draw(self.data.get("calls", [self.data]), path)


# The median errors of a dense kernel's predicted time on AMD GPUs, for up to 64 rows and for more:
# see "Predicted times" in docs/guides/limits.md.
_AMD_ERRORS = 0.22, 0.13


def _runs(call: dict[str, Any]) -> int:
  return call["count"] * call["steps"]


def summary_of(calls: list[dict[str, Any]], others: list[tuple[int, int]]) -> dict[str, Any]:
  """The data's summary. others: how often jax's own products run, and their operations."""
  ours = [call for call in calls if call["implementation"] != "xla"]
  operations = [_runs(call) * call["operations"] for call in calls]
  times = [predicted_us(call) for call in ours]
  predicted = [_runs(call) * us for call, us in zip(ours, times) if us is not None]
  is_predicted = bool(ours) and len(predicted) == len(ours)
  slowest = None
  if calls:
    most = (ours[predicted.index(max(predicted))] if is_predicted
            else calls[operations.index(max(operations))])
    slowest = calls.index(most) + 1
  return {
      "jaxgemm": sum(map(_runs, ours)),
      "left_to_xla": sum(_runs(call) for call in calls if call["implementation"] == "xla"),
      "others": sum(steps for steps, _ in others),
      "operations": sum(operations) + sum(steps * each for steps, each in others),
      "operations_jaxgemm": sum(_runs(call) * call["operations"] for call in ours),
      "predicted_us": sum(predicted) if is_predicted else None,
      "slowest": slowest,
  }


def _summed_up(data: dict[str, Any]) -> list[str]:
  """The summary in words; [] if there are no products."""
  if "summary" not in data:
    return []
  summary = data["summary"]
  ours, left, others = (summary[key] for key in ("jaxgemm", "left_to_xla", "others"))
  share = summary["operations_jaxgemm"] / max(summary["operations"], 1)
  count = ours + left + others
  plural = "s" if count != 1 else ""
  lines = [f"summary: {count} product{plural}: {ours} by jaxgemm, {left} left to XLA, "
           f"{others} of jax's own"]
  shares = f"operations: {share:.0%} by jaxgemm"
  if (number := summary["slowest"]) is None:
    return [*lines, shares]
  call = data["calls"][number - 1]
  if summary["predicted_us"] is not None:
    return [*lines, shares,
            f"predicted for jaxgemm's: {summary['predicted_us']:.1f} us in all, by a model; number "
            f"{number} is the slowest, {_runs(call) * (predicted_us(call) or 0):.1f} us"]
  part = _runs(call) * call["operations"] / max(summary["operations"], 1)
  return [*lines, f"{shares}; number {number} has the most, {part:.0%}"]


def _lines(data: dict[str, Any]) -> list[str]:
  """The plan of a call in words."""
  lines = [f"implementation: {data['implementation']}"]
  if data["implementation"] != "xla":
    lines.append(f"kernel: {data['kernel']} on {data['target']}")
  if "schedule" in data:
    words = {key: " x ".join(map(str, data[key])) for key in ("tile", "tiles")}
    lines += [
        f"schedule: {data['schedule']}, reduction {data['reduction']}",
        f"tile: {words['tile']}; tiles along m, n, k: {words['tiles']}",
        *([f"batches: {data['batch']}"] if data["batch"] > 1 else []),
        f"workgroups: {data['num_workgroups']}, queues {data['num_queues']}",
        f"workspace: {data['workspace_bytes']} bytes, of which "
        f"{data['zeroed_bytes']} are zeroed",
    ]
    if data["predicted_cycles"]:
      cycles = data["predicted_cycles"]
      lines.append(f"predicted: {cycles:.0f} cycles, {cycles / HOPPER_MHZ:.1f} us at "
                   f"{HOPPER_MHZ} MHz, by a model")
    if data["predicted_us"]:
      launch, kernel = (data["predicted_parts"][part] for part in ("launch", "kernel"))
      error = f" (median error {_AMD_ERRORS[data['sizes'][0] > 64]:.0%})"
      lines.append(f"predicted: {data['predicted_us']:.1f} us on {data['chip']}, by a model: "
                   f"{launch:.1f} for the launch, {kernel:.1f} for the kernel"
                   f"{error if 'ragged' not in data else ''}")
    lines += _rejected(data["candidates"])
  if "ragged" in data:
    lines.append(f"groups along {data['ragged']}: {data['local_groups']} of "
                 f"{data['groups']}; tiles are the most that any group sizes give")
  return [*lines, *(f"- {reason}" for reason in data["reasons"])]


def _rejected(candidates: list[dict[str, Any]]) -> list[str]:
  """A line that names the next candidates, which cost more, or [] if there are none."""
  costs: dict[str, str] = {}
  for each in candidates:
    name = f"{each['schedule']} {' x '.join(map(str, each['tile']))}"
    time = each["predicted_us"]
    costs.setdefault(name, f"predicted {time:.1f} us" if time else
                     f"{each['cost']:.2f} times the cost")
  others = list(costs.items())[1:]
  if not others:
    return []
  more = f", and {len(others) - 2} more" if len(others) > 2 else ""
  nearest = ", ".join(f"{name} ({cost})" for name, cost in others[:2])
  return [f"rejected: {nearest}{more}"]
