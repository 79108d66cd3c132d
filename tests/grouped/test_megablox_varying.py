"""megablox's functions inside jax.shard_map with check_vma=True, against float64."""

import functools

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm.megablox import gmm, tgmm
from jaxgemm.sharding.manual_axes import varying

D, M, K, N, G = 4, 6, 8, 5, 3  # M rows on each of D devices
SIZES = np.array([2, 1, 3], np.int32)


@pytest.fixture
def mesh():
  return jax.make_mesh((D,), ("x",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:D])


def array(rng, *shape):
  return jnp.asarray(rng.standard_normal(shape, np.float32))


def groups(x):
  """The rows of each group on each device."""
  return [np.split(part, np.cumsum(SIZES)[:-1]) for part in np.split(np.asarray(x, np.float64), D)]


def product(lhs, rhs):
  rhs = np.asarray(rhs, np.float64)
  return np.concatenate([x @ rhs[g] for part in groups(lhs) for g, x in enumerate(part)])


def gradients(lhs, rhs, ct):
  d_lhs = product(ct, np.asarray(rhs).swapaxes(1, 2))
  d_rhs = np.sum([[x.T @ y for x, y in zip(*parts)] for parts in zip(groups(lhs), groups(ct))], 0)
  return d_lhs, d_rhs


def maxtext(lhs, rhs, axes, weight_axes=None):
  """The casts of MaxText: of the forward result by pcast, of gradients by varying_axes.

  Its weights vary along weight_axes; without these they are cast, and vary along axes.
  """
  @jax.custom_vjp
  def call(lhs, rhs):
    out = gmm(lhs, rhs, SIZES, varying_axes=())
    assert not varying(out)
    for axis in axes:
      out = lax.pcast(out, axis, to="varying")
    return out

  def backward(saved, ct):
    lhs, rhs = saved
    return (gmm(ct, rhs, SIZES, transpose_rhs=True, varying_axes=axes),
            tgmm(lhs.T, ct, SIZES, varying_axes=axes if weight_axes is None else weight_axes))

  call.defvjp(lambda *operands: (call(*operands), operands), backward)
  return call(lhs, lax.pcast(rhs, axes, to="varying") if weight_axes is None else rhs)


@pytest.mark.parametrize("function", [
    lambda lhs, rhs: gmm(lhs, rhs, SIZES),
    lambda lhs, rhs: gmm(lhs, rhs, SIZES, varying_axes=("x",)),
    lambda lhs, rhs: gmm(lhs, rhs, SIZES, existing_out=jnp.zeros((M, N))),
    functools.partial(maxtext, axes=("x",)),
    functools.partial(maxtext, axes=("x",), weight_axes=())])
def test_forward_and_gradients(rng, mesh, function):
  lhs, rhs, ct = array(rng, D * M, K), array(rng, G, K, N), array(rng, D * M, N)
  mapped = jax.shard_map(function, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))
  out, vjp = jax.vjp(jax.jit(mapped), lhs, rhs)
  np.testing.assert_allclose(out, product(lhs, rhs), atol=1e-5)
  for given, wanted in zip(vjp(ct), gradients(lhs, rhs, ct)):
    np.testing.assert_allclose(given, wanted, atol=1e-4)


@pytest.mark.parametrize("axes, given, wanted", [
    (None, P("x"), {"x"}), (None, P(), set()), ((), P("x"), set()), ((), P(), set()),
    (("x",), P("x"), {"x"}), (("x",), P(), {"x"}), ("x", P(), {"x"})])
def test_types_of_results(rng, mesh, axes, given, wanted):
  types = []

  def body(lhs, rhs):
    options = {} if axes is None else dict(varying_axes=axes)
    outs = gmm(lhs, rhs, SIZES, **options), tgmm(lhs.T, lhs, SIZES, **options)
    types.extend(map(varying, outs))
    return [x[None] for x in outs]

  lhs = array(rng, D * M if given else M, K)
  jax.jit(jax.shard_map(body, mesh=mesh, in_specs=(given, P()), out_specs=P("x"))).trace(
      lhs, array(rng, G, K, N))
  assert types == [wanted] * 2


