"""The fast forms of a Hopper kernel, on an NVIDIA GPU.

They store an output tile while they compute the next, so each CTA gets several tiles.
"""

import functools
import re

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi
from tests.sm90 import cuda_kernels
from tests.sm90.cuda_gpu import assert_close, skip_reason
from tests.sm90.cuda_kernels import Kernel, product

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())

NAMES = [name for target, name in _ffi.NAMES["gpu_kernels"] if target == "sm90"]
# All layouts of bfloat16, and one layout of float16 and of float8.
KERNELS = [name for name in NAMES if re.match(
    r"gemm_(bfloat16_.*r|float16_.*_rrr|float8_e4m3fn_float8_e5m2.*_rcr)$", name)]
GROUPED = [name for name in KERNELS if not Kernel(name).dense_only]
BY_REGISTERS = [name for name in NAMES if Kernel(name).by_registers and "e5m2_" not in name]


def options(kernel: Kernel, workgroups: int, **config):
  if kernel.name not in _ffi.built_kernels("sm90"):
    pytest.skip(f"this build has no {kernel.name}")
  out = "float16" if kernel.dtypes[0] == "float16" else "bfloat16"
  return dict(preferred_element_type=out, implementation="jaxgemm", config=kernel.config(
      schedule="persistent", num_workgroups=workgroups, **config))


def check(runs):
  """Runs all (function, arrays, wanted) as one program and checks the results."""
  functions, arrays, wanted = zip(*runs)
  outs = jax.jit(lambda arrays: [f(*xs) for f, xs in zip(functions, arrays)])(arrays)
  for out, want in zip(outs, wanted):
    assert_close(out, want)
  return outs


