r"""The products of a layer of experts on AMD GPUs, predicted, beside those of another library.

    python -m benchmarks amd_experts --measured=aiter-moe.csv.xz --markdown=amd-experts.md

The emulator runs both products with the kernel and the grid of the plan, for tokens that choose
their experts at random, and its clock (docs/api/emulator.md) times the workgroups of one compute
unit. A product takes as long as these, or as the memory or the Infinity Cache moves its bytes. That
is a prediction at the chip's peak frequency: no time is measured. --measured is a table of tuned
fused layers (ROCm/aiter), whose two kernels were timed on such chips, without launches; times over
theirs are below 1 if ours are predicted to be faster.
"""

import csv
import lzma
import math

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import amd, progress
from benchmarks.amd import plan
import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.emulator import grid

EXPERTS, TOP_K, FEATURES, HIDDEN = 128, 8, 4096, 384  # Qwen3-235B, tensor parallelism of 4
COLUMN = {"gated": "us1", "product": "us2"}
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("chips", ["MI300X", "MI355X"], "Chips.")
  flags.DEFINE_list("tokens", ["1", "2", "4", "8", "16", "32", "128", "1024"], "Tokens.")
  flags.DEFINE_string("measured", None, "CSV of measured layers, compressed by xz.")


def row(chip: str, product: str, tokens: int) -> dict:
  """A prediction of one product."""
  arch, cus = _ffi.NAMES["chips"][chip][:2]
  rng = np.random.default_rng(tokens)
  chosen = np.stack([rng.permutation(EXPERTS)[:TOP_K] for _ in range(tokens)]).ravel()
  sizes = np.bincount(chosen, minlength=EXPERTS).astype(np.int32)
  rows, gated = tokens * TOP_K, product == "gated"
  n, k = (2 * HIDDEN, FEATURES) if gated else (FEATURES, HIDDEN)
  given = {"implementation": f"emulated:{chip}", "preferred_element_type": jnp.bfloat16}
  if gated:
    given |= {"lhs_indices": (np.argsort(chosen, kind="stable") // TOP_K).astype(np.int32),
              "activation": "silu"}
  call = jaxgemm.ragged_gated_linear_unit if gated else jaxgemm.ragged_dot
  operands = (jnp.zeros((tokens if gated else rows, k), jnp.bfloat16),
              jnp.zeros((EXPERTS, k, *((2, HIDDEN) if gated else (n,))), jnp.bfloat16), sizes)
  tile = jaxgemm.explain(call, *operands, **given).data["tile"]
  active = int((sizes > 0).sum())
  mean = math.ceil(rows / active)
  traffic = grid.matmul_traffic(arch, mean, n, k, tile=(min(tile[0], mean), tile[1]), groups=active)
  constants = dict(plan.rounded_constants(arch, traffic))
  # Neighbouring tiles on an XCD use parts of the same lines of rhs.
  part = min(1.0, tile[1] * 2 / (1 + gated) / plan.LINE_BYTES)
  constants["l2_hit_percent"] = 100 - (100 - constants["l2_hit_percent"]) * part
  tiles = int(-(-sizes // tile[0]).sum()) * math.ceil(n / tile[1])

  def run(workgroups: int) -> emulator.Record:
    with emulator.options(emulator.Options.unchecked(clock=workgroups, constants=constants)):
      jax.block_until_ready(call(*operands, **given))
      return emulator.last_record()

  # The grid is known after a run.
  on_cu = math.ceil(min(tiles, plan.constant(arch, "cus")) / cus)
  record = run(on_cu)
  if (more := math.ceil(min(tiles, record.grid[0]) / cus)) > on_cu:
    record = run(more)
  seconds = plan.launch_seconds(arch, record.clock.cycles, traffic, zeroes=False)
  return {"chip": chip, "product": product, "tokens": tokens, "kernel": record.kernel,
          "workgroups": record.grid[0], "us": seconds * 1e6 - plan.constant(arch, "launch_us"),
          "unit_us": record.clock.cycles / plan.constant(arch, "peak_mhz"),
          "memory_us": traffic.hbm_bytes * 1e-3 / plan.constant(arch, "hbm_gb_per_s")
                       / plan.constant(arch, "hbm_share")}


def measured(each: dict, rows: list[dict]) -> float | None:
  """The least measured time of another library's kernel for this product, in microseconds."""
  arch, cus = _ffi.NAMES["chips"][each["chip"]][:2]
  wanted = {"gfx": arch, "cus": cus, "tokens": each["tokens"], "model_dim": FEATURES,
            "inter_dim": HIDDEN, "experts": EXPERTS, "topk": TOP_K, "activation": "Silu",
            "dtype_w": "bfloat16"}
  return min((float(found[COLUMN[each["product"]]]) for found in rows
              if all(found[name] == str(value) for name, value in wanted.items())), default=None)


def main(_) -> int:
  with lzma.open(FLAGS.measured, "rt") if FLAGS.measured else [] as file:
    theirs, rows = list(csv.DictReader(file)), []
  for chip in FLAGS.chips:
    for tokens in map(int, FLAGS.tokens):
      for product in COLUMN:
        progress.doing(f"{chip}, {tokens} tokens, {product}")
        rows.append(row(chip, product, tokens))
        figure = measured(rows[-1], theirs)
        rows[-1]["over_measured"] = figure and rows[-1]["us"] / figure
  lines = [[each["chip"], each["product"], each["tokens"], each["kernel"].split("_")[3],
            each["workgroups"], *(f"{each[name]:.1f}" for name in ("unit_us", "memory_us", "us")),
            f"{each['over_measured']:.2f}" if each["over_measured"] else ""] for each in rows]
  amd.write("\n\n".join([
      f"# Predicted products of {EXPERTS} experts of {FEATURES} x {HIDDEN}, top {TOP_K}, bfloat16",
      (__doc__ or "").split("\n\n")[2].strip(), f"Command: `{amd.about()['command']}`",
      amd.table(["chip", "product", "tokens", "tile", "workgroups", "compute unit, us",
                 "memory, us", "predicted, us", "over measured"], lines, 2)]) + "\n",
            {"rows": rows})
  return 0
