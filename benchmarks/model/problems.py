"""The dense products that the commands of benchmarks/model time: random ones, and real layers."""

from collections.abc import Iterator
import dataclasses
import math

import numpy as np

from benchmarks import shapes

LAYOUTS = ("rr", "rc", "cr", "cc")
OTHER_DTYPES = ("float16", "float32", "float8_e4m3fn", "int8")
SIXTEEN_BITS = ("bfloat16", "float16")
# Sizes of square products for which a new plan must not be slower than the one before.
NAMED_SIZES = (2048, 4096, 8192)
# `Draw.odd` counts problems with a size that is not a multiple of this: TMA reads only lines of a
# multiple of 16 bytes.
_ELEMENTS = 16


@dataclasses.dataclass(frozen=True)
class Problem:
  """lhs [M, K] x rhs [K, N].

  Attributes:
    layout: a letter for each operand: "r" if it is in memory as above, "c" if it is
      transposed, [K, M] and [N, K].
    dtype: of both operands.
    source: "random", "named", or the name of a model with such a layer.
    out: dtype of the product; empty: as the kernels' fastest forms store it.
  """

  m: int
  n: int
  k: int
  layout: str = "rr"
  dtype: str = "bfloat16"
  source: str = "random"
  out: str = ""

  @property
  def label(self) -> str:
    label = f"{self.m}x{self.n}x{self.k} {self.layout} {self.dtype}"
    return f"{label} to {self.out}" if self.out else label

  @property
  def lhs(self) -> tuple[int, int]:
    """The shape of lhs in memory."""
    return (self.m, self.k) if self.layout[0] == "r" else (self.k, self.m)

  @property
  def rhs(self) -> tuple[int, int]:
    """The shape of rhs in memory."""
    return (self.k, self.n) if self.layout[1] == "r" else (self.n, self.k)

  @property
  def contracting(self) -> tuple[int, int]:
    """The dimension of lhs and that of rhs that is K."""
    return int(self.layout[0] == "r"), int(self.layout[1] == "c")

  @property
  def out_dtype(self) -> str:
    """The dtype of the product."""
    return self.out or {"int8": "int32", "float8_e4m3fn": "bfloat16"}.get(self.dtype, self.dtype)

  @property
  def flops(self) -> int:
    """Multiplications and additions of the product."""
    return 2 * self.m * self.n * self.k

  @property
  def input_bytes(self) -> int:
    element = {"float32": 4, "float8_e4m3fn": 1, "int8": 1}.get(self.dtype, 2)
    return element * self.k * (self.m + self.n)

  @property
  def bytes(self) -> int:
    """Bytes of the operands and the result."""
    element = {"float32": 4, "int32": 4}.get(self.out_dtype, 2)
    return self.input_bytes + element * self.m * self.n


@dataclasses.dataclass(frozen=True)
class Draw:
  """The ranges and shares that `random` draws from.

  Attributes:
    seed: of the generator. Equal seeds give equal problems.
    least, most: limits of M, N and K, which are log-uniform between them.
    odd: share of the random problems of which at least one of M, N and K is no
      multiple of 16. Sizes of the other problems are multiples of 16, if they are above 16.
    layers: share of problems with the sizes of a layer of a model.
    other_dtypes: share of problems of another dtype than bfloat16.
    float32_out: share of the problems of 16-bit dtypes whose product is float32.
    most_bytes: of operands and result. Larger problems are drawn again.
  """

  seed: int
  least: int = 16
  most: int = 16384
  odd: float = 0.4
  layers: float = 0.0
  other_dtypes: float = 0.1
  float32_out: float = 0.0
  most_bytes: int = 1 << 30


def random(draw: Draw) -> Iterator[Problem]:
  """Draws problems without end."""
  rng = np.random.default_rng(draw.seed)
  rng_of_out = np.random.default_rng((draw.seed, 1))
  while True:
    # Each problem makes all draws, so that a change of a share does not change the other problems.
    mnk = np.exp(rng.uniform(math.log(draw.least), math.log(draw.most), 3))
    is_layer, is_odd, is_other = rng.random(3) < (
        draw.layers, draw.odd, draw.other_dtypes)
    which = rng.random(3) < 0.5
    layout, other = rng.choice(LAYOUTS), rng.choice(OTHER_DTYPES)
    layer = _layers()[rng.integers(len(_layers()))]
    if not which.any():
      which[:] = True
    aligned = [max(draw.least, round(x / _ELEMENTS) * _ELEMENTS) for x in mnk]
    odd = [round(x) | 1 if each else size
           for x, each, size in zip(mnk, which, aligned)]
    dtype = str(other) if is_other else "bfloat16"
    problem = layer if is_layer else Problem(
        *(odd if is_odd else aligned), layout=str(layout))
    is_float32_out = rng_of_out.random() < draw.float32_out and dtype in SIXTEEN_BITS
    problem = dataclasses.replace(
        problem, dtype=dtype, out="float32" if is_float32_out else "")
    if problem.bytes <= draw.most_bytes:
      yield problem


def named() -> list[Problem]:
  """Square products of the named sizes."""
  return [Problem(size, size, size, layout, source="named")
          for size in NAMED_SIZES for layout in ("rr", "rc")]


def _layers() -> list[Problem]:
  """The products of x [M, K] with weights [K, N], and with their transposes."""
  models = dict(shapes.load()["layers"])
  tokens = models.pop("tokens")
  return [Problem(m, n, k, layout, source=name) for name, sizes in models.items()
          for n, k in sizes for m in tokens for layout in ("rr", "rc")]
