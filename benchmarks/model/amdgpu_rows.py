"""The rows of `python -m benchmarks.model.amdgpu`: microseconds by the plan's model and the clock.

For each product and each of its candidates, the emulator's clock (docs/api/emulator.md) times a
tile, and for stream-K a share of a tile with the fix-up of all shares, on one compute unit; rounds
of these make a launch. Both are predictions at the chip's peak frequency: no time is measured. A
candidate's regret is how much longer the clock predicts it to take than the best one.
"""

from collections.abc import Callable, Sequence
import dataclasses
import datetime
import functools
import math
import statistics

import jax
import jax.numpy as jnp

from benchmarks import resource_rows
from benchmarks.predicted_rows import rank_correlation
import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.call import tuned
from jaxgemm.emulator import clock, grid
from jaxgemm.tune import database

# m, n and k of products of bfloat16; no operand is loaded by element.
PROBLEMS = (
    (1, 4096, 4096), (8, 4096, 4096), (16, 14336, 4096), (32, 8192, 8192), (64, 4096, 14336),
    (128, 4096, 4096), (128, 28672, 8192), (256, 7168, 2048), (512, 512, 8192), (512, 4096, 4096),
    (1024, 1024, 1024), (1000, 3000, 2000), (2048, 2048, 2048), (2048, 8192, 1024),
    (4096, 4096, 512), (4096, 4096, 4096), (300, 5000, 704), (8192, 1024, 8192),
    (8192, 8192, 8192), (16384, 16384, 16384), (3072, 5120, 2560), (96, 96, 65536),
)
DTYPE = "bfloat16"
LINE_BYTES = 128  # a cache line
# The clock times shares of so many k tiles, in tiles that have two or six of them. Six seeds would
# be enough for most kernels.
SHARE_K_TILES, SHARES, SEEDS = 4, (2, 6), range(48)
# The clock runs launches of up to so many tiles of a workgroup and k tiles of a tile. The cycles of
# longer ones are on the line through two of these. The loop of a wave that divides k multiplies
# two, three or four k tiles in each iteration.
TILES, K_TILES = (2, 4), (12, 24)
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


def sizes_of_tile(problem: tuple[int, int, int], tile: Sequence[int]
                  ) -> tuple[int, int, int] | None:
  """The sizes of a product's first tile; None if the clock does not run one with a k as long."""
  m, n, k = problem
  if k > tile[2] * max(K_TILES):
    return None
  return min(m, tile[0]), min(n, tile[1]), k


def of_parts_of_lines(constants: tuple, part_bytes: int) -> tuple:
  """The constants if tiles load whole cache lines of rhs, and use `part_bytes` of each.

  The tiles that use the other parts load the line, too, and only the first of them not from the L2.
  The traffic counts only the bytes that are used.
  """
  of_constants = dict(constants)
  misses = 100 - of_constants["l2_hit_percent"]
  of_constants["l2_hit_percent"] = 100 - misses * min(1.0, part_bytes / LINE_BYTES)
  return tuple(of_constants.items())


@functools.cache
def launch_cycles(arch: str, kernel: str, workgroups: int, tiles: int, sizes: tuple[int, int, int],
                  queues: int, constants: tuple) -> float:
  """The cycles of the workgroups on a compute unit, each with `tiles` tiles of these sizes.

  They steal from `queues`, or have a fixed stride if there are none. A workgroup with one tile at a
  fixed stride knows it from the start.
  """
  m, n, k = sizes
  tile_m, tile_n, _ = resource_rows._parse(kernel)["tile"]
  if workgroups * tiles > 1:
    if m < tile_m or tile_m == 16:  # kernels for few rows have one row of tiles
      n = tile_n * workgroups * tiles
      constants = of_parts_of_lines(constants, tile_n * jnp.dtype(DTYPE).itemsize)
    else:
      m *= workgroups * tiles
  schedule = {"schedule": "work_stealing", "num_queues": queues} if queues else {
      "schedule": "persistent"}
  return _clock(arch, (m, n, k), workgroups, constants, kernel=kernel, num_workgroups=workgroups,
                **schedule).cycles


