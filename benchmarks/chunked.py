"""A product while its lhs arrives in chunks, and a picture of what ran when.

    python -m benchmarks chunked --json=chunked.json --picture=chunked.png

On a GPU lhs comes from the host. On the CPU there are two producers: "copy" is jaxgemm.overlap's
own, which needs a processor; "paced" is that of examples/own_producer, as slow as a disk or a
network. The suite times product and producer together, each alone, and one after the other. Of a
row, "of_larger" is the larger of the times of producer and product over the time of both together.
"""

from collections.abc import Callable, Iterator, Sequence
import functools
import importlib.util
import pathlib
import tempfile

from absl import flags
import jax
import jax.numpy as jnp

from benchmarks import cases, check, measure, plots, progress, run
import jaxgemm
from jaxgemm import _jaxgemm as native
from jaxgemm.tune import gpu_trace

TOGETHER, PRODUCER, PRODUCT, SEQUENTIAL, SET = (
    "together", "producer alone", "product alone", "one after the other", "chunked, signals set")
Span = tuple[str, str, float, float]  # thread or stream, kind, and begin and end in microseconds
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("cases", ["16384x64x2048"], "Products, as MxNxK or sets of shapes.json.")
  flags.DEFINE_list("chunks", ["16"], "Chunks in which lhs arrives.")
  flags.DEFINE_integer("workgroups", 1, "On a CPU: threads of the product.")
  flags.DEFINE_integer("paced_us", 5000, "Pause of the paced producer before each chunk.")
  flags.DEFINE_string("picture", None, "File for the picture of what ran when.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  run.refuse("threads")
  options = measure.Options.of_flags()
  on_gpu = measure.on_gpu()
  for product in run.given_products(["bfloat16" if on_gpu else "float32"]):
    for chunks in map(int, FLAGS.chunks):
      for producer in ["host"] if on_gpu else ["copy", "paced"]:
        case = f"{product.sizes} {producer}, {chunks} chunks"
        function = _on_gpu if on_gpu else functools.partial(_on_cpu, producer)
        yield f"{name} {case}", lambda function=function, product=product, case=case, \
            chunks=chunks: [function(product, chunks, case, options)]


def after(rows: Sequence[run.Row]) -> list[str]:
  """The picture, if there is to be one, and how much is gained."""
  if FLAGS.picture:
    plots.spans([row for row in rows if row.get("spans")], FLAGS.picture)
  return [f"- {row['case']}: the larger's time / together {run.spread(row['of_larger'])}, one "
          f"after the other / together {run.spread(row['candidates'][SEQUENTIAL]['ratio'])}"
          for row in rows if "of_larger" in row]


def _row(product: cases.Product, chunks: int, case: str, dtype: str) -> run.Row:
  return {"section": "chunked", "case": case, "m": product.m, "n": product.n, "k": product.k,
          "dtype": dtype, "chunks": chunks, "flops": product.flops, "candidates": {}}


def _finish(row: run.Row, measured: gpu_trace.Measured, flops: int, product: str) -> run.Row:
  """Adds the times of the candidates that are there; `product` is the product's own time."""
  for name in measured.timing.seconds:
    row["candidates"][name] = measure.entry(
        measured, name, None if name == PRODUCER else flops, TOGETHER) | row["candidates"].get(
            name, {})
  larger = max((PRODUCER, product), key=lambda name: measured.timing.time(name).median)
  return row | measure.about(measured) | {
      "larger": larger, "of_larger": measure.ratio(measured, TOGETHER, larger)}


# ------------------------------------------------------------------------------------- CPU


@functools.cache
def _own_producer():
  path = pathlib.Path(__file__).parent.parent / "examples/own_producer/own_producer.py"
  spec = importlib.util.spec_from_file_location("own_producer", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  module.register()
  return module


def _on_cpu(producer: str, product: cases.Product, chunks: int, case: str,
            options: measure.Options) -> run.Row:
  """The row of a producer; "spans" are those of one call."""
  tiles = -(-product.m // (128 * chunks))
  config = jaxgemm.GemmConfig(tile_m=128, num_workgroups=FLAGS.workgroups)
  x, w = measure.random(options.seed, *product.shapes(), dtype="float32")
  if producer == "copy":
    start, epoch, lhs = functools.partial(jaxgemm.start_copy, chunk_rows=128 * tiles), None, x
  else:
    start = functools.partial(_own_producer().squares, chunk_rows=128 * tiles,
                              pause_us=FLAGS.paced_us)
    epoch, lhs = 1, x * x

  def chunked(arriving, w):
    return jaxgemm.chunked_matmul(arriving.data, w, arriving.signals, tiles_per_chunk_m=tiles,
                                  config=config)

  def together(x, w):
    arriving = start(x)
    return jaxgemm.join(arriving, chunked(arriving, w), epoch=epoch)

  def sequential(x, w):
    arriving = start(x)
    w = jaxgemm.join(arriving, w + 0, epoch=epoch)  # the copy ends before the product
    return jaxgemm.join(arriving, chunked(arriving, w), epoch=epoch)

  functions = {TOGETHER: together,
               PRODUCER: lambda x, w: jaxgemm.join(start(x), 2 * w[0], epoch=epoch),
               PRODUCT: lambda x, w: jaxgemm.matmul(x, w, config=config), SEQUENTIAL: sequential}
  inputs, row = [(x, w)], _row(product, chunks, case, "float32")
  ways = {name: measure.Plain(jax.jit(function), inputs) for name, function in functions.items()}
  row["candidates"][TOGETHER] = check.product(lhs, w, ways[TOGETHER].call(0), "float32",
                                              options.seed)
  measured = measure.interleave(ways, 1, options, f"chunked {case}")
  ways[TOGETHER].call(0).block_until_ready()
  native.start_trace()
  ways[TOGETHER].call(0).block_until_ready()
  spans = [(f"thread {thread}", kind, begin / 1e3, end / 1e3)
           for kind, _, thread, begin, end in native.stop_trace()]
  return _finish(row, measured, product.flops, PRODUCT) | {"spans": _from_first(spans)}


# ------------------------------------------------------------------------------------- GPU


def _on_gpu(product: cases.Product, chunks: int, case: str, options: measure.Options) -> run.Row:
  """The row of a product of an lhs in pinned memory of the host.

  "set" is the time of the plain product over that with all signals set.
  """
  device = jax.devices()[0]
  host = jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
  there = jax.sharding.SingleDeviceSharding(device)
  tiles = -(-product.m // (256 * chunks))
  rows = 256 * tiles
  chunked = functools.partial(jaxgemm.chunked_matmul, tiles_per_chunk_m=tiles,
                              config=jaxgemm.GemmConfig(tile_m=256))
  plain = functools.partial(jaxgemm.matmul, implementation="jaxgemm")
  signals = jnp.ones(-(-product.m // rows), jnp.uint32)

  def together(x, w):
    return jaxgemm.overlap(x, lambda data, signals: chunked(data, w, signals), chunk_rows=rows)

  def copied(x, w):
    return jaxgemm.join(jaxgemm.start_copy(x, chunk_rows=rows), 2 * w[0])

  operands = lambda seed: measure.random(seed, *product.shapes())
  count = gpu_trace.input_sets(product.input_bytes)
  near = [operands(options.seed + i) for i in range(count)]
  far = [(jax.device_put(x, host), w) for x, w in near]
  functions = {
      TOGETHER: (together, far), PRODUCER: (copied, far),
      SET: (lambda x, w: chunked(x, w, signals), near), PRODUCT: (plain, near),
      SEQUENTIAL: (lambda x, w: plain(jax.device_put(x, there), w), far)}
  row = _row(product, chunks, case, "bfloat16")
  ways, row["missing"] = measure.prepare({
      name: functools.partial(measure.Plain, jax.jit(function), inputs)
      for name, (function, inputs) in functions.items()})
  if row["missing"]:
    return row
  measured = measure.interleave(ways, count, options, f"chunked {chunks}", calls=1)
  progress.within("errors against float64")
  x, w = operands(options.seed + count)
  for name, way in ways.items():
    if name != PRODUCER:
      given = jax.device_put(x, host) if way.inputs is far else x
      row["candidates"][name] = check.product(x, w, way.fresh(given, w)[0], "bfloat16",
                                              options.seed)
  return _finish(row, measured, product.flops, SET) | {
      "set": measure.ratio(measured, SET, PRODUCT), "spans": _of_streams(ways[TOGETHER])}


def _of_streams(way: measure.Plain) -> list[Span]:
  """The spans of one call's events on the device."""
  jax.block_until_ready(way.call(0))
  with tempfile.TemporaryDirectory() as scratch:
    with jax.profiler.trace(scratch):
      jax.block_until_ready(way.call(1))
    (path,) = pathlib.Path(scratch).rglob("*.xplane.pb")
    found = []
    for plane in jax.profiler.ProfileData.from_file(str(path)).planes:
      if plane.name.startswith("/device:GPU:"):
        for line in plane.lines:
          if line.name.startswith("Stream"):
            found += [(line.name.split("(")[0], gpu_trace.Event(event.name, 0, 0).kind,
                       event.start_ns / 1e3, (event.start_ns + event.duration_ns) / 1e3)
                      for event in line.events]
  return _from_first(found)


def _from_first(spans: list[Span]) -> list[Span]:
  """The spans, from the begin of the first one."""
  first = min((begin for *_, begin, _ in spans), default=0)
  return sorted(((line, kind, begin - first, end - first) for line, kind, begin, end in spans),
                key=lambda span: span[2])
