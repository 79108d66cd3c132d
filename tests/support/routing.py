"""What routing tables must be, by NumPy."""

import numpy as np


def check_table(chosen, num_experts: int, table, group_sizes) -> None:
  """Compares the table (experts, choice, row) and the group sizes with a stable sort of NumPy."""
  flat = np.clip(np.asarray(chosen), 0, num_experts - 1).reshape(-1)
  order = np.argsort(flat, kind="stable")
  experts, choice, row = (np.asarray(x) for x in table)
  np.testing.assert_array_equal(group_sizes, np.bincount(flat, minlength=num_experts))
  np.testing.assert_array_equal(choice, order)
  np.testing.assert_array_equal(experts, flat[order])
  assert row.shape == np.shape(chosen)
  np.testing.assert_array_equal(row.reshape(-1)[order], np.arange(order.size))


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
