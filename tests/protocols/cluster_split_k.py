"""Split-K across a Hopper cluster (ffi/sm90/cluster_split_k.h, gemm_dense.h) as a model.

Each peer sends fragments to their owners by st.async. This is a store, and then a count of bytes on
the owner's barrier, at any later time; so each is an actor of its own. The barrier's word has its
arrivals and its bytes, because a phase ends when both are complete.
"""

from tests.protocols.checker import Add, Await, Did, Fault, Fence, Model, Read, Write

_ARRIVAL = 1000  # an arrival in the barrier's word; below it are the bytes that have not come


def model(peers: int, owners: int, faults=()) -> Model:
  """`owners`: the number of peers that own fragments.

  Planted faults: "bytes not expected" (the owner's arrival expects no bytes), "no cluster barrier"
  and "no fence after init" (fragments are sent to barriers that are not initialised), "no wait"
  (the owner adds up, and exits, before all fragments have come).
  """
  others = {owner: [peer for peer in range(peers) if peer != owner] for owner in range(owners)}
  memory: dict = {"cluster barrier": 0}
  memory |= {f"sent[{peer}]": 0 for peer in range(peers)}
  for owner in range(owners):
    memory |= {f"partials_ready[{owner}]": 0, f"initialised[{owner}]": False, f"out[{owner}]": None}
    memory |= {f"received[{owner}] from {peer}": None for peer in others[owner]}

  def cta(me: int):
    owns = me < owners
    if owns:
      yield Write(f"initialised[{me}]", True)  # InitBarriers
    if "no fence after init" not in faults:
      yield Fence("release")  # FenceMbarrierInit
    if "no cluster barrier" not in faults:
      yield Add("cluster barrier", 1)  # BarrierClusterArrive
      yield Await((("cluster barrier", lambda n: n >= peers),), "acquire")  # BarrierClusterWait
    expected = 0 if "bytes not expected" in faults else peers - 1
    if owns:
      yield Add(f"partials_ready[{me}]", _ARRIVAL + expected)  # Expect
    yield Add(f"sent[{me}]", 1, "release")  # Send
    if not owns:
      return
    if "no wait" not in faults:
      yield Await(((f"partials_ready[{me}]", lambda word: word == _ARRIVAL),), "acquire")  # Wait
    total: object = "zero"
    for peer in range(peers):  # AddUp, in peer order
      term = me
      if peer != me:
        term = yield Read(f"received[{me}] from {peer}")
      total = (total, term)
    yield Did(("share", me))
    yield Write(f"out[{me}]", total)
    # The CTA exits, and another CTA gets its shared memory.
    for peer in others[me]:
      yield Write(f"received[{me}] from {peer}", "another CTA's")

  def st_async(sender: int, owner: int):
    yield Await(((f"sent[{sender}]", lambda n: n == 1),), "acquire")
    yield Read(f"initialised[{owner}]")
    yield Write(f"received[{owner}] from {sender}", sender)
    yield Add(f"partials_ready[{owner}]", -1, "release")

  def check(values, done):
    wanted: object = "zero"
    for peer in range(peers):
      wanted = (wanted, peer)
    for me in range(owners):
      if ("share", me) not in done:
        raise Fault(f"the share of peer {me} was lost")
      if values[f"out[{me}]"] != wanted:
        raise Fault(f"the share of peer {me} is {values[f'out[{me}]']}")

  actors = {f"peer {i}": lambda i=i: cta(i) for i in range(peers)}
  actors |= {f"st.async of {i} to {owner}": lambda i=i, owner=owner: st_async(i, owner)
             for owner in range(owners) for i in others[owner]}
  return Model(memory, actors, check)
