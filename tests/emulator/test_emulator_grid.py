"""Predicted launches: rounds, traffic, frequency and limits, compared with sums made by hand."""

import lzma

import numpy as np
import pytest

from benchmarks.amd import predicted
from jaxgemm import emulator
from jaxgemm.emulator import clock, grid
from tests.support import amdgpu

both = pytest.mark.parametrize("arch", amdgpu.ARCHS)
with_scopes = pytest.mark.parametrize("arch", amdgpu.WITH_SCOPES)


def value(arch, name):
  return clock.constants(arch)[name].value


def test_traffic_of_a_large_product():
  """On MI355X 32 CUs of an XCD work on 4 x 8 tiles; all 256 on 16 x 16."""
  size, k = 8192, 4096
  traffic = grid.matmul_traffic("gfx950", size, size, k, tile=(256, 256))
  assert traffic.l2_hit_percent == pytest.approx(100 * (1 - 12 / 64))
  tiles, line = 32 * 32, 256 * k * 2  # bytes of a tile's rows of an operand
  out = size * size * 2
  assert traffic.infinity_cache_bytes == pytest.approx(tiles * 2 * line * 12 / 64 + out)
  assert traffic.hbm_bytes == 2 * size * k * 2 + out  # the operands fit the Infinity Cache
  large = grid.matmul_traffic("gfx950", size, size, 8 * k, tile=(256, 256))
  rounds, lines = 4, 16 + 16
  assert large.hbm_bytes == pytest.approx(rounds * lines * 8 * line + out)


def test_lhs_of_few_rows_of_tiles_is_fetched_once():
  n, k, tile = 65536, 8192, (128, 256)

  def operands(m):
    return grid.matmul_traffic("gfx950", m, n, k, tile=tile).hbm_bytes - m * n * 2

  assert operands(8 * 128) == (8 * 128 + n) * k * 2
  # 16 rows are visited in two groups, and the 256 CUs compute 16 blocks of 16 x 16 tiles.
  assert operands(16 * 128) == pytest.approx(16 * (16 * 128 + 16 * 256) * k * 2)
  # This lhs does not fit the Infinity Cache beside a block.
  assert operands(8 * 128) < grid.matmul_traffic(
      "gfx950", 8 * 128, n, 16 * k, tile=tile).hbm_bytes / 16


def test_traffic_of_groups():
  """Groups of 2 x 2 tiles: an XCD of 32 CUs works on eight whole groups."""
  traffic = grid.matmul_traffic("gfx950", 512, 512, 1024, tile=(256, 256), groups=64)
  assert traffic.l2_hit_percent == pytest.approx(50)
  one = grid.matmul_traffic("gfx950", 256, 256, 1024, tile=(256, 256))
  assert one.l2_hit_percent == pytest.approx(0)
  assert one.hbm_bytes == 2 * 256 * 1024 * 2 + 256 * 256 * 2


@with_scopes
def test_frequency_follows_the_use_of_the_matrix_pipes(arch):
  share, sustained = value(arch, "sustained_share"), value(arch, "sustained_mhz")
  assert grid.frequency(arch, share) == pytest.approx(sustained)
  assert grid.frequency(arch, share / 1.331) == pytest.approx(1.1 * sustained)
  assert grid.frequency(arch, 0.01) == grid.frequency(arch, 0) == value(arch, "peak_mhz")


@with_scopes
def test_rounds_and_limits(arch):
  cus = int(value(arch, "cus"))
  none = grid.Traffic(100, 0, 0)
  launch_cost = value(arch, "launch_us") * 1e-6

  def predict(workgroups, traffic=none, resident=1):
    return grid.predict(arch, workgroups=workgroups, cycles=1e6, matrix_cycles=0,
                        traffic=traffic, resident=resident)

  one = predict(cus)
  assert one.rounds == 1 and one.limit == "compute"
  assert one.seconds == pytest.approx(launch_cost + 1e6 / (value(arch, "peak_mhz") * 1e6))
  assert predict(cus + 1).rounds == 2 and predict(4 * cus, resident=2).rounds == 2
  assert predict(cus + 1).seconds - launch_cost == pytest.approx(
      2 * (one.seconds - launch_cost))
  gigabytes = grid.Traffic(0, 8e9, 8e9)
  bound = predict(cus, gigabytes)
  assert bound.limit == "hbm" and bound.parts["infinity_cache"] < bound.parts["hbm"]
  assert bound.seconds - launch_cost == pytest.approx(
      8 / (value(arch, "hbm_gb_per_s") * value(arch, "hbm_share")))
  # A busier launch runs slower.
  busy = grid.predict(arch, workgroups=cus, cycles=1e6, matrix_cycles=9e5, traffic=none)
  assert busy.megahertz < one.megahertz and busy.seconds > one.seconds


