"""The common part of matmul and dot_general: who computes a product, and how.

XLA computes it (xla.py), or the kernels do, as `contract_p` (primitive.py).
"""

import functools

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.fallback import on_xla, who_computes
from jaxgemm.call.options import Options
from jaxgemm.call.precision import is_high
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


def dense_results(lhs, rhs, given: Vectors, product: Product, options: Options, *,
                  save_preact: bool = False) -> list[jax.Array]:
  """[out], or with save_preact [out, the value before the activation].

  Explicit meshes do not have save_preact.

  Raises:
    ValueError, TypeError: bias or a scale is not allowed, or the kernels were asked for and lack
      something.
  """
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  dims, vectors = placed(given, lhs, rhs, product, chunked=False)
  result = product.result
  spec = Spec.of(result.dtype, options, save_preact=save_preact, weak_type=result.weak_type,
                 precise=is_high(options.precision))
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
