"""The report of a run: `data_of` gives report.json, and `words` gives report.md from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
import dataclasses
import getpass
import ipaddress
import math
import pathlib
import re
import socket
from typing import Any

import numpy as np

from jaxgemm.call.denied import ANY, Rule
from jaxgemm.first_light import features, fit, products

FORMAT = 1
_REMEDIES = {
    "xla": "The driver, ROCm or CUDA, or JAX's plugin is at fault: mend these first.",
    "persistent": "Pass `implementation=\"xla\"` everywhere until this is understood.",
    "stream_k_tree": "Do not pass `reduction=\"tree\"`.",
    "stream_k_atomic": "Do not pass `reduction=\"atomic\"`.",
    "groups": "Pass `implementation=\"xla\"` to grouped products.",
    "gradients_of_groups": "Pass `implementation=\"xla\"` to grouped products that are trained.",
    "experts": "Do not pass `lhs_indices` to grouped products.",
    "scales_of_blocks": "Pass `implementation=\"xla\"` to `scaled_matmul`.",
    "command_buffers": "Set `JAXGEMM_COMMAND_BUFFERS=0`.",
    "chunks": "Do not use `overlap` with operands in the host's memory.",
    "chunks_on_device": "Do not use `overlap` with operands on the device.",
    "late_chunk": "Do not rely on the timeout of `chunked_matmul`.",
    "streams": "Run programs from one thread of the host only.",
    "devices": "Do not use `allgather_matmul` and `matmul_reduce_scatter`.",
}


# What is denied if a check of features fails, as the kernel and the schedule of a rule.
_DENIED_BY = {"routing": ("routing", ANY),
              **{check: (ANY, schedule) for check, schedule in features.SCHEDULES.items()}}
# Fields of the report that are no free text, so that they have no name of a host or a user.
_FIXED = frozenset([
    "chip", "denied_as", "target", "platform", "device_kind", "capability", "build", "kernels",
    "versions", "plugins", "driver", "rocm", "kernel", "schedule", "check", "checks", "how", "part",
    "clock", "date", "implementation", "config", "unreached", "stuck"])


def _timed(outcomes: Mapping[str, Any],
           given: Iterable[products.Product]) -> Iterator[tuple[products.Product, dict[str, Any]]]:
  for each in given:
    if "ours_us" in (outcome := outcomes.get(f"times: {each.name}", {})):
      yield each, outcome


def _of_fit(outcomes: Mapping[str, Any], given: Iterable[products.Product]) -> list[fit.Timed]:
  return [fit.Timed(each.operations, each.bytes, outcome["predicted_us"], outcome["ours_us"])
          for each, outcome in _timed(outcomes, given) if outcome["predicted_us"]]


def rules(outcomes: Mapping[str, Any]) -> list[Rule]:
  """What has to be denied on this chip."""
  found = []
  for check, (kernel, schedule) in _DENIED_BY.items():
    outcome = outcomes.get(f"features: {check}", {})
    if reason := why(outcome):
      found.append(Rule(kernel, schedule, reason[:200], outcome["date"]))
  for name, outcome in outcomes.items():
    if not name.startswith("kernels: "):
      continue
    kernel, wrong = name.removeprefix("kernels: "), outcome.get("wrong", [])
    hold = {*outcome.get("checks", [])} - {each["check"] for each in wrong}
    everywhere = [each for each in wrong if each["schedule"] == ANY or not hold]
    if everywhere:
      wrong = [everywhere[0] | {"schedule": ANY}]
    found += [Rule(kernel, each["schedule"], f"{each['check']}: {each['why']}"[:200],
                   outcome["date"]) for each in wrong]
  return found


def is_settled(rule: Rule, outcomes: Mapping[str, Any]) -> bool:
  """Whether outcomes that are not older than a rule say whether it still holds."""
  of = (rule.kernel, rule.schedule)
  feature = next((check for check, denied in _DENIED_BY.items() if denied == of), "")
  name = f"features: {feature}" if feature else f"kernels: {rule.kernel}"
  outcome = outcomes.get(name, {})
  if outcome.get("skipped") or outcome.get("date", "") < rule.date:
    return False
  if feature:
    return True
  ran = {*outcome["checks"], *(each["check"] for each in outcome["wrong"])}
  return bool(ran) and (rule.schedule == ANY or rule.schedule in ran)


def why(outcome: Mapping[str, Any]) -> str:
  """Why a check does not hold, or ""."""
  return outcome.get("failed") or outcome.get("why", "")


def constants(outcomes: Mapping[str, Any], machine: Mapping[str, Any]) -> dict[str, Any]:
  """The fitted constants, and the errors of predictions; {} if too little was timed."""
  every = _of_fit(outcomes, products.dense())
  rate = max((value for key, value in outcomes.get("rates: matrix", {}).items()
              if key.endswith("tflops")), default=0.0)
  memory = outcomes.get("rates: bandwidth", {}).get("gb_per_s", 0.0)
  if len(every) < 3 or not rate or not memory:
    return {}
  used, left = fit.parts(every)
  found = fit.fit(used, rate, memory)
  more = _of_fit(outcomes, products.further(machine["further"]))

  def off(given: Sequence[fit.Timed]) -> dict[str, Any]:
    measured = [x.measured_us for x in given]
    by_class = {name: fit.errors([found.predict(x) for x in of], [x.measured_us for x in of])
                for name in fit.CLASSES if (of := [x for x in given if found.kind(x) == name])}
    return {"plan": fit.errors([x.predicted_us for x in given], measured),
            "fitted": fit.errors([found.predict(x) for x in given], measured),
            "fitted_by_class": by_class}

  return {"constants": dataclasses.asdict(found), "fitted_to": len(used), "left_out": off(left),
          "further": off(more)}


def against_xla(outcomes: Mapping[str, Any]) -> dict[str, Any]:
  """Times of the kernels over XLA's, by kind of product."""
  found: dict[str, Any] = {}
  kinds = {"dense": products.dense(), "grouped": products.grouped()}
  for kind, given in kinds.items():
    timed = [(each, outcome) for each, outcome in _timed(outcomes, given) if "xla_us" in outcome]
    ratios = {each.name: outcome["ours_us"] / outcome["xla_us"] for each, outcome in timed}
    if ratios:
      left = [each.name for each, outcome in timed if outcome["to_xla"]]
      found[kind] = _ratios(ratios) | {
          "left_to_xla": len(left), "as_chosen": _mean([
              1.0 if name in left else ratio for name, ratio in ratios.items()])}
  layers = {name: outcome["ours_us"] / outcome["xla_us"] for name in products.LAYERS
            if "xla_us" in (outcome := outcomes.get(f"times: layer, {name}", {}))
            and "ours_us" in outcome}
  return found | ({"layers": _ratios(layers)} if layers else {})


