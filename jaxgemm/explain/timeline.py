"""A picture of a plan: which workgroup computes which tile, and when."""

from collections.abc import Sequence
import dataclasses
import pathlib
from typing import Any

from jaxgemm import _ffi

# If there are more spans than this, they are not drawn one by one.
_MOST_SPANS = 40_000


@dataclasses.dataclass(frozen=True)
class Span:
  """A part of a tile that a workgroup computes.

  Attributes:
    workgroup: number of the workgroup in the grid.
    begin, end: time since the start of the kernel, in k tiles.
    batch, m, n: number of the tile along each of these dimensions.
    peer, num_peers: number of the slice along k, and the number of slices of the tile.
  """

  workgroup: int
  begin: int
  end: int
  batch: int
  m: int
  n: int
  peer: int
  num_peers: int


def spans(data: dict[str, Any]) -> list[Span]:
  """The spans of a call's plan, as if all k tiles took the same time.

  If workgroups claim tiles from queues, they claim in turn.

  Args:
    data: the data of one call of the kernels in `jaxgemm.explain`.
  """
  tiles_m, tiles_n, tiles_k = data["tiles"]
  cut = data["cut_tiles"]
  found = _ffi.native.enumerate_work_tiles(
      data["batch"], tiles_m, tiles_n, tiles_k, data["num_workgroups"], data["num_queues"],
      data["group_m"], data["num_xcds"], cut, data["num_shares"] if cut else 0)
  free = [0] * data["num_workgroups"]
  result = []
  for workgroup, batch, m, n, k_begin, k_end, peer, num_peers in found.tolist():
    begin = free[workgroup]
    free[workgroup] = begin + k_end - k_begin
    result.append(Span(workgroup, begin, free[workgroup], batch, m, n, peer, num_peers))
  return result


def _title(data: dict[str, Any], found: Sequence[Span]) -> str:
  total = sum(each.end - each.begin for each in found)
  length = max((each.end for each in found), default=0)
  busy = total / (length * data["num_workgroups"]) if length else 0
  upper = "; the most tiles that groups can make" if "ragged" in data else ""
  queues = f", {data['num_queues']} queues" if data["num_queues"] else ""
  batches = f"{data['batch']} x " if data["batch"] > 1 else ""
  groups = f", {data['local_groups']} groups" if "ragged" in data else ""
  return (f"{batches}{' x '.join(map(str, data['sizes']))} (m x n x k){groups}: {data['kernel']}, "
          f"{data['schedule']}{queues}\n{data['num_workgroups']} workgroups, "
          f"busy {busy:.0%} (by the plan, not measured{upper})")


def draw(calls: Sequence[dict[str, Any]], path: str | pathlib.Path) -> None:
  """Writes the picture; see `jaxgemm.Explanation.draw`."""
  shown = [data for data in calls if data["implementation"] != "xla"]
  if not shown:
    raise ValueError("there is nothing to draw: no call runs a kernel of jaxgemm. Print the "
                     "explanation: it has the reasons.")
  try:
    import matplotlib
  except ImportError as error:
    raise ImportError("drawing needs matplotlib. Run pip install matplotlib.") from error
  from matplotlib.backends.backend_agg import FigureCanvasAgg
  from matplotlib.figure import Figure

  colours = matplotlib.colormaps["tab20"]
  heights = [min(9.0, 1.2 + 0.12 * data["num_workgroups"]) for data in shown]
  figure = Figure(figsize=(11, sum(heights) + 0.5 * len(shown)), layout="constrained")
  FigureCanvasAgg(figure)
  axes = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
  for data, axis in zip(shown, axes):
    found = spans(data)
    if len(found) > _MOST_SPANS:
      axis.set_title(f"{_title(data, found)}; {len(found)} tiles, not drawn", fontsize="small")
      continue
    rows: dict[int, list[Span]] = {}
    for each in found:
      rows.setdefault(each.workgroup, []).append(each)
    few = len(found) <= 200
    for workgroup, mine in rows.items():
      for is_cut in (False, True):
        some = [each for each in mine if (each.num_peers > 1) == is_cut]
        axis.broken_barh(
            [(each.begin, each.end - each.begin) for each in some], (workgroup - 0.45, 0.9),
            facecolors=[colours((each.n + 7 * each.m + 3 * each.batch) % 20) for each in some],
            edgecolors="black", linewidth=0.3, hatch="//" if is_cut else None)
      for each in mine if few else ():
        part = f" {each.peer + 1}/{each.num_peers}" if each.num_peers > 1 else ""
        axis.text((each.begin + each.end) / 2, workgroup, f"{each.m},{each.n}{part}",
                  ha="center", va="center", fontsize=5)
    axis.set_ylim(data["num_workgroups"] - 0.5, -0.5)
    axis.set_ylabel("workgroup")
    axis.set_xlabel("k tiles since the start")
    for numbered in (axis.xaxis, axis.yaxis):
      numbered.get_major_locator().set_params(integer=True)
    axis.set_title(_title(data, found), fontsize="small")
  figure.savefig(path, dpi=110)
