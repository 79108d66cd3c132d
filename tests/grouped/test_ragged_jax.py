"""JAX's own tests of ragged products, run against ours.

They are read from a checkout of jax at the installed version's tag, which the
environment variable JAX_CHECKOUT names.
"""

import importlib.util
import os
import pathlib
import types

import jax
from jax import lax
import pytest

import jaxgemm

CHECKOUT = os.environ.get("JAX_CHECKOUT")


class Instead(types.ModuleType):
  """A module in which some names stand for something else."""

  def __init__(self, module, **names):
    super().__init__(module.__name__)
    vars(self).update(names, module=module)

  def __getattr__(self, name):
    return getattr(self.module, name)


if CHECKOUT is None:
  def test_jaxs_own():
    pytest.skip("JAX_CHECKOUT names no checkout of jax, whose tests would run here.")
else:
  _path = pathlib.Path(CHECKOUT, "tests/lax_test.py")
  _spec = importlib.util.spec_from_file_location("lax_test", _path)
  _lax_test = importlib.util.module_from_spec(_spec)
  _spec.loader.exec_module(_lax_test)
  # In that module only: ours ask the real lax for shapes and errors.
  _lax_test.lax = Instead(lax, ragged_dot=jaxgemm.ragged_dot,
                          ragged_dot_general=jaxgemm.ragged_dot_general)
  _lax_test.jax = Instead(jax, lax=_lax_test.lax)
  RaggedTest = _lax_test.RaggedTest
