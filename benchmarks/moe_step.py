"""Times a training step of a mixture of experts by two implementations of ragged_dot.

    python -m benchmarks train_step --json=moe.json --markdown=moe.md
    python -m benchmarks train_step --cases=64 --tokens=4096 --rounds=15

A step is forward, backward and the update by optax.adamw of a Flax layer (jaxgemm.flax.nnx.MoE).
jaxgemm's grouped products and jax.lax.ragged_dot take turns in one process. Times are seconds: on
the device of a GPU, of the wall clock on the CPU. Loss and gradients are compared.
"""

import os

from absl import flags

from benchmarks import moe_cases, progress, run

FLAGS = flags.FLAGS


@progress.shown()
def main(argv) -> int:
  problems = moe_cases.start(argv)
  from benchmarks import moe_rows, moe_table

  about = moe_cases.about()
  rows = run.Rows(lambda _: {"machine": about})
  print(moe_table.HEADER, end="", flush=True)
  for number, problem in enumerate(problems, 1):
    if rows.has(problem.label):
      continue
    progress.doing(f"{number} of {len(problems)}: {problem.label}")
    profile = FLAGS.profile and os.path.join(FLAGS.profile, f"moe-{problem.num_experts}")
    rows.add(problem.label, [moe_rows.measure(
        problem, rounds=run.repeat(), seed=FLAGS.seed, profile=profile, warmup=run.warmup())])
    print("\n".join(moe_table.lines(rows.rows[-1])), flush=True)
  return rows.finish(moe_rows.wrong(rows.rows), moe_rows.failed(rows.rows),
                     moe_table.markdown(rows.rows, about))
