"""The mixture-of-experts layer for Flax Linen, and an operation for its layers in float8."""

from collections.abc import Mapping, Sequence
import contextvars
from typing import Any

from flax import linen as nn
from flax.linen import dtypes, fp8_ops
from flax.typing import Dtype, Initializer, PrecisionLike
import jax
import jax.numpy as jnp

from jaxgemm import fp8
from jaxgemm.call.options import dtype_argument
from jaxgemm.flax import experts as experts_lib
from jaxgemm.flax.checks import (
  check_layer,
  check_shapes,
  num_features,
  num_shards,
  warn_of_router,
)
from jaxgemm.flax.experts import MoEParams
from jaxgemm.flax.moe import moe, options_of
from jaxgemm.flax.parameters import compiled
from jaxgemm.flax.routing import MoEStats


def _pair(init: Initializer) -> Initializer:
  """An initializer for the shape (..., 2, H), which calls `init` for each of the two arrays."""

  def pair(key, shape, dtype):
    one = shape[:-2] + shape[-1:]
    axis = len(one) - 1
    values = jax.vmap(lambda key: init(key, one, dtype), out_axes=axis)(
        jax.random.split(key)
    )
    return nn.meta.add_axis(values, axis, {nn.PARTITION_NAME: None})

  return pair


def _boxed(init: Initializer, others: Sequence[tuple[Initializer, tuple[int, ...]]]) -> Initializer:
  """An initializer whose values have a box with the names of their dimensions.

  Without names of its own a value gets a box of the kind that the others have, so that both kinds
  of names, mesh axes and logical ones, are understood. `nn.vmap` then puts the name of the experts'
  dimension in front.

  Args:
    init: the initializer.
    others: the initializers of the layer with a shape for each.
  """
  def boxed(key, shape, dtype):
    value = init(key, shape, dtype)
    if isinstance(value, nn.meta.AxisMetadata):
      return value
    boxes = (jax.eval_shape(lambda key: other(key, like, dtype), key)
             for other, like in others)
    box = next((x for x in boxes if isinstance(x, nn.Partitioned)), nn.Partitioned(None, ()))
    return box.replace(value=value, names=(None,) * value.ndim)

  return boxed


def _unboxed(value):
  """The array in a box, with the sharding that the box has where jax allows it."""
  if isinstance(value, nn.Partitioned) and (
      isinstance(value.value, fp8.PreparedWeight)  # one of its arrays is transposed
      or jax.sharding.get_abstract_mesh().manual_axes):  # inside jax.shard_map
    return value.unbox(apply_constraint=False)
  return nn.meta.unbox(value)


_OCP = (jnp.float8_e4m3fn, jnp.float8_e5m2)


class _Mlp(nn.Module):
  """Declares the parameters of `jaxgemm.flax.Mlp` and returns them."""

  shapes: Mapping[str, tuple[int, ...]]
  kernel_init: Initializer
  bias_init: Initializer
  param_dtype: Dtype
  boxed: bool = False  # whether the parameters get a box with the names of their dimensions

  @nn.compact
  def __call__(self) -> experts_lib.Mlp:
    down = self.shapes["down"]
    others = (self.kernel_init, down), (self.bias_init, down[1:])

    def param(name, shape):
      init = compiled(self.bias_init if name.endswith("bias") else self.kernel_init)
      init = _pair(init) if name.startswith("gate_up") else init
      init = _boxed(init, others) if self.boxed else init
      return _unboxed(self.param(name, init, shape, self.param_dtype, unbox=False))

    return experts_lib.Mlp(**{n: param(n, s) for n, s in self.shapes.items()})


# Whether a layer is being copied. A copy does not repeat the warning of the layer.
_copying: contextvars.ContextVar[bool] = contextvars.ContextVar("copying", default=False)


