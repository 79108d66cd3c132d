"""Runs a suite in a process of its own. If a candidate ends it, runs the suite again without that.

A candidate that ends its process, or takes longer than --hang_seconds, is left out, which is
printed. With --processes several such processes share the cases, each with a GPU of its own.
The processes tell each other through files that environment variables name. A suite that is not
watched writes and reads nothing. This module imports no jax.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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
from typing import Any

from absl import flags

FLAGS = flags.FLAGS
# Files: the case and the candidate that are being measured; and a list [case, candidate, why] for
# each earlier end of the process, in which a candidate of "" is the whole case.
_BEGUN, _ENDED = "JAXGEMM_BENCHMARK_BEGUN", "JAXGEMM_BENCHMARK_ENDED"
# "2/8": this process measures the cases whose number is 2 modulo 8.
SHARE = "JAXGEMM_BENCHMARK_SHARE"
# The arguments of the command that a user gave, as a JSON list.
_COMMAND = "JAXGEMM_BENCHMARK_COMMAND"
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
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


def is_mine(number: int) -> bool:
  """Whether this process measures the case with this number."""
  share, _, of = os.environ.get(SHARE, "0/1").partition("/")
  return number % int(of) == int(share)


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


def _visible_devices() -> list[str]:
  """The GPUs that this process may use, by their numbers; [] on a CPU."""
  if os.environ.get("JAX_PLATFORMS", "").startswith("cpu"):
    return []
  for name in _VISIBLE:
    if os.environ.get(name):
      return os.environ[name].split(",")
  found = glob.glob("/dev/nvidia[0-9]*") or glob.glob("/dev/dri/renderD*")
  return [str(i) for i in range(len(found))]


class _Child:
  """The process of a share of the cases, and its files."""

  def __init__(self, argv: Sequence[str], folder: pathlib.Path, share: int, of: int):
    self._argv = list(argv)
    self.begun, self.ended = folder / f"begun-{share}", folder / f"ended-{share}.json"
    self.ended.write_text("[]")
    self._env = os.environ | {_BEGUN: str(self.begun), _ENDED: str(self.ended),
                              SHARE: f"{share}/{of}", _COMMAND: json.dumps(command())}
    if of > 1 and (devices := _visible_devices()):
      self._env |= dict.fromkeys(_VISIBLE, devices[share % len(devices)])

  def run(self) -> int:
    """The exit status; starts the process again for what is left after a crash."""
    more: list[str] = []
    while True:
      self.begun.write_text(json.dumps({"case": "", "candidate": ""}))
      child = subprocess.Popen(
          [sys.executable, *virtual_gpus(), "-m", "benchmarks", *self._argv, *more], env=self._env,
          preexec_fn=lambda: ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL))
      try:
        why = self._wait(child)
      finally:
        child.kill()
      begun, earlier = json.loads(self.begun.read_text()), json.loads(self.ended.read_text())
      found = [begun["case"], begun["candidate"], why]
      if not why or not begun["case"] or found in earlier:
        if why:
          print(f"FAILED: {why}", flush=True)
        return 1 if why else child.returncode
      print(f"{begun['case']} {begun['candidate']}: {why}. The others go on.", file=sys.stderr,
            flush=True)
      self.ended.write_text(json.dumps([*earlier, found]))
      more = ["--resume"]

  def _wait(self, child: subprocess.Popen) -> str:
    """Waits for the process; returns how it ended, or "" if it came to its end.

    It cannot hang before its first case: it may take long to import jax.
    """
    while True:
      try:
        status = child.wait(timeout=1)
        return f"it ended the process, with status {status}" if status < 0 else ""
      except subprocess.TimeoutExpired:
        late = time.time() - self.begun.stat().st_mtime > FLAGS.hang_seconds
        if FLAGS.hang_seconds and late and json.loads(self.begun.read_text())["case"]:
          child.kill()
          child.wait()
          return f"it took longer than {FLAGS.hang_seconds:g} s"


def merged(contents: Sequence[dict[str, Any]]) -> dict[str, Any]:
  """The contents of files: their lists without duplicates; of other values the first counts."""
  found: dict[str, Any] = {}
  for content in contents:
    for name, value in content.items():
      if isinstance(value, list):
        there = found.setdefault(name, [])
        there += [each for each in value if each not in there]
      else:
        found.setdefault(name, value)
  return found


def main(argv: Sequence[str]) -> int:
  """Runs the suite that argv names, watched."""
  processes = FLAGS.processes or max(len(_visible_devices()), 1)
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    argv = [*argv, "--nowatch"]
    # What was measured before a crash has to be in a file.
    place = pathlib.Path(FLAGS.json or folder / "rows.json")
    if processes == 1:
      return _Child([*argv, f"--json={place}"], folder, 0, 1).run()
    parts = [folder / f"rows-{i}.json" for i in range(processes)]
    if FLAGS.resume and place.exists():
      for part in parts:
        part.write_text(place.read_text())
    only_rows = [f"--{flag}=" for flag in ("csv", "markdown", "png", "compare")]
    children = [_Child([*argv, *only_rows, f"--json={part}"], folder, i, processes)
                for i, part in enumerate(parts)]
    with ThreadPoolExecutor(processes) as threads:
      list(threads.map(_Child.run, children))
    place.write_text(json.dumps(merged(
        [json.loads(part.read_text()) for part in parts if part.exists()])))
    last = _Child([*argv, f"--json={place}", "--resume"], folder, 0, 1)
    last.ended.write_text(json.dumps(
        [each for child in children for each in json.loads(child.ended.read_text())]))
    return last.run()
