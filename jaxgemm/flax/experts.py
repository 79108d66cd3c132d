"""The MLP of the experts: its products are grouped, or dense for shared experts.

The products are computed by `jaxgemm.ragged_dot` and `jaxgemm.dot_general`, or by any
functions with the signatures of `jax.lax.ragged_dot` and `jax.lax.dot_general`. The
functions of jaxgemm take bias, activation and group_offset, and
`jaxgemm.ragged_gated_linear_unit` computes gate and up in one kernel. For other
functions, this module computes all of these.
"""

from collections.abc import Callable
import functools
import inspect
from typing import Any, NamedTuple, TypeGuard

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp

import jaxgemm
from jaxgemm import fp8
from jaxgemm.call import epilogue
from jaxgemm.call.options import Options, own_products
from jaxgemm.call.quantized import Quantized, dequantized
from jaxgemm.call.transposes import INLINE
from jaxgemm.collective import blocks
from jaxgemm.collective import experts as overlapped
from jaxgemm.fp8 import experts as float8
from jaxgemm.fp8 import overlapped as overlapped_float8
from jaxgemm.grouped import api as ours
from jaxgemm.grouped.combined import ragged_dot_combine
from jaxgemm.grouped.experts import Experts, Static, gated_experts
from jaxgemm.grouped.rows import RoutingTable, combine, spread

# The name of rows of the result that `combine` weights, for the policies of jax.checkpoint.
ROWS = "jaxgemm_moe_rows"


class Mlp(NamedTuple):
  """Parameters of the experts (with the leading dimension E) or of shared experts.

  Attributes:
    down: [E, H, C] or [H, C]. This kernel and the other ones may be a `jaxgemm.Quantized`, for
      serving: see `jaxgemm.matmul`.
    up: [E, C, H] or [C, H]; None in an MLP with a gate.
    gate_up: [E, C, 2, H] or [C, 2, H], the gate first; None in an MLP without a gate.
    down_bias: [E, C] or [C], or None.
    up_bias: [E, H] or [H], or None.
    gate_up_bias: [E, 2, H] or [2, H], or None.
  """

  down: Any
  up: Any = None
  gate_up: Any = None
  down_bias: Any = None
  up_bias: Any = None
  gate_up_bias: Any = None


class MoEParams(NamedTuple):
  """Parameters of `moe`.

  Attributes:
    router: [C, E].
    experts: kernels and biases with the leading dimension E, or E / P in a shard.
    shared: kernels and biases of the expert that all tokens go to, or None.
    router_bias: f32[E], added to the affinities for the choice of experts, not for their
      weights; or None. It has no gradient: see `updated_router_bias`.
  """

  router: Any
  experts: Mlp
  shared: Mlp | None = None
  router_bias: Any = None


class ClampedSwiGLU(NamedTuple):
  """The activation of gpt-oss, for layers with a gate: pass it as `activation`.

  It computes gate * sigmoid(alpha * gate) * (up + 1), where gate is clamped to at most `limit`
  and up to the range -limit to limit. This is `swiglu` in the code of gpt-oss
  (https://github.com/openai/gpt-oss), which has gate and up in alternate columns.

  Attributes:
    limit: bound of gate and up.
    alpha: factor of gate in the sigmoid.
  """

  limit: float = 7.0
  alpha: float = 1.702

  def __call__(self, gate: jax.Array, up: jax.Array) -> jax.Array:
    gate = jnp.minimum(gate, self.limit)
    up = jnp.clip(up, -self.limit, self.limit)
    return gate * jax.nn.sigmoid(self.alpha * gate) * (up + 1)


Activation = str | ClampedSwiGLU | None
# A function product(x[T, K], kernel, bias or None, activation or None) -> [T, N], in x's dtype.
Product = Callable[[jax.Array, jax.Array, jax.Array | None, Activation], jax.Array]
# A function product(x[R, K], kernel, bias or None) -> [T, N]: the sums of tokens over their rows.
Combined = Callable[[jax.Array, jax.Array, jax.Array | None], jax.Array]


