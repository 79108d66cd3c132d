"""Blocks that devices of one process copy from each other between a start and a done, as a model.

The model has what PeerStreams::Start and Done (ffi/runtime/peer_streams.cc) and Rendezvous
(ffi/runtime/rendezvous.cc) do. Each device has a host thread and two streams, XLA's and that of the
copies. Host threads enqueue; streams run what is enqueued, in any order that their events allow. An
event is as the driver's: a wait that is enqueued before the event is recorded waits for nothing.

Every device writes its x, starts an exchange of it, and after the done reads all blocks and writes
to both memories again. A copy has two steps, so that a write to what it reads, or a read of what it
writes, may fall between them.

Steps that commute with all others are taken at once: an event that is reached stays reached, and
devices that have come have come.
"""

from typing import Any, NamedTuple

from tests.protocols.checker import Fault, Report
from tests.protocols.state_search import search

# What the host threads of the devices do, by the memory that an exchange uses. A memory that is
# started again is that of the step before in a loop.
ONE = (("start", 0), ("done", 0))
LOOP = ONE * 2
NESTED = (("start", 0), ("start", 1), ("done", 1), ("done", 0))
CROSSED = (("start", 0), ("start", 1), ("done", 0), ("done", 1))


class Exchanges(NamedTuple):
  """What is explored.

  Attributes:
    devices: how many there are.
    program: pairs of "start" or "done" and the number of the memory.
    missing: a device that never comes. The others' time limits end their calls.
    failing: a device whose driver fails when it enqueues its copies.
    faults: what is left out or done wrongly.
  """
  devices: int
  program: tuple = ONE
  missing: int | None = None
  failing: int | None = None
  faults: tuple[str, ...] = ()


class _State(NamedTuple):
  """The first four have an entry for each device.

  Attributes:
    at: the host thread's next step.
    xla, copies: what is enqueued.
    started: pairs of memory and exchange, of the starts without a done so far.
    recorded: the events that host threads have recorded: triples of a name, a device and an
      exchange.
    reached: the events that streams have reached.
    memory: pairs of a place, such as ("x", device, memory), and its value.
    met: for each exchange, how far each device came: 1 arrived, 2 its copies are enqueued; "error"
      if it has given up.
  """
  at: tuple
  xla: tuple
  copies: tuple
  started: tuple
  recorded: frozenset
  reached: frozenset
  memory: tuple
  met: tuple


def _with(values: tuple, i: int, value) -> tuple:
  return (*values[:i], value, *values[i + 1:])


