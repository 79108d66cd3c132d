"""The common part of matmul and dot_general: who computes a product, and how.

The options of a call are checked, and its bias and scales placed (`prepare`). Then XLA computes it
(xla.py), or the kernels do, as `contract_p` (primitive.py).
"""

import dataclasses
from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm import mesh as meshes
from jaxgemm.config import check_activation, resolve
from jaxgemm.dense import sharding, xla
from jaxgemm.dense.dimensions import Product
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.plan import plan_contraction
from jaxgemm.dense.primitive import contract, contract_local
from jaxgemm.dense.vectors import Scales, labelled_vector, place_scales
from jaxgemm.dtypes import promoted, promoted_dtypes
from jaxgemm.fallback import leaves_to_xla, on_xla, prefers_xla, unsupported_reason
from jaxgemm.options import emulated_arch
from jaxgemm.precision import is_high
from jaxgemm.spec import Spec


class Prepared(NamedTuple):
  """A product whose options are checked and resolved.

  Attributes:
    spec: what the call computes.
    dims: the product's labels, with those of bias and scales.
    vectors: bias, scale and row_scale in the dtypes that the kernels read; None for an absent one.
    reason: why the kernels cannot compute it, or None.
  """

  spec: Spec
  dims: Dims
  vectors: tuple[jax.Array | None, ...]
  reason: str | None


def prepare(lhs, rhs, bias, scales: Scales, product: Product, *, chunked: bool = False,
            precision, activation, schedule, reduction, deterministic, config,
            implementation) -> Prepared:
  """Checks the options of a call.

  Args:
    chunked: whether lhs arrives in chunks; then no part may run outside the kernel.
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
  reason = (
      unsupported_reason(lhs, rhs, out_dtype, product.k, precision, emulated,
                         splits=not chunked)
      or meshes.unreduced_reason(
          product.result.sharding, *(jax.typeof(x).sharding for x in (lhs, rhs))))
  return Prepared(spec, dims, (bias, scale, row_scale), reason)


def dense_results(lhs, rhs, bias, scales: Scales, product: Product, *,
                  save_preact: bool = False, **options) -> list[jax.Array]:
  """[out], or with save_preact [out, value before the activation].

  save_preact is not for explicit meshes. See `prepare` for the options.
  """
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  spec, dims, vectors, reason = prepare(lhs, rhs, bias, scales, product, **options)
  spec = dataclasses.replace(spec, save_preact=save_preact)
  implementation = options["implementation"]
  by_xla = prefers_xla(product.k, implementation)
  if reason is None and implementation is None and not by_xla:
    reason = reason_faster(lhs, rhs, vectors, product, dims, spec)
  if leaves_to_xla(implementation, reason) or by_xla:
    with on_xla(implementation, reason):
      return xla.results(lhs, rhs, vectors, product, dims, spec)
  if spec.emulated is not None:
    _ffi.use_emulator()
  lhs, rhs = (lax.squeeze(x, axes) if axes else x
              for x, axes in zip(promoted(lhs, rhs), product.dropped))
  if save_preact:
    return contract(lhs, rhs, *vectors, dims=dims, spec=spec)

  def on_kernels(*operands):
    return contract(*operands, dims=dims, spec=spec)[0]

  def by_types(mesh, *operands):
    return sharding.explicit(mesh, [x for x in operands if x is not None], dims, spec,
                             contract_local, product.result)

  return [meshes.on_mesh(on_kernels, by_types, (lhs, rhs, *vectors), spec.config.partition,
                         product.result)]


def reason_faster(lhs, rhs, vectors, product: Product, dims: Dims, spec: Spec) -> str | None:
  """Why XLA's product is known to be faster than the kernels, or None."""
  operands = [
      jax.ShapeDtypeStruct([size for i, size in enumerate(x.shape) if i not in axes], dtype)
      for x, dtype, axes in zip((lhs, rhs), promoted_dtypes(lhs, rhs), product.dropped)]
  operands += [x for x in vectors if x is not None]
  target = spec.target(_ffi.default_platform())
  return plan_contraction(operands, dims, spec, target)[1]["faster_by_xla"] or None


def compute(*operands, **options) -> jax.Array:
  """The only result of `dense_results`."""
  return dense_results(*operands, **options)[0]
