"""Routing tables against NumPy: by the custom call, and by XLA where it has no kernel."""

import functools
import warnings

import jax
from jax import export
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import _ffi
from jaxgemm.flax import table as table_lib
from jaxgemm.flax.table import routing_table
from tests.support.routing import check_table, routings

SIZES = [(7, 3, 5), (1, 8, 128), (0, 2, 4), (5, 5, 5), (3, 0, 2), (4, 2, 1), (700, 8, 60), (3, 2, 600)]
CALL = "jaxgemm_routing_table"


@pytest.fixture(params=[True, False], ids=["ours", "xla"])
def ours(request, monkeypatch):
  """Whether the custom call computes the table."""
  if not request.param:
    monkeypatch.setattr(table_lib, "_lack", lambda *_: "a test wants it")
  jax.clear_caches()
  with warnings.catch_warnings():
    warnings.filterwarnings("ignore", ".*leaves a routing table to XLA")
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
  has_kernel = ours and not (on_gpu and num_experts > _ffi.native.most_routed_experts)
  text = f.lower(chosen).as_text()
  assert (f"@{CALL}(" in text) == has_kernel and ("stablehlo.sort" in text) == (not has_kernel)


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


@pytest.mark.parametrize("platform, num_experts, reason", [
    ("cuda", 513, "it has 513 experts, and the kernel takes at most 512"),
    ("rocm", 1000, "it has 1000 experts"), ("tpu", 8, "there are kernels for cpu, cuda, rocm")])
def test_what_is_left_to_xla_is_said_once(rng, platform, num_experts, reason):
  traced = jax.jit(lambda x: routing_table(x, num_experts)).trace(
      choices(rng, 20, 3, num_experts=num_experts))
  with pytest.warns(UserWarning, match=f"leaves a routing table to XLA: {reason}"):
    text = traced.lower(lowering_platforms=(platform,)).as_text()
  assert CALL not in text and "stablehlo.sort" in text


def test_a_build_without_the_kernel(rng, monkeypatch):
  monkeypatch.setattr(_ffi, "default_platform", lambda: "rocm")
  monkeypatch.setattr(_ffi, "_local_arch", lambda _: "gfx942")
  monkeypatch.setattr(_ffi, "is_built", lambda target, name: False)
  traced = jax.jit(lambda x: routing_table(x, 9)).trace(choices(rng, 20, 3, num_experts=9))
  with pytest.warns(UserWarning, match="this build has no kernel for gfx942"):
    text = traced.lower(lowering_platforms=("rocm",)).as_text()
  assert CALL not in text and "stablehlo.sort" in text
