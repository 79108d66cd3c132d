"""Arranges a call of ragged_dot_general for one of the two modes of form.py.

Dimensions of lhs before the ragged one (sizes may differ along them) join the batch. Those
after it are folded into the ragged dimension, and all group sizes are multiplied by their
size. An operand whose dimensions are in an order that the kernels do not read is transposed
by a copy.
"""

import functools
import itertools
import math
from typing import NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call.lower import merge_columns
from jaxgemm.call.spec import Labels
from jaxgemm.dense.layout import same_order
from jaxgemm.grouped.form import GroupedParams
from jaxgemm.grouped.indices import Indices


class RaggedLayout(NamedTuple):
  """The layout of a grouped product. Its labels number lhs's dimensions, then rhs's own.

  Attributes:
    form: the `GroupedParams` of the call, without optional operands.
    batch: labels of the batch, in the order of the dimension numbers.
    outer: labels before the ragged one, among lhs's free labels (mode "m") or the contracted
      ones (mode "k").
    ragged: the ragged label.
    inner: the same after the ragged label, in the order in which they are folded.
    m: lhs's free labels; used in mode "k".
    n: rhs's free labels.
    rhs_labels: rhs's labels in the order of its dimensions.
    lhs_groups: lhs's labels as the kernel reads them: batch, rows, columns.
    rhs_groups: the same for rhs, with the groups after the batch.
    sizes: pairs of label and size.
    relayouts: which of "lhs", "rhs" and "out" are transposed.
  """

  form: GroupedParams
  batch: Labels
  outer: Labels
  ragged: int
  inner: Labels
  m: Labels
  n: Labels
  rhs_labels: Labels
  lhs_groups: tuple[Labels, ...]
  rhs_groups: tuple[Labels, ...]
  sizes: tuple[tuple[int, int], ...]
  relayouts: tuple[str, ...]

  def count(self, labels: Labels) -> int:
    size = dict(self.sizes)
    return math.prod(size[x] for x in labels)

  def shape(self, labels: Labels) -> tuple[int, ...]:
    size = dict(self.sizes)
    return tuple(size[x] for x in labels)

  @property
  def columns(self) -> tuple[int, ...]:
    """Sizes of rhs's free dimensions, as the caller sees them."""
    n = self.shape(self.n)
    return (2, n[0] // 2) if self.form.gated else n

  @property
  def is_summed(self) -> bool:
    """Whether the result is a sum over several results of the kernel."""
    return self.form.mode == "k" and bool(self.outer)

  @property
  def is_unfolded(self) -> bool:
    """Whether no operand has a batch, or several dimensions that become one."""
    return not (self.batch or self.outer or self.inner) and (
        len(self.m) < 2 and len(self.n) == 1)

  @property
  def repeats_rhs(self) -> bool:
    """Whether rhs is repeated, because it lacks a part of the kernel's only batch dimension."""
    return (self.form.mode == "m" and self.count(self.batch) != 1
            and self.count(self.outer) != 1)

  def gradient_relayouts(self, lhs, rhs) -> dict[str, tuple[str, ...]]:
    """By operand: the arrays that its gradient transposes; "out" is the gradient itself."""
    found = {}
    for name, other, x, (*_, transposed) in zip(
        ("lhs", "rhs"), ("rhs", "lhs"), (lhs, rhs), self.form.gradient_products()):
      if jnp.issubdtype(x.dtype, jnp.inexact):
        parts = {"out": transposed or name in self.relayouts,
                 other: other in self.relayouts, "cotangent": "out" in self.relayouts}
        found[name] = tuple(part for part, there in parts.items() if there)
    return found

  @property
  def reads_lines(self) -> bool:
    """Whether the ragged dimension of lhs, and in mode "k" of rhs, is that of its lines."""
    form = self.form
    return (form.lhs_contracting == (form.mode == "m")
            and (form.mode == "m" or form.rhs_contracting == 0))

  def check_explicit(self, has_rhs_grad: bool, has_indices: bool) -> None:
    """Raises ValueError for calls that are not supported on explicit mesh axes."""
    reason = None
    if has_rhs_grad:
      reason = "rhs_grad was given"
    elif has_indices:
      reason = "indices of an operand were given"
    elif not self.is_unfolded:
      reason = "lhs or rhs has a batch, or several free or contracted dimensions"
    if reason is not None:
      raise ValueError(
          f"{reason}, and the mesh has explicit axes; that is allowed on automatic axes "
          "and inside jax.shard_map. Use jax.shard_map.")


@functools.lru_cache(maxsize=1024)
def arrange(lhs_shape, rhs_shape, numbers: lax.RaggedDotDimensionNumbers,
            local_groups: int, gated: bool = False, one_order: bool = False) -> RaggedLayout:
  """The layout with the fewest copies.

  Args:
    lhs_shape, rhs_shape, numbers: as the caller gave them; jax has checked them.
    local_groups: the number of groups that the call computes.
    gated: whether the numbers are those of `jax.lax.ragged_dot`, and rhs has shape
      (G, K, 2, N). The last two dimensions of rhs become one.
    one_order: whether the order of each sum must not depend on the sizes; then it is lhs's.
  """
  if gated:
    rhs_shape = merge_columns(rhs_shape)
  (l_contract, r_contract), (batch, r_batch) = (
      map(tuple, pair) for pair in numbers.dot_dimension_numbers)
  ragged, = numbers.lhs_ragged_dimensions
  rank = len(lhs_shape)
  shared = dict(zip(r_contract + r_batch, l_contract + batch))
  lhs = tuple(range(rank))
  rhs = tuple(shared.get(i, rank + i) for i in range(len(rhs_shape)))
  size = dict(zip(rhs, rhs_shape)) | dict(zip(lhs, lhs_shape))
  groups = tuple(rank + i for i in numbers.rhs_group_dimensions)
  n = tuple(x for x in rhs if x >= rank and x not in groups)
  free = tuple(x for x in lhs if x not in l_contract + batch)
  mode = "m" if ragged in free else "k"
  cut = free if mode == "m" else l_contract
  outer = cut[:cut.index(ragged)]
  # Contracted labels that the groups do not cut may be in the order of either operand.
  others = [tuple(x for x in labels if x in l_contract and x not in (*outer, ragged))
            for labels in ((lhs,) if one_order else (lhs, rhs))]
  best: RaggedLayout | None = None
  best_cost = 0
  for other, lhs_contracting, rhs_contracting in itertools.product(
      dict.fromkeys(others), (1, 0), (0, 1)):
    if mode == "m":
      inner = free[len(outer) + 1:]
      m, k, rhs_batch = (ragged, *inner), other, batch
    else:
      inner = other
      m, k, rhs_batch = free, (ragged, *inner), batch + outer
    lhs_groups = (batch + outer, *((m, k) if lhs_contracting else (k, m)))
    rhs_groups = (rhs_batch, groups, *((n, k) if rhs_contracting else (k, n)))
    relayouts: tuple[str, ...] = ()
    cost = 0
    for name, labels, target in (("lhs", lhs, lhs_groups), ("rhs", rhs, rhs_groups)):
      if not same_order(labels, sum(target, ()), size):
        relayouts += (name,)
        cost += math.prod(size[x] for x in labels)
    if best is None or cost < best_cost:
      best_cost = cost
      form = GroupedParams(mode, lhs_contracting, rhs_contracting, local_groups,
                           paired=gated, gated=gated)
      best = RaggedLayout(form, batch, outer, ragged, inner, free, n, rhs,
                          lhs_groups, rhs_groups, tuple(size.items()), relayouts)
  assert best is not None  # there is always a candidate
  if mode == "k" and local_groups != 1 and best.count(batch) != 1:
    best = best._replace(relayouts=(*best.relayouts, "out"))
  return best


def _grouped(x, labels: Labels, groups, layout: RaggedLayout, transposed: bool = True):
  """x with one dimension for each group of labels, and none for an empty batch."""
  if transposed:
    x = jnp.transpose(x, [labels.index(label) for group in groups for label in group])
  return jnp.reshape(x, [layout.count(group) for i, group in enumerate(groups)
                         if i or group])


def operands(lhs, rhs, group_sizes, layout: RaggedLayout,
             indices: Indices) -> tuple[jax.Array, jax.Array, jax.Array]:
  """(lhs, rhs, sizes) as `ragged` takes them. Gathered operands lie as these are."""
  if layout.form.gated:
    return lhs, rhs, group_sizes
  rhs_groups = layout.rhs_groups
  if layout.form.mode == "k":
    rhs_groups = (rhs_groups[0], *rhs_groups[2:])
  left = lhs if indices.lhs is not None else _grouped(
      lhs, tuple(range(lhs.ndim)), layout.lhs_groups, layout, "lhs" in layout.relayouts)
  right = rhs if indices.rhs is not None else _grouped(
      rhs, layout.rhs_labels, rhs_groups, layout, "rhs" in layout.relayouts)
  if layout.repeats_rhs:
    right = jnp.repeat(right, layout.count(layout.outer), axis=0)
  elif layout.form.mode == "m" and layout.batch and layout.outer:
    right = right[0] if layout.count(layout.batch) == 1 else right
  if group_sizes.ndim > 1:
    batch = layout.count(layout.batch + layout.outer)
    group_sizes = jnp.reshape(group_sizes, (batch, group_sizes.shape[-1]))
  inner = layout.count(layout.inner)
  if inner != 1:
    group_sizes = jnp.clip(group_sizes, 0, layout.count((layout.ragged,))) * inner
  return left, right, group_sizes


def rows(x, layout: RaggedLayout):
  """Mode "m": a row_scale as `ragged` takes it: [M], or [B, M] if lhs has a batch.

  Args:
    x: array with lhs's dimensions that are not contracted, in their order. None and an
      array of shape (1,) are returned as they are.
  """
  if x is None or x.shape == (1,):
    return x
  groups = layout.batch + layout.outer, (layout.ragged, *layout.inner)
  return _grouped(x, tuple(sorted(sum(groups, ()))), groups, layout)


def addend(x, layout: RaggedLayout):
  """Mode "k": x, of the shape of jax's result, in the shape of `ragged`'s result."""
  m, n = layout.count(layout.m), layout.count(layout.n)
  if not layout.batch:
    return jnp.reshape(x, (layout.form.local_groups, m, n))
  x = jnp.reshape(x, (layout.form.local_groups, layout.count(layout.batch), m, n))
  return jnp.moveaxis(x, 0, 1)


def result(out, layout: RaggedLayout, dtype):
  """`ragged`'s result in the shape of jax's result."""
  if layout.form.gated:
    return out
  batch, outer, n = map(layout.shape, (layout.batch, layout.outer, layout.n))
  if layout.form.mode == "m":
    rows = layout.shape((layout.ragged, *layout.inner))
    return jnp.reshape(out, batch + outer + rows + n)
  groups = layout.form.local_groups
  if layout.is_summed:
    parts = layout.count(layout.batch), layout.count(layout.outer)
    out = jnp.reshape(out, parts + out.shape[1:]).sum(1).astype(dtype)
  if batch:
    out = jnp.moveaxis(out, -3, 0)
  return jnp.reshape(out, (groups, *batch, *layout.shape(layout.m), *n))
