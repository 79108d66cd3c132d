"""tests.support.freeze: equal plans are equal, and a plan that changed is found."""

import copy

import pytest

from tests.support.freeze import problems
from tests.support.freeze.__main__ import compare, decisions


@pytest.mark.parametrize("chip", problems.CHIPS)
def test_a_planted_change_is_found(chip, capsys):
  old = decisions(chip, 40)
  assert len(old) == 40 and compare(chip, old, decisions(chip, 40))
  planned = [name for name, plan in old.items() if "error" not in plan]
  assert len(planned) > 10
  new = copy.deepcopy(old)
  new[planned[3]]["workspace_bytes"] += 64
  new[planned[5]]["reasons"][0] += "!"
  capsys.readouterr()
  assert not compare(chip, old, new)
  said = capsys.readouterr().out
  assert "2 differ" in said and planned[3] in said and "workspace_bytes: " in said


def test_tests_may_become_more_but_not_fewer():
  few, more = {"a::b": ""}, {"a::b": "", "a::c": ""}
  assert compare("tests", few, more) and not compare("tests", more, few)