class Products(NamedTuple):
  """The products of an MLP.

  Kernels and biases of grouped products also have the leading dimension E.

  Attributes:
    linear: activation(x @ kernel + bias); kernel [K, N], bias [N].
    gated: activation(x @ kernel[:, 0] + bias[0]) * (x @ kernel[:, 1] + bias[1]);
      kernel [K, 2, N], bias [2, N].
    last: the product with `down`; None: linear.
    experts: a function of (x, `Mlp`, activation) that computes an MLP with a gate as a whole, if
      its derivative is better than that of the products.
    casts: whether kernels are cast to x's dtype first. Products that quantise kernels read them
      in their own dtype.
    takes_quantized: whether kernels may be a `jaxgemm.Quantized`; else these are dequantised.
  """

  linear: Product
  gated: Product
  last: Combined | None = None
  experts: Callable | None = None
  casts: bool = True
  takes_quantized: bool = False


class Tokens(NamedTuple):
  """The tokens of the rows of experts.

  Attributes:
    table: the rows of each token.
    weights: float[T, top_k], of the rows in the sums of a token.
    dtype: that of the sums.
  """

  table: RoutingTable
  weights: jax.Array
  dtype: Any


def mlp_shapes(
    features: int, hidden_features: int, *, gated: bool, use_bias: bool
) -> dict[str, tuple[int, ...]]:
  """The shapes of the fields of `Mlp` for one expert, by name."""
  shapes: dict[str, tuple[int, ...]] = {"down": (hidden_features, features)}
  if gated:
    shapes["gate_up"] = (features, 2, hidden_features)
  else:
    shapes["up"] = (features, hidden_features)
  if use_bias:
    shapes |= {f"{name}_bias": shape[1:] for name, shape in shapes.items()}
  return shapes


def mlp(x: jax.Array, params: Mlp, activation: Activation, products: Products) -> jax.Array:
  """down(activation(gate(x)) * up(x)), or down(activation(up(x))) without a gate.

  Args:
    x: [T, C].
    params: kernels in any float dtype; they are cast to x's dtype, biases are not.
    activation: "silu" (with a gate this is SwiGLU, arXiv:2002.05202), another one of
      `jaxgemm.matmul`, None, or a `ClampedSwiGLU`. The kernels do not have the last, so it is
      applied to the result of one product with the columns of gate and up.
    products: the functions that multiply by a kernel and apply bias and activation.

  Returns:
    [T, C] in x's dtype, or what `products.last` gives.
  """
  if products.experts is not None and _is_gated(activation, params) and not (
      products.takes_quantized and _has_quantized(params)):
    params = params._replace(gate_up=_as_operand(params.gate_up, x, products),
                             down=_as_operand(params.down, x, products))
    return products.experts(x, params, activation)
  return mlp_last(mlp_hidden(x, params, activation, products), params, products)


def mlp_hidden(x: jax.Array, params: Mlp, activation: Activation, products: Products) -> jax.Array:
  """[R, H]: what `mlp` multiplies by down."""
  if params.gate_up is None:
    kernel = _as_operand(params.up, x, products)
    return products.linear(x, kernel, params.up_bias, activation)
  gated = products.gated
  if isinstance(activation, ClampedSwiGLU):
    gated = _gated(products.linear)
  return gated(x, _as_operand(params.gate_up, x, products), params.gate_up_bias, activation)


def mlp_last(hidden: jax.Array, params: Mlp, products: Products) -> jax.Array:
  """The result of `mlp` from that of `mlp_hidden`."""
  down = _as_operand(params.down, hidden, products)
  if products.last is not None:
    return products.last(hidden, down, params.down_bias)
  return products.linear(hidden, down, params.down_bias, None)


def static_of_whole(
    params: Mlp, activation: Activation, ragged_dot: Callable | None,
    ragged_gated_linear_unit: Callable | None, precision, recipe: str | None, dtype,
) -> Static | None:
  """The static arguments with which our own products compute gated experts as a whole, or None."""
  options = {} if recipe else _own_options(ragged_dot, ragged_gated_linear_unit)
  if options is None or not _is_gated(activation, params) or _has_quantized(params):
    return None
  return Static(jnp.dtype(dtype), activation, Options.of({"precision": precision} | options))


