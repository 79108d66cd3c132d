"""Schedules while other work holds some of the processors.

    python -m benchmarks cu_sweep --json=sweep.json --png=sweep.png
    python -m benchmarks cu_sweep --cases=2048x2048x2048 --occupied=0,1

On a CPU each occupied processor has a process pinned to it that runs an endless loop. On an NVIDIA
GPU another kernel holds multiprocessors, for four times as long as the persistent schedule takes
alone, which is longer than each product takes; on an AMD GPU CUs are taken away by a mask, which
nobody has tried on a real one. `active_cus` is the number of those that are free; ratios are times
over that of the persistent schedule. On an NVIDIA GPU the section "steal" has two schedules, whose
ratios are times over that of work stealing: alone, and with a quarter of the multiprocessors held
from before the product starts until it has run for half of the persistent schedule's time.
"""

from collections.abc import Callable, Iterator
import contextlib
import ctypes
import dataclasses
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from absl import app, flags
import jax
import numpy as np

from benchmarks import cases, check, dense, measure, run
from benchmarks.measure import OURS, XLA
from jaxgemm import GemmConfig, _ffi
from jaxgemm.emulator import rocm
from jaxgemm.tune import gpu_trace

# The schedules that a sweep on a GPU compares with XLA, by the candidate's name.
SWEPT: dict[str, dict[str, Any]] = {
    "persistent": {"schedule": "persistent"},
    "work_stealing": {"schedule": "work_stealing"},
    "work_stealing 1 queue": {"schedule": "work_stealing", "config": GemmConfig(num_queues=1)},
    "work_stealing 8 queues": {"schedule": "work_stealing", "config": GemmConfig(num_queues=8)},
    "stream_k": {"schedule": "stream_k"}}
# ROCm's variable with a bit for each CU that a process may use, and our own with their number.
_MASK, _FREE = "ROC_GLOBAL_CU_MASK", "JAXGEMM_BENCHMARK_FREE_CUS"
# The parts of the multiprocessors or CUs that are taken away, one after the other.
_PARTS = (0, 1 / 8, 1 / 4, 3 / 8, 1 / 2)
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("cases", ["1024x1024x1024"], "Sets of cases, or shapes as MxNxK.")
  flags.DEFINE_string("dtype", "float32", "Operand type.")
  flags.DEFINE_list("schedule", ["persistent", "work_stealing", "stream_k"], "Schedules on a CPU.")
  flags.DEFINE_list("occupied", None, "Numbers of occupied processors of a CPU. Default: 0 to all "
                    "but one.")


def jobs(name: str) -> Iterator[tuple[str, Callable[[], list[run.Row]]]]:
  options = measure.Options.of_flags()
  on_gpu, processors = measure.on_gpu(), sorted(os.sched_getaffinity(0))
  for case in run.given_products(["bfloat16"] if on_gpu else dense.DTYPES):
    product = dataclasses.replace(case, dtype=case.dtype or FLAGS.dtype)
    if on_gpu:
      yield f"{name} {product.sizes}", functools.partial(sweep, product, options)
      continue
    for count in map(int, FLAGS.occupied or range(len(processors))):
      if not 0 <= count <= len(processors):
        raise app.UsageError(f"--occupied={FLAGS.occupied} was given; 0 to {len(processors)} are "
                             "allowed, the number of processors.")
      yield (f"{name} {product.sizes} {len(processors) - count} free processors",
             functools.partial(_on_cpu, product, options, processors, count))


# ------------------------------------------------------------------------------------- CPU


@contextlib.contextmanager
def occupy(processors):
  """A context in which each of the processors runs a process with an endless loop."""
  with contextlib.ExitStack() as busy:
    for processor in processors:
      each = busy.enter_context(subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]))
      busy.callback(each.kill)  # before its __exit__, which waits for it
      os.sched_setaffinity(each.pid, {processor})
    yield


def _on_cpu(product: cases.Product, options: measure.Options, processors: list[int], count: int
            ) -> list[run.Row]:
  variants = {f"{OURS} {schedule}": {"schedule": schedule} for schedule in FLAGS.schedule}
  with occupy(processors[:count]):
    found = dense.row("cu_sweep", product, variants, options)
  free = len(processors) - count
  return [found | {"case": f"{product.sizes}, {free} free", "active_cus": free}]


# ------------------------------------------------------------------------------------- GPU