def test_vmap_of_a_result_that_varies_less(rng, mesh):
  lhs, rhs = array(rng, D * M, 2, K), array(rng, G, K, N)
  body = jax.vmap(lambda x, w: lax.pcast(
      gmm(x, w, SIZES, varying_axes=()), "x", to="varying"), (1, None), 1)
  out = jax.shard_map(body, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))(lhs, rhs)
  for i in range(2):
    np.testing.assert_allclose(out[:, i], product(lhs[:, i], rhs), atol=1e-5)


def test_wrong_gradients_are_refused(rng, mesh):
  def loss(lhs, rhs):
    return jax.shard_map(
        lambda lhs, rhs: gmm(lhs, rhs, SIZES, varying_axes=()), mesh=mesh,
        in_specs=(P("x"), P()), out_specs=P("x"))(lhs, rhs).sum()

  operands = array(rng, D * M, K), array(rng, G, K, N)
  loss(*operands)
  with pytest.raises(NotImplementedError, match=r"varying_axes=\(\) was given, .* Leave varying"):
    jax.grad(loss)(*operands)


def test_axes_that_there_are_not(rng, mesh):
  lhs, rhs = array(rng, M, K), array(rng, G, K, N)
  with pytest.raises(ValueError, match=r"varying_axes=\('x',\) was given, and the axes .* \(\)"):
    gmm(lhs, rhs, SIZES, varying_axes=("x",))
  with pytest.raises(ValueError, match=r"varying_axes=\('y',\) was given, and .* \('x',\)"):
    jax.shard_map(lambda lhs: tgmm(lhs.T, lhs, SIZES, varying_axes=("y",)), mesh=mesh,
                  in_specs=P("x"), out_specs=P("x"))(array(rng, D * M, K))


def test_the_gradient_of_weights_that_are_the_same_on_all_devices(rng, mesh):
  lhs, ct, before = array(rng, D * M, K), array(rng, D * M, N), array(rng, G, K, N)
  function = lambda existing, lhs, ct: tgmm(
      lhs.T, ct, SIZES, existing_out=existing, varying_axes=())
  specs = P(), P("x"), P("x")
  given = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=P()))(
      before, lhs, ct)
  _, wanted = gradients(lhs, np.zeros((G, K, N)), ct)
  np.testing.assert_allclose(given, wanted + np.asarray(before), atol=1e-4)
  with pytest.raises(ValueError, match=r"existing_out differs .* along \('x',\), too"):
    jax.shard_map(function, mesh=mesh, in_specs=(P("x"), *specs[1:]), out_specs=P())(
        jnp.repeat(before, D, 0), lhs, ct)


def test_an_offset_that_differs_where_gradients_are_summed(rng, mesh):
  """Each device has another expert's gradient: their sum would be no gradient."""
  lhs, ct = array(rng, D * M, K), array(rng, D * M, N)

  def mapped(**options):
    body = lambda lhs, ct: tgmm(lhs.T, ct, SIZES, group_offset=lax.axis_index("x") % G,
                                num_actual_groups=1, **options)
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x")))(lhs, ct)

  parts = list(zip(groups(lhs), groups(ct)))
  wanted = np.stack([x[i % G].T @ y[i % G] for i, (x, y) in enumerate(parts)])
  for options in ({}, {"varying_axes": "x"}):
    np.testing.assert_allclose(mapped(**options), wanted, atol=1e-4)
  with pytest.raises(ValueError, match=(
      r"varying_axes=\(\) was given, and group_offset differs .* along \('x',\); .* "
      r"Pass varying_axes=\('x',\), or")):
    mapped(varying_axes=())


def test_nothing_is_summed_without_check_vma(rng, mesh):
  lhs, ct = array(rng, D * M, K), array(rng, D * M, N)
  given = jax.shard_map(lambda lhs, ct: tgmm(lhs.T, ct, SIZES, varying_axes=()), mesh=mesh,
                        in_specs=P("x"), out_specs=P("x"), check_vma=False)(lhs, ct)
  wanted = [x.T @ y for parts in zip(groups(lhs), groups(ct)) for x, y in zip(*parts)]
  np.testing.assert_allclose(given, wanted, atol=1e-4)
