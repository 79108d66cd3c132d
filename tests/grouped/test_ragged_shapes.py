"""Grouped products of the shapes that other packages test, against float64.

The shapes are from tokamax (ragged_dot's test_base.py and arg_specs.py) and from
Primus-Turbo (tests/jax/lax/test_grouped_gemm.py). The result and both gradients are
checked. Where a case would take seconds, its rows, columns and contracted dimension are
smaller, with the same number of groups and the same proportions.
"""

import functools
import os
import subprocess
import sys

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import cases
import jaxgemm
from jaxgemm import _jaxgemm as native
from tests.support.paths import ROOT

# Largest error relative to the largest value: about one rounding to the dtype.
TOLERANCE = {"float32": 2e-6, "bfloat16": 2**-8, "float16": 2**-10}


def array(rng, *shape, dtype):
  return jnp.asarray(rng.standard_normal(shape, np.float32), dtype)


@functools.cache
def results(transposed):
  """Jitted ragged_dot_general: (lhs, rhs, cotangent, sizes) -> (out, d_lhs, d_rhs)."""
  numbers = lax.RaggedDotDimensionNumbers(
      (((1,), (2 if transposed else 1,)), ((), ())), (0,), (0,))

  @jax.jit
  def run(lhs, rhs, cotangent, sizes):
    out, vjp = jax.vjp(
        lambda x, w: jaxgemm.ragged_dot_general(x, w, sizes, numbers), lhs, rhs)
    return out, *vjp(cotangent)

  return run


def groups_of(sizes):
  starts = np.concatenate([[0], np.cumsum(sizes)])
  return list(map(slice, starts[:-1], starts[1:]))


def check(lhs, rhs, sizes, cotangent, transposed=False):
  """Checks a product and its gradients; rhs is [G, N, K] if transposed."""
  sizes = np.asarray(sizes)
  given = results(transposed)(lhs, rhs, cotangent, jnp.asarray(sizes, jnp.int32))
  wide = [np.asarray(x).astype(np.float64) for x in (lhs, rhs, cotangent)]
  wanted = [np.zeros(x.shape) for x in given]
  for group, rows in enumerate(groups_of(sizes)):
    x, w, ct = wide[0][rows], wide[1][group], wide[2][rows]
    w = w.T if transposed else w
    d_w = x.T @ ct
    wanted[0][rows], wanted[1][rows] = x @ w, ct @ w.T
    wanted[2][group] = d_w.T if transposed else d_w
  for x, y in zip(given, wanted):
    assert x.dtype == lhs.dtype
    error = np.abs(np.asarray(x).astype(np.float64) - y).max()
    assert error <= TOLERANCE[x.dtype.name] * np.abs(y).max()


def check_made(rng, groups, m, k, n, dtype, sizes, transposed=False):
  lhs = array(rng, m, k, dtype=dtype)
  rhs = array(rng, groups, *((n, k) if transposed else (k, n)), dtype=dtype)
  check(lhs, rhs, sizes, array(rng, m, n, dtype=dtype), transposed)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("groups, m, k, n", [(8, 1024, 128, 256), (8, 128, 64, 128)])
