"""Builds the C++ tests and runs them, on real threads; with --whole under sanitizers.

Without sanitizers they are linked with the objects that the installation has compiled. So after a
change of C++ code, install again, as for the tests in Python.
"""

import fcntl
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

from tests.support import amdgpu
from tests.support.fuzz import __main__ as fuzz
from tests.support.fuzz import sanitized
from tests.support.paths import ROOT

FLAGS = {
    "plain": "-O1",
    "thread": "-O1 -g -fsanitize=thread",
    "address": "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined",
}
# The tests of headers that need no object of ffi/, and run no kernel.
SCHEDULE = ["schedule_test", "schedule_maps_test", "schedule_groups_test", "schedule_chunks_test"]
TESTS = [*SCHEDULE, "host_gemm_test", "host_calls_test", "rendezvous_test", "producer_test",
         "rocm_handler_test", "host_kernel_test"]
# Whether a build's hopper_test has only few of Hopper's instances.
FEW_INSTANCES = {"plain": True, "thread": True, "address": False}


def case(build, test="", *others):
  """The parameters of a case, for --whole if a sanitizer needs all of ffi/ to be compiled anew."""
  quick = build == "plain" or (build == "thread" and test in SCHEDULE)
  given = (build, test, *others) if test else (build,)
  return pytest.param(*given, marks=[] if quick else [pytest.mark.whole])


def run(*command, **env):
  done = subprocess.run(command, capture_output=True, text=True,
                        env={**os.environ, **env})
  assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
  return done.stdout


def installed_objects() -> pathlib.Path | None:
  """The CMakeFiles of the last installation from this checkout."""
  folders = [folder.parent for folder in (ROOT / "build").glob("**/jaxgemm_host.dir")
             if "cc_tests" not in folder.parts and any(folder.rglob("*.o"))]
  return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)


@pytest.fixture(scope="module")
def built(say):
  """A function that compiles a test's program under build/, where it stays. Returns its path."""
  cmake = shutil.which("cmake", path=sysconfig.get_path("scripts")) or "cmake"

  @functools.cache
  def configure(build):
    folder = ROOT / "build" / "cc_tests" / build
    folder.mkdir(parents=True, exist_ok=True)
    objects = installed_objects() if build == "plain" else None
    with locked(folder):
      run(cmake, "-S", str(ROOT / "ffi"), "-B", str(folder), "-DJAXGEMM_CC_TESTS=ON",
          "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_FLAGS={FLAGS[build]}",
          f"-DJAXGEMM_BUILT={objects or ''}",
          f"-DJAXGEMM_FEW_INSTANCES={'ON' if FEW_INSTANCES[build] else 'OFF'}")
    return folder, objects

  @functools.cache
  def program(build, test):
    folder, objects = configure(build)
    anew = not objects and test not in SCHEDULE
    say(f"{test} is compiled in {folder.relative_to(ROOT)}" + (
        ", after all of ffi/, once: 4 minutes of CPU time" if anew else ""))
    with locked(folder):
      run(cmake, "--build", str(folder), f"-j{os.cpu_count()}", "--target", test)
    return folder / test
  return program


class locked:
  """A lock of a folder: one process at a time builds there."""

  def __init__(self, folder):
    self._path = folder / "lock"

  def __enter__(self):
    self._file = self._path.open("w")
    fcntl.flock(self._file, fcntl.LOCK_EX)

  def __exit__(self, *_):
    self._file.close()


@pytest.mark.parametrize("build,test,kernel", [
    case(build, test, kernel) for build in FLAGS for test in TESTS
    for kernel in ("", "portable")
    # host_kernel_test has no threads, and rendezvous_test runs no kernel.
    if (build, test) != ("thread", "host_kernel_test")
    and (kernel != "portable" or test not in (*SCHEDULE, "rendezvous_test"))])
def test_cc(built, build, test, kernel):
  output = run(str(built(build, test)), JAXGEMM_HOST_KERNEL=kernel)
  assert f"{test}: 0 failures" in output


@pytest.mark.parametrize("build", [
    "plain", pytest.param("address", marks=pytest.mark.whole)])
def test_the_emulator_loads_no_broken_code_object(built, build, tmp_path):
  source = """
  extern "C" __global__ void k(const float* from, float* to, int n) {
    __shared__ float tile[64];
    unsigned x = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
    tile[x] = from[group * n + x];
    __builtin_amdgcn_s_barrier();
    to[group * n + x] = tile[63 - x];
  }"""
  (tmp_path / "k.hsaco").write_bytes(amdgpu.compile_hip(source, "gfx950"))
  output = run(str(built(build, "emulator_loader_test")), str(tmp_path / "k.hsaco"))
  assert "emulator_loader_test: 0 failures" in output


@pytest.mark.parametrize("build", [case(build) for build in FLAGS])
def test_hopper(built, build):
  """Hopper's kernels on stand-ins for the instructions, which need no GPU."""
  output = run(str(built(build, "hopper_test")))
  assert "hopper_test: 0 failures" in output


@pytest.fixture(scope="module")
def cpu_handlers(built):
  """The CPU's handlers under the sanitizers of addresses and undefined behaviour."""
  return str(built("address", "cpu_handlers").with_name("libcpu_handlers.so"))


@pytest.mark.whole
@pytest.mark.parametrize("kernel", ["", "portable"])
def test_sanitized_handlers_are_fuzzed(cpu_handlers, monkeypatch, kernel):
  """Fuzzes the FFI calls, and public functions on XLA's own buffers."""
  monkeypatch.setenv("JAXGEMM_HOST_KERNEL", kernel)
  counts, faults = fuzz.fuzz(["api", "calls"], 5000, seed=3, library=cpu_handlers)
  assert not faults and sum(counts.values()) == 5000


@pytest.mark.whole
@pytest.mark.parametrize("fault, report", [
    ("0", ""), ("1", "READ of size 1"), ("2", "WRITE of size 1"), ("3", "signed integer overflow")])
def test_sanitizers_see_faults_on_xlas_buffers(cpu_handlers, fault, report):
  done = subprocess.run(
      [sys.executable, "-m", "tests.support.fuzz.sanitized", cpu_handlers, fault], text=True,
      capture_output=True, env={**os.environ, **sanitized.environment(cpu_handlers)})
  assert (done.returncode == 0) == (fault == "0")
  assert report in done.stderr
