"""The tables of docs/guides/numbers.md (tests/dense/number_tables.py), at a few points."""

import numpy as np
import pytest

from tests.dense import number_tables

EXACT = {"-0.0 times 1, K = 2": "0", "1 - 1": "0", "inf + 1": "inf", "inf - inf": "nan"}


@pytest.mark.whole(unless=lambda dtype, kind: kind == "normal" or dtype == "bfloat16")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e4m3fn", "int8"])
@pytest.mark.parametrize("kind", ["normal", "cancelling", "mixed"])
def test_errors(dtype, kind):
  for row in number_tables.errors("jaxgemm", [1024, 65536], [kind], [dtype]):
    *ours, by_xla = map(float, row[3:])
    # Terms that cancel leave 2 % of the sums, and their errors.
    most = 0 if dtype == "int8" else (5e-8 if kind == "cancelling" else 4e-9) * np.sqrt(
        int(row[2])) + 4e-6 / (1 if kind == "cancelling" else 10)
    assert max(ours) <= most
    # XLA's code differs between processors and versions: jaxlib 0.12 on an EPYC has 1.1 * most.
    assert by_xla <= 2 * most


def test_special_values():
  for what, dtype, ours, by_xla in number_tables.special(["jaxgemm", "xla"]):
    assert ours == EXACT.get(what, ours)
    # The sum begins with 0, so a sum of one -0.0 is 0.
    assert ours == by_xla or (what, ours) == ("-0.0 times 1, K = 1", "0"), (what, dtype)


def test_the_same_bits_in_processes_of_1_2_and_8_threads():
  found = number_tables.bits(["jaxgemm", "emulated:gfx942", "emulated:gfx950"], [1, 2, 8], runs=3,
                             k=512)
  assert len(found) == 3 * 2 * len(number_tables.WAYS)
  for (_, _, way), digests in found.items():
    assert len(digests) == 1 or "atomic" in way


def test_other_bits_are_seen(monkeypatch):
  seen = iter(range(100))
  monkeypatch.setattr(number_tables, "product", lambda *_: np.float32(next(seen)))
  assert {len(x) for x in number_tables.digests("jaxgemm", "float32", 64, 3).values()} == {3}
