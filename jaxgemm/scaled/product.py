"""Products of operands with scales of blocks: the primitive, the form of a call, and its plan."""

import dataclasses
from typing import Any, NamedTuple

from jax.extend.core import Primitive

from jaxgemm._ffi import MX_TARGETS
from jaxgemm.call.plan import plan_call
from jaxgemm.call.product import Product
from jaxgemm.call.spec import Geometry, with_absent

scaled_p = Primitive("jaxgemm_scaled")
scaled_p.multiple_results = True


class ScaledParams(NamedTuple):
  """Blocks, mode, layouts and optional operands of a scaled product; see primitive.py."""

  block_k: int
  block_m: int = 1
  block_n: int = 1
  mode: str = "none"
  lhs_contracting: int = 1
  rhs_contracting: int = 1
  mx: bool = False
  local_groups: int = 0
  offset: bool = False
  bias: bool = False

  def split(self, operands):
    """(lhs, rhs, sizes, offset, lhs_scales, rhs_scales, bias), None for an absent one."""
    return with_absent(operands, 2, self.mode != "none", self.offset, True, True, self.bias)

  def ranks(self) -> tuple[int, ...]:
    """The number of dimensions of each operand that `split` gives, without a batch."""
    of_rhs = 3 if self.mode == "m" else 2
    return 2, of_rhs, 1, 1, 2, of_rhs, 2 if self.mode == "m" else 1

  def geometry(self, operands) -> Geometry:
    """The `Geometry` of operands with these shapes."""
    shapes: list[Any] = [None if x is None else x.shape for x in self.split(operands)[:3]]
    (lhs, rhs, sizes), ranks = shapes, self.ranks()
    batched = [x is not None and len(x) > rank for x, rank in zip(shapes, ranks)]
    batch = next((x[0] for x, there in zip(shapes, batched) if there), 1)
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    grouped = {} if sizes is None else dict(
        ragged=self.mode, groups=sizes[-1], local_groups=self.local_groups,
        group_offset=self.offset, sizes_batched=batched[2])
    return dataclasses.replace(
        dense, batch=batch, lhs_batched=batched[0], rhs_batched=batched[1], **grouped)

  def on(self, target: str) -> "ScaledParams":
    """The form for the kernels of a target, most of which do not read scales of MX formats."""
    return self._replace(mx=self.mx and target in MX_TARGETS)

  def blocks(self) -> dict[str, int]:
    """The keyword arguments of `plan_call` and `lower_call`."""
    return dict(block_k=self.block_k, block_m=self.block_m, block_n=self.block_n, mx=self.mx,
                bias=self.bias)


class Scaled(Product):
  """`scaled_p`."""

  primitive = scaled_p

  def plan(self, avals, params, target):
    form, (lhs, rhs, *_) = params["form"], avals
    return plan_call(form.geometry(avals), lhs.dtype, rhs.dtype, params["spec"], target,
                     **form.on(target).blocks())

  def described(self, avals, params, plan):
    form = params["form"]
    if form.mode == "none":
      return {}
    return {"ragged": form.mode, "groups": avals[2].shape[-1], "local_groups": form.local_groups}

  def why_not_tuned(self, params):
    return "their operands have scales of blocks"


PRODUCT = Scaled()
