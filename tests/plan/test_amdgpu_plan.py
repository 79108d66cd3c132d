"""The plan for AMD chips: candidates compete on the time that a model predicts."""

import itertools

import numpy as np
import pytest

from jaxgemm import _ffi

# Name: (target, CUs, GB/s of the memory, peak multiply-adds of 16 bits a second).
CHIPS = {
    "MI300X": ("gfx942", 304, 5300, 653.7e12),
    "MI300X CPX": ("gfx942", 38, 5300 / 8, 653.7e12 / 8),
    "MI300A": ("gfx942", 228, 5300, 490.3e12),
    "MI308X": ("gfx942", 80, 5300, 172e12),
    "MI355X": ("gfx950", 256, 8000, 1258.3e12),
    "MI250X": ("gfx90a", 110, 1638.4, 383e12 / 4),  # one of its two dies
    "MI250": ("gfx90a", 104, 1638.4, 362.1e12 / 4),
}
on_every_chip = pytest.mark.parametrize("chip", CHIPS)


def plan(chip, m, n, k, dtype="bfloat16", config=(), **problem):
  target, cus, *_ = CHIPS[chip]
  planned = _ffi.native.plan(
      {"m": m, "n": n, "k": k, "lhs_contracting": 1, "rhs_contracting": 0,
       **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), dtype)} | problem,
      dict(config), target, cus)
  assert planned["chip"] == chip
  return planned


def best(planned, cuts):
  """The least predicted time of the candidates that cut tiles, or of the others."""
  return min((each["predicted_us"] for each in planned["candidates"]
              if (each["schedule"] == "stream_k") == cuts), default=float("inf"))


# MI308X has fewer CUs than this product has such tiles, and takes larger ones.
@pytest.mark.parametrize("chip", [chip for chip in CHIPS if chip != "MI308X"])
@pytest.mark.parametrize("m", [1, 8, 16])
def test_few_rows_have_a_workgroup_for_each_tile(chip, m):
  planned = plan(chip, m, 4096, 4096)
  assert tuple(planned["tile"]) == (16, 32, 512)
  assert planned["num_workgroups"] == 4096 // 32


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
def test_small_products_that_are_loaded_by_element_take_the_lowest_tile(chip):
  """By the emulator's clock 257 x 257 x 257 takes longer in tiles of 32x64 on gfx942."""
  odd = plan(chip, 257, 257, 257)
  assert tuple(odd["tile"]) == (16, 32, 512)
  whole = plan(chip, 256, 256, 256)["candidates"][0]
  assert odd["candidates"][0]["predicted_us"] > 1.5 * whole["predicted_us"]
  # Large ones share the loads of a large tile.
  tile_m, tile_n, _ = plan(chip, 4097, 4097, 4097)["tile"]
  assert tile_m * tile_n >= 128 * 128


@pytest.mark.parametrize("sizes, rhs_contracting", [
    ((4, 1 << 23, 64), 0), ((4, 64, 1 << 23), 0), ((4, 64, 1 << 23), 1)])
def test_long_lines_take_no_kernel_whose_waves_divide_k(sizes, rhs_contracting):
  planned = plan("MI300X", *sizes, rhs_contracting=rhs_contracting)
  assert all(each["tile"][2] == 64 for each in planned["candidates"])
  shorter = [max(1, x >> 4) if x > 64 else x for x in sizes]
  planned = plan("MI300X", *shorter, rhs_contracting=rhs_contracting)
  assert any(each["tile"][2] > 64 for each in planned["candidates"])


@pytest.mark.parametrize("chip", ["MI300X", "MI300A", "MI355X", "MI250X"])
@pytest.mark.parametrize("sizes", [(17, 1024, 16384), (32, 2048, 16384), (64, 1024, 28672)])
def test_few_tiles_are_cut_along_k(chip, sizes):
  planned = plan(chip, *sizes)
  assert planned["schedule"] == "stream_k"
  assert planned["attrs"]["num_shares"] > planned["tiles"][0] * planned["tiles"][1]


@on_every_chip
@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "int8"])
def test_experts_with_few_rows_take_the_lowest_tile(chip, dtype):
  planned = plan(chip, 256, 4096, 1024, dtype, out_dtype="float32" if dtype != "int8" else "int32",
                 ragged="m", groups=128, local_groups=128)
  assert planned["tile"][0] == 32


@on_every_chip
def test_large_products_have_whole_tiles_of_the_largest_size(chip):
  for m, n, k in ((16384, 16384, 16384), (16384, 16384, 1024)):
    planned = plan(chip, m, n, k)
    assert planned["tile"][:2] == (256, 256)
    assert planned["schedule"] in ("persistent", "work_stealing")


