"""The common part of matmul and dot_general: who computes a product, and how.

XLA computes it (xla.py), or the kernels do, as `contract_p` (primitive.py).
"""

import functools
import math

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import epilogue, few_rows
from jaxgemm.call.fallback import on_xla, who_computes
from jaxgemm.call.options import Options
from jaxgemm.call.precision import is_high
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
  shapes = [[size for i, size in enumerate(x.shape) if i not in axes]
            for x, axes in zip((lhs, rhs), product.dropped)]
  avals = [*map(jax.ShapeDtypeStruct, shapes, dtypes), *(x for x in vectors if x is not None)]
  target = spec.target(_ffi.default_platform())
  return PRODUCT.plan(avals, {"labels": dims, "spec": spec}, target)["faster_by_xla"]


def why_dequantized(lhs, weights: Quantized, dims: Dims, dtype, options: Options) -> str:
  """Why weights are dequantised for a product, or "" if a kernel reads them as they are."""
  k, n = dims.rhs if len(dims.rhs) == 2 else (None, None)
  if len(lhs.shape) < 1 or dims.lhs[-1:] != (k,) or dims.out != (*dims.lhs[:-1], n):
    return "the kernel for few rows takes lhs of shape (..., M, K) and weights of shape (K, N)"
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


def dense_results(lhs, rhs, given: Vectors, product: Product, options: Options, *,
                  save_preact: bool = False) -> list[jax.Array]:
  """[out], or with save_preact [out, the value before the activation].

  Explicit meshes do not have save_preact.

  Raises:
    ValueError, TypeError: bias or a scale is not allowed, or the kernels were asked for and lack
      something.
  """
  weights, rhs = rhs, dequantized(rhs, lhs)
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  dims, vectors = placed(given, lhs, rhs, product, chunked=False)
  result = product.result
  spec = Spec.of(result.dtype, options, save_preact=save_preact, weak_type=result.weak_type,
                 precise=is_high(options.precision))
  if isinstance(weights, Quantized) and not save_preact and not why_dequantized(
      lhs, weights, dims, result.dtype, options):
    return _by_few_rows(lhs, weights, vectors, dims, spec)
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
  if save_preact:
    return contract(*operands, dims=dims, spec=spec)

  def on_kernels(*operands):
    return contract(*operands, dims=dims, spec=spec)[0]

  def by_types(mesh, *operands):
    return sharding.explicit(mesh, [x for x in operands if x is not None], dims, spec,
                             contract_local, result)

  function = meshes.on_mesh(on_kernels, by_types, operands, spec.config.partition, result)
  return [function(*operands)]
