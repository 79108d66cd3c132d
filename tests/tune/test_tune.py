"""Tuning on the CPU: its choices are right, they are kept, and the plan uses them."""

import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import GemmConfig
from jaxgemm.call import tuned
from jaxgemm.tune import __main__ as command
from jaxgemm.tune import database, measure, products
from jaxgemm.tune import tune as tune_module
from tests.support.environment import one_device
from tests.support.paths import ROOT

F32 = jnp.float32


def shape(*sizes, dtype=F32):
  return jax.ShapeDtypeStruct(sizes, dtype)


@pytest.fixture
def path(tmp_path, monkeypatch):
  """The tuning file of this test."""
  place = tmp_path / "tuning.json"
  monkeypatch.setenv("JAXGEMM_TUNING", str(place))
  tuned.forget()
  yield place
  tuned.forget()


@pytest.fixture
def times(monkeypatch):
  """A list of (word in a candidate's name, seconds), which replaces measured times."""
  rules = []

  def timed(functions, inputs, rounds):
    def seconds(name):
      return next((s for word, s in rules if word in name), 1.0)
    return measure.timing.Timing(
        {name: np.full(rounds, seconds(name)) for name in functions}, 1)

  monkeypatch.setattr(measure, "_timed", timed)
  monkeypatch.setattr(measure, "_seconds", lambda function, arguments: 0.0)
  return rules


def explain(m, n, k, **options):
  return jaxgemm.explain(shape(m, k), shape(k, n), **options).data


def test_the_fastest_candidate_is_used_by_the_plan(path, times):
  before = explain(300, 260, 280)
  times += [("work_stealing", 0.5)]
  report = jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  result, = report.results
  assert result.entry.config["schedule"] == "work_stealing"
  assert result.entry.implementation == "jaxgemm" and result.entry.xla_seconds == 1.0
  assert "(2.00x)" in str(report) and str(path) in str(report)
  after = explain(300, 260, 280)
  assert before["schedule"] == "persistent" and after["schedule"] == "work_stealing"
  assert after["tile"] == tuple(
      result.entry.config[name] for name in ("tile_m", "tile_n", "tile_k"))
  assert any("tuned: 500000.0 us" in reason for reason in after["reasons"])
  assert before["tuned"] is None and after["tuned"] == {
      "key": result.key, **dataclasses.asdict(result.entry)}
  whole, = jaxgemm.explain(jaxgemm.matmul, shape(300, 280), shape(280, 260)).data["calls"]
  assert whole["tuned"] == after["tuned"]
  # The tuned choice is only a default.
  for asked in (dict(schedule="persistent"), dict(config=GemmConfig(tile_m=32))):
    assert not any("tuned" in each for each in explain(300, 260, 280, **asked)["reasons"])


def test_the_tuned_program_computes_the_same(path, times, rng):
  times += [("work_stealing", 0.5)]
  a, b = (jnp.asarray(rng.standard_normal(s), F32) for s in ((300, 280), (280, 260)))
  jaxgemm.tune(jaxgemm.matmul, a, b)
  wanted = np.asarray(a, np.float64) @ np.asarray(b, np.float64)
  np.testing.assert_allclose(jax.jit(lambda a, b: jaxgemm.matmul(a, b))(a, b), wanted,
                             rtol=1e-4, atol=1e-3)


def test_sizes_of_one_bucket_share_an_entry(path, times):
  times += [("work_stealing", 0.5)]
  jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  for m, is_used in ((257, True), (512, True), (513, False), (256, False)):
    reasons = explain(m, 260, 280)["reasons"]
    assert any("tuned" in each and "timed with m=300" in each for each in reasons) == is_used
  assert not any("tuned" in each for each in explain(300, 261, 280)["reasons"])


