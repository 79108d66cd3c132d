"""chunked_matmul: a product that starts on the chunks of lhs that have arrived."""

import math
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.config import GemmConfig, timeout_ns
from jaxgemm.call.fallback import XLA_WAS_ASKED, lack
from jaxgemm.call.options import (
  KEYWORDS,
  Options,
  given_vectors,
  operand_argument,
  use_emulator,
)
from jaxgemm.call.spec import Spec
from jaxgemm.chunked.primitive import chunked
from jaxgemm.chunked.product import PRODUCT, ChunkedParams
from jaxgemm.dense.api import dot_general, matmul
from jaxgemm.dense.dimensions import (
  Product,
  dot_general_product,
  indices,
  matmul_product,
)
from jaxgemm.dense.vectors import Vectors, placed
from jaxgemm.sharding.parts import names_parts


class _Arranged(NamedTuple):
  """The shapes of the operands for the chunked primitive; lhs gets its shape without a copy.

  Attributes:
    batch: the sizes of the batch dimensions, which the result has in front.
    lhs_shape: [B, M, K] or [B, K, M], without B if the batch shares lhs.
    rhs_shape: [B, K, N] or [B, N, K], likewise.
    lhs_contracting, rhs_contracting: which of the last two dimensions is k.
  """

  batch: tuple[int, ...]
  lhs_shape: tuple[int, ...]
  rhs_shape: tuple[int, ...]
  lhs_contracting: int
  rhs_contracting: int


def _arrange(lhs, rhs, product: Product) -> _Arranged:
  dims = product.dims
  l_axes, r_axes = (
      [i for i in range(x.ndim) if i not in dropped]
      for x, dropped in zip((lhs, rhs), product.dropped))
  l_sizes, r_sizes = [lhs.shape[i] for i in l_axes], [rhs.shape[i] for i in r_axes]
  size = dict(zip((*dims.lhs, *dims.rhs), (*l_sizes, *r_sizes)))
  contracted = [x for x in dims.lhs if x not in dims.out]
  is_matrix = len(dims.out) > 1
  batch = dims.out[:-2] if is_matrix else dims.out
  m, n = dims.out[-2:] if is_matrix else (None, None)

  def contracting(labels, own) -> int | None:
    """Which of the last two dimensions of [*batch, ...] is k, or None."""
    if len(contracted) != 1 or own not in labels:
      return None
    inner = labels[len(batch):] if labels[:len(batch)] == batch else labels
    for place, wanted in ((0, (*contracted, own)), (1, (own, *contracted))):
      if inner == wanted:
        return place
    return None

  lhs_contracting, rhs_contracting = contracting(dims.lhs, m), contracting(dims.rhs, n)
  if lhs_contracting is None or rhs_contracting is None:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs {rhs.shape}, contracted as {dims.lhs}, "
        f"{dims.rhs} -> {dims.out}; allowed are [*batch, M, K] or [*batch, K, M] with "
        "[*batch, K, N] or [*batch, N, K], either without its batch, to [*batch, M, N]: "
        "lhs must not be copied before it has arrived. Pass dimension_numbers for its "
        "layout.")

  def shape(labels):
    lead = (math.prod(size[x] for x in batch),) if len(labels) > 2 else ()
    return lead + tuple(size[x] for x in labels[-2:])

  return _Arranged(tuple(size[x] for x in batch), shape(dims.lhs), shape(dims.rhs),
                   lhs_contracting, rhs_contracting)


def _tile_rows(name: str, value, least: int) -> int:
  """A number of tile rows as an int; raises ValueError if it is out of range."""
  try:
    given = operator.index(value)
  except TypeError:
    given = least - 1
  if isinstance(value, bool) or not least <= given < 2**30:
    raise ValueError(
        f"{name}={value!r}; an int from {least} to 2**30 is allowed. Pass a number of tile "
        "rows of lhs.")
  return given


def _signals(signals, arranged: _Arranged):
  """chunk_signals as uint32[C] or uint32[B, C]."""
  batch = arranged.batch
  if signals.dtype != jnp.uint32:
    raise ValueError(
        f"chunk_signals has dtype {signals.dtype.name}; uint32 is allowed: the kernel "
        "reads it while it is written, and a cast would be a copy. Let the producer write uint32.")
  if signals.ndim != 1 and signals.shape[:-1] != batch or not signals.ndim:
    raise ValueError(
        f"chunk_signals has shape {signals.shape}; one signal for each chunk, (C,), is "
        f"allowed{f', or ({str(batch)[1:-1].rstrip(chr(44))}, C)' if batch else ''}. "
        "Pass such an array; jaxgemm.chunk_rows gives the rows of a chunk.")
  if signals.ndim == 1:
    return signals
  return signals.reshape(math.prod(batch), signals.shape[-1])


