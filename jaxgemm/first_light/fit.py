"""The constants of this chip that follow from measured times, and how far predictions are off.

The model is t = launch + factor * p, where p is the plan's predicted time. A product is bound by
the memory or by the matrix pipes, whichever takes longer at the measured rates, and each of these
two has its factor. It is short if that time is less than a few launches; these have a factor of
their own, too. Each third product has no part in the fit: the published errors are of those.
"""

from collections.abc import Mapping, Sequence
import dataclasses
from typing import NamedTuple

import numpy as np

CLASSES = ("short", "memory", "matrix")
_SHORT_US = 12.0
_LEFT_OUT = 3  # each third product


class Timed(NamedTuple):
  """A product that was timed."""

  operations: float
  bytes: float
  predicted_us: float
  measured_us: float


@dataclasses.dataclass(frozen=True)
class Constants:
  """Constants of a chip.

  Attributes:
    tflops, gb_per_s: the measured rates of the matrix pipes and the memory.
    launch_us: what is added to each predicted time.
    factors: by which predicted times are multiplied, for each class.
  """

  tflops: float
  gb_per_s: float
  launch_us: float
  factors: Mapping[str, float]

  def kind(self, each: Timed) -> str:
    return kind(each, self.tflops, self.gb_per_s)

  def predict(self, each: Timed) -> float:
    """Microseconds."""
    return self.launch_us + self.factors[self.kind(each)] * each.predicted_us


def kind(each: Timed, tflops: float, gb_per_s: float) -> str:
  """The class of a product."""
  pipes, memory = each.operations / tflops * 1e-6, each.bytes / gb_per_s * 1e-3
  if max(pipes, memory) < _SHORT_US:
    return "short"
  return "memory" if memory > pipes else "matrix"


def _factors(products: Sequence[Timed], kinds: Sequence[str], launch: float) -> dict[str, float]:
  ratios = {name: [max(each.measured_us - launch, 0.05 * each.measured_us) / each.predicted_us
                   for each, of in zip(products, kinds) if of == name] for name in CLASSES}
  every = [x for found in ratios.values() for x in found]
  return {name: float(np.median(found or every)) for name, found in ratios.items()}


def fit(products: Sequence[Timed], tflops: float, gb_per_s: float) -> Constants:
  """The constants with the least sum of the errors' logarithms.

  Raises:
    ValueError: there is no product.
  """
  if not products:
    raise ValueError("no product was timed")
  kinds = [kind(each, tflops, gb_per_s) for each in products]
  least = min(each.measured_us for each in products)

  def at(launch: float) -> tuple[float, Constants]:
    found = Constants(tflops, gb_per_s, launch, _factors(products, kinds, launch))
    return sum(abs(np.log(found.predict(x) / x.measured_us)) for x in products), found

  return min((at(launch) for launch in np.linspace(0, 0.9 * least, 46).tolist()),
             key=lambda each: each[0])[1]


def parts(products: Sequence[Timed]) -> tuple[list[Timed], list[Timed]]:
  """(those of the fit, those that are left out of it)."""
  return ([x for i, x in enumerate(products) if i % _LEFT_OUT],
          list(products[::_LEFT_OUT]))


def errors(predicted: Sequence[float], measured: Sequence[float]) -> dict[str, float]:
  """How far predictions are off: medians and a rank correlation; {} without products."""
  if not measured:
    return {}
  ratio = np.asarray(predicted) / np.asarray(measured)
  ranks = np.argsort(np.argsort([predicted, measured], axis=1), axis=1)
  correlation = np.asarray(np.corrcoef(ranks))[0, 1] if len(measured) > 2 else 1.0
  return {"count": len(measured), "median_error": float(np.median(np.abs(ratio - 1))),
          "geometric_mean": float(np.exp(np.mean(np.log(ratio)))),
          "rank_correlation": float(correlation)}
