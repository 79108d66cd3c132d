"""Products whose lhs arrives in chunks, as explain/ and tune/ see them (call/product.py)."""

from jaxgemm.call.product import Arranged, Product
from jaxgemm.chunked.primitive import chunked_p, plan_chunked
from jaxgemm.dense import layout
from jaxgemm.dense.product import gradients


class Chunked(Product):
  """`chunked_p`."""

  primitive = chunked_p

  def plan(self, avals, params, target):
    return plan_chunked(avals, params["form"], params["spec"], target)

  def arrange(self, avals, params, given):
    form, (lhs, rhs) = params["form"], avals[:2]
    shape = form.geometry(lhs.shape, rhs.shape, avals[2].shape).out_shape()
    dims = form.dims(lhs.shape, rhs.shape, None, None, shape)
    sizes = layout.label_sizes(dims, lhs.shape, rhs.shape)
    return Arranged(gradients=gradients(dims, sizes, lhs, rhs))

  def described(self, avals, params, plan):
    return {"chunk_rows": plan["tile"][0] * params["form"].tiles_per_chunk}

  def why_not_tuned(self, params):
    return "their lhs arrives in chunks"


PRODUCT = Chunked()
