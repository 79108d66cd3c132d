"""The plan of a contraction: its layout, and the kernel call that computes it."""

import dataclasses
from typing import NamedTuple

import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.plan import plan_call
from jaxgemm.call.spec import Geometry, Spec
from jaxgemm.dense import layout
from jaxgemm.dense.layout import Dims


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
  chosen = layout.choose(dims, sizes, spec.activation is None)
  fused = chosen is not None
  if chosen is None:
    chosen = layout.of_product(dims, sizes)
  if not fused or chosen.summed:
    spec = spec.accumulator(lhs, rhs)
  return KernelPart(chosen, dataclasses.replace(spec, weak_type=False), fused)


def kernel_scales(scale, row_scale, how: layout.Layout):
  """(scale, row_scale) of the kernel's product, which may be the transposed one."""
  return (row_scale, scale) if how.swap else (scale, row_scale)


def is_bf16(bias) -> bool:
  """Whether there is a bias and it is bfloat16."""
  return bias is not None and bias.dtype == jnp.bfloat16


def plan_contraction(operands, dims: Dims, spec: Spec, target: str):
  """(layout, plan) for one device that has operands of these shapes and dtypes.

  The layout is None if the epilogue runs outside the kernel.

  Args:
    operands: arrays or avals of lhs, rhs and the vectors that dims has.
    dims: the labels of the operands.
    spec: what the call computes.
    target: the target of the kernel.

  Raises:
    ValueError: see `plan_call`.
  """
  sizes = layout.label_sizes(dims, *(x.shape for x in operands))
  size = dict(sizes)
  lhs, rhs, bias, scale, row_scale = dims.split(operands)
  kernel = kernel_part(lhs, rhs, dims, sizes, spec)
  how = kernel.layout
  dtypes = lhs.dtype, rhs.dtype
  lhs_labels, rhs_labels = dims.lhs, dims.rhs
  if how.swap:
    dtypes, lhs_labels, rhs_labels = dtypes[::-1], rhs_labels, lhs_labels
  batch, m, n, k = (layout.count(x, size) for x in (how.batch, how.m, how.n, how.k))
  geometry = Geometry(
      batch, m, n, k, how.lhs_contracting, how.rhs_contracting,
      any(i in lhs_labels for i in how.batch),
      any(i in rhs_labels for i in how.batch),
  )
  scale, row_scale = kernel_scales(scale, row_scale, how)
  planned = plan_call(geometry, *dtypes, kernel.spec, target,
                      bias=kernel.fused and bias is not None,
                      scale=kernel.fused and scale is not None,
                      row_scale=kernel.fused and row_scale is not None,
                      bias_bf16=kernel.fused and is_bf16(bias))
  return how if kernel.fused else None, planned


def reason_faster(operands, dims: Dims, spec: Spec) -> str | None:
  """Why XLA's product is known to be faster than the kernels on the default platform, or None.

  Args:
    operands: arrays or avals of lhs, rhs, bias, scale and row_scale; None for an absent one.
    dims: the labels of the operands.
    spec: what the call computes.
  """
  there = [x for x in operands if x is not None]
  target = spec.target(_ffi.default_platform())
  return plan_contraction(there, dims, spec, target)[1]["faster_by_xla"] or None
