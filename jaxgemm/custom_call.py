"""The kernel call: [B, M, K] x [B, K, N] with an epilogue, as one custom call.

`gemm_p` appears only while lowering, inside `contract_p` (dense/primitive.py), which has
the rules for differentiation and vmap; `ragged_p` (grouped/primitive.py) has rules of its own.
The lowering of both makes the native plan for the platform that is lowered for and
emits "jaxgemm_gemm". The workspace is the call's last result and is dropped here, so
that no abstract value depends on the platform.
"""

import dataclasses
import functools
import math
import re

import jax
from jax.extend.core import Primitive
from jax.interpreters import mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi, relayout
from jaxgemm.config import GemmConfig

CALL_TARGET = "jaxgemm_gemm"
# The same call, which also begins the copy that brings its chunks: see chunked/producers.py.
CHUNKED_TARGET = "jaxgemm_chunked_gemm"
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


def _reshaped(aval, shape):
  """The aval of another shape: it carries the mesh and the varying axes of shard_map."""
  replicated = jax.sharding.PartitionSpec(*(None,) * len(shape))
  return aval.update(
      shape=tuple(shape), sharding=aval.sharding.update(spec=replicated))


def out_avals(lhs, shape, spec: Spec):
  aval = _reshaped(lhs, shape).update(dtype=spec.out_dtype, weak_type=spec.weak_type)
  return [aval] * (1 + spec.save_preact)


gemm_p = Primitive("jaxgemm_gemm")
gemm_p.multiple_results = True


@dataclasses.dataclass(frozen=True)
class Geometry:
  """The sizes of a kernel call and what its operands look like.

  Where `ragged` is "m" or "k", group sizes cut that dimension: see grouped/primitive.py. n is
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
  # lhs that arrives in chunks: see chunked/primitive.py. num_chunks -1: not known yet.
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

  With "passes", how many products of parts the operands are multiplied in; and with
  "relayout", the layout and sizes that its attributes are for, and "copies", what is
  done to "lhs", "rhs" and "out" therefore: see relayout.py.

  Raises:
    ValueError: the problem or the config does not fit the target.
  """
  dtypes = kernel_dtypes(lhs_dtype, rhs_dtype, target)
  passes = _passes(dtypes, spec, target)
  if geometry.ragged == "k" and target in _ffi.CUDA_ARCHS:
    dtypes, passes = _across_groups(dtypes)
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
  planned = _ffi.plan(tuple(problem.items()), config, target, _ffi.num_cus(target))
  return planned | {
      "operand_dtypes": dtypes, "passes": passes,
      "copies": relayout.described(planned["relayout"], geometry, passes)}


def _passes(dtypes, spec: Spec, target: str) -> int:
  # Hopper multiplies float32 as tf32.
  tf32 = target in _ffi.CUDA_ARCHS and jnp.float32 in dtypes
  return 3 if spec.precise and tf32 else 1


def _across_groups(dtypes) -> tuple[tuple[np.dtype, np.dtype], int]:
  """(dtypes, passes) of a product on Hopper whose groups cut k.

  Groups begin anywhere along k, so TMA reads only operands of 16 bits there. bfloat16
  holds every float8; float32 is split in parts of bfloat16, whose three products keep
  16 bits: more than tf32 does.
  """
  if all(jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1
         for dtype in dtypes):
    return (jnp.dtype(jnp.bfloat16),) * 2, 1
  if jnp.float32 in dtypes:
    return (jnp.dtype(jnp.bfloat16),) * 2, 3
  return dtypes, 1


# The bits of a float32 that a part of it keeps: as many as the dtype has or tf32 reads.
_HIGH_BITS = {jnp.dtype(jnp.float32): 0xFFFFE000, jnp.dtype(jnp.bfloat16): 0xFFFF0000}


def split_in_three(x, axis: int, is_lhs: bool, dtype=jnp.float32,
                   by_row: bool = False) -> jax.Array:
  """float32 as parts along `axis`, which is k and gets three times as long.

  x is high + low. Of lhs the parts are [high, high, low] and of rhs [high, low, high]:
  one product along all of it is what CUTLASS's 3xTF32 computes in three, all but low
  times low.

  Args:
    x: float32 array.
    axis: of k.
    is_lhs: whether x is lhs.
    dtype: of the parts: float32, for kernels that multiply it as tf32, or bfloat16.
    by_row: the parts of each k follow each other; else all of one part.
  """
  mask = jnp.uint32(_HIGH_BITS[jnp.dtype(dtype)])
  bits = jax.lax.bitcast_convert_type(x, jnp.uint32) & mask
  high = jax.lax.bitcast_convert_type(bits, jnp.float32)
  finite = jnp.isfinite(x)
  high, low = (y.astype(dtype) for y in (
      jnp.where(finite, high, x), jnp.where(finite, x - high, 0)))
  parts = [high, high, low] if is_lhs else [high, low, high]
  if not by_row:
    return jnp.concatenate(parts, axis)
  axis %= x.ndim
  shape = (*x.shape[:axis], 3 * x.shape[axis], *x.shape[axis + 1:])
  return jnp.stack(parts, axis + 1).reshape(shape)


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
  # A kernel is called gemm_<lhs dtype>_<rhs dtype>_<m>x<n>x<k>_...
  types = re.match(r"gemm_(\w+?)_\d+x", planned["kernel"])[1]
  built = ", ".join(sorted(
      name for name in _ffi.built_kernels(target) if name.startswith(f"gemm_{types}_")))
  others = (f"For these operand types it has {built}; one of them may be chosen by "
            "GemmConfig(kernel=...). ") if built else (
                "It has none for these operand types. ")
  raise ValueError(
      f"this build has no code object of {planned['kernel']} for {target}. {others}"
      f"Build jaxgemm again with JAXGEMM_GPU_KERNELS='auto;{target}/.*{types}', or pass "
      "implementation='xla'."
  )


