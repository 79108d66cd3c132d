"""Computes random products for a given time, and checks each against float64: a soak.

    python -m tests.support.soak --seconds=600 --seed=1
    JAX_PLATFORMS=cpu python -m tests.support.soak --implementation=emulated:gfx942
    python -m jaxgemm.emulator.rocm -m tests.support.soak     # a virtual MI300X
    python -m tests.support.soak --seed=1 --first=17 --count=1  # case 17 again

A case has a random kind of product, sizes, layouts, dtypes, schedule, reduction and epilogue. It
runs some times, each with new values, group sizes (routings) and times of its chunks. Several
threads call dense and grouped products at once. Results are written to a donated array of NaN.
Memory with the bytes 0xFF, which are NaN, lies around it and around the operands, and must not
change. Every result is computed twice, and the bits must be equal, except with the reduction
"atomic". A chunk that never comes must be an error, after which the next case runs as always.

The last line has the counts as JSON; the exit status is 1 if there is a fault.
"""

import argparse
import collections
from concurrent import futures
import functools
import json
import math
import sys
import threading
import time
import traceback
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from tests.support.arriving import Arriving, overlapped

# Unit roundoffs of results, and the smallest normal numbers.
ROUNDOFF = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24, "int32": 0.0}
SMALLEST = {"bfloat16": 2.0**-126, "float16": 2.0**-14, "float32": 2.0**-126, "int32": 0.0}
MARGIN_BYTES = 8192


class Wrong(Exception):
  """A result or the memory around it is not right."""


class Case(NamedTuple):
  """Attributes:
    words: the problem and its options, for a message.
    run: the function under test, of the arrays.
    arrays: makes new arrays; returns (arrays, result in float64, bounds of its errors).
    reproducible: whether equal arrays give equal bits.
  """

  words: str
  run: Any
  arrays: Any
  reproducible: bool


class Machine(NamedTuple):
  """The implementation and device of the cases; `most`: the most multiplications of a case."""

  implementation: str
  most: float

  @property
  def on_gpu(self) -> bool:
    return jax.default_backend() != "cpu"

  @property
  def arch(self) -> str:
    """A part of the name of an AMD architecture, or ""."""
    if self.implementation.startswith("emulated:"):
      return self.implementation.removeprefix("emulated:")
    platform = jax.devices()[0].client.platform_version.lower()
    return "gfx942" if "rocm" in platform else ""


