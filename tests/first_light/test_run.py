"""The order of the steps, and what follows from their outcomes, with steps that are made up."""

import fcntl
import json
import threading
import time

import pytest

from jaxgemm.call import denied
from jaxgemm.first_light import __main__, report, run
from tests.first_light.test_parts import machine

KERNELS = ["gemm_good", "gemm_hangs", "gemm_ends_with_stream_k", "gemm_dies_beside_it", "gemm_last"]


class FakeGpu:
  """Steps on a GPU on which some kernels fail.

  Attributes:
    ran: the name and the arguments of each step.
    failing: what fails of the features.
  """

  def __init__(self):
    self.ran: list[tuple[str, dict]] = []
    self.failing: dict[str, dict] = {}
    self._running, self._lock = 0, threading.Lock()

  def run(self, step, arguments, seconds):
    with self._lock:
      self.ran.append((step, dict(arguments)))
      self._running += 1
    time.sleep(0.02)
    with self._lock:
      alone, self._running = self._running == 1, self._running - 1
    if step == "machine.describe":
      return machine() | {"kernels": KERNELS}
    if step == "features.check":
      return self.failing.get(arguments["name"], {"why": "", "skipped": ""})
    if step == "times.of_layer":
      if arguments.get("with_xla", True):
        return {"failed": "XLA hangs", "how": "hang", "part": "xla"}
      return {"ours_us": 5.0, "predicted_us": None, "xla_fails": "", "clock": "device"}
    if step != "kernels.check":
      return {"failed": "no times here", "how": "error", "part": ""}
    if arguments["name"] == "gemm_hangs":
      return {"failed": "it took longer than 9 s", "how": "hang", "part": "edges"}
    if arguments["name"] == "gemm_dies_beside_it" and not alone:
      return {"failed": "it ended", "how": "end", "part": "edges"}
    checks = [x for x in ("edges", "stream_k") if x not in arguments["without"]]
    if "stream_k" in checks and arguments["name"] == "gemm_ends_with_stream_k":
      return {"failed": "it ended", "how": "end", "part": "stream_k"}
    return {"checks": checks, "refused": {}, "wrong": []}

  def stop(self):
    pass

  def kernels(self):
    return [arguments["name"] for step, arguments in self.ran if step == "kernels.check"]


@pytest.fixture
def gpu(monkeypatch):
  gpu = FakeGpu()
  monkeypatch.setattr(run, "Child", lambda *_: gpu)
  monkeypatch.setattr(run.os, "sched_getaffinity", lambda _: range(16))
  return gpu


def started(tmp_path, **options):
  return found(tmp_path, **options).data


def found(tmp_path, **options):
  return run.run(run.Options(tmp_path, **({"parts": ("features", "kernels")} | options)))


def rules(data):
  return {(each["kernel"], each["schedule"]) for each in data["denied"]}


def test_those_that_break_the_process_run_again_alone(tmp_path, gpu):
  data = started(tmp_path)
  assert rules(data) == {("gemm_hangs", "*"), ("gemm_ends_with_stream_k", "stream_k")}
  ran = gpu.kernels()
  assert ran.count("gemm_good") == 1 and ran.count("gemm_hangs") == 2
  assert json.loads((tmp_path / "report.json").read_text()) == data
  # All is known now, also what failed.
  gpu.ran.clear()
  assert rules(started(tmp_path)) == rules(data)
  assert [step for step, _ in gpu.ran] == ["machine.describe"]
  started(tmp_path, again=True)
  assert gpu.kernels().count("gemm_good") == 1


def test_one_call_at_a_time_uses_a_folder(tmp_path, gpu):
  with open(tmp_path / "lock", "w", encoding="utf-8") as other:
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(RuntimeError, match="Another call uses the folder .*another --folder"):
      started(tmp_path)
  assert started(tmp_path)["denied"] and gpu.ran


def test_the_pattern_of_kernels_is_checked(tmp_path, gpu, capsys):
  with pytest.raises(RuntimeError, match="--kernels=nosuch is in the name of none of the 5"):
    started(tmp_path, kernels="nosuch")
  with pytest.raises(SystemExit):
    __main__.main([f"--folder={tmp_path}", "--kernels=["])
  assert "--kernels=[ is no regular expression" in capsys.readouterr().err


