"""Rows in float8 with scales, in one pass over the values that they are made of; and transposed.

The kernels are in ffi/routing/ (float8.h). Where there is none, XLA computes the same.
"""

from typing import Any

import jax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import epilogue
from jaxgemm.call.kernel_calls import VECTOR_BYTES, make
from jaxgemm.call.quantization import BLOCKS, Quantized, quantize_rows
from jaxgemm.fp8 import blocks
from jaxgemm.fp8.recipes import first_derivative
from jaxgemm.grouped import gated_gradient
from jaxgemm.sharding.manual_axes import unify_varying

_ROWS_AT_ONCE = 8  # what a lane stores of a column
# e4m3 and e5m2
_OCP = jnp.dtype(jnp.float8_e4m3fn), jnp.dtype(jnp.float8_e5m2)
_FNUZ = jnp.dtype(jnp.float8_e4m3fnuz), jnp.dtype(jnp.float8_e5m2fnuz)


def quantized_rows(x: jax.Array, kind: str, dtype, bounds: jax.Array | None = None) -> Quantized:
  """x[R, K] as `quantize` of kind "row", "block" or "mx" along K; elements that are inf become NaN.

  Scales of zeros are tiny, but for "mx" (see `quantize_rows`).

  Args:
    bounds: int32[2], the first row and the end. Rows out of these bounds are not read, and become
      zeros. None: all rows.
  """
  return _quantized(x, None, kind, dtype, bounds)


def hidden_quantized(z: jax.Array, activation: str | None, kind: str, dtype,
                     bounds: jax.Array | None = None) -> Quantized:
  """`quantized_rows` of activation(gate) * up, where z[R, 2, H] is (gate, up).

  The rows are rounded to z's dtype first, as the result of a gated product is.
  """
  return _quantized(z, (activation,), kind, dtype, bounds)


def gated_gradient_quantized(z, g, w, activation: str | None, kind: str, dtype
                             ) -> tuple[jax.Array, jax.Array, jax.Array, Quantized]:
  """(dz, hw, dw) of `gated_gradient`, and dz[R, 2 H] as `quantized_rows` gives it."""
  z, g, w = map(first_derivative, unify_varying([z, g, w.astype(jnp.float32)]))
  block = BLOCKS.get(kind, 0)
  if block and z.shape[-1] % block:
    dz, hw, dw = gated_gradient.gated_gradient(z, g, w, activation)
    flat = dz.reshape(len(dz), 2 * dz.shape[-1])
    return dz, hw, dw, blocks.quantized(flat, kind, dtype)
  dz, hw, dw, *rows = _gradient_p.bind(
      z, g, w, activation=activation, block=block, dtype=jnp.dtype(dtype), mx=kind == "mx")
  return dz, hw, dw, Quantized(*rows)


def quantized_columns(x: jax.Array, factors: jax.Array, dtype, bounds: jax.Array,
                      lines: jax.Array | None = None) -> jax.Array:
  """[K, R] in float8: rows of x[T, K] times their factors, transposed.

  What is beyond the largest value of `dtype` saturates; elements that are inf become NaN.

  Args:
    factors: float32[R].
    bounds: int32[2], the first row and the end. Rows out of these bounds are not read, and become
      zeros.
    lines: int32[R], the line of x that each row is; a row of a line that x has not is zeros. None:
      R is T, and row i is line i.
  """
  gathers = lines is not None
  lines = jnp.zeros(0, jnp.int32) if lines is None else lines
  x, lines, factors, bounds = unify_varying(
      [first_derivative(x), lines, factors.astype(jnp.float32), bounds])
  return _columns_p.bind(x, lines, factors, bounds, gathers=gathers, dtype=jnp.dtype(dtype))[0]


def _quantized(x, gated: tuple | None, kind: str, dtype, bounds) -> Quantized:
  block = BLOCKS.get(kind, 0)
  bounds = jnp.array([0, len(x)], jnp.int32) if bounds is None else bounds
  params: dict[str, Any] = dict(
      gated=gated is not None, activation="" if gated is None else gated[0])
  x, bounds = unify_varying([first_derivative(x), bounds])
  if block and x.shape[-1] % block:
    return blocks.quantized(_rows_within(x, bounds, **params), kind, dtype)
  return Quantized(*_rows_p.bind(
      x, bounds, **params, block=block, dtype=jnp.dtype(dtype), mx=kind == "mx"))


def _rows_within(x, bounds, *, gated: bool, activation):
  """The rows [..., R, K] that are quantised, with zeros out of bounds."""
  rows = x
  if gated:
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    rows = epilogue.activate(wide, activation, gated=True).astype(x.dtype)
  at = jnp.arange(rows.shape[-2])
  within = (bounds[..., :1] <= at) & (at < bounds[..., 1:])
  return jnp.where(within[..., None], rows, 0)


