"""Helpers for the tests of gated and of accumulated grouped products."""

import re

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from tests.grouped.ragged_reference import ACTIVATIONS, array

TOLERANCE = {"float32": 2e-5, "bfloat16": 2e-2, "float16": 3e-3}
SIZES = jnp.array([7, 0, 30, 5], jnp.int32)  # for an lhs of 50 rows
GROUPS, M, K, N = 4, 50, 19, 23
# A ragged contraction of [M, K] and [M, N].
RAGGED_K = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
BOTH = [("jaxgemm", "float32"), ("jaxgemm", "bfloat16"), ("xla", "bfloat16")]
gated = jaxgemm.ragged_gated_linear_unit


def rows_and_groups(sizes, offset, local):
  """(rows that have a group of the shard, the group of each such row)."""
  group = np.repeat(np.arange(len(sizes)), sizes) - offset
  rows, = np.nonzero((group >= 0) & (group < local))
  return rows, group[rows]


def reference(lhs, rhs, bias=None, scale=None, *, activation="silu", offset=0):
  """The gated product by jnp in the operands' dtype."""
  rows, group = rows_and_groups(SIZES, offset, rhs.shape[0])
  z = jnp.einsum("mk,mkin->min", lhs[rows], rhs[group])
  z = z * (1 if scale is None else scale[group])
  z = z + (0 if bias is None else bias[group])
  out = ACTIVATIONS[activation](z[:, 0]) * z[:, 1]
  return jnp.zeros((lhs.shape[0], rhs.shape[3]), out.dtype).at[rows].set(out)


def sums(lhs, rhs, *, offset=0, local=GROUPS):
  """The ragged contraction of [M, K] and [M, N] to [local, K, N]."""
  rows, group = rows_and_groups(SIZES, offset, local)
  mask = jnp.asarray(group[:, None] == np.arange(local), lhs.dtype)
  return jnp.einsum("mg,mk,mn->gkn", mask, lhs[rows], rhs[rows])


def operands(rng, dtype=jnp.float32):
  """lhs, rhs, bias and scale of a gated product."""
  return (array(rng, M, K, dtype=dtype), array(rng, GROUPS, K, 2, N, dtype=dtype),
          array(rng, GROUPS, 2, N), 1 + 0.3 * array(rng, GROUPS, 2, N))


def compiled(function, *args, donate=()):
  return jax.jit(function, donate_argnums=donate).lower(*args).compile()


def instructions(program):
  """(opcode, elements of the result) of each instruction of a compiled program."""
  found = re.findall(r"= \(?\w+\[([\d,]*)\][^ ]*.*? ([a-z][\w-]*)\(",
                     program.as_text())
  return [(op, int(np.prod([int(d) for d in dims.split(",") if d])))
          for dims, op in found]


def calls(program):
  return program.as_text().count('custom_call_target="jaxgemm_gemm"')
