"""Quantised weights of the two products that read them, made now or earlier by `prepare`.

Weights w[..., K, N] are read by the forward pass, which contracts K, and by the gradient of the
other operand, which contracts N. All matrix instructions read 8-bit operands with the contracted
dimension last, so there are two forms of w: [..., N, K] and [..., K, N].
"""

from collections.abc import Callable, Sequence
import dataclasses
import functools
import math
import operator
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec
import numpy as np

from jaxgemm.call import copies
from jaxgemm.call.options import dtype_argument, operand_argument
from jaxgemm.call.quantization import Quantized, quantize
from jaxgemm.fp8 import blocks
from jaxgemm.fp8.recipes import RECIPES, check, dtypes_of
from jaxgemm.sharding import mesh as meshes


class Weights(NamedTuple):
  """The two forms of weights w[..., K, N]. Scales have the rank of their values.

  Attributes:
    forward: [..., N, K], for the product that contracts K.
    gradient: [..., K, N], for the product that contracts N, which is lhs's gradient.
  """

  forward: Quantized
  gradient: Quantized


def weights_of(rhs, kind: str, dtype) -> Weights:
  """The forms of rhs: those that a `PreparedWeight` has, or of an array quantised now.

  Args:
    rhs: an array of shape (..., K, N), or a `PreparedWeight` of any shape.
    kind: the kind of `quantize`; with "tensor" each matrix has a scale, and with "row" each row of
      a form. In blocks K and N are padded with zeros to whole blocks where they are contracted.
    dtype: dtype of the values.
  """
  if isinstance(rhs, PreparedWeight):
    return rhs.forms
  if kind in blocks.BLOCKS:
    return Weights(*blocks.for_both_products(rhs, kind, dtype))
  of_matrix = kind == "tensor"
  of_k = quantize(rhs, "row", axis=(-2, -1) if of_matrix else -2, dtype=dtype)
  of_n = of_k if of_matrix else quantize(rhs, "row", axis=-1, dtype=dtype)
  return Weights(Quantized(copies.transposed(of_k.values), of_k.scales.mT), of_n)


@functools.partial(jax.tree_util.register_dataclass, data_fields=("weight", "forms"),
                   meta_fields=("recipe", "contracted", "dtype"))
@dataclasses.dataclass(frozen=True)
class PreparedWeight:
  """A weight and its quantised forms, a pytree; `prepare` makes it.

  The weight is there for its gradient: that of a product with respect to a prepared weight is a
  `PreparedWeight` whose `weight` is the gradient, and whose other arrays are zeros.

  Attributes:
    weight: the array of shape (..., K, N). K and N may each be several dimensions.
    forms: [..., N, K] and [..., K, N], each with its scales. K and N are one dimension each.
    recipe: a recipe of `jaxgemm.fp8`.
    contracted: which dimensions of the weight are K, counted from the last one: (-2,), for example.
    dtype: the dtype that counts as the weight's, where that of a result depends on it. See
      `astype`.
  """

  weight: Any
  forms: Any
  recipe: str
  contracted: tuple[int, ...]
  dtype: np.dtype

  @property
  def shape(self) -> tuple[int, ...]:
    return self.weight.shape

  @property
  def ndim(self) -> int:
    return self.weight.ndim

  def astype(self, dtype) -> "PreparedWeight":
    """The same with another `dtype`; results then have that. No array is cast, no gradient."""
    return dataclasses.replace(self, dtype=dtype_argument("dtype", dtype))

  def flat(self) -> "PreparedWeight":
    """The same for a weight of shape (..., K, N) with one dimension for each of K and N."""
    first, end = self.contracted[0], self.contracted[-1] + 1
    shape = self.weight.shape
    sizes = math.prod(shape[first:end]), math.prod(shape[end:])
    return dataclasses.replace(
        self, weight=self.weight.reshape(*shape[:first], *sizes), contracted=(-2,))

  def __getitem__(self, index) -> "PreparedWeight":
    # The layers of nnx read a parameter by param[...].
    if index is not Ellipsis:
      raise TypeError(
          f"a weight that jaxgemm.fp8.prepare has quantised was indexed by {index!r}; [...] is "
          "allowed. Index the tree's arrays, for example by jax.tree.map.")
    return self

  def __jax_array__(self) -> jax.Array:
    raise TypeError(
        f"a weight of shape {self.shape} that jaxgemm.fp8.prepare has quantised is used as an "
        "array; only products of jaxgemm.fp8 with the same recipe and jaxgemm.flax's layers take "
        "it; an optimizer gets jaxgemm.fp8.originals(tree). For flax's layers pass "
        "promote_dtype=jaxgemm.flax.nnx.promote_dtype, or linen's, and "
        "dot_general=jaxgemm.fp8.dot_general with the recipe. For a weight of other products let "
        "contracted= of prepare give None.")


