"""The benchmark command, on small shapes."""

import csv
import json
import re
import subprocess
import sys
import time

from absl import app
import numpy as np
import pytest

from benchmarks import __main__ as front
from benchmarks import acceptance, cases, progress, roofline, run, watch
import jaxgemm
from jaxgemm.tune import timing
from tests.support.environment import one_device
from tests.support.paths import ROOT


def bench(*flags, env=None):
  return subprocess.run(
      [sys.executable, "-m", "benchmarks", *flags],
      cwd=ROOT, env=one_device() | (env or {}), text=True, capture_output=True,
  )


def test_the_command_writes_speed_error_and_plan_of_both_products(tmp_path):
  path = tmp_path / "out.json"
  done = bench(
      "--cases=tiny,48x32x256", "--dtypes=float32,bfloat16,int8", "--threads=1",
      "--min_seconds=0.01", f"--json={path}",
  )
  assert done.returncode == 0, done.stderr
  result = json.loads(path.read_text())
  (about,) = result["runs"]
  assert about["threads"] == 1
  assert about["jaxgemm"] and about["date"] and about["device"] == "cpu"
  assert "--cases=tiny" in about["command"]
  assert len(result["rows"]) == 9
  tolerance = {"float32": 1e-5, "bfloat16": 4e-3, "int8": 0.0}
  for row in result["rows"]:
    assert set(row["candidates"]) == {"xla", "jaxgemm"}
    for entry in row["candidates"].values():
      assert entry["tflops"] > 0
      assert entry["errors"]["norm"] <= entry["at_most"]["norm"] == tolerance[row["dtype"]]
    ratio = row["candidates"]["xla"]["ratio"]
    assert ratio["q1"] <= ratio["median"] <= ratio["q3"]
    assert row["candidates"]["jaxgemm"]["plan"]["kernel"] in done.stdout
  assert {m["kind"] for m in result["means"]} == {*tolerance, "all"}
  for case in ("tiny 17x33x65 int8", "explicit 48x32x256 bfloat16"):
    assert f"of 9: dense {case}" in done.stderr


def test_schedules_are_candidates_and_overhead_is_measured(tmp_path):
  path, traces = tmp_path / "out.json", tmp_path / "traces"
  done = bench(
      "--cases=64x64x2048,overhead", "--dtypes=float32", "--min_seconds=0.01",
      "--schedule=persistent,stream_k", "--rows", f"--json={path}", f"--profile={traces}",
  )
  assert done.returncode == 0, done.stderr
  result = json.loads(path.read_text())
  row, *overhead = result["rows"]
  for schedule in ("persistent", "stream_k"):
    entry = row["candidates"][f"jaxgemm {schedule}"]
    assert entry["plan"]["schedule"] == schedule
  assert any("'rows'" in each for each in
             row["candidates"]["jaxgemm persistent rows"]["plan"]["reasons"])
  assert "jaxgemm stream_k rows" not in row["candidates"]
  assert [each["way"] for each in overhead] == ["dispatch", "loop", "chain"]
  assert all(entry["seconds"]["median"] > 0 for each in overhead
             for entry in each["candidates"].values())
  assert list(traces.rglob("*.xplane.pb"))


WRONG = """
from benchmarks import __main__ as front
import jaxgemm
right = jaxgemm.%(name)s
jaxgemm.%(name)s = lambda *arrays, **options: 1.05 * right(*arrays, **options)
front.main()
"""


def wrong(suite, name, *flags):
  """A suite in which a function of jaxgemm is wrong."""
  return subprocess.run(
      [sys.executable, "-c", WRONG % {"name": name}, suite, "--nowatch", "--threads=0", *flags],
      cwd=ROOT, env=one_device() | {"JAX_PLATFORMS": "cpu"}, text=True, capture_output=True)


@pytest.fixture(scope="module")
def suites():
  """The flags of all suites, defined once."""
  run.define_flags()


@pytest.mark.parametrize("suite, name, flags, found", [
    ("dense", "matmul", ["--cases=tiny", "--dtypes=bfloat16"],
     ["WRONG: dense tiny 32x32x32 bfloat16 jaxgemm: norm error", "WRONG: dense tiny 17x33x65"]),
    ("dense", "matmul", ["--cases=overhead", "--dtypes=float32"],
     [f"WRONG: overhead 32x32x32 float32 {way} jaxgemm: norm error"
      for way in ("dispatch", "loop", "chain")]),
    ("grouped", "ragged_dot", ["--cases=60x24x16.g5", "--routings=mild",
                               "--dtypes=float32", "--repeat=3"],
     ["WRONG: grouped 60x24x16.g5 float32 forward mild jaxgemm.ragged_dot: out norm error",
      "forward+backward mild jaxgemm.ragged_dot: d_rhs norm error"]),
])
def test_a_wrong_result_is_named_and_fails_the_command(suite, name, flags, found):
  done = wrong(suite, name, "--min_seconds=0", *flags)
  assert done.returncode == 1, done.stderr
  for line in found:
    assert line in done.stdout


