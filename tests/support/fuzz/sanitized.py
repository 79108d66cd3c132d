"""Runs calls on the CPU's handlers under the sanitizers of addresses and of undefined behaviour.

`library` is tests/cc/cpu_handlers.cc, compiled by tests/cc/test_cc.py. The process that loads it
has the sanitizer's own library from its start, so there is guarded memory around XLA's buffers.
"""

import ctypes
import os
import re
import subprocess
import sys


def environment(library: str) -> dict[str, str]:
  """What a process needs that loads the library."""
  linked = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
  (sanitizer,) = re.findall(r"=> (\S*libasan\S*)", linked)
  # The sanitizer looks for functions of the C++ library at its start.
  return {"LD_PRELOAD": f"{sanitizer} libstdc++.so.6", "UBSAN_OPTIONS": "print_stacktrace=1",
          # jaxlib allocates by malloc what it frees by delete.
          "ASAN_OPTIONS": "detect_leaks=0:alloc_dealloc_mismatch=0"}


def use(library: str) -> ctypes.CDLL:
  """Registers the library's handlers instead of the module's, before jaxgemm is imported."""
  import atexit

  import jax

  handlers = ctypes.CDLL(os.path.abspath(library))
  register = jax.ffi.register_ffi_target

  def replaced(name, handler, platform, **given):
    if platform == "cpu":
      handler = jax.ffi.pycapsule(getattr(handlers, name))
    register(name, handler, platform=platform, **given)

  jax.ffi.register_ffi_target = replaced
  try:
    from jaxgemm import _ffi, emulator
  finally:
    jax.ffi.register_ffi_target = register
  handlers.set_paths(str(_ffi.KERNEL_FOLDER).encode(), str(emulator.library_path()).encode())
  atexit.register(handlers.wait_for_copies)
  return handlers


def report(errors: str) -> str:
  """The first report of a sanitizer in what a process wrote, or the end of it."""
  begins = [at for at in map(errors.find, ("ERROR: AddressSanitizer", "runtime error:")) if at >= 0]
  return errors[min(begins):][:2000] if begins else errors[-1000:]


def main(library: str, fault: str) -> None:
  """Makes a call with a planted fault of cpu_handlers.cc; fault 0 is none."""
  handlers = use(library)
  import jax
  import numpy as np

  jax.ffi.register_ffi_target(
      "planted", jax.ffi.pycapsule(handlers.planted), platform="cpu", api_version=1)
  x = np.arange(100, dtype=np.int8)
  out = jax.ffi.ffi_call("planted", jax.ShapeDtypeStruct(x.shape, x.dtype))(
      x, fault=np.int64(fault))
  np.testing.assert_array_equal(out, x)


if __name__ == "__main__":
  main(*sys.argv[1:])
