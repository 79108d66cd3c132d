"""A program that trains a layer for three steps, and prints its losses."""

import sys

import jax
import jax.numpy as jnp

from maxtext.experts import Options, experts


def main() -> None:
  options = Options(megablox="megablox=true" in sys.argv)
  jax.devices()  # MaxText asks for them before it traces a step
  x, gate, up = (jax.random.normal(jax.random.key(i), shape) / 4
                 for i, shape in enumerate([(40, 16), (4, 16, 24), (4, 16, 24)]))
  kernels = gate, up, jnp.swapaxes(gate, 1, 2)
  sizes = jnp.array([13, 0, 20, 7])
  step = jax.jit(jax.value_and_grad(lambda w: ((experts(x, w, sizes, options) - 1)**2).mean()))
  for _ in range(3):
    loss, gradient = step(kernels)
    kernels = jax.tree.map(lambda w, d: w - d, kernels, gradient)
    print(f"{float(loss):.6f}")


if __name__ == "__main__":
  main()
