"""Times several functions in one process, so that they meet the same conditions.

Round after round each candidate runs once, in an order that changes with the rounds
(A B, B A, ...), and the statistics are medians and quartiles over the rounds. A
ratio is taken within a round, where both ran milliseconds apart.
"""

from collections.abc import Callable, Mapping, Sequence
import dataclasses
import itertools
import time
from typing import Any

import jax
import numpy as np


@dataclasses.dataclass(frozen=True)
class Quartiles:
  """The median, quartiles and extremes of several values."""

  median: float
  q1: float
  q3: float
  min: float
  max: float

  @classmethod
  def of(cls, values: Sequence[float] | np.ndarray) -> "Quartiles":
    low, q1, median, q3, high = np.percentile(values, [0, 25, 50, 75, 100])
    return cls(float(median), float(q1), float(q3), float(low), float(high))


@dataclasses.dataclass(frozen=True)
class Timing:
  """Seconds per call of each candidate, round by round."""

  seconds: dict[str, np.ndarray]
  calls_per_sample: int

  def time(self, name: str) -> Quartiles:
    """Quartiles of the seconds per call."""
    return Quartiles.of(self.seconds[name])

  def speedup(self, name: str, baseline: str) -> Quartiles:
    """Quartiles of the baseline's time divided by that of `name`, both of the same round."""
    return Quartiles.of(self.seconds[baseline] / self.seconds[name])

  @property
  def rounds(self) -> int:
    return len(next(iter(self.seconds.values())))


def in_turn(names: list[str], round_number: int) -> list[str]:
  """The candidates in the order of a round; each follows each other one equally often."""
  shift = round_number % len(names)
  order = names[shift:] + names[:shift]
  return order if round_number // len(names) % 2 == 0 else order[::-1]


def interleave(
    candidates: Mapping[str, Callable[..., Any]],
    inputs: Sequence[tuple[Any, ...]],
    *,
    min_seconds: float = 1.0,
    min_rounds: int = 7,
    max_rounds: int = 1000,
    sample_seconds: float = 2e-3,
    warmup: int = 0,
    clock: str = "wall",
    wait: Callable[[Any], Any] = jax.block_until_ready,
    within: Callable[[str], None] = lambda part: None,
) -> Timing:
  """Times `candidates` turn by turn. Each call ends before the next one begins.

  Args:
    candidates: jitted functions by name; all take the same arguments.
    inputs: tuples of arguments, used in turn. If their number is odd, and greater than that
      of the candidates, no candidate finds in the caches what another one has just read, and
      all use every tuple equally often.
    min_seconds: the least time for all candidates together.
    min_rounds: the least number of rounds.
    max_rounds: the largest number of rounds, also if min_seconds are not over.
    sample_seconds: approximate length of a sample, in which a short function is called
      several times.
    warmup: calls of each candidate before its first sample, beside those from which the
      number of calls in a sample is chosen.
    clock: "wall", or "cpu" for the time that this process's threads ran.
    wait: waits until a candidate's result is ready.
    within: called with a description of the next step.
  """
  now = {"wall": time.perf_counter, "cpu": time.process_time}[clock]
  names = list(candidates)
  warm = {}
  for name in names:
    within(f"{name}, first calls")
    wait(candidates[name](*inputs[0]))
    begin = time.perf_counter()
    wait(candidates[name](*inputs[1 % len(inputs)]))
    warm[name] = time.perf_counter() - begin
  # All candidates have the same number, so that each sample is the same amount of work.
  calls = max(1, min(1000, round(sample_seconds / max(min(warm.values()), 1e-7))))
  turn = itertools.cycle(inputs)

  def sample(function):
    arguments = [next(turn) for _ in range(calls)]
    begin = now()
    for args in arguments:
      wait(function(*args))
    return (now() - begin) / calls

  for name in names:
    for _ in range(warmup):
      wait(candidates[name](*next(turn)))
    sample(candidates[name])
  seconds: dict[str, list[float]] = {name: [] for name in names}
  start = time.perf_counter()
  for index in range(max_rounds):
    if index >= min_rounds and time.perf_counter() - start >= min_seconds:
      break
    within(f"round {index + 1}")
    for name in in_turn(names, index):
      seconds[name].append(sample(candidates[name]))
  return Timing({n: np.asarray(s) for n, s in seconds.items()}, calls)


def input_sets(bytes_each: int, num_candidates: int) -> int:
  """The number of tuples of arguments for `interleave`: odd, and 64 MiB in all if possible."""
  least = num_candidates + 1
  count = min(max(least, -(-(64 << 20) // max(bytes_each, 1))), max(least, 9))
  return count | 1
