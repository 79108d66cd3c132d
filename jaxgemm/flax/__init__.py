"""Mixture-of-experts layers for Flax, on grouped products.

* `nnx.MoE`, `linen.MoE`: the layers, with the same parameters and the same results
* `linen.Fp8DotGeneralOp`, `nnx.Fp8DotGeneralOp`: float8 with delayed scaling, for layers that take
  dot_general_cls or dot_general
* `moe`: the function that both layers compute, on plain arrays
* `MoEParams`, `Mlp`: the parameters of `moe`
* `MoEStats`: the second result of `moe`, with the auxiliary losses and the load of the experts
* `load_balancing_loss`: the loss of Switch, for tokens of several shards
* `ClampedSwiGLU`: the activation of gpt-oss
* `updated_router_bias`: balances the experts without a loss
* `NodeLimit`: bounds the nodes that a token's experts are on

Importing this package needs flax; `jaxgemm` itself does not.
"""

from jaxgemm.flax import linen, nnx
from jaxgemm.flax.experts import ClampedSwiGLU, Mlp, MoEParams
from jaxgemm.flax.moe import moe
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