@pytest.mark.faster_by_xla
@pytest.mark.filterwarnings("ignore:jaxgemm leaves this product")
def test_xla_takes_what_it_computes_faster(path, times):
  times += [("xla", 0.5)]
  a, b = shape(300, 280), shape(280, 260)
  report = jaxgemm.tune(jaxgemm.matmul, a, b)
  assert report.results[0].entry.implementation == "xla"
  data = jaxgemm.explain(a, b).data
  assert data["implementation"] == "xla"
  assert "tuning found XLA's product faster" in data["reasons"][0]
  assert jaxgemm.explain(
      a, b, implementation="jaxgemm").data["implementation"] == "jaxgemm"
  # When the product is tuned again, its entry is found.
  times[0] = ("xla", 2.0)
  assert not jaxgemm.tune(jaxgemm.matmul, a, b).results[0].seconds
  jaxgemm.tune(jaxgemm.matmul, a, b, again=True)
  assert jaxgemm.explain(a, b).data["implementation"] == "jaxgemm"


def test_a_small_gain_changes_nothing(path, times):
  times += [("work_stealing", 0.998), ("xla", 0.9985)]
  report = jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  entry = report.results[0].entry
  assert entry.config == {} and entry.implementation == "jaxgemm"


def test_wrong_and_failing_candidates_do_not_win(path, times, monkeypatch):
  times += [("work_stealing", 0.1)]
  ours = products.Product.ours

  def broken(self, config):
    function = ours(self, config)
    if config["schedule"] != "work_stealing":
      return function
    if config["tile_n"] % 64:
      return lambda *xs: [1.01 * x for x in function(*xs)]
    return lambda *xs: 1 / 0

  monkeypatch.setattr(products.Product, "ours", broken)
  report = jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  result, = report.results
  assert result.entry.config.get("schedule") != "work_stealing"
  assert {why.split()[0] for why in result.refused.values()} <= {
      "ZeroDivisionError:", "its"}
  assert result.refused and "left out" in str(report)


def test_all_products_of_a_gradient(path, times):
  def loss(x, w, experts, sizes):
    h = jaxgemm.matmul(x, w, activation="silu")
    return jaxgemm.ragged_dot(h, experts, sizes).sum()

  times += [("work_stealing", 0.5)]
  arguments = (shape(64, 32), shape(32, 48), shape(3, 48, 40), shape(3, dtype=jnp.int32))
  report = jaxgemm.tune(jax.grad(loss, (0, 1, 2)), *arguments, routing="skewed")
  labels = [each.label for each in report.results]
  assert len(labels) == len(set(labels)) == 6, labels
  assert sum("3 groups along m" in each for each in labels) == 2
  assert sum("3 groups along k" in each for each in labels) == 1
  assert any("save_preact silu" in each for each in labels)
  assert all(each.entry for each in report.results)


def test_routings(path, times):
  x, w, sizes = shape(100, 16), shape(4, 16, 24), shape(4, dtype=jnp.int32)
  product, = products.products([(jaxgemm.ragged_dot, (x, w, sizes), {})])[0]
  rng = np.random.default_rng(0)
  for routing, wanted in (("balanced", [25, 25, 25, 25]), ("extreme", [0, 0, 100, 0]),
                          ([1, 0, 1, 2], [25, 0, 25, 50])):
    assert product.operands(rng, routing, product.random)[2].tolist() == wanted
  assert int(product.operands(rng, "skewed", product.random)[2].sum()) == 100
  mild = product.operands(rng, "mild", product.random)[2]
  assert int(mild.sum()) == 100 and int(mild.min()) >= 5  # 0.2 of 0.2 + 3 at the least
  with pytest.raises(ValueError, match="4 shares that are not negative"):
    jaxgemm.tune(jaxgemm.ragged_dot, x, w, sizes, routing=[1, 2])
  with pytest.raises(ValueError, match="Did you mean 'balanced'"):
    jaxgemm.tune(jaxgemm.ragged_dot, x, w, sizes, routing="balance")


