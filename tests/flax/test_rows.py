"""Rows of tokens: `spread`, `combine` and `dots` against NumPy, and their derivatives."""

import jax
from jax.extend.core import jaxpr_as_fun
import jax.numpy as jnp
from jax.test_util import check_grads
import numpy as np
import pytest

from jaxgemm.grouped.routing_calls import routing_table
from jaxgemm.grouped.rows import combine, dots, spread


def _problem(rng, tokens=7, top_k=3, num_experts=5, features=4):
  chosen = jnp.asarray(rng.integers(0, num_experts, (tokens, top_k)), jnp.int32)
  x, rows = (jnp.asarray(rng.standard_normal((n, features)), jnp.float32)
             for n in (tokens, tokens * top_k))
  return chosen, x, rows, jnp.asarray(rng.standard_normal(chosen.shape), jnp.float32)


@pytest.mark.parametrize("tokens, top_k", [(7, 3), (1, 1), (0, 2), (5, 5)])
def test_values(rng, tokens, top_k):
  chosen, x, rows, weights = _problem(rng, tokens, top_k)
  table, _ = routing_table(chosen, 5)
  order = np.argsort(np.asarray(chosen).reshape(-1), kind="stable")
  np.testing.assert_array_equal(table.choice, order)
  np.testing.assert_array_equal(table.experts, np.asarray(chosen).reshape(-1)[order])
  np.testing.assert_array_equal(np.asarray(table.row).reshape(-1)[order], np.arange(order.size))
  of_choices = np.asarray(rows, np.float64)[np.asarray(table.row)]
  copies = np.repeat(np.asarray(x, np.float64), top_k, axis=0)[order]
  np.testing.assert_array_equal(spread(x, table), copies)
  weight_of_row = np.asarray(weights, np.float64).reshape(-1)[order]
  np.testing.assert_allclose(spread(x, table, weights), copies * weight_of_row[:, None], rtol=1e-6)
  np.testing.assert_allclose(combine(rows, table), of_choices.sum(1), rtol=1e-5, atol=1e-6)
  weighted = (of_choices * np.asarray(weights, np.float64)[..., None]).sum(1)
  np.testing.assert_allclose(combine(rows, table, weights), weighted, rtol=1e-5, atol=1e-6)
  np.testing.assert_allclose(
      dots(rows, x, table), (of_choices * np.asarray(x, np.float64)[:, None]).sum(-1),
      rtol=1e-5, atol=1e-6)


def _layer(x, rows, weights, table):
  hidden = jnp.tanh(spread(x, table, weights)) * rows
  return combine(hidden, table, dots(rows, x, table) * weights)


def _on_numpy_indexing(x, rows, weights, table):
  top_k = weights.shape[1]
  copies = x[table.choice // top_k] * weights.reshape(-1)[table.choice][:, None]
  factors = (rows[table.row] * x[:, None]).sum(-1) * weights
  return ((jnp.tanh(copies) * rows)[table.row] * factors[..., None]).sum(1)


def test_derivatives(rng):
  chosen, x, rows, weights = _problem(rng)
  table, _ = routing_table(chosen, 5)
  with jax.enable_x64(True):
    given = tuple(jnp.asarray(a, jnp.float64) for a in (x, rows, weights))
    check_grads(lambda *a: _layer(*a, table), given, order=2)
    total = lambda f: lambda *a: (f(*a, table) ** 3).sum()
    for i in range(3):
      np.testing.assert_allclose(jax.hessian(total(_layer), i)(*given),
                                 jax.hessian(total(_on_numpy_indexing), i)(*given), rtol=1e-8)


def test_vmap_of_some_operands(rng):
  chosen, x, rows, weights = _problem(rng)
  table, _ = routing_table(chosen, 5)
  gradient = lambda f: jax.grad(lambda x, w: (f(x, rows, w, table) ** 2).sum(), (0, 1))
  for axes in ((0, None), (None, 0), (1, 0)):
    given = [a if i is None else jnp.stack([a, 2 * a], i)
             for a, i in zip((x, weights), axes, strict=True)]
    for one, other in zip(jax.vmap(gradient(_layer), axes)(*given),
                          jax.vmap(gradient(_on_numpy_indexing), axes)(*given), strict=True):
      np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_sums_of_bfloat16_are_float32(rng):
  chosen = jnp.zeros((1, 3), jnp.int32)
  rows = jnp.asarray([[256.0], [1.0], [1.0]], jnp.bfloat16)  # in bfloat16 256 + 1 is 256
  table, _ = routing_table(chosen, 5)
  assert combine(rows, table).dtype == jnp.float32
  assert float(combine(rows, table)[0, 0]) == 258
  gradient = jax.grad(lambda x: (spread(x, table) * rows).sum().astype(jnp.float32))
  assert float(gradient(jnp.zeros((1, 1), jnp.bfloat16))[0, 0]) == 258


def test_no_gradient_adds_up_by_scatter(rng):
  chosen, x, rows, weights = _problem(rng)
  table, _ = routing_table(chosen, 5)
  jaxpr = jax.make_jaxpr(jax.grad(lambda *a: _layer(*a, table).sum(), (0, 1, 2)))(x, rows, weights)
  text = jax.jit(jaxpr_as_fun(jaxpr)).lower(x, rows, weights).as_text()
  assert "stablehlo.gather" in text and "stablehlo.scatter" not in text
