"""The products in a function that jax has traced: the kernels' and those left to XLA."""

from collections.abc import Callable, Iterator
import functools
import math
import types
from typing import Any, NamedTuple

import jax
from jax.extend.core import jaxprs_in_params

from jaxgemm import _ffi
from jaxgemm.call import few_rows, transposes
from jaxgemm.call.fallback import reason_of
from jaxgemm.call.product import Product
from jaxgemm.chunked import product as chunked
from jaxgemm.collective import copies, exchange
from jaxgemm.collective.primitive import ring_p
from jaxgemm.dense import product as dense
from jaxgemm.grouped import product as grouped
from jaxgemm.scaled import product as scaled
from jaxgemm.sharding import mesh as meshes

# The kinds of products, by the primitive of their calls.
PRODUCTS: dict[Any, Product] = {
    each.PRODUCT.primitive: each.PRODUCT for each in (dense, grouped, chunked, scaled)}
_XLAS = ("dot_general", "ragged_dot", "ragged_dot_general")


# The reason of products that were never jaxgemm's.
NOT_OURS = "it is a product of jax, not of jaxgemm"


class Call(NamedTuple):
  """A product in a program.

  Attributes:
    eqn: the equation. Its primitive is one of PRODUCTS, or a product of jax if XLA computes it.
    within: functions and loops around it, the outermost first: "jit of f", "scan of 8 steps", ...
    reason: why the product was left to XLA; "" if the kernels compute it.
    steps: how often the scans around it run it; a while loop counts once.
  """

  eqn: Any
  within: tuple[str, ...]
  reason: str
  steps: int


class Exchange(NamedTuple):
  """The start or the end of an exchange between devices in a program.

  Attributes:
    eqn: the equation, of `exchange.start_p` or `exchange.done_p`.
    within, steps: see `Call`.
    is_done: whether it is the end.
    devices: the number of devices of which each sends to all others. Only of a start.
    reason: why `jax.lax.ppermute` sends; "" if copy engines do. Only of a start.
  """

  eqn: Any
  within: tuple[str, ...]
  steps: int
  is_done: bool
  devices: int = 0
  reason: str = ""


def trace(function: Callable, args=(), kwargs=None):
  """The jaxpr of a function, which may be jitted, for arrays or shapes.

  What is no array is not traced: the function gets it as it is. A function that `jax.jit` or
  `nnx.jit` returned decides this itself.
  """
  if not callable(function):
    raise TypeError(f"{function!r:.200} was given in the place of a function. Pass a function, "
                    "then its arguments.")
  function, args, kwargs = _unwrapped(function, args, kwargs or {})
  if hasattr(function, "trace") and hasattr(function, "lower"):
    traced = function.trace(*args, **kwargs)
    traced = getattr(traced, "traced", traced)  # that of nnx.jit has jax's
    return traced.jaxpr.jaxpr
  # The function may be a module that is called, with arrays in it.
  leaves, tree = jax.tree.flatten((function, args, kwargs))
  places = [i for i, x in enumerate(leaves) if hasattr(x, "shape") and hasattr(x, "dtype")]

  def of_arrays(*arrays):
    merged = list(leaves)
    for i, x in zip(places, arrays):
      merged[i] = x
    function, args, kwargs = jax.tree.unflatten(tree, merged)
    out = function(*args, **kwargs)
    return [x for x in jax.tree.leaves(out) if isinstance(x, jax.Array)]

  return jax.jit(of_arrays).trace(*(leaves[i] for i in places)).jaxpr.jaxpr


def _unwrapped(function: Any, args, kwargs):
  """(function, args, kwargs) with the function inside methods and partials.

  A method shows the attributes of its function, so its `trace` would lack the first argument.
  """
  while True:
    if isinstance(function, types.MethodType):
      function, args = function.__func__, (function.__self__, *args)
    elif isinstance(function, functools.partial):
      function, args, kwargs = (
          function.func, (*function.args, *args), {**function.keywords, **kwargs})
    else:
      return function, args, kwargs


