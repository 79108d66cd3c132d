"""Cases of two transformations around a product: jit, derivatives, vmap, remat, shard_map, scan.

The same transformations of the same product in jax.numpy and float64 give the right result. All
functions take and give tuples of arrays, so that any transformation fits around any other.
"""

from collections.abc import Callable
import functools
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P
import numpy as np

import jaxgemm
from jaxgemm import fp8, megablox
from tests.support.fuzz import attack
from tests.support.fuzz.grouped import RECIPES
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import described

_SIZES = np.array([3, 0, 4, 2], np.int32)  # of 10 rows, so that one has no group
_GROUP_OF_ROW = np.array([0] * 3 + [2] * 4 + [3] * 2)
M, K, N, G = 10, 8, 6, 4
_PLAIN = (((1,), (0,)), ((), ()))
_CONTRACTED = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())


class Product(NamedTuple):
  """Attributes:
    name: the function, in words.
    ours: ours(implementation, *arrays).
    exact: the same in jax.numpy.
    shapes: the shapes of the arrays.
    tolerance: relative to the largest element; more than 0.1 for products of float8.
  """

  name: str
  ours: Callable
  exact: Callable
  shapes: tuple[tuple[int, ...], ...]
  tolerance: float = 1e-4


def _of_rows(x, w):
  """Grouped rows in jax.numpy; w [G, K, ...]."""
  inside = jnp.einsum("mk,mk...->m...", x[:len(_GROUP_OF_ROW)], w[_GROUP_OF_ROW])
  return jnp.concatenate([inside, jnp.zeros((M - len(inside), *inside.shape[1:]), x.dtype)])


def _of_groups(x, y):
  one = (_GROUP_OF_ROW[:, None] == np.arange(G)).astype(float)
  return jnp.einsum("mg,mk,mn->gkn", jnp.asarray(one, x.dtype), x[:len(one)], y[:len(one)])


def _gated(x, w):
  z = _of_rows(x, w)
  return jax.nn.silu(z[:, 0]) * z[:, 1]


def _scales(x, count: int):
  """Constant scales of powers of two."""
  scales = jnp.exp2(jnp.arange(count, dtype=jnp.float32) - 1)
  return jnp.broadcast_to(scales, (*x.shape[:-1], count))


def _scaled(implementation, x, y):
  return jaxgemm.scaled_matmul(x[None], y.T[None], _scales(x[None], 2), _scales(y.T[None], 4),
                               implementation=implementation)[0]


