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
from jaxgemm.call.quantization import BLOCKS, Quantized
from jaxgemm.call.residuals import kept
from jaxgemm.fp8 import kernel_gradients
from jaxgemm.fp8.recipes import RECIPES, check, dtypes_of, first_derivative
from jaxgemm.fp8.rows import gated_gradient_quantized, hidden_quantized, quantized_rows
from jaxgemm.fp8.weights import (
  gradient_of,
  originals,
  template_of,
  weight_argument,
  weights_of,
)
from jaxgemm.grouped.api import ragged_dot_general
from jaxgemm.grouped.checks import K_LAST, OF_RHS
from jaxgemm.grouped.combined import bias_sums
from jaxgemm.grouped.experts import Experts, Static
from jaxgemm.grouped.rows import RoutingTable, combine, of_rows
from jaxgemm.scaled.api import scaled_ragged_dot
from jaxgemm.sharding.manual_axes import unify_varying


class _Params(NamedTuple):
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
    return "row" if self.kind == "tensor" else self.kind


def gated_experts(x, experts: Experts, weights, sizes, table: RoutingTable | None, offset,
                  static: Static, recipe: str) -> jax.Array:
  """`jaxgemm.grouped.experts.gated_experts` by a recipe of `jaxgemm.fp8.ragged_dot`.

  Only first derivatives are allowed. Without a table, and without weights, x has the rows [R, C]
  of the groups, and so has the result. Rows of no group have no effect on others.
  """
  check(recipe, static.options.precision, x=x, gate_up=experts.gate_up, down=experts.down)
  kind = RECIPES[recipe]
  float8 = (*dtypes_of(kind, static.options.implementation),
            dtypes_of("row", static.options.implementation)[1])
  argument = functools.partial(weight_argument, recipe=recipe, dtype=float8[0])
  gate_up, down = argument("gate_up", experts.gate_up), argument("down", experts.down)
  experts = experts._replace(gate_up=gate_up, down=down)
  params = _Params(kind, float8, static, (template_of(gate_up), template_of(down)))
  for name, template, axis in zip(("gate_up", "down"), params.prepared, (-3, -2)):
    if template is not None and template.contracted != (axis,):
      raise ValueError(
          f"{name} was prepared for products that contract its dimensions {template.contracted}; "
          f"({axis},) is allowed. Pass contracted= to jaxgemm.fp8.prepare, or leave it out.")
  leaves, tree = jax.tree.flatten((x, experts, weights, sizes, table, offset))
  # Because of unify_varying, the gradient of an array that devices of a shard_map share is summed
  # over these devices.
  return _experts(*jax.tree.unflatten(tree, unify_varying(leaves)), params)


@functools.partial(jax.custom_vjp, nondiff_argnums=(6,))
def _experts(x, experts, weights, sizes, table, offset, params: _Params) -> jax.Array:
  return _forward(x, experts, weights, sizes, table, offset, params)[0]


def _product(lhs: Quantized, rhs: Quantized, groups, params: _Params, dtype, *,
             table: RoutingTable | None = None, bias=None) -> jax.Array:
  """[R, N]: the rows of each group times its matrix of rhs[G, N, K].

  Args:
    groups: (sizes, offset).
    table: lhs has a row for each token, and the product reads it for each row of the table.
  """
  sizes, offset = groups
  options = params.static.options.keywords()
  if params.kind not in BLOCKS:
    return ragged_dot_general(
        lhs.values, rhs.values, sizes, K_LAST, None, dtype, offset, lhs_indices=table,
        scale_lhs=lhs.scales, scale_rhs=rhs.scales, bias=bias, **options)
  if table is not None:
    lhs = Quantized(*(copies.gathered(x, table.token) for x in lhs))
  return scaled_ragged_dot(lhs.values, rhs.values, sizes, lhs.scales, rhs.scales, dtype, offset,
                           bias=bias, **options)


def _forward(x, experts: Experts, weights, sizes, table: RoutingTable | None, offset,
             params: _Params):
  groups, dtype = (sizes, offset), params.float8[0]
  count, features, _, hidden_features = experts.gate_up.shape
  flat = experts.gate_up
  if params.prepared[0] is None:
    flat = flat.reshape(count, features, 2 * hidden_features)
  gate_up, gate_up_back = weights_of(flat, params.kind, dtype)
  down, down_back = weights_of(experts.down, params.kind, dtype)
  bias = experts.gate_up_bias
  bounds = copies.bounds_of_rows(sizes, offset, count, len(x if table is None else table.token))
  lhs = quantized_rows(x, params.of_rows, dtype, bounds if table is None else None)
  z = _product(lhs, gate_up, groups, params, x.dtype, table=table,
               bias=None if bias is None else bias.reshape(count, 2 * hidden_features))
  z = epilogue.named(z.reshape(len(z), 2, hidden_features))
  hidden = hidden_quantized(z, params.static.activation, params.of_rows, dtype, bounds)
  out = _product(hidden, down, groups, params, x.dtype, bias=experts.down_bias)
  if table is not None:
    out = combine(out, table, weights, dtype=params.static.dtype)
  biases = experts.gate_up_bias, experts.down_bias
  # The backward pass needs only the dtypes of the weights.
  dtypes = tuple(jnp.zeros(0, originals(each).dtype) for each in (experts.gate_up, experts.down))
  of_rows = kernel_gradients.row_scales(lhs), kernel_gradients.row_scales(hidden)
  return out, kept((x, z, of_rows, bounds, gate_up_back, down_back, biases, dtypes, weights, sizes,
                    table, offset))


