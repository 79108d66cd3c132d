"""A process that runs steps on the GPU. A step that ends or hangs it is a result, too."""

from collections.abc import Callable, Generator, Mapping
import importlib
from multiprocessing.connection import Connection, Pipe
import os
import pathlib
import subprocess
import sys
from typing import Any
import warnings

from jaxgemm.emulator import rocm

PROGRAM = ("-m", "jaxgemm.first_light.child")
_START_SECONDS = 300.0
_KILL_SECONDS = 30.0
# The steps must not depend on what this user has tuned or denied.
_ENVIRONMENT = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "JAXGEMM_TUNING": "off",
                "JAXGEMM_DENIED": "off", "PYTHONUNBUFFERED": "1"}

Outcome = dict[str, Any]  # what a step returned, or {"failed": why, "how": one of HOW}
# "start": the process did not start, so the step did not begin. An outcome has "stuck", too, if the
# process cannot be killed.
HOW = ("error", "hang", "end", "start")


class Child:
  """Runs steps one by one in a process, which it starts when a step needs one.

  Args:
    log: the file to which the process writes its messages.
    environment: variables of the process, beside those of this one.
  """

  def __init__(self, log: pathlib.Path, environment: Mapping[str, str] | None = None):
    self._log, self._environment = log, environment or {}
    self._process: subprocess.Popen | None = None
    self._pipe: Connection
    self._begin = 0  # the size of the log when the step began

  def _start(self) -> Outcome | None:
    """Starts the process; returns why it did not start, or None."""
    self._pipe, theirs = Pipe()
    env = {**os.environ, **_ENVIRONMENT, **self._environment}
    with open(self._log, "a", encoding="utf-8") as log:
      self._process = subprocess.Popen(
          [sys.executable, *rocm.command(), *PROGRAM, str(theirs.fileno())],
          pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
    theirs.close()
    said = self._said(_START_SECONDS)
    return None if "ready" in said else said | {"how": "start"}

  def _said(self, seconds: float) -> Outcome:
    assert self._process is not None
    try:
      if self._pipe.poll(seconds):
        return self._pipe.recv()
    except (EOFError, ConnectionError):
      try:
        status = self._process.wait(timeout=_KILL_SECONDS)
      except subprocess.TimeoutExpired:
        return {"failed": "its process closed the pipe, and did not end", "how": "hang"}
      how = f"signal {-status}" if status < 0 else f"status {status}"
      words = _last_words(self._log, self._begin)
      return {"failed": f"it ended the process with {how}{words}", "how": "end"}
    return {"failed": f"it took longer than {seconds:g} s", "how": "hang"}

  def run(self, step: str, arguments: Mapping[str, Any], seconds: float) -> Outcome:
    """What a step returns: a function of this package, as "kernels.check".

    The outcome of a step that failed has "part", the part that it was in, or "".

    Args:
      seconds: a part of the step that takes longer counts as hanging.
    """
    self._begin = self._log.stat().st_size if self._log.exists() else 0
    if (failed := self._sent((step, dict(arguments)))) is not None:
      return failed | {"part": ""}
    part = ""
    while "begins" in (outcome := self._said(seconds)):
      part = outcome["begins"]
    if "failed" in outcome:
      # The GPU's context may be unusable after an error.
      return self._stopped(outcome) | {"part": part}
    return outcome

  def _sent(self, step: tuple[str, dict[str, Any]]) -> Outcome | None:
    """Sends a step to the process, which is started if there is none; returns why not, or None."""
    for _ in range(2):  # a process may have ended since its last step
      if self._process is not None and self._process.poll() is not None:
        self.stop()
      if self._process is None and (failed := self._start()) is not None:
        return self._stopped(failed)
      try:
        self._pipe.send(step)
        return None
      except OSError as error:
        failed = self._stopped({"failed": f"the process took no step: {error}", "how": "start"})
        if "stuck" in failed:
          break
    return failed

  def _stopped(self, failed: Outcome) -> Outcome:
    """The outcome of a step that failed, after the process has been stopped."""
    if self.stop():
      return failed
    return failed | {"failed": f"{failed['failed']}; its process cannot be killed", "stuck": True}

  def stop(self) -> bool:
    """Ends the process. If that cannot be killed, it is left alone, and this is False."""
    process, self._process = self._process, None
    if process is None:
      return True
    self._pipe.close()
    process.kill()
    try:
      process.wait(timeout=_KILL_SECONDS)
    except subprocess.TimeoutExpired:  # the driver does not let it go
      return False
    return True


def _last_words(log: pathlib.Path, begin: int) -> str:
  """What the emulator, or the driver, said last of a fault. The log is read from `begin` on."""
  text = log.read_bytes()[begin:].decode(errors="replace")
  lines = [line for line in text.splitlines()[-80:]
           if "error" in line.lower() or "fault" in line.lower() or line.startswith("jaxgemm:")]
  return f": {lines[-1].strip()[:400]}" if lines else ""


def _outcome(step: str, arguments: Mapping[str, Any], begins: Callable[[str], None]) -> Outcome:
  module, name = step.split(".")
  outcome = getattr(importlib.import_module(f"jaxgemm.first_light.{module}"), name)(**arguments)
  if not isinstance(outcome, Generator):
    return outcome
  while True:  # a step of several parts yields their names
    try:
      begins(next(outcome))
    except StopIteration as end:
      return end.value


def main() -> None:
  pipe = Connection(int(sys.argv[1]))
  warnings.simplefilter("ignore")
  pipe.send({"ready": True})
  while True:
    try:
      step, arguments = pipe.recv()
    except EOFError:
      return  # the parent has ended
    print(f"first light: {step} {arguments}", file=sys.stderr, flush=True)
    try:
      outcome = _outcome(step, arguments, lambda part: pipe.send({"begins": part}))
    except Exception as error:  # pylint: disable=broad-except
      outcome = {"failed": f"{type(error).__name__}: {error}"[:2000], "how": "error"}
      if "this build has no code object" in str(error):
        outcome = {"why": "", "skipped": "this build lacks a kernel that it needs"}
    pipe.send(outcome)


if __name__ == "__main__":
  main()
