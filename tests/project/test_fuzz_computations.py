"""The fuzzers of computations (tests/support/fuzz/computations.py) find planted faults."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from jaxgemm import fp8, megablox
from tests.support.fuzz import (
  attack,
  collectives,
  computations,
  experts,
  grouped,
  recipes,
  scaled,
  transforms,
  virtual,
)
from tests.support.fuzz.outcome import Fault, first_fault


def replace(monkeypatch, where, name, change) -> None:
  """Puts change(right, *args, **given) in the place of a function."""
  monkeypatch.setattr(where, name, functools.partial(change, getattr(where, name)))


def only(monkeypatch, name: str) -> None:
  monkeypatch.setattr(grouped, "_CASES", tuple(x for x in grouped._CASES if x.name == name))
  assert grouped._CASES


def test_sizes_in_a_narrow_dtype_are_a_fault(monkeypatch):
  only(monkeypatch, "ragged_dot")
  # Integers of 8 bits wrap at 300 rows.
  replace(monkeypatch, jaxgemm, "ragged_dot", lambda right, lhs, rhs, sizes, **given: right(
      lhs, rhs, jnp.clip(sizes, 0, jnp.asarray(len(lhs)).astype(sizes.dtype)), **given))
  assert "elements are wrong" in first_fault(grouped.valid, 60, seed=2)


def test_an_offset_that_is_ignored_is_a_fault(monkeypatch):
  only(monkeypatch, "ragged_gated_linear_unit")
  replace(monkeypatch, jaxgemm, "ragged_gated_linear_unit",
          lambda right, *args, group_offset, **given: right(
              *args, group_offset=None if group_offset is None else 0 * group_offset, **given))
  assert "elements are wrong" in first_fault(grouped.valid, 60, seed=2)


def test_a_wrong_gradient_of_groups_is_a_fault(monkeypatch):
  only(monkeypatch, "ragged_dot")
  replace(monkeypatch, jaxgemm, "ragged_dot", lambda right, lhs, rhs, *args, **given: right(
      lhs, rhs.at[:1].set(jax.lax.stop_gradient(rhs[:1])), *args, **given))
  assert "the gradient of rhs" in first_fault(grouped.valid, 60, seed=2)


def test_lost_rows_of_existing_out_are_a_fault(monkeypatch):
  only(monkeypatch, "gmm, existing_out")
  replace(monkeypatch, megablox, "gmm", lambda right, *args, **given: right(
      *args[:6], None, **given))
  assert "elements are wrong" in first_fault(grouped.valid, 60, seed=2)


@pytest.mark.parametrize("module", [grouped, scaled, recipes, collectives, experts])
def test_a_wrong_argument_that_is_accepted_is_a_fault(module, monkeypatch):
  accepted = []

  def refused(words, names, call):
    accepted.append(words)
    return right(words, names, lambda: jnp.zeros(1))

  right = attack.refused
  monkeypatch.setattr(attack, "refused", refused)
  assert "is wrong, and it was accepted" in first_fault(module._refused, 1, seed=2) and accepted


@pytest.mark.parametrize("error, words", [
    (ValueError("something"), "does not name it"), (RuntimeError("lhs"), "it raised"),
    (jax.errors.JaxRuntimeError("lhs"), "it raised")])
def test_a_refusal_without_a_name_is_a_fault(error, words):
  def call():
    raise error

  with pytest.raises(Fault, match=words):
    attack.refused("a call", "lhs", call)
  with pytest.raises(Fault, match="is valid, and raised"):
    attack.computed("a call", call)


def test_a_lost_scale_is_a_fault(monkeypatch):
  replace(monkeypatch, jaxgemm, "scaled_matmul", lambda right, lhs, rhs, a, b, **given: right(
      lhs, rhs, a, b.at[..., -1:].set(1) if b.shape[-1] > 1 else b, **given)
      if isinstance(b, jax.Array) else right(lhs, rhs, a, _last_is_one(b), **given))
  assert "elements are wrong" in first_fault(scaled.scaled_matmul, 60, seed=2)


def _last_is_one(scales):
  scales = np.array(scales)
  scales[..., -1:] = 1
  return scales


@pytest.mark.parametrize("change, words", [
    (lambda out: out._replace(scales=out.scales * 0), "the scales are"),
    (lambda out: out._replace(values=jnp.nan_to_num(out.values)), "wrong"),
    (lambda out: out._replace(scales=out.scales * 2), "wrong"),
])
def test_a_wrong_quantized_array_is_a_fault(monkeypatch, change, words):
  replace(monkeypatch, jaxgemm, "quantize", lambda right, *args, **given: change(
      right(*args, **given)))
  assert words in first_fault(scaled._quantize, 60, seed=2)


@pytest.mark.parametrize("change, words", [
    (lambda out, state: (out, state._replace(scale=state.scale * 0)), "the scale is 0"),
    (lambda out, state: (out, state._replace(scale=state.scale * 4)), "the scale is"),
    (lambda out, state: (out, state._replace(history=state.history * 0.5)), "the history has"),
    (lambda out, state: (out._replace(scales=out.scales * 2), state), "elements are wrong"),
])
def test_a_wrong_state_is_a_fault(monkeypatch, change, words):
  right = fp8.Amax.quantize
  monkeypatch.setattr(fp8.Amax, "quantize", lambda self, x, dtype: change(*right(self, x, dtype)))
  recipes._step.cache_clear()
  jax.clear_caches()
  try:
    assert words in first_fault(recipes.states, 30, seed=2)
  finally:
    recipes._step.cache_clear()
    jax.clear_caches()


def test_a_wrong_recipe_is_a_fault(monkeypatch):
  replace(monkeypatch, fp8, "dot_general", lambda right, x, w, *args, **given: right(
      x, w, *args, **given) * 8)
  assert " of fp8.dot_general(" in first_fault(recipes.training, 30, seed=2)


def test_a_ring_in_the_order_of_the_mesh_is_a_fault(monkeypatch):
  def sorted_axes(right, lhs, rhs, axis_name, **given):
    if isinstance(axis_name, tuple):
      axis_name = tuple(sorted(axis_name))
    return right(lhs, rhs, axis_name, **given)

  for name in ("allgather_matmul", "matmul_reduce_scatter"):
    replace(monkeypatch, jaxgemm, name, sorted_axes)
  assert "wrong" in first_fault(collectives.valid, 40, seed=2)


def test_a_wrong_gradient_of_a_collective_is_a_fault(monkeypatch):
  for name in ("allgather_matmul", "matmul_reduce_scatter"):
    replace(monkeypatch, jaxgemm, name, lambda right, lhs, rhs, *args, **given: right(
        lhs, rhs.astype(jnp.float32).astype(rhs.dtype) if rhs.dtype == jnp.int8 else
        jax.lax.stop_gradient(rhs), *args, **given))
  assert "gradients of" in first_fault(collectives.valid, 40, seed=2)


def test_a_wrong_mixture_is_a_fault(monkeypatch):
  compare, seen = experts._compare, []
  monkeypatch.setattr(experts, "_compare", lambda *given: seen.append(given))
  structure = experts._structure(5)
  assert structure.options == {"top_k": 3, "activation": "silu", "dtype": "float32"}
  monkeypatch.setattr(experts, "_structure", lambda number: structure)
  experts.valid(np.random.default_rng(0))
  *given, out, (d_x, d_params), stats = seen[0]
  compare(*given, out, (d_x, d_params), stats)
  for wrong, words in (
      ((out.at[:1].set(0), (d_x, d_params), stats), "the result"),
      ((out, (d_x.at[:1].add(1), d_params), stats), "the gradient of x"),
      ((out, (d_x, d_params._replace(router=d_params.router + 1)), stats),
       "the gradient of the parameters"),
      ((out, (d_x, d_params),
        stats._replace(tokens_per_expert=stats.tokens_per_expert + 1)), "tokens_per_expert"),
      ((out, (d_x, d_params), stats._replace(experts=(stats.experts + 1) % experts.E)), "moe")):
    with pytest.raises(Fault, match=words):
      compare(*given, *wrong)


def test_a_wrong_transformation_is_a_fault(monkeypatch):
  @jax.custom_jvp
  def product(x, y):
    return x @ y

  @product.defjvp
  def _(primals, tangents):
    (x, y), (dx, dy) = primals, tangents
    return x @ y, dx @ y + 1.5 * (x @ dy)

  wrong = transforms.Product("a product", lambda _, x, y: product(x, y), lambda x, y: x @ y,
                             ((10, 8), (8, 6)))
  monkeypatch.setattr(transforms, "_PRODUCTS", (wrong,))
  assert "is wrong" in first_fault(transforms.run, 10, seed=2)
  right = wrong._replace(ours=lambda _, x, y: x @ y)
  monkeypatch.setattr(transforms, "_PRODUCTS", (right,))
  assert first_fault(transforms.run, 3, seed=2) == "no fault"


@pytest.mark.parametrize("module", [computations, virtual])
def test_a_fault_of_a_part_is_one_of_the_whole(monkeypatch, module):
  def fail(right, *args, **given):
    raise RuntimeError("planted")

  replace(monkeypatch, attack, "computed", lambda right, words, call, *rest: right(
      words, functools.partial(fail, call), *rest))
  assert "planted" in first_fault(module.run, 20, seed=2)
