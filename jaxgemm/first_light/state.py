"""What a run knows already, in a file that is replaced after each step."""

import json
import os
import pathlib
from typing import Any

FORMAT = 1


class State:
  """Outcomes of steps by name. Those of another chip, build or version do not count.

  Args:
    file: the file.
    identity: what the outcomes depend on.
  """

  def __init__(self, file: pathlib.Path, identity: dict[str, Any]):
    self._file, self._identity = file, identity
    self.outcomes: dict[str, dict[str, Any]] = {}
    try:
      data = json.loads(file.read_text(encoding="utf-8"))
      if data["format"] == FORMAT and data["identity"] == identity:
        self.outcomes = data["outcomes"]
    except (OSError, ValueError, KeyError, TypeError):
      pass  # there is none, or it was cut short: the steps run again

  def keep(self, name: str, outcome: dict[str, Any]) -> None:
    self.outcomes[name] = outcome
    text = json.dumps({"format": FORMAT, "identity": self._identity, "outcomes": self.outcomes})
    new = self._file.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, self._file)
