"""The plans for deterministic="rows": whatever the number of rows is, nothing divides k."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import _ffi
from jaxgemm.call.plan import plan_call
from jaxgemm.call.spec import Geometry, Spec
from tests.support.freeze.problems import CHIPS, draw


def planned(problem, config, chip):
  """The plan, or the error."""
  target = _ffi.target_of(chip) or chip
  try:
    return _ffi.native.plan(problem, config, target, 0)
  except ValueError as error:
    return str(error)


@pytest.mark.parametrize("chip", CHIPS)
def test_random_problems(chip):
  """Each that has a plan has one with the promise, too, and XLA computes nothing."""
  rng, count = np.random.default_rng(3), 0
  while count < 40:
    problem, _ = draw(rng)
    for m in (1, 13, 300, 8192):
      problem |= {"m": m}
      free, plan = planned(problem, {}, chip), planned(problem, {"same_rows": 1}, chip)
      if isinstance(free, str):
        assert free == plan
        break
      attrs = plan["attrs"]
      assert attrs["num_shares"] == attrs["cut_tiles"] == 0 and attrs["cluster_k"] == 1, problem
      assert plan["faster_by_xla"] == ""
      assert (attrs["path"] == "packed") == (chip == "cpu")
      if chip.startswith(("gfx", "MI")):
        packed = 2 if problem["lhs_dtype"].startswith("float4") else 1
        bytes_of_row = attrs["tile_k"] * jnp.dtype(problem["lhs_dtype"]).itemsize // packed
        assert bytes_of_row == 128, plan["kernel"]
    else:
      count += 1


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("config", ({"schedule": "stream_k"}, {"num_shares": 7}))
def test_cut_tiles_are_refused(chip, config):
  problem = {"m": 40, "n": 500, "k": 4096, "lhs_dtype": "bfloat16", "rhs_dtype": "bfloat16",
             "out_dtype": "bfloat16"}
  assert isinstance(planned(problem, config, chip), dict)
  assert "cut k into shares" in planned(problem, config | {"same_rows": 1}, chip)


@pytest.mark.parametrize("rhs_contracting", (0, 1))
@pytest.mark.parametrize("k", (512, 1031))
def test_tma_reads_all_operands_of_float32_on_hopper(rhs_contracting, k):
  """TMA rounds float32 to TF32, and other loads do not: all rows must be rounded alike."""
  for m in (1, 17, 129, 300, 8192):
    geometry = Geometry.of((m, k), (256, k) if rhs_contracting else (k, 256), 1, rhs_contracting)
    spec = Spec(jnp.dtype("float32"), deterministic="rows")
    plan = plan_call(geometry, *[jnp.dtype("float32")] * 2, spec, "sm90")
    assert plan["kernel"].rpartition("_")[2][:2] == "rc", plan["kernel"]
    assert ("rhs" in plan["copies"]) == (rhs_contracting == 0 or k % 4 != 0)
