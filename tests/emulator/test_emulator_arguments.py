"""Numbers that ctypes would cut, or take for others, are errors that name the argument."""

import numpy as np
import pytest

from jaxgemm import emulator
from jaxgemm.emulator import grid, rocm
from tests.support import amdgpu

_CODE = """extern "C" __global__ void k(unsigned* out) {
  out[__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()] = 1; }"""


def launch(**changes):
  out = np.zeros(256, np.uint32)
  given = dict(grid=2, block=64, arch="gfx942", buffers=[out]) | changes
  emulator.launch(amdgpu.compile_hip(_CODE, "gfx942"), "k", emulator.pack_arguments(out), **given)
  return out.sum()


def beside(**changes):
  return emulator.Beside(amdgpu.compile_hip(_CODE, "gfx942"), "k", ["out"], **changes)


@pytest.mark.parametrize("given, error, message", [
    (dict(block=2**32 + 64), ValueError, r"block\[0\]=4294967360 .* from 0 to 4294967295"),
    (dict(grid=-1), ValueError, r"grid\[0\]=-1"),
    (dict(grid=(1, 1, 2**32)), ValueError, r"grid\[2\]=4294967296"),
    (dict(grid=(1, 1, 1, 2)), ValueError, r"grid=\(1, 1, 1, 2\) has 4 dimensions"),
    (dict(block=()), ValueError, r"block=\(\) has 0 dimensions"),
    (dict(block=64.0), TypeError, r"block=64.0"),
    (dict(block=(64, 1.5)), TypeError, r"block\[1\]=1.5"),
    (dict(grid=True), TypeError, "grid=True"),
    (dict(grid="2"), TypeError, "grid='2'"),
])
def test_grid_and_block(given, error, message):
  for function in (launch, beside):
    with pytest.raises(error, match=message):
      function(**given)


@pytest.mark.parametrize("given", [
    dict(grid=np.int32(2)), dict(grid=[2]), dict(grid=(2, 1, 1), block=np.array([64]))])
def test_numpy_numbers_and_sequences(given):
  assert launch(**given) == 128


def test_other_numbers_of_a_launch():
  for lds in (2**32, -1):
    with pytest.raises(ValueError, match="dynamic_lds="):
      launch(dynamic_lds=lds)
  with pytest.raises(TypeError, match="dynamic_lds=0.5"):
    launch(dynamic_lds=0.5)
  with pytest.raises(TypeError, match="buffers has 'a': a list"):
    launch(buffers={"a": [1]})
  with pytest.raises(emulator.EmulationError, match="2.32 work-items or more in dimension 0"):
    launch(grid=2**26)


@pytest.mark.parametrize("given", [
    dict(seed=1.5), dict(seed=True), dict(quantum="64"), dict(clock=1.0), dict(resident=None),
    dict(shuffle=2), dict(profile="yes"), dict(check_waits=0), dict(xcc=[1.7]), dict(xcc=[True]),
    dict(beside=3)], ids=str)
def test_kinds_of_options(given):
  name, = given
  with pytest.raises(TypeError, match=rf"{name}(\[0\])?="):
    emulator.Options(**given)
  with pytest.raises(TypeError, match=rf"{name}(\[0\])?="), emulator.options(**given):
    pass


@pytest.mark.parametrize("given", [dict(seed=2**64), dict(seed=-1), dict(resident=0),
                                   dict(idle_limit=10), dict(clock=2**40)], ids=str)
def test_ranges_of_options(given):
  name, = given
  with pytest.raises(emulator.EmulationError, match=f"option {name}="):
    launch(options=emulator.Options(**given))


@pytest.mark.parametrize("given, error", [
    (dict(stream_seed=2**64), ValueError), (dict(stream_seed=-1), ValueError),
    (dict(stream_seed=1.0), TypeError), (dict(most_delay_us=2**32), ValueError),
    (dict(devices=2**32 + 1), ValueError), (dict(devices=0), ValueError),
    (dict(devices="2"), TypeError), (dict(devices=True), TypeError), (dict(arch=942), TypeError),
], ids=str)
def test_numbers_of_virtual_devices(given, error):
  name, = given
  with pytest.raises(error, match=f"{name}="):
    rocm.start(**given)
  assert not rocm.is_started()


def test_a_second_start_must_be_the_same(monkeypatch):
  first = dict(arch="gfx942", devices=2, stream_seed=5, most_delay_us=9)
  monkeypatch.setattr(rocm, "_started", dict(first))
  rocm.start(**first)  # does nothing
  for other in (dict(stream_seed=6), dict(most_delay_us=0), dict(devices=1), dict(arch="gfx950")):
    (name, value), = other.items()
    said = f"with {name}={first[name]!r} and not {value!r}"
    with pytest.raises(rocm.VirtualRocmError, match=said):
      rocm.start(**first | other)


def test_sizes_of_predictions():
  with pytest.raises(ValueError, match="groups=0"):
    grid.matmul_traffic("gfx950", 64, 64, 64, tile=(64, 64), groups=0)
  with pytest.raises(TypeError, match=r"tile\[1\]=64.0"):
    grid.matmul_traffic("gfx950", 64, 64, 64, tile=(64, 64.0))
  with pytest.raises(ValueError, match="resident=-1"):
    grid.predict("gfx950", workgroups=1, cycles=1e6, matrix_cycles=0,
                 traffic=grid.Traffic(100, 0, 0), resident=-1)
