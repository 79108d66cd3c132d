"""Programs with one planted fault each, which test_virtual_rocm.py runs on virtual devices:

    python -m jaxgemm.emulator.rocm -m tests.emulator.planted_faults NAME

Each program first runs without the fault, prints "right without the fault", and then plants it.
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
from jaxgemm import _ffi
from jaxgemm.call import lower
from jaxgemm.emulator import rocm
from tests.emulator.virtual_programs import F32, check, integers, product

HERE = pathlib.Path(__file__).parent


def right_without_the_fault():
  print("right without the fault", flush=True)


# s_waitcnt has a count for LDS instructions in bits 8 to 11, and for loads of global memory in bits
# 0 to 3 and 14 to 15. 0 waits for all, all ones for none.
NO_WAIT_FOR_LDS, NO_WAIT_FOR_LOADS = 0x0f00, 0xc00f


def missing_lds_wait():
  """The main loop multiplies before its LDS reads are done: the process ends."""
  product_without_waits(NO_WAIT_FOR_LDS)


def missing_load_wait():
  """The main loop uses operands before they are loaded: the process ends."""
  product_without_waits(NO_WAIT_FOR_LOADS)


def unknown_instruction():
  """The kernel halts, which the emulator refuses: a Python error, and other kernels still run."""
  halt = np.uint32(0xbf8d0001)  # s_sethalt 1

  def with_halt(code: bytes) -> bytes:
    words = np.frombuffer(code[:len(code) // 4 * 4], np.uint32).copy()
    words[words >> 16 == 0xbf8c] = halt
    return words.tobytes() + code[len(words) * 4:]

  try:
    product_of_changed_kernels(with_halt)
  except Exception:
    a, b = integers(32, 32), integers(32, 16)
    check(jax.jit(jnp.matmul)(a, b), a.astype(np.float64) @ b)
    raise


def product_without_waits(no_wait: int):
  product_of_changed_kernels(lambda code: without_waits(code, no_wait))


def product_of_changed_kernels(change):
  a, b = integers(128, 192), integers(192, 128)
  expected = a.astype(np.float64) @ b
  # float32 has another kernel: that of bfloat16 must not be loaded before its waits are removed.
  check(jax.jit(lambda a, b: jaxgemm.matmul(a, b, implementation="jaxgemm"))(a, b), expected)
  right_without_the_fault()
  folder = pathlib.Path(tempfile.mkdtemp())
  for arch in pathlib.Path(_ffi.KERNEL_FOLDER).iterdir():
    (folder / arch.name).mkdir()
    for path in arch.glob("gemm_bfloat16_bfloat16_*x64_*"):
      (folder / arch.name / path.name).write_bytes(change(path.read_bytes()))
  _ffi.native.set_kernel_folder(str(folder))
  # The main loop of this tile reads its operands from the LDS.
  config = jaxgemm.GemmConfig(tile_m=32, tile_n=128)
  check(jax.jit(lambda a, b: product(a, b, config=config))(a, b), expected)


def without_waits(code: bytes, no_wait: int) -> bytes:
  """The code object with weaker s_waitcnt instructions.

  An s_waitcnt that lets some operations, but not all, be outstanding gets the bits `no_wait`, so
  that it does not wait for that counter. Such instructions are mostly in main loops.
  """
  words = np.frombuffer(code[:len(code) // 4 * 4], np.uint32).copy()
  partial = np.zeros(len(words), bool)
  for counter in (NO_WAIT_FOR_LDS, NO_WAIT_FOR_LOADS):
    partial |= (words & counter != 0) & (words & counter != counter)
  words[partial & (words >> 16 == 0xbf8c)] |= no_wait
  return words.tobytes() + code[len(words) * 4:]


def small_workspace():
  """The call has one byte less of workspace than the kernel needs: an error."""
  def multiply():
    a, b = integers(128, 192), integers(192, 128)
    f = jax.jit(lambda a, b: product(a, b, schedule="work_stealing"))
    check(f(a, b), a.astype(np.float64) @ b)

  multiply()
  right_without_the_fault()
  plan = lower.plan_call

  def one_byte_less(*args, **vectors):
    planned = plan(*args, **vectors)
    return planned | {"workspace_bytes": planned["workspace_bytes"] - 1}

  lower.plan_call = one_byte_less
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
  """Multiplies the copy that a custom call makes, and compares the results of several inputs."""
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
  # The key of JAX's compilation cache does not tell recorded programs from others.
  jax.config.update("jax_enable_compilation_cache", False)
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
