"""A layer of experts beside its products alone and other layers, and a training step of it.

    python -m benchmarks moe_layer --json=layer.json --markdown=layer.md
    python -m benchmarks moe_layer --cases=mixtral_8x7b --tokens=1,4096 --routings=skewed
    python -m benchmarks train_step --json=moe.json --markdown=moe.md

moe_layer times `jaxgemm.flax.moe` in bfloat16, router included, with the sizes of models:
`forward`, and with `gradients` of the tokens and all parameters. "products alone" are its grouped
products, and their gradients, on rows that are sorted already. The layer on jax.lax.ragged_dot, one
of torch, and public fused layers (moe_peers.py) take turns with it on the same arrays, if they can
be imported. The roofline is the larger of FLOPs over --peak_tflops, and the bytes of the weights
that are read over --peak_gbs. With "balanced" routing all experts are equally likely; with "skewed"
routing the logits of the i-th expert, in some order, have -log(i) added. Errors are against all
experts in float32, with the routing of jaxgemm's layer. With --recipes=rowwise,tensorwise the layer
is also timed in float8, quantising included. On a GPU an entry has the kernels by name.

A `step` is forward, backward and the update by optax.adamw of --layers layers with float32
parameters, each beside a residual connection. If there are several, they are a scan, and each is
computed again in the backward pass. The loss and, of one layer, the gradients of the first step are
compared with those on jax.lax.ragged_dot. "capacity 1.25" is the same layer as MaxText computes it
where it drops tokens: each expert has room for 1.25 times its share of each --sequence, and
products are einsums over all of that. With --loss_steps=200 the squared error after so many steps
from the same parameters, on the same tokens, is given, too. Memory is what XLA says of a compiled
program.
"""

from collections.abc import Callable, Iterator, Sequence
import dataclasses
import functools
import math
from typing import Any, NamedTuple

from absl import flags
import jax
import jax.numpy as jnp
import numpy as np
import optax

from benchmarks import cases, measure, moe_peers, plots, run
import jaxgemm
from jaxgemm.flax import Mlp, MoEParams, moe
from jaxgemm.fp8.recipes import RECIPES