def test_a_call_that_is_stopped_says_so(tmp_path, gpu, monkeypatch, capsys):
  def stop(*_):
    raise KeyboardInterrupt

  monkeypatch.setattr(gpu, "run", stop)
  assert __main__.main([f"--folder={tmp_path}"]) == 130
  assert "Run the command again from here to go on." in capsys.readouterr().err


def test_a_schedule_that_fails_is_not_tried_with_each_kernel(tmp_path, gpu):
  gpu.failing = {"stream_k": {"failed": "it took longer than 9 s", "how": "hang", "part": ""}}
  data = started(tmp_path)
  assert rules(data) == {("*", "stream_k"), ("gemm_hangs", "*")}
  without = [arguments["without"] for step, arguments in gpu.ran if step == "kernels.check"]
  assert without and all(each == ["stream_k"] for each in without)


def test_the_time_is_over(tmp_path, gpu):
  data = started(tmp_path, minutes=0.004)  # 0.24 s, and 0.07 s for features
  assert data["outcomes"] and data["unreached"]
  assert not {*data["outcomes"]} & {*data["unreached"]}
  assert len(data["outcomes"]) + len(data["unreached"]) == len(
      started(tmp_path, minutes=15)["outcomes"])


def test_failed_times_are_no_reason_to_deny(tmp_path, gpu):
  data = started(tmp_path, parts=("rates", "times", "tuning"))
  assert not data["denied"] and data["predictions"] == {} and data["against_xla"] == {}
  words = (tmp_path / "report.md").read_text()
  assert "80 products of those that were timed failed" in words


def test_the_times_of_a_layer_whose_product_by_xla_fails(tmp_path, gpu):
  outcomes = started(tmp_path, parts=("times",))["outcomes"]
  layer = outcomes["times: layer, mlp"]
  assert layer["ours_us"] == 5.0 and layer["xla_fails"] == "XLA hangs"


def test_what_is_found_is_written_for_the_chip(tmp_path, gpu, monkeypatch):
  file = tmp_path / "denied.json"
  monkeypatch.setenv("JAXGEMM_DENIED", str(file))
  said: list[str] = []
  run.write(found(tmp_path / "one"), tmp_path / "one", said.append)
  assert {(rule.kernel, rule.schedule) for rule in denied.read(file)["MI300X"]} == {
      ("gemm_hangs", "*"), ("gemm_ends_with_stream_k", "stream_k")}
  assert said == [f"2 rules for MI300X are in {file}"]
  monkeypatch.setenv("JAXGEMM_DENIED", "off")
  with pytest.raises(ValueError, match="JAXGEMM_DENIED is 'off'"):
    run.write(found(tmp_path / "one"), tmp_path / "one", said.append)
  denied.forget()


def rules_in(file):
  return {(rule.kernel, rule.schedule) for rule in denied.read(file).get("MI300X", [])}


def test_rules_of_what_was_not_checked_stay(tmp_path, gpu, monkeypatch):
  file = tmp_path / "denied.json"
  monkeypatch.setenv("JAXGEMM_DENIED", str(file))
  others = [("gemm_other", "*"), ("gemm_last", "*"), ("gemm_good", "work_stealing"),
            ("gemm_good", "stream_k"), ("routing", "*"), ("*", "work_stealing"), ("*", "stream_k")]
  denied.write(file, "MI300X", [denied.Rule(*each, "bad", "2026-01-02") for each in others],
               lambda rule: True)
  run.write(found(tmp_path / "one", parts=("kernels",), kernels="good|hangs"), tmp_path / "one",
            lambda text: None)
  # The check of work_stealing did not run with gemm_good.
  assert rules_in(file) == {*others, ("gemm_hangs", "*")} - {("gemm_good", "stream_k")}
  monkeypatch.setattr(gpu, "failing", {
      "stream_k": {"why": "bad", "skipped": ""}, "routing": {"why": "", "skipped": "no kernel"}})
  run.write(found(tmp_path / "one", parts=("features",)), tmp_path / "one", lambda text: None)
  assert rules_in(file) == {*others, ("gemm_hangs", "*")} - {
      ("gemm_good", "stream_k"), ("*", "work_stealing")}
  # A rule that is newer than the outcome stays.
  late = denied.Rule("gemm_good", "*", "bad", "9999-01-01")
  denied.write(file, "MI300X", [late], lambda rule: True)
  run.write(found(tmp_path / "one"), tmp_path / "one", lambda text: None)
  assert late in denied.read(file)["MI300X"]
  denied.forget()


