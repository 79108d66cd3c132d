"""supports, explain and workspace_size: what a call would do. They do not run it.

The call is traced. If it has a product of the kernels, the reasons are those of its plan
(ffi/plan/reasons.cc) and of a tuned entry (call/tuned.py), and `data_of` in planned.py adds those
of copies and shardings. If XLA computes it, the reason is that of `who_computes` in
call/fallback.py, which is in the named scope of XLA's product. `supports` traces the call with
implementation="jaxgemm", and returns the error's reason.
"""

from collections.abc import Callable
import functools
import inspect
import math
from typing import Any, overload

import jax

from jaxgemm.call.fallback import Unsupported
from jaxgemm.call.options import emulated_arch
from jaxgemm.call.product import Given
from jaxgemm.call.quantized import stand_in
from jaxgemm.explain import program
from jaxgemm.explain.arguments import (
  ARRAYS,
  abstract,
  described,
  function_of,
  operands_by_name,
  with_names,
)
from jaxgemm.explain.exchanges import Exchanges
from jaxgemm.explain.explanation import Explanation, summary_of
from jaxgemm.explain.planned import data_of, plan_of
from jaxgemm.scaled.call import reasons


def _devices_reason(a, b) -> list[str]:
  """Sentences that say whether a sharded product's plan is for one device's part or for all."""
  sharded = [x for x in (a, b) if isinstance(x, jax.Array) and
             not isinstance(x, jax.core.Tracer) and not x.is_fully_replicated]
  if not sharded:
    return []
  if any(axes for x in sharded for axes in jax.typeof(x).sharding.spec):
    return ["the operands are sharded on explicit axes: the plan is for one device's part"]
  return ["the operands are sharded on automatic axes: the plan is for the whole product, "
          "and each device's part is planned when XLA has partitioned it"]


def _trace(a, b, kwargs) -> program.Call:
  """The kernels' call that a call becomes, or if there is none XLA's, which has a reason."""
  function, _, kwargs = function_of(kwargs)
  arrays = {key: kwargs.pop(key) for key in ARRAYS if kwargs.get(key) is not None}
  function = functools.partial(function, **kwargs)
  jaxpr = program.trace(lambda a, b, arrays: function(a, b, **arrays), (a, b, arrays))
  return min(program.calls(jaxpr), key=lambda call: bool(call.reason))


@operands_by_name
def supports(a, b, *args, **kwargs) -> tuple[bool, str]:
  """Whether this package's kernels compute a call, and why not.

  Args:
    a: the first operand, an array or `jax.ShapeDtypeStruct`.
    b: the second operand, the same.
    *args: the arguments of a product that follow the operands: (x, experts, sizes) or
      (x, w, dimension_numbers), for example.
    **kwargs: the other arguments of a product. They tell which product it is. group_sizes:
      `jaxgemm.ragged_dot`; with gated=True `jaxgemm.ragged_gated_linear_unit`; with
      ragged_dot_dimension_numbers `jaxgemm.ragged_dot_general`. lhs_scales and rhs_scales:
      `jaxgemm.scaled_matmul`; with group_sizes `jaxgemm.scaled_ragged_dot`. chunk_signals:
      `jaxgemm.chunked_matmul`. dimension_numbers: `jaxgemm.dot_general`. None of these:
      `jaxgemm.matmul`. Each array may be a `jax.ShapeDtypeStruct`.

  Returns:
    (True, "") if the kernels compute the call, else (False, the reason).

  Raises:
    ValueError, TypeError: jax's own errors for operands that do not fit each other; or
      an argument or an implementation is unknown.
  """
  kwargs = with_names(args, kwargs)
  emulated_arch(kwargs.get("implementation"))
  a, b, kwargs = described(a, b, kwargs)
  function, result_of, given = function_of(kwargs)
  inspect.signature(function).bind(a, b, **given)
  result_of(a, stand_in(b, a))
  if kwargs.get("chunk_signals") is not None and (
      kwargs.get("implementation") == "xla"):
    return False, "implementation='xla' was given, and XLA does not wait for chunks"
  if kwargs.get("implementation") in (None, "xla"):
    kwargs = kwargs | {"implementation": "jaxgemm"}
  try:
    _trace(a, b, kwargs)
  except Unsupported as error:
    return False, error.reason
  except (ValueError, TypeError, NotImplementedError) as error:
    return False, str(error)
  return True, ""


@overload
def explain(a, b, *args, gradients: bool = False, **kwargs) -> Explanation: ...
@overload
def explain(function: Callable, /, *args, **kwargs) -> Explanation: ...


