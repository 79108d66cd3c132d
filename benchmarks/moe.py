"""A layer of experts, and a training step of it, by two implementations of ragged_dot.

    python -m benchmarks moe_layer --json=layer.json --png=layer.png
    python -m benchmarks moe_layer --cases=64 --tokens=4096 --work=forward
    python -m benchmarks train_step --json=moe.json --markdown=moe.md

The layer is jaxgemm.flax.nnx.MoE, in bfloat16 with float32 parameters. With jax.lax.ragged_dot,
gate and up are one grouped product, and the activation follows it. `forward` and `gradients` are
compared with the layer in float32 at the highest precision. With --recipes=rowwise,tensorwise they
are timed in float8, too, quantising included. A `step` is forward, backward and the update by
optax.adamw of the layer beside a residual connection; the loss and the gradients of the first step
are compared with those of jax.lax.ragged_dot, and memory is what XLA says of the compiled step.
"""

from collections.abc import Callable, Iterator, Sequence
import dataclasses
import functools
import itertools

from absl import app, flags
from flax import nnx
import jax
import jax.numpy as jnp
import optax

from benchmarks import cases, measure, progress, run
from jaxgemm.flax.nnx import MoE
from jaxgemm.fp8.recipes import RECIPES

OURS, XLA = "jaxgemm.ragged_dot", "lax.ragged_dot"
# The layer's argument `ragged_dot`; None is its default.
PRODUCTS = {OURS: None, XLA: jax.lax.ragged_dot}
# Products of each kind of work, in products of the forward pass.
WORK = {"forward": 1, "gradients": 3, "step": 3}
# Largest relative errors (Frobenius norms) of a layer, for bfloat16 operands and hidden values. In
# float32 a token with two nearly equal experts may be routed to the other one. So the router has
# the same types in the reference; only the experts differ.
TOLERANCE = 2e-2
# The same for operands that are rounded to float8, e5m2 for cotangents.
FLOAT8_TOLERANCE = 0.2
# Largest relative difference of the losses of the two ways.
LOSS_TOLERANCE = 1e-3
_OPTIMIZER = optax.adamw(1e-4)
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_enum("size", None, list(cases.load()["moe_step"]),
                    "Sizes of shapes.json. Default: gpu on a GPU, cpu elsewhere.")
  flags.DEFINE_list("cases", ["8", "64"], "Numbers of experts, from shapes.json.")
  flags.DEFINE_integer("tokens", None, "Tokens of a call or step. Default: from shapes.json.")
  flags.DEFINE_list("work", ["forward", "gradients"], f"Some of {', '.join(WORK)}.")
  flags.DEFINE_list("recipes", [], "Recipes of jaxgemm.fp8, timed beside bfloat16.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  options = measure.Options.of_flags()
  works = run.choose("work", FLAGS.work, WORK)
  recipes = run.choose("recipes", FLAGS.recipes, RECIPES)
  given = run.read_problems([field.name for field in dataclasses.fields(cases.Experts)])
  if given is None:
    size = FLAGS.size or ("gpu" if measure.on_gpu() else "cpu")
    there = {str(case["num_experts"]): case for case in cases.load()["moe_step"][size]}
    given = [there[each] for each in run.choose("cases", FLAGS.cases, there)]
  for each, work in itertools.product(given, works):
    problem = cases.Experts(**each | ({"tokens": FLAGS.tokens} if FLAGS.tokens else {}))
    yield f"{name} {problem.label} {work}", lambda problem=problem, work=work: [
        row(problem, work, options, recipes)]


def layer(problem: cases.Experts, ragged_dot, recipe: str | None = None) -> MoE:
  sizes = dataclasses.asdict(problem)
  sizes.pop("tokens")
  return MoE(**sizes, dtype=jnp.bfloat16, ragged_dot=ragged_dot, recipe=recipe, rngs=nnx.Rngs(0))


def random(problem: cases.Experts, seed: int):
  """(parameters, tokens, targets), made on the device in one program."""
  shapes = nnx.state(nnx.eval_shape(lambda: layer(problem, None)))
  leaves, structure = jax.tree.flatten(shapes)

  @jax.jit
  def make():
    keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(leaves) + 2)
    params = [jax.random.normal(key, leaf.shape, leaf.dtype)
              * leaf.shape[int(leaf.ndim > 2)] ** -0.5 for key, leaf in zip(keys, leaves)]  # fan-in
    data = [jax.random.normal(key, (problem.tokens, problem.features), jnp.bfloat16)
            for key in keys[-2:]]
    return jax.tree.unflatten(structure, params), *data

  return make()


class LayerWay(measure.Way):
  """A layer with its parameters, compiled for its tokens."""

  def __init__(self, problem: cases.Experts, work: str, ragged_dot, seed: int,
               compiler_options=None, recipe: str | None = None):
    super().__init__(lambda _: self._run(*self._arguments))
    graphdef = nnx.graphdef(nnx.eval_shape(lambda: layer(problem, ragged_dot, recipe)))
    self._arguments = random(problem, seed)

    def function(params, x, cotangent):
      forward = lambda params, x: nnx.merge(graphdef, params)(x)[0]
      if work == "forward":
        return forward(params, x)
      return jax.vjp(forward, params, x)[1](cotangent)

    self._run = jax.jit(function).lower(*self._arguments).compile(compiler_options)


