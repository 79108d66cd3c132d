"""Times a layer of experts, forward and with gradients, by two implementations of ragged_dot.

    python -m benchmarks moe_layer --json=layer.json --png=layer.png
    python -m benchmarks moe_layer --cases=64 --tokens=4096 --work=forward

The layer is jaxgemm.flax.nnx.MoE. jaxgemm's grouped products and jax.lax.ragged_dot take turns in
one process. Times are seconds: on the device of a GPU, of the wall clock on the CPU. Results and
gradients are compared with those of the layer in float32 at the highest precision. With
--recipes=rowwise,tensorwise the layer is timed in float8, too, quantising included.
"""

import os

from absl import app, flags

from benchmarks import moe_cases, progress, run

WORK = ("forward", "gradients")

FLAGS = flags.FLAGS
flags.DEFINE_list("work", list(WORK), "Some of forward, gradients.")
flags.DEFINE_list("recipes", [], "Recipes of jaxgemm.fp8, timed beside bfloat16.")


@progress.shown()
def main(argv) -> int:
  if unknown := set(FLAGS.work) - set(WORK):
    raise app.UsageError(f"Unknown --work {', '.join(unknown)}; there are {', '.join(WORK)}.")
  problems = moe_cases.start(argv)
  from benchmarks import moe_layer_rows, moe_rows
  from jaxgemm.fp8.recipes import RECIPES

  if unknown := set(FLAGS.recipes) - set(RECIPES):
    raise app.UsageError(f"Unknown --recipes {', '.join(unknown)}; there are {', '.join(RECIPES)}.")

  about = moe_cases.about()
  rows = run.Rows(lambda _: {"machine": about})
  for problem in problems:
    for work in FLAGS.work:
      job = f"{problem.label}, {work}"
      if rows.has(job):
        continue
      progress.doing(job)
      profile = FLAGS.profile and os.path.join(
          FLAGS.profile, f"moe-layer-{problem.num_experts}-{work}")
      rows.add(job, [moe_layer_rows.measure(
          problem, work, rounds=run.repeat(), seed=FLAGS.seed, profile=profile,
          warmup=run.warmup(), recipes=FLAGS.recipes)])
      print("\n".join(moe_layer_rows.lines(rows.rows[-1])), flush=True)
  return rows.finish(moe_layer_rows.wrong(rows.rows), moe_rows.failed(rows.rows))


if __name__ == "__main__":
  app.run(main)
