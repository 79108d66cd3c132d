"""The emulator's clock on this build's kernels. Its predictions are the same on every machine."""

import re

from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks.amd import resources, tile_times
import jaxgemm
from jaxgemm import _ffi, emulator

LARGE = "gemm_bfloat16_bfloat16_256x256x64_rrr"
LEAST_MX = {"float8_e4m3fn": 0.97, "float4_e2m1fn": 0.93}
FEW_ROWS = "gemm_bfloat16_bfloat16_16x32x512_rrr"


def main_loop(times) -> list[str]:
  """The instructions of the main loop, by a clock with a timeline."""
  return [times.code[x] for x in sorted(times.code)
          if times.loop.first_offset <= x <= times.loop.last_offset]


@pytest.mark.parametrize("arch, least", [("gfx942", 0.99), ("gfx950", 0.96)])
@pytest.mark.parametrize("layout", ["rrr", "rcr", "ccr", "crr"])
def test_main_loop_of_the_large_tile_keeps_the_matrix_pipes_busy(arch, least, layout):
  kernel = LARGE.replace("rrr", layout)
  if kernel not in resources.kernel_names(arch):
    pytest.skip(f"this build has no {kernel} for {arch}")
  times = tile_times.of_kernel(arch, kernel)
  assert least <= times.matrix_share <= 1
  # A k tile is 256 x 256 x 64, at 2048 (4096) operations a cycle and compute unit.
  peak = {"gfx942": 2048, "gfx950": 4096}[arch]
  assert times.matrix_cycles == 2 * 256 * 256 * 64 / peak
  assert times.cycles(10) == pytest.approx(times.fixed + 10 * times.per_k_tile)
  assert times.clock.resident == 1
  for wave in times.clock.waves:  # at most one instruction in four cycles
    assert 4 * wave.instructions <= wave.end - wave.start
  # No pipe works for longer than the launch takes.
  assert times.per_k_tile >= times.matrix_cycles
  assert times.clock.lds_cycles <= times.clock.cycles
  assert [wave.simd for wave in times.clock.waves] == [0, 1, 2, 3] * 2


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
@pytest.mark.parametrize("tile_and_layout", [
    "256x256x64_rrr", "256x256x64_crr", "128x256x64_rrr", "128x128x64_rcr", "64x128x64_ccr"])
def test_main_loops_do_not_copy_the_resources_of_their_loads(arch, tile_and_layout):
  kernel = f"gemm_bfloat16_bfloat16_{tile_and_layout}"
  if kernel not in resources.kernel_names(arch):
    pytest.skip(f"this build has no {kernel} for {arch}")
  code = main_loop(tile_times.of_kernel(arch, kernel, timeline=True).clock)
  loads = [re.search(r"s\[(\d+):(\d+)\]", text) for text in code
               if text.startswith("buffer_load")]
  registers = {i for found in loads for i in range(int(found[1]), int(found[2]) + 1)}
  assert len(registers) == 8  # lhs and rhs
  moves = [re.match(r"s_mov_b(?:32 s|64 s\[)(\d+)", text) for text in code]
  assert not [move.string for move in moves if move and int(move[1]) in registers]


@pytest.mark.parametrize("arch, before, after", [("gfx942", 160, 110), ("gfx950", 220, 150)])
def test_few_instructions_come_before_the_first_load_and_after_the_last_product(arch, before,
                                                                                after):
  kernel = "gemm_bfloat16_bfloat16_32x128x64_rrr"
  if kernel not in _ffi.built_kernels(arch):
    pytest.skip(f"this build has no {kernel} for {arch}")
  times = tile_times.of_kernel(arch, kernel, timeline=True).clock
  wave = [times.code[event.offset] for event in times.waves[0].timeline]
  loads = [i for i, text in enumerate(wave) if text.startswith("buffer_load")]
  products = [i for i, text in enumerate(wave) if text.startswith("v_mfma")]
  assert 100 < loads[0] < before and 50 < len(wave) - products[-1] < after


