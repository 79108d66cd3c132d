"""Cases of scales: products with scales of blocks, `quantize`, and float8 training with its states.

Values and scales are wild: zeros, subnormal and huge numbers, infinities, NaN; sizes may be zero.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import fp8
from tests.support import soak
from tests.support.fuzz import attack, references
from tests.support.fuzz.grouped import RECIPES
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault, check_close, described

_FLOAT8 = ("float8_e4m3fn", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
_WIDE = ("float32", "float32", "bfloat16", "float16")
_SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 1e-40, 1e-38, 3e38, 1e30, 1e-30)
# The relative error of a cast, and of a value that saturates because its scale is a power of two.
_ERROR = {"float8_e4m3fn": 2.0**-4, "float8_e4m3fnuz": 2.0**-4, "float8_e5m2": 2.0**-3,
          "float8_e5m2fnuz": 2.0**-3, "float4_e2m1fn": 2.0**-2, "int8": 0.0}
_OF_POWERS = 0.25


def wild(rng, shape, dtype, special: float = 0.3):
  """Normal numbers of a random magnitude, now and then with a row of zeros or a special value."""
  x = rng.standard_normal(shape) * 10.0**choice(rng, (0, 0, 0, -3, 4, -30, 30, -38))
  if x.size and rng.random() < special:
    x.reshape(-1)[rng.integers(x.size)] = choice(rng, _SPECIAL)
  if x.size and rng.random() < 0.2:
    x[int(rng.integers(len(x)))] = 0
  with np.errstate(all="ignore"):
    return x.astype(np.float32).astype(jnp.dtype(dtype))


def _exact(x):
  with np.errstate(all="ignore"):
    return soak.double(x)


# Products of operands that have scales.


def _scales(rng, lead, rows: int, k: int, block: int | None):
  """Scales of rows or blocks along k, for each row or for each 128 rows."""
  counts = [1, -(-k // block)] if block else [1, *(c for c in (2, 4, k) if k and k % c == 0)]
  shape = (*lead, choice(rng, (rows, rows, -(-rows // 128))), choice(rng, counts))
  if rng.random() < 0.3:
    return np.exp2(rng.integers(-9, 10, shape)).astype(jnp.float8_e8m0fnu)
  scales = rng.uniform(0.1, 2, shape).astype(np.float32)
  if scales.size and rng.random() < 0.3:
    scales.reshape(-1)[rng.integers(scales.size)] = choice(rng, _SPECIAL + (0.0, -1.0))
  return scales


def _spread(scales, shape, block: int | None):
  """Scales of the shape of an operand, in float64."""
  scales = _exact(scales)
  *_, rows, k = shape
  count = scales.shape[-1]
  scales = np.repeat(scales, k if count == 1 else block or k // count, -1)[..., :k]
  return scales if scales.shape[-2] == rows else np.repeat(scales, 128, -2)[..., :rows, :]


def _sums_of_blocks(lhs, rhs, of_lhs, of_rhs):
  """The product in the kernels' order: sums over k where both scales are the same, then scales."""
  out = np.zeros((lhs.shape[0], lhs.shape[1], rhs.shape[1]))
  k = lhs.shape[2]
  same = lambda s, i: np.array_equal(s[..., i], s[..., i - 1], equal_nan=True)
  cuts = [0, *(i for i in range(1, k) if not (same(of_lhs, i) and same(of_rhs, i))), k]
  for first, last in zip(cuts, cuts[1:]):
    if last > first:
      part = np.einsum("bmk,bnk->bmn", lhs[..., first:last], rhs[..., first:last])
      out += part * of_lhs[..., first][..., None] * of_rhs[..., first][..., None, :]
  return out


