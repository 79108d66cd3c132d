"""What routings must be, by NumPy."""

import numpy as np


def check_table(chosen, num_experts: int, table, group_sizes) -> None:
  """Compares a table and group sizes with a stable sort of NumPy."""
  flat = np.clip(np.asarray(chosen), 0, num_experts - 1).reshape(-1)
  order = np.argsort(flat, kind="stable")
  experts, choice, token, row = (np.asarray(x) for x in table)
  np.testing.assert_array_equal(group_sizes, np.bincount(flat, minlength=num_experts))
  np.testing.assert_array_equal(choice, order)
  np.testing.assert_array_equal(experts, flat[order])
  np.testing.assert_array_equal(token, order // max(row.shape[1], 1))
  assert row.shape == np.shape(chosen)
  np.testing.assert_array_equal(row.reshape(-1)[order], np.arange(order.size))


def check_top_k(scores, count: int, chosen, weights=None) -> None:
  """Compares each token's experts with a stable sort of NumPy, in the total order of floats.

  If there are weights, compares them with the softmax of the experts' scores in float64.
  """
  bits = np.ascontiguousarray(scores, np.float32).view(np.int32).astype(np.int64)
  order = np.where(bits < 0, -(bits & 0x7fffffff) - 1, bits)
  np.testing.assert_array_equal(chosen, np.argsort(-order, axis=-1, kind="stable")[..., :count])
  if weights is not None:
    of_chosen = np.take_along_axis(np.asarray(scores, np.float64), np.asarray(chosen), axis=-1)
    with np.errstate(invalid="ignore"):
      powers = np.exp(of_chosen - of_chosen[..., :1])
    np.testing.assert_allclose(weights, powers / powers.sum(axis=-1, keepdims=True),
                               rtol=1e-6, atol=1e-30)


def score_rows(rng, num_experts: int) -> np.ndarray:
  """float32[rows, num_experts]: random scores, and such with equal ones, zeros, inf and NaN."""
  normal = rng.standard_normal((6, num_experts))
  special = rng.choice([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0], (4, num_experts))
  return np.concatenate([
      normal, np.round(normal), special, np.zeros((1, num_experts)),
      rng.choice([0.0, -0.0], (2, num_experts)), np.full((1, num_experts), -np.inf),
      np.sort(normal[:2], axis=1), np.full((1, num_experts), -1, np.int32).view(np.float32),
  ]).astype(np.float32)


def routings(rng, tokens: int, top_k: int, num_experts: int) -> dict[str, np.ndarray]:
  """Choices int32[tokens, top_k] by name: random ones, and those at the edges."""
  shape = tokens, top_k
  lot = rng.random((tokens, num_experts)).argsort(axis=1)[:, :top_k]
  return {name: np.ascontiguousarray(x, np.int32) for name, x in {
      "different experts of a token": lot if top_k <= num_experts else rng.integers(
          0, num_experts, shape),
      "repeated experts of a token": rng.integers(0, num_experts, shape),
      "few experts": rng.integers(0, min(3, num_experts), shape),
      "one expert for all": np.full(shape, num_experts - 1),
      "out of range": rng.integers(-2, num_experts + 2, shape),
      "far out of range": rng.choice([-2**31, 2**31 - 1, 0], shape),
  }.items()}
