r"""Predicts the TFLOP/s of products on an MI355X, beside what others have published.

    python -m benchmarks.predicted --primus=Primus-Turbo --json=amd-predicted.json \
        --markdown=amd-predicted.md

The emulator's clock predicts the time of one tile of each kernel (tile_times.py), and
jaxgemm.emulator.grid that of a launch. Our kernels are predicted, and two peers whose code is
public, which are compared with their published figures: Triton's persistent matmul, and with
--primus, a checkout of AMD-AGI/Primus-Turbo, its Triton grouped products. No time is measured, and
no GPU is used.
"""

import importlib.util
import json
import pathlib

from absl import app, flags

from benchmarks import progress, published
from benchmarks.predicted_rows import (
    ARCH,
    HEAD,
    about,
    dense_row,
    dense_tables,
    error,
    frequency_table,
    grouped_row,
    grouped_table,
    loop_rows,
    loop_table,
    sensitivity_rows,
    sensitivity_table,
    verdict,
)

FLAGS = flags.FLAGS
flags.DEFINE_string("tile", "256x256x64", "Tile of our bfloat16 kernels to predict.")
flags.DEFINE_string("primus", None, "A checkout of AMD-AGI/Primus-Turbo.")
flags.DEFINE_string("json", None, "File to write the rows to.")
flags.DEFINE_string("markdown", None, "File to write the tables to.")


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if importlib.util.find_spec("triton") is None:
    raise app.UsageError(
        "The comparison needs PyPI's triton, and it is not installed. Run "
        "pip install triton."
    )
  progress.doing("Starting jax")
  from benchmarks import pipes, resource_rows, tile_times

  name = next((name for name in resource_rows.kernel_names(ARCH)
               if name.startswith(f"gemm_bfloat16_bfloat16_{FLAGS.tile}_")), None)
  if name is None:
    raise app.UsageError(f"This build has no bfloat16 kernel with --tile={FLAGS.tile}.")

  def of_ours(constants):
    return tile_times.of_kernel(ARCH, name, constants, several=True)

  ours_cache: dict = {}
  ours = [dense_row(size, of_ours, ours_cache) for size in published.DENSE]
  grouped, source = [], ""
  num_cus = pipes.DEVICES[ARCH].num_cus
  progress.doing("Triton's persistent matmul")
  from benchmarks import triton_peer

  peers = triton_peer.variants(ARCH, 1, 1, num_cus)

  def of_triton(constants):
    return tile_times.best(
        peers, lambda peer: tile_times.of_triton(ARCH, peer, "rcr", constants))[0]

  cache: dict = {}
  triton = [dense_row(size, of_triton, cache) for size in published.DENSE]
  if FLAGS.primus:
    progress.doing("Primus-Turbo's grouped products")
    from benchmarks import primus_peer

    kernels = primus_peer.compile_kernels(FLAGS.primus, num_cus)
    source, rows = published.grouped()
    cache = {}
    grouped = [grouped_row(row, kernels[row["op"]], primus_peer.times, cache) for row in rows]
  errors = [error(row["predicted"], published.DENSE[row["size"]]["Triton"]) for row in triton]
  errors += [error(row["predicted"], row["triton"]) for row in grouped]
  progress.doing("Main loops")
  loops = loop_rows(FLAGS.tile)
  guesses = sensitivity_rows(FLAGS.tile)
  parts = [HEAD, about(), verdict(errors), frequency_table(triton, grouped),
           dense_tables(triton, ours), loop_table(loops, FLAGS.tile),
           sensitivity_table(guesses)]
  if grouped:
    parts.append(grouped_table(grouped, source))
  text = "\n\n".join(parts) + "\n"
  print(text)
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(text)
  if FLAGS.json:
    pathlib.Path(FLAGS.json).write_text(json.dumps(
        {"jaxgemm": ours, "triton": triton, "grouped": grouped, "loops": loops,
         "sensitivity": guesses}, indent=1))
  return 0


if __name__ == "__main__":
  app.run(main)
