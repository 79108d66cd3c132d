"""Programs that an older jaxgemm exported run as before, or are refused with the version's name."""

import re

import jax
import numpy as np
import pytest

from jaxgemm.call import options
from tests.bindings import exported

options.use_emulator()  # of the program "emulated"
_FILES = sorted(exported.FOLDER.glob("exported-*.zip"))


def _version(path) -> int:
  return int(re.search(r"\d+", path.stem)[0])


def test_this_version_has_a_file():
  assert exported.version() in map(_version, _FILES), (
      "Run `python -m tests.bindings.exported` and commit its file.")


@pytest.mark.parametrize("path", _FILES, ids=_version)
@pytest.mark.parametrize("name", exported.PROGRAMS)
def test_exported_program(path, name):
  program = exported.read(path)[name]
  run = jax.jit(program.call)
  if _version(path) != exported.version():
    with pytest.raises(Exception, match=(
        rf"version {_version(path)}.*version {exported.version()}.*again")):
      jax.block_until_ready(run(*exported.operands(name)))
    return
  out = np.asarray(run(*exported.operands(name)), np.float64)
  np.testing.assert_allclose(out, exported.reference(name), rtol=2 ** -7, atol=0.05)
