"""The command that tests combinations of versions (tests/support/versions.py)."""

import os
import re
import subprocess
import sys

import jax
import pytest

from tests.support import versions
from tests.support.paths import ROOT


def test_a_run_names_its_versions_and_counts(tmp_path):
  (tmp_path / "test_three.py").write_text(
      "import pytest\n"
      "def test_right(): pass\n"
      "def test_wrong(): assert False\n"
      "def test_none(): pytest.skip()\n")
  done = subprocess.run(
      [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider",
       "--rootdir", str(tmp_path), "-o", "addopts=", str(tmp_path)],
      capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
  row = versions.row("planted", done.stdout)
  assert re.match(rf"\| {sys.version.split()[0]} \| {re.escape(jax.__version__)} \| .* \| planted "
                  r"\| 1 \| 1 \| 1 \|$", row), done.stdout


@pytest.mark.parametrize("output", [
    "", "versions: 3.11 | 0.10 | none | none\nERROR: not found", "===== 3 passed in 1.00s ====="])
def test_a_run_without_counts_is_no_row(output):
  assert "did not run" in versions.row("x", output)


@pytest.mark.whole
def test_what_is_installed_here():
  done = subprocess.run([sys.executable, "-m", "tests.support.versions"], cwd=ROOT,
                        capture_output=True, text=True)
  assert done.returncode == 0, done.stdout + done.stderr
  assert "| CPU | " in done.stdout
