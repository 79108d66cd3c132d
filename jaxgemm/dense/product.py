"""Dense products, as explain/ and tune/ see them (call/product.py)."""

import jax.numpy as jnp

from jaxgemm.call import epilogue, jax_products
from jaxgemm.call.product import Arranged, Product
from jaxgemm.dense import layout
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.plan import kernel_part, plan_contraction
from jaxgemm.dense.primitive import contract_p, read_before_transpose


def gradients(dims: Dims, sizes, lhs, rhs) -> dict[str, tuple[str, ...]]:
  """By operand: the arrays that its gradient transposes; "cotangent" is the gradient of out."""
  found = {}
  for name, x, contraction, names in (
      ("lhs", lhs, Dims(dims.out, dims.rhs, dims.lhs), {"lhs": "cotangent"}),
      ("rhs", rhs, Dims(dims.lhs, dims.out, dims.rhs), {"rhs": "cotangent"}),
  ):
    if jnp.issubdtype(x.dtype, jnp.inexact):
      chosen = layout.of_product(contraction, sizes)
      found[name] = tuple(names.get(r, r) for r in chosen.relayouts)
  return found


class Dense(Product):
  """`contract_p`."""

  primitive = contract_p

  def plan(self, avals, params, target):
    return plan_contraction(avals, params["labels"], params["spec"], target)[1]

  def arrange(self, avals, params, given):
    dims, (lhs, rhs) = params["labels"], avals[:2]
    sizes = layout.label_sizes(dims, *(x.shape for x in avals))
    kernel = kernel_part(lhs, rhs, dims, sizes, params["spec"])
    reasons = () if kernel.fused else (
        "the epilogue runs outside the kernel: bias or scale varies along rows of one matrix",)
    return Arranged(kernel.layout.relayouts, gradients(dims, sizes, lhs, rhs),
                    kernel.layout.swap, kernel.fused, reasons)

  def xla(self, avals, params):
    dims, spec = params["labels"], params["spec"]
    if spec.save_preact:  # a second result, for a gradient
      return None
    plain = len(dims.operands()) == 2 and spec.activation is None
    integer = jnp.issubdtype(avals[0].dtype, jnp.integer)
    sums = spec.out_dtype if plain else jnp.int32 if integer else jnp.float32

    def compute(*operands):
      lhs, rhs, *vectors = dims.split(operands)
      acc = jax_products.einsum(
          lhs, list(dims.lhs), rhs, list(dims.rhs), list(dims.out), preferred_element_type=sums)
      if plain:
        return [acc]
      return epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)

    return compute

  def read_before_transpose(self, params, i, permutation):
    return read_before_transpose(params, i, permutation)


PRODUCT = Dense()
