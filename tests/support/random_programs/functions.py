"""Steps of a random program by XLA's own kernels on one device."""

import functools

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

from tests.support.random_programs.program import EXACT, F32, F64, I32, Program


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


FUNCTIONS = (
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
