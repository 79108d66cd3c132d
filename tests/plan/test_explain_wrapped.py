"""explain and tune of functions that other packages have wrapped."""

import functools

from flax import linen, nnx
import jax
import jax.numpy as jnp
import pytest

import jaxgemm
from jaxgemm.explain import program

S = functools.partial(jax.ShapeDtypeStruct, dtype=jnp.float32)
X = S((24, 16))
PRODUCT = ["float32[24,16]", "float32[16,32]"]


def products(function, *args, **kwargs):
  """The operands of each product that explain lists. tune finds as many."""
  calls = jaxgemm.explain(function, *args, **kwargs).data["calls"]
  found = list(program.calls(program.trace(function, args, kwargs)))
  assert len(found) == sum(call["count"] for call in calls)
  return [call["operands"] for call in calls]


class Model(nnx.Module):

  def __init__(self, rngs):
    self.layer = nnx.Linear(16, 32, rngs=rngs, dot_general=jaxgemm.dot_general)
    self.norm = nnx.BatchNorm(32, rngs=rngs)  # it changes its state

  def __call__(self, x):
    return self.norm(self.layer(x))

  @nnx.jit
  def jitted(self, x):
    return self(x)


@nnx.jit
def train(model, x):
  return nnx.value_and_grad(lambda model: (model(x)**2).sum())(model)


@pytest.mark.parametrize("x", [X, jnp.ones(X.shape)], ids=["shape", "array"])
def test_nnx(x):
  model = Model(nnx.Rngs(0))
  shapes = nnx.eval_shape(lambda: Model(nnx.Rngs(0)))
  for called in (model, shapes):
    assert products(nnx.jit(lambda model, x: model(x)), called, x) == [PRODUCT]
    assert products(lambda model, x: model(x), called, x) == [PRODUCT]
    assert products(called, x) == [PRODUCT]
    assert products(called.jitted, x) == [PRODUCT]
    forward, _ = products(train, called, x)
    assert forward == PRODUCT


class Linen(linen.Module):

  @linen.compact
  def __call__(self, x, train=False):
    x = linen.Dense(32, dot_general=jaxgemm.dot_general)(x)
    return linen.Dropout(0.5, deterministic=not train)(x)

  @linen.compact
  def encode(self, x):
    return linen.Dense(32, dot_general=jaxgemm.dot_general)(x)


def test_linen():
  model = Linen()
  variables = jax.eval_shape(model.init, jax.random.key(0), X)
  key = jax.random.key(1)
  assert products(model.apply, variables, X) == [PRODUCT]
  assert products(model.apply, variables, X, train=True, rngs={"dropout": key},
                  mutable=["batch_stats"]) == [PRODUCT]
  assert products(model.apply, variables, X, method="encode") == [PRODUCT]
  assert products(functools.partial(model.apply, method=Linen.encode), variables, X) == [PRODUCT]
  assert products(jax.jit(model.apply, static_argnames="train"), variables, X,
                  train=False) == [PRODUCT]
  assert products(model.init, key, X) == [PRODUCT]


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w", "activation"],
                   meta_fields=[])
class Equinox:
  """As a module of equinox: a pytree, and functions are leaves of it."""

  def __init__(self, w, activation):
    self.w, self.activation = w, activation

  def __call__(self, x):
    return self.activation(jaxgemm.matmul(x, self.w))


class FilterJit:
  """As the result of `equinox.filter_jit`: what is no array is static, and it has no trace."""

  def __init__(self, function):
    self.function = function

  def __call__(self, *args):
    leaves, tree = jax.tree.flatten(args)
    is_array = [isinstance(x, jax.Array) for x in leaves]

    @jax.jit
    def filtered(*arrays):
      turn = iter(arrays)
      merged = [next(turn) if array else x for array, x in zip(is_array, leaves)]
      return self.function(*jax.tree.unflatten(tree, merged))

    return filtered(*(x for array, x in zip(is_array, leaves) if array))

  def lower(self, *args):
    raise NotImplementedError


def test_equinox():
  model = Equinox(S((16, 32)), jax.nn.relu)
  assert products(FilterJit(lambda model, x: model(x)), model, X) == [PRODUCT]
  assert products(model, X) == [PRODUCT]
  assert products(lambda model, x: model(x), model, X) == [PRODUCT]


class OfJax:

  @functools.partial(jax.jit, static_argnums=0)
  def method(self, x):
    return jaxgemm.matmul(x, x.T)

  def trace(self):
    """No trace of jax."""

  def __call__(self, x, power, *, twice):
    return jaxgemm.matmul(x, x.T) ** power if twice else x


def test_methods_and_arguments_that_are_no_arrays():
  for found in (products(OfJax().method, X), products(OfJax(), X, 2, twice=True)):
    (lhs, _), = found
    assert lhs == "float32[24,16]"
  assert products(OfJax(), X, 2, twice=False) == []


def test_what_is_no_function(tmp_path):
  for call in (lambda: jaxgemm.tune(X, X, path=tmp_path / "x.json"), lambda: program.trace(3)):
    with pytest.raises(TypeError, match="in the place of a function. Pass a function"):
      call()
