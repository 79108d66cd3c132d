"""Explores all states of a model that has few of them, whatever a state is.

checker.py's models have delayed stores, and their states keep what each actor may still read. A
model for this search has none of that: its states say all, so there may be many actors.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tests.protocols.checker import Fault, Report


def search(initial: Any, steps: Callable[[Any], Iterable[tuple[str, Any]]],
           check_end: Callable[[Any], None], most: int = 200_000) -> Report:
  """Runs the model in all ways; stops at the first fault.

  Args:
    steps: gives (text, the state after it) for each step that is possible. It raises Fault if one
      of them is a fault.
    check_end: raises Fault unless this state, which has no next step, is a right end.

  Raises:
    ValueError: there are more than `most` states.
  """
  came_from: dict[Any, tuple[Any, str] | None] = {initial: None}
  left, ends, state = [initial], 0, initial
  try:
    while left:
      state = left.pop()
      is_end = True
      for text, after in steps(state):
        is_end = False
        if after not in came_from:
          came_from[after] = state, text
          left.append(after)
      if is_end:
        ends += 1
        check_end(state)
      if len(came_from) > most:
        raise ValueError(f"there are more than {most} states; make the model smaller.")
  except Fault as fault:
    trace = []
    while (before := came_from[state]) is not None:
      state, text = before
      trace.append(text)
    return Report(len(came_from), ends, str(fault), tuple(reversed(trace)))
  return Report(len(came_from), ends, None, ())
