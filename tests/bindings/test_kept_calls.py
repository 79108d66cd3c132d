"""A CPU call that comes again is not checked again (ffi/bindings/kept_calls.cc): it must still be
taken for the right one, whatever ran before it."""

import concurrent.futures
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.bindings import test_handler

# JAX raises the one or the other, depending on when it sees the error.
REFUSED = (ValueError, jax.errors.JaxRuntimeError)


def operands(rng, m, n, k):
  """Small integers, whose products are exact."""
  return (rng.integers(-8, 9, (m, k)).astype(np.float32),
          rng.integers(-8, 9, (k, n)).astype(np.float32))


def test_more_products_than_are_kept_take_turns():
  # 125 products share the 64 places; in the second round each has been displaced by another.
  rng = np.random.default_rng(0)
  product = jax.jit(lambda x, y: jaxgemm.matmul(x, y, implementation="jaxgemm"))
  shapes = list(itertools.product([1, 3, 5, 8, 12], repeat=3))
  for _ in range(2):
    rng.shuffle(shapes)
    for m, n, k in shapes:
      x, y = operands(rng, m, n, k)
      np.testing.assert_array_equal(product(x, y), x.astype(np.float64) @ y, err_msg=f"{m}x{n}x{k}")


def test_products_of_one_shape_with_other_options_take_turns():
  rng = np.random.default_rng(1)
  bias = rng.integers(-8, 9, 9).astype(np.float32)
  options = {
      "plain": ({}, lambda z: z),
      "relu": (dict(activation="relu"), lambda z: np.maximum(z, 0)),
      "bias": (dict(bias=bias), lambda z: z + bias),
      "bfloat16": (dict(preferred_element_type=jnp.bfloat16),
                   lambda z: np.asarray(jnp.asarray(z, jnp.bfloat16), np.float64)),
      "portable": (dict(config=jaxgemm.GemmConfig(kernel="portable")), lambda z: z),
      "tile": (dict(config=jaxgemm.GemmConfig(tile_m=3, tile_n=4, tile_k=5)), lambda z: z),
  }
  programs = {
      name: jax.jit(lambda x, y, given=given: jaxgemm.matmul(
          x, y, implementation="jaxgemm", **given))
      for name, (given, _) in options.items()}
  for _ in range(3):
    for name, (_, want) in options.items():
      x, y = operands(rng, 8, 9, 11)
      np.testing.assert_array_equal(
          np.asarray(programs[name](x, y), np.float64), want(x.astype(np.float64) @ y),
          err_msg=name)


@pytest.mark.parametrize("change, message", [
    (dict(tile_m=0), "tile_m"), (dict(call_version=99), "version"),
    (dict(activation="tanh"), "tanh")])
def test_a_call_that_differs_in_one_attribute_is_refused(change, message):
  args, results, attrs, reference = test_handler.good_call()
  for _ in range(2):
    out = np.asarray(test_handler.call(args, results, attrs)[0])
    assert np.abs(out - reference).max() < 1e-5 * np.abs(reference).max()
    with pytest.raises(REFUSED, match=message):
      test_handler.call(args, results, {**attrs, **change})


def test_a_call_without_one_attribute_is_refused():
  args, results, attrs, _ = test_handler.good_call()
  test_handler.call(args, results, attrs)
  renamed = {("zero" if name == "pivot" else name): value for name, value in attrs.items()}
  with pytest.raises(REFUSED, match="is missing"):
    test_handler.call(args, results, renamed)


def test_threads_do_not_share_a_call():
  product = jax.jit(lambda x, y: jaxgemm.matmul(x, y, implementation="jaxgemm"))

  def check(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
      x, y = operands(rng, 6, 40, 30)
      np.testing.assert_array_equal(product(x, y), x.astype(np.float64) @ y)

  with concurrent.futures.ThreadPoolExecutor(4) as threads:
    for done in [threads.submit(check, seed) for seed in range(4)]:
      done.result()
