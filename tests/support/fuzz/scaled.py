"""Cases of scales: products with scales of blocks, and `quantize`.

Values and scales are wild: zeros, subnormal and huge numbers, infinities, NaN; sizes may be zero.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from tests.support import soak
from tests.support.fuzz import attack, references
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault, check_close, described

FLOAT8 = ("float8_e4m3fn", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
WIDE = ("float32", "float32", "bfloat16", "float16")
_SPECIAL = (np.nan, np.nan, np.inf, -np.inf, -0.0, 1e-40, 1e-38, 3e38, 1e30, 1e-30)
# The relative error of a cast, and of a value that saturates because its scale is a power of two.
_ERROR = {"float8_e4m3fn": 2.0**-4, "float8_e4m3fnuz": 2.0**-4, "float8_e5m2": 2.0**-3,
          "float8_e5m2fnuz": 2.0**-3, "float4_e2m1fn": 2.0**-2, "int8": 0.0}
OF_POWERS = 0.25


def wild(rng, shape, dtype, special: float = 0.5):
  """Normal numbers of a random magnitude, now and then with a row of zeros or a special value."""
  x = rng.standard_normal(shape) * 10.0**choice(rng, (0, 0, 0, -3, 4, -30, 30, -38))
  if x.size and rng.random() < special:
    x.reshape(-1)[rng.integers(x.size)] = choice(rng, _SPECIAL)
  if x.size and rng.random() < 0.2:
    x[int(rng.integers(len(x)))] = 0
  with np.errstate(all="ignore"):
    return x.astype(np.float32).astype(jnp.dtype(dtype))


def exact(x):
  """x in float64, without a warning about NaN and infinities."""
  with np.errstate(all="ignore"):
    return soak.double(x)


# Products of operands that have scales.


def _scales_of(rng, shape, block: int | None):
  """(shape, whether they are e8m0) of scales of rows or blocks, for each row or for 128 rows."""
  *lead, rows, k = shape
  counts = [1, -(-k // block)] if block else [1, *(c for c in (2, 4, k) if k and k % c == 0)]
  shape = (*lead, choice(rng, (rows, rows, -(-rows // 128))), choice(rng, counts))
  return shape, bool(rng.random() < 0.3)


def _scales(rng, shape, e8m0: bool):
  if e8m0:
    return np.exp2(rng.integers(-9, 10, shape)).astype(jnp.float8_e8m0fnu)
  scales = rng.uniform(0.1, 2, shape).astype(np.float32)
  if scales.size and rng.random() < 0.3:
    scales.reshape(-1)[rng.integers(scales.size)] = choice(rng, _SPECIAL + (0.0, -1.0))
  return scales


def _spread(scales, shape, block: int | None):
  """Scales of the shape of an operand, in float64."""
  scales = exact(scales)
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


def scaled_matmul(rng) -> str:
  m, n = choice(rng, (0, 1, 16, 130)), choice(rng, (0, 5, 16, 130))
  k = choice(rng, (0, 1, 8, 64, 96, 160))
  block = choice(rng, (None, None, 32, 128, 5))
  batch = choice(rng, (1, 2))
  name = attack.implementation(rng, 0.1)
  if name != "jaxgemm":
    m, n, k, batch = min(m, 16), min(n, 16), min(k, 64), 1
  small = attack.float8_dtypes(name) if name != "jaxgemm" else FLOAT8
  dtypes = [choice(rng, (*small, *small, "bfloat16", "float32", "float4_e2m1fn"))] * 2
  if dtypes[0] in small[:3] and rng.random() < 0.3:
    dtypes[1] = choice(rng, small[:3])
  shapes = [(batch, rows, k) for rows in (m, n)]
  of_scales = [_scales_of(rng, shape, block) for shape in shapes]
  given: dict[str, Any] = {"block": block, "implementation": name}
  if rng.random() < 0.3:
    given["bias"] = rng.standard_normal(n).astype(np.float32)
  if rng.random() < 0.3:
    given["activation"] = choice(rng, ("relu", "gelu"))
  for _ in range(attack.CALLS):
    operands = [rng.standard_normal(shape).astype(np.float32).astype(jnp.dtype(dtype))
                for shape, dtype in zip(shapes, dtypes)]
    scales = [_scales(rng, *given_scales) for given_scales in of_scales]
    if not _is_right(*operands, scales, given):
      return "no kernel"
  return f"right in {attack.CALLS} calls"


def _is_right(x, y, scales, given) -> bool:
  """Whether a call is right; False if there is no kernel for it."""
  k, block, name = x.shape[2], given["block"], given["implementation"]
  words = described("scaled_matmul", {"lhs": x, "rhs": y, "lhs_scales": scales[0],
                                      "rhs_scales": scales[1]} | given)
  got = attack.computed(words, lambda: jaxgemm.scaled_matmul(x, y, *scales, **given),
                        "decodes OCP float8, and an operand is float8_e")
  if got is None:
    return False
  if not k and not all(np.isfinite(exact(s)).all() for s in scales):
    return True  # the scale of a row may be applied to the whole sum, which is 0
  values = [exact(x), exact(y)]
  with np.errstate(all="ignore"):
    spread = [_spread(s, v.shape, block) for s, v in zip(scales, values)]
    whole = [v * s for v, s in zip(values, spread)]
    magnitude = np.einsum("bmk,bnk->bmn", *map(np.abs, whole))
    wanted = whole_sums = np.einsum("bmk,bnk->bmn", *whole)
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
    epilogue = {name: given.get(name) for name in ("bias", "activation")}
    wanted, error = references.finish(wanted, error, **epilogue)
    is_special = ~(np.isfinite(whole_sums) & np.isfinite(other))
    other, _ = references.finish(other, error, **epilogue)
    got_here = np.asarray(got, np.float64)
    is_other = (got_here == other) | np.isnan(other) & np.isnan(got_here)
    wanted = np.where(is_special & is_other, other, wanted)
    # After the bias and the activation the orders cannot be told apart.
    error = np.where(is_special, np.where(np.isfinite(got_here), 0, np.inf), error)
  check_close(words, got, wanted, error)
  return True


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
  dtype, stochastic = choice(rng, WIDE), rng.random() < 0.3
  for _ in range(attack.CALLS):
    _check_quantized(wild(rng, shape, dtype), given, jax.random.key(int(rng.integers(1000)))
                     if stochastic else None, jitted=rng.random() < 0.2)
  return f"right in {attack.CALLS} calls"


def _check_quantized(x, given, key, jitted: bool) -> None:
  kind, stochastic = given["kind"], key is not None
  words = described("quantize", {"x": x, "stochastic": stochastic} | given)
  function = functools.partial(jaxgemm.quantize, key=key, **given)
  out = attack.computed(words, lambda: (jax.jit(function) if jitted else function)(x))
  scales = exact(out.scales)
  if out.values.shape != x.shape or out.scales.ndim != x.ndim:
    raise Fault(f"{words}: values {out.values.shape}, scales {scales.shape}")
  if not (np.isfinite(scales) & (scales > 0)).all():
    raise Fault(f"{words}: the scales are {scales.ravel()}")
  dtype = out.values.dtype.name
  for axis, (one, count) in enumerate(zip(x.shape, scales.shape)):
    scales = np.repeat(scales, one // count if count else 1, axis)
  wide = exact(x)
  finite = np.isfinite(wide)
  with np.errstate(all="ignore"):
    got = exact(out.values) * scales
    step = 1.0 if dtype == "int8" else float(jnp.finfo(dtype).smallest_subnormal)
    error = np.abs(wide) * max(_ERROR[dtype], OF_POWERS if kind == "mx" else 0) + (
        0.51 * step * scales)
    error = error * (2 if stochastic else 1) + references.flushed(wide)
  if dtype in ("int8", "float4_e2m1fn"):  # they have neither NaN nor infinity
    error = np.where(finite, error, np.inf)
  # Each of them is NaN, or an infinity in dtypes that have it.
  wanted = np.where(finite | np.isinf(got) & np.isinf(wide), np.where(finite, wide, got), np.nan)
  check_close(words, got, wanted, error)


# What must be refused.


def _refused(rng) -> str:
  x = np.ones((8, 32), np.float32)
  three, scales = np.ones((1, 8, 32), np.float32), np.ones((1, 8, 1), np.float32)
  quantize = functools.partial(jaxgemm.quantize, x)
  scaled = functools.partial(jaxgemm.scaled_matmul, three, three)
  bad = attack.NO_OPERANDS[choice(rng, tuple(attack.NO_OPERANDS))](x)
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
      (("lhs", *attack.OF_OPERANDS), lambda v: jaxgemm.scaled_matmul(v, three, scales, scales),
       (bad if bad is None or isinstance(bad, str) else bad[None],)),
      (("ragged",), lambda v: jaxgemm.scaled_ragged_dot(
          x, three, np.ones(1, np.int32), scales[0], scales, ragged=v), ("n", "", None, 3)),
  ]
  names, call, values = choice(rng, calls)
  value = choice(rng, values)
  return attack.refused(f"{described('a wrong argument', {names[0]: value})}", names,
                        lambda: call(value))


_KINDS = ((scaled_matmul, 0.4), (_quantize, 0.4), (_refused, 0.2))


def run(rng) -> str:
  kinds, shares = zip(*_KINDS)
  return kinds[rng.choice(len(kinds), p=shares)](rng)


def forget() -> None:
  jax.clear_caches()
