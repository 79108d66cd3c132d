"""The products that tests and benchmarks share: named ones, those of models, and random ones.

shapes.json has the sizes, the routings and the bounds of acceptance. This module imports no jax.
"""

from collections.abc import Iterator
import dataclasses
import functools
import json
import math
import pathlib
import re
from typing import Any

import numpy as np

SETS = ("dense", "stream_k", "stream_k_gpu", "edge", "skinny", "acceptance", "overhead", "tiny",
        "bench_8k", "large_cubes", "amd")
LAYOUTS = ("rr", "rc", "cr", "cc")
OTHER_DTYPES = ("float16", "float32", "float8_e4m3fn", "int8")
SIXTEEN_BITS = ("bfloat16", "float16")
# Result types for operand types that results do not have.
OUT_DTYPES = {"int8": "int32", "float8_e4m3fn": "bfloat16", "float8_e5m2": "bfloat16"}
_BYTES = {"float32": 4, "int32": 4, "float8_e4m3fn": 1, "float8_e5m2": 1, "int8": 1}


@dataclasses.dataclass(frozen=True)
class Product:
  """lhs [M, K] x rhs [K, N], or a batch of such products.

  Attributes:
    layout: a letter for each operand: "r" if it is in memory as above, "c" if it is transposed.
    dtype: of both operands; None leaves it to the command line, as it does with the schedule.
    source: "random", "explicit", "problems", or the set or the model that it is from.
    out: dtype of the product; empty: that of the operands, or what OUT_DTYPES has.
    batch: number of products; 0: the operands have no dimension for it.
    gate: what rows of shapes.json's "gates" select it by.
  """

  m: int
  n: int
  k: int
  layout: str = "rr"
  dtype: str | None = "bfloat16"
  source: str = "random"
  out: str = ""
  batch: int = 0
  schedule: str | None = None
  gate: str | None = None

  @property
  def sizes(self) -> str:
    return f"{self.batch}x" * bool(self.batch) + f"{self.m}x{self.n}x{self.k}"

  @property
  def label(self) -> str:
    label = f"{self.sizes} {self.layout} {self.dtype}"
    return f"{label} to {self.out}" if self.out else label

  def names(self, dropped: str = "") -> tuple[str, str, str]:
    """The dimensions of lhs, rhs and out as in einsum, without those that are dropped."""
    names = ("mk" if self.layout[0] == "r" else "km", "kn" if self.layout[1] == "r" else "nk", "mn")
    lhs, rhs, out = ("b" * bool(self.batch) + "".join(d for d in name if d not in dropped)
                     for name in names)
    return lhs, rhs, out

  def shapes(self, dropped: str = "") -> list[tuple[int, ...]]:
    """The shapes of lhs and rhs in memory."""
    sizes = {"b": self.batch, "m": self.m, "n": self.n, "k": self.k}
    return [tuple(sizes[d] for d in name) for name in self.names(dropped)[:2]]

  def dimension_numbers(self, dropped: str = ""):
    """The dimension numbers for `jax.lax.dot_general`."""
    lhs, rhs, _ = self.names(dropped)
    batch = ((0,), (0,)) if self.batch else ((), ())
    return ((lhs.index("k"),), (rhs.index("k"),)), batch

  @property
  def out_dtype(self) -> str:
    return self.out or OUT_DTYPES.get(self.dtype or "", self.dtype or "")

  @property
  def flops(self) -> int:
    """Multiplications and additions of the product."""
    return 2 * max(self.batch, 1) * self.m * self.n * self.k

  @property
  def input_bytes(self) -> int:
    return max(self.batch, 1) * _BYTES.get(self.dtype or "", 2) * self.k * (self.m + self.n)

  @property
  def bytes(self) -> int:
    """Bytes of the operands and the result."""
    return self.input_bytes + max(self.batch, 1) * _BYTES.get(self.out_dtype, 2) * self.m * self.n


@functools.cache
def load() -> dict[str, Any]:
  """The content of shapes.json."""
  return json.loads(pathlib.Path(__file__).with_name("shapes.json").read_text())


