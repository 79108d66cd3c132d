"""Times jaxgemm on one NVIDIA GPU beside XLA, torch and tokamax.

    python -m benchmarks gpu --json=gpu.json --markdown=gpu.md
    python -m benchmarks dense --cases=4096x4096x4096 --rounds=31
    python -m benchmarks gpu --results=dense.json,grouped.json --markdown=gpu.md

The last command measures nothing: it puts the results of earlier runs into one report.
torch and tokamax are measured if they are installed. Times are those in which the device ran a
call's kernels, memsets and copies, by jax's profiler: seconds in JSON, microseconds and TFLOP/s in
the report.
"""

import functools
import json
import os
import pathlib
import time

from absl import app, flags

from benchmarks import progress, run, shapes

_SECTIONS = ("dense", "stream_k", "grouped", "steal", "cu_sweep", "fp8", "chunked", "ahead")
_GPU = shapes.load()["gpu"]

FLAGS = flags.FLAGS
flags.DEFINE_list("sections", list(_SECTIONS), "Sections to measure.")
flags.DEFINE_list(
    "cases", ["dense"], "Cases of the dense section, named as in the suite dense on a CPU.")
flags.DEFINE_list("grouped", _GPU["grouped"], "Grouped problems; --list prints all.")
flags.DEFINE_list(
    "work", None, "Grouped products: forward, dgrad, wgrad. Default: all three.")
flags.DEFINE_list(
    "routings", list(shapes.load()["routing"]), "Routings of the grouped products.")
flags.DEFINE_integer(
    "xla_most_groups", 4, "Largest number of groups with jax.lax.ragged_dot: it "
    "multiplies every row with every group.", lower_bound=0)
flags.DEFINE_float(
    "sample_ms", 1, "Approximate length of a sample. It has at most 64 calls, and all samples of a "
    "candidate have at most 1000. A GPU that is busy for long draws more power and may lower its "
    "clock; short samples let it rest.")
flags.DEFINE_integer(
    "runs", 100, "Runs of stream-K that must give the same bits.", lower_bound=2)
flags.DEFINE_float(
    "most_seconds", 600, "Rows that would start after this time are left out.")
flags.DEFINE_string(
    "commit", None, "Commit of the sources, if they are not a git checkout.")
flags.DEFINE_list("results", None, "JSON files to report on, without measuring.")
flags.DEFINE_bool("list", False, "Print the grouped problems and exit.")


def describe() -> dict:
  """The device, driver, versions and command of a run."""
  import importlib.metadata

  from benchmarks import report

  def version(name):
    try:
      return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
      return None

  return report.machine() | report.device() | {
      "torch": version("torch"), "tokamax": version("tokamax"),
      "commit": FLAGS.commit or report.said("git", "rev-parse", "--short", "HEAD"),
      "xla_flags": os.environ.get("XLA_FLAGS"), "rounds": run.repeat(),
      "sample_ms": FLAGS.sample_ms,
  }


def _mnk(problem: dict) -> str:
  """The name of a problem of --problems."""
  groups = f".g{problem['groups']}" if "groups" in problem else ""
  return "{m}x{n}x{k}".format(**problem) + groups


def jobs():
  """Yields (section, case, function that returns rows) in the sections' order."""
  from benchmarks import gpu_ahead, gpu_chunked, gpu_grouped, gpu_rows, gpu_steal

  options = gpu_rows.Options(
      run.repeat(), FLAGS.seed, FLAGS.sample_ms * 1e-3, FLAGS.profile,
      run.warmup())
  case = lambda mnk: shapes.Case("gpu", *mnk)

  def cases(usual):
    """The products of --problems, else the usual ones."""
    given = run.problems(["bfloat16"])
    return map(case, usual if given is None else [(p["m"], p["n"], p["k"]) for p in given])

  ours = {gpu_rows.OURS: {}}
  one = lambda function, *args, **kwargs: lambda: [function(*args, **kwargs)]
  for section in FLAGS.sections:
    if section == "dense":
      given = run.problems(["bfloat16"])
      for name in FLAGS.cases if given is None else map(_mnk, given):
        for each in shapes.cases(name):
          yield section, each.label, one(
              gpu_rows.dense, section, each, ours, options)
    elif section == "stream_k":
      variants = {
          gpu_rows.OURS: {"schedule": "stream_k", "reduction": "linear"},
          gpu_rows.OURS + " persistent": {"schedule": "persistent"}}
      for each in cases(_GPU["stream_k"]):
        yield section, each.label, one(
            gpu_rows.dense, section, each, variants, options,
            same_bits=gpu_rows.OURS, runs=FLAGS.runs)
    elif section == "grouped":
      works = FLAGS.work or gpu_grouped.WORK
      given = run.problems(["bfloat16"], grouped=True)
      for name in FLAGS.grouped if given is None else map(_mnk, given):
        yield section, name, functools.partial(
            gpu_grouped.measure, name, works, FLAGS.routings, options,
            xla_most_groups=FLAGS.xla_most_groups)
    elif section == "steal":
      for each in cases([_GPU["steal"]]):
        yield section, each.label, one(gpu_steal.measure, each, options)
    elif section == "cu_sweep":
      for each in cases([_GPU["steal"]]):
        yield section, each.label, functools.partial(gpu_steal.sweep, each, options)
    elif section == "fp8":
      yield section, case(_GPU["fp8"]).label, one(
          gpu_rows.fp8, case(_GPU["fp8"]), options)
    elif section == "chunked":
      for each in cases([_GPU["chunked"]]):
        for num_chunks in _GPU["chunks"]:
          yield section, f"{each.label}, {num_chunks} chunks", one(
              gpu_chunked.measure, each, num_chunks, options)
    else:
      each = case(shapes.load()["bench_8k"][0])
      yield section, each.label, one(gpu_ahead.measure, each, options)


