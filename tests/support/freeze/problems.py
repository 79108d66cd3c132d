"""Random problems, as the native plan takes them."""

import math

import numpy as np

CHIPS = ("cpu", "gfx90a", "gfx942", "MI308X", "gfx950", "sm90", "H200")
SIXTEEN = ("bfloat16", "float16")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
ACTIVATIONS = ("none", "relu", "gelu", "silu")
TILES = (0, 0, 0, 16, 32, 64, 128, 160, 192, 256)


def _size(rng, most=16384) -> int:
  size = math.exp(rng.uniform(0, math.log(most)))
  return max(1, round(size) if rng.random() < 0.5 else 16 * round(size / 16))


def _types(rng) -> dict[str, str]:
  kind = rng.random()
  if kind < 0.5:
    lhs = rhs = str(rng.choice(SIXTEEN, p=(0.8, 0.2)))
    out = lhs if rng.random() < 0.7 else "float32"
  elif kind < 0.7:
    lhs = rhs = out = "float32"
  elif kind < 0.8:
    lhs = rhs = "int8"
    out = "int32"
  else:
    lhs, rhs = (str(rng.choice(FLOAT8, p=(0.6, 0.2, 0.15, 0.05))) for _ in range(2))
    if rng.random() < 0.8:
      rhs = lhs
    out = str(rng.choice(("bfloat16", "float32", lhs)))
  return {"lhs_dtype": lhs, "rhs_dtype": rhs, "out_dtype": out}


def _epilogue(rng) -> dict:
  if rng.random() < 0.6:
    return {}
  flags: dict = {name: int(rng.random() < 0.3)
           for name in ("bias", "scale", "row_scale", "save_preact")}
  return flags | {"activation": str(rng.choice(ACTIVATIONS)),
                  "bias_bf16": int(flags["bias"] and rng.random() < 0.1)}


def _groups(rng, ragged: str) -> dict:
  groups = int(rng.choice((1, 2, 4, 8, 32, 64, 128)))
  local = groups if rng.random() < 0.7 else max(1, groups // 2)
  problem = {"ragged": ragged, "groups": groups, "local_groups": local,
             "group_offset": int(local < groups or rng.random() < 0.1)}
  if ragged == "m":
    return problem | {"gated": int(rng.random() < 0.3)}
  return problem | {"accumulate": int(rng.random() < 0.4)}


def _scales(rng) -> dict:
  mx = rng.random() < 0.5
  operand = "float8_e4m3fn" if not mx else str(rng.choice(("float8_e4m3fn", "float4_e2m1fn")))
  blocks = (1, 1, 32) if mx else (1, int(rng.choice((1, 128), p=(0.2, 0.8))), 128)
  return {"lhs_dtype": operand, "rhs_dtype": operand, "mx": int(mx),
          "out_dtype": str(rng.choice(("bfloat16", "float32"))), "lhs_contracting": 1,
          "rhs_contracting": 1, **dict(zip(("block_m", "block_n", "block_k"), blocks))}


def _config(rng) -> dict:
  if rng.random() < 0.6:
    return {}
  config = {"schedule": str(rng.choice(("auto", "persistent", "work_stealing", "stream_k"))),
            "reduction": str(rng.choice(("linear", "tree", "atomic"))),
            "deterministic": int(rng.random() < 0.1)}
  for name in ("tile_m", "tile_n"):
    config[name] = int(rng.choice(TILES))
  for name in ("num_workgroups", "num_queues", "num_shares", "group_m"):
    if rng.random() < 0.15:
      config[name] = int(rng.integers(1, 300))
  for name in ("claim_ahead", "multicast"):
    if rng.random() < 0.1:
      config[name] = int(rng.integers(2))
  return config


def draw(rng: np.random.Generator) -> tuple[dict, dict]:
  """A problem and a configuration: ffi/spec/call_schema.def has their fields."""
  problem: dict = {
      "m": _size(rng), "n": _size(rng), "k": _size(rng), **_types(rng),
      "lhs_contracting": int(rng.integers(2)), "rhs_contracting": int(rng.integers(2))}
  epilogue = _epilogue(rng)
  kind = rng.random()
  if kind < 0.1:
    return problem | _groups(rng, "k"), _config(rng)
  problem |= epilogue
  if kind < 0.3:
    problem |= _groups(rng, "m")
  elif kind < 0.4:
    problem |= {"tiles_per_chunk": int(rng.integers(1, 5)), "num_chunks": -1,
                "timeout_ns": 10**9}
  elif kind < 0.55:
    problem |= _scales(rng)
    if rng.random() < 0.3:
      problem |= _groups(rng, "m")
  elif kind < 0.65:
    problem |= {"batch": int(rng.integers(1, 40)), "lhs_batched": 1,
                "rhs_batched": int(rng.random() < 0.7)}
  return problem, _config(rng)
