r"""What the plan takes on AMD GPUs, beside the emulator's clock and Triton's persistent matmul.

    python -m benchmarks amd_plan --arch=gfx942,gfx950 --markdown=amd-model.md
    python -m benchmarks amd_plan --arch=gfx942 --cases=amd,layers --most=16 --tuning=mi300x.json
    python -m benchmarks amd_plan --triton --cases= --random=200 --random_grouped=100 --seed=2812

For each product and each of its candidates, the emulator's clock (docs/api/emulator.md) times a
tile, and for stream-K a share of a tile with the fix-up of all shares, on one compute unit; rounds
of these make a launch. Both are predictions, at the frequency that the plan's model assumes under
load: no time is measured. A candidate's regret is how much longer the clock predicts it to take
than the best one. The second command writes what the clock prefers as predicted entries of a tuning
file; those of jaxgemm/tune/shipped were made by it.

With --triton, which needs PyPI's triton, the plan's choice is compared with the best of Triton's
tiles and options (triton_peer.SMALLER), one program on a compute unit, chosen for each product by
the clock; so Triton's choice is perfect and ours is the plan's. Products are of bfloat16 in row-
major layouts. On both sides the emulator runs the tiles of a workgroup with the product's own k; it
extrapolates from several tiles to many, and from 16 (our kernels: 24) k tiles to more. If k is no
multiple of 64, Triton's kernel masks its loads along k. It is told that all sizes are multiples of
16, also where they are not: else it would load single elements. Both have the chip's peak
frequency, and 5 us for a launch. A grouped product has groups of equal size; it is predicted as
that many dense products in one launch, on both sides, without the search of a tile's group. A ratio
is our time over Triton's.
"""

from collections.abc import Callable
import dataclasses
import datetime
import functools
import itertools
import math
import pathlib
import statistics

from absl import flags
import jax.numpy as jnp
import numpy as np

from benchmarks import amd, cases, progress, run
from benchmarks.amd import resources, tile_times
from jaxgemm import _ffi, emulator
from jaxgemm.call import tuned
from jaxgemm.emulator import clock, grid
from jaxgemm.tune import database

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
# The clock runs the product's own k only for those of Triton's tiles that are so close to the best
# one by times that are linear in the k tiles, to take less time itself.
CLOSE = 1.2
WORST = 12  # of the comparison with Triton are listed
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("arch", list(resources.COMPARED), "Architectures.")
  flags.DEFINE_list("cases", ["amd"], "Sets of products, layers of models, or MxNxK.")
  flags.DEFINE_integer("most", 24, "Candidates of each product, the best by the plan.",
                       lower_bound=2)
  flags.DEFINE_string("tuning", None, "Tuning file to add the predicted choices to.")
  flags.DEFINE_bool("triton", False, "Compare with Triton's persistent matmul.")
  flags.DEFINE_integer("random", 0, "Random products, in addition to --cases.")
  flags.DEFINE_integer("random_grouped", 0, "Random grouped products, with --triton.")


def constant(arch: str, name: str) -> float:
  """A constant of the clock."""
  return clock.constants(arch)[name].value


def launch_seconds(arch: str, cycles: float, traffic: grid.Traffic, zeroes: bool,
                   mhz: float | None = None) -> float:
  """The time of a launch, or of two if counters are set to zero before; by default at the peak."""
  value = functools.partial(constant, arch)
  memory = max(traffic.infinity_cache_bytes / value("infinity_cache_gb_per_s"),
               traffic.hbm_bytes / value("hbm_gb_per_s") / value("hbm_share")) * 1e-9
  launches = value("launch_us") * (2 if zeroes else 1)
  return max(cycles / (mhz or value("peak_mhz")) * 1e-6, memory) + launches * 1e-6


