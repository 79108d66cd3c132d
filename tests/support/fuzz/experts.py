"""Cases of mixtures of experts: all layers and dispatches, with wild loads.

All tokens go to one expert, to few, or as the router chooses. The reference computes every expert
for every token in float64, for the experts that the layer chose; that these are the best ones is
checked, too. Gradients include those of the losses.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P
import numpy as np

from jaxgemm.flax import Mlp, MoEParams, MoEStats, moe
from jaxgemm.flax import linen as jaxgemm_linen
from tests.support.fuzz import attack
from tests.support.fuzz.grouped import RECIPES
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault, described
from tests.support.moe_reference import dense_mlp, make_nnx

C, H, E = 16, 24, 8  # those of moe_reference.make_nnx


def _params(rng, gated, use_bias, shared, router_bias) -> MoEParams:
  def mlp(hidden, *lead):
    shapes = {"down": (hidden, C)}
    shapes["gate_up" if gated else "up"] = (C, 2, hidden) if gated else (C, hidden)
    arrays = {name: rng.standard_normal((*lead, *shape)) / shape[0]**0.5
              for name, shape in shapes.items()}
    if use_bias:
      arrays |= {f"{name}_bias": rng.standard_normal((*lead, *shape[1:]))
                 for name, shape in shapes.items()}
    return Mlp(**{name: jnp.asarray(x, jnp.float32) for name, x in arrays.items()})

  router = jnp.asarray(rng.standard_normal((C, E)) / 4, jnp.float32)
  bias = jnp.asarray(rng.standard_normal(E) / 10, jnp.float32) if router_bias else None
  return MoEParams(router, mlp(H, E), mlp(H) if shared else None, bias)


def _loaded(rng, params: MoEParams, sigmoid: bool) -> tuple[MoEParams, str]:
  """The parameters with a router that prefers some experts; x's last feature is 1."""
  load = choice(rng, ("any", "any", "one", "few", "none of one", "equal", "huge"))
  if load == "huge" and sigmoid:  # in float32 all affinities would be 0 or 1
    load = "one"
  logits = np.zeros(E)
  if load == "one":
    logits[rng.integers(E)] = 30
  elif load == "few":
    logits[rng.permutation(E)[:3]] = 20
  elif load == "none of one":
    logits[rng.integers(E)] = -30
  elif load == "huge":
    logits = rng.standard_normal(E) * 1e4
  router = np.array(params.router)
  if load == "equal":
    router[:] = 0
  router[-1] += logits
  return params._replace(router=jnp.asarray(router, jnp.float32)), load


def _affinities(logits, scores: str):
  return jax.nn.softmax(logits) if scores == "softmax" else jax.nn.sigmoid(logits)


def _reference(x, params: MoEParams, experts, given: dict[str, Any]):
  """The result for these experts [T, top_k], which may repeat one."""
  logits, kind = x @ params.router, given.get("router_scores", "softmax")
  weights = jnp.take_along_axis(_affinities(logits, kind), experts, -1)
  if given.get("normalize_weights", True):
    weights = (weights / (weights.sum(-1, keepdims=True) + 1e-20) if kind == "sigmoid" else
               jax.nn.softmax(jnp.take_along_axis(logits, experts, -1)))
  weights = weights * given.get("routed_scaling", 1.0)
  activation = given.get("activation", "silu")
  every = jax.vmap(dense_mlp, (None, 0, None), out_axes=1)(x, params.experts, activation)
  out = (weights[..., None] * jnp.take_along_axis(every, experts[..., None], 1)).sum(1)
  if params.shared is not None:
    out = out + dense_mlp(x, params.shared, activation)
  return out


@functools.partial(jax.jit, static_argnames="options")
def _wide(x, params, experts, ct, options):
  out, pull = jax.vjp(lambda x, p: _reference(x, p, experts, dict(options)), x, params)
  return out, pull(ct)


def _in_float64(x, params, experts, ct, given):
  options = tuple((name, given[name]) for name in (
      "router_scores", "normalize_weights", "routed_scaling", "activation") if name in given)
  with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
    wide = lambda tree: jax.tree.map(lambda a: jnp.asarray(np.asarray(a), jnp.float64), tree)
    return jax.tree.map(np.asarray, _wide(
        wide(x), wide(params), jnp.asarray(np.asarray(experts)), wide(ct), options))


