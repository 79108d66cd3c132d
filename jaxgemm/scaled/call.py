"""Decides who computes a call: a kernel that applies the scales of blocks, or another product."""

import functools
import math
import numbers
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.dtypes import has_4_bits, is_float4
from jaxgemm.call.fallback import XLA_WAS_ASKED, lack
from jaxgemm.call.options import Options, use_emulator
from jaxgemm.call.quantization import (
  BLOCKS,
  check_blocks,
  of_results,
  operand_of_quantized,
  quantize,
)
from jaxgemm.call.quantized import dequantized_dtype
from jaxgemm.call.spec import Spec
from jaxgemm.dense.api import dot_general
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.grouped.checks import K_LAST
from jaxgemm.scaled.primitive import product
from jaxgemm.scaled.product import PRODUCT, ScaledParams
from jaxgemm.scaled.sharding import BLOCK
from jaxgemm.sharding import mesh as meshes

_NUMBERS = (((2,), (2,)), ((0,), (0,)))
RAGGED = {
    "m": K_LAST,
    "k": lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (1,), ())}


class Given(NamedTuple):
  """The arrays of a call; None for one that was not given."""

  lhs: Any
  rhs: Any
  lhs_scales: Any
  rhs_scales: Any
  sizes: Any = None
  offset: Any = None
  bias: Any = None


class Call(NamedTuple):
  """The other arguments of a call.

  Attributes:
    block: elements along k in a block, or None if K is a multiple of it.
    ragged: "none", "m" or "k"; see primitive.py.
    options: see there; preferred_element_type is the dtype of the result.
  """

  block: int | None
  ragged: str
  options: Options


def _check(name, x, scales, block: int | None) -> None:
  """Raises ValueError if the shape of an operand's scales does not fit the operand."""
  if scales.ndim != x.ndim:
    raise ValueError(
        f"{name} has shape {x.shape} and {name}_scales {scales.shape}; the same number of "
        "dimensions is allowed. For one scale for each row pass scales with 1 in the place of K.")
  *lead, rows, k = x.shape
  blocks = scales.shape[-1]
  counts = {rows, math.ceil(rows / BLOCK)}
  fits = (blocks in (1, math.ceil(k / block)) if block else
          k % blocks == 0 if blocks else k == 0)
  if (*scales.shape[:-2],) != (*lead,) or scales.shape[-2] not in counts or not fits:
    allowed = f"1 or {math.ceil(k / block)}" if block else f"a divisor of K={k}"
    raise ValueError(
        f"{name}_scales has shape {scales.shape} for {name} of shape {x.shape}; the shape (..., "
        f"rows, blocks) is allowed, where rows is {rows}, or {math.ceil(rows / BLOCK)} for one "
        f"scale for {BLOCK} rows, and blocks is {allowed}. If the last block is shorter than the "
        "others, pass block=, the number of elements along k in a block.")


def _block_of(k: int, count: int, block: int | None) -> int:
  """The number of elements along k that share a scale."""
  return max(k, 1) if count == 1 else block or k // max(count, 1) or 1


def _along(scales, block: int, size: int, axis: int):
  """Scales of blocks as one scale for each of the `size` elements of an axis.

  Scales that already are so many are returned as they are.
  """
  if scales.shape[axis] == size:
    return scales
  return lax.slice_in_dim(jnp.repeat(scales, block, axis), 0, size, axis=axis)


def _with_8_bits(x):
  """x; values of 4 bits are cast to dtypes of 8 bits that have them."""
  if not has_4_bits(x.dtype):
    return x
  return x.astype(jnp.float8_e4m3fn if is_float4(x.dtype) else jnp.int8)


