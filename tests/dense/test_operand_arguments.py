"""What jax.lax refuses as an array, every product refuses, also after it took the same shape.

A jitted function that was compiled for a numpy array takes a masked one without a look at its mask.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox, qarray
from jaxgemm.call.quantization import Quantized

NUMBERS = (((1,), (0,)), ((), ()))
RAGGED = jax.lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
BATCH = jax.lax.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), (0,), ())


class QArray:
  """Has the attributes of Qwix's QArray."""

  def __init__(self, qvalue, scale):
    self.qvalue, self.scale, self.zero_point = qvalue, scale, None


def in_shard_map(function):
  """A collective on a mesh of one device; its operands are constants of the program."""
  def call(lhs, rhs, bias):
    mesh = jax.make_mesh((1,), ("x",))
    P = jax.sharding.PartitionSpec
    return jax.shard_map(lambda _: function(lhs, rhs, "x", bias=bias), mesh=mesh, in_specs=P(),
                         out_specs=P(None), check_vma=False)(jnp.zeros(1))
  return call


def chunked(lhs, rhs, chunk_signals, bias):
  return jaxgemm.chunked_matmul(
      lhs, rhs, chunk_signals, tiles_per_chunk_m=2, bias=bias,
      config=jaxgemm.GemmConfig(tile_m=16))


# By name: the function, and its arrays.
X, W = np.ones((32, 16), np.float32), np.ones((16, 8), np.float32)
VECTORS = dict(bias=np.ones(8, np.float32), scale_lhs=np.ones((32, 1), np.float32),
               scale_rhs=np.ones((1, 8), np.float32))
SIZES, OFFSET = np.array([12, 20], np.int32), np.array([0], np.int32)
EXPERTS = np.ones((2, 16, 8), np.float32)
GROUPS = dict(group_sizes=SIZES, group_offset=OFFSET)
SCALES = dict(lhs_scales=np.ones((1, 32, 2), np.float32), rhs_scales=np.ones((1, 8, 2), np.float32))
CALLS = {
    "matmul": (jaxgemm.matmul, dict(a=X, b=W, **VECTORS)),
    "matmul with a scale": (jaxgemm.matmul, dict(a=X, b=W, scale=np.ones(8, np.float32))),
    "dot_general": (functools.partial(jaxgemm.dot_general, dimension_numbers=NUMBERS),
                    dict(lhs=X, rhs=W, **VECTORS)),
    "ragged_dot": (jaxgemm.ragged_dot, dict(
        lhs=X, rhs=EXPERTS, **GROUPS, rhs_grad=np.zeros(EXPERTS.shape, np.float32))),
    "ragged_dot_general": (
        functools.partial(jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=RAGGED),
        dict(lhs=X, rhs=X, **GROUPS, accumulate=np.zeros((2, 16, 16), np.float32))),
    "ragged_dot_general of a batch": (
        functools.partial(jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=BATCH),
        dict(lhs=X[None], rhs=W[None], group_sizes=np.array([1], np.int32))),
    "ragged_gated_linear_unit": (jaxgemm.ragged_gated_linear_unit, dict(
        lhs=X, rhs=np.ones((2, 16, 2, 8), np.float32), **GROUPS)),
    "scaled_matmul": (jaxgemm.scaled_matmul, dict(
        lhs=X[None], rhs=W.T[None], **SCALES, bias=VECTORS["bias"])),
    "scaled_ragged_dot": (jaxgemm.scaled_ragged_dot, dict(
        lhs=X, rhs=np.ones((2, 8, 16), np.float32), **GROUPS, lhs_scales=np.ones((32, 2)),
        rhs_scales=np.ones((2, 8, 2)), bias=VECTORS["bias"])),
    "chunked_matmul": (chunked, dict(
        lhs=X, rhs=W, chunk_signals=np.ones(1, np.uint32), bias=VECTORS["bias"])),
    "overlap": (functools.partial(jaxgemm.overlap, consumer=lambda x, _: x, chunk_rows=32),
                dict(x=X)),
    "quantize": (jaxgemm.quantize, dict(x=X)),
    "fp8.dot_general": (functools.partial(fp8.dot_general, dimension_numbers=NUMBERS),
                        dict(lhs=X, rhs=W)),
    "fp8.ragged_dot": (fp8.ragged_dot, dict(lhs=X, rhs=EXPERTS, **GROUPS)),
    "gmm": (megablox.gmm, dict(
        lhs=X, rhs=EXPERTS, **GROUPS, existing_out=np.ones((32, 8), np.float32))),
    "tgmm": (megablox.tgmm, dict(
        lhs=X.T, rhs=X, **GROUPS, existing_out=np.ones((2, 16, 16), np.float32))),
    "qarray.dot_general": (functools.partial(qarray.dot_general, dimension_numbers=NUMBERS),
                           dict(lhs=X, rhs=W)),
    "qarray.dot_general of a QArray": (
        lambda qvalue, scale: qarray.dot_general(QArray(qvalue, scale), W, NUMBERS),
        dict(qvalue=X, scale=np.ones((32, 1), np.float32))),
    "allgather_matmul": (in_shard_map(jaxgemm.allgather_matmul),
                         dict(lhs=X, rhs=W, bias=VECTORS["bias"])),
    "matmul_reduce_scatter": (in_shard_map(jaxgemm.matmul_reduce_scatter),
                              dict(lhs=X, rhs=W, bias=VECTORS["bias"])),
    "explain": (jaxgemm.explain, dict(a=X, b=W, bias=VECTORS["bias"])),
    "supports": (jaxgemm.supports, dict(a=X, b=W, scale_lhs=VECTORS["scale_lhs"])),
    "explain of groups": (jaxgemm.explain, dict(a=X, b=EXPERTS, **GROUPS)),
}
OPTIONAL = {"bias", "scale", "scale_lhs", "scale_rhs"}  # these may be lists of numbers
CASES = [(call, name) for call, (_, arrays) in CALLS.items() for name in arrays]


