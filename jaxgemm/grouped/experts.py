"""The MLP of gated experts with one derivative: it keeps x, the routing and what is before the
activation.

The backward pass multiplies the cotangent of each row's token by `down`, and one pass over the
result and the kept values gives all that the other products read (SonicMoE, arXiv:2512.14080,
section 4): see gated_gradient.py.
"""

import functools
from typing import NamedTuple

import jax
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.activations import activated
from jaxgemm.call.options import Options
from jaxgemm.grouped.api import ragged_dot, ragged_dot_general, ragged_gated_linear_unit
from jaxgemm.grouped.call import compute
from jaxgemm.grouped.checks import K_LAST, OF_RHS
from jaxgemm.grouped.combined import bias_sums, ragged_sums
from jaxgemm.grouped.gated_gradient import gated_gradient
from jaxgemm.grouped.rows import RoutingTable, combine, of_rows
from jaxgemm.sharding.manual_axes import unify_varying


class Experts(NamedTuple):
  """The parameters of gated experts: gate_up [G, C, 2, H], down [G, H, C], biases or None."""

  gate_up: jax.Array
  down: jax.Array
  gate_up_bias: jax.Array | None = None
  down_bias: jax.Array | None = None


class Static(NamedTuple):
  """The dtype of the sums, the activation of the gate, and the options of all products.

  Of the options, the dtype, the sharding and the activation are not used.
  """

  dtype: jnp.dtype
  activation: str | None
  options: Options

  def keywords(self, activation: str | None = None) -> dict:
    """The keywords of a product with this activation."""
    return self.options.keywords() | {"activation": activation}


@functools.partial(jax.custom_jvp, nondiff_argnums=(6,))
def gated_experts(x, experts: Experts, weights, sizes, table: RoutingTable, offset,
                  static: Static) -> jax.Array:
  """[T, C]: for each token of x[T, C] the weighted sum of its experts' results.

  Args:
    experts: those of this device.
    weights: float[T, top_k].
    sizes: int32[E], the rows of all experts.
    table: the rows of the tokens.
    offset: int32[1], the first expert of this device, or None.
    static: see there.
  """
  options = static.options
  hidden = ragged_gated_linear_unit(
      x, experts.gate_up, sizes, options.precision, None, offset, bias=experts.gate_up_bias,
      lhs_indices=table, **static.keywords(static.activation))
  return _sums_of_hidden(hidden, experts, weights, sizes, table, offset, static)


def _sums_of_hidden(hidden, experts, weights, sizes, table, offset, static):
  rows = ragged_dot(hidden, experts.down, sizes, static.options.precision, None, offset,
                    bias=experts.down_bias, **static.keywords())
  return combine(rows, table, weights, dtype=static.dtype)


@functools.partial(gated_experts.defjvp, symbolic_zeros=True)
def _jvp(static, primals, tangents):
  x, experts, weights, sizes, table, offset = primals
  given = lambda t: None if t is None or isinstance(t, SymbolicZero) else t
  d_x, d_weights = given(tangents[0]), given(tangents[2])
  d_gate_up, d_down, d_gate_up_bias, d_down_bias = map(given, tangents[1])
  options = static.options
  computed = compute(
      dict(lhs=x, rhs=experts.gate_up, group_sizes=sizes, group_offset=offset,
           precision=options.precision, bias=experts.gate_up_bias, lhs_indices=table,
           **static.keywords(static.activation)), gated=True, saves=True)
  if not isinstance(computed, tuple):  # XLA computes it
    return _jvp_of_xla(static, primals, tangents)
  hidden, z = activated(computed, static, gated=True)
  out = _sums_of_hidden(hidden, experts, weights, sizes, table, offset, static)

  def linear(lhs, rhs, indices=None):  # [R, 2, H]
    return ragged_dot(lhs, rhs, sizes, options.precision, z.dtype, offset, lhs_indices=indices,
                      **static.keywords())

  terms = []
  if d_x is not None:
    terms.append(linear(d_x, experts.gate_up, table))
  if d_gate_up is not None:
    terms.append(linear(x, d_gate_up, table))
  if d_gate_up_bias is not None:
    # In float32, so that the bias's gradient is not rounded.
    ones = jnp.ones((z.shape[0], 1), jnp.float32)
    terms.append(linear(ones, d_gate_up_bias[:, None].astype(jnp.float32)))
  w = of_rows(weights, table.choice).astype(jnp.float32)
  d_w = None if d_weights is None else of_rows(d_weights, table.choice).astype(jnp.float32)
  sums = []
  if terms or d_w is not None or d_down is not None:
    sums.append(_bind(z, w, experts.down, sizes, table, offset,
                      epilogue.added(terms) if terms else None, d_w, d_down, static))
  for of_bias, of_weights in ((d_down_bias, weights), (experts.down_bias, d_weights)):
    if of_bias is not None and of_weights is not None:
      sums.append(bias_sums(of_bias, of_weights, table, offset).astype(static.dtype))
  return out, epilogue.added(sums) if sums else jnp.zeros_like(out)


def _jvp_of_xla(static, primals, tangents):
  x, experts, weights, *others = primals

  def compute_plainly(x, experts, weights):
    return gated_experts.fun(x, experts, weights, *others, static)

  instantiated = jax.tree.map(
      lambda x, t: jnp.zeros_like(x) if isinstance(t, SymbolicZero) else t, tuple(primals[:3]),
      tuple(tangents[:3]))
  return jax.jvp(compute_plainly, (x, experts, weights), instantiated)


