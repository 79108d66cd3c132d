"""Times products that overlap with a collective, on several GPUs or on virtual CPU devices.

    python -m benchmarks collective --json=collective.json
    python -m benchmarks collective --schedule=auto,work_stealing --num_workgroups=0,116
    python -m benchmarks collective --transfers=ring,copies
    python -m benchmarks collective --options=xla_gpu_use_memcpy_local_p2p=true

For `allgather_matmul` it times the gather alone, the product alone, one after the other,
and both overlapped; for `matmul_reduce_scatter` the same with a reduce-scatter. m, n and k
are those of the whole product; rhs is sharded like lhs.

Times are wall-clock seconds of a call. A sample has several calls, which Python starts without
waiting for the one before; so the time to start a call is hidden behind the calls before it.
"""

import dataclasses
import functools
import itertools
import os

from absl import app, flags
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

from benchmarks import __main__ as front
from benchmarks import clock, progress, report, run
import jaxgemm
from jaxgemm.collective import copies
from jaxgemm.tune import timing

COLLECTIVE, PRODUCT, SEQUENTIAL, OVERLAPPED = (
    "collective alone", "product alone", "one after the other", "overlapped")
FLAGS = flags.FLAGS
flags.DEFINE_integer("m", 16384, "Rows of lhs, of all devices.")
flags.DEFINE_integer("k", 8192, "Columns of lhs, of all devices.")
flags.DEFINE_integer("n", 8192, "Columns of rhs, of all devices.")
flags.DEFINE_enum("dtype", "bfloat16", ["bfloat16", "float16", "float32"], "Operand type.")
flags.DEFINE_integer("devices", 0, "Number of devices; 0 uses all GPUs, or 4 CPU devices.")
flags.DEFINE_list("functions", ["allgather_matmul", "matmul_reduce_scatter"], "What to time.")
flags.DEFINE_list("schedule", ["auto"], "Schedules of the overlapped products.")
flags.DEFINE_list(
    "num_workgroups", ["0"], "Workgroups of the overlapped products; 0: the plan chooses. If they "
    "are fewer than the GPU's multiprocessors, the others are free for the transfers.")
flags.DEFINE_list(
    "transfers", ["ring"], "How rows or sums travel: ring, or copies (by copy engines of GPUs).")
flags.DEFINE_integer(
    "pieces", None, "With copies: into how many products the rows of one device are cut. Default: "
    "jaxgemm's own.")
flags.DEFINE_list("sum_dtype", ["float32"], "Dtypes in which sums travel: float32, or dtype's.")
flags.DEFINE_bool(
    "latency_hiding", True, "Whether XLA's latency hiding scheduler runs, on GPUs.")
flags.DEFINE_list("options", [], "More options of XLA for the programs, as name=value.")
flags.DEFINE_integer("calls", 0, "Calls in a sample; 0 is 10 on GPUs and 1 on CPUs.")
# Largest error of a right result, relative to its root mean square.
_TOLERANCE = {"bfloat16": 4e-2, "float16": 5e-3, "float32": 1e-4}
_CHECKED_ROWS = 8


def compiler_options() -> dict[str, str | bool]:
  """XLA's options for all programs."""
  options: dict[str, str | bool] = {}
  if FLAGS.latency_hiding and jax.default_backend() == "gpu":
    options["xla_gpu_enable_latency_hiding_scheduler"] = True
  for text in FLAGS.options:
    name, equals, value = text.partition("=")
    if not equals:
      raise app.UsageError(f"--options={text} is no name=value.")
    options[name] = {"true": True, "false": False}.get(value, value)
  return options


def _variants(function: str):
  """Keyword arguments of the overlapped products, by name."""
  scatters = function == "matmul_reduce_scatter"
  for schedule, workgroups, way, dtype in itertools.product(
      FLAGS.schedule, map(int, FLAGS.num_workgroups), FLAGS.transfers,
      FLAGS.sum_dtype if scatters else [None]):
    config = jaxgemm.GemmConfig(schedule=schedule, num_workgroups=workgroups or None)
    words = [OVERLAPPED, *([schedule] if schedule != "auto" else []),
             *([f"{workgroups} workgroups"] if workgroups else []),
             *([f"{dtype} sums"] if scatters and len(FLAGS.sum_dtype) > 1 else []),
             *([f"by {way}"] if way == "copies" else [])]
    yield " ".join(words), {"config": config, "transfers": way} | (
        {"sum_dtype": dtype} if dtype else {})


