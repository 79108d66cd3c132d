"""Random programs for virtual ROCm devices, which test_virtual_rocm.py runs in processes:

    python -m jaxgemm.emulator.rocm --devices=4 --stream-seed=1 \\
        -m tests.support.random_programs FIRST_SEED COUNT

A program is a chain of products of jaxgemm and of XLA's elementwise functions, reductions,
gathers, sorts and loops, jitted as a whole, on 1, 2 or 4 devices. All values are small
integers that every dtype represents, so the results must equal those of numpy in float64
exactly. Each program runs three times with other values, because XLA replays command buffers.
"""

import collections
import functools
import sys
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import ml_dtypes
import numpy as np

import jaxgemm

F32, F64, I32 = jnp.float32, np.float64, jnp.int32
OURS = {"implementation": "jaxgemm"}
EXACT = 2**24  # float32 represents all integers up to here
SCHEDULES = (None, None, "persistent", "work_stealing", "stream_k")
REDUCTIONS = (None, None, "linear", "tree", "atomic")
# The dtypes of operands, each with the largest integer up to which it represents all of them.
OPERANDS = {"bfloat16": 256, "float16": 2048, "float32": EXACT, "int8": 127}


class Value(NamedTuple):
  """Attributes:
    shape: the shape; if the program is mapped over devices, that on one device.
    bound: the largest absolute value of an element.
    jax: the function that computes it from its sources; None for an input.
    numpy: the same for arrays of float64. With `across`, for lists of all devices' arrays.
  """

  shape: tuple[int, ...]
  bound: int
  name: str
  jax: Any = None
  numpy: Any = None
  sources: tuple[int, ...] = ()
  across: bool = False


