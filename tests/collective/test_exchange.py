"""Exchanges between devices that products run beside, against float64.

The forms of the CPU run here; exchange_programs.py has the custom calls, on virtual AMD GPUs.
"""

import functools
import itertools

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P
import numpy as np
import pytest

from jaxgemm import _ffi
from jaxgemm.collective import copies, exchange
from tests.collective.test_collective_matmul import assert_close, exact
from tests.emulator.test_virtual_rocm import check_programs
from tests.support.virtual_rocm import needs_plugin, run

FORMS = [dict(scatters=scatters, with_own=with_own)
         for scatters, with_own in itertools.product((False, True), repeat=2)]
D = 4


def make_mesh(count=D):
  return jax.make_mesh((count,), ("y",), axis_types=(AxisType.Auto,),
                       devices=jax.devices()[:count])


def senders(count, scatters, with_own):
  """Of the blocks that each device receives: which devices send them, and which blocks they are."""
  steps = np.arange(0 if with_own else 1, count)
  sign = -1 if scatters else 1
  return (np.arange(count)[:, None] + sign * steps) % count, np.arange(len(steps))


def received(xs, scatters, with_own):
  """What all devices receive, from the x of all."""
  devices, blocks = senders(len(xs), scatters, with_own)
  return xs[devices, blocks[None]] if scatters else xs[devices]


def shape(scatters, with_own, count=D, block=(3, 5)):
  """The shape of the x of all devices."""
  return (count, *((count - 1 + with_own,) if scatters else ()), *block)


def one_device(x, w, numbers, *, axis="y", **form):
  """Work beside an exchange, and on what it brings. It is not linear."""
  started, numbers, w = exchange.start(x, numbers, w, axis_name=axis, **form)
  y = jnp.sin(x * w) * numbers.sum()
  blocks, y = exchange.done(started, y)
  return jnp.cos(blocks * w), y


def all_devices(xs, w, numbers, **form):
  """The same by one device, for the x of all."""
  return jnp.cos(received(xs, **form) * w), jnp.sin(xs * w) * numbers.sum()


def mapped(f, mesh=None, check_vma=True):
  """The function of the x of all devices, from that of one device's."""
  def body(x, *arrays):
    return jax.tree.map(lambda y: y[None], f(x[0], *arrays))

  return jax.shard_map(body, mesh=mesh or make_mesh(), in_specs=(P("y"), P(), P()),
                       out_specs=P("y"), check_vma=check_vma)


def _vmapped(f):
  def g(x, w, numbers):
    outs = jax.vmap(lambda k: f(x * k, w, numbers))(jnp.array([1.0, -2.0], x.dtype))
    return jax.tree.map(lambda y: y.sum(0), outs)
  return g


def _scanned(f):
  def g(x, w, numbers):
    step = lambda w, k: (w * k, f(x * k, w, numbers))
    outs = lax.scan(step, w, jnp.array([1.0, -2.0, 0.5], x.dtype))[1]
    return jax.tree.map(lambda y: y.sum(0), outs)
  return g


def _branched(f):
  return lambda x, w, numbers: lax.cond(
      w[0] < 1e9, lambda x, w: f(x, w, numbers),
      lambda x, w: jax.tree.map(jnp.negative, f(x, w, numbers)), x, w)


# Each is of a function of one device, or of all.
TRANSFORMS = {
    "plain": lambda f: f, "vmap": _vmapped, "scan": _scanned, "cond": _branched,
    "checkpoint": jax.checkpoint, "jit": jax.jit,
    "checkpoint that saves all": functools.partial(
        jax.checkpoint, policy=jax.checkpoint_policies.everything_saveable),
    "checkpoint of scan": lambda f: jax.checkpoint(_scanned(f), prevent_cse=False)}


def gradients(f, numbers):
  loss = lambda *x: sum((y ** 2).sum() for y in f(*x, numbers))
  return jax.grad(loss, (0, 1))


def arrays(rng, form):
  return (jnp.asarray(rng.standard_normal(shape(**form)), jnp.float32),
          jnp.asarray(rng.standard_normal(5), jnp.float32), jnp.asarray(rng.integers(1, 4, 3)))


def check(rng, form, transform, check_vma=True):
  """Compares an exchange and its gradients with float64."""
  x, w, numbers = arrays(rng, form)
  f = mapped(transform(functools.partial(one_device, **form)), check_vma=check_vma)
  g = transform(functools.partial(all_devices, **form))
  assert_close(jax.jit(f)(x, w, numbers), exact(g, x, w, numbers))
  given = jax.jit(gradients(f, numbers))(x, w)
  assert_close(given, exact(lambda *x: gradients(g, numbers)(*x), x, w), 1e-4)
  return f


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("check_vma", [True, False])
def test_values_and_gradients(rng, form, name, check_vma):
  check(rng, form, TRANSFORMS[name], check_vma)


