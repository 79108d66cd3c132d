"""The mixture-of-experts layer for Flax NNX, and operations for its layers in float8."""

import dataclasses
import functools
from typing import Any, ClassVar

from flax import nnx
from flax.typing import Dtype, Initializer, PrecisionLike
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from jaxgemm import fp8
from jaxgemm.call.options import dtype_argument
from jaxgemm.call.quantized import Quantized
from jaxgemm.call.transposes import INLINE
from jaxgemm.flax import experts as experts_lib
from jaxgemm.flax import linen
from jaxgemm.flax.checks import check_layer, check_shapes, warn_of_router
from jaxgemm.flax.experts import MoEParams
from jaxgemm.flax.moe import moe, options_of
from jaxgemm.flax.parameters import Drawn, is_of_library
from jaxgemm.flax.routing import MoEStats


class _Mlp(nnx.Module):
  """Holds the parameters of `jaxgemm.flax.Mlp`, by name; it has no `__call__`."""

  def __init__(self, params: dict[str, nnx.Param]):
    for name, param in params.items():
      setattr(self, name, param)

  def params(self) -> experts_lib.Mlp:
    names = [name for name in experts_lib.Mlp._fields if hasattr(self, name)]
    return experts_lib.Mlp(**{name: _value(getattr(self, name)) for name in names})


def _value(param: nnx.Variable):
  """The array of a variable, or the `jaxgemm.Quantized` that was put in its place."""
  value = param.get_raw_value()
  return value if isinstance(value, Quantized) else param[...]


# The key of a variable's metadata for the names of its dimensions; it depends on Flax's version.
_ANNOTATED: Any = nnx.with_partitioning(lambda: 0, (None,))()
_NAMES = next(key for key in _ANNOTATED.metadata if "sharding" in key)


def _strip(value):
  return value.raw_value if isinstance(value, nnx.VariableMetadata) else value


def _metadata(drawn: Drawn) -> nnx.VariableMetadata:
  """What the initializer gives beside the array, for example `nnx.with_partitioning`."""
  found: list[Any] = []

  def call(key):
    found.append(drawn.call(key))
    return _strip(found[0])

  jax.eval_shape(call, jax.random.key(0))
  given, = found
  if isinstance(given, nnx.VariableMetadata):
    return dataclasses.replace(given, raw_value=None)
  return nnx.VariableMetadata(None)


def _inserted(names, axis: int, name: str | None):
  """The names of an array's dimensions with one more at the axis."""
  if isinstance(names, NamedSharding):
    return NamedSharding(names.mesh, PartitionSpec(*_inserted(names.spec, axis, name)))
  names = [*names, *[None] * (axis - len(names))]
  return (*names[:axis], name, *names[axis:])


def _params(values: dict[str, jax.Array], drawn: dict[str, Drawn], partition_name: str | None,
            lead: bool) -> dict[str, nnx.Param]:
  """The parameters with their metadata, sharded as Flax shards those of its layers.

  Args:
    values: the arrays by name.
    drawn: how they were drawn.
    partition_name: see `MoE`.
    lead: whether the arrays have a dimension of experts in front.
  """
  of = {name: _metadata(x) for name, x in drawn.items()}
  annotated = [x.metadata for x in of.values() if x.metadata.get(_NAMES)]
  # Rules and mesh of the names that an initializer has hold for the others' partition_name, too.
  common = {key: x for key, x in (annotated[0] if annotated else {}).items()
            if key in ("mesh", "sharding_rules")}
  params = {}
  for name, value in values.items():
    metadata: dict[str, Any] = dict(of[name].metadata)
    options: dict[str, Any] = {}
    if names := metadata.get(_NAMES):
      if drawn[name].paired:
        names = _inserted(names, len(drawn[name].shape) - 2, None)
      metadata[_NAMES] = _inserted(names, 0, partition_name) if lead else names
    elif lead and partition_name is not None:
      metadata |= common | {_NAMES: (partition_name, *[None] * (value.ndim - 1))}
      # Without a mesh, Flax would refuse to shard a parameter that has names.
      if common.get("mesh") is None and jax.sharding.get_abstract_mesh().empty:
        options["eager_sharding"] = False
    given = dataclasses.replace(of[name], raw_value=value, metadata=metadata)
    params[name] = nnx.Param(given, **options)
  return params


def _draw(key_of_router, key_of_experts, keys_of_shared, *, router: Drawn,
          experts: tuple[Drawn, ...], shared: tuple[Drawn, ...], num_experts: int):
  """The arrays of router, experts and shared experts."""
  def one(key):
    return [x.values(jax.random.fold_in(key, i), _strip) for i, x in enumerate(experts)]

  return (router.values(key_of_router, _strip),
          jax.vmap(one)(jax.random.split(key_of_experts, num_experts)),
          [x.values(key, _strip) for x, key in zip(shared, keys_of_shared, strict=True)])


