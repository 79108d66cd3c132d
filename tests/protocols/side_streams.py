"""Copies in chunks on side streams, and the join, as models.

`model` is for a GPU: the host enqueues work as SideStreams::Around, Begin and Enqueue do
(ffi/runtime/side_stream.cc), and the three streams run in any order that their events allow.
`model_of_host` is for the CPU (ffi/host/producer.cc), where a thread copies.
"""

from tests.protocols.checker import Await, Did, Fault, Load, Model, Read, Store, Take, Write

_EPOCH = 1
_LIKE_THE_EPOCH = "1 of another array"


class _Streams:
  """The enqueued work: for each stream a list of functions, each a piece of an actor."""

  def __init__(self):
    self.queues = {"XLA's": [], "copies": [], "signals": []}
    self.events = 0

  def record(self, stream: str) -> str:
    name = f"event {self.events}"
    self.events += 1

    def reach():
      yield Store(name, True, "release")

    self.queues[stream].append(reach)
    return name

  def wait(self, stream: str, event: str) -> None:
    def reach():
      yield Await(((event, bool),), "acquire")

    self.queues[stream].append(reach)


def model(chunks: int, *, runs: int = 1, beside_products: bool = True, product: bool = True,
          may_time_out: bool = False, faults=()) -> Model:
  """Runs of a program on one stream, which use the same memory. The source is written on XLA's
  stream, a product reads lhs by chunks, and then the source's memory is written again.

  Args:
    runs: how often the program runs.
    beside_products: whether a copy can run beside a product, because it needs no multiprocessor, or
      the product leaves one free. Else no copy runs while a product waits for chunks.
    product: whether there is a product. Without one only Join begins the copy.
    may_time_out: whether a product may end before all chunks have come.
    faults: "join missing", "no wait for the source", "no wait for the copy" (a copy that needs a
      multiprocessor begins beside the product), "signal before copy" (the signal's stream does not
      wait), "signals not zeroed", "signals stream not joined".
  """
  streams = _Streams()
  memory: dict = {"source": None, "multiprocessor": 1}
  memory |= {f"lhs[{i}]": None for i in range(chunks)}
  memory |= {f"signals[{i}]": 0 for i in range(chunks)}

  def put(stream, piece):
    streams.queues[stream].append(piece)

  def write_source(value):
    def piece():
      yield Write("source", value)
    return piece

  def zero_signals():
    for i in range(chunks):
      yield Store(f"signals[{i}]", 0)

  def copy_chunk(i):
    def piece():
      if not beside_products:
        yield Take("multiprocessor", 1, 0)
      value = yield Read("source")
      yield Write(f"lhs[{i}]", (value, i))
      if not beside_products:
        yield Store("multiprocessor", 1)
    return piece

  def write_word(i):
    def piece():
      yield Store(f"signals[{i}]", _EPOCH, "release")
    return piece

  def run_product(run):
    def piece():
      yield Take("multiprocessor", 1, 0)
      for i in range(chunks):
        arrived = lambda signal: signal in (_EPOCH, _LIKE_THE_EPOCH)
        if (yield Await(((f"signals[{i}]", arrived),), "acquire", may_time_out)) == 1:
          break
        lhs = yield Read(f"lhs[{i}]")
        yield Did(("tile", run, i, lhs))
      yield Store("multiprocessor", 1)
    return piece

  def enqueue():
    event = None
    for i in range(chunks):
      put("copies", copy_chunk(i))
      writer = "copies" if i == chunks - 1 else "signals"
      if writer == "signals" and "signal before copy" not in faults:
        event = streams.record("copies")
        streams.wait(writer, event)
      put(writer, write_word(i))
    event = streams.record("signals")
    if "signals stream not joined" not in faults:
      streams.wait("copies", event)
    return streams.record("copies")

  def begin():
    event = streams.record("XLA's")
    if "no wait for the source" not in faults:
      streams.wait("copies", event)
    event = enqueue()
    if not beside_products and "no wait for the copy" not in faults:
      streams.wait("XLA's", event)
    return event

  def around(launch):
    event = begin()
    launch()
    if "join missing" not in faults:
      streams.wait("XLA's", event)

  for run in range(runs):
    put("XLA's", write_source(("source", run)))
    if "signals not zeroed" not in faults:
      put("XLA's", zero_signals)  # List
    around(lambda: put("XLA's", run_product(run)) if product else None)
    # XLA gives the memory of the source, of lhs and of the signals to other arrays.
    put("XLA's", write_source("another array"))

    def reuse():
      for i in range(chunks):
        yield Write(f"lhs[{i}]", "another array")
        yield Store(f"signals[{i}]", _LIKE_THE_EPOCH)
    put("XLA's", reuse)

  memory |= {f"event {i}": False for i in range(streams.events)}

  def actor(queue):
    for piece in queue:
      yield from piece()

  def check(values, done):
    wanted = {("tile", run, i, (("source", run), i))
              for run in range(runs) for i in range(chunks)} if product else set()
    if done - wanted or wanted - done and not may_time_out:
      raise Fault(f"tiles that are wrong: {sorted(done - wanted)}, lost: {sorted(wanted - done)}")
    for i in range(chunks):
      if values[f"signals[{i}]"] != _LIKE_THE_EPOCH:
        raise Fault(f"signal {i} was written when its memory was another array's")

  return Model(memory, {f"{name} stream": lambda queue=queue: actor(queue)
                        for name, queue in streams.queues.items()}, check)