def check_second_derivatives(rng, form):
  x, w, numbers = arrays(rng, form)
  f, g = mapped(functools.partial(one_device, **form)), functools.partial(all_devices, **form)
  loss = lambda f: lambda *x: sum((y ** 2).sum() for y in f(*x, numbers))
  of = lambda f, outer, inner: outer(inner(loss(f), (0, 1)), (0, 1))
  wanted = exact(of(g, jax.jacfwd, jax.grad), x, w)
  for outer, inner in ((jax.jacfwd, jax.grad), (jax.jacrev, jax.grad), (jax.jacrev, jax.jacfwd)):
    assert_close(jax.jit(of(f, outer, inner))(x, w), wanted, 1e-4)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_second_derivatives_in_every_mode(rng, form):
  check_second_derivatives(rng, form)


def two_in_flight(x, w, numbers):
  """The second starts before the first is done; the dones come in the other order."""
  first, w = exchange.start(x, w, axis_name="y")
  second, numbers = exchange.start(jnp.stack([x * w] * (D - 1)), numbers, axis_name="y",
                                   scatters=True)
  y = jnp.sin(x) * numbers.sum()
  blocks, y = exchange.done(second, y)
  others, y, blocks = exchange.done(first, y, blocks)
  return blocks, others * w, y


def check_two_in_flight(rng):
  x, w, numbers = arrays(rng, FORMS[0])

  def g(xs, w, numbers):
    sent = jnp.stack([xs * w] * (D - 1), 1)
    return (received(sent, True, False), received(xs, False, False) * w,
            jnp.sin(xs) * numbers.sum())

  f = mapped(two_in_flight)
  assert_close(jax.jit(f)(x, w, numbers), exact(g, x, w, numbers))
  given = jax.jit(gradients(f, numbers))(x, w)
  assert_close(given, exact(lambda *x: gradients(g, numbers)(*x), x, w), 1e-4)
  return f, (x, w, numbers)


def test_two_in_flight(rng):
  check_two_in_flight(rng)


@pytest.mark.parametrize("axes", [("y",), ("x", "y"), ("y", "x"), ("x",)])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_along_any_axes(rng, axes, form):
  mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
  count = int(np.prod([mesh.shape[a] for a in axes]))
  x = np.asarray(rng.integers(-99, 99, (8, *shape(count=count, **form)[1:])), np.int16)

  def body(x):
    return exchange.done(exchange.start(x[0], axis_name=axes, **form)[0])[0][None]

  out = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P(("x", "y")), out_specs=P(("x", "y"))))(x)
  # The devices of each group, in the order of the axes that were given.
  others = [a for a in ("x", "y") if a not in axes]
  order = [("x", "y").index(a) for a in (*others, *axes)]
  for group in np.arange(8).reshape(2, 4).transpose(order).reshape(-1, count):
    np.testing.assert_array_equal(np.asarray(out)[group], received(x[group], **form))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_one_device_and_empty_arrays(rng, form):
  x, w, numbers = arrays(rng, form)
  one = jnp.asarray(rng.standard_normal(shape(count=1, **form)), jnp.float32)
  f = jax.jit(mapped(functools.partial(one_device, **form), make_mesh(1)))
  wanted = exact(functools.partial(all_devices, **form), one, w, numbers)
  assert [y.shape for y in wanted] == [y.shape for y in f(one, w, numbers)]
  for given, expected in zip(f(one, w, numbers), wanted):
    np.testing.assert_allclose(given, expected, 2e-5, 2e-5)
  assert "collective_permute" not in f.lower(one, w, numbers).as_text()
  f = jax.jit(mapped(functools.partial(one_device, **form)))
  empty = f(x[..., :0], w[:0], numbers)
  assert [y.shape for y in empty] == [
      y.shape for y in all_devices(x[..., :0], w[:0], numbers, **form)]


def test_a_program_has_one_transfer_for_each_other_device(rng):
  x, w, numbers = arrays(rng, FORMS[0])
  f = mapped(functools.partial(one_device, **FORMS[0]))
  for g, count in ((f, D - 1), (gradients(f, numbers), 2 * (D - 1))):
    text = jax.jit(g).lower(x, w, *([numbers] if g is f else [])).as_text()
    assert text.count("stablehlo.collective_permute") == count
    assert "all_gather" not in text


