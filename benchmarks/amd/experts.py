r"""The products of a layer of experts on AMD GPUs, predicted, beside those of another library.

    python -m benchmarks amd_experts --measured=aiter-moe.csv.xz --markdown=amd-experts.md

The emulator runs both products with the kernel and the grid of the plan, for tokens that choose
their experts at random, and its clock (docs/api/emulator.md) times the workgroups of one compute
unit. A product takes as long as these, or as the memory moves its bytes. That is a prediction at
the chip's peak frequency: no time is measured. --measured is a table of tuned fused layers
(ROCm/aiter), whose two kernels were timed without launches. A ratio is our time over theirs.

A second table has products of bfloat16 and weights in MXFP4 by the kernel for few rows: of 8192 x
8192, and those of gpt-oss's layer, with the share of the copy bandwidth at which the weights are
read. Each group has the same rows; XLA's sums of parts, bias and activation are not in it.
"""

import csv
import lzma
import math

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import amd, progress
from benchmarks.amd import plan, tile_times
import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.call import few_rows
from jaxgemm.emulator import grid

EXPERTS, TOP_K, FEATURES, HIDDEN = 128, 8, 4096, 384  # Qwen3-235B, tensor parallelism of 4
COLUMNS = {"gated": "us1", "second": "us2"}  # of the table, by product
# Weights of 4 bits: (tokens, experts with rows, n, k), for gpt-oss of 32 experts, top 4.
FEW_ROWS = [(rows, 1, 8192, 8192) for rows in (1, 16, 64)] + [
    (tokens, active, n, 2880) for tokens, active in ((1, 4), (16, 28), (64, 32))
    for n in (2 * 2880, 2880)]
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("chips", ["MI300X", "MI355X"], "Chips.")
  flags.DEFINE_list("tokens", ["1", "2", "4", "8", "16", "32", "128"], "Tokens.")
  flags.DEFINE_string("measured", None, "CSV of measured layers, compressed by xz.", required=True)


