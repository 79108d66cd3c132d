"""The model that ranks Hopper's candidates, and the fit of its constants."""

import numpy as np
import pytest

from benchmarks.model import fit
from jaxgemm import _jaxgemm as native


def fields(m, n, k, dtype="bfloat16"):
  return {"m": m, "n": n, "k": k, "lhs_dtype": dtype, "rhs_dtype": dtype,
          "out_dtype": dtype}


def made_up(model):
  """Problems whose times are the model's predictions at the clock `fit.CLOCK`."""
  rng, found = np.random.default_rng(2), []
  for _ in range(40):
    m, n, k = (16 * int(x) for x in np.exp(rng.uniform(0, np.log(500), 3)))
    # The memory takes long to store large float32 results.
    m, n, k = {3: (8192, 8192, 512), 9: (4096, 12288, 256), 15: (12288, 4096, 384),
               21: (8192, 4096, 128)}.get(len(found), (m, n, k))
    # Every fourth result has rows that TMA cannot store.
    n -= 3 if len(found) % 4 == 0 else 0
    problem = fields(m, n, k)
    schedules = ["auto", "stream_k"]
    # Every third result is float32. With work stealing the general form stores it.
    if len(found) % 3 == 0:
      problem["out_dtype"] = "float32"
      schedules.append("work_stealing")
    configs = {
        str(each["config"]): each["config"] for schedule in schedules
        for each in native.plan(
            problem, {"schedule": schedule}, "H200")["candidates"]}
    calls = [(problem, config) for config in configs.values()]
    times = np.array(native.sm90_predictor(calls, "H200")(model)) / fit.CLOCK
    found.append(fit.Problem(problem, "H200", list(configs.values()), times,
                             np.full(len(times), True), "made up"))
  return found


def test_the_fit_finds_the_constants_of_the_model_that_made_the_times():
  start = fit.constants()
  rng = np.random.default_rng(1)
  wanted = {name: value * float(np.exp(rng.normal(0, 0.3)))
            for name, value in start.items()}
  found = made_up(wanted)
  best = fit.fit(found, start)
  assert best.model == pytest.approx(wanted, rel=0.03)
  assert fit.regrets(found, best.model).max() < 0.01
  assert fit.regrets(found, start).mean() > fit.regrets(found, best.model).mean()


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
  assert [line.split()[1] for line in changed] == ["12300,", "2.5,"]
  with pytest.raises(ValueError, match="0 lines of unknown"):
    fit.write({"unknown": 1.0}, path)


@pytest.mark.parametrize("path, count, mean, worst", [
    (fit.HELD_OUT[0], 22, 0.008, 0.066), (fit.HELD_OUT[1], 31, 0.010, 0.092),
    (fit.HELD_OUT[2], 126, 0.011, 0.133), (fit.HELD_OUT[3], 96, 0.026, 0.435),
    (fit.HELD_OUT[4], 76, 0.013, 0.245), (fit.HELD_OUT[5], 200, 0.026, 0.341),
    (fit.HELD_OUT[6], 70, 0.033, 0.435), (fit.HELD_OUT[7], 80, 0.026, 0.160),
    (fit.HELD_OUT[8], 50, 0.048, 0.240), (fit.HELD_OUT[9], 115, 0.048, 0.300)])
def test_the_regret_of_timings_that_were_not_fitted(path, count, mean, worst):
  """The bounds are the figures of the last fit, with some room."""
  regret = fit.regrets(fit.read([path]), fit.constants())
  assert len(regret) == count
  assert regret.mean() < 1.1 * mean and regret.max() < 1.1 * worst
