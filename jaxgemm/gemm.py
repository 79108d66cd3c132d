"""The kernel call: [B, M, K] x [B, K, N] with an epilogue, as one custom call.

`gemm_p` appears only while lowering, inside `contract_p` (contract.py), which has
the rules for differentiation and vmap; `ragged_p` (ragged.py) has rules of its own.
The lowering of both makes the native plan for the platform that is lowered for and
emits "jaxgemm_gemm". The workspace is the call's last result and is dropped here, so
that no abstract value depends on the platform.
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
STATUS_TARGET = "jaxgemm_chunk_status"


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
  emulated: str | None = None  # the GPU target whose kernels the CPU emulates
  precise: bool = False  # float32 in three passes where kernels multiply it as tf32

  def accumulator(self, lhs, rhs) -> "Spec":
    """The sums alone, where the epilogue is computed outside the kernel."""
    return Spec(accumulator_dtype(lhs, rhs), config=self.config,
                deterministic=self.deterministic, emulated=self.emulated,
                precise=self.precise)

  def for_gradient(self, out_dtype) -> "Spec":
    """A product that a gradient needs."""
    return Spec(jnp.dtype(out_dtype), config=self.config.for_gradient(),
                deterministic=self.deterministic, emulated=self.emulated,
                precise=self.precise)

  def target(self, platform: str) -> str:
    """What to plan for where the program runs on `platform`; see `_ffi.target`."""
    return self.emulated or _ffi.target(platform)


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
  """The sizes of a kernel call and what its operands look like.

  Where `ragged` is "m" or "k", group sizes cut that dimension: see ragged.py. n is
  out's; gated rhs, bias and scale have twice as many columns.
  """

  batch: int
  m: int
  n: int
  k: int
  lhs_contracting: int
  rhs_contracting: int
  lhs_batched: bool
  rhs_batched: bool
  ragged: str = "none"
  groups: int = 0
  local_groups: int = 0
  group_offset: bool = False
  sizes_batched: bool = False
  accumulate: bool = False
  gated: bool = False
  # lhs that arrives in chunks: see chunked.py. num_chunks -1: not known yet.
  tiles_per_chunk: int = 0
  pivot: int = 0
  num_chunks: int = 0
  signals_batched: bool = False
  timeout_ns: int = 0

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
    batched = (self.lhs_batched or self.rhs_batched or self.sizes_batched
               or self.signals_batched)
    batch = (self.batch,) if batched else ()
    groups = (self.local_groups,) if self.ragged == "k" else ()
    return (*batch, *groups, self.m, self.n)

  def to_native(self) -> dict[str, str | int]:
    return {name: value if isinstance(value, str) else int(value)
            for name, value in dataclasses.asdict(self).items()}


def is_held_by(wide, dtype) -> bool:
  """Whether `wide` (bfloat16, float16 or float32) has every value of a dtype."""
  return dtype == wide or jnp.issubdtype(dtype, jnp.floating) and (
      dtype.itemsize == 1 or dtype.itemsize == 2 and wide == jnp.float32)


def kernel_dtypes(lhs_dtype, rhs_dtype, target: str) -> tuple[np.dtype, np.dtype]:
  """The dtypes in which a target's kernel reads operands of these two.

  GPU kernels multiply operands of one dtype, or two float8 types. Other floats are
  converted to the narrowest dtype that holds both exactly: gradients have a
  cotangent beside an operand, and the two need not agree.
  """
  given = jnp.dtype(lhs_dtype), jnp.dtype(rhs_dtype)

  def takes(lhs, rhs):
    return not _ffi.native.operands_error(lhs.name, rhs.name, target)

  if not takes(*given) and all(takes(dtype, dtype) for dtype in given):
    for wide in map(jnp.dtype, (jnp.bfloat16, jnp.float16, jnp.float32)):
      if all(is_held_by(wide, dtype) for dtype in given):
        return wide, wide
  return given


def plan(geometry: Geometry, lhs_dtype, rhs_dtype, spec: Spec, bias: bool,
         scale: bool, target: str) -> dict:
  """The native plan, and the dtypes that its kernel reads as "operand_dtypes".

  With "passes", how many products of parts the operands are multiplied in.

  Raises:
    ValueError: the problem or the config does not fit the target.
  """
  dtypes = kernel_dtypes(lhs_dtype, rhs_dtype, target)
  passes = _passes(dtypes, spec, target)
  problem = {
      **dataclasses.replace(geometry, k=passes * geometry.k).to_native(),
      "lhs_dtype": dtypes[0].name,
      "rhs_dtype": dtypes[1].name,
      "out_dtype": spec.out_dtype.name,
      "bias": int(bias),
      "scale": int(scale),
      "activation": spec.activation or "none",
      "save_preact": int(spec.save_preact),
  }
  config = spec.config.to_native(spec.deterministic)
  return _ffi.plan(tuple(problem.items()), config, target) | {
      "operand_dtypes": dtypes, "passes": passes}


def _passes(dtypes, spec: Spec, target: str) -> int:
  # Hopper multiplies float32 as tf32.
  tf32 = target in _ffi.CUDA_ARCHS and jnp.float32 in dtypes
  return 3 if spec.precise and tf32 else 1


def split_in_three(x, axis: int, is_lhs: bool) -> jax.Array:
  """float32 as parts that tf32 holds, one after the other along `axis`, which is k.

  x is high + low, each of 11 bits and more. Of lhs they are [high, high, low] and of rhs
  [high, low, high]: one product along all of it is what CUTLASS's 3xTF32 computes in
  three, all but low times low.
  """
  bits = jax.lax.bitcast_convert_type(x, jnp.uint32) & jnp.uint32(0xFFFFE000)
  high = jax.lax.bitcast_convert_type(bits, jnp.float32)
  finite = jnp.isfinite(x)
  high, low = jnp.where(finite, high, x), jnp.where(finite, x - high, 0)
  return jnp.concatenate([high, high, low] if is_lhs else [high, low, high], axis)


def run_by_jit(primitive: Primitive) -> None:
  """Registers how a primitive runs outside of a program: as a program of its own."""
  @functools.lru_cache(maxsize=1024)
  def jitted(**params):
    return jax.jit(functools.partial(primitive.bind, **params))

  @primitive.def_impl
  def _impl(*operands, **params):
    with jax.disable_jit(False):  # or the program would call this again
      return jitted(**params)(*operands)


def require_built(planned: dict, target: str) -> None:
  """Raises ValueError if this build lacks the kernel of a plan."""
  if planned["built"]:
    return
  built = ", ".join(sorted(_ffi.built_kernels(target))) or "none"
  raise ValueError(
      f"this build has no code object of {planned['kernel']} for {target}; it has: "
      f"{built}. Build jaxgemm again with JAXGEMM_GPU_KERNELS=all, choose another by "
      "GemmConfig(kernel=...), or pass implementation='xla'."
  )


@gemm_p.def_abstract_eval
def _gemm_abstract_eval(lhs, rhs, *_, lhs_contracting, rhs_contracting, spec, **__):
  geometry = Geometry.of(lhs.shape, rhs.shape, lhs_contracting, rhs_contracting)
  return out_avals(lhs, geometry.out_shape(), spec)


def lower_call(ctx, *operands, geometry: Geometry, spec: Spec, bias: bool,
               scale: bool, platform: str):
  """The custom call of operands that `geometry` describes, without its workspace.

  Where lhs arrives in chunks, with the status of waiting for them as the last result.
  """
  lhs, rhs = ctx.avals_in[:2]
  if spec.emulated is not None and platform != "cpu":
    raise ValueError(
        f"implementation='emulated:{spec.emulated}' was given for platform {platform}; "
        "the emulator runs on the CPU. Use jax.default_device(jax.devices('cpu')[0]), "
        "or leave implementation out.")
  chosen = plan(geometry, lhs.dtype, rhs.dtype, spec, bias, scale,
                spec.target(platform))
  operands = [_convert(ctx, x, aval, dtype) for x, aval, dtype in
              zip(operands, ctx.avals_in, chosen["operand_dtypes"])] + [*operands[2:]]
  avals_in = [aval.update(dtype=dtype) for aval, dtype in
              zip(ctx.avals_in, chosen["operand_dtypes"])] + [*ctx.avals_in[2:]]
  if chosen["passes"] == 3:
    # k is the last dimension of each or the one before.
    axes = 0 if geometry.lhs_contracting == 0 else 1, geometry.rhs_contracting
    for i, axis in enumerate(axes):
      operands[i], avals_in[i] = _split(ctx, operands[i], avals_in[i], axis - 2, i == 0)
  workspace = jax.core.ShapedArray((chosen["workspace_bytes"],), jnp.uint8)
  # Behind lhs, rhs, the sizes and the offset: what is added to, in place.
  aliases = {3 + geometry.group_offset: 0} if geometry.accumulate else None
  rule = jax.ffi.ffi_lowering(CALL_TARGET, operand_output_aliases=aliases)
  chunked = geometry.tiles_per_chunk > 0
  avals_out = ctx.avals_out[:-1] if chunked else ctx.avals_out
  call_ctx = ctx.replace(avals_in=avals_in, avals_out=[*avals_out, workspace])
  outs = rule(call_ctx, *operands, **chosen["attrs"])
  return _check_status(call_ctx, outs, chosen, platform) if chunked else outs[:-1]


def _check_status(ctx, outs, chosen, platform: str):
  """[*outs, status] of [*outs, workspace]: an error where a chunk has not come.

  On a GPU that is a call of its own, which waits for the product on the host; on the
  CPU the product's call has raised it.
  """
  begin = chosen["status_offset"]
  *avals, workspace = ctx.avals_out
  status = mlir.lower_fun(lambda x: x[begin:begin + 4], multiple_results=False)
  status, = status(ctx.replace(avals_in=[workspace], avals_out=[
      workspace.update(shape=(4,))]), outs[-1])
  if platform != "cpu":
    rule = jax.ffi.ffi_lowering(
        STATUS_TARGET, operand_output_aliases={i: i for i in range(len(avals))})
    outs = rule(ctx.replace(avals_in=ctx.avals_out, avals_out=avals), *outs,
                status_offset=np.int64(begin),
                timeout_ns=np.int64(chosen["attrs"]["timeout_ns"]))
    return [*outs, status]
  return [*outs[:-1], status]


def _convert(ctx, operand, aval, dtype):
  if aval.dtype == dtype:
    return operand
  ctx = ctx.replace(avals_in=[aval], avals_out=[aval.update(dtype=dtype)])
  convert = mlir.lower_fun(lambda x: x.astype(dtype), multiple_results=False)
  return convert(ctx, operand)[0]


def _split(ctx, operand, aval, axis: int, is_lhs: bool):
  shape = list(aval.shape)
  shape[axis] *= 3
  new = aval.update(shape=tuple(shape))
  split = mlir.lower_fun(
      lambda x: split_in_three(x, axis, is_lhs), multiple_results=False)
  return split(ctx.replace(avals_in=[aval], avals_out=[new]), operand)[0], new


def _no_lowering(ctx, *_, **__):
  platforms = ", ".join(ctx.module_context.platforms)
  raise ValueError(
      f"The program is lowered for {platforms}; jaxgemm lowers for cpu, cuda and rocm. "
      "Pass implementation='xla' to leave the product to XLA.")


def register_lowerings(primitive: Primitive, rule) -> None:
  """Registers rule(ctx, *operands, platform=..., **params) where there are kernels."""
  mlir.register_lowering(primitive, _no_lowering)
  for platform in ("cpu", "cuda", "rocm"):
    mlir.register_lowering(
        primitive, functools.partial(rule, platform=platform), platform=platform)


def _gemm_lowering(ctx, *operands, lhs_contracting, rhs_contracting, **params):
  lhs, rhs = ctx.avals_in[:2]
  geometry = Geometry.of(lhs.shape, rhs.shape, lhs_contracting, rhs_contracting)
  return lower_call(ctx, *operands, geometry=geometry, **params)


register_lowerings(gemm_p, _gemm_lowering)
