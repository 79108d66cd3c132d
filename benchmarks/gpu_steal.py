"""Times schedules on one GPU while another kernel holds some of its multiprocessors.

    python -m benchmarks cu_sweep --json=sweep.json --png=sweep.png

Times are seconds on the device. On an AMD GPU, CUs are taken away by a mask instead.
"""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks import gpu_check, gpu_rows, journal, progress
from benchmarks.gpu_hold import NAME, Holder
from benchmarks.shapes import Case
from jaxgemm import GemmConfig, _ffi
from jaxgemm.emulator import rocm
from jaxgemm.tune import gpu_trace

# The schedules that a sweep compares with XLA, by the candidate's name.
_SWEPT: dict[str, dict[str, Any]] = {
    "persistent": {"schedule": "persistent"},
    "work_stealing": {"schedule": "work_stealing"},
    "work_stealing 1 queue": {"schedule": "work_stealing", "config": GemmConfig(num_queues=1)},
    "work_stealing 8 queues": {"schedule": "work_stealing", "config": GemmConfig(num_queues=8)},
    "stream_k": {"schedule": "stream_k"},
}
# ROCm's variable with a bit for each CU that a process may use, and our own with their number.
_MASK, _FREE = "ROC_GLOBAL_CU_MASK", "JAXGEMM_BENCHMARK_FREE_CUS"
# The parts of the multiprocessors or CUs that are taken away, one after the other.
_PARTS = (0, 1 / 8, 1 / 4, 3 / 8, 1 / 2)


def _operands(case: Case, options: gpu_rows.Options):
  """(function of a seed that makes operands, number of input sets)."""
  operands = lambda seed: gpu_rows.normal(seed, (case.m, case.k), (case.k, case.n))
  return operands, gpu_trace.input_sets(2 * (case.m * case.k + case.k * case.n))


def _beside(way, holder: Holder, seconds: float) -> gpu_trace.Candidate:
  """The way, called while multiprocessors are held."""
  def call(index):
    holder.start(seconds)
    return way.call(index)

  def wait(out):
    jax.block_until_ready(out)
    holder.wait()

  return gpu_trace.Candidate(call, wait)


def sweep(case: Case, options: gpu_rows.Options) -> list[dict[str, Any]]:
  """Rows of all schedules and XLA, one for each number of free multiprocessors or CUs.

  On NVIDIA GPUs the others are held for four times as long as the persistent schedule takes
  alone, which is longer than each product takes. On AMD GPUs there is a process for each number,
  which sees only the free CUs; nobody has tried that on an AMD GPU.
  """
  total = jax.devices()[0].core_count
  if free := os.environ.get(_FREE):
    return _sweep(case, options, total, (0,), int(free))
  if _ffi.default_platform() == "rocm":
    counts = [total - round(total * part) for part in _PARTS]
    return [row for count in counts for row in masked(case, options, count)]
  return _sweep(case, options, total, _PARTS, total)