_compiled_draw = functools.partial(
    jax.jit, static_argnames=("router", "experts", "shared", "num_experts"),
    inline=INLINE)(_draw)


class RouterBias(nnx.Variable):
  """The bias of `MoE` with use_router_bias, f32[num_experts]. No optimizer changes it."""


class MoE(nnx.Module):
  """A dropless mixture of experts: x[..., features] -> (result[..., features], statistics).

  An example::

    >>> from flax import nnx
    >>> import jax.numpy as jnp
    >>> from jaxgemm.flax import nnx as jaxgemm_nnx

    >>> layer = jaxgemm_nnx.MoE(
    ...     features=64, hidden_features=128, num_experts=8, top_k=2, rngs=nnx.Rngs(0))
    >>> y, stats = layer(jnp.ones((4, 16, 64)))
    >>> y.shape, stats.tokens_per_expert.shape
    ((4, 16, 64), (8,))

  Add `stats.load_balancing_loss` and `stats.router_z_loss`, each times a small factor
  (1e-2 in Switch, arXiv:2101.03961, and 1e-3 in ST-MoE, arXiv:2202.08906), to the loss.

  All arguments are passed by name.

  Args:
    features: number of features of the input and of the result.
    hidden_features: width of each expert.
    num_experts: number of experts that the router chooses from.
    top_k: experts per token.
    num_shared_experts: number of experts that every token goes to; they are one MLP of width
      num_shared_experts * hidden_features.
    gated: whether experts are down(activation(gate(x)) * up(x)), which is SwiGLU
      (arXiv:2002.05202) with "silu", or down(activation(up(x))).
    activation: "silu", another one of `jaxgemm.matmul`, or a `jaxgemm.flax.ClampedSwiGLU` for
      gpt-oss.
    use_bias: whether the experts have biases.
    use_router_bias: whether a bias of each expert is added to the affinities for the choice, not
      for the weights, as in DeepSeek-V3. It is a `RouterBias`, zeros at first. No gradient
      changes it: set it by `jaxgemm.flax.updated_router_bias`.
    router_scores, normalize_weights, routed_scaling, node_limit, recipe, dtype: see
      `jaxgemm.flax.moe`. A warning says if the router has no gradient from the result.
    param_dtype: the dtype passed to parameter initializers (default: float32).
    precision: numerical precision of the products, see `jax.lax.Precision`.
    kernel_init: initializer function for the weight matrices; it is called for each
      expert with the shape of one matrix.
    router_init: initializer function for the router, of shape (features,
      num_experts).
    bias_init: initializer function for the biases, called for each expert.
    dot_general, ragged_dot, ragged_gated_linear_unit: see `jaxgemm.flax.moe`.
    expert_axis_name, tensor_axis_name: see `jaxgemm.flax.moe`. They count when the layer is called;
      the constructor always makes the parameters of all experts.
    sharded_tokens, dispatch, dispatch_room: see `jaxgemm.flax.moe`.
    partition_name: the name of a mesh axis, or a logical name: the experts' dimension has it in
      the sharding metadata of the experts' parameters, in front of the names that
      `nnx.with_partitioning` gives to an initializer (else in front of None). If there is a mesh
      (`jax.set_mesh`), the parameters are made sharded, as those of `nnx.Linear` are.
    rngs: an `nnx.Rngs`, whose stream "params" gives the keys of the initializers.

  Raises:
    ValueError, TypeError: an argument is not allowed; the message says why.
  """

  def __init__(
      self,
      *,
      features: int,
      hidden_features: int,
      num_experts: int,
      top_k: int = 2,
      num_shared_experts: int = 0,
      gated: bool = True,
      activation: experts_lib.Activation = "silu",
      use_bias: bool = False,
      router_scores: str = "softmax",
      use_router_bias: bool = False,
      normalize_weights: bool = True,
      routed_scaling: float = 1.0,
      node_limit: tuple[int, int] | None = None,
      recipe: str | None = None,
      dtype: Dtype | None = None,
      param_dtype: Dtype = jnp.float32,
      precision: PrecisionLike = None,
      kernel_init: Initializer = nnx.initializers.lecun_normal(),
      router_init: Initializer = nnx.initializers.lecun_normal(),
      bias_init: Initializer = nnx.initializers.zeros_init(),
      dot_general: Any = None,
      ragged_dot: Any = None,
      ragged_gated_linear_unit: Any = None,
      expert_axis_name: str | None = None,
      sharded_tokens: bool | None = None,
      dispatch: str = "gather",
      dispatch_room: float | None = None,
      tensor_axis_name: str | None = None,
      partition_name: str | None = None,
      rngs: nnx.Rngs,
  ):
    check_layer(locals())
    warn_of_router(num_experts, top_k, normalize_weights, router_scores)
    if not isinstance(rngs, nnx.Rngs):
      raise TypeError(
          f"rngs={rngs!r} was given; an nnx.Rngs is allowed. Pass rngs=nnx.Rngs(0), for example.")
    def drawn(hidden_features):
      shapes = experts_lib.mlp_shapes(features, hidden_features, gated=gated, use_bias=use_bias)
      return {
          name: Drawn(bias_init if name.endswith("bias") else kernel_init, shape, param_dtype,
                      paired=name.startswith("gate_up"))
          for name, shape in shapes.items()}

    dtype_argument("param_dtype", param_dtype)
    router = Drawn(router_init, (features, num_experts), param_dtype)
    experts = drawn(hidden_features)
    shared = drawn(num_shared_experts * hidden_features) if num_shared_experts else {}
    inits = router_init, kernel_init, bias_init
    draw = _compiled_draw if all(map(is_of_library, inits)) else _draw
    of_router, of_experts, of_shared = draw(
        rngs.params(), rngs.params(), [rngs.params() for _ in shared], router=router,
        experts=tuple(experts.values()), shared=tuple(shared.values()), num_experts=num_experts)
    self.router = _params({"router": of_router}, {"router": router}, None, False)["router"]
    if use_router_bias:
      self.router_bias = RouterBias(jnp.zeros((num_experts,), jnp.float32))
    self.experts = _Mlp(_params(dict(zip(experts, of_experts)), experts, partition_name, True))
    if shared:
      self.shared = _Mlp(_params(dict(zip(shared, of_shared)), shared, None, False))
    self.num_shared_experts = num_shared_experts
    self.features = features
    self.hidden_features = hidden_features
    self.num_experts = num_experts
    self.top_k = top_k
    self.gated = gated
    self.activation = activation
    self.use_bias = use_bias
    self.router_scores = router_scores
    self.use_router_bias = use_router_bias
    self.normalize_weights = normalize_weights
    self.routed_scaling = routed_scaling
    self.node_limit = node_limit
    self.recipe = recipe
    self.dtype = dtype
    self.param_dtype = param_dtype
    self.precision = precision
    self.dot_general = dot_general
    self.ragged_dot = ragged_dot
    self.ragged_gated_linear_unit = ragged_gated_linear_unit
    self.expert_axis_name = expert_axis_name
    self.sharded_tokens = sharded_tokens
    self.dispatch = dispatch
    self.dispatch_room = dispatch_room
    self.tensor_axis_name = tensor_axis_name
    self.partition_name = partition_name

  def __call__(
      self, x: jax.Array, experts: jax.Array | None = None
  ) -> tuple[jax.Array, MoEStats]:
    """Routes the tokens and adds up the results of their experts.

    Args:
      x: array of shape [..., features], of floats.
      experts: the routing of an earlier call, to repeat it; see `jaxgemm.flax.moe`.

    Returns:
      The result [..., features], and the `MoEStats`.

    Raises:
      ValueError, TypeError: x, the kernels in a shard or experts have the wrong shape
        or dtype, or parameters differ along expert_axis_name.
    """
    shared = self.shared.params() if self.num_shared_experts else None
    bias = self.router_bias[...] if self.use_router_bias else None
    params = MoEParams(self.router[...], self.experts.params(), shared, bias)
    check_shapes(
        jnp.asarray(x), params, self.expert_axis_name, self.tensor_axis_name,
        num_experts=self.num_experts, hidden_features=self.hidden_features,
        num_shared_experts=self.num_shared_experts, features=self.features)
    return moe(x, params, experts, **options_of(self))