def _mean(ratios: Sequence[float]) -> float:
  """The geometric mean."""
  return float(np.exp(np.mean(np.log(ratios))))


def _ratios(ratios: Mapping[str, float]) -> dict[str, Any]:
  order = sorted(ratios, key=ratios.__getitem__)
  return {"count": len(ratios), "geometric_mean": _mean([*ratios.values()]),
          "best": {name: ratios[name] for name in order[:5]},
          "worst": {name: ratios[name] for name in order[:-6:-1]}}


def data_of(machine: Mapping[str, Any], outcomes: Mapping[str, Any], unreached: Sequence[str],
            minutes: float, stuck: str = "") -> dict[str, Any]:
  """The report as data. Messages are without names of this host and user, addresses and paths.

  Args:
    stuck: the step whose process cannot be killed, with which the run ended, or "".
  """
  means = not machine["virtual"]  # times of an emulator mean nothing
  return _without_names({
      "format": FORMAT, "machine": dict(machine), "minutes": round(minutes, 1),
      "denied": [dataclasses.asdict(rule) for rule in rules(outcomes)],
      "predictions": constants(outcomes, machine) if means else {},
      "against_xla": against_xla(outcomes) if means else {},
      "unreached": list(unreached), "stuck": stuck, "outcomes": dict(outcomes)})


def _without_names(x: Any) -> Any:
  if isinstance(x, dict):
    return {key: value if key in _FIXED else _without_names(value) for key, value in x.items()}
  if isinstance(x, (list, tuple)):
    return [_without_names(each) for each in x]
  if isinstance(x, float) and not math.isfinite(x):
    return None  # JSON has no such number
  return _clean(x) if isinstance(x, str) else x


