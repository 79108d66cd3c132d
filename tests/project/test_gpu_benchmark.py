"""The GPU benchmark, tested without a GPU: with an H100's trace, with made-up rows, on the CPU."""

import copy
import gzip
import json
import pathlib
import subprocess
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from benchmarks import __main__ as front
from benchmarks import acceptance, cases, check, dense, grouped, measure, run, scaled, steal
from jaxgemm.tune import gpu_trace
from tests.support.environment import one_device
from tests.support.paths import ROOT

HOLD = "hold_multiprocessors"
# The order of the candidates in the recorded trace: five rounds of two.
VISITS = ["persistent", "stealing", "stealing", "persistent"] * 2 + [
    "persistent", "stealing"]
VISITS[4:8] = ["stealing", "persistent", "persistent", "stealing"]


@pytest.fixture(scope="module", autouse=True)
def suites():
  """The flags of all suites, defined once."""
  run.define_flags()
  run.FLAGS(["tests"])


def right(checked):
  """Whether errors are within their bounds; NaN is not."""
  return all(checked["errors"][name] <= most for name, most in checked["at_most"].items())


def bench(*flags):
  return subprocess.run(
      [sys.executable, "-m", "benchmarks", *flags],
      cwd=ROOT, env=one_device(), text=True, capture_output=True)


@pytest.fixture
def recorded(tmp_path):
  """A trace of an H100: GEMMs beside a kernel on another stream."""
  path = tmp_path / "steal.xplane.pb"
  path.write_bytes(gzip.decompress(
      (ROOT / "tests" / "data" / "gpu_steal.xplane.pb.gz").read_bytes()))
  trace = gpu_trace.read(path)
  first = min(e.begin for e in trace.host if "visit" in e.name)
  return gpu_trace.Trace([e for e in trace.device if e.end > first], trace.host)


def test_recorded_trace(recorded):
  measured = gpu_trace.evaluate(
      recorded, VISITS, 1, own=lambda name: HOLD not in name)
  assert measured.unclaimed == 0
  assert measured.timing.rounds == 5
  static, stealing = (measured.launches[n] for n in ("persistent", "stealing"))
  assert (static.kernels, static.memsets, static.copies) == (1, 0, 0)
  assert (stealing.kernels, stealing.memsets, stealing.copies) == (1, 1, 0)
  assert static.names == ["gemm_bfloat16_bfloat16_256x192x64_rrr"]
  assert static.held_back == stealing.held_back == []
  assert static.driver_calls[static.names[0]] == 1
  held = static.others[HOLD]
  assert 0 < held["overlap"] < held["seconds"] < 1e-3
  assert 1.8e-3 < measured.timing.time("persistent").median < 1.9e-3
  assert measured.timing.speedup("stealing", "persistent").median > 1.05


def test_kernels_of_others_count_without_a_filter(recorded):
  measured = gpu_trace.evaluate(recorded, VISITS, 1)
  assert measured.launches["persistent"].kernels == 2
  assert not measured.launches["persistent"].others


def test_lost_samples_are_an_error(recorded):
  with pytest.raises(RuntimeError, match="10 samples and 10 dispatches of 12"):
    gpu_trace.evaluate(recorded, VISITS + ["persistent", "stealing"], 1)
  with pytest.raises(RuntimeError, match="has no kernel in the trace"):
    gpu_trace.evaluate(gpu_trace.Trace(recorded.device[:5], recorded.host), VISITS, 1)


def annotated(*device, driver=()):
  """A trace with one visit from 0 to 1000 ns, dispatched until 100 ns."""
  host = [gpu_trace.Event(f"jaxgemm benchmark {what} 0", 0, end)
          for what, end in (("visit", 1000), ("dispatch", 100))]
  return gpu_trace.Trace([gpu_trace.Event(*e) for e in device],
                         host + [gpu_trace.Event(name, 10, 20) for name in driver])


def test_overlapping_kernels_count_once():
  trace = annotated(("a", 100, 300), ("a", 250, 400), ("MemcpyD2D", 500, 550),
                    ("a", 1100, 1200))
  measured = gpu_trace.evaluate(trace, ["ours"], 2)
  assert measured.timing.seconds["ours"] == pytest.approx([175e-9])
  launches = measured.launches["ours"]
  assert (launches.kernels, launches.copies) == (1, 0.5)
  assert measured.unclaimed == 1