def promote_dtype(args: tuple, /, *, dtype=None, inexact=True) -> tuple:
  """`flax.nnx.nn.dtypes.promote_dtype` for layers whose kernels may be prepared.

  Pass it to a layer beside the product that takes prepared kernels::

    nnx.Linear(512, 256, promote_dtype=jaxgemm.flax.nnx.promote_dtype,
               dot_general=functools.partial(jaxgemm.fp8.dot_general, recipe="rowwise"), rngs=rngs)

  Args:
    args: arrays, weights of `jaxgemm.fp8.prepare`, or None.
    dtype, inexact: as in Flax.

  Returns:
    The arguments in one dtype; see `jaxgemm.flax.linen.promote_dtype`.
  """
  return tuple(linen.promote_dtype(*args, dtype=dtype, inexact=inexact))


class OverwriteWithGradient(nnx.Variable):
  """A variable whose next value is its gradient, as in Flax Linen's collection of this name."""


def overwrite(model: nnx.Module, gradients: nnx.State) -> nnx.State:
  """Sets the model's `OverwriteWithGradient` variables to their gradients.

  Args:
    model: the model.
    gradients: gradients with respect to all of these variables, and any others. By default
      `nnx.grad` gives those of `nnx.Param` only; see `Fp8DotGeneralOp`.

  Returns:
    The other gradients, for the optimizer.

  Raises:
    ValueError: the model has no such variable, or gradients lack one.
  """
  new, others = nnx.split_state(gradients, OverwriteWithGradient, ...)
  paths = [[path for path, _ in nnx.to_flat_state(state)]
           for state in (nnx.state(model, OverwriteWithGradient), new)]
  missing = [".".join(map(str, path)) for path in paths[0] if path not in paths[1]]
  if not paths[0]:
    raise ValueError(
        "model has no variable of type OverwriteWithGradient; one at least is allowed, of an "
        "Fp8DotGeneralOp. Pass dot_general=Fp8DotGeneralOp() to its layers, or leave the call out.")
  if missing:
    raise ValueError(
        f"gradients lack {', '.join(missing)}; all OverwriteWithGradient variables of the model "
        "are needed. Pass argnums=nnx.DiffState(0, (nnx.Param, OverwriteWithGradient)) to nnx.grad "
        "or nnx.value_and_grad.")
  nnx.update(model, new)
  return others


