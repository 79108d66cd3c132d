"""What the plan chooses for a Hopper GPU. The tests need no GPU."""

import itertools

import jax
import jax.numpy as jnp
import pytest

import jaxgemm
from jaxgemm import GemmConfig, _ffi


class _All:
  """A set that contains every kernel name: planning needs no built kernel."""

  def __contains__(self, name):
    return True


def plan_for_hopper(monkeypatch):
  monkeypatch.setattr(_ffi, "default_platform", lambda: "cuda")
  monkeypatch.setattr(_ffi, "platforms", lambda: ("cpu", "cuda"))
  monkeypatch.setattr(_ffi, "_local_arch", {"cuda": "sm90"}.get)
  monkeypatch.setattr(_ffi, "built_kernels", lambda target: _All())
  _ffi.native_plan.cache_clear()
  yield
  _ffi.native_plan.cache_clear()


@pytest.fixture(autouse=True)
def hopper(monkeypatch):
  yield from plan_for_hopper(monkeypatch)


def explain(m, n, k, **kwargs):
  a, b = (jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in ((m, k), (k, n)))
  data = jaxgemm.explain(a, b, **kwargs).data
  assert data["target"] == "sm90"
  return data


def said(data, words):
  return any(words in reason for reason in data["reasons"])


def test_explain_shows_the_candidates_that_were_not_chosen():
  data = explain(512, 768, 4096)
  first, second, *_ = data["candidates"]
  assert first["kernel"] == data["kernel"] and first["schedule"] == data["schedule"]
  assert first["cost"] == 1 and second["cost"] >= 1
  assert data["chip"] == "H200" and data["num_cus"] == 132


PLAIN_BF16 = {"lhs_dtype": "bfloat16", "rhs_dtype": "bfloat16", "out_dtype": "bfloat16"}


@pytest.mark.parametrize("problem", [
    dict(m=4928, n=480, k=13056, batch=4, lhs_contracting=1, rhs_contracting=1),
    dict(m=1568, n=448, k=1728, batch=16, lhs_contracting=1, rhs_contracting=0)])
def test_narrow_products_that_stream_from_memory_take_wide_tiles(problem):
  """Measured on an H100: 128 x 128 tiles take longer than 256 x 256 tiles."""
  tile_m, tile_n, _ = _ffi.native.plan(PLAIN_BF16 | problem, {}, "H100")["tile"]
  assert tile_m * tile_n > 128 * 192


def test_kernels_that_store_the_transpose_are_not_taken_for_large_float32_results():
  """Measured on an H100: 176 x 128 tiles of out^T take longer than 256 x 192 tiles."""
  problem = dict(PLAIN_BF16, out_dtype="float32", m=7008, n=4752, k=128, lhs_contracting=1,
                 rhs_contracting=0)
  assert _ffi.native.plan(problem, {}, "H100")["kernel"].endswith("rrr")

@pytest.mark.parametrize("problem", [
    dict(m=8192, n=4096, k=7168, groups=4), dict(m=8192, n=7168, k=2048, groups=8),
    dict(m=16384, n=4096, k=2048, groups=32)])
@pytest.mark.parametrize("vectors", [
    dict(scale=True), dict(scale=True, row_scale=True), dict(scale=True, bias=True)])
def test_groups_of_float8_have_scales_in_the_fast_form(problem, vectors):
  operands = dict(lhs_dtype="float8_e4m3fn", rhs_dtype="float8_e4m3fn", out_dtype="bfloat16",
                  lhs_contracting=1, rhs_contracting=1, ragged="m", rhs_batched=True,
                  local_groups=problem["groups"])
  planned = _ffi.native.plan(operands | problem | vectors, {}, "H100")
  assert planned["candidates"][0]["form"] == "grouped" and planned["tile"][1] in (128, 192)
  # An activation needs the general form.
  other = _ffi.native.plan(
      operands | problem | vectors | dict(activation="relu"), {}, "H100")
  assert other["candidates"][0]["form"] == "general"