class Program:
  """A random program of a seed.

  Attributes:
    devices: how many devices it runs on.
    mapped: whether it is mapped by shard_map, so that each device has its own values.
  """

  def __init__(self, seed: int, most_devices: int):
    self.rng = np.random.default_rng(seed)
    self.devices = int(self.rng.choice([n for n in (1, 2, 4) if n <= most_devices]))
    self.mapped = self.devices > 1 and self.rng.random() < 0.5
    self.values: list[Value] = []
    # All sizes are multiples of this, so that XLA can shard every dimension.
    self.unit = 4 if self.devices > 1 and not self.mapped else 1
    self.sizes = [self.unit * int(self.rng.integers(1, 160 // self.unit)) for _ in range(3)]
    x = self.input((self.size(), self.size()), 3)
    self.current = x
    for _ in range(self.rng.integers(4, 12)):
      kinds = PRODUCTS if self.rng.random() < 0.4 else OTHERS
      if self.mapped and self.rng.random() < 0.2:
        kinds = COLLECTIVES
      made = kinds[self.rng.integers(len(kinds))](self, self.current)
      if made is not None:
        self.current = made
    count = len(self.values)
    self.outputs = sorted({count - 1, *(
        i for i in range(count) if self.values[i].jax and self.rng.random() < 0.2)})

  def size(self) -> int:
    return int(self.rng.choice(self.sizes))

  def choose(self, *choices):
    return choices[self.rng.integers(len(choices))]

  def input(self, shape, bound: int) -> int:
    self.values.append(Value(tuple(shape), bound, "input"))
    return len(self.values) - 1

  def operand(self, shape, bound: int) -> int:
    """An earlier value of this shape, or a new input."""
    shape = tuple(shape)
    found = [i for i, value in enumerate(self.values) if value.shape == shape]
    if found and self.rng.random() < 0.5:
      return self.bounded(int(self.rng.choice(found)), bound)
    return self.input(shape, min(bound, 3))

  def step(self, name, f, numpy, *sources, shape, bound, across=False) -> int:
    assert bound <= EXACT, name
    self.values.append(Value(tuple(shape), int(bound), name, f, numpy, sources, across))
    return len(self.values) - 1

  def bounded(self, i: int, bound: int) -> int:
    """Value i, cut so that no absolute value is above the bound."""
    value = self.values[i]
    if value.bound <= bound:
      return i
    if self.rng.random() < 0.5:
      bits = max(1, bound.bit_length() - 1)  # -2**bits / 2 to 2**bits / 2 - 1
      half, mask = 2**bits // 2, 2**bits - 1
      return self.step(
          "wrap", lambda x: ((x.astype(I32) & mask) - half).astype(F32),
          lambda x: (x.astype(np.int64) & mask) - float(half), i, shape=value.shape,
          bound=half)
    return self.step("clip", lambda x: jnp.clip(x, -bound, bound),
                     lambda x: np.clip(x, -bound, bound), i, shape=value.shape, bound=bound)

  def inputs(self, run: int) -> list[np.ndarray]:
    rng = np.random.default_rng([run, *self.sizes])
    lead = (self.devices,) if self.mapped else ()
    return [rng.integers(-value.bound, value.bound + 1, lead + value.shape).astype(np.float32)
            for value in self.values if value.jax is None]

  def run(self, *inputs):
    """The outputs by jax."""
    given = iter(inputs)
    values = []
    for value in self.values:
      values.append(value.jax(*(values[i] for i in value.sources)) if value.jax
                    else next(given))
    return [values[i] for i in self.outputs]

  def sharding(self, shape):
    """The sharding of an input: none, or along a dimension that the devices divide."""
    axes = [P(*(None,) * i, "x") for i, size in enumerate(shape) if size % self.devices == 0]
    return self.choose(P(), *axes)

  def jitted(self):
    # Without this option XLA may leave out the rounding of a sum over devices to bfloat16.
    jit = functools.partial(
        jax.jit, compiler_options={"xla_allow_excess_precision": False})
    if self.devices == 1:
      return jit(self.run)
    mesh = jax.make_mesh((self.devices,), ("x",), devices=jax.devices()[:self.devices],
                         axis_types=(jax.sharding.AxisType.Auto,))
    if not self.mapped:
      return jit(self.run, in_shardings=[
          NamedSharding(mesh, self.sharding(value.shape))
          for value in self.values if value.jax is None])

    def one_device(*inputs):
      return [jnp.expand_dims(x, 0) for x in self.run(*(x[0] for x in inputs))]

    return jit(jax.shard_map(one_device, mesh=mesh, in_specs=P("x"), out_specs=P("x")))

  def expected(self, inputs):
    """The outputs by numpy in float64."""
    given = iter(inputs)
    devices = self.devices if self.mapped else 1
    values: list[list[np.ndarray]] = []  # one list of devices for each value
    for value in self.values:
      sources = [values[i] for i in value.sources]
      if value.jax is None:
        x = next(given).astype(F64)
        values.append([*x] if self.mapped else [x])
      elif value.across:
        values.append(value.numpy(*sources))
      else:
        values.append([np.asarray(value.numpy(*(source[d] for source in sources)), F64)
                       for d in range(devices)])
    return [np.stack(values[i]) if self.mapped else values[i][0] for i in self.outputs]

  def describe(self) -> str:
    where = (" mapped" if self.mapped else " automatic") if self.devices > 1 else ""
    steps = " ".join(f"{value.name}{list(value.shape)}".replace(" ", "")
                     for value in self.values if value.jax)
    return f"{self.devices} device(s){where}: {steps}"


def rounded(x, dtype: str):
  """float64 values of a kernel's float32 sums in dtype."""
  return x.astype(np.float32).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else
                                     dtype).astype(F64)


# ---------------------------------------------------------------------------- products


def kind_of_product(p: Program, k: int, dtypes=tuple(OPERANDS)):
  """(dtype, bound of lhs, bound of rhs, options) of a product with sums of length k."""
  dtype = p.choose(*dtypes)
  most = min(OPERANDS[dtype], int((EXACT / 4 / k) ** 0.5))
  options = dict(schedule=p.choose(*SCHEDULES), preferred_element_type=(
      I32 if dtype == "int8" else F32), **OURS)
  if options["schedule"] == "stream_k":
    options["reduction"] = p.choose(*REDUCTIONS)
  return dtype, p.choose(most, min(most, 7)), p.choose(most, min(most, 7)), options


def matmul(p: Program, x: int):
  m, k = p.values[x].shape
  n = p.size()
  dtype, a, b, options = kind_of_product(p, k)
  x = p.bounded(x, a)
  w, bound = p.operand((k, n), b), k * a * b
  is_float = dtype != "int8"
  biases = [p.operand((n,), 100)] if is_float and p.rng.random() < 0.4 else []
  activation = p.choose("relu", None) if is_float else None

  def by_jax(x, w, bias=None):
    return jaxgemm.matmul(x.astype(dtype), w.astype(dtype), bias=bias, activation=activation,
                          **options).astype(F32)

  def by_numpy(x, w, bias=0.0):
    out = x @ w + bias
    return np.maximum(out, 0) if activation else out

  return p.step(f"matmul_{dtype}", by_jax, by_numpy, x, w, *biases, shape=(m, n),
                bound=bound + 100)


def dot_general(p: Program, x: int):
  """Contracts the rows of x, or both last dimensions."""
  shape = p.values[x].shape
  lhs, rhs = p.choose(0, 1), p.choose(0, 1)
  k, m, n = shape[lhs], shape[1 - lhs], p.size()
  # The tests' build has the kernels of these dtypes in all layouts.
  dtype, a, b, options = kind_of_product(p, k, ("bfloat16", "float32"))
  x, w = p.bounded(x, a), p.operand((k, n) if rhs == 0 else (n, k), b)
  numbers = (((lhs,), (rhs,)), ((), ()))
  return p.step(
      f"dot_general_{lhs}{rhs}_{dtype}",
      lambda x, w: jaxgemm.dot_general(x.astype(dtype), w.astype(dtype), numbers,
                                       **options).astype(F32),
      lambda x, w: (x.T if lhs == 0 else x) @ (w if rhs == 0 else w.T), x, w, shape=(m, n),
      bound=k * a * b)


def batched(p: Program, x: int):
  """One product for each half (quarter) of the rows; vmap or a batch dimension."""
  m, k = p.values[x].shape
  # JAX's custom_partitioning cannot split an axis of a mesh among dimensions, so there are as many
  # parts as devices.
  parts = max(2, p.unit)
  if m % parts:
    return None
  n, by_vmap = p.size(), p.choose(True, False)
  dtype, a, b, options = kind_of_product(p, k)
  x, w = p.bounded(x, a), p.operand((parts, k, n), b)

  def by_jax(x, w):
    product = functools.partial(jaxgemm.matmul, **options)
    x = x.reshape(parts, m // parts, k).astype(dtype)
    return (jax.vmap(product) if by_vmap else product)(x, w.astype(dtype)).reshape(
        m, n).astype(F32)

  return p.step(f"batched_{dtype}", by_jax,
                lambda x, w: (x.reshape(parts, m // parts, k) @ w).reshape(m, n), x, w,
                shape=(m, n), bound=k * a * b)


def gradients(p: Program, x: int):
  """The gradient of lhs or rhs; their dtype is that of the operands."""
  m, k = p.values[x].shape
  n, of_rhs = p.size(), p.choose(True, False)
  x, w, out = p.bounded(x, 3), p.operand((k, n), 3), p.operand((m, n), 3)

  def by_jax(x, w, out):
    f = lambda x, w: jaxgemm.matmul(
        x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=F32, **OURS)
    return jax.vjp(f, x, w)[1](out)[int(of_rhs)]

  return p.step(
      "gradient", by_jax,
      lambda x, w, out: rounded(x.T @ out if of_rhs else out @ w.T, "bfloat16"), x, w, out,
      shape=(k, n) if of_rhs else (m, k), bound=(m if of_rhs else n) * 9 + 2000)


def group_sizes(p: Program, rows: int, groups: int):
  """Sizes that may be 0, and may leave rows without a group."""
  cuts = np.sort(p.rng.integers(0, rows + 1, groups))
  return np.diff(np.concatenate([[0], cuts])).astype(np.int32)


def ragged(p: Program, x: int):
  m, k = p.values[x].shape
  n, groups = p.size(), int(p.rng.integers(1, 5)) * p.unit
  sizes = group_sizes(p, m, groups)
  dtype, a, b, options = kind_of_product(p, k)
  if dtype == "int8":
    return None
  x, w = p.bounded(x, a), p.operand((groups, k, n), b)
  relu = p.choose(True, False)

  def by_jax(x, w):
    out = jaxgemm.ragged_dot(x.astype(dtype), w.astype(dtype), jnp.asarray(sizes),
                             activation="relu" if relu else None, **options)
    return jnp.where(np.arange(m)[:, None] < sizes.sum(), out, 0)

  def by_numpy(x, w):
    out, first = np.zeros((m, n)), 0
    for size, one in zip(sizes, w):
      out[first:first + size] = x[first:first + size] @ one
      first += size
    return np.maximum(out, 0) if relu else out

  return p.step(f"ragged_{dtype}", by_jax, by_numpy, x, w, shape=(m, n), bound=k * a * b)


def ragged_k(p: Program, x: int):
  """The gradient of experts: one product for each group of rows, added to an array."""
  m, k = p.values[x].shape
  n, groups = p.size(), int(p.rng.integers(1, 4))
  sizes, in_place = group_sizes(p, m, groups), p.choose(True, False)
  x, y = p.bounded(x, 7), p.operand((m, n), 7)
  so_far = [p.operand((groups, k, n), 100)] if in_place else []
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])

  def by_jax(x, y, so_far=None):
    options = {} if so_far is None else {"accumulate": so_far}
    return jnp.max(jaxgemm.ragged_dot_general(
        x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), jnp.asarray(sizes), numbers,
        preferred_element_type=F32, **options, **OURS), 0)

  def by_numpy(x, y, so_far=0.0):
    ends = np.cumsum(sizes)
    parts = [x[end - size:end].T @ y[end - size:end] for size, end in zip(sizes, ends)]
    return np.max(np.stack(parts) + so_far, 0)

  return p.step("ragged_k", by_jax, by_numpy, x, y, *so_far, shape=(k, n),
                bound=m * 49 + 100)


def gated(p: Program, x: int):
  m, k = p.values[x].shape
  n, groups = p.size(), int(p.rng.integers(1, 4)) * p.unit
  sizes = group_sizes(p, m, groups)
  most = int((EXACT / 4) ** 0.5 / k)
  if most < 1:
    return None
  x, w = p.bounded(x, min(most, 3)), p.input((groups, k, 2, n), 1)
  bound = k * min(most, 3)

  def by_jax(x, w):
    out = jaxgemm.ragged_gated_linear_unit(
        x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), jnp.asarray(sizes),
        activation="relu", preferred_element_type=F32, **OURS)
    return jnp.where(np.arange(m)[:, None] < sizes.sum(), out, 0)

  def by_numpy(x, w):
    out, first = np.zeros((m, n)), 0
    for size, one in zip(sizes, w):
      rows = x[first:first + size]
      out[first:first + size] = np.maximum(rows @ one[:, 0], 0) * (rows @ one[:, 1])
      first += size
    return out

  return p.step("gated", by_jax, by_numpy, x, w, shape=(m, n), bound=bound**2)


def layers(p: Program, x: int):
  """A scan over the weights of layers, or a while loop with one weight."""
  m, k = p.values[x].shape
  count, by_scan = int(p.rng.integers(1, 5)), p.choose(True, False)
  x = p.bounded(x, 3)
  w = p.input((count, k, k), 1) if by_scan else p.operand((k, k), 3)

  def step(x, w):
    out = jaxgemm.matmul(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16),
                         preferred_element_type=F32, **OURS)
    return jnp.clip(out, -3, 3)

  def by_jax(x, w):
    if by_scan:
      return lax.scan(lambda x, w: (step(x, w), None), x, w)[0]
    # How often it runs depends on the values.
    return lax.while_loop(lambda s: (s[0] < count) & (jnp.sum(jnp.abs(s[1])) > 0),
                          lambda s: (s[0] + 1, step(s[1], w)), (0, x))[1]

  def by_numpy(x, w):
    for i in range(count):
      if not by_scan and not np.any(x):
        break
      x = np.clip(x @ (w[i] if by_scan else w), -3, 3)
    return x

  return p.step("scan" if by_scan else "while", by_jax, by_numpy, x, w, shape=(m, k), bound=3)


