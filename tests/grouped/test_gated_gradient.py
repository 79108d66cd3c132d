"""The gradient of a gated activation with weights, against float64 and jax's derivatives."""

import functools
import re

import jax
from jax import export
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import _ffi
from jaxgemm.call import epilogue, fallback
from jaxgemm.grouped.gated_gradient import gated_gradient
from tests.support.gated import DTYPES, check, check_placed, operands, placed

CALL = "jaxgemm_gated_gradient"
silu_gradient = functools.partial(gated_gradient, activation="silu")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, length", [
    (0, 64), (1, 8), (37, 24), (33, 768), (5, 1000), (3, 4104), (2, 16384), (7, 17), (4, 0)])
def test_values(rng, dtype, rows, length):
  given = operands(rng, rows, length, dtype)
  check(*given, jax.jit(silu_gradient)(*given), dtype)


def test_outside_of_jit(rng):
  given = [jnp.asarray(x) for x in operands(rng, 9, 40, "bfloat16")]
  check(*given, silu_gradient(*given), "bfloat16")
  with jax.disable_jit():
    check(*given, silu_gradient(*given), "bfloat16")


def hidden(z, w, activation):
  """The weighted rows as jax.numpy computes them."""
  return w[..., None] * epilogue.activate(z, activation, gated=True)


@pytest.mark.parametrize("activation", ["silu", "gelu", "relu", None])
def test_it_is_the_transpose_of_the_rows(rng, activation):
  z, g, w = map(jnp.asarray, operands(rng, 21, 40, "float32"))
  rows, pull_back = jax.vjp(lambda z, w: hidden(z, w, activation), z, w)
  d_z, d_w = pull_back(g)
  outs = jax.jit(lambda *x: gated_gradient(*x, activation))(z, g, w)
  for out, wanted in zip(outs, (d_z, rows, d_w), strict=True):
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)


def test_weights_of_other_dtypes(rng):
  z, g, w = operands(rng, 21, 40, "float32")
  w = jnp.asarray(w).astype(jnp.bfloat16)
  dz, hw, dw = silu_gradient(z, g, w)
  check(z, g, w, (dz, hw, dw), "float32")
  loss = lambda w: silu_gradient(z, g, w)[1].sum()
  assert jax.grad(loss)(w).dtype == jnp.bfloat16


@pytest.mark.parametrize("axes", [((0, 0, 0), (0, 0, 0)), ((1, None, 0), (-1, 1, None)),
                                  ((None, 0, None), (2, None, 1))])
def test_vmap_twice(rng, axes):
  arrays = operands(rng, 4 * 3 * 5, 16, "float32")
  given, expected = [], []
  for x, inner, outer in zip(arrays, *axes, strict=True):
    x = x.reshape(4, 3, 5, *x.shape[1:])
    x = x[:4 if outer is not None else 1, :3 if inner is not None else 1]
    expected.append(np.broadcast_to(x, (4, 3, *x.shape[2:])))
    x = np.stack([y[0] if inner is None else np.moveaxis(y, 0, inner) for y in x])
    given.append(x[0] if outer is None else np.moveaxis(x, 0, outer))
  f = jax.vmap(jax.vmap(silu_gradient, axes[0]), axes[1])
  check(*expected, jax.jit(f)(*given), "float32")


def test_derivatives_of_second_order_and_third(rng):
  z, g, w = (jnp.asarray(x) for x in operands(rng, 3, 8, "float32"))
  plain = lambda z, g, w: jax.vjp(lambda z, w: hidden(z, w, "silu"), z, w)[1](g)
  ours = lambda z, g, w: silu_gradient(z, g, w)[::2]
  cts = [jnp.asarray(rng.standard_normal(x.shape), jnp.float32) for x in (z, w)]

  def loss(f):
    return lambda *x: sum((out * ct).sum() for out, ct in zip(f(*x), cts, strict=True))

  for derivative in (lambda f: jax.grad(f, (0, 1, 2)), lambda f: jax.jit(jax.hessian(f, (0, 1, 2))),
                     lambda f: jax.jacfwd(jax.grad(f, (0, 1, 2)), (0, 1, 2))):
    for out, wanted in zip(*(jax.tree.leaves(derivative(loss(f))(z, g, w))
                             for f in (ours, plain)), strict=True):
      np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
  tangents = tuple(jnp.asarray(rng.standard_normal(x.shape), jnp.float32) for x in (z, g, w))
  made, wanted = (jax.jvp(f, (z, g, w), tangents)[1] for f in (ours, plain))
  for out, right in zip(made, wanted, strict=True):
    np.testing.assert_allclose(out, right, rtol=1e-4, atol=1e-3)


