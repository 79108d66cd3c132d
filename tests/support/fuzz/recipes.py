"""Cases of training in float8: all recipes, and delayed scaling over several steps.

Operands and cotangents are wild, and may change from step to step; sizes may be zero.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import fp8
from tests.support.fuzz import attack
from tests.support.fuzz.grouped import RECIPES
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault, check_close, described
from tests.support.fuzz.scaled import FLOAT8, OF_POWERS, WIDE, exact, wild


def _bound(x, relative: float):
  """The error of a quantised array, whatever its scales are; infinite where it is not finite."""
  x = np.abs(x)
  most = np.where(np.isfinite(x), x, 0).max(initial=0)
  return np.where(np.isfinite(x), relative * x + 2.0**-15 * most + attack.SUBNORMAL, 0)


def _product(spec: str, x, y, of_x, of_y):
  """einsum and a bound of its error, for operands with the bounds `of_x` and `of_y`."""
  with np.errstate(all="ignore"):
    wanted = np.einsum(spec, x, y)
    a, b = np.abs(x), np.abs(y)
    error = np.einsum(spec, of_x, b) + np.einsum(spec, a, of_y) + np.einsum(spec, of_x, of_y)
    error = error + 2.0**-12 * np.einsum(spec, a, b) + attack.SUBNORMAL
  return wanted, error


def _check_float8(words: str, got, wanted, error) -> None:
  """As check_close, but where float64 is NaN or infinite, the result may be either."""
  bad = ~np.isfinite(wanted)
  got = np.asarray(got).astype(np.float64)
  if bad.shape == got.shape:
    got = np.where(bad & ~np.isfinite(got), np.nan, got)
  error = np.where(np.isnan(error), 0, error)
  check_close(words, got, np.where(bad, np.nan, wanted), error + np.abs(wanted) * 2.0**-7)


_SHAPES = ((16, 8, 8), (5, 32, 3), (0, 8, 8), (8, 0, 8), (8, 8, 0), (1, 40, 130))


def training(rng) -> str:
  m, k, n = choice(rng, _SHAPES)
  recipe = choice(rng, RECIPES)
  dtype = choice(rng, WIDE)
  given: dict[str, Any] = {"recipe": recipe, "implementation": attack.implementation(rng, 0.05)}
  if rng.random() < 0.2:
    given["dtypes"] = (choice(rng, FLOAT8), choice(rng, FLOAT8))
  numbers = (((1,), (0,)), ((), ()))

  @jax.jit
  def call(x, w, ct):
    out, pull = jax.vjp(lambda x, w: fp8.dot_general(x, w, numbers, **given), x, w)
    return out, *pull(ct)

  for _ in range(attack.CALLS):
    arrays = [wild(rng, shape, dtype) for shape in ((m, k), (k, n), (m, n))]
    words = described("fp8.dot_general", dict(zip(("lhs", "rhs", "cotangent"), arrays)) | given)
    got = attack.computed(words, lambda a=arrays: call(*a))
    if got is None:
      return "no kernel"
    _check_recipe(words, recipe, dtype, got, *map(exact, arrays))
  return f"right in {attack.CALLS} calls"


def _least_scale(x) -> float:
  """A bound below the scales of an array's rows and columns, as far as these are not zero."""
  sizes = [np.where(np.isfinite(x), np.abs(x), 0).max(axis, initial=0) for axis in (0, 1)]
  return min(size[size > 0].min(initial=np.inf) for size in sizes) / 2.0**17


