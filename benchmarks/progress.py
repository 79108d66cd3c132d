"""Prints each step of a benchmark on stderr: when it begins, and while it lasts.

`doing` is called when a step begins. `within` names a part of the step and prints nothing, because
such parts may follow each other quickly. If nothing was printed for a while, a thread prints the
step and its part.
"""

import contextlib
import sys
import threading
import time

_INTERVAL = 10.0
_begin = time.monotonic()
_now = {"what": "Starting", "part": ""}
_said = threading.Event()


def _write(text: str) -> None:
  print(f"[{time.monotonic() - _begin:5.0f} s] {text}", file=sys.stderr, flush=True)


def doing(what: str) -> None:
  """Prints the step that begins."""
  _now.update(what=what, part="")
  _said.set()
  _write(what)


def within(part: str) -> None:
  """Names the current part of the step, for the thread that repeats the step."""
  _now["part"] = part


@contextlib.contextmanager
def shown(interval: float = _INTERVAL):
  """Repeats the current step whenever nothing was printed for `interval` seconds."""
  done = threading.Event()

  def repeat():
    while not done.is_set():
      if _said.wait(interval):
        _said.clear()
      else:
        _write("still: " + ": ".join(filter(None, (_now["what"], _now["part"]))))

  thread = threading.Thread(target=repeat, daemon=True)
  thread.start()
  try:
    yield
  finally:
    done.set()
    _said.set()
    thread.join()