def test_waits_and_allocations_are_seen():
  trace = annotated(("a", 100, 300), driver=[
      "a", "Memset", "cuLaunchHostFunc", "cuStreamSynchronize", "cuMemAlloc_v2"])
  launches = gpu_trace.evaluate(trace, ["ours"], 1).launches["ours"]
  assert launches.held_back == ["cuMemAlloc_v2", "cuStreamSynchronize"]
  assert launches.driver_calls["Memset"] == 1


def test_input_sets_exceed_the_cache():
  for size in (1, 1 << 20, 1 << 28):
    count = gpu_trace.input_sets(size)
    assert count % 2 == 1 and count >= 3 and count * size >= 128 << 20


@pytest.fixture
def on_cpu(monkeypatch):
  """Makes gpu_trace take each sample's dispatch for one kernel of the device."""
  read = gpu_trace.read

  def pretend(path):
    host = read(path).host
    dispatches = [e for e in host if e.name.startswith("jaxgemm benchmark dispatch ")]
    return gpu_trace.Trace(
        [gpu_trace.Event("kernel", e.begin, e.end) for e in dispatches], host)

  monkeypatch.setattr(gpu_trace, "read", pretend)
  monkeypatch.setattr(gpu_trace, "input_sets", lambda size: 3)
  monkeypatch.setattr(measure, "on_gpu", lambda: True)
  return measure.Options(rounds=3, seed=1)


def test_dense_rows(on_cpu):
  variants = {"jaxgemm": {"schedule": "stream_k", "reduction": "linear"},
              "jaxgemm persistent": {"schedule": "persistent"},
              "jaxgemm refused": {"schedule": "unknown"}}
  row = dense.row("stream_k", cases.Product(64, 96, 2048), variants, on_cpu, runs=3, calls=1)
  assert {"jaxgemm", "jaxgemm persistent", "xla"} <= set(row["candidates"])
  assert "unknown" in row["missing"]["jaxgemm refused"]
  assert row["bitwise"] == {"runs": 3, "different": 0}
  for name, entry in row["candidates"].items():
    assert right(entry) and 1e-3 < entry["errors"]["norm"]
    assert entry["poisoned"] or name == measure.TORCH
    assert ("ratio" in entry) == (name != "jaxgemm")


@pytest.mark.parametrize("kind", scaled.KINDS)
def test_rows_of_float8(on_cpu, kind):
  row, = scaled.row(kind, "256x128x256", 256, 128, 256, 0, on_cpu)
  assert run.wrong([row]) == [] and set(row["candidates"]) == {"jaxgemm", "jaxgemm bf16"}
  assert row["candidates"]["jaxgemm bf16"]["ratio"]["median"] > 0


def test_a_sweep_on_amd_runs_a_process_for_each_number_of_cus(monkeypatch, tmp_path):
  asked = []

  def run_it(command, env, check):
    flags_of = dict(each.split("=", 1) for each in command[4:] if "=" in each)
    assert "--profile" not in flags_of  # an empty one would keep traces in this folder
    asked.append((env["ROC_GLOBAL_CU_MASK"], flags_of["--repeat"], flags_of["--warmup"]))
    row = {"case": flags_of["--cases"], "active_cus": int(env["JAXGEMM_BENCHMARK_FREE_CUS"])}
    pathlib.Path(flags_of["--json"]).write_text(json.dumps({"rows": [row]}))

  monkeypatch.setattr(steal.subprocess, "run", run_it)
  monkeypatch.setattr(steal._ffi, "default_platform", lambda: "rocm")
  monkeypatch.setattr(steal.jax, "devices", lambda: [types.SimpleNamespace(core_count=16)])
  rows = steal.sweep(cases.Product(8, 9, 10), measure.Options(rounds=3, seed=1, warmup=2))
  assert [row["active_cus"] for row in rows] == [16, 14, 12, 10, 8]
  assert all(row["case"] == "8x9x10" for row in rows)
  assert asked[0] == ("0xffff", "3", "2") and asked[-1][0] == "0xff"