def _scaled_matmul(rng) -> str:
  m, n = choice(rng, (0, 1, 16, 130)), choice(rng, (0, 5, 16, 130))
  k = choice(rng, (0, 1, 8, 64, 96, 160))
  block = choice(rng, (None, None, 32, 128, 5))
  batch = choice(rng, (1, 2))
  name = attack.implementation(rng, 0.1)
  if name != "jaxgemm":
    m, n, k, batch = min(m, 16), min(n, 16), min(k, 64), 1
  dtypes = [choice(rng, _FLOAT8 + ("bfloat16", "float32", "float4_e2m1fn"))] * 2
  if dtypes[0] in _FLOAT8[:3] and rng.random() < 0.3:
    dtypes[1] = choice(rng, _FLOAT8[:3])
  x, y = (rng.standard_normal((batch, rows, k)).astype(np.float32).astype(jnp.dtype(dtype))
          for rows, dtype in zip((m, n), dtypes))
  scales = [_scales(rng, (batch,), rows, k, block) for rows in (m, n)]
  given: dict[str, Any] = {"block": block, "implementation": name}
  if rng.random() < 0.3:
    given["bias"] = rng.standard_normal(n).astype(np.float32)
  if rng.random() < 0.3:
    given["activation"] = choice(rng, ("relu", "gelu"))
  words = described("scaled_matmul", {"lhs": x, "rhs": y, "lhs_scales": scales[0],
                                      "rhs_scales": scales[1]} | given)
  got = attack.computed(words, lambda: jaxgemm.scaled_matmul(x, y, *scales, **given))
  if got is None:
    return "no kernel"
  values = [_exact(x), _exact(y)]
  with np.errstate(all="ignore"):
    spread = [_spread(s, v.shape, block) for s, v in zip(scales, values)]
    whole = [v * s for v, s in zip(values, spread)]
    magnitude = np.einsum("bmk,bnk->bmn", *map(np.abs, whole))
    wanted = np.einsum("bmk,bnk->bmn", *whole)
    other = _sums_of_blocks(*values, *spread)
    most = [np.abs(s).max(-1, initial=0) for s in spread]
    both = most[0][..., None] * most[1][..., None, :]
    # Where a product of scales or a part of a sum leaves float32, any element is right.
    tiny = [np.where(s == 0, 1, np.abs(s)).min(-1, initial=1) for s in spread]
    small = np.minimum(tiny[0][..., None], tiny[1][..., None, :]) * np.minimum(
        1, tiny[0][..., None] * tiny[1][..., None, :])
    outside = (both > 1e30) & (both < np.inf) | (small < 1e-30)
    outside |= np.isfinite(both) & ((most[0] > 1e30)[..., None] | (most[1] > 1e30)[..., None, :])
    error = 2.0**-7 * magnitude + attack.error_of_operands(name) * magnitude
    error = np.where(outside, np.inf, np.where(np.isnan(error), 0, error))
    # Both orders are right: NaN or infinity where either has it.
    got_here = np.asarray(got, np.float64)
    wanted = np.where(~np.isfinite(other) & (got_here == other) | np.isnan(other) & np.isnan(
        got_here), other, wanted)
    wanted, error = references.finish(wanted, error, bias=given.get("bias"),
                                      activation=given.get("activation"))
    # After the bias and the activation the orders cannot be told apart.
    error = np.where(np.isfinite(wanted) & np.isfinite(other), error, np.where(
        np.isfinite(got_here), 0, np.inf))
  check_close(words, got, wanted, error)
  return "right"


# quantize.