def _scaled_exact(x, y):
  return (x * jnp.repeat(_scales(x, 2).astype(x.dtype), K // 2, -1)) @ (
      y * jnp.repeat(_scales(y.T, 4).astype(x.dtype), K // 4, -1).T)


def _scaled_ragged(implementation, x, w):
  w = jnp.swapaxes(w, 1, 2)
  return jaxgemm.scaled_ragged_dot(x, w, _SIZES, _scales(x, 2), _scales(w, 1),
                                   implementation=implementation)


def _scaled_ragged_exact(x, w):
  return _of_rows(x * jnp.repeat(_scales(x, 2).astype(x.dtype), K // 2, -1), w / 2)


_ROWS = (M, K), (G, K, N)
_PRODUCTS = (
    Product("matmul", lambda i, x, y: jaxgemm.matmul(x, y, implementation=i),
            lambda x, y: x @ y, ((M, K), (K, N))),
    Product("matmul with a bias and silu",
            lambda i, x, y, b: jaxgemm.matmul(x, y, bias=b, activation="silu", implementation=i),
            lambda x, y, b: jax.nn.silu(x @ y + b), ((M, K), (K, N), (N,))),
    Product("matmul with a scale and gelu",
            lambda i, x, y, s: jaxgemm.matmul(x, y, scale=s, activation="gelu", implementation=i),
            lambda x, y, s: jax.nn.gelu(s * (x @ y)), ((M, K), (K, N), (N,)), 1e-3),
    Product("dot_general with a batch",
            lambda i, x, y: jaxgemm.dot_general(x, y, (((2,), (1,)), ((0,), (0,))),
                                                implementation=i),
            lambda x, y: jnp.einsum("bmk,bkn->bmn", x, y), ((2, M, K), (2, K, N))),
    Product("ragged_dot", lambda i, x, w: jaxgemm.ragged_dot(x, w, _SIZES, implementation=i),
            _of_rows, _ROWS),
    Product("ragged_dot with a bias and relu",
            lambda i, x, w, b: jaxgemm.ragged_dot(x, w, _SIZES, bias=b, activation="silu",
                                                  implementation=i),
            lambda x, w, b: jax.nn.silu(_of_rows(x, w) + jnp.concatenate(
                [b[_GROUP_OF_ROW], jnp.zeros((1, N), b.dtype)])), (*_ROWS, (G, N))),
    Product("ragged_gated_linear_unit",
            lambda i, x, w: jaxgemm.ragged_gated_linear_unit(x, w, _SIZES, implementation=i),
            _gated, ((M, K), (G, K, 2, N))),
    Product("ragged_dot_general, contracted",
            lambda i, x, y: jaxgemm.ragged_dot_general(x, y, _SIZES, _CONTRACTED, implementation=i),
            _of_groups, ((M, K), (M, N))),
    Product("megablox.gmm", lambda i, x, w: megablox.gmm(x, w, _SIZES, implementation=i),
            _of_rows, _ROWS),
    Product("scaled_matmul", _scaled, _scaled_exact, ((M, K), (K, N)), 2e-2),
    Product("scaled_ragged_dot", _scaled_ragged, _scaled_ragged_exact, _ROWS, 2e-2),
    *(Product(f"fp8.dot_general, {recipe}", functools.partial(
        lambda i, x, y, recipe: fp8.dot_general(x, y, _PLAIN, recipe=recipe, implementation=i),
        recipe=recipe), lambda x, y: x @ y, ((M, K), (K, N)), 0.3) for recipe in RECIPES),
    *(Product(f"fp8.ragged_dot, {recipe}", functools.partial(
        lambda i, x, w, recipe: fp8.ragged_dot(x, w, _SIZES, recipe=recipe, implementation=i),
        recipe=recipe), _of_rows, _ROWS, 0.3) for recipe in RECIPES),
)

# Transformations: each takes a generator and the shapes of a function's arrays, and returns
# (words, the transformation, the new shapes).


def _jit(rng, shapes):
  return "jit", jax.jit, shapes


def _loss(f, salt: int):
  """A scalar that depends on all results, with weights of its own for each element."""
  def loss(*arrays):
    total = 0.0
    for x in f(*arrays):
      weights = jnp.sin(jnp.arange(x.size, dtype=jnp.float32) * 1.7 + salt).reshape(x.shape)
      total = total + (x * weights.astype(x.dtype)).sum()
    return total
  return loss


def _grad(rng, shapes):
  salt = int(rng.integers(10))
  return "grad", lambda f: jax.grad(_loss(f, salt), tuple(range(len(shapes)))), shapes


def _jvp(rng, shapes):
  def transform(f):
    return lambda *arrays: jax.jvp(f, arrays, tuple(jnp.cos(x) for x in arrays))[1]
  return "jvp", transform, shapes


def _linearize(rng, shapes):
  def transform(f):
    def call(*arrays):
      out, tangent = jax.linearize(f, *arrays)
      return *out, *tangent(*(jnp.sin(x) for x in arrays))
    return call
  return "linearize", transform, shapes


def _batched(rng, shapes, count: int):
  """(shapes, axes) where some arrays, at least one, have a new dimension."""
  axes = [choice(rng, (0, 0, None, len(s))) for s in shapes]
  if all(axis is None for axis in axes):
    axes[0] = 0
  return tuple(s if axis is None else (*s[:axis], count, *s[axis:])
               for s, axis in zip(shapes, axes)), tuple(axes)


def _vmap(rng, shapes):
  new, axes = _batched(rng, shapes, 3)
  out = choice(rng, (0, -1))
  return f"vmap {axes} to {out}", lambda f: jax.vmap(f, axes, out), new


_POLICIES = ("everything_saveable", "nothing_saveable", "dots_saveable",
             "dots_with_no_batch_dims_saveable", "offload",
             "save_anything_except_these_names", None)


def _policy(name):
  policies = jax.checkpoint_policies
  if name == "save_anything_except_these_names":
    return policies.save_anything_except_these_names("x")
  if name == "offload":
    return policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["x"], names_which_can_be_offloaded=[], offload_src="device",
        offload_dst="pinned_host")
  return getattr(policies, name) if name else None


def _remat(rng, shapes):
  """The derivative of a checkpointed function: without a derivative it is the function."""
  name, salt = choice(rng, _POLICIES), int(rng.integers(10))

  def transform(f):
    loss = _loss(jax.checkpoint(f, policy=_policy(name)), salt)
    return jax.grad(loss, tuple(range(len(shapes))))
  return f"grad of remat {name}", transform, shapes


def _scan(rng, shapes):
  new, axes = _batched(rng, shapes, 3)
  axes = tuple(None if axis is None else 0 for axis in axes)
  new = tuple(s if axis is None else (3, *s) for s, axis in zip(shapes, axes))
  reverse = bool(rng.integers(2))

  def transform(f):
    def call(*arrays):
      moving = [x for x, axis in zip(arrays, axes) if axis is not None]

      def body(carry, moving):
        moving = iter(moving)
        given = [x if axis is None else next(moving) for x, axis in zip(arrays, axes)]
        out = f(*given)
        # The carry stays near 1, and what it was matters.
        carry = 0.9 * carry + (0.01 * out[0].sum()).astype(carry.dtype)
        return carry, tuple(x * carry.astype(x.dtype) for x in out)

      # Inside a shard_map the first carry varies along the axes along which an operand does.
      dtype = arrays[0].dtype
      first = 1 + sum(x.ravel()[:0].sum().astype(dtype) for x in arrays)
      carry, outs = lax.scan(body, first, moving, reverse=reverse)
      return *outs, carry
    return call
  return f"scan {axes}", transform, new


def _shard_map(rng, shapes):
  count = 2
  new, axes = _batched(rng, shapes, count)
  new = tuple(s if axis is None else (count, *s) for s, axis in zip(shapes, axes))
  check_vma = rng.random() < 0.7

  def transform(f):
    def call(*arrays):
      is_wide = arrays[0].dtype == jnp.float64
      devices = jax.devices("cpu") if is_wide else jax.devices()
      mesh = Mesh(np.array(devices[:count]), ("d",), axis_types=(AxisType.Auto,))
      specs = tuple(P() if axis is None else P("d") for axis in axes)

      def body(*parts):
        given = [x if axis is None else x[0] for x, axis in zip(parts, axes)]
        return tuple(x[None] for x in f(*given))

      return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P("d"),
                           check_vma=check_vma)(*arrays)
    return call
  return f"shard_map {axes}, check_vma={check_vma}", transform, new


_TRANSFORMS = (_jit, _grad, _jvp, _linearize, _vmap, _vmap, _remat, _remat, _scan, _shard_map)
# A product in float8 has first derivatives in reverse mode only, and says so.
_FORWARD = ("custom_vjp", "forward-mode", "differentiated twice", "custom_lin")


def _chain(rng, product: Product):
  """(words, transformation, shapes) of two random transformations, the second around the first."""
  shapes, words, transforms = product.shapes, [], []
  first, second = choice(rng, _TRANSFORMS), choice(rng, _TRANSFORMS)
  if first is second is _shard_map:  # a mesh has one such axis
    second = _jit
  for make in (first, second):
    said, transform, shapes = make(rng, shapes)
    words.append(said)
    transforms.append(transform)
  return words, lambda f: transforms[1](transforms[0](f)), shapes


def run(rng) -> str:
  product = choice(rng, _PRODUCTS)
  words, transform, shapes = _chain(rng, product)
  implementation = attack.implementation(rng, 0.04)
  dtype = choice(rng, ("float32", "float32", "float32", "bfloat16"))
  arrays: list[Any] = [
      rng.standard_normal(s).astype(np.float32).astype(jnp.dtype(dtype)) for s in shapes]
  said = described(f"{words[1]} of {words[0]} of {product.name}", {
      "dtype": dtype, "implementation": implementation, "shapes": list(shapes)})
  in_jit = rng.random() < 0.9  # else jax executes the transformations operation by operation

  def ours(*x):
    return _tuple(product.ours(implementation, *x))

  function = transform(ours)
  function = jax.jit(function) if in_jit else function
  is_float8 = product.tolerance > 0.1
  got = attack.computed(said, lambda: function(*map(jnp.asarray, arrays)),
                        *(_FORWARD if is_float8 else ()))
  if got is None:
    return "refused"
  with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
    wide = [jnp.asarray(np.asarray(x, np.float64)) for x in arrays]
    wanted = jax.tree.map(np.asarray, jax.jit(transform(lambda *x: _tuple(product.exact(*x))))(
        *wide))
  tolerance = product.tolerance + 16 * attack.error_of_operands(implementation)
  tolerance += 0.1 if dtype == "bfloat16" else 0
  attack.near(said, _tuple(got), _tuple(wanted), tolerance)
  return "right"


def _tuple(x):
  return tuple(x) if isinstance(x, tuple | list) else (x,)


def forget() -> None:
  jax.clear_caches()