def _check_choice(words: str, x, params: MoEParams, experts, given, tolerance: float) -> None:
  """Raises Fault unless the experts of each token are different, and those of most affinity."""
  x, router = (np.asarray(a, np.float64) for a in (x, params.router))
  logits = x @ router
  # Softmax of one token has the order of the logits.
  scores = logits if params.router_bias is None else np.asarray(
      _affinities(jnp.asarray(logits, jnp.float32), given.get("router_scores", "softmax")))
  if params.router_bias is not None:
    scores = scores + np.asarray(params.router_bias, np.float64)
  top_k = experts.shape[-1]
  chosen = np.sort(np.take_along_axis(scores, experts, -1))
  best = np.sort(scores)[:, E - top_k:]
  if len(experts) and (np.sort(experts)[:, 1:] == np.sort(experts)[:, :-1]).any():
    raise Fault(f"{words}: a token has an expert twice: {experts}")
  limit = tolerance * np.maximum(1, np.abs(scores).max(initial=0))
  if not (np.abs(chosen - best) <= limit).all() and not given.get("node_limit") and (
      given.get("router_scores") != "sigmoid"):  # which is equal for large logits
    raise Fault(f"{words}: the chosen experts are not the best: {chosen} and {best}")


def _specs(params: MoEParams, expert, tensor) -> MoEParams:
  hidden = {"down": 0, "up": 1, "gate_up": 2, "up_bias": 0, "gate_up_bias": 1}

  def of(mlp, lead):
    def spec(name, x):
      places = [None] * (x.ndim - len(lead))
      if name in hidden:
        places[hidden[name]] = tensor
      return P(*lead, *places)
    return Mlp(**{name: None if x is None else spec(name, x)
                  for name, x in mlp._asdict().items()})

  return MoEParams(P(), of(params.experts, (expert,)),
                   params.shared and of(params.shared, ()),
                   None if params.router_bias is None else P())


def _layer(rng, given, kind: str):
  """The layer as a function of x, parameters and a routing, which may be None."""
  if kind == "plain":
    return lambda x, p, experts: moe(x, p, experts, **given)
  shape = choice(rng, ((8,), (4, 2), (2, 2), (2, 4)))
  names = ("e", "t")[:len(shape)]
  devices = np.array(jax.devices())
  if rng.random() < 0.3:
    devices = devices[rng.permutation(len(devices))]
  mesh = Mesh(devices[:int(np.prod(shape))].reshape(shape), names,
              axis_types=(AxisType.Auto,) * len(names))
  axes: Any = "e"
  tensor = "t" if len(shape) == 2 else None
  if len(shape) == 2 and rng.random() < 0.4:  # experts along both axes, in any order
    axes, tensor = choice(rng, (("e", "t"), ("t", "e"))), None
  given = dict(given, expert_axis_name=axes, tensor_axis_name=tensor)
  of_x = P()
  if kind in ("gather", "all_to_all", "overlap"):
    given["dispatch"], of_x = kind, P(axes)

  def layer(x, p, experts):
    specs = of_x, _specs(p, axes, tensor), None if experts is None else of_x

    body = lambda x, p, experts: moe(x, p, experts, **given)
    like = MoEStats(**{name: of_x if name == "experts" else P() for name in MoEStats._fields})
    return jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=(of_x, like))(x, p, experts)

  layer.words = f"mesh {dict(mesh.shape)} {mesh.device_ids.ravel().tolist()}, axes {axes}"
  return layer


class _Structure(NamedTuple):
  """What decides the program of a case: few of them, so that most are compiled already."""

  options: dict[str, Any]
  kind: str
  gated: bool
  use_bias: bool
  shared: bool
  router_bias: bool
  tokens: int
  repeats: bool
  call: Any
  words: str