@on_every_chip
def test_tiles_are_cut_only_if_that_saves_time(chip):
  rng, cut = np.random.default_rng(3), 0
  for _ in range(150):
    m, n, k = (int(x) for x in np.exp(rng.uniform(np.log(16), np.log(16384), 3)))
    planned = plan(chip, m, n, k)
    if planned["schedule"] == "stream_k":
      cut += 1
      # One that takes several tiles at a fixed stride has a margin, too, of up to 0.5 %.
      assert best(planned, cuts=False) >= 1.03 / 1.005 * planned["predicted_us"] * 0.9999
  assert cut > 10


@on_every_chip
def test_no_prediction_is_below_the_roofline(chip):
  _, _, bandwidth, macs = CHIPS[chip]
  rng = np.random.default_rng(4)
  for _ in range(100):
    m, n, k = (int(x) for x in np.exp(rng.uniform(0, np.log(16384), 3)))
    planned = plan(chip, m, n, k)
    least = max(2 * (m * k + k * n + m * n) / bandwidth / 1e3, m * n * k / macs * 1e6)
    assert planned["predicted_us"] > least
    # The launch alone takes 5 microseconds.
    assert planned["predicted_us"] > 5


@on_every_chip
def test_a_predicted_time_consists_of_a_launch_and_a_kernel(chip):
  rng = np.random.default_rng(5)
  for _ in range(30):
    m, n, k = (int(x) for x in np.exp(rng.uniform(0, np.log(16384), 3)))
    for each in plan(chip, m, n, k)["candidates"]:
      parts = each["predicted_parts"]
      assert parts["launch"] + parts["kernel"] == pytest.approx(each["predicted_us"])
      assert parts["kernel"] > max(parts["cus"], parts["memory"]) and parts["launch"] > 1
      # Where counters are set to zero, that is a launch more.
      if each["schedule"] == "work_stealing":
        assert parts["launch"] > 7
      assert 0 < parts["activity"] <= 1
  assert _ffi.native.plan({"m": 8, "n": 8, "k": 8, **dict.fromkeys(
      ("lhs_dtype", "rhs_dtype", "out_dtype"), "float32")}, {}, "cpu", 1)["predicted_parts"] is None


@pytest.mark.parametrize("chip, peak", [("MI300X", 2100), ("MI308X", 2100), ("MI355X", 2400)])
def test_the_frequency_falls_while_the_arithmetic_works(chip, peak):
  few, many = (plan(chip, m, m, 8192)["predicted_parts"] for m in (16, 8192))
  assert few["activity"] < 0.1 and few["mhz"] == peak
  assert many["activity"] > 0.8 and many["mhz"] < 0.7 * peak
  # The multiplied zeros of a tile with few rows take no power.
  forced = [plan(chip, 8, 8192, 8192, config={"tile_m": tile_m})["predicted_parts"]
            for tile_m in (32, 256)]
  assert forced[1]["activity"] < forced[0]["activity"]


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
def test_scales_of_blocks_take_time_and_few_rows_a_low_tile(chip):
  dtype = "float8_e4m3fn" if chip == "MI355X" else "float8_e4m3fnuz"
  options = {"out_dtype": "bfloat16", "rhs_contracting": 1}
  scaled = {"block_k": 128, "block_n": 128}
  plain, blocks = (plan(chip, 8192, 8192, 8192, dtype, config={"tile_m": 128, "tile_n": 128},
                        **options, **given)["predicted_parts"] for given in ({}, scaled))
  assert blocks["kernel"] > 1.1 * plain["kernel"]
  assert plan(chip, 16, 8192, 8192, dtype, **options, **scaled)["tile"][0] == 32
  assert plan(chip, 8192, 8192, 8192, dtype, **options, **scaled)["tile"][0] == 128


def test_the_memory_of_a_partition_is_its_share():
  times = {chip: plan(chip, 16, 65536, 8192)["predicted_us"] for chip in CHIPS}
  assert times["MI300X CPX"] == pytest.approx(8 * times["MI300X"], rel=0.2)
  assert times["MI300A"] == pytest.approx(times["MI300X"], rel=0.2)
  assert times["MI355X"] < times["MI300X"]


def test_every_chip_has_rates():
  for target, cus in (("gfx942", (304, 228, 190, 152, 80, 76, 38)), ("gfx950", (256, 128, 64, 32)),
                      ("gfx90a", (110, 104, 52))):
    times = [_ffi.native.plan(
        {"m": 4096, "n": 4096, "k": 4096,
         **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), "float16")},
        {}, target, each)["predicted_us"] for each in cus]
    # A chip of 110 CUs may take as long as one of 104, because the last round has fewer tiles.
    assert all(time < 1.002 * next_time for time, next_time in itertools.pairwise(times))
    assert times[-1] > 1.5 * times[0]


