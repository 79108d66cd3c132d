"""Cases of the FFI targets: a planned call, or one with other attributes, buffers or values.

A call is refused by an error, or its result agrees with float64 for the attributes that it has.
"""

from typing import Any

import jax
import numpy as np

from jaxgemm import _ffi
from jaxgemm import _jaxgemm as native
from jaxgemm.call import options
from tests.support import soak
from tests.support.fuzz import hostile, references
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault, check_close, described

_PROBLEM = dict(
    batch=1, lhs_contracting=1, rhs_contracting=0, lhs_batched=0, rhs_batched=0, bias=0, scale=0,
    row_scale=0, save_preact=0, activation="none", ragged="none", groups=0, local_groups=0,
    group_offset=0, sizes_batched=0, accumulate=0, gated=0, tiles_per_chunk=0, pivot=0,
    num_chunks=0, timeout_ns=0, signals_batched=0)
_CONFIG = dict(
    schedule="auto", reduction="linear", deterministic=0, tile_m=0, tile_n=0, tile_k=0,
    num_workgroups=0, group_m=0, num_queues=0, num_shares=0, kernel="", claim_ahead=-1,
    multicast=-1)
_SHARES_OF_TARGETS = {"cpu": 0.93, "gfx942": 0.04, "gfx950": 0.03}
_ENDED = (ValueError, TypeError, jax.errors.JaxRuntimeError)


def _problem(rng, target: str) -> dict[str, Any]:
  flip = lambda share=0.5: int(rng.random() < share)
  m, n, k = (int(choice(rng, (1, 3, 8, 17, 48, 70))) for _ in range(3))
  dtype = choice(rng, ("float32", "bfloat16", "float16", "int8"))
  is_float = dtype != "int8"
  out = choice(rng, ("float32", "bfloat16")) if is_float else "int32"
  p = _PROBLEM | dict(
      m=m, n=n, k=k, lhs_dtype=dtype, rhs_dtype=dtype, out_dtype=out,
      lhs_contracting=flip(), rhs_contracting=flip())
  kind = choice(rng, ("dense", "dense", "m", "gated", "k", "chunks"))
  if kind in ("dense", "chunks") and flip(0.3):
    p |= dict(batch=2, lhs_batched=1, rhs_batched=flip())
  if kind in ("m", "gated", "k"):
    groups = int(choice(rng, (1, 2, 5)))
    p |= dict(ragged="k" if kind == "k" else "m", groups=groups, local_groups=groups,
              lhs_contracting=0 if kind == "k" else p["lhs_contracting"])
    if flip(0.3):
      p |= dict(group_offset=1, local_groups=int(rng.integers(1, groups + 1)))
    if kind == "gated" and is_float:
      p["gated"] = 1
    if kind == "k" and is_float and flip():
      p |= dict(accumulate=1, out_dtype="float32")
  if kind == "chunks":
    p |= dict(tiles_per_chunk=int(choice(rng, (1, 2))), timeout_ns=2_000_000, num_chunks=-1)
  if kind != "k" and is_float and flip(0.4):
    p |= dict(bias=flip(), scale=flip(), row_scale=flip(),
              activation=choice(rng, ("none", "relu", "gelu", "silu")))
    if (p["activation"] != "none" or p["gated"]) and kind != "chunks":
      p["save_preact"] = flip(0.3)
  return p


def _config(rng, target: str) -> dict[str, Any]:
  if target != "cpu":
    return _CONFIG
  schedule = choice(rng, ("auto", "persistent", "work_stealing", "stream_k"))
  return _CONFIG | dict(
      schedule=schedule, reduction=choice(rng, ("linear", "tree", "atomic")),
      tile_m=int(choice(rng, (0, 16, 32))), tile_n=int(choice(rng, (0, 16, 48))),
      tile_k=int(choice(rng, (0, 16, 64))), num_workgroups=int(choice(rng, (0, 1, 4, 33))))


def _columns(p) -> int:
  return p["n"] * (2 if p["gated"] else 1)


