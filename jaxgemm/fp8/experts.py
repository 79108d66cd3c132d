"""The MLP of gated experts in float8, with one derivative.

Each array is quantised where it is made, in one pass:

- tokens and the cotangents of tokens before they are gathered, so that the products of the experts
  read their rows, and the scales of the rows, by index;
- hidden rows where the activation is applied, and the cotangent of what is before the activation
  by the pass that computes it;
- weights for the two dimensions that products contract (`weights_of`), now or by `prepare`.

The products of rows are float8. Those of the weights' gradients contract the rows of the groups,
along which the scales of rows vary. Large ones are float8, too (kernel_gradients.py). The others
read the tokens, the hidden rows and the cotangents in the dtype that these have anyway, so that
they need no scales and no transposed copies.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm.call import copies, epilogue
from jaxgemm.call.group_sizes import bounds_of_rows
from jaxgemm.call.quantization import BLOCKS, Quantized
from jaxgemm.call.residuals import kept
from jaxgemm.fp8 import kernel_gradients
from jaxgemm.fp8.recipes import RECIPES, check, dtypes_of, first_derivative
from jaxgemm.fp8.rows import gated_gradient_quantized, hidden_quantized, quantized_rows
from jaxgemm.fp8.weights import (
  Weights,
  gradient_of,
  originals,
  template_of,
  weight_argument,
  weights_of,
)
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.grouped.checks import K_LAST, OF_RHS
from jaxgemm.grouped.experts import Experts, Static, bias_gradients
from jaxgemm.grouped.rows import RoutingTable, combine, of_rows
from jaxgemm.scaled.api import scaled_ragged_dot
from jaxgemm.sharding.manual_axes import unify_varying


class Params(NamedTuple):
  """The static arguments.

  Attributes:
    kind: the kind of `quantize`, for weights. The rows of "tensor" have a scale each, which the
      pass that makes them finds by itself.
    float8: the dtypes of quantised operands and of quantised cotangents, and of the latter in the
      gradients of weights.
    static: see there.
    prepared: the templates of gate_up and down, if these are prepared, or None.
  """

  kind: str
  float8: tuple[np.dtype, np.dtype, np.dtype]
  static: Static
  prepared: tuple[Any, Any]

  @property
  def of_rows(self) -> str:
    """The kind of `quantized_rows`."""
    return kind_of_rows(self.kind)


def kind_of_rows(kind: str) -> str:
  """The kind of `quantized_rows`, by that of a recipe."""
  return "row" if kind == "tensor" else kind


def gated_experts(x, experts: Experts, weights, sizes, table: RoutingTable | None, offset,
                  static: Static, recipe: str) -> jax.Array:
  """`jaxgemm.grouped.experts.gated_experts` by a recipe of `jaxgemm.fp8.ragged_dot`.

  Only first derivatives are allowed. Without a table, and without weights, x has the rows [R, C]
  of the groups, and so has the result. Rows of no group have no effect on others.
  """
  experts, params = arguments(x, experts, static, recipe)
  leaves, tree = jax.tree.flatten((x, experts, weights, sizes, table, offset))
  # Because of unify_varying, the gradient of an array that devices of a shard_map share is summed
  # over these devices.
  return _experts(*jax.tree.unflatten(tree, unify_varying(leaves)), params)


def arguments(x, experts: Experts, static: Static, recipe: str) -> tuple[Experts, Params]:
  """The experts and the static arguments, checked."""
  check(recipe, static.options.precision, x=x, gate_up=experts.gate_up, down=experts.down)
  kind = RECIPES[recipe]
  float8 = (*dtypes_of(kind, static.options.implementation),
            dtypes_of("row", static.options.implementation)[1])
  argument = functools.partial(weight_argument, recipe=recipe, dtype=float8[0])
  gate_up, down = argument("gate_up", experts.gate_up), argument("down", experts.down)
  experts = experts._replace(gate_up=gate_up, down=down)
  params = Params(kind, float8, static, (template_of(gate_up), template_of(down)))
  for name, template, axis in zip(("gate_up", "down"), params.prepared, (-3, -2)):
    if template is not None and template.contracted != (axis,):
      raise ValueError(
          f"{name} was prepared for products that contract its dimensions {template.contracted}; "
          f"({axis},) is allowed. Pass contracted= to jaxgemm.fp8.prepare, or leave it out.")
  return experts, params


@functools.partial(jax.custom_vjp, nondiff_argnums=(6,))
def _experts(x, experts, weights, sizes, table, offset, params: Params) -> jax.Array:
  return _forward(x, experts, weights, sizes, table, offset, params)[0]


def product(lhs: Quantized, rhs: Quantized, groups, params: Params, dtype, *,
            lines=None, bounds=None, bias=None) -> jax.Array:
  """[R, N]: the rows of each group times its matrix of rhs[G, N, K].

  Args:
    groups: (sizes, offset).
    lines: int32[R], the line of lhs that each row is, or None.
    bounds: with lines, the first row of a group and the end of these rows.
  """
  sizes, offset = groups
  options = params.static.options.keywords()
  if params.kind not in BLOCKS:
    return ragged_dot_general(
        lhs.values, rhs.values, sizes, K_LAST, None, dtype, offset, lhs_indices=lines,
        scale_lhs=lhs.scales, scale_rhs=rhs.scales, bias=bias, **options)
  if lines is not None:
    lhs = Quantized(*(copies.gathered_within(bounds, x, lines) for x in lhs))
  return scaled_ragged_dot(lhs.values, rhs.values, sizes, lhs.scales, rhs.scales, dtype, offset,
                           bias=bias, **options)


def forms_of(experts: Experts, params: Params) -> tuple[Weights, Weights]:
  """gate_up and down, quantised."""
  count, features, _, hidden_features = experts.gate_up.shape
  flat = experts.gate_up
  if params.prepared[0] is None:
    flat = flat.reshape(count, features, 2 * hidden_features)
  of = functools.partial(weights_of, kind=params.kind, dtype=params.float8[0])
  return of(flat), of(experts.down)


def hidden_rows(lhs: Quantized, gate_up: Quantized, bias, groups, bounds, params: Params, dtype,
                lines=None) -> tuple[jax.Array, Quantized]:
  """(the values before the activation [R, 2, H], the hidden rows); see `product`."""
  if bias is not None:
    bias = bias.reshape(len(bias), gate_up.values.shape[1])
  z = product(lhs, gate_up, groups, params, dtype, lines=lines, bounds=bounds, bias=bias)
  z = epilogue.named(z.reshape(len(z), 2, z.shape[1] // 2))
  return z, hidden_quantized(z, params.static.activation, params.of_rows, params.float8[0], bounds)


def _forward(x, experts: Experts, weights, sizes, table: RoutingTable | None, offset,
             params: Params):
  groups = sizes, offset
  tokens = None if table is None else table.token
  gate_up, down = forms_of(experts, params)
  bounds = bounds_of_rows(sizes, offset, len(down.forward.values),
                          len(x if tokens is None else tokens))
  lhs = quantized_rows(x, params.of_rows, params.float8[0], bounds if tokens is None else None)
  z, hidden = hidden_rows(lhs, gate_up.forward, experts.gate_up_bias, groups, bounds, params,
                          x.dtype, tokens)
  out = product(hidden, down.forward, groups, params, x.dtype, bias=experts.down_bias)
  if table is not None:
    out = combine(out, table, weights, dtype=params.static.dtype)
  of_rows = kernel_gradients.row_scales(lhs), kernel_gradients.row_scales(hidden)
  return out, kept((x, z, of_rows, bounds, gate_up.gradient, down.gradient, of_backward(experts),
                    weights, sizes, table, offset))


def of_backward(experts: Experts) -> Experts:
  """What the backward pass needs of the experts beside their forms: biases, and kernels' dtypes."""
  empty = lambda kernel: jnp.zeros(0, originals(kernel).dtype)
  return experts._replace(gate_up=empty(experts.gate_up), down=empty(experts.down))


