"""Parts of first light: names of kernels, exact checks, the process, the fit, the report."""

import contextlib
import getpass
import json
import pathlib
import re
import signal
import socket
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.call import releases
from jaxgemm.first_light import arrays, features, fit, kernels, products, report
from jaxgemm.first_light import child as child_module
from jaxgemm.first_light.child import Child
from jaxgemm.first_light.state import State
from jaxgemm.grouped import gated_gradient, routing_calls


def test_each_name_of_a_kernel_is_understood(rng):
  for target, name in _ffi.NAMES["gpu_kernels"]:
    kernel = kernels.Kernel.parse(name)
    a, b = kernel.operands(rng, 3, 5, 7)
    wide = kernel.wide(a, b)
    assert wide[0].shape == (3, 7) and wide[1].shape == (7, 5), name
    assert target == "sm90" or f"_{kernel.m}x{kernel.n}x{kernel.k}_{kernel.layout}r" in name
  kernel = kernels.Kernel.parse("gemm_bfloat16_float16_128x16x64_rcc")
  assert (kernel.lhs, kernel.m, kernel.n, kernel.layout) == ("float16", 16, 128, "rc")
  with pytest.raises(ValueError, match="no name of a kernel"):
    kernels.Kernel.parse("routing")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
def test_one_wrong_element_is_a_difference(rng, dtype):
  want = rng.integers(-1000, 1000, (7, 9)).astype(np.float64)
  got = want.astype(jnp.dtype(dtype))
  assert arrays.difference(got, want) == ""
  got[3, 4] += 8
  assert "1 of 63 elements are wrong, the first at [3, 4]" in arrays.difference(got, want)
  if dtype != "int32":
    got = want.astype(jnp.dtype(dtype))
    got[2, 2] = np.nan
    assert "1 of 63" in arrays.difference(got, want)
    want[2, 2] = np.nan
    assert arrays.difference(got, want) == ""


def test_a_guarded_run_is_over_poison(rng):
  a = rng.standard_normal((16, 32), np.float32)
  guarded = arrays.Guarded(lambda a: 2 * a, [a])
  for poison in (np.nan, -1.5):
    np.testing.assert_array_equal(guarded.run(poison), 2 * a)
  assert guarded.broken() == ""
  guarded._guards[0] = guarded._guards[0].at[5].set(1.0)
  assert "guards [0] have changed" in guarded.broken()


def test_a_process_that_takes_too_long_ends_or_fails(tmp_path, monkeypatch):
  monkeypatch.setenv("JAX_PLATFORMS", "cpu")
  child = Child(tmp_path / "log.txt")
  try:
    first = child.run("features.check", {"name": "xla"}, 60)
    assert first == {"why": "", "skipped": ""}
    found = child.run("features.check", {"name": "persistent"}, 0.001)
    assert found["how"] == "hang" and "longer than 0.001 s" in found["failed"]
    found = child.run("features.check", {"name": "nonsense"}, 60)
    assert found["how"] == "error" and "KeyError" in found["failed"]
    # The next step has a new process.
    assert child.run("features.check", {"name": "xla"}, 60) == first
    # One that ended between steps is started again.
    child._process.kill()
    child._process.wait()
    assert child.run("features.check", {"name": "xla"}, 60) == first
    # One that ends within a step.
    child._process.send_signal(signal.SIGSTOP)
    threading.Timer(0.3, child._process.kill).start()
    found = child.run("features.check", {"name": "xla"}, 60)
    assert found["how"] == "end" and "signal 9" in found["failed"]
  finally:
    child.stop()


def test_a_process_that_cannot_be_killed_is_left_alone(tmp_path, monkeypatch):
  monkeypatch.setenv("JAX_PLATFORMS", "cpu")
  monkeypatch.setattr(child_module, "_KILL_SECONDS", 0.1)
  child = Child(tmp_path / "log.txt")
  assert child.run("features.check", {"name": "xla"}, 60) == {"why": "", "skipped": ""}
  process = child._process
  kill = process.kill
  monkeypatch.setattr(process, "kill", lambda: process.send_signal(signal.SIGSTOP))
  try:
    found = child.run("features.check", {"name": "persistent"}, 0.001)
    assert found["stuck"] and "longer than 0.001 s; its process cannot be killed" in found["failed"]
    assert child.stop()
  finally:
    kill()
    process.wait()


