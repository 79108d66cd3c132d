"""Programs with one planted fault each, which test_virtual_rocm.py runs on virtual devices:

    python -m jaxgemm.emulator.rocm -m tests.support.planted_faults NAME

Each first runs without the fault, prints "right without the fault", and plants it then.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi, custom_call
from jaxgemm.emulator import rocm
from tests.support.virtual_programs import F32, check, integers, product

HERE = pathlib.Path(__file__).parent


def right_without_the_fault():
  print("right without the fault", flush=True)


def missing_wait():
  """A wait for a part of the LDS reads is left out of the main loop: the process ends."""
  a, b = integers(128, 192), integers(192, 128)
  expected = a.astype(np.float64) @ b
  # The kernel of float32; that of bfloat16 must not be loaded yet.
  check(jax.jit(lambda a, b: jaxgemm.matmul(a, b, implementation="jaxgemm"))(a, b), expected)
  right_without_the_fault()
  folder = pathlib.Path(tempfile.mkdtemp())
  for arch in pathlib.Path(_ffi.KERNEL_FOLDER).iterdir():
    (folder / arch.name).mkdir()
    for path in arch.glob("gemm_bfloat16_bfloat16_*x64_*"):
      (folder / arch.name / path.name).write_bytes(without_waits(path.read_bytes()))
  _ffi.native.set_kernel_folder(str(folder))
  check(jax.jit(product)(a, b), expected)


def without_waits(code: bytes) -> bytes:
  """The code object with s_nop for each s_waitcnt that lets some LDS reads be outstanding.

  Each main loop has one or two, between the matrix instructions.
  """
  words = np.frombuffer(code[:len(code) // 4 * 4], np.uint32).copy()
  partial = (words >> 16 == 0xbf8c) & ((words >> 8 & 15) % 15 != 0)
  words[partial] = 0xbf800000  # s_nop 0
  return words.tobytes() + code[len(words) * 4:]


def small_workspace():
  """The call has one byte less of workspace than the kernel needs: an error."""
  def multiply():
    a, b = integers(128, 192), integers(192, 128)
    f = jax.jit(lambda a, b: product(a, b, schedule="work_stealing"))
    check(f(a, b), a.astype(np.float64) @ b)

  multiply()
  right_without_the_fault()
  plan = custom_call.plan

  def one_byte_less(*args, **vectors):
    planned = plan(*args, **vectors)
    return planned | {"workspace_bytes": planned["workspace_bytes"] - 1}

  custom_call.plan = one_byte_less
  multiply()


def register_planted_calls() -> None:
  library = pathlib.Path(tempfile.mkdtemp(), "planted_calls.so")
  subprocess.run(
      ["c++", "-std=c++17", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}",
       str(HERE / "planted_calls.cc"), str(rocm.library_folder() / "libamdhip64.so.7"),
       "-o", str(library)], check=True)
  calls = ctypes.CDLL(str(library))
  for name in ("right", "allocates", "another_stream"):
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(calls, name)), platform="ROCM")


def after_a_call(name: str, graph_size: int):
  """A product of what a custom call copies; compared for several inputs."""
  def f(a, b):
    a = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(a.shape, F32))(jnp.maximum(a, 0))
    return jnp.sum(product(a, b), axis=1)

  b = integers(64, 64)
  f = jax.jit(f, compiler_options={"xla_gpu_graph_min_graph_size": graph_size})
  for _ in range(6):
    a = integers(128, 64)
    check(f(a, b), (np.maximum(a, 0).astype(np.float64) @ b).sum(1))


RECORDED, NOT_RECORDED = 1, 1000


def allocation_in_capture():
  """A custom call allocates memory while XLA records it: an error."""
  register_planted_calls()
  after_a_call("right", RECORDED)
  after_a_call("allocates", NOT_RECORDED)
  right_without_the_fault()
  after_a_call("allocates", RECORDED)


def wrong_stream():
  """A custom call copies on another stream: the results are wrong."""
  register_planted_calls()
  after_a_call("right", NOT_RECORDED)
  right_without_the_fault()
  after_a_call("another_stream", NOT_RECORDED)


if __name__ == "__main__":
  globals()[sys.argv[1]]()
