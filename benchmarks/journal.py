"""What a suite tells the process that watches it, so that a crash does not end a sweep.

The process of benchmarks/watch.py reads which case and candidate had begun when a suite's
process ended, and starts the suite again without that one. Each tells the other through files that
environment variables name. A suite that is not watched writes and reads nothing.
"""

import json
import os
import pathlib
import sys

# File with the case and the candidate that are being measured.
BEGUN = "JAXGEMM_BENCHMARK_BEGUN"
# File with a list [case, candidate, why] for each earlier end of the process; a candidate of "" is
# the whole case.
ENDED = "JAXGEMM_BENCHMARK_ENDED"
# "2/8": this process measures the cases whose number is 2 modulo 8.
SHARE = "JAXGEMM_BENCHMARK_SHARE"
# The arguments of the command that a user gave, as a JSON list.
COMMAND = "JAXGEMM_BENCHMARK_COMMAND"

_now = {"case": "", "candidate": ""}


def _write() -> None:
  if path := os.environ.get(BEGUN):
    new = pathlib.Path(f"{path}.new")
    new.write_text(json.dumps(_now))
    new.replace(path)  # a reader finds a whole file


def begin_case(case: str) -> None:
  """Says that a case begins."""
  _now.update(case=case, candidate="")
  _write()


def begin(candidate: str) -> None:
  """Says that a candidate of this case begins; "": all of them together."""
  _now["candidate"] = candidate
  _write()


def ended() -> list[list[str]]:
  """A list [case, candidate, why] for each earlier end of the process; see ENDED."""
  path = os.environ.get(ENDED)
  return json.loads(pathlib.Path(path).read_text()) if path else []


def why_left_out(candidate: str) -> str:
  """How a candidate of this case ended the process, or "" if it did not."""
  return next((why for case, name, why in ended()
               if (case, name) == (_now["case"], candidate)), "")


def is_mine(number: int) -> bool:
  """Whether this process measures the case with this number."""
  share, _, of = os.environ.get(SHARE, "0/1").partition("/")
  return number % int(of) == int(share)


def command() -> list[str]:
  """The arguments of the command that a user gave."""
  return json.loads(os.environ.get(COMMAND, "null")) or sys.argv[1:]
