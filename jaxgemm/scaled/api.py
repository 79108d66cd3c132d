"""scaled_matmul and scaled_ragged_dot: products of operands with scales of blocks of k."""

import functools
import math
import numbers
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm import mesh as meshes
from jaxgemm.config import GemmConfig, resolve
from jaxgemm.dense.api import dot_general
from jaxgemm.dtypes import is_float4
from jaxgemm.fallback import support
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.grouped.checks import K_LAST
from jaxgemm.options import array_argument, check_options, emulated_arch
from jaxgemm.quantization import BLOCKS
from jaxgemm.scaled.primitive import ScaledParams, plan_scaled, product
from jaxgemm.scaled.sharding import BLOCK
from jaxgemm.spec import Spec

_NUMBERS = (((2,), (2,)), ((0,), (0,)))
_RAGGED = {
    "m": K_LAST,
    "k": lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (1,), ())}


class _Given(NamedTuple):
  """The arrays of a call; None for one that was not given."""

  lhs: Any
  rhs: Any
  lhs_scales: Any
  rhs_scales: Any
  sizes: Any = None
  offset: Any = None
  bias: Any = None


class _Call(NamedTuple):
  """What else a call has.

  Attributes:
    block: number of k in a block, or None: blocks are of equal sizes.
    ragged: "none", "m" or "k"; see primitive.py.
    out_dtype: of the result.
    options: of `jaxgemm.matmul`, as sorted pairs.
  """

  block: int | None
  ragged: str
  out_dtype: Any
  options: tuple[tuple[str, Any], ...]


def _check(name, x, scales, block: int | None) -> None:
  """Raises ValueError for scales that do not belong to an operand."""
  if scales.ndim != x.ndim:
    raise ValueError(
        f"{name} has shape {x.shape} and {name}_scales {scales.shape}; they have the same number "
        "of dimensions. An operand with a scale for each row has 1 in the place of K.")
  *lead, rows, k = x.shape
  blocks = scales.shape[-1]
  counts = {rows, math.ceil(rows / BLOCK)}
  fits = blocks in (1, math.ceil(k / block)) if block else blocks > 0 and k % blocks == 0
  if (*scales.shape[:-2],) != (*lead,) or scales.shape[-2] not in counts or not fits:
    allowed = f"1 or {math.ceil(k / block)}" if block else f"a divisor of K={k}"
    raise ValueError(
        f"{name}_scales has shape {scales.shape} for {name} of shape {x.shape}; the shape (..., "
        f"rows, blocks) is allowed, where rows is {rows}, or {math.ceil(rows / BLOCK)} for one "
        f"scale for {BLOCK} rows, and blocks is {allowed}. If the last block is shorter than the "
        "others, pass block=, the number of k in a block.")


def _block_of(k: int, count: int, block: int | None) -> int:
  """The number of k that share a scale."""
  return max(k, 1) if count == 1 else block or k // count


def _along(scales, block: int, size: int, axis: int):
  """Scales for blocks of `block` as scales for each element of an axis of a size."""
  if scales.shape[axis] == size:
    return scales
  return lax.slice_in_dim(jnp.repeat(scales, block, axis), 0, size, axis=axis)


def _float8_for_float4(x):
  """float8 has every value of float4."""
  return x.astype(jnp.float8_e4m3fn) if is_float4(x.dtype) else x


def _dequantized_dtype(dtype):
  """bfloat16 for float8, float4 and bfloat16, all of whose values it has; else float32."""
  small = jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1 or dtype == jnp.bfloat16
  return jnp.dtype(jnp.bfloat16 if small else jnp.float32)


def _dequantized(x, scales, block: int | None):
  """(x or x times its scales, the scales that are left)."""
  rows, k = x.shape[-2:]
  scales = scales.astype(jnp.float32)
  if scales.shape[-1] == 1:
    return _float8_for_float4(x), _along(scales, BLOCK, rows, x.ndim - 2)
  scales = _along(scales, _block_of(k, scales.shape[-1], block), k, x.ndim - 1)
  scales = _along(scales, BLOCK, rows, x.ndim - 2)
  return (x.astype(jnp.float32) * scales).astype(_dequantized_dtype(x.dtype)), None