def calls(jaxpr) -> Iterator[Call]:
  """The products of a jaxpr and of all jaxprs in it, in their order, without those of jax."""
  for each in calls_and_exchanges(jaxpr):
    if isinstance(each, Call) and each.reason != NOT_OURS:
      yield each


def calls_and_exchanges(
    jaxpr, within: tuple[str, ...] = (), reason: str = "", shard_map=None, steps: int = 1,
) -> Iterator[Call | Exchange]:
  """The products and exchanges of a jaxpr and of all jaxprs in it, in their order.

  Products that were never jaxgemm's have the reason NOT_OURS.

  Args:
    jaxpr: the jaxpr.
    within, reason, steps: see `Call`.
    shard_map: the parameters of the innermost jax.shard_map around the jaxpr, or None.
  """
  made: dict[Any, Any] = {}
  for eqn in jaxpr.eqns:
    # From jax 0.12 on a jit with inline=True stays in the jaxpr.
    inlined = getattr(eqn.params.get("inline"), "value", None) == "jax_late"
    made |= transposes.made_by(eqn, inlined)
    name = eqn.primitive.name
    why = reason or reason_of(str(eqn.source_info.name_stack))
    if product := PRODUCTS.get(eqn.primitive):
      eqn = transposes.in_jaxpr(eqn, made, product, _ffi.default_platform())
      yield Call(eqn, within, why, steps)
      continue
    if eqn.primitive is few_rows.few_rows_p:
      yield Call(eqn, within, "", steps)
      continue
    if name in _XLAS:
      yield Call(eqn, within, why or NOT_OURS, steps)
      continue
    params = eqn.params
    if eqn.primitive in (exchange.start_p, exchange.done_p):
      yield _exchange(eqn, within, steps, shard_map)
      continue
    if eqn.primitive is ring_p:
      described = _transfers(eqn, shard_map)
      params = {"jaxpr": params["jaxpr"]}
    else:
      described = _described(name, params)
    around = params if name == "shard_map" else shard_map
    names = within if inlined else (*within, described)
    times = steps * (params["length"] if name == "scan" else 1)
    for inner in jaxprs_in_params(params):
      yield from calls_and_exchanges(inner, names, why, around, times)


def _exchange(eqn, within: tuple[str, ...], steps: int, shard_map) -> Exchange:
  if eqn.primitive is exchange.done_p:
    return Exchange(eqn, within, steps, is_done=True)
  form, (mesh, manual) = eqn.params["form"], _mesh_of(shard_map)
  devices = math.prod(mesh.shape[name] for name in meshes.names(form.axis_name))
  reason = exchange.why_not(eqn.outvars[0].aval, form, mesh, manual, _ffi.default_platform())
  return Exchange(eqn, within, steps, False, devices, reason or "")


def _mesh_of(shard_map) -> tuple[Any, Any]:
  """The mesh of a jax.shard_map, and its manual axes."""
  mesh = shard_map["mesh"]
  return mesh, shard_map["newly_manual_axes"] | set(mesh.manual_axes)


def _transfers(eqn, shard_map) -> str:
  """How the rows or sums of a ring's products travel, and why."""
  form, (mesh, manual) = eqn.params["form"], _mesh_of(shard_map)
  reason = copies.why_not(
      form, [x.aval for x in eqn.invars], mesh, manual, _ffi.default_platform())
  axes = form.axis_name
  return f"ring over {axes!r} ({reason})" if reason else f"copies between devices of {axes!r}"


def _described(name: str, params) -> str:
  if name == "scan":
    return f"scan of {params['length']} steps"
  name = name.rstrip("0123456789")  # jax calls its checkpoints remat2
  return f"{name} of {params['name']}" if isinstance(params.get("name"), str) else name
