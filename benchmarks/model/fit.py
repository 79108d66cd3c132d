"""Fits the constants of the plan's model for Hopper to timings of its candidates.

    python -m benchmarks fit
    python -m benchmarks fit --write

It measures nothing and needs no GPU: the timings are those of benchmarks/model/data, or of the
files that --results names. It takes some minutes. The formula is in C++ (ffi/plan/hopper/model.cc),
which predicts with the constants that it is given. The second command writes the fitted constants
to ffi/plan/hopper/model.def.

The regret of a choice is how much longer the chosen candidate takes than the fastest one. The first
steps of the fit make the squares of log(predicted / measured) least, in which a candidate that
takes twice as long as the best one of its problem counts half. The last steps make the sum of the
mean square and of the mean regret least. So that the regret has derivatives, each problem's choice
is uncertain there: a candidate that is predicted to take 2.5 % longer is e times less likely.

The report has quantiles of the error, and the regret of the choices. Each problem is judged by
constants that were fitted to problems of other files.
"""

from collections.abc import Mapping, Sequence
import concurrent.futures
import dataclasses
import gzip
import json
import os
import pathlib
import re
from typing import Any

from absl import app, flags
import numpy as np
import scipy.optimize

from benchmarks import cases
from jaxgemm import _ffi
from jaxgemm import _jaxgemm as native

DATA = pathlib.Path(__file__).parent / "data"
MODEL_FILE = pathlib.Path(__file__).parents[2] / "ffi" / "plan" / "hopper" / "model.def"
FITTED = (*(DATA / f"h200-seed{seed}.json.gz" for seed in (1, 2613, 2701, 2703)),
          *(DATA / f"h100-seed{seed}.json.gz" for seed in (8101, 8105, 9301, 9971, 9973, 9975)),
          *(DATA / f"h200-seed{seed}.json.gz" for seed in (9701, 9702, 9711, 9712, 52001, 61001)))
HELD_OUT = (*(DATA / f"h200-seed{seed}.json.gz" for seed in (2, 2011, 2614)),
            DATA / "h100-seed8103.json.gz", DATA / "h200-seed8402.json.gz",
            DATA / "h100-seed9974.json.gz",
            *(DATA / f"h200-seed{seed}.json.gz" for seed in (41000, 41001, 41002, 62001)))
_FOLDS = 4
# The weight of the error that all candidates of a problem have in common. Such an error does not
# change the choice, and much of it comes from the GPU's clock, which is lower under long loads.
_COMMON = 0.4
# The weight of candidates that the plan takes only if it is asked for stream-K or work stealing.
_NOT_OPEN = 0.25
# Two candidates are alike if their predicted times differ by less than about this fraction. It is
# also the noise of short timings.
_ALIKE = 0.025
# A larger regret counts as this one.
_MOST_REGRET = 0.5
# Fits end when a step moves the constants by less than this.
_CONVERGED = 1e-3
# Hz. At this clock 132 multiprocessors of 2048 multiply-adds a cycle have the 989.4 TFLOP/s of the
# chip's data sheet. It is not fitted: another clock would only multiply the constants.
CLOCK = 1.83e9

FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_bool("write", False, f"Put the constants into {MODEL_FILE.name}.")


@dataclasses.dataclass(frozen=True)
class Problem:
  """A measured problem.

  Attributes:
    fields: the problem as the native plan reads it.
    chip: the GPU's name in the plan.
    configs: for each candidate, the configuration that chooses it.
    seconds: for each candidate, the time of its kernel without the copies before it.
    open: for each candidate, whether the plan may choose it if the user fixes nothing.
    file: where the timings are.
  """

  fields: Mapping[str, str | int]
  chip: str
  configs: list[Mapping[str, str | int]]
  seconds: np.ndarray
  open: np.ndarray
  label: str
  file: str = ""


def load(path: str | pathlib.Path) -> dict[str, Any]:
  """The content of a JSON file, which may be compressed."""
  content = pathlib.Path(path).read_bytes()
  return json.loads(gzip.decompress(content) if str(path).endswith(".gz") else content)


