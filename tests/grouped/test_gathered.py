"""lhs_indices and rhs_indices: a product reads rows by index."""

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm.grouped.routing_calls import routing_table

OF_RHS = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
TOKENS, K, N, GROUPS = 13, 24, 40, 4


def _operands(seed: int, rows: int = 37, dtype=jnp.float32):
  """lhs [TOKENS, K], rhs [GROUPS, K, N], sizes, and indices, some out of range."""
  rng = np.random.default_rng(seed)
  normal = lambda *shape: jnp.asarray(rng.standard_normal(shape), dtype)
  sizes = rng.multinomial(rows - 3, [0.5, 0.0, 0.2, 0.3])  # three rows of no group
  indices = rng.integers(0, TOKENS, rows)
  indices[[2, 7, 20]] = [-1, TOKENS, np.iinfo(np.int32).max]
  return (normal(TOKENS, K), normal(GROUPS, K, N), jnp.asarray(sizes, jnp.int32),
          jnp.asarray(indices, jnp.int32))


def _rows(x, indices):
  """The gathered rows in float64."""
  x, indices = np.asarray(x, np.float64), np.asarray(indices)
  inside = (indices >= 0) & (indices < len(x))
  return np.where(inside[:, None], x[np.where(inside, indices, 0)], 0)


def _product(x, rhs, sizes):
  out, start = np.zeros((len(x), rhs.shape[-1])), 0
  for w, size in zip(np.asarray(rhs, np.float64), np.asarray(sizes)):
    out[start:start + size] = x[start:start + size] @ w
    start += size
  return out


def _close(out, expected, dtype=jnp.float32):
  np.testing.assert_allclose(np.asarray(out, np.float64), expected,
                             atol=1e-4 if dtype == jnp.float32 else 0.15, rtol=0)


def _implementations():
  return [None, "xla", "emulated:gfx942", "emulated:gfx950"]


@pytest.mark.parametrize("implementation", _implementations())
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_lhs_is_read_by_index(implementation, dtype):
  lhs, rhs, sizes, indices = _operands(1, dtype=dtype)
  out = jax.jit(lambda *x: jaxgemm.ragged_dot(
      *x[:3], lhs_indices=x[3], preferred_element_type=jnp.float32,
      implementation=implementation))(lhs, rhs, sizes, indices)
  _close(out, _product(_rows(lhs, indices), rhs, sizes), dtype)


@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
@pytest.mark.parametrize("implementation", [None, "emulated:gfx942"])
def test_all_schedules(schedule, implementation):
  lhs, rhs, sizes, indices = _operands(2)
  out = jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=indices, schedule=schedule,
                           implementation=implementation)
  _close(out, _product(_rows(lhs, indices), rhs, sizes))


@pytest.mark.parametrize("sides", ["lhs", "rhs", "both"])
@pytest.mark.parametrize("implementation", _implementations())
def test_ragged_k_reads_either_operand_by_index(sides, implementation):
  lhs, _, sizes, indices = _operands(3)
  rng = np.random.default_rng(4)
  others = jnp.asarray(rng.integers(-2, TOKENS + 2, len(indices)), jnp.int32)
  right = jnp.asarray(rng.standard_normal((TOKENS, N)), jnp.float32)
  given = {}
  left_rows, right_rows = _rows(lhs, indices), _rows(right, others)
  if sides == "rhs":
    lhs = jnp.asarray(left_rows, jnp.float32)
  else:
    given["lhs_indices"] = indices
  if sides == "lhs":
    right = jnp.asarray(right_rows, jnp.float32)
  else:
    given["rhs_indices"] = others
  out = jaxgemm.ragged_dot_general(lhs, right, sizes, OF_RHS, implementation=implementation,
                                   **given)
  ends = np.cumsum(sizes)
  expected = np.stack([left_rows[end - size:end].T @ right_rows[end - size:end]
                       for end, size in zip(ends, np.asarray(sizes))])
  _close(out, expected)


