"""The way to an AMD GPU, as far as it can be tested without one: the build's list of
kernels, the registration, and the lowering for each target. The launcher itself runs in
tests/cc/rocm_handler_test.cc and, on emulated GPUs, in test_emulated_matmul.py."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import types
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi, emulator
from tests.amdgpu import emulation_matrix
from tests.support.paths import ROOT

KERNELS = [tuple(entry) for entry in _ffi.NAMES["gpu_kernels"]]


def python(code, **env):
  done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                        env={**os.environ, **env})
  return done.returncode, done.stdout + done.stderr


def _cmake() -> str:
  return shutil.which("cmake", path=sysconfig.get_path("scripts")) or "cmake"


def configure(folder, kernels, ffi=ROOT / "ffi", **env):
  """({(target, name)} that a build of the sources in `ffi` would compile, the output of CMake)."""
  (folder / "CMakeLists.txt").write_text(f"""
      cmake_minimum_required(VERSION 3.22)
      project(kernels NONE)
      set(Python_EXECUTABLE "{sys.executable}")
      include("{ffi}/gpu_kernels.cmake")
      message(STATUS "outputs: ${{kernels}}")
      message(STATUS "${{JAXGEMM_BUILD_SUMMARY}}")
      """)
  done = subprocess.run(
      [_cmake(), "-S", folder, "-B", folder / "out", f"-DJAXGEMM_GPU_KERNELS={kernels}"],
      capture_output=True, text=True, check=True, env={**os.environ, **env})
  return set(re.findall(r"kernels/(\w+)/(\w+)\.(?:hsaco|cubin)", done.stdout)), done.stdout


def test_a_kernel_has_the_same_bytes_in_another_folder(tmp_path):
  name = "gemm_float32_float32_32x128x32_rrr"
  copied = shutil.copytree(ROOT / "ffi", tmp_path / "copied" / "ffi")
  built = []
  for ffi in (ROOT / "ffi", copied):
    folder = tmp_path / f"build_{len(built)}"
    folder.mkdir()
    compiled, said = configure(folder, f"gfx942/{name}$", ffi)
    assert compiled == {("gfx942", name)}, said
    subprocess.run([_cmake(), "--build", folder / "out"], check=True, capture_output=True)
    built.append({path.name: path.read_bytes() for path in (folder / "out").rglob("*.hsaco")})
  assert built[0] == built[1] and built[0].keys() == {
      f"{name}.hsaco", "few_rows.hsaco", "routing.hsaco"}


def test_the_build_compiles_what_the_planner_names(tmp_path):
  compiled, said = configure(tmp_path, "all")
  # nvcc may be missing.
  wanted = [kernel for kernel in KERNELS
            if kernel[0] != "sm90" or "GPU compiler for sm90" in said]
  assert compiled == set(wanted) and len(wanted) == len(compiled)
  assert f"GPU kernels: {len(wanted)} ({len(KERNELS) - len(wanted)} left out)" in said


@pytest.mark.parametrize("capability", ["8.0", "9.0"])
def test_kernels_are_built_for_the_emulator_and_the_gpus_that_are_there(
    tmp_path, capability):
  """nvidia-smi is a stand-in that names a GPU of this compute capability."""
  smi = tmp_path / "bin" / "nvidia-smi"
  smi.parent.mkdir()
  smi.write_text(f"#!/bin/sh\necho {capability}\n")
  smi.chmod(0o755)
  compiled, said = configure(
      tmp_path, "auto", PATH=f"{smi.parent}{os.pathsep}{os.environ['PATH']}")
  hopper = capability == "9.0" and "No nvcc" not in said
  assert for_the_emulator() <= compiled
  assert {kernel for kernel in KERNELS if kernel[0] == "sm90"} <= compiled or not hopper
  if not os.path.exists("/sys/class/kfd"):  # no AMD GPU
    assert compiled == for_the_emulator() | {
        kernel for kernel in KERNELS if kernel[0] == "sm90" and hopper}
    assert "were left out, for gfx942, gfx950" in said and "'^gfx'" in said


def for_the_emulator():
  return {(target, name) for target, name in KERNELS
          if target in ("gfx942", "gfx950")
          and re.match(r"gemm_((float32|bfloat16)_.*_(32|64|128)x128x\d+_(r[rc]|cr)r"
                       r"|bfloat16_.*_(32x64x\d+_(r[rc]|cr)r|16x32x))", name)}


def test_the_build_of_the_tests_has_what_they_launch(tmp_path):
  compiled, said = configure(tmp_path, "tests")
  launched = {(instance.arch, instance.name) for instance in emulation_matrix.small_part()}
  launched |= {kernel for kernel in KERNELS if kernel[1].startswith("gemm_float4_")}
  amd = {(target, name) for target, name in compiled if target in _ffi.ROCM_ARCHS}
  assert for_the_emulator() | launched <= amd
  if not os.path.exists("/sys/class/kfd"):  # no AMD GPU
    assert amd == for_the_emulator() | launched
    assert "left out, for gfx942, gfx950" in said and "is tests)" in said


def test_the_build_option_selects_kernels(tmp_path):
  compiled, said = configure(
      tmp_path, "gfx950/.*int8.*256x;gfx942/.*float16_float16.*_rcr")
  assert compiled and compiled == {
      (target, name) for target, name in KERNELS
      if (target == "gfx950" and "int8" in name and "256x" in name)
      or (target == "gfx942" and re.search("float16_float16.*_rcr", name))}
  assert f"({len(KERNELS) - len(compiled)} left out)" in said


@pytest.mark.parametrize("target", _ffi.ROCM_ARCHS)
def test_code_objects_hold_the_kernel_of_their_name(target):
  names = _ffi.built_kernels(target)
  assert names <= {name for arch, name in KERNELS if arch == target}
  assert {name for arch, name in for_the_emulator() if arch == target} <= names
  for name in names:
    code = (_ffi.KERNEL_FOLDER / target / f"{name}.hsaco").read_bytes()
    # Some kernels have forms for scales of blocks, too, or have only such a form.
    forms = [] if name.startswith("gemm_float4_") else [name]
    if target == "gfx950" and re.match(
        r"gemm_float(8_.*_(128x128|256x256)x128|4_.*_(128x128|256x256)x256)_rcr$", name):
      forms.append(f"{name}_mx")
    if re.match(r"gemm_float8_.*_(32|128)x128x128_rcr$", name):
      forms.append(f"{name}_scaled")
    kernels = emulator.kernels(code)
    assert sorted(kernel["name"] for kernel in kernels) == forms
    for kernel in kernels:
      assert kernel["arch"] == target
      # The only argument is GemmArgs, by value.
      (kind, offset, _), = kernel["arguments"]
      assert (kind, offset) == ("by_value", 0)


def test_gpu_libraries_are_not_loaded_before_they_are_needed():
  code, said = python("""if True:
      import sys, jax, jax.numpy as jnp, jaxgemm
      a = jnp.ones((8, 8))
      jaxgemm.matmul(a, a)
      product = jax.jit(lambda a: jaxgemm.matmul(a, a))
      product.trace(a).lower(lowering_platforms=("rocm",))
      assert "jaxgemm.emulator" not in sys.modules
      maps = open("/proc/self/maps").read()
      assert "jaxgemm_emulator" not in maps and "amdhip" not in maps
      jaxgemm.matmul(a, a, implementation="emulated:gfx950")
      assert "jaxgemm_emulator" in open("/proc/self/maps").read()
      """)
  assert code == 0, said


def capsule_address(capsule):
  get = ctypes.pythonapi.PyCapsule_GetPointer
  get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
  return get(capsule, None)


def test_command_buffers_can_be_switched_off(monkeypatch):
  execute = []
  for given in ("0", "1"):
    monkeypatch.setenv("JAXGEMM_COMMAND_BUFFERS", given)
    rocm = _ffi.native.registrations(_ffi._command_buffers())["ROCM"]["jaxgemm_gemm"]
    assert set(rocm) == {"initialize", "execute"}
    execute.append(capsule_address(rocm["execute"]))
  assert len(set(execute)) == 2
  code, said = python("import jaxgemm", JAXGEMM_COMMAND_BUFFERS="no")
  assert code != 0 and "allowed are 0 and 1" in said


@pytest.fixture
def rocm_gpus(monkeypatch):
  """Makes jaxgemm find AMD GPUs of a given compute capability in this process."""
  def have(capability):
    device = types.SimpleNamespace(
        compute_capability=capability, device_kind="AMD Instinct",
        client=types.SimpleNamespace(platform_version="PJRT C API\nrocm 70200"))
    monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
    monkeypatch.setattr(_ffi.jax, "devices", lambda *_: [device])
  monkeypatch.delenv("JAXGEMM_ROCM_ARCH", raising=False)
  monkeypatch.setattr(
      _ffi, "_wanted_rocm_arch", lambda: os.environ.get("JAXGEMM_ROCM_ARCH"))
  return have


def test_the_target_is_the_gpu_that_is_there(rocm_gpus, monkeypatch):
  assert _ffi.target("rocm") == "gfx942"
  for arch in ("gfx90a", "gfx950"):
    rocm_gpus(f"{arch}:sramecc+:xnack-")
    assert _ffi.target("rocm") == arch
  a = jax.ShapeDtypeStruct((256, 256), jnp.bfloat16)
  data = jaxgemm.explain(a, a).data
  assert data["kernel"] == "gemm_bfloat16_bfloat16_32x64x256_rrr"
  assert (data["implementation"], data["target"]) == ("jaxgemm", "gfx950")
  monkeypatch.setenv("JAXGEMM_ROCM_ARCH", "gfx942")
  assert jaxgemm.explain(a, a).data["target"] == "gfx942"


def test_a_gpu_without_kernels_leaves_the_product_to_xla(rocm_gpus):
  a = np.ones((11, 11), np.float32)  # no other test has traced this on the CPU
  with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    rocm_gpus("gfx908:sramecc+")
    out = jaxgemm.matmul(a, a)
  np.testing.assert_array_equal(out, a @ a)
  ok, reason = jaxgemm.supports(a, a)
  assert not ok and "'gfx908'; allowed are gfx942, gfx950" in reason


@pytest.mark.parametrize("m,n,kernel", [
    (16, 16, "32x64x256_rcr"), (2048, 2048, "64x128x64_rcr"),
    (8192, 8192, "256x256x64_rcr")])
def test_lowering_says_which_kernel_runs(monkeypatch, m, n, kernel):
  monkeypatch.setenv("JAXGEMM_ROCM_ARCH", "gfx950")
  monkeypatch.setattr(_ffi, "_wanted_rocm_arch", lambda: "gfx950")
  a, b = (jax.ShapeDtypeStruct((rows, 4096), jnp.bfloat16) for rows in (m, n))
  def product(a, b):
    return jaxgemm.dot_general(a, b, (((1,), (1,)), ((), ())),
                               config=jaxgemm.GemmConfig(schedule="work_stealing"))
  text = jax.jit(product).trace(a, b).lower(lowering_platforms=("rocm",)).as_text()
  call, = (line for line in text.splitlines() if "@jaxgemm_gemm" in line)
  for attribute in (f'kernel = "gemm_bfloat16_bfloat16_{kernel}"', 'target = "gfx950"',
                    "claim_ahead = 1 : i64"):
    assert attribute in call


def test_mixed_operands_are_converted_before_the_call():
  a = jax.ShapeDtypeStruct((64, 64), jnp.bfloat16)
  b = jax.ShapeDtypeStruct((64, 64), jnp.float32)
  def product(a, b):
    return jaxgemm.dot_general(a, b, (((1,), (0,)), ((), ())))
  traced = jax.jit(product).trace(a, b)
  rocm = traced.lower(lowering_platforms=("rocm",)).as_text()
  assert "gemm_float32_float32" in rocm and "stablehlo.convert" in rocm
  assert "stablehlo.convert" not in traced.lower(lowering_platforms=("cpu",)).as_text()
