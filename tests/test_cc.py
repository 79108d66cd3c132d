"""Builds the C++ tests, plain and under the sanitizers, and runs them on real threads."""

import os
import pathlib
import platform
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FFI = ROOT / "ffi"
AVX2 = ["-mavx2", "-mfma", "-mf16c"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"]
SOURCES = {
    "plan.cc": [], "backend/host.cc": [], "kernel/host_dispatch.cc": [],
    "kernel/host_portable.cc": [],
}
if platform.machine() == "x86_64":
  SOURCES |= {
      "kernel/host_avx2.cc": AVX2,
      "kernel/host_avx512.cc": AVX512,
      "kernel/host_avx512_bf16.cc": [*AVX512, "-mavx512bf16", "-mavx512vnni"],
  }
SANITIZERS = {
    "plain": [],
    "thread": ["-fsanitize=thread"],
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
}
TESTS = sorted(path.stem for path in (ROOT / "tests" / "cc").glob("*_test.cc"))


def compile_all(jobs, directory):
  """Runs compiler command lines, as many at a time as there are processors."""
  running = []
  for job in jobs:
    if len(running) >= (os.cpu_count() or 1):
      assert running.pop(0).wait() == 0
    running.append(subprocess.Popen(job, cwd=directory))
  for process in running:
    assert process.wait() == 0


@pytest.fixture(scope="module", params=SANITIZERS)
def build(request, tmp_path_factory):
  compiler = os.environ.get("CXX", "g++")
  assert shutil.which(compiler), f"{compiler} is needed to build the C++ tests"
  out = tmp_path_factory.mktemp(request.param)
  flags = [compiler, "-std=gnu++20", "-O1", "-g", "-Wno-sign-compare", f"-I{FFI}",
           f"-I{ROOT / 'tests' / 'cc'}", *SANITIZERS[request.param]]
  objects = [out / (pathlib.Path(source).stem + ".o") for source in SOURCES]
  compile_all(
      [[*flags, *extra, "-c", FFI / source, "-o", target]
       for (source, extra), target in zip(SOURCES.items(), objects)], out)
  compile_all(
      [[*flags, ROOT / "tests" / "cc" / f"{test}.cc", *objects, "-o", out / test,
        "-pthread"] for test in TESTS], out)
  return out


@pytest.mark.parametrize("test", TESTS)
def test_cc(build, test):
  for kernel in ("", "portable"):
    done = subprocess.run(
        [build / test], capture_output=True, text=True, timeout=300,
        env={**os.environ, "JAXGEMM_HOST_KERNEL": kernel})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{test}: 0 failures" in done.stdout
