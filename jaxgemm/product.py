"""Products as jax describes them: which dimensions they contract, and their results."""

import functools
from typing import Callable, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.layout import Dims, Labels


class Product(NamedTuple):
  """A call of matmul or dot_general, its epilogue aside.

  Attributes:
    reference: computes it by jax, given lhs, rhs and preferred_element_type.
    dims: the labels of the operands after `dropped` is squeezed out of them.
    dropped: axes of size 1 of lhs and of rhs: a broadcast needs no copy.
    batch: out's leading labels that a bias may have in front.
    columns: out's last labels, which are rhs's own.
    result: shape and dtype, as jax has them.
  """

  reference: Callable
  dims: Dims
  dropped: tuple[tuple[int, ...], tuple[int, ...]]
  batch: Labels
  columns: Labels
  result: jax.ShapeDtypeStruct


def matmul_product(a, b, *, precision=None, preferred_element_type=None,
                   out_sharding=None) -> Product:
  """The product of `jnp.matmul`; raises what it raises."""
  reference = functools.partial(
      jnp.matmul, precision=precision, out_sharding=out_sharding
  )
  result = jax.eval_shape(
      functools.partial(reference, preferred_element_type=preferred_element_type),
      a, b,
  )
  num_batch = max(a.ndim, b.ndim, 2) - 2
  batch = tuple(range(num_batch))
  a_batch = batch[num_batch - max(a.ndim - 2, 0):]
  b_batch = batch[num_batch - max(b.ndim - 2, 0):]
  a_size, b_size = dict(zip(a_batch, a.shape)), dict(zip(b_batch, b.shape))
  a_drop = {x for x in a_batch if a_size[x] == 1 and x in b_size}
  b_drop = {x for x in b_batch if b_size[x] == 1 and x in a_size} - a_drop
  row, depth, column = num_batch, num_batch + 1, num_batch + 2
  rows = (row,) if a.ndim > 1 else ()
  columns = (column,) if b.ndim > 1 else ()
  dims = Dims(
      tuple(x for x in a_batch if x not in a_drop) + rows + (depth,),
      tuple(x for x in b_batch if x not in b_drop) + (depth,) + columns,
      batch + rows + columns,
  )
  dropped = (tuple(a_batch.index(x) for x in sorted(a_drop)),
             tuple(b_batch.index(x) for x in sorted(b_drop)))
  return Product(reference, dims, dropped, batch, columns, result)


def dot_general_product(lhs, rhs, *, dimension_numbers, precision=None,
                        preferred_element_type=None, out_sharding=None) -> Product:
  """The product of `jax.lax.dot_general`; raises what it raises."""
  def reference(x, y, preferred_element_type):
    return lax.dot_general(x, y, dimension_numbers, precision,
                           preferred_element_type, out_sharding=out_sharding)

  result = jax.eval_shape(
      functools.partial(reference, preferred_element_type=preferred_element_type),
      lhs, rhs,
  )
  (l_contract, r_contract), (l_batch, r_batch) = (
      (tuple(map(int, left)), tuple(map(int, right)))
      for left, right in dimension_numbers
  )
  shared = dict(zip(r_contract + r_batch, l_contract + l_batch))
  l_labels = tuple(range(lhs.ndim))
  r_labels = tuple(shared.get(i, lhs.ndim + i) for i in range(rhs.ndim))
  rows = tuple(x for x in l_labels if x not in l_contract + l_batch)
  columns = tuple(x for x in r_labels if x >= lhs.ndim)
  dims = Dims(l_labels, r_labels, l_batch + rows + columns)
  return Product(reference, dims, ((), ()), l_batch, columns, result)
