"""The common part of ragged_dot, ragged_dot_general and ragged_gated_linear_unit.

A call is checked as jax checks its own calls, arranged for the kernels (layout.py)
and bound as `ragged_p` (primitive.py), or left to `jax.lax.ragged_dot_general`.
"""

from collections.abc import Mapping
import dataclasses
import functools
import math
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call import fallback, few_rows, jax_products
from jaxgemm.call.dtypes import for_jax, preferred_of_scaled, result_type
from jaxgemm.call.fallback import who_computes
from jaxgemm.call.options import (
  KEYWORDS,
  QUANTIZE_OUT,
  Options,
  check_hashable,
  given_vectors,
  operand_argument,
)
from jaxgemm.call.product import NOT_ON_MESHES
from jaxgemm.call.quantization import (
  check_blocks,
  of_results,
  operand_of_quantized,
  quantize,
  require_open,
)
from jaxgemm.call.quantized import Quantized, dequantized, stand_in, weights_argument
from jaxgemm.call.spec import Spec
from jaxgemm.call.transposes import INLINE
from jaxgemm.dense.api import dot_general
from jaxgemm.dense.vectors import Vectors
from jaxgemm.grouped import layout as grouped_layout
from jaxgemm.grouped import sharding, xla
from jaxgemm.grouped.checks import (
  BASIC,
  check_accumulate,
  check_arrays,
  check_contracted,
  check_extent,
  check_num_groups,
  check_num_local_groups,
  check_numbers,
  check_ragged_batch,
  check_rhs_grad,
  is_ragged_batch,
)
from jaxgemm.grouped.form import Operands
from jaxgemm.grouped.group_sizes import given_groups
from jaxgemm.grouped.indices import Indices, given_indices, with_gathered_scale
from jaxgemm.grouped.primitive import finish, ragged, ragged_local
from jaxgemm.grouped.product import PRODUCT
from jaxgemm.grouped.vectors import placed
from jaxgemm.sharding import mesh as meshes


class Given(NamedTuple):
  """The arrays of a call; None for one that was not given."""

  lhs: Any
  rhs: Any
  sizes: Any
  offset: Any = None
  accumulate: Any = None
  rhs_grad: Any = None
  vectors: Vectors = Vectors()
  indices: Indices = Indices()


class Call(NamedTuple):
  """The other arguments of a call.

  Attributes:
    options: see there.
    numbers, num_local_groups: see `jaxgemm.ragged_dot_general`.
    gated: rhs has shape (G, K, 2, N), and numbers are BASIC.
    saves: the result has the value before the activation beside it.
    skips_rest: rows of no group need not be zero; the kernels do not write them.
  """

  options: Options
  numbers: lax.RaggedDotDimensionNumbers = BASIC
  num_local_groups: int | None = None
  gated: bool = False
  saves: bool = False
  skips_rest: bool = False


def ragged_result(given: Given, call: Call) -> tuple[jax.core.ShapedArray, int]:
  """Checks the arrays of a call. Returns (type of the result, number of groups computed).

  Raises:
    TypeError, ValueError: jax's own errors, or an array does not fit the call.
  """
  lhs, rhs, sizes, offset, accumulate, rhs_grad, vectors, _ = given
  numbers, options = call.numbers, call.options
  check_arrays(numbers, lhs, rhs, sizes, offset, accumulate=accumulate, rhs_grad=rhs_grad)
  if call.gated:
    rhs = _half(rhs)
  groups = local = sizes.shape[-1]
  check_num_local_groups(call.num_local_groups, groups, offset is not None)
  if offset is not None:
    local = groups if call.num_local_groups is None else call.num_local_groups
    if len(numbers.rhs_group_dimensions) == 1 and (
        0 <= numbers.rhs_group_dimensions[0] < rhs.ndim):
      local = rhs.shape[numbers.rhs_group_dimensions[0]]
    check_num_groups(local, groups, has_offset=True)
    sizes = jax.ShapeDtypeStruct((*sizes.shape[:-1], local), sizes.dtype)
  elif len(numbers.rhs_group_dimensions) == 1 and (
      numbers.rhs_group_dimensions[0] in _free_of_rhs(numbers, rhs.ndim)):
    check_num_groups(rhs.shape[numbers.rhs_group_dimensions[0]], groups)
  preferred = preferred_of_scaled(
      options.preferred_element_type, lhs, rhs, vectors.scale_operands())
  if accumulate is not None and preferred is None:
    preferred = jnp.float32
  # jax 0.10.0 has no out_sharding.
  sharded = {} if options.out_sharding is None else {"out_sharding": options.out_sharding}
  result = result_type(
      lambda lhs, rhs, sizes: jax_products.ragged_dot_general(
          *for_jax(lhs, rhs, preferred), sizes, numbers, options.precision, preferred, **sharded),
      lhs, rhs, sizes)
  return result, local


