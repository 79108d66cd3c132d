"""Stealing queues (StealClaim of ffi/schedule/tile_scheduler.h) and the mailbox by which the first
CTA of a Hopper cluster claims for all (ClusterClaim of ffi/sm90/claim.h), as models."""

from tests.protocols.checker import (
  Await,
  Did,
  Fault,
  Fence,
  FetchAdd,
  Load,
  Model,
  Read,
  Store,
  Write,
)


class StealClaim:
  """The claim of one workgroup; counters are one word for each queue."""

  def __init__(self, num_queues: int, start: int, size: int, faults=()):
    self._num_queues, self._start, self._size, self._faults = num_queues, start, size, faults
    self._visited = self._ticket = 0

  def _queue(self) -> int:
    return (self._start + self._visited) % self._num_queues

  def _begin(self, queue: int) -> int:
    return queue * self._size // self._num_queues

  def _left(self) -> int:
    return self._begin(self._queue() + 1) - self._begin(self._queue())

  def start(self):
    if self._visited >= self._num_queues:
      return
    counter = f"counters[{self._queue()}]"
    if "claim not atomic" in self._faults:
      self._ticket = yield Load(counter)
      yield Store(counter, self._ticket + 1)
    else:
      self._ticket = yield FetchAdd(counter, 1)

  def finish(self):
    """The next index, or None."""
    while self._visited < self._num_queues:
      most = self._left() + ("one too many" in self._faults)
      if self._ticket < most:
        return self._begin(self._queue()) + self._ticket
      self._visited += 1
      while self._visited < self._num_queues:
        taken = yield Load(f"counters[{self._queue()}]")
        if taken < self._left() and "others not visited" not in self._faults:
          break
        self._visited += 1
      yield from self.start()
    return None


def all_done(size: int):
  def check(_, done):
    lost = [i for i in range(size) if ("tile", i) not in done]
    if lost:
      raise Fault(f"tiles {lost} were lost")
  return check


def model(*, workgroups: int, queues: int, size: int, claim_ahead: bool, faults=()) -> Model:
  def workgroup(number: int):
    claim = StealClaim(queues, number % queues, size, faults)
    yield from claim.start()
    while (index := (yield from claim.finish())) is not None:
      if claim_ahead:
        yield from claim.start()
      yield Did(("tile", index))
      if not claim_ahead:
        yield from claim.start()

  return Model({f"counters[{i}]": 0 for i in range(queues)},
               {f"workgroup {i}": lambda i=i: workgroup(i) for i in range(workgroups)},
               all_done(size))


def model_of_mailbox(*, slots: int, size: int, faults=()) -> Model:
  """Two CTAs: rank 0 claims an index and mails it to rank 1. Barriers count their arrivals; a wait
  for phase p is a wait for p + 1 arrivals.

  Planted faults: "no wait for empty", "no fence before full".
  """
  memory: dict = {"counters[0]": 0}
  memory |= {f"{name}[{i}]": 0 for i in range(slots)
             for name in ("claimed_index_full", "claimed_index_empty")}
  memory |= {f"claimed_index[{i}]": None for i in range(slots)}

  def compute(rank, index):
    yield Did(("part", index, rank))

  def first():
    claim = StealClaim(1, 0, size)
    yield from claim.start()
    turn = 0
    while True:
      index = yield from claim.finish()
      slot, phase = turn % slots, turn // slots
      if "no wait for empty" not in faults:
        yield Await(((f"claimed_index_empty[{slot}]", lambda n: n >= phase),), "acquire")
      yield Write(f"claimed_index[{slot}]", index)  # StSharedCluster
      order = "relaxed"
      if "no fence before full" not in faults:
        yield Fence("release")
      yield FetchAdd(f"claimed_index_full[{slot}]", 1, order)
      turn += 1
      if index is None:
        return
      yield from compute(0, index)
      yield from claim.start()

  def second():
    turn = 0
    while True:
      slot, phase = turn % slots, turn // slots
      yield Await(((f"claimed_index_full[{slot}]", lambda n: n > phase),))
      yield Fence("acquire")
      index = yield Read(f"claimed_index[{slot}]")
      yield FetchAdd(f"claimed_index_empty[{slot}]", 1, "release")
      turn += 1
      if index is None:
        return
      yield from compute(1, index)

  def check(_, done):
    lost = [(i, rank) for i in range(size) for rank in (0, 1) if ("part", i, rank) not in done]
    if lost:
      raise Fault(f"parts {lost} were lost")

  return Model(memory, {"rank 0": first, "rank 1": second}, check)