def either(p: Program, x: int):
  """A cond: a value selects one of two products."""
  m, k = p.values[x].shape
  n = p.size()
  x, w = p.bounded(x, 7), p.operand((k, n), 7)
  product = lambda x, w: jaxgemm.matmul(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16),
                                        preferred_element_type=F32, **OURS)
  return p.step(
      "cond",
      lambda x, w: lax.cond(jnp.sum(x) > 0, product, lambda x, w: -product(x, w), x, w),
      lambda x, w: x @ w if x.sum() > 0 else -(x @ w), x, w, shape=(m, n), bound=k * 49)


def overlapped(p: Program, x: int):
  """A product that begins while its lhs is copied in chunks."""
  if p.unit == 4:  # chunks need one device, or shard_map
    return None
  m, k = p.values[x].shape
  n = p.size()
  x, w = p.bounded(x, 7), p.operand((k, n), 7)
  options = dict(tiles_per_chunk_m=1, config=jaxgemm.GemmConfig(tile_m=p.choose(64, 128)))

  def by_jax(x, w):
    x, w = x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)
    rows = jaxgemm.chunk_rows(x, w, **options)
    return jaxgemm.overlap(x, lambda data, signals: jaxgemm.chunked_matmul(
        data, w, signals, chunk_rows=rows, preferred_element_type=F32, **options, **OURS),
        chunk_rows=rows)

  return p.step("overlapped", by_jax, lambda x, w: x @ w, x, w, shape=(m, n), bound=k * 49)