def _half(rhs) -> jax.core.ShapedArray:
  """The type of rhs with one matrix for each group, in place of gate and up."""
  if rhs.ndim != 4 or rhs.shape[2] != 2:
    raise TypeError(
        f"rhs has shape {rhs.shape}; (G, K, 2, N) is allowed, with the matrices of the gate in "
        "rhs[:, :, 0] and those of up in rhs[:, :, 1]. Pass jnp.stack([gate, up], axis=2).")
  return result_type(lambda rhs: rhs[:, :, 0], rhs)


def _free_of_rhs(numbers, rank: int) -> list[int]:
  """The dimensions of rhs that are neither contracted nor a batch. The groups are one of them."""
  (_, contracted), (_, batch) = numbers.dot_dimension_numbers
  return [i for i in range(rank) if i not in (*contracted, *batch)]


def compute(arguments: Mapping[str, Any], numbers=BASIC, gated: bool = False,
            saves: bool = False, skips_rest: bool = False) -> jax.Array:
  """A grouped product.

  Args:
    arguments: those of the public function, by name.
    numbers: the dimension numbers.
    gated, saves, skips_rest: see `Call`.
  """
  if numbers is not BASIC:
    check_numbers(numbers)
    if is_ragged_batch(numbers):
      return _compute_batches(arguments, numbers)
  options, num_local = Options.of(arguments), arguments.get("num_local_groups")
  check_hashable("num_local_groups", num_local, "an int is allowed, or None")
  lhs = operand_argument("lhs", arguments["lhs"])
  rhs = weights_argument("rhs", arguments["rhs"])
  buffers = {name: operand_argument(name, x) for name in ("accumulate", "rhs_grad")
             if (x := arguments.get(name)) is not None}
  sizes, offset = given_groups(arguments["group_sizes"], arguments["group_offset"])
  indices = given_indices(lhs, rhs, arguments.get("lhs_indices"), arguments.get("rhs_indices"),
                          numbers)
  return _call(Call(options, numbers, num_local, gated, saves, skips_rest), lhs, rhs, sizes, offset,
               indices, **buffers, **given_vectors(arguments))


@functools.partial(jax.jit, static_argnums=0, inline=INLINE)
def _call(call: Call, lhs, rhs, *others, **arrays):
  if call.options.quantize_out is None:
    return _result(call, lhs, rhs, *others, **arrays)
  return _quantized(call, lhs, rhs, *others, **arrays)


def _quantized(call: Call, lhs, rhs, *others, **arrays):
  """`_result` of a call whose result is quantised; XLA does it if the kernels do not."""
  kind, dtype = str(call.options.quantize_out), call.options.preferred_element_type
  rhs = dequantized(rhs, lhs, few_rows.NOT_QUANTIZING)
  lhs, rhs, arrays = jax.tree.map(operand_of_quantized, (lhs, rhs, arrays))
  options = call.options._replace(quantize_out=None, preferred_element_type=jnp.dtype(jnp.float32))
  plain = _arranged(call._replace(options=options), lhs, rhs, *others, **arrays)
  check_blocks(kind, plain.wanted.shape)
  quantizing = plain._replace(
      wanted=plain.wanted.update(dtype=dtype),
      spec=dataclasses.replace(plain.spec, quantize_out=kind, out_dtype=dtype))
  if why := quantizing.why_not_quantized():
    require_open(call.options, why)
  outs = (plain if why else quantizing).computed()
  out, *rest = outs if isinstance(outs, tuple) else (outs,)
  if why:
    return _one_or_all(quantize(out, kind, dtype=dtype), *(x.astype(jnp.bfloat16) for x in rest))
  *preact, scales = rest
  return _one_or_all(of_results(kind, out, scales), *preact)


def _one_or_all(*results):
  return results if len(results) > 1 else results[0]


def _result(call: Call, *arrays, **others):
  """The result, or with saves all results of the kernels' call."""
  return _arranged(call, *arrays, **others).computed()


