"""Runs a suite of benchmarks, on the CPU or on a GPU.

    python -m benchmarks dense --cases=acceptance --threads=1 --json=dense.json
    python -m benchmarks grouped --problems=mine.yaml --csv=grouped.csv
    python -m benchmarks stream_k --json=new.json --compare=old.json
    python -m benchmarks grouped --help   # shows the flags of a suite

Each suite times jaxgemm beside XLA or another peer, in seconds, and checks the results. On a
machine with a GPU it measures the GPU, unless JAX_PLATFORMS=cpu; most suites then read the time
on the device instead of the wall clock. Without the name of a suite, `dense` measures the CPU.
The suites are dense, stream_k, stream_k_parity, grouped, chunked, collective, moe_layer,
train_step, scaled, tuned, cu_sweep, and gpu, which has all sections for a GPU.
"""

import glob
import importlib
import os
import sys

from absl import app, flags

from benchmarks import watch

# For each suite: its module and flags on the CPU, then those on a GPU. The user's flags come after
# these.
SUITES = {
    "dense": ("dense_cpu", [], "gpu", ["--sections=dense"]),
    "stream_k": ("dense_cpu", ["--cases=stream_k", "--schedule=persistent,stream_k",
                               "--reduction=linear,atomic"], "gpu", ["--sections=stream_k"]),
    "stream_k_parity": ("stream_k_parity", ["--shape=128x128x2048"], "stream_k_parity", []),
    "grouped": ("grouped", [], "gpu", ["--sections=grouped"]),
    "chunked": ("chunked_cpu", [], "gpu", ["--sections=chunked"]),
    "collective": ("collective", ["--m=512", "--k=512", "--n=512"], "collective", []),
    "moe_layer": ("moe_layer", [], "moe_layer", []),
    "train_step": ("moe_step", [], "moe_step", []),
    "scaled": ("scaled", [], "scaled", []),
    "tuned": ("tuned", ["--num_problems=4", "--largest=512", "--tune_workers=0"], "tuned", []),
    "cu_sweep": ("cu_sweep", [], "gpu", ["--sections=steal,cu_sweep"]),
    "gpu": ("gpu", [], "gpu", []),  # all sections
}


def has_gpu() -> bool:
  """Whether a suite runs on a GPU. It does not import jax, because CPUs are chosen before that."""
  platforms = os.environ.get("JAX_PLATFORMS", "")
  if platforms:
    return platforms.split(",")[0] in ("cuda", "rocm", "gpu")
  return bool(watch.virtual_gpus() or glob.glob("/dev/nvidia[0-9]*") or glob.glob("/dev/kfd"))


def main() -> None:
  given = sys.argv[1:]
  name = given.pop(0) if given and not given[0].startswith("-") else None
  if name not in (*SUITES, None):
    raise SystemExit(f"No suite is named {name!r}; there are {', '.join(SUITES)}.")
  module, defaults, on_gpu, gpu_defaults = SUITES[name or "dense"]
  if name and has_gpu():
    module, defaults = on_gpu, gpu_defaults
  suite = importlib.import_module(f"benchmarks.{module}")
  if "--help" in given:
    print(__doc__, suite.__doc__, sep="\n")
    print("\n\n".join(flags.FLAGS.module_help(each) for each in flags.FLAGS.flags_by_module_dict()
                      if each.startswith("benchmarks.")))
    return

  def run_it(argv):
    return watch.main(sys.argv[1:]) if flags.FLAGS.watch else suite.main(argv)

  app.run(run_it, [sys.argv[0], *defaults, *given])


if __name__ == "__main__":
  main()