def _by_whole_sums(call: _Call, given: _Given) -> jax.Array:
  """The product of operands that are dequantised first if they have blocks along k."""
  lhs, scale_lhs = _dequantized(given.lhs, given.lhs_scales, call.block)
  rhs, scale_rhs = _dequantized(given.rhs, given.rhs_scales, call.block)
  options = dict(call.options, preferred_element_type=call.out_dtype)
  if call.ragged == "none":
    return dot_general(lhs, rhs, _NUMBERS, scale_lhs=scale_lhs, scale_rhs=scale_rhs,
                       bias=given.bias, **options)
  if call.ragged == "k":
    local = None if given.offset is None else given.sizes.shape[-1]
    out = ragged_dot_general(
        lhs, rhs, given.sizes, _RAGGED["k"], group_offset=given.offset, num_local_groups=local,
        **options | dict(preferred_element_type=jnp.float32))
    for scale, axis in zip((scale_lhs, scale_rhs), (2, 1)):
      out = out if scale is None else out * jnp.expand_dims(scale[:, 0], (0, axis))
    return out.astype(call.out_dtype)
  return ragged_dot_general(
      lhs, rhs, given.sizes, _RAGGED["m"], group_offset=given.offset, scale_lhs=scale_lhs,
      scale_rhs=scale_rhs, bias=given.bias, **options)


def _is_mx(given: _Given, own: list[int]) -> bool:
  """Whether the scales, of blocks of these numbers of k, are those of an MX format."""
  pairs = (given.lhs, given.lhs_scales), (given.rhs, given.rhs_scales)
  return own == [BLOCKS["mx"]] * 2 and all(
      scales.dtype == jnp.float8_e8m0fnu and scales.shape[-2] == x.shape[-2]
      for x, scales in pairs)


def _reads_float4(given: _Given, own: list[int]) -> bool:
  """Whether the kernels of the MX formats read both operands, of float4, as they are in memory.

  They read whole vectors of 16 bytes.
  """
  return _is_mx(given, own) and is_float4(given.lhs.dtype) and is_float4(given.rhs.dtype) and (
      given.lhs.shape[-1] % 32 == 0)


def _prepared(call: _Call, given: _Given) -> tuple[_Given, ScaledParams]:
  """The arrays as the kernels read them, with blocks of one size, and the primitive's form."""
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
    return x if float4 else _float8_for_float4(x)

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


def _abstract(call: _Call, given: _Given) -> tuple[_Given, ScaledParams]:
  """`_prepared` of shapes, which runs nothing."""
  forms = []

  def arrays(given):
    prepared, form = _prepared(call, given)
    forms.append(form)
    return prepared

  return jax.eval_shape(arrays, given), forms[0]


def _spec(call: _Call) -> Spec:
  options = dict(call.options)
  config = resolve(options["config"], options["schedule"], options["reduction"],
                   options["deterministic"])
  return Spec(jnp.dtype(call.out_dtype), options["activation"], config=config,
              deterministic=options["deterministic"],
              emulated=emulated_arch(options["implementation"]))


def _reason(call: _Call, given: _Given) -> str | None:
  """Why the kernels do not apply the scales of blocks, or None: they do."""
  own = [_block_of(given.lhs.shape[-1], x.shape[-1], call.block)
         for x in (given.lhs_scales, given.rhs_scales)]
  if given.lhs_scales.shape[-1] == given.rhs_scales.shape[-1] == 1 and (
      not _reads_float4(given, own)):
    return "the operands have scales of rows, which are applied to whole sums"
  if dict(call.options)["implementation"] == "xla":
    return "implementation='xla' was given"
  spec = _spec(call)
  prepared, form = _abstract(call, given)
  # A product of float4 is one of float8 where a target has no kernel for it.
  lhs, rhs = (jax.eval_shape(_float8_for_float4, x) for x in (prepared.lhs, prepared.rhs))
  _, reason = support(lhs, rhs, spec.out_dtype, given.lhs.shape[-1], None, spec.emulated,
                      splits=False)
  if reason is not None:
    return reason
  if meshes.explicit_mesh(given.lhs, given.rhs) is not None:
    return ("the mesh has explicit axes, on which the kernels do not apply scales of blocks; "
            "automatic axes or jax.shard_map allow it")
  order = prepared.lhs, prepared.rhs, prepared.sizes, prepared.offset
  operands = [x for x in (*order, prepared.lhs_scales, prepared.rhs_scales, prepared.bias)
              if x is not None]
  form = form._replace(offset=given.offset is not None, bias=given.bias is not None)
  try:
    plan_scaled(operands, form, spec, spec.target(_ffi.default_platform()))
  except ValueError as error:
    return str(error).removesuffix(".")
  return None



@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _by_blocks(call: _Call, given: _Given) -> jax.Array:
  """The product with the scales of blocks in the kernel."""
  spec = _spec(call)
  if spec.emulated is not None:
    _ffi.use_emulator()
  x, form = _prepared(call, given)
  return product(x.lhs, x.rhs, x.sizes, x.offset, x.lhs_scales, x.rhs_scales, x.bias, form=form,
                 spec=spec, partition=meshes.needs_partitioning_rule(spec.config.partition))


