"""Fits the constants of the plan's model for Hopper to timings of its candidates.

    python -m benchmarks.model.fit
    python -m benchmarks.model.fit --write

It measures nothing and needs no GPU: the timings are those of benchmarks/model/data, or of the
files that are given. The fit is one of least squares of log(predicted / measured), in which a
candidate that takes twice as long as the best one of its problem counts half. The formula is in
C++ (ffi/plan/sm90_model.cc), which predicts with the constants that it is given. The second
command writes the fitted constants to ffi/plan/sm90_model.def.

The report has quantiles of the error, and the regret: how much longer the candidate with
the least predicted time takes than the fastest one. Each problem is judged by constants
that were fitted to other problems.
"""

from collections.abc import Mapping, Sequence
import dataclasses
import functools
import gzip
import json
import pathlib
import re

from absl import app, flags
import numpy as np

from benchmarks.model import DATA, load
from jaxgemm import _ffi
from jaxgemm import _jaxgemm as native

MODEL_FILE = pathlib.Path(__file__).parents[2] / "ffi" / "plan" / "sm90_model.def"
FITTED = (*(DATA / f"h200-seed{seed}.json.gz" for seed in (1, 2613, 2701, 2703)),
          *(DATA / f"h100-seed{seed}.json.gz" for seed in (
              8101, 8105, 9301, 9931, 9932, 9971, 9973, 9975)),
          *(DATA / f"h200-seed{seed}.json.gz" for seed in (9701, 9702, 9711, 9712)))
HELD_OUT = (*(DATA / f"h200-seed{seed}.json.gz" for seed in (2, 2011, 2614)),
            DATA / "h100-seed8103.json.gz", DATA / "h200-seed8402.json.gz",
            *(DATA / f"h100-seed{seed}.json.gz" for seed in (9821, 9822, 9941, 9942, 9974)))
_FOLDS = 4
# The weight of the error that all candidates of a problem have in common. Such an error does not
# change the choice, and much of it comes from the GPU's clock, which is lower under long loads.
_COMMON = 0.1
# The fit ends when a step moves no constant by more than this.
_CONVERGED = 1e-4
# Hz. At this clock 132 multiprocessors of 2048 multiply-adds a cycle have the 989.4 TFLOP/s of the
# chip's data sheet. It is not fitted: another clock would only multiply the constants.
CLOCK = 1.83e9

FLAGS = flags.FLAGS
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
  """

  fields: Mapping[str, str | int]
  chip: str
  configs: list[Mapping[str, str | int]]
  seconds: np.ndarray
  open: np.ndarray
  label: str

  @functools.cached_property
  def cycles(self):
    """A function of the model's constants: the predicted cycles of each candidate."""
    return native.sm90_predictor(
        [(self.fields, config) for config in self.configs], self.chip)


def read(paths: Sequence[str | pathlib.Path]) -> list[Problem]:
  """The problems of files that `measure` has written on a GPU, or `keep` has made of them."""
  found = []
  for path in paths:
    data = load(path)
    chip = _ffi.chip_in(data["about"]["device"], "sm90")
    for row in data["rows"]:
      row = row if "seconds" in row else _kept(row)
      if len(row["seconds"]) >= 2:
        found.append(Problem(
            row["fields"], chip,
            # Earlier kernels had no multicast.
            [{"multicast": False, **config} for config in row["configs"]],
            np.array(row["seconds"]), np.array(row["open"], bool), row["label"]))
  return found


def keep(source: str | pathlib.Path, target: str | pathlib.Path) -> None:
  """Writes the part of a file of `measure` that the fit needs, as lines of a .json.gz."""
  data = load(source)
  data["about"]["command"] = re.sub(r"(--json=)\S*/", r"\1", data["about"]["command"])
  lines = ",\n".join(
      json.dumps(_kept(row), separators=(",", ":")) for row in data["rows"])
  text = f'{{"about": {json.dumps(data["about"])},\n"rows": [\n{lines}\n]}}\n'
  pathlib.Path(target).write_bytes(gzip.compress(text.encode(), mtime=0))


def _kept(row):
  """The fields of `Problem` of a measured row, and XLA's microseconds."""
  from benchmarks.model import problems

  timed = [each for each in row["candidates"] if each["us"] is not None]
  given = problems.Problem(**row["problem"])
  lhs, rhs = given.contracting
  return {
      "label": given.label,
      "fields": {
          "m": given.m, "n": given.n, "k": given.k, "lhs_contracting": lhs,
          "rhs_contracting": rhs, "lhs_dtype": given.dtype, "rhs_dtype": given.dtype,
          "out_dtype": given.out_dtype},
      "configs": [each["config"] for each in timed],
      "seconds": [round(_kernel_us(each) * 1e-6, 9) for each in timed],
      "with_copies": [round(each["us"] * 1e-6, 9) for each in timed],
      "open": [int(each["asked"] == "auto") for each in timed],
      "xla": (row["xla"] or {}).get("us")}


def _kernel_us(candidate) -> float:
  """Microseconds of the kernel and of setting its counters to zero."""
  return sum(time for name, time in candidate["kernels"].items()
             if name.startswith("gemm_") or name.lower().startswith("memset"))


