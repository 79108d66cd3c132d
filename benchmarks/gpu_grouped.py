"""Times grouped products on one NVIDIA GPU: forward, dgrad and wgrad under each routing.

    python -m benchmarks grouped --json=grouped.json

Times are seconds on the device, of jaxgemm, XLA, torch and tokamax.
"""

from collections.abc import Callable, Sequence
import functools
import re
from typing import Any

import jax
import numpy as np

from benchmarks import gpu_check, gpu_rows, grouped_rows, progress, shapes
import jaxgemm
from jaxgemm.tune import gpu_trace

OURS, XLA, TORCH = grouped_rows.OURS, grouped_rows.XLA, grouped_rows.TORCH
TOKAMAX = "tokamax.ragged_dot"
WORK = ("forward", "dgrad", "wgrad")


def names() -> list[str]:
  """Names of all problems of shapes.json: model.matrix.g<groups>.m<rows of a group>."""
  return [
      f"{model}.{matrix}.g{groups}.m{rows}"
      for model, about in shapes.load()["grouped"].items()
      for matrix in ("gate_up", "down")
      for groups in about["groups"] for rows in about["m_per_group"]]


def problem(name: str) -> grouped_rows.Problem:
  """The bf16 problem of that name, or MxNxK.gGROUPS; ValueError if there is none."""
  if given := re.fullmatch(r"(\d+)x(\d+)x(\d+)\.g(\d+)", name):
    return grouped_rows.Problem(*map(int, given.groups()), "bfloat16")
  if name not in names():
    raise ValueError(f"No grouped problem is named {name!r}: give some of "
                     f"{', '.join(names())}.")
  model, matrix, groups, rows = re.fullmatch(
      r"(\w+)\.(\w+)\.g(\d+)\.m(\d+)", name).groups()
  about = shapes.load()["grouped"][model][matrix]
  return grouped_rows.Problem(
      int(groups) * int(rows), about["n"], about["k"], int(groups), "bfloat16")


def in_jax(product: Callable[..., jax.Array], work: str) -> Callable[..., jax.Array]:
  """function(lhs, rhs, cotangent, sizes) that computes one product.

  dgrad and wgrad are written with the forward pass, which XLA removes as unused.
  """
  def forward(lhs, rhs, _, sizes):
    return product(lhs, rhs, sizes)

  def dgrad(lhs, rhs, cotangent, sizes):
    return jax.vjp(lambda x: product(x, rhs, sizes), lhs)[1](cotangent)[0]

  def wgrad(lhs, rhs, cotangent, sizes):
    return jax.vjp(lambda w: product(lhs, w, sizes), rhs)[1](cotangent)[0]

  return {"forward": forward, "dgrad": dgrad, "wgrad": wgrad}[work]


def _in_torch(work: str):
  """The same in torch, which takes the ends of the groups for sizes."""
  import torch
  grouped_mm = torch._grouped_mm  # pylint: disable=protected-access

  def forward(lhs, rhs, _, ends):
    return grouped_mm(lhs, rhs, ends)

  def dgrad(_, rhs, cotangent, ends):
    return grouped_mm(cotangent, rhs.transpose(1, 2), ends)

  def wgrad(lhs, _, cotangent, ends):
    return grouped_mm(lhs.T, cotangent, ends)

  return {"forward": forward, "dgrad": dgrad, "wgrad": wgrad}[work]


def _functions(work: str, xla: bool) -> tuple[dict[str, Any], dict[str, str]]:
  """({candidate: function}, {missing candidate: reason})."""
  ours = functools.partial(jaxgemm.ragged_dot, implementation="jaxgemm")
  found, missing = {OURS: gpu_rows.Donating(in_jax(ours, work))}, {}
  if grouped_rows.has_torch():
    found[TORCH] = _in_torch(work)
  else:
    missing[TORCH] = "not installed"
  if reason := gpu_rows.missing_module("tokamax"):
    missing[TOKAMAX] = reason
  else:
    try:
      import tokamax
      found[TOKAMAX] = gpu_rows.Donating(in_jax(tokamax.ragged_dot, work))
    except ImportError as error:  # from a package that tokamax needs
      missing[TOKAMAX] = f"ImportError: {error}"
  if xla:
    found[XLA] = gpu_rows.Donating(in_jax(jax.lax.ragged_dot, work))
  else:
    missing[XLA] = "left out: it multiplies every row with every group"
  return found, missing