@functools.cache
def _structure(number: int) -> _Structure:
  rng = np.random.default_rng([7, number])
  flip = lambda share=0.5: bool(rng.random() < share)
  top_k = choice(rng, (1, 2, 3, 8))
  given: dict[str, Any] = {"top_k": top_k, "activation": choice(rng, ("silu", "gelu", "relu"))}
  if flip(0.3):
    given["router_scores"] = "sigmoid"
  if flip(0.3):
    given["normalize_weights"] = False
  if flip(0.3):
    given["routed_scaling"] = 2.5
  if flip(0.15) and top_k <= 4:
    given["node_limit"] = (2, 1)
  given["dtype"] = choice(rng, ("float32", "float32", "float32", "bfloat16"))
  if flip(0.25):
    given["recipe"] = choice(rng, RECIPES)
  if given["activation"] == "relu" and (given["dtype"] == "bfloat16" or "recipe" in given):
    given["activation"] = "silu"  # rounding moves values over the step in relu's gradient
  kind = choice(rng, ("plain", "experts", "gather", "all_to_all", "overlap"))
  tokens = choice(rng, (16, 16, 48)) if kind != "plain" else choice(rng, (0, 1, 16, 48))
  layer = _layer(rng, given, kind)
  # A given routing may repeat experts.
  repeats = flip(0.3)

  @jax.jit
  def call(x, p, ct, experts):
    out, pull, stats = jax.vjp(lambda x, p: layer(x, p, experts), x, p, has_aux=True)
    return out, pull(ct.astype(out.dtype)), stats

  return _Structure(given, kind, flip(0.7), flip(0.4), flip(0.3), flip(0.2), tokens, repeats, call,
                    getattr(layer, "words", ""))


_STRUCTURES = 40


def valid(rng) -> str:
  structure = _structure(int(rng.integers(_STRUCTURES)))
  given = structure.options
  for _ in range(attack.CALLS):
    _valid_call(rng, structure, given)
  return f"right in {attack.CALLS} calls, {structure.kind}"


def _valid_call(rng, structure: _Structure, given) -> None:
  params = _params(rng, structure.gated, structure.use_bias, structure.shared,
                   structure.router_bias)
  params, load = _loaded(rng, params, given.get("router_scores") == "sigmoid")
  x = rng.standard_normal((structure.tokens, C))
  x[:, -1] = 1
  x = jnp.asarray(x, jnp.bfloat16).astype(jnp.float32)  # exact in bfloat16
  experts, few = None, E
  if structure.repeats:
    few = choice(rng, (1, 2, E))
    experts = rng.integers(0, few, (structure.tokens, given["top_k"])).astype(
        choice(rng, ("int32", "int8", "uint8")))
  ct = np.asarray(rng.standard_normal(x.shape), np.float32)
  words = described(f"moe, {structure.kind}", given | {
      "tokens": structure.tokens, "load": load, "gated": structure.gated,
      "biases": structure.use_bias, "shared": structure.shared,
      "router bias": structure.router_bias, "mesh": structure.words,
      "experts": None if experts is None else f"{experts.dtype} below {few}"})
  out, gradients, stats = attack.computed(words, lambda: structure.call(x, params, ct, experts))
  _compare(words, x, params, experts, ct, given, out, gradients, stats)


def _compare(words, x, params, experts, ct, given, out, gradients, stats) -> None:
  chosen = np.asarray(stats.experts)
  slack = attack.error_of_operands(None)
  if experts is None:
    _check_choice(words, x, params, chosen, given, 1e-5 + slack)
  elif not np.array_equal(chosen, experts):
    raise Fault(f"{words}: the statistics have another routing than was given")
  loads = np.bincount(chosen.ravel().astype(int), minlength=E)
  if not np.array_equal(np.asarray(stats.tokens_per_expert), loads):
    raise Fault(f"{words}: tokens_per_expert is {stats.tokens_per_expert}, not {loads}")
  wanted, of_wanted = _in_float64(x, params, chosen.astype(np.int32), ct, given)
  # The weight of an expert that is far from the best one has the error of the router's product.
  logits = np.abs(np.asarray(x, np.float64) @ np.asarray(params.router, np.float64))
  tolerance = 5e-5 + 8 * slack + 2.0**-20 * logits.max(initial=0)
  tolerance += 0.04 if given["dtype"] == "bfloat16" else 0
  tolerance += 0.25 if given.get("recipe") else 0
  if not np.isfinite(wanted).all() or len(x) == 0:
    for leaf in jax.tree.leaves((out, gradients)):
      if not np.isfinite(np.asarray(leaf, np.float32)).all():
        raise Fault(f"{words}: a result or a gradient is not finite")
    return
  attack.near(words, out, wanted, tolerance)
  names = ("x", "the parameters")
  for name, got, want in zip(names, gradients, of_wanted):
    _check_gradients(f"the gradient of {name}, {words}", got, want, tolerance, x, ct)


