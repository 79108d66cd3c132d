"""Public names of older versions exist with their parameters, or warn (docs/guides/versions.md)."""

import json
import subprocess
import sys
import types
import warnings

import pytest

import jaxgemm
from jaxgemm import emulator, flax
from tests.support import public_names
from tests.support.environment import one_device

_FILES = sorted(public_names.FOLDER.glob("public-*.json"))


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.stem)
def test_no_name_is_lost(path):
  kept = json.loads(path.read_text())
  assert len(kept) > 50 and "jaxgemm.matmul" in kept
  assert public_names.lost(kept) == []


def test_all_that_is_exported_is_in_the_api_pages():
  listed = public_names.names()
  for module in (jaxgemm, jaxgemm.fp8, flax, emulator):
    exported = {f"{module.__name__}.{name}" for name in module.__all__
                if not isinstance(getattr(module, name), types.ModuleType)}
    assert exported <= set(listed)


_SUBMODULES = """
import sys
import jaxgemm
assert not {"flax", "jaxgemm.flax", "jaxgemm.emulator"} & {*sys.modules}
assert {"flax", "emulator", "megablox"} <= {*dir(jaxgemm)}
tune = jaxgemm.tune
assert callable(tune) and callable(jaxgemm.megablox.gmm) and not hasattr(jaxgemm, "nosuch")
assert callable(jaxgemm.emulator.launch) and callable(jaxgemm.emulator.rocm.start)
sys.modules["flax"] = None  # as if flax were not installed
assert not hasattr(jaxgemm, "flax")
try:
  jaxgemm.flax
except AttributeError as error:
  assert "pip install flax" in str(error)
del sys.modules["flax"]
assert callable(jaxgemm.flax.nnx.MoE) and jaxgemm.flax is sys.modules["jaxgemm.flax"]
import jaxgemm.tune.database
assert jaxgemm.tune is tune
"""


def test_submodules_are_attributes_without_an_import_of_their_own():
  done = subprocess.run([sys.executable, "-c", _SUBMODULES], env=one_device(), text=True,
                        capture_output=True, check=False)
  assert done.returncode == 0, done.stderr


def old(a, b, c=1, *, d=2, e):
  return a, b, c, d, e


@pytest.mark.parametrize("new, missing", [
    (old, []),
    (lambda a, b, c=3, f=4, *, g=5, e, d=2: 0, []),
    (lambda a, b, c=1, **others: 0, []),
    (lambda a, b, c=1, *, e: 0, ["planted.old has no d"]),
    (lambda b, a, c=1, *, d=2, e: 0, ["planted.old has a in another place",
                                      "planted.old has b in another place"]),
    (lambda a, b, *, c=1, d=2, e: 0, ["planted.old has c in another place"]),
    (lambda a, b, c, *, d=2, e: 0, ["planted.old requires c"]),
    (lambda a, b, c=1, *, d=2, e, f: 0, ["planted.old requires f"]),
    (None, ["planted.old is gone"]),
])
def test_what_is_lost_is_named(monkeypatch, new, missing):
  module = types.ModuleType("planted")
  if new:
    module.old = new
  monkeypatch.setitem(sys.modules, "planted", module)
  assert public_names.lost({"planted.old": public_names.signature(old)}) == missing


def test_a_name_that_warns_may_be_another(monkeypatch):
  def getattr_(name):
    if name != "old":
      raise AttributeError(name)
    warnings.warn(f"{name} is deprecated; use `matmul`.", DeprecationWarning, stacklevel=2)
    return lambda x: x

  module = types.ModuleType("planted")
  module.__getattr__ = getattr_
  monkeypatch.setitem(sys.modules, "planted", module)
  assert public_names.lost({"planted.old": public_names.signature(old)}) == []