def bias_gradients(biases, d_z, ct, weights, table: RoutingTable | None, offset, product):
  """The gradients of the experts' biases, and of the weights by the last bias; None for no bias.

  Args:
    biases: (gate_up_bias, down_bias), each an array or None.
    d_z: [R, 2 H], the cotangents of the values before the activation.
    ct: [T, C], the cotangents of the tokens' sums.
    weights, table, offset: see `gated_experts`. Without a table ct has the rows [R, C] of the
      groups, and there are no weights.
    product: a function of (rows[R, K], cotangents[R, N], dtype) that gives the sums [G, K, N] over
      the rows of each group.
  """
  gate_up_bias, down_bias = biases
  of_gate_up = of_down = of_weights = None
  wide = jnp.promote_types(d_z.dtype, jnp.float32)
  ones = jnp.ones((len(d_z), 1), d_z.dtype)
  if gate_up_bias is not None:
    of_gate_up = product(ones, d_z, wide)
    of_gate_up = of_gate_up.reshape(gate_up_bias.shape).astype(gate_up_bias.dtype)
  if down_bias is not None and table is None:
    of_down = product(ones, ct, wide)[:, 0].astype(down_bias.dtype)
  elif down_bias is not None:
    sums = lambda bias, weights: bias_sums(bias, weights, table, offset)
    of_down, of_weights = jax.vjp(sums, down_bias.astype(wide), weights.astype(wide))[1](
        ct.astype(wide))
    of_down = of_down.astype(down_bias.dtype)
  return of_gate_up, of_down, of_weights


# The tangent of sums(w * activation(gate) * up @ down), which is linear in those of z, w and down.
_tangent_p = Primitive("jaxgemm_experts_tangent")


def _bind(z, w, down, sizes, table, offset, d_z, d_w, d_down, static: Static):
  tangents = d_z, d_w, d_down
  there = tuple(t is not None for t in tangents)
  given = [z, w, down, *(t for t in tangents if t is not None), sizes, table.token, table.row]
  given += [] if offset is None else [offset]
  return _tangent_p.bind(*unify_varying(given), there=there, static=static)


def _split(operands, there):
  """((z, w, down), their tangents, (sizes, table, offset)); None for what is absent."""
  values, rest = operands[:3], iter(operands[3:])
  tangents = [next(rest) if is_there else None for is_there in there]
  sizes, token, row, *offset = rest
  table = RoutingTable.of_tokens(token, row)
  return values, tangents, (sizes, table, offset[0] if offset else None)


def _compute(*operands, there, static: Static):
  values, tangents, (sizes, table, offset) = _split(operands, there)

  def sums(z, w, down):
    wide = epilogue.activate(z.astype(jnp.float32), static.activation, gated=True)
    hidden = (w[:, None] * wide).astype(z.dtype)
    return ragged_sums(hidden, down, sizes=sizes, table=table, offset=offset, dtype=static.dtype,
                       options=static.options)

  tangents = [jnp.zeros_like(x) if t is None else t for x, t in zip(values, tangents)]
  return jax.jvp(sums, tuple(values), tuple(tangents))[1]


def _transpose(ct, *operands, there, static: Static):
  gradients: list = [None] * len(operands)
  if type(ct) is ad.Zero:
    return gradients
  (z, w, down), _, (sizes, table, offset) = _split(operands, there)
  options = static.options
  ct = ct.astype(z.dtype)

  def product(left, right, numbers, dtype, **indices):
    return ragged_dot_general(left, right, sizes, numbers, options.precision, dtype, offset,
                              **indices, **static.keywords())

  of_hidden = product(ct, down, K_LAST, z.dtype, lhs_indices=table)
  d_z, hidden, d_w = gated_gradient(z, of_hidden, w, static.activation)
  found = [d_z, d_w]
  if there[2]:
    found.append(product(hidden, ct, OF_RHS, down.dtype, rhs_indices=table,
                         num_local_groups=None if offset is None else len(down)))
  at = 3
  for is_there, gradient in zip(there, found):
    if is_there:
      gradients[at] = gradient if ad.is_undefined_primal(operands[at]) else None
      at += 1
  return gradients


_tangent_p.def_impl(jax.jit(_compute, static_argnames=("there", "static")))
_tangent_p.def_abstract_eval(lambda *operands, there, static: operands[2].update(
    shape=(operands[3 + sum(there) + 2].shape[0], operands[2].shape[-1]), dtype=static.dtype,
    weak_type=False))
mlir.register_lowering(_tangent_p, mlir.lower_fun(_compute, multiple_results=False))
ad.primitive_transposes[_tangent_p] = _transpose


def _tangent_jvp(primals, tangents, *, there, static):
  compute = functools.partial(_compute, there=there, static=static)
  floats = [i for i, x in enumerate(primals) if jnp.issubdtype(x.dtype, jnp.inexact)]

  def of_floats(*values):
    operands = list(primals)
    for i, value in zip(floats, values):
      operands[i] = value
    return compute(*operands)

  return jax.jvp(of_floats, tuple(primals[i] for i in floats),
                 tuple(ad.instantiate_zeros(tangents[i]) for i in floats))


ad.primitive_jvps[_tangent_p] = _tangent_jvp


def _batch(operands, axes, *, there, static):
  compute = functools.partial(_compute, there=there, static=static)
  return jax.vmap(compute, axes)(*operands), 0


batching.primitive_batchers[_tangent_p] = _batch
