"""jaxgemm.megablox against megablox itself in interpret mode, and against float64."""

from typing import Any, NamedTuple

import jax
from jax.experimental.pallas.ops.tpu import megablox
from jax.experimental.pallas.ops.tpu.megablox.gmm import tgmm as their_tgmm
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import Quantized, quantize
from jaxgemm.megablox import gmm, tgmm

M, K, N, G = 64, 32, 48, 4
SIZES = jnp.array([20, 0, 13, 31], jnp.int32)  # all rows
TILING = (16, 16, 16)


class QArray(NamedTuple):
  """A stand-in for Qwix's QArray: qvalue * scale is the array."""

  qvalue: Any
  scale: Any
  zero_point: Any = None


def array(rng, *shape, dtype=jnp.float32):
  return jnp.asarray(rng.standard_normal(shape, np.float32)).astype(dtype)


def close(given, wanted, dtype=jnp.float32):
  assert given.dtype == dtype and given.shape == wanted.shape
  wanted = np.asarray(wanted, np.float64)
  rounding = 2.0**-7 * np.abs(wanted) if dtype == jnp.bfloat16 else 0
  assert (np.abs(np.asarray(given, np.float64) - wanted)
          <= 1e-5 * np.abs(wanted).max(initial=0) + rounding).all()


@pytest.mark.whole(unless=lambda existing, transpose_rhs: existing == transpose_rhs)
@pytest.mark.parametrize("transpose_rhs", [False, True])
@pytest.mark.parametrize("offset, existing", [(None, False), (1, False), (1, True)])
def test_gmm_as_megablox(rng, transpose_rhs, offset, existing):
  groups = G if offset is None else 2
  lhs = array(rng, M, K)
  rhs = array(rng, groups, N, K) if transpose_rhs else array(rng, groups, K, N)
  existing_out = array(rng, M, N) if existing else None
  given = None if offset is None else jnp.int32(offset)
  theirs = megablox.gmm(lhs, rhs, SIZES, jnp.float32, TILING, given, existing_out,
                        transpose_rhs=transpose_rhs, interpret=True)
  for group_offset in [given] if offset is None else [given, given[None]]:
    ours = gmm(lhs, rhs, SIZES, jnp.float32, TILING, group_offset, existing_out, transpose_rhs,
               interpret=True)
    close(ours, theirs)
  if existing:
    first, last = 20, 33  # the rows of groups 1 and 2
    np.testing.assert_array_equal(ours[:first], existing_out[:first])
    np.testing.assert_array_equal(ours[last:], existing_out[last:])


@pytest.mark.whole(unless=lambda existing, dtype: existing == (dtype == jnp.float32))
@pytest.mark.parametrize("offset, existing", [(None, False), (1, False), (1, True), (None, True)])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_tgmm_as_megablox(rng, offset, existing, dtype):
  groups = G if offset is None else 2
  lhs, rhs = array(rng, K, M, dtype=dtype), array(rng, M, N, dtype=dtype)
  existing_out = array(rng, groups, K, N, dtype=dtype) if existing else None
  given = None if offset is None else jnp.int32(offset)
  count = None if offset is None else groups
  theirs = their_tgmm(lhs, rhs, SIZES, dtype, TILING, given, count, existing_out, interpret=True)
  ours = tgmm(lhs, rhs, SIZES, dtype, TILING, given, count, existing_out)
  close(ours, theirs, dtype)
  # An expert without rows gets existing_out, or zeros. jax's version leaves its part undefined if
  # the expert has no tile.
  empty = 1 if offset is None else 0
  np.testing.assert_array_equal(
      ours[empty], existing_out[empty] if existing else jnp.zeros((K, N), dtype))