def test_a_wrong_chunked_product_fails_its_command(monkeypatch, capfd, suites):
  small = ["--cases=256x16x32", "--chunks=2", "--rounds=3", "--paced_us=1"]
  assert front.start("chunked", small) == 0
  right = jaxgemm.chunked_matmul
  monkeypatch.setattr(jaxgemm, "chunked_matmul",
                      lambda *arrays, **options: 1.05 * right(*arrays, **options))
  assert front.start("chunked", small) == 1
  printed = capfd.readouterr()
  for producer in ("copy", "paced"):
    assert f"WRONG: chunked 256x16x32 {producer}, 2 chunks float32 together: norm" in printed.out
  assert "s] 2 of 2: chunked 256x16x32 paced, 2 chunks" in printed.err


def test_overlapped_products_are_timed_and_a_wrong_one_is_named(tmp_path):
  path = tmp_path / "out.json"
  small = ["--cases=64x48x32", "--devices=2", "--repeat=3", f"--json={path}"]
  done = bench("collective", *small, "--schedule=auto,work_stealing")
  assert done.returncode == 0, done.stderr
  rows = json.loads(path.read_text())["rows"]
  assert [row["case"] for row in rows] == [
      f"{name} 64x48x32, 2 devices" for name in ("allgather_matmul", "matmul_reduce_scatter")]
  for row in rows:
    assert set(row["candidates"]) == {
        "collective alone", "product alone", "one after the other", "overlapped",
        "overlapped work_stealing"}
    for name in ("overlapped", "overlapped work_stealing"):
      assert row["candidates"][name]["of_larger"]["median"] > 0
  done = subprocess.run([sys.executable, "-c", WRONG % {"name": "allgather_matmul"}, "collective",
                         "--nowatch", *small], cwd=ROOT, text=True,
                        env=one_device() | {"JAX_PLATFORMS": "cpu"}, capture_output=True)
  assert done.returncode == 1, done.stderr
  assert "WRONG: collective allgather_matmul 64x48x32, 2 devices bfloat16 overl" in done.stdout
  assert "WRONG: collective matmul" not in done.stdout


def test_progress_repeats_a_step_that_lasts(capsys):
  said = ""
  with progress.shown(interval=0.01):
    progress.doing("case 1")
    progress.within("round 2")
    for _ in range(6000):
      said += capsys.readouterr().err
      if "still" in said:
        break
      time.sleep(0.01)
  assert "s] case 1\n" in said and "s] still: case 1: round 2\n" in said


def test_the_command_lists_cases_and_refuses_unknown_ones():
  assert "512x512x8192" in bench("--list").stdout
  done = bench("--cases=dens")
  assert done.returncode != 0
  assert "No set of cases is named 'dens'" in done.stdout + done.stderr


@pytest.mark.parametrize("name", cases.SETS)
def test_sets_are_well_formed(name):
  gates = {gate["rows"].get("gate") for gate in cases.load()["gates"]}
  for case in cases.products(name):
    assert min(case.m, case.n, case.k) >= 1
    assert case.gate in gates


def test_layers_of_models_and_random_cases():
  one = cases.products("llama3_8b")
  assert {(4096, 28672, 4096), (1, 4096, 14336)} <= {(c.m, c.n, c.k) for c in one}
  every = cases.products("layers")
  assert {(c.m, c.n, c.k) for c in one} < {(c.m, c.n, c.k) for c in every}
  assert len(every) == len(set((c.m, c.n, c.k) for c in every))
  drawn = cases.products("random30-seed5")
  again, other = (cases.products(f"random30-seed{seed}") for seed in (5, 6))
  sizes = lambda found: [(c.m, c.n, c.k) for c in found]
  assert drawn == again and sizes(drawn) != sizes(other)
  assert len(drawn) == 30 and all(16 <= x <= 16384 for c in drawn for x in (c.m, c.n, c.k))
  with pytest.raises(ValueError, match="llama3_8b.*randomCOUNT"):
    cases.products("llama")


def test_a_candidate_is_called_before_it_is_timed():
  asked = []
  for warmup in (0, 50):
    calls = []
    timing.interleave({"a": calls.append}, [(0,)], min_seconds=0, min_rounds=3,
                      sample_seconds=0, warmup=warmup)
    asked.append(len(calls))
  assert asked[1] == asked[0] + 50


