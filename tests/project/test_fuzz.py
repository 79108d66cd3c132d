"""The fuzzers (tests/support/fuzz): they run some cases of each kind, and find planted faults."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import emulator
from jaxgemm.tune import database
from tests.support import virtual_rocm
from tests.support.fuzz import __main__ as fuzz
from tests.support.fuzz import api, calls, files, planted
from tests.support.fuzz.outcome import first_fault

CASES = {"api": 50, "calls": 100, "files": 120, "computations": 20}


@pytest.mark.parametrize("kind", CASES)
def test_some_cases(kind):
  counts, faults = fuzz.fuzz([kind], CASES[kind], seed=20261129)
  assert not faults
  assert sum(counts.values()) == CASES[kind]
  # Some cases are refused, and some are accepted.
  refused = sum(count for key, count in counts.items() if key.endswith("refused"))
  assert CASES[kind] / 10 < refused < CASES[kind] * 9 / 10


@virtual_rocm.needs_plugin
@pytest.mark.parametrize("arch", [
    "gfx942", pytest.param("gfx950", marks=pytest.mark.whole)])
def test_some_cases_on_virtual_devices(arch):
  counts, faults = fuzz.fuzz([arch], 4, seed=20261128)
  assert not faults and sum(counts.values()) == 4


@virtual_rocm.needs_plugin
@pytest.mark.whole
def test_100_000_cases():
  counts, faults = fuzz.fuzz(fuzz.KINDS, 100_000, seed=1)
  assert not faults and sum(counts.values()) == 100_000


def test_crashes_and_hangs_are_faults_of_one_case():
  seed, cases = 237, 9
  kinds = [planted.kind_of(np.random.default_rng([seed, len("planted"), number]))
           for number in range(cases)]
  assert set(kinds) == set(planted.KINDS)
  counts, faults = fuzz.fuzz(["planted"], cases, seed, limit=10)
  wanted = {f"--first={i} " for i, kind in enumerate(kinds) if kind != "right"}
  assert {next(x for x in wanted if x in fault) for fault in faults} == wanted
  assert len(faults) == len(wanted)
  assert counts == {"planted: right": kinds.count("right"), "planted: fault": len(wanted)}


def plant(monkeypatch, change) -> None:
  right = jaxgemm.matmul
  monkeypatch.setattr(jaxgemm, "matmul", lambda **given: change(right, **given))
  monkeypatch.setattr(api, "_MAKERS", ((api._matmul, 1),))


def test_a_wrong_element_is_a_fault(monkeypatch):
  plant(monkeypatch, lambda right, **given: right(**given).at[..., :1].add(1000))
  assert "elements are wrong" in first_fault(api.run, 20, seed=1)


def test_a_lost_nan_is_a_fault(monkeypatch):
  plant(monkeypatch, lambda right, **given: jnp.nan_to_num(right(**given)))
  assert "not nan" in first_fault(api.run, 200, seed=1)


@pytest.mark.parametrize("error", [ValueError("something is wrong"), RuntimeError("schedule"),
                                   jax.errors.JaxRuntimeError("INTERNAL: schedule")])
def test_a_bad_refusal_is_a_fault(monkeypatch, error):
  def change(right, **given):
    if given.get("schedule") not in (None, "persistent", "work_stealing", "stream_k"):
      raise error
    return right(**given)

  plant(monkeypatch, change)
  assert "schedule is wrong" in first_fault(api.run, 400, seed=1)


def test_an_accepted_option_without_meaning_is_a_fault(monkeypatch):
  known = (None, "relu", "gelu", "silu")

  def change(right, **given):
    if given.get("activation") not in known:
      given["activation"] = None
    return right(**given)

  plant(monkeypatch, change)
  assert "no activation" in first_fault(api.run, 400, seed=1)


def test_a_call_that_ignores_an_attribute_is_a_fault(monkeypatch):
  right = calls._run
  monkeypatch.setattr(calls, "_run", lambda target, args, results, attrs, aliases=None: right(
      target, args, results, attrs | ({"activation": "none"} if "activation" in attrs else {}),
      aliases))
  assert "elements are wrong" in first_fault(calls.run, 200, seed=1)


def test_an_error_of_the_emulator_without_words_is_a_fault(monkeypatch):
  def launch(*args, **given):
    raise emulator.EmulationError("")

  monkeypatch.setattr(emulator, "launch", launch)
  assert "has no text" in first_fault(files.run, 200, seed=1)


@pytest.mark.filterwarnings("ignore:The tuning file")
@pytest.mark.parametrize("where, name, change, words", [
    (jaxgemm, "matmul", lambda right: lambda *args, **given: right(*args, **given) + 1,
     "the product is wrong"),
    (database, "load", lambda right: lambda path: 1 / 0, "ZeroDivisionError"),
    (database, "merge", lambda right: lambda path, entries: right(path, {}), "KeyError"),
])
def test_a_tuning_file_that_does_harm_is_a_fault(monkeypatch, where, name, change, words):
  monkeypatch.setattr(where, name, change(getattr(where, name)))
  assert words in first_fault(files.run, 40, seed=1)


@pytest.mark.parametrize("where, name, change, words", [
    (database, "read", lambda right: lambda path: (right(path)[0], ""), "is lost"),
    (database, "read", lambda right: lambda path: 1 / 0, "traceback"),
    (files.command, "main", lambda right: lambda given: 0, "succeeded without the file"),
])
def test_a_command_that_loses_files_is_a_fault(monkeypatch, where, name, change, words):
  monkeypatch.setattr(where, name, change(getattr(where, name)))
  assert words in first_fault(files._run_command, 60, seed=1)
