r"""Predicted cycles of an output tile on an AMD compute unit: those of each k tile, and the rest.

    python -m benchmarks timeline --arch=gfx950 \
        --kernel=gemm_bfloat16_bfloat16_256x256x64_rrr --trace=loop.json

The emulator's clock predicts them for the suite `predicted`. `timeline` says what the waves of a
kernel's main loop wait for. Its trace, of the launch of one output tile, opens in ui.perfetto.dev.
"""

from collections.abc import Callable, Sequence
import dataclasses
import math

from absl import flags
import numpy as np

from benchmarks.amd import resources
from jaxgemm import emulator
from jaxgemm.emulator import clock

K_TILES = 16
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_enum("arch", "gfx950", ["gfx942", "gfx950"], "Architecture.")
  flags.DEFINE_string("kernel", "gemm_bfloat16_bfloat16_256x256x64_rrr", "Kernel of this build.")
  flags.DEFINE_string("trace", None, "Trace to write.")


@dataclasses.dataclass(frozen=True)
class TileTimes:
  """Cycles of the workgroups that share a compute unit; in most cases it has one.

  matrix_cycles are those of a SIMD's matrix pipe for a k tile; matrix_share is the share of
  the main loop's time in which the matrix pipes are busy. The first of several tiles takes
  `start` cycles more than each later one.
  """

  fixed: float
  per_k_tile: float
  matrix_cycles: float
  matrix_share: float
  clock: clock.Clock
  start: float = 0.0

  def cycles(self, k_tiles: float) -> float:
    return self.fixed + k_tiles * self.per_k_tile


def of_clock(times: clock.Clock, k_tiles: int) -> TileTimes:
  """The times by a launch of one output tile with a main loop over `k_tiles`."""
  if times.loop is None:
    raise ValueError(f"{times.kernel} has no main loop in a launch of {k_tiles} k tiles.")
  matrix_cycles = sum(times.matrix_cycles) / 4 / k_tiles
  per_k_tile = matrix_cycles / times.loop.matrix_share
  return TileTimes(times.cycles - k_tiles * per_k_tile, per_k_tile, matrix_cycles,
                   times.loop.matrix_share, times)


def of_clocks(longer: clock.Clock, shorter: clock.Clock, more: int, k_tiles: int) -> TileTimes:
  """The times by two launches: `shorter` has `k_tiles` k tiles, and `longer` has `more` beyond it.

  It also holds for workgroups that share a compute unit and are in their main loops at
  different times.
  """
  per_k_tile = (longer.cycles - shorter.cycles) / more
  matrix_cycles = (sum(longer.matrix_cycles) - sum(shorter.matrix_cycles)) / 4 / more
  return TileTimes(shorter.cycles - k_tiles * per_k_tile, per_k_tile, matrix_cycles,
                   matrix_cycles / per_k_tile, longer)


def of_kernel(arch: str, name: str, constants: dict[str, float] | None = None,
              workgroups: int = 1, several: bool = False, out_dtype: str | None = None,
              sizes: tuple[int, int, int] | None = None, **options) -> TileTimes:
  """The times of one of this build's kernels; out_dtype is by default the operands' type.

  `workgroups` share the compute unit; each computes a tile. If it is one of `several`, the
  workgroup claims each of them. Its only tile it knows from the start. `sizes` are m, n and k of a
  product that is one tile, if they are not those of a whole tile with K_TILES. For this k cycles()
  is what the clock says; from there on it is linear.
  """
  tile = resources.parse(name)["tile"]

  def run(k_tiles: int, tiles: int = 1, sizes: tuple[int, int, int] | None = None) -> clock.Clock:
    return clock_of(arch, name, _product(tile, workgroups * tiles, k_tiles, sizes), workgroups,
                    {"schedule": "persistent", "num_workgroups": workgroups}, out_dtype=out_dtype,
                    constants=constants, **options)

  if resources.divides_k(name):
    # The clock may see no loop, because the waves are never in it at the same time. A wave's loop
    # multiplies two, three or four k tiles in each iteration.
    times = of_clocks(run(24), run(12), 12, 12)
  elif workgroups == 1:
    times = of_clock(run(K_TILES), K_TILES)
  else:
    times = of_clocks(run(3 * K_TILES), run(K_TILES), 2 * K_TILES, K_TILES)
  return _with_sizes(times, run, tile, several, sizes)


