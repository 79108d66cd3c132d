"""The products in a function that jax has traced: the kernels' and those left to XLA."""

from collections.abc import Callable, Iterator
import functools
from typing import Any, NamedTuple

import jax
from jax.extend.core import jaxprs_in_params

from jaxgemm import _ffi, transposes
from jaxgemm.chunked.primitive import chunked_p
from jaxgemm.collective import copies
from jaxgemm.collective.primitive import ring_p
from jaxgemm.dense import primitive as dense
from jaxgemm.fallback import reason_of
from jaxgemm.grouped import primitive as grouped
from jaxgemm.scaled.primitive import scaled_p

KERNELS = (dense.contract_p, grouped.ragged_p, chunked_p, scaled_p)
_READ_BEFORE_TRANSPOSE = {
    dense.contract_p: (dense.read_before_transpose, dense.can_be_lowered),
    grouped.ragged_p: (grouped.read_before_transpose, grouped.can_be_lowered),
}
_XLAS = ("dot_general", "ragged_dot", "ragged_dot_general")


class Call(NamedTuple):
  """A product in a program.

  Attributes:
    eqn: the equation. Its primitive is one of KERNELS, or a product of jax if XLA computes it.
    within: functions and loops around it, the outermost first: "jit of f", "scan of 8 steps", ...
    reason: why the product was left to XLA; "" if the kernels compute it.
  """

  eqn: Any
  within: tuple[str, ...]
  reason: str


def trace(function: Callable, args=(), kwargs=None):
  """The jaxpr of a function, which may be jitted, for arrays or shapes."""
  jitted = function if hasattr(function, "trace") else jax.jit(function)
  return jitted.trace(*args, **(kwargs or {})).jaxpr.jaxpr


def calls(jaxpr, within: tuple[str, ...] = (), reason: str = "",
          shard_map=None) -> Iterator[Call]:
  """The products of a jaxpr and of all jaxprs in it, in their order.

  Args:
    jaxpr: the jaxpr.
    within, reason: see `Call`.
    shard_map: the parameters of the innermost jax.shard_map around the jaxpr, or None.
  """
  made: dict[Any, Any] = {}
  for eqn in jaxpr.eqns:
    # From jax 0.12 on a jit with inline=True stays in the jaxpr.
    inlined = getattr(eqn.params.get("inline"), "value", None) == "jax_late"
    made |= transposes.made_by(eqn, inlined)
    name = eqn.primitive.name
    why = reason or reason_of(str(eqn.source_info.name_stack))
    if eqn.primitive in KERNELS or (why and name in _XLAS):
      if eqn.primitive in _READ_BEFORE_TRANSPOSE:
        rule, can_be_lowered = _READ_BEFORE_TRANSPOSE[eqn.primitive]
        eqn = transposes.in_jaxpr(eqn, made, rule, functools.partial(
            can_be_lowered, platforms=[_ffi.default_platform()]))
      yield Call(eqn, within, why)
      continue
    params = eqn.params
    if eqn.primitive is ring_p:
      described = _transfers(eqn, shard_map)
      params = {"jaxpr": params["jaxpr"]}
    else:
      described = _described(name, params)
    around = params if name == "shard_map" else shard_map
    names = within if inlined else (*within, described)
    for inner in jaxprs_in_params(params):
      yield from calls(inner, names, why, around)


def _transfers(eqn, shard_map) -> str:
  """How the rows or sums of a ring's products travel, and why."""
  form, platform = eqn.params["form"], _ffi.default_platform()
  mesh = shard_map["mesh"]
  manual = shard_map["newly_manual_axes"] | set(mesh.manual_axes)
  reason = copies.why_not(form, [x.aval for x in eqn.invars], mesh, manual, platform)
  axes = form.axis_name
  return f"ring over {axes!r} ({reason})" if reason else f"copies between devices of {axes!r}"


def _described(name: str, params) -> str:
  if name == "scan":
    return f"scan of {params['length']} steps"
  name = name.rstrip("0123456789")  # jax calls its checkpoints remat2
  return f"{name} of {params['name']}" if isinstance(params.get("name"), str) else name