@pytest.mark.parametrize("name", KERNELS)
def test_plain(rng, name):
  kernel, runs = Kernel(name), []
  contract_l, contract_r = kernel.contracting
  m, n = 3 * kernel.m - 40, 3 * kernel.n - 24
  numbers = (((1 + contract_l,), (1 + contract_r,)), ((0,), (0,)))
  for k in (4 * kernel.k, 5 * kernel.k + 16, 19 * kernel.k):
    a, wide_a = kernel.lhs(rng, 2, m, k)
    b, wide_b = kernel.rhs(rng, 2, k, n)
    grids = [dict(workgroups=count) for count in (1, 4, 66)]
    for grid in grids:
      runs.append((functools.partial(
          jaxgemm.dot_general, dimension_numbers=numbers, **options(kernel, **grid)),
                   (a, b), product(wide_a, wide_b)))
  outs = check(runs)
  for i, out in enumerate(outs):
    assert (out == outs[i // len(grids) * len(grids)]).all()  # the same bits on any grid


@pytest.mark.parametrize("name", KERNELS)
def test_fused(rng, name):
  """The epilogue: bias, scale, activation, the value before the activation, and other out types."""
  kernel, runs = Kernel(name), []
  contract_l, contract_r = kernel.contracting
  # TMA could not store rows of out of this length, if the operands allow it.
  m, n = 3 * kernel.m - 40, 3 * kernel.n - (27 if contract_r else 24)
  numbers = (((1 + contract_l,), (1 + contract_r,)), ((0,), (0,)))
  bias, scale = (rng.uniform(-1, 1, (2, n)).astype(np.float32) for _ in range(2))
  for k in (kernel.k, 19 * kernel.k):
    a, wide_a = kernel.lhs(rng, 2, m, k)
    b, wide_b = kernel.rhs(rng, 2, k, n)
    sums = product(wide_a, wide_b)
    z = sums * scale[:, None].astype(np.float64) + bias[:, None]
    for grid in (dict(workgroups=1), dict(workgroups=66)):
      given = options(kernel, **grid)
      for out in (given["preferred_element_type"], "float32"):
        given["preferred_element_type"] = out
        call = functools.partial(
            jaxgemm.dot_general, dimension_numbers=numbers, **given)
        runs.append((call, (a, b), sums))
        runs.append((lambda a, b, bias, scale, call=call: call(
            a, b, bias=bias, scale=scale, activation="relu"),
                     (a, b, jnp.asarray(bias), jnp.asarray(scale)), np.maximum(z, 0)))
  check(runs)


def scaled_run(rng, call, arrays, wanted, sizes):
  """The same product with a scale for each row of lhs and each column of rhs, for `check`."""
  of_rows, of_columns = (
      rng.uniform(-1, 1, shape).astype(np.float32)
      for shape in ((wanted.shape[0], 1), (len(sizes), wanted.shape[1])))
  rows = np.concatenate([of_rows[:sum(sizes)] * np.repeat(of_columns, sizes, axis=0),
                         np.zeros((wanted.shape[0] - sum(sizes), wanted.shape[1]))])
  scaled = lambda a, b, sizes, of_rows, of_columns: call(  # noqa: E731
      a, b, sizes, scale_lhs=of_rows, scale_rhs=of_columns)
  return scaled, (*arrays, jnp.asarray(of_rows), jnp.asarray(of_columns)), wanted * rows


@pytest.mark.parametrize("name", GROUPED + BY_REGISTERS)
def test_grouped(rng, name):
  kernel, runs = Kernel(name), []
  contract_l, contract_r = kernel.contracting
  n = 2 * kernel.n - (32 if kernel.by_registers else 24)
  sizes = [kernel.m + 9, 0, 1, 50, 3 * kernel.m]
  ends = np.cumsum(sizes)
  m = int(ends[-1]) + 77  # the last rows belong to no group
  numbers = lax.RaggedDotDimensionNumbers(
      (((contract_l,), (1 + contract_r,)), ((), ())), [1 - contract_l], [0])
  # Some problems have fewer k tiles than TMA boxes that store an output tile.
  for k, workgroups in ((kernel.k, 1), (3 * kernel.k, 5), (9 * kernel.k + 16, 66)):
    a, wide_a = kernel.lhs(rng, m, k)
    b, wide_b = kernel.rhs(rng, len(sizes), k, n)
    wanted = np.zeros((m, n))
    for g, (end, size) in enumerate(zip(ends, sizes)):
      wanted[end - size:end] = product(wide_a[end - size:end], wide_b[g])
    call = functools.partial(
        jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
        **options(kernel, workgroups))
    arrays = (a, b, jnp.asarray(sizes, jnp.int32))
    runs.append((call, arrays, wanted))
    if kernel.by_registers:
      runs.append((functools.partial(call, preferred_element_type="float32"), arrays, wanted))
    if kernel.dtypes[0].startswith("float8"):
      runs.append(scaled_run(rng, call, arrays, wanted, sizes))
  for out in check(runs):
    assert (out[ends[-1]:] == 0).all()


@pytest.mark.parametrize("name", GROUPED)
def test_grouped_fused(rng, name):
  """An epilogue, other out types, and a gate."""
  kernel, runs = Kernel(name), []
  contract_l, contract_r = kernel.contracting
  n, sizes = 2 * kernel.n - 24, [kernel.m + 9, 0, 1, 50, 2 * kernel.m]
  m, total = sum(sizes) + 77, sum(sizes)  # the last rows belong to no group
  groups = np.repeat(np.arange(len(sizes)), sizes)
  numbers = lax.RaggedDotDimensionNumbers(
      (((contract_l,), (1 + contract_r,)), ((), ())), [1 - contract_l], [0])
  bias, scale = (rng.uniform(-1, 1, (len(sizes), n)).astype(np.float32) for _ in range(2))
  lengths = jnp.asarray(sizes, jnp.int32)
  for k, workgroups in ((kernel.k, 1), (9 * kernel.k + 16, 66)):
    given = options(kernel, workgroups)
    a, wide_a = kernel.lhs(rng, m, k)
    b, wide_b = kernel.rhs(rng, len(sizes), k, n)
    sums = np.zeros((m, n))
    for g in range(len(sizes)):
      rows = np.flatnonzero(groups == g)
      sums[rows] = product(wide_a[rows], wide_b[g])
    z = sums.copy()
    z[:total] = z[:total] * scale[groups] + bias[groups]
    for out in (given["preferred_element_type"], "float32"):
      call = functools.partial(
          jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
          **given | {"preferred_element_type": out})
      runs.append((lambda a, b, bias, scale, call=call: call(
          a, b, lengths, bias=bias, scale=scale, activation="relu"),
                   (a, b, jnp.asarray(bias), jnp.asarray(scale)), np.maximum(z, 0)))
      runs.append((lambda a, b, call=call: call(a, b, lengths), (a, b), sums))
      if kernel.n % 128 == 0 and contract_l == 1 and contract_r == 0:
        # The first half of the columns is the gate's.
        half = n // 2 // 8 * 8
        gated = functools.partial(jaxgemm.ragged_gated_linear_unit, activation="relu",
                                  **given | {"preferred_element_type": out})
        runs.append((lambda a, b, bias, gated=gated, half=half: gated(
            a, b[:, :, :2 * half].reshape(len(sizes), -1, 2, half), lengths,
            bias=bias[:, :2 * half].reshape(-1, 2, half)),
                     (a, b, jnp.asarray(bias)), _gate(sums, bias, groups, half)))
  check(runs)


def _gate(sums, bias, groups, half):
  z = sums[:, :2 * half].copy()
  z[:len(groups)] += bias[groups, :2 * half]
  return np.maximum(z[:, :half], 0) * z[:, half:]


@pytest.mark.parametrize("name", [name for name in GROUPED if name.endswith("_crr")])
def test_grouped_k(rng, name):
  kernel, runs = Kernel(name), []
  m, n = 2 * kernel.m - 40, 2 * kernel.n - 24
  sizes = [kernel.k + 3, 0, 1, 7 * kernel.k, 2 * kernel.k]
  ends = np.cumsum(sizes)
  k = int(ends[-1]) + 5
  a, wide_a = kernel.lhs(rng, m, k)
  b, wide_b = kernel.rhs(rng, k, n)
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), [0], [])
  wanted = np.stack([product(wide_a[:, end - size:end], wide_b[end - size:end])
                     for end, size in zip(ends, sizes)])
  for workgroups in (1, 5, 66):
    runs.append((functools.partial(
        jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
        **options(kernel, workgroups)), (a, b, jnp.asarray(sizes, jnp.int32)), wanted))
    buffer = rng.standard_normal(wanted.shape).astype(np.float32)
    wide = functools.partial(
        jaxgemm.ragged_dot_general, ragged_dot_dimension_numbers=numbers,
        **options(kernel, workgroups) | {"preferred_element_type": "float32"})
    runs.append((wide, (a, b, jnp.asarray(sizes, jnp.int32)), wanted))
    runs.append((lambda a, b, sizes, buffer, wide=wide: wide(a, b, sizes, accumulate=buffer),
                 (a, b, jnp.asarray(sizes, jnp.int32), jnp.asarray(buffer)), buffer + wanted))
  check(runs)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("c")])
def test_transposed(name):
  if name not in _ffi.built_kernels("sm90"):
    pytest.skip(f"this build has no {name}")
  assert cuda_kernels.check(Kernel(name)) > 10