def test_the_derivative_of_the_weighted_rows(rng):
  z, g, w = (jnp.asarray(x) for x in operands(rng, 5, 16, "float32"))
  ct = jnp.asarray(rng.standard_normal((5, 16)), jnp.float32)
  made = jax.grad(lambda *x: (silu_gradient(*x)[1] * ct).sum(), (0, 1, 2))(z, g, w)
  d_z, d_w = jax.vjp(lambda z, w: hidden(z, w, "silu"), z, w)[1](ct)
  for out, wanted in zip(made, (d_z, jnp.zeros_like(g), d_w), strict=True):
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("check_vma", [True, False])
def test_shards(rng, check_vma):
  mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  given = operands(rng, 30, 16, "float32")
  shards = jax.shard_map(silu_gradient, mesh=mesh, in_specs=P("x"), out_specs=P("x"),
                         check_vma=check_vma)
  check(*given, jax.jit(shards)(*given), "float32")
  z, g, w = given
  # The same weights on all devices: they vary along no axis.
  mixed = jax.shard_map(silu_gradient, mesh=mesh, in_specs=(P("x"), P("x"), P()), out_specs=P("x"),
                        check_vma=check_vma)
  check(z, g, np.tile(w[:15], 2), jax.jit(mixed)(z, g, w[:15]), "float32")
  loss = lambda *x: sum(out.sum() for out in jax.jit(mixed)(*x))
  plain = lambda z, g, w: sum(x.sum() for x in silu_gradient(z, g, jnp.tile(w, 2)))
  for out, wanted in zip(jax.grad(loss, (0, 1, 2))(z, g, w[:15]),
                         jax.grad(plain, (0, 1, 2))(z, g, w[:15]), strict=True):
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-3)


def test_the_same_bits_on_each_run(rng):
  given = operands(rng, 300, 768, "bfloat16")
  f = jax.jit(silu_gradient)
  first = jax.tree.map(np.asarray, f(*given))
  for _ in range(20):
    jax.tree.map(np.testing.assert_array_equal, f(*given), first)


def test_a_program_for_several_platforms(rng):
  given = operands(rng, 20, 64, "bfloat16")
  exported = export.export(
      jax.jit(silu_gradient), platforms=("cpu", "cuda", "rocm"),
      disabled_checks=[export.DisabledSafetyCheck.custom_call(CALL)])(*given)
  check(*given, exported.call(*given), "bfloat16")
  assert f"@{CALL}(" in exported.mlir_module()


def placed_gradient(z, g, w, places, count, into):
  return silu_gradient(z, g, w, places=places, count=count, into=into)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, out_rows, length, count", [
    (37, 50, 24, 20), (37, 21, 17, 30), (8, 8, 8, 0), (9, 11, 40, 100), (9, 11, 40, -3),
    (5, 0, 8, 5), (0, 5, 8, 0), (4, 6, 0, 3)])
def test_rows_are_written_to_their_places(rng, dtype, rows, out_rows, length, count):
  z, g, w, places, into = placed(rng, rows, out_rows, length, dtype)
  dead = slice(max(count, 0), None)
  z[dead] = g[dead] = w[dead] = np.nan
  outs = jax.jit(placed_gradient)(z, g, w, places, np.int32(count), into)
  check_placed(z, g, w, places, count, into, outs, dtype)


def test_all_rows_are_written_without_a_count(rng):
  z, g, w, places, into = placed(rng, 33, 40, 16, "bfloat16")
  given = [jnp.asarray(x) for x in (z, g, w, places)], [jnp.asarray(x) for x in into]
  check_placed(z, g, w, places, 33, into, placed_gradient(*given[0], None, given[1]), "bfloat16")
  with jax.disable_jit():
    outs = placed_gradient(*given[0], None, given[1])
  check_placed(z, g, w, places, 33, into, outs, "bfloat16")


def test_rows_before_a_count(rng):
  z, g, w, *_ = placed(rng, 20, 20, 16, "float32")
  z[13:] = g[13:] = w[13:] = np.nan
  outs = jax.jit(silu_gradient)(z, g, w, count=np.int32(13))
  for out, wanted in zip(outs, silu_gradient(z[:13], g[:13], w[:13])):
    np.testing.assert_array_equal(out[:13], wanted)


def test_vmap_of_places(rng):
  each = [placed(rng, 9, 12, 16, "float32") for _ in range(3)]
  counts = np.array([9, 0, 4], np.int32)
  z, g, w, places, into = jax.tree.map(lambda *x: np.stack(x), *each)
  outs = jax.jit(jax.vmap(placed_gradient))(z, g, w, places, counts, into)
  for i, given in enumerate(each):
    check_placed(*given[:4], counts[i], given[4], [x[i] for x in outs], "float32")
  # One array of weights, and one to write to, for all.
  outs = jax.jit(jax.vmap(placed_gradient, (0, 0, None, 0, None, None)))(
      z, g, w[0], places, 7, each[1][4])
  for i in range(3):
    check_placed(z[i], g[i], w[0], places[i], 7, each[1][4], [x[i] for x in outs], "float32")


