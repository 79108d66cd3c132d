"""The benchmark of a mixture of experts' training step, at small sizes."""

import json
import subprocess
import sys

import jax
from jax import lax
import pytest

from benchmarks import cases, measure, moe, run
from tests.support.environment import one_device
from tests.support.paths import ROOT

TINY = cases.Experts(tokens=24, features=16, hidden_features=32, num_experts=4, top_k=2)
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
  assert set(row["candidates"]) == {moe.OURS, moe.XLA}
  for entry in row["candidates"].values():
    assert entry["seconds"]["q1"] <= entry["seconds"]["median"]
    assert min(entry["bytes"].values()) > 0
  ratio = row["candidates"][moe.XLA]["ratio"]
  assert ratio["q1"] <= ratio["median"] <= ratio["q3"]
  errors = row["candidates"][moe.OURS]["errors"]
  assert set(errors) == {"loss", *(
      f"gradient of {name}" for name in ("router", "experts.gate_up", "experts.down"))}
  # The difference is not zero, because the two products are different programs.
  assert 0 < max(errors.values()) <= moe.TOLERANCE
  for line in run.lines(row):
    assert line in table.read_text() and line in done.stdout
  assert "s] 1 of 1: train_step 8 experts, top 2" in done.stderr
  assert run.wrong([row]) == []
  errors["gradient of experts.down"] = 0.1
  (found,) = run.wrong([row])
  assert found.startswith("moe 8 experts, top 2,") and "gradient of experts.down" in found


@pytest.mark.whole
@pytest.mark.parametrize("factor, right", [(1.0, True), (1.1, False)])
def test_a_wrong_product_is_found(monkeypatch, factor, right):
  product = lambda *arrays, **options: factor * lax.ragged_dot(*arrays, **options)
  monkeypatch.setitem(moe.PRODUCTS, moe.OURS, product)
  row = moe.row(TINY, "step", OPTIONS)
  found = run.wrong([row])
  assert (found == []) == right
  if not right:
    assert found[0].startswith("moe 4 experts, top 2, 16 -> 32, 24 tokens bfloat16 step jaxgemm")
    assert any("gradient of " in each for each in found)
  row["candidates"][moe.OURS]["errors"]["gradient of router"] = float("nan")
  assert "gradient of router error nan" in " ".join(run.wrong([row]))


@pytest.mark.whole
def test_a_product_without_memory_is_missing(monkeypatch):
  def product(*arrays, **options):
    raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")

  monkeypatch.setitem(moe.PRODUCTS, moe.XLA, product)
  row = moe.row(TINY, "step", OPTIONS)
  assert set(row["candidates"]) == {moe.OURS}
  assert run.wrong([row]) == run.failed([row]) == []
  assert "Out of memory" in run.lines(row)[1]
  monkeypatch.setitem(moe.PRODUCTS, moe.OURS, product)
  row = moe.row(TINY, "step", OPTIONS)
  (found,) = run.failed([row])
  assert "RESOURCE_EXHAUSTED: Out of memory" in found
  assert len(run.lines(row)) == 2


def test_a_layer_is_timed_and_checked(tmp_path):
  path, picture = tmp_path / "layer.json", tmp_path / "layer.png"
  flags = ["--cases=8", "--tokens=64", "--repeat=3", f"--json={path}", f"--png={picture}"]
  done = subprocess.run([sys.executable, "-m", "benchmarks", "moe_layer", *flags], cwd=ROOT,
                        env=one_device(), text=True, capture_output=True, check=False)
  assert done.returncode == 0, done.stdout + done.stderr
  rows = json.loads(path.read_text())["rows"]
  assert [row["work"] for row in rows] == ["forward", "gradients"]
  for row in rows:
    assert set(row["candidates"]) == {"jaxgemm.ragged_dot", "lax.ragged_dot"}
    for entry in row["candidates"].values():
      assert 0 <= entry["errors"]["norm"] < 2e-2 and entry["seconds"]["median"] > 0
    assert row["candidates"]["lax.ragged_dot"]["ratio"]["median"] > 0
  assert picture.read_bytes()[:4] == b"\x89PNG"
  rows[1]["candidates"]["jaxgemm.ragged_dot"]["errors"]["norm"] = float("nan")
  assert len(run.wrong(rows)) == 1


@pytest.mark.whole
def test_a_layer_in_float8_is_timed_and_checked():
  row = moe.row(TINY, "gradients", OPTIONS, recipes=["rowwise"])
  error = {name: entry["errors"]["norm"] for name, entry in row["candidates"].items()}
  name = "jaxgemm rowwise"
  assert set(error) == {*moe.PRODUCTS, name}
  assert error[moe.OURS] < 2e-2 < error[name] < moe.FLOAT8_TOLERANCE
  assert row["candidates"][name]["ratio"]["median"] > 0
  assert run.wrong([row]) == []
  row["candidates"][name]["errors"]["norm"] = 0.3
  (found,) = run.wrong([row])
  assert found.startswith("moe 4 experts, top 2, 16 -> 32, 24 tokens bfloat16 gradients jaxgemm "
                          "rowwise: norm error 3.0e-01")
