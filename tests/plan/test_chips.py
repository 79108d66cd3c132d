"""Plans for chips: where the numbers of CUs, XCDs and multiprocessors come from."""

import os
import subprocess
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.call import quantization
from jaxgemm.emulator import clock
from tests.support.paths import ROOT

PROBLEM = {"m": 8192, "n": 8192, "k": 1024, "lhs_dtype": "bfloat16",
           "rhs_dtype": "bfloat16", "out_dtype": "bfloat16"}
# (target, CUs, XCDs, name)
CHIPS = [
    ("gfx942", 304, 8, "MI300X"),
    ("gfx942", 152, 4, "MI300X DPX"),
    ("gfx942", 76, 2, "MI300X QPX"),
    ("gfx942", 38, 1, "MI300X CPX"),
    ("gfx942", 228, 6, "MI300A"),
    ("gfx942", 80, 4, "MI308X"),
    ("gfx950", 256, 8, "MI355X"),
    ("gfx950", 128, 4, "MI355X DPX"),
    ("gfx950", 64, 2, "MI355X QPX"),
    ("gfx950", 32, 1, "MI355X CPX"),
    ("gfx90a", 110, 1, "MI250X"),  # a die of it
    ("gfx90a", 104, 1, "MI250"),  # also MI210
    ("sm90", 132, 1, "H200"),  # also H100 SXM
    ("sm90", 114, 1, "H100 PCIe"),
    ("sm90", 78, 1, "H20"),
]


def plan(target, cus, config=(), **problem):
  return _ffi.native.plan(PROBLEM | problem, dict(config), target, cus)