def test_the_state_of_another_machine_or_of_half_a_file_does_not_count(tmp_path):
  file = tmp_path / "state.json"
  State(file, {"chip": "a"}).keep("step", {"why": ""})
  assert State(file, {"chip": "a"}).outcomes == {"step": {"why": ""}}
  assert State(file, {"chip": "b"}).outcomes == {}
  file.write_text(file.read_text()[:-5])
  assert State(file, {"chip": "a"}).outcomes == {}


def timed(rng, count: int, noise: float) -> list[fit.Timed]:
  """Products of a chip whose launches take 3 us, and whose predictions are off by constants."""
  found = []
  for _ in range(count):
    operations, moved = 10 ** rng.uniform(8, 13), 10 ** rng.uniform(5, 9)
    predicted = max(operations / 800e6, moved / 4e6) + 1
    each = fit.Timed(operations, moved, predicted, 0.0)
    factor = {"short": 1.0, "memory": 1.3, "matrix": 1.6}[fit.kind(each, 800, 4000)]
    measured = (3 + factor * predicted) * np.exp(noise * rng.standard_normal())
    found.append(each._replace(measured_us=measured))
  return found


def test_the_constants_are_found(rng):
  used, left = fit.parts(timed(rng, 90, 0.02))
  assert len(used) == 60 and len(left) == 30
  found = fit.fit(used, 800, 4000)
  assert abs(found.launch_us - 3) < 1 and abs(found.factors["memory"] - 1.3) < 0.1
  assert abs(found.factors["matrix"] - 1.6) < 0.1
  measured = [x.measured_us for x in left]
  after = fit.errors([found.predict(x) for x in left], measured)
  before = fit.errors([x.predicted_us for x in left], measured)
  assert after["median_error"] < 0.05 < 0.2 < before["median_error"]
  assert after["rank_correlation"] > 0.99 and abs(after["geometric_mean"] - 1) < 0.05


def test_the_products_are_as_many_as_promised():
  dense, grouped = [*products.dense()], [*products.grouped()]
  assert (len(dense), len(grouped), len(products.LAYERS)) == (60, 20, 4)
  names = [each.name for each in (*dense, *grouped, *products.further(100))]
  assert len(set(names)) == len(names) == 180


def machine() -> dict:
  return {"virtual": False, "further": 0, "device_kind": "a chip", "chip": "MI300X",
          "denied_as": "MI300X", "compute_units": 304, "devices": 1, "memory_gib": 192.0,
          "driver": "1.2", "rocm": "",
          "platform_version": "rocm", "plugins": {}, "versions": {}, "clocks": "", "kernels": [],
          "lacks": 0}


def test_the_rules_of_outcomes():
  def wrong(*found):
    return [{"check": check, "schedule": schedule, "why": "bad"} for check, schedule in found]

  outcomes = {
      "features: work_stealing": {"failed": "it took longer than 90 s", "how": "hang"},
      "features: stream_k": {"why": "", "skipped": ""},
      "features: devices": {"why": "", "skipped": "there is one device"},
      "features: routing": {"why": "bad", "skipped": ""},
      "kernels: right": {"checks": ["edges"], "refused": {}, "wrong": []},
      "kernels: of_one": {"checks": ["edges", "stream_k"], "refused": {},
                          "wrong": wrong(("stream_k", "stream_k"))},
      "kernels: of_all": {"checks": ["edges", "stream_k"], "refused": {},
                          "wrong": wrong(("stream_k", "stream_k"), ("edges", "*"))}}
  outcomes = {name: each | {"date": "2026-01-02"} for name, each in outcomes.items()}
  assert {rule.date for rule in report.rules(outcomes)} == {"2026-01-02"}
  found = {(rule.kernel, rule.schedule) for rule in report.rules(outcomes)}
  assert found == {("*", "work_stealing"), ("routing", "*"), ("of_one", "stream_k"),
                   ("of_all", "*")}
  data = report.data_of(machine(), outcomes, ["times: x"], 1.0)
  assert report.is_bad(data)
  words = report.words(data)
  assert "1 of 3 kernels are right**; wrong: of_one, of_all." in words
  assert "these fail: work_stealing, routing" in words and "1 step did not run" in words
  assert "--write" in words and "| features: devices | there is one device |" in words


