"""The benchmarks of a layer of experts and of its training step, at small sizes."""

import dataclasses
import json
import subprocess
import sys

import jax
from jax import lax
import numpy as np
import pytest

from benchmarks import cases, measure, moe, moe_peers, run
from tests.support.environment import one_device
from tests.support.paths import ROOT

TINY = cases.Experts(tokens=72, features=16, hidden_features=32, num_experts=4, top_k=2)
OPTIONS = measure.Options(rounds=3, seed=1)


def test_the_command_writes_times_memory_and_differences_of_both(tmp_path):
  path, table = tmp_path / "out.json", tmp_path / "out.md"
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks", "train_step", "--cases=8", "--tokens=32",
       "--rounds=3", f"--json={path}", f"--markdown={table}"],
      cwd=ROOT, env=one_device(), text=True, capture_output=True)
  assert done.returncode == 0, done.stdout + done.stderr
  result = json.loads(path.read_text())
  assert "benchmarks train_step --cases=8" in result["runs"][0]["command"]
  (row,) = result["rows"]
  assert (row["tokens"], row["num_experts"], row["rounds"]) == (32, 8, 3)
  assert set(row["candidates"]) == {moe.OURS, moe.XLA, moe.DROPPING}
  for entry in row["candidates"].values():
    assert entry["seconds"]["q1"] <= entry["seconds"]["median"]
    assert min(entry["bytes"].values()) > 0
  ratio = row["candidates"][moe.XLA]["ratio"]
  assert ratio["q1"] <= ratio["median"] <= ratio["q3"]
  errors = row["candidates"][moe.OURS]["errors"]
  assert set(errors) == {"loss", *(
      f"gradient of {name}" for name in ("router", "gate_up", "down"))}
  # The difference is not zero, because the two products are different programs.
  assert 0 < max(errors.values()) <= moe.TOLERANCE
  for line in run.lines(row):
    assert line in table.read_text() and line in done.stdout
  assert "s] 1 of 1: train_step 8 experts, top 2" in done.stderr
  assert run.wrong([row]) == []
  errors["gradient of down"] = 0.1
  (found,) = run.wrong([row])
  assert found.startswith("moe 8 experts, top 2,") and "gradient of down" in found


@pytest.mark.parametrize("factor, drops", [(2.0, False), (0.5, True)])
def test_the_layer_with_a_capacity_drops_what_has_no_room(factor, drops):
  """With room for all rows it is the layer itself; with less, tokens without room differ."""
  params, [(x, _)] = moe.drawn(TINY, "balanced", 1, 3)
  out = moe.dropping(TINY, 36, factor)(params, x)
  wanted, stats = moe.layer(TINY)(params, x)
  differs = np.abs(np.asarray(out - wanted, np.float64)).max(-1) > 0.05
  room = np.ceil(factor * 36 * TINY.top_k / TINY.num_experts)
  dropped = np.zeros(TINY.tokens, bool)
  for start in (0, 36):
    chosen = np.asarray(stats.experts)[start:start + 36]
    for expert in range(TINY.num_experts):
      tokens = np.flatnonzero((chosen == expert).any(-1))
      dropped[start + tokens[int(room):]] = True
  assert dropped.any() == drops
  assert not (differs & ~dropped).any() and (differs.sum() > dropped.sum() / 2) == drops


def test_steps_of_several_layers_begin_with_the_same_parameters():
  (row,) = moe.steps(TINY, OPTIONS, layers=2, loss_steps=3)
  assert run.wrong([row]) == [] and row["layers"] == 2
  entries = row["candidates"]
  # Each way took its steps from the same start, whatever the others did before.
  after = [entries[name]["error_after_steps"] for name in moe.PRODUCTS]
  np.testing.assert_allclose(after[0], after[1], rtol=1e-2)
  assert all(each < entry["loss"] for each, entry in zip(after, entries.values()))


@pytest.mark.whole
@pytest.mark.parametrize("factor, right", [(1.0, True), (1.1, False)])
def test_a_wrong_product_is_found(monkeypatch, factor, right):
  product = lambda *arrays, **options: factor * lax.ragged_dot(*arrays, **options)
  monkeypatch.setitem(moe.PRODUCTS, moe.OURS, product)
  (row,) = moe.steps(TINY, OPTIONS)
  found = run.wrong([row])
  assert (found == []) == right
  if not right:
    assert found[0].startswith("moe 4 experts, top 2, 16 -> 32, 72 tokens bfloat16 step jaxgemm")
    assert any("gradient of " in each for each in found)
  row["candidates"][moe.OURS]["errors"]["gradient of router"] = float("nan")
  assert "gradient of router error nan" in " ".join(run.wrong([row]))


@pytest.mark.whole
def test_a_product_without_memory_is_missing(monkeypatch):
  def product(*arrays, **options):
    raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")

  monkeypatch.setitem(moe.PRODUCTS, moe.XLA, product)
  (row,) = moe.steps(TINY, OPTIONS)
  assert set(row["candidates"]) == {moe.OURS, moe.DROPPING}
  assert run.wrong([row]) == run.failed([row]) == []
  assert "Out of memory" in " ".join(run.lines(row))
  monkeypatch.setitem(moe.PRODUCTS, moe.OURS, product)
  (row,) = moe.steps(TINY, OPTIONS)
  (found,) = run.failed([row])
  assert "RESOURCE_EXHAUSTED: Out of memory" in found
  assert set(row["candidates"]) == {moe.DROPPING}


