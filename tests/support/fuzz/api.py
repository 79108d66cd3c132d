"""Cases of the public functions: a valid call, or one with a hostile argument.

The result of a valid call must agree with float64. That of a call with a hostile argument must
agree, too; or the call raises TypeError, ValueError, NotImplementedError or OverflowError, with a
text that names the argument.
"""

from collections.abc import Callable
import math
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from tests.support import soak
from tests.support.fuzz import hostile, references
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault, check_close, described

# jax itself raises OverflowError, which names the argument, for an int in place of an operand.
ALLOWED = (TypeError, ValueError, NotImplementedError, OverflowError)
# These words are from jax's own messages about operands that do not fit each other.
_OF_OPERANDS = ("dot_general", "matmul", "ragged_dot", "shape", "dtype", "dimension", "operand",
                "argument", "array", "lhs", "rhs", "contract", "scaled")
_FLOATS = ("float32", "float32", "bfloat16", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2",
           "float8_e4m3fnuz", "float8_e5m2fnuz")
_DESCRIBING = ("explain", "supports", "workspace_size")
_OPTIONS = ("precision", "preferred_element_type", "activation", "schedule", "reduction",
            "deterministic", "config", "implementation", "out_sharding")


class Call(NamedTuple):
  """Attributes:
    name: the name of the public function.
    arguments: its arguments by name.
    wanted: wanted(arguments, out) is (result, bounds) for these arguments, mutated or not; or None
      where nothing is known.
    lacks: options of `_OPTIONS` that the function does not have.
  """

  name: str
  arguments: dict[str, Any]
  wanted: Callable
  lacks: tuple[str, ...] = ()


def _sizes(rng, count: int) -> list[int]:
  return [int(choice(rng, (1, 2, 5, 8, 16, 17, 33, 40))) for _ in range(count)]


def _operand_dtypes(rng, mixes_float8: bool = False) -> tuple[str, str]:
  if rng.random() < 0.15:
    return "int8", "int8"
  first = choice(rng, _FLOATS)
  if rng.random() < 0.7:
    return first, first
  # jax does not promote other pairs.
  pairs = [("float32", "bfloat16", "float16"), ("float8_e4m3fn", "float8_e5m2")] if (
      mixes_float8) else [("float32", "bfloat16", "float16")]
  return first, choice(rng, next((pair for pair in pairs if first in pair), (first,)))


def _valid_options(rng, integer: bool) -> dict[str, Any]:
  given: dict[str, Any] = {"implementation": "jaxgemm"}
  if rng.random() < 0.5:
    given["schedule"] = choice(rng, ("persistent", "work_stealing", "stream_k"))
    if given["schedule"] == "stream_k":
      given["reduction"] = choice(rng, ("linear", "tree", "atomic"))
  if not integer and rng.random() < 0.4:
    given["activation"] = choice(rng, ("relu", "gelu", "silu"))
  if rng.random() < 0.3:
    given["preferred_element_type"] = "int32" if integer else choice(
        rng, ("float32", "bfloat16", "float16"))
  return given


def _epilogue(given, out_ndim: int) -> dict[str, Any]:
  """bias, scale and activation of a dense product, as references.finish takes them."""
  scale = None
  for name in ("scale", "scale_lhs", "scale_rhs"):
    if given.get(name) is not None:
      scale = (1 if scale is None else scale) * references.broadcast(
          soak.double(given[name]), out_ndim)
  bias = None if given.get("bias") is None else references.broadcast(given["bias"], out_ndim)
  return {"activation": given.get("activation"), "scale": scale, "bias": bias}


def _matmul(rng) -> Call:
  m, n, k = _sizes(rng, 3)
  batch = [(), (), (2,), (2, 3)][rng.integers(4)]
  lhs_dtype, rhs_dtype = _operand_dtypes(rng)
  integer = lhs_dtype == "int8"
  given = {"a": hostile.array_of(rng, (*batch, m, k), lhs_dtype),
           "b": hostile.array_of(rng, (*(batch if rng.random() < 0.6 else ()), k, n), rhs_dtype),
           **_valid_options(rng, integer)}
  if rng.random() < 0.3:
    given["bias"] = hostile.array_of(rng, (n,), "int32" if integer else "float32")
  if not integer and rng.random() < 0.3:
    shape = choice(rng, ((), (1,), (n,), (*batch, m, 1)))
    given["scale"] = hostile.array_of(rng, shape, "float32")

  def wanted(given, out):
    a, b = np.asarray(given["a"]), np.asarray(given["b"])
    left = "k" if a.ndim == 1 else "...mk"
    right = "k" if b.ndim == 1 else "...kn"
    spec = f"{left},{right}->{'...' if '...' in left + right else ''}" + (
        "m" * (a.ndim > 1) + "n" * (b.ndim > 1))
    z, error = references.sums(spec, a, b)
    return references.finish(z, error, **_epilogue(given, z.ndim))

  return Call("matmul", given, wanted)


