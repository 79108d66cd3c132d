"""The kernels that quantise rows (ffi/routing/float8.h) on an NVIDIA GPU, against float64.

JAXGEMM_TEST_PLATFORMS=cuda,cpu python -m pytest tests/sm90/test_cuda_float8_rows.py
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm.fp8.rows import (
  gated_gradient_quantized,
  hidden_quantized,
  quantized_columns,
  quantized_rows,
)
from tests.sm90.cuda_gpu import skip_reason
from tests.support import float8_rows, gated
from tests.support.float8_rows import BLOCKS
from tests.support.gated import DTYPES

pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())
FORMATS = jnp.float8_e4m3fn, jnp.float8_e5m2
SHAPES = [(1, 128), (1001, 384), (333, 768), (35, 2048), (9, 7168), (7, 14336), (3, 28672),
          (2, 65536)]


def compiled(function, call, *given):
  f = jax.jit(function)
  assert f"@{call}(" in f.lower(*given).as_text()
  return f


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("rows, length", SHAPES)
def test_rows(rng, dtype, kind, rows, length):
  x = float8_rows.rows_of(rng, rows, length, dtype)
  x[rng.random(x.shape) < 0.001] = np.nan
  x[rng.random(x.shape) < 0.001] = np.inf
  for format in FORMATS:
    f = compiled(lambda x: quantized_rows(x, kind, format), "jaxgemm_quantize_rows", x)  # noqa: B023
    float8_rows.check(x, *f(x), kind)


@pytest.mark.parametrize("kind", BLOCKS)
def test_rows_out_of_bounds_are_not_read(rng, kind):
  x = float8_rows.rows_of(rng, 600, 512, "bfloat16")
  within = (np.arange(600) >= 77) & (np.arange(600) < 401)
  x[~within] = np.nan
  f = compiled(lambda x, bounds: quantized_rows(x, kind, FORMATS[0], bounds),
               "jaxgemm_quantize_rows", x, jnp.array([77, 401], jnp.int32))
  found = f(x, jnp.array([77, 401], jnp.int32))
  float8_rows.check(np.where(within[:, None], x.astype(np.float64), 0), *found, kind)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("lines, length, rows, bounds", [
    (40, 24, None, (0, 40)), (1000, 1160, None, (3, 998)), (77, 4096, 1032, (0, 1032)),
    (500, 136, 264, (130, 131)), (9, 7168, 16, (5, 5))])
def test_columns(rng, dtype, format, lines, length, rows, bounds):
  given = float8_rows.columns_of(rng, lines, length, dtype, rows, bounds)
  operands = given.x, given.factors, given.bounds, given.lines
  f = compiled(lambda x, factors, *others: quantized_columns(x, factors, format, *others),
               "jaxgemm_quantize_columns", *operands)
  float8_rows.check_columns(given, f(*operands))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("rows, length", SHAPES)
def test_hidden_rows(rng, dtype, kind, rows, length):
  z, *_ = gated.operands(rng, rows, length, dtype)
  f = compiled(lambda z: hidden_quantized(z, "silu", kind, FORMATS[0]), "jaxgemm_quantize_rows", z)
  gate, up = z[:, 0].astype(np.float64), z[:, 1].astype(np.float64)
  hidden = (gate * np.exp(-np.logaddexp(0, -gate)) * up).astype(z.dtype)
  slack = {"float32": 2.0**-16, "bfloat16": 2.0**-7}[dtype]
  float8_rows.check(hidden, *f(z), kind, slack)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", BLOCKS)
@pytest.mark.parametrize("rows, length", SHAPES)
def test_the_gated_gradient(rng, dtype, kind, rows, length):
  given = gated.operands(rng, rows, length, dtype)
  for format in FORMATS:
    f = compiled(functools.partial(
        gated_gradient_quantized, activation="silu", kind=kind, dtype=format),
                 "jaxgemm_quantized_gradient", *given)
    *outs, quantized = f(*given)
    gated.check(*given, outs, dtype)
    float8_rows.check(np.asarray(outs[0]).reshape(rows, -1), *quantized, kind)