def test_constants_of_a_compute_unit_depend_on_the_frequency():
  traffic = grid.Traffic(75, 0, 0)
  fast = grid.constants_for("gfx950", traffic, 2400)
  slow = grid.constants_for("gfx950", traffic, 1200)
  assert fast["l2_hit_percent"] == slow["l2_hit_percent"] == 75
  assert slow["miss_latency"] == fast["miss_latency"] / 2 == value("gfx950", "miss_latency") / 2
  assert slow["miss_bytes_per_cycle"] == pytest.approx(2 * fast["miss_bytes_per_cycle"])
  assert fast["miss_bytes_per_cycle"] == pytest.approx(17200e9 / 256 / 2400e6)
  assert set(emulator.Options(constants=fast).constants) <= set(clock.constants("gfx950"))


def test_calibration_says_when_it_is_not_good_enough():
  assert "no predicted time is to be published" in predicted.verdict([0.1, 0.3, 0.4])
  assert "may be shown" in predicted.verdict([0.1, 0.2, 0.4])
  assert predicted.error(90, 100) == pytest.approx(predicted.error(110, 100))
  source, rows = predicted.published_groups()
  assert "Primus-Turbo" in source and len(rows) == 96


def test_the_fit_of_replayed_kernels_finds_the_constants_that_made_the_times():
  rng, rows = np.random.default_rng(82), []
  for _ in range(300):
    cycles, hbm = (float(2 ** rng.uniform(12, 22)), float(2 ** rng.uniform(20, 30)))
    rows.append({"cycles": cycles, "activity": rng.uniform(0.05, 1), "hbm_bytes": hbm,
                 "infinity_cache_bytes": hbm, "launches": 1 + int(rng.integers(2))})
    rows[-1]["us"] = float(predicted.kernel_us(rows[-1:], 1.5, 1700, 0.7)[0])
  text, figures = predicted.dense_table("bfloat16", rows)
  of = figures["fitted, the rows left out"]
  assert of["constants"] == pytest.approx([1.5, 1700, 0.7], abs=1e-9) and of["rank"] > 0.999
  assert of["error"] < 1e-9 < figures["the clock's own frequency and share, all rows"]["error"]
  # The frequency does not rise above the peak.
  idle = {"cycles": 2400e3, "activity": 0.01, "hbm_bytes": 0, "infinity_cache_bytes": 0,
          "launches": 1}
  assert predicted.kernel_us([idle], 0, 1700, 0.7)[0] == pytest.approx(1000)


def test_only_products_that_triton_computes_fastest_are_replayed(tmp_path):
  line = "gfx950,{kind},{out},{library},64,{n},256,{us}\n"
  with lzma.open(tmp_path / "table.xz", "wt") as file:
    file.write("gfx,kind,out,library,m,n,k,us\n" + "".join(
        line.format(kind=kind, out=out, library=library, n=n, us=us)
        for kind, out, library, n, us in (
            ("bfloat16", "bfloat16", "triton", 32, 5.0),
            ("bfloat16", "bfloat16", "triton", 32, 4.0),
            ("bfloat16", "bfloat16", "ck", 96, 3.0), ("bfloat16", "float32", "triton", 64, 2.0),
            ("fp8_block128", "", "triton", 128, 1.0))))
  table = str(tmp_path / "table.xz")
  assert predicted.fastest_by_triton(table, "bfloat16") == {(64, 32, 256): 4.0}
  assert predicted.fastest_by_triton(table, "fp8_block128") == {(64, 128, 256): 1.0}
