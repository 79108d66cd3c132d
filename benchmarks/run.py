"""What all suites share: their flags, and the files and checks that are made of their rows.

A row is a dictionary. Some of its fields say what was measured; "candidates" has an entry
for each way of computing it, with "seconds" (quartiles), and perhaps "errors" and "ratio".
"""

from collections.abc import Callable, Iterator, Sequence
import csv
import json
import os
import pathlib
from typing import Any

from absl import app, flags

from benchmarks import journal, plots, roofline

FLAGS = flags.FLAGS
flags.DEFINE_string("json", None, "File to write the rows to, as they come.")
flags.DEFINE_string("csv", None, "File to write a line for each candidate to.")
flags.DEFINE_string("markdown", None, "File to write the tables to.")
flags.DEFINE_string("png", None, "File to draw the throughput to.")
flags.DEFINE_float("peak_tflops", None, "Peak rate of the roofline, for chips that "
                   "benchmarks/roofline.py does not have, such as CPUs; with --peak_gbs.")
flags.DEFINE_float("peak_gbs", None, "Bandwidth of the roofline, in GB/s.")
flags.DEFINE_string(
    "problems", None, "JSON or YAML file with a list of problems in place of those of "
    "shapes.json: objects with m, n, k, perhaps dtype, and groups for grouped products; for "
    "layers of experts with tokens, features, hidden_features, num_experts and top_k.")
flags.DEFINE_integer(
    "repeat", None, "Least samples of each candidate. Default: 100 on a GPU, and 9 on a CPU, "
    "where a sample may take seconds.", lower_bound=3)
flags.DEFINE_alias("rounds", "repeat")
flags.DEFINE_integer(
    "warmup", None, "Calls of each candidate before it is timed, in addition to two or more that "
    "every suite makes. Default: 50 on a GPU, and 0 on a CPU.", lower_bound=0)
flags.DEFINE_bool(
    "verify", True, "Whether a wrong result makes the exit status 1. It is printed anyway.")
flags.DEFINE_string(
    "compare", None, "JSON file of an earlier run. A candidate that takes more than --slower "
    "times its time there is printed, and makes the exit status 1.")
flags.DEFINE_float("slower", 1.1, "See --compare.", lower_bound=1)
flags.DEFINE_bool(
    "resume", False, "Keep the rows that --json has, and measure only the others.")
flags.DEFINE_bool(
    "watch", True, "Whether the suite runs in a process of its own, which is started again "
    "without the candidate, or the case, that has ended it.")
flags.DEFINE_float("hang_seconds", 0, "A candidate, or case, that takes longer is left out, "
                   "too; 0: no limit.", lower_bound=0)
flags.DEFINE_integer("processes", 1, "Processes that share the cases, each with a GPU of its own; "
                     "0: one process for each GPU.", lower_bound=0)
flags.DEFINE_integer("threads", 0, "Number of CPUs to run on; 0 uses all.", lower_bound=0)
flags.DEFINE_integer("seed", 0, "Seed of the operands, and of everything else that is random.")
flags.DEFINE_string("profile", None, "Directory in which to keep traces, by case.")

# Fields of a row that say what was measured.
_FIELDS = ("section", "case", "producer", "schedule", "active_cus", "work", "routing",
           "batch", "m", "n", "k", "groups", "dtype", "tokens", "features",
           "hidden_features", "num_experts", "top_k", "devices")


def repeat() -> int:
  """Least samples of each candidate. It imports jax."""
  from benchmarks import clock
  return FLAGS.repeat or (100 if clock.on_gpu() else 9)


def warmup() -> int:
  """Calls of each candidate before it is timed. It imports jax."""
  from benchmarks import clock
  return (50 if clock.on_gpu() else 0) if FLAGS.warmup is None else FLAGS.warmup


def _peaks() -> tuple[float, float] | None:
  if FLAGS.peak_tflops and FLAGS.peak_gbs:
    return FLAGS.peak_tflops, FLAGS.peak_gbs
  return None


def records(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
  """A flat dictionary for each candidate of each row.

  "roofline" is the least time by peak rate and bandwidth over the time; None: not known.
  """
  for row in rows:
    least = row.get("least_seconds")
    problem = " ".join(f"{key}={row[key]}" for key in _FIELDS if row.get(key) is not None)
    for name, entry in row["candidates"].items():
      if "seconds" in entry:
        errors = entry.get("errors")
        yield {
            "problem": problem, "candidate": name,
            **{key: entry["seconds"][key] for key in ("median", "q1", "q3")},
            "tflops": entry.get("tflops", entry.get("gflops", 0) / 1e3),
            "roofline": None if least is None else least / entry["seconds"]["median"],
            "ratio": entry.get("ratio", {}).get("median"),
            "error": max(errors.values()) if errors else None}


def _table(lines: Sequence[dict[str, Any]]) -> str:
  """Markdown for the records of a suite that has no table of its own."""
  table = ["| problem | candidate | us | TFLOP/s | of roofline | ratio | error |",
           "|---|---|---|---|---|---|---|"]
  for each in lines:
    ratio = "" if each["ratio"] is None else f"{each['ratio']:.2f}"
    error = "" if each["error"] is None else f"{each['error']:.1e}"
    roof = "" if each["roofline"] is None else f"{each['roofline']:.0%}"
    table.append(f"| {each['problem']} | {each['candidate']} | {each['median'] * 1e6:.1f} | "
                 f"{each['tflops']:.3f} | {roof} | {ratio} | {error} |")
  return "\n".join(table) + "\n"


def slower(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]],
           most: float) -> list[str]:
  """What takes more than `most` times its old time."""
  before = {(each["problem"], each["candidate"]): each["median"] for each in records(old)}
  found = []
  for each in records(new):
    then = before.get((each["problem"], each["candidate"]))
    if then is not None and each["median"] > most * then:
      found.append(f"{each['problem']} {each['candidate']}: {each['median'] * 1e6:.1f} us, "
                   f"{each['median'] / then:.2f} of the earlier {then * 1e6:.1f}")
  return found


