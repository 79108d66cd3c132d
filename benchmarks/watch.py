"""Runs a suite in a process of its own. If a candidate ends it, runs the suite again without that.

A candidate that ends its process, or takes longer than --hang_seconds, is left out, which is
printed. With --processes several such processes share the cases, each with a GPU of its own.
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

from absl import flags

from benchmarks import journal, run

FLAGS = flags.FLAGS
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
_SET_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl


def _dies_with_parent() -> None:
  """Called in a child process: it is killed when its parent dies."""
  ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _wait(child: subprocess.Popen, begun: pathlib.Path) -> str:
  """Waits for a child; returns how it ended, or "" if it came to its end.

  A child cannot hang before its first case: it may take long to import jax.
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


def virtual_gpus() -> list[str]:
  """Arguments of Python that give a child this process's virtual GPUs; jax is not imported."""
  rocm = sys.modules.get("jaxgemm.emulator.rocm")
  return rocm.command() if rocm else []


class _Child:
  """The process of a share of the cases, and its files."""

  def __init__(self, argv: Sequence[str], folder: pathlib.Path, share: int, of: int):
    self._argv, self._share = list(argv), share
    self.begun, self.ended = folder / f"begun-{share}", folder / f"ended-{share}.json"
    self.ended.write_text("[]")
    self._env = os.environ | {journal.BEGUN: str(self.begun), journal.ENDED: str(self.ended),
                              journal.SHARE: f"{share}/{of}",
                              journal.COMMAND: json.dumps(sys.argv[1:])}
    if of > 1:
      if devices := _visible_devices():
        self._env |= dict.fromkeys(_VISIBLE, devices[share % len(devices)])

  def run(self) -> int:
    """The exit status; starts the process again for what is left after a crash."""
    more: list[str] = []
    while True:
      self.begun.write_text(json.dumps({"case": "", "candidate": ""}))
      child = subprocess.Popen([sys.executable, *virtual_gpus(), "-m", "benchmarks",
                                *self._argv, *more], env=self._env, preexec_fn=_dies_with_parent)
      try:
        why = _wait(child, self.begun)
      finally:
        child.kill()
      begun = json.loads(self.begun.read_text())
      ended = json.loads(self.ended.read_text())
      found = [begun["case"], begun["candidate"], why]
      if not why or not begun["case"] or found in ended:
        if why:
          print(f"FAILED: {why}", flush=True)
        return 1 if why else child.returncode
      print(f"{begun['case']} {begun['candidate']}: {why}. The others go on.", file=sys.stderr,
            flush=True)
      self.ended.write_text(json.dumps([*ended, found]))
      more = ["--resume"]


def _visible_devices() -> list[str]:
  """The GPUs that this process may use, by their numbers; [] on a CPU."""
  if os.environ.get("JAX_PLATFORMS", "").startswith("cpu"):
    return []
  for name in _VISIBLE:
    if os.environ.get(name):
      return os.environ[name].split(",")
  found = glob.glob("/dev/nvidia[0-9]*") or glob.glob("/dev/dri/renderD*")
  return [str(i) for i in range(len(found))]


def main(argv: Sequence[str]) -> int:
  """Runs the suite that argv names, watched."""
  processes = FLAGS.processes or max(len(_visible_devices()), 1)
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    argv = [*argv, "--nowatch"]
    if processes == 1:
      # What was measured before a crash has to be in a file.
      return _Child([*argv, f"--json={FLAGS.json or folder / 'rows.json'}"], folder, 0, 1).run()
    place = pathlib.Path(FLAGS.json or folder / "rows.json")
    parts = [folder / f"rows-{i}.json" for i in range(processes)]
    if FLAGS.resume and place.exists():
      for part in parts:
        part.write_text(place.read_text())
    only_rows = [f"--{flag}=" for flag in ("csv", "markdown", "png", "compare")]
    children = [_Child([*argv, *only_rows, f"--json={part}"], folder, i, processes)
                for i, part in enumerate(parts)]
    with ThreadPoolExecutor(processes) as threads:
      list(threads.map(_Child.run, children))
    merged = run.merged([json.loads(part.read_text()) for part in parts if part.exists()])
    place.write_text(json.dumps(merged))
    ended = [each for child in children for each in json.loads(child.ended.read_text())]
    last = _Child([*argv, f"--json={place}", "--resume"], folder, 0, 1)
    last.ended.write_text(json.dumps(ended))
    return last.run()