def sizes(rng, most: float, count: int = 3) -> list[int]:
  """Random sizes with a product of at most `most`: small, odd, aligned."""
  while True:
    found = []
    for _ in range(count):
      size = int(2 ** rng.uniform(0, 12.5))
      unit = int(rng.choice([1, 1, 8, 16, 64, 128]))
      found.append(max(1, size // unit * unit))
    if math.prod(found) <= most:
      return found


def values(rng, shape, dtype: str) -> np.ndarray:
  if dtype == "int8":
    return rng.integers(-128, 128, shape).astype(np.int8)
  return np.asarray(rng.standard_normal(shape, np.float32)).astype(jnp.dtype(dtype))


def double(x) -> np.ndarray:
  return np.asarray(x).astype(np.float64)


def error_of_sums(machine: Machine, dtype: str, k: int, absolute) -> np.ndarray:
  """A bound for errors of float32 sums of k products; `absolute` is |lhs| @ |rhs|."""
  if dtype == "int8":
    return 0 * absolute
  each = 2.0**-22 * math.sqrt(k + 16)
  if dtype == "float32" and (machine.on_gpu or machine.arch == "gfx942"):
    each += 2.0**-9  # operands rounded to TF32 or XF32
  if dtype.startswith("float8") and machine.on_gpu and not machine.arch:
    each += 2.0**-11  # Hopper keeps fewer bits of sums of float8
  return each * absolute


def activate(name, z, error):
  """activation(z) and the bound of its error; the slopes are at most 1.1."""
  if name == "relu":
    return np.maximum(z, 0), error
  if name == "silu":
    return z / (1 + np.exp(-np.clip(z, -700, 700))), 1.1 * error + 2.0**-20 * np.abs(z)
  return z, error


def rounded(out_dtype: str, wanted, error):
  """(wanted, error) with the rounding to the dtype of the result added to the error."""
  error = error + 1.01 * ROUNDOFF[out_dtype] * (np.abs(wanted) + error)
  return wanted, error + SMALLEST[out_dtype]


def options_of(rng, machine: Machine) -> dict[str, Any]:
  given: dict[str, Any] = {"implementation": machine.implementation}
  schedule = rng.choice(["", "persistent", "work_stealing", "stream_k"])
  if schedule:
    given["schedule"] = str(schedule)
  if schedule == "stream_k":
    given["reduction"] = str(rng.choice(["linear", "tree", "atomic"]))
  config = {}
  if rng.random() < 0.4:
    config["num_workgroups"] = int(rng.integers(1, 200))
  if schedule == "work_stealing" and rng.random() < 0.5:
    config["num_queues"] = int(rng.integers(1, 9))
  if rng.random() < 0.3:
    config["group_m"] = int(rng.integers(1, 9))
  if config:
    given["config"] = jaxgemm.GemmConfig(**config)
  return given


def dtypes_of(rng, machine: Machine) -> tuple[str, str]:
  """Dtypes of the operands and of the result."""
  float8 = "float8_e4m3fnuz" if machine.arch == "gfx942" else "float8_e4m3fn"
  dtype = str(rng.choice(["bfloat16", "bfloat16", "float16", "float32", "int8", float8]))
  if dtype in ("float32", "int8"):
    return dtype, "float32" if dtype == "float32" else "int32"
  return dtype, str(rng.choice(["float32", "bfloat16" if "8" in dtype else dtype]))


def dense(rng, machine: Machine) -> Case:
  m, n, k = sizes(rng, machine.most)
  batch = int(rng.choice([0, 0, 0, 2, 3]))
  dtype, out_dtype = dtypes_of(rng, machine)
  options = options_of(rng, machine)
  lhs_k, rhs_k = (int(x) for x in rng.integers(0, 2, 2))
  lead = (batch,) if batch else ()
  lhs_shape = (*lead, *((k, m) if lhs_k == 0 else (m, k)))
  rhs_shape = (*lead, *((k, n) if rhs_k == 0 else (n, k)))
  at = len(lead)
  numbers = (((at + lhs_k,), (at + rhs_k,)), (tuple(range(at)),) * 2)
  is_float = dtype != "int8"
  has_bias, has_scale = is_float and rng.random() < 0.4, is_float and rng.random() < 0.2
  activation = str(rng.choice(["relu", "silu"])) if is_float and rng.random() < 0.4 else None

  def run(lhs, rhs, bias, scale):
    return jaxgemm.dot_general(
        lhs, rhs, numbers, preferred_element_type=out_dtype, activation=activation,
        bias=bias if has_bias else None, scale=scale if has_scale else None, **options)

  def arrays():
    lhs, rhs = values(rng, lhs_shape, dtype), values(rng, rhs_shape, dtype)
    bias = values(rng, (n,), "float32")
    scale = values(rng, (n,), "float32")
    left, right = double(lhs), double(rhs)
    left = left.swapaxes(-1, -2) if lhs_k == 0 else left
    right = right.swapaxes(-1, -2) if rhs_k == 1 else right
    wanted = left @ right
    error = error_of_sums(machine, dtype, k, np.abs(left) @ np.abs(right))
    if has_scale:
      wanted, error = wanted * double(scale), error * np.abs(double(scale))
    if has_bias:
      wanted = wanted + double(bias)
    if is_float:
      error = error + 2.0**-22 * np.abs(wanted)
    return ((lhs, rhs, bias, scale),
            *rounded(out_dtype, *activate(activation, wanted, error)))

  words = (f"dense {batch}x{m}x{n}x{k} {dtype}->{out_dtype} contracting {lhs_k}{rhs_k} "
           f"bias={has_bias} scale={has_scale} {activation} {options}")
  return Case(words, run, arrays, options.get("reduction") != "atomic")


def routing(rng, rows: int, groups: int) -> np.ndarray:
  """Rows of each group: equal, random, skewed, all in one group, or some groups without rows."""
  kind = rng.integers(5)
  if kind == 0:
    return np.full(groups, rows // groups, np.int32)
  if kind == 1:
    return rng.multinomial(rows, rng.dirichlet(np.full(groups, 0.3))).astype(np.int32)
  if kind == 2:
    weights = 1 / np.arange(1, groups + 1) ** 1.5
    return rng.multinomial(rows, rng.permutation(weights) / weights.sum()).astype(np.int32)
  if kind == 3:
    one = np.zeros(groups, np.int32)
    one[rng.integers(groups)] = rng.integers(0, rows + 1)
    return one
  cuts = np.sort(rng.integers(0, rows + 1, groups))
  return np.diff(np.concatenate([[0], cuts])).astype(np.int32)


def grouped(rng, machine: Machine) -> Case:
  """Experts' products, gated or not, or their gradient (ragged k)."""
  m, n, k = sizes(rng, machine.most / 2)
  groups = int(rng.integers(1, 17))
  while groups * n * k > 4e6:
    groups, n = max(1, groups // 2), max(1, n // 2)
  kind = str(rng.choice(["forward", "forward", "gated", "gradient"]))
  dtype = str(rng.choice(["bfloat16", "bfloat16", "float16", "float32"]))
  out_dtype = str(rng.choice([dtype, "float32"]))
  options = options_of(rng, machine)
  activation = "silu" if kind == "gated" else str(rng.choice(["", "relu", "silu"])) or None
  rhs_shape = {"forward": (groups, k, n), "gated": (groups, k, 2, n), "gradient": (m, n)}[kind]

  def run(lhs, rhs, group_sizes):
    given = dict(options, preferred_element_type=out_dtype)
    if kind == "gradient":
      numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
      return jaxgemm.ragged_dot_general(lhs, rhs, group_sizes, numbers, **given)
    product = jaxgemm.ragged_gated_linear_unit if kind == "gated" else jaxgemm.ragged_dot
    return product(lhs, rhs, group_sizes, activation=activation, **given)

  def arrays():
    lhs, rhs, counts = values(rng, (m, k), dtype), values(rng, rhs_shape, dtype), routing(
        rng, m, groups)
    left, right = double(lhs), double(rhs)
    shape = (groups, k, n) if kind == "gradient" else (m, n)
    wanted, error, begin = np.zeros(shape), np.zeros(shape), 0
    for g, count in enumerate(counts):
      rows = slice(begin, begin + count)
      begin += count
      if kind == "gradient":
        a, b = left[rows].T, right[rows]
        wanted[g], error[g] = a @ b, error_of_sums(machine, dtype, count, np.abs(a) @ np.abs(b))
        continue
      a, w = left[rows], right[g].reshape(k, -1)
      z, e = a @ w, error_of_sums(machine, dtype, k, np.abs(a) @ np.abs(w))
      if kind == "gated":
        gate, of_gate = activate("silu", z[:, :n], e[:, :n])
        up, of_up = z[:, n:], e[:, n:]
        wanted[rows] = gate * up
        error[rows] = (of_gate * (np.abs(up) + of_up) + np.abs(gate) * of_up
                       + 2.0**-22 * np.abs(gate * up))
      else:
        wanted[rows], error[rows] = activate(activation, z, e)
    return (lhs, rhs, counts), *rounded(out_dtype, wanted, error)

  words = (f"{kind} {groups} groups {m}x{n}x{k} {dtype}->{out_dtype} {activation} {options}")
  return Case(words, run, arrays, options.get("reduction") != "atomic")


# ------------------------------------------------------------------------------ running


def check(words: str, out, wanted, error) -> None:
  """Raises Wrong unless all elements are within the bounds."""
  got = double(out)
  if got.shape != wanted.shape:
    raise Wrong(f"{words}: shape {got.shape}, not {wanted.shape}")
  bad = ~(np.abs(got - wanted) <= error)
  if bad.any():
    first = tuple(int(x) for x in np.argwhere(bad)[0])
    raise Wrong(f"{words}: {bad.sum()} of {bad.size} elements are wrong; the first, {first}, is "
                f"{got[first]}, not {wanted[first]} within {error[first]:.3g}")


class Surroundings:
  """Arrays of bytes 0xFF, allocated before and after what they surround."""

  def __init__(self):
    self._margins = []

  def put(self, arrays) -> list[jax.Array]:
    """The arrays on the device, each with a margin behind it."""
    placed = []
    for x in arrays:
      placed.append(jax.device_put(x))
      self._margins.append(jax.device_put(np.full(MARGIN_BYTES, 0xFF, np.uint8)))
    return placed

  def check(self, words: str) -> None:
    for margin in self._margins:
      if (np.asarray(margin) != 0xFF).any():
        raise Wrong(f"{words}: memory beside the arrays was written")


def poison(shape, dtype: str) -> np.ndarray:
  """NaN, or for integers the bits of it."""
  itemsize = jnp.dtype(dtype).itemsize
  return np.full(math.prod(shape) * itemsize, 0xFF, np.uint8).view(jnp.dtype(dtype)).reshape(shape)


def run_case(case: Case, repeats: int, counts: collections.Counter) -> None:
  """Runs a case some times; raises Wrong, or what a call raises."""
  jitted = jax.jit(lambda _, *arrays: case.run(*arrays), donate_argnums=0, keep_unused=True)
  for _ in range(repeats):
    given, wanted, error = case.arrays()
    shape = jax.eval_shape(case.run, *given)
    bits = []
    for _ in range(2):
      around = Surroundings()
      placed = around.put(given)
      donated, = around.put([poison(shape.shape, shape.dtype.name)])
      out = np.asarray(jitted(donated, *placed))
      counts["poisoned results"] += donated.is_deleted()
      counts["calls"] += 1
      check(case.words, out, wanted, error)
      around.check(case.words)
      bits.append(out.tobytes())
    if case.reproducible and bits[0] != bits[1]:
      raise Wrong(f"{case.words}: two calls gave different bits")


def chunked(rng, machine: Machine, repeats: int, counts: collections.Counter) -> str:
  """Runs a product of chunks that a copy or a thread writes; returns what it was."""
  m, n, k = sizes(rng, machine.most)
  m = max(m, 64)
  dtype = str(rng.choice(["bfloat16", "float16", "float32"]))
  options = options_of(rng, machine)
  tiles = int(rng.integers(1, 5))
  config = options.pop("config", jaxgemm.GemmConfig())
  by_copy = machine.arch != "" and machine.on_gpu or rng.random() < 0.5
  a_shape, b_shape = (jax.ShapeDtypeStruct(s, dtype) for s in ((m, k), (k, n)))
  rows = jaxgemm.chunk_rows(
      a_shape, b_shape, tiles_per_chunk_m=tiles, config=config, **options)
  tile_m = rows // tiles
  config = jaxgemm.GemmConfig(**{
      name: getattr(config, name) for name in ("num_workgroups", "num_queues", "group_m")},
                              tile_m=tile_m)
  pivot = int(rng.integers(0, -(-m // tile_m)))
  epoch = int(rng.integers(1, 2**32))
  words = (f"chunked {m}x{n}x{k} {dtype} {'copy' if by_copy else 'thread'} rows={rows} "
           f"pivot={pivot} {options} {config}")
  lhs = lambda: values(rng, (m, k), dtype)

  def wanted(x, w):
    left, right = double(x), double(w)
    error = error_of_sums(machine, dtype, k, np.abs(left) @ np.abs(right))
    return rounded(dtype, left @ right, error)

  w = values(rng, (k, n), dtype)
  if by_copy:
    first = int(rng.integers(0, -(-m // rows)))
    f = jax.jit(functools.partial(overlapped, config=config, tiles=tiles, first_chunk=first,
                                  pivot=pivot, **options))
    kind = "pinned_host" if machine.on_gpu else None
    place = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind=kind)
    for _ in range(repeats):
      x = lhs()
      out = f(jax.device_put(x, place), w)
      check(words, out, *wanted(x, w))
      counts["calls"] += 1
    return words

  late = rng.random() < 0.15  # one chunk never comes
  arriving = Arriving(lhs(), rows)
  w = jax.device_put(w)
  now = jnp.asarray([epoch], jnp.uint32)

  def compile_with(timeout: float):
    f = jax.jit(functools.partial(
        jaxgemm.chunked_matmul, tiles_per_chunk_m=tiles, tile_idx_pivot_m=pivot, config=config,
        timeout=timeout, **options))
    return f.lower(arriving.lhs, w, arriving.signals, epoch=now).compile()

  # Chunks that come have enough time, even on a busy machine.
  compiled = compile_with(60.0)
  for repeat in range(repeats):
    arriving.values = lhs()
    order = [arriving.places()[i] for i in rng.permutation(len(arriving.places()))]
    if late and repeat == repeats - 1:
      order.pop()
      compiled = compile_with(0.3)
    now = jnp.asarray([(epoch + repeat) % 2**32], jnp.uint32)
    thread = arriving.start(order, pause=float(rng.choice([0, 1e-4, 2e-3])),
                            epoch=(epoch + repeat) % 2**32)
    counts["calls"] += 1
    try:
      out = np.asarray(compiled(arriving.lhs, w, arriving.signals, epoch=now))
    except (ValueError, jax.errors.JaxRuntimeError) as error:  # of XLA's CPU and GPU clients
      thread.join()
      # The emulator ends a launch that only polls before the kernel's own timeout.
      waited = "did not become the epoch" in str(error) or (
          machine.arch and "flags are polled that no wave sets" in str(error))
      if len(order) == len(arriving.places()) or not waited:
        raise Wrong(f"{words}: {error!r}") from error
      counts["chunks that never came: errors"] += 1
      return words
    thread.join()
    if len(order) < len(arriving.places()):
      raise Wrong(f"{words}: a chunk never came, and there was no error")
    check(words, out, *wanted(arriving.values, w))
  return words


class Soak:
  """Runs cases by their numbers, and counts."""

  def __init__(self, machine: Machine, seed: int, repeats: int):
    self.machine, self.seed, self.repeats = machine, seed, repeats
    self.counts: collections.Counter = collections.Counter()
    self.refused: collections.Counter = collections.Counter()
    self.faults: list[str] = []
    self._lock = threading.Lock()

  def run(self, number: int) -> None:
    rng = np.random.default_rng([self.seed, number])
    counts: collections.Counter = collections.Counter()
    words = kind = "chunked"
    try:
      if is_alone(number):
        chunked(rng, self.machine, self.repeats, counts)
      else:
        case = (grouped if number % 2 else dense)(rng, self.machine)
        words, kind = case.words, case.words.split()[0]
        try:
          jax.eval_shape(case.run, *case.arrays()[0])
        except ValueError as error:
          with self._lock:
            self.counts["refused"] += 1
            self.refused[str(error)[:160]] += 1
          return
        run_case(case, self.repeats, counts)
      counts[f"{kind} cases"] += 1
    except Exception as error:
      if isinstance(error, ValueError) and kind == "chunked":
        counts["refused"] += 1
        self.refused[str(error)[:160]] += 1
      else:
        text = str(error) if isinstance(error, Wrong) else traceback.format_exc(limit=-3)
        self.faults.append(f"case {number}: {words}: {text}")
        print(f"FAULT {self.faults[-1]}", flush=True)
    with self._lock:
      self.counts += counts


def is_alone(number: int) -> bool:
  """Whether no other case may run beside this one: it waits for its chunks."""
  return number % 10 >= 8


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--seconds", type=float, default=60)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--first", type=int, default=0, help="number of the first case")
  parser.add_argument("--count", type=int, default=10**9, help="at most so many cases")
  parser.add_argument("--threads", type=int, default=3)
  parser.add_argument("--repeats", type=int, default=4)
  parser.add_argument("--most", type=float, help="multiplications of a case, at most")
  parser.add_argument("--implementation", default="jaxgemm")
  given = parser.parse_args()
  slow = given.implementation.startswith("emulated") or "rocm" in jax.devices()[
      0].client.platform_version.lower()
  machine = Machine(given.implementation, given.most or (2e6 if slow else 5e8))
  soak = Soak(machine, given.seed, given.repeats)
  begin = said = time.monotonic()
  number, end = given.first, given.first + given.count
  with futures.ThreadPoolExecutor(given.threads) as pool:
    while number < end and time.monotonic() - begin < given.seconds:
      beside = []
      if is_alone(number):
        soak.run(number)
        number += 1
      while number < end and not is_alone(number):
        beside.append(pool.submit(soak.run, number))
        number += 1
      for one in beside:
        one.result()
      if machine.on_gpu and not slow:  # what XLA gives to workspaces
        jnp.full(1 << 29, 0xFF, jnp.uint8).block_until_ready().delete()
      if number % 200 < 10:  # programs take memory
        jax.clear_caches()
      if time.monotonic() - said > 20:
        said = time.monotonic()
        print(f"[{said - begin:.0f} s] {dict(soak.counts)}, {len(soak.faults)} faults", flush=True)
  for message, times in soak.refused.most_common(8):
    print(f"refused {times} times: {message}")
  print(json.dumps({
      "device": jax.devices()[0].device_kind, "implementation": given.implementation,
      "seed": given.seed, "cases": number - given.first,
      "seconds": round(time.monotonic() - begin), **soak.counts, "faults": len(soak.faults)}))
  sys.exit(bool(soak.faults))


if __name__ == "__main__":
  main()