def measure(about: dict, rows: run.Rows) -> None:
  """Measures all rows. A row that fails says why, and the others follow."""
  from benchmarks import gpu_table

  begin = time.monotonic()
  about["seconds"] = 0.0
  print(gpu_table.HEADER, end="", flush=True)
  planned = list(jobs())
  for number, (section, case, measured_by) in enumerate(planned, 1):
    job = f"{section} {case}"
    if rows.has(job):
      continue
    progress.doing(f"{number} of {len(planned)}: {section} {case}")
    empty = {"section": section, "case": case, "candidates": {}}
    start = time.monotonic()
    if start - begin > FLAGS.most_seconds:
      measured = [empty | {"missing": {"left out": "--most_seconds have passed"}}]
    else:
      try:
        measured = measured_by()
      except Exception as error:  # pylint: disable=broad-exception-caught
        why = f"{type(error).__name__}: {error}"[:2000]
        measured = [empty | {"missing": {"row": why}}]
    for row in measured:
      row["job_seconds"] = time.monotonic() - start
    about["seconds"] = time.monotonic() - begin
    rows.add(job, measured)
    for row in rows.rows[len(rows.rows) - len(measured):]:
      print("\n".join(gpu_table.lines(row)), flush=True)


@progress.shown()
def main(argv) -> int:
  progress.begin(argv)
  # These are set before jax is imported. jax takes its memory at once, and must leave a part to
  # torch; and kernels of two streams must run at the same time under the profiler, too.
  os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.65")
  os.environ.setdefault("TF_GPU_CUPTI_FORCE_CONCURRENT_KERNEL", "1")
  from benchmarks import gpu_grouped, gpu_table

  if FLAGS.list:
    print("\n".join(gpu_grouped.names()))
    return 0
  for flag, given, allowed in (
      ("sections", FLAGS.sections, _SECTIONS),
      ("work", FLAGS.work or (), gpu_grouped.WORK),
      ("routings", FLAGS.routings, shapes.load()["routing"]),
      ("grouped", FLAGS.grouped, gpu_grouped.names())):
    if unknown := [each for each in given if each not in allowed]:
      raise app.UsageError(
          f"Unknown --{flag} {', '.join(unknown)}; there are {', '.join(allowed)}.")

  run.refuse("threads")
  if not set(FLAGS.sections) <= set(_SECTIONS) - {"fp8", "ahead"}:
    run.refuse("problems")
  rows = run.Rows(lambda rows: {"runs": runs, "acceptance": gpu_table.gates(rows)})
  runs = rows.before.get("runs", [])
  if FLAGS.results:
    recorded = [json.loads(pathlib.Path(f).read_text()) for f in FLAGS.results]
    runs += [about for each in recorded for about in each["runs"]]
    rows.rows += [row for each in recorded for row in each["rows"]]
  else:
    progress.doing("Starting jax")
    import jax
    if jax.default_backend() != "gpu":
      raise app.UsageError(
          f"jax runs on {jax.default_backend()}; this benchmark reads the times of a "
          "GPU's kernels. On the CPU there is python -m benchmarks, and --results "
          "reports on earlier runs.")
    runs.append(describe())
    measure(runs[-1], rows)
  text = gpu_table.markdown(rows.rows, runs)
  print("\n" + text[text.index("\nAcceptance:"):])
  return rows.finish(gpu_table.wrong(rows.rows), gpu_table.failed(rows.rows), text)