def _dot_general(rng) -> Call:
  batch, rows, columns, contracted = (int(choice(rng, x)) for x in (
      (0, 0, 1, 2), (0, 1, 1, 1, 2), (0, 1, 1, 1, 2), (1, 1, 1, 2)))
  count = batch + rows + columns + contracted
  sizes = _sizes(rng, count) if count < 5 else [int(x) for x in rng.integers(1, 7, count)]
  labels = "abcdefgh"[:len(sizes)]
  size = dict(zip(labels, sizes))
  of_batch, of_rows = labels[:batch], labels[batch:batch + rows]
  of_columns = labels[batch + rows:batch + rows + columns]
  of_k = labels[batch + rows + columns:]
  left = "".join(rng.permutation(list(of_batch + of_rows + of_k)))
  right = "".join(rng.permutation(list(of_batch + of_columns + of_k)))
  numbers = tuple(tuple(tuple(labels.index(x) for x in given) for labels in (left, right))
                  for given in (of_k, of_batch))
  lhs_dtype, rhs_dtype = _operand_dtypes(rng, mixes_float8=True)
  integer = lhs_dtype == "int8"
  given = {"lhs": hostile.array_of(rng, [size[x] for x in left], lhs_dtype),
           "rhs": hostile.array_of(rng, [size[x] for x in right], rhs_dtype),
           "dimension_numbers": numbers, **_valid_options(rng, integer)}
  if rng.random() < 0.3 and rows == columns == 1:
    given["bias"] = hostile.array_of(rng, [size[x] for x in of_columns],
                                     "int32" if integer else "float32")
  if rng.random() < 0.3 and rows == columns == 1 and not integer:
    given["scale"] = hostile.array_of(rng, choice(rng, ((), (size[of_columns],))), "float32")

  def wanted(given, out):
    lhs, rhs = np.asarray(given["lhs"]), np.asarray(given["rhs"])
    numbers = given["dimension_numbers"]
    if numbers is None:  # as jax takes it
      numbers = ((lhs.ndim - 1,), (0,)), ((), ())
    (left_k, right_k), (left_batch, right_batch) = numbers
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    x, y = [None] * lhs.ndim, [None] * rhs.ndim
    in_batch = []
    for i, j in zip(left_batch, right_batch):
      x[i] = y[j] = next(letters)
      in_batch.append(x[i])
    for i, j in zip(left_k, right_k):
      x[i] = y[j] = next(letters)
    free = [[i for i, label in enumerate(operand) if label is None] for operand in (x, y)]
    for operand, places in zip((x, y), free):
      for i in places:
        operand[i] = next(letters)
    spec = f"{''.join(x)},{''.join(y)}->" + "".join(
        in_batch + [x[i] for i in free[0]] + [y[i] for i in free[1]])
    z, error = references.sums(spec, lhs, rhs)
    if in_batch and not free[1]:  # a bias or scale has one value for each matrix
      given = given | {name: np.reshape(x, np.shape(x) + (1,) * len(free[0]))
                       for name in ("bias", "scale")
                       if np.ndim(x := given.get(name)) == len(in_batch)}
    return references.finish(z, error, **_epilogue(given, z.ndim))

  return Call("dot_general", given, wanted)


def _group_sizes(rng, rows: int, groups: int):
  if rng.random() < 0.4:  # garbage is allowed: it is cut off
    values = (0, 1, -1, -(2**31), 2**31 - 1, rows, 2**30, 3)
    return np.array([choice(rng, values) for _ in range(groups)], np.int32)
  return soak.routing(rng, rows, groups)


