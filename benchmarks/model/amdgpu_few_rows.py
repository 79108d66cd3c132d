"""Predicts which share of the memory's bandwidth the AMD kernels for few rows use.

    python -m benchmarks.model.amdgpu_few_rows --markdown=amd-few-rows.md

A whole launch is emulated, and the emulator's clock times the workgroups of one compute unit. The
unit has its part of the bandwidth that a kernel can use (0.78 of the data sheet's), loads of 380 ns
from the memory, and the peak frequency. The reported share is the time in which the weights pass at
that bandwidth over the predicted time, without the launch. Where some compute units have two
workgroups and others one, the clock times a unit with two. Each workgroup has an equal part of the
bandwidth, so such a unit has twice that of one with a single workgroup: it has twice as many loads
in flight. Times are microseconds, and all are predictions: no AMD GPU was used.
"""

import itertools
import pathlib

from absl import app, flags
import jax
import jax.numpy as jnp

from benchmarks import progress
import jaxgemm
from jaxgemm import _ffi, emulator
from jaxgemm.emulator import clock

FLAGS = flags.FLAGS


def define_flags():
  """Defines this program's flags, only when it is run: names may be those of another's."""
  flags.DEFINE_list("arch", ["gfx942", "gfx950"], "Architectures.")
  flags.DEFINE_list("sizes", ["1x4096x4096", "8x4096x4096", "16x4096x4096", "8x14336x4096",
                              "8x4096x14336", "16x8192x8192"], "m x n x k of the products.")
  flags.DEFINE_string("markdown", None, "File to write the table to.")

DTYPE, ELEMENT_BYTES, LINE_BYTES = "bfloat16", 2, 128
MEMORY_NS = 380  # an assumption, as in ffi/plan/amdgpu_model.def


def on_unit(arch: str, workgroups: int) -> int:
  """The most workgroups on a compute unit."""
  return -(-workgroups // int(clock.constants(arch)["cus"].value))


def constants(arch: str, m: int, tiles: int, k_contiguous: bool) -> dict[str, float]:
  """The clock's constants: the part of the bandwidth of a compute unit, and its hits in the L2."""
  value = {name: each.value for name, each in clock.constants(arch).items()}
  ghz = value["peak_mhz"] / 1e3
  # Counted in memory lines of a wave's part of a k tile. The L2 has those of lhs. Where k is not
  # contiguous, it also has every other one of rhs: the neighbouring tile reads the same line.
  of_rhs = 32 if k_contiguous else 64
  hits = 100 * (m + (0 if k_contiguous else 32)) / (m + of_rhs)
  share = value["hbm_gb_per_s"] * value["hbm_share"] / ghz * on_unit(arch, tiles) / tiles
  return {"miss_latency": MEMORY_NS * ghz, "l2_hit_percent": hits,
          "miss_bytes_per_cycle": min(share, value["l2_bytes_per_cycle"])}


def row(arch: str, m: int, n: int, k: int, k_contiguous: bool) -> dict:
  contracting = int(k_contiguous)
  problem = {"m": m, "n": n, "k": k, "lhs_contracting": 1, "rhs_contracting": contracting,
             **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), DTYPE)}
  planned = _ffi.native.plan(problem, {}, arch, 0)
  workgroups = planned["num_workgroups"]
  value = {name: each.value for name, each in clock.constants(arch).items()}
  on_cu = on_unit(arch, workgroups)
  call = jax.jit(lambda a, b: jaxgemm.dot_general(
      a, b, (((1,), (contracting,)), ((), ())), implementation=f"emulated:{arch}",
      config=jaxgemm.GemmConfig(partition=False)))
  options = emulator.Options.unchecked(
      clock=on_cu, constants=constants(arch, m, workgroups, k_contiguous))
  with emulator.options(options):
    jax.block_until_ready(call(jnp.zeros((m, k), DTYPE),
                               jnp.zeros((n, k) if k_contiguous else (k, n), DTYPE)))
    record = emulator.last_record()
  assert record is not None and record.clock is not None
  weights = n * k * ELEMENT_BYTES
  from_memory = record.clock.l2_misses * LINE_BYTES * workgroups / on_cu
  microseconds = record.clock.cycles / value["peak_mhz"]
  bandwidth = value["hbm_gb_per_s"] * value["hbm_share"] * 1e3  # bytes in a microsecond
  return {"arch": arch, "problem": f"{m} x {n} x {k}", "layout": "k" if k_contiguous else "n",
          "kernel": record.kernel, "workgroups": workgroups, "on_cu": on_cu,
          "megabytes": weights / 1e6, "from_memory": from_memory / weights,
          "microseconds": microseconds, "share": weights / bandwidth / microseconds}


def markdown(rows: list[dict]) -> str:
  lines = [
      "# Few rows on AMD chips: predicted share of the memory's bandwidth", "",
      (__doc__ or "").split("\n\n", 2)[2].strip(), "",
      "`contiguous` is the dimension of the weights that is contiguous. `from memory` is what the "
      "clock's loads took from the memory, over the weights' size: 1 would be exact.", "",
      "| chip | m x n x k | contiguous | kernel | workgroups | on a CU | MB | from memory | us | "
      "share |",
      "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
  lines += [
      f"| {each['arch']} | {each['problem']} | {each['layout']} | {each['kernel']} | "
      f"{each['workgroups']} | {each['on_cu']} | {each['megabytes']:.0f} | "
      f"{each['from_memory']:.2f} | {each['microseconds']:.1f} | {each['share']:.2f} |"
      for each in rows]
  return "\n".join([*lines, ""])


@progress.shown()
def main(argv) -> None:
  progress.begin(argv)
  rows = []
  for arch, sizes, k_contiguous in itertools.product(FLAGS.arch, FLAGS.sizes, (False, True)):
    progress.doing(f"{arch}, {sizes}")
    rows.append(row(arch, *map(int, sizes.split("x")), k_contiguous))
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(markdown(rows))
  print(markdown(rows))


if __name__ == "__main__":
  define_flags()
  app.run(main)