def _backward(params: Params, saved, ct):
  (x, z, (of_x, of_hidden_rows), bounds, gate_up, down, experts, weights, sizes, table,
   offset) = saved
  groups, dtype = (sizes, offset), params.float8[1]
  tokens = None if table is None else table.token
  ct = ct.astype(z.dtype)
  of_ct = quantized_rows(ct, params.of_rows, dtype, bounds if table is None else None)
  of_hidden = product(of_ct, down, groups, params, z.dtype, lines=tokens, bounds=bounds)
  w = jnp.ones(len(z)) if table is None else of_rows(weights, table.choice)
  d_z, hidden, d_w, of_z = gated_gradient_quantized(
      z, of_hidden, w, params.static.activation, params.of_rows, dtype)
  d_x = product(of_z, gate_up, groups, params, z.dtype)
  d_x = d_x.astype(x.dtype) if table is None else combine(d_x, table, dtype=x.dtype)

  def lines(of_tokens):
    return of_tokens if table is None else of_tokens[table.token]

  d_z = d_z.reshape(len(d_z), 2 * d_z.shape[-1])
  d_experts, of_weights = experts_gradients(
      kernel_gradients.Rows(x, lines(of_x), tokens),
      kernel_gradients.Rows(d_z, kernel_gradients.tops(of_z)),
      kernel_gradients.Rows(hidden, of_hidden_rows * jnp.abs(w)),
      kernel_gradients.Rows(ct, lines(kernel_gradients.tops(of_ct)), tokens),
      experts, weights, table, groups, len(down.values), bounds, params)
  d_weights: Any = None
  if table is not None:
    d_weights = d_w.at[table.row].get(unique_indices=True, mode="promise_in_bounds")
    d_weights = d_weights if of_weights is None else d_weights + of_weights
    d_weights = d_weights.astype(weights.dtype)
  d_x, d_experts, d_weights = jax.tree.map(first_derivative, (d_x, d_experts, d_weights))
  return d_x, as_given(d_experts, params), d_weights, None, None, None


