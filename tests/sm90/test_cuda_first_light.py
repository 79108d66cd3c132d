"""First light on an NVIDIA GPU, also with planted faults; skipped where there is none.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_first_light.py
"""

import json
import os
import subprocess
import sys

import pytest

from jaxgemm import _ffi
from tests.first_light import planted
from tests.first_light.test_first_light import PROGRAM
from tests.sm90.cuda_gpu import ROOT, skip_reason
from tests.support.arriving import has_nvcc

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())


def run(tmp_path, *arguments, **environment):
  variables = os.environ | {
      "JAX_PLATFORMS": "cuda,cpu", "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
      "JAXGEMM_DENIED": str(tmp_path / "denied.json"),
      "JAXGEMM_TUNING": str(tmp_path / "tuning.json")}
  return subprocess.run([sys.executable, *arguments], text=True, cwd=ROOT, timeout=1200,
                        env=variables | environment, capture_output=True)


def first_light(tmp_path, *options, **environment):
  folder = tmp_path / "report"
  done = run(tmp_path, "-m", "jaxgemm.first_light", f"--folder={folder}", *options, **environment)
  assert (folder / "report.json").exists(), done.stderr
  return done, json.loads((folder / "report.json").read_text())


def test_features_and_a_few_kernels(tmp_path):
  done, data = first_light(tmp_path, "--parts=rates,features,kernels",
                           "--kernels=bfloat16_128x128x64_rrr")
  assert done.returncode == 0, done.stdout + done.stderr
  assert data["outcomes"]["rates: bandwidth"]["clock"] == "device"
  assert not data["unreached"] and not data["denied"]


@pytest.mark.skipif(not has_nvcc(), reason="needs nvcc")
def test_faults_are_found_named_and_left_out(tmp_path):
  names = sorted(name for name in _ffi.built_kernels("sm90")
                 if name.startswith("gemm_bfloat16") and name.endswith("_rrr"))
  faults = dict(zip(names, ("wrong_result", "hang", "out_of_bounds")))
  environment = planted.environment(tmp_path / "planted", "sm90", faults)
  pattern = "|".join([*faults, names[3]])
  done, data = first_light(tmp_path, "--parts=kernels", f"--kernels={pattern}", "--write",
                           "--step_seconds=25", **environment)
  assert done.returncode == 1, done.stdout + done.stderr
  found = {rule["kernel"]: rule["why"] for rule in data["denied"]}
  assert found.keys() == faults.keys()
  assert "longer than 25 s" in found[names[1]] and "elements are wrong" in found[names[0]]
  (tmp_path / "program.py").write_text(PROGRAM)
  done = run(tmp_path, str(tmp_path / "program.py"), **environment)
  assert "RIGHT" in done.stdout, done.stdout + done.stderr
  assert not [name for name in faults if f"KERNEL {name}" in done.stdout]
