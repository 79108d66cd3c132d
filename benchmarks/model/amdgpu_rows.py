"""The rows of `python -m benchmarks.model.amdgpu`: microseconds by the plan's model and the clock.

For each product and each of its candidates, the emulator's clock (docs/api/emulator.md) times a
tile, and for stream-K a share of a tile with the fix-up of all shares, on one compute unit; rounds
of these make a launch. Both are predictions at the chip's peak frequency: no time is measured. A
candidate's regret is how much longer the clock predicts it to take than the best one.
"""

from collections.abc import Sequence
import dataclasses
import datetime
import functools
import math
import statistics

import jax
import jax.numpy as jnp

from benchmarks import resource_rows, tile_times
from benchmarks.predicted_rows import rank_correlation
import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.emulator import clock, grid
from jaxgemm.tune import choice, database

# m, n and k of products of bfloat16; no operand is loaded by element.
PROBLEMS = (
    (1, 4096, 4096), (8, 4096, 4096), (16, 14336, 4096), (32, 8192, 8192), (64, 4096, 14336),
    (128, 4096, 4096), (128, 28672, 8192), (256, 7168, 2048), (512, 512, 8192), (512, 4096, 4096),
    (1024, 1024, 1024), (1000, 3000, 2000), (2048, 2048, 2048), (2048, 8192, 1024),
    (4096, 4096, 512), (4096, 4096, 4096), (300, 5000, 704), (8192, 1024, 8192),
    (8192, 8192, 8192), (16384, 16384, 16384), (3072, 5120, 2560), (96, 96, 65536),
)
DTYPE = "bfloat16"
# For stream-K the clock times shares of so many k tiles, and adds what longer ones take.
SHARE_K_TILES = 4
# A smaller predicted gain makes no entry. jaxgemm.tune needs the same gain of a measured one.
LEAST_REGRET = 0.02


@dataclasses.dataclass(frozen=True)
class Machine:
  """A chip: its clock's constants, and what the plan adds to a launch."""

  arch: str

  def value(self, name: str) -> float:
    return clock.constants(self.arch)[name].value

  def seconds(self, cycles: float, traffic: grid.Traffic, zeroes: bool) -> float:
    memory = max(traffic.infinity_cache_bytes / self.value("infinity_cache_gb_per_s"),
                 traffic.hbm_bytes / self.value("hbm_gb_per_s") / self.value("hbm_share")) * 1e-9
    launches = self.value("launch_us") * (2 if zeroes else 1)
    return max(cycles / self.value("peak_mhz") * 1e-6, memory) + launches * 1e-6


@functools.cache
def tile_cycles(arch: str, kernel: str, workgroups: int, several: bool, constants: tuple,
                sizes: tuple[int, int, int]) -> tile_times.TileTimes:
  """The cycles of whole tiles, one or `several` of each of the workgroups on a compute unit."""
  return tile_times.of_kernel(arch, kernel, dict(constants), workgroups=workgroups,
                              several=several, sizes=sizes)


def sizes_of_tile(problem: tuple[int, int, int], tile: Sequence[int]) -> tuple[int, int, int]:
  """The sizes of a product's first tile, for tile_times.of_kernel().

  A longer k is cut to tile_times.K_TILES, after which the main loop is in its steady state. Rows
  and columns are rounded up to powers of two, so that the clock runs less often.
  """
  def up_to(size: int, most: int) -> int:
    return min(most, 1 << (size - 1).bit_length())

  m, n, k = problem
  beyond = max(0, math.ceil(k / tile[2]) - tile_times.K_TILES)
  return up_to(m, tile[0]), max(8, up_to(n, tile[1])), k - beyond * tile[2]


@functools.cache
def share_cycles(arch: str, kernel: str, shares: int, constants: tuple) -> float:
  """The cycles from start to end of the workgroup that adds up the shares of a tile."""
  parsed = resource_rows._parse(kernel)
  m, n, k = parsed["tile"]
  k *= SHARE_K_TILES * shares
  call = jax.jit(lambda a, b: jaxgemm.matmul(
      a, b, implementation=f"emulated:{arch}", config=jaxgemm.GemmConfig(
          kernel=kernel, schedule="stream_k", num_workgroups=shares, num_shares=shares,
          partition=False)))
  options = emulator.Options.unchecked(clock=shares, constants=dict(constants))
  with emulator.options(options):
    jax.block_until_ready(call(jnp.zeros((m, k), DTYPE), jnp.zeros((k, n), DTYPE)))
    record = emulator.last_record()
  assert record is not None and record.clock is not None
  return max(wave.end - wave.start for wave in record.clock.waves)


def rounded_constants(arch: str, traffic: grid.Traffic) -> tuple:
  """The clock's constants, rounded, so that the clock runs less often."""
  rounded = dataclasses.replace(traffic, l2_hit_percent=round(traffic.l2_hit_percent, -1))
  return tuple(grid.constants_for(arch, rounded, Machine(arch).value("peak_mhz")).items())


