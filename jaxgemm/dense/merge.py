"""A contraction as a batch of matrix products, by transposing and merging dimensions."""

from collections.abc import Mapping, Sequence
import math

import jax
import jax.numpy as jnp

from jaxgemm.call.spec import Labels
from jaxgemm.dense.layout import Dims


def parts(dims: Dims) -> tuple[Labels, Labels, Labels, Labels]:
  """The labels of a contraction: (batches, rows of lhs, columns of rhs, contracted ones)."""
  batch = tuple(i for i in dims.out if i in dims.lhs and i in dims.rhs)
  own = lambda labels: tuple(i for i in dims.out if i in labels and i not in batch)
  return batch, own(dims.lhs), own(dims.rhs), tuple(i for i in dims.lhs if i not in dims.out)


def merged(x: jax.Array, labels: Labels, groups: Sequence[Labels]) -> jax.Array:
  """x with one dimension for each group of labels, whose dimensions are merged into it."""
  order = [label for group in groups for label in group]
  sizes = dict(zip(labels, x.shape))
  x = jnp.transpose(x, [labels.index(label) for label in order])
  return x.reshape([math.prod(sizes[label] for label in group) for group in groups])


def unmerged(x: jax.Array, groups: Sequence[Labels], sizes: Mapping[int, int],
             labels: Labels) -> jax.Array:
  """The inverse of `merged`.

  Args:
    x: the result of `merged`, or an array of its shape.
    groups: see `merged`.
    sizes: the size of each label.
    labels: the labels of the result.
  """
  order = [label for group in groups for label in group]
  x = x.reshape([sizes[label] for label in order])
  return jnp.transpose(x, [order.index(label) for label in labels])