def explain(*args, **kwargs) -> Explanation:
  """The plan of a call, or of every call in a function, in words and as data.

  `explain(a, b, **options)` takes the arguments of a product:

  Args:
    a, b: the operands, arrays or `jax.ShapeDtypeStruct`.
    gradients: whether the reasons also name the copies that the gradients need.
    *args: the arguments of a product that follow the operands; see `supports`.
    **kwargs: the other arguments of a product.

  `explain(function, *args, **kwargs)` takes a function, which may be jitted, and its
  arguments: arrays, or `jax.ShapeDtypeStruct` in their places. The function is traced, not
  run. Every product of jaxgemm in it is listed, also within jit, scan, while, cond,
  shard_map, remat and functions with derivatives of their own, and also those that were
  left to XLA. `jax.grad` of a function has the products of the gradients, too. On automatic
  meshes the shapes and plans are those of whole arrays.

  Returns:
    An `Explanation`.

  Raises:
    ValueError, TypeError: the errors that the call itself would raise.
  """
  if args and callable(args[0]):
    return _of_function(*args, **kwargs)
  return _of_product(*args, **kwargs)


def _of_function(function: Callable, /, *args, **kwargs) -> Explanation:
  leaves, tree = jax.tree.flatten((args, kwargs))
  traced = [abstract("", x) if isinstance(x, jax.Array) else x for x in leaves]
  if any(x is not y for x, y in zip(traced, leaves)):  # else modules stay the same objects
    args, kwargs = jax.tree.unflatten(tree, traced)
  found: list[dict[str, Any]] = []
  others: list[tuple[int, int]] = []  # how often each runs, and its operations
  exchanges = Exchanges()
  for call in program.calls_and_exchanges(program.trace(function, args, kwargs)):
    if isinstance(call, program.Exchange):
      exchanges.meet(call)
      continue
    if call.reason == program.NOT_OURS:
      others.append((call.steps, _operations(call.eqn)))
      continue
    data = _of_call(call)
    same = next((x for x in found if x | {"count": 1} == data), None)
    if same is None:
      found.append(data)
    else:
      same["count"] += 1
    exchanges.beside(found.index(same or data) + 1, data)
  summary = {"summary": summary_of(found, others)} if found or others else {}
  return Explanation({"calls": found} | exchanges.data() | summary)


def _operations(eqn) -> int:
  """The multiplications and additions of a product that XLA computes."""
  numbers = eqn.params.get("ragged_dot_dimension_numbers")
  groups = numbers.rhs_group_dimensions if numbers else ()
  (_, contracting), (_, batch) = (
      numbers.dot_dimension_numbers if numbers else eqn.params["dimension_numbers"])
  lhs, rhs = (x.aval.shape for x in eqn.invars[:2])
  columns = (n for i, n in enumerate(rhs) if i not in (*contracting, *batch, *groups))
  return 2 * math.prod(lhs) * math.prod(columns)


def _of_call(call: program.Call) -> dict[str, Any]:
  """The data of one call in a function."""
  eqn = call.eqn
  weights = [call.weights] if call.weights else []
  if call.reason:
    data = {"implementation": "xla", "reasons": [call.reason, *weights],
            "operations": _operations(eqn)}
  else:
    data = data_of(eqn, more=weights)
  types = [[f"{x.aval.dtype}[{','.join(map(str, x.aval.shape))}]" for x in xs]
           for xs in (eqn.invars, eqn.outvars)]
  return data | {"operands": types[0], "results": types[1], "within": call.within,
                 "count": 1, "steps": call.steps}


@operands_by_name
def _of_product(a, b, *args, gradients: bool = False, **kwargs) -> Explanation:
  kwargs = with_names(args, kwargs)
  devices = _devices_reason(a, b)
  a, b, kwargs = described(a, b, kwargs)
  call = _trace(a, b, kwargs)
  weights = [call.weights] if call.weights else []
  if call.reason:
    return Explanation({"implementation": "xla", "reasons": [call.reason, *weights]})
  devices, b = [*devices, *weights], stand_in(b, a)
  if kwargs.get("rhs_scales") is not None:
    devices = [*devices, *reasons(a, b, **kwargs)]
  return Explanation(data_of(call.eqn, Given(a, b, kwargs), devices, gradients))


@operands_by_name
def workspace_size(a, b, *args, **kwargs) -> int:
  """The exact number of bytes that a call needs beside its result.

  Args:
    a, b: the operands, arrays or `jax.ShapeDtypeStruct`.
    *args: the arguments of a product that follow the operands; see `supports`.
    **kwargs: the other arguments of a product.

  Returns:
    The size of the workspace in bytes; 0 if XLA computes the call.

  Raises:
    ValueError, TypeError: the errors that the call itself would raise.
  """
  call = _trace(*described(a, b, with_names(args, kwargs)))
  return 0 if call.reason else plan_of(call.eqn)["workspace_bytes"]
