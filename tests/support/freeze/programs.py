"""The StableHLO of all public calls, and what `explain` says of random ones."""

from collections.abc import Iterator
import functools
import re

from flax import nnx
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
from jaxgemm.flax.nnx import MoE
from tests.collective.test_collective_matmul import FUNCTIONS
from tests.project.test_export_for_platforms import CASES, W, X, with_gradients

PLATFORMS = ("cpu", "rocm", "cuda")
EXPLAINED = 1500


def _collective(name: str, mesh):
  function, specs, out = FUNCTIONS[name]
  return jax.shard_map(functools.partial(function, axis_name="y"), mesh=mesh, in_specs=specs,
                       out_specs=out)


def _layer(recipe):
  layer = MoE(features=64, hidden_features=32, num_experts=4, num_shared_experts=1, recipe=recipe,
              rngs=nnx.Rngs(0))
  graph, state = nnx.split(layer)
  leaves, tree = jax.tree.flatten(state)
  apply = lambda x, *leaves: nnx.merge(graph, jax.tree.unflatten(tree, leaves))(x)[0]
  return apply, (X, *(x.shape for x in leaves))


def _functions() -> Iterator[tuple]:
  """Name, function, shapes, and the sharding of the arguments or None."""
  for name, (function, *shapes) in CASES.items():
    yield name, function, shapes, None
    yield f"vmap of {name}", jax.vmap(function), [(3, *shape) for shape in shapes], None
  for recipe in (None, "tensorwise", "rowwise", "blockwise"):
    yield f"MoE {recipe}", *_layer(recipe), None
  mesh = jax.make_mesh((4,), ("y",), (AxisType.Auto,), devices=jax.devices()[:4])
  for name in FUNCTIONS:
    yield name, _collective(name, mesh), (X, W), NamedSharding(mesh, P())
  for name in ("matmul", "ragged_dot", "scaled_ragged_dot"):
    function, *shapes = CASES[name]
    yield f"{name} on a mesh", function, shapes, NamedSharding(mesh, P("y"))


def lowered() -> dict[str, str]:
  """The StableHLO of each public call with its gradients, by name and platform."""
  texts = {}
  for name, function, shapes, place in _functions():
    arrays = [jax.ShapeDtypeStruct(shape, jnp.float32, sharding=place) for shape in shapes]
    for platform in PLATFORMS:
      try:
        traced = jax.jit(with_gradients(function)).trace(*arrays)
        text = traced.lower(lowering_platforms=(platform,)).as_text()
      except (ValueError, NotImplementedError, TypeError) as error:  # a refusal is frozen, too
        text = f"{type(error).__name__}: {error}"
      # The rule of a sharded product is an address.
      texts[f"{name}, {platform}"] = re.sub(r'backend_config = "\d+"', "", text)
  return texts


def _call(rng) -> tuple:
  dtype = jnp.dtype(str(rng.choice(("bfloat16", "float32", "float16", "int8", "float8_e4m3fn",
                                    "int32", "complex64"), p=(.4, .25, .1, .1, .1, .02, .03))))
  m, n, k, g = (int(x) for x in np.exp(rng.uniform(0, (9, 9, 9, 4))))
  shape = jax.ShapeDtypeStruct
  options = {"implementation": rng.choice((None, "jaxgemm", "xla", "emulated:gfx942",
                                           "emulated:gfx950"), p=(.5, .2, .05, .15, .1)),
             "activation": rng.choice((None, "relu", "gelu")),
             "schedule": rng.choice((None, None, "stream_k", "work_stealing"))}
  if rng.random() < 0.2:
    options["bias"] = shape((n,), jnp.float32)
  options = {name: value for name, value in options.items() if value is not None}
  if rng.random() < 0.6:
    return (shape((m, k), dtype), shape((k, n), dtype)), options
  options.pop("bias", None)
  return (shape((m, k), dtype), shape((g, k, n), dtype), shape((g,), jnp.int32)), options


def explained() -> list[str]:
  """What `explain` prints for random dense and grouped calls, or the error."""
  rng = np.random.default_rng(53)
  texts = []
  for _ in range(EXPLAINED):
    operands, options = _call(rng)
    try:
      texts.append(f"{operands} {options}\n{jaxgemm.explain(*operands, **options)}")
    except (ValueError, TypeError) as error:
      texts.append(f"{operands} {options}\n{type(error).__name__}: {error}")
  return texts
