"""The order of stores and loads between two CTAs that load rhs for each other, as a model.

multicast.py has the whole protocol, of up to four CTAs, whose steps all see at once. Here stores
are delayed: what the barriers order is ordered by their releases and acquires only. A barrier's
word counts all arrivals since its initialisation, so that a phase is a number of arrivals.
"""

from tests.protocols.checker import Add, Await, Fault, Fence, Model, Read, Write

_CTAS = 2


def model(stages: int, k_tiles: int, faults=()) -> Model:
  """Each CTA loads the first k tile for itself, before the cluster barrier.

  Planted faults: "no cluster barrier" and "no fence after init" (halves are sent to barriers that
  are not initialised), "own releases only" (the producer waits for its own CTA's consumers), "no
  release" and "no acquire" (a stage's reads are not ordered before the next load).
  """
  memory: dict = {"cluster barrier": 0}
  for cta in range(_CTAS):
    memory |= {f"initialised[{cta}]": False, f"lives[{cta}]": True, f"done[{cta}]": 0,
               f"sums[{cta}]": 0}
    for slot in range(stages):
      memory |= {f"full[{cta}][{slot}]": 0, f"empty[{cta}][{slot}]": 0}
      memory |= {f"rhs[{cta}][{slot}][{half}]": None for half in range(_CTAS)}

  def load(cta: int, k_tile: int, half: int):
    """TMA's store of a half into a CTA."""
    slot = k_tile % stages
    yield Read(f"initialised[{cta}]")
    yield Read(f"lives[{cta}]")
    yield Write(f"rhs[{cta}][{slot}][{half}]", k_tile)
    yield Add(f"full[{cta}][{slot}]", 1, "release")

  def producer(me: int):
    yield Write(f"initialised[{me}]", True)  # InitStages
    if "no fence after init" not in faults:
      yield Fence("release")  # FenceMbarrierInit
    for half in range(_CTAS):  # LoadAhead
      yield from load(me, 0, half)
    if "no cluster barrier" not in faults:
      yield Add("cluster barrier", 1)  # BarrierClusterArrive
      yield Await((("cluster barrier", lambda n: n >= _CTAS),), "acquire")
    for k_tile in range(1, k_tiles):  # TmaLoader::Load
      wanted = k_tile // stages * (1 if "own releases only" in faults else _CTAS)
      yield Await(((f"empty[{me}][{k_tile % stages}]", lambda n, w=wanted: n >= w),),
                  "relaxed" if "no acquire" in faults else "acquire")
      for cta in (me, 1 - me):
        yield from load(cta, k_tile, me)
    yield Add(f"done[{me}]", 1, "release")

  def consumer(me: int):
    total = 0
    for k_tile in range(k_tiles):  # SmemMainloop::Run
      slot = k_tile % stages
      wanted = (k_tile // stages + 1) * _CTAS
      yield Await(((f"full[{me}][{slot}]", lambda n, w=wanted: n >= w),), "acquire")
      for half in range(_CTAS):
        loaded = yield Read(f"rhs[{me}][{slot}][{half}]")
        total += loaded == k_tile
      if k_tile < k_tiles - stages:
        for cta in range(_CTAS):
          yield Read(f"lives[{cta}]")
          yield Add(f"empty[{cta}][{slot}]", 1, "relaxed" if "no release" in faults else "release")
    yield Write(f"sums[{me}]", total)
    yield Add(f"done[{me}]", 1, "release")

  def end(me: int):
    """The CTA exits, and another CTA gets its shared memory."""
    yield Await(((f"done[{me}]", lambda n: n == 2),), "acquire")
    yield Write(f"lives[{me}]", False)

  def check(values, done):
    del done
    for cta in range(_CTAS):
      if values[f"sums[{cta}]"] != k_tiles * _CTAS:
        raise Fault(f"halves of CTA {cta} were lost")

  actors = {}
  for cta in range(_CTAS):
    actors |= {f"producer {cta}": lambda cta=cta: producer(cta),
               f"consumer {cta}": lambda cta=cta: consumer(cta),
               f"end of {cta}": lambda cta=cta: end(cta)}
  return Model(memory, actors, check)