def _clean(text: str) -> str:
  text = _PATH.sub("(path)", text)
  host, _, domain = socket.gethostname().partition(".")
  # The host, with its domain or without, and others of its domain.
  names = [(host, rf"{re.escape(host)}(?:\.\w[\w-]*)*", "(host)")]
  if "." in domain:
    names.append((domain, rf"(?:\w[\w-]*\.)+{re.escape(domain)}", "(host)"))
  names += [(user, re.escape(user), "(user)") for user in _users()]
  for name, pattern, word in names:
    if len(name) > 1 and name != "root":
      text = re.sub(rf"(?<![\w-]){pattern}(?![\w-])", word, text, flags=re.IGNORECASE)
  return _ADDRESS.sub(_without_address, text)


# A path of two parts or more. A space may be in a part, and before an ending such as "a b.txt".
_PART = r"[^\s/'\":,;()<>]+"
_PATH = re.compile(rf"(?:(?<![\w.)])|~[\w.-]*)/(?:{_PART}(?: {_PART})*/)+"
                   rf"(?:{_PART}(?: {_PART}){{0,3}}?\.[A-Za-z]\w*|{_PART})?|~[\w.-]*/{_PART}")
_ADDRESS = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*[0-9A-Fa-f:])(?![\w.]*\w)")


def _without_address(found: re.Match) -> str:
  text = found[0]
  for end in range(len(text), 2, -1):  # "10.0.0.1" of "10.0.0.1:"; a port may follow
    try:
      ipaddress.ip_address(text[:end])
    except ValueError:
      continue
    return "(address)" + text[end:] if re.search(r"\d", text[:end]) else text
  return text


def _users() -> Iterator[str]:
  """The names of this user."""
  try:
    yield pathlib.Path.home().name
  except RuntimeError:  # without HOME, and the system does not know the user: a container
    pass
  try:
    yield getpass.getuser()
  except (KeyError, OSError):
    pass


def _percent(x: float) -> str:
  return f"{100 * x:.0f} %"


def _count(number: int, what: str) -> str:
  return f"{number} {what}{'' if number == 1 else 's'}"


def verdict(data: Mapping[str, Any]) -> list[str]:
  """Sentences: what works, what does not, how far predictions are off, what to set."""
  outcomes, machine = data["outcomes"], data["machine"]
  kernels = {name.removeprefix("kernels: "): outcome for name, outcome in outcomes.items()
             if name.startswith("kernels: ") and not outcome.get("skipped")}
  wrong = [name for name, outcome in kernels.items() if outcome.get("wrong")]
  unused = [name for name, outcome in kernels.items() if not outcome.get("checks")
            and not outcome.get("wrong")]
  lines = []
  if data["stuck"]:
    lines.append(f"**The process of \"{data['stuck']}\" cannot be killed**, so the run ended "
                 "there. Restart the machine, and run the command again.")
  if bad := why(outcomes.get("features: xla", {})):
    lines.append(f"**XLA's own product is wrong on this GPU** ({bad}). Nothing below counts "
                 "before that is mended.")
  right = len(kernels) - len(wrong) - len(unused)
  if kernels:
    lines.append(f"**{right} of {_count(len(kernels), 'kernel')} are right**"
                 + (f"; wrong: {', '.join(wrong[:8])}"
                    f"{' and more' if len(wrong) > 8 else ''}." if wrong else "."))
  if unused:
    lines.append(f"{_count(len(unused), 'kernel')} could not be checked, because no plan of the "
                 "checks takes them.")
  checks = {name.removeprefix("features: "): outcome for name, outcome in outcomes.items()
            if name.startswith("features: ")}
  failed = [name for name, outcome in checks.items() if why(outcome)]
  skipped = [name for name, outcome in checks.items() if outcome.get("skipped")]
  if checks:
    lines.append(f"**{len(checks) - len(failed) - len(skipped)} of {len(checks)} checks of "
                 f"features hold**" + (f"; these fail: {', '.join(failed)}" if failed else "")
                 + (f". {len(skipped)} did not run." if skipped else "."))
  wrong_times = [name for name, outcome in outcomes.items()
                 if name.startswith("times: ") and (outcome.get("wrong") or "failed" in outcome)]
  if wrong_times:
    names = ", ".join(x.removeprefix("times: ") for x in wrong_times[:5])
    lines.append(f"{_count(len(wrong_times), 'product')} of those that were timed failed, or "
                 f"differ from XLA's: {names}.")
  if machine["virtual"]:
    lines.append("The GPU is virtual: the times in this report mean nothing.")
  if data["against_xla"]:
    said = [f"{kind} {each['geometric_mean']:.2f}" for kind, each in data["against_xla"].items()]
    lines.append("**Time over XLA's time**, geometric mean (below 1 is faster than XLA): "
                 + ", ".join(said) + ".")
  if found := data["predictions"].get("left_out", {}).get("fitted"):
    plan = data["predictions"]["left_out"]["plan"]
    lines.append(f"**Predictions** were off by {_percent(plan['median_error'])} in the median, and "
                 f"with the constants of this chip by {_percent(found['median_error'])}, on "
                 f"{_count(found['count'], 'product')} that had no part in the fit.")
  if data["unreached"]:
    lines.append(f"{_count(len(data['unreached']), 'step')} did not run, because the run ended "
                 "before. Run the command again: it goes on where it was.")
  return lines


