"""Relative errors of large products on a GPU, by random sketches in float64.

The suites of a GPU use it, because the whole product in float64 would take too long. With
random signs v, out @ v is compared with lhs @ (rhs @ v). The errors of elements
add up in it as in a norm, and an element that is not finite makes it not finite.
"""

import functools

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

_COLUMNS = 4  # of v, and so of a sketch
# A dense product's sketch has at least so many elements: the norm of a few may be small by chance.
_ELEMENTS = 256
# Largest errors of a right result: "norm" of the whole sketch, relative to its norm,
# and "max" of one element, relative to the root mean square. One rounding to bfloat16
# gives 1.7e-3 and about 5 times that.
TOLERANCE = {"norm": 4e-3, "max": 2.5e-2}


def _rows(matrix, vectors):
  """matrix @ vectors in float64, a few rows at a time."""
  return lax.map(
      lambda row: row.astype(jnp.float64) @ vectors, matrix, batch_size=2048)


def _of_groups(matrices, vectors):
  """[G, R, C] @ [C, S] -> [G, R, S]."""
  return lax.map(lambda matrix: _rows(matrix, vectors), matrices)


def _signs(rows: int, seed: int, columns: int = _COLUMNS):
  rng = np.random.default_rng(seed)
  return rng.choice([-1.0, 1.0], (rows, columns))


def _errors(given, wanted):
  difference = given - wanted
  # The rows of empty groups, which are zero, do not count.
  rms = jnp.linalg.norm(wanted) / jnp.sqrt(jnp.count_nonzero(wanted))
  return (jnp.linalg.norm(difference) / jnp.linalg.norm(wanted),
          jnp.abs(difference).max() / rms)


def _dense(lhs, rhs, out, signs):
  return _errors(_rows(out, signs), _rows(lhs, _rows(rhs, signs)))


def _forward(lhs, rhs, out, groups, signs):
  """Errors of out[i] = lhs[i] @ rhs[groups[i]]."""
  num_groups, depth, _ = rhs.shape
  folded = _of_groups(rhs, signs).transpose(1, 0, 2).reshape(depth, -1)
  by_group = _rows(lhs, folded).reshape(-1, num_groups, _COLUMNS)
  wanted = jnp.take_along_axis(by_group, groups[:, None, None], axis=1)[:, 0]
  return _errors(_rows(out, signs), wanted)


def _dgrad(cotangent, rhs, out, groups, signs):
  return _forward(cotangent, rhs.transpose(0, 2, 1), out, groups, signs)


def _wgrad(lhs, cotangent, out, groups, signs):
  """Errors of out[g] = lhs[rows of g].T @ cotangent[rows of g]."""
  num_groups, depth, _ = out.shape
  rows = _rows(cotangent, signs)
  member = groups[:, None] == jnp.arange(num_groups)
  spread = jnp.where(member[:, :, None], rows[:, None], 0).reshape(len(groups), -1)
  wanted = _rows(lhs.T, spread).reshape(depth, num_groups, _COLUMNS)
  return _errors(_of_groups(out, signs), wanted.transpose(1, 0, 2))


@functools.cache
def _jitted(function):
  # XLA does not autotune the float64 products, which would take long.
  options = {"xla_gpu_autotune_level": 0} if jax.default_backend() == "gpu" else None
  return jax.jit(function, compiler_options=options)


def _run(function, *arrays, signs) -> dict[str, float]:
  with jax.enable_x64(True):
    norm, largest = _jitted(function)(*arrays, signs)
    return {"norm": float(norm), "max": float(largest)}


def dense(lhs, rhs, out, seed: int) -> dict[str, float]:
  """Errors of out [M, N] as the product of lhs [M, K] and rhs [K, N]."""
  columns = max(_COLUMNS, _ELEMENTS // max(out.shape[0], 1))
  return _run(_dense, lhs, rhs, out, signs=_signs(out.shape[1], seed, columns))


def grouped(work: str, operands, out, sizes: np.ndarray, seed: int) -> dict[str, float]:
  """Errors of the result of "forward", "dgrad" or "wgrad"; sizes sum to all rows.

  Args:
    work: The product, by name.
    operands: (lhs [M, K], rhs [G, K, N], cotangent [M, N]).
    out: [M, N], [M, K] or [G, K, N].
    sizes: Rows of each group.
    seed: Seed of the signs.
  """
  lhs, rhs, cotangent = operands
  function, a, b = {
      "forward": (_forward, lhs, rhs), "dgrad": (_dgrad, cotangent, rhs),
      "wgrad": (_wgrad, lhs, cotangent)}[work]
  groups = np.repeat(np.arange(len(sizes)), sizes)
  return _run(function, a, b, out, groups, signs=_signs(out.shape[-1], seed))


def right(errors: dict[str, float]) -> bool:
  """Whether errors are within TOLERANCE; NaN is not."""
  return all(errors[name] <= bound for name, bound in TOLERANCE.items())