def _call(rng, p, plan):
  """(operands, results) of a planned call, and their names."""
  lead = (p["batch"],) if p["batch"] > 1 else ()
  m, k, columns = p["m"], p["k"], _columns(p)
  lhs = (m, k) if p["lhs_contracting"] == 1 else (k, m)
  rhs = (k, columns) if p["rhs_contracting"] == 0 else (columns, k)
  groups = (p["local_groups"],)
  args = {"lhs": hostile.array_of(rng, (lead if p["lhs_batched"] else ()) + lhs, p["lhs_dtype"]),
          "rhs": hostile.array_of(
              rng, (groups if p["ragged"] == "m" else lead if p["rhs_batched"] else ()) + rhs,
              p["rhs_dtype"])}
  extent = m if p["ragged"] == "m" else k
  out = (*lead, *(groups if p["ragged"] == "k" else ()), m, p["n"])
  if p["ragged"] != "none":
    values = (0, 1, 5, -1, extent, 2**31 - 1, -(2**31), 2**30)
    args["group_sizes"] = np.array([choice(rng, values) for _ in range(p["groups"])], np.int32)
  if p["group_offset"]:
    args["group_offset"] = np.array([choice(rng, (0, 1, -1, 99, 2**31 - 1, -(2**31)))], np.int32)
  if p["tiles_per_chunk"]:
    chunks = -(-plan["tiles_m"] // p["tiles_per_chunk"])
    epoch = choice(rng, (0, 1, 2**32 - 1))
    signals = np.full(chunks, epoch, np.uint32)
    if rng.random() < 0.5:
      signals[rng.integers(chunks)] ^= choice(rng, (1, 2**31))
    args |= {"chunk_signals": signals, "chunk_epoch": np.array([epoch], np.uint32)}
  if p["accumulate"]:
    args["addend"] = hostile.array_of(rng, out, "float32")
  vectors = groups if p["ragged"] == "m" else ()
  if p["bias"]:
    args["bias"] = hostile.array_of(rng, (*vectors, columns), "float32")
  if p["scale"]:
    args["scale"] = hostile.array_of(rng, (*vectors, choice(rng, (1, columns))), "float32")
  if p["row_scale"]:
    args["row_scale"] = hostile.array_of(rng, (choice(rng, (1, m)),), "float32")
  results = [(out, p["out_dtype"])]
  if p["save_preact"]:
    results.append(((*out[:-1], columns), p["out_dtype"]))
  return args, [*results, ((plan["workspace_bytes"],), "uint8")]


def _mutate(rng, attrs, args, results):
  """The call with one or two changes, and the names of what was changed."""
  attrs, args, results = dict(attrs), dict(args), list(results)
  changed = []
  for _ in range(int(rng.integers(1, 3))):
    what = rng.random()
    if what < 0.5 or not args:
      name = choice(rng, sorted(attrs))
      changed.append(name)
      old = attrs[name]
      kind = rng.random()
      if kind < 0.1:
        del attrs[name]
      elif kind < 0.2:
        attrs[name] = choice(rng, (1.5, "x", 3, True, "", "\0" * 9, "none", np.int32(1)))
      elif isinstance(old, str):
        names = ("none", "relu", "gelu", "silu", "m", "k", "linear", "tree", "atomic", "auto",
                 "persistent", "work_stealing", "stream_k", "general", "cpu", "gfx942", "gfx950",
                 "sm90", "", "portable", "avx2", "avx512", "amx", "x" * 3000,
                 *sorted(_ffi.built_kernels("gfx942"))[:3])
        attrs[name] = choice(rng, names)
      else:
        values = (old + 1, old - 1, 2 * old, -old, *(
            x for x in hostile.INTEGERS if -(2**63) <= x < 2**63))
        attrs[name] = int(np.clip(choice(rng, values), -(2**63), 2**63 - 1))
    elif what < 0.75:
      name = choice(rng, sorted(args))
      changed.append(name)
      kind = rng.random()
      if kind < 0.15:
        del args[name]
      elif kind < 0.3:
        args[name + " again"] = args[name]
      else:
        array = hostile.array(rng, args[name])
        if isinstance(array, np.ndarray) and array.dtype != object and array.dtype.isnative:
          args[name] = array
    elif results:
      changed.append("results")
      i = int(rng.integers(len(results)))
      shape, dtype = results[i]
      kind = rng.integers(5)
      if kind == 0:
        results.pop(i)
      elif kind == 1:
        results.insert(i, results[i])
      elif kind == 2:
        results[i] = (tuple(max(0, x + int(rng.integers(-1, 2))) for x in shape), dtype)
      elif kind == 3:
        results[i] = (shape, choice(rng, ("float32", "int32", "uint8", "bfloat16", "complex64")))
      else:
        results[i] = ((*shape, 1), dtype)
  return attrs, args, results, changed


def _check(words: str, attrs, args, outs) -> None:
  """Compares the results with what the attributes say."""
  lhs, rhs = args["lhs"], args["rhs"]
  z_lhs = "km" if attrs["lhs_contracting"] == 0 else "mk"
  z_rhs = "kn" if attrs["rhs_contracting"] == 0 else "nk"
  ragged = attrs["ragged"]
  out = np.asarray(outs[0])
  activation = None if attrs["activation"] == "none" else attrs["activation"]
  vectors = {name: args[name] for name in ("bias", "scale") if name in args}
  if ragged == "none":
    z, error = references.sums(f"...{z_lhs},...{z_rhs}->...mn", lhs, rhs)
    rows = args.get("row_scale")
    if rows is not None and rows.ndim == z.ndim:  # of a batch of one
      rows = rows[0]
    scale = vectors.get("scale")
    if scale is not None:
      scale = references.broadcast(scale, z.ndim)
    if rows is not None:
      scale = soak.double(rows)[..., None] * (1 if scale is None else soak.double(scale))
    bias = vectors.get("bias")
    bias = None if bias is None else references.broadcast(bias, z.ndim)
    before = references.finish(z, error, scale=scale, bias=bias)
    wanted = references.activate(activation, *before)
  elif ragged == "k":
    extent = lhs.shape[z_lhs.index("k")]
    local = out.shape[0]
    group = references.group_of_rows(args["group_sizes"], extent, args.get("group_offset"), local)
    x, y = (np.moveaxis(v, labels.index("k"), 0) for v, labels in ((lhs, z_lhs), (rhs, z_rhs)))
    each = [references.sums("km,kn->mn", x[group == g], y[group == g]) for g in range(local)]
    z, error = (np.stack([pair[i] for pair in each]) for i in range(2))
    if "addend" in args:
      with np.errstate(all="ignore"):
        z = z + soak.double(args["addend"])
        error = error + 2.0**-21 * (np.abs(z) + np.abs(soak.double(args["addend"])))
    before = wanted = z, error
    out = out.reshape(z.shape)
  else:
    local = rhs.shape[0]
    x = np.moveaxis(lhs, z_lhs.index("k"), 1)
    columns = rhs.shape[1 + z_rhs.index("n")]
    group = references.group_of_rows(args["group_sizes"], len(x), args.get("group_offset"), local)
    z, error = np.zeros((len(x), columns)), np.zeros((len(x), columns))
    for g in range(local):
      at = group == g
      z[at], error[at] = references.sums(f"mk,{z_rhs}->mn", x[at], rhs[g])
      scale = vectors.get("scale")
      if scale is not None:
        scale = soak.double(scale if scale.ndim == 1 else scale[g])
      if "row_scale" in args:
        rows = np.broadcast_to(soak.double(args["row_scale"]).reshape(-1), len(x))
        scale = rows[at, None] * (1 if scale is None else scale)
      bias = vectors.get("bias")
      bias = bias if bias is None or bias.ndim == 1 else bias[g]
      z[at], error[at] = references.finish(z[at], error[at], scale=scale, bias=bias)
    before = z, error
    inside = (group >= 0)[:, None]
    if attrs["gated"]:
      n = columns // 2
      with np.errstate(all="ignore"):
        gate, of_gate = references.activate(activation, z[:, :n], error[:, :n])
        up, of_up = z[:, n:], error[:, n:]
        wanted = gate * up, (of_gate * (np.abs(up) + of_up) + np.abs(gate) * of_up
                             + 2.0**-21 * np.abs(gate * up))
    else:
      wanted = references.activate(activation, z, error)
    wanted = tuple(np.where(inside, x, 0) for x in wanted)
  check_close(words, out, *references.rounded(out.dtype, *wanted))
  if attrs["save_preact"]:
    preact = np.asarray(outs[1])
    check_close(words + " preact", preact, *references.rounded(preact.dtype, *before))


def _run(target: str, args, results, attrs, aliases=None):
  attrs = {name: np.int64(x) if type(x) is int else x for name, x in attrs.items()}
  results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]
  return jax.block_until_ready(jax.ffi.ffi_call(
      target, results, input_output_aliases=aliases or {})(*args, **attrs))


