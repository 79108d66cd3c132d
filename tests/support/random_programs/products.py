"""Steps of a random program that call jaxgemm."""

import functools

import jax
from jax import lax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

import jaxgemm
from tests.support.random_programs.program import EXACT, F32, F64, I32, Program

OURS = {"implementation": "jaxgemm"}
SCHEDULES = (None, None, "persistent", "work_stealing", "stream_k")
REDUCTIONS = (None, None, "linear", "tree", "atomic")
# The dtypes of operands, each with the largest integer up to which it represents all of them.
OPERANDS = {"bfloat16": 256, "float16": 2048, "float32": EXACT, "int8": 127}


def rounded(x, dtype: str):
  """float64 values of a kernel's float32 sums in dtype."""
  return x.astype(np.float32).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else
                                     dtype).astype(F64)


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


PRODUCTS = (matmul, matmul, dot_general, batched, gradients, ragged, ragged, ragged_k, gated,
            layers, either, overlapped)
