"""Error messages of the examples where they cannot run."""

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

EXAMPLE = ROOT / "examples/own_producer/own_producer.py"


@pytest.mark.parametrize("flags, env, message", [
    ([], {"CXX": "no-such-compiler -O3"}, "no-such-compiler was not found"),
    (["--size=0"], {}, "--size=0"),
    (["8"], {}, "Unexpected arguments: ['8']"),
])
def test_own_producer_says_what_it_needs(flags, env, message):
  done = subprocess.run([sys.executable, EXAMPLE, *flags], env=os.environ | env,
                        text=True, capture_output=True, timeout=300)
  assert done.returncode != 0
  assert message in done.stdout + done.stderr