def _chunk_targets(rng) -> str:
  """A call of the targets that start, join and check copies in chunks."""
  target = choice(rng, ("jaxgemm_chunks_start", "jaxgemm_chunks_join"))
  rows, width = int(choice(rng, (0, 1, 7, 64))), int(choice(rng, (0, 1, 5)))
  x = hostile.array_of(rng, (rows, width), choice(rng, ("float32", "bfloat16", "int8")))
  number = lambda *usual: choice(rng, usual) if rng.random() < 0.6 else choice(
      rng, [i for i in hostile.INTEGERS if -(2**63) <= i < 2**63])
  if target == "jaxgemm_chunks_start":
    size = number(1, 2, 8)
    attrs = dict(axis=number(0, 1), chunk_rows=size, first_chunk=number(0, 0, 1),
                 from_host=number(0, 1), product_leaves_room=number(0, 1))
    chunks = -(-rows // size) if 0 < size < 2**40 else 1
    results = [(x.shape, x.dtype), ((max(0, int(choice(rng, (chunks, chunks, 0, 3)))),), "uint32")]
    # Without a product or a join no copy begins, so memory that is freed is not written to.
    args = [x]
  else:
    signals = np.full(int(choice(rng, (0, 1, 3))), choice(rng, (0, 1, 7)), np.uint32)
    attrs = dict(epoch=number(-1, 0, 1, 7), num_sources=number(0, 1), timeout_ns=number(
        1, 1000, 1_000_000))
    attrs["timeout_ns"] = min(attrs["timeout_ns"], 3_000_000)
    args = [x, signals, *([x] * int(rng.integers(0, 3)))]
    results = [(x.shape, x.dtype)] * int(rng.integers(0, 3))
  if rng.random() < 0.3:
    attrs, by_name, results, _ = _mutate(
        rng, attrs, {str(i): array for i, array in enumerate(args)}, results)
    args = list(by_name.values())
  try:
    _run(target, args, results, attrs)
  except _ENDED:
    return "refused"
  return "run"


def run(rng) -> str:
  if rng.random() < 0.1:
    return _chunk_targets(rng)
  names = list(_SHARES_OF_TARGETS)
  target = names[rng.choice(len(names), p=list(_SHARES_OF_TARGETS.values()))]
  if target != "cpu":
    options.use_emulator()
  p = _problem(rng, target)
  try:
    plan = native.plan(p, _config(rng, target), target)
    if p["tiles_per_chunk"]:
      plan["tiles_m"] = -(-p["m"] // plan["attrs"]["tile_m"])
      p["num_chunks"] = -(-plan["tiles_m"] // p["tiles_per_chunk"])
  except ValueError:
    return "not planned"
  if target != "cpu" and plan["kernel"] not in _ffi.built_kernels(target):
    return "not built"
  args, results = _call(rng, p, plan)
  attrs, changed = plan["attrs"], []
  if rng.random() < 0.8:
    attrs, args, results, changed = _mutate(rng, attrs, args, results)
  aliases = {list(args).index("addend"): 0} if "addend" in args and results and (
      results[0][0] == args["addend"].shape and results[0][1] == "float32") else None
  words = f"{described(target, args)} -> {results} {attrs}, changed: {changed}"
  # XLA drops a call without results.
  late = results and p["tiles_per_chunk"] and "chunk_signals" in args and (
      "chunk_epoch" in args) and args["chunk_epoch"].size and (
      args["chunk_signals"] != args["chunk_epoch"].ravel()[0]).any()
  try:
    outs = _run("jaxgemm_gemm", list(args.values()), results, attrs, aliases)
  except _ENDED as error:
    if changed:
      return "refused"
    if late and "did not become the epoch" in str(error):
      return "timed out"
    raise Fault(f"{words} is valid, and was refused: {error}") from error
  if late:
    raise Fault(f"{words}: a chunk never came, and there was no error")
  if any(name.endswith(" again") for name in args):
    return "run"  # two of one name stand for others
  if not outs or outs[0].size == 0:
    return "run"  # or not: XLA drops a call without elements in its results
  try:
    _check(words, attrs, args, outs)
  except (KeyError, IndexError) as error:
    raise Fault(f"{words} was accepted, and float64 has no result: {error!r}") from error
  return "right" if not changed else "right, mutated"


def forget() -> None:
  jax.clear_caches()