def read(paths: Sequence[str | pathlib.Path]) -> list[Problem]:
  """The problems of files that `measure` has written on a GPU, or `keep` has made of them."""
  found = []
  for path in paths:
    data = load(path)
    about = data["about"] if "about" in data else data["runs"][-1]
    chip = _ffi.chip_in(about["device"], "sm90")
    for row in data["rows"]:
      row = row if "seconds" in row else _kept(row)
      if len(row["seconds"]) >= 2:
        found.append(Problem(
            row["fields"], chip,
            # Earlier kernels had no multicast.
            [{"multicast": False, **config} for config in row["configs"]],
            np.array(row["seconds"]), np.array(row["open"], bool), row["label"],
            pathlib.Path(path).name))
  return found


def keep(source: str | pathlib.Path, target: str | pathlib.Path) -> None:
  """Writes the part of a file of `measure` that the fit needs, as lines of a .json.gz."""
  data = load(source)
  about = data["runs"][-1]
  about["command"] = re.sub(r"(--json=)\S*/", r"\1", about["command"])
  lines = ",\n".join(json.dumps(_kept(row), separators=(",", ":")) for row in data["rows"])
  text = f'{{"about": {json.dumps(about)},\n"rows": [\n{lines}\n]}}\n'
  pathlib.Path(target).write_bytes(gzip.compress(text.encode(), mtime=0))


def _kept(row):
  """The fields of `Problem` of a measured row, and XLA's microseconds."""
  timed = [each for name, each in row["candidates"].items() if name != "xla"]
  given = cases.Product(**row["problem"])
  ((lhs,), (rhs,)), _ = given.dimension_numbers()
  return {
      "label": given.label,
      "fields": {
          "m": given.m, "n": given.n, "k": given.k, "lhs_contracting": lhs,
          "rhs_contracting": rhs, "lhs_dtype": given.dtype, "rhs_dtype": given.dtype,
          "out_dtype": given.out_dtype},
      "configs": [each["config"] for each in timed],
      # Of the kernel and of setting its counters to zero.
      "seconds": [round(sum(time for name, time in each["times"].items()
                            if name.startswith("gemm_") or name.lower().startswith("memset")), 9)
                  for each in timed],
      "with_copies": [round(each["seconds"]["median"], 9) for each in timed],
      "open": [int(each["asked"] == "auto") for each in timed],
      "xla": round(row["candidates"]["xla"]["seconds"]["median"] * 1e6, 3)
             if "xla" in row["candidates"] else None}


def constants() -> dict[str, float]:
  """The constants of the built module that are to be fitted."""
  return {name: value for name, (value, fitted) in native.sm90_model().items() if fitted}


class Timings:
  """Measured problems as arrays with an element for each candidate, and their predictions."""

  def __init__(self, found: Sequence[Problem]):
    self.found = found
    counts = [len(each.seconds) for each in found]
    self.begin = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int)
    self.problem = np.repeat(np.arange(len(found)), counts)
    self.seconds = np.concatenate([each.seconds for each in found])
    self.open = np.concatenate([each.open for each in found])
    self.weights = self.least(self.seconds)[self.problem] / self.seconds
    self.weights *= np.where(self.open, 1, _NOT_OPEN)
    fastest = self.least(np.where(self.open, self.seconds, np.inf))
    self.regret = self.seconds / fastest[self.problem] - 1
    self._predictors = []
    for chip in sorted({each.chip for each in found}):
      of_chip = [each for each in found if each.chip == chip]
      calls = [(each.fields, config) for each in of_chip for config in each.configs]
      places = np.flatnonzero(np.repeat([each.chip == chip for each in found], counts))
      self._predictors.append((places, native.sm90_predictor(calls, chip)))

  def least(self, values: np.ndarray) -> np.ndarray:
    return np.minimum.reduceat(values, self.begin)

  def sums(self, values: np.ndarray) -> np.ndarray:
    """The sums of each problem's rows."""
    return np.add.reduceat(values, self.begin)

  def log_cycles(self, model: Mapping[str, float]) -> np.ndarray:
    result = np.empty(len(self.seconds))
    for places, predictor in self._predictors:
      result[places] = np.log(predictor(dict(model)))
    return result

  def derivatives(self, fit: "Fit") -> np.ndarray:
    """d log(cycles) / d log(constant): a row for each candidate, a column for each constant."""
    small = 1e-4

    def column(i):
      moves = small * np.eye(len(fit.model))[i]
      up, down = (self.log_cycles(fit.moved(sign * moves).model) for sign in (1, -1))
      return (up - down) / (2 * small)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
      return np.stack(list(pool.map(column, range(len(fit.model)))), axis=1)

  def centred(self, errors: np.ndarray) -> np.ndarray:
    """Errors (or columns of their derivatives) as the squares count them."""
    weights = self.weights if errors.ndim == 1 else self.weights[:, None]
    common = self.sums(errors * weights) / self.sums(weights)
    return np.sqrt(weights) * (errors - (1 - _COMMON) * common[self.problem])

  def chosen(self, log_cycles: np.ndarray) -> np.ndarray:
    """For each problem, the place of the candidate that the plan chooses."""
    predicted = np.where(self.open, log_cycles, np.inf)
    places = np.flatnonzero(predicted == self.least(predicted)[self.problem])
    return places[np.unique(self.problem[places], return_index=True)[1]]

  def expected_regret(self, log_cycles: np.ndarray):
    """(mean regret of uncertain choices, its derivative for each candidate)."""
    levels = np.where(self.open, -log_cycles / _ALIKE, -np.inf)
    likely = np.exp(levels + self.least(-levels)[self.problem])
    likely /= self.sums(likely)[self.problem]
    regret = np.minimum(self.regret, _MOST_REGRET)
    expected = self.sums(likely * regret)
    slope = likely * (expected[self.problem] - regret) / _ALIKE
    return expected.mean(), slope / len(self.found)


