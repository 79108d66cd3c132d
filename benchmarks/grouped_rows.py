"""Measures grouped products on the CPU: seconds, GFLOP/s and errors of jaxgemm, XLA and torch.

These are the rows of `python -m benchmarks grouped` on a CPU.
"""

from collections.abc import Callable, Mapping, Sequence
import dataclasses
import functools
import importlib.util
from typing import Any

import jax
import numpy as np

from benchmarks import clock as clock_of
from benchmarks import dense, progress, shapes
import jaxgemm
from jaxgemm.tune import timing

OURS, XLA, TORCH = "jaxgemm.ragged_dot", "lax.ragged_dot", "torch._grouped_mm"
PEERS = (XLA, TORCH)
# Number of products in each kind of work, each with the FLOPs of the forward pass.
WORK = {"forward": 1, "forward+backward": 3}
_RESULTS = ("out", "d_lhs", "d_rhs")
DTYPES = ("float32", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Problem:
  """A product [M, K] x [G, K, N] of one dtype."""

  m: int
  n: int
  k: int
  groups: int
  dtype: str

  @property
  def flops(self) -> int:
    """FLOPs of the forward pass if the sizes sum to M."""
    return 2 * self.m * self.n * self.k

  @property
  def shapes(self) -> tuple[tuple[int, ...], ...]:
    """Shapes of lhs, rhs and the result's cotangent."""
    return (self.m, self.k), (self.groups, self.k, self.n), (self.m, self.n)

  def operands(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return tuple(dense.random_operand(rng, s, self.dtype) for s in self.shapes)


def _in_jax(product: Callable[..., jax.Array], work: str) -> Callable[..., Any]:
  """A jitted function(lhs, rhs, cotangent, sizes) -> results."""
  def forward(lhs, rhs, _, sizes):
    return (product(lhs, rhs, sizes),)

  def both(lhs, rhs, cotangent, sizes):
    out, vjp = jax.vjp(lambda x, w: product(x, w, sizes), lhs, rhs)
    return out, *vjp(cotangent)

  return jax.jit(forward if work == "forward" else both)


def _in_torch(work: str) -> Callable[..., Any]:
  """The same in torch, on the memory of jax's arrays; sizes are the groups' ends."""
  import torch

  def forward(lhs, rhs, _, ends):
    with torch.no_grad():
      return (torch._grouped_mm(lhs, rhs, ends),)

  def both(lhs, rhs, cotangent, ends):
    lhs, rhs = lhs.requires_grad_(), rhs.requires_grad_()
    out = torch._grouped_mm(lhs, rhs, ends)
    return out.detach(), *torch.autograd.grad(out, (lhs, rhs), cotangent)

  function = forward if work == "forward" else both
  return lambda *arrays: function(*map(torch.from_dlpack, arrays))


def has_torch() -> bool:
  """Whether torch is installed and has _grouped_mm."""
  if importlib.util.find_spec("torch") is None:
    return False
  import torch
  return hasattr(torch, "_grouped_mm")


def reference(operands: Sequence[np.ndarray], sizes: np.ndarray):
  """(out, d_lhs, d_rhs) in float64."""
  lhs, rhs, cotangent = operands
  out, d_lhs, d_rhs = (np.zeros(x.shape) for x in (cotangent, lhs, rhs))
  start = 0
  for group, size in enumerate(sizes):
    rows = slice(start, start := start + int(size))
    x, w, ct = (a.astype(np.float64) for a in (lhs[rows], rhs[group], cotangent[rows]))
    out[rows], d_lhs[rows], d_rhs[group] = x @ w, ct @ w.T, x.T @ ct
  return out, d_lhs, d_rhs


def _errors(results, wanted) -> dict[str, float]:
  """max|given - wanted| / max|wanted| of each result that there is."""
  return {
      name: dense.errors(np.asarray(jax.dlpack.from_dlpack(given)), ref)["max"]
      for name, given, ref in zip(_RESULTS, results, wanted)
  }


def _plan(problem: Problem) -> dict[str, Any]:
  lhs, rhs, _ = (
      jax.ShapeDtypeStruct(s, dense.numpy_dtype(problem.dtype)) for s in problem.shapes
  )
  sizes = jax.ShapeDtypeStruct((problem.groups,), np.int32)
  return jaxgemm.explain(lhs, rhs, group_sizes=sizes).data


def measure(
    problem: Problem, peers: Mapping[str, Sequence[str]], works: Sequence[str], *,
    rng: np.random.Generator, min_seconds: float, min_rounds: int, warmup: int = 0,
    clock: str = "wall", profile: str | None = None,
    show: Callable[[dict[str, Any]], None] = lambda row: None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
  """Times a problem under each routing in `peers`, beside the peers named there.

  `show` is called with each row as soon as it is measured; `profile` is a directory in which
  to keep traces of three calls of each.

  Returns:
    First, rows of all candidates, one for each work and routing: "candidates" has seconds
    (median and quartiles), GFLOP/s, errors against float64 and, of a peer, the ratio
    of its time to jaxgemm's. Second, rows of jaxgemm alone, whose routings take
    turns: the ratio of each routing's time to that of the balanced one.
  """
  routings = list(peers)
  label = f"{problem.dtype} G {problem.groups}"
  progress.doing(f"{label}: operands, and float64 products to compare with")
  sizes = {r: shapes.group_sizes(r, problem.m, problem.groups, rng) for r in routings}
  bytes_each = sum(int(np.prod(s)) for s in problem.shapes) * (
      dense.numpy_dtype(problem.dtype).itemsize)
  count = timing.input_sets(bytes_each, len(routings))
  inputs = [jax.device_put(problem.operands(rng)) for _ in range(count)]
  fresh = problem.operands(rng)
  wanted = {r: reference(fresh, sizes[r]) for r in routings}
  about = dataclasses.asdict(problem) | {"input_sets": count}

  def candidate(name, function, routing):
    order = sizes[routing].cumsum(dtype=np.int32) if name == TORCH else sizes[routing]
    order = jax.device_put(order)
    return lambda *operands: function(*operands, order)

  rows, unbalanced = [], []
  for work in works:
    functions = {OURS: _in_jax(jaxgemm.ragged_dot, work)}
    for name in set().union(*peers.values()):
      functions[name] = (
          _in_torch(work) if name == TORCH else _in_jax(jax.lax.ragged_dot, work))
    for routing in routings:
      progress.doing(f"{label} {routing} {work}")
      candidates = {name: candidate(name, functions[name], routing)
                    for name in (OURS, *peers[routing])}
      measured = timing.interleave(
          candidates, inputs, min_seconds=min_seconds, min_rounds=min_rounds,
          warmup=warmup, clock=clock, within=progress.within)
      entries = {}
      for name, function in candidates.items():
        time = measured.time(name)
        entries[name] = {
            "seconds": dataclasses.asdict(time),
            "gflops": problem.flops * WORK[work] / time.median / 1e9,
            "errors": _errors(function(*jax.device_put(fresh)), wanted[routing]),
        }
        if name != OURS:
          entries[name]["ratio"] = dataclasses.asdict(measured.speedup(OURS, name))
      rows.append(about | {
          "work": work, "routing": routing, "sizes": sizes[routing].tolist(),
          "rounds": measured.rounds, "plan": _plan(problem), "candidates": entries,
      })
      show(rows[-1])
      clock_of.keep_trace(profile, f"grouped-{label}-{routing}-{work}", {
          name: functools.partial(function, *inputs[0])
          for name, function in candidates.items()})
    if "balanced" in routings and len(routings) > 1:
      progress.doing(f"{label} {work}: jaxgemm under all routings")
      measured = timing.interleave(
          {r: candidate(OURS, functions[OURS], r) for r in routings}, inputs,
          min_seconds=min_seconds, min_rounds=3 * min_rounds, clock=clock,
          within=progress.within)
      for routing in routings:
        if routing != "balanced":
          # speedup() is the time of the routing / the time of the balanced one.
          ratio = measured.speedup("balanced", routing)
          unbalanced.append(about | {
              "work": work, "routing": routing, "rounds": measured.rounds,
              "ratio": dataclasses.asdict(ratio)})
  return rows, unbalanced