def _way(function, arrays, sizes: np.ndarray):
  """The way with these arrays and group sizes. Other sizes need no new compilation."""
  if isinstance(function, gpu_rows.Donating):
    sizes = jax.device_put(sizes)
    return gpu_rows.JaxWay(function, [(*each, sizes) for each in arrays])
  ends = jax.device_put(sizes.cumsum(dtype=np.int32))
  return gpu_rows.TorchWay(function, [(*each, ends) for each in arrays], False)


def measure(
    name: str, works: Sequence[str], routings: Sequence[str],
    options: gpu_rows.Options, *, xla_most_groups: int,
) -> list[dict[str, Any]]:
  """Rows of one problem, one for each work and routing.

  All candidates under all routings take turns. So "to_balanced", which compares jaxgemm's
  times under this and under the balanced routing, is of the same rounds, too.
  """
  given = problem(name)
  rng = np.random.default_rng(options.seed)
  sizes = {r: shapes.group_sizes(r, given.m, given.groups, rng) for r in routings}
  count = gpu_trace.input_sets(2 * sum(int(np.prod(s)) for s in given.shapes))
  arrays = [gpu_rows.normal(options.seed + i, *given.shapes) for i in range(count)]
  rows = []
  for work in works:
    progress.doing(f"{name} {work}")
    functions, missing = _functions(work, given.groups <= xla_most_groups)
    ways, failed = gpu_rows.prepare({
        f"{peer} {routing}": functools.partial(_way, function, arrays, sizes[routing])
        for routing in routings for peer, function in functions.items()})
    if not ways:
      rows.append({"section": "grouped", "case": name, "work": work,
                   "missing": missing | failed, "candidates": {}})
      continue
    measured = gpu_trace.measure(
        {n: way.candidate() for n, way in ways.items()}, count, rounds=options.rounds,
        sample_seconds=options.sample_seconds, warmup=options.warmup,
        directory=gpu_rows.trace_directory(options, f"grouped-{name}-{work}"),
        within=progress.within)
    for routing in routings:
      progress.within(f"errors against float64, {routing}")
      row = {
          "section": "grouped", "case": name, "work": work, "routing": routing,
          "m": given.m, "n": given.n, "k": given.k, "groups": given.groups,
          "dtype": given.dtype, "sizes": sizes[routing].tolist(), "flops": given.flops,
          "input_sets": count, "rounds": measured.timing.rounds,
          "calls_per_sample": measured.timing.calls_per_sample,
          "unclaimed": measured.unclaimed, "candidates": {},
          "missing": missing | {
              key.removesuffix(" " + routing): why for key, why in failed.items()
              if key.endswith(routing)}}
      ours, balanced = f"{OURS} {routing}", f"{OURS} balanced"
      for key, way in ways.items():
        peer = key.removesuffix(" " + routing)
        if peer == key:
          continue
        out, poisoned = _fresh(way, arrays[0], sizes[routing])
        row["candidates"][peer] = gpu_rows.entry(measured, key, given.flops) | {
            "poisoned": poisoned, "errors": gpu_check.grouped(
                work, arrays[0], out, sizes[routing], options.seed)}
        if ours in ways and peer != OURS:
          row["candidates"][peer]["ratio"] = gpu_rows.ratio(measured, ours, key)
      if routing != "balanced" and ours in ways and balanced in ways:
        row["to_balanced"] = gpu_rows.ratio(measured, ours, balanced)
      rows.append(row)
    del ways
  return rows


def _fresh(way, arrays, sizes):
  order = sizes.cumsum(dtype=np.int32) if isinstance(way, gpu_rows.TorchWay) else sizes
  return way.fresh(*arrays, jax.device_put(order))