def test_what_is_not_tuned_is_said(path, times):
  def function(x, w):
    y = jaxgemm.matmul(x, w, schedule="persistent")
    return jaxgemm.matmul(y, w, implementation="emulated:gfx942")

  report = jaxgemm.tune(function, shape(32, 32), shape(32, 32))
  assert not report.results and sum(report.left.values()) == 2
  assert "1 calls, because they are emulated" in str(report)


def test_a_stopped_run_goes_on(path, times):
  def function(x, w, v):
    return jaxgemm.matmul(jaxgemm.matmul(x, w), v)

  arguments = shape(40, 30), shape(30, 50), shape(50, 60)
  first = jaxgemm.tune(function, *arguments, seconds=-1)
  assert first.unfinished == 2 and "call it again" in str(first)
  jaxgemm.tune(jaxgemm.matmul, *arguments[:2])
  second = jaxgemm.tune(function, *arguments)
  assert [each.known for each in second.results] == [True, False]
  assert len(database.load(path)) == 2


def test_entries_of_other_versions_are_reported_once(path, times):
  jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  (key, entry), = database.load(path).items()
  machine, version, problem = key.split(" | ")
  database.merge(path, {f"{machine} | {version}.1 | {problem}": entry})
  database.report.cache_clear()
  with pytest.warns(UserWarning, match="1 entries of other versions.*prune"):
    tuned.forget()
    assert explain(300, 260, 280)["tuned"]["key"] == key
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    tuned.forget()
    explain(300, 260, 280)


def test_an_entry_that_does_not_fit_is_not_used(path, times):
  times += [("work_stealing", 0.5)]
  jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  (key, entry), = database.load(path).items()
  for config in ({"schedule": "nonsense"}, {"tile_m": -5}, {"unknown": 3}, {"schedule": 7},
                 {"tile_m": "16"}, {"tile_m": 2**70}):
    database.merge(path, {key: dataclasses.replace(entry, config=config)})
    tuned.forget()
    data = explain(300, 260, 280)
    assert data["schedule"] == "persistent"
    assert any("the tuned choice does not fit" in each for each in data["reasons"])


@pytest.mark.faster_by_xla
@pytest.mark.filterwarnings("ignore:jaxgemm leaves this product")
def test_entries_and_rows_that_have_the_same_bits(path, times):
  """An entry that divides k, or that leaves the product to XLA, is not for deterministic="rows"."""
  times += [("work_stealing", 0.5)]
  jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  rows = lambda: explain(300, 260, 280, deterministic="rows")
  assert rows()["schedule"] == "work_stealing" and rows()["tuned"]
  (key, entry), = database.load(path).items()
  database.merge(path, {key: dataclasses.replace(entry, config={"schedule": "stream_k"})})
  tuned.forget()
  assert explain(300, 260, 280)["tuned"]
  assert rows()["schedule"] == "persistent" and not rows()["tuned"]
  assert any("does not fit: deterministic='rows' excludes schedule='stream_k'" in each
             for each in rows()["reasons"])
  database.merge(path, {key: dataclasses.replace(entry, implementation="xla")})
  tuned.forget()
  jax.clear_caches()
  assert explain(300, 260, 280)["implementation"] == "xla"
  assert rows()["implementation"] == "jaxgemm"
  report = jaxgemm.tune(lambda a, b: jaxgemm.matmul(a, b, deterministic="rows"),
                        shape(300, 280), shape(280, 260))
  assert not report.results and "deterministic='rows'" in str(report)


