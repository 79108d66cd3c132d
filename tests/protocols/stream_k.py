"""Stream-K's arrival and fix-up (ffi/schedule/fixup.h, atomics.h) as a model.

Workgroups claim the slices of cut tiles at a fixed stride, as StreamKMap cuts them, and add up
their partial sums. Additions are kept as expressions, so the check sees their order: with "linear"
and "tree" it must be the same in every run. `faults` are planted:

  "no release", "no acquire": FetchAddAcqRel without one of its fences
  "arrival not atomic": the counter is loaded and stored
  "shared slots": two tiles that are cut at the same share use the same slots and counters
  "waits for its peers": the first peer waits for the others, as kernels with spinning fix-ups do
"""

from tests.protocols import checker
from tests.protocols.checker import (
  Add,
  Await,
  Did,
  Fault,
  Fence,
  FetchAdd,
  Load,
  Model,
  Read,
  Write,
)


def fetch_add_acq_rel(address: str, faults=()):
  """FetchAddAcqRel of AMD and Hopper: fence, relaxed add, fence."""
  if "no release" not in faults:
    yield Fence("release")
  if "arrival not atomic" in faults:
    before = yield Load(address)
    yield checker.Store(address, before + 1)
  else:
    before = yield FetchAdd(address, 1)
  if "no acquire" not in faults:
    yield Fence("acquire")
  return before


class Slice:
  """The work tile that StreamKMap::Slice gives for an index, where no tile is whole."""

  def __init__(self, index: int, tiles_k: int, cut_tiles: int, num_shares: int, faults=()):
    iterations = cut_tiles * tiles_k
    share_begin = lambda share: share * iterations // num_shares
    share_of = lambda iteration: ((iteration + 1) * num_shares - 1) // iterations
    is_first = index < num_shares
    share = index if is_first else index - num_shares
    begin, end = share_begin(share), share_begin(share + 1)
    self.cut_tile = begin // tiles_k
    tile_end = min((self.cut_tile + 1) * tiles_k, end)
    if is_first:
      end = tile_end
    else:
      begin = tile_end
      self.cut_tile += 1
    self.valid = begin < end
    tile_begin = self.cut_tile * tiles_k
    first_share = share_of(tile_begin)
    self.peer = share - first_share
    self.num_peers = share_of(tile_begin + tiles_k - 1) - first_share + 1
    self.first_slot = first_share + (0 if "shared slots" in faults else self.cut_tile)


def partials(slot: int) -> str:
  return f"partials[{slot}]"


def arrivals(slot: int) -> str:
  return f"arrivals[{slot}]"


def sum_slots(first: int, step: int, count: int):
  total = yield Read(partials(first))
  for i in range(1, count):
    term = yield Read(partials(first + i * step))
    total = (total, term)
  yield Write(partials(first), total)
  return total


def fix_up(tile: Slice, sums, reduction: str, faults=()):
  """FixUp: the complete sums for the workgroup that must store them, else None."""
  if tile.num_peers == 1:
    return sums
  first = tile.first_slot
  if reduction == "atomic":
    yield Add(partials(first), sums)
    before = yield from fetch_add_acq_rel(arrivals(first), faults)
    if before != tile.num_peers - 1:
      return None
    total = yield Read(partials(first))
    return total

  yield Write(partials(first + tile.peer), sums)
  if reduction == "linear":
    before = yield from fetch_add_acq_rel(arrivals(first), faults)
    if "waits for its peers" in faults:
      if tile.peer != 0:
        return None
      yield Await(((arrivals(first), lambda arrived: arrived == tile.num_peers),))
      yield Fence("acquire")
    elif before != tile.num_peers - 1:
      return None
    return (yield from sum_slots(first, 1, tile.num_peers))
  left, span = tile.peer, 1
  while span < tile.num_peers:
    right, left = left | span, left & ~span
    if right < tile.num_peers:
      before = yield from fetch_add_acq_rel(arrivals(first + right), faults)
      if before == 0:
        return None
      yield from sum_slots(first + left, span, 2)
    span *= 2
  total = yield Read(partials(first))
  return total


def in_order(reduction: str, peers: int):
  """The sum of all peers as it must be."""
  if reduction == "atomic":
    return sum(10**peer for peer in range(peers))
  if reduction == "linear":
    total = 0
    for peer in range(1, peers):
      total = (total, peer)
    return total
  slots, span = list(range(peers)), 1
  while span < peers:
    for left in range(0, peers - span, 2 * span):
      slots[left] = slots[left], slots[left + span]
    span *= 2
  return slots[0]


