"""Compares the plan's choice with Triton's persistent matmul, both by the emulator's clock.

    python -m benchmarks.model.amdgpu_triton --markdown=amd-triton.md --json=amd-triton.json

It needs PyPI's triton. The products are random ones (amdgpu_random.py) or, with --shapes, those of
shapes.json, all of bfloat16 in row-major layouts. Our time is that of the candidate which the plan
takes, Triton's that of the best of its tiles and options (triton_peer.SMALLER), one program on a
compute unit, chosen for each product by the clock; so Triton's choice is perfect and ours is the
plan's. On both sides the emulator runs the tiles of a workgroup with the product's own k; it
extrapolates from several tiles to many, and from 16 (our kernels: 24) k tiles to more. If k is no
multiple of 64, Triton's kernel masks its loads along k. It is told that all sizes are multiples of
16, also where they are not: else it would load single elements. Both have 5 us for a launch. A
grouped product has groups of equal size; it is predicted as that many dense products in one launch,
on both sides, without the search of a tile's group. Times are microseconds at peak frequency, and
all are predictions: no GPU is used. A ratio is our time over Triton's. With --ours Triton's times
are those that the file --json has; only ours are predicted again.
"""

import functools
import json
import math
import pathlib
import statistics
import sys
import typing

from absl import app, flags
import numpy as np

from benchmarks import pipes, progress, shapes, tile_times
from benchmarks.model import amdgpu_random, amdgpu_rows
from jaxgemm import _ffi
from jaxgemm.emulator import grid

FLAGS = flags.FLAGS

WORST = 12
CLOSE = 1.2


@functools.cache
def peers(arch: str, masks: tuple[str, ...]) -> dict[tuple[int, int, int], list]:
  """The variants of each of Triton's tiles. Those of waves_per_eu differ by 2 % at most."""
  from benchmarks import triton_peer

  found = {}
  for tile, warps in triton_peer.SMALLER:
    progress.doing(f"{arch}: Triton's {'x'.join(map(str, tile))}")
    found[tile] = triton_peer.variants(arch, 1, 0, 1, tile, warps, waves_per_eus=(0,), masks=masks)
  return found


@functools.cache
def triton_cycles(arch: str, tile: tuple, masks: tuple[str, ...], several: bool, constants: tuple,
                  sizes: tuple[int, int, int] | None) -> list:
  return [tile_times.of_triton(arch, peer, "rrr", dict(constants), several=several, sizes=sizes)
          for peer in peers(arch, masks)[tile]]


def masks_of(k: int, tile_k: int) -> tuple[str, ...]:
  """The values of triton_peer's MASK that are right for a k."""
  return ("none",) if k % tile_k == 0 else ("each", "last") if k > tile_k else ("each",)


class Problem(typing.NamedTuple):
  m: int
  n: int
  k: int
  groups: int = 1  # products of these sizes


def sizes_of_tile(problem: Problem, tile: tuple[int, int, int]) -> tuple[int, int, int]:
  """The sizes of a product's first tile, with the last K_TILES of its k tiles."""
  beyond = max(0, math.ceil(problem.k / tile[2]) - tile_times.K_TILES)
  return min(problem.m, tile[0]), min(problem.n, tile[1]), problem.k - beyond * tile[2]


def triton(arch: str, problem: Problem) -> dict:
  """The best of Triton's tiles, and the time with it and with the largest one.

  The clock runs the product's own k only for tiles that are CLOSE to the best one by times that
  are linear in the k tiles, to take less time itself.
  """
  from benchmarks import triton_peer

  machine = amdgpu_rows.Machine(arch)
  m, n, k, groups = problem

  def microseconds(tile: tuple[int, int, int], exact: bool) -> float:
    tiles = math.ceil(m / tile[0]) * math.ceil(n / tile[1]) * groups
    traffic = grid.matmul_traffic(arch, m, n, k, tile=(min(tile[0], m), min(tile[1], n)),
                                  groups=groups)
    constants = amdgpu_rows.rounded_constants(arch, traffic)
    rounds = math.ceil(tiles / machine.value("cus"))
    each = triton_cycles(arch, tile, masks_of(k, tile[2]), rounds > 1, constants,
                         sizes_of_tile(problem, tile) if exact else None)
    cycles = min(time.start + rounds * time.cycles(math.ceil(k / tile[2])) for time in each)
    return machine.seconds(cycles, traffic, False) * 1e6

  roughly = {tile: microseconds(tile, False) for tile, _ in triton_peer.SMALLER}
  least = min(roughly.values())
  times = {"x".join(map(str, tile[:2])):
           microseconds(tile, True) if time <= CLOSE * least else time
           for tile, time in roughly.items()}
  best = min(times, key=times.__getitem__)
  return {"triton": times[best], "triton_tile": best, "triton_256": times["256x256"]}


def ours(arch: str, kind: str, problem: Problem) -> dict:
  """The candidate that the plan takes, and its times by the plan's model and by the clock."""
  planned = {"m": problem.m, "n": problem.n, "k": problem.k}
  if kind == "grouped":
    planned |= {"m": problem.m * problem.groups, "ragged": "m", "groups": problem.groups,
                "local_groups": problem.groups}
  plan = _ffi.native.plan(
      {"lhs_contracting": 1, "rhs_contracting": amdgpu_rows.place_of_k(problem.n),
       **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), "bfloat16")} | planned, {}, arch, 0)
  chosen = plan["candidates"][0]
  seconds = amdgpu_rows.clock_seconds(arch, problem[:3], chosen, plan["num_cus"], problem.groups)
  return {"chosen": amdgpu_rows.name(chosen), "planned": chosen["predicted_us"],
          "ours": seconds * 1e6}


