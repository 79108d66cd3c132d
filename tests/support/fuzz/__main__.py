"""Makes random and mutated calls from a seed; each must be right, or be refused by an error.

    python -m tests.support.fuzz --cases=1000 --seed=1
    python -m tests.support.fuzz --whole                   # 100,000 cases
    python -m tests.support.fuzz --kind=api --seed=1 --first=17 --cases=1  # case 17 again
    python -m tests.support.fuzz --kind=scaled --kind=experts --cases=500
    python -m tests.support.fuzz --sanitized=build/cc_tests/address/libcpu_handlers.so

Kinds: "api" calls the public functions (api.py), "calls" the FFI targets (calls.py), "files" reads
corrupted code objects and tuning files (files.py). "computations" are products and their gradients,
on eight CPU devices and in the emulator; its parts "scaled", "recipes", "grouped", "collectives",
"experts" and "transforms" are kinds, too. "gfx942" and "gfx950" compute some of them on virtual
devices (virtual.py). The cases run in child processes, so a crash or a hang is a fault of one case,
and the next child goes on with the case after it. The last line has the counts as JSON; the exit
status is 1 if there is a fault. With --sanitized the handlers of the CPU are those of a library
that was compiled with sanitizers (sanitized.py). These see all loads and stores of the kernel that
JAXGEMM_HOST_KERNEL=portable chooses, and most of those of other kernels.
"""

import argparse
import collections
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time

from tests.support.fuzz import sanitized

_VIRTUAL = ("gfx942", "gfx950")  # virtual.py
KINDS = ("api", "calls", "files", "computations", *_VIRTUAL)
PARTS = ("scaled", "recipes", "grouped", "collectives", "experts", "transforms")
_PLANTED = "planted"  # planted.py: faults of all kinds, for a test
# A case of a computation takes longer than others, because it may compile a program.
_SHARES = {"api": 0.5, "calls": 0.379, "files": 0.1, "computations": 0.02,
           **dict.fromkeys(_VIRTUAL, 0.0005), **dict.fromkeys(PARTS, 1.0), _PLANTED: 1.0}
_SEES_ONE_DEVICE = ("api", "calls", "files", _PLANTED)
# LLVM's level 0 halves the time of compilations, and the programs are too small for threads.
_XLA_FLAGS = ("--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0 "
              "--xla_cpu_parallel_codegen_split_count=1")
_SECONDS_OF_A_CASE = 300
_WHOLE = 100_000


def child(kind: str, seed: int, first: int, cases: int, seconds: float, library: str) -> None:
  """Runs cases and prints, for each, a line before it and one after it."""
  import importlib
  import traceback
  import warnings

  import numpy as np

  from tests.support.fuzz import outcome

  if library:
    sanitized.use(library)
  if kind in _VIRTUAL:
    from jaxgemm.emulator import rocm

    rocm.start(kind, devices=4)
  name = "virtual" if kind in _VIRTUAL else kind
  module = importlib.import_module(f"tests.support.fuzz.{name}")
  warnings.simplefilter("ignore")
  end = time.monotonic() + seconds
  for number in range(first, first + cases):
    if time.monotonic() > end:
      return
    print(f"case {number}", flush=True)
    rng = np.random.default_rng([seed, len(kind), number])
    try:
      done = "done " + module.run(rng)
    except outcome.Fault as fault:
      done = f"fault {fault}"
    except Exception:
      done = f"fault {traceback.format_exc(limit=-4)}"
    print(done.replace("\n", "\\n")[:3000], flush=True)
    if number % 500 == 499:
      module.forget()