OURS, XLA, ALONE = "jaxgemm.ragged_dot", "lax.ragged_dot", "products alone"
DROPPING = "capacity 1.25"
PRODUCTS = {OURS: None, XLA: jax.lax.ragged_dot}  # the layer's argument `ragged_dot`
# Products of each kind of work, in products of the forward pass.
WORK = {"forward": 1, "gradients": 3, "step": 3}
ROUTINGS = "balanced", "skewed"
RESULTS = "out", "d_router", "d_gate_up", "d_down", "d_x"
# Largest relative errors (Frobenius norms) of a layer, for bfloat16 operands and hidden values.
TOLERANCE = 2e-2
FLOAT8_TOLERANCE = 0.2  # for operands in float8, and cotangents in e5m2
LOSS_TOLERANCE = 1e-3  # the largest relative difference of the losses of two steps
INPUT_SETS = 3
_OPTIMIZER = optax.adamw(1e-4)
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_enum("size", None, list(cases.load()["moe_step"]),
                    "Sizes of train_step in shapes.json. Default: gpu on a GPU, cpu elsewhere.")
  flags.DEFINE_list("cases", None, "Models of moe_layer, or numbers of experts of train_step, from "
                    "shapes.json. Default: all, and on a CPU a small one.")
  flags.DEFINE_list("tokens", None, "Tokens of a call or step. Default: from shapes.json.")
  flags.DEFINE_list("routings", list(ROUTINGS), "Some of balanced and skewed.")
  flags.DEFINE_integer("sequence", 4096, "Tokens of a sequence, for the layer that drops tokens.")
  flags.DEFINE_integer("loss_steps", 0, "Steps after which train_step gives the error.")
  flags.DEFINE_integer("layers", 1, "Layers of a step.")
  flags.DEFINE_list("work", ["forward", "gradients"], f"Some of {', '.join(WORK)}.")
  flags.DEFINE_list("recipes", [], "Recipes of jaxgemm.fp8, timed beside bfloat16.")
  flags.DEFINE_list("peers", list(moe_peers.PEERS), "Layers of other packages.")
  flags.DEFINE_integer("xla_most_groups", 16, "jax.lax.ragged_dot is left out with more experts: "
                       "it multiplies every row with every group.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  options = measure.Options.of_flags()
  works = run.choose("work", FLAGS.work, WORK)
  recipes = run.choose("recipes", FLAGS.recipes, RECIPES)
  routings = run.choose("routings", FLAGS.routings, ROUTINGS)
  given = run.read_problems([field.name for field in dataclasses.fields(cases.Experts)])
  size = FLAGS.size or ("gpu" if measure.on_gpu() else "cpu")
  there = cases.experts(size, FLAGS.tokens)
  if "step" in works:
    there = {str(each["num_experts"]): [each | {"tokens": tokens} for tokens in map(
        int, FLAGS.tokens or [each["tokens"]])] for each in cases.load()["moe_step"][size]}
  chosen = [("problems", each) for each in given or ()] or [
      (model, each) for model in run.choose("cases", FLAGS.cases or there, there)
      for each in there[model]]
  for model, each in chosen:
    problem = cases.Experts(**each)
    if "step" in works:
      yield f"{name} {problem.label} step", functools.partial(
          steps, problem, options, FLAGS.layers, FLAGS.sequence, FLAGS.loss_steps)
    for routing in routings if "step" not in works else ():
      yield f"{name} {model} {problem.label} {routing}", functools.partial(
          rows, model, problem, routing, works, options, recipes,
          run.choose("peers", FLAGS.peers, moe_peers.PEERS), FLAGS.xla_most_groups)


# ------------------------------------------------------------------------------------ layers


class Params(NamedTuple):
  """A layer's parameters: the router [C, E] in float32, [E, C, 2, H] and [E, H, C] in bfloat16."""

  router: Any
  gate_up: Any
  down: Any


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def drawn(problem: cases.Experts, routing: str, count: int, seed: int):
  """(parameters, `count` pairs of tokens and their cotangents)."""
  keys = iter(jax.random.split(jax.random.key(seed, impl="rbg"), 4 + 2 * count))
  features, hidden, experts = problem.features, problem.hidden_features, problem.num_experts

  def normal(*shape, fan_in=1):
    return jax.random.normal(next(keys), shape, jnp.bfloat16) * jnp.bfloat16(fan_in ** -0.5)

  router = normal(features, experts, fan_in=features)
  order = jax.random.permutation(next(keys), jnp.arange(1, experts + 1))
  # The last feature is 1 in all tokens.
  router = router.at[-1].set(-jnp.log(order) if routing == "skewed" else 0)
  # The router's values are those of bfloat16, so that its products are exact in tf32, too.
  params = Params(router.astype(jnp.float32), normal(experts, features, 2, hidden, fan_in=features),
                  normal(experts, hidden, features, fan_in=hidden))
  pairs = [(normal(problem.tokens, features).at[:, -1].set(1), normal(problem.tokens, features))
           for _ in range(count)]
  return params, pairs


def layer(problem: cases.Experts, **options):
  """A function of parameters and tokens: (the result, the statistics)."""
  return lambda params, x: moe(
      x, MoEParams(params.router, Mlp(gate_up=params.gate_up, down=params.down)),
      top_k=problem.top_k, dtype=jnp.bfloat16, **options)


def dropping(problem: cases.Experts, sequence: int, factor: float = 1.25):
  """The layer with a capacity: a function of parameters and tokens that gives the result."""
  experts, top_k = problem.num_experts, problem.top_k
  sequence = math.gcd(problem.tokens, sequence)
  capacity = math.ceil(factor * sequence * top_k / experts)

  def of_sequence(params: Params, x):
    logits = x.astype(jnp.float32) @ params.router
    weights, chosen = jax.lax.top_k(jax.nn.softmax(logits), top_k)
    weights /= weights.sum(-1, keepdims=True)
    is_chosen = jax.nn.one_hot(chosen.ravel(), experts, dtype=jnp.int32)
    # The place of each choice in its expert; a choice beyond the capacity has none.
    places = ((jnp.cumsum(is_chosen, 0) - 1) * is_chosen).sum(-1).reshape(chosen.shape)
    masks = (jax.nn.one_hot(chosen, experts, dtype=jnp.bfloat16)[..., None]
             * jax.nn.one_hot(places, capacity, dtype=jnp.bfloat16)[:, :, None])
    return masks.sum(1), (masks * weights.astype(jnp.bfloat16)[..., None, None]).sum(1)

  def layer(params: Params, x):
    x = x.reshape(-1, sequence, problem.features)
    dispatch, combine = jax.vmap(of_sequence, (None, 0))(params, x)
    rows = jnp.einsum("btec,btd->ebcd", dispatch, x)
    gate, up = (jnp.einsum("ebcd,edh->ebch", rows, params.gate_up[:, :, i].astype(jnp.bfloat16))
                for i in range(2))
    rows = jnp.einsum("ebch,ehd->ebcd", jax.nn.silu(gate) * up, params.down.astype(jnp.bfloat16))
    return jnp.einsum("btec,ebcd->btd", combine, rows).reshape(-1, problem.features)

  return layer


def products(params: Params, rows, sizes):
  """The grouped products of a layer, for sorted rows."""
  hidden = jaxgemm.ragged_gated_linear_unit(rows, params.gate_up, sizes)
  return jaxgemm.ragged_dot(hidden, params.down, sizes)


def reference(params: Params, x, chosen):
  """The layer in float32: each of its experts computes all tokens."""
  x = x.astype(jnp.float32)
  weights = jax.nn.softmax(jnp.take_along_axis(x @ params.router, chosen, axis=-1))
  of_experts = jnp.zeros((len(x), len(params.down))).at[
      jnp.arange(len(x))[:, None], chosen].add(weights)

  @jax.checkpoint
  def add(out, expert):
    gate_up, down, weight = expert
    gate, up = jnp.moveaxis(jnp.einsum("tc,cgh->tgh", x, gate_up.astype(jnp.float32)), 1, 0)
    return out + weight[:, None] * ((jax.nn.silu(gate) * up) @ down.astype(jnp.float32)), None

  return jax.lax.scan(add, jnp.zeros_like(x), (params.gate_up, params.down, of_experts.T))[0]


def program(forward, work: str) -> Callable:
  """function(params, x, cotangent, *others): the result, and with gradients all of RESULTS."""
  def function(params, x, cotangent, *others):
    if work == "forward":
      return [forward(params, x, *others)]
    out, back = jax.vjp(lambda params, x: forward(params, x, *others), params, x)
    return [out, *jax.tree.leaves(back(cotangent.astype(out.dtype)))]
  return function


class Compiled(measure.Way):
  """A program that is compiled for its input sets."""

  def __init__(self, function: Callable, inputs: Sequence[tuple]):
    super().__init__(lambda index: self.compiled(*inputs[index]))
    self.compiled = jax.jit(function).lower(*inputs[0]).compile()


def _memory(way: measure.Way) -> run.Row:
  """What XLA says of the memory of a compiled program; nothing for other ways."""
  if not hasattr(way, "compiled"):
    return {}
  found = way.compiled.memory_analysis()
  sizes = {"arguments": found.argument_size_in_bytes, "temporary": found.temp_size_in_bytes}
  return {"bytes": sizes, "note": ", ".join(
      f"{size / 1e6:.1f} MB {what}" for what, size in sizes.items())}


@functools.lru_cache(maxsize=1)
def _arrays(problem: cases.Experts, routing: str, seed: int):
  """(parameters, input sets, of each the chosen experts, of each sorted rows with their sizes)."""
  params, pairs = drawn(problem, routing, INPUT_SETS, seed)
  route = jax.jit(lambda x: (lambda stats: (stats.experts, stats.tokens_per_expert))(
      layer(problem)(params, x)[1]))
  chosen, sizes = zip(*(route(x) for x, _ in pairs))

  @jax.jit
  def in_order(array, chosen):
    return array[jnp.argsort(chosen.ravel()) // problem.top_k]

  ordered = [(*(in_order(each, which) for each in pair), size)
             for pair, which, size in zip(pairs, chosen, sizes)]
  return params, pairs, chosen, ordered


def _makers(problem: cases.Experts, work: str, params: Params, pairs, ordered, recipes, peers,
            xla_most_groups):
  """(functions that make the ways, why others are missing)."""
  inputs, missing = [(params, *pair) for pair in pairs], {}
  compiled = lambda forward, given: functools.partial(Compiled, program(forward, work), given)
  of_layer = lambda **options: compiled(
      lambda params, x: layer(problem, **options)(params, x)[0], inputs)
  makers = {name: of_layer(ragged_dot=ragged_dot) for name, ragged_dot in PRODUCTS.items()}
  if problem.num_experts > xla_most_groups and makers.pop(XLA):
    missing[XLA] = f"left out: more than {xla_most_groups} experts"
  makers[ALONE] = compiled(products, [(params, *each) for each in ordered])
  makers |= {f"jaxgemm {recipe}": of_layer(recipe=recipe) for recipe in recipes}
  for name in peers:
    makers[name] = functools.partial(
        moe_peers.way, name, params, pairs, problem.top_k, work == "gradients")
  return makers, missing


@jax.jit
def difference(given, wanted):
  """The relative difference of two arrays, in the Frobenius norm."""
  given, wanted = (x.astype(jnp.float32).ravel() for x in (given, wanted))
  # If wanted is 0, as the router's gradient with one expert for each token is, so must given be.
  return jnp.linalg.norm(given - wanted) / jnp.maximum(jnp.linalg.norm(wanted), 1e-30)


def _checked(name: str, way: measure.Way, wanted: Callable[[], list], tokens: int) -> run.Row:
  """What the report says of a layer: its memory, and its errors for the first input set."""
  found = _memory(way)
  if name == ALONE:
    return found
  result = way.call(0)
  way.wait(result)
  try:
    pairs = zip(RESULTS, map(jax.dlpack.from_dlpack, result), wanted())
  except jax.errors.JaxRuntimeError as error:  # such as too little memory
    return found | {"note": f"no reference: {' '.join(str(error).split())[:200]}"}
  errors = {what: float(difference(*both)) for what, *both in pairs}
  most = TOLERANCE if name in PRODUCTS else FLOAT8_TOLERANCE
  # The router's gradient is made of differences, so that of few tokens has no bound.
  return found | {"errors": errors, "at_most": {
      what: most for what in errors if what != "d_router" or tokens >= 64}}


def rows(model: str, problem: cases.Experts, routing: str, works: Sequence[str],
         options: measure.Options, recipes: Sequence[str] = (), peers: Sequence[str] = (),
         xla_most_groups: int = 16) -> list[run.Row]:
  """A row for each kind of work; "ratio" is a candidate's time over that of jaxgemm's layer."""
  params, pairs, chosen, ordered = _arrays(problem, routing, options.seed)
  touched = np.mean([int((sizes > 0).sum()) for *_, sizes in ordered])

  @functools.cache
  def wanted(work):
    with jax.default_matmul_precision("highest"):
      # XLA does not autotune the reference: that would take longer than all that is timed.
      return jax.jit(program(reference, work), compiler_options={
          "xla_gpu_autotune_level": 0} if measure.on_gpu() else None)(params, *pairs[0], chosen[0])

  found = []
  for work in works:
    makers, missing = _makers(
        problem, work, params, pairs, ordered, recipes, peers, xla_most_groups)
    found.append(measure.row(
        {"section": "moe_layer", "case": f"{model}, {problem.label}", "kind": model,
         **dataclasses.asdict(problem), "routing": routing, "work": work, "dtype": "bfloat16",
         "flops": WORK[work] * problem.flops, "missing": missing,
         "weight_bytes": WORK[work] * touched * problem.bytes_of_expert}, makers,
        functools.partial(_checked, wanted=functools.partial(wanted, work), tokens=problem.tokens),
        options, INPUT_SETS, OURS, calls=1))
  return found


def after(rows: Sequence[run.Row]) -> list[str]:
  """Lines on the layer's time over that of its products, the floor, and the fastest other layer."""
  lines = []
  for row in rows:
    times = {name: entry["seconds"]["median"] for name, entry in row["candidates"].items()
             if "seconds" in entry}
    ours, alone = times.pop(OURS, None), times.pop(ALONE, None)
    if ours is None or row["section"] != "moe_layer":
      continue
    others = {name: time for name, time in times.items() if not plots.is_ours(name)}
    best = min(others, key=others.get, default=None)
    over = {"products": alone, "floor": row.get("least_seconds"), best: others.get(best)}
    lines.append(f"- {run.describe(row)}: layer over " + ", ".join(
        f"{name} {ours / time:.2f}" for name, time in over.items() if time))
  return lines


# -------------------------------------------------------------------------------------- steps


class Training:
  """The data of the steps of a row, and the state that they take turns to update."""

  def __init__(self, problem: cases.Experts, layers: int, seed: int):
    self._problem, self._layers, self._seed = problem, layers, seed
    self.state: Any = None
    _, [self.data] = drawn(problem, "balanced", 1, seed)

  def restart(self) -> None:
    """The state before the first step."""
    self.state = None  # its memory is free before the next one is made
    each = (drawn(self._problem, "balanced", 1, self._seed + i)[0] for i in range(self._layers))
    params = jax.jit(lambda *each: jax.tree.map(
        lambda *x: jnp.stack([y.astype(jnp.float32) for y in x]), *each))(*each)
    self.state = params, jax.jit(_OPTIMIZER.init)(params)

  def gradients(self) -> dict[str, jax.Array]:
    """Those of the first step times 1 - b1: these are adamw's first moments after it."""
    return optax.tree_utils.tree_get(self.state[1], "mu")._asdict()


class StepWay(measure.Way):
  """A training step, compiled for its arguments."""

  def __init__(self, problem: cases.Experts, name: str, training: Training, sequence: int):
    super().__init__(self._call)
    self._training = training

    def of_layer(x, params):
      if name == DROPPING:
        return x + dropping(problem, sequence)(params, x), 0.0
      out, stats = layer(problem, ragged_dot=PRODUCTS[name])(params, x)
      return x + out, 1e-2 * stats.load_balancing_loss + 1e-3 * stats.router_z_loss

    def loss_of(params, x, target):
      several = len(params.router) > 1
      out, auxiliary = jax.lax.scan(jax.checkpoint(of_layer) if several else of_layer, x, params)
      error = jnp.mean((out - target).astype(jnp.float32)**2)
      return error + jnp.sum(auxiliary), error

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state, x, target):
      params, moments = state
      losses, grads = jax.value_and_grad(loss_of, has_aux=True)(params, x, target)
      updates, moments = _OPTIMIZER.update(grads, moments, params)
      return (optax.apply_updates(params, updates), moments), losses

    training.restart()
    self.compiled = step.lower(training.state, *training.data).compile()
    self.first_loss = float(self.call(0))

  def _call(self, _: int) -> jax.Array:
    """The loss before this step."""
    training = self._training
    training.state, (loss, self.error) = self.compiled(training.state, *training.data)
    return loss


def steps(problem: cases.Experts, options: measure.Options, layers: int = 1, sequence: int = 4096,
          loss_steps: int = 0) -> list[run.Row]:
  """A row: time, memory, loss and gradients of the steps on both products, and with a capacity."""
  training, wanted, errors = Training(problem, layers, options.seed), {}, {}

  def make(name):
    try:
      way = StepWay(problem, name, training, sequence)
    except Exception:
      training.restart()  # the failed step may have spent the state that the others take over
      raise
    if name == XLA:
      wanted["loss"] = way.first_loss
      wanted.update(jax.tree.map(jnp.copy, training.gradients()))
    elif name == OURS and wanted:
      loss = wanted.pop("loss")
      errors["loss"] = abs(way.first_loss - loss) / abs(loss)
      errors.update({f"gradient of {what}": float(difference(found, wanted.pop(what)))
                     for what, found in training.gradients().items()})
    return way

  def check(name, way):
    found = _memory(way)
    found |= {"loss": way.first_loss, "note": f"loss {way.first_loss:.6f}, {found['note']}"}
    if loss_steps:
      training.restart()
      for _ in range(loss_steps):
        way.call(0)
      found["error_after_steps"] = float(way.error)
      found["note"] += f", error after steps {found['error_after_steps']:.6f}"
    if name != OURS or not errors:
      return found
    # In later layers a rounding changes the experts of some tokens, so gradients have no bound.
    return found | {"errors": errors, "at_most": {
        what: LOSS_TOLERANCE if what == "loss" else TOLERANCE
        for what in errors if what == "loss" or layers == 1}}

  return [measure.row(
      {"section": "moe", "case": problem.label, **dataclasses.asdict(problem), "work": "step",
       "layers": layers, "dtype": "bfloat16", "flops": layers * WORK["step"] * problem.flops},
      {name: functools.partial(make, name) for name in (XLA, OURS, DROPPING)}, check, options, 1,
      OURS, calls=1)]
