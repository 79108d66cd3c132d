"""Writes the tables of docs/guides/limits.md from the rows of ffi/plan/xla_rules.def:

    python -m tests.support.limits
"""

import re

from jaxgemm import _jaxgemm as native
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "guides" / "limits.md"


def _table(target: str) -> str:
  lines = ["| Operands | What is true of the product, and XLA's time over ours |", "|---|---|"]
  lines += [f"| {rule['products']} | {rule['sentence']} |" for rule in native.xla_rules()
            if rule["target"] == target]
  return "\n".join(lines)


def with_tables(page: str) -> str:
  """The page with the tables of this build's rules."""
  return re.sub(
      r"(<!-- xla_rules (\w+) -->\n).*?(<!-- end -->)",
      lambda found: f"{found[1]}{_table(found[2])}\n{found[3]}", page, flags=re.S)


if __name__ == "__main__":
  PAGE.write_text(with_tables(PAGE.read_text()))