@pytest.mark.parametrize("target, cus, xcds, name", CHIPS)
def test_a_chip_is_found_by_its_cus(target, cus, xcds, name):
  planned = plan(target, cus, {"schedule": "persistent"})
  assert (planned["chip"], planned["num_cus"]) == (name, cus)
  assert planned["attrs"]["num_xcds"] == xcds
  # The grid has exactly the workgroups that run at the same time.
  per_cu = {"gfx942": 1, "gfx950": 1, "gfx90a": 1, "sm90": 1}[target]
  tile_m, tile_n, _ = planned["tile"]
  workgroups = planned["num_workgroups"]
  if target == "sm90":
    per_cu = 0.5 if tile_m == 256 else 1
  elif (tile_m, tile_n) == (128, 128):
    per_cu = 2
  assert workgroups == min(int(cus * per_cu), 8192 // tile_m * (8192 // tile_n))


@pytest.mark.parametrize("target, cus, xcds, name", CHIPS)
def test_work_stealing_has_queues_for_each_xcd(target, cus, xcds, name):
  planned = plan(target, cus, {"schedule": "work_stealing"})
  assert planned["num_queues"] % xcds == 0
  assert planned["attrs"]["num_xcds"] == xcds


# (name, target, CUs, XCDs). Chips with the same number of CUs differ only in their names.
NAMED = [
    ("MI300X", "gfx942", 304, 8), ("MI300X CPX", "gfx942", 38, 1), ("MI300A", "gfx942", 228, 6),
    ("MI308X", "gfx942", 80, 4), ("MI325X", "gfx942", 304, 8), ("MI350X", "gfx950", 256, 8),
    ("MI355X", "gfx950", 256, 8), ("MI355X CPX", "gfx950", 32, 1), ("MI250X", "gfx90a", 110, 1),
    ("MI250", "gfx90a", 104, 1), ("MI210", "gfx90a", 104, 1),
]


@pytest.mark.parametrize("name, target, cus, xcds", NAMED)
@pytest.mark.parametrize("known", [True, False])
def test_a_chip_is_found_by_its_name(name, target, cus, xcds, known):
  planned = plan(name, cus if known else 0)
  assert (planned["chip"], planned["target"], planned["num_cus"]) == (name, target, cus)
  assert planned["attrs"]["num_xcds"] == xcds


def test_chips_with_as_many_cus_differ_in_memory_and_frequency():
  def predicted(name, m, k):
    return plan(name, 0, m=m, n=8192, k=k)["predicted_us"]

  # The memory has 6000 instead of 5300 GB/s; if the matrix pipe is busy, that makes no difference.
  few = predicted("MI325X", 16, 65536), predicted("MI300X", 16, 65536)
  assert 5300 / 6000 * 0.99 < few[0] / few[1] < 0.95
  assert predicted("MI325X", 8192, 8192) == pytest.approx(predicted("MI300X", 8192, 8192), rel=0.01)
  # The frequency is 2200 instead of 2400 MHz.
  many = predicted("MI350X", 8192, 8192), predicted("MI355X", 8192, 8192)
  assert 1.05 < many[0] / many[1] < 2400 / 2200 * 1.01


def test_a_partition_of_a_named_chip_is_found():
  assert plan("MI300X", 38)["chip"] == "MI300X CPX"
  assert plan("MI300A", 0, {"schedule": "persistent"})["attrs"]["num_xcds"] == 6


@pytest.mark.parametrize("name, target, cus, xcds", NAMED)
@pytest.mark.parametrize("left", [0.5, 0.8, 0.97])
def test_masked_cus_get_no_workgroups(name, target, cus, xcds, left):
  """With masked CUs the grid and the bandwidth are those of the remaining CUs."""
  visible = int(cus * left) - 1
  planned = plan(name, visible, {"schedule": "persistent"})
  whole = plan(name, 0, {"schedule": "persistent"})
  assert planned["num_cus"] == visible and planned["target"] == target
  assert 1 <= planned["attrs"]["num_xcds"] <= xcds
  tile_m, tile_n, _ = planned["tile"]
  resident = 2 if (tile_m, tile_n) == (128, 128) else 1
  assert planned["num_workgroups"] <= visible * resident
  # Where all CUs need as many rounds as before, fewer of them share the L2.
  assert planned["predicted_us"] > 0.999 * whole["predicted_us"]


def test_fewer_cus_get_fewer_workgroups_and_shares():
  whole = plan("gfx942", 304, {"schedule": "stream_k"}, m=256, n=256, k=65536)
  part = plan("gfx942", 38, {"schedule": "stream_k"}, m=256, n=256, k=65536)
  assert part["num_workgroups"] < whole["num_workgroups"]
  assert part["attrs"]["num_shares"] < whole["attrs"]["num_shares"]


def test_a_partition_without_a_name_has_xcds_in_proportion():
  planned = plan("gfx942", 190, {"schedule": "persistent"})
  assert planned["chip"] == "gfx942" and planned["attrs"]["num_xcds"] == 5


def test_without_a_device_the_first_chip_of_the_target_is_taken():
  assert plan("gfx942", 0)["chip"] == "MI300X"
  assert plan("gfx950", 0)["chip"] == "MI355X"
  assert plan("gfx90a", 0)["chip"] == "MI250X"
  assert plan("sm90", 0)["chip"] == "H200"
  assert plan("cpu", 0)["num_cus"] == len(os.sched_getaffinity(0))


def test_an_unknown_architecture_is_an_error():
  with pytest.raises(ValueError, match="target 'gfx908' is unknown; there are cpu gfx942"):
    plan("gfx908", 120)


PROGRAM = """
import jax, jax.numpy as jnp, jaxgemm
from jaxgemm import _ffi
target = _ffi.target("rocm")
x = jax.ShapeDtypeStruct((8192, 8192), jnp.bfloat16)
config = jaxgemm.GemmConfig(schedule="persistent", tile_m=256, tile_n=256)
text = jax.jit(lambda x: jaxgemm.matmul(x, x, config=config)).trace(x).lower(
    lowering_platforms=("rocm",)).as_text()
workgroups = text.split("num_workgroups = ")[1].split()[0]
print(target, _ffi.num_cus(target), workgroups, _ffi.chip(target))
"""


@pytest.mark.whole(unless=lambda arch: arch in ("MI308X", "gfx950", "MI250X"))
@pytest.mark.parametrize("arch, wanted", [
    ("MI308X", "gfx942 80 80 MI308X"), ("MI300A", "gfx942 228 228 MI300A"),
    ("MI325X", "gfx942 304 304 MI325X"), ("MI350X", "gfx950 256 256 MI350X"),
    ("gfx950", "gfx950 0 256 gfx950"), ("MI250X", "gfx90a 110 110 MI250X"),
    ("gfx90a", "gfx90a 0 110 gfx90a")])
def test_the_environment_names_a_chip(arch, wanted):
  env = {**os.environ, "JAXGEMM_ROCM_ARCH": arch}
  done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, cwd=ROOT, text=True,
                        capture_output=True)
  assert done.stdout.strip() == wanted, done.stderr[-2000:]