def _quantize(rng) -> str:
  kind = choice(rng, ("tensor", "row", "block", "mx"))
  block = choice(rng, (1, 4, 8, 32))
  size = block * choice(rng, (0, 1, 2))
  shape = choice(rng, ((3, size), (size,), (2, 3, size), (0, size)))
  given: dict[str, Any] = {"kind": kind, "dtype": choice(rng, (*_ERROR, None))}
  if kind in ("block", "mx"):
    given["block"] = block
  if kind == "row":
    given["axis"] = choice(rng, (-1, 0, (0, -1)) if len(shape) > 1 else (-1, 0))
  if kind == "block" and len(shape) > 1 and rng.random() < 0.4:
    given |= {"axis": (-2, -1), "block": (1, block)}
  x = wild(rng, shape, choice(rng, _WIDE))
  stochastic = rng.random() < 0.3
  words = described("quantize", {"x": x, "stochastic": stochastic} | given)
  if stochastic:
    given["key"] = jax.random.key(int(rng.integers(1000)))
  function = functools.partial(jaxgemm.quantize, **given)
  out = attack.computed(words, lambda: (jax.jit(function) if rng.random() < 0.5 else function)(x))
  scales = _exact(out.scales)
  if out.values.shape != x.shape or out.scales.ndim != x.ndim:
    raise Fault(f"{words}: values {out.values.shape}, scales {scales.shape}")
  if not (np.isfinite(scales) & (scales > 0)).all():
    raise Fault(f"{words}: the scales are {scales.ravel()}")
  dtype = out.values.dtype.name
  for axis, (one, count) in enumerate(zip(x.shape, scales.shape)):
    scales = np.repeat(scales, one // count if count else 1, axis)
  wide = _exact(x)
  finite = np.isfinite(wide)
  with np.errstate(all="ignore"):
    got = _exact(out.values) * scales
    step = 1.0 if dtype == "int8" else float(jnp.finfo(dtype).smallest_subnormal)
    error = np.abs(wide) * max(_ERROR[dtype], _OF_POWERS if kind == "mx" else 0) + (
        0.51 * step * scales)
    error = error * (2 if stochastic else 1) + references.flushed(wide)
  if dtype in ("int8", "float4_e2m1fn"):  # they have neither NaN nor infinity
    error = np.where(finite, error, np.inf)
  # Each of them is NaN, or an infinity in dtypes that have it.
  wanted = np.where(finite | np.isinf(got) & np.isinf(wide), np.where(finite, wide, got), np.nan)
  check_close(words, got, wanted, error)
  return "right"


# Training in float8.


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


def _recipe(rng) -> str:
  m, k, n = choice(rng, _SHAPES)
  recipe = choice(rng, RECIPES)
  dtype = choice(rng, _WIDE)
  x, w, ct = (wild(rng, shape, dtype) for shape in ((m, k), (k, n), (m, n)))
  given: dict[str, Any] = {"recipe": recipe, "implementation": attack.implementation(rng, 0.05)}
  if rng.random() < 0.2:
    given["dtypes"] = (choice(rng, _FLOAT8), choice(rng, _FLOAT8))
  words = described("fp8.dot_general", {"lhs": x, "rhs": w, "cotangent": ct} | given)
  numbers = (((1,), (0,)), ((), ()))

  @jax.jit
  def call(x, w, ct):
    out, pull = jax.vjp(lambda x, w: fp8.dot_general(x, w, numbers, **given), x, w)
    return out, *pull(ct)

  got = attack.computed(words, lambda: call(x, w, ct))
  if got is None:
    return "no kernel"
  x, w, ct = map(_exact, (x, w, ct))
  relative = _OF_POWERS if recipe == "mxfp8" else 2.0**-3
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
    if recipe == "rowwise" and what != "the result":
      other = operands[2] if what == "the gradient of lhs" else operands[1]
      if not np.isfinite(operands[1]).all() or not np.isfinite(other).all():
        continue  # a cotangent times a scale has its own infinities
    _check_float8(f"{what} of {words}", found, wanted, error)
  return "right"


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


def _states(rng) -> str:
  m, k, n = choice(rng, _SHAPES)
  history, steps = choice(rng, (1, 2, 4)), int(rng.integers(1, 7))
  implementation = attack.implementation(rng)
  step, state = _step(implementation), fp8.DelayedScaling.create(history)
  small, small_of_ct = attack.float8_dtypes(implementation)
  dtype = choice(rng, _WIDE[1:3])
  for number in range(steps):
    arrays = [wild(rng, shape, dtype, 0.15) for shape in ((m, k), (k, n), (m, n))]
    words = described(f"step {number + 1} of delayed scaling", {
        "x": arrays[0], "w": arrays[1], "ct": arrays[2], "state": jax.tree.map(np.asarray, state)})
    out, d_x, d_w, after = attack.computed(words, lambda a=arrays, s=state: step(*a, s))
    quantized = []
    wides = [*map(_exact, arrays)]
    if m * n and not np.isfinite(_exact(out)).all():
      wides[2] = None  # the loss is not finite; the cotangent still is what it was
    for name, x, before, now in zip(("lhs", "rhs", "cotangent"), map(_exact, arrays), state, after):
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
  return f"right, {'one step' if steps == 1 else 'several steps'}"


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
  if not np.isclose(float(after.history[0]), now, rtol=1e-6, atol=2.0**-126, equal_nan=True):
    raise Fault(f"{words}: the history has {float(after.history[0])}, not {now}")
  return _saturated(x, scale, dtype, relative)


# What must be refused.


def _refused(rng) -> str:
  x = np.ones((8, 32), np.float32)
  three, scales = np.ones((1, 8, 32), np.float32), np.ones((1, 8, 1), np.float32)
  numbers = (((1,), (0,)), ((), ()))
  quantize = functools.partial(jaxgemm.quantize, x)
  scaled = functools.partial(jaxgemm.scaled_matmul, three, three)
  dot = functools.partial(fp8.dot_general, x, x.T, numbers)
  state = fp8.DelayedScaling.create(2)
  kind = choice(rng, tuple(attack.NO_OPERANDS))
  bad = attack.NO_OPERANDS[kind](x)
  of_operand = ("argument", "dtype", "array", "type", "masked")
  calls = [
      (("kind",), lambda v: quantize(v), ("rows", 3, None, ["row"])),
      (("block",), lambda v: quantize("block", block=v),
       (0, -1, 3, 1.5, "x", (1, 2), (), 2**70, True)),
      (("axis",), lambda v: quantize("row", axis=v), (2, -3, 1.5, "x", None, (0, 5), (1, 1))),
      (("axis",), lambda v: quantize("mx", axis=v), ((0, 1), ())),
      (("axis", "block"), lambda v: quantize("block", axis=v, block=(2, 4)), ((1, 1), (-1, 1))),
      (("dtype",), lambda v: quantize(dtype=v),
       ("float32", "int4", "int32", "float8_e8m0fnu", "x", 3, "complex64")),
      (("x",), lambda v: jaxgemm.quantize(v),
       (np.ones(3, np.int32), None, "x", np.ones(3, np.complex64), bad)),
      (("key",), lambda v: quantize(key=v), (3, "x", 1.5)),
      (("lhs_scales",), lambda v: scaled(v, scales),
       (np.ones((8, 1)), np.ones((1, 7, 1)), np.ones((1, 8, 3)), np.ones((1, 8, 0)), "x", None,
        np.ones((1, 8, 33)), np.ones((1, 8, 1), np.complex64))),
      (("block",), lambda v: scaled(scales, scales, block=v), (0, -1, 1.5, "x", True)),
      (("bias",), lambda v: scaled(scales, scales, bias=v), (np.ones(7), np.ones((2, 8)), "x")),
      (("ragged",), lambda v: jaxgemm.scaled_ragged_dot(
          x, three, np.ones(1, np.int32), scales[0], scales, ragged=v), ("n", "", None, 3)),
      (("lhs", *of_operand), lambda v: jaxgemm.scaled_matmul(v, three, scales, scales),
       (bad if bad is None or isinstance(bad, str) else bad[None],)),
      (("recipe",), lambda v: dot(recipe=v), ("x", None, 3, "tensor", ["rowwise"])),
      (("dtypes",), lambda v: dot(dtypes=v),
       (("float32", "float32"), "float8_e5m2", ("float8_e4m3fn",), 3, ("x", "y"),
        ("float8_e4m3fn",) * 3, ("float4_e2m1fn",) * 2)),
      (("precision",), lambda v: dot(precision=v), ("highest", "x", jax.lax.Precision.HIGH)),
      (("state",), lambda v: dot(state=v), (3, "x", (state,), tuple(state), {})),
      (("state", "recipe"), lambda v: dot(state=state, recipe=v), RECIPES[1:]),
      (("history",), fp8.DelayedScaling.create, (0, -1, 1.5, "x", None)),
      (("lhs", *of_operand), lambda v: fp8.dot_general(v, x.T, numbers),
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


_KINDS = ((_scaled_matmul, 0.25), (_quantize, 0.2), (_recipe, 0.2), (_states, 0.15),
          (_refused, 0.2))


def run(rng) -> str:
  kinds, shares = zip(*_KINDS)
  return kinds[rng.choice(len(kinds), p=shares)](rng)


def forget() -> None:
  jax.clear_caches()
