"""What `jax.checkpoint` saves of products, and which of them run again in the backward pass."""

import contextlib
import functools

import jax
from jax.ad_checkpoint import print_saved_residuals
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

import jaxgemm
from jaxgemm import checkpoint_policies as ours
from tests.grouped.ragged_reference import array, assert_close, reference, wide
from tests.support.compiled import count_lowered

POLICIES = jax.checkpoint_policies
SIZES = jnp.array([13, 0, 21, 5])
MATMUL = (((1,), (0,)), ((), ()))


def names(*given):
  return POLICIES.save_only_these_names(*given)


@contextlib.contextmanager
def remat3(on: bool):
  """jax's option `jax_remat3`, by which jax.checkpoint differentiates in another way."""
  jax.config.update("jax_remat3", on)
  try:
    yield
  finally:
    jax.config.update("jax_remat3", False)


def experts(x, gate_up, up, down):
  """Two gated products, one with an activation, and two without; x[M, K] -> [M, K]."""
  product = jaxgemm.ragged_dot
  hidden = jaxgemm.ragged_gated_linear_unit(x, gate_up, SIZES)
  x = jnp.sin(product(hidden, down, SIZES))
  return product(product(x, up, SIZES, activation="gelu"), down, SIZES)


def experts_in_float64(x, gate_up, up, down):
  product = functools.partial(reference, sizes=SIZES)
  hidden = product(x, gate_up[:, :, 0], activation="silu") * product(x, gate_up[:, :, 1])
  x = jnp.sin(product(hidden, down))
  return product(product(x, up, activation="gelu"), down)


def operands(rng):
  return [array(rng, *shape) / 3 for shape in (
      (43, 17), (4, 17, 2, 12), (4, 17, 12), (4, 12, 17))]


def gradient(function, arguments=(0, 1, 2, 3)):
  """A function's weighted sum and its gradients."""
  def loss(*operands):
    out = function(*operands)
    return (out * jnp.cos(jnp.arange(out.size, dtype=out.dtype)).reshape(out.shape)).sum()
  return jax.value_and_grad(loss, arguments)


def saved(capsys, function, *args) -> str:
  print_saved_residuals(lambda *x: function(*x).sum(), *args)
  return capsys.readouterr().out


OFFLOADED = POLICIES.save_and_offload_only_these_names(
    names_which_can_be_saved=["mlpwi_1"], names_which_can_be_offloaded=["elsewhere"],
    offload_src="device", offload_dst="pinned_host")

# The products that run again, of four: no gradient needs the last one.
AGAIN = {
    names("mlpwi_0"): 1, names("mlpwi_1", "other"): 1, OFFLOADED: 1,
    ours.grouped_saveable: 0, ours.dense_saveable: 3,
    ours.save_from_any_policy(OFFLOADED, ours.dense_saveable): 1,
    ours.save_from_any_policy(names("other"), OFFLOADED, ours.grouped_saveable): 0,
    None: 3, POLICIES.nothing_saveable: 3, POLICIES.dots_saveable: 3,
    POLICIES.everything_saveable: 0, ours.dots_saveable: 0,
    ours.dots_with_no_batch_dims_saveable: 0, names("jaxgemm_preact"): 1, names("other"): 3,
    POLICIES.save_from_both_policies(ours.dots_saveable, names("other")): 0}


def layers_of(scan: bool, block):
  """The block alone, or two of it in a scan."""
  if not scan:
    return block
  return lambda x, *weights: jax.lax.scan(
      lambda x, _: (block(x, *weights), None), x, length=2)[0]


@pytest.mark.parametrize("scan", [False, True], ids=["alone", "scan"])
@pytest.mark.parametrize("new", [False, True], ids=["remat2", "remat3"])
def test_policies_decide_which_products_run_again(rng, new, scan):
  args = operands(rng)

  wanted = wide(gradient(layers_of(scan, experts_in_float64)), *args)
  with remat3(new):
    once = count_lowered(gradient(layers_of(scan, experts)), *args)
    assert once == 12
    for policy, again in AGAIN.items():
      function = gradient(layers_of(scan, jax.checkpoint(experts, policy=policy)))
      assert count_lowered(function, *args) == once + again, policy
      assert_close(jax.jit(function)(*args), wanted)


@pytest.mark.parametrize("scan", [False, True], ids=["alone", "scan"])
@pytest.mark.parametrize("new", [False, True], ids=["remat2", "remat3"])
@pytest.mark.parametrize("offloaded, kept, copies", [
    (["jaxgemm_preact"], [], 2), (["mlpwi_1"], [], 2), (["mlpwi_0", "mlpwi_1"], [], 2),
    (["mlpwi_0"], ["mlpwi_1"], 0)], ids=str)