def test_the_report_has_no_names_and_no_paths():
  user, host = getpass.getuser(), socket.gethostname()
  private = [str(pathlib.Path.home() / "x" / "kernel.hsaco"), "/var/lib/some where/y.so",
             f"on {host}: failed"]
  if user != "root":
    private.append(f"of {user}.")
  outcomes = {"features: chunks": {"failed": "; ".join(private), "how": "error"},
              "rates: launch": {"call_us": float("nan")}}
  data = report.data_of(machine(), outcomes, [], 1.0)
  text = json.dumps(data, allow_nan=False) + report.words(data)
  assert host not in text and "/var" not in text and str(pathlib.Path.home()) + "/" not in text
  assert user == "root" or f"of {user}." not in text
  assert "(path)" in text and "(host): failed" in text
  # Ratios, units and names of kernels are no paths.
  for kept in ("3 GB/s", "1/2", "gemm_bfloat16_bfloat16_32x128x64_rrr", "jaxgemm/first"):
    assert report._clean(kept) == kept


@pytest.mark.parametrize("host", ["node7", "node7.rack.example.com", "NODE7.rack.example.com"])
def test_other_forms_of_names_and_paths_are_not_in_a_report(monkeypatch, host):
  monkeypatch.setattr(report.socket, "gethostname", lambda: host)
  monkeypatch.setattr(report.getpass, "getuser", lambda: "Alice")
  for name in ("node7", "Node7", "node7.rack.example.com", "node7.other.org"):
    assert report._clean(f"on {name}: it failed. See it") == "on (host): it failed. See it"
  if "." in host:
    assert report._clean("of node8.rack.example.com.") == "of (host)."
  assert report._clean("of ALICE, alice") == "of (user), (user)"
  for path in ("/home/al ice/my work/x.so", "/home/x/my file.txt", "~/secret", "~al/secret/x",
               "/home/secret/", "/opt/a/b-c_d/x.y.so"):
    for before, after in (("in ", ": bad"), ("<", ">"), ("'", "'"), ("file=", ", bad")):
      assert report._clean(before + path + after) == before + "(path)" + after
  for address in ("10.1.2.3", "fe80::1", "2001:db8:0:1:2:3:4:5", "::1"):
    assert report._clean(f"to {address}, bad") == "to (address), bad"
  assert report._clean("10.1.2.3:8080 and [fe80::1]:8080") == (
      "(address):8080 and [(address)]:8080")
  for kept in ("1.2.3", "12:34:56", "0000:c1:00.0", "std::a", "a::b", "at [3, 4]", "part: 3"):
    assert report._clean(kept) == kept


def test_a_report_without_a_home_folder(monkeypatch):
  def none():
    raise RuntimeError("Could not determine home directory.")

  monkeypatch.setattr(report.pathlib.Path, "home", none)
  assert report._clean("all is well") == "all is well"


@pytest.mark.parametrize("name, number", [("top_k_softmax", 0), ("top_k_softmax", 1),
                                          ("gated_gradient", 0), ("gated_gradient", 1),
                                          ("gated_gradient", 2)])
def test_each_kernel_of_a_routing_is_checked(monkeypatch, name, number):
  assert features.check("routing") == {"why": "", "skipped": ""}
  module = {"top_k_softmax": routing_calls, "gated_gradient": gated_gradient}[name]
  right = getattr(module, name)

  def wrong(*args):
    out = list(right(*args))
    at = (3,) * out[number].ndim if name == "top_k_softmax" else (1,) * out[number].ndim
    out[number] = out[number].at[at].add(1)
    return tuple(out)

  monkeypatch.setattr(module, name, wrong)
  assert "1 of" in features.check("routing")["why"]


