"""The timings of candidates for the plan's models, without a GPU."""

import dataclasses
import itertools
import json
import os
import subprocess
import sys

import pytest

from benchmarks import cases, random_products
from tests.support.paths import ROOT


def drawn(count=200, **given):
  return list(itertools.islice(cases.random(cases.Draw(**given)), count))


def test_a_seed_gives_the_same_problems():
  assert drawn(seed=3) == drawn(seed=3)
  assert drawn(seed=3) != drawn(seed=4)


def test_problems_have_the_shares_that_were_asked_for():
  def share(found, condition):
    return sum(map(condition, found)) / len(found)

  is_odd = lambda p: any(x % 16 for x in (p.m, p.n, p.k))
  found = drawn(seed=1, count=1000, odd=0.4, other_dtypes=0.1)
  assert share(found, is_odd) == pytest.approx(0.4, abs=0.06)
  assert share(found, lambda p: p.dtype != "bfloat16") == pytest.approx(0.1, abs=0.04)
  for layout in cases.LAYOUTS:
    assert share(found, lambda p: p.layout == layout) == pytest.approx(0.25, abs=0.06)
  assert all(16 <= size <= 16385 for p in found for size in (p.m, p.n, p.k))
  assert all(p.bytes <= 1 << 30 for p in found)
  assert not any(map(is_odd, drawn(seed=1, odd=0)))
  layers = drawn(seed=1, layers=1)
  assert all(p.source in ("llama3_8b", "llama3_70b", "qwen3_8b", "qwen3_32b",
                          "deepseek_v3", "mixtral_8x7b") for p in layers)


def test_a_share_of_products_is_float32():
  given = dict(seed=5, count=1000, other_dtypes=0.5)
  found, others = drawn(float32_out=0.3, **given), drawn(**given)
  wide = [p for p in found if p.out == "float32"]
  assert {p.dtype for p in wide} == {"bfloat16", "float16"}
  assert all(p.out_dtype == "float32" for p in wide)
  could = [p for p in found if p.dtype in ("bfloat16", "float16")]
  assert len(wide) / len(could) == pytest.approx(0.3, abs=0.06)
  # The share does not change the other draws.
  assert [dataclasses.replace(p, out="") for p in found[:20]] == others[:20]


def test_every_candidate_is_timed(tmp_path):
  """No tuning file is read: there would be a warning of the broken one."""
  path, broken = tmp_path / "model.json", tmp_path / "tuning.json"
  broken.write_text("{")
  done = subprocess.run(
      [sys.executable, "-m", "benchmarks", "measure", "--seed=3", "--num_problems=3",
       "--batch=2", "--most=300", "--rounds=3", "--most_candidates=3", "--odd=1",
       "--other_dtypes=0.5", f"--json={path}"], cwd=ROOT, check=True, capture_output=True,
      text=True, env=os.environ | {"JAXGEMM_TUNING": str(broken), "JAX_PLATFORMS": "cpu"})
  assert "JAXGEMM_TUNING" not in done.stderr
  result = json.loads(path.read_text())
  assert "--seed=3" in result["runs"][0]["command"]
  assert len(result["rows"]) == 3
  for row in result["rows"]:
    assert not row["missing"]
    assert 2 <= len(row["candidates"]) <= 4 and "xla" in row["candidates"]
    assert row["candidates"]["c0"]["cost"] == 1
    for entry in row["candidates"].values():
      seconds = entry["seconds"]
      assert 0 < seconds["min"] <= seconds["q1"] <= seconds["median"] <= seconds["q3"]
  assert "longer than the best in the mean" in done.stdout


@pytest.mark.whole  # test_random_products_are_timed_checked_and_counted has some of the kinds
def test_calls_of_every_kind_are_timed_and_agree_with_xla(tmp_path):
  path = tmp_path / "calls.json"
  subprocess.run(
      [sys.executable, "-m", "benchmarks", "random", "--seed=3", "--num_products=13",
       f"--kinds={','.join(random_products.KINDS)}", "--layouts=rr,rc", "--least=16",
       "--most=64", "--multiple=16", "--batches=0", "--vectors=0", "--min_seconds=0", "--rounds=3",
       "--implementation=jaxgemm", "--threads=0", f"--json={path}"], cwd=ROOT,
      check=True, env=os.environ | {"JAX_PLATFORMS": "cpu"})
  rows = json.loads(path.read_text())["rows"]
  assert len({row["kind"] for row in rows}) == 13
  for row in rows:
    (error,) = row["candidates"]["jaxgemm"]["errors"].values()
    assert error < 0.02, row
    assert all(entry["seconds"]["median"] > 0 for entry in row["candidates"].values())