def _check_recipe(words: str, recipe: str, dtype, got, x, w, ct) -> None:
  relative = OF_POWERS if recipe == "mxfp8" else 2.0**-3
  of_x, of_w, of_ct = (_bound(a, relative) for a in (x, w, ct))
  for what, found, operands in (
      ("the result", got[0], ("mk,kn->mn", x, w, of_x, of_w)),
      ("the gradient of lhs", got[1], ("mn,kn->mk", ct, w, of_ct, of_w)),
      ("the gradient of rhs", got[2], ("mk,mn->kn", x, ct, of_x, of_ct))):
    wanted, error = _product(*operands)
    # Rows of float16 may be too large, and those of "rowwise" are multiplied by other scales.
    limit = float(jnp.finfo(dtype).max) / 4
    with np.errstate(all="ignore"):
      error = np.where(np.abs(wanted) + error > limit, np.inf, error)
      error = error + float(jnp.finfo(dtype).tiny)
    # The sum is multiplied by one scale, and then by the other; the first may leave float32.
    least = min(_least_scale(a) for a in operands[1:3])
    with np.errstate(all="ignore"):
      once = np.einsum(operands[0], *map(np.abs, operands[1:3])) / least
    error = np.where(once > float(jnp.finfo(np.float32).max) / 8, np.inf, error)
    if recipe == "rowwise" and what != "the result":
      other = operands[2] if what == "the gradient of lhs" else operands[1]
      if not np.isfinite(operands[1]).all() or not np.isfinite(other).all():
        continue  # a cotangent times a scale has its own infinities
      # A cotangent times a scale leaves float32 where the largest element beside a result does.
      axis = 1 if what == "the gradient of lhs" else 0
      with np.errstate(all="ignore"):
        most = np.abs(operands[1]).max(initial=0) * np.abs(other).max(initial=0)
        beside = np.abs(wanted).max(axis, initial=0, keepdims=True)
      largest = float(jnp.finfo(np.float32).max) / 8
      error = np.where((beside > largest) | (most > largest), np.inf, error)
    _check_float8(f"{what} of {words}", found, wanted, error)


@functools.cache
def _step(implementation: str):
  @jax.jit
  def step(x, w, ct, state):
    def loss(x, w, state):
      out = fp8.dot_general(x, w, (((1,), (0,)), ((), ())), state=state,
                            implementation=implementation)
      return (out.astype(jnp.float32) * ct.astype(jnp.float32)).sum(), out

    gradients, out = jax.grad(loss, (0, 1, 2), has_aux=True)(x, w, state)
    return out, *gradients

  return step


def _saturated(x, scale: float, dtype: str, relative: float):
  """(x as it is within the range of a scale, the error of its cast)."""
  most = scale * float(jnp.finfo(dtype).max)
  clipped = np.where(np.isfinite(x), np.clip(x, -most, most), x)
  step = scale * float(jnp.finfo(dtype).smallest_subnormal)
  return clipped, np.where(np.isfinite(x), relative * np.abs(clipped) + step + attack.SUBNORMAL, 0)


def states(rng) -> str:
  m, k, n = choice(rng, _SHAPES)
  history, steps = choice(rng, (1, 2, 4)), int(rng.integers(1, 7))
  implementation = attack.implementation(rng)
  step, state = _step(implementation), fp8.DelayedScaling.create(history)
  small, small_of_ct = attack.float8_dtypes(implementation)
  dtype = choice(rng, WIDE[1:3])
  for number in range(steps):
    arrays = [wild(rng, shape, dtype, 0.15) for shape in ((m, k), (k, n), (m, n))]
    words = described(f"step {number + 1} of delayed scaling", {
        "x": arrays[0], "w": arrays[1], "ct": arrays[2], "state": jax.tree.map(np.asarray, state)})
    got = attack.computed(words, lambda a=arrays, s=state: step(*a, s))
    if got is None:
      return "no kernel"
    out, d_x, d_w, after = got
    quantized = []
    wides = [*map(exact, arrays)]
    if m * n and not np.isfinite(exact(out)).all():
      wides[2] = None  # the loss is not finite; the cotangent still is what it was
    for name, x, before, now in zip(("lhs", "rhs", "cotangent"), map(exact, arrays), state, after):
      of = (small_of_ct, 2.0**-3) if name == "cotangent" else (small, 2.0**-4)
      quantized.append(_check_state(f"{words}: {name}", x, before, now, *of))
    (x, of_x), (w, of_w), (ct, of_ct) = quantized
    for what, found, operands in (
        ("the result", out, ("mk,kn->mn", x, w, of_x, of_w)),
        ("the gradient of lhs", d_x, ("mn,kn->mk", ct, w, of_ct, of_w)),
        ("the gradient of rhs", d_w, ("mk,mn->kn", x, ct, of_x, of_ct))):
      wanted, error = _product(*operands)
      _check_float8(f"{words}: {what}", found, wanted, error)
    state = after
  return f"right, {steps} steps"


