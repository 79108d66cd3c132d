"""Rows of `python -m benchmarks moe_layer`: seconds, TFLOP/s and errors of a layer of experts."""

from collections.abc import Sequence
import dataclasses
from typing import Any

from flax import nnx
import jax
import jax.numpy as jnp

from benchmarks import clock, moe_rows, progress

# Largest relative errors (Frobenius norms), for bfloat16 operands and hidden values. In float32 a
# token with two nearly equal experts may be routed to the other one. So the router has the same
# types in the reference; only the experts differ.
TOLERANCE = 2e-2
# The same for operands that are rounded to float8, e5m2 for cotangents.
FLOAT8_TOLERANCE = 0.2


class Way:
  """A layer with its parameters, compiled for its tokens."""

  def __init__(self, problem: moe_rows.Problem, work: str, ragged_dot, seed: int,
               compiler_options=None, recipe: str | None = None):
    self.graphdef = nnx.graphdef(
        nnx.eval_shape(lambda: moe_rows.layer(problem, ragged_dot, recipe)))
    params, x, cotangent = moe_rows.random(problem, seed)

    def forward(params, x):
      return nnx.merge(self.graphdef, params)(x)[0]

    def gradients(params, x, cotangent):
      return jax.vjp(forward, params, x)[1](cotangent)

    self._function = {"forward": lambda p, x, _: forward(p, x), "gradients": gradients}[work]
    self.arguments = params, x, cotangent
    self._run = jax.jit(self._function).lower(*self.arguments).compile(compiler_options)

  def call(self, _: int = 0) -> Any:
    return self._run(*self.arguments)


def _exact(lhs, rhs, group_sizes, **options):
  """jax.lax.ragged_dot in float32, rounded to the type that was asked for."""
  options.pop("precision", None)
  dtype = options.pop("preferred_element_type", None) or lhs.dtype
  out = jax.lax.ragged_dot(lhs.astype(jnp.float32), rhs.astype(jnp.float32), group_sizes,
                           precision="highest", **options)
  return out.astype(dtype)


@jax.jit
def _error(given, wanted):
  """The largest relative error of an array, each in the Frobenius norm."""
  errors = [jnp.linalg.norm((g.astype(jnp.float32) - w.astype(jnp.float32)).ravel())
            / jnp.linalg.norm(w.astype(jnp.float32).ravel())
            for g, w in zip(jax.tree.leaves(given), jax.tree.leaves(wanted))]
  return jnp.max(jnp.stack(errors))


def measure(problem: moe_rows.Problem, work: str, *, rounds: int, seed: int,
            profile: str | None = None, warmup: int = 0,
            recipes: Sequence[str] = ()) -> dict[str, Any]:
  """A row: time and error of all ways; "ratio" is a way's time over jaxgemm's in bfloat16.

  Args:
    work: "forward", or "gradients" of parameters and tokens with the forward pass.
    recipes: recipes of `jaxgemm.fp8`; each makes another way.
  """
  # Three products forward; their gradients are two more of each.
  flops = problem.flops // 3 * (1 if work == "forward" else 3)
  row = dataclasses.asdict(problem) | {
      "work": work, "dtype": "bfloat16", "flops": flops, "missing": {}, "candidates": {}}
  ways = {}
  makers = {name: (ragged_dot, None) for name, ragged_dot in moe_rows.PRODUCTS.items()}
  makers |= {f"jaxgemm {recipe}": (None, recipe) for recipe in recipes}
  for name, (ragged_dot, recipe) in makers.items():
    progress.within(f"{name}, compilation and first call")
    try:
      ways[name] = Way(problem, work, ragged_dot, seed, recipe=recipe)
      jax.block_until_ready(ways[name].call())
    except jax.errors.JaxRuntimeError as error:  # such as too little memory
      row["missing"][name] = " ".join(str(error).split())[:500]
  if not ways:
    return row
  progress.within("errors")
  errors = {}
  try:
    # XLA does not autotune the reference: that would take longer than all that is timed.
    options = {"xla_gpu_autotune_level": 0} if clock.on_gpu() else None
    wanted = Way(problem, work, _exact, seed, options).call()
    errors = {name: {"norm": float(_error(way.call(), wanted))} for name, way in ways.items()}
    del wanted
  except jax.errors.JaxRuntimeError as error:
    row["missing"]["reference"] = " ".join(str(error).split())[:500]
  measured = clock.interleave(
      {name: way.call for name, way in ways.items()}, 1, rounds=rounds, warmup=warmup,
      profile=profile, calls=1)
  for name in ways:
    time = measured.time(name)
    row["candidates"][name] = {
        "seconds": dataclasses.asdict(time), "tflops": flops / time.median / 1e12} | (
            {"errors": errors[name]} if errors else {})
    if moe_rows.OURS in ways and name != moe_rows.OURS:
      row["candidates"][name]["ratio"] = dataclasses.asdict(measured.speedup(moe_rows.OURS, name))
  return row | {"rounds": measured.rounds}


def lines(row: dict[str, Any]) -> list[str]:
  """A line for each candidate."""
  label = moe_rows.Problem(**{f.name: row[f.name] for f in dataclasses.fields(
      moe_rows.Problem)}).label
  found = []
  for name, entry in row["candidates"].items():
    error = f"error {entry['errors']['norm']:.1e}" if "errors" in entry else "error not known"
    ratio = f"  {entry['ratio']['median']:.2f} of jaxgemm's time" if "ratio" in entry else ""
    found.append(f"{label}, {row['work']}: {name} {entry['seconds']['median'] * 1e3:.3f} ms "
                 f"{entry['tflops']:.3g} TFLOP/s  {error}{ratio}")
  return found + [f"{label}, {row['work']}: {name}: {why}" for name, why in
                  row["missing"].items()]


def wrong(rows: Sequence[dict[str, Any]]) -> list[str]:
  """Results of jaxgemm that differ from float32 by more than rounding, and unchecked ones."""
  found = []
  for row in rows:
    label = f"{row['num_experts']} experts, {row['tokens']} tokens, {row['work']}"
    for name, entry in row["candidates"].items():
      if name == moe_rows.XLA:
        continue
      most = TOLERANCE if name == moe_rows.OURS else FLOAT8_TOLERANCE
      if "errors" not in entry:
        found.append(f"{label}, {name}: not checked: {row['missing']['reference']}")
      elif not entry["errors"]["norm"] <= most:
        found.append(f"{label}, {name}: error {entry['errors']['norm']:.1e}, at most {most:.0e} "
                     "is right")
  return found