@functools.cache
def launch_cycles(arch: str, kernel: str, workgroups: int, tiles: int, sizes: tuple[int, int, int],
                  queues: int, constants: tuple) -> float:
  """The cycles of the workgroups on a compute unit, each with `tiles` tiles of these sizes.

  They steal from `queues`, or have a fixed stride if there are none. A workgroup with one tile at a
  fixed stride knows it from the start.
  """
  m, n, k = sizes
  tile_m, tile_n, _ = resources.parse(kernel)["tile"]
  if workgroups * tiles > 1:
    if m < tile_m or tile_m == 16:  # kernels for few rows have one row of tiles
      n = tile_n * workgroups * tiles
      # Tiles load whole cache lines of rhs. The others that use parts of a line load it, too, and
      # only the first of them not from the L2. The traffic counts only the bytes that are used.
      part = min(1.0, tile_n * jnp.dtype(DTYPE).itemsize / LINE_BYTES)
      constants = tuple({name: 100 - (100 - value) * part if name == "l2_hit_percent" else value
                         for name, value in constants}.items())
    else:
      m *= workgroups * tiles
  schedule = {"schedule": "work_stealing", "num_queues": queues} if queues else {
      "schedule": "persistent"}
  return tile_times.clock_of(
      arch, kernel, (m, n, k), workgroups, {"num_workgroups": workgroups, **schedule},
      constants=dict(constants)).cycles


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
  tile_m, tile_n, tile_k = resources.parse(kernel)["tile"]
  m, n, k = min(problem[0], tile_m), min(problem[1], tile_n), problem[2]

  def of_tiles(tiles: int) -> float:
    of_depth = lambda depth: launch_cycles(
        arch, kernel, workgroups, tiles, (m, n, depth), 0, constants)
    if k <= tile_k * max(K_TILES):
      return of_depth(k)
    return _on_line(lambda k_tiles: of_depth(k_tiles * tile_k), math.ceil(k / tile_k), K_TILES)

  if tiles == 1 and claims:
    low, high = TILES
    return of_tiles(low) - (low - 1) * (of_tiles(high) - of_tiles(low)) / (high - low)
  return _on_line(of_tiles, tiles, TILES)


@functools.cache
def steal_cycles(arch: str, kernel: str, tiles: int, queues: int, constants: tuple) -> float:
  """What stealing adds: a claim for each tile, and at the end a look at the queues."""
  m, n, k = resources.parse(kernel)["tile"]

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
  m, n, k = resources.parse(kernel)["tile"]
  tiles, all_shares = (2, 2 * shares - 1) if claims else (1, shares)
  depth = SHARE_K_TILES * all_shares // tiles
  found = []
  for seed in SEEDS:
    found.append(tile_times.clock_of(
        arch, kernel, (m, n, k * depth), 1, {
            "schedule": "stream_k", "num_workgroups": all_shares, "num_shares": all_shares},
        tiles, constants=dict(constants), seed=seed).cycles)
    if max(found) > 1.02 * min(found) or (claims and shares == 2):
      return max(found)
  raise RuntimeError(f"{kernel}: the first of {shares} shares arrives last with none of {SEEDS}.")


def fix_up_cycles(arch: str, kernel: str, shares: int, claims: bool) -> float:
  """What the last share of a tile takes longer than a workgroup that has a tile as deep."""
  m, n, k = resources.parse(kernel)["tile"]
  # The other shares come from other XCDs, so they are not in the L2.
  constants = rounded_constants(arch, grid.Traffic(0, 0, 0))
  last = _on_line(lambda shares: last_share_cycles(arch, kernel, shares, claims, constants),
                  shares, SHARES)
  return last - tiles_cycles(arch, kernel, 1, 1, (m, n, k * SHARE_K_TILES), constants, claims)


def rounded_constants(arch: str, traffic: grid.Traffic) -> tuple:
  """The clock's constants, rounded, so that the clock runs less often."""
  rounded = dataclasses.replace(traffic, l2_hit_percent=round(traffic.l2_hit_percent, -1))
  return tuple(grid.constants_for(arch, rounded, constant(arch, "peak_mhz")).items())


def clock_seconds(arch: str, problem: tuple[int, int, int], candidate: dict, cus: int,
                  groups: int = 1, mhz: float | None = None) -> float:
  """What the clock predicts for a candidate of the plan; `groups` products of `problem`."""
  config, kernel = candidate["config"], candidate["kernel"]
  m, n, k = problem
  tile_m, tile_n, tile_k = candidate["tile"]
  tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n) * groups
  k_tiles = math.ceil(k / tile_k)
  traffic = grid.matmul_traffic(arch, m, n, k, tile=(min(tile_m, m), min(tile_n, n)), groups=groups)
  constants = rounded_constants(arch, traffic)

  def whole(workgroups: int, tiles: int, claims: bool = True) -> float:
    on_cu = min(math.ceil(workgroups / cus), resident(arch, kernel))
    # Each workgroup has an equal part of the bandwidth behind the L2, so a unit with more of them
    # than the mean has more; it is rounded, so that the clock runs less often.
    more = round(on_cu * cus / workgroups, 1) if on_cu > 1 else 1
    shared = tuple({name: value * more if name == "miss_bytes_per_cycle" else value
                    for name, value in constants}.items())
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
    cycles += (rounds + (last > 0) - 1) * constant(arch, "next_workgroup_cycles")
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
  return launch_seconds(arch, cycles, traffic, bool(shares or queues), mhz)


