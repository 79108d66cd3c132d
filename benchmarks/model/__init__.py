"""Timings of the plan's candidates, and the fit of the plan's models to them.

`python -m benchmarks measure` times candidates on a GPU or a CPU, and `python -m benchmarks fit`
fits the constants of Hopper's model.
"""

import gzip
import json
import pathlib
from typing import Any

DATA = pathlib.Path(__file__).parent / "data"


def load(path: str | pathlib.Path) -> dict[str, Any]:
  """The content of a JSON file, which may be compressed."""
  content = pathlib.Path(path).read_bytes()
  return json.loads(gzip.decompress(content) if str(path).endswith(".gz") else content)