class Fp8DotGeneralOp(nnx.Module):
  """Delayed scaling for one layer: `nnx.Linear(..., dot_general=Fp8DotGeneralOp())`.

  It computes the same as `jaxgemm.flax.linen.Fp8DotGeneralOp`, and has variables of the same names
  and shapes, of the type `OverwriteWithGradient`. Each layer needs an operation of its own, which
  is called once in each step.

  An example::

    >>> from flax import nnx
    >>> import jax.numpy as jnp
    >>> from jaxgemm.flax import nnx as jaxgemm_nnx

    >>> layer = nnx.Linear(
    ...     64, 32, dot_general=jaxgemm_nnx.Fp8DotGeneralOp(), rngs=nnx.Rngs(0))
    >>> wrt = nnx.DiffState(0, (nnx.Param, jaxgemm_nnx.OverwriteWithGradient))
    >>> gradients = nnx.grad(lambda layer: layer(jnp.ones((8, 64))).sum(), argnums=wrt)(layer)
    >>> of_params = jaxgemm_nnx.overwrite(layer, gradients)  # the scales of the next step

  `of_params` are the gradients for the optimizer. Without `nnx.DiffState` the variables are not
  differentiated. Then the scales come from the arrays' own values, and a warning says so.

  Args:
    amax_history_length: the number of steps whose largest magnitudes count.
  """

  dtypes: ClassVar[tuple[Any, Any] | None] = None  # None: the dtypes that the kernels read

  def __init__(self, *, amax_history_length: int = 1024):
    state = fp8.DelayedScaling.create(amax_history_length)
    for name, amax in zip(("input", "kernel", "output_grad"), state):
      setattr(self, f"{name}_scale", OverwriteWithGradient(amax.scale))
      setattr(self, f"{name}_amax_history", OverwriteWithGradient(amax.history))

  def __call__(self, x, kernel, dimension_numbers, precision=None, preferred_element_type=None,
               *, out_sharding=None):
    """The product of x and a layer's kernel; x is cast to the kernel's dtype first."""
    del precision  # operands are float8, as in Flax's operation
    of = lambda name: fp8.Amax(getattr(self, f"{name}_scale")[...],
                               getattr(self, f"{name}_amax_history")[...])
    x = jnp.asarray(x, kernel.dtype)
    return fp8.dot_general(
        x, kernel, dimension_numbers, None, preferred_element_type or x.dtype,
        out_sharding=out_sharding, dtypes=self.dtypes,
        state=fp8.DelayedScaling(of("input"), of("kernel"), of("output_grad")))


class NANOOFp8DotGeneralOp(Fp8DotGeneralOp):
  """`Fp8DotGeneralOp` with the FNUZ dtypes, which gfx942 and CPUs read."""

  dtypes = (jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz)


# Flax has two operations. The products of the second are float8, as they are here in any case.
Fp8DirectDotGeneralOp = Fp8DotGeneralOp
