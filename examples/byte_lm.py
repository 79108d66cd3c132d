"""A byte-level mixture-of-experts language model, and the text that it learns.

Every matrix product of the model goes through the `Products` that its constructor gets.
So the same model can be built on `jaxgemm` and on jax's own products, and the two can be
compared. The text is the source code of Python's standard library.
train_lm.py trains the model: run that.
"""

from collections.abc import Callable
import functools
import pathlib
import sysconfig
from typing import Any, NamedTuple

from flax import nnx
import jax
from jax import lax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
import numpy as np
import optax

import jaxgemm
from jaxgemm.flax import MoEStats, load_balancing_loss
from jaxgemm.flax.nnx import MoE, promote_dtype

VOCAB_SIZE = 256  # bytes

# Factors of the auxiliary losses: Switch (arXiv:2101.03961), ST-MoE (2202.08906).
LOAD_BALANCING_FACTOR = 1e-2
ROUTER_Z_FACTOR = 1e-3


class Products(NamedTuple):
  """The functions that compute every product of the model.

  matmul(a, b, *, bias, activation) takes `bias` as f32[N] and the name of an
  activation. dot_general and ragged_dot have the signatures of jax.lax's functions, and
  ragged_gated_linear_unit that of jaxgemm's; if it is None, ragged_dot does its work.
  linear is the dot_general of layers whose rhs is a weight, except for the router and the
  last layer; None means dot_general. recipe is that of the layers of experts, which then
  takes the place of ragged_dot.
  """

  matmul: Callable[..., jax.Array]
  dot_general: Callable[..., jax.Array]
  ragged_dot: Callable[..., jax.Array]
  ragged_gated_linear_unit: Callable[..., jax.Array] | None = None
  linear: Callable[..., jax.Array] | None = None
  recipe: str | None = None

def jaxgemm_products(**options: Any) -> Products:
  """Products by jaxgemm; `options` (schedule=, implementation=, ...) go to all of them."""
  return Products(
      functools.partial(jaxgemm.matmul, **options),
      functools.partial(jaxgemm.dot_general, **options),
      functools.partial(jaxgemm.ragged_dot, **options),
      functools.partial(jaxgemm.ragged_gated_linear_unit, **options),
  )

def fp8_products(recipe: str, **options: Any) -> Products:
  """Products by jaxgemm, with weights in float8 by a recipe of `jaxgemm.fp8`.

  The products of attention, the router and the last layer stay in the model's dtype. `options`
  go to all products; without any, the layers of experts get the recipe itself.
  """
  linear = functools.partial(jaxgemm.fp8.dot_general, recipe=recipe, **options)

  def matmul(a, b, *, bias, activation):
    out = linear(a, b, (((a.ndim - 1,), (0,)), ((), ())), preferred_element_type=jnp.float32)
    return getattr(jax.nn, activation)(out + bias).astype(a.dtype)

  return jaxgemm_products(**options)._replace(
      matmul=matmul, linear=linear, ragged_gated_linear_unit=None,
      ragged_dot=functools.partial(jaxgemm.fp8.ragged_dot, recipe=recipe, **options),
      recipe=None if options else recipe)

def prepared(params, recipe: str):
  """The parameters with all weights of products in float8 quantised, for several batches."""
  return jaxgemm.fp8.prepare(
      params, recipe, contracted=lambda name, x: None if name.startswith("head/") else
      jaxgemm.fp8.contracted_of_flax(name, x))

def _jnp_matmul(a, b, *, bias, activation):
  out = jnp.matmul(a, b, preferred_element_type=jnp.float32) + bias
  return getattr(jax.nn, activation)(out).astype(a.dtype)

def jnp_products() -> Products:
  """The same products by XLA: the reference."""
  return Products(_jnp_matmul, jax.lax.dot_general, jax.lax.ragged_dot)