def template_of(x) -> PreparedWeight | None:
  """A `PreparedWeight` without its arrays, which is hashable; None for an array."""
  if not isinstance(x, PreparedWeight):
    return None
  return dataclasses.replace(x, weight=None, forms=None)


def gradient_of(template: PreparedWeight | None, gradient) -> Any:
  """The cotangent of a weight from its gradient and its `template_of`."""
  return gradient if template is None else dataclasses.replace(template, weight=gradient)


def weight_argument(name: str, x, recipe: str, dtype) -> Any:
  """The operand x of a product: an array, or a `PreparedWeight` that fits recipe and dtype."""
  if not isinstance(x, PreparedWeight):
    return jnp.asarray(operand_argument(name, x))
  if x.recipe != recipe:
    raise ValueError(
        f"recipe={recipe!r} was given, and {name} was prepared for recipe={x.recipe!r}; equal "
        "recipes are allowed. Pass the same recipe to jaxgemm.fp8.prepare and to the product.")
  found = x.forms.forward.values.dtype
  if found != dtype:
    raise ValueError(
        f"{name} was prepared in {found.name}, and the product reads {dtype.name}; equal dtypes "
        "are allowed. Pass the same dtypes= and implementation= to jaxgemm.fp8.prepare.")
  # The forms have no gradient, so no transformation needs tangents of float8.
  return dataclasses.replace(x, forms=lax.stop_gradient(x.forms))


def _sharded_forms(weight, kind: str, dtype) -> Weights:
  """`weights_of` an array of shape (..., K, N), whose type may have a sharding."""
  forms_of = lambda weight: weights_of(weight, kind, dtype)
  mesh = meshes.explicit_mesh(weight)
  if mesh is None:
    return forms_of(weight)
  *lead, k, n = meshes.axes_of(jax.typeof(weight))

  def sharding(x, *axes):
    parts = [math.prod(mesh.shape[name] for name in each) for each in axes]
    kept = [each if size % count == 0 else () for each, size, count in zip(axes, x.shape, parts)]
    return NamedSharding(mesh, PartitionSpec(*(each or None for each in kept)))

  shapes = jax.eval_shape(forms_of, jax.ShapeDtypeStruct(weight.shape, weight.dtype))
  shardings = Weights(Quantized(*(sharding(x, *lead, n, k) for x in shapes.forward)),
                      Quantized(*(sharding(x, *lead, k, n) for x in shapes.gradient)))
  return jax.sharding.auto_axes(
      forms_of, axes=mesh.explicit_axes, out_sharding=shardings)(weight)


def contracted_of_flax(name: str, weight) -> int | None:
  """Which arrays of a layer are weights, by the names of Flax's layers and `jaxgemm.flax`'s.

  It is the default of the argument contracted of `prepare`. Call it in a function of your own to
  leave out some weights::

    contracted = lambda name, x: None if "head" in name else contracted_of_flax(name, x)

  Args:
    name: the names of the array's path, with slashes between them.
    weight: the array.

  Returns:
    -2 for the last names "kernel", "up" and "down", -3 for "gate_up" (which has the shape
    (..., K, 2, N)), and None for others.
  """
  last = name.rpartition("/")[2]
  if last == "gate_up":
    return -3
  return -2 if weight.ndim > 1 and last in ("kernel", "up", "down") else None


def _name(path) -> str:
  """The names of a path, with slashes, without that of the array in a box or variable of Flax."""
  names = jax.tree_util.keystr(path, simple=True, separator="/").split("/")
  return "/".join(names[:-1] if len(names) > 1 and names[-1] in ("value", "raw_value") else names)