def row(arch: str, kind: str, problem: Problem, triton_times: dict) -> dict:
  found = {"arch": arch, "kind": kind, "problem": list(problem), **ours(arch, kind, problem),
           **triton_times}
  return found | {"ratio": found["ours"] / found["triton"],
                  "ratio_256": found["ours"] / found["triton_256"]}


def draw(kind: str, rng) -> Problem:
  if kind == "dense":
    drawn = amdgpu_random.draw_dense(rng)
    return Problem(drawn["m"], drawn["n"], drawn["k"])
  drawn = amdgpu_random.draw_grouped(rng)
  groups = drawn["groups"]
  return Problem(max(1, drawn["m"] // groups), drawn["n"], drawn["k"], groups)


def listed() -> dict[str, list[Problem]]:
  """The products of shapes.json by kind: the dense sets, groups of equal size, models' layers."""
  grouped = [Problem(m, each["n"], each["k"], groups)
             for model in shapes.load()["grouped"].values()
             for groups in model["groups"] for m in model["m_per_group"]
             for each in (model["gate_up"], model["down"])]
  dense = [Problem(*sizes) for name in shapes.DENSE_SETS for sizes in shapes.mnk(name)]
  found = {"dense": dense, "grouped": grouped,
           "layer": [Problem(*sizes) for sizes in shapes.mnk("layers")]}
  return {kind: list(dict.fromkeys(problems)) for kind, problems in found.items()}


def drawn() -> dict[str, list[Problem]]:
  rng = np.random.default_rng(FLAGS.seed)
  return {kind: [draw(kind, rng) for _ in range(count)]
          for kind, count in (("dense", FLAGS.dense), ("grouped", FLAGS.grouped))}


def with_our_times() -> typing.Iterator[dict]:
  """The rows of the file --json, with our times predicted again."""
  names = "triton", "triton_tile", "triton_256"
  for each in json.loads(pathlib.Path(FLAGS.json).read_text())["rows"]:
    problem = Problem(*each["problem"])
    progress.doing(f"{each['arch']}: {each['kind']}, {' x '.join(map(str, problem))}")
    yield row(each["arch"], each["kind"], problem, {name: each[name] for name in names})


def markdown(command: str, rows: list[dict]) -> str:
  lines = [
      "# AMD kernels beside Triton's persistent matmul", "",
      (__doc__ or "").split("\n\n", 2)[2].strip(), "", f"Command: `{command}`", "",
      "| arch | products | no slower than Triton's best tile | within 1.05 | geometric mean "
      "| worst | no slower than Triton's 256x256 | geometric mean |",
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
  kinds = list(dict.fromkeys((each["arch"], each["kind"]) for each in rows))
  for arch, kind in kinds:
    mine = [each for each in rows if (each["arch"], each["kind"]) == (arch, kind)]
    ratios, fixed = ([each[name] for each in mine] for name in ("ratio", "ratio_256"))
    lines.append(
        f"| {arch} | {len(mine)} {kind} | {statistics.fmean(x <= 1 for x in ratios):.0%} | "
        f"{statistics.fmean(x <= 1.05 for x in ratios):.0%} | "
        f"{amdgpu_random.geometric_mean(ratios):.2f} | {max(ratios):.2f} | "
        f"{statistics.fmean(x <= 1 for x in fixed):.0%} | "
        f"{amdgpu_random.geometric_mean(fixed):.2f} |")
  for arch, kind in kinds:
    mine = [each for each in rows if (each["arch"], each["kind"]) == (arch, kind)]
    lines += ["", f"## {arch}, {kind}: the largest ratios", "",
              "| m x n x k | chosen by the plan | us | Triton's tile | us | ratio |",
              "| --- | --- | ---: | --- | ---: | ---: |"]
    for each in sorted(mine, key=lambda each: -each["ratio"])[:WORST]:
      m, n, k, groups = each["problem"]
      sizes = f"{m} x {n} x {k}" if groups == 1 else f"{groups} of {m} x {n} x {k}"
      lines.append(f"| {sizes} | {each['chosen']} | {each['ours']:.1f} | {each['triton_tile']} | "
                   f"{each['triton']:.1f} | {each['ratio']:.2f} |")
  return "\n".join([*lines, ""])


def write(command: str, rows: list[dict]) -> None:
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(markdown(command, rows))
  if FLAGS.json:
    lines = ",\n".join(json.dumps(each) for each in rows)
    pathlib.Path(FLAGS.json).write_text(
        f'{{"command": {json.dumps(command)},\n"rows": [\n{lines}\n]}}\n')


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  command = "python -m benchmarks.model.amdgpu_triton " + " ".join(sys.argv[1:])
  if FLAGS.ours:
    write(command, list(with_our_times()))
    return 0
  rows = []
  for arch in FLAGS.arch:
    for kind, problems in (listed() if FLAGS.shapes else drawn()).items():
      for problem in problems:
        progress.doing(f"{arch}: {kind}, {' x '.join(map(str, problem))}")
        rows.append(row(arch, kind, problem, triton(arch, problem)))
        write(command, rows)  # after each, because a run takes an hour
  print(markdown(command, rows))
  return 0


if __name__ == "__main__":
  amdgpu_random.define_flags()
  flags.DEFINE_bool("ours", False, "Only our times, for the products of the file --json.")
  flags.DEFINE_bool("shapes", False, "The products of shapes.json, instead of random ones.")
  flags.DEFINE_list("arch", list(pipes.COMPARED), "Architectures.")
  app.run(main)
