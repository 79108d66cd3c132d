"""A layer of experts on many devices, beside its products and its communication alone.

    python -m benchmarks moe_devices --json=layer.json
    python -m benchmarks moe_devices --cases=qwen3_30b_a3b --tokens=4096 --dispatches=overlap
    JAXGEMM_PEER_COPIES=0 python -m benchmarks moe_devices --dispatches=overlap

It times `jaxgemm.flax.moe` in bfloat16 with sharded tokens and experts, router included: `forward`,
and with `gradients` of the tokens and all parameters. "products alone" are the grouped products of
each device, and their gradients, on rows that are sorted already; all devices run at the same
time. "communication alone" are the tokens and the sums that `overlap` sends, and the same for the
gradients, one after the other; the routing, which is small, is not in it. Tokens are those of a
device. Results and gradients are compared with one device's.

Times are wall-clock seconds of a call. A sample has several calls, which Python starts without
waiting for the one before; so the time to start a call is hidden behind the calls before it.
"""

from collections.abc import Callable, Iterator
import dataclasses
import functools
import itertools

from absl import app, flags
import jax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

from benchmarks import cases, devices, measure, moe, progress, run
from jaxgemm.collective import blocks, exchange
from jaxgemm.flax.checks import DISPATCHES

COMMUNICATION, PRODUCTS = "communication alone", "products alone"
WORKS = "forward", "gradients"
FLAGS = flags.FLAGS


def define_flags() -> None:
  devices.define_flags()
  flags.DEFINE_list("cases", None, "Models from shapes.json. Default: all.")
  flags.DEFINE_list("tokens", None, "Tokens of a device. Default: from shapes.json.")
  flags.DEFINE_list("work", list(WORKS), f"Some of {', '.join(WORKS)}.")
  flags.DEFINE_list("dispatches", ["overlap", "gather"], f"Some of {', '.join(DISPATCHES)}.")
  flags.DEFINE_list("routings", ["balanced"], f"Some of {', '.join(moe.ROUTINGS)}.")
  flags.DEFINE_enum("blocks", None, ["one", "two"], "Whether own and others' tokens are one block "
                    "of rows, or two. Default: jaxgemm's own choice.")
  flags.DEFINE_float("room", None, "dispatch_room of the layers with dispatch=overlap.")


def _sent(params, x, cotangent, backward: bool):
  """What the layer sends, one after the other; with `backward` also what its gradients send."""
  del params, cotangent
  def there_and_back(x):
    started, = exchange.start(x, axis_name="x")
    started, = exchange.start(exchange.done(started)[0], axis_name="x", scatters=True)
    return exchange.done(started)[0]
  out = there_and_back(x)
  if backward:  # the cotangents and, again, the tokens arrive
    out = there_and_back(out[0])
    started, = exchange.start(out[0], axis_name="x")
    out = exchange.done(started)[0]
  return [out]


def _ways(problem: cases.Experts, mesh, work: str, dispatches) -> dict[str, Callable]:
  """Functions of (parameters, tokens, cotangents), and for the products of sorted rows."""
  def jitted(body, in_specs):
    mapped = jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=P("x"), check_vma=False)
    return jax.jit(mapped, compiler_options={
        "xla_gpu_enable_latency_hiding_scheduler": True} if measure.on_gpu() else None)

  of_layer = moe.Params(P(), P("x"), P("x")), P("x"), P("x")

  def layer(dispatch):
    options = dict(expert_axis_name="x", sharded_tokens=True, dispatch=dispatch)
    if dispatch == "overlap":
      options["dispatch_room"] = FLAGS.room
    body = moe.program(lambda params, x: moe.layer(problem, **options)(params, x)[0], work)

    def of_device(*arrays):
      out, *gradients = body(*arrays)
      return [out, *(each[None] if i == 0 else each for i, each in enumerate(gradients))]
    return jitted(of_device, of_layer)

  ways = {dispatch: layer(dispatch) for dispatch in dispatches}
  ways[COMMUNICATION] = jitted(functools.partial(_sent, backward=work != "forward"), of_layer)

  ways[PRODUCTS] = jitted(moe.program(moe.products, work), (*of_layer, P("x")))
  return ways