def test_an_entry_of_the_package_is_used_and_named(path, times, tmp_path, monkeypatch):
  """The user's own entry comes first. A predicted entry is only for its own size."""
  times += [("work_stealing", 0.5)]
  jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260))
  (key, entry), = database.load(path).items()
  path.unlink()
  monkeypatch.setattr(database, "SHIPPED", tmp_path / "shipped")
  chip = tmp_path / "shipped" / "chip.json"

  def reasons(m):
    tuned.forget()
    return [each for each in explain(m, 260, 280)["reasons"] if "tuned" in each]

  for source, said in (("measured", "tuned: 500000.0 us"),
                       ("predicted", "tuned: by a model of the chip, not measured: 500000.0 us")):
    chip.unlink(missing_ok=True)
    database.merge(chip, {key: dataclasses.replace(entry, source=source)})
    reason, = reasons(300)
    assert reason.startswith(said) and reason.endswith(f"entry {key!r}")
    assert bool(reasons(310)) == (source == "measured")
  database.merge(path, {key: entry})
  assert reasons(300)[0].startswith("tuned: 500000.0 us")
  monkeypatch.setenv("JAXGEMM_TUNING", "off")
  assert not reasons(300)


def test_a_killed_run_goes_on(path, tmp_path):
  """The process is killed while it tunes; the entries that it had found are kept."""
  sizes = tmp_path / "sizes.json"
  sizes.write_text(json.dumps([{"m": 64, "n": 48, "k": 16 * i, "dtype": "float32"}
                               for i in range(1, 6)]))
  program = [sys.executable, "-m", "jaxgemm.tune", str(sizes), "--workers=0",
             "--most_candidates=2"]
  with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as process:
    for line in process.stderr:
      if "3 of 5" in line:
        process.send_signal(signal.SIGKILL)
        break
  assert process.returncode == -signal.SIGKILL
  before = database.load(path)
  assert len(before) == 2
  done = subprocess.run(program, capture_output=True, text=True, check=True)
  assert done.stdout.count("[known]") == 2 and "1 of 5" not in done.stderr
  after = database.load(path)
  assert len(after) == 5 and after.items() >= before.items()


def test_it_runs_outside_of_programs_only(path):
  with pytest.raises(TypeError, match="within jit, grad or vmap"):
    jax.jit(lambda x: jaxgemm.tune(jaxgemm.matmul, x, x))(jnp.ones((4, 4)))
  # It also refuses shapes there: a program that is being traced would wait for another one.
  with pytest.raises(TypeError, match="within jit, grad or vmap"):
    jax.jit(lambda x: (jaxgemm.tune(jaxgemm.matmul, shape(4, 4), shape(4, 4)), x)[1])(1.0)


def test_without_a_file(monkeypatch):
  monkeypatch.setenv("JAXGEMM_TUNING", "off")
  with pytest.raises(ValueError, match="Unset it, or pass path"):
    jaxgemm.tune(jaxgemm.matmul, shape(4, 4), shape(4, 4))


