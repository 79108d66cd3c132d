r"""A predicted timeline of an AMD kernel's main loop: what each wave does and waits for.

    python -m benchmarks timeline --arch=gfx950 \
        --kernel=gemm_bfloat16_bfloat16_256x256x64_rrr --png=loop.png --trace=loop.json

The picture shows three iterations in the steady state; the trace, of the whole launch of
one output tile, opens in ui.perfetto.dev. All times are predictions of the emulator's
clock, in cycles of one compute unit.
"""

import pathlib

from absl import app, flags

from benchmarks import plots, progress
from benchmarks.amd import tile_times
from jaxgemm.emulator import clock as clocks

FLAGS = flags.FLAGS
ITERATIONS = 3
# Kinds of instructions, by how a name starts (the first kind that fits counts), with their colours.
KINDS = {
    "matrix": (("v_mfma", "v_smfma"), "#1b7837"),
    "LDS": (("ds_",), "#2166ac"),
    "memory": (("buffer_", "global_", "flat_", "scratch_"), "#b2182b"),
    "vector": (("v_",), "#7fbf7b"),
    "scalar and others": (("s_",), "#969696"),
}
WAITS = {"matrix_pipe": "#d9f0d3", "vmcnt": "#f4a582", "lgkmcnt": "#92c5de",
         "barrier": "#ffe9a8", "lds_queue": "#d1e5f0", "memory_queue": "#fddbc7"}
OTHER_WAITS = "#eeeeee"


def define_flags() -> None:
  flags.DEFINE_enum("arch", "gfx950", ["gfx942", "gfx950"], "Architecture.")
  flags.DEFINE_string("kernel", "gemm_bfloat16_bfloat16_256x256x64_rrr", "Kernel of this build.")
  flags.DEFINE_string("trace", None, "Trace to write.")


def kind_of(instruction: str) -> str:
  return next(kind for kind, (starts, _) in KINDS.items() if instruction.startswith(starts))


def window(clock) -> tuple[int, int]:
  """The cycles of ITERATIONS iterations in the middle of the first wave's loop."""
  ends = [event.issued for event in clock.waves[0].timeline
          if event.offset == clock.loop.last_offset]
  first = max(0, (len(ends) - ITERATIONS) // 2 - 1)
  return ends[first], ends[min(first + ITERATIONS, len(ends) - 1)]


def bars(clock, wave) -> dict[str, list[tuple[int, int]]]:
  """Pairs (begin, cycles) of a wave, by kind of instruction and by wait."""
  found: dict[str, list[tuple[int, int]]] = {}
  before = wave.start
  for event in wave.timeline:
    if event.waited != "issue" and event.issued > before:
      name = f"wait: {event.waited if event.waited in WAITS else 'others'}"
      found.setdefault(name, []).append((before, event.issued - before))
    found.setdefault(kind_of(clock.code[event.offset]), []).append((event.issued, 4))
    before = event.issued + 4
  return found


def draw(clock, path: str | pathlib.Path) -> None:
  """Writes the picture of a clock with a timeline and a main loop."""
  pyplot = plots.pyplot()
  begin, end = window(clock)
  colours = {kind: colour for kind, (_, colour) in KINDS.items()}
  colours |= {f"wait: {name}": colour for name, colour in WAITS.items()}
  colours["wait: others"] = OTHER_WAITS
  waves = sorted(clock.waves, key=lambda wave: (wave.simd, wave.workgroup, wave.wave))
  figure, axes = pyplot.subplots(figsize=(16, 1.5 + 0.45 * len(waves)))
  for row, wave in enumerate(waves):
    for name, pairs in bars(clock, wave).items():
      seen = [pair for pair in pairs if pair[0] + pair[1] > begin and pair[0] < end]
      axes.broken_barh(seen, (row - 0.4, 0.8), facecolors=colours[name])
  axes.set_xlim(begin, end)
  axes.set_ylim(len(waves) - 0.5, -0.5)
  axes.set_yticks(range(len(waves)), [f"SIMD {w.simd}, wave {w.wave}" for w in waves])
  axes.set_xlabel("cycles (predicted)")
  axes.set_title(f"{clock.kernel}, {clock.arch}: {clock.loop.cycles:.0f} cycles an iteration, "
                 f"matrix pipes {clock.loop.matrix_share:.0%} (predicted, not measured)")
  patches = [pyplot.Rectangle((0, 0), 1, 1, color=colour) for colour in colours.values()]
  axes.legend(patches, list(colours), ncol=6, loc="upper center", fontsize="small",
              bbox_to_anchor=(0.5, -0.16))
  figure.savefig(path, dpi=110, bbox_inches="tight")
  pyplot.close(figure)


def main(_) -> int:
  if not (FLAGS.png or FLAGS.trace):
    raise app.UsageError("Give --png=FILE, --trace=FILE or both.")
  progress.doing("Emulating one tile")
  times = tile_times.of_kernel(FLAGS.arch, FLAGS.kernel, timeline=True).clock
  if FLAGS.png:
    draw(times, FLAGS.png)
  if FLAGS.trace:
    clocks.write_trace(times, FLAGS.trace)
  waits = times.waits()
  total = sum(waits.values())
  assert times.loop is not None  # tile_times refuses kernels without one
  print(f"{times.kernel}, {times.arch}, predicted: {times.loop.cycles:.0f} cycles an iteration, "
        f"matrix pipes {times.loop.matrix_share:.1%} in the main loop")
  print("waves: " + ", ".join(f"{name} {cycles / total:.1%}" for name, cycles in waits.items()
                              if cycles))
  return 0
