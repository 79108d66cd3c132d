"""The common part of matmul and dot_general: who computes a product, and how.

The options of a call are checked, and its bias and scales placed (`prepare`). Then XLA computes it
(xla.py), or the kernels do, as `contract_p` (primitive.py).
"""

import dataclasses
from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call.config import check_activation, resolve
from jaxgemm.call.fallback import is_own, leaves_to_xla, on_xla, prefers_xla, support
from jaxgemm.call.options import emulated_arch, use_emulator
from jaxgemm.call.precision import is_high
from jaxgemm.call.spec import Spec
from jaxgemm.dense import sharding, xla
from jaxgemm.dense.dimensions import Product
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.plan import reason_faster
from jaxgemm.dense.primitive import contract, contract_local
from jaxgemm.dense.vectors import Scales, labelled_vector, place_scales
from jaxgemm.sharding import mesh as meshes


class Prepared(NamedTuple):
  """A product whose options are checked and resolved.

  Attributes:
    spec: what the call computes.
    dims: the product's labels, with those of bias and scales.
    vectors: bias, scale and row_scale in the dtypes that the kernels read; None for an absent one.
    dtypes: those to which lhs and rhs are converted for the kernels.
    reason: why the kernels cannot compute it, or None.
  """

  spec: Spec
  dims: Dims
  vectors: tuple[jax.Array | None, ...]
  dtypes: tuple[np.dtype, np.dtype]
  reason: str | None


def prepare(lhs, rhs, bias, scales: Scales, product: Product, *, chunked: bool = False,
            precision, activation, schedule, reduction, deterministic, config,
            implementation) -> Prepared:
  """Checks the options of a call, and places its bias and scales.

  Args:
    chunked: whether lhs arrives in chunks; then no part may run outside the kernel.

  Raises:
    ValueError, TypeError: an option, bias or a scale is not allowed.
  """
  check_activation(activation)
  emulated = emulated_arch(implementation)
  config = resolve(config, schedule, reduction, deterministic)
  out_dtype = product.result.dtype
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  bias, bias_labels = labelled_vector(
      "bias", bias, product, jnp.int32 if integer else jnp.float32, scalar=False)
  (scale, scale_labels), (row_scale, row_scale_labels) = place_scales(
      scales, lhs, rhs, product, chunked)
  dims = product.dims._replace(
      bias=bias_labels, scale=scale_labels, row_scale=row_scale_labels)
  spec = Spec(out_dtype, activation, config=config, deterministic=deterministic,
              weak_type=product.result.weak_type, emulated=emulated,
              precise=not chunked and is_high(precision))
  dtypes, reason = support(lhs, rhs, out_dtype, product.k, precision, emulated,
                           splits=not chunked)
  reason = reason or meshes.unreduced_reason(
      product.result.sharding, *(jax.typeof(x).sharding for x in (lhs, rhs)))
  return Prepared(spec, dims, (bias, scale, row_scale), dtypes, reason)


def dense_results(lhs, rhs, bias, scales: Scales, product: Product, *,
                  save_preact: bool = False, own: bool = False,
                  **options) -> list[jax.Array]:
  """[out], or with save_preact [out, the value before the activation].

  Explicit meshes do not have save_preact. For `own` see `fallback.own_products`, for the options
  `prepare`.
  """
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  spec, dims, vectors, dtypes, reason = prepare(lhs, rhs, bias, scales, product, **options)
  spec = dataclasses.replace(spec, save_preact=save_preact)
  implementation = options["implementation"]
  by_xla = prefers_xla(product.k, implementation)
  warns = reason is not None or not (own or is_own())
  if reason is None and implementation is None and not by_xla:
    shapes = [[size for i, size in enumerate(x.shape) if i not in axes]
              for x, axes in zip((lhs, rhs), product.dropped)]
    reason = reason_faster([*map(jax.ShapeDtypeStruct, shapes, dtypes), *vectors], dims, spec)
  if leaves_to_xla(implementation, reason, warns) or by_xla:
    with on_xla(implementation, reason):
      return xla.results(lhs, rhs, vectors, product, dims, spec)
  if spec.emulated is not None:
    use_emulator()
  lhs, rhs = (x if x.dtype == dtype else x.astype(dtype)
              for x, dtype in zip((lhs, rhs), dtypes))
  lhs, rhs = (lax.squeeze(x, axes) if axes else x
              for x, axes in zip((lhs, rhs), product.dropped))
  if save_preact:
    return contract(lhs, rhs, *vectors, dims=dims, spec=spec)

  def on_kernels(*operands):
    return contract(*operands, dims=dims, spec=spec)[0]

  def by_types(mesh, *operands):
    return sharding.explicit(mesh, [x for x in operands if x is not None], dims, spec,
                             contract_local, product.result)

  return [meshes.on_mesh(on_kernels, by_types, (lhs, rhs, *vectors), spec.config.partition,
                         product.result)]


def compute(*operands, **options) -> jax.Array:
  """The only result of `dense_results`."""
  return dense_results(*operands, **options)[0]