def send_tokens(x: jax.Array, shards: blocks.Shards, static: Static | None, recipe: str | None):
  """(the tokens that begin to travel for `overlapped_mlp`, x); see `blocks.send_tokens`."""
  if static is not None and recipe is not None:
    return overlapped_float8.send_tokens(x, shards, static, recipe)
  return blocks.send_tokens(x, shards, constant=static is not None)


def overlapped_mlp(
    x: jax.Array, tokens, params: Mlp, activation: Activation, weights, chosen, first_expert,
    shards: blocks.Shards, static: Static | None, recipe: str | None, products_of: Callable,
) -> jax.Array:
  """f32[T, C]: `mlp` of tokens whose experts are on many devices, weighted and summed.

  Args:
    x: [T, C], the tokens of this device.
    tokens: from `send_tokens`.
    params, activation: see `mlp`.
    weights, chosen, first_expert, shards: see `jaxgemm.collective.blocks.in_two_blocks`.
    static: that of `static_of_whole`.
    recipe: a recipe of `jaxgemm.fp8.ragged_dot`, or None.
    products_of: a function of (group sizes, experts, `Tokens`) that gives the products.
  """
  def products(block, dtype):
    return products_of(block.sizes, block.table.experts,
                       Tokens(block.table, block.weights, jnp.dtype(dtype)))

  def first(x, block):
    return mlp_hidden(x, params, activation, products(block, shards.dtype)), None

  def sums(hidden, block):
    return mlp_last(hidden, params, products(block, jnp.promote_types(shards.dtype, jnp.float32)))

  arguments = weights, chosen, first_expert, shards
  if static is None:
    return blocks.in_two_blocks(
        x.astype(shards.dtype), tokens, *arguments, first, sums,
        lambda sums, block, dtype: sums.astype(dtype))[0]
  if recipe is not None:
    experts = Experts(params.gate_up, params.down, params.gate_up_bias, params.down_bias)
    return overlapped_float8.gated_experts(x, tokens, experts, *arguments, static, recipe)
  experts = Experts(params.gate_up.astype(shards.dtype), params.down.astype(shards.dtype),
                    params.gate_up_bias, params.down_bias)
  return overlapped.gated_experts(x, tokens, experts, *arguments, static)


def _is_gated(activation: Activation, params: Mlp) -> TypeGuard[str | None]:
  """Whether the experts have a gate with an activation of the kernels."""
  return params.gate_up is not None and not isinstance(activation, ClampedSwiGLU)


def _has_quantized(params: Mlp) -> bool:
  return any(isinstance(kernel, Quantized) for kernel in (params.gate_up, params.down))


def _as_operand(kernel, x, products: Products):
  """A kernel as the products take it beside x."""
  if isinstance(kernel, Quantized):
    return kernel if products.takes_quantized else dequantized(
        kernel, x, "the product of this layer takes no Quantized")
  return kernel.astype(x.dtype) if products.casts else kernel


def _is_fused(function: Callable, *keywords: str) -> bool:
  # Only named parameters count. **options do not show which arguments a wrapped function takes.
  parameters = inspect.signature(function).parameters
  return all(name in parameters for name in keywords)


def _widen(x):
  return x.astype(jnp.promote_types(x.dtype, jnp.float32))


@functools.partial(jax.jit, inline=INLINE, static_argnames=("activation",))
def _finish(out, bias, activation):
  """Applies bias and activation as the kernels do: in float32, rounded once."""
  if bias is None and activation is None:
    return out
  if activation is not None:
    out = epilogue.named(out)
  z = _widen(out)
  if bias is not None:
    z = z + epilogue.lifted(bias, z.ndim)
  return epilogue.activate(z, activation).astype(out.dtype)


def _gated(linear: Product) -> Product:
  """`Products.gated`, computed by one linear product with the columns of gate and up."""

  def product(x, kernel, bias, activation):
    flat = lambda a: a.reshape(*a.shape[:-2], 2 * a.shape[-1])
    if isinstance(kernel, fp8.PreparedWeight):
      kernel = kernel.flat()
    else:
      kernel = jax.tree.map(flat, kernel)  # two arrays of a `jaxgemm.Quantized`
    return _gate(linear(x, kernel, None if bias is None else flat(bias), None), activation)

  return product