def test_candidates_take_turns_on_inputs_of_their_own():
  seen = {"a": [], "b": []}
  functions = {name: seen[name].append for name in seen}
  inputs = [(i,) for i in range(timing.input_sets(1 << 30, 2))]
  assert len(inputs) == 3
  measured = timing.interleave(
      functions, inputs, min_seconds=0, min_rounds=12, sample_seconds=0
  )
  assert measured.rounds == 12
  a, b = (seen[name][3:] for name in "ab")  # after the warm-up calls
  assert all(x != y for x, y in zip(a, b))
  assert sorted(a) == sorted(b) == [0] * 4 + [1] * 4 + [2] * 4


def test_gates_hold_each_ratio_or_their_mean():
  def row(gate, m, ratio):
    candidates = {"xla": {"ratio": {"median": ratio}}, "jaxgemm": {}}
    return {"section": "dense", "case": f"{m}x1x1", "platform": "cpu", "gate": gate, "m": m,
            "candidates": candidates}

  results = [result for result in acceptance.bounds([
      row("bf16", 1, 2.5), row("bf16", 2, 1.5), row("f32", 1, 0.9),
      row("f32", 2, 1.1), row(None, 3, 0.1),
  ]) if result["ok"] is not None]
  assert [(r["gate"], r["ok"]) for r in results] == [
      ("CPU, bf16", True), ("CPU, bf16", False), ("CPU, f32", True)
  ]
  assert results[2]["value"] == pytest.approx((0.9 * 1.1) ** 0.5)


def test_random_products_are_timed_checked_and_counted(tmp_path):
  path = tmp_path / "random.json"
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks", "random", "--num_products=6", "--most=200",
       "--seed=1", "--min_seconds=0.01", f"--json={path}"],
      cwd=ROOT, env=one_device() | {"JAX_PLATFORMS": "cpu"}, text=True, capture_output=True,
      check=False)
  assert done.returncode == 0, done.stderr
  result = json.loads(path.read_text())
  assert len(result["rows"]) == 6 == max(mean["cases"] for mean in result["means"])
  for row in result["rows"]:
    assert row["case"] in done.stdout and "plan" in row["candidates"]["jaxgemm"]
    assert all(entry["seconds"]["median"] > 0 for entry in row["candidates"].values())
    mine = row["candidates"]["jaxgemm"]
    assert mine["errors"]["norm"] <= mine["at_most"]["norm"]


def test_a_suite_has_problems_of_a_file_resumes_and_compares(tmp_path):
  problems, out, table = tmp_path / "p.yaml", tmp_path / "out.json", tmp_path / "out.csv"
  problems.write_text("- {m: 64, n: 48, k: 32, dtype: float32}\n- {m: 8, n: 16, k: 24}\n")
  common = ["dense", "--dtypes=float32", "--min_seconds=0", "--repeat=3",
            f"--json={out}", f"--problems={problems}"]
  done = bench(*common, f"--csv={table}", f"--markdown={tmp_path / 'out.md'}",
               f"--png={tmp_path / 'out.png'}", "--peak_tflops=1e3", "--peak_gbs=1e4")
  assert done.returncode == 0, done.stderr
  first = json.loads(out.read_text())
  assert [row["rounds"] for row in first["rows"]] == [3, 3]
  lines = list(csv.DictReader(table.open()))
  assert [(line["problem"], line["candidate"]) for line in lines] == [
      (f"dense problems {sizes} float32", name)
      for sizes in ("64x48x32", "8x16x24") for name in ("xla", "jaxgemm")]
  assert float(lines[1]["median"]) == first["rows"][0]["candidates"]["jaxgemm"]["seconds"][
      "median"]
  assert "| dense problems 8x16x24 float32 | jaxgemm |" in (tmp_path / "out.md").read_text()
  least = roofline.least_seconds(first["rows"][0], "", (1e3, 1e4))
  assert float(lines[1]["roofline"]) == pytest.approx(least / float(lines[1]["median"]))
  assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"
  # A run that was killed after its first row, beside a run in which all was much faster.
  out.write_text(json.dumps(first | {"rows": first["rows"][:1]}))
  for row in first["rows"]:
    row["candidates"]["jaxgemm"]["seconds"]["median"] /= 1e3
    row["candidates"]["xla"]["seconds"]["median"] *= 1e3
  old = tmp_path / "old.json"
  old.write_text(json.dumps(first))
  done = bench(*common, "--resume", f"--compare={old}")
  assert done.returncode == 1
  assert "64x48x32" not in done.stderr and "problems 8x16x24 float32" in done.stderr
  slower = [line for line in done.stdout.splitlines() if line.startswith("SLOWER")]
  assert len(slower) == 2 and all("float32 jaxgemm: " in line for line in slower)
  assert len(json.loads(out.read_text())["rows"]) == 2


