"""The products of a function that can be tuned, and functions that compute one of them."""

import collections
from collections.abc import Callable
import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call import product as kinds
from jaxgemm.call import tuned
from jaxgemm.call.config import GemmConfig, check_choice
from jaxgemm.explain import program

# A candidate is not timed if its predicted cost is more than _MOST_COST times that of the plan's
# own choice. On Hopper the best one is mostly closer to the plan's choice than that.
_MOST_COST = 1.5
ROUTINGS = ("balanced", "mild", "skewed", "extreme")


@dataclasses.dataclass(frozen=True)
class Product:
  """A call of a kernel with given shapes.

  Attributes:
    kind: dense or grouped.
    params: the parameters of its primitive, without the partitioning rule.
    avals: shapes and dtypes of the operands.
    plan: the plan, made without the tuning file.
    key: the product's key in the tuning file.
  """

  kind: kinds.Product
  params: dict[str, Any]
  avals: tuple[jax.ShapeDtypeStruct, ...]
  plan: dict[str, Any]
  key: str

  def __reduce__(self):
    return unpickled, (self.kind.primitive.name, self.params, self.avals)

  @property
  def label(self) -> str:
    """The sizes and dtypes as text, for a reader."""
    p = self.plan["problem"]
    batch = f"{p['batch']}x" if p["batch"] > 1 else ""
    groups = f" {p['groups']} groups along {p['ragged']}" if p["groups"] else ""
    extra = "".join(f" {name}" for name in ("bias", "scale", "row_scale", "gated", "save_preact")
                    if p.get(name))
    extra += f" {p['activation']}" if p["activation"] != "none" else ""
    layout = "".join("rc"[x] for x in (not p["lhs_contracting"], p["rhs_contracting"]))
    return (f"{batch}{p['m']}x{p['n']}x{p['k']} {layout} {p['lhs_dtype']}"
            f"->{p['out_dtype']}{groups}{extra}")

  def configs(self, most: int) -> list[dict[str, str | int]]:
    """The configurations to time, the plan's own choice first.

    Candidates above _MOST_COST are left out. On GPUs, the last ones are the plan's own choice with
    other values of group_m.
    """
    found = [each["config"] for each in self.plan["candidates"][:most]
             if each["cost"] <= _MOST_COST]
    return found + [found[0] | {"group_m": rows} for rows in self._other_orders()]

  def _other_orders(self) -> list[int]:
    """Other values of group_m to time; [] if no workgroup has several tiles."""
    tiles_m, tiles_n, _ = self.plan["tiles"]
    if self.plan["target"] == "cpu" or tiles_m * tiles_n <= self.plan["num_workgroups"]:
      return []
    rows = int(self.plan["attrs"]["group_m"])
    return [each for each in (rows // 2, 2 * rows) if 1 <= each <= tiles_m]

  def ours(self, config: dict[str, str | int]) -> Callable:
    """A function that computes the product by the kernels, with this configuration."""
    spec = self.params["spec"]
    fields: dict[str, Any] = dict(config)
    fixed = GemmConfig(**fields, partition=spec.config.partition)
    params = self.params | {"spec": dataclasses.replace(spec, config=fixed)}
    return functools.partial(self.kind.primitive.bind, **params)

  def xla(self) -> Callable | None:
    """A function that computes the product by XLA, or None if XLA does not compete.

    XLA does not compete for grouped products, and products with a second result for a gradient.
    """
    return self.kind.xla(self.avals, self.params)

  def random(self, seed) -> list[jax.Array]:
    """Operands of standard normal values or small integers. Group sizes and an offset are 0."""
    keys = jax.random.split(jax.random.key(seed, impl="rbg"), len(self.avals))
    found = []
    for key, aval in zip(keys, self.avals):
      if aval.dtype == jnp.int8:
        found.append(jax.random.randint(key, aval.shape, -7, 8, aval.dtype))
      elif jnp.issubdtype(aval.dtype, jnp.integer):
        found.append(jnp.zeros(aval.shape, aval.dtype))
      else:
        found.append(jax.random.normal(key, aval.shape, jnp.float32).astype(aval.dtype))
    return found

  def operands(self, rng: np.random.Generator, routing, random: Callable) -> list[jax.Array]:
    """Random operands, with group sizes by `routing`. `random` is the method, compiled."""
    found = random(np.uint32(rng.integers(1 << 31)))
    if self.plan["problem"]["groups"]:
      found[2] = jnp.asarray(self._group_sizes(rng, routing), self.avals[2].dtype)
    return found

  def check_routing(self, routing) -> None:
    """Raises ValueError if routing has not a share for each group of a grouped product."""
    if self.plan["problem"]["groups"] and not isinstance(routing, str):
      shares(routing, self.avals[2].shape[-1])

  def _group_sizes(self, rng, routing) -> np.ndarray:
    problem, shape = self.plan["problem"], self.avals[2].shape
    total, groups = problem[tuned.open_size(problem)], shape[-1]
    if not isinstance(routing, str):
      share = shares(routing, groups)
    elif routing == "balanced":
      share = np.ones(groups)
    elif routing == "mild":  # as in benchmarks/shapes.json
      share = 0.2 + 0.8 * rng.random(groups)
    elif routing == "skewed":
      share = rng.dirichlet(np.ones(groups))
    else:
      share = np.arange(groups) == groups // 2
    ends = np.rint(np.cumsum(share) / np.sum(share) * total).astype(np.int64)
    return np.broadcast_to(np.diff(ends, prepend=0), shape)


def check_routing(routing) -> None:
  """Raises ValueError or TypeError unless routing is a name or an array of shares."""
  if isinstance(routing, str):
    check_choice("routing", routing, ROUTINGS)
  else:
    shares(routing)


def shares(routing, groups: int | None = None) -> np.ndarray:
  """The share of each group, from an array; groups: their number, if it is known.

  Raises:
    ValueError, TypeError: it is no array of such shares.
  """
  names = f"or one of the names {', '.join(map(repr, ROUTINGS))}. Pass one of these."
  try:
    share = np.asarray(routing, np.float64)
  except (TypeError, ValueError):
    share = np.asarray(0)
  if not share.ndim:
    raise TypeError(
        f"routing={routing!r} was given; an array with a share for each group is allowed, {names}")
  count = share.size if groups is None else groups
  if share.shape != (count,) or not (np.isfinite(share) & (share >= 0)).all() or not share.any():
    raise ValueError(
        f"routing is {share.tolist()}; {count} shares that are not negative, not "
        f"infinite and not all 0 are allowed, one for each group, {names}")
  return share


def products(calls) -> tuple[list[Product], dict[str, int]]:
  """(the products of calls, each once; the number of calls that are not tuned, by reason).

  Args:
    calls: tuples of (function, args, kwargs).
  """
  jax.clear_caches()  # cached traces have products that were left to XLA
  found: dict[str, Product] = {}
  left: collections.Counter[str] = collections.Counter()
  with tuned.without_file():
    for eqn, _, reason, *_ in (
        each for call in calls for each in program.calls(program.trace(*call))):
      if reason := f"XLA computes them: {reason}" if reason else _why_not(eqn):
        left[reason] += 1
        continue
      avals = tuple(jax.ShapeDtypeStruct(x.aval.shape, x.aval.dtype) for x in eqn.invars)
      product = _product(
          program.PRODUCTS[eqn.primitive], eqn.params | {"partitioned": None}, avals)
      found.setdefault(product.key, product)
  return list(found.values()), left


def _product(kind: kinds.Product, params, avals) -> Product:
  target = params["spec"].target(_ffi.default_platform())
  plan = kind.plan(avals, params, target)
  return Product(kind, params, avals, plan,
                 tuned.key(plan["problem"], target, _ffi.num_cus(target)))


def unpickled(primitive: str, params, avals) -> Product:
  """A product that another process has found; see Product.__reduce__."""
  kind = next(each for each in program.PRODUCTS.values() if each.primitive.name == primitive)
  with tuned.without_file():
    return _product(kind, params, avals)


def _why_not(eqn) -> str:
  """Why calls like this one are not tuned, or ""."""
  if why := program.PRODUCTS[eqn.primitive].why_not_tuned(eqn.params):
    return why
  if eqn.params["spec"].emulated:
    return "they are emulated"
  if not eqn.params["spec"].config.is_open:
    return "their schedule or config was given"
  if eqn.params["spec"].same_rows:
    return "deterministic='rows' was given, with which entries of other calls are used if they fit"
  return ""
