"""Times of products and layers: the kernels', XLA's, and the predicted ones."""

from collections.abc import Callable, Generator, Mapping
import functools
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.explain.planned import predicted_us
from jaxgemm.first_light.products import Product, layer
from jaxgemm.tune import gpu_trace, timing

_ROUNDS, _CALLS = 7, 4
_MOST_BYTES = 6 << 30  # of all copies of the operands
_NEAR = 2e-2  # the largest difference of two results, relative in the norm


def seconds(functions: Mapping[str, Callable], inputs) -> tuple[dict[str, float], str]:
  """(median seconds of compiled functions by name, the clock: "device" or "host").

  The clock of the device is the profiler's trace. If there is no trace, the host's clock counts,
  and its times have the cost of a call in them.
  """
  if not _ffi.virtual_gpus:
    def on_inputs(function):
      return gpu_trace.Candidate(lambda i: function(*inputs[i]))

    try:
      timed = gpu_trace.measure({name: on_inputs(each) for name, each in functions.items()},
                                len(inputs), rounds=_ROUNDS, calls=_CALLS).timing
      return {name: timed.time(name).median for name in functions}, "device"
    except (RuntimeError, ValueError):  # no trace of the device
      pass
  timed = timing.interleave(functions, inputs, min_rounds=1 if _ffi.virtual_gpus else _ROUNDS,
                            min_seconds=0.0, max_rounds=_ROUNDS)
  return {name: timed.time(name).median for name in functions}, "host"


def inputs_for(shapes) -> list[list[jax.Array]]:
  """Sets of random operands, so many that none is in a cache when it is used again."""
  size = sum(x.size * x.dtype.itemsize for x in shapes)
  count = min(gpu_trace.input_sets(size), 33, max(1, _MOST_BYTES // size))

  @jax.jit
  def random(seed):
    keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(shapes))
    return [jax.random.normal(key, x.shape, jnp.float32).astype(x.dtype)
            for key, x in zip(keys, shapes)]

  return [random(np.uint32(i)) for i in range(count)]


def _compiled(function: Callable, given) -> Callable:
  return jax.jit(function).lower(*given).compile()


@jax.jit
def _error(got, want):
  """The difference of two results, relative in the norm."""
  pairs = zip(jax.tree.leaves(got), jax.tree.leaves(want))
  wide = [(x.astype(jnp.float32), y.astype(jnp.float32)) for x, y in pairs]
  return jnp.stack([jnp.linalg.norm((x - y).ravel()) / jnp.maximum(jnp.linalg.norm(y.ravel()), 1e-9)
                    for x, y in wide]).max()


# A step of two parts: "ours" and "xla".
Parts = Generator[str, None, dict[str, Any]]


def _compared(functions: Mapping[str, Callable], inputs) -> Parts:
  """Times of "ours" and of "xla" if it is there, and the difference of their results."""
  programs, lacks = {}, {}
  for name, function in functions.items():
    yield name
    try:
      programs[name] = _compiled(function, inputs[0])
      jax.block_until_ready(programs[name](*inputs[0]))
    except jax.errors.JaxRuntimeError as error:  # XLA may need more memory than there is
      if name == "ours":
        raise
      lacks[name] = str(error)[:200]
      programs.pop(name, None)
  outcome: dict[str, Any] = {"xla_fails": lacks.get("xla", "")}
  if "xla" in programs:
    off = float(_error(*(programs[name](*inputs[0]) for name in ("ours", "xla"))))
    outcome |= {"error": off, "wrong": not off <= _NEAR}
  found, clock = seconds(programs, inputs)
  return outcome | {f"{name}_us": 1e6 * each for name, each in found.items()} | {"clock": clock}


def product(sizes: Mapping[str, Any], with_xla: bool = True) -> Parts:
  """A product by the kernels, by XLA, and as the plan predicts it."""
  each = Product(**sizes)
  shapes = each.shapes()
  inputs = inputs_for(shapes[:2])
  if each.groups:
    ends = np.arange(each.groups + 1) * each.m // each.groups
    inputs = [[*x, jnp.asarray(np.diff(ends), jnp.int32)] for x in inputs]
  said = jaxgemm.explain(each.function("jaxgemm"), *shapes).data["calls"][0]
  functions = {"ours": each.function("jaxgemm")}
  if with_xla:
    functions["xla"] = each.function("xla")
  own = jaxgemm.explain(each.function(None), *shapes).data["calls"][0]
  return (yield from _compared(functions, inputs)) | {
      "predicted_us": predicted_us(said), "kernel": said["kernel"], "schedule": said["schedule"],
      "to_xla": own["implementation"] == "xla"}


def of_layer(name: str, size: int, with_xla: bool = True) -> Parts:
  ours, shapes = layer(name, "jaxgemm", size)
  functions = {"ours": ours}
  if with_xla:
    functions["xla"] = layer(name, "xla", size)[0]
  said = jaxgemm.explain(functions["ours"], *shapes).data
  return (yield from _compared(functions, inputs_for(shapes))) | {
      "predicted_us": said["summary"]["predicted_us"]}


def tune(sizes: Mapping[str, Any], file: str, candidates: int) -> dict[str, Any]:
  """Times the candidates of a product, and keeps the fastest in a tuning file."""
  each = Product(**sizes)
  report = jaxgemm.tune(each.function(None), *each.shapes(), path=pathlib.Path(file),
                        most_candidates=candidates)
  entry = next((result.entry for result in report.results if result.entry is not None), None)
  if entry is None:
    return {"refused": "; ".join([*report.left, *(why for result in report.results
                                                  for why in result.refused.values())])}
  return {"seconds": entry.seconds, "plan_seconds": entry.plan_seconds,
          "xla_seconds": entry.xla_seconds, "implementation": entry.implementation,
          "config": dict(entry.config)}


def bandwidth(size: int) -> dict[str, Any]:
  """The bytes in a second of a copy of `size` bytes: those read and those written."""
  x = jnp.zeros(size // 4, jnp.float32)
  copy = _compiled(lambda x: x + 1, [x])
  found, clock = seconds({"copy": copy}, [[x]])
  return {"gb_per_s": 2 * size / found["copy"] / 1e9, "clock": clock}


def launch() -> dict[str, Any]:
  """The time of the smallest product, and of a call as the host sees it."""
  a = jnp.ones((16, 256), jnp.bfloat16)
  b = jnp.ones((256, 64), jnp.bfloat16)
  run = _compiled(functools.partial(jaxgemm.matmul, implementation="jaxgemm"), [a, b])
  found, clock = seconds({"smallest": run}, [[a, b]])
  count = 3 if _ffi.virtual_gpus else 300
  timed = timing.interleave({"calls": lambda a, b: [run(a, b) for _ in range(count)][-1]}, [(a, b)],
                            min_rounds=3, max_rounds=5, min_seconds=0.0)
  return {"smallest_us": 1e6 * found["smallest"], "clock": clock,
          "call_us": 1e6 * timed.time("calls").median / count}


def matrix_rate(size: int, with_xla: bool = True) -> Parts:
  """TFLOP/s of a large product in bfloat16, by the kernels and by XLA."""
  found = yield from product(dict(m=size, n=size, k=size), with_xla)
  rate = lambda us: 2e-6 * size**3 / us  # noqa: E731
  return {f"{name}_tflops": rate(found[f"{name}_us"]) for name in ("ours", "xla")
          if f"{name}_us" in found} | {"clock": found["clock"]}
