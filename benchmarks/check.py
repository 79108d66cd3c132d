"""Errors of products against float64, by random sketches.

With random signs v, out @ v is compared with lhs @ (rhs @ v). The errors of elements add up in it
as in a norm, and an element that is not finite makes it not finite. The whole product in float64
would take too long on a GPU.
"""

import functools
from typing import Any

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

# Largest error of a right result by the operands' type: one rounding to the result's type, and
# float32 accumulation.
TOLERANCE = {"float32": 1e-5, "bfloat16": 4e-3, "float16": 1e-3, "float8_e4m3fn": 4e-3,
             "float8_e5m2": 4e-3, "int8": 0.0}
# A GPU multiplies float32 as tf32, which has 11 significant bits.
_TF32_TOLERANCE = 2e-3
# An element of a sketch, relative to the root mean square, has so many times the error of a norm.
_OF_ELEMENTS = 6.25
_COLUMNS = 4  # of v, and so of a sketch
# A dense product's sketch has at least so many elements: the norm of a few may be small by chance.
_ELEMENTS = 256


def tolerance(dtype: str) -> float:
  """The tolerance of a dtype on the device that jax runs on."""
  if dtype == "float32" and jax.default_backend() == "gpu":
    return _TF32_TOLERANCE
  return TOLERANCE[dtype]


def bounded(errors: dict[str, float], dtype: str = "bfloat16", factor: float = 1) -> dict[str, Any]:
  """The entries of a candidate: its errors, and the largest that are right.

  Args:
    errors: by a name that ends in "norm" or "max".
    dtype: the operands' type.
    factor: of the tolerance.
  """
  most = factor * tolerance(dtype)
  return {"errors": errors, "at_most": {
      name: most * (_OF_ELEMENTS if name.endswith("max") else 1) for name in errors}}


def _rows(matrix, vectors):
  """matrix @ vectors in float64, a few rows at a time; of each matrix if there are several."""
  if matrix.ndim == 3:
    return lax.map(lambda one: _rows(one, vectors), matrix)
  return lax.map(lambda row: row.astype(jnp.float64) @ vectors, matrix, batch_size=2048)


def _errors(given, wanted):
  difference = given - wanted
  # The rows of empty groups, which are zero, do not count.
  rms = jnp.linalg.norm(wanted) / jnp.sqrt(jnp.count_nonzero(wanted))
  return (jnp.linalg.norm(difference) / jnp.linalg.norm(wanted), jnp.abs(difference).max() / rms)


def _dense(lhs, rhs, out, signs):
  return _errors(_rows(out, signs), _rows(lhs, _rows(rhs, signs)))


def _forward(lhs, rhs, out, groups, signs):
  """Errors of out[i] = lhs[i] @ rhs[groups[i]]."""
  num_groups, depth, _ = rhs.shape
  folded = _rows(rhs, signs).transpose(1, 0, 2).reshape(depth, -1)
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
  return _errors(_rows(out, signs), wanted.transpose(1, 0, 2))


@functools.cache
def _jitted(function):
  # XLA does not autotune the float64 products, which would take long.
  options = {"xla_gpu_autotune_level": 0} if jax.default_backend() == "gpu" else None
  return jax.jit(function, compiler_options=options)


def _run(function, *arrays, seed: int, columns: int = _COLUMNS) -> dict[str, float]:
  signs = np.random.default_rng(seed).choice([-1.0, 1.0], (arrays[2].shape[-1], columns))
  with jax.enable_x64(True):
    norm, largest = _jitted(function)(*arrays, signs)
    return {"norm": float(norm), "max": float(largest)}


def product(lhs, rhs, out, dtype: str, seed: int) -> dict[str, Any]:
  """The entries of a candidate for out [M, N] as the product of lhs [M, K] and rhs [K, N]."""
  return bounded(dense(lhs, rhs, out, seed), dtype)


def dense(lhs, rhs, out, seed: int) -> dict[str, float]:
  """Errors of out [M, N] as the product of lhs [M, K] and rhs [K, N]."""
  columns = max(_COLUMNS, _ELEMENTS // max(out.shape[0], 1))
  return _run(_dense, lhs, rhs, out, seed=seed, columns=columns)


def grouped(work: str, operands, out, sizes: np.ndarray, seed: int) -> dict[str, float]:
  """Errors of the result of "forward", "dgrad" or "wgrad"; sizes sum to all rows.

  operands: lhs [M, K], rhs [G, K, N] and the result's cotangent [M, N].
  """
  lhs, rhs, cotangent = operands
  function, a, b = {"forward": (_forward, lhs, rhs), "dgrad": (_dgrad, cotangent, rhs),
                    "wgrad": (_wgrad, lhs, cotangent)}[work]
  groups = np.repeat(np.arange(len(sizes)), sizes)
  return _run(function, a, b, out, groups, seed=seed)
