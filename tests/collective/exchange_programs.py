"""Exchanges by copy engines, as programs that test_exchange.py runs on four virtual ROCm devices:

    python -m jaxgemm.emulator.rocm --devices=4 -m tests.collective.exchange_programs NAME...
"""

import functools
import sys

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

import jaxgemm
from jaxgemm import _ffi
from jaxgemm.collective import copies, exchange
from tests.collective import test_exchange as cases
from tests.collective.test_exchange import FORMS, TRANSFORMS, D

RNG = np.random.default_rng(0)


def values():
  for form in FORMS:
    f = cases.check(RNG, form, TRANSFORMS["plain"])
    text = jax.jit(f).lower(*cases.arrays(RNG, form)).as_text()
    assert text.count("@jaxgemm_exchange_start(") == text.count("@jaxgemm_exchange_done(") == 1
    assert "collective_permute" not in text


def transforms():
  for i, name in enumerate(TRANSFORMS):
    cases.check(RNG, FORMS[i % len(FORMS)], TRANSFORMS[name], check_vma=i % 2 == 0)


def in_flight():
  f, arrays = cases.check_two_in_flight(RNG)
  text = jax.jit(f).lower(*arrays).as_text()
  assert text.count("@jaxgemm_exchange_start(") == text.count("@jaxgemm_exchange_done(") == 2


def second_derivatives():
  cases.check_second_derivatives(RNG, FORMS[1])


def switched_off():
  _ffi.PEER_COPIES = False
  f = cases.check(RNG, FORMS[0], TRANSFORMS["plain"])
  text = jax.jit(f).lower(*cases.arrays(RNG, FORMS[0])).as_text()
  assert "jaxgemm_exchange" not in text and "collective_permute" in text
  _ffi.PEER_COPIES = True


def sliced():
  """What is sent, passed through and received are slices of larger arrays."""
  # XLA may fuse slices that are aligned as its allocations are into a call, and run it twice.
  x = RNG.integers(0, 99, (D, 5, 6, 64)).astype(np.int32)

  def body(x, k, _):
    def step(total, i):
      part = lax.dynamic_index_in_dim(x, i, keepdims=False)
      started, k_i = exchange.start(part[1:4], lax.dynamic_slice_in_dim(k, i, 1), axis_name="y")
      blocks, last = exchange.done(started, part[4:])
      return total.at[:, i].set(blocks[:, :2] * k_i), last

    total = jnp.zeros((D - 1, 5, 2, 64), x.dtype)
    total, last = lax.scan(step, total, jnp.arange(5))
    return total, last

  total, last = jax.jit(cases.mapped(body, check_vma=False))(x, np.arange(5, dtype=np.int32), 0)
  np.testing.assert_array_equal(np.asarray(last), x[:, :, 4:])
  wanted = cases.received(x[:, :, 1:3], False, False) * np.arange(5)[:, None, None]
  np.testing.assert_array_equal(np.asarray(total), wanted)


def _beside_products(x, w, sizes):
  """Rows go to all devices while the own ones are multiplied; sums come back likewise."""
  x = jnp.tanh(x)
  started, sizes = exchange.start(x, sizes * 2, axis_name="y")
  own = jaxgemm.ragged_dot(x, w, sizes, implementation="jaxgemm")
  others, own = exchange.done(started, own)
  parts = jaxgemm.ragged_dot(others.reshape(-1, x.shape[-1]), w, sizes, implementation="jaxgemm")
  started, w = exchange.start(parts.reshape(D - 1, *own.shape), w, axis_name="y", scatters=True)
  own = jaxgemm.ragged_dot(own, w, sizes, implementation="jaxgemm")
  parts, own = exchange.done(started, own)
  return own + parts.sum(0)


def no_copies():
  """What passes through a start or a done stays in its memory."""
  x = jnp.asarray(RNG.standard_normal((D, 64, 64)), jnp.bfloat16)
  w = jnp.asarray(RNG.standard_normal((2, 64, 64)), jnp.bfloat16)
  f = cases.mapped(lambda x, w, sizes: _beside_products(x, w * 2, sizes))
  text = jax.jit(f).lower(x, w, jnp.array([20, 12])).compile().as_text()
  assert text.count('custom_call_target="jaxgemm_exchange_start"') == 2
  assert " copy(" not in text and " copy-start(" not in text, text


def _steps(count: int, length: int):
  """Runs `count` programs of `length` steps with two exchanges each. No device is ever in step."""
  def step(x, k):
    # Each device comes late by another time: its host thread waits for the end of each round.
    rounds = (lax.axis_index("y") * 7 + k) % 5
    x = lax.fori_loop(0, rounds, lambda _, x: x + 1, x) - rounds
    first, k = exchange.start(x, k, axis_name="y")
    second, k = exchange.start(jnp.stack([x * s for s in range(1, D + 1)]), k, axis_name="y",
                               scatters=True, with_own=True)
    y = x * 2 + k
    blocks, y = exchange.done(second, y)
    others, y = exchange.done(first, y)
    return (y + others.sum(0) + blocks.sum(0)) % 1009, None

  def local(x, k, _):
    return lax.scan(step, x, jnp.arange(length) + k)[0]

  f = jax.jit(cases.mapped(local, check_vma=False))
  for i in range(count):
    x = RNG.integers(0, 1009, (D, 33)).astype(np.int32)
    out = f(x, jnp.int32(i), 0)
    for k in range(i, i + length):
      sent = np.stack([x * s for s in range(1, D + 1)], 1)
      others, blocks = cases.received(x, False, False), cases.received(sent, True, True)
      x = (x * 2 + k + others.sum(1) + blocks.sum(1)) % 1009
    np.testing.assert_array_equal(np.asarray(out), x)


def late():
  _steps(10, 10)