def _check_gradients(words, got, wanted, tolerance, x, ct) -> None:
  """As attack.near; a leaf counts relative to at least a small part of a usual gradient.

  The gradient of a router whose weights are saturated is a difference of nearly equal numbers.
  """
  pairs = zip(jax.tree.leaves_with_path(got), jax.tree.leaves(wanted), strict=True)
  for (path, g), w in pairs:
    g = np.asarray(g, np.float64)
    least = np.abs(np.asarray(ct)).max() * (1 if g.ndim < 2 else len(x)**0.5)
    limit = tolerance * max(np.abs(w).max(initial=0), least)
    if not (np.abs(g - w) <= limit).all():
      raise Fault(f"{words}{jax.tree_util.keystr(path)}: off by {np.abs(g - w).max():.3g} of "
                  f"{np.abs(w).max():.3g}")


def _flax(rng) -> str:
  """The layers of nnx and linen, which have the options of `moe`."""
  given: dict[str, Any] = {
      "top_k": choice(rng, (1, 2, 8)), "gated": bool(rng.integers(2)),
      "use_bias": bool(rng.integers(2)), "num_shared_experts": choice(rng, (0, 0, 1)),
      "normalize_weights": bool(rng.integers(2)), "ragged_dot": None}
  if rng.random() < 0.3:
    given["recipe"] = choice(rng, RECIPES)
  layer = make_nnx(int(rng.integers(3)), **given)
  params = MoEParams(layer.router[...], layer.experts.params(),
                     layer.shared.params() if given["num_shared_experts"] else None, None)
  x = jnp.asarray(rng.standard_normal((choice(rng, (1, 16)), C)), jnp.bfloat16).astype(jnp.float32)
  ct = np.asarray(rng.standard_normal(x.shape), np.float32)
  is_linen = rng.random() < 0.5
  words = described("linen.MoE" if is_linen else "nnx.MoE", given)
  if is_linen:
    own = jaxgemm_linen.MoE(hidden_features=H, num_experts=E, **given)
    of = lambda p: {name: x for name, x in p._asdict().items() if x is not None}
    tree = {"router": params.router, "experts": of(params.experts)}
    if params.shared is not None:
      tree["shared"] = of(params.shared)
    function = lambda x: own.apply({"params": tree}, x)
  else:
    function = lambda x: layer(x)

  @jax.jit
  def call(x, ct):
    out, pull, stats = jax.vjp(function, x, has_aux=True)
    return out, pull(ct)[0], stats

  out, gradient, stats = attack.computed(words, lambda: call(x, ct))
  chosen = np.asarray(stats.experts)
  _check_choice(words, x, params, chosen, given, 1e-5 + attack.error_of_operands(None))
  wanted, (of_x, _) = _in_float64(x, params, chosen, ct, given)
  tolerance = (0.25 if given.get("recipe") else 5e-5) + 8 * attack.error_of_operands(None)
  attack.near(words, out, wanted, tolerance)
  _check_gradients(f"the gradient of x, {words}", gradient, of_x, tolerance, x, ct)
  return f"right, {'linen' if is_linen else 'nnx'}"


def _refused(rng) -> str:
  params = _params(rng, True, False, False, False)
  x = jnp.ones((4, C))
  given: dict[str, Any] = {"top_k": 2}
  kinds: dict[str, tuple] = {
      "top_k": (0, -1, 9, 1.5, "x", None, True and 2**70),
      "activation": ("swish", 3, None), "router_scores": ("tanh", None, 3),
      "node_limit": ((3, 1), (2, 0), 3, "x", (2, 3), (0, 1)),
      "recipe": ("x", 3), "dtype": ("int8", "float8_e4m3fn", "x", "complex64"),
      "dispatch": ("scatter", None, "all_to_all"), "expert_axis_name": ("nope", 3),
      "tensor_axis_name": ("nope", 3), "sharded_tokens": (True,), "routed_scaling": ("x",),
      "x": (jnp.ones((4, C + 1)), jnp.ones(()), jnp.ones((4, C), jnp.complex64)),
      "experts": (np.zeros((4, 3), np.int32), np.zeros((4, 2), np.float32), "x",
                  np.zeros((3, 2), np.int32)),
  }
  name = choice(rng, tuple(kinds))
  value = choice(rng, kinds[name])
  routing = None
  if name == "x":
    x = value
  elif name == "experts":
    routing = value
  else:
    given[name] = value
  names = (name, "axis", "node", "features") if name in (
      "x", "expert_axis_name", "tensor_axis_name", "node_limit") else (name,)
  return attack.refused(described("moe", {name: value}), names,
                        lambda: moe(x, params, routing, **given))


def run(rng) -> str:
  what = rng.random()
  return _refused(rng) if what < 0.2 else _flax(rng) if what < 0.35 else valid(rng)


def forget() -> None:
  jax.clear_caches()