def products(name: str) -> list[Product]:
  """The products of a named set, of models' layers, random ones, or MxNxK; else ValueError."""
  if match := re.fullmatch(r"(\d+)x(\d+)x(\d+)", name):
    return [Product(*map(int, match.groups()), dtype=None, source="explicit")]
  if match := re.fullmatch(r"random(\d+)(?:-seed(\d+))?", name):
    draw = Draw(int(match[2] or 0), multiple=1, odd=0, other_dtypes=0, layouts=("rr",),
                most_flops=1e12)
    return [dataclasses.replace(each, dtype=None, source=name)
            for each, _ in zip(random(draw), range(int(match[1])))]
  if name == "layers" or name in models():
    sizes = [size for model in ([name] if name in models() else models())
             for size in load()["layers"][model]]
    return [Product(m, n, k, dtype=None, source=name)
            for n, k in dict.fromkeys(map(tuple, sizes)) for m in load()["layers"]["tokens"]]
  if name not in SETS:
    raise ValueError(
        f"No set of cases is named {name!r}: give one of {', '.join(SETS)}; layers, or those of "
        f"one model: {', '.join(models())}; randomCOUNT or randomCOUNT-seedSEED; or a shape as "
        "MxNxK.")
  rows = [row if isinstance(row, dict) else {"mnk": row} for row in load()[name]]
  return [Product(*row["mnk"], source=name, **{"dtype": None} | {
      key: value for key, value in row.items() if key != "mnk"}) for row in rows]


def listed() -> list[str]:
  """A line for each named case."""
  found = []
  for name in SETS:
    found += [name, *(f"  {each.sizes:>16} {each.dtype or ''} {each.schedule or ''}".rstrip()
                      for each in products(name))]
  return [*found, "layers", *(f"  {name}" for name in models()), "grouped",
          *(f"  {name}" for name in grouped_names())]


def models() -> list[str]:
  """The models that "layers" of shapes.json has."""
  return [name for name in load()["layers"] if name != "tokens"]


def mnk(name: str) -> list[tuple[int, int, int]]:
  """The distinct (M, N, K) of a named set."""
  return list(dict.fromkeys((each.m, each.n, each.k) for each in products(name)))


@dataclasses.dataclass(frozen=True)
class Draw:
  """The ranges and shares that `random` draws from. Equal seeds give equal products.

  Attributes:
    least, most: limits of M, N and K, which are log-uniform between them.
    most_k: largest K; 0: that of M and N.
    multiple: sizes are multiples of this, if they are above it. With 16 TMA reads all lines.
    odd: share of the products of which at least one of M, N and K is odd.
    layers: share of products with the sizes of a layer of a model.
    other_dtypes: share of products of one of `others` in place of bfloat16.
    float32_out: share of the products of 16-bit dtypes whose product is float32.
    batches, vectors: shares of those with a batch of up to `most_batch`, and with an M or N of 1.
    most_bytes, most_flops: larger products are drawn again.
  """

  seed: int
  least: int = 16
  most: int = 16384
  most_k: int = 0
  multiple: int = 16
  odd: float = 0.4
  layers: float = 0.0
  other_dtypes: float = 0.1
  others: tuple[str, ...] = OTHER_DTYPES
  layouts: tuple[str, ...] = LAYOUTS
  float32_out: float = 0.0
  batches: float = 0.0
  most_batch: int = 256
  vectors: float = 0.0
  most_bytes: int = 1 << 30
  most_flops: float = math.inf


def random(draw: Draw) -> Iterator[Product]:
  """Draws products without end."""
  rng, rng_of_out, rng_of_batch = (
      np.random.default_rng(seed) for seed in (draw.seed, (draw.seed, 1), (draw.seed, 2)))
  layers = _layers()
  most = np.log([draw.most, draw.most, draw.most_k or draw.most])
  while True:
    # Each product makes all draws, so that a change of a share does not change the other products.
    mnk = np.exp(rng.uniform(math.log(draw.least), most, 3))
    is_layer, is_odd, is_other = rng.random(3) < (draw.layers, draw.odd, draw.other_dtypes)
    which = rng.random(3) < 0.5
    layout, other = rng.choice(draw.layouts), rng.choice(draw.others)
    layer = layers[rng.integers(len(layers))]
    if not which.any():
      which[:] = True
    sizes = [max(draw.least, round(x / draw.multiple) * draw.multiple) for x in mnk]
    if is_odd:
      sizes = [round(x) | 1 if each else size for x, each, size in zip(mnk, which, sizes)]
    has_batch, is_vector = rng_of_batch.random(2) < (draw.batches, draw.vectors)
    batch = int(np.exp(rng_of_batch.uniform(0, math.log(draw.most_batch + 1))))
    vector = rng_of_batch.integers(3)
    if is_vector:
      sizes[:2] = [(1, sizes[1]), (sizes[0], 1), (1, 1)][vector]
    dtype = str(other) if is_other else "bfloat16"
    is_float32_out = rng_of_out.random() < draw.float32_out and dtype in SIXTEEN_BITS
    found = layer if is_layer else Product(*sizes, layout=str(layout))
    found = dataclasses.replace(found, dtype=dtype, out="float32" if is_float32_out else "",
                                batch=batch if has_batch else 0)
    if found.bytes <= draw.most_bytes and found.flops <= draw.most_flops:
      yield found