@pytest.mark.whole
def test_grouped_rows(on_cpu, monkeypatch):
  front.load("grouped")
  run.FLAGS(["grouped"])
  asked, ratio = [], measure.ratio
  monkeypatch.setattr(measure, "ratio", lambda measured, name, over: (
      asked.append((name, over)) or ratio(measured, name, over)))
  works = ("forward", "dgrad", "wgrad")
  rows = grouped.rows("small", cases.Grouped(200, 48, 32, 4), works, ["balanced", "extreme"],
                      on_cpu)
  assert [(row["work"], row["routing"]) for row in rows] == [
      (work, routing) for work in works for routing in ("balanced", "extreme")]
  for row in rows:
    ours = row["candidates"][grouped.OURS]
    assert right(ours) and ours["poisoned"]
    assert right(row["candidates"][grouped.XLA])
    assert ("to_balanced" in row) == (row["routing"] == "extreme")
    assert all(run.lines(row))
  # The ratio is the time of balanced routing over that of extreme routing; less than 1 is a loss.
  ours = grouped.OURS
  assert asked.count((f"{ours} extreme", f"{ours} balanced")) == 3
  assert (f"{ours} balanced", f"{ours} extreme") not in asked


def test_names_of_grouped_problems():
  given = cases.grouped("gpt_oss_20b.gate_up.g4.m2048")
  assert (given.m, given.n, given.k, given.groups) == (8192, 5760, 2880, 4)
  assert set(cases.load()["grouped_gpu"]) <= set(cases.grouped_names())
  with pytest.raises(ValueError, match="No grouped problem is named"):
    cases.grouped("gpt_oss_20b.gate_up.g5.m2048")


def break_element(out):
  return out.at[7, 5].add(1000)


def break_tile(out):
  return out.at[:16, :16].set(-out[:16, :16])


def break_row(out):
  return out.at[-1].set(0)


def leave_nan(out):
  return out.at[0, 0].set(jnp.nan)


@pytest.mark.parametrize("damage", [break_element, break_tile, break_row, leave_nan])
def test_wrong_results_are_found(rng, damage):
  lhs, rhs = (jnp.asarray(rng.standard_normal(s), jnp.bfloat16)
              for s in ((256, 64), (64, 320)))
  out = jnp.matmul(lhs, rhs)
  is_right = lambda out: right(check.bounded(check.dense(lhs, rhs, out, 0)))
  assert is_right(out) and not is_right(damage(out))


@pytest.mark.parametrize("work", ["forward", "dgrad", "wgrad"])
def test_wrong_groups_are_found(rng, work):
  sizes = np.array([30, 0, 50, 20], np.int32)
  operands = tuple(jnp.asarray(rng.standard_normal(s), jnp.bfloat16) for s in (
      (100, 32), (4, 32, 48), (100, 48)))
  product = grouped.in_jax(jax.lax.ragged_dot, work)
  is_right = lambda out: right(check.bounded(
      check.grouped(work, operands, out, sizes, 0)))
  assert is_right(product(*operands, sizes))
  assert not is_right(product(*operands, np.array([30, 1, 49, 20], np.int32)))


# ------------------------------------------------------------------------- acceptance


def entry(**given):
  quartiles = {"median": 1e-3, "q1": 1e-3, "q3": 1e-3, "min": 1e-3, "max": 1e-3}
  ratio = given.pop("ratio", None)
  return {
      "seconds": quartiles, "tflops": 1.0, "kernels": 1, "memsets": 0, "copies": 0,
      "names": [], "driver_calls": {}, "held_back": [], "dispatch_share": 0.1,
      "others": {}, **check.bounded({"norm": 1e-3, "max": 5e-3}), "poisoned": True,
  } | ({} if ratio is None else {"ratio": quartiles | {"median": ratio}}) | given


def row(section, case, ours=None, **peers):
  names = {"xla": measure.XLA, "torch": measure.TORCH, "grouped": grouped.TORCH,
           "static": "jaxgemm persistent", "persistent": "persistent", "bf16": "jaxgemm bf16"}
  return {"section": section, "case": case, "platform": "gpu", "missing": {}, "candidates": {
      "jaxgemm": ours or entry(),
      **{names[peer]: entry(ratio=ratio) for peer, ratio in peers.items()}}}


