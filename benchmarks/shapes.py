"""The shapes that benchmarks and tests share; reads shapes.json, imports no jax."""

import dataclasses
import functools
import json
import pathlib
import re

import numpy as np

DENSE_SETS = (
    "dense", "stream_k", "edge", "skinny", "acceptance", "overhead", "tiny",
    "bench_8k",
)


@dataclasses.dataclass(frozen=True)
class Case:
  """One product [M, K] x [K, N]. `None` leaves a choice to the command line."""

  name: str  # of the set it belongs to
  m: int
  n: int
  k: int
  dtype: str | None = None
  schedule: str | None = None
  gate: str | None = None

  @property
  def flops(self) -> int:
    """Multiplications and additions of the product."""
    return 2 * self.m * self.n * self.k

  @property
  def label(self) -> str:
    return f"{self.m}x{self.n}x{self.k}"


@functools.cache
def load() -> dict:
  """The content of shapes.json."""
  return json.loads(pathlib.Path(__file__).with_name("shapes.json").read_text())


def cases(name: str) -> list[Case]:
  """The cases of a named set, or of an explicit MxNxK; ValueError if neither."""
  if match := re.fullmatch(r"(\d+)x(\d+)x(\d+)", name):
    return [Case("explicit", *map(int, match.groups()))]
  if name not in DENSE_SETS:
    raise ValueError(
        f"No set of cases is named {name!r}: give one of {', '.join(DENSE_SETS)}, "
        "or a shape as MxNxK."
    )
  out = []
  for row in load()[name]:
    row = dict(row) if isinstance(row, dict) else {"mnk": row}
    out.append(Case(name, *row.pop("mnk"), **row))
  return out


def mnk(name: str) -> list[tuple[int, int, int]]:
  """The distinct (M, N, K) of a named set."""
  return list(dict.fromkeys((c.m, c.n, c.k) for c in cases(name)))


def gates() -> dict[str, dict]:
  """Acceptance bounds by name: {"at_least": ratio, "of": each | geometric mean}."""
  return load()["gates"]


def group_sizes(routing: str, rows: int, groups: int, rng) -> np.ndarray:
  """int32[groups] with the sum `rows`, by a routing that shapes.json describes."""
  if routing not in load()["routing"]:
    raise ValueError(
        f"No routing is named {routing!r}: give one of {', '.join(load()['routing'])}."
    )
  if routing == "balanced":
    sizes = np.full(groups, rows // groups)
  elif routing == "mild":
    weights = 0.2 + 0.8 * rng.random(groups)
    sizes = np.floor(rows * weights / weights.sum())
  else:
    top = min(2, groups)
    sizes = np.zeros(groups)
    sizes[rng.choice(groups, top, replace=False)] = rows // top
  # The remainder goes to the last group that has rows.
  sizes[np.flatnonzero(sizes)[-1] if sizes.any() else -1] += rows - sizes.sum()
  return sizes.astype(np.int32)
