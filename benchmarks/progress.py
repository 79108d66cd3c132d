"""What a benchmark is doing, on stderr: said when it begins and while it lasts.

A command decorates its `main` with `shown()`, and says what begins by `doing`. Parts
that follow each other quickly are named by `within`, which prints nothing: if nothing
has been said for a while, a thread repeats what is being done and in which part.
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
  """Says what begins."""
  _now.update(what=what, part="")
  _said.set()
  _write(what)


def within(part: str) -> None:
  """Names a part of what is being done, for the case that it lasts."""
  _now["part"] = part


@contextlib.contextmanager
def shown(interval: float = _INTERVAL):
  """Repeats what is being done whenever nothing was said for `interval` seconds."""
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
