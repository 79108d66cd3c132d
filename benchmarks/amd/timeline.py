r"""A predicted timeline of an AMD kernel's main loop: what each wave does and waits for.

    python -m benchmarks timeline --arch=gfx950 \
        --kernel=gemm_bfloat16_bfloat16_256x256x64_rrr --trace=loop.json

The trace, of the launch of one output tile, opens in ui.perfetto.dev. All times are predictions of
the emulator's clock, in cycles of one compute unit.
"""

from absl import flags

from benchmarks.amd import tile_times
from jaxgemm.emulator import clock

FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_enum("arch", "gfx950", ["gfx942", "gfx950"], "Architecture.")
  flags.DEFINE_string("kernel", "gemm_bfloat16_bfloat16_256x256x64_rrr", "Kernel of this build.")
  flags.DEFINE_string("trace", None, "Trace to write.")


def main(_) -> int:
  times = tile_times.of_kernel(FLAGS.arch, FLAGS.kernel, timeline=True).clock
  if FLAGS.trace:
    clock.write_trace(times, FLAGS.trace)
  waits = times.waits()
  total = sum(waits.values())
  assert times.loop is not None  # tile_times refuses kernels without one
  print(f"{times.kernel}, {times.arch}, predicted: {times.loop.cycles:.0f} cycles an iteration, "
        f"matrix pipes {times.loop.matrix_share:.1%} in the main loop")
  print("waves: " + ", ".join(f"{name} {cycles / total:.1%}" for name, cycles in waits.items()
                              if cycles))
  return 0