def masked(case: Case, options: gpu_rows.Options, free: int) -> list[dict[str, Any]]:
  """The rows of a process that may use so many CUs of an AMD GPU."""
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "problems.json").write_text(json.dumps([{"m": case.m, "n": case.n, "k": case.k}]))
    profile = gpu_rows.trace_directory(options, f"{free}-cus")
    subprocess.run(
        [sys.executable, *rocm.command(), "-m", "benchmarks", "gpu", "--sections=cu_sweep",
         "--nowatch",
         f"--problems={folder / 'problems.json'}", f"--json={folder / 'rows.json'}",
         f"--repeat={options.rounds}", f"--warmup={options.warmup}", f"--seed={options.seed}",
         *([f"--profile={profile}"] if profile else [])],
        env=os.environ | {_MASK: hex((1 << free) - 1), _FREE: str(free), journal.SHARE: "0/1",
                          "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, check=False)
    return json.loads((folder / "rows.json").read_text())["rows"]


def _sweep(case: Case, options: gpu_rows.Options, total: int, parts, available: int
           ) -> list[dict[str, Any]]:
  operands, count = _operands(case, options)
  inputs = [operands(options.seed + i) for i in range(count)]
  makers = {
      name: functools.partial(
          gpu_rows.JaxWay, gpu_rows.Donating(gpu_rows.product(**given)), inputs)
      for name, given in _SWEPT.items()}
  makers[gpu_rows.XLA] = functools.partial(
      gpu_rows.JaxWay, gpu_rows.Donating(jnp.matmul), inputs)
  ways, missing = gpu_rows.prepare(makers)
  fresh = operands(options.seed + count)
  checked = {}
  for name, way in ways.items():
    out, poisoned = way.fresh(*fresh)
    checked[name] = {"errors": gpu_check.dense(*fresh, out, options.seed),
                     "poisoned": poisoned}
  rows, alone = [], 0.0
  for part in parts:
    held = round(total * part)
    free = available - held
    candidates = {name: way.candidate() for name, way in ways.items()}
    if held:
      holder = Holder(held)
      candidates = {name: _beside(way, holder, 4 * alone) for name, way in ways.items()}
    measured = gpu_trace.measure(
        candidates, count, rounds=options.rounds, warmup=options.warmup, calls=1,
        own=lambda name: NAME not in name, within=progress.within,
        directory=gpu_rows.trace_directory(options, f"cu-sweep-{free}"))
    alone = alone or measured.timing.time("persistent").median
    row = {"section": "cu_sweep", "case": f"{case.label}, {free} free", "m": case.m,
           "n": case.n, "k": case.k, "dtype": "bfloat16", "flops": case.flops,
           "active_cus": free, "input_sets": count, "rounds": options.rounds,
           "missing": missing, "unclaimed": measured.unclaimed, "candidates": {}}
    for name in ways:
      row["candidates"][name] = gpu_rows.entry(measured, name, case.flops) | checked[name]
      if name != "persistent":  # its time over that of the persistent schedule
        row["candidates"][name]["ratio"] = gpu_rows.ratio(measured, "persistent", name)
    rows.append(row)
  return rows


def measure(
    case: Case, options: gpu_rows.Options, share: float = 0.5) -> dict[str, Any]:
  """A row: both schedules alone, and with a quarter of the multiprocessors held.

  They are held from before the product starts until it has run for `share` of the time
  that the persistent schedule takes alone.
  """
  about = {"section": "steal", "case": case.label, "m": case.m, "n": case.n,
           "k": case.k, "dtype": "bfloat16", "flops": case.flops, "candidates": {},
           "missing": {}}
  if _ffi.default_platform() == "rocm":
    return about | {"missing": {"held": "CUDA's driver holds multiprocessors; on AMD GPUs the "
                                "section cu_sweep takes them away"}}
  operands, count = _operands(case, options)
  inputs = [operands(options.seed + i) for i in range(count)]
  schedules = ("persistent", "work_stealing")
  ways, missing = gpu_rows.prepare({
      name: functools.partial(
          gpu_rows.JaxWay, gpu_rows.Donating(gpu_rows.product(schedule=name)), inputs)
      for name in schedules})
  if missing:
    return about | {"missing": missing}
  own = lambda name: NAME not in name
  directory = lambda what: gpu_rows.trace_directory(options, f"steal-{what}")
  alone = gpu_trace.measure(
      {name: way.candidate() for name, way in ways.items()}, count,
      rounds=options.rounds, warmup=options.warmup, calls=1, directory=directory("alone"),
      within=progress.within)
  seconds = share * alone.timing.time("persistent").median
  wanted = seconds
  quarter = jax.devices()[0].core_count // 4
  holder = Holder(quarter)

  measure_beside = lambda rounds, directory: gpu_trace.measure(
      {name: _beside(way, holder, seconds) for name, way in ways.items()}, count, rounds=rounds,
      calls=1, own=own, directory=directory, within=progress.within)
  # The product's launch takes a part of the time in which multiprocessors are held: hold longer.
  overlap = measure_beside(5, None).launches["persistent"].others[NAME]["overlap"]
  seconds += wanted - overlap
  held = measure_beside(options.rounds, directory("held"))
  fresh = operands(options.seed + count)
  for name, way in ways.items():
    holder.start(seconds)
    out, poisoned = way.fresh(*fresh)
    checked = {"errors": gpu_check.dense(*fresh, out, options.seed),
               "poisoned": poisoned}
    holder.wait()
    about["candidates"][f"{name} alone"] = (
        gpu_rows.entry(alone, name, case.flops) | checked)
    about["candidates"][f"{name} held"] = (
        gpu_rows.entry(held, name, case.flops) | checked)
  return about | {
      "plans": gpu_rows.plans(fresh, {n: {"schedule": n} for n in schedules}),
      "rounds": held.timing.rounds, "input_sets": count, "calls_per_sample": 1,
      "unclaimed": alone.unclaimed + held.unclaimed,
      "multiprocessors_held": quarter,
      "seconds_held": held.launches["persistent"].others[NAME]["overlap"],
      # Time of the persistent schedule / time of work stealing.
      "alone": gpu_rows.ratio(alone, "work_stealing", "persistent"),
      "held": gpu_rows.ratio(held, "work_stealing", "persistent"),
  }