CANDIDATES = {moe.OURS, moe.XLA, moe.ALONE}


def test_a_layer_is_timed_and_checked(tmp_path):
  path, picture = tmp_path / "layer.json", tmp_path / "layer.png"
  flags = ["--tokens=64,1", "--repeat=3", "--routings=skewed", "--peak_tflops=1", "--peak_gbs=1",
           f"--json={path}", f"--png={picture}"]
  done = subprocess.run([sys.executable, "-m", "benchmarks", "moe_layer", *flags], cwd=ROOT,
                        env=one_device(), text=True, capture_output=True, check=False)
  assert done.returncode == 0, done.stdout + done.stderr
  rows = json.loads(path.read_text())["rows"]
  assert [(row["tokens"], row["work"]) for row in rows] == [
      (64, "forward"), (64, "gradients"), (1, "forward"), (1, "gradients")]
  for row in rows:
    assert CANDIDATES <= set(row["candidates"]) and row["routing"] == "skewed"
    # A package that is not installed is missing, and says so.
    assert {*row["candidates"], *row["missing"]} == CANDIDATES | {*moe_peers.PEERS}
    assert all(row["missing"].values())
    for name in CANDIDATES:
      entry = row["candidates"][name]
      assert entry["seconds"]["median"] > 0 and min(entry["bytes"].values()) > 0
      if name != moe.ALONE:
        assert list(entry["errors"]) == list(
            moe.RESULTS[:1] if row["work"] == "forward" else moe.RESULTS)
        assert 0 < entry["errors"]["out"] < 2e-2
    assert row["candidates"][moe.XLA]["ratio"]["median"] > 0
    line, = (line for line in done.stdout.splitlines()
             if line.startswith(f"- {run.describe(row)}: layer over products "))
    assert " floor " in line
  # One token reads two of eight experts; the roofline is the time to read their weights.
  one = cases.Experts(**{name: rows[2][name] for name in (
      "tokens", "features", "hidden_features", "num_experts", "top_k")})
  assert rows[2]["weight_bytes"] == 2 * 3 * 2 * one.features * one.hidden_features
  assert rows[2]["least_seconds"] == rows[2]["weight_bytes"] / 1e9 > one.flops / 1e12
  assert picture.read_bytes()[:4] == b"\x89PNG"
  rows[1]["candidates"][moe.OURS]["errors"]["d_down"] = float("nan")
  assert len(run.wrong(rows)) == 1


def layer_row(problem=TINY, **options):
  (row,) = moe.rows("tiny", problem, "skewed", ["gradients"], OPTIONS, **options)
  return row


def test_the_routing_is_as_skewed_as_it_says():
  many = dataclasses.replace(TINY, tokens=4096, num_experts=8, features=256)
  loads = {}
  for routing in moe.ROUTINGS:
    *_, ordered = moe._arrays(many, routing, 0)
    loads[routing] = np.sort([sizes for *_, sizes in ordered], axis=-1).mean(0) / (4096 * 2 / 8)
  assert 0.8 < loads["balanced"].min() and loads["balanced"].max() < 1.2
  assert loads["skewed"].min() < 0.4 and loads["skewed"].max() > 2


def test_each_wrong_gradient_is_found(monkeypatch):
  """A layer whose product has a wrong gradient, and right results."""
  @jax.custom_vjp
  def scaled(x):
    return x

  scaled.defvjp(lambda x: (x, None), lambda _, ct: (1.1 * ct,))
  right = moe.layer

  def wrong(problem, ragged_dot=None, **options):
    layer = right(problem, ragged_dot=ragged_dot, **options)
    if ragged_dot is not None:
      return layer
    return lambda params, x: layer(params._replace(down=scaled(params.down)), x)

  row = layer_row()
  assert run.wrong([row]) == []
  monkeypatch.setattr(moe, "layer", wrong)
  row = layer_row()
  (found,) = run.wrong([row])
  assert f"{moe.OURS}: d_down error 1.0e-01" in found


@pytest.mark.parametrize("top_k", [1, 2])
def test_the_layer_of_torch_computes_the_same(top_k):
  pytest.importorskip("torch")
  row = layer_row(dataclasses.replace(TINY, top_k=top_k), peers=["torch"])
  errors = row["candidates"]["torch"]["errors"]
  assert set(errors) == set(moe.RESULTS) and max(errors.values()) < 2e-2


@pytest.mark.whole
def test_a_layer_in_float8_is_timed_and_checked():
  row = layer_row(recipes=["rowwise"], xla_most_groups=1)
  assert row["missing"] == {moe.XLA: "left out: more than 1 experts"}
  error = {name: entry["errors"]["out"] for name, entry in row["candidates"].items()
           if name != moe.ALONE}
  name = "jaxgemm rowwise"
  assert set(error) == {moe.OURS, name}
  assert error[moe.OURS] < 2e-2 < error[name] < moe.FLOAT8_TOLERANCE
  assert row["candidates"][name]["ratio"]["median"] > 0
  assert run.wrong([row]) == []
  row["candidates"][name]["errors"]["out"] = 0.3
  (found,) = run.wrong([row])
  assert "gradients skewed jaxgemm rowwise: out error 3.0e-01" in found
