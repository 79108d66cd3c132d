"""Programs that test_cuda_graphs.py runs in separate processes, because XLA reads its
flags when a process starts. Each prints what it measured as one line of JSON.

    python tests/sm90/cuda_programs.py calls | loop | chunks | streams | busy
"""

import collections
import dataclasses
import functools
import hashlib
import json
import pathlib
import re
import sys
import tempfile
import time

import jax
from jax import lax
from jax.experimental import compute_on
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import GemmConfig
from tests.sm90.cuda_gpu import array, assert_close, double, gemm
from tests.support.arriving import Arriving, overlapped

# Options that give the same bits on every run. Each gives another plan, because XLA merges equal
# calls of one program.
DENSE = (
    dict(schedule="persistent"),
    dict(schedule="work_stealing", config=GemmConfig(num_workgroups=5)),
    dict(schedule="stream_k", config=GemmConfig(num_workgroups=54)),
    dict(schedule="stream_k", config=GemmConfig(num_workgroups=7)),
    dict(schedule="stream_k", reduction="tree", config=GemmConfig(num_workgroups=7)),
)
GROUPED = ("persistent", "work_stealing", "stream_k")
REPLAYS = 100


def trace(run) -> dict:
  """Calls run() and returns what the profile shows.

  graphs: launches of graphs; kernels: number of jaxgemm's kernels by stream; together:
  how many of these start before one of another stream has ended; memsets: their number.
  """
  with tempfile.TemporaryDirectory() as folder:
    with jax.profiler.trace(folder):
      result = run()
    path, = pathlib.Path(folder).rglob("*.xplane.pb")
    planes = list(jax.profiler.ProfileData.from_file(str(path)).planes)
  memsets, calls = 0, collections.Counter()
  streams, spans = {}, []
  for plane in planes:
    for line in plane.lines:
      names = [event.name for event in line.events]
      if plane.name.startswith("/host:"):
        # The launch of a graph has the graph's number after the name.
        calls.update(name.split()[0] for name in names if re.match("cu[A-Z]", name))
      elif plane.name.startswith("/device:GPU:") and line.name.startswith("Stream"):
        memsets += sum(name.lower().startswith("memset") for name in names)
        ours = [event for event in line.events if event.name.startswith("gemm_")]
        if ours:
          streams[line.name] = len(ours)
        spans += [(e.start_ns, e.start_ns + e.duration_ns, line.name) for e in ours]
  together, ends = 0, {}
  for begin, end, stream in sorted(spans):
    together += any(begin < other for name, other in ends.items() if name != stream)
    ends[stream] = max(end, ends.get(stream, 0))
  return {"graphs": calls["cuGraphLaunch"], "kernels": streams, "together": together,
          "memsets": memsets, "result": result}


def bits(outs) -> str:
  return hashlib.sha256(b"".join(np.asarray(x).tobytes() for x in outs)).hexdigest()


def show(seen: dict, **more) -> None:
  print(json.dumps({k: v for k, v in seen.items() if k != "result"} | more), flush=True)


def calls() -> None:
  """Independent calls in one program, repeated many times on three inputs."""
  rng = np.random.default_rng(0)
  inputs = [(array(rng, 264, 1024), array(rng, 1024, 520), array(rng, 4, 1024, 136),
             jnp.asarray(sizes, jnp.int32))
            for sizes in ([100, 0, 150, 14], [0, 264, 0, 0], [1, 100, 100, 30])]

  @jax.jit
  def program(a, b, experts, sizes):
    dense = [gemm(a, b, **options) for options in DENSE]
    grouped = [jaxgemm.ragged_dot(a, experts, sizes, schedule=schedule,
                                  implementation="jaxgemm") for schedule in GROUPED]
    return dense + grouped

  firsts = []
  for a, b, experts, sizes in inputs:
    outs = program(a, b, experts, sizes)
    for out in outs[:len(DENSE)]:
      assert_close(out, double(a) @ double(b))
    group = np.repeat(np.arange(4), sizes)
    wanted = np.zeros((264, 136))
    wanted[:len(group)] = np.einsum(
        "mk,mkn->mn", double(a)[:len(group)], double(experts)[group], optimize=True)
    for out in outs[len(DENSE):]:
      assert_close(out, wanted)
    firsts.append(bits(outs))
  for _ in range(4):  # until XLA has captured its graphs
    for given in inputs:
      jax.block_until_ready(program(*given))
  seen = trace(lambda: jax.block_until_ready(
      [program(*inputs[i % len(inputs)]) for i in range(REPLAYS)]))
  different = sum(bits(outs) != firsts[i % len(inputs)]
                  for i, outs in enumerate(seen["result"]))
  show(seen, bits=firsts, different=different, calls=len(DENSE) + len(GROUPED))


def loop() -> None:
  """A chain of calls in scan and in fori_loop, against the calls without a loop."""
  rng = np.random.default_rng(0)
  x = array(rng, 264, 256)
  layers = (array(rng, 8, len(DENSE), 256, 256) / 16).astype(jnp.bfloat16)

  def layer(x, weights):
    for options, w in zip(DENSE, weights):
      x = gemm(x, w, **options)
    return x

  scan = jax.jit(lambda x, layers: lax.scan(
      lambda x, weights: (layer(x, weights), ()), x, layers)[0])
  fori = jax.jit(lambda x, layers: lax.fori_loop(
      0, len(layers), lambda i, x: layer(x, layers[i]), x))
  alone = [jax.jit(lambda x, w, options=options: gemm(x, w, **options))
           for options in DENSE]
  wanted, exact = x, double(x)
  for weights in layers:
    for f, w in zip(alone, weights):
      wanted, exact = f(wanted, w), exact @ double(w)
  # There is one rounding for each of 40 products.
  assert_close(wanted, exact, 2e-2)
  seen, different = {}, 0
  for name, f in (("scan", scan), ("fori", fori)):
    for _ in range(4):
      jax.block_until_ready(f(x, layers))
    seen[name] = trace(
        lambda f=f: jax.block_until_ready([f(x, layers) for _ in range(REPLAYS)]))
    different += sum(bits([out]) != bits([wanted]) for out in seen[name].pop("result"))
  show(seen, bits=bits([wanted]), different=different,
       calls=len(DENSE) * len(layers))


