"""Times products on one NVIDIA GPU whose lhs comes from the host in chunks.

    python -m benchmarks chunked --json=chunked.json
    python -m benchmarks.gpu_chunked chunked.json chunked.png   # draws the overlap

Times are seconds on the device: of copy and product together, of each alone, and one after the
other.
"""

import functools
import json
import pathlib
import sys
import tempfile
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks import gpu_check, gpu_rows, plots, progress
from benchmarks.shapes import Case
import jaxgemm
from jaxgemm.tune import gpu_trace

STREAMED, COPY, SET, PLAIN, SEQUENTIAL = (
    "streamed", "copy alone", "chunked, signals set", "plain", "copy, then plain")


class _Way:
  """A jitted function, and the input sets that it is called on."""

  def __init__(self, function, inputs):
    self._run, self._inputs = jax.jit(function), inputs

  def call(self, index):
    return self._run(*self._inputs[index])

  def candidate(self):
    return gpu_trace.Candidate(self.call)

  def fresh(self, *arrays):
    return self._run(*arrays)


def measure(case: Case, num_chunks: int, options: gpu_rows.Options) -> dict[str, Any]:
  """A row: the product streamed in `num_chunks` chunks, its parts alone, and one after the other.

  "of_larger" is the larger of the times of copy and product over the time of both
  together, "set" the time of the plain product over that with all signals set.
  """
  device = jax.devices()[0]
  host = jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
  there = jax.sharding.SingleDeviceSharding(device)
  config = jaxgemm.GemmConfig(tile_m=256)
  tiles = -(-case.m // (256 * num_chunks))
  rows = 256 * tiles
  product = functools.partial(
      jaxgemm.chunked_matmul, tiles_per_chunk_m=tiles, config=config)

  def streamed(x, w):
    return jaxgemm.overlap(
        x, lambda data, signals: product(data, w, signals), chunk_rows=rows)

  def copied(x, w):
    return jaxgemm.join(jaxgemm.start_copy(x, chunk_rows=rows), 2 * w[0])

  def sequential(x, w):
    return gpu_rows.product()(jax.device_put(x, there), w)

  signals = jnp.ones(-(-case.m // rows), jnp.uint32)
  operands = lambda seed: gpu_rows.normal(seed, (case.m, case.k), (case.k, case.n))
  count = gpu_trace.input_sets(2 * (case.m * case.k + case.k * case.n))
  near = [operands(options.seed + i) for i in range(count)]
  far = [(jax.device_put(x, host), w) for x, w in near]
  ways, missing = gpu_rows.prepare({
      STREAMED: lambda: _Way(streamed, far),
      COPY: lambda: _Way(copied, far),
      SET: lambda: _Way(lambda x, w: product(x, w, signals), near),
      PLAIN: lambda: _Way(gpu_rows.product(), near),
      SEQUENTIAL: lambda: _Way(sequential, far)})
  about = {"section": "chunked", "case": f"{case.label}, {num_chunks} chunks",
           "m": case.m, "n": case.n, "k": case.k, "dtype": "bfloat16",
           "chunk_rows": rows, "flops": case.flops, "candidates": {},
           "missing": missing}
  if missing:
    return about
  measured = gpu_trace.measure(
      {name: way.candidate() for name, way in ways.items()}, count,
      rounds=options.rounds, warmup=options.warmup, calls=1,
      directory=gpu_rows.trace_directory(options, f"chunked-{num_chunks}"),
      within=progress.within)
  fresh = operands(options.seed + count)
  for name, way in ways.items():
    entry = gpu_rows.entry(measured, name, case.flops)
    if name != COPY:
      x = jax.device_put(fresh[0], host) if name in (STREAMED, SEQUENTIAL) else fresh[0]
      entry["errors"] = gpu_check.dense(
          *fresh, way.fresh(x, fresh[1]), options.seed)
      entry["poisoned"] = False
    about["candidates"][name] = entry
    if name != STREAMED:
      about["candidates"][name]["ratio"] = gpu_rows.ratio(measured, STREAMED, name)
  larger = max((COPY, SET), key=lambda name: measured.timing.time(name).median)
  return about | {
      "rounds": measured.timing.rounds, "unclaimed": measured.unclaimed,
      "larger": larger, "of_larger": gpu_rows.ratio(measured, STREAMED, larger),
      "set": gpu_rows.ratio(measured, SET, PLAIN),
      "spans": _spans(ways[STREAMED])}


def _spans(way) -> list[tuple[str, str, float, float]]:
  """(line, name, begin, end), in microseconds, of one call's events on the device."""
  jax.block_until_ready(way.call(0))
  with tempfile.TemporaryDirectory() as scratch:
    with jax.profiler.trace(scratch):
      jax.block_until_ready(way.call(1))
    path, = pathlib.Path(scratch).rglob("*.xplane.pb")
    found = []
    for plane in jax.profiler.ProfileData.from_file(str(path)).planes:
      if plane.name.startswith("/device:GPU:"):
        found += [(line.name, event.name, event.start_ns / 1e3,
                   (event.start_ns + event.duration_ns) / 1e3)
                  for line in plane.lines if line.name.startswith("Stream")
                  for event in line.events]
  first = min((span[2] for span in found), default=0)
  return sorted([(line, name, begin - first, end - first)
                 for line, name, begin, end in found], key=lambda span: span[2])


def draw(rows, path: str) -> None:
  """Draws a picture of the streams for each row with spans."""
  rows = [row for row in rows if row.get("spans")]
  figure, axes = plots.pyplot().subplots(len(rows), 1, figsize=(10, 2 * len(rows)),
                                 sharex=True, squeeze=False)
  for row, axis in zip(rows, axes[:, 0]):
    lines = list(dict.fromkeys(span[0] for span in row["spans"]))
    for line, name, begin, end in row["spans"]:
      kind = gpu_trace.Event(name, begin, end).kind
      axis.barh(lines.index(line), end - begin, left=begin, height=0.7,
                color={"copy": plots.COPY, "kernel": plots.OURS}.get(kind, "black"),
                edgecolor="white", linewidth=0.5)
    axis.set_yticks(range(len(lines)), [line.split("(")[0] for line in lines])
    axis.set_title(f"{row['case']}: copies (blue), product (orange)", fontsize=9)
  axes[-1, 0].set_xlabel("microseconds")
  figure.tight_layout()
  figure.savefig(path, dpi=120)


if __name__ == "__main__":
  draw(json.loads(pathlib.Path(sys.argv[1]).read_text())["rows"], sys.argv[2])