def recorded(products: Products, calls: dict[Any, int]) -> Products:
  """Wraps `products` so that tracing counts each distinct product in `calls`.

  Keys are (lhs, rhs, options): two `jax.ShapeDtypeStruct`s and a sorted tuple of
  (name, value) with arrays replaced by their shapes, as `jaxgemm.explain` takes.
  """

  def shape_of(value):
    if hasattr(value, "shape"):
      return jax.ShapeDtypeStruct(value.shape, value.dtype)
    return value

  def record(lhs, rhs, **options):
    given = {k: shape_of(v) for k, v in options.items() if v is not None}
    key = (shape_of(lhs), shape_of(rhs), tuple(sorted(given.items())))
    calls[key] = calls.get(key, 0) + 1

  def matmul(a, b, **options):
    record(a, b, **options)
    return products.matmul(a, b, **options)

  def dot_general(lhs, rhs, dimension_numbers, **options):
    record(lhs, rhs, dimension_numbers=dimension_numbers, **options)
    return products.dot_general(lhs, rhs, dimension_numbers, **options)

  @functools.wraps(products.ragged_dot)  # the layer reads its signature
  def ragged_dot(lhs, rhs, group_sizes, **options):
    record(lhs, rhs, group_sizes=group_sizes, **options)
    return products.ragged_dot(lhs, rhs, group_sizes, **options)

  def ragged_gated_linear_unit(lhs, rhs, group_sizes, **options):
    record(lhs, rhs, group_sizes=group_sizes, gated=True, **options)
    return products.ragged_gated_linear_unit(lhs, rhs, group_sizes, **options)

  def linear(lhs, rhs, dimension_numbers, **options):
    record(lhs, rhs, dimension_numbers=dimension_numbers, **options)
    return products.linear(lhs, rhs, dimension_numbers, **options)

  unit = products.ragged_gated_linear_unit and ragged_gated_linear_unit
  return Products(matmul, dot_general, ragged_dot, unit, products.linear and linear)

def rotate(x: jax.Array) -> jax.Array:
  """Rotary position embedding (arXiv:2104.09864) of x[..., T, D], D even."""
  length, half = x.shape[-2], x.shape[-1] // 2
  rate = 10_000.0 ** (-jnp.arange(half, dtype=jnp.float32) / half)
  angle = jnp.arange(length, dtype=jnp.float32)[:, None] * rate
  cos, sin = jnp.cos(angle), jnp.sin(angle)
  x1, x2 = jnp.split(x.astype(jnp.float32), 2, axis=-1)
  out = jnp.concatenate([x1 * cos - x2 * sin, x1 * sin + x2 * cos], axis=-1)
  return out.astype(x.dtype)

class Attention(nnx.Module):
  """Causal self-attention, x[B, T, C] -> [B, T, C]."""

  def __init__(self, dim, num_heads, dtype, products: Products, rngs):
    # There are no biases: the gradient of a key bias is zero except for rounding, so no relative
    # tolerance fits it.
    linear = functools.partial(
        nnx.Linear, use_bias=False, dtype=dtype, promote_dtype=promote_dtype,
        dot_general=products.linear or products.dot_general, rngs=rngs,
    )
    self.qkv = linear(dim, 3 * dim)
    self.out = linear(dim, dim)
    self.num_heads = num_heads
    self.dot_general = products.dot_general

  def __call__(self, x: jax.Array) -> jax.Array:
    batch, length, dim = x.shape
    qkv = self.qkv(x).reshape(batch, length, 3, self.num_heads, -1)
    q, k, v = jnp.moveaxis(qkv, (2, 3), (0, 2))  # each [B, H, T, D]
    q, k = rotate(q), rotate(k)
    scores = self.dot_general(
        q, k, (((3,), (3,)), ((0, 1), (0, 1))),
        preferred_element_type=jnp.float32,
    )
    causal = jnp.tril(jnp.ones((length, length), bool))
    scores = jnp.where(causal, scores * q.shape[-1] ** -0.5, -jnp.inf)
    weights = jax.nn.softmax(scores, axis=-1).astype(v.dtype)
    mixed = self.dot_general(weights, v, (((3,), (2,)), ((0, 1), (0, 1))))
    return self.out(jnp.swapaxes(mixed, 1, 2).reshape(batch, length, dim))

class Mlp(nnx.Module):
  """Two projections; the first one's bias and GELU run inside the product.

  The second has no bias: nnx.Linear would add it, and its gradient, in bfloat16.
  """

  def __init__(self, dim, dtype, products: Products, rngs):
    init = nnx.initializers.lecun_normal()
    self.kernel = nnx.Param(init(rngs.params(), (dim, 4 * dim), jnp.float32))
    self.bias = nnx.Param(jnp.zeros((4 * dim,), jnp.float32))
    self.down = nnx.Linear(
        4 * dim, dim, use_bias=False, dtype=dtype, promote_dtype=promote_dtype,
        dot_general=products.linear or products.dot_general, rngs=rngs,
    )
    self.matmul = products.matmul
    self.dtype = dtype

  def __call__(self, x: jax.Array) -> jax.Array:
    kernel = self.kernel[...].astype(self.dtype)
    hidden = self.matmul(
        x.astype(self.dtype), kernel, bias=self.bias[...], activation="gelu"
    )
    return self.down(hidden)