class Holder:
  """Holds multiprocessors of an NVIDIA GPU for some time, by a kernel on a separate stream."""

  NAME = "hold_multiprocessors"
  _PTX = pathlib.Path(__file__).with_name(f"{NAME}.ptx")
  # One CTA fills a multiprocessor: no kernel with tiles in shared memory fits beside it.
  _SHARED_BYTES = 200 << 10
  _MAX_SHARED, _NON_BLOCKING = 8, 1  # CU_FUNC_ATTRIBUTE_..., CU_STREAM_NON_BLOCKING

  def __init__(self, multiprocessors: int):
    self._cuda = ctypes.CDLL("libcuda.so.1")
    self.multiprocessors, self._epoch = multiprocessors, 0
    context, module, self._kernel, self._stream, self._memory = (
        ctypes.c_void_p() for _ in range(5))
    self._call("cuInit", 0)
    self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)  # jax's own context
    self._call("cuCtxSetCurrent", context)
    self._call("cuModuleLoadData", ctypes.byref(module), self._PTX.read_bytes())
    self._call("cuModuleGetFunction", ctypes.byref(self._kernel), module, self.NAME.encode())
    self._call("cuFuncSetAttribute", self._kernel, self._MAX_SHARED, self._SHARED_BYTES)
    self._call("cuStreamCreate", ctypes.byref(self._stream), self._NON_BLOCKING)
    self._call("cuMemHostAlloc", ctypes.byref(self._memory),
               ctypes.c_size_t(4 * multiprocessors), 0)
    words = ctypes.c_uint32 * multiprocessors
    self._seen = np.ctypeslib.as_array(words.from_address(self._memory.value or 0))
    self._seen[:] = 0

  def _call(self, name: str, *args) -> None:
    if status := getattr(self._cuda, name)(*args):
      raise RuntimeError(f"{name} of the CUDA driver failed with status {status}.")

  def start(self, seconds: float) -> None:
    """Starts the kernel; returns as soon as all the multiprocessors are held."""
    self._epoch += 1
    given = (ctypes.c_void_p(self._memory.value), ctypes.c_uint32(self._epoch),
             ctypes.c_uint64(round(seconds * 1e9)))
    pointers = (ctypes.c_void_p * len(given))(*(ctypes.addressof(each) for each in given))
    self._call("cuLaunchKernel", self._kernel, self.multiprocessors, 1, 1, 32, 1, 1,
               self._SHARED_BYTES, self._stream, pointers, None)
    while (self._seen != self._epoch).any():
      pass

  def beside(self, way: measure.Way, seconds: float) -> measure.Way:
    """The way, called while multiprocessors are held."""
    def call(index):
      self.start(seconds)
      return way.call(index)

    def wait(out):
      jax.block_until_ready(out)
      self._call("cuStreamSynchronize", self._stream)

    return measure.Way(call, wait)


def sweep(product: cases.Product, options: measure.Options) -> list[run.Row]:
  """Rows of all schedules and XLA, one for each number of free multiprocessors or CUs.

  On AMD GPUs there is a process for each number, which sees only the free CUs.
  """
  total = jax.devices()[0].core_count
  free = os.environ.get(_FREE)
  if not free and _ffi.default_platform() == "rocm":
    counts = [total - round(total * part) for part in _PARTS]
    return [row for count in counts for row in masked(product, options, count)]
  operands = lambda seed: measure.random(seed, *product.shapes())
  count = gpu_trace.input_sets(product.input_bytes)
  inputs = [operands(options.seed + i) for i in range(count)]
  functions = {name: dense.ours(product, implementation="jaxgemm", **given)
               for name, given in SWEPT.items()} | {XLA: dense.xla(product)}
  ways, missing = measure.prepare({
      name: functools.partial(measure.in_jax(function), inputs)
      for name, function in functions.items()})
  fresh, rows, checked = operands(options.seed + count), [], {}
  for name, way in ways.items():
    out, poisoned = way.fresh(*fresh)
    checked[name] = check.product(*fresh, out, product.dtype, options.seed) | {
        "poisoned": poisoned}
  two = {name: ways[name] for name in ("persistent", "work_stealing") if name in ways}
  parts = [("cu_sweep", part, 4, ways) for part in ((0,) if free else _PARTS)]
  parts += [] if free else [("steal", 0, 0, two), ("steal", 1 / 4, 1 / 2, two)]
  alone = 0.0
  for section, part, share, its_ways in parts:
    held = round(total * part)
    active = int(free or total) - held
    timed = functools.partial(measure.interleave, num_inputs=count, calls=1,
                              own=lambda name: Holder.NAME not in name)
    beside = its_ways
    if held:
      holder, seconds = Holder(held), share * alone
      if section == "steal":
        # The product's launch takes a part of the time for which they are held: hold longer.
        few = dataclasses.replace(options, rounds=5, warmup=0, profile=None)
        first = timed({name: holder.beside(way, seconds) for name, way in two.items()},
                      options=few, label="")
        seconds += seconds - first.launches["persistent"].others[Holder.NAME]["overlap"]
      beside = {name: holder.beside(way, seconds) for name, way in its_ways.items()}
    measured = timed(beside, options=options, label=f"{section}-{active}")
    if not held:
      alone = measured.timing.time("persistent").median
    rows.append({
        "section": section, "case": f"{product.sizes}, {active} free", "m": product.m,
        "n": product.n, "k": product.k, "dtype": product.dtype, "flops": product.flops,
        "active_cus": active, "is_held": held > 0, "input_sets": count, "missing": missing,
        **measure.about(measured), "candidates": {
            name: measure.entry(measured, name, product.flops, "work_stealing" if
                                section == "steal" else "persistent") | checked[name]
            for name in its_ways}})
  return rows


def masked(product: cases.Product, options: measure.Options, free: int) -> list[run.Row]:
  """The rows of a process that may use so many CUs of an AMD GPU."""
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    profile = options.directory(f"{free}-cus")
    subprocess.run(
        [sys.executable, *rocm.command(), "-m", "benchmarks", "cu_sweep", "--nowatch",
         f"--cases={product.sizes}", f"--json={folder / 'rows.json'}",
         f"--repeat={options.rounds}", f"--warmup={options.warmup}", f"--seed={options.seed}",
         *([f"--profile={profile}"] if profile else [])],
        env=os.environ | {_MASK: hex((1 << free) - 1), _FREE: str(free),
                          "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, check=False)
    return json.loads((folder / "rows.json").read_text())["rows"]