@pytest.mark.parametrize("tile_n", [128, 192])
def test_warpgroups_take_turns_with_vectors(tile_n):
  """Tiles of 192 columns ping-pong only in float8, with an epilogue of nothing but vectors."""
  problem = dict(lhs_dtype="float8_e4m3fn", rhs_dtype="float8_e4m3fn", out_dtype="bfloat16",
                 lhs_contracting=1, rhs_contracting=1, m=8192, n=8192, k=8192, scale=True)
  form = lambda more: _ffi.native.plan(  # noqa: E731
      problem | more, {"tile_m": 128, "tile_n": tile_n}, "H100")["candidates"][0]["form"]
  assert form({}) == form(dict(row_scale=True)) == "fused_ping_pong"
  other = "fused_ping_pong" if tile_n == 128 else "fused"
  assert form(dict(activation="gelu")) == form(dict(out_dtype="float32")) == other
  assert form(dict(lhs_dtype="bfloat16", rhs_dtype="bfloat16")) == other


LEFT_TO_XLA = [
    # (m, n, k), dtype of operands and result, a part of the reason
    ((2624, 192, 128), "int8", "int32", "k is at most 128"),
    ((3504, 48, 224), "int8", "int32", ""),
    ((448, 192, 64), "float32", "float32", "k is at most 64"),
    ((544, 320, 112), "bfloat16", "float32", "k is at most 128"),
    ((544, 320, 112), "bfloat16", "bfloat16", ""),
    ((11456, 1264, 640), "bfloat16", "float32", ""),
    ((11456, 1264, 640), "bfloat16", "bfloat16", ""),
    ((976, 13840, 9936), "bfloat16", "float32", ""),
    ((1, 1768, 640), "bfloat16", "bfloat16", "makes a reduction"),
    ((344, 1, 8756), "bfloat16", "bfloat16", "makes a reduction"),
    ((1, 3624, 4600), "bfloat16", "float32", ""),
    ((23, 67, 955), "bfloat16", "bfloat16", "both operands would be copied"),
    ((5000, 1, 5001), "bfloat16", "bfloat16", "both operands would be copied"),
    ((5000, 1, 5000), "bfloat16", "bfloat16", ""),
    ((500, 1, 5000), "float32", "float32", "makes a reduction"),
    ((2192, 91, 1646), "bfloat16", "bfloat16", ""),
    ((1280, 16, 192), "bfloat16", "bfloat16", ""),
    ((2192, 91, 304), "bfloat16", "bfloat16", "the result's rows are no multiple of 16 bytes"),
]


@pytest.mark.faster_by_xla
@pytest.mark.parametrize("shape, dtype, out_dtype, why", LEFT_TO_XLA)
def test_xla_computes_what_it_was_measured_to_compute_faster(shape, dtype, out_dtype, why):
  m, n, k = shape
  problem = dict(lhs_dtype=dtype, rhs_dtype=dtype, out_dtype=out_dtype, m=m, n=n, k=k,
                 lhs_contracting=1, rhs_contracting=1)
  reason = _ffi.native.plan(problem, {}, "H100")["faster_by_xla"]
  assert bool(reason) == bool(why) and why in reason
  # A bias would cost XLA a kernel of its own.
  if "reduction" in why and k % 8 == 0:
    assert not _ffi.native.plan(problem | {"bias": True}, {}, "H100")["faster_by_xla"]


@pytest.mark.parametrize("reduction", ["linear", "tree", "atomic"])
@pytest.mark.parametrize("shape", [
    (256, 7168, 2048), (2048, 2048, 2048), (4096, 4096, 1024), (256, 256, 256)])
def test_stream_k_does_not_cut_where_whole_tiles_are_faster(shape, reduction):
  data = explain(*shape, schedule="stream_k", reduction=reduction)
  assert data["schedule"] == "persistent"
  assert data["workspace_bytes"] == 0
  assert said(data, "whole tiles take no longer than cut ones")


@pytest.mark.parametrize("shape, tile, peers", [
    ((512, 512, 8192), None, None), ((512, 768, 4096), None, None),
    ((1, 4096, 14336), (16, 128), 3)])