def param_specs(params):
  """Specs of parameters, or of an optimizer's state: experts are sharded, the rest is not."""
  of = lambda path, _: P("expert") if "experts" in map(_name, path) else P()
  return jax.tree_util.tree_map_with_path(of, params)

def _name(key):
  return getattr(key, "key", getattr(key, "name", None))

def _sharded_experts(layer: MoE, mesh, x, experts):
  """`layer(x, experts)` in jax.shard_map; sequences are sharded along all axes of the mesh."""
  graphdef, params = nnx.split(layer)
  rows = P(mesh.axis_names)
  data = tuple(name for name in mesh.axis_names if name != "expert")

  def local(params, x, experts):
    out, stats = nnx.merge(graphdef, params)(x, experts)
    # The layer's own statistics are those of the tokens along "expert".
    mean = lambda value: lax.pmean(value, data)
    loads, probs = lax.psum(stats.tokens_per_expert, data), mean(stats.router_probs)
    return out, stats._replace(
        load_balancing_loss=load_balancing_loss(loads, probs),
        router_z_loss=mean(stats.router_z_loss), tokens_per_expert=loads,
        router_probs=probs, max_load=loads.max() / loads.mean(),
        empty_experts=(loads == 0).mean(dtype=probs.dtype),
        dispatch_room=lax.pmax(stats.dispatch_room, data))

  of_stats = MoEStats(*[P()] * (len(MoEStats._fields) - 1), experts=rows)
  return jax.shard_map(
      local, mesh=mesh, in_specs=(param_specs(params), rows, rows),
      out_specs=(rows, of_stats))(params, x, experts)

class Block(nnx.Module):
  """A pre-norm transformer block; the residual stream stays in float32.

  With num_experts, two experts of width 2 * dim take the place of the MLP. With a mesh, they
  run in jax.shard_map.
  """

  def __init__(self, dim, num_heads, num_experts, dtype, products: Products, rngs, mesh=None,
               dispatch="gather"):
    self.norm1 = nnx.RMSNorm(dim, dtype=dtype, rngs=rngs)
    self.attention = Attention(dim, num_heads, dtype, products, rngs)
    self.norm2 = nnx.RMSNorm(dim, dtype=dtype, rngs=rngs)
    self.num_experts = num_experts
    self.mesh = mesh
    if num_experts:
      self.moe = MoE(
          features=dim, hidden_features=2 * dim, num_experts=num_experts, top_k=2,
          dtype=dtype, recipe=products.recipe, dot_general=products.dot_general,
          ragged_dot=None if products.recipe else products.ragged_dot,
          ragged_gated_linear_unit=products.ragged_gated_linear_unit, rngs=rngs,
          expert_axis_name=None if mesh is None else "expert", dispatch=dispatch,
      )
    else:
      self.mlp = Mlp(dim, dtype, products, rngs)

  def __call__(self, x: jax.Array, experts=None) -> tuple[jax.Array, MoEStats | None]:
    x = x + self.attention(self.norm1(x))
    if self.num_experts and self.mesh is not None:
      out, stats = _sharded_experts(self.moe, self.mesh, self.norm2(x), experts)
    elif self.num_experts:
      out, stats = self.moe(self.norm2(x), experts)
    else:
      out, stats = self.mlp(self.norm2(x)), None
    return x + out, stats