NO_USER = """
import os, sys, warnings
# It has no entry in passwd. Root's rights stay, because Python may be in root's home folder.
os.setresuid(54321, 0, 0)
warnings.simplefilter("error")
import jax, jax.numpy as jnp, numpy as np
import jaxgemm
x = np.random.default_rng().standard_normal((24, 40)).astype(np.float32)
w = np.random.default_rng().standard_normal((40, 32)).astype(np.float32)
got = jax.jit(lambda x, w: jaxgemm.matmul(x, w, implementation="jaxgemm"))(x, w)
assert np.abs(np.asarray(got, np.float64) - np.float64(x) @ np.float64(w)).max() < 1e-3
sizes = jnp.array([20, 4])
got = jaxgemm.ragged_dot(x, jnp.stack([w, w]), sizes)
assert np.abs(np.asarray(got, np.float64) - np.float64(x) @ np.float64(w)).max() < 1e-3
print(jaxgemm.explain(x, w, implementation="jaxgemm").data["kernel"])
try:
  jaxgemm.tune(jaxgemm.matmul, x, w)
except ValueError as error:
  print(error)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="Only root may become a user who does not exist.")
def test_a_container_without_a_user():
  """Products need no home folder. What tune needs it says."""
  out = ("HOME", "XDG_CACHE_HOME", "JAXGEMM_TUNING")
  env = {name: value for name, value in one_device().items() if name not in out}
  done = subprocess.run([sys.executable, "-c", NO_USER], env=env | {"JAX_PLATFORMS": "cpu"},
                        capture_output=True, text=True, check=False)
  assert done.returncode == 0, done.stderr
  kernel, said = done.stdout.splitlines()
  assert kernel and "HOME is not set" in said and "pass path=" in said


def test_a_file_that_cannot_be_written_is_said_before_anything_is_timed(
    path, times, tmp_path, monkeypatch):
  """The report has the results, nevertheless."""
  (tmp_path / "file").write_text("")
  place = tmp_path / "file" / "tuning.json"  # its folder is a file
  warned = []
  monkeypatch.setattr(tune_module.warnings, "warn", lambda text, **_: warned.append(text))
  monkeypatch.setattr(products.Product, "ours", lambda self, config, ours=products.Product.ours: (
      warned or pytest.fail("nothing was said"), ours(self, config))[1])
  report = jaxgemm.tune(jaxgemm.matmul, shape(300, 280), shape(280, 260), path=place,
                        most_candidates=2)
  assert "cannot be written: " in warned[0] and str(place) in warned[0]
  assert report.results[0].entry.seconds == 1.0
  assert "FileExistsError" in report.lost and "not all of this is kept" in str(report)


def test_what_could_not_be_written_is_written_later(path, times, monkeypatch):
  """The disk is full for a while."""
  merge, calls = database.merge, []

  def sometimes(place, entries):
    calls.append(dict(entries))
    if len(calls) == 2:
      raise OSError(28, "No space left on device")
    merge(place, entries)

  monkeypatch.setattr(database, "merge", sometimes)
  report = jaxgemm.tune(lambda x, w, v: jaxgemm.matmul(jaxgemm.matmul(x, w), v),
                        shape(40, 30), shape(30, 50), shape(50, 60))
  assert [len(each) for each in calls] == [0, 1, 2] and not report.lost
  assert database.load(path) == {each.key: each.entry for each in report.results}


def test_without_products_nothing_is_kept(path, times):
  report = jaxgemm.tune(lambda x: x @ x, shape(8, 8))
  assert str(report) == "no product of jaxgemm in what was given: nothing was timed, and nothing " \
      "is kept"
  assert not path.exists()
  report = jaxgemm.tune(lambda x: jaxgemm.matmul(x, x, implementation="xla"), shape(8, 8))
  assert str(report).splitlines() == [
      "not tuned: 1 calls, because XLA computes them: implementation='xla' was given",
      "nothing is kept"]


def test_a_mistyped_variable_is_said_once(path):
  database.report.cache_clear()
  with pytest.warns(UserWarning, match="JAXGEMM_TUNING names does not exist.*'off', in small"):
    explain(8, 8, 8)
  with warnings.catch_warnings():
    warnings.simplefilter("error")
    tuned.forget()
    explain(8, 8, 8)


@pytest.mark.parametrize("options, error, words", [
    (dict(most_candidates=0), ValueError, "most_candidates=0 .* above 0"),
    (dict(most_candidates=1.5), TypeError, "most_candidates=1.5"),
    (dict(workers="2"), TypeError, "workers='2' was given; 0 to"),
    (dict(workers=-1), ValueError, "workers=-1 was given; 0 to"),
    (dict(workers=True), TypeError, "workers=True"),
    (dict(seconds="3"), TypeError, "seconds='3'"),
    (dict(seconds=float("nan")), ValueError, "seconds=nan"),
    (dict(candidate_seconds=0), ValueError, "candidate_seconds=0 .* above 0"),
    (dict(again="no"), TypeError, "again='no'"),
    (dict(path=""), ValueError, "path='' was given; the path of a file"),
    (dict(path=3), TypeError, "path=3 was given; the path of a file"),
    (dict(routing=None), TypeError, "routing=None was given"),
    (dict(routing=[1, float("nan")]), ValueError, "2 shares that are not"),
    (dict(routing=[1, -1]), ValueError, "2 shares that are not"),
    (dict(routing=[[1, 1]]), ValueError, "2 shares that are not"),
])
def test_options_are_checked_before_anything_is_timed(path, monkeypatch, options, error, words):
  monkeypatch.setattr(tune_module, "measure", lambda *_: pytest.fail("it was timed"))
  x, w, sizes = shape(8, 8), shape(2, 8, 8), shape(2, dtype=jnp.int32)
  with pytest.raises(error, match=words):
    jaxgemm.tune(jaxgemm.ragged_dot, x, w, sizes, **options)
  assert not path.exists()


def test_real_times(path):
  """Here the times are measured."""
  with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    report = jaxgemm.tune(jaxgemm.matmul, shape(64, 64), shape(64, 64), most_candidates=3)
  result, = report.results
  assert "xla" in result.seconds and len(result.seconds) >= 2 and not result.refused
  assert 0 < result.entry.seconds <= result.entry.plan_seconds


def test_the_command(path, times, tmp_path, capsys):
  model, sizes = tmp_path / "model.py", tmp_path / "sizes.json"
  model.write_text("""