def _dequantized_dtype(dtype, of_other):
  """The dtype of a dequantised operand.

  It is bfloat16 for dtypes all of whose values it has (float8, bfloat16), else float32. Values of
  4 bits, as weights have them, take the dtype of the other operand, if that has more than 8 bits.
  """
  if has_4_bits(dtype):
    return dequantized_dtype(of_other)
  small = jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1 or dtype == jnp.bfloat16
  return jnp.dtype(jnp.bfloat16 if small else jnp.float32)


def _dequantized(x, scales, block: int | None, of_other):
  """(x times its scales of blocks, None), or (x, its scales) if there is one scale for each row."""
  rows, k = x.shape[-2:]
  scales = scales.astype(jnp.float32)
  if scales.shape[-1] == 1:
    return _with_8_bits(x), _along(scales, BLOCK, rows, x.ndim - 2)
  scales = _along(scales, _block_of(k, scales.shape[-1], block), k, x.ndim - 1)
  scales = _along(scales, BLOCK, rows, x.ndim - 2)
  return (x.astype(jnp.float32) * scales).astype(_dequantized_dtype(x.dtype, of_other)), None


def _by_whole_sums(call: Call, given: Given) -> jax.Array:
  """The product by `dot_general` or `ragged_dot_general`, which scale whole sums over k.

  An operand with several blocks along k is dequantised first.
  """
  lhs, scale_lhs = _dequantized(given.lhs, given.lhs_scales, call.block, given.rhs.dtype)
  rhs, scale_rhs = _dequantized(given.rhs, given.rhs_scales, call.block, given.lhs.dtype)
  out_dtype = call.options.preferred_element_type
  options = call.options.keywords() | {"preferred_element_type": out_dtype}
  if call.ragged == "none":
    return dot_general(lhs, rhs, _NUMBERS, scale_lhs=scale_lhs, scale_rhs=scale_rhs,
                       bias=given.bias, **options)
  if call.ragged == "k":
    local = None if given.offset is None else given.sizes.shape[-1]
    out = ragged_dot_general(
        lhs, rhs, given.sizes, RAGGED["k"], group_offset=given.offset, num_local_groups=local,
        **options | dict(preferred_element_type=jnp.float32))
    for scale, axis in zip((scale_lhs, scale_rhs), (2, 1)):
      out = out if scale is None else out * jnp.expand_dims(scale[:, 0], (0, axis))
    return out.astype(out_dtype)
  return ragged_dot_general(
      lhs, rhs, given.sizes, RAGGED["m"], group_offset=given.offset, scale_lhs=scale_lhs,
      scale_rhs=scale_rhs, bias=given.bias, **options)


def _is_mx(given: Given, own: list[int]) -> bool:
  """Whether the scales are those of an MX format.

  Args:
    own: elements along k in a block of lhs, and of rhs.
  """
  pairs = (given.lhs, given.lhs_scales), (given.rhs, given.rhs_scales)
  return own == [BLOCKS["mx"]] * 2 and all(
      scales.dtype == jnp.float8_e8m0fnu and scales.shape[-2] == x.shape[-2]
      for x, scales in pairs)


def _reads_float4(given: Given, own: list[int]) -> bool:
  """Whether both operands are float4 that the kernels of the MX formats read from memory.

  Those kernels read whole vectors of 16 bytes, which is 32 elements along k.
  """
  return _is_mx(given, own) and is_float4(given.lhs.dtype) and is_float4(given.rhs.dtype) and (
      given.lhs.shape[-1] % 32 == 0)