def states(rows):
  found = {}
  for result in acceptance.results(rows):
    if not result["gate"].startswith("CPU"):
      found.setdefault(result["gate"], []).append(result["ok"])
  return found


def good():
  """Rows that meet all bounds; those of tokamax and lax.ragged_dot are not measured."""
  rows = [row("dense", "1x1x1", xla=0.93, torch=1.4),
          row("dense", "2x2x2", xla=1.2, torch=1.15)]
  for m, n, k in cases.mnk("stream_k_gpu"):
    rows.append(row("stream_k", f"{m}x{n}x{k}", xla=1.0, torch=1.1, static=1.5)
                | {"bitwise": {"runs": 100, "different": 0}})
  rows.append(row("grouped", "g", grouped=1.01) | {
      "work": "wgrad", "routing": "extreme", "to_balanced": {
          "median": 0.96, "q1": 0.9, "q3": 1.0}})
  ratios = lambda value: {"median": value, "q1": value, "q3": value}
  rows.append(row("steal", "s", persistent=1.2) | {"is_held": True})
  rows.append(row("scaled", "f", bf16=1.7) | {"kind": "none"})
  rows.append(row("steal", "s", persistent=0.99) | {"is_held": False})
  rows.append(row("chunked", "c") | {"of_larger": ratios(0.95), "set": ratios(0.99)})
  return rows


def test_acceptance():
  given = states(good())
  assert given.pop("grouped over tokamax.ragged_dot") == [None]
  assert given.pop("grouped over lax.ragged_dot") == [None]
  assert all(ok is True for oks in given.values() for ok in oks), given
  assert len(given["stream-K, each"]) == 3
  assert all(ok is None for oks in states([]).values() for ok in oks)


def test_averages_by_model_and_product():
  rows = [row("grouped", f"{case}.down.g4", grouped=ratio) | {"work": work, "kind": case}
          for case, work, ratio in (("a", "forward", 2.0), ("a", "forward", 0.5),
                                    ("a", "wgrad", 3.0), ("b", "forward", 8.0))]
  over = f"{grouped.TORCH}'s time / ours"
  assert [*map(run.mean_line, run.means(rows))] == [
      f"- grouped a forward: {over} 1.000, at least 0.50, 2 cases, 1 below 0.85",
      f"- grouped a wgrad: {over} 3.000, at least 3.00, 1 cases, 0 below 0.85",
      f"- grouped all forward: {over} 2.000, at least 0.50, 3 cases, 1 below 0.85",
      f"- grouped all wgrad: {over} 3.000, at least 3.00, 1 cases, 0 below 0.85",
      f"- grouped b forward: {over} 8.000, at least 8.00, 1 cases, 0 below 0.85"]


@pytest.mark.parametrize("gate, index, change", [
    ("dense, each", 0, {"candidates": {"xla": entry(ratio=0.9)}}),
    ("dense, geometric mean", 1, {"candidates": {"torch": entry(ratio=0.94)}}),
    ("stream-K, each", 2, {"candidates": {"torch": entry(ratio=0.99)}}),
    ("stream-K over persistent", 3, {
        "candidates": {"jaxgemm persistent": entry(ratio=1.4)}}),
    ("stream-K, linear: the same bits on every run", 4, {
        "bitwise": {"runs": 100, "different": 1}}),
    ("grouped over torch._grouped_mm", 5, {
        "candidates": {grouped.TORCH: entry(ratio=0.99)}}),
    ("extreme over balanced routing", 5, {"to_balanced": {"median": 0.94}}),
    ("stealing over persistent, processors held", 6, {
        "candidates": {"persistent": entry(ratio=1.1)}}),
    ("stealing over persistent, alone", 8, {
        "candidates": {"persistent": entry(ratio=0.97)}}),
    ("streamed, over the larger of copy and product", 9, {"of_larger": {"median": 0.9}}),
    ("signals set, over plain", 9, {"set": {"median": 0.97}}),
    ("fp8 over bf16", 7, {"candidates": {"jaxgemm bf16": entry(ratio=1.5)}}),
    ("one kernel, at most one memset, no copy a call", 0, {
        "candidates": {"jaxgemm": entry(kernels=2)}}),
    ("one kernel, at most one memset, no copy a call", 1, {
        "candidates": {"jaxgemm": entry(memsets=2)}}),
    ("right results", 7, {"candidates": {"jaxgemm": entry(errors={
        "norm": float("nan"), "max": 0})}}),
    ("nothing of ours was refused", 0, {"missing": {"jaxgemm": "ValueError"}}),
])
def test_a_missed_bound_fails_its_gate_alone(gate, index, change):
  rows = copy.deepcopy(good())
  candidates = rows[index]["candidates"] | change.pop("candidates", {})
  rows[index] |= change | {"candidates": candidates}
  assert False in states(rows)[gate]
  before = {name: oks for name, oks in states(good()).items() if name != gate}
  assert {name: oks for name, oks in states(rows).items() if name != gate} == before


