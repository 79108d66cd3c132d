"""Results against float64 for every schedule, reduction, dtype and layout, on the shapes of
benchmarks/shapes.json and on random ones. Repeated and concurrent calls give the same bits."""

import concurrent.futures
import functools
import hashlib
import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import cases
import jaxgemm

SCHEDULES = [
    ("persistent", None), ("work_stealing", None), ("stream_k", "linear"),
    ("stream_k", "tree"), ("stream_k", "atomic"),
]
LAYOUTS = ["rr", "rc", "cr", "cc"]  # lhs and rhs row- or column-major
DTYPES = [
    "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "int8",
]
# From LARGE on, each dtype is tested in one layout, and from HUGE on in one combination
# of schedule and layout, a different one for each dtype; from LARGEST on, only float32
# and bfloat16 are tested.
LARGE, HUGE, LARGEST = 15e9, 100e9, 400e9  # FLOPs
# Without --whole, a size is tested with every fifth dtype, from SOME on with one dtype, and from
# NONE on with none. Other sizes have other dtypes.
SOME, NONE = 1e8, 30e9


def operands(rng, m, n, k, dtype):
  """Random lhs [M, K] and rhs [K, N] as numpy arrays of the dtype."""
  def random(*shape):
    if dtype == "int8":
      return rng.integers(-128, 128, shape, dtype=np.int8)
    return rng.standard_normal(shape, dtype=np.float32).astype(jnp.dtype(dtype))

  return random(m, k), random(k, n)


def lay_out(lhs, rhs, layout):
  """(dimension_numbers, lhs, rhs) for lhs @ rhs; an operand of layout "c" is column-major."""
  l, r = (lhs.T if layout[0] == "c" else lhs), (rhs.T if layout[1] == "c" else rhs)
  contracting = (int(layout[0] == "r"),), (int(layout[1] == "c"),)
  return (contracting, ((), ())), np.ascontiguousarray(l), np.ascontiguousarray(r)


def out_dtypes(dtype):
  """float32 shows the accumulators as they are; the other dtype is what users get."""
  if dtype == "int8":
    return ["int32", "float32"]
  return ["float32", dtype if dtype in ("bfloat16", "float16") else "bfloat16"]


def check(out, rows, reference, k):
  """Checks the sampled rows of `out` against float64, by largest error and by norm."""
  got = np.asarray(out, np.float64)[rows]
  assert np.isfinite(got).all()
  if np.issubdtype(out.dtype, np.integer):
    np.testing.assert_array_equal(got, reference)
    return
  tolerance = 2e-7 * np.sqrt(k + 1) + 2e-7 + float(jnp.finfo(out.dtype).eps) / 2
  # A single sum of k normal numbers may cancel; sqrt(k) is its usual size.
  largest = max(np.abs(reference).max(initial=0), np.sqrt(k))
  assert np.abs(got - reference).max(initial=0) <= tolerance * largest
  norm = max(np.linalg.norm(reference), np.sqrt(k * reference.size))
  assert np.linalg.norm(got - reference) <= tolerance * norm


def combinations(m, n, k, dtype):
  """(schedule, reduction, layout) to run at this size: all, or the dtype's share."""
  every = [(s, r, layout) for s, r in SCHEDULES for layout in LAYOUTS]
  flops = 2 * m * n * k
  step = 1 if flops < LARGE else 4 if flops < HUGE else 20
  return every[DTYPES.index(dtype) % step::step]


def named_problems():
  for turn, (m, n, k) in enumerate(sorted({
      *cases.mnk("dense"), *cases.mnk("stream_k"), *cases.mnk("edge")})):
    flops = 2 * m * n * k
    step = 5 if flops < SOME else len(DTYPES)
    few = DTYPES[turn % step::step] if flops < NONE else []
    for dtype in ("float32", "bfloat16") if flops >= LARGEST else DTYPES:
      yield pytest.param(m, n, k, dtype,
                         marks=[] if dtype in few else [pytest.mark.whole])