def _ragged(rng) -> Call:
  m, n, k = _sizes(rng, 3)
  groups = int(choice(rng, (1, 2, 3, 7)))
  gated = rng.random() < 0.3
  lhs_dtype, rhs_dtype = _operand_dtypes(rng)
  integer = lhs_dtype == "int8"
  if gated and integer:
    lhs_dtype = rhs_dtype = "bfloat16"
    integer = False
  has_offset = rng.random() < 0.3
  local = int(rng.integers(1, groups + 1)) if has_offset else groups
  columns = (2, n) if gated else (n,)
  given = {"lhs": hostile.array_of(rng, (m, k), lhs_dtype),
           "rhs": hostile.array_of(rng, (local, k, *columns), rhs_dtype),
           "group_sizes": _group_sizes(rng, m, groups), **_valid_options(rng, integer)}
  if has_offset:
    given["group_offset"] = np.array([choice(rng, (0, 1, groups, -1, 2**31 - 1, -(2**31)))],
                                     np.int32)
  if rng.random() < 0.3:
    shape = choice(rng, ((local, *columns), columns))
    given["bias"] = hostile.array_of(rng, shape, "int32" if integer else "float32")
  if not integer and rng.random() < 0.3:
    shape = choice(rng, ((), (1,), (local, *columns), (local, *(1 for _ in columns))))
    given["scale"] = hostile.array_of(rng, shape, "float32")

  def wanted(given, out):
    lhs, rhs = np.asarray(given["lhs"]), np.asarray(given["rhs"])
    local, columns = rhs.shape[0], rhs.shape[2:]
    spread = {}
    for name in ("bias", "scale"):
      if given.get(name) is not None:
        x = np.asarray(given[name])
        spread[name] = np.broadcast_to(x.reshape(x.shape if x.ndim else (1,) * len(columns)), (
            local, *columns))
    shape = (lhs.shape[0], *columns)
    out, error = np.zeros(shape), np.zeros(shape)
    group = references.group_of_rows(given["group_sizes"], lhs.shape[0],
                                     given.get("group_offset"), local)
    for g in range(local):
      rows = group == g
      columns_of_g = rhs[g].reshape(rhs.shape[1], math.prod(columns))
      z, e = references.sums("mk,kn->mn", lhs[rows], columns_of_g)
      z, e = (x.reshape(len(x), *columns) for x in (z, e))
      out[rows], error[rows] = references.finish(
          z, e, **{name: x[g] for name, x in spread.items()},
          activation=None if gated else given.get("activation"))
    if not gated:
      return out, error
    with np.errstate(all="ignore"):
      gate, of_gate = references.activate(
          given.get("activation", "silu"), out[:, 0], error[:, 0])
      out, error = gate * out[:, 1], (
          of_gate * (np.abs(out[:, 1]) + error[:, 1]) + np.abs(gate) * error[:, 1]
          + 2.0**-21 * np.abs(gate * out[:, 1]))
      inside = group >= 0
      return np.where(inside[:, None], out, 0), np.where(inside[:, None], error, 0)

  return Call("ragged_gated_linear_unit" if gated else "ragged_dot", given, wanted)


_CONTRACTED = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])


def _ragged_contracted(rng) -> Call:
  m, n, k = _sizes(rng, 3)
  groups = int(choice(rng, (1, 2, 5)))
  dtype = choice(rng, ("float32", "bfloat16", "float16"))
  given = {"lhs": hostile.array_of(rng, (k, m), dtype), "rhs": hostile.array_of(rng, (k, n), dtype),
           "group_sizes": _group_sizes(rng, k, groups),
           "ragged_dot_dimension_numbers": _CONTRACTED, **_valid_options(rng, True)}
  given.pop("preferred_element_type", None)
  if rng.random() < 0.4:
    given["accumulate"] = hostile.array_of(rng, (groups, m, n), "float32")

  def wanted(given, out):
    lhs, rhs = np.asarray(given["lhs"]), np.asarray(given["rhs"])
    groups = len(given["group_sizes"])
    group = references.group_of_rows(given["group_sizes"], lhs.shape[0],
                                     given.get("group_offset"), groups)
    shape = (groups, *lhs.shape[1:], *rhs.shape[1:])
    # Either may have several dimensions beside k.
    rows, columns = (x.reshape(len(x), math.prod(x.shape[1:])) for x in (lhs, rhs))
    z, error = np.zeros((2, *shape))
    for g in range(groups):
      z[g], error[g] = (x.reshape(shape[1:]) for x in references.sums(
          "km,kn->mn", rows[group == g], columns[group == g]))
    if given.get("accumulate") is not None:
      with np.errstate(all="ignore"):
        z = z + soak.double(given["accumulate"])
        error = error + 2.0**-21 * (np.abs(z) + np.abs(soak.double(given["accumulate"])))
    return z, error

  return Call("ragged_dot_general", given, wanted, ("activation",))


