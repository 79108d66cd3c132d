"""The tuning file: the fastest measured choice for each machine and problem.

It is JSON. The environment variable JAXGEMM_TUNING says where it is; without that it is
jaxgemm/tuning.json in the user's cache directory. There is none with JAXGEMM_TUNING=off, nor for a
user without a home folder. Several processes may write at once: each takes a lock, reads what is
there, adds its own entries and replaces the file as a whole. Entries that cannot be read are
reported once and left out. If something in a file cannot be read, then before the file is
replaced, a copy is kept beside it as *.damaged.
"""

from collections.abc import Iterator, Mapping
import contextlib
import dataclasses
import errno
import fcntl
import functools
import json
import os
import pathlib
import shutil
import tempfile
from typing import Any
import warnings

FORMAT = 1
SOURCES = ("measured", "predicted")
# Read-only files that the package has, one for each chip.
SHIPPED = pathlib.Path(__file__).with_name("shipped")
IMPLEMENTATIONS = ("jaxgemm", "xla")
# Words that look like a mistyped "off", and not like the path of a file.
_SWITCHES = ("on", "off", "of", "offf", "0", "1", "false", "true", "no", "yes", "none", "disable",
             "disabled")
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
      if not isinstance(name, str) or not isinstance(x, (str, int)):
        raise ValueError(
            f"config has {name!r}: {x!r}; names with values of str, int or bool are allowed")
    return cls(**value)


def is_off() -> bool:
  """Whether JAXGEMM_TUNING switches all entries off, also those of the package."""
  return os.environ.get("JAXGEMM_TUNING") == "off"


def default_path() -> pathlib.Path | None:
  """The file that JAXGEMM_TUNING names, or the user's file.

  It is None if the variable is "off", or if it is not set and the user has no home folder.
  """
  if is_off():
    return None
  if given := os.environ.get("JAXGEMM_TUNING"):
    return pathlib.Path(given)
  if cache := os.environ.get("XDG_CACHE_HOME"):
    return pathlib.Path(cache) / "jaxgemm" / "tuning.json"
  try:
    return pathlib.Path.home() / ".cache" / "jaxgemm" / "tuning.json"
  except RuntimeError:  # without HOME, and the system does not know the user: a container
    return None


def place(given: str | os.PathLike | None, argument: str) -> pathlib.Path:
  """The file to write: the given one, or the default.

  Args:
    given: the path that the user gave, or None.
    argument: how the user gives a path, for messages: "path=".

  Raises:
    ValueError: the path is empty, or there is no default.
    TypeError: the path is no path.
  """
  if given is not None:
    if not isinstance(given, (str, os.PathLike)) or isinstance(os.fspath(given), bytes):
      raise TypeError(f"{argument}{given!r} was given; the path of a file is allowed, as a str or "
                      "a pathlib.Path, or None for the user's file. Pass one of these.")
    if not str(given) or "\0" in str(given):
      raise ValueError(f"{argument}{given!r} was given; the path of a file is allowed, or nothing "
                       "for the user's file. Pass one of these.")
    return pathlib.Path(given)
  variable = os.environ.get("JAXGEMM_TUNING", "")
  if variable.lower().strip() in _SWITCHES and not is_off():
    raise ValueError(f"JAXGEMM_TUNING is {variable!r}; allowed are the path of a file, and 'off'. "
                     f"Correct it, or pass {argument}")
  if (found := default_path()) is not None:
    return found
  if is_off():
    raise ValueError("JAXGEMM_TUNING is 'off', so there is no tuning file. Unset it, or pass "
                     f"{argument}")
  raise ValueError("HOME is not set, and the system does not know this user's home folder, so "
                   "there is no tuning file. Set JAXGEMM_TUNING to the path of a file, or pass "
                   f"{argument}")


def shipped() -> dict[str, Entry]:
  """The entries that the package has for chips. A user's own entries take precedence."""
  return {key: entry for path in sorted(SHIPPED.glob("*.json"))
          for key, entry in load(path).items()}


def load(path: pathlib.Path) -> dict[str, Entry]:
  """The entries of a file, by key; {} if there is no file. Damaged entries are left out."""
  try:
    entries, fault = read(path)
  except (FileNotFoundError, NotADirectoryError):
    return {}
  except OSError as error:
    if not os.access(path.parent, os.X_OK):  # HOME is another user's, as in some containers
      return {}
    entries, fault = {}, _unreadable(error)
  if fault:
    report(path, fault)
  return entries


