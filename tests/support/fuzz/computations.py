"""Cases of all kinds that compute products and gradients on CPU devices, in one process."""

from tests.support.fuzz import collectives, experts, grouped, recipes, scaled, transforms

_KINDS = ((scaled, 0.2), (recipes, 0.2), (grouped, 0.3), (collectives, 0.1), (experts, 0.08),
          (transforms, 0.12))


def run(rng) -> str:
  kinds, shares = zip(*_KINDS)
  module = kinds[rng.choice(len(kinds), p=shares)]
  return f"{module.__name__.rpartition('.')[2]} {module.run(rng)}"


def forget() -> None:
  grouped.forget()