class _Call(NamedTuple):
  """The arguments of `chunked_matmul` of these names that are no arrays."""

  options: Options
  tiles_per_chunk_m: int
  tile_idx_pivot_m: int
  chunk_rows: int | None
  dimension_numbers: Any
  timeout: float


def _prepare(lhs, rhs, call: _Call, vectors: Vectors):
  """(form, spec, dtypes, result, arranged, bias, scale) of a call."""
  limit_ns = timeout_ns(call.timeout)
  options, numbers = call.options, call.dimension_numbers
  product = (matmul_product(lhs, rhs, options) if numbers is None
             else dot_general_product(lhs, rhs, numbers, options))
  arranged = _arrange(lhs, rhs, product)
  dims, (bias, scale, _) = placed(vectors, lhs, rhs, product, chunked=True)
  result = product.result
  dtypes, reason = lack(lhs, rhs, result, product.k, options, splits=False)
  if reason or options.implementation == "xla":
    raise ValueError(
        f"{reason or XLA_WAS_ASKED}, and XLA does not wait for chunks. Pass other operands, or "
        "join the chunks and use jaxgemm.matmul.")
  if options.emulated is not None:
    use_emulator()
  if bias is not None:
    bias = bias.reshape(*((-1,) if bias.ndim > 1 else ()), bias.shape[-1])
  if scale is not None:
    assert dims.scale is not None
    labels = set(dims.scale)
    columns = (scale.shape[len(dims.scale) - 1:] if labels & set(product.columns)
               else (1,))
    scale = scale.reshape(*((-1,) if labels & set(product.batch) else ()), *columns)
  form = ChunkedParams(arranged.lhs_contracting, arranged.rhs_contracting,
                       call.tiles_per_chunk_m, call.tile_idx_pivot_m, limit_ns)
  spec = Spec.of(result.dtype, options, weak_type=result.weak_type)
  return form, spec, dtypes, result, arranged, bias, scale


def _epoch(epoch):
  """The epoch as uint32[1]; raises ValueError if it may be outside of uint32."""
  if isinstance(epoch, (jax.Array, np.ndarray)) and np.ndim(epoch) < 2:
    if epoch.size == 1 and jnp.issubdtype(epoch.dtype, jnp.integer):
      fits = jnp.iinfo(epoch.dtype)
      if fits.min >= 0 and fits.max < 2**32:
        return epoch.astype(jnp.uint32).reshape(1)
      if isinstance(epoch, jax.core.Tracer):
        raise ValueError(
            f"epoch has dtype {epoch.dtype.name}, whose values may wrap; an int from 0 "
            "to 2**32 - 1 is allowed, or a uint32 array of one element. Count in uint32, or "
            "pass epoch.astype(jnp.uint32).")
      epoch = int(np.asarray(epoch).reshape(()))
  try:
    if not isinstance(epoch, bool) and 0 <= operator.index(epoch) < 2**32:
      return np.array([epoch], np.uint32)
  except TypeError:
    pass
  raise ValueError(
      f"epoch={epoch!r}; an int from 0 to 2**32 - 1 is allowed, or a uint32 array of one "
      "element. Pass epoch=1, for example.")


def _compute(call: _Call, lhs, rhs, signals, epoch, **given):
  form, spec, dtypes, result, arranged, bias, scale = _prepare(lhs, rhs, call, Vectors(**given))
  if dtypes[0] != lhs.dtype:
    raise ValueError(
        f"lhs is {lhs.dtype.name} and rhs {rhs.dtype.name}; lhs cannot be converted "
        "before it has arrived. Let the producer write a type that the kernels take.")
  rhs = rhs.astype(dtypes[1])
  if call.chunk_rows is not None:
    wanted = _chunk_rows(lhs, rhs, arranged, form, spec)
    if call.chunk_rows != wanted:
      raise ValueError(
          f"chunk_rows={call.chunk_rows!r}; chunks of {form.tiles_per_chunk} tile rows have "
          f"{wanted} rows here. Give the producer chunks of as many rows; "
          "jaxgemm.chunk_rows computes the number.")
  outs = chunked(
      lhs.reshape(arranged.lhs_shape), rhs.reshape(arranged.rhs_shape),
      _signals(signals, arranged), epoch, bias, scale, form=form, spec=spec)
  return outs[0].reshape(result.shape)


