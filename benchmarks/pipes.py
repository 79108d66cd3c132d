"""Cycles for which each pipe of an AMD compute unit is busy with a k tile, and waves that fit.

`python -m benchmarks.resources` reports them; no GPU is used. Cycles come from the emulator's
record of a launch (what was executed, with the real addresses); the emulator's sources say where
its cycles of each instruction come from. This module adds the following, with sources:

- A SIMD has its own matrix pipe and vector issue; the busiest of the four SIMDs counts.
  Matrix instructions are vector instructions: each takes 4 cycles of vector issue.
- A compute unit has one LDS, scalar unit and path to memory. In each cycle
  the scheduler looks at one SIMD and issues at most one instruction per kind (ROCm
  Compute Profiler, "Pipeline descriptions"), so a scalar instruction takes one cycle
  of the unit.
- Memory: the larger of 64 bytes a cycle through the L1 (CDNA2 white paper; AMD's
  profiler takes 128 as CDNA3's and CDNA4's peak, so this is the cautious figure) and
  the CU's share of its L2, 16 channels of 128 bytes a cycle for each XCD (CDNA3 white
  paper; the profiler's "L2 Cache BW") and 32 for gfx90a's die (CDNA2 white paper), with
  every CU of the XCD loading and nothing found in the L1.
- Registers: 512 vector registers a SIMD, allocated in eights, arch and accumulation
  registers together; at most 8 waves (LLVM AMDGPUUsage, gfx90a and later; LLVM's
  GCNSubtarget for the granules of the LDS).
"""

import dataclasses

SIMDS = 4
MAX_WAVES = 8         # per SIMD
VECTOR_REGISTERS = 512
REGISTER_GRANULE = 8
MATRIX_ISSUE = 4      # cycles of vector issue
L1_BYTES = 64         # per cycle
CHANNEL_BYTES = 128   # of the L2, per cycle

PIPES = ("matrix", "vector", "lds", "memory", "scalar")


@dataclasses.dataclass(frozen=True)
class Device:
  """Properties of a device that the report needs."""

  name: str
  cus_per_xcd: int
  lds_bytes: int
  lds_granule: int
  xcds: int = 8
  l2_channels: int = 16  # of each XCD

  @property
  def num_cus(self) -> int:
    return self.xcds * self.cus_per_xcd


DEVICES = {
    "gfx942": Device("MI300X", cus_per_xcd=38, lds_bytes=64 << 10, lds_granule=512),
    "gfx950": Device("MI355X", cus_per_xcd=32, lds_bytes=160 << 10, lds_granule=1280),
    "gfx90a": Device("MI250X", cus_per_xcd=110, lds_bytes=64 << 10, lds_granule=512, xcds=1,
                     l2_channels=32),
}
# Those that the reports compare with Triton's kernels.
COMPARED = ("gfx942", "gfx950")


def _round_up(value: int, granule: int) -> int:
  return -(-value // granule) * granule


def occupancy(arch: str, vgprs: int, lds_bytes: int, waves: int) -> dict[str, int]:
  """Waves per SIMD with workgroups of `waves` waves: by registers, by LDS, by both.

  vgprs counts arch and accumulation registers together; lds_bytes is per workgroup.
  """
  device = DEVICES[arch]
  by_registers = min(
      MAX_WAVES,
      VECTOR_REGISTERS // max(REGISTER_GRANULE, _round_up(vgprs, REGISTER_GRANULE)),
  )
  waves_per_simd = -(-waves // SIMDS)
  groups_by_registers = by_registers // waves_per_simd
  groups_by_lds = MAX_WAVES // waves_per_simd
  if lds_bytes:
    groups_by_lds = device.lds_bytes // _round_up(lds_bytes, device.lds_granule)
  return {
      "by_registers": by_registers,
      "by_lds": min(MAX_WAVES, groups_by_lds * waves_per_simd),
      "waves_per_simd": min(groups_by_registers, groups_by_lds) * waves_per_simd,
  }


def difference(longer: dict, shorter: dict, tiles: int) -> dict:
  """Costs of a k tile, from two records of one workgroup that differ by `tiles` k tiles."""
  def per_tile(name):
    if isinstance(longer[name], list):
      return [(a - b) / tiles for a, b in zip(longer[name], shorter[name])]
    return (longer[name] - shorter[name]) / tiles

  return {name: per_tile(name) for name in longer}


def cycles(arch: str, cost: dict) -> dict[str, float]:
  """Cycles of each pipe for one workgroup on its CU, from `difference`.

  matrix_issue is the part of `vector` that is the issue of matrix instructions.
  """
  moved = cost["global_read_bytes"] + cost["global_write_bytes"]
  share = DEVICES[arch].l2_channels * CHANNEL_BYTES / DEVICES[arch].cus_per_xcd
  lds = ("lds_read_cycles", "lds_write_cycles", "lds_dma_cycles", "lds_conflict_cycles")
  issue = MATRIX_ISSUE * cost["matrix"] / SIMDS
  return {
      "matrix": max(cost["simd_matrix_cycles"]),
      "matrix_issue": issue,
      "vector": max(cost["simd_vector_cycles"]) + issue,
      "lds": sum(cost[name] for name in lds),
      "memory": max(cost["global_lines"], moved / min(share, L1_BYTES)),
      "scalar": cost["scalar"] + cost["branch"] + cost["scalar_memory"],
  }


def summary(by_pipe: dict[str, float]) -> dict:
  """The limiting pipe, each pipe's cycles over the matrix pipe's, and the shares.

  share: matrix cycles / cycles of the busiest pipe, the share of time that the matrix
  pipe works if all pipes work at the same time. share_in_turn: matrix cycles / the sum
  of all pipes' cycles (the issue of matrix instructions counted once), if no two
  pipes work at the same time. A GPU lies between the two.
  """
  matrix = by_pipe["matrix"]
  busiest = max(PIPES, key=by_pipe.__getitem__)
  return {
      "limit": busiest,
      "ratio": {name: by_pipe[name] / matrix for name in PIPES if name != "matrix"},
      "share": matrix / by_pipe[busiest],
      "share_in_turn": matrix / (
          sum(by_pipe[name] for name in PIPES) - by_pipe["matrix_issue"]
      ),
  }