def row(chip: str, product: str, tokens: int, weights: jax.Array) -> dict:
  arch, cus = _ffi.NAMES["chips"][chip]
  chosen = np.stack([np.random.default_rng(token).permutation(EXPERTS)[:TOP_K]
                     for token in range(tokens)]).ravel()
  sizes = np.bincount(chosen, minlength=EXPERTS).astype(np.int32)
  rows, active, gated = len(chosen), int((sizes > 0).sum()), product == "gated"
  n, k = (2 * HIDDEN, FEATURES) if gated else (FEATURES, HIDDEN)
  given = {"implementation": f"emulated:{chip}"}
  call = jaxgemm.ragged_dot
  if gated:
    call, weights = jaxgemm.ragged_gated_linear_unit, weights.reshape(EXPERTS, k, 2, HIDDEN)
    given |= {"lhs_indices": (np.argsort(chosen, kind="stable") // TOP_K).astype(np.int32)}
  lhs = jnp.zeros((tokens if gated else rows, k), jnp.bfloat16)
  planned = jaxgemm.explain(call, lhs, weights, sizes, **given).data["calls"][0]
  (tile_m, tile_n, _), mean = planned["tile"], math.ceil(rows / active)
  traffic = grid.matmul_traffic(arch, mean, n, k, tile=(min(tile_m, mean), tile_n), groups=active)
  constants = dict(plan.rounded_constants(arch, traffic))
  # Neighbouring tiles on an XCD use parts of the same cache lines of rhs.
  part = min(1.0, tile_n * weights.itemsize / (1 + gated) / plan.LINE_BYTES)
  constants["l2_hit_percent"] = 100 - (100 - constants["l2_hit_percent"]) * part
  tiles = int((-(-sizes // tile_m)).sum()) * math.ceil(n / tile_n)
  on_cu = math.ceil(min(tiles, planned["num_workgroups"]) / cus)
  with emulator.options(emulator.Options.unchecked(clock=on_cu, constants=constants)):
    jax.block_until_ready(call(lhs, weights, sizes, **given))
    cycles = emulator.last_record().clock.cycles
  launch = plan.constant(arch, "launch_us")
  return {"chip": chip, "product": product, "tokens": tokens, "kernel": planned["kernel"],
          "workgroups": planned["num_workgroups"],
          "unit_us": cycles / plan.constant(arch, "peak_mhz"),
          "us": plan.launch_seconds(arch, cycles, traffic, zeroes=False) * 1e6 - launch}


def few_rows_row(chip: str, tokens: int, active: int, n: int, k: int) -> list:
  """A product by the kernel for weights in MXFP4 (jaxgemm/call/few_rows.py)."""
  arch, cus = _ffi.NAMES["chips"][chip]
  choices = tokens if active == 1 else 4 * tokens
  rows, tiles = math.ceil(choices / active), 2 * math.ceil(n / 256)
  parts = few_rows.parts_on_amd(cus, active, k, n)
  kernel = f"bfloat16_float4_e2m1fn_{0 if rows <= 16 else 1 if rows <= 32 else 2}"
  weights = active * (k * n // 2 + k // 32 * n)
  others = choices * k * 2, choices * n * (8 * parts if parts > 1 else 2)
  # In a step a workgroup loads parts of 32 lines of weights, whose other halves a neighbour loads,
  # a line of scales, and half a line of each row, which is in the L2.
  hit = 100 * (1 - 17 / (33 + rows / 2))
  traffic = grid.Traffic(hit, weights + sum(others), weights + sum(others))
  arrays = [tile_times.aligned((size,)) for size in (
      rows * k, k * n // 4, k // 32 * n // 2, 2 * parts * rows * n)]
  x, values, scales, out = arrays
  integers = (rows, rows, k, n, 0, 1, 1, tiles, parts, parts > 1)
  on_cu = math.ceil(tiles * parts * active / cus)
  record = emulator.launch(
      (_ffi.KERNEL_FOLDER / arch / "few_rows.hsaco").read_bytes(), f"jaxgemm_few_rows_{kernel}",
      emulator.pack_arguments(x, values, scales, *[np.uint64(0)] * 3, out,
                              *map(np.int32, integers)),
      grid=on_cu, block=512, arch=arch, buffers=arrays, options=emulator.Options.unchecked(
          clock=on_cu, constants=dict(plan.rounded_constants(arch, traffic))))
  launch = plan.constant(arch, "launch_us")
  us = plan.launch_seconds(arch, record.clock.cycles, traffic, zeroes=False) * 1e6 - launch
  copy = plan.constant(arch, "hbm_gb_per_s") * plan.constant(arch, "hbm_share") * 1e3
  return [chip, f"{n} x {k}", tokens, active, kernel, tiles * parts * active,
          f"{record.clock.cycles / plan.constant(arch, 'peak_mhz'):.1f}", f"{us:.1f}",
          f"{weights / copy / us:.2f}"]


def main(_) -> int:
  with lzma.open(FLAGS.measured, "rt") as file:
    measured = list(csv.DictReader(file))
  weights = jnp.zeros((EXPERTS, FEATURES, 2 * HIDDEN), jnp.bfloat16)
  second, rows, lines = jnp.zeros((EXPERTS, HIDDEN, FEATURES), jnp.bfloat16), [], []
  for chip in FLAGS.chips:
    # The table has a number of CUs where it has no name of a chip.
    cus = _ffi.NAMES["chips"][chip][1]
    for tokens in map(int, FLAGS.tokens):
      wanted = {"cus": cus, "tokens": tokens, "model_dim": FEATURES,
                "inter_dim": HIDDEN, "experts": EXPERTS, "topk": TOP_K, "activation": "Silu",
                "dtype_w": "bfloat16"}
      theirs = [each for each in measured
                if all(each[name] == str(value) for name, value in wanted.items())]
      for product, column in COLUMNS.items():
        progress.doing(f"{chip}, {tokens} tokens, {product}")
        found = row(chip, product, tokens, weights if product == "gated" else second)
        ratios = [found["us"] / float(each[column]) for each in theirs]
        rows.append(found | {"ratio": max(ratios, default=None)})
        lines.append([chip, product, tokens, found["kernel"].split("_")[3], found["workgroups"],
                      f"{found['unit_us']:.1f}", f"{found['us']:.1f}",
                      f"{max(ratios):.2f}" if ratios else ""])
  few = [few_rows_row(chip, *each) for chip in FLAGS.chips for each in FEW_ROWS]
  amd.write("\n\n".join([
      f"# Predicted products of {EXPERTS} experts of {FEATURES} x {HIDDEN}, top {TOP_K}, bfloat16",
      (__doc__ or "").split("\n\n")[2].strip(), f"Command: `{amd.about()['command']}`",
      amd.table(["chip", "product", "tokens", "tile", "workgroups", "compute unit, us",
                 "predicted, us", "ratio"], lines, 2),
      "## Few rows and weights of 4 bits", amd.table(
          ["chip", "n x k", "tokens", "experts", "kernel", "workgroups", "compute unit, us",
           "predicted, us", "share"], few, 2), ""]), {"rows": rows})
  return 0
