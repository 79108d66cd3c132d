"""Products whose lhs arrives in chunks: the primitive, the form of a call, and its plan."""

import dataclasses
from typing import NamedTuple

from jax.extend.core import Primitive

from jaxgemm.call.plan import plan_call
from jaxgemm.call.product import Arranged, Product
from jaxgemm.call.spec import Geometry, with_absent
from jaxgemm.dense import layout
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.product import gradients

chunked_p = Primitive("jaxgemm_chunked")
chunked_p.multiple_results = True


class ChunkedParams(NamedTuple):
  """Layouts, chunks and optional operands of a chunked product.

  Attributes:
    lhs_contracting: which of lhs's two matrix dimensions is k.
    rhs_contracting: the same for rhs.
    tiles_per_chunk: the number of tile rows in a chunk.
    pivot: the tile row that is visited first.
    timeout_ns: how long a workgroup waits for a signal, in nanoseconds.
    bias: whether there is a bias, [N] or [B, N].
    scale: whether there is a scale, [N], [1], [B, N] or [B, 1].
  """

  lhs_contracting: int
  rhs_contracting: int
  tiles_per_chunk: int
  pivot: int
  timeout_ns: int
  bias: bool = False
  scale: bool = False

  def split(self, operands):
    """(lhs, rhs, signals, epoch, bias, scale), None for an absent one."""
    return with_absent(operands, 4, self.bias, self.scale)

  def geometry(self, lhs, rhs, signals) -> Geometry:
    """The `Geometry` of operands of these shapes. signals may be None while unknown."""
    batched = len(lhs) > 2, len(rhs) > 2, signals is not None and len(signals) > 1
    batch = next((x[0] for x, there in zip((lhs, rhs, signals), batched) if there), 1)
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    return dataclasses.replace(
        dense, batch=batch, lhs_batched=batched[0], rhs_batched=batched[1],
        tiles_per_chunk=self.tiles_per_chunk, pivot=self.pivot,
        num_chunks=-1 if signals is None else signals[-1],
        signals_batched=batched[2], timeout_ns=self.timeout_ns)

  def dims(self, lhs, rhs, bias, scale, out) -> Dims:
    """The labels of operands of these shapes, for dense/primitive.py; None for an absent one."""
    batch, m, n, k = range(4)
    lhs_labels = (m, k) if self.lhs_contracting else (k, m)
    rhs_labels = (n, k) if self.rhs_contracting else (k, n)

    def lead(shape, labels):
      return (batch, *labels) if len(shape) > len(labels) else labels

    def vector(shape, size):
      if shape is None:
        return None
      labels = (n,) if shape[-1] == size else ()
      return (batch, *labels) if len(shape) > 1 else labels

    return Dims(lead(lhs, lhs_labels), lead(rhs, rhs_labels), lead(out, (m, n)),
                vector(bias, out[-1]), vector(scale, out[-1]))


class Chunked(Product):
  """`chunked_p`."""

  primitive = chunked_p

  def plan(self, avals, params, target):
    form, (lhs, rhs, signals) = params["form"], avals[:3]
    geometry = form.geometry(lhs.shape, rhs.shape, signals and signals.shape)
    return plan_call(geometry, lhs.dtype, rhs.dtype, params["spec"], target, bias=form.bias,
                     scale=form.scale)

  def arrange(self, avals, params, given):
    form, (lhs, rhs) = params["form"], avals[:2]
    shape = form.geometry(lhs.shape, rhs.shape, avals[2].shape).out_shape()
    dims = form.dims(lhs.shape, rhs.shape, None, None, shape)
    sizes = layout.label_sizes(dims, lhs.shape, rhs.shape)
    return Arranged(gradients=gradients(dims, sizes, lhs, rhs, params["spec"].same_rows))

  def described(self, avals, params, plan):
    return {"chunk_rows": plan["tile"][0] * params["form"].tiles_per_chunk}

  def why_not_tuned(self, params):
    return "their lhs arrives in chunks"


PRODUCT = Chunked()
