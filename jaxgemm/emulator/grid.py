"""Predicted times of whole launches, from the clock of one compute unit.

`jaxgemm.emulator.clock` predicts the cycles of workgroups on one compute unit (CU). From
these the time of a launch is predicted here. It takes into account the rounds of workgroups
over all CUs, the bandwidths of Infinity Cache and HBM, which all CUs share, the frequency
that the chip keeps, and the time of the launch itself. All results are predictions;
`benchmarks/amd/predicted.py` compares them with published measurements.
"""

import dataclasses
import math

from jaxgemm.emulator import _arguments, clock

__all__ = ["Launch", "Traffic", "constants_for", "frequency", "matmul_traffic", "predict"]

_INFINITY_CACHE_BYTES = 256 << 20  # CDNA3 white paper; the same on MI355X
_GROUP_ROWS = 8  # rows of tiles that are visited together, in our kernels and in Triton's


@dataclasses.dataclass(frozen=True)
class Traffic:
  """The bytes that a launch moves.

  Attributes:
    l2_hit_percent: the share of the operands' bytes loaded by the CUs that the L2 has, in
      percent.
    infinity_cache_bytes: bytes between the L2s and the Infinity Cache.
    hbm_bytes: bytes between the Infinity Cache and HBM.
  """

  l2_hit_percent: float
  infinity_cache_bytes: float
  hbm_bytes: float


@dataclasses.dataclass(frozen=True)
class Launch:
  """The predicted time of a launch.

  Attributes:
    seconds: time from start to end, with the time of the launch itself.
    limit: the part that takes longest: "compute", "infinity_cache" or "hbm".
    parts: seconds of each of these parts, as if it were alone, and of the launch itself.
    rounds: how many times one after another each CU starts workgroups.
    megahertz: the assumed frequency.
  """

  seconds: float
  limit: str
  parts: dict[str, float]
  rounds: int
  megahertz: float


def _value(arch: str, name: str) -> float:
  return clock.constants(arch)[name].value


def _positive(name: str, given) -> int:
  return _arguments.whole(name, given, 1, _arguments.UINT64)


