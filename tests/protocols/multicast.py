"""The stages of a Hopper cluster whose CTAs load operands for each other (multicast), as a model.

The model has what the code does, and where:

* ffi/sm90/loaders.h: MulticastGroup (which CTAs load for each other), InitStages (how many arrivals
  end a phase), TileBoxes (a box outside of an operand is not loaded), TmaLoader::LoadAhead (the
  first k tiles, which each CTA loads for itself before the cluster barrier), TmaLoader::Load.
* ffi/sm90/mainloop.h: SmemMainloop::Run and Release. A stage is released when the next one of the
  tile is full, and a tile's last stage at its end.
* ffi/sm90/gemm_dense.h: DenseWorkgroup::Run. A CTA exits without a cluster barrier, so the last
  stages, which are not loaded again, are not released. In the forms of gemm.h clusters are the two
  CTAs of a tile of 256 rows, which release all stages and end with a cluster barrier
  (`last_barrier`).
* ffi/sm90/pingpong.h: with `ping_pong` each consumer has every other tile, and may begin it when
  the other one has waited for all its stages.

A barrier is mbarrier's: a phase ends when as many arrivals and as many boxes (the code counts their
bytes) have come as it expects, and a wait compares the phase's parity. A consumer is what arrives
once: a warp.

Steps are whole where that hides nothing: a producer waits for its stage, expects its boxes and
issues them in one step, because issued boxes may land at any later time; a consumer waits for a
stage and releases the one before in one step, because nobody sees that it waited earlier.

With `late_data` and `late_arrivals` each box and each release comes at any time after it was sent.
Without these it comes at once. Then there are far fewer states, and all orders of the other steps
are still there: what comes late only lets the one that waits for it go on later, because no barrier
runs a phase ahead of that one. This is checked in all states.

What is sent before a cluster barrier is taken to have come after it. For the first barrier
FenceMbarrierInit sees to that. For the last one of gemm.h PTX does not promise it, because
BarrierClusterArrive is relaxed.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from tests.protocols.checker import Fault, Report
from tests.protocols.state_search import search


class Tiles(NamedTuple):
  """The work tiles that the CTAs of a cluster compute at the same time.

  Attributes:
    rows: how many halves of each tile row are inside of lhs. 0: its tiles are outside of out.
    columns: the same for the tile columns, and rhs.
  """
  rows: tuple[int, ...]
  columns: tuple[int, ...]


def all_tiles(cluster_m: int, cluster_n: int) -> list[Tiles]:
  """All that the plan allows (MayMulticast in plan/hopper/forms.cc): out ends anywhere in the
  cluster, but has not one tile of four."""
  halves = {1: [(2,), (1,)], 2: [(2, 2), (2, 1), (2, 0), (1, 0)]}
  return [Tiles(rows, columns)
          for rows, columns in product(halves[cluster_m], halves[cluster_n])
          if cluster_m * cluster_n < 4 or rows[-1] or columns[-1]]


class MulticastGroup:
  """loaders.h's MulticastGroup, in the same arithmetic."""

  def __init__(self, rank: int, cluster_m: int, cluster_n: int):
    self.of_rhs, self.of_lhs = cluster_m, cluster_n
    self.in_rhs = rank & (self.of_rhs - 1)
    self.in_lhs = (rank >> 1 if self.of_rhs == 2 else rank) & (self.of_lhs - 1)
    self.first = rank - self.in_lhs * self.of_rhs - self.in_rhs

  def ranks(self) -> list[int]:
    """Rank(i) of all i below count()."""
    return [self.first + (self.in_lhs * self.of_rhs + i if i < self.of_rhs else
                          (self.in_lhs ^ 1) * self.of_rhs + self.in_rhs)
            for i in range(self.of_rhs + self.of_lhs - 1)]

  def rhs_mask(self) -> int:
    return ((1 << self.of_rhs) - 1) << (self.first + self.in_lhs * self.of_rhs)

  def lhs_mask(self) -> int:
    return (1 | 1 << self.of_rhs) << (self.first + self.in_rhs)