@pytest.mark.parametrize("padded", [False, True])
def test_tokamax(rng, groups, m, k, n, dtype, padded):
  sizes = (rng.integers(0, m // groups, groups) if padded
           else np.full(groups, m // groups))
  check_made(rng, groups, m, k, n, dtype, sizes)


OTHERS = cases.load()["grouped_of_others"]
# Groups, rows, k, columns, and the group sizes or the name of a routing; a sixteenth of a model's
# rows, columns and k.
TOKAMAX = {
    "compute_bound": (8, 256, 256, 256, [256] + [0] * 7),
    "memory_bound": (8, 8, 512, 512, [1] * 8),
} | {name: (groups, m // 16, k // 16, n // 16, routing)
     for name, (groups, m, k, n, routing) in OTHERS["tokamax"].items()}


@pytest.mark.whole(unless=lambda case: list(TOKAMAX.values()).index(case) % 3 == 0)
@pytest.mark.parametrize("case", TOKAMAX.values(), ids=TOKAMAX)
def test_arg_specs_of_tokamax(rng, case):
  groups, m, k, n, sizes = case
  if isinstance(sizes, str):
    sizes = cases.group_sizes(sizes, m, groups, rng)
  check_made(rng, groups, m, k, n, "bfloat16", sizes)


@pytest.mark.whole(unless=lambda n, k: (n * 16, k * 16) in map(tuple, OTHERS["primus_turbo"][::3]))
@pytest.mark.parametrize("n, k", [(n // 16, k // 16) for n, k in OTHERS["primus_turbo"]])
def test_primus_turbo(rng, n, k):
  # A sixteenth of Primus-Turbo's rows (8 a group instead of 128), columns and k.
  for groups, dtype, routing, transposed in (
      (16, "bfloat16", "mild", False), (32, "float16", "balanced", True)):
    sizes = cases.group_sizes(routing, 8 * groups, groups, rng)
    check_made(rng, groups, 8 * groups, k, n, dtype, sizes, transposed)


@pytest.mark.whole
def test_primus_turbo_at_full_size(rng):
  """16 groups of 128 rows, N 2048, K 1408, checked along one direction."""
  groups, m, n, k = 16, 2048, 2048, 1408
  # Small integers are cheaper than normal values, and their sums are as random.
  lhs, rhs, cotangent = (
      jnp.asarray(rng.integers(-4, 5, shape, np.int8), jnp.bfloat16)
      for shape in ((m, k), (groups, k, n), (m, n)))
  sizes = cases.group_sizes("mild", m, groups, rng)
  given = results(False)(lhs, rhs, cotangent, jnp.asarray(sizes))
  out, d_lhs, d_rhs = (np.asarray(x).astype(np.float32) for x in given)
  left, right = (rng.standard_normal(size) for size in (k, n))
  lhs, rhs, cotangent = (
      np.asarray(x).astype(np.float32) for x in (lhs, rhs, cotangent))

  def same(x, y):  # one value per row, within 1 % of the largest
    np.testing.assert_allclose(x, y, rtol=0, atol=0.01 * np.abs(y).max())

  for group, rows in enumerate(groups_of(sizes)):
    same(out[rows] @ right, lhs[rows] @ (rhs[group] @ right))
    same(d_lhs[rows] @ left, cotangent[rows] @ (left @ rhs[group]))
    same(d_rhs[group] @ right, lhs[rows].T @ (cotangent[rows] @ right))


@pytest.mark.parametrize("groups", [1, 2, 3, 5, 16, 64, 127, 256])
def test_any_number_of_groups(rng, groups):
  for k, n, dtype in ((31, 17, "float32"), (65, 33, "bfloat16")):
    m = 3 * groups + 40
    for total in (m // 2, m, 2 * m):
      sizes = rng.multinomial(total, rng.dirichlet(np.full(groups, 0.3)))
      check_made(rng, groups, m, k, n, dtype, sizes)


@pytest.mark.parametrize("name", list(dict.fromkeys(
    kernel["name"] for kernel in native.host_kernels() if kernel["available"]))[1:])
@pytest.mark.parametrize("chosen", [
    pytest.param("any_number and 5 or a_shard and persistent", marks=pytest.mark.whole),
    pytest.param(
        "test_tokamax or any_number or a_shard and persistent or of_a_group and linear",
        marks=pytest.mark.whole),
], ids=["few", "more"])
def test_on_a_forced_kernel(name, chosen):
  """Repeats some tests on every host kernel but the first, which runs all of them."""
  done = subprocess.run(
      [sys.executable, "-m", "pytest", "-n0", "-q", "-x", "tests/grouped/test_ragged_shapes.py",
       "tests/grouped/test_ragged_nan.py", "--whole", "-k", chosen],
      cwd=ROOT, env={**os.environ, "JAXGEMM_HOST_KERNEL": name}, capture_output=True,
      text=True)
  assert done.returncode == 0, done.stdout[-4000:]
