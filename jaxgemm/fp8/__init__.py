"""Products in float8 for training, with bfloat16 or float32 parameters and gradients.

  dot_general  jax.lax.dot_general
  ragged_dot   jax.lax.ragged_dot, for mixtures of experts
  DelayedScaling  a state of dot_general, from which the scales come
  prepare  weights quantised once, for several products; see weights.py

The operands are quantised to e4m3 and the cotangents to e5m2. The scales come from the array's own
values ("current scaling"), or with a state from those of earlier steps ("delayed scaling"). The
gradients are products of the same quantised operands, which are kept for the backward pass: no
operand is quantised twice, and none is dequantised.

With scales for blocks of the dimension that a product contracts ("blockwise", "mxfp8") an operand
is quantised for each of its two products, because they contract different dimensions of it; see
blocks.py. There cotangents are e4m3, too.

With one scale for each row of lhs and column of rhs ("rowwise"), rhs is quantised for each of its
two products, too. lhs is not: its scales vary along the dimension that rhs's gradient contracts,
where the kernels have no scales. They are multiplied into the cotangent before it is quantised:

  d_rhs[k, n] = sum_m values_lhs[m, k] * scales_lhs[m] * ct[m, n]

Here values_lhs and scales_lhs are the quantised lhs. scales_lhs * ct is quantised with one scale
for each n.
"""

from jaxgemm.fp8.dense import dot_general
from jaxgemm.fp8.grouped import ragged_dot
from jaxgemm.fp8.recipes import Amax, DelayedScaling
from jaxgemm.fp8.weights import PreparedWeight, contracted_of_flax, originals, prepare

__all__ = ["Amax", "DelayedScaling", "PreparedWeight", "contracted_of_flax", "dot_general",
           "originals", "prepare", "ragged_dot"]
