"""Runs Hopper kernels of the build in several schedules on small problems, and checks them.

    python tests/sm90/cuda_kernels.py [INDEX/COUNT [NAME]]

It runs every COUNT-th kernel, from the INDEX-th on, of those with NAME in their names.
test_cuda_sanitizers.py starts it under compute-sanitizer. All arrays are copied from
the host, so that only this package's kernels write what its kernels read.
"""

import functools
import re
import sys

import jax
from jax import lax
import numpy as np

import jaxgemm
from jaxgemm import GemmConfig, _ffi
from tests.sm90.cuda_gpu import TOLERANCE


class Kernel:
  """A kernel, and random operands in its layout and dtypes.

  For a kernel that computes out^T = rhs^T lhs^T, the fields are those of the caller's lhs and rhs.
  """

  def __init__(self, name: str):
    dtype = "|".join(_ffi.NAMES["operand_dtypes"])
    lhs, rhs, m, n, k, layout = re.fullmatch(
        rf"gemm_({dtype})_({dtype})_(\d+)x(\d+)x(\d+)_(\w\w\w)", name).groups()
    self.transposed = layout[2] == "c"
    layout = layout[:2]
    if self.transposed:
      lhs, rhs, m, n = rhs, lhs, n, m
      layout = "".join("rc"[each == "r"] for each in layout[::-1])
    self.name, self.dtypes, self.layout = name, (lhs, rhs), layout
    self.m, self.n, self.k = int(m), int(n), int(k)
    self.integer = lhs == "int8"
    # Whether CTAs of different tiles can load operands for each other: in kernels with peers, but
    # not if rhs goes through registers.
    self.multicasts = (lhs != "float32" or layout[1] == "c") if self.transposed else (
        self.m == 128 and self.n <= 144)
    # Tiles whose columns are not a multiple of 64 have dense forms only.
    self.dense_only = not self.transposed and self.n % 64 != 0
    # Whether a grouped form reads rhs into registers, because wgmma reads these types k-major only.
    self.by_registers = (not self.transposed and layout == "rr" and lhs.startswith("float")
                         and lhs != "float16")
    self.grouped_only = self.by_registers and self.n > 128
    # Results are rounded once; those of float8 operands stay float32.
    self.out = {"int8": "int32", "bfloat16": "bfloat16", "float16": "float16"}.get(
        lhs, "float32")

  def config(self, **options) -> GemmConfig:
    return GemmConfig(kernel=self.name, **options)

  def array(self, rng, index: int, *shape):
    dtype = jax.numpy.dtype(self.dtypes[index])
    if self.integer:
      return rng.integers(-128, 128, shape, np.int8)
    return rng.standard_normal(shape, np.float32).astype(dtype)

  def lhs(self, rng, *shape):
    """(lhs in the kernel's layout, lhs as [..., M, K])."""
    *batch, m, k = shape
    if self.layout[0] == "r":
      x = self.array(rng, 0, *batch, m, k)
      return x, x
    x = self.array(rng, 0, *batch, k, m)
    return x, x.swapaxes(-1, -2)

  def rhs(self, rng, *shape):
    """(rhs in the kernel's layout, rhs as [..., K, N])."""
    *groups, k, n = shape
    if self.layout[1] == "r":
      x = self.array(rng, 1, *groups, k, n)
      return x, x
    x = self.array(rng, 1, *groups, n, k)
    return x, x.swapaxes(-1, -2)

  @property
  def contracting(self) -> tuple[int, int]:
    return int(self.layout[0] == "r"), int(self.layout[1] == "c")


def product(a, b):
  return a.astype(np.float64) @ b.astype(np.float64)


def silu(x):
  return x / (1 + np.exp(-x))


