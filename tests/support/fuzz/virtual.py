"""Cases of the other kinds on virtual AMD GPUs, with JAX's own ROCm client (jaxgemm.emulator.rocm).

The emulator executes the kernels of XLA, too, so the products are small. If this build has no
kernel for one, that is said.
"""

from tests.support.fuzz import collectives, grouped, recipes, scaled, transforms

_KINDS = ((grouped.valid, 0.35), (scaled.scaled_matmul, 0.15), (recipes.training, 0.1),
          (recipes.states, 0.1), (transforms.run, 0.2), (collectives.valid, 0.1))


def run(rng) -> str:
  kinds, shares = zip(*_KINDS)
  case = kinds[rng.choice(len(kinds), p=shares)]
  return f"{case.__module__.rpartition('.')[2]} {case(rng)}"


def forget() -> None:
  grouped.forget()