class StepWay(measure.Way):
  """A training step with its own parameters, compiled for its arguments."""

  def __init__(self, problem: cases.Experts, ragged_dot, seed: int):
    super().__init__(self._call)
    graphdef = nnx.graphdef(nnx.eval_shape(lambda: layer(problem, ragged_dot)))
    params, *self._data = random(problem, seed)
    self._state = params, jax.jit(_OPTIMIZER.init)(params)

    def loss_of(params, x, target):
      out, stats = nnx.merge(graphdef, params)(x)
      error = (x + out - target).astype(jnp.float32)
      auxiliary = 1e-2 * stats.load_balancing_loss + 1e-3 * stats.router_z_loss
      return jnp.mean(error**2) + auxiliary

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state, x, target):
      params, moments = state
      loss, grads = jax.value_and_grad(loss_of)(params, x, target)
      updates, moments = _OPTIMIZER.update(grads, moments, params)
      return (optax.apply_updates(params, updates), moments), loss

    self._step = step.lower(self._state, *self._data).compile()
    memory = self._step.memory_analysis()
    self.bytes = {"arguments": memory.argument_size_in_bytes,
                  "temporary": memory.temp_size_in_bytes}
    self.first_loss = float(self.call(0))
    # adamw's first moments are the gradients of the first step times 1 - b1.
    moments = optax.tree_utils.tree_get(self._state[1], "mu")
    self.gradients = {
        jax.tree_util.keystr(path, simple=True, separator="."): jnp.copy(leaf)
        for path, leaf in jax.tree.leaves_with_path(nnx.to_pure_dict(moments))}

  def _call(self, _: int) -> jax.Array:
    """The loss before this step."""
    self._state, loss = self._step(self._state, *self._data)
    return loss


def _exact(lhs, rhs, group_sizes, preferred_element_type=None, **options):
  """jax.lax.ragged_dot in float32, rounded to the type that was asked for."""
  out = jax.lax.ragged_dot(lhs.astype(jnp.float32), rhs.astype(jnp.float32), group_sizes,
                           **options | {"precision": "highest"})
  return out.astype(preferred_element_type or lhs.dtype)


@jax.jit
def _difference(given, wanted):
  """The relative difference of two arrays, in the Frobenius norm."""
  given, wanted = (x.astype(jnp.float32).ravel() for x in (given, wanted))
  return jnp.linalg.norm(given - wanted) / jnp.linalg.norm(wanted)


def _of_layers(ways: dict[str, LayerWay], problem: cases.Experts, work: str, seed: int
               ) -> dict[str, run.Row]:
  """Errors of layers, beside the experts in float32."""
  # XLA does not autotune the reference: that would take longer than all that is timed.
  options = {"xla_gpu_autotune_level": 0} if measure.on_gpu() else None
  wanted = jax.tree.leaves(LayerWay(problem, work, _exact, seed, options).call(0))
  found = {}
  for name, way in ways.items():
    given = jax.tree.leaves(way.call(0))
    errors = [_difference(g, w) for g, w in zip(given, wanted)]
    found[name] = {"errors": {"norm": float(jnp.max(jnp.stack(errors)))}, "at_most": {
        "norm": TOLERANCE if name in PRODUCTS else FLOAT8_TOLERANCE}}
  return found


def _of_steps(ways: dict[str, StepWay]) -> dict[str, run.Row]:
  """Loss, memory, and the differences of loss and gradients if there are two steps."""
  found = {name: {
      "loss": way.first_loss, "bytes": way.bytes, "note": f"loss {way.first_loss:.6f}, "
      + ", ".join(f"{size / 1e9:.2f} GB {what}" for what, size in way.bytes.items())}
      for name, way in ways.items()}
  if ways.keys() == PRODUCTS.keys():
    ours, theirs = (ways[name] for name in (OURS, XLA))
    errors = {"loss": abs(ours.first_loss - theirs.first_loss) / abs(theirs.first_loss)}
    errors |= {f"gradient of {name}": float(_difference(ours.gradients[name], wanted))
               for name, wanted in theirs.gradients.items()}
    found[OURS] |= {"errors": errors, "at_most": {
        what: LOSS_TOLERANCE if what == "loss" else TOLERANCE for what in errors}}
  for way in ways.values():
    del way.gradients
  return found


def row(problem: cases.Experts, work: str, options: measure.Options,
        recipes: Sequence[str] = ()) -> run.Row:
  """A row: time and errors of all ways; "ratio" is a way's time over jaxgemm's in bfloat16."""
  way = (StepWay, problem) if work == "step" else (LayerWay, problem, work)
  makers = {name: functools.partial(*way, ragged_dot, options.seed)
            for name, ragged_dot in PRODUCTS.items()}
  if recipes and work == "step":
    raise app.UsageError("--recipes are for --work=forward and gradients.")
  makers |= {f"jaxgemm {recipe}": functools.partial(
      LayerWay, problem, work, None, options.seed, recipe=recipe) for recipe in recipes}
  flops = WORK[work] * problem.flops
  found = {"section": "moe", "case": problem.label, **dataclasses.asdict(problem), "work": work,
           "dtype": "bfloat16", "flops": flops, "candidates": {}}
  ways, found["missing"] = measure.prepare(makers)
  if not ways:
    return found
  progress.within("errors")
  try:
    checked = (_of_steps(ways) if work == "step" else _of_layers(ways, problem, work, options.seed))
  except jax.errors.JaxRuntimeError as error:  # such as too little memory
    checked, found["missing"]["reference"] = {}, " ".join(str(error).split())[:500]
  measured = measure.interleave(ways, 1, options, f"moe {problem.num_experts} {work}", calls=1)
  for name in ways:
    found["candidates"][name] = measure.entry(measured, name, flops, OURS) | checked.get(name, {})
  return found | measure.about(measured)