def constants() -> dict[str, float]:
  """The constants of the built module that are to be fitted."""
  return {name: value for name, (value, fitted) in native.sm90_model().items() if fitted}


def cycles(found: Sequence[Problem], model: Mapping[str, float]) -> list[np.ndarray]:
  """The predicted cycles of each candidate of each problem."""
  model = dict(model)
  return [np.array(each.cycles(model)) for each in found]


@dataclasses.dataclass(frozen=True)
class Fit:
  """Constants by name, and the clock in Hz that converts cycles to seconds."""

  model: dict[str, float]
  clock: float = CLOCK

  def vector(self) -> np.ndarray:
    return np.log([*self.model.values()])

  def moved(self, step: np.ndarray) -> "Fit":
    return Fit(dict(zip(self.model, np.exp(self.vector() + step).tolist())), self.clock)


def _residuals(found, fit: Fit) -> np.ndarray:
  parts = []
  for each, predicted in zip(found, cycles(found, fit.model)):
    weights = each.seconds.min() / each.seconds
    error = np.log(predicted / fit.clock / each.seconds)
    common = np.average(error, weights=weights)
    parts.append(np.sqrt(weights) * (error - (1 - _COMMON) * common))
  return np.concatenate(parts)


def squares(found: Sequence[Problem], fit: Fit) -> float:
  """The sum of squares that the fit makes least."""
  residuals = _residuals(found, fit)
  return float(residuals @ residuals)


def step(found: Sequence[Problem], fit: Fit, damping: float = 0.0):
  """(sum of squares, Gauss-Newton step in the logarithms of the constants)."""
  base = _residuals(found, fit)
  size = len(fit.vector())
  jacobian = np.empty((len(base), size))
  small = 1e-4
  for i in range(size):
    up, down = (_residuals(found, fit.moved(sign * small * np.eye(size)[i]))
                for sign in (1, -1))
    jacobian[:, i] = (up - down) / (2 * small)
  normal = jacobian.T @ jacobian
  # With this diagonal, a constant that no timing depends on stays as it is.
  normal += np.diag(damping * np.diag(normal) + 1e-6 * len(base))
  return float(base @ base), -np.linalg.solve(normal, jacobian.T @ base)


def fit(found: Sequence[Problem], start: Mapping[str, float], most_steps: int = 60) -> Fit:
  """The constants with the least squares, searched from `start` on."""
  best, damping = Fit(dict(start)), 1e-2
  for _ in range(most_steps):
    cost, move = step(found, best, damping)
    move = np.clip(move, -0.5, 0.5)
    trial = best.moved(move)
    residuals = _residuals(found, trial)
    if residuals @ residuals < cost:
      best, damping = trial, damping / 4
      if np.abs(move).max() < _CONVERGED:
        break
    else:
      damping = max(damping, 1e-6) * 8
      if damping > 1e6:
        break
  return best


def regrets(found: Sequence[Problem], model: Mapping[str, float]) -> np.ndarray:
  """For each problem: how much longer the predicted best takes than the fastest one."""
  result = []
  for each, predicted in zip(found, cycles(found, model)):
    seconds = each.seconds[each.open]
    result.append(seconds[predicted[each.open].argmin()] / seconds.min() - 1)
  return np.array(result)


def held_out(found: Sequence[Problem], start: Mapping[str, float]):
  """(regrets, log errors of all candidates), each by a fit to other problems."""
  regret, errors = np.empty(len(found)), [np.empty(0)] * len(found)
  for fold in range(_FOLDS):
    test = range(fold, len(found), _FOLDS)
    trained = fit([each for i, each in enumerate(found) if i % _FOLDS != fold], start)
    chosen = [found[i] for i in test]
    regret[fold::_FOLDS] = regrets(chosen, trained.model)
    for i, predicted in zip(test, cycles(chosen, trained.model)):
      errors[i] = np.log(predicted / trained.clock / found[i].seconds)
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


def report(found: Sequence[Problem], start: Mapping[str, float], best: Fit) -> str:
  """The report: the constants that were found, and their errors and regrets."""
  lines = [f"{len(found)} problems, {sum(len(p.seconds) for p in found)} candidates",
           "", "constant, before, fitted:"]
  lines += [f"  {name:18} {start[name]:10.4g} {value:10.4g}"
            for name, value in best.model.items()]
  regret, errors = held_out(found, start)
  before = regrets(found, start)
  worst = np.argsort(-regret)[:5]
  return "\n".join([
      *lines, "",
      f"predicted / measured, held out: {_quantiles(np.exp(errors), 1, '.2f')}",
      f"regret before: mean {before.mean():.1%}, worst {before.max():.0%}",
      f"regret held out: mean {regret.mean():.1%}, worst {regret.max():.0%}; "
      + _quantiles(regret, 100, ".1f"),
      "worst: " + "; ".join(f"{found[i].label} {regret[i]:.0%}" for i in worst)])


def main(argv) -> int:
  found = read(argv[1:] or FITTED)
  if not found:
    raise app.UsageError("Give JSON files of python -m benchmarks.model.measure.")
  start = constants()
  best = fit(found, start)
  print(report(found, start, best))
  if FLAGS.write:
    write(best.model)
    print(f"The constants are in {MODEL_FILE.name}. Build jaxgemm again.")
  return 0


if __name__ == "__main__":
  app.run(main)