@functools.cache
def _layers() -> list[Product]:
  """The products of x [M, K] with weights [K, N], and with their transposes."""
  return [Product(m, n, k, layout, source=name) for name in models()
          for n, k in load()["layers"][name] for m in load()["layers"]["tokens"]
          for layout in ("rr", "rc")]


@dataclasses.dataclass(frozen=True)
class Grouped:
  """A product [M, K] x [G, K, N] of one dtype."""

  m: int
  n: int
  k: int
  groups: int
  dtype: str = "bfloat16"

  @property
  def flops(self) -> int:
    """Of the forward pass, if the sizes of the groups sum to M."""
    return 2 * self.m * self.n * self.k

  @property
  def shapes(self) -> tuple[tuple[int, ...], ...]:
    """Shapes of lhs, rhs and the result's cotangent."""
    return (self.m, self.k), (self.groups, self.k, self.n), (self.m, self.n)


def grouped_names() -> list[str]:
  """Names of the grouped products of shapes.json: model.matrix.g<groups>.m<rows of a group>."""
  return [f"{model}.{matrix}.g{groups}.m{rows}" for model, about in load()["grouped"].items()
          for matrix in ("gate_up", "down")
          for groups in about["groups"] for rows in about["m_per_group"]]


def grouped(name: str) -> Grouped:
  """The grouped product of that name, or MxNxK.gGROUPS; ValueError if there is none."""
  if given := re.fullmatch(r"(\d+)x(\d+)x(\d+)\.g(\d+)", name):
    return Grouped(*map(int, given.groups()))
  if name not in grouped_names():
    raise ValueError(f"No grouped problem is named {name!r}: give some of "
                     f"{', '.join(grouped_names())}, or MxNxK.gGROUPS.")
  model, matrix, groups, rows = re.fullmatch(r"(\w+)\.(\w+)\.g(\d+)\.m(\d+)", name).groups()
  about = load()["grouped"][model][matrix]
  return Grouped(int(groups) * int(rows), about["n"], about["k"], int(groups))


def random_grouped(rng: np.random.Generator) -> Grouped:
  """Four to 256 groups, and log-uniform sizes, of which N and K are multiples of 64."""
  groups = int(2 ** rng.integers(2, 9))
  n, k = (int(2 ** rng.uniform(9, 14)) // 64 * 64 for _ in range(2))
  return Grouped(int(2 ** rng.uniform(4, 16)), n, k, groups)


def group_sizes(routing: str, rows: int, groups: int, rng) -> np.ndarray:
  """int32[groups] with the sum `rows`, by a routing that shapes.json describes."""
  if routing not in load()["routing"]:
    raise ValueError(
        f"No routing is named {routing!r}: give one of {', '.join(load()['routing'])}.")
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


@dataclasses.dataclass(frozen=True)
class Experts:
  """A layer of experts, and the number of tokens of a call or step."""

  tokens: int
  features: int
  hidden_features: int
  num_experts: int
  top_k: int

  @property
  def label(self) -> str:
    return (f"{self.num_experts} experts, top {self.top_k}, {self.features} -> "
            f"{self.hidden_features}, {self.tokens} tokens")

  @property
  def flops(self) -> int:
    """FLOPs of the forward pass's grouped products: gate, up and down."""
    return 3 * 2 * self.tokens * self.top_k * self.features * self.hidden_features

  @property
  def bytes_of_expert(self) -> int:
    """Bytes of one expert's three matrices in bfloat16."""
    return 3 * 2 * self.features * self.hidden_features


def experts(size: str, tokens: list[str] | None = None, name: str = "experts"
            ) -> dict[str, list[dict[str, int]]]:
  """By model: the fields of its `Experts`, for each number of tokens.

  Args:
    size: "gpu" or "cpu".
    tokens: the numbers of tokens; None: those of shapes.json.
    name: of the set in shapes.json.
  """
  about, names = load()[name], ("num_experts", "top_k", "features", "hidden_features")
  return {model: [dict(zip(names, sizes)) | {"tokens": int(each)}
                  for each in tokens or about["tokens"][size]]
          for model, sizes in about[size].items()}
