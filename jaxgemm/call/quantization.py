"""quantize: an array as small values and their scales (call/quantized.py)."""

from collections.abc import Sequence
import functools
import operator

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.no_derivative import without_derivative
from jaxgemm.call.options import (
  QUANTIZE_OUT,
  Options,
  dtype_argument,
  float8_dtypes,
  operand_argument,
)
from jaxgemm.call.quantized import Quantized

_KINDS = ("tensor", "row", "block", "mx", "mxfp4", "int4")
# The number of neighbours that share a scale, by kind.
BLOCKS = QUANTIZE_OUT | {"mxfp4": 32, "int4": 32}
_MX = ("mx", "mxfp4")
# The dtypes of the kinds for weights, which have 4 bits.
_DTYPES = {"mxfp4": jnp.float4_e2m1fn, "int4": jnp.int4}
SMALLEST_NORMAL = float(jnp.finfo(jnp.float32).tiny)




def _axes(kind: str, axis, rank: int) -> tuple[int, ...]:
  """The axes along which values share scales, counted from 0."""
  if kind == "tensor":
    return tuple(range(rank))
  axes = _integers("axis", axis, "Pass the contracted axis of a product.")
  if not all(-rank <= i < rank for i in axes):
    raise ValueError(
        f"axis={axis!r} was given for an array of rank {rank}; {-rank} to {rank - 1} are allowed. "
        "Pass the contracted axis of a product.")
  if kind in ("mx", *_DTYPES) and len(axes) != 1:
    raise ValueError(
        f"axis={axis!r} was given with kind={kind!r}; one axis is allowed, which is cut into "
        "blocks. Pass the contracted axis of a product.")
  axes = tuple(i % rank for i in axes)
  if len({*axes}) < len(axes):
    raise ValueError(
        f"axis={axis!r} was given for an array of rank {rank}; different axes are allowed. Name "
        "each axis once.")
  if kind in BLOCKS and not axes:
    raise ValueError(
        f"axis={axis!r} was given with kind={kind!r}; one axis or more is allowed, which is cut "
        "into blocks. Pass the contracted axis of a product.")
  return axes


def _integers(name: str, given, advice: str) -> tuple[int, ...]:
  """An int, or a sequence of ints, as a tuple; raises TypeError for anything else."""
  found = tuple(given) if isinstance(given, Sequence) else (given,)
  try:
    if any(isinstance(x, (bool, np.bool_)) for x in found):
      raise TypeError("a bool is no axis and no size")
    return tuple(map(operator.index, found))
  except TypeError as error:
    raise TypeError(
        f"{name}={given!r} was given; an int is allowed, or a sequence of ints. {advice}"
    ) from error


def _blocks(kind: str, block, axes: tuple[int, ...], shape) -> dict[int, int]:
  """The size of the blocks along each of the axes."""
  block = BLOCKS[kind] if block is None else block
  sizes = _integers("block", block, f"Leave it out for {BLOCKS[kind]}.")
  if not isinstance(block, Sequence):
    sizes *= len(axes)
  if len(sizes) != len(axes):
    raise ValueError(
        f"block={block!r} was given for {len(axes)} axes; an int is allowed, or one for each axis. "
        f"Leave it out for {BLOCKS[kind]}.")
  for i, size in zip(axes, sizes):
    if not 1 <= size < 2**31 or shape[i] % size:
      raise ValueError(
          f"blocks of {size} do not divide the {shape[i]} elements of axis {i}; a divisor is "
          "allowed. Pass block=..., or pad x with zeros.")
  return dict(zip(axes, sizes))


def of_results(kind: str, values: jax.Array, scales: jax.Array) -> Quantized:
  """The results of a kernel that quantises (see `out_avals`) as `quantize` gives them."""
  if kind == "mx":
    scales = jax.lax.bitcast_convert_type(scales, jnp.float8_e8m0fnu)
  return Quantized(values, scales)


