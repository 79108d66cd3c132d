"""Producers: start_copy, join and overlap. See `jaxgemm.chunked`."""

import math
import operator
from typing import Any, NamedTuple

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.config import check_bool, timeout_ns
from jaxgemm.call.lower import fenced, require_platforms
from jaxgemm.call.options import operand_argument
from jaxgemm.call.primitives import reshaped
from jaxgemm.chunked import calls
from jaxgemm.chunked.calls import COPIES, START_TARGET
from jaxgemm.chunked.primitive import require_local
from jaxgemm.sharding.manual_axes import unify_varying


class ChunkedArray(NamedTuple):
  """An array that is arriving.

  Attributes:
    data: the array. If start_copy returned it, only jaxgemm.chunked_matmul may read it, also
      after the join.
    signals: uint32 array with one element for each chunk: 1 (or the producer's epoch) after the
      chunk has arrived.
    source: what the producer reads: an array, or a pytree of arrays.
  """

  data: jax.Array
  signals: jax.Array
  source: Any


class _Join:
  """Whether the join of a start has been traced. Each start has one; equality is identity."""

  def __init__(self):
    self.is_traced = False

  def __repr__(self):
    return "joined" if self.is_traced else "not joined"


class _Started(ChunkedArray):
  """The result of start_copy, with the state of its join in the same function."""

  joined: _Join


def _integer(name: str, given) -> int:
  try:
    if not isinstance(given, bool) and -(2**63) <= operator.index(given) < 2**63:
      return operator.index(given)
  except TypeError:
    pass
  raise ValueError(f"{name}={given!r}; an int of 64 bits is allowed. Pass a Python int.")


def start_copy(x, *, chunk_rows: int, axis: int = -2, first_chunk: int = 0,
               product_leaves_room: bool = False) -> ChunkedArray:
  """An array to which `x` is copied while a product reads it.

  Call it inside `jax.jit` only. `join` has to follow in the same function: without it
  XLA gives x's memory to other arrays while the copy reads it. `overlap` does both. The
  copy begins with the first `jaxgemm.chunked_matmul` that reads the new array. See
  `jaxgemm.chunked` for what may read it, and for how to avoid deadlocks.

  Args:
    x: an array in device memory or pinned host memory, of a dtype that the kernels take.
    chunk_rows: how many rows a chunk has; the last may have fewer.
      `jaxgemm.chunk_rows` gives the number that a product needs.
    axis: the dimension that is cut into chunks. A chunk has all elements of the other
      dimensions, so a batch shares the signals.
    first_chunk: the chunk that is copied first; the next ones follow cyclically. Pass
      tile_idx_pivot_m // tiles_per_chunk_m, so that the copy begins with the chunk which the
      product needs first.
    product_leaves_room: for an x in a GPU's memory. False: the next work of the program
      starts after the copy. True: it runs beside the copy, which may use kernels;
      GemmConfig(num_workgroups=...) has to leave multiprocessors for these, or product
      and copy wait for each other until the `timeout`. It has no effect on the CPU, or
      for an x in pinned host memory: such a copy always runs beside the product.

  Returns:
    A `ChunkedArray` whose data has the shape and dtype of x.

  Raises:
    ValueError: an argument is out of range; or, when the program is lowered, it is for
      several devices (use it inside `jax.shard_map` then), or no join follows.
    TypeError: product_leaves_room is not a bool.
  """
  x = operand_argument("x", x)
  shape, dtype = jnp.shape(x), jnp.result_type(x)
  axis = _integer("axis", axis)
  chunk_rows = _integer("chunk_rows", chunk_rows)
  first_chunk = _integer("first_chunk", first_chunk)
  check_bool("product_leaves_room", product_leaves_room)
  if not shape or not -len(shape) <= axis < len(shape):
    raise ValueError(
        f"axis={axis} of an array of shape {shape}; allowed are the array's "
        f"dimensions, -{len(shape)} to {len(shape) - 1}. Pass the dimension of the rows.")
  if dtype not in _ffi.OPERAND_DTYPES:
    allowed = ", ".join(sorted(x.name for x in _ffi.OPERAND_DTYPES))
    raise ValueError(f"x is {dtype.name}; products take {allowed}. Cast x first.")
  if chunk_rows < 1:
    raise ValueError(
        f"chunk_rows={chunk_rows}; a chunk has at least one row. jaxgemm.chunk_rows "
        "gives the number that a product needs.")
  chunks = math.ceil(shape[axis] / chunk_rows)
  if not 0 <= first_chunk < max(chunks, 1):
    raise ValueError(
        f"first_chunk={first_chunk}; with chunk_rows={chunk_rows} the {shape[axis]} rows are "
        f"{chunks} chunks, counted from 0. Pass one of these.")
  joined = _Join()
  data, signals = start_p.bind(
      x, axis=axis % len(shape), chunk_rows=chunk_rows, first_chunk=first_chunk,
      product_leaves_room=product_leaves_room, joined=joined)
  started = _Started(data, signals, x)
  started.joined = joined
  return started


