"""The layout in which the kernel reads the operands of a contraction (dense/layout.py)."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.dense import layout

MATRIX_VECTOR = layout.Dims((0, 1), (1,), (0,))
MATRIX_COLUMN = layout.Dims((0, 1), (1, 2), (0, 2))
ROW_MATRIX = layout.Dims((0, 1), (1, 2), (0, 2))
BATCH = layout.Dims((3, 0, 1), (3, 1, 2), (3, 0, 2))


def chosen(dims, **sizes):
  return layout.choose(dims, tuple((i, sizes[name]) for i, name in enumerate("mknb")
                                   if name in sizes), True)


@pytest.mark.parametrize("dims, sizes, rhs_contracting", [
    (MATRIX_VECTOR, dict(m=70, k=136), 1), (MATRIX_COLUMN, dict(m=70, k=136, n=1), 1),
    (BATCH, dict(m=70, k=136, n=1, b=5), 1), (MATRIX_COLUMN, dict(m=70, k=136, n=2), 0),
    (ROW_MATRIX, dict(m=1, k=136, n=70), 0)])
def test_a_vector_is_read_along_k(dims, sizes, rhs_contracting):
  """Its other order has lines of one element, which GPU kernels load one by one."""
  found = chosen(dims, **sizes)
  assert found is not None and found.cost == 0 and not found.swap
  assert (found.lhs_contracting, found.rhs_contracting) == (1, rhs_contracting)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_a_matrix_times_a_vector_is_right(rng, arch):
  lhs, rhs = (jnp.asarray(rng.standard_normal(shape), "bfloat16") for shape in ((70, 136), (136,)))
  got = jaxgemm.matmul(lhs, rhs, implementation=f"emulated:{arch}")
  want = np.asarray(lhs, np.float64) @ np.asarray(rhs, np.float64)
  assert np.abs(np.asarray(got, np.float64) - want).max() <= 8e-3 * np.abs(want).max()