def test_int8_is_as_fast_as_bfloat16_on_gfx90a():
  sizes = (8192, 8192, 8192)
  times = {chip: [plan(chip, *sizes, dtype, out_dtype=out)["predicted_us"]
                  for dtype, out in (("bfloat16", "bfloat16"), ("int8", "int32"))]
           for chip in ("MI250X", "MI300X")}
  bf16, int8 = times["MI250X"]
  assert int8 == pytest.approx(bf16, rel=0.1)
  bf16, int8 = times["MI300X"]
  assert int8 < 0.7 * bf16


@on_every_chip
def test_candidates_are_in_the_order_of_their_cost(chip):
  candidates = plan(chip, 512, 768, 4096)["candidates"]
  costs = [each["cost"] for each in candidates]
  assert costs == sorted(costs) and costs[0] == 1 and len(costs) > 8
  configs = [tuple(each["config"].items()) for each in candidates]
  assert len(set(configs)) == len(configs)


def test_what_the_user_fixes_is_kept():
  planned = plan("MI300X", 8, 4096, 4096, config={"num_shares": 100})
  assert planned["attrs"]["num_shares"] == 100
  planned = plan("MI300X", 8, 4096, 4096, config={"schedule": "persistent"})
  assert planned["attrs"]["num_shares"] == 0
  planned = plan("MI300X", 8192, 8192, 8192, config={"num_workgroups": 100})
  assert planned["num_workgroups"] == 100
  assert len({each["tile"] for each in planned["candidates"]}) == len(planned["candidates"])


def test_other_targets_have_no_predicted_time():
  fields = {"m": 512, "n": 512, "k": 512,
            **dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), "bfloat16")}
  for target in ("cpu", "sm90"):
    planned = _ffi.native.plan(fields, {}, target, 0)
    assert planned["predicted_us"] is None
    assert {each["predicted_us"] for each in planned["candidates"]} == {None}


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
def test_counters_are_zeroed_only_for_long_products(chip):
  """There are more tiles than workgroups in each of these products."""
  experts = {"ragged": "m", "groups": 64, "local_groups": 64}
  short, long = plan(chip, 2048, 4096, 512, **experts), plan(chip, 1 << 18, 8192, 8192, **experts)
  assert short["schedule"] == "persistent" and short["attrs"]["num_queues"] == 0
  assert long["schedule"] == "work_stealing" and long["attrs"]["num_queues"] > 0
  # With ragged k the tiles of a short group take less time.
  weights = {"ragged": "k", "groups": 64, "local_groups": 64}
  assert plan(chip, 2048, 4096, 1024, **weights)["schedule"] == "work_stealing"
  # The weights' bytes take the time of this one. A slow compute unit leaves bandwidth to others.
  loads = plan(chip, 64, 16384, 8192, **experts)
  assert loads["schedule"] == "persistent" and loads["predicted_us"] > 2000
  # What the user asks for is kept.
  asked = plan(chip, 2048, 4096, 512, config={"schedule": "work_stealing"}, **experts)
  assert asked["schedule"] == "work_stealing" and asked["attrs"]["num_queues"] > 0
  assert asked["predicted_us"] > short["predicted_us"] + 5


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
def test_reasons_have_the_times_of_a_fixed_stride_and_of_stealing(chip):
  experts = {"ragged": "m", "groups": 64, "local_groups": 64}
  for m, mine, other in ((2048, "persistent", "by stealing"),
                         (1 << 18, "work_stealing", "at a fixed stride")):
    planned = plan(chip, m, 8192, 8192, **experts)
    times = {each["schedule"]: each["predicted_us"] for each in reversed(planned["candidates"])
             if each["kernel"] == planned["kernel"]}
    theirs = times["work_stealing" if mine == "persistent" else "persistent"]
    assert planned["schedule"] == mine
    assert any(f"predicted: {times[mine]:.1f} us, {other} {theirs:.1f} us" in reason
               for reason in planned["reasons"])
    assert times["work_stealing"] > times["persistent"] + 5


@on_every_chip
def test_groups_without_rows_take_no_time(chip):
  """At most as many experts as rows have any."""
  experts = {"ragged": "m", "groups": 256, "local_groups": 256}
  few, many = (plan(chip, m, 4096, 4096, **experts)["predicted_us"] for m in (16, 256))
  assert few < many / 8


