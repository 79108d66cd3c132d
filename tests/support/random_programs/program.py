"""A random program, step by step by jax and by numpy."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

F32, F64, I32 = jnp.float32, np.float64, jnp.int32
EXACT = 2**24  # float32 represents all integers up to here


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

  def __init__(self, seed: int, most_devices: int, products, functions, collectives):
    """The last three are makers of steps: each takes a program and a value, and returns a new
    value, or None if it cannot take this one."""
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
      kinds = products if self.rng.random() < 0.4 else functions
      if self.mapped and self.rng.random() < 0.2:
        kinds = collectives
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