import jax, jaxgemm
x = jax.ShapeDtypeStruct((40, 30), "float32")
def calls():
  yield jaxgemm.matmul, (x, jax.ShapeDtypeStruct((30, 20), "float32"))
""")
  sizes.write_text(json.dumps([
      {"m": 64, "n": 48, "k": 32, "dtype": "float32", "layout": "rc", "gradients": True},
      {"m": 64, "n": 48, "k": 32, "groups": 4}]))
  here = "--workers=0"
  assert command.main([str(model), here]) == 0 and command.main([str(sizes), here]) == 0
  assert len(database.load(path)) == 5
  assert command.main(["export", str(tmp_path / "copy.json")]) == 0
  assert database.load(tmp_path / "copy.json") == database.load(path)
  old = {"cpu avx2 2 | 0.0.1 | k=3": next(iter(database.load(path).values()))}
  database.merge(tmp_path / "other.json", old)
  for what in ("merge", "import"):
    assert command.main([what, str(tmp_path / "other.json")]) == 0
    assert len(database.load(path)) == 6
  capsys.readouterr()
  assert command.main(["prune"]) == 0 and len(database.load(path)) == 5
  assert command.main(["list"]) == 0
  assert "1 entries of other versions removed" in (said := capsys.readouterr().out)
  assert said.count(" us, plan ") == 5
  assert command.main(["shipped"]) == 0 and ", predicted" in capsys.readouterr().out
  sizes.write_text('[{"m": 3, "n": 4, "colour": 1}]')
  with pytest.raises(SystemExit, match="unknown fields"):
    command.main([str(sizes)])
  for text, why in (("{}", "is no list"), ("[3]", "a product has numbers m, n and k"),
                    ('[{"m": 1, "n": 1, "k": 1, "layout": "xx"}]', "rr, rc, cr, cc are allowed"),
                    ('[{"m": 1, "n": 1, "k": 1, "groups": "a"}]', "a number of groups is allowed"),
                    ('[{"m": 1, "n": 1, "k": 1, "dtype": "bf"}]', "none of jax's"),
                    ('[{"m": "3", "n": 4, "k": 5}]', "a product has numbers"),
                    ("[", "Expecting value")):
    sizes.write_text(text)
    with pytest.raises(SystemExit, match=why):
      command.main([str(sizes)])


def test_shapes_in_yaml(path, times, tmp_path, monkeypatch):
  sizes = tmp_path / "sizes.yaml"
  sizes.write_text("- {m: 64, n: 48, k: 32, dtype: float32}\n- {m: 8, n: 48, k: 32}\n")
  assert command.main([str(sizes), "--workers=0"]) == 0 and len(database.load(path)) == 2
  sizes.write_text("- {m: 64")
  with pytest.raises(SystemExit, match="it is no YAML"):
    command.main([str(sizes)])
  monkeypatch.setitem(sys.modules, "yaml", None)
  with pytest.raises(SystemExit, match="YAML needs PyYAML.*or write the same as JSON"):
    command.main([str(sizes)])


def test_every_predicted_entry_of_the_package_fits_its_chip(monkeypatch):
  monkeypatch.delenv("JAXGEMM_TUNING")
  monkeypatch.setattr(database, "default_path", lambda: pathlib.Path("/nowhere/tuning.json"))
  tuned.forget()
  bf16 = jnp.bfloat16
  (product,), _ = products.products([(jaxgemm.matmul, (shape(8, 8, dtype=bf16),) * 2, {})])
  asked = GemmConfig().to_native(False)
  chips = set()
  for key, entry in database.shipped().items():
    if entry.source == "measured":
      continue
    machine, _, fields = key.split(" | ")
    target, cus = machine.split()
    chips.add((target, cus))
    sizes = {name: int(value) for name, value in (each.split("=") for each in fields.split())
             if name in ("m", "n", "k")}
    monkeypatch.setattr(tuned._ffi, "num_cus", lambda _, cus=int(cus): cus)
    problem = product.plan["problem"] | sizes | {"m": entry.size}
    plan = tuned.tuned_plan(problem, asked, target, True)
    assert plan["tuned"]["key"] == key and plan["schedule"] == entry.config["schedule"], key
    assert plan["num_workgroups"] == entry.config["num_workgroups"]
    assert any("by a model of the chip, not measured" in each for each in plan["reasons"])
    assert "tuned" not in tuned.tuned_plan(
        problem | {"m": entry.size - 1}, asked, target, True)
  assert chips == {("gfx942", "304"), ("gfx950", "256")}


def test_every_measured_entry_of_the_package_fits_its_chip():
  bf16 = jnp.bfloat16
  (product,), _ = products.products([(jaxgemm.matmul, (shape(8, 8, dtype=bf16),) * 2, {})])
  chips = set()
  for key, entry in database.shipped().items():
    machine, _, fields = key.split(" | ")
    if not machine.startswith("sm90"):
      continue
    chips.add(machine)
    known = dict(each.split("=") for each in fields.split())
    problem = product.plan["problem"] | {
        name: int(known.get(name, 0)) for name in ("n", "k", "lhs_contracting", "rhs_contracting")
    } | {"m": entry.size}
    asked = GemmConfig(**entry.config).to_native(False)
    plan = tuned._ffi.native_plan(tuple(problem.items()), asked, "sm90", int(machine.split()[1]))
    for name, value in entry.config.items():
      if not name.startswith("tile"):
        assert plan["attrs"].get(name, value) == value, (key, name)
    assert tuned.key(problem, "sm90", 132).endswith(f"| {fields}")
  assert chips == {"sm90 132 NVIDIA H100 80GB HBM3", "sm90 132 NVIDIA H200"}


def test_the_model_file_of_the_guide(path, times, tmp_path):
  """The command tunes the products of the example in docs/guides/tuning.md."""
  text, = (each for each in re.findall(r"^```python\n(.*?)^```$", (
      ROOT / "docs/guides/tuning.md").read_text(), re.M | re.S) if "def calls(" in each)
  (tmp_path / "model.py").write_text(text)
  assert command.main([str(tmp_path / "model.py"), "--workers=0"]) == 0
  found = list(database.load(path))
  assert sum("groups=" in key for key in found) == 4 and len(found) == 9


@pytest.mark.parametrize("text, words", [
    ("calls = 3", "has a int and no function calls"),
    ("", "has no function calls"),
    ("def calls(): return None", "returned None"),
    ("def calls(): yield f", "number 1 of calls.. is <function f"),
    ("def calls(): yield f, x", "number 1 of calls.. is .*also if there is only one: .x,."),
    ("def calls(): yield f, (x, x); yield 3, (x,)", "number 2 of calls"),
    ("def calls(): yield f, (x, x), {}", "number 1 of calls"),
    ("import no_such_module\ndef calls(): pass", "line 5: ModuleNotFoundError: No module named"),
    ("def calls(:", "SyntaxError"),
    ("def calls():\n  return 1 / 0", "line 6: ZeroDivisionError"),
    ("def calls(): yield f, (x,)", "TypeError: .*missing 1 required positional"),
    ("import sys; sys.exit(0)", "line 5: SystemExit"),
    ("def calls(): yield lambda a: jaxgemm.matmul(a, a[:3]), (x,)", "line 5: .*Error"),
])
def test_mistakes_of_a_model_file_are_said_in_words(path, tmp_path, text, words):
  model = tmp_path / "model.py"
  model.write_text("import jax, jaxgemm\nx = jax.ShapeDtypeStruct((8, 8), 'float32')\n"
                   "def f(a, b):\n  return jaxgemm.matmul(a, b)\n" + text)
  with pytest.raises(SystemExit, match=f"(?s)^{model}.*{words}"):
    command.main([str(model), "--workers=0"])


def test_a_model_file_may_import_others_of_its_folder(path, times, tmp_path, monkeypatch):
  monkeypatch.setattr(sys, "path", list(sys.path))
  (tmp_path / "a_part_of_it.py").write_text("SIZE = 16")
  (tmp_path / "model.py").write_text("""
