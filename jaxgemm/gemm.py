"""The kernel call: [B, M, K] x [B, K, N] with an epilogue, as one custom call.

`gemm_p` appears only while lowering, inside `contract_p` (contract.py), which has
the rules for differentiation and vmap. Its lowering makes the native plan for the
platform that is lowered for and emits "jaxgemm_gemm". The workspace is the call's
last result and is dropped here, so that no abstract value depends on the platform.
"""

import dataclasses
import functools

import jax
from jax.extend.core import Primitive
from jax.interpreters import mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.config import GemmConfig

CALL_TARGET = "jaxgemm_gemm"


def accumulator_dtype(*operands) -> np.dtype:
  """int32 for integer operands, else float32."""
  integer = all(jnp.issubdtype(x.dtype, jnp.integer) for x in operands)
  return jnp.dtype(jnp.int32 if integer else jnp.float32)


@dataclasses.dataclass(frozen=True)
class Spec:
  """What a contraction computes, its shapes aside."""

  out_dtype: np.dtype
  activation: str | None = None
  save_preact: bool = False
  config: GemmConfig = GemmConfig()
  deterministic: bool = False
  weak_type: bool = False

  def accumulator(self, lhs, rhs) -> "Spec":
    """The sums alone, where the epilogue is computed outside the kernel."""
    return Spec(accumulator_dtype(lhs, rhs), config=self.config,
                deterministic=self.deterministic)

  def for_gradient(self, out_dtype) -> "Spec":
    """A product that a gradient needs."""
    return Spec(jnp.dtype(out_dtype), config=self.config.for_gradient(),
                deterministic=self.deterministic)


def out_avals(lhs, shape, spec: Spec):
  # lhs's aval, updated: it carries the mesh and the varying axes of shard_map.
  spec_out = jax.sharding.PartitionSpec(*(None,) * len(shape))
  aval = lhs.update(
      shape=tuple(shape), dtype=spec.out_dtype, weak_type=spec.weak_type,
      sharding=lhs.sharding.update(spec=spec_out),
  )
  return [aval] * (1 + spec.save_preact)


gemm_p = Primitive("jaxgemm_gemm")
gemm_p.multiple_results = True


@dataclasses.dataclass(frozen=True)
class Geometry:
  """The sizes of a kernel call and what its operands look like."""

  batch: int
  m: int
  n: int
  k: int
  lhs_contracting: int
  rhs_contracting: int
  lhs_batched: bool
  rhs_batched: bool

  @classmethod
  def of(cls, lhs_shape, rhs_shape, lhs_contracting, rhs_contracting):
    lhs_batched, rhs_batched = len(lhs_shape) == 3, len(rhs_shape) == 3
    batch = lhs_shape[0] if lhs_batched else rhs_shape[0] if rhs_batched else 1
    *_, m, k = lhs_shape
    *_, k_rhs, n = rhs_shape
    if not lhs_contracting:
      m, k = k, m
    if rhs_contracting:
      n = k_rhs
    return cls(batch, m, n, k, lhs_contracting, rhs_contracting, lhs_batched,
               rhs_batched)

  def out_shape(self):
    batched = self.lhs_batched or self.rhs_batched
    return (self.batch, self.m, self.n) if batched else (self.m, self.n)


def plan(geometry: Geometry, lhs_dtype, rhs_dtype, spec: Spec, bias: bool,
         scale: bool, target: str) -> dict:
  """The native plan.

  Raises:
    ValueError: the problem or the config does not fit the target.
  """
  problem = {
      **dataclasses.asdict(geometry),
      "lhs_batched": int(geometry.lhs_batched),
      "rhs_batched": int(geometry.rhs_batched),
      "lhs_dtype": jnp.dtype(lhs_dtype).name,
      "rhs_dtype": jnp.dtype(rhs_dtype).name,
      "out_dtype": spec.out_dtype.name,
      "bias": int(bias),
      "scale": int(scale),
      "activation": spec.activation or "none",
      "save_preact": int(spec.save_preact),
  }
  config = spec.config.to_native(spec.deterministic)
  return _ffi.plan(tuple(problem.items()), config, target)


@gemm_p.def_abstract_eval
def _gemm_abstract_eval(lhs, rhs, *_, lhs_contracting, rhs_contracting, spec, **__):
  geometry = Geometry.of(lhs.shape, rhs.shape, lhs_contracting, rhs_contracting)
  return out_avals(lhs, geometry.out_shape(), spec)


def _gemm_lowering(ctx, *operands, lhs_contracting, rhs_contracting, spec, bias,
                   scale, platform):
  lhs, rhs = ctx.avals_in[:2]
  geometry = Geometry.of(lhs.shape, rhs.shape, lhs_contracting, rhs_contracting)
  chosen = plan(geometry, lhs.dtype, rhs.dtype, spec, bias, scale,
                _ffi.target(platform))
  workspace = jax.core.ShapedArray((chosen["workspace_bytes"],), jnp.uint8)
  rule = jax.ffi.ffi_lowering(CALL_TARGET)
  results = rule(ctx.replace(avals_out=[*ctx.avals_out, workspace]), *operands,
                 **chosen["attrs"])
  return results[:-1]


def _no_lowering(ctx, *_, **__):
  platforms = ", ".join(ctx.module_context.platforms)
  raise ValueError(
      f"The program is lowered for {platforms}; jaxgemm lowers for cpu and rocm. Pass "
      "implementation='xla' to leave the product to XLA.")


mlir.register_lowering(gemm_p, _no_lowering)
for _platform in ("cpu", "rocm"):
  mlir.register_lowering(
      gemm_p, functools.partial(_gemm_lowering, platform=_platform),
      platform=_platform,
  )
