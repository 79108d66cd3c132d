r"""The products of a layer of experts on AMD GPUs, predicted, beside those of another library.

    python -m benchmarks amd_experts --measured=aiter-moe.csv.xz --markdown=amd-experts.md

The emulator runs both products with the kernel and the grid of the plan, for tokens that choose
their experts at random, and its clock (docs/api/emulator.md) times the workgroups of one compute
unit. A product takes as long as these, or as the memory moves its bytes. That is a prediction at
the chip's peak frequency: no time is measured. --measured is a table of tuned fused layers
(ROCm/aiter), whose two kernels were timed without launches. A ratio is our time over theirs.

A second table has products of bfloat16 and weights in MXFP4 by the kernel for few rows: of 8192 x
8192, and those of gpt-oss's layers, with the share of the copy bandwidth at which the weights are
read. Each group has the same rows; XLA's sums of parts, bias and activation are not in it. Below it
are the two products of a layer of 128 experts, padded to 3072 as in the table, beside its measured
time.

A third table has the layer in MXFP8. Its products are rounds of tiles on a compute unit, by the
clock; its other passes take as long as the memory moves their bytes. A second column has the
frequency that the plan assumes for each product, which is that of a chip under load.

The last table has what it costs that a product quantises its result: the clock's cycles of a tile
of 256 x 256 of a product of 4096 cubed, more than those of a tile with a result in bfloat16, which
has twice the bytes. In the second columns both have scales of rows and of columns.
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
# Weights of 4 bits: (tokens, experts with rows, n, k), for gpt-oss of 32 and 128 experts, top 4.
OF_120B = {"model_dim": 3072, "inter_dim": 3072, "experts": 128, "topk": 4, "dtype_a": "bfloat16",
           "dtype_w": "float4_e2m1fn_x2", "cus": 256}
FEW_ROWS = [(rows, 1, 8192, 8192) for rows in (1, 16, 64)] + [
    (tokens, active, n, k) for k, found in (
        (2880, ((1, 4), (16, 28), (64, 32))), (3072, ((1, 4), (16, 51), (64, 111))))
    for tokens, active in found for n in (2 * k, k)]
# The layer in MXFP8, on the chip that has such instructions.
MX = {"model_dim": 6144, "inter_dim": 768, "experts": 129, "topk": 5, "tokens": 16384,
      "dtype_a": "float8_e4m3fn", "dtype_w": "float8_e4m3fn", "cus": 256}
MX_CHIP, MX_ROUNDS = "MI355X", (2, 4)
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


def measured_us(measured: list[dict], wanted: dict) -> float:
  """The least time of a whole layer in the table."""
  return min(float(each["us"]) for each in measured
             if all(each[name] == str(value) for name, value in wanted.items()))


def mx_round_cycles(arch: str, k: int, tile: tuple[int, int], rounds: int,
                    traffic: grid.Traffic) -> float:
  """The cycles of a workgroup with `rounds` tiles of as many groups."""
  given = {"implementation": f"emulated:{arch}", "config": jaxgemm.GemmConfig(
      tile_m=tile[0], tile_n=tile[1], num_workgroups=1, schedule="persistent")}
  rng = np.random.default_rng(0)
  x, w = (jaxgemm.quantize(jnp.asarray(rng.standard_normal(shape), jnp.float32), "mx")
          for shape in ((rounds * tile[0], k), (rounds, tile[1], k)))
  with emulator.options(emulator.Options.unchecked(
      clock=1, constants=dict(plan.rounded_constants(arch, traffic)))):
    jax.block_until_ready(jaxgemm.scaled_ragged_dot(
        x.values, w.values, np.full(rounds, tile[0], np.int32), x.scales, w.scales, jnp.bfloat16,
        **given))
    return emulator.last_record().clock.cycles


def mx_product(n: int, k: int) -> tuple[dict, int, float, float]:
  """The plan of a product of the layer in MXFP8, its rounds, and its time at two frequencies."""
  arch, _ = _ffi.NAMES["chips"][MX_CHIP]
  rows, experts = MX["tokens"] * MX["topk"], MX["experts"]
  shape = jax.ShapeDtypeStruct
  planned = jaxgemm.explain(
      jaxgemm.scaled_ragged_dot, shape((rows, k), jnp.float8_e4m3fn),
      shape((experts, n, k), jnp.float8_e4m3fn), shape((experts,), jnp.int32),
      shape((rows, k // 32), jnp.float8_e8m0fnu), shape((experts, n, k // 32), jnp.float8_e8m0fnu),
      jnp.bfloat16, implementation=f"emulated:{MX_CHIP}").data["calls"][0]
  tile = tile_m, tile_n = planned["tile"][:2]
  sizes = np.random.default_rng(0).multinomial(rows, [1 / experts] * experts)
  tiles = int((-(-sizes // tile_m)).sum()) * math.ceil(n / tile_n)
  rounds = math.ceil(tiles / planned["num_workgroups"])
  traffic = grid.matmul_traffic(arch, math.ceil(rows / experts), n, k, tile=tile, itemsize=1,
                                groups=experts)
  few, more = (mx_round_cycles(arch, k, tile, each, traffic) for each in MX_ROUNDS)
  cycles = few + (rounds - MX_ROUNDS[0]) * (more - few) / (MX_ROUNDS[1] - MX_ROUNDS[0])
  launch = plan.constant(arch, "launch_us")
  at_peak, loaded = (
      plan.launch_seconds(arch, cycles, traffic, zeroes=False, mhz=mhz) * 1e6 - launch
      for mhz in (None, planned["predicted_parts"]["mhz"]))
  return planned, rounds, at_peak, loaded


def mx_lines() -> list[list]:
  """The layer in MXFP8: products, and the passes between them."""
  arch, _ = _ffi.NAMES["chips"][MX_CHIP]
  features, hidden, tokens = MX["model_dim"], MX["inter_dim"], MX["tokens"]
  rows = tokens * MX["topk"]
  lines, total = [], [0.0, 0.0]

  def add(name: str, detail: str, *times: float) -> None:
    lines.append([name, detail, *(f"{time:.0f}" for time in times)])
    total[:] = (a + b for a, b in zip(total, times))

  def product(name: str, n: int, k: int) -> None:
    planned, rounds, *times = mx_product(n, k)
    tile = "x".join(map(str, planned["tile"]))
    add(name, f"tile {tile}, {rounds} rounds", *times)

  def moves(name: str, count: float) -> None:
    copy = plan.constant(arch, "hbm_gb_per_s") * plan.constant(arch, "hbm_share") * 1e3
    add(name, f"{count / 1e9:.2f} GB", *[count / copy] * 2)

  moves("tokens quantised", tokens * features * (2 + 1))
  moves("rows gathered", (tokens + rows) * features)
  product("gate and up", 2 * hidden, features)
  moves("activation, quantised", rows * hidden * (2 * 2 + 1))
  product("down", features, hidden)
  moves("rows combined", (rows + tokens) * features * 2)
  return [*lines, ["sum", "", *(f"{each:.0f}" for each in total)]]


def tile_cycles(arch: str, dtype: str, kind: str | None, scaled: bool) -> float:
  """The cycles of a tile of a product of 4096 cubed."""
  k, tile = 4096, (256, 256)
  of_rhs = (k, tile[1]) if dtype == "bfloat16" else (tile[1], k)
  lhs, rhs = (jnp.asarray(np.random.default_rng(0).standard_normal(shape), dtype)
              for shape in ((tile[0], k), of_rhs))
  options = {"quantize_out": kind} if kind else {"preferred_element_type": jnp.bfloat16}
  if scaled:
    options |= {"scale_lhs": jnp.ones((tile[0], 1)), "scale_rhs": jnp.ones(tile[1])}
  traffic = grid.matmul_traffic(arch, k, k, k, tile=tile, itemsize=lhs.dtype.itemsize)
  with emulator.options(emulator.Options.unchecked(
      clock=1, constants=dict(plan.rounded_constants(arch, traffic)))):
    jax.block_until_ready(jaxgemm.dot_general(
        lhs, rhs, (((1,), (of_rhs.index(k),)), ((), ())), implementation=f"emulated:{arch}",
        config=jaxgemm.GemmConfig(tile_m=tile[0], tile_n=tile[1], num_workgroups=1,
                                  schedule="persistent"), **options))
    return emulator.last_record().clock.cycles


def quantized_lines(chip: str) -> list[list]:
  arch, _ = _ffi.NAMES["chips"][chip]
  lines = []
  for dtype in ("bfloat16", "float8_e4m3fnuz" if arch == "gfx942" else "float8_e4m3fn"):
    plain = [tile_cycles(arch, dtype, None, scaled) for scaled in (False, True)]
    for kind in ("block", "mx"):
      given = [tile_cycles(arch, dtype, kind, scaled) for scaled in (False, True)]
      lines.append([chip, dtype, kind, *(
          text for cycles, base in zip(given, plain)
          for text in (f"{cycles:.0f}", f"{cycles / base - 1:+.1%}"))])
  return lines


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
  layers = []
  for tokens in sorted({each[0] for each in FEW_ROWS}):
    ours = sum(float(each[-2]) for each in few
               if (each[0], each[2]) == (MX_CHIP, tokens) and each[1].endswith("x 3072"))
    theirs = measured_us(measured, OF_120B | {"tokens": tokens})
    layers.append([tokens, f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}"])
  amd.write("\n\n".join([
      f"# Predicted products of {EXPERTS} experts of {FEATURES} x {HIDDEN}, top {TOP_K}, bfloat16",
      (__doc__ or "").split("\n\n")[2].strip(), f"Command: `{amd.about()['command']}`",
      amd.table(["chip", "product", "tokens", "tile", "workgroups", "compute unit, us",
                 "predicted, us", "ratio"], lines, 2),
      "## Few rows and weights of 4 bits", amd.table(
          ["chip", "n x k", "tokens", "experts", "kernel", "workgroups", "compute unit, us",
           "predicted, us", "share"], few, 2),
      amd.table(["tokens, 128 experts, MI355X", "both products predicted, us",
                 "ROCm/aiter measured, us", "ratio"], layers, 0),
      "## Experts in MXFP8",
      f"{MX['experts']} experts of {MX['model_dim']} x {MX['inter_dim']}, top {MX['topk']}, "
      f"{MX['tokens']} tokens, {MX_CHIP}. ROCm/aiter measured {measured_us(measured, MX):.0f} us "
      "for its two kernels. All times of this table are predicted.",
      amd.table(["pass", "how", "predicted at the peak, us", "predicted under load, us"],
                mx_lines(), 2),
      "## Results that a product quantises",
      amd.table(["chip", "operands", "kind", "cycles", "more", "cycles with scales", "more"],
                [line for chip in FLAGS.chips for line in quantized_lines(chip)], 3), ""]),
            {"rows": rows})
  return 0