def is_bad(data: Mapping[str, Any]) -> bool:
  """Whether something was found wrong."""
  return bool(data["denied"]) or any(
      why(outcome) or outcome.get("wrong") for outcome in data["outcomes"].values())


def to_set(data: Mapping[str, Any]) -> list[str]:
  """What a user should set or leave out, as sentences."""
  lines = []
  if data["denied"]:
    lines.append("Run `python -m jaxgemm.first_light --write`: what was found wrong is then never "
                 "chosen on this chip. `jaxgemm.explain` names it.")
  for name, outcome in data["outcomes"].items():
    check, _, without = name.removeprefix("features: ").partition(", ")
    if name.startswith("features: ") and why(outcome):
      if without:
        lines.append(f"`{check}` fails also with JAXGEMM_COMMAND_BUFFERS=0.")
      elif check in _REMEDIES and check not in features.SCHEDULES:
        lines.append(_REMEDIES[check])
  return list(dict.fromkeys(lines))


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
  line = lambda cells: "| " + " | ".join(str(x).replace("|", "/") for x in cells) + " |"  # noqa: E731
  return [line(head), line(["---"] * len(head)), *map(line, rows), ""]


def words(data: Mapping[str, Any]) -> str:
  """The report for a reader."""
  machine, outcomes = data["machine"], data["outcomes"]
  lines = [f"# First light on {machine['device_kind']}", "", "## Verdict", ""]
  lines += [f"- {each}" for each in verdict(data)] + ["", "## What to set", ""]
  lines += [f"- {each}" for each in to_set(data)] or ["- Nothing."]
  lines += ["", "## What was found wrong", ""]
  lines += _table(["kernel", "schedule", "what"],
                  [(each["kernel"], each["schedule"], each["why"]) for each in data["denied"]]
                  ) if data["denied"] else ["Nothing that is chosen by itself.", ""]
  failed = [(name.removeprefix("features: "), why(outcome)[:300])
            for name, outcome in outcomes.items()
            if name.startswith("features: ") and why(outcome)]
  if failed:
    lines += _table(["check", "why it fails"], failed)
  lines += ["## What is there", ""]
  shown = {"chip": machine["chip"], "compute units": machine["compute_units"],
           "GPUs": machine["devices"], "memory": f"{machine['memory_gib']} GiB",
           "driver": machine["driver"] or "unknown", "ROCm": machine["rocm"],
           "JAX's client": machine["platform_version"].replace("\n", ", "),
           "plugins": ", ".join(f"{k} {v}" for k, v in machine["plugins"].items()),
           "versions": ", ".join(f"{k} {v}" for k, v in machine["versions"].items()),
           "clocks": machine["clocks"].replace("\n", "; "),
           "kernels in this build": f"{len(machine['kernels'])}, and {machine['lacks']} are not"}
  lines += _table(["what", "value"], [each for each in shown.items() if each[1]])
  if not machine["virtual"]:
    lines += _rates(outcomes)
  lines += _predictions(data["predictions"]) + _times(data)
  skipped = [(name, outcome["skipped"][:200]) for name, outcome in outcomes.items()
             if outcome.get("skipped")]
  if skipped or data["unreached"]:
    lines += ["## What did not run", ""]
  if skipped:
    lines += _table(["step", "why"], skipped)
  if data["unreached"]:
    more = " and more" if len(data["unreached"]) > 40 else ""
    lines += [f"The run ended before {', '.join(data['unreached'][:40])}{more}.", ""]
  lines += ["## What this means", "",
            "docs/guides/first_light.md explains each part. Attach report.json to an issue: "
            "names of this host and this user, addresses and paths are left out.", ""]
  return "\n".join(lines)