@pytest.mark.parametrize("dtype, tile_k", [("float8_e4m3fn", 128), ("float4_e2m1fn", 256)])
def test_scales_of_an_mx_format_are_read_while_the_matrix_pipes_are_busy(dtype, tile_k):
  kernel = f"gemm_{dtype}_{dtype}_256x256x{tile_k}_rcr"
  if kernel not in _ffi.built_kernels("gfx950"):
    pytest.skip(f"this build has no {kernel} for gfx950")
  k_tiles = 32
  values = jnp.ones((1, 256, k_tiles * tile_k), dtype)
  scales = jnp.ones((1, 256, k_tiles * tile_k // 32), jnp.float8_e8m0fnu)
  with emulator.options(emulator.Options.unchecked(clock=1)):
    out = jaxgemm.scaled_matmul(
        values, values, scales, scales, schedule="persistent",
        config=jaxgemm.GemmConfig(kernel=kernel, num_workgroups=1),
        implementation="emulated:gfx950")
    assert (out == k_tiles * tile_k).all()
    times = emulator.last_record().clock
  assert times.kernel == f"{kernel}_mx"
  # 256 x 256 k tiles of 128 (256) k at 8192 (16384) operations a cycle and compute unit.
  assert times.matrix_cycles == (k_tiles * 2048,) * 4
  assert times.loop.iterations >= 20
  assert LEAST_MX[dtype] <= times.loop.matrix_share <= 1


@pytest.mark.parametrize("kernel", [
    LARGE, "gemm_bfloat16_bfloat16_128x128x64_rcr",
    "gemm_float8_e4m3fn_float8_e4m3fn_256x256x128_rcr"])
def test_no_main_loop_of_gfx950_waits_for_all_its_loads(kernel):
  """The compiler adds such waits if it assumes that loads are outstanding when a loop begins."""
  if kernel not in resources.kernel_names("gfx950"):
    pytest.skip(f"this build has no {kernel} for gfx950")
  times = tile_times.of_kernel("gfx950", kernel, timeline=True).clock
  code = main_loop(times)
  assert sum("v_mfma" in text for text in code) >= 32
  waits = [text for text in code if "s_waitcnt" in text]
  assert waits and not any("vmcnt(0)" in text for text in waits), waits


@pytest.mark.parametrize("arch, peak", [("gfx942", 2048), ("gfx950", 4096)])
@pytest.mark.parametrize("workgroups", [1, 2])
def test_tile_for_few_rows_has_times(arch, peak, workgroups):
  if FEW_ROWS not in resources.kernel_names(arch):
    pytest.skip(f"this build has no {FEW_ROWS} for {arch}")
  times = tile_times.of_kernel(arch, FEW_ROWS, workgroups=workgroups)
  assert times.matrix_cycles == workgroups * 2 * 16 * 32 * 512 / peak
  assert times.per_k_tile >= times.matrix_cycles
  assert times.clock.resident == workgroups


def cycles(arch, kernel, product, *arrays, **given):
  """Those of two workgroups on one compute unit, which share all of the product's tiles."""
  config = jaxgemm.GemmConfig(
      kernel=kernel, schedule="persistent", num_workgroups=2, partition=False)
  with emulator.options(emulator.Options.unchecked(clock=2)):
    product(*arrays, config=config, implementation=f"emulated:{arch}", **given).block_until_ready()
    record = emulator.last_record()
  assert record.kernel == kernel
  return record.clock.cycles


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_rows_read_by_index_cost_little(arch):
  """As in experts with 64 tokens each."""
  rng = np.random.default_rng(0)
  tokens, rhs = jnp.ones((100, 2048), jnp.bfloat16), jnp.ones((4, 2048, 256), jnp.bfloat16)
  sizes = jnp.full(4, 64, jnp.int32)
  indices = jnp.asarray(rng.integers(0, 100, 256), jnp.int32)
  kernel = "gemm_bfloat16_bfloat16_128x128x64_rrr"
  sorted_rows = cycles(arch, kernel, jaxgemm.ragged_dot, tokens[indices], rhs, sizes)
  gathered = cycles(arch, kernel, jaxgemm.ragged_dot, tokens, rhs, sizes, lhs_indices=indices)
  assert gathered <= 1.03 * sorted_rows


@pytest.mark.parametrize("side", ["lhs", "rhs"])
@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_lines_read_by_index_cost_little(arch, side):
  """As in the gradient of weights of experts with 2048 tokens each."""
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
  rng = np.random.default_rng(0)
  tokens, sizes = jnp.ones((3000, 128), jnp.bfloat16), jnp.full(4, 2048, jnp.int32)
  indices = jnp.asarray(rng.integers(0, 3000, 4 * 2048), jnp.int32)
  given = dict(lhs=tokens[indices], rhs=tokens[indices], group_sizes=sizes,
               ragged_dot_dimension_numbers=numbers)
  kernel = "gemm_bfloat16_bfloat16_128x128x64_crr"
  sorted_lines = cycles(arch, kernel, jaxgemm.ragged_dot_general, **given)
  given |= {side: tokens, f"{side}_indices": indices}
  gathered = cycles(arch, kernel, jaxgemm.ragged_dot_general, **given)
  assert gathered <= 1.03 * sorted_lines