# -------------------------------------------------------------------------------- others


def unary(name, f, numpy, *, most=EXACT, bound=None):
  def make(p: Program, x: int):
    x = p.bounded(x, most)
    value = p.values[x]
    return p.step(name, f, numpy, x, shape=value.shape,
                  bound=value.bound if bound is None else bound)
  return make


def rounded_to_integer(name, f, most, bound):
  """A function whose values at integers are not near a half."""
  of = lambda xp: lambda x: xp.round(f(xp, x))
  return unary(name, of(jnp), of(np), most=most, bound=bound)


def binary(name, f, numpy, bound_of):
  def make(p: Program, x: int):
    x = p.bounded(x, 1000)
    y = p.operand(p.values[x].shape, 1000)
    bound = bound_of(p.values[x].bound, p.values[y].bound)
    return p.step(name, f, numpy, x, y, shape=p.values[x].shape, bound=bound)
  return make


def sums(p: Program, x: int):
  """x minus a sum, a maximum or a cumulated sum along an axis."""
  shape, axis = p.values[x].shape, p.choose(0, 1)
  bound = p.values[x].bound
  kind = p.choose("sum", "max", "cumsum", "argmax")
  if kind != "max":
    x = p.bounded(x, EXACT // 4 // shape[axis])
    bound = p.values[x].bound * (1 + shape[axis]) + shape[axis]
  kept = {} if kind == "cumsum" else {"keepdims": True}
  return p.step(
      kind, lambda x: x - getattr(jnp, kind)(x, axis=axis, **kept).astype(F32),
      lambda x: x - getattr(np, kind)(x, axis=axis, **kept), x, shape=shape,
      bound=bound if kind != "max" else 2 * bound)


def gather(p: Program, x: int):
  rows, columns = p.values[x].shape
  count = p.size()
  index = p.rng.integers(0, rows, count)
  return p.step("gather", lambda x: x[jnp.asarray(index, I32)], lambda x: x[index], x,
                shape=(count, columns), bound=p.values[x].bound)


def gather_by_values(p: Program, x: int):
  """Rows of x at indices that are values of the program."""
  x = p.bounded(x, 2000)
  rows, columns = p.values[x].shape
  return p.step(
      "gather_by_values", lambda x: x[x[:, 0].astype(I32) % rows],
      lambda x: x[x[:, 0].astype(np.int64) % rows], x, shape=(rows, columns),
      bound=p.values[x].bound)


def scatter_add(p: Program, x: int):
  x = p.bounded(x, 1000)
  rows, columns = p.values[x].shape
  count = p.size()
  index = p.rng.integers(0, count, rows)

  def by_numpy(x):
    out = np.zeros((count, columns))
    np.add.at(out, index, x)
    return out

  return p.step(
      "scatter_add",
      lambda x: jnp.zeros((count, columns)).at[jnp.asarray(index, I32)].add(x),
      by_numpy, x, shape=(count, columns), bound=p.values[x].bound * rows)


def sort(p: Program, x: int):
  shape, axis = p.values[x].shape, p.choose(0, 1)
  return p.step("sort", lambda x: jnp.sort(x, axis), lambda x: np.sort(x, axis), x,
                shape=shape, bound=p.values[x].bound)


def turn(p: Program, x: int):
  rows, columns = p.values[x].shape
  by = int(p.rng.integers(0, rows))
  kind = p.choose("transpose", "flip", "roll", "reshape")
  functions = {"transpose": lambda xp, x: x.T, "flip": lambda xp, x: xp.flip(x, 1),
               "roll": lambda xp, x: xp.roll(x, by, 0),
               "reshape": lambda xp, x: x.reshape(columns, rows)}
  f = functions[kind]
  return p.step(kind, functools.partial(f, jnp), functools.partial(f, np), x,
                shape=(columns, rows) if kind in ("transpose", "reshape") else (rows, columns),
                bound=p.values[x].bound)


def part(p: Program, x: int):
  """A slice whose start is a value, next to rows of another array."""
  rows, columns = p.values[x].shape
  step = p.unit
  if rows < 2 * step or rows > 400:
    return None
  x = p.bounded(x, 2000)
  y = p.operand((p.size(), columns), 2000)
  kept = rows // 2 // step * step
  more = p.values[y].shape[0]

  def by_jax(x, y):
    start = jnp.abs(x[0, 0]).astype(I32) % (rows - kept + 1)
    return jnp.concatenate([lax.dynamic_slice_in_dim(x, start, kept, 0), y])

  def by_numpy(x, y):
    start = int(abs(x[0, 0])) % (rows - kept + 1)
    return np.concatenate([x[start:start + kept], y])

  return p.step("slice", by_jax, by_numpy, x, y, shape=(kept + more, columns),
                bound=max(p.values[x].bound, p.values[y].bound))


def random_bits(p: Program, x: int):
  shape, seed = p.values[x].shape, int(p.rng.integers(1 << 20))
  x = p.bounded(x, 1000)

  def bits():
    return jax.random.randint(jax.random.key(seed), shape, -3, 4)

  def by_numpy(x):
    with jax.default_device(jax.devices("cpu")[0]):
      return x + np.asarray(bits(), F64)

  return p.step("random", lambda x: x + bits().astype(F32), by_numpy, x, shape=shape,
                bound=p.values[x].bound + 3)


def running_scan(p: Program, x: int):
  """A scan over rows without a product."""
  x = p.bounded(x, 1000)

  def by_jax(x):
    step = lambda carry, row: (jnp.clip(carry + row, -50, 50),) * 2
    return lax.scan(step, jnp.zeros_like(x[0]), x[:16])[0] + x

  def by_numpy(x):
    carry = np.zeros_like(x[0])
    for row in x[:16]:
      carry = np.clip(carry + row, -50, 50)
    return carry + x

  return p.step("scan_rows", by_jax, by_numpy, x, shape=p.values[x].shape,
                bound=p.values[x].bound + 50)


# --------------------------------------------------------------------------- collectives


varying = functools.partial(lax.pcast, axis_name="x", to="varying")


def psum(p: Program, x: int):
  x = p.bounded(x, EXACT // 8)
  return p.step("psum", lambda x: varying(lax.psum(x, "x")),
                lambda xs: [sum(xs)] * len(xs), x, shape=p.values[x].shape,
                bound=p.values[x].bound * p.devices, across=True)


def pmax(p: Program, x: int):
  return p.step("pmax", lambda x: varying(lax.pmax(x, "x")),
                lambda xs: [functools.reduce(np.maximum, xs)] * len(xs), x,
                shape=p.values[x].shape, bound=p.values[x].bound, across=True)


def all_gather(p: Program, x: int):
  rows, columns = p.values[x].shape
  if rows > 200:
    return None
  return p.step("all_gather", lambda x: lax.all_gather(x, "x", tiled=True),
                lambda xs: [np.concatenate(xs)] * len(xs), x,
                shape=(rows * p.devices, columns), bound=p.values[x].bound, across=True)


def ppermute(p: Program, x: int):
  n = p.devices
  return p.step("ppermute",
                lambda x: lax.ppermute(x, "x", [(i, (i + 1) % n) for i in range(n)]),
                lambda xs: [xs[i - 1] for i in range(n)], x, shape=p.values[x].shape,
                bound=p.values[x].bound, across=True)


def psum_scatter(p: Program, x: int):
  rows, columns = p.values[x].shape
  if rows % p.devices:
    return None
  x = p.bounded(x, EXACT // 8)
  return p.step("psum_scatter", lambda x: lax.psum_scatter(x, "x", tiled=True),
                lambda xs: np.split(sum(xs), len(xs)), x, shape=(rows // p.devices, columns),
                bound=p.values[x].bound * p.devices, across=True)


# ------------------------------------------------------------------------------- choices

PRODUCTS = (matmul, matmul, dot_general, batched, gradients, ragged, ragged, ragged_k, gated,
            layers, either, overlapped)
OTHERS = (
    unary("abs", jnp.abs, np.abs), unary("negative", jnp.negative, np.negative),
    unary("sign", jnp.sign, np.sign, bound=1),
    unary("square", jnp.square, np.square, most=1000, bound=1_000_000),
    unary("halved", lambda x: jnp.floor(x / 2), lambda x: np.floor(x / 2)),
    rounded_to_integer("tanh", lambda xp, x: 4 * xp.tanh(x), EXACT, 4),
    rounded_to_integer("exp", lambda xp, x: 8 * xp.exp(-xp.abs(x)), 100, 8),
    rounded_to_integer("rsqrt", lambda xp, x: 8 / xp.sqrt(1 + xp.abs(x)), 200, 8),
    rounded_to_integer("log", lambda xp, x: 4 * xp.log1p(xp.abs(x)), 200, 24),
    binary("add", jnp.add, np.add, lambda a, b: a + b),
    binary("multiply", jnp.multiply, np.multiply, lambda a, b: a * b),
    binary("maximum", jnp.maximum, np.maximum, max),
    binary("where", lambda x, y: jnp.where(x > y, x, -y), lambda x, y: np.where(x > y, x, -y),
           max),
    sums, sums, gather, gather_by_values, scatter_add, sort, turn, turn, part, random_bits,
    running_scan)
COLLECTIVES = (psum, pmax, all_gather, ppermute, psum_scatter)


def run_seed(seed: int) -> Program:
  """Raises AssertionError if a result of the program of this seed is wrong."""
  p = Program(seed, len(jax.devices()))
  try:
    f = p.jitted()
    for run in range(3):
      inputs = p.inputs(run)
      for i, actual, expected in zip(p.outputs, f(*inputs), p.expected(inputs)):
        np.testing.assert_array_equal(
            np.asarray(actual, F64), expected, f"value {i}, {p.values[i].name}, run {run}")
  except Exception:
    print(f"seed {seed} failed; {p.describe()}", flush=True)
    raise
  return p


def main(first: int, count: int) -> None:
  used = collections.Counter()
  devices = collections.Counter()
  for seed in range(first, first + count):
    print(f"seed {seed}", file=sys.stderr, flush=True)  # the last one, if the process ends
    p = run_seed(seed)
    used.update(value.name for value in p.values if value.jax)
    devices[p.devices] += 1
  print(dict(devices), dict(used))
  print(f"{count} programs are right", flush=True)


if __name__ == "__main__":
  main(int(sys.argv[1]), int(sys.argv[2]))