@functools.partial(jax.jit, inline=INLINE, static_argnames=("activation",))
def _gate(z, activation):
  """activation(gate) * up of the columns of gate and up, those of the gate first."""
  z = epilogue.named(z)
  gate, up = jnp.split(_widen(z), 2, axis=-1)
  if isinstance(activation, ClampedSwiGLU):
    return activation(gate, up).astype(z.dtype)
  return (epilogue.activate(gate, activation) * up).astype(z.dtype)


def dense_products(dot_general: Callable | None, precision, recipe: str | None = None) -> Products:
  """The products of an MLP that all rows go to.

  Args:
    dot_general: None means jaxgemm.dot_general, or with a recipe jaxgemm.fp8.dot_general.
    precision: passed to dot_general.
    recipe: a recipe of `jaxgemm.fp8.dot_general`, or None.
  """
  if recipe is not None:
    dot_general = _in_float8(fp8.dot_general, recipe)
  dot_general = dot_general or jaxgemm.dot_general
  dimension_numbers = (((1,), (0,)), ((), ()))

  def linear(x, kernel, bias, activation):
    fused = _is_fused(dot_general, "bias", "activation")
    options = dict(bias=bias, activation=activation) if fused else {}
    with own_products():
      out = dot_general(x, kernel, dimension_numbers, precision=precision, **options)
    return out if fused else _finish(out, bias, activation)

  return Products(linear, _gated(linear), casts=recipe is None,
                  takes_quantized=dot_general is jaxgemm.dot_general)


def _in_float8(function: Callable, recipe: str) -> Callable:
  """A product of `jaxgemm.fp8` whose result has lhs's dtype, not that of lhs and kernel."""

  def product(x, kernel, third, precision=None):
    return function(x, kernel, third, precision, x.dtype, recipe=recipe)

  return product