class ByteLM(nnx.Module):
  """tokens int32[B, T] -> logits float32[B, T, 256] of the next byte, and stats.

  Parameters are float32; `dtype` is the type that the products read and write. Each
  attention head is about 64 wide (32 below 128 channels). The first block has a
  dense MLP, as in DeepSeek (arXiv:2401.06066), and the others have experts; the `MoEStats`
  have a leading dimension of num_layers - 1. `experts`, int32[num_layers - 1, B, T,
  2], is the `MoEStats.experts` of an earlier call whose routing is to be repeated.

  With a mesh of automatic axes, one of them "expert", sequences are sharded along all of its
  axes and experts along "expert"; `dispatch` is that of `jaxgemm.flax.moe`.
  """

  def __init__(
      self, dim, num_layers, num_experts, dtype, products: Products, rngs, mesh=None,
      dispatch="gather",
  ):
    self.mesh = mesh
    num_heads = max(1, dim // (64 if dim >= 128 else 32))
    if dim % (2 * num_heads):
      raise ValueError(
          f"embed_dim={dim} is not {num_heads} heads of an even width; "
          "give a multiple of 64."
      )
    self.embed = nnx.Embed(
        VOCAB_SIZE, dim, embedding_init=nnx.initializers.normal(1.0), rngs=rngs
    )
    self.blocks = nnx.List(
        Block(dim, num_heads, num_experts if i else 0, dtype, products, rngs, mesh, dispatch)
        for i in range(num_layers)
    )
    self.norm = nnx.RMSNorm(dim, dtype=dtype, rngs=rngs)
    self.head = nnx.Linear(
        dim, VOCAB_SIZE, use_bias=False, dtype=dtype,
        kernel_init=nnx.initializers.normal(0.02),
        dot_general=products.dot_general, rngs=rngs,
    )

  def __call__(
      self, tokens: jax.Array, experts: jax.Array | None = None
  ) -> tuple[jax.Array, MoEStats]:
    if self.mesh is not None:
      rows = NamedSharding(self.mesh, P(self.mesh.axis_names))
      tokens = lax.with_sharding_constraint(tokens, rows)
    x = self.embed(tokens)
    first, *others = self.blocks
    x, _ = first(x)
    layers = []
    for i, block in enumerate(others):
      x, stats = block(x, None if experts is None else experts[i])
      layers.append(stats)
    stats = jax.tree.map(lambda *layer: jnp.stack(layer), *layers)
    return self.head(self.norm(x)).astype(jnp.float32), stats

def evaluate(
    model: ByteLM, tokens: jax.Array, experts: jax.Array | None = None
) -> tuple[jax.Array, MoEStats]:
  """Mean cross entropy in nats per byte, and the stats; tokens int32[B, T + 1]."""
  logits, stats = model(tokens[:, :-1], experts)
  losses = optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])
  return losses.mean(), stats

def loss_fn(
    model: ByteLM, tokens: jax.Array, experts: jax.Array | None = None
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
  """(training objective, (cross entropy, routing)); see `evaluate`."""
  loss, stats = evaluate(model, tokens, experts)
  auxiliary = LOAD_BALANCING_FACTOR * stats.load_balancing_loss.mean()
  auxiliary += ROUTER_Z_FACTOR * stats.router_z_loss.mean()
  return loss + auxiliary, (loss, stats.experts)

def load_text(max_bytes: int = 8_000_000) -> tuple[np.ndarray, np.ndarray]:
  """The standard library's sources as (training, held-out) uint8 arrays.

  Files come in sorted order, without tests and installed packages, up to
  `max_bytes`; every twentieth file is held out as a whole.
  """
  root = pathlib.Path(sysconfig.get_paths()["stdlib"])
  skip = {"site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3"}
  text: tuple[list[bytes], list[bytes]] = ([], [])
  size = 0
  files = [path.relative_to(root) for path in root.rglob("*.py")]
  files = sorted(path for path in files if not skip & set(path.parts))
  for index, path in enumerate(files):
    source = (root / path).read_bytes()[: max_bytes - size]
    text[index % 20 == 19].append(source)
    size += len(source)
    if size >= max_bytes:
      break
  if not text[1]:
    raise FileNotFoundError(f"{root} holds {len(files)} .py files; 20 are needed.")
  train, held_out = (np.frombuffer(b"".join(t), np.uint8) for t in text)
  return train, held_out

def batches(text: np.ndarray, batch_size: int, seq_len: int, seed: int):
  """Yields int32[batch_size, seq_len + 1] windows at random offsets, for ever."""
  rng = np.random.default_rng(seed)
  window = np.arange(seq_len + 1)
  while True:
    start = rng.integers(0, len(text) - seq_len, size=batch_size)
    yield text[start[:, None] + window].astype(np.int32)

def sample(
    model: ByteLM, prompt: bytes, length: int, seq_len: int, key: jax.Array,
    temperature: float = 0.7,
) -> bytes:
  """Continues `prompt` by `length` bytes; the model sees the last `seq_len` for each."""
  graphdef, params = nnx.split(model)
  prompt = prompt[-seq_len:]
  total = len(prompt) + length
  text = jnp.zeros((max(total, seq_len),), jnp.int32)
  text = text.at[: len(prompt)].set(jnp.frombuffer(prompt, jnp.uint8))

  @jax.jit
  def generate(params, text, key):
    def body(i, carry):
      text, key = carry
      key, draw = jax.random.split(key)
      start = jnp.maximum(0, i - seq_len)
      window = jax.lax.dynamic_slice_in_dim(text, start, seq_len)
      logits, _ = nnx.merge(graphdef, params)(window[None])
      logits = logits[0, i - start - 1]
      byte = jax.random.categorical(draw, logits / temperature)
      return text.at[i].set(byte), key

    return jax.lax.fori_loop(len(prompt), total, body, (text, key))[0]

  return np.asarray(generate(params, text, key), np.uint8)[:total].tobytes()
