"""Cases of grouped products: group sizes and offsets of all integer types, and any values.

All functions that take group sizes must cut the rows in the same way: sizes below zero count as
zero, the groups end at the last row, and the offset is clamped. Results and gradients are compared
with float64.
"""

from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import megablox
from tests.support import soak
from tests.support.fuzz import attack, hostile, references
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import check_close, described

NARROW = ("int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32")
WIDE = ("int64", "uint64")
K_LAST = lax.RaggedDotDimensionNumbers((((1,), (2,)), ((), ())), (0,), (0,))
_CONTRACTED = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
RECIPES = ("tensorwise", "rowwise", "blockwise", "mxfp8")


class Case(NamedTuple):
  """Attributes:
    name: the function.
    kind: "m", "gated" or "k": which product it is.
    call: call(lhs, rhs, sizes, offset, **options) in the layouts of this module: lhs [M, K] and
      rhs [G, K, N], [G, K, 2, N], or for "k" lhs [M, K] and rhs [M, N].
    slack: relative error of the operands, by a cast to float8 for example.
    has_offset: whether the function takes an offset of this kind.
  """

  name: str
  kind: str
  call: Any
  slack: float = 0.0
  has_offset: bool = True


def integers(rng, dtype: str, shape, largest: int) -> np.ndarray:
  """Ordinary numbers up to `largest` and wild ones, as values of an integer dtype."""
  info = jnp.iinfo(dtype)
  low, high = int(info.min), int(info.max)
  values = [min(max(x, low), high) for x in (0, 1, 2, largest, largest // 2, 100, 127, 128, 200)]
  if rng.random() < 0.4:
    values += [low, high, max(low, -1), min(high, 2**30), max(low, -(2**30))]
  drawn = np.array([choice(rng, values) for _ in range(int(np.prod(shape)))], object)
  return drawn.reshape(shape).astype(np.int64 if low < 0 else np.uint64).astype(jnp.dtype(dtype))


def sizes_of(rng, dtype: str, rows: int, groups: int) -> np.ndarray:
  """Group sizes of an integer dtype; mostly they add up to the rows, if the dtype has them."""
  if rng.random() < 0.5:
    sizes = soak.routing(rng, rows, groups) if groups else np.zeros(0, int)
    return np.clip(sizes, 0, int(jnp.iinfo(dtype).max)).astype(jnp.dtype(dtype))
  return integers(rng, dtype, (groups,), rows)


def _scaled(ragged: str, block: int):
  """scaled_ragged_dot with scales of powers of two, which are divided out before."""
  def call(lhs, rhs, sizes, offset, **given):
    if ragged == "k":
      lhs, rhs = lhs.T, rhs.T
    else:
      rhs = jnp.swapaxes(rhs, 1, 2)
    scales = [jnp.exp2(jnp.arange(x.shape[-1] // block or 1, dtype=jnp.float32) % 5 - 2)
              * jnp.ones((*x.shape[:-1], 1), jnp.float32) for x in (lhs, rhs)]
    each = [jnp.repeat(s, x.shape[-1] // s.shape[-1], -1) for x, s in zip((lhs, rhs), scales)]
    lhs, rhs = (x / s.astype(x.dtype) for x, s in zip((lhs, rhs), each))
    return jaxgemm.scaled_ragged_dot(
        lhs, rhs, sizes, *scales, lhs.dtype, offset, ragged=ragged, **given)
  return call


def _existing(lhs, rhs, sizes, offset, *, existing, **given):
  return megablox.gmm(lhs, rhs, sizes, lhs.dtype, None, offset, existing, **given)


def _transposed_gmm(lhs, rhs, sizes, offset, **given):
  return megablox.gmm(lhs, jnp.swapaxes(rhs, 1, 2), sizes, lhs.dtype, None,
                      None if offset is None else offset.reshape(()), transpose_rhs=True, **given)


def _tgmm(lhs, rhs, sizes, offset, *, num_local_groups=None, existing=None, **given):
  return megablox.tgmm(lhs.T, rhs, sizes, lhs.dtype, None, offset, num_local_groups, existing,
                       **given)


def _named(name: str):
  return lambda lhs, rhs, sizes, offset, **given: getattr(jaxgemm, name)(
      lhs, rhs, sizes, group_offset=offset, **given)


def _general(numbers, turned: bool = False):
  def call(lhs, rhs, sizes, offset, **given):
    rhs = jnp.swapaxes(rhs, 1, 2) if turned else rhs
    return jaxgemm.ragged_dot_general(lhs, rhs, sizes, numbers, group_offset=offset, **given)
  return call


def _fp8(recipe: str):
  return lambda lhs, rhs, sizes, offset, **given: jaxgemm.fp8.ragged_dot(
      lhs, rhs, sizes, group_offset=offset, recipe=recipe, **given)


_CASES = (
    Case("ragged_dot", "m", _named("ragged_dot")),
    Case("ragged_dot_general", "m", _general(K_LAST, turned=True)),
    Case("ragged_dot_general, contracted", "k", _general(_CONTRACTED)),
    Case("ragged_gated_linear_unit", "gated", _named("ragged_gated_linear_unit")),
    Case("scaled_ragged_dot", "m", _scaled("m", 8), 2.0**-7),
    Case("scaled_ragged_dot, contracted", "k", _scaled("k", 10), 2.0**-7, has_offset=False),
    *(Case(f"fp8.ragged_dot, {recipe}", "m", _fp8(recipe), 0.14) for recipe in RECIPES),
    Case("gmm, existing_out", "m", _existing),
    Case("gmm, transpose_rhs", "m", _transposed_gmm),
    Case("tgmm", "k", _tgmm),
)


def _product(kind: str, lhs, rhs, group, local: int):
  """(result, function from cotangent to gradients) in float64.

  `group` has the group of each row, or -1. Applied to magnitudes it gives bounds of sums.
  """
  rows = [group == g for g in range(local)]
  if kind == "k":
    out = np.stack([lhs[r].T @ rhs[r] for r in rows]) if local else np.zeros(
        (0, lhs.shape[1], rhs.shape[1]))

    def pull_contracted(ct):
      grads = np.zeros_like(lhs), np.zeros_like(rhs)
      for r, c in zip(rows, ct):
        grads[0][r], grads[1][r] = rhs[r] @ c.T, lhs[r] @ c
      return grads
    return out, pull_contracted

  columns = rhs.reshape(local, lhs.shape[1], int(np.prod(rhs.shape[2:])))
  z = np.zeros((len(lhs), columns.shape[2]))
  for g, r in enumerate(rows):
    z[r] = lhs[r] @ columns[g]

  def pull(ct):
    grads = np.zeros_like(lhs), np.zeros_like(columns)
    for g, r in enumerate(rows):
      grads[0][r], grads[1][g] = ct[r] @ columns[g].T, lhs[r].T @ ct[r]
    return grads[0], grads[1].reshape(rhs.shape)

  if kind == "m":
    return z, pull
  gate, up = z[:, :z.shape[1] // 2], z[:, z.shape[1] // 2:]
  sigmoid = 1 / (1 + np.exp(-gate))
  slope = sigmoid * (1 + gate * (1 - sigmoid))
  return gate * sigmoid * up, lambda ct: pull(np.concatenate(
      [ct * up * slope, ct * gate * sigmoid], axis=1))


def _bounds(case: Case, lhs, rhs, group, local, ct, c: float):
  """Bounds of the errors of the result and the gradients; c is relative to sums of magnitudes."""
  magnitudes = [np.abs(x) for x in (lhs, rhs, ct)]
  if case.slack > 0.1:
    # What a scale for all elements rounds: its smallest step is 2**-18 of the largest element.
    magnitudes = [x + 2.0**-12 * x.max(initial=0) for x in magnitudes]
  if case.kind != "gated":
    out, pull = _product(case.kind, *magnitudes[:2], group, local)
    return [c * x + attack.SUBNORMAL for x in (out, *pull(magnitudes[2]))]
  # The slopes of silu and of its derivative are at most 1.1.
  z, pull = _product("m", *magnitudes[:2], group, local)
  gate, up = z[:, :z.shape[1] // 2], z[:, z.shape[1] // 2:]
  each = (1 + gate) * (1 + up)
  both = np.concatenate([magnitudes[2] * each] * 2, axis=1)
  return [4 * c * x + attack.SUBNORMAL for x in (each, *pull(both))]


def _call(rng, case: Case):
  """(arrays, options, number of groups of rhs, whether integers have 64 bits) of a valid call."""
  emulated = attack.implementation(rng, 0.12)
  is_small = emulated != "jaxgemm" or jax.default_backend() != "cpu"
  # Few shapes, so that most programs are compiled already.
  m = choice(rng, (0, 40, 40) if is_small else (0, 40, 300, 300))
  (k, n), groups = choice(rng, ((8, 8), (8, 8), (16, 8))), choice(rng, (1, 3, 7))
  if rng.random() < 0.08:
    k, n = choice(rng, ((0, 8), (8, 0)))
  dtype = choice(rng, ("float32", "float32", "bfloat16"))
  local, offset = groups, None
  wide = rng.random() < 0.15
  if case.has_offset and rng.random() < 0.4:
    local = choice(rng, (1, groups))
    offset = integers(rng, choice(rng, NARROW + WIDE if wide else NARROW), (1,), groups)
  lhs = hostile.array_of(rng, (m, k), "float32").clip(-3, 3)
  shape = {"m": (local, k, n), "gated": (local, k, 2, n), "k": (m, n)}[case.kind]
  rhs = hostile.array_of(rng, shape, "float32").clip(-3, 3)
  lhs, rhs = (np.nan_to_num(x).astype(jnp.dtype(dtype)) for x in (lhs, rhs))
  sizes = sizes_of(rng, choice(rng, NARROW + WIDE if wide else NARROW), m, groups)
  given: dict[str, Any] = {"implementation": emulated}
  if case.kind == "k" and offset is not None:
    given["num_local_groups"] = local
  if case.name == "gmm, existing_out" or case.name == "tgmm" and rng.random() < 0.5:
    of_out = (local, k, n) if case.kind == "k" else (m, n)
    given["existing"] = hostile.array_of(rng, of_out, "float32").clip(-3, 3).astype(lhs.dtype)
    given["existing"] = np.nan_to_num(given["existing"])
  return (lhs, rhs, sizes, offset), given, local, wide


def _wanted(case, arrays, given, local, ct):
  """(results, bounds): the result and, with a cotangent, the gradients."""
  lhs, rhs, sizes, offset = arrays
  wide = [soak.double(x) for x in (lhs, rhs)]
  group = references.group_of_rows(sizes, len(lhs), offset, local)
  out, pull = _product(case.kind, *wide, group, local)
  # A sum over k or n of float32, of operands that may be rounded, and the cast of the result.
  count = max(len(lhs), *rhs.shape, 16)
  c = attack.SUM * count**0.5 + 2 * case.slack + 4 * attack.roundoff(lhs.dtype) + (
      attack.error_of_operands(given["implementation"]))
  bounds = _bounds(case, *wide, group, local, ct, c)
  existing = given.get("existing")
  if existing is not None:
    existing = soak.double(existing)
    out = out + existing if case.kind == "k" else np.where(group[:, None] >= 0, out, existing)
    bounds[0] = bounds[0] + 4 * attack.roundoff(lhs.dtype) * (np.abs(existing) + np.abs(out))
  return (out, *pull(ct)), bounds


def valid(rng) -> str:
  case = choice(rng, _CASES)
  arrays, given, local, wide = _call(rng, case)
  gradients = rng.random() < 0.5 and given.get("existing") is None
  jitted = rng.random() < 0.3
  lhs, rhs, sizes, offset = arrays
  shape = {"k": (local, lhs.shape[1], rhs.shape[-1])}.get(case.kind, (len(lhs), rhs.shape[-1]))
  ct = rng.standard_normal(shape).astype(lhs.dtype)

  def call(lhs, rhs, sizes, offset, ct):
    product = lambda lhs, rhs: case.call(lhs, rhs, sizes, offset, **given)
    if not gradients:
      return (product(lhs, rhs),)
    out, pull = jax.vjp(product, lhs, rhs)
    return out, *pull(ct.astype(out.dtype))

  call_it = jax.jit(call) if jitted else call
  for _ in range(attack.CALLS):
    arrays = lhs, rhs, sizes, offset
    words = described(case.name, dict(zip(("lhs", "rhs", "sizes", "offset"), arrays)) | given)
    with jax.enable_x64(wide):
      given_to = [x if jitted else None if x is None else jnp.asarray(x) for x in (*arrays, ct)]
      got = attack.computed(words, lambda of=given_to: call_it(*of))
    if got is None:
      return "no kernel"
    wanted, bounds = _wanted(case, arrays, given, local, soak.double(ct))
    for what, *x in zip(("the result", "the gradient of lhs", "the gradient of rhs"), got, wanted,
                        bounds):
      check_close(f"{what} of {words}", *x)
    sizes = sizes_of(rng, sizes.dtype.name, len(lhs), len(sizes))
    if offset is not None:
      offset = integers(rng, offset.dtype.name, (1,), len(sizes))
  return f"right in {attack.CALLS} calls{', with gradients' if gradients else ''}"


def _wrong_sizes(rng, case: Case, arrays, given, local):
  """(names of a wrong argument, arrays with it)."""
  lhs, rhs, sizes, offset = (None if x is None else np.asarray(x) for x in arrays)
  names = ("group_sizes", "sizes")
  what = choice(rng, ("dtype", "rank", "offset", "operand", "groups"))
  if what == "dtype":
    dtype = choice(rng, ("float32", "bool", "complex64", "float64"))
    return names, (lhs, rhs, sizes.astype(dtype), offset)
  if what == "rank":
    return names, (lhs, rhs, sizes[None, None], offset)
  if what == "offset" and case.has_offset:
    wrong = choice(rng, (np.zeros(1, np.float32), np.zeros(1, bool), np.zeros(3, np.int32),
                         np.zeros((1, 1), np.int32), "x"))
    return ("offset",), (lhs, rhs, sizes, wrong)
  if what == "groups" and case.kind != "k":
    # rhs has more groups than there are sizes, with an offset or without.
    more = np.concatenate([rhs] * (len(sizes) // len(rhs) + 2))
    return (*names, "rhs", "group"), (lhs, more, sizes, offset)
  kind = choice(rng, tuple(attack.NO_OPERANDS))
  which = int(rng.integers(2))
  wrong = attack.NO_OPERANDS[kind]((lhs, rhs)[which])
  pair = (wrong, rhs) if which == 0 else (lhs, wrong)
  return (("lhs", "rhs")[which], *attack.OF_OPERANDS), (*pair, sizes, offset)


_DIRECT = ("ragged_dot", "ragged_dot_general, contracted", "ragged_gated_linear_unit",
           *(f"fp8.ragged_dot, {recipe}" for recipe in RECIPES), "gmm, existing_out")


def _refused(rng) -> str:
  case = choice(rng, [case for case in _CASES if case.name in _DIRECT])
  arrays, given, local, _ = _call(rng, case)
  names, arrays = _wrong_sizes(rng, case, arrays, given, local)
  given.pop("num_local_groups", None)
  words = described(case.name, dict(zip(("lhs", "rhs", "sizes", "offset"), arrays)) | given)
  if case.name == "gmm, existing_out" and given.get("existing") is None:
    given["existing"] = None
  return attack.refused(words, names, lambda: case.call(*arrays, **given))


def run(rng) -> str:
  return _refused(rng) if rng.random() < 0.25 else valid(rng)


def forget() -> None:
  jax.clear_caches()