def test_one_copy_is_offloaded_and_read(rng, offloaded, kept, copies, new, scan):
  """Of both values before an activation, under whichever of their names; no product runs again."""
  policy = POLICIES.save_and_offload_only_these_names(
      names_which_can_be_saved=kept, names_which_can_be_offloaded=offloaded,
      offload_src="device", offload_dst="pinned_host")
  args = operands(rng)

  wanted = wide(gradient(layers_of(scan, experts_in_float64)), *args)
  with remat3(new):
    function = gradient(layers_of(scan, jax.checkpoint(experts, policy=policy)))
    assert str(jax.make_jaxpr(function)(*args)).count("MemorySpace.Host") == copies
    assert count_lowered(function, *args) == 12 + 1  # down gives the operand of a sine
    assert_close(jax.jit(function)(*args), wanted)


def test_the_name_decides_what_is_saved(rng, capsys):
  """Only arguments and values of this name are saved, in jit, and in shard_map."""
  args = operands(rng)
  kept = jax.checkpoint(experts, policy=names("jaxgemm_preact"))
  mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])
  shards = jax.shard_map(kept, mesh=mesh, in_specs=P(), out_specs=P())
  for function in kept, jax.jit(kept), shards:
    lines = saved(capsys, function, *args).splitlines()
    inside = [line.split()[0] for line in lines if "from the argument" not in line]
    assert sorted(x for x in inside if x.startswith("f32[")) == ["f32[43,12]", "f32[43,2,12]"]


@pytest.mark.parametrize("checkpointed", [False, True])
def test_an_activation_keeps_the_value_before_it_and_its_result(rng, capsys, checkpointed):
  """In the dtype of the result, and nothing that is computed on the way in float32."""
  x, gate_up, up, down = (each.astype(jnp.bfloat16) for each in operands(rng))

  def function(x, gate_up, up, down):
    hidden = jaxgemm.ragged_gated_linear_unit(x, gate_up, SIZES)
    x = jaxgemm.ragged_dot(hidden, down, SIZES)
    hidden = jaxgemm.matmul(x, up[0], activation="gelu")
    return jaxgemm.matmul(hidden, down[0]).astype(jnp.float32)

  if checkpointed:
    function = jax.checkpoint(function, policy=POLICIES.everything_saveable)
  lines = [line.split()[0] for line in saved(capsys, function, x, gate_up, up, down).splitlines()
           if "from the argument" not in line]
  large = sorted(line for line in lines if line.split("[")[1].startswith("43,"))
  assert large == ["bf16[43,12]"] * 3 + ["bf16[43,17]", "bf16[43,2,12]"]


def dense(a, b):
  return jaxgemm.matmul(jnp.sin(jaxgemm.matmul(a, b, activation="silu")), b)


def grouped(a, b):
  return jnp.sin(jaxgemm.ragged_dot(a, b, SIZES))


@pytest.mark.parametrize("product, a, b, axes, has_batch", [
    (dense, (12, 12), (12, 12), None, False),
    (dense, (3, 12, 12), (12, 12), (0, None), False),
    (dense, (3, 12, 12), (3, 12, 12), (0, 0), True),
    (grouped, (43, 9), (4, 9, 7), None, False),
    (grouped, (2, 43, 9), (4, 9, 7), (0, None), False),
    (grouped, (2, 43, 9), (2, 4, 9, 7), (0, 0), True),
    (dense, (1, 12, 12), (1, 12, 12), (0, 0), False),
])
def test_products_with_a_batch_may_be_left_out(rng, product, a, b, axes, has_batch):
  args = array(rng, *a), array(rng, *b)
  batched = (lambda f: f) if axes is None else (lambda f: jax.vmap(f, axes))
  plain = count_lowered(gradient(batched(product), (0, 1)), *args)
  again = [count_lowered(gradient(batched(jax.checkpoint(product, policy=policy)), (0, 1)), *args)
           - plain for policy in (None, ours.dots_saveable, ours.dots_with_no_batch_dims_saveable)]
  assert again == [1, 0, int(has_batch)]


def test_dense_and_grouped_products_are_saved_apart(rng):
  args = array(rng, 43, 12), array(rng, 12, 12), array(rng, 4, 12, 12)

  def both(x, a, b):
    x = jnp.sin(jaxgemm.matmul(x, a, activation="silu"))
    return jnp.sin(jaxgemm.ragged_dot(x, b, SIZES, activation="gelu"))

  def count(policy, primitive):
    function = gradient(jax.checkpoint(both, policy=policy), (0, 1, 2))
    return str(jax.make_jaxpr(function)(*args)).count(f" {primitive}[")

  policies = ours.dense_saveable, ours.grouped_saveable
  for i, primitive in enumerate(("jaxgemm_contract", "jaxgemm_ragged")):
    again = [count(policy, primitive) - count(ours.dots_saveable, primitive) for policy in policies]
    assert again == [i, 1 - i]


