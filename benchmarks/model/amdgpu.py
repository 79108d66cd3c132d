"""Compares how the plan's model of AMD GPUs and the emulator's clock rank candidates.

    python -m benchmarks.model.amdgpu --arch=gfx942,gfx950 --markdown=amd-model.md
    python -m benchmarks.model.amdgpu --arch=gfx942 --layers --tuning=mi300x.json

The second command writes what the clock prefers as predicted entries of a tuning file; those of
jaxgemm/tune/shipped were made by it, with --most=16.

amdgpu_rows.py says what is compared. Times are microseconds, and all are predictions: no GPU is
used.
"""

import pathlib

from absl import app, flags

from benchmarks import pipes, progress, shapes
from benchmarks.model.amdgpu_rows import PROBLEMS, entries, markdown, row
from jaxgemm.tune import database

FLAGS = flags.FLAGS


def define_flags():
  """Defines this program's flags, only when it is run: names may be those of another's."""
  flags.DEFINE_list("arch", list(pipes.COMPARED), "Architectures.")
  flags.DEFINE_integer("most", 24, "Candidates of each product, the best by the plan.",
                       lower_bound=2)
  flags.DEFINE_string("markdown", None, "File to write the table to.")
  flags.DEFINE_bool("layers", False, "Also the layers of models of shapes.json.")
  flags.DEFINE_string("tuning", None, "Tuning file to add the predicted choices to.")


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  problems = list(PROBLEMS)
  if FLAGS.layers:
    layers = shapes.load()["layers"]
    problems += [(tokens, n, k) for tokens in layers["tokens"]
                 for name, sizes in layers.items() if name != "tokens" for n, k in sizes]
  rows = []
  for arch in FLAGS.arch:
    for problem in dict.fromkeys(problems):
      progress.doing(f"{arch}, {' x '.join(map(str, problem))}")
      rows.append(row(arch, problem, FLAGS.most))
      if FLAGS.tuning:
        database.merge(pathlib.Path(FLAGS.tuning), entries(rows[-1:]))
  text = markdown(rows)
  print(text)
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(text)
  return 0


if __name__ == "__main__":
  define_flags()
  app.run(main)
