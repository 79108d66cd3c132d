"""Lane values and expected results for the tests of single instructions."""

import fractions
import math

import numpy as np

F32 = np.float32
U32, U64 = 0xFFFFFFFF, 2**64 - 1


def s32(x: int) -> int:
  return (x & U32) - ((x & 0x80000000) << 1)


def s64(x: int) -> int:
  return (x & U64) - ((x & (1 << 63)) << 1)


def from_top(x: int, bits: int) -> int:
  return next((i for i in range(bits) if x >> (bits - 1 - i) & 1), -1)


def sign_changes(x: int, bits: int) -> int:
  top = x >> (bits - 1)
  return next((i for i in range(1, bits) if x >> (bits - 1 - i) & 1 != top), -1)


def s16(x: int) -> int:
  return (x & 0xFFFF) - ((x & 0x8000) << 1)


HOLES = 0xF0F0_1234_8001_FFFE  # an EXEC with gaps
_INT_RNG = np.random.default_rng(3)
_EDGES = np.array(
  [
    0,
    1,
    2,
    15,
    16,
    31,
    32,
    33,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFF,
    0x800000,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
  ],
  np.uint32,
)
A = np.concatenate(
  [np.repeat(_EDGES[8:], 4), _EDGES, _INT_RNG.integers(0, 2**32, 16, np.uint32)]
)
B = np.concatenate(
  [
    np.tile(_EDGES[4:], 4)[:32],
    _EDGES[::-1],
    _INT_RNG.integers(0, 2**32, 16, np.uint32),
  ]
)
C = np.concatenate([_INT_RNG.integers(0, 2**32, 48, np.uint32), _EDGES])
A64 = A.astype(np.uint64) << np.uint64(32) | B
B64 = B.astype(np.uint64) << np.uint64(32) | C


def expect(got: np.ndarray, old, values: list[int], mask: int = U64) -> None:
  """Asserts that `got` is `values` in the lanes of `mask` and `old` elsewhere."""
  old = np.broadcast_to(old, (64,))
  wanted = [v & U32 if mask >> i & 1 else int(old[i]) for i, v in enumerate(values)]
  assert [hex(x) for x in got] == [hex(x) for x in wanted]


_SPECIAL = np.array(
  [
    0x0,
    0x80000000,
    1,
    0x80000001,
    0x7FFFFF,
    0x800000,
    0x3F800000,
    0xBF800000,
    0x7F7FFFFF,
    0xFF7FFFFF,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0x7F800001,
    0x4B000001,
    0x3F000000,
  ],
  np.uint32,
)


def pairs() -> tuple[np.ndarray, np.ndarray]:
  """All pairs of the special values, then random bits, as float32 [n, 64]."""
  rng = np.random.default_rng(5)
  bits = rng.integers(0, 2**32, (2, 512), np.uint32)
  near = rng.standard_normal((2, 512)).astype(F32).view(np.uint32)
  a = np.concatenate([np.repeat(_SPECIAL, 16), bits[0], near[0]])
  b = np.concatenate([np.tile(_SPECIAL, 16), bits[1], near[1]])
  return a.view(F32).reshape(-1, 64), b.view(F32).reshape(-1, 64)


def same(got: np.ndarray, expected: np.ndarray) -> None:
  """Asserts equal bits, except for the payload of NaN."""
  expected = np.asarray(expected, got.dtype)
  integer = f"u{got.itemsize}"
  equal = got.view(integer) == expected.view(integer)
  assert (equal | np.isnan(got) & np.isnan(expected)).all(), np.argwhere(~equal)[:4]


def signalling(x: np.ndarray) -> np.ndarray:
  quiet = x.view(np.uint32) >> np.uint32(22) & np.uint32(1)
  return np.isnan(x) & (quiet == 0)


def minimum(a, b, ieee=True, largest=False):
  """v_min and v_max as the manuals write them out."""
  out = np.where(np.isnan(a), b, a)
  both = ~np.isnan(a) & ~np.isnan(b)
  less = (a > b if largest else a < b) | (a == b) & (np.signbit(a) != largest)
  out = np.where(both, np.where(less, a, b), out)
  return np.where(ieee & (signalling(a) | signalling(b)), F32(np.nan), out).astype(F32)


def round_float(x: fractions.Fraction, mantissa: int, least: int) -> float:
  """The nearest float of `mantissa` bits and least unit 2^least, ties to even."""
  if x == 0:
    return 0.0
  exponent = max(math.floor(math.log2(abs(x))) - 1, least + mantissa - 1) - mantissa
  while abs(x) >= fractions.Fraction(2) ** (exponent + mantissa):
    exponent += 1
  unit = fractions.Fraction(2) ** max(exponent, least)
  return float(round(x / unit) * unit)
