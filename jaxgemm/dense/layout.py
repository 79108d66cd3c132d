"""Chooses the kernel layout that computes a contraction with the fewest copies.

A contraction is written as in einsum, with integer labels: lhs (0, 1, 2),
rhs (2, 3), out (0, 1, 3). The kernel computes [B, M, K] x [B, K, N] -> [B, M, N]; K
may be the first or the last of the two matrix dimensions, and one operand may lack B.
So the labels of each such dimension have to be neighbours in memory. If they are not,
an array has to be transposed, and the cheapest way is chosen here. An operand is never
broadcast.
"""

from collections.abc import Iterable
import functools
import itertools
import math
from typing import NamedTuple

from jaxgemm.call.spec import Labels, with_absent


class Dims(NamedTuple):
  """The labels of a contraction's operands and result.

  bias has the labels of out that only rhs has. scale has some of these labels, row_scale some of
  those that only lhs has. Each may have further labels of out in front.
  """

  lhs: Labels
  rhs: Labels
  out: Labels
  bias: Labels | None = None
  scale: Labels | None = None
  row_scale: Labels | None = None

  def operands(self) -> list[Labels]:
    """The labels of each operand, without absent ones."""
    vectors = self.bias, self.scale, self.row_scale
    return [self.lhs, self.rhs, *(x for x in vectors if x is not None)]

  def split(self, operands) -> tuple:
    """(lhs, rhs, bias, scale, row_scale), None for an absent one."""
    return with_absent(operands, 2, *(x is not None for x in self[3:]))


class Layout(NamedTuple):
  """How the kernel computes a contraction.

  Attributes:
    swap: whether the kernel's lhs is the contraction's rhs, and its rhs the lhs.
    batch: the labels of B, in order; they start with `summed`.
    m, n, k: the labels of M, N and K, in order.
    summed: contracted labels that are treated as a batch and summed afterwards.
    lhs_contracting: which of lhs's last two dimensions is k (1 or 0); after `swap`.
    rhs_contracting: the same for rhs (0 or 1).
    relayouts: which of "lhs", "rhs" and "out" are transposed; before `swap`.
    cost: elements that are copied.
  """

  swap: bool
  batch: Labels
  m: Labels
  n: Labels
  k: Labels
  summed: Labels
  lhs_contracting: int
  rhs_contracting: int
  relayouts: tuple[str, ...]
  cost: int


def count(labels, size) -> int:
  """The product of the labels' sizes."""
  return math.prod(size[x] for x in labels)


def same_order(xs, ys, size) -> bool:
  """Whether two orders are the same in memory; dimensions of size 1 do not count."""
  return [x for x in xs if size[x] != 1] == [y for y in ys if size[y] != 1]


def _only(labels: Iterable[int], group) -> Labels:
  return tuple(x for x in labels if x in group)


def _prefixes(labels: Labels, group) -> list[Labels]:
  run = tuple(itertools.takewhile(lambda x: x in group, labels))
  return [run[:i] for i in range(1, len(run) + 1)]


def _candidates(lhs: Labels, rhs: Labels, out: Labels, linear: bool, one_order: bool):
  """All groupings that may be the cheapest one, as (batch, m, n, k, summed)."""
  both = set(lhs) & set(rhs)
  shared = both & set(out)
  contracted = both - set(out)
  m_all, n_all = set(lhs) - both, set(rhs) - both
  if shared:
    batches = [_only(labels, shared) for labels in (lhs, rhs, out)]
  else:
    # Free dimensions of one operand may become the batch, which shares the other one.
    batches = [()]
    for labels, group in ((lhs, m_all), (out, m_all), (rhs, n_all), (out, n_all)):
      batches += _prefixes(labels, group)
  grouped: list[tuple[Labels, Labels]] = [((), batch) for batch in batches]
  if linear and len(contracted) > 1:
    grouped += [
        ((x,), _only(labels, shared))
        for x in _only(lhs, contracted)
        for labels in (lhs, out)
    ]
  orders_of_k = (sorted(contracted),) if one_order else (lhs, rhs)
  for summed, batch in dict.fromkeys(grouped):
    taken = {*summed, *batch}
    for m, n, k in itertools.product(
        dict.fromkeys(_only(x, m_all - taken) for x in (lhs, out)),
        dict.fromkeys(_only(x, n_all - taken) for x in (rhs, out)),
        dict.fromkeys(_only(x, contracted - taken) for x in orders_of_k),
    ):
      yield summed + batch, m, n, k, summed


