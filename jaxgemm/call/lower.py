"""The lowering of all products to one custom call.

The lowerings of `contract_p`, `ragged_p` and `chunked_p` (primitive.py of their folders) bind a
`kernel`, whose lowering for each platform is `lower_call`; that of `scaled_p` calls it itself.
`lower_call` makes the plan for the platform and emits "jaxgemm_gemm". The workspace is the call's
last result and is dropped here, so that no abstract value depends on the platform.
"""

import functools
import math
from typing import NamedTuple

import jax
from jax.extend.core import Primitive
from jax.extend.mlir.dialects import stablehlo
from jax.interpreters import mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm.call import copies
from jaxgemm.call.group_sizes import bounds_of_rows
from jaxgemm.call.options import QUANTIZE_OUT
from jaxgemm.call.plan import PLATFORMS, plan_call, require_built
from jaxgemm.call.primitives import reshaped
from jaxgemm.call.spec import Geometry, Spec

CALL_TARGET = "jaxgemm_gemm"
# The same call, which also starts the copy that brings the chunks of lhs: see chunked/producers.py.
CHUNKED_TARGET = "jaxgemm_chunked_gemm"
# The call that raises an error if a chunk did not arrive: see `_check_status`.
STATUS_TARGET = "jaxgemm_chunk_status"


# The dtypes of a quantised result's scales in the call. Those of "mx" are the bytes of E8M0.
SCALES_DTYPES = {"block": jnp.float32, "mx": jnp.uint8}


class Pairs(NamedTuple):
  """Operands and results whose last two dimensions are one dimension of columns for the kernel.

  Attributes:
    operands: the places of the operands.
    first_result: the place of the first of the results, or None.
  """

  operands: tuple[int, ...]
  first_result: int | None


def merge_columns(shape) -> tuple[int, ...]:
  """A shape with its last two dimensions as one."""
  return (*shape[:-2], shape[-2] * shape[-1])


def out_avals(lhs, shape, spec: Spec):
  """The types of a call's results, where out has this shape."""
  aval = reshaped(lhs, shape).update(dtype=spec.out_dtype, weak_type=spec.weak_type)
  preact = [aval.update(dtype=spec.preact_dtype)] * spec.save_preact
  if spec.quantize_out is None:
    return [aval, *preact]
  blocks = shape[-1] // QUANTIZE_OUT[spec.quantize_out]
  scales = reshaped(lhs, (*shape[:-1], blocks)).update(
      dtype=SCALES_DTYPES[spec.quantize_out], weak_type=False)
  return [aval, *preact, scales]


# The bits of a float32 that its high part keeps, by the dtype of the parts: the bits of tf32, or of
# bfloat16.
_HIGH_BITS = {jnp.dtype(jnp.float32): 0xFFFFE000, jnp.dtype(jnp.bfloat16): 0xFFFF0000}