def test_the_roofline_is_the_larger_of_work_and_bytes():
  product = {"m": 8192, "n": 8192, "k": 8192, "dtype": "bfloat16"}
  h100 = roofline.least_seconds(product, "NVIDIA H100 80GB HBM3")
  assert h100 == pytest.approx(2 * 8192**3 / 989.4e12)
  few = product | {"m": 1}
  assert roofline.least_seconds(few, "NVIDIA H200") == pytest.approx(
      2 * (8192**2 + 2 * 8192) / 4.8e12)
  grouped = few | {"groups": 4, "m": 4, "work": "wgrad"}
  assert roofline.least_seconds(grouped, "AMD Instinct MI300X") == pytest.approx(
      2 * (4 * 8192**2 + 8 * 8192) / 5.3e12)
  assert roofline.least_seconds(product, "some CPU") is None
  assert roofline.least_seconds({"tokens": 3}, "NVIDIA H100") is None


def test_files_that_are_not_there_or_unfit(tmp_path, suites):
  path = tmp_path / "problems.json"
  run.FLAGS(["chunked", "--resume", f"--problems={path}"])
  try:
    with pytest.raises(app.UsageError, match="--resume needs --json"):
      run.Rows()
    with pytest.raises(app.UsageError, match="No such file"):
      run.problems(["int8"])
    for text, why in (('[{"m": 3, "n": 4}]', "is no object with m, n, k"),
                      ('[{"m": 3, "n": 4, "k": 5, "groups": 2}]', "no problem without groups"),
                      ('[{"m": 3, "n": 4, "k": 5, "dtype": "x"}]', "another dtype than int8")):
      path.write_text(text)
      with pytest.raises(app.UsageError, match=why):
        run.problems(["int8"])
    path.write_text('[{"m": 3, "n": 4, "k": 5, "groups": 2}, {"m": 1, "n": 1, "k": 1}]')
    assert [each["m"] for each in run.problems(["int8"], grouped=True)] == [3]
  finally:
    for name in ("resume", "problems"):
      run.FLAGS[name].unparse()


def test_a_wrong_result_fails_unless_it_is_not_to_be_verified(capsys, suites):
  run.FLAGS(["chunked"])
  rows = run.Rows()
  good = {"seconds": {"median": 1.0, "q1": 1.0, "q3": 1.0}}
  bad = good | {"errors": {"max": float("nan")}, "at_most": {"max": 1e-3}}
  rows.rows = [{"section": "dense", "case": "something", "candidates": {"jaxgemm": bad}}]
  said = "WRONG: dense something jaxgemm: max error nan"
  assert rows.finish() == 1 and said in capsys.readouterr().out
  run.FLAGS(["chunked", "--noverify"])
  try:
    assert rows.finish() == 0 and said in capsys.readouterr().out
    rows.rows = [rows.rows[0] | {"candidates": {}, "missing": {"jaxgemm": "another"}}]
    assert rows.finish() == 1
  finally:
    run.FLAGS(["chunked", "--verify"])


def test_processors_are_taken_away(tmp_path):
  out, picture = tmp_path / "out.json", tmp_path / "out.png"
  done = bench("cu_sweep", "--cases=64x48x32", "--min_seconds=0", "--repeat=3",
               "--occupied=0,1", "--schedule=persistent,work_stealing", f"--json={out}",
               f"--png={picture}")
  assert done.returncode == 0, done.stderr
  rows = json.loads(out.read_text())["rows"]
  assert rows[0]["active_cus"] == rows[1]["active_cus"] + 1
  for row in rows:
    assert set(row["candidates"]) == {"xla", "jaxgemm persistent", "jaxgemm work_stealing"}
  assert picture.stat().st_size > 1000


@pytest.mark.parametrize("flag, why", [
    (["nope"], "No suite is named 'nope'; there are dense"),
    (["collective", "--threads=2"], "--threads was given, and this suite has no use"),
])
def test_what_a_suite_refuses(flag, why):
  done = bench(*flag)
  assert done.returncode != 0 and why in done.stdout + done.stderr