def test_the_name_of_a_device_names_its_chip(monkeypatch):
  monkeypatch.setattr(_ffi, "_wanted_rocm_arch", lambda: None)
  monkeypatch.setattr(_ffi, "_local_arch", {"rocm": "gfx942"}.get)
  for kind, wanted in (("AMD Instinct MI325X", "MI325X"), ("AMD Instinct MI300X OAM", "MI300X"),
                       ("AMD Radeon Graphics", "gfx942")):
    device = types.SimpleNamespace(device_kind=kind)
    monkeypatch.setattr(_ffi.jax, "devices", lambda *_, device=device: [device])
    assert _ffi.chip("gfx942") == wanted
    assert _ffi.chip("gfx950") == "gfx950" and _ffi.chip("sm90") == "sm90"


def test_hopper_chips_differ_in_their_memory():
  for kind, wanted in (("NVIDIA H100 80GB HBM3", "H100"), ("NVIDIA H200", "H200"),
                       ("NVIDIA H100 PCIe", "H100 PCIe"), ("NVIDIA GH200 480GB", "sm90")):
    assert _ffi.chip_in(kind, "sm90") == wanted

  def predicted(name, m, k):
    return plan(name, 0, m=m, n=8192, k=k)["predicted_cycles"]

  assert plan("H100", 132)["chip"] == "H100" and plan("sm90", 132)["chip"] == "H200"
  # The memory has 3350 instead of 4800 GB/s; if the tensor cores are busy, that changes little.
  assert 1.2 < predicted("H100", 16, 16384) / predicted("H200", 16, 16384) < 4800 / 3350 * 1.01
  assert 1 <= predicted("H100", 8192, 8192) / predicted("H200", 8192, 8192) < 1.03


def test_an_unknown_chip_in_the_environment_is_an_error():
  env = {**os.environ, "JAXGEMM_ROCM_ARCH": "MI100"}
  done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, cwd=ROOT, text=True,
                        capture_output=True)
  assert "MI308X" in done.stderr and "JAXGEMM_ROCM_ARCH is 'MI100'" in done.stderr


def test_candidates_are_in_the_order_of_their_cost():
  candidates = plan("sm90", 0, m=512, n=768, k=4096)["candidates"]
  costs = [each["cost"] for each in candidates]
  assert costs == sorted(costs) and costs[0] == 1 and len(costs) > 8
  assert {each["form"] for each in candidates} >= {"plain", "peers"}


def explained(implementation):
  x = jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16)
  return jaxgemm.explain(x, x, implementation=implementation).data