def read_problems(required: Sequence[str], others: Sequence[str] = ()
                  ) -> list[dict[str, Any]] | None:
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
    if not isinstance(each, dict) or not (
        set(required) <= each.keys() <= {*required, *others}):
      perhaps = f", and perhaps {' and '.join(others)}" if others else ""
      raise app.UsageError(f"--problems={FLAGS.problems}: {each!r} is no object with "
                           f"{', '.join(required)}{perhaps}.")
  return found


def problems(dtypes: Sequence[str], *, grouped: bool = False) -> list[dict[str, Any]] | None:
  """The products of the file that --problems names, or None. It imports jax.

  Args:
    dtypes: the dtypes that are allowed.
    grouped: whether to return the products with groups, else those without.
  """
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


def refuse(*names: str) -> None:
  """Raises UsageError if a flag was given that a suite does not have."""
  for name in names:
    if FLAGS[name].present:
      raise app.UsageError(f"--{name} was given, and this suite has no use for it.")


def merged(contents: Sequence[dict[str, Any]]) -> dict[str, Any]:
  """Merges the contents of several files: lists are joined, without duplicates.

  Of values that are not lists, the first one counts.
  """
  found: dict[str, Any] = {}
  for content in contents:
    for name, value in content.items():
      if isinstance(value, list):
        there = found.setdefault(name, [])
        there += [each for each in value if each not in there]
      else:
        found.setdefault(name, value)
  return found


class Rows:
  """The rows of a run, written to --json as they come.

  Attributes:
    rows: the rows of this run, and with --resume those that the file has.
    before: the content of the file, {} without --resume.
  """

  def __init__(self, content: Callable[[list[dict[str, Any]]], dict[str, Any]]):
    """Args: content: what the file has beside the rows, from the rows."""
    self._content = content
    self.before: dict[str, Any] = {}
    if FLAGS.resume:
      if not FLAGS.json:
        raise app.UsageError("--resume needs --json, the file of the run to go on with.")
      if os.path.exists(FLAGS.json):
        self.before = json.loads(pathlib.Path(FLAGS.json).read_text())
    # What failed or was left out is measured again.
    self.rows = [row for row in self.before.get("rows", ()) if row["candidates"]]
    self._known = {row.get("job") for row in self.rows}
    self._known |= {case for case, candidate, _ in journal.ended() if not candidate}
    self._asked = 0

  def has(self, job: str) -> bool:
    """Whether --resume has the job's rows, or another process measures it. Else the job begins."""
    self._asked += 1
    if job in self._known or not journal.is_mine(self._asked - 1):
      return True
    journal.begin_case(job)
    return False

  def add(self, job: str, rows: Sequence[dict[str, Any]]) -> None:
    import jax

    kind = jax.devices()[0].device_kind
    self.rows += [row | {"job": job, "least_seconds": roofline.least_seconds(row, kind, _peaks())}
                  for row in rows]
    self.write()

  def write(self) -> None:
    if FLAGS.json:
      path = pathlib.Path(FLAGS.json)
      new = path.with_name(path.name + ".new")
      ended = {"ended": journal.ended()} if journal.ended() else {}
      new.write_text(json.dumps(
          {"rows": self.rows} | self._content(self.rows) | ended, indent=1))
      new.replace(path)  # a run that is killed leaves a whole file

  def finish(self, wrong: Sequence[str], failed: Sequence[str] = (),
             markdown: str | None = None) -> int:
    """Writes the files, compares with an earlier run, and returns the exit status."""
    from benchmarks import report  # imports jax

    self.write()
    device = report.device()["device"]
    lines = list(records(self.rows))
    if FLAGS.csv:
      with open(FLAGS.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, lines[0] if lines else ["problem"])
        writer.writeheader()
        writer.writerows(lines)
    if FLAGS.markdown:
      pathlib.Path(FLAGS.markdown).write_text(
          markdown or _table(lines))
    if FLAGS.png:
      plots.draw(self.rows, FLAGS.png, device)
    regressed = []
    if FLAGS.compare:
      old = json.loads(pathlib.Path(FLAGS.compare).read_text())["rows"]
      regressed = slower(old, self.rows, FLAGS.slower)
    failed = [*failed, *(f"{case} {candidate}: {why}" for case, candidate, why
                         in journal.ended())]
    status = report.status(wrong, failed, regressed)
    return status if FLAGS.verify or failed or regressed else 0
