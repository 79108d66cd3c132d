"""The plan's model of AMD GPUs beside the emulator's clock: how the two rank candidates.

    python -m benchmarks.model.amdgpu --arch=gfx942,gfx950 --markdown=amd-model.md

amdgpu_rows.py says what is compared.
"""

import pathlib

from absl import app, flags

from benchmarks import pipes, progress
from benchmarks.model.amdgpu_rows import PROBLEMS, markdown, row

FLAGS = flags.FLAGS
flags.DEFINE_list("arch", list(pipes.DEVICES), "Architectures.")
flags.DEFINE_integer("most", 24, "Candidates of each product, the best by the plan.", lower_bound=2)
flags.DEFINE_string("markdown", None, "File to write the table to.")


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  rows = []
  for arch in FLAGS.arch:
    for problem in PROBLEMS:
      progress.doing(f"{arch}, {' x '.join(map(str, problem))}")
      rows.append(row(arch, problem, FLAGS.most))
  text = markdown(rows)
  print(text)
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(text)
  return 0


if __name__ == "__main__":
  app.run(main)
