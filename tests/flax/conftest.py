"""Fixtures of the tests of layers."""

import pytest

from jaxgemm.collective import blocks as in_blocks


@pytest.fixture(params=["one block", "two blocks"])
def blocks(request, monkeypatch):
  """Runs a test with both ways to compute the rows of gated experts on many devices."""
  monkeypatch.setattr(in_blocks, "SPLITS", request.param == "two blocks")
  return request.param
