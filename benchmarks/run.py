"""What all suites share: their flags, the loop over their jobs, and what is made of the rows.

A suite is a module with `define_flags()` and `jobs(name)`, which yields pairs of a job's name and a
function that returns its rows; `after(rows)` may add lines to the report. A row is a dictionary:
"section" and "case" say what was measured; "candidates" has an entry for each way of computing it,
with "seconds" (quartiles), and perhaps "tflops", "errors" with the bounds "at_most" of right
results, "ratio" (its time over that of jaxgemm), "plan" and "note"; "missing" says why others have
none, and "left_out" why that is no failure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
import csv
import json
import os
import pathlib
import statistics
import time
from typing import Any

from absl import app, flags

from benchmarks import cases, plots, progress, roofline, watch

Row = dict[str, Any]
FLAGS = flags.FLAGS


def define_flags() -> None:
  """Defines the flags of all suites, once in a process."""
  if "resume" in FLAGS:
    return
  flags.DEFINE_string("json", None, "File to write the rows to, as they come.")
  flags.DEFINE_string("csv", None, "File to write a line for each candidate to.")
  flags.DEFINE_string("markdown", None, "File to write the tables to.")
  flags.DEFINE_string("png", None, "File to draw the throughput to.")
  flags.DEFINE_float("peak_tflops", None, "Peak rate of the roofline, for chips that roofline.py "
                     "does not have, such as CPUs; with --peak_gbs.")
  flags.DEFINE_float("peak_gbs", None, "Bandwidth of the roofline, in GB/s.")
  flags.DEFINE_string(
      "problems", None, "JSON or YAML file with a list of problems in place of --cases: objects "
      "with m, n, k, perhaps dtype, and groups for grouped products; for layers of experts with "
      "tokens, features, hidden_features, num_experts and top_k.")
  flags.DEFINE_integer("repeat", None, "Least samples of each candidate. Default: 100 on a GPU, 9 "
                       "on a CPU, where a sample may take seconds.", lower_bound=3)
  flags.DEFINE_alias("rounds", "repeat")
  flags.DEFINE_integer("warmup", None, "Calls of each candidate before it is timed, beside two or "
                       "more that all have. Default: 50 on a GPU, and 0 on a CPU.", lower_bound=0)
  flags.DEFINE_float("min_seconds", 0, "Least time for each row on a CPU, in seconds.")
  flags.DEFINE_enum("clock", "wall", ["wall", "cpu"], "Clock on a CPU. cpu counts the time of this "
                    "process only: use it on a shared machine, with --threads=1.")
  flags.DEFINE_float("sample_ms", 1, "Approximate length of a sample on a GPU, at most 64 calls. "
                     "A GPU that is busy for long may lower its clock; short samples let it rest.")
  flags.DEFINE_float("most_seconds", 0, "Cases that would begin later are left out; 0: none is.")
  flags.DEFINE_bool("verify", True, "Whether a wrong result makes the exit status 1.")
  flags.DEFINE_string("compare", None, "JSON file of an earlier run. A candidate that takes more "
                      "than --slower times its time there is printed, and makes the exit status 1.")
  flags.DEFINE_float("slower", 1.1, "See --compare.", lower_bound=1)
  flags.DEFINE_bool("resume", False, "Keep the rows that --json has, and measure only the others.")
  flags.DEFINE_list("results", None, "JSON files of earlier runs to report on, without measuring.")
  flags.DEFINE_bool("watch", True, "Whether the suite runs in a process of its own, which is "
                    "started again without the candidate, or the case, that has ended it.")
  flags.DEFINE_float("hang_seconds", 0, "A candidate, or case, that takes longer is left out, too; "
                     "0: no limit.", lower_bound=0)
  flags.DEFINE_integer("threads", 0, "Number of CPUs to run on; 0 uses all.", lower_bound=0)
  flags.DEFINE_integer("seed", 0, "Seed of the operands, and of everything else that is random.")
  flags.DEFINE_string("profile", None, "Directory in which to keep traces, by case.")
  flags.DEFINE_string("commit", None, "Commit of the sources, if they are not a git checkout.")
  flags.DEFINE_bool("list", False, "Print the named cases and exit.")


def prepare() -> None:
  """Chooses the CPUs, and what has to be in the environment before jax is imported."""
  if FLAGS.threads:
    allowed = sorted(os.sched_getaffinity(0))
    if FLAGS.threads > len(allowed):
      raise app.UsageError(f"--threads={FLAGS.threads}, but this process may run on {len(allowed)} "
                           "CPUs.")
    # XLA's pool has as many threads. These are the last CPUs: the first tend to serve interrupts.
    os.sched_setaffinity(0, allowed[-FLAGS.threads:])
  # Otherwise torch's idle threads would spin on the CPUs of the next candidate.
  os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
  # jax takes its memory at once, and must leave a part to torch; and kernels of two streams must
  # run at the same time under the profiler, too.
  os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.65")
  os.environ.setdefault("TF_GPU_CUPTI_FORCE_CONCURRENT_KERNEL", "1")


# ------------------------------------------------------------------------ flags as values


def choose(flag: str, given: Iterable[str], allowed: Iterable[str]) -> list[str]:
  """The values of a flag; raises UsageError if some are not allowed."""
  given, allowed = list(given), list(allowed)
  if unknown := [each for each in given if each not in allowed]:
    raise app.UsageError(f"Unknown --{flag} {', '.join(unknown)}; there are {', '.join(allowed)}.")
  return given


def refuse(*names: str) -> None:
  """Raises UsageError if a flag was given that a suite does not have."""
  for name in names:
    if FLAGS[name].present:
      raise app.UsageError(f"--{name} was given, and this suite has no use for it.")


def named(names: Iterable[str], find: Callable[[str], list]) -> list:
  """What `find` finds for the names of --cases; its ValueError becomes a UsageError."""
  try:
    return [each for name in names for each in find(name)]
  except ValueError as error:
    raise app.UsageError(f"--cases: {error}") from error


def read_problems(required: Sequence[str], others: Sequence[str] = ()) -> list[Row] | None:
  """The objects of the file that --problems names, or None. It imports jax.

  Args:
    required: names that each object must have.
    others: names that it may have.
  """
  if FLAGS.problems is None:
    return None
  from jaxgemm.tune.__main__ import read_list
  try:
    found = read_list(pathlib.Path(FLAGS.problems))
  except (OSError, ValueError) as error:
    raise app.UsageError(f"--problems={FLAGS.problems}: {error}") from error
  for each in found:
    if not isinstance(each, dict) or not set(required) <= each.keys() <= {*required, *others}:
      perhaps = f", and perhaps {' and '.join(others)}" if others else ""
      raise app.UsageError(f"--problems={FLAGS.problems}: {each!r} is no object with "
                           f"{', '.join(required)}{perhaps}.")
  return found


def problems(dtypes: Sequence[str], *, grouped: bool = False) -> list[Row] | None:
  """The products of the file that --problems names, or None: those with groups, or the others."""
  found = read_problems(("m", "n", "k"), ("dtype", "groups"))
  if found is None:
    return None
  found = [each for each in found if ("groups" in each) == grouped]
  for each in found:
    if each.get("dtype", dtypes[0]) not in dtypes:
      raise app.UsageError(f"--problems={FLAGS.problems}: {each!r} has another dtype than "
                           f"{', '.join(dtypes)}.")
  if not found:
    raise app.UsageError(f"--problems={FLAGS.problems} has no problem "
                         f"{'with' if grouped else 'without'} groups.")
  return found


def given_products(dtypes: Sequence[str]) -> list[cases.Product]:
  """The products of --problems, or those with the names of --cases."""
  given = problems(dtypes)
  if given is None:
    return named(FLAGS.cases, cases.products)
  return [cases.Product(**{"dtype": None} | each, source="problems") for each in given]


# ----------------------------------------------------------------------------------- rows


def describe(row: Row) -> str:
  """What a row measured, in words."""
  return " ".join(filter(None, (row["section"], row["case"], *(
      row.get(key) for key in ("dtype", "layout", "work", "routing", "way")))))


def records(rows: Sequence[Row]) -> Iterator[Row]:
  """A flat dictionary for each candidate of each row.

  "roofline" is the least time by peak rate and bandwidth over the time; None: not known.
  """
  for row in rows:
    least = row.get("least_seconds")
    for name, entry in row["candidates"].items():
      if "seconds" in entry:
        seconds = entry["seconds"]
        yield {"problem": describe(row), "candidate": name,
               **{key: seconds[key] for key in ("median", "q1", "q3")},
               "tflops": entry.get("tflops"),
               "roofline": None if least is None else least / seconds["median"],
               "ratio": entry.get("ratio", {}).get("median"),
               "error": max(entry["errors"].values()) if entry.get("errors") else None,
               "note": note(name, entry)}


def note(name: str, entry: Row) -> str:
  """What the table says of a candidate beside its numbers."""
  words = [entry.get("note")]
  if (plan := entry.get("plan") or {}).get("implementation") == "xla":
    words.append(f"left to XLA: {'; '.join(plan['reasons'])}")
  elif "implementation" in plan:
    words.append(" ".join(map(str, filter(None, (
        plan["kernel"], plan["schedule"],
        plan["reduction"] if plan["schedule"] == "stream_k" else None,
        "x".join(map(str, plan["tile"])), f"{plan['num_workgroups']} workgroups")))))
  if "kernels" in entry:
    words.append(" + ".join(f"{entry[key]:g} {key}" for key in ("kernels", "memsets", "copies")))
  if entry.get("poisoned") is False and plots.is_ours(name) and "kernels" in entry:
    words.append("not written over NaNs")
  return ", ".join(filter(None, words))


HEADER = ("| product | candidate | us [quartiles] | TFLOP/s | of roofline | its time / ours | "
          f"error | |\n{'|---' * 8}|\n")


def spread(value: Row, form: str = ".3f") -> str:
  return f"{value['median']:{form}} [{value['q1']:{form}}, {value['q3']:{form}}]"


def lines(row: Row) -> list[str]:
  """A row's lines of the table under HEADER."""
  found = []
  for each in records([row]):
    entry = row["candidates"][each["candidate"]]
    microseconds = {key: 1e6 * value for key, value in entry["seconds"].items()}
    found.append([
        each["problem"], each["candidate"], spread(microseconds, ".2f"),
        "" if each["tflops"] is None else f"{each['tflops']:.4g}",
        "" if each["roofline"] is None else f"{each['roofline']:.0%}",
        spread(entry["ratio"]) if "ratio" in entry else "",
        " / ".join(f"{error:.1e}" for error in entry.get("errors", {}).values()), each["note"]])
  found += [[describe(row), name, " ".join(why.split())[:160], "", "", "", "", ""]
            for name, why in {**row.get("missing", {}), **row.get("left_out", {})}.items()]
  return [f"| {' | '.join(cells)} |" for cells in found]


