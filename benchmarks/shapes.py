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
  """The cases of a named set, of models' layers, random ones, or MxNxK; else ValueError."""
  if match := re.fullmatch(r"(\d+)x(\d+)x(\d+)", name):
    return [Case("explicit", *map(int, match.groups()))]
  if match := re.fullmatch(r"random(\d+)(?:-seed(\d+))?", name):
    return _random(name, int(match[1]), int(match[2] or 0))
  if name == "layers" or name in models():
    tokens = load()["layers"]["tokens"]
    sizes = [size for model in ([name] if name in models() else models())
             for size in load()["layers"][model]]
    return [Case(name, m, n, k) for n, k in dict.fromkeys(map(tuple, sizes)) for m in tokens]
  if name not in DENSE_SETS:
    raise ValueError(
        f"No set of cases is named {name!r}: give one of {', '.join(DENSE_SETS)}; layers, or "
        f"those of one model: {', '.join(models())}; randomCOUNT or randomCOUNT-seedSEED; or a "
        "shape as MxNxK."
    )
  out = []
  for row in load()[name]:
    row = dict(row) if isinstance(row, dict) else {"mnk": row}
    out.append(Case(name, *row.pop("mnk"), **row))
  return out


def models() -> list[str]:
  """The models that "layers" of shapes.json has."""
  return [name for name in load()["layers"] if name != "tokens"]


def _random(name: str, count: int, seed: int) -> list[Case]:
  """Log-uniform sizes from 16 to 16384, of up to 1e12 operations."""
  rng, found = np.random.default_rng(seed), []
  while len(found) < count:
    case = Case(name, *(int(x) for x in np.exp(rng.uniform(np.log(16), np.log(16385), 3))))
    if case.flops <= 1e12:
      found.append(case)
  return found


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
