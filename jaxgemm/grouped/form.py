"""The forms of grouped products: consecutive groups of rows, or of k.

`ragged_p` (product.py) has two modes. group_sizes int32[G] (or [B, G]) cuts a dimension of lhs into
consecutive groups. The call computes L of them, from group_offset on:

  "m"  lhs [M, K], rhs [L, K, N] -> out [M, N]: each group's rows have an rhs of their
       own. Rows that are in none of the L groups are zero, whatever bias and activation are.
  "k"  lhs [M, K], rhs [K, N] -> out [L, M, N]: each group sums over its own range of k.

lhs may be [K, M] (lhs_contracting 0) and rhs [N, K] (rhs_contracting 1); every operand
may have a batch dimension in front or be shared by the batch. Groups are cut off at the
end of the dimension, negative sizes count as zero, and a group beyond the last size is
empty. Only mode "m" has bias [L, N], scale [L, N] or [L, 1], and row_scale [M] or [1], which
may have a batch in front.

There may be a float32 buffer. In mode "k" it has out's shape, and the product is added
to it, in place. In mode "m" it has rhs's shape, and rhs is a constant. Derivatives are taken
with respect to the buffer instead of rhs: the buffer's tangent is used as rhs's tangent, and
its gradient is the buffer plus rhs's gradient, by mode "k" with the same buffer.

Mode "m" may be `gated`: the value before the activation is z [M, 2, N], and out [M, N]
is activation(z[:, 0]) * z[:, 1]. Such a call and the products of its gradients are
`paired`: rhs and all arrays with rhs's columns (or lhs, if the columns are contracted)
have two dimensions for the columns, which are the last ones. So the second one may be
sharded, and a buffer need not be reshaped, which XLA would do by a copy.
"""


import dataclasses
from typing import NamedTuple

from jaxgemm.call.lower import Pairs, merge_columns
from jaxgemm.call.plan import is_bf16
from jaxgemm.call.spec import Geometry, with_absent


class GroupedParams(NamedTuple):
  """Mode, layouts and optional operands of a grouped product; see above.

  Attributes:
    mode: "m" or "k": the dimension that the groups cut.
    lhs_contracting, rhs_contracting: which of the last two dimensions of lhs and rhs is k.
    local_groups: the number L of groups that the call computes.
    paired: whether rhs, and every array with its columns, has two dimensions for them, which
      are the last ones of the array.
    gated: whether out is activation(gate) * up.
    tangent: whether the call belongs to a derivative, where rhs is the tangent of the
      buffer.
    offset, accumulate, bias, scale, row_scale: whether there is a group_offset, a buffer and
      each of these vectors.
  """

  mode: str
  lhs_contracting: int = 1
  rhs_contracting: int = 0
  local_groups: int = 0
  paired: bool = False
  gated: bool = False
  tangent: bool = False
  offset: bool = False
  accumulate: bool = False
  bias: bool = False
  scale: bool = False
  row_scale: bool = False

  def split(self, operands):
    """(lhs, rhs, sizes, offset, buffer, bias, scale, row_scale), None for an absent one."""
    return with_absent(
        operands, 3, self.offset, self.accumulate, self.bias, self.scale, self.row_scale)

  def vectors(self, operands) -> dict[str, bool]:
    """Which vectors there are, and whether the bias is bfloat16; see `plan_call`."""
    *_, bias, _, _ = self.split(operands)
    return {"bias": self.bias, "scale": self.scale, "row_scale": self.row_scale,
            "bias_bf16": is_bf16(bias)}

  def for_operands(self, *operands) -> "GroupedParams":
    """The same mode and layouts for operands as `split` gives them."""
    offset, accumulate, bias, scale, row_scale = (x is not None for x in operands[3:])
    groups = operands[1].shape[-3 - self.paired] if self.mode == "m" else self.local_groups
    return self._replace(
        offset=offset, accumulate=accumulate, bias=bias, scale=scale, row_scale=row_scale,
        tangent=self.tangent and accumulate, local_groups=groups)

  def buffer_index(self) -> int:
    """The place of the buffer among the operands."""
    return 3 + self.offset

  def ranks(self) -> tuple[int, int, int, int]:
    """The numbers of dimensions of lhs, rhs, the sizes and the buffer, without a batch."""
    rhs = 3 if self.mode == "m" else 2
    return 2 + self.contracts_pairs, rhs + self.paired, 1, 3 + self.paired

  def out_rank(self) -> int:
    """The number of dimensions of out, or of the value before a gate, without a batch."""
    pairs = self.paired and not self.contracts_pairs
    return (2 if self.mode == "m" else 3) + pairs

  @property
  def contracts_pairs(self) -> bool:
    """Whether lhs has the two dimensions of a pair and the result does not."""
    return self.paired and self.mode == "m" and self.rhs_contracting == 1

  def geometry(self, lhs, rhs, sizes) -> Geometry:
    """The `Geometry` of a call with operands of these shapes."""
    batched = [len(x) > rank for x, rank in zip((lhs, rhs, sizes), self.ranks())]
    batch = next((x[0] for x, there in zip((lhs, rhs, sizes), batched) if there), 1)
    if self.paired:
      rhs = merge_columns(rhs)
    if self.contracts_pairs:
      lhs = merge_columns(lhs)
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    return dataclasses.replace(
        dense, batch=batch, n=dense.n // 2 if self.gated else dense.n,
        lhs_batched=batched[0], rhs_batched=batched[1], sizes_batched=batched[2],
        ragged=self.mode, groups=sizes[-1], local_groups=self.local_groups,
        group_offset=self.offset, gated=self.gated,
        accumulate=self.accumulate and self.mode == "k")

  def out_shapes(self, lhs, rhs, sizes) -> list[tuple[int, ...]]:
    """The shapes of out and of the value before the activation."""
    shape = self.geometry(lhs, rhs, sizes).out_shape()
    if not self.paired or self.contracts_pairs:
      return [shape, shape]
    z = (*shape[:-1], *rhs[-2:])
    return [shape if self.gated else z, z]

  def pairs(self) -> Pairs | None:
    """The operands and results with two dimensions for their columns, or None."""
    if not self.paired:
      return None
    bias = 3 + self.offset + self.accumulate
    lhs = (0,) if self.contracts_pairs else ()
    has_results = self.mode == "m" and not self.contracts_pairs
    return Pairs((*lhs, 1, *range(bias, bias + self.bias + self.scale)),
                 int(self.gated) if has_results else None)

  def gradient_products(self):
    """The grouped products that are the gradients of lhs and of rhs, the weights.

    In mode "m" the gradient of the weights has mode "k": it is summed over the rows of each group.

    Returns:
      For each of the two: the names of the two operands, the form of the product, and whether its
      result has to be transposed.
    """
    of_lhs, of_rhs = self.lhs_contracting, self.rhs_contracting
    if self.mode == "m":
      lhs = ("ct", "rhs", GroupedParams("m", 1, 1 - of_rhs), of_lhs == 0)
      if of_rhs == 0:
        rhs = ("lhs", "ct", GroupedParams("k", 1 - of_lhs, 0, self.local_groups), False)
      else:
        rhs = ("ct", "lhs", GroupedParams("k", 0, 1 - of_lhs, self.local_groups), False)
    else:
      lhs = ("rhs", "ct", GroupedParams("m", 1 - of_rhs, 1), of_lhs == 1)
      rhs = ("lhs", "ct", GroupedParams("m", 1 - of_lhs, 0), of_rhs == 1)
    return [(left, right, to._replace(paired=self.paired), transposed)
            for left, right, to, transposed in (lhs, rhs)]