@pytest.mark.parametrize("schedule", ["auto", "stream_k"])
def test_stream_k_splits_k_across_a_cluster(shape, tile, peers, schedule):
  data = explain(*shape, schedule=schedule)
  assert data["schedule"] == "stream_k"
  assert data["workspace_bytes"] == 0
  if tile:
    assert data["tile"] == (*tile, 64)
    assert data["num_workgroups"] == -(-shape[0] // tile[0]) * (shape[1] // tile[1]) * peers
  assert said(data, "a cluster, which add up in shared memory")


@pytest.mark.parametrize("m, n, peers, lhs, rhs", [
    (512, 768, 2, True, True), (384, 768, 2, True, True), (512, 512, 3, False, True),
    (512, 512, 5, False, False), (384, 192, 2, False, True)])
def test_neighbouring_tiles_load_operands_for_each_other(m, n, peers, lhs, rhs):
  """A cluster has at most eight CTAs, and not three of its four tiles may be outside of out."""
  shares = -(-m // 128) * -(-n // 64) * peers
  data = explain(m, n, 4096, schedule="stream_k", config=GemmConfig(
      tile_m=128, tile_n=64, num_shares=shares, num_workgroups=shares,
      multicast=lhs or rhs or None))
  assert data["workspace_bytes"] == 0
  assert said(data, "of lhs for both") == lhs and said(data, "of rhs for both") == rhs


def test_no_cluster_has_three_tiles_outside_of_out():
  """tests/protocols/multicast.py shows what would happen in such a cluster."""
  for m, n in itertools.product(range(1, 6), repeat=2):
    if m == n == 1:
      continue
    config = GemmConfig(
        tile_m=128, tile_n=128, num_shares=2 * m * n, num_workgroups=2 * m * n, multicast=True)
    data = explain(128 * m - 8, 128 * n - 8, 4096, schedule="stream_k", config=config)
    of_lhs, of_rhs = said(data, "of lhs for both"), said(data, "of rhs for both")
    assert of_lhs or of_rhs
    assert (of_lhs and of_rhs) == (min(m, n) > 1 and not (m % 2 and n % 2))


def test_without_multicast_tiles_are_in_no_cluster_with_neighbours():
  config = GemmConfig(tile_m=128, tile_n=128, num_shares=32, num_workgroups=32, multicast=False)
  assert not said(explain(512, 512, 4096, schedule="stream_k", config=config),
                  "each loads half")


@pytest.mark.parametrize("reduction", ["tree", "atomic"])
def test_other_reductions_go_through_the_workspace(reduction):
  data = explain(512, 512, 16384, schedule="stream_k", reduction=reduction)
  assert data["schedule"] == "stream_k"
  assert data["workspace_bytes"] > 0
  assert said(data, f"summed by '{reduction}'")


def test_stream_k_cuts_a_last_round_where_it_gains():
  data = explain(2304, 2304, 16384, schedule="stream_k")
  assert data["schedule"] == "stream_k"
  assert data["workspace_bytes"] > 0
  assert explain(2304, 2304, 16384)["schedule"] == "persistent"


def test_stream_k_cuts_for_a_given_num_workgroups():
  data = explain(256, 7168, 2048, schedule="stream_k",
                 config=GemmConfig(num_workgroups=60))
  assert data["schedule"] == "stream_k"
  assert data["workspace_bytes"] > 0


@pytest.mark.parametrize("tile_n, few", [(128, (2, 3, 4, 5, 6, 8)), (64, (2, 3, 4, 5, 8))])
def test_peers_in_a_cluster_need_no_workspace(tile_n, few):
  """With other numbers of peers, one peer would need more shared memory than it has."""
  for peers in range(2, 10):
    config = GemmConfig(tile_m=128, tile_n=tile_n, num_shares=peers, num_workgroups=peers)
    data = explain(128, tile_n, 4096, schedule="stream_k", config=config)
    assert data["schedule"] == "stream_k"
    assert (data["workspace_bytes"] == 0) == (peers in few)


@pytest.mark.parametrize("m, rows", [(1, 16), (20, 32), (64, 64)])
def test_few_rows_have_tiles_of_few_rows(m, rows):
  """Out is computed as out^T, in tiles of 128 of its rows and few columns."""
  data = explain(m, 4096, 14336)
  assert data["tile"] == (rows, 128, 64) and data["tiles"] == (1, 32, 224)
  assert data["kernel"] == f"gemm_bfloat16_bfloat16_128x{rows}x64_ccc"
  assert data["workspace_bytes"] == 0
  assert said(data, "out has few rows") and said(data, "computes out^T")
  # A tile's size is in rows and columns of out, and chooses the kernel.
  again = explain(m, 4096, 14336, config=GemmConfig(tile_m=rows, tile_n=128))
  assert again["kernel"] == data["kernel"]


def test_a_candidate_of_explain_can_be_asked_for():
  """With a candidate's configuration the plan chooses that candidate."""
  for shape in (48, 4032, 1312), (1000, 301, 77), (128, 128, 4096):
    for each in explain(*shape)["candidates"]:
      data = explain(*shape, config=GemmConfig(**each["config"]))
      for key in "kernel", "tile", "schedule":
        assert data[key] == each[key]
      first = data["candidates"][0]
      assert first["form"] == each["form"] and first["config"] == each["config"]


def test_tiles_of_kernels_that_store_the_transpose_have_a_workgroup_each():
  name = "gemm_bfloat16_bfloat16_128x16x64_ccc"
  whole = explain(4, 4096, 8192, schedule="persistent", config=GemmConfig(kernel=name))
  assert whole["kernel"] == name
  assert whole["num_workgroups"] == 32 and whole["schedule"] == "persistent"
  shared = explain(4, 4096, 8192, schedule="stream_k", config=GemmConfig(
      kernel=name, num_workgroups=160, num_shares=160))
  assert shared["num_workgroups"] == 160
  assert said(shared, "among 5 CTAs, a cluster")
  for refused in (dict(config=GemmConfig(kernel=name, num_workgroups=31)),
                  dict(config=GemmConfig(kernel=name), schedule="work_stealing")):
    with pytest.raises(ValueError, match="a workgroup for each of its 32 tiles or"):
      explain(4, 4096, 8192, **refused)


@pytest.mark.parametrize("shape", [(2048, 2048, 2048), (8192, 8192, 8192)])
def test_work_stealing_has_one_queue(shape):
  data = explain(*shape, schedule="work_stealing")
  assert data["num_queues"] == 1


def test_small_products_have_tiles_for_all_multiprocessors():
  data = explain(1024, 1024, 1024)
  assert data["kernel"] == "gemm_bfloat16_bfloat16_256x64x64_rrr"
  # A tile of 256 rows has a cluster of two CTAs.
  assert data["num_workgroups"] == 64


PLAIN = "a form of the kernel that can do no more"


def test_plain_products_take_the_plain_form():
  assert said(explain(2048, 2048, 2048), PLAIN)
  assert said(explain(2048, 2048, 256), PLAIN)
  # If a tile has fewer k tiles than TMA boxes that store it, warpgroups do not ping-pong.
  for k in 16, 192:
    assert said(explain(2048, 2048, k), PLAIN) and not said(explain(2048, 2048, k), TURNS)
  # A plain kernel may also claim its tiles.
  assert said(explain(2048, 2048, 2048, schedule="work_stealing"), PLAIN)
  signals = jax.ShapeDtypeStruct((4,), jnp.uint32)
  for more, plain in ({}, True), (dict(activation="relu"), False):
    data = explain(2048, 2048, 2048, chunk_signals=signals, tiles_per_chunk_m=2,
                   config=GemmConfig(tile_m=256), **more)
    assert said(data, PLAIN) == plain


TURNS = "two warpgroups take turns"
FUSED = "the epilogue is applied to the accumulators"
VECTOR = jax.ShapeDtypeStruct((2048,), jnp.float32)


@pytest.mark.parametrize("shape, kernel", [
    ((8192, 6144, 2048), "x192x64"), ((8192, 9216, 2048), "x192x64")])
def test_warpgroups_ping_pong_where_each_has_a_tile(shape, kernel):
  data = explain(*shape)
  assert kernel in data["kernel"]
  assert said(data, TURNS) and said(data, PLAIN)
  for more in dict(activation="relu"), dict(preferred_element_type=jnp.float32):
    # With an epilogue the accumulators of 192 columns are too many for one warpgroup.
    data = explain(*shape, **more)
    assert said(data, FUSED) and said(data, TURNS) == (data["tile"][1] == 128)
    assert not said(explain(*shape, schedule="work_stealing", **more), TURNS)
  tile = GemmConfig(tile_m=128, tile_n=128)
  assert said(explain(*shape, schedule="work_stealing", config=tile), TURNS)
  assert not said(explain(1024, 1024, 1024, config=tile), TURNS)
  # A tile of 256 x 256 has too many accumulators for one warpgroup.
  assert not said(explain(*shape, config=GemmConfig(tile_m=256, tile_n=256)), TURNS)


def test_plain_grouped_products_take_the_plain_form():
  a = jax.ShapeDtypeStruct((4096, 512), jnp.bfloat16)
  b = jax.ShapeDtypeStruct((8, 512, 1024), jnp.bfloat16)
  sizes = jax.ShapeDtypeStruct((8,), jnp.int32)
  for options, plain in (
      ({}, True), (dict(activation="relu"), False), (dict(schedule="stream_k"), False),
      (dict(schedule="work_stealing"), False)):
    data = jaxgemm.explain(a, b, group_sizes=sizes, **options).data
    assert said(data, PLAIN) == plain, options
  tile = GemmConfig(tile_m=128, tile_n=192)
  assert said(jaxgemm.explain(a, b, group_sizes=sizes, config=tile).data, TURNS)


@pytest.mark.parametrize("schedule", ["work_stealing", "stream_k"])
def test_tiles_for_few_rows_are_whole_and_at_a_stride(schedule):
  lhs, rhs = (jax.ShapeDtypeStruct(x, jnp.bfloat16) for x in ((8, 2048), (128, 2048, 768)))
  config = GemmConfig(kernel="gemm_bfloat16_bfloat16_64x128x64_rrr")
  with pytest.raises(ValueError, match="It does not steal work or cut tiles. Leave schedule out"):
    jaxgemm.explain(lhs, rhs, group_sizes=jax.ShapeDtypeStruct((128,), jnp.int32),
                    config=config, schedule=schedule)


@pytest.mark.parametrize("experts, top_k, features, hidden", [
    (128, 8, 2048, 768), (8, 2, 7168, 2048), (32, 4, 2880, 2880), (128, 8, 4096, 384),
    (8, 2, 4096, 14336)])
@pytest.mark.parametrize("tokens", [1, 16, 128, 4096])
def test_groups_of_few_rows_have_a_form_of_their_own(experts, top_k, features, hidden, tokens):
  shapes = ((tokens * top_k, features), (experts, features, 2, hidden)), (
      (tokens * top_k, hidden), (experts, hidden, features))
  sizes = jax.ShapeDtypeStruct((experts,), jnp.int32)
  for function, (lhs, rhs) in zip((jaxgemm.ragged_gated_linear_unit, jaxgemm.ragged_dot), shapes):
    operands = (jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in (lhs, rhs))
    data = jaxgemm.explain(jax.jit(function), *operands, sizes).data["calls"][0]
    is_few = "_64x128x64_" in data["kernel"]
    assert is_few == said(data, "few rows: ") == (tokens < 4096)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("more, form", [
    (dict(bias=True, bias_bf16=True), "grouped_vectors"),
    (dict(scale=True, row_scale=True), "grouped_vectors"),
    (dict(out_dtype="float32"), "grouped_wide"),
    (dict(gated=True, activation="silu"), "grouped_gated"),
    (dict(gated=True, activation="gelu", bias=True, save_preact=True), "grouped_gated"),
    (dict(ragged="k", m=1408, k=16384, lhs_contracting=0, rhs_batched=False, out_dtype="float32",
          accumulate=True), "grouped_wide"),
    # These have no form of their own.
    (dict(activation="gelu"), "general"), (dict(bias=True, out_dtype="float32"), "general"),
    (dict(gated=True, activation="silu", out_dtype="float32"), "general"),
    (dict(bias=True, n=1404), "general")])  # TMA cannot store such rows
def test_grouped_products_with_an_epilogue_have_small_forms(dtype, more, form):
  problem = dict(dict.fromkeys(("lhs_dtype", "rhs_dtype", "out_dtype"), dtype), m=16384, n=1408,
                 k=2048, groups=64, local_groups=64, ragged="m", rhs_batched=True,
                 lhs_contracting=1, rhs_contracting=0)
  if more.get("n"):
    problem["rhs_contracting"] = 1
  assert _ffi.native.plan(problem | more, {}, "H100")["candidates"][0]["form"] == form


@pytest.mark.parametrize("more, form", [
    (dict(activation="gelu", out_dtype="float8_e4m3fn", quantize_out="block"), "grouped_quantized"),
    (dict(gated=True, out_dtype="float8_e5m2", quantize_out="mx"), "grouped_quantized"),
    (dict(ragged="none", groups=0, local_groups=0, rhs_batched=False, out_dtype="float8_e4m3fn",
          quantize_out="mx"), "quantized")])
def test_kernels_that_quantise_have_a_form(more, form):
  problem = dict(dict.fromkeys(("lhs_dtype", "rhs_dtype"), "bfloat16"), m=16384, n=1408, k=2048,
                 groups=64, local_groups=64, ragged="m", rhs_batched=True, lhs_contracting=1,
                 rhs_contracting=1) | more
  assert _ffi.native.plan(problem, {}, "H100")["candidates"][0]["form"] == form


SCALED = dict(dict.fromkeys(("lhs_dtype", "rhs_dtype"), "float8_e4m3fn"), out_dtype="bfloat16",
              m=4096, n=4096, k=2048, block_k=128, block_n=128, batch=1, lhs_batched=True,
              rhs_batched=True, lhs_contracting=1, rhs_contracting=1)
EXPERTS = dict(SCALED, m=16384, groups=8, local_groups=8, ragged="m", lhs_batched=False)


@pytest.mark.parametrize("problem", [SCALED, EXPERTS])
@pytest.mark.parametrize("more, config, form", [
    ({}, {}, "scaled_cast"),
    (dict(block_n=1), {}, "scaled"),
    (dict(out_dtype="float32"), {}, "scaled"),
    (dict(bias=True), {}, "scaled"),
    (dict(n=4092), {}, "scaled"),  # rows of the result that TMA does not store
    ({}, dict(schedule="work_stealing"), "scaled"),
    ({}, dict(schedule="stream_k", num_workgroups=60), "scaled"),
    (dict(out_dtype="float8_e4m3fn", quantize_out="block"), {}, "scaled_quantized")])
def test_scaled_products_that_are_only_cast_have_a_form(problem, more, config, form):
  candidates = _ffi.native.plan(problem | more, config, "H200")["candidates"]
  tiles = {each["kernel"].split("_")[-2]: each["form"] for each in candidates}
  other = "scaled" if form == "scaled_cast" else form
  wide = {"128x192x128": form} if form == "scaled_cast" else {}
  assert tiles == {"128x128x128": form, "256x128x128": other} | wide


def test_experts_with_scales_of_blocks_take_wide_tiles():
  """Such a tile multiplies more for each element that it loads, and its groups end in any row."""
  assert _ffi.native.plan(EXPERTS, {}, "H200")["tile"] == (128, 192, 128)


@pytest.mark.parametrize("n, k, tile_n", [
  (4096, 4096, 128), (7168, 16384, 128), (24576, 1536, 192), (8192, 8192, 192)])
def test_dense_scaled_products_take_tiles_that_fill_the_rounds(n, k, tile_n):
  """The best ones of an H200's timings, but for the last product, which has many rounds."""
  plan = _ffi.native.plan(dict(SCALED, n=n, k=k), {}, "H200")
  assert plan["tile"] == (128, tile_n, 128)
  assert plan["candidates"][0]["form"] == "scaled_cast"


def test_wide_tiles_of_scaled_products_are_not_cut():
  config = dict(tile_n=192, schedule="work_stealing")
  with pytest.raises(ValueError, match="kernel"):
    _ffi.native.plan(SCALED, config, "H200")


def test_groups_that_end_inside_of_tiles_take_lower_tiles():
  """Measured on an H100 with groups of different sizes: 256 x 192 takes longer than 128 x 192."""
  problem = dict(PLAIN_BF16, m=16384, n=1408, k=2048, groups=64, local_groups=64, ragged="m",
                 rhs_batched=True, lhs_contracting=1, rhs_contracting=0)
  assert _ffi.native.plan(problem, {}, "H100")["tile"][0] == 128


@pytest.mark.parametrize("more", [
    dict(activation="relu"), dict(bias=VECTOR), dict(scale=VECTOR, bias=VECTOR),
    dict(preferred_element_type=jnp.float32),
    dict(preferred_element_type=jnp.float8_e4m3fn)])
def test_products_with_an_epilogue_take_the_fused_form(more):
  for shape in (2048, 2048, 2048), (2048, 2048, 64), (200, 2048, 4096):
    data = explain(*shape, **more)
    assert data["num_workgroups"] != 0 and not said(data, PLAIN)
    # Split-K across a cluster, and tiles of out^T, have a form of their own.
    form = data["candidates"][0]["form"]
    assert said(data, FUSED) == (form != "peers") and form != "general"


def test_an_epilogue_is_hidden_where_it_would_take_long():
  """Measured on an H200 at 4096 cubed with gelu: 256 x 256 tiles are slower."""
  for shape in (2048, 2048, 2048), (4096, 4096, 4096):
    data = explain(*shape, activation="gelu")
    assert data["candidates"][0]["form"] == "fused_ping_pong"


@pytest.mark.parametrize("more", [
    dict(schedule="work_stealing", activation="relu"),
    dict(schedule="stream_k", config=GemmConfig(num_workgroups=60))])
def test_other_products_take_the_general_form(more):
  data = explain(2048, 2048, 2048, **more)
  assert not said(data, PLAIN) and not said(data, FUSED)


@pytest.mark.parametrize("chunks", [8, 16, 32])
def test_a_chunk_keeps_all_multiprocessors_busy(chunks):
  """A chunk has few tiles, and the product ends with the tiles of the last chunk."""
  data = explain(8192, 8192, 8192, tiles_per_chunk_m=32 // chunks,
                 chunk_signals=jax.ShapeDtypeStruct((chunks,), jnp.uint32),
                 config=GemmConfig(tile_m=256))
  assert data["kernel"] == "gemm_bfloat16_bfloat16_256x256x64_rrr"


def test_neighbouring_tiles_of_out_t_load_lhs_for_each_other():
  """Measured on an H100: 336 x 2560 x 15920 takes longer without multicast."""
  data = explain(336, 2560, 15920)
  assert said(data, "each loads half") and data["tile"][1] == 128
  alone = explain(336, 2560, 15920, config=GemmConfig(multicast=False))
  assert not said(alone, "each loads half")
  odd = GemmConfig(multicast=True, tile_m=112, tile_n=128)
  assert said(explain(112, 3 * 128, 4096, config=odd), "each loads half")
  for shape, config in (((112, 128, 4096), odd),  # a single tile
                        # Only forms with peers have multicast.
                        ((64, 512, 4096), GemmConfig(multicast=True, tile_m=128, tile_n=256)),
                        ((512, 512, 4096), GemmConfig(
                            multicast=True, tile_m=128, tile_n=128, schedule="persistent"))):
    with pytest.raises(ValueError, match="multicast=True, but no kernel of sm90"):
      explain(*shape, config=config)
  with pytest.raises(ValueError, match="multicast='yes' is not allowed"):
    GemmConfig(multicast="yes")


def test_a_form_that_could_not_count_its_k_tiles_is_not_taken():
  """A single workgroup has 832 x 1664 tiles of 1664 k tiles, which is more than 2**31."""
  size = 104 * 1024
  for num_workgroups, is_plain in ((1, False), (2, True)):
    config = GemmConfig(num_workgroups=num_workgroups, tile_m=128, tile_n=64)
    assert said(explain(size, size, size, config=config), "plain: there is no") == is_plain


def test_multicast_is_refused_elsewhere():
  for chip in ("cpu", "MI300X"):
    with pytest.raises(ValueError, match="multicast=True is for Hopper"):
      _ffi.native.plan(PLAIN_BF16 | dict(m=128, n=256, k=512), {"multicast": 1}, chip)
