"""Builds the C++ tests under the sanitizers and runs them, on real threads."""

import functools
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SANITIZERS = {
    "thread": "-fsanitize=thread",
    "address": "-fsanitize=address,undefined -fno-sanitize-recover=undefined",
}
# host_kernel_test has no threads. hopper_test has fibers.
TESTS = {
    "thread": ["schedule_test", "host_gemm_test", "producer_test", "rocm_handler_test"],
    "address": ["schedule_test", "host_gemm_test", "producer_test", "rocm_handler_test",
                "host_kernel_test"],
}
HOPPER_TEST = {"thread": ["few"], "address": []}


def run(*command, **env):
  done = subprocess.run(command, capture_output=True, text=True, timeout=600,
                        env={**os.environ, **env})
  assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
  return done.stdout


@pytest.fixture(scope="module")
def build(tmp_path_factory):
  @functools.cache
  def build(sanitizer):
    out = tmp_path_factory.mktemp(sanitizer)
    run("cmake", "-S", str(ROOT / "ffi"), "-B", str(out), "-DJAXGEMM_CC_TESTS=ON",
        "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_FLAGS=-O1 -g {SANITIZERS[sanitizer]}")
    run("cmake", "--build", str(out), f"-j{os.cpu_count()}", "--target",
        *TESTS[sanitizer], "hopper_test")
    return out
  return build


@pytest.mark.parametrize(
    "sanitizer,test", [(s, test) for s, tests in TESTS.items() for test in tests])
@pytest.mark.parametrize("kernel", ["", "portable"])
def test_cc(build, sanitizer, test, kernel):
  output = run(str(build(sanitizer) / test), JAXGEMM_HOST_KERNEL=kernel)
  assert f"{test}: 0 failures" in output


@pytest.mark.parametrize("sanitizer", HOPPER_TEST)
def test_hopper(build, sanitizer):
  """Hopper's kernels on stand-ins for the instructions, where no GPU has to be there."""
  output = run(str(build(sanitizer) / "hopper_test"), *HOPPER_TEST[sanitizer])
  assert "hopper_test: 0 failures" in output