def chunks() -> None:
  """Products of chunks, repeated many times on the same buffers: of an lhs that a
  thread writes during the call, with the next epoch for each call; in a scan, with the
  next epoch for each step; and in a scan of copies."""
  rng = np.random.default_rng(0)
  xs, w = array(rng, 4, 1024, 512), array(rng, 512, 256)
  values, wanted = np.asarray(xs), double(xs) @ double(w)
  tile = GemmConfig(tile_m=128, tile_n=128)

  def product(x, w, signals, epoch, config=tile, **options):
    config = dataclasses.replace(config, tile_m=128, tile_n=128)
    return jaxgemm.chunked_matmul(x, w, signals, tiles_per_chunk_m=2, epoch=epoch,
                                  config=config, timeout=5.0, **options)

  products = [jax.jit(functools.partial(product, **options)) for options in DENSE]
  arriving = Arriving(values[0], 256)

  def arrive(turn):
    arriving.values = values[turn % len(values)]
    places, epoch = arriving.places(), turn + 1
    thread = arriving.start([places[i] for i in rng.permutation(4)], epoch=epoch)
    out = products[turn % len(products)](
        arriving.lhs, w, arriving.signals, np.array([epoch], np.uint32))
    out.block_until_ready()
    thread.join()
    return out

  @functools.partial(jax.jit, donate_argnums=0)
  def scan(state, xs, w):
    def step(state, x):
      signals, epoch = state
      return (signals + 1, epoch + 1), product(x, w, signals, epoch)
    return lax.scan(step, state, xs)

  state = jnp.ones(4, jnp.uint32), jnp.ones(1, jnp.uint32)

  def scan_on(_):
    nonlocal state
    state, outs = scan(state, xs, w)
    return outs.block_until_ready()

  copies = jax.jit(lambda xs, w: lax.scan(
      lambda count, x: (count + 1, overlapped(x, w, config=tile)), 0, xs)[1])
  seen, firsts, different = {}, [], 0
  for name, run in (("arriving", arrive), ("scan", scan_on),
                    ("copies", lambda _: copies(xs, w))):
    period = len(xs) * len(products)  # of arrive; the others repeat every call
    first = [run(turn) for turn in range(period)]
    for turn, out in enumerate(first):
      assert_close(out, wanted[turn % len(xs)] if run is arrive else wanted)
    for turn in range(period, 4 * period):  # until XLA has captured its graphs
      run(turn)
    seen[name] = trace(
        lambda run=run: [run(turn) for turn in range(4 * period, 4 * period + REPLAYS)])
    different += sum(bits([out]) != bits([first[turn % period]])
                     for turn, out in enumerate(seen[name].pop("result")))
    firsts.append(bits(first))
  show(seen, bits=firsts, different=different, per_scan=len(xs))


def streams() -> None:
  """Calls of one program, each on its own stream."""
  rng = np.random.default_rng(0)
  a, b = array(rng, 1024, 4096), array(rng, 4096, 1024)
  # In jax 0.10 this function is named compute_on2.
  on = getattr(compute_on, "compute_on2", compute_on.compute_on)

  def call(stream, options):
    # The call leaves most of the GPU to the other calls. With several GPUs it would have the
    # partitioning rule, which XLA cannot start on a stream of its own; so that is switched off.
    config = GemmConfig(num_workgroups=16, partition=False)
    f = lambda a, b: gemm(a, b, **options, config=config)
    return on(f, compute_type=f"gpu_stream:{stream}",
              out_memory_spaces=jax.memory.Space.Device)

  kinds = (dict(schedule="work_stealing"), dict(schedule="stream_k"),
           dict(schedule="stream_k", reduction="tree"))
  functions = [call(stream + 1, kind) for stream, kind in enumerate(kinds)]
  program = jax.jit(lambda a, b: [f(a, b) for f in functions])
  first = program(a, b)
  for out in first:
    assert_close(out, double(a) @ double(b))
  seen = trace(lambda: jax.block_until_ready([program(a, b) for _ in range(REPLAYS)]))
  different = sum(bits(outs) != bits(first) for outs in seen["result"])
  show(seen, bits=bits(first), different=different, calls=len(kinds))


def busy(seconds: float = 3) -> None:
  """Repeats a program for some seconds, from the moment a line comes in on stdin."""
  rng = np.random.default_rng(0)
  a, b = array(rng, 1000, 2048), array(rng, 2048, 1000)
  program = jax.jit(lambda a, b: [gemm(a, b, **options) for options in DENSE])
  first = program(a, b)
  for out in first:
    assert_close(out, double(a) @ double(b))
  same = jax.jit(
      lambda x, y: jnp.all(jnp.stack([jnp.all(i == j) for i, j in zip(x, y)])))
  assert same(program(a, b), first)
  print("ready", flush=True)
  sys.stdin.readline()
  begin, count, different = time.time(), 0, 0
  while time.time() < begin + seconds:
    different += not same(program(a, b), first)
    count += 1
  print(json.dumps({"begin": begin, "end": time.time(), "runs": count,
                    "different": different, "bits": bits(first)}), flush=True)


if __name__ == "__main__":
  {"calls": calls, "loop": loop, "chunks": chunks, "streams": streams,
   "busy": busy}[sys.argv[1]]()