def _backward(params: _Params, saved, ct):
  (x, z, (of_x, of_hidden_rows), bounds, gate_up, down, biases, dtypes, weights, sizes, table,
   offset) = saved
  groups, dtype, options = (sizes, offset), params.float8[1], params.static.options.keywords()
  count, features = gate_up.values.shape[:2]
  ct = ct.astype(z.dtype)
  of_ct = quantized_rows(ct, params.of_rows, dtype, bounds if table is None else None)
  of_hidden = _product(of_ct, down, groups, params, z.dtype, table=table)
  w = jnp.ones(len(z)) if table is None else of_rows(weights, table.choice)
  d_z, hidden, d_w, of_z = gated_gradient_quantized(
      z, of_hidden, w, params.static.activation, params.of_rows, dtype)
  d_x = _product(of_z, gate_up, groups, params, z.dtype)
  d_x = d_x.astype(x.dtype) if table is None else combine(d_x, table, dtype=x.dtype)

  def lines(of_tokens):
    return of_tokens if table is None else of_tokens[table.token]

  def of_kernel(rows, cotangent, dtype, **indices):
    return ragged_dot_general(
        rows, cotangent, sizes, OF_RHS, None, dtype, offset,
        num_local_groups=None if offset is None else count, **indices, **options)

  flat = d_z.reshape(len(d_z), 2 * d_z.shape[-1])

  def in_float8(lhs, cotangent, dtype):
    return kernel_gradients.gradient(
        lhs, cotangent, groups, count, bounds, params.float8[::2], dtype, options)

  pays = functools.partial(kernel_gradients.pays, params.kind, len(z), count)
  tokens = None if table is None else table.token
  if pays(features, flat.shape[1]):
    d_gate_up = in_float8(
        kernel_gradients.Rows(x, lines(of_x), tokens),
        kernel_gradients.Rows(flat, kernel_gradients.tops(of_z)), dtypes[0].dtype)
  else:
    d_gate_up = of_kernel(x, flat, dtypes[0].dtype, lhs_indices=table)
  if pays(hidden.shape[1], features):
    d_down = in_float8(
        kernel_gradients.Rows(hidden, of_hidden_rows * jnp.abs(w)),
        kernel_gradients.Rows(ct, lines(kernel_gradients.tops(of_ct)), tokens), dtypes[1].dtype)
  else:
    d_down = of_kernel(hidden, ct, dtypes[1].dtype, rhs_indices=table)
  d_weights: Any = None
  if table is not None:
    d_weights = d_w.at[table.row].get(unique_indices=True, mode="promise_in_bounds")
  gate_up_bias, down_bias = biases
  ones = jnp.ones((len(flat), 1), flat.dtype)
  if gate_up_bias is not None:
    d_bias = of_kernel(ones, flat, jnp.float32)
    gate_up_bias = d_bias.reshape(gate_up_bias.shape).astype(gate_up_bias.dtype)
  if down_bias is not None and table is None:
    down_bias = of_kernel(ones, ct, jnp.float32)[:, 0].astype(down_bias.dtype)
  elif down_bias is not None:
    sums = lambda bias, weights: bias_sums(bias, weights, table, offset)
    wide = (each.astype(jnp.float32) for each in (down_bias, weights))
    d_bias, of_weights_too = jax.vjp(sums, *wide)[1](ct.astype(jnp.float32))
    down_bias, d_weights = d_bias.astype(down_bias.dtype), d_weights + of_weights_too
  d_gate_up = d_gate_up.reshape(count, features, 2, d_z.shape[-1])
  d_experts = Experts(d_gate_up, d_down, gate_up_bias, down_bias)
  if table is not None:
    d_weights = d_weights.astype(weights.dtype)
  d_x, d_experts, d_weights = jax.tree.map(first_derivative, (d_x, d_experts, d_weights))
  d_experts = d_experts._replace(
      gate_up=gradient_of(params.prepared[0], d_experts.gate_up),
      down=gradient_of(params.prepared[1], d_experts.down))
  return d_x, d_experts, d_weights, None, None, None


_experts.defvjp(_forward, _backward)