def join(chunked: ChunkedArray, results, *, epoch: int | None = None,
         timeout: float = 10.0):
  """Waits until the producer has ended, and returns `results`.

  Args:
    chunked: what `start_copy` returned, or what a producer of your own fills.
    results: a pytree of all arrays that were computed from `chunked`. The join comes
      after all of them, and is kept as long as one of them is used.
    epoch: None: the join waits for the copy of the `start_copy` that returned
      `chunked`, in the same function. An int, for a producer of your own: it waits
      until all signals equal this. (After a product that has read all chunks they
      already do.)
    timeout: seconds that the join waits for an epoch, a day at most. After that the call
      fails; its error is raised where the program waits for the results.

  Returns:
    The results, as a pytree of the same structure. Use these in place of the given ones.

  Raises:
    ValueError: an argument is out of range; epoch is None, and `chunked` is not what
      start_copy returned; or, when the program is lowered, something other than a
      product of chunks reads `chunked.data` or its signals before they arrive.
    TypeError: chunked is not a ChunkedArray.
  """
  limit_ns = timeout_ns(timeout)
  if not isinstance(chunked, ChunkedArray):
    raise TypeError(
        f"chunked is a {type(chunked).__name__}; a jaxgemm.ChunkedArray is allowed. Pass what "
        "start_copy returned, or ChunkedArray(data, signals, source) of a producer of your own.")
  if epoch is not None and not 0 <= (epoch := _integer("epoch", epoch)) < 2**32:
    raise ValueError(
        f"epoch={epoch}; 0 to 2**32 - 1 are allowed, or None. Pass the value that the producer "
        "gives the signals.")
  if epoch is None:
    joined = getattr(chunked, "joined", None)  # None after a pass through jax.jit
    if joined is None:
      raise ValueError(
          "chunked is not what start_copy returned in this function, so there is no "
          "copy to wait for. Join where start_copy was called, or pass epoch=... for a "
          "producer of your own.")
    joined.is_traced = True
  leaves, tree = jax.tree.flatten(results)
  if any(x is chunked.data or x is chunked.signals for x in leaves):
    raise ValueError(
        "results have the arriving array or its signals in them, which XLA would copy "
        "before the join; results of products are allowed. Return the source instead.")
  sources = jax.tree.leaves(chunked.source)
  operands = unify_varying([chunked.data, chunked.signals, *sources, *leaves])
  return jax.tree.unflatten(tree, join_p.bind(
      *operands, num_sources=len(sources), timeout_ns=limit_ns,
      epoch=COPIES if epoch is None else epoch))


def overlap(x, consumer, *, chunk_rows: int, axis: int = -2, first_chunk: int = 0,
            product_leaves_room: bool = False):
  """`consumer(data, signals)` while `data`, a copy of `x`, arrives chunk by chunk.

  The copy begins with the first product that reads `data`; nothing else may read it.
  The result is differentiable if the consumer is; `data` passes derivatives to `x`.
  Outside of `jax.jit` the call is jitted. Under `jax.disable_jit` it is an error. Under
  `jax.vmap`, x has to be batched along its first axis, as the product requires. See
  `jaxgemm.chunked` for what a consumer may do. It should give chunked_matmul the same
  chunk_rows, for a check. If x is in a GPU's memory, it arrives before the consumer
  starts, unless product_leaves_room=True.

  Args:
    x, chunk_rows, axis, first_chunk, product_leaves_room: see `start_copy`.
    consumer: a function of (data, signals) that computes a pytree of arrays. `data` has the
      shape and dtype of `x`, and `signals` is uint32[ceil(x.shape[axis] / chunk_rows)].

  Returns:
    The consumer's result.

  Raises:
    ValueError: see `start_copy`; or, when the program is lowered, something other than
      `jaxgemm.chunked_matmul` reads `data`.
    TypeError: product_leaves_room is not a bool.
  """
  def run(x):
    chunked = start_copy(x, chunk_rows=chunk_rows, axis=axis, first_chunk=first_chunk,
                         product_leaves_room=product_leaves_room)
    return join(chunked, consumer(chunked.data, chunked.signals))

  # The call is always jitted: between two programs the copy's arrays could be freed.
  return jax.jit(run)(operand_argument("x", x))


