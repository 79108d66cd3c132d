"""TFLOP/s of bfloat16 products that others have published for MI355X; none was measured here."""

import json
import pathlib

# m = n = k; HipKittens, arXiv 2511.08083, GEMM figure.
DENSE_SOURCE = "HipKittens (arXiv 2511.08083), MI355X, m = n = k"
DENSE = {
    2048: {"HipKittens": 665, "AITER": 329, "hipBLASLt": 640, "CK": 263, "Triton": 271},
    4096: {"HipKittens": 1413, "AITER": 1114, "hipBLASLt": 1433, "CK": 931, "Triton": 934},
    8192: {"HipKittens": 1610, "AITER": 1591, "hipBLASLt": 1575, "CK": 504, "Triton": 1091},
    16384: {"HipKittens": 1571, "AITER": 1564, "hipBLASLt": 1579, "CK": 478, "Triton": 1086},
}

_GROUPED = pathlib.Path(__file__).parent / "results" / "mi355x-grouped-published.json"


def grouped() -> tuple[str, list[dict]]:
  """The source, and rows with groups, rows_per_group, n, k, op and TFLOP/s by library."""
  data = json.loads(_GROUPED.read_text())
  return data["source"], data["rows"]
