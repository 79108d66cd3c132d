"""Checks the model of exchanges in all interleavings, and that it finds planted faults."""

import pytest

from tests.protocols.exchange import CROSSED, LOOP, NESTED, ONE, Exchanges, explore

RIGHT = {
    "two devices": Exchanges(2),
    "three devices": Exchanges(3),
    "two devices in a loop": Exchanges(2, LOOP),
    "three devices in a loop": Exchanges(3, LOOP),
    "two in flight, the last ends first": Exchanges(2, NESTED),
    "two in flight, the first ends first": Exchanges(2, CROSSED),
    "one of two devices does not come": Exchanges(2, missing=1),
    "one of three devices does not come": Exchanges(3, missing=0),
    "one of two devices fails": Exchanges(2, failing=0),
    "one of three devices fails": Exchanges(3, failing=1),
}

WRONG = {
    **{f"{words}: {fault}": (Exchanges(2, program, faults=(fault,)), text)
       for words, program in (("one", ONE), ("loop", LOOP), ("nested", NESTED))
       for fault, text in (
           ("no wait for the memory", "has old"), ("no wait for the peer's x", "has old"),
           ("no wait for own copies", "has part of"),
           ("no wait for the peers' copies", "memory that is written to"),
           ("no rendezvous of starts", "has old"))},
    "one: no rendezvous of dones": (
        Exchanges(2, faults=("no rendezvous of dones",)), "has another array"),
    "loop: no rendezvous of dones": (
        Exchanges(2, LOOP, faults=("no rendezvous of dones",)), "has x of 1 in 1"),
    "nested: matched by order": (Exchanges(2, NESTED, faults=("matched by order",)), "has old"),
    "a device fails: nobody is told": (
        Exchanges(2, failing=0, faults=("nobody is told",)), "deadlock: host 1"),
    "a device fails: no wait after an error": (
        Exchanges(2, failing=0, faults=("no wait after an error",)), "written freed"),
    "no device comes: no wait after an error": (
        Exchanges(2, missing=1, faults=("no wait after an error",)), "written freed"),
}


@pytest.mark.whole(unless=lambda name: name != "three devices in a loop")
@pytest.mark.parametrize("name", RIGHT)
def test_exchanges_are_right(name):
  report = explore(RIGHT[name])
  assert report.fault is None, "\n".join([report.fault or "", *report.trace])
  assert report.states > 10 and report.ends


@pytest.mark.parametrize("name", WRONG)
def test_a_planted_fault_is_found(name):
  given, text = WRONG[name]
  report = explore(given)
  assert report.fault is not None and text in report.fault and report.trace