def _rates(outcomes: Mapping[str, Any]) -> list[str]:
  found = {name: outcomes.get(f"rates: {name}", {}) for name in ("bandwidth", "matrix", "launch")}
  rows = []
  if "gb_per_s" in found["bandwidth"]:
    rows.append(("bandwidth of the memory", f"{found['bandwidth']['gb_per_s']:.0f} GB/s"))
  for who, name in (("jaxgemm", "ours_tflops"), ("XLA", "xla_tflops")):
    if name in found["matrix"]:
      rows.append((f"bfloat16, a large product by {who}", f"{found['matrix'][name]:.0f} TFLOP/s"))
  if "smallest_us" in found["launch"]:
    rows.append(("the smallest product", f"{found['launch']['smallest_us']:.1f} us"))
    rows.append(("a call, seen from the host", f"{found['launch']['call_us']:.1f} us"))
  return ["## Rates", "", *_table(["what", "measured"], rows)] if rows else []


def _predictions(found: Mapping[str, Any]) -> list[str]:
  if not found:
    return []
  constants_of = found["constants"]
  rows: list[Sequence[str]] = []
  for part in ("left_out", "further"):
    for who in ("plan", "fitted"):
      if each := found[part][who]:
        rows.append((part.replace("_", " "), who, each["count"], _percent(each["median_error"]),
                     f"{each['geometric_mean']:.2f}", f"{each['rank_correlation']:.2f}"))
    for name, each in found[part]["fitted_by_class"].items():
      rows.append((part.replace("_", " "), f"fitted, {name}", each["count"],
                   _percent(each["median_error"]), f"{each['geometric_mean']:.2f}",
                   f"{each['rank_correlation']:.2f}"))
  factors = ", ".join(f"{name} {value:.2f}" for name, value in constants_of["factors"].items())
  return ["## Predictions", "", "Predicted times over measured ones. \"plan\" is what "
          "`jaxgemm.explain` says; \"fitted\" has the constants of this chip: "
          f"{constants_of['launch_us']:.1f} us for a launch, and the factors {factors}.", "",
          *_table(["products", "prediction", "number", "median error", "geometric mean",
                   "rank correlation"], rows)]


def _times(data: Mapping[str, Any]) -> list[str]:
  lines = []
  for kind, each in data["against_xla"].items():
    lines += [f"## Times, {kind}", "", f"{each['count']} were timed; the time over XLA's time is "
              f"{each['geometric_mean']:.2f}, geometric mean.", ""]
    if each.get("left_to_xla"):
      lines += [f"Without being asked, the package leaves {each['left_to_xla']} of these to XLA. "
                f"If these count as 1, the mean is {each['as_chosen']:.2f}.", ""]
    few = {**each["worst"], **dict(reversed(each["best"].items()))}
    lines += _table(["product", "time over XLA's"], [(k, f"{v:.2f}") for k, v in few.items()])
  every = _timed(data["outcomes"], [
      *products.dense(), *products.grouped(), *products.further(data["machine"]["further"])])
  rows = [(each.name, f"{outcome['ours_us']:.1f}",
           f"{outcome['xla_us']:.1f}" if "xla_us" in outcome else "",
           f"{outcome['predicted_us']:.1f}" if outcome["predicted_us"] else "",
           f"{outcome['schedule']} {outcome['kernel']}") for each, outcome in every]
  if rows and not data["machine"]["virtual"]:
    lines += ["## All products", "", "Microseconds. The sizes are rows, columns and k.", "",
              *_table(["product", "jaxgemm", "XLA", "predicted", "kernel"], rows)]
  tuned = [(name.removeprefix("tuning: "), f"{outcome['plan_seconds'] / outcome['seconds']:.2f}",
            outcome["implementation"])
           for name, outcome in data["outcomes"].items()
           if name.startswith("tuning: ") and "seconds" in outcome]
  if tuned and not data["machine"]["virtual"]:
    lines += ["## Tuning", "", "What was tuned is in tuning.json.", "",
              *_table(["product", "faster than the plan's choice by", "chosen"], tuned)]
  return lines