@pytest.mark.parametrize("check_vma", [True, False])
def test_shards_of_places(rng, check_vma):
  mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  each = [placed(rng, 15, 20, 16, "float32") for _ in range(2)]
  given = jax.tree.map(lambda *x: np.concatenate(x), *each)
  # All devices write into equal arrays: these vary along no axis.
  into = each[0][4]
  f = jax.shard_map(placed_gradient, mesh=mesh, in_specs=(*[P("x")] * 5, P()), out_specs=P("x"),
                    check_vma=check_vma)
  outs = jax.jit(f)(*given[:4], np.array([3, 12], np.int32), into)
  for i, count in enumerate((3, 12)):
    check_placed(*each[i][:4], count, into, [x[20 * i:20 * i + 20] for x in outs], "float32")


def test_what_places_do_not_take(rng):
  z, g, w, places, into = placed(rng, 9, 12, 16, "float32")
  with pytest.raises(ValueError, match="into only with places"):
    silu_gradient(z, g, w, into=into)
  with pytest.raises(ValueError, match=r"count only if z is \[R, 2, H\]"):
    silu_gradient(z[None], g[None], w[None], count=np.int32(3))
  for given, message in (
      ((z, g, w, places, 9, None), "into is None"),
      ((z, g, w, places[1:], 9, into), r"places is \(8,\)"),
      ((z, g, w, places, 9, (into[0][1:], *into[1:])), r"into is \(11, 2, 16\) of float32"),
      ((z, g, w, places, 9, (into[0].astype(np.float16), *into[1:])), "of float16, "),
      ((z[None], g[None], w[None], places[None], 9, into), r"z is \(1, 9, 2, 16\) of float32")):
    with pytest.raises(ValueError, match=message):
      placed_gradient(*given)


def test_derivatives_of_places(rng):
  z, g, w, places, into = placed(rng, 9, 12, 16, "float32")
  places = np.random.default_rng(3).permutation(12)[:9].astype(np.int32)
  moved = lambda z, g, w: placed_gradient(z, g, w, places, 5, into)
  given, tangents = (z, g, w), (g.repeat(2).reshape(z.shape), z[:, 0], w[::-1].copy())
  outs = jax.jvp(moved, given, tangents)[1]
  for out, plain in zip(outs, jax.jvp(silu_gradient, given, tangents)[1], strict=True):
    wanted = np.zeros(out.shape, np.float32)
    wanted[places[:5]] = plain[:5]
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_the_kernel_takes_places_without_leading_dimensions(rng, platform):
  def given(length):
    *arrays, into = placed(rng, 9, 12, length, "float32")
    return *arrays, np.int32(5), into

  assert calls(placed_gradient, platform, *given(16)) == 1
  in_batch = jax.tree.map(lambda x: x[None], given(16))
  for f, arrays, reason in (
      (placed_gradient, given(17), "17 elements of float32 are no multiple of 16 bytes"),
      (jax.vmap(placed_gradient), in_batch, "the kernel has no places for rows with leading dim")):
    fallback._warned.clear()
    with pytest.warns(UserWarning, match=f"gated_gradient to XLA: .*{reason}"):
      assert not calls(f, platform, *arrays)


def calls(f, platform, *given):
  return re.findall(r"@(\w+)\(", jax.jit(f).trace(*given).lower(
      lowering_platforms=(platform,)).as_text()).count(CALL)


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_what_the_kernel_does_not_take_is_left_to_xla(rng, platform):
  def given(length, dtype, g_dtype=None):
    z, g, w = operands(rng, 6, length, dtype)
    return z, g.astype(g_dtype or g.dtype), w

  for dtype, length in (("bfloat16", 24), ("float16", 8), ("float32", 4)):
    assert calls(silu_gradient, platform, *given(length, dtype)) == 1
  for arrays, activation, reason in (
      (given(8, "bfloat16"), "gelu", "activation silu, and gelu was given"),
      (given(8, "float32"), None, "activation silu, and None was given"),
      (given(12, "bfloat16"), "silu", "12 elements of bfloat16 are no multiple of 16 bytes"),
      (given(7, "float32"), "silu", "7 elements of float32"),
      (given(8, "float16", np.float32), "silu", "these are float16 and float32")):
    fallback._warned.clear()
    with pytest.warns(UserWarning, match=f"gated_gradient to XLA: .*{reason}"):
      assert not calls(functools.partial(gated_gradient, activation=activation), platform, *arrays)


def test_other_platforms_and_builds(rng, monkeypatch):
  given = operands(rng, 6, 8, "bfloat16")
  assert not calls(silu_gradient, "tpu", *given) and not calls(silu_gradient, "cpu", *given)
  monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
  monkeypatch.setattr(_ffi, "_local_arch", lambda _: "gfx942")
  monkeypatch.setattr(_ffi, "is_built", lambda target, name: False)
  with pytest.warns(UserWarning, match="gated_gradient to XLA: this build has no kernel for"):
    assert not calls(silu_gradient, "rocm", *given)
  jax.clear_caches()
