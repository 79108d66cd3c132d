"""jaxgemm.qarray.dot_general, called as Qwix calls its own dot_general, against float64."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import Quantized, qarray, quantize
from tests.support.environment import VIRTUAL_ROCM


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class QArray:
  """A stand-in for Qwix's QArray, with its fields, and with the shape and ndim of qvalue."""

  qvalue: Any
  scale: Any
  zero_point: Any = None

  @property
  def ndim(self):
    return self.qvalue.ndim

  def wide(self):
    return np.asarray(Quantized(self.qvalue, self.scale).dequantize(), np.float64)


def qwix_dot(a, b, precision=None, preferred_element_type=None, out_sharding=None, *, function):
  """qwix.dot, which calls its dot_general with these arguments."""
  contract = ((a.ndim - 1,), (b.ndim - 2,))
  return function(
      a, b, dimension_numbers=(contract, ((), ())), precision=precision,
      preferred_element_type=preferred_element_type, out_sharding=out_sharding)


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape, np.float32))


def wide(x):
  return x.wide() if isinstance(x, QArray) else np.asarray(x, np.float64)


def close(given, wanted, error=1e-6):
  assert given.shape == wanted.shape
  if VIRTUAL_ROCM:  # AMD's kernels take few blocks: other operands are dequantised to bfloat16
    error = max(error, 2.0**-8)
  rounding = 2.0**-8 if given.dtype == jnp.bfloat16 else 0
  allowed = error * np.abs(wanted).max() + rounding * np.abs(wanted)
  assert (np.abs(np.asarray(given, np.float64) - wanted) <= allowed).all()


@pytest.mark.parametrize("of_a, of_b, dtype", [
    (("row", {}), ("row", {}), "float8_e4m3fn"), (("tensor", {}), ("row", {}), "int8"),
    (("block", {}), ("block", {}), "float8_e4m3fn"), (("mx", {}), ("mx", {}), "float8_e4m3fn"),
    (("block", {}), ("row", {}), "float8_e4m3fn")])
@pytest.mark.parametrize("preferred", [None, jnp.bfloat16])
def test_as_qwix_calls_it(rng, of_a, of_b, dtype, preferred):
  a, b = array(rng, 3, 20, 256), array(rng, 256, 24)
  a = QArray(*quantize(a, of_a[0], axis=2, dtype=dtype))
  b = QArray(*quantize(b, of_b[0], axis=0, dtype=dtype))
  out = jax.jit(lambda a, b: qwix_dot(
      a, b, preferred_element_type=preferred, function=qarray.dot_general))(a, b)
  # Without a preferred type, out has the dtype of the scales; for MX scales it is bfloat16.
  assert out.dtype == (preferred or (jnp.bfloat16 if of_a[0] == "mx" else jnp.float32))
  close(out, np.einsum("bsk,kn->bsn", a.wide(), b.wide()))


def test_tiles_and_batches(rng):
  a, b = array(rng, 2, 20, 256), array(rng, 2, 256, 24)
  a = QArray(*quantize(a, "block", axis=2))
  b = QArray(*quantize(b, "block", axis=(1, 2), block=(128, 8)))
  out = qarray.dot_general(a, b, (((2,), (1,)), ((0,), (0,))))
  close(out, np.einsum("bmk,bkn->bmn", a.wide(), b.wide()))


def test_several_contracted_dimensions(rng):
  a, b = array(rng, 20, 8, 64), array(rng, 8, 64, 24)
  a = QArray(*quantize(a, "mx", axis=2))
  b = QArray(*quantize(b, "row", axis=(0, 1)))
  out = qarray.dot_general(a, b, (((1, 2), (0, 1)), ((), ())), preferred_element_type=jnp.float32)
  # rhs is dequantised to bfloat16, whose error is 2**-9 of each product.
  bound = 2.0**-9 * np.einsum("mkl,kln->mn", np.abs(a.wide()), np.abs(b.wide())).max()
  wanted = np.einsum("mkl,kln->mn", a.wide(), b.wide())
  assert np.abs(out - wanted).max() <= bound


def test_beside_a_wide_array(rng):
  a = array(rng, 20, 64).astype(jnp.bfloat16)
  b = QArray(*quantize(array(rng, 64, 24), "mx", axis=0))
  out = qarray.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)
  close(out, wide(a) @ wide(b))


def test_messages(rng):
  x = array(rng, 8, 8)
  zero = QArray(x.astype(jnp.int8), jnp.ones((8, 1)), jnp.zeros((8, 1), jnp.int8))
  numbers = (((1,), (0,)), ((), ()))
  with pytest.raises(ValueError, match="lhs has a zero_point; only symmetric"):
    qarray.dot_general(zero, x, numbers)
  with pytest.raises(ValueError, match=r"rhs has qvalue of shape \(8, 8\) and scale of shape"):
    qarray.dot_general(x, QArray(zero.qvalue, jnp.ones((3, 1))), numbers)
