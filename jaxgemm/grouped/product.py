"""Grouped products: the primitive, the layout of a call for its kernel, and its plan."""

from jax.extend.core import Primitive

from jaxgemm.call.plan import plan_call
from jaxgemm.call.product import Arranged, Product
from jaxgemm.grouped.checks import BASIC
from jaxgemm.grouped.layout import RaggedLayout, arrange

ragged_p = Primitive("jaxgemm_ragged")
ragged_p.multiple_results = True


class Grouped(Product):
  """`ragged_p`."""

  primitive = ragged_p

  def plan(self, avals, params, target):
    form, (lhs, rhs) = params["form"], avals[:2]
    return plan_call(form.geometry(avals), lhs.dtype, rhs.dtype, params["spec"], target,
                     **form.vectors(avals))

  def arrange(self, avals, params, given):
    if given is None:
      return Arranged()
    form = params["form"]
    numbers = given.arguments.get("ragged_dot_dimension_numbers", BASIC)
    how = arrange(given.lhs.shape, given.rhs.shape, numbers, form.local_groups, form.gated,
                  params["spec"].same_rows)
    return Arranged(how.relayouts, how.gradient_relayouts(*avals[:2]),
                    reasons=tuple(_reasons(how, given.arguments)))

  def described(self, avals, params, plan):
    form = params["form"]
    return {"ragged": form.mode, "groups": avals[2].shape[-1], "local_groups": form.local_groups}

  def why_not_tuned(self, params):
    return "they are added to a buffer in place" if params["form"].accumulate else ""

  def read_before_transpose(self, params, i, permutation):
    # The kernels read the matrices of both operands in both orders, and a gathered one by lines.
    form, rank = params["form"], len(permutation)
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    gathered = (form.lhs_gathered, form.rhs_gathered)[i]
    if gathered or form.paired or permutation not in (swapped, tuple(range(rank))):
      return None
    name = ("lhs_contracting", "rhs_contracting")[i]
    order = getattr(form, name) ^ (permutation == swapped)
    return params | {"form": form._replace(**{name: order})}


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