def dense(kernel: Kernel):
  """Yields (name, function of arrays, arrays, float64 result) of dense products."""
  m, n, k = kernel.m + 24, kernel.n + 16, 3 * kernel.k + 16
  (contract_l, contract_r), whole = kernel.contracting, np.random.default_rng(0)

  def call(a, b, *args, config, **options):
    if args:
      options["bias"] = args[0]
    return jaxgemm.dot_general(
        a, b, (((contract_l,), (contract_r,)), ((), ())), implementation="jaxgemm",
        preferred_element_type=kernel.out, config=config, **options)

  a, wide_a = kernel.lhs(whole, m, k)
  b, wide_b = kernel.rhs(whole, k, n)
  sums = product(wide_a, wide_b)
  yield ("persistent", functools.partial(call, config=kernel.config(
      schedule="persistent", num_workgroups=2)), (a, b), sums)
  for name, options in () if kernel.dense_only else (
      ("work_stealing", dict(schedule="work_stealing", num_workgroups=2)),
      ("stream_k", dict(schedule="stream_k", num_workgroups=3)),
      ("tree", dict(schedule="stream_k", reduction="tree", num_workgroups=7)),
      ("atomic", dict(schedule="stream_k", reduction="atomic", num_workgroups=7))):
    yield name, functools.partial(call, config=kernel.config(**options)), (a, b), sums
  if kernel.dtypes[0].startswith("float8"):
    config = kernel.config(schedule="persistent", num_workgroups=2)
    yield ("plain", lambda a, b: jaxgemm.dot_general(
        a, b, (((contract_l,), (contract_r,)), ((), ())), implementation="jaxgemm",
        preferred_element_type="bfloat16", config=config), (a, b), sums)
  if kernel.multicasts and (kernel.layout == "rc" or kernel.dtypes[0] in ("bfloat16", "float16")):
    # The CTAs of four tiles load both operands for each other. Each tile has two peers.
    long_k = 20 * kernel.k
    far, wide_far = kernel.lhs(whole, m, long_k)
    across, wide_across = kernel.rhs(whole, long_k, n)
    shares = 2 * -(-m // kernel.m) * -(-n // kernel.n)
    far_sums, config = product(wide_far, wide_across), kernel.config(
        schedule="stream_k", num_workgroups=shares, num_shares=shares, multicast=True)
    yield "multicast", functools.partial(call, config=config), (far, across), far_sums
    if not kernel.integer:
      bias = whole.standard_normal(n, np.float32)
      yield ("multicast, bias", functools.partial(call, config=config), (far, across, bias),
             far_sums + bias)
  # There is one output tile, with k split among four CTAs, in a cluster where that is possible.
  small, wide_small = kernel.lhs(whole, 100, k)
  narrow, wide_narrow = kernel.rhs(whole, k, 120)
  config = kernel.config(schedule="stream_k", num_workgroups=4, num_shares=4)
  if kernel.n <= 144 or not kernel.dense_only:
    yield ("peers", functools.partial(call, config=config), (small, narrow),
           product(wide_small, wide_narrow))
  if not kernel.dense_only:
    # Both chunks of lhs have arrived; the second tile row is computed first.
    config = kernel.config(schedule="work_stealing", num_workgroups=2)
    yield ("chunked", functools.partial(
        jaxgemm.chunked_matmul, tiles_per_chunk_m=1, tile_idx_pivot_m=1, config=config,
        dimension_numbers=(((contract_l,), (contract_r,)), ((), ())),
        preferred_element_type=kernel.out, implementation="jaxgemm"),
           (a, b, np.ones(2, np.uint32)), sums)
    # TMA cannot read rows of this length.
    odd, wide_odd = kernel.lhs(whole, 67, kernel.k + 5)
    other, wide_other = kernel.rhs(whole, kernel.k + 5, 35)
    yield ("odd", functools.partial(call, config=kernel.config()), (odd, other),
           product(wide_odd, wide_other))
  if kernel.integer:
    return
  bias = whole.standard_normal(n, np.float32)
  config = kernel.config(schedule="persistent", num_workgroups=3)

  def with_preact(a, b, bias):
    # The call saves the value before the activation for the gradient.
    out, _ = jax.vjp(lambda a: call(a, b, bias, config=config, activation="silu"), a)
    return out

  yield "preact", with_preact, (a, b, bias), silu(sums + bias)


def transposed(kernel: Kernel):
  """Yields the same as `dense`, for kernels that compute out^T, with whole tiles and few rows."""
  rng = np.random.default_rng(2)
  contracting = kernel.contracting

  def call(a, b, *bias, **options):
    if bias:
      options["bias"] = bias[0]
    batch = (0,) if a.ndim == 3 else ()
    numbers = (tuple((len(batch) + each,) for each in contracting), (batch, batch))
    options.setdefault("preferred_element_type", kernel.out)
    return jaxgemm.dot_general(a, b, numbers, implementation="jaxgemm", **options)

  def scaled_call(a, b, scales, bias, **options):
    return call(a, b, bias, scale_lhs=jax.numpy.expand_dims(scales, contracting[0]), **options)

  for m in (1, kernel.m - 1, kernel.m + 8):
    m = -(-m // 16) * 16 if kernel.layout[0] == "c" else m
    for name, k, n in (("aligned", 7 * kernel.k + 16, 3 * kernel.n + 16),
                       ("odd", 3 * kernel.k + 5, kernel.n + 3)):
      a, wide_a = kernel.lhs(rng, m, k)
      b, wide_b = kernel.rhs(rng, k, n)
      sums = product(wide_a, wide_b)
      yield (f"{name}, {m} rows", functools.partial(call, config=kernel.config()),
             (a, b), sums)
      tiles = -(-m // kernel.m) * -(-n // kernel.n)
      # Wide tiles have fewer peers.
      for peers in (2, 3, 5) if kernel.m <= 128 else (2,):
        if k >= peers * kernel.k:
          shares = tiles * peers
          config = kernel.config(
              schedule="stream_k", num_workgroups=shares, num_shares=shares)
          yield (f"{name}, {m} rows, {peers} peers", functools.partial(
              call, config=config), (a, b), sums)
      if kernel.multicasts and n > 3 * kernel.n:  # four tiles
        long_k = 20 * kernel.k
        a, wide_a = kernel.lhs(rng, m, long_k)
        b, wide_b = kernel.rhs(rng, long_k, n)
        for peers in (1, 2, 4) if kernel.m <= 128 else (1, 2):
          shares = tiles * peers
          config = kernel.config(multicast=True) if peers == 1 else kernel.config(
              schedule="stream_k", num_workgroups=shares, num_shares=shares, multicast=True)
          yield (f"{name}, {m} rows, {peers} peers, multicast", functools.partial(
              call, config=config), (a, b), product(wide_a, wide_b))
        a, wide_a = kernel.lhs(rng, m, k)
        b, wide_b = kernel.rhs(rng, k, n)
        sums = product(wide_a, wide_b)
      if not kernel.integer:
        bias = rng.standard_normal(n, np.float32)
        yield (f"{name}, {m} rows, silu", functools.partial(
            call, config=kernel.config(), activation="silu"), (a, b, bias),
               silu(sums + bias))
        # Results of 16 bits, which are stored in lines.
        narrow = "float16" if kernel.out == "float16" else "bfloat16"
        yield (f"{name}, {m} rows, bias", functools.partial(
            call, config=kernel.config(), preferred_element_type=narrow), (a, b, bias),
               sums + bias)
        scales = rng.uniform(0.5, 2, m).astype(np.float32)
        if k >= 2 * kernel.k:
          config = kernel.config(
              schedule="stream_k", num_workgroups=2 * tiles, num_shares=2 * tiles)
          yield (f"{name}, {m} rows, scaled, 2 peers", functools.partial(
              scaled_call, config=config, preferred_element_type=narrow), (a, b, scales, bias),
                 scales[:, None] * sums + bias)
  a, wide_a = kernel.lhs(rng, 3, 16, 4 * kernel.k)
  b, wide_b = kernel.rhs(rng, 3, 4 * kernel.k, 144)
  yield ("batched", functools.partial(call, config=kernel.config()), (a, b),
         product(wide_a, wide_b))


def grouped(kernel: Kernel):
  """Yields the same as `dense`, of grouped products."""
  rng = np.random.default_rng(1)
  contract_l, contract_r = kernel.contracting
  k, n = 2 * kernel.k, kernel.n + 16
  sizes = np.asarray([kernel.m + 9, 0, 1, 50], np.int32)
  ends = np.cumsum(sizes)
  rows = [slice(end - size, end) for end, size in zip(ends, sizes)]
  # The last rows belong to no group. m is such that TMA could also read an lhs [k, m].
  m = -(-int(ends[-1]) // 16) * 16 + 16

  def call(a, b, sizes, *accumulate, numbers, config, **options):
    if accumulate:
      options["accumulate"] = accumulate[0]
    else:
      options.setdefault("preferred_element_type", kernel.out)
    return jaxgemm.ragged_dot_general(
        a, b, sizes, numbers, config=config, implementation="jaxgemm", **options)

  def biased(a, b, sizes, bias, **options):
    return call(a, b, sizes, bias=bias, **options)

  a, wide_a = kernel.lhs(rng, m, k)
  b, wide_b = kernel.rhs(rng, len(sizes), k, n)
  wanted = np.zeros((m, n))
  for g, each in enumerate(rows):
    wanted[each] = product(wide_a[each], wide_b[g])
  numbers = lax.RaggedDotDimensionNumbers(
      (((contract_l,), (1 + contract_r,)), ((), ())), [1 - contract_l], [0])
  for schedule in ("persistent", *(() if kernel.grouped_only else ("work_stealing", "stream_k"))):
    config = kernel.config(schedule=schedule, num_workgroups=3)
    yield (f"ragged m {schedule}", functools.partial(
        call, numbers=numbers, config=config), (a, b, sizes), wanted)
  if not kernel.integer:
    # A bias in 16 bits, and a result in float32.
    config = kernel.config(schedule="persistent", num_workgroups=3)
    bias = rng.standard_normal((len(sizes), n), np.float32).astype("bfloat16")
    of_rows = np.repeat(np.arange(len(sizes)), sizes)
    with_bias = wanted.copy()
    with_bias[:ends[-1]] += bias.astype(np.float64)[of_rows]
    narrow = "float16" if kernel.out == "float16" else "bfloat16"
    yield ("ragged m bias", functools.partial(
        biased, numbers=numbers, config=config, preferred_element_type=narrow),
           (a, b, sizes, bias), with_bias)
    yield ("ragged m float32", functools.partial(
        call, numbers=numbers, config=config, preferred_element_type="float32"),
           (a, b, sizes), wanted)
  # Operands of other types are converted to bfloat16, because a group may begin at any k.
  if kernel.dtypes[0] in ("bfloat16", "float16"):
    sizes = np.asarray([kernel.k + 3, 0, 1, 2 * kernel.k], np.int32)
    ends = np.cumsum(sizes)
    a, wide_a = kernel.lhs(rng, 80, int(ends[-1]) + 5)
    b, wide_b = kernel.rhs(rng, int(ends[-1]) + 5, n)
    before = rng.standard_normal((len(sizes), 80, n), np.float32)
    wanted = before + np.stack([
        product(wide_a[:, end - size:end], wide_b[end - size:end])
        for end, size in zip(ends, sizes)])
    numbers = lax.RaggedDotDimensionNumbers(
        (((contract_l,), (contract_r,)), ((), ())), [contract_l], [])
    for schedule in ("persistent", "stream_k"):
      config = kernel.config(schedule=schedule, num_workgroups=3)
      yield (f"ragged k {schedule}", functools.partial(
          call, numbers=numbers, config=config), (a, b, sizes, before), wanted)
  if (kernel.layout == "rr" and not kernel.integer and kernel.n % 128 == 0
      and not kernel.grouped_only):
    yield gated(kernel, rng)


def gated(kernel: Kernel, rng):
  sizes = np.asarray([kernel.m + 9, 0, 50], np.int32)
  # In rows of 16-bit types the up projection begins at a multiple of 16 bytes if n is 72, not 76.
  m, k, n = int(sizes.sum()) + 13, kernel.k + 16, 76 if kernel.m == 128 else 72
  a, b = kernel.array(rng, 0, m, k), kernel.array(rng, 1, len(sizes), k, 2, n)
  # Gates stay near 0 for any k, so that their rounding stays small.
  a = (a.astype(np.float32) / np.sqrt(k)).astype(a.dtype)
  group = np.repeat(np.arange(len(sizes)), sizes)
  z = np.einsum("mk,mkin->min", a[:len(group)].astype(np.float64),
                b[group].astype(np.float64))
  wanted = np.concatenate([silu(z[:, 0]) * z[:, 1], np.zeros((m - len(group), n))])

  def call(a, b, sizes):
    return jaxgemm.ragged_gated_linear_unit(
        a, b, sizes, preferred_element_type=kernel.out, implementation="jaxgemm",
        config=kernel.config(schedule="persistent", num_workgroups=3))

  return "gated", call, (a, b, sizes), wanted


def check(kernel: Kernel) -> int:
  """Runs all cases of a kernel as one program; returns their number."""
  cases = ([*transposed(kernel)] if kernel.transposed else
           [*(() if kernel.grouped_only else dense(kernel)),
            *(() if kernel.dense_only else grouped(kernel))])

  def program(arrays, buffers):
    # XLA copies a buffer that a call accumulates into, unless it is donated.
    return [function(*given, *buffer) for (_, function, _, _), given, buffer
            in zip(cases, arrays, buffers)]

  split = [(case[2][:3], case[2][3:]) for case in cases]
  arrays, buffers = jax.device_put(tuple(zip(*split)))
  outs = jax.jit(program, donate_argnums=1)(arrays, buffers)
  for (name, _, _, wanted), out in zip(cases, outs):
    out = np.asarray(out)
    tolerance = TOLERANCE[out.dtype.name]
    error = np.linalg.norm(out.astype(np.float64) - wanted) / np.linalg.norm(wanted)
    if out.shape != wanted.shape or not error <= tolerance:
      raise AssertionError(
          f"{kernel.name}, {name}: {out.shape} of {wanted.shape}, error {error:.3g} of "
          f"at most {tolerance}")
  return len(cases)


def main(share: str = "0/1", part: str = "") -> None:
  index, count = map(int, share.split("/"))
  names = sorted(name for name in _ffi.built_kernels(_ffi.target("cuda"))
                 if part in name)
  for name in names[index::count]:
    print(f"kernel {name}: {check(Kernel(name))} calls", flush=True)


if __name__ == "__main__":
  main(*sys.argv[1:])