def test_gradients_as_megablox(rng):
  lhs, rhs, ct = array(rng, M, K), array(rng, G, K, N), array(rng, M, N)
  theirs = jax.vjp(lambda x, y: megablox.gmm(
      x, y, SIZES, jnp.float32, TILING, None, None, False, True), lhs, rhs)[1](ct)
  ours = jax.vjp(lambda x, y: gmm(x, y, SIZES), lhs, rhs)[1](ct)
  jax.tree.map(close, ours, theirs)


def dequantised(x):
  return np.asarray(Quantized(*x[:2]).dequantize(), np.float64)


def rows_of(group):
  ends = np.cumsum(SIZES)
  return slice(ends[group] - int(SIZES[group]), ends[group])


@pytest.mark.parametrize("transpose_rhs", [False, True])
@pytest.mark.parametrize("of_lhs, of_rhs", [
    ("row", "row"), ("row", "tensor"), ("row", None), (None, "row"), ("mx", "mx")])
def test_gmm_of_quantised_operands(rng, of_lhs, of_rhs, transpose_rhs):
  lhs, rhs = array(rng, M, 64), array(rng, G, 64, N)
  wide = [np.asarray(lhs, np.float64), np.asarray(rhs, np.float64)]
  if of_lhs:
    lhs = QArray(*quantize(lhs, of_lhs, axis=1))
    wide[0] = dequantised(lhs)
  if of_rhs:
    rhs = QArray(*quantize(rhs, of_rhs, axis=1))
    wide[1] = dequantised(rhs)
  if transpose_rhs:
    rhs = jax.tree.map(lambda x: x.swapaxes(1, 2), rhs)
  out = jax.jit(lambda lhs, rhs: gmm(lhs, rhs, SIZES, transpose_rhs=transpose_rhs))(lhs, rhs)
  for g in range(G):
    close(out[rows_of(g)], wide[0][rows_of(g)] @ wide[1][g])


@pytest.mark.parametrize("of_lhs, of_rhs, dtype", [
    (None, "column", jnp.float32), ("column", "column", jnp.float32),
    ("tensor", "tensor", jnp.bfloat16), ("mx", "mx", jnp.float32)])
def test_tgmm_of_quantised_operands(rng, of_lhs, of_rhs, dtype):
  lhs, rhs = array(rng, K, M), array(rng, M, N)
  lhs = lhs if of_lhs is None else QArray(*quantize(
      lhs, "row" if of_lhs == "column" else of_lhs, axis=1))
  rhs = QArray(*quantize(rhs, "row" if of_rhs == "column" else of_rhs, axis=0))
  existing = array(rng, G, K, N, dtype=dtype)
  out = tgmm(lhs, rhs, SIZES, dtype, existing_out=existing)
  wide = np.asarray(lhs, np.float64) if of_lhs is None else dequantised(lhs)
  for g in range(G):
    wanted = wide[:, rows_of(g)] @ dequantised(rhs)[rows_of(g)] + np.asarray(
        existing[g], np.float64)
    close(out[g], wanted, dtype)


def test_messages(rng):
  lhs, rhs = array(rng, M, K), array(rng, G, K, N)
  with pytest.raises(ValueError, match=r"group_offset has shape \(2,\); \(\) or \(1,\) is allowed"):
    gmm(lhs, rhs, SIZES, group_offset=jnp.array([0, 1]))
  with pytest.raises(ValueError, match="existing_out has shape .* and dtype bfloat16"):
    gmm(lhs, rhs, SIZES, existing_out=jnp.zeros((M, N), jnp.bfloat16))
  zero = QArray(lhs.astype(jnp.int8), jnp.ones((M, 1)), jnp.zeros((M, 1), jnp.int8))
  with pytest.raises(ValueError, match="lhs has a zero_point; only symmetric"):
    gmm(zero, rhs, SIZES)
  with pytest.raises(ValueError, match=r"qvalue of shape .* and scale of shape \(3, 1\)"):
    gmm(zero._replace(zero_point=None, scale=jnp.ones((3, 1))), rhs, SIZES)