def candidates(function: str, mesh) -> tuple[dict, tuple[P, P]]:
  """(jitted functions of lhs and rhs by name, the specs of lhs and rhs)."""
  rows, columns = P("x"), P(None, "x")
  gathers = function == "allgather_matmul"
  specs = (rows, columns) if gathers else (columns, rows)
  sums = jnp.dtype(FLAGS.sum_dtype[0])

  def jitted(body, in_specs, out_spec):
    mapped = jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_spec,
                           check_vma=False)
    return jax.jit(mapped, compiler_options=compiler_options())

  gather = functools.partial(lax.all_gather, axis_name="x", tiled=True)
  scatter = functools.partial(lax.psum_scatter, axis_name="x", tiled=True)
  out_spec = columns if gathers else rows
  if gathers:
    ways = {COLLECTIVE: jitted(lambda lhs, rhs: gather(lhs), specs, P()),
            PRODUCT: jitted(jaxgemm.matmul, (P(), columns), columns),
            SEQUENTIAL: jitted(lambda lhs, rhs: jaxgemm.matmul(gather(lhs), rhs), specs,
                               columns)}
  else:
    product = functools.partial(jaxgemm.matmul, preferred_element_type=sums)
    ways = {COLLECTIVE: jitted(lambda sums: scatter(sums), P("x"), rows),
            PRODUCT: jitted(product, specs, P("x")),
            SEQUENTIAL: jitted(lambda lhs, rhs: scatter(product(lhs, rhs)).astype(lhs.dtype),
                               specs, rows)}
  for name, options in _variants(function):
    ways[name] = jitted(functools.partial(
        getattr(jaxgemm, function), axis_name="x", **options), specs, out_spec)
  return ways, specs


def _normal(seed: int, shape, sharding):
  make = jax.jit(lambda key: jax.random.normal(key, shape, jnp.float32).astype(FLAGS.dtype),
                 out_shardings=sharding)
  return make(jax.random.key(seed, impl="rbg"))


def error(out, lhs, rhs) -> float:
  """The largest error of some rows of out, relative to their root mean square."""
  chosen = np.sort(np.random.default_rng(FLAGS.seed).choice(
      lhs.shape[0], min(_CHECKED_ROWS, lhs.shape[0]), replace=False))
  take = jax.jit(lambda x: x[chosen].astype(jnp.float32),
                 out_shardings=NamedSharding(lhs.sharding.mesh, P()))
  wanted = np.asarray(take(lhs), np.float64) @ np.asarray(rhs).astype(np.float64)
  given = np.asarray(take(out), np.float64)
  return float(np.abs(given - wanted).max() / np.sqrt(np.mean(wanted**2)))