def test_a_gpu_is_measured_where_there_is_one(monkeypatch):
  for platforms, there in (("cpu", False), ("cuda,cpu", True), ("rocm", True)):
    monkeypatch.setenv("JAX_PLATFORMS", platforms)
    assert watch.has_gpu() == there
  monkeypatch.setenv("JAX_PLATFORMS", "")
  monkeypatch.setattr(watch.glob, "glob", lambda pattern: ["x"] if "kfd" in pattern else [])
  assert watch.has_gpu()


def test_the_help_of_a_suite_has_its_flags_and_those_of_all_suites():
  shown = subprocess.run([sys.executable, "-m", "benchmarks", "scaled", "--help"], cwd=ROOT,
                         check=True, capture_output=True, text=True).stdout
  from benchmarks import scaled

  assert scaled.__doc__ in shown
  assert "--[no]resume: " in shown and "benchmarks.scaled:\n" in shown
  assert "--pdb" not in shown  # a flag of absl


def test_the_commands_of_the_pages_exist():
  pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks/model/data/README.md",
           *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.py")]
  text = "\n".join(page.read_text() for page in pages)
  found = re.findall(r"python -m benchmarks +(-*\w+)", text)
  assert len(found) > 20
  for after in found:
    assert after in front.SUITES or after in ("SUITE", "SECTION", "--help"), after
  assert not re.findall(r"python -m benchmarks\.[\w.]+", text)


@pytest.mark.faster_by_xla
@pytest.mark.filterwarnings("ignore:jaxgemm leaves this product")
def test_tuned_programs_are_timed_beside_the_plans(tmp_path, monkeypatch, capfd, suites):
  """If tuning finds another choice, its program differs; equal programs are timed once."""
  from benchmarks import random_products
  from jaxgemm.call import tuned as entries
  from jaxgemm.tune import measure

  problems, out, table = (tmp_path / name for name in ("p.json", "out.json", "out.md"))
  problems.write_text('[{"m": 300, "n": 260, "k": 280}, {"m": 40, "n": 24, "k": 32}]')
  fast = {300: "work_stealing", 40: "xla"}

  def timed(functions, inputs, rounds):
    word = fast[inputs[0][0].shape[0]]
    return timing.Timing({name: np.full(rounds, 0.5 if word in name else 1.0)
                          for name in functions}, 1)

  monkeypatch.setattr(measure, "_timed", timed)
  monkeypatch.setattr(measure, "_seconds", lambda function, arguments: 0.0)
  monkeypatch.setenv("JAXGEMM_TUNING", "off")
  try:
    assert front.start("tuned", [f"--problems={problems}", "--tune_workers=0", "--repeat=3",
                                 f"--json={out}", f"--markdown={table}"]) == 0
  finally:
    for name in ("problems", "repeat", "json", "markdown"):
      run.FLAGS[name].unparse()
    entries.forget()
  result = json.loads(out.read_text())
  first, second = result["rows"]
  assert first["alike"] == {"tuned": "tuned", "plan": "plan", "xla": "xla"}
  assert first["plans"]["tuned"]["schedule"] == "work_stealing"
  assert second["alike"]["tuned"] == second["alike"]["xla"]
  assert second["candidates"]["xla"]["ratio"]["median"] == 1
  assert [random_products.chosen(row) for row in result["rows"]] == ["another", "XLA's"]
  assert "| another program |" in table.read_text()
  assert "- tuned programs: 1 another, 0 the plan's, 1 XLA's" in table.read_text()
  assert "tuned 2 of 2 products in" in capfd.readouterr().out


def test_every_result_has_a_line_and_a_reader():
  folder = ROOT / "benchmarks/results"
  lines = re.findall(r"^\| `([\w.-]+)` \|", (folder / "README.md").read_text(), re.M)
  files = {each.name: each.stem for each in folder.iterdir() if each.name != "README.md"}
  assert sorted(lines) == sorted(files)
  page = (ROOT / "docs/guides/performance.md").read_text()
  readers = page + "".join(path.read_text() for path in (
      ROOT / "README.md", *(ROOT / "benchmarks").rglob("*.py")))
  assert not [name for name, stem in files.items() if stem not in readers]
  named = set(re.findall(r"`([\w.-]+-(?:h[12]00|cpu[\w.-]*)|amd-\w+)`", page))
  assert named <= set(files.values()), named - set(files.values())


def test_every_timing_has_a_line():
  folder = ROOT / "benchmarks/model/data"
  lines = re.findall(r"^\| (`.*?`) \|", (folder / "README.md").read_text(), re.M)
  named = [name for line in lines for name in re.findall(r"`([\w-]+)`", line)]
  assert sorted(named) == sorted(path.name.removesuffix(".json.gz")
                                 for path in folder.glob("*.json.gz"))