def split_in_three(x, axis: int, is_lhs: bool, dtype=jnp.float32,
                   by_row: bool = False) -> jax.Array:
  """float32 as three parts along `axis`, which is k and becomes three times as long.

  x is high + low. lhs becomes [high, high, low] and rhs [high, low, high]. Their product is
  high * high + high * low + low * high, the sum that CUTLASS's 3xTF32 computes.

  Args:
    x: float32 array.
    axis: the dimension of x that is k.
    is_lhs: whether x is lhs.
    dtype: dtype of the parts: float32, for kernels that multiply it as tf32, or bfloat16.
    by_row: whether the three parts of each element are neighbours; else each part is one block.
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


def kernel(name: str, *operands, results, **params) -> list[jax.Array]:
  """Binds a kernel call.

  Args:
    name: that of its primitive, which profiles and messages show.
    results: the types of its results.
    params: the arguments of `lower_call`, but for the platform.
  """
  return _kernel_p(name).bind(*operands, results=tuple(results), **params)


@functools.cache
def _kernel_p(name: str) -> Primitive:
  primitive = Primitive(name)
  primitive.multiple_results = True
  primitive.def_abstract_eval(lambda *_, results, **__: results)
  register_lowerings(
      primitive, lambda ctx, *operands, results, **params: lower_call(ctx, *operands, **params))
  return primitive


def lower_call(ctx, *operands, geometry: Geometry, spec: Spec, platform: str,
               call_target: str = CALL_TARGET, pairs: Pairs | None = None, **vectors: int):
  """Lowers to the custom call; returns its results without the workspace.

  If lhs arrives in chunks, the last result is the status: whether all of them arrived.

  Args:
    geometry: the sizes and layouts of the operands.
    spec: what the call computes.
    platform: the platform that the program is lowered for.
    call_target: the name of the custom call.
    pairs: operands and results with two dimensions for their columns, or None.
    vectors: see `plan_call`.

  Raises:
    ValueError: see `plan_call`; or this build lacks the plan's kernel; or the emulator is asked
      for on another platform than the CPU.
  """
  if pairs is not None:
    call = functools.partial(lower_call, geometry=geometry, spec=spec, platform=platform,
                             call_target=call_target, pairs=None, **vectors)
    # The scales of a gated result have as many dimensions as that.
    end = len(ctx.avals_out) - (geometry.gated and spec.quantize_out is not None)
    return _with_one_dimension(ctx, operands, pairs, end, call)
  lhs, rhs = ctx.avals_in[:2]
  if spec.emulated is not None and platform != "cpu":
    raise ValueError(
        f"implementation='emulated:{spec.emulated}' was given for platform {platform}; "
        "the emulator runs on the CPU. Use jax.default_device(jax.devices('cpu')[0]), "
        "or leave implementation out.")
  target = spec.target(platform)
  chosen = plan_call(geometry, lhs.dtype, rhs.dtype, spec, target, **vectors)
  require_built(chosen, spec, target, platform)
  operands, avals_in = prepared(ctx, operands, geometry, chosen)
  workspace = jax.core.ShapedArray((chosen["workspace_bytes"],), jnp.uint8)
  names = chosen["operands"]
  aliases = {names.index("addend"): 0} if geometry.accumulate else None  # in place
  rule = jax.ffi.ffi_lowering(call_target, operand_output_aliases=aliases)
  chunked = geometry.tiles_per_chunk > 0
  given = ctx.avals_out[:-1] if chunked else ctx.avals_out
  avals_out = [_padded_out(x, geometry, chosen["relayout"]) for x in given]
  call_ctx = ctx.replace(avals_in=avals_in, avals_out=[*avals_out, workspace])
  outs = rule(call_ctx, *operands, **chosen["attrs"])
  outs = _check_status(call_ctx, outs, chosen, platform) if chunked else [*outs[:-1]]
  for i, (aval, padded) in enumerate(zip(given, avals_out)):
    if aval.shape != padded.shape:
      outs[i], _ = applied(ctx, lambda x: copies.cut(x, geometry.m, aval.shape),
                           outs[i], padded)
  return outs


def _padded_out(aval, geometry: Geometry, wanted: dict):
  """The aval of a result with the sizes that the plan pads m and n to."""
  if (wanted["m"], wanted["n"]) == (geometry.m, geometry.n):
    return aval
  lead = len(geometry.out_shape()) - 2
  # A gated result is not padded. It may have 2 n columns, in one dimension or in two.
  columns = math.prod(aval.shape[lead + 1:]) + wanted["n"] - geometry.n
  return reshaped(aval, (*aval.shape[:lead], wanted["m"], columns))


def prepared(ctx, operands, geometry: Geometry, chosen: dict):
  """(operands, avals), converted, split, padded and copied as the plan's kernel reads them."""
  operands, avals = list(operands), list(ctx.avals_in)

  def apply(i, fun):
    operands[i], avals[i] = applied(ctx, fun, operands[i], avals[i])

  wanted, names = chosen["relayout"], [*chosen["given_operands"]]
  for i, name in enumerate(("lhs", "rhs")):
    if wanted[f"gathers_{name}"]:
      at = names.index(f"{name}_indices")
      indices, of_indices = operands.pop(at), avals.pop(at)
      del names[at]
      gather, groups = copies.gathered, []
      # Our kernel copies only rows of groups; XLA fuses its copy with others.
      if not wanted[name] and (avals[i].ndim, of_indices.ndim, avals[2].ndim) == (2, 1, 1):
        gather = functools.partial(_gathered_rows, local_groups=geometry.local_groups)
        groups = [2] + [names.index("group_offset")] * geometry.group_offset
      operands[i], avals[i] = applied(
          ctx, gather, (operands[i], indices, *(operands[j] for j in groups)),
          (avals[i], of_indices, *(avals[j] for j in groups)))
  # k is the last dimension of an operand, or the one before it.
  contracting = geometry.lhs_contracting, geometry.rhs_contracting
  across_groups = geometry.ragged == "k"
  for i, (axis, dtype) in enumerate(zip(contracting, chosen["operand_dtypes"])):
    if chosen["passes"] == 3:
      apply(i, lambda x: split_in_three(
          x.astype(jnp.float32), axis - 2, i == 0, dtype, across_groups))
    elif avals[i].dtype != dtype:
      apply(i, lambda x: x.astype(dtype))
  if chosen["passes"] == 3 and across_groups:
    # Sizes beyond k are cut off there. Cut here, they stay in int32.
    apply(2, lambda sizes: 3 * jnp.minimum(sizes, geometry.k))
    for side, lines in ("lhs", geometry.lhs_lines), ("rhs", geometry.rhs_lines):
      if (name := f"{side}_indices") in names:
        parts = jnp.arange(3, dtype=jnp.int32)
        apply(names.index(name), lambda x: (
            3 * jnp.clip(x, -1, lines)[..., None] + parts).reshape(*x.shape[:-1], -1))
  rows = wanted["m"], wanted["n"] * (2 if geometry.gated else 1)
  for i, name in enumerate(("lhs", "rhs")):
    if wanted[name]:
      apply(i, lambda x: copies.operand(
          x, contracting[i], wanted[f"{name}_contracting"], rows[i], wanted["k"]))
  for name, (old, new) in wanted["vectors"].items():
    i = chosen["operands"].index(name)
    if avals[i].dtype == jnp.bfloat16 and not chosen["problem"].get("bias_bf16"):
      apply(i, lambda x: x.astype(jnp.float32))
    if old != new:
      apply(i, lambda x: copies.vector(x, old, new))
  return operands, avals