import a_part_of_it, jax, jaxgemm
x = jax.ShapeDtypeStruct((a_part_of_it.SIZE,) * 2, "float32")
def calls():
  return [(jaxgemm.matmul, (x, x))]
""")
  assert command.main([str(tmp_path / "model.py"), "--workers=0"]) == 0
  assert len(database.load(path)) == 1


def test_the_command_overwrites_and_invents_nothing(path, tmp_path):
  other = tmp_path / "package.json"
  other.write_text('{"name": "a package"}')
  entry = database.Entry("xla", {}, 1, 1.0, 1.0, None, "2026-01-01")
  for arguments, words in (
      (["merge", str(tmp_path / "nosuch.json")], "nosuch.json cannot be read: .*No such file"),
      (["merge", str(other)], "package.json is no tuning file of format 1. Name a"),
      (["merge", str(tmp_path)], "cannot be read: .*no regular file"),
      (["list"], "tuning.json cannot be read: .*No such file"),
      (["prune", f"--file={tmp_path}/nosuch.json"], "nosuch.json cannot be read"),
      (["export", str(tmp_path / "copy.json")], "tuning.json cannot be read"),
      (["prune", f"--file={other}"], "package.json is no tuning file"),
      (["list", "--file="], "--file='' was given"),
      ([str(tmp_path / "nosuch.py")], "nosuch.py.*No such file"),
      ([str(tmp_path / "nosuch.json")], "nosuch.json.*No such file")):
    with pytest.raises(SystemExit, match=words):
      command.main(arguments)
  assert not path.exists() and not (tmp_path / "copy.json").exists()
  database.merge(path, {"a": entry})
  for target in (other, tmp_path, tmp_path / "package.json" / "copy.json"):
    with pytest.raises(SystemExit, match="package.json is no tuning file|no regular file|"
                       "cannot be written"):
      command.main(["export", str(target)])
  assert other.read_text() == '{"name": "a package"}'


@pytest.mark.parametrize("arguments", [["list", "x.json"], ["prune", "x"], ["model.py", "x"],
                                       ["merge"], ["merg", "x.json"]])
def test_the_command_ignores_no_argument(path, arguments, capsys):
  with pytest.raises(SystemExit, match="2"):
    command.main(arguments)
  assert "x" in (said := capsys.readouterr().err) or "needs a file" in said
