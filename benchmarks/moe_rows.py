"""Rows of `python -m benchmarks train_step`: a training step by two implementations of ragged_dot.

The model is one MoE layer beside a residual connection, in bfloat16 with float32
parameters; a step is the loss, its gradients and an update by optax.adamw. A row has seconds of a
step, TFLOP/s of its grouped products, bytes of memory, and losses. The two ways differ only in
`ragged_dot`: with jax.lax.ragged_dot, gate and up are one grouped product, and the activation
follows it.
"""

from collections.abc import Sequence
import dataclasses
import functools
from typing import Any

from flax import nnx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from benchmarks import clock, progress
from jaxgemm.flax.nnx import MoE

OURS, XLA = "jaxgemm.ragged_dot", "lax.ragged_dot"
# The layer's argument `ragged_dot`; None is its default.
PRODUCTS = {OURS: None, XLA: jax.lax.ragged_dot}
# Largest relative differences of the two ways: of the loss, and of any parameter's
# gradient (Frobenius norms). Both round the experts' hidden values to bfloat16.
TOLERANCE = {"loss": 1e-3, "gradient": 2e-2}
_OPTIMIZER = optax.adamw(1e-4)


@dataclasses.dataclass(frozen=True)
class Problem:
  """A layer, and the number of tokens in a step."""

  tokens: int
  features: int
  hidden_features: int
  num_experts: int
  top_k: int

  @property
  def label(self) -> str:
    return (f"{self.num_experts} experts, top {self.top_k}, {self.features} -> "
            f"{self.hidden_features}, {self.tokens} tokens")

  @property
  def flops(self) -> int:
    """FLOPs of a step's grouped products: gate, up, down, and two gradients of each."""
    rows = self.tokens * self.top_k
    return 3 * 3 * 2 * rows * self.features * self.hidden_features


def layer(problem: Problem, ragged_dot, recipe: str | None = None) -> MoE:
  return MoE(
      features=problem.features, hidden_features=problem.hidden_features,
      num_experts=problem.num_experts, top_k=problem.top_k, dtype=jnp.bfloat16,
      ragged_dot=ragged_dot, recipe=recipe, rngs=nnx.Rngs(0))


def random(problem: Problem, seed: int):
  """(parameters, tokens, targets), made on the device in one program."""
  shapes = nnx.state(nnx.eval_shape(lambda: layer(problem, None)))
  leaves, structure = jax.tree.flatten(shapes)

  @jax.jit
  def make():
    keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(leaves) + 2)
    scale = lambda shape: shape[0 if len(shape) == 2 else 1] ** -0.5  # by the fan-in
    params = [jax.random.normal(key, leaf.shape, leaf.dtype) * scale(leaf.shape)
              for key, leaf in zip(keys, leaves)]
    shape = (problem.tokens, problem.features)
    data = [jax.random.normal(key, shape, jnp.bfloat16) for key in keys[-2:]]
    return jax.tree.unflatten(structure, params), *data

  return make()


class Way:
  """A training step with its own parameters, compiled for its arguments."""

  def __init__(self, problem: Problem, ragged_dot, seed: int):
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

  def call(self, _: int = 0) -> jax.Array:
    """The loss before this step."""
    self._state, loss = self._step(self._state, *self._data)
    return loss

  def first_moments(self) -> dict[str, jax.Array]:
    """adamw's moments by parameter: after one step, the gradients times 1 - b1."""
    moments = optax.tree_utils.tree_get(self._state[1], "mu")
    return {
        jax.tree_util.keystr(path, simple=True, separator="."): leaf
        for path, leaf in jax.tree.leaves_with_path(nnx.to_pure_dict(moments))}

  def bytes(self) -> dict[str, int]:
    """Bytes of a step's arguments and of its temporaries, according to XLA."""
    memory = self._step.memory_analysis()
    return {"arguments": memory.argument_size_in_bytes,
            "temporary": memory.temp_size_in_bytes}


@jax.jit
def _difference(given, wanted):
  return jnp.linalg.norm((given - wanted).ravel()) / jnp.linalg.norm(wanted.ravel())


def _prepare(problem: Problem, seed: int):
  """(ways after their first step, losses of that step, why other ways failed)."""
  ways, losses, missing = {}, {}, {}
  for name, ragged_dot in PRODUCTS.items():
    progress.within(f"{name}, compilation and first step")
    try:
      way = Way(problem, ragged_dot, seed)
      losses[name] = float(way.call())
      ways[name] = way
    except jax.errors.JaxRuntimeError as error:  # such as too little memory
      missing[name] = " ".join(str(error).split())[:500]
  return ways, losses, missing


def measure(
    problem: Problem, *, rounds: int, seed: int, profile: str | None = None,
    warmup: int = 0,
) -> dict[str, Any]:
  """A row: times, memory and losses of both ways, and the differences between them.

  "gradients" are the relative differences of each parameter's gradient in the first
  step, "ratio" is lax's time over jaxgemm's, within a round.
  """
  ways, losses, missing = _prepare(problem, seed)
  row = dataclasses.asdict(problem) | {
      "flops": problem.flops, "dtype": "bfloat16", "missing": missing, "candidates": {}}
  if not ways:
    return row
  compared = len(ways) == len(PRODUCTS)
  if compared:
    ours, theirs = (ways[name].first_moments() for name in (OURS, XLA))
    row["loss_difference"] = abs(losses[OURS] - losses[XLA]) / abs(losses[XLA])
    row["gradients"] = {
        key: float(_difference(ours[key], theirs[key])) for key in theirs}
    del ours, theirs  # the next step writes over them
  measured = clock.interleave(
      {name: way.call for name, way in ways.items()}, 1, rounds=rounds, warmup=warmup,
      profile=profile, calls=1)
  for name, way in ways.items():
    time = measured.time(name)
    row["candidates"][name] = {
        "seconds": dataclasses.asdict(time),
        "tflops": problem.flops / time.median / 1e12,
        "bytes": way.bytes(), "loss": losses[name]}
  row["rounds"] = measured.rounds
  if compared:
    row["candidates"][XLA]["ratio"] = dataclasses.asdict(measured.speedup(OURS, XLA))
  return row


def wrong(rows: Sequence[dict[str, Any]]) -> list[str]:
  """Differences of loss and gradients that rounding does not explain, NaNs too."""
  found = []
  for row in rows:
    label = Problem(**{f.name: row[f.name] for f in dataclasses.fields(Problem)}).label
    for name, entry in row["candidates"].items():
      if not np.isfinite(entry["loss"]):
        found.append(f"{label}: {name} has the loss {entry['loss']}")
    differences = {f"gradient of {k}": (v, TOLERANCE["gradient"])
                   for k, v in row.get("gradients", {}).items()}
    if "loss_difference" in row:
      differences["loss"] = row["loss_difference"], TOLERANCE["loss"]
    found += [f"{label}: {what} differs by {value:.1e}, at most {most:.0e} is right"
              for what, (value, most) in differences.items() if not value <= most]
  return found


def failed(rows: Sequence[dict[str, Any]]) -> list[str]:
  """Why jaxgemm has no result, for each row without one."""
  return [row["missing"][OURS] for row in rows if OURS in row["missing"]]