def _check_state(words: str, x, before, after, dtype: str, relative: float):
  """Checks the scale that a step took, and the history; returns x within the range of the scale."""
  scale, last = float(after.scale[0]), float(before.scale[0])
  history = np.asarray(before.history, np.float64)
  most = history.max()
  wanted = most / float(jnp.finfo(dtype).max) if 0 < most < np.inf else last if last > 0 else 1.0
  if not 0 < scale < np.inf:
    raise Fault(f"{words}: the scale is {scale}")
  # A scale that would be subnormal may be the smallest normal number, or a larger one.
  if not abs(scale - wanted) <= 1e-5 * wanted and not (wanted < 2.0**-100 and scale >= wanted / 2
                                                       and scale < 2.0**-90):
    raise Fault(f"{words}: the scale is {scale}, not {wanted}")
  now = np.abs(x).max(initial=0)
  found = float(after.history[0])
  if np.isnan(now) and not np.isnan(found):
    now = np.nanmax(np.abs(x), initial=0)  # XLA's own maximum on CPUs may lose a NaN
  if not np.isclose(found, now, rtol=1e-6, atol=2.0**-126, equal_nan=True):
    raise Fault(f"{words}: the history has {found}, not {now}")
  return _saturated(x, scale, dtype, relative)


def _refused(rng) -> str:
  x = np.ones((8, 32), np.float32)
  numbers = (((1,), (0,)), ((), ()))
  dot = functools.partial(fp8.dot_general, x, x.T, numbers)
  state = fp8.DelayedScaling.create(2)
  bad = attack.NO_OPERANDS[choice(rng, tuple(attack.NO_OPERANDS))](x)
  calls = [
      (("recipe",), lambda v: dot(recipe=v), ("x", None, 3, "tensor", ["rowwise"])),
      (("dtypes",), lambda v: dot(dtypes=v),
       (("float32", "float32"), "float8_e5m2", ("float8_e4m3fn",), 3, ("x", "y"),
        ("float8_e4m3fn",) * 3, ("float4_e2m1fn",) * 2)),
      (("precision",), lambda v: dot(precision=v), ("highest", "x", jax.lax.Precision.HIGH)),
      (("state",), lambda v: dot(state=v), (3, "x", (state,), tuple(state), {})),
      (("state", "recipe"), lambda v: dot(state=state, recipe=v), RECIPES[1:]),
      (("history",), fp8.DelayedScaling.create, (0, -1, 1.5, "x", None)),
      (("lhs", *attack.OF_OPERANDS), lambda v: fp8.dot_general(v, x.T, numbers),
       (bad, np.ones((8, 32), np.int8), np.ones((8, 32), "complex64"),
        np.ones((8, 32)).astype(jnp.float8_e5m2))),
      (("out_sharding",), lambda v: dot(recipe="mxfp8", out_sharding=v),
       (jax.sharding.PartitionSpec("x"),)),
  ]
  names, call, values = choice(rng, calls)
  value = choice(rng, values)
  names = (*names, "sharding") if names[0] == "out_sharding" else names
  return attack.refused(f"{described('a wrong argument', {names[0]: value})}", names,
                        lambda: call(value))


_KINDS = ((training, 0.45), (states, 0.35), (_refused, 0.2))


def run(rng) -> str:
  kinds, shares = zip(*_KINDS)
  return kinds[rng.choice(len(kinds), p=shares)](rng)


def forget() -> None:
  jax.clear_caches()