def _scaled_matmul(rng) -> Call:
  m, n, k = _sizes(rng, 3)
  blocks = [int(choice(rng, [b for b in (1, 2, 4, 8, k) if k % b == 0])) for _ in range(2)]
  dtypes = _operand_dtypes(rng)
  if dtypes[0] == "int8":
    dtypes = ("float8_e4m3fn",) * 2
  given = {"lhs": hostile.array_of(rng, (2, m, k), dtypes[0]),
           "rhs": hostile.array_of(rng, (2, n, k), dtypes[1]),
           "lhs_scales": np.exp2(rng.integers(-3, 4, (2, m, blocks[0]))).astype(np.float32),
           "rhs_scales": np.exp2(rng.integers(-3, 4, (2, n, blocks[1]))).astype(np.float32)}

  return Call("scaled_matmul", given, _wanted_of_blocks, ("precision", "out_sharding"))


def _wanted_of_blocks(given, out):
  values, block = [], given.get("block")
  for name in ("lhs", "rhs"):
    x, s = soak.double(given[name]), soak.double(given[name + "_scales"])
    with np.errstate(all="ignore"):
      # One scale is for all of k, whatever the size of a block.
      each = x.shape[2] if s.shape[2] == 1 else block or x.shape[2] // s.shape[2]
      values.append(x * np.repeat(s, each, axis=2)[..., :x.shape[2]])
  with np.errstate(all="ignore"):
    z, error = references.sums("bmk,bnk->bmn", *values)
    # float16 and float32 are dequantised to bfloat16 or float32, and scales are rounded.
    error = error + 2.0**-7 * np.einsum("bmk,bnk->bmn", *map(np.abs, values))
  return references.finish(z, error, activation=given.get("activation"))


# The kernels of gfx950 for MX formats that `_mx` calls, if this build has them.
_OF_MX = {f"gemm_float8_e4m3fn_float8_e4m3fn_{tile}x128_rcr" for tile in ("128x128", "256x256")} | {
    f"gemm_float4_e2m1fn_float4_e2m1fn_{tile}x256_rcr" for tile in ("128x128", "256x256")}