@on_every_chip
@pytest.mark.parametrize("batch", [1, 3])
def test_dense_products_with_many_tiles_have_a_workgroup_for_each(chip, batch):
  planned = plan(chip, 8192, 16384, 1024, batch=batch)
  tiles = batch * planned["tiles"][0] * planned["tiles"][1]
  assert planned["schedule"] == "persistent" and planned["num_workgroups"] == tiles
  assert not planned["attrs"]["num_queues"] and not planned["attrs"]["num_shares"]
  assert any(reason.startswith("persistent: a workgroup for each tile, of which ")
             and "by stealing " in reason for reason in planned["reasons"])
  # The other candidates with this tile have the workgroups that run at the same time.
  others = [each for each in planned["candidates"][1:] if each["kernel"] == planned["kernel"]]
  assert {"persistent", "work_stealing"} <= {each["schedule"] for each in others}
  at_once = {each["config"]["num_workgroups"] for each in others if each["schedule"] != "stream_k"}
  assert len(at_once) == 1 and at_once.pop() < tiles
  assert all(each["predicted_us"] > planned["predicted_us"] for each in others
             if each["schedule"] != "stream_k")


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
@pytest.mark.parametrize("more", [
    {"n": 16388}, {"k": 1020}, {"save_preact": True, "activation": "relu"},
    {"ragged": "m", "groups": 8, "local_groups": 8}, {"config": {"schedule": "persistent"}},
    {"config": {"num_workgroups": 256}}, {"lhs_dtype": "float8_e5m2", "rhs_dtype": "float8_e5m2"}])
def test_workgroups_that_cannot_know_their_tile_compute_several(chip, more):
  planned = plan(chip, **{"m": 8192, "n": 16384, "k": 1024} | more)
  if chip == "MI355X" and "lhs_dtype" in more:  # its instructions take this type as it is
    assert planned["num_workgroups"] == planned["tiles"][0] * planned["tiles"][1]
  else:
    assert planned["num_workgroups"] <= 4 * CHIPS[chip][1]
  assert len(planned["candidates"]) > 1 or "config" in more


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
def test_batches_of_few_rows_take_the_tile_for_few_rows(chip):
  planned = plan(chip, 8, 128, 4096, batch=64)
  assert tuple(planned["tile"]) == (16, 32, 512) and planned["num_workgroups"] == 64 * 128 // 32


def test_a_grid_has_at_most_65536_workgroups():
  planned = plan("MI300X", 1 << 17, 1 << 17, 64)
  assert planned["tiles"][0] * planned["tiles"][1] > 1 << 16
  assert planned["num_workgroups"] <= 4 * 304


@pytest.mark.parametrize("chip", ["MI300X", "MI355X", "MI250X"])
@pytest.mark.parametrize("gated, n, k", [(True, 384, 4096), (False, 4096, 384)])
@pytest.mark.parametrize("rows", [8, 16, 40])
def test_groups_of_few_rows_have_a_workgroup_for_each_tile(chip, gated, n, k, rows):
  """There are 128 experts, of which at most `rows` have some rows. Workgroups find their tiles."""
  planned = plan(chip, rows, n, k, ragged="m", groups=128, local_groups=128, gated=gated)
  tile_m, tile_n, tile_k = planned["tile"]
  assert tile_m <= 32 and (tile_k >= 256 or not gated)
  assert planned["num_workgroups"] == rows * -(-n * (1 + gated) // tile_n)
  assert planned["workspace_bytes"] == 0
  assert any("it finds its tile by the groups' sizes" in each for each in planned["reasons"])
  assert (tile_k >= 256) == any("waves of a workgroup divide k" in x for x in planned["reasons"])


@pytest.mark.parametrize("chip", ["MI300X", "MI355X"])
def test_groups_of_many_rows_and_batches_claim_their_tiles(chip):
  experts = {"ragged": "m", "groups": 8, "local_groups": 8}
  for problem in ({"m": 1 << 16}, {"m": 8, "batch": 2, "sizes_batched": True}):
    planned = plan(chip, **{"n": 4096, "k": 4096} | experts | problem)
    assert not any("by the groups' sizes" in each for each in planned["reasons"])


@pytest.mark.parametrize("chip, float8", [
    ("MI300X", "float8_e4m3fnuz"), ("MI300X", "float8_e5m2"), ("MI355X", "float8_e4m3fn")])
@pytest.mark.parametrize("rhs_contracting", [0, 1])
def test_float8_of_few_rows_takes_the_tile_whose_waves_divide_k(chip, float8, rhs_contracting):
  experts = {"ragged": "m", "groups": 128, "local_groups": 128, "out_dtype": "bfloat16"}
  planned = plan(chip, 8, 768, 4096, float8, rhs_contracting=rhs_contracting, **experts)
  assert tuple(planned["tile"]) == (32, 64, 512)


def test_few_tiles_of_groups_with_a_long_k_are_cut():
  """Counters are zeroed first, so that this saves time only if k is long."""
  experts = {"ragged": "m", "groups": 8, "local_groups": 8}
  long, short = (plan("MI355X", 8, 128, k, **experts) for k in (1 << 16, 1 << 11))
  assert long["schedule"] == "stream_k" and long["workspace_bytes"] > 0
  assert any("the kernel cuts the last tiles along k" in reason for reason in long["reasons"])
  assert short["schedule"] == "persistent" and short["workspace_bytes"] == 0