@functools.cache
def resident(arch: str, kernel: str) -> int:
  """Workgroups that the plan puts on a compute unit: 8 waves, or 16 waves for tiles of few rows."""
  waves = 16 if resources.parse(kernel)["tile"][0] == 16 else 8
  code_object = (_ffi.KERNEL_FOLDER / arch / f"{kernel}.hsaco").read_bytes()
  return waves * 64 // emulator.kernels(code_object)[0]["max_workgroup"]


def name(candidate: dict) -> str:
  config = candidate["config"]
  shares = f", {config['num_shares']} shares" if "num_shares" in config else ""
  grid = "" if shares else f", {config['num_workgroups']} workgroups"
  return f"{'x'.join(map(str, candidate['tile'][:2]))} {candidate['schedule']}{shares}{grid}"


def planned(chip: str, problem: dict, rhs_contracting: int = 0) -> dict:
  """The plan of a product in row-major layouts."""
  return _ffi.native.plan(
      {"lhs_contracting": 1, "rhs_contracting": rhs_contracting,
       **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), DTYPE)} | problem, {}, chip, 0)


def row(arch: str, problem: tuple[int, int, int], most: int) -> dict:
  # One column is read along k.
  plan = planned(arch, dict(zip("mnk", problem)), rhs_contracting=int(problem[1] == 1))
  candidates = plan["candidates"][:most]
  times = [1e6 * clock_seconds(arch, problem, each, plan["num_cus"],
                               mhz=each["predicted_parts"]["mhz"]) for each in candidates]
  best = min(range(len(times)), key=times.__getitem__)
  return {"arch": arch, "problem": problem, "chosen": name(candidates[0]),
          "planned": candidates[0]["predicted_us"], "clock": times[0],
          "best": name(candidates[best]), "least": times[best],
          "config": candidates[best]["config"], "cus": plan["num_cus"],
          "regret": times[0] / times[best] - 1,
          "correlation": amd.rank_correlation([each["predicted_us"] for each in candidates], times)}


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
  regrets = [each["regret"] for each in rows]
  correlations = [each["correlation"] for each in rows]
  lines = [[each["arch"], " x ".join(map(str, each["problem"])), each["chosen"],
            f"{each['planned']:.1f}", f"{each['clock']:.1f}", each["best"], f"{each['least']:.1f}",
            f"{each['regret']:.0%}", f"{each['correlation']:.2f}"] for each in rows]
  return "\n".join([
      "# The plan's model of AMD GPUs beside the emulator's clock", "", _explained(2), "",
      f"Regret: median {statistics.median(regrets):.0%}, mean {statistics.mean(regrets):.0%}, "
      f"largest {max(regrets):.0%}. Median rank correlation "
      f"{statistics.median(correlations):.2f}.", "",
      amd.table(["chip", "m x n x k", "chosen by the plan", "model, us", "clock, us",
                 "best by the clock", "clock, us", "regret", "rank correlation"], lines, 3), ""])


def _explained(paragraph: int) -> str:
  """A paragraph of the docstring of this module."""
  return (__doc__ or "").split("\n\n")[paragraph].strip()


# ---------------------------------------------------------------------------------- Triton


@functools.cache
def _triton_times(arch: str, tile: tuple, warps: int, masks: tuple[str, ...], several: bool,
                  constants: tuple, sizes: tuple[int, int, int] | None) -> list:
  """The times of each variant. Those of waves_per_eu differ by 2 % at most."""
  from benchmarks.amd import triton_peer

  return [tile_times.of_triton(peer, "rrr", dict(constants), several, sizes)
          for peer in triton_peer.variants(arch, 1, 0, 1, tile, warps, (0,), masks)]


def triton(arch: str, problem: tuple[int, int, int], groups: int) -> dict:
  """The best of Triton's tiles, and the time with it and with the largest one."""
  from benchmarks.amd import triton_peer

  m, n, k = problem

  def microseconds(tile: tuple[int, int, int], warps: int, exact: bool) -> float:
    tile_m, tile_n, tile_k = tile
    k_tiles = math.ceil(k / tile_k)
    tiles = math.ceil(m / tile_m) * math.ceil(n / tile_n) * groups
    rounds = math.ceil(tiles / constant(arch, "cus"))
    traffic = grid.matmul_traffic(arch, m, n, k, tile=(min(tile_m, m), min(tile_n, n)),
                                  groups=groups)
    masks = ("none",) if k % tile_k == 0 else ("each", "last") if k > tile_k else ("each",)
    # The first tile, with the last K_TILES of its k tiles.
    sizes = (min(m, tile_m), min(n, tile_n), k - max(0, k_tiles - tile_times.K_TILES) * tile_k)
    timed = _triton_times(arch, tile, warps, masks, rounds > 1, rounded_constants(arch, traffic),
                          sizes if exact else None)
    cycles = min(each.start + rounds * each.cycles(k_tiles) for each in timed)
    return launch_seconds(arch, cycles, traffic, False) * 1e6

  roughly = {given: microseconds(*given, False) for given in triton_peer.SMALLER}
  times = {"x".join(map(str, given[0][:2])):
           microseconds(*given, True) if time <= CLOSE * min(roughly.values()) else time
           for given, time in roughly.items()}
  best = min(times, key=times.__getitem__)
  return {"triton": times[best], "triton_tile": best, "triton_256": times["256x256"]}


