"""python -m jaxgemm.first_light on virtual AMD GPUs, also with planted faults."""

import json
import os
import re
import subprocess
import sys

import pytest

from jaxgemm import _ffi
from tests.first_light import planted
from tests.support.paths import ROOT
from tests.support.virtual_rocm import needs_plugin, run

CHIPS = {"MI300X": "gfx942", "MI355X": "gfx950", "MI250X": "gfx90a"}
TILE = "gemm_bfloat16_bfloat16_32x128x64_rrr"
OTHER = "gemm_bfloat16_bfloat16_32x64x256_rrr"


def first_light(tmp_path, chip, *options, devices=1, **environment):
  """(the finished process, the data of its report)."""
  folder = tmp_path / "report"
  done = run(f"--arch={chip}", f"--devices={devices}", "-m", "jaxgemm.first_light",
             f"--folder={folder}", *options, timeout=1800,
             JAXGEMM_DENIED=str(tmp_path / "denied.json"),
             JAXGEMM_TUNING=str(tmp_path / "tuning.json"), **environment)
  data = json.loads((folder / "report.json").read_text())
  words = (folder / "report.md").read_text()
  assert words.count("## ") > 3
  return done, data, words


# What a user's program says and computes with the list of denied kernels.
PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
import jaxgemm
a = np.random.default_rng(0).integers(-3, 4, (32, 256)).astype(jnp.bfloat16)
b = np.random.default_rng(1).integers(-3, 4, (256, 128)).astype(jnp.bfloat16)
f = lambda a, b: jaxgemm.matmul(a, b, preferred_element_type=jnp.float32, implementation="jaxgemm")
said = jaxgemm.explain(f, a, b)
print(said)
print("KERNEL", said.data["calls"][0]["kernel"])
for each in said.data["calls"][0]["candidates"]:
  print("CANDIDATE", each["kernel"])
try:
  out = np.asarray(jax.jit(f)(a, b))
  print("RIGHT" if (out == a.astype(np.float64) @ b.astype(np.float64)).all() else "WRONG")
except Exception as error:
  print("ERROR", error)
"""


def program(tmp_path, chip, **environment):
  file = tmp_path / "program.py"
  file.write_text(PROGRAM)
  return run(f"--arch={chip}", str(file), **environment).stdout


@needs_plugin
def test_faults_are_found_named_and_left_out(tmp_path):
  """The kernel that the plan takes hangs, and another one is wrong."""
  chip, denied = "MI300X", str(tmp_path / "denied.json")
  chosen = re.search(r"KERNEL (\S+)", program(tmp_path, chip, JAXGEMM_DENIED="off"))[1]
  wrong, beside, right = sorted(
      name for name in _ffi.built_kernels("gfx942")
      if name.startswith("gemm_bfloat16") and name.endswith(("x64_rrr", "256_rrr"))
      and name != chosen and "256x256" not in name)[:3]
  faults = {chosen: "out_of_bounds", wrong: "wrong_result", beside: "beside_its_operand"}
  environment = planted.environment(tmp_path / "planted", "gfx942", faults)
  pattern = "|".join([*faults, right])
  done, data, words = first_light(
      tmp_path, chip, "--parts=kernels", f"--kernels={pattern}", "--write", **environment)
  assert done.returncode == 1, done.stderr
  assert "1 of 4 kernels are right; wrong: gemm_" in done.stdout
  found = {rule["kernel"]: rule["why"] for rule in data["denied"]}
  assert found.keys() == faults.keys()
  assert "ended the process" in found[chosen]
  # It wrote nothing, so the result is what was in its memory.
  assert "elements are wrong" in found[wrong] and "nan in place of" in found[wrong]
  assert "wrote outside of its result" in found[beside]
  assert all(name in words for name in faults)
  # The report names no folder of this machine.
  assert str(tmp_path) not in json.dumps(data) + words
  # The next program has another kernel, which explain says, and its result is right.
  said = program(tmp_path, chip, JAXGEMM_DENIED=denied, **environment)
  kernels = re.findall(r"(?:KERNEL|CANDIDATE) (\S+)", said)
  assert kernels and not {*kernels} & faults.keys(), said
  assert f"denied on MI300X: {chosen} (found on " in said and "RIGHT" in said
  assert "RIGHT" not in program(tmp_path, chip, JAXGEMM_DENIED="off", **environment)


@needs_plugin
def test_a_run_that_was_stopped_goes_on(tmp_path):
  options = "--parts=kernels", "--kernels=(bfloat16|int8)_(16x32x512|32x128x128)_rrr"
  _, data, _ = first_light(tmp_path, "MI300X", "--minutes=0.0001", *options)
  known = len(data["outcomes"])
  assert data["unreached"] and known + len(data["unreached"]) == 2
  log = tmp_path / "report" / "log-0.txt"
  for steps in (2 - known, 0):  # the second time all is known
    begin = log.stat().st_size
    done, data, words = first_light(tmp_path, "MI300X", *options)
    assert done.returncode == 0, done.stderr + words
    assert not data["unreached"] and len(data["outcomes"]) == 2
    ran = re.findall(r"first light: (\w+)\.", log.read_text()[begin:])
    assert ran.count("machine") == 1 and len(ran) == 1 + steps


def test_without_a_gpu(tmp_path):
  done = subprocess.run(
      [sys.executable, "-m", "jaxgemm.first_light", f"--folder={tmp_path}"], text=True, cwd=ROOT,
      capture_output=True, env=os.environ | {"JAX_PLATFORMS": "cpu"}, timeout=120)
  assert done.returncode == 2
  assert "There is nothing to do: JAX finds no GPU: its devices are CPUs" in done.stderr
  assert "--arch=MI300X" in done.stderr


@needs_plugin
@pytest.mark.whole
@pytest.mark.parametrize("chip", CHIPS)
def test_all_of_it(tmp_path, chip):
  done, data, words = first_light(tmp_path, chip, "--minutes=30", "--write", devices=2)
  assert done.returncode == 0, words
  kernels = [name for name in data["outcomes"] if name.startswith("kernels: ")]
  assert len(kernels) == len(_ffi.built_kernels(CHIPS[chip]))
  assert all(data["outcomes"][name]["checks"] for name in kernels)
  assert not data["denied"] and not data["unreached"]
  assert "Nothing that is chosen by itself" in words and "times in this report mean" in words


@needs_plugin
@pytest.mark.whole
@pytest.mark.parametrize("fault", planted.FAULTS)
@pytest.mark.parametrize("chip", CHIPS)
def test_each_fault_on_each_chip(tmp_path, chip, fault):
  kernel = OTHER
  environment = planted.environment(tmp_path / "planted", CHIPS[chip], {kernel: fault})
  done, data, _ = first_light(tmp_path, chip, "--parts=kernels", "--kernels=bfloat16_32x.*_rrr",
                              "--write", **environment)
  assert done.returncode == 1
  assert [rule["kernel"] for rule in data["denied"]] == [kernel]
  said = program(tmp_path, chip, JAXGEMM_DENIED=str(tmp_path / "denied.json"), **environment)
  assert "RIGHT" in said and f"KERNEL {kernel}" not in said