def means(rows: Sequence[Row]) -> list[Row]:
  """Of each candidate's ratios: geometric mean, least, and how many are below 0.85.

  For all rows of a section and work, and for those of each kind: that is the row's "kind", such as
  the model that it is from, or its dtype.
  """
  groups: dict[tuple, list[float]] = {}
  for row in rows:
    for name, entry in row["candidates"].items():
      for kind in {row.get("kind") or row.get("dtype") or "", "all"} if "ratio" in entry else ():
        groups.setdefault((row["section"], kind, row.get("work") or "", name), []).append(
            entry["ratio"]["median"])
  return [{"section": section, "kind": kind, "work": work, "candidate": name,
           "cases": len(ratios), "geometric_mean": statistics.geometric_mean(ratios),
           "least": min(ratios), "below_0.85": sum(ratio < 0.85 for ratio in ratios)}
          for (section, kind, work, name), ratios in sorted(groups.items())]


def mean_line(mean: Row) -> str:
  what = " ".join(filter(None, (mean["section"], mean["kind"], mean["work"])))
  return (f"- {what}: {mean['candidate']}'s time / ours {mean['geometric_mean']:.3f}, at least "
          f"{mean['least']:.2f}, {mean['cases']} cases, {mean['below_0.85']} below 0.85")


