"""chunked_matmul on emulated AMD machine code, with a producer kernel beside it.

Every run is checked against float64, for races between product and producer, and for
stores outside of out: see emulation_chunks.py and emulation_matrix.py.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig, emulator
from tests.amdgpu import emulation_matrix as matrix
from tests.amdgpu.emulation_chunks import EPOCH, Chunks
from tests.amdgpu.emulation_matrix import ORDERS, Instance, Order

ARCHS = ("gfx942", "gfx950")
LAYOUTS = ("rrr", "rcr", "crr", "ccr")
F8 = {"gfx942": "float8_e4m3fnuz", "gfx950": "float8_e4m3fn"}
SCHEDULES = [("persistent", None), ("work_stealing", None), ("stream_k", "linear"),
             ("stream_k", "tree"), ("stream_k", "atomic")]

# Which of the two is raised depends on whether the call is dispatched at once.
_Errors = (jax.errors.JaxRuntimeError, ValueError)

both = pytest.mark.parametrize("arch", ARCHS)


def kernel(arch, layout="rrr", dtype="bfloat16", tile=128) -> Instance:
  k = 128 // jnp.dtype(dtype).itemsize
  return Instance.parse(arch, f"gemm_{dtype}_{dtype}_{tile}x{tile}x{k}_{layout}")


@pytest.mark.parametrize("arch, layout", [
    pytest.param(arch, layout, marks=[] if (arch, layout) in few else [pytest.mark.whole])
    for few in [(("gfx942", "rrr"), ("gfx950", "crr"))]
    for arch in ARCHS for layout in LAYOUTS])
def test_composable_kernels_case(arch, layout):
  """M 1536, N 1024, K 512 with two tiles a chunk and pivot 2 (rocm-libraries 5776)."""
  matrix.run(kernel(arch, layout, tile=256), Chunks(
      m=(6, 0), n=(4, 0), k=(8, 0), tiles_per_chunk=2, pivot=2, arrival="pivot",
      producers=2, workgroups=8, orders=ORDERS[:1]))


@both
@pytest.mark.parametrize("kernel", ["128x256x64_rrr", "64x128x64_rcr"])
def test_tiles_with_different_sides(arch, kernel):
  matrix.run(Instance.parse(arch, f"gemm_bfloat16_bfloat16_{kernel}"), Chunks(
      m=(4, 9), n=(1, 8), k=(1, 8), tiles_per_chunk=2, pivot=3, arrival="random",
      workgroups=5, orders=ORDERS[1:2]))


@pytest.mark.whole(
    unless=lambda arch, arrival, reduction: (
        arch == "gfx942" and reduction != "tree" or arrival == "pivot"))
@both
@pytest.mark.parametrize("arrival", ["set", "in_order", "reverse", "random", "pivot"])
@pytest.mark.parametrize("schedule, reduction", SCHEDULES)
def test_every_schedule_and_arrival(arch, schedule, reduction, arrival):
  split = schedule == "stream_k"
  matrix.run(kernel(arch, "rcr"), Chunks(
      m=(4, 9), n=(1, 8), k=(3 if split else 1, 8), tiles_per_chunk=2, pivot=3,
      arrival=arrival, schedule=schedule, reduction=reduction, workgroups=5,
      orders=ORDERS[1:2]))


@both
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing"])
@pytest.mark.parametrize("lhs_shared, signals_shared",
                         [(False, False), (False, True), (True, False)])
def test_batches(arch, schedule, lhs_shared, signals_shared):
  matrix.run(kernel(arch, "crr"), Chunks(
      m=(2, 16), batch=3, lhs_shared=lhs_shared, signals_shared=signals_shared, pivot=1,
      arrival="random", schedule=schedule, workgroups=4, orders=ORDERS[2:4]))


@pytest.mark.whole(unless=lambda seed: seed < 6)
@both
@pytest.mark.parametrize("seed", range(12))
def test_random_problems(arch, seed):
  """Random shapes, layouts, types, tiles per chunk, pivots, producers and orders."""
  rng = np.random.default_rng(seed)
  dtype = ("bfloat16", "float32", "int8", F8[arch])[seed % 4]
  # JAXGEMM_GPU_KERNELS=tests builds small kernels for 8-bit operands only for a row-major rhs.
  layouts = LAYOUTS if seed % 4 < 2 else ("rrr", "crr")
  instance = kernel(arch, layouts[rng.integers(len(layouts))], dtype)
  m, n, k = (int(x) for x in rng.integers(1, (700, 200, 3 * instance.tile[2])))
  tiles = -(-m // instance.tile[0])
  schedule, reduction = SCHEDULES[rng.integers(len(SCHEDULES))]
  matrix.run(instance, Chunks(
      m=(0, m), n=(0, n), k=(0, k), tiles_per_chunk=int(rng.integers(1, tiles + 2)),
      pivot=int(rng.integers(tiles)), producers=int(rng.integers(1, 4)),
      arrival=("in_order", "reverse", "random", "pivot")[rng.integers(4)],
      pause=int(rng.integers(0, 30)), schedule=schedule, reduction=reduction,
      workgroups=int(rng.integers(1, 7)),
      orders=(Order(seed, int(rng.integers(1, 300)), int(rng.integers(1, 9))),)))


@both
def test_all_signals_set_is_the_plain_product_bit_by_bit(arch):
  instance = kernel(arch)
  scenario = Chunks(m=(3, 1), n=(1, 3), k=(2, 0), arrival="set", pivot=2,
                    reproducible=True)
  arrays, _ = scenario.operands(np.random.default_rng(0), instance)
  out = scenario.function(instance, jnp.dtype("float32"))(arrays)
  plain = jaxgemm.matmul(
      arrays["lhs"], arrays["rhs"], preferred_element_type=jnp.float32,
      config=GemmConfig(kernel=instance.name), implementation=f"emulated:{arch}")
  assert np.asarray(out).tobytes() == np.asarray(plain).tobytes()


@both
@pytest.mark.parametrize("arrival", ["set", "random"])
@pytest.mark.parametrize("schedule, reduction", SCHEDULES[:3])
def test_a_signal_that_never_comes(arch, arrival, schedule, reduction):
  """The call fails, and the next call succeeds."""
  instance, rng = kernel(arch), np.random.default_rng(0)
  scenario = Chunks(m=(4, 0), k=(3, 0), missing=2, timeout=1e-3, schedule=schedule,
                    arrival=arrival, reduction=reduction, workgroups=3)
  call = scenario.function(instance, jnp.dtype("float32"))
  arrays, wanted = scenario.operands(rng, instance)
  there = arrays | dict(lhs=arrays["source"], signals=np.full(4, EPOCH, np.uint32))
  for _ in range(2):
    with emulator.options(beside=scenario.beside(rng, instance, arrays)):
      with pytest.raises(_Errors, match="signal 2 of chunk_signals did not become the "
                         "epoch within 1 ms"):
        call(arrays).block_until_ready()
    np.testing.assert_array_equal(call(there), wanted)


def tiles_stored(arch, scenario) -> int:
  """The number of tiles that a single workgroup stores until a signal is missing."""
  instance, rng = kernel(arch), np.random.default_rng(0)
  call = scenario.function(instance, jnp.dtype("float32"))
  arrays, _ = scenario.operands(rng, instance)
  with emulator.options(beside=scenario.beside(rng, instance, arrays)):
    missing = scenario.unset if scenario.missing is None else scenario.missing
    with pytest.raises(_Errors, match=f"signal {missing} of"):
      call(arrays).block_until_ready()
  tile_m, tile_n, _ = instance.tile
  return emulator.last_record().cost["global_write_bytes"] // (tile_m * tile_n * 4)


@both
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing"])
def test_the_order_is_the_chunks_unless_all_have_come(arch, schedule):
  options = dict(m=(4, 0), n=(3, 0), arrival="set", workgroups=1, timeout=1e-3,
                 schedule=schedule)
  # The workgroup stores the first chunk's three columns, then waits for the second.
  assert tiles_stored(arch, Chunks(missing=1, **options)) == 3
  # The workgroup computes one column of all chunks: it stores the first chunk's tile,
  # then reads the second signal, which was set at the start and is unset by then.
  assert tiles_stored(arch, Chunks(unset=1, k=(16, 0), pause=1, **options)) == 1


@both
@pytest.mark.parametrize("missing", [63, 64, 255, 256, 299])
def test_each_of_many_signals_counts(arch, missing):
  """There are more signals than the lanes of a wave read at once."""
  scenario = Chunks(m=(300, 0), n=(2, 0), arrival="set", missing=missing,
                    pivot=missing - 1, workgroups=1, timeout=1e-3)
  assert tiles_stored(arch, scenario) == 2


@both
@pytest.mark.parametrize("schedule", ["persistent", "work_stealing"])
def test_who_starts_when_all_has_come_takes_the_order_of_the_others(arch, schedule):
  """Two workgroups run at a time; the last ones find all signals set."""
  matrix.run(kernel(arch), Chunks(
      m=(4, 0), n=(3, 0), workgroups=5, schedule=schedule, pause=1,
      orders=[Order(seed, 64, 2) for seed in range(3)]))


@both
def test_a_chunk_after_its_signal_is_noticed(arch):
  with pytest.raises(_Errors, match="Race in global memory"):
    matrix.run(kernel(arch), Chunks(signal_first=True, orders=ORDERS[:1]))