def _count(jaxpr, counts):
  for eqn in jaxpr.eqns:
    if eqn.params.get("form") is not None:
      counts[eqn.primitive.name] = counts.get(eqn.primitive.name, 0) + 1
    for inner in jax.tree.leaves(list(eqn.params.values()), is_leaf=lambda x: hasattr(x, "eqns")):
      if hasattr(inner := getattr(inner, "jaxpr", inner), "eqns"):
        _count(inner, counts)
  return counts


def test_no_start_is_left_without_its_done(rng):
  """The recomputed forward pass needs what goes through a start, and not its blocks."""
  x, w, numbers = arrays(rng, FORMS[0])

  @jax.checkpoint
  def f(x, w, numbers):
    started, w, numbers = exchange.start(x, w, numbers, axis_name="y")
    blocks, y = exchange.done(started, jnp.sin(jnp.sin(w * x)))
    return blocks, y * numbers.sum()

  g = jax.jit(gradients(mapped(f), numbers))
  counts = _count(jax.make_jaxpr(g)(x, w).jaxpr, {})
  assert counts == {"jaxgemm_exchange_start": 2, "jaxgemm_exchange_done": 2}
  whole = lambda x, w, numbers: (received(x, False, False),
                                 jnp.sin(jnp.sin(w * x)) * numbers.sum())
  assert_close(g(x, w), exact(lambda *x: gradients(whole, numbers)(*x), x, w))


def test_why_not(monkeypatch):
  form = exchange.Form("y", "all", False)
  reason = lambda blocks, platform, mesh=None: exchange.why_not(
      np.zeros(blocks), form, mesh or make_mesh(), ("y",), platform)
  assert "cpu has no copy engines" in reason((3, 2), "cpu")
  assert reason((3, 0), "cuda") == "the blocks are empty"
  assert "the mesh is abstract" in reason((3, 2), "rocm", make_mesh().abstract_mesh)
  monkeypatch.setattr(_ffi, "PEER_COPIES", False)
  assert reason((3, 2), "rocm") == "JAXGEMM_PEER_COPIES is 0"
  assert copies.groups("y", make_mesh(), ("y",))[1] == "JAXGEMM_PEER_COPIES is 0"


def test_a_wrong_number_of_blocks_is_refused(rng):
  x, w, numbers = arrays(rng, FORMS[0])
  with pytest.raises(ValueError, match=r"\(3, 5\); with 4 devices along 'y' its first.*to be 4,"):
    mapped(functools.partial(one_device, scatters=True, with_own=True))(x, w, numbers)


def test_blocks_of_bfloat16_are_summed_in_float32():
  """The cotangent of an array that went to 7 devices has one rounding."""
  x = jnp.ones((8, 16), jnp.bfloat16)
  scale = jnp.asarray(1 + 2.0**-7 * np.arange(7), jnp.bfloat16)[:, None]

  def body(x):
    blocks, = exchange.done(exchange.start(x[0], axis_name="y", scatters=False)[0])
    return (blocks * scale).astype(jnp.float32).sum()[None]

  f = jax.shard_map(body, mesh=make_mesh(8), in_specs=P("y"), out_specs=P("y"))
  gradient = jax.grad(lambda x: f(x).sum())(x)
  wanted = np.float64(scale).sum().astype(jnp.bfloat16)
  assert wanted != functools.reduce(jnp.add, scale.reshape(-1))
  np.testing.assert_array_equal(np.asarray(gradient), np.full((8, 16), wanted))


# -------------------------------------------------------------------- on virtual devices


def check_virtual(*names, options=(), **environment):
  check_programs(*names, of="tests.collective.exchange_programs",
                 options=[f"--devices={D}", *options], **environment)


@needs_plugin
def test_copies_between_four_devices():
  check_virtual("values", "transforms", "in_flight", "second_derivatives", "switched_off",
                options=["--stream-seed=3", "--most-delay-us=200"])


@needs_plugin
@pytest.mark.parametrize("fuses", ["false", "true"])
def test_programs_with_slices_and_without_copies(fuses):
  check_virtual("no_copies", "sliced",
                XLA_FLAGS=f"--xla_gpu_enable_dynamic_slice_fusion={fuses}")


@needs_plugin
def test_exchanges_on_late_streams_of_late_devices():
  check_virtual("late", "unwaited", options=["--stream-seed=11", "--most-delay-us=2000"])


@needs_plugin
@pytest.mark.whole
@pytest.mark.parametrize("seed", [1, 2])
def test_ten_thousand_exchanges(seed):
  done = run(f"--devices={D}", f"--stream-seed={seed}", "--most-delay-us=200", "-m",
             "tests.collective.exchange_programs", "very_late", timeout=3000)
  assert "very_late is right" in done.stdout, done.stdout + done.stderr


@needs_plugin
def test_errors_of_calls():
  check_virtual("time_limit", "broken_calls", "apart")
