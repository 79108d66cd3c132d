"""GEMM kernels for JAX, as XLA custom calls, on schedules that the user may choose.

  matmul          jax.numpy.matmul with bias, scale and activation
  dot_general     jax.lax.dot_general with the same; it fits nnx.Linear(dot_general=...)
  ragged_dot      jax.lax.ragged_dot with the same, for mixtures of experts
  ragged_dot_general  jax.lax.ragged_dot_general with the same
  ragged_gated_linear_unit  two of them as one kernel: activation(gate) * up
  routing_table, RoutingTable  the rows of tokens sorted by expert, for lhs_indices
  combine         for each token the sum of its rows
  scaled_matmul   jax.nn.scaled_matmul: operands with scales of blocks along k
  scaled_ragged_dot  the same for mixtures of experts
  quantize        an array in float8, with scales for scale_lhs and scale_rhs: Quantized
  fp8             products in float8 for training
  checkpoint_policies  policies of jax.checkpoint that save these products
  qarray          dot_general of operands that other packages have quantised
  megablox        gmm and tgmm with the arguments of jax.experimental's megablox
  chunked_matmul  matmul, begun while chunks of its lhs are still arriving
  chunk_rows      how many rows such a chunk has
  overlap         copies an array in chunks while a product of it runs
  start_copy, join, ChunkedArray  the parts of overlap, for other programs
  allgather_matmul, matmul_reduce_scatter  products inside jax.shard_map that run while
                  blocks, or sums, travel between the devices
  GemmConfig      schedule, tile and grid, where the plan should not choose
  supports        whether the kernels compute a call, and why not
  explain         the plan of a call, in words and as data
  workspace_size  bytes that a call needs beside its result
  tune            times what the plan could choose, and keeps the fastest in a file
  flax            layers for mixtures of experts; imported when it is first read
  maxtext         MaxText with these grouped products; imported when it is first read
  emulator        runs AMD machine code on the CPU; imported when it is first read

The products work under jit, grad, vmap, scan, checkpoint, cond and shard_map, and lower for
platforms without a device. They have derivatives of any order, in forward and reverse mode;
those of `fp8` have first derivatives in reverse mode. Call `tune` outside of jit, grad and
vmap. Export:

  jax.export.export(f, platforms=("cpu", "rocm"), disabled_checks=[
      jax.export.DisabledSafetyCheck.custom_call("jaxgemm_gemm")])

A lowering for "rocm" is for the architecture or chip that the environment variable
JAXGEMM_ROCM_ARCH names (it is read once), else for this process's AMD GPUs, or without any
for gfx942. With JAXGEMM_COMMAND_BUFFERS=0, set before the import, GPU calls stay out of
XLA's command buffers. implementation="emulated:gfx942" (or gfx950, gfx90a, or a chip: MI300A)
runs a GPU's machine code on the CPU, in the emulator of `jaxgemm.emulator`.

Sharding: inside jax.shard_map each device computes what it holds. On automatic meshes a
partitioning rule keeps operands sharded; on explicit meshes the product is a
jax.shard_map. The rule is inserted only if the process has several devices. A program
with it cannot be exported for several devices, and JAX finds it in its persistent
compilation cache only with JAX_REMOVE_CUSTOM_PARTITIONING_PTR_FROM_CACHE_KEY=1.
GemmConfig(partition=False) leaves the rule out.
"""

import importlib
import importlib.metadata

from jaxgemm import _environment, fp8, megablox, qarray
from jaxgemm.call import checkpoint_policies
from jaxgemm.call.config import GemmConfig
from jaxgemm.call.quantization import quantize
from jaxgemm.call.quantized import Quantized
from jaxgemm.chunked.api import chunk_rows, chunked_matmul
from jaxgemm.chunked.producers import ChunkedArray, join, overlap, start_copy
from jaxgemm.collective.api import allgather_matmul, matmul_reduce_scatter
from jaxgemm.dense.api import dot_general, matmul
from jaxgemm.explain.api import Explanation, explain, supports, workspace_size
from jaxgemm.grouped.api import ragged_dot, ragged_dot_general, ragged_gated_linear_unit
from jaxgemm.grouped.routing_calls import routing_table
from jaxgemm.grouped.rows import RoutingTable, combine
from jaxgemm.scaled.api import scaled_matmul, scaled_ragged_dot
from jaxgemm.tune.tune import tune

_environment.drop_message_of_rocm()
_environment.warn_of_unknown()

__version__ = importlib.metadata.version("jaxgemm")

__all__ = [
    "ChunkedArray",
    "Explanation",
    "GemmConfig",
    "Quantized",
    "RoutingTable",
    "allgather_matmul",
    "checkpoint_policies",
    "chunk_rows",
    "chunked_matmul",
    "combine",
    "dot_general",
    "explain",
    "fp8",
    "join",
    "matmul",
    "matmul_reduce_scatter",
    "megablox",
    "overlap",
    "qarray",
    "quantize",
    "ragged_dot",
    "ragged_dot_general",
    "ragged_gated_linear_unit",
    "routing_table",
    "scaled_matmul",
    "scaled_ragged_dot",
    "start_copy",
    "tune",
    "supports",
    "workspace_size",
]


# Submodules that are imported when they are read: flax, which jaxgemm does not need, and the
# emulator and maxtext, which few programs use.
_SUBMODULES = "emulator", "flax", "maxtext"


def __getattr__(name: str):
  if name not in _SUBMODULES:
    raise AttributeError(f"module 'jaxgemm' has no attribute {name!r}")
  try:
    return importlib.import_module(f"jaxgemm.{name}")
  except ModuleNotFoundError as error:
    if error.name != "flax":
      raise
    raise AttributeError(
        "jaxgemm.flax was asked for, and it needs the package flax. Install it: pip install flax."
    ) from error


def __dir__() -> list[str]:
  return [*__all__, *_SUBMODULES, "__version__"]
