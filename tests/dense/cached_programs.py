"""Sharded products on up to four devices, with jax's persistent compilation cache:

    python -m tests.dense.cached_programs ACTIVATION

Prints the number of programs that came from the cache, and the largest error.
"""

import sys

import jax
import jax.monitoring
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm

hits: list[str] = []
jax.monitoring.register_event_listener(
    lambda event, **_: hits.append(event) if event.endswith("/cache_hits") else None)
activation = sys.argv[1]
mesh = jax.make_mesh((min(4, len(jax.devices())),), ("x",), axis_types=(AxisType.Auto,))
place = lambda x, *axes: jax.device_put(jnp.asarray(x), NamedSharding(mesh, P(*axes)))
rng = np.random.default_rng(0)
x, w, experts = (rng.standard_normal(shape, np.float32) for shape in
                 ((64, 32), (32, 16), (8, 32, 16)))
sizes = np.full(8, 8, np.int32)
apply = {"relu": lambda z: np.maximum(z, 0), "silu": lambda z: z / (1 + np.exp(-z))}[activation]

dense = jax.jit(lambda x, w: jaxgemm.matmul(x, w, activation=activation))
grouped = jax.jit(lambda x, w, sizes: jaxgemm.ragged_dot(x, w, sizes, activation=activation))
gathered = jax.jit(jax.shard_map(
    lambda x, w: jaxgemm.allgather_matmul(x, w, "x", activation=activation),
    mesh=mesh, in_specs=(P("x"), P()), out_specs=P(), check_vma=False))
gradient = jax.jit(jax.grad(lambda w, x: jaxgemm.matmul(x, w).sum()))
found = [
    (dense(place(x, "x"), place(w)), apply(x @ w)),
    (dense(place(x, None, "x"), place(w, "x")), apply(x @ w)),
    (grouped(place(x), place(experts, "x"), place(sizes)),
     apply(np.einsum("gmk,gkn->gmn", x.reshape(8, 8, 32), experts).reshape(64, 16))),
    (gathered(place(x, "x"), place(w)), apply(x @ w)),
    (gradient(place(w), place(x, "x")), np.repeat(x.sum(0)[:, None], 16, 1)),
]
errors = [np.abs(np.asarray(given) - wanted).max() / np.abs(wanted).max()
          for given, wanted in found]
print(f"{len(hits)} hits, error {max(errors):.1e}")
