"""explain of a whole function: each product in it is found, whatever it is nested in."""

import functools

import jax
from jax.extend.core import Primitive
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import pytest

import jaxgemm
from tests.plan.test_hopper_plan import plan_for_hopper

S = functools.partial(jax.ShapeDtypeStruct, dtype=jnp.float32)


@jax.custom_vjp
def custom(x, w):
  return jaxgemm.matmul(x, w)


custom.defvjp(lambda x, w: (custom(x, w), (x, w)), lambda kept, ct: (
    jaxgemm.matmul(ct, kept[1].T), jaxgemm.matmul(kept[0].T, ct)))


def sharded(x, w):
  mesh = jax.make_mesh((1,), ("x",), (jax.sharding.AxisType.Auto,))
  return jax.shard_map(
      jaxgemm.matmul, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))(x, w)


def scanned(x, w):
  return jax.lax.scan(lambda x, _: (jaxgemm.matmul(x, w), None), x, None, length=3)[0]


@pytest.mark.parametrize("function, within", [
    (jaxgemm.matmul, ()),
    (jax.jit(jaxgemm.matmul), ()),
    (lambda x, w: jax.jit(jaxgemm.matmul)(x, w), ("jit of matmul",)),
    (scanned, ("scan of 3 steps",)),
    (lambda x, w: jax.jit(scanned)(x, w), ("jit of scanned", "scan of 3 steps")),
    (lambda x, w: jax.lax.while_loop(
        lambda x: x.sum() > 0, lambda x: jaxgemm.matmul(x, w), x), ("while",)),
    (lambda x, w: jax.lax.cond(
        x[0, 0] > 0, jaxgemm.matmul, lambda x, w: x, x, w), ("cond",)),
    (jax.checkpoint(jaxgemm.matmul), ("remat",)),
    (custom, ("custom_vjp_call",)),
    (sharded, ("shard_map",)),
])
def test_a_product_is_found_wherever_it_is(function, within):
  x, w = S((96, 64)), S((64, 64))
  call, = jaxgemm.explain(function, x, w).data["calls"]
  alone = jaxgemm.explain(x, w).data
  assert {key: call[key] for key in alone} == alone
  assert set(within) <= set(call["within"])  # some versions of jax nest in more
  assert call["operands"] == ["float32[96,64]", "float32[64,64]"]
  assert call["results"] == ["float32[96,64]"] and call["count"] == 1


def test_all_products_of_a_step():
  def loss(x, w, experts, sizes):
    for _ in range(4):
      x = jaxgemm.matmul(x, w, activation="gelu")
    return jaxgemm.ragged_dot(x, experts, sizes).sum()

  explained = jaxgemm.explain(
      jax.jit(jax.grad(loss, (0, 1, 2))), S((96, 64)), S((64, 64)), S((4, 64, 48)),
      sizes=jax.ShapeDtypeStruct((4,), jnp.int32))
  calls = explained.data["calls"]
  assert [(each["count"], each.get("ragged")) for each in calls] == [
      (4, None), (1, "m"), (1, "k"), (1, "m"), (4, None), (4, None)]
  assert calls[0]["results"] == ["float32[96,64]"] * 2  # the value before gelu, too
  text = str(explained)
  assert text.startswith("1. float32[96,64], float32[64,64] -> float32[96,64], "
                         "float32[96,64], 4 times\n   implementation: jaxgemm\n")
  assert "groups along k: 4 of 4" in text and "\n6. " in text


