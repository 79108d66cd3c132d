"""Runs a suite in a process of its own. If a candidate ends it, runs the suite again without that.

A candidate that ends its process, or takes longer than --hang_seconds, is left out, which is
printed. The two processes tell each other through files that environment variables name. A suite
that is not watched writes and reads nothing. This module imports no jax.
"""

from collections.abc import Sequence
import ctypes
import glob
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from absl import flags

FLAGS = flags.FLAGS
# Files: the case and the candidate that are being measured; and a list [case, candidate, why] for
# each earlier end of the process, in which a candidate of "" is the whole case.
_BEGUN, _ENDED = "JAXGEMM_BENCHMARK_BEGUN", "JAXGEMM_BENCHMARK_ENDED"
# The arguments of the command that a user gave, as a JSON list.
_COMMAND = "JAXGEMM_BENCHMARK_COMMAND"
_SET_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl
_now = {"case": "", "candidate": ""}


def begin_case(case: str) -> None:
  """Says that a case begins."""
  _now["case"] = case
  begin("")


def begin(candidate: str) -> None:
  """Says that a candidate of this case begins; "": all of them together."""
  _now["candidate"] = candidate
  if path := os.environ.get(_BEGUN):
    new = pathlib.Path(f"{path}.new")
    new.write_text(json.dumps(_now))
    new.replace(path)  # a reader finds a whole file


def ended() -> list[list[str]]:
  """A list [case, candidate, why] for each earlier end of the process."""
  path = os.environ.get(_ENDED)
  return json.loads(pathlib.Path(path).read_text()) if path else []


def why_left_out(candidate: str) -> str:
  """How a candidate of this case ended the process, or "" if it did not."""
  return next((why for case, name, why in ended() if (case, name) == (_now["case"], candidate)), "")


def command() -> list[str]:
  """The arguments of the command that a user gave."""
  return json.loads(os.environ.get(_COMMAND, "null")) or sys.argv[1:]


def virtual_gpus() -> list[str]:
  """Arguments of Python that give a child this process's virtual GPUs; jax is not imported."""
  rocm = sys.modules.get("jaxgemm.emulator.rocm")
  return rocm.command() if rocm else []


def has_gpu() -> bool:
  """Whether a suite runs on a GPU. It does not import jax, because CPUs are chosen before that."""
  if platforms := os.environ.get("JAX_PLATFORMS", ""):
    return platforms.split(",")[0] in ("cuda", "rocm", "gpu")
  return bool(virtual_gpus() or glob.glob("/dev/nvidia[0-9]*") or glob.glob("/dev/kfd"))


def _wait(child: subprocess.Popen, begun: pathlib.Path) -> str:
  """Waits for the process; returns how it ended, or "" if it came to its end.

  It cannot hang before its first case: it may take long to import jax.
  """
  while True:
    try:
      status = child.wait(timeout=1)
      return f"it ended the process, with status {status}" if status < 0 else ""
    except subprocess.TimeoutExpired:
      late = time.time() - begun.stat().st_mtime > FLAGS.hang_seconds
      if FLAGS.hang_seconds and late and json.loads(begun.read_text())["case"]:
        child.kill()
        child.wait()
        return f"it took longer than {FLAGS.hang_seconds:g} s"


def main(argv: Sequence[str]) -> int:
  """Runs the suite that argv names, and again for what is left after a crash."""
  with tempfile.TemporaryDirectory() as name:
    folder, more = pathlib.Path(name), []
    begun, ended_file = folder / "begun", folder / "ended.json"
    ended_file.write_text("[]")
    env = os.environ | {_BEGUN: str(begun), _ENDED: str(ended_file),
                        _COMMAND: json.dumps(command())}
    # What was measured before a crash has to be in a file.
    place = FLAGS.json or folder / "rows.json"
    while True:
      begun.write_text(json.dumps({"case": "", "candidate": ""}))
      child = subprocess.Popen(
          [sys.executable, *virtual_gpus(), "-m", "benchmarks", *argv, "--nowatch",
           f"--json={place}", *more], env=env,
          preexec_fn=lambda: ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL))
      try:
        why = _wait(child, begun)
      finally:
        child.kill()
      now, earlier = json.loads(begun.read_text()), json.loads(ended_file.read_text())
      found = [now["case"], now["candidate"], why]
      if not why or not now["case"] or found in earlier:
        if why:
          print(f"FAILED: {why}", flush=True)
        return 1 if why else child.returncode
      print(f"{now['case']} {now['candidate']}: {why}. The others go on.", file=sys.stderr,
            flush=True)
      ended_file.write_text(json.dumps([*earlier, found]))
      more = ["--resume"]