def clock_seconds(arch: str, problem: tuple[int, int, int], candidate: dict, cus: int,
                  groups: int = 1) -> float:
  """What the clock predicts for a candidate of the plan; `groups` products of `problem`."""
  machine, config, kernel = Machine(arch), candidate["config"], candidate["kernel"]
  m, n, k = problem
  tile_m, tile_n, tile_k = candidate["tile"]
  tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n) * groups
  k_tiles = math.ceil(k / tile_k)
  traffic = grid.matmul_traffic(arch, m, n, k, tile=(min(tile_m, m), min(tile_n, n)), groups=groups)
  constants = rounded_constants(arch, traffic)

  def whole(workgroups: int, several: bool) -> tile_times.TileTimes:
    return tile_cycles(arch, kernel, min(math.ceil(workgroups / cus), resident(arch, kernel)),
                       several, constants, sizes_of_tile(problem, candidate["tile"]))

  workgroups = min(config["num_workgroups"], cus * resident(arch, kernel))
  shares = config.get("num_shares", 0)
  cut = (tiles if tiles < workgroups else tiles % workgroups) if shares else 0
  rounds, last = divmod(tiles - cut, workgroups)
  # A workgroup knows its tile from the start if it has no other one. Groups are never known. More
  # workgroups than a chip can hold at once start when others end.
  several = groups > 1 or (rounds + (last > 0) + (cut > 0) > 1 and
                           (shares > 0 or config["num_workgroups"] < tiles))
  cycles = 0.0
  if rounds:
    times = whole(workgroups, several)
    cycles = times.start + rounds * times.cycles(k_tiles)
  if last:
    times = whole(last, several)
    cycles += times.cycles(k_tiles) + (0 if rounds else times.start)
  if cut:
    peers = math.ceil(shares / cut) + (shares % cut != 0)
    longer = math.ceil(cut * k_tiles / shares) - SHARE_K_TILES
    only = whole(min(shares, workgroups), False)
    cycles += share_cycles(arch, kernel, peers, constants) + longer * only.per_k_tile
    if rounds or shares % cut:
      # The workgroups claim these shares: they do not know them from the start.
      cycles += whole(min(shares, workgroups), True).fixed - only.fixed
  return machine.seconds(cycles, traffic, bool(shares or config.get("num_queues")))


@functools.cache
def resident(arch: str, kernel: str) -> int:
  """Workgroups that the plan puts on a compute unit: 8 waves, or 16 waves for tiles of few rows."""
  waves = 16 if resource_rows._parse(kernel)["tile"][0] == 16 else 8
  code_object = (_ffi.KERNEL_FOLDER / arch / f"{kernel}.hsaco").read_bytes()
  return waves * 64 // emulator.kernels(code_object)[0]["max_workgroup"]


def name(candidate: dict) -> str:
  config = candidate["config"]
  shares = f", {config['num_shares']} shares" if "num_shares" in config else ""
  return f"{'x'.join(map(str, candidate['tile'][:2]))} {candidate['schedule']}{shares}"


def row(arch: str, problem: tuple[int, int, int], most: int) -> dict:
  m, n, k = problem
  plan = _ffi.native.plan(
      {"m": m, "n": n, "k": k, "lhs_contracting": 1, "rhs_contracting": 0,
       **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), DTYPE)}, {}, arch, 0)
  candidates = plan["candidates"][:most]
  times = [clock_seconds(arch, problem, each, plan["num_cus"]) * 1e6 for each in candidates]
  best = min(range(len(times)), key=times.__getitem__)
  return {"arch": arch, "problem": problem, "chosen": name(candidates[0]),
          "planned": candidates[0]["predicted_us"], "clock": times[0],
          "best": name(candidates[best]), "least": times[best],
          "config": candidates[best]["config"], "cus": plan["num_cus"],
          "regret": times[0] / times[best] - 1,
          "correlation": rank_correlation([each["predicted_us"] for each in candidates], times)}


def entries(rows: list[dict]) -> dict[str, database.Entry]:
  """Entries of a tuning file, marked as predicted, where the clock prefers another candidate."""
  found = {}
  for each in rows:
    if each["regret"] >= LEAST_REGRET:
      m, n, k = each["problem"]
      problem = {"batch": 1, "m": m, "n": n, "k": k, "lhs_contracting": 1,
                 **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), DTYPE),
                 "ragged": "none", "groups": 0, "local_groups": 0}
      found[choice.key(problem, each["arch"], each["cus"])] = database.Entry(
          implementation="jaxgemm", config=each["config"], size=m, seconds=each["least"] * 1e-6,
          plan_seconds=each["clock"] * 1e-6, xla_seconds=None, source="predicted",
          date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
  return found


def markdown(rows: list[dict]) -> str:
  lines = [
      "| chip | m x n x k | chosen by the plan | model, us | clock, us | best by the clock | "
      "clock, us | regret | rank correlation |",
      "| --- | --- | --- | ---: | ---: | --- | ---: | ---: | ---: |",
  ]
  for each in rows:
    lines.append(
        f"| {each['arch']} | {' x '.join(map(str, each['problem']))} | {each['chosen']} | "
        f"{each['planned']:.1f} | {each['clock']:.1f} | {each['best']} | {each['least']:.1f} | "
        f"{each['regret']:.0%} | {each['correlation']:.2f} |")
  regrets = [each["regret"] for each in rows]
  correlations = [each["correlation"] for each in rows]
  return "\n".join([
      "# The plan's model of AMD GPUs beside the emulator's clock", "",
      (__doc__ or "").split("\n\n", 1)[1].strip(), "",
      f"Regret: median {statistics.median(regrets):.0%}, mean {statistics.mean(regrets):.0%}, "
      f"largest {max(regrets):.0%}. Median rank correlation "
      f"{statistics.median(correlations):.2f}.", "", *lines, ""])
