"""Finds and loads the emulator's library, and declares its C functions."""

import ctypes
import functools
import os
import pathlib
import threading

_NAME = "libjaxgemm_emulator.so"


class EmulationError(RuntimeError):
  """A launch, a code object or an instruction that the emulator refuses.

  If a kernel fails, the message names the kernel, the instruction with its offset, the
  workgroup, wave and lane, and the error.
  """


def library_path() -> str:
  """The path of the emulator's shared library, which is also a stand-in for libamdhip64.

  The environment variable JAXGEMM_EMULATOR_LIBRARY may name another library.

  Raises:
    FileNotFoundError: the library does not exist.
  """
  if path := os.environ.get("JAXGEMM_EMULATOR_LIBRARY"):
    if not os.path.exists(path):
      raise FileNotFoundError(
          f"JAXGEMM_EMULATOR_LIBRARY names {path}, which does not exist. Set it to the path of "
          f"{_NAME}, or unset it.")
    return path
  import jaxgemm.emulator  # an editable installation has the library elsewhere

  for folder in jaxgemm.emulator.__path__:
    library = pathlib.Path(folder, _NAME)
    if library.exists():
      return str(library)
  raise FileNotFoundError(
      f"{_NAME} is not installed beside jaxgemm.emulator; install jaxgemm with pip, or "
      "set JAXGEMM_EMULATOR_LIBRARY to its path."
  )


@functools.cache
def load() -> ctypes.CDLL:
  """Loads the library and declares the argument types of its functions."""
  lib = ctypes.CDLL(library_path())
  size, text, buffer = ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
  uint32s = ctypes.POINTER(ctypes.c_uint32)
  uint64s = ctypes.POINTER(ctypes.c_uint64)
  bytes_ = ctypes.POINTER(ctypes.c_uint8)
  names = ctypes.POINTER(ctypes.c_char_p)
  buffers = [ctypes.c_int, uint64s, uint64s, bytes_, names]
  functions = {
      "error": (text, []),
      "set_arch": (ctypes.c_int, [text]),
      "set_devices": (ctypes.c_int, [text, ctypes.c_int]),
      "count_graphs": (ctypes.c_uint64, []),
      "on_interruption": (None, [ctypes.CFUNCTYPE(None)]),
      "set_python": (None, [ctypes.c_uint64] + 5 * [ctypes.c_void_p]),
      "set_stream_delays": (None, [ctypes.c_uint64, ctypes.c_uint]),
      "set_options": (ctypes.c_int, [text]),
      "set_buffers": (ctypes.c_int, buffers),
      "clear_records": (None, []),
      "count_records": (size, []),
      "record": (size, [size, buffer, size]),
      "kernels": (size, [text, size, buffer, size]),
      "clock_constants": (size, [text, buffer, size]),
      "add_beside": (
          ctypes.c_int,
          [text, size, text, text, size, ctypes.c_int, uint32s, names, uint32s, uint32s]
          + buffers
          + [uint64s],
      ),
      "remove_beside": (None, [ctypes.c_uint64]),
      "launch": (
          ctypes.c_int,
          [text, size, text, text, size, uint32s, uint32s, ctypes.c_uint32, text, text]
          + buffers
          + [ctypes.POINTER(text)],
      ),
  }
  for name, (result, arguments) in functions.items():
    function = getattr(lib, "jaxgemm_emulator_" + name)
    function.restype, function.argtypes = result, arguments
  python = ctypes.pythonapi
  lib.jaxgemm_emulator_set_python(threading.main_thread().ident, *(
      ctypes.cast(function, ctypes.c_void_p) for function in (
          python.PyGILState_Ensure, python.PyGILState_Release, python.PyErr_CheckSignals,
          python.PyErr_Clear, python.PyErr_SetInterrupt)))
  return lib


def check(ok: bool) -> None:
  """Raises this thread's error from the library unless `ok`."""
  if not ok:
    raise EmulationError(load().jaxgemm_emulator_error().decode())


def read_text(function, *arguments) -> str:
  """The text that a C function with the last parameters (out, capacity) returns."""
  length = function(*arguments, None, 0)
  out = ctypes.create_string_buffer(length + 1)
  function(*arguments, out, length + 1)
  return out.value.decode()
