"""Checks the models of this folder in all interleavings and with delayed stores: the protocols
between workgroups, CTAs, streams and threads are right, and with a planted fault they are not."""

import pytest

from tests.protocols import (
  chunk_signals,
  cluster_split_k,
  multicast_order,
  side_streams,
  stealing,
  stream_k,
)
from tests.protocols.checker import (
  Await,
  CompareExchange,
  Fault,
  Fence,
  Load,
  Model,
  Read,
  Store,
  Write,
  explore,
)

TWO_TILES = dict(workgroups=3, tiles_k=3, cut_tiles=2, num_shares=3)
FOUR_PEERS = dict(workgroups=4, tiles_k=4, cut_tiles=1, num_shares=4)

RIGHT = {
    **{f"stream-K {reduction}, {words}": stream_k.model(reduction, **given)
       for reduction in ("linear", "tree", "atomic")
       for words, given in {
           "three peers": dict(workgroups=3, tiles_k=3, cut_tiles=1, num_shares=3),
           "two tiles": TWO_TILES,
           "two tiles, one workgroup at a time": TWO_TILES | dict(resident=1),
           "two tiles, two workgroups at a time": TWO_TILES | dict(resident=2),
           "four shares of two tiles": dict(workgroups=2, tiles_k=3, cut_tiles=2, num_shares=4),
           "four peers on two workgroups": FOUR_PEERS | dict(workgroups=2),
       }.items()},
    **{f"stream-K {reduction}, four peers": stream_k.model(reduction, **FOUR_PEERS)
       for reduction in ("linear", "tree")},
    "arrival of waves": stream_k.model_of_waves(),
    **{f"stealing, {words}": stealing.model(**given)
       for words, given in {
           "two queues": dict(workgroups=2, queues=2, size=4, claim_ahead=False),
           "two queues, claimed ahead": dict(workgroups=2, queues=2, size=4, claim_ahead=True),
           "more queues than workgroups": dict(workgroups=2, queues=3, size=4, claim_ahead=True),
           "more workgroups than tiles": dict(workgroups=3, queues=2, size=2, claim_ahead=True),
           "one queue": dict(workgroups=3, queues=1, size=3, claim_ahead=False),
           "an empty queue": dict(workgroups=2, queues=3, size=2, claim_ahead=False),
       }.items()},
    "mailbox": stealing.model_of_mailbox(slots=2, size=5),
    "mailbox of one slot": stealing.model_of_mailbox(slots=1, size=3),
    **{f"chunks, {words}": chunk_signals.model(**given)
       for words, given in {
           "all come": dict(workgroups=2, chunks=3),
           "from a pivot": dict(workgroups=2, chunks=3, pivot=2),
           "any may be late": dict(workgroups=3, chunks=3, pivot=1, may_time_out=True),
           "the first never comes": dict(workgroups=3, chunks=3, missing=0),
           "the second never comes": dict(workgroups=2, chunks=3, missing=1),
       }.items()},
    "order of two workgroups": chunk_signals.model_of_order(workgroups=2),
    "order of three workgroups": chunk_signals.model_of_order(workgroups=3),
    "cluster split-K of two": cluster_split_k.model(2, 2),
    "cluster split-K of three": cluster_split_k.model(3, 1),
    "cluster split-K of four": cluster_split_k.model(4, 1),
    "order of multicast": multicast_order.model(2, 3),
    **{f"side streams, {words}": side_streams.model(**given)
       for words, given in {
           "one run": dict(chunks=3),
           "two runs": dict(chunks=3, runs=2),
           "two runs that may be late": dict(chunks=2, runs=2, may_time_out=True),
           "no multiprocessor is free": dict(chunks=2, runs=2, beside_products=False),
           "no product": dict(chunks=2, runs=2, product=False),
       }.items()},
    "host's copy": side_streams.model_of_host(2),
    "host's copy, late": side_streams.model_of_host(1, may_time_out=True),
    "host's copy without a product": side_streams.model_of_host(2, product=False),
}

