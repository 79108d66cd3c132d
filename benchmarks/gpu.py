"""All that is measured on a GPU, and reports on earlier runs.

    python -m benchmarks gpu --json=gpu.json --markdown=gpu.md
    python -m benchmarks gpu --results=dense.json,grouped.json --markdown=gpu.md

Each section is a suite, which runs in a process of its own; its rows are added to the file. The
second command measures nothing: it puts the results of earlier runs into one report. torch and
tokamax are measured if they are installed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from absl import app, flags

from benchmarks import run, watch

SECTIONS = ("dense", "stream_k", "grouped", "cu_sweep", "scaled", "chunked")
FLAGS = flags.FLAGS


def define_flags() -> None:
  flags.DEFINE_list("sections", list(SECTIONS), "Suites to run.")


def main(argv: list[str]) -> int:
  """Runs the sections; argv has the flags that the user gave."""
  sections = run.choose("sections", FLAGS.sections, SECTIONS)
  if FLAGS.results or FLAGS.list:
    return run.main(sys.modules[__name__], "gpu")
  if not watch.has_gpu():
    raise app.UsageError("There is no GPU, and this suite reads the times of a GPU's kernels. On "
                         "the CPU there is python -m benchmarks dense, and --results reports on "
                         "earlier runs.")
  own = ("--sections", "--json", "--resume", "--noresume", "--markdown", "--csv", "--png",
         "--compare")
  given = [each for each in argv if not each.startswith(own)]
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(FLAGS.json or os.path.join(folder, "rows.json"))
    if not FLAGS.resume:
      path.unlink(missing_ok=True)
    for section in sections:
      subprocess.run([sys.executable, *watch.virtual_gpus(), "-m", "benchmarks", section, *given,
                      f"--json={path}", "--resume"], check=False)
    FLAGS.results, FLAGS.resume = [str(path)], False
    return run.main(sys.modules[__name__], "gpu")
