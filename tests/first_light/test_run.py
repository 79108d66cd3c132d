"""The order of the steps, and what follows from their outcomes, with steps that are made up."""

import json
import threading
import time

import pytest

from jaxgemm.call import denied
from jaxgemm.first_light import run
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
