"""Dense products: the primitive, the layout of a call for its kernel, and its plan."""

import dataclasses
from typing import NamedTuple

from jax.extend.core import Primitive
import jax.numpy as jnp

from jaxgemm.call import epilogue, jax_products
from jaxgemm.call.dtypes import accumulator_dtype
from jaxgemm.call.plan import is_bf16, plan_call
from jaxgemm.call.product import Arranged, Product
from jaxgemm.call.spec import Geometry, Spec
from jaxgemm.call.transposes import before
from jaxgemm.dense import layout
from jaxgemm.dense.layout import Dims

# Its parameter `labels` is a `Dims`; jax has an argument `dims` of its own in batching.
contract_p = Primitive("jaxgemm_contract")
contract_p.multiple_results = True


class KernelPart(NamedTuple):
  """The kernel's part of a contraction.

  Attributes:
    layout: how the kernel computes it.
    spec: what the kernel computes.
    fused: whether the kernel applies bias, scale and activation; else they follow it.
  """

  layout: layout.Layout
  spec: Spec
  fused: bool


def kernel_part(lhs, rhs, dims: Dims, sizes, spec: Spec) -> KernelPart:
  """What the kernel computes of a contraction with these sizes of labels."""
  chosen = layout.choose(dims, sizes, spec.activation is None, spec.same_rows)
  fused = chosen is not None and (spec.quantize_out is None or _keeps_columns(chosen, dims))
  if chosen is None:
    chosen = layout.of_product(dims, sizes, spec.same_rows)
  if not fused or chosen.summed:
    spec = spec.accumulator(lhs, rhs)
  return KernelPart(chosen, dataclasses.replace(spec, weak_type=False), fused)


def _keeps_columns(how: layout.Layout, dims: Dims) -> bool:
  """Whether the last dimension of out is the last one of the kernel's columns."""
  return (not how.swap and not how.summed and "out" not in how.relayouts
          and how.n[-1:] == dims.out[-1:])


def kernel_scales(scale, row_scale, how: layout.Layout):
  """(scale, row_scale) of the kernel's product, which may be the transposed one."""
  return (row_scale, scale) if how.swap else (scale, row_scale)


def kernel_geometry(how: layout.Layout, dims: Dims, size) -> Geometry:
  """The sizes and layouts of the kernel call of a contraction. size: that of each label."""
  lhs, rhs = (dims.rhs, dims.lhs) if how.swap else (dims.lhs, dims.rhs)
  batch, m, n, k = (layout.count(x, size) for x in (how.batch, how.m, how.n, how.k))
  lhs_batched, rhs_batched = (any(i in labels for i in how.batch) for labels in (lhs, rhs))
  return Geometry(batch, m, n, k, how.lhs_contracting, how.rhs_contracting, lhs_batched,
                  rhs_batched)


def gradients(dims: Dims, sizes, lhs, rhs, one_order: bool) -> dict[str, tuple[str, ...]]:
  """By operand: the arrays that its gradient transposes; "cotangent" is the gradient of out."""
  found = {}
  for name, x, contraction, names in (
      ("lhs", lhs, Dims(dims.out, dims.rhs, dims.lhs), {"lhs": "cotangent"}),
      ("rhs", rhs, Dims(dims.lhs, dims.out, dims.rhs), {"rhs": "cotangent"}),
  ):
    if jnp.issubdtype(x.dtype, jnp.inexact):
      chosen = layout.of_product(contraction, sizes, one_order)
      found[name] = tuple(names.get(r, r) for r in chosen.relayouts)
  return found


class Dense(Product):
  """`contract_p`."""

  primitive = contract_p

  def plan(self, avals, params, target):
    dims, spec = params["labels"], params["spec"]
    sizes = layout.label_sizes(dims, *(x.shape for x in avals))
    lhs, rhs, bias, scale, row_scale = dims.split(avals)
    how, spec, fused = kernel_part(lhs, rhs, dims, sizes, spec)
    dtypes = (rhs.dtype, lhs.dtype) if how.swap else (lhs.dtype, rhs.dtype)
    scale, row_scale = kernel_scales(scale, row_scale, how)
    vectors = {"bias": bias, "scale": scale, "row_scale": row_scale}
    there = {name: fused and x is not None for name, x in vectors.items()}
    return plan_call(kernel_geometry(how, dims, dict(sizes)), *dtypes, spec, target,
                     **there, bias_bf16=fused and is_bf16(bias))

  def arrange(self, avals, params, given):
    dims, (lhs, rhs) = params["labels"], avals[:2]
    sizes = layout.label_sizes(dims, *(x.shape for x in avals))
    spec = params["spec"]
    kernel = kernel_part(lhs, rhs, dims, sizes, spec)
    reasons: tuple[str, ...] = ()
    if not kernel.fused and kernel.layout == layout.choose(
        dims, sizes, spec.activation is None, spec.same_rows):
      reasons = ("XLA quantises the result, whose last dimension is not that of the kernel's "
                 "columns",)
    elif not kernel.fused:
      reasons = (
          "the epilogue runs outside the kernel: bias or scale varies along rows of one matrix",)
    return Arranged(kernel.layout.relayouts, gradients(dims, sizes, lhs, rhs, spec.same_rows),
                    kernel.layout.swap, kernel.fused, reasons)

  def xla(self, avals, params):
    dims, spec = params["labels"], params["spec"]
    if spec.save_preact:  # a second result, for a gradient
      return None
    plain = len(dims.operands()) == 2 and spec.activation is None
    sums = spec.out_dtype if plain else accumulator_dtype(*avals[:2])

    def compute(*operands):
      lhs, rhs, *vectors = dims.split(operands)
      acc = jax_products.einsum(
          lhs, list(dims.lhs), rhs, list(dims.rhs), list(dims.out), preferred_element_type=sums)
      if plain:
        return [acc]
      return epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)

    return compute

  def read_before_transpose(self, params, i, permutation):
    labels = params["labels"]  # a contraction reads its labels in any order
    name = labels._fields[i]
    return params | {"labels": labels._replace(
        **{name: before(getattr(labels, name), permutation)})}


PRODUCT = Dense()
