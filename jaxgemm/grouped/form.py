"""The forms of grouped products: consecutive groups of rows, or of k.

`ragged_p` (product.py) has two modes. group_sizes int32[G] (or [B, G]) cuts a dimension of lhs into
consecutive groups. The call computes L of them, from group_offset on:

  "m"  lhs [M, K], rhs [L, K, N] -> out [M, N]: each group's rows have an rhs of their
       own. Rows that are in none of the L groups are zero, whatever bias and activation are.
  "k"  lhs [M, K], rhs [K, N] -> out [L, M, N]: each group sums over its own range of k.

lhs may be [K, M] (lhs_contracting 0) and rhs [N, K] (rhs_contracting 1); every operand
may have a batch dimension in front or be shared by the batch. Groups are cut off at the
end of the dimension, negative sizes count as zero, and a group beyond the last size is
empty. Only mode "m" has bias [L, N], scale [L, N] or [L, 1], and row_scale [M]; both modes have a
row_scale [1]. A row_scale may have a batch in front.

The ragged dimension of lhs, and in mode "k" that of rhs, may be gathered: element i of the
product is element indices[i] of the array, or zero if there is no such element. `inverse`
int32[lines, c] has for each line of the gathered arrays the c elements that are copies of it. With
it a gradient adds these up in a fixed order, without it they are scattered.

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
from typing import Any, NamedTuple

from jaxgemm.call.lower import Pairs, merge_columns
from jaxgemm.call.plan import is_bf16
from jaxgemm.call.spec import Geometry, with_absent


class Operands(NamedTuple):
  """What belongs to each operand of a grouped product; see above."""

  lhs: Any
  rhs: Any
  sizes: Any
  offset: Any = None
  lhs_indices: Any = None
  rhs_indices: Any = None
  inverse: Any = None
  buffer: Any = None
  bias: Any = None
  scale: Any = None
  row_scale: Any = None

  def there(self) -> list:
    """Those that are not None, in their order."""
    return [x for x in self if x is not None]


class GroupedParams(NamedTuple):
  """Mode, layouts and optional operands of a grouped product; see above.

  Attributes:
    mode: "m" or "k": the dimension that the groups cut.
    lhs_contracting, rhs_contracting: which of the last two dimensions of lhs and rhs is k.
    local_groups: the number L of groups that the call computes.
    paired: whether rhs, and every array with its columns, has two dimensions for them, which
      are the last ones of the array.
    gated: whether out is activation(gate) * up.
    skips_rest: mode "m": rows of no group are not written, and may hold anything, NaN too.
    tangent: whether the call belongs to a derivative, where rhs is the tangent of the
      buffer.
    offset, lhs_gathered, rhs_gathered, inverse, accumulate, bias, scale, row_scale: whether there
      is a group_offset, indices of lhs and of rhs, their inverse, a buffer and each of these
      vectors.
  """

  mode: str
  lhs_contracting: int = 1
  rhs_contracting: int = 0
  local_groups: int = 0
  paired: bool = False
  gated: bool = False
  skips_rest: bool = False
  tangent: bool = False
  offset: bool = False
  lhs_gathered: bool = False
  rhs_gathered: bool = False
  inverse: bool = False
  accumulate: bool = False
  bias: bool = False
  scale: bool = False
  row_scale: bool = False

  def split(self, operands) -> "Operands":
    """The operands by name, None for an absent one."""
    return Operands(*with_absent(
        operands, 3, self.offset, self.lhs_gathered, self.rhs_gathered, self.inverse,
        self.accumulate, self.bias, self.scale, self.row_scale))

  def vectors(self, operands) -> dict[str, bool]:
    """Which vectors there are, and whether the bias is bfloat16; see `plan_call`."""
    return {"bias": self.bias, "scale": self.scale, "row_scale": self.row_scale,
            "bias_bf16": is_bf16(self.split(operands).bias)}

  def for_operands(self, operands: "Operands") -> "GroupedParams":
    """The same mode and layouts for these operands."""
    there = Operands(*(x is not None for x in operands))
    groups = operands.rhs.shape[-3 - self.paired] if self.mode == "m" else self.local_groups
    return self._replace(
        offset=there.offset, lhs_gathered=there.lhs_indices, rhs_gathered=there.rhs_indices,
        inverse=there.inverse, accumulate=there.buffer, bias=there.bias, scale=there.scale,
        row_scale=there.row_scale, tangent=self.tangent and there.buffer, local_groups=groups)

  @property
  def num_gathered(self) -> int:
    """How many operands are gathered."""
    return self.lhs_gathered + self.rhs_gathered

  def buffer_index(self) -> int:
    """The place of the buffer among the operands."""
    return 3 + self.offset + self.num_gathered + self.inverse

  def ranks(self) -> "Operands":
    """The numbers of dimensions of the operands, without a batch."""
    rhs = 3 if self.mode == "m" else 2
    of_vector = 2 + self.paired
    return Operands(2 + self.contracts_pairs, rhs + self.paired, 1, 1, 1, 1, 2, 3 + self.paired,
                    of_vector, of_vector, 1)

  def out_rank(self) -> int:
    """The number of dimensions of out, or of the value before a gate, without a batch."""
    pairs = self.paired and not self.contracts_pairs
    return (2 if self.mode == "m" else 3) + pairs

  @property
  def contracts_pairs(self) -> bool:
    """Whether lhs has the two dimensions of a pair and the result does not."""
    return self.paired and self.mode == "m" and self.rhs_contracting == 1

  def geometry(self, operands) -> Geometry:
    """The `Geometry` of a call with these operands, which have shapes."""
    given = self.split(operands)
    shapes = Operands(*(None if x is None else x.shape for x in given))
    batched = Operands(*(x is not None and len(x) > rank
                         for x, rank in zip(shapes, self.ranks())))
    batch = next((x[0] for x, there in zip(shapes[:6], batched[:6]) if there), 1)
    lhs, rhs, sizes = shapes[:3]
    if self.paired:
      rhs = merge_columns(rhs)
    if self.contracts_pairs:
      lhs = merge_columns(lhs)
    dense = Geometry.of(lhs[-2:], rhs[-2:], self.lhs_contracting, self.rhs_contracting)
    m, k = dense.m, dense.k
    gathered: dict[str, Any] = {}
    for name, indices, x in (
        ("lhs", shapes.lhs_indices, lhs), ("rhs", shapes.rhs_indices, rhs)):
      if indices is None:
        continue
      gathered |= {f"{name}_gathered": True, f"{name}_lines": x[-2],
                   f"{name}_indices_batched": len(indices) > 1}
      m, k = (indices[-1], k) if self.mode == "m" else (m, indices[-1])
    return dataclasses.replace(
        dense, batch=batch, m=m, k=k, n=dense.n // 2 if self.gated else dense.n,
        lhs_batched=batched.lhs, rhs_batched=batched.rhs, sizes_batched=batched.sizes, **gathered,
        ragged=self.mode, groups=sizes[-1], local_groups=self.local_groups,
        group_offset=self.offset, gated=self.gated, skips_rest=self.skips_rest,
        accumulate=self.accumulate and self.mode == "k")

  def out_shapes(self, operands) -> list[tuple[int, ...]]:
    """The shapes of out and of the value before the activation."""
    shape = self.geometry(operands).out_shape()
    if not self.paired or self.contracts_pairs:
      return [shape, shape]
    z = (*shape[:-1], *operands[1].shape[-2:])
    return [shape if self.gated else z, z]

  def pairs(self) -> Pairs | None:
    """The operands and results with two dimensions for their columns, or None."""
    if not self.paired:
      return None
    bias = self.buffer_index() + self.accumulate
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