UNSEEN = "does not see the last write"
WRONG = {
    **{f"stream-K {reduction}: {fault}": (stream_k.model(
        reduction, **TWO_TILES, faults=(fault,)), text)
       for reduction in ("linear", "tree", "atomic")
       for fault, text in (("no release", UNSEEN), ("no acquire", UNSEEN),
                           ("arrival not atomic", "was lost"))},
    **{f"stream-K {reduction}: shared slots": (stream_k.model(
        reduction, **TWO_TILES, faults=("shared slots",)), UNSEEN)
       for reduction in ("linear", "tree")},
    "stream-K linear: waits for its peers": (stream_k.model(
        "linear", **TWO_TILES, resident=1, faults=("waits for its peers",)), "deadlock"),
    **{f"arrival of waves: {fault}": (stream_k.model_of_waves((fault,)), text)
       for fault, text in (
           ("no release", UNSEEN), ("no acquire", UNSEEN), ("no barrier before", UNSEEN),
           ("no barrier after", "may still read"), ("no last barrier", "may still read"))},
    **{f"stealing: {fault}": (stealing.model(
        workgroups=2, queues=3, size=4, claim_ahead=True, faults=(fault,)), text)
       for fault, text in (("claim not atomic", "done twice"), ("one too many", "done twice"),
                           ("others not visited", "were lost"))},
    "mailbox: no wait for empty": (stealing.model_of_mailbox(
        slots=2, size=3, faults=("no wait for empty",)), "may still read"),
    "mailbox: no fence before full": (stealing.model_of_mailbox(
        slots=2, size=3, faults=("no fence before full",)), UNSEEN),
    **{f"chunks: {fault}": (chunk_signals.model(
        workgroups=2, chunks=3, pivot=1, faults=(fault,)), text)
       for fault, text in (("epoch not compared", "may still read"), ("no acquire", UNSEEN),
                           ("no release", UNSEEN), ("other row", UNSEEN))},
    **{f"chunks: {fault}": (chunk_signals.model(
        workgroups=2, chunks=3, missing=1, faults=(fault,)), text)
       for fault, text in (("no status", "the status is 0"), ("unlimited", "deadlock"))},
    "order: stored": (chunk_signals.model_of_order(workgroups=2, faults=("stored",)),
                      "done twice"),
    **{f"cluster split-K: {fault}": (cluster_split_k.model(2, 2, (fault,)), UNSEEN)
       for fault in ("bytes not expected", "no cluster barrier", "no fence after init",
                     "no wait")},
    **{f"order of multicast: {fault}": (multicast_order.model(2, 3, faults=(fault,)), text)
       for fault, text in (
           ("no cluster barrier", UNSEEN), ("no fence after init", UNSEEN),
           ("own releases only", "may still read"), ("no release", "may still read"),
           ("no acquire", "may still read"))},
    **{f"side streams: {fault}": (side_streams.model(
        2, runs=2, may_time_out=True, faults=(fault,)), text)
       for fault, text in (
           ("join missing", "may still read"), ("no wait for the source", UNSEEN),
           ("signal before copy", UNSEEN), ("signals not zeroed", UNSEEN),
           ("signals stream not joined", "another array's"))},
    "side streams: join missing without a product": (side_streams.model(
        2, product=False, faults=("join missing",)), UNSEEN),
    "side streams: no wait for the copy": (side_streams.model(
        2, beside_products=False, faults=("no wait for the copy",)), "deadlock"),
    "host's copy: join missing": (side_streams.model_of_host(
        1, product=False, faults=("join missing",)), "lost"),
    "host's copy: taken without mutex": (side_streams.model_of_host(
        1, faults=("taken without mutex",)), "deadlock"),
    "host's copy: copy not counted": (side_streams.model_of_host(
        2, may_time_out=True, faults=("join missing", "copy not counted")), "may still read"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_protocol_is_right(name):
  report = explore(RIGHT[name], most=50_000)
  assert report.fault is None, "\n".join([report.fault or "", *report.trace])
  assert report.states > 5 and report.ends


@pytest.mark.parametrize("name", WRONG)
def test_a_planted_fault_is_found(name):
  model, text = WRONG[name]
  report = explore(model, most=50_000)
  assert report.fault is not None and text in report.fault
  assert report.trace or report.states == 0


# Tests of the memory by known examples: all allowed outcomes must happen, and no others.


def outcomes(memory, **actors):
  """All ends of a small program: the sets of values that its actors noted."""
  seen = set()

  def check(values, _):
    seen.add(tuple(value for name, value in values.items() if name.startswith("r")))

  report = explore(Model(memory, actors, check))
  return seen if report.fault is None else report.fault


def both(first, second):
  """Message passing. `first`: how the writer stores the flag; `second`: how the reader loads it."""
  def writer():
    yield Store("x", 1)
    if first == "fence":
      yield Fence("release")
    yield Store("flag", 1, "release" if first == "release" else "relaxed")

  def reader():
    flag = yield Load("flag", "acquire" if second == "acquire" else "relaxed")
    if second == "fence":
      yield Fence("acquire")
    x = yield Load("x")
    yield Store("r", (flag, x))

  return outcomes({"x": 0, "flag": 0, "r": None}, writer=writer, reader=reader)


@pytest.mark.parametrize("first", ["release", "fence", "relaxed"])
@pytest.mark.parametrize("second", ["acquire", "fence", "relaxed"])
def test_stores_are_delayed_unless_released_and_acquired(first, second):
  ordered = {((0, 0),), ((0, 1),), ((1, 1),)}
  is_ordered = "relaxed" not in (first, second)
  assert both(first, second) == (ordered if is_ordered else ordered | {((1, 0),)})


def test_both_stores_may_be_delayed_past_the_loads():
  def actor(mine, other, result):
    def run():
      yield Store(mine, 1, "release")
      seen = yield Load(other, "acquire")
      yield Store(result, seen)
    return run

  seen = outcomes({"x": 0, "y": 0, "r1": None, "r2": None},
                  a=actor("x", "y", "r1"), b=actor("y", "x", "r2"))
  assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_location_has_one_order():
  def writer():
    yield Store("x", 1)
    yield Store("x", 2)

  def reader():
    first = yield Load("x")
    second = yield Load("x")
    yield Store("r", (first, second))

  seen = outcomes({"x": 0, "r": None}, writer=writer, reader=reader)
  assert seen == {((a, b),) for a in range(3) for b in range(a, 3)}


def test_one_of_two_exchanges_wins():
  def actor(value, result):
    def run():
      seen = yield CompareExchange("x", 0, value)
      yield Store(result, seen)
    return run

  seen = outcomes({"x": 0, "r1": None, "r2": None}, a=actor(1, "r1"), b=actor(2, "r2"))
  assert seen == {(0, 1), (2, 0)}


def test_unordered_plain_accesses_are_faults():
  def writer():
    yield Write("x", 1)
    yield Store("flag", 1)

  def reader():
    yield Await((("flag", bool),), "acquire")
    yield Read("x")

  assert "does not see" in outcomes({"x": 0, "flag": 0}, writer=writer, reader=reader)

  def late_writer():
    yield Await((("flag", bool),), "acquire")
    yield Write("x", 1)

  def early_reader():
    yield Read("x")
    yield Store("flag", 1)

  assert "may still read" in outcomes({"x": 0, "flag": 0}, a=late_writer, b=early_reader)


def test_what_nobody_ends_is_a_deadlock():
  def actor():
    yield Await((("x", bool),))

  def check(*_):
    raise Fault("it ended")

  assert "deadlock: a waits for x" in str(explore(Model({"x": 0}, {"a": actor}, check)).fault)