def _errors(given, wanted) -> run.Row:
  """The relative differences of the results of a layer, and the largest that are right."""
  out, *gradients = given
  if gradients:  # the router's are those of each device's tokens
    gradients[0] = gradients[0].sum(0)
  errors = {name: float(moe.difference(*jax.device_put(pair, jax.devices()[0])))
            for name, *pair in zip(moe.RESULTS, [out, *gradients], wanted)}
  return {"errors": errors, "at_most": dict.fromkeys(errors, moe.TOLERANCE)}


def row(model: str, problem: cases.Experts, mesh, work: str, routing: str, dispatches,
        options: measure.Options) -> run.Row:
  """A row: the seconds of each way, and errors and ratios of the layers."""
  whole = dataclasses.replace(problem, tokens=problem.tokens * mesh.size)
  params, pairs = moe.drawn(whole, routing, 1, options.seed)
  (x, cotangent), = pairs
  wanted = jax.jit(moe.program(lambda params, x: moe.layer(whole)(params, x)[0], work))(
      params, x, cotangent)
  stats = jax.jit(moe.layer(whole))(params, x)[1]
  # The rows of each device, sorted by expert; every device has as many as the fullest one.
  sizes = np.asarray(stats.tokens_per_expert).reshape(mesh.size, -1)
  order = np.argsort(np.asarray(stats.experts).ravel(), kind="stable") // problem.top_k
  ends = np.cumsum(sizes.sum(1))
  most = int(sizes.sum(1).max())
  tokens = np.stack([np.resize(order[end - n:end] if n else order[:1], most)
                     for end, n in zip(ends, sizes.sum(1))])
  place = lambda array, spec: jax.device_put(array, NamedSharding(mesh, spec))
  rows, of_rows = (place(each[tokens.ravel()], P("x")) for each in (x, cotangent))
  params = jax.tree.map(place, params, moe.Params(P(), P("x"), P("x")))
  x, cotangent = (place(each, P("x")) for each in (x, cotangent))
  arguments = dict.fromkeys((*dispatches, COMMUNICATION), (params, x, cotangent))
  arguments[PRODUCTS] = params, rows, of_rows, place(sizes.ravel(), P("x"))
  ways = _ways(whole, mesh, work, dispatches)
  entries: dict[str, run.Row] = {name: {} for name in ways}
  for name in dispatches:
    progress.within(name)
    entries[name] = _errors(ways[name](*arguments[name]), wanted)
  flops = moe.WORK[work] * problem.flops
  timed = devices.add_times(entries, ways, arguments, (COMMUNICATION, PRODUCTS), dispatches, flops,
                            options, f"{model} {problem.label} {work}")
  return {"section": "moe_devices", "case": f"{model}, {problem.label} a device, {work}",
          "kind": model, **dataclasses.asdict(problem), "routing": routing, "work": work,
          "dtype": "bfloat16", "devices": mesh.size, **timed, "flops": flops,
          "candidates": entries}


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  run.refuse("threads")
  works, routings = run.choose("work", FLAGS.work, WORKS), run.choose(
      "routings", FLAGS.routings, moe.ROUTINGS)
  dispatches = run.choose("dispatches", FLAGS.dispatches, DISPATCHES)
  mesh = devices.mesh()
  blocks.SPLITS = {"one": False, "two": True}.get(FLAGS.blocks)
  options = measure.Options.of_flags()
  there = cases.experts("gpu" if measure.on_gpu() else "cpu", FLAGS.tokens, "experts_on_devices")
  given = run.read_problems([field.name for field in dataclasses.fields(cases.Experts)])
  chosen = [("problems", each) for each in given or ()] or [
      (model, each) for model in run.choose("cases", FLAGS.cases or there, there)
      for each in there[model]]
  for (model, each), routing, work in itertools.product(chosen, routings, works):
    problem = cases.Experts(**each)
    if problem.num_experts % mesh.size:
      raise app.UsageError(f"{model} has {problem.num_experts} experts; a multiple of "
                           f"{mesh.size}, the number of devices, is allowed.")
    yield f"{name} {model} {problem.label} {routing} {work}", functools.partial(
        lambda *arguments: [row(*arguments)], model, problem, mesh, work, routing, dispatches,
        options)
