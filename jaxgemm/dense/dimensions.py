"""Products as jax describes them: which dimensions they contract, and their results."""

from collections.abc import Callable
import math
import operator
from typing import NamedTuple

import jax

from jaxgemm.call import jax_products
from jaxgemm.call.dtypes import for_jax, preferred_of_scaled, result_type
from jaxgemm.call.options import Options
from jaxgemm.call.spec import Labels
from jaxgemm.dense.layout import Dims


class Product(NamedTuple):
  """A call of matmul or dot_general, without its epilogue.

  Attributes:
    reference: function of lhs and rhs that computes the call by jax; its argument
      preferred_element_type may replace the caller's.
    dims: the labels of the operands after `dropped` is squeezed out of them.
    dropped: the batch dimensions of size 1 of lhs and of rhs that the other operand has, too.
      Without them a broadcast needs no copy.
    batch: out's leading labels that a bias may have in front.
    rows: out's labels that are lhs's own.
    columns: out's last labels, which are rhs's own.
    k: the number of products in the sum of each element of the result.
    result: type of the result, as jax gives it.
  """

  reference: Callable
  dims: Dims
  dropped: tuple[tuple[int, ...], tuple[int, ...]]
  batch: Labels
  rows: Labels
  columns: Labels
  k: int
  result: jax.core.ShapedArray


def indices(dimension_numbers):
  """The dimension numbers of `jax.lax.dot_general` as hashable tuples of ints.

  As in jax, each group is an int or a sequence of ints: a list, a range, an array. None, which
  means a product of matrices or vectors, stays None.

  Raises:
    TypeError, ValueError: anything else.
  """
  if dimension_numbers is None:
    return None

  def group(given) -> tuple[int, ...]:
    try:
      return (operator.index(given),)
    except TypeError:
      return tuple(map(operator.index, given))

  try:
    (l_contract, r_contract), (l_batch, r_batch) = dimension_numbers
    return ((group(l_contract), group(r_contract)), (group(l_batch), group(r_batch)))
  except (TypeError, ValueError) as error:
    raise type(error)(
        f"dimension_numbers={dimension_numbers!r} was given; ((lhs_contracting, rhs_contracting), "
        "(lhs_batch, rhs_batch)) is allowed, each an int or a sequence of ints. Pass "
        "(((1,), (0,)), ((), ())) for lhs [M, K] and rhs [K, N].") from error


def _shape_dtype(x) -> jax.ShapeDtypeStruct:
  """Shape and dtype of an array, or of a number, which is an array without dimensions."""
  return jax.eval_shape(lambda x: x, x)


def matmul_product(a, b, options: Options, scaled: bool = False) -> Product:
  """The product that `jnp.matmul` computes. It raises the same errors.

  Args:
    options: the precision, preferred_element_type and out_sharding among them count.
    scaled: whether an operand has scales.
  """
  preferred = preferred_of_scaled(options.preferred_element_type, a, b, scaled)

  def reference(a, b, preferred_element_type=preferred):
    if preferred_element_type is not None:  # else jnp.matmul names the dtypes that do not promote
      a, b = for_jax(a, b, preferred_element_type)
    return jax_products.matmul(
        a, b, precision=options.precision, out_sharding=options.out_sharding,
        preferred_element_type=preferred_element_type)

  result = result_type(reference, a, b)
  a, b = map(_shape_dtype, (a, b))
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
  return Product(reference, dims, dropped, batch, rows, columns, a.shape[-1], result)


def dot_general_product(lhs, rhs, dimension_numbers, options: Options,
                        scaled: bool = False) -> Product:
  """The product of `jax.lax.dot_general`; see `matmul_product`."""
  preferred = preferred_of_scaled(options.preferred_element_type, lhs, rhs, scaled)

  def reference(x, y, preferred_element_type=preferred):
    return jax_products.dot_general(
        *for_jax(x, y, preferred_element_type), dimension_numbers, options.precision,
        preferred_element_type, out_sharding=options.out_sharding)

  result = result_type(reference, lhs, rhs)
  lhs, rhs = map(_shape_dtype, (lhs, rhs))
  if dimension_numbers is None:
    dimension_numbers = ((lhs.ndim - 1, 0), ((), ()))
  (l_contract, r_contract), (l_batch, r_batch) = indices(dimension_numbers)
  shared = dict(zip(r_contract + r_batch, l_contract + l_batch))
  l_labels = tuple(range(lhs.ndim))
  r_labels = tuple(shared.get(i, lhs.ndim + i) for i in range(rhs.ndim))
  rows = tuple(x for x in l_labels if x not in l_contract + l_batch)
  columns = tuple(x for x in r_labels if x >= lhs.ndim)
  dims = Dims(l_labels, r_labels, l_batch + rows + columns)
  k = math.prod(lhs.shape[i] for i in l_contract)
  return Product(reference, dims, ((), ()), l_batch, rows, columns, k, result)
