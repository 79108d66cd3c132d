"""Times a product while a producer makes its lhs, on the CPU, and draws what ran when.

    python -m benchmarks chunked --json=chunked.json --picture=chunked.png

There are two producers: "copy" is jaxgemm.overlap's own, which needs a processor;
"paced" is that of examples/own_producer, as slow as a disk or a network. For each, the
benchmark times producer and product together, each alone, and one after the other.
Times are wall-clock seconds.
"""

import dataclasses
import functools
import importlib.util
import pathlib
from typing import Any

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import clock, plots, progress, report, run
import jaxgemm
from jaxgemm import _jaxgemm as native
from jaxgemm.tune import timing

TOGETHER, PRODUCER, PRODUCT, SEQUENTIAL = (
    "together", "producer alone", "product alone", "one after the other")
FLAGS = flags.FLAGS
flags.DEFINE_integer("rows", 16384, "Rows of lhs.")
flags.DEFINE_integer("k", 2048, "Columns of lhs.")
flags.DEFINE_integer("n", 64, "Columns of the result.")
flags.DEFINE_integer("chunks", 16, "Chunks in which lhs arrives.")
flags.DEFINE_integer("workgroups", 1, "Threads of the product.")
flags.DEFINE_integer("paced_us", 5000, "Pause of the paced producer before each chunk.")
flags.DEFINE_string("picture", None, "File for the picture of what ran when.")
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
    rows: Rows of a chunk.
    tiles: Rows of tiles in a chunk.
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
  """Spans (what, number, thread, begin, end) of a call, in ms from the begin of the first one."""
  jax.block_until_ready(function(*args))
  native.start_trace()
  jax.block_until_ready(function(*args))
  spans = native.stop_trace()
  first = min((begin for *_, begin, _ in spans), default=0)
  return [(what, number, thread, (begin - first) / 1e6, (end - first) / 1e6)
          for what, number, thread, begin, end in spans]


def draw(rows, path):
  """Draws a line for each thread: copies, products, and waiting for chunks."""
  colours = {"copy": plots.COPY, "compute": plots.OURS, "wait": plots.WAIT}
  figure, axes = plots.pyplot().subplots(len(rows), 1, figsize=(10, 2.2 * len(rows)),
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


def measure(name: str, product: dict[str, int]) -> dict[str, Any]:
  """A row: the producer of that name with the product, each alone, and one after the other."""
  tile = 128
  tiles = -(-product["m"] // (tile * FLAGS.chunks))
  config = jaxgemm.GemmConfig(tile_m=tile, num_workgroups=FLAGS.workgroups)
  rng = np.random.default_rng(FLAGS.seed)
  x = jnp.asarray(rng.standard_normal((product["m"], product["k"]), np.float32))
  w = jnp.asarray(rng.standard_normal((product["k"], product["n"]), np.float32))
  if name == "copy":
    start, epoch, wanted = (lambda x, rows: jaxgemm.start_copy(x, chunk_rows=rows)), None, x @ w
  else:
    own = _own_producer()
    start = lambda x, rows: own.squares(x, chunk_rows=rows, pause_us=FLAGS.paced_us)
    epoch, wanted = 1, (x * x) @ w
  wanted = np.asarray(wanted)
  ways = candidates(start, epoch, tile * tiles, tiles, config)
  error = float(np.abs(np.asarray(ways[TOGETHER](x, w)) - wanted).max() / np.abs(wanted).max())
  progress.doing(f"{name}: {run.repeat()} rounds of {', '.join(ways)}")
  measured = timing.interleave(ways, [(x, w)], min_rounds=run.repeat(), min_seconds=0,
                               warmup=run.warmup(), within=progress.within)
  clock.keep_trace(FLAGS.profile, f"chunked-{name}", {
      way: functools.partial(function, x, w) for way, function in ways.items()})
  median = {way: measured.time(way).median for way in ways}
  flops = 2 * product["m"] * product["n"] * product["k"]
  entries = {way: {"seconds": dataclasses.asdict(measured.time(way))} | (
      {"tflops": flops / median[way] / 1e12} if way != PRODUCER else {}) for way in ways}
  entries[TOGETHER]["errors"] = {"max": error}
  return product | {
      "producer": name, "dtype": "float32", "candidates": entries, "error": error,
      "of_larger": median[TOGETHER] / max(median[PRODUCER], median[PRODUCT]),
      "of_sequential": median[TOGETHER] / median[SEQUENTIAL],
      "spans": trace(ways[TOGETHER], x, w)}


def wrong(rows) -> list[str]:
  """Results that are further from float32's than rounding explains."""
  return [f"{row['producer']}: error {row['error']:.1e}, at most {_TOLERANCE:.0e} is right"
          for row in rows if not row["error"] < _TOLERANCE]


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  run.refuse("threads")
  names = ("rows", "k", "n", "chunks", "workgroups", "paced_us")
  arguments = {name: FLAGS[name].value for name in names}
  products = run.problems(["float32"])
  if products is None:
    products = [{"m": FLAGS.rows, "n": FLAGS.n, "k": FLAGS.k}]
  rows = run.Rows(lambda _: {"machine": report.machine(), "arguments": arguments})
  for product in products:
    for name in ("copy", "paced"):
      job = "{} {m}x{n}x{k}".format(name, **product)
      if rows.has(job):
        continue
      progress.doing(f"{job}: operands, compilation and errors")
      rows.add(job, [measure(name, product)])
      row = rows.rows[-1]
      print(f"{name}: " + ", ".join(
          f"{way} {1e3 * entry['seconds']['median']:.1f} ms"
          for way, entry in row["candidates"].items()) +
          f"; together / larger {row['of_larger']:.2f}, "
          f"/ one after the other {row['of_sequential']:.2f}", flush=True)
  if FLAGS.picture:
    draw(rows.rows, FLAGS.picture)
  return rows.finish(wrong(rows.rows))
