"""Grouped products, as explain/ and tune/ see them (call/product.py)."""

from jaxgemm.call.product import Arranged, Product
from jaxgemm.grouped.checks import BASIC
from jaxgemm.grouped.layout import RaggedLayout, arrange
from jaxgemm.grouped.primitive import plan_ragged, ragged_p, read_before_transpose


class Grouped(Product):
  """`ragged_p`."""

  primitive = ragged_p

  def plan(self, avals, params, target):
    return plan_ragged(avals, params["form"], params["spec"], target)

  def arrange(self, avals, params, given):
    if given is None:
      return Arranged()
    form = params["form"]
    numbers = given.arguments.get("ragged_dot_dimension_numbers", BASIC)
    how = arrange(given.lhs.shape, given.rhs.shape, numbers, form.local_groups, form.gated)
    return Arranged(how.relayouts, how.gradient_relayouts(*avals[:2]),
                    reasons=tuple(_reasons(how, given.arguments)))

  def described(self, avals, params, plan):
    form = params["form"]
    return {"ragged": form.mode, "groups": avals[2].shape[-1], "local_groups": form.local_groups}

  def why_not_tuned(self, params):
    return "they are added to a buffer in place" if params["form"].accumulate else ""

  def read_before_transpose(self, params, i, permutation):
    return read_before_transpose(params, i, permutation)


def _reasons(how: RaggedLayout, arguments) -> list[str]:
  reasons = []
  if how.repeats_rhs:
    reasons.append("rhs is repeated by a copy: the group sizes have more dimensions "
                   "than its batch")
  if arguments.get("accumulate") is not None:
    reasons.append("accumulate is added outside the kernel: the result is a sum of "
                   "several products of the kernel" if how.is_summed else
                   "the kernel adds to accumulate, in place if jax may overwrite it")
  if arguments.get("rhs_grad") is not None:
    reasons.append("rhs is a constant; the kernel adds the gradient of rhs to rhs_grad")
  return reasons


PRODUCT = Grouped()