def of_times(rng) -> dict:
  """Outcomes of a chip of 600 TFLOP/s and 3000 GB/s, on which the plan promises too much."""
  outcomes = {
      "rates: matrix": {"ours_tflops": 600.0, "xla_tflops": 590.0, "clock": "device"},
      "rates: bandwidth": {"gb_per_s": 3000.0, "clock": "device"},
      "rates: launch": {"smallest_us": 2.5, "call_us": 6.0, "clock": "device"},
      "tuning: 1 x 2 x 3": {"seconds": 1e-5, "plan_seconds": 2e-5, "xla_seconds": 3e-5,
                            "implementation": "jaxgemm", "config": {}}}
  for each in (*products.dense(), *products.grouped(), *products.further(30)):
    us = max(each.operations / 600e6, each.bytes / 3e6) + 2
    outcomes[f"times: {each.name}"] = {
        "ours_us": us * np.exp(0.01 * rng.standard_normal()), "xla_us": us / 0.9,
        "predicted_us": us / 1.5, "kernel": "gemm", "schedule": "persistent", "to_xla": False,
        "error": 1e-3, "wrong": False, "xla_fails": "", "clock": "device"}
  for name in products.LAYERS:
    outcomes[f"times: layer, {name}"] = {
        "ours_us": 100.0, "xla_us": 200.0, "predicted_us": 80.0, "error": 0.0, "wrong": False,
        "clock": "device"}
  return outcomes


def test_times_and_predictions_are_summed_up(rng):
  outcomes = of_times(rng)
  data = report.data_of(machine() | {"further": 30}, outcomes, [], 1.0)
  assert not report.is_bad(data)
  for kind, mean in (("dense", 0.9), ("grouped", 0.9), ("layers", 0.5)):
    assert abs(data["against_xla"][kind]["geometric_mean"] - mean) < 0.01
  found = data["predictions"]
  assert abs(found["constants"]["factors"]["matrix"] - 1.5) < 0.05
  for part, count in (("left_out", 20), ("further", 30)):
    plan, fitted = (found[part][who] for who in ("plan", "fitted"))
    assert plan["count"] == fitted["count"] == count
    assert abs(plan["median_error"] - 1 / 3) < 0.02 and fitted["median_error"] < 0.03
    assert fitted["rank_correlation"] > 0.98
  words = report.words(data)
  assert "dense 0.90, grouped 0.90, layers 0.50" in words
  assert re.search(r"off by 33 % in the median, and with the constants of this chip by [12] %, on "
                   "20 products that had no part", words)
  assert "| the smallest product | 2.5 us |" in words and "| 1 x 2 x 3 | 2.00 |" in words
  for each in products.further(30):
    assert f"\n| {each.name} |" in words
  json.dumps(data, allow_nan=False)
  # What the plan leaves to XLA counts as XLA's time where nothing was asked for.
  for each in products.dense():
    outcomes[f"times: {each.name}"]["to_xla"] = True
  data = report.data_of(machine(), outcomes, [], 1.0)
  assert data["against_xla"]["dense"]["as_chosen"] == 1.0
  assert "leaves 60 of these to XLA. If these count as 1, the mean is 1.00" in report.words(data)


_TYPES = sorted({(target, name.split("_")[1]) for target, name in _ffi.NAMES["gpu_kernels"]})


@pytest.mark.whole(unless=lambda target, of: (target, of) == ("sm90", "int8"))
@pytest.mark.parametrize("target, of", _TYPES)
def test_each_kernel_has_checks_that_its_plan_allows(monkeypatch, target, of):
  """As on a GPU whose build has all kernels; nothing is run."""
  platform = _ffi.NAMES["targets"][target]
  every = frozenset(name for each, name in _ffi.NAMES["gpu_kernels"] if each == target)
  chip = next(name for name, (each, _) in _ffi.NAMES["chips"].items() if each == target)
  for name, value in (
      ("default_platform", platform), ("_local_arch", target), ("chip", chip), ("target", target),
      ("num_cus", _ffi.NAMES["chips"][chip][1]), ("built_kernels", every),
      ("platforms", frozenset(["cpu", platform]))):
    monkeypatch.setattr(_ffi, name, lambda *_, value=value: value)
  monkeypatch.setattr(releases, "say_once", lambda target: None)
  _ffi.native_plan.cache_clear()
  jax.clear_caches()
  for name in sorted(x for x in every if x.split("_")[1] == of):
    held = set()
    for case, functions, operands, _ in kernels._cases(kernels.Kernel.parse(name)):
      for function in functions:
        with contextlib.suppress(ValueError):
          call, = jaxgemm.explain(function, *operands).data["calls"]
          held.add(case)
          assert call["kernel"] == name
    assert len(held) > 1 or of == "float4", (name, held)
  _ffi.native_plan.cache_clear()
  jax.clear_caches()