@gemm_p.def_abstract_eval
def _gemm_abstract_eval(lhs, rhs, *_, lhs_contracting, rhs_contracting, spec, **__):
  geometry = Geometry.of(lhs.shape, rhs.shape, lhs_contracting, rhs_contracting)
  return out_avals(lhs, geometry.out_shape(), spec)


def lower_call(ctx, *operands, geometry: Geometry, spec: Spec, bias: bool,
               scale: bool, platform: str, call_target: str = CALL_TARGET):
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
  operands, avals_in = _prepared(ctx, operands, geometry, chosen, bias, scale)
  workspace = jax.core.ShapedArray((chosen["workspace_bytes"],), jnp.uint8)
  # Behind lhs, rhs, the sizes and the offset: what is added to, in place.
  aliases = {3 + geometry.group_offset: 0} if geometry.accumulate else None
  rule = jax.ffi.ffi_lowering(call_target, operand_output_aliases=aliases)
  chunked = geometry.tiles_per_chunk > 0
  given = ctx.avals_out[:-1] if chunked else ctx.avals_out
  avals_out = [_padded_out(x, geometry, chosen["relayout"]) for x in given]
  call_ctx = ctx.replace(avals_in=avals_in, avals_out=[*avals_out, workspace])
  outs = rule(call_ctx, *operands, **chosen["attrs"])
  outs = _check_status(call_ctx, outs, chosen, platform) if chunked else [*outs[:-1]]
  for i, (aval, padded) in enumerate(zip(given, avals_out)):
    if aval.shape != padded.shape:
      outs[i], _ = _apply(ctx, lambda x: relayout.cut(x, geometry.m, aval.shape),
                          outs[i], padded)
  return outs


def _padded_out(aval, geometry: Geometry, wanted: dict):
  """The aval of a result with the sizes that the plan pads m and n to."""
  if (wanted["m"], wanted["n"]) == (geometry.m, geometry.n):
    return aval
  lead = len(geometry.out_shape()) - 2
  # A gated result is not padded, and may have more columns or two dimensions of them.
  columns = math.prod(aval.shape[lead + 1:]) + wanted["n"] - geometry.n
  return _reshaped(aval, (*aval.shape[:lead], wanted["m"], columns))


def _prepared(ctx, operands, geometry: Geometry, chosen: dict, bias: bool, scale: bool):
  """(operands, avals) as the plan's kernel reads them."""
  operands, avals = list(operands), list(ctx.avals_in)

  def apply(i, fun):
    operands[i], avals[i] = _apply(ctx, fun, operands[i], avals[i])

  # k is the last dimension of each or the one before.
  contracting = geometry.lhs_contracting, geometry.rhs_contracting
  across_groups = geometry.ragged == "k"
  for i, (axis, dtype) in enumerate(zip(contracting, chosen["operand_dtypes"])):
    if chosen["passes"] == 3:
      apply(i, lambda x: split_in_three(
          x.astype(jnp.float32), axis - 2, i == 0, dtype, across_groups))
    elif avals[i].dtype != dtype:
      apply(i, lambda x: x.astype(dtype))
  if chosen["passes"] == 3 and across_groups:
    apply(2, lambda sizes: 3 * sizes)
  wanted = chosen["relayout"]
  rows = wanted["m"], wanted["n"] * (2 if geometry.gated else 1)
  for i, name in enumerate(("lhs", "rhs")):
    if wanted[name]:
      apply(i, lambda x: relayout.operand(
          x, contracting[i], wanted[f"{name}_contracting"], rows[i], wanted["k"]))
  if wanted["n"] != geometry.n:
    for i in range(len(operands) - bias - scale, len(operands)):
      apply(i, lambda x: relayout.columns(x, geometry.n, wanted["n"]))
  return operands, avals


def _apply(ctx, fun, operand, aval):
  """(fun(operand), its aval)."""
  result = jax.eval_shape(fun, jax.ShapeDtypeStruct(aval.shape, aval.dtype))
  new = _reshaped(aval, result.shape).update(dtype=result.dtype)
  lowered = mlir.lower_fun(fun, multiple_results=False)
  return lowered(ctx.replace(avals_in=[aval], avals_out=[new]), operand)[0], new


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


def _no_lowering(ctx, *_, **__):
  platforms = ", ".join(ctx.module_context.platforms)
  raise ValueError(
      f"The program is lowered for {platforms}; jaxgemm lowers for cpu, cuda and rocm. "
      "Pass implementation='xla' to leave the product to XLA.")


def register_lowerings(primitive: Primitive, rule, *, in_place: bool = False) -> None:
  """Registers rule(ctx, *operands, platform=..., **params) where there are kernels.

  in_place: the rule looks at what its operands are made from. Else jax may lower equal
  calls once, with arguments for operands.
  """
  mlir.register_lowering(primitive, _no_lowering)
  for platform in ("cpu", "cuda", "rocm"):
    mlir.register_lowering(primitive, functools.partial(rule, platform=platform),
                           platform=platform, cacheable=not in_place)


def _gemm_lowering(ctx, *operands, lhs_contracting, rhs_contracting, **params):
  lhs, rhs = ctx.avals_in[:2]
  geometry = Geometry.of(lhs.shape, rhs.shape, lhs_contracting, rhs_contracting)
  return lower_call(ctx, *operands, geometry=geometry, **params)


register_lowerings(gemm_p, _gemm_lowering)