@functools.lru_cache(maxsize=4096)
def choose(
    dims: Dims, sizes: tuple[tuple[int, int], ...], linear: bool, one_order: bool = False
) -> Layout | None:
  """The cheapest layout, or None if the epilogue cannot run inside the kernel.

  Args:
    dims: the contraction.
    sizes: pairs of label and size.
    linear: whether there is no activation, so that several products may be summed.
    one_order: whether the bits of a sum must not depend on the sizes: k is in the order of its
      labels, products are not summed, and operands do not change places.
  """
  size = dict(sizes)
  of_columns = {*(dims.bias or ()), *(dims.scale or ())}
  of_rows = {*(dims.row_scale or ())}
  has_vectors = any(x is not None for x in dims[3:])
  best, best_key = None, None
  # If the operands change places, the scales do, too: they multiply a sum one after the other. The
  # kernels have no bias for each row.
  for swap in (False,) if dims.bias is not None or one_order else (False, True):
    lhs, rhs = (dims.rhs, dims.lhs) if swap else (dims.lhs, dims.rhs)
    along_n, along_m = (of_rows, of_columns) if swap else (of_columns, of_rows)
    names = ("rhs", "lhs") if swap else ("lhs", "rhs")
    for batch, m, n, k, summed in _candidates(
        lhs, rhs, dims.out, linear and not (has_vectors or one_order), one_order):
      if along_n & set(m) or along_m & set(n):
        continue
      of_lhs, of_rhs = set(lhs) - set(rhs), set(rhs) - set(lhs)
      if not one_order and (
          along_n & of_lhs and count(m, size) == 1 < count(of_lhs, size)
          or along_m & of_rhs and count(n, size) == 1 < count(of_rhs, size)):
        # Here each row or column would be a product of its own, which reads all of the other
        # operand.
        continue
      relayouts, cost = [], 0
      contracting = []
      for name, labels, own, usual in ((names[0], lhs, m, 1), (names[1], rhs, n, 0)):
        lead = _only(batch, labels)
        orders = lead + k + own, lead + own + k  # indexed by the place of k
        # A vector has both orders. As rows along k it has one long line, else lines of one element.
        first = 1 if count(own, size) == 1 else usual
        place = next((i for i in (first, 1 - first)
                      if same_order(labels, orders[i], size)), None)
        if place is None:
          place = usual
          relayouts.append(name)
          cost += count(labels, size)
        contracting.append(place)
      if not same_order(dims.out, batch[len(summed):] + m + n, size):
        relayouts.append("out")
        cost += count(dims.out, size)
      if summed:
        cost += 2 * count(summed, size) * count(dims.out, size)
      # At equal cost: no swap, then as few and as large matrices as possible.
      key = (cost, swap, count(batch, size), len(batch))
      if best_key is None or key < best_key:
        best_key = key
        lhs_contracting, rhs_contracting = contracting
        best = Layout(swap, batch, m, n, k, summed, lhs_contracting, rhs_contracting,
                      tuple(sorted(relayouts)), cost)
  return best


def of_product(dims: Dims, sizes: tuple[tuple[int, int], ...], one_order: bool = False) -> Layout:
  """The layout of the product without bias and scale, which always has one."""
  found = choose(Dims(dims.lhs, dims.rhs, dims.out), sizes, True, one_order)
  assert found is not None
  return found


def label_sizes(dims: Dims, *shapes) -> tuple[tuple[int, int], ...]:
  """Pairs of label and size, out of the shapes of lhs, rhs and so on.

  Raises:
    ValueError: two dimensions with one label have different sizes.
  """
  size: dict[int, int] = {}
  for operand, shape in zip(dims.operands(), shapes, strict=True):
    for label, extent in zip(operand, shape, strict=True):
      if size.setdefault(label, extent) != extent:
        raise ValueError(
            f"shapes {shapes} of a contraction {dims} give dimension {label} the "
            f"sizes {size[label]} and {extent}; one size is allowed. Pass operands "
            "that agree."
        )
  return tuple(sorted(size.items()))