@_by_blocks.defjvp
def _jvp(call, primals, tangents):
  _, tangent = jax.jvp(functools.partial(_by_whole_sums, call), primals, tangents)
  return _by_blocks(call, *primals), tangent


@functools.partial(jax.jit, static_argnums=0, inline=True)
def _jitted(call: _Call, given: _Given) -> jax.Array:
  by_blocks = _reason(call, given) is None
  return (_by_blocks if by_blocks else _by_whole_sums)(call, given)


def _compute(call: _Call, given: _Given) -> jax.Array:
  check_options(**dict(call.options), preferred_element_type=call.out_dtype)
  if call.block is not None and (
      isinstance(call.block, bool) or not isinstance(call.block, numbers.Integral)):
    raise TypeError(f"block={call.block!r} was given; an int, or None, is allowed.")
  if call.block is not None and call.block < 1:
    raise ValueError(f"block={call.block} was given; 1 or more is allowed.")
  _check("lhs", given.lhs, given.lhs_scales, call.block)
  _check("rhs", given.rhs, given.rhs_scales, call.block)
  return _jitted(call, given)


def reasons(lhs, rhs, *, lhs_scales, rhs_scales, group_sizes=None, block=None, bias=None,
            group_offset=None, preferred_element_type=jnp.float32, ragged="m",
            **options) -> list[str]:
  """What `scaled_matmul` or `scaled_ragged_dot` does to its operands before the kernel."""
  options = dict(activation=None, schedule=None, reduction=None, deterministic=False, config=None,
                 implementation=None) | options
  call = _Call(block, "none" if group_sizes is None else ragged, preferred_element_type,
               tuple(sorted(options.items())))
  given = _Given(lhs, rhs, lhs_scales, rhs_scales, group_sizes, group_offset, bias)
  why = _reason(call, given)
  pairs = ("lhs", lhs, lhs_scales), ("rhs", rhs, rhs_scales)
  if why is None:
    own = [_block_of(x.shape[-1], scales.shape[-1], block) for _, x, scales in pairs]
    if _reads_float4(given, own):
      return []
    return [
        f"{name} is converted from {x.dtype.name} to float8_e4m3fn first: the kernels read float4 "
        "only if both operands have it, with the scales of an MX format, and k is a multiple of 32"
        for name, x, _ in pairs if is_float4(x.dtype)]
  return [
      f"{name} is dequantised to {_dequantized_dtype(x.dtype).name} first: it has a scale for "
      f"each block of {_block_of(x.shape[-1], scales.shape[-1], block)} along k, and {why}"
      for name, x, scales in pairs if scales.shape[-1] != 1]


def _arrays(**given):
  return (jnp.asarray(array_argument(name, x)) for name, x in given.items())