def _gathered_rows(x, indices, sizes, offset=None, *, local_groups: int):
  return copies.gathered_within(
      bounds_of_rows(sizes, offset, local_groups, indices.size), x, indices)


def in_order(first, then) -> list:
  """[first, *then], where XLA computes `first` before what reads one of `then`."""
  return list(stablehlo.OptimizationBarrierOp([first, *then]).results)


def fenced(values) -> list:
  """The same values, as the operands or results of a call with side effects.

  XLA for GPUs fuses the slice that a call reads, and the update of a slice that it gives, into the
  call (DynamicSliceFusionRewriter). It cannot remove the call itself if that has side effects, so
  the call would run twice.
  """
  return [stablehlo.OptimizationBarrierOp([x]).results[0] for x in values]


def applied(ctx, fun, operands, avals):
  """(the lowered fun(*operands), its aval). One operand may be given as it is."""
  if not isinstance(operands, tuple):
    operands, avals = (operands,), (avals,)
  result = jax.eval_shape(fun, *(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in avals))
  new = reshaped(avals[0], result.shape).update(dtype=result.dtype)
  lowered = mlir.lower_fun(fun, multiple_results=False)
  return lowered(ctx.replace(avals_in=[*avals], avals_out=[new]), *operands)[0], new


def _check_status(ctx, outs, chosen, platform: str):
  """Replaces the workspace, which is the last of outs, by the status.

  The program fails if a chunk did not arrive. On a GPU a second custom call checks this; its
  host thread waits for the product. On the CPU the product's own call raises the error.
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


def register_lowerings(primitive: Primitive, rule) -> None:
  """Registers rule(ctx, *operands, platform=..., **params) for the kernels' platforms."""
  mlir.register_lowering(primitive, _no_lowering)
  for platform in PLATFORMS:
    mlir.register_lowering(primitive, functools.partial(rule, platform=platform),
                           platform=platform)


def require_platforms(ctx) -> None:
  """Raises ValueError if a program is lowered for a platform without kernels.

  It is for rules that look at the operations around a product, which are registered for all
  platforms: for one that has several rules jax 0.10 cannot lower such a primitive for several
  platforms. jax lowers other primitives once for equal calls, and these for each.
  """
  if not {*(ctx.platforms or ctx.module_context.platforms)} <= {*PLATFORMS}:
    _no_lowering(ctx)


def lower_kernel(ctx, *operands, **params):
  """Lowers a `kernel` with the types and the name of ctx; see there for the parameters."""
  bind = functools.partial(kernel, ctx.primitive.name, results=ctx.avals_out, **params)
  return mlir.lower_fun(bind, multiple_results=True)(ctx, *operands)


def _with_one_dimension(ctx, operands, pairs: Pairs, end: int, call):
  """call(ctx, *operands) of arrays with one dimension for columns, as the kernel has them.

  The results of `pairs` are those before the place `end`.
  """
  operands, avals_in, avals_out = list(operands), list(ctx.avals_in), list(ctx.avals_out)
  for i in pairs.operands:
    operands[i], avals_in[i] = applied(
        ctx, lambda x: jnp.reshape(x, merge_columns(x.shape)), operands[i], avals_in[i])
  results = () if pairs.first_result is None else range(pairs.first_result, end)
  for i in results:
    avals_out[i] = reshaped(avals_out[i], merge_columns(avals_out[i].shape))
  outs = [*call(ctx.replace(avals_in=avals_in, avals_out=avals_out), *operands)]
  for i in results:
    outs[i], _ = applied(
        ctx, lambda x: jnp.reshape(x, ctx.avals_out[i].shape), outs[i], avals_out[i])
  return outs