def grouped_products(
    ragged_dot: Callable | None, ragged_gated_linear_unit: Callable | None, precision,
    group_sizes: jax.Array, experts: jax.Array, group_offset: jax.Array | None,
    recipe: str | None = None, tokens: Tokens | None = None,
) -> Products:
  """The products of sorted rows with the kernel[G, ...] and bias[G, ...] of their experts.

  Args:
    ragged_dot: None means jaxgemm.ragged_dot.
    ragged_gated_linear_unit: None means jaxgemm.ragged_gated_linear_unit, or a
      product by `ragged_dot` if that is not jaxgemm's.
    precision: passed to these functions.
    group_sizes: int32[E], the number of rows of each expert.
    experts: int32[R], ascending: the expert of each row.
    group_offset: int32[1]: kernels and biases belong only to the G experts from
      group_offset on, and rows of other experts become zero. None: they belong to
      all experts.
    recipe: a recipe of `jaxgemm.fp8.ragged_dot`, which then takes the place of ragged_dot.
    tokens: the tokens of the rows. Then the first product of an MLP reads tokens, and its last one
      gives their sums. None: both are products of rows.
  """
  if recipe is not None:
    ragged_dot = _in_float8(fp8.ragged_dot, recipe)
  ragged_dot = ragged_dot or jaxgemm.ragged_dot
  if ragged_gated_linear_unit is None and ragged_dot is jaxgemm.ragged_dot:
    ragged_gated_linear_unit = jaxgemm.ragged_gated_linear_unit

  def fused(function, **indices):
    return lambda x, kernel, bias, activation: function(
        x, kernel, group_sizes, precision=precision, group_offset=group_offset,
        bias=bias, activation=activation, **indices,
    )

  def whole(x, kernel, bias, activation):
    out = ragged_dot(x, kernel, group_sizes, precision=precision)
    return _finish(out, None if bias is None else bias[experts], activation)

  def shard(x, kernel, bias, activation):
    assert group_offset is not None
    num_local = kernel.shape[0]
    # jax.lax.ragged_dot has no group_offset, so the rows of this shard are moved to the front.
    sizes = lax.dynamic_slice(group_sizes, (group_offset[0],), (num_local,))
    start = (experts < group_offset).sum(dtype=jnp.int32)
    out = ragged_dot(jnp.roll(x, -start, axis=0), kernel, sizes, precision=precision)
    out = jnp.roll(out, start, axis=0)
    local = experts - group_offset
    if bias is not None:
      bias = bias[jnp.clip(local, 0, num_local - 1)]
    out = _finish(out, bias, activation)
    mine = (local >= 0) & (local < num_local)
    return jnp.where(mine[:, None], out, 0)

  if _is_fused(ragged_dot, "bias", "activation", "group_offset"):
    linear = fused(ragged_dot)
  else:
    linear = whole if group_offset is None else shard
  if ragged_gated_linear_unit is None:
    products = Products(linear, _gated(linear), casts=recipe is None)
  else:
    products = Products(linear, fused(ragged_gated_linear_unit))
  options = _options_of(ragged_dot, ours.ragged_dot)
  alike = _own_options(ragged_dot, ragged_gated_linear_unit) is not None
  products = products._replace(takes_quantized=alike)

  def in_float8(x, params, activation):
    assert recipe is not None
    static = Static(jnp.dtype(x.dtype if tokens is None else tokens.dtype), activation,
                    Options.of({"precision": precision}))
    return float8.gated_experts(
        x, Experts(params.gate_up, params.down, params.gate_up_bias, params.down_bias),
        None if tokens is None else tokens.weights, group_sizes,
        None if tokens is None else tokens.table, group_offset, static, recipe)

  if recipe is not None:
    products = products._replace(experts=in_float8)
  if tokens is None:
    return products

  def of_tokens(function, product):
    if _is_fused(function, "lhs_indices"):
      return fused(function, lhs_indices=tokens.table)
    return lambda x, *others: product(spread(x, tokens.table), *others)

  def last(x, kernel, bias):
    if options is None or isinstance(kernel, Quantized):
      rows = checkpoint_name(linear(x, kernel, bias, None), ROWS)
      return combine(rows, tokens.table, tokens.weights, dtype=tokens.dtype)
    return ragged_dot_combine(
        x, kernel, group_sizes, tokens.table, tokens.weights, offset=group_offset, bias=bias,
        dtype=tokens.dtype, precision=precision, **options)

  def experts_of_tokens(x, params, activation):
    static = Static(jnp.dtype(tokens.dtype), activation,
                    Options.of({"precision": precision} | (options or {})))
    weights = Experts(params.gate_up, params.down, params.gate_up_bias, params.down_bias)
    return gated_experts(
        x, weights, tokens.weights, group_sizes, tokens.table, group_offset, static)

  first = of_tokens(ragged_dot, linear)
  if ragged_gated_linear_unit is None:
    gated = _gated(first)
  else:
    gated = of_tokens(ragged_gated_linear_unit, products.gated)
  return products._replace(
      linear=first, gated=gated, last=last,
      experts=experts_of_tokens if alike else products.experts)


_OPTIONS = frozenset(("config", "schedule", "reduction", "deterministic", "implementation"))


def _own_options(ragged_dot: Callable | None, ragged_gated_linear_unit: Callable | None
                 ) -> dict[str, Any] | None:
  """The options of both functions of `grouped_products`, if these are ours and have the same."""
  ragged_dot = ragged_dot or jaxgemm.ragged_dot
  if ragged_gated_linear_unit is None and ragged_dot is jaxgemm.ragged_dot:
    ragged_gated_linear_unit = jaxgemm.ragged_gated_linear_unit
  options = _options_of(ragged_dot, ours.ragged_dot)
  alike = options == _options_of(ragged_gated_linear_unit, ours.ragged_gated_linear_unit)
  return options if alike else None


def _options_of(function: Callable | None, product: Callable) -> dict[str, Any] | None:
  """The options with which `function` calls our product, or None for another function."""
  if isinstance(function, functools.partial) and not function.args:
    only_options = function.func is product and _OPTIONS.issuperset(function.keywords)
    return function.keywords if only_options else None
  return {} if function is product else None
