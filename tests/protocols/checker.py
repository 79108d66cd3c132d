"""A model checker: runs all interleavings of a few actors on a memory with delayed stores.

An actor is a generator that yields operations and gets their results, so a model reads like the
C++ that it stands for. A state is a tuple; states that were seen before are not explored again.

The memory has the release and acquire of C++11 without fences of order seq_cst, which is weaker
than x86. Each location keeps all values that were stored to it, in one order. An actor has a view:
for each location the oldest value that it may still read. So a store may be delayed for each reader
separately, as by a store buffer or by an L2 that is not coherent. A release stores the actor's view
with its value, and an actor that acquires the value gets the view. An atomic add reads the newest
value. Loads are not moved after later stores (the code has no place where that could matter: each
store after a load depends on it or comes after a fence).

Plain reads and writes must be ordered by releases and acquires; an unordered pair is a fault. One
example is a read of partial sums before they are written. Such a pair is found in whichever order
its two operations run. So plain operations need no interleaving of their own, and run at once.
"""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

Actor = Generator[Any, Any, None]


class Write(NamedTuple):
  """A plain store."""
  location: str
  value: Any


class Read(NamedTuple):
  """A plain load; the result is the value."""
  location: str


class Fence(NamedTuple):
  order: str  # "release" or "acquire"


class Did(NamedTuple):
  """Notes that something was done which must be done exactly once."""
  what: Any


class Store(NamedTuple):
  """An atomic store; order is "relaxed" or "release"."""
  location: str
  value: Any
  order: str = "relaxed"


class Load(NamedTuple):
  """An atomic load of any value that the actor may still read."""
  location: str
  order: str = "relaxed"


class FetchAdd(NamedTuple):
  """An atomic add; the result is the old value."""
  location: str
  value: int
  order: str = "relaxed"


class Add(NamedTuple):
  """An atomic add without a result."""
  location: str
  value: int
  order: str = "relaxed"


class CompareExchange(NamedTuple):
  """An atomic compare-exchange of relaxed order; the result is the old value."""
  location: str
  expected: Any
  value: Any


class Await(NamedTuple):
  """Polls until one of the tests is true of a loaded value; the result is the test's index.

  With `may_time_out` the poll may also end at any time; the result is then the number of tests.
  """
  tests: tuple[tuple[str, Callable[[Any], bool]], ...]
  order: str = "relaxed"
  may_time_out: bool = False


_PLAIN = (Write, Read, Fence, Did)


class Take(NamedTuple):
  """Waits until the newest value is `expected`, and stores `value`: a mutex, or a resource."""
  location: str
  expected: Any
  value: Any


class Fault(Exception):
  """The model did what it must never do."""


class Model(NamedTuple):
  """Attributes:
    memory: the initial values, which all actors see.
    actors: functions that make the actors.
    check: check(values, done) raises Fault if an end is wrong. It gets the newest values, and all
      that was given to Did.
  """
  memory: dict[str, Any]
  actors: dict[str, Callable[[], Actor]]
  check: Callable[[dict[str, Any], frozenset], None]


class Report(NamedTuple):
  """`fault` is None or a text; `trace` has the steps that lead to it."""
  states: int
  ends: int
  fault: str | None
  trace: tuple[str, ...]


class _Place(NamedTuple):
  messages: tuple[tuple[Any, tuple | None], ...]  # values with the views that a reader may acquire
  reads: tuple[int, ...]  # when each actor last read it by a plain load


class _Running(NamedTuple):
  """An actor: the results that it got, its view, and the views of its two kinds of fences."""
  results: tuple
  view: tuple[int, ...]
  acquirable: tuple[int, ...]
  released: tuple[int, ...]


def _join(a, b):
  return a if a == b else tuple(map(max, a, b))


def _places(operation) -> str:
  if isinstance(operation, Await):
    return " or ".join(location for location, _ in operation.tests)
  return operation.location


