"""The handlers that start and join a producer, called with wrong and with unusual operands."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm  # noqa: F401  # registers the handlers


def start_call(x, signals=((4,), jnp.uint32), data=None, **attributes):
  attributes = dict(axis=0, chunk_rows=32, first_chunk=0, from_host=0,
                    product_leaves_room=0) | attributes
  results = [data or jax.ShapeDtypeStruct(x.shape, x.dtype),
             jax.ShapeDtypeStruct(*signals)]
  call = jax.ffi.ffi_call("jaxgemm_chunks_start", results)
  return jax.block_until_ready(
      call(x, **{name: np.int64(value) for name, value in attributes.items()}))


@pytest.mark.parametrize("wrong, message", [
    (dict(axis=2), "axis=2"), (dict(axis=-1), "axis=-1"),
    (dict(chunk_rows=0), "chunk_rows"),
    (dict(first_chunk=4), "there are 4 chunks"),
    (dict(first_chunk=-1), "first_chunk=-1"),
    (dict(signals=((3,), jnp.uint32)), r"must be uint32\[4\]"),
    (dict(signals=((4,), jnp.int32)), r"must be uint32\[4\]"),
    (dict(data=jax.ShapeDtypeStruct((40, 100), np.float32)), "one shape and one type")])
def test_wrong_start_calls(rng, wrong, message):
  with pytest.raises(Exception, match=message):
    start_call(rng.standard_normal((100, 40), np.float32), **wrong)


def join_call(args, result, **attributes):
  attributes = dict(timeout_ns=10**9) | attributes
  call = jax.ffi.ffi_call("jaxgemm_chunks_join", [result])
  return jax.block_until_ready(
      call(*args, **{name: np.int64(value) for name, value in attributes.items()}))


@pytest.mark.parametrize("operands, attributes, message", [
    (2, dict(epoch=-1, num_sources=0), "an operand for each result"),
    (4, dict(epoch=-1, num_sources=-1), "an operand for each result"),
    (4, dict(epoch=-2, num_sources=1), "epoch=-2"),
    (4, dict(epoch=2**32, num_sources=1), "epoch=4294967296"),
    (4, dict(epoch=1, num_sources=1, timeout_ns=0), "timeout_ns=0; 1 to 86400000000000"),
    (3, dict(epoch=-1, num_sources=0), "result 0 is not like operand 2")])
def test_wrong_join_calls(rng, operands, attributes, message):
  x = rng.standard_normal((100, 40), np.float32)
  args = [x, np.ones(4, np.uint32), x[:2], x][:operands]
  with pytest.raises(Exception, match=message):
    join_call(args, jax.ShapeDtypeStruct(x.shape, x.dtype), **attributes)


def test_a_join_without_aliases_copies(rng):
  x = rng.standard_normal((100, 40), np.float32)
  out, = join_call([x[:1], np.full(4, 5, np.uint32), x],
                   jax.ShapeDtypeStruct(x.shape, x.dtype), epoch=5, num_sources=0)
  np.testing.assert_array_equal(out, x)