class _Arranged(NamedTuple):
  """A call whose arrays have been checked.

  Attributes:
    call: see there.
    arrays: lhs, rhs, sizes, offset, indices, bias, scale, row_scale, accumulate and rhs_grad.
    wanted: the type of the result.
    spec, layout: those of the kernels' call.
    dtypes: those in which the kernels read lhs and rhs.
    reason: why XLA computes the product, or "".
  """

  call: Call
  arrays: tuple
  wanted: jax.core.ShapedArray
  spec: Spec
  layout: grouped_layout.RaggedLayout
  dtypes: tuple
  reason: str

  def why_not_quantized(self) -> str:
    """Why the kernels do not quantise the result, which the spec asks for, or ""."""
    if self.reason:
      return f"XLA computes the product: {self.reason}"
    if meshes.explicit_mesh(*self.arrays[:2]) is not None:
      return NOT_ON_MESHES
    static: list[Any] = []

    def operands(*arrays):
      operands, *rest = self._call_of_kernels(*arrays)
      static.extend(rest)
      return operands

    avals = jax.eval_shape(operands, *self.arrays)
    form, spec = static
    return PRODUCT.why_not_quantized(
        avals.there(), {"form": form.for_operands(avals), "spec": self._results(spec)},
        explicit=False)

  def computed(self):
    lhs, rhs, sizes, offset, indices, bias, scale, row_scale, accumulate, rhs_grad = self.arrays
    if isinstance(rhs, Quantized):
      why = _why_dequantized(lhs, rhs, sizes, indices, self.wanted.dtype, self.call,
                             accumulate is not None or rhs_grad is not None)
      if not why:
        return _by_few_rows(lhs, rhs, sizes, offset, indices, bias, scale, row_scale,
                            layout=self.layout, spec=self.spec)
      rhs = dequantized(rhs, lhs, why)
    function, by_types = (
        (self._on_xla, None) if self.reason else
        (functools.partial(self._on_kernels, None), self._on_kernels))
    return meshes.on_mesh(
        function, by_types, (lhs, rhs, *self.arrays[2:]), self.spec.config.partition,
        self.wanted)(lhs, rhs, *self.arrays[2:])

  def _results(self, spec: Spec) -> Spec:
    """The spec for the results that the call wants."""
    return spec.for_derivative(self.call.gated) if self.call.saves else spec

  def _call_of_kernels(self, lhs, rhs, sizes, offset, indices, bias, scale, row_scale, accumulate,
                       rhs_grad):
    """(operands, form, spec) of the kernels' call."""
    layout = self.layout
    if not layout.reads_lines:
      (lhs, rhs), indices = indices.gather(lhs, rhs), Indices()
    lhs, rhs = (x if x.dtype == dtype else x.astype(dtype)
                for x, dtype in zip((lhs, rhs), self.dtypes))
    lhs, rhs, sizes = grouped_layout.operands(lhs, rhs, sizes, layout, indices)
    buffer = rhs_grad
    if accumulate is not None and not layout.is_summed:
      buffer = grouped_layout.addend(accumulate, layout)
    spec = self.spec.accumulator(lhs, rhs) if layout.is_summed else self.spec
    operands = Operands(lhs, rhs, sizes, offset, indices.lhs, indices.rhs, indices.inverse, buffer,
                        bias, scale, row_scale)
    return operands, layout.form._replace(skips_rest=self.call.skips_rest), spec

  def _on_kernels(self, mesh, *arrays):
    *_, accumulate, rhs_grad = arrays
    if mesh is not None:
      self.layout.check_explicit(rhs_grad is not None, arrays[4] != Indices())
    operands, form, spec = self._call_of_kernels(*arrays)
    if mesh is not None:
      return sharding.explicit(
          mesh, operands, form=form, spec=spec, compute=ragged_local, finish=finish,
          result=self.wanted)
    out, *others = ragged(operands, form=form, spec=self._results(spec))
    if self.call.saves:
      return out, *others
    out = grouped_layout.result(out, self.layout, self.wanted.dtype)
    if spec.quantize_out is not None:
      blocks = (*out.shape[:-1], out.shape[-1] // QUANTIZE_OUT[spec.quantize_out])
      return out, jnp.reshape(others[0], blocks)
    return accumulate + out if accumulate is not None and self.layout.is_summed else out

  def _on_xla(self, lhs, rhs, sizes, offset, indices, *others):
    with fallback.on_xla(self.reason):
      lhs, rhs = indices.gather(lhs, rhs)
      return xla.result(
          lhs, rhs, sizes, offset, *others, numbers=self.call.numbers, layout=self.layout,
          spec=self.spec, precision=self.call.options.precision)


def _arranged(call: Call, lhs, rhs, sizes, offset, indices, accumulate=None, rhs_grad=None,
              **vectors) -> _Arranged:
  """Checks the arrays of a call, decides who computes it, and arranges it for the kernels."""
  # If jax does not trace (jax.disable_jit), these may still be numpy arrays.
  given = jax.tree.map(jnp.asarray, Given(
      lhs, rhs, sizes, offset, accumulate, rhs_grad, Vectors(**vectors), indices))
  options, numbers, gated = call.options, call.numbers, call.gated
  (contracting, _), _ = numbers.dot_dimension_numbers
  ragged_dimension, = numbers.lhs_ragged_dimensions
  lhs, rhs, sizes, offset, accumulate, rhs_grad, of_epilogue, indices = given
  of_epilogue = with_gathered_scale(of_epilogue, lhs, indices)
  arrays = lhs, rhs
  lhs, rhs = indices.types(lhs, stand_in(rhs, lhs))  # from here on those of the product
  wanted, local_groups = ragged_result(given._replace(lhs=lhs, rhs=rhs), call)
  check_extent(lhs.shape[ragged_dimension])
  contracted = ragged_dimension in contracting
  if contracted:
    check_contracted(**of_epilogue._asdict(), accumulate=accumulate, activation=options.activation)
  if gated and jnp.issubdtype(wanted.dtype, jnp.integer):
    raise ValueError(
        f"the result of a gate has dtype {wanted.dtype.name}; a float is allowed. Pass "
        "preferred_element_type=jnp.float32, for example.")
  if accumulate is not None:
    check_accumulate(accumulate, contracted, wanted, options.preferred_element_type)
  if rhs_grad is not None:
    check_rhs_grad(rhs_grad, lhs, rhs)
  bias, scale, row_scale = placed(of_epilogue, lhs, rhs, numbers, local_groups, gated, wanted.dtype)
  partition = meshes.needs_partitioning_rule(options.config.partition)
  spec = Spec.of(wanted.dtype, options._replace(
      config=dataclasses.replace(options.config, partition=partition)),
                 weak_type=wanted.weak_type)
  k = math.prod(lhs.shape[i] for i in contracting)
  dtypes, reason = who_computes(lhs, rhs, wanted, k, options, splits=False)
  layout = grouped_layout.arrange(lhs.shape, rhs.shape, numbers, local_groups, gated,
                                  options.same_rows)
  row_scale = grouped_layout.rows(row_scale, layout)
  return _Arranged(
      call, (*arrays, sizes, offset, indices, bias, scale, row_scale, accumulate, rhs_grad), wanted,
      spec, layout, dtypes, reason)


def _why_dequantized(lhs, weights: Quantized, sizes, indices: Indices, dtype, call: Call,
                    has_buffer: bool = False) -> str:
  """Why weights are dequantised for a product, or "" if a kernel reads them as they are."""
  if call.numbers != BASIC or weights.ndim != (4 if call.gated else 3) or lhs.ndim != 2 or (
      sizes.ndim != 1):
    return few_rows.OTHER_DIMENSIONS
  if call.saves or has_buffer:
    return few_rows.NOT_FOR_TRAINING
  if dtype not in (lhs.dtype, jnp.float32):
    return f"the kernel for few rows gives the other operand's dtype, or float32, and not {dtype}"
  return few_rows.why_not(few_rows_operands(lhs, weights, sizes, None, indices), call.options)


def few_rows_operands(lhs, weights: Quantized, sizes, offset, indices: Indices):
  """The operands of the kernel for few rows; gate and up of weights are side by side."""
  def flat(x):
    shape = (*x.shape[:2], math.prod(x.shape[2:]))
    if isinstance(x, jax.ShapeDtypeStruct):
      return jax.ShapeDtypeStruct(shape, x.dtype)
    return jnp.reshape(x, shape)

  return few_rows.Operands(
      lhs, Quantized(flat(weights.values), flat(weights.scales)), sizes, offset, indices.lhs)


def _by_few_rows(lhs, weights, sizes, offset, indices, bias, scale, row_scale, *, layout,
                 spec: Spec) -> jax.Array:
  """The product by the kernel for few rows, and the epilogue by XLA."""
  plain = (bias is None and scale is None and row_scale is None and spec.activation is None
           and not layout.form.gated)
  out = few_rows.product(few_rows_operands(lhs, weights, sizes, offset, indices),
                         spec.out_dtype if plain else jnp.float32)
  if plain:
    return out
  return xla.finished(out, sizes, offset, bias, scale, row_scale, layout=layout, spec=spec)


def _compute_batches(arguments: Mapping[str, Any], numbers) -> jax.Array:
  """A product whose ragged dimension is a batch dimension. The group sizes have no effect."""
  lhs = operand_argument("lhs", arguments["lhs"])
  rhs = dequantized(weights_argument("rhs", arguments["rhs"]), lhs, few_rows.OTHER_DIMENSIONS)
  sizes, offset = given_groups(arguments["group_sizes"], arguments["group_offset"])
  ragged_result(Given(lhs, rhs, sizes, offset, arguments["accumulate"]),
                Call(Options.of(arguments), numbers, arguments["num_local_groups"]))
  check_ragged_batch(**{name: arguments[name] for name in (
      "group_offset", "bias", "scale", "scale_lhs", "scale_rhs", "accumulate", "lhs_indices",
      "rhs_indices")})
  return dot_general(lhs, rhs, numbers.dot_dimension_numbers,
                     quantize_out=arguments.get("quantize_out"),
                     **{name: arguments[name] for name in KEYWORDS})
