"""Mixture-of-experts layers for Flax, on grouped products.

* `nnx.MoE`, `linen.MoE`: the layers, with the same parameters and the same results
* `linen.Fp8DotGeneralOp`: float8 with delayed scaling, for any layer that takes dot_general_cls
* `moe`: the function that both compute, on plain arrays
* `MoEParams`, `Mlp`: its parameters
* `NodeLimit`: the nodes that a token's experts may be on
* `MoEStats`: its second result, the auxiliary losses and the load of the experts

Importing this package needs flax; `jaxgemm` itself does not.
"""

from jaxgemm.flax import linen, nnx
from jaxgemm.flax.experts import Mlp
from jaxgemm.flax.moe import MoEParams, moe
from jaxgemm.flax.routing import MoEStats, NodeLimit, load_balancing_loss

__all__ = [
    "Mlp",
    "MoEParams",
    "MoEStats",
    "NodeLimit",
    "linen",
    "load_balancing_loss",
    "moe",
    "nnx",
]
