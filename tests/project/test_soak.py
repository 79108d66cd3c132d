"""The soak (tests/support/soak.py): it runs a few cases, and finds planted faults."""

import collections
import contextlib

import jax
import numpy as np
import pytest

import jaxgemm
from tests.support import soak

MACHINE = soak.Machine("jaxgemm", 1e5)


def test_some_cases_are_right():
  run = soak.Soak(MACHINE, seed=1, repeats=2)
  for number in range(10):
    run.run(number)
  assert not run.faults
  assert run.counts["dense cases"] and run.counts["chunked cases"]
  # A refused case calls no kernel, so it must be rare.
  assert run.counts["refused"] <= 2
  # Results were in fact written over the donated NaN; there are two calls for each repetition.
  assert run.counts["poisoned results"] >= 4 * run.counts["dense cases"]


@contextlib.contextmanager
def planted(monkeypatch, change):
  """dot_general with results changed by `change`."""
  right = jaxgemm.dot_general
  monkeypatch.setattr(jaxgemm, "dot_general", lambda *args, **kw: change(right(*args, **kw)))
  yield


def element(out):
  return out.at[..., -1, -1].add(1000)


def missing(out):
  return out.at[..., 0, 0].set(np.nan)


@pytest.mark.parametrize("change", [element, missing])
def test_a_wrong_element_is_a_fault(monkeypatch, change):
  case = soak.dense(np.random.default_rng([5, 0]), MACHINE)._replace(reproducible=True)
  counts = collections.Counter()
  soak.run_case(case, 1, counts)
  with planted(monkeypatch, change), pytest.raises(soak.Wrong, match="elements are wrong"):
    soak.run_case(case, 1, counts)


def test_other_bits_are_a_fault():
  calls = iter(range(100))
  case = soak.Case(
      "other bits", lambda x: x + jax.pure_callback(
          lambda: np.float32(next(calls) * 1e-6), jax.ShapeDtypeStruct((), np.float32)),
      lambda: ((np.ones(8, np.float32),), np.ones(8), np.full(8, 1e-3)), True)
  with pytest.raises(soak.Wrong, match="different bits"):
    soak.run_case(case, 1, collections.Counter())


def test_memory_written_beside_the_arrays_is_a_fault():
  around = soak.Surroundings()
  around.put([np.zeros(8, np.float32)])
  around.check("nothing written")
  margin = np.full(soak.MARGIN_BYTES, 0xFF, np.uint8)
  margin[-1] = 0
  around._margins[0] = jax.device_put(margin)
  with pytest.raises(soak.Wrong, match="beside the arrays"):
    around.check("one byte written")
