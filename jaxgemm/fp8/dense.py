"""The dense product in float8, for training; see __init__.py."""

import functools
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.custom_derivatives import SymbolicZero
import jax.numpy as jnp
import numpy as np

from jaxgemm.call import epilogue, jax_products
from jaxgemm.call.config import GemmConfig
from jaxgemm.call.dtypes import result_type
from jaxgemm.call.fallback import warn_once
from jaxgemm.call.options import Options, operand_argument, own_products
from jaxgemm.call.quantization import Quantized, quantize, quantize_rows
from jaxgemm.call.residuals import kept
from jaxgemm.call.spec import Labels
from jaxgemm.dense.call import dense_results
from jaxgemm.dense.dimensions import Product, dot_general_product, indices
from jaxgemm.dense.layout import Dims, count
from jaxgemm.dense.merge import merged, parts, unmerged
from jaxgemm.dense.vectors import Vectors
from jaxgemm.fp8 import blocks
from jaxgemm.fp8.recipes import (
  RECIPES,
  DelayedScaling,
  check,
  check_rows,
  dtypes_of,
  first_derivative,
)
from jaxgemm.fp8.weights import (
  PreparedWeight,
  gradient_of,
  originals,
  template_of,
  weight_argument,
  weights_of,
)
from jaxgemm.sharding.manual_axes import unify_varying, untracked_axes, varying
from jaxgemm.sharding.parts import names_parts


class _Params(NamedTuple):
  """The static arguments of a product, which do not depend on the values of its operands.

  Attributes:
    dims: the labels of the operands and the result.
    sizes: pairs of label and size.
    kind: the kind of `quantize`; with a state "tensor".
    dtypes: the dtypes of lhs, rhs and the result.
    float8: the dtypes of quantised operands and of quantised cotangents.
    out_sharding: sharding of the result.
    options: those that its products share.
    rhs: the template of a prepared rhs, or None.
  """

  dims: Dims
  sizes: tuple[tuple[int, int], ...]
  kind: str
  dtypes: tuple[np.dtype, np.dtype, np.dtype]
  float8: tuple[np.dtype, np.dtype]
  out_sharding: Any
  options: Options
  rhs: PreparedWeight | None


def _quantized(x, labels: Labels, kept: Labels, kind: str, dtype) -> Quantized:
  """x, quantised for a product whose result has the labels `kept`."""
  axes = tuple(i for i, label in enumerate(labels) if label not in kept)
  if kind == "row":
    return quantize_rows(x, axes, dtype)
  return quantize(x, kind, axis=axes, dtype=dtype)


def _product(lhs: Quantized, rhs, rhs_scales, dims: Dims, dtype, params: _Params,
             out_sharding=None) -> jax.Array:
  """The product of lhs and of the float8 values rhs; rhs_scales may be None."""
  def reference(x, y, preferred_element_type=dtype):
    # XLA's products do not take two different float8 dtypes. bfloat16 has all their values.
    x, y = x.astype(jnp.bfloat16), y.astype(jnp.bfloat16)
    return jax_products.einsum(
        x, list(dims.lhs), y, list(dims.rhs), list(dims.out),
        preferred_element_type=preferred_element_type, out_sharding=out_sharding)

  b, m, n, k = parts(dims)
  product = Product(reference, dims, ((), ()), b, m, n, count(k, dict(params.sizes)),
                    result_type(reference, lhs.values, rhs))
  vectors = Vectors(scale_lhs=lhs.scales, scale_rhs=rhs_scales)
  return dense_results(lhs.values, rhs, vectors, product, params.options)[0]


def _forward_in_blocks(lhs, rhs, params: _Params):
  """(the product, (lhs, rhs) quantised for its gradients) for the kinds "block" and "mx"."""
  dims, dtype = params.dims, params.float8[0]
  b, m, n, k = parts(dims)
  quantized = functools.partial(_in_blocks, kind=params.kind, dtype=dtype)
  k_first = _come_first(k, n, dims.rhs)
  if isinstance(rhs, PreparedWeight):
    right, of_gradient = jax.tree.map(lambda x: x.reshape(-1, *x.shape[-2:]), rhs.forms)
  else:
    of_rhs = weights_of(
        merged(rhs, dims.rhs, (b, k, n) if k_first else (b, n, k)), params.kind, dtype)
    right, of_gradient = of_rhs if k_first else reversed(of_rhs)
  out = blocks.product(quantized(lhs, dims.lhs, (b, m, k)), right, params.dtypes[2],
                       params.options)
  return (unmerged(out, (b, m, n), dict(params.sizes), dims.out),
          (quantized(lhs, dims.lhs, (b, k, m)), of_gradient))


