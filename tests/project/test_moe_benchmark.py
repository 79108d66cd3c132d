"""The benchmark of a mixture of experts' training step, at small sizes."""

import json
import subprocess
import sys

import jax
from jax import lax
import pytest

from benchmarks import moe_layer_rows, moe_rows, moe_table
from tests.support.environment import one_device
from tests.support.paths import ROOT

TINY = moe_rows.Problem(
    tokens=24, features=16, hidden_features=32, num_experts=4, top_k=2)


def test_the_command_writes_times_memory_and_differences_of_both(tmp_path):
  path, table = tmp_path / "out.json", tmp_path / "out.md"
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks", "train_step", "--cases=8", "--tokens=32",
       "--rounds=3", f"--json={path}", f"--markdown={table}"],
      cwd=ROOT, env=one_device(), text=True, capture_output=True)
  assert done.returncode == 0, done.stdout + done.stderr
  result = json.loads(path.read_text())
  assert "benchmarks train_step --cases=8" in result["machine"]["command"]
  (row,) = result["rows"]
  assert (row["tokens"], row["num_experts"], row["rounds"]) == (32, 8, 3)
  assert set(row["candidates"]) == {moe_rows.OURS, moe_rows.XLA}
  for entry in row["candidates"].values():
    assert entry["seconds"]["q1"] <= entry["seconds"]["median"]
    assert min(entry["bytes"].values()) > 0
  ratio = row["candidates"][moe_rows.XLA]["ratio"]
  assert ratio["q1"] <= ratio["median"] <= ratio["q3"]
  assert set(row["gradients"]) == {"router", "experts.gate_up", "experts.down"}
  # The difference is not zero, because the two products are different programs.
  assert 0 < max(row["gradients"].values()) <= moe_rows.TOLERANCE["gradient"]
  for line in moe_table.lines(row):
    assert line in table.read_text() and line in done.stdout
  assert "s] 1 of 1: 8 experts, top 2" in done.stderr
  assert moe_rows.wrong([row]) == []
  row["gradients"]["experts.down"] = 0.1
  (found,) = moe_rows.wrong([row])
  assert found.startswith("8 experts, top 2,") and "gradient of experts.down" in found


@pytest.mark.whole
@pytest.mark.parametrize("factor, right", [(1.0, True), (1.1, False)])
def test_a_wrong_product_is_found(monkeypatch, factor, right):
  product = lambda *arrays, **options: factor * lax.ragged_dot(*arrays, **options)
  monkeypatch.setitem(moe_rows.PRODUCTS, moe_rows.OURS, product)
  row = moe_rows.measure(TINY, rounds=3, seed=1)
  found = moe_rows.wrong([row])
  assert (found == []) == right
  if not right:
    assert found[0].startswith("4 experts, top 2, 16 -> 32, 24 tokens: gradient of ")
  row["gradients"]["router"] = float("nan")
  assert "gradient of router differs by nan" in " ".join(moe_rows.wrong([row]))


@pytest.mark.whole
def test_a_product_without_memory_is_missing(monkeypatch):
  def product(*arrays, **options):
    raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory")

  monkeypatch.setitem(moe_rows.PRODUCTS, moe_rows.XLA, product)
  row = moe_rows.measure(TINY, rounds=3, seed=1)
  assert set(row["candidates"]) == {moe_rows.OURS}
  assert moe_rows.wrong([row]) == moe_rows.failed([row]) == []
  assert "Out of memory" in moe_table.lines(row)[1]
  monkeypatch.setitem(moe_rows.PRODUCTS, moe_rows.OURS, product)
  row = moe_rows.measure(TINY, rounds=3, seed=1)
  assert moe_rows.failed([row]) == ["RESOURCE_EXHAUSTED: Out of memory"]
  assert len(moe_table.lines(row)) == 2


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
  wrong = rows[1] | {"candidates": {"jaxgemm.ragged_dot": {"errors": {"norm": float("nan")}}}}
  assert len(moe_layer_rows.wrong([rows[0], wrong])) == 1


def test_a_layer_in_float8_is_timed_and_checked():
  row = moe_layer_rows.measure(TINY, "gradients", rounds=3, seed=1, recipes=["rowwise"])
  error = {name: entry["errors"]["norm"] for name, entry in row["candidates"].items()}
  name = "jaxgemm rowwise"
  assert set(error) == {*moe_rows.PRODUCTS, name}
  assert error[moe_rows.OURS] < 2e-2 < error[name] < moe_layer_rows.FLOAT8_TOLERANCE
  assert row["candidates"][name]["ratio"]["median"] > 0
  assert moe_layer_rows.wrong([row]) == []
  row["candidates"][name]["errors"]["norm"] = 0.3
  (found,) = moe_layer_rows.wrong([row])
  assert found.startswith("4 experts, 24 tokens, gradients, jaxgemm rowwise: error 3.0e-01")
