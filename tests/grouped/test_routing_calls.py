"""Routing tables and top-k against NumPy: by the custom calls, and by XLA where there are none."""

import functools
import re
import warnings

import jax
from jax import export
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import _ffi
from jaxgemm.call import fallback, kernel_calls
from jaxgemm.grouped.routing_calls import routing_table, top_k, top_k_softmax
from tests.support.routing import check_table, check_top_k, routings, score_rows

SIZES = [(7, 3, 5), (1, 8, 128), (0, 2, 4), (5, 5, 5), (3, 0, 2), (4, 2, 1), (700, 8, 60),
         (3, 2, 600)]
CALL, TOP_K = "jaxgemm_routing_table", "jaxgemm_top_k"


@pytest.fixture(params=[True, False], ids=["ours", "xla"])
def ours(request, monkeypatch):
  """Whether custom calls compute the integers, where there are any."""
  if not request.param:
    monkeypatch.setattr(kernel_calls, "lack", lambda *_: "a test wants it")
  jax.clear_caches()
  with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "jaxgemm leaves .* to XLA: a test")
    yield request.param
  jax.clear_caches()


def choices(rng, *shape, num_experts):
  return jnp.asarray(rng.integers(0, num_experts, shape), jnp.int32)


@pytest.mark.parametrize("tokens, top_k, num_experts", SIZES)
def test_values(rng, ours, tokens, top_k, num_experts):
  f = jax.jit(lambda x: routing_table(x, num_experts))
  for chosen in routings(rng, tokens, top_k, num_experts).values():
    check_table(chosen, num_experts, *f(chosen))
  on_gpu = _ffi.default_platform() != "cpu"
  has_kernel = ours and not (on_gpu and num_experts > _ffi.native.most_table_experts)
  text = f.lower(chosen).as_text()
  assert (f"@{CALL}(" in text) == has_kernel
  for operation in ("sort", "divide"):
    assert (f"stablehlo.{operation}" in text) == (not has_kernel)


def test_outside_of_jit(rng, ours):
  chosen = choices(rng, 20, 3, num_experts=6)
  check_table(chosen, 6, *routing_table(chosen, 6))
  with jax.disable_jit():
    check_table(chosen, 6, *routing_table(chosen, 6))


@pytest.mark.parametrize("axes", [(0, 0), (1, 2), (-1, 0)])
def test_vmap_twice(rng, ours, axes):
  tables = lambda x: routing_table(x, 9)
  for axis in axes:
    tables = jax.vmap(tables, axis)
  batches = choices(rng, 2, 3, 4, 5, num_experts=9)
  out = jax.jit(tables)(batches)
  outer = np.moveaxis(batches, axes[1], 0)
  for i, inner in enumerate(np.moveaxis(outer, axes[0] + (axes[0] >= 0), 1)):
    for j, chosen in enumerate(inner):
      check_table(chosen, 9, *jax.tree.map(lambda x, i=i, j=j: x[i, j], out))


def _loss(x, num_experts=4):
  """A sum that a table orders: its gradient is that of the sum of x**3."""
  table, sizes = routing_table(jnp.argsort(x, axis=1).astype(jnp.int32) % num_experts, num_experts)
  rows = x.reshape(-1)[table.choice]
  return (rows[table.row] ** 3).sum() + 0.0 * sizes.sum()


def test_a_table_has_no_derivative(rng, ours):
  x = jnp.asarray(rng.standard_normal((5, 4)), jnp.float32)
  for f in (_loss, jax.checkpoint(_loss), jax.jit(_loss)):
    np.testing.assert_allclose(jax.grad(f)(x), 3 * x**2, rtol=1e-6)
  _, tangent = jax.jvp(_loss, (x,), (jnp.ones_like(x),))
  np.testing.assert_allclose(tangent, 3 * (x**2).sum(), rtol=1e-5)
  hessian = jax.hessian(_loss)(x).reshape(20, 20)
  np.testing.assert_allclose(hessian, np.diag(6 * np.asarray(x).reshape(-1)), rtol=1e-6)


@pytest.mark.parametrize("check_vma", [True, False])
def test_shards_have_tables_of_their_own(rng, ours, check_vma):
  mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  chosen = choices(rng, 2 * 30, 3, num_experts=7)
  f = jax.shard_map(lambda x: jax.tree.map(lambda y: y[None], routing_table(x, 7)), mesh=mesh,
                    in_specs=P("x"), out_specs=P("x"), check_vma=check_vma)
  out = jax.jit(f)(chosen)
  for i in range(2):
    check_table(chosen[30 * i:30 * i + 30], 7, *jax.tree.map(lambda x, i=i: x[i], out))


def test_tokens_on_an_automatic_mesh(rng, ours):
  chosen = choices(rng, 60, 3, num_experts=7)
  mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
  placed = jax.device_put(chosen, jax.NamedSharding(mesh, P("x")))
  check_table(chosen, 7, *jax.jit(lambda x: routing_table(x, 7))(placed))


def test_loops(rng, ours):
  batches = choices(rng, 4, 30, 3, num_experts=7)
  out = jax.lax.map(functools.partial(routing_table, num_experts=7), batches)
  for i, chosen in enumerate(batches):
    check_table(chosen, 7, *jax.tree.map(lambda x, i=i: x[i], out))