def _quantize(rows, block: int, dtype, mx: bool) -> Quantized:
  kind = "mx" if mx else "block" if block else "row"
  finite = jnp.where(jnp.isinf(rows), jnp.nan, rows)
  return quantize_rows(finite, (finite.ndim - 1,), dtype, kind, block or None)


def _rows_by_xla(x, bounds, *, gated, activation, block, dtype, mx):
  rows = _rows_within(x, bounds, gated=gated, activation=activation)
  return tuple(_quantize(rows, block, dtype, mx))


def _types(rows: tuple[int, ...], block: int, dtype, mx: bool) -> list:
  """The shapes and dtypes of rows in float8, and of their scales."""
  blocks_of_row = rows[-1] // block if block else 1
  return [(rows, dtype), ((*rows[:-1], blocks_of_row),
                          jnp.float8_e8m0fnu if mx else jnp.float32)]


def _rows_results(x, bounds, *, gated, activation, block, dtype, mx):
  del bounds, activation
  return _types((*x.shape[:-2], x.shape[-1]) if gated else x.shape, block, dtype, mx)


def _limits_of_target(target: str, dtype) -> str:
  """Why a target's kernels do not make a dtype, or ""."""
  own = _FNUZ if target in _ffi.FNUZ_TARGETS else _OCP
  if dtype in own:
    return ""
  alike = own[jnp.finfo(dtype).nmant == 2]
  return (f"the products of {target} read {alike.name} without a conversion, and {dtype.name} is "
          "wanted")


def _rows_limits(target, x, bounds, *, gated, activation, block, dtype, mx) -> str:
  del bounds, block, mx
  if gated and activation != "silu":
    return f"the kernel has the activation silu, and {activation} was given"
  return _limits_of_vectors(x) or _limits_of_target(target, dtype)


def _limits_of_vectors(x) -> str:
  if x.dtype not in gated_gradient.DTYPES or x.shape[-1] * x.dtype.itemsize % VECTOR_BYTES:
    return ("the kernel takes float32, float16 and bfloat16 in rows of whole vectors of "
            f"{VECTOR_BYTES} bytes, and these have {x.shape[-1]} elements of {x.dtype.name}")
  return ""


def _columns_by_xla(x, lines, factors, bounds, *, gathers, dtype):
  rows = x
  if gathers:
    is_line = (lines >= 0) & (lines < x.shape[-2])
    at = jnp.where(is_line, lines, 0)[..., None]
    rows = jnp.where(is_line[..., None], jnp.take_along_axis(x, at, axis=-2), 0)
  rows = _rows_within(rows, bounds, gated=False, activation=None).astype(jnp.float32)
  products = rows * jnp.where(jnp.isinf(rows), jnp.nan, factors[..., None])
  most = float(jnp.finfo(dtype).max)
  return [jnp.clip(products, -most, most).astype(dtype).swapaxes(-1, -2)]


def _columns_results(x, lines, factors, bounds, *, gathers, dtype):
  del lines, bounds, gathers
  return [((*x.shape[:-2], x.shape[-1], factors.shape[-1]), dtype)]


def _columns_limits(target, x, lines, factors, bounds, *, gathers, dtype) -> str:
  del lines, bounds, gathers
  if factors.shape[-1] % _ROWS_AT_ONCE:
    return (f"the kernel stores {_ROWS_AT_ONCE} rows of a column at once, and there are "
            f"{factors.shape[-1]} rows")
  return _limits_of_vectors(x) or _limits_of_target(target, dtype)


def _gradient_by_xla(z, g, w, *, activation, block, dtype, mx):
  dz, hw, dw = gated_gradient.by_xla(z, g, w, activation=activation)
  flat = dz.reshape(*dz.shape[:-2], 2 * dz.shape[-1])
  return dz, hw, dw, *_quantize(flat, block, dtype, mx)


def _gradient_results(z, g, w, *, activation, block, dtype, mx):
  rows = *z.shape[:-2], 2 * z.shape[-1]
  return [*gated_gradient.results(z, g, w, activation=activation), *_types(rows, block, dtype, mx)]


def _gradient_limits(target, z, g, w, *, activation, block, dtype, mx) -> str:
  del block, mx
  return (gated_gradient.limits(target, z, g, w, activation=activation)
          or _limits_of_target(target, dtype))


_rows_p = make("jaxgemm_quantize_rows", _rows_results, _rows_by_xla, _rows_limits,
               attributes=("activation", "block"))
_columns_p = make("jaxgemm_quantize_columns", _columns_results, _columns_by_xla, _columns_limits)
_gradient_p = make("jaxgemm_quantized_gradient", _gradient_results, _gradient_by_xla,
                   _gradient_limits, attributes=("activation", "block"),
                   in_place=gated_gradient.IN_PLACE)
