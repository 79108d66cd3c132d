"""Programs in which this package's functions are in the places of jax's own."""

import ast

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox, qarray
from tests.support.paths import ROOT

SIZES = np.array([10, 5, 0, 25], np.int32)
DENSE = (((1,), (0,)), ((), ()))
BASIC = lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), [0], [0])
OF_K = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
PRODUCTS = ("dot", "dot_general", "ragged_dot", "ragged_dot_general", "matmul", "einsum",
            "tensordot", "vdot", "inner", "outer", "vecdot", "matvec", "vecmat", "scaled_matmul",
            "scaled_dot_general", "batch_matmul")


@pytest.fixture(autouse=True)
def ours(monkeypatch):
  monkeypatch.setattr(lax, "dot_general", jaxgemm.dot_general)
  monkeypatch.setattr(lax, "ragged_dot", jaxgemm.ragged_dot)
  monkeypatch.setattr(lax, "ragged_dot_general", jaxgemm.ragged_dot_general)
  monkeypatch.setattr(jnp, "matmul", jaxgemm.matmul)
  monkeypatch.setattr(jnp, "dot", jaxgemm.matmul)
  monkeypatch.setattr(jnp, "einsum", lambda _, a, b, **options: jaxgemm.matmul(a, b, **options))
  monkeypatch.setattr(jax.nn, "scaled_matmul", jaxgemm.scaled_matmul)


def grouped(x, w):
  """The grouped product in float64."""
  ends = np.cumsum(SIZES)
  return np.concatenate([x[end - size:end] @ y for y, size, end in zip(w, SIZES, ends)])


def close(given, wanted, tolerance=2e-5):
  np.testing.assert_allclose(np.asarray(given, np.float64), wanted, rtol=0,
                             atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("implementation", [None, "jaxgemm", "xla"])
def test_products_and_gradients(rng, implementation):
  options = {"implementation": implementation}
  x, w, experts = (rng.standard_normal(shape) for shape in ((40, 24), (24, 16), (4, 24, 16)))
  a, b, e = (jnp.asarray(y, jnp.float32) for y in (x, w, experts))
  ones = np.ones((40, 16))
  for f in (lambda a, b: jaxgemm.matmul(a, b, **options),
            lambda a, b: jaxgemm.dot_general(a, b, DENSE, **options),
            lambda a, b: qarray.dot_general(a, b, DENSE, **options),
            lambda a, b: jaxgemm.matmul(a[:, None], b, **options)[:, 0]):
    out, back = jax.vjp(f, a, b)
    for given, wanted in zip((out, *back(jnp.ones_like(out))), (x @ w, ones @ w.T, x.T @ ones)):
      close(given, wanted)
  of_groups = [x[end - size:end].T @ ones[:size] for size, end in zip(SIZES, np.cumsum(SIZES))]
  for f in (lambda a, e: jaxgemm.ragged_dot(a, e, SIZES, **options),
            lambda a, e: megablox.gmm(a, e, SIZES, **options)):
    out, back = jax.vjp(f, a, e)
    d_a, d_e = back(jnp.ones_like(out))
    close(out, grouped(x, experts))
    close(d_a, grouped(ones, experts.swapaxes(1, 2)))
    close(d_e, np.stack(of_groups))
  fp8_out = fp8.ragged_dot(a, e, SIZES, implementation=implementation)
  close(fp8_out, grouped(x, experts), 0.1)
  close(fp8.dot_general(a, b, DENSE, implementation=implementation), x @ w, 0.1)


def test_what_the_kernels_leave_to_xla(rng):
  x = jnp.asarray(rng.standard_normal((8, 1)), jnp.float32)
  close(jaxgemm.matmul(x, x.T), np.asarray(x, np.float64) @ np.asarray(x, np.float64).T)
  z = x + 1j
  with pytest.warns(UserWarning, match="jaxgemm leaves this product to XLA"):
    given = jaxgemm.dot_general(z.T, z, DENSE)
  np.testing.assert_allclose(given, np.asarray(z).T @ np.asarray(z), rtol=1e-5)
  ok, why = jaxgemm.supports(z.T, z)
  assert not ok and "complex64" in why


def quantized_ragged_dot(x, w):
  """As in Qwix: products of float8 by jax.lax.ragged_dot_general, scales of groups by another."""
  of_rows = jnp.abs(x).max(1, keepdims=True) / 448
  of_columns = jnp.abs(w).max(1, keepdims=True) / 448
  left, right = (y.astype(jnp.float8_e4m3fn) for y in (x / of_rows, w / of_columns))
  out = jax.lax.ragged_dot_general(
      left, right, SIZES, BASIC, precision=None, preferred_element_type=jnp.float32,
      group_offset=None)
  ones = jnp.ones((x.shape[0], 1), jnp.float32)
  scales = jax.lax.ragged_dot_general(ones, of_columns, SIZES, BASIC, precision=None)
  return out * of_rows * scales


@jax.custom_vjp
def trained(x, w):
  return quantized_ragged_dot(x, w)


def _backward(kept, ct):
  x, w = kept
  return quantized_ragged_dot(ct, w.swapaxes(1, 2)), jax.lax.ragged_dot_general(
      x.astype(jnp.float8_e4m3fn), ct.astype(jnp.float8_e5m2), SIZES, OF_K,
      preferred_element_type=jnp.float32)


trained.defvjp(lambda x, w: (trained(x, w), (x, w)), _backward)


def test_float8_as_a_quantiser_trains_it(rng):
  x, w = (rng.standard_normal(shape) for shape in ((40, 32), (4, 32, 16)))
  a, b = jnp.asarray(x, jnp.float32), jnp.asarray(w, jnp.float32)
  step = jax.value_and_grad(lambda a, b: trained(a, b).sum(), (0, 1))
  _, (d_x, d_w) = jax.jit(step)(a, b)
  close(jax.jit(trained)(a, b), grouped(x, w), 0.1)
  close(d_x, grouped(np.ones((40, 16)), w.swapaxes(1, 2)), 0.1)
  of_groups = [x[end - size:end].T @ np.ones((size, 16))
               for size, end in zip(SIZES, np.cumsum(SIZES))]
  close(d_w, np.stack(of_groups), 0.1)
  calls = jaxgemm.explain(step, a, b).data["calls"]
  assert {call["implementation"] for call in calls} == {"jaxgemm"}
  assert sum(call["count"] for call in calls) == 5  # two of them are those of the scales


def test_no_module_looks_up_a_product_when_it_runs():
  """jax_products.py binds jax's products when jaxgemm is imported.

  first_light is a program of its own, which compares with jax's products.
  """
  found = []
  for path in (ROOT / "jaxgemm").rglob("*.py"):
    if path.parent.name == "first_light":
      continue
    for node in ast.walk(ast.parse(path.read_text())):
      if isinstance(node, ast.Attribute) and node.attr in PRODUCTS:
        of = ast.unparse(node.value)
        if of in ("lax", "jnp", "jax.lax", "jax.numpy", "jax.nn", "nn"):
          found.append(f"{path.name}:{node.lineno}: {of}.{node.attr}")
      if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        found.append(f"{path.name}:{node.lineno}: @")
  assert not found
