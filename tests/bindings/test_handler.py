"""The custom call itself: a hand-written ffi_call with wrong buffers or attributes gets
an XLA error, never a crash."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgemm import _jaxgemm as native

PROBLEM = dict(
    batch=1, m=48, n=40, k=600, lhs_dtype="float32", rhs_dtype="float32",
    out_dtype="float32", lhs_contracting=1, rhs_contracting=0, lhs_batched=0,
    rhs_batched=0, bias=0, scale=0, row_scale=0, save_preact=0, activation="none", ragged="none",
    groups=0, local_groups=0, group_offset=0, sizes_batched=0, accumulate=0, gated=0,
    tiles_per_chunk=0, pivot=0, num_chunks=0, timeout_ns=0, signals_batched=0,
)
CONFIG = dict(
    schedule="auto", reduction="linear", deterministic=0, tile_m=0, tile_n=0, tile_k=0,
    num_workgroups=0, group_m=0, num_queues=0, num_shares=0, kernel="",
    claim_ahead=-1,
)


def call(args, results, attrs, aliases=None):
  attrs = {k: np.int64(v) if isinstance(v, int) else v for k, v in attrs.items()}
  results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]
  return jax.block_until_ready(jax.ffi.ffi_call(
      "jaxgemm_gemm", results, input_output_aliases=aliases or {})(*args, **attrs))


def good_call(problem=(), config=()):
  """(args, results, attrs, reference) of a call that works."""
  problem, config = {**PROBLEM, **dict(problem)}, {**CONFIG, **dict(config)}
  plan = native.plan(problem, config, "cpu")
  rng = np.random.default_rng(0)
  lhs = rng.standard_normal((48, 600), np.float32)
  rhs = rng.standard_normal((600, 40), np.float32)
  args = [lhs, rhs]
  if problem["bias"]:
    args.append(rng.standard_normal(40, np.float32))
  if problem["scale"]:
    args.append(rng.standard_normal(40, np.float32))
  if problem["row_scale"]:
    args.append(rng.standard_normal(48, np.float32))
  results = [((48, 40), jnp.float32)] * (1 + problem["save_preact"])
  results += [((plan["workspace_bytes"],), jnp.uint8)]
  return args, results, plan["attrs"], lhs.astype(np.float64) @ rhs


@pytest.mark.parametrize("schedule", ["persistent", "work_stealing", "stream_k"])
def test_the_call_works_as_planned(schedule):
  args, results, attrs, reference = good_call(
      config=dict(schedule=schedule, tile_m=16, tile_n=16, tile_k=64))
  out = np.asarray(call(args, results, attrs)[0])
  assert np.abs(out - reference).max() < 1e-5 * np.abs(reference).max()


def good_grouped_call(gated=False):
  """(args, results, attrs) of a gated call with ragged rows, or accumulating with k."""
  problem = {**PROBLEM, "groups": 4, "local_groups": 3, "group_offset": 1}
  rng = np.random.default_rng(0)
  sizes, offset = np.array([5, 0, 17, 20], np.int32), np.ones(1, np.int32)
  if gated:
    problem |= {"ragged": "m", "gated": 1, "bias": 1, "save_preact": 1}
    args = [rng.standard_normal((48, 600), np.float32),
            rng.standard_normal((3, 600, 80), np.float32), sizes, offset,
            rng.standard_normal((3, 80), np.float32)]
    results = [((48, 40), jnp.float32), ((48, 80), jnp.float32)]
  else:
    problem |= {"ragged": "k", "k": 48, "m": 30, "lhs_contracting": 0, "accumulate": 1}
    args = [rng.standard_normal((48, 30), np.float32),
            rng.standard_normal((48, 40), np.float32), sizes, offset,
            rng.standard_normal((3, 30, 40), np.float32)]
    results = [((3, 30, 40), jnp.float32)]
  plan = native.plan(problem, CONFIG, "cpu")
  return args, [*results, ((plan["workspace_bytes"],), jnp.uint8)], plan["attrs"]


EPILOGUE = dict(bias=1, scale=1, row_scale=1, activation="gelu", save_preact=1)
STREAM_K = dict(schedule="stream_k", num_workgroups=4, tile_k=64)


def other(index, value):
  def change(items):
    items = list(items)
    items[index] = value
    return items
  return change


WRONG_ARGS = {
    "no operands": lambda args: [],
    "rhs missing": lambda args: args[:1],
    "an operand too many": lambda args: [*args, args[0]],
    "lhs of rank 1": other(0, np.zeros(48, np.float32)),
    "lhs of rank 4": other(0, np.zeros((1, 1, 48, 600), np.float32)),
    "k differs": other(1, np.zeros((599, 40), np.float32)),
    "n differs": other(1, np.zeros((600, 41), np.float32)),
    "rhs batched": other(1, np.zeros((2, 600, 40), np.float32)),
    "int8 with float32": other(1, np.zeros((600, 40), np.int8)),
    "complex": other(0, np.zeros((48, 600), np.complex64)),
    "int32 operand": other(0, np.zeros((48, 600), np.int32)),
    "bias too short": other(2, np.zeros(39, np.float32)),
    "bias of rank 0": other(2, np.float32(1)),
    "bias int32": other(2, np.zeros(40, np.int32)),
    "scale of two batches": other(3, np.zeros((2, 40), np.float32)),
    "a row_scale for each column": other(4, np.zeros(40, np.float32)),
    "row_scale of two batches": other(4, np.zeros((2, 48), np.float32)),
}
WRONG_RESULTS = {
    "no workspace": lambda results: results[:-1],
    "workspace one byte short": lambda r: [*r[:-1], ((r[-1][0][0] - 1,), jnp.uint8)],
    "empty workspace": other(-1, ((0,), jnp.uint8)),
    "workspace of floats": lambda r: [*r[:-1], ((r[-1][0][0],), jnp.float32)],
    "out too small": other(0, ((48, 39), jnp.float32)),
    "out batched": other(0, ((1, 48, 40), jnp.float32)),
    "out int32": other(0, ((48, 40), jnp.int32)),
    "preact like something else": other(1, ((48, 40), jnp.bfloat16)),
}
WRONG_ATTRS = {
    "schedule": "bogus", "reduction": "sum", "activation": "tanh", "tile_m": -1,
    "tile_n": 1 << 40, "num_workgroups": 1 << 40, "num_queues": -3, "num_shares": 1 << 30,
    "group_m": -1, "kernel": "sse9", "lhs_contracting": 7, "num_threads": -1,
    "rhs_contracting": 1, "claim_ahead": 2, "target": "gfx90a", "form": "plain",
    "cluster_k": 2, "cluster_m": 0, "cut_tiles": 1 << 40, "num_xcds": 0,
    "order_at_launch": 1, "transposed": 7,
}


WRONG_GATED_ARGS = {
    "no sizes": lambda args: args[:2] + args[3:],
    "no offset": lambda args: args[:3] + args[4:],
    "uint8 sizes": other(2, np.zeros(4, np.uint8)),
    "float sizes": other(2, np.zeros(4, np.float32)),
    "sizes of rank 0": other(2, np.int32(4)),
    "sizes of three batches": other(2, np.zeros((3, 4), np.int32)),
    "two offsets": other(3, np.zeros(2, np.int32)),
    "float offset": other(3, np.zeros(1, np.float32)),
    "rhs without groups": other(1, np.zeros((600, 80), np.float32)),
    "rhs of odd columns": other(1, np.zeros((3, 600, 81), np.float32)),
    "rhs not gated": other(1, np.zeros((3, 600, 40), np.float32)),
    "bias of two groups": other(4, np.zeros((2, 80), np.float32)),
    "bias of one matrix": other(4, np.zeros((3, 40), np.float32)),
}
WRONG_ADDED_ARGS = {
    "nothing to add to": lambda args: args[:4],
    "added to another shape": other(4, np.zeros((3, 40, 30), np.float32)),
    "added to another type": other(4, np.zeros((3, 30, 40), np.int32)),
    "rhs with groups": other(1, np.zeros((3, 48, 40), np.float32)),
}


def refused(args, results, attrs):
  with pytest.raises(Exception, match="jaxgemm_gemm|INVALID_ARGUMENT"):
    call(args, results, attrs)


@pytest.mark.parametrize("name", WRONG_GATED_ARGS)
def test_wrong_operands_of_a_gated_call(name):
  args, results, attrs = good_grouped_call(gated=True)
  refused(WRONG_GATED_ARGS[name](args), results, attrs)


@pytest.mark.parametrize("name", WRONG_ADDED_ARGS)
def test_wrong_operands_of_an_accumulating_call(name):
  args, results, attrs = good_grouped_call()
  refused(WRONG_ADDED_ARGS[name](args), results, attrs)


def test_grouped_calls_work_as_planned():
  args, results, attrs = good_grouped_call(gated=True)
  z = np.asarray(call(args, results, attrs)[1])
  expected = args[0][22:42].astype(np.float64) @ args[1][2] + args[4][2]
  assert np.abs(z[22:42] - expected).max() < 1e-5 * np.abs(expected).max()
  assert not z[:5].any() and not z[42:].any()

  args, results, attrs = good_grouped_call()
  out = np.asarray(call(args, results, attrs, {4: 0})[0])
  expected = args[4][1] + args[0][5:22].T.astype(np.float64) @ args[1][5:22]
  assert np.abs(out[1] - expected).max() < 1e-5 * np.abs(expected).max()
  np.testing.assert_array_equal(out[0], args[4][0])
  # Without the alias the buffer would have to be copied, which only XLA can do.
  refused(args, results, attrs)


@pytest.mark.parametrize("change", [
    {"ragged": "rows"}, {"ragged": "none"}, {"ragged": "k"}, {"gated": 0},
    {"accumulate": 1}, {"group_offset": 0}, {"tile_n": 3}, {"block_m": 0}, {"block_n": 2},
    {"mx": 1}])
def test_wrong_attributes_of_a_gated_call(change):
  args, results, attrs = good_grouped_call(gated=True)
  refused(args, results, {**attrs, **change})


@pytest.mark.parametrize("name", WRONG_ARGS)
def test_wrong_operands(name):
  args, results, attrs, _ = good_call(EPILOGUE, STREAM_K)
  refused(WRONG_ARGS[name](args), results, attrs)


@pytest.mark.parametrize("name", WRONG_RESULTS)
def test_wrong_results(name):
  args, results, attrs, _ = good_call(EPILOGUE, STREAM_K)
  refused(args, WRONG_RESULTS[name](results), attrs)


@pytest.mark.parametrize("name", WRONG_ATTRS)
def test_wrong_attributes(name):
  args, results, attrs, _ = good_call(EPILOGUE, STREAM_K)
  refused(args, results, {**attrs, name: WRONG_ATTRS[name]})


@pytest.mark.parametrize("name", ["tile_m", "schedule", "num_threads"])
def test_missing_and_mistyped_attributes(name):
  args, results, attrs, _ = good_call()
  refused(args, results, {k: v for k, v in attrs.items() if k != name})
  refused(args, results, {**attrs, name: 1.5})


def test_bigger_plans_need_bigger_workspaces():
  """Attributes of another plan are refused, because they need a larger workspace."""
  args, results, attrs, _ = good_call()
  refused(args, results, {**attrs, "num_threads": 64, "num_workgroups": 64})


def test_a_good_call_still_works_afterwards():
  args, results, attrs, reference = good_call(config=STREAM_K)
  refused(args[:1], results, attrs)
  out = np.asarray(call(args, results, attrs)[0])
  assert np.abs(out - reference).max() < 1e-5 * np.abs(reference).max()