class _State:
  """A state, to be changed by a step. A list has one number for each CTA, consumer or stage, in the
  order of the CTAs.

  Attributes:
    loaded: k tiles that each producer has loaded; -1: the CTA has not started.
    passed: steps that each consumer has done.
    empty: arrivals at each stage's `empty` since its initialisation.
    phases, missing_arrivals, missing_boxes: of each `full`: phases that have ended, and what the
      current one waits for.
    boxes: for each box of each stage: 2 k + 1 of k tile k is under way, 2 k + 2 has landed.
    sent: arrivals on their way to each `empty`.
  """
  __slots__ = ("loaded", "passed", "empty", "phases", "missing_arrivals", "missing_boxes", "boxes",
               "sent")

  def __init__(self, *lists):
    (self.loaded, self.passed, self.empty, self.phases, self.missing_arrivals, self.missing_boxes,
     self.boxes, self.sent) = map(list, lists)

  def frozen(self) -> tuple:
    return (*map(tuple, (self.loaded, self.passed, self.empty, self.phases, self.missing_arrivals,
                         self.missing_boxes, self.boxes, self.sent)),)


_BOXES = 4  # of a stage: two halves of lhs, two of rhs


def _ranks(mask: int) -> list[int]:
  return [rank for rank in range(mask.bit_length()) if mask >> rank & 1]


class Cluster(NamedTuple):
  """A model.

  Attributes:
    tiles: the work tiles, one after the other.
    k_tiles: of each work tile.
    ahead: k tiles that each CTA loads for itself, before the first cluster barrier.
    consumers: of a CTA.
    peers: CTAs that share a tile, each with a part of its k. They load nothing for each other.
    released_in_all: each CTA of 2 x 2 tiles also releases its stages in the one that has neither
      its rows nor its columns. The code does not do so. With it, three tiles may be outside of out.
    faults: planted faults.
  """
  cluster_m: int
  cluster_n: int
  tiles: tuple[Tiles, ...]
  k_tiles: int
  stages: int
  ahead: int = 1
  consumers: int = 1
  ping_pong: bool = False
  peers: int = 1
  last_barrier: bool = False
  released_in_all: bool = False
  late_data: bool = False
  late_arrivals: bool = False
  faults: tuple[str, ...] = ()