def measure(function: str, mesh, product: dict[str, int]) -> dict:
  """A row: the seconds of each way, and errors and ratios of the overlapped ones."""
  ways, specs = candidates(function, mesh)
  m, k, n, devices = product["m"], product["k"], product["n"], mesh.size
  place = lambda spec: NamedSharding(mesh, spec)
  lhs = _normal(FLAGS.seed, (m, k), place(specs[0]))
  rhs = _normal(FLAGS.seed + 1, (k, n), place(specs[1]))
  arguments = dict.fromkeys(ways, (lhs, rhs))
  if function == "allgather_matmul":
    arguments[PRODUCT] = jax.device_put(lhs, place(P())), rhs
  else:
    sums = jnp.dtype(FLAGS.sum_dtype[0])
    arguments[COLLECTIVE] = (jax.jit(
        lambda: jnp.ones((devices * m, n), sums), out_shardings=place(P("x")))(),)
  calls = FLAGS.calls or (10 if jax.default_backend() == "gpu" else 1)

  def several(name):
    def run_it():
      for _ in range(calls):
        out = ways[name](*arguments[name])
      return out
    return run_it

  entries: dict[str, dict] = {name: {} for name in ways}
  for name in ways:
    progress.within(name)
    if name == SEQUENTIAL or name.startswith(OVERLAPPED):
      found = error(ways[name](lhs, rhs), lhs, rhs)
      entries[name]["errors"] = {"max": found}
  rounds = run.repeat()
  measured = timing.interleave(
      {name: several(name) for name in ways}, [()], min_rounds=rounds, min_seconds=0,
      sample_seconds=0, warmup=-(-run.warmup() // calls), within=progress.within)
  measured = timing.Timing({name: x / calls for name, x in measured.seconds.items()}, calls)
  larger = max((COLLECTIVE, PRODUCT), key=lambda name: measured.time(name).median)
  flops = 2 * m * k * n
  for name, entry in entries.items():
    entry["seconds"] = dataclasses.asdict(measured.time(name))
    if name != COLLECTIVE:
      entry["tflops"] = flops / entry["seconds"]["median"] / 1e12
    if name.startswith(OVERLAPPED):
      entry["ratio"] = dataclasses.asdict(measured.speedup(name, SEQUENTIAL))
      entry["of_larger"] = dataclasses.asdict(measured.speedup(larger, name))
  clock.keep_trace(FLAGS.profile, f"{function}-{m}x{n}x{k}", {
      name: several(name) for name in ways})
  return {"section": "collective", "case": function, "m": m, "n": n, "k": k,
          "dtype": FLAGS.dtype, "devices": devices, "larger": larger, "calls": calls,
          "candidates": entries}


def wrong(rows) -> list[str]:
  """Results that are further from float64 than rounding explains."""
  return [f"{row['case']} {name}: error {entry['errors']['max']:.1e}, at most "
          f"{_TOLERANCE[row['dtype']]:.0e} is right"
          for row in rows for name, entry in row["candidates"].items()
          if "errors" in entry and not entry["errors"]["max"] < _TOLERANCE[row["dtype"]]]


def _print(row: dict) -> None:
  print(f"{row['case']} {row['m']}x{row['n']}x{row['k']} {row['dtype']}, "
        f"{row['devices']} devices")
  for name, entry in row["candidates"].items():
    line = f"  {name:36} {1e3 * entry['seconds']['median']:9.3f} ms"
    if "of_larger" in entry:
      line += (f"  {entry['of_larger']['median']:.3f} of {row['larger']}, "
               f"{entry['ratio']['median']:.2f}x {SEQUENTIAL}")
    if "errors" in entry:
      line += f"  error {entry['errors']['max']:.1e}"
    print(line, flush=True)


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  run.refuse("threads", "processes")
  for name in FLAGS.functions:
    if name not in ("allgather_matmul", "matmul_reduce_scatter"):
      raise app.UsageError(f"--functions={name}; allgather_matmul and matmul_reduce_scatter "
                           "are allowed.")
  copies.PIECES = FLAGS.pieces
  if not front.has_gpu():
    jax.config.update("jax_num_cpu_devices", FLAGS.devices or 4)
  devices = jax.devices()[:FLAGS.devices or None]
  if len(devices) < max(FLAGS.devices, 2):
    raise app.UsageError(f"There are {len(devices)} devices of {jax.default_backend()}; this "
                         f"needs {max(FLAGS.devices, 2)}. See --devices.")
  products = run.problems([FLAGS.dtype])
  if products is None:
    products = [{size: FLAGS[size].value for size in "mnk"}]
  for product in products:
    for size in "mnk":
      if product[size] % len(devices):
        raise app.UsageError(
            f"{size}={product[size]} is no multiple of {len(devices)} devices.")
  mesh = jax.make_mesh((len(devices),), ("x",), axis_types=(AxisType.Auto,), devices=devices)
  about = {"machine": report.machine() | report.device() | {
      "xla_flags": os.environ.get("XLA_FLAGS"), "options": compiler_options()}}
  rows = run.Rows(lambda _: about)
  for product in products:
    for function in FLAGS.functions:
      job = "{} {m}x{n}x{k}".format(function, **product)
      if not rows.has(job):
        progress.doing(job)
        rows.add(job, [measure(function, mesh, product)])
        _print(rows.rows[-1])
  return rows.finish(wrong(rows.rows))
