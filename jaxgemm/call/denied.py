"""Kernels that must not be chosen on a chip, because `jaxgemm.first_light` found them wrong there.

They stand in a file in JSON. The environment variable JAXGEMM_DENIED says where it is; without that
it is jaxgemm/denied.json in the user's folder for configurations. With JAXGEMM_DENIED=off no kernel
is denied. A file that the variable names must exist.

The file has a list of rules for each chip; `Rule` says what one is. It is read once in a process.
Each process of a program reads its own: give all of them the same.

Each plan is made by `plan`, which leaves out what is denied, whatever asked for it: the model, a
tuned entry, or the user's `GemmConfig`.
"""

from collections.abc import Callable, Sequence
import contextlib
import dataclasses
import fcntl
import functools
import json
import os
import pathlib
import tempfile
from typing import Any

from jaxgemm import _ffi

FORMAT = 1
ANY = "*"


@dataclasses.dataclass(frozen=True)
class Rule:
  """Something that is denied on a chip.

  Attributes:
    kernel: the name of a kernel, or "*" for all.
    schedule: a schedule with which it is denied, or "*" for all.
    why: what was found, as a part of a sentence.
    date: when it was found, in the format of ISO 8601.
  """

  kernel: str
  schedule: str
  why: str
  date: str

  def holds(self, kernel: str, schedule: str) -> bool:
    return self.kernel in (ANY, kernel) and self.schedule in (ANY, schedule)

  def __str__(self) -> str:
    with_schedule = "" if self.schedule == ANY else f" with schedule {self.schedule}"
    kernel = "all kernels" if self.kernel == ANY else self.kernel
    return f"{kernel}{with_schedule} (found on {self.date[:10]}: {self.why})"


def path() -> pathlib.Path | None:
  """The file, which may be missing. None: JAXGEMM_DENIED is "off", or there is no home folder."""
  given = os.environ.get("JAXGEMM_DENIED")
  if given == "off":
    return None
  if given:
    return pathlib.Path(given)
  if folder := os.environ.get("XDG_CONFIG_HOME"):
    return pathlib.Path(folder) / "jaxgemm" / "denied.json"
  try:
    return pathlib.Path.home() / ".config" / "jaxgemm" / "denied.json"
  except RuntimeError:  # without HOME, and the system does not know the user: a container
    return None


def read(file: pathlib.Path) -> dict[str, list[Rule]]:
  """The rules of a file by chip.

  Raises:
    FileNotFoundError: there is no such file.
    ValueError: it cannot be read. It must not be ignored: a kernel would be used that is denied.
  """
  try:
    data = json.loads(file.read_text(encoding="utf-8"))
    if data["format"] != FORMAT:
      raise ValueError(f"its format is {data['format']!r}")
    fields = [field.name for field in dataclasses.fields(Rule)]
    found = {chip: [Rule(*(each[name] for name in fields)) for each in rules]
             for chip, rules in data["chips"].items()}
    if not all(isinstance(x, str) for rules in found.values() for each in rules
               for x in dataclasses.astuple(each)):
      raise ValueError("a rule has a field that is no text")
  except FileNotFoundError:
    raise
  except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
    raise ValueError(
        f"The list of denied kernels {file} cannot be read: {error!r}. Correct or remove it, or "
        "set JAXGEMM_DENIED to another file or to 'off'.") from error
  return found


def write(file: pathlib.Path, chip: str, rules: Sequence[Rule],
          is_replaced: Callable[[Rule], bool]) -> int:
  """Adds rules for a chip to a file, which is made if there is none.

  Several processes may write at once: each takes a lock.

  Args:
    chip: a name that `key` gives.
    is_replaced: whether a rule that stands there for this chip is removed.

  Returns:
    The number of rules for the chip that are in the file then.

  Raises:
    OSError: it cannot be written.
    ValueError: see `read`.
  """
  file = pathlib.Path(os.path.realpath(file))  # a link stays, and the file that it names changes
  file.parent.mkdir(parents=True, exist_ok=True)
  with open(file.with_name(file.name + ".lock"), "w", encoding="utf-8") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
      chips = read(file)
    except FileNotFoundError:
      chips = {}
    kept = [rule for rule in chips.pop(chip, []) if not is_replaced(rule)]
    # A rule that is found again is not there twice.
    left = [*rules, *(rule for rule in kept if not any(
        (rule.kernel, rule.schedule) == (each.kernel, each.schedule) for each in rules))]
    if left:
      chips[chip] = left
    _replace(file, chips)
  forget()
  return len(left)