def _come_first(labels: Labels, others: Labels, order: Labels) -> bool:
  """Whether the dimensions with `labels` come before those with `others` in `order`."""
  return bool(labels and others) and order.index(labels[0]) < order.index(others[0])


def _in_blocks(x, labels: Labels, groups: tuple[Labels, Labels, Labels], kind: str,
               dtype) -> Quantized:
  """x as [batch, rows, k], which are the three groups of its labels, quantised along k."""
  b, rows, k = groups
  k_first = _come_first(k, rows, labels)
  x = merged(x, labels, (b, k, rows) if k_first else groups)
  return blocks.quantized(x, kind, dtype, k_first=k_first)


def _backward_in_blocks(params: _Params, lhs: Quantized, rhs: Quantized, ct):
  dims, sizes, options = params.dims, dict(params.sizes), params.options
  b, m, n, k = parts(dims)

  cotangent = functools.partial(_in_blocks, ct, dims.out, kind=params.kind, dtype=params.float8[1])
  d_lhs = blocks.product(cotangent((b, m, n)), rhs, params.dtypes[0], options)
  d_rhs = blocks.product(lhs, cotangent((b, n, m)), params.dtypes[1], options)
  return (unmerged(d_lhs, (b, m, k), sizes, dims.lhs),
          unmerged(d_rhs, (b, k, n), sizes, dims.rhs))


@functools.partial(jax.custom_vjp, nondiff_argnums=(3,))
def _dot(lhs, rhs, state: DelayedScaling | None, params: _Params) -> jax.Array:
  return _forward(lhs, rhs, state, params)[0]


def _forms(rhs, params: _Params) -> tuple[Quantized, Quantized, Labels]:
  """rhs quantised for the product and for lhs's gradient, and the labels of the first."""
  dims, sizes = params.dims, dict(params.sizes)
  if params.rhs is None:
    for_result = lambda kept: _quantized(rhs, dims.rhs, kept, params.kind, params.float8[0])
    forward = for_result(dims.out)
    return forward, for_result(dims.lhs) if params.kind == "row" else forward, dims.rhs
  b, _, n, k = parts(dims)
  return (_of_prepared(rhs.forms.forward, (b, n, k), sizes),
          _of_prepared(rhs.forms.gradient, (b, k, n), sizes), b + n + k)


def _of_prepared(x: Quantized, labels: tuple[Labels, Labels, Labels], sizes) -> Quantized:
  """A form of a prepared weight, with a dimension for each label of batch, rows and columns."""
  spread = lambda group, size: [sizes[i] if size != 1 else 1 for i in group]
  batch, *matrix = labels
  shapes = [[*(sizes[i] for i in batch), *(
      n for group, size in zip(matrix, y.shape[-2:]) for n in spread(group, size))] for y in x]
  return Quantized(*map(jnp.reshape, x, shapes))


def _differentiated(lhs, rhs, state, params: _Params):
  """`_forward` of jax's `CustomVJPPrimal`, which say what is differentiated.

  A state that is not differentiated would stay as it is, whatever the arrays become. Then the
  scales come from the arrays. What is saved has the same structure in both cases: jax may trace
  this function for both before it transposes one of them.
  """
  perturbed = any(x.perturbed for x in jax.tree.leaves(state))
  lhs, rhs, state = jax.tree.map(lambda x: x.value, (lhs, rhs, state))
  if state is None:
    return _forward(lhs, rhs, state, params)
  if not perturbed:
    warn_once(
        "A product of jaxgemm.fp8 with a state is differentiated, but not with respect to the "
        "state, which would stay as it is. So the scales come from the arrays' own values. For "
        "delayed scaling differentiate with respect to the state, too: in NNX with "
        "argnums=nnx.DiffState(0, (nnx.Param, jaxgemm.flax.nnx.OverwriteWithGradient)), in Linen "
        'with respect to the collection "_overwrite_with_gradient".')
    state = DelayedScaling(*(x.of_own_values() for x in state))
  elif axes := untracked_axes():
    raise ValueError(
        "the gradient of a state was asked for in a jax.shard_map with check_vma=False over the "
        f"mesh axes {axes}, where jax does not know whether devices share the state: it would "
        "add up their next states. Leave check_vma out; True, its default, is allowed.")
  return _forward(lhs, rhs, state, params)


