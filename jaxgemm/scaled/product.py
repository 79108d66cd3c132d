"""Products of operands with scales of blocks, as explain/ and tune/ see them (call/product.py)."""

from jaxgemm.call.product import Product
from jaxgemm.scaled.primitive import plan_scaled, scaled_p


class Scaled(Product):
  """`scaled_p`."""

  primitive = scaled_p

  def plan(self, avals, params, target):
    return plan_scaled(avals, params["form"], params["spec"], target)

  def described(self, avals, params, plan):
    form = params["form"]
    if form.mode == "none":
      return {}
    return {"ragged": form.mode, "groups": avals[2].shape[-1], "local_groups": form.local_groups}

  def why_not_tuned(self, params):
    return "their operands have scales of blocks"


PRODUCT = Scaled()
