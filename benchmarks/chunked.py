"""A product while its lhs arrives in chunks, and a picture of what ran when.

    python -m benchmarks chunked --json=chunked.json --picture=chunked.png

On a GPU lhs comes from the host. On the CPU there are two producers: "copy" is jaxgemm.overlap's
own, which needs a processor; "paced" is that of examples/own_producer, as slow as a disk or a
network. The suite times product and producer together, each alone, and one after the other. Of a
row, "of_larger" is the larger of the times of producer and product over the time of both together.
"""

from collections.abc import Callable, Iterator, Sequence
import dataclasses
import functools
import importlib.util
import itertools
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
  producers, dtype = (("host",), "bfloat16") if measure.on_gpu() else (("copy", "paced"), "float32")
  for product in run.given_products([dtype]):
    for chunks, producer in itertools.product(map(int, FLAGS.chunks), producers):
      case = f"{product.sizes} {producer}, {chunks} chunks"
      yield f"{name} {case}", functools.partial(
          rows, dataclasses.replace(product, dtype=dtype), chunks, producer, case, options)


def after(rows: Sequence[run.Row]) -> list[str]:
  """The picture, if there is to be one, and how much is gained."""
  if FLAGS.picture:
    plots.spans([row for row in rows if row.get("spans")], FLAGS.picture)
  return [f"- {row['case']}: the larger's time / together {run.spread(row['of_larger'])}"
          for row in rows if "of_larger" in row]


@functools.cache
def _own_producer():
  path = pathlib.Path(__file__).parent.parent / "examples/own_producer/own_producer.py"
  spec = importlib.util.spec_from_file_location("own_producer", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  module.register()
  return module


def rows(product: cases.Product, chunks: int, producer: str, case: str, options: measure.Options
         ) -> list[run.Row]:
  """The row of a producer; "spans" are those of one call.

  On a GPU "set" is the time of the plain product over that with all signals set.
  """
  on_gpu = producer == "host"
  tile = 256 if on_gpu else 128
  tiles = -(-product.m // (tile * chunks))
  given = {"chunk_rows": tile * tiles}
  config = jaxgemm.GemmConfig(tile_m=tile, num_workgroups=None if on_gpu else FLAGS.workgroups)
  if producer == "paced":
    start, epoch = functools.partial(
        _own_producer().squares, pause_us=FLAGS.paced_us, **given), 1
  else:
    start, epoch = functools.partial(jaxgemm.start_copy, **given), None
  chunked = functools.partial(jaxgemm.chunked_matmul, tiles_per_chunk_m=tiles, config=config)
  alone = functools.partial(jaxgemm.matmul, **(
      {"implementation": "jaxgemm"} if on_gpu else {"config": config}))
  host, near = (jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind=kind)
                for kind in ("pinned_host" if on_gpu else None, None))
  signals = jnp.ones(-(-product.m // given["chunk_rows"]), jnp.uint32)

  def together(x, w):
    arriving = start(x)
    return jaxgemm.join(arriving, chunked(arriving.data, w, arriving.signals), epoch=epoch)

  def sequential(x, w):
    if on_gpu:
      return alone(jax.device_put(x, near), w)
    arriving = start(x)
    w = jaxgemm.join(arriving, w + 0, epoch=epoch)  # the copy ends before the product
    return jaxgemm.join(arriving, chunked(arriving.data, w, arriving.signals), epoch=epoch)

  operands = lambda seed: measure.random(seed, *product.shapes(), dtype=product.dtype)
  count = gpu_trace.input_sets(product.input_bytes) if on_gpu else 1
  here = [operands(options.seed + i) for i in range(count)]
  there = [(jax.device_put(x, host), w) for x, w in here]
  functions = {TOGETHER: (together, there),
               PRODUCER: (lambda x, w: jaxgemm.join(start(x), 2 * w[0], epoch=epoch), there),
               PRODUCT: (alone, here), SEQUENTIAL: (sequential, there)}
  if on_gpu:
    functions[SET] = lambda x, w: chunked(x, w, signals), here
  row = {"section": "chunked", "case": case, "m": product.m, "n": product.n, "k": product.k,
         "dtype": product.dtype, "chunks": chunks, "flops": product.flops, "candidates": {}}
  ways, row["missing"] = measure.prepare({
      name: functools.partial(measure.Plain, jax.jit(function), inputs)
      for name, (function, inputs) in functions.items()})
  if row["missing"]:
    return [row]
  measured = measure.interleave(ways, count, options, f"chunked {case}", calls=1)
  progress.within("errors against float64")
  x, w = operands(options.seed + count)
  for name, way in ways.items():
    row["candidates"][name] = measure.entry(
        measured, name, None if name == PRODUCER else product.flops, TOGETHER)
    if name != PRODUCER:
      from_host = way.inputs is there
      out, _ = way.fresh(jax.device_put(x, host) if from_host else x, w)
      lhs = x * x if producer == "paced" and from_host else x
      row["candidates"][name] |= check.product(lhs, w, out, product.dtype, options.seed)
  larger = max((PRODUCER, SET if on_gpu else PRODUCT),
               key=lambda name: measured.timing.time(name).median)
  return [row | measure.about(measured) | {
      "larger": larger, "of_larger": measure.ratio(measured, TOGETHER, larger),
      "spans": (_of_streams if on_gpu else _of_threads)(ways[TOGETHER])} | (
          {"set": measure.ratio(measured, SET, PRODUCT)} if on_gpu else {})]


def _of_threads(way: measure.Plain) -> list[Span]:
  """The spans of one call's copies, products and waits on the CPU."""
  native.start_trace()
  way.call(0).block_until_ready()
  return _from_first([(f"thread {thread}", kind, begin / 1e3, end / 1e3)
                      for kind, _, thread, begin, end in native.stop_trace()])


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