def model_of_host(chunks: int, *, runs: int = 2, product: bool = True, may_time_out: bool = False,
                  faults=()) -> Model:
  """Runs on the CPU with the same memory: the program lists a copy, a product's call begins it on a
  thread, and the join waits for it. Where there is no product, the join copies.

  Planted faults: "join missing", "taken without mutex" (product and join may both take the copy),
  "copy not counted" (a product's call does not wait for the end of the copy; if it ends by its time
  limit and there is no join, memory is used again while it is copied to).
  """
  memory: dict = {"mutex": 0, "listed": None, "running": None, "notified": None, "source": None}
  memory |= {f"{name} {run}": 0 for run in range(runs)
             for name in ("called", "thread", "copied", "product", "joined")}
  memory |= {f"lhs[{i}]": None for i in range(chunks)}
  memory |= {f"signals[{i}]": 0 for i in range(chunks)}

  def lock():
    yield Take("mutex", 0, 1)

  def unlock():
    yield Store("mutex", 0, "release")

  def has(name: str, run: int):
    return Await(((f"{name} {run}", bool),), "acquire")

  def copy_chunks(run: int):
    for i in range(chunks):
      value = yield Read("source")
      yield Write(f"lhs[{i}]", (value, i))
      yield Store(f"signals[{i}]", _EPOCH, "release")
    yield Did(("copy", run))

  def take(run: int):
    if "taken without mutex" in faults:
      found = yield Load("listed")
      if found == run:
        yield Store("listed", None)
        yield Store("running", run)
      return found == run
    yield from lock()
    found = yield Read("listed")
    if found == run:
      yield Write("listed", None)
      yield Write("running", run)
      yield Store("notified", run)
    yield from unlock()
    return found == run

  def end():
    if "taken without mutex" in faults:
      yield Store("running", None)
      return
    yield from lock()
    yield Write("running", None)
    yield Store("notified", None)
    yield from unlock()

  def program():
    for run in range(runs):
      yield Write("source", ("source", run))
      for i in range(chunks):  # ListHostCopy
        yield Store(f"signals[{i}]", 0)
      if "taken without mutex" in faults:
        yield Store("listed", run)
      else:
        yield from lock()
        yield Write("listed", run)
        yield from unlock()
      yield Store(f"called {run}", 1, "release")
      if product:
        yield has("product", run)
      if "join missing" not in faults:
        yield has("joined", run)
      yield Write("source", "another array")
      for i in range(chunks):
        yield Write(f"lhs[{i}]", "another array")

  def product_call(run: int):
    yield has("called", run)
    taken = yield from take(run)  # BeginHostCopy
    if taken:
      yield Store(f"thread {run}", 1, "release")
    for i in range(chunks):
      arrived = lambda signal: signal == _EPOCH
      if (yield Await(((f"signals[{i}]", arrived),), "acquire", may_time_out)) == 1:
        break
      lhs = yield Read(f"lhs[{i}]")
      yield Did(("tile", run, i, lhs))
    if taken and "copy not counted" not in faults:
      yield has("copied", run)  # the promise counts the copy's end, too
    yield Store(f"product {run}", 1, "release")

  def thread(run: int):
    yield Await(((f"thread {run}", bool), (f"joined {run}", bool)), "acquire")
    if not (yield Load(f"thread {run}")):
      return  # there is no such thread: the join has copied
    yield from copy_chunks(run)
    yield from end()
    yield Store(f"copied {run}", 1, "release")

  def join(run: int):
    yield has("called", run)
    if (yield from take(run)):
      yield from copy_chunks(run)
      yield from end()
    elif "taken without mutex" in faults:
      yield Await((("running", lambda running: running != run),), "acquire")
    else:
      while True:
        yield from lock()
        running = yield Read("running")
        yield from unlock()
        if running != run:
          break
        yield Await((("notified", lambda running: running != run),))  # the condition variable
    yield Store(f"joined {run}", 1, "release")

  def check(_, done):
    wanted = {("copy", run) for run in range(runs)}
    if product:
      wanted |= {("tile", run, i, (("source", run), i))
                 for run in range(runs) for i in range(chunks)}
    if done - wanted or wanted - done and not may_time_out:
      raise Fault(f"wrong: {sorted(done - wanted)}, lost: {sorted(wanted - done)}")

  actors = {"program": program}
  for run in range(runs):
    if product:
      actors |= {f"product {run}": lambda run=run: product_call(run),
                 f"thread {run}": lambda run=run: thread(run)}
    if "join missing" not in faults:
      actors[f"join {run}"] = lambda run=run: join(run)
  return Model(memory, actors, check)
