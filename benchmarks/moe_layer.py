"""Times a layer of experts, forward and with its gradients, with two grouped products.

    python -m benchmarks moe_layer --json=layer.json --png=layer.png
    python -m benchmarks moe_layer --cases=64 --tokens=4096 --work=forward

The layer is jaxgemm.flax.nnx.MoE by jaxgemm's grouped products and by jax.lax.ragged_dot,
turn by turn in one process: device time on a GPU, wall-clock time on the CPU. Results and
gradients are compared with those of the layer in float32 at the highest precision.
"""

import dataclasses
import os

from absl import app, flags

from benchmarks import cpus, progress, run, shapes

_CASES = shapes.load()["moe_step"]
WORK = ("forward", "gradients")

FLAGS = flags.FLAGS
flags.DEFINE_enum(
    "size", None, list(_CASES),
    "Sizes of shapes.json. Default: gpu on a GPU, cpu elsewhere.")
flags.DEFINE_list("cases", ["8", "64"], "Numbers of experts, from shapes.json.")
flags.DEFINE_integer("tokens", None, "Tokens of a call. Default: from shapes.json.")
flags.DEFINE_list("work", list(WORK), "Some of forward, gradients.")


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  run.refuse("problems")
  if unknown := set(FLAGS.work) - set(WORK):
    raise app.UsageError(f"Unknown --work {', '.join(unknown)}; there are {', '.join(WORK)}.")
  if FLAGS.threads:
    cpus.pin(FLAGS.threads)
  # jax.lax.ragged_dot needs much of the GPU's memory for its masks.
  os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.92")
  progress.doing("Starting jax")
  # jax must be imported after CPUs and memory are chosen.
  import jax

  from benchmarks import moe_layer_rows, moe_rows, report
  from jaxgemm.emulator import rocm

  on_gpu = jax.default_backend() == "gpu" and not rocm.is_started()
  cases = {str(case["num_experts"]): moe_rows.Problem(**case)
           for case in _CASES[FLAGS.size or ("gpu" if on_gpu else "cpu")]}
  if unknown := set(FLAGS.cases) - set(cases):
    raise app.UsageError(
        f"Unknown --cases {', '.join(sorted(unknown))}; there are {', '.join(cases)}.")
  about = report.machine() | report.device() | {"clock": "device" if on_gpu else "wall"}
  rows = run.Rows(lambda _: {"machine": about})
  for name in FLAGS.cases:
    problem = cases[name]
    if FLAGS.tokens:
      problem = dataclasses.replace(problem, tokens=FLAGS.tokens)
    for work in FLAGS.work:
      job = f"{problem.label}, {work}"
      if rows.has(job):
        continue
      progress.doing(job)
      profile = FLAGS.profile and os.path.join(FLAGS.profile, f"moe-layer-{name}-{work}")
      rows.add(job, [moe_layer_rows.measure(
          problem, work, rounds=FLAGS.repeat or 9, seed=FLAGS.seed, profile=profile,
          warmup=FLAGS.warmup)])
      print("\n".join(moe_layer_rows.lines(rows.rows[-1])), flush=True)
  return rows.finish(moe_layer_rows.wrong(rows.rows), moe_rows.failed(rows.rows))


if __name__ == "__main__":
  app.run(main)