def _axes(name: str, given, ndim: int) -> tuple[int, ...]:
  """The contracted dimensions, counted from the last one and in order."""
  axes = tuple(given) if isinstance(given, Sequence) else (given,)
  found = sorted(operator.index(i) - (ndim if i >= 0 else 0) for i in axes)
  if not found or found[0] < -ndim or found[-1] >= -1 or (
      found != [*range(found[0], found[0] + len(found))]):
    raise ValueError(
        f"contracted gave {given!r} for {name!r} of rank {ndim}; neighbouring dimensions are "
        "allowed, after those of layers or experts and before one or more others. Give None for "
        "an array that is no weight.")
  return tuple(found)


def prepare(params, recipe: str = "tensorwise", *,
            contracted: Callable[[str, Any], int | Sequence[int] | None] | None = None,
            dtypes: tuple[Any, Any] | None = None, implementation: str | None = None):
  """The parameters with each weight quantised, for all products of a step.

  A step that adds up the gradients of several batches multiplies by the same weights several
  times. Prepare them once, before the loop over the batches::

    prepared = jaxgemm.fp8.prepare(params, "rowwise")

    def add_gradient(total, batch):
      gradient = jax.grad(loss)(prepared, batch)
      return jax.tree.map(jnp.add, total, jaxgemm.fp8.originals(gradient)), None

    total, _ = jax.lax.scan(add_gradient, jax.tree.map(jnp.zeros_like, params), batches)

  The result has the structure of params, with a `PreparedWeight` in place of each weight. It is a
  pytree, which jit, scan, checkpoint and shard_map take. `jaxgemm.fp8.dot_general` and
  `ragged_dot` take a prepared weight as rhs, and the layers of `jaxgemm.flax` with a recipe take
  prepared parameters. For `flax.nnx.Linear` and `flax.linen.Dense` pass
  `promote_dtype=jaxgemm.flax.nnx.promote_dtype`, or linen's, beside dot_general.

  The gradient with respect to a prepared weight is that of the original one, in its dtype, as if
  nothing had been prepared: `originals` gives the tree of gradients.

  Dimensions in front of the contracted ones, of layers or of experts, keep their places in all
  arrays. So a spec or a scan along these fits all arrays of a weight. One array of each weight is
  transposed. For weights that a `jax.shard_map` shards along other dimensions, call prepare inside
  it.

  Args:
    params: a pytree of arrays, for example the parameters of Flax, or an `nnx.State`.
    recipe: see `jaxgemm.fp8.dot_general`. With "tensorwise" the matrix of each layer and expert has
      a scale.
    contracted: a function of a leaf's name (the names of its path, with slashes) and the leaf. It
      gives the dimension of a weight that the products contract, or several neighbouring ones, or
      None for an array that stays as it is. The default is `contracted_of_flax`.
    dtypes, implementation: as in the products.

  Returns:
    A pytree as params.

  Raises:
    ValueError, TypeError: an argument is not allowed, or no array is a weight by its name.
  """
  check(recipe, None)
  kind = RECIPES[recipe]
  dtype = dtypes_of(kind, implementation, dtypes)[0]
  choose = contracted or contracted_of_flax

  def prepared(path, weight):
    name = _name(path)
    given = choose(name, weight)
    if given is None:
      return weight
    weight = jnp.asarray(operand_argument(name, weight))
    check(recipe, None, **{name: weight})
    axes = _axes(name, given, weight.ndim)
    found = PreparedWeight(weight, None, recipe, axes, weight.dtype)
    forms = _sharded_forms(lax.stop_gradient(found.flat().weight), kind, dtype)
    return dataclasses.replace(found, forms=forms)

  found = jax.tree_util.tree_map_with_path(prepared, originals(params))
  if contracted is None and not any(isinstance(x, PreparedWeight) for x in jax.tree.leaves(
      found, is_leaf=lambda x: isinstance(x, PreparedWeight))):
    raise ValueError(
        "no array of params has a name that jaxgemm.fp8.prepare knows as that of a weight; the "
        "last names kernel, up, down and gate_up are. Pass contracted=, a function of name and "
        "array, for other names.")
  return found


def originals(tree):
  """The tree with each `PreparedWeight` replaced by its weight, or by the weight's gradient."""
  is_prepared = lambda x: isinstance(x, PreparedWeight)
  return jax.tree.map(lambda x: x.weight if is_prepared(x) else x, tree, is_leaf=is_prepared)