def operand_of_quantized(x):
  """x, an operand of a product whose result is quantised. To differentiate it raises an error."""
  return without_derivative(
      x, "a product with quantize_out was differentiated; it has no derivative, because that would "
      "be one of the rounding to float8. Leave quantize_out out, or use jaxgemm.fp8 for training.")


def check_blocks(kind: str, shape) -> None:
  """Raises ValueError if the blocks of a quantised result do not divide its columns."""
  if not shape or shape[-1] % BLOCKS[kind]:
    raise ValueError(
        f"quantize_out={kind!r} was given, and the result has shape {tuple(shape)}; a last "
        f"dimension of whole blocks of {BLOCKS[kind]} is allowed. Pad the columns of the second "
        "operand, or call jaxgemm.quantize on the result.")


def require_open(options: Options, why: str) -> None:
  """Raises ValueError if XLA quantises a result, for this reason, and the caller asked for kernels.

  Args:
    options: those of the product, with quantize_out.
  """
  if options.implementation == "jaxgemm" or not options.config.is_open:
    raise ValueError(
        f"quantize_out={options.quantize_out!r} was given with implementation='jaxgemm', schedule= "
        f"or config=, but {why.removesuffix('.')}. Leave these out, and XLA quantises the result.")


def bounded_quotient(wide, scales, dtype) -> jax.Array:
  """wide / scales; what is beyond the largest value of a dtype becomes that value.

  Infinities and NaN stay what they are. The bounds are those of `wide`, because the quotient of
  finite numbers may be infinite.
  """
  most = scales * largest(dtype)
  return jnp.where(jnp.isfinite(wide), jnp.clip(wide, -most, most), wide) / scales


def cast(scaled, dtype) -> jax.Array:
  """Casts float32 values to the nearest values of a small dtype."""
  if jnp.issubdtype(dtype, jnp.integer):
    scaled = jnp.round(scaled)
  if dtype == jnp.int4:
    scaled = jnp.clip(scaled, -7, 7).astype(jnp.int8)
  # Without the barrier XLA for GPUs removes this cast if a cast back to float follows it in the
  # same program, because it allows results that are more precise (xla_allow_excess_precision).
  return jax.lax.optimization_barrier(scaled.astype(dtype))


def stochastic_round(scaled, dtype, key: jax.Array) -> jax.Array:
  """A float32 array whose elements are rounded to one of their two neighbours in a dtype.

  The result is still float32. The nearer neighbour is more probable, so that the expected value is
  the element. Elements that are not finite or beyond the dtype's largest value are not changed.
  """
  if jnp.issubdtype(dtype, jnp.integer):
    step = in_one = jnp.float32(1)
  else:
    info = jnp.finfo(dtype)
    exponent = (jax.lax.bitcast_convert_type(scaled, jnp.int32) >> 23 & 255) - 127
    exponent = jnp.clip(exponent, int(info.minexp), int(info.maxexp)) - int(info.nmant)
    step, in_one = (jax.lax.bitcast_convert_type((each + 127) << 23, jnp.float32)
                    for each in (exponent, -exponent))
  # Powers of two multiply exactly. XLA would make one division of this and that by the scale, by
  # their product, which may be subnormal.
  steps = scaled * in_one
  whole = jnp.floor(steps)
  whole += jax.random.uniform(key, scaled.shape) < steps - whole
  inside = jnp.abs(scaled) < largest(dtype)  # false for NaN
  return jnp.where(inside, whole * step, scaled)


def largest(dtype) -> float:
  """The largest finite value of a dtype."""
  integer = jnp.issubdtype(dtype, jnp.integer)
  return float(jnp.iinfo(dtype).max if integer else jnp.finfo(dtype).max)