class MoE(nn.Module, kw_only=True):
  """A dropless mixture of experts: x[..., C] -> (result[..., C], statistics).

  An example::

    >>> import jax, jax.numpy as jnp
    >>> from jaxgemm.flax import linen as jaxgemm_linen

    >>> layer = jaxgemm_linen.MoE(hidden_features=128, num_experts=8, top_k=2)
    >>> x = jnp.ones((4, 16, 64))
    >>> params = layer.init(jax.random.key(0), x)
    >>> y, stats = layer.apply(params, x)

  All attributes are passed by name. The parameters have the names and shapes of
  `jaxgemm.flax.nnx.MoE`, whose `features` is x's last dimension here. Add
  `stats.load_balancing_loss` and `stats.router_z_loss`, each times a small factor
  (1e-2 in Switch, arXiv:2101.03961, and 1e-3 in ST-MoE, arXiv:2202.08906), to the loss.

  Attributes:
    hidden_features: width of each expert.
    num_experts: number of experts that the router chooses from.
    top_k: experts per token.
    num_shared_experts, gated: see `jaxgemm.flax.nnx.MoE`.
    activation: "silu", another one of `jaxgemm.matmul`, or a `jaxgemm.flax.ClampedSwiGLU` for
      gpt-oss.
    use_bias: whether the experts have biases.
    use_router_bias: whether a bias of each expert is added to the affinities for the choice, not
      for the weights, as in DeepSeek-V3. It is the variable "router_bias" of the collection
      "router_bias", zeros at first. No gradient changes it: set it by
      `jaxgemm.flax.updated_router_bias`.
    router_scores, normalize_weights, routed_scaling, node_limit, recipe, dtype: see
      `jaxgemm.flax.moe`.
    param_dtype: the dtype passed to parameter initializers (default: float32).
    precision: numerical precision of the products, see `jax.lax.Precision`.
    kernel_init: see `jaxgemm.flax.nnx.MoE`.
    router_init: initializer function for the router, of shape (C, num_experts).
    bias_init: initializer function for the biases, called for each expert.
    dot_general, ragged_dot, ragged_gated_linear_unit: see `jaxgemm.flax.moe`.
    expert_axis_name, tensor_axis_name: see `jaxgemm.flax.moe`. They count in `apply`; `init` makes
      the parameters of all experts.
    sharded_tokens, dispatch, dispatch_room: see `jaxgemm.flax.moe`.
    partition_name: the name of a mesh axis, or a logical name: the experts' dimension has it in
      the boxes of the experts' parameters (`nn.Partitioned`), in front of the names that
      `nn.with_partitioning` gives to an initializer (else in front of None).
  """

  hidden_features: int
  num_experts: int
  top_k: int = 2
  num_shared_experts: int = 0
  gated: bool = True
  activation: experts_lib.Activation = "silu"
  use_bias: bool = False
  router_scores: str = "softmax"
  use_router_bias: bool = False
  normalize_weights: bool = True
  routed_scaling: float = 1.0
  node_limit: tuple[int, int] | None = None
  recipe: str | None = None
  dtype: Dtype | None = None
  param_dtype: Dtype = jnp.float32
  precision: PrecisionLike = None
  kernel_init: Initializer = nn.initializers.lecun_normal()
  router_init: Initializer = nn.initializers.lecun_normal()
  bias_init: Initializer = nn.initializers.zeros_init()
  dot_general: Any = None
  ragged_dot: Any = None
  ragged_gated_linear_unit: Any = None
  expert_axis_name: str | None = None
  sharded_tokens: bool | None = None
  dispatch: str = "gather"
  dispatch_room: float | None = None
  tensor_axis_name: str | None = None
  partition_name: str | None = None

  def __post_init__(self):
    super().__post_init__()
    if not _copying.get():
      warn_of_router(
          self.num_experts, self.top_k, self.normalize_weights, self.router_scores)

  @nn.nowrap
  def clone(self, **updates):  # Flax copies a layer for each init and apply
    token = _copying.set(True)
    try:
      return super().clone(**updates)
    finally:
      _copying.reset(token)

  @nn.compact
  def __call__(
      self, x: jax.Array, experts: jax.Array | None = None
  ) -> tuple[jax.Array, MoEStats]:
    """Routes the tokens and adds up the results of their experts.

    Args:
      x: array of shape [..., C], of floats.
      experts: the routing of an earlier call, to repeat it; see `jaxgemm.flax.moe`.

    Returns:
      The result [..., C], and the `MoEStats`.

    Raises:
      ValueError, TypeError: an option, a shape or a dtype is not allowed; the message
        says why.
    """
    # As in nn.BatchNorm, the axis is bound only when the layer is applied.
    axis_name = None if self.is_initializing() else self.expert_axis_name
    shards = num_shards(axis_name)
    tensor_axis_name = None if self.is_initializing() else self.tensor_axis_name
    parts = num_shards(tensor_axis_name, "tensor_axis_name")
    x = jnp.asarray(x)
    features = num_features(x)
    check_layer(vars(self))
    if jax.sharding.get_abstract_mesh().manual_axes and not self.is_initializing():
      # The error names in_specs; that of Flax, which follows, would not.
      given = jax.tree.map(
          _unboxed, self.variables, is_leaf=lambda x: isinstance(x, nn.meta.AxisMetadata))
      of_layer = given.get("params", {})
      if {"router", "experts"} <= of_layer.keys():
        shared = of_layer.get("shared")
        check_shapes(
            x, MoEParams(of_layer["router"], experts_lib.Mlp(**of_layer["experts"]),
                         shared and experts_lib.Mlp(**shared),
                         given.get("router_bias", {}).get("router_bias")),
            axis_name, tensor_axis_name, num_experts=self.num_experts,
            hidden_features=self.hidden_features, num_shared_experts=self.num_shared_experts)
    dtype_argument("param_dtype", self.param_dtype)
    router = _unboxed(self.param(
        "router", compiled(self.router_init), (features, self.num_experts), self.param_dtype,
        unbox=False))

    bias = None
    if self.use_router_bias:
      bias = self.variable(
          "router_bias", "router_bias", jnp.zeros, (self.num_experts,), jnp.float32).value

    def build(module, hidden_features, name, boxed=False):
      shapes = experts_lib.mlp_shapes(
          features, hidden_features, gated=self.gated, use_bias=self.use_bias
      )
      return module(
          shapes, self.kernel_init, self.bias_init, self.param_dtype, boxed, name=name
      )()

    every = nn.vmap(
        _Mlp, variable_axes={"params": 0}, split_rngs={"params": True},
        axis_size=self.num_experts // shards,
        metadata_params={nn.PARTITION_NAME: self.partition_name},
    )
    every = build(
        every, self.hidden_features // parts, "experts", boxed=self.partition_name is not None)
    shared = None
    if self.num_shared_experts:
      shared = build(
          _Mlp, self.num_shared_experts * self.hidden_features // parts, "shared")
    options = options_of(self) | dict(
        expert_axis_name=axis_name, tensor_axis_name=tensor_axis_name)
    if axis_name is None:
      options |= dict(sharded_tokens=None, dispatch="gather", dispatch_room=None)
    return moe(x, MoEParams(router, every, shared, bias), experts, **options)


def promote_dtype(*args, dtype=None, inexact=True) -> list[Any]:
  """`flax.linen.dtypes.promote_dtype` for layers whose kernels may be prepared.

  Pass it to a layer beside the product that takes prepared kernels::

    nn.Dense(256, promote_dtype=jaxgemm.flax.linen.promote_dtype,
             dot_general=functools.partial(jaxgemm.fp8.dot_general, recipe="rowwise"))

  Args:
    *args: arrays, weights of `jaxgemm.fp8.prepare`, or None.
    dtype, inexact: as in Flax.

  Returns:
    The arguments in one dtype. The arrays of a prepared weight are not cast: the result of a
    product has that dtype, and the weight's gradient the weight's own.
  """
  dtype = dtypes.canonicalize_dtype(*fp8.originals(args), dtype=dtype, inexact=inexact)
  is_prepared = lambda x: isinstance(x, fp8.PreparedWeight)
  return [x if x is None else x.astype(dtype) if is_prepared(x) else jnp.asarray(x, dtype)
          for x in args]


class Fp8DotGeneralOp(fp8_ops.Fp8DotGeneralBase):
  """`flax.linen.Fp8DotGeneralOp` by the kernels: pass it as dot_general_cls to a layer.

  It has delayed scaling with the same variables, in the collection "_overwrite_with_gradient", so
  that checkpoints of either operation fit the other. The gradients are float8 products, too; see
  `jaxgemm.fp8.dot_general`.

  Attributes:
    amax_history_length: the number of steps whose largest magnitudes count.
    e4m3_dtype: dtype of quantised operands. If both dtypes are the defaults, those that the kernels
      read are used: FNUZ on gfx942, as in `flax.linen.NANOOFp8DotGeneralOp`, else OCP.
    e5m2_dtype: dtype of quantised cotangents.
  """

  @nn.nowrap
  def _scaling(self) -> fp8.DelayedScaling:
    names = "input", "kernel", "output_grad"
    return fp8.DelayedScaling(*(
        fp8.Amax(getattr(self, f"{name}_scale").value, getattr(self, f"{name}_amax_history").value)
        for name in names))

  def __call__(self, x, kernel, dimension_numbers, precision=None, preferred_element_type=None):
    """The product of x and a layer's kernel; x is cast to the kernel's dtype first."""
    del precision  # operands are float8, as in Flax's operation
    x = jnp.asarray(x, kernel.dtype)
    dtypes = self.e4m3_dtype, self.e5m2_dtype
    return fp8.dot_general(
        x, kernel, dimension_numbers, None, preferred_element_type or x.dtype,
        dtypes=None if dtypes == _OCP else dtypes, state=self._scaling())


class Fp8DirectDotGeneralOp(Fp8DotGeneralOp):
  """`flax.linen.Fp8DirectDotGeneralOp` by the kernels. It computes the same as `Fp8DotGeneralOp`.

  Flax names the variables of a layer after the class of its operation. Because this class has the
  same name as Flax's, checkpoints of layers with Flax's operation fit.
  """


class NANOOFp8DotGeneralOp(Fp8DotGeneralOp):
  """`flax.linen.NANOOFp8DotGeneralOp` by the kernels of gfx942 and CPUs: the FNUZ dtypes."""

  e4m3_dtype: Dtype = jnp.float8_e4m3fnuz
  e5m2_dtype: Dtype = jnp.float8_e5m2fnuz