@dataclasses.dataclass(frozen=True)
class Fit:
  """Constants by name, and the clock in Hz that converts cycles to seconds."""

  model: dict[str, float]
  clock: float = CLOCK

  def vector(self) -> np.ndarray:
    return np.log([*self.model.values()])

  def moved(self, step: np.ndarray) -> "Fit":
    return Fit(dict(zip(self.model, np.exp(self.vector() + step).tolist())), self.clock)


def _errors(timings: Timings, fit: Fit) -> np.ndarray:
  return timings.log_cycles(fit.model) - np.log(timings.seconds * fit.clock)


def _fit_squares(timings: Timings, best: Fit, most_steps: int) -> Fit:
  """The fit with the least squares. A constant that no timing depends on stays as it is."""
  found = scipy.optimize.least_squares(
      lambda step: timings.centred(_errors(timings, best.moved(step))), np.zeros(len(best.model)),
      lambda step: timings.centred(timings.derivatives(best.moved(step))), method="lm",
      xtol=_CONVERGED, max_nfev=most_steps)
  return best.moved(found.x)


def objective(timings: Timings, log_cycles: np.ndarray, clock: float):
  """(expected regret + mean square, its derivative for each candidate)."""
  regret, slope = timings.expected_regret(log_cycles)
  residuals = timings.centred(log_cycles - np.log(timings.seconds * clock))
  total = timings.weights.sum()
  # The derivative of `centred` is its own transpose, but for the order of the weights.
  weighted = np.sqrt(timings.weights) * residuals
  common = timings.sums(weighted) / timings.sums(timings.weights)
  back = weighted - (1 - _COMMON) * timings.weights * common[timings.problem]
  return regret + residuals @ residuals / total, slope + 2 * back / total