@pytest.mark.parametrize("name", _ffi.ROCM_NAMES)
def test_an_implementation_names_a_target_or_a_chip(monkeypatch, name):
  """The plan is for the chip's CUs. Whether this build has its kernel does not matter here."""
  kernels = frozenset(kernel for _, kernel in _ffi.NAMES["gpu_kernels"])
  monkeypatch.setattr(_ffi, "built_kernels", lambda _: kernels)
  _ffi.native_plan.cache_clear()
  data = explained(f"emulated:{name}")
  target, cus = _ffi.NAMES["chips"].get(name, (name, 0))
  assert data["implementation"] == f"emulated:{name}" and data["target"] == target
  chosen = plan(name, cus, m=4096, n=4096, k=4096)
  for key in ("chip", "num_cus", "kernel", "schedule", "tile", "num_workgroups", "predicted_us"):
    assert data[key] == chosen[key], key
  if cus:
    assert (data["chip"], data["num_cus"]) == (name, cus)
  _ffi.native_plan.cache_clear()


def test_a_chip_named_by_the_implementation_computes(rng):
  lhs, rhs = (rng.standard_normal(sizes).astype(np.float16) for sizes in ((200, 96), (96, 160)))
  right = lhs.astype(np.float64) @ rhs.astype(np.float64)
  for name in ("MI308X", "MI300A", "MI350X"):
    for schedule in (None, "work_stealing", "stream_k"):
      out = jaxgemm.matmul(lhs, rhs, implementation=f"emulated:{name}", schedule=schedule,
                           preferred_element_type=jnp.float32)
      np.testing.assert_allclose(np.float64(out), right, atol=0.02)


def test_dtypes_and_refusals_are_those_of_the_chip():
  fnuz = jax.ShapeDtypeStruct((64, 64), jnp.float8_e4m3fnuz)
  assert jaxgemm.supports(fnuz, fnuz, implementation="emulated:MI300A") == (True, "")
  supported, why = jaxgemm.supports(fnuz, fnuz, implementation="emulated:MI355X")
  assert not supported and "gfx950 decodes OCP float8" in why
  for name, dtype in (("MI300A", "float8_e4m3fnuz"), ("MI355X", "float8_e4m3fn")):
    assert quantization.float8_dtypes(f"emulated:{name}")[0] == dtype


@pytest.mark.parametrize("given, advice", [
    ("emulated:MI300x", " Did you mean 'emulated:MI300X'?"),
    ("emulated:mi308", " Did you mean 'emulated:MI308X'?"),
    ("emulated:gfx94", " Did you mean 'emulated:gfx942'?"),
    ("emulatd:gfx942", " Did you mean 'emulated:gfx942'?"),
    ("gfx950", " Did you mean 'emulated:gfx950'?"), ("MI300A", " Did you mean 'emulated:MI300A'?"),
    ("emulated:H100", "Pass one of these."), ("emulated:cpu", "Pass one of these."),
    ("emulated:sm90", "Pass one of these.")])
def test_unknown_chips_are_refused_with_fitting_advice(given, advice):
  x = jnp.ones((4, 4))
  for function in (jaxgemm.matmul, jaxgemm.explain, jaxgemm.supports):
    with pytest.raises(ValueError, match="'emulated:MI300X'") as refused:
      function(x, x, implementation=given)
    assert str(refused.value).endswith(advice)


def test_the_clock_knows_the_chip_that_it_is_for():
  assert clock.constants("MI300X") == clock.constants("gfx942")
  assert clock.constants("MI355X") == clock.constants("gfx950") != clock.constants("gfx942")
  with pytest.raises(emulator.EmulationError, match="MI308X"):
    clock.constants("MI308X")


def test_a_launch_is_for_the_target_of_a_chip():
  """The code is for another target, so the message tells which target the chip's name meant."""
  path = next((_ffi.KERNEL_FOLDER / "gfx950").glob("*.hsaco"))

  def refused(arch):
    with pytest.raises(emulator.EmulationError) as error:
      emulator.launch(path.read_bytes(), path.stem, b"", grid=1, block=64, arch=arch, buffers=None)
    return str(error.value)

  assert refused("MI300A") == refused("gfx942") and "gfx942" in refused("MI300A")
  assert "MI999" in refused("MI999")
