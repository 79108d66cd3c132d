"""The CPU's kernels read rows by index: every kernel, every type, every kind of index."""

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from jaxgemm import _jaxgemm as native

FAMILIES = list(dict.fromkeys(
    kernel["name"] for kernel in native.host_kernels() if kernel["available"]))
DTYPES = ["float32", "bfloat16", "float16", "int8", "float8_e4m3fn", "float8_e5m2"]
OF_RHS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
LEAST, MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def _cases(kinds):
  """Every kernel and type with indices of the first kind; two types with the other kinds."""
  return [*((family, dtype, kinds[0]) for family in FAMILIES for dtype in DTYPES),
          *((FAMILIES[0], dtype, kind) for dtype in DTYPES[:2] for kind in kinds[1:])]


def _array(rng, shape, dtype):
  values = rng.integers(-128, 128, shape) if dtype == "int8" else rng.standard_normal(shape)
  return jnp.asarray(values, dtype)


def _indices(rng, count, lines, kind):
  """Indices: "some" are out of range, the "ends" only, the same line "repeated", or "none"."""
  outside = rng.choice([-1, lines, lines + 5, LEAST, MOST], count)
  inside = {"some": rng.integers(0, lines, count), "ends": rng.choice([0, lines - 1], count),
            "repeated": np.full(count, lines // 2), "none": outside}[kind]
  is_out = (rng.random(count) < 0.2) & (kind == "some")
  return np.where(is_out, outside, inside).astype(np.int32)


def _gathered(x, indices):
  """The rows of x in float64, zeros for those that x does not have."""
  x = np.asarray(x, np.float64)
  rows = np.zeros((len(indices), *x.shape[1:]))
  inside = (indices >= 0) & (indices < len(x))
  rows[inside] = x[indices[inside]]
  return rows


def _ends(sizes):
  return [(end - size, end) for end, size in zip(np.cumsum(sizes), sizes)]


def _check(out, pairs, dtype):
  """Checks that out has the products of the pairs: exactly, or within float32's rounding."""
  for one, (x, y) in zip(out, pairs, strict=True):
    error = np.abs(np.asarray(one, np.float64) - x @ y)
    allowed = 0 if dtype == "int8" else 6e-8 * (x.shape[1] + 1) * (np.abs(x) @ np.abs(y))
    assert np.all(error <= allowed), np.max(error - allowed)


def _run(function, *operands):
  """The result of the function, which is one call: XLA gathers nothing."""
  compiled = jax.jit(function).lower(*operands).compile()
  program = compiled.as_text()
  assert "jaxgemm" in program and "gather(" not in program
  return compiled(*operands)


@pytest.mark.parametrize("family, dtype, kind", _cases(["some", "ends", "repeated", "none"]))
def test_rows(family, dtype, kind):
  rng = np.random.default_rng()
  tokens, k, n = rng.integers(1, 50), rng.integers(1, 90), rng.integers(1, 140)
  sizes = np.array([0, 1, rng.integers(2, 16), rng.integers(17, 250), 3])
  indices = _indices(rng, sizes.sum() + 2, tokens, kind)  # two rows of no group
  lhs, rhs = _array(rng, (tokens, k), dtype), _array(rng, (len(sizes), k, n), dtype)
  out_dtype = jnp.int32 if dtype == "int8" else jnp.float32
  out = _run(lambda *x: jaxgemm.ragged_dot(
      *x[:3], lhs_indices=x[3], preferred_element_type=out_dtype,
      config=GemmConfig(kernel=family)), lhs, rhs, jnp.asarray(sizes, jnp.int32), indices)
  rows, weights = _gathered(lhs, indices), np.asarray(rhs, np.float64)
  groups = [slice(*ends) for ends in _ends(sizes)]
  _check([out[group] for group in groups], list(zip((rows[x] for x in groups), weights)), dtype)
  np.testing.assert_array_equal(out[sizes.sum():], 0)


@pytest.mark.parametrize("family, dtype, kinds", _cases([
    ("some", "some"), ("ends", "repeated"), ("none", "some"), ("some", None), (None, "some")]))
def test_ragged_k(family, dtype, kinds):
  rng = np.random.default_rng()
  # Sometimes out has few rows. One row or column is not tried: its operand has another layout.
  m = rng.choice([rng.integers(2, 16), rng.integers(17, 230)])
  n = rng.choice([rng.integers(2, 70), rng.integers(70, 300)])
  sizes = np.array([rng.integers(1, 20), 0, rng.integers(20, 600), 5])
  given, arrays, rows = {}, [], []
  for name, columns, kind in zip(("lhs", "rhs"), (m, n), kinds):
    lines = rng.integers(1, 50) if kind else sizes.sum()
    arrays.append(_array(rng, (lines, columns), dtype))
    indices = _indices(rng, sizes.sum(), lines, kind) if kind else np.arange(lines)
    rows.append(_gathered(arrays[-1], indices))
    if kind:
      given[f"{name}_indices"] = indices
  out_dtype = jnp.int32 if dtype == "int8" else jnp.float32
  out = _run(lambda lhs, rhs, sizes, given: jaxgemm.ragged_dot_general(
      lhs, rhs, sizes, OF_RHS, preferred_element_type=out_dtype,
      config=GemmConfig(kernel=family), **given), *arrays, jnp.asarray(sizes, jnp.int32), given)
  _check(out, [(rows[0][begin:end].T, rows[1][begin:end]) for begin, end in _ends(sizes)], dtype)


@pytest.mark.parametrize("config", [
    dict(schedule="persistent", tile_m=48, tile_n=40, tile_k=24, num_workgroups=3),
    dict(schedule="work_stealing", tile_m=16, tile_n=64), dict(schedule="stream_k", tile_m=64)])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_gated_in_a_batch(config, dtype):
  """Each batch has its own indices; the tokens, or the weights, are shared."""
  rng = np.random.default_rng()
  batch, tokens, k, n, rows = 3, 21, 70, 46, 150
  sizes = np.stack([rng.multinomial(rows, [0.1, 0.6, 0.3]) for _ in range(batch)])
  indices = np.stack([_indices(rng, rows, tokens, "some") for _ in range(batch)])
  lhs, rhs = _array(rng, (batch, tokens, k), dtype), _array(rng, (3, k, 2, n), dtype)
  schedule, config = config["schedule"], {x: y for x, y in config.items() if x != "schedule"}

  def gated(lhs, sizes, indices):
    return jaxgemm.ragged_gated_linear_unit(
        lhs, rhs, sizes, lhs_indices=indices, preferred_element_type=jnp.float32,
        schedule=schedule, config=GemmConfig(**config))

  for shared in (False, True):
    x = lhs[0] if shared else lhs
    out = _run(jax.vmap(gated, (None if shared else 0, 0, 0)), x, jnp.asarray(sizes, jnp.int32),
               indices)
    weights = np.asarray(rhs, np.float64)
    for b in range(batch):
      tokens_of = _gathered(lhs[0 if shared else b], indices[b])
      expected = np.zeros((rows, n))
      for (begin, end), w in zip(_ends(sizes[b]), weights):
        gate, up = (tokens_of[begin:end] @ w[:, i] for i in range(2))
        expected[begin:end] = gate / (1 + np.exp(-gate)) * up
      np.testing.assert_allclose(out[b], expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_other_rows_do_not_matter(dtype):
  """Rows that no index names are not read: they may hold anything."""
  rng = np.random.default_rng()
  lhs = np.full((30, 40), np.nan, np.float32) if dtype == "float32" else np.full((30, 40), 99)
  used = rng.permutation(30)[:7]
  lhs[used] = rng.integers(-9, 9, (7, 40))
  indices = rng.choice([*used, -1, 30], 64).astype(np.int32)
  lhs, rhs = jnp.asarray(lhs, dtype), jnp.asarray(rng.integers(-9, 9, (2, 40, 33)), dtype)
  out_dtype = jnp.int32 if dtype == "int8" else jnp.float32
  out = _run(lambda *x: jaxgemm.ragged_dot(
      *x[:3], lhs_indices=x[3], preferred_element_type=out_dtype),
      lhs, rhs, jnp.asarray([50, 14], jnp.int32), indices)
  rows, weights = _gathered(lhs, indices), np.asarray(rhs, np.float64)
  expected = np.concatenate([rows[:50] @ weights[0], rows[50:] @ weights[1]])
  np.testing.assert_array_equal(out, expected)
