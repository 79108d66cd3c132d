"""Mixture-of-experts layers for Flax, on grouped products.

* `nnx.MoE`, `linen.MoE`: the layers, with the same parameters and the same results
* `linen.Fp8DotGeneralOp`, `nnx.Fp8DotGeneralOp`: float8 with delayed scaling, for layers that take
  dot_general_cls or dot_general
* `moe`: the function that both compute, on plain arrays
* `MoEParams`, `Mlp`: its parameters
* `ClampedSwiGLU`: the activation of gpt-oss
* `updated_router_bias`: balances the experts without a loss
* `NodeLimit`: the nodes that a token's experts may be on
* `MoEStats`: its second result, the auxiliary losses and the load of the experts

Importing this package needs flax; `jaxgemm` itself does not.
"""

from jaxgemm.flax import linen, nnx
from jaxgemm.flax.experts import ClampedSwiGLU, Mlp
from jaxgemm.flax.moe import MoEParams, moe
from jaxgemm.flax.routing import (
    MoEStats,
    NodeLimit,
    load_balancing_loss,
    updated_router_bias,
)

__all__ = [
    "ClampedSwiGLU",
    "Mlp",
    "MoEParams",
    "MoEStats",
    "NodeLimit",
    "linen",
    "load_balancing_loss",
    "moe",
    "nnx",
    "updated_router_bias",
]
