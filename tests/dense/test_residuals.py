"""What the backward pass reads of 8 bits or fewer, under the policies of jax.checkpoint.

jax.checkpoint rounds the values that it saves by lax.reduce_precision, which changes most values of
these dtypes: the largest ones become NaN, the smallest ones 0.
"""

import functools
from types import SimpleNamespace

import jax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, qarray

POLICIES = jax.checkpoint_policies
MATMUL = (((1,), (0,)), ((), ()))
RECIPES = "tensorwise", "rowwise", "blockwise", "mxfp8"


def normal(seed, *shape):
  return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, np.float32))


def named(function):
  """A function whose first argument, and whose result, have names for the policies."""
  def inner(x, *others):
    return checkpoint_name(function(checkpoint_name(jnp.sin(x), "x"), *others), "out")
  return inner


def quantised(product):
  """A product of arrays that are quantised first, and times the scales of the quantised ones."""
  def inner(x, w, **options):
    x8, w8 = (jaxgemm.quantize(each, "row", axis=axis) for each, axis in ((x, 1), (w, -2)))
    return product(x8, w8, **options)
  return inner


def scaled(kind, dtype=jnp.float8_e4m3fn):
  def inner(x, w):
    x8, w8 = (jaxgemm.quantize(each[None], kind, block=32, dtype=dtype) for each in (x, w.T))
    return jaxgemm.scaled_matmul(x8.values, w8.values, x8.scales, w8.scales)[0]
  return inner


def in_scan(function):
  def inner(x, w):
    return jax.lax.scan(lambda x, _: (function(x, w)[:, :x.shape[1]], None), x, length=2)[0]
  return inner


def gathered(x, w):
  """A product of float8 operands, whose rows are on two devices."""
  mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])
  product = functools.partial(jaxgemm.allgather_matmul, axis_name="i",
                              preferred_element_type=jnp.float32)
  x, w = (jnp.clip(150 * each, -448, 448).astype(jnp.float8_e4m3fn) for each in (x, w))
  # The factor brings the gradients of x and w, which are float8, into the range of this dtype.
  return 1e-5 * jax.shard_map(product, mesh=mesh, in_specs=(P("i"), P(None, "i")),
                              out_specs=P(None, "i"))(x, w)


SIZES = jnp.array([9, 0, 14])
PRODUCTS = {
    **{f"dense {each}": functools.partial(fp8.dot_general, dimension_numbers=MATMUL, recipe=each)
       for each in RECIPES},
    **{f"grouped {each}": functools.partial(fp8.ragged_dot, group_sizes=SIZES, recipe=each)
       for each in RECIPES},
    "scan": in_scan(functools.partial(fp8.dot_general, dimension_numbers=MATMUL)),
    "matmul": quantised(lambda x, w: jaxgemm.matmul(
        x.values, w.values, scale_lhs=x.scales, scale_rhs=w.scales)),
    "by XLA": quantised(lambda x, w: jaxgemm.matmul(
        x.values, w.values, scale_lhs=x.scales, scale_rhs=w.scales, implementation="xla")),
    "ragged_dot": quantised(lambda x, w: jaxgemm.ragged_dot(
        x.values, w.values, SIZES, scale_lhs=x.scales, scale_rhs=w.scales)),
    "ragged_dot by XLA": quantised(lambda x, w: jaxgemm.ragged_dot(
        x.values, w.values, SIZES, scale_lhs=x.scales, scale_rhs=w.scales, implementation="xla")),
    "qarray": quantised(lambda x, w: qarray.dot_general(
        SimpleNamespace(qvalue=x.values, scale=x.scales),
        SimpleNamespace(qvalue=w.values, scale=w.scales), MATMUL)),
    "blocks": scaled("block"),
    "mx": scaled("mx"),
    "float4": scaled("mx", jnp.float4_e2m1fn),
    "collective": gathered,
}


def arguments(name):
  grouped = "grouped" in name or "ragged" in name
  w = normal(1, 3, 64, 48) if grouped else normal(1, 64, 64 if name == "scan" else 48)
  return normal(0, 32, 64), w


def gradients(names, policy=None, checkpointed=True):
  """The gradients of the losses of some products, each checkpointed, by name."""
  def loss(args):
    total = 0.0
    for name in names:
      function = named(PRODUCTS[name])
      if checkpointed:
        function = jax.checkpoint(function, policy=policy)
      total += (function(*args[name]).astype(jnp.float32) ** 2).sum()
    return total

  return jax.jit(jax.grad(loss))({name: arguments(name) for name in names})


@functools.cache
def without_checkpoint(names):
  return gradients(names, checkpointed=False)


def check(names, policy):
  given, wanted = gradients(names, policy), without_checkpoint(names)
  for name in names:
    for x, y in zip(given[name], wanted[name]):
      assert np.abs(y).max() > 0
      np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5 * np.abs(y).max(), err_msg=name)


SOME = ("dense tensorwise", "grouped blockwise", "scan", "matmul", "ragged_dot by XLA", "mx",
        "collective")


@pytest.mark.parametrize("names", [
    SOME, pytest.param(tuple(name for name in PRODUCTS if name not in SOME),
                       marks=pytest.mark.whole)], ids=["some", "others"])
def test_a_policy_that_saves_everything(names):
  check(names, POLICIES.everything_saveable)


OTHER_POLICIES = [
    POLICIES.save_anything_except_these_names("x"),
    POLICIES.dots_saveable,
    POLICIES.offload_dot_with_no_batch_dims("device", "pinned_host"),
    POLICIES.nothing_saveable,
    POLICIES.dots_with_no_batch_dims_saveable,
    POLICIES.save_any_names_but_these("out"),
    POLICIES.save_only_these_names("x"),
    POLICIES.save_from_both_policies(POLICIES.dots_saveable, POLICIES.save_only_these_names("x")),
    POLICIES.save_and_offload_only_these_names(
        names_which_can_be_saved=["out"], names_which_can_be_offloaded=["x"],
        offload_src="device", offload_dst="pinned_host")]


# The first three policies are of three kinds: by names, by operations, and to the host's memory.
@pytest.mark.whole(unless=lambda policy: policy in OTHER_POLICIES[:3])
@pytest.mark.parametrize("policy", OTHER_POLICIES)
def test_other_policies(policy):
  check(("dense tensorwise", "grouped mxfp8", "matmul"), policy)