def _mx(rng) -> Call:
  m, n = _sizes(rng, 2)
  k = int(choice(rng, (8, 16, 32, 48, 64, 96, 272, 288, 544)))
  e2m1, e4m3 = "float4_e2m1fn", "float8_e4m3fn"
  pairs = [(e2m1, e2m1)] * 3 + [(e4m3, e4m3), (e2m1, e4m3)]
  dtypes = pairs[rng.integers(len(pairs))]
  given: dict[str, Any] = {"block": 32}
  for name, rows, dtype in (("lhs", m, dtypes[0]), ("rhs", n, dtypes[1])):
    given[name] = hostile.array_of(rng, (2, rows, k), dtype)
    exponents = rng.integers(-9, 10, (2, rows, -(-k // 32)))
    given[f"{name}_scales"] = np.exp2(exponents).astype(jnp.float8_e8m0fnu)
  if rng.random() < 0.1:
    given["lhs_scales"][0, 0, 0] = np.nan
  # With one block of k the scales are those of rows, and other kernels multiply float8.
  if k > 32 and _OF_MX <= _ffi.built_kernels("gfx950") and rng.random() < 0.8:
    given["implementation"] = "emulated:gfx950"
    given["schedule"] = choice(rng, (None, "persistent", "work_stealing", "stream_k"))
  return Call("scaled_matmul", given, _wanted_of_blocks, ("precision", "out_sharding"))


def _overlap(rng) -> Call:
  m, n, k = _sizes(rng, 3)
  dtype = choice(rng, ("float32", "bfloat16"))
  tile_m, tiles = int(choice(rng, (8, 16, 32))), int(choice(rng, (1, 2, 3)))
  rows = -(-m // tile_m)
  given = {"x": hostile.array_of(rng, (m, k), dtype), "w": hostile.array_of(rng, (k, n), dtype),
           "chunk_rows": tile_m * tiles, "tiles_per_chunk_m": tiles,
           "first_chunk": int(rng.integers(-(-rows // tiles))),
           "tile_idx_pivot_m": int(rng.integers(rows)), "timeout": 20.0,
           "config": jaxgemm.GemmConfig(tile_m=tile_m)}
  wanted = lambda given, out: references.sums("...mk,...kn->...mn", np.asarray(given["x"]),
                                              np.asarray(given["w"]))
  return Call("overlapped product", given, wanted, _OPTIONS)


def _overlapped(x, w, chunk_rows, tiles_per_chunk_m, first_chunk, tile_idx_pivot_m, timeout,
                config):
  """jaxgemm.overlap of jaxgemm.chunked_matmul, in one program."""
  return jax.jit(lambda x, w: jaxgemm.overlap(
      x, lambda data, signals: jaxgemm.chunked_matmul(
          data, w, signals, tiles_per_chunk_m=tiles_per_chunk_m,
          tile_idx_pivot_m=tile_idx_pivot_m, config=config, timeout=timeout),
      chunk_rows=chunk_rows, first_chunk=first_chunk))(x, w)


def _describe(rng) -> Call:
  """explain, supports and workspace_size, with shapes that no machine has memory for."""
  sizes = [int(choice(rng, (0, 1, 7, 128, 4096, 2**20, 2**31 - 1, 2**31, 2**40, 2**62)))
           for _ in range(3)]
  dtypes = _operand_dtypes(rng)
  given = {"a": jax.ShapeDtypeStruct((sizes[0], sizes[2]), dtypes[0]),
           "b": jax.ShapeDtypeStruct((sizes[2], sizes[1]), dtypes[1])}
  if rng.random() < 0.3:
    groups = int(choice(rng, (1, 3, 2**20)))
    given["b"] = jax.ShapeDtypeStruct((groups, sizes[2], sizes[1]), dtypes[1])
    given["group_sizes"] = jax.ShapeDtypeStruct((groups,), np.int32)
  return Call(choice(rng, _DESCRIBING), given,
              lambda given, out: None, ("out_sharding",))


def _config(rng) -> Call:
  return Call("GemmConfig", hostile.config_fields(rng), lambda given, out: None, _OPTIONS)


def _quantize(rng) -> Call:
  shape = tuple(_sizes(rng, 2))
  kind = choice(rng, ("tensor", "row", "block"))
  given = {"x": hostile.array_of(rng, shape, choice(rng, ("float32", "bfloat16"))), "kind": kind}
  if kind == "block":
    given["block"] = 1

  def wanted(given, out):
    x = soak.double(given["x"])
    if not np.isfinite(x).all() or jnp.dtype(out.values.dtype).itemsize > 1:
      return None
    scales = soak.double(out.scales)
    for axis, size in enumerate(x.shape):  # of blocks
      scales = np.repeat(scales, size // max(1, scales.shape[axis]), axis)
    got = soak.double(out.values) * scales
    worst = np.abs(x).max(initial=0) * 2.0**-3 + 1e-30
    if not (np.abs(got - x) <= worst).all():
      raise Fault(f"quantised values are off by {np.abs(got - x).max()}")
    return None

  return Call("quantize", given, wanted, _OPTIONS)


_MAKERS = ((_matmul, 4), (_dot_general, 4), (_ragged, 4), (_ragged_contracted, 2),
           (_scaled_matmul, 1), (_mx, 1), (_overlap, 1), (_describe, 2), (_config, 2),
           (_quantize, 1))
_EXTRA = {"quantize": ("dtype", "axis", "block"), "ragged_dot": ("group_offset", "rhs_grad"),
          "ragged_dot_general": ("num_local_groups", "group_offset", "bias", "scale", "scale_lhs"),
          "matmul": ("scale_lhs", "scale_rhs", "bias", "scale"), "supports": ("gated", "nonsense"),
          "dot_general": ("scale_lhs", "scale_rhs", "bias", "scale")}


def mutate(rng, call: Call) -> tuple[dict[str, Any], str]:
  """(the arguments with one of them replaced, its name)."""
  given = dict(call.arguments)
  names = [*given, *(x for x in _OPTIONS if x not in call.lacks), *_EXTRA.get(call.name, ())]
  name = choice(rng, names)
  near = given.get(name)
  if name == "config" and rng.random() < 0.7:
    try:
      given[name] = jaxgemm.GemmConfig(**hostile.config_fields(rng))
    except ALLOWED:
      given[name] = {}
  elif name == "dimension_numbers":
    given[name] = hostile.numbers(rng, near)
  elif name in _OPTIONS:
    given[name] = hostile.option(rng, name)
  elif name in ("group_sizes", "group_offset") and near is not None and rng.random() < 0.5:
    dtype = choice(rng, ("int8", "uint8", "int16", "uint32", "int32", "float32", "bool"))
    given[name] = np.array([choice(rng, (0, 1, 3, 100)) for _ in range(near.shape[0])], dtype)
  elif hasattr(near, "shape") or name in ("bias", "scale", "scale_lhs", "scale_rhs", "rhs_grad",
                                          "accumulate", "group_offset"):
    given[name] = hostile.array(rng, near) if rng.random() < 0.8 else hostile.anything(rng)
  else:
    given[name] = hostile.anything(rng)
  return given, name


def _names(text: str, function: str, name: str, value) -> bool:
  """Whether a refusal's text names the argument."""
  text = text.lower()
  words = [name.lower()]
  if name in ("a", "b", "lhs", "rhs", "x", "w", "group_sizes", "lhs_scales", "rhs_scales",
              "dimension_numbers", "ragged_dot_dimension_numbers", "preferred_element_type"):
    words += _OF_OPERANDS
  if function in _DESCRIBING:  # of shapes that no kernel takes
    words += ["lhs", "rhs", "out is", "larger", "split"]
  if isinstance(value, jaxgemm.GemmConfig):
    words += ["tile", "kernel", "schedule", "num_", "group_m", "reduction", "deterministic",
              "partition", "claim_ahead", "multicast", "chunk"]
  if name in ("x", "w"):
    words += ["chunk", "pivot"]  # of an array with fewer rows
  if name.startswith("scale_"):
    words += ["scale"]
  if name == "precision":
    words += ["algorithm"]
  if name == "out_sharding":
    words += ["sharding", "mesh", "partitionspec"]
  return any(word in text for word in words)


def _function(name: str):
  return _overlapped if name == "overlapped product" else getattr(jaxgemm, name)


def run(rng) -> str:
  makers, weights = zip(*_MAKERS)
  call = makers[rng.choice(len(makers), p=np.array(weights) / sum(weights))](rng)
  given, name = call.arguments, ""
  if rng.random() < 0.7:
    given, name = mutate(rng, call)
  words = described(call.name, given)
  is_config = call.name == "GemmConfig"
  try:
    out = jax.block_until_ready(_function(call.name)(**given))
  except ALLOWED as error:
    if is_config or call.name in _DESCRIBING and not name:
      if is_config and not any(field in str(error) for field in given):
        raise Fault(f"{words} names no field: {error!r}") from error
      return "refused"
    if not name:
      raise Fault(f"{words} is valid, and was refused: {error!r}") from error
    if not _names(str(error), call.name, name, given[name]):
      raise Fault(f"{words}: {name} is wrong, and the text does not name it: {error!r}") from error
    return "refused"
  except Exception as error:
    if name == "timeout" and "did not become" in str(error):
      return "timed out"
    raise Fault(f"{words}: {name or 'nothing'} is wrong, and it raised {error!r:.1500}") from error
  if given.get("implementation") == "xla":
    return "by XLA"  # whose roundings are its own
  if any(given.get(x) is not None and np.ndim(given[x]) for x in ("scale_lhs", "scale_rhs")):
    return "accepted"  # in many shapes, of which references.py knows none
  try:
    found = call.wanted(given, out)
  except Fault as fault:
    raise Fault(f"{words}: {fault}") from fault
  except Exception as error:
    raise Fault(f"{words}: {name} was accepted, and float64 has no result: {error!r}") from error
  if found is None:
    str(out)
    return "described"
  if np.iscomplexobj(np.asarray(out)) or out.dtype == jnp.float8_e8m0fnu:
    return "complex or without a sign"
  if out.dtype == jnp.float8_e4m3b11fnuz:
    return "by XLA"  # no kernel stores it, and XLA's sums are rounded to it
  check_close(words, out, *references.rounded(out.dtype, *found))
  return "right" if not name else "right, mutated"


def forget() -> None:
  jax.clear_caches()