class _Model:

  def __init__(self, cluster: Cluster):
    self.of = cluster
    self.total = len(cluster.tiles) * cluster.k_tiles
    self.ctas = range(cluster.cluster_m * cluster.cluster_n * cluster.peers)
    self.stages, self.consumers = cluster.stages, range(cluster.consumers)
    first = "all as the first" in cluster.faults
    self.groups = [MulticastGroup(0 if first else cta, cluster.cluster_m, cluster.cluster_n)
                    for cta in self.ctas]
    # Where a CTA's releases go to.
    self.released_in = [self._released_in(cta) for cta in self.ctas]
    count = len(self.ctas) if cluster.released_in_all else len(self.groups[0].ranks())
    count -= "one release less counted" in cluster.faults
    self.arrivals = count * (1 if cluster.ping_pong else cluster.consumers)
    self.loads = [[self._loads(cta, k) for k in range(self.total)] for cta in self.ctas]
    self.wanted = [[self._wanted(cta, k) for k in range(self.total)] for cta in self.ctas]
    releases_all = cluster.last_barrier or "all released" in cluster.faults
    last = self.total - (0 if releases_all else self.stages)
    self.programs = [self._program(consumer, last) for consumer in self.consumers]
    # For each consumer, and each number of steps that it has done: the least k tile of each stage
    # that it has not waited for, and that it has not read to the end.
    self.next_wait = [self._least(program, 0) for program in self.programs]
    self.unread = [self._least(program, 1) for program in self.programs]

  def _released_in(self, cta: int) -> list[int]:
    group, faults = self.groups[cta], self.of.faults
    ranks = [*self.ctas] if self.of.released_in_all else group.ranks()
    if "no release to the same rows" in faults:
      ranks = ranks[:group.of_rhs]
    return ranks * (2 if "released twice" in faults else 1)

  def _halves(self, cta: int, k: int) -> tuple[int, int]:
    tiles, group = self.of.tiles[k // self.of.k_tiles], self.groups[cta]
    return tiles.rows[group.in_rhs], tiles.columns[group.in_lhs]

  def _wanted(self, cta: int, k: int) -> list[int]:
    """The boxes that the CTA reads of a k tile."""
    of_lhs, of_rhs = self._halves(cta, k)
    return [*range(of_lhs), *range(2, 2 + of_rhs)]

  def _loads(self, cta: int, k: int) -> list[tuple[int, int]]:
    """(CTA, box) for each box that the CTA loads of a k tile, and each CTA that it loads it to."""
    group, loads = self.groups[cta], []
    for box in self._wanted(cta, k):
      of_lhs = box < 2
      count = group.of_lhs if of_lhs else group.of_rhs
      mask = group.lhs_mask() if of_lhs else group.rhs_mask()
      if of_lhs and "lhs to all" in self.of.faults:
        mask = (1 << len(self.ctas)) - 1
      if k < self._ahead(cta) or count == 1:
        loads.append((cta, box))
      elif box % 2 == (group.in_lhs if of_lhs else group.in_rhs):
        loads += [(to, box) for to in _ranks(mask)]
    return loads

  def _ahead(self, cta: int) -> int:
    return 0 if cta == 1 and "one CTA loads none ahead" in self.of.faults else self.of.ahead

  def _program(self, consumer: int, last: int) -> list[tuple]:
    """A consumer's steps: the k tile that it waits for, the one that it has then read, and whether
    it releases that. Each of the first two may be None."""
    steps: list[tuple] = []
    for tile in range(len(self.of.tiles)):
      if self.of.ping_pong and tile % 2 != consumer:
        continue
      first = tile * self.of.k_tiles
      for k in range(first, first + self.of.k_tiles):
        steps.append((k, k - 1 if k > first else None, first < k <= last))
      steps.append((None, k, k < last))
    return steps

  def _least(self, program: list[tuple], place: int) -> list[list[int]]:
    """[steps done][stage]: the least k tile at this place of the steps that are left."""
    least = [[self.total + self.stages] * self.stages]
    for step in reversed(program):
      k, after = step[place], least[0]
      if k is not None:
        after = [*after]
        after[k % self.stages] = k
      least.insert(0, after)
    return least

  def initial(self) -> tuple:
    ctas, stages = len(self.ctas), len(self.ctas) * self.stages
    return _State([-1] * ctas, [0] * ctas * len(self.consumers), [0] * stages, [0] * stages,
                  [1] * stages, [0] * stages, [0] * stages * _BOXES, [0] * stages).frozen()

  def _place(self, cta: int, k: int) -> int:
    return cta * self.stages + k % self.stages

  def _consumer(self, cta: int, consumer: int) -> int:
    return cta * len(self.consumers) + consumer

  def _least_of(self, cta: int, state: _State, which: list[list[list[int]]], stage: int) -> int:
    """The least k tile of a stage, of all consumers of a CTA."""
    return min(which[consumer][state.passed[self._consumer(cta, consumer)]][stage]
               for consumer in self.consumers)

  def _have_started(self, state: _State, cta: int) -> bool:
    """Whether the CTA's threads have passed the first cluster barrier."""
    if "no cluster barrier" in self.of.faults:
      return state.loaded[cta] >= self._ahead(cta)
    return all(loaded >= self._ahead(other) for other, loaded in enumerate(state.loaded))

  # What a step does.

  def _end_phase(self, state: _State, cta: int, stage: int) -> None:
    """Ends the phase of a `full` barrier, if all has come that it expects."""
    at = self._place(cta, stage)
    if state.missing_arrivals[at] or state.missing_boxes[at]:
      return
    state.phases[at] += 1
    state.missing_arrivals[at] = 1
    next_wait = self._least_of(cta, state, self.next_wait, stage)
    if state.phases[at] > next_wait // self.stages + 1:
      raise Fault(f"stage {stage} of CTA {cta} is full again before its consumers have seen it")

  def _land(self, state: _State, cta: int, k: int, box: int) -> None:
    at = self._place(cta, k)
    state.boxes[at * _BOXES + box] = 2 * k + 2
    state.missing_boxes[at] -= 1
    self._end_phase(state, cta, k % self.stages)

  def _arrive(self, state: _State, cta: int, stage: int) -> None:
    """A release arrives at an `empty` barrier."""
    at = self._place(cta, stage)
    state.empty[at] += 1
    loaded = state.loaded[cta]
    next_load = loaded + (stage - loaded) % self.stages
    if state.empty[at] // self.arrivals > next_load // self.stages:
      raise Fault(f"stage {stage} of CTA {cta} is empty again before its producer has seen it")

  def _load(self, state: _State, cta: int, k: int) -> None:
    """Expects the boxes of a k tile, and issues those that this CTA loads."""
    state.loaded[cta] += 1
    own = sum(to == cta for to, _ in self.loads[cta][k])
    at = self._place(cta, k)
    state.missing_arrivals[at] -= 1
    state.missing_boxes[at] += (own if "own boxes expected" in self.of.faults else
                                len(self.wanted[cta][k]))
    self._end_phase(state, cta, k % self.stages)
    for to, box in self.loads[cta][k]:
      if state.loaded[to] < 0:
        raise Fault(f"CTA {cta} loads to CTA {to}, whose barriers are not initialised")
      unread = self._least_of(to, state, self.unread, k % self.stages)
      if unread < k:
        raise Fault(f"CTA {cta} loads k tile {k} to CTA {to}, which still reads k tile {unread}")
      state.boxes[self._place(to, k) * _BOXES + box] = 2 * k + 1
      if not self.of.late_data:
        self._land(state, to, k, box)

  def _release(self, state: _State, cta: int, k: int) -> None:
    for to in self.released_in[cta]:
      if self.of.late_arrivals:
        state.sent[self._place(to, k)] += 1
      else:
        self._arrive(state, to, k % self.stages)

  # The steps.

  def _produce(self, state: _State, cta: int) -> str | None:
    """The producer's next step. None: it waits, or has ended."""
    k = state.loaded[cta]
    if k == self.total:
      return None
    if k < 0:
      state.loaded[cta] = 0
      return f"CTA {cta} initialises its barriers"
    if k >= self._ahead(cta):
      parity = k // self.stages & 1 ^ 1
      phases = state.empty[self._place(cta, k)] // self.arrivals
      waits = phases & 1 == parity and "no wait for empty" not in self.of.faults
      if waits or not self._have_started(state, cta):
        return None
    self._load(state, cta, k)
    self._check_exit(state, cta)
    return f"CTA {cta} loads k tile {k}"

  def _is_turn(self, state: _State, cta: int, consumer: int, k: int) -> bool:
    """PingPongTurns: whether the other consumer has waited for all stages of the tiles before."""
    if not self.of.ping_pong or k % self.of.k_tiles:
      return True
    passed = state.passed[self._consumer(cta, 1 - consumer)]
    return all(waited is None or waited > k for waited, *_ in self.programs[1 - consumer][passed:])

  def _consume(self, state: _State, cta: int, consumer: int) -> str | None:
    """A consumer's next step. None: it waits, or has ended."""
    number = self._consumer(cta, consumer)
    passed = state.passed[number]
    if passed == len(self.programs[consumer]):
      return None
    k, read, releases = self.programs[consumer][passed]
    if k is not None:
      at, parity = self._place(cta, k), k // self.stages & 1
      if (not self._have_started(state, cta) or not self._is_turn(state, cta, consumer, k) or
          state.phases[at] & 1 == parity):
        return None
      if any(state.boxes[at * _BOXES + box] != 2 * k + 2 for box in self.wanted[cta][k]):
        raise Fault(f"CTA {cta} reads k tile {k}, of which not all boxes have landed")
    state.passed[number] += 1
    if releases:
      self._release(state, cta, read)
    self._check_exit(state, cta)
    return (f"consumer {consumer} of CTA {cta}" +
            ("" if k is None else f" waits for k tile {k}") +
            (f" releases k tile {read}" if releases else ""))

  def steps(self, before: tuple) -> Iterator[tuple[str, tuple]]:
    for cta in self.ctas:
      state = _State(*before)
      if text := self._produce(state, cta):
        yield text, state.frozen()
        state = _State(*before)
      for consumer in self.consumers:
        if text := self._consume(state, cta, consumer):
          yield text, state.frozen()
          state = _State(*before)
    state = _State(*before)
    for at, count in enumerate(state.sent):
      if count:
        after, (cta, stage) = _State(*before), divmod(at, self.stages)
        after.sent[at] -= 1
        self._arrive(after, cta, stage)
        yield f"a release of stage {stage} arrives at CTA {cta}", after.frozen()
    for number, box in enumerate(state.boxes):
      if box % 2:
        after, (at, place) = _State(*before), divmod(number, _BOXES)
        self._land(after, at // self.stages, box // 2, place)
        yield f"a box of k tile {box // 2} lands in CTA {at // self.stages}", after.frozen()

  # What must be true in the end.

  def _check_exit(self, state: _State, cta: int) -> None:
    """Checks that nothing comes to a CTA any more, if it exits by this step."""
    if state.loaded[cta] < self.total or self._is_left(state, cta, lambda _: True):
      return
    if self.of.last_barrier and "no last cluster barrier" not in self.of.faults:
      return
    for other in self.ctas:
      loads = self.loads[other][max(state.loaded[other], 0):]
      if any(to == cta for boxes in loads for to, _ in boxes):
        raise Fault(f"CTA {cta} exits, and CTA {other} has not loaded all boxes to it")
      if cta in self.released_in[other] and self._is_left(state, other, lambda step: step[2]):
        raise Fault(f"CTA {cta} exits, and CTA {other} has not released all stages in it")
    first, end = cta * self.stages, (cta + 1) * self.stages
    if any(state.sent[first:end]) or any(
        box % 2 for box in state.boxes[first * _BOXES:end * _BOXES]):
      raise Fault(f"CTA {cta} exits, and boxes or arrivals are on their way to it")

  def _is_left(self, state: _State, cta: int, test: Callable[[tuple], bool]) -> bool:
    """Whether a consumer of the CTA still has such a step to do."""
    return any(test(step) for consumer in self.consumers for step in
               self.programs[consumer][state.passed[self._consumer(cta, consumer)]:])

  def check_end(self, end: tuple) -> None:
    state = _State(*end)
    waiting = [f"the producer of CTA {cta} before k tile {loaded}"
               for cta, loaded in enumerate(state.loaded) if loaded < self.total]
    waiting += [f"a consumer of CTA {cta}" for cta in self.ctas
                if self._is_left(state, cta, lambda _: True)]
    if waiting:
      raise Fault(f"deadlock: {', '.join(waiting)}")
    for cta in self.ctas:
      for stage in range(self.stages):
        at = self._place(cta, stage)
        if (state.empty[at] % self.arrivals or state.missing_arrivals[at] != 1 or
            state.missing_boxes[at]):
          raise Fault(f"a phase of stage {stage} of CTA {cta} has begun and not ended")


def explore(cluster: Cluster) -> Report:
  model = _Model(cluster)
  return search(model.initial(), model.steps, model.check_end)