def test_the_command_merges_results_of_several_runs(tmp_path):
  about = {"device": "NVIDIA H100", "driver": "1", "date": "today", "cpu": "Xeon",
           "cpu_features": [], "threads": 16, "load_average": 0.1, "jax": "2", "jaxlib": "3",
           "cuda": "4", "torch": "5", "tokamax": None, "jaxgemm": "6", "commit": "7",
           "command": "python -m benchmarks gpu"}
  files = [tmp_path / "a.json", tmp_path / "b.json"]
  rows = good()
  for path, part in zip(files, (rows[:3], rows[3:])):
    path.write_text(json.dumps({"runs": [about], "rows": part}))
  out, table = tmp_path / "all.json", tmp_path / "all.md"
  done = bench("gpu", f"--results={files[0]},{files[1]}", f"--json={out}",
               f"--markdown={table}")
  assert done.returncode == 0, done.stdout + done.stderr
  merged = json.loads(out.read_text())
  assert merged["rows"] == rows and len(merged["runs"]) == 2
  text = table.read_text()
  assert "NVIDIA H100, driver 1" in text and "- ok: fp8 over bf16: 1.700" in text
  assert "- not measured: grouped over tokamax.ragged_dot" in text
  assert all(line in text for each in rows for line in run.lines(each))


@pytest.mark.parametrize("change, line", [
    ({"candidates": {"jaxgemm": entry(errors={"norm": 1.0, "max": 1.0})}},
     "WRONG: scaled f jaxgemm: norm error"),
    ({"candidates": {}, "missing": {"row": "ValueError: no"}},
     "FAILED: scaled f row: ValueError: no"),
])
def test_a_wrong_or_failed_row_fails_the_command(tmp_path, change, line):
  path = tmp_path / "a.json"
  path.write_text(json.dumps({"runs": [], "rows": [row("scaled", "f") | change]}))
  done = bench("gpu", f"--results={path}")
  assert done.returncode == 1
  assert line in done.stdout


@pytest.mark.whole
def test_the_command_refuses_unknown_values():
  for suite, flag in (("gpu", "--sections=spars"), ("grouped", "--cases=mixtral"),
                      ("grouped", "--routings=wild")):
    done = bench(suite, flag)
    assert done.returncode != 0
    assert flag.partition("=")[2] in done.stdout + done.stderr
  if jax.default_backend() == "cpu":
    for suite in ("gpu", "scaled"):
      done = bench(suite)
      assert done.returncode != 0 and "reads the times of a" in done.stdout + done.stderr


def test_a_row_that_fails_says_why_and_is_measured_again(monkeypatch, tmp_path):
  path, asked = tmp_path / "out.json", []
  good = {"section": "dense", "case": "8x8x8", "candidates": {
      "jaxgemm": {"seconds": {"median": 1.0, "q1": 1.0, "q3": 1.0}}}}

  def jobs(name):
    yield "dense 8x8x8", lambda: asked.append("good") or [dict(good)]
    yield "dense 9x9x9", lambda: asked.append("bad") or 1 / 0

  monkeypatch.setattr(dense, "jobs", jobs)
  try:
    for wanted in (["good", "bad"], ["good", "bad", "bad"]):
      assert front.start("dense", [f"--json={path}", "--resume"]) == 1
      assert asked == wanted
      written = json.loads(path.read_text())["rows"]
      assert [row["job"] for row in written] == ["dense 8x8x8", "dense 9x9x9"]
      assert "ZeroDivisionError" in written[1]["missing"]["row"]
  finally:
    for name in ("json", "resume"):
      run.FLAGS[name].unparse()