def test_chunks_are_found():
  rows = jaxgemm.chunk_rows(S((96, 64)), S((64, 32)), tiles_per_chunk_m=1)

  def function(x, w, signals):
    return jaxgemm.chunked_matmul(x, w, chunk_signals=signals, tiles_per_chunk_m=1)

  count = -(-96 // rows)
  call, = jaxgemm.explain(function, S((96, 64)), S((64, 32)),
                          jax.ShapeDtypeStruct((count,), jnp.uint32)).data["calls"]
  assert call["chunk_rows"] == rows


def test_what_was_left_to_xla_is_listed_with_its_reason():
  def inner(x, w):
    return jaxgemm.matmul(x, w, activation="relu", preferred_element_type=jnp.float32)

  @jax.jit
  def function(x, w, sizes, experts):
    y = jaxgemm.matmul(x, w, implementation="xla") @ w.T  # jax's own @ is not listed
    return jax.jit(inner)(y, w), jaxgemm.ragged_dot(x, experts, sizes)

  int16 = functools.partial(jax.ShapeDtypeStruct, dtype=jnp.int16)
  arguments = (int16((96, 64)), int16((64, 32)), jax.ShapeDtypeStruct((4,), jnp.int32),
               int16((4, 64, 32)))
  with pytest.warns(UserWarning, match="leaves this product to XLA"):
    explained = jaxgemm.explain(function, *arguments)
  calls = explained.data["calls"]
  assert [each["implementation"] for each in calls] == ["xla"] * 3
  assert calls[0]["reasons"] == ["implementation='xla' was given"]
  for call in calls[1:]:
    assert "lhs has dtype int16; the kernels take" in call["reasons"][0]
  assert calls[1]["within"] == ("jit of inner",)
  # jax has traced the function before, and still no product is lost.
  assert jaxgemm.explain(function, *arguments).data == explained.data


def test_the_summary_of_a_program(monkeypatch):
  def step(x, w, experts, sizes):
    x, _ = jax.lax.scan(lambda x, _: (jaxgemm.matmul(x, w), None), x, None, length=5)
    y = jaxgemm.matmul(x, w, implementation="xla")
    gated = jaxgemm.ragged_gated_linear_unit(x, jnp.stack([experts, experts], 2), sizes)
    return (x @ y.T @ y).sum() + gated.sum()

  arguments = S((96, 64)), S((64, 64)), S((4, 64, 48)), jax.ShapeDtypeStruct((4,), jnp.int32)
  explained = jaxgemm.explain(step, *arguments)
  each, gated, others = 2 * 96 * 64 * 64, 2 * 96 * 64 * 96, 2 * 2 * 96 * 64 * 96
  summary = explained.data["summary"]
  assert summary == {
      "jaxgemm": 6, "left_to_xla": 1, "others": 2, "operations": 6 * each + gated + others,
      "operations_jaxgemm": 5 * each + gated, "predicted_us": None, "slowest": 1}
  assert [call["steps"] for call in explained.data["calls"]] == [5, 1, 1]
  share = (5 * each + gated) / (6 * each + gated + others)
  assert str(explained).splitlines()[-2:] == [
      "summary: 9 products: 6 by jaxgemm, 1 left to XLA, 2 of jax's own",
      f"operations: {share:.0%} by jaxgemm; number 1 has the most, "
      f"{5 * each / summary['operations']:.0%}"]
  # The most operations and the longest time are those of the second call.
  small, large = (jax.ShapeDtypeStruct((m, 4096), jnp.bfloat16) for m in (64, 2048))
  weights = jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16)
  both = lambda x, y, w, **options: [jaxgemm.matmul(each, w, **options) for each in (x, y)]
  emulated = jaxgemm.explain(functools.partial(both, implementation="emulated:gfx942"),
                             small, large, weights)
  times = [call["predicted_us"] for call in emulated.data["calls"]]
  assert emulated.data["summary"]["predicted_us"] == sum(times) and times[1] > times[0]
  assert str(emulated).endswith(f"number 2 is the slowest, {times[1]:.1f} us")
  for _ in plan_for_hopper(monkeypatch):
    hopper = jaxgemm.explain(functools.partial(both, implementation="jaxgemm"),
                             small, large, weights)
    cycles = [call["predicted_cycles"] for call in hopper.data["calls"]]
    assert hopper.data["summary"]["predicted_us"] == pytest.approx(sum(cycles) / 1755)


def test_operations_of_grouped_products_by_xla():
  def both(x, w, experts, sizes):
    function = functools.partial(jaxgemm.ragged_dot, implementation="xla")
    return jax.grad(lambda experts: function(x, experts, sizes).sum())(experts)

  data = jaxgemm.explain(both, S((96, 64)), S((64, 64)), S((4, 64, 48)),
                         jax.ShapeDtypeStruct((4,), jnp.int32)).data
  assert {call["operations"] for call in data["calls"]} == {2 * 96 * 64 * 48}
  assert jaxgemm.explain(lambda x: x @ x, S((8, 8))).data["summary"]["others"] == 1
  said = str(jaxgemm.explain(lambda x: x @ x, S((8, 8))))
  assert said == ("no product of jaxgemm\nsummary: 1 product: 0 by jaxgemm, 0 left to XLA, 1 of "
                  "jax's own\noperations: 0% by jaxgemm")


def test_nothing_to_list():
  explained = jaxgemm.explain(lambda x: x + 1, 3.0)
  assert explained.data == {"calls": []} and str(explained) == "no product of jaxgemm"


def test_static_arguments_and_arrays():
  function = jax.jit(lambda x, w, name: jaxgemm.matmul(x, w, schedule=name),
                     static_argnames="name")
  call, = jaxgemm.explain(function, jnp.ones((64, 64)), jnp.ones((64, 64)),
                          name="work_stealing").data["calls"]
  assert call["schedule"] == "work_stealing"
  assert jaxgemm.explain(a=S((64, 64)), b=S((64, 64))).data["kernel"] == call["kernel"]


def test_what_was_rejected_and_predicted(monkeypatch):
  x = jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16)
  on_cpu = jaxgemm.explain(x, x)
  assert on_cpu.data["predicted_cycles"] is None
  costs = [each["cost"] for each in on_cpu.data["candidates"]]
  assert "rejected: " in str(on_cpu) and costs == sorted(costs)
  assert "rejected" not in str(jaxgemm.explain(S((1, 2)), S((2, 1))))
  for _ in plan_for_hopper(monkeypatch):
    # The cycles are at least those of a multiprocessor's part of the multiply-adds, and at most ten
    # times as many.
    least = 4096**3 / 132 / 2048
    explained = jaxgemm.explain(x, x, implementation="jaxgemm")
    assert least < explained.data["predicted_cycles"] < 10 * least
    cycles = explained.data["predicted_cycles"]
    assert f"predicted: {cycles:.0f} cycles, {cycles / 1755:.1f} us at 1755 MHz" in str(explained)


def test_primitives_of_others_are_walked_through():
  """Products are found in each jaxpr that is a parameter, whatever the primitive is."""
  other = Primitive("other")
  other.multiple_results = True
  other.def_abstract_eval(lambda *xs, jaxpr: jaxpr.out_avals)
  inner = jax.make_jaxpr(jaxgemm.matmul)(S((32, 32)), S((32, 32)))
  call, = jaxgemm.explain(
      lambda x: other.bind(x, x, jaxpr=inner), S((32, 32))).data["calls"]
  assert call["within"] == ("other",)