def _clock(arch: str, problem: tuple[int, int, int], workgroups: int, constants: tuple,
           seed: int = 0, batch: int = 1, **config) -> clock.Clock:
  """The clock of a launch whose first workgroups share a compute unit."""
  m, n, k = problem
  rhs_contracting = resource_rows._contracting(resource_rows._parse(config["kernel"])["layout"])[1]
  rhs = (batch, n, k) if rhs_contracting else (batch, k, n)
  call = jax.jit(lambda a, b: jaxgemm.dot_general(
      a, b, (((2,), (1 + rhs_contracting,)), ((0,), (0,))), implementation=f"emulated:{arch}",
      config=jaxgemm.GemmConfig(partition=False, **config)))
  options = emulator.Options.unchecked(
      clock=workgroups, constants=dict(constants), seed=seed)
  with emulator.options(options):
    jax.block_until_ready(call(jnp.zeros((batch, m, k), DTYPE), jnp.zeros(rhs, DTYPE)))
    record = emulator.last_record()
  assert record is not None and record.clock is not None
  return record.clock


def _on_line(value: Callable[[int], float], x: int, points: tuple[int, int]) -> float:
  """value(x), which beyond both points is on the line through them."""
  low, high = points
  if x <= high:
    return value(x)
  return value(high) + (x - high) * (value(high) - value(low)) / (high - low)


def tiles_cycles(arch: str, kernel: str, workgroups: int, tiles: int,
                 problem: tuple[int, int, int], constants: tuple, claims: bool = True) -> float:
  """launch_cycles of tiles of a product, from shorter launches if it is long.

  `claims`: the workgroup does not know its only tile from the start.
  """
  tile = resource_rows._parse(kernel)["tile"]

  def of_tiles(tiles: int) -> float:
    sizes = sizes_of_tile(problem, tile)
    if sizes:
      return launch_cycles(arch, kernel, workgroups, tiles, sizes, 0, constants)
    m, n = min(problem[0], tile[0]), min(problem[1], tile[1])
    return _on_line(
        lambda depth: launch_cycles(
            arch, kernel, workgroups, tiles, (m, n, depth * tile[2]), 0, constants),
        math.ceil(problem[2] / tile[2]), K_TILES)

  if tiles == 1 and claims:
    low, high = TILES
    return of_tiles(low) - (low - 1) * (of_tiles(high) - of_tiles(low)) / (high - low)
  return _on_line(of_tiles, tiles, TILES)


@functools.cache
def steal_cycles(arch: str, kernel: str, tiles: int, queues: int, constants: tuple) -> float:
  """What stealing adds: a claim for each tile, and at the end a look at the queues."""
  m, n, k = resource_rows._parse(kernel)["tile"]

  def run(tiles: int, queues: int) -> float:
    return launch_cycles(arch, kernel, 1, tiles, (m, n, k * min(K_TILES)), queues, constants)

  claims = _on_line(lambda tiles: run(tiles, 1) - run(tiles, 0), tiles, TILES)
  return claims + run(2, queues) - run(2, 1)


@functools.cache
def last_share_cycles(arch: str, kernel: str, shares: int, claims: bool, constants: tuple) -> float:
  """The cycles of the workgroup that arrives last at a tile, and adds up all its shares.

  The clock times the first workgroup. Which one arrives last depends on the emulator's seed; it
  takes longer than the others, which take equally long. Workgroups claim if two tiles have an odd
  number of shares: then one share has the end of the first tile and the begin of the second one.
  Of two shares of a tile that one is then done first, with any seed.
  """
  m, n, k = resource_rows._parse(kernel)["tile"]
  tiles, all_shares = (2, 2 * shares - 1) if claims else (1, shares)
  depth = SHARE_K_TILES * all_shares // tiles
  found = []
  for seed in SEEDS:
    found.append(_clock(arch, (m, n, k * depth), 1, constants, seed, tiles,
                        kernel=kernel, schedule="stream_k", num_workgroups=all_shares,
                        num_shares=all_shares).cycles)
    if max(found) > 1.02 * min(found) or (claims and shares == 2):
      return max(found)
  raise RuntimeError(f"{kernel}: the first of {shares} shares arrives last with none of {SEEDS}.")


def fix_up_cycles(arch: str, kernel: str, shares: int, claims: bool) -> float:
  """What the last share of a tile takes longer than a workgroup that has a tile as deep."""
  m, n, k = resource_rows._parse(kernel)["tile"]
  # The other shares come from other XCDs, so they are not in the L2.
  constants = rounded_constants(arch, grid.Traffic(0, 0, 0))
  last = _on_line(lambda shares: last_share_cycles(arch, kernel, shares, claims, constants),
                  shares, SHARES)
  return last - tiles_cycles(arch, kernel, 1, 1, (m, n, k * SHARE_K_TILES), constants, claims)