def _forward(lhs, rhs, state: DelayedScaling | None, params: _Params):
  dims, dtype, before = params.dims, params.float8[0], state
  if params.kind in blocks.BLOCKS:
    out, of_gradients = _forward_in_blocks(lhs, rhs, params)
    return out, kept((*of_gradients, None, None))
  if state is not None:
    lhs, of_lhs = state.lhs.quantize(lhs, dtype)
    rhs, of_rhs = state.rhs.quantize(rhs, dtype)
    state = DelayedScaling(of_lhs, of_rhs, state.cotangent)
    of_gradient = rhs
  else:
    lhs = _quantized(lhs, dims.lhs, dims.out, params.kind, dtype)
    rhs, of_gradient, labels = _forms(rhs, params)
    dims = dims._replace(rhs=labels)
  out = _product(lhs, rhs.values, rhs.scales, dims, params.dtypes[2], params,
                 params.out_sharding)
  return out, kept((lhs, of_gradient, state, before))


def _largest_alike(x, like):
  """The maximum of x over the mesh axes along which x varies and `like` does not."""
  axes = tuple(sorted(varying(x) - varying(like)))
  return lax.pmax(x, axes) if axes else x


@own_products()
def _backward(params: _Params, saved, ct):
  *operands, state, before = saved
  if isinstance(ct, SymbolicZero):
    ct = jnp.zeros(ct.shape, ct.dtype)
  if params.kind in blocks.BLOCKS:
    lhs, rhs = operands
    d_lhs, d_rhs = _backward_in_blocks(params, lhs, rhs, ct)
    return _gradients(params, d_lhs, d_rhs, None)
  dims, dtype = params.dims, params.float8[1]
  labels = dims.lhs, dims.rhs
  b, _, n, k = parts(dims)
  of_operands = dims.lhs, dims.rhs if params.rhs is None else b + k + n
  whole = None
  if state is not None:
    whole, of_ct = state.cotangent.quantize(ct, dtype)
    # Devices that share a state get the same next state.
    state = jax.tree.map(_largest_alike, state._replace(cotangent=of_ct), before)
  elif params.kind == "tensor":
    whole = quantize(ct, "tensor", dtype=dtype)

  def gradient(i: int):
    other, of_other = operands[1 - i], of_operands[1 - i]
    scales = other.scales
    if whole is not None:
      of_ct = whole
    elif i == 0:
      of_ct = _quantized(ct, dims.out, labels[0], params.kind, dtype)
    else:
      kept = tuple(x for x in of_other if x in dims.out)
      factor = other.scales.reshape([n for n, x in zip(other.values.shape, of_other) if x in kept])
      scaled = ct.astype(jnp.float32) * epilogue.expand(factor, kept, dims.out)
      of_ct, scales = _quantized(scaled, dims.out, labels[1], params.kind, dtype), None
    return _product(of_ct, other.values, scales,
                    Dims(dims.out, of_other, labels[i]), params.dtypes[i], params)

  return _gradients(params, gradient(0), gradient(1), state)


def _gradients(params: _Params, d_lhs, d_rhs, state):
  d_lhs, d_rhs = map(first_derivative, (d_lhs, d_rhs))
  return d_lhs, gradient_of(params.rhs, d_rhs), state


_dot.defvjp(_differentiated, _backward, symbolic_zeros=True)
_jitted = jax.jit(_dot, static_argnums=3, inline=True)


def _check_prepared(rhs: PreparedWeight, dims: Dims, state) -> None:
  """Raises ValueError where the product contracts other dimensions of a prepared rhs, or a state.

  Args:
    rhs: a template.
    dims: the labels of the product.
    state: the state of the product, or None.
  """
  if state is not None:
    raise ValueError(
        "rhs is a weight that jaxgemm.fp8.prepare has quantised, and a state was given; the scales "
        "are those of the prepared weight. Leave one of the two out.")
  b, _, n, k = parts(dims)
  if dims.rhs != b + k + n or k != tuple(dims.rhs[i] for i in rhs.contracted):
    found = tuple(i - len(dims.rhs) for i, label in enumerate(dims.rhs) if label in k)
    raise ValueError(
        f"rhs was prepared for products that contract its dimensions {rhs.contracted}, with those "
        f"in front of them as batches, and dimension_numbers contract {found}; equal ones are "
        "allowed, in the same order. Pass contracted= to jaxgemm.fp8.prepare.")


