"""Refusals of the stand-ins for RCCL and for the other libraries of ROCm."""

import collections
import re
import subprocess
import sys
import textwrap

from tests.emulator.refusals import messages


def run_program(code: str) -> str:
  done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True,
                        text=True)
  assert done.returncode == 0, done.stderr
  return done.stdout + done.stderr


RCCL_REFUSES = {
    "The stand-in RCCL does not know data type ":
        "lib.ncclAllGather(data, data, size(1), 99, one, None)",
    "The stand-in RCCL has no reduction ":
        "lib.ncclAllReduce(data, data, size(1), 7, 99, one, None)",
    "There is no rank ": "lib.ncclBroadcast(data, data, size(1), 7, 5, one, None)",
    "The ranks of a virtual ROCm are devices of one process.":
        "init(1, 0, Id(b'another process'))",
    "The rank does not exist.": "init(2, 2, unique)",
    "The ranks disagree on their number.": "init(3, 0, unique)",
    "There is no unique id.": "lib.ncclCommInitRankScalable(made(), 1, 0, 0, None, None)",
    "No group was started.": "lib.ncclGroupEnd()",
}
RECEIVES_LESS = "A rank receives "  # in a stream's thread, where it ends the process
RCCL = """
    import ctypes
    from jaxgemm.emulator import rocm
    from tests.emulator.hip import Hip
    for name in ("libamdhip64.so.7", "librccl.so.1"):
      lib = ctypes.CDLL(str(rocm.library_folder() / name))
    hip = Hip("libamdhip64.so.7")
    lib.ncclGetErrorString.restype = ctypes.c_char_p
    size = ctypes.c_size_t
    class Id(ctypes.Structure):
      _fields_ = [("bytes", ctypes.c_char * 128)]
    unique, one, data = Id(), ctypes.c_void_p(), hip.words([0, 0])
    lib.ncclGetUniqueId(ctypes.byref(unique))
    made = lambda: ctypes.byref(ctypes.c_void_p())
    init = lambda ranks, rank, id: lib.ncclCommInitRankConfig(made(), ranks, id, rank, None)
    assert lib.ncclCommInitRankConfig(ctypes.byref(one), 1, unique, 0, None) == 0
"""


def test_refusals_of_rccl():
  assert {*messages("rccl")} == {*RCCL_REFUSES, RECEIVES_LESS}
  calls = "".join(f"    errors.append({call})\n    print(lib.ncclGetErrorString(1).decode())\n"
                  for call in RCCL_REFUSES.values())
  printed = run_program(RCCL + "    errors = []\n" + calls + "    print(errors)\n").splitlines()
  *texts, errors = printed
  assert len(texts) == len(RCCL_REFUSES)
  for text, message in zip(texts, RCCL_REFUSES):
    assert text.startswith(message)
  assert errors == "[4, 4, 4, 5, 4, 5, 4, 5]"


def test_rank_that_receives_more_than_was_sent_ends_the_process():
  printed = run_program(f"""
    import os
    if (child := os.fork()) == 0:
{textwrap.indent(RCCL, "  ")}
      stream = hip.stream()
      lib.ncclSend(data, size(1), 7, 0, one, stream)
      lib.ncclRecv(data, size(2), 7, 0, one, stream)
      hip.call("hipStreamSynchronize", stream)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
  """)
  assert RECEIVES_LESS + "8 bytes, and 4 were sent" in printed and "\n-6" in "\n" + printed


def test_functions_of_other_libraries_say_that_they_are_not_there():
  """Calls each function of each stub; those that cannot return an error end their process."""
  printed = run_program("""
    import ctypes, os, pathlib, re, signal
    from jaxgemm.emulator import rocm
    results = {"kSucceeds": 0, "kAbsent": -1, "kFails": 1, "kFailsQuietly": 1}
    quiet = os.open(os.devnull, os.O_WRONLY)
    for path in sorted(pathlib.Path("ffi/emulator/stubs").glob("*.def")):
      lib = ctypes.CDLL(str(rocm.library_folder() / path.stem))
      for result, name in re.findall(r"^JAXGEMM_STUB[(]\\w+, (\\w+), (\\w+)[)]", path.read_text(),
                                     re.MULTILINE):
        function = lib[name]
        function.restype = ctypes.c_long
        if result == "kAborts":
          if (child := os.fork()) == 0:
            function()
            os._exit(0)
          status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
          assert status == -signal.SIGABRT, (name, status)
        elif result == "kMakesHandle":
          handle = ctypes.c_void_p()
          assert function(ctypes.byref(handle)) == 0 and handle.value, name
        elif result == "kText":
          function.restype = ctypes.c_char_p
          assert function() == b"a virtual ROCm device has no such library", name
        else:
          assert function() == function() == results[result], name
        print("called", result, name)
  """).splitlines()
  called = [line.split() for line in printed if line.startswith("called")]
  said = collections.Counter(re.findall(r"the program called (\w+)\.", "\n".join(printed)))
  assert len(called) > 200
  # Each message comes once, however often the function is called.
  assert said == {name: 1 for _, result, name in called if result in ("kFails", "kAborts")}
