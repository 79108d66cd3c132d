"""The model that ranks Hopper's candidates, and the fit of its constants."""

import dataclasses

import numpy as np
import pytest

from benchmarks.model import fit
from jaxgemm import _jaxgemm as native


def fields(m, n, k, dtype="bfloat16"):
  return {"m": m, "n": n, "k": k, "lhs_dtype": dtype, "rhs_dtype": dtype,
          "out_dtype": dtype}


# Sizes and dtypes on which single constants depend: the memory takes long to store large float32
# results, rows of out^T or out are stored element by element, operands are copied by threads or
# read through registers, the L2 does not keep a large operand.
SPECIAL = {
    3: (8192, 8192, 512, "float32"), 9: (4096, 12288, 256, "float32"),
    15: (12288, 4096, 384, "float32"), 21: (8192, 4096, 128, "float32"),
    5: (400, 8192, 12288, ""), 7: (8192, 400, 12288, ""), 10: (96, 1021, 256, ""),
    27: (8192, 32768, 256, ""),
    13: (64, 256, 4096, "int8"), 17: (512, 320, 2048, "int8"), 19: (64, 512, 2048, "float32 in"),
    22: (960, 999, 191, ""), 23: (96, 2048, 1024, "float32 in")}


def made_up(model):
  """Problems whose times are the model's predictions at the clock `fit.CLOCK`."""
  rng, found = np.random.default_rng(2), []
  for number in range(48):
    m, n, k = (16 * int(x) for x in np.exp(rng.uniform(0, np.log(500), 3)))
    # Every fourth result has rows that TMA cannot store.
    n -= 3 if number % 4 == 0 else 0
    m, n, k, kind = SPECIAL.get(number, (m, n, k, "float32" if number % 3 == 0 else ""))
    dtype = {"int8": "int8", "float32 in": "float32"}.get(kind, "bfloat16")
    problem = fields(m, n, k, dtype) | {
        "out_dtype": {"float32": "float32", "int8": "int32"}.get(kind, dtype)}
    schedules = ["auto", "stream_k"]
    # With work stealing the general form stores float32 results.
    if kind == "float32":
      schedules.append("work_stealing")
    configs = {
        str(each["config"]): each["config"] for schedule in schedules
        for each in native.plan(
            problem, {"schedule": schedule}, "H200")["candidates"]}
    calls = [(problem, config) for config in configs.values()]
    times = np.array(native.sm90_predictor(calls, "H200")(model)) / fit.CLOCK
    found.append(fit.Problem(problem, "H200", list(configs.values()), times,
                             np.full(len(times), True), "made up"))
  return fit.Timings(found)


def test_the_fit_finds_the_constants_of_the_model_that_made_the_times():
  start = fit.constants()
  rng = np.random.default_rng(1)
  wanted = {name: value * float(np.exp(rng.normal(0, 0.3)))
            for name, value in start.items()}
  found = made_up(wanted)
  best = fit.fit(found, start, regret_steps=0)
  assert best.model == pytest.approx(wanted, rel=0.03)
  assert fit.regrets(found, best.model).max() < 0.01
  assert fit.regrets(found, start).mean() > fit.regrets(found, best.model).mean()


def test_the_last_steps_make_the_regret_less():
  """The made-up times have noise, which the constants cannot explain."""
  start = fit.constants()
  exact = made_up(start)
  rng = np.random.default_rng(3)
  found = fit.Timings([
      dataclasses.replace(each, seconds=each.seconds * rng.uniform(0.8, 1.2, len(each.seconds)))
      for each in exact.found[:12]])
  squares = fit.fit(found, start, regret_steps=0)
  best = fit.fit(found, start, regret_steps=3)
  value = lambda each: fit.objective(  # noqa: E731
      found, found.log_cycles(each.model), each.clock)[0]
  assert value(best) < value(squares)
  # The derivative is that of the value.
  logs, small = found.log_cycles(start), 1e-6
  slope = fit.objective(found, logs, fit.CLOCK)[1]
  for place in rng.integers(len(logs), size=5):
    up, down = (fit.objective(found, logs + sign * small * (np.arange(len(logs)) == place),
                              fit.CLOCK)[0] for sign in (1, -1))
    assert slope[place] == pytest.approx((up - down) / (2 * small), rel=1e-3, abs=1e-9)


def test_the_prediction_is_that_of_the_plan():
  """With its own constants the model ranks candidates as the plan does."""
  problem = fields(1000, 3000, 2000, "float16")
  candidates = native.plan(problem, {}, "H100 PCIe")["candidates"]
  predicted = native.sm90_predictor(
      [(problem, each["config"]) for each in candidates], "H100 PCIe")({})
  assert [x / predicted[0] for x in predicted] == pytest.approx(
      [each["cost"] for each in candidates])


@pytest.mark.from_source
def test_constants_are_written_to_the_lines_of_the_model(tmp_path):
  path = tmp_path / "sm90_model.def"
  path.write_text(fit.MODEL_FILE.read_text())
  fit.write({"l2_bytes": 12345.6, "norm": 2.5}, path)
  before, after = (p.read_text().splitlines() for p in (fit.MODEL_FILE, path))
  changed = [b for a, b in zip(before, after, strict=True) if a != b]
  assert {line.split()[1] for line in changed} == {"12300,", "2.5,"}
  with pytest.raises(ValueError, match="0 lines of unknown"):
    fit.write({"unknown": 1.0}, path)


@pytest.mark.parametrize("path, count, mean, worst", [
    (fit.HELD_OUT[0], 22, 0.010, 0.065), (fit.HELD_OUT[1], 31, 0.010, 0.092),
    (fit.HELD_OUT[2], 125, 0.014, 0.133), (fit.HELD_OUT[3], 94, 0.032, 0.499),
    (fit.HELD_OUT[4], 76, 0.008, 0.054), (fit.HELD_OUT[5], 104, 0.016, 0.207),
    (fit.HELD_OUT[6], 120, 0.008, 0.194), (fit.HELD_OUT[7], 151, 0.020, 0.250),
    (fit.HELD_OUT[8], 149, 0.013, 0.169), (fit.HELD_OUT[9], 150, 0.031, 0.216)])
def test_the_regret_of_timings_that_were_not_fitted(path, count, mean, worst):
  """The bounds are the figures of the last fit, with some room."""
  regret = fit.regrets(fit.Timings(fit.read([path])), fit.constants())
  assert len(regret) == count
  assert regret.mean() < 1.1 * mean and regret.max() < 1.1 * worst