def clock_of(arch: str, kernel: str, product: tuple[int, int, int], workgroups: int,
             config: dict, batch: int = 0, out_dtype: str | None = None, **options) -> clock.Clock:
  """The clock of a launch whose first workgroups share a compute unit."""
  *_, record = resources.launch(
      arch, kernel, product, emulator.Options.unchecked(clock=workgroups, **options), batch=batch,
      out_dtype=out_dtype, **config)
  assert record is not None and record.clock is not None
  return record.clock


def _with_sizes(times: TileTimes, run: Callable, tile: Sequence[int], several: bool,
                sizes: tuple[int, int, int] | None) -> TileTimes:
  """The times with what comes before and after the main loop of one or several tiles."""
  k_tiles = K_TILES if sizes is None else math.ceil(sizes[2] / tile[2])
  if several:
    two, three = (run(k_tiles, tiles=tiles, sizes=sizes).cycles for tiles in (2, 3))
    later, start = three - two, two - 2 * (three - two)
  elif sizes is not None:
    later, start = run(k_tiles, sizes=sizes).cycles, 0.0
  else:
    return times
  return dataclasses.replace(times, fixed=later - k_tiles * times.per_k_tile, start=start)


def _product(tile: Sequence[int], count: int, k_tiles: int, sizes: tuple[int, int, int] | None
             ) -> tuple[int, int, int]:
  """The sizes of a product of `count` tiles, which are rows of tiles if they are whole rows."""
  m, n, k = sizes or (tile[0], tile[1], tile[2] * k_tiles)
  return (m * count, n, k) if m % tile[0] == 0 else (m, n * count, k)


def aligned(shape: tuple[int, ...]) -> np.ndarray:
  """Zeros of 16 bits at a multiple of 256 bytes, as device memory is allocated."""
  memory = np.zeros(2 * math.prod(shape) + 256, np.uint8)
  start = -memory.ctypes.data % 256
  return memory[start:start + 2 * math.prod(shape)].view(np.uint16).reshape(shape)


def of_triton(peer, layout: str, constants: dict[str, float] | None = None,
              several: bool = False, sizes: tuple[int, int, int] | None = None) -> TileTimes:
  """The times of a variant of triton_peer.py; `several` and `sizes` as in of_kernel().

  With `several` the variant must have been compiled for one program.
  """
  def run(k_tiles: int, tiles: int = 1, sizes: tuple[int, int, int] | None = None) -> clock.Clock:
    product = _product(peer.tile, tiles, k_tiles, sizes)
    arrays = [aligned(shape) for shape in (*resources.shapes(layout, *product), product[:2])]
    return peer.clock("6i", arrays, *product, *(each.shape[1] for each in arrays),
                      constants=constants)

  first = run(K_TILES)
  # The clock sees no loop if its waves are never in it at the same time. A masked k tile after the
  # loop does not count.
  times = (of_clock(first, K_TILES) if first.loop is not None and peer.mask != "last"
           else of_clocks(run(3 * K_TILES), first, 2 * K_TILES, K_TILES))
  return _with_sizes(times, run, peer.tile, several, sizes)


def main(_) -> int:
  times = of_kernel(FLAGS.arch, FLAGS.kernel, timeline=True).clock
  if FLAGS.trace:
    clock.write_trace(times, FLAGS.trace)
  waits, loop = times.waits(), times.loop
  assert loop is not None  # of_kernel refuses kernels without one
  print(f"{times.kernel}, {times.arch}, predicted: {loop.cycles:.0f} cycles an iteration, matrix "
        f"pipes {loop.matrix_share:.1%} in the main loop\nwaves: " + ", ".join(
            f"{name} {cycles / sum(waits.values()):.1%}" for name, cycles in waits.items()
            if cycles))
  return 0
