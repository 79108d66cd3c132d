"""The resources of the AMD kernels and the cycles of their main loops.

    python -m benchmarks resources --kernels='bfloat16.*256x256' --markdown=resources.md

No GPU is used, and no time is measured. Registers, LDS, spills and scratch are those of the code
objects. Cycles for which each pipe of a compute unit is busy with a k tile come from the emulator's
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
import functools
import re

from absl import app, flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import amd, progress
import jaxgemm
from jaxgemm import _ffi, emulator

SIMDS = 4
MAX_WAVES = 8         # per SIMD
VECTOR_REGISTERS = 512
REGISTER_GRANULE = 8
MATRIX_ISSUE = 4      # cycles of vector issue
L1_BYTES = 64         # per cycle
CHANNEL_BYTES = 128   # of the L2, per cycle
PIPES = ("matrix", "vector", "lds", "memory", "scalar")
# The bounds of the large bf16 tile.
LIMITS = {"vgprs": 256, "ratio": 0.75}
# The k tiles of the first launch, which reach the loop's steady state, and how many more the second
# launch has.
FIRST_K_TILES, MORE_K_TILES = 4, 4
# The counts of instructions to report; the first is that of all instructions.
KINDS = ("instructions", "matrix", "vector", "scalar", "lds_read", "lds_write",
         "global_load", "global_to_lds", "scratch", "wait", "barrier", "other")
_NAME = re.compile(
    r"gemm_(?P<lhs>[a-z]+\d+(?:_e\dm\d[a-z]*)?)_(?P<rhs>[a-z]+\d+(?:_e\dm\d[a-z]*)?)"
    r"_(?P<tile>\d+x\d+x\d+)_(?P<layout>[rc]{3})")
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("arch", list(COMPARED), "Architectures to report on.")
  flags.DEFINE_string("kernels", "", "Regular expression that kernel names must match.")


# ----------------------------------------------------------------------------------- pipes


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
                     l2_channels=32)}
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
      MAX_WAVES, VECTOR_REGISTERS // max(REGISTER_GRANULE, _round_up(vgprs, REGISTER_GRANULE)))
  waves_per_simd = -(-waves // SIMDS)
  groups_by_registers = by_registers // waves_per_simd
  groups_by_lds = MAX_WAVES // waves_per_simd
  if lds_bytes:
    groups_by_lds = device.lds_bytes // _round_up(lds_bytes, device.lds_granule)
  return {"by_registers": by_registers, "by_lds": min(MAX_WAVES, groups_by_lds * waves_per_simd),
          "waves_per_simd": min(groups_by_registers, groups_by_lds) * waves_per_simd}


def difference(longer: dict, shorter: dict, tiles: int) -> dict:
  """Costs of a k tile, from two records of one workgroup that differ by `tiles` k tiles."""
  return {name: [(a - b) / tiles for a, b in zip(value, shorter[name])]
          if isinstance(value, list) else (value - shorter[name]) / tiles
          for name, value in longer.items()}


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
      "scalar": cost["scalar"] + cost["branch"] + cost["scalar_memory"]}


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
      "share_in_turn": matrix / (sum(by_pipe[name] for name in PIPES) - by_pipe["matrix_issue"])}


# ------------------------------------------------------------------------------------ rows


def kernel_names(arch: str) -> list[str]:
  """Names of the kernels that this build has, the large tiles first.

  Kernels of float4 are left out: they multiply only operands in an MX format, which these reports
  do not have.
  """
  names = [name for name in _ffi.built_kernels(arch) if not name.startswith("gemm_float4_")]
  return sorted(names, key=lambda name: (-parse(name)["tile"][0], name))


def parse(name: str) -> dict:
  """The dtypes, the tile and the layout of a kernel's name."""
  found = _NAME.fullmatch(name)
  return {"dtypes": [found["lhs"], found["rhs"]],
          "tile": [int(size) for size in found["tile"].split("x")], "layout": found["layout"]}


def divides_k(name: str) -> bool:
  """Whether the waves of a kernel divide its k tiles, so that a row has more than 128 bytes."""
  parsed = parse(name)
  return parsed["tile"][2] * jnp.dtype(parsed["dtypes"][0]).itemsize > 128


def contracting(layout: str) -> tuple[int, int]:
  """The dimension of lhs and that of rhs that is K."""
  return int(layout[0] == "r"), int(layout[1] == "c")


def shapes(layout: str, m: int, n: int, k: int) -> tuple[tuple[int, int], tuple[int, int]]:
  """The shapes of lhs and rhs in a layout."""
  of_lhs, of_rhs = contracting(layout)
  return (m, k) if of_lhs else (k, m), (n, k) if of_rhs else (k, n)