_call = jax.jit(_compute, static_argnums=0, inline=True)


@names_parts
def chunked_matmul(
    lhs: jax.Array,
    rhs: jax.Array,
    chunk_signals: jax.Array | None,
    *,
    tiles_per_chunk_m: int,
    tile_idx_pivot_m: int = 0,
    epoch: int | jax.Array = 1,
    chunk_rows: int | None = None,
    dimension_numbers=None,
    precision=None,
    preferred_element_type=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    timeout: float = 10.0,
) -> jax.Array:
  """`jaxgemm.matmul` of an lhs that is still arriving, chunk by chunk.

  The rows of lhs are computed in tiles of `tile_m` rows; a chunk is tiles_per_chunk_m of
  these tile rows (`chunk_rows` says how many rows that is). Tile rows are visited
  cyclically from tile_idx_pivot_m on. A tile of chunk c begins when chunk_signals[c]
  equals the epoch. The protocol is that of Composable Kernel's
  PersistentAsyncInputScheduler and of PyTorch's `_async_input_mm`. If all signals are set
  when the kernel starts, it visits more tile rows together than a chunk has, for the
  cache, as `jaxgemm.matmul` does; GemmConfig(group_m=...) fixes how many.

  A producer has to write lhs and then the signals while the product runs: see
  `jaxgemm.overlap`, which streams an array in, and `jaxgemm.chunked` for how to avoid
  deadlocks. Nothing in the program may copy lhs or the signals before the product;
  reshapes that merge batch dimensions do not copy. With several devices, call this
  inside `jax.shard_map`.

  On a GPU the host waits for the product, to raise the error of a missing signal.

  Gradients (of any order, in lhs, rhs, bias and scale) are dense products without chunks;
  those that read lhs begin after this product has ended. vmap may batch lhs and the
  signals along their first axis, and rhs, bias and scale along any.

  Args:
    lhs: array of shape (..., M, K); for dtypes see `jaxgemm.matmul`.
    rhs: array of shape (..., K, N) or (K, N).
    chunk_signals: uint32 array of shape (C,) or (..., C), with one element for each chunk of
      rows, where C = ceil(ceil(M / tile_m) / tiles_per_chunk_m). None: lhs is complete,
      and this is `jaxgemm.matmul` (or `jaxgemm.dot_general`).
    tiles_per_chunk_m: tile rows in a chunk; the last may have fewer.
    tile_idx_pivot_m: the tile row that is computed first.
    epoch: the value of a signal after its chunk has arrived: an int from 0 to 2**32 - 1, or
      an integer array of one element. Under jax.jit the array has to be unsigned, of 32 bits
      or fewer, because other values may wrap. With an epoch that counts up, one buffer of
      signals can serve many calls.
    chunk_rows: how many rows the producer's chunks have, for a check. With a wrong number
      the call is refused; without the check the kernel might read rows that have not arrived.
    dimension_numbers: as in `jax.lax.dot_general`, for an lhs (..., K, M) or an rhs
      (..., N, K); batch dimensions come first.
    precision: see `jaxgemm.matmul`; where XLA would compute it, this is an error. So are
      three passes ("high") of float32 on NVIDIA GPUs.
    preferred_element_type, bias, activation: see `jaxgemm.matmul`.
    scale: see `jaxgemm.matmul`, but not with one value for each row.
    schedule: see `jaxgemm.matmul`; all schedules are allowed.
    reduction, deterministic: see `jaxgemm.matmul`.
    config: see `jaxgemm.matmul`. With tile_m the chunks are the same on all devices;
      num_workgroups leaves multiprocessors (CUs) for a producer that needs them.
    implementation: see `jaxgemm.matmul`; "xla" is not allowed.
    timeout: seconds that a workgroup waits for one signal, a day at most. After that the
      call fails; its error is raised where the program waits for the result.

  Returns:
    An array of the shape and dtype that `jaxgemm.matmul` gives.

  Raises:
    ValueError, TypeError: while tracing: the errors of `jaxgemm.matmul`, or the kernels do
      not take the operands, or the number of signals is wrong.
    ValueError: while lowering: XLA may partition the program.
  """
  tiles = (_tile_rows("tiles_per_chunk_m", tiles_per_chunk_m, 1),
           _tile_rows("tile_idx_pivot_m", tile_idx_pivot_m, 0))
  # jax accepts lists as dimension numbers. jax.jit cannot hash these, so they become tuples.
  numbers = indices(dimension_numbers)
  if chunk_signals is None:
    options = dict(
        precision=precision, preferred_element_type=preferred_element_type, bias=bias, scale=scale,
        activation=activation, schedule=schedule, reduction=reduction,
        deterministic=deterministic, config=config, implementation=implementation)
    if numbers is None:
      return matmul(lhs, rhs, **options)
    return dot_general(lhs, rhs, numbers, **options)
  if not isinstance(chunk_signals, (jax.Array, np.ndarray)):
    raise TypeError(
        f"chunk_signals is a {type(chunk_signals).__name__}; a uint32 array is allowed, "
        "which the kernel reads while a producer writes it. Pass None if lhs is complete.")
  call = _Call(Options.of(locals()), *tiles, chunk_rows, numbers, timeout)
  lhs, rhs = operand_argument("lhs", lhs), operand_argument("rhs", rhs)
  # In a jitted program the product's lowering has to find the start of its producer. Newer
  # jax lowers a nested jitted function separately, so the product is not jitted once more.
  # A new array is a tracer in a jitted program only, not under jax.vmap alone.
  staged = isinstance(jnp.zeros(()), jax.core.Tracer)
  return (_compute if staged else _call)(
      call, lhs, rhs, operand_argument("chunk_signals", chunk_signals), _epoch(epoch),
      **given_vectors(locals()))