def wrong(rows: Sequence[Row]) -> list[str]:
  """Results of jaxgemm that are further from the reference than rounding explains."""
  return [f"{describe(row)} {name}: {what} error {entry['errors'][what]:.1e}, at most {most:.0e} "
          "is right" for row in rows for name, entry in row["candidates"].items()
          if plots.is_ours(name) for what, most in entry.get("at_most", {}).items()
          if not entry["errors"][what] <= most]


def failed(rows: Sequence[Row]) -> list[str]:
  """Rows and candidates of jaxgemm without a result, and why."""
  return [f"{describe(row)} {name}: {why}" for row in rows
          for name, why in row.get("missing", {}).items() if plots.is_ours(name)]


def slower(old: Sequence[Row], new: Sequence[Row], most: float) -> list[str]:
  """What takes more than `most` times its old time."""
  before = {(each["problem"], each["candidate"]): each["median"] for each in records(old)}
  return [f"{each['problem']} {each['candidate']}: {each['median'] * 1e6:.1f} us, "
          f"{each['median'] / then:.2f} of the earlier {then * 1e6:.1f}" for each in records(new)
          if (then := before.get((each["problem"], each["candidate"]))) is not None
          and each["median"] > most * then]


class Rows:
  """The rows of a run, written to --json as they come.

  Attributes:
    rows: the rows of this run, and with --resume those that the file has.
    runs: descriptions of the runs that measured them; see report.py.
  """

  def __init__(self):
    before: Row = {}
    if FLAGS.resume:
      if not FLAGS.json:
        raise app.UsageError("--resume needs --json, the file of the run to go on with.")
      if os.path.exists(FLAGS.json):
        before = json.loads(pathlib.Path(FLAGS.json).read_text())
    # What failed or was left out is measured again.
    self.rows = [row for row in before.get("rows", ()) if row["candidates"]]
    self.runs = before.get("runs", [])
    self._known = {row.get("job") for row in self.rows}
    self._known |= {case for case, candidate, _ in watch.ended() if not candidate}

  def has(self, job: str) -> bool:
    """Whether --resume has the job's rows. Else the job begins."""
    if job not in self._known:
      watch.begin_case(job)
    return job in self._known

  def add(self, job: str, rows: Sequence[Row]) -> list[Row]:
    """Adds the rows of a job, writes the file, and returns them as they are there."""
    import jax

    peaks = FLAGS.peak_tflops and FLAGS.peak_gbs and (FLAGS.peak_tflops, FLAGS.peak_gbs)
    kind = jax.devices()[0].device_kind
    new = [row | {"job": job, "platform": jax.default_backend(),
                  "least_seconds": roofline.least_seconds(row, kind, peaks)} for row in rows]
    self.rows += new
    self.write()
    return new

  def write(self) -> None:
    if FLAGS.json:
      path = pathlib.Path(FLAGS.json)
      new = path.with_name(path.name + ".new")
      ended = {"ended": watch.ended()} if watch.ended() else {}
      new.write_text(json.dumps({"runs": self.runs, "rows": self.rows, "means": means(self.rows)}
                                | ended, indent=1))
      new.replace(path)  # a run that is killed leaves a whole file

  def finish(self, title: str = "", after: Sequence[str] = (), all_gates: bool = False) -> int:
    """Writes the files, compares with an earlier run, and returns the exit status."""
    from benchmarks import acceptance

    self.write()
    text = [*map(mean_line, means(self.rows)), *after, *acceptance.lines(self.rows, all_gates)]
    print("\n".join(["", *text]))
    if FLAGS.csv:
      found = list(records(self.rows))
      with open(FLAGS.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0] if found else ["problem"])
        writer.writeheader()
        writer.writerows(found)
    if FLAGS.markdown:
      pathlib.Path(FLAGS.markdown).write_text(self.markdown(title, text))
    if FLAGS.png:
      plots.draw(self.rows, FLAGS.png, self.runs[-1]["device"] if self.runs else "")
    old = json.loads(pathlib.Path(FLAGS.compare).read_text())["rows"] if FLAGS.compare else []
    said = {"WRONG": wrong(self.rows), "SLOWER": slower(old, self.rows, FLAGS.slower),
            "FAILED": [*failed(self.rows), *(f"{case} {candidate}: {why}"
                                             for case, candidate, why in watch.ended())]}
    for word, which in said.items():
      for line in which:
        print(f"{word}: {line}", flush=True)
    return int(bool(said["WRONG"] and FLAGS.verify or said["SLOWER"] or said["FAILED"]))

  def markdown(self, title: str, text: Sequence[str]) -> str:
    """The whole report."""
    runs = [f"{about['device']}, driver {about['driver']}; {about['cpu']} "
            f"({' '.join(about['cpu_features'])}), {about['threads']} thread(s), load "
            f"{about['load_average']:.1f} before the run; jax {about['jax']}, jaxlib "
            f"{about['jaxlib']}, torch {about['torch']}, tokamax {about['tokamax']}, jaxgemm "
            f"{about['jaxgemm']} ({about['commit']}); {about['date']}.\n\n`{about['command']}`\n"
            for about in self.runs]
    return "\n".join([
        f"# {title}", "", *runs,
        "Candidates took turns in one process, on rotating operands of random values; medians, and "
        "ratios within a round as median [quartiles]. On a GPU times are those in which kernels, "
        "memsets and copies of a call ran, by the trace of jax.profiler; on a CPU those of the "
        "wall clock, if the command does not say --clock=cpu. Errors are against float64, in the "
        "same run, if nothing else is said. \"of roofline\" is the least time by the peak rate and "
        "bandwidth of the chip's data sheet over the time.", "",
        HEADER + "\n".join(line for row in self.rows for line in lines(row)), "", *text, ""])


