"""The common part of matmul and dot_general: who computes a product, and how.

XLA computes it (xla.py), or the kernels do, as `contract_p` (primitive.py).
"""

from collections.abc import Callable
import functools
import math
from typing import Any

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import epilogue, few_rows
from jaxgemm.call.fallback import on_xla, who_computes
from jaxgemm.call.options import Options
from jaxgemm.call.precision import is_high
from jaxgemm.call.quantization import (
  check_blocks,
  of_results,
  operand_of_quantized,
  quantize,
  require_open,
)
from jaxgemm.call.quantized import Quantized, dequantized
from jaxgemm.call.spec import Spec
from jaxgemm.dense import sharding, xla
from jaxgemm.dense.dimensions import Product
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.primitive import contract, contract_local
from jaxgemm.dense.product import PRODUCT
from jaxgemm.dense.vectors import Vectors, placed
from jaxgemm.sharding import mesh as meshes


def faster_by_xla(lhs, rhs, vectors, product: Product, dims: Dims, spec: Spec, dtypes) -> str:
  """Why XLA's product is known to be faster than the kernels on the default platform, or ""."""
  avals = _kernel_avals(lhs, rhs, vectors, product, dtypes)
  target = spec.target(_ffi.default_platform())
  return PRODUCT.plan(avals, {"labels": dims, "spec": spec}, target)["faster_by_xla"]


def _why_dequantized(lhs, weights: Quantized, dims: Dims, dtype, options: Options) -> str:
  """Why weights are dequantised for a product, or "" if a kernel reads them as they are."""
  k, n = dims.rhs if len(dims.rhs) == 2 else (None, None)
  if len(lhs.shape) < 1 or dims.lhs[-1:] != (k,) or dims.out != (*dims.lhs[:-1], n):
    return few_rows.OTHER_DIMENSIONS
  if dtype not in (lhs.dtype, jnp.float32):
    return f"the kernel for few rows gives the other operand's dtype, or float32, and not {dtype}"
  return few_rows.why_not(_few_rows(lhs, weights), options)


def _few_rows(lhs, weights: Quantized) -> few_rows.Operands:
  def reshaped(x, shape):
    if isinstance(x, jax.ShapeDtypeStruct):
      return jax.ShapeDtypeStruct(shape, x.dtype)
    return jnp.reshape(x, shape)

  lines = math.prod(lhs.shape[:-1])
  of_weights = (reshaped(x, (1, *x.shape)) for x in weights)
  return few_rows.Operands(reshaped(lhs, (lines, lhs.shape[-1])), Quantized(*of_weights))


def _by_few_rows(lhs, weights: Quantized, vectors, dims: Dims, spec: Spec) -> list[jax.Array]:
  """[out] by the kernel for few rows, and the epilogue by XLA."""
  plain = all(x is None for x in vectors) and spec.activation is None
  acc = few_rows.product(_few_rows(lhs, weights), spec.out_dtype if plain else jnp.float32)
  acc = jnp.reshape(acc, (*lhs.shape[:-1], acc.shape[-1]))
  return [acc] if plain else epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)


def dense_product(lhs, rhs, given: Vectors, product: Callable[[Options], Product],
                  options: Options) -> Any:
  """The result of a public product, which is quantised if options.quantize_out.

  Args:
    product: the call with these options, without its epilogue.
  """
  kind, called = options.quantize_out, product(options)
  if kind is None:
    return dense_results(lhs, rhs, given, called, options)[0]
  dtype = called.result.dtype
  check_blocks(kind, called.result.shape)
  rhs = dequantized(rhs, lhs, few_rows.NOT_QUANTIZING)
  lhs, rhs, given = jax.tree.map(operand_of_quantized, (lhs, rhs, given))
  if why := _why_not_quantized(lhs, rhs, given, called, options):
    require_open(options, why)
    options = options._replace(quantize_out=None, preferred_element_type=jnp.dtype(jnp.float32))
    out, = dense_results(lhs, rhs, given, product(options), options)
    return quantize(out, kind, dtype=dtype)
  return of_results(kind, *dense_results(lhs, rhs, given, called, options))


def _why_not_quantized(lhs, rhs, given: Vectors, product: Product, options: Options) -> str:
  """Why XLA quantises the result, or ""."""
  dims, vectors = placed(given, jnp.asarray(lhs), jnp.asarray(rhs), product, chunked=False)
  avals = _kernel_avals(lhs, rhs, vectors, product, (lhs.dtype, rhs.dtype))
  return PRODUCT.why_not_quantized(
      avals, {"labels": dims, "spec": Spec.of(product.result.dtype, options)},
      meshes.explicit_mesh(lhs, rhs) is not None)


def _kernel_avals(lhs, rhs, vectors, product: Product, dtypes):
  """The types of the operands of the kernels' call."""
  shapes = [[size for i, size in enumerate(x.shape) if i not in axes]
            for x, axes in zip((lhs, rhs), product.dropped)]
  return [*map(jax.ShapeDtypeStruct, shapes, dtypes), *(x for x in vectors if x is not None)]


def dense_results(lhs, rhs, given: Vectors, product: Product, options: Options, *,
                  save_preact: bool = False) -> list[jax.Array]:
  """[out], or with save_preact [out, the value before the activation].

  With options.quantize_out the scales of out are one more result. Explicit meshes have neither.

  Raises:
    ValueError, TypeError: bias or a scale is not allowed, or the kernels were asked for and lack
      something.
  """
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jax.tree.map(jnp.asarray, (lhs, rhs))
  dims, vectors = placed(given, lhs, rhs, product, chunked=False)
  result = product.result
  spec = Spec.of(result.dtype, options, save_preact=save_preact, weak_type=result.weak_type,
                 precise=is_high(options.precision))
  if isinstance(rhs, Quantized):
    why = few_rows.NOT_FOR_TRAINING if save_preact else _why_dequantized(
        lhs, rhs, dims, result.dtype, options)
    if not why:
      return _by_few_rows(lhs, rhs, vectors, dims, spec)
    rhs = dequantized(rhs, lhs, why)
  dtypes, reason = who_computes(
      lhs, rhs, result, product.k, options,
      faster=functools.partial(faster_by_xla, lhs, rhs, vectors, product, dims, spec))
  if reason:
    with on_xla(reason):
      return xla.results(lhs, rhs, vectors, product, dims, spec)
  lhs, rhs = (x if x.dtype == dtype else x.astype(dtype)
              for x, dtype in zip((lhs, rhs), dtypes))
  lhs, rhs = (lax.squeeze(x, axes) if axes else x
              for x, axes in zip((lhs, rhs), product.dropped))
  operands = lhs, rhs, *vectors
  if save_preact or spec.quantize_out is not None:
    return contract(*operands, dims=dims, spec=spec)

  def on_kernels(*operands):
    return contract(*operands, dims=dims, spec=spec)[0]

  def by_types(mesh, *operands):
    return sharding.explicit(mesh, [x for x in operands if x is not None], dims, spec,
                             contract_local, result)

  function = meshes.on_mesh(on_kernels, by_types, operands, spec.config.partition, result)
  return [function(*operands)]
