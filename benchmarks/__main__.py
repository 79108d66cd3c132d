"""Runs a suite of benchmarks, on the CPU or on a GPU.

    python -m benchmarks dense --cases=acceptance --threads=1 --json=dense.json
    python -m benchmarks grouped --problems=mine.yaml --csv=grouped.csv
    python -m benchmarks stream_k --json=new.json --compare=old.json
    python -m benchmarks grouped --help   # shows the flags of a suite

Each suite times jaxgemm beside XLA or another peer, in seconds, and checks the results. On a
machine with a GPU it measures the GPU, unless JAX_PLATFORMS=cpu; most suites then read the time
on the device instead of the wall clock. Without the name of a suite, `dense` measures the CPU.
"""

from collections.abc import Sequence
import importlib
import os
import sys
from typing import NamedTuple

from absl import app, flags, logging

from benchmarks import cases, progress, run, watch

FLAGS = flags.FLAGS


class Suite(NamedTuple):
  """A suite: its module, and its flags on the CPU and on a GPU; the user's flags come after these.

  `env` is set before jax is imported, unless the user has set it. A suite that is not watched
  measures nothing that could end its process.
  """

  module: str
  cpu: Sequence[str] = ()
  gpu: Sequence[str] = ()
  env: dict[str, str] = {}
  is_watched: bool = True


# Experts of Mixtral, DeepSeek-V2-Lite, gpt-oss and Qwen3.
_LAYERS = ",".join(cases.load()["grouped_calls"])
_DENSE = ["--dtypes=bfloat16", "--implementation=jaxgemm", "--most_seconds=600"]
_DRAWN = ["--kinds=plain", "--layers=0.5", "--odd=0.4", "--layouts=rr,rc,cr,cc"]
# jax.lax.ragged_dot needs much of the GPU's memory for its masks.
_EXPERTS = {"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.92"}
# The processes that tune need the GPU's memory, too.
_TUNED = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
SUITES = {
    "dense": Suite("dense", ["--threads=1", "--min_seconds=1"], ["--cases=dense", *_DENSE]),
    "stream_k": Suite(
        "dense", ["--threads=1", "--min_seconds=1", "--cases=stream_k",
                  "--schedule=persistent,stream_k", "--reduction=linear,atomic"],
        ["--cases=stream_k_gpu", "--schedule=stream_k,persistent", "--reduction=linear",
         "--runs=100", *_DENSE]),
    "random": Suite(
        "random_products", ["--threads=1", "--kinds=plain,f32", "--num_products=200", "--least=1",
                            "--most=4096", "--most_flops=1e9", "--multiple=1", "--batches=0.25",
                            "--vectors=0.125", "--layouts=rr,rc,cr,cc", "--repeat=7",
                            "--min_seconds=0.3"], ["--repeat=5", "--warmup=0"]),
    "grouped": Suite(
        "grouped", ["--cases=4096x2048x1024.g8,4096x2048x1024.g32", "--dtypes=float32,bfloat16",
                    "--work=forward,forward+backward", "--xla=balanced", "--min_seconds=2"],
        ["--xla_most_groups=4", "--most_seconds=600"]),
    "grouped_calls": Suite("grouped", *[[f"--cases={_LAYERS}", "--repeat=5", "--warmup=0"]] * 2),
    "scaled": Suite("scaled", [], ["--most_seconds=80"]),
    "chunked": Suite("chunked", [], ["--cases=8192x8192x8192", "--chunks=8,16,32"]),
    "collective": Suite("collective", ["--cases=512x512x512"]),
    # The rates that large products and copies have reached on an H200.
    "moe_layer": Suite("moe", [], ["--peak_tflops=790", "--peak_gbs=4300"]),
    "moe_devices": Suite("moe_devices"),
    "train_step": Suite("moe", ["--work=step"], ["--work=step"], _EXPERTS),
    "tuned": Suite("random_products", ["--num_products=4", "--most=512", "--tune_workers=0",
                                       *_DRAWN], ["--num_products=30", *_DRAWN], _TUNED),
    "cu_sweep": Suite("steal", ["--min_seconds=1"], ["--cases=8192x8192x8192", "--dtype=bfloat16"]),
    "gpu": Suite("gpu", is_watched=False),
    "measure": Suite("model.measure", *[["--repeat=5", "--warmup=0", "--most_seconds=240"]] * 2,
                     {"JAXGEMM_TUNING": "off"}),
    "fit": Suite("model.fit", is_watched=False),
    "resources": Suite("amd.resources", is_watched=False),
    "timeline": Suite("amd.tile_times", is_watched=False),
    "predicted": Suite("amd.predicted", is_watched=False),
    "yardstick": Suite("amd.yardstick", is_watched=False),
    "amd_plan": Suite("amd.plan", is_watched=False),
    "amd_experts": Suite("amd.experts", is_watched=False),
    "front_chart": Suite("front_chart", is_watched=False)}
_defined: list[str] = []


def load(name: str):
  """The module of a suite, whose flags are defined in place of those of another one."""
  if name not in SUITES:
    raise SystemExit(f"No suite is named {name!r}; there are {', '.join(SUITES)}.")
  module = importlib.import_module(f"benchmarks.{SUITES[name].module}")
  for each in _defined:
    delattr(FLAGS, each)
  before = set(FLAGS)
  module.define_flags()
  _defined[:] = set(FLAGS) - before
  return module


def flags_of(name: str) -> list[str]:
  """The flags of a suite that come before the user's."""
  return list(SUITES[name].gpu if watch.has_gpu() else SUITES[name].cpu)


def start(name: str, given: Sequence[str]) -> int:
  """Parses the flags of a suite and runs it."""
  module = load(name)
  rest = FLAGS([name, *flags_of(name), *given])[1:]
  if rest:
    raise app.UsageError(f"Unexpected arguments: {rest}")
  with progress.shown():
    return module.main(list(given)) if hasattr(module, "main") else run.main(module, name)


def main() -> None:
  given = sys.argv[1:]
  name = "dense"
  if given and not given[0].startswith("-"):
    name = given.pop(0)
  else:
    os.environ["JAX_PLATFORMS"] = "cpu"
  if name not in SUITES:
    raise SystemExit(f"No suite is named {name!r}; there are {', '.join(SUITES)}.")
  run.define_flags()
  if any(each.startswith("--help") for each in given):
    print(__doc__, load(name).__doc__, sep="\n")
    print(f"The suites are {', '.join(SUITES)}.\n")
    print("\n\n".join(FLAGS.module_help(each) for each in FLAGS.flags_by_module_dict()
                      if each.startswith("benchmarks.")))
    return
  logging.set_verbosity(logging.WARNING)  # no warning that there is no TPU
  FLAGS([name, *flags_of(name), *given], known_only=True)
  try:
    if SUITES[name].is_watched and FLAGS.watch and not (FLAGS.list or FLAGS.results):
      sys.exit(watch.main(sys.argv[1:]))
    for variable, value in SUITES[name].env.items():
      os.environ.setdefault(variable, value)
    run.prepare()
    sys.exit(start(name, given))
  except (app.UsageError, flags.Error) as error:
    sys.exit(f"FATAL: {error}\nPass --help to see the flags.")


if __name__ == "__main__":
  main()