def _replace(file: pathlib.Path, chips: dict[str, list[Rule]]) -> None:
  data = {"format": FORMAT, "chips": {
      name: [dataclasses.asdict(rule) for rule in found] for name, found in chips.items()}}
  handle, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
  try:
    with open(handle, "w", encoding="utf-8") as out:
      out.write(json.dumps(data, indent=1) + "\n")
    os.chmod(name, 0o644)
    os.replace(name, file)
  except BaseException:
    with contextlib.suppress(FileNotFoundError):
      os.unlink(name)
    raise


@functools.cache
def _read() -> dict[str, list[Rule]]:
  file = path()
  if file is None:
    return {}
  try:
    return read(file)
  except FileNotFoundError as error:
    if not os.environ.get("JAXGEMM_DENIED"):
      return {}
    raise ValueError(
        f"JAXGEMM_DENIED names the list of denied kernels {file}, and there is no such file. "
        "Correct the variable, unset it, or set it to 'off'; or make the file: "
        "python -m jaxgemm.first_light --write.") from error


def forget() -> None:
  """Clears what was read, so that the file is read again."""
  _read.cache_clear()


def key(chip: str) -> str:
  """The name in the file of a chip, which has the name that `_ffi.chip` gives.

  What is wrong on a virtual GPU may be right on a real one. Where JAXGEMM_ROCM_ARCH names the chip,
  it is the one that this process has, if that is of the same target: the program would run on it.
  """
  target = _ffi.target_of(chip)
  if target is not None and chip == _ffi.chip(target):
    chip = _ffi.own_chip(target) or chip
  return chip + " virtual" * bool(_ffi.virtual_gpus)


def rules_of(chip: str) -> Sequence[Rule]:
  """What is denied on a chip, which has the name that `_ffi.chip` gives."""
  return rules.get(key(chip), ()) if (rules := _read()) else ()


def rule_for(chip: str, kernel: str, schedule: str = ANY) -> Rule | None:
  """The rule that denies a kernel with a schedule on a chip, or None.

  With schedule "*" it is one that denies the kernel with each schedule.
  """
  return next((rule for rule in rules_of(chip) if rule.holds(kernel, schedule)), None)


def why_no_kernel(target: str, chip: str | None, lhs: str, rhs: str) -> str:
  """Why no kernel of this build for these types may be chosen, or "".

  Args:
    target: the plan's target.
    chip: the chip that the call names, or None.
    lhs, rhs: the names of the types that the kernel reads.
  """
  chip = chip or _ffi.chip(target)
  if not rules_of(chip):
    return ""
  # Kernels for out^T have the types in the other order.
  starts = f"gemm_{lhs}_{rhs}_", f"gemm_{rhs}_{lhs}_"
  built = [name for name in _ffi.built_kernels(target) if name.startswith(starts)]
  found = [rule_for(chip, name) for name in built]
  if not found or found[0] is None or not all(found):
    return ""
  return (f"all kernels for {lhs} and {rhs} are denied on {chip}, for example {found[0]}; "
          f"{_where()}")


def plan(problem: tuple, config: tuple, target: str, cus: int, chip: str) -> dict[str, Any]:
  """The native plan without what is denied on the chip; see `_ffi.native_plan` for the arguments.

  Its entry "denied" says that no candidate is left, and why, or it is "".

  Raises:
    ValueError: see `_ffi.native_plan`; or the file cannot be read.
  """
  chosen = _ffi.native_plan(problem, config, target, cus, chip) | {"denied": ""}
  if not rules_of(chip):
    return chosen
  left = [each for each in chosen["candidates"]
          if not rule_for(chip, each["kernel"], each["schedule"])]
  rule = rule_for(chip, chosen["kernel"], chosen["schedule"])
  if rule is None:
    return chosen | {"candidates": left}
  for each in left:
    wanted = tuple((dict(config) | each["config"]).items())
    other = _ffi.native_plan(problem, wanted, target, cus, chip)
    if rule_for(chip, other["kernel"], other["schedule"]) is None and (
        other["built"] or not chosen["built"]):
      others = [each, *(x for x in left if x is not each)]
      return other | {
          "denied": "", "faster_by_xla": chosen["faster_by_xla"],
          "candidates": [x | {"cost": x["cost"] / each["cost"]} for x in others],
          "reasons": [*other["reasons"], f"denied on {chip}: {rule}; {_where()}"]}
  why = f"no kernel is left for this product: denied on {chip} is {rule}; {_where()}"
  return chosen | {"built": False, "denied": why, "faster_by_xla": why, "candidates": [],
                   "reasons": [*chosen["reasons"], why]}


def _where() -> str:
  return "the list of jaxgemm.first_light says so (JAXGEMM_DENIED)"