@names_parts
def dot_general(
    lhs: jax.Array,
    rhs: jax.Array,
    dimension_numbers,
    precision=None,
    preferred_element_type=None,
    *,
    out_sharding=None,
    recipe: str = "tensorwise",
    dtypes: tuple[Any, Any] | None = None,
    state: DelayedScaling | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.lax.dot_general` in float8, forward and backward; for training.

  lhs and rhs are quantised to e4m3, and cotangents to e5m2, or to e4m3 in the recipes with blocks
  (on gfx942 to the FNUZ dtypes). The scales come from the arrays' own values. Sums are float32.
  The operands of the backward pass are quantised, too: 8 bits for each element, and the scales,
  are kept for it. There are first derivatives only, in reverse mode.

  It fits `flax.linen.Dense(dot_general=...)` and `flax.nnx.Linear(dot_general=...)`.

  Args:
    lhs: bfloat16, float16 or float32 array of any rank.
    rhs: the same. A gradient has the dtype of its operand: with float32 parameters the sums of
      the gradient are not rounded.
    dimension_numbers: see `jax.lax.dot_general`.
    precision: None or jax.lax.Precision.DEFAULT; others are refused, because operands have 8 bits.
    preferred_element_type: dtype of the result; the default is that of `jax.lax.dot_general`.
    out_sharding: see `jax.lax.dot_general`; not allowed with "blockwise" and "mxfp8".
    recipe: which elements share a scale.
      "tensorwise": all elements of lhs, of rhs, and of the cotangent.
      "rowwise": the elements of a row of lhs, and of a column of rhs. rhs and the cotangent are
      quantised twice: for each of their products, with a scale for each row or column.
      "blockwise": as in DeepSeek-V3 (arXiv:2412.19437): 128 neighbours of lhs and of the cotangent
      along the dimension that is contracted, and blocks of 128 x 128 elements of rhs. lhs, rhs and
      the cotangent are quantised twice, along the dimensions that their two products contract.
      "mxfp8": 32 neighbours along the contracted dimension, with scales that are powers of two
      (float8_e8m0fnu), as in OCP Microscaling Formats 1.0. Each operand is quantised twice, as in
      "blockwise".
    dtypes: two float8 dtypes, for quantised operands and for quantised cotangents. The default is
      those named above, as the kernels of the default platform read them.
    state: a `DelayedScaling`, for recipe "tensorwise". The scales then come from the largest
      magnitudes of earlier steps, so that no pass over an array has to precede its cast.
      `jax.grad` with respect to the state gives the state of the next step: put that in its
      place, do not subtract it. A state is for one call in each step. Where the operands are
      differentiated and the state is not, it is not used: the scales come from the arrays' own
      values, and a warning says so once.
    schedule, reduction, deterministic, config, implementation: see `jaxgemm.matmul`.

  Returns:
    An array of the shape that `jax.lax.dot_general` gives, of dtype preferred_element_type.

  Raises:
    ValueError, TypeError: an argument is not allowed; see `jaxgemm.matmul`.
    NotImplementedError: a gradient is differentiated again.
  """
  options = Options.of(locals() | {"precision": None})
  check(recipe, precision)
  if state is None:  # else the scale is that of earlier steps
    check_rows(recipe, options)
  kind = RECIPES[recipe]
  float8 = dtypes_of(kind, implementation, dtypes)
  lhs = jnp.asarray(operand_argument("lhs", lhs))
  rhs = weight_argument("rhs", rhs, recipe, float8[0])
  check(recipe, precision, lhs=lhs, rhs=rhs)
  template, plain = template_of(rhs), originals(rhs)
  product = dot_general_product(
      lhs, plain.astype(rhs.dtype), indices(dimension_numbers),
      options._replace(out_sharding=None))
  if not isinstance(state, DelayedScaling | None):
    raise TypeError(
        f"state is of type {type(state).__name__}; a jaxgemm.fp8.DelayedScaling is allowed, or "
        "None. Pass DelayedScaling.create() in the first step.")
  if state is not None and recipe != "tensorwise":
    raise ValueError(
        f"recipe={recipe!r} was given with a state; delayed scaling has one scale for each array. "
        "Leave one of the two out.")
  if template is not None:
    _check_prepared(template, product.dims, state)
  if out_sharding is not None and kind in blocks.BLOCKS:
    raise ValueError(
        f"out_sharding was given with recipe={recipe!r}, whose products merge dimensions; None is "
        "allowed. Call it inside jax.shard_map, or shard the operands on automatic mesh axes.")
  sizes = dict(zip((*product.dims.lhs, *product.dims.rhs), (*lhs.shape, *rhs.shape)))
  params = _Params(
      product.dims, tuple(sizes.items()), kind, (lhs.dtype, plain.dtype, product.result.dtype),
      float8, out_sharding, options, template)
  # Because of unify_varying, the gradient of an operand that devices of a shard_map share is summed
  # over these devices.
  operands, structure = jax.tree.flatten((lhs, rhs))
  lhs, rhs = jax.tree.unflatten(structure, unify_varying(operands))
  return _jitted(lhs, rhs, state, params)
