"""Gradients of products whose result is float8, so that the cotangent is, too.

They are compared with those of the same product in float32 that is cast to float8.
"""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8

MATMUL = (((1,), (0,)), ((), ()))
SIZES = jnp.array([5, 0, 9])


def normal(seed, *shape):
  return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, np.float32))


X, W, BIAS = normal(0, 16, 32), normal(1, 32, 24), normal(2, 24)
EXPERTS, BIASES = normal(3, 3, 32, 24), normal(4, 3, 24)
# The scales of rows are so small that a float8 cotangent times them is zero.
OF_ROWS = jnp.abs(normal(5, 16, 1)) * 1e-3 + 1e-4
OF_COLUMNS = jnp.abs(normal(6, 1, 24)) * 50 + 1


def dense(**options):
  def product(dtype, x, w, bias, scale_lhs, scale_rhs):
    return jaxgemm.dot_general(x, w, MATMUL, preferred_element_type=dtype, bias=bias,
                               scale_lhs=scale_lhs, scale_rhs=scale_rhs, **options)
  return product


def grouped(**options):
  def product(dtype, x, w, bias, scale_lhs=None, scale_rhs=None):
    return jaxgemm.ragged_dot(x, w, SIZES, preferred_element_type=dtype, bias=bias,
                              scale_lhs=scale_lhs, scale_rhs=scale_rhs, **options)
  return product


def gated(dtype, x, w, bias):
  return jaxgemm.ragged_gated_linear_unit(x, w, SIZES, preferred_element_type=dtype, bias=bias,
                                          activation="silu")


def added(dtype, x, buffer, bias):
  return jaxgemm.ragged_dot(x, EXPERTS, SIZES, preferred_element_type=dtype, rhs_grad=buffer,
                            bias=bias)


def collective(function, rows, columns, out, bias, **options):
  mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])

  def product(dtype, *operands):
    def body(x, w, bias):
      return function(x, w, "i", preferred_element_type=dtype, bias=bias, **options)
    return jax.shard_map(body, mesh=mesh, in_specs=(rows, columns, bias), out_specs=out)(*operands)
  return product


def gather(**options):
  return collective(jaxgemm.allgather_matmul, P("i"), P(None, "i"), P(None, "i"), P("i"), **options)


def scatter(**options):
  return collective(jaxgemm.matmul_reduce_scatter, P(None, "i"), P("i"), P("i"), P(), **options)


def scaled(dtype, x, w, bias):
  x8, w8 = (jaxgemm.quantize(each[None], "mx") for each in (x, w.T))
  return jaxgemm.scaled_matmul(x8.values, w8.values, x8.scales, w8.scales, dtype, bias=bias)


def batched(dtype, x, w, bias):
  product = lambda bias: jaxgemm.matmul(x, w, preferred_element_type=dtype, bias=bias)
  return jax.vmap(product)(jnp.stack([bias, 2 * bias]))


def training(dtype, x, w):
  return fp8.dot_general(x, w, MATMUL, None, dtype, recipe="rowwise")


ALL = X, W, BIAS, OF_ROWS, OF_COLUMNS


@pytest.mark.parametrize("product, operands", [
    (dense(), (X, W, BIAS, None, None)),
    (dense(implementation="xla"), (X, W, BIAS, None, None)),
    (dense(), (X, W, None, OF_ROWS, None)),
    (dense(activation="gelu"), ALL),
    (dense(), tuple(x.astype(jnp.bfloat16) for x in ALL[:3]) + (None, None)),
    (batched, ALL[:3]),
    (grouped(), (X, EXPERTS, BIASES)),
    (grouped(activation="gelu"),
     (X, EXPERTS, BIASES, OF_ROWS, jnp.broadcast_to(OF_COLUMNS, (3, 1, 24)))),
    (gated, (X, normal(7, 3, 32, 2, 24), normal(8, 3, 2, 24))),
    (added, (X, jnp.ones_like(EXPERTS), BIASES)),
    (gather(), ALL[:3]),
    (gather(activation="gelu"), ALL[:3]),
    (gather(implementation="xla"), ALL[:3]),
    (scatter(), ALL[:3]),
    (scatter(activation="gelu"), ALL[:3]),
    (scaled, ALL[:3]),
    (training, (X, W)),
], ids=["dense", "xla", "scale", "gelu", "bfloat16", "vmap", "grouped", "grouped-gelu", "gated",
        "rhs_grad", "gather", "gather-gelu", "gather-xla", "scatter", "scatter-gelu", "scaled",
        "fp8"])
def test_gradients(rng, product, operands):
  dtype = jnp.float8_e4m3fn
  shape = jax.eval_shape(lambda *x: product(jnp.float32, *x), *operands).shape
  ct = jnp.asarray(rng.choice([-2, -1, -0.5, 0.5, 1, 2], shape), jnp.float32)
  argnums = tuple(i for i, x in enumerate(operands) if x is not None)

  def gradients(function):
    return jax.jit(jax.grad(lambda *x: (function(*x).astype(jnp.float32) * ct).sum(), argnums))(
        *operands)

  given = gradients(lambda *x: product(dtype, *x))
  wanted = gradients(lambda *x: product(jnp.float32, *x).astype(dtype))
  for x, y in zip(given, wanted, strict=True):
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    assert np.abs(y).max() > 0
    # With an activation the derivative reads the value before it, which is float8, too.
    assert np.linalg.norm(x - y) < 0.04 * np.linalg.norm(y)