def test_names_of_hosts_and_users_do_not_change_the_list(tmp_path, gpu, monkeypatch):
  monkeypatch.setattr(report.socket, "gethostname", lambda: "MI300X")
  monkeypatch.setattr(report.getpass, "getuser", lambda: "gemm_hangs")
  file = tmp_path / "denied.json"
  monkeypatch.setenv("JAXGEMM_DENIED", str(file))
  one = found(tmp_path / "one")
  run.write(one, tmp_path / "one", lambda text: None)
  assert rules_in(file) == {("gemm_hangs", "*"), ("gemm_ends_with_stream_k", "stream_k")}
  assert one.data["machine"]["chip"] == "MI300X"
  assert rules(one.data) == rules_in(file) and "kernels: gemm_hangs" in one.data["outcomes"]
  denied.forget()


def test_what_broke_beside_others_is_not_kept_before_it_ran_alone(tmp_path, gpu, monkeypatch):
  alone = run._Run._run_in_turn

  def at_the_end_of_the_time(self, child, steps, end):
    alone(self, child, steps, -1.0 if gpu.kernels() else end)

  monkeypatch.setattr(run._Run, "_run_in_turn", at_the_end_of_the_time)
  data = started(tmp_path)
  assert rules(data) == set()
  assert {*data["unreached"]} >= {"kernels: gemm_hangs", "kernels: gemm_dies_beside_it"}
  monkeypatch.setattr(run._Run, "_run_in_turn", alone)
  assert rules(started(tmp_path)) == {("gemm_hangs", "*"), ("gemm_ends_with_stream_k", "stream_k")}


@pytest.mark.parametrize("outcome, said", [
    ({"failed": "it ended", "how": "start", "part": ""}, "it ended"),
    ({"failed": "an import failed", "how": "error", "part": ""}, "an import failed"),
    ({"why": "", "skipped": "this build lacks a kernel"}, "this build lacks a kernel")])
def test_faults_that_are_not_the_kernels_are_no_rules(tmp_path, gpu, monkeypatch, outcome, said):
  right = gpu.run

  def fails(step, arguments, seconds):
    is_one = arguments.get("name") == "gemm_good" or (
        arguments.get("name") == "stream_k" and outcome.get("how") == "start")
    return dict(outcome) if is_one else right(step, arguments, seconds)

  monkeypatch.setattr(gpu, "run", fails)
  data = started(tmp_path)
  assert rules(data) == {("gemm_hangs", "*"), ("gemm_ends_with_stream_k", "stream_k")}
  words = (tmp_path / "report.md").read_text()
  assert "| kernels: gemm_good | " in words and said in words and "of 4 kernels are right" in words
  monkeypatch.setattr(gpu, "run", right)
  if "failed" in outcome:  # it runs again
    again = started(tmp_path)["outcomes"]
    assert again["kernels: gemm_good"]["checks"] and not again["features: stream_k"]["skipped"]


def test_a_product_by_xla_that_cannot_be_killed_ends_the_run(tmp_path, gpu, monkeypatch):
  right = gpu.run

  def fails(step, arguments, seconds):
    outcome = right(step, arguments, seconds)
    return outcome | {"stuck": True} if outcome.get("part") == "xla" else outcome

  monkeypatch.setattr(gpu, "run", fails)
  data = started(tmp_path, parts=("times",))
  layers = [step for step, _ in gpu.ran if step == "times.of_layer"]
  assert data["stuck"].startswith("times: layer") and len(layers) == 1
  assert "ours_us" not in data["outcomes"][data["stuck"]] and data["unreached"]


def test_a_process_that_cannot_be_killed_ends_the_run(tmp_path, gpu, monkeypatch):
  monkeypatch.setattr(run.os, "sched_getaffinity", lambda _: range(1))
  right = gpu.run

  def fails(step, arguments, seconds):
    outcome = right(step, arguments, seconds)
    return outcome | {"stuck": True} if arguments.get("name") == "gemm_hangs" else outcome

  monkeypatch.setattr(gpu, "run", fails)
  data = started(tmp_path)
  assert data["stuck"] == "kernels: gemm_hangs" and rules(data) == {("gemm_hangs", "*")}
  assert data["unreached"] == [f"kernels: {name}" for name in KERNELS[2:]]
  assert '"kernels: gemm_hangs" cannot be killed' in (tmp_path / "report.md").read_text()