def experts_gradients(x: kernel_gradients.Rows, d_z: kernel_gradients.Rows,
                      hidden: kernel_gradients.Rows, ct: kernel_gradients.Rows, experts: Experts,
                      weights, table: RoutingTable | None, groups, count: int, bounds,
                      params: Params) -> tuple[Experts, Any]:
  """(the gradients of the experts, that of the weights by the last bias, or None).

  Args:
    x, d_z, hidden, ct: the tokens, the cotangents of the values before the activation [R, 2 H],
      the weighted hidden rows, and the cotangents of the tokens.
    experts: what `of_backward` gave.
    count: the number of experts.
  """
  sizes, offset = groups
  options = params.static.options.keywords()
  of_kernel = functools.partial(
      kernel_gradients.gradient, groups=groups, count=count, bounds=bounds, kind=params.kind,
      float8=params.float8[::2], options=options)

  def of_bias(ones, cotangents, dtype):
    return ragged_dot_general(
        ones, cotangents, sizes, OF_RHS, None, dtype, offset,
        num_local_groups=None if offset is None else count, **options)

  d_gate_up = of_kernel(x, d_z, dtype=experts.gate_up.dtype)
  d_down = of_kernel(hidden, ct, dtype=experts.down.dtype)
  *biases, of_weights = bias_gradients(
      experts[2:], d_z.values, ct.values, weights, table, offset, of_bias)
  return Experts(d_gate_up.reshape(*d_gate_up.shape[:2], 2, -1), d_down, *biases), of_weights


def as_given(d_experts: Experts, params: Params) -> Experts:
  """The gradients in the form of the experts: those of prepared weights are prepared weights."""
  return d_experts._replace(gate_up=gradient_of(params.prepared[0], d_experts.gate_up),
                            down=gradient_of(params.prepared[1], d_experts.down))


_experts.defvjp(_forward, _backward)
