"""Chunk signals (ChunkSignals of ffi/schedule/tile_scheduler.h) as models: waiting for a chunk with
an epoch and a time limit, and the agreement of all workgroups on an order of tiles (GroupM)."""

from tests.protocols.checker import (
  Await,
  CompareExchange,
  Did,
  Fault,
  Fence,
  Load,
  Model,
  Read,
  Store,
  Write,
)

EPOCH, EPOCH_BEFORE = 2, 1


def wait(place: int, may_time_out: bool, faults=()):
  """ChunkSignals::Wait; the result says whether the chunk has arrived."""
  has_arrived = lambda signal: signal == EPOCH
  if "epoch not compared" in faults:
    has_arrived = lambda signal: signal != 0
  seen = yield Await(((f"signals[{place}]", has_arrived), ("status", lambda status: status != 0)),
                     may_time_out=may_time_out)
  if seen == 0:
    if "no acquire" not in faults:
      yield Fence("acquire")
    return True
  if seen == 2 and "no status" not in faults:
    yield Store("status", place + 1)
  return False


def model(*, workgroups: int, chunks: int, pivot: int = 0, missing: int | None = None,
          may_time_out: bool = False, faults=()) -> Model:
  """A product with one row of tiles for each chunk. At first, signals and lhs are an earlier run's.

  Args:
    missing: a chunk that never comes.
    faults: "epoch not compared", "no acquire", "no release" (of the producer), "other row" (a
      workgroup waits for another row than it computes), "no status" (a late chunk is not
      reported), "unlimited" (a wait has no time limit).
  """
  may_time_out = (may_time_out or missing is not None) and "unlimited" not in faults
  memory: dict = {"status": 0}
  memory |= {f"signals[{i}]": EPOCH_BEFORE for i in range(chunks)}
  memory |= {f"lhs[{i}]": "old" for i in range(chunks)}
  memory |= {f"out[{i}]": None for i in range(chunks)}

  def producer():
    for chunk in range(chunks):
      if chunk == missing:
        continue
      yield Write(f"lhs[{chunk}]", ("new", chunk))
      order = "relaxed" if "no release" in faults else "release"
      yield Store(f"signals[{chunk}]", EPOCH, order)

  def workgroup(number: int):
    for index in range(number, chunks, workgroups):
      row = (index + pivot) % chunks
      place = index if "other row" in faults else row
      if not (yield from wait(place, may_time_out, faults)):
        return
      lhs = yield Read(f"lhs[{row}]")
      yield Did(("tile", row))
      yield Write(f"out[{row}]", lhs)

  def check(values, done):
    lost = [i for i in range(chunks) if ("tile", i) not in done]
    if lost and values["status"] == 0:
      raise Fault(f"tiles {lost} were lost, and the status is 0")
    if not may_time_out and values["status"] != 0:
      raise Fault("the status is not 0 although all chunks came")
    for i in range(chunks):
      if i not in lost and values[f"out[{i}]"] != ("new", i):
        raise Fault(f"tile {i} was computed of {values[f'out[{i}]']}")

  actors = {f"workgroup {i}": lambda i=i: workgroup(i) for i in range(workgroups)}
  return Model(memory, {"producer": producer} | actors, check)


def model_of_order(*, workgroups: int, faults=()) -> Model:
  """GroupM: all workgroups must take the same order, or tiles are lost and others are done twice.

  The order by chunks visits the four tiles of two chunks as 0 1 2 3, the grid's as 0 2 1 3.
  Planted fault: "stored" (the order is stored, not exchanged).
  """
  orders = {"by chunk": (0, 1, 2, 3), "all there": (0, 2, 1, 3)}
  memory: dict = {"order": 0, "signals[0]": 0, "signals[1]": 0}

  def producer():
    for chunk in range(2):
      yield Store(f"signals[{chunk}]", 1, "release")

  def workgroup(number: int):
    seen = yield Load("order")
    if seen == 0:
      mine = "all there"
      for chunk in range(2):
        if (yield Load(f"signals[{chunk}]")) != 1:
          mine = "by chunk"
          break
      if "stored" in faults:
        yield Store("order", mine)
      else:
        seen = yield CompareExchange("order", 0, mine)
      if seen == 0:
        seen = mine
    for index in range(number, 4, workgroups):
      yield Did(("tile", orders[seen][index]))

  def check(_, done):
    if len(done) != 4:
      raise Fault(f"only {sorted(done)} were done")

  actors = {f"workgroup {i}": lambda i=i: workgroup(i) for i in range(workgroups)}
  return Model(memory, {"producer": producer} | actors, check)
