"""The tuning file: the fastest measured choice for each machine and problem.

It is JSON. The environment variable JAXGEMM_TUNING says where it is; without that it is
jaxgemm/tuning.json in the user's cache directory. With JAXGEMM_TUNING=off there is none.
Several processes may write at once: each takes a lock, reads what is there, adds its own
entries and replaces the file as a whole. Entries that cannot be read are reported once and left
out; a file that is no JSON is kept beside the new one as *.damaged.
"""

from collections.abc import Iterator, Mapping
import contextlib
import dataclasses
import fcntl
import functools
import json
import os
import pathlib
import tempfile
from typing import Any
import warnings

FORMAT = 1
SOURCES = ("measured", "predicted")
# Read-only files that the package has, one for each chip.
SHIPPED = pathlib.Path(__file__).with_name("shipped")
IMPLEMENTATIONS = ("jaxgemm", "xla")
_REMEDY = "Remove it, or set JAXGEMM_TUNING to another file or to 'off'."


@dataclasses.dataclass(frozen=True)
class Entry:
  """The times of a problem, measured or predicted, and the choice that they led to.

  Attributes:
    implementation: "jaxgemm" or "xla", the faster one.
    config: the fields of `GemmConfig` with which the plan chooses the kernels' fastest candidate;
      {} if that is the plan's own choice.
    size: size of the dimension that the key leaves open, m or k, in the problem that was timed.
    seconds: time of the kernels' fastest candidate.
    plan_seconds: time of the plan's own choice.
    xla_seconds: time of XLA's product; None if it was not timed.
    date: date and time in UTC, in the format of ISO 8601.
    source: "measured", or "predicted" by a model of the chip: then no time was measured, and
      the entry is for problems of exactly this size.
  """

  implementation: str
  config: Mapping[str, str | int]
  size: int
  seconds: float
  plan_seconds: float
  xla_seconds: float | None
  date: str
  source: str = "measured"

  @classmethod
  def read(cls, value: Any) -> "Entry":
    """An entry from a value in the file; raises ValueError if the value is no entry."""
    types: dict[str, Any] = {
        "implementation": str, "config": dict, "size": int, "seconds": (int, float),
        "plan_seconds": (int, float), "xla_seconds": (int, float, type(None)),
        "date": str, "source": str}
    if isinstance(value, dict):
      value = {"source": "measured"} | value  # files of earlier versions do not say it
    if not isinstance(value, dict) or value.keys() != types.keys():
      raise ValueError(
          f"an entry is {value!r:.200}; exactly the fields {sorted(types)} are allowed")
    for name, kind in types.items():
      if not isinstance(value[name], kind) or isinstance(value[name], bool):
        raise ValueError(
            f"{name}={value[name]!r} has type {type(value[name]).__name__}; another type is needed")
    if value["implementation"] not in IMPLEMENTATIONS:
      raise ValueError(f"implementation={value['implementation']!r} is unknown; allowed are "
                       f"{', '.join(IMPLEMENTATIONS)}")
    if value["source"] not in SOURCES:
      raise ValueError(
          f"source={value['source']!r} is unknown; allowed are {', '.join(SOURCES)}")
    for name, x in value["config"].items():
      if not isinstance(name, str) or not isinstance(x, (str, int)) or isinstance(x, bool):
        raise ValueError(
            f"config has {name!r}: {x!r}; names with values of str or int are allowed")
    return cls(**value)


def default_path() -> pathlib.Path | None:
  """The file that JAXGEMM_TUNING names, or the user's file; None if the variable is "off"."""
  given = os.environ.get("JAXGEMM_TUNING")
  if given == "off":
    return None
  if given:
    return pathlib.Path(given)
  cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
  return pathlib.Path(cache) / "jaxgemm" / "tuning.json"


def shipped() -> dict[str, Entry]:
  """The entries that the package has for chips. A user's own entries take precedence."""
  return {key: entry for path in sorted(SHIPPED.glob("*.json"))
          for key, entry in load(path).items()}


def load(path: pathlib.Path) -> dict[str, Entry]:
  """The entries of a file, by key; {} if there is no file. Damaged entries are left out."""
  try:
    return loads(path.read_bytes(), path)
  except FileNotFoundError:
    return {}
  except (OSError, ValueError, RecursionError) as error:
    report(path, f"cannot be read and is ignored: {error}")
    return {}


def loads(text: str | bytes, path: pathlib.Path) -> dict[str, Entry]:
  """The entries in the text of a file. `path` is for warnings.

  Raises:
    ValueError: the text is no JSON.
  """
  data = json.loads(text)
  if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(
      data.get("entries"), dict):
    report(path, f"is no tuning file of format {FORMAT} and is ignored")
    return {}
  entries, damaged = {}, []
  for key, value in data["entries"].items():
    try:
      entries[key] = Entry.read(value)
    except ValueError as error:
      damaged.append(str(error))
  if damaged:
    report(path, f"has {len(damaged)} damaged entries, which are ignored: {damaged[0]}")
  return entries


@functools.cache
def report(path: pathlib.Path, what: str, remedy: str = _REMEDY) -> None:
  """Warns, once for each file and fault."""
  warnings.warn(f"The tuning file {path} {what}. {remedy}", stacklevel=2)


def merge(path: pathlib.Path, entries: Mapping[str, Entry]) -> None:
  """Adds entries to a file; they replace those with the same keys.

  Raises:
    OSError: the file cannot be written. An older file is left as it was.
  """
  with _locked(path):
    _replace(path, load(path) | dict(entries))


def prune(path: pathlib.Path, keep) -> int:
  """Removes the entries for which keep(key, entry) is false; returns their number."""
  with _locked(path):
    before = load(path)
    after = {key: entry for key, entry in before.items() if keep(key, entry)}
    _replace(path, after)
  return len(before) - len(after)


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
  path.parent.mkdir(parents=True, exist_ok=True)
  with open(path.with_name(path.name + ".lock"), "w", encoding="utf-8") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield


def _replace(path: pathlib.Path, entries: Mapping[str, Entry]) -> None:
  with contextlib.suppress(FileNotFoundError):
    try:
      json.loads(path.read_bytes())
    except (ValueError, RecursionError):
      path.replace(path.with_name(path.name + ".damaged"))
  text = dumps(entries)
  handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
  try:
    with open(handle, "w", encoding="utf-8") as file:
      file.write(text)
    # mkstemp makes files that only their owner may read. This one keeps the old file's mode.
    os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o644)
    os.replace(name, path)
  except BaseException:
    os.unlink(name)
    raise


def dumps(entries: Mapping[str, Entry]) -> str:
  """The text of a file with these entries."""
  lines = ",\n".join(
      f"{json.dumps(key)}: {json.dumps(dataclasses.asdict(entry), sort_keys=True)}"
      for key, entry in sorted(entries.items()))
  return f'{{"format": {FORMAT}, "entries": {{\n{lines}\n}}}}\n'