def triton_row(arch: str, problem: tuple[int, int, int], groups: int = 1) -> dict:
  """The plan's choice, its time by the clock, and Triton's."""
  given = dict(zip("mnk", problem))
  if groups > 1:
    given |= {"m": problem[0] * groups, "ragged": "m", "groups": groups, "local_groups": groups}
  plan = planned(arch, given, rhs_contracting=int(problem[1] == 1))
  chosen = plan["candidates"][0]
  ours = clock_seconds(arch, problem, chosen, plan["num_cus"], groups) * 1e6
  found = {"arch": arch, "kind": "grouped" if groups > 1 else "dense", "problem": problem,
           "groups": groups, "chosen": name(chosen), "ours": ours, **triton(arch, problem, groups)}
  return found | {"ratio": ours / found["triton"], "ratio_256": ours / found["triton_256"]}


def triton_markdown(rows: list[dict]) -> str:
  kinds = {(each["arch"], each["kind"]): [] for each in rows}
  for each in rows:
    kinds[each["arch"], each["kind"]].append(each)
  share = lambda values, most: f"{statistics.fmean(x <= most for x in values):.0%}"
  lines, parts = [], []
  for (arch, kind), mine in kinds.items():
    ratios, fixed = ([each[key] for each in mine] for key in ("ratio", "ratio_256"))
    lines.append([arch, f"{len(mine)} {kind}", share(ratios, 1), share(ratios, 1.05),
                  f"{statistics.geometric_mean(ratios):.2f}", f"{max(ratios):.2f}", share(fixed, 1),
                  f"{statistics.geometric_mean(fixed):.2f}"])
    worst = sorted(mine, key=lambda each: -each["ratio"])[:WORST]
    parts += ["", f"## {arch}, {kind}: the largest ratios", "", amd.table(
        ["m x n x k", "chosen by the plan", "us", "Triton's tile", "us", "ratio"],
        [[f"{each['groups']} of " * (each["groups"] > 1) + " x ".join(map(str, each["problem"])),
          each["chosen"], f"{each['ours']:.1f}", each["triton_tile"], f"{each['triton']:.1f}",
          f"{each['ratio']:.2f}"] for each in worst], 2)]
  return "\n".join([
      "# AMD kernels beside Triton's persistent matmul", "", _explained(3), "",
      f"Command: `{amd.about()['command']}`", "",
      amd.table(["arch", "products", "no slower than Triton's best tile", "within 1.05",
                 "geometric mean", "worst", "no slower than Triton's 256x256", "geometric mean"],
                lines, 2), *parts, ""])


def main(_) -> int:
  draw = cases.Draw(FLAGS.seed, multiple=8, odd=0, other_dtypes=0, layers=0.5)
  products = [(sizes, 1) for sizes in run.named(filter(None, FLAGS.cases), cases.mnk)]
  products += [((each.m, each.n, each.k), 1)
               for each in itertools.islice(cases.random(draw), FLAGS.random)]
  rng, rows = np.random.default_rng(FLAGS.seed), []
  if FLAGS.triton:
    amd.need_triton("--triton")
    for _ in range(FLAGS.random_grouped):
      each = cases.random_grouped(rng)
      products.append(((max(1, each.m // each.groups), each.n, each.k), each.groups))
  for arch, (problem, groups) in itertools.product(FLAGS.arch, dict.fromkeys(products)):
    progress.doing(f"{arch}, {' x '.join(map(str, problem))}")
    rows.append(triton_row(arch, problem, groups) if FLAGS.triton else
                row(arch, problem, FLAGS.most))
    if FLAGS.tuning:
      database.merge(pathlib.Path(FLAGS.tuning), entries(rows[-1:]))
  amd.write((triton_markdown if FLAGS.triton else markdown)(rows), {"rows": rows})
  return 0
