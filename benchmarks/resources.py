r"""Reports the resources of the AMD kernels and the cycles of their main loops, beside Triton's.

    python -m benchmarks.resources --arch=gfx942,gfx950 --kernels='bfloat16.*256x256' \
        --triton --json=resources.json --markdown=resources.md

No GPU is used, and no time is measured. Registers, LDS, spills and scratch are those of the code
objects; cycles of a compute unit are counted from what the emulator executed (see pipes.py).
"""

import datetime
import importlib.metadata
import importlib.util
import json
import pathlib
import re
import shlex
import sys

from absl import app, flags

from benchmarks import pipes, progress, resource_table

FLAGS = flags.FLAGS
flags.DEFINE_list("arch", list(pipes.COMPARED), "Architectures to report on.")
flags.DEFINE_string("kernels", "", "Regular expression that kernel names must match.")
flags.DEFINE_bool("triton", False, "Also report on Triton's persistent matmul.")
flags.DEFINE_string("json", None, "File to write the rows to.")
flags.DEFINE_string("markdown", None, "File to write the tables to.")


def provenance() -> dict[str, str | None]:
  """The versions and command, for the readers of a report."""
  def version(package):
    found = importlib.util.find_spec(package) is not None
    return importlib.metadata.version(package) if found else None

  return {
      "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
      "jaxgemm": version("jaxgemm"),
      "ziglang": version("ziglang"),
      "triton": version("triton"),
      "command": shlex.join(["python", "-m", "benchmarks.resources", *sys.argv[1:]]),
  }


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  if unknown := set(FLAGS.arch) - set(pipes.DEVICES):
    raise app.UsageError(
        f"Unknown --arch {', '.join(sorted(unknown))}; there are "
        f"{', '.join(pipes.DEVICES)}."
    )
  if FLAGS.triton and importlib.util.find_spec("triton") is None:
    raise app.UsageError(
        "--triton needs PyPI's triton, and it is not installed. Run "
        "pip install triton, or leave --triton out."
    )
  progress.doing("Starting jax")
  from benchmarks import resource_rows  # imports jax

  rows = []
  for arch in FLAGS.arch:
    names = [name for name in resource_rows.kernel_names(arch)
             if re.search(FLAGS.kernels, name)]
    for number, name in enumerate(names, 1):
      progress.doing(f"{arch}, {number} of {len(names)}: {name}")
      rows.append(resource_rows.of_kernel(arch, name))
    if FLAGS.triton:
      progress.doing(f"{arch}: Triton's kernels")
      rows += resource_rows.of_triton(arch)
  if not rows:
    raise app.UsageError(
        f"No kernel of {', '.join(FLAGS.arch)} matches --kernels={FLAGS.kernels!r}. "
        "JAXGEMM_GPU_KERNELS says which ones a build has."
    )
  about = provenance()
  text = resource_table.markdown(rows, about)
  print(text)
  if FLAGS.markdown:
    pathlib.Path(FLAGS.markdown).write_text(text)
  if FLAGS.json:
    pathlib.Path(FLAGS.json).write_text(json.dumps(
        {"about": about, "rows": rows, "acceptance": resource_table.gates(rows)},
        indent=1,
    ))
  return 0


if __name__ == "__main__":
  app.run(main)