def _fit_regret(timings: Timings, best: Fit, most_steps: int) -> Fit:
  """Steps along which log(cycles) is taken as linear in the logarithms of the constants."""
  before = timings.log_cycles(best.model)
  value, _ = objective(timings, before, best.clock)
  for _ in range(most_steps):
    jacobian = timings.derivatives(best)
    scale = 1 / np.sqrt(np.mean(timings.centred(jacobian) ** 2, axis=0) + 1e-6)

    def linear(step, jacobian=jacobian, scale=scale, before=before):
      found, slope = objective(timings, before + jacobian @ (scale * step), best.clock)
      return 100 * found, 100 * scale * (slope @ jacobian)

    bounds = [(-0.15 / each, 0.15 / each) for each in scale]
    found = scipy.optimize.minimize(
        linear, np.zeros(len(scale)), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": 60})
    move, gain = scale * found.x, 0.0
    while gain <= 0 and np.abs(move).max() > _CONVERGED:
      trial = best.moved(move)
      after = timings.log_cycles(trial.model)
      new, _ = objective(timings, after, best.clock)
      gain, move = value - new, move / 2
    if gain <= 0:
      break
    best, before, value = trial, after, new
    if gain < 1e-5:
      break
  return best


def fit(timings: Timings, start: Mapping[str, float], most_steps: int = 40,
        regret_steps: int = 12) -> Fit:
  """The best constants, searched from `start` on."""
  return _fit_regret(timings, _fit_squares(timings, Fit(dict(start)), most_steps), regret_steps)


def regrets(timings: Timings, model: Mapping[str, float]) -> np.ndarray:
  """For each problem: how much longer the predicted best takes than the fastest one."""
  return timings.regret[timings.chosen(timings.log_cycles(model))]


def cross_validated(found: Sequence[Problem], start: Mapping[str, float]):
  """(regrets, log errors of all candidates), each by a fit to problems of other files.

  If there is one file only, each problem is judged by a fit to others of that file.
  """
  regret, errors = np.empty(len(found)), [np.empty(0)] * len(found)
  sources = [each.file for each in found]
  if len(set(sources)) == 1:
    sources = [each.label for each in found]
  names = sorted(set(sources))
  folds = np.array([names.index(each) % _FOLDS for each in sources])
  for fold in range(min(_FOLDS, len(names))):
    trained = fit(Timings([each for i, each in enumerate(found) if folds[i] != fold]), start)
    places = np.flatnonzero(folds == fold)
    test = Timings([found[i] for i in places])
    regret[places] = regrets(test, trained.model)
    for i, error in zip(places, np.split(_errors(test, trained), test.begin[1:])):
      errors[i] = error
  return regret, np.concatenate(errors)


def rounded(value: float) -> float:
  """A constant as the source has it, with three digits."""
  return float(f"{value:.3g}")


def write(model: Mapping[str, float], path: pathlib.Path = MODEL_FILE) -> None:
  """Puts the constants into the lines of the model's file."""
  text = path.read_text()
  for name, value in model.items():
    text, count = re.subn(
        rf"^(JAXGEMM_SM90_MODEL\({name},\s*)[\d.e+-]+(,\s*)",
        lambda line: _aligned(line, rounded(value)), text, flags=re.MULTILINE)
    if count != 1:
      raise ValueError(f"{path} has {count} lines of {name}; one is needed.")
  path.write_text(text)


def _aligned(line, value: float) -> str:
  number = f"{value:.10g},"
  return line[1] + number + " " * max(1, len(line[0]) - len(line[1]) - len(number))


def _quantiles(values, scale: float, form: str) -> str:
  names = ("least", "5 %", "half", "95 %", "most")
  found = np.quantile(values, [0, 0.05, 0.5, 0.95, 1]) * scale
  return ", ".join(f"{name} {value:{form}}" for name, value in zip(names, found))


def report(timings: Timings, start: Mapping[str, float], best: Fit) -> str:
  """The report: the constants that were found, and their errors and regrets."""
  found = timings.found
  lines = [f"{len(found)} problems, {sum(len(p.seconds) for p in found)} candidates",
           "", "constant, before, fitted:"]
  lines += [f"  {name:18} {start[name]:10.4g} {value:10.4g}"
            for name, value in best.model.items()]
  regret, errors = cross_validated(found, best.model)
  before = regrets(timings, start)
  worst = np.argsort(-regret)[:5]
  return "\n".join([
      *lines, "", f"predicted / measured, of other files: {_quantiles(np.exp(errors), 1, '.2f')}",
      f"regret before: mean {before.mean():.1%}, worst {before.max():.0%}",
      f"regret of other files: mean {regret.mean():.1%}, worst {regret.max():.0%}; "
      + _quantiles(regret, 100, ".1f"),
      "worst: " + "; ".join(f"{found[i].label} {regret[i]:.0%}" for i in worst)])


def main(_) -> int:
  found = read(FLAGS.results or FITTED)
  if not found:
    raise app.UsageError("Give --results, JSON files of python -m benchmarks measure.")
  start = constants()
  timings = Timings(found)
  best = fit(timings, start)
  print(report(timings, start, best))
  if FLAGS.write:
    write(best.model)
    print(f"The constants are in {MODEL_FILE.name}. Build jaxgemm again.")
  return 0