def _outside(*_, **__):
  if getattr(jax.config, "jax_disable_jit", False):
    raise ValueError(
        "JAX_DISABLE_JIT or jax.disable_jit is set. A copy and the product that reads it must "
        "be one program, or the copy's arrays could be freed while it runs. Leave it unset "
        "here: with jax.disable_jit(False): ...")
  raise ValueError(
      "start_copy and join were called outside of jax.jit. What lies between them must "
      "be one program, or the copy's arrays could be freed while it runs: put both "
      "into a function under jax.jit, or call jaxgemm.overlap.")


start_p = Primitive("jaxgemm_chunks_start")
start_p.multiple_results = True
start_p.def_impl(_outside)


@start_p.def_abstract_eval
def _start_abstract_eval(x, *, axis, chunk_rows, **_):
  data = reshaped(x, x.shape).update(weak_type=False, memory_space=jax.memory.Space.Device)
  chunks = math.ceil(x.shape[axis] / chunk_rows)
  return [data, reshaped(data, (chunks,)).update(dtype=np.dtype("uint32"))]


def _start_lowering(ctx, x, *, joined, **params):
  require_platforms(ctx)
  require_local(ctx, "a copy in chunks")
  if not joined.is_traced:
    raise ValueError(
        "start_copy has no join: XLA would give the memory of x to other arrays while it is "
        "copied. Call jaxgemm.join with what start_copy returned and all that was "
        "computed from it, in the same function, or use jaxgemm.overlap.")
  on_host = ctx.avals_in[0].memory_space != jax.memory.Space.Device
  params["from_host"] = on_host
  rule = jax.ffi.ffi_lowering(START_TARGET, has_side_effect=True)
  return rule(ctx, *fenced([x]), **{name: np.int64(value) for name, value in params.items()})


mlir.register_lowering(start_p, _start_lowering, cacheable=False)


def _start_jvp(primals, tangents, **params):
  outs = start_p.bind(*primals, **params)
  (x,), (t,) = primals, tangents
  if type(t) is not ad.Zero and jax.typeof(x).memory_space != jax.memory.Space.Device:
    t = jax.device_put(t, jax.memory.Space.Device)
  zeros = [ad.Zero(jax.typeof(y).to_tangent_aval()) for y in outs]
  return outs, [zeros[0] if type(t) is ad.Zero else t, zeros[1]]


ad.primitive_jvps[start_p] = _start_jvp


def _start_batch(operands, axes, *, axis, **params):
  # A chunk has all elements of the new dimension, too.
  (x,), (new,) = operands, axes
  outs = start_p.bind(x, axis=axis + (new <= axis), **params)
  return outs, [new, None]


batching.primitive_batchers[start_p] = _start_batch


join_p = Primitive("jaxgemm_chunks_join")
join_p.multiple_results = True
join_p.def_impl(_outside)


@join_p.def_abstract_eval
def _join_abstract_eval(*operands, num_sources, **_):
  return list(operands[2 + num_sources:])


def _join_lowering(ctx, *operands, **params):
  require_platforms(ctx)
  require_local(ctx, "a join of chunks")
  outs = calls.lower_join(ctx, operands, ctx.avals_in, **params)
  start = calls.start_of(operands[1])
  if start is not None and params["epoch"] == COPIES:
    calls.check_readers(start)
  return outs


mlir.register_lowering(join_p, _join_lowering, cacheable=False)


def _join_jvp(primals, tangents, *, num_sources, **params):
  outs = join_p.bind(*primals, num_sources=num_sources, **params)
  return outs, list(tangents[2 + num_sources:])


ad.primitive_jvps[join_p] = _join_jvp


def _join_batch(operands, axes, *, num_sources, **params):
  outs = join_p.bind(*operands, num_sources=num_sources, **params)
  return outs, list(axes[2 + num_sources:])


batching.primitive_batchers[join_p] = _join_batch
