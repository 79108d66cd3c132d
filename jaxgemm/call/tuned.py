"""Looks up the entry of the tuning file for a plan.

The file is read once in a process, when the first product is planned. If it has no entry, the
files that the package has for the chip are looked up. A program of several processes must
choose the same in all of them. So it uses a user's file only if JAXGEMM_TUNING names it, and all
processes take the entries of process 0.
"""

import collections
from collections.abc import Iterator, Mapping
import contextlib
import contextvars
import dataclasses
import functools
import os
import pathlib

import jax

from jaxgemm import _ffi
from jaxgemm.call import denied
from jaxgemm.tune import database
from jaxgemm.tune.database import Entry

# Fields of a config that fit one size of the open dimension only.
_FOR_ONE_SIZE = ("num_workgroups", "num_shares")

Problem = Mapping[str, str | int]


@functools.cache
def _version() -> str:
  import importlib.metadata

  return importlib.metadata.version("jaxgemm")


def machine(target: str, cus: int) -> str:
  """The machine that times are for: a GPU's target and CUs, or a CPU's kernels and processors."""
  if _ffi.NAMES["targets"][target] == "cpu":
    best = next(each["name"] for each in _ffi.native.host_kernels() if each["available"])
    return f"cpu {best} {len(os.sched_getaffinity(0))}"
  # The H100 and the H200 have the same number of multiprocessors, but different memories.
  kind = ""
  if target.startswith("sm") and cus and _ffi.default_platform() == "cuda":
    kind = f" {jax.devices()[0].device_kind}"
  # The times of a virtual GPU say nothing about a real one.
  return f"{target} {cus}{kind}" + " virtual" * bool(_ffi.virtual_gpus)


def bucket(size: int) -> int:
  """The next power of two. Sizes above the power before it, and up to it, share an entry."""
  return 1 << max(size - 1, 0).bit_length()


def is_current(name: str) -> bool:
  """Whether a key is of this version of the package."""
  return name.split(" | ")[1:2] == [_version()]


def open_size(problem: Problem) -> str:
  """The dimension whose size the key leaves open; mostly it is the number of tokens."""
  return "k" if problem["ragged"] == "k" else "m"


def key(problem: Problem, target: str, cus: int) -> str:
  """The key of a problem in the file. The open size and the number of groups are buckets."""
  sized = dict(problem)
  for name in (open_size(problem), "groups", "local_groups"):
    sized[name] = bucket(int(sized[name])) if sized[name] else 0
  fields = " ".join(f"{name}={value}" for name, value in sorted(sized.items())
                    if value not in (0, "none"))
  return f"{machine(target, cus)} | {_version()} | {fields}"


@functools.lru_cache(maxsize=1)
def _entries(path) -> dict[str, Entry]:
  found = database.load(path)
  if os.environ.get("JAXGEMM_TUNING") and not os.path.exists(path):
    database.report(
        path, "that JAXGEMM_TUNING names does not exist, so it has no entries",
        "Run jaxgemm.tune, which makes it, or correct the variable; 'off', in small letters, "
        "switches tuning off.")
  if old := sum(not is_current(name) for name in found):
    database.report(path, f"has {old} entries of other versions of jaxgemm, which are ignored",
                    "Run python -m jaxgemm.tune prune to remove them, and tune again.")
  return found


# How long a process waits for process 0, which may still be starting.
_WAIT_MS = 300_000
_SHARED = "jaxgemm/tuning"


@functools.cache
def _entries_of_process_0() -> dict[str, Entry]:
  """The tuning entries that process 0 uses. They are read once: `forget` does not clear them.

  Raises:
    RuntimeError: process 0 has not shared its entries in time.
  """
  from jax._src import distributed  # jax has no public way to share values between processes

  client = distributed.global_state.client
  path = database.default_path()
  if client is None or path is None:
    return {}  # without a client the processes cannot share entries
  if jax.process_index() == 0:
    found = {name: entry for name, entry in _entries(path).items() if is_current(name)}
    client.key_value_set(_SHARED, database.dumps(found))
    return found
  try:
    text = client.blocking_key_value_get(_SHARED, _WAIT_MS)
  except Exception as error:
    raise RuntimeError(
        f"process {jax.process_index()} plans a product and asks process 0 for its tuning "
        "entries, so that both choose the same, but process 0 has planned none. Call "
        "jaxgemm.explain or the same program in process 0, too, or unset JAXGEMM_TUNING in "
        "all processes.") from error
  return database.loads(text, pathlib.Path("of process 0"))


