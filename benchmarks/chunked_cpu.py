"""Times a product beside the producer of its lhs, on the CPU, and draws what ran when.

    python -m benchmarks.chunked_cpu --json=chunked.json --picture=chunked.png

There are two producers: "copy" is jaxgemm.overlap's own, which needs a processor;
"paced" is that of examples/own_producer, as slow as a disk or a network. For each, the
benchmark times producer and product together, each alone, and one after the other.
"""

import argparse
import functools
import importlib.util
import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import progress, report
import jaxgemm
from jaxgemm import _jaxgemm as native
from jaxgemm.tune import timing

TOGETHER, PRODUCER, PRODUCT, SEQUENTIAL = (
    "together", "producer alone", "product alone", "one after the other")
# Largest error of a right float32 result, relative to its largest value.
_TOLERANCE = 1e-4


@functools.cache
def _own_producer():
  path = pathlib.Path(__file__).parent.parent / "examples/own_producer/own_producer.py"
  spec = importlib.util.spec_from_file_location("own_producer", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  module.register()
  return module


def candidates(start, epoch, rows, tiles, config):
  """Jitted functions of (x, w) by name.

  Args:
    start: Function of (x, rows) that returns the `ChunkedArray` of x.
    epoch: Argument of `jaxgemm.join`.
    rows: Rows of a chunk, which are `tiles` tile rows.
  """
  def product(arriving, w):
    return jaxgemm.chunked_matmul(arriving.data, w, arriving.signals,
                                  tiles_per_chunk_m=tiles, config=config)

  def together(x, w):
    arriving = start(x, rows)
    return jaxgemm.join(arriving, product(arriving, w), epoch=epoch)

  def producer(x, w):
    return jaxgemm.join(start(x, rows), 2 * w[0], epoch=epoch)

  def sequential(x, w):
    arriving = start(x, rows)
    w = jaxgemm.join(arriving, w + 0, epoch=epoch)  # the copy ends before the product
    return jaxgemm.join(arriving, product(arriving, w), epoch=epoch)

  def alone(x, w):
    return jaxgemm.matmul(x, w, config=config)

  return {name: jax.jit(function) for name, function in
          ((TOGETHER, together), (PRODUCER, producer), (PRODUCT, alone),
           (SEQUENTIAL, sequential))}


def trace(function, *args):
  """Spans (what, number, thread, begin, end) of a call, in ms from the first."""
  jax.block_until_ready(function(*args))
  native.start_trace()
  jax.block_until_ready(function(*args))
  spans = native.stop_trace()
  first = min((begin for *_, begin, _ in spans), default=0)
  return [(what, number, thread, (begin - first) / 1e6, (end - first) / 1e6)
          for what, number, thread, begin, end in spans]


def draw(rows, path):
  """Draws a line for each thread: copies, products, and waiting for chunks."""
  import matplotlib
  matplotlib.use("Agg")
  from matplotlib import pyplot
  colours = {"copy": "tab:blue", "compute": "tab:orange", "wait": "lightgrey"}
  figure, axes = pyplot.subplots(len(rows), 1, figsize=(10, 2.2 * len(rows)),
                                 squeeze=False)
  for row, axis in zip(rows, axes[:, 0]):
    threads = sorted({span[2] for span in row["spans"]})
    for what, _, thread, begin, end in row["spans"]:
      axis.barh(threads.index(thread), end - begin, left=begin, height=0.7,
                color=colours[what], edgecolor="white", linewidth=0.4)
    axis.set_yticks(range(len(threads)), [f"thread {t}" for t in threads])
    axis.set_title(
        f"{row['producer']}: copies (blue), product (orange), waiting (grey)",
        fontsize=9)
  axes[-1, 0].set_xlabel("milliseconds")
  figure.tight_layout()
  figure.savefig(path, dpi=120)


@progress.shown()
def main(arguments=None) -> int:
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--rows", type=int, default=16384)
  parser.add_argument("--k", type=int, default=2048)
  parser.add_argument("--n", type=int, default=64)
  parser.add_argument("--chunks", type=int, default=16)
  parser.add_argument("--threads", type=int, default=1, help="threads of the product")
  parser.add_argument("--pause_us", type=int, default=5000,
                      help="pause of the paced producer before each chunk")
  parser.add_argument("--rounds", type=int, default=15)
  parser.add_argument("--json")
  parser.add_argument("--picture")
  args = parser.parse_args(arguments)

  progress.doing("Operands, and products to compare with")
  tile = 128
  tiles = -(-args.rows // (tile * args.chunks))
  config = jaxgemm.GemmConfig(tile_m=tile, num_workgroups=args.threads)
  rng = np.random.default_rng(0)
  x = jnp.asarray(rng.standard_normal((args.rows, args.k), np.float32))
  w = jnp.asarray(rng.standard_normal((args.k, args.n), np.float32))
  expected = np.asarray(x @ w)
  own = _own_producer()
  producers = {
      "copy": (lambda x, rows: jaxgemm.start_copy(x, chunk_rows=rows), None, expected),
      "paced": (lambda x, rows: own.squares(x, chunk_rows=rows, pause_us=args.pause_us),
                1, np.asarray((x * x) @ w))}
  arguments = {name: value for name, value in vars(args).items()
               if name not in ("json", "picture")}
  machine = report.machine() | {"command": "python -m benchmarks.chunked_cpu"}
  out = {"machine": machine, "arguments": arguments, "rows": []}
  wrong = []
  for name, (start, epoch, wanted) in producers.items():
    progress.doing(f"{name}: compilation and errors")
    ways = candidates(start, epoch, tile * tiles, tiles, config)
    error = np.abs(np.asarray(ways[TOGETHER](x, w)) - wanted).max()
    error /= np.abs(wanted).max()
    if not error < _TOLERANCE:
      wrong.append(f"{name}: error {error:.1e}, at most {_TOLERANCE:.0e} is right")
    progress.doing(f"{name}: {args.rounds} rounds of {', '.join(ways)}")
    measured = timing.interleave(ways, [(x, w)], min_rounds=args.rounds, min_seconds=0,
                                 within=progress.within)
    median = {way: 1e3 * measured.time(way).median for way in ways}
    row = {"producer": name, "milliseconds": median, "error": float(error),
           "of_larger": median[TOGETHER] / max(median[PRODUCER], median[PRODUCT]),
           "of_sequential": median[TOGETHER] / median[SEQUENTIAL],
           "spans": trace(ways[TOGETHER], x, w)}
    out["rows"].append(row)
    print(f"{name}: " + ", ".join(f"{way} {median[way]:.1f} ms" for way in ways) +
          f"; together / larger {row['of_larger']:.2f}, "
          f"/ one after the other {row['of_sequential']:.2f}", flush=True)
  if args.json:
    pathlib.Path(args.json).write_text(json.dumps(out))
  if args.picture:
    draw(out["rows"], args.picture)
  return report.status(wrong)


if __name__ == "__main__":
  sys.exit(main())
