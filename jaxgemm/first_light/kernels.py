"""Checks of one kernel: its results against float64, edges, NaN, and the same bits on each run."""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
import dataclasses
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.first_light.arrays import Guarded, difference, exact, float64

RUNS = 20  # whose bits are compared
# Results in the operands' type where that has the range; others are float32.
_OUT = {"int8": "int32", "bfloat16": "bfloat16", "float16": "float16"}


@dataclasses.dataclass(frozen=True)
class Kernel:
  """A kernel by its name. For one that computes out^T, the fields are those of the caller's call.

  Attributes:
    lhs, rhs: the types of the operands.
    m, n, k: the sizes of its tile.
    layout: "r" or "c" for each operand: whether it is [M, K] and [K, N], or transposed.
  """

  name: str
  lhs: str
  rhs: str
  m: int
  n: int
  k: int
  layout: str

  @classmethod
  def parse(cls, name: str) -> "Kernel":
    dtype = "|".join([*_ffi.NAMES["operand_dtypes"], "float4_e2m1fn"])
    found = re.fullmatch(rf"gemm_({dtype})_({dtype})_(\d+)x(\d+)x(\d+)_([rc])([rc])([rc])", name)
    if found is None:
      raise ValueError(f"{name} is no name of a kernel")
    lhs, rhs, m, n, k, *layout = found.groups()
    if layout[2] == "c":
      lhs, rhs, m, n = rhs, lhs, n, m
      layout = ["rc"[each == "r"] for each in layout[1::-1]]
    return cls(name, lhs, rhs, int(m), int(n), int(k), "".join(layout[:2]))

  @property
  def out(self) -> str:
    return _OUT.get(self.lhs, "float32")

  def operands(self, rng, m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    a = exact(rng, (m, k) if self.layout[0] == "r" else (k, m), self.lhs)
    b = exact(rng, (k, n) if self.layout[1] == "r" else (n, k), self.rhs)
    return a, b

  def wide(self, a, b) -> tuple[np.ndarray, np.ndarray]:
    """The operands in float64, as [M, K] and [K, N]."""
    a, b = float64(a), float64(b)
    return a if self.layout[0] == "r" else a.T, b if self.layout[1] == "r" else b.T

  def product(self, **options) -> Callable:
    """A function of the operands that asks for this kernel."""
    config = jaxgemm.GemmConfig(kernel=self.name, **options)
    numbers = (((int(self.layout[0] == "r"),), (int(self.layout[1] == "c"),)), ((), ()))
    return lambda a, b: jaxgemm.dot_general(
        a, b, numbers, preferred_element_type=self.out, implementation="jaxgemm", config=config)

  def grouped(self, a, b, sizes):
    """The same for groups of rows; b has a matrix for each group."""
    numbers = jax.lax.RaggedDotDimensionNumbers(
        (((1,), (1 + (self.layout[1] == "c"),)), ((), ())), [0], [0])
    return jaxgemm.ragged_dot_general(
        a, b, sizes, numbers, preferred_element_type=self.out, implementation="jaxgemm",
        config=jaxgemm.GemmConfig(kernel=self.name))


# A check: its name, functions of arrays, of which the first one that has a plan is checked, the
# arrays, and the wanted result.
Case = tuple[str, Sequence[Callable], tuple[np.ndarray, ...], np.ndarray]


def _cases(kernel: Kernel) -> Iterator[Case]:
  rng = np.random.default_rng(0)
  m, n, k = kernel.m, kernel.n, kernel.k
  # Some kernels have a workgroup, or the same number of shares, for each of the tiles.
  of_tiles = {"schedule": "stream_k", "num_workgroups": 12, "num_shares": 12}
  options: dict[str, tuple[tuple[int, int, int], list[dict[str, Any]]]] = {
      "edges": ((m + 24, n + 16, 3 * k + 16),
                [{"schedule": "persistent", "num_workgroups": 2}, {}]),
      "tiles": ((2 * m + 8, 2 * n + 16, 2 * k), [{}]),
      "one row": ((1, n + 16, 2 * k), [{}]),
      "odd sizes": ((m // 2 + 3, n // 2 + 3, k + 5), [{}]),
      "work_stealing": ((2 * m + 8, n + 16, 4 * k),
                        [{"schedule": "work_stealing", "num_workgroups": 2}]),
      "stream_k": ((2 * m + 8, n + 16, 4 * k),
                   [{"schedule": "stream_k", "num_workgroups": 7}, of_tiles])}
  for name, (size, alternatives) in options.items():
    a, b = kernel.operands(rng, *size)
    if name == "odd sizes" and jnp.issubdtype(a.dtype, jnp.floating) and "float4" not in kernel.lhs:
      a[(0, 1) if kernel.layout[0] == "r" else (1, 0)] = np.nan
    wide = kernel.wide(a, b)
    yield name, [kernel.product(**each) for each in alternatives], (a, b), wide[0] @ wide[1]
  if kernel.layout[0] == "r":
    for name, groups in ("groups", [5, 0, m + 3, 9]), ("small groups", [1, 0, 2, 7, 0, 16, 3]):
      counts = np.array(groups, np.int32)
      a, _ = kernel.operands(rng, int(counts.sum()), n + 16, 2 * k)
      b = np.stack([kernel.operands(rng, 1, n + 16, 2 * k)[1] for _ in counts])
      wanted = [np.matmul(*kernel.wide(rows, each))
                for rows, each in zip(np.split(a, np.cumsum(counts)[:-1]), b)]
      yield name, [kernel.grouped], (a, b, counts), np.concatenate(wanted)
  if kernel.lhs.startswith("float") and kernel.layout == "rc":
    yield from _with_scales(kernel, rng)


def _with_scales(kernel: Kernel, rng) -> Iterator[Case]:
  """Operands with scales for blocks of 32, of the formats MXFP8 and MXFP4."""
  if "float8" not in kernel.lhs and "float4" not in kernel.lhs:
    return
  m, n, k = kernel.m + 24, kernel.n + 16, 2 * kernel.k + 32
  given = kernel.operands(rng, m, n, k)
  scales = [np.exp2(rng.integers(-1, 2, (1, rows, k // 32))).astype(jnp.float8_e8m0fnu)
            for rows in (m, n)]
  wide = [float64(x) * np.repeat(float64(s)[0], 32, 1) for x, s in zip(given, scales)]
  config = jaxgemm.GemmConfig(kernel=kernel.name)
  yield ("MX formats", [lambda a, b, of_a, of_b: jaxgemm.scaled_matmul(
      a, b, of_a, of_b, config=config, implementation="jaxgemm")],
         (given[0][None], given[1][None], *scales), (wide[0] @ wide[1].T)[None])


def check(name: str, runs: int = RUNS,
          without: Collection[str] = ()) -> Generator[str, None, dict[str, Any]]:
  """The checks of a kernel that its plan allows, but for those of `without`. Yields their names.

  Returns:
    "checks", the names of those that ran; "refused", those for which there is no plan with this
    kernel, and why; "wrong": for a check that failed, with the schedule that it needs or "*", why.
  """
  kernel = Kernel.parse(name)
  checks: list[str] = []
  refused: dict[str, str] = {}
  wrong: list[dict[str, str]] = []
  for case, functions, operands, want in _cases(kernel):
    if case in without:
      continue
    yield case
    guarded = None
    for function in functions:
      try:
        guarded = Guarded(function, operands)
        break
      except (ValueError, TypeError, NotImplementedError) as error:
        refused[case] = str(error)[:200]
    if guarded is None:
      continue
    refused.pop(case, None)
    checks.append(case)
    why = _wrong(guarded, want, runs)
    if why:
      wrong.append(found_wrong(case, why))
  return {"checks": checks, "refused": refused, "wrong": wrong}


def found_wrong(case: str, why: str) -> dict[str, str]:
  """What is wrong in a check, and the schedule with which it is."""
  return {"check": case, "schedule": case if case in _ffi.NAMES["schedules"] else "*", "why": why}


def _wrong(guarded: Guarded, want: np.ndarray, runs: int) -> str:
  first = guarded.run()
  if found := [each for each in (difference(first, want), guarded.broken()) if each]:
    return ", and ".join(found)
  for number in range(1, runs):
    if guarded.run(poison=-1.5).tobytes() != first.tobytes():
      return f"run {number + 1} of the same program has other bits than the first one"
  return guarded.broken()


def jax_is_right() -> bool:
  """Whether XLA's own product is right on this device. Else nothing can be said of kernels."""
  a, b = (exact(np.random.default_rng(i), (96, 96), "float32") for i in range(2))
  return not difference(np.asarray(jax.jit(jnp.matmul)(a, b)), float64(a) @ float64(b))