_uses_file = contextvars.ContextVar("uses_file", default=True)


@contextlib.contextmanager
def without_file() -> Iterator[None]:
  """A context in which plans ignore the tuning file, and no dense product is left to XLA.

  The plan's entry "by_rule" says whether its rules would have left the product to XLA.
  """
  token = _uses_file.set(False)
  try:
    yield
  finally:
    _uses_file.reset(token)


@functools.cache
def _shipped() -> dict[str, Entry]:
  return database.shipped()


def entries() -> Mapping[str, Entry]:
  """The entries that this process uses: those of the file, then those of the package."""
  if database.is_off():
    return {}
  path = database.default_path()
  own: dict[str, Entry] = {}
  if jax.process_count() > 1:
    own = _entries_of_process_0() if os.environ.get("JAXGEMM_TUNING") else {}
  elif path is not None:
    own = _entries(path)
  return collections.ChainMap(own, _shipped()) if _shipped() else own


def forget() -> None:
  """Clears what was read, so that the files are read again."""
  _entries.cache_clear()
  _shipped.cache_clear()


def tuned_plan(problem: Problem, config: tuple, target: str, is_open: bool,
               named_chip: str | None = None) -> dict:
  """The plan of a problem: that of the tuning file's entry, or without one the predicted plan.

  If the entry says that XLA is faster, the plan is for products that are never left to XLA, such
  as those of gradients.

  Args:
    problem: the fields of the native plan's problem.
    config: the user's config, as `GemmConfig.to_native` gives it.
    target: "cpu", "gfx942", "gfx950", "gfx90a" or "sm90".
    is_open: see `GemmConfig.is_open`; if it is false, no entry is used.
    named_chip: the chip of this target to plan for; None: that of `_ffi.chip`.

  Raises:
    ValueError: the problem or the config does not fit the target.
  """
  if named_chip:
    cus, chip = _ffi.NAMES["chips"][named_chip][1], named_chip
  else:
    cus, chip = _ffi.num_cus(target), _ffi.chip(target)
  fields = tuple(problem.items())
  predicted = denied.plan(fields, config, target, cus, chip)
  if not _uses_file.get():
    return predicted | {"by_rule": bool(predicted["faster_by_xla"]), "faster_by_xla": ""}
  name = key(problem, target, cus) if is_open and entries() else ""
  entry = entries().get(name)
  if entry is None:
    return predicted
  size = problem[open_size(problem)]
  if entry.source == "predicted" and entry.size != size:
    return predicted
  measured = "" if entry.source == "measured" else "by a model of the chip, not measured: "
  times = (f"{measured}{entry.seconds * 1e6:.1f} us on {entry.date[:10]}, the plan's own choice "
           f"{entry.plan_seconds * 1e6:.1f} us")
  if entry.xla_seconds is not None:
    times += f", XLA's product {entry.xla_seconds * 1e6:.1f} us"
  if entry.size != size:
    times += f"; timed with {open_size(problem)}={entry.size}"
  chosen = {name: value for name, value in entry.config.items()
            if entry.size == size or name not in _FOR_ONE_SIZE}
  try:
    tuned = denied.plan(
        fields, tuple((dict(config) | chosen).items()), target, cus, chip)
  except ValueError as error:
    return predicted | {"reasons": [
        *predicted["reasons"], f"the tuned choice does not fit: {error}"]}
  if not tuned["built"]:
    return predicted
  by_xla = entry.implementation == "xla" and not dict(config)["same_rows"]
  return tuned | {
      "tuned": {"key": name, **dataclasses.asdict(entry)},
      "faster_by_xla": f"tuning found XLA's product faster: {times}" if by_xla else "",
      "reasons": [*tuned["reasons"], f"tuned: {times}; entry {name!r}"]}