def very_late():
  _steps(100, 50)


def unwaited():
  """If something reads the blocks before the done, XLA moves them, and the done says so."""
  x = RNG.integers(1, 9, (D, 64)).astype(np.float32)

  def body(x, w, _):
    started, w = exchange.start(x * w, w, axis_name="y")
    early = started.received + w[0]
    return early, exchange.done(started, early)[0]

  said = error_of(jax.jit(cases.mapped(body)), x, np.ones(64, np.float32), 0)
  assert "these blocks have no start in this run, or XLA has moved them since" in said, said
  check_that_all_works()


def error_of(f, *arrays) -> str:
  try:
    jax.block_until_ready(f(*arrays))
  except (jax.errors.JaxRuntimeError, ValueError) as error:
    return str(error)
  raise AssertionError("there was no error")


def check_that_all_works():
  cases.check(RNG, FORMS[3], TRANSFORMS["plain"])


def time_limit():
  """One device does not call. The others' calls end, and later programs run."""
  copies.TIMEOUT_NS, before = 300 * 10**6, copies.TIMEOUT_NS

  def body(x, w, numbers):
    both = functools.partial(cases.one_device, **FORMS[1])
    return lax.cond(lax.axis_index("y") == 2, lambda: jax.tree.map(
        lambda y: jnp.zeros(y.shape, y.dtype), jax.eval_shape(lambda: both(x, w, numbers))),
                    lambda: both(x, w, numbers))

  f = jax.jit(cases.mapped(body, check_vma=False))
  arrays = cases.arrays(RNG, FORMS[1])
  for _ in range(2):
    said = error_of(f, *arrays)
    assert "device 2 of the 4 along the axis did not come within 300 ms" in said, said
    assert "JAXGEMM_PEER_COPIES=0" in said, said
    check_that_all_works()
  copies.TIMEOUT_NS = before


def _start(x, blocks=None, **attributes):
  blocks = jax.ShapeDtypeStruct((D - 1, *x.shape), x.dtype) if blocks is None else blocks
  given = dict(devices="0 1 2 3", sends="all", with_own=np.int64(0), timeout_ns=np.int64(10**9))
  return jax.ffi.ffi_call(exchange.START_TARGET, (blocks,))(x, **given | attributes)


def _done(received, x, *before, **attributes):
  return jax.ffi.ffi_call(
      exchange.DONE_TARGET, (received, *before),
      input_output_aliases={i: i for i in range(1 + len(before))})(
          received, *before, x, **dict(timeout_ns=np.int64(10**9)) | attributes)


def broken_calls():
  x = jnp.asarray(RNG.standard_normal((D, 8)), jnp.float32)
  f32 = functools.partial(jax.ShapeDtypeStruct, dtype=jnp.float32)
  w = jnp.ones(8)

  def fails(body, *parts):
    mapped = jax.jit(cases.mapped(lambda x, w, _: body(x * w), check_vma=False))
    said = error_of(mapped, x, w, 0)
    for part in parts:
      assert part in said, f"{part!r} is not in {said}"
    check_that_all_works()

  whole = lambda x, **given: _done(_start(x, **given)[0], x)
  fails(lambda x: _done(jnp.stack([x] * 3), x), "these blocks have no start in this run")
  fails(lambda x: _done(_start(x)[0], x + 1), "XLA has moved x since the start")
  fails(lambda x: whole(x, devices="4 5;6 7"), "is none of '4 5;6 7'")
  fails(lambda x: whole(x, devices="0 x"), "are not groups of numbers")
  fails(lambda x: whole(x, sends="some"), "sends='some' and with_own=0; allowed are all, after")
  fails(lambda x: whole(x, with_own=np.int64(2)), "with_own=2; allowed are")
  fails(lambda x: whole(x, timeout_ns=np.int64(0)), "timeout_ns=0; 1 to")
  fails(lambda x: whole(x, blocks=f32((4, 8))), "with 4 devices received must have 3 blocks")
  fails(lambda x: whole(x, blocks=f32((3, 9))), "must have 3 blocks of one type and shape")
  fails(lambda x: whole(x, blocks=jax.ShapeDtypeStruct((3, 8), jnp.int32)), "of one type")
  fails(lambda x: whole(x, sends="after"), "must have 3 blocks")
  fails(lambda x: jax.ffi.ffi_call(exchange.START_TARGET, (f32((3, 8)), f32((8,))))(
      x, devices="0 1 2 3", sends="all", with_own=np.int64(0), timeout_ns=np.int64(10**9))[0],
        "it must have the operand x and the result received")
  fails(lambda x: _done(_start(x)[0], x, timeout_ns=np.int64(-1)), "timeout_ns=-1; 1 to")
  fails(lambda x: jax.ffi.ffi_call(exchange.DONE_TARGET, (f32((3, 8)),))(
      _start(x)[0], timeout_ns=np.int64(1)), "an operand for each result, and x")
  # The memory of the blocks is that of the step before, whose start has no done.
  fails(lambda x: lax.scan(lambda x, _: (x + _start(x)[0][0], None), x, length=3)[0],
        "the blocks of an earlier start in this memory have no done")


def apart():
  """Only within one function and one step of a loop can a done see its start."""
  x, w, numbers = cases.arrays(RNG, FORMS[0])

  def body(x, w, _):
    started, w = exchange.start(x * w, w, axis_name="y")
    step = lambda w, _: (w, exchange.done(started, w)[0])
    return lax.scan(step, w, length=2)[1]

  said = error_of(jax.jit(cases.mapped(body, check_vma=False)), x, w, numbers)
  assert "does not see its start" in said and "in the same function" in said, said


if __name__ == "__main__":
  for name in sys.argv[1:]:
    globals()[name]()
    print(name, "is right", flush=True)