def _prepared(call: Call, given: Given) -> tuple[Given, ScaledParams]:
  """(arrays, form): the arrays as the kernels read them, with blocks of one size."""
  k = given.lhs.shape[-1]
  own = [_block_of(k, x.shape[-1], call.block) for x in (given.lhs_scales, given.rhs_scales)]
  mx = _is_mx(given, own)
  float4 = _reads_float4(given, own)
  block = call.block or math.gcd(*own)
  block = BLOCK if block % BLOCK == 0 else block
  blocks = math.ceil(k / block)

  def scales_of(scales, of_block):
    if mx:
      return lax.bitcast_convert_type(scales, jnp.uint8)
    scales = scales.astype(jnp.float32)
    if scales.shape[-1] == 1:
      return jnp.broadcast_to(scales, (*scales.shape[:-1], blocks))
    return _along(scales, of_block // block, blocks, scales.ndim - 1)

  def values(x):
    return x if float4 else _with_8_bits(x)

  rows, columns = given.lhs.shape[-2], given.rhs.shape[-2]
  lhs_scales = _along(scales_of(given.lhs_scales, own[0]), BLOCK, rows, given.lhs.ndim - 2)
  rhs_scales = scales_of(given.rhs_scales, own[1])
  form = ScaledParams(
      block, block_n=1 if rhs_scales.shape[-2] == columns else BLOCK, mode=call.ragged, mx=mx,
      local_groups=0 if given.sizes is None else given.sizes.shape[-1])
  if call.ragged == "m":
    form = form._replace(local_groups=given.rhs.shape[0])
  if form.block_n == 1 and not mx:
    rhs_scales = jnp.swapaxes(rhs_scales, -1, -2)
  bias = None if given.bias is None else given.bias.astype(jnp.float32)
  if bias is not None and call.ragged == "m":
    bias = jnp.broadcast_to(bias, (form.local_groups, columns))
  return given._replace(
      lhs=values(given.lhs), rhs=values(given.rhs), lhs_scales=lhs_scales, rhs_scales=rhs_scales,
      bias=bias), form


def _abstract(call: Call, given: Given) -> tuple[Given, ScaledParams]:
  """`_prepared` for shapes alone: nothing is computed."""
  forms = []

  def arrays(given):
    prepared, form = _prepared(call, given)
    forms.append(form)
    return prepared

  return jax.eval_shape(arrays, given), forms[0]


def _spec(call: Call) -> Spec:
  return Spec.of(call.options.preferred_element_type, call.options)


def _reason(call: Call, given: Given) -> str:
  """Why the kernels do not apply the scales of blocks; "" if they do."""
  own = [_block_of(given.lhs.shape[-1], x.shape[-1], call.block)
         for x in (given.lhs_scales, given.rhs_scales)]
  if given.lhs_scales.shape[-1] == given.rhs_scales.shape[-1] == 1 and (
      not _reads_float4(given, own)):
    return "the operands have scales of rows, which are applied to whole sums"
  if call.options.implementation == "xla":
    return XLA_WAS_ASKED
  if not given.lhs.shape[-1]:
    return "k is 0, so that there is nothing to sum"
  spec = _spec(call)
  prepared, form = _abstract(call, given)
  # If a target has no kernel for float4, the product is one of float8.
  lhs, rhs = (jax.eval_shape(_with_8_bits, x) for x in (prepared.lhs, prepared.rhs))
  result = jax.ShapeDtypeStruct((), spec.out_dtype)
  if reason := lack(lhs, rhs, result, given.lhs.shape[-1], call.options, splits=False).reason:
    return reason
  if meshes.explicit_mesh(given.lhs, given.rhs) is not None:
    return ("the mesh has explicit axes, where the kernels do not apply scales of blocks; they do "
            "on automatic axes and inside jax.shard_map")
  order = prepared.lhs, prepared.rhs, prepared.sizes, prepared.offset
  operands = [x for x in (*order, prepared.lhs_scales, prepared.rhs_scales, prepared.bias)
              if x is not None]
  form = form._replace(offset=given.offset is not None, bias=given.bias is not None)
  try:
    PRODUCT.plan(operands, {"form": form, "spec": spec}, spec.target(_ffi.default_platform()))
  except ValueError as error:
    return str(error).removesuffix(".")
  return ""


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _by_blocks(call: Call, given: Given) -> list[jax.Array]:
  """The results of a kernel that applies the scales of blocks."""
  spec = _spec(call)
  if spec.emulated is not None:
    use_emulator()
  x, form = _prepared(call, given)
  return product(x.lhs, x.rhs, x.sizes, x.offset, x.lhs_scales, x.rhs_scales, x.bias, form=form,
                 spec=spec, partition=meshes.needs_partitioning_rule(spec.config.partition))


@_by_blocks.defjvp
def _jvp(call, primals, tangents):
  _, tangent = jax.jvp(functools.partial(_by_whole_sums, call), primals, tangents)
  return _by_blocks(call, *primals), [tangent]


@functools.partial(jax.jit, static_argnums=0, inline=True)
def _jitted(call: Call, given: Given) -> Any:
  kind, dtype = call.options.quantize_out, call.options.preferred_element_type
  if kind is None:
    return _by_whole_sums(call, given) if _reason(call, given) else _by_blocks(call, given)[0]
  given = jax.tree.map(operand_of_quantized, given)
  check_blocks(kind, (given.rhs.shape[-2],))
  if not _reason(call, given):
    return of_results(kind, *_by_blocks(call, given))
  out = _jitted(call._replace(options=call.options._replace(
      quantize_out=None, preferred_element_type=jnp.dtype(jnp.float32))), given)
  return quantize(out, kind, dtype=dtype)


def computed(call: Call, given: Given) -> Any:
  if call.block is not None and (
      isinstance(call.block, bool) or not isinstance(call.block, numbers.Integral)):
    raise TypeError(
        f"block={call.block!r} was given; an int, or None, is allowed. Pass the number of "
        "elements along k in a block.")
  if call.block is not None and call.block < 1:
    raise ValueError(
        f"block={call.block} was given; 1 or more is allowed. Leave it out for blocks of equal "
        "sizes.")
  call = _wide_by_default(call)
  _check("lhs", given.lhs, given.lhs_scales, call.block)
  _check("rhs", given.rhs, given.rhs_scales, call.block)
  return _jitted(call, given)


def _wide_by_default(call: Call) -> Call:
  """The call with float32 as the dtype of a result that has none."""
  if call.options.preferred_element_type is not None:
    return call
  return call._replace(options=call.options._replace(
      preferred_element_type=jnp.dtype(jnp.float32)))


def reasons(lhs, rhs, *, rhs_scales, lhs_scales=None, group_sizes=None, block=None, bias=None,
            group_offset=None, ragged="m", **options) -> list[str]:
  """Sentences on how `scaled_matmul` or `scaled_ragged_dot` converts operands before the kernel."""
  call = _wide_by_default(
      Call(block, "none" if group_sizes is None else ragged, Options.of(options)))
  if lhs_scales is None:
    lhs_scales = jax.ShapeDtypeStruct((*lhs.shape[:-1], 1), jnp.float32)
  given = Given(lhs, rhs, lhs_scales, rhs_scales, group_sizes, group_offset, bias)
  why = _reason(call, given)
  pairs = ("lhs", lhs, lhs_scales), ("rhs", rhs, rhs_scales)
  if not why:
    own = [_block_of(x.shape[-1], scales.shape[-1], block) for _, x, scales in pairs]
    if _reads_float4(given, own):
      return []
    return [
        f"{name} is converted from {x.dtype.name} to {jax.eval_shape(_with_8_bits, x).dtype.name} "
        "first: the kernels read values of 4 bits only if both operands have float4 with the "
        "scales of an MX format, and k is a multiple of 32"
        for name, x, _ in pairs if has_4_bits(x.dtype)]
  return [
      f"{name} is dequantised to {_dequantized_dtype(x.dtype, other.dtype).name} first: it has "
      f"a scale for each block of {_block_of(x.shape[-1], scales.shape[-1], block)} along k, and "
      f"{why}"
      for (name, x, scales), (_, other, _) in zip(pairs, pairs[::-1]) if scales.shape[-1] != 1]
