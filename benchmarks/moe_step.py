"""Times a training step of a mixture of experts with two grouped products.

    python -m benchmarks train_step --json=moe.json --markdown=moe.md
    python -m benchmarks train_step --cases=64 --tokens=4096 --rounds=15

Forward, backward and the update by optax.adamw of a Flax layer (jaxgemm.flax.nnx.MoE)
by jaxgemm's grouped products and by jax.lax.ragged_dot, turn by turn in one process:
device time on a GPU, wall-clock time on the CPU. Loss and gradients are compared.
"""

import dataclasses
import os

from absl import app, flags

from benchmarks import cpus, progress, run, shapes

_CASES = shapes.load()["moe_step"]

FLAGS = flags.FLAGS
flags.DEFINE_enum(
    "size", None, list(_CASES),
    "Sizes of shapes.json. Default: gpu on a GPU, cpu elsewhere.")
flags.DEFINE_list("cases", ["8", "64"], "Numbers of experts, from shapes.json.")
flags.DEFINE_integer("tokens", None, "Tokens of a step. Default: from shapes.json.")


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  run.refuse("problems")
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  # jax.lax.ragged_dot needs much of the GPU's memory for its masks.
  os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.92")
  progress.doing("Starting jax")
  # jax must be imported after CPUs and memory are chosen.
  import jax

  from benchmarks import moe_rows, moe_table, report
  from jaxgemm.emulator import rocm

  # A virtual GPU has no time of its own.
  on_gpu = jax.default_backend() == "gpu" and not rocm.is_started()
  cases = {str(case["num_experts"]): moe_rows.Problem(**case)
           for case in _CASES[FLAGS.size or ("gpu" if on_gpu else "cpu")]}
  if unknown := set(FLAGS.cases) - set(cases):
    raise app.UsageError(
        f"Unknown --cases {', '.join(sorted(unknown))}; there are {', '.join(cases)}.")
  about = report.machine() | report.device() | {
      "clock": "device" if on_gpu else "wall"}
  rows = run.Rows(lambda _: {"machine": about})
  print(moe_table.HEADER, end="", flush=True)
  for number, name in enumerate(FLAGS.cases, 1):
    problem = cases[name]
    if FLAGS.tokens:
      problem = dataclasses.replace(problem, tokens=FLAGS.tokens)
    if rows.has(problem.label):
      continue
    progress.doing(f"{number} of {len(FLAGS.cases)}: {problem.label}")
    profile = FLAGS.profile and os.path.join(FLAGS.profile, f"moe-{name}")
    rows.add(problem.label, [moe_rows.measure(
        problem, rounds=FLAGS.repeat or 9, seed=FLAGS.seed, profile=profile,
        warmup=FLAGS.warmup)])
    print("\n".join(moe_table.lines(rows.rows[-1])), flush=True)
  return rows.finish(moe_rows.wrong(rows.rows), moe_rows.failed(rows.rows),
                     moe_table.markdown(rows.rows, about))