def test_a_gated_product_with_a_bias_and_scales():
  lhs, rhs, sizes, indices = _operands(5)
  rng = np.random.default_rng(6)
  rhs = rhs.reshape(GROUPS, K, 2, N // 2)
  bias = jnp.asarray(rng.standard_normal((GROUPS, 2, N // 2)), jnp.float32)
  scale = jnp.asarray(rng.uniform(1, 2, (TOKENS, 1)), jnp.float32)
  out = jaxgemm.ragged_gated_linear_unit(
      lhs, rhs, sizes, lhs_indices=indices, bias=bias, scale_lhs=scale)
  rows = _rows(np.asarray(scale) * np.asarray(lhs, np.float64), indices)
  z = _product(rows, rhs.reshape(GROUPS, K, N), sizes)
  group = np.repeat(np.arange(GROUPS), np.asarray(sizes))
  z[:len(group)] += np.asarray(bias, np.float64).reshape(GROUPS, N)[group]
  gate, up = np.split(z, 2, axis=1)
  _close(out, gate / (1 + np.exp(-gate)) * up)


def _gathered_by_jax(lhs, rhs, sizes, indices):
  indices = jnp.where(indices < 0, len(lhs), indices)
  return jaxgemm.ragged_dot(lhs.at[indices].get(mode="fill", fill_value=0), rhs, sizes)


def _gathered(lhs, rhs, sizes, indices):
  return jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=indices)


def test_derivatives_of_any_order():
  lhs, rhs, sizes, indices = _operands(7)
  weights = jnp.asarray(np.random.default_rng(8).standard_normal((len(indices), N)), jnp.float32)

  def results(product):
    loss = lambda lhs, rhs: (jnp.tanh(product(lhs, rhs, sizes, indices)) * weights).sum()
    first = jax.grad(loss, (0, 1))
    norm = lambda lhs, rhs: sum((g**2).sum() for g in first(lhs, rhs))
    forward = jax.jvp(loss, (lhs, rhs), (lhs, rhs))
    return first(lhs, rhs), jax.grad(norm, (0, 1))(lhs, rhs), forward

  for one, other in zip(*(jax.tree.leaves(results(f)) for f in (_gathered, _gathered_by_jax))):
    np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("axes", [(0, None, None, None), (None, 0, None, None),
                                  (None, None, 0, None), (None, None, None, 0), (0, 1, None, 0),
                                  (1, None, 0, None)])
def test_vmap_of_gradients(axes):
  one = _operands(9)
  others = [_operands(10 + i) for i in range(2)]
  arrays = [x if axis is None else jnp.stack([y[i] for y in (one, *others)], axis)
            for i, (x, axis) in enumerate(zip(one, axes))]

  def results(product):
    def loss(lhs, rhs, sizes, indices):
      return (product(lhs, rhs, sizes, indices)**2).sum()
    def both(*x):
      return product(*x), jax.grad(loss, (0, 1))(*x)
    return jax.vmap(both, axes)(*arrays)

  for a, b in zip(*(jax.tree.leaves(results(f)) for f in (_gathered, _gathered_by_jax))):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-3)
  # The axis may also be inside of another one.
  twice = jax.vmap(jax.vmap(_gathered, axes), (None,) * 4, axis_size=2)(*arrays)
  np.testing.assert_allclose(twice[1], jax.vmap(_gathered_by_jax, axes)(*arrays), atol=1e-4)


def test_the_gradient_with_a_table_is_a_sum_in_a_fixed_order():
  rng = np.random.default_rng(11)
  chosen = jnp.asarray(rng.integers(0, GROUPS, (TOKENS, 3)), jnp.int32)
  table, sizes = routing_table(chosen, GROUPS)
  lhs, rhs = _operands(12)[:2]
  product = lambda lhs, rhs, indices: (
      jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=indices)**2).sum()
  with_table = jax.jit(jax.grad(product, (0, 1)))
  for a, b in zip(with_table(lhs, rhs, table), jax.grad(product, (0, 1))(lhs, rhs, table.token)):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-3)
  assert "scatter" not in with_table.lower(lhs, rhs, table).as_text()