def chunk_rows(lhs, rhs, *, tiles_per_chunk_m: int, **kwargs) -> int:
  """The number of rows of lhs in a chunk of `chunked_matmul` on the default device.

  Args:
    lhs, rhs: arrays or `jax.ShapeDtypeStruct`, as for `chunked_matmul`.
    tiles_per_chunk_m: see `chunked_matmul`.
    **kwargs: the other arguments of `chunked_matmul`; chunk_signals, epoch, chunk_rows, bias
      and scale are ignored.

  Returns:
    tile_m * tiles_per_chunk_m, with the tile_m of the plan. The last chunk may have fewer rows.

  Raises:
    ValueError, TypeError: see `chunked_matmul`.
  """
  for name in ("chunk_signals", "epoch", "chunk_rows", "bias", "scale"):
    kwargs.pop(name, None)
  others: dict[str, Any] = {"dimension_numbers": None, "tile_idx_pivot_m": 0, "timeout": 1.0}
  for name in kwargs.keys() - {*KEYWORDS, *others} | kwargs.keys() & {"out_sharding"}:
    raise TypeError(f"chunk_rows() got an unexpected keyword argument {name!r}; the arguments of "
                    "chunked_matmul are allowed. Correct or remove it.")
  others |= {name: kwargs[name] for name in others.keys() & kwargs.keys()}
  others["tile_idx_pivot_m"] = _tile_rows("tile_idx_pivot_m", others["tile_idx_pivot_m"], 0)
  # Arrays in host memory are allowed here, but no product takes them.
  lhs, rhs = (
      jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)) for x in (lhs, rhs))
  call = _Call(Options.of(kwargs), _tile_rows("tiles_per_chunk_m", tiles_per_chunk_m, 1),
               chunk_rows=None, **others)
  form, spec, _, _, arranged, *_ = _prepare(lhs, rhs, call, Vectors())
  return _chunk_rows(lhs, rhs, arranged, form, spec)


def _chunk_rows(lhs, rhs, arranged: _Arranged, form: ChunkedParams, spec: Spec) -> int:
  operands = [jax.ShapeDtypeStruct(shape, x.dtype) for shape, x in
              ((arranged.lhs_shape, lhs), (arranged.rhs_shape, rhs))]
  planned = PRODUCT.plan([*operands, None], {"form": form, "spec": spec},
                         spec.target(_ffi.default_platform()))
  return planned["tile"][0] * form.tiles_per_chunk