def launch(arch: str, kernel: str, product: tuple[int, int, int], options: emulator.Options,
           make=jnp.zeros, batch: int = 0, out_dtype=None, **config):
  """(lhs, rhs, result, record) of the emulation of a product, or of a batch.

  Args:
    product: m, n and k.
    make: makes an operand of a shape and a dtype.
    config: fields of GemmConfig.
  """
  parsed, lead = parse(kernel), (batch,) * bool(batch)
  lhs, rhs = (make((*lead, *shape), dtype) for shape, dtype in zip(
      shapes(parsed["layout"], *product), parsed["dtypes"]))
  numbers = [(len(lead) + dim,) for dim in contracting(parsed["layout"])]
  call = jax.jit(functools.partial(
      jaxgemm.dot_general, dimension_numbers=(numbers, ((0,), (0,)) if batch else ((), ())),
      config=jaxgemm.GemmConfig(kernel=kernel, partition=False, **config),
      implementation=f"emulated:{arch}", preferred_element_type=out_dtype))
  with emulator.options(options):
    out = jax.block_until_ready(call(lhs, rhs))
    return lhs, rhs, out, emulator.last_record()


def _cost(arch: str, name: str, k_tiles: int) -> dict:
  """The cost record of one output tile by one workgroup."""
  m, n, k = parse(name)["tile"]
  integers = lambda shape, dtype: np.random.default_rng(0).integers(-3, 4, shape).astype(
      jnp.dtype(dtype))
  lhs, rhs, out, record = launch(
      arch, name, (m, n, k * k_tiles), emulator.Options(), integers, schedule="persistent",
      num_workgroups=1, out_dtype=jnp.int32 if "_int8_" in name else jnp.float32)
  # In float32 this is exact: the operands are small integers.
  of_lhs, of_rhs = contracting(parse(name)["layout"])
  x, y = lhs if of_lhs else lhs.T, rhs.T if of_rhs else rhs
  if not np.array_equal(np.asarray(out), x.astype(np.float32) @ y.astype(np.float32)):
    raise RuntimeError(f"{name} for {arch} is wrong here: K has {k_tiles} tiles.")
  return record.cost


def of_kernel(arch: str, name: str) -> dict:
  """The row of one of this build's kernels."""
  code_object = (_ffi.KERNEL_FOLDER / arch / f"{name}.hsaco").read_bytes()
  (metadata,) = (x for x in emulator.kernels(code_object) if x["name"] == name)
  waves = metadata["max_workgroup"] // 64
  longer, shorter = (_cost(arch, name, k_tiles) for k_tiles in (
      FIRST_K_TILES + MORE_K_TILES, FIRST_K_TILES))
  cost = difference(longer, shorter, MORE_K_TILES)
  by_pipe = cycles(arch, cost)
  kept = ("vgprs", "agprs", "sgprs", "lds_bytes", "vgpr_spills", "sgpr_spills", "scratch_bytes",
          "code_bytes")
  return {
      **parse(name), "arch": arch, "kernel": name,
      "resources": {key: metadata[key] for key in kept} | {
          "waves": waves, **occupancy(arch, metadata["vgprs"], metadata["lds_bytes"], waves)},
      "cycles": by_pipe, "conflict_cycles": cost["lds_conflict_cycles"],
      "instructions": {kind: cost[kind] / waves for kind in KINDS},
      "summary": summary(by_pipe)}


# ----------------------------------------------------------------------------------- report


HEAD = """\
# Resources of the AMD kernels

No AMD GPU was used. Registers, LDS, spills and scratch are what the code objects say;
cycles are counted from emulation and the ISA manuals. Nothing here is a measured time.

Cycles are of one compute unit with one workgroup, for one k tile in the middle of the
main loop: the difference of two launches of one output tile whose k differs by four k
tiles. benchmarks/amd/resources.py says where each pipe's rate comes from. The busiest SIMD
counts for `matrix` and `vector`; `vector` includes the issue of matrix instructions;
`lds` includes the writes of loads from global memory to the LDS, and the conflicts, which also
have a column of their own. `share` is matrix cycles / cycles of the busiest pipe: the share
of time that the matrix pipe works if all pipes work at once. `in turn` is matrix cycles
/ the sum of all pipes' cycles: that share if no two pipes work at once. A GPU lies between the
two."""


def _number(value: float) -> str:
  return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def _resources(row) -> list:
  r = row["resources"]
  return [row["kernel"], r["vgprs"], r["agprs"], r["sgprs"], r["lds_bytes"],
          f"{r['vgpr_spills']} + {r['sgpr_spills']}", r["scratch_bytes"], r["waves_per_simd"],
          r["code_bytes"]]