@pytest.mark.parametrize("wrong, message", [
    (jnp.zeros((3, 2), jnp.int32), r"shape \(3, 2\)"), (jnp.zeros(5), "float32"),
    (routing_table(jnp.zeros((TOKENS + 1, 2), jnp.int32), GROUPS)[0], "14 tokens")])
def test_wrong_indices(wrong, message):
  lhs, rhs, sizes, _ = _operands(13)
  with pytest.raises((TypeError, ValueError), match=message):
    jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=wrong)
  with pytest.raises(ValueError, match="of which the groups cut the first"):
    jaxgemm.ragged_dot_general(
        lhs.T, rhs, sizes, lax.RaggedDotDimensionNumbers((((0,), (1,)), ((), ())), (1,), (0,)),
        lhs_indices=jnp.zeros(5, jnp.int32))


def test_no_rows_and_no_lines():
  lhs, rhs, sizes, indices = _operands(14)
  assert _gathered(lhs, rhs, sizes, indices[:0]).shape == (0, N)
  np.testing.assert_array_equal(_gathered(lhs[:0], rhs, sizes, indices), 0)


def test_a_scale_of_rows_belongs_to_the_lines():
  lhs, rhs, sizes, indices = _operands(15)
  with pytest.raises(ValueError, match=r"scale_lhs has shape \(37,\).*\(13,\) or \(13, 1\)"):
    jaxgemm.ragged_dot(lhs, rhs, sizes, lhs_indices=indices, scale_lhs=jnp.ones(len(indices)))


@pytest.mark.parametrize("name", ["lhs_indices", "rhs_indices"])
def test_a_ragged_batch_has_no_indices(name):
  numbers = lax.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), (0,), ())
  with pytest.raises(ValueError, match=f"{name} was given"):
    jaxgemm.ragged_dot_general(jnp.ones((5, 3, 4)), jnp.ones((5, 4, 2)), jnp.array([2, 3]), numbers,
                               **{name: jnp.zeros(5, jnp.int32)})


@pytest.mark.parametrize("chosen, experts, message", [
    (jnp.zeros((4, 2)), 3, "float32"), (jnp.zeros(4, jnp.int32), 3, r"shape \(4,\)"),
    (jnp.zeros((4, 2), jnp.int32), 0, "num_experts=0"),
    (jnp.zeros((4, 2), jnp.int32), 3.0, "num_experts=3.0")])
def test_wrong_routings(chosen, experts, message):
  with pytest.raises((TypeError, ValueError), match=message):
    jaxgemm.routing_table(chosen, experts)


def test_a_routing_may_have_any_integers():
  chosen = np.array([[2, 0], [1, 2]])
  for dtype in (np.int8, np.uint32, np.int64):
    table, sizes = jaxgemm.routing_table(chosen.astype(dtype), 3)
    np.testing.assert_array_equal(sizes, [1, 1, 2])
    np.testing.assert_array_equal(table.token, [0, 1, 0, 1])


@pytest.mark.parametrize("rows, weights, message", [
    ((5, 3), (4, 2), r"rows has shape \(5, 3\)"), ((8, 3), (4, 1), r"weights has shape \(4, 1\)"),
    ((8, 3), (8,), r"weights has shape \(8,\)")])
def test_wrong_arguments_of_combine(rows, weights, message):
  table, sizes = jaxgemm.routing_table(jnp.zeros((4, 2), jnp.int32), 3)
  with pytest.raises(ValueError, match=message):
    jaxgemm.combine(jnp.ones(rows), table, jnp.ones(weights))
  with pytest.raises(TypeError, match="table has type"):
    jaxgemm.combine(jnp.ones((8, 3)), sizes)