def model(reduction: str, *, workgroups: int, tiles_k: int, cut_tiles: int, num_shares: int,
          resident: int | None = None, faults=()) -> Model:
  """`resident`: the most workgroups that run at once; the next starts when an earlier one ends."""
  slices = [Slice(i, tiles_k, cut_tiles, num_shares, faults) for i in range(2 * num_shares)]
  peers = {tile.cut_tile: tile.num_peers for tile in slices if tile.valid}
  slots = num_shares + cut_tiles - 1
  empty = 0 if reduction == "atomic" else None
  memory = {partials(i): empty for i in range(slots)} | {arrivals(i): 0 for i in range(slots)}
  memory |= {f"out[{tile}]": None for tile in peers} | {"ended": 0}
  resident = resident or workgroups

  def workgroup(number: int):
    if number >= resident:
      yield Await((("ended", lambda ended: ended > number - resident),))
    for index in range(number, len(slices), workgroups):  # StrideClaim
      tile = slices[index]
      if not tile.valid:
        continue
      yield Did(("slice", tile.cut_tile, tile.peer))
      sums = 10**tile.peer if reduction == "atomic" else tile.peer
      total = yield from fix_up(tile, sums, reduction, faults)
      if total is not None:
        yield Did(("tile", tile.cut_tile))
        yield Write(f"out[{tile.cut_tile}]", total)
    yield Add("ended", 1)

  def check(values, done):
    for tile, count in peers.items():
      if ("tile", tile) not in done:
        raise Fault(f"tile {tile} was lost")
      wanted = in_order(reduction, count)
      if values[f"out[{tile}]"] != wanted:
        raise Fault(f"tile {tile} is {values[f'out[{tile}]']}, not {wanted}")
      for peer in range(count):
        if ("slice", tile, peer) not in done:
          raise Fault(f"slice {peer} of tile {tile} was lost")

  actors = {f"workgroup {i}": lambda i=i: workgroup(i) for i in range(workgroups)}
  return Model(memory, actors, check)


def model_of_waves(faults=()) -> Model:
  """Arrive of whole workgroups (ffi/amdgpu/gemm.h, ffi/sm90/gemm.h). One peer has two waves, in
  which one lane adds to the counter for both; the other peer has one wave. They arrive at two
  counters one after the other, as in a tree.

  Planted faults: "no barrier before" or "no barrier after" the add, "no last barrier".
  """
  waves = (2, 1)
  memory: dict = {arrivals(0): 0, arrivals(1): 0}
  for peer, count in enumerate(waves):
    memory |= {f"lds_word {peer}": 0, f"barrier {peer}": 0}
    memory |= {f"partials[{peer}] of wave {wave}": None for wave in range(count)}

  def barrier(peer: int, passed: int):
    if waves[peer] > 1:
      yield Add(f"barrier {peer}", 1, "acq_rel")
      arrived_all = lambda arrived: arrived >= waves[peer] * passed
      yield Await(((f"barrier {peer}", arrived_all),), "acquire")

  def wave(peer: int, number: int):
    yield Write(f"partials[{peer}] of wave {number}", (peer, number))
    passed = 0
    for counter in range(2):
      if "no barrier before" not in faults:
        passed += 1
        yield from barrier(peer, passed)
      if number == 0:
        before = yield from fetch_add_acq_rel(arrivals(counter), faults)
        yield Write(f"lds_word {peer}", before)
      if "no barrier after" not in faults:
        passed += 1
        yield from barrier(peer, passed)
      before = yield Read(f"lds_word {peer}")
      if "no last barrier" not in faults:
        passed += 1
        yield from barrier(peer, passed)
      if before == 1:
        for other in range(waves[1 - peer]):
          yield Read(f"partials[{1 - peer}] of wave {other}")
        yield Did(("added up", counter, number))
    if number == 0:  # the main loop of the next tile uses the same LDS
      yield Write(f"lds_word {peer}", "lhs")

  def check(_, done):
    for counter in range(2):
      if ("added up", counter, 0) not in done:
        raise Fault(f"no peer added up at counter {counter}")

  return Model(memory, {f"peer {peer}, wave {number}": lambda peer=peer, number=number: wave(
      peer, number) for peer, count in enumerate(waves) for number in range(count)}, check)