def _cycles(row) -> list:
  found = row["summary"]
  return [row["kernel"], *(_number(row["cycles"][name]) for name in PIPES),
          _number(row["conflict_cycles"]), found["limit"], f"{max(found['ratio'].values()):.2f}",
          f"{found['share']:.2f}", f"{found['share_in_turn']:.2f}"]


def _instructions(row) -> list:
  counts = row["instructions"]
  return [row["kernel"], *map(_number, counts.values()),
          f"{counts['instructions'] / counts['matrix'] - 1:.2f}"]


def markdown(rows: list[dict], about: dict) -> str:
  """The report: a head, then for each arch three tables, then the bounds."""
  parts = [HEAD, "\n".join(f"- {key}: `{value}`" for key, value in about.items())]
  for arch, device in DEVICES.items():
    if mine := [row for row in rows if row["arch"] == arch]:
      parts += [
          f"## {arch} ({device.name})",
          "Resources of a wave (VGPRs: arch and accumulation registers together), "
          "spilled VGPRs + SGPRs, bytes of scratch, waves on a SIMD, bytes of code.",
          amd.table(["kernel", "VGPRs", "of these AGPRs", "SGPRs", "LDS", "spills", "scratch",
                     "waves", "code"], list(map(_resources, mine))),
          "Cycles for one k tile.",
          amd.table(["kernel", *PIPES, "conflicts", "limit", "largest other / matrix", "share",
                     "in turn"], list(map(_cycles, mine))),
          "Instructions of a wave for one k tile.", amd.table(["kernel", "all", *(
              kind.replace("_", " ") for kind in list(mine[0]["instructions"])[1:]),
              "others / matrix"], list(map(_instructions, mine)))]
  if held := gates(rows):
    parts += ["## Bounds of the large bf16 tile",
              f"{sum(gate['ok'] for gate in held)} of {len(held)} hold.",
              amd.table(["kernel", "what", "is", "bound", ""], [
                  [f"{gate['arch']} {gate['kernel']}", gate["what"], gate["value"], gate["bound"],
                   "ok" if gate["ok"] else "MISSED"] for gate in held])]
  return "\n\n".join(filter(None, parts)) + "\n"


def gates(rows: list[dict]) -> list[dict]:
  """Compares each large bf16 kernel with the bounds."""
  found = []
  for row in rows:
    if row["dtypes"] != ["bfloat16"] * 2 or row["tile"][:2] != [256, 256]:
      continue
    r, mine = row["resources"], row["summary"]
    spills = r["vgpr_spills"] + r["sgpr_spills"]
    worst = max(mine["ratio"], key=mine["ratio"].get)
    ratio = round(mine["ratio"][worst], 3)
    held = [
        ("spilled registers", spills, spills == 0, "none"),
        ("scratch bytes", r["scratch_bytes"], r["scratch_bytes"] == 0, "none"),
        ("VGPRs", r["vgprs"], r["vgprs"] <= LIMITS["vgprs"], f"at most {LIMITS['vgprs']}"),
        ("waves on a SIMD", r["waves_per_simd"], r["waves_per_simd"] >= 2, "at least 2"),
        ("LDS conflict cycles", row["conflict_cycles"], row["conflict_cycles"] == 0, "none"),
        (f"{worst} cycles / matrix cycles", ratio, ratio <= LIMITS["ratio"],
         f"at most {LIMITS['ratio']}")]
    found += [{"arch": row["arch"], "kernel": row["kernel"], "what": what, "value": value,
               "bound": bound, "ok": bool(ok)} for what, value, ok, bound in held]
  return found


def main(_) -> int:
  if unknown := set(FLAGS.arch) - set(DEVICES):
    raise app.UsageError(
        f"Unknown --arch {', '.join(sorted(unknown))}; there are {', '.join(DEVICES)}.")
  rows = []
  for arch in FLAGS.arch:
    names = [name for name in kernel_names(arch) if re.search(FLAGS.kernels, name)]
    for number, name in enumerate(names, 1):
      progress.doing(f"{arch}, {number} of {len(names)}: {name}")
      rows.append(of_kernel(arch, name))
  if not rows:
    raise app.UsageError(
        f"No kernel of {', '.join(FLAGS.arch)} matches --kernels={FLAGS.kernels!r}. "
        "JAXGEMM_GPU_KERNELS says which ones a build has.")
  amd.write(markdown(rows, amd.about()), {"rows": rows, "acceptance": gates(rows)})
  return 0
