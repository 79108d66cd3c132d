"""Products that overlap with a collective, on several GPUs or on virtual CPU devices.

    python -m benchmarks collective --json=collective.json
    python -m benchmarks collective --schedule=auto,work_stealing --num_workgroups=0,116
    python -m benchmarks collective --transfers=ring,copies
    XLA_FLAGS=--xla_gpu_use_memcpy_local_p2p=true python -m benchmarks collective

For `allgather_matmul` it times the gather alone, the product alone, one after the other, and both
overlapped; for `matmul_reduce_scatter` the same with a reduce-scatter. Sizes are those of the whole
product; rhs is sharded like lhs. On GPUs XLA's latency hiding scheduler runs.

Times are wall-clock seconds of a call. A sample has several calls, which Python starts without
waiting for the one before; so the time to start a call is hidden behind the calls before it.
"""

from collections.abc import Callable, Iterator
import functools
import itertools

from absl import app, flags
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from benchmarks import check, devices, measure, progress, run
import jaxgemm
from jaxgemm.collective import copies

COLLECTIVE, PRODUCT, SEQUENTIAL, OVERLAPPED = (
    "collective alone", "product alone", "one after the other", "overlapped")
FUNCTIONS = ("allgather_matmul", "matmul_reduce_scatter")
FLAGS = flags.FLAGS


def define_flags() -> None:
  devices.define_flags()
  flags.DEFINE_list("cases", ["16384x8192x8192"], "Products of all devices, as MxNxK.")
  flags.DEFINE_enum("dtype", "bfloat16", ["bfloat16", "float16", "float32"], "Operand type.")
  flags.DEFINE_list("functions", list(FUNCTIONS), "What to time.")
  flags.DEFINE_list("schedule", ["auto"], "Schedules of the overlapped products.")
  flags.DEFINE_list(
      "num_workgroups", ["0"], "Workgroups of the overlapped products; 0: the plan chooses. If "
      "they are fewer than the GPU's multiprocessors, the others are free for the transfers.")
  flags.DEFINE_list("transfers", ["ring"], "How rows or sums travel: ring, or copies (by copy "
                    "engines of GPUs).")
  flags.DEFINE_integer("pieces", None, "With copies: into how many products the rows of one "
                       "device are cut. Default: jaxgemm's own.")
  flags.DEFINE_list("sum_dtype", ["float32"], "Dtypes in which sums travel: float32, or dtype's.")


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
    mapped = jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_spec, check_vma=False)
    return jax.jit(mapped, compiler_options={
        "xla_gpu_enable_latency_hiding_scheduler": True} if measure.on_gpu() else None)

  gather = functools.partial(lax.all_gather, axis_name="x", tiled=True)
  scatter = functools.partial(lax.psum_scatter, axis_name="x", tiled=True)
  out_spec = columns if gathers else rows
  if gathers:
    ways = {COLLECTIVE: jitted(lambda lhs, rhs: gather(lhs), specs, P()),
            PRODUCT: jitted(jaxgemm.matmul, (P(), columns), columns),
            SEQUENTIAL: jitted(lambda lhs, rhs: jaxgemm.matmul(gather(lhs), rhs), specs, columns)}
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


def row(function: str, mesh, product, options: measure.Options) -> run.Row:
  """A row: the seconds of each way, and errors and ratios of the overlapped ones."""
  ways, specs = candidates(function, mesh)
  m, k, n = product.m, product.k, product.n
  place = lambda spec: NamedSharding(mesh, spec)
  lhs, rhs = (jax.device_put(x, place(spec)) for x, spec in zip(
      measure.random(options.seed, (m, k), (k, n), dtype=FLAGS.dtype), specs))
  arguments: dict[str, tuple] = dict.fromkeys(ways, (lhs, rhs))
  if function == "allgather_matmul":
    arguments[PRODUCT] = jax.device_put(lhs, place(P())), rhs
  else:
    sums = jnp.dtype(FLAGS.sum_dtype[0])
    arguments[COLLECTIVE] = (jax.jit(
        lambda: jnp.ones((mesh.size * m, n), sums), out_shardings=place(P("x")))(),)
  entries: dict[str, run.Row] = {name: {} for name in ways}
  for name in ways:
    progress.within(name)
    if name == SEQUENTIAL or name.startswith(OVERLAPPED):
      near = (jax.device_put(x, mesh.devices.flat[0]) for x in (lhs, rhs, ways[name](lhs, rhs)))
      # Sums that travel in dtype are rounded on each device.
      entries[name] = check.bounded(check.dense(*near, options.seed), FLAGS.dtype, mesh.size)
  overlapped = [name for name in ways if name.startswith(OVERLAPPED)]
  timed = devices.add_times(entries, ways, arguments, (COLLECTIVE, PRODUCT), overlapped,
                            product.flops, options, f"{function} {product.sizes}")
  return {"section": "collective", "case": f"{function} {product.sizes}, {mesh.size} devices",
          "m": m, "n": n, "k": k, "dtype": FLAGS.dtype, "devices": mesh.size, **timed,
          "candidates": entries}


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  run.refuse("threads")
  functions = run.choose("functions", FLAGS.functions, FUNCTIONS)
  copies.PIECES = FLAGS.pieces
  mesh = devices.mesh()
  options = measure.Options.of_flags()
  for product in run.given_products([FLAGS.dtype]):
    if any(size % mesh.size for size in (product.m, product.n, product.k)):
      raise app.UsageError(f"{product.sizes}: there are {mesh.size} devices, and all sizes must "
                           "be multiples of that.")
    for function in functions:
      yield f"{name} {function} {product.sizes}", lambda function=function, product=product: [
          row(function, mesh, product, options)]