def scaled_matmul(
    lhs: jax.Array,
    rhs: jax.Array,
    lhs_scales: jax.Array,
    rhs_scales: jax.Array,
    preferred_element_type=jnp.float32,
    *,
    block: int | None = None,
    bias: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.nn.scaled_matmul`: the product of operands with scales for blocks of k.

  A kernel with scales of blocks sums over each block of k by itself, multiplies that sum by the
  scales of its blocks, and adds it to float32 accumulators, as DeepGEMM does. On gfx950 the matrix
  instruction itself multiplies by the scales of the MX formats; two operands of float4_e2m1fn are
  read as they are there if K is a multiple of 32. Other float4 values are cast to float8. An
  operand with one scale for each row (K_a or K_b is 1) is read as it is everywhere. Where the
  kernels do not have the blocks, such an operand is dequantised first, by XLA: float8, float4 and
  bfloat16 to bfloat16, others to float32. In the range of bfloat16 this is exact for float8 and
  float4 values with scales that are powers of two (MXFP8, MXFP4); values with other scales are
  rounded to bfloat16. `jaxgemm.explain(lhs, rhs, lhs_scales=..., rhs_scales=...)` says which
  operands these are, and why. Derivatives are those of the dequantised product.

  Args:
    lhs: array of shape (B, M, K).
    rhs: array of shape (B, N, K).
    lhs_scales: array of shape (B, M, K_a), where K_a divides K; or (B, M / 128, K_a), rounded up,
      with a scale for each 128 rows.
    rhs_scales: array of shape (B, N, K_b) or (B, N / 128, K_b), likewise.
    preferred_element_type: dtype of the result.
    block: number of k in a block; the last one may be shorter. Default: K / K_a and K / K_b.
    bias: see `jaxgemm.matmul`.
    activation, schedule, reduction, deterministic, config, implementation: see `jaxgemm.matmul`.

  Returns:
    An array of shape (B, M, N).

  Raises:
    ValueError, TypeError: see `jaxgemm.matmul`.
  """
  lhs, rhs, lhs_scales, rhs_scales = _arrays(
      lhs=lhs, rhs=rhs, lhs_scales=lhs_scales, rhs_scales=rhs_scales)
  for name, x in (("lhs", lhs), ("rhs", rhs)):
    if x.ndim != 3:
      raise ValueError(
          f"{name} has shape {x.shape}; (B, rows, K) is allowed. Add a batch by x[None], or use "
          "jaxgemm.matmul with scale_lhs and scale_rhs.")
  if lhs.shape[0] != rhs.shape[0] or lhs.shape[2] != rhs.shape[2]:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs {rhs.shape}; (B, M, K) and (B, N, K) are allowed.")
  options = dict(activation=activation, schedule=schedule, reduction=reduction,
                 deterministic=deterministic, config=config, implementation=implementation)
  return _compute(
      _Call(block, "none", preferred_element_type, tuple(sorted(options.items()))),
      _Given(lhs, rhs, lhs_scales, rhs_scales, bias=bias))


def scaled_ragged_dot(
    lhs: jax.Array,
    rhs: jax.Array,
    group_sizes: jax.Array,
    lhs_scales: jax.Array,
    rhs_scales: jax.Array,
    preferred_element_type=jnp.float32,
    group_offset: jax.Array | None = None,
    *,
    ragged: str = "m",
    block: int | None = None,
    bias: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """A product of groups, for mixtures of experts, of operands with scales for blocks of k.

  k is the last dimension of both operands, as `jaxgemm.scaled_matmul` has it and as float8 is read
  fastest. It is else as `jaxgemm.ragged_dot`.

  Args:
    lhs: array of shape (M, K), the rows of all groups one after another.
    rhs: array of shape (G, N, K); with ragged="k" (N, K).
    group_sizes: array of shape (G,), of integers; see `jaxgemm.ragged_dot`.
    lhs_scales: array of shape (M, K_a), or with a scale for each 128 rows (M / 128, K_a).
    rhs_scales: array of shape (G, N, K_b) or (G, N / 128, K_b); with ragged="k" without G. See
      `jaxgemm.scaled_matmul` for both.
    preferred_element_type: dtype of the result.
    group_offset: see `jaxgemm.ragged_dot`.
    ragged: "m": the sizes cut lhs's rows. "k": they cut k, as the gradient of rhs needs it. Blocks
      are counted from the first k of all groups, so a group may begin inside one.
    block: see `jaxgemm.scaled_matmul`.
    bias: array of shape (G, N) or (N,); not with ragged="k".
    activation: see `jaxgemm.matmul`; not with ragged="k".
    schedule, reduction, deterministic, config, implementation: see `jaxgemm.matmul`.

  Returns:
    An array of shape (M, N), with ragged="k" (G, M, N).

  Raises:
    ValueError, TypeError: see `jaxgemm.ragged_dot`.
  """
  if ragged not in _RAGGED:
    raise ValueError(f"ragged={ragged!r} was given; 'm' and 'k' are allowed.")
  lhs, rhs, group_sizes, lhs_scales, rhs_scales = _arrays(
      lhs=lhs, rhs=rhs, group_sizes=group_sizes, lhs_scales=lhs_scales, rhs_scales=rhs_scales)
  if lhs.ndim != 2 or rhs.ndim != (3 if ragged == "m" else 2) or lhs.shape[-1] != rhs.shape[-1]:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs {rhs.shape}; (M, K) and "
        f"{'(G, N, K)' if ragged == 'm' else '(N, K)'} are allowed.")
  if not jnp.issubdtype(group_sizes.dtype, jnp.integer):
    raise TypeError(
        f"group_sizes has dtype {group_sizes.dtype.name}; integers are allowed. Pass "
        "group_sizes.astype(jnp.int32).")
  if ragged == "k" and (bias is not None or activation is not None):
    raise ValueError("bias and activation do not go with ragged='k'. Apply them to the result.")
  options = dict(activation=activation, schedule=schedule, reduction=reduction,
                 deterministic=deterministic, config=config, implementation=implementation)
  return _compute(
      _Call(block, ragged, preferred_element_type, tuple(sorted(options.items()))),
      _Given(lhs, rhs, lhs_scales, rhs_scales, group_sizes.astype(jnp.int32), group_offset, bias))
