"""Errors about shapes inside jax.shard_map name the argument whose in_spec is wrong."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import pytest

import jaxgemm
from jaxgemm import fp8, megablox, qarray

S = functools.partial(jax.ShapeDtypeStruct, dtype=jnp.float32)
X, W, EXPERTS, SCALES = S((32, 24)), S((24, 16)), S((8, 24, 16)), S((1, 16, 1))
SIZES = jax.ShapeDtypeStruct((8,), jnp.int32)
DENSE = (((1,), (0,)), ((), ()))


def mapped(function, specs, *arrays, check_vma=True):
  mesh = jax.make_mesh((2, 4), ("x", "y"), (AxisType.Auto,) * 2)
  return jax.eval_shape(jax.shard_map(
      function, mesh=mesh, in_specs=specs, out_specs=P(("x", "y")), check_vma=check_vma), *arrays)


def scaled(lhs, rhs, scales):
  lhs, rhs = (x.astype(jnp.float8_e4m3fn) for x in (lhs, rhs))
  return jaxgemm.scaled_matmul(lhs, rhs, jnp.ones((1, 32, 1)), scales)


CASES = {
    "matmul": (jaxgemm.matmul, (P(), P("y")), (X, W), "b"),
    "bias": (lambda x, w, bias: jaxgemm.matmul(x, w, bias=bias), (P(), P(), P("y")),
             (X, W, S((16,))), "bias"),
    "dot_general": (lambda x, w: jaxgemm.dot_general(x, w, DENSE), (P(), P("y")), (X, W), "rhs"),
    "groups": (jaxgemm.ragged_dot, (P(), P("y"), P()), (X, EXPERTS, SIZES), "rhs"),
    "ragged_dot": (jaxgemm.ragged_dot, (P(), P(None, "y"), P()), (X, EXPERTS, SIZES), "rhs"),
    "gated": (jaxgemm.ragged_gated_linear_unit, (P(), P(None, "y"), P()),
              (X, S((8, 24, 2, 16)), SIZES), "rhs"),
    "allgather_matmul": (functools.partial(jaxgemm.allgather_matmul, axis_name="y"),
                         (P("y"), P("y")), (X, W), "rhs"),
    "matmul_reduce_scatter": (functools.partial(jaxgemm.matmul_reduce_scatter, axis_name="y"),
                              (P(None, "y"), P()), (X, W), "rhs"),
    "scaled_matmul": (scaled, (P(), P(), P(None, "y")), (S((1, 32, 24)), S((1, 16, 24)), SCALES),
                      "rhs_scales"),
    "fp8.dot_general": (lambda x, w: fp8.dot_general(x, w, DENSE), (P(), P("y")), (X, W), "rhs"),
    "fp8.ragged_dot": (fp8.ragged_dot, (P(), P(None, "y"), P()), (X, EXPERTS, SIZES), "rhs"),
    "gmm": (megablox.gmm, (P(), P(None, "y"), P()), (X, EXPERTS, SIZES), "rhs"),
    "qarray": (lambda x, w: qarray.dot_general(x, w, DENSE), (P(), P("y")), (X, W), "rhs"),
}


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_the_argument_is_named(name, check_vma):
  function, specs, arrays, wrong = CASES[name]
  with pytest.raises((TypeError, ValueError)) as raised:
    mapped(function, specs, *arrays, check_vma=check_vma)
  message = str(raised.value)
  cause = message.partition("The likely cause is the in_spec of ")[2]
  assert wrong in cause.partition(":")[0].split(" or of ")
  assert message.count("in_spec") == 1
  # jax knows along which axes arrays differ, unless check_vma is False.
  assert ("which differs along 'y'" in message) == check_vma
  assert "scale_lhs" not in message  # fp8's own scales are no arguments


def test_other_errors_and_other_places_say_nothing_of_in_specs():
  with pytest.raises(TypeError) as raised:
    jaxgemm.matmul(jnp.ones((32, 24)), jnp.ones((6, 16)))
  assert "in_spec" not in str(raised.value)
  with pytest.raises(ValueError, match="unknown") as raised:
    mapped(functools.partial(jaxgemm.matmul, schedule="fast"), (P(), P()), X, W)
  assert "in_spec" not in str(raised.value)