def main(suite, name: str) -> int:
  """Runs the jobs of a suite; a job that fails says why, and the others follow."""
  if FLAGS.list:
    print("\n".join(cases.listed()))
    return 0
  rows = Rows()
  if FLAGS.results:
    for path in FLAGS.results:
      content = json.loads(pathlib.Path(path).read_text())
      rows.runs, rows.rows = rows.runs + content["runs"], rows.rows + content["rows"]
  else:
    measure(suite, name, rows)
  after = suite.after(rows.rows) if hasattr(suite, "after") else []
  return rows.finish(f"{name}: {suite.__doc__.splitlines()[0]}", after, name == "gpu")


def measure(suite, name: str, rows: Rows) -> None:
  """Adds the rows of a suite's jobs."""
  begin, planned = time.monotonic(), list(suite.jobs(name))
  from benchmarks import report  # the jobs may have chosen jax's devices

  about = report.machine() | report.device() | {
      "clock": FLAGS.clock, "sample_ms": FLAGS.sample_ms, "repeat": FLAGS.repeat}
  # An earlier run of the same command has gone on.
  rows.runs = [*(run for run in rows.runs if run["command"] != about["command"]), about]
  print(HEADER, end="", flush=True)
  for number, (job, function) in enumerate(planned, 1):
    if rows.has(job):
      continue
    progress.doing(f"{number} of {len(planned)}: {job}")
    found = [{"section": name, "case": job, "candidates": {}}]
    if FLAGS.most_seconds and time.monotonic() - begin > FLAGS.most_seconds:
      found[0]["left_out"] = {"left out": "--most_seconds have passed"}
    else:
      try:
        found = function()
      except Exception as error:  # pylint: disable=broad-exception-caught
        found[0]["missing"] = {"row": f"{type(error).__name__}: {error}"[:2000]}
    for row in rows.add(job, found):
      print("\n".join(lines(row)), flush=True)
