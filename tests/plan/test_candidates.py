"""The list of candidates: with a candidate's own configuration the plan chooses that candidate."""

import numpy as np
import pytest

from jaxgemm import _ffi

LAYOUTS = [(1, 0), (1, 1), (0, 0), (0, 1)]


def candidates(target, problem, config):
  return _ffi.native.plan(problem, config, target, 0)["candidates"]


def draw(rng):
  m, n, k = (int(x) for x in np.exp(rng.uniform(np.log(1), np.log(9000), 3)))
  lhs, rhs = LAYOUTS[rng.integers(4)]
  dtype = ("bfloat16", "float16", "float32")[rng.integers(3)]
  return {"m": m, "n": n, "k": k, "lhs_contracting": lhs, "rhs_contracting": rhs,
          "lhs_dtype": dtype, "rhs_dtype": dtype, "out_dtype": dtype}


@pytest.mark.parametrize("target", ["cpu", "gfx942", "gfx950", "sm90"])
@pytest.mark.parametrize("schedule", ["auto", "work_stealing", "stream_k"])
def test_a_candidate_is_chosen_for_its_config(target, schedule):
  rng = np.random.default_rng(1)
  for _ in range(25):
    problem = draw(rng)
    for each in candidates(target, problem, {"schedule": schedule}):
      first = candidates(target, problem, each["config"])[0]
      for key in ("kernel", "tile", "schedule", "form", "config"):
        assert first[key] == each[key], (problem, each)


@pytest.mark.parametrize("target", ["cpu", "gfx942", "gfx950", "sm90"])
@pytest.mark.parametrize("m, n", [(4, 3000), (3000, 4), (48, 2000), (700, 300)])
def test_tile_and_tiles_are_those_of_out(target, m, n):
  """Also if the kernel computes out^T: on the CPU for few columns, on Hopper for few rows."""
  problem = {"m": m, "n": n, "k": 512, **dict.fromkeys(
      ("lhs_dtype", "rhs_dtype", "out_dtype"), "bfloat16")}
  plan = _ffi.native.plan(problem, {}, target, 0)
  sizes = m, n, 512
  assert plan["tiles"] == tuple(-(-x // tile) for x, tile in zip(sizes, plan["tile"]))
  asked = {"tile_m": 16 if m < 100 else 128, "tile_n": 4 if n < 100 else 128}
  if target == "cpu":
    tile = _ffi.native.plan(problem, asked, target, 0)["tile"]
    assert tile[:2] == (min(m, asked["tile_m"]), min(n, asked["tile_n"]))