def scales_of(amax, dtype, of_zeros: float = 1) -> jax.Array:
  """The float32 scales with which the largest magnitudes `amax` become the dtype's largest value.

  They and their reciprocals are normal numbers, so that neither is 0 or infinite, on devices that
  flush subnormal numbers, too. Where amax is 0 they are `of_zeros`.
  """
  # Rounded down, so that the largest value times its scale is finite.
  most = np.nextafter(np.float32(float(jnp.finfo(jnp.float32).max) / largest(dtype)), np.float32(0))
  return jnp.where(amax == 0, of_zeros, jnp.clip(amax / largest(dtype), SMALLEST_NORMAL, most))


def _power_of_two(amax, dtype) -> jax.Array:
  """The scales of the MX formats, which are powers of two, as float8_e8m0fnu.

  The exponent of a scale is that of the largest element less that of the dtype's largest value
  (OCP Microscaling Formats 1.0, 6.3).
  """
  exponent = jax.lax.bitcast_convert_type(amax, jnp.int32) >> 23  # biased, as in e8m0
  of_dtype = int(np.floor(np.log2(largest(dtype))))
  # 2**-127 is subnormal in float32, which some devices flush to zero.
  biased = jnp.clip(exponent - of_dtype, 1, 254)
  biased = jnp.where(amax == 0, 127, biased).astype(jnp.uint8)
  return jax.lax.bitcast_convert_type(biased, jnp.float8_e8m0fnu)


def quantize(x: jax.Array, kind: str = "tensor", *, axis: int | Sequence[int] = -1,
             dtype=None, block: int | Sequence[int] | None = None,
             key: jax.Array | None = None) -> Quantized:
  """Casts an array to a small dtype, with scales from its largest magnitudes.

  A scale is the largest magnitude of the finite elements that share it, divided by the dtype's
  largest value; it is 1 if all of them are zero. For kind "mx" see "mx" below. Infinite and NaN
  elements have no effect on the scale. They become NaN (inf in dtypes that have it); for integers
  and float4, which have neither, the result is undefined. There are two passes over x, one for the
  largest magnitudes and one for the cast; XLA may fuse each with the operations that produce x.

  jax differentiates these operations as they are, the cast included; for training use
  `jaxgemm.fp8`.

  Args:
    x: array of floats.
    kind: which values share a scale. The names in parentheses are the recipes of `jaxgemm.fp8`.
      "tensor" ("tensorwise"): all values.
      "row" ("rowwise"): the values along `axis`. For a product this is the contracted axis: lhs
      then has a scale for each row, and rhs one for each column.
      "block" ("blockwise"): `block` neighbours along `axis`; with two axes, blocks of
      `block` x `block`.
      "mx" ("mxfp8"): `block` neighbours along `axis`, with scales that are powers of two, in
      float8_e8m0fnu, as in OCP Microscaling Formats 1.0, section 6.3.
      "mxfp4", for weights: "mx" with float4_e2m1fn.
      "int4", for weights: `block` neighbours along `axis`, as integers from -7 to 7.
    axis: for "row" and "block" an int or a sequence of ints; else an int.
    dtype: dtype of the values: float8, float4_e2m1fn or int8. The default is the e4m3 that the
      kernels of the default platform read (float8_e4m3fnuz on gfx942, else float8_e4m3fn).
      "mxfp4" and "int4" have dtypes of their own.
    block: the number of values in a block, or one number for each axis. It divides the size of
      the axis. The default is 128 for "block", else 32.
    key: a key of `jax.random`, for stochastic rounding: an element becomes one of its two
      neighbours in dtype, with probabilities that make its expected value the element. The
      default is the nearest one.

  Returns:
    A `Quantized`. Its scales have x's rank, as scale_lhs and scale_rhs of the products expect.
    They are float32, for "mx" and "mxfp4" float8_e8m0fnu.

  Raises:
    ValueError, TypeError: an argument has another value than those above.
  """
  if not isinstance(kind, str) or kind not in _KINDS:
    names = ", ".join(map(repr, _KINDS))
    raise ValueError(f"kind={kind!r} is unknown; {names} are allowed. Pass one of these.")
  if block is not None and kind not in BLOCKS:
    raise ValueError(
        f"block={block} was given with kind={kind!r}; it is allowed with "
        f"{', '.join(map(repr, BLOCKS))}. Leave it out.")
  x = jnp.asarray(operand_argument("x", x))
  if not jnp.issubdtype(x.dtype, jnp.floating):
    raise TypeError(f"x has dtype {x.dtype.name}; a float dtype is allowed. Cast it.")
  if kind in _DTYPES:
    own = jnp.dtype(_DTYPES[kind])
    if dtype is not None and dtype_argument("dtype", dtype) != own:
      raise ValueError(
          f"dtype={dtype_argument('dtype', dtype).name} was given with kind={kind!r}; {own.name} "
          "is allowed. Leave it out.")
    axes = _axes(kind, axis, x.ndim)
    blocks = _blocks(kind, block, axes, x.shape)
    return _quantize(x, key, kind=kind, axes=axes, blocks=tuple(blocks.items()), dtype=own)
  dtype = float8_dtypes()[0] if dtype is None else dtype_argument("dtype", dtype)
  small = jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1
  if dtype != jnp.int8 and (not small or dtype == jnp.float8_e8m0fnu):
    raise ValueError(
        f"dtype={dtype.name} was given; the float8 dtypes, float4_e2m1fn and int8 are allowed. "
        "Leave it out for the default.")
  axes = _axes(kind, axis, x.ndim)
  blocks = _blocks(kind, block, axes, x.shape) if kind in BLOCKS else {}
  return _quantize(x, key, kind=kind, axes=axes, blocks=tuple(blocks.items()), dtype=dtype)


