"""The resources of the AMD kernels, and the instructions of their main loops.

    python -m benchmarks resources --kernels='bfloat16.*256x256' --markdown=resources.md

No GPU is used, and no time is measured. Registers, LDS, spills and scratch are those of the code
objects. Instructions and LDS conflicts are counted by the emulator.
"""

import functools
import re

from absl import app, flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import amd, progress
import jaxgemm
from jaxgemm import _ffi, emulator

# Of a SIMD: LLVM AMDGPUUsage, gfx90a and later. Arch and accumulation registers are one file.
SIMDS, MAX_WAVES, VECTOR_REGISTERS, REGISTER_GRANULE = 4, 8, 512, 8
# The chip, its bytes of LDS of a compute unit, and their granule (LLVM's GCNSubtarget).
DEVICES = {"gfx942": ("MI300X", 64 << 10, 512), "gfx950": ("MI355X", 160 << 10, 1280),
           "gfx90a": ("MI250X", 64 << 10, 512)}
COMPARED = ("gfx942", "gfx950")  # by default
MOST_VGPRS = 256  # of the large bf16 tile
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
  """(lhs, rhs, result, record) of the emulation of a product m x n x k, or of a batch.

  `make` makes an operand of a shape and a dtype; `config` are fields of GemmConfig.
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


def occupancy(arch: str, vgprs: int, lds_bytes: int, waves: int) -> dict[str, int]:
  """Waves per SIMD with workgroups of `waves` waves: by registers, by LDS, by both.

  vgprs counts arch and accumulation registers together; lds_bytes is per workgroup.
  """
  round_up = lambda value, granule: -(-value // granule) * granule
  _, lds, granule = DEVICES[arch]
  by_registers = min(
      MAX_WAVES, VECTOR_REGISTERS // max(REGISTER_GRANULE, round_up(vgprs, REGISTER_GRANULE)))
  of_group = -(-waves // SIMDS)
  by_lds = lds // round_up(lds_bytes, granule) if lds_bytes else MAX_WAVES // of_group
  return {"by_registers": by_registers, "by_lds": min(MAX_WAVES, by_lds * of_group),
          "waves_per_simd": min(by_registers // of_group, by_lds) * of_group}


def difference(longer: dict, shorter: dict, tiles: int) -> dict:
  """Costs of a k tile, from two records of one workgroup that differ by `tiles` k tiles."""
  return {name: [(a - b) / tiles for a, b in zip(value, shorter[name])]
          if isinstance(value, list) else (value - shorter[name]) / tiles
          for name, value in longer.items()}


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
  kept = ("vgprs", "agprs", "sgprs", "lds_bytes", "vgpr_spills", "sgpr_spills", "scratch_bytes",
          "code_bytes")
  return {
      **parse(name), "arch": arch, "kernel": name,
      "resources": {key: metadata[key] for key in kept} | {
          "waves": waves, **occupancy(arch, metadata["vgprs"], metadata["lds_bytes"], waves)},
      "matrix_cycles": max(cost["simd_matrix_cycles"]),
      "conflict_cycles": cost["lds_conflict_cycles"],
      "instructions": {kind: cost[kind] / waves for kind in KINDS}}


def _number(value: float) -> str:
  return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def _resources(row) -> list:
  r = row["resources"]
  return [row["kernel"], r["vgprs"], r["agprs"], r["sgprs"], r["lds_bytes"],
          f"{r['vgpr_spills']} + {r['sgpr_spills']}", r["scratch_bytes"], r["waves_per_simd"],
          r["code_bytes"]]


def _loop(row) -> list:
  counts = row["instructions"]
  return [row["kernel"], _number(row["matrix_cycles"]), _number(row["conflict_cycles"]),
          *map(_number, counts.values()), f"{counts['instructions'] / counts['matrix'] - 1:.2f}"]


def markdown(rows: list[dict], about: dict) -> str:
  """The report: a head, then for each arch two tables, then the bounds."""
  parts = [
      "# Resources of the AMD kernels",
      "No AMD GPU was used. Registers, LDS, spills and scratch are what the code objects say; "
      "cycles and instructions are counted in emulation, for one k tile in the middle of the main "
      "loop: the difference of two launches of one output tile whose k differs by four k tiles.",
      "\n".join(f"- {key}: `{value}`" for key, value in about.items())]
  for arch, (chip, *_) in DEVICES.items():
    if mine := [row for row in rows if row["arch"] == arch]:
      kinds = [kind.replace("_", " ") for kind in list(mine[0]["instructions"])[1:]]
      parts += [
          f"## {arch} ({chip})",
          "Resources of a wave (VGPRs: arch and accumulation registers together), "
          "spilled VGPRs + SGPRs, bytes of scratch, waves on a SIMD, bytes of code.",
          amd.table(["kernel", "VGPRs", "of these AGPRs", "SGPRs", "LDS", "spills", "scratch",
                     "waves", "code"], list(map(_resources, mine))),
          "For one k tile: cycles of the busiest SIMD's matrix pipe, cycles of LDS conflicts, and "
          "instructions of a wave.",
          amd.table(["kernel", "matrix cycles", "conflicts", "all", *kinds, "others / matrix"],
                    list(map(_loop, mine)))]
  if held := gates(rows):
    parts += ["## Bounds of the large bf16 tile",
              f"{sum(gate['ok'] for gate in held)} of {len(held)} hold.",
              amd.table(["kernel", "what", "is", "bound", ""], [
                  [f"{gate['arch']} {gate['kernel']}", gate["what"], gate["value"], gate["bound"],
                   "ok" if gate["ok"] else "MISSED"] for gate in held])]
  return "\n\n".join(parts) + "\n"


def gates(rows: list[dict]) -> list[dict]:
  """Compares each large bf16 kernel with the bounds."""
  found = []
  for row in rows:
    if row["dtypes"] == ["bfloat16"] * 2 and row["tile"][:2] == [256, 256]:
      r = row["resources"]
      spills = r["vgpr_spills"] + r["sgpr_spills"]
      found += [{"arch": row["arch"], "kernel": row["kernel"], "what": what, "value": value,
                 "bound": bound, "ok": bool(ok)} for what, value, ok, bound in (
                     ("spilled registers", spills, spills == 0, "none"),
                     ("scratch bytes", r["scratch_bytes"], r["scratch_bytes"] == 0, "none"),
                     ("VGPRs", r["vgprs"], r["vgprs"] <= MOST_VGPRS, f"at most {MOST_VGPRS}"),
                     ("waves on a SIMD", r["waves_per_simd"], r["waves_per_simd"] >= 2,
                      "at least 2"),
                     ("LDS conflict cycles", row["conflict_cycles"], row["conflict_cycles"] == 0,
                      "none"))]
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
