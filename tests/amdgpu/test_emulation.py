"""Every AMD kernel, executed in emulation.

    python -m pytest tests/amdgpu/test_emulation.py            # a few scenarios each
    python -m pytest tests/amdgpu/test_emulation.py --whole    # all scenarios

The scenarios are in emulation_matrix.py.
"""

import collections
import re

import numpy as np
import pytest

from tests.amdgpu import emulation_matrix as matrix

# The small part is for the kernels that JAXGEMM_GPU_KERNELS=tests builds. These are every other
# combination of type, tile and layout, like the fields of one colour on a chessboard, and fewer of
# the largest tile and of float8_e5m2. The scenarios are distributed: the kernels of each arch
# together run all of them.
# Kernels run with loads by vectors of 16 bytes (edges) and by element (odd_k) in turn; each tile,
# each layout and each type runs with both. gfx90a has seven kernels in this part;
# test_emulated_gfx90a.py runs all scenarios with one of them.
_IN_TURN, _DEALT = ("edges", "odd_k"), 1


def parts(instance: matrix.Instance) -> tuple[tuple, ...]:
  """Its tile, its layout and its types."""
  return (instance.tile[:2], (instance.lhs_contracting, instance.rhs_contracting),
          (instance.lhs_dtype, instance.rhs_dtype))


def fields(instance: matrix.Instance) -> set[tuple]:
  """(types, tile), (tile, layout) and (layout, types); 8-bit floats count as one type.

  With a tile a pair of float8_e4m3 types counts as its own, and one with float8_e5m2 without it.
  """
  tile, layout, types = parts(instance)
  return {(types, tile if "e5m2" not in "".join(types) else None), (tile, layout),
          (layout, re.match("float8|.*", instance.lhs_dtype)[0])}


def cases(whole: bool) -> list[tuple[str, str, str]]:
  dealt = [name for name in matrix.SCENARIOS if name not in _IN_TURN]
  chosen, uses = [], collections.Counter()
  for instance in matrix.instances() if whole else matrix.small_part():
    fitting = [name for name in dealt if matrix.fits(instance, name)]
    few = sorted(fitting, key=lambda name: uses[instance.arch, name])[:_DEALT]
    uses.update((instance.arch, name) for name in few)
    types = instance.arch, instance.lhs_dtype, instance.rhs_dtype
    turn = _IN_TURN[uses[types] % 2:][:1] if "e5m2" not in instance.name else _IN_TURN
    uses[types] += 1
    names = (*_IN_TURN, *fitting) if whole else (*turn, *few)
    chosen += [(instance.arch, instance.name, name) for name in names]
  return chosen


def pytest_generate_tests(metafunc):
  if "case" in metafunc.fixturenames:
    few = set(cases(whole=False))
    metafunc.parametrize("case", [
        pytest.param(case, id="-".join(case),
                     marks=[] if case in few else [pytest.mark.whole])
        for case in cases(whole=True)])


def test_every_kernel(case):
  counts = matrix.check(*case)
  assert counts["launches"] == len(matrix.SCENARIOS[case[2]].orders)


@pytest.mark.parametrize("reproducible, off_by", [(False, 1.0), (True, 1e-3)])
def test_a_wrong_element_is_noticed(reproducible, off_by):
  wanted = np.arange(12.0).reshape(3, 4)
  scenario = matrix.Scenario(reproducible=reproducible)
  matrix.check_values(wanted.astype(np.float32), wanted, scenario, k=64)
  wrong = wanted.astype(np.float32)
  wrong[2, 1] += off_by
  with pytest.raises(AssertionError):
    matrix.check_values(wrong, wanted, scenario, k=64)


def test_small_part_touches_all_types_tiles_layouts_and_scenarios():
  small = cases(whole=False)
  for arch in ("gfx942", "gfx950"):
    every, some = (
        set().union(*(fields(instance) for instance in found if instance.arch == arch))
        for found in (matrix.instances(), [matrix.Instance.parse(*case[:2]) for case in small]))
    assert some == every
    assert {name for of, _, name in small if of == arch} == set(matrix.SCENARIOS)
    for name in ("edges", "odd_k"):
      ran = {part for case in small if case[0] == arch and case[2] == name
             for part in parts(matrix.Instance.parse(*case[:2]))}
      assert ran == {part for instance in matrix.small_part() if instance.arch == arch
                     for part in parts(instance)}


def test_the_few_of_gfx90a_touch_all_types_layouts_and_small_tiles():
  few = [instance for instance in matrix.small_part() if instance.arch == "gfx90a"]
  assert {each.lhs_dtype for each in few} == {"bfloat16", "float16", "float32", "int8"}
  assert len({(each.lhs_contracting, each.rhs_contracting) for each in few}) == 4
  assert {each.tile[:2] for each in few} == {(128, 128), (64, 128), (32, 128), (32, 64), (16, 32)}