class _Explorer:

  def __init__(self, model: Model):
    self._model = model
    self._names = list(model.actors)
    self._index = {name: i for i, name in enumerate(model.memory)}
    self._next: dict[tuple, Any] = {}

  def _operation(self, actor: int, results: tuple):
    """The actor's next operation after these results, or None at its end."""
    key = actor, results
    if key not in self._next:
      running, given = self._model.actors[self._names[actor]](), iter(results)
      try:
        operation = next(running)
        for _ in results:
          operation = running.send(next(given))
      except StopIteration:
        operation = None
      self._next[key] = operation
    return self._next[key]

  def initial(self):
    actors, places = len(self._names), len(self._index)
    view = (0,) * (places + actors)
    memory = tuple(_Place(((value, view),), (0,) * actors)
                   for value in self._model.memory.values())
    running = tuple(_Running((), view, view, view) for _ in self._names)
    state = memory, running, frozenset()
    for actor in range(actors):
      state = self.plain(state, actor, [])
    return state

  def _stored(self, memory, at: int, me: _Running, value, view):
    place = memory[at]
    now = me.view[:at] + (len(place.messages),) + me.view[at + 1:]
    if view is not None:
      view = view[:at] + (len(place.messages),) + view[at + 1:]
    place = place._replace(messages=(*place.messages, (value, view)))
    return memory[:at] + (place,) + memory[at + 1:], me._replace(view=now)

  def plain(self, state, actor: int, steps: list[str]):
    """The state after the actor's plain operations, up to one that is atomic."""
    memory, running, done = state
    me = running[actor]
    while True:
      operation = self._operation(actor, me.results)
      if operation is None or not isinstance(operation, _PLAIN):
        break
      result = None
      if isinstance(operation, Fence):
        if operation.order == "release":
          me = me._replace(released=me.view)
        else:
          me = me._replace(view=_join(me.view, me.acquirable))
      elif isinstance(operation, Did):
        steps.append(f"{self._names[actor]}: {operation}")
        if operation.what in done:
          raise Fault(f"{operation.what} was done twice")
        done |= {operation.what}
      else:
        at = self._index[operation.location]
        place = memory[at]
        steps.append(f"{self._names[actor]}: {operation}")
        if me.view[at] != len(place.messages) - 1:
          raise Fault(f"{self._names[actor]} does not see the last write of "
                      f"{operation.location}: {operation}")
        if isinstance(operation, Read):
          result = place.messages[-1][0]
          clock = len(self._index) + actor
          me = me._replace(view=me.view[:clock] + (me.view[clock] + 1,) + me.view[clock + 1:])
          reads = place.reads[:actor] + (me.view[clock],) + place.reads[actor + 1:]
          memory = memory[:at] + (place._replace(reads=reads),) + memory[at + 1:]
        else:
          seen = me.view[len(self._index):]
          for other, (mine, theirs) in enumerate(zip(seen, place.reads)):
            if mine < theirs and other != actor:
              raise Fault(f"{self._names[actor]} writes {operation.location} while "
                          f"{self._names[other]} may still read it")
          memory, me = self._stored(memory, at, me, operation.value, None)
      me = me._replace(results=(*me.results, result))
    return memory, running[:actor] + (me,) + running[actor + 1:], done

  def _seen(self, me: _Running, at: int, time: int, message, order: str) -> _Running:
    """The actor after it has read a message."""
    view = me.view[:at] + (max(me.view[at], time),) + me.view[at + 1:]
    me = me._replace(view=view)
    if message[1] is None:
      return me
    me = me._replace(acquirable=_join(me.acquirable, message[1]))
    if order in ("acquire", "acq_rel"):
      me = me._replace(view=_join(me.view, message[1]))
    return me

  def steps(self, state):
    """([text], the state after it, actor) for each atomic step that is possible."""
    memory, running, _ = state
    for actor in range(len(running)):
      me = running[actor]
      operation = self._operation(actor, me.results)
      if operation is None:
        continue
      for text, (memory_after, me_after), result in self._outcomes(memory, me, operation):
        me_after = me_after._replace(results=(*me.results, result))
        after = (memory_after, running[:actor] + (me_after,) + running[actor + 1:], state[2])
        steps = [f"{self._names[actor]}: {text}"]
        yield steps, after, actor

  def _readable(self, memory, me: _Running, at: int):
    messages = memory[at].messages
    for time in range(me.view[at], len(messages)):
      yield time, messages[time]

  def _outcomes(self, memory, me: _Running, operation):
    if isinstance(operation, Await):
      for number, (location, test) in enumerate(operation.tests):
        at = self._index[location]
        for time, message in self._readable(memory, me, at):
          if test(message[0]):
            after = self._seen(me, at, time, message, operation.order)
            yield f"sees {location} = {message[0]}", (memory, after), number
      if operation.may_time_out:
        yield "times out", (memory, me), len(operation.tests)
      return
    at = self._index[operation.location]
    messages = memory[at].messages
    last = len(messages) - 1
    if isinstance(operation, Load):
      for time, message in self._readable(memory, me, at):
        after = self._seen(me, at, time, message, operation.order)
        yield f"{operation} -> {message[0]}", (memory, after), message[0]
    elif isinstance(operation, Store):
      view = me.view if operation.order == "release" else me.released
      yield str(operation), self._stored(memory, at, me, operation.value, view), None
    elif isinstance(operation, (FetchAdd, Add)):
      old, old_view = messages[last]
      after = self._seen(me, at, last, messages[last], operation.order)
      view = after.view if operation.order in ("release", "acq_rel") else after.released
      # What an earlier release gave stays with the location through later adds.
      view = _join(view, old_view)
      yield (f"{operation} -> {old}",
             self._stored(memory, at, after, old + operation.value, view),
             old if isinstance(operation, FetchAdd) else None)
    elif isinstance(operation, CompareExchange):
      for time, message in self._readable(memory, me, at):
        if message[0] != operation.expected:
          after = self._seen(me, at, time, message, "relaxed")
          yield f"{operation} -> {message[0]}", (memory, after), message[0]
      if messages[last][0] == operation.expected:
        after = self._seen(me, at, last, messages[last], "relaxed")
        view = _join(after.released, messages[last][1])
        yield (f"{operation} -> {operation.expected}, exchanged",
               self._stored(memory, at, after, operation.value, view), operation.expected)
    elif isinstance(operation, Take):
      if messages[last][0] == operation.expected:
        after = self._seen(me, at, last, messages[last], "acquire")
        yield str(operation), self._stored(memory, at, after, operation.value, after.released), None
    else:
      raise TypeError(f"{operation!r} is no operation")

  def at_end(self, state) -> None:
    """Raises Fault unless this state, which has no next step, is a right end."""
    memory, running, done = state
    waiting = {self._names[i]: operation for i, me in enumerate(running)
               if (operation := self._operation(i, me.results)) is not None}
    if waiting:
      raise Fault("deadlock: " + ", ".join(
          f"{name} waits for {_places(operation)}" for name, operation in waiting.items()))
    values = {name: memory[at].messages[-1][0] for name, at in self._index.items()}
    self._model.check(values, done)


def explore(model: Model, most: int = 2_000_000) -> Report:
  """Runs the model in all ways; stops at the first fault.

  Raises:
    ValueError: there are more than `most` states.
  """
  explorer = _Explorer(model)
  steps: list[str] = []
  ends = 0
  came_from: dict[Any, tuple[Any, list[str]] | None] = {}
  state = None
  try:
    state = explorer.initial()
    came_from[state] = None
    left = [state]
    while left:
      state = left.pop()
      is_end = True
      for steps, after, actor in explorer.steps(state):
        is_end = False
        after = explorer.plain(after, actor, steps)
        if after not in came_from:
          came_from[after] = state, steps
          left.append(after)
      steps = []
      if is_end:
        ends += 1
        explorer.at_end(state)
      if len(came_from) > most:
        raise ValueError(f"there are more than {most} states; make the model smaller.")
  except Fault as fault:
    trace = [*reversed(steps)]
    while state is not None and came_from.get(state) is not None:
      state, before = came_from[state]
      trace += reversed(before)
    return Report(len(came_from), ends, str(fault), tuple(reversed(trace)))
  return Report(len(came_from), ends, None, ())