def test_a_policy_that_offloads(rng):
  """save_from_any_policy passes its decision on; jax's save_from_both_policies refuses it."""
  policy = POLICIES.save_and_offload_only_these_names(
      names_which_can_be_saved=[], names_which_can_be_offloaded=["mlpwo"],
      offload_src="device", offload_dst="pinned_host")
  combined = ours.save_from_any_policy(ours.grouped_saveable, policy)
  x = array(rng, 4, 5)

  def moves(which) -> int:
    """The transfers between the memory of the device and the host's."""
    function = jax.checkpoint(lambda x: jnp.sin(jax.ad_checkpoint.checkpoint_name(
        jnp.sin(x), "mlpwo")), policy=which)
    return str(jax.make_jaxpr(jax.grad(lambda x: function(x).sum()))(x)).count("device_put")

  assert moves(combined) == moves(policy) == 2
  assert moves(ours.grouped_saveable) == 0
  with pytest.raises(ValueError, match="should be a boolean"):
    moves(POLICIES.save_from_both_policies(ours.grouped_saveable, policy))


def by_blocks(a, b):
  a, b = (jaxgemm.quantize(x[None], "block", block=128) for x in (a, b.T))
  return jaxgemm.scaled_matmul(a.values, b.values, a.scales, b.scales)[0]


def chunked(a, b):
  return jaxgemm.chunked_matmul(a, b, jnp.ones(1, jnp.uint32), tiles_per_chunk_m=9)


def gathered(a, b):
  mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,),
                       devices=jax.devices()[:2])
  return jax.shard_map(
      functools.partial(jaxgemm.allgather_matmul, axis_name="i"), mesh=mesh,
      in_specs=(P("i"), P(None, "i")), out_specs=P(None, "i"))(a, b)


def by_xla(a, b):
  return jaxgemm.matmul(a, b, implementation="xla")


def grouped_by_xla(a, b):
  return jaxgemm.ragged_dot(a, b[None], jnp.array([9]), implementation="xla")


def jaxs_own(a, b):
  return jax.lax.ragged_dot(a, b[None], jnp.array([9]))


@pytest.mark.parametrize("product, primitive", [
    (by_blocks, "jaxgemm_scaled"), (chunked, "jaxgemm_chunked"), (gathered, "jaxgemm_ring"),
    (by_xla, "dot_general"),
    (grouped_by_xla, "ragged_dot_general"), (jaxs_own, "ragged_dot_general"),
    (jnp.matmul, "dot_general")])
def test_all_kinds_of_products_are_saved(rng, product, primitive):
  args = array(rng, 16, 256), array(rng, 256, 128)

  def count(policy):
    function = jax.checkpoint(lambda a, b: jnp.sin(product(a, b)), policy=policy)
    return str(jax.make_jaxpr(gradient(function, (0, 1)))(*args)).count(f" {primitive}[")

  for policy in (ours.dots_saveable, ours.dots_with_no_batch_dims_saveable):
    assert count(policy) == count(None) - 1


def test_results_of_8_bits_are_not_rounded(rng):
  """jax.checkpoint rounds what the forward pass reads, too, in a way that changes float8."""
  x, w = array(rng, 24, 16), array(rng, 16, 8)
  sums = (x @ w).ravel()
  w *= 440 / sums[jnp.abs(sums).argmax()]
  product = functools.partial(jaxgemm.matmul, activation="relu",
                              preferred_element_type=jnp.float8_e4m3fn)

  def loss(x, w):
    return 0.01 * (product(x, w).astype(jnp.float32) ** 2).sum()

  wanted = jax.grad(loss, (0, 1))(x, w)
  assert np.isfinite(wanted[0]).all() and (product(x, w).astype(jnp.float32) > 250).any()
  for policy in names("jaxgemm_preact"), ours.dots_saveable, POLICIES.everything_saveable:
    for new in False, True:
      with remat3(new):
        given = jax.jit(jax.grad(jax.checkpoint(loss, policy=policy), (0, 1)))(x, w)
      assert_close(given, wanted)


def test_second_derivatives(rng):
  """A derivative of a function that is checkpointed differentiates what runs again, too."""
  args, directions = operands(rng), operands(rng)
  second = lambda f: lambda *x: jax.jvp(gradient(f), x[:4], x[4:])
  wanted = wide(second(experts_in_float64), *args, *directions)
  for policy in names("jaxgemm_preact"), ours.dots_saveable:
    given = jax.jit(second(jax.checkpoint(experts, policy=policy)))(*args, *directions)
    assert_close(given, wanted, 1e-4)


def test_vmap_inside_and_outside(rng):
  x, *weights = operands(rng)
  x = jnp.stack([x, x[::-1]])
  wanted = gradient(jax.vmap(experts, (0, None, None, None)))(x, *weights)
  kept = jax.checkpoint(experts, policy=names("jaxgemm_preact"))
  inside = jax.checkpoint(jax.vmap(experts, (0, None, None, None)), policy=names("jaxgemm_preact"))
  for function in jax.vmap(kept, (0, None, None, None)), inside:
    assert_close(jax.jit(gradient(function))(x, *weights), wanted)
    assert count_lowered(gradient(function), x, *weights) == 13