def rounded_constants(arch: str, traffic: grid.Traffic) -> tuple:
  """The clock's constants, rounded, so that the clock runs less often."""
  rounded = dataclasses.replace(traffic, l2_hit_percent=round(traffic.l2_hit_percent, -1))
  return tuple(grid.constants_for(arch, rounded, Machine(arch).value("peak_mhz")).items())


def shared_by_workgroups(constants: tuple, more: float) -> tuple:
  """The constants if each workgroup has an equal part of the bandwidth behind the L2.

  `more`: the workgroups of the unit that the clock times, over those of a unit in the mean; it is
  rounded, so that the clock runs less often.
  """
  of_constants = dict(constants)
  of_constants["miss_bytes_per_cycle"] *= round(more, 1)
  return tuple(of_constants.items())


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

  def whole(workgroups: int, tiles: int, claims: bool = True) -> float:
    on_cu = min(math.ceil(workgroups / cus), resident(arch, kernel))
    shared = shared_by_workgroups(constants, on_cu * cus / workgroups) if on_cu > 1 else constants
    return tiles_cycles(arch, kernel, on_cu, tiles, problem, shared, claims)

  workgroups = min(config["num_workgroups"], cus * resident(arch, kernel))
  shares, queues = config.get("num_shares", 0), config.get("num_queues", 0)
  cut = (tiles if tiles < workgroups else tiles % workgroups) if shares else 0
  rounds, last = divmod(tiles - cut, workgroups)
  # A workgroup knows its tile from the start if it has no other one. Groups are never known.
  claims = (rounds + (last > 0) + (cut > 0) > 1 and config["num_workgroups"] < tiles
            or groups > 1 or queues > 0)
  cycles = 0.0
  if rounds:
    # More workgroups than a chip can hold at once start when others end.
    cycles = whole(workgroups, rounds) if claims else rounds * whole(workgroups, 1, claims=False)
  if not claims and not cut:
    cycles += (rounds + (last > 0) - 1) * machine.value("next_workgroup_cycles")
  if last:
    # One more tile of the workgroups that have one.
    cycles += whole(last, 2) - whole(last, 1) if rounds and claims else whole(last, 1, claims)
  if cut:
    peers = math.ceil(shares / cut) + (shares % cut != 0)
    at_once, depth = min(shares, workgroups), math.ceil(cut * k_tiles / shares)
    on_cu = min(math.ceil(at_once / cus), resident(arch, kernel))
    share = (m, n, depth * tile_k)
    # Workgroups know their shares from the start, if all tiles have as many.
    claims = rounds > 0 or shares % cut != 0
    cycles += fix_up_cycles(arch, kernel, peers, claims)
    cycles += tiles_cycles(arch, kernel, on_cu, 2 if rounds else 1, share, constants, claims)
    if rounds:
      cycles -= tiles_cycles(arch, kernel, on_cu, 1, share, constants)
  if queues:
    cycles += steal_cycles(arch, kernel, rounds + (last > 0), queues, constants)
  return machine.seconds(cycles, traffic, bool(shares or queues))


@functools.cache
def resident(arch: str, kernel: str) -> int:
  """Workgroups that the plan puts on a compute unit: 8 waves, or 16 waves for tiles of few rows."""
  waves = 16 if resource_rows._parse(kernel)["tile"][0] == 16 else 8
  code_object = (_ffi.KERNEL_FOLDER / arch / f"{kernel}.hsaco").read_bytes()
  return waves * 64 // emulator.kernels(code_object)[0]["max_workgroup"]


def place_of_k(n: int) -> int:
  """rhs_contracting of a product in row-major layouts: one column is read along k."""
  return int(n == 1)


def name(candidate: dict) -> str:
  config = candidate["config"]
  shares = f", {config['num_shares']} shares" if "num_shares" in config else ""
  grid = "" if shares else f", {config['num_workgroups']} workgroups"
  return f"{'x'.join(map(str, candidate['tile'][:2]))} {candidate['schedule']}{shares}{grid}"


def row(arch: str, problem: tuple[int, int, int], most: int) -> dict:
  m, n, k = problem
  plan = _ffi.native.plan(
      {"m": m, "n": n, "k": k, "lhs_contracting": 1, "rhs_contracting": place_of_k(n),
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
      found[tuned.key(problem, each["arch"], each["cus"])] = database.Entry(
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