@pytest.mark.parametrize("m,n,k,dtype", list(named_problems()))
def test_every_schedule_reduction_and_layout(m, n, k, dtype, rng):
  lhs, rhs = operands(rng, m, n, k, dtype)
  rows = np.sort(rng.choice(m, min(m, 24), replace=False))
  reference = lhs[rows].astype(np.float64) @ rhs.astype(np.float64)
  eps = float(jnp.finfo(jnp.bfloat16).eps)
  first = None
  for layout in LAYOUTS:
    chosen = [c for c in combinations(m, n, k, dtype) if c[2] == layout]
    if not chosen:
      continue
    out_dtype = jnp.dtype(out_dtypes(dtype)[LAYOUTS.index(layout) % 2])
    dimension_numbers, l, r = lay_out(lhs, rhs, layout)

    def products(l, r):
      return [
          jaxgemm.dot_general(l, r, dimension_numbers, schedule=schedule,
                              reduction=reduction, preferred_element_type=out_dtype)
          for schedule, reduction, _ in chosen
      ]

    for out in jax.jit(products)(l, r):
      out = np.asarray(out)
      assert out.dtype == out_dtype and out.shape == (m, n)
      check(out, rows, reference, k)
      # The other rows are compared from schedule to schedule.
      out = out.astype(np.float32)
      first = out if first is None else first
      assert np.abs(out - first).max() <= eps * np.abs(first).max()


sizes = st.one_of(st.integers(0, 40), st.integers(1, 300))


random_problems = given(
    m=sizes, n=sizes, k=st.one_of(st.integers(0, 40), st.integers(1, 1500)),
    batch=st.integers(1, 3), dtypes=st.sampled_from(
        [(d, d) for d in DTYPES] + [("float32", "bfloat16"), ("float8_e4m3fn", "float16"),
                                    ("float8_e5m2", "float8_e4m3fn")]),
    schedule=st.sampled_from(SCHEDULES), layout=st.sampled_from(LAYOUTS),
    tile=st.sampled_from([{}, dict(tile_m=32, tile_n=48), dict(tile_m=7, tile_n=100)]),
    tile_k=st.sampled_from([None, 16, 130]), workgroups=st.sampled_from([None, 1, 5, 33]),
    seed=st.integers(0, 2**32 - 1),
)


@pytest.mark.parametrize("examples", [40, pytest.param(120, marks=pytest.mark.whole)])
def test_random_problems(examples):
  settings(max_examples=examples, deadline=None, derandomize=True)(
      random_problems(check_random_problem))()


def check_random_problem(m, n, k, batch, dtypes, schedule, layout, tile, tile_k, workgroups, seed):
  rng = np.random.default_rng(seed)
  lhs = np.stack([operands(rng, m, n, k, dtypes[0])[0] for _ in range(batch)])
  rhs = np.stack([operands(rng, m, n, k, dtypes[1])[1] for _ in range(batch)])
  lc, rc = (1 if layout[0] == "c" else 2), (2 if layout[1] == "c" else 1)
  out = jaxgemm.dot_general(
      np.swapaxes(lhs, 1, 2).copy() if layout[0] == "c" else lhs,
      np.swapaxes(rhs, 1, 2).copy() if layout[1] == "c" else rhs,
      (((lc,), (rc,)), ((0,), (0,))),
      preferred_element_type=jnp.int32 if dtypes[0] == "int8" else jnp.float32,
      schedule=schedule[0], reduction=schedule[1],
      config=jaxgemm.GemmConfig(tile_k=tile_k, num_workgroups=workgroups, **tile))
  reference = np.matmul(lhs.astype(np.float64), rhs.astype(np.float64))
  check(np.asarray(out), slice(None), reference, k)