def test_a_program_for_several_platforms(rng):
  chosen = choices(rng, 1000, 8, num_experts=60)
  exported = export.export(
      jax.jit(lambda x: routing_table(x, 60)), platforms=("cpu", "cuda", "rocm"),
      disabled_checks=[export.DisabledSafetyCheck.custom_call(CALL)])(chosen)
  check_table(chosen, 60, *exported.call(chosen))
  text = exported.mlir_module()
  # GPUs have two kernels for so many choices, and a workspace between them.
  assert text.count(f"@{CALL}(") >= 2 and "stablehlo.sort" not in text


def test_the_same_bits_on_each_run(rng):
  chosen = choices(rng, 3000, 8, num_experts=40)
  f = jax.jit(lambda x: routing_table(x, 40))
  check_table(chosen, 40, *f(chosen))
  first = jax.tree.map(np.asarray, f(chosen))
  for _ in range(20):
    jax.tree.map(np.testing.assert_array_equal, f(chosen), first)


def lowered(f, platform, *operands):
  return jax.jit(f).trace(*operands).lower(lowering_platforms=(platform,)).as_text()


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_what_the_kernels_do_not_take_is_left_to_xla(rng, platform):
  chosen = choices(rng, 20, 3, num_experts=9)
  f = lambda x: routing_table(x, 513)
  with pytest.warns(UserWarning, match="_table to XLA: the kernel takes at most 512 experts"):
    text = lowered(f, platform, chosen)
  assert CALL not in text and "stablehlo.sort" in text
  for x, count in ((np.zeros((4, 1025), np.float32), 2), (np.zeros((4, 64), np.float32), 33),
                   (np.zeros((4, 8), np.float16), 2)):
    jax.clear_caches()
    fallback._warned.clear()
    with pytest.warns(UserWarning, match="top_k to XLA: the kernel chooses at most 32 of at most"):
      text = lowered(lambda x, count=count: top_k(x, count), platform, x)
    assert TOP_K not in text and "chlo.top_k" in text


def test_other_platforms_and_builds(rng, monkeypatch):
  chosen = choices(rng, 20, 3, num_experts=9)
  f = lambda x: (routing_table(x, 9), top_k(x.astype(jnp.float32), 2))
  assert not {CALL, TOP_K} & {*re.findall(r"@(\w+)", lowered(f, "tpu", chosen))}
  assert {CALL, TOP_K} <= {*re.findall(r"@(\w+)", lowered(f, "rocm", chosen))}
  jax.clear_caches()
  monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
  monkeypatch.setattr(_ffi, "_local_arch", lambda _: "gfx942")
  monkeypatch.setattr(_ffi, "is_built", lambda target, name: False)
  with pytest.warns(UserWarning, match="this build has no kernel for gfx942"):
    assert not {CALL, TOP_K} & {*re.findall(r"@(\w+)", lowered(f, "rocm", chosen))}
  jax.clear_caches()


@pytest.mark.parametrize("num_experts, count", [(128, 8), (8, 2), (1, 1), (65, 9), (1024, 32)])
def test_top_k(rng, num_experts, count):
  scores = score_rows(rng, num_experts)
  f = jax.jit(lambda x: top_k(x, count))
  check_top_k(scores, count, f(scores))
  np.testing.assert_array_equal(f(scores), jax.lax.top_k(scores, count)[1])
  assert (f"@{TOP_K}(" in f.lower(scores).as_text()) == (_ffi.default_platform() != "cpu")
  assert f(scores[:0]).shape == (0, count)
  check_top_k(scores, count, *jax.jit(lambda x: top_k_softmax(x, count))(scores))


def test_weights_of_the_chosen_have_derivatives(rng):
  logits = jnp.asarray(rng.standard_normal((3, 5, 16)), jnp.float32)
  cotangent = jnp.asarray(rng.standard_normal((3, 5, 4)), jnp.float32)

  def ours(x):
    return (jax.vmap(lambda x: top_k_softmax(x, 4)[1])(x) * cotangent).sum()

  def wanted(x):
    return (jax.nn.softmax(jax.lax.top_k(x, 4)[0]) * cotangent).sum()

  def twice(f):
    return jax.grad(lambda x: (jax.grad(f)(x) ** 2).sum())

  for one, other in (jax.grad(ours), jax.grad(wanted)), (twice(ours), twice(wanted)):
    np.testing.assert_allclose(one(logits), other(logits), rtol=2e-5, atol=1e-6)


def test_top_k_transforms(rng):
  scores = rng.standard_normal((3, 5, 16)).astype(np.float32)
  out = jax.vmap(lambda x: top_k(x, 4), 1, 1)(scores)
  check_top_k(scores, 4, out)
  gradient = jax.grad(lambda x: jnp.take_along_axis(x, top_k(x, 4), axis=1).sum())(scores[0])
  wanted = np.zeros((5, 16))
  np.put_along_axis(wanted, np.argsort(-scores[0], axis=1)[:, :4], 1, axis=1)
  np.testing.assert_array_equal(gradient, wanted)
