"""Timings of the plan's candidates, and the fit of the plan's models to them.

Each command is a module: `python -m benchmarks.model.measure --help` times candidates on a GPU or a
CPU, `.fit` fits the constants, `.calls` times products as models call them, `.host` is for CPUs,
and the names with amdgpu predict AMD chips.
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