def _block(tiles: int, rows: int, columns: int, row_bytes: float, column_bytes: float) -> float:
  """The bytes of the operands of a compact block of `tiles` tiles.

  Args:
    tiles: number of tiles in the block.
    rows, columns: numbers of tiles of the whole product.
    row_bytes, column_bytes: bytes of the operands of one row, and one column, of tiles.
  """
  best = math.inf
  for high in range(1, min(tiles, rows) + 1):
    wide = -(-tiles // high)
    if wide <= columns:
      best = min(best, high * row_bytes + wide * column_bytes)
  return best


def matmul_traffic(arch: str, m: int, n: int, k: int, *, tile: tuple[int, int],
                   itemsize: int = 2, out_itemsize: int = 2, groups: int = 1) -> Traffic:
  """The traffic of `groups` products [m, k] @ [k, n], with one workgroup for each tile.

  The CUs of an XCD are assumed to work on a compact block of neighbouring tiles at a time and
  to load the same k at the same time, so that the L2 serves all but the first load. All XCDs
  together are assumed to do the same in the Infinity Cache. The next block fetches its operands
  anew, unless all rows of tiles are visited together, and lhs stays in the Infinity Cache.

  Args:
    arch: see `predict`.
    m, n, k: sizes of a product.
    tile: rows and columns of a tile.
    itemsize: bytes of an element of the operands.
    out_itemsize: bytes of an element of the result.
    groups: number of products.

  Raises:
    TypeError, ValueError: a number is not a whole one, or less than 1.
  """
  m, n, k, groups = (_positive(name, given) for name, given in (
      ("m", m), ("n", n), ("k", k), ("groups", groups)))
  tile = _positive("tile[0]", tile[0]), _positive("tile[1]", tile[1])
  rows, columns = -(-m // tile[0]), -(-n // tile[1])
  tiles = rows * columns * groups
  cus, xcds = int(_value(arch, "cus")), int(_value(arch, "xcds"))
  row_bytes, column_bytes = (size * k * itemsize for size in tile)
  loaded = tiles * (row_bytes + column_bytes)
  per_xcd = min(-(-tiles // xcds), cus // xcds)
  # A block larger than one product has whole products and a part of one.
  whole, part = divmod(per_xcd, rows * columns)
  fetched = float(whole) * (rows * row_bytes + columns * column_bytes)
  if part:
    fetched += _block(part, rows, columns, row_bytes, column_bytes)
  missed = loaded * fetched / (per_xcd * (row_bytes + column_bytes))
  operands = groups * (m + n) * k * itemsize
  hbm = float(operands)
  if operands > _INFINITY_CACHE_BYTES and rows * columns > cus:
    block = _block(cus, rows, columns, row_bytes, column_bytes)
    lhs_stays = rows <= _GROUP_ROWS and rows * row_bytes + block <= _INFINITY_CACHE_BYTES
    if not lhs_stays:
      hbm = tiles / cus * block
  out = groups * m * n * out_itemsize
  return Traffic(100 * (1 - missed / loaded), missed + out, max(hbm, operands) + out)


def frequency(arch: str, matrix_share: float) -> float:
  """The assumed frequency in MHz, if the chip's matrix pipes work for this share of the time.

  A launch that uses the pipes less than AMD's largest products needs less power, and runs
  at a higher frequency, up to the peak.
  """
  activity = matrix_share / _value(arch, "sustained_share")
  if activity <= 0:
    return _value(arch, "peak_mhz")
  faster = activity ** (-1 / _value(arch, "power_exponent"))
  return min(_value(arch, "peak_mhz"), _value(arch, "sustained_mhz") * faster)


def constants_for(arch: str, traffic: Traffic, megahertz: float | None = None
                  ) -> dict[str, float]:
  """`Options(constants=...)` for a CU of a launch with this traffic.

  The memory behind the L2 has its own clock. So its latency and bandwidth, in cycles of the CUs,
  depend on the CUs' frequency `megahertz`, which is the sustained one by default.
  """
  megahertz = megahertz or _value(arch, "sustained_mhz")
  slower = megahertz / _value(arch, "peak_mhz")
  share = _value(arch, "infinity_cache_gb_per_s") * 1e3 / megahertz / _value(arch, "cus")
  return {
      "l2_hit_percent": traffic.l2_hit_percent,
      "miss_latency": _value(arch, "miss_latency") * slower,
      "miss_bytes_per_cycle": share,
  }


def predict(arch: str, *, workgroups: int, cycles: float, matrix_cycles: float,
            traffic: Traffic, resident: int = 1) -> Launch:
  """Predicts the time of a launch.

  Args:
    arch: "gfx942" (MI300X), "gfx950" (MI355X) or "gfx90a" (a die of MI250X).
    workgroups: number of workgroups in the grid; for a persistent kernel, number of tiles.
    cycles: cycles of `resident` workgroups that share a CU, from their start to their end.
    matrix_cycles: cycles in which a SIMD's matrix pipe works for them; the frequency follows
      from these.
    traffic: the bytes that the launch moves.
    resident: number of workgroups that share a CU.

  Raises:
    TypeError, ValueError: workgroups or resident is not a whole number, or less than 1.
  """
  workgroups, resident = _positive("workgroups", workgroups), _positive("resident", resident)
  slots = int(_value(arch, "cus")) * resident
  rounds = -(-workgroups // slots)
  megahertz = frequency(arch, matrix_cycles / cycles * workgroups / (rounds * slots))
  parts = {
      "compute": rounds * cycles / (megahertz * 1e6),
      "infinity_cache":
          traffic.infinity_cache_bytes / (_value(arch, "infinity_cache_gb_per_s") * 1e9),
      "hbm": traffic.hbm_bytes
          / (_value(arch, "hbm_gb_per_s") * _value(arch, "hbm_share") * 1e9),
  }
  limit = max(parts, key=parts.__getitem__)
  launch = _value(arch, "launch_us") * 1e-6
  return Launch(launch + parts[limit], limit, parts | {"launch": launch}, rounds, megahertz)