class _Model:

  def __init__(self, given: Exchanges):
    self.given = given
    self.ranks = range(given.devices)
    # The steps of a host thread: (what it does, number of the exchange, memory).
    self.host: list[tuple[str, int, int]] = []
    count, open_ones = 0, {}
    for what, memory in given.program:
      if what == "start":
        open_ones[memory] = count
        names = "record", "arrive", "copy", "copied"
        count += 1
      else:
        names = "leave", "wait", "use"
      self.host += [(name, open_ones[memory], memory) for name in names]
    self.count = count

  def initial(self) -> _State:
    each = lambda value: (value,) * self.given.devices
    memory = {("x", i, m): "old" for i in self.ranks for m in (0, 1)}
    memory |= {("received", i, m, j): "old" for i in self.ranks for m in (0, 1)
               for j in self.ranks}
    return _State(each(0), each(()), each(()), each(()), frozenset(), frozenset(),
                  tuple(sorted(memory.items())), (each(0),) * self.count)

  def has(self, fault: str) -> bool:
    return fault in self.given.faults

  # Each returns a state after a change.

  def enqueue(self, state: _State, stream: str, i: int, *work) -> _State:
    queues = getattr(state, stream)
    return state._replace(**{stream: _with(queues, i, queues[i] + work)})

  def record(self, state: _State, stream: str, i: int, event: tuple) -> _State:
    state = state._replace(recorded=state.recorded | {event})
    return self.enqueue(state, stream, i, ("reach", event))

  def wait(self, state: _State, stream: str, i: int, event: tuple) -> _State:
    return self.enqueue(state, stream, i, ("wait", event)) if event in state.recorded else state

  def come(self, state: _State, number: int, i: int, step: Any) -> _State:
    return state._replace(met=_with(state.met, number, _with(state.met[number], i, step)))

  def fail(self, state: _State, number: int, i: int) -> _State:
    """The device gives up this exchange and waits for its copies; then its program has ended."""
    if not self.has("nobody is told"):
      state = self.come(state, number, i, "error")
    return state._replace(at=_with(state.at, i, "failed"))

  def host_steps(self, state: _State, i: int):
    """(text, state) of the steps that the host thread may take."""
    given = self.given
    at = state.at[i]
    if at == "failed":
      if not state.copies[i] or self.has("no wait after an error"):
        state = state._replace(at=_with(state.at, i, "ended"))
        # XLA gives the memory to other programs.
        freed = {place: "freed" for place, _ in state.memory
                 if place[0] == "received" and place[1] == i}
        yield f"host {i} frees its memory", self.written(state, freed)
      return
    if at == "ended" or at == len(self.host) or i == given.missing:
      return
    what, number, memory = self.host[at]
    text = f"host {i}: {what} of exchange {number}"
    after = state._replace(at=_with(state.at, i, at + 1))
    if what == "record":
      after = self.enqueue(after, "xla", i, ("write", memory, number))
      after = self.record(after, "xla", i, ("ready", i, number))
      if not self.has("no wait for the memory"):
        after = self.wait(after, "copies", i, ("ready", i, number))
      after = self.enqueue(after, "copies", i, ("begin", i, memory), ("end", i, memory))
      yield text, self.come(after, number, i, 1)
    elif what in ("arrive", "leave"):
      if what == "leave":
        number = self.started(state, i, memory)[1]
      steps = state.met[number]
      needed = 1 if what == "arrive" else 2
      alone = self.has(f"no rendezvous of {'starts' if what == 'arrive' else 'dones'}")
      if "error" in steps or given.missing is not None and 0 in steps:
        yield text + " fails", self.fail(state, number, i)
      elif all(step >= needed for step in steps) or alone:
        yield text, after
    elif what == "copy":
      if i == given.failing:
        yield text + " fails", self.fail(state, number, i)
        return
      for step in range(1, given.devices):
        peer = (i + step) % given.devices
        if not self.has("no wait for the peer's x"):
          after = self.wait(after, "copies", i, ("ready", peer, number))
        after = self.enqueue(after, "copies", i, ("begin", peer, memory), ("end", peer, memory))
      yield text, self.record(after, "copies", i, ("copied", i, number))
    elif what == "copied":
      if any(x[0] == memory for x in state.started[i]):
        raise Fault(f"host {i} has two starts of memory {memory}")
      after = after._replace(
          started=_with(after.started, i, (*after.started[i], (memory, number))))
      yield text, self.come(after, number, i, 2)
    elif what == "wait":
      entry = self.started(state, i, memory)
      after = after._replace(
          started=_with(after.started, i, tuple(x for x in after.started[i] if x != entry)))
      for rank in self.ranks:
        whose = "own" if rank == i else "the peers'"
        if not self.has(f"no wait for {whose} copies"):
          after = self.wait(after, "xla", i, ("copied", rank, entry[1]))
      yield text, after
    else:
      yield text, self.enqueue(after, "xla", i, ("read", memory, number), ("reuse", memory))

  def started(self, state: _State, i: int, memory: int) -> tuple[int, int]:
    """The start that a done finds: (memory, exchange)."""
    if self.has("matched by order"):
      return state.started[i][0]
    return next(x for x in state.started[i] if x[0] == memory)

  def written(self, state: _State, values: dict) -> _State:
    return state._replace(memory=tuple(sorted((dict(state.memory) | values).items())))

  def stream_step(self, state: _State, stream: str, i: int):
    """(text, the state after the stream's next piece of work), or None if it has to wait."""
    queues = getattr(state, stream)
    if not queues[i]:
      return None
    (kind, *work), *rest = queues[i]
    after = state._replace(**{stream: _with(queues, i, tuple(rest))})
    values = dict(state.memory)
    if kind == "reach":
      after = after._replace(reached=after.reached | {*work})
    elif kind == "wait":
      if work[0] not in state.reached:
        return None
    elif kind == "write":
      memory, number = work
      after = self.written(after, {("x", i, memory): f"x of {i} in {number}"})
    elif kind == "begin":
      of, memory = work
      place = "received", i, memory, of
      if values[place] == "freed":
        raise Fault(f"device {i} copies to memory that is freed")
      after = self.written(after, {place: f"part of {values['x', of, memory]}"})
    elif kind == "end":
      of, memory = work
      value = values["x", of, memory]
      if values["received", i, memory, of] != f"part of {value}":
        raise Fault(f"device {i} copies from or to a memory that is written to: it reads {value} "
                    f"and has written {values['received', i, memory, of]}")
      after = self.written(after, {("received", i, memory, of): value})
    elif kind == "read":
      memory, number = work
      for of in self.ranks:
        value = values["received", i, memory, of]
        if value != f"x of {of} in {number}":
          raise Fault(f"device {i} has {value} of device {of}")
    else:
      memory, = work
      after = self.written(after, {
          ("x", i, memory): "another array",
          **{("received", i, memory, of): "another array" for of in self.ranks}})
    return f"{stream} of {i}: {kind} {work}", after

  def steps(self, state: _State):
    for stream in ("xla", "copies"):
      for i in self.ranks:
        queue = getattr(state, stream)[i]
        if queue and queue[0][0] in ("reach", "wait"):
          step = self.stream_step(state, stream, i)
          if step is not None:
            yield step
            return
    if self.given.missing is None and self.given.failing is None:
      for i in self.ranks:
        at = state.at[i]
        if at < len(self.host) and self.host[at][0] in ("arrive", "leave", "use"):
          for step in self.host_steps(state, i):
            yield step
            return
    for i in self.ranks:
      yield from self.host_steps(state, i)
      for stream in ("xla", "copies"):
        step = self.stream_step(state, stream, i)
        if step is not None:
          yield step

  def check_end(self, state: _State) -> None:
    given = self.given
    broken = given.missing is not None or given.failing is not None
    for i in self.ranks:
      if i == given.missing:
        continue
      if state.at[i] != ("ended" if broken else len(self.host)):
        raise Fault(f"deadlock: host {i} is at {state.at[i]}")
      if state.xla[i] or state.copies[i]:
        raise Fault(f"deadlock: device {i} has {(*state.xla[i], *state.copies[i])}")
      if not broken and state.started[i]:
        raise Fault(f"device {i} has starts without a done: {state.started[i]}")


def explore(given: Exchanges) -> Report:
  model = _Model(given)
  return search(model.initial(), model.steps, model.check_end)