@pytest.mark.parametrize("call, name", CASES)
def test_arrays_that_jax_refuses(call, name):
  function, arrays = CALLS[call]
  x = arrays[name]
  if call != "overlap":  # its consumer ignores the signals, which is an error
    function(**arrays)  # from now on jax has a compiled program for these types
  wrong = [(np.ma.masked_array(x, mask=x > 0), "a MaskedArray; .* Pass .*filled"),
           (x.astype(x.dtype.newbyteorder()), "a ndarray of dtype >.*newbyteorder"),
           (x.astype(object), "a ndarray of dtype .O"),
           (np.full(x.shape, "1"), "a ndarray of dtype <U1")]
  if name not in OPTIONAL:
    wrong += [(x.tolist(), "a list; an? .*array is allowed"),
              ((x,), "a tuple; an? .*array is allowed"), ("x", "a str; an? .*array is allowed")]
  for given, words in wrong:
    with pytest.raises((TypeError, ValueError), match=f"{name} is {words}"):
      function(**arrays | {name: given})
    if name in ("lhs", "a"):
      with pytest.raises((TypeError, ValueError)):
        jax.lax.dot_general(given, W, NUMBERS)  # as jax


@pytest.mark.parametrize("call", [x for x in CALLS if x not in ("overlap", "explain", "supports")])
def test_none_is_no_operand(call):
  function, arrays = CALLS[call]
  name = next(iter(arrays))
  with pytest.raises((TypeError, ValueError), match=f"{name} is None; an array is allowed"):
    function(**arrays | {name: None})


@pytest.mark.parametrize("make", [
    np.asarray, jnp.asarray, np.asmatrix, lambda x: x.view(np.recarray),
    lambda x: x.astype(jnp.bfloat16), lambda x: np.broadcast_to(x[:1], x.shape),
    lambda x: x[::-1], np.asfortranarray, lambda x: x.astype(np.float64)])
def test_arrays_that_jax_takes(rng, make):
  x, w = (rng.standard_normal(shape, np.float32) for shape in (X.shape, W.shape))
  given = make(x)
  wanted = np.asarray(given, np.float64) @ w
  for out in (jaxgemm.matmul(given, w), jaxgemm.dot_general(given, w, NUMBERS),
              jaxgemm.ragged_dot(given, w[None], np.array([32]))):
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)
  assert isinstance(jaxgemm.quantize(given), Quantized)