def quantize_rows(x: jax.Array, axes: tuple[int, ...], dtype, kind: str = "row",
                  block: int | None = None) -> Quantized:
  """`quantize` for rows of a product that is differentiated; the scale of zeros is tiny.

  A gradient multiplies the cotangent by these scales before it is quantised. With a scale of 1 a
  row of zeros, which has no effect on the gradient, could be the largest one, and others would
  become 0. The scale of zeros of kind "mx" is 1.

  Args:
    axes: counted from 0.
    kind: "row", "block" or "mx".
    block: the size of blocks of the last two kinds.
  """
  blocks = () if block is None else tuple((i, block) for i in axes)
  return _quantize(x, None, kind=kind, axes=axes, blocks=blocks, dtype=dtype,
                   of_zeros=SMALLEST_NORMAL)


@functools.partial(jax.jit, static_argnames=("kind", "axes", "blocks", "dtype", "of_zeros"),
                   inline=True)
def _quantize(x, key, *, kind, axes, blocks, dtype, of_zeros=1) -> Quantized:
  """`quantize` for arguments that have been checked; blocks are pairs of axis and size."""
  wide, within, sizes = x.astype(jnp.float32), axes, dict(blocks)
  if blocks:
    # Each of the axes becomes two dimensions: the blocks, and the elements of a block.
    shape, within = [], ()
    for i, size in enumerate(x.shape):
      shape += [size // sizes[i], sizes[i]] if i in sizes else [size]
      within += (len(shape) - 1,) if i in sizes else ()
    wide = wide.reshape(shape)
  amax = jnp.max(jnp.where(jnp.isfinite(wide), jnp.abs(wide), 0), axis=within, keepdims=True,
                 initial=0)
  if kind in _MX:
    scales = _power_of_two(amax, dtype)
  else:
    scales = scales_of(amax, dtype, of_zeros)
  factors = scales.astype(jnp.float32)
  # Only with scales that are powers of two may a value be beyond the largest by more than rounding.
  # The other kinds do not saturate, so that the operand of the cast has one use: then XLA
  # transposes an operand of a product in the kernel that casts it.
  scaled = bounded_quotient(wide, factors, dtype) if kind in _MX else wide / factors
  if key is not None:
    scaled = stochastic_round(scaled, dtype, key)
  values = cast(scaled, dtype).reshape(x.shape)
  return Quantized(values, jnp.squeeze(scales, within) if blocks else scales)