@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
@pytest.mark.parametrize("m,n", [(33, 70), (5, 70), (70, 5)])
def test_epilogue(m, n, activation, rng):
  lhs, rhs = operands(rng, m, n, 90, "float32")
  bias, scale = rng.standard_normal((2, n)).astype(np.float32)
  out = jaxgemm.matmul(lhs, rhs, bias=bias, scale=scale, activation=activation)
  z = lhs.astype(np.float64) @ rhs * scale + bias
  gelu = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
  want = {None: z, "relu": np.maximum(z, 0), "gelu": gelu, "silu": z / (1 + np.exp(-z))}
  np.testing.assert_allclose(out, want[activation], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_narrow_results_round_as_astype_does(dtype, rng):
  """jnp.matmul's result types: int8 wraps, fp8 overflows as astype does."""
  lhs, rhs = operands(rng, 20, 30, 3, dtype)
  got = jaxgemm.matmul(jnp.asarray(lhs), jnp.asarray(rhs))
  assert got.dtype == jnp.dtype(dtype)
  wide = jnp.matmul(lhs.astype(np.float32), rhs.astype(np.float32), precision="highest")
  if dtype == "int8":
    wide = wide.astype(np.int32)
  want = np.asarray(wide.astype(dtype)).astype(np.float32)
  # Sums that lie on a rounding boundary may differ by one unit; they are few.
  same = (np.asarray(got).astype(np.float32) == want) | (
      np.isnan(want) & np.isnan(np.asarray(got).astype(np.float32)))
  assert same.mean() > 0.99


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_nan_and_inf_stay_in_their_row(value, dtype, rng):
  lhs, rhs = operands(rng, 40, 50, 64, dtype)
  lhs[7, 3] = value
  out = np.asarray(jaxgemm.matmul(lhs, rhs)).astype(np.float32)
  assert not np.isfinite(out[7]).any()
  assert np.isfinite(np.delete(out, 7, axis=0)).all()


STABLE = """
import hashlib, sys
import jax.numpy as jnp, numpy as np
import jaxgemm
rng = np.random.default_rng(5)
for m, n, k in [(200, 300, 5000), (512, 512, 8192), (17, 40, 9000)]:
  lhs = rng.standard_normal((m, k), np.float32)
  rhs = rng.standard_normal((k, n), np.float32)
  for reduction in ("linear", "tree"):
    out = jaxgemm.matmul(lhs, rhs, schedule="stream_k", reduction=reduction)
    print(hashlib.sha256(np.asarray(out).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("reduction", ["linear", "tree"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_stream_k_has_the_same_bits_every_time(reduction, dtype, rng):
  lhs, rhs = operands(rng, 130, 140, 4000, dtype)
  config = jaxgemm.GemmConfig(tile_m=64, tile_n=64, tile_k=32, num_workgroups=37)
  run = jax.jit(functools.partial(
      jaxgemm.matmul, schedule="stream_k", reduction=reduction, deterministic=True,
      config=config))
  assert jaxgemm.explain(lhs, rhs, schedule="stream_k", config=config).data["schedule"] == (
      "stream_k")
  bits = {np.asarray(run(lhs, rhs)).tobytes() for _ in range(100)}
  assert len(bits) == 1


def test_stream_k_has_the_same_bits_on_any_number_of_threads():
  def digest(processors):
    code = f"import os; os.sched_setaffinity(0, {processors})\n" + STABLE
    env = {**os.environ, "XLA_FLAGS": "", "JAX_PLATFORMS": "cpu"}
    return subprocess.run([sys.executable, "-c", code], env=env, check=True,
                          capture_output=True, text=True).stdout
  available = sorted(os.sched_getaffinity(0))
  one, every = digest({available[0]}), digest(set(available))
  assert len(one.split()) == 6 and one == every


def test_concurrent_calls_repeat_their_bits(rng):
  """Concurrent calls with work stealing and stream-K do not disturb each other."""
  cases = []
  for i, (schedule, reduction) in enumerate(SCHEDULES[:4] * 2):
    lhs, rhs = operands(rng, 90 + 7 * i, 120, 700, "float32")
    run = jax.jit(functools.partial(
        jaxgemm.matmul, schedule=schedule, reduction=reduction,
        config=jaxgemm.GemmConfig(tile_m=32, tile_n=32, tile_k=64, num_workgroups=6)))
    cases.append((run, lhs, rhs, hashlib.sha256(np.asarray(run(lhs, rhs))).digest()))

  def repeat(case):
    run, lhs, rhs, _ = case
    return {hashlib.sha256(np.asarray(run(lhs, rhs))).digest() for _ in range(25)}

  with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
    for case, digests in zip(cases, pool.map(repeat, cases)):
      assert digests == {case[3]}


@pytest.mark.parametrize("m,n,k", [(0, 5, 7), (5, 0, 7), (5, 7, 0), (0, 0, 0), (1, 1, 1)])
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
def test_empty_products_and_products_of_one_element(m, n, k, schedule, rng):
  lhs, rhs = operands(rng, m, n, k, "float32")
  bias = rng.standard_normal(n).astype(np.float32)
  out = jaxgemm.matmul(lhs, rhs, bias=bias, schedule=schedule)
  np.testing.assert_allclose(out, lhs @ rhs + bias, rtol=1e-6, atol=1e-6)
