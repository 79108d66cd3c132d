"""The yardstick: predicted kernel times beside a table of measured ones."""

import json
import lzma
import pathlib

import numpy as np
import pytest

from benchmarks import amd
from benchmarks.amd import yardstick
from jaxgemm.explain import explanation

ROOT = pathlib.Path(__file__).parents[2]
HEAD = "gfx,cus,kind,out,batch,m,n,k,us\n"


def table(path, lines):
  with lzma.open(path, "wt") as file:
    file.write(HEAD + "".join(line + "\n" for line in lines))
  return str(path)


def test_the_least_time_of_a_product_counts_and_impossible_ones_do_not(tmp_path):
  best = yardstick.read(table(tmp_path / "table.xz", [
      "gfx942,304,bfloat16,,1,64,128,256,9.5", "gfx942,304,bfloat16,bfloat16,1,64,128,256,7.5",
      "gfx950,256,mxfp4,,1,8192,8192,8192,1.0",  # faster than the data sheet's rate
      "gfx950,256,mxfp4,,1,8192,8192,8192,400.0",
      "gfx950,256,a8w8_row,,1,64,64,64,5.0", "gfx1250,256,bfloat16,,1,64,64,64,5.0",
      "gfx950,256,int8_row,,1,64,64,64,inf"]))
  assert best == {("MI300X", "bfloat16", "bfloat16", 1, 64, 128, 256): 7.5,
                  ("MI355X", "mxfp4", "bfloat16", 1, 8192, 8192, 8192): 400.0}


def products(count):
  rng = np.random.default_rng(81)
  for number in range(count):
    chip = ("MI300X", "MI355X")[number % 2]
    kind = [*yardstick.KINDS][number // 2 % 4]
    m, n, k = (int(2**x) * 64 for x in rng.uniform(0, 8, 3))
    yield (chip, kind, "bfloat16", 1, m if number % 3 else 8, n, k)


def test_the_fit_finds_the_constants_that_made_the_times():
  rows = yardstick.compared(dict.fromkeys(products(900), 1.0))
  truth = {"MI300X": (1200, 0.6), "MI355X": (1500, 0.7)}
  for row in rows:
    mhz, share = truth[row["chip"]]
    gb_per_s, peak = (5300, 2100) if row["chip"] == "MI300X" else (8000, 2400)
    faster = (0.94 / max(row["activity"], 1e-3)) ** (1 / 3)
    cus = row["cycles"] / min(peak, mhz * faster)
    memory = row["megabytes"] * 1e3 / gb_per_s / share
    row["us"] = 1.5 + (cus**2 + memory**2) ** (1 / 2)
  found = yardstick.fit(rows)
  assert found["ramp_us"] == 1.5 and found["error"] < 0.03
  for chip, (mhz, share) in truth.items():
    assert found[chip]["sustained_mhz"] == pytest.approx(mhz, rel=0.03)
    assert found[chip]["memory_share"] == pytest.approx(share, rel=0.1)
  # Rows that are held out do not count.
  for row in rows:
    if row["held"]:
      row["us"] *= 10
  assert yardstick.fit(rows) == found


def test_figures_and_report():
  rows = yardstick.compared({key: 10.0 for key in products(60)})
  for row, ratio in zip(rows, np.linspace(0.5, 2, len(rows))):
    row["us"] = row["kernel_us"] / ratio
    row["ratio"] = ratio
  found = yardstick.figures(rows)
  assert found["low"] == pytest.approx(0.65, rel=0.01)
  assert found["high"] == pytest.approx(1.85, rel=0.01)
  longer = [row for row in rows if row["ratio"] > yardstick.LONGER]
  assert sum(line[-2] for line in yardstick.reasons(rows)) == len(longer)
  text = yardstick.markdown(rows, {"kind": yardstick.classes(rows, "chip", "kind")})
  assert "| 2.00 |" in text and "few rows in a tile" in text
  assert amd.rank_correlation([1, 2, 4], [5, 7, 9]) == pytest.approx(1)
  assert amd.rank_correlation([1, 2, 4], [9, 7, 5]) == pytest.approx(-1)


def test_explain_and_the_guide_quote_the_errors_of_the_results():
  text = (ROOT / "benchmarks/results/amd-yardstick.json").read_text()
  rows = json.loads(text)["held_out"]["rows of lhs"]
  errors = rows["m <= 64"]["error"], rows["m > 64, no scales of blocks"]["error"]
  assert explanation._AMD_ERRORS == tuple(round(error, 2) for error in errors)
  guide = (ROOT / "docs/guides/limits.md").read_text().split("## Predicted times")[1]
  for name, each in rows.items():
    line = f"{each['rows']:,} | {each['error']:.0%} | {each['rank']:.2f} |"
    assert line in guide, (name, line)