def _run_child(kind: str, seed: int, first: int, cases: int, seconds: float, counts, faults,
               limit: float, library: str) -> int:
  """Starts one child; returns the number of the next case."""
  environment = {**os.environ, "JAX_PLATFORMS": "cpu", "JAXGEMM_TUNING": "off"}
  if kind not in _SEES_ONE_DEVICE:
    environment["XLA_FLAGS"] = _XLA_FLAGS
  if kind in _VIRTUAL:
    environment["JAX_PLATFORMS"] = "rocm,cpu"
  if library:
    environment |= sanitized.environment(library)
  command = [sys.executable, "-u", "-m", "tests.support.fuzz", "--child", f"--kind={kind}",
             f"--seed={seed}", f"--first={first}", f"--cases={cases}", f"--seconds={seconds}",
             f"--sanitized={library}"]
  errors = tempfile.TemporaryFile("w+", errors="replace")
  running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment)
  assert running.stdout is not None
  output = running.stdout.fileno()
  selector = selectors.DefaultSelector()
  selector.register(output, selectors.EVENT_READ)
  number, is_open, ended, unread = first, False, "ended", b""
  while True:
    if b"\n" not in unread:
      # A child that starts may be silent for longer than a case.
      if not selector.select(limit if is_open else max(limit, _SECONDS_OF_A_CASE)):
        running.kill()
        ended = f"was silent for {limit:.0f} seconds"
        break
      some = os.read(output, 1 << 16)
      if not some:
        break
      unread += some
      continue
    first_line, unread = unread.split(b"\n", 1)
    line = first_line.decode(errors="replace")
    word, _, rest = line.partition(" ")
    if word == "case":
      number, is_open = int(rest), True
    elif word in ("done", "fault") and is_open:
      is_open = False
      counts[f"{kind}: {rest if word == 'done' else 'fault'}"] += 1
      if word == "fault":
        _say(faults, kind, seed, number, rest.replace("\\n", "\n"))
  status = running.wait()
  if is_open or status:
    counts[f"{kind}: fault"] += 1
    errors.seek(0)
    _say(faults, kind, seed, number,
         f"the process {ended} with status {status}\n{sanitized.report(errors.read())}")
    return number + 1
  return number + 1 if seconds < float("inf") else first + cases


def _say(faults: list[str], kind: str, seed: int, number: int, text: str) -> None:
  faults.append(f"--kind={kind} --seed={seed} --first={number} --cases=1: {text}")
  print(f"FAULT {faults[-1]}", flush=True)


def fuzz(kinds, cases: int, seed: int, first: int = 0, seconds: float = float("inf"),
         limit: float = _SECONDS_OF_A_CASE, library: str = ""):
  """Runs cases of each kind, in turn; returns (counts, faults)."""
  counts: collections.Counter = collections.Counter()
  faults: list[str] = []
  for kind in kinds:
    share = _SHARES[kind] / sum(_SHARES[k] for k in kinds)
    last = first + max(1, round(cases * share))
    end = time.monotonic() + seconds * share
    number = first
    while number < last and (left := end - time.monotonic()) > 0:
      # A child does not go on for ever: what it compiled stays in its memory.
      number = _run_child(kind, seed, number, min(2000, last - number), left, counts, faults,
                          limit, library)
  return counts, faults


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--cases", type=int, default=1000)
  parser.add_argument("--whole", action="store_true", help=f"{_WHOLE} cases")
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--first", type=int, default=0, help="number of the first case")
  parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
  parser.add_argument("--kind", choices=[*KINDS, *PARTS, _PLANTED], action="append",
                      help="a kind; may be given several times; default: all")
  parser.add_argument("--sanitized", default="", metavar="LIBRARY", help="the CPU's handlers")
  parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
  given = parser.parse_args()
  if given.child:
    child(given.kind[0], given.seed, given.first, given.cases, given.seconds,
          given.sanitized)
    return
  begin = time.monotonic()
  counts, faults = fuzz(given.kind or KINDS,
                        _WHOLE if given.whole else given.cases, given.seed, given.first,
                        given.seconds, library=given.sanitized)
  print(json.dumps({"seed": given.seed, "cases": sum(counts.values()),
                    "seconds": round(time.monotonic() - begin), **dict(sorted(counts.items())),
                    "faults": len(faults)}))
  sys.exit(bool(faults))


if __name__ == "__main__":
  main()