def read(path: pathlib.Path) -> tuple[dict[str, Entry], str]:
  """(the entries of a file, what is wrong with the file or "").

  Raises:
    OSError: there is no such file, or it cannot be read.
  """
  if os.path.exists(path) and not os.path.isfile(path):  # to read a pipe could take for ever
    raise OSError(errno.EINVAL, "It is no regular file", str(path))
  try:
    return _parsed(path.read_bytes())
  except (ValueError, RecursionError) as error:
    return {}, _unreadable(error)


def _unreadable(error: Exception) -> str:
  return f"cannot be read and is ignored: {error}"


def loads(text: str | bytes, path: pathlib.Path) -> dict[str, Entry]:
  """The entries in the text of a file. `path` is for warnings.

  Raises:
    ValueError: the text is no JSON.
  """
  entries, fault = _parsed(text)
  if fault:
    report(path, fault)
  return entries


def _parsed(text: str | bytes) -> tuple[dict[str, Entry], str]:
  """(the entries in the text of a file, what is wrong with it or "")."""
  data = json.loads(text)
  if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(
      data.get("entries"), dict):
    return {}, f"is no tuning file of format {FORMAT} and is ignored"
  entries, damaged = {}, []
  for key, value in data["entries"].items():
    try:
      entries[key] = Entry.read(value)
    except ValueError as error:
      damaged.append(str(error))
  if not damaged:
    return entries, ""
  return entries, f"has {len(damaged)} damaged entries, which are ignored: {damaged[0]}"


@functools.cache
def report(path: pathlib.Path, what: str, remedy: str = _REMEDY) -> None:
  """Warns, once for each file and fault."""
  warnings.warn(f"The tuning file {path} {what}. {remedy}", stacklevel=2)


def merge(path: pathlib.Path, entries: Mapping[str, Entry]) -> None:
  """Adds entries to a file; they replace those with the same keys.

  Raises:
    OSError: the file cannot be written. An older file is left as it was.
  """
  with _changed(path) as there:
    there.update(entries)


def prune(path: pathlib.Path, keep) -> int:
  """Removes the entries for which keep(key, entry) is false; returns their number."""
  with _changed(path) as there:
    out = [key for key, entry in there.items() if not keep(key, entry)]
    for key in out:
      del there[key]
  return len(out)


@contextlib.contextmanager
def _changed(path: pathlib.Path) -> Iterator[dict[str, Entry]]:
  """A context with the entries of a file, at whose end the file is replaced by what they are then.

  A fault of the old file is reported, and then a copy of it is kept.
  """
  path = pathlib.Path(os.path.realpath(path))  # a link stays, and the file that it names changes
  path.parent.mkdir(parents=True, exist_ok=True)
  with open(path.with_name(path.name + ".lock"), "w", encoding="utf-8") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
      entries, fault = read(path)
    except FileNotFoundError:
      entries, fault = {}, ""
    if fault:
      report(path, fault, f"It is kept as {_kept(path)}.")
    yield entries
    _replace(path, entries)


def _kept(path: pathlib.Path) -> pathlib.Path:
  """Copies a file to a name beside it that was free, and returns that."""
  copy = path.with_name(path.name + ".damaged")
  if os.path.lexists(copy):
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=copy.name + "-")
    os.close(handle)
    copy = pathlib.Path(name)
  shutil.copy2(path, copy)
  return copy


def _replace(path: pathlib.Path, entries: Mapping[str, Entry]) -> None:
  text = dumps(entries)
  handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
  try:
    with open(handle, "w", encoding="utf-8") as file:
      file.write(text)
    # mkstemp makes files that only their owner may read. This one keeps the old file's mode.
    os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o644)
    os.replace(name, path)
  except BaseException:
    with contextlib.suppress(FileNotFoundError):
      os.unlink(name)
    raise


def dumps(entries: Mapping[str, Entry]) -> str:
  """The text of a file with these entries."""
  lines = ",\n".join(
      f"{json.dumps(key)}: {json.dumps(dataclasses.asdict(entry), sort_keys=True)}"
      for key, entry in sorted(entries.items()))
  return f'{{"format": {FORMAT}, "entries": {{\n{lines}\n}}}}\n'
