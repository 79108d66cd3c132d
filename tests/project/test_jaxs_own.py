"""JAX's own tests of products, run against jaxgemm's functions.

They are read from a checkout of jax at the installed version's tag, which the
environment variable JAX_CHECKOUT names. JAXGEMM_TEST_VIRTUAL_ROCM=gfx942 runs them on
virtual AMD GPUs. They are the tests with a product in their name; in the files on sharding and
export, tests with a product in their source are run, too.
"""

import functools
import importlib.util
import inspect
import os
import pathlib
import re
import traceback
import types
import unittest

import jax
from jax import lax
from jax._src.numpy import tensor_contractions
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm

CHECKOUT = os.environ.get("JAX_CHECKOUT")
MODULES = ("lax_test", "lax_autodiff_test", "lax_vmap_test", "shard_map_test",
           "pjit_test", "export_test")
OF_PRODUCTS = re.compile("dot|ragged|matmul", re.IGNORECASE)
OF_SHARDING = ("shard_map_test", "pjit_test", "export_test")
WITH_PRODUCTS = re.compile(r"\b(dot|matmul|dot_general|einsum|ragged_dot)\b|[\w)] @ [\w(]")

# Assertions on jax's own words in the text of a program. They come after the checks of results.
OF_TEXTS = ('assert "Precision.HIGHEST" in s', "self.assertRegex(hlo, expected)")


# jax.export takes no partitioning rule for several devices (docs/guides/limits.md).
EXPORTED_DOT_GENERAL, EXPORTED_MATMUL = (
    functools.partial(f, config=jaxgemm.GemmConfig(partition=False))
    for f in (jaxgemm.dot_general, jaxgemm.matmul))


class Instead(types.ModuleType):
  """A module in which the given names are replaced."""

  def __init__(self, module, **names):
    super().__init__(module.__name__)
    vars(self).update(names, module=module)

  def __getattr__(self, name):
    return getattr(self.module, name)


def dot(lhs, rhs, *, dimension_numbers=None, **options):
  """`jax.lax.dot` by `jaxgemm.dot_general`."""
  if dimension_numbers is None:
    dimension_numbers = ((np.ndim(lhs) - 1, 0), ((), ()))
  return jaxgemm.dot_general(lhs, rhs, dimension_numbers, **options)


def numpy_dot(a, b, **options):
  """`jax.numpy.dot` by `jaxgemm.matmul`, for shapes for which the two are the same."""
  same = {np.ndim(a), np.ndim(b)} <= {1, 2}
  return (jaxgemm.matmul if same else jnp.dot)(a, b, **options)


def with_ours(name: str):
  """A module of jax's tests that calls jaxgemm, which itself calls the real jax."""
  path = pathlib.Path(CHECKOUT, "tests", name + ".py")
  spec = importlib.util.spec_from_file_location(name, path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  module.lax = Instead(
      lax, dot=dot, dot_general=jaxgemm.dot_general, ragged_dot=jaxgemm.ragged_dot,
      ragged_dot_general=jaxgemm.ragged_dot_general)
  module.jnp = Instead(
      jnp, matmul=jaxgemm.matmul, dot=numpy_dot,
      einsum=functools.partial(jnp.einsum, _dot_general=jaxgemm.dot_general))
  module.jax = Instead(jax, lax=module.lax, numpy=module.jnp)
  if hasattr(module, "get_exported"):
    module.lax.dot_general, module.jnp.matmul = EXPORTED_DOT_GENERAL, EXPORTED_MATMUL
    # jax exports custom calls only where they are allowed.
    allowed = [jax.export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")]
    module.get_exported = functools.partial(module.get_exported, disabled_checks=allowed)
  return module


def but_for_texts(test):
  @functools.wraps(test)
  def run(*args, **kwargs):
    try:
      test(*args, **kwargs)
    except AssertionError as error:
      lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)]
      if not any(line in OF_TEXTS for line in lines):
        raise
  return run


def has_product(module, name: str, test) -> bool:
  if OF_PRODUCTS.search(name):
    return True
  if module.__name__ not in OF_SHARDING:
    return False
  test = inspect.unwrap(test)
  # absl's parameterized tests keep the function of which they are a case.
  test = next((x.cell_contents for x in test.__closure__ or ()
               if inspect.isfunction(x.cell_contents)), test)
  return bool(WITH_PRODUCTS.search(inspect.getsource(test)))


def of_products(module) -> dict[str, type]:
  """The module's test cases by name, with only their tests of products."""
  cases = {}
  for name, case in vars(module).items():
    if not (isinstance(case, type) and case.__module__ == module.__name__ and
            issubclass(case, unittest.TestCase)):
      continue
    tests = [test for test in dir(case) if test.startswith("test")]
    # pytest ignores a test that is None.
    changed = {test: but_for_texts(getattr(case, test))
               if has_product(module, f"{name}.{test}", getattr(case, test)) else None
               for test in tests}
    if any(changed.values()):
      cases[name] = type(case)(name, (case,), changed)
  return cases


@pytest.fixture(scope="module", autouse=True)
def compilation_cache():
  """Creates the compilation cache, because jax's tests fail if one of them creates it."""
  jax.jit(lambda x: x + 1)(0)


@pytest.fixture(autouse=True)
def matmul_operator(monkeypatch, request):
  """Makes a @ b call jaxgemm.matmul, too."""
  is_exported = request.cls is not None and "Export" in request.cls.__name__
  monkeypatch.setattr(tensor_contractions, "matmul",
                      EXPORTED_MATMUL if is_exported else jaxgemm.matmul)


if CHECKOUT is None:
  def test_jaxs_own():
    pytest.skip("JAX_CHECKOUT names no checkout of jax, whose tests would run here.")
else:
  for _name in MODULES:
    globals().update(of_products(with_ours(_name)))
