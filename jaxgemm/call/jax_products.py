"""jax's own products, bound when this package is imported.

A program may put this package's functions in their places (`jax.lax.ragged_dot = ...`), as packages
for quantisation do. This package must then still call jax's own functions, and not itself.
"""

from jax.lax import dot_general, ragged_dot, ragged_dot_general
from jax.numpy import einsum, matmul

__all__ = ["dot_general", "einsum", "matmul", "ragged_dot", "ragged_dot_general"]
